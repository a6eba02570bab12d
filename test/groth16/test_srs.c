/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "groth16/params/srs.h"
#include "groth16/srs_util.h"

#include "test.h"

static cuzk_status open_bytes(cuzk_srs **srs, const uint8_t *data, size_t n, cuzk_point_check check,
                              cuzk_err *err)
{
    return cuzk_srs_open_bytes(srs, data, n, "test.params", check, NULL, NULL, err);
}

/* The bytes are refused with this status and a message that has this part. */
static void check_refused(const uint8_t *data, size_t n, cuzk_point_check check, cuzk_status want,
                          const char *part)
{
    cuzk_srs *srs = NULL;
    cuzk_err err = {0};
    const cuzk_status st = open_bytes(&srs, data, n, check, &err);
    CHECK_MSG(st == want, "%s (%s), expected %s", cuzk_status_name(st), err.msg,
              cuzk_status_name(want));
    CHECK(srs == NULL);
    CHECK_MSG(strstr(err.msg, part) != NULL, "\"%s\" has no \"%s\"", err.msg, part);
}

static void round_trip(void)
{
    cuzk_srs *srs = test_srs_random(3, 7, 5, 6, 4), *again = NULL;
    cuzk_err err;
    size_t n, m;
    uint8_t *bytes = test_srs_bytes(srs, &n);
    CHECK_U64(n, 868 + 96 * 3 + 5 * 4 + 96 * (7 + 5 + 6 + 4) + 192 * 4);
    CHECK_OK(open_bytes(&again, bytes, n, CUZK_POINT_IN_SUBGROUP, &err), &err);
    uint8_t *bytes2 = test_srs_bytes(again, &m);
    CHECK_U64(m, n);
    CHECK_MEM(bytes2, bytes, n);
    /* Any range reads as the array has it. */
    for (size_t it = 0; it < 50; it++) {
        const cuzk_srs_section s = (cuzk_srs_section)test_below(4);
        const uint64_t total = cuzk_srs_count(srs, s);
        const uint64_t first = test_below(total + 1), k = test_below(total - first + 1);
        cuzk_g1_affine got[8];
        CHECK_OK(cuzk_srs_read_g1(again, s, first, k, got, NULL, &err), &err);
        CHECK_MEM(got, cuzk_srs_g1_array(srs, s) + first, k * sizeof(*got));
        CHECK_STATUS(cuzk_srs_read_g1(again, s, first, total - first + 1, got, NULL, &err),
                     CUZK_E_INVALID);
    }
    cuzk_g2_affine got2[4];
    CHECK_OK(cuzk_srs_read_g2(again, CUZK_SRS_B_G2, 1, 3, got2, NULL, &err), &err);
    CHECK_MEM(got2, cuzk_srs_g2_array(srs) + 1, 3 * sizeof(*got2));
    CHECK_STATUS(cuzk_srs_read_g2(again, CUZK_SRS_B_G1, 0, 1, got2, NULL, &err), CUZK_E_INVALID);
    uint8_t digest[16];
    CHECK_STATUS(cuzk_srs_digest(srs, digest, NULL, &err), CUZK_E_UNSUPPORTED);
    cuzk_srs_close(srs);
    cuzk_srs_close(again);
    free(bytes);
    free(bytes2);
}

/* Files that people have instead of parameters. */
static void wrong_files(void)
{
    static const struct {
        const char *content, *part;
    } files[] = {
        {"<!DOCTYPE html><html><body>502 Bad Gateway</body></html>", "HTML"},
        {"\n  <html>", "HTML"},
        {"{\"sector_size\":2048}", "JSON"},
        {"Not Found\n", "text file"},
        {"version https://git-lfs.github.com/spec/v1\noid sha256:00\n", "Git LFS pointer"},
        {"zkey\x01", ".zkey"},
        {"wtns\x02", ".wtns"},
        {"\x1f\x8b\x08", "gzip"},
    };
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        check_refused((const uint8_t *)files[i].content, strlen(files[i].content),
                      CUZK_POINT_UNCHECKED, CUZK_E_FORMAT, files[i].part);
    }
    static const uint8_t zeros[4096];
    check_refused(zeros, sizeof(zeros), CUZK_POINT_UNCHECKED, CUZK_E_FORMAT, "zero bytes");
    check_refused(zeros, 1, CUZK_POINT_UNCHECKED, CUZK_E_FORMAT, "zero bytes");
    check_refused(zeros, 0, CUZK_POINT_UNCHECKED, CUZK_E_FORMAT, "empty file");
}

