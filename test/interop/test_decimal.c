/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <gmp.h>
#include <stdlib.h>
#include <string.h>

#include "interop/decimal.h"

#include "test.h"

/* Against GMP, both ways, all limb counts. */
static void agrees_with_gmp(void)
{
    mpz_t z;
    mpz_init(z);
    for (size_t round = 0; round < test_iters(3000); round++) {
        const size_t n = 1 + test_below(6);
        uint64_t a[6], back[6];
        char text[CUZK_DECIMAL_BYTES];
        test_bytes(a, n * 8);
        mpz_import(z, n, -1, 8, 0, 0, a);
        char *want = mpz_get_str(NULL, 10, z);
        const size_t len = cuzk_decimal_format(text, a, n);
        CHECK_STR(text, want);
        CHECK_U64(len, strlen(want));
        free(want);
        CHECK(cuzk_decimal_parse(back, n, text, len));
        CHECK_MEM(back, a, n * 8);
        /* One limb less: only when the value fits. */
        if (n > 1) {
            CHECK(cuzk_decimal_parse(back, n - 1, text, len) == (a[n - 1] == 0));
        }
    }
    mpz_clear(z);
}

static void range_ends(void)
{
    uint64_t v[6];
    CHECK(cuzk_decimal_parse(v, 1, "18446744073709551615", 20));
    CHECK_U64(v[0], UINT64_MAX);
    CHECK(!cuzk_decimal_parse(v, 1, "18446744073709551616", 20));
    CHECK(cuzk_decimal_parse(v, 2, "18446744073709551616", 20));
    CHECK_U64(v[0], 0);
    CHECK_U64(v[1], 1);
    char text[CUZK_DECIMAL_BYTES + 1];
    memset(text, '9', sizeof(text));
    CHECK(!cuzk_decimal_parse(v, 6, text, 116) && !cuzk_decimal_parse(v, 6, text, 117));
    memset(v, 0xff, sizeof(v));
    CHECK_U64(cuzk_decimal_format(text, v, 6), 116);
    memset(v, 0, sizeof(v));
    CHECK_U64(cuzk_decimal_format(text, v, 6), 1);
    CHECK_STR(text, "0");
}

static void only_plain_digits(void)
{
    static const char *const bad[] = {"",    "00",  "01",    "+1",  "-1", " 1", "1 ", "0x1",
                                      "1e3", "1.0", "1_000", "1,0", "a",  "/",  ":",  "\xd9\xa1"};
    uint64_t v = 77;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK_MSG(!cuzk_decimal_parse(&v, 1, bad[i], strlen(bad[i])), "accepted '%s'", bad[i]);
        CHECK_U64(v, 77);
    }
    CHECK(!cuzk_decimal_parse(&v, 1, "1\0", 2));
    CHECK(cuzk_decimal_parse(&v, 1, "0", 1));
    CHECK_U64(v, 0);
}

static const cuzk_case cases[] = {CASE(agrees_with_gmp), CASE(range_ends), CASE(only_plain_digits)};
TEST_MAIN("interop/decimal", cases)
