/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "interop/snarkjs_json.h"

#include "test.h"

/* Coordinates of the generators in decimal, from the IETF pairing-friendly-curves draft. */
#define G1X                                                                                      \
    "368541675371338701678108831518307775796162079578254640989457837868860759237837631883605494" \
    "7676345821548104185464507"

static cuzk_g1_affine g1_times(uint64_t k)
{
    const cuzk_scalar s = {{k, 0, 0, 0}};
    cuzk_g1 p;
    cuzk_g1_affine a;
    cuzk_g1_from_affine(&p, &CUZK_G1_GENERATOR);
    cuzk_g1_mul(&p, &p, &s);
    cuzk_g1_to_affine(&a, &p);
    return a;
}

static cuzk_g2_affine g2_times(uint64_t k)
{
    const cuzk_scalar s = {{k, 0, 0, 0}};
    cuzk_g2 p;
    cuzk_g2_affine a;
    cuzk_g2_from_affine(&p, &CUZK_G2_GENERATOR);
    cuzk_g2_mul(&p, &p, &s);
    cuzk_g2_to_affine(&a, &p);
    return a;
}

/* Text of the writer in a malloc'd string. */
static char *proof_text(const cuzk_proof *p)
{
    cuzk_jsonw w;
    const char *text;
    size_t n;
    cuzk_jsonw_init(&w, false);
    cuzk_proof_json_write(&w, p);
    CHECK_OK(cuzk_jsonw_finish(&w, &text, &n, NULL), NULL);
    char *copy = strdup(text);
    cuzk_jsonw_free(&w);
    CHECK(copy != NULL);
    return copy;
}

