/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The tests of one group; included by test_g1.c and test_g2.c with
 *   F, FF(verb), AFF, JAC, XYZZ, FN(verb)   as CUZK_EC_... of the sources
 *   GEN                                     the generator
 *   NB                                      bytes of the compressed form
 *   BAD                                     "bad1" or "bad2" of ec_multiples.txt
 *   COMP_COLUMN                             1-based column of the compressed form there
 *   to_ref(ref_point *, const AFF *)        static
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "ec/endo.h"
#include "ref/ref_ec.h"

#include "test.h"

/* s p for any 256-bit s and any p on the curve, bit by bit. out may be p. */
static void mul_plain(JAC *out, const JAC *p, const cuzk_scalar *s)
{
    JAC acc;
    FN(set_infinity)(&acc);
    for (unsigned i = 256; i-- > 0;) {
        FN(dbl)(&acc, &acc);
        if ((s->l[i / 64] >> (i % 64) & 1) != 0) {
            FN(add)(&acc, &acc, p);
        }
    }
    *out = acc;
}

enum { SPAN = 8, N_SMALL = 2 * SPAN + 1 };

/* small[i] = (i - SPAN) generator, by the code under test; ref[i] the same by the reference. */
typedef struct table {
    AFF small[N_SMALL];
    ref_point ref[N_SMALL];
} table;

static void table_init(table *t)
{
    for (size_t i = 0; i < N_SMALL; i++) {
        ref_init(&t->ref[i]);
    }
    ref_point g;
    ref_init(&g);
    to_ref(&g, &GEN);
    for (size_t i = 1; i <= SPAN; i++) {
        ref_add(&t->ref[SPAN + i], &t->ref[SPAN + i - 1], &g);
        ref_neg(&t->ref[SPAN - i], &t->ref[SPAN + i]);
    }
    ref_clear(&g);
    for (size_t i = 0; i < N_SMALL; i++) {
        cuzk_scalar k = {{i >= SPAN ? i - SPAN : SPAN - i, 0, 0, 0}};
        JAC p;
        FN(from_affine)(&p, &GEN);
        FN(mul)(&p, &p, &k);
        if (i < SPAN) {
            FN(neg)(&p, &p);
        }
        FN(to_affine)(&t->small[i], &p);
    }
}

static void table_clear(table *t)
{
    for (size_t i = 0; i < N_SMALL; i++) {
        ref_clear(&t->ref[i]);
    }
}

static bool is_ref(const AFF *got, const ref_point *want)
{
    ref_point g;
    ref_init(&g);
    to_ref(&g, got);
    const bool same = ref_eq(&g, want);
    ref_clear(&g);
    return same;
}

static bool jac_is_ref(const JAC *got, const ref_point *want)
{
    AFF a;
    FN(to_affine)(&a, got);
    return is_ref(&a, want);
}

static bool xyzz_is_ref(const XYZZ *got, const ref_point *want)
{
    JAC j;
    FN(from_xyzz)(&j, got);
    return jac_is_ref(&j, want);
}

static void random_field(F *out)
{
    cuzk_fp *c = (cuzk_fp *)out;
    for (size_t i = 0; i < sizeof(F) / sizeof(cuzk_fp); i++) {
        uint64_t l[6];
        do {
            test_bytes(l, sizeof(l));
            cuzk_fp_from_canonical(&c[i], l);
        } while (cuzk_fp_is_zero(&c[i]));
    }
}

/* The same point with another Z. Infinity gets arbitrary X and Y too. */
static void blind(JAC *out, const AFF *a)
{
    F z, t;
    random_field(&z);
    FN(from_affine)(out, a);
    if (FN(affine_is_infinity)(a)) {
        random_field(&out->x);
        random_field(&out->y);
        return;
    }
    FF(sqr)(&t, &z);
    FF(mul)(&out->x, &out->x, &t);
    FF(mul)(&t, &t, &z);
    FF(mul)(&out->y, &out->y, &t);
    out->z = z;
}

