/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Each part's matrix is turned on its side once (a counting sort of its terms by column); then
 * every column is one task that nobody else writes to, for each block anew. Columns of ONE and of
 * slots belong to other parts' wires: blocks leave their sums in `hubs`, added up at the end.
 */
#include "r1cs/column_sums.h"

#include <string.h>

#include "base/alloc.h"
#include "r1cs/eval_internal.h"
#include "r1cs/rows.h"

typedef struct column_term {
    uint32_t row, coef;
} column_term;

/* Columns of a part: ONE and slots, then inputs, then aux wires in allocation order. */
typedef struct part_columns {
    const cuzk_circuit_part *part;
    uint32_t first_input, first_aux, n;
    uint64_t *start;    /* [n + 1] */
    column_term *terms; /* [nnz] */
} part_columns;

static uint32_t column_of(const part_columns *t, const uint32_t *bit_aux, const uint32_t *full_aux,
                          cuzk_var v)
{
    const uint32_t i = cuzk_var_index(v);
    switch (cuzk_var_get_kind(v)) {
    case CUZK_VAR_KIND_BIT: return t->first_aux + bit_aux[i];
    case CUZK_VAR_KIND_FULL: return t->first_aux + full_aux[i];
    case CUZK_VAR_KIND_INPUT: return t->first_input + i;
    case CUZK_VAR_KIND_SLOT:
    default: return i;
    }
}

static void fill(part_columns *t, const cuzk_matrix *m, const uint32_t *bit_aux,
                 const uint32_t *full_aux)
{
    for (int pass = 0; pass < 2; pass++) { /* count, then place */
        cuzk_row_cursor cur = cuzk_row_cursor_at(m, 0);
        while (cur.row < t->part->n_rows) {
            const uint32_t row = (uint32_t)cur.row;
            const uint32_t *p;
            const uint32_t len = cuzk_row_cursor_next(&cur, &p);
            const uint32_t *end = p + len;
            while (p < end) {
                uint32_t coef;
                const cuzk_var v = cuzk_term_next(&p, &coef);
                uint64_t *at = &t->start[column_of(t, bit_aux, full_aux, v)];
                if (pass == 1) {
                    t->terms[*at].row = row;
                    t->terms[*at].coef = coef;
                }
                *at += 1;
            }
        }
        /* From counts to first positions; after placing, from ends back to first positions. */
        uint64_t sum = 0;
        for (uint32_t i = 0; i <= t->n; i++) {
            const uint64_t x = t->start[i];
            t->start[i] = sum;
            sum = pass == 0 ? sum + x : x;
        }
    }
}

static void columns_deinit(part_columns *t)
{
    cuzk_free(t->start);
    cuzk_free(t->terms);
    memset(t, 0, sizeof(*t));
}

static cuzk_status columns_init(part_columns *t, const cuzk_circuit_part *p, cuzk_matrix_id m,
                                const uint32_t *bit_aux, const uint32_t *full_aux, cuzk_err *err)
{
    if (p->n_rows > UINT32_MAX) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "more than 2^32 rows in one part of a circuit");
    }
    t->part = p;
    t->first_input = 1 + p->n_slots;
    t->first_aux = t->first_input + p->n_inputs;
    t->n = t->first_aux + (uint32_t)p->n_aux;
    t->start = cuzk_alloc_zero((size_t)t->n + 1, sizeof(*t->start));
    t->terms = cuzk_alloc((size_t)p->m[m].nnz, sizeof(*t->terms));
    if (t->start == NULL || t->terms == NULL) {
        columns_deinit(t);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the columns of a circuit");
    }
    fill(t, &p->m[m], bit_aux, full_aux);
    return CUZK_OK;
}

#define PIECE 1024u /* columns per task */

typedef struct column_job {
    const cuzk_circuit *c;
    const part_columns *t;
    uint64_t first_part, n_pieces; /* part indices from first_part on; pieces per part */
    const cuzk_fr *weights;
    cuzk_fr *inputs, *aux;
    cuzk_fr *hubs; /* [parts][first_input] */
} column_job;

