/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "columns.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"

#define CHUNK ((size_t)1 << 16) /* wires looked at together */

static cuzk_status row_weights(void *arg, cuzk_fr *out, uint64_t begin, size_t n, cuzk_pool *pool,
                               const cuzk_cancel *cancel, cuzk_err *err)
{
    const cuzk_columns *c = arg;
    return cuzk_lagrange_at(out, begin, n, &c->points, &c->tau, &CUZK_FR_ONE, pool, cancel, err);
}

static cuzk_status count_nonzero(uint64_t *count, cuzk_columns *c, cuzk_matrix_id m,
                                 cuzk_fr *scratch, cuzk_pool *pool, const cuzk_cancel *cancel,
                                 cuzk_err *err)
{
    *count = 0;
    for (uint64_t at = 0; at < c->n_wires; at += CHUNK) {
        const size_t n = c->n_wires - at < CHUNK ? (size_t)(c->n_wires - at) : CHUNK;
        CUZK_TRY(cuzk_columns_get(scratch, c, m, at, n, pool, cancel, err));
        for (size_t i = 0; i < n; i++) {
            *count += !cuzk_fr_is_zero(&scratch[i]);
        }
    }
    return CUZK_OK;
}

static cuzk_status check_density(cuzk_columns *col, const cuzk_circuit *c, cuzk_pool *pool,
                                 const cuzk_cancel *cancel, cuzk_err *err)
{
    uint64_t a, b;
    cuzk_status st = CUZK_OK;
    cuzk_fr *scratch = cuzk_alloc(CHUNK, sizeof(*scratch));
    if (scratch == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the columns of a circuit");
    }
    CUZK_TRY_GOTO(st, count_nonzero(&a, col, CUZK_MATRIX_A, scratch, pool, cancel, err));
    CUZK_TRY_GOTO(st, count_nonzero(&b, col, CUZK_MATRIX_B, scratch, pool, cancel, err));
    if (a != c->n_inputs + c->a_aux_density || b != c->b_input_density + c->b_aux_density) {
        st = CUZK_FAIL(err, CUZK_E_INVALID, "tau is a root of a wire's polynomial in A or B");
    }
out:
    cuzk_wipe(scratch, CHUNK * sizeof(*scratch));
    cuzk_free(scratch);
    return st;
}

cuzk_status cuzk_columns_create(cuzk_columns *out, const cuzk_circuit *c,
                                const cuzk_lagrange_points *points, const cuzk_fr *tau,
                                cuzk_pool *pool, const cuzk_cancel *cancel, cuzk_err *err)
{
    memset(out, 0, sizeof(*out));
    out->points = *points;
    out->tau = *tau;
    out->n_inputs = c->n_inputs;
    out->n_wires = c->n_inputs + c->n_aux;
    out->input_rows = cuzk_alloc(c->n_inputs, sizeof(*out->input_rows));
    if (out->input_rows == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the rows of %llu inputs",
                         (unsigned long long)c->n_inputs);
    }
    CUZK_TRY(row_weights(out, out->input_rows, c->n_rows, c->n_inputs, pool, cancel, err));
    CUZK_TRY(cuzk_column_sums_create(&out->sums, c, row_weights, out, pool, cancel, err));
    return check_density(out, c, pool, cancel, err);
}

void cuzk_columns_destroy(cuzk_columns *c)
{
    cuzk_column_sums_destroy(c->sums);
    cuzk_free(c->input_rows);
    c->sums = NULL;
    c->input_rows = NULL;
}

cuzk_status cuzk_columns_get(cuzk_fr *out, cuzk_columns *c, cuzk_matrix_id m, uint64_t first,
                             size_t n, cuzk_pool *pool, const cuzk_cancel *cancel, cuzk_err *err)
{
    CUZK_TRY(cuzk_column_sums_get(out, c->sums, m, first, n, pool, cancel, err));
    for (size_t i = 0; m == CUZK_MATRIX_A && i < n && first + i < c->n_inputs; i++) {
        cuzk_fr_add(&out[i], &out[i], &c->input_rows[first + i]);
    }
    return CUZK_OK;
}
