/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "r1cs/random_circuit.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

enum { OP_INPUT, OP_BIT, OP_FULL, OP_TERM, OP_ROW, OP_ENTER, OP_LEAVE };

#define PALETTE 96u

cuzk_fr fr_of_ref(ref_fr a)
{
    uint8_t b[32];
    cuzk_fr f;
    ref_fr_to_bytes(b, a);
    CHECK(cuzk_fr_from_bytes_le(&f, b));
    return f;
}

ref_fr ref_of_fr(const cuzk_fr *a)
{
    uint8_t b[32];
    cuzk_fr_to_bytes_le(b, a);
    return ref_fr_bytes(b);
}

static ref_fr random_value(void)
{
    uint8_t b[32];
    test_bytes(b, sizeof(b));
    return ref_fr_bytes(b);
}

static void *array(size_t n, size_t size)
{
    void *p = calloc(n + 1, size);
    CHECK(p != NULL);
    return p;
}

static void make_palette(random_circuit *r)
{
    r->palette = array(PALETTE, sizeof(ref_fr));
    for (uint32_t i = 0; i < PALETTE; i++) {
        ref_fr v = ref_fr_u64(1);
        if (i < 64) {
            for (uint64_t k = i < 16 ? 0 : test_below(255); k > 0; k--) {
                v = ref_fr_add(v, v);
            }
        } else {
            v = i < 72 ? ref_fr_u64(i - 64) : random_value();
        }
        r->palette[i] = test_below(4) == 0 ? ref_fr_neg(v) : v;
    }
}

static void add_op(random_circuit *r, int part, uint8_t kind, uint8_t m, uint32_t var,
                   uint32_t coef)
{
    if (r->n_ops[part] == r->cap_ops[part]) {
        r->cap_ops[part] = 2 * r->cap_ops[part] + 64;
        r->ops[part] = realloc(r->ops[part], r->cap_ops[part] * sizeof(random_op));
        CHECK(r->ops[part] != NULL);
    }
    const random_op op = {kind, m, var, coef};
    r->ops[part][r->n_ops[part]++] = op;
}

/* Counts of a part being made. */
typedef struct counts {
    uint32_t inputs, bits, fulls, slots;
} counts;

static bool random_var(cuzk_var *out, const counts *n)
{
    switch (test_below(8)) {
    case 0: *out = CUZK_VAR_ONE; return true;
    case 1:
        *out = n->slots == 0 ? CUZK_VAR_ONE : cuzk_builder_slot((uint32_t)test_below(n->slots));
        return true;
    case 2:
        *out = n->inputs == 0 ? CUZK_VAR_ONE
                              : cuzk_var_make(CUZK_VAR_KIND_INPUT, (uint32_t)test_below(n->inputs));
        return true;
    case 3:
    case 4:
        if (n->fulls > 0) {
            *out = cuzk_var_make(CUZK_VAR_KIND_FULL, (uint32_t)test_below(n->fulls));
        }
        return n->fulls > 0;
    default:
        if (n->bits > 0) {
            *out = cuzk_var_make(CUZK_VAR_KIND_BIT, (uint32_t)test_below(n->bits));
        }
        return n->bits > 0;
    }
}

static void make_side(random_circuit *r, int part, uint8_t m, const counts *n)
{
    size_t terms = test_below(r->cfg.max_terms + 1);
    if (test_below(24) == 0) {
        terms *= 20;
    }
    const bool runs = test_below(2) == 0 && n->bits > 40; /* of ascending bits, as packed words */
    for (size_t i = 0; i < terms; i++) {
        cuzk_var v;
        if (runs) {
            const uint32_t from = (uint32_t)test_below(n->bits - 32);
            for (uint32_t k = 0; k < 32 && i < terms; k++, i++) {
                add_op(r, part, OP_TERM, m, cuzk_var_make(CUZK_VAR_KIND_BIT, from + k), k);
            }
        } else if (random_var(&v, n)) {
            add_op(r, part, OP_TERM, m, v, (uint32_t)test_below(PALETTE));
        }
    }
}

