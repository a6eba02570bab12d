/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Decoding of points on the device: the host's points and verdicts. */
#include <string.h>

#include "accel/cuda/section/srs.h"
#include "base/alloc.h"

#include "cuda_test.h"

static void *host(size_t bytes)
{
    void *p = cuzk_alloc(bytes, 1);
    CHECK(p != NULL);
    return p;
}

static size_t point_bytes(bool g2)
{
    return g2 ? CUZK_G2_UNCOMPRESSED_BYTES : CUZK_G1_UNCOMPRESSED_BYTES;
}

/* n encodings of multiples of the generator. */
static uint8_t *encodings(bool g2, size_t n)
{
    uint8_t *out = host(n * point_bytes(g2));
    cuzk_g1 p;
    cuzk_g2 r;
    cuzk_scalar k = {{test_u64() | 1, test_u64(), 0, 0}};
    cuzk_g1_from_affine(&p, &CUZK_G1_GENERATOR);
    cuzk_g2_from_affine(&r, &CUZK_G2_GENERATOR);
    cuzk_g1_mul(&p, &p, &k);
    cuzk_g2_mul(&r, &r, &k);
    for (size_t i = 0; i < n; i++) {
        cuzk_g1_affine a;
        cuzk_g2_affine b;
        if (g2) {
            cuzk_g2_to_affine(&b, &r);
            cuzk_g2_encode_uncompressed(out + i * point_bytes(g2), &b);
            cuzk_g2_dbl(&r, &r);
        } else {
            cuzk_g1_to_affine(&a, &p);
            cuzk_g1_encode_uncompressed(out + i * point_bytes(g2), &a);
            cuzk_g1_dbl(&p, &p);
        }
    }
    return out;
}

/* On the curve, by any x; hardly ever in the subgroup. */
static void some_curve_point(uint8_t *out, bool g2)
{
    uint8_t x[CUZK_G2_COMPRESSED_BYTES];
    cuzk_g1_affine a;
    cuzk_g2_affine b;
    for (;;) {
        for (size_t i = 0; i < sizeof(x); i++) {
            x[i] = (uint8_t)test_u64();
        }
        x[0] = (uint8_t)(0x80 | (x[0] & 0x2f)); /* some are not below q: refused, tried again */
        if (g2 ? cuzk_g2_decode_compressed(&b, x, CUZK_POINT_UNCHECKED) == CUZK_OK
               : cuzk_g1_decode_compressed(&a, x, CUZK_POINT_UNCHECKED) == CUZK_OK) {
            break;
        }
    }
    if (g2) {
        cuzk_g2_encode_uncompressed(out, &b);
    } else {
        cuzk_g1_encode_uncompressed(out, &a);
    }
}

/* The modulus, big-endian. */
static const uint8_t modulus[48] = {
    0x1a, 0x01, 0x11, 0xea, 0x39, 0x7f, 0xe6, 0x9a, 0x4b, 0x1b, 0xa7, 0xb6, 0x43, 0x4b, 0xac, 0xd7,
    0x64, 0x77, 0x4b, 0x84, 0xf3, 0x85, 0x12, 0xbf, 0x67, 0x30, 0xd2, 0xa0, 0xf6, 0xb0, 0xf6, 0x24,
    0x1e, 0xab, 0xff, 0xfe, 0xb1, 0x53, 0xff, 0xff, 0xb9, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xaa, 0xab};

#define N_SPOILS 13

static void spoil(uint8_t *p, bool g2, unsigned how)
{
    const size_t n = point_bytes(g2);
    const size_t coords = n / 48;
    switch (how) {
    case 0: p[0] |= 0x80; break;
    case 1: p[0] |= 0x20; break;
    case 2: p[0] |= 0x40; break; /* infinity with coordinates */
    case 3:
        memset(p, 0, n);
        p[0] = 0x40;
        break;
    case 4:
        memset(p, 0, n);
        p[0] = 0x40;
        p[n - 1] = 1;
        break;
    case 5: memset(p, 0, n); break;
    case 6: memcpy(p + 48 * test_below(coords), modulus, 48); break;
    case 7: /* one above the largest */
        memcpy(p + 48 * test_below(coords), modulus, 48);
        p[0] &= 0x1f;
        break;
    case 8: /* the largest: canonical, not on the curve */
        memcpy(p + n - 48, modulus, 48);
        p[n - 1]--;
        break;
    case 9: p[n - 1] ^= 1; break;
    case 10: p[47] ^= 4; break;
    case 11: some_curve_point(p, g2); break;
    default:
        memset(p, 0xff, n);
        p[0] = 0x1f;
        break;
    }
}

static cuzk_status verdict(void *out, const uint8_t *in, bool g2, cuzk_point_check check,
                           bool allow_infinity)
{
    cuzk_g1_affine a = {0};
    cuzk_g2_affine b = {0};
    cuzk_status st = g2 ? cuzk_g2_decode_uncompressed(&b, in, check)
                        : cuzk_g1_decode_uncompressed(&a, in, check);
    if (st == CUZK_OK && !allow_infinity &&
        (g2 ? cuzk_g2_affine_is_infinity(&b) : cuzk_g1_affine_is_infinity(&a))) {
        st = CUZK_E_INFINITY;
    }
    memset(out, 0, g2 ? sizeof(b) : sizeof(a));
    if (st == CUZK_OK) {
        memcpy(out, g2 ? (const void *)&b : (const void *)&a, g2 ? sizeof(b) : sizeof(a));
    }
    return st;
}

