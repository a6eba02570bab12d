/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Streams a .zkey: sizes first, from the counts, then each section; no part of the file is kept in
 * memory but one chunk of points.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "r1cs/rows.h"
#include "sys/file.h"

#include "zkey_internal.h"

#define CHUNK 1024 /* points read, encoded and written at a time */

typedef struct writer {
    cuzk_file_writer *file;
    const cuzk_circuit *c;
    const cuzk_srs *srs;
    cuzk_wire_map map;
    cuzk_pool *pool;
    cuzk_err *err;
    cuzk_matrix_id matrix; /* being walked */
} writer;

static cuzk_status put(writer *w, const void *data, size_t n)
{
    return cuzk_file_writer_write(w->file, data, n, w->err);
}

static cuzk_status put_u32(writer *w, uint32_t v)
{
    uint8_t b[4];
    cuzk_store_u32_le(b, v);
    return put(w, b, sizeof(b));
}

static cuzk_status put_limbs(writer *w, const uint64_t *l, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t b[8];
        cuzk_store_u64_le(b, l[i]);
        CUZK_TRY(put(w, b, sizeof(b)));
    }
    return CUZK_OK;
}

static cuzk_status put_g1(writer *w, const cuzk_g1_affine *p)
{
    uint8_t b[CUZK_IDEN3_G1_BYTES];
    cuzk_iden3_g1_encode(b, p);
    return put(w, b, sizeof(b));
}

static cuzk_status put_g2(writer *w, const cuzk_g2_affine *p)
{
    uint8_t b[CUZK_IDEN3_G2_BYTES];
    cuzk_iden3_g2_encode(b, p);
    return put(w, b, sizeof(b));
}

static cuzk_status put_head(writer *w, uint32_t id, uint64_t bytes)
{
    uint8_t b[12];
    cuzk_store_u32_le(b, id);
    cuzk_store_u64_le(b + 4, bytes);
    return put(w, b, sizeof(b));
}

static cuzk_status put_header(writer *w, uint32_t n_vars, uint32_t n_public, uint32_t domain)
{
    static const uint64_t q[6] = CUZK_FP_MOD_LIMBS, r[4] = CUZK_FR_MOD_LIMBS;
    const cuzk_srs_vk *vk = cuzk_srs_get_vk(w->srs);
    CUZK_TRY(put_head(w, CUZK_ZKEY_PROTOCOL, 4));
    CUZK_TRY(put_u32(w, 1));
    CUZK_TRY(put_head(w, CUZK_ZKEY_HEADER,
                      4 + 48 + 4 + 32 + 12 + 3 * CUZK_IDEN3_G1_BYTES + 3 * CUZK_IDEN3_G2_BYTES));
    CUZK_TRY(put_u32(w, 48));
    CUZK_TRY(put_limbs(w, q, 6));
    CUZK_TRY(put_u32(w, 32));
    CUZK_TRY(put_limbs(w, r, 4));
    CUZK_TRY(put_u32(w, n_vars));
    CUZK_TRY(put_u32(w, n_public));
    CUZK_TRY(put_u32(w, domain));
    CUZK_TRY(put_g1(w, &vk->alpha_g1));
    CUZK_TRY(put_g1(w, &vk->beta_g1));
    CUZK_TRY(put_g2(w, &vk->beta_g2));
    CUZK_TRY(put_g2(w, &vk->gamma_g2));
    CUZK_TRY(put_g1(w, &vk->delta_g1));
    CUZK_TRY(put_g2(w, &vk->delta_g2));
    CUZK_TRY(put_head(w, CUZK_ZKEY_IC, (uint64_t)vk->n_ic * CUZK_IDEN3_G1_BYTES));
    for (uint32_t i = 0; i < vk->n_ic; i++) {
        CUZK_TRY(put_g1(w, &vk->ic[i]));
    }
    return CUZK_OK;
}

static cuzk_status put_coef(writer *w, uint32_t matrix, uint32_t row, uint32_t wire,
                            const cuzk_fr *value)
{
    static const cuzk_fr raw_r2 = {CUZK_FR_R2_LIMBS};
    uint8_t b[CUZK_ZKEY_COEF_BYTES];
    cuzk_fr v;
    cuzk_fr_mul(&v, value, &raw_r2); /* (v * R) * R^2 / R: limbs of v * R^2 */
    cuzk_store_u32_le(b, matrix);
    cuzk_store_u32_le(b + 4, row);
    cuzk_store_u32_le(b + 8, wire);
    for (int i = 0; i < 4; i++) {
        cuzk_store_u64_le(b + 12 + 8 * (size_t)i, v.l[i]);
    }
    return put(w, b, sizeof(b));
}

static cuzk_status put_row(void *arg, uint64_t row, const cuzk_row_term *terms, size_t n)
{
    writer *w = arg;
    for (size_t i = 0; i < n; i++) {
        const uint32_t wire = (terms[i].wire & CUZK_WIRE_AUX) == 0
                                  ? terms[i].wire
                                  : (uint32_t)w->c->n_inputs + (terms[i].wire & ~CUZK_WIRE_AUX);
        CUZK_TRY(
            put_coef(w, (uint32_t)w->matrix, (uint32_t)row, wire, &w->c->coeffs[terms[i].coef]));
    }
    return CUZK_OK;
}

