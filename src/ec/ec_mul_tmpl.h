/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Multiplication by a scalar, for either group; parameters as in ec_jac_tmpl.h, and
 *   CUZK_EC_TABLES   1 in G1, 2 in G2: half of the digits that a scalar has on the endomorphisms
 *   CUZK_EC_MUL_W    window of CUZK_EC_FN(mul)
 *   split_scalar     static function: the 2 * CUZK_EC_TABLES digits of a scalar < r in base z^2 or
 *                    |z|, one behind the other in 256 bits; constant time, aliasing allowed
 *   z2_x             static function: x of z^2 P from x of P, which is (that, -y)
 *   minus_psi        static function, where there are two tables: |z| P, in homogeneous coordinates
 */

/* table[i] = (2i + 1) p for i < n. */
static void odd_multiples(CUZK_EC_JAC *table, const CUZK_EC_JAC *p, size_t n)
{
    CUZK_EC_JAC twice;
    table[0] = *p;
    CUZK_EC_FN(dbl)(&twice, p);
    for (size_t i = 1; i < n; i++) {
        CUZK_EC_FN(add)(&table[i], &table[i - 1], &twice);
    }
}

enum { DIGITS = 2 * CUZK_EC_TABLES, DIGIT_BITS = 256 / DIGITS };

/*
 * s p = sum of digit_k (|z|^k p in G2, z^(2k) p in G1), where the powers of z are endomorphisms
 * (Gallant, Lambert, Vanstone, CRYPTO 2001; Galbraith, Lin, Scott, EUROCRYPT 2009): all digits share
 * the doublings. The tables are affine: their one inversion costs less than mixed additions save.
 */
void CUZK_EC_FN(mul)(CUZK_EC_JAC *out, const CUZK_EC_JAC *p, const cuzk_scalar *s)
{
    enum { ODD = 1 << (CUZK_EC_MUL_W - 2) };
    int8_t digit[DIGITS][CUZK_EC_WNAF_DIGITS];
    uint64_t d[4];
    CUZK_EC_JAC odd[ODD], acc;
    CUZK_EC_AFF table[DIGITS][ODD], t;
    CUZK_EC_F scratch[ODD];
    size_t n = 0;
    if (CUZK_EC_FN(is_infinity)(p)) {
        CUZK_EC_FN(set_infinity)(out);
        return;
    }
    cuzk_ec_reduce(d, s);
    split_scalar(d, d);
    odd_multiples(odd, p, ODD);
    CUZK_EC_FN(batch_to_affine)(table[0], odd, scratch, ODD);
    for (size_t i = 0; i < ODD; i++) {
#if CUZK_EC_TABLES == 2
        CUZK_EC_FN(affine_endo)(&table[1][i], &table[0][i]);
        CUZK_EC_FN(affine_neg)(&table[1][i], &table[1][i]);
#endif
        for (size_t k = CUZK_EC_TABLES; k < DIGITS; k++) {
            z2_x(&table[k][i].x, &table[k - CUZK_EC_TABLES][i].x);
            CUZK_EC_FF(neg)(&table[k][i].y, &table[k - CUZK_EC_TABLES][i].y);
        }
    }
    for (size_t k = 0; k < DIGITS; k++) {
        const size_t used =
            cuzk_ec_wnaf(digit[k], d + k * DIGIT_BITS / 64, DIGIT_BITS, CUZK_EC_MUL_W);
        n = used > n ? used : n;
    }
    CUZK_EC_FN(set_infinity)(&acc);
    for (size_t i = n; i-- > 0;) {
        CUZK_EC_FN(dbl)(&acc, &acc);
        for (size_t k = 0; k < DIGITS; k++) {
            const int v = digit[k][i];
            if (v > 0) {
                CUZK_EC_FN(add_affine)(&acc, &acc, &table[k][v / 2]);
            } else if (v < 0) {
                CUZK_EC_FN(affine_neg)(&t, &table[k][-v / 2]);
                CUZK_EC_FN(add_affine)(&acc, &acc, &t);
            }
        }
    }
    *out = acc;
}

/*
 * Homogeneous coordinates (X/Z, Y/Z), infinity (0 : Y : 0), with the complete formulas of Renes,
 * Costello and Batina (eprint 2015/1060, algorithms 7 and 9): one straight line for every pair of
 * points of a curve of odd order, which both curves are. Used where no branch may tell about the
 * scalar.
 */
typedef struct ct_point {
    CUZK_EC_F x, y, z;
} ct_point;

/* out = 3 b a. */
static void ct_mul_b3(CUZK_EC_F *out, const CUZK_EC_F *a)
{
    CUZK_EC_F t;
    field_mul_b(&t, a);
    CUZK_EC_FF(dbl)(out, &t);
    CUZK_EC_FF(add)(out, out, &t);
}

