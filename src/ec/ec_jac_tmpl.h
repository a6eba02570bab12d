/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Jacobian and affine points of y^2 = x^3 + b, for either group. Included by g1.c and g2.c with
 *   CUZK_EC_F, CUZK_EC_FF(verb)                  coordinate field: type and function names
 *   CUZK_EC_AFF, CUZK_EC_JAC, CUZK_EC_FN(verb)   point types and function names
 *   CUZK_EC_ONE                                  1 of the field
 *   field_mul_b                                  static function: out = b * a
 * There are no points of order two (both curve orders are odd), so y = 0 needs no case.
 * Formulas: https://hyperelliptic.org/EFD, g1p/auto-shortw-jacobian-0.
 */

void CUZK_EC_FN(set_infinity)(CUZK_EC_JAC *out)
{
    memset(out, 0, sizeof(*out));
    out->x = CUZK_EC_ONE;
    out->y = CUZK_EC_ONE;
}

void CUZK_EC_FN(from_affine)(CUZK_EC_JAC *out, const CUZK_EC_AFF *p)
{
    if (CUZK_EC_FN(affine_is_infinity)(p)) {
        CUZK_EC_FN(set_infinity)(out);
        return;
    }
    out->x = p->x;
    out->y = p->y;
    out->z = CUZK_EC_ONE;
}

/* Affine coordinates from those of p and zi = 1/Z; zi = 0 gives (0, 0), which is infinity. */
static void scale_to_affine(CUZK_EC_AFF *out, const CUZK_EC_JAC *p, const CUZK_EC_F *zi)
{
    CUZK_EC_F zi2, zi3;
    CUZK_EC_FF(sqr)(&zi2, zi);
    CUZK_EC_FF(mul)(&zi3, &zi2, zi);
    CUZK_EC_FF(mul)(&out->x, &p->x, &zi2);
    CUZK_EC_FF(mul)(&out->y, &p->y, &zi3);
}

void CUZK_EC_FN(to_affine)(CUZK_EC_AFF *out, const CUZK_EC_JAC *p)
{
    CUZK_EC_F zi;
    CUZK_EC_FF(inv)(&zi, &p->z);
    scale_to_affine(out, p, &zi);
}

void CUZK_EC_FN(batch_to_affine)(CUZK_EC_AFF *out, const CUZK_EC_JAC *p, CUZK_EC_F *scratch,
                                 size_t n)
{
    CUZK_EC_F acc = CUZK_EC_ONE;
    for (size_t i = 0; i < n; i++) {
        scratch[i] = acc; /* product of the non-zero Z before i */
        if (!CUZK_EC_FN(is_infinity)(&p[i])) {
            CUZK_EC_FF(mul)(&acc, &acc, &p[i].z);
        }
    }
    CUZK_EC_FF(inv)(&acc, &acc);
    for (size_t i = n; i-- > 0;) {
        if (CUZK_EC_FN(is_infinity)(&p[i])) {
            memset(&out[i], 0, sizeof(out[i]));
            continue;
        }
        CUZK_EC_F zi;
        CUZK_EC_FF(mul)(&zi, &acc, &scratch[i]);
        CUZK_EC_FF(mul)(&acc, &acc, &p[i].z);
        scale_to_affine(&out[i], &p[i], &zi);
    }
}

void CUZK_EC_FN(dbl)(CUZK_EC_JAC *out, const CUZK_EC_JAC *p)
{
    CUZK_EC_F a, b, c, d, e, t; /* dbl-2009-l; Z = 0 stays 0 */
    CUZK_EC_FF(sqr)(&a, &p->x);
    CUZK_EC_FF(sqr)(&b, &p->y);
    CUZK_EC_FF(sqr)(&c, &b);
    CUZK_EC_FF(add)(&d, &p->x, &b);
    CUZK_EC_FF(sqr)(&d, &d);
    CUZK_EC_FF(sub)(&d, &d, &a);
    CUZK_EC_FF(sub)(&d, &d, &c);
    CUZK_EC_FF(dbl)(&d, &d); /* 4 X Y^2 */
    CUZK_EC_FF(dbl)(&e, &a);
    CUZK_EC_FF(add)(&e, &e, &a); /* 3 X^2 */
    CUZK_EC_FF(mul)(&t, &p->y, &p->z);
    CUZK_EC_FF(dbl)(&out->z, &t);
    CUZK_EC_FF(sqr)(&t, &e);
    CUZK_EC_FF(sub)(&t, &t, &d);
    CUZK_EC_FF(sub)(&out->x, &t, &d);
    CUZK_EC_FF(sub)(&t, &d, &out->x);
    CUZK_EC_FF(mul)(&t, &t, &e);
    CUZK_EC_FF(dbl)(&c, &c);
    CUZK_EC_FF(dbl)(&c, &c);
    CUZK_EC_FF(dbl)(&c, &c);
    CUZK_EC_FF(sub)(&out->y, &t, &c);
}

