/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Rows times witness, in pieces of 2048 rows that any worker may take. Pieces start at groups of
 * 32 rows, where the compiled form can be entered without reading lengths.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "r1cs/eval/eval_internal.h"

cuzk_status cuzk_eval_tables_create(cuzk_eval_tables **out, const cuzk_witness *w, cuzk_err *err)
{
    const cuzk_circuit *c = w->circuit;
    const size_t per_block = (size_t)c->block.n_slots + 1;
    size_t n;
    cuzk_eval_tables *t = cuzk_alloc_zero(1, sizeof(*t));
    if (t != NULL && cuzk_mul_size(&n, (size_t)(c->n_blocks > 0 ? c->n_blocks : 1), per_block)) {
        t->slots = cuzk_alloc(n, sizeof(*t->slots));
    }
    if (t == NULL || t->slots == NULL) {
        cuzk_eval_tables_destroy(t);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the values that blocks refer to");
    }
    memcpy(t->fixed + 1, c->coeffs, CUZK_COEF_TABLE * sizeof(*t->fixed));
    t->slots[0] = CUZK_FR_ONE; /* the preamble uses the first block's, of which only ONE */
    for (uint64_t k = 0; k < c->n_blocks; k++) {
        cuzk_fr *block = t->slots + k * per_block;
        block[0] = CUZK_FR_ONE;
        for (uint32_t s = 0; s < c->block.n_slots; s++) {
            cuzk_witness_get(&block[1 + s], w, c->bindings[k * c->block.n_slots + s]);
        }
    }
    *out = t;
    return CUZK_OK;
}

void cuzk_eval_tables_destroy(cuzk_eval_tables *t)
{
    if (t != NULL) {
        cuzk_free(t->slots);
        cuzk_free(t);
    }
}

cuzk_part_values cuzk_part_values_get(const cuzk_witness *w, const cuzk_eval_tables *t,
                                      uint64_t index)
{
    const cuzk_circuit *c = w->circuit;
    const cuzk_witness_part p =
        index == 0 ? cuzk_witness_preamble(w) : cuzk_witness_block(w, index - 1);
    const uint64_t skip = index == 0 ? 0 : (index - 1) * ((uint64_t)c->block.n_slots + 1);
    const cuzk_part_values v = {p.bits, p.fulls, p.inputs, t->slots + skip, c->coeffs, t->fixed};
    return v;
}

static uint64_t pieces_of(const cuzk_circuit_part *p)
{
    return (p->n_rows + CUZK_EVAL_ROWS - 1) / CUZK_EVAL_ROWS;
}

uint64_t cuzk_row_pieces(const cuzk_circuit *c)
{
    return pieces_of(&c->preamble) + c->n_blocks * pieces_of(&c->block);
}

cuzk_row_piece cuzk_row_piece_get(const cuzk_circuit *c, uint64_t i)
{
    const uint64_t n_pre = pieces_of(&c->preamble), n_block = pieces_of(&c->block);
    const bool is_block = i >= n_pre;
    const uint64_t n_rows = is_block ? c->block.n_rows : c->preamble.n_rows;
    const uint64_t k = is_block ? (i - n_pre) % n_block : i;
    const uint64_t begin = k * CUZK_EVAL_ROWS;
    const uint64_t end = n_rows - begin < CUZK_EVAL_ROWS ? n_rows : begin + CUZK_EVAL_ROWS;
    const cuzk_row_piece piece = {is_block ? 1 + (i - n_pre) / n_block : 0, begin, end};
    return piece;
}

typedef struct eval_job {
    cuzk_fr *out;
    uint64_t n_out;
    const cuzk_witness *w;
    const cuzk_eval_tables *tables;
    cuzk_matrix_id m;
} eval_job;

static cuzk_status eval_pieces(void *arg, size_t begin, size_t end, unsigned worker)
{
    const eval_job *j = arg;
    const cuzk_circuit *c = j->w->circuit;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const cuzk_row_piece piece = cuzk_row_piece_get(c, i);
        const cuzk_part_base base = cuzk_circuit_part_base(c, piece.index);
        const cuzk_part_values v = cuzk_part_values_get(j->w, j->tables, piece.index);
        cuzk_row_cursor cur = cuzk_row_cursor_at(&base.part->m[j->m], piece.begin);
        cuzk_fr *out = j->out + base.row + piece.begin;
        while (cur.row < piece.end) {
            const uint32_t *words;
            const uint32_t len = cuzk_row_cursor_next(&cur, &words);
            cuzk_row_eval(out++, &v, words, len);
        }
    }
    return CUZK_OK;
}

/* What follows the circuit's rows: [begin, end) of input rows and padding. */
static cuzk_status eval_tail(void *arg, size_t begin, size_t end, unsigned worker)
{
    const eval_job *j = arg;
    const cuzk_witness *w = j->w;
    cuzk_fr *out = j->out + w->circuit->n_rows;
    const uint64_t n_values = j->m == CUZK_MATRIX_A ? w->circuit->n_inputs : 0;
    const size_t mid = n_values < begin ? begin : n_values < end ? (size_t)n_values : end;
    (void)worker;
    memcpy(out + begin, w->inputs + begin, (mid - begin) * sizeof(*out));
    memset(out + mid, 0, (end - mid) * sizeof(*out));
    return CUZK_OK;
}

