/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Random circuits with blocks against the naive, fully expanded R1CS. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "hash/sha256.h"
#include "r1cs/eval/column_sums.h"
#include "r1cs/random_circuit.h"
#include "r1cs/rows.h"

#include "test.h"

static const random_cfg shapes[] = {
    {0, {0, 0}, 0, false},    {0, {1, 0}, 3, false},   {0, {100, 0}, 8, true},
    {0, {300, 0}, 6, false},  {1, {0, 40}, 5, false},  {3, {50, 33}, 6, false},
    {7, {40, 64}, 12, false}, {5, {1, 1}, 4, false},   {2, {20, 2100}, 2, false},
    {4, {30, 0}, 4, false},   {3, {60, 90}, 20, true},
};
#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

typedef struct visit_state {
    const random_circuit *r;
    cuzk_matrix_id m;
    uint64_t next;
} visit_state;

static cuzk_status compare_row(void *arg, uint64_t row, const cuzk_row_term *t, size_t n)
{
    visit_state *s = arg;
    const ref_side *want = &s->r->ref.rows[row][s->m];
    CHECK_U64(row, s->next++);
    CHECK_U64(n, want->n);
    for (size_t i = 0; i < n; i++) {
        CHECK_U64(t[i].wire, want->t[i].wire);
        CHECK(ref_fr_eq(ref_of_fr(&s->r->c->coeffs[t[i].coef]), want->t[i].coef));
    }
    return CUZK_OK;
}

static void check_counts(const random_circuit *r)
{
    const cuzk_circuit *c = r->c;
    const ref_r1cs *q = &r->ref;
    uint64_t nnz[3] = {0, 0, 0}, density[3] = {0, 0, 0}, bits = 0;
    CHECK_U64(c->n_rows, q->n_rows);
    CHECK_U64(c->n_inputs, q->n_inputs);
    CHECK_U64(c->n_aux, q->n_aux);
    for (size_t i = 0; i < q->n_rows; i++) {
        for (int m = 0; m < 3; m++) {
            nnz[m] += q->rows[i][m].n;
        }
    }
    for (uint32_t i = 0; i < q->n_aux; i++) {
        const bool is_block = i >= c->preamble.n_aux;
        const cuzk_circuit_part *p = is_block ? &c->block : &c->preamble;
        const uint64_t k = is_block ? (i - c->preamble.n_aux) % c->block.n_aux : i;
        const bool a = ref_r1cs_is_dense(q, 0, REF_AUX | i),
                   b = ref_r1cs_is_dense(q, 1, REF_AUX | i);
        CHECK_U64(p->a_dense[k / 64] >> (k % 64) & 1, a);
        CHECK_U64(p->b_dense[k / 64] >> (k % 64) & 1, b);
        CHECK_U64(p->is_full[k / 64] >> (k % 64) & 1, r->is_bit[i] == 0);
        density[0] += a;
        density[1] += b;
        bits += r->is_bit[i];
    }
    for (uint32_t i = 0; i < q->n_inputs; i++) {
        const bool b = ref_r1cs_is_dense(q, 1, i);
        CHECK_U64(c->b_input_dense[i / 64] >> (i % 64) & 1, b);
        density[2] += b;
    }
    for (int m = 0; m < 3; m++) {
        CHECK_U64(c->nnz[m], nnz[m]);
    }
    CHECK_U64(c->a_aux_density, density[0]);
    CHECK_U64(c->b_aux_density, density[1]);
    CHECK_U64(c->b_input_density, density[2]);
    CHECK_U64(c->n_bits, bits);
    CHECK_U64(c->n_fulls, q->n_aux - bits);
}

