/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Each part's matrices are turned on their side once (a counting sort of their terms by column);
 * then every column is summed by one thread, for each block anew. Columns of ONE and of slots
 * belong to wires of the preamble: blocks add theirs to the preamble's when the object is made.
 */
#include "r1cs/eval/column_sums.h"

#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "r1cs/eval/eval_internal.h"
#include "r1cs/rows.h"

typedef struct column_term {
    uint32_t row, coef;
} column_term;

/* Columns of a part: ONE and slots, then inputs, then aux wires in allocation order. */
typedef struct part_columns {
    const cuzk_circuit_part *part;
    uint32_t first_input, first_aux, n;
    uint32_t *start[3];    /* [n + 1] */
    column_term *terms[3]; /* [nnz] */
} part_columns;

struct cuzk_column_sums {
    const cuzk_circuit *c;
    cuzk_row_weights_fn weights_of;
    void *arg;
    part_columns part[2];
    cuzk_fr *weights;   /* of one part */
    uint64_t loaded;    /* which one; UINT64_MAX: none */
    cuzk_fr *inputs[3]; /* [n_inputs] */
    cuzk_fr *aux[3];    /* [preamble.n_aux] */
};

static uint32_t column_of(const part_columns *t, const uint32_t *bit_aux, const uint32_t *full_aux,
                          cuzk_var v)
{
    const uint32_t i = cuzk_var_index(v);
    switch (cuzk_var_get_kind(v)) {
    case CUZK_VAR_KIND_BIT: return t->first_aux + bit_aux[i];
    case CUZK_VAR_KIND_FULL: return t->first_aux + full_aux[i];
    case CUZK_VAR_KIND_INPUT: return t->first_input + i;
    case CUZK_VAR_KIND_SLOT:
    default: return i;
    }
}

static void fill(part_columns *t, unsigned k, const uint32_t *bit_aux, const uint32_t *full_aux)
{
    uint32_t *start = t->start[k];
    column_term *terms = t->terms[k];
    for (int pass = 0; pass < 2; pass++) { /* count, then place */
        cuzk_row_cursor cur = cuzk_row_cursor_at(&t->part->m[k], 0);
        while (cur.row < t->part->n_rows) {
            const uint32_t row = (uint32_t)cur.row;
            const uint32_t *p;
            const uint32_t len = cuzk_row_cursor_next(&cur, &p);
            const uint32_t *end = p + len;
            while (p < end) {
                uint32_t coef;
                const cuzk_var v = cuzk_term_next(&p, &coef);
                uint32_t *at = &start[column_of(t, bit_aux, full_aux, v)];
                if (pass == 1) {
                    terms[*at].row = row;
                    terms[*at].coef = coef;
                }
                *at += 1;
            }
        }
        /* From counts to first positions; after placing, from ends back to first positions. */
        uint32_t sum = 0;
        for (uint32_t i = 0; i <= t->n; i++) {
            const uint32_t x = start[i];
            start[i] = sum;
            sum = pass == 0 ? sum + x : x;
        }
    }
}

static cuzk_status part_init(part_columns *t, const cuzk_circuit_part *p, const uint32_t *bit_aux,
                             const uint32_t *full_aux, cuzk_err *err)
{
    t->part = p;
    t->first_input = 1 + p->n_slots;
    t->first_aux = t->first_input + p->n_inputs;
    t->n = t->first_aux + (uint32_t)p->n_aux;
    for (unsigned m = 0; m < 3; m++) {
        if (p->n_rows > UINT32_MAX || p->m[m].nnz > UINT32_MAX) {
            return CUZK_FAIL(err, CUZK_E_INVALID, "more than 2^32 %s in one part of a circuit",
                             p->n_rows > UINT32_MAX ? "rows" : "terms");
        }
        t->start[m] = cuzk_alloc_zero((size_t)t->n + 1, sizeof(*t->start[m]));
        t->terms[m] = cuzk_alloc((size_t)p->m[m].nnz, sizeof(*t->terms[m]));
        if (t->start[m] == NULL || t->terms[m] == NULL) {
            return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the columns of a circuit");
        }
        fill(t, m, bit_aux, full_aux);
    }
    return CUZK_OK;
}