/*
 * The end of both additions: u1, s1 are X and Y of p at the common denominator, h and r the
 * differences to q's, zz = Z of p times Z of q. h is not zero.
 */
static void add_tail(CUZK_EC_JAC *out, const CUZK_EC_F *u1, const CUZK_EC_F *s1, const CUZK_EC_F *h,
                     const CUZK_EC_F *r, const CUZK_EC_F *zz)
{
    CUZK_EC_F hh, hhh, v, t;
    CUZK_EC_FF(sqr)(&hh, h);
    CUZK_EC_FF(mul)(&hhh, &hh, h);
    CUZK_EC_FF(mul)(&v, u1, &hh);
    CUZK_EC_FF(mul)(&out->z, zz, h);
    CUZK_EC_FF(mul)(&hh, s1, &hhh);
    CUZK_EC_FF(sqr)(&t, r);
    CUZK_EC_FF(sub)(&t, &t, &hhh);
    CUZK_EC_FF(sub)(&t, &t, &v);
    CUZK_EC_FF(sub)(&out->x, &t, &v);
    CUZK_EC_FF(sub)(&v, &v, &out->x);
    CUZK_EC_FF(mul)(&v, &v, r);
    CUZK_EC_FF(sub)(&out->y, &v, &hh);
}

void CUZK_EC_FN(add)(CUZK_EC_JAC *out, const CUZK_EC_JAC *p, const CUZK_EC_JAC *q)
{
    if (CUZK_EC_FN(is_infinity)(p)) {
        *out = *q;
        return;
    }
    if (CUZK_EC_FN(is_infinity)(q)) {
        *out = *p;
        return;
    }
    CUZK_EC_F z1z1, z2z2, u1, u2, s1, s2, zz;
    CUZK_EC_FF(sqr)(&z1z1, &p->z);
    CUZK_EC_FF(sqr)(&z2z2, &q->z);
    CUZK_EC_FF(mul)(&u1, &p->x, &z2z2);
    CUZK_EC_FF(mul)(&u2, &q->x, &z1z1);
    CUZK_EC_FF(mul)(&s1, &p->y, &q->z);
    CUZK_EC_FF(mul)(&s1, &s1, &z2z2);
    CUZK_EC_FF(mul)(&s2, &q->y, &p->z);
    CUZK_EC_FF(mul)(&s2, &s2, &z1z1);
    CUZK_EC_FF(sub)(&u2, &u2, &u1);
    CUZK_EC_FF(sub)(&s2, &s2, &s1);
    if (CUZK_EC_FF(is_zero)(&u2)) {
        if (CUZK_EC_FF(is_zero)(&s2)) {
            CUZK_EC_FN(dbl)(out, p);
        } else {
            CUZK_EC_FN(set_infinity)(out);
        }
        return;
    }
    CUZK_EC_FF(mul)(&zz, &p->z, &q->z);
    add_tail(out, &u1, &s1, &u2, &s2, &zz);
}

void CUZK_EC_FN(add_affine)(CUZK_EC_JAC *out, const CUZK_EC_JAC *p, const CUZK_EC_AFF *q)
{
    if (CUZK_EC_FN(affine_is_infinity)(q)) {
        *out = *p;
        return;
    }
    if (CUZK_EC_FN(is_infinity)(p)) {
        CUZK_EC_FN(from_affine)(out, q);
        return;
    }
    CUZK_EC_F z1z1, h, r;
    CUZK_EC_FF(sqr)(&z1z1, &p->z);
    CUZK_EC_FF(mul)(&h, &q->x, &z1z1);
    CUZK_EC_FF(mul)(&r, &q->y, &p->z);
    CUZK_EC_FF(mul)(&r, &r, &z1z1);
    CUZK_EC_FF(sub)(&h, &h, &p->x);
    CUZK_EC_FF(sub)(&r, &r, &p->y);
    if (CUZK_EC_FF(is_zero)(&h)) {
        if (CUZK_EC_FF(is_zero)(&r)) {
            CUZK_EC_FN(dbl)(out, p);
        } else {
            CUZK_EC_FN(set_infinity)(out);
        }
        return;
    }
    const CUZK_EC_JAC t = *p; /* out may be p */
    add_tail(out, &t.x, &t.y, &h, &r, &t.z);
}

