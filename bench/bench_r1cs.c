/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Recording and reading a circuit that is built like SHA-256: per round 160 rows of an XOR, 34 rows
 * that make a bit a bit, and one packed sum of some 260 terms; in 4 blocks with 8 slots. One thread.
 * Terms per row: A 2.7, B 1.0, C 2.6 (PoRep: 2.4, 1.0, 2.2).
 */
#include <stdlib.h>
#include <string.h>

#include "r1cs/build/builder.h"
#include "r1cs/eval/column_sums.h"
#include "r1cs/witness.h"

#include "bench.h"

#define ROUNDS 64u
#define BLOCKS 4u
#define SLOTS  8u
#define WORD   32u

#define A      CUZK_MATRIX_A
#define B      CUZK_MATRIX_B
#define C      CUZK_MATRIX_C

typedef struct words {
    cuzk_var w[8][WORD]; /* the last eight words made */
    unsigned next;
} words;

static void xor_words(cuzk_builder *b, words *s)
{
    const cuzk_var *x = s->w[(s->next + 1) % 8], *y = s->w[(s->next + 4) % 8];
    cuzk_var *z = s->w[s->next++ % 8];
    for (unsigned i = 0; i < WORD; i++) {
        const cuzk_var p = x[(i + 7) % WORD], q = y[(i + 18) % WORD], r = cuzk_builder_bit(b);
        cuzk_builder_term(b, A, p, CUZK_COEF_TWO);
        cuzk_builder_term(b, B, q, CUZK_COEF_ONE);
        cuzk_builder_term(b, C, p, CUZK_COEF_ONE);
        cuzk_builder_term(b, C, q, CUZK_COEF_ONE);
        cuzk_builder_term(b, C, r, CUZK_COEF_MINUS_ONE);
        cuzk_builder_row(b);
        z[i] = r;
    }
}

static void add_words(cuzk_builder *b, words *s)
{
    cuzk_var carry[WORD + 2];
    for (unsigned i = 0; i < WORD + 2; i++) {
        carry[i] = cuzk_builder_bit(b);
        cuzk_builder_term(b, A, CUZK_VAR_ONE, CUZK_COEF_ONE);
        cuzk_builder_term(b, A, carry[i], CUZK_COEF_MINUS_ONE);
        cuzk_builder_term(b, B, carry[i], CUZK_COEF_ONE);
        cuzk_builder_row(b);
    }
    for (unsigned k = 0; k < 7; k++) {
        for (unsigned i = 0; i < WORD; i++) {
            cuzk_builder_term(b, A, s->w[(s->next + k) % 8][i], i + 35 * (k / 2));
        }
    }
    for (unsigned i = 0; i < WORD + 2; i++) {
        cuzk_builder_term(b, C, carry[i], i);
    }
    cuzk_builder_term(b, A, cuzk_builder_slot(s->next % SLOTS), 200);
    cuzk_builder_term(b, B, CUZK_VAR_ONE, CUZK_COEF_ONE);
    cuzk_builder_row(b);
    for (unsigned i = 0; i < WORD; i++) {
        s->w[s->next % 8][i] = carry[i];
    }
    s->next++;
}

static cuzk_circuit *record(void)
{
    cuzk_builder *b;
    cuzk_circuit *c = NULL;
    cuzk_var pre[SLOTS];
    words s;
    if (cuzk_builder_create(&b, NULL) != CUZK_OK) {
        return NULL;
    }
    for (unsigned i = 0; i < SLOTS; i++) {
        pre[i] = cuzk_builder_full(b);
    }
    cuzk_builder_begin_block(b, BLOCKS, SLOTS);
    for (unsigned k = 0; k < BLOCKS; k++) {
        cuzk_builder_bind(b, k, pre);
    }
    for (s.next = 0; s.next < 8; s.next++) {
        for (unsigned i = 0; i < WORD; i++) {
            s.w[s.next][i] = cuzk_builder_bit(b);
        }
    }
    for (unsigned r = 0; r < ROUNDS; r++) {
        for (unsigned i = 0; i < 5; i++) {
            xor_words(b, &s);
        }
        add_words(b, &s);
    }
    cuzk_ignore(cuzk_builder_finish(b, &c, NULL));
    cuzk_builder_destroy(b);
    return c;
}

typedef struct state {
    cuzk_circuit *c;
    cuzk_witness *w;
    cuzk_fr *out, *aux;
    cuzk_column_sums *columns; /* or NULL */
} state;

static void teardown(void *p)
{
    state *s = p;
    cuzk_witness_destroy(s->w);
    cuzk_circuit_destroy(s->c);
    free(s->out);
    cuzk_column_sums_destroy(s->columns);
    free(s->aux);
    free(s);
}

