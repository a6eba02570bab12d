/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdatomic.h>
#include <string.h>

#include "aggregate/srs/agg_srs_internal.h"
#include "base/alloc.h"
#include "base/bytes.h"
#include "hash/blake2b.h"

enum { G1 = CUZK_G1_COMPRESSED_BYTES, G2 = CUZK_G2_COMPRESSED_BYTES, COUNT_BYTES = 4 };

const uint8_t cuzk_agg_srs_network_digest[CUZK_AGG_SRS_DIGEST_BYTES] = {
    0xae, 0x20, 0x31, 0x01, 0x38, 0xf5, 0xba, 0x81, 0x45, 0x1d, 0x72, 0x3f, 0x85, 0x8e, 0x37, 0x97};

const char *cuzk_agg_list_name(size_t list)
{
    static const char *const name[AGG_LISTS] = {"powers of a in G1", "powers of b in G1",
                                                "powers of a in G2", "powers of b in G2"};
    return name[list];
}

/* Where the count of a list stands, in a file of n powers; list == AGG_LISTS: the file's size. */
static uint64_t list_at(size_t n, size_t list)
{
    const uint64_t g1 = COUNT_BYTES + (uint64_t)n * G1, g2 = COUNT_BYTES + (uint64_t)n * G2;
    return list <= AGG_LIST_H_A ? list * g1 : 2 * g1 + (list - AGG_LIST_H_A) * g2;
}

typedef struct decode_job {
    const uint8_t *bytes;
    cuzk_g1_affine *g1; /* one of them */
    cuzk_g2_affine *g2;
    cuzk_point_check check;
    _Atomic size_t first_bad;
} decode_job;

static cuzk_status decode_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    decode_job *j = arg;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const cuzk_status st =
            j->g1 != NULL ? cuzk_g1_decode_compressed(&j->g1[i], j->bytes + i * G1, j->check)
                          : cuzk_g2_decode_compressed(&j->g2[i], j->bytes + i * G2, j->check);
        const bool infinity =
            st == CUZK_OK && (j->g1 != NULL ? cuzk_g1_affine_is_infinity(&j->g1[i])
                                            : cuzk_g2_affine_is_infinity(&j->g2[i]));
        if (st != CUZK_OK || infinity) {
            size_t seen = atomic_load(&j->first_bad);
            while (i < seen && !atomic_compare_exchange_weak(&j->first_bad, &seen, i)) {
            }
            return infinity ? CUZK_E_INFINITY : st;
        }
    }
    return CUZK_OK;
}

/* Reads n points in slices, so that the bytes of a whole list are never in memory. */
static cuzk_status read_points(const cuzk_agg_srs *srs, cuzk_g1_affine *g1, cuzk_g2_affine *g2,
                               size_t list, size_t first, size_t n, cuzk_point_check check,
                               cuzk_pool *pool, const cuzk_cancel *cancel, cuzk_err *err)
{
    enum { SLICE = 8192 };
    const size_t bytes = g1 != NULL ? G1 : G2, most = n < SLICE ? n : SLICE;
    uint8_t *buf = cuzk_alloc(most, bytes);
    cuzk_status st = buf != NULL ? CUZK_OK : CUZK_FAIL(err, CUZK_E_NOMEM, "%s", "SRS: no memory");
    for (size_t done = 0; st == CUZK_OK && done < n; done += most) {
        const size_t m = n - done < most ? n - done : most;
        const uint64_t at = list_at(srs->n, list) + COUNT_BYTES + (first + done) * (uint64_t)bytes;
        st = cuzk_file_read(srs->file, buf, at, m * bytes, err);
        if (st != CUZK_OK) {
            break;
        }
        decode_job j = {buf, g1 != NULL ? g1 + done : NULL, g2 != NULL ? g2 + done : NULL, check,
                        SIZE_MAX};
        st = cuzk_parallel_for(pool, cancel, m, 64, decode_range, &j);
        if (st != CUZK_OK && j.first_bad != SIZE_MAX) {
            st = CUZK_FAIL(err, st, "SRS: %s, element %zu: %s", cuzk_agg_list_name(list),
                           first + done + j.first_bad, cuzk_status_text(st));
        } else if (st != CUZK_OK) {
            st = CUZK_FAIL(err, st, "SRS: %s", cuzk_status_text(st));
        }
    }
    cuzk_free(buf);
    return st;
}