void CUZK_EC_FN(neg)(CUZK_EC_JAC *out, const CUZK_EC_JAC *p)
{
    out->x = p->x;
    CUZK_EC_FF(neg)(&out->y, &p->y);
    out->z = p->z;
}

void CUZK_EC_FN(affine_neg)(CUZK_EC_AFF *out, const CUZK_EC_AFF *p)
{
    out->x = p->x;
    CUZK_EC_FF(neg)(&out->y, &p->y);
}

bool CUZK_EC_FN(eq)(const CUZK_EC_JAC *p, const CUZK_EC_JAC *q)
{
    if (CUZK_EC_FN(is_infinity)(p) || CUZK_EC_FN(is_infinity)(q)) {
        return CUZK_EC_FN(is_infinity)(p) == CUZK_EC_FN(is_infinity)(q);
    }
    CUZK_EC_F a, b, zp, zq;
    CUZK_EC_FF(sqr)(&zp, &p->z);
    CUZK_EC_FF(sqr)(&zq, &q->z);
    CUZK_EC_FF(mul)(&a, &p->x, &zq);
    CUZK_EC_FF(mul)(&b, &q->x, &zp);
    if (!CUZK_EC_FF(eq)(&a, &b)) {
        return false;
    }
    CUZK_EC_FF(mul)(&zp, &zp, &p->z);
    CUZK_EC_FF(mul)(&zq, &zq, &q->z);
    CUZK_EC_FF(mul)(&a, &p->y, &zq);
    CUZK_EC_FF(mul)(&b, &q->y, &zp);
    return CUZK_EC_FF(eq)(&a, &b);
}

bool CUZK_EC_FN(affine_eq)(const CUZK_EC_AFF *p, const CUZK_EC_AFF *q)
{
    return CUZK_EC_FF(eq)(&p->x, &q->x) && CUZK_EC_FF(eq)(&p->y, &q->y);
}

/* out = x^3 + b. */
static void curve_rhs(CUZK_EC_F *out, const CUZK_EC_F *x)
{
    CUZK_EC_F t, b;
    CUZK_EC_FF(sqr)(&t, x);
    CUZK_EC_FF(mul)(&t, &t, x);
    field_mul_b(&b, &CUZK_EC_ONE);
    CUZK_EC_FF(add)(out, &t, &b);
}

bool CUZK_EC_FN(affine_is_on_curve)(const CUZK_EC_AFF *p)
{
    if (CUZK_EC_FN(affine_is_infinity)(p)) {
        return true;
    }
    CUZK_EC_F l, r;
    CUZK_EC_FF(sqr)(&l, &p->y);
    curve_rhs(&r, &p->x);
    return CUZK_EC_FF(eq)(&l, &r);
}

/* out = |z| p, double and add over the sparse parameter. */
static void mul_z_abs(CUZK_EC_JAC *out, const CUZK_EC_JAC *p)
{
    const CUZK_EC_JAC base = *p;
    CUZK_EC_JAC acc = base;
    for (int i = 62; i >= 0; i--) {
        CUZK_EC_FN(dbl)(&acc, &acc);
        if ((CUZK_EC_Z_ABS >> i & 1) != 0) {
            CUZK_EC_FN(add)(&acc, &acc, &base);
        }
    }
    *out = acc;
}

/* Does the affine point q, which is finite, equal the Jacobian point p? */
static bool affine_eq_jacobian(const CUZK_EC_AFF *q, const CUZK_EC_JAC *p)
{
    CUZK_EC_F zz, t;
    if (CUZK_EC_FN(is_infinity)(p)) {
        return false;
    }
    CUZK_EC_FF(sqr)(&zz, &p->z);
    CUZK_EC_FF(mul)(&t, &q->x, &zz);
    if (!CUZK_EC_FF(eq)(&t, &p->x)) {
        return false;
    }
    CUZK_EC_FF(mul)(&zz, &zz, &p->z);
    CUZK_EC_FF(mul)(&t, &q->y, &zz);
    return CUZK_EC_FF(eq)(&t, &p->y);
}
