/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The end of recording: joins the growable arrays, spreads over the preamble what blocks use
 * through their slots, and totals everything over all blocks.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "r1cs/build/builder_internal.h"
#include "r1cs/identity_internal.h"
#include "r1cs/rows.h"

#define FAIL_NOMEM(err) CUZK_FAIL((err), CUZK_E_NOMEM, "no memory for the compiled circuit")

static bool has_bit(const uint64_t *bitmap, uint64_t i)
{
    return (bitmap[i / 64] >> (i % 64) & 1) != 0;
}

static void set_bit(uint64_t *bitmap, uint64_t i)
{
    bitmap[i / 64] |= 1ULL << (i % 64);
}

static uint64_t popcount(const uint64_t *bitmap, uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < (n + 63) / 64; i++) {
        sum += (uint64_t)__builtin_popcountll(bitmap[i]);
    }
    return sum;
}

static cuzk_status check_bindings(const cuzk_builder *b, cuzk_err *err)
{
    for (uint64_t k = 0; b->n_slots > 0 && k < b->n_blocks; k++) {
        if (!has_bit(b->bound, k)) {
            return CUZK_FAIL(err, CUZK_E_INVALID, "the slots of block %" PRIu64 " are not bound",
                             k);
        }
    }
    return CUZK_OK;
}

static cuzk_status total(cuzk_circuit *c, cuzk_err *err)
{
    const cuzk_circuit_part *p = &c->preamble, *k = &c->block;
    uint64_t rows = 0, inputs = 0, aux = 0, words = 0;
    c->bit_stride = (k->n_bits + 63) / 64;
    bool over = __builtin_mul_overflow(k->n_rows, c->n_blocks, &rows) ||
                __builtin_mul_overflow(k->n_inputs, c->n_blocks, &inputs) ||
                __builtin_mul_overflow(k->n_aux, c->n_blocks, &aux);
    for (int i = 0; i < 3 && !over; i++) {
        over = __builtin_mul_overflow(k->m[i].nnz, c->n_blocks, &words) ||
               __builtin_add_overflow(words, p->m[i].nnz, &c->nnz[i]);
    }
    if (over || rows > UINT64_MAX / 2 || inputs >= CUZK_WIRE_AUX || aux >= CUZK_WIRE_AUX ||
        inputs + p->n_inputs + 1 >= CUZK_WIRE_AUX || aux + p->n_aux >= CUZK_WIRE_AUX) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "%" PRIu64 " blocks make a circuit of more than 2^31 wires", c->n_blocks);
    }
    c->n_rows = p->n_rows + rows;
    c->n_inputs = 1 + p->n_inputs + inputs;
    c->n_aux = p->n_aux + aux;
    c->n_bits = p->n_bits + k->n_bits * c->n_blocks;
    c->n_fulls = p->n_fulls + k->n_fulls * c->n_blocks;
    return CUZK_OK;
}

static void mark_wire(cuzk_circuit *c, cuzk_matrix_id m, cuzk_wire w)
{
    if ((w & CUZK_WIRE_AUX) != 0) {
        set_bit(m == CUZK_MATRIX_A ? c->preamble.a_dense : c->preamble.b_dense, w & ~CUZK_WIRE_AUX);
    } else if (m == CUZK_MATRIX_B) {
        set_bit(c->b_input_dense, w);
    }
}

static void mark_inputs(cuzk_circuit *c, const cuzk_recorder *r, uint64_t first)
{
    for (uint64_t i = 0; i < r->n_inputs; i++) {
        if (has_bit(r->b_inputs, i)) {
            set_bit(c->b_input_dense, first + i);
        }
    }
}

static void densities(cuzk_circuit *c, const cuzk_builder *b)
{
    const cuzk_recorder *p = &b->rec[CUZK_BUILDER_PREAMBLE], *k = &b->rec[CUZK_BUILDER_BLOCK];
    if (has_bit(p->b_slots, 0)) {
        mark_wire(c, CUZK_MATRIX_B, 0);
    }
    mark_inputs(c, p, 1);
    for (uint64_t i = 0; i < c->n_blocks; i++) {
        const cuzk_part_base base = cuzk_circuit_part_base(c, 1 + i);
        mark_inputs(c, k, base.input);
        for (uint32_t s = 0; s <= k->n_slots; s++) {
            const cuzk_wire w = s == 0 ? 0 : base.slots[s - 1];
            if (has_bit(k->a_slots, s)) {
                mark_wire(c, CUZK_MATRIX_A, w);
            }
            if (has_bit(k->b_slots, s)) {
                mark_wire(c, CUZK_MATRIX_B, w);
            }
        }
    }
    c->b_input_dense_one = (uint8_t)(c->b_input_dense[0] & 1);
    c->a_aux_density = popcount(c->preamble.a_dense, c->preamble.n_aux);
    c->b_aux_density = popcount(c->preamble.b_dense, c->preamble.n_aux);
    c->b_input_density = popcount(c->b_input_dense, c->n_inputs);
    if (c->n_blocks > 0) {
        c->a_aux_density += c->n_blocks * popcount(c->block.a_dense, c->block.n_aux);
        c->b_aux_density += c->n_blocks * popcount(c->block.b_dense, c->block.n_aux);
    }
}

