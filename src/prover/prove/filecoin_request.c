/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* From a request's numbers and bytes to a parsed input with its statement. */
#include <string.h>

#include "base/alloc.h"
#include "prover/prove/filecoin_input.h"

/* What a parsed input consists of, for its destruction. */
struct cuzk_filecoin_owned {
    cuzk_porep_input *porep;
    cuzk_post_input *post;
    cuzk_update_input **updates; /* [n_updates] */
    cuzk_update_statement *update_sts;
    size_t n_updates;
};

void cuzk_filecoin_input_destroy(cuzk_filecoin_input *in)
{
    if (in == NULL) {
        return;
    }
    struct cuzk_filecoin_owned *o = in->owned;
    if (o != NULL) {
        cuzk_porep_input_destroy(o->porep);
        cuzk_post_input_destroy(o->post);
        for (size_t i = 0; i < o->n_updates; i++) {
            cuzk_update_input_destroy(o->updates[i]);
        }
        cuzk_free(o->updates);
        cuzk_free(o->update_sts);
        cuzk_free(o);
    }
    cuzk_free(in);
}

/* Sector size of an update's registered number, 0..4. */
static cuzk_status update_size(uint64_t *bytes, uint64_t number, cuzk_err *err)
{
    static const uint64_t sizes[] = {(uint64_t)2 << 10, (uint64_t)8 << 20, (uint64_t)512 << 20,
                                     (uint64_t)32 << 30, (uint64_t)64 << 30};
    if (number >= sizeof(sizes) / sizeof(sizes[0])) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "registered_proof %llu is no registered update proof",
                         (unsigned long long)number);
    }
    *bytes = sizes[number];
    return CUZK_OK;
}

/* Sector size that registered_proof says. */
static cuzk_status registered_size(uint64_t *bytes, const cuzk_filecoin_request *rq, cuzk_err *err)
{
    if (rq->kind == CUZK_CIRCUIT_POREP) {
        cuzk_seal_type t;
        CUZK_TRY(cuzk_seal_type_of(&t, rq->registered_proof, err));
        *bytes = t.sector_bytes;
        return CUZK_OK;
    }
    if (rq->kind == CUZK_CIRCUIT_UPDATE) {
        return update_size(bytes, rq->registered_proof, err);
    }
    cuzk_post_type t;
    CUZK_TRY(cuzk_post_type_of(&t, rq->registered_proof, err));
    if (t.is_window != (rq->kind == CUZK_CIRCUIT_WINDOW)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "registered_proof %llu is a %s proof",
                         (unsigned long long)rq->registered_proof,
                         t.is_window ? "WindowPoSt" : "WinningPoSt");
    }
    *bytes = t.sector_bytes;
    return CUZK_OK;
}

cuzk_status cuzk_filecoin_request_spec(cuzk_circuit_spec *out, bool *is_known,
                                       const cuzk_filecoin_request *rq, cuzk_err *err)
{
    uint64_t bytes = rq->sector_bytes;
    *is_known = false;
    /* 0 is also what a client sends that does not know the number */
    if (rq->registered_proof != 0) {
        uint64_t registered = 0;
        CUZK_TRY(registered_size(&registered, rq, err));
        if (bytes != 0 && bytes != registered) {
            return CUZK_FAIL(
                err, CUZK_E_INVALID,
                "registered_proof %llu is for sectors of %llu bytes, sector_size says %llu",
                (unsigned long long)rq->registered_proof, (unsigned long long)registered,
                (unsigned long long)bytes);
        }
        bytes = registered;
    }
    if (bytes == 0) {
        return CUZK_OK;
    }
    CUZK_TRY(cuzk_circuit_spec_of(out, rq->kind, bytes, err));
    *is_known = true;
    return CUZK_OK;
}

uint32_t cuzk_filecoin_request_partitions(const cuzk_filecoin_request *rq)
{
    cuzk_seal_type t;
    cuzk_err none;
    return rq->kind == CUZK_CIRCUIT_POREP && rq->registered_proof != 0 &&
                   cuzk_seal_type_of(&t, rq->registered_proof, &none) == CUZK_OK
               ? cuzk_porep_partitions(&t)
               : 0;
}

