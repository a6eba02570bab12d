/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "columns.h"

#include <string.h>

#include "base/alloc.h"
#include "r1cs/rows.h"

/* Rows between looks at the cancel flag. */
#define STEP_ROWS ((uint64_t)1 << 16)

typedef struct columns_job {
    const cuzk_circuit *c;
    const cuzk_wire_map *map;
    const cuzk_fr *row_values;
    const cuzk_cancel *cancel;
    cuzk_columns *out;
} columns_job;

typedef struct visit_arg {
    const columns_job *j;
    cuzk_fr *column;
} visit_arg;

static cuzk_status add_row(void *arg, uint64_t row, const cuzk_row_term *terms, size_t n)
{
    const visit_arg *v = arg;
    const cuzk_fr *value = &v->j->row_values[row];
    for (size_t i = 0; i < n; i++) {
        const cuzk_wire w = terms[i].wire;
        cuzk_fr *sum =
            v->column + ((w & CUZK_WIRE_AUX) != 0 ? v->j->c->n_inputs + (w & ~CUZK_WIRE_AUX) : w);
        if (terms[i].coef == 0) { /* one */
            cuzk_fr_add(sum, sum, value);
        } else if (terms[i].coef == CUZK_COEF_MINUS_ONE) {
            cuzk_fr_sub(sum, sum, value);
        } else {
            cuzk_fr t;
            cuzk_fr_mul(&t, value, &v->j->c->coeffs[terms[i].coef]);
            cuzk_fr_add(sum, sum, &t);
        }
    }
    return CUZK_OK;
}

/* One matrix per call: their columns are separate arrays. */
static cuzk_status matrix_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    const columns_job *j = arg;
    (void)worker;
    for (size_t m = begin; m < end; m++) {
        visit_arg v = {j, j->out->m[m]};
        memset(v.column, 0, j->out->n_wires * sizeof(*v.column));
        for (uint64_t row = 0; row < j->c->n_rows; row += STEP_ROWS) {
            const uint64_t left = j->c->n_rows - row;
            if (cuzk_cancel_requested(j->cancel)) {
                return CUZK_E_CANCELLED;
            }
            CUZK_TRY(cuzk_circuit_visit(j->c, j->map, (cuzk_matrix_id)m, row,
                                        row + (left < STEP_ROWS ? left : STEP_ROWS), add_row, &v,
                                        NULL));
        }
    }
    for (uint64_t i = 0; begin == CUZK_MATRIX_A && i < j->c->n_inputs; i++) {
        cuzk_fr *sum = &j->out->m[CUZK_MATRIX_A][i];
        cuzk_fr_add(sum, sum, &j->row_values[j->c->n_rows + i]);
    }
    return CUZK_OK;
}

static uint64_t count_nonzero(const cuzk_fr *v, uint64_t n)
{
    uint64_t k = 0;
    for (uint64_t i = 0; i < n; i++) {
        k += !cuzk_fr_is_zero(&v[i]);
    }
    return k;
}

static cuzk_status check_density(const cuzk_columns *col, const cuzk_circuit *c, cuzk_err *err)
{
    if (count_nonzero(col->m[CUZK_MATRIX_A], col->n_wires) != c->n_inputs + c->a_aux_density ||
        count_nonzero(col->m[CUZK_MATRIX_B], col->n_wires) !=
            c->b_input_density + c->b_aux_density) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "tau is a root of a wire's polynomial in A or B");
    }
    return CUZK_OK;
}

cuzk_status cuzk_columns_create(cuzk_columns *out, const cuzk_circuit *c, const cuzk_fr *row_values,
                                cuzk_pool *pool, const cuzk_cancel *cancel, cuzk_err *err)
{
    cuzk_columns col = {.n_inputs = c->n_inputs, .n_wires = c->n_inputs + c->n_aux};
    cuzk_wire_map map = {0};
    cuzk_status st = CUZK_OK;
    columns_job j = {c, &map, row_values, cancel, &col};
    CUZK_TRY(cuzk_wire_map_init(&map, c, err));
    for (size_t m = 0; m < 3; m++) {
        col.m[m] = cuzk_alloc(col.n_wires, sizeof(cuzk_fr));
        if (col.m[m] == NULL) {
            st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the columns of %llu wires",
                           (unsigned long long)col.n_wires);
            goto out;
        }
    }
    st = cuzk_parallel_for(pool, cancel, 3, 1, matrix_range, &j);
    if (st != CUZK_OK) {
        st = CUZK_FAIL(err, st, "summing columns: %s", cuzk_status_text(st));
        goto out;
    }
    st = check_density(&col, c, err);
out:
    cuzk_wire_map_deinit(&map);
    if (st != CUZK_OK) {
        cuzk_columns_destroy(&col);
        return st;
    }
    *out = col;
    return CUZK_OK;
}

void cuzk_columns_destroy(cuzk_columns *c)
{
    for (size_t m = 0; m < 3; m++) {
        cuzk_free(c->m[m]);
        c->m[m] = NULL;
    }
}
