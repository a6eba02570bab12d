/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "prover/filecoin_prover.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "prover/device_pipeline.h"

struct cuzk_filecoin_prover {
    cuzk_circuit_spec spec;
    cuzk_pool *pool; /* borrowed */
    cuzk_hashes *hashes;
    cuzk_filecoin_circuit *circuit;
    cuzk_filecoin_params *params; /* NULL: made on the device from the seed */
    uint64_t seed;
    cuzk_vk *made_vk; /* of such parameters */
    cuzk_device_key *keys[CUZK_PROVER_MAX_DEVICES];
    size_t n_keys;
};

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
    p->spec = spec;
    p->pool = pool;
    /* first: a missing file is reported at once */
    cuzk_status st = cuzk_filecoin_params_open(&p->params, &spec, dir, pool, err);
    if (st == CUZK_OK) {
        st = cuzk_hashes_create(&p->hashes, err);
    }
    if (st == CUZK_OK) {
        st = cuzk_filecoin_circuit_create(&p->circuit, &spec, err);
    }
    if (st != CUZK_OK) {
        cuzk_filecoin_prover_destroy(p);
        return st;
    }
    *out = p;
    return CUZK_OK;
}

cuzk_status cuzk_filecoin_prover_create_insecure(cuzk_filecoin_prover **out, cuzk_circuit_kind kind,
                                                 uint64_t sector_bytes, uint64_t seed,
                                                 cuzk_pool *pool, cuzk_err *err)
{
    cuzk_circuit_spec spec;
    CUZK_TRY(cuzk_circuit_spec_of(&spec, kind, sector_bytes, err));
    cuzk_filecoin_prover *p = cuzk_alloc_zero(1, sizeof(*p));
    if (p == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "prover: out of memory");
    }
    p->spec = spec;
    p->pool = pool;
    p->seed = seed;
    cuzk_status st = cuzk_hashes_create(&p->hashes, err);
    if (st == CUZK_OK) {
        st = cuzk_filecoin_circuit_create(&p->circuit, &spec, err);
    }
    if (st != CUZK_OK) {
        cuzk_filecoin_prover_destroy(p);
        return st;
    }
    *out = p;
    return CUZK_OK;
}

/* The verifying key of parameters that were made on the device. */
static cuzk_status take_made_vk(cuzk_filecoin_prover *p, const cuzk_device_key *k, cuzk_err *err)
{
    const cuzk_srs_vk *vk = cuzk_device_key_vk(k);
    const size_t n = cuzk_srs_vk_encoded_bytes(vk);
    uint8_t *bytes = cuzk_alloc(n, 1);
    if (bytes == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "verifying key: out of memory");
    }
    cuzk_srs_vk_encode(bytes, vk);
    const cuzk_verify_result r =
        cuzk_vk_read_unsafe(&p->made_vk, bytes, n); /* made here, of random waste or a seed */
    cuzk_free(bytes);
    if (r != CUZK_VERIFY_OK) {
        return CUZK_FAIL(err, CUZK_E_SELFTEST, "the device made a wrong verifying key: %s",
                         cuzk_verify_text(r));
    }
    return CUZK_OK;
}

cuzk_status cuzk_filecoin_prover_add_device(cuzk_filecoin_prover *p, cuzk_accel *dev,
                                            const cuzk_device_key_opts *opts,
                                            const cuzk_cancel *cancel, cuzk_err *err)
{
    const cuzk_circuit *c = cuzk_filecoin_circuit_get(p->circuit);
    cuzk_device_key *k = NULL;
    if (p->n_keys == CUZK_PROVER_MAX_DEVICES) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "more than %d devices", CUZK_PROVER_MAX_DEVICES);
    }
    if (p->params != NULL) {
        CUZK_TRY(cuzk_device_key_create(&k, dev, c, cuzk_filecoin_params_srs(p->params), opts,
                                        p->pool, cancel, err));
    } else {
        cuzk_toxic toxic;
        cuzk_toxic_from_seed(&toxic, p->seed);
        CUZK_TRY(cuzk_device_key_setup(&k, dev, c, &toxic, opts, cancel, err));
        if (p->made_vk == NULL) {
            const cuzk_status st = take_made_vk(p, k, err);
            if (st != CUZK_OK) {
                cuzk_device_key_destroy(k);
                return st;
            }
        }
    }
    p->keys[p->n_keys++] = k;
    return CUZK_OK;
}

