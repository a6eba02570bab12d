/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engine/backend/backend_aggregate.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "engine/sector_record.h"
#include "prover/aggregate/filecoin_aggregate.h"
#include "prover/keys/filecoin_verify.h"
#include "prover/prove/filecoin_input.h"
#include "sys/file.h"

/* Measured at 8,192 proofs: 3.8 KB a proof for vectors and powers; the rest is for what does not grow. */
#define BYTES_PER_PROOF ((uint64_t)4096)
#define BYTES_ALWAYS    ((uint64_t)16 << 20)

struct cuzk_backend_aggregates {
    const cuzk_params_dir *dir;
    cuzk_pool *pool;
    char *path; /* of the SRS; NULL: the network's name in dir */
    bool has_digest;
    uint8_t digest[CUZK_AGG_SRS_DIGEST_BYTES]; /* instead of the network's */
    pthread_mutex_t mu;
    cuzk_agg_srs *srs; /* under mu; used by cuzk_aggregate_make only */
};

struct cuzk_aggregate_input {
    cuzk_agg_seals seals;
    uint8_t *proofs; /* [seals.claim.n * 192] */
    cuzk_vk *vk;
};

static cuzk_status init(cuzk_backend_aggregates *b, const cuzk_engine_config *config, cuzk_err *err)
{
    const char *hex = config->aggregate_srs_digest, *path = config->aggregate_srs;
    b->has_digest = hex != NULL;
    if (hex != NULL && !cuzk_hex_decode(b->digest, sizeof(b->digest), hex, strlen(hex))) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "srs.aggregate_digest: expected 32 hex digits");
    }
    if (path != NULL) {
        b->path = cuzk_alloc(strlen(path) + 1, 1);
        if (b->path == NULL) {
            return CUZK_FAIL(err, CUZK_E_NOMEM, "engine: out of memory");
        }
        memcpy(b->path, path, strlen(path) + 1);
    }
    return CUZK_OK;
}

cuzk_status cuzk_backend_aggregates_create(cuzk_backend_aggregates **out,
                                           const cuzk_engine_config *config,
                                           const cuzk_params_dir *dir, cuzk_pool *pool,
                                           cuzk_err *err)
{
    cuzk_backend_aggregates *b = cuzk_alloc_zero(1, sizeof(*b));
    if (b == NULL || pthread_mutex_init(&b->mu, NULL) != 0) {
        cuzk_free(b);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "engine: out of memory");
    }
    b->dir = dir;
    b->pool = pool;
    const cuzk_status st = init(b, config, err);
    if (st != CUZK_OK) {
        cuzk_backend_aggregates_destroy(b);
        return st;
    }
    *out = b;
    return CUZK_OK;
}

void cuzk_backend_aggregates_destroy(cuzk_backend_aggregates *b)
{
    if (b != NULL) {
        cuzk_agg_srs_close(b->srs);
        (void)pthread_mutex_destroy(&b->mu);
        cuzk_free(b->path);
        cuzk_free(b);
    }
}

/* ---- the request ---- */

/* Interactive types need a seed; what a request leaves out is zeros in the record. */
static bool lacks_seed(const cuzk_sector_record *r, const cuzk_seal_type *type)
{
    static const uint8_t zeros[32];
    return type->feature != CUZK_SEAL_NON_INTERACTIVE && memcmp(r->seed, zeros, 32) == 0;
}

/* Head of record i, and that it has a seed where the type needs one. */
static cuzk_status check_head(cuzk_sector_record *out, const cuzk_job_request *rq, size_t i,
                              const cuzk_seal_type *type, cuzk_err *err)
{
    CUZK_TRY(cuzk_sector_claim_read(out, rq->vanilla_proofs[i], err));
    return lacks_seed(out, type)
               ? CUZK_FAIL(err, CUZK_E_INVALID, "sectors[%zu]: seed is missing", i)
               : CUZK_OK;
}

