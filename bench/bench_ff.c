/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Field operations. "chain": each call uses the last result (latency); else independent calls. */
#include "ff/fp_wide.h"
#include "ff/fr.h"
#include "ff/tower/fp2.h"

#include "bench.h"
#ifdef CUZK_PEER_BLST
#    include "blst.h"
#endif

#define X64 0u
#define ADX CUZK_CPU_ADX
#ifdef CUZK_FF_X64
#    define NATIVE "x64"
#else
#    define NATIVE "inline"
#endif

typedef struct data {
    cuzk_fp2 a, b;
    cuzk_fp square;   /* a.c0^2 */
    cuzk_fp2 square2; /* a^2 */
    cuzk_fr r, s;
    cuzk_fp2 out[8];
    cuzk_fp_wide wide[8];
} data;

static data the_data;

static void *setup(const bench_case *c)
{
    (void)c;
    uint64_t raw[24];
    bench_fill(raw, sizeof(raw), 1);
    cuzk_fp_from_canonical(&the_data.a.c0, raw);
    cuzk_fp_from_canonical(&the_data.a.c1, raw + 6);
    cuzk_fp_from_canonical(&the_data.b.c0, raw + 12);
    cuzk_fp_from_canonical(&the_data.b.c1, raw + 18);
    cuzk_fp_sqr(&the_data.square, &the_data.a.c0);
    cuzk_fp2_sqr(&the_data.square2, &the_data.a);
    cuzk_fr_from_scalar(&the_data.r, (const cuzk_scalar *)(const void *)raw);
    cuzk_fr_from_scalar(&the_data.s, (const cuzk_scalar *)(const void *)(raw + 4));
    cuzk_fp_wide_mul(&the_data.wide[0], &the_data.a.c0, &the_data.b.c0);
    cuzk_fp_wide_mul(&the_data.wide[1], &the_data.a.c1, &the_data.b.c1);
    return &the_data;
}

/* Inversions change their input each time: with a fixed one, branches would be learnt by heart. */
/* A run function that calls `expr` on d, with i the number of the iteration. */
#define RUN(name, expr)                           \
    static void name(void *state, uint64_t iters) \
    {                                             \
        data *d = state;                          \
        for (uint64_t i = 0; i < iters; i++) {    \
            expr;                                 \
            bench_use(d);                         \
        }                                         \
    }

#define FP_OUT (&d->out[i & 7].c0)
#define FR_OUT ((cuzk_fr *)(void *)&d->out[i & 7])
#define W_OUT  (&d->wide[2 + (i & 3)])

