/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Packed inputs (store/pack/input_pack.h): the same bytes again, shorter where there are lists of numbers; damage is refused. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "store/pack/input_pack.h"
#include "sys/file.h"

#include "test.h"

typedef struct packed_bytes {
    uint8_t *data;
    size_t n, room;
} packed_bytes;

static cuzk_status collect(void *arg, const void *data, size_t n, cuzk_err *err)
{
    packed_bytes *b = arg;
    (void)err;
    if (b->room - b->n < n) {
        b->room = 2 * b->room + n;
        b->data = realloc(b->data, b->room);
        CHECK(b->data != NULL);
    }
    memcpy(b->data + b->n, data, n);
    b->n += n;
    return CUZK_OK;
}

/* In pieces of step bytes. */
static cuzk_status pack(packed_bytes *out, const uint8_t *data, size_t n, size_t step,
                        bool as_it_is, cuzk_err *err)
{
    store_packer *p = NULL;
    cuzk_status st = CUZK_OK;
    CHECK_OK(store_packer_create(&p, n, as_it_is, collect, out, err), err);
    for (size_t at = 0; at < n && st == CUZK_OK; at += step) {
        st = store_packer_add(p, data + at, n - at < step ? n - at : step, err);
    }
    st = st == CUZK_OK ? store_packer_end(p, err) : st;
    store_packer_destroy(p);
    return st;
}

static size_t there_and_back_by(const void *data, size_t n, size_t step)
{
    packed_bytes packed = {.data = NULL};
    uint8_t *again = malloc(n + 1);
    cuzk_err err = {0};
    CHECK(again != NULL);
    cuzk_status st = pack(&packed, data, n, step, false, &err);
    if (st == CUZK_E_BUDGET) {
        packed.n = 0;
        st = pack(&packed, data, n, step, true, &err);
    }
    CHECK_OK(st, &err);
    const size_t n_packed = packed.n;
    CHECK(n_packed <= n + STORE_PACK_MORE);
    CHECK_OK(store_input_unpack(again, n, packed.data, n_packed, &err), &err);
    CHECK(n == 0 || memcmp(again, data, n) == 0);
    CHECK_STATUS(store_input_unpack(again, n + 1, packed.data, n_packed, NULL), CUZK_E_FORMAT);
    if (n > 0) {
        CHECK_STATUS(store_input_unpack(again, n - 1, packed.data, n_packed, NULL), CUZK_E_FORMAT);
    }
    free(packed.data);
    free(again);
    return n_packed;
}

/* The packed length. */
static size_t there_and_back(const void *data, size_t n)
{
    return there_and_back_by(data, n, n + 1);
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

/* Longer than a window: lists and base64 that go over its ends, and bytes in which there is nothing to pack. */
static void long_inputs(void)
{
    enum { N = 1000000 };
    uint64_t x = 88172645463325252u;
    size_t m = 0;
    char *data = wrapped_list(N, &m);
    CHECK(m > 4000000 && there_and_back(data, m) < N + 1000);
    CHECK(there_and_back_by(data, m, 100000) <
          m / 3); /* base64 in pieces: each is decoded for itself */
    (void)there_and_back_by(data, m, 4097);
    for (size_t i = 0; i < m; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        data[i] = (char)(x >> 32);
    }
    CHECK(there_and_back(data, m) <= m + 16); /* as it is */
    m = 0;
    for (size_t i = 0; i < N; i++) {
        m += (size_t)snprintf(data + m, 8, "%s%u", i == 0 ? "[" : ",", (unsigned)(i * 37 % 256));
    }
    CHECK(there_and_back(data, m) < N + 1000);
    CHECK(there_and_back_by(data, m, 77) < N + 1000);
    free(data);
}

static cuzk_status drop(void *arg, const void *data, size_t n, cuzk_err *err)
{
    (void)arg;
    (void)data;
    (void)n;
    (void)err;
    return CUZK_OK;
}

/* However long the input is. */
static void memory(void)
{
    size_t m = 0;
    char *data = wrapped_list(1000000, &m);
    store_packer *p = NULL;
    const uint64_t before = cuzk_alloc_get_stats().bytes_now;
    cuzk_alloc_reset_peak();
    CHECK_STATUS(store_packer_create(&p, m, false, drop, NULL, NULL), CUZK_OK);
    CHECK_STATUS(store_packer_add(p, data, m, NULL), CUZK_OK);
    CHECK_STATUS(store_packer_end(p, NULL), CUZK_OK);
    store_packer_destroy(p);
    CHECK(cuzk_alloc_get_stats().bytes_peak - before < STORE_PACKER_BYTES);
    CHECK_U64(cuzk_alloc_get_stats().bytes_now, before);
    cuzk_alloc_fail_nth(1, false);
    CHECK_STATUS(store_packer_create(&p, m, false, drop, NULL, NULL), CUZK_E_NOMEM);
    free(data);
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

static const cuzk_case cases[] = {
    CASE(lists),  CASE(base64), CASE(any_bytes),        CASE(long_inputs),
    CASE(memory), CASE(a_c1),   CASE(damage_is_refused)};
TEST_MAIN("store/input_pack", cases)