static void compare(cuzk_cuda_queue *q, const uint8_t *in, size_t n, bool g2,
                    cuzk_point_check check, bool allow_infinity)
{
    cuzk_err err;
    const size_t size = point_bytes(g2);
    uint8_t *want = host(n * size), *got = host(n * size);
    const uint64_t first = test_below(2) != 0 ? 0 : (uint64_t)1 << 31;
    uint64_t report = 0, bad = UINT64_MAX;
    cuzk_status want_st = CUZK_OK;
    for (size_t i = 0; i < n; i++) {
        const cuzk_status st = verdict(want + i * size, in + i * size, g2, check, allow_infinity);
        if (st != CUZK_OK && bad == UINT64_MAX) {
            bad = i;
            want_st = st;
        }
    }
    void *d_in = cuda_upload(q, in, n * size), *d_report = cuda_upload(q, &report, sizeof(report));
    void *d_out = test_below(2) != 0 ? d_in : cuda_upload(q, want, n * size);
    CHECK_OK(cuzk_cuda_srs_report_reset(q, d_report, &err), &err);
    if (g2) {
        CHECK_OK(cuzk_cuda_srs_decode_g2(q, d_out, d_in, n, first, check, allow_infinity, d_report,
                                         &err),
                 &err);
    } else {
        CHECK_OK(cuzk_cuda_srs_decode_g1(q, d_out, d_in, n, first, check, allow_infinity, d_report,
                                         &err),
                 &err);
    }
    CHECK_OK(cuzk_cuda_download(q, got, d_out, n * size, &err), &err);
    CHECK_OK(cuzk_cuda_download(q, &report, d_report, sizeof(report), &err), &err);
    CHECK_STATUS(cuzk_cuda_srs_report_status(report, "l", &err), want_st);
    if (bad != UINT64_MAX) {
        CHECK_U64(report >> 8, first + bad);
    }
    for (size_t i = 0; i < n; i++) {
        CHECK_MSG(memcmp(got + i * size, want + i * size, size) == 0,
                  "g2 %d check %d point %zu of %zu", g2, (int)check, i, n);
    }
    if (d_out != d_in) {
        cuzk_cuda_free(q, d_out);
    }
    cuzk_cuda_free(q, d_in);
    cuzk_cuda_free(q, d_report);
    cuzk_free(want);
    cuzk_free(got);
}

static const cuzk_point_check checks[] = {CUZK_POINT_UNCHECKED, CUZK_POINT_ON_CURVE,
                                          CUZK_POINT_IN_SUBGROUP};

static void good_points(void)
{
    static const size_t sizes[] = {0, 1, 127, 128, 129, 700};
    cuzk_cuda_queue *q = cuda_queue();
    for (unsigned g2 = 0; g2 < 2; g2++) {
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            uint8_t *in = encodings(g2 != 0, sizes[i]);
            for (size_t k = 0; k < 3; k++) {
                compare(q, in, sizes[i], g2 != 0, checks[k], test_below(2) != 0);
            }
            cuzk_free(in);
        }
    }
    cuzk_cuda_queue_destroy(q);
}

static void bad_points(void)
{
    const size_t n = 40;
    cuzk_cuda_queue *q = cuda_queue();
    for (unsigned g2 = 0; g2 < 2; g2++) {
        for (unsigned how = 0; how < N_SPOILS; how++) {
            uint8_t *in = encodings(g2 != 0, n);
            spoil(in + test_below(n) * point_bytes(g2 != 0), g2 != 0, how);
            for (size_t k = 0; k < 3; k++) {
                compare(q, in, n, g2 != 0, checks[k], false);
                compare(q, in, n, g2 != 0, checks[k], true);
            }
            for (size_t i = 0; i < 5; i++) { /* the first of several */
                spoil(in + test_below(n) * point_bytes(g2 != 0), g2 != 0,
                      (unsigned)test_below(N_SPOILS));
            }
            compare(q, in, n, g2 != 0, CUZK_POINT_IN_SUBGROUP, test_below(2) != 0);
            cuzk_free(in);
        }
    }
    cuzk_cuda_queue_destroy(q);
}

/* Points on the curve outside the subgroup, and of small order among them. */
static void outside_the_subgroup(void)
{
    const size_t n = 64;
    cuzk_cuda_queue *q = cuda_queue();
    for (unsigned g2 = 0; g2 < 2; g2++) {
        uint8_t *in = host(n * point_bytes(g2 != 0));
        for (size_t i = 0; i < n; i++) {
            some_curve_point(in + i * point_bytes(g2 != 0), g2 != 0);
        }
        if (g2 == 0) { /* (0, 2): of order 3 */
            memset(in, 0, point_bytes(false));
            in[point_bytes(false) - 1] = 2;
        }
        compare(q, in, n, g2 != 0, CUZK_POINT_ON_CURVE, false);
        for (size_t i = 0; i < n; i++) {
            compare(q, in + i * point_bytes(g2 != 0), 1, g2 != 0, CUZK_POINT_IN_SUBGROUP, false);
        }
        cuzk_free(in);
    }
    cuzk_cuda_queue_destroy(q);
}

static const cuzk_case cases[] = {CASE(good_points), CASE(bad_points), CASE(outside_the_subgroup)};

TEST_MAIN("accel_cuda/srs", cases)
