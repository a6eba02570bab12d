/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Constant time of the functions that promise it, under valgrind: secrets are marked as undefined,
 * so that memcheck reports every branch and every address that depends on them.
 * ct_ff: no report expected. ct_ff --leak: a variable-time inversion, which must be reported.
 */
#include <string.h>
#include <valgrind/memcheck.h>

#include "ff/fp_wide.h"
#include "ff/fr.h"

static void hide(void *p, size_t n)
{
    (void)VALGRIND_MAKE_MEM_UNDEFINED(p, n);
}

static void show(void *p, size_t n)
{
    (void)VALGRIND_MAKE_MEM_DEFINED(p, n);
}

static void fr_functions(void)
{
    cuzk_fr a = CUZK_FR_GENERATOR, b = CUZK_FR_ROOT_2_32, x;
    cuzk_scalar s;
    uint8_t wide[64];
    memset(wide, 0x5a, sizeof(wide));
    hide(&a, sizeof(a));
    hide(&b, sizeof(b));
    hide(wide, sizeof(wide));
    cuzk_fr_add(&x, &a, &b);
    cuzk_fr_sub(&x, &x, &a);
    cuzk_fr_neg(&x, &x);
    cuzk_fr_mul(&x, &x, &a);
    cuzk_fr_sqr(&x, &x);
    cuzk_fr_mul_c(&x, &x, &b);
    cuzk_fr_add_hd(&x, &x, &b);
    cuzk_fr_sub_hd(&x, &x, &a);
    cuzk_fr_neg_hd(&x, &x);
    cuzk_fr_inv_ct(&x, &x);
    cuzk_fr_to_scalar(&s, &x);
    cuzk_fr_from_scalar(&a, &s);
    cuzk_fr_from_wide_le_ct(&b, wide);
    show(&a, sizeof(a));
    show(&b, sizeof(b));
}

static void fp_functions(void)
{
    static const cuzk_fp two = {CUZK_FP_TWO_INV_LIMBS};
    cuzk_fp a = two, b = CUZK_FP_ONE, x;
    hide(&a, sizeof(a));
    hide(&b, sizeof(b));
    cuzk_fp_add(&x, &a, &b);
    cuzk_fp_sub(&x, &x, &a);
    cuzk_fp_neg(&x, &x);
    cuzk_fp_mul(&x, &x, &a);
    cuzk_fp_sqr(&x, &x);
    cuzk_fp_mulsum(&x, &x, &a, &b, &a);
    cuzk_fp_muldiff(&x, &x, &a, &b, &a);
    cuzk_fp_mul_c(&x, &x, &b);
    cuzk_fp_add_hd(&x, &x, &b);
    cuzk_fp_sub_hd(&x, &x, &a);
    cuzk_fp_neg_hd(&x, &x);
    cuzk_fp_inv_ct(&x, &x);
    show(&x, sizeof(x));
}

int main(int argc, char **argv)
{
    if (!RUNNING_ON_VALGRIND) {
        return 77;
    }
    if (argc > 1 && strcmp(argv[1], "--leak") == 0) {
        cuzk_fr a = CUZK_FR_GENERATOR;
        hide(&a, sizeof(a));
        cuzk_fr_inv(&a, &a);
        return 0;
    }
    fr_functions();
    fp_functions();
    return 0;
}
