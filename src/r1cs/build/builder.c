/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "r1cs/build/builder.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "r1cs/build/builder_internal.h"

/* Wires of one kind in one part: what a cuzk_var can name. */
#define MAX_INDEX CUZK_VAR_INDEX_MASK

static const char *phase_name(const cuzk_builder *b)
{
    return b->phase == CUZK_BUILDER_PREAMBLE ? "preamble" : "block";
}

static CUZK_COLD void fail_nomem(cuzk_builder *b)
{
    b->status = CUZK_FAIL(&b->err, CUZK_E_NOMEM, "no memory to record row %" PRIu64 " of the %s",
                          b->cur->n_rows, phase_name(b));
}

bool cuzk_builder_is_dead(cuzk_builder *b)
{
    if (b->status == CUZK_OK && b->phase == CUZK_BUILDER_FINISHED) {
        b->status = CUZK_FAIL(&b->err, CUZK_E_INVALID, "the builder is finished");
    }
    return b->status != CUZK_OK;
}

static inline bool is_dead(cuzk_builder *b)
{
    return __builtin_expect(b->status != CUZK_OK || b->phase == CUZK_BUILDER_FINISHED, false) &&
           cuzk_builder_is_dead(b);
}

cuzk_status cuzk_builder_create(cuzk_builder **out, cuzk_err *err)
{
    cuzk_builder *b = cuzk_alloc_zero(1, sizeof(*b));
    if (b == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a circuit builder");
    }
    b->cur = &b->rec[0];
    b->block_name = "block";
    if (!cuzk_recorder_init(b->cur, 0) || !cuzk_coef_table_init(&b->coefs)) {
        cuzk_builder_destroy(b);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a circuit builder");
    }
    *out = b;
    return CUZK_OK;
}

void cuzk_builder_clear(cuzk_builder *b)
{
    for (int i = 0; i < 3; i++) {
        cuzk_recorder_deinit(&b->rec[i]);
        cuzk_free(b->stage[i].terms);
        b->stage[i].terms = NULL;
        b->stage[i].n = b->stage[i].cap = 0;
    }
    cuzk_coef_table_deinit(&b->coefs);
    cuzk_free(b->sort_space);
    cuzk_free(b->sort_runs);
    cuzk_free(b->bindings);
    cuzk_free(b->bound);
    b->sort_space = NULL;
    b->sort_runs = NULL;
    b->bindings = NULL;
    b->bound = NULL;
    b->phase = CUZK_BUILDER_FINISHED;
}

void cuzk_builder_destroy(cuzk_builder *b)
{
    if (b != NULL) {
        cuzk_builder_clear(b);
        cuzk_free(b);
    }
}

static cuzk_var add_wire(cuzk_builder *b, cuzk_var_kind kind, uint32_t n_before)
{
    if (is_dead(b)) {
        return CUZK_VAR_ONE;
    }
    if (n_before > MAX_INDEX) {
        b->status = CUZK_FAIL(&b->err, CUZK_E_INVALID, "the %s has more than 2^29 wires of a kind",
                              phase_name(b));
        return CUZK_VAR_ONE;
    }
    if (kind == CUZK_VAR_KIND_INPUT ? !cuzk_recorder_add_input(b->cur)
                                    : !cuzk_recorder_add_aux(b->cur, kind == CUZK_VAR_KIND_FULL)) {
        fail_nomem(b);
        return CUZK_VAR_ONE;
    }
    return cuzk_var_make(kind, n_before);
}

cuzk_var cuzk_builder_input(cuzk_builder *b)
{
    return add_wire(b, CUZK_VAR_KIND_INPUT, b->cur->n_inputs);
}

cuzk_var cuzk_builder_bit(cuzk_builder *b)
{
    return add_wire(b, CUZK_VAR_KIND_BIT, b->cur->n_bits);
}

