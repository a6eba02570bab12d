/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The butterflies in assembly against the portable field, through checked calls. */
#include "cpu/cpu.h"
#include "ff/fr.h"

#include "checked_call.h"
#include "test.h"

#if defined(__x86_64__) && !defined(CUZK_PORTABLE)
void cuzk_ntt_forward_adx(uint64_t *x, uint64_t *y, const uint64_t *w, size_t step, size_t n);
void cuzk_ntt_inverse_adx(uint64_t *x, uint64_t *y, const uint64_t *w, size_t step, size_t n);

enum { MOST = 9 };

static void random_fr(cuzk_fr *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        test_bytes(out[i].l, sizeof(out[i].l));
        out[i].l[3] &= UINT64_MAX >> 2; /* below 2^254, so below r */
    }
}

static void butterflies(void)
{
    if (!cuzk_cpu_has(CUZK_CPU_ADX)) {
        cuzk_test_skip("no ADX");
    }
    for (size_t i = 0; i < test_iters(3000); i++) {
        cuzk_fr x[MOST], y[MOST], w[3 * MOST], want_x[MOST], want_y[MOST];
        const size_t n = 1 + test_below(MOST), step = 1 + test_below(3);
        random_fr(x, n);
        random_fr(y, n);
        random_fr(w, n * step);
        for (size_t k = 0; k < n; k++) {
            cuzk_fr product;
            cuzk_fr_mul_c(&product, &y[k], &w[k * step]);
            cuzk_fr_add_hd(&want_x[k], &x[k], &product);
            cuzk_fr_sub_hd(&want_y[k], &x[k], &product);
        }
        CHECKED_CALL(cuzk_ntt_forward_adx, x, y, w, step * sizeof(*w), n);
        CHECK_MEM(x, want_x, n * sizeof(*x));
        CHECK_MEM(y, want_y, n * sizeof(*y));
        for (size_t k = 0; k < n; k++) {
            cuzk_fr difference;
            cuzk_fr_add_hd(&want_x[k], &x[k], &y[k]);
            cuzk_fr_sub_hd(&difference, &x[k], &y[k]);
            cuzk_fr_mul_c(&want_y[k], &difference, &w[k * step]);
        }
        CHECKED_CALL(cuzk_ntt_inverse_adx, x, y, w, step * sizeof(*w), n);
        CHECK_MEM(x, want_x, n * sizeof(*x));
        CHECK_MEM(y, want_y, n * sizeof(*y));
    }
}

static const cuzk_case cases[] = {CASE(butterflies)};
#else
static void butterflies(void)
{
    cuzk_test_skip("portable build");
}

static const cuzk_case cases[] = {CASE(butterflies)};
#endif

TEST_MAIN("ntt/asm", cases)