static void check_visits(const random_circuit *r)
{
    cuzk_wire_map map;
    cuzk_err err;
    CHECK_OK(cuzk_wire_map_init(&map, r->c, &err), &err);
    for (int m = 0; m < 3; m++) {
        const uint64_t n = r->c->n_rows;
        visit_state s = {r, (cuzk_matrix_id)m, 0};
        CHECK_OK(cuzk_circuit_visit(r->c, &map, s.m, 0, n, compare_row, &s, &err), &err);
        CHECK_U64(s.next, n);
        for (int i = 0; i < 4; i++) {
            const uint64_t begin = test_below(n + 1), end = begin + test_below(n - begin + 1);
            s.next = begin;
            CHECK_OK(cuzk_circuit_visit(r->c, &map, s.m, begin, end, compare_row, &s, &err), &err);
            CHECK_U64(s.next, end);
        }
    }
    cuzk_wire_map_deinit(&map);
}

static void check_transcript(const random_circuit *r)
{
    uint8_t got[32], want[32], prefix[32];
    cuzk_err err;
    cuzk_sha256 s;
    size_t n;
    const uint64_t prefix_rows = test_below(r->ref.n_rows + 2);
    uint8_t *bytes = ref_r1cs_row_bytes(&r->ref, r->ref.n_rows, &n);
    const uint64_t trailer[3] = {r->ref.n_inputs, r->ref.n_aux, r->ref.n_rows};
    cuzk_sha256_init(&s);
    cuzk_sha256_update(&s, bytes, n);
    for (int i = 0; i < 24; i++) {
        const uint8_t b = (uint8_t)(trailer[i / 8] >> (8 * (i % 8)));
        cuzk_sha256_update(&s, &b, 1);
    }
    cuzk_sha256_final(want, &s);
    free(bytes);
    CHECK_OK(cuzk_circuit_transcript(r->c, got, prefix_rows, prefix, &err), &err);
    CHECK_MEM(got, want, 32);
    bytes = ref_r1cs_row_bytes(
        &r->ref, prefix_rows < r->ref.n_rows ? (size_t)prefix_rows : r->ref.n_rows, &n);
    cuzk_sha256_digest(want, bytes, n);
    free(bytes);
    CHECK_MEM(prefix, want, 32);
    CHECK_OK(cuzk_circuit_transcript(r->c, prefix, 0, NULL, &err), &err);
    CHECK_MEM(prefix, got, 32);
}

static void check_witness(const random_circuit *r, cuzk_pool *pool)
{
    const ref_r1cs *q = &r->ref;
    cuzk_err err;
    cuzk_witness *w = random_circuit_witness(r);
    cuzk_fr v;
    cuzk_sha256 s;
    uint8_t b[32], want[32];
    cuzk_sha256_init(&s);
    for (uint32_t i = 0; i < q->n_inputs + q->n_aux; i++) {
        const bool aux = i >= q->n_inputs;
        const ref_fr x = aux ? r->aux[i - q->n_inputs] : r->inputs[i];
        cuzk_witness_get(&v, w, aux ? CUZK_WIRE_AUX | (i - q->n_inputs) : i);
        CHECK(ref_fr_eq(ref_of_fr(&v), x));
        ref_fr_to_bytes(b, x);
        cuzk_sha256_update(&s, b, 32);
    }
    cuzk_sha256_final(want, &s);
    CHECK_OK(cuzk_witness_hash(w, b, &err), &err);
    CHECK_MEM(b, want, 32);
    const uint64_t n = cuzk_circuit_prover_rows(r->c), n_out = n + test_below(5);
    cuzk_fr *out = calloc((size_t)n_out, sizeof(*out));
    CHECK(out != NULL);
    for (int m = 0; m < 3; m++) {
        memset(out, 0xee, (size_t)n_out * sizeof(*out));
        CHECK_OK(cuzk_r1cs_eval(out, n_out, w, (cuzk_matrix_id)m, pool, NULL, &err), &err);
        for (uint64_t i = 0; i < n_out; i++) {
            ref_fr x = ref_fr_u64(0);
            if (i < q->n_rows) {
                x = ref_r1cs_dot(q, m, (size_t)i, r->inputs, r->aux);
            } else if (i < n && m == 0) {
                x = r->inputs[i - q->n_rows];
            }
            CHECK(ref_fr_eq(ref_of_fr(&out[i]), x));
        }
    }
    free(out);
    CHECK_STATUS(cuzk_r1cs_eval(NULL, n - 1, w, CUZK_MATRIX_A, pool, NULL, NULL), CUZK_E_INVALID);
    CHECK_OK(cuzk_r1cs_check(w, NULL, pool, NULL, &err), &err);
    cuzk_witness_destroy(w);
}

