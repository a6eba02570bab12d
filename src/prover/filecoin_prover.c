/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "prover/filecoin_prover.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "prover/filecoin_verify.h"

struct cuzk_filecoin_prover {
    cuzk_circuit_kind kind;
    cuzk_circuit_spec spec;
    cuzk_pool *pool; /* borrowed */
    cuzk_hashes *hashes;
    cuzk_circuit *circuit;
    cuzk_srs *srs;
    cuzk_vk *vk;
};

/* A .vk that does not belong to the .params beside it would pass its own checks and then refuse
 * every proof: say so at the start. */
static cuzk_status check_vk_pair(const cuzk_filecoin_prover *p, const cuzk_params_dir *dir,
                                 cuzk_err *err)
{
    const size_t n = cuzk_srs_vk_bytes(p->srs);
    uint8_t *inside = cuzk_alloc(2 * n, 1);
    cuzk_status st = CUZK_OK;
    if (inside == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "verifying key: out of memory");
    }
    cuzk_srs_write_vk(p->srs, inside);
    if (cuzk_vk_bytes(p->vk) != n) {
        st = CUZK_E_DIGEST;
    } else {
        cuzk_vk_write(p->vk, inside + n);
        st = memcmp(inside, inside + n, n) == 0 ? CUZK_OK : CUZK_E_DIGEST;
    }
    cuzk_free(inside);
    if (st != CUZK_OK) {
        return CUZK_FAIL(err, st,
                         "%s: the .vk file is not the verifying key inside the .params file",
                         dir->path);
    }
    return CUZK_OK;
}

static cuzk_status open_params(cuzk_filecoin_prover *p, const cuzk_params_dir *dir, cuzk_err *err)
{
    char path[CUZK_PATH_BYTES];
    CUZK_TRY(cuzk_params_path(path, dir, &p->spec, CUZK_PARAM_FILE_PARAMS, err));
    cuzk_err inner = {.msg = ""};
    const cuzk_status st =
        cuzk_srs_open(&p->srs, path, CUZK_POINT_UNCHECKED, p->pool, NULL, &inner);
    if (st == CUZK_E_NOT_FOUND) {
        return CUZK_FAIL(err, st, "%s (folder from: %s)%s", inner.msg, dir->origin,
                         p->spec.shape->is_published
                             ? ""
                             : "; no parameters are published for this sector size");
    }
    if (st != CUZK_OK) {
        return CUZK_FAIL(err, st, "%s", inner.msg);
    }
    CUZK_TRY(cuzk_filecoin_vk_load(&p->vk, p->kind, p->spec.shape->bytes, dir, err));
    return check_vk_pair(p, dir, err);
}

cuzk_status cuzk_filecoin_prover_create(cuzk_filecoin_prover **out, cuzk_circuit_kind kind,
                                        uint64_t sector_bytes, const cuzk_params_dir *dir,
                                        cuzk_pool *pool, cuzk_err *err)
{
    cuzk_circuit_spec spec;
    CUZK_TRY(cuzk_circuit_spec_of(&spec, kind, sector_bytes, err));
    cuzk_filecoin_prover *p = cuzk_alloc_zero(1, sizeof(*p));
    if (p == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "prover: out of memory");
    }
    p->kind = kind;
    p->spec = spec;
    p->pool = pool;
    cuzk_status st = open_params(p, dir, err); /* first: a missing file is reported at once */
    if (st == CUZK_OK) {
        st = cuzk_hashes_create(&p->hashes, err);
    }
    if (st == CUZK_OK) {
        st = cuzk_filecoin_circuit_build(kind, sector_bytes, &p->circuit, err);
    }
    if (st != CUZK_OK) {
        cuzk_filecoin_prover_destroy(p);
        return st;
    }
    *out = p;
    return CUZK_OK;
}

void cuzk_filecoin_prover_destroy(cuzk_filecoin_prover *p)
{
    if (p != NULL) {
        cuzk_vk_destroy(p->vk);
        cuzk_srs_close(p->srs);
        cuzk_circuit_destroy(p->circuit);
        cuzk_hashes_destroy(p->hashes);
        cuzk_free(p);
    }
}