RUN(fp_mul, cuzk_fp_mul(FP_OUT, &d->a.c0, &d->b.c0))
RUN(fp_mul_chain, cuzk_fp_mul(&d->a.c0, &d->a.c0, &d->b.c0))
RUN(fp_mul_c, cuzk_fp_mul_c(FP_OUT, &d->a.c0, &d->b.c0))
RUN(fp_sqr, cuzk_fp_sqr(FP_OUT, &d->a.c0))
RUN(fp_add, cuzk_fp_add(FP_OUT, &d->a.c0, &d->b.c0))
RUN(fp_add_hd, cuzk_fp_add_hd(FP_OUT, &d->a.c0, &d->b.c0))
RUN(fp_sub, cuzk_fp_sub(FP_OUT, &d->a.c0, &d->b.c0))
RUN(fp_sub_hd, cuzk_fp_sub_hd(FP_OUT, &d->a.c0, &d->b.c0))
RUN(fp_inv, cuzk_fp_inv(&d->a.c0, &d->a.c0); cuzk_fp_add(&d->a.c0, &d->a.c0, &d->b.c0))
RUN(fp_inv_ct, cuzk_fp_inv_ct(&d->a.c0, &d->a.c0); cuzk_fp_add(&d->a.c0, &d->a.c0, &d->b.c0))
RUN(fr_inv_ct, cuzk_fr_inv_ct(&d->r, &d->r); cuzk_fr_add(&d->r, &d->r, &d->s))
RUN(fp_sqrt, (void)cuzk_fp_sqrt(FP_OUT, &d->square))
RUN(fp_wide_mul, cuzk_fp_wide_mul(W_OUT, &d->a.c0, &d->b.c0))
RUN(fp_wide_mul_c, cuzk_fp_wide_mul_c(W_OUT, &d->a.c0, &d->b.c0))
RUN(fp_wide_sqr, cuzk_fp_wide_sqr(W_OUT, &d->a.c0))
RUN(fp_muldiff, cuzk_fp_muldiff(FP_OUT, &d->a.c0, &d->b.c0, &d->a.c1, &d->b.c1))
RUN(fp_muldiff_c, cuzk_fp_muldiff_c(FP_OUT, &d->a.c0, &d->b.c0, &d->a.c1, &d->b.c1))
RUN(fp_redc, cuzk_fp_redc(FP_OUT, &d->wide[0]))
RUN(fp_redc_c, cuzk_fp_redc_c(FP_OUT, &d->wide[0]))
RUN(fp_wide_add, cuzk_fp_wide_add(W_OUT, &d->wide[0], &d->wide[1]))
RUN(fp_wide_sub, cuzk_fp_wide_sub(W_OUT, &d->wide[0], &d->wide[1]))
RUN(fp2_mul, cuzk_fp2_mul(&d->out[i & 7], &d->a, &d->b))
RUN(fp2_sqr, cuzk_fp2_sqr(&d->out[i & 7], &d->a))
RUN(fp2_mul_c, cuzk_fp2_mul_c(&d->out[i & 7], &d->a, &d->b))
RUN(fp2_sqr_c, cuzk_fp2_sqr_c(&d->out[i & 7], &d->a))
RUN(fp2_add, cuzk_fp2_add(&d->out[i & 7], &d->a, &d->b))
RUN(fp2_inv, cuzk_fp2_inv(&d->out[i & 7], &d->a))
RUN(fp2_sqrt, (void)cuzk_fp2_sqrt(&d->out[i & 7], &d->square2))
RUN(fr_mul, cuzk_fr_mul(FR_OUT, &d->r, &d->s))
RUN(fr_mul_chain, cuzk_fr_mul(&d->r, &d->r, &d->s))
RUN(fr_mul_c, cuzk_fr_mul_c(FR_OUT, &d->r, &d->s))
RUN(fr_sqr, cuzk_fr_sqr(FR_OUT, &d->r))
RUN(fr_add, cuzk_fr_add(FR_OUT, &d->r, &d->s))
RUN(fr_add_hd, cuzk_fr_add_hd(FR_OUT, &d->r, &d->s))
RUN(fr_sub, cuzk_fr_sub(FR_OUT, &d->r, &d->s))
RUN(fr_inv, cuzk_fr_inv(&d->r, &d->r); cuzk_fr_add(&d->r, &d->r, &d->s))

#ifdef CUZK_PEER_BLST
/* Same layouts and Montgomery constants, so the same operands. */
#    define BFP(p)  ((const blst_fp *)(const void *)(p))
#    define BFP2(p) ((const blst_fp2 *)(const void *)(p))
#    define BFR(p)  ((const blst_fr *)(const void *)(p))
#    define BFP_OUT ((blst_fp *)(void *)FP_OUT)
#    define BF2_OUT ((blst_fp2 *)(void *)FP_OUT)
#    define BFR_OUT ((blst_fr *)(void *)FP_OUT)
RUN(peer_fp_mul, blst_fp_mul(BFP_OUT, BFP(&d->a.c0), BFP(&d->b.c0)))
RUN(peer_fp_mul_chain, blst_fp_mul((blst_fp *)(void *)&d->a.c0, BFP(&d->a.c0), BFP(&d->b.c0)))
RUN(peer_fp_sqr, blst_fp_sqr(BFP_OUT, BFP(&d->a.c0)))
RUN(peer_fp_add, blst_fp_add(BFP_OUT, BFP(&d->a.c0), BFP(&d->b.c0)))
RUN(peer_fp_sub, blst_fp_sub(BFP_OUT, BFP(&d->a.c0), BFP(&d->b.c0)))
RUN(peer_fp_inv, blst_fp_eucl_inverse((blst_fp *)(void *)&d->a.c0, BFP(&d->a.c0));
    cuzk_fp_add(&d->a.c0, &d->a.c0, &d->b.c0))
RUN(peer_fp_sqrt, (void)blst_fp_sqrt(BFP_OUT, BFP(&d->square)))
RUN(peer_fp2_mul, blst_fp2_mul(BF2_OUT, BFP2(&d->a), BFP2(&d->b)))
RUN(peer_fp2_sqr, blst_fp2_sqr(BF2_OUT, BFP2(&d->a)))
RUN(peer_fp2_add, blst_fp2_add(BF2_OUT, BFP2(&d->a), BFP2(&d->b)))
RUN(peer_fp2_sqrt, (void)blst_fp2_sqrt(BF2_OUT, BFP2(&d->square2)))
RUN(peer_fr_mul, blst_fr_mul(BFR_OUT, BFR(&d->r), BFR(&d->s)))
RUN(peer_fr_mul_chain, blst_fr_mul((blst_fr *)(void *)&d->r, BFR(&d->r), BFR(&d->s)))
RUN(peer_fr_sqr, blst_fr_sqr(BFR_OUT, BFR(&d->r)))
RUN(peer_fr_add, blst_fr_add(BFR_OUT, BFR(&d->r), BFR(&d->s)))
RUN(peer_fr_sub, blst_fr_sub(BFR_OUT, BFR(&d->r), BFR(&d->s)))
RUN(peer_fr_inv, blst_fr_eucl_inverse((blst_fr *)(void *)&d->r, BFR(&d->r));
    cuzk_fr_add(&d->r, &d->r, &d->s))