/*
 * Two slots of block k that stand for one wire must not meet in a row: the row would have that
 * wire twice. Slots come first in a row. seen: scratch bitmap over wires of the preamble, all 0.
 */
static cuzk_status check_meeting(const cuzk_circuit *c, uint64_t k, cuzk_err *err)
{
    const cuzk_part_base base = cuzk_circuit_part_base(c, 1 + k);
    for (int m = 0; m < 3; m++) {
        cuzk_row_cursor cur = cuzk_row_cursor_at(&c->block.m[m], 0);
        while (cur.row < c->block.n_rows) {
            const uint32_t *p;
            const uint32_t len = cuzk_row_cursor_next(&cur, &p);
            const uint32_t *end = p + len;
            while (p < end) {
                uint32_t coef;
                const uint32_t *q;
                const cuzk_var v = cuzk_term_next(&p, &coef);
                if (cuzk_var_get_kind(v) != CUZK_VAR_KIND_SLOT) {
                    break;
                }
                const cuzk_wire w = v == CUZK_VAR_ONE ? 0 : base.slots[cuzk_var_index(v) - 1];
                for (q = p; q < end;) {
                    const cuzk_var u = cuzk_term_next(&q, &coef);
                    if (cuzk_var_get_kind(u) != CUZK_VAR_KIND_SLOT) {
                        break;
                    }
                    if (base.slots[cuzk_var_index(u) - 1] == w) {
                        return CUZK_FAIL(err, CUZK_E_INVALID,
                                         "block %" PRIu64 ": slot %u stands for the same wire as "
                                         "another term of row %" PRIu64 " of the block",
                                         k, cuzk_var_index(u) - 1, cur.row - 1);
                    }
                }
            }
        }
    }
    return CUZK_OK;
}

static cuzk_status check_slots(const cuzk_circuit *c, cuzk_err *err)
{
    const uint32_t n = c->block.n_slots;
    if (n == 0) {
        return CUZK_OK;
    }
    const uint64_t n_wires = 1 + (uint64_t)c->preamble.n_inputs + c->preamble.n_aux;
    uint64_t *seen = cuzk_alloc_zero((size_t)n_wires / 64 + 1, sizeof(*seen));
    if (seen == NULL) {
        return FAIL_NOMEM(err);
    }
    cuzk_status st = CUZK_OK;
    for (uint64_t k = 0; k < c->n_blocks && st == CUZK_OK; k++) {
        const cuzk_wire *slots = c->bindings + k * n;
        bool twice = false;
        for (int pass = 0; pass < 2; pass++) { /* mark, then clear again */
            for (uint32_t s = 0; s < n; s++) {
                const uint64_t i = (slots[s] & CUZK_WIRE_AUX) != 0
                                       ? 1 + c->preamble.n_inputs + (slots[s] & ~CUZK_WIRE_AUX)
                                       : slots[s];
                if (pass == 0) {
                    twice |= i == 0 || has_bit(seen, i);
                    set_bit(seen, i);
                } else {
                    seen[i / 64] = 0;
                }
            }
        }
        if (twice) {
            st = check_meeting(c, k, err);
        }
    }
    cuzk_free(seen);
    return st;
}

static bool same_row(cuzk_row_cursor *x, cuzk_row_cursor *y)
{
    const uint32_t *p, *q;
    const uint32_t n = cuzk_row_cursor_next(x, &p), k = cuzk_row_cursor_next(y, &q);
    return n == k && memcmp(p, q, n * sizeof(*p)) == 0;
}

