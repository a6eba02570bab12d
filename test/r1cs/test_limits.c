/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Large indices (terms of three words), long rows, and many pieces of work at once. */
#include <stdlib.h>
#include <string.h>

#include "r1cs/build/builder.h"
#include "r1cs/rows.h"
#include "r1cs/witness.h"

#include "test.h"

#define A CUZK_MATRIX_A
#define B CUZK_MATRIX_B
#define C CUZK_MATRIX_C

static void column_codes(void)
{
    static const struct {
        cuzk_var_kind kind;
        uint32_t n; /* indices below have a code */
    } kinds[4] = {{CUZK_VAR_KIND_BIT, 0xC00000},
                  {CUZK_VAR_KIND_FULL, 0x300000},
                  {CUZK_VAR_KIND_INPUT, 0x80000},
                  {CUZK_VAR_KIND_SLOT, 0x80000}};
    for (int k = 0; k < 4; k++) {
        const uint32_t edge = kinds[k].n;
        const uint32_t index[6] = {0, 1, (uint32_t)test_below(edge), edge - 1, edge, 0x1fffffff};
        for (int i = 0; i < 6; i++) {
            const cuzk_var v = cuzk_var_make(kinds[k].kind, index[i]);
            uint32_t code;
            CHECK_U64(cuzk_col_encode(&code, v), i < 4);
            if (i < 4) {
                CHECK(code < 1u << 24);
                CHECK_U64(cuzk_col_decode(code), v);
            }
        }
    }
}

typedef struct last_row {
    cuzk_row_term t[64];
    size_t n;
} last_row;

static cuzk_status keep_row(void *arg, uint64_t row, const cuzk_row_term *t, size_t n)
{
    last_row *l = arg;
    CHECK_U64(row, 0);
    CHECK(n <= 64);
    memcpy(l->t, t, n * sizeof(*t));
    l->n = n;
    return CUZK_OK;
}

