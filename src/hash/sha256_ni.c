/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "hash/sha256.h"

#ifdef CUZK_HASH_SHANI
#    include <immintrin.h>

#    define TARGET_SHANI __attribute__((target("sha,sse4.1,ssse3")))

/*
 * sha256rnds2 keeps the state as ABEF and CDGH (high to low) and does two rounds; sha256msg1 and
 * sha256msg2 extend the schedule by four words: W[t..t+3] out of W[t-16..t-1] in m[0..3].
 */
TARGET_SHANI void cuzk_sha256_compress_ni(uint32_t h[8], const uint8_t *blocks, size_t n)
{
    const __m128i bswap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    const __m128i dcba = _mm_loadu_si128((const __m128i *)(const void *)h);
    const __m128i hgfe = _mm_loadu_si128((const __m128i *)(const void *)(h + 4));
    const __m128i cdab = _mm_shuffle_epi32(dcba, 0xb1);
    const __m128i efgh = _mm_shuffle_epi32(hgfe, 0x1b);
    __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
    __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);

    for (; n > 0; n--, blocks += CUZK_SHA256_BLOCK_BYTES) {
        const __m128i abef_in = abef, cdgh_in = cdgh;
        __m128i m[4];
        for (int i = 0; i < 4; i++) {
            m[i] = _mm_shuffle_epi8(
                _mm_loadu_si128((const __m128i *)(const void *)(blocks + 16 * i)), bswap);
        }
#    pragma GCC unroll 16
        for (int g = 0; g < 16; g++) {
            if (g >= 4) {
                const __m128i last = m[(g + 3) & 3];
                const __m128i w7 = _mm_alignr_epi8(last, m[(g + 2) & 3], 4); /* W[t-7..t-4] */
                const __m128i x = _mm_sha256msg1_epu32(m[g & 3], m[(g + 1) & 3]);
                m[g & 3] = _mm_sha256msg2_epu32(_mm_add_epi32(x, w7), last);
            }
            const __m128i wk = _mm_add_epi32(
                m[g & 3], _mm_loadu_si128((const __m128i *)(const void *)(cuzk_sha256_k + 4 * g)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, wk);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(wk, 0x0e));
        }
        abef = _mm_add_epi32(abef, abef_in);
        cdgh = _mm_add_epi32(cdgh, cdgh_in);
    }

    const __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
    const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)(void *)h, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(void *)(h + 4), _mm_alignr_epi8(dchg, feba, 8));
}
#else
typedef int cuzk_sha256_ni_is_empty; /* a translation unit must not be empty */
#endif