const cuzk_circuit *cuzk_filecoin_prover_circuit(const cuzk_filecoin_prover *p)
{
    return p->circuit;
}

const cuzk_vk *cuzk_filecoin_prover_vk(const cuzk_filecoin_prover *p)
{
    return p->vk;
}

/* One partition on its way: what to fill the witness from, and what to verify against. */
typedef struct partition_job {
    cuzk_filecoin_prover *p;
    const cuzk_filecoin_opts *opts;
    const cuzk_cancel *cancel;
    const cuzk_porep_input *porep;
    const cuzk_post_input *post;
    const cuzk_update_input *update;
    cuzk_porep_statement porep_st;
    const cuzk_post_statement *post_st;
    const cuzk_update_statement *update_st;
    uint32_t partition;
} partition_job;

static cuzk_status fill(const partition_job *j, cuzk_witness *w, cuzk_err *err)
{
    cuzk_filecoin_prover *p = j->p;
    switch (p->kind) {
    case CUZK_CIRCUIT_POREP:
        return cuzk_porep_fill(w, j->porep, j->partition, p->hashes, p->pool, j->cancel, err);
    case CUZK_CIRCUIT_WINNING:
    case CUZK_CIRCUIT_WINDOW:
        return cuzk_post_fill(w, j->post, p->kind == CUZK_CIRCUIT_WINDOW, p->hashes, p->pool,
                              j->cancel, err);
    case CUZK_CIRCUIT_UPDATE:
        return cuzk_update_fill(w, j->update, j->update_st, p->hashes, p->pool, j->cancel, err);
    }
    return CUZK_FAIL(err, CUZK_E_INVALID, "unknown circuit kind");
}

static cuzk_status public_inputs(const partition_job *j, cuzk_fr *out, cuzk_err *err)
{
    switch (j->p->kind) {
    case CUZK_CIRCUIT_POREP: return cuzk_porep_public_inputs(out, &j->porep_st, j->partition, err);
    case CUZK_CIRCUIT_WINNING:
    case CUZK_CIRCUIT_WINDOW: {
        cuzk_post_public_sector *sectors = cuzk_alloc(j->post->n_sectors, sizeof(*sectors));
        if (sectors == NULL) {
            return CUZK_FAIL(err, CUZK_E_NOMEM, "public inputs: out of memory");
        }
        cuzk_post_public_sectors_of(sectors, j->post);
        const cuzk_status st =
            cuzk_post_public_inputs(out, j->post_st, sectors, j->post->n_sectors, err);
        cuzk_free(sectors);
        return st;
    }
    case CUZK_CIRCUIT_UPDATE: return cuzk_update_public_inputs(out, j->update_st, err);
    }
    return CUZK_FAIL(err, CUZK_E_INVALID, "unknown circuit kind");
}

/* Nothing leaves unverified: the inputs come from the statement, not from the witness. */
static cuzk_status verify(const partition_job *j, const uint8_t *proof, cuzk_err *err)
{
    const size_t n = cuzk_vk_n_inputs(j->p->vk);
    cuzk_fr *inputs = cuzk_alloc(n, sizeof(*inputs));
    uint8_t *bytes = cuzk_alloc(n, CUZK_SCALAR_BYTES);
    cuzk_status st = CUZK_OK;
    if (inputs == NULL || bytes == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "verification: out of memory");
    } else if (n + 1 != j->p->spec.n_inputs) {
        st = CUZK_FAIL(err, CUZK_E_FORMAT, "the verifying key has %zu inputs, the circuit %u",
                       n + 1, j->p->spec.n_inputs);
    } else {
        st = public_inputs(j, inputs, err);
    }
    if (st == CUZK_OK) {
        for (size_t i = 0; i < n; i++) {
            cuzk_fr_to_bytes_le(bytes + CUZK_SCALAR_BYTES * i, &inputs[i]);
        }
        const cuzk_verify_result r = cuzk_verify(j->p->vk, proof, CUZK_PROOF_BYTES, bytes, n);
        if (r != CUZK_VERIFY_OK) {
            st = CUZK_FAIL(
                err, CUZK_E_SELFTEST,
                "partition %u: the proof does not verify (%s): damaged parameters, memory or an error of "
                "this program; it is not returned",
                j->partition, cuzk_verify_text(r));
        }
    }
    cuzk_free(inputs);
    cuzk_free(bytes);
    return st;
}