static void blind_xyzz(XYZZ *out, const AFF *a)
{
    F z, t;
    FN(xyzz_set_infinity)(out);
    if (FN(affine_is_infinity)(a)) {
        return;
    }
    random_field(&z);
    FF(sqr)(&out->zz, &z);
    FF(mul)(&out->zzz, &out->zz, &z);
    FF(mul)(&t, &a->x, &out->zz);
    out->x = t;
    FF(mul)(&t, &a->y, &out->zzz);
    out->y = t;
}

static void random_scalar(cuzk_scalar *s)
{
    test_bytes(s, sizeof(*s));
}

static cuzk_scalar order_minus_1(void)
{
    cuzk_scalar s;
    cuzk_fr f;
    cuzk_fr_neg(&f, &CUZK_FR_ONE);
    cuzk_fr_to_scalar(&s, &f);
    return s;
}

/* A point of the subgroup, rarely a small multiple or infinity. */
static void random_point(AFF *out)
{
    cuzk_scalar s;
    JAC p;
    random_scalar(&s);
    FN(from_affine)(&p, &GEN);
    FN(mul)(&p, &p, &s);
    FN(to_affine)(out, &p);
}

static void jacobian_all_small_pairs(void)
{
    table t;
    ref_point want;
    table_init(&t);
    ref_init(&want);
    for (size_t i = 0; i < N_SMALL; i++) {
        CHECK_MSG(is_ref(&t.small[i], &t.ref[i]), "multiple %zu", i);
        for (size_t j = 0; j < N_SMALL; j++) {
            JAC p, q, r;
            ref_add(&want, &t.ref[i], &t.ref[j]);
            blind(&p, &t.small[i]);
            blind(&q, &t.small[j]);
            FN(add)(&r, &p, &q);
            CHECK_MSG(jac_is_ref(&r, &want), "add %zu %zu", i, j);
            CHECK(FN(eq)(&p, &q) == (i == j));
            r = p;
            FN(add)(&r, &r, &q);
            CHECK_MSG(jac_is_ref(&r, &want), "add, out = p, %zu %zu", i, j);
            r = q;
            FN(add)(&r, &p, &r);
            CHECK_MSG(jac_is_ref(&r, &want), "add, out = q, %zu %zu", i, j);
            FN(add_affine)(&r, &p, &t.small[j]);
            CHECK_MSG(jac_is_ref(&r, &want), "add_affine %zu %zu", i, j);
            FN(add_affine)(&p, &p, &t.small[j]);
            CHECK_MSG(jac_is_ref(&p, &want), "add_affine, out = p, %zu %zu", i, j);
            CHECK(FN(eq)(&p, &r));
        }
        JAC p;
        blind(&p, &t.small[i]);
        ref_add(&want, &t.ref[i], &t.ref[i]);
        FN(dbl)(&p, &p);
        CHECK_MSG(jac_is_ref(&p, &want), "dbl %zu", i);
    }
    ref_clear(&want);
    table_clear(&t);
}

static void xyzz_all_small_pairs(void)
{
    table t;
    ref_point want;
    table_init(&t);
    ref_init(&want);
    for (size_t i = 0; i < N_SMALL; i++) {
        for (size_t j = 0; j < N_SMALL; j++) {
            XYZZ p, q, r;
            ref_add(&want, &t.ref[i], &t.ref[j]);
            blind_xyzz(&p, &t.small[i]);
            blind_xyzz(&q, &t.small[j]);
            FN(xyzz_add)(&r, &p, &q);
            CHECK_MSG(xyzz_is_ref(&r, &want), "add %zu %zu", i, j);
            r = p;
            FN(xyzz_add)(&r, &r, &q);
            CHECK_MSG(xyzz_is_ref(&r, &want), "add, out = p, %zu %zu", i, j);
            FN(xyzz_add)(&q, &p, &q);
            CHECK_MSG(xyzz_is_ref(&q, &want), "add, out = q, %zu %zu", i, j);
            FN(xyzz_add_affine)(&r, &p, &t.small[j]);
            CHECK_MSG(xyzz_is_ref(&r, &want), "add_affine %zu %zu", i, j);
            FN(xyzz_add_affine)(&p, &p, &t.small[j]);
            CHECK_MSG(xyzz_is_ref(&p, &want), "add_affine, out = p, %zu %zu", i, j);
        }
        XYZZ p;
        blind_xyzz(&p, &t.small[i]);
        ref_add(&want, &t.ref[i], &t.ref[i]);
        FN(xyzz_dbl)(&p, &p);
        CHECK_MSG(xyzz_is_ref(&p, &want), "dbl %zu", i);
    }
    ref_clear(&want);
    table_clear(&t);
}

