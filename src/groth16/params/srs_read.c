/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Decoding and checking the points of a .params file, in parallel. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "groth16/params/srs.h"

#include "srs_internal.h"

/* Points per work item: decoding takes some 100 ns a point, a subgroup check some 30 us. */
#define READ_GRAIN  2048
#define CHECK_GRAIN 128
/* Points of a section that are checked in one call: what a cancellation waits for at most. */
#define CHECK_STEP  ((uint64_t)1 << 20)
/* Bytes that a thread reads at a time, on its stack: a multiple of both sizes of points. */
#define PIECE_BYTES ((size_t)12288)
/* Bytes per work item of a plain copy. */
#define COPY_GRAIN  ((size_t)1 << 20)

CUZK_STATIC_ASSERT(PIECE_BYTES % CUZK_G1_UNCOMPRESSED_BYTES == 0 &&
                       PIECE_BYTES % CUZK_G2_UNCOMPRESSED_BYTES == 0,
                   "pieces hold whole points");

/* The first failure of many threads that read. */
typedef struct first_error {
    _Atomic bool taken;
    cuzk_err err;
} first_error;

static void note_error(first_error *f, const cuzk_err *err)
{
    if (!atomic_exchange(&f->taken, true)) {
        f->err = *err;
    }
}

typedef struct decode_job {
    const cuzk_srs *srs;
    uint64_t at;        /* of the first point, in the file */
    cuzk_g1_affine *g1; /* [n] or NULL: only check */
    cuzk_g2_affine *g2;
    bool is_g2;
    cuzk_point_check check;
    pthread_mutex_t mutex; /* the two below, until all threads are done */
    uint64_t bad;          /* lowest index seen whose point is bad, UINT64_MAX: none */
    cuzk_status why;
    first_error failed;
} decode_job;

cuzk_status cuzk_srs_read_bytes(const cuzk_srs *srs, uint8_t *out, uint64_t at, size_t n,
                                cuzk_err *err)
{
    if (srs->file != NULL) {
        return cuzk_file_read(srs->file, out, at, n, err);
    }
    memcpy(out, srs->data + at, n);
    return CUZK_OK;
}

/* Point i, encoded at p. */
static cuzk_status decode_one(const decode_job *j, size_t i, const uint8_t *p)
{
    cuzk_status st;
    if (j->is_g2) {
        cuzk_g2_affine q;
        st = cuzk_g2_decode_uncompressed(&q, p, j->check);
        if (st == CUZK_OK && cuzk_g2_affine_is_infinity(&q)) {
            st = CUZK_E_INFINITY;
        }
        if (st == CUZK_OK && j->g2 != NULL) {
            j->g2[i] = q;
        }
    } else {
        cuzk_g1_affine q;
        st = cuzk_g1_decode_uncompressed(&q, p, j->check);
        if (st == CUZK_OK && cuzk_g1_affine_is_infinity(&q)) {
            st = CUZK_E_INFINITY;
        }
        if (st == CUZK_OK && j->g1 != NULL) {
            j->g1[i] = q;
        }
    }
    return st;
}

static void note_bad(decode_job *j, size_t i, cuzk_status why)
{
    (void)pthread_mutex_lock(&j->mutex);
    if (i < j->bad) {
        j->bad = i;
        j->why = why;
    }
    (void)pthread_mutex_unlock(&j->mutex);
}

static cuzk_status decode_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    decode_job *j = arg;
    const size_t size = cuzk_srs_point_bytes(j->is_g2 ? CUZK_SRS_B_G2 : CUZK_SRS_H);
    const size_t per_piece = PIECE_BYTES / size;
    uint8_t piece[PIECE_BYTES];
    (void)worker;
    for (size_t i = begin; i < end;) {
        const size_t n = end - i < per_piece ? end - i : per_piece;
        const uint8_t *in = piece;
        if (j->srs->file != NULL) {
            cuzk_err err;
            const cuzk_status st =
                cuzk_file_read(j->srs->file, piece, j->at + (uint64_t)i * size, n * size, &err);
            if (st != CUZK_OK) {
                note_error(&j->failed, &err);
                return st;
            }
        } else {
            in = j->srs->data + j->at + i * size;
        }
        for (size_t k = 0; k < n; k++, i++) {
            const cuzk_status st = decode_one(j, i, in + k * size);
            if (st != CUZK_OK) {
                note_bad(j, i, st);
                return st;
            }
        }
    }
    return CUZK_OK;
}

/* Writes the message of the first failure; no thread writes to j any more. */
static cuzk_status decode_failed(const cuzk_srs *srs, cuzk_srs_section s, uint64_t first,
                                 const decode_job *j, cuzk_status st, cuzk_err *err)
{
    const char *section = cuzk_srs_section_name(s);
    if (j->bad != UINT64_MAX) {
        return CUZK_FAIL(err, j->why, "section %s, point %llu: %s: %s", section,
                         (unsigned long long)(first + j->bad), cuzk_status_text(j->why), srs->name);
    }
    if (atomic_load(&j->failed.taken)) {
        return CUZK_FAIL_OS(err, j->failed.err.code, j->failed.err.os_code, "%s (section %s)",
                            j->failed.err.msg, section);
    }
    return CUZK_FAIL(err, st, "section %s: %s: %s", section, cuzk_status_text(st), srs->name);
}

static cuzk_status decode(const cuzk_srs *srs, cuzk_srs_section s, uint64_t first, uint64_t n,
                          decode_job *j, size_t grain, cuzk_pool *pool, const cuzk_cancel *cancel,
                          cuzk_err *err)
{
    j->srs = srs;
    j->at = srs->offset[s] + first * cuzk_srs_point_bytes(s);
    j->is_g2 = s == CUZK_SRS_B_G2;
    j->bad = UINT64_MAX;
    (void)pthread_mutex_init(&j->mutex, NULL);
    const cuzk_status st = cuzk_parallel_for(pool, cancel, n, grain, decode_range, j);
    (void)pthread_mutex_destroy(&j->mutex);
    return st == CUZK_OK ? CUZK_OK : decode_failed(srs, s, first, j, st, err);
}

typedef struct copy_job {
    const cuzk_srs *srs;
    uint64_t at;
    uint8_t *out;
    first_error failed;
} copy_job;

static cuzk_status copy_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    copy_job *j = arg;
    cuzk_err err;
    (void)worker;
    const cuzk_status st =
        cuzk_srs_read_bytes(j->srs, j->out + begin, j->at + begin, end - begin, &err);
    if (st != CUZK_OK) {
        note_error(&j->failed, &err);
    }
    return st;
}

cuzk_status cuzk_srs_read_encoded(const cuzk_srs *srs, cuzk_srs_section s, uint64_t first,
                                  uint64_t n, uint8_t *out, cuzk_pool *pool,
                                  const cuzk_cancel *cancel, cuzk_err *err)
{
    const size_t size = cuzk_srs_point_bytes(s);
    copy_job j = {.srs = srs, .at = srs->offset[s] + first * size, .out = out};
    const cuzk_status st =
        cuzk_parallel_for(pool, cancel, (size_t)n * size, COPY_GRAIN, copy_range, &j);
    if (st == CUZK_OK) {
        return CUZK_OK;
    }
    if (atomic_load(&j.failed.taken)) {
        return CUZK_FAIL_OS(err, j.failed.err.code, j.failed.err.os_code, "%s (section %s)",
                            j.failed.err.msg, cuzk_srs_section_name(s));
    }
    return CUZK_FAIL(err, st, "reading parameters: %s", cuzk_status_text(st));
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
