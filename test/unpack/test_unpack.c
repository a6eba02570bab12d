/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Packings of one text (test/vectors/packed), their damage, and what they claim of their size. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "unpack/unpack.h"

#include "test.h"

#define MOST ((uint64_t)1 << 20)

static const struct packed {
    const char *name;
    bool needs_zlib, needs_zstd;
} files[] = {{"plain.gz", true, false},    {"plain.zst", false, true},
             {"unsized.zst", false, true}, {"plain.base64", false, false},
             {"gz.base64", true, false},   {"zst.base64", false, true},
             {"base64.gz", true, false}};
#define N_FILES (sizeof(files) / sizeof(files[0]))

static uint8_t *read_packed(const char *name, size_t *n)
{
    char path[128];
    (void)snprintf(path, sizeof(path), "test/vectors/packed/%s", name);
    return test_read_file(path, n);
}

static bool can(const struct packed *f)
{
    return (!f->needs_zlib || CUZK_HAVE_ZLIB) && (!f->needs_zstd || CUZK_HAVE_ZSTD);
}

static void every_packing(void)
{
    size_t n_plain;
    uint8_t *plain = read_packed("plain", &n_plain);
    for (size_t i = 0; i < N_FILES; i++) {
        cuzk_err err = {.msg = ""};
        cuzk_packing p;
        size_t n, n_out = 0;
        uint8_t *out = NULL, *in = read_packed(files[i].name, &n);
        const cuzk_status st = cuzk_unpack(&out, &n_out, in, n, MOST, &err);
        CHECK_MSG(st == (can(&files[i]) ? CUZK_OK : CUZK_E_UNSUPPORTED), "%s: %s", files[i].name,
                  err.msg);
        if (st == CUZK_OK) {
            CHECK_U64(n_out, n_plain);
            CHECK_MEM(out, plain, n_plain);
            cuzk_packing_of(&p, in, n);
            CHECK(p.is_packed && p.result_bytes >= n_plain && p.heap_bytes >= n_plain);
        }
        cuzk_free(out);
        free(in);
    }
    free(plain);
}

static void plain_input_stays(void)
{
    const struct {
        const char *text;
        size_t n;
    } inputs[] = {{"", 0},
                  {"{\"a\": 1}", 8},
                  {"[1]", 3},
                  {"\x05\0\0\0\0\0\0\0\1\0\0", 11},
                  {"<html></html>", 13},
                  {"\xff\xfe{\0}\0", 6},
                  {"abc", 3}};
    for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++) {
        cuzk_err err;
        cuzk_packing p;
        uint8_t *out = NULL;
        size_t n = 77;
        CHECK_OK(cuzk_unpack(&out, &n, (const uint8_t *)inputs[i].text, inputs[i].n, MOST, &err),
                 &err);
        CHECK(out == NULL && n == inputs[i].n);
        cuzk_packing_of(&p, (const uint8_t *)inputs[i].text, inputs[i].n);
        CHECK(!p.is_packed && p.heap_bytes == 0 && p.result_bytes == inputs[i].n);
    }
}

/* What is cut or changed is refused, or gives no more than was claimed; nothing is left behind. */
static void damage(void)
{
    const uint64_t before = cuzk_alloc_get_stats().bytes_now;
    for (size_t i = 0; i < N_FILES; i++) {
        size_t n;
        uint8_t *in = read_packed(files[i].name, &n);
        for (size_t k = 0; k < 2 * n && can(&files[i]); k += 7) {
            cuzk_err err = {.msg = ""};
            cuzk_packing p;
            uint8_t *out = NULL, kept = 0;
            size_t n_out = 0;
            const bool is_cut = k < n;
            if (!is_cut) {
                kept = in[k - n];
                in[k - n] ^= 0x10;
            }
            const size_t n_in = is_cut ? k : n;
            cuzk_packing_of(&p, in, n_in);
            const cuzk_status st = cuzk_unpack(&out, &n_out, in, n_in, MOST, &err);
            CHECK_MSG(st == CUZK_OK || st == CUZK_E_FORMAT || st == CUZK_E_INVALID, "%s",
                      cuzk_status_name(st));
            CHECK(st != CUZK_OK || n_out <= p.result_bytes);
            CHECK(st == CUZK_OK || (out == NULL && err.msg[0] != '\0'));
            cuzk_free(out);
            if (!is_cut) {
                in[k - n] = kept;
            }
        }
        free(in);
    }
    CHECK_U64(cuzk_alloc_get_stats().bytes_now, before);
}

