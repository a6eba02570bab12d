/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Packed inputs (store/input_pack.h): the same bytes again, shorter where there are lists of numbers; damage is refused. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "store/input_pack.h"
#include "sys/file.h"

#include "test.h"

/* The packed length. */
static size_t there_and_back(const void *data, size_t n)
{
    uint8_t *packed = NULL, *again = malloc(n + 1);
    size_t n_packed = 0;
    cuzk_err err = {0};
    CHECK(again != NULL);
    CHECK_OK(store_input_pack(&packed, &n_packed, data, n, &err), &err);
    CHECK(n_packed <= n + STORE_PACK_MORE);
    CHECK_OK(store_input_unpack(again, n, packed, n_packed, &err), &err);
    CHECK(n == 0 || memcmp(again, data, n) == 0);
    CHECK_STATUS(store_input_unpack(again, n + 1, packed, n_packed, NULL), CUZK_E_FORMAT);
    if (n > 0) {
        CHECK_STATUS(store_input_unpack(again, n - 1, packed, n_packed, NULL), CUZK_E_FORMAT);
    }
    cuzk_free(packed);
    free(again);
    return n_packed;
}

static size_t text(const char *s)
{
    return there_and_back(s, strlen(s));
}

static void lists(void)
{
    CHECK_U64(text(""), 0);
    CHECK_U64(text("[0,1,2,3,4,5,255,100]"), 3 + 10 + 3);
    CHECK_U64(text("1,2,3,4,5,6,7"), 2 + 13); /* too short a list */
    (void)text("1,2,3,4,5,6,7,8");
    (void)text("1,2,3,4,5,6,7,8,");
    (void)text("1,2,3,4,5,6,7,8,256,1,2,3,4,5,6,7,8,9");
    (void)text("1,2,3,4,5,6,7,8,07,1,2,3");
    (void)text("01,2,3,4,5,6,7,8,9");
    (void)text("12345,6,7,8,9,10,11,12,13,14");
    (void)text("1,2,3,4,5,6,7,8,9999");
    (void)text("1, 2,3,4,5,6,7,8,9,10,-1,2.5e3");
    (void)text("-1,2,3,4,5,6,7,8,9");
}

/* Base64 of n bytes that a list of numbers in JSON would have. */
static char *wrapped_list(size_t n, size_t *n_out)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *plain = malloc(4 * n + 8), *out = malloc(6 * n + 16);
    size_t k = 0, m = 0;
    CHECK(plain != NULL && out != NULL);
    for (size_t i = 0; i < n; i++) {
        k += (size_t)snprintf(plain + k, 8, "%s%u", i == 0 ? "[" : ",", (unsigned)(i * 37 % 256));
    }
    for (size_t i = 0; i < k; i += 3) {
        const uint32_t v = (uint32_t)(uint8_t)plain[i] << 16 |
                           (i + 1 < k ? (uint32_t)(uint8_t)plain[i + 1] << 8 : 0) |
                           (i + 2 < k ? (uint32_t)(uint8_t)plain[i + 2] : 0);
        out[m++] = letters[v >> 18];
        out[m++] = letters[v >> 12 & 63];
        out[m++] = i + 1 < k ? letters[v >> 6 & 63] : '=';
        out[m++] = i + 2 < k ? letters[v & 63] : '=';
    }
    free(plain);
    *n_out = m;
    return out;
}

static void base64(void)
{
    for (size_t n = 3000; n < 3006; n++) { /* all three ends */
        size_t m = 0;
        char *data = wrapped_list(n, &m);
        CHECK(there_and_back(data, m) < n + 64);
        CHECK(there_and_back(data, m - 1) < n + 64); /* cut: the last group stays as it is */
        data[m / 2] = '!';
        (void)there_and_back(data, m);
        data[m / 2] = '=';
        (void)there_and_back(data, m);
        data[m - 3] = 'z'; /* perhaps with bits that must be zero */
        (void)there_and_back(data, m);
        free(data);
    }
}

/* Bytes of a small alphabet, so that lists, base64 and their borders come about. */
static void any_bytes(void)
{
    static const char alphabet[] = "0123456789,,,,,,AZ+/==[] \n";
    uint64_t x = 88172645463325252u;
    for (int round = 0; round < 400; round++) {
        char data[6000];
        const size_t n = (size_t)(x % sizeof(data));
        const bool letters = round % 4 == 0;
        for (size_t i = 0; i < n; i++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            data[i] = letters ? (char)('A' + x % 26) : alphabet[x % (sizeof(alphabet) - 1)];
        }
        (void)there_and_back(data, n);
    }
}

static void a_c1(void)
{
    static const char *const names[] = {"porep-v1_1.c1.json", "porep-ni.c1.json"};
    for (size_t i = 0; i < 2; i++) {
        char path[256];
        cuzk_content c = {.data = NULL};
        cuzk_err err = {0};
        (void)snprintf(path, sizeof(path), "test/vectors/filecoin/%s", names[i]);
        CHECK_OK(cuzk_content_read(&c, path, CUZK_CONTENT_INPUT, &err), &err);
        CHECK(there_and_back(c.data, c.size) < c.size / 2);
        cuzk_content_free(&c);
    }
}

static void damage_is_refused(void)
{
    static const struct {
        uint8_t bytes[16];
        size_t n;
    } table[] = {
        {{0}, 1},         /* an end where there is none */
        {{4, 1, 1}, 3},   /* no such item */
        {{1}, 1},         /* no length */
        {{1, 9, 'a'}, 3}, /* longer than what is left */
        {{1, 0x80}, 2},   /* a length that is cut */
        {{1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, 11},
        {{3, 3, 1, 3, 'a', 'b', 'c'}, 7},    /* base64 without an end */
        {{3, 4, 1, 3, 'a', 'b', 'c', 0}, 8}, /* and of another length */
        {{3, 3, 3, 0, 0}, 5},                /* and inside itself */
        {{3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0}, 11},
    };
    uint8_t out[8];
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        CHECK_STATUS(store_input_unpack(out, 4, table[i].bytes, table[i].n, NULL), CUZK_E_FORMAT);
    }
    static const uint8_t good[] = {3, 3, 1, 3, 'a', 'b', 'c', 0};
    CHECK_STATUS(store_input_unpack(out, 4, good, sizeof(good), NULL), CUZK_OK);
    CHECK_MEM(out, "YWJj", 4);
}

static const cuzk_case cases[] = {CASE(lists), CASE(base64), CASE(any_bytes), CASE(a_c1),
                                  CASE(damage_is_refused)};
TEST_MAIN("store/input_pack", cases)