static void batch_to_affine(void)
{
    static const size_t sizes[] = {0, 1, 2, 3, 7, 16};
    for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
        for (unsigned holes = 0; holes < 3; holes++) { /* none, some, all infinity */
            JAC p[16];
            AFF out[16], want;
            F scratch[16];
            for (size_t i = 0; i < sizes[k]; i++) {
                AFF a;
                random_point(&a);
                blind(&p[i], &a);
                if (holes == 2 || (holes == 1 && i % 3 == 0)) {
                    FN(set_infinity)(&p[i]);
                }
            }
            FN(batch_to_affine)(out, p, scratch, sizes[k]);
            for (size_t i = 0; i < sizes[k]; i++) {
                FN(to_affine)(&want, &p[i]);
                CHECK(FN(affine_eq)(&out[i], &want));
            }
        }
    }
}

static void mul_against_reference(void)
{
    for (size_t i = 0; i < test_iters(12); i++) {
        AFF a;
        JAC p, v, c;
        cuzk_scalar s;
        uint8_t k[32];
        ref_point r;
        ref_init(&r);
        random_point(&a);
        random_scalar(&s);
        cuzk_scalar_to_bytes_le(k, &s);
        to_ref(&r, &a);
        ref_mul(&r, &r, k);
        blind(&p, &a);
        FN(mul)(&v, &p, &s);
        CHECK(jac_is_ref(&v, &r));
        FN(mul_ct)(&c, &p, &s);
        CHECK(jac_is_ref(&c, &r));
        mul_plain(&v, &p, &s);
        CHECK(jac_is_ref(&v, &r));
        v = p;
        FN(mul_ct)(&v, &v, &s);
        CHECK(FN(eq)(&v, &c));
        v = p;
        mul_plain(&v, &v, &s);
        CHECK(FN(eq)(&v, &c));
        FN(mul)(&p, &p, &s);
        CHECK(FN(eq)(&p, &c));
        ref_clear(&r);
    }
}

static void mul_edge_scalars(void)
{
    /* Single bits, runs up to the top, the order and its neighbours: both multiplications agree,
     * and (k + 1) P - k P = P. */
    const cuzk_scalar r_minus_1 = order_minus_1();
    JAC g, minus_g, p, q;
    FN(from_affine)(&g, &GEN);
    FN(neg)(&minus_g, &g);
    FN(mul)(&p, &g, &r_minus_1);
    CHECK(FN(eq)(&p, &minus_g));
    FN(mul_ct)(&p, &g, &r_minus_1);
    CHECK(FN(eq)(&p, &minus_g));
    for (unsigned bit = 0; bit < 256; bit += 5) {
        cuzk_scalar one = {{0, 0, 0, 0}}, run = {{0, 0, 0, 0}};
        one.l[bit / 64] = 1ULL << (bit % 64);
        for (unsigned k = 0; k < bit; k++) {
            run.l[k / 64] |= 1ULL << (k % 64); /* 2^bit - 1 */
        }
        FN(mul)(&p, &g, &one);
        FN(mul_ct)(&q, &g, &one);
        CHECK(FN(eq)(&p, &q));
        FN(mul)(&q, &g, &run);
        FN(add)(&q, &q, &g);
        CHECK(FN(eq)(&p, &q));
        FN(mul_ct)(&q, &g, &run);
        FN(add_affine)(&q, &q, &GEN);
        CHECK(FN(eq)(&p, &q));
    }
    FN(set_infinity)(&p);
    FN(mul)(&q, &p, &r_minus_1);
    CHECK(FN(is_infinity)(&q));
    random_field(&p.y);
    FN(mul_ct)(&q, &p, &r_minus_1);
    CHECK(FN(is_infinity)(&q));
}

