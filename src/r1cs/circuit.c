/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "r1cs/circuit.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/alloc.h"
#include "r1cs/rows.h"

static void part_deinit(cuzk_circuit_part *p)
{
    for (int i = 0; i < 3; i++) {
        cuzk_free(p->m[i].words);
        cuzk_free(p->m[i].len);
        cuzk_free(p->m[i].group_offset);
        cuzk_free(p->m[i].long_rows);
    }
    cuzk_free(p->is_full);
    cuzk_free(p->full_before);
    cuzk_free(p->a_dense);
    cuzk_free(p->b_dense);
    cuzk_free(p->spans);
}

void cuzk_circuit_destroy(cuzk_circuit *c)
{
    if (c == NULL) {
        return;
    }
    part_deinit(&c->preamble);
    part_deinit(&c->block);
    cuzk_free(c->bindings);
    cuzk_free(c->coeffs);
    cuzk_free(c->b_input_dense);
    cuzk_free(c);
}

static uint64_t part_bytes(const cuzk_circuit_part *p)
{
    const uint64_t words = (p->n_aux + 63) / 64;
    uint64_t n = 3 * words * sizeof(*p->is_full) + (words + 1) * sizeof(*p->full_before) +
                 p->n_spans * sizeof(*p->spans);
    for (int i = 0; i < 3; i++) {
        const cuzk_matrix *m = &p->m[i];
        n += m->n_words * sizeof(*m->words) + p->n_rows * sizeof(*m->len) +
             ((p->n_rows + CUZK_ROW_GROUP - 1) / CUZK_ROW_GROUP + 1) * sizeof(*m->group_offset) +
             m->n_long * sizeof(*m->long_rows);
    }
    return n;
}

uint64_t cuzk_circuit_bytes(const cuzk_circuit *c)
{
    return sizeof(*c) + part_bytes(&c->preamble) + part_bytes(&c->block) +
           c->n_blocks * c->block.n_slots * sizeof(*c->bindings) +
           c->n_coeffs * sizeof(*c->coeffs) + (c->n_inputs + 63) / 64 * sizeof(*c->b_input_dense);
}

unsigned cuzk_circuit_lg_domain(const cuzk_circuit *c)
{
    const uint64_t n = cuzk_circuit_prover_rows(c);
    unsigned lg = c->min_lg_domain;
    while (lg < 63 && (1ULL << lg) < n) {
        lg++;
    }
    return lg;
}

/* What is being written to: at < bytes always, and buf[at] is the terminating NUL. */
typedef struct text {
    char *buf;
    size_t bytes, at;
} text;

static CUZK_PRINTF(2, 3) void add_text(text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const int n = vsnprintf(t->buf + t->at, t->bytes - t->at, fmt, ap);
    va_end(ap);
    if (n > 0) {
        const size_t room = t->bytes - t->at - 1;
        t->at += (size_t)n < room ? (size_t)n : room;
    }
}

/*
 * Spans are in the order of their beginnings, so the last one that begins at or before the row is
 * the innermost that contains it, or lies inside (and then before the row in) that one.
 */
static int32_t innermost_span(const cuzk_circuit_part *p, uint64_t row)
{
    uint64_t lo = 0, hi = p->n_spans;
    while (lo < hi) {
        const uint64_t mid = (lo + hi) / 2;
        if (p->spans[mid].row_begin <= row) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    int32_t i = (int32_t)lo - 1;
    while (i >= 0 && p->spans[i].row_end <= row) {
        i = p->spans[i].parent;
    }
    return i;
}

#define MAX_DEPTH 32

static void add_spans(text *t, const cuzk_circuit_part *p, uint64_t row)
{
    int32_t chain[MAX_DEPTH];
    int n = 0;
    for (int32_t i = innermost_span(p, row); i >= 0 && n < MAX_DEPTH; i = p->spans[i].parent) {
        chain[n++] = i;
    }
    while (n-- > 0) {
        const cuzk_span_name *s = &p->spans[chain[n]];
        add_text(t, t->at > 0 ? ", %s" : "%s", s->name);
        if (s->index >= 0) {
            add_text(t, " %" PRId32, s->index);
        }
    }
}

const char *cuzk_circuit_row_path(const cuzk_circuit *c, uint64_t row, char *buf, size_t buf_bytes)
{
    text t = {buf, buf_bytes, 0};
    if (buf_bytes == 0) {
        return buf;
    }
    buf[0] = '\0';
    if (row >= c->n_rows) {
        if (row < cuzk_circuit_prover_rows(c)) {
            add_text(&t, "input row %" PRIu64, row - c->n_rows);
        }
        return buf;
    }
    const uint64_t part = cuzk_circuit_part_of_row(c, row);
    if (part > 0) {
        add_text(&t, "%s %" PRIu64, c->block_name, part - 1);
    }
    const cuzk_part_base base = cuzk_circuit_part_base(c, part);
    add_spans(&t, base.part, row - base.row);
    if (t.at == 0) {
        add_text(&t, "preamble");
    }
    return buf;
}