/* Every prefix is refused with words about truncation and both sizes; so is a longer file. */
static void truncated(void)
{
    cuzk_srs *srs = test_srs_random(2, 3, 2, 3, 1);
    size_t n;
    uint8_t *bytes = test_srs_bytes(srs, &n);
    const size_t vk_bytes = cuzk_srs_vk_bytes(srs);
    for (size_t k = 97; k < n; k++) {
        char found[64];
        (void)snprintf(found, sizeof(found), "found %zu", k);
        if (k == vk_bytes) {
            check_refused(bytes, k, CUZK_POINT_UNCHECKED, CUZK_E_FORMAT, "a verifying key");
            continue;
        }
        check_refused(bytes, k, CUZK_POINT_UNCHECKED, CUZK_E_FORMAT, "truncated");
        check_refused(bytes, k, CUZK_POINT_UNCHECKED, CUZK_E_FORMAT, found);
    }
    char expected[64];
    (void)snprintf(expected, sizeof(expected), "at least %zu bytes, found %zu", n, n - 1);
    check_refused(bytes, n - 1, CUZK_POINT_UNCHECKED, CUZK_E_FORMAT, expected);
    uint8_t *longer = malloc(n + 3);
    CHECK(longer != NULL);
    memcpy(longer, bytes, n);
    memset(longer + n, 0, 3);
    check_refused(longer, n + 3, CUZK_POINT_UNCHECKED, CUZK_E_FORMAT, "3 trailing bytes");
    cuzk_srs_close(srs);
    free(bytes);
    free(longer);
}

static void put_contribution(uint8_t *b, const uint8_t *key, const uint8_t *delta)
{
    memcpy(b, delta, 96);
    memcpy(b + 96, key, 192);        /* alpha and beta in G1, as any points */
    memcpy(b + 288, key + 192, 192); /* beta in G2 */
    memset(b + 480, 7, 64);
}

/* Behind the sections, as bellman's ceremonies leave it: hash, count, contributions of 544 bytes. */
static void transcript(void)
{
    enum { CONTRIBUTIONS = 3, BYTES = 64 + 4 + 544 * CONTRIBUTIONS };
    cuzk_srs *srs = test_srs_random(2, 3, 2, 3, 1), *again = NULL;
    cuzk_err err;
    size_t n, m;
    uint8_t *bytes = test_srs_bytes(srs, &n);
    uint8_t *all = malloc(n + BYTES + 1);
    CHECK(all != NULL);
    CHECK(cuzk_srs_get_transcript(srs) == NULL);
    memcpy(all, bytes, n);
    memset(all + n, 0xab, 64);
    memcpy(all + n + 64, "\0\0\0\3", 4);
    for (unsigned i = 0; i < CONTRIBUTIONS; i++) {
        put_contribution(all + n + 68 + 544 * i, bytes, i == 2 ? bytes + 576 : bytes);
    }
    CHECK_OK(open_bytes(&again, all, n + BYTES, CUZK_POINT_IN_SUBGROUP, &err), &err);
    const cuzk_srs_transcript *t = cuzk_srs_get_transcript(again);
    CHECK(t != NULL && t->n_contributions == 3 && t->circuit_hash[63] == 0xab && t->offset == n);
    uint8_t *written = test_srs_bytes(again, &m);
    CHECK_U64(m, n);
    CHECK_MEM(written, bytes, n);
    cuzk_srs_close(again);
    /* Any other length, and a count that does not fit. */
    check_refused(all, n + BYTES + 1, CUZK_POINT_UNCHECKED, CUZK_E_FORMAT,
                  "no ceremony's transcript");
    check_refused(all, n + BYTES - 1, CUZK_POINT_UNCHECKED, CUZK_E_FORMAT,
                  "no ceremony's transcript");
    check_refused(all, n + 67, CUZK_POINT_UNCHECKED, CUZK_E_FORMAT, "67 trailing bytes");
    all[n + 64] = 0xff;
    check_refused(all, n + BYTES, CUZK_POINT_UNCHECKED, CUZK_E_FORMAT, "no ceremony's transcript");
    memset(all + n + 64, 0, 4);
    check_refused(all, n + 68, CUZK_POINT_UNCHECKED, CUZK_E_FORMAT, "no ceremony's transcript");
    all[n + 67] = 3;
    /* Of another key; a point that is none. */
    all[n + BYTES - 544] ^= 1;
    check_refused(all, n + BYTES, CUZK_POINT_UNCHECKED, CUZK_E_FORMAT,
                  "did not make the key's delta");
    all[n + BYTES - 544] ^= 1;
    all[n + 68 + 544 + 200] ^= 1;
    check_refused(all, n + BYTES, CUZK_POINT_ON_CURVE, CUZK_E_NOT_ON_CURVE,
                  "transcript: contribution 1");
    cuzk_srs_close(srs);
    free(bytes);
    free(all);
    free(written);
}