static cuzk_status some_weights(void *arg, cuzk_fr *out, uint64_t begin, size_t n, cuzk_pool *pool,
                                const cuzk_cancel *cancel, cuzk_err *err)
{
    const cuzk_fr *weights = arg;
    (void)pool;
    (void)cancel;
    (void)err;
    if (n > 0) {
        memcpy(out, weights + begin, n * sizeof(*out));
    }
    return CUZK_OK;
}

static cuzk_status no_weights(void *arg, cuzk_fr *out, uint64_t begin, size_t n, cuzk_pool *pool,
                              const cuzk_cancel *cancel, cuzk_err *err)
{
    (void)arg;
    (void)out;
    (void)begin;
    (void)n;
    (void)pool;
    (void)cancel;
    return CUZK_FAIL(err, CUZK_E_CANCELLED, "no weights");
}

/* All of a matrix's sums in ranges of random lengths, and single ones in any order. */
static void get_columns(cuzk_fr *out, cuzk_column_sums *s, cuzk_matrix_id m, size_t n,
                        cuzk_pool *pool)
{
    cuzk_err err;
    cuzk_fr one;
    for (size_t at = 0; at < n;) {
        const size_t left = n - at, k = 1 + test_below(left);
        CHECK_OK(cuzk_column_sums_get(out + at, s, m, at, k, pool, NULL, &err), &err);
        at += k;
    }
    for (int i = 0; i < 20 && n > 0; i++) {
        const size_t wire = test_below(n);
        CHECK_OK(cuzk_column_sums_get(&one, s, m, wire, 1, pool, NULL, &err), &err);
        CHECK(cuzk_fr_eq(&one, &out[wire]));
    }
}

static void check_columns(const random_circuit *r, cuzk_pool *pool)
{
    const ref_r1cs *q = &r->ref;
    const size_t n = q->n_inputs + q->n_aux;
    cuzk_fr *weights = calloc(q->n_rows + 1, sizeof(*weights)), *got = malloc(n * sizeof(*got));
    ref_fr *want = malloc(n * sizeof(*want));
    cuzk_column_sums *sums = NULL;
    cuzk_err err;
    CHECK(weights != NULL && got != NULL && want != NULL);
    for (size_t row = 0; row < q->n_rows; row++) {
        weights[row] = fr_of_ref(ref_fr_u64(test_u64()));
    }
    CHECK_OK(cuzk_column_sums_create(&sums, r->c, some_weights, weights, pool, NULL, &err), &err);
    for (int m = 0; m < 3; m++) {
        for (size_t i = 0; i < n; i++) {
            want[i] = ref_fr_u64(0);
        }
        for (size_t row = 0; row < q->n_rows; row++) {
            const ref_fr x = ref_of_fr(&weights[row]);
            for (size_t i = 0; i < q->rows[row][m].n; i++) {
                const ref_term *t = &q->rows[row][m].t[i];
                ref_fr *sum =
                    &want[(t->wire & REF_AUX) != 0 ? q->n_inputs + (t->wire & ~REF_AUX) : t->wire];
                *sum = ref_fr_add(*sum, ref_fr_mul(t->coef, x));
            }
        }
        get_columns(got, sums, (cuzk_matrix_id)m, n, pool);
        for (size_t i = 0; i < n; i++) {
            CHECK(ref_fr_eq(ref_of_fr(&got[i]), want[i]));
        }
    }
    cuzk_column_sums_destroy(sums);
    sums = NULL;
    CHECK_STATUS(cuzk_column_sums_create(&sums, r->c, no_weights, NULL, pool, NULL, &err),
                 CUZK_E_CANCELLED);
    CHECK(sums == NULL);
    free(weights);
    free(got);
    free(want);
}

