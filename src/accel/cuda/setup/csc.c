/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Each part's matrices turned on their side: a counting sort of the terms by column. */
#include <string.h>

#include "base/alloc.h"
#include "r1cs/rows.h"

#include "setup_internal.h"

static void take_part(cuzk_cuda_columns_part *out, cuzk_cuda_arena *a, const cuzk_circuit_part *p)
{
    const uint64_t words = (p->n_aux + 63) / 64;
    const uint64_t *dense[2] = {p->a_dense, p->b_dense};
    out->n_rows = (uint32_t)p->n_rows;
    out->first_input = 1 + p->n_slots;
    out->first_aux = out->first_input + p->n_inputs;
    out->n_inputs = p->n_inputs;
    out->n_aux = (uint32_t)p->n_aux;
    out->n_columns = out->first_aux + out->n_aux;
    for (unsigned m = 0; m < 3; m++) {
        out->start[m] =
            cuzk_cuda_arena_take(a, ((uint64_t)out->n_columns + 1) * sizeof(*out->start[m]));
        out->terms[m] = cuzk_cuda_arena_take(a, p->m[m].nnz * sizeof(*out->terms[m]));
    }
    for (unsigned m = 0; m < 2; m++) {
        out->dense[m] = cuzk_cuda_arena_take(a, words * sizeof(*out->dense[m]));
        out->before[m] = cuzk_cuda_arena_take(a, words * sizeof(*out->before[m]));
        for (uint64_t i = 0; i < words; i++) {
            out->n_dense[m] += (uint32_t)__builtin_popcountll(dense[m][i]);
        }
    }
}

void cuzk_cuda_columns_take(cuzk_cuda_columns *out, cuzk_cuda_arena *a, const cuzk_circuit *c)
{
    memset(out, 0, sizeof(*out));
    take_part(&out->part[0], a, &c->preamble);
    take_part(&out->part[1], a, &c->block);
    const uint64_t n_hubs = c->n_blocks * out->part[1].first_input;
    out->n_blocks = (uint32_t)c->n_blocks;
    out->n_inputs = (uint32_t)c->n_inputs;
    out->n_rows = c->n_rows;
    out->n_input_dense = (uint32_t)c->b_input_density;
    out->coeffs = cuzk_cuda_arena_take(a, c->n_coeffs * sizeof(*out->coeffs));
    out->lagrange = cuzk_cuda_arena_take(a, (c->n_rows + c->n_inputs) * sizeof(*out->lagrange));
    for (unsigned m = 0; m < 3; m++) {
        out->preamble[m] =
            cuzk_cuda_arena_take(a, (uint64_t)out->part[0].n_columns * sizeof(cuzk_fr));
        out->hubs[m] = cuzk_cuda_arena_take(a, n_hubs * sizeof(cuzk_fr));
    }
    out->hub_target = cuzk_cuda_arena_take(a, n_hubs * sizeof(*out->hub_target));
    out->hub_start = cuzk_cuda_arena_take(a, (n_hubs + 1) * sizeof(*out->hub_start));
    out->hub_source = cuzk_cuda_arena_take(a, n_hubs * sizeof(*out->hub_source));
    out->input_dense = cuzk_cuda_arena_take(a, (c->n_inputs + 63) / 64 * sizeof(uint64_t));
}

static cuzk_status put(cuzk_cuda_queue *q, const void *d_dst, const void *src, uint64_t bytes,
                       cuzk_err *err)
{
    return cuzk_cuda_upload(q, (void *)(uintptr_t)d_dst, src, bytes, err);
}

static uint32_t column_of(const cuzk_cuda_columns_part *x, const uint32_t *bit_aux,
                          const uint32_t *full_aux, cuzk_var v)
{
    const uint32_t i = cuzk_var_index(v);
    switch (cuzk_var_get_kind(v)) {
    case CUZK_VAR_KIND_BIT: return x->first_aux + bit_aux[i];
    case CUZK_VAR_KIND_FULL: return x->first_aux + full_aux[i];
    case CUZK_VAR_KIND_INPUT: return x->first_input + i;
    case CUZK_VAR_KIND_SLOT:
    default: return i;
    }
}

/* Counts, then places: start[i] is then where column i ends, so one below is where i + 1 begins. */
static void sort_terms(const cuzk_cuda_columns_part *x, const cuzk_matrix *m,
                       const uint32_t *bit_aux, const uint32_t *full_aux, uint32_t *start,
                       cuzk_cuda_column_term *terms)
{
    memset(start, 0, ((size_t)x->n_columns + 1) * sizeof(*start));
    for (int pass = 0; pass < 2; pass++) {
        cuzk_row_cursor cur = cuzk_row_cursor_at(m, 0);
        while (cur.row < x->n_rows) {
            const uint32_t row = (uint32_t)cur.row;
            const uint32_t *p;
            const uint32_t len = cuzk_row_cursor_next(&cur, &p), *end = p + len;
            while (p < end) {
                uint32_t coef;
                const cuzk_var v = cuzk_term_next(&p, &coef);
                uint32_t *at = &start[column_of(x, bit_aux, full_aux, v)];
                if (pass == 1) {
                    terms[*at].row = row;
                    terms[*at].coef = coef;
                }
                *at += 1;
            }
        }
        uint32_t sum = 0;
        for (uint32_t i = 0; i <= x->n_columns; i++) {
            const uint32_t n = start[i];
            start[i] = sum;
            sum = pass == 0 ? sum + n : n;
        }
    }
}