/* A and B of a few rows at a time: readers that want rows in order need not sort. */
static cuzk_status put_coefs(writer *w, uint32_t n_coefs)
{
    CUZK_TRY(put_head(w, CUZK_ZKEY_COEFS, 4 + (uint64_t)n_coefs * CUZK_ZKEY_COEF_BYTES));
    CUZK_TRY(put_u32(w, n_coefs));
    for (uint64_t row = 0; row < w->c->n_rows; row++) {
        w->matrix = CUZK_MATRIX_A;
        CUZK_TRY(
            cuzk_circuit_visit(w->c, &w->map, CUZK_MATRIX_A, row, row + 1, put_row, w, w->err));
        w->matrix = CUZK_MATRIX_B;
        CUZK_TRY(
            cuzk_circuit_visit(w->c, &w->map, CUZK_MATRIX_B, row, row + 1, put_row, w, w->err));
    }
    for (uint32_t i = 0; i < w->c->n_inputs; i++) {
        CUZK_TRY(put_coef(w, CUZK_MATRIX_A, (uint32_t)w->c->n_rows + i, i, &CUZK_FR_ONE));
    }
    return CUZK_OK;
}

static cuzk_status put_points(writer *w, cuzk_srs_section s, uint32_t id)
{
    const uint64_t n = cuzk_srs_count(w->srs, s);
    const bool is_g2 = s == CUZK_SRS_B_G2;
    const size_t bytes = is_g2 ? CUZK_IDEN3_G2_BYTES : CUZK_IDEN3_G1_BYTES;
    cuzk_status st = CUZK_OK;
    CUZK_TRY(put_head(w, id, n * bytes));
    void *buf = cuzk_alloc(CHUNK, is_g2 ? sizeof(cuzk_g2_affine) : sizeof(cuzk_g1_affine));
    if (buf == NULL) {
        return CUZK_FAIL(w->err, CUZK_E_NOMEM, "out of memory for a chunk of points");
    }
    for (uint64_t first = 0; first < n; first += CHUNK) {
        const uint64_t k = n - first < CHUNK ? n - first : CHUNK;
        if (is_g2) {
            CUZK_TRY_GOTO(st, cuzk_srs_read_g2(w->srs, s, first, k, buf, w->pool, w->err));
        } else {
            CUZK_TRY_GOTO(st, cuzk_srs_read_g1(w->srs, s, first, k, buf, w->pool, w->err));
        }
        for (uint64_t i = 0; i < k; i++) {
            CUZK_TRY_GOTO(st, is_g2 ? put_g2(w, (const cuzk_g2_affine *)buf + i)
                                    : put_g1(w, (const cuzk_g1_affine *)buf + i));
        }
    }
out:
    cuzk_free(buf);
    return st;
}

static cuzk_status put_all(writer *w, uint64_t n_coefs)
{
    static const uint8_t no_contributions[68];
    const uint32_t n_vars = (uint32_t)(w->c->n_inputs + w->c->n_aux);
    const uint32_t domain = (uint32_t)1 << cuzk_circuit_lg_domain(w->c);
    CUZK_TRY(put(w, "zkey", 4));
    CUZK_TRY(put_u32(w, 1));
    CUZK_TRY(put_u32(w, 10));
    CUZK_TRY(put_header(w, n_vars, (uint32_t)w->c->n_inputs - 1, domain));
    CUZK_TRY(put_coefs(w, (uint32_t)n_coefs));
    CUZK_TRY(put_points(w, CUZK_SRS_A, CUZK_ZKEY_A));
    CUZK_TRY(put_points(w, CUZK_SRS_B_G1, CUZK_ZKEY_B1));
    CUZK_TRY(put_points(w, CUZK_SRS_B_G2, CUZK_ZKEY_B2));
    CUZK_TRY(put_points(w, CUZK_SRS_L, CUZK_ZKEY_C));
    CUZK_TRY(put_points(w, CUZK_SRS_H, CUZK_ZKEY_H));
    CUZK_TRY(put_head(w, CUZK_ZKEY_CONTRIBUTIONS, sizeof(no_contributions)));
    return put(w, no_contributions, sizeof(no_contributions));
}

cuzk_status cuzk_zkey_write(const char *path, const cuzk_circuit *c, const cuzk_srs *srs,
                            bool replace, cuzk_pool *pool, cuzk_err *err)
{
    const uint64_t n_coefs = c->nnz[CUZK_MATRIX_A] + c->nnz[CUZK_MATRIX_B] + c->n_inputs;
    writer w = {.c = c, .srs = srs, .pool = pool, .err = err};
    cuzk_status st;
    CUZK_ASSERT(cuzk_srs_quotient(srs) == CUZK_QUOTIENT_ODD_COSET && cuzk_srs_all_wires(srs));
    if (n_coefs > UINT32_MAX || c->n_inputs + c->n_aux > UINT32_MAX ||
        cuzk_circuit_lg_domain(c) > 31) {
        return CUZK_FAIL(err, CUZK_E_UNSUPPORTED, "circuit is too big for the zkey format");
    }
    CUZK_TRY(cuzk_wire_map_init(&w.map, c, err));
    CUZK_TRY_GOTO(st, cuzk_file_writer_open(&w.file, path, replace, err));
    st = put_all(&w, n_coefs);
    if (st == CUZK_OK) {
        st = cuzk_file_writer_commit(w.file, err);
    } else {
        cuzk_file_writer_abort(w.file);
    }
out:
    cuzk_wire_map_deinit(&w.map);
    return st;
}
