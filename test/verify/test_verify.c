/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <cuzk/verify.h>

#include "base/alloc.h"
#include "verify/input_sum.h"

#include "trapdoor.h"

static const uint8_t order_le[32] = {
    0x01, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xfe, 0x5b, 0xfe, 0xff, 0x02, 0xa4, 0xbd, 0x53,
    0x05, 0xd8, 0xa1, 0x09, 0x08, 0xd8, 0x39, 0x33, 0x48, 0x7d, 0x9d, 0x29, 0x53, 0xa7, 0xed, 0x73};

/* Off the subgroup: x = 4 is on the curve of G1, and so on; from test/vectors/ec_multiples.txt. */
static void bad_point(uint8_t *out, const char *kind, const char *status, size_t n)
{
    size_t bytes = 0;
    bool found = false;
    char *text = (char *)test_read_file("test/vectors/ec_multiples.txt", &bytes);
    text = realloc(text, bytes + 1);
    CHECK(text != NULL);
    text[bytes] = '\0';
    char *save = NULL;
    for (char *line = strtok_r(text, "\n", &save); line && !found;
         line = strtok_r(NULL, "\n", &save)) {
        char *inner = NULL;
        const char *a = strtok_r(line, " ", &inner), *b = strtok_r(NULL, " ", &inner);
        const char *c = strtok_r(NULL, " ", &inner);
        if (a != NULL && b != NULL && c != NULL && strcmp(a, kind) == 0 && strcmp(b, status) == 0 &&
            strlen(c) == 2 * n) {
            found = cuzk_hex_decode(out, n, c, 2 * n);
        }
    }
    free(text);
    CHECK(found);
}

static void key_refusals(void)
{
    static const struct {
        size_t at, n;
        const char *kind;
    } points[] = {{0, 96, "bad1"},    {96, 96, "bad1"},      {192, 192, "bad2"},
                  {384, 192, "bad2"}, {576, 96, "bad1"},     {672, 192, "bad2"},
                  {868, 96, "bad1"},  {868 + 96, 96, "bad1"}};
    trapdoor t;
    cuzk_vk *vk = NULL;
    trapdoor_init(&t, 1);
    uint8_t *b = malloc(t.vk_bytes + 96);
    CHECK(b != NULL);
    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
        uint8_t *p = b + points[i].at;
        memcpy(b, t.vk, t.vk_bytes);
        memset(p, 0, points[i].n);
        p[0] = 0x40;
        CHECK_U64(cuzk_vk_read(&vk, b, t.vk_bytes), CUZK_VERIFY_E_INFINITY);
        p[0] = 0;
        CHECK_U64(cuzk_vk_read(&vk, b, t.vk_bytes), CUZK_VERIFY_E_NOT_ON_CURVE);
        memcpy(p, t.vk + points[i].at, points[i].n);
        p[points[i].n - 1] ^= 1;
        CHECK_U64(cuzk_vk_read(&vk, b, t.vk_bytes), CUZK_VERIFY_E_NOT_ON_CURVE);
        bad_point(p, points[i].kind, "group", points[i].n);
        CHECK_U64(cuzk_vk_read(&vk, b, t.vk_bytes), CUZK_VERIFY_E_NOT_IN_GROUP);
        memcpy(p, t.vk + points[i].at, points[i].n);
        for (unsigned f = 1; f < 8; f++) {
            p[0] = (uint8_t)(t.vk[points[i].at] | f << 5);
            CHECK_U64(cuzk_vk_read(&vk, b, t.vk_bytes), CUZK_VERIFY_E_ENCODING);
        }
    }
    memcpy(b, t.vk, t.vk_bytes);
    for (size_t n = 0; n <= t.vk_bytes + 96; n++) {
        CHECK_U64(cuzk_vk_read(&vk, b, n), n == t.vk_bytes ? CUZK_VERIFY_OK : CUZK_VERIFY_E_FORMAT);
        cuzk_vk_destroy(vk);
        vk = NULL;
    }
    static const uint32_t counts[] = {0, 1, 3, 0x02000000, 0x7fffffff, 0x80000000, 0xffffffff};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        cuzk_store_u32_be(b + 864, counts[i]);
        CHECK_U64(cuzk_vk_read(&vk, b, t.vk_bytes), CUZK_VERIFY_E_FORMAT);
    }
    cuzk_store_u32_be(b + 864, 0);
    CHECK_U64(cuzk_vk_read(&vk, b, 868), CUZK_VERIFY_E_FORMAT); /* not even a point for ONE */
    CHECK(vk == NULL);
    free(b);
    trapdoor_clear(&t);
}

