/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_MSM_COMB_TMPL_CUH
#define CUZK_ACCEL_CUDA_MSM_COMB_TMPL_CUH

/* Sums of pairs of points as affine points: one level of the tree, its result put in order. */
#include "tree_tmpl.cuh"

#define PAIRS_THREADS ((uint32_t)CUZK_THREADS_PAIRS_OUT_G1)

template <class G>
static __global__ void __launch_bounds__(PAIRS_THREADS)
    pairs_out_k(typename G::affine *out, const uint4 *points, uint32_t n)
{
    const uint32_t i = blockIdx.x * PAIRS_THREADS + threadIdx.x;
    if (i < n) {
        typename G::fe x, y;
        words_load<TREE_GROUP>(x, tree_x<G>(points, i));
        words_load<TREE_GROUP>(y, tree_y<G>(points, i));
        fe_canon(x);
        fe_canon(y);
        fe_store(&out[i].x, x);
        fe_store(&out[i].y, y);
    }
}

template <class G>
static cuzk_status add_pairs(const cuzk_cuda_msm_memory *m, cuzk_cuda_queue *q, const void *d_bases,
                             void *d_out, uint32_t pairs, cuzk_err *err)
{
    const bool g1 = sizeof(typename G::affine) == sizeof(cuzk_g1_affine);
    const void *points = NULL;
    CUZK_TRY(tree_group<G>::run(m, q, d_bases, NULL, m->d_offset, 1, &points, err));
    return cuzk_cuda_launch(q, g1 ? CUZK_KERNEL_PAIRS_OUT_G1 : CUZK_KERNEL_PAIRS_OUT_G2,
                            pairs_out_k<G>, (pairs + PAIRS_THREADS - 1) / PAIRS_THREADS, err,
                            (typename G::affine *)d_out, (const uint4 *)points, pairs);
}

#endif /* CUZK_ACCEL_CUDA_MSM_COMB_TMPL_CUH */