/* Sector size whose TreeR has paths like this one. */
static cuzk_status size_of_path(uint64_t *bytes, const cuzk_merkle_proof *p, cuzk_err *err)
{
    unsigned n_shapes = 0;
    const cuzk_sector_shape *shapes = cuzk_sector_shapes(&n_shapes);
    for (unsigned i = 0; i < n_shapes; i++) {
        uint8_t arity[16];
        const unsigned n = cuzk_tree_levels(&shapes[i], arity);
        bool fits = n == p->n_levels;
        for (unsigned k = 0; fits && k < n; k++) {
            fits = arity[k] == p->levels[k].arity;
        }
        if (fits) {
            *bytes = shapes[i].bytes;
            return CUZK_OK;
        }
    }
    return CUZK_FAIL(err, CUZK_E_FORMAT,
                     "vanilla proof: no sector size has Merkle paths of these %u levels",
                     p->n_levels);
}

/* The sector size, from the numbers or from the length of a path. */
static cuzk_status settle_size(cuzk_filecoin_input *in, const cuzk_filecoin_request *rq,
                               const cuzk_merkle_proof *path, cuzk_err *err)
{
    uint64_t bytes = 0;
    bool is_known = false;
    CUZK_TRY(cuzk_filecoin_request_spec(&in->spec, &is_known, rq, err));
    if (!is_known) {
        if (path == NULL) {
            return CUZK_FAIL(err, CUZK_E_FORMAT,
                             "vanilla proof: no Merkle path, and no sector_size in the request");
        }
        CUZK_TRY(size_of_path(&bytes, path, err));
        CUZK_TRY(cuzk_circuit_spec_of(&in->spec, rq->kind, bytes, err));
    }
    return CUZK_OK;
}

static cuzk_status take_node(cuzk_node *out, cuzk_filecoin_blob b, const char *field, cuzk_err *err)
{
    if (b.size != sizeof(out->b)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%s has %zu bytes, it must have 32", field, b.size);
    }
    memcpy(out->b, b.data, sizeof(out->b));
    return CUZK_OK;
}

/* Checks the request's fields against the C1. Zero also means that the client does not know the value. */
static cuzk_status agrees_with_c1(const cuzk_filecoin_request *rq, const cuzk_porep_input *c1,
                                  cuzk_err *err)
{
    cuzk_node prover_id;
    if (rq->sector_bytes != 0 && rq->sector_bytes != c1->type.sector_bytes) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "sector_size is %llu, the C1 is for %llu bytes",
                         (unsigned long long)rq->sector_bytes,
                         (unsigned long long)c1->type.sector_bytes);
    }
    if (rq->registered_proof != 0 && rq->registered_proof != c1->type.number) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "registered_proof is %llu, that of the C1 is %llu",
                         (unsigned long long)rq->registered_proof,
                         (unsigned long long)c1->type.number);
    }
    if (rq->miner_id == 0) {
        return CUZK_OK;
    }
    cuzk_prover_id_of_miner(&prover_id, rq->miner_id);
    if (c1->has_prover_id && memcmp(&prover_id, &c1->prover_id, sizeof(prover_id)) != 0) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "miner_id is %llu, the C1's envelope names another",
                         (unsigned long long)rq->miner_id);
    }
    if (c1->has_sector_number && rq->sector_number != c1->sector_number) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "sector_number is %llu, the C1's envelope says %llu",
                         (unsigned long long)rq->sector_number,
                         (unsigned long long)c1->sector_number);
    }
    return CUZK_OK;
}

/* With miner and sector, of the request or of the envelope, replica_id is recomputed. */
static void bind_to_sector(cuzk_filecoin_input *in, const cuzk_filecoin_request *rq)
{
    const cuzk_porep_input *c1 = in->porep;
    if (rq->miner_id != 0) {
        cuzk_prover_id_of_miner(&in->prover_id, rq->miner_id);
        in->porep_check.prover_id = &in->prover_id;
        in->porep_check.sector_id = rq->sector_number;
    } else if (c1->has_prover_id && c1->has_sector_number) {
        in->prover_id = c1->prover_id;
        in->porep_check.prover_id = &in->prover_id;
        in->porep_check.sector_id = c1->sector_number;
    }
}

static cuzk_status parse_porep(cuzk_filecoin_input *in, const cuzk_filecoin_request *rq,
                               cuzk_err *err)
{
    cuzk_filecoin_input parsed;
    if (rq->n_proofs != 1 || rq->proofs[0].size == 0) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "vanilla_proof is empty");
    }
    CUZK_TRY(
        cuzk_porep_parse(&in->owned->porep, rq->proofs[0].data, rq->proofs[0].size, rq->pool, err));
    cuzk_filecoin_input_of_porep(&parsed, in->owned->porep);
    in->porep = parsed.porep;
    in->porep_st = parsed.porep_st;
    in->n_partitions = parsed.n_partitions;
    CUZK_TRY(agrees_with_c1(rq, in->porep, err));
    CUZK_TRY(
        cuzk_circuit_spec_of(&in->spec, CUZK_CIRCUIT_POREP, in->porep->type.sector_bytes, err));
    bind_to_sector(in, rq);
    return CUZK_OK;
}