static cuzk_status check_records(const cuzk_job_request *rq, const cuzk_seal_type *type,
                                 cuzk_err *err)
{
    const uint32_t partitions = cuzk_porep_partitions(type);
    for (size_t i = 0; i < rq->n_vanilla_proofs; i++) {
        cuzk_sector_record r;
        CUZK_TRY(cuzk_sector_record_read(&r, rq->vanilla_proofs[i], err));
        const size_t want = (size_t)partitions * CUZK_PROOF_BYTES;
        if (r.proof.size != want) {
            return CUZK_FAIL(
                err, CUZK_E_INVALID,
                "sectors[%zu]: proof has %zu bytes; the proofs of %u partition%s have %zu", i,
                r.proof.size, partitions, partitions == 1 ? "" : "s", want);
        }
        CUZK_TRY(check_head(&r, rq, i, type, err));
    }
    return CUZK_OK;
}

/* The type, and whether an aggregate can have that number of sectors. */
static cuzk_status check_size(cuzk_seal_type *type, const cuzk_job_request *rq, cuzk_err *err)
{
    const size_t n = rq->n_vanilla_proofs;
    CUZK_TRY(cuzk_seal_type_of(type, rq->registered_proof, err));
    const uint32_t partitions = cuzk_porep_partitions(type);
    if (n == 0) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "sectors is empty");
    }
    return n <= CUZK_AGG_MAX_PROOFS / partitions
               ? CUZK_OK
               : CUZK_FAIL(
                     err, CUZK_E_INVALID,
                     "%zu sectors of %u proofs are more than an aggregate can have, %zu proofs", n,
                     partitions, CUZK_AGG_MAX_PROOFS);
}

static uint64_t statement_bytes(const cuzk_seal_type *type)
{
    return CUZK_SCALAR_BYTES *
           (uint64_t)cuzk_porep_n_public_inputs(cuzk_sector_shape_of(type->sector_bytes));
}

cuzk_status cuzk_aggregate_plan(uint64_t *bytes, const cuzk_job_request *rq, cuzk_err *err)
{
    cuzk_seal_type type;
    uint8_t options = 0;
    const size_t n = rq->n_vanilla_proofs;
    CUZK_TRY(check_size(&type, rq, err));
    CUZK_TRY(cuzk_aggregate_options(&options, rq, err));
    if ((options & CUZK_AGGREGATE_ANY_COUNT) == 0) {
        CUZK_TRY(cuzk_agg_check_chain_limits(&type, n, err));
    }
    CUZK_TRY(check_records(rq, &type, err));
    const uint64_t n_proofs = (uint64_t)n * cuzk_porep_partitions(&type);
    *bytes = BYTES_ALWAYS + cuzk_agg_padded((size_t)n_proofs) * BYTES_PER_PROOF +
             n_proofs * (statement_bytes(&type) + CUZK_PROOF_BYTES) +
             n * sizeof(cuzk_porep_statement);
    return CUZK_OK;
}

static void statement_of(cuzk_porep_statement *out, const cuzk_seal_type *type,
                         const cuzk_sector_record *r)
{
    cuzk_node porep_id, prover_id, ticket;
    out->type = *type;
    memcpy(&out->comm_r, r->comm_r, sizeof(out->comm_r));
    memcpy(&out->comm_d, r->comm_d, sizeof(out->comm_d));
    memcpy(&out->seed, r->seed, sizeof(out->seed));
    memcpy(&ticket, r->ticket, sizeof(ticket));
    cuzk_porep_id(&porep_id, type->number);
    cuzk_prover_id_of_miner(&prover_id, r->miner);
    cuzk_replica_id(&out->replica_id, &prover_id, r->sector, &ticket, &out->comm_d, &porep_id);
}

/* proofs [n * partitions * 192], sectors [n]. */
static cuzk_status take_records(uint8_t *proofs, cuzk_porep_statement *sectors,
                                const cuzk_seal_type *type, const cuzk_job_request *rq,
                                cuzk_err *err)
{
    for (size_t i = 0; i < rq->n_vanilla_proofs; i++) {
        cuzk_sector_record r;
        CUZK_TRY(cuzk_sector_record_read(&r, rq->vanilla_proofs[i], err));
        statement_of(&sectors[i], type, &r);
        memcpy(proofs + i * r.proof.size, r.proof.data, r.proof.size); /* plan has seen the sizes */
    }
    return CUZK_OK;
}

