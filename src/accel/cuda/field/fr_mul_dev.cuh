/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_FR_MUL_DEV_CUH
#define CUZK_ACCEL_CUDA_FR_MUL_DEV_CUH

/*
 * The product in Fr, whose modulus is r = 1 - 2^32 + 2^64 U. Included by mont_dev.cuh.
 *
 * A row of the reduction adds m r with m = 2^32 - t, where t is the limb to clear (m = 2^32 for
 * t = 0 is as good as 0). With ~t for 2^32 - 1 - t,
 *     t + m r = 2^32 t + 2^64 (~t) U + 2^32 (1 + 2^32 (U - 1)):
 * six multiplications by the limbs of U, t itself added one limb higher, and a constant. The
 * constants of all eight rows only touch limbs above the one that their row clears, so their sum
 * (fr_rows) is what the accumulation starts from: in the place of zeros, at no cost. Its upper half
 * goes in a limb at a time, in the lower limb of each row's topmost product: so top limbs stay
 * below 2^32 before they are shifted down.
 *
 * Limbs of U are literals after the variable in mad: so ptxas joins the halves of a product.
 */

/** Limb i of U = (r - 1 + 2^32) / 2^64. */
CUZK_HD constexpr uint32_t fr_mod_upper(int i)
{
    return fr_field::mod(i + 2) + (i == 0 ? 1 : 0);
}

/** Limb i of sum 2^(32 (j + 1)) (1 + 2^32 (U - 1)) over j < 8: column i has the limbs of U - 1
 * (those of r from the third on) that rows j <= i - 2 put there. */
CUZK_HD constexpr uint32_t fr_rows(int i)
{
    uint64_t sum = 0, carry = 0;
    for (int k = 0; k <= i; k++) {
        sum = carry + (k >= 1 && k <= 8 ? 1 : 0);
        for (int j = 0; j < 8; j++) {
            const int limb = k - j; /* of r: U - 1 sits at row j's limb j + 2 */
            sum += limb >= 2 && limb < 8 ? fr_field::mod(limb) : 0;
        }
        carry = sum >> 32;
    }
    return (uint32_t)sum;
}

/* Clears limb e[0]: a row of the reduction, but for x, which is left to be added to o[0]. o[7] comes
 * in as the upper half of a product by a limb <= 0x73eda753 and some carries, and takes up another
 * such half here: it stays below 2^32. */
CUZK_DEV uint32_t fr_fold(uint32_t (&e)[8], uint32_t (&o)[8])
{
    const uint32_t m = ~e[0];
    const uint32_t x = add_cc(e[1], e[0]);
#pragma unroll
    for (int k = 2; k < 8; k += 2) {
        e[k] = madc_lo_cc(m, fr_mod_upper(k - 2), e[k]);
        e[k + 1] = madc_hi_cc(m, fr_mod_upper(k - 2), e[k + 1]);
    }
    o[7] = addc(o[7], 0);
    o[2] = mad_lo_cc(m, fr_mod_upper(1), o[2]);
    o[3] = madc_hi_cc(m, fr_mod_upper(1), o[3]);
    o[4] = madc_lo_cc(m, fr_mod_upper(3), o[4]);
    o[5] = madc_hi_cc(m, fr_mod_upper(3), o[5]);
    o[6] = madc_lo_cc(m, fr_mod_upper(5), o[6]);
    o[7] = madc_hi(m, fr_mod_upper(5), o[7]);
    return x;
}

/* Row I of the product, after the reduction of the row before: then o is the even row, and e,
 * shifted down by two limbs, the odd one. */
template <int I>
CUZK_DEV void fr_row(uint32_t (&e)[8], uint32_t (&o)[8], const uint32_t (&a)[8], uint32_t bi)
{
    o[0] = add_cc(o[0], fr_fold(e, o));
#pragma unroll
    for (int k = 0; k < 6; k += 2) {
        e[k] = madc_lo_cc(a[k + 1], bi, e[k + 2]);
        e[k + 1] = madc_hi_cc(a[k + 1], bi, e[k + 3]);
    }
    e[6] = madc_lo_cc(a[7], bi, fr_rows(I + 7));
    e[7] = madc_hi(a[7], bi, 0);
    o[0] = mad_lo_cc(a[0], bi, o[0]);
    o[1] = madc_hi_cc(a[0], bi, o[1]);
#pragma unroll
    for (int k = 2; k < 8; k += 2) {
        o[k] = madc_lo_cc(a[k], bi, o[k]);
        o[k + 1] = madc_hi_cc(a[k], bi, o[k + 1]);
    }
    e[7] = addc(e[7], 0);
}

/**
 * out = a * b * 2^-256 in 112 multiplications. Pre: a < r; b any number of 256 bits.
 * Post: out < a*b / 2^256 + r (1 + 2^-31), which is below 2r.
 */
CUZK_DEV void mont_mul(dfr &out, const dfr &a, const dfr &b)
{
    uint32_t e[8], o[8];
    e[0] = mad_lo_cc(a.l[0], b.l[0], fr_rows(0));
    e[1] = madc_hi_cc(a.l[0], b.l[0], fr_rows(1));
#pragma unroll
    for (int k = 2; k < 8; k += 2) {
        e[k] = madc_lo_cc(a.l[k], b.l[0], fr_rows(k));
        e[k + 1] = madc_hi_cc(a.l[k], b.l[0], fr_rows(k + 1));
    }
    const uint32_t carry = addc(0, 0);
#pragma unroll
    for (int k = 0; k < 8; k += 2) {
        const uint64_t p = (uint64_t)a.l[k + 1] * b.l[0];
        o[k] = (uint32_t)p;
        o[k + 1] = (uint32_t)(p >> 32);
    }
    o[7] += carry;
    fr_row<1>(e, o, a.l, b.l[1]);
    fr_row<2>(o, e, a.l, b.l[2]);
    fr_row<3>(e, o, a.l, b.l[3]);
    fr_row<4>(o, e, a.l, b.l[4]);
    fr_row<5>(e, o, a.l, b.l[5]);
    fr_row<6>(o, e, a.l, b.l[6]);
    fr_row<7>(e, o, a.l, b.l[7]);
    const uint32_t x = fr_fold(o, e);
    out.l[0] = add_cc(e[0], x);
#pragma unroll
    for (int k = 1; k < 7; k++) {
        out.l[k] = addc_cc(e[k], o[k + 1]);
    }
    out.l[7] = addc(e[7], 0);
}

#endif /* CUZK_ACCEL_CUDA_FR_MUL_DEV_CUH */