static void make_part(random_circuit *r, int part, counts *n)
{
    int depth = 0;
    for (size_t row = 0; row < r->cfg.rows[part]; row++) {
        for (uint64_t k = test_below(6); k > 0; k--) {
            const bool bit = !r->cfg.only_fulls && test_below(4) != 0;
            add_op(r, part, bit ? OP_BIT : OP_FULL, 0, 0, 0);
            *(bit ? &n->bits : &n->fulls) += 1;
        }
        if (test_below(5) == 0) {
            add_op(r, part, OP_INPUT, 0, 0, 0);
            n->inputs++;
        }
        if (test_below(6) == 0) {
            add_op(r, part, OP_ENTER, 0, 0, 0);
            depth++;
        }
        const uint64_t how = test_below(8);
        if (how != 0) {
            make_side(r, part, 0, n);
        }
        if (how != 1) {
            make_side(r, part, 1, n);
        }
        if (how > 1) {
            make_side(r, part, 2, n);
            add_op(r, part, OP_FULL, 0, 0, 0);
            add_op(r, part, OP_TERM, 2, cuzk_var_make(CUZK_VAR_KIND_FULL, n->fulls++), UINT32_MAX);
        }
        add_op(r, part, OP_ROW, 0, 0, 0);
        if (depth > 0 && test_below(3) == 0) {
            add_op(r, part, OP_LEAVE, 0, 0, 0);
            depth--;
        }
    }
    while (depth-- > 0) {
        add_op(r, part, OP_LEAVE, 0, 0, 0);
    }
}

static void record_part(const random_circuit *r, int part, cuzk_builder *b)
{
    for (size_t i = 0; i < r->n_ops[part]; i++) {
        const random_op *op = &r->ops[part][i];
        switch (op->kind) {
        case OP_INPUT: (void)cuzk_builder_input(b); break;
        case OP_BIT: (void)cuzk_builder_bit(b); break;
        case OP_FULL: (void)cuzk_builder_full(b); break;
        case OP_ROW: cuzk_builder_row(b); break;
        case OP_ENTER: cuzk_builder_enter(b, "span", (int32_t)(i % 7) - 1); break;
        case OP_LEAVE: cuzk_builder_leave(b); break;
        default: {
            cuzk_coef coef = CUZK_COEF_ONE;
            if (op->coef != UINT32_MAX) {
                const cuzk_fr v = fr_of_ref(r->palette[op->coef]);
                coef = cuzk_builder_coef(b, &v);
            }
            cuzk_builder_term(b, (cuzk_matrix_id)op->m, op->var, coef);
        }
        }
    }
}

void random_circuit_record(const random_circuit *r, cuzk_builder *b)
{
    record_part(r, 0, b);
    if (r->cfg.n_blocks == 0) {
        return;
    }
    cuzk_builder_begin_block(b, r->cfg.n_blocks, r->n_slots);
    for (uint64_t k = 0; k < r->cfg.n_blocks; k++) {
        cuzk_builder_bind(b, k, r->bind + k * r->n_slots);
    }
    record_part(r, 1, b);
}

/* Aux wires of the whole circuit by class and rank of one part. */
typedef struct ranks {
    uint32_t *bits, *fulls;
    uint32_t n_bits, n_fulls, n_inputs, first_input;
} ranks;

static uint32_t wire_of(const ranks *k, const uint32_t *slots, cuzk_var v)
{
    const uint32_t i = cuzk_var_index(v);
    if (cuzk_var_get_kind(v) == CUZK_VAR_KIND_BIT) {
        return REF_AUX | k->bits[i];
    }
    if (cuzk_var_get_kind(v) == CUZK_VAR_KIND_FULL) {
        return REF_AUX | k->fulls[i];
    }
    if (cuzk_var_get_kind(v) == CUZK_VAR_KIND_INPUT) {
        return k->first_input + i;
    }
    return i == 0 ? 0 : slots[i - 1];
}

