/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Transforms, per butterfly (n lg n / 2 of them). Variants are instruction-set levels: a domain
 * keeps the kernel that the flags in force at its creation select. "fwd_rn_coset" and "inv_nr" are
 * the pair that a quotient polynomial needs; "fwd_nn" pays for the reversal too.
 */
#include "base/alloc.h"
#include "ntt/ntt.h"

#include "bench.h"

#define LEVEL_C    0u
#define LEVEL_ADX  CUZK_CPU_ADX
#define LEVEL_IFMA (CUZK_CPU_ADX | CUZK_CPU_AVX512IFMA)

/* bench_case.arg */
#define ARG(lg, threads, level) \
    ((uint64_t)(lg) | (uint64_t)(threads) << 8 | (uint64_t)(level) << 16)

typedef struct state {
    cuzk_ntt_domain *d;
    cuzk_pool *pool;
    cuzk_fr *a;
} state;

static void teardown(void *p)
{
    state *s = p;
    cuzk_free(s->a);
    cuzk_pool_destroy(s->pool);
    cuzk_ntt_domain_destroy(s->d);
    cuzk_free(s);
}

static void *setup(const bench_case *c)
{
    const unsigned lg = (unsigned)(c->arg & 0xff);
    const cuzk_pool_cfg cfg = {.n_threads = (unsigned)(c->arg >> 8 & 0xff)};
    const uint32_t in_force = cuzk_cpu_active;
    state *s = cuzk_alloc_zero(1, sizeof(*s));
    if (s == NULL) {
        return NULL;
    }
    cuzk_cpu_set_mask(in_force & (uint32_t)(c->arg >> 16));
    const cuzk_status made = cuzk_ntt_domain_create(&s->d, lg, NULL, NULL, NULL);
    cuzk_cpu_set_mask(in_force);
    s->a = cuzk_alloc((size_t)1 << lg, sizeof(cuzk_fr));
    if (made != CUZK_OK || s->a == NULL || cuzk_pool_create(&s->pool, &cfg, NULL) != CUZK_OK) {
        teardown(s);
        return NULL;
    }
    bench_fill(s->a, sizeof(cuzk_fr) << lg, lg);
    for (size_t i = 0; i < (size_t)1 << lg; i++) {
        cuzk_fr_from_scalar(&s->a[i], (const cuzk_scalar *)(const void *)&s->a[i]);
    }
    return s;
}

#define RUN(name, call)                        \
    static void name(void *p, uint64_t iters)  \
    {                                          \
        state *s = p;                          \
        for (uint64_t i = 0; i < iters; i++) { \
            cuzk_ignore(call);                 \
            bench_use(s->a);                   \
        }                                      \
    }

RUN(fwd_nr, cuzk_ntt_forward(s->d, s->a, CUZK_NTT_NR, NULL, s->pool, NULL, NULL))
RUN(fwd_nn, cuzk_ntt_forward(s->d, s->a, CUZK_NTT_NN, NULL, s->pool, NULL, NULL))
RUN(inv_nr, cuzk_ntt_inverse(s->d, s->a, CUZK_NTT_NR, NULL, s->pool, NULL, NULL))
RUN(fwd_rn_coset,
    cuzk_ntt_forward(s->d, s->a, CUZK_NTT_RN, &CUZK_FR_GENERATOR, s->pool, NULL, NULL))

RUN(fused, cuzk_ntt_to_coset(s->d, s->a, &CUZK_FR_GENERATOR, s->pool, NULL, NULL))

static void separate(void *p, uint64_t iters)
{
    for (uint64_t i = 0; i < iters; i++) {
        inv_nr(p, 1);
        fwd_rn_coset(p, 1);
    }
}

#define COSET(how, lg, threads, is_big)                              \
    {.name = "ntt/to_coset/" #how "/lg_n=" #lg "_threads=" #threads, \
     .setup = setup,                                                 \
     .run = (how),                                                   \
     .teardown = teardown,                                           \
     .unit = "butterfly",                                            \
     .units = (uint64_t)(lg) << (lg),                                \
     .big = (is_big),                                                \
     .arg = ARG(lg, threads, ~(uint32_t)0)},
#define ONE(op, variant, level, lg, threads, is_big)                   \
    {.name = "ntt/" #op "/" variant "/lg_n=" #lg "_threads=" #threads, \
     .setup = setup,                                                   \
     .run = (op),                                                      \
     .teardown = teardown,                                             \
     .unit = "butterfly",                                              \
     .units = (uint64_t)(lg) << ((lg)-1),                              \
     .cpu = (level),                                                   \
     .big = (is_big),                                                  \
     .arg = ARG(lg, threads, level)},
#define LEVELS(op, lg, threads, is_big)            \
    ONE(op, "c", LEVEL_C, lg, threads, is_big)     \
    ONE(op, "adx", LEVEL_ADX, lg, threads, is_big) \
    ONE(op, "ifma", LEVEL_IFMA, lg, threads, is_big)

/* clang-format off */
static const bench_case cases[] = {
    LEVELS(fwd_nr, 10, 1, false)
    LEVELS(fwd_nr, 16, 1, false)
    LEVELS(fwd_nr, 20, 1, false)
    LEVELS(fwd_nn, 20, 1, false)
    LEVELS(inv_nr, 20, 1, false)
    LEVELS(fwd_rn_coset, 20, 1, false)
    COSET(separate, 20, 1, false)
    COSET(fused, 20, 1, false)
    COSET(separate, 24, 2, true)
    COSET(fused, 24, 2, true)
    LEVELS(fwd_nr, 22, 1, true)
    LEVELS(fwd_nr, 22, 2, true)
    LEVELS(fwd_nr, 24, 1, true)
    LEVELS(fwd_nr, 24, 2, true)
    LEVELS(inv_nr, 24, 2, true)
    LEVELS(fwd_rn_coset, 24, 2, true)
};
/* clang-format on */

BENCH_MODULE(ntt, cases)
