/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Decoding and checking the points of a .params file, in parallel. */
#include <stdatomic.h>
#include <string.h>

#include "groth16/srs.h"

#include "srs_internal.h"

/* Points per work item: decoding takes some 100 ns a point, a subgroup check some 30 us. */
#define READ_GRAIN  2048
#define CHECK_GRAIN 128
/* Points after which the pages of a checked section are given back. */
#define CHECK_STEP  ((uint64_t)1 << 20)

typedef struct decode_job {
    const uint8_t *in;
    cuzk_g1_affine *g1; /* [n] or NULL: only check */
    cuzk_g2_affine *g2;
    bool is_g2;
    cuzk_point_check check;
    _Atomic uint64_t bad; /* lowest index seen that failed, UINT64_MAX: none */
} decode_job;

static cuzk_status decode_one(const decode_job *j, size_t i)
{
    cuzk_status st;
    if (j->is_g2) {
        cuzk_g2_affine p;
        st = cuzk_g2_decode_uncompressed(&p, j->in + i * CUZK_G2_UNCOMPRESSED_BYTES, j->check);
        if (st == CUZK_OK && cuzk_g2_affine_is_infinity(&p)) {
            st = CUZK_E_INFINITY;
        }
        if (st == CUZK_OK && j->g2 != NULL) {
            j->g2[i] = p;
        }
    } else {
        cuzk_g1_affine p;
        st = cuzk_g1_decode_uncompressed(&p, j->in + i * CUZK_G1_UNCOMPRESSED_BYTES, j->check);
        if (st == CUZK_OK && cuzk_g1_affine_is_infinity(&p)) {
            st = CUZK_E_INFINITY;
        }
        if (st == CUZK_OK && j->g1 != NULL) {
            j->g1[i] = p;
        }
    }
    return st;
}

static cuzk_status decode_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    decode_job *j = arg;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const cuzk_status st = decode_one(j, i);
        if (st != CUZK_OK) {
            uint64_t seen = atomic_load(&j->bad);
            while (i < seen && !atomic_compare_exchange_weak(&j->bad, &seen, i)) {
            }
            return st;
        }
    }
    return CUZK_OK;
}

static cuzk_status decode(const cuzk_srs *srs, cuzk_srs_section s, uint64_t first, uint64_t n,
                          decode_job *j, size_t grain, cuzk_pool *pool, const cuzk_cancel *cancel,
                          cuzk_err *err)
{
    j->in = srs->data + srs->offset[s] + first * cuzk_srs_point_bytes(s);
    j->is_g2 = s == CUZK_SRS_B_G2;
    atomic_init(&j->bad, UINT64_MAX);
    cuzk_status st = cuzk_parallel_for(pool, cancel, n, grain, decode_range, j);
    cuzk_srs_release(srs, (size_t)(j->in - srs->data), n * cuzk_srs_point_bytes(s));
    const uint64_t bad = atomic_load(&j->bad);
    if (bad != UINT64_MAX) {
        st = decode_one(j, bad);
        return CUZK_FAIL(err, st, "section %s, point %llu: %s: %s", cuzk_srs_section_name(s),
                         (unsigned long long)(first + bad), cuzk_status_text(st), srs->name);
    }
    if (st != CUZK_OK) {
        return CUZK_FAIL(err, st, "section %s: %s: %s", cuzk_srs_section_name(s),
                         cuzk_status_text(st), srs->name);
    }
    return CUZK_OK;
}

cuzk_status cuzk_srs_check_points(const cuzk_srs *srs, cuzk_point_check check, cuzk_pool *pool,
                                  const cuzk_cancel *cancel, cuzk_err *err)
{
    for (unsigned i = 0; i < CUZK_SRS_SECTIONS; i++) {
        for (uint64_t at = 0; at < srs->count[i]; at += CHECK_STEP) {
            const uint64_t left = srs->count[i] - at;
            decode_job j = {.check = check};
            CUZK_TRY(decode(srs, (cuzk_srs_section)i, at, left < CHECK_STEP ? left : CHECK_STEP, &j,
                            CHECK_GRAIN, pool, cancel, err));
        }
    }
    return CUZK_OK;
}

static cuzk_status check_range(const cuzk_srs *srs, cuzk_srs_section s, uint64_t first, uint64_t n,
                               cuzk_err *err)
{
    if (first > srs->count[s] || n > srs->count[s] - first) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "points %llu + %llu of section %s, which has %llu",
                         (unsigned long long)first, (unsigned long long)n, cuzk_srs_section_name(s),
                         (unsigned long long)srs->count[s]);
    }
    return CUZK_OK;
}

cuzk_status cuzk_srs_read_g1(const cuzk_srs *srs, cuzk_srs_section s, uint64_t first, uint64_t n,
                             cuzk_g1_affine *out, cuzk_pool *pool, cuzk_err *err)
{
    if (s == CUZK_SRS_B_G2) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "section b_g2 is not of G1");
    }
    CUZK_TRY(check_range(srs, s, first, n, err));
    if (srs->in_memory) {
        if (n > 0) {
            memcpy(out, srs->arrays.g1[s] + first, n * sizeof(*out));
        }
        return CUZK_OK;
    }
    if (srs->source.read_g1 != NULL) {
        return srs->source.read_g1(srs->source.arg, s, first, n, out, pool, err);
    }
    decode_job j = {.g1 = out, .check = CUZK_POINT_UNCHECKED};
    return decode(srs, s, first, n, &j, READ_GRAIN, pool, NULL, err);
}

cuzk_status cuzk_srs_read_g2(const cuzk_srs *srs, cuzk_srs_section s, uint64_t first, uint64_t n,
                             cuzk_g2_affine *out, cuzk_pool *pool, cuzk_err *err)
{
    if (s != CUZK_SRS_B_G2) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "section %s is not of G2", cuzk_srs_section_name(s));
    }
    CUZK_TRY(check_range(srs, s, first, n, err));
    if (srs->in_memory) {
        if (n > 0) {
            memcpy(out, srs->arrays.b_g2 + first, n * sizeof(*out));
        }
        return CUZK_OK;
    }
    if (srs->source.read_g2 != NULL) {
        return srs->source.read_g2(srs->source.arg, s, first, n, out, pool, err);
    }
    decode_job j = {.g2 = out, .check = CUZK_POINT_UNCHECKED};
    return decode(srs, s, first, n, &j, READ_GRAIN, pool, NULL, err);
}
