/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The tree of affine additions in G1: its wide shape, and the choice between the two. */
#include "tree_tmpl.cuh"

cuzk_status cuzk_cuda_msm_tree_g1(const cuzk_cuda_msm_memory *m, cuzk_cuda_queue *q,
                                  const void *d_bases, const void *d_images,
                                  const uint32_t *d_entries, unsigned levels, const void **d_out,
                                  cuzk_err *err)
{
    if (q->card.klass->shapes.tree_g1 == CUZK_KERNEL_TREE_G1_LEAN) {
        return cuzk_cuda_msm_tree_g1_lean(m, q, d_bases, d_images, d_entries, levels, d_out, err);
    }
    return tree_levels<g1_group, false>(m, q, tree_bases_of<g1_group>(d_bases, d_images), d_entries,
                                        levels, d_out, err);
}
