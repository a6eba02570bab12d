/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Keys and proofs of circom circuits. */
#include <stdatomic.h>

#include "base/alloc.h"
#include "interop/snarkjs_json.h"
#include "interop/wtns_file.h"
#include "interop/zkey.h"

#include "prover_internal.h"

#define MIB ((uint64_t)1 << 20)

struct cuzk_circom_key {
    cuzk_prover *p;
    _Atomic uint32_t refs; /* the caller's, and one of each task */
    cuzk_zkey *zkey;       /* owns the circuit */
    cuzk_srs *srs;         /* all points, in memory */
    cuzk_vk *vk;
    uint64_t bytes; /* of the prover's budget */
    /* Under the prover's lock. */
    cuzk_circom_key *next;   /* of the prover's keys */
    cuzk_device_key *device; /* on the first GPU; NULL: the CPU proves */
};

cuzk_prover *lib_circom_prover(const cuzk_circom_key *k)
{
    return k->p;
}

cuzk_circom_key *lib_circom_ref(const cuzk_circom_key *k)
{
    cuzk_circom_key *mine = (cuzk_circom_key *)(uintptr_t)k;
    (void)atomic_fetch_add(&mine->refs, 1);
    return mine;
}

const cuzk_vk *cuzk_circom_key_vk(const cuzk_circom_key *k)
{
    return k->vk;
}

/* Every point of the zkey, read and checked once. */
static cuzk_status read_points(cuzk_srs_arrays *a, const cuzk_srs *srs, cuzk_pool *pool,
                               cuzk_err *err)
{
    for (int s = CUZK_SRS_H; s <= CUZK_SRS_B_G1; s++) {
        const uint64_t n = cuzk_srs_count(srs, (cuzk_srs_section)s);
        a->g1[s] = cuzk_alloc((size_t)n + 1, sizeof(*a->g1[s])); /* a section may be empty */
        if (a->g1[s] == NULL) {
            return CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for %llu points",
                             (unsigned long long)n);
        }
        CUZK_TRY(cuzk_srs_read_g1(srs, (cuzk_srs_section)s, 0, n, a->g1[s], pool, err));
    }
    const uint64_t n = cuzk_srs_count(srs, CUZK_SRS_B_G2);
    a->b_g2 = cuzk_alloc((size_t)n + 1, sizeof(*a->b_g2));
    if (a->b_g2 == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for %llu points", (unsigned long long)n);
    }
    return cuzk_srs_read_g2(srs, CUZK_SRS_B_G2, 0, n, a->b_g2, pool, err);
}

static cuzk_status load_points(cuzk_circom_key *k, cuzk_err *err)
{
    const cuzk_srs *srs = cuzk_zkey_srs(k->zkey);
    cuzk_srs_source source = {.vk = *cuzk_srs_get_vk(srs),
                              .quotient = cuzk_srs_quotient(srs),
                              .all_wires = cuzk_srs_all_wires(srs)};
    cuzk_srs_arrays arrays = {.b_g2 = NULL};
    for (int s = CUZK_SRS_H; s <= CUZK_SRS_B_G2; s++) {
        source.count[s] = cuzk_srs_count(srs, (cuzk_srs_section)s);
    }
    cuzk_status st = read_points(&arrays, srs, k->p->pool, err);
    if (st == CUZK_OK) {
        st = cuzk_srs_create_from_arrays(&k->srs, &source, &arrays, err);
    }
    if (st != CUZK_OK) {
        for (size_t i = 0; i < 4; i++) {
            cuzk_free(arrays.g1[i]);
        }
        cuzk_free(arrays.b_g2);
    }
    return st;
}

static uint64_t key_bytes(const cuzk_zkey *z)
{
    const cuzk_srs *srs = cuzk_zkey_srs(z);
    uint64_t sum = cuzk_circuit_bytes(cuzk_zkey_circuit(z));
    for (int s = CUZK_SRS_H; s <= CUZK_SRS_B_G1; s++) {
        sum += sizeof(cuzk_g1_affine) * cuzk_srs_count(srs, (cuzk_srs_section)s);
    }
    return sum + sizeof(cuzk_g2_affine) * cuzk_srs_count(srs, CUZK_SRS_B_G2);
}

