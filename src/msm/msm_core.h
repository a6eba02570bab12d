/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_MSM_MSM_CORE_H
#define CUZK_MSM_MSM_CORE_H

/*
 * Pippenger's bucket method over whatever group an engine stands for. docs/msm.md has the steps.
 */
#include "msm/msm_digits.h"
#include "msm/msm_tree.h"

/** What a call works with. */
typedef struct cuzk_msm_ctx {
    const cuzk_msm_engine *eng;
    cuzk_pool *pool;
    const cuzk_cancel *cancel;
    cuzk_err *err;
    cuzk_msm_trees trees;
} cuzk_msm_ctx;

/* Most ranges into which the scalars are cut for counting and scattering. */
#define MSM_MAX_RANGES 256u

/*
 * A set of scalars ready for the buckets: element i is the base idx[i], with the code of its digit w
 * in codes[w * n + i]. hist[r * plan.parts + q] counts the nonzero digits of range r, elements
 * [cut[r], cut[r + 1]), that fall into partition q.
 */
typedef struct cuzk_msm_set {
    cuzk_msm_plan plan;
    const uint32_t *idx;
    uint32_t *codes;
    size_t n;
    size_t ranges;
    size_t cut[MSM_MAX_RANGES + 1];
    uint32_t *hist;
} cuzk_msm_set;

/** Counts the digits of elements [begin, end), which are in range r. */
void cuzk_msm_count(cuzk_msm_set *s, size_t r, size_t begin, size_t end);

/** acc += the sum over the set. n > 0. */
CUZK_NODISCARD cuzk_status cuzk_msm_core(cuzk_msm_acc *acc, cuzk_msm_ctx *ctx,
                                         const cuzk_msm_table *table, cuzk_msm_set *set);

/** Writes up to end - begin entries of items [begin, end) and returns how many. */
typedef size_t (*cuzk_msm_emit_fn)(const void *arg, size_t begin, size_t end, uint32_t *out);
/** acc += sum of the entries that n items emit. Flat trees, no buckets. */
CUZK_NODISCARD cuzk_status cuzk_msm_flat(cuzk_msm_acc *acc, cuzk_msm_ctx *ctx,
                                         const cuzk_msm_table *table, size_t n,
                                         cuzk_msm_emit_fn emit, const void *arg);

#endif /* CUZK_MSM_MSM_CORE_H */