static void absurd_counts(void)
{
    cuzk_srs *srs = test_srs_random(2, 3, 2, 3, 1);
    size_t n;
    uint8_t *bytes = test_srs_bytes(srs, &n);
    static const uint32_t absurd[] = {0xffffffffu, 0x80000000u, 0x02aaaaabu, 5, 1000000};
    static const struct {
        cuzk_srs_section s;
        const char *part;
    } where[] = {{CUZK_SRS_H, "section h"},
                 {CUZK_SRS_L, "section l"},
                 {CUZK_SRS_A, "section a"},
                 {CUZK_SRS_B_G1, "section b_g1"},
                 {CUZK_SRS_B_G2, "section b_g2"}};
    for (size_t i = 0; i < 5; i++) {
        uint8_t *count = bytes + test_srs_offset(srs, where[i].s, 0) - 4, old[4];
        memcpy(old, count, 4);
        for (size_t k = 0; k < sizeof(absurd) / sizeof(absurd[0]); k++) {
            cuzk_store_u32_be(count, absurd[k]);
            /* A wrong count of l that still fits shifts a: then that section is named. */
            check_refused(bytes, n, CUZK_POINT_UNCHECKED, CUZK_E_FORMAT,
                          where[i].s == CUZK_SRS_L ? "section " : where[i].part);
        }
        memcpy(count, old, 4);
    }
    cuzk_store_u32_be(bytes + 864, 0);
    check_refused(bytes, n, CUZK_POINT_UNCHECKED, CUZK_E_FORMAT, "without ic points");
    cuzk_store_u32_be(bytes + 864, 0xffffffffu);
    check_refused(bytes, n, CUZK_POINT_UNCHECKED, CUZK_E_FORMAT, "4294967295 ic points");
    cuzk_srs_close(srs);
    free(bytes);
}

/* The key is checked in full whatever the level. */
static void bad_vk_points(void)
{
    static const struct {
        size_t offset;
        bool g2;
        const char *name;
    } points[] = {{0, false, "alpha_g1"},  {96, false, "beta_g1"},   {192, true, "beta_g2"},
                  {384, true, "gamma_g2"}, {576, false, "delta_g1"}, {672, true, "delta_g2"},
                  {868, false, "ic[0]"},   {964, false, "ic[1]"}};
    cuzk_srs *srs = test_srs_random(2, 3, 2, 3, 1);
    size_t n;
    uint8_t *bytes = test_srs_bytes(srs, &n);
    cuzk_g1_affine out1;
    cuzk_g2_affine out2;
    test_g1_outside_subgroup(&out1);
    test_g2_outside_subgroup(&out2);
    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
        uint8_t *p = bytes + points[i].offset, old[192];
        const size_t size = points[i].g2 ? 192 : 96;
        memcpy(old, p, size);
        if (points[i].g2) {
            cuzk_g2_encode_uncompressed(p, &out2);
        } else {
            cuzk_g1_encode_uncompressed(p, &out1);
        }
        check_refused(bytes, n, CUZK_POINT_UNCHECKED, CUZK_E_NOT_IN_GROUP, points[i].name);
        memset(p, 0, size);
        p[0] = 0x40;
        check_refused(bytes, n, CUZK_POINT_UNCHECKED, CUZK_E_INFINITY, points[i].name);
        memcpy(p, old, size);
        p[size - 1] ^= 1;
        check_refused(bytes, n, CUZK_POINT_UNCHECKED, CUZK_E_NOT_ON_CURVE, points[i].name);
        memcpy(p, old, size);
        p[0] |= 0x80;
        check_refused(bytes, n, CUZK_POINT_UNCHECKED, CUZK_E_ENCODING, points[i].name);
        memcpy(p, old, size);
    }
    cuzk_srs_close(srs);
    free(bytes);
}