/* The inputs added up ahead: the same answers. */
static void check_with(const cuzk_vk *vk, const uint8_t proof[192], uint8_t *x, size_t n)
{
    cuzk_verify_inputs *sum = NULL;
    uint8_t other[192];
    CHECK_U64(cuzk_verify_inputs_create(&sum, vk, x, n + 1), CUZK_VERIFY_E_INVALID);
    CHECK_U64(cuzk_verify_inputs_create(&sum, vk, x, n), CUZK_VERIFY_OK);
    CHECK_U64(cuzk_verify_with(vk, sum, proof, 192), CUZK_VERIFY_OK);
    CHECK_U64(cuzk_verify_with(vk, sum, proof, 191), CUZK_VERIFY_E_INVALID);
    memcpy(other, proof, 192);
    memcpy(other + 144, proof, 48); /* A in the place of C */
    CHECK_U64(cuzk_verify_with(vk, sum, other, 192), CUZK_VERIFY_E_PROOF_FALSE);
    other[0] &= 0x7f;
    CHECK_U64(cuzk_verify_with(vk, sum, other, 192), cuzk_verify(vk, other, 192, x, n));
    cuzk_verify_inputs_destroy(sum);
    if (n > 0) {
        x[0] ^= 1;
        CHECK_U64(cuzk_verify_inputs_create(&sum, vk, x, n), CUZK_VERIFY_OK);
        CHECK_U64(cuzk_verify_with(vk, sum, proof, 192), CUZK_VERIFY_E_PROOF_FALSE);
        cuzk_verify_inputs_destroy(sum);
        x[0] ^= 1;
        const uint8_t top = x[31];
        x[31] = 0xff;
        sum = NULL;
        CHECK_U64(cuzk_verify_inputs_create(&sum, vk, x, n), CUZK_VERIFY_E_ENCODING);
        CHECK(sum == NULL);
        x[31] = top;
    }
}

/* Keys that are well-formed and prove nothing: each relation, its negation, and a small multiple. */
static void unsafe_keys(void)
{
    static const struct {
        char left, right; /* a, b, d: alpha, beta, delta; g: gamma; 1: generator */
    } relations[] = {{'d', 'g'}, {'d', '1'}, {'a', '1'}, {'b', '1'},
                     {'b', 'g'}, {'b', 'd'}, {'a', 'b'}, {'a', 'd'}};
    static const int factors[] = {1, -1, 2, -16};
    for (size_t i = 0; i < sizeof(relations) / sizeof(relations[0]); i++) {
        for (size_t k = 0; k < sizeof(factors) / sizeof(factors[0]); k++) {
            trapdoor t;
            cuzk_vk *vk = NULL;
            cuzk_fr f;
            trapdoor_init(&t, 1);
            cuzk_fr *const by_name[] = {
                ['a'] = &t.alpha, ['b'] = &t.beta, ['d'] = &t.delta, ['g'] = &t.gamma};
            cuzk_fr_from_u64(&f, (uint64_t)(factors[k] < 0 ? -factors[k] : factors[k]));
            if (factors[k] < 0) {
                cuzk_fr_neg(&f, &f);
            }
            const cuzk_fr one = CUZK_FR_ONE;
            const cuzk_fr *right =
                relations[i].right == '1' ? &one : by_name[(unsigned char)relations[i].right];
            cuzk_fr_mul(by_name[(unsigned char)relations[i].left], right, &f);
            trapdoor_encode(&t);
            CHECK_U64(cuzk_vk_read(&vk, t.vk, t.vk_bytes), CUZK_VERIFY_E_UNSAFE_KEY);
            CHECK(vk == NULL);
            CHECK_U64(cuzk_vk_read_unsafe(&vk, t.vk, t.vk_bytes), CUZK_VERIFY_OK);
            CHECK(cuzk_vk_defect(vk) != NULL);
            cuzk_vk_destroy(vk);
            trapdoor_clear(&t);
        }
    }
}

