/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ref/ref_ec.h"

static const char modulus[] = "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241ea"
                              "bfffeb153ffffb9feffffffffaaab";

static void f_init(ref_fp2 *a)
{
    mpz_init(a->c0);
    mpz_init(a->c1);
}

static void f_clear(ref_fp2 *a)
{
    mpz_clear(a->c0);
    mpz_clear(a->c1);
}

static void f_set(ref_fp2 *out, const ref_fp2 *a)
{
    mpz_set(out->c0, a->c0);
    mpz_set(out->c1, a->c1);
}

static void f_mod(ref_fp2 *a)
{
    mpz_t q;
    mpz_init_set_str(q, modulus, 16);
    mpz_mod(a->c0, a->c0, q);
    mpz_mod(a->c1, a->c1, q);
    mpz_clear(q);
}

static void f_add(ref_fp2 *out, const ref_fp2 *a, const ref_fp2 *b)
{
    mpz_add(out->c0, a->c0, b->c0);
    mpz_add(out->c1, a->c1, b->c1);
    f_mod(out);
}

static void f_sub(ref_fp2 *out, const ref_fp2 *a, const ref_fp2 *b)
{
    mpz_sub(out->c0, a->c0, b->c0);
    mpz_sub(out->c1, a->c1, b->c1);
    f_mod(out);
}

static void f_mul(ref_fp2 *out, const ref_fp2 *a, const ref_fp2 *b)
{
    ref_fp2 t;
    f_init(&t);
    mpz_mul(t.c0, a->c0, b->c0);
    mpz_submul(t.c0, a->c1, b->c1);
    mpz_mul(t.c1, a->c0, b->c1);
    mpz_addmul(t.c1, a->c1, b->c0);
    f_mod(&t);
    f_set(out, &t);
    f_clear(&t);
}

static void f_inv(ref_fp2 *out, const ref_fp2 *a)
{
    mpz_t q, n;
    mpz_init_set_str(q, modulus, 16);
    mpz_init(n);
    mpz_mul(n, a->c0, a->c0);
    mpz_addmul(n, a->c1, a->c1);
    mpz_invert(n, n, q);
    mpz_mul(out->c0, a->c0, n);
    mpz_mul(out->c1, a->c1, n);
    mpz_neg(out->c1, out->c1);
    f_mod(out);
    mpz_clear(n);
    mpz_clear(q);
}

static bool f_eq(const ref_fp2 *a, const ref_fp2 *b)
{
    return mpz_cmp(a->c0, b->c0) == 0 && mpz_cmp(a->c1, b->c1) == 0;
}

void ref_init(ref_point *p)
{
    p->infinity = true;
    f_init(&p->x);
    f_init(&p->y);
}

void ref_clear(ref_point *p)
{
    f_clear(&p->x);
    f_clear(&p->y);
}

void ref_set(ref_point *out, const ref_point *p)
{
    out->infinity = p->infinity;
    f_set(&out->x, &p->x);
    f_set(&out->y, &p->y);
}

static void import_int(mpz_t out, const uint8_t *b)
{
    if (b == NULL) {
        mpz_set_ui(out, 0);
    } else {
        mpz_import(out, 48, 1, 1, 1, 0, b);
    }
}

void ref_import(ref_point *out, const uint8_t *x0, const uint8_t *x1, const uint8_t *y0,
                const uint8_t *y1)
{
    import_int(out->x.c0, x0);
    import_int(out->x.c1, x1);
    import_int(out->y.c0, y0);
    import_int(out->y.c1, y1);
    out->infinity = mpz_sgn(out->x.c0) == 0 && mpz_sgn(out->x.c1) == 0 && mpz_sgn(out->y.c0) == 0 &&
                    mpz_sgn(out->y.c1) == 0;
}

bool ref_eq(const ref_point *p, const ref_point *q)
{
    if (p->infinity || q->infinity) {
        return p->infinity == q->infinity;
    }
    return f_eq(&p->x, &q->x) && f_eq(&p->y, &q->y);
}

void ref_neg(ref_point *out, const ref_point *p)
{
    ref_set(out, p);
    mpz_neg(out->y.c0, out->y.c0);
    mpz_neg(out->y.c1, out->y.c1);
    f_mod(&out->y);
}

void ref_add(ref_point *out, const ref_point *p, const ref_point *q)
{
    if (p->infinity) {
        ref_set(out, q);
        return;
    }
    if (q->infinity) {
        ref_set(out, p);
        return;
    }
    ref_fp2 n, d, x;
    f_init(&n);
    f_init(&d);
    f_init(&x);
    if (!f_eq(&p->x, &q->x)) {
        f_sub(&n, &q->y, &p->y);
        f_sub(&d, &q->x, &p->x);
    } else {
        f_add(&d, &p->y, &q->y); /* zero exactly for opposite points */
        f_mul(&x, &p->x, &p->x);
        f_add(&n, &x, &x);
        f_add(&n, &n, &x);
    }
    if (mpz_sgn(d.c0) == 0 && mpz_sgn(d.c1) == 0) {
        out->infinity = true;
    } else {
        f_inv(&d, &d);
        f_mul(&n, &n, &d);
        f_mul(&x, &n, &n);
        f_sub(&x, &x, &p->x);
        f_sub(&x, &x, &q->x);
        f_sub(&d, &p->x, &x);
        f_mul(&d, &d, &n);
        f_sub(&out->y, &d, &p->y);
        f_set(&out->x, &x);
        out->infinity = false;
    }
    f_clear(&n);
    f_clear(&d);
    f_clear(&x);
}

void ref_mul(ref_point *out, const ref_point *p, const uint8_t k[32])
{
    ref_point acc, base;
    ref_init(&acc);
    ref_init(&base);
    ref_set(&base, p);
    for (int i = 255; i >= 0; i--) {
        ref_add(&acc, &acc, &acc);
        if ((k[i / 8] >> (i % 8) & 1) != 0) {
            ref_add(&acc, &acc, &base);
        }
    }
    ref_set(out, &acc);
    ref_clear(&acc);
    ref_clear(&base);
}
