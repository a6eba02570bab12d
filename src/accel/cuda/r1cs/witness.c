/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A witness's way into device memory, one copy since both sides have the same layout; and what is
 * evaluated with it.
 */
#include <inttypes.h>
#include <string.h>

#include "accel/cuda/ntt/vec.h"
#include "accel/cuda/queue/queue_internal.h"

#include "circuit_internal.h"
#include "r1cs.h"

static uint64_t bit_words(const cuzk_circuit *c)
{
    return (c->preamble.n_bits + 63) / 64 + c->n_blocks * c->bit_stride;
}

uint64_t cuzk_cuda_witness_staging_bytes(const cuzk_circuit *c)
{
    return cuzk_cuda_bitmap_bytes(bit_words(c)) + (c->n_inputs + c->n_fulls) * sizeof(cuzk_fr);
}

uint64_t cuzk_cuda_witness_bytes(const cuzk_circuit *c)
{
    return ((cuzk_cuda_witness_staging_bytes(c) + 255) & ~(uint64_t)255) +
           c->n_blocks * c->block.n_slots * sizeof(cuzk_fr);
}

/* Where the parts of a witness are. */
static cuzk_cuda_witness_view view_of(const cuzk_cuda_circuit *c, const void *d_witness)
{
    const uint8_t *p = d_witness;
    const uint64_t elements = cuzk_cuda_bitmap_bytes(c->n_bit_words);
    const uint64_t slots = (elements + c->n_elements * sizeof(cuzk_fr) + 255) & ~(uint64_t)255;
    const cuzk_cuda_witness_view v = {
        (const uint64_t *)(const void *)p,
        (const cuzk_fr *)(const void *)(p + elements),
        (const cuzk_fr *)(const void *)(p + slots),
    };
    return v;
}

static cuzk_status copy(cuzk_cuda_queue *q, void *d_dst, const void *src, uint64_t bytes,
                        cuzk_err *err)
{
    return bytes == 0
               ? CUZK_OK
               : CUZK_CUDA(cudaMemcpyAsync(d_dst, src, bytes, cudaMemcpyHostToDevice, q->stream),
                           err);
}

cuzk_status cuzk_cuda_witness_upload(const cuzk_cuda_circuit *c, cuzk_cuda_queue *q,
                                     void *d_witness, const cuzk_witness *w, void *staging,
                                     cuzk_err *err)
{
    const cuzk_circuit *host = w->circuit;
    const uint64_t bits = c->n_bit_words * sizeof(uint64_t);
    const uint64_t map = cuzk_cuda_bitmap_bytes(c->n_bit_words);
    const uint64_t inputs = host->n_inputs * sizeof(cuzk_fr);
    const uint64_t fulls = host->n_fulls * sizeof(cuzk_fr);
    uint8_t *d = d_witness;
    if (memcmp(host->identity, c->identity, sizeof(c->identity)) != 0) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "the witness is of another circuit");
    }
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    if (staging == NULL) {
        CUZK_TRY(copy(q, d, w->bits, bits, err));
        CUZK_TRY(copy(q, d + map, w->inputs, inputs, err));
        CUZK_TRY(copy(q, d + map + inputs, w->fulls, fulls, err));
    } else {
        uint8_t *s = staging;
        memcpy(s, w->bits, bits);
        memset(s + bits, 0, map - bits);
        memcpy(s + map, w->inputs, inputs);
        memcpy(s + map + inputs, w->fulls, fulls);
        CUZK_TRY(copy(q, d, s, map + inputs + fulls, err));
    }
    const cuzk_cuda_witness_view v = view_of(c, d_witness);
    const uint64_t before = (uint64_t)((const uint8_t *)(const void *)v.slots - (const uint8_t *)d);
    return cuzk_cuda_bind_slots(&c->v, &v, q, (cuzk_fr *)(void *)(d + before), err);
}

static cuzk_status eval(const cuzk_cuda_circuit *c, cuzk_cuda_queue *q, const void *d_witness,
                        cuzk_matrix_id m, bool times, cuzk_fr *d_out, uint64_t n_out, cuzk_err *err)
{
    const uint64_t n_rows = c->v.n_rows, n_inputs = c->v.n_inputs;
    const uint64_t n_values = m == CUZK_MATRIX_A ? n_inputs : 0;
    const cuzk_cuda_witness_view v = view_of(c, d_witness);
    if (n_out < n_rows + n_inputs) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "room for %" PRIu64 " of %" PRIu64 " rows", n_out,
                         n_rows + n_inputs);
    }
    if (m == CUZK_MATRIX_C && !c->with_c) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "the circuit is on the device without C");
    }
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    CUZK_TRY(cuzk_cuda_eval_rows(&c->v, &v, q, m, times, d_out, err));
    CUZK_TRY(times && n_values > 0
                 ? cuzk_cuda_vec_mul(q, d_out + n_rows, d_out + n_rows, v.elements, n_values, err)
                 : cuzk_cuda_copy(q, d_out + n_rows, v.elements, n_values * sizeof(*d_out), err));
    return n_out == n_rows + n_values
               ? CUZK_OK
               : CUZK_CUDA(cudaMemsetAsync(d_out + n_rows + n_values, 0,
                                           (n_out - n_rows - n_values) * sizeof(*d_out), q->stream),
                           err);
}

cuzk_status cuzk_cuda_eval(const cuzk_cuda_circuit *c, cuzk_cuda_queue *q, const void *d_witness,
                           cuzk_matrix_id m, cuzk_fr *d_out, uint64_t n_out, cuzk_err *err)
{
    return eval(c, q, d_witness, m, false, d_out, n_out, err);
}

cuzk_status cuzk_cuda_eval_times(const cuzk_cuda_circuit *c, cuzk_cuda_queue *q,
                                 const void *d_witness, cuzk_matrix_id m, cuzk_fr *d_out,
                                 uint64_t n_out, cuzk_err *err)
{
    return eval(c, q, d_witness, m, true, d_out, n_out, err);
}

cuzk_status cuzk_cuda_eval_check(const cuzk_cuda_circuit *c, cuzk_cuda_queue *q,
                                 const void *d_witness, uint64_t *d_bad_row, cuzk_err *err)
{
    const cuzk_cuda_witness_view v = view_of(c, d_witness);
    if (!c->with_c) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "the circuit is on the device without C");
    }
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    CUZK_TRY(CUZK_CUDA(cudaMemsetAsync(d_bad_row, 0xff, sizeof(*d_bad_row), q->stream), err));
    return cuzk_cuda_check_rows(&c->v, &v, q, d_bad_row, err);
}