/* text with its first `from` replaced, malloc'd. */
static char *replaced(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    CHECK_MSG(at != NULL, "'%s' is not in the text", from);
    const size_t n = strlen(text) - strlen(from) + strlen(to) + 1;
    char *out = malloc(n);
    CHECK(out != NULL);
    (void)snprintf(out, n, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return out;
}

static void expect_proof(const char *text, cuzk_status want, const char *msg)
{
    cuzk_proof p;
    cuzk_err err;
    memset(&err, 0, sizeof(err));
    const cuzk_status st = cuzk_proof_json_read(&p, text, strlen(text), "p.json", &err);
    CHECK_MSG(st == want && err.code == want, "%s instead of %s: %s", cuzk_status_name(st),
              cuzk_status_name(want), err.msg);
    CHECK_MSG(strstr(err.msg, msg) != NULL && strncmp(err.msg, "p.json:", 7) == 0, "message: %s",
              err.msg);
}

static void proof_round_trip(void)
{
    const cuzk_proof p = {g1_times(5), g2_times(77), g1_times(1)};
    cuzk_proof q;
    cuzk_err err;
    char *text = proof_text(&p);
    CHECK(strstr(text, "\"protocol\":\"groth16\",\"curve\":\"bls12381\"}") != NULL);
    CHECK(strstr(text, "\"pi_c\":[\"" G1X "\",\"") != NULL); /* plain decimal, not Montgomery */
    CHECK_OK(cuzk_proof_json_read(&q, text, strlen(text), "p.json", &err), &err);
    CHECK_MEM(&q, &p, sizeof(p));
    /* Field order is free, unknown fields are passed over, old files have no curve. */
    char *other = replaced(text, "\"curve\":\"bls12381\"", "\"x\":[{\"y\":null}]");
    CHECK_OK(cuzk_proof_json_read(&q, other, strlen(other), "p.json", &err), &err);
    free(other);
    other = replaced(text, "\"bls12381\"", "\"bls12-381\"");
    CHECK_OK(cuzk_proof_json_read(&q, other, strlen(other), "p.json", &err), &err);
    free(other);
    free(text);
}

static void proof_refusals(void)
{
    const cuzk_proof p = {g1_times(1), g2_times(3), g1_times(4)};
    char *text = proof_text(&p);
    static const struct {
        const char *from, *to;
        cuzk_status st;
        const char *msg;
    } t[] = {
        {"\"" G1X "\"", "\"-1\"", CUZK_E_FORMAT, "not a decimal integer"},
        {"\"" G1X "\"", "\"+1\"", CUZK_E_FORMAT, "not a decimal integer"},
        {"\"" G1X "\"", "\" 1\"", CUZK_E_FORMAT, "not a decimal integer"},
        {"\"" G1X "\"", "\"0x1\"", CUZK_E_FORMAT, "not a decimal integer"},
        {"\"" G1X "\"", "\"1e3\"", CUZK_E_FORMAT, "not a decimal integer"},
        {"\"" G1X "\"", "\"1.0\"", CUZK_E_FORMAT, "not a decimal integer"},
        {"\"" G1X "\"", "\"\\u0031\"", CUZK_E_FORMAT, "not a decimal integer"},
        {"\"" G1X "\"", "\"\"", CUZK_E_FORMAT, "empty or has a leading zero"},
        {"\"" G1X "\"", "\"0" G1X "\"", CUZK_E_FORMAT, "empty or has a leading zero"},
        {"\"" G1X "\"", "1", CUZK_E_FORMAT, "expected a decimal string"},
        {"\"" G1X "\"", "null", CUZK_E_FORMAT, "expected a decimal string"},
        {"\"" G1X "\"", "\"" G1X G1X "\"", CUZK_E_FORMAT, "not below the base field modulus q"},
        /* q and q + x: not other names of 0 and x. */
        {"\"" G1X "\"",
         "\"400240955522166739341778982573590415655688281993900788533205"
         "8136124031650490837864442687629129015664037894272559787\"",
         CUZK_E_FORMAT, "not below the base field modulus q"},
        {"\"" G1X "\"",
         "\"768782630893505441019887814091898191451850361572155429522663"
         "6514812639242869214183278742576805361485585998458024294\"",
         CUZK_E_FORMAT, "not below the base field modulus q"},
        {"\"" G1X "\"", "\"1\"", CUZK_E_NOT_ON_CURVE, "not on the curve"},
        {"],\"pi_b\"", ",\"1\"],\"pi_b\"", CUZK_E_FORMAT, "array is too long"},
        {",\"1\"],\"pi_b\"", "],\"pi_b\"", CUZK_E_FORMAT, "array is too short"},
        {",\"1\"],\"pi_b\"", ",\"2\"],\"pi_b\"", CUZK_E_ENCODING, "third coordinate"},
        {",\"1\"],\"pi_b\"", ",\"0\"],\"pi_b\"", CUZK_E_INFINITY, "infinity"},
        {"[\"1\",\"0\"]]", "[\"0\",\"0\"]]", CUZK_E_INFINITY, "infinity"},
        {"[\"1\",\"0\"]]", "[\"1\",\"1\"]]", CUZK_E_ENCODING, "third coordinate"},
        {"[\"1\",\"0\"]]", "[\"1\"]]", CUZK_E_FORMAT, "array is too short"},
        {"\"pi_c\"", "\"pi_a\"", CUZK_E_FORMAT, "duplicate field \"pi_a\""},
        {"\"pi_c\"", "\"pi_d\"", CUZK_E_FORMAT, "field \"pi_c\" is missing"},
        {"\"groth16\"", "\"plonk\"", CUZK_E_UNSUPPORTED, "protocol is not groth16"},
        {"\"bls12381\"", "\"bn128\"", CUZK_E_UNSUPPORTED, "BN254 (bn128)"},
        {"\"bls12381\"", "\"secp256k1\"", CUZK_E_UNSUPPORTED, "curve is not bls12381"},
        {"\"bls12381\"}", "\"bls12381\"}\n{}", CUZK_E_FORMAT, "text after the end"},
        {"{\"pi_a\"", "[\"pi_a\"", CUZK_E_FORMAT, "expected an object"},
    };
    for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        char *bad = replaced(text, t[i].from, t[i].to);
        expect_proof(bad, t[i].st, t[i].msg);
        free(bad);
    }
    for (size_t k = 0; k < strlen(text); k++) { /* prefixes */
        cuzk_proof q;
        CHECK(cuzk_proof_json_read(&q, text, k, "p", NULL) != CUZK_OK);
    }
    free(text);
}

/* On the curve but outside the subgroup: x = 4, the first x >= 1 with such a point. */
static void subgroup_is_checked(void)
{
    cuzk_g1_affine p;
    cuzk_fp four, x, rhs;
    uint64_t v[6] = {0};
    v[0] = 4;
    cuzk_fp_from_canonical(&four, v);
    for (v[0] = 1;; v[0]++) {
        cuzk_fp_from_canonical(&x, v);
        cuzk_fp_sqr(&rhs, &x);
        cuzk_fp_mul(&rhs, &rhs, &x);
        cuzk_fp_add(&rhs, &rhs, &four);
        p.x = x;
        if (cuzk_fp_sqrt(&p.y, &rhs) && !cuzk_g1_affine_is_in_subgroup(&p)) {
            break;
        }
    }
    const cuzk_proof bad = {p, g2_times(3), g1_times(4)};
    char *text = proof_text(&bad);
    expect_proof(text, CUZK_E_NOT_IN_GROUP, "not in the prime-order subgroup");
    free(text);
}