/* snarkjs and the Filecoin ceremony leave gamma at the generator. */
static void gamma_may_be_the_generator(void)
{
    trapdoor t;
    cuzk_vk *vk = NULL;
    trapdoor_init(&t, 1);
    t.gamma = CUZK_FR_ONE;
    trapdoor_encode(&t);
    CHECK_U64(cuzk_vk_read(&vk, t.vk, t.vk_bytes), CUZK_VERIFY_OK);
    CHECK(cuzk_vk_defect(vk) == NULL);
    cuzk_vk_destroy(vk);
    trapdoor_clear(&t);
}

static void every_number_of_inputs(void)
{
    static const size_t sizes[] = {0, 1, 2, 3, 22, 23, 24, 25, 39, 132, 400};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const size_t n = sizes[i];
        trapdoor t;
        cuzk_vk *vk = NULL;
        uint8_t proof[192], *x = malloc(32 * n + 32);
        CHECK(x != NULL);
        trapdoor_init(&t, n);
        trapdoor_prove(&t, proof, x);
        CHECK_U64(cuzk_vk_read(&vk, t.vk, t.vk_bytes), CUZK_VERIFY_OK);
        CHECK_U64(cuzk_vk_n_inputs(vk), n);
        CHECK_U64(cuzk_verify(vk, proof, 192, x, n), CUZK_VERIFY_OK);
        check_with(vk, proof, x, n);
        CHECK_U64(cuzk_verify(vk, proof, 192, x, n + 1), CUZK_VERIFY_E_INVALID);
        CHECK_U64(cuzk_verify(vk, proof, 192, x, n + ((size_t)1 << 59)), CUZK_VERIFY_E_INVALID);
        if (n == 0) {
            CHECK_U64(cuzk_verify(vk, proof, 192, NULL, 0), CUZK_VERIFY_OK);
        } else {
            CHECK_U64(cuzk_verify(vk, proof, 192, x, n - 1), CUZK_VERIFY_E_INVALID);
            x[32 * (n - 1)] ^= 2;
            const cuzk_verify_result r = cuzk_verify(vk, proof, 192, x, n);
            CHECK(r == CUZK_VERIFY_E_PROOF_FALSE || r == CUZK_VERIFY_E_ENCODING);
        }
        cuzk_vk_destroy(vk);
        trapdoor_clear(&t);
        free(x);
    }
}

static void inputs_at_or_above_the_order(void)
{
    trapdoor t;
    cuzk_vk *vk = NULL;
    uint8_t proof[192], x[96], y[96];
    trapdoor_init(&t, 3);
    trapdoor_prove(&t, proof, x);
    CHECK_U64(cuzk_vk_read(&vk, t.vk, t.vk_bytes), CUZK_VERIFY_OK);
    for (size_t i = 0; i < 3; i++) {
        memcpy(y, x, sizeof(x));
        unsigned carry = 0;
        for (size_t k = 0; k < 32; k++) { /* x + r, the same residue; below 2^256 */
            carry += (unsigned)x[32 * i + k] + order_le[k];
            y[32 * i + k] = (uint8_t)carry;
            carry >>= 8;
        }
        CHECK_U64(carry, 0);
        CHECK_U64(cuzk_verify(vk, proof, 192, y, 3), CUZK_VERIFY_E_ENCODING);
        memcpy(y + 32 * i, order_le, 32);
        CHECK_U64(cuzk_verify(vk, proof, 192, y, 3), CUZK_VERIFY_E_ENCODING);
        memset(y + 32 * i, 0xff, 32);
        CHECK_U64(cuzk_verify(vk, proof, 192, y, 3), CUZK_VERIFY_E_ENCODING);
        CHECK_U64(cuzk_verify_batch(vk, proof, 192, y, 3, 1, NULL), CUZK_VERIFY_E_ENCODING);
        memcpy(y + 32 * i, order_le, 32);
        y[32 * i] = 0; /* r - 1 is an input like any other */
        CHECK_U64(cuzk_verify(vk, proof, 192, y, 3), CUZK_VERIFY_E_PROOF_FALSE);
    }
    cuzk_vk_destroy(vk);
    trapdoor_clear(&t);
}