static cuzk_status post_type(cuzk_post_type *out, const cuzk_filecoin_input *in,
                             const cuzk_filecoin_request *rq, cuzk_err *err)
{
    if (rq->registered_proof != 0) {
        return cuzk_post_type_of(out, rq->registered_proof, err);
    }
    const bool is_window = in->spec.kind == CUZK_CIRCUIT_WINDOW;
    *out = (cuzk_post_type){.number = UINT64_MAX,
                            .sector_bytes = in->spec.shape->bytes,
                            .is_window = is_window,
                            .is_v1_2 = is_window};
    return CUZK_OK;
}

#define SECTORS_AT_ONCE 16u

/* A range of sectors, parsed on any thread. */
typedef struct sectors_part {
    cuzk_post_input *in;
    cuzk_status st; /* of the first that failed */
    cuzk_err err;
} sectors_part;

typedef struct sectors_job {
    const cuzk_filecoin_request *rq;
    sectors_part *parts;
} sectors_job;

static cuzk_status add_sectors(cuzk_post_input *in, const cuzk_filecoin_request *rq, size_t begin,
                               size_t end, cuzk_err *err)
{
    for (size_t i = begin; i < end; i++) {
        cuzk_err inner = {.msg = ""};
        const cuzk_status st =
            cuzk_post_input_add(in, rq->proofs[i].data, rq->proofs[i].size, &inner);
        if (st != CUZK_OK) {
            return CUZK_FAIL(err, st, "vanilla_proofs[%zu]: %s", i, inner.msg);
        }
    }
    return CUZK_OK;
}

static cuzk_status parse_parts(void *arg, size_t begin, size_t end, unsigned worker)
{
    const sectors_job *j = arg;
    (void)worker;
    for (size_t k = begin; k < end; k++) {
        sectors_part *p = &j->parts[k];
        const size_t from = k * SECTORS_AT_ONCE, left = j->rq->n_proofs - from;
        p->st = cuzk_post_input_create(&p->in, &p->err);
        if (p->st == CUZK_OK) {
            p->st = add_sectors(p->in, j->rq, from,
                                from + (left < SECTORS_AT_ONCE ? left : SECTORS_AT_ONCE), &p->err);
        }
    }
    return CUZK_OK;
}

/* A WindowPoSt has thousands; the first bad one is named, however many threads there are. */
static cuzk_status parse_sectors(cuzk_post_input *in, const cuzk_filecoin_request *rq,
                                 cuzk_err *err)
{
    const size_t n = (rq->n_proofs + SECTORS_AT_ONCE - 1) / SECTORS_AT_ONCE;
    if (n < 2 || cuzk_pool_threads(rq->pool) < 2) {
        return add_sectors(in, rq, 0, rq->n_proofs, err);
    }
    sectors_job j = {rq, cuzk_alloc_zero(n, sizeof(*j.parts))};
    if (j.parts == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "input: out of memory");
    }
    cuzk_status st = cuzk_parallel_for(rq->pool, NULL, n, 1, parse_parts, &j);
    for (size_t k = 0; k < n; k++) {
        if (st == CUZK_OK && j.parts[k].st != CUZK_OK) {
            st = j.parts[k].st;
            if (err != NULL) {
                *err = j.parts[k].err;
            }
        }
        if (st == CUZK_OK) {
            st = cuzk_post_input_append(in, j.parts[k].in, err);
        }
        cuzk_post_input_destroy(j.parts[k].in);
    }
    cuzk_free(j.parts);
    return st;
}