/* One row with wires on both sides of each limit; A in one part, B through slots. */
static void three_word_terms(void)
{
    static const uint32_t bits = 0xC00000 + 3, fulls = 0x300000 + 3, inputs = 0x80000 + 3,
                          slots = 0x80000 + 3;
    cuzk_builder *b;
    cuzk_circuit *c = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_builder_create(&b, &err), &err);
    for (uint32_t i = 0; i < slots; i++) {
        (void)cuzk_builder_full(b);
    }
    cuzk_builder_begin_block(b, 1, slots);
    cuzk_var *bind = malloc(slots * sizeof(*bind));
    CHECK(bind != NULL);
    for (uint32_t i = 0; i < slots; i++) {
        bind[i] = cuzk_var_make(CUZK_VAR_KIND_FULL, i);
    }
    cuzk_builder_bind(b, 0, bind);
    free(bind);
    for (uint32_t i = 0; i < bits; i++) {
        (void)cuzk_builder_bit(b);
    }
    for (uint32_t i = 0; i < fulls; i++) {
        (void)cuzk_builder_full(b);
    }
    for (uint32_t i = 0; i < inputs; i++) {
        (void)cuzk_builder_input(b);
    }
    cuzk_fr v;
    cuzk_fr_from_u64(&v, 1000003);
    const cuzk_coef odd = cuzk_builder_coef(b, &v);
    cuzk_var vars[16];
    size_t n = 0;
    for (uint32_t i = 4; i-- > 0;) {
        vars[n++] = cuzk_var_make(CUZK_VAR_KIND_FULL, fulls - 1 - i);
        vars[n++] = cuzk_var_make(CUZK_VAR_KIND_BIT, bits - 1 - i);
        vars[n++] = cuzk_var_make(CUZK_VAR_KIND_INPUT, inputs - 1 - i);
        vars[n++] = cuzk_builder_slot(slots - 1 - i);
    }
    for (size_t i = 0; i < n; i++) {
        cuzk_builder_term(b, A, vars[i], i % 3 == 0 ? odd : (cuzk_coef)i);
    }
    cuzk_builder_row(b);
    CHECK_OK(cuzk_builder_finish(b, &c, &err), &err);
    cuzk_builder_destroy(b);
    CHECK_U64(c->nnz[A], 16);
    CHECK(c->block.m[A].n_words > 16 + 3 * 4);

    cuzk_wire_map map;
    last_row row;
    CHECK_OK(cuzk_wire_map_init(&map, c, &err), &err);
    CHECK_OK(cuzk_circuit_visit(c, &map, A, 0, 1, keep_row, &row, &err), &err);
    cuzk_wire_map_deinit(&map);
    CHECK_U64(row.n, 16);
    for (size_t i = 0; i < 16; i++) { /* inputs, slots (preamble aux), bits, fulls */
        const uint32_t k = (uint32_t)i % 4;
        const uint32_t want[4] = {1 + inputs - 4 + k, CUZK_WIRE_AUX | (slots - 4 + k),
                                  CUZK_WIRE_AUX | (slots + bits - 4 + k),
                                  CUZK_WIRE_AUX | (slots + bits + fulls - 4 + k)};
        CHECK_U64(row.t[i].wire, want[i / 4]);
    }

    cuzk_witness *w;
    CHECK_OK(cuzk_witness_create(&w, c, &err), &err);
    const cuzk_witness_part part = cuzk_witness_block(w, 0);
    cuzk_fr sum = CUZK_FR_ZERO, x;
    for (size_t i = 0; i < n; i++) {
        const uint32_t at = cuzk_var_index(vars[i]);
        cuzk_fr_from_u64(&x, test_u64());
        switch (cuzk_var_get_kind(vars[i])) {
        case CUZK_VAR_KIND_BIT:
            x = CUZK_FR_ONE;
            part.bits[at / 64] |= 1ULL << (at % 64);
            break;
        case CUZK_VAR_KIND_FULL: part.fulls[at] = x; break;
        case CUZK_VAR_KIND_INPUT: part.inputs[at] = x; break;
        case CUZK_VAR_KIND_SLOT:
        default: cuzk_witness_preamble(w).fulls[at - 1] = x; break;
        }
        cuzk_fr coef;
        cuzk_fr_from_u64(&coef, i % 3 == 0 ? 1000003 : 1ULL << i);
        cuzk_fr_mul(&x, &x, &coef);
        cuzk_fr_add(&sum, &sum, &x);
    }
    /* Slots outside the row are unset; reading them is allowed, their values do not matter. */
    memset(cuzk_witness_preamble(w).fulls, 0, (slots - 4) * sizeof(cuzk_fr));
    memset(w->inputs + 1, 0, (size_t)(inputs - 4) * sizeof(cuzk_fr));
    const uint64_t n_out = cuzk_circuit_prover_rows(c);
    cuzk_fr *out = malloc((size_t)n_out * sizeof(*out));
    CHECK(out != NULL);
    CHECK_OK(cuzk_r1cs_eval(out, n_out, w, A, NULL, NULL, &err), &err);
    CHECK(cuzk_fr_eq(&out[0], &sum));
    free(out);
    cuzk_witness_destroy(w);
    cuzk_circuit_destroy(c);
}