/* One wire changed: the lowest row that breaks is named, whatever the number of threads. */
static void check_wrong_witness(random_circuit *r, cuzk_pool *const *pools, size_t n_pools)
{
    const ref_r1cs *q = &r->ref;
    for (int i = 0; i < 8 && q->n_aux > 0; i++) {
        ref_fr *v = &r->aux[test_below(q->n_aux)];
        const ref_fr old = *v;
        *v = r->is_bit[v - r->aux] != 0 ? ref_fr_u64(old.l[0] ^ 1)
                                        : ref_fr_add(old, ref_fr_u64(1 + test_below(9)));
        const size_t want = ref_r1cs_check(q, r->inputs, r->aux);
        cuzk_witness *w = random_circuit_witness(r);
        for (size_t p = 0; p < n_pools; p++) {
            cuzk_err err;
            uint64_t bad = UINT64_MAX;
            const cuzk_status st = cuzk_r1cs_check(w, &bad, pools[p], NULL, &err);
            if (want == q->n_rows) {
                CHECK_OK(st, &err);
                CHECK_U64(bad, UINT64_MAX);
                continue;
            }
            char text[256], path[160];
            CHECK_STATUS(st, CUZK_E_UNSATISFIED);
            CHECK_U64(bad, want);
            (void)snprintf(text, sizeof(text), "constraint %zu (%s) does not hold", want,
                           cuzk_circuit_row_path(r->c, want, path, sizeof(path)));
            CHECK_STR(err.msg, text);
        }
        cuzk_witness_destroy(w);
        *v = old;
    }
}

static void random_circuits(void)
{
    cuzk_pool *pools[3] = {NULL, NULL, NULL};
    for (unsigned i = 1; i < 3; i++) {
        const cuzk_pool_cfg cfg = {i == 1 ? 2 : 5, false, NULL};
        CHECK_OK(cuzk_pool_create(&pools[i], &cfg, NULL), NULL);
    }
    for (size_t i = 0; i < test_iters(TEST_IS_SPARSE ? 1 : 3) * SHAPES; i++) {
        random_circuit r;
        random_circuit_make(&r, &shapes[i % SHAPES]);
        check_counts(&r);
        check_visits(&r);
        check_transcript(&r);
        check_witness(&r, pools[i % 3]);
        check_columns(&r, pools[i % 3]);
        check_wrong_witness(&r, pools, 3);
        random_circuit_free(&r);
    }
    cuzk_pool_destroy(pools[1]);
    cuzk_pool_destroy(pools[2]);
}

/* Every allocation of recording and of the readers fails once; then nothing is left behind. */
static void allocation_failures(void)
{
    const random_cfg cfg = {3, {60, 80}, 9, false};
    random_circuit r;
    random_circuit_make(&r, &cfg);
    cuzk_witness *w = random_circuit_witness(&r);
    const uint64_t n_out = cuzk_circuit_prover_rows(r.c);
    cuzk_fr *out = calloc((size_t)n_out, sizeof(*out));
    cuzk_fr *sums = calloc((size_t)(r.c->n_inputs + r.c->n_aux), sizeof(*sums));
    CHECK(out != NULL && sums != NULL);
    const uint64_t before = cuzk_alloc_get_stats().blocks_now;
    bool done = false;
    for (uint64_t nth = 1; !done; nth++) {
        cuzk_builder *b = NULL;
        cuzk_circuit *c = NULL;
        cuzk_witness *w2 = NULL;
        cuzk_wire_map map;
        uint8_t hash[32];
        cuzk_alloc_fail_nth(nth, nth % 2 == 0);
        cuzk_status st = cuzk_builder_create(&b, NULL);
        if (st == CUZK_OK) {
            random_circuit_record(&r, b);
            st = cuzk_builder_finish(b, &c, NULL);
            CHECK((c != NULL) == (st == CUZK_OK));
        } else {
            CHECK(b == NULL);
        }
        if (st == CUZK_OK) {
            st = cuzk_witness_create(&w2, c, NULL);
        }
        if (st == CUZK_OK && (st = cuzk_wire_map_init(&map, c, NULL)) == CUZK_OK) {
            cuzk_wire_map_deinit(&map);
            st = cuzk_circuit_transcript(c, hash, 0, NULL, NULL);
        }
        if (st == CUZK_OK && (st = cuzk_witness_hash(w, hash, NULL)) == CUZK_OK &&
            (st = cuzk_r1cs_eval(out, n_out, w, CUZK_MATRIX_A, NULL, NULL, NULL)) == CUZK_OK) {
            st = cuzk_r1cs_check(w, NULL, NULL, NULL, NULL);
        }
        if (st == CUZK_OK) {
            cuzk_column_sums *columns = NULL;
            st = cuzk_column_sums_create(&columns, r.c, some_weights, out, NULL, NULL, NULL);
            if (st == CUZK_OK) {
                st = cuzk_column_sums_get(sums, columns, CUZK_MATRIX_A, 0,
                                          (size_t)(r.c->n_inputs + r.c->n_aux), NULL, NULL, NULL);
            }
            cuzk_column_sums_destroy(columns);
        }
        cuzk_alloc_fail_nth(0, false);
        CHECK(st == CUZK_OK || st == CUZK_E_NOMEM);
        done = st == CUZK_OK;
        cuzk_witness_destroy(w2);
        if (c != NULL) {
            CHECK_MEM(c->identity, r.c->identity, 32);
        }
        cuzk_circuit_destroy(c);
        cuzk_builder_destroy(b);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, before);
    }
    free(out);
    free(sums);
    cuzk_witness_destroy(w);
    random_circuit_free(&r);
}