static __attribute__((noinline)) void ct_add(ct_point *out, const ct_point *p, const ct_point *q)
{
    CUZK_EC_F t0, t1, t2, t3, t4, x, y, z;
    CUZK_EC_FF(mul)(&t0, &p->x, &q->x);
    CUZK_EC_FF(mul)(&t1, &p->y, &q->y);
    CUZK_EC_FF(mul)(&t2, &p->z, &q->z);
    CUZK_EC_FF(add)(&t3, &p->x, &p->y);
    CUZK_EC_FF(add)(&x, &q->x, &q->y);
    CUZK_EC_FF(mul)(&t3, &t3, &x);
    CUZK_EC_FF(sub)(&t3, &t3, &t0);
    CUZK_EC_FF(sub)(&t3, &t3, &t1); /* X1Y2 + X2Y1 */
    CUZK_EC_FF(add)(&t4, &p->y, &p->z);
    CUZK_EC_FF(add)(&x, &q->y, &q->z);
    CUZK_EC_FF(mul)(&t4, &t4, &x);
    CUZK_EC_FF(sub)(&t4, &t4, &t1);
    CUZK_EC_FF(sub)(&t4, &t4, &t2); /* Y1Z2 + Y2Z1 */
    CUZK_EC_FF(add)(&x, &p->x, &p->z);
    CUZK_EC_FF(add)(&y, &q->x, &q->z);
    CUZK_EC_FF(mul)(&y, &x, &y);
    CUZK_EC_FF(sub)(&y, &y, &t0);
    CUZK_EC_FF(sub)(&y, &y, &t2); /* X1Z2 + X2Z1 */
    CUZK_EC_FF(dbl)(&x, &t0);
    CUZK_EC_FF(add)(&t0, &x, &t0);
    ct_mul_b3(&t2, &t2);
    CUZK_EC_FF(add)(&z, &t1, &t2);
    CUZK_EC_FF(sub)(&t1, &t1, &t2);
    ct_mul_b3(&y, &y);
    CUZK_EC_FF(mul)(&x, &t4, &y);
    CUZK_EC_FF(mul)(&t2, &t3, &t1);
    CUZK_EC_FF(sub)(&out->x, &t2, &x);
    CUZK_EC_FF(mul)(&y, &y, &t0);
    CUZK_EC_FF(mul)(&t1, &t1, &z);
    CUZK_EC_FF(add)(&out->y, &t1, &y);
    CUZK_EC_FF(mul)(&t0, &t0, &t3);
    CUZK_EC_FF(mul)(&z, &z, &t4);
    CUZK_EC_FF(add)(&out->z, &z, &t0);
}

static __attribute__((noinline)) void ct_dbl(ct_point *out, const ct_point *p)
{
    CUZK_EC_F t0, t1, t2, x, y, z;
    CUZK_EC_FF(sqr)(&t0, &p->y);
    CUZK_EC_FF(dbl)(&z, &t0);
    CUZK_EC_FF(dbl)(&z, &z);
    CUZK_EC_FF(dbl)(&z, &z);
    CUZK_EC_FF(mul)(&t1, &p->y, &p->z);
    CUZK_EC_FF(sqr)(&t2, &p->z);
    ct_mul_b3(&t2, &t2);
    CUZK_EC_FF(mul)(&x, &t2, &z);
    CUZK_EC_FF(add)(&y, &t0, &t2);
    CUZK_EC_FF(mul)(&z, &t1, &z);
    CUZK_EC_FF(dbl)(&t1, &t2);
    CUZK_EC_FF(add)(&t2, &t1, &t2);
    CUZK_EC_FF(sub)(&t0, &t0, &t2);
    CUZK_EC_FF(mul)(&y, &t0, &y);
    CUZK_EC_FF(mul)(&t1, &p->x, &p->y);
    CUZK_EC_FF(mul)(&t0, &t0, &t1);
    CUZK_EC_FF(add)(&out->y, &x, &y);
    CUZK_EC_FF(dbl)(&out->x, &t0);
    out->z = z;
}

/* (X, Y, Z) of Jacobian coordinates is (X Z : Y : Z^3) here; the Y of infinity may be anything there, not 0 here. */
static void ct_from_jac(ct_point *out, const CUZK_EC_JAC *p)
{
    enum { LIMBS = sizeof(CUZK_EC_F) / 8 };
    const CUZK_EC_F one = CUZK_EC_ONE;
    uint64_t z[LIMBS], y[LIMBS], y1[LIMBS], any = 0;
    CUZK_EC_F t;
    memcpy(z, &p->z, sizeof(z));
    memcpy(y, &p->y, sizeof(y));
    memcpy(y1, &one, sizeof(y1));
    for (size_t i = 0; i < LIMBS; i++) {
        any |= z[i] | z[i] >> 32;
    }
    const uint64_t is_zero = cuzk_ec_ct_eq_mask(any & 0xffffffff, 0);
    for (size_t i = 0; i < LIMBS; i++) {
        y[i] = (y[i] & ~is_zero) | (y1[i] & is_zero);
    }
    CUZK_EC_FF(sqr)(&t, &p->z);
    CUZK_EC_FF(mul)(&t, &t, &p->z);
    CUZK_EC_FF(mul)(&out->x, &p->x, &p->z);
    memcpy(&out->y, y, sizeof(y));
    out->z = t;
}