cuzk_var cuzk_builder_full(cuzk_builder *b)
{
    return add_wire(b, CUZK_VAR_KIND_FULL, b->cur->n_fulls);
}

/* False when r has no such variable. */
static inline bool order_of(const cuzk_recorder *r, cuzk_var v, uint32_t *order)
{
    const uint32_t i = cuzk_var_index(v);
    switch (v >> CUZK_VAR_KIND_SHIFT) {
    case CUZK_VAR_KIND_BIT:
        if (i >= r->n_bits) {
            return false;
        }
        *order = CUZK_ORDER_AUX | r->bit_aux[i];
        return true;
    case CUZK_VAR_KIND_FULL:
        if (i >= r->n_fulls) {
            return false;
        }
        *order = CUZK_ORDER_AUX | r->full_aux[i];
        return true;
    case CUZK_VAR_KIND_INPUT: *order = v; return i < r->n_inputs;
    case CUZK_VAR_KIND_SLOT: *order = v; return i <= r->n_slots;
    default: return false;
    }
}

static CUZK_COLD void fail_term(cuzk_builder *b, cuzk_var var, cuzk_coef coef)
{
    b->status = CUZK_FAIL(
        &b->err, CUZK_E_INVALID,
        "row %" PRIu64 " of the %s: no such variable (kind %u, index %u) or coefficient "
        "(%u)",
        b->cur->n_rows, phase_name(b), var >> CUZK_VAR_KIND_SHIFT, cuzk_var_index(var), coef);
}

static CUZK_COLD bool grow_stage(cuzk_builder *b, cuzk_stage *s)
{
    const size_t cap = 2 * s->cap + 64;
    cuzk_stage_term *t = cap <= UINT32_MAX ? cuzk_realloc(s->terms, cap, sizeof(*t)) : NULL;
    if (t == NULL) {
        fail_nomem(b);
        return false;
    }
    s->terms = t;
    s->cap = cap;
    return true;
}

void cuzk_builder_term(cuzk_builder *b, cuzk_matrix_id m, cuzk_var var, cuzk_coef coef)
{
    cuzk_stage *s = &b->stage[m];
    uint32_t order = 0;
    if (coef == CUZK_COEF_ZERO || is_dead(b)) {
        return;
    }
    if (!order_of(b->cur, var, &order) || coef >= b->coefs.n) {
        fail_term(b, var, coef);
        return;
    }
    if (s->n == s->cap && !grow_stage(b, s)) {
        return;
    }
    s->is_sorted = s->n == 0 || (s->is_sorted && s->terms[s->n - 1].order < order);
    const cuzk_stage_term t = {order, var, coef};
    s->terms[s->n++] = t;
}

static bool push_term(cuzk_builder *b, cuzk_word_list *l, const cuzk_stage_term *t, uint32_t *len)
{
    uint32_t code;
    const bool has_code = cuzk_col_encode(&code, t->var);
    if (has_code && t->coef < CUZK_COEF_TABLE) {
        *len += 1;
        return cuzk_word_list_push(l, code << 8 | t->coef);
    }
    const uint32_t c = cuzk_coef_table_use(&b->coefs, t->coef);
    if (has_code) {
        *len += 2;
        return cuzk_word_list_push(l, code << 8 | CUZK_COEF_ESCAPE) && cuzk_word_list_push(l, c);
    }
    *len += 3;
    return cuzk_word_list_push(l, CUZK_TERM_ESCAPE) && cuzk_word_list_push(l, c) &&
           cuzk_word_list_push(l, t->var);
}

static void set_bit(uint64_t *bitmap, uint32_t i)
{
    bitmap[i / 64] |= 1ULL << (i % 64);
}