static cuzk_status put_matrix(const cuzk_cuda_columns_part *x, cuzk_cuda_queue *q,
                              const cuzk_matrix *m, unsigned k, const uint32_t *bit_aux,
                              const uint32_t *full_aux, cuzk_err *err)
{
    const size_t n_start = (size_t)x->n_columns + 1;
    uint32_t *start = cuzk_alloc(n_start, sizeof(*start));
    cuzk_cuda_column_term *terms = cuzk_alloc((size_t)m->nnz, sizeof(*terms));
    cuzk_status st = CUZK_OK;
    if (start == NULL || terms == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the columns of a circuit");
        goto out;
    }
    sort_terms(x, m, bit_aux, full_aux, start, terms);
    CUZK_TRY_GOTO(st, put(q, x->start[k], start, n_start * sizeof(*start), err));
    st = put(q, x->terms[k], terms, m->nnz * sizeof(*terms), err);
out:
    cuzk_free(start);
    cuzk_free(terms);
    return st;
}

static cuzk_status put_dense(const cuzk_cuda_columns_part *x, cuzk_cuda_queue *q,
                             const uint64_t *dense, unsigned m, cuzk_err *err)
{
    const size_t words = ((size_t)x->n_aux + 63) / 64;
    uint32_t *before = cuzk_alloc(words, sizeof(*before)), n = 0;
    if (before == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the columns of a circuit");
    }
    for (size_t i = 0; i < words; i++) {
        before[i] = n;
        n += (uint32_t)__builtin_popcountll(dense[i]);
    }
    cuzk_status st = put(q, x->dense[m], dense, words * sizeof(*dense), err);
    if (st == CUZK_OK) {
        st = put(q, x->before[m], before, words * sizeof(*before), err);
    }
    cuzk_free(before);
    return st;
}

static cuzk_status put_part(const cuzk_cuda_columns_part *x, cuzk_cuda_queue *q,
                            const cuzk_circuit_part *p, const uint32_t *bit_aux,
                            const uint32_t *full_aux, cuzk_err *err)
{
    for (unsigned m = 0; m < 3; m++) {
        CUZK_TRY(put_matrix(x, q, &p->m[m], m, bit_aux, full_aux, err));
    }
    CUZK_TRY(put_dense(x, q, p->a_dense, 0, err));
    return put_dense(x, q, p->b_dense, 1, err);
}

/* Column of the preamble that a hub of a block stands for. */
static uint32_t hub_column(const cuzk_cuda_columns *x, const cuzk_circuit *c, uint64_t hub)
{
    const uint64_t k = hub / x->part[1].first_input, s = hub % x->part[1].first_input;
    if (s == 0) {
        return 0;
    }
    const cuzk_wire w = c->bindings[k * c->block.n_slots + s - 1];
    return (w & CUZK_WIRE_AUX) != 0 ? x->part[0].first_aux + (w & ~CUZK_WIRE_AUX)
           : w == 0                 ? 0
                                    : x->part[0].first_input + w - 1;
}

/* Lists of hubs by column: counting sort over the preamble's columns. */
static cuzk_status put_hubs(cuzk_cuda_columns *x, cuzk_cuda_queue *q, const cuzk_circuit *c,
                            cuzk_err *err)
{
    const size_t n = (size_t)(c->n_blocks * x->part[1].first_input);
    const size_t columns = x->part[0].n_columns;
    uint32_t *count = cuzk_alloc_zero(columns + 1, sizeof(*count));
    uint32_t *source = cuzk_alloc(n, sizeof(*source)), *target = cuzk_alloc(n, sizeof(*target));
    uint32_t *start = cuzk_alloc(n + 1, sizeof(*start)), n_targets = 0, sum = 0;
    cuzk_status st = CUZK_OK;
    if (count == NULL || source == NULL || target == NULL || start == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the columns of a circuit");
        goto out;
    }
    for (size_t i = 0; i < n; i++) {
        count[hub_column(x, c, i)]++;
    }
    for (size_t i = 0; i < columns; i++) {
        const uint32_t here = count[i];
        count[i] = sum;
        if (here > 0) {
            target[n_targets] = (uint32_t)i;
            start[n_targets++] = sum;
        }
        sum += here;
    }
    start[n_targets] = sum;
    for (size_t i = 0; i < n; i++) {
        source[count[hub_column(x, c, i)]++] = (uint32_t)i;
    }
    x->n_targets = n_targets;
    CUZK_TRY_GOTO(st, put(q, x->hub_target, target, n_targets * sizeof(*target), err));
    CUZK_TRY_GOTO(st, put(q, x->hub_start, start, ((size_t)n_targets + 1) * sizeof(*start), err));
    st = put(q, x->hub_source, source, n * sizeof(*source), err);
out:
    cuzk_free(count);
    cuzk_free(source);
    cuzk_free(target);
    cuzk_free(start);
    return st;
}

cuzk_status cuzk_cuda_columns_put(cuzk_cuda_columns *x, cuzk_cuda_queue *q, const cuzk_circuit *c,
                                  cuzk_err *err)
{
    cuzk_wire_map map;
    cuzk_status st = cuzk_wire_map_init(&map, c, err);
    if (st != CUZK_OK) {
        return st;
    }
    CUZK_TRY_GOTO(st, put_part(&x->part[0], q, &c->preamble, map.bit_aux[0], map.full_aux[0], err));
    CUZK_TRY_GOTO(st, put_part(&x->part[1], q, &c->block, map.bit_aux[1], map.full_aux[1], err));
    CUZK_TRY_GOTO(st, put(q, x->coeffs, c->coeffs, c->n_coeffs * sizeof(*c->coeffs), err));
    CUZK_TRY_GOTO(st, put(q, x->input_dense, c->b_input_dense,
                          (c->n_inputs + 63) / 64 * sizeof(uint64_t), err));
    st = put_hubs(x, q, c, err);
out:
    cuzk_wire_map_deinit(&map);
    return st;
}
