/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A compiled circuit's way into device memory. */
#include <string.h>

#include "base/alloc.h"
#include "r1cs/rows.h"

#include "circuit_internal.h"
#include "r1cs.h"

/* Sizes of what is made beside the compiled form. */
typedef struct long_counts {
    uint64_t rows[3], terms[3], check;
} long_counts;

static unsigned n_matrices(bool with_c)
{
    return with_c ? 3 : 2;
}

/* Terms of a row, from its words. */
static uint32_t count_terms(const uint32_t *p, uint32_t len)
{
    const uint32_t *end = p + len;
    uint32_t n = 0, coef;
    for (; p < end; n++) {
        (void)cuzk_term_next(&p, &coef);
    }
    return n;
}

static long_counts count_long(const cuzk_circuit_part *p, bool with_c)
{
    long_counts n = {{0, 0, 0}, {0, 0, 0}, 0};
    cuzk_row_cursor cur[3];
    for (unsigned m = 0; m < n_matrices(with_c); m++) {
        cur[m] = cuzk_row_cursor_at(&p->m[m], 0);
    }
    for (uint64_t row = 0; row < p->n_rows; row++) {
        bool is_long = false;
        for (unsigned m = 0; m < n_matrices(with_c); m++) {
            const uint32_t *words;
            const uint32_t len = cuzk_row_cursor_next(&cur[m], &words);
            if (len > CUZK_CUDA_SHORT_WORDS) {
                is_long = true;
                n.rows[m]++;
                n.terms[m] += count_terms(words, len);
            }
        }
        n.check += is_long;
    }
    return n;
}

/* Device memory is taken in one order, whether for its size alone or for its use. */
static void take_part(cuzk_cuda_part *out, cuzk_cuda_arena *a, const cuzk_circuit_part *p,
                      bool with_c, long_counts *n)
{
    memset(out, 0, sizeof(*out));
    *n = count_long(p, with_c);
    out->n_rows = p->n_rows;
    out->n_inputs = p->n_inputs;
    out->n_slots = p->n_slots;
    out->n_fulls = p->n_fulls;
    for (unsigned m = 0; m < n_matrices(with_c); m++) {
        cuzk_cuda_matrix *x = &out->m[m];
        x->words = cuzk_cuda_arena_take(a, p->m[m].n_words * sizeof(*x->words));
        x->start = cuzk_cuda_arena_take(a, (p->n_rows + 1) * sizeof(*x->start));
        x->long_row = cuzk_cuda_arena_take(a, n->rows[m] * sizeof(*x->long_row));
        x->long_start = cuzk_cuda_arena_take(a, (n->rows[m] + 1) * sizeof(*x->long_start));
        x->long_terms = cuzk_cuda_arena_take(a, n->terms[m] * sizeof(*x->long_terms));
        x->n_long = (uint32_t)n->rows[m];
    }
    if (with_c) {
        out->check_row = cuzk_cuda_arena_take(a, n->check * sizeof(*out->check_row));
        for (unsigned m = 0; m < 3; m++) {
            out->check_long[m] = cuzk_cuda_arena_take(a, n->check * sizeof(*out->check_long[m]));
        }
        out->n_check = (uint32_t)n->check;
    }
}

static void take_circuit(cuzk_cuda_circuit_view *v, cuzk_cuda_arena *a, const cuzk_circuit *c,
                         bool with_c, long_counts n[2])
{
    memset(v, 0, sizeof(*v));
    take_part(&v->preamble, a, &c->preamble, with_c, &n[0]);
    take_part(&v->block, a, &c->block, with_c, &n[1]);
    v->n_blocks = c->n_blocks;
    v->n_inputs = c->n_inputs;
    v->n_rows = c->n_rows;
    v->preamble_words = (c->preamble.n_bits + 63) / 64;
    v->bit_stride = c->bit_stride;
    v->coeffs = cuzk_cuda_arena_take(a, c->n_coeffs * sizeof(*v->coeffs));
    v->small = cuzk_cuda_arena_take(a, (2 * CUZK_CUDA_SMALL + 1) * sizeof(*v->small));
    v->bindings = cuzk_cuda_arena_take(a, c->n_blocks * c->block.n_slots * sizeof(*v->bindings));
}

uint64_t cuzk_cuda_circuit_bytes(const cuzk_circuit *c, bool with_c)
{
    cuzk_cuda_circuit_view v;
    cuzk_cuda_arena a = {NULL, 0};
    long_counts n[2];
    take_circuit(&v, &a, c, with_c, n);
    return a.used;
}