static uint64_t lap(uint64_t *mark)
{
    const uint64_t now = cuzk_clock_ns();
    const uint64_t ns = now - *mark;
    *mark = now;
    return ns;
}

static void add_prove_times(cuzk_prove_times *sum, const cuzk_prove_times *t)
{
    sum->check_ns += t->check_ns;
    sum->eval_ns += t->eval_ns;
    sum->ntt_ns += t->ntt_ns;
    sum->msm_h_ns += t->msm_h_ns;
    sum->msm_l_ns += t->msm_l_ns;
    sum->msm_a_ns += t->msm_a_ns;
    sum->msm_b_g1_ns += t->msm_b_g1_ns;
    sum->msm_b_g2_ns += t->msm_b_g2_ns;
    sum->decode_ns += t->decode_ns;
    sum->select_ns += t->select_ns;
    sum->assemble_ns += t->assemble_ns;
    sum->total_ns += t->total_ns;
}

static cuzk_status prove_partition(const partition_job *j, uint8_t out[CUZK_PROOF_BYTES],
                                   cuzk_err *err)
{
    cuzk_filecoin_times scratch = {.check_ns = 0};
    cuzk_filecoin_times *times = j->opts->times != NULL ? j->opts->times : &scratch;
    cuzk_prove_times prove_times = {.total_ns = 0};
    cuzk_span_tags tags = CUZK_SPAN_TAGS_INIT;
    tags.partition = (int32_t)j->partition;
    const cuzk_span span = cuzk_span_begin(j->opts->trace, "partition", &tags);
    const cuzk_trace_ctx trace = cuzk_trace_in(j->opts->trace, span);
    const cuzk_prove_opts opts = {
        .check_witness = j->opts->check_rows, .times = &prove_times, .trace = trace};
    cuzk_witness *w = NULL;
    cuzk_proof proof;
    uint8_t bytes[CUZK_PROOF_BYTES];
    uint64_t mark = cuzk_clock_ns();
    cuzk_span step = cuzk_span_begin(trace, "witness", NULL);
    cuzk_status st = cuzk_witness_create(&w, j->p->circuit, err);
    if (st == CUZK_OK) {
        st = fill(j, w, err);
    }
    cuzk_span_end(trace, step, 0);
    times->witness_ns += lap(&mark);
    if (st == CUZK_OK) {
        st = cuzk_prove(&proof, w, j->p->srs, &opts, j->p->pool, j->cancel, err);
        times->prove_ns += lap(&mark);
        add_prove_times(&times->prove, &prove_times);
    }
    cuzk_witness_destroy(w);
    if (st == CUZK_OK) {
        cuzk_proof_encode(bytes, &proof);
        step = cuzk_span_begin(trace, "verify", NULL);
        st = verify(j, bytes, err);
        cuzk_span_end(trace, step, 0);
        times->verify_ns += lap(&mark);
    }
    if (st == CUZK_OK) {
        memcpy(out, bytes, sizeof(bytes));
    }
    cuzk_span_end(j->opts->trace, span, 0);
    return st;
}

static const cuzk_filecoin_opts no_opts;

static void report(const cuzk_filecoin_opts *opts, const char *what, uint64_t done, uint64_t total)
{
    if (opts->progress != NULL) {
        opts->progress(opts->progress_arg, what, done, total);
    }
}

static cuzk_status check_kind(const cuzk_filecoin_prover *p, bool fits, uint64_t sector_bytes,
                              cuzk_err *err)
{
    if (!fits || sector_bytes != p->spec.shape->bytes) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "this prover is for %s of %s",
                         cuzk_circuit_kind_name(p->kind), p->spec.shape->name);
    }
    return CUZK_OK;
}