static cuzk_status load_device(cuzk_circom_key *k, cuzk_err *err)
{
    cuzk_prover *p = k->p;
    if (p->n_devices == 0) {
        return CUZK_OK;
    }
    const cuzk_device_key_opts opts = {.points = CUZK_DEVICE_POINTS_MEMORY};
    CUZK_TRY(cuzk_device_key_create(&k->device, p->devices[0], cuzk_zkey_circuit(k->zkey), k->srs,
                                    &opts, p->pool, NULL, err));
    const uint64_t host = cuzk_device_key_get_stats(k->device).host_bytes;
    CUZK_TRY(lib_bytes_take(p, host, false, "the circom key", NULL, err));
    k->bytes += host;
    return CUZK_OK;
}

static cuzk_status load(cuzk_circom_key *k, const char *path, cuzk_err *err)
{
    cuzk_error error = {.status = 0};
    CUZK_TRY(cuzk_zkey_open(&k->zkey, path, CUZK_POINT_ON_CURVE, err));
    const uint64_t bytes = key_bytes(k->zkey);
    CUZK_TRY(lib_bytes_take(k->p, bytes, false, "the circom key", NULL, err));
    k->bytes = bytes;
    const cuzk_status st = lib_vk_of(&k->vk, cuzk_zkey_srs(k->zkey), &error);
    if (st != CUZK_OK) {
        return CUZK_FAIL(err, st, "%s: %s", path, error.text);
    }
    CUZK_TRY(load_points(k, err));
    return load_device(k, err);
}

/* Removes the key from its prover's list and frees its part on the device, while that is open. */
static void leave_prover(cuzk_circom_key *k)
{
    (void)pthread_mutex_lock(&k->p->lock);
    for (cuzk_circom_key **at = &k->p->circom_keys; *at != NULL; at = &(*at)->next) {
        if (*at == k) {
            *at = k->next;
            break;
        }
    }
    cuzk_device_key *device = k->device;
    k->device = NULL;
    (void)pthread_mutex_unlock(&k->p->lock);
    cuzk_device_key_destroy(device);
}

void lib_circom_close_devices(cuzk_prover *p)
{
    for (cuzk_circom_key *k = p->circom_keys; k != NULL; k = k->next) {
        cuzk_device_key_destroy(k->device);
        k->device = NULL;
    }
}

void cuzk_circom_key_destroy(cuzk_circom_key *k)
{
    if (k == NULL || atomic_fetch_sub(&k->refs, 1) != 1) {
        return;
    }
    cuzk_prover *p = k->p;
    leave_prover(k);
    cuzk_srs_close(k->srs);
    cuzk_vk_destroy(k->vk);
    cuzk_zkey_close(k->zkey);
    lib_bytes_give(p, k->bytes, false);
    cuzk_free(k);
    lib_prover_unref(p);
}

cuzk_status cuzk_circom_key_load(cuzk_circom_key **out, cuzk_prover *p, const char *path,
                                 cuzk_error *error)
{
    cuzk_err err = {.msg = ""};
    cuzk_circom_key *k = cuzk_alloc_zero(1, sizeof(*k));
    if (k == NULL) {
        return lib_fail(error, CUZK_E_NOMEM, "%s: out of memory", path);
    }
    k->p = p;
    atomic_store(&k->refs, 1);
    lib_prover_ref(p);
    const cuzk_status st = load(k, path, &err);
    if (st != CUZK_OK) {
        cuzk_circom_key_destroy(k);
        return lib_error(error, st, &err);
    }
    (void)pthread_mutex_lock(&p->lock);
    k->next = p->circom_keys;
    p->circom_keys = k;
    (void)pthread_mutex_unlock(&p->lock);
    *out = k;
    return CUZK_OK;
}

static cuzk_status keep_inputs(cuzk_task *t, const cuzk_witness *w, cuzk_err *err)
{
    const size_t n = (size_t)w->circuit->n_inputs - 1;
    t->public_inputs = cuzk_alloc(n + 1, 32);
    if (t->public_inputs == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for %zu public inputs", n);
    }
    for (size_t i = 0; i < n; i++) {
        cuzk_fr_to_bytes_le(t->public_inputs + 32 * i, &w->inputs[i + 1]);
    }
    t->n_public = n;
    return CUZK_OK;
}