static cuzk_status parse_seals(cuzk_aggregate_input *in, const cuzk_backend_aggregates *b,
                               const cuzk_job_request *rq, cuzk_err *err)
{
    cuzk_seal_type type;
    const size_t n = rq->n_vanilla_proofs;
    CUZK_TRY(cuzk_seal_type_of(&type, rq->registered_proof, err));
    const size_t each = (size_t)cuzk_porep_partitions(&type) * CUZK_PROOF_BYTES;
    cuzk_porep_statement *sectors = cuzk_alloc(n, sizeof(*sectors));
    in->proofs = cuzk_alloc(n, each);
    cuzk_status st = sectors != NULL && in->proofs != NULL
                         ? take_records(in->proofs, sectors, &type, rq, err)
                         : CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for %zu sectors", n);
    if (st == CUZK_OK) {
        st = cuzk_agg_seals_create(&in->seals, sectors, n, b->pool, err);
    }
    cuzk_free(sectors);
    return st;
}

/* ---- the SRS ---- */

/* A bad file of the daemon is never the request's fault. */
static cuzk_status blame_srs(cuzk_status st, const cuzk_err *why, cuzk_err *err)
{
    if (st == CUZK_OK) {
        return st;
    }
    const bool is_trouble =
        st == CUZK_E_NOMEM || st == CUZK_E_CANCELLED || st == CUZK_E_NOT_FOUND || st == CUZK_E_IO;
    return CUZK_FAIL(err, is_trouble ? st : CUZK_E_DIGEST, "SRS for aggregation: %s", why->msg);
}

static cuzk_status open_srs(cuzk_agg_srs **out, const cuzk_backend_aggregates *b, cuzk_err *err)
{
    cuzk_agg_srs *srs = NULL;
    if (b->path != NULL) {
        CUZK_TRY(cuzk_file_check_plain(b->path, err));
    }
    CUZK_TRY(b->path != NULL ? cuzk_agg_srs_open(&srs, b->path, err)
                             : cuzk_filecoin_agg_srs_open(&srs, b->dir->path, err));
    const cuzk_status st = b->has_digest ? cuzk_agg_srs_require_digest(srs, b->digest, NULL, err)
                                         : cuzk_agg_srs_require_network(srs, NULL, err);
    if (st != CUZK_OK) {
        cuzk_agg_srs_close(srs);
        return st;
    }
    *out = srs;
    return CUZK_OK;
}

static cuzk_status have_srs(cuzk_backend_aggregates *b, cuzk_err *err)
{
    cuzk_err why = {.msg = ""};
    (void)pthread_mutex_lock(&b->mu);
    const cuzk_status st = b->srs != NULL ? CUZK_OK : open_srs(&b->srs, b, &why);
    (void)pthread_mutex_unlock(&b->mu);
    return blame_srs(st, &why, err);
}

/* After trouble with the file the next job opens it again. */
static void drop_srs(cuzk_backend_aggregates *b)
{
    (void)pthread_mutex_lock(&b->mu);
    cuzk_agg_srs_close(b->srs);
    b->srs = NULL;
    (void)pthread_mutex_unlock(&b->mu);
}

/* ---- a job ---- */

static cuzk_status parse(cuzk_aggregate_input *in, cuzk_backend_aggregates *b,
                         const cuzk_job_request *rq, cuzk_err *err)
{
    uint64_t bytes = 0;
    /* records that come from the job store after a restart are checked too */
    CUZK_TRY(cuzk_aggregate_plan(&bytes, rq, err));
    CUZK_TRY(parse_seals(in, b, rq, err));
    CUZK_TRY(cuzk_filecoin_vk_load(&in->vk, CUZK_CIRCUIT_POREP, in->seals.type.sector_bytes, b->dir,
                                   err));
    return have_srs(b, err);
}

