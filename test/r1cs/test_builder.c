/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Hand-made circuits: what the builder keeps, merges, drops and refuses. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "r1cs/build/builder.h"
#include "r1cs/rows.h"

#include "test.h"

#define A CUZK_MATRIX_A
#define B CUZK_MATRIX_B
#define C CUZK_MATRIX_C

static cuzk_builder *new_builder(void)
{
    cuzk_builder *b = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_builder_create(&b, &err), &err);
    return b;
}

static cuzk_circuit *finish(cuzk_builder *b)
{
    cuzk_circuit *c = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_builder_finish(b, &c, &err), &err);
    cuzk_builder_destroy(b);
    return c;
}

static void finish_fails(cuzk_builder *b, cuzk_status want, const char *part_of_message)
{
    cuzk_circuit *c = NULL;
    cuzk_err err;
    CHECK_STATUS(cuzk_builder_finish(b, &c, &err), want);
    CHECK_MSG(strstr(err.msg, part_of_message) != NULL, "message: %s", err.msg);
    CHECK(c == NULL);
    cuzk_builder_destroy(b);
}

/* Everything a visitor saw, as text: "row: wire*coef ..." with i/w for inputs and aux. */
typedef struct seen {
    const cuzk_circuit *c;
    char text[4096];
    size_t at;
} seen;

static cuzk_status note(void *arg, uint64_t row, const cuzk_row_term *t, size_t n)
{
    seen *s = arg;
    s->at += (size_t)snprintf(s->text + s->at, sizeof(s->text) - s->at, "%" PRIu64 ":", row);
    for (size_t i = 0; i < n; i++) {
        cuzk_scalar v;
        cuzk_fr_to_scalar(&v, &s->c->coeffs[t[i].coef]);
        const bool neg = (v.l[1] | v.l[2] | v.l[3]) != 0;
        if (neg) {
            cuzk_fr m;
            cuzk_fr_neg(&m, &s->c->coeffs[t[i].coef]);
            cuzk_fr_to_scalar(&v, &m);
        }
        CHECK((v.l[1] | v.l[2] | v.l[3]) == 0);
        s->at += (size_t)snprintf(s->text + s->at, sizeof(s->text) - s->at, " %c%u*%s%" PRIu64,
                                  (t[i].wire & CUZK_WIRE_AUX) != 0 ? 'w' : 'i',
                                  t[i].wire & ~CUZK_WIRE_AUX, neg ? "-" : "", v.l[0]);
        CHECK(s->at < sizeof(s->text));
    }
    s->at += (size_t)snprintf(s->text + s->at, sizeof(s->text) - s->at, ";");
    return CUZK_OK;
}

static void check_rows(const cuzk_circuit *c, cuzk_matrix_id m, const char *want)
{
    seen s = {c, "", 0};
    cuzk_wire_map map;
    cuzk_err err;
    CHECK_OK(cuzk_wire_map_init(&map, c, &err), &err);
    CHECK_OK(cuzk_circuit_visit(c, &map, m, 0, c->n_rows, note, &s, &err), &err);
    cuzk_wire_map_deinit(&map);
    CHECK_STR(s.text, want);
}

static void empty(void)
{
    cuzk_circuit *c = finish(new_builder());
    CHECK_U64(c->n_rows, 0);
    CHECK_U64(c->n_inputs, 1);
    CHECK_U64(c->n_aux, 0);
    CHECK_U64(cuzk_circuit_prover_rows(c), 1);
    CHECK_U64(cuzk_circuit_lg_domain(c), 0);
    CHECK_U64(c->b_input_density, 0);
    CHECK_U64(c->n_coeffs, CUZK_COEF_TABLE);
    char path[64];
    CHECK_STR(cuzk_circuit_row_path(c, 0, path, sizeof(path)), "input row 0");
    cuzk_circuit_destroy(c);
}

