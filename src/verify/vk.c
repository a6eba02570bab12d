/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "verify/vk.h"

#include "base/alloc.h"
#include "base/reader.h"
#include "base/status.h"
#include "ec/key_guard.h"

enum { HEADER_BYTES = 3 * 96 + 3 * 192 + 4 };

static cuzk_status read_g1(cuzk_reader *r, cuzk_g1_affine *out)
{
    const uint8_t *b;
    if (!cuzk_read_bytes(r, &b, CUZK_G1_UNCOMPRESSED_BYTES)) {
        return CUZK_E_FORMAT;
    }
    CUZK_TRY(cuzk_g1_decode_uncompressed(out, b, CUZK_POINT_IN_SUBGROUP));
    return cuzk_g1_affine_is_infinity(out) ? CUZK_E_INFINITY : CUZK_OK;
}

static cuzk_status read_g2(cuzk_reader *r, cuzk_g2_affine *out)
{
    const uint8_t *b;
    if (!cuzk_read_bytes(r, &b, CUZK_G2_UNCOMPRESSED_BYTES)) {
        return CUZK_E_FORMAT;
    }
    CUZK_TRY(cuzk_g2_decode_uncompressed(out, b, CUZK_POINT_IN_SUBGROUP));
    return cuzk_g2_affine_is_infinity(out) ? CUZK_E_INFINITY : CUZK_OK;
}

/* The order of the file (docs/params-format.md#vk). */
static cuzk_status read_key(cuzk_vk *vk, cuzk_reader *r)
{
    uint32_t n = 0;
    CUZK_TRY(read_g1(r, &vk->alpha_g1));
    CUZK_TRY(read_g1(r, &vk->beta_g1));
    CUZK_TRY(read_g2(r, &vk->beta_g2));
    CUZK_TRY(read_g2(r, &vk->gamma_g2));
    CUZK_TRY(read_g1(r, &vk->delta_g1));
    CUZK_TRY(read_g2(r, &vk->delta_g2));
    /* Exactly n points must be left, and the constant 1 always has one. */
    if (!cuzk_read_u32_be(r, &n) || n == 0 || !cuzk_reader_has(r, n, CUZK_G1_UNCOMPRESSED_BYTES) ||
        cuzk_reader_left(r) != (size_t)n * CUZK_G1_UNCOMPRESSED_BYTES) {
        return CUZK_E_FORMAT;
    }
    vk->ic = cuzk_alloc(n, sizeof(*vk->ic));
    if (vk->ic == NULL) {
        return CUZK_E_NOMEM;
    }
    vk->n_ic = n;
    for (size_t i = 0; i < n; i++) {
        CUZK_TRY(read_g1(r, &vk->ic[i]));
    }
    return CUZK_OK;
}

static void prepare(cuzk_vk *vk)
{
    cuzk_g2_affine m;
    cuzk_g2_affine_neg(&m, &vk->gamma_g2);
    cuzk_g2_prepare(&vk->minus_gamma, &m);
    cuzk_g2_affine_neg(&m, &vk->delta_g2);
    cuzk_g2_prepare(&vk->minus_delta, &m);
    cuzk_pairing(&vk->alpha_beta, &vk->alpha_g1, &vk->beta_g2);
}

const char *cuzk_vk_defect(const cuzk_vk *vk)
{
    const cuzk_key_points k = {.alpha_g1 = &vk->alpha_g1,
                               .beta_g1 = &vk->beta_g1,
                               .delta_g1 = &vk->delta_g1,
                               .beta_g2 = &vk->beta_g2,
                               .gamma_g2 = &vk->gamma_g2,
                               .delta_g2 = &vk->delta_g2};
    return cuzk_key_defect(&k);
}

cuzk_verify_result cuzk_vk_read(cuzk_vk **out, const uint8_t *vk, size_t vk_bytes)
{
    cuzk_vk *k = NULL;
    const cuzk_verify_result r = cuzk_vk_read_unsafe(&k, vk, vk_bytes);
    if (r != CUZK_VERIFY_OK) {
        return r;
    }
    if (cuzk_vk_defect(k) != NULL) {
        cuzk_vk_destroy(k);
        return CUZK_VERIFY_E_UNSAFE_KEY;
    }
    *out = k;
    return CUZK_VERIFY_OK;
}

cuzk_verify_result cuzk_vk_read_unsafe(cuzk_vk **out, const uint8_t *vk, size_t vk_bytes)
{
    cuzk_reader r = cuzk_reader_init(vk, vk_bytes);
    if (vk_bytes < HEADER_BYTES) { /* before any point is checked: cheap and clear */
        return CUZK_VERIFY_E_FORMAT;
    }
    cuzk_vk *k = cuzk_alloc_zero(1, sizeof(*k));
    if (k == NULL) {
        return CUZK_VERIFY_E_NOMEM;
    }
    const cuzk_status st = read_key(k, &r);
    if (st != CUZK_OK) {
        cuzk_vk_destroy(k);
        return (cuzk_verify_result)st;
    }
    prepare(k);
    *out = k;
    return CUZK_VERIFY_OK;
}

void cuzk_vk_destroy(cuzk_vk *vk)
{
    if (vk != NULL) {
        cuzk_free(vk->ic);
        cuzk_free(vk);
    }
}

size_t cuzk_vk_n_inputs(const cuzk_vk *vk)
{
    return vk->n_ic - 1;
}

size_t cuzk_vk_bytes(const cuzk_vk *vk)
{
    return HEADER_BYTES + vk->n_ic * CUZK_G1_UNCOMPRESSED_BYTES;
}

void cuzk_vk_write(const cuzk_vk *vk, uint8_t *out)
{
    uint8_t *p = out;
    cuzk_g1_encode_uncompressed(p, &vk->alpha_g1);
    cuzk_g1_encode_uncompressed(p += 96, &vk->beta_g1);
    cuzk_g2_encode_uncompressed(p += 96, &vk->beta_g2);
    cuzk_g2_encode_uncompressed(p += 192, &vk->gamma_g2);
    cuzk_g1_encode_uncompressed(p += 192, &vk->delta_g1);
    cuzk_g2_encode_uncompressed(p += 96, &vk->delta_g2);
    cuzk_store_u32_be(p += 192, (uint32_t)vk->n_ic); /* came from 32 bits */
    p += 4;
    for (size_t i = 0; i < vk->n_ic; i++, p += 96) {
        cuzk_g1_encode_uncompressed(p, &vk->ic[i]);
    }
}