/* Points of the sections: what each level finds, and where it says it is. */
static void check_levels(void)
{
    cuzk_srs *srs = test_srs_random(2, 7, 5, 6, 4), *opened = NULL;
    cuzk_err err;
    size_t n;
    uint8_t *bytes = test_srs_bytes(srs, &n);
    cuzk_g1_affine out1, r1[8];
    cuzk_g2_affine out2, r2[8];
    test_g1_outside_subgroup(&out1);
    test_g2_outside_subgroup(&out2);
    for (unsigned k = 0; k < CUZK_SRS_SECTIONS; k++) {
        const cuzk_srs_section s = (cuzk_srs_section)k;
        const uint64_t total = cuzk_srs_count(srs, s), i = test_below(total);
        const size_t size = s == CUZK_SRS_B_G2 ? 192 : 96;
        uint8_t *p = bytes + test_srs_offset(srs, s, i), old[192];
        char where[64];
        (void)snprintf(where, sizeof(where), "section %s, point %llu:", cuzk_srs_section_name(s),
                       (unsigned long long)i);
        memcpy(old, p, size);

        /* A flipped bit of y: found on the curve level. */
        p[size - 1] ^= (uint8_t)(1u << test_below(8));
        check_refused(bytes, n, CUZK_POINT_ON_CURVE, CUZK_E_NOT_ON_CURVE, where);
        check_refused(bytes, n, CUZK_POINT_IN_SUBGROUP, CUZK_E_NOT_ON_CURVE, where);
        CHECK_OK(open_bytes(&opened, bytes, n, CUZK_POINT_UNCHECKED, &err), &err);
        cuzk_srs_close(opened);
        memcpy(p, old, size);

        if (s == CUZK_SRS_B_G2) {
            cuzk_g2_encode_uncompressed(p, &out2);
        } else {
            cuzk_g1_encode_uncompressed(p, &out1);
        }
        check_refused(bytes, n, CUZK_POINT_IN_SUBGROUP, CUZK_E_NOT_IN_GROUP, where);
        CHECK_OK(open_bytes(&opened, bytes, n, CUZK_POINT_ON_CURVE, &err), &err);
        cuzk_srs_close(opened);

        /* Infinity and bad encodings: found by every level, unchecked when they are read. */
        memset(p, 0, size);
        p[0] = 0x40;
        check_refused(bytes, n, CUZK_POINT_ON_CURVE, CUZK_E_INFINITY, where);
        CHECK_OK(open_bytes(&opened, bytes, n, CUZK_POINT_UNCHECKED, &err), &err);
        CHECK_STATUS(s == CUZK_SRS_B_G2 ? cuzk_srs_read_g2(opened, s, 0, total, r2, NULL, &err)
                                        : cuzk_srs_read_g1(opened, s, 0, total, r1, NULL, &err),
                     CUZK_E_INFINITY);
        CHECK_MSG(strstr(err.msg, where) != NULL, "%s", err.msg);
        cuzk_srs_close(opened);
        memset(p, 0xff, size);
        p[0] = 0x1f; /* no flags, coordinate above the field's modulus */
        check_refused(bytes, n, CUZK_POINT_ON_CURVE, CUZK_E_ENCODING, where);
        memcpy(p, old, size);
    }
    cuzk_srs_close(srs);
    free(bytes);
}