/* Digits on the endomorphisms at the edges of their ranges, and scalars on both sides of r and 2 r:
 * all three multiplications agree. */
static void mul_edge_digits(void)
{
    const uint64_t z = CUZK_EC_Z_ABS;
    const uint64_t edge[] = {0, 1, 8, 15, 16, 1ULL << 63, z - 1, z - 8, z / 2, z / 15 * 8};
    const uint64_t below_r[4] = CUZK_FR_MOD_LIMBS;
    for (size_t i = 0; i < test_iters(60); i++) {
        cuzk_scalar s = {{0, 0, 0, 0}};
        if (i < 12) { /* 2^256 - 1 - i, r + i - 3, 2 r + i - 3 */
            uint64_t c = 0;
            for (size_t k = 0; k < 4; k++) {
                s.l[k] = i % 3 == 0   ? UINT64_MAX - (k == 0 ? i : 0)
                         : i % 3 == 1 ? below_r[k] + (k == 0 ? i - 3 : 0)
                                      : cuzk_adc(below_r[k], below_r[k], c, &c);
            }
            s.l[0] += i % 3 == 2 ? i - 3 : 0; /* the lowest limb of r is 1: no carry past it */
        } else {
            for (size_t k = 4; k-- > 0;) { /* s = s z + digit; below z^4, so it fits */
                uint64_t c = test_below(3) == 0 ? test_u64() % z
                                                : edge[test_below(sizeof(edge) / sizeof(edge[0]))];
                for (size_t j = 0; j < 4; j++) {
                    s.l[j] = cuzk_mac(c, s.l[j], z, 0, &c);
                }
            }
        }
        AFF a;
        JAC p, v, c, any;
        random_point(&a);
        blind(&p, &a);
        FN(mul)(&v, &p, &s);
        FN(mul_ct)(&c, &p, &s);
        mul_plain(&any, &p, &s);
        CHECK_MSG(FN(eq)(&v, &any), "scalar %zu", i);
        CHECK_MSG(FN(eq)(&c, &any), "scalar %zu, constant time", i);
    }
}

static void encoding_round_trip(void)
{
    for (size_t i = 0; i < test_iters(30); i++) {
        AFF a, b;
        uint8_t c[NB], u[2 * NB];
        random_point(&a);
        if (i == 0) {
            memset(&a, 0, sizeof(a));
        }
        FN(encode_compressed)(c, &a);
        FN(encode_uncompressed)(u, &a);
        CHECK_STATUS(FN(decode_compressed)(&b, c, CUZK_POINT_IN_SUBGROUP), CUZK_OK);
        CHECK(FN(affine_eq)(&a, &b));
        CHECK_STATUS(FN(decode_uncompressed)(&b, u, CUZK_POINT_IN_SUBGROUP), CUZK_OK);
        CHECK(FN(affine_eq)(&a, &b));
        FN(affine_neg)(&b, &a);
        CHECK(FN(affine_is_infinity)(&b) == FN(affine_is_infinity)(&a));
        FN(encode_compressed)(u, &b);
        if (!FN(affine_is_infinity)(&a)) {
            u[0] ^= 0x20; /* the negative differs in the sign bit alone */
        }
        CHECK_MEM(u, c, NB);
    }
}