/* The block recorded a second time against the first. */
static cuzk_status compare_blocks(const cuzk_circuit *c, const cuzk_circuit_part *y, cuzk_err *err)
{
    const cuzk_circuit_part *x = &c->block;
    const uint64_t n_rows = x->n_rows < y->n_rows ? x->n_rows : y->n_rows;
    char path[128];
    for (int m = 0; m < 3; m++) {
        cuzk_row_cursor a = cuzk_row_cursor_at(&x->m[m], 0), b = cuzk_row_cursor_at(&y->m[m], 0);
        while (a.row < n_rows) {
            if (!same_row(&a, &b)) {
                return CUZK_FAIL(
                    err, CUZK_E_SELFTEST, "blocks differ in row %" PRIu64 " of %c (%s)", a.row - 1,
                    "ABC"[m],
                    cuzk_circuit_row_path(c, c->preamble.n_rows + a.row - 1, path, sizeof(path)));
            }
        }
    }
    if (x->n_rows != y->n_rows || x->n_inputs != y->n_inputs || x->n_aux != y->n_aux) {
        return CUZK_FAIL(err, CUZK_E_SELFTEST,
                         "blocks differ: %" PRIu64 " and %" PRIu64 " rows, %u and %u inputs, "
                         "%" PRIu64 " and %" PRIu64 " aux wires",
                         x->n_rows, y->n_rows, x->n_inputs, y->n_inputs, x->n_aux, y->n_aux);
    }
    for (uint64_t i = 0; i < x->n_aux; i++) {
        if (has_bit(x->is_full, i) != has_bit(y->is_full, i)) {
            return CUZK_FAIL(err, CUZK_E_SELFTEST,
                             "blocks differ in the class of their aux wire %" PRIu64, i);
        }
    }
    return CUZK_OK;
}

static cuzk_status compare_again(cuzk_circuit *c, cuzk_builder *b, cuzk_err *err)
{
    cuzk_circuit *other = cuzk_alloc_zero(1, sizeof(*other));
    if (other == NULL) {
        return FAIL_NOMEM(err);
    }
    const cuzk_status st = cuzk_recorder_finish(&b->rec[CUZK_BUILDER_AGAIN], &other->block)
                               ? compare_blocks(c, &other->block, err)
                               : FAIL_NOMEM(err);
    cuzk_circuit_destroy(other);
    return st;
}

static bool take_coeffs(cuzk_circuit *c, const cuzk_coef_table *t)
{
    c->n_coeffs = t->n_used;
    c->coeffs = cuzk_alloc(t->n_used, sizeof(*c->coeffs));
    for (uint32_t i = 0; c->coeffs != NULL && i < t->n; i++) {
        if (t->used[i] != CUZK_COEF_NONE) {
            c->coeffs[t->used[i]] = t->value[i];
        }
    }
    return c->coeffs != NULL;
}

static cuzk_status assemble(cuzk_circuit *c, cuzk_builder *b, cuzk_err *err)
{
    CUZK_TRY(check_bindings(b, err));
    if (b->phase == CUZK_BUILDER_PREAMBLE &&
        !cuzk_recorder_init(&b->rec[CUZK_BUILDER_BLOCK], 0)) { /* an empty block, 0 times */
        return FAIL_NOMEM(err);
    }
    if (!cuzk_recorder_finish(&b->rec[CUZK_BUILDER_PREAMBLE], &c->preamble) ||
        !cuzk_recorder_finish(&b->rec[CUZK_BUILDER_BLOCK], &c->block) ||
        !take_coeffs(c, &b->coefs)) {
        return FAIL_NOMEM(err);
    }
    c->n_blocks = b->n_blocks;
    c->block_name = b->block_name;
    c->bindings = b->bindings;
    b->bindings = NULL;
    CUZK_TRY(total(c, err));
    c->b_input_dense = cuzk_alloc_zero((size_t)(c->n_inputs + 63) / 64, sizeof(uint64_t));
    if (c->b_input_dense == NULL) {
        return FAIL_NOMEM(err);
    }
    CUZK_TRY(check_slots(c, err));
    densities(c, b);
    if (b->phase == CUZK_BUILDER_AGAIN) {
        CUZK_TRY(compare_again(c, b, err));
    }
    cuzk_circuit_identify(c);
    return CUZK_OK;
}

cuzk_status cuzk_builder_assemble(cuzk_builder *b, cuzk_circuit **out, cuzk_err *err)
{
    cuzk_circuit *c = cuzk_alloc_zero(1, sizeof(*c));
    if (c == NULL) {
        return FAIL_NOMEM(err);
    }
    const cuzk_status st = assemble(c, b, err);
    if (st != CUZK_OK) {
        cuzk_circuit_destroy(c);
        return st;
    }
    *out = c;
    return CUZK_OK;
}