static void fixed_coefficients(void)
{
    cuzk_builder *b = new_builder();
    cuzk_fr v, w;
    for (unsigned k = 0; k <= 254; k++) {
        cuzk_fr_from_u64(&v, 2);
        cuzk_fr_pow_u64(&v, &v, k);
        const cuzk_coef c = cuzk_builder_coef_pow2(b, k);
        CHECK(k > 252 || c == k);
        CHECK(cuzk_fr_eq(cuzk_builder_coef_value(b, c), &v));
        CHECK_U64(cuzk_builder_coef(b, &v), c);
        cuzk_fr_neg(&w, &v);
        const cuzk_coef n = cuzk_builder_coef_neg(b, c);
        CHECK(cuzk_fr_eq(cuzk_builder_coef_value(b, n), &w));
        CHECK_U64(cuzk_builder_coef(b, &w), n);
        CHECK_U64(cuzk_builder_coef_neg(b, n), c);
    }
    CHECK_U64(cuzk_builder_coef_neg(b, CUZK_COEF_ONE), CUZK_COEF_MINUS_ONE);
    CHECK_U64(cuzk_builder_coef(b, &CUZK_FR_ZERO), CUZK_COEF_ZERO);
    CHECK_U64(cuzk_builder_coef_neg(b, CUZK_COEF_ZERO), CUZK_COEF_ZERO);
    CHECK(cuzk_fr_is_zero(cuzk_builder_coef_value(b, CUZK_COEF_ZERO)));
    for (int i = 0; i < 2000; i++) { /* products, and growth of the table */
        const cuzk_coef x = (cuzk_coef)test_below(256), y = (cuzk_coef)test_below(400);
        const cuzk_coef p = cuzk_builder_coef_mul(b, x, y);
        cuzk_fr_mul(&v, cuzk_builder_coef_value(b, x), cuzk_builder_coef_value(b, y));
        CHECK(cuzk_fr_eq(cuzk_builder_coef_value(b, p), &v));
        CHECK_U64(cuzk_builder_coef(b, &v), p);
    }
    cuzk_circuit *c = finish(b); /* none was used */
    CHECK_U64(c->n_coeffs, CUZK_COEF_TABLE);
    cuzk_circuit_destroy(c);
}

static void merging(void)
{
    cuzk_builder *b = new_builder();
    const cuzk_var x = cuzk_builder_full(b), y = cuzk_builder_bit(b), z = cuzk_builder_bit(b);
    const cuzk_var in = cuzk_builder_input(b);
    cuzk_fr v;
    cuzk_fr_from_u64(&v, 5);
    const cuzk_coef five = cuzk_builder_coef(b, &v);
    const cuzk_coef minus_five = cuzk_builder_coef_neg(b, five);
    /* row 0: order, duplicates, x - x, a zero coefficient, an empty side */
    cuzk_builder_term(b, A, z, five);
    cuzk_builder_term(b, A, x, 3);
    cuzk_builder_term(b, A, in, CUZK_COEF_ONE);
    cuzk_builder_term(b, A, CUZK_VAR_ONE, CUZK_COEF_MINUS_ONE);
    cuzk_builder_term(b, A, z, 1);
    cuzk_builder_term(b, A, y, CUZK_COEF_ZERO);
    cuzk_builder_term(b, B, x, five);
    cuzk_builder_term(b, B, y, CUZK_COEF_ONE);
    cuzk_builder_term(b, B, x, minus_five);
    cuzk_builder_row(b);
    /* row 1: cancels to nothing */
    cuzk_builder_term(b, A, y, 7);
    cuzk_builder_term(b, A, y, cuzk_builder_coef_neg(b, 7));
    cuzk_builder_term(b, C, CUZK_VAR_ONE, 4);
    cuzk_builder_term(b, C, CUZK_VAR_ONE, 4);
    cuzk_builder_row(b);
    cuzk_builder_row(b);
    CHECK_U64(cuzk_builder_n_rows(b), 3);
    const cuzk_var late = cuzk_builder_input(b); /* after constraints */
    cuzk_builder_term(b, C, late, minus_five);
    cuzk_builder_row(b);
    (void)cuzk_builder_full(b); /* used nowhere */
    cuzk_circuit *c = finish(b);
    check_rows(c, A, "0: i0*-1 i1*1 w0*8 w2*7;1:;2:;3:;");
    check_rows(c, B, "0: w1*1;1:;2:;3:;");
    check_rows(c, C, "0:;1: i0*32;2:;3: i2*-5;");
    CHECK_U64(c->nnz[A], 4);
    CHECK_U64(c->nnz[B], 1);
    CHECK_U64(c->nnz[C], 2);
    CHECK_U64(c->n_inputs, 3);
    CHECK_U64(c->n_aux, 4);
    CHECK_U64(c->n_bits, 2);
    CHECK_U64(c->n_fulls, 2);
    CHECK_U64(c->a_aux_density, 2);
    CHECK_U64(c->b_aux_density, 1);
    CHECK_U64(c->b_input_density, 0);
    CHECK_U64(c->preamble.a_dense[0], 5);
    CHECK_U64(c->preamble.b_dense[0], 2);
    CHECK_U64(c->n_coeffs, CUZK_COEF_TABLE + 2); /* 7 and -5; 5 was never used */
    CHECK_U64(cuzk_circuit_lg_domain(c), 3);
    for (uint32_t i = 0; i < 4; i++) {
        const cuzk_var want[4] = {x, y, z, cuzk_var_make(CUZK_VAR_KIND_FULL, 1)};
        CHECK_U64(cuzk_aux_locate(&c->preamble, i), want[i]);
    }
    cuzk_circuit_destroy(c);
}

