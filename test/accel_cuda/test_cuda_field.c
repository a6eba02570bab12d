/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ff/fp.h"
#include "ff/fr.h"
#include "ff/tower/fp2.h"

#include "cuda_test.h"
#include "field_kernels.h"

#define N 20000u

/* Edge-biased limbs below mod: raw bits, or a few from either end of the range. */
static void edge_limbs(uint64_t *out, const uint64_t *mod, size_t limbs, unsigned top_bits)
{
    const uint64_t kind = test_below(4);
    if (kind == 0) {
        memset(out, 0, limbs * 8);
        out[0] = test_below(3);
        return;
    }
    if (kind == 1) {
        memcpy(out, mod, limbs * 8);
        out[0] -= 1 + test_below(3) % (out[0] == 1 ? 1 : 3);
        return;
    }
    for (;;) {
        test_bytes(out, limbs * 8);
        out[limbs - 1] &= ((uint64_t)1 << top_bits) - 1;
        for (size_t i = limbs; i-- > 0;) {
            if (out[i] != mod[i]) {
                if (out[i] < mod[i]) {
                    return;
                }
                break;
            }
        }
    }
}

/* a + mod, for lazy inputs. */
static void add_mod(uint64_t *a, const uint64_t *mod, size_t limbs)
{
    uint64_t c = 0;
    for (size_t i = 0; i < limbs; i++) {
        a[i] = cuzk_adc(a[i], mod[i], c, &c);
    }
    CHECK(c == 0);
}

