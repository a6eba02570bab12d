/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "prover/prove/filecoin_input.h"

#include "base/alloc.h"
#include "circuit/fill.h"
#include "prover/keys/filecoin_verify.h"

void cuzk_filecoin_input_of_porep(cuzk_filecoin_input *out, const cuzk_porep_input *in)
{
    *out = (cuzk_filecoin_input){.n_partitions = in->n_partitions, .porep = in};
    cuzk_porep_statement_of(&out->porep_st, in);
}

void cuzk_filecoin_input_of_post(cuzk_filecoin_input *out, const cuzk_post_input *in,
                                 const cuzk_post_statement *st)
{
    *out = (cuzk_filecoin_input){.n_partitions = 1, .post = in, .post_st = *st};
}

uint64_t cuzk_filecoin_input_heap(const cuzk_filecoin_input *in)
{
    uint64_t sum = sizeof(*in);
    if (in->porep != NULL) {
        sum += in->porep->arena.bytes;
    }
    if (in->post != NULL) {
        sum += in->post->arena.bytes + in->post->n_sectors * sizeof(*in->post->sectors);
    }
    for (uint32_t i = 0; in->updates != NULL && i < in->n_partitions; i++) {
        sum += in->updates[i]->arena.bytes;
    }
    return sum;
}

cuzk_status cuzk_filecoin_input_check(const cuzk_filecoin_input *in, const cuzk_hashes *h,
                                      cuzk_pool *pool, const cuzk_cancel *cancel, cuzk_err *err)
{
    switch (in->spec.kind) {
    case CUZK_CIRCUIT_POREP:
        return cuzk_porep_check(in->porep, h,
                                in->porep_check.prover_id != NULL ? &in->porep_check : NULL, pool,
                                cancel, err);
    case CUZK_CIRCUIT_WINNING:
    case CUZK_CIRCUIT_WINDOW: return cuzk_post_check(in->post, &in->post_st, h, pool, cancel, err);
    case CUZK_CIRCUIT_UPDATE:
        for (uint32_t i = 0; i < in->n_partitions; i++) {
            CUZK_TRY(cuzk_update_check(in->updates[i], &in->update_sts[i], h, pool, cancel, err));
        }
        return CUZK_OK;
    }
    return CUZK_FAIL(err, CUZK_E_INVALID, "unknown circuit kind");
}

bool cuzk_filecoin_input_is_shaped(const cuzk_filecoin_input *in)
{
    switch (in->spec.kind) {
    case CUZK_CIRCUIT_POREP:
        return in->spec.shape == in->porep->shape && cuzk_porep_is_shaped(in->porep);
    case CUZK_CIRCUIT_WINNING:
    case CUZK_CIRCUIT_WINDOW:
        return in->post_st.type.is_window == (in->spec.kind == CUZK_CIRCUIT_WINDOW) &&
               in->post_st.type.sector_bytes == in->spec.shape->bytes &&
               cuzk_post_is_shaped(in->post, &in->post_st.type);
    case CUZK_CIRCUIT_UPDATE: return false; /* the check is short */
    }
    return false;
}

cuzk_status cuzk_filecoin_input_fill(cuzk_witness *w, const cuzk_filecoin_input *in,
                                     uint32_t partition, const cuzk_hashes *h, cuzk_pool *pool,
                                     const cuzk_cancel *cancel, cuzk_err *err)
{
    if (partition >= in->n_partitions) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "there is no partition %u, the input has %u",
                         partition, in->n_partitions);
    }
    switch (in->spec.kind) {
    case CUZK_CIRCUIT_POREP: return cuzk_porep_fill(w, in->porep, partition, h, pool, cancel, err);
    case CUZK_CIRCUIT_WINNING:
    case CUZK_CIRCUIT_WINDOW:
        return cuzk_post_fill(w, in->post, in->spec.kind == CUZK_CIRCUIT_WINDOW, h, pool, cancel,
                              err);
    case CUZK_CIRCUIT_UPDATE:
        return cuzk_update_fill(w, in->updates[partition], &in->update_sts[partition], h, pool,
                                cancel, err);
    }
    return CUZK_FAIL(err, CUZK_E_INVALID, "unknown circuit kind");
}

