/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "hash/poseidon.h"
#include "hash/sha256.h"

#include "test.h"

/* Fingerprints: SHA-256 of the 32-byte little-endian values (docs/spec/poseidon.md#compressed-form). */
static const struct vector {
    unsigned arity;
    const char *raw, *crc, *pre_sparse, *sparse;
    const char *hash_1_to_n; /* little-endian */
    const char
        *hash_0_to_n1; /* of 0, 1, .., n-1 (neptune's own vectors): u64 limbs as hex, low first */
} vectors[] = {
    {2, "cf4dfb7448132022e22b32e3dce6b125cb06329448f9e8d8fe53a71c73cbe6d4",
     "b768b730ce5198394d948d76421ab53b08cc16ec1ac082cf503f370192253e16",
     "13d6e8e5ba45b0d2096617d055499f36adad1aab6853de143ed42b14eea9a0f6",
     "a2fe507a83bddb8d57e5a00e7e58e79800c272b0db7dd4141943f6e567e99138",
     "bea95f3e83d91793d896586e724ec069769d6a43afcbab7b4d1f7f6506816f6d",
     "2e203c369a02e7ffa6fba9339d05a69d739e0fd902efe161396508d75e76a56b"},
    {4, "91e463d6553415b3901b9f26b2ad53e6298ac3e5ab0ef260d397bafe8bdde98e",
     "3e4ec19ded2c86a89f3d6bddc13d9571a0cc5473e7207cfbaf6a8169a69f5709",
     "aee67dfb1ae8c43eca89f5742a745c6309f2d302ab741b75d2641b7025d87413",
     "f1c3c3a9fe9ea4a3c38c91971e5f379da38123fe1dcf960b461d84c5ba759f2b",
     "c5d928f4bc376414f3a25c0933caefcdb7ac69f7d9351f96ea7d60e22412183d",
     "019814ff6662075dfb6b4605bf1327ec00db3c657922939958a54b10a9e5848a"},
    {8, "9a4a743575f0eaf285c93d73f8adaf4e7ef4042c2445b42bddaf1a64e5face72",
     "f5a94aea73a583d080abdf7d71259fab9107f5523a4a1eddc41468f94564dd16",
     "dcfbdaea3eb7e347664c8f881c5443b1895f10c85cab0878022eb287defa8587",
     "3f823785875d8cc161c963d2a62d103a3fefab30eb4244cef877d8e624fb79f4",
     "7ec0e1c106a134b810eee278ecefca3ee8c429116af3d14376e0c48f2ed4ed04",
     "2a9934f56d38a5e64b682e9d9cc4aed912010042116770772394611da3a5de55"},
    {11, "479dc0d71d694cd50d853dec0c94aeb37df2a69929eaa23b545a52b1226aec06",
     "2d7c0e4e9b98eda82102b69f1a964ae59ccf98b0008b6d3d632d86f4fea79d1d",
     "f2a7353f0ce5ad724a7a58bf2db0e37f7c5662f064a6c97466021af83279a96e",
     "810a4d7f126f6e5fb3eb1980b57c70f90bb835219373d955726e30b3ca931556",
     "bd8022e95811611cf4df43adad526f4ccabcda49af1e79861696800ecd7e8104",
     "cee3bbc32b69316309f3dcd8ccb08fc16ca537e232ebe87a0c0fc1b2e5227f28"},
};
#define N_VECTORS (sizeof(vectors) / sizeof(vectors[0]))

static cuzk_poseidon_params *create(unsigned arity)
{
    cuzk_poseidon_params *p = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_poseidon_params_create(&p, arity, &err), &err);
    return p;
}

static void feed(cuzk_sha256 *s, const cuzk_fr *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t b[32];
        cuzk_fr_to_bytes_le(b, &v[i]);
        cuzk_sha256_update(s, b, sizeof(b));
    }
}

static void check_sum(cuzk_sha256 *s, const char *want)
{
    uint8_t sum[32];
    char hex[65];
    cuzk_sha256_final(sum, s);
    cuzk_hex_encode(hex, sum, 32);
    CHECK_STR(hex, want);
}

static void check_fingerprint(const cuzk_fr *v, size_t n, const char *want)
{
    cuzk_sha256 s;
    cuzk_sha256_init(&s);
    feed(&s, v, n);
    check_sum(&s, want);
}

static void check_fr(const cuzk_fr *got, const char *hex_le)
{
    uint8_t b[32];
    char hex[65];
    cuzk_fr_to_bytes_le(b, got);
    cuzk_hex_encode(hex, b, 32);
    CHECK_STR(hex, hex_le);
}

