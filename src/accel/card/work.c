/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "work.h"

#define FP           CUZK_FP_MULTIPLY_ADDS
#define FR           CUZK_FR_MULTIPLY_ADDS

/*
 * Bytes of a gather in G1, in fetches of 64: records of 96 bytes hold x and y, images are records of 48. A point's x is
 * 48 bytes at a multiple of 48: one fetch or two, by turns. A point is two fetches from its record, three where x
 * is an image's; two entries of three have an image.
 */
#define GATHER_X     96u
#define GATHER_POINT ((2 * 64u + 2 * 3 * 64u) / 3)
#define POINT        96u
#define PRODUCT      (2 * 48u) /* written going up, read coming down */
/* An addition of the tree: x of both points going up, both points coming down, the sum; its list entries twice. */
#define FIRST_LEVEL  (2 * GATHER_X + 2 * GATHER_POINT + 2 * 2 * 4 + PRODUCT + POINT)
#define NEXT_LEVEL   (POINT + 2 * POINT + PRODUCT + POINT)

static const cuzk_kernel_work table[] = {
    /* slope, its square, y, and three products of the shared inversion; three levels, with images. The first level
     * was measured: 597 bytes read of 742 (bench/results/2026-11-29-h200-msm-hex.md). */
    {CUZK_KERNEL_TREE_G1, "affine addition in G1", 6 * FP, (4 * FIRST_LEVEL + 3 * NEXT_LEVEL) / 7},
    /* as in G1 over Fp2: three products for one, two for a square */
    {CUZK_KERNEL_TREE_G2, "affine addition in G2", 17 * FP, 1000},
    /* 8 products and 2 squares; the point and its index */
    {CUZK_KERNEL_ACCUMULATE_G1, "addition in XYZZ, G1", 10 * FP, GATHER_POINT + 4},
    {CUZK_KERNEL_ACCUMULATE_G2, "addition in XYZZ, G2", 28 * FP, 192 + 4},
    /* two additions of 12 products and 2 squares; the bucket is read once */
    {CUZK_KERNEL_REDUCE_G1, "bucket, G1", 28 * FP, 192},
    {CUZK_KERNEL_HEX_PIECES_G1, "bucket of hexagonal digits, G1", 28 * FP, 192},
    /* ten levels of half a product each; the element is read and written */
    {CUZK_KERNEL_NTT_PASS, "element of a transform, ten levels", 5 * FR, 64},
    {CUZK_KERNEL_NTT_MIDDLE, "element of a transform, ten levels", 5 * FR, 64},
    /* a digit and its index, read and written */
    {CUZK_KERNEL_SPREAD, "digit, first step of the sort", 0, 16},
    {CUZK_KERNEL_PLACE, "digit, second step of the sort", 0, 12},
    {CUZK_KERNEL_DIGITS, "scalar to its digits", 0, 32 + 4 * 16},
    {CUZK_KERNEL_VEC_MUL, "product of two vectors", FR, 96},
    /* a coefficient, a wire's value, and their indices */
    {CUZK_KERNEL_EVAL_SHORT, "term of a row", FR, 32 + 8},
    /* both coordinates into Montgomery form, and the curve's equation: five products */
    {CUZK_KERNEL_DECODE_POINTS, "point of a parameter file", 5 * FP, 96 + 96},
};

const cuzk_kernel_work *cuzk_kernel_work_all(size_t *n)
{
    *n = sizeof(table) / sizeof(table[0]);
    return table;
}

double cuzk_kernel_balance(const cuzk_kernel_work *w, const cuzk_card_rates *card)
{
    const double arithmetic = w->multiply_adds / cuzk_card_multiply_adds(card);
    return arithmetic / ((double)w->bytes / card->memory_gbs);
}

/* An affine addition; what one takes more where a block shares its inversions, four of some 40 products for 256 pairs; an
 * addition in XYZZ. */
#define AFFINE       (6 * FP)
#define SHARED       (4 * 40 * FP / 256)
#define XYZZ         (10 * FP)
/* Of the ways through the cache: points come from memory once, sums go there and back. */
#define ONCE(levels) (GATHER_POINT + 4 + (2 * POINT >> (levels)))
/* PAIR_BYTES of accel/cuda/msm/tree_parts.cu, for an entry, with the inversions in one launch and in two. */
#define ONE_LAUNCH   (1184 / 2)
#define TWO_LAUNCHES (1552 / 2)

static const cuzk_adding_way ways[] = {
    {"XYZZ", XYZZ, GATHER_POINT + 4, 0, 0},
    {"tree of one level, then XYZZ", (AFFINE + XYZZ) / 2, (FIRST_LEVEL + POINT) / 2, 0, 0},
    {"tree of two levels, then XYZZ", (3 * AFFINE + XYZZ) / 4,
     (2 * FIRST_LEVEL + NEXT_LEVEL + POINT) / 4, 0, 0},
    {"tree of three levels, then XYZZ", (7 * AFFINE + XYZZ) / 8,
     (4 * FIRST_LEVEL + 3 * NEXT_LEVEL + POINT) / 8, 0, 0},
    {"two levels through the cache, if inversions took no time", (3 * (AFFINE + SHARED) + XYZZ) / 4,
     ONCE(2), 0, 0},
    {"two levels through the cache, an inversion in one launch", (3 * (AFFINE + SHARED) + XYZZ) / 4,
     ONCE(2), ONE_LAUNCH, 1},
    {"two levels through the cache, an inversion in two launches",
     (3 * (AFFINE + SHARED) + XYZZ) / 4, ONCE(2), TWO_LAUNCHES, 2},
};

const cuzk_adding_way *cuzk_adding_ways_all(size_t *n)
{
    *n = sizeof(ways) / sizeof(ways[0]);
    return ways;
}

/*
 * One inversion of accel/cuda/field/fp_inv_dev.cuh by a warp that is alone: 900 steps of five operations, each of which
 * waits for the one before, and 30 updates of 13 limbs. Counted, as the pause between launches is.
 */
#define INVERSION_CYCLES 45e3
#define LAUNCH_NS        3e3
#define CACHE_SHARE      0.625 /* what is not left to the points that pass through */

double cuzk_adding_way_ns(const cuzk_adding_way *w, const cuzk_card_rates *card,
                          uint32_t cache_bytes)
{
    const double arithmetic = w->multiply_adds / cuzk_card_multiply_adds(card);
    const double bytes = (double)w->bytes / card->memory_gbs;
    const double least = arithmetic > bytes ? arithmetic : bytes;
    if (w->launches == 0) {
        return least;
    }
    const double inversion_ns = INVERSION_CYCLES * 1e3 / card->clock_mhz;
    const double entries = CACHE_SHARE * cache_bytes / w->cached_bytes;
    const double waiting = (inversion_ns / w->launches + LAUNCH_NS) / entries;
    return waiting > least ? waiting : least;
}