static bool fits(const cuzk_circuit_part *p)
{
    bool ok = p->n_rows < UINT32_MAX;
    for (unsigned m = 0; m < 3; m++) {
        ok = ok && p->m[m].n_words < UINT32_MAX;
    }
    return ok;
}

/* Uploads from memory whose device place is a const pointer of the view. */
static cuzk_status put(cuzk_cuda_queue *q, const void *d_dst, const void *src, uint64_t bytes,
                       cuzk_err *err)
{
    return cuzk_cuda_upload(q, (void *)(uintptr_t)d_dst, src, bytes, err);
}

static cuzk_status put_matrix(const cuzk_cuda_matrix *x, cuzk_cuda_queue *q,
                              const cuzk_circuit_part *p, unsigned m, uint64_t n_terms,
                              cuzk_err *err)
{
    const uint64_t n_rows = p->n_rows, n_long = x->n_long;
    uint32_t *start = cuzk_alloc((size_t)n_rows + 1, sizeof(*start));
    uint32_t *long_row = cuzk_alloc((size_t)n_long, sizeof(*long_row));
    uint32_t *long_start = cuzk_alloc((size_t)n_long + 1, sizeof(*long_start));
    cuzk_cuda_term *terms = cuzk_alloc((size_t)n_terms, sizeof(*terms));
    cuzk_row_cursor cur = cuzk_row_cursor_at(&p->m[m], 0);
    cuzk_cuda_term *t = terms;
    uint32_t at = 0, k = 0;
    cuzk_status st = CUZK_OK;
    if (start == NULL || long_row == NULL || long_start == NULL || terms == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to upload a circuit");
        goto out;
    }
    for (uint64_t row = 0; row < n_rows; row++) {
        const uint32_t *words;
        const uint32_t len = cuzk_row_cursor_next(&cur, &words), *end = words + len;
        start[row] = at;
        at += len;
        if (len > CUZK_CUDA_SHORT_WORDS) {
            long_row[k] = (uint32_t)row;
            long_start[k++] = (uint32_t)(t - terms);
            for (; words < end; t++) {
                t->var = cuzk_term_next(&words, &t->coef);
            }
        }
    }
    start[n_rows] = at;
    long_start[k] = (uint32_t)(t - terms);
    CUZK_TRY_GOTO(st, put(q, x->words, p->m[m].words, p->m[m].n_words * sizeof(*x->words), err));
    CUZK_TRY_GOTO(st, put(q, x->start, start, (n_rows + 1) * sizeof(*start), err));
    CUZK_TRY_GOTO(st, put(q, x->long_row, long_row, n_long * sizeof(*long_row), err));
    CUZK_TRY_GOTO(st, put(q, x->long_start, long_start, (n_long + 1) * sizeof(*long_start), err));
    st = put(q, x->long_terms, terms, n_terms * sizeof(*terms), err);
out:
    cuzk_free(start);
    cuzk_free(long_row);
    cuzk_free(long_start);
    cuzk_free(terms);
    return st;
}

/* Rows that are long in any matrix. */
static cuzk_status put_check(const cuzk_cuda_part *x, cuzk_cuda_queue *q,
                             const cuzk_circuit_part *p, cuzk_err *err)
{
    const size_t n = x->n_check;
    uint32_t *rows = cuzk_alloc(n, sizeof(*rows));
    uint32_t *longs = cuzk_alloc(n, 3 * sizeof(*longs));
    cuzk_row_cursor cur[3];
    uint32_t seen[3] = {0, 0, 0};
    size_t k = 0;
    cuzk_status st = CUZK_OK;
    if (rows == NULL || longs == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to upload a circuit");
        goto out;
    }
    for (unsigned m = 0; m < 3; m++) {
        cur[m] = cuzk_row_cursor_at(&p->m[m], 0);
    }
    for (uint64_t row = 0; row < p->n_rows; row++) {
        uint32_t which[3];
        bool is_long = false;
        for (unsigned m = 0; m < 3; m++) {
            const uint32_t *words;
            which[m] = CUZK_CUDA_NO_LONG;
            if (cuzk_row_cursor_next(&cur[m], &words) > CUZK_CUDA_SHORT_WORDS) {
                which[m] = seen[m]++;
                is_long = true;
            }
        }
        if (is_long) {
            rows[k] = (uint32_t)row;
            for (unsigned m = 0; m < 3; m++) {
                longs[m * n + k] = which[m];
            }
            k++;
        }
    }
    CUZK_TRY_GOTO(st, put(q, x->check_row, rows, n * sizeof(*rows), err));
    for (unsigned m = 0; m < 3; m++) {
        CUZK_TRY_GOTO(st, put(q, x->check_long[m], longs + m * n, n * sizeof(*longs), err));
    }
out:
    cuzk_free(rows);
    cuzk_free(longs);
    return st;
}