static void add_column(cuzk_fr *sum, const part_columns *t, const cuzk_fr *coeffs,
                       const cuzk_fr *weights, uint32_t column)
{
    const column_term *p = t->terms + t->start[column], *end = t->terms + t->start[column + 1];
    cuzk_acc acc = {{0, 0, 0, 0, 0}};
    cuzk_fr v;
    if (p == end) {
        return;
    }
    for (; p < end; p++) { /* fewer than 2^32 terms: one per row */
        cuzk_acc_add_product(&acc, coeffs, p->coef, &weights[p->row]);
    }
    cuzk_acc_reduce(&v, &acc);
    cuzk_fr_add(sum, sum, &v);
}

static cuzk_status add_pieces(void *arg, size_t begin, size_t end, unsigned worker)
{
    const column_job *j = arg;
    const part_columns *t = j->t;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const uint64_t k = i / j->n_pieces;
        const cuzk_part_base base = cuzk_circuit_part_base(j->c, j->first_part + k);
        const uint32_t from = (uint32_t)(i % j->n_pieces) * PIECE;
        const uint32_t to = t->n - from < PIECE ? t->n : from + PIECE;
        for (uint32_t col = from; col < to; col++) {
            cuzk_fr *sum = col < t->first_input ? &j->hubs[k * t->first_input + col]
                           : col < t->first_aux ? &j->inputs[base.input + (col - t->first_input)]
                                                : &j->aux[base.aux + (col - t->first_aux)];
            add_column(sum, t, j->c->coeffs, j->weights + base.row, col);
        }
    }
    return CUZK_OK;
}

static void add_hubs(const column_job *j, uint64_t n_parts)
{
    for (uint64_t k = 0; k < n_parts; k++) {
        const cuzk_part_base base = cuzk_circuit_part_base(j->c, j->first_part + k);
        for (uint32_t s = 0; s < j->t->first_input; s++) {
            const cuzk_wire w = s == 0 ? 0 : base.slots[s - 1];
            cuzk_fr *sum = (w & CUZK_WIRE_AUX) != 0 ? &j->aux[w & ~CUZK_WIRE_AUX] : &j->inputs[w];
            cuzk_fr_add(sum, sum, &j->hubs[k * j->t->first_input + s]);
        }
    }
}

/* All parts that share the columns t: the preamble, or all blocks. */
static cuzk_status add_parts(column_job *j, uint64_t n_parts, cuzk_pool *pool,
                             const cuzk_cancel *cancel, cuzk_err *err)
{
    size_t n_hubs;
    j->n_pieces = (j->t->n + PIECE - 1) / PIECE;
    j->hubs = cuzk_mul_size(&n_hubs, (size_t)n_parts, j->t->first_input)
                  ? cuzk_alloc_zero(n_hubs, sizeof(*j->hubs))
                  : NULL;
    if (j->hubs == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the columns of a circuit");
    }
    const cuzk_status st =
        cuzk_parallel_for(pool, cancel, (size_t)(n_parts * j->n_pieces), 1, add_pieces, j);
    if (st == CUZK_OK) {
        add_hubs(j, n_parts);
    }
    cuzk_free(j->hubs);
    return st == CUZK_OK ? st
                         : CUZK_FAIL(err, st, "columns of a circuit: %s", cuzk_status_text(st));
}

cuzk_status cuzk_circuit_column_sums(cuzk_fr *inputs, cuzk_fr *aux, const cuzk_circuit *c,
                                     cuzk_matrix_id m, const cuzk_fr *weights, cuzk_pool *pool,
                                     const cuzk_cancel *cancel, cuzk_err *err)
{
    cuzk_wire_map map;
    cuzk_status st = cuzk_wire_map_init(&map, c, err);
    if (st != CUZK_OK) {
        return st;
    }
    for (int i = 0; i < 2 && st == CUZK_OK; i++) {
        part_columns t;
        memset(&t, 0, sizeof(t));
        st = columns_init(&t, i == 0 ? &c->preamble : &c->block, m, map.bit_aux[i], map.full_aux[i],
                          err);
        if (st == CUZK_OK) {
            column_job j = {c, &t, (uint64_t)i, 0, weights, inputs, aux, NULL};
            st = add_parts(&j, i == 0 ? 1 : c->n_blocks, pool, cancel, err);
        }
        columns_deinit(&t);
    }
    cuzk_wire_map_deinit(&map);
    return st;
}