/* A claim of two gigabytes costs no memory when less is allowed, and the claim is what counts. */
static void claims(void)
{
    size_t n, n_out = 0;
    cuzk_err err = {.msg = ""};
    cuzk_packing p;
    uint8_t *out = NULL, *in = read_packed("plain.gz", &n);
    CHECK_STATUS(cuzk_unpack(&out, &n_out, in, n, 3000, &err), CUZK_E_INVALID);
    CHECK(strstr(err.msg, "at most 3000") != NULL);
    memcpy(in + n - 4, "\0\0\0\x80", 4);
    cuzk_packing_of(&p, in, n);
    CHECK_U64(p.result_bytes, (uint64_t)2 << 30);
    CHECK_STATUS(cuzk_unpack(&out, &n_out, in, n, MOST, &err), CUZK_E_INVALID);
#if CUZK_HAVE_ZLIB
    memcpy(in + n - 4, "\x10\0\0\0", 4);
    CHECK_STATUS(cuzk_unpack(&out, &n_out, in, n, MOST, &err), CUZK_E_FORMAT);
    CHECK(strstr(err.msg, "claims") != NULL);
#endif
    CHECK(out == NULL);
    free(in);
}

/* Several frames of zstd, and one to be skipped before them, as parallel compressors write them. */
static void frames(void)
{
#if CUZK_HAVE_ZSTD
    static const char *const forms[] = {"plain.zst", "unsized.zst"};
    static const uint8_t skip[12] = {0x5a, 0x2a, 0x4d, 0x18, 4};
    size_t n_plain;
    uint8_t *plain = read_packed("plain", &n_plain);
    for (int i = 0; i < 2; i++) {
        cuzk_err err = {.msg = ""};
        cuzk_packing p;
        size_t n, n_out = 0;
        uint8_t *out = NULL, *one = read_packed(forms[i], &n);
        const size_t n_all = sizeof(skip) + 2 * n;
        uint8_t *all = malloc(n_all);
        CHECK(all != NULL);
        memcpy(all, skip, sizeof(skip));
        memcpy(all + sizeof(skip), one, n);
        memcpy(all + sizeof(skip) + n, one, n);
        CHECK_OK(cuzk_unpack(&out, &n_out, all, n_all, MOST, &err), &err);
        CHECK_U64(n_out, 2 * n_plain);
        CHECK_MEM(out, plain, n_plain);
        CHECK_MEM(out + n_plain, plain, n_plain);
        cuzk_packing_of(&p, all, n_all);
        CHECK(p.result_bytes >= n_out && p.heap_bytes >= n_out);
        cuzk_free(out);
        out = NULL;
        CHECK_STATUS(cuzk_unpack(&out, &n_out, all, n_all, 2 * n_plain - 1, &err), CUZK_E_INVALID);
        /* the last frame is cut; something that is no frame comes behind it */
        CHECK_STATUS(cuzk_unpack(&out, &n_out, all, n_all - 1, MOST, &err), CUZK_E_FORMAT);
        all[sizeof(skip) + n] ^= 1;
        CHECK_STATUS(cuzk_unpack(&out, &n_out, all, n_all, MOST, &err), CUZK_E_FORMAT);
        CHECK(out == NULL);
        free(all);
        free(one);
    }
    free(plain);
#endif
}

static void allocation_failures(void)
{
    const uint64_t before = cuzk_alloc_get_stats().bytes_now;
    for (size_t i = 0; i < N_FILES; i++) {
        size_t n;
        uint8_t *in = read_packed(files[i].name, &n);
        cuzk_status st = can(&files[i]) ? CUZK_E_NOMEM : CUZK_OK;
        for (uint64_t k = 1; st != CUZK_OK; k++) {
            uint8_t *out = NULL;
            size_t n_out = 0;
            CHECK(k < 10);
            cuzk_alloc_fail_nth(k, false);
            st = cuzk_unpack(&out, &n_out, in, n, MOST, NULL);
            cuzk_alloc_fail_nth(0, false);
            CHECK(st == CUZK_OK || st == CUZK_E_NOMEM);
            cuzk_free(out);
            CHECK_U64(cuzk_alloc_get_stats().bytes_now, before);
        }
        free(in);
    }
}

static const cuzk_case cases[] = {
    CASE(every_packing), CASE(plain_input_stays),   CASE(damage), CASE(claims),
    CASE(frames),        CASE(allocation_failures),
};
TEST_MAIN("unpack/unpack", cases)
