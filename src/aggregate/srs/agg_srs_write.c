/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "aggregate/srs/agg_srs_internal.h"
#include "base/alloc.h"
#include "base/bytes.h"
#include "hash/sha256.h"
#include "msm/msm.h"

enum { SLICE = 16384 };

typedef struct powers {
    cuzk_file_writer *w;
    cuzk_scalar *s;     /* [SLICE] */
    cuzk_g1_affine *g1; /* [SLICE] */
    cuzk_g2_affine *g2;
    uint8_t *bytes; /* [SLICE * 96] */
    cuzk_pool *pool;
    const cuzk_cancel *cancel;
    cuzk_err *err;
} powers;

static cuzk_status write_slice(powers *p, bool in_g2, size_t m)
{
    const size_t bytes = in_g2 ? CUZK_G2_COMPRESSED_BYTES : CUZK_G1_COMPRESSED_BYTES;
    if (in_g2) {
        CUZK_TRY(
            cuzk_fixed_base_g2(p->g2, &CUZK_G2_GENERATOR, p->s, m, p->pool, p->cancel, p->err));
    } else {
        CUZK_TRY(
            cuzk_fixed_base_g1(p->g1, &CUZK_G1_GENERATOR, p->s, m, p->pool, p->cancel, p->err));
    }
    for (size_t i = 0; i < m; i++) {
        if (in_g2) {
            cuzk_g2_encode_compressed(p->bytes + i * bytes, &p->g2[i]);
        } else {
            cuzk_g1_encode_compressed(p->bytes + i * bytes, &p->g1[i]);
        }
    }
    return cuzk_file_writer_write(p->w, p->bytes, m * bytes, p->err);
}

static cuzk_status write_list(powers *p, bool in_g2, size_t n, const cuzk_fr *secret)
{
    uint8_t count[4];
    cuzk_fr power = CUZK_FR_ONE;
    cuzk_store_u32_be(count, (uint32_t)n);
    CUZK_TRY(cuzk_file_writer_write(p->w, count, sizeof(count), p->err));
    for (size_t at = 0; at < n; at += SLICE) {
        const size_t m = n - at < SLICE ? n - at : SLICE;
        for (size_t i = 0; i < m; i++) {
            cuzk_fr_to_scalar(&p->s[i], &power);
            cuzk_fr_mul(&power, &power, secret);
        }
        CUZK_TRY(write_slice(p, in_g2, m));
    }
    return CUZK_OK;
}

cuzk_status cuzk_agg_srs_write(const char *path, size_t n, const cuzk_fr *a, const cuzk_fr *b,
                               bool replace, cuzk_pool *pool, const cuzk_cancel *cancel,
                               cuzk_err *err)
{
    powers p = {.pool = pool, .cancel = cancel, .err = err};
    const cuzk_fr *secret[2] = {a, b};
    cuzk_status st = CUZK_OK;
    if (n < 2 || n > CUZK_AGG_SRS_MAX_POWERS) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "an SRS has 2 to %zu powers, not %zu",
                         CUZK_AGG_SRS_MAX_POWERS, n);
    }
    if (cuzk_fr_is_zero(a) || cuzk_fr_is_zero(b) || cuzk_fr_is_one(a) || cuzk_fr_is_one(b) ||
        cuzk_fr_eq(a, b)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%s", "SRS: the secrets are 0, 1 or the same");
    }
    p.s = cuzk_alloc(SLICE, sizeof(*p.s));
    p.g1 = cuzk_alloc(SLICE, sizeof(*p.g1));
    p.g2 = cuzk_alloc(SLICE, sizeof(*p.g2));
    p.bytes = cuzk_alloc(SLICE, CUZK_G2_COMPRESSED_BYTES);
    if (p.s == NULL || p.g1 == NULL || p.g2 == NULL || p.bytes == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "%s", "SRS: no memory");
        goto out;
    }
    CUZK_TRY_GOTO(st, cuzk_file_writer_open(&p.w, path, replace, err));
    for (size_t i = 0; i < 4 && st == CUZK_OK; i++) {
        st = write_list(&p, i >= 2, n, secret[i % 2]);
    }
    if (st != CUZK_OK) {
        cuzk_file_writer_abort(p.w);
        goto out;
    }
    st = cuzk_file_writer_commit(p.w, err);
out:
    cuzk_free(p.s);
    cuzk_free(p.g1);
    cuzk_free(p.g2);
    cuzk_free(p.bytes);
    return st;
}

void cuzk_agg_srs_secrets_from_seed(cuzk_fr *a, cuzk_fr *b, uint64_t seed)
{
    cuzk_fr *secret[2] = {a, b};
    for (uint8_t i = 0; i < 2; i++) {
        uint8_t in[32] = "cuzk aggregate srs", wide[64];
        cuzk_store_u64_le(in + 20, seed);
        in[28] = i;
        cuzk_sha256_digest(wide, in, sizeof(in));
        in[29] = 1;
        cuzk_sha256_digest(wide + 32, in, sizeof(in));
        cuzk_fr_from_wide_le_ct(secret[i], wide);
    }
}
