/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/entropy.h"
#include "base/text/base64.h"

#include "test.h"

static void loads_and_stores_at_any_address(void)
{
    uint8_t buf[32];
    for (size_t at = 0; at < 8; at++) {
        uint8_t *p = buf + at;
        memset(buf, 0xee, sizeof(buf));
        cuzk_store_u32_le(p, 0x01020304);
        CHECK_MEM(p, "\x04\x03\x02\x01\xee", 5);
        CHECK_U64(cuzk_load_u32_le(p), 0x01020304);
        CHECK_U64(cuzk_load_u32_be(p), 0x04030201);
        cuzk_store_u32_be(p, 0x01020304);
        CHECK_MEM(p, "\x01\x02\x03\x04\xee", 5);
        cuzk_store_u64_le(p, 0x0102030405060708ULL);
        CHECK_MEM(p, "\x08\x07\x06\x05\x04\x03\x02\x01\xee", 9);
        CHECK_U64(cuzk_load_u64_le(p), 0x0102030405060708ULL);
        CHECK_U64(cuzk_load_u64_be(p), 0x0807060504030201ULL);
        cuzk_store_u64_be(p, 0xfffefdfcfbfaf9f8ULL);
        CHECK_MEM(p, "\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8\xee", 9);
        CHECK_U64(cuzk_load_u64_be(p), 0xfffefdfcfbfaf9f8ULL);
    }
}

static void hex_of_every_byte(void)
{
    for (unsigned v = 0; v < 256; v++) {
        const uint8_t in = (uint8_t)v;
        char text[3], want[3];
        uint8_t out = 0;
        cuzk_hex_encode(text, &in, 1);
        (void)snprintf(want, sizeof(want), "%02x", v);
        CHECK_STR(text, want);
        CHECK(cuzk_hex_decode(&out, 1, text, 2));
        CHECK_U64(out, v);
        (void)snprintf(want, sizeof(want), "%02X", v);
        CHECK(cuzk_hex_decode(&out, 1, want, 2));
        CHECK_U64(out, v);
    }
    char empty[1] = {'x'};
    cuzk_hex_encode(empty, NULL, 0);
    CHECK_U64(empty[0], 0);
    CHECK(cuzk_hex_decode(NULL, 0, "", 0));
}

static void hex_refuses_everything_else(void)
{
    uint8_t out[4] = {9, 9, 9, 9};
    CHECK(!cuzk_hex_decode(out, 2, "abc", 3));
    CHECK(!cuzk_hex_decode(out, 2, "abcde", 5));
    CHECK(!cuzk_hex_decode(out, 2, "ab", 2));
    CHECK(!cuzk_hex_decode(out, 2, "abcdef", 6));
    CHECK(!cuzk_hex_decode(out, 2, "0xab", 4));
    CHECK(!cuzk_hex_decode(out, 0, "a", 1));
    for (int c = 0; c < 256; c++) {
        const char text[2] = {'0', (char)c};
        const bool digit =
            (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        CHECK(cuzk_hex_decode(out, 1, text, 2) == digit);
        const char swapped[2] = {(char)c, '0'};
        CHECK(cuzk_hex_decode(out, 1, swapped, 2) == digit);
    }
}

static void base64_vectors(void)
{
    static const struct {
        const char *text, *want;
    } good[] = {/* RFC 4648 section 10 */
                {"", ""},
                {"Zg==", "f"},
                {"Zm8=", "fo"},
                {"Zm9v", "foo"},
                {"Zm9vYg==", "foob"},
                {"Zm9vYmE=", "fooba"},
                {"Zm9vYmFy", "foobar"}};
    static const char *const bad[] = {"Z",    "Zg",      "Zg=",    "Zg===", "====",     "Z===",
                                      "Zh==", "Zm9=",    "Zm9v\n", "Zm 9",  "Zg==Zm9v", "Zm9-",
                                      "Zm9_", "Zm\3039", "=m9v",   "Z=9v"};
    uint8_t out[16];
    size_t n;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        n = 99;
        CHECK(cuzk_base64_decode(out, &n, good[i].text, strlen(good[i].text)));
        CHECK_U64(n, strlen(good[i].want));
        CHECK_MEM(out, good[i].want, n);
        CHECK(n <= cuzk_base64_max(strlen(good[i].text)));
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK_MSG(!cuzk_base64_decode(out, &n, bad[i], strlen(bad[i])), "accepted %s", bad[i]);
    }
}

static void wipe_clears_exactly(void)
{
    uint8_t buf[40];
    memset(buf, 0xaa, sizeof(buf));
    cuzk_wipe(buf + 1, 37);
    CHECK_U64(buf[0], 0xaa);
    CHECK_U64(buf[38], 0xaa);
    for (size_t i = 1; i < 38; i++) {
        CHECK_U64(buf[i], 0);
    }
    cuzk_wipe(buf, 0);
    CHECK_U64(buf[0], 0xaa);
}

static void entropy_fills_and_differs(void)
{
    static uint8_t a[70000], b[70000]; /* more than the kernel gives at once on old versions */
    cuzk_err err;
    size_t ones = 0;
    CHECK_OK(cuzk_entropy(a, 0, &err), &err);
    CHECK_OK(cuzk_entropy(a, sizeof(a), &err), &err);
    CHECK_OK(cuzk_entropy(b, sizeof(b), &err), &err);
    CHECK(memcmp(a, b, sizeof(a)) != 0);
    CHECK(memcmp(a, a + sizeof(a) / 2, sizeof(a) / 2) != 0);
    for (size_t i = 0; i < sizeof(a); i++) {
        ones += (size_t)__builtin_popcount(a[i]);
    }
    /* 560000 fair bits: mean 280000, deviation 374; 20 deviations never happen by chance */
    CHECK(ones > 272500 && ones < 287500);
    size_t tail = 0;
    for (size_t i = sizeof(a) - 32; i < sizeof(a); i++) {
        tail += a[i] != 0 ? 1 : 0;
    }
    CHECK(tail > 0);
}

static void clocks_advance(void)
{
    const struct timespec ms = {0, 1000000};
    const uint64_t t = cuzk_clock_ns(), c = cuzk_clock_cpu_ns();
    (void)nanosleep(&ms, NULL);
    CHECK(cuzk_clock_ns() - t >= 1000000);
    uint64_t x = 1;
    while (cuzk_clock_ns() - t < 20000000) {
        x = x * 3 + 1;
    }
    CHECK(x != 0);
    CHECK(cuzk_clock_cpu_ns() > c);
    CHECK(cuzk_clock_peak_rss() > 100000);
}

static const cuzk_case cases[] = {
    CASE(loads_and_stores_at_any_address),
    CASE(hex_of_every_byte),
    CASE(hex_refuses_everything_else),
    CASE(base64_vectors),
    CASE(wipe_clears_exactly),
    CASE(entropy_fills_and_differs),
    CASE(clocks_advance),
};
TEST_MAIN("base/bytes", cases)