cuzk_status cuzk_filecoin_input_witness(cuzk_witness **out, const cuzk_filecoin_input *in,
                                        const cuzk_circuit *circuit, uint32_t partition,
                                        const cuzk_hashes *h, cuzk_pool *pool,
                                        const cuzk_cancel *cancel, cuzk_err *err)
{
    cuzk_witness *w = NULL;
    CUZK_TRY(cuzk_witness_create(&w, circuit, err));
    const cuzk_status st = cuzk_filecoin_input_fill(w, in, partition, h, pool, cancel, err);
    if (st != CUZK_OK) {
        cuzk_witness_destroy(w);
        return st;
    }
    *out = w;
    return CUZK_OK;
}

static cuzk_status public_inputs(cuzk_fr *out, const cuzk_filecoin_input *in, uint32_t partition,
                                 cuzk_err *err)
{
    switch (in->spec.kind) {
    case CUZK_CIRCUIT_POREP: return cuzk_porep_public_inputs(out, &in->porep_st, partition, err);
    case CUZK_CIRCUIT_WINNING:
    case CUZK_CIRCUIT_WINDOW: {
        cuzk_post_public_sector *sectors = cuzk_alloc(in->post->n_sectors, sizeof(*sectors));
        if (sectors == NULL) {
            return CUZK_FAIL(err, CUZK_E_NOMEM, "public inputs: out of memory");
        }
        cuzk_post_public_sectors_of(sectors, in->post);
        const cuzk_status st =
            cuzk_post_public_inputs(out, &in->post_st, sectors, in->post->n_sectors, err);
        cuzk_free(sectors);
        return st;
    }
    case CUZK_CIRCUIT_UPDATE:
        return cuzk_update_public_inputs(out, &in->update_sts[partition], err);
    }
    return CUZK_FAIL(err, CUZK_E_INVALID, "unknown circuit kind");
}

cuzk_status cuzk_filecoin_input_claim(cuzk_verify_inputs **out, const cuzk_filecoin_input *in,
                                      const cuzk_vk *vk, uint32_t partition, cuzk_err *err)
{
    const size_t n = cuzk_vk_n_inputs(vk);
    cuzk_fr *inputs = cuzk_alloc(n, sizeof(*inputs));
    uint8_t *bytes = cuzk_alloc(n, CUZK_SCALAR_BYTES);
    cuzk_status st = CUZK_OK;
    if (inputs == NULL || bytes == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "verification: out of memory");
    } else if (n + 1 != in->spec.n_inputs) {
        st = CUZK_FAIL(err, CUZK_E_FORMAT, "the verifying key has %zu inputs, the circuit %u",
                       n + 1, in->spec.n_inputs);
    } else {
        st = public_inputs(inputs, in, partition, err);
    }
    if (st == CUZK_OK) {
        for (size_t i = 0; i < n; i++) {
            cuzk_fr_to_bytes_le(bytes + CUZK_SCALAR_BYTES * i, &inputs[i]);
        }
        if (cuzk_verify_inputs_create(out, vk, bytes, n) != CUZK_VERIFY_OK) {
            st = CUZK_FAIL(err, CUZK_E_NOMEM, "verification: out of memory");
        }
    }
    cuzk_free(inputs);
    cuzk_free(bytes);
    return st;
}

cuzk_status cuzk_filecoin_input_check_claim(const cuzk_filecoin_input *in, const cuzk_vk *vk,
                                            const cuzk_verify_inputs *claim, uint32_t partition,
                                            const uint8_t proof[CUZK_PROOF_BYTES], cuzk_err *err)
{
    const cuzk_verify_result r = cuzk_verify_with(vk, claim, proof, CUZK_PROOF_BYTES);
    if (r == CUZK_VERIFY_OK) {
        return CUZK_OK;
    }
    return CUZK_FAIL(
        err, CUZK_E_SELFTEST,
        "partition %u: the proof does not verify (%s): damaged parameters, memory or an error of "
        "this program; it is not returned",
        in->spec.kind == CUZK_CIRCUIT_UPDATE ? in->update_sts[partition].partition : partition,
        cuzk_verify_text(r));
}

/* Every proof is verified. The public inputs come from the statement, not from the witness. */
cuzk_status cuzk_filecoin_input_verify(const cuzk_filecoin_input *in, const cuzk_vk *vk,
                                       uint32_t partition, const uint8_t proof[CUZK_PROOF_BYTES],
                                       cuzk_err *err)
{
    cuzk_verify_inputs *claim = NULL;
    CUZK_TRY(cuzk_filecoin_input_claim(&claim, in, vk, partition, err));
    const cuzk_status st = cuzk_filecoin_input_check_claim(in, vk, claim, partition, proof, err);
    cuzk_verify_inputs_destroy(claim);
    return st;
}