cuzk_status cuzk_agg_srs_read_g1(const cuzk_agg_srs *srs, cuzk_g1_affine *out, size_t list,
                                 size_t first, size_t n, cuzk_point_check check, cuzk_pool *pool,
                                 const cuzk_cancel *cancel, cuzk_err *err)
{
    return read_points(srs, out, NULL, list, first, n, check, pool, cancel, err);
}

cuzk_status cuzk_agg_srs_read_g2(const cuzk_agg_srs *srs, cuzk_g2_affine *out, size_t list,
                                 size_t first, size_t n, cuzk_point_check check, cuzk_pool *pool,
                                 const cuzk_cancel *cancel, cuzk_err *err)
{
    return read_points(srs, NULL, out, list, first, n, check, pool, cancel, err);
}

static cuzk_status check_layout(cuzk_agg_srs *srs, const char *path, cuzk_err *err)
{
    uint8_t b[COUNT_BYTES];
    const uint64_t size = cuzk_file_size(srs->file);
    if (size < list_at(2, AGG_LISTS)) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: too short for an SRS", path);
    }
    CUZK_TRY(cuzk_file_read(srs->file, b, 0, sizeof(b), err));
    srs->n = cuzk_load_u32_be(b);
    if (srs->n < 2 || srs->n > CUZK_AGG_SRS_MAX_POWERS) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: %zu powers; an SRS has 2 to %zu", path, srs->n,
                         CUZK_AGG_SRS_MAX_POWERS);
    }
    if (size != list_at(srs->n, AGG_LISTS)) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: %llu bytes; an SRS of %zu powers has %llu", path,
                         (unsigned long long)size, srs->n,
                         (unsigned long long)list_at(srs->n, AGG_LISTS));
    }
    for (size_t list = 1; list < AGG_LISTS; list++) {
        CUZK_TRY(cuzk_file_read(srs->file, b, list_at(srs->n, list), sizeof(b), err));
        if (cuzk_load_u32_be(b) != srs->n) {
            return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: %u %s, but %zu %s", path, cuzk_load_u32_be(b),
                             cuzk_agg_list_name(list), srs->n, cuzk_agg_list_name(0));
        }
    }
    return CUZK_OK;
}

/* e(a g, h) = e(g, a h)? */
static bool secrets_agree(const cuzk_g1_affine *ag, const cuzk_g2_affine *ah)
{
    cuzk_g1_affine minus;
    cuzk_fp12 f;
    cuzk_g1_affine_neg(&minus, &CUZK_G1_GENERATOR);
    const cuzk_pairing_term t[2] = {{ag, &CUZK_G2_GENERATOR, NULL}, {&minus, ah, NULL}};
    cuzk_pairing_miller(&f, t, 2);
    cuzk_pairing_final_exp(&f, &f);
    return cuzk_fp12_is_one(&f);
}