static cuzk_status explain(cuzk_status st, const char *what, cuzk_err *err)
{
    return st == CUZK_OK ? st : CUZK_FAIL(err, st, "%s: %s", what, cuzk_status_text(st));
}

cuzk_status cuzk_r1cs_eval(cuzk_fr *out, uint64_t n_out, const cuzk_witness *w, cuzk_matrix_id m,
                           cuzk_pool *pool, const cuzk_cancel *cancel, cuzk_err *err)
{
    const cuzk_circuit *c = w->circuit;
    if (n_out < cuzk_circuit_prover_rows(c)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "room for %" PRIu64 " of %" PRIu64 " rows", n_out,
                         cuzk_circuit_prover_rows(c));
    }
    cuzk_eval_tables *tables = NULL;
    CUZK_TRY(cuzk_eval_tables_create(&tables, w, err));
    eval_job job = {out, n_out, w, tables, m};
    cuzk_status st =
        cuzk_parallel_for(pool, cancel, (size_t)cuzk_row_pieces(c), 0, eval_pieces, &job);
    if (st == CUZK_OK) {
        st = cuzk_parallel_for(pool, cancel, (size_t)(n_out - c->n_rows), 65536, eval_tail, &job);
    }
    cuzk_eval_tables_destroy(tables);
    return explain(st, "evaluation of the constraints", err);
}

typedef struct check_job {
    const cuzk_witness *w;
    const cuzk_eval_tables *tables;
    _Atomic uint64_t bad_row; /* lowest found so far; UINT64_MAX: none */
} check_job;

static void lower(_Atomic uint64_t *min, uint64_t row)
{
    uint64_t now = atomic_load_explicit(min, memory_order_relaxed);
    while (row < now && !atomic_compare_exchange_weak_explicit(min, &now, row, memory_order_relaxed,
                                                               memory_order_relaxed)) {
    }
}

static void eval_next(cuzk_fr *out, const cuzk_part_values *v, cuzk_row_cursor *cur)
{
    const uint32_t *words;
    const uint32_t len = cuzk_row_cursor_next(cur, &words);
    cuzk_row_eval(out, v, words, len);
}

/* First row of the piece that does not hold, UINT64_MAX when all do. */
static uint64_t check_piece(const check_job *j, const cuzk_row_piece *piece)
{
    const cuzk_part_base base = cuzk_circuit_part_base(j->w->circuit, piece->index);
    const cuzk_part_values v = cuzk_part_values_get(j->w, j->tables, piece->index);
    cuzk_row_cursor cur[3];
    for (int m = 0; m < 3; m++) {
        cur[m] = cuzk_row_cursor_at(&base.part->m[m], piece->begin);
    }
    for (uint64_t row = piece->begin; row < piece->end; row++) {
        cuzk_fr a, b, c;
        eval_next(&a, &v, &cur[0]);
        eval_next(&b, &v, &cur[1]);
        eval_next(&c, &v, &cur[2]);
        if (cuzk_fr_is_zero(&b)) {
            a = b;
        } else if (!cuzk_fr_is_one(&b)) {
            cuzk_fr_mul(&a, &a, &b);
        }
        if (!cuzk_fr_eq(&a, &c)) {
            return base.row + row;
        }
    }
    return UINT64_MAX;
}

static cuzk_status check_pieces(void *arg, size_t begin, size_t end, unsigned worker)
{
    check_job *j = arg;
    const cuzk_circuit *c = j->w->circuit;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const cuzk_row_piece piece = cuzk_row_piece_get(c, i);
        /* Pieces are in row order: those after a bad row cannot hold a lower one. */
        if (cuzk_circuit_part_base(c, piece.index).row + piece.begin <
            atomic_load_explicit(&j->bad_row, memory_order_relaxed)) {
            lower(&j->bad_row, check_piece(j, &piece));
        }
    }
    return CUZK_OK;
}

cuzk_status cuzk_r1cs_check(const cuzk_witness *w, uint64_t *bad_row, cuzk_pool *pool,
                            const cuzk_cancel *cancel, cuzk_err *err)
{
    const cuzk_circuit *c = w->circuit;
    cuzk_eval_tables *tables = NULL;
    CUZK_TRY(cuzk_eval_tables_create(&tables, w, err));
    check_job job = {w, tables, UINT64_MAX};
    const cuzk_status st =
        cuzk_parallel_for(pool, cancel, (size_t)cuzk_row_pieces(c), 0, check_pieces, &job);
    cuzk_eval_tables_destroy(tables);
    if (st != CUZK_OK) {
        return explain(st, "check of the constraints", err);
    }
    const uint64_t row = atomic_load(&job.bad_row);
    if (row == UINT64_MAX) {
        return CUZK_OK;
    }
    if (bad_row != NULL) {
        *bad_row = row;
    }
    char path[160];
    return CUZK_FAIL(err, CUZK_E_UNSATISFIED, "constraint %" PRIu64 " (%s) does not hold", row,
                     cuzk_circuit_row_path(c, row, path, sizeof(path)));
}