cuzk_status cuzk_aggregate_parse(cuzk_aggregate_input **out, cuzk_backend_aggregates *b,
                                 const cuzk_job_request *rq, cuzk_err *err)
{
    cuzk_aggregate_input *in = cuzk_alloc_zero(1, sizeof(*in));
    if (in == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for an input");
    }
    const cuzk_status st = parse(in, b, rq, err);
    if (st != CUZK_OK) {
        cuzk_aggregate_input_destroy(in);
        return st;
    }
    *out = in;
    return CUZK_OK;
}

void cuzk_aggregate_input_destroy(cuzk_aggregate_input *in)
{
    if (in != NULL) {
        cuzk_agg_seals_free(&in->seals);
        cuzk_vk_destroy(in->vk);
        cuzk_free(in->proofs);
        cuzk_free(in);
    }
}

static cuzk_status load_key(cuzk_agg_key *key, cuzk_backend_aggregates *b, size_t n,
                            const cuzk_cancel *cancel, cuzk_err *err)
{
    cuzk_err why = {.msg = ""};
    CUZK_TRY(have_srs(b, err));
    const cuzk_status st =
        blame_srs(cuzk_agg_key_load(key, b->srs, n, b->pool, cancel, &why), &why, err);
    if (st == CUZK_E_IO || st == CUZK_E_DIGEST) {
        drop_srs(b);
    }
    return st;
}

cuzk_status cuzk_aggregate_make(uint8_t **out, size_t *n_out, cuzk_backend_aggregates *b,
                                const cuzk_aggregate_input *in, const cuzk_cancel *cancel,
                                cuzk_trace_ctx trace, cuzk_err *err)
{
    cuzk_agg_key key = {0};
    const size_t n = cuzk_agg_padded(in->seals.claim.n);
    cuzk_err why = {.msg = ""};
    cuzk_span span = cuzk_span_begin(trace, "aggregate_srs", NULL);
    cuzk_status st = load_key(&key, b, n, cancel, err);
    cuzk_span_end(trace, span, 0);
    if (st != CUZK_OK) {
        return st;
    }
    span = cuzk_span_begin(trace, "aggregate_prove", NULL);
    st = cuzk_agg_prove(out, n_out, &key, cuzk_agg_srs_vk(b->srs), in->vk, &in->seals.claim,
                        in->proofs, NULL, b->pool, cancel, &why);
    cuzk_span_end(trace, span, *out != NULL ? *n_out : 0);
    cuzk_agg_key_free(&key);
    if (st == CUZK_OK) {
        return st;
    }
    /* a proof that does not verify came with the request */
    return CUZK_FAIL(err, st == CUZK_E_PROOF_FALSE ? CUZK_E_INVALID : st, "%s", why.msg);
}

/* ---- verification ---- */

cuzk_status cuzk_aggregate_plan_verify(uint64_t *bytes, const cuzk_job_request *rq, cuzk_err *err)
{
    cuzk_seal_type type;
    const size_t n = rq->n_vanilla_proofs;
    CUZK_TRY(check_size(&type, rq, err));
    for (size_t i = 0; i < n; i++) {
        cuzk_sector_record r;
        CUZK_TRY(check_head(&r, rq, i, &type, err));
    }
    *bytes = BYTES_ALWAYS + (uint64_t)n * cuzk_porep_partitions(&type) * statement_bytes(&type) +
             n * sizeof(cuzk_porep_statement);
    return CUZK_OK;
}

static cuzk_status claim_seals(cuzk_agg_seals *out, const cuzk_backend_aggregates *b,
                               const cuzk_job_request *rq, cuzk_err *err)
{
    cuzk_seal_type type;
    const size_t n = rq->n_vanilla_proofs;
    CUZK_TRY(cuzk_seal_type_of(&type, rq->registered_proof, err));
    cuzk_porep_statement *sectors = cuzk_alloc(n, sizeof(*sectors));
    cuzk_status st =
        sectors != NULL ? CUZK_OK : CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for %zu sectors", n);
    for (size_t i = 0; st == CUZK_OK && i < n; i++) {
        cuzk_sector_record r;
        st = cuzk_sector_claim_read(&r, rq->vanilla_proofs[i], err);
        if (st == CUZK_OK) {
            statement_of(&sectors[i], &type, &r);
        }
    }
    if (st == CUZK_OK) {
        st = cuzk_agg_seals_create(out, sectors, n, b->pool, err);
    }
    cuzk_free(sectors);
    return st;
}