/* Weights of a part: 0 the preamble, 1 + k block k. */
static cuzk_status load(cuzk_column_sums *s, uint64_t index, cuzk_pool *pool,
                        const cuzk_cancel *cancel, cuzk_err *err)
{
    if (s->loaded == index) {
        return CUZK_OK;
    }
    const cuzk_part_base base = cuzk_circuit_part_base(s->c, index);
    s->loaded = UINT64_MAX;
    CUZK_TRY(
        s->weights_of(s->arg, s->weights, base.row, (size_t)base.part->n_rows, pool, cancel, err));
    s->loaded = index;
    return CUZK_OK;
}

#define GRAIN 512u /* columns per task */

typedef struct column_job {
    const part_columns *t;
    unsigned m;
    uint32_t first; /* column of out[0] */
    const cuzk_fr *weights, *coeffs;
    cuzk_fr *out;
} column_job;

static cuzk_status sum_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    const column_job *j = arg;
    const uint32_t *start = j->t->start[j->m];
    const column_term *terms = j->t->terms[j->m];
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const uint32_t column = j->first + (uint32_t)i;
        cuzk_acc acc = {{0, 0, 0, 0, 0}};
        for (uint32_t k = start[column]; k < start[column + 1]; k++) {
            cuzk_acc_add_product(&acc, j->coeffs, terms[k].coef, &j->weights[terms[k].row]);
        }
        cuzk_acc_reduce(&j->out[i], &acc); /* fewer than 2^32 terms: one per row */
    }
    return CUZK_OK;
}

/* Columns [first, first + n) of the loaded part. */
static cuzk_status sum_columns(cuzk_fr *out, const cuzk_column_sums *s, unsigned m, uint32_t first,
                               size_t n, size_t grain, cuzk_pool *pool, const cuzk_cancel *cancel,
                               cuzk_err *err)
{
    column_job j = {&s->part[s->loaded != 0], m, first, s->weights, s->c->coeffs, out};
    const cuzk_status st = cuzk_parallel_for(pool, cancel, n, grain, sum_range, &j);
    return st == CUZK_OK ? st
                         : CUZK_FAIL(err, st, "columns of a circuit: %s", cuzk_status_text(st));
}

/* What the loaded block adds to wires of the preamble. hubs: [1 + n_slots] scratch. */
static cuzk_status add_hubs(cuzk_column_sums *s, const cuzk_part_base *base, cuzk_fr *hubs,
                            cuzk_pool *pool, const cuzk_cancel *cancel, cuzk_err *err)
{
    const uint32_t n = s->part[1].first_input;
    for (unsigned m = 0; m < 3; m++) {
        CUZK_TRY(sum_columns(hubs, s, m, 0, n, 1, pool, cancel, err)); /* ONE's may be long */
        for (uint32_t i = 0; i < n; i++) {
            const cuzk_wire w = i == 0 ? 0 : base->slots[i - 1];
            cuzk_fr *sum =
                (w & CUZK_WIRE_AUX) != 0 ? &s->aux[m][w & ~CUZK_WIRE_AUX] : &s->inputs[m][w];
            cuzk_fr_add(sum, sum, &hubs[i]);
        }
    }
    return CUZK_OK;
}

/* Sums that stay: all inputs and the preamble's aux wires. */
static cuzk_status sum_parts(cuzk_column_sums *s, cuzk_fr *hubs, cuzk_pool *pool,
                             const cuzk_cancel *cancel, cuzk_err *err)
{
    const cuzk_circuit *c = s->c;
    for (uint64_t index = 0; index <= c->n_blocks; index++) {
        const part_columns *t = &s->part[index != 0];
        const cuzk_part_base base = cuzk_circuit_part_base(c, index);
        CUZK_TRY(load(s, index, pool, cancel, err));
        for (unsigned m = 0; m < 3; m++) {
            CUZK_TRY(sum_columns(s->inputs[m] + base.input, s, m, t->first_input, t->part->n_inputs,
                                 GRAIN, pool, cancel, err));
            if (index == 0) {
                CUZK_TRY(sum_columns(s->inputs[m], s, m, 0, 1, 1, pool, cancel, err));
                CUZK_TRY(sum_columns(s->aux[m], s, m, t->first_aux, (size_t)t->part->n_aux, GRAIN,
                                     pool, cancel, err));
            }
        }
        if (index != 0) {
            CUZK_TRY(add_hubs(s, &base, hubs, pool, cancel, err));
        }
    }
    return CUZK_OK;
}

