/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "r1cs/rows.h"

#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"

cuzk_row_cursor cuzk_row_cursor_at(const cuzk_matrix *m, uint64_t row)
{
    const uint64_t group = row / CUZK_ROW_GROUP;
    const uint64_t first = group * CUZK_ROW_GROUP;
    uint64_t lo = 0, hi = m->n_long;
    while (lo < hi) {
        const uint64_t mid = (lo + hi) / 2;
        if (m->long_rows[mid].row < first) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    cuzk_row_cursor c = {m, m->words + m->group_offset[group], first, lo};
    const uint32_t *skipped;
    while (c.row < row) {
        (void)cuzk_row_cursor_next(&c, &skipped);
    }
    return c;
}

cuzk_part_base cuzk_circuit_part_base(const cuzk_circuit *c, uint64_t index)
{
    const cuzk_circuit_part *p = &c->preamble, *k = &c->block;
    if (index == 0) {
        const cuzk_part_base base = {p, NULL, 0, 1, 0, false};
        return base;
    }
    const uint64_t i = index - 1;
    const cuzk_part_base base = {k,
                                 k->n_slots > 0 ? c->bindings + i * k->n_slots : NULL,
                                 p->n_rows + i * k->n_rows,
                                 1 + p->n_inputs + i * k->n_inputs,
                                 p->n_aux + i * k->n_aux,
                                 true};
    return base;
}

uint64_t cuzk_circuit_part_of_row(const cuzk_circuit *c, uint64_t row)
{
    CUZK_DASSERT(row < c->n_rows);
    return row < c->preamble.n_rows ? 0 : 1 + (row - c->preamble.n_rows) / c->block.n_rows;
}

static bool map_part(uint32_t **bit_aux, uint32_t **full_aux, const cuzk_circuit_part *p)
{
    uint32_t *b = *bit_aux = cuzk_alloc((size_t)p->n_bits, sizeof(*b));
    uint32_t *f = *full_aux = cuzk_alloc((size_t)p->n_fulls, sizeof(*f));
    if (b == NULL || f == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < p->n_aux; i++) {
        if ((p->is_full[i / 64] >> (i % 64) & 1) != 0) {
            *f++ = i;
        } else {
            *b++ = i;
        }
    }
    return true;
}

cuzk_status cuzk_wire_map_init(cuzk_wire_map *out, const cuzk_circuit *c, cuzk_err *err)
{
    cuzk_wire_map m;
    memset(&m, 0, sizeof(m));
    if (!map_part(&m.bit_aux[0], &m.full_aux[0], &c->preamble) ||
        !map_part(&m.bit_aux[1], &m.full_aux[1], &c->block)) {
        cuzk_wire_map_deinit(&m);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a map of the circuit's wires");
    }
    *out = m;
    return CUZK_OK;
}

void cuzk_wire_map_deinit(cuzk_wire_map *m)
{
    for (int i = 0; i < 2; i++) {
        cuzk_free(m->bit_aux[i]);
        cuzk_free(m->full_aux[i]);
    }
    memset(m, 0, sizeof(*m));
}

/* Inputs come before aux wires as numbers already (CUZK_WIRE_AUX is the top bit). */
static void sort_terms(cuzk_row_term *t, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const cuzk_row_term x = t[i];
        size_t j = i;
        for (; j > 0 && t[j - 1].wire > x.wire; j--) {
            t[j] = t[j - 1];
        }
        t[j] = x;
    }
}

size_t cuzk_row_read(cuzk_row_term *t, const cuzk_part_base *base, const cuzk_wire_map *map,
                     const uint32_t *words, uint32_t len)
{
    const uint32_t *end = words + len;
    size_t n = 0;
    bool sorted = true;
    while (words < end) {
        const cuzk_var v = cuzk_term_next(&words, &t[n].coef);
        t[n].wire = cuzk_var_wire(base, map, v);
        sorted &= n == 0 || t[n - 1].wire < t[n].wire;
        n++;
    }
    if (!sorted) { /* only slots can be out of order, and they are few */
        sort_terms(t, n);
    }
    return n;
}

typedef struct row_buffer {
    cuzk_row_term *terms;
    size_t cap;
} row_buffer;

static bool reserve(row_buffer *b, size_t n)
{
    if (n <= b->cap) {
        return true;
    }
    cuzk_free(b->terms);
    b->cap = 2 * n + 254;
    b->terms = cuzk_alloc(b->cap, sizeof(*b->terms));
    return b->terms != NULL;
}

/* Rows [begin, end) of the part at base, numbered within it. */
static cuzk_status visit_part(const cuzk_part_base *base, const cuzk_wire_map *map,
                              cuzk_matrix_id m, uint64_t begin, uint64_t end, cuzk_row_fn fn,
                              void *arg, row_buffer *buf, cuzk_err *err)
{
    cuzk_row_cursor cur = cuzk_row_cursor_at(&base->part->m[m], begin);
    while (cur.row < end) {
        const uint32_t *words;
        const uint32_t len = cuzk_row_cursor_next(&cur, &words);
        if (!reserve(buf, len)) {
            return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a row of %u words", len);
        }
        const size_t n = cuzk_row_read(buf->terms, base, map, words, len);
        CUZK_TRY(fn(arg, base->row + cur.row - 1, buf->terms, n));
    }
    return CUZK_OK;
}

cuzk_status cuzk_circuit_visit(const cuzk_circuit *c, const cuzk_wire_map *map, cuzk_matrix_id m,
                               uint64_t row_begin, uint64_t row_end, cuzk_row_fn fn, void *arg,
                               cuzk_err *err)
{
    row_buffer buf = {NULL, 0};
    cuzk_status st = CUZK_OK;
    CUZK_ASSERT(row_begin <= row_end && row_end <= c->n_rows);
    while (row_begin < row_end && st == CUZK_OK) {
        const cuzk_part_base base =
            cuzk_circuit_part_base(c, cuzk_circuit_part_of_row(c, row_begin));
        const uint64_t part_end = base.row + base.part->n_rows;
        const uint64_t end = row_end < part_end ? row_end : part_end;
        st = visit_part(&base, map, m, row_begin - base.row, end - base.row, fn, arg, &buf, err);
        row_begin = end;
    }
    cuzk_free(buf.terms);
    return st;
}
