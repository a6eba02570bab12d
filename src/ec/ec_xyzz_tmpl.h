/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * XYZZ points, for either group; parameters as in ec_jac_tmpl.h, and CUZK_EC_XYZZ.
 * Formulas: https://hyperelliptic.org/EFD, g1p/auto-shortw-xyzz.
 */

void CUZK_EC_FN(xyzz_set_infinity)(CUZK_EC_XYZZ *out)
{
    memset(out, 0, sizeof(*out));
}

/*
 * Doubling from X, Y into out's X, Y and the factors that ZZ and ZZZ are multiplied with. The
 * inputs may not lie in out. dbl-2008-s-1.
 */
static void xyzz_dbl_factors(CUZK_EC_XYZZ *out, CUZK_EC_F *v, CUZK_EC_F *w, const CUZK_EC_F *x,
                             const CUZK_EC_F *y)
{
    CUZK_EC_F u, s, m, t;
    CUZK_EC_FF(dbl)(&u, y);
    CUZK_EC_FF(sqr)(v, &u);
    CUZK_EC_FF(mul)(w, &u, v);
    CUZK_EC_FF(mul)(&s, x, v);
    CUZK_EC_FF(sqr)(&t, x);
    CUZK_EC_FF(dbl)(&m, &t);
    CUZK_EC_FF(add)(&m, &m, &t);
    CUZK_EC_FF(sqr)(&t, &m);
    CUZK_EC_FF(sub)(&t, &t, &s);
    CUZK_EC_FF(sub)(&out->x, &t, &s);
    CUZK_EC_FF(sub)(&s, &s, &out->x);
    CUZK_EC_FF(mul)(&s, &s, &m);
    CUZK_EC_FF(mul)(&t, w, y);
    CUZK_EC_FF(sub)(&out->y, &s, &t);
}

void CUZK_EC_FN(xyzz_dbl)(CUZK_EC_XYZZ *out, const CUZK_EC_XYZZ *p)
{
    const CUZK_EC_XYZZ t = *p;
    CUZK_EC_F v, w;
    xyzz_dbl_factors(out, &v, &w, &t.x, &t.y);
    CUZK_EC_FF(mul)(&out->zz, &t.zz, &v);
    CUZK_EC_FF(mul)(&out->zzz, &t.zzz, &w);
}

/* The end of both additions: h and r are q's X and Y less u1 and s1 at the common denominator. */
static void xyzz_add_tail(CUZK_EC_XYZZ *out, const CUZK_EC_F *u1, const CUZK_EC_F *s1,
                          const CUZK_EC_F *h, const CUZK_EC_F *r, const CUZK_EC_F *zz,
                          const CUZK_EC_F *zzz)
{
    CUZK_EC_F pp, ppp, v, t;
    CUZK_EC_FF(sqr)(&pp, h);
    CUZK_EC_FF(mul)(&ppp, &pp, h);
    CUZK_EC_FF(mul)(&v, u1, &pp);
    CUZK_EC_FF(mul)(&out->zz, zz, &pp);
    CUZK_EC_FF(mul)(&out->zzz, zzz, &ppp);
    CUZK_EC_FF(mul)(&pp, s1, &ppp);
    CUZK_EC_FF(sqr)(&t, r);
    CUZK_EC_FF(sub)(&t, &t, &ppp);
    CUZK_EC_FF(sub)(&t, &t, &v);
    CUZK_EC_FF(sub)(&out->x, &t, &v);
    CUZK_EC_FF(sub)(&v, &v, &out->x);
    CUZK_EC_FF(mul)(&v, &v, r);
    CUZK_EC_FF(sub)(&out->y, &v, &pp);
}

void CUZK_EC_FN(xyzz_add_affine)(CUZK_EC_XYZZ *out, const CUZK_EC_XYZZ *p, const CUZK_EC_AFF *q)
{
    if (CUZK_EC_FN(affine_is_infinity)(q)) {
        *out = *p;
        return;
    }
    if (CUZK_EC_FF(is_zero)(&p->zz)) {
        out->x = q->x;
        out->y = q->y;
        out->zz = CUZK_EC_ONE;
        out->zzz = CUZK_EC_ONE;
        return;
    }
    CUZK_EC_F h, r;
    CUZK_EC_FF(mul)(&h, &q->x, &p->zz);
    CUZK_EC_FF(mul)(&r, &q->y, &p->zzz);
    CUZK_EC_FF(sub)(&h, &h, &p->x);
    CUZK_EC_FF(sub)(&r, &r, &p->y);
    if (CUZK_EC_FF(is_zero)(&h)) {
        if (CUZK_EC_FF(is_zero)(&r)) {
            xyzz_dbl_factors(out, &out->zz, &out->zzz, &q->x, &q->y);
        } else {
            CUZK_EC_FN(xyzz_set_infinity)(out);
        }
        return;
    }
    const CUZK_EC_F x = p->x, y = p->y; /* out may be p */
    xyzz_add_tail(out, &x, &y, &h, &r, &p->zz, &p->zzz);
}

void CUZK_EC_FN(xyzz_add)(CUZK_EC_XYZZ *out, const CUZK_EC_XYZZ *p, const CUZK_EC_XYZZ *q)
{
    if (CUZK_EC_FF(is_zero)(&q->zz)) {
        *out = *p;
        return;
    }
    if (CUZK_EC_FF(is_zero)(&p->zz)) {
        *out = *q;
        return;
    }
    CUZK_EC_F u1, s1, h, r, zz, zzz;
    CUZK_EC_FF(mul)(&u1, &p->x, &q->zz);
    CUZK_EC_FF(mul)(&h, &q->x, &p->zz);
    CUZK_EC_FF(mul)(&s1, &p->y, &q->zzz);
    CUZK_EC_FF(mul)(&r, &q->y, &p->zzz);
    CUZK_EC_FF(sub)(&h, &h, &u1);
    CUZK_EC_FF(sub)(&r, &r, &s1);
    if (CUZK_EC_FF(is_zero)(&h)) {
        if (CUZK_EC_FF(is_zero)(&r)) {
            CUZK_EC_FN(xyzz_dbl)(out, p);
        } else {
            CUZK_EC_FN(xyzz_set_infinity)(out);
        }
        return;
    }
    CUZK_EC_FF(mul)(&zz, &p->zz, &q->zz);
    CUZK_EC_FF(mul)(&zzz, &p->zzz, &q->zzz);
    xyzz_add_tail(out, &u1, &s1, &h, &r, &zz, &zzz);
}

void CUZK_EC_FN(from_xyzz)(CUZK_EC_JAC *out, const CUZK_EC_XYZZ *p)
{
    if (CUZK_EC_FF(is_zero)(&p->zz)) {
        CUZK_EC_FN(set_infinity)(out);
        return;
    }
    /* With Z = ZZ: X/ZZ = (X ZZ)/Z^2 and Y/ZZZ = (Y ZZZ)/Z^3, because ZZZ^2 = ZZ^3. */
    CUZK_EC_FF(mul)(&out->x, &p->x, &p->zz);
    CUZK_EC_FF(mul)(&out->y, &p->y, &p->zzz);
    out->z = p->zz;
}