static void expand_part(random_circuit *r, int part, const uint32_t *slots, ranks *k)
{
    const size_t n = r->n_ops[part];
    k->bits = array(n, sizeof(uint32_t));
    k->fulls = array(n, sizeof(uint32_t));
    k->n_bits = k->n_fulls = k->n_inputs = 0;
    k->first_input = r->ref.n_inputs;
    r->own[r->ref.n_rows] = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        const random_op *op = &r->ops[part][i];
        switch (op->kind) {
        case OP_INPUT: r->ref.n_inputs++; break;
        case OP_BIT:
            r->is_bit[r->ref.n_aux] = 1;
            k->bits[k->n_bits++] = r->ref.n_aux++;
            break;
        case OP_FULL: k->fulls[k->n_fulls++] = r->ref.n_aux++; break;
        case OP_TERM: {
            const uint32_t w = wire_of(k, slots, op->var);
            const bool own = op->coef == UINT32_MAX;
            ref_r1cs_term(&r->ref, op->m, w, own ? ref_fr_u64(1) : r->palette[op->coef]);
            if (own) {
                r->own[r->ref.n_rows] = w & ~REF_AUX;
            }
            break;
        }
        case OP_ROW:
            ref_r1cs_row(&r->ref);
            r->own[r->ref.n_rows] = UINT32_MAX;
            break;
        default: break;
        }
    }
}

static void free_ranks(ranks *k)
{
    free(k->bits);
    free(k->fulls);
}

/* Distinct preamble variables for every slot of every block. */
static void make_bindings(random_circuit *r, const counts *pre)
{
    const uint32_t total = pre->inputs + pre->bits + pre->fulls;
    r->n_slots =
        r->cfg.n_blocks == 0 || total == 0 ? 0 : (uint32_t)test_below(total < 70 ? total : 70);
    r->bind = array((size_t)r->cfg.n_blocks * r->n_slots, sizeof(cuzk_var));
    for (uint64_t k = 0; k < r->cfg.n_blocks; k++) {
        const uint32_t from = (uint32_t)test_below(total + 1);
        for (uint32_t s = 0; s < r->n_slots; s++) {
            uint32_t i = (from + s * (total / r->n_slots)) % total;
            cuzk_var *v = &r->bind[k * r->n_slots + s];
            if (i < pre->inputs) {
                *v = cuzk_var_make(CUZK_VAR_KIND_INPUT, i);
            } else if (i - pre->inputs < pre->bits) {
                *v = cuzk_var_make(CUZK_VAR_KIND_BIT, i - pre->inputs);
            } else {
                *v = cuzk_var_make(CUZK_VAR_KIND_FULL, i - pre->inputs - pre->bits);
            }
        }
    }
}

static void expand(random_circuit *r)
{
    const size_t most = r->n_ops[0] + r->n_ops[1] * (size_t)r->cfg.n_blocks;
    ranks pre, k;
    ref_r1cs_init(&r->ref);
    r->is_bit = array(most, 1);
    r->own = array(most, sizeof(uint32_t));
    expand_part(r, 0, NULL, &pre);
    r->n_pre_inputs = r->ref.n_inputs;
    r->n_pre_aux = r->ref.n_aux;
    uint32_t *slots = array(r->n_slots, sizeof(uint32_t));
    for (uint64_t b = 0; b < r->cfg.n_blocks; b++) {
        for (uint32_t s = 0; s < r->n_slots; s++) {
            slots[s] = wire_of(&pre, NULL, r->bind[b * r->n_slots + s]);
        }
        expand_part(r, 1, slots, &k);
        free_ranks(&k);
    }
    free(slots);
    free_ranks(&pre);
    ref_r1cs_tidy(&r->ref);
}

