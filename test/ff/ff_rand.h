/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_FF_RAND_H
#define CUZK_TEST_FF_RAND_H

/* Edge-biased field elements and integers for the tests of ff/ and of everything above it. */
#include <string.h>

#include "ff/fp.h"
#include "ff/fr.h"
#include "ff/tower/fp2.h"

#include "test.h"

/** n limbs: each 0, 1, 2^64-1, the modulus limb, its neighbours, or random; or a random bit pattern. */
static inline void gen_limbs(uint64_t *out, const uint64_t *mod, size_t n)
{
    if (test_below(3) == 0) {
        test_bytes(out, 8 * n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        switch (test_below(8)) {
        case 0: out[i] = 0; break;
        case 1: out[i] = 1; break;
        case 2: out[i] = UINT64_MAX; break;
        case 3: out[i] = mod[i]; break;
        case 4: out[i] = mod[i] - 1; break;
        case 5: out[i] = mod[i] + 1; break;
        default: out[i] = test_u64(); break;
        }
    }
}

/** -1, 0, 1 as a <, =, > b. */
static inline int cmp_limbs(const uint64_t *a, const uint64_t *b, size_t n)
{
    for (size_t i = n; i-- > 0;) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

/** Below `bound` (n limbs): edges 0, 1, bound-1, bound-2, else limbs as above, shifted down to fit. */
static inline void gen_below(uint64_t *out, const uint64_t *mod, const uint64_t *bound, size_t n)
{
    const uint64_t edge = test_below(16);
    if (edge < 2) {
        memset(out, 0, 8 * n);
        out[0] = edge;
        return;
    }
    if (edge < 4) {
        memcpy(out, bound, 8 * n);
        for (size_t i = 0, borrow = edge - 1; i < n && borrow != 0; i++) {
            const uint64_t t = out[i];
            out[i] -= borrow;
            borrow = out[i] > t;
        }
        return;
    }
    gen_limbs(out, mod, n);
    while (cmp_limbs(out, bound, n) >= 0) {
        for (size_t i = 0; i < n; i++) {
            out[i] = out[i] >> 1 | (i + 1 < n ? out[i + 1] << 63 : 0);
        }
    }
}

static const uint64_t gen_r[4] = CUZK_FR_MOD_LIMBS;
static const uint64_t gen_q[6] = CUZK_FP_MOD_LIMBS;

static inline void gen_fr(cuzk_fr *out)
{
    gen_below(out->l, gen_r, gen_r, 4);
}

static inline void gen_fp(cuzk_fp *out)
{
    gen_below(out->l, gen_q, gen_q, 6);
}

static inline void gen_fp2(cuzk_fp2 *out)
{
    gen_fp(&out->c0);
    gen_fp(&out->c1);
}

#endif /* CUZK_TEST_FF_RAND_H */
