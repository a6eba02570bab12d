/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Section 4 lists the terms of A and B in any order and ends, in A, with one row per public wire
 * (ONE first) that holds that wire alone. The number of constraints is not stored: it is what is
 * left of the rows in front of those.
 */
#include <string.h>

#include "base/alloc.h"

#include "wires_internal.h"
#include "zkey_internal.h"

typedef struct term {
    uint32_t matrix, row, wire;
    const uint8_t *value;
} term;

static term term_at(const uint8_t *terms, uint32_t i)
{
    const uint8_t *p = terms + (size_t)CUZK_ZKEY_COEF_BYTES * i;
    const term t = {cuzk_load_u32_le(p), cuzk_load_u32_le(p + 4), cuzk_load_u32_le(p + 8), p + 12};
    return t;
}

/* In: the integer v * R^2 (R = 2^256). Out: Montgomery form of v, which is v * R. */
static bool decode_value(cuzk_fr *out, const uint8_t in[32])
{
    static const cuzk_fr raw_one = {{1, 0, 0, 0}};
    cuzk_scalar s;
    cuzk_scalar_from_bytes_le(&s, in);
    if (!cuzk_scalar_is_canonical(&s)) {
        return false;
    }
    memcpy(out->l, s.l, sizeof(s.l));
    cuzk_fr_mul(out, out, &raw_one); /* divides by R */
    return true;
}

static cuzk_status check_terms(const cuzk_iden3 *f, const uint8_t *terms, cuzk_zkey_info *info,
                               bool *sorted, cuzk_err *err)
{
    uint32_t last = 0, max_row = 0;
    *sorted = true;
    for (uint32_t i = 0; i < info->n_coefs; i++) {
        const term t = term_at(terms, i);
        cuzk_fr v;
        if (t.matrix > 1 || t.row >= info->domain_size || t.wire >= info->n_vars) {
            return CUZK_FAIL(err, CUZK_E_FORMAT,
                             "%s: coefficient %u is out of range (matrix %u, row %u, wire %u)",
                             f->name, i, t.matrix, t.row, t.wire);
        }
        if (!decode_value(&v, t.value)) {
            return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: value of coefficient %u is not below r",
                             f->name, i);
        }
        *sorted = *sorted && t.row >= last;
        last = t.row;
        max_row = t.row > max_row ? t.row : max_row;
    }
    if (info->n_coefs == 0 || max_row < info->n_public) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: section 4 lacks the rows of the public wires",
                         f->name);
    }
    info->n_constraints = max_row - info->n_public;
    return CUZK_OK;
}

/* Counting sort: order[k] is the k-th term by row. */
static cuzk_status sort_terms(const cuzk_iden3 *f, const uint8_t *terms, const cuzk_zkey_info *info,
                              uint32_t **order, cuzk_err *err)
{
    uint32_t *start = cuzk_alloc_zero((size_t)info->domain_size + 1, sizeof(uint32_t));
    uint32_t *o = cuzk_alloc(info->n_coefs, sizeof(uint32_t));
    if (start == NULL || o == NULL) {
        cuzk_free(start);
        cuzk_free(o);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "%s: out of memory to sort %u coefficients", f->name,
                         info->n_coefs);
    }
    for (uint32_t i = 0; i < info->n_coefs; i++) {
        start[term_at(terms, i).row + 1]++;
    }
    for (uint32_t k = 0; k < info->domain_size; k++) {
        start[k + 1] += start[k];
    }
    for (uint32_t i = 0; i < info->n_coefs; i++) {
        o[start[term_at(terms, i).row]++] = i;
    }
    cuzk_free(start);
    *order = o;
    return CUZK_OK;
}

/* Row n_constraints + k must be exactly wire k in A, with coefficient 1. */
static bool is_public_row(const term *t, const cuzk_zkey_info *info, uint32_t expected)
{
    cuzk_fr v;
    return t->matrix == 0 && t->row - info->n_constraints == expected && t->wire == expected &&
           decode_value(&v, t->value) && cuzk_fr_is_one(&v);
}

static cuzk_status emit_rows(cuzk_builder *b, const cuzk_iden3 *f, const uint8_t *terms,
                             const uint32_t *order, const cuzk_zkey_info *info, cuzk_err *err)
{
    uint32_t k = 0;
    for (uint32_t row = 0; row < info->n_constraints; row++) {
        for (; k < info->n_coefs; k++) {
            const term t = term_at(terms, order == NULL ? k : order[k]);
            cuzk_fr v;
            if (t.row != row) {
                break;
            }
            (void)decode_value(&v, t.value);
            cuzk_builder_term(b, (cuzk_matrix_id)t.matrix, cuzk_wires_var(info->n_public, t.wire),
                              cuzk_builder_coef(b, &v));
        }
        cuzk_builder_row(b);
    }
    bool ok = info->n_coefs - k == info->n_public + 1;
    for (uint32_t e = 0; ok && e <= info->n_public; e++, k++) {
        const term t = term_at(terms, order == NULL ? k : order[k]);
        ok = is_public_row(&t, info, e);
    }
    return ok ? CUZK_OK
              : CUZK_FAIL(err, CUZK_E_FORMAT,
                          "%s: section 4 does not end with one row per public wire", f->name);
}

cuzk_status cuzk_zkey_compile(cuzk_circuit **out, cuzk_zkey_info *info, const cuzk_iden3 *f,
                              cuzk_err *err)
{
    cuzk_reader r;
    const uint8_t *terms;
    uint32_t *order = NULL;
    cuzk_builder *b = NULL;
    cuzk_status st;
    bool sorted;
    CUZK_TRY(cuzk_iden3_section(f, CUZK_ZKEY_COEFS, "coefficients", &r, err));
    if (!cuzk_read_u32_le(&r, &info->n_coefs) ||
        cuzk_reader_left(&r) / CUZK_ZKEY_COEF_BYTES != info->n_coefs ||
        cuzk_reader_left(&r) % CUZK_ZKEY_COEF_BYTES != 0) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: section 4 (coefficients) has a wrong size",
                         f->name);
    }
    terms = r.p;
    CUZK_TRY(check_terms(f, terms, info, &sorted, err));
    if (!sorted) {
        CUZK_TRY(sort_terms(f, terms, info, &order, err));
    }
    CUZK_TRY_GOTO(st, cuzk_builder_create(&b, err));
    cuzk_wires_declare(b, info->n_vars, info->n_public);
    CUZK_TRY_GOTO(st, emit_rows(b, f, terms, order, info, err));
    st = cuzk_builder_finish(b, out, err);
out:
    cuzk_builder_destroy(b);
    cuzk_free(order);
    return st;
}
