/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Pointwise operations against the one-element functions, at every length around the vector width. */
#include <string.h>

#include "ff/vec/fr_vec.h"

#include "test.h"

#define N 41

static cuzk_fr a[N], b[N], c[N], out[N + 1], guard;

static void random_fr(cuzk_fr *x)
{
    static const cuzk_fr top = {{0xffffffff00000000ULL, 0x53bda402fffe5bfeULL,
                                 0x3339d80809a1d805ULL,
                                 0x73eda753299d7d48ULL}}; /* r - 1 as stored */
    cuzk_scalar s;
    switch (test_below(8)) {
    case 0: *x = CUZK_FR_ZERO; return;
    case 1: *x = CUZK_FR_ONE; return;
    case 2: *x = top; return;
    default:
        test_bytes(&s, sizeof(s));
        cuzk_fr_from_scalar(x, &s);
        return;
    }
}

typedef enum op { MUL, SCALE, MUL_SUB, SUB_SCALE, OPS } op;

static void one(cuzk_fr *r, op o, const cuzk_fr *x, const cuzk_fr *y, const cuzk_fr *z,
                const cuzk_fr *k)
{
    cuzk_fr t;
    switch (o) {
    case MUL: cuzk_fr_mul(r, x, y); return;
    case SCALE: cuzk_fr_mul(r, x, k); return;
    case MUL_SUB:
        cuzk_fr_mul(&t, x, y);
        cuzk_fr_sub(r, &t, z);
        return;
    case SUB_SCALE:
        cuzk_fr_sub(&t, x, z);
        cuzk_fr_mul(r, &t, k);
        return;
    case OPS: break;
    }
    CHECK(false);
}

static void many(cuzk_fr *r, op o, const cuzk_fr *x, const cuzk_fr *y, const cuzk_fr *z,
                 const cuzk_fr *k, size_t n)
{
    switch (o) {
    case MUL: cuzk_fr_vec_mul(r, x, y, n); return;
    case SCALE: cuzk_fr_vec_scale(r, x, k, n); return;
    case MUL_SUB: cuzk_fr_vec_mul_sub(r, x, y, z, n); return;
    case SUB_SCALE: cuzk_fr_vec_sub_scale(r, x, z, k, n); return;
    case OPS: break;
    }
    CHECK(false);
}

static void fill(void)
{
    for (size_t i = 0; i < N; i++) {
        random_fr(&a[i]);
        random_fr(&b[i]);
        random_fr(&c[i]);
    }
    random_fr(&guard);
}

static void every_length(void)
{
    for (size_t round = 0; round < test_iters(20); round++) {
        for (size_t n = 0; n <= N; n++) {
            for (int o = 0; o < OPS; o++) {
                cuzk_fr k, want;
                fill();
                random_fr(&k);
                out[n] = guard;
                many(out, (op)o, a, b, c, &k, n);
                for (size_t i = 0; i < n; i++) {
                    one(&want, (op)o, &a[i], &b[i], &c[i], &k);
                    CHECK_MSG(cuzk_fr_eq(&out[i], &want), "operation %d, n %zu: element %zu", o, n,
                              i);
                }
                CHECK(cuzk_fr_eq(&out[n], &guard));
            }
        }
    }
}

static void in_place(void)
{
    for (int o = 0; o < OPS; o++) {
        for (int which = 0; which < 3; which++) {
            cuzk_fr k, want[N];
            cuzk_fr *const target[3] = {a, b, c};
            fill();
            random_fr(&k);
            for (size_t i = 0; i < N; i++) {
                one(&want[i], (op)o, &a[i], &b[i], &c[i], &k);
            }
            many(target[which], (op)o, a, b, c, &k, N);
            CHECK_MEM(target[which], want, sizeof(want));
        }
    }
}

/* Any 256-bit integers one way, elements the other; then both in place. */
static void conversions(void)
{
    static cuzk_scalar s[N], got[N + 1];
    const uint64_t mark = 0xa5a5a5a5a5a5a5a5u;
    for (size_t round = 0; round < test_iters(20); round++) {
        for (size_t n = 0; n <= N; n++) {
            cuzk_fr want, all[N];
            cuzk_scalar want_s;
            fill();
            test_bytes(s, sizeof(s));
            memset(out, 0xa5, sizeof(out));
            memset(got, 0xa5, sizeof(got));
            cuzk_fr_vec_from_scalar(out, s, n);
            cuzk_fr_vec_to_scalar(got, a, n);
            for (size_t i = 0; i < n; i++) {
                cuzk_fr_from_scalar(&want, &s[i]);
                CHECK_MEM(&out[i], &want, sizeof(want));
                cuzk_fr_to_scalar(&want_s, &a[i]);
                CHECK_MEM(&got[i], &want_s, sizeof(want_s));
            }
            CHECK_U64(out[n].l[0], mark);
            CHECK_U64(got[n].l[0], mark);
            memcpy(all, a, sizeof(all));
            cuzk_fr_vec_to_scalar((cuzk_scalar *)(void *)all, all, n);
            CHECK_MEM(all, got, n * sizeof(all[0]));
            cuzk_fr_vec_from_scalar(all, (const cuzk_scalar *)(const void *)all, n);
            CHECK_MEM(all, a, N * sizeof(all[0]));
        }
    }
}

static const cuzk_case cases[] = {CASE(every_length), CASE(in_place), CASE(conversions)};
TEST_MAIN("ff/fr_vec", cases)
