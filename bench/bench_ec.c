/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Point operations on one thread. */
#include "ec/g1.h"
#include "ec/g2.h"

#include "bench.h"
#ifdef CUZK_PEER_BLST
#    include "blst.h"
#endif

typedef struct data {
    cuzk_g1 p1, q1;
    cuzk_g1_affine a1;
    cuzk_g1_xyzz x1;
    cuzk_g2 p2, q2;
    cuzk_g2_affine a2;
    cuzk_g2_xyzz x2;
    cuzk_scalar s;
    uint8_t c1[48], c2[96];
} data;

static data the_data;

static void *setup(const bench_case *c)
{
    (void)c;
    data *d = &the_data;
    cuzk_fr f;
    bench_fill(&d->s, sizeof(d->s), 7);
    cuzk_fr_from_scalar(&f, &d->s);
    cuzk_fr_to_scalar(&d->s, &f);
    cuzk_g1_from_affine(&d->p1, &CUZK_G1_GENERATOR);
    cuzk_g1_mul(&d->p1, &d->p1, &d->s);
    cuzk_g1_dbl(&d->q1, &d->p1);
    cuzk_g1_to_affine(&d->a1, &d->q1);
    cuzk_g1_xyzz_set_infinity(&d->x1);
    cuzk_g1_xyzz_add_affine(&d->x1, &d->x1, &CUZK_G1_GENERATOR);
    cuzk_g1_xyzz_add_affine(&d->x1, &d->x1, &d->a1);
    cuzk_g1_encode_compressed(d->c1, &d->a1);
    cuzk_g2_from_affine(&d->p2, &CUZK_G2_GENERATOR);
    cuzk_g2_mul(&d->p2, &d->p2, &d->s);
    cuzk_g2_dbl(&d->q2, &d->p2);
    cuzk_g2_to_affine(&d->a2, &d->q2);
    cuzk_g2_xyzz_set_infinity(&d->x2);
    cuzk_g2_xyzz_add_affine(&d->x2, &d->x2, &CUZK_G2_GENERATOR);
    cuzk_g2_xyzz_add_affine(&d->x2, &d->x2, &d->a2);
    cuzk_g2_encode_compressed(d->c2, &d->a2);
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

/* Chains: every call works on the last result. */
RUN(g1_dbl, cuzk_g1_dbl(&d->p1, &d->p1))
RUN(g1_add, cuzk_g1_add(&d->p1, &d->p1, &d->q1))
RUN(g1_add_affine, cuzk_g1_add_affine(&d->p1, &d->p1, &d->a1))
RUN(g1_xyzz_add_affine, cuzk_g1_xyzz_add_affine(&d->x1, &d->x1, &d->a1))
RUN(g1_mul, cuzk_g1_mul(&d->p1, &d->p1, &d->s))
RUN(g1_mul_ct, cuzk_g1_mul_ct(&d->p1, &d->p1, &d->s))
RUN(g1_subgroup, (void)cuzk_g1_affine_is_in_subgroup(&d->a1))
RUN(g1_decode, cuzk_ignore(cuzk_g1_decode_compressed(&d->a1, d->c1, CUZK_POINT_ON_CURVE)))
RUN(g1_to_affine, cuzk_g1_to_affine(&d->a1, &d->p1))
RUN(g2_dbl, cuzk_g2_dbl(&d->p2, &d->p2))
RUN(g2_add, cuzk_g2_add(&d->p2, &d->p2, &d->q2))
RUN(g2_add_affine, cuzk_g2_add_affine(&d->p2, &d->p2, &d->a2))
RUN(g2_xyzz_add_affine, cuzk_g2_xyzz_add_affine(&d->x2, &d->x2, &d->a2))
RUN(g2_mul, cuzk_g2_mul(&d->p2, &d->p2, &d->s))
RUN(g2_mul_ct, cuzk_g2_mul_ct(&d->p2, &d->p2, &d->s))
RUN(g2_subgroup, (void)cuzk_g2_affine_is_in_subgroup(&d->a2))
RUN(g2_decode, cuzk_ignore(cuzk_g2_decode_compressed(&d->a2, d->c2, CUZK_POINT_ON_CURVE)))
RUN(g2_to_affine, cuzk_g2_to_affine(&d->a2, &d->p2))

#ifdef CUZK_PEER_BLST
/* Same layouts and Montgomery constants, so the same operands. */
#    define B1(p)  ((blst_p1 *)(void *)(p))
#    define B1A(p) ((blst_p1_affine *)(void *)(p))
#    define B2(p)  ((blst_p2 *)(void *)(p))
#    define B2A(p) ((blst_p2_affine *)(void *)(p))
#    define BS     ((const uint8_t *)(const void *)&d->s)
RUN(peer_g1_dbl, blst_p1_double(B1(&d->p1), B1(&d->p1)))
RUN(peer_g1_add, blst_p1_add_or_double(B1(&d->p1), B1(&d->p1), B1(&d->q1)))
RUN(peer_g1_add_affine, blst_p1_add_or_double_affine(B1(&d->p1), B1(&d->p1), B1A(&d->a1)))
RUN(peer_g1_mul, blst_p1_mult(B1(&d->p1), B1(&d->p1), BS, 255))
RUN(peer_g1_subgroup, (void)blst_p1_affine_in_g1(B1A(&d->a1)))
RUN(peer_g1_decode, (void)blst_p1_uncompress(B1A(&d->a1), d->c1))
RUN(peer_g1_to_affine, blst_p1_to_affine(B1A(&d->a1), B1(&d->p1)))
RUN(peer_g2_dbl, blst_p2_double(B2(&d->p2), B2(&d->p2)))
RUN(peer_g2_add, blst_p2_add_or_double(B2(&d->p2), B2(&d->p2), B2(&d->q2)))
RUN(peer_g2_add_affine, blst_p2_add_or_double_affine(B2(&d->p2), B2(&d->p2), B2A(&d->a2)))
RUN(peer_g2_mul, blst_p2_mult(B2(&d->p2), B2(&d->p2), BS, 255))
RUN(peer_g2_subgroup, (void)blst_p2_affine_in_g2(B2A(&d->a2)))
RUN(peer_g2_decode, (void)blst_p2_uncompress(B2A(&d->a2), d->c2))
RUN(peer_g2_to_affine, blst_p2_to_affine(B2A(&d->a2), B2(&d->p2)))
#    define PEER(op, fn) {.name = "ec/" op "/blst", .setup = setup, .run = (fn)},
#else
#    define PEER(op, fn)
#endif
#define ONE(op, fn) {.name = "ec/" op "/cuzk", .setup = setup, .run = (fn)},

/* clang-format off */
static const bench_case cases[] = {
    PEER("g1_dbl", peer_g1_dbl)
    ONE("g1_dbl", g1_dbl)
    PEER("g1_add", peer_g1_add)
    ONE("g1_add", g1_add)
    PEER("g1_add_affine", peer_g1_add_affine)
    ONE("g1_add_affine", g1_add_affine)
    ONE("g1_xyzz_add_affine", g1_xyzz_add_affine)
    PEER("g1_mul", peer_g1_mul) /* constant time */
    ONE("g1_mul", g1_mul)
    {.name = "ec/g1_mul/cuzk_ct", .setup = setup, .run = g1_mul_ct},
    PEER("g1_subgroup", peer_g1_subgroup)
    ONE("g1_subgroup", g1_subgroup)
    PEER("g1_decode", peer_g1_decode)
    ONE("g1_decode", g1_decode)
    PEER("g1_to_affine", peer_g1_to_affine)
    ONE("g1_to_affine", g1_to_affine)
    PEER("g2_dbl", peer_g2_dbl)
    ONE("g2_dbl", g2_dbl)
    PEER("g2_add", peer_g2_add)
    ONE("g2_add", g2_add)
    PEER("g2_add_affine", peer_g2_add_affine)
    ONE("g2_add_affine", g2_add_affine)
    ONE("g2_xyzz_add_affine", g2_xyzz_add_affine)
    PEER("g2_mul", peer_g2_mul) /* constant time */
    ONE("g2_mul", g2_mul)
    {.name = "ec/g2_mul/cuzk_ct", .setup = setup, .run = g2_mul_ct},
    PEER("g2_subgroup", peer_g2_subgroup)
    ONE("g2_subgroup", g2_subgroup)
    PEER("g2_decode", peer_g2_decode)
    ONE("g2_decode", g2_decode)
    PEER("g2_to_affine", peer_g2_to_affine)
    ONE("g2_to_affine", g2_to_affine)
};
/* clang-format on */

BENCH_MODULE(ec, cases)