/* Back: (X Z, Y Z^2, Z); Z = 0 is infinity in both. */
static void ct_to_jac(CUZK_EC_JAC *out, const ct_point *p)
{
    CUZK_EC_F zz;
    CUZK_EC_FF(sqr)(&zz, &p->z);
    CUZK_EC_FF(mul)(&out->x, &p->x, &p->z);
    CUZK_EC_FF(mul)(&out->y, &p->y, &zz);
    out->z = p->z;
    cuzk_wipe(&zz, sizeof(zz));
}

void CUZK_EC_FN(add_ct)(CUZK_EC_JAC *out, const CUZK_EC_JAC *p, const CUZK_EC_JAC *q)
{
    ct_point a, b;
    ct_from_jac(&a, p);
    ct_from_jac(&b, q);
    ct_add(&a, &a, &b);
    ct_to_jac(out, &a);
    cuzk_wipe(&a, sizeof(a));
    cuzk_wipe(&b, sizeof(b));
}

void CUZK_EC_FN(to_affine_ct)(CUZK_EC_AFF *out, const CUZK_EC_JAC *p)
{
    CUZK_EC_F zi;
    CUZK_EC_FF(inv_ct)(&zi, &p->z);
    scale_to_affine(out, p, &zi);
    cuzk_wipe(&zi, sizeof(zi));
}

/* out = table[index], index < 16, reading every entry. */
static void ct_select(ct_point *out, const ct_point table[16], uint64_t index)
{
    enum { LIMBS = sizeof(ct_point) / 8 };
    uint64_t acc[LIMBS] = {0}, row[LIMBS];
    for (uint64_t i = 0; i < 16; i++) {
        const uint64_t mask = cuzk_ec_ct_eq_mask(i, index);
        memcpy(row, &table[i], sizeof(row));
        for (size_t j = 0; j < LIMBS; j++) {
            acc[j] |= row[j] & mask;
        }
    }
    memcpy(out, acc, sizeof(acc));
    cuzk_wipe(row, sizeof(row));
}

/*
 * The same sum with four bits of every digit at a time. What depends on s or p: cuzk_ec_reduce and
 * split_scalar, which are straight lines, the masks of ct_select, and operands of ct_add and ct_dbl.
 */
void CUZK_EC_FN(mul_ct)(CUZK_EC_JAC *out, const CUZK_EC_JAC *p, const cuzk_scalar *s)
{
    ct_point table[CUZK_EC_TABLES][16], acc, t; /* table[k][i] = i |z|^k p */
    uint64_t d[4];
    memset(&table[0][0], 0, sizeof(table[0][0]));
    table[0][0].y = CUZK_EC_ONE;
    ct_from_jac(&table[0][1], p);
    for (size_t i = 2; i < 16; i++) {
        ct_add(&table[0][i], &table[0][i - 1], &table[0][1]);
    }
#if CUZK_EC_TABLES == 2
    for (size_t i = 0; i < 16; i++) {
        minus_psi(&table[1][i].x, &table[1][i].y, &table[1][i].z, &table[0][i].x, &table[0][i].y,
                  &table[0][i].z);
    }
#endif
    cuzk_ec_reduce(d, s);
    split_scalar(d, d);
    acc = table[0][0];
    for (size_t i = DIGIT_BITS / 4; i-- > 0;) {
        for (int b = 0; b < 4; b++) {
            ct_dbl(&acc, &acc);
        }
        for (size_t k = 0; k < DIGITS; k++) {
            const size_t at = k * DIGIT_BITS / 4 + i; /* of the nibbles of d */
            ct_select(&t, table[k % CUZK_EC_TABLES], d[at / 16] >> (4 * (at % 16)) & 15);
            if (k >= CUZK_EC_TABLES) {
                z2_x(&t.x, &t.x);
                CUZK_EC_FF(neg)(&t.y, &t.y);
            }
            ct_add(&acc, &acc, &t);
        }
    }
    ct_to_jac(out, &acc);
    cuzk_wipe(d, sizeof(d));
    cuzk_wipe(&t, sizeof(t));
    cuzk_wipe(&acc, sizeof(acc));
}