static void *setup(const bench_case *unused)
{
    (void)unused;
    state *s = calloc(1, sizeof(*s));
    if (s == NULL) {
        return NULL;
    }
    s->c = record();
    if (s->c == NULL || cuzk_witness_create(&s->w, s->c, NULL) != CUZK_OK) {
        teardown(s);
        return NULL;
    }
    s->out = calloc((size_t)cuzk_circuit_prover_rows(s->c), sizeof(*s->out));
    s->aux = calloc((size_t)s->c->n_aux, sizeof(*s->aux));
    if (s->out == NULL || s->aux == NULL) {
        teardown(s);
        return NULL;
    }
    bench_fill(s->w->bits, (size_t)s->w->n_bit_words * 8, 3);
    for (uint64_t i = 0; i < s->c->n_fulls; i++) {
        cuzk_fr_from_u64(&s->w->fulls[i], i + 12345);
    }
    return s;
}

static void run_record(void *unused, uint64_t iters)
{
    (void)unused;
    for (uint64_t i = 0; i < iters; i++) {
        cuzk_circuit *c = record();
        bench_use(c);
        cuzk_circuit_destroy(c);
    }
}

static void eval(const state *s, cuzk_matrix_id m, uint64_t iters)
{
    for (uint64_t i = 0; i < iters; i++) {
        cuzk_ignore(
            cuzk_r1cs_eval(s->out, cuzk_circuit_prover_rows(s->c), s->w, m, NULL, NULL, NULL));
        bench_use(s->out);
    }
}

static void run_eval_a(void *s, uint64_t iters)
{
    eval(s, A, iters);
}

static void run_eval_b(void *s, uint64_t iters)
{
    eval(s, B, iters);
}

/* All bits 0 satisfies no packed sum, so all rows up to the first of those are looked at. */
static void run_check(void *p, uint64_t iters)
{
    state *s = p;
    for (uint64_t i = 0; i < iters; i++) {
        cuzk_ignore(cuzk_r1cs_check(s->w, NULL, NULL, NULL, NULL));
    }
}

static void run_transcript(void *p, uint64_t iters)
{
    const state *s = p;
    uint8_t hash[32];
    for (uint64_t i = 0; i < iters; i++) {
        cuzk_ignore(cuzk_circuit_transcript(s->c, hash, 0, NULL, NULL));
        bench_use(hash);
    }
}

static cuzk_status row_values(void *arg, cuzk_fr *out, uint64_t begin, size_t n, cuzk_pool *pool,
                              const cuzk_cancel *cancel, cuzk_err *err)
{
    const state *s = arg;
    (void)pool;
    (void)cancel;
    (void)err;
    memcpy(out, s->out + begin, n * sizeof(*out));
    return CUZK_OK;
}

static void *setup_columns(const bench_case *c)
{
    state *s = setup(c);
    if (s != NULL &&
        cuzk_column_sums_create(&s->columns, s->c, row_values, s, NULL, NULL, NULL) != CUZK_OK) {
        teardown(s);
        return NULL;
    }
    return s;
}

static void run_columns(void *p, uint64_t iters)
{
    state *s = p;
    for (uint64_t i = 0; i < iters; i++) {
        cuzk_ignore(cuzk_column_sums_get(s->aux, s->columns, A, s->c->n_inputs, (size_t)s->c->n_aux,
                                         NULL, NULL, NULL));
        bench_use(s->aux);
    }
}

static void *setup_satisfied(const bench_case *c)
{
    state *s = setup(c);
    if (s != NULL) { /* all zero */
        for (uint64_t i = 0; i < s->w->n_bit_words; i++) {
            s->w->bits[i] = 0;
        }
        for (uint64_t i = 0; i < s->c->n_fulls; i++) {
            s->w->fulls[i] = CUZK_FR_ZERO;
        }
    }
    return s;
}

#define BLOCK_ROWS (ROUNDS * (5u * WORD + WORD + 3u))
#define ALL_ROWS   ((uint64_t)BLOCKS * BLOCK_ROWS)

static const bench_case cases[] = {
    {.name = "r1cs/record/sha256", .run = run_record, .unit = "row", .units = BLOCK_ROWS},
    {.name = "r1cs/eval/a",
     .setup = setup,
     .teardown = teardown,
     .run = run_eval_a,
     .unit = "row",
     .units = ALL_ROWS},
    {.name = "r1cs/eval/b",
     .setup = setup,
     .teardown = teardown,
     .run = run_eval_b,
     .unit = "row",
     .units = ALL_ROWS},
    {.name = "r1cs/check/satisfied",
     .setup = setup_satisfied,
     .teardown = teardown,
     .run = run_check,
     .unit = "row",
     .units = ALL_ROWS},
    {.name = "r1cs/transcript/all",
     .setup = setup,
     .teardown = teardown,
     .run = run_transcript,
     .unit = "row",
     .units = ALL_ROWS},
    {.name = "r1cs/column_sums/a",
     .setup = setup_columns,
     .teardown = teardown,
     .run = run_columns,
     .unit = "row",
     .units = ALL_ROWS},
};
BENCH_MODULE(r1cs, cases)
