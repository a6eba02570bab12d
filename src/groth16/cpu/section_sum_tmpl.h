/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Section sums for one group; included by section_sum.c with
 *   SUM(x)    names: SUM(run) is run_g1 or run_g2
 *   EC(x)     cuzk_g1_x or cuzk_g2_x; EC_T and EC_AFFINE_T the point types
 *   MSM, MSM_BITS, READ, ARRAY(srs, s), CHUNK(chunk) (points of this group)
 * No include guard: meant to be included twice.
 */

typedef struct SUM(run) {
    const cuzk_srs *srs;
    cuzk_srs_section s;
    EC_AFFINE_T *chunk; /* [chunk] decoded points; NULL when the srs is in memory */
    EC_AFFINE_T *bases; /* [cap] points of collected full values */
    cuzk_fr *scalars;   /* [cap] their values */
    size_t n, cap;
    cuzk_wire_values values;
    EC_T sum;
    cuzk_trace_ctx trace;
    cuzk_pool *pool;
    const cuzk_cancel *cancel;
} SUM(run);

/* Multiplies out what has been collected. */
static cuzk_status SUM(flush)(SUM(run) * r, cuzk_err *err)
{
    EC_T part;
    cuzk_status st = CUZK_OK;
    if (r->n == 0) {
        return CUZK_OK;
    }
    const cuzk_span span = cuzk_span_begin(r->trace, "sum_full", NULL);
    CUZK_TRY_GOTO(st, cuzk_fr_array_to_scalars(r->scalars, r->n, r->pool, r->cancel, err));
    CUZK_TRY_GOTO(st, MSM(&part, r->bases, (const cuzk_scalar *)(const void *)r->scalars, r->n, 255,
                          r->pool, r->cancel, err));
    EC(add)(&r->sum, &r->sum, &part);
    r->n = 0;
out:
    cuzk_span_end(r->trace, span, 0);
    return st;
}

static cuzk_status SUM(points)(SUM(run) * r, const EC_AFFINE_T **points, uint64_t at, size_t n,
                               cuzk_err *err)
{
    const EC_AFFINE_T *array = ARRAY(r->srs, r->s);
    if (array != NULL) {
        *points = array + at;
        return CUZK_OK;
    }
    const cuzk_span span = cuzk_span_begin(r->trace, "decode_points", NULL);
    const cuzk_status st = READ(r->srs, r->s, at, n, r->chunk, r->pool, err);
    cuzk_span_end(r->trace, span, n * sizeof(EC_AFFINE_T));
    CUZK_TRY(st);
    *points = r->chunk;
    return CUZK_OK;
}

static cuzk_status SUM(step)(SUM(run) * r, cuzk_wire_cursor *cur, uint64_t at, size_t n,
                             cuzk_err *err)
{
    const EC_AFFINE_T *points;
    const cuzk_wire_values *v = &r->values;
    EC_T part;
    CUZK_TRY(SUM(points)(r, &points, at, n, err));
    cuzk_span span = cuzk_span_begin(r->trace, "select_wires", NULL);
    cuzk_wire_cursor_next(cur, n, &r->values);
    cuzk_span_end(r->trace, span, 0);
    if (r->n + v->n_full > r->cap) {
        CUZK_TRY(SUM(flush)(r, err));
    }
    span = cuzk_span_begin(r->trace, "select_wires", NULL);
    for (size_t i = 0; i < v->n_full; i++) {
        r->bases[r->n + i] = points[v->index[i]];
    }
    if (v->n_full > 0) {
        memcpy(r->scalars + r->n, v->full, v->n_full * sizeof(*v->full));
    }
    r->n += v->n_full;
    cuzk_span_end(r->trace, span, 0);
    span = cuzk_span_begin(r->trace, "sum_bits", NULL);
    const cuzk_status st = MSM_BITS(&part, points, v->ones, n, r->pool, r->cancel, err);
    cuzk_span_end(r->trace, span, 0);
    CUZK_TRY(st);
    EC(add)(&r->sum, &r->sum, &part);
    return CUZK_OK;
}

cuzk_status SUM(cuzk_section_sum)(EC_T *out, const cuzk_witness *w, const cuzk_srs *srs,
                                  cuzk_srs_section s, size_t chunk, cuzk_trace_ctx trace,
                                  cuzk_pool *pool, const cuzk_cancel *cancel, cuzk_err *err)
{
    const uint64_t total = cuzk_srs_count(srs, s);
    chunk = total < CHUNK(chunk) ? (size_t)total : CHUNK(chunk);
    const uint64_t bound = cuzk_wire_full_bound(w->circuit);
    const size_t cap = bound < chunk ? (size_t)bound : chunk;
    SUM(run) r = {.srs = srs, .s = s, .cap = cap, .trace = trace, .pool = pool, .cancel = cancel};
    cuzk_wire_cursor cur = cuzk_wire_cursor_init(w, s, cuzk_srs_all_wires(srs));
    const bool need_chunk = ARRAY(srs, s) == NULL;
    cuzk_status st = CUZK_OK;
    EC(set_infinity)(&r.sum);
    r.bases = cuzk_alloc(cap, sizeof(*r.bases));
    r.scalars = cuzk_alloc(cap, sizeof(*r.scalars));
    r.values.ones = cuzk_alloc((chunk + 63) / 64, sizeof(*r.values.ones));
    r.values.index = cuzk_alloc(cap, sizeof(*r.values.index));
    r.values.full = cuzk_alloc(cap, sizeof(*r.values.full));
    r.chunk = need_chunk ? cuzk_alloc(chunk, sizeof(*r.chunk)) : NULL;
    if (r.bases == NULL || r.scalars == NULL || r.values.ones == NULL || r.values.index == NULL ||
        r.values.full == NULL || (need_chunk && r.chunk == NULL)) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for %zu points of section %s", chunk,
                       cuzk_srs_section_name(s));
        goto out;
    }
    for (uint64_t at = 0; at < total; at += chunk) {
        const size_t n = total - at < chunk ? (size_t)(total - at) : chunk;
        CUZK_TRY_GOTO(st, SUM(step)(&r, &cur, at, n, err));
    }
    CUZK_TRY_GOTO(st, SUM(flush)(&r, err));
    *out = r.sum;
out:
    cuzk_free(r.bases);
    cuzk_free(r.scalars);
    cuzk_free(r.values.ones);
    cuzk_free(r.values.index);
    cuzk_free(r.values.full);
    cuzk_free(r.chunk);
    return st;
}
