/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "aggregate/points/points.h"

#include "base/alloc.h"
#include "ec/x4/fold_x4.h"

/* Points that share the inversion of their way back to affine coordinates. */
enum { GROUP = 32 };

static cuzk_status report(cuzk_status st, cuzk_err *err)
{
    return st == CUZK_OK ? CUZK_OK : CUZK_FAIL(err, st, "folding: %s", cuzk_status_text(st));
}

void cuzk_agg_powers(cuzk_fr *out, const cuzk_fr *base, size_t n)
{
    cuzk_fr p = CUZK_FR_ONE;
    for (size_t i = 0; i < n; i++) {
        out[i] = p;
        cuzk_fr_mul(&p, &p, base);
    }
}

/* A fold of this many points or more goes into lanes, where the processor has them. */
enum { MIN_FOR_LANES = 3 };

#ifdef CUZK_FF_AVX2
_Static_assert((int)GROUP <= CUZK_EC_FOLD_BATCH, "a group is one call");

/* NULL where the processor has no lanes, and when there is no memory: then one point at a time. */
static unsigned char *lane_space(cuzk_pool *pool)
{
    return cuzk_cpu_has(CUZK_CPU_AVX2) ? cuzk_alloc(cuzk_pool_threads(pool), CUZK_EC_FOLD_BYTES)
                                       : NULL;
}
#    define FOLD_IN_LANES(group, j, at, n, worker) \
        ((j)->lanes != NULL && (n) >= MIN_FOR_LANES && fold_##group(j, at, n, worker))
#else
static unsigned char *lane_space(cuzk_pool *pool)
{
    (void)pool;
    return NULL;
}
#    define FOLD_IN_LANES(group, j, at, n, worker) false
#endif

typedef struct g1_job {
    cuzk_g1_affine *out;
    const cuzk_g1_affine *p;
    const cuzk_fr *k;     /* [n]; one for all when folding; NULL: 1 */
    size_t half;          /* folding: distance to the second half; 0: scaling */
    unsigned char *lanes; /* [workers][CUZK_EC_FOLD_BYTES], or NULL */
} g1_job;

#ifdef CUZK_FF_AVX2
static bool fold_g1(const g1_job *j, size_t at, size_t n, unsigned worker)
{
    cuzk_scalar k;
    cuzk_fr_to_scalar(&k, j->k);
    cuzk_g1_fold_avx2(j->out + at, j->p + at, j->p + at + j->half, &k, n,
                      j->lanes + worker * CUZK_EC_FOLD_BYTES);
    return true;
}
#endif

static cuzk_status g1_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    const g1_job *j = arg;
    (void)worker;
    for (size_t at = begin; at < end; at += GROUP) {
        const size_t n = end - at < GROUP ? end - at : GROUP;
        cuzk_g1 jac[GROUP];
        cuzk_fp scratch[GROUP];
        if (FOLD_IN_LANES(g1, j, at, n, worker)) {
            continue;
        }
        for (size_t i = 0; i < n; i++) {
            cuzk_scalar k;
            cuzk_g1_from_affine(&jac[i], &j->p[at + i + j->half]);
            if (j->k != NULL) {
                cuzk_fr_to_scalar(&k, j->half != 0 ? j->k : &j->k[at + i]);
                cuzk_g1_mul(&jac[i], &jac[i], &k);
            }
            if (j->half != 0) {
                cuzk_g1_add_affine(&jac[i], &jac[i], &j->p[at + i]);
            }
        }
        cuzk_g1_batch_to_affine(j->out + at, jac, scratch, n);
    }
    return CUZK_OK;
}

cuzk_status cuzk_agg_fold_g1(cuzk_g1_affine *p, size_t half, const cuzk_fr *k, cuzk_pool *pool,
                             const cuzk_cancel *cancel, cuzk_err *err)
{
    g1_job j = {p, p, k, half, lane_space(pool)};
    const cuzk_status st = cuzk_parallel_for(pool, cancel, half, 0, g1_range, &j);
    cuzk_free(j.lanes);
    return report(st, err);
}

