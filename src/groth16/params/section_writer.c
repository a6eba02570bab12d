/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "section_writer.h"

#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/bytes.h"

#include "srs_internal.h"

#define ENCODE_GRAIN 1024

typedef struct encode_job {
    const cuzk_g1_affine *g1;
    const cuzk_g2_affine *g2;
    uint8_t *out;
} encode_job;

static cuzk_status encode_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    const encode_job *j = arg;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        if (j->g2 != NULL) {
            cuzk_g2_encode_uncompressed(j->out + i * CUZK_G2_UNCOMPRESSED_BYTES, &j->g2[i]);
        } else {
            cuzk_g1_encode_uncompressed(j->out + i * CUZK_G1_UNCOMPRESSED_BYTES, &j->g1[i]);
        }
    }
    return CUZK_OK;
}

cuzk_status cuzk_section_writer_open(cuzk_section_writer *w, const char *path, bool replace,
                                     size_t max_points, cuzk_err *err)
{
    w->bytes = cuzk_alloc(max_points, CUZK_G2_UNCOMPRESSED_BYTES);
    if (w->bytes == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to write %s", path);
    }
    w->max_points = max_points;
    const cuzk_status st = cuzk_file_writer_open(&w->file, path, replace, err);
    if (st != CUZK_OK) {
        w->file = NULL;
        cuzk_section_writer_abort(w);
    }
    return st;
}

cuzk_status cuzk_section_writer_vk(cuzk_section_writer *w, const cuzk_srs_vk *vk, cuzk_err *err)
{
    const size_t n = CUZK_VK_FIXED_BYTES + (size_t)vk->n_ic * CUZK_G1_UNCOMPRESSED_BYTES;
    uint8_t *bytes = cuzk_alloc(n, 1);
    if (bytes == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to write a verifying key");
    }
    cuzk_srs_vk_encode(bytes, vk);
    const cuzk_status st = cuzk_file_writer_write(w->file, bytes, n, err);
    cuzk_free(bytes);
    return st;
}

cuzk_status cuzk_section_writer_count(cuzk_section_writer *w, uint64_t count, cuzk_err *err)
{
    uint8_t be[4];
    if (count > UINT32_MAX) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%llu points do not fit a section of a .params file",
                         (unsigned long long)count);
    }
    cuzk_store_u32_be(be, (uint32_t)count);
    return cuzk_file_writer_write(w->file, be, sizeof(be), err);
}

static cuzk_status put(cuzk_section_writer *w, encode_job *j, size_t n, size_t point_bytes,
                       cuzk_pool *pool, cuzk_err *err)
{
    CUZK_ASSERT(n <= w->max_points);
    j->out = w->bytes;
    const cuzk_status st = cuzk_parallel_for(pool, NULL, n, ENCODE_GRAIN, encode_range, j);
    if (st != CUZK_OK) {
        return CUZK_FAIL(err, st, "encoding points: %s", cuzk_status_text(st));
    }
    return cuzk_file_writer_write(w->file, w->bytes, n * point_bytes, err);
}

cuzk_status cuzk_section_writer_g1(cuzk_section_writer *w, const cuzk_g1_affine *p, size_t n,
                                   cuzk_pool *pool, cuzk_err *err)
{
    encode_job j = {.g1 = p};
    return put(w, &j, n, CUZK_G1_UNCOMPRESSED_BYTES, pool, err);
}

cuzk_status cuzk_section_writer_g2(cuzk_section_writer *w, const cuzk_g2_affine *p, size_t n,
                                   cuzk_pool *pool, cuzk_err *err)
{
    encode_job j = {.g2 = p};
    return put(w, &j, n, CUZK_G2_UNCOMPRESSED_BYTES, pool, err);
}

cuzk_status cuzk_section_writer_commit(cuzk_section_writer *w, cuzk_err *err)
{
    const cuzk_status st = cuzk_file_writer_commit(w->file, err);
    w->file = NULL;
    cuzk_section_writer_abort(w);
    return st;
}

cuzk_status cuzk_section_writer_commit_pair(cuzk_section_writer *params, cuzk_section_writer *vk,
                                            cuzk_err *err)
{
    cuzk_status st = vk->file != NULL ? cuzk_file_writer_remove_old(vk->file, err) : CUZK_OK;
    if (st == CUZK_OK) {
        st = cuzk_section_writer_commit(params, err);
    }
    if (st == CUZK_OK && vk->file != NULL) {
        st = cuzk_section_writer_commit(vk, err);
    }
    cuzk_section_writer_abort(params);
    cuzk_section_writer_abort(vk);
    return st;
}

void cuzk_section_writer_abort(cuzk_section_writer *w)
{
    cuzk_file_writer_abort(w->file);
    cuzk_free(w->bytes);
    memset(w, 0, sizeof(*w));
}
