/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_MSM_COMB_TMPL_CUH
#define CUZK_ACCEL_CUDA_MSM_COMB_TMPL_CUH

/* Sums of pairs of points as affine points: one level of the tree, its result put in order. */
#include "tree_tmpl.cuh"

template <class G>
static __global__ void __launch_bounds__(256)
    pairs_out_k(typename G::affine *out, const uint4 *points, uint32_t n)
{
    const uint32_t i = blockIdx.x * 256 + threadIdx.x;
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
    const uint4 *points = NULL;
    CUZK_TRY(tree_levels<G>(m, q, tree_bases_of<G>(d_bases, NULL), m->d_offset, 1, &points, err));
    pairs_out_k<G>
        <<<(pairs + 255) / 256, 256, 0, q->stream>>>((typename G::affine *)d_out, points, pairs);
    return CUZK_CUDA_LAUNCHED(pairs_out_k, err);
}

#endif /* CUZK_ACCEL_CUDA_MSM_COMB_TMPL_CUH */
