/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "groth16/circuits.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

void test_fr(cuzk_fr *out)
{
    cuzk_scalar s = {{test_u64(), test_u64(), test_u64(), test_u64()}};
    switch (test_below(8)) {
    case 0: cuzk_fr_from_u64(out, test_below(2)); return;
    case 1: cuzk_fr_from_u64(out, test_u64()); return;
    case 2: cuzk_fr_neg(out, &CUZK_FR_ONE); return;
    default: cuzk_fr_from_scalar(out, &s);
    }
}

void test_instance_destroy(test_instance *t)
{
    cuzk_witness_destroy(t->w);
    cuzk_circuit_destroy(t->c);
}

void test_draft_begin(test_draft *d)
{
    cuzk_err err;
    memset(d, 0, sizeof(*d));
    CHECK_OK(cuzk_builder_create(&d->b, &err), &err);
}

static cuzk_var put(test_draft *d, cuzk_var var, const cuzk_fr *v, bool is_input)
{
    if (d->n == d->cap) {
        d->cap = 2 * d->cap + 64;
        d->vars = realloc(d->vars, d->cap * sizeof(*d->vars));
        d->vals = realloc(d->vals, d->cap * sizeof(*d->vals));
        d->is_input = realloc(d->is_input, d->cap * sizeof(*d->is_input));
        CHECK(d->vars != NULL && d->vals != NULL && d->is_input != NULL);
    }
    d->vars[d->n] = var;
    d->vals[d->n] = *v;
    d->is_input[d->n] = is_input;
    d->n++;
    return var;
}

cuzk_var test_draft_input(test_draft *d, const cuzk_fr *v)
{
    return put(d, cuzk_builder_input(d->b), v, true);
}

cuzk_var test_draft_full(test_draft *d, const cuzk_fr *v)
{
    return put(d, cuzk_builder_full(d->b), v, false);
}

void test_draft_term(test_draft *d, cuzk_matrix_id m, cuzk_var v, int64_t k)
{
    cuzk_fr f;
    cuzk_fr_from_u64(&f, (uint64_t)(k < 0 ? -k : k));
    if (k < 0) {
        cuzk_fr_neg(&f, &f);
    }
    cuzk_builder_term(d->b, m, v, cuzk_builder_coef(d->b, &f));
}

cuzk_var test_draft_square(test_draft *d, const cuzk_fr *x)
{
    cuzk_fr y;
    cuzk_fr_mul(&y, x, x);
    const cuzk_var vx = test_draft_full(d, x), vy = test_draft_full(d, &y);
    test_draft_term(d, CUZK_MATRIX_A, vx, 1);
    test_draft_term(d, CUZK_MATRIX_B, vx, 1);
    test_draft_term(d, CUZK_MATRIX_C, vy, 1);
    cuzk_builder_row(d->b);
    return vy;
}

cuzk_var test_draft_bit(test_draft *d, bool v)
{
    const cuzk_var b = put(d, cuzk_builder_bit(d->b), v ? &CUZK_FR_ONE : &CUZK_FR_ZERO, false);
    test_draft_term(d, CUZK_MATRIX_A, CUZK_VAR_ONE, 1);
    test_draft_term(d, CUZK_MATRIX_A, b, -1);
    test_draft_term(d, CUZK_MATRIX_B, b, 1);
    cuzk_builder_row(d->b);
    return b;
}

static test_instance finish(test_draft *d, cuzk_circuit *c)
{
    test_instance t = {.c = c};
    cuzk_err err;
    cuzk_fr *inputs = malloc((d->n + 1) * sizeof(*inputs));
    cuzk_fr *aux = malloc((d->n + 1) * sizeof(*aux));
    size_t n_in = 1, n_aux = 0;
    CHECK(inputs != NULL && aux != NULL);
    inputs[0] = CUZK_FR_ONE;
    for (size_t i = 0; i < d->n; i++) {
        if (d->is_input[i]) {
            inputs[n_in++] = d->vals[i];
        } else {
            aux[n_aux++] = d->vals[i];
        }
    }
    CHECK_U64(c->n_inputs, n_in);
    CHECK_U64(c->n_aux, n_aux);
    CHECK_OK(cuzk_witness_create(&t.w, c, &err), &err);
    CHECK_OK(cuzk_witness_set_all(t.w, inputs, aux, &err), &err);
    CHECK_OK(cuzk_r1cs_check(t.w, NULL, NULL, NULL, &err), &err);
    free(inputs);
    free(aux);
    free(d->vars);
    free(d->vals);
    free(d->is_input);
    memset(d, 0, sizeof(*d));
    return t;
}

test_instance test_draft_finish(test_draft *d)
{
    cuzk_circuit *c = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_builder_finish(d->b, &c, &err), &err);
    cuzk_builder_destroy(d->b);
    return finish(d, c);
}

/* Adds 1..4 terms over wires so far to a side; *sum += their value. */
static void random_side(test_draft *d, cuzk_matrix_id m, cuzk_fr *sum)
{
    *sum = CUZK_FR_ZERO;
    for (size_t k = 1 + test_below(4); k > 0; k--) {
        const size_t i = test_below(d->n + 1);
        cuzk_fr coef, t;
        test_fr(&coef);
        const bool one = i == d->n;
        cuzk_builder_term(d->b, m, one ? CUZK_VAR_ONE : d->vars[i], cuzk_builder_coef(d->b, &coef));
        cuzk_fr_mul(&t, &coef, one ? &CUZK_FR_ONE : &d->vals[i]);
        cuzk_fr_add(sum, sum, &t);
    }
}

