/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Every set of the vectors: the aggregate byte for byte, every challenge and every vector between. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/prove/agg_prove_internal.h"
#include "base/alloc.h"

#include "agg_sets.h"
#include "test.h"

/* The original's trace, checked in its order while our prover runs. */
typedef struct follower {
    jwalk trace;
    size_t at, n;
    cuzk_fr r;
} follower;

static jwalk expect(follower *f, const char *what)
{
    CHECK_MSG(f->at < f->n, "%s after the end of the trace", what);
    const jwalk e = jwalk_at(f->trace, f->at++);
    CHECK_MSG(jwalk_equals(jwalk_key(e, "what"), what), "trace entry %zu is not %s", f->at - 1,
              what);
    return jwalk_key(e, "value");
}

static void on_challenge(void *arg, const char *label, const uint8_t parts[32], uint64_t n_bytes,
                         uint64_t counter, const cuzk_fr *value)
{
    follower *f = arg;
    char what[64];
    uint8_t le[32];
    snprintf(what, sizeof(what), "challenge:%s", label);
    const jwalk v = expect(f, what);
    CHECK_U64(n_bytes, jwalk_u64(jwalk_key(v, "appended_len")));
    CHECK_U64(counter, jwalk_u64(jwalk_key(v, "counter")));
    CHECK_MSG(jwalk_hex_is(jwalk_key(v, "appended_sha256"), parts, 32), "%s: other parts", what);
    cuzk_fr_to_bytes_le(le, value);
    CHECK_MSG(jwalk_hex_is(jwalk_key(v, "value_le"), le, 32), "%s: other value", what);
    if (strcmp(label, "random-r") == 0) {
        f->r = *value;
    }
}

/* SHA-256 of scale^i p[i]; scale NULL: 1. */
static void check_g1(jwalk want, const cuzk_g1_affine *p, size_t n, const cuzk_fr *scale)
{
    uint8_t b[48], digest[32];
    cuzk_fr k = CUZK_FR_ONE;
    cuzk_sha256 h;
    cuzk_sha256_init(&h);
    for (size_t i = 0; i < n; i++) {
        cuzk_g1_affine q = p[i];
        if (scale != NULL) {
            cuzk_g1 t;
            cuzk_scalar s;
            cuzk_fr_to_scalar(&s, &k);
            cuzk_g1_from_affine(&t, &q);
            cuzk_g1_mul(&t, &t, &s);
            cuzk_g1_to_affine(&q, &t);
            cuzk_fr_mul(&k, &k, scale);
        }
        cuzk_g1_encode_compressed(b, &q);
        cuzk_sha256_update(&h, b, sizeof(b));
    }
    cuzk_sha256_final(digest, &h);
    CHECK(jwalk_hex_is(want, digest, 32));
}

static void check_g2(jwalk want, const cuzk_g2_affine *p, size_t n, const cuzk_fr *scale)
{
    uint8_t b[96], digest[32];
    cuzk_fr k = CUZK_FR_ONE;
    cuzk_sha256 h;
    cuzk_sha256_init(&h);
    for (size_t i = 0; i < n; i++) {
        cuzk_g2_affine q = p[i];
        if (scale != NULL) {
            cuzk_g2 t;
            cuzk_scalar s;
            cuzk_fr_to_scalar(&s, &k);
            cuzk_g2_from_affine(&t, &q);
            cuzk_g2_mul(&t, &t, &s);
            cuzk_g2_to_affine(&q, &t);
            cuzk_fr_mul(&k, &k, scale);
        }
        cuzk_g2_encode_compressed(b, &q);
        cuzk_sha256_update(&h, b, sizeof(b));
    }
    cuzk_sha256_final(digest, &h);
    CHECK(jwalk_hex_is(want, digest, 32));
}

static void check_fr(jwalk want, const cuzk_fr *a, size_t n)
{
    uint8_t b[32], digest[32];
    cuzk_sha256 h;
    cuzk_sha256_init(&h);
    for (size_t i = 0; i < n; i++) {
        cuzk_fr_to_bytes_le(b, &a[i]);
        cuzk_sha256_update(&h, b, sizeof(b));
    }
    cuzk_sha256_final(digest, &h);
    CHECK(jwalk_hex_is(want, digest, 32));
}