const cuzk_device_key *cuzk_filecoin_prover_key(const cuzk_filecoin_prover *p, size_t i)
{
    return i < p->n_keys ? p->keys[i] : NULL;
}

void cuzk_filecoin_prover_destroy(cuzk_filecoin_prover *p)
{
    if (p != NULL) {
        for (size_t i = 0; i < p->n_keys; i++) {
            cuzk_device_key_destroy(p->keys[i]);
        }
        cuzk_vk_destroy(p->made_vk);
        cuzk_filecoin_params_unref(p->params);
        cuzk_filecoin_circuit_unref(p->circuit);
        cuzk_hashes_destroy(p->hashes);
        cuzk_free(p);
    }
}

const cuzk_circuit *cuzk_filecoin_prover_circuit(const cuzk_filecoin_prover *p)
{
    return cuzk_filecoin_circuit_get(p->circuit);
}

const cuzk_vk *cuzk_filecoin_prover_vk(const cuzk_filecoin_prover *p)
{
    return p->params != NULL ? cuzk_filecoin_params_vk(p->params) : p->made_vk;
}

/* All partitions of an input. */
typedef struct run {
    cuzk_filecoin_prover *p;
    const cuzk_filecoin_opts *opts;
    const cuzk_cancel *cancel;
    cuzk_filecoin_input in; /* borrows the caller's */
} run;

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

static cuzk_status prove_partition(const run *j, uint32_t partition, uint8_t out[CUZK_PROOF_BYTES],
                                   cuzk_err *err)
{
    cuzk_filecoin_times scratch = {.check_ns = 0};
    cuzk_filecoin_times *times = j->opts->times != NULL ? j->opts->times : &scratch;
    cuzk_prove_times prove_times = {.total_ns = 0};
    cuzk_span_tags tags = CUZK_SPAN_TAGS_INIT;
    tags.partition = (int32_t)partition;
    const cuzk_span span = cuzk_span_begin(j->opts->trace, "partition", &tags);
    const cuzk_trace_ctx trace = cuzk_trace_in(j->opts->trace, span);
    const cuzk_prove_opts opts = {
        .check_witness = j->opts->check_rows, .times = &prove_times, .trace = trace};
    cuzk_filecoin_prover *p = j->p;
    cuzk_witness *w = NULL;
    cuzk_proof proof;
    uint8_t bytes[CUZK_PROOF_BYTES];
    uint64_t mark = cuzk_clock_ns();
    cuzk_span step = cuzk_span_begin(trace, "witness", NULL);
    cuzk_status st = cuzk_filecoin_input_witness(&w, &j->in, cuzk_filecoin_prover_circuit(p),
                                                 partition, p->hashes, p->pool, j->cancel, err);
    cuzk_span_end(trace, step, 0);
    times->witness_ns += lap(&mark);
    if (st == CUZK_OK) {
        st = cuzk_prove(&proof, w, cuzk_filecoin_params_srs(p->params), &opts, p->pool, j->cancel,
                        err);
        times->prove_ns += lap(&mark);
        add_prove_times(&times->prove, &prove_times);
        cuzk_witness_destroy(w);
    }
    if (st == CUZK_OK) {
        cuzk_proof_encode(bytes, &proof);
        step = cuzk_span_begin(trace, "verify", NULL);
        st = cuzk_filecoin_input_verify(&j->in, cuzk_filecoin_prover_vk(p), partition, bytes, err);
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

static cuzk_status prove_on_devices(run *j, uint8_t *proofs, cuzk_err *err)
{
    const cuzk_filecoin_prover *p = j->p;
    cuzk_pipeline_times t = {.witness_ns = 0};
    const cuzk_pipeline pipe = {.in = &j->in,
                                .circuit = cuzk_filecoin_circuit_get(p->circuit),
                                .hashes = p->hashes,
                                .vk = cuzk_filecoin_prover_vk(p),
                                .keys = p->keys,
                                .n_keys = p->n_keys,
                                .pool = p->pool,
                                .cancel = j->cancel,
                                .trace = j->opts->trace,
                                .check = !j->opts->skip_native,
                                .check_rows = j->opts->check_rows,
                                .progress = j->opts->progress,
                                .progress_arg = j->opts->progress_arg};
    const uint64_t t0 = cuzk_clock_ns();
    const cuzk_status st = cuzk_pipeline_run(&pipe, proofs, &t, err);
    if (j->opts->times != NULL) {
        cuzk_filecoin_times *sum = j->opts->times;
        sum->check_ns += t.check_ns;
        sum->witness_ns += t.witness_ns;
        sum->verify_ns += t.verify_ns;
        sum->prove_ns += cuzk_clock_ns() - t0;
        sum->device = t.device;
        sum->release_backlog_peak = t.release_backlog_peak;
    }
    return st;
}

/* Checks, then proves every partition. fits: the input is of the prover's kind. */
static cuzk_status prove_all(run *j, uint8_t *proofs, bool fits, uint64_t sector_bytes,
                             cuzk_err *err)
{
    const cuzk_filecoin_prover *p = j->p;
    const uint32_t n = j->in.n_partitions;
    if (!fits || sector_bytes != p->spec.shape->bytes) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "this prover is for %s of %s",
                         cuzk_circuit_kind_name(p->spec.kind), p->spec.shape->name);
    }
    j->in.spec = p->spec;
    if (p->n_keys > 0) {
        return prove_on_devices(j, proofs, err);
    }
    if (!j->opts->skip_native) {
        uint64_t mark = cuzk_clock_ns();
        report(j->opts, "check", 0, 1);
        const cuzk_span span = cuzk_span_begin(j->opts->trace, "check", NULL);
        const cuzk_status st =
            cuzk_filecoin_input_check(&j->in, p->hashes, p->pool, j->cancel, err);
        cuzk_span_end(j->opts->trace, span, 0);
        if (j->opts->times != NULL) {
            j->opts->times->check_ns += lap(&mark);
        }
        CUZK_TRY(st);
    }
    if (p->params == NULL) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "a prover without parameters needs a device");
    }
    for (uint32_t i = 0; i < n; i++) {
        report(j->opts, "prove", i, n);
        CUZK_TRY(prove_partition(j, i, proofs + (size_t)i * CUZK_PROOF_BYTES, err));
    }
    report(j->opts, "prove", n, n);
    return CUZK_OK;
}

