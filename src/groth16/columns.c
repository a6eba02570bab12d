/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "columns.h"

#include <string.h>

#include "base/alloc.h"
#include "r1cs/column_sums.h"

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
    cuzk_status st = CUZK_OK;
    for (unsigned m = 0; m < 3; m++) {
        col.m[m] = cuzk_alloc_zero(col.n_wires, sizeof(cuzk_fr));
        if (col.m[m] == NULL) {
            st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the columns of %llu wires",
                           (unsigned long long)col.n_wires);
            goto out;
        }
        CUZK_TRY_GOTO(st,
                      cuzk_circuit_column_sums(col.m[m], col.m[m] + c->n_inputs, c,
                                               (cuzk_matrix_id)m, row_values, pool, cancel, err));
    }
    for (uint64_t i = 0; i < c->n_inputs; i++) { /* the prover's rows I_i * 0 = 0 */
        cuzk_fr *sum = &col.m[CUZK_MATRIX_A][i];
        cuzk_fr_add(sum, sum, &row_values[c->n_rows + i]);
    }
    CUZK_TRY_GOTO(st, check_density(&col, c, err));
    *out = col;
    return CUZK_OK;
out:
    cuzk_columns_destroy(&col);
    return st;
}

void cuzk_columns_destroy(cuzk_columns *c)
{
    for (size_t m = 0; m < 3; m++) {
        cuzk_free(c->m[m]);
        c->m[m] = NULL;
    }
}
