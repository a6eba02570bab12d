/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ref/ref_r1cs.h"

#include <stdlib.h>
#include <string.h>

static const ref_fr MOD = {
    {0xffffffff00000001ULL, 0x53bda402fffe5bfeULL, 0x3339d80809a1d805ULL, 0x73eda753299d7d48ULL}};

static int compare(ref_fr a, ref_fr b)
{
    for (int i = 3; i >= 0; i--) {
        if (a.l[i] != b.l[i]) {
            return a.l[i] < b.l[i] ? -1 : 1;
        }
    }
    return 0;
}

static ref_fr minus(ref_fr a, ref_fr b)
{
    uint64_t borrow = 0;
    for (int i = 0; i < 4; i++) {
        const uint64_t d = a.l[i] - b.l[i], e = d - borrow;
        borrow = (uint64_t)(a.l[i] < b.l[i]) | (uint64_t)(d < borrow);
        a.l[i] = e;
    }
    return a;
}

ref_fr ref_fr_u64(uint64_t v)
{
    const ref_fr a = {{v, 0, 0, 0}};
    return a;
}

ref_fr ref_fr_add(ref_fr a, ref_fr b)
{
    uint64_t carry = 0;
    for (int i = 0; i < 4; i++) {
        const uint64_t s = a.l[i] + b.l[i], t = s + carry;
        carry = (uint64_t)(s < a.l[i]) | (uint64_t)(t < s);
        a.l[i] = t;
    }
    return compare(a, MOD) >= 0 ? minus(a, MOD) : a;
}

ref_fr ref_fr_neg(ref_fr a)
{
    return ref_fr_is_zero(a) ? a : minus(MOD, a);
}

ref_fr ref_fr_mul(ref_fr a, ref_fr b)
{
    ref_fr sum = {{0, 0, 0, 0}};
    for (int i = 255; i >= 0; i--) {
        sum = ref_fr_add(sum, sum);
        if ((b.l[i / 64] >> (i % 64) & 1) != 0) {
            sum = ref_fr_add(sum, a);
        }
    }
    return sum;
}

bool ref_fr_eq(ref_fr a, ref_fr b)
{
    return compare(a, b) == 0;
}

bool ref_fr_is_zero(ref_fr a)
{
    return (a.l[0] | a.l[1] | a.l[2] | a.l[3]) == 0;
}

ref_fr ref_fr_bytes(const uint8_t b[32])
{
    ref_fr a = {{0, 0, 0, 0}};
    for (int i = 0; i < 32; i++) {
        a.l[i / 8] |= (uint64_t)b[i] << (8 * (i % 8));
    }
    while (compare(a, MOD) >= 0) {
        a = minus(a, MOD);
    }
    return a;
}

void ref_fr_to_bytes(uint8_t out[32], ref_fr a)
{
    for (int i = 0; i < 32; i++) {
        out[i] = (uint8_t)(a.l[i / 8] >> (8 * (i % 8)));
    }
}

static void *grown(void *p, size_t n, size_t size)
{
    void *q = realloc(p, n * size);
    if (q == NULL) {
        abort();
    }
    return q;
}

static void new_row(ref_r1cs *r)
{
    if (r->n_rows == r->cap_rows) {
        r->cap_rows = 2 * r->cap_rows + 16;
        r->rows = grown(r->rows, r->cap_rows, sizeof(*r->rows));
    }
    memset(&r->rows[r->n_rows], 0, sizeof(*r->rows));
}

void ref_r1cs_init(ref_r1cs *r)
{
    memset(r, 0, sizeof(*r));
    r->n_inputs = 1;
    new_row(r);
}

void ref_r1cs_deinit(ref_r1cs *r)
{
    for (size_t i = 0; i <= r->n_rows; i++) {
        for (int m = 0; m < 3; m++) {
            free(r->rows[i][m].t);
        }
    }
    free(r->rows);
}