static void not_a_bit(void)
{
    const random_cfg cfg = {2, {30, 30}, 4, false};
    random_circuit r;
    random_circuit_make(&r, &cfg);
    cuzk_witness *w = random_circuit_witness(&r);
    cuzk_fr *inputs = calloc((size_t)r.c->n_inputs, sizeof(*inputs));
    cuzk_fr *aux = calloc((size_t)r.c->n_aux, sizeof(*aux));
    CHECK(inputs != NULL && aux != NULL);
    cuzk_err err;
    CHECK_STATUS(cuzk_witness_set_all(w, inputs, aux, &err), CUZK_E_UNSATISFIED);
    CHECK_STR(err.msg, "input 0 is not 1");
    inputs[0] = CUZK_FR_ONE;
    uint32_t bad = 0;
    for (uint32_t i = 0; i < r.c->n_aux; i++) {
        bad = r.is_bit[i] != 0 ? i : bad; /* the last one */
    }
    cuzk_fr_neg(&aux[bad], &CUZK_FR_ONE);
    CHECK_STATUS(cuzk_witness_set_all(w, inputs, aux, &err), CUZK_E_UNSATISFIED);
    char text[64];
    (void)snprintf(text, sizeof(text), "aux wire %u is not 0 or 1", bad);
    CHECK_STR(err.msg, text);
    free(inputs);
    free(aux);
    cuzk_witness_destroy(w);
    random_circuit_free(&r);
}

static void cancelled(void)
{
    const random_cfg cfg = {2, {30, 30}, 4, false};
    random_circuit r;
    random_circuit_make(&r, &cfg);
    cuzk_witness *w = random_circuit_witness(&r);
    const uint64_t n = cuzk_circuit_prover_rows(r.c);
    cuzk_fr *out = calloc((size_t)n, sizeof(*out));
    cuzk_cancel cancel = {true};
    cuzk_err err;
    CHECK(out != NULL);
    CHECK_STATUS(cuzk_r1cs_check(w, NULL, NULL, &cancel, &err), CUZK_E_CANCELLED);
    CHECK_STATUS(cuzk_r1cs_eval(out, n, w, CUZK_MATRIX_B, NULL, &cancel, &err), CUZK_E_CANCELLED);
    free(out);
    cuzk_witness_destroy(w);
    random_circuit_free(&r);
}

static const cuzk_case cases[] = {CASE(random_circuits), CASE(allocation_failures), CASE(not_a_bit),
                                  CASE(cancelled)};
TEST_MAIN("r1cs/random", cases)
