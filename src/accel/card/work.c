/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "work.h"

#define FP CUZK_FP_MULTIPLY_ADDS
#define FR CUZK_FR_MULTIPLY_ADDS

static const cuzk_kernel_work table[] = {
    /* slope, its square, y, and three products of the shared inversion; docs/cuda.md: some 500 bytes */
    {CUZK_KERNEL_TREE_G1, "affine addition in G1", 6 * FP, 500},
    /* as in G1 over Fp2: three products for one, two for a square */
    {CUZK_KERNEL_TREE_G2, "affine addition in G2", 17 * FP, 1000},
    /* 8 products and 2 squares; the point and its index */
    {CUZK_KERNEL_ACCUMULATE_G1, "addition in XYZZ, G1", 10 * FP, 96 + 4},
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