/* 2^252 + 2^252 is the first power of two that has no id of its own: the id after is -1. */
static void doubled_powers(void)
{
    cuzk_builder *b = new_builder();
    const cuzk_var x = cuzk_builder_bit(b), y = cuzk_builder_bit(b);
    for (uint32_t k = 250; k <= CUZK_COEF_MINUS_ONE; k++) {
        cuzk_builder_term(b, B, x, k);
        cuzk_builder_term(b, B, y, k);
        cuzk_builder_term(b, B, x, k);
        cuzk_builder_row(b);
    }
    cuzk_circuit *c = finish(b);
    cuzk_row_cursor cur = cuzk_row_cursor_at(&c->preamble.m[B], 0);
    for (uint32_t k = 250; k <= CUZK_COEF_MINUS_ONE; k++) {
        const uint32_t *p;
        uint32_t cx, cy;
        cuzk_fr twice;
        (void)cuzk_row_cursor_next(&cur, &p);
        CHECK_U64(cuzk_term_next(&p, &cx), x);
        CHECK_U64(cuzk_term_next(&p, &cy), y);
        CHECK_U64(cy, k);
        cuzk_fr_dbl(&twice, &c->coeffs[cy]);
        CHECK(cuzk_fr_eq(&c->coeffs[cx], &twice));
        CHECK(k < 252 ? cx == k + 1 : cx >= CUZK_COEF_TABLE);
    }
    cuzk_circuit_destroy(c);
}

/* Preamble of one input, bit, full; block of own wires and two slots. */
static cuzk_builder *with_block(cuzk_var outs[3], cuzk_var own[3])
{
    cuzk_builder *b = new_builder();
    outs[0] = cuzk_builder_full(b);
    outs[1] = cuzk_builder_bit(b);
    outs[2] = cuzk_builder_input(b);
    cuzk_builder_term(b, C, outs[0], 0);
    cuzk_builder_row(b);
    cuzk_builder_begin_block(b, 2, 2);
    own[0] = cuzk_builder_bit(b);
    own[1] = cuzk_builder_input(b);
    own[2] = cuzk_builder_full(b);
    cuzk_builder_term(b, A, own[0], 1);
    cuzk_builder_term(b, A, cuzk_builder_slot(1), 2);
    cuzk_builder_term(b, A, cuzk_builder_slot(0), 3);
    cuzk_builder_term(b, B, CUZK_VAR_ONE, 0);
    cuzk_builder_term(b, B, own[1], 0);
    cuzk_builder_row(b);
    cuzk_builder_term(b, C, own[2], 0);
    cuzk_builder_term(b, B, cuzk_builder_slot(1), 5);
    cuzk_builder_row(b);
    return b;
}

static void block(void)
{
    cuzk_var outs[3], own[3];
    cuzk_builder *b = with_block(outs, own);
    const cuzk_var bind0[2] = {outs[0], outs[2]}, bind1[2] = {outs[1], outs[0]};
    cuzk_builder_bind(b, 1, bind1);
    cuzk_builder_bind(b, 0, bind0);
    cuzk_circuit *c = finish(b);
    check_rows(c, A, "0:;1: i1*4 w0*8 w2*2;2:;3: w0*4 w1*8 w4*2;4:;");
    check_rows(c, B, "0:;1: i0*1 i2*1;2: i1*32;3: i0*1 i3*1;4: w0*32;");
    check_rows(c, C, "0: w0*1;1:;2: w3*1;3:;4: w5*1;");
    CHECK_U64(c->n_rows, 5);
    CHECK_U64(c->n_inputs, 4);
    CHECK_U64(c->n_aux, 6);
    CHECK_U64(c->nnz[A], 6);
    CHECK_U64(c->nnz[B], 6);
    CHECK_U64(c->nnz[C], 3);
    CHECK_U64(c->a_aux_density, 4);
    CHECK_U64(c->b_aux_density, 1);
    CHECK_U64(c->b_input_density, 4);
    CHECK_U64(c->b_input_dense[0], 15);
    CHECK_U64(c->b_input_dense_one, 1);
    CHECK_U64(c->bit_stride, 1);
    cuzk_circuit_destroy(c);
}