static cuzk_status parse_post(cuzk_filecoin_input *in, const cuzk_filecoin_request *rq,
                              cuzk_err *err)
{
    CUZK_TRY(take_node(&in->post_st.randomness, rq->randomness, "randomness", err));
    if (rq->n_proofs == 0) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "vanilla_proofs is empty");
    }
    CUZK_TRY(cuzk_post_input_create(&in->owned->post, err));
    CUZK_TRY(parse_sectors(in->owned->post, rq, err));
    CUZK_TRY(cuzk_post_input_sort(in->owned->post, err));
    in->post = in->owned->post;
    const cuzk_post_sector *first = &in->post->sectors[0];
    CUZK_TRY(settle_size(in, rq, first->n_proofs != 0 ? &first->proofs[0] : NULL, err));
    CUZK_TRY(post_type(&in->post_st.type, in, rq, err));
    in->post_st.partition = rq->partition_index;
    in->n_partitions = 1;
    return CUZK_OK;
}

static cuzk_status parse_update(cuzk_filecoin_input *in, const cuzk_filecoin_request *rq,
                                cuzk_err *err)
{
    cuzk_update_statement st = {.partition = 0};
    CUZK_TRY(take_node(&st.comm_r_old, rq->comm_r_old, "comm_r_old", err));
    CUZK_TRY(take_node(&st.comm_r_new, rq->comm_r_new, "comm_r_new", err));
    CUZK_TRY(take_node(&st.comm_d_new, rq->comm_d_new, "comm_d_new", err));
    if (rq->n_proofs == 0 || rq->n_proofs > UINT8_MAX) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "vanilla_proofs has %zu entries", rq->n_proofs);
    }
    struct cuzk_filecoin_owned *o = in->owned;
    o->updates = cuzk_alloc_zero(rq->n_proofs, sizeof(cuzk_update_input *));
    o->update_sts = cuzk_alloc_zero(rq->n_proofs, sizeof(*o->update_sts));
    if (o->updates == NULL || o->update_sts == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "update: out of memory");
    }
    o->n_updates = rq->n_proofs;
    for (size_t i = 0; i < rq->n_proofs; i++) {
        cuzk_err inner = {.msg = ""};
        const cuzk_status s =
            cuzk_update_parse(&o->updates[i], rq->proofs[i].data, rq->proofs[i].size, &inner);
        if (s != CUZK_OK) {
            return CUZK_FAIL(err, s, "vanilla_proofs[%zu]: %s", i, inner.msg);
        }
    }
    in->n_partitions = (uint32_t)rq->n_proofs;
    in->updates = (const cuzk_update_input *const *)o->updates;
    in->update_sts = o->update_sts;
    const cuzk_update_input *first = o->updates[0];
    CUZK_TRY(
        settle_size(in, rq, first->n_challenges != 0 ? &first->challenges[0].r_old : NULL, err));
    if (rq->is_one_partition && rq->partition_index >= in->spec.shape->update_partitions) {
        return CUZK_FAIL(
            err, CUZK_E_INVALID, "partition is %u, an update of a %s sector has %u partitions",
            rq->partition_index, in->spec.shape->name, in->spec.shape->update_partitions);
    }
    if (!rq->is_one_partition && rq->n_proofs != in->spec.shape->update_partitions) {
        return CUZK_FAIL(
            err, CUZK_E_INVALID,
            "vanilla_proofs has %zu entries, an update of a %s sector has %u partitions",
            rq->n_proofs, in->spec.shape->name, in->spec.shape->update_partitions);
    }
    st.shape = in->spec.shape;
    st.h = cuzk_update_default_h(st.shape);
    for (uint32_t i = 0; i < in->n_partitions; i++) {
        o->update_sts[i] = st;
        o->update_sts[i].partition = rq->is_one_partition ? rq->partition_index : i;
    }
    return CUZK_OK;
}

cuzk_status cuzk_filecoin_input_parse(cuzk_filecoin_input **out, const cuzk_filecoin_request *rq,
                                      cuzk_err *err)
{
    cuzk_filecoin_input *in = cuzk_alloc_zero(1, sizeof(*in));
    if (in == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "input: out of memory");
    }
    cuzk_status st = CUZK_OK;
    in->owned = cuzk_alloc_zero(1, sizeof(*in->owned));
    if (in->owned == NULL) {
        cuzk_free(in);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "input: out of memory");
    }
    switch (rq->kind) {
    case CUZK_CIRCUIT_POREP: st = parse_porep(in, rq, err); break;
    case CUZK_CIRCUIT_WINNING:
    case CUZK_CIRCUIT_WINDOW: st = parse_post(in, rq, err); break;
    case CUZK_CIRCUIT_UPDATE: st = parse_update(in, rq, err); break;
    }
    if (st != CUZK_OK) {
        cuzk_filecoin_input_destroy(in);
        return st;
    }
    *out = in;
    return CUZK_OK;
}
