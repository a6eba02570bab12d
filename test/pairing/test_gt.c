/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "pairing/gt.h"
#include "pairing/miller_shared.h"

#include "test.h"

static void random_scalar(cuzk_scalar *s)
{
    cuzk_fr f;
    test_bytes(s, sizeof(*s));
    cuzk_fr_from_scalar(&f, s);
    cuzk_fr_to_scalar(s, &f);
}

static void g1_multiple(cuzk_g1_affine *out, const cuzk_scalar *k)
{
    cuzk_g1 t;
    cuzk_g1_from_affine(&t, &CUZK_G1_GENERATOR);
    cuzk_g1_mul(&t, &t, k);
    cuzk_g1_to_affine(out, &t);
}

static void g2_multiple(cuzk_g2_affine *out, const cuzk_scalar *k)
{
    cuzk_g2 t;
    cuzk_g2_from_affine(&t, &CUZK_G2_GENERATOR);
    cuzk_g2_mul(&t, &t, k);
    cuzk_g2_to_affine(out, &t);
}

static void scalar_from_hex(cuzk_scalar *out, const char *hex)
{
    uint8_t be[32], le[32];
    CHECK(hex != NULL && cuzk_hex_decode(be, 32, hex, strlen(hex)));
    for (size_t i = 0; i < 32; i++) {
        le[i] = be[31 - i];
    }
    cuzk_scalar_from_bytes_le(out, le);
}

static void check_power(char **save, const cuzk_fp12 *g)
{
    uint8_t compressed[288], full[576], got[576];
    cuzk_scalar k;
    cuzk_fp12 a, b;
    scalar_from_hex(&k, strtok_r(NULL, " ", save));
    const char *c = strtok_r(NULL, " ", save), *f = strtok_r(NULL, " ", save);
    CHECK(c != NULL && f != NULL && cuzk_hex_decode(compressed, 288, c, strlen(c)) &&
          cuzk_hex_decode(full, 576, f, strlen(f)));
    cuzk_gt_pow(&a, g, &k);
    cuzk_gt_encode(got, &a);
    CHECK_MEM(got, full, 576);
    CHECK(cuzk_gt_compress(got, &a));
    CHECK_MEM(got, compressed, 288);
    CHECK_OK(cuzk_gt_decompress(&b, compressed), NULL);
    CHECK(cuzk_fp12_eq(&a, &b) && cuzk_gt_is_in_group(&a));
}

static void check_product(char **save)
{
    enum { MAX = 8 };
    static cuzk_miller_scratch scratch;
    cuzk_g1_affine p[MAX];
    cuzk_g2_affine q[MAX];
    const cuzk_g1_affine *targets[1] = {p};
    cuzk_fp12 f;
    uint8_t want[576], got[576];
    const size_t n = strtoul(strtok_r(NULL, " ", save), NULL, 10);
    CHECK(n > 0 && n <= MAX);
    for (size_t i = 0; i < n; i++) {
        cuzk_scalar k;
        scalar_from_hex(&k, strtok_r(NULL, " ", save));
        g1_multiple(&p[i], &k);
        scalar_from_hex(&k, strtok_r(NULL, " ", save));
        g2_multiple(&q[i], &k);
    }
    const char *w = strtok_r(NULL, " ", save);
    CHECK(w != NULL && cuzk_hex_decode(want, 576, w, strlen(w)));
    cuzk_pairing_miller_shared(&f, q, targets, 1, n, &scratch);
    cuzk_pairing_final_exp(&f, &f);
    cuzk_gt_encode(got, &f);
    CHECK_MEM(got, want, 576);
}

static void check_outside(char **save)
{
    uint8_t in[288];
    cuzk_fp12 a;
    const char *why = strtok_r(NULL, " ", save), *c = strtok_r(NULL, " ", save);
    CHECK(why != NULL && c != NULL && cuzk_hex_decode(in, 288, c, strlen(c)));
    memset(&a, 0x5a, sizeof(a));
    const cuzk_fp12 before = a;
    CHECK_STATUS(cuzk_gt_decompress(&a, in),
                 strcmp(why, "coefficient") == 0 ? CUZK_E_ENCODING : CUZK_E_NOT_IN_GROUP);
    CHECK_MEM(&a, &before, sizeof(a));
}

static void known_answers(void)
{
    size_t n = 0, powers = 0, products = 0, outside = 0;
    char *text = (char *)test_read_file("test/vectors/gt.txt", &n), *save = NULL;
    cuzk_fp12 g;
    text = realloc(text, n + 1);
    CHECK(text != NULL);
    text[n] = '\0';
    cuzk_pairing(&g, &CUZK_G1_GENERATOR, &CUZK_G2_GENERATOR);
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *inner = NULL;
        const char *what = strtok_r(line, " ", &inner);
        if (strcmp(what, "power") == 0) {
            check_power(&inner, &g);
            powers++;
        } else if (strcmp(what, "product") == 0) {
            check_product(&inner);
            products++;
        } else if (strcmp(what, "outside") == 0) {
            check_outside(&inner);
            outside++;
        }
    }
    free(text);
    CHECK_U64(powers, 16);
    CHECK_U64(products, 3);
    CHECK_U64(outside, 8);
}