static void public_values(void)
{
    static const struct {
        const char *text;
        cuzk_status st;
        size_t count;
    } t[] = {
        {"[]", CUZK_OK, 0},
        {" [ \"0\" , \"33\" ]\n", CUZK_OK, 2},
        /* r - 1, then r, r + 1, 2^256 */
        {"[\"52435875175126190479447740508185965837690552500527637822603658699938581184512\"]",
         CUZK_OK, 1},
        {"[\"52435875175126190479447740508185965837690552500527637822603658699938581184513\"]",
         CUZK_E_FORMAT, 0},
        {"[\"52435875175126190479447740508185965837690552500527637822603658699938581184514\"]",
         CUZK_E_FORMAT, 0},
        {"[\"115792089237316195423570985008687907853269984665640564039457584007913129639936\"]",
         CUZK_E_FORMAT, 0},
        {"[33]", CUZK_E_FORMAT, 0},
        {"[\"-1\"]", CUZK_E_FORMAT, 0},
        {"[\"0x21\"]", CUZK_E_FORMAT, 0},
        {"[\"1e3\"]", CUZK_E_FORMAT, 0},
        {"[\"\"]", CUZK_E_FORMAT, 0},
        {"[\"033\"]", CUZK_E_FORMAT, 0},
        {"[\"33\",]", CUZK_E_FORMAT, 0},
        {"[\"33\"] x", CUZK_E_FORMAT, 0},
        {"{\"0\":\"33\"}", CUZK_E_FORMAT, 0},
        {"\"33\"", CUZK_E_FORMAT, 0},
        {"", CUZK_E_FORMAT, 0},
        {"[\"33\"\0]", CUZK_E_FORMAT, 0},
    };
    for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        uint8_t *v = NULL;
        size_t count = 0;
        const cuzk_status st =
            cuzk_public_json_read(&v, &count, t[i].text, strlen(t[i].text), "pub.json", NULL);
        CHECK_MSG(st == t[i].st, "%s: %s", t[i].text, cuzk_status_name(st));
        CHECK_U64(count, t[i].count);
        if (count == 2) {
            CHECK_U64(v[0], 0);
            CHECK_U64(v[32], 33);
        }
        cuzk_free(v);
    }
}

static void public_round_trip(void)
{
    enum { N = 200 };
    cuzk_fr in[N];
    cuzk_jsonw w;
    const char *text;
    size_t n, count;
    uint8_t *back = NULL;
    cuzk_err err;
    for (int i = 0; i < N; i++) {
        cuzk_scalar s;
        test_bytes(&s, sizeof(s));
        cuzk_fr_from_scalar(&in[i], &s);
    }
    cuzk_jsonw_init(&w, true);
    cuzk_public_json_write(&w, in, N);
    CHECK_OK(cuzk_jsonw_finish(&w, &text, &n, &err), &err);
    CHECK_OK(cuzk_public_json_read(&back, &count, text, n, "p", &err), &err);
    CHECK_U64(count, N);
    for (int i = 0; i < N; i++) {
        uint8_t b[32];
        cuzk_fr_to_bytes_le(b, &in[i]);
        CHECK_MEM(back + 32 * i, b, 32);
    }
    cuzk_free(back);
    cuzk_jsonw_free(&w);
}

static cuzk_srs_vk sample_key(cuzk_g1_affine *ic, uint32_t n_ic)
{
    cuzk_srs_vk vk;
    memset(&vk, 0, sizeof(vk));
    vk.alpha_g1 = g1_times(2);
    vk.beta_g1 = vk.delta_g1 = CUZK_G1_GENERATOR;
    vk.beta_g2 = g2_times(3);
    vk.gamma_g2 = g2_times(4);
    vk.delta_g2 = g2_times(5);
    vk.n_ic = n_ic;
    vk.ic = ic;
    for (uint32_t i = 0; i < n_ic; i++) {
        ic[i] = g1_times(10 + i);
    }
    return vk;
}

static char *key_text(const cuzk_srs_vk *vk)
{
    cuzk_jsonw w;
    const char *text;
    size_t n;
    cuzk_jsonw_init(&w, false);
    cuzk_vk_json_write(&w, vk);
    CHECK_OK(cuzk_jsonw_finish(&w, &text, &n, NULL), NULL);
    char *copy = strdup(text);
    cuzk_jsonw_free(&w);
    CHECK(copy != NULL);
    return copy;
}

