/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Many points tested for their subgroup at once: points outside are found, also those that cancel out. */
#include <string.h>

#include "aggregate/points/subgroup.h"
#include "base/alloc.h"

#include "test.h"

enum { MOST = 700 };
static cuzk_g1_affine g1[MOST];
static cuzk_g2_affine g2[MOST];

static void fill(void)
{
    cuzk_g1 p;
    cuzk_g2 q;
    cuzk_g1_from_affine(&p, &CUZK_G1_GENERATOR);
    cuzk_g2_from_affine(&q, &CUZK_G2_GENERATOR);
    for (size_t i = 0; i < MOST; i++) {
        cuzk_g1_to_affine(&g1[i], &p);
        cuzk_g2_to_affine(&g2[i], &q);
        cuzk_g1_dbl(&p, &p);
        cuzk_g1_add_affine(&p, &p, &CUZK_G1_GENERATOR);
        cuzk_g2_dbl(&q, &q);
        cuzk_g2_add_affine(&q, &q, &CUZK_G2_GENERATOR);
    }
}

static bool all_g1(const cuzk_g1_affine *p, size_t n)
{
    bool all = false;
    cuzk_err err;
    CHECK_OK(cuzk_agg_g1_in_subgroup(&all, p, n, NULL, NULL, &err), &err);
    return all;
}

static bool all_g2(const cuzk_g2_affine *p, size_t n)
{
    bool all = false;
    cuzk_err err;
    CHECK_OK(cuzk_agg_g2_in_subgroup(&all, p, n, NULL, NULL, &err), &err);
    return all;
}

/* (0, 2), which has order three: a sum of random coefficients misses it in one of three times. */
static void of_order_three(cuzk_g1_affine *out)
{
    memset(out, 0, sizeof(*out));
    cuzk_fp_add(&out->y, &CUZK_FP_ONE, &CUZK_FP_ONE);
    CHECK(!cuzk_g1_affine_is_in_subgroup(out));
}

/* The first point of G2's curve with an abscissa of small integers. */
static void outside_g2(cuzk_g2_affine *out)
{
    uint8_t b[96] = {0x80};
    for (b[95] = 1; b[95] != 0; b[95]++) {
        if (cuzk_g2_decode_compressed(out, b, CUZK_POINT_ON_CURVE) == CUZK_OK) {
            break;
        }
    }
    CHECK(b[95] != 0 && !cuzk_g2_affine_is_in_subgroup(out));
}

static void finds_points_outside(void)
{
    static const size_t sizes[] = {1, 2, 192, MOST};
    cuzk_g1_affine t, minus;
    cuzk_g2_affine u, minus_u;
    fill();
    of_order_three(&t);
    cuzk_g1_affine_neg(&minus, &t);
    outside_g2(&u);
    cuzk_g2_affine_neg(&minus_u, &u);
    for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
        const size_t n = sizes[k], last = n - 1;
        CHECK(all_g1(g1, n) && all_g2(g2, n));
        const cuzk_g1_affine a0 = g1[0], a = g1[last];
        const cuzk_g2_affine b0 = g2[0], b = g2[last];
        g1[last] = t;
        g2[last] = u;
        CHECK(!all_g1(g1, n) && !all_g2(g2, n));
        if (n > 1) { /* their sum is inside */
            g1[0] = minus;
            g2[0] = minus_u;
            CHECK(!all_g1(g1, n) && !all_g2(g2, n));
        }
        g1[last] = a;
        g2[last] = b;
        g1[0] = a0;
        g2[0] = b0;
    }
    for (size_t i = 0; i < 99; i++) { /* three times three times ...: their sum is infinity */
        g1[3 * i] = t;
    }
    CHECK(!all_g1(g1, MOST));
}

static const cuzk_case cases[] = {CASE(finds_points_outside)};
TEST_MAIN("aggregate/subgroup", cases)