/* Marks the columns of a side of A or B. */
static void mark_dense(cuzk_recorder *r, cuzk_matrix_id m, const cuzk_stage *s)
{
    uint64_t *aux = m == CUZK_MATRIX_A ? r->a_dense : r->b_dense;
    uint64_t *slots = m == CUZK_MATRIX_A ? r->a_slots : r->b_slots;
    for (size_t i = 0; i < s->n; i++) {
        const cuzk_stage_term *t = &s->terms[i];
        if ((t->order & CUZK_ORDER_AUX) != 0) {
            set_bit(aux, t->order & ~CUZK_ORDER_AUX);
        } else if (cuzk_var_get_kind(t->var) == CUZK_VAR_KIND_SLOT) {
            set_bit(slots, cuzk_var_index(t->var));
        } else if (m == CUZK_MATRIX_B) {
            set_bit(r->b_inputs, cuzk_var_index(t->var));
        }
    }
}

static bool end_side(cuzk_builder *b, cuzk_matrix_id m)
{
    cuzk_recorder *r = b->cur;
    cuzk_stage *s = &b->stage[m];
    if (s->n > 1 && !s->is_sorted && !cuzk_builder_tidy(b, s)) {
        return false;
    }
    if (m != CUZK_MATRIX_C) {
        mark_dense(r, m, s);
    }
    uint32_t len = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (!push_term(b, &r->m[m].words, &s->terms[i], &len)) {
            fail_nomem(b);
            return false;
        }
    }
    if (len >= CUZK_ROW_LONG && !cuzk_recorder_add_long_row(r, m, len)) {
        fail_nomem(b);
        return false;
    }
    r->m[m].len[r->n_rows] = len < CUZK_ROW_LONG ? (uint8_t)len : CUZK_ROW_LONG;
    r->m[m].nnz += s->n;
    s->n = 0;
    return true;
}

void cuzk_builder_row(cuzk_builder *b)
{
    if (is_dead(b)) {
        return;
    }
    if (b->cur->n_rows == b->cur->cap_rows && !cuzk_recorder_more_rows(b->cur)) {
        fail_nomem(b);
        return;
    }
    if (end_side(b, CUZK_MATRIX_A) && end_side(b, CUZK_MATRIX_B) && end_side(b, CUZK_MATRIX_C)) {
        b->cur->n_rows++;
    }
}

uint64_t cuzk_builder_n_rows(const cuzk_builder *b)
{
    return b->cur->n_rows;
}

void cuzk_builder_enter(cuzk_builder *b, const char *name, int32_t index)
{
    if (!is_dead(b) && !cuzk_recorder_enter(b->cur, name, index)) {
        fail_nomem(b);
    }
}

void cuzk_builder_leave(cuzk_builder *b)
{
    cuzk_recorder *r = b->cur;
    if (is_dead(b)) {
        return;
    }
    if (r->open_span < 0) {
        b->status =
            CUZK_FAIL(&b->err, CUZK_E_INVALID, "row %" PRIu64 " of the %s: no span to leave",
                      r->n_rows, phase_name(b));
        return;
    }
    const int32_t i = r->open_span;
    r->spans[i].row_end = r->n_rows;
    r->open_span = r->spans[i].parent;
    if (r->spans[i].row_begin == r->n_rows) {
        r->n_spans = (size_t)i; /* no rows, so none in what it encloses either */
    }
}

/* False (with the error in b) unless the part being recorded is complete. */
static bool end_part(cuzk_builder *b)
{
    const cuzk_recorder *r = b->cur;
    if (r->open_span >= 0) {
        b->status = CUZK_FAIL(&b->err, CUZK_E_INVALID, "the %s ends inside the span \"%s\"",
                              phase_name(b), r->spans[r->open_span].name);
        return false;
    }
    if (b->stage[0].n + b->stage[1].n + b->stage[2].n > 0) {
        b->status = CUZK_FAIL(&b->err, CUZK_E_INVALID,
                              "the %s ends with terms of an unfinished row", phase_name(b));
        return false;
    }
    return true;
}