static void proof_refusals(void)
{
    trapdoor t;
    cuzk_vk *vk = NULL;
    uint8_t proof[192 * 10], p[192], x[64];
    static const size_t at[3] = {0, 48, 144}, len[3] = {48, 96, 48};
    trapdoor_init(&t, 2);
    trapdoor_prove(&t, proof, x);
    for (size_t i = 1; i < 10; i++) {
        memcpy(proof + 192 * i, proof, 192);
    }
    CHECK_U64(cuzk_vk_read(&vk, t.vk, t.vk_bytes), CUZK_VERIFY_OK);
    for (size_t n = 0; n <= sizeof(proof); n++) {
        CHECK_U64(cuzk_verify(vk, proof, n, x, 2),
                  n == 192 ? CUZK_VERIFY_OK : CUZK_VERIFY_E_INVALID);
    }
    for (size_t i = 0; i < 3; i++) {
        memcpy(p, proof, 192);
        memset(p + at[i], 0, len[i]);
        p[at[i]] = 0xc0;
        CHECK_U64(cuzk_verify(vk, p, 192, x, 2), CUZK_VERIFY_E_INFINITY);
        bad_point(p + at[i], i == 1 ? "bad2" : "bad1", "group", len[i]);
        CHECK_U64(cuzk_verify(vk, p, 192, x, 2), CUZK_VERIFY_E_NOT_IN_GROUP);
        bad_point(p + at[i], i == 1 ? "bad2" : "bad1", "curve", len[i]);
        CHECK_U64(cuzk_verify(vk, p, 192, x, 2), CUZK_VERIFY_E_NOT_ON_CURVE);
        memset(p + at[i], 0xff, len[i]);
        p[at[i]] = 0x9f;
        CHECK_U64(cuzk_verify(vk, p, 192, x, 2), CUZK_VERIFY_E_ENCODING);
        memcpy(p, proof, 192);
        p[at[i]] &= 0x7f;
        CHECK_U64(cuzk_verify(vk, p, 192, x, 2), CUZK_VERIFY_E_ENCODING);
    }
    cuzk_vk_destroy(vk);
    trapdoor_clear(&t);
}

enum { BATCH = 20 };

typedef struct batch_case {
    trapdoor t;
    cuzk_vk *vk;
    uint8_t proofs[192 * BATCH], x[BATCH * 64];
} batch_case;

static void batch_init(batch_case *b)
{
    trapdoor_init(&b->t, 2);
    for (size_t i = 0; i < BATCH; i++) {
        trapdoor_prove(&b->t, b->proofs + 192 * i, b->x + 64 * i);
    }
    CHECK_U64(cuzk_vk_read(&b->vk, b->t.vk, b->t.vk_bytes), CUZK_VERIFY_OK);
}

static void batch_clear(batch_case *b)
{
    cuzk_vk_destroy(b->vk);
    trapdoor_clear(&b->t);
}

static cuzk_verify_result batch_run(const batch_case *b, size_t n, size_t *bad)
{
    return cuzk_verify_batch(b->vk, b->proofs, 192 * n, b->x, 2, n, bad);
}

static void batch_good_and_bad(void)
{
    batch_case b;
    batch_init(&b);
    size_t bad = 77;
    for (size_t n = 1; n <= BATCH; n++) {
        CHECK_U64(batch_run(&b, n, &bad), CUZK_VERIFY_OK);
    }
    CHECK_U64(bad, 77);
    for (size_t i = 0; i < 5; i++) {
        uint8_t *x = b.x + 64 * i + 32;
        x[1] ^= 4;
        CHECK_U64(batch_run(&b, 5, NULL), CUZK_VERIFY_E_PROOF_FALSE);
        CHECK_U64(batch_run(&b, 5, &bad), CUZK_VERIFY_E_PROOF_FALSE);
        CHECK_U64(bad, i);
        CHECK_U64(batch_run(&b, i, NULL), i == 0 ? CUZK_VERIFY_E_INVALID : CUZK_VERIFY_OK);
        x[1] ^= 4;
        /* The first bad one is named even when a later one does not even decode. */
        b.x[64 * i] ^= 4;
        b.proofs[192 * 7] &= 0x7f;
        CHECK_U64(batch_run(&b, 8, &bad), CUZK_VERIFY_E_PROOF_FALSE);
        CHECK_U64(bad, i);
        b.x[64 * i] ^= 4;
        CHECK_U64(batch_run(&b, 8, &bad), CUZK_VERIFY_E_ENCODING);
        CHECK_U64(bad, 7);
        b.proofs[192 * 7] |= 0x80;
    }
    batch_clear(&b);
}