static cuzk_status read_start(cuzk_agg_srs *srs, const char *path, cuzk_err *err)
{
    cuzk_g1_affine p[2][2];
    cuzk_g2_affine q[2][2];
    for (size_t i = 0; i < 2; i++) {
        CUZK_TRY(cuzk_agg_srs_read_g1(srs, p[i], AGG_LIST_G_A + i, 0, 2, CUZK_POINT_IN_SUBGROUP,
                                      NULL, NULL, err));
        CUZK_TRY(cuzk_agg_srs_read_g2(srs, q[i], AGG_LIST_H_A + i, 0, 2, CUZK_POINT_IN_SUBGROUP,
                                      NULL, NULL, err));
        if (!cuzk_g1_affine_eq(&p[i][0], &CUZK_G1_GENERATOR) ||
            !cuzk_g2_affine_eq(&q[i][0], &CUZK_G2_GENERATOR)) {
            return CUZK_FAIL(err, CUZK_E_INVALID, "%s: element 0 of %s or %s is not the generator",
                             path, cuzk_agg_list_name(i), cuzk_agg_list_name(2 + i));
        }
        if (cuzk_g1_affine_eq(&p[i][1], &p[i][0])) {
            return CUZK_FAIL(err, CUZK_E_INVALID, "%s: %s: the secret is 1", path,
                             cuzk_agg_list_name(i));
        }
        if (!secrets_agree(&p[i][1], &q[i][1])) {
            return CUZK_FAIL(err, CUZK_E_INVALID, "%s: %s and %s are of different secrets", path,
                             cuzk_agg_list_name(i), cuzk_agg_list_name(2 + i));
        }
    }
    if (cuzk_g1_affine_eq(&p[0][1], &p[1][1])) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%s: both secrets are the same", path);
    }
    cuzk_agg_vk *vk = &srs->vk;
    vk->g_a = p[0][1];
    vk->g_b = p[1][1];
    vk->h_a = q[0][1];
    vk->h_b = q[1][1];
    cuzk_g2_prepare(&vk->h_lines, &CUZK_G2_GENERATOR);
    cuzk_g2_prepare(&vk->h_a_lines, &vk->h_a);
    cuzk_g2_prepare(&vk->h_b_lines, &vk->h_b);
    return CUZK_OK;
}

cuzk_status cuzk_agg_srs_open(cuzk_agg_srs **out, const char *path, cuzk_err *err)
{
    cuzk_agg_srs *srs = cuzk_alloc_zero(1, sizeof(*srs));
    if (srs == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "%s: no memory", path);
    }
    cuzk_status st = cuzk_file_open(&srs->file, path, err);
    if (st == CUZK_OK) {
        st = check_layout(srs, path, err);
    }
    if (st == CUZK_OK) {
        st = read_start(srs, path, err);
    }
    if (st != CUZK_OK) {
        cuzk_agg_srs_close(srs);
        return st;
    }
    *out = srs;
    return CUZK_OK;
}

void cuzk_agg_srs_close(cuzk_agg_srs *srs)
{
    if (srs != NULL) {
        cuzk_file_close(srs->file);
        cuzk_free(srs);
    }
}

size_t cuzk_agg_srs_powers(const cuzk_agg_srs *srs)
{
    return srs->n;
}

const cuzk_agg_vk *cuzk_agg_srs_vk(const cuzk_agg_srs *srs)
{
    return &srs->vk;
}

cuzk_status cuzk_agg_srs_digest(const cuzk_agg_srs *srs, uint8_t out[CUZK_AGG_SRS_DIGEST_BYTES],
                                const cuzk_cancel *cancel, cuzk_err *err)
{
    enum { SLICE = 1 << 20 };
    uint8_t full[CUZK_BLAKE2B_MAX_BYTES];
    cuzk_blake2b h;
    uint8_t *buf = cuzk_alloc(SLICE, 1);
    cuzk_status st = buf != NULL ? CUZK_OK : CUZK_FAIL(err, CUZK_E_NOMEM, "%s", "SRS: no memory");
    const uint64_t size = cuzk_file_size(srs->file);
    cuzk_blake2b_init(&h, sizeof(full), NULL, 0);
    for (uint64_t at = 0; st == CUZK_OK && at < size; at += SLICE) {
        const size_t n = size - at < SLICE ? (size_t)(size - at) : SLICE;
        st = cuzk_cancel_requested(cancel) ? CUZK_FAIL(err, CUZK_E_CANCELLED, "%s", "cancelled")
                                           : cuzk_file_read(srs->file, buf, at, n, err);
        if (st == CUZK_OK) {
            cuzk_blake2b_update(&h, buf, n);
        }
    }
    cuzk_blake2b_final(&h, full);
    cuzk_free(buf);
    if (st == CUZK_OK) {
        memcpy(out, full, CUZK_AGG_SRS_DIGEST_BYTES);
    }
    return st;
}