static void start_part(cuzk_builder *b, cuzk_builder_phase phase)
{
    cuzk_recorder *r = &b->rec[phase];
    if (!cuzk_recorder_init(r, b->n_slots)) {
        fail_nomem(b);
        cuzk_recorder_deinit(r);
        return;
    }
    b->cur = r;
    b->phase = phase;
}

void cuzk_builder_begin_block(cuzk_builder *b, uint64_t n_blocks, uint32_t n_slots)
{
    if (is_dead(b) || !end_part(b)) {
        return;
    }
    if (b->phase != CUZK_BUILDER_PREAMBLE || n_blocks == 0 || n_slots >= MAX_INDEX ||
        n_blocks >= CUZK_WIRE_AUX) {
        b->status =
            CUZK_FAIL(&b->err, CUZK_E_INVALID,
                      "a circuit has one block, repeated 1 to 2^31 - 1 times, with less than "
                      "2^29 slots; asked for: %" PRIu64 " times, %u slots",
                      n_blocks, n_slots);
        return;
    }
    b->n_blocks = n_blocks;
    b->n_slots = n_slots;
    size_t n;
    if (n_slots > 0) {
        b->bound = cuzk_alloc_zero((size_t)n_blocks / 64 + 1, sizeof(*b->bound));
        b->bindings = cuzk_mul_size(&n, (size_t)n_blocks, n_slots)
                          ? cuzk_alloc_zero(n, sizeof(*b->bindings))
                          : NULL;
        if (b->bound == NULL || b->bindings == NULL) {
            fail_nomem(b);
            return;
        }
    }
    start_part(b, CUZK_BUILDER_BLOCK);
}

void cuzk_builder_name_block(cuzk_builder *b, const char *name)
{
    b->block_name = name;
}

void cuzk_builder_bind(cuzk_builder *b, uint64_t k, const cuzk_var *outs)
{
    if (is_dead(b)) {
        return;
    }
    if (b->phase == CUZK_BUILDER_PREAMBLE || k >= b->n_blocks) {
        b->status = CUZK_FAIL(&b->err, CUZK_E_INVALID, "bind: there is no block %" PRIu64, k);
        return;
    }
    for (uint32_t s = 0; s < b->n_slots; s++) {
        uint32_t order = 0;
        if (!order_of(&b->rec[CUZK_BUILDER_PREAMBLE], outs[s], &order)) {
            b->status = CUZK_FAIL(&b->err, CUZK_E_INVALID,
                                  "bind: slot %u of block %" PRIu64 ": no such preamble variable "
                                  "(kind %u, index %u)",
                                  s, k, outs[s] >> CUZK_VAR_KIND_SHIFT, cuzk_var_index(outs[s]));
            return;
        }
        const bool is_input = cuzk_var_get_kind(outs[s]) == CUZK_VAR_KIND_INPUT;
        b->bindings[k * b->n_slots + s] = is_input ? 1 + cuzk_var_index(outs[s]) : order;
    }
    if (b->n_slots > 0) {
        b->bound[k / 64] |= 1ULL << (k % 64);
    }
}

void cuzk_builder_record_again(cuzk_builder *b)
{
    if (is_dead(b) || !end_part(b)) {
        return;
    }
    if (b->phase != CUZK_BUILDER_BLOCK) {
        b->status = CUZK_FAIL(&b->err, CUZK_E_INVALID, "record_again: no block, or already done");
        return;
    }
    start_part(b, CUZK_BUILDER_AGAIN);
}

static cuzk_status finish(cuzk_builder *b, cuzk_circuit **out, cuzk_err *err)
{
    if (is_dead(b) || !end_part(b)) {
        if (err != NULL) {
            *err = b->err;
        }
        return b->status;
    }
    return cuzk_builder_assemble(b, out, err);
}

cuzk_status cuzk_builder_finish(cuzk_builder *b, cuzk_circuit **out, cuzk_err *err)
{
    const cuzk_status st = finish(b, out, err);
    cuzk_builder_clear(b);
    return st;
}