#    define PEER(op, fn) {.name = "ff/" op "/blst", .setup = setup, .run = (fn)},
#else
#    define PEER(op, fn)
#endif

#define ONE(op, variant, fn, flags) \
    {.name = "ff/" op "/" variant, .setup = setup, .run = (fn), .cpu = (flags)},

/* The first case of a group is what the others are compared with: the peer where there is one. */
/* clang-format off */
static const bench_case cases[] = {
    PEER("fp_mul", peer_fp_mul)
    ONE("fp_mul", "adx", fp_mul, ADX)
    ONE("fp_mul", "c", fp_mul_c, 0)
    PEER("fp_mul_chain", peer_fp_mul_chain)
    ONE("fp_mul_chain", "adx", fp_mul_chain, ADX)
    PEER("fp_sqr", peer_fp_sqr)
    ONE("fp_sqr", "adx", fp_sqr, ADX)
    PEER("fp_add", peer_fp_add)
    ONE("fp_add", NATIVE, fp_add, X64)
    ONE("fp_add", "c", fp_add_hd, 0)
    PEER("fp_sub", peer_fp_sub)
    ONE("fp_sub", NATIVE, fp_sub, X64)
    ONE("fp_sub", "c", fp_sub_hd, 0)
    PEER("fp_inv", peer_fp_inv)
    ONE("fp_inv", "var", fp_inv, 0)
    ONE("fp_inv", "ct", fp_inv_ct, 0)
    PEER("fp_sqrt", peer_fp_sqrt)
    ONE("fp_sqrt", "cuzk", fp_sqrt, 0)
    ONE("fp_wide_mul", "adx", fp_wide_mul, ADX)
    ONE("fp_wide_mul", "c", fp_wide_mul_c, 0)
    ONE("fp_wide_sqr", "adx", fp_wide_sqr, ADX)
    ONE("fp_muldiff", "adx", fp_muldiff, ADX)
    ONE("fp_muldiff", "c", fp_muldiff_c, 0)
    ONE("fp_redc", "adx", fp_redc, ADX)
    ONE("fp_redc", "c", fp_redc_c, 0)
    ONE("fp_wide_add", NATIVE, fp_wide_add, X64)
    ONE("fp_wide_sub", NATIVE, fp_wide_sub, X64)
    PEER("fp2_mul", peer_fp2_mul)
    ONE("fp2_mul", "adx", fp2_mul, ADX)
    ONE("fp2_mul", "c", fp2_mul_c, 0)
    PEER("fp2_sqr", peer_fp2_sqr)
    ONE("fp2_sqr", "adx", fp2_sqr, ADX)
    ONE("fp2_sqr", "c", fp2_sqr_c, 0)
    PEER("fp2_add", peer_fp2_add)
    ONE("fp2_add", "cuzk", fp2_add, 0)
    ONE("fp2_inv", "cuzk", fp2_inv, 0)
    PEER("fp2_sqrt", peer_fp2_sqrt)
    ONE("fp2_sqrt", "cuzk", fp2_sqrt, 0)
    PEER("fr_mul", peer_fr_mul)
    ONE("fr_mul", "adx", fr_mul, ADX)
    ONE("fr_mul", "c", fr_mul_c, 0)
    PEER("fr_mul_chain", peer_fr_mul_chain)
    ONE("fr_mul_chain", "adx", fr_mul_chain, ADX)
    PEER("fr_sqr", peer_fr_sqr)
    ONE("fr_sqr", "adx", fr_sqr, ADX)
    PEER("fr_add", peer_fr_add)
    ONE("fr_add", NATIVE, fr_add, X64)
    ONE("fr_add", "c", fr_add_hd, 0)
    PEER("fr_sub", peer_fr_sub)
    ONE("fr_sub", NATIVE, fr_sub, X64)
    PEER("fr_inv", peer_fr_inv)
    ONE("fr_inv", "var", fr_inv, 0)
    ONE("fr_inv", "ct", fr_inv_ct, 0)
};
/* clang-format on */

BENCH_MODULE(ff, cases)