static void record_again(void)
{
    for (int how = 0; how < 6; how++) {
        cuzk_var outs[3], own[3];
        cuzk_builder *b = with_block(outs, own);
        const cuzk_var bind[2] = {outs[0], outs[2]};
        cuzk_builder_bind(b, 0, bind);
        cuzk_builder_bind(b, 1, bind);
        cuzk_builder_record_again(b);
        const cuzk_var bit = how == 1 ? cuzk_builder_full(b) : cuzk_builder_bit(b);
        const cuzk_var in = cuzk_builder_input(b), full = cuzk_builder_full(b);
        cuzk_builder_term(b, A, cuzk_builder_slot(0), 3);
        cuzk_builder_term(b, A, cuzk_builder_slot(1), how == 2 ? 3 : 2);
        cuzk_builder_term(b, A, how == 1 ? full : bit, 1);
        cuzk_builder_term(b, B, CUZK_VAR_ONE, 0);
        cuzk_builder_term(b, B, in, 0);
        cuzk_builder_row(b);
        cuzk_builder_term(b, C, full, 0);
        cuzk_builder_term(b, B, cuzk_builder_slot(1), 5);
        if (how != 3) {
            cuzk_builder_row(b);
        }
        if (how == 4) {
            (void)cuzk_builder_bit(b);
        }
        if (how == 5) {
            cuzk_builder_row(b);
        }
        static const char *message[6] = {"",
                                         "row 0 of A",
                                         "row 0 of A (block 0)",
                                         "unfinished row",
                                         "2 and 3 aux",
                                         "2 and 3 rows"};
        if (how == 0) {
            cuzk_circuit_destroy(finish(b));
        } else {
            finish_fails(b, how == 3 ? CUZK_E_INVALID : CUZK_E_SELFTEST, message[how]);
        }
    }
}

static void misuse(void)
{
    cuzk_var outs[3], own[3];
    cuzk_builder *b = with_block(outs, own);
    finish_fails(b, CUZK_E_INVALID, "slots of block 0 are not bound");

    b = with_block(outs, own);
    const cuzk_var same[2] = {outs[0], outs[0]}, one[2] = {CUZK_VAR_ONE, outs[0]};
    cuzk_builder_bind(b, 0, one); /* ONE meets a slot that stands for ONE in no row */
    cuzk_builder_bind(b, 1, same);
    finish_fails(b, CUZK_E_INVALID, "slot 1 stands for the same wire");

    b = with_block(outs, own);
    const cuzk_var bad[2] = {cuzk_var_make(CUZK_VAR_KIND_BIT, 1), outs[0]};
    cuzk_builder_bind(b, 0, bad);
    finish_fails(b, CUZK_E_INVALID, "no such preamble variable");

    b = with_block(outs, own);
    cuzk_builder_bind(b, 2, one);
    finish_fails(b, CUZK_E_INVALID, "no block 2");

    b = with_block(outs, own);
    cuzk_builder_term(b, A, cuzk_builder_slot(2), 0);
    cuzk_builder_row(b);
    finish_fails(b, CUZK_E_INVALID, "no such variable");

    b = new_builder();
    cuzk_builder_term(b, A, cuzk_var_make(CUZK_VAR_KIND_FULL, 0), 0);
    cuzk_builder_term(b, A, CUZK_VAR_ONE, 0); /* after an error nothing happens */
    CHECK_U64(cuzk_builder_bit(b), CUZK_VAR_ONE);
    finish_fails(b, CUZK_E_INVALID, "row 0 of the preamble: no such variable (kind 3, index 0)");

    b = new_builder();
    cuzk_builder_term(b, A, CUZK_VAR_ONE, CUZK_COEF_TABLE);
    finish_fails(b, CUZK_E_INVALID, "coefficient (254)");

    b = new_builder();
    cuzk_builder_enter(b, "label", 3);
    finish_fails(b, CUZK_E_INVALID, "inside the span \"label\"");

    b = new_builder();
    cuzk_builder_leave(b);
    finish_fails(b, CUZK_E_INVALID, "no span to leave");

    b = new_builder();
    cuzk_builder_begin_block(b, 0, 0);
    finish_fails(b, CUZK_E_INVALID, "0 times");

    b = new_builder();
    cuzk_builder_begin_block(b, 1, 0);
    cuzk_builder_begin_block(b, 1, 0);
    finish_fails(b, CUZK_E_INVALID, "has one block");

    b = new_builder();
    cuzk_builder_record_again(b);
    finish_fails(b, CUZK_E_INVALID, "no block");

    b = new_builder();
    cuzk_circuit *c = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_builder_finish(b, &c, &err), &err);
    cuzk_circuit_destroy(c);
    c = NULL;
    CHECK_U64(cuzk_builder_coef(b, &CUZK_FR_ONE), 0xffffffffu);
    finish_fails(b, CUZK_E_INVALID, "finished");

    b = new_builder();
    cuzk_builder_begin_block(b, 0x7fffffff, 0);
    (void)cuzk_builder_full(b);
    (void)cuzk_builder_full(b);
    finish_fails(b, CUZK_E_INVALID, "more than 2^31 wires");
}