cuzk_status cuzk_agg_srs_require_digest(cuzk_agg_srs *srs,
                                        const uint8_t want[CUZK_AGG_SRS_DIGEST_BYTES],
                                        const cuzk_cancel *cancel, cuzk_err *err)
{
    uint8_t got[CUZK_AGG_SRS_DIGEST_BYTES];
    CUZK_TRY(cuzk_agg_srs_digest(srs, got, cancel, err));
    if (memcmp(got, want, sizeof(got)) != 0) {
        return CUZK_FAIL(err, CUZK_E_DIGEST, "%s", "the SRS has another digest");
    }
    srs->is_known = true;
    return CUZK_OK;
}

cuzk_status cuzk_agg_srs_require_network(cuzk_agg_srs *srs, const cuzk_cancel *cancel,
                                         cuzk_err *err)
{
    if (srs->n != CUZK_AGG_SRS_MAX_POWERS) { /* without reading it */
        return CUZK_FAIL(err, CUZK_E_DIGEST,
                         "the SRS has %zu powers, the network's has %zu: it is a test SRS", srs->n,
                         CUZK_AGG_SRS_MAX_POWERS);
    }
    cuzk_err why = {0};
    const cuzk_status st =
        cuzk_agg_srs_require_digest(srs, cuzk_agg_srs_network_digest, cancel, &why);
    if (st == CUZK_E_DIGEST) {
        return CUZK_FAIL(err, st, "%s", "the SRS is not the network's: its digest differs");
    }
    return st == CUZK_OK ? st : CUZK_FAIL(err, st, "%s", why.msg);
}

cuzk_status cuzk_agg_key_load(cuzk_agg_key *out, const cuzk_agg_srs *srs, size_t n, cuzk_pool *pool,
                              const cuzk_cancel *cancel, cuzk_err *err)
{
    const cuzk_point_check check = srs->is_known ? CUZK_POINT_ON_CURVE : CUZK_POINT_IN_SUBGROUP;
    cuzk_status st = CUZK_OK;
    memset(out, 0, sizeof(*out));
    if (n < 2 || (n & (n - 1)) != 0 || n > srs->n / 2) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "%zu proofs need an SRS of at least %zu powers; this one has %zu", n,
                         2 * n, srs->n);
    }
    out->n = n;
    out->g_a = cuzk_alloc(2 * n, sizeof(*out->g_a));
    out->g_b = cuzk_alloc(2 * n, sizeof(*out->g_b));
    out->h_a = cuzk_alloc(n, sizeof(*out->h_a));
    out->h_b = cuzk_alloc(n, sizeof(*out->h_b));
    if (out->g_a == NULL || out->g_b == NULL || out->h_a == NULL || out->h_b == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "SRS: no memory for the powers of %zu proofs", n);
        goto out;
    }
    CUZK_TRY_GOTO(
        st, cuzk_agg_srs_read_g1(srs, out->g_a, AGG_LIST_G_A, 0, 2 * n, check, pool, cancel, err));
    CUZK_TRY_GOTO(
        st, cuzk_agg_srs_read_g1(srs, out->g_b, AGG_LIST_G_B, 0, 2 * n, check, pool, cancel, err));
    CUZK_TRY_GOTO(
        st, cuzk_agg_srs_read_g2(srs, out->h_a, AGG_LIST_H_A, 0, n, check, pool, cancel, err));
    CUZK_TRY_GOTO(
        st, cuzk_agg_srs_read_g2(srs, out->h_b, AGG_LIST_H_B, 0, n, check, pool, cancel, err));
out:
    if (st != CUZK_OK) {
        cuzk_agg_key_free(out);
    }
    return st;
}

void cuzk_agg_key_free(cuzk_agg_key *key)
{
    cuzk_free(key->g_a);
    cuzk_free(key->g_b);
    cuzk_free(key->h_a);
    cuzk_free(key->h_b);
    memset(key, 0, sizeof(*key));
}
