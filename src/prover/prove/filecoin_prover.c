/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "prover/prove/filecoin_prover.h"

#include "base/alloc.h"

#define LARGE_WITNESS ((uint64_t)1 << 30)

struct cuzk_filecoin_prover {
    cuzk_circuit_spec spec;
    cuzk_pool *pool; /* borrowed */
    cuzk_hashes *hashes;
    cuzk_filecoin_circuit *circuit;
    cuzk_filecoin_params *params; /* NULL: made on the device from the seed */
    uint64_t seed;
    cuzk_vk *made_vk; /* of such parameters */
    cuzk_device_key *keys[CUZK_PROVER_MAX_DEVICES];
    cuzk_witness_memory *memories[CUZK_PROVER_MAX_DEVICES]; /* of the same devices */
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

/*
 * Memory for the first witness of a device. A large one (WindowPoSt) is the only one of its input, and the first device
 * gets it.
 */
static void prepare_memory(const cuzk_filecoin_prover *p, cuzk_witness_memory *m,
                           const cuzk_device_key *k)
{
    const cuzk_circuit *c = cuzk_filecoin_circuit_get(p->circuit);
    if (p->n_keys == 0 || cuzk_placed_bytes(c) < LARGE_WITNESS) {
        const bool resident = cuzk_device_key_get_stats(k).resident;
        cuzk_witness_memory_prepare(m, c, resident ? 1 : CUZK_PIPELINE_MAX_BATCH);
    }
}

cuzk_status cuzk_filecoin_prover_add_device(cuzk_filecoin_prover *p, cuzk_accel *dev,
                                            const cuzk_device_key_opts *opts,
                                            const cuzk_cancel *cancel, cuzk_err *err)
{
    const cuzk_circuit *c = cuzk_filecoin_circuit_get(p->circuit);
    cuzk_device_key *k = NULL;
    cuzk_witness_memory *memory = NULL;
    cuzk_device_key_opts named = *opts;
    named.what = cuzk_filecoin_circuit_label(p->circuit);
    if (p->n_keys == CUZK_PROVER_MAX_DEVICES) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "more than %d devices", CUZK_PROVER_MAX_DEVICES);
    }
    if (p->params != NULL) {
        CUZK_TRY(cuzk_device_key_create(&k, dev, c, cuzk_filecoin_params_srs(p->params), &named,
                                        p->pool, cancel, err));
    } else {
        cuzk_toxic toxic;
        cuzk_toxic_from_seed(&toxic, p->seed);
        CUZK_TRY(cuzk_device_key_setup(&k, dev, c, &toxic, &named, cancel, err));
        if (p->made_vk == NULL) {
            const cuzk_status st = take_made_vk(p, k, err);
            if (st != CUZK_OK) {
                cuzk_device_key_destroy(k);
                return st;
            }
        }
    }
    const cuzk_status st = cuzk_witness_memory_create(&memory, err);
    if (st != CUZK_OK) {
        cuzk_device_key_destroy(k);
        return st;
    }
    cuzk_witness_memory_attach(memory, dev);
    prepare_memory(p, memory, k);
    p->memories[p->n_keys] = memory;
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
            cuzk_witness_memory_destroy(p->memories[i]);
            cuzk_device_key_destroy(p->keys[i]);
        }
        cuzk_vk_destroy(p->made_vk);
        cuzk_filecoin_params_close(p->params);
        cuzk_filecoin_circuit_destroy(p->circuit);
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

static const cuzk_filecoin_opts no_opts;

cuzk_status cuzk_filecoin_prove(cuzk_filecoin_prover *p, uint8_t *proofs,
                                const cuzk_filecoin_input *in, const cuzk_filecoin_opts *opts,
                                const cuzk_cancel *cancel, cuzk_err *err)
{
    opts = opts != NULL ? opts : &no_opts;
    if (in->spec.kind != p->spec.kind || in->spec.shape != p->spec.shape) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "this prover is for %s of %s",
                         cuzk_circuit_kind_name(p->spec.kind), p->spec.shape->name);
    }
    const cuzk_prove_all_job job = {.in = in,
                                    .circuit = cuzk_filecoin_circuit_get(p->circuit),
                                    .hashes = p->hashes,
                                    .vk = cuzk_filecoin_prover_vk(p),
                                    .srs = p->params != NULL ? cuzk_filecoin_params_srs(p->params)
                                                             : NULL,
                                    .keys = p->keys,
                                    .memories = p->memories,
                                    .n_keys = p->n_keys,
                                    .pool = p->pool,
                                    .cancel = cancel,
                                    .trace = opts->trace,
                                    .check_rows = opts->check_rows,
                                    .progress = opts->progress,
                                    .progress_arg = opts->progress_arg,
                                    .release_backlog_peak = opts->release_backlog_peak};
    return cuzk_prove_all(&job, proofs, err);
}

cuzk_status cuzk_filecoin_prove_post(cuzk_filecoin_prover *p, uint8_t proof[CUZK_PROOF_BYTES],
                                     const cuzk_post_input *in, const cuzk_post_statement *st,
                                     const cuzk_filecoin_opts *opts, const cuzk_cancel *cancel,
                                     cuzk_err *err)
{
    const cuzk_circuit_kind kind = st->type.is_window ? CUZK_CIRCUIT_WINDOW : CUZK_CIRCUIT_WINNING;
    cuzk_filecoin_input job;
    cuzk_filecoin_input_of_post(&job, in, st);
    CUZK_TRY(cuzk_circuit_spec_of(&job.spec, kind, st->type.sector_bytes, err));
    return cuzk_filecoin_prove(p, proof, &job, opts, cancel, err);
}