/* Two false proofs whose errors cancel in a plain product: C_0 + D and C_1 - D. */
static void batch_errors_do_not_cancel(void)
{
    batch_case b;
    batch_init(&b);
    for (size_t i = 0; i < 2; i++) {
        cuzk_g1_affine c, d = CUZK_G1_GENERATOR;
        cuzk_g1 s;
        CHECK_STATUS(
            cuzk_g1_decode_compressed(&c, b.proofs + 192 * i + 144, CUZK_POINT_IN_SUBGROUP),
            CUZK_OK);
        if (i == 1) {
            cuzk_g1_affine_neg(&d, &d);
        }
        cuzk_g1_from_affine(&s, &c);
        cuzk_g1_add_affine(&s, &s, &d);
        cuzk_g1_to_affine(&c, &s);
        cuzk_g1_encode_compressed(b.proofs + 192 * i + 144, &c);
    }
    size_t bad = 77;
    CHECK_U64(batch_run(&b, 2, &bad), CUZK_VERIFY_E_PROOF_FALSE);
    CHECK_U64(bad, 0);
    batch_clear(&b);
}

static void batch_counts(void)
{
    batch_case b;
    batch_init(&b);
    CHECK_U64(cuzk_verify_batch(b.vk, b.proofs, 0, b.x, 2, 0, NULL), CUZK_VERIFY_E_INVALID);
    CHECK_U64(cuzk_verify_batch(b.vk, b.proofs, 192 * 5, b.x, 2, 4, NULL), CUZK_VERIFY_E_INVALID);
    CHECK_U64(cuzk_verify_batch(b.vk, b.proofs, 192 * 5, b.x, 2, 6, NULL), CUZK_VERIFY_E_INVALID);
    CHECK_U64(cuzk_verify_batch(b.vk, b.proofs, 192 * 5 - 1, b.x, 2, 5, NULL),
              CUZK_VERIFY_E_INVALID);
    CHECK_U64(cuzk_verify_batch(b.vk, b.proofs, 192 * 5 + 1, b.x, 2, 5, NULL),
              CUZK_VERIFY_E_INVALID);
    CHECK_U64(cuzk_verify_batch(b.vk, b.proofs, 192 * 5, b.x, 1, 5, NULL), CUZK_VERIFY_E_INVALID);
    CHECK_U64(cuzk_verify_batch(b.vk, b.proofs, 192 * 5, b.x, 3, 5, NULL), CUZK_VERIFY_E_INVALID);
    CHECK_U64(cuzk_verify_batch(b.vk, b.proofs, 192 * 5, b.x, 2, 5 + ((size_t)1 << 58), NULL),
              CUZK_VERIFY_E_INVALID);
    batch_clear(&b);
}

