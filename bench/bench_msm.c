/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Multi-scalar multiplication on one thread, distinct random bases. "cuzk" is the engine that this
 * processor gets, "scalar" the one without vectors (with ADX where there is ADX).
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "msm/msm.h"
#include "msm/msm_run.h"

#include "bench.h"
#ifdef CUZK_PEER_BLST
#    include "blst.h"
#endif

#define LG(c) ((unsigned)((c)->arg & 0xff))

typedef enum work { WORK_FULL, WORK_MIXED, WORK_BITS, WORK_FIXED } work;
#define WORK(c) ((work)((c)->arg >> 8 & 0xff))
#define IS_G2   (1u << 16)
#define SCALAR  (1u << 17)

typedef struct data {
    const bench_case *c;
    bool g2;
    size_t n;
    unsigned char *bases;
    cuzk_scalar *scalars;
    uint64_t *bits;
    unsigned char *out; /* fixed base */
    const void **pointers;
    void *scratch;
} data;

static void teardown(void *state)
{
    data *d = state;
    cuzk_free(d->scratch);
    cuzk_free(d->pointers);
    cuzk_free(d->out);
    cuzk_free(d->bits);
    cuzk_free(d->scalars);
    cuzk_free(d->bases);
    cuzk_free(d);
}

static void fill_scalars(data *d, uint64_t seed)
{
    bench_fill(d->scalars, d->n * sizeof(*d->scalars), seed);
    for (size_t i = 0; i < d->n; i++) {
        d->scalars[i].l[3] >>= 2; /* < 2^254 < r */
    }
}

static void *setup(const bench_case *c)
{
    data *d = cuzk_alloc_zero(1, sizeof(*d));
    if (d == NULL) {
        return NULL;
    }
    d->c = c;
    d->g2 = (c->arg & IS_G2) != 0;
    d->n = (size_t)1 << LG(c);
    const size_t each = d->g2 ? sizeof(cuzk_g2_affine) : sizeof(cuzk_g1_affine);
    d->bases = cuzk_alloc(d->n, each);
    d->scalars = cuzk_alloc(d->n, sizeof(*d->scalars));
    d->bits = cuzk_alloc(d->n / 64, sizeof(*d->bits));
    d->out = cuzk_alloc(WORK(c) == WORK_FIXED ? d->n : 0, each);
    d->pointers = cuzk_alloc(2, sizeof(*d->pointers));
    if (d->bases == NULL || d->scalars == NULL || d->bits == NULL || d->out == NULL ||
        d->pointers == NULL) {
        teardown(d);
        return NULL;
    }
    fill_scalars(d, 1);
    const cuzk_status st =
        d->g2 ? cuzk_fixed_base_g2((cuzk_g2_affine *)(void *)d->bases, &CUZK_G2_GENERATOR,
                                   d->scalars, d->n, NULL, NULL, NULL)
              : cuzk_fixed_base_g1((cuzk_g1_affine *)(void *)d->bases, &CUZK_G1_GENERATOR,
                                   d->scalars, d->n, NULL, NULL, NULL);
    fill_scalars(d, 2);
    bench_fill(d->bits, d->n / 8, 3);
    for (size_t i = 0; i < d->n && WORK(c) == WORK_MIXED; i++) { /* a witness: mostly bits */
        if (i % 16 != 0) {
            d->scalars[i] = (cuzk_scalar){{d->scalars[i].l[0] & 1, 0, 0, 0}};
        }
    }
    if (st != CUZK_OK) {
        teardown(d);
        return NULL;
    }
    return d;
}

static void run(void *state, uint64_t iters)
{
    data *d = state;
    const bool scalar = (d->c->arg & SCALAR) != 0;
    const cuzk_msm_run_cfg cfg = {d->g2 ? (scalar ? &CUZK_MSM_ENGINE_G2 : cuzk_msm_engine_g2())
                                        : (scalar ? &CUZK_MSM_ENGINE_G1 : cuzk_msm_engine_g1()),
                                  NULL, NULL};
    for (uint64_t i = 0; i < iters; i++) {
        cuzk_msm_acc acc;
        cuzk_status st = CUZK_OK;
        switch (WORK(d->c)) {
        case WORK_FULL:
        case WORK_MIXED:
            st = cuzk_msm_run(&acc, &cfg, d->bases, d->scalars, d->n, 255, NULL);
            break;
        case WORK_BITS: st = cuzk_msm_run_bits(&acc, &cfg, d->bases, d->bits, d->n, NULL); break;
        case WORK_FIXED:
            st = cuzk_msm_run_fixed(d->out, &cfg, d->bases, d->scalars, d->n, NULL);
            break;
        default: st = CUZK_E_INVALID;
        }
        if (st != CUZK_OK) {
            exit(1);
        }
        bench_use(&acc);
    }
}

