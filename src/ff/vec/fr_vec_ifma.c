/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The product of two elements in 2^256 form by a multiplication that divides by 2^260: one factor
 * is taken times 16, which costs nothing while it is cut into limbs.
 */
#include "fr_vec_internal.h"

#ifdef CUZK_FF_IFMA
#    include "ff/vec/fr_ifma.h"

static const uint64_t R1[5] = CUZK_FR52_MOD;

/* k * 2^260 for all lanes. */
static void twisted(cuzk_frx8 *out, const cuzk_fr *k)
{
    cuzk_fr copies[8];
    for (int i = 0; i < 8; i++) {
        copies[i] = *k;
    }
    cuzk_frx8_load_x16(out, copies, 1); /* < 16r: products of elements < 2r with it are < 2r */
}

size_t cuzk_fr_vec_mul_ifma(cuzk_fr *out, const cuzk_fr *a, const cuzk_fr *b, size_t n)
{
    const size_t end = n & ~(size_t)7;
    for (size_t i = 0; i < end; i += 8) {
        cuzk_frx8 x, y;
        cuzk_frx8_load(&x, a + i, 1);
        cuzk_frx8_load_x16(&y, b + i, 1);
        cuzk_frx8_mul(&x, &x, &y); /* < (1 + 16/35) r */
        cuzk_frx8_normalise(&x);
        cuzk_frx8_reduce_once(&x);
        cuzk_frx8_store(out + i, 1, &x);
    }
    return end;
}

size_t cuzk_fr_vec_scale_ifma(cuzk_fr *out, const cuzk_fr *a, const cuzk_fr *k, size_t n)
{
    const size_t end = n & ~(size_t)7;
    cuzk_frx8 w;
    twisted(&w, k);
    for (size_t i = 0; i < end; i += 8) {
        cuzk_frx8 x;
        cuzk_frx8_load(&x, a + i, 1);
        cuzk_frx8_mul(&x, &x, &w);
        cuzk_frx8_normalise(&x);
        cuzk_frx8_reduce_once(&x);
        cuzk_frx8_store(out + i, 1, &x);
    }
    return end;
}

size_t cuzk_fr_vec_mul_sub_ifma(cuzk_fr *out, const cuzk_fr *a, const cuzk_fr *b, const cuzk_fr *c,
                                size_t n)
{
    const size_t end = n & ~(size_t)7;
    for (size_t i = 0; i < end; i += 8) {
        cuzk_frx8 x, y;
        cuzk_frx8_load(&x, a + i, 1);
        cuzk_frx8_load_x16(&y, b + i, 1);
        cuzk_frx8_mul(&x, &x, &y);
        cuzk_frx8_load(&y, c + i, 1);
        cuzk_frx8_sub_plus(&x, &x, &y, R1); /* < 2.5 r */
        cuzk_frx8_normalise(&x);
        cuzk_frx8_reduce_lazy(&x);
        cuzk_frx8_reduce_once(&x);
        cuzk_frx8_store(out + i, 1, &x);
    }
    return end;
}

size_t cuzk_fr_vec_sub_scale_ifma(cuzk_fr *out, const cuzk_fr *a, const cuzk_fr *c,
                                  const cuzk_fr *k, size_t n)
{
    const size_t end = n & ~(size_t)7;
    cuzk_frx8 w;
    twisted(&w, k);
    for (size_t i = 0; i < end; i += 8) {
        cuzk_frx8 x, y;
        cuzk_frx8_load(&x, a + i, 1);
        cuzk_frx8_load(&y, c + i, 1);
        cuzk_frx8_sub_plus(&x, &x, &y, R1); /* < 2r, and (1 + 2*16/35) r < 2r */
        cuzk_frx8_carry(&x);
        cuzk_frx8_mul(&x, &x, &w);
        cuzk_frx8_normalise(&x);
        cuzk_frx8_reduce_once(&x);
        cuzk_frx8_store(out + i, 1, &x);
    }
    return end;
}

/* Scalars are loaded and stored as if they were elements: the same 32 bytes. */

size_t cuzk_fr_vec_to_scalar_ifma(cuzk_scalar *out, const cuzk_fr *a, size_t n)
{
    const size_t end = n & ~(size_t)7;
    for (size_t i = 0; i < end; i += 8) {
        cuzk_frx8 x;
        __m512i t[10];
        cuzk_frx8_load_x16(&x, a + i, 1);
        for (int k = 0; k < 5; k++) {
            t[k] = _mm512_add_epi64(x.l[k], CUZK_FRX8_MASK); /* as redc expects */
            t[k + 5] = _mm512_setzero_si512();
        }
        cuzk_frx8_redc(&x, t); /* <= r */
        cuzk_frx8_normalise(&x);
        cuzk_frx8_reduce_once(&x);
        cuzk_frx8_store((cuzk_fr *)(void *)(out + i), 1, &x);
    }
    return end;
}

size_t cuzk_fr_vec_from_scalar_ifma(cuzk_fr *out, const cuzk_scalar *s, size_t n)
{
    static const cuzk_fr r2 = {CUZK_FR_R2_LIMBS};
    const size_t end = n & ~(size_t)7;
    cuzk_frx8 w;
    twisted(&w, &r2);
    for (size_t i = 0; i < end; i += 8) {
        cuzk_frx8 x;
        cuzk_frx8_load(&x, (const cuzk_fr *)(const void *)(s + i), 1);
        cuzk_frx8_mul(&x, &x, &w); /* s < 2^256 < 2.3r and R2 = 0.07r: < (1 + 2.3*16*0.07/35) r */
        cuzk_frx8_normalise(&x);
        cuzk_frx8_reduce_once(&x);
        cuzk_frx8_store(out + i, 1, &x);
    }
    return end;
}
#endif