/* A copy, because cuzk_aggregate_make may close the SRS at the same time after an error with its file. */
static cuzk_status copy_srs_vk(cuzk_agg_vk *out, cuzk_backend_aggregates *b, cuzk_err *err)
{
    cuzk_err why = {.msg = ""};
    (void)pthread_mutex_lock(&b->mu);
    const cuzk_status st = b->srs != NULL ? CUZK_OK : open_srs(&b->srs, b, &why);
    if (st == CUZK_OK) {
        *out = *cuzk_agg_srs_vk(b->srs);
    }
    (void)pthread_mutex_unlock(&b->mu);
    return blame_srs(st, &why, err);
}

/* These are files of the daemon: an error with them is never the claim's fault. */
static cuzk_status own_files(cuzk_agg_vk *srs, cuzk_vk **vk, cuzk_backend_aggregates *b,
                             const cuzk_job_request *rq, cuzk_err *err)
{
    cuzk_seal_type type;
    cuzk_err why = {.msg = ""};
    CUZK_TRY(cuzk_seal_type_of(&type, rq->registered_proof, err));
    cuzk_status st = copy_srs_vk(srs, b, &why);
    if (st == CUZK_OK) {
        st = cuzk_filecoin_vk_load(vk, CUZK_CIRCUIT_POREP, type.sector_bytes, b->dir, &why);
    }
    return st == CUZK_OK
               ? CUZK_OK
               : CUZK_FAIL(err, st == CUZK_E_NOMEM ? st : CUZK_E_IO, "environment: %s", why.msg);
}

/*
 * An error of the machine is a failure of the call; every other error of the verifier is an answer about the
 * aggregate.
 */
static cuzk_status answer(cuzk_aggregate_verdict *out, cuzk_status st, const cuzk_err *why,
                          cuzk_err *err)
{
    if (st == CUZK_E_NOMEM || st == CUZK_E_IO) {
        return CUZK_FAIL(err, st, "verifying the aggregate: %s", why->msg);
    }
    out->answer = st == CUZK_OK              ? CUZK_AGGREGATE_VALID
                  : st == CUZK_E_PROOF_FALSE ? CUZK_AGGREGATE_FALSE
                                             : CUZK_AGGREGATE_MALFORMED;
    (void)snprintf(out->reason, sizeof(out->reason), "%s", st == CUZK_OK ? "" : why->msg);
    return CUZK_OK;
}

cuzk_status cuzk_aggregate_verify_claim(cuzk_aggregate_verdict *out, cuzk_backend_aggregates *b,
                                        const cuzk_job_request *rq, cuzk_bytes aggregate,
                                        bool allow_trailing, cuzk_err *err)
{
    cuzk_agg_seals seals = {.inputs = NULL};
    cuzk_vk *vk = NULL;
    cuzk_err why = {.msg = ""};
    cuzk_agg_vk *srs = cuzk_alloc(1, sizeof(*srs));
    cuzk_status st = srs != NULL ? own_files(srs, &vk, b, rq, err)
                                 : CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to verify an aggregate");
    CUZK_TRY_GOTO(st, st);
    CUZK_TRY_GOTO(st, claim_seals(&seals, b, rq, err));
    out->n_proofs = seals.claim.n;
    st = cuzk_agg_verify(srs, vk, &seals.claim, aggregate.data, aggregate.size, allow_trailing,
                         &why);
    st = answer(out, st, &why, err);
out:
    cuzk_agg_seals_free(&seals);
    cuzk_vk_destroy(vk);
    cuzk_free(srs);
    return st;
}
