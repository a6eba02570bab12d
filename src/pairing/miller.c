/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "base/assert.h"
#include "ec/endo_hd.h"
#include "pairing/line.h"
#include "pairing/pairing.h"

/* Terms of one pass. A pass costs 62 squarings of f whatever its number of terms, each term about
 * ten times that, so that more would gain little; this many keep the stack below 8 KiB. */
#define CHUNK 16

void cuzk_g2_prepare(cuzk_g2_prepared *out, const cuzk_g2_affine *q)
{
    memset(out, 0, sizeof(*out));
    out->is_infinity = cuzk_g2_affine_is_infinity(q);
    if (out->is_infinity) {
        return;
    }
    cuzk_line_point t = {q->x, q->y, CUZK_FP2_ONE};
    cuzk_fp2 c[CUZK_PAIRING_LINES], scratch[CUZK_PAIRING_LINES];
    size_t k = 0;
    for (int i = 62; i >= 0; i--) {
        cuzk_line l;
        cuzk_line_dbl(&l, &t);
        out->line[k][0] = l.b;
        out->line[k][1] = l.a;
        c[k++] = l.c;
        if ((CUZK_EC_Z_ABS >> i & 1) != 0) {
            cuzk_line_add(&l, &t, &q->x, &q->y);
            out->line[k][0] = l.b;
            out->line[k][1] = l.a;
            c[k++] = l.c;
        }
    }
    CUZK_ASSERT(k == CUZK_PAIRING_LINES);
    cuzk_fp2_batch_inv(c, scratch, k);
    for (size_t i = 0; i < k; i++) {
        cuzk_fp2_mul(&out->line[i][0], &out->line[i][0], &c[i]);
        cuzk_fp2_mul(&out->line[i][1], &out->line[i][1], &c[i]);
    }
}

/* A term inside the loop. For a prepared point the lines are divided by yP, so that the last
 * coefficient is 1: then px = xP / yP and py = 1 / yP. */
typedef struct running {
    const cuzk_pairing_term *term;
    cuzk_fp px, py;
    cuzk_line_point t;
} running;

static void multiply_line(cuzk_fp12 *f, const running *r, const cuzk_line *l)
{
    cuzk_fp2 b, c;
    cuzk_fp2_mul_fp(&b, &l->b, &r->px);
    cuzk_fp2_mul_fp(&c, &l->c, &r->py);
    cuzk_fp12_mul_014(f, f, &l->a, &b, &c);
}

static void multiply_prepared(cuzk_fp12 *f, const running *r, size_t k)
{
    cuzk_fp2 a, b;
    const cuzk_fp2 *line = r->term->prepared->line[k];
    cuzk_fp2_mul_fp(&b, &line[0], &r->px);
    cuzk_fp2_mul_fp(&a, &line[1], &r->py);
    cuzk_fp12_mul_01one(f, f, &a, &b);
}

static bool term_is_trivial(const cuzk_pairing_term *t)
{
    return cuzk_g1_affine_is_infinity(t->p) ||
           (t->prepared != NULL ? t->prepared->is_infinity : cuzk_g2_affine_is_infinity(t->q));
}

/* f = product over at most CHUNK terms; n > 0. */
static void miller_chunk(cuzk_fp12 *f, const cuzk_pairing_term *terms, size_t n)
{
    running run[CHUNK];
    cuzk_fp inv[CHUNK], scratch[CHUNK];
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        if (!term_is_trivial(&terms[i])) {
            run[m].term = &terms[i];
            inv[m++] = terms[i].p->y; /* not 0: no points of order two */
        }
    }
    cuzk_fp_batch_inv(inv, scratch, m);
    for (size_t j = 0; j < m; j++) {
        const cuzk_pairing_term *t = run[j].term;
        if (t->prepared != NULL) {
            cuzk_fp_mul(&run[j].px, &t->p->x, &inv[j]);
            run[j].py = inv[j];
        } else {
            run[j].px = t->p->x;
            run[j].py = t->p->y;
            run[j].t = (cuzk_line_point){t->q->x, t->q->y, CUZK_FP2_ONE};
        }
    }
    cuzk_fp12_set_one(f);
    size_t k = 0;
    for (int i = 62; i >= 0; i--) {
        if (i != 62) {
            cuzk_fp12_sqr(f, f);
        }
        const bool set = (CUZK_EC_Z_ABS >> i & 1) != 0;
        for (size_t j = 0; j < m; j++) {
            const cuzk_pairing_term *t = run[j].term;
            cuzk_line l;
            if (t->prepared != NULL) {
                multiply_prepared(f, &run[j], k);
                if (set) {
                    multiply_prepared(f, &run[j], k + 1);
                }
                continue;
            }
            cuzk_line_dbl(&l, &run[j].t);
            multiply_line(f, &run[j], &l);
            if (set) {
                cuzk_line_add(&l, &run[j].t, &t->q->x, &t->q->y);
                multiply_line(f, &run[j], &l);
            }
        }
        k += set ? 2 : 1;
    }
    cuzk_fp12_conj(f, f); /* z is negative; conjugation inverts up to removed factors */
}

void cuzk_pairing_miller(cuzk_fp12 *out, const cuzk_pairing_term *terms, size_t n)
{
    cuzk_fp12 f, part;
    cuzk_fp12_set_one(&f);
    for (size_t i = 0; i < n; i += CHUNK) {
        miller_chunk(&part, terms + i, n - i < CHUNK ? n - i : CHUNK);
        cuzk_fp12_mul(&f, &f, &part);
    }
    *out = f;
}

void cuzk_pairing(cuzk_fp12 *out, const cuzk_g1_affine *p, const cuzk_g2_affine *q)
{
    const cuzk_pairing_term t = {p, q, NULL};
    cuzk_pairing_miller(out, &t, 1);
    cuzk_pairing_final_exp(out, out);
}
