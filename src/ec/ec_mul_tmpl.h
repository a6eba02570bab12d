/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Multiplication by a scalar, for either group; parameters as in ec_jac_tmpl.h.
 */

void CUZK_EC_FN(mul)(CUZK_EC_JAC *out, const CUZK_EC_JAC *p, const cuzk_scalar *s)
{
    enum { W = 5, ODD = 1 << (W - 2) };
    int8_t digit[257];
    CUZK_EC_JAC table[ODD], twice, acc, t; /* table[i] = (2i + 1) p */
    const size_t n = cuzk_ec_wnaf(digit, s, W);
    table[0] = *p;
    CUZK_EC_FN(dbl)(&twice, p);
    for (size_t i = 1; i < ODD; i++) {
        CUZK_EC_FN(add)(&table[i], &table[i - 1], &twice);
    }
    CUZK_EC_FN(set_infinity)(&acc);
    for (size_t i = n; i-- > 0;) {
        CUZK_EC_FN(dbl)(&acc, &acc);
        if (digit[i] > 0) {
            CUZK_EC_FN(add)(&acc, &acc, &table[digit[i] / 2]);
        } else if (digit[i] < 0) {
            CUZK_EC_FN(neg)(&t, &table[-digit[i] / 2]);
            CUZK_EC_FN(add)(&acc, &acc, &t);
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

static void ct_add(ct_point *out, const ct_point *p, const ct_point *q)
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

static void ct_dbl(ct_point *out, const ct_point *p)
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

void CUZK_EC_FN(mul_ct)(CUZK_EC_JAC *out, const CUZK_EC_JAC *p, const cuzk_scalar *s)
{
    ct_point table[16], acc, t; /* table[i] = i p */
    memset(&table[0], 0, sizeof(table[0]));
    table[0].y = CUZK_EC_ONE;
    /* (X, Y, Z) of Jacobian coordinates is (X Z : Y : Z^3) here. The point is not secret, so that
     * infinity, whose Y may be anything, may branch. */
    if (CUZK_EC_FN(is_infinity)(p)) {
        table[1] = table[0];
    } else {
        CUZK_EC_FF(mul)(&table[1].x, &p->x, &p->z);
        CUZK_EC_FF(sqr)(&table[1].z, &p->z);
        CUZK_EC_FF(mul)(&table[1].z, &table[1].z, &p->z);
        table[1].y = p->y;
    }
    for (size_t i = 2; i < 16; i++) {
        ct_add(&table[i], &table[i - 1], &table[1]);
    }
    acc = table[0];
    for (int i = 63; i >= 0; i--) {
        for (int k = 0; k < 4; k++) {
            ct_dbl(&acc, &acc);
        }
        ct_select(&t, table, s->l[i / 16] >> (4 * (i % 16)) & 15);
        ct_add(&acc, &acc, &t);
    }
    /* Back: (X Z, Y Z^2, Z); Z = 0 is infinity in both. */
    CUZK_EC_FF(mul)(&out->x, &acc.x, &acc.z);
    CUZK_EC_FF(sqr)(&t.z, &acc.z);
    CUZK_EC_FF(mul)(&out->y, &acc.y, &t.z);
    out->z = acc.z;
    cuzk_wipe(&t, sizeof(t));
    cuzk_wipe(&acc, sizeof(acc));
}
