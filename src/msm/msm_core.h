/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_MSM_MSM_CORE_H
#define CUZK_MSM_MSM_CORE_H

/*
 * Pippenger's bucket method over whatever group an engine stands for. docs/msm.md has the steps.
 */
#include "msm/msm_glv.h"
#include "msm/msm_tree.h"

/** What a call works with. */
typedef struct cuzk_msm_ctx {
    const cuzk_msm_engine *eng;
    cuzk_pool *pool;
    const cuzk_cancel *cancel;
    cuzk_err *err;
    cuzk_msm_trees trees;
} cuzk_msm_ctx;

/* With c = 2 a half of the scalar and the bias together could pass 2^127. */
#define MSM_C_MIN      3u
#define MSM_C_MAX      22u
/* Most ranges into which the scalars are cut for counting and scattering. */
#define MSM_MAX_RANGES 256u

/*
 * Windows and partitions for m scalars of `bits` bits and a sign. A bucket has the number
 * window * 2^c1 + |digit| - 1, c1 = c - 1; 2^low consecutive buckets form a partition, which is
 * what one task sorts and sums. `group` windows are in memory at a time.
 */
typedef struct cuzk_msm_plan {
    unsigned bits, c, windows, low, group;
    size_t group_parts; /* partitions per group */
    size_t parts;       /* over all groups */
    cuzk_i128 bias;     /* added to a scalar, makes its digits plain bit fields minus 2^c1 */
} cuzk_msm_plan;

/** m > 0, 1 <= bits <= 127. */
void cuzk_msm_plan_make(cuzk_msm_plan *p, const cuzk_msm_engine *eng, size_t m, unsigned bits);
/** As cuzk_msm_plan_make with the window given, for tests and measurements. */
void cuzk_msm_plan_make_c(cuzk_msm_plan *p, size_t m, unsigned bits, unsigned c);

/** Digit of window w of a biased scalar, in [-2^c1, 2^c1]. */
static inline int32_t cuzk_msm_digit(const cuzk_msm_plan *p, cuzk_i128 biased, unsigned w)
{
    if (w + 1 == p->windows) {
        return (int32_t)(biased >> (p->c * w));
    }
    const uint32_t v = (uint32_t)((cuzk_u128)biased >> (p->c * w)) & ((1u << p->c) - 1);
    return (int32_t)v - (int32_t)(1u << (p->c - 1));
}

/** Number of the bucket for digit d != 0 of window w. */
static inline size_t cuzk_msm_bucket(const cuzk_msm_plan *p, unsigned w, int32_t d)
{
    const size_t mag = (size_t)(d < 0 ? -d : d);
    return ((size_t)w << (p->c - 1)) + mag - 1;
}

/*
 * A set of scalars ready for the buckets: element i is the base idx[i] with k[dim * i], and for
 * dim 2 its image under the endomorphism with k[dim * i + 1]. hist[r * plan.parts + q] counts the
 * nonzero digits of range r, elements [cut[r], cut[r + 1]), that fall into partition q.
 */
typedef struct cuzk_msm_set {
    cuzk_msm_plan plan;
    const uint32_t *idx;
    cuzk_i128 *k;
    size_t n;
    unsigned dim;
    size_t ranges;
    size_t cut[MSM_MAX_RANGES + 1];
    uint32_t *hist;
} cuzk_msm_set;

/** Counts the digits of one biased scalar. hist: of its range. */
static inline void cuzk_msm_count(const cuzk_msm_plan *p, uint32_t *hist, cuzk_i128 biased)
{
    for (unsigned w = 0; w < p->windows; w++) {
        const int32_t d = cuzk_msm_digit(p, biased, w);
        if (d != 0) {
            hist[cuzk_msm_bucket(p, w, d) >> p->low]++;
        }
    }
}

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
