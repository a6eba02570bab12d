/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* SRS files: written byte for byte, read with all checks, and the transcript on its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pairing/gt.h"
#include "sys/file.h"

#include "agg_sets.h"
#include "test.h"

static void secret(cuzk_fr *out, jwalk v)
{
    uint8_t le[32];
    CHECK_U64(jwalk_hex(v, le, 32), 32);
    CHECK(cuzk_fr_from_bytes_le(out, le));
}

static void written_byte_for_byte(void)
{
    const jwalk list = jwalk_key(agg_vectors(), "srs");
    CHECK_U64(jwalk_count(list), 2);
    for (size_t i = 0; i < 2; i++) {
        const jwalk e = jwalk_at(list, i);
        char name[64], path[128], out[256];
        cuzk_fr a, b;
        cuzk_err err;
        size_t n_want = 0, n_got = 0;
        cuzk_agg_srs *srs = NULL;
        uint8_t digest[CUZK_AGG_SRS_DIGEST_BYTES];
        secret(&a, jwalk_key(e, "alpha_le"));
        secret(&b, jwalk_key(e, "beta_le"));
        snprintf(path, sizeof(path), AGG_DIR "%s",
                 jwalk_text(jwalk_key(e, "file"), name, sizeof(name)));
        snprintf(out, sizeof(out), "%s/%s", test_tmpdir(), name);
        CHECK_OK(cuzk_agg_srs_write(out, jwalk_u64(jwalk_key(e, "powers")), &a, &b, false, NULL,
                                    NULL, &err),
                 &err);
        uint8_t *want = test_read_file(path, &n_want), *got = test_read_file(out, &n_got);
        CHECK_U64(n_got, n_want);
        CHECK_MEM(got, want, n_want);
        free(want);
        free(got);
        CHECK_OK(cuzk_agg_srs_open(&srs, path, &err), &err);
        CHECK_OK(cuzk_agg_srs_digest(srs, digest, NULL, &err), &err);
        CHECK(jwalk_hex_is(jwalk_key(e, "blake2b_digest"), digest, sizeof(digest)));
        CHECK_OK(cuzk_agg_srs_check(srs, NULL, NULL, &err), &err);
        CHECK_STATUS(cuzk_agg_srs_require_network(srs, NULL, &err), CUZK_E_DIGEST);
        CHECK(strstr(err.msg, "test SRS") != NULL);
        cuzk_agg_srs_close(srs);
    }
}

/* Opens a changed copy of fake-16.srs; OK then means that the whole check must find it. */
static cuzk_status try_changed(const uint8_t *d, size_t n, cuzk_err *err)
{
    char path[256];
    cuzk_agg_srs *srs = NULL;
    snprintf(path, sizeof(path), "%s/changed.srs", test_tmpdir());
    CHECK_OK(cuzk_file_write_all(path, d, n, true, err), err);
    cuzk_status st = cuzk_agg_srs_open(&srs, path, err);
    if (st == CUZK_OK) {
        st = cuzk_agg_srs_check(srs, NULL, NULL, err);
    }
    cuzk_agg_srs_close(srs);
    return st;
}

