/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Pointwise operations on 4096 elements (128 KiB an array), per element. */
#include "ff/vec/fr_vec.h"

#include "bench.h"

#define N 4096

typedef struct arrays {
    cuzk_fr a[N], b[N], c[N], out[N];
    uint32_t in_force, mask;
} arrays;

static arrays the_arrays;

static void *setup(const bench_case *c)
{
    arrays *s = &the_arrays;
    bench_fill(s->a, sizeof(s->a) + sizeof(s->b) + sizeof(s->c), 3);
    cuzk_fr *all[3] = {s->a, s->b, s->c};
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < N; i++) {
            cuzk_fr_from_scalar(&all[k][i], (const cuzk_scalar *)(const void *)&all[k][i]);
        }
    }
    s->in_force = cuzk_cpu_active;
    (void)c;
    return s;
}

/* The functions choose by the flags in force, so a variant sets them around its run. */
#define RUN(name, flags, call)                   \
    static void name(void *p, uint64_t iters)    \
    {                                            \
        arrays *s = p;                           \
        cuzk_cpu_set_mask(s->in_force &(flags)); \
        for (uint64_t i = 0; i < iters; i++) {   \
            call;                                \
            bench_use(s->out);                   \
        }                                        \
        cuzk_cpu_set_mask(s->in_force);          \
    }

RUN(mul_adx, CUZK_CPU_ADX, cuzk_fr_vec_mul(s->out, s->a, s->b, N))
RUN(mul_ifma, ~0u, cuzk_fr_vec_mul(s->out, s->a, s->b, N))
RUN(mul_sub_adx, CUZK_CPU_ADX, cuzk_fr_vec_mul_sub(s->out, s->a, s->b, s->c, N))
RUN(mul_sub_ifma, ~0u, cuzk_fr_vec_mul_sub(s->out, s->a, s->b, s->c, N))
RUN(sub_scale_adx, CUZK_CPU_ADX, cuzk_fr_vec_sub_scale(s->out, s->a, s->c, &CUZK_FR_GENERATOR, N))
RUN(sub_scale_ifma, ~0u, cuzk_fr_vec_sub_scale(s->out, s->a, s->c, &CUZK_FR_GENERATOR, N))
RUN(to_scalar_adx, CUZK_CPU_ADX, cuzk_fr_vec_to_scalar((cuzk_scalar *)(void *)s->out, s->a, N))
RUN(to_scalar_ifma, ~0u, cuzk_fr_vec_to_scalar((cuzk_scalar *)(void *)s->out, s->a, N))
RUN(from_scalar_adx, CUZK_CPU_ADX,
    cuzk_fr_vec_from_scalar(s->out, (const cuzk_scalar *)(const void *)s->a, N))
RUN(from_scalar_ifma, ~0u,
    cuzk_fr_vec_from_scalar(s->out, (const cuzk_scalar *)(const void *)s->a, N))

#define ONE(op, variant, fn, flags) \
    {.name = "ff/fr_vec_" op "/" variant, .setup = setup, .run = (fn), .units = N, .cpu = (flags)},

/* clang-format off */
static const bench_case cases[] = {
    ONE("mul", "adx", mul_adx, CUZK_CPU_ADX)
    ONE("mul", "ifma", mul_ifma, CUZK_CPU_AVX512IFMA)
    ONE("mul_sub", "adx", mul_sub_adx, CUZK_CPU_ADX)
    ONE("mul_sub", "ifma", mul_sub_ifma, CUZK_CPU_AVX512IFMA)
    ONE("sub_scale", "adx", sub_scale_adx, CUZK_CPU_ADX)
    ONE("sub_scale", "ifma", sub_scale_ifma, CUZK_CPU_AVX512IFMA)
    ONE("to_scalar", "adx", to_scalar_adx, CUZK_CPU_ADX)
    ONE("to_scalar", "ifma", to_scalar_ifma, CUZK_CPU_AVX512IFMA)
    ONE("from_scalar", "adx", from_scalar_adx, CUZK_CPU_ADX)
    ONE("from_scalar", "ifma", from_scalar_ifma, CUZK_CPU_AVX512IFMA)
};
/* clang-format on */

BENCH_MODULE(ff_vec, cases)