static void multi_pow_is_the_product_of_powers(void)
{
    enum { MAX = 9 };
    static cuzk_gt_table scratch[MAX];
    cuzk_gt_term term[MAX];
    cuzk_fp12 g, want, got, t;
    cuzk_pairing(&g, &CUZK_G1_GENERATOR, &CUZK_G2_GENERATOR);
    cuzk_fp12_set_one(&want);
    cuzk_gt_multi_pow(&got, term, 0, scratch);
    CHECK(cuzk_fp12_is_one(&got));
    for (size_t i = 0; i < MAX; i++) {
        random_scalar(&term[i].exponent);
        cuzk_gt_pow(&term[i].base, &g, &term[i].exponent);
        random_scalar(&term[i].exponent);
        if (i == 3) {
            cuzk_fp12_set_one(&term[i].base);
        }
        if (i == 4) {
            memset(&term[i].exponent, 0, sizeof(term[i].exponent));
        }
        cuzk_fp12_cyclotomic_pow(&t, &term[i].base, term[i].exponent.l, 4);
        cuzk_fp12_mul(&want, &want, &t);
        cuzk_gt_multi_pow(&got, term, i + 1, scratch);
        CHECK_MSG(cuzk_fp12_eq(&got, &want), "%zu terms", i + 1);
    }
}

static void units_have_no_compressed_form(void)
{
    uint8_t out[288];
    cuzk_fp12 a;
    cuzk_fp12_set_one(&a);
    CHECK(cuzk_gt_is_in_group(&a));
    CHECK(!cuzk_gt_compress(out, &a));
    cuzk_fp_neg(&a.c0.c0.c0, &a.c0.c0.c0);
    CHECK(!cuzk_gt_is_in_group(&a)); /* -1 */
    memset(&a, 0, sizeof(a));
    CHECK(!cuzk_gt_is_in_group(&a));
}

/* Several products over the same points of G2, some points at infinity, against the plain loop. */
static void shared_points(void)
{
    enum { N = 128, T = 3 };
    static cuzk_miller_scratch scratch;
    static cuzk_g1_affine p[T][N];
    static cuzk_g2_affine q[N];
    const cuzk_g1_affine *targets[T] = {p[0], p[1], p[2]};
    static const size_t sizes[] = {0, 1, 2, 3, 4, 5, 17, 33, N};
    for (size_t i = 0; i < N; i++) {
        cuzk_scalar k;
        random_scalar(&k);
        g2_multiple(&q[i], &k);
        for (size_t t = 0; t < T; t++) {
            random_scalar(&k);
            g1_multiple(&p[t][i], &k);
        }
    }
    memset(&q[5], 0, sizeof(q[5]));
    memset(&p[1][7], 0, sizeof(p[1][7]));
    q[8] = q[9];
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        cuzk_fp12 got[T], want;
        cuzk_pairing_miller_shared(got, q, targets, T, sizes[s], &scratch);
        for (size_t t = 0; t < T; t++) {
            cuzk_pairing_term term[N];
            for (size_t i = 0; i < sizes[s]; i++) {
                term[i] = (cuzk_pairing_term){&p[t][i], &q[i], NULL};
            }
            cuzk_pairing_miller(&want, term, sizes[s]);
            cuzk_pairing_final_exp(&want, &want);
            cuzk_pairing_final_exp(&got[t], &got[t]);
            CHECK_MSG(cuzk_fp12_eq(&got[t], &want), "%zu points, product %zu", sizes[s], t);
        }
    }
}

/* Sequences of several lengths side by side, some points at infinity, against each alone. */
static void sequences_in_lanes(void)
{
    enum { N = 32, T = 2 };
    static cuzk_miller_scratch scratch;
    static cuzk_g1_affine p[T][N];
    static cuzk_g2_affine q[N];
    static const size_t lengths[][CUZK_MILLER_LANES] = {
        {1, 1, 1, 1}, {5, 0, 1, 3}, {0, 0, 0, 7}, {0, 0, 0, 0}, {N, 2, N, 9}};
    for (size_t i = 0; i < N; i++) {
        cuzk_scalar k;
        random_scalar(&k);
        g2_multiple(&q[i], &k);
        for (size_t t = 0; t < T; t++) {
            random_scalar(&k);
            g1_multiple(&p[t][i], &k);
        }
    }
    memset(&q[6], 0, sizeof(q[6]));
    memset(&p[1][2], 0, sizeof(p[1][2]));
    for (size_t c = 0; c < sizeof(lengths) / sizeof(lengths[0]); c++) {
        cuzk_miller_lane lane[CUZK_MILLER_LANES];
        cuzk_fp12 got[T][CUZK_MILLER_LANES], want[T];
        for (size_t k = 0; k < CUZK_MILLER_LANES; k++) {
            const size_t at = k < N - lengths[c][k] ? k : 0;
            lane[k] =
                (cuzk_miller_lane){.q = q + at, .p = {p[0] + at, p[1] + at}, .n = lengths[c][k]};
        }
        cuzk_pairing_miller_lanes(got, lane, T, &scratch);
        for (size_t k = 0; k < CUZK_MILLER_LANES; k++) {
            cuzk_pairing_miller_shared(want, lane[k].q, lane[k].p, T, lane[k].n, &scratch);
            for (size_t t = 0; t < T; t++) {
                cuzk_pairing_final_exp(&want[t], &want[t]);
                cuzk_pairing_final_exp(&got[t][k], &got[t][k]);
                CHECK_MSG(cuzk_fp12_eq(&got[t][k], &want[t]), "case %zu, lane %zu, product %zu", c,
                          k, t);
            }
        }
    }
}

static const cuzk_case cases[] = {CASE(known_answers), CASE(multi_pow_is_the_product_of_powers),
                                  CASE(units_have_no_compressed_form), CASE(shared_points),
                                  CASE(sequences_in_lanes)};
TEST_MAIN("pairing/gt", cases)