#define FIELD_CASES(T, LIMBS, TOP, MOD, F)                                                      \
    static void F##_equals_host(void)                                                           \
    {                                                                                           \
        static const uint64_t mod[] = MOD;                                                      \
        cuzk_err err;                                                                           \
        cuzk_cuda_queue *q = cuda_queue();                                                      \
        T *v = cuzk_alloc(5 * (size_t)N, sizeof(T));                                            \
        CHECK(v != NULL);                                                                       \
        T *a = v, *b = v + N, *la = v + 2 * N, *lb = v + 3 * N, *got = v + 4 * N;               \
        for (unsigned op = 0; op < FIELD_OPS; op++) {                                           \
            for (size_t i = 0; i < N; i++) {                                                    \
                edge_limbs(a[i].l, mod, LIMBS, TOP);                                            \
                edge_limbs(b[i].l, mod, LIMBS, TOP);                                            \
                if (test_below(16) == 0) {                                                      \
                    b[i] = a[i];                                                                \
                }                                                                               \
                la[i] = a[i];                                                                   \
                lb[i] = b[i];                                                                   \
                if ((op == FIELD_ADD || op == FIELD_SUB || (op <= FIELD_MUL2 && LIMBS == 6)) && \
                    test_below(2) == 0) {                                                       \
                    add_mod(la[i].l, mod, LIMBS);                                               \
                }                                                                               \
                if (test_below(2) == 0) {                                                       \
                    add_mod(lb[i].l, mod, LIMBS);                                               \
                }                                                                               \
            }                                                                                   \
            CHECK_OK(field_run_##F(q, (field_op)op, got, la, lb, N, &err), &err);               \
            for (size_t i = 0; i < N; i++) {                                                    \
                T want;                                                                         \
                if (op == FIELD_MUL) {                                                          \
                    cuzk_##F##_mul(&want, &a[i], &b[i]);                                        \
                } else if (op == FIELD_MUL2) {                                                  \
                    cuzk_##F##_mul(&want, &a[i], &b[i]);                                        \
                    cuzk_##F##_dbl(&want, &want);                                               \
                } else if (op == FIELD_ADD) {                                                   \
                    cuzk_##F##_add(&want, &a[i], &b[i]);                                        \
                } else if (op == FIELD_SUB) {                                                   \
                    cuzk_##F##_sub(&want, &a[i], &b[i]);                                        \
                } else {                                                                        \
                    cuzk_##F##_neg(&want, &a[i]);                                               \
                }                                                                               \
                CHECK_MEM(&got[i], &want, sizeof(want));                                        \
            }                                                                                   \
        }                                                                                       \
        cuzk_free(v);                                                                           \
        cuzk_cuda_queue_destroy(q);                                                             \
    }

FIELD_CASES(cuzk_fr, 4, 63, CUZK_FR_MOD_LIMBS, fr)
FIELD_CASES(cuzk_fp, 6, 61, CUZK_FP_MOD_LIMBS, fp)

/* Limbs of 32 bits where carries begin, end and run through. */
static uint32_t edge_word(void)
{
    static const uint32_t words[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
    const uint64_t i = test_below(sizeof(words) / sizeof(words[0]) + 1);
    return i < sizeof(words) / sizeof(words[0]) ? words[i] : (uint32_t)test_below(1ULL << 32);
}

/* acc[at ...] += a x, over n limbs of acc. */
static void add_product(uint32_t *acc, size_t n, size_t at, const uint32_t a[8], uint32_t x)
{
    uint64_t carry = 0;
    for (size_t k = 0; at + k < n; k++) {
        carry += (k < 8 ? (uint64_t)a[k] * x : 0) + acc[at + k];
        acc[at + k] = (uint32_t)carry;
        carry >>= 32;
    }
}

/*
 * b such that the reduction of a b, row by row, meets the limbs want, for odd a: a limb t is cleared
 * by adding (2^32 - t) r.
 */
static void steer(uint32_t b[8], const uint32_t a[8], const uint32_t want[8])
{
    static const uint64_t mod[] = CUZK_FR_MOD_LIMBS;
    uint32_t r[8], acc[17] = {0}, inv = a[0]; /* right to 3 bits, then to 6, 12, 24, 48 */
    for (size_t i = 0; i < 8; i++) {
        r[i] = (uint32_t)(mod[i / 2] >> (32 * (i % 2)));
    }
    for (int i = 0; i < 4; i++) {
        inv *= 2 - a[0] * inv;
    }
    for (size_t i = 0; i < 8; i++) {
        b[i] = (want[i] - acc[i]) * inv;
        add_product(acc, 17, i, a, b[i]);
        CHECK(acc[i] == want[i]);
        if (want[i] == 0) {
            add_product(acc, 17, i + 1, r, 1);
        } else {
            add_product(acc, 17, i, r, 0 - want[i]);
        }
    }
}

/* Products in Fr of operands that are not random: a < r, b any 256 bits. */
static void fr_products_at_boundaries(void)
{
    static const uint64_t mod[] = CUZK_FR_MOD_LIMBS;
    cuzk_err err;
    cuzk_cuda_queue *q = cuda_queue();
    cuzk_fr *v = cuzk_alloc(3 * (size_t)N, sizeof(*v));
    CHECK(v != NULL);
    cuzk_fr *a = v, *b = v + N, *got = v + 2 * (size_t)N;
    for (size_t i = 0; i < N; i++) {
        uint32_t x[8], y[8], want[8];
        for (size_t k = 0; k < 8; k++) {
            x[k] = edge_word();
            y[k] = edge_word();
            want[k] = edge_word();
        }
        memcpy(a[i].l, x, sizeof(x));
        a[i].l[3] %= mod[3] + 1;
        if (i % 8 == 7 || a[i].l[3] == mod[3]) { /* r - 1 or a little less */
            memcpy(a[i].l, mod, sizeof(mod));
            a[i].l[0] -= test_below(2) == 0 ? 1 : 0x100000000;
        }
        if (i % 2 == 0) {
            memcpy(x, a[i].l, sizeof(x));
            if (x[0] % 2 == 1) {
                steer(y, x, want);
            }
        } else if (i % 16 == 1) { /* 2r - 1, and 2^256 - 1 */
            for (size_t k = 0; k < 8; k++) {
                const uint64_t two = mod[k / 2] << 1 | (k >= 2 ? mod[k / 2 - 1] >> 63 : 0);
                y[k] = i % 32 == 1 ? (uint32_t)(two >> (32 * (k % 2))) : 0xffffffff;
            }
            y[0] -= i % 32 == 1 ? 1 : 0;
        }
        memcpy(b[i].l, y, sizeof(y));
    }
    CHECK_OK(field_run_fr(q, FIELD_MUL, got, a, b, N, &err), &err);
    for (size_t i = 0; i < N; i++) {
        cuzk_fr want;
        while (true) { /* b < 3r */
            uint64_t t[4], borrow = 0;
            for (size_t k = 0; k < 4; k++) {
                t[k] = cuzk_sbb(b[i].l[k], mod[k], borrow, &borrow);
            }
            if (borrow != 0) {
                break;
            }
            memcpy(b[i].l, t, sizeof(t));
        }
        cuzk_fr_mul(&want, &a[i], &b[i]);
        CHECK_MEM(&got[i], &want, sizeof(want));
    }
    cuzk_free(v);
    cuzk_cuda_queue_destroy(q);
}

/* x, and the same or x + q in lazy. */
static void edge_fp(cuzk_fp *x, cuzk_fp *lazy)
{
    static const uint64_t mod[] = CUZK_FP_MOD_LIMBS;
    edge_limbs(x->l, mod, 6, 61);
    *lazy = *x;
    if (test_below(2) == 0) {
        add_mod(lazy->l, mod, 6);
    }
}

static void fp2_want(cuzk_fp2 *out, fp2_op op, const cuzk_fp2 *a, const cuzk_fp2 *b)
{
    if (op == FP2_MUL) {
        cuzk_fp2_mul(out, a, b);
    } else if (op == FP2_SQR) {
        cuzk_fp2_mul(out, a, a);
    } else if (op == FP2_INV) {
        cuzk_fp2_inv(out, a);
    } else if (op == FP2_EACH_SQR) {
        cuzk_fp_mul(&out->c0, &a->c0, &a->c0);
        cuzk_fp_mul(&out->c1, &a->c1, &a->c1);
    } else {
        cuzk_fp_inv(&out->c0, &a->c0);
        cuzk_fp_inv(&out->c1, &a->c1);
    }
}

static void fp2_equals_host(void)
{
    cuzk_err err;
    cuzk_cuda_queue *q = cuda_queue();
    const size_t n = 5000;
    cuzk_fp2 *v = cuzk_alloc(5 * n, sizeof(*v));
    CHECK(v != NULL);
    cuzk_fp2 *a = v, *b = v + n, *la = v + 2 * n, *lb = v + 3 * n, *got = v + 4 * n;
    for (unsigned op = 0; op < FP2_OPS; op++) {
        for (size_t i = 0; i < n; i++) {
            edge_fp(&a[i].c0, &la[i].c0);
            edge_fp(&a[i].c1, &la[i].c1);
            edge_fp(&b[i].c0, &lb[i].c0);
            edge_fp(&b[i].c1, &lb[i].c1);
        }
        CHECK_OK(field_run_fp2(q, (fp2_op)op, got, la, lb, (unsigned)n, &err), &err);
        for (size_t i = 0; i < n; i++) {
            cuzk_fp2 want;
            fp2_want(&want, (fp2_op)op, &a[i], &b[i]);
            CHECK_MEM(&got[i], &want, sizeof(want));
        }
    }
    cuzk_free(v);
    cuzk_cuda_queue_destroy(q);
}

static void refuses_a_device_that_is_not_there(void)
{
    cuzk_cuda_queue *q = NULL;
    CHECK_STATUS(cuzk_cuda_queue_create(&q, cuzk_cuda_device_count(), NULL), CUZK_E_DEV_UNFIT);
    CHECK_STATUS(cuzk_cuda_queue_create(&q, -1, NULL), CUZK_E_DEV_UNFIT);
    CHECK(q == NULL);
}

static void refuses_more_memory_than_there_is(void)
{
    cuzk_cuda_queue *q = cuda_queue();
    void *d = NULL;
    CHECK_STATUS(cuzk_cuda_alloc(q, &d, (uint64_t)1 << 50, NULL), CUZK_E_DEV_NOMEM);
    CHECK(d == NULL);
    CHECK_STATUS(cuzk_cuda_queue_sync(q, NULL), CUZK_OK); /* the device is not lost by it */
    cuzk_cuda_queue_destroy(q);
}

static const cuzk_case cases[] = {CASE(fr_equals_host),
                                  CASE(fr_products_at_boundaries),
                                  CASE(fp_equals_host),
                                  CASE(fp2_equals_host),
                                  CASE(refuses_a_device_that_is_not_there),
                                  CASE(refuses_more_memory_than_there_is)};
TEST_MAIN("accel_cuda/field", cases)
