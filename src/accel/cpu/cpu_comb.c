/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Combs from their definition. */
#include <string.h>

#include "cpu_internal.h"

/* Signs of a group's points; those that there are not have none that matters. */
static uint32_t signs_of(const uint64_t *bits, uint64_t n, uint64_t group, unsigned teeth)
{
    uint32_t signs = 0;
    for (unsigned i = 0; i < teeth; i++) {
        const uint64_t at = group * teeth + i;
        signs |= at < n && cpu_bit(bits, at) ? 1u << i : 0;
    }
    return signs;
}

#define COMB(G)                                                                                    \
    /* In place: what group k fills ends before the points of group k + 1. */                      \
    static void make_##G(cuzk_##G##_affine *points, uint64_t n, unsigned teeth)                    \
    {                                                                                              \
        const cuzk_##G##_affine *from = points + cuzk_accel_comb_first(n, teeth);                  \
        for (uint64_t k = 0; k < cuzk_accel_comb_groups(n, teeth); k++) {                          \
            cuzk_##G##_affine group[CUZK_ACCEL_MAX_TEETH];                                         \
            memcpy(group, from + k * teeth, teeth * sizeof(*group));                               \
            for (uint32_t m = 0; m < 1u << (teeth - 1); m++) {                                     \
                cuzk_##G sum;                                                                      \
                cuzk_##G##_from_affine(&sum, &group[teeth - 1]);                                   \
                for (unsigned i = 0; i + 1 < teeth; i++) {                                         \
                    cuzk_##G##_affine p = group[i];                                                \
                    if ((m >> i & 1) == 0) {                                                       \
                        cuzk_##G##_affine_neg(&p, &group[i]);                                      \
                    }                                                                              \
                    cuzk_##G##_add_affine(&sum, &sum, &p);                                         \
                }                                                                                  \
                cuzk_##G##_to_affine(&points[(k << (teeth - 1)) + m], &sum);                       \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void sum_##G(cuzk_##G *out, const cuzk_##G##_affine *comb, const uint64_t *bits,        \
                        uint64_t n, unsigned teeth)                                                \
    {                                                                                              \
        cuzk_##G##_set_infinity(out);                                                              \
        for (uint64_t k = 0; k < cuzk_accel_comb_groups(n, teeth); k++) {                          \
            bool negate;                                                                           \
            const uint32_t m = cuzk_accel_comb_entry(signs_of(bits, n, k, teeth), teeth, &negate); \
            cuzk_##G##_affine p = comb[(k << (teeth - 1)) + m];                                    \
            if (negate) {                                                                          \
                cuzk_##G##_affine_neg(&p, &p);                                                     \
            }                                                                                      \
            cuzk_##G##_add_affine(out, out, &p);                                                   \
        }                                                                                          \
    }

COMB(g1)
COMB(g2)

cuzk_status cpu_make_comb(const cuzk_accel_op *op, cuzk_err *err)
{
    const unsigned teeth = op->u.comb.teeth;
    if (teeth < CUZK_ACCEL_MIN_TEETH || teeth > CUZK_ACCEL_MAX_TEETH) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "a comb of %u teeth", teeth);
    }
    if (op->kind == CUZK_ACCEL_OP_COMB_G1) {
        make_g1(op->u.comb.d_points, op->u.comb.n, teeth);
    } else {
        make_g2(op->u.comb.d_points, op->u.comb.n, teeth);
    }
    return CUZK_OK;
}

void cpu_sum_signs(const cuzk_accel_op *op)
{
    cuzk_accel_sum s;
    memset(&s, 0, sizeof(s));
    s.is_g2 = op->kind == CUZK_ACCEL_OP_SIGNS_G2;
    if (s.is_g2) {
        sum_g2(&s.v.g2, op->u.msm.d_bases, op->u.msm.d_bits, op->u.msm.n, op->u.msm.teeth);
    } else {
        sum_g1(&s.v.g1, op->u.msm.d_bases, op->u.msm.d_bits, op->u.msm.n, op->u.msm.teeth);
    }
    *op->u.msm.sum = s;
}