/* The native check of the whole input, unless the caller has made it. */
static cuzk_status native_check(const partition_job *j, cuzk_err *err)
{
    cuzk_filecoin_prover *p = j->p;
    uint64_t mark = cuzk_clock_ns();
    cuzk_status st = CUZK_OK;
    if (j->opts->skip_native) {
        return CUZK_OK;
    }
    report(j->opts, "check", 0, 1);
    const cuzk_span span = cuzk_span_begin(j->opts->trace, "check", NULL);
    switch (p->kind) {
    case CUZK_CIRCUIT_POREP:
        st = cuzk_porep_check(j->porep, p->hashes, j->opts->porep, p->pool, j->cancel, err);
        break;
    case CUZK_CIRCUIT_WINNING:
    case CUZK_CIRCUIT_WINDOW:
        st = cuzk_post_check(j->post, j->post_st, p->hashes, p->pool, j->cancel, err);
        break;
    case CUZK_CIRCUIT_UPDATE:
        st = cuzk_update_check(j->update, j->update_st, p->hashes, p->pool, j->cancel, err);
        break;
    }
    cuzk_span_end(j->opts->trace, span, 0);
    if (j->opts->times != NULL) {
        j->opts->times->check_ns += lap(&mark);
    }
    return st;
}

/* Checks, then proves n partitions from j->partition on. */
static cuzk_status prove_partitions(partition_job *j, uint8_t *proofs, uint32_t n, cuzk_err *err)
{
    CUZK_TRY(native_check(j, err));
    for (uint32_t i = 0; i < n; i++, j->partition++) {
        report(j->opts, "prove", i, n);
        CUZK_TRY(prove_partition(j, proofs + (size_t)i * CUZK_PROOF_BYTES, err));
    }
    report(j->opts, "prove", n, n);
    return CUZK_OK;
}

cuzk_status cuzk_filecoin_prove_porep(cuzk_filecoin_prover *p, uint8_t *proofs,
                                      const cuzk_porep_input *in, const cuzk_filecoin_opts *opts,
                                      const cuzk_cancel *cancel, cuzk_err *err)
{
    partition_job j = {
        .p = p, .opts = opts != NULL ? opts : &no_opts, .cancel = cancel, .porep = in};
    CUZK_TRY(check_kind(p, p->kind == CUZK_CIRCUIT_POREP, in->type.sector_bytes, err));
    cuzk_porep_statement_of(&j.porep_st, in);
    return prove_partitions(&j, proofs, in->n_partitions, err);
}

cuzk_status cuzk_filecoin_prove_post(cuzk_filecoin_prover *p, uint8_t proof[CUZK_PROOF_BYTES],
                                     const cuzk_post_input *in, const cuzk_post_statement *st,
                                     const cuzk_filecoin_opts *opts, const cuzk_cancel *cancel,
                                     cuzk_err *err)
{
    partition_job j = {.p = p,
                       .opts = opts != NULL ? opts : &no_opts,
                       .cancel = cancel,
                       .post = in,
                       .post_st = st};
    const cuzk_circuit_kind kind = st->type.is_window ? CUZK_CIRCUIT_WINDOW : CUZK_CIRCUIT_WINNING;
    CUZK_TRY(check_kind(p, p->kind == kind, st->type.sector_bytes, err));
    j.partition = st->partition;
    return prove_partitions(&j, proof, 1, err);
}

cuzk_status cuzk_filecoin_prove_update(cuzk_filecoin_prover *p, uint8_t proof[CUZK_PROOF_BYTES],
                                       const cuzk_update_input *in, const cuzk_update_statement *st,
                                       const cuzk_filecoin_opts *opts, const cuzk_cancel *cancel,
                                       cuzk_err *err)
{
    partition_job j = {.p = p,
                       .opts = opts != NULL ? opts : &no_opts,
                       .cancel = cancel,
                       .update = in,
                       .update_st = st};
    CUZK_TRY(check_kind(p, p->kind == CUZK_CIRCUIT_UPDATE, st->shape->bytes, err));
    j.partition = st->partition;
    return prove_partitions(&j, proof, 1, err);
}