static void input_sum_against_single_products(void)
{
    static const size_t sizes[] = {0, 1, 2, 3, 23, 24, 25, 26, 64, 200, 700};
    enum { MAX = 700 };
    cuzk_g1_affine *p = malloc(MAX * sizeof(*p));
    cuzk_scalar *s = malloc(MAX * sizeof(*s));
    CHECK(p != NULL && s != NULL);
    for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
        cuzk_g1 want, got, t;
        cuzk_g1_set_infinity(&want);
        for (size_t i = 0; i < sizes[k]; i++) {
            cuzk_fr f;
            random_fr(&f);
            if (i % 5 == 1) {
                p[i] = p[i - 1];
            } else if (i % 5 == 2) {
                cuzk_g1_affine_neg(&p[i], &p[i - 1]);
            } else if (i % 11 == 10) {
                memset(&p[i], 0, sizeof(p[i]));
            } else {
                g1_times(&p[i], &f);
            }
            random_fr(&f);
            if (i % 7 == 3) {
                cuzk_fr_neg(&f, &CUZK_FR_ONE);
            } else if (i % 7 < 2) {
                cuzk_fr_from_u64(&f, i % 7);
            }
            cuzk_fr_to_scalar(&s[i], &f);
            cuzk_g1_from_affine(&t, &p[i]);
            cuzk_g1_mul(&t, &t, &s[i]);
            cuzk_g1_add(&want, &want, &t);
        }
        CHECK_STATUS(cuzk_verify_input_sum(&got, p, s, sizes[k]), CUZK_OK);
        CHECK_MSG(cuzk_g1_eq(&got, &want), "%zu terms", sizes[k]);
    }
    free(p);
    free(s);
}

/* Every allocation fails once; nothing leaks and nothing is called verified or false. */
static void out_of_memory(void)
{
    batch_case b;
    trapdoor big;
    uint8_t proof[192], x[30 * 32];
    batch_init(&b);
    trapdoor_init(&big, 30);
    trapdoor_prove(&big, proof, x);
    const uint64_t before = cuzk_alloc_get_stats().blocks_now;
    cuzk_verify_result r = CUZK_VERIFY_E_NOMEM;
    cuzk_vk *vk = NULL;
    for (uint64_t n = 1; r != CUZK_VERIFY_OK; n++) {
        cuzk_alloc_fail_nth(n, false);
        r = cuzk_vk_read(&vk, big.vk, big.vk_bytes);
        cuzk_alloc_fail_nth(0, false);
        CHECK(n < 100);
        CHECK(r == CUZK_VERIFY_OK || (r == CUZK_VERIFY_E_NOMEM && vk == NULL));
    }
    const uint64_t with_key = cuzk_alloc_get_stats().blocks_now;
    r = CUZK_VERIFY_E_NOMEM;
    for (uint64_t n = 1; r != CUZK_VERIFY_OK; n++) {
        cuzk_alloc_fail_nth(n, false);
        r = cuzk_verify(vk, proof, 192, x, 30);
        cuzk_alloc_fail_nth(0, false);
        CHECK(n < 100);
        CHECK(r == CUZK_VERIFY_OK || r == CUZK_VERIFY_E_NOMEM);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, with_key);
    }
    cuzk_vk_destroy(vk);
    CHECK_U64(cuzk_alloc_get_stats().blocks_now, before);
    r = CUZK_VERIFY_E_NOMEM;
    for (uint64_t n = 1; r != CUZK_VERIFY_OK; n++) {
        size_t bad = 77;
        cuzk_alloc_fail_nth(n, false);
        r = batch_run(&b, 3, &bad);
        cuzk_alloc_fail_nth(0, false);
        CHECK(n < 100);
        CHECK(r == CUZK_VERIFY_OK || r == CUZK_VERIFY_E_NOMEM);
        CHECK_U64(bad, 77);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, before);
    }
    trapdoor_clear(&big);
    batch_clear(&b);
}

static void texts(void)
{
    CHECK_STR(cuzk_verify_text(CUZK_VERIFY_OK), "success");
    CHECK_STR(cuzk_verify_text(CUZK_VERIFY_E_PROOF_FALSE), "proof does not verify");
    CHECK_STR(cuzk_verify_text((cuzk_verify_result)-9999), "unknown status");
    cuzk_vk_destroy(NULL);
}

static const cuzk_case cases[] = {CASE(key_refusals),
                                  CASE(unsafe_keys),
                                  CASE(gamma_may_be_the_generator),
                                  CASE(every_number_of_inputs),
                                  CASE(inputs_at_or_above_the_order),
                                  CASE(proof_refusals),
                                  CASE(batch_good_and_bad),
                                  CASE(batch_errors_do_not_cancel),
                                  CASE(batch_counts),
                                  CASE(input_sum_against_single_products),
                                  CASE(out_of_memory),
                                  CASE(texts)};
TEST_MAIN("verify/verify", cases)
