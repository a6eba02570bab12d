/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The pairing on one thread; one iteration is one pairing, or one product of pairings. */
#include "pairing/pairing.h"

#include "bench.h"
#ifdef CUZK_PEER_BLST
#    include "blst.h"
#endif

typedef struct data {
    cuzk_g1_affine p;
    cuzk_g2_affine q;
    cuzk_g2_prepared prep;
    cuzk_fp12 f, g;
} data;

static data the_data;

static void *setup(const bench_case *c)
{
    (void)c;
    data *d = &the_data;
    d->p = CUZK_G1_GENERATOR;
    d->q = CUZK_G2_GENERATOR;
    cuzk_g2_prepare(&d->prep, &d->q);
    const cuzk_pairing_term t = {&d->p, &d->q, NULL};
    cuzk_pairing_miller(&d->f, &t, 1);
    cuzk_pairing_final_exp(&d->g, &d->f);
    return d;
}

#define RUN(name, expr)                           \
    static void name(void *state, uint64_t iters) \
    {                                             \
        data *d = state;                          \
        for (uint64_t i = 0; i < iters; i++) {    \
            expr;                                 \
            bench_use(d);                         \
        }                                         \
    }

static void miller(data *d, size_t plain, size_t prepared)
{
    cuzk_pairing_term t[8];
    for (size_t i = 0; i < plain; i++) {
        t[i] = (cuzk_pairing_term){&d->p, &d->q, NULL};
    }
    for (size_t i = plain; i < plain + prepared; i++) {
        t[i] = (cuzk_pairing_term){&d->p, NULL, &d->prep};
    }
    cuzk_pairing_miller(&d->g, t, plain + prepared);
}

RUN(pairing, cuzk_pairing(&d->g, &d->p, &d->q))
RUN(miller_1, miller(d, 1, 0))
RUN(miller_prepared, miller(d, 0, 1))
RUN(miller_3, miller(d, 1, 2))
RUN(miller_8, miller(d, 8, 0))
RUN(prepare, cuzk_g2_prepare(&d->prep, &d->q))
RUN(final_exp, cuzk_pairing_final_exp(&d->g, &d->f))
RUN(fp12_mul, cuzk_fp12_mul(&d->g, &d->g, &d->f))
RUN(fp12_sqr, cuzk_fp12_sqr(&d->g, &d->g))
RUN(fp12_cyclotomic_sqr, cuzk_fp12_cyclotomic_sqr(&d->g, &d->g))
RUN(fp12_inv, cuzk_fp12_inv(&d->g, &d->f))
RUN(fp12_mul_014, cuzk_fp12_mul_014(&d->g, &d->g, &d->q.x, &d->q.y, &d->q.x))

#ifdef CUZK_PEER_BLST
#    define BP ((const blst_p1_affine *)(const void *)&d->p)
#    define BQ ((const blst_p2_affine *)(const void *)&d->q)
#    define BF ((const blst_fp12 *)(const void *)&d->f)
#    define BG ((blst_fp12 *)(void *)&d->g)
RUN(peer_miller_1, blst_miller_loop(BG, BQ, BP))
RUN(peer_final_exp, blst_final_exp(BG, BF))
RUN(peer_fp12_mul, blst_fp12_mul(BG, BG, BF))
RUN(peer_fp12_sqr, blst_fp12_sqr(BG, BG))
RUN(peer_fp12_cyclotomic_sqr, blst_fp12_cyclotomic_sqr(BG, BG))
RUN(peer_fp12_inv, blst_fp12_inverse(BG, BF))

static void peer_pairing(void *state, uint64_t iters)
{
    peer_miller_1(state, iters);
    peer_final_exp(state, iters);
}

static void peer_miller_8(void *state, uint64_t iters)
{
    data *d = state;
    const blst_p1_affine *p[8];
    const blst_p2_affine *q[8];
    for (size_t i = 0; i < 8; i++) {
        p[i] = BP;
        q[i] = BQ;
    }
    for (uint64_t i = 0; i < iters; i++) {
        blst_miller_loop_n(BG, q, p, 8);
        bench_use(d);
    }
}
#    define PEER(op, fn) {.name = "pairing/" op "/blst", .setup = setup, .run = (fn)},
#else
#    define PEER(op, fn)
#endif
#define ONE(op, fn) {.name = "pairing/" op "/cuzk", .setup = setup, .run = (fn)},

/* clang-format off */
static const bench_case cases[] = {
    PEER("pairing", peer_pairing)
    ONE("pairing", pairing)
    PEER("miller_1", peer_miller_1)
    ONE("miller_1", miller_1)
    {.name = "pairing/miller_1/cuzk_prepared", .setup = setup, .run = miller_prepared},
    ONE("miller_3_two_prepared", miller_3)
    PEER("miller_8", peer_miller_8)
    ONE("miller_8", miller_8)
    ONE("prepare", prepare)
    PEER("final_exp", peer_final_exp)
    ONE("final_exp", final_exp)
    PEER("fp12_mul", peer_fp12_mul)
    ONE("fp12_mul", fp12_mul)
    PEER("fp12_sqr", peer_fp12_sqr)
    ONE("fp12_sqr", fp12_sqr)
    PEER("fp12_cyclotomic_sqr", peer_fp12_cyclotomic_sqr)
    ONE("fp12_cyclotomic_sqr", fp12_cyclotomic_sqr)
    PEER("fp12_inv", peer_fp12_inv)
    ONE("fp12_inv", fp12_inv)
    ONE("fp12_mul_014", fp12_mul_014)
};
/* clang-format on */

BENCH_MODULE(pairing, cases)