#ifdef CUZK_PEER_BLST
static void *setup_peer(const bench_case *c)
{
    data *d = setup(c);
    if (d == NULL) {
        return NULL;
    }
    d->pointers[0] = d->bases;
    d->pointers[1] = NULL;
    d->scratch = cuzk_alloc(1, d->g2 ? blst_p2s_mult_pippenger_scratch_sizeof(d->n)
                                     : blst_p1s_mult_pippenger_scratch_sizeof(d->n));
    if (d->scratch == NULL) {
        teardown(d);
        return NULL;
    }
    return d;
}

/* Same layouts; blst's scalars are bytes, little-endian. */
static void run_peer(void *state, uint64_t iters)
{
    data *d = state;
    const byte *const scalars[2] = {(const byte *)d->scalars, NULL};
    for (uint64_t i = 0; i < iters; i++) {
        if (d->g2) {
            blst_p2 out;
            const blst_p2_affine *const points[2] = {(const void *)d->bases, NULL};
            blst_p2s_mult_pippenger(&out, points, d->n, scalars, 255, d->scratch);
            bench_use(&out);
        } else {
            blst_p1 out;
            const blst_p1_affine *const points[2] = {(const void *)d->bases, NULL};
            blst_p1s_mult_pippenger(&out, points, d->n, scalars, 255, d->scratch);
            bench_use(&out);
        }
    }
}
#    define PEER(group, what, lg, flags, long_one)        \
        {.name = "msm/" group "_" what "/blst/lg_n=" #lg, \
         .setup = setup_peer,                             \
         .run = run_peer,                                 \
         .teardown = teardown,                            \
         .unit = "point",                                 \
         .units = 1u << (lg),                             \
         .arg = (lg) | (flags),                           \
         .big = (long_one)},
#else
#    define PEER(group, what, lg, flags, long_one)
#endif

#define OURS(group, what, variant, lg, flags, long_one)      \
    {.name = "msm/" group "_" what "/" variant "/lg_n=" #lg, \
     .setup = setup,                                         \
     .run = run,                                             \
     .teardown = teardown,                                   \
     .unit = "point",                                        \
     .units = 1u << (lg),                                    \
     .arg = (lg) | (flags),                                  \
     .big = (long_one)},
#define BOTH(group, what, lg, flags, long_one)     \
    OURS(group, what, "cuzk", lg, flags, long_one) \
    OURS(group, what, "scalar", lg, (flags) | SCALAR, long_one)

/* clang-format off */
static const bench_case cases[] = {
    BOTH("g1", "full", 8, 0u, false)
    PEER("g1", "full", 12, 0u, false)
    BOTH("g1", "full", 12, 0u, false)
    PEER("g1", "full", 16, 0u, false)
    BOTH("g1", "full", 16, 0u, false)
    PEER("g1", "full", 20, 0u, true)
    BOTH("g1", "full", 20, 0u, true)
    PEER("g2", "full", 12, IS_G2, false)
    BOTH("g2", "full", 12, IS_G2, false)
    PEER("g2", "full", 16, IS_G2, true)
    BOTH("g2", "full", 16, IS_G2, true)
    PEER("g1", "mixed", 16, (uint64_t)WORK_MIXED << 8, false)
    BOTH("g1", "mixed", 16, (uint64_t)WORK_MIXED << 8, false)
    BOTH("g1", "bits", 20, (uint64_t)WORK_BITS << 8, false)
    BOTH("g2", "bits", 18, (uint64_t)WORK_BITS << 8 | IS_G2, false)
    BOTH("g1", "fixed", 14, (uint64_t)WORK_FIXED << 8, false)
    BOTH("g2", "fixed", 14, (uint64_t)WORK_FIXED << 8 | IS_G2, false)
};
/* clang-format on */

BENCH_MODULE(msm, cases)
