/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "pairing/pairing.h"

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

static void fp12_bytes(uint8_t out[576], const cuzk_fp12 *a)
{
    const cuzk_fp2 *c[6] = {&a->c0.c0, &a->c1.c0, &a->c0.c1, &a->c1.c1, &a->c0.c2, &a->c1.c2};
    for (size_t j = 0; j < 6; j++) {
        cuzk_fp_to_bytes_be(out + 96 * j, &c[j]->c0);
        cuzk_fp_to_bytes_be(out + 96 * j + 48, &c[j]->c1);
    }
}

static void scalar_from_hex(cuzk_scalar *out, const char *hex)
{
    uint8_t be[32], le[32];
    CHECK(cuzk_hex_decode(be, 32, hex, strlen(hex)));
    for (size_t i = 0; i < 32; i++) {
        le[i] = be[31 - i];
    }
    cuzk_scalar_from_bytes_le(out, le);
}

static void known_answers(void)
{
    size_t n = 0, lines = 0;
    char *text = (char *)test_read_file("test/vectors/pairing.txt", &n);
    text = realloc(text, n + 1);
    CHECK(text != NULL);
    text[n] = '\0';
    char *save = NULL;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        if (line[0] == '#') {
            continue;
        }
        char *inner = NULL;
        const char *a = strtok_r(line, " ", &inner), *b = strtok_r(NULL, " ", &inner);
        const char *e = strtok_r(NULL, " ", &inner);
        CHECK(a != NULL && b != NULL && e != NULL);
        cuzk_scalar ka, kb;
        cuzk_g1_affine p;
        cuzk_g2_affine q;
        cuzk_fp12 f;
        uint8_t want[576], got[576];
        scalar_from_hex(&ka, a);
        scalar_from_hex(&kb, b);
        CHECK(cuzk_hex_decode(want, 576, e, strlen(e)));
        g1_multiple(&p, &ka);
        g2_multiple(&q, &kb);
        cuzk_pairing(&f, &p, &q);
        fp12_bytes(got, &f);
        CHECK_MEM(got, want, 576);
        lines++;
    }
    free(text);
    CHECK_U64(lines, 5);
}

static void bilinear(void)
{
    cuzk_fp12 g;
    cuzk_pairing(&g, &CUZK_G1_GENERATOR, &CUZK_G2_GENERATOR);
    CHECK(!cuzk_fp12_is_one(&g));
    for (size_t i = 0; i < test_iters(10); i++) {
        cuzk_scalar a, b, ab;
        cuzk_fr fa, fb;
        cuzk_g1_affine p;
        cuzk_g2_affine q;
        cuzk_fp12 l, r;
        random_scalar(&a);
        random_scalar(&b);
        cuzk_fr_from_scalar(&fa, &a);
        cuzk_fr_from_scalar(&fb, &b);
        cuzk_fr_mul(&fa, &fa, &fb);
        cuzk_fr_to_scalar(&ab, &fa);
        g1_multiple(&p, &a);
        g2_multiple(&q, &b);
        cuzk_pairing(&l, &p, &q);
        cuzk_fp12_cyclotomic_pow(&r, &g, ab.l, 4);
        CHECK(cuzk_fp12_eq(&l, &r));
    }
}

static void order_of_the_target(void)
{
    cuzk_fp12 g, t;
    cuzk_scalar k;
    cuzk_fr f;
    cuzk_pairing(&g, &CUZK_G1_GENERATOR, &CUZK_G2_GENERATOR);
    cuzk_fr_neg(&f, &CUZK_FR_ONE);
    cuzk_fr_to_scalar(&k, &f);
    cuzk_fp12_cyclotomic_pow(&t, &g, k.l, 4); /* g^(r-1) */
    cuzk_fp12_mul(&t, &t, &g);
    CHECK(cuzk_fp12_is_one(&t));
}

static void infinity_pairs_to_one(void)
{
    const cuzk_g1_affine o1 = {{{0}}, {{0}}};
    const cuzk_g2_affine o2 = {{{{0}}, {{0}}}, {{{0}}, {{0}}}};
    static cuzk_g2_prepared prep;
    cuzk_fp12 f;
    cuzk_pairing(&f, &o1, &CUZK_G2_GENERATOR);
    CHECK(cuzk_fp12_is_one(&f));
    cuzk_pairing(&f, &CUZK_G1_GENERATOR, &o2);
    CHECK(cuzk_fp12_is_one(&f));
    cuzk_g2_prepare(&prep, &o2);
    const cuzk_pairing_term t = {&CUZK_G1_GENERATOR, NULL, &prep};
    cuzk_pairing_miller(&f, &t, 1);
    cuzk_pairing_final_exp(&f, &f);
    CHECK(cuzk_fp12_is_one(&f));
    cuzk_pairing_miller(&f, NULL, 0);
    CHECK(cuzk_fp12_is_one(&f));
}

/* Products of every length around the chunk size, plain and prepared terms mixed, some at
 * infinity, against the product of single pairings. */
static void products(void)
{
    enum { MAX = 18 };
    static const size_t sizes[] = {1, 2, 3, 4, 15, 16, 17, MAX};
    cuzk_g1_affine p[MAX];
    cuzk_g2_affine q[MAX];
    static cuzk_g2_prepared prep; /* static for its size */
    cuzk_pairing_term term[MAX];
    cuzk_scalar k;
    random_scalar(&k);
    g2_multiple(&q[0], &k);
    cuzk_g2_prepare(&prep, &q[0]);
    for (size_t i = 0; i < MAX; i++) {
        random_scalar(&k);
        if (i % 7 == 5) {
            memset(&k, 0, sizeof(k));
        }
        g1_multiple(&p[i], &k);
        random_scalar(&k);
        if (i > 0) {
            g2_multiple(&q[i], &k);
        }
        term[i] = (cuzk_pairing_term){&p[i], &q[i], NULL};
        if (i % 3 == 0) {
            q[i] = q[0];
            term[i] = (cuzk_pairing_term){&p[i], NULL, &prep};
        }
    }
    cuzk_fp12 want, single, got;
    cuzk_fp12_set_one(&want);
    size_t done = 0;
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        for (; done < sizes[s]; done++) {
            cuzk_pairing(&single, &p[done], &q[done]);
            cuzk_fp12_mul(&want, &want, &single);
        }
        cuzk_pairing_miller(&got, term, sizes[s]);
        cuzk_pairing_final_exp(&got, &got);
        CHECK_MSG(cuzk_fp12_eq(&got, &want), "%zu terms", sizes[s]);
    }
}

static void opposite_terms_cancel(void)
{
    cuzk_g1_affine p, m;
    cuzk_g2_affine q;
    cuzk_scalar k;
    cuzk_fp12 f;
    random_scalar(&k);
    g1_multiple(&p, &k);
    cuzk_g1_affine_neg(&m, &p);
    random_scalar(&k);
    g2_multiple(&q, &k);
    const cuzk_pairing_term t[2] = {{&p, &q, NULL}, {&m, &q, NULL}};
    cuzk_pairing_miller(&f, t, 2);
    cuzk_pairing_final_exp(&f, &f);
    CHECK(cuzk_fp12_is_one(&f));
}

static const cuzk_case cases[] = {
    CASE(known_answers),         CASE(bilinear), CASE(order_of_the_target),
    CASE(infinity_pairs_to_one), CASE(products), CASE(opposite_terms_cancel)};
TEST_MAIN("pairing/pairing", cases)