/* Rows of about CUZK_ROW_LONG words, between short ones, whatever group they fall into. */
static void long_rows(void)
{
    static const uint32_t lens[] = {253, 254, 255, 256, 0, 1, 3000, 255, 2, 70000};
    const size_t n_lens = sizeof(lens) / sizeof(lens[0]);
    cuzk_builder *b;
    cuzk_circuit *c = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_builder_create(&b, &err), &err);
    for (uint32_t i = 0; i < 70000; i++) {
        (void)cuzk_builder_bit(b);
    }
    for (size_t row = 0; row < 100; row++) {
        const uint32_t len = lens[row * 7 % n_lens];
        for (uint32_t i = len; i-- > 0;) {
            cuzk_builder_term(b, C, cuzk_var_make(CUZK_VAR_KIND_BIT, i), CUZK_COEF_ONE);
        }
        cuzk_builder_row(b);
    }
    CHECK_OK(cuzk_builder_finish(b, &c, &err), &err);
    cuzk_builder_destroy(b);
    cuzk_witness *w;
    CHECK_OK(cuzk_witness_create(&w, c, &err), &err);
    memset(w->bits, 0xff, 70000 / 8);
    cuzk_fr out[101], want;
    CHECK_OK(cuzk_r1cs_eval(out, 101, w, C, NULL, NULL, &err), &err);
    for (size_t row = 0; row < 100; row++) {
        const uint32_t len = lens[row * 7 % n_lens];
        cuzk_fr_from_u64(&want, len);
        CHECK(cuzk_fr_eq(&out[row], &want));
        const cuzk_row_cursor cur = cuzk_row_cursor_at(&c->preamble.m[C], row);
        cuzk_row_cursor next = cur;
        const uint32_t *words;
        CHECK_U64(cuzk_row_cursor_next(&next, &words), len);
        CHECK_U64(c->preamble.m[C].len[row], len < 255 ? len : 255);
    }
    cuzk_witness_destroy(w);
    cuzk_circuit_destroy(c);
}

/* Sums of many terms r - 1: the largest the accumulator sees here. */
static void largest_sums(void)
{
    cuzk_builder *b;
    cuzk_circuit *c = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_builder_create(&b, &err), &err);
    cuzk_fr top; /* Montgomery limbs r - 1: the largest summand */
    static const uint64_t r[4] = CUZK_FR_MOD_LIMBS;
    memcpy(top.l, r, sizeof(r));
    top.l[0] -= 1;
    const cuzk_coef coef = cuzk_builder_coef(b, &top);
    for (uint32_t n = 0; n < 600; n++) {
        (void)cuzk_builder_bit(b);
        for (uint32_t i = 0; i <= n; i++) {
            cuzk_builder_term(b, B, cuzk_var_make(CUZK_VAR_KIND_BIT, i), coef);
        }
        cuzk_builder_row(b);
    }
    CHECK_OK(cuzk_builder_finish(b, &c, &err), &err);
    cuzk_builder_destroy(b);
    cuzk_witness *w;
    CHECK_OK(cuzk_witness_create(&w, c, &err), &err);
    memset(w->bits, 0xff, 600 / 8);
    cuzk_fr *out = malloc(601 * sizeof(*out)), sum = CUZK_FR_ZERO;
    CHECK(out != NULL);
    CHECK_OK(cuzk_r1cs_eval(out, 601, w, B, NULL, NULL, &err), &err);
    for (uint32_t n = 0; n < 600; n++) {
        cuzk_fr_add(&sum, &sum, &top);
        CHECK(cuzk_fr_eq(&out[n], &sum));
    }
    free(out);
    cuzk_witness_destroy(w);
    cuzk_circuit_destroy(c);
}

