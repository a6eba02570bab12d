/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Hexagonal digits of eight scalars at a time: cuzk_msm_hex_codes with 32-bit limbs in lanes. */
#include "msm/msm_digits.h"

#if defined(CUZK_MSM_AVX2)
#    include <immintrin.h>

/* Fractions of four scalars, in the low halves of 64-bit lanes; the high halves are not looked at. */
typedef struct fraction {
    __m256i l[2 * MSM_HEX_FRACTION];
} fraction;

/* x *= m from limb `from` on; returns the integer parts. */
static inline __m256i times(fraction *x, __m256i m, unsigned from)
{
    __m256i c = _mm256_setzero_si256();
    for (unsigned i = from; i < 2 * MSM_HEX_FRACTION; i++) {
        x->l[i] = _mm256_add_epi64(_mm256_mul_epu32(x->l[i], m), c);
        c = _mm256_srli_epi64(x->l[i], 32);
    }
    return c;
}

/* The low halves of eight lanes, in the order 0 1 4 5 2 3 6 7, which is kept until the end. */
static inline __m256i low_halves(__m256i lo, __m256i hi)
{
    return _mm256_castps_si256(
        _mm256_shuffle_ps(_mm256_castsi256_ps(lo), _mm256_castsi256_ps(hi), 0x88));
}

static inline __m256i is_negative(__m256i v)
{
    return _mm256_srai_epi32(v, 31);
}

/* -v where mask is all ones. */
static inline __m256i negate(__m256i v, __m256i mask)
{
    return _mm256_sub_epi32(_mm256_xor_si256(v, mask), mask);
}

/* As cuzk_msm_hex_code. */
static inline __m256i codes_of(const cuzk_msm_plan *p, __m256i a, __m256i b)
{
    const __m256i dif = _mm256_sub_epi32(a, b), ones = _mm256_set1_epi32(-1);
    const __m256i lower = is_negative(_mm256_add_epi32(_mm256_slli_epi32(b, 16), dif));
    const __m256i x = negate(dif, lower), q = negate(b, lower), both = _mm256_add_epi32(x, q);
    const __m256i not_first = is_negative(_mm256_add_epi32(x, ones));
    const __m256i third = _mm256_and_si256(not_first, is_negative(_mm256_add_epi32(both, ones)));
    const __m256i second = _mm256_xor_si256(not_first, third);
    /* Where it is not the first, x is not positive, and so on. */
    __m256i row = _mm256_blendv_epi8(_mm256_blendv_epi8(x, both, second), q, third);
    const __m256i at =
        _mm256_abs_epi32(_mm256_blendv_epi8(_mm256_blendv_epi8(q, x, second), both, third));
    const __m256i unit =
        _mm256_xor_si256(_mm256_xor_si256(_mm256_and_si256(second, _mm256_set1_epi32(5)),
                                          _mm256_and_si256(third, _mm256_set1_epi32(2))),
                         _mm256_and_si256(lower, _mm256_set1_epi32(1)));
    const __m256i side = _mm256_set1_epi32((int)p->q_bits);
    const __m256i block = _mm256_srlv_epi32(at, side);
    /* (block << block_bits) + (at mod 2^side) = at + block (2^block_bits - 2^side) */
    const __m256i q_code = _mm256_add_epi32(
        at, _mm256_mullo_epi32(block, _mm256_set1_epi32((1 << p->block_bits) - (1 << p->q_bits))));
    row = _mm256_i32gather_epi32((const int *)p->row_code, row, 4);
    return _mm256_or_si256(_mm256_add_epi32(row, _mm256_slli_epi32(q_code, MSM_ENTRY_SHIFT)), unit);
}

void cuzk_msm_hex_codes8_avx2(const cuzk_msm_plan *p, const cuzk_hex_int z[8], uint32_t *code,
                              size_t stride)
{
    uint64_t limb[2][2 * MSM_HEX_FRACTION][8];
    int32_t first[2][8];
    fraction f[2][2];
    __m256i whole[2]; /* integer parts, -1 or 0 */
    for (size_t k = 0; k < 8; k++) {
        uint64_t t[MSM_HEX_FRACTION];
        for (size_t c = 0; c < 2; c++) {
            first[c][k] = msm_hex_scale(t, c == 0 ? z[k].a : z[k].b, p->recip);
            for (size_t i = 0; i < MSM_HEX_FRACTION; i++) {
                limb[c][2 * i][k] = t[i];
                limb[c][2 * i + 1][k] = t[i] >> 32;
            }
        }
    }
    const __m256i order = _mm256_setr_epi32(0, 1, 4, 5, 2, 3, 6, 7);
    for (size_t c = 0; c < 2; c++) {
        for (size_t h = 0; h < 2; h++) {
            for (size_t i = 0; i < 2 * MSM_HEX_FRACTION; i++) {
                f[c][h].l[i] =
                    _mm256_loadu_si256((const __m256i *)(const void *)&limb[c][i][4 * h]);
            }
        }
        whole[c] = _mm256_permutevar8x32_epi32(
            _mm256_loadu_si256((const __m256i *)(const void *)first[c]), order);
    }
    const __m256i m64 = _mm256_set1_epi64x(p->base.m), m32 = _mm256_set1_epi32((int)p->base.m);
    const __m256i one = _mm256_set1_epi32(1 << 29);
    for (unsigned w = p->windows; w-- > 0;) {
        const unsigned from = p->from[w];
        const __m256i ca0 = times(&f[0][0], m64, from), ca1 = times(&f[0][1], m64, from);
        const __m256i cb0 = times(&f[1][0], m64, from), cb1 = times(&f[1][1], m64, from);
        enum { TOP = 2 * MSM_HEX_FRACTION - 1 };
        __m256i a = _mm256_sub_epi32(low_halves(ca0, ca1), _mm256_and_si256(whole[0], m32));
        __m256i b = _mm256_sub_epi32(low_halves(cb0, cb1), _mm256_and_si256(whole[1], m32));
        /* As in msm_hex_next, with units of 2^-29. */
        const __m256i x = _mm256_srli_epi32(low_halves(f[0][0].l[TOP], f[0][1].l[TOP]), 3);
        const __m256i y = _mm256_srli_epi32(low_halves(f[1][0].l[TOP], f[1][1].l[TOP]), 3);
        const __m256i least = _mm256_min_epi32(x, y), most = _mm256_max_epi32(x, y);
        const __m256i dif = _mm256_sub_epi32(most, least), wide = _mm256_cmpgt_epi32(x, y);
        const __m256i near = _mm256_cmpgt_epi32(dif, least);
        const __m256i over = _mm256_cmpgt_epi32(_mm256_add_epi32(x, y), one);
        const __m256i far = _mm256_cmpgt_epi32(_mm256_add_epi32(most, dif), one);
        const __m256i both = _mm256_andnot_si256(near, over), single = _mm256_and_si256(near, far);
        whole[0] = _mm256_or_si256(both, _mm256_and_si256(single, wide));
        whole[1] = _mm256_or_si256(both, _mm256_andnot_si256(wide, single));
        a = _mm256_sub_epi32(a, whole[0]);
        b = _mm256_sub_epi32(b, whole[1]);
        _mm256_storeu_si256((__m256i *)(void *)&code[w * stride],
                            _mm256_permutevar8x32_epi32(codes_of(p, a, b), order));
    }
}
#else
typedef int msm_digits_avx2_is_empty; /* a file must not be */
#endif
