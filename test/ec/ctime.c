/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Constant-time evidence, to be run under valgrind's memcheck: the scalar is marked undefined, so
 * that a branch or an address that depends on it is reported as a use of an undefined value. With
 * "control" the variable-time multiplication runs instead, which must be reported (otherwise the
 * test would prove nothing).
 */
#include <stdio.h>
#include <string.h>
#include <valgrind/memcheck.h>

#include "cpu/cpu.h"
#include "ec/g1.h"
#include "ec/g2.h"

static void run(bool control, const cuzk_scalar *s)
{
    cuzk_g1 p, a;
    cuzk_g2 q, b;
    cuzk_g1_from_affine(&p, &CUZK_G1_GENERATOR);
    cuzk_g1_dbl(&p, &p);
    cuzk_g2_from_affine(&q, &CUZK_G2_GENERATOR);
    cuzk_g2_dbl(&q, &q);
    if (control) {
        cuzk_g1_mul(&a, &p, s);
        cuzk_g2_mul(&b, &q, s);
    } else {
        cuzk_g1_mul_ct(&a, &p, s);
        cuzk_g2_mul_ct(&b, &q, s);
        cuzk_g1_affine out_a;
        cuzk_g2_affine out_b;
        cuzk_g1_add_ct(&a, &a, &p);
        cuzk_g2_add_ct(&b, &b, &q);
        cuzk_g1_to_affine_ct(&out_a, &a);
        cuzk_g2_to_affine_ct(&out_b, &b);
    }
    (void)VALGRIND_MAKE_MEM_DEFINED(&a, sizeof(a)); /* the results are published */
    (void)VALGRIND_MAKE_MEM_DEFINED(&b, sizeof(b));
}

int main(int argc, char **argv)
{
    const bool control = argc > 1 && strcmp(argv[1], "control") == 0;
    cuzk_scalar s = {{0x0123456789abcdefULL, 0xfedcba9876543210ULL, 0x0f1e2d3c4b5a6978ULL,
                      0x1122334455667788ULL}};
    if (RUNNING_ON_VALGRIND == 0) {
        (void)fprintf(stderr, "not under valgrind\n");
        return 77;
    }
    (void)VALGRIND_MAKE_MEM_UNDEFINED(&s, sizeof(s));
    cuzk_cpu_set_mask(0);
    run(control, &s);
#ifdef CUZK_FF_ADX
    /* Not reported by valgrind's cpuid, but decoded and emulated on any machine. */
    cuzk_cpu_active = CUZK_CPU_ADX;
    run(control, &s);
#endif
    return 0;
}