/* x_i * 1 = y_i in many pieces of preamble and blocks; several rows broken at once. */
static void lowest_bad_row(void)
{
    enum { PRE = 20000, PER_BLOCK = 9000, BLOCKS = 7, ROWS = PRE + BLOCKS * PER_BLOCK };
    cuzk_builder *b;
    cuzk_circuit *c = NULL;
    cuzk_err err;
    cuzk_pool *pool = NULL;
    const cuzk_pool_cfg cfg = {4, false, NULL};
    CHECK_OK(cuzk_pool_create(&pool, &cfg, &err), &err);
    CHECK_OK(cuzk_builder_create(&b, &err), &err);
    for (int i = 0; i < PRE + PER_BLOCK; i++) {
        if (i == PRE) {
            cuzk_builder_begin_block(b, BLOCKS, 0);
        }
        cuzk_builder_term(b, A, cuzk_builder_full(b), CUZK_COEF_ONE);
        cuzk_builder_term(b, B, CUZK_VAR_ONE, CUZK_COEF_ONE);
        cuzk_builder_term(b, C, cuzk_builder_full(b), CUZK_COEF_ONE);
        cuzk_builder_row(b);
    }
    CHECK_OK(cuzk_builder_finish(b, &c, &err), &err);
    cuzk_builder_destroy(b);
    CHECK_U64(c->n_rows, ROWS);
    cuzk_witness *w;
    CHECK_OK(cuzk_witness_create(&w, c, &err), &err);
    for (uint64_t i = 0; i < ROWS; i++) { /* wires of row i are fulls 2i and 2i + 1 */
        cuzk_fr_from_u64(&w->fulls[2 * i], i);
        w->fulls[2 * i + 1] = w->fulls[2 * i];
    }
    CHECK_OK(cuzk_r1cs_check(w, NULL, pool, NULL, &err), &err);
    for (size_t round = 0; round < test_iters(40); round++) {
        uint64_t bad[4], lowest = UINT64_MAX, got = 0;
        for (int k = 0; k < 4; k++) {
            bad[k] = test_below(ROWS);
            lowest = bad[k] < lowest ? bad[k] : lowest;
            w->fulls[2 * bad[k]].l[0] ^= 1;
        }
        if (bad[0] != bad[1] && bad[2] != bad[3] && bad[0] != bad[2] && bad[1] != bad[3] &&
            bad[0] != bad[3] && bad[1] != bad[2]) {
            CHECK_STATUS(cuzk_r1cs_check(w, &got, pool, NULL, &err), CUZK_E_UNSATISFIED);
            CHECK_U64(got, lowest);
        }
        for (int k = 0; k < 4; k++) {
            w->fulls[2 * bad[k]].l[0] ^= 1;
        }
    }
    cuzk_witness_destroy(w);
    cuzk_circuit_destroy(c);
    cuzk_pool_destroy(pool);
}

/* Inputs and padding behind the rows, in more than one piece, over what was there before. */
static void padding(void)
{
    enum { INPUTS = 70000, OUT = 200000 };
    cuzk_builder *b;
    cuzk_circuit *c = NULL;
    cuzk_witness *w;
    cuzk_err err;
    CHECK_OK(cuzk_builder_create(&b, &err), &err);
    for (int i = 1; i < INPUTS; i++) {
        (void)cuzk_builder_input(b);
    }
    cuzk_builder_row(b);
    CHECK_OK(cuzk_builder_finish(b, &c, &err), &err);
    cuzk_builder_destroy(b);
    CHECK_OK(cuzk_witness_create(&w, c, &err), &err);
    for (uint64_t i = 1; i < INPUTS; i++) {
        cuzk_fr_from_u64(&w->inputs[i], i);
    }
    cuzk_fr *out = malloc(OUT * sizeof(*out));
    CHECK(out != NULL);
    for (int m = 0; m < 3; m++) {
        memset(out, 0xff, OUT * sizeof(*out));
        CHECK_OK(cuzk_r1cs_eval(out, OUT, w, (cuzk_matrix_id)m, NULL, NULL, &err), &err);
        for (uint64_t i = 0; i < OUT; i++) {
            const bool is_input = m == 0 && i > 0 && i <= INPUTS;
            CHECK(cuzk_fr_eq(&out[i], is_input ? &w->inputs[i - 1] : &CUZK_FR_ZERO));
        }
    }
    free(out);
    cuzk_witness_destroy(w);
    cuzk_circuit_destroy(c);
}

static const cuzk_case cases[] = {CASE(column_codes), CASE(three_word_terms), CASE(long_rows),
                                  CASE(largest_sums), CASE(lowest_bad_row),   CASE(padding)};
TEST_MAIN("r1cs/limits", cases)