static void solve(random_circuit *r)
{
    const ref_r1cs *q = &r->ref;
    r->inputs = array(q->n_inputs, sizeof(ref_fr));
    r->aux = array(q->n_aux, sizeof(ref_fr));
    r->inputs[0] = ref_fr_u64(1);
    for (uint32_t i = 1; i < q->n_inputs; i++) {
        r->inputs[i] = random_value();
    }
    for (uint32_t i = 0; i < q->n_aux; i++) {
        r->aux[i] = r->is_bit[i] != 0 ? ref_fr_u64(test_below(2)) : random_value();
    }
    for (size_t i = 0; i < q->n_rows; i++) {
        if (r->own[i] != UINT32_MAX) {
            ref_fr *v = &r->aux[r->own[i]];
            *v = ref_fr_u64(0);
            const ref_fr ab = ref_fr_mul(ref_r1cs_dot(q, 0, i, r->inputs, r->aux),
                                         ref_r1cs_dot(q, 1, i, r->inputs, r->aux));
            *v = ref_fr_add(ab, ref_fr_neg(ref_r1cs_dot(q, 2, i, r->inputs, r->aux)));
        }
    }
    CHECK_U64(ref_r1cs_check(q, r->inputs, r->aux), q->n_rows);
}

void random_circuit_make(random_circuit *r, const random_cfg *cfg)
{
    counts n[2];
    cuzk_builder *b;
    cuzk_err err;
    memset(r, 0, sizeof(*r));
    memset(n, 0, sizeof(n));
    r->cfg = *cfg;
    make_palette(r);
    make_part(r, 0, &n[0]);
    make_bindings(r, &n[0]);
    n[1].slots = r->n_slots;
    if (cfg->n_blocks > 0) {
        make_part(r, 1, &n[1]);
    }
    expand(r);
    solve(r);
    CHECK_OK(cuzk_builder_create(&b, &err), &err);
    random_circuit_record(r, b);
    CHECK_OK(cuzk_builder_finish(b, &r->c, &err), &err);
    cuzk_builder_destroy(b);
}

void random_circuit_free(random_circuit *r)
{
    for (int i = 0; i < 2; i++) {
        free(r->ops[i]);
    }
    free(r->palette);
    free(r->bind);
    free(r->is_bit);
    free(r->own);
    free(r->inputs);
    free(r->aux);
    ref_r1cs_deinit(&r->ref);
    cuzk_circuit_destroy(r->c);
}

cuzk_witness *random_circuit_witness(const random_circuit *r)
{
    cuzk_fr *inputs = array(r->ref.n_inputs, sizeof(cuzk_fr));
    cuzk_fr *aux = array(r->ref.n_aux, sizeof(cuzk_fr));
    cuzk_witness *w;
    cuzk_err err;
    for (uint32_t i = 0; i < r->ref.n_inputs; i++) {
        inputs[i] = fr_of_ref(r->inputs[i]);
    }
    for (uint32_t i = 0; i < r->ref.n_aux; i++) {
        aux[i] = fr_of_ref(r->aux[i]);
    }
    CHECK_OK(cuzk_witness_create(&w, r->c, &err), &err);
    if (test_below(2) == 0) { /* what was there before does not matter */
        for (uint64_t k = 0; k <= r->c->n_blocks; k++) {
            const cuzk_circuit_part *part = k == 0 ? &r->c->preamble : &r->c->block;
            const cuzk_witness_part p =
                k == 0 ? cuzk_witness_preamble(w) : cuzk_witness_block(w, k - 1);
            for (uint64_t i = 0; i < part->n_bits; i++) {
                p.bits[i / 64] |= 1ULL << (i % 64);
            }
        }
    }
    CHECK_OK(cuzk_witness_set_all(w, inputs, aux, &err), &err);
    free(inputs);
    free(aux);
    return w;
}