static cuzk_status verify_own(const cuzk_task *t, const uint8_t proof[192], cuzk_trace_ctx trace,
                              cuzk_err *err)
{
    const cuzk_span span = cuzk_span_begin(trace, "verify", NULL);
    const cuzk_verify_result r =
        cuzk_verify(t->key->vk, proof, CUZK_PROOF_BYTES, t->public_inputs, t->n_public);
    cuzk_span_end(trace, span, 0);
    if (r == CUZK_VERIFY_E_PROOF_FALSE || r == CUZK_VERIFY_E_INFINITY) {
        return CUZK_FAIL(err, CUZK_E_UNSATISFIED,
                         "the witness does not satisfy the circuit of the key");
    }
    return r == CUZK_VERIFY_OK
               ? CUZK_OK
               : CUZK_FAIL(err, (cuzk_status)r, "own proof: %s", cuzk_verify_text(r));
}

static cuzk_status prove_on(const cuzk_task *t, cuzk_proof *proof, const cuzk_witness *w,
                            cuzk_trace_ctx trace, cuzk_err *err)
{
    const cuzk_circom_key *k = t->key;
    if (k->device != NULL) {
        const cuzk_device_prove_opts opts = {.trace = trace, .device = 0, .pool = t->p->pool};
        return cuzk_device_prove(k->device, proof, 1, &w, &opts, &t->cancel, err);
    }
    const cuzk_prove_opts opts = {.trace = trace};
    return cuzk_prove(proof, w, k->srs, &opts, t->p->pool, &t->cancel, err);
}

static cuzk_status prove_witness(cuzk_task *t, const cuzk_witness *w, cuzk_trace_ctx trace,
                                 cuzk_err *err)
{
    cuzk_proof proof;
    CUZK_TRY(keep_inputs(t, w, err));
    CUZK_TRY(lib_task_make_room(t, CUZK_PROOF_BYTES, err));
    t->constraints = w->circuit->n_rows;
    lib_task_progress(t, "prove", 0, 1);
    CUZK_TRY(prove_on(t, &proof, w, trace, err));
    cuzk_proof_encode(t->proof, &proof);
    CUZK_TRY(verify_own(t, t->proof, trace, err));
    lib_task_progress(t, "prove", 1, 1);
    return CUZK_OK;
}

static cuzk_status read_witness(cuzk_witness **out, const cuzk_task *t, cuzk_err *err)
{
    static const char name[] = "the witness";
    const cuzk_input *in = &t->rq.inputs[0];
    cuzk_wtns wtns;
    CUZK_TRY(cuzk_wtns_read(&wtns, in->data, in->size, name, err));
    return cuzk_wtns_to_witness(out, &wtns, cuzk_zkey_circuit(t->key->zkey), name, t->p->pool, err);
}

cuzk_status lib_circom_run(cuzk_task *t, cuzk_trace_ctx trace, cuzk_err *err)
{
    const cuzk_circuit *c = cuzk_zkey_circuit(t->key->zkey);
    const uint64_t domain = (uint64_t)32 << cuzk_circuit_lg_domain(c);
    /* As cuzk_filecoin_needs_of, without points that are decoded. */
    const uint64_t bytes = 3 * domain + 32 * (c->n_inputs + c->n_fulls) +
                           (domain < MIB ? 8 * MIB : 40 * MIB) +
                           cuzk_pool_threads(t->p->pool) * 4 * MIB;
    cuzk_witness *w = NULL;
    CUZK_TRY(lib_bytes_take(t->p, bytes, true, "a proof of the circom key", &t->cancel, err));
    const cuzk_span span = cuzk_span_begin(trace, "witness", NULL);
    cuzk_status st = read_witness(&w, t, err);
    cuzk_span_end(trace, span, 0);
    if (st == CUZK_OK) {
        st = prove_witness(t, w, trace, err);
    }
    cuzk_witness_destroy(w);
    lib_bytes_give(t->p, bytes, true);
    return st;
}
