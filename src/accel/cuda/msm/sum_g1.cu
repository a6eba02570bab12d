/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "comb_tmpl.cuh"
#include "hex_reduce.cuh"
#include "sum_tmpl.cuh"

cuzk_status cuzk_cuda_msm_accumulate_g1(const cuzk_cuda_msm_memory *m, const cuzk_cuda_msm_shape *s,
                                        const cuzk_cuda_msm_batch *b, cuzk_cuda_queue *q,
                                        const void *d_bases, const void *d_images, cuzk_err *err)
{
    return accumulate<g1_group>(m, s, b, q, d_bases, d_images, err);
}

cuzk_status cuzk_cuda_msm_reduce_g1(const cuzk_cuda_msm_memory *m, const cuzk_cuda_msm_shape *s,
                                    cuzk_cuda_queue *q, cuzk_err *err)
{
    return q->card.klass->shapes.reduce_g1 == CUZK_KERNEL_REDUCE_G1_LEAN
               ? reduce<g1_group, true>(m, s, q, err)
               : reduce<g1_group, false>(m, s, q, err);
}

cuzk_status cuzk_cuda_msm_reduce_hex_g1(const cuzk_cuda_msm_memory *m, const cuzk_cuda_msm_shape *s,
                                        cuzk_cuda_queue *q, cuzk_err *err)
{
    return q->card.klass->shapes.hex_pieces_g1 == CUZK_KERNEL_HEX_PIECES_G1_LEAN
               ? hex_reduce<g1_group, true>(m, s, q, err)
               : hex_reduce<g1_group, false>(m, s, q, err);
}

cuzk_status cuzk_cuda_msm_sum_list_g1(const cuzk_cuda_msm_memory *m, cuzk_cuda_queue *q,
                                      const void *d_bases, uint64_t n, unsigned levels,
                                      cuzk_err *err)
{
    return sum_list<g1_group>(m, q, d_bases, n, levels, err);
}

cuzk_status cuzk_cuda_msm_add_pairs_g1(const cuzk_cuda_msm_memory *m, cuzk_cuda_queue *q,
                                       const void *d_bases, void *d_out, uint32_t pairs,
                                       cuzk_err *err)
{
    return add_pairs<g1_group>(m, q, d_bases, d_out, pairs, err);
}