static void key_round_trip(void)
{
    for (uint32_t n_ic = 1; n_ic <= 40; n_ic += 13) {
        cuzk_g1_affine ic[40];
        const cuzk_srs_vk vk = sample_key(ic, n_ic);
        char *text = key_text(&vk);
        uint8_t *bytes = NULL;
        size_t n = 0;
        cuzk_err err;
        CHECK_OK(cuzk_vk_json_read(&bytes, &n, text, strlen(text), "vk.json", &err), &err);
        uint8_t want[868 + 96 * 40];
        cuzk_srs_vk_encode(want, &vk);
        CHECK_U64(n, 868 + 96 * n_ic);
        CHECK_MEM(bytes, want, n);
        uint8_t id[32], id2[32];
        CHECK(cuzk_vk_identity(id, bytes, n));
        CHECK(!cuzk_vk_identity(id2, bytes, n - 1) && !cuzk_vk_identity(id2, bytes, n - 96));
        bytes[96 + 5] ^= 1; /* beta in G1: not part of the identity */
        CHECK(cuzk_vk_identity(id2, bytes, n));
        CHECK_MEM(id2, id, 32);
        bytes[n - 1] ^= 1;
        CHECK(cuzk_vk_identity(id2, bytes, n) && memcmp(id, id2, 32) != 0);
        cuzk_free(bytes);
        free(text);
    }
}

static void key_refusals(void)
{
    cuzk_g1_affine ic[3];
    const cuzk_srs_vk vk = sample_key(ic, 3);
    char *text = key_text(&vk);
    static const struct {
        const char *from, *to;
        cuzk_status st;
        const char *msg;
    } t[] = {{"\"nPublic\":2", "\"nPublic\":1", CUZK_E_FORMAT, "IC has 3 points for nPublic 1"},
             {"\"nPublic\":2", "\"nPublic\":3", CUZK_E_FORMAT, "IC has 3 points for nPublic 3"},
             {"\"nPublic\":2", "\"nPublic\":\"2\"", CUZK_E_FORMAT, "expected a number"},
             {"\"nPublic\":2", "\"nPublic\":4294967296", CUZK_E_FORMAT, "is above"},
             {"\"nPublic\":2,", "", CUZK_E_FORMAT, "field \"nPublic\" is missing"},
             {"\"curve\":\"bls12381\",", "", CUZK_E_FORMAT, "field \"curve\" is missing"},
             {"\"bls12381\"", "\"bn128\"", CUZK_E_UNSUPPORTED, "BN254"},
             {"\"IC\":[[", "\"IC\":[[[", CUZK_E_FORMAT, "expected a decimal string"},
             {",\"1\"]]}", ",\"0\"]]}", CUZK_E_INFINITY, "infinity"}};
    for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        char *bad = replaced(text, t[i].from, t[i].to);
        uint8_t *bytes = NULL;
        size_t n;
        cuzk_err err;
        const cuzk_status st = cuzk_vk_json_read(&bytes, &n, bad, strlen(bad), "vk.json", &err);
        CHECK_MSG(st == t[i].st, "%s -> %s: %s, %s", t[i].from, t[i].to, cuzk_status_name(st),
                  st == CUZK_OK ? "" : err.msg);
        CHECK_MSG(strstr(err.msg, t[i].msg) != NULL, "message: %s", err.msg);
        CHECK(bytes == NULL);
        free(bad);
    }
    free(text);
}

static void out_of_memory(void)
{
    cuzk_g1_affine ic[40];
    const cuzk_srs_vk vk = sample_key(ic, 40);
    char *text = key_text(&vk);
    const uint64_t blocks = cuzk_alloc_get_stats().blocks_now;
    for (uint64_t nth = 1;; nth++) {
        uint8_t *bytes = NULL;
        size_t n;
        cuzk_alloc_fail_nth(nth, false);
        const cuzk_status st = cuzk_vk_json_read(&bytes, &n, text, strlen(text), "vk", NULL);
        cuzk_alloc_fail_nth(0, false);
        if (st == CUZK_OK) {
            CHECK(nth > 2);
            cuzk_free(bytes);
            break;
        }
        CHECK_STATUS(st, CUZK_E_NOMEM);
        CHECK(bytes == NULL);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, blocks);
    }
    free(text);
}

static const cuzk_case cases[] = {
    CASE(proof_round_trip),  CASE(proof_refusals), CASE(subgroup_is_checked), CASE(public_values),
    CASE(public_round_trip), CASE(key_round_trip), CASE(key_refusals),        CASE(out_of_memory)};
TEST_MAIN("interop/snarkjs_json", cases)