static void on_vectors(void *arg, int round, const cuzk_agg_state *s)
{
    follower *f = arg;
    char what[32];
    if (round < 0) {
        check_fr(expect(f, "r_powers_sha256"), s->rho, s->m);
        check_g2(expect(f, "b_scaled_sha256"), s->b, s->m, &s->s);
        check_g1(expect(f, "wkey_scaled_a_sha256"), s->w[0], s->m, &s->s_inv);
        check_g1(expect(f, "wkey_scaled_b_sha256"), s->w[1], s->m, &s->s_inv);
        return;
    }
    snprintf(what, sizeof(what), "round:%d", round);
    const jwalk v = expect(f, what);
    check_g1(jwalk_key(v, "a_sha256"), s->a, s->m, NULL);
    check_g2(jwalk_key(v, "b_sha256"), s->b, s->m, &s->s);
    check_g1(jwalk_key(v, "c_sha256"), s->c, s->m, NULL);
    check_fr(jwalk_key(v, "r_sha256"), s->rho, s->m);
    check_g2(jwalk_key(v, "v1_sha256"), s->v[0], s->m, NULL);
    check_g2(jwalk_key(v, "v2_sha256"), s->v[1], s->m, NULL);
    check_g1(jwalk_key(v, "w1_sha256"), s->w[0], s->m, &s->s_inv);
    check_g1(jwalk_key(v, "w2_sha256"), s->w[1], s->m, &s->s_inv);
}

static void on_opening(void *arg, char which, const cuzk_fr *p, const cuzk_fr *q, size_t n,
                       const cuzk_fr *value)
{
    uint8_t le[32];
    const jwalk v = expect(arg, which == 'v' ? "kzg:v" : "kzg:w");
    CHECK_U64(n, jwalk_u64(jwalk_key(v, "coefficients")));
    cuzk_fr_to_bytes_le(le, value);
    CHECK(jwalk_hex_is(jwalk_key(v, "eval_at_z_le"), le, 32));
    check_fr(jwalk_key(v, "poly_sha256"), p, n);
    check_fr(jwalk_key(v, "quotient_sha256"), q, n);
}

static void check_run(const agg_set *s, const cuzk_agg_key *key, jwalk run, cuzk_pool *pool)
{
    char file[64], path[128];
    size_t n_want = 0, n_got = 0;
    uint8_t *got = NULL;
    cuzk_err err;
    const cuzk_agg_version version =
        jwalk_equals(jwalk_key(run, "version"), "v1") ? CUZK_AGG_V1 : CUZK_AGG_V2;
    const cuzk_agg_claim claim = agg_set_claim(s, version);
    follower f = {.trace = jwalk_key(run, "prover_trace")};
    f.n = jwalk_count(f.trace);
    const cuzk_agg_watch_prover watch = {
        .watch = {on_challenge, &f}, .vectors = on_vectors, .opening = on_opening, .arg = &f};
    jwalk_text(jwalk_key(run, "file"), file, sizeof(file));
    snprintf(path, sizeof(path), AGG_DIR "%s", file);
    uint8_t *want = test_read_file(path, &n_want);
    CHECK_OK(cuzk_agg_prove(&got, &n_got, key, cuzk_agg_srs_vk(s->srs), s->vk, &claim, s->proofs,
                            &watch, pool, NULL, &err),
             &err);
    CHECK_U64(f.at, f.n);
    CHECK_U64(n_got, n_want);
    CHECK_MEM(got, want, n_want);
    free(want);
    cuzk_free(got);
}

static void sets(cuzk_pool *pool, size_t most)
{
    size_t runs = 0;
    for (size_t i = 0; i < agg_set_count(); i++) {
        agg_set s;
        cuzk_agg_key key;
        cuzk_err err;
        agg_set_load(&s, i);
        if (s.n <= most) {
            const jwalk list = jwalk_key(s.json, "runs");
            CHECK_OK(cuzk_agg_key_load(&key, s.srs, s.n, pool, NULL, &err), &err);
            for (size_t r = 0; r < jwalk_count(list); r++, runs++) {
                check_run(&s, &key, jwalk_at(list, r), pool);
            }
            cuzk_agg_key_free(&key);
        }
        agg_set_free(&s);
    }
    CHECK(runs >= (most > 16 ? 26 : 20));
}

static void every_set_byte_for_byte(void)
{
    if (TEST_IS_BRIEF) {
        return; /* without threads; the next case has them */
    }
    sets(NULL, SIZE_MAX);
}

static void any_number_of_threads(void)
{
    cuzk_pool *pool = NULL;
    const cuzk_pool_cfg cfg = {.n_threads = 3};
    cuzk_err err;
    CHECK_OK(cuzk_pool_create(&pool, &cfg, &err), &err);
    sets(pool, 16);
    cuzk_pool_destroy(pool);
}

