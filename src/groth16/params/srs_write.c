/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Writing .params and .vk bytes, and the digest of a file. */
#include "base/alloc.h"
#include "base/bytes.h"
#include "groth16/params/srs.h"
#include "hash/blake2b.h"

#include "section_writer.h"
#include "srs_internal.h"

/* Points per step of a rewrite: 12 MiB of G2 and as much of bytes. */
#define WRITE_CHUNK 65536u

size_t cuzk_srs_vk_encoded_bytes(const cuzk_srs_vk *vk)
{
    return CUZK_VK_FIXED_BYTES + (size_t)vk->n_ic * CUZK_G1_UNCOMPRESSED_BYTES;
}

size_t cuzk_srs_vk_bytes(const cuzk_srs *srs)
{
    return cuzk_srs_vk_encoded_bytes(&srs->vk);
}

void cuzk_srs_vk_encode(uint8_t *out, const cuzk_srs_vk *vk)
{
    cuzk_g1_encode_uncompressed(out, &vk->alpha_g1);
    cuzk_g1_encode_uncompressed(out + 96, &vk->beta_g1);
    cuzk_g2_encode_uncompressed(out + 192, &vk->beta_g2);
    cuzk_g2_encode_uncompressed(out + 384, &vk->gamma_g2);
    cuzk_g1_encode_uncompressed(out + 576, &vk->delta_g1);
    cuzk_g2_encode_uncompressed(out + 672, &vk->delta_g2);
    cuzk_store_u32_be(out + CUZK_VK_POINTS_BYTES, vk->n_ic);
    for (size_t i = 0; i < vk->n_ic; i++) {
        cuzk_g1_encode_uncompressed(out + CUZK_VK_FIXED_BYTES + i * CUZK_G1_UNCOMPRESSED_BYTES,
                                    &vk->ic[i]);
    }
}

void cuzk_srs_write_vk(const cuzk_srs *srs, uint8_t *out)
{
    cuzk_srs_vk_encode(out, &srs->vk);
}

cuzk_status cuzk_srs_digest(const cuzk_srs *srs, uint8_t out[16], const cuzk_cancel *cancel,
                            cuzk_err *err)
{
    const size_t step = (size_t)1 << 20;
    uint8_t full[64];
    cuzk_blake2b ctx;
    if (!cuzk_srs_is_encoded(srs)) {
        return CUZK_FAIL(err, CUZK_E_UNSUPPORTED, "only a .params file has a digest");
    }
    uint8_t *buffer = cuzk_alloc(step, 1);
    cuzk_status st = CUZK_OK;
    if (buffer == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to hash %s", srs->name);
    }
    cuzk_blake2b_init(&ctx, sizeof(full), NULL, 0);
    for (uint64_t at = 0; at < srs->size; at += step) {
        if (cuzk_cancel_requested(cancel)) {
            st = CUZK_FAIL(err, CUZK_E_CANCELLED, "cancelled while hashing %s", srs->name);
            goto out;
        }
        const size_t n = srs->size - at < step ? (size_t)(srs->size - at) : step;
        CUZK_TRY_GOTO(st, cuzk_srs_read_bytes(srs, buffer, at, n, err));
        cuzk_blake2b_update(&ctx, buffer, n);
    }
    cuzk_blake2b_final(&ctx, full);
    memcpy(out, full, 16);
out:
    cuzk_free(buffer);
    return st;
}

static cuzk_status copy_section(cuzk_section_writer *w, const cuzk_srs *srs, cuzk_srs_section s,
                                void *points, cuzk_pool *pool, const cuzk_cancel *cancel,
                                cuzk_err *err)
{
    const uint64_t total = cuzk_srs_count(srs, s);
    CUZK_TRY(cuzk_section_writer_count(w, total, err));
    for (uint64_t at = 0; at < total; at += WRITE_CHUNK) {
        const uint64_t n = total - at < WRITE_CHUNK ? total - at : WRITE_CHUNK;
        if (cuzk_cancel_requested(cancel)) {
            return CUZK_FAIL(err, CUZK_E_CANCELLED, "cancelled while writing parameters");
        }
        if (s == CUZK_SRS_B_G2) {
            CUZK_TRY(cuzk_srs_read_g2(srs, s, at, n, points, pool, err));
            CUZK_TRY(cuzk_section_writer_g2(w, points, n, pool, err));
        } else {
            CUZK_TRY(cuzk_srs_read_g1(srs, s, at, n, points, pool, err));
            CUZK_TRY(cuzk_section_writer_g1(w, points, n, pool, err));
        }
    }
    return CUZK_OK;
}

cuzk_status cuzk_srs_write(const cuzk_srs *srs, const char *path, bool replace, cuzk_pool *pool,
                           const cuzk_cancel *cancel, cuzk_err *err)
{
    if (srs->all_wires || srs->quotient != CUZK_QUOTIENT_COEFFS) {
        return CUZK_FAIL(err, CUZK_E_UNSUPPORTED,
                         "these parameters have another form than a .params file");
    }
    cuzk_section_writer w = {0};
    void *points = cuzk_alloc(WRITE_CHUNK, sizeof(cuzk_g2_affine));
    cuzk_status st = CUZK_E_NOMEM;
    if (points == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to write %s", path);
        goto out;
    }
    CUZK_TRY_GOTO(st, cuzk_section_writer_open(&w, path, replace, WRITE_CHUNK, err));
    CUZK_TRY_GOTO(st, cuzk_section_writer_vk(&w, &srs->vk, err));
    for (unsigned i = 0; i < CUZK_SRS_SECTIONS; i++) {
        CUZK_TRY_GOTO(st, copy_section(&w, srs, (cuzk_srs_section)i, points, pool, cancel, err));
    }
    st = cuzk_section_writer_commit(&w, err);
out:
    cuzk_section_writer_abort(&w);
    cuzk_free(points);
    return st;
}