static void path_errors(void)
{
    char path[512];
    cuzk_srs *srs = NULL;
    cuzk_err err;
    const char *dir = test_tmpdir();
    (void)snprintf(path, sizeof(path), "%s/none.params", dir);
    CHECK_STATUS(cuzk_srs_open(&srs, path, CUZK_POINT_UNCHECKED, NULL, NULL, &err),
                 CUZK_E_NOT_FOUND);
    CHECK(strstr(err.msg, "none.params") != NULL);
    CHECK_STATUS(cuzk_srs_open(&srs, dir, CUZK_POINT_UNCHECKED, NULL, NULL, &err), CUZK_E_INVALID);
    (void)snprintf(path, sizeof(path), "%s/link.params", dir);
    CHECK(symlink("/nonexistent/target", path) == 0);
    CHECK(cuzk_srs_open(&srs, path, CUZK_POINT_UNCHECKED, NULL, NULL, &err) != CUZK_OK);
    CHECK_MSG(strstr(err.msg, "dangling") != NULL, "%s", err.msg);
    (void)snprintf(path, sizeof(path), "%s/empty.params", dir);
    CHECK_OK(cuzk_file_write_all(path, "", 0, false, &err), &err);
    CHECK_STATUS(cuzk_srs_open(&srs, path, CUZK_POINT_UNCHECKED, NULL, NULL, &err), CUZK_E_FORMAT);
    CHECK(strstr(err.msg, "empty file") != NULL);
    CHECK(srs == NULL);

    cuzk_srs *small = test_srs_random(1, 1, 1, 1, 1);
    CHECK_STATUS(cuzk_srs_write(small, path, false, NULL, NULL, &err), CUZK_E_EXISTS);
    CHECK_OK(cuzk_srs_write(small, path, true, NULL, NULL, &err), &err);
    CHECK_OK(cuzk_srs_open(&srs, path, CUZK_POINT_IN_SUBGROUP, NULL, NULL, &err), &err);
    cuzk_cancel cancel = {true};
    uint8_t digest[16];
    CHECK_STATUS(cuzk_srs_digest(srs, digest, &cancel, &err), CUZK_E_CANCELLED);
    cuzk_srs_close(srs);
    CHECK_STATUS(cuzk_srs_open(&srs, path, CUZK_POINT_ON_CURVE, NULL, &cancel, &err),
                 CUZK_E_CANCELLED);
    cuzk_srs_close(small);
}

static void create_counts(void)
{
    cuzk_srs *srs = test_srs_random(2, 3, 2, 3, 1), *other = NULL;
    cuzk_srs_source source = {.vk = *cuzk_srs_get_vk(srs), .count = {3, 2, 3, 1, 1}};
    cuzk_err err;
    CHECK_OK(cuzk_srs_create(&other, &source, &err), &err);
    cuzk_srs_close(other);
    other = NULL;
    source.count[CUZK_SRS_H] = 4;
    CHECK_STATUS(cuzk_srs_create(&other, &source, &err), CUZK_E_INVALID);
    source.quotient = CUZK_QUOTIENT_ODD_COSET;
    CHECK_OK(cuzk_srs_create(&other, &source, &err), &err);
    CHECK_STATUS(cuzk_srs_write(other, "unused", false, NULL, NULL, &err), CUZK_E_UNSUPPORTED);
    cuzk_srs_close(other);
    other = NULL;
    source.all_wires = true; /* 4 wires, but a has 3 points */
    CHECK_STATUS(cuzk_srs_create(&other, &source, &err), CUZK_E_INVALID);
    source.count[CUZK_SRS_A] = source.count[CUZK_SRS_B_G1] = 4;
    CHECK_STATUS(cuzk_srs_create(&other, &source, &err), CUZK_E_INVALID); /* b_g1 != b_g2 */
    source.count[CUZK_SRS_B_G2] = 4;
    CHECK_OK(cuzk_srs_create(&other, &source, &err), &err);
    cuzk_srs_close(other);
    cuzk_srs_close(srs);
}