/* A new wire that is the product of two random sums. */
static void random_product(test_draft *d, bool input)
{
    cuzk_fr a, b;
    random_side(d, CUZK_MATRIX_A, &a);
    random_side(d, CUZK_MATRIX_B, &b);
    cuzk_fr_mul(&a, &a, &b);
    const cuzk_var v = input ? test_draft_input(d, &a) : test_draft_full(d, &a);
    test_draft_term(d, CUZK_MATRIX_C, v, 1);
    cuzk_builder_row(d->b);
}

test_instance test_circuit_random(size_t rows, size_t n_inputs)
{
    test_draft d;
    cuzk_fr v;
    size_t inputs = 1;
    /* Bits in long runs too, as circuits of bitwise hashes have them. */
    const uint64_t fulls_of_100 = test_below(2) != 0 ? 50 : 2;
    test_draft_begin(&d);
    /* Some inputs before any row, the others as results of rows. */
    while (inputs < n_inputs / 2) {
        test_fr(&v);
        (void)test_draft_input(&d, &v);
        inputs++;
    }
    for (size_t row = 0; row < rows; row++) {
        if (inputs < n_inputs &&
            (test_below(rows) < 2 * n_inputs || rows - row <= n_inputs - inputs)) {
            random_product(&d, true);
            inputs++;
        } else if (test_below(100) >= fulls_of_100) {
            (void)test_draft_bit(&d, test_below(2) != 0);
        } else {
            random_product(&d, false);
        }
    }
    return test_draft_finish(&d);
}

/*
 * Preamble: full s = 5 and, per block, full p_k with p_k * 1 = s + k. Block k: bit b, full x,
 * full y = x (x + p_k + 3 b), input z = y + s.
 */
test_instance test_circuit_blocks(uint64_t n_blocks)
{
    test_draft d;
    cuzk_fr t, u;
    cuzk_circuit *c = NULL;
    cuzk_err err;
    test_draft_begin(&d);
    cuzk_fr_from_u64(&t, 5);
    const cuzk_var s = test_draft_full(&d, &t);
    cuzk_var *p = malloc((size_t)n_blocks * sizeof(*p));
    CHECK(p != NULL);
    for (uint64_t k = 0; k < n_blocks; k++) {
        cuzk_fr_from_u64(&t, 5 + k);
        p[k] = test_draft_full(&d, &t);
        test_draft_term(&d, CUZK_MATRIX_A, p[k], 1);
        test_draft_term(&d, CUZK_MATRIX_B, CUZK_VAR_ONE, 1);
        test_draft_term(&d, CUZK_MATRIX_C, s, 1);
        test_draft_term(&d, CUZK_MATRIX_C, CUZK_VAR_ONE, (int64_t)k);
        cuzk_builder_row(d.b);
    }
    cuzk_builder_begin_block(d.b, n_blocks, 2);
    const cuzk_var b = cuzk_builder_bit(d.b);
    const cuzk_var x = cuzk_builder_full(d.b);
    const cuzk_var y = cuzk_builder_full(d.b);
    const cuzk_var z = cuzk_builder_input(d.b);
    test_draft_term(&d, CUZK_MATRIX_A, CUZK_VAR_ONE, 1);
    test_draft_term(&d, CUZK_MATRIX_A, b, -1);
    test_draft_term(&d, CUZK_MATRIX_B, b, 1);
    cuzk_builder_row(d.b);
    test_draft_term(&d, CUZK_MATRIX_A, x, 1);
    test_draft_term(&d, CUZK_MATRIX_B, x, 1);
    test_draft_term(&d, CUZK_MATRIX_B, cuzk_builder_slot(0), 1);
    test_draft_term(&d, CUZK_MATRIX_B, b, 3);
    test_draft_term(&d, CUZK_MATRIX_C, y, 1);
    cuzk_builder_row(d.b);
    test_draft_term(&d, CUZK_MATRIX_A, z, 1);
    test_draft_term(&d, CUZK_MATRIX_B, CUZK_VAR_ONE, 1);
    test_draft_term(&d, CUZK_MATRIX_C, y, 1);
    test_draft_term(&d, CUZK_MATRIX_C, cuzk_builder_slot(1), 1);
    cuzk_builder_row(d.b);
    for (uint64_t k = 0; k < n_blocks; k++) {
        const cuzk_var slots[2] = {p[k], s};
        cuzk_builder_bind(d.b, k, slots);
    }
    CHECK_OK(cuzk_builder_finish(d.b, &c, &err), &err);
    cuzk_builder_destroy(d.b);
    free(p);
    for (uint64_t k = 0; k < n_blocks; k++) {
        cuzk_fr bit, xv, yv, zv;
        cuzk_fr_from_u64(&bit, test_below(2));
        test_fr(&xv);
        cuzk_fr_from_u64(&t, 5 + k);
        cuzk_fr_from_u64(&u, 3);
        cuzk_fr_mul(&u, &u, &bit);
        cuzk_fr_add(&t, &t, &u);
        cuzk_fr_add(&t, &t, &xv);
        cuzk_fr_mul(&yv, &t, &xv);
        cuzk_fr_from_u64(&u, 5);
        cuzk_fr_add(&zv, &yv, &u);
        (void)put(&d, 0, &bit, false);
        (void)put(&d, 0, &xv, false);
        (void)put(&d, 0, &yv, false);
        (void)put(&d, 0, &zv, true);
    }
    return finish(&d, c);
}

test_instance test_circuit_runs(size_t n, size_t length)
{
    test_draft d;
    test_draft_begin(&d);
    for (size_t i = 0; i < n; i++) {
        cuzk_fr x;
        if (i / length % 2 == 0) {
            (void)test_draft_bit(&d, test_below(2) != 0);
            continue;
        }
        test_fr(&x);
        (void)test_draft_square(&d, &x);
    }
    return test_draft_finish(&d);
}