static void fingerprints(void)
{
    for (size_t k = 0; k < N_VECTORS; k++) {
        const struct vector *v = &vectors[k];
        cuzk_poseidon_params *p = create(v->arity);
        const size_t n_raw = (size_t)(8 + p->partial_rounds) * p->width;
        cuzk_fr *raw = calloc(n_raw, sizeof(*raw));
        CHECK(raw != NULL);
        cuzk_poseidon_round_constants(raw, v->arity);
        check_fingerprint(raw, n_raw, v->raw);
        check_fingerprint(p->crc, cuzk_poseidon_n_crc(p), v->crc);
        check_fingerprint(p->pre_sparse, p->width * p->width, v->pre_sparse);
        cuzk_sha256 s;
        cuzk_sha256_init(&s);
        for (unsigned r = 0; r < p->partial_rounds; r++) {
            feed(&s, p->w_hat + r * p->width, p->width);
            feed(&s, p->v_rest + r * p->arity, p->arity);
        }
        check_sum(&s, v->sparse);
        free(raw);
        cuzk_poseidon_params_destroy(p);
    }
}

static void known_answers(void)
{
    for (size_t k = 0; k < N_VECTORS; k++) {
        const struct vector *v = &vectors[k];
        cuzk_poseidon_params *p = create(v->arity);
        cuzk_fr in[CUZK_POSEIDON_MAX_ARITY], out;
        for (unsigned i = 0; i < v->arity; i++) {
            cuzk_fr_from_u64(&in[i], i + 1);
        }
        cuzk_poseidon_hash(&out, p, in);
        check_fr(&out, v->hash_1_to_n);
        for (unsigned i = 0; i < v->arity; i++) {
            cuzk_fr_from_u64(&in[i], i);
        }
        cuzk_poseidon_hash(&out, p, in);
        cuzk_scalar got;
        cuzk_fr_to_scalar(&got, &out);
        char hex[65];
        (void)snprintf(hex, sizeof(hex), "%016" PRIx64 "%016" PRIx64 "%016" PRIx64 "%016" PRIx64,
                       got.l[0], got.l[1], got.l[2], got.l[3]);
        CHECK_STR(hex, v->hash_0_to_n1);
        cuzk_poseidon_params_destroy(p);
    }
}

static void randomness_tag(void)
{
    cuzk_poseidon_params *p = create(2);
    cuzk_fr in[2], tag, out;
    cuzk_fr_from_u64(&in[0], 1);
    cuzk_fr_from_u64(&in[1], 2);
    cuzk_poseidon_randomness_tag(&tag);
    cuzk_poseidon_hash_tagged(&out, p, &tag, in);
    check_fr(&out, "3c2fe9b59c5f0de453bbb6db5c84af5448c7d4c1fbf41830ab05dbaf9b872c70");
    cuzk_poseidon_params_destroy(p);
}

/* The permutation as the paper has it: raw constants, dense matrix in every round. */
static void plain_hash(cuzk_fr *out, const cuzk_poseidon_params *p, const cuzk_fr *raw,
                       const cuzk_fr *tag, const cuzk_fr *in)
{
    cuzk_fr s[CUZK_POSEIDON_MAX_WIDTH], n[CUZK_POSEIDON_MAX_WIDTH], x;
    const unsigned t = p->width;
    s[0] = *tag;
    memcpy(s + 1, in, p->arity * sizeof(*in));
    for (unsigned r = 0; r < 8 + p->partial_rounds; r++) {
        for (unsigned i = 0; i < t; i++) {
            cuzk_fr_add(&s[i], &s[i], &raw[r * t + i]);
            if (i == 0 || r < 4 || r >= 4 + p->partial_rounds) {
                cuzk_fr_pow_u64(&s[i], &s[i], 5);
            }
        }
        for (unsigned j = 0; j < t; j++) {
            n[j] = CUZK_FR_ZERO;
            for (unsigned i = 0; i < t; i++) {
                cuzk_fr_mul(&x, &s[i], &p->mds[i * t + j]);
                cuzk_fr_add(&n[j], &n[j], &x);
            }
        }
        memcpy(s, n, t * sizeof(*s));
    }
    *out = s[1];
}

static void equals_plain_permutation(void)
{
    for (size_t k = 0; k < N_VECTORS; k++) {
        cuzk_poseidon_params *p = create(vectors[k].arity);
        cuzk_fr *raw = calloc((size_t)(8 + p->partial_rounds) * p->width, sizeof(*raw));
        CHECK(raw != NULL);
        cuzk_poseidon_round_constants(raw, p->arity);
        cuzk_fr *trace = calloc(cuzk_poseidon_trace_len(p), sizeof(*trace));
        CHECK(trace != NULL);
        for (size_t i = 0; i < test_iters(20); i++) {
            cuzk_fr in[CUZK_POSEIDON_MAX_ARITY], tag, want, got;
            for (unsigned j = 0; j <= p->arity; j++) {
                cuzk_scalar s;
                test_bytes(&s, sizeof(s));
                cuzk_fr_from_scalar(j == p->arity ? &tag : &in[j], &s);
            }
            plain_hash(&want, p, raw, &tag, in);
            cuzk_poseidon_hash_tagged(&got, p, &tag, in);
            CHECK(cuzk_fr_eq(&got, &want));
            cuzk_poseidon_trace(trace, p, &tag, in);
            CHECK(cuzk_fr_eq(&trace[cuzk_poseidon_trace_len(p) - 1], &want));
            cuzk_poseidon_hash_tagged(&in[0], p, &tag, in); /* aliasing */
            CHECK(cuzk_fr_eq(&in[0], &want));
        }
        free(trace);
        free(raw);
        cuzk_poseidon_params_destroy(p);
    }
}