static void changed_files_are_refused(void)
{
    enum { N = 32, G1_LIST = 4 + 48 * N, G2_LIST = 4 + 96 * N };
    size_t n = 0;
    cuzk_err err;
    uint8_t *d = test_read_file(AGG_DIR "fake-16.srs", &n), keep[96];
    CHECK_OK(try_changed(d, n, &err), &err);
    CHECK_STATUS(try_changed(d, n - 1, &err), CUZK_E_FORMAT);
    CHECK_STATUS(try_changed(d, 3, &err), CUZK_E_FORMAT);
    static const size_t counts[] = {0, G1_LIST, 2 * G1_LIST, 2 * G1_LIST + G2_LIST};
    for (size_t i = 0; i < 4; i++) {
        d[counts[i] + 3] ^= 1;
        CHECK_STATUS(try_changed(d, n, &err), CUZK_E_FORMAT);
        d[counts[i] + 3] ^= 1;
        d[counts[i]] = 0xff;
        CHECK_STATUS(try_changed(d, n, &err), CUZK_E_FORMAT);
        d[counts[i]] = 0;
    }
    /* A valid point at the wrong place, in each list; early ones are seen at once. */
    static const struct {
        size_t at, from, bytes;
    } moves[] = {{4 + 48 * 20, 4 + 48 * 21, 48},
                 {G1_LIST + 4 + 48 * 31, G1_LIST + 4, 48},
                 {2 * G1_LIST + 4 + 96 * 7, 2 * G1_LIST + 4 + 96 * 8, 96},
                 {2 * G1_LIST + G2_LIST + 4 + 96 * 30, 2 * G1_LIST + G2_LIST + 4, 96},
                 {4, 4 + 48, 48},
                 {4 + 48, 4, 48},
                 {4 + 48, G1_LIST + 4 + 48, 48},
                 {2 * G1_LIST + 4 + 96, 2 * G1_LIST + G2_LIST + 4 + 96, 96}};
    for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
        memcpy(keep, d + moves[i].at, moves[i].bytes);
        memcpy(d + moves[i].at, d + moves[i].from, moves[i].bytes);
        CHECK_STATUS(try_changed(d, n, &err), CUZK_E_INVALID);
        memcpy(d + moves[i].at, keep, moves[i].bytes);
    }
    /* A point that is none; its list and number are named. */
    d[G1_LIST + 4 + 48 * 9] = 0;
    CHECK_STATUS(try_changed(d, n, &err), CUZK_E_ENCODING);
    CHECK(strstr(err.msg, "powers of b in G1, element 9") != NULL);
    free(d);
}

/* Points on the curve and outside the subgroup, from the vectors. */
static void subgroups_are_checked(void)
{
    enum { N = 32, G1_LIST = 4 + 48 * N };
    size_t n = 0;
    cuzk_err err;
    uint8_t *d = test_read_file(AGG_DIR "fake-16.srs", &n);
    const jwalk p = jwalk_key(agg_vectors(), "primitives");
    CHECK_U64(jwalk_hex(jwalk_key(p, "g1_not_in_subgroup"), d + 4 + 48 * 5, 48), 48);
    CHECK_STATUS(try_changed(d, n, &err), CUZK_E_NOT_IN_GROUP);
    free(d);
    d = test_read_file(AGG_DIR "fake-16.srs", &n);
    CHECK_U64(jwalk_hex(jwalk_key(p, "g2_not_in_subgroup"), d + 2 * G1_LIST + 4 + 96 * 5, 96), 96);
    CHECK_STATUS(try_changed(d, n, &err), CUZK_E_NOT_IN_GROUP);
    free(d);
}

static void check_list(jwalk want, const cuzk_g1_affine *g1, const cuzk_g2_affine *g2, size_t n)
{
    uint8_t b[96], digest[32];
    cuzk_sha256 h;
    cuzk_sha256_init(&h);
    for (size_t i = 0; i < n; i++) {
        if (g1 != NULL) {
            cuzk_g1_encode_compressed(b, &g1[i]);
        } else {
            cuzk_g2_encode_compressed(b, &g2[i]);
        }
        cuzk_sha256_update(&h, b, g1 != NULL ? 48 : 96);
    }
    cuzk_sha256_final(digest, &h);
    CHECK(jwalk_hex_is(want, digest, 32));
}

static void specialised_keys(void)
{
    const jwalk list = jwalk_key(agg_vectors(), "srs");
    size_t done = 0;
    for (size_t i = 0; i < 2; i++) {
        const jwalk e = jwalk_at(list, i), all = jwalk_key(e, "specialised");
        char name[64], path[128];
        cuzk_agg_srs *srs = NULL;
        cuzk_err err;
        snprintf(path, sizeof(path), AGG_DIR "%s",
                 jwalk_text(jwalk_key(e, "file"), name, sizeof(name)));
        CHECK_OK(cuzk_agg_srs_open(&srs, path, &err), &err);
        for (size_t k = 0; k < jwalk_count(all); k++, done++) {
            const jwalk s = jwalk_at(all, k);
            const size_t n = jwalk_u64(jwalk_key(s, "n"));
            cuzk_agg_key key;
            CHECK_OK(cuzk_agg_key_load(&key, srs, n, NULL, NULL, &err), &err);
            check_list(jwalk_key(s, "v1_sha256"), NULL, key.h_a, n);
            check_list(jwalk_key(s, "v2_sha256"), NULL, key.h_b, n);
            check_list(jwalk_key(s, "w1_sha256"), key.g_a + n, NULL, n);
            check_list(jwalk_key(s, "w2_sha256"), key.g_b + n, NULL, n);
            cuzk_agg_key_free(&key);
        }
        cuzk_agg_srs_close(srs);
    }
    CHECK(done >= 5);
}

