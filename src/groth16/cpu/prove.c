/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "groth16/cpu/prove.h"

#include "base/alloc.h"

#include "prove_internal.h"
#include "section_sum.h"

/* What the sums of one proof share. */
typedef struct sum_run {
    const cuzk_witness *w;
    const cuzk_srs *srs;
    size_t chunk;
    cuzk_trace_ctx trace; /* inside the span "prove" */
    cuzk_pool *pool;
    const cuzk_cancel *cancel;
} sum_run;

static cuzk_status sum_h(cuzk_g1 *out, const sum_run *r, cuzk_err *err)
{
    const size_t m = (size_t)1 << cuzk_circuit_lg_domain(r->w->circuit);
    cuzk_fr *h = cuzk_alloc(m, sizeof(*h));
    cuzk_status st = CUZK_OK;
    cuzk_span span;
    if (h == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a quotient of %zu coefficients", m);
    }
    CUZK_TRY_GOTO(
        st, cuzk_quotient(h, r->w, cuzk_srs_quotient(r->srs), r->trace, r->pool, r->cancel, err));
    span = cuzk_span_begin(r->trace, "ntt", NULL);
    st = cuzk_fr_array_to_scalars(h, m, r->pool, r->cancel, err);
    cuzk_span_end(r->trace, span, 0);
    if (st != CUZK_OK) {
        goto out;
    }
    span = cuzk_span_begin(r->trace, "msm_h", NULL);
    st = cuzk_section_sum_h(out, (const cuzk_scalar *)(const void *)h, r->srs, r->chunk,
                            cuzk_trace_in(r->trace, span), r->pool, r->cancel, err);
    cuzk_span_end(r->trace, span, 0);
out:
    cuzk_free(h);
    return st;
}

static cuzk_status sum_wires(cuzk_g1 *out, const sum_run *r, cuzk_srs_section section,
                             const char *name, cuzk_err *err)
{
    const cuzk_span span = cuzk_span_begin(r->trace, name, NULL);
    const cuzk_status st =
        cuzk_section_sum_g1(out, r->w, r->srs, section, r->chunk, cuzk_trace_in(r->trace, span),
                            r->pool, r->cancel, err);
    cuzk_span_end(r->trace, span, 0);
    return st;
}

static cuzk_status sum_sections(cuzk_prove_sums *out, const sum_run *r, cuzk_err *err)
{
    CUZK_TRY(sum_h(&out->h, r, err));
    CUZK_TRY(sum_wires(&out->l, r, CUZK_SRS_L, "msm_l", err));
    CUZK_TRY(sum_wires(&out->a, r, CUZK_SRS_A, "msm_a", err));
    CUZK_TRY(sum_wires(&out->b1, r, CUZK_SRS_B_G1, "msm_b_g1", err));
    const cuzk_span span = cuzk_span_begin(r->trace, "msm_b_g2", NULL);
    const cuzk_status st =
        cuzk_section_sum_g2(&out->b2, r->w, r->srs, CUZK_SRS_B_G2, r->chunk,
                            cuzk_trace_in(r->trace, span), r->pool, r->cancel, err);
    cuzk_span_end(r->trace, span, 0);
    return st;
}

static cuzk_status check_rows(const sum_run *r, cuzk_err *err)
{
    const cuzk_span span = cuzk_span_begin(r->trace, "check_rows", NULL);
    const cuzk_status st = cuzk_r1cs_check(r->w, NULL, r->pool, r->cancel, err);
    cuzk_span_end(r->trace, span, 0);
    return st;
}

static cuzk_status finish(cuzk_proof *out, const sum_run *r, const cuzk_prove_sums *q,
                          const cuzk_prove_opts *opts, cuzk_err *err)
{
    const cuzk_span span = cuzk_span_begin(r->trace, "assemble", NULL);
    const cuzk_status st =
        cuzk_prove_assemble(out, q, cuzk_srs_get_vk(r->srs), opts->r, opts->s, err);
    cuzk_span_end(r->trace, span, 0);
    return st;
}

cuzk_status cuzk_prove(cuzk_proof *out, const cuzk_witness *w, const cuzk_srs *srs,
                       const cuzk_prove_opts *opts, cuzk_pool *pool, const cuzk_cancel *cancel,
                       cuzk_err *err)
{
    const cuzk_prove_opts defaults = {.trace = {NULL, 0}};
    cuzk_prove_sums q;
    cuzk_status st = CUZK_OK;
    opts = opts != NULL ? opts : &defaults;

    CUZK_TRY(cuzk_prove_check_match(w->circuit, srs, err));
    const cuzk_span span = cuzk_span_begin(opts->trace, "prove", NULL);
    const sum_run r = {.w = w,
                       .srs = srs,
                       .chunk = opts->chunk_points != 0 ? opts->chunk_points : CUZK_SECTION_CHUNK,
                       .trace = cuzk_trace_in(opts->trace, span),
                       .pool = pool,
                       .cancel = cancel};
    if (opts->check_witness) {
        CUZK_TRY_GOTO(st, check_rows(&r, err));
    }
    CUZK_TRY_GOTO(st, sum_sections(&q, &r, err));
    CUZK_TRY_GOTO(st, finish(out, &r, &q, opts, err));
out:
    cuzk_span_end(opts->trace, span, 0);
    return st;
}

void cuzk_proof_encode(uint8_t out[192], const cuzk_proof *p)
{
    cuzk_g1_encode_compressed(out, &p->a);
    cuzk_g2_encode_compressed(out + 48, &p->b);
    cuzk_g1_encode_compressed(out + 144, &p->c);
}

cuzk_status cuzk_proof_decode(cuzk_proof *out, const uint8_t in[192], cuzk_err *err)
{
    cuzk_proof p;
    cuzk_status st = cuzk_g1_decode_compressed(&p.a, in, CUZK_POINT_IN_SUBGROUP);
    const char *which = "A";
    if (st == CUZK_OK) {
        st = cuzk_g2_decode_compressed(&p.b, in + 48, CUZK_POINT_IN_SUBGROUP);
        which = "B";
    }
    if (st == CUZK_OK) {
        st = cuzk_g1_decode_compressed(&p.c, in + 144, CUZK_POINT_IN_SUBGROUP);
        which = "C";
    }
    if (st == CUZK_OK) {
        const bool a = cuzk_g1_affine_is_infinity(&p.a);
        const bool b = cuzk_g2_affine_is_infinity(&p.b);
        if (a || b || cuzk_g1_affine_is_infinity(&p.c)) {
            st = CUZK_E_INFINITY;
            which = a ? "A" : b ? "B" : "C";
        }
    }
    if (st != CUZK_OK) {
        return CUZK_FAIL(err, st, "point %s of the proof: %s", which, cuzk_status_text(st));
    }
    *out = p;
    return CUZK_OK;
}