static void a_bad_proof_is_named(void)
{
    agg_set s;
    cuzk_agg_key key;
    cuzk_err err;
    uint8_t *out = NULL;
    size_t n = 0;
    agg_set_find(&s, "tiny-10");
    CHECK_OK(cuzk_agg_key_load(&key, s.srs, s.n, NULL, NULL, &err), &err);
    const cuzk_agg_claim claim = agg_set_claim(&s, CUZK_AGG_V2);
    uint8_t keep[CUZK_PROOF_BYTES];
    memcpy(keep, s.proofs + 6 * CUZK_PROOF_BYTES, sizeof(keep));
    memcpy(s.proofs + 6 * CUZK_PROOF_BYTES, s.proofs, sizeof(keep)); /* well-formed and false */
    memcpy(s.proofs + 8 * CUZK_PROOF_BYTES, s.proofs, sizeof(keep));
    CHECK_STATUS(cuzk_agg_prove(&out, &n, &key, cuzk_agg_srs_vk(s.srs), s.vk, &claim, s.proofs,
                                NULL, NULL, NULL, &err),
                 CUZK_E_PROOF_FALSE);
    CHECK_STR(err.msg, "proof 6 of 10 does not verify");
    s.proofs[6 * CUZK_PROOF_BYTES] = 0; /* no point at all */
    CHECK_STATUS(cuzk_agg_prove(&out, &n, &key, cuzk_agg_srs_vk(s.srs), s.vk, &claim, s.proofs,
                                NULL, NULL, NULL, &err),
                 CUZK_E_ENCODING);
    CHECK(strstr(err.msg, "proof 6 of 10") != NULL);
    CHECK(out == NULL);
    cuzk_agg_key_free(&key);
    agg_set_free(&s);
}

static void requests_that_do_not_fit(void)
{
    agg_set s;
    cuzk_agg_key key;
    cuzk_err err;
    uint8_t *out = NULL;
    size_t n = 0;
    agg_set_find(&s, "tiny-4");
    cuzk_agg_claim claim = agg_set_claim(&s, CUZK_AGG_V1);
    CHECK_OK(cuzk_agg_key_load(&key, s.srs, 4, NULL, NULL, &err), &err);
    CHECK_STATUS(cuzk_agg_prove(&out, &n, &key, cuzk_agg_srs_vk(s.srs), s.vk, &claim, s.proofs,
                                NULL, NULL, NULL, &err),
                 CUZK_E_INVALID); /* version 1 is not made */
    claim.version = CUZK_AGG_V2;
    claim.n = 2;
    CHECK_STATUS(cuzk_agg_prove(&out, &n, &key, cuzk_agg_srs_vk(s.srs), s.vk, &claim, s.proofs,
                                NULL, NULL, NULL, &err),
                 CUZK_E_INVALID); /* a key for another count */
    claim.n = 4;
    claim.n_inputs = 1;
    CHECK_STATUS(cuzk_agg_prove(&out, &n, &key, cuzk_agg_srs_vk(s.srs), s.vk, &claim, s.proofs,
                                NULL, NULL, NULL, &err),
                 CUZK_E_INVALID);
    cuzk_agg_key_free(&key);
    CHECK_STATUS(cuzk_agg_key_load(&key, s.srs, 3, NULL, NULL, &err), CUZK_E_INVALID);
    CHECK_STATUS(cuzk_agg_key_load(&key, s.srs, 32, NULL, NULL, &err), CUZK_E_INVALID);
    agg_set_free(&s);
}

/* Every allocation fails once: a status, and nothing lost. */
static void out_of_memory(void)
{
    agg_set s;
    cuzk_agg_key key;
    cuzk_err err;
    if (TEST_IS_BRIEF) {
        return; /* without threads */
    }
    agg_set_find(&s, "tiny-2");
    CHECK_OK(cuzk_agg_key_load(&key, s.srs, s.n, NULL, NULL, &err), &err);
    const cuzk_agg_claim claim = agg_set_claim(&s, CUZK_AGG_V2);
    const uint64_t before = cuzk_alloc_get_stats().blocks_now;
    for (uint64_t k = 1;; k++) {
        uint8_t *out = NULL;
        size_t n = 0;
        cuzk_alloc_fail_nth(k, false);
        const cuzk_status st = cuzk_agg_prove(&out, &n, &key, cuzk_agg_srs_vk(s.srs), s.vk, &claim,
                                              s.proofs, NULL, NULL, NULL, &err);
        cuzk_alloc_fail_nth(0, false);
        cuzk_free(out);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, before);
        if (st == CUZK_OK) {
            CHECK(k > 10);
            break;
        }
        CHECK_U64(st, CUZK_E_NOMEM);
    }
    cuzk_agg_key_free(&key);
    agg_set_free(&s);
}

static const cuzk_case cases[] = {CASE(every_set_byte_for_byte), CASE(any_number_of_threads),
                                  CASE(a_bad_proof_is_named), CASE(requests_that_do_not_fit),
                                  CASE(out_of_memory)};
TEST_MAIN("aggregate/prove", cases)