cuzk_status cuzk_agg_sum_halves_g1(cuzk_g1_affine *out, const cuzk_g1_affine *p, size_t half,
                                   cuzk_pool *pool, const cuzk_cancel *cancel, cuzk_err *err)
{
    g1_job j = {out, p, NULL, half, NULL};
    return report(cuzk_parallel_for(pool, cancel, half, 0, g1_range, &j), err);
}

cuzk_status cuzk_agg_scale_g1(cuzk_g1_affine *out, const cuzk_g1_affine *p, const cuzk_fr *k,
                              size_t n, cuzk_pool *pool, const cuzk_cancel *cancel, cuzk_err *err)
{
    g1_job j = {out, p, k, 0, NULL};
    return report(cuzk_parallel_for(pool, cancel, n, 0, g1_range, &j), err);
}

typedef struct g2_job {
    cuzk_g2_affine *out;
    const cuzk_g2_affine *p;
    const cuzk_fr *k;     /* [n]; one for all when folding; NULL: 1 */
    size_t half;          /* folding: distance to the second half; 0: scaling */
    unsigned char *lanes; /* [workers][CUZK_EC_FOLD_BYTES], or NULL */
} g2_job;

#ifdef CUZK_FF_AVX2
static bool fold_g2(const g2_job *j, size_t at, size_t n, unsigned worker)
{
    cuzk_scalar k;
    cuzk_fr_to_scalar(&k, j->k);
    cuzk_g2_fold_avx2(j->out + at, j->p + at, j->p + at + j->half, &k, n,
                      j->lanes + worker * CUZK_EC_FOLD_BYTES);
    return true;
}
#endif

static cuzk_status g2_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    const g2_job *j = arg;
    (void)worker;
    for (size_t at = begin; at < end; at += GROUP) {
        const size_t n = end - at < GROUP ? end - at : GROUP;
        cuzk_g2 jac[GROUP];
        cuzk_fp2 scratch[GROUP];
        if (FOLD_IN_LANES(g2, j, at, n, worker)) {
            continue;
        }
        for (size_t i = 0; i < n; i++) {
            cuzk_scalar k;
            cuzk_g2_from_affine(&jac[i], &j->p[at + i + j->half]);
            if (j->k != NULL) {
                cuzk_fr_to_scalar(&k, j->half != 0 ? j->k : &j->k[at + i]);
                cuzk_g2_mul(&jac[i], &jac[i], &k);
            }
            if (j->half != 0) {
                cuzk_g2_add_affine(&jac[i], &jac[i], &j->p[at + i]);
            }
        }
        cuzk_g2_batch_to_affine(j->out + at, jac, scratch, n);
    }
    return CUZK_OK;
}

cuzk_status cuzk_agg_fold_g2(cuzk_g2_affine *p, size_t half, const cuzk_fr *k, cuzk_pool *pool,
                             const cuzk_cancel *cancel, cuzk_err *err)
{
    g2_job j = {p, p, k, half, lane_space(pool)};
    const cuzk_status st = cuzk_parallel_for(pool, cancel, half, 0, g2_range, &j);
    cuzk_free(j.lanes);
    return report(st, err);
}

cuzk_status cuzk_agg_sum_halves_g2(cuzk_g2_affine *out, const cuzk_g2_affine *p, size_t half,
                                   cuzk_pool *pool, const cuzk_cancel *cancel, cuzk_err *err)
{
    g2_job j = {out, p, NULL, half, NULL};
    return report(cuzk_parallel_for(pool, cancel, half, 0, g2_range, &j), err);
}

cuzk_status cuzk_agg_scale_g2(cuzk_g2_affine *out, const cuzk_g2_affine *p, const cuzk_fr *k,
                              size_t n, cuzk_pool *pool, const cuzk_cancel *cancel, cuzk_err *err)
{
    g2_job j = {out, p, k, 0, NULL};
    return report(cuzk_parallel_for(pool, cancel, n, 0, g2_range, &j), err);
}
