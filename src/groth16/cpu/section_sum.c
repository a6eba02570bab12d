/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "section_sum.h"

#include <string.h>

#include "base/alloc.h"
#include "ff/vec/fr_vec.h"
#include "groth16/params/wire_cursor.h"
#include "msm/msm.h"

CUZK_STATIC_ASSERT(sizeof(cuzk_fr) == sizeof(cuzk_scalar), "converted in place");

static cuzk_status scalar_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    cuzk_fr *v = arg;
    (void)worker;
    cuzk_fr_vec_to_scalar((cuzk_scalar *)(void *)(v + begin), v + begin, end - begin);
    return CUZK_OK;
}

cuzk_status cuzk_fr_array_to_scalars(cuzk_fr *v, size_t n, cuzk_pool *pool,
                                     const cuzk_cancel *cancel, cuzk_err *err)
{
    const cuzk_status st = cuzk_parallel_for(pool, cancel, n, 4096, scalar_range, v);
    if (st != CUZK_OK) {
        return CUZK_FAIL(err, st, "converting scalars: %s", cuzk_status_text(st));
    }
    return CUZK_OK;
}

#define SUM(x)        x##_g1
#define EC(x)         cuzk_g1_##x
#define EC_T          cuzk_g1
#define EC_AFFINE_T   cuzk_g1_affine
#define MSM           cuzk_msm_g1
#define MSM_BITS      cuzk_msm_bits_g1
#define READ          cuzk_srs_read_g1
#define ARRAY(srs, s) cuzk_srs_g1_array((srs), (s))
#define CHUNK(chunk)  (chunk)
#include "section_sum_tmpl.h"
#undef SUM
#undef EC
#undef EC_T
#undef EC_AFFINE_T
#undef MSM
#undef MSM_BITS
#undef READ
#undef ARRAY
#undef CHUNK

#define SUM(x)        x##_g2
#define EC(x)         cuzk_g2_##x
#define EC_T          cuzk_g2
#define EC_AFFINE_T   cuzk_g2_affine
#define MSM           cuzk_msm_g2
#define MSM_BITS      cuzk_msm_bits_g2
#define READ          cuzk_srs_read_g2
#define ARRAY(srs, s) cuzk_srs_g2_array(srs)
#define CHUNK(chunk)  (((chunk) + 1) / 2)
#include "section_sum_tmpl.h"

cuzk_status cuzk_section_sum_h(cuzk_g1 *out, const cuzk_scalar *scalars, const cuzk_srs *srs,
                               size_t chunk, cuzk_trace_ctx trace, cuzk_pool *pool,
                               const cuzk_cancel *cancel, cuzk_err *err)
{
    const uint64_t total = cuzk_srs_count(srs, CUZK_SRS_H);
    const cuzk_g1_affine *array = cuzk_srs_g1_array(srs, CUZK_SRS_H);
    chunk = array != NULL || total < chunk ? (size_t)total : chunk;
    cuzk_g1_affine *buffer = NULL;
    cuzk_g1 sum, part;
    cuzk_status st = CUZK_OK;
    cuzk_span span = 0;
    cuzk_g1_set_infinity(&sum);
    if (array == NULL) {
        buffer = cuzk_alloc(chunk, sizeof(*buffer));
        if (buffer == NULL) {
            return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for %zu points of section h", chunk);
        }
    }
    for (uint64_t at = 0; at < total; at += chunk) {
        const size_t n = total - at < chunk ? (size_t)(total - at) : chunk;
        if (array == NULL) {
            span = cuzk_span_begin(trace, "decode_points", NULL);
            CUZK_TRY_GOTO(st, cuzk_srs_read_g1(srs, CUZK_SRS_H, at, n, buffer, pool, err));
            cuzk_span_end(trace, span, n * 96);
        }
        const cuzk_g1_affine *points = array != NULL ? array + at : buffer;
        span = cuzk_span_begin(trace, "sum_full", NULL);
        CUZK_TRY_GOTO(st, cuzk_msm_g1(&part, points, scalars + at, n, 255, pool, cancel, err));
        cuzk_span_end(trace, span, 0);
        cuzk_g1_add(&sum, &sum, &part);
    }
    *out = sum;
out:
    cuzk_span_end(trace, span, 0);
    cuzk_free(buffer);
    return st;
}