static void encoding_refusals(void)
{
    uint8_t c[NB], u[2 * NB], t[2 * NB];
    AFF out, before;
    memset(&out, 0x5a, sizeof(out));
    before = out;
    FN(encode_compressed)(c, &GEN);
    FN(encode_uncompressed)(u, &GEN);
    /* Every flag pattern other than the right ones. */
    for (unsigned f = 0; f < 8; f++) {
        memcpy(t, c, NB);
        t[0] = (uint8_t)((t[0] & 0x1f) | f << 5);
        const cuzk_status st = FN(decode_compressed)(&out, t, CUZK_POINT_IN_SUBGROUP);
        CHECK((st == CUZK_OK) == (f == 4 || f == 5));
        CHECK(st == CUZK_OK || st == CUZK_E_ENCODING);
        memcpy(t, u, 2 * NB);
        t[0] = (uint8_t)((t[0] & 0x1f) | f << 5);
        const cuzk_status su = FN(decode_uncompressed)(&out, t, CUZK_POINT_IN_SUBGROUP);
        CHECK((su == CUZK_OK) == (f == 0));
        CHECK(su == CUZK_OK || su == CUZK_E_ENCODING);
    }
    out = before;
    /* Infinity with any other bit set. */
    for (size_t i = 0; i < 8 * 2 * NB; i++) {
        memset(t, 0, sizeof(t));
        t[0] = 0xc0;
        t[i / 8] ^= (uint8_t)(1U << (i % 8));
        if (i / 8 < NB) {
            CHECK(FN(decode_compressed)(&out, t, CUZK_POINT_IN_SUBGROUP) != CUZK_OK);
        }
        t[0] ^= 0x80;
        CHECK(FN(decode_uncompressed)(&out, t, CUZK_POINT_IN_SUBGROUP) != CUZK_OK);
    }
    /* All zero without the flag is the point (0, 0), not infinity. */
    memset(t, 0, sizeof(t));
    CHECK_STATUS(FN(decode_uncompressed)(&out, t, CUZK_POINT_UNCHECKED), CUZK_E_NOT_ON_CURVE);
    /* Coordinates q, q + x, 2^381 - 1, in each place. */
    static const char q_hex[] =
        "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241ea"
        "bfffeb153ffffb9feffffffffaaab";
    uint8_t q[48];
    CHECK(cuzk_hex_decode(q, 48, q_hex, 96));
    for (size_t at = 0; at < 2 * NB; at += 48) {
        for (unsigned kind = 0; kind < 2; kind++) {
            memcpy(t, u, 2 * NB);
            memcpy(t + at, q, 48);
            if (kind == 1) {
                memset(t + at, 0xff, 48);
                t[at] = 0x1f;
            }
            CHECK_STATUS(FN(decode_uncompressed)(&out, t, CUZK_POINT_UNCHECKED), CUZK_E_ENCODING);
            if (at < NB) {
                memcpy(t, c, NB);
                memcpy(t + at, q, 48);
                if (kind == 1) {
                    memset(t + at, 0xff, 48);
                    t[at] = 0x1f;
                }
                t[0] |= 0x80;
                CHECK_STATUS(FN(decode_compressed)(&out, t, CUZK_POINT_ON_CURVE), CUZK_E_ENCODING);
            }
        }
    }
    /* Off the curve: any one bit of y. */
    for (unsigned bit = 0; bit < 8; bit++) {
        memcpy(t, u, 2 * NB);
        t[2 * NB - 1] ^= (uint8_t)(1U << bit);
        CHECK_STATUS(FN(decode_uncompressed)(&out, t, CUZK_POINT_ON_CURVE), CUZK_E_NOT_ON_CURVE);
    }
    CHECK_MEM(&out, &before, sizeof(out));
    /* Unchecked takes it. */
    CHECK_STATUS(FN(decode_uncompressed)(&out, t, CUZK_POINT_UNCHECKED), CUZK_OK);
    CHECK(!FN(affine_is_on_curve)(&out));
}