/* Values that make carries and reductions work: 0, 1, r - 1, 2^254, random. */
static void any_fr(cuzk_fr *out)
{
    cuzk_scalar s;
    switch (test_below(6)) {
    case 0: *out = CUZK_FR_ZERO; break;
    case 1: *out = CUZK_FR_ONE; break;
    case 2: cuzk_fr_neg(out, &CUZK_FR_ONE); break;
    case 3:
        memset(out, 0xff, sizeof(*out));
        cuzk_fr_from_scalar(out, (cuzk_scalar *)out);
        break;
    default:
        test_bytes(&s, sizeof(s));
        cuzk_fr_from_scalar(out, &s);
        break;
    }
}

#define MANY 20u
#define PAD  5u /* elements between traces, which must stay as they are */

/* Batches of every size, with full and partly filled vectors, against one hash at a time. */
static void many_equal_one_by_one(void)
{
    for (size_t v = 0; v < N_VECTORS; v++) {
        cuzk_poseidon_params *p = create(vectors[v].arity);
        const size_t len = cuzk_poseidon_trace_len(p), stride = len + PAD;
        cuzk_fr *in = calloc(MANY * p->arity, sizeof(*in));
        cuzk_fr *got = calloc(MANY * stride, sizeof(*got)), *want = calloc(len, sizeof(*want));
        cuzk_fr out[MANY + 1], tag, *at[MANY];
        for (unsigned k = 0; k < MANY; k++) {
            at[k] = got + k * stride;
        }
        CHECK(in != NULL && got != NULL && want != NULL);
        for (unsigned n = 0; n <= MANY; n++) {
            for (unsigned i = 0; i < n * p->arity; i++) {
                any_fr(&in[i]);
            }
            const bool own_tag = (n & 1) != 0;
            cuzk_poseidon_randomness_tag(&tag);
            memset(got, 0xee, MANY * stride * sizeof(*got));
            memset(out, 0xee, sizeof(out));
            cuzk_poseidon_hash_many(out, p, own_tag ? &tag : NULL, in, n);
            cuzk_poseidon_trace_many(at, p, own_tag ? &tag : NULL, in, n);
            for (unsigned k = 0; k < n; k++) {
                cuzk_poseidon_trace(want, p, own_tag ? &tag : &p->tag, in + k * p->arity);
                CHECK_MEM(got + k * stride, want, len * sizeof(*want));
                CHECK_MEM(&out[k], &want[len - 1], sizeof(*out));
                for (unsigned i = 0; i < PAD; i++) {
                    CHECK_U64(got[k * stride + len + i].l[0], UINT64_C(0xeeeeeeeeeeeeeeee));
                }
            }
            CHECK_U64(out[n].l[3], UINT64_C(0xeeeeeeeeeeeeeeee));
        }
        free(want);
        free(got);
        free(in);
        cuzk_poseidon_params_destroy(p);
    }
}

static void refuses_other_arities(void)
{
    cuzk_poseidon_params *p = NULL;
    const unsigned bad[] = {0, 1, 3, 5, 7, 9, 10, 12, 16, 1000};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK_STATUS(cuzk_poseidon_params_create(&p, bad[i], NULL), CUZK_E_INVALID);
        CHECK(p == NULL);
    }
}

static void survives_failed_allocations(void)
{
    const uint64_t before = cuzk_alloc_get_stats().blocks_now;
    cuzk_poseidon_params *p = NULL;
    for (uint64_t n = 1;; n++) {
        cuzk_alloc_fail_nth(n, false);
        const cuzk_status st = cuzk_poseidon_params_create(&p, 2, NULL);
        cuzk_alloc_fail_nth(0, false);
        if (st == CUZK_OK) {
            CHECK(n > 1);
            break;
        }
        CHECK_STATUS(st, CUZK_E_NOMEM);
        CHECK(p == NULL);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, before);
    }
    cuzk_poseidon_params_destroy(p);
    CHECK_U64(cuzk_alloc_get_stats().blocks_now, before);
}

static const cuzk_case cases[] = {CASE(fingerprints),
                                  CASE(known_answers),
                                  CASE(randomness_tag),
                                  CASE(equals_plain_permutation),
                                  CASE(many_equal_one_by_one),
                                  CASE(refuses_other_arities),
                                  CASE(survives_failed_allocations)};
TEST_MAIN("hash/poseidon", cases)