static bool alloc_sums(cuzk_column_sums *s)
{
    const cuzk_circuit *c = s->c;
    const uint64_t rows =
        c->preamble.n_rows > c->block.n_rows ? c->preamble.n_rows : c->block.n_rows;
    bool ok = true;
    s->weights = cuzk_alloc((size_t)rows, sizeof(*s->weights));
    for (unsigned m = 0; m < 3; m++) {
        s->inputs[m] = cuzk_alloc((size_t)c->n_inputs, sizeof(*s->inputs[m]));
        s->aux[m] = cuzk_alloc((size_t)c->preamble.n_aux, sizeof(*s->aux[m]));
        ok = ok && s->inputs[m] != NULL && s->aux[m] != NULL;
    }
    return ok && s->weights != NULL;
}

cuzk_status cuzk_column_sums_create(cuzk_column_sums **out, const cuzk_circuit *c,
                                    cuzk_row_weights_fn weights, void *arg, cuzk_pool *pool,
                                    const cuzk_cancel *cancel, cuzk_err *err)
{
    cuzk_wire_map map = {{NULL, NULL}, {NULL, NULL}};
    cuzk_fr *hubs = cuzk_alloc((size_t)c->block.n_slots + 1, sizeof(*hubs));
    cuzk_column_sums *s = cuzk_alloc_zero(1, sizeof(*s));
    cuzk_status st = CUZK_OK;
    if (s != NULL) {
        s->c = c;
        s->weights_of = weights;
        s->arg = arg;
        s->loaded = UINT64_MAX;
    }
    if (s == NULL || hubs == NULL || !alloc_sums(s)) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the columns of a circuit");
        goto out;
    }
    CUZK_TRY_GOTO(st, cuzk_wire_map_init(&map, c, err));
    for (unsigned i = 0; i < 2; i++) {
        CUZK_TRY_GOTO(st, part_init(&s->part[i], i == 0 ? &c->preamble : &c->block, map.bit_aux[i],
                                    map.full_aux[i], err));
    }
    CUZK_TRY_GOTO(st, sum_parts(s, hubs, pool, cancel, err));
    *out = s;
out:
    cuzk_wire_map_deinit(&map);
    cuzk_free(hubs);
    if (st != CUZK_OK) {
        cuzk_column_sums_destroy(s);
    }
    return st;
}

void cuzk_column_sums_destroy(cuzk_column_sums *s)
{
    if (s == NULL) {
        return;
    }
    for (unsigned m = 0; m < 3; m++) {
        for (unsigned i = 0; i < 2; i++) {
            cuzk_free(s->part[i].start[m]);
            cuzk_free(s->part[i].terms[m]);
        }
        cuzk_free(s->inputs[m]);
        cuzk_free(s->aux[m]);
    }
    cuzk_free(s->weights);
    cuzk_free(s);
}

cuzk_status cuzk_column_sums_get(cuzk_fr *out, cuzk_column_sums *s, cuzk_matrix_id m,
                                 uint64_t first, size_t n, cuzk_pool *pool,
                                 const cuzk_cancel *cancel, cuzk_err *err)
{
    const cuzk_circuit *c = s->c;
    const uint64_t end = first + n, n_kept = c->n_inputs + c->preamble.n_aux;
    CUZK_ASSERT(end <= c->n_inputs + c->n_aux);
    while (first < end) {
        size_t here;
        if (first < n_kept) {
            const bool input = first < c->n_inputs;
            const uint64_t limit = input ? c->n_inputs : n_kept;
            const cuzk_fr *from = input ? s->inputs[m] + first : s->aux[m] + (first - c->n_inputs);
            here = (size_t)((end < limit ? end : limit) - first);
            memcpy(out, from, here * sizeof(*out));
        } else {
            const uint64_t k = (first - n_kept) / c->block.n_aux;
            const uint64_t i = (first - n_kept) % c->block.n_aux;
            here = (size_t)(c->block.n_aux - i < end - first ? c->block.n_aux - i : end - first);
            CUZK_TRY(load(s, 1 + k, pool, cancel, err));
            CUZK_TRY(sum_columns(out, s, m, s->part[1].first_aux + (uint32_t)i, here, GRAIN, pool,
                                 cancel, err));
        }
        out += here;
        first += here;
    }
    return CUZK_OK;
}