void ref_r1cs_term(ref_r1cs *r, int m, uint32_t wire, ref_fr coef)
{
    ref_side *s = &r->rows[r->n_rows][m];
    if (s->n == s->cap) {
        s->cap = 2 * s->cap + 4;
        s->t = grown(s->t, s->cap, sizeof(*s->t));
    }
    s->t[s->n].wire = wire;
    s->t[s->n++].coef = coef;
}

void ref_r1cs_row(ref_r1cs *r)
{
    r->n_rows++;
    new_row(r);
}

static int by_wire(const void *a, const void *b)
{
    const uint32_t x = ((const ref_term *)a)->wire, y = ((const ref_term *)b)->wire;
    return x < y ? -1 : x > y;
}

void ref_r1cs_tidy(ref_r1cs *r)
{
    for (size_t i = 0; i < r->n_rows; i++) {
        for (int m = 0; m < 3; m++) {
            ref_side *s = &r->rows[i][m];
            size_t n = 0;
            if (s->n > 0) {
                qsort(s->t, s->n, sizeof(*s->t), by_wire);
            }
            for (size_t k = 0; k < s->n;) {
                ref_term t = s->t[k++];
                while (k < s->n && s->t[k].wire == t.wire) {
                    t.coef = ref_fr_add(t.coef, s->t[k++].coef);
                }
                if (!ref_fr_is_zero(t.coef)) {
                    s->t[n++] = t;
                }
            }
            s->n = n;
        }
    }
}

ref_fr ref_r1cs_dot(const ref_r1cs *r, int m, size_t row, const ref_fr *inputs, const ref_fr *aux)
{
    const ref_side *s = &r->rows[row][m];
    ref_fr sum = ref_fr_u64(0);
    for (size_t i = 0; i < s->n; i++) {
        const uint32_t w = s->t[i].wire;
        const ref_fr v = (w & REF_AUX) != 0 ? aux[w & ~REF_AUX] : inputs[w];
        sum = ref_fr_add(sum, ref_fr_mul(v, s->t[i].coef));
    }
    return sum;
}

size_t ref_r1cs_check(const ref_r1cs *r, const ref_fr *inputs, const ref_fr *aux)
{
    size_t i = 0;
    for (; i < r->n_rows; i++) {
        if (!ref_fr_eq(
                ref_fr_mul(ref_r1cs_dot(r, 0, i, inputs, aux), ref_r1cs_dot(r, 1, i, inputs, aux)),
                ref_r1cs_dot(r, 2, i, inputs, aux))) {
            break;
        }
    }
    return i;
}

bool ref_r1cs_is_dense(const ref_r1cs *r, int m, uint32_t wire)
{
    for (size_t i = 0; i < r->n_rows; i++) {
        for (size_t k = 0; k < r->rows[i][m].n; k++) {
            if (r->rows[i][m].t[k].wire == wire) {
                return true;
            }
        }
    }
    return false;
}

static uint8_t *put_u32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++) {
        *p++ = (uint8_t)(v >> (8 * i));
    }
    return p;
}

uint8_t *ref_r1cs_row_bytes(const ref_r1cs *r, size_t n_rows, size_t *n_bytes)
{
    size_t n = 0;
    for (size_t i = 0; i < n_rows; i++) {
        for (int m = 0; m < 3; m++) {
            n += 4 + 36 * r->rows[i][m].n;
        }
    }
    uint8_t *out = grown(NULL, n + 1, 1), *p = out;
    for (size_t i = 0; i < n_rows; i++) {
        for (int m = 0; m < 3; m++) {
            const ref_side *s = &r->rows[i][m];
            p = put_u32(p, (uint32_t)s->n);
            for (size_t k = 0; k < s->n; k++) {
                p = put_u32(p, s->t[k].wire);
                ref_fr_to_bytes(p, s->t[k].coef);
                p += 32;
            }
        }
    }
    *n_bytes = n;
    return out;
}