static cuzk_status put_part(const cuzk_cuda_part *x, cuzk_cuda_queue *q, const cuzk_circuit_part *p,
                            bool with_c, const long_counts *n, cuzk_err *err)
{
    for (unsigned m = 0; m < n_matrices(with_c); m++) {
        CUZK_TRY(put_matrix(&x->m[m], q, p, m, n->terms[m], err));
    }
    return with_c ? put_check(x, q, p, err) : CUZK_OK;
}

static cuzk_status put_small(const cuzk_cuda_circuit_view *v, cuzk_cuda_queue *q, cuzk_err *err)
{
    cuzk_fr small[2 * CUZK_CUDA_SMALL + 1];
    for (unsigned i = 0; i <= CUZK_CUDA_SMALL; i++) {
        cuzk_fr_from_u64(&small[CUZK_CUDA_SMALL + i], i);
        cuzk_fr_neg(&small[CUZK_CUDA_SMALL - i], &small[CUZK_CUDA_SMALL + i]);
    }
    return put(q, v->small, small, sizeof(small), err);
}

/* Bindings name wires of the whole circuit; the device wants them by class and rank. */
static cuzk_status put_bindings(const cuzk_cuda_circuit_view *v, cuzk_cuda_queue *q,
                                const cuzk_circuit *c, cuzk_err *err)
{
    const size_t n = (size_t)(c->n_blocks * c->block.n_slots);
    cuzk_var *vars = cuzk_alloc(n, sizeof(*vars));
    if (vars == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to upload a circuit");
    }
    for (size_t i = 0; i < n; i++) {
        const cuzk_wire w = c->bindings[i];
        vars[i] = (w & CUZK_WIRE_AUX) != 0 ? cuzk_aux_locate(&c->preamble, w & ~CUZK_WIRE_AUX)
                  : w == 0                 ? CUZK_VAR_ONE
                                           : cuzk_var_make(CUZK_VAR_KIND_INPUT, w - 1);
    }
    const cuzk_status st = put(q, v->bindings, vars, n * sizeof(*vars), err);
    cuzk_free(vars);
    return st;
}

cuzk_status cuzk_cuda_circuit_create(cuzk_cuda_circuit **out, cuzk_cuda_queue *q,
                                     const cuzk_circuit *c, bool with_c, void *d_mem, cuzk_err *err)
{
    long_counts n[2];
    cuzk_cuda_arena a = {d_mem, 0};
    cuzk_status st = CUZK_OK;
    if (!fits(&c->preamble) || !fits(&c->block)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "a part of the circuit has 2^32 words or rows");
    }
    cuzk_cuda_circuit *d = cuzk_alloc_zero(1, sizeof(*d));
    if (d == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a circuit");
    }
    take_circuit(&d->v, &a, c, with_c, n);
    d->with_c = with_c;
    d->n_bit_words = d->v.preamble_words + c->n_blocks * c->bit_stride;
    d->n_elements = c->n_inputs + c->n_fulls;
    memcpy(d->identity, c->identity, sizeof(d->identity));
    CUZK_TRY_GOTO(st, put_part(&d->v.preamble, q, &c->preamble, with_c, &n[0], err));
    CUZK_TRY_GOTO(st, put_part(&d->v.block, q, &c->block, with_c, &n[1], err));
    CUZK_TRY_GOTO(st, put(q, d->v.coeffs, c->coeffs, c->n_coeffs * sizeof(*c->coeffs), err));
    CUZK_TRY_GOTO(st, put_small(&d->v, q, err));
    CUZK_TRY_GOTO(st, put_bindings(&d->v, q, c, err));
    *out = d;
out:
    if (st != CUZK_OK) {
        cuzk_free(d);
    }
    return st;
}

void cuzk_cuda_circuit_destroy(cuzk_cuda_circuit *c)
{
    cuzk_free(c);
}