static void one_bad_point(const char *status, const char *hex)
{
    uint8_t b[2 * NB];
    AFF a;
    const size_t n = strlen(hex) / 2;
    CHECK(n == NB || n == 2 * NB);
    CHECK(cuzk_hex_decode(b, n, hex, 2 * n));
    const bool group = strcmp(status, "group") == 0;
    if (n == NB) {
        CHECK_STATUS(FN(decode_compressed)(&a, b, CUZK_POINT_IN_SUBGROUP),
                     group ? CUZK_E_NOT_IN_GROUP : CUZK_E_NOT_ON_CURVE);
        CHECK_STATUS(FN(decode_compressed)(&a, b, CUZK_POINT_ON_CURVE),
                     group ? CUZK_OK : CUZK_E_NOT_ON_CURVE);
    } else {
        CHECK_STATUS(FN(decode_uncompressed)(&a, b, CUZK_POINT_IN_SUBGROUP), CUZK_E_NOT_IN_GROUP);
        CHECK_STATUS(FN(decode_uncompressed)(&a, b, CUZK_POINT_ON_CURVE), CUZK_OK);
        /* Outside the subgroup r P is not infinity. */
        const cuzk_scalar k = order_minus_1();
        JAC p, v;
        FN(from_affine)(&p, &a);
        mul_plain(&v, &p, &k);
        FN(add_affine)(&v, &v, &a);
        CHECK(!FN(is_infinity)(&v));
    }
}

static void one_multiple(const char *k_hex, const char *comp, const char *uncomp)
{
    uint8_t be[32], le[32], want_c[NB], want_u[2 * NB], got[2 * NB];
    CHECK(cuzk_hex_decode(be, 32, k_hex, strlen(k_hex)));
    CHECK(cuzk_hex_decode(want_c, NB, comp, strlen(comp)));
    CHECK(cuzk_hex_decode(want_u, 2 * NB, uncomp, strlen(uncomp)));
    for (size_t i = 0; i < 32; i++) {
        le[i] = be[31 - i];
    }
    cuzk_scalar k;
    JAC p;
    AFF a;
    cuzk_scalar_from_bytes_le(&k, le);
    FN(from_affine)(&p, &GEN);
    FN(mul)(&p, &p, &k);
    FN(to_affine)(&a, &p);
    FN(encode_compressed)(got, &a);
    CHECK_MEM(got, want_c, NB);
    FN(encode_uncompressed)(got, &a);
    CHECK_MEM(got, want_u, 2 * NB);
    CHECK_STATUS(FN(decode_compressed)(&a, want_c, CUZK_POINT_IN_SUBGROUP), CUZK_OK);
    FN(from_affine)(&p, &GEN);
    FN(mul_ct)(&p, &p, &k);
    FN(to_affine)(&a, &p);
    FN(encode_uncompressed)(got, &a);
    CHECK_MEM(got, want_u, 2 * NB);
}

static void known_answers(void)
{
    size_t n = 0, good = 0, bad = 0;
    char *text = (char *)test_read_file("test/vectors/ec_multiples.txt", &n);
    text = realloc(text, n + 1);
    CHECK(text != NULL);
    text[n] = '\0';
    char *save = NULL;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *field[6] = {0}, *inner = NULL;
        size_t k = 0;
        for (char *w = strtok_r(line, " ", &inner); w && k < 6; w = strtok_r(NULL, " ", &inner)) {
            field[k++] = w;
        }
        if (k == 5 && field[0][0] != '#') {
            one_multiple(field[0], field[COMP_COLUMN], field[COMP_COLUMN + 1]);
            good++;
        } else if (k == 3 && strcmp(field[0], BAD) == 0) {
            one_bad_point(field[1], field[2]);
            bad++;
        }
    }
    free(text);
    CHECK_U64(good, 40);
    CHECK_U64(bad, 10);
}

static void subgroup_of_random_points(void)
{
    for (size_t i = 0; i < test_iters(40); i++) {
        AFF a, b;
        uint8_t raw[NB];
        JAC p;
        const cuzk_scalar k = order_minus_1();
        random_point(&a);
        CHECK(FN(affine_is_in_subgroup)(&a));
        test_bytes(raw, sizeof(raw));
        raw[0] = (uint8_t)((raw[0] & 0x0f) | 0x80);
        if (FN(decode_compressed)(&b, raw, CUZK_POINT_ON_CURVE) != CUZK_OK) {
            continue;
        }
        /* The definition: r P = 0, that is (r - 1) P = -P. */
        FN(from_affine)(&p, &b);
        mul_plain(&p, &p, &k);
        FN(add_affine)(&p, &p, &b);
        CHECK(FN(affine_is_in_subgroup)(&b) == FN(is_infinity)(&p));
    }
}