cuzk_status cuzk_filecoin_prove_porep(cuzk_filecoin_prover *p, uint8_t *proofs,
                                      const cuzk_porep_input *in, const cuzk_filecoin_opts *opts,
                                      const cuzk_cancel *cancel, cuzk_err *err)
{
    run j = {.p = p, .opts = opts != NULL ? opts : &no_opts, .cancel = cancel};
    cuzk_filecoin_input_of_porep(&j.in, in);
    if (j.opts->porep != NULL) {
        j.in.porep_check = *j.opts->porep;
    }
    return prove_all(&j, proofs, p->spec.kind == CUZK_CIRCUIT_POREP, in->type.sector_bytes, err);
}

cuzk_status cuzk_filecoin_prove_post(cuzk_filecoin_prover *p, uint8_t proof[CUZK_PROOF_BYTES],
                                     const cuzk_post_input *in, const cuzk_post_statement *st,
                                     const cuzk_filecoin_opts *opts, const cuzk_cancel *cancel,
                                     cuzk_err *err)
{
    run j = {.p = p, .opts = opts != NULL ? opts : &no_opts, .cancel = cancel};
    const cuzk_circuit_kind kind = st->type.is_window ? CUZK_CIRCUIT_WINDOW : CUZK_CIRCUIT_WINNING;
    cuzk_filecoin_input_of_post(&j.in, in, st);
    return prove_all(&j, proof, p->spec.kind == kind, st->type.sector_bytes, err);
}

cuzk_status cuzk_filecoin_prove_update(cuzk_filecoin_prover *p, uint8_t proof[CUZK_PROOF_BYTES],
                                       const cuzk_update_input *in, const cuzk_update_statement *st,
                                       const cuzk_filecoin_opts *opts, const cuzk_cancel *cancel,
                                       cuzk_err *err)
{
    run j = {.p = p, .opts = opts != NULL ? opts : &no_opts, .cancel = cancel};
    cuzk_update_statement statement = *st;
    const cuzk_update_input *one[1] = {in};
    j.in = (cuzk_filecoin_input){.n_partitions = 1, .updates = one, .update_sts = &statement};
    return prove_all(&j, proof, p->spec.kind == CUZK_CIRCUIT_UPDATE, st->shape->bytes, err);
}