static void paths(void)
{
    cuzk_builder *b = new_builder();
    char path[128];
    cuzk_builder_row(b);
    cuzk_builder_enter(b, "header", -1);
    cuzk_builder_row(b);
    cuzk_builder_enter(b, "empty", -1);
    cuzk_builder_leave(b);
    cuzk_builder_enter(b, "id", 2);
    cuzk_builder_row(b);
    cuzk_builder_leave(b);
    cuzk_builder_row(b);
    cuzk_builder_leave(b);
    cuzk_builder_begin_block(b, 3, 0);
    cuzk_builder_enter(b, "layer", 0);
    cuzk_builder_enter(b, "label sha256", -1);
    cuzk_builder_row(b);
    cuzk_builder_leave(b);
    cuzk_builder_leave(b);
    cuzk_builder_row(b);
    cuzk_circuit *c = finish(b);
    static const char *const want[] = {"preamble",
                                       "header",
                                       "header, id 2",
                                       "header",
                                       "block 0, layer 0, label sha256",
                                       "block 0",
                                       "block 1, layer 0, label sha256",
                                       "block 1",
                                       "block 2, layer 0, label sha256",
                                       "block 2",
                                       "input row 0",
                                       ""};
    for (uint64_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        CHECK_STR(cuzk_circuit_row_path(c, i, path, sizeof(path)), want[i]);
    }
    CHECK_STR(cuzk_circuit_row_path(c, 4, path, 10), "block 0, ");
    CHECK_STR(cuzk_circuit_row_path(c, 4, path, 1), "");
    cuzk_circuit_destroy(c);
}

static void identity(void)
{
    uint8_t seen_ids[3][32];
    for (int i = 0; i < 3; i++) {
        cuzk_var outs[3], own[3];
        cuzk_builder *b = with_block(outs, own);
        cuzk_fr v;
        cuzk_fr_from_u64(&v, 77);
        if (i == 1) {
            (void)cuzk_builder_coef(b, &v); /* unused: no difference */
        }
        const cuzk_var bind[2] = {outs[0], outs[i == 2 ? 1 : 2]};
        cuzk_builder_bind(b, 0, bind);
        cuzk_builder_bind(b, 1, bind);
        cuzk_circuit *c = finish(b);
        memcpy(seen_ids[i], c->identity, 32);
        cuzk_circuit_destroy(c);
    }
    CHECK_MEM(seen_ids[1], seen_ids[0], 32);
    CHECK(memcmp(seen_ids[2], seen_ids[0], 32) != 0);
}

static const cuzk_case cases[] = {
    CASE(empty),   CASE(fixed_coefficients), CASE(merging), CASE(doubled_powers),
    CASE(block),   CASE(record_again),       CASE(misuse),  CASE(paths),
    CASE(identity)};
TEST_MAIN("r1cs/builder", cases)