/* Whatever allocation fails: E_NOMEM, nothing left behind, no file. */
static void out_of_memory(void)
{
    char path[512], copy[512];
    cuzk_srs *made = test_srs_random(2, 7, 5, 6, 4);
    cuzk_err err;
    (void)snprintf(path, sizeof(path), "%s/a.params", test_tmpdir());
    (void)snprintf(copy, sizeof(copy), "%s/b.params", test_tmpdir());
    CHECK_OK(cuzk_srs_write(made, path, false, NULL, NULL, &err), &err);
    cuzk_srs_close(made);
    const uint64_t blocks = cuzk_alloc_get_stats().blocks_now;
    uint64_t fails = 0;
    for (uint64_t n = 1;; n++) {
        cuzk_srs *srs = NULL;
        CHECK(access(copy, F_OK) != 0);
        cuzk_alloc_fail_nth(n, false);
        cuzk_status st = cuzk_srs_open(&srs, path, CUZK_POINT_IN_SUBGROUP, NULL, NULL, &err);
        if (st == CUZK_OK) {
            st = cuzk_srs_write(srs, copy, false, NULL, NULL, &err);
        }
        cuzk_alloc_fail_nth(0, false);
        cuzk_srs_close(srs);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, blocks);
        if (st == CUZK_OK) {
            break;
        }
        CHECK_STATUS(st, CUZK_E_NOMEM);
        fails++;
    }
    CHECK(fails >= 4);
}

/* A file cut short while it is open: what is left is read, the rest is E_IO with the file's name. */
static void cut_while_open(void)
{
    static cuzk_g1_affine r1[4096];
    static cuzk_g2_affine r2[4096];
    char path[512];
    cuzk_srs *made = test_srs_random(2, 4095, 3000, 2500, 2100), *srs = NULL;
    cuzk_pool *pool = NULL;
    const cuzk_pool_cfg cfg = {.n_threads = 3};
    cuzk_err err;
    uint8_t digest[16], *bytes;
    size_t n;
    bytes = test_srs_bytes(made, &n);
    (void)snprintf(path, sizeof(path), "%s/cut.params", test_tmpdir());
    CHECK_OK(cuzk_pool_create(&pool, &cfg, &err), &err);
    for (unsigned k = 0; k <= CUZK_SRS_SECTIONS; k++) {
        CHECK_OK(cuzk_file_write_all(path, bytes, n, true, &err), &err);
        CHECK_OK(cuzk_srs_open(&srs, path, CUZK_POINT_UNCHECKED, NULL, NULL, &err), &err);
        size_t cut = n;
        if (k < CUZK_SRS_SECTIONS) {
            const cuzk_srs_section s = (cuzk_srs_section)k;
            cut = test_srs_offset(srs, s, 0) + test_below(96 * cuzk_srs_count(srs, s));
            CHECK(truncate(path, (off_t)cut) == 0);
        }
        for (unsigned i = 0; i < CUZK_SRS_SECTIONS; i++) {
            const cuzk_srs_section s = (cuzk_srs_section)i;
            const uint64_t count = cuzk_srs_count(srs, s);
            const cuzk_status st = s == CUZK_SRS_B_G2
                                       ? cuzk_srs_read_g2(srs, s, 0, count, r2, pool, &err)
                                       : cuzk_srs_read_g1(srs, s, 0, count, r1, pool, &err);
            if (i < k) {
                CHECK_OK(st, &err);
                continue;
            }
            CHECK_STATUS(st, k == CUZK_SRS_SECTIONS ? CUZK_OK : CUZK_E_IO);
            CHECK_MSG(strncmp(err.msg, path, strlen(path)) == 0, "%s", err.msg);
        }
        CHECK_STATUS(cuzk_srs_digest(srs, digest, NULL, &err),
                     k == CUZK_SRS_SECTIONS ? CUZK_OK : CUZK_E_IO);
        cuzk_srs_close(srs);
    }
    cuzk_pool_destroy(pool);
    cuzk_srs_close(made);
    free(bytes);
}

static const cuzk_case cases[] = {CASE(round_trip),    CASE(wrong_files),   CASE(truncated),
                                  CASE(transcript),    CASE(absurd_counts), CASE(bad_vk_points),
                                  CASE(check_levels),  CASE(path_errors),   CASE(create_counts),
                                  CASE(out_of_memory), CASE(cut_while_open)};
TEST_MAIN("groth16/srs", cases)