static void gt_generator(void)
{
    const jwalk p = jwalk_key(agg_vectors(), "primitives");
    cuzk_fp12 g, t;
    uint8_t b[CUZK_GT_BYTES];
    cuzk_pairing(&g, &CUZK_G1_GENERATOR, &CUZK_G2_GENERATOR);
    cuzk_gt_encode(b, &g);
    CHECK(jwalk_hex_is(jwalk_key(p, "gt_generator_transcript"), b, CUZK_GT_BYTES));
    CHECK(cuzk_gt_compress(b, &g));
    CHECK(jwalk_hex_is(jwalk_key(p, "gt_generator_compressed"), b, CUZK_GT_COMPRESSED_BYTES));
    cuzk_fp12_conj(&t, &g);
    CHECK(cuzk_gt_compress(b, &t));
    CHECK(
        jwalk_hex_is(jwalk_key(p, "gt_generator_inverse_compressed"), b, CUZK_GT_COMPRESSED_BYTES));
    cuzk_fp12_cyclotomic_sqr(&t, &g);
    CHECK(cuzk_gt_compress(b, &t));
    CHECK(
        jwalk_hex_is(jwalk_key(p, "gt_generator_squared_compressed"), b, CUZK_GT_COMPRESSED_BYTES));
    const cuzk_scalar six = {{6, 0, 0, 0}};
    cuzk_gt_pow(&t, &g, &six);
    CHECK(cuzk_gt_compress(b, &t));
    CHECK(jwalk_hex_is(jwalk_key(p, "pairing_2g_3h_compressed"), b, CUZK_GT_COMPRESSED_BYTES));
}

static void note_counter(void *arg, const char *label, const uint8_t parts[32], uint64_t n_bytes,
                         uint64_t counter, const cuzk_fr *value)
{
    (void)label, (void)parts, (void)n_bytes, (void)value;
    *(uint64_t *)arg = counter;
}

static void transcript(void)
{
    const jwalk p = jwalk_key(agg_vectors(), "primitives");
    cuzk_agg_hash h;
    cuzk_fr f;
    uint8_t le[32];
    uint64_t counter = 0;
    const cuzk_agg_watch watch = {note_counter, &counter};
    cuzk_fp12 g;
    cuzk_pairing(&g, &CUZK_G1_GENERATOR, &CUZK_G2_GENERATOR);
    cuzk_agg_hash_begin(&h, "test", &watch);
    cuzk_agg_hash_g1(&h, &CUZK_G1_GENERATOR);
    cuzk_agg_hash_g2(&h, &CUZK_G2_GENERATOR);
    cuzk_agg_hash_gt(&h, &g);
    cuzk_agg_hash_fr(&h, &CUZK_FR_ONE);
    cuzk_agg_hash_end(&f, &h);
    cuzk_fr_to_bytes_le(le, &f);
    const jwalk t = jwalk_key(jwalk_at(jwalk_key(p, "transcript_test"), 0), "value");
    CHECK(jwalk_hex_is(jwalk_key(t, "value_le"), le, 32));
    const jwalk retries = jwalk_key(p, "transcript_retries");
    size_t more = 0;
    for (size_t i = 0; i < jwalk_count(retries); i++) {
        const jwalk e = jwalk_at(retries, i), trace = jwalk_key(e, "trace");
        cuzk_fr_from_u64(&f, jwalk_u64(jwalk_key(e, "scalar")));
        cuzk_agg_hash_begin(&h, "retry", &watch);
        cuzk_agg_hash_fr(&h, &f);
        cuzk_agg_hash_end(&f, &h);
        cuzk_fr_to_bytes_le(le, &f);
        CHECK(jwalk_hex_is(jwalk_key(trace, "value_le"), le, 32));
        CHECK_U64(counter, jwalk_u64(jwalk_key(trace, "counter")));
        more += counter > 1;
    }
    CHECK(more > 0);
}

static const cuzk_case cases[] = {CASE(written_byte_for_byte), CASE(changed_files_are_refused),
                                  CASE(subgroups_are_checked), CASE(specialised_keys),
                                  CASE(gt_generator),          CASE(transcript)};
TEST_MAIN("aggregate/srs", cases)
