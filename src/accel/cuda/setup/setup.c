/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Parameters section by section, in slices: values of the wires, exponents, points, sink. All
 * checks that the circuit or the waste can fail come before the first point.
 */
#include "setup.h"

#include <string.h>

#include "accel/cuda/queue/queue_internal.h"
#include "base/alloc.h"

#include "setup_internal.h"

#define MIN_SLICE  ((uint64_t)1 << 10)
#define MAX_SLICE  ((uint64_t)1 << 26)
#define N_POWERS   64
#define N_SECTIONS (CUZK_SRS_SECTIONS + 1) /* IC too */

typedef struct setup_run {
    cuzk_cuda_queue *q;
    const cuzk_circuit *c;
    const cuzk_toxic *x;
    uint32_t slice;
    unsigned lg;
    cuzk_cuda_setup_sink sink;
    void *arg;
    cuzk_cuda_columns col;
    cuzk_cuda_setup_factors ic, ext; /* of inputs and of aux wires */
    cuzk_scalar z_over_delta;        /* (tau^N - 1) / delta */
    /* Device memory. */
    uint64_t *d_report;      /* [2] */
    cuzk_fr *d_powers;       /* [N_POWERS] tau^(2^k) */
    cuzk_fr *d_values[3];    /* [slice] */
    cuzk_scalar *d_scalars;  /* [slice] */
    void *d_xyzz, *d_points; /* [slice] of G2 */
    cuzk_g1_affine *d_bases_g1, *d_table_g1;
    cuzk_g2_affine *d_bases_g2, *d_table_g2;
} setup_run;

static void take(setup_run *s, cuzk_cuda_arena *a, uint64_t slice)
{
    cuzk_cuda_columns_take(&s->col, a, s->c);
    s->d_report = cuzk_cuda_arena_take(a, 2 * sizeof(*s->d_report));
    s->d_powers = cuzk_cuda_arena_take(a, N_POWERS * sizeof(*s->d_powers));
    for (unsigned m = 0; m < 3; m++) {
        s->d_values[m] = cuzk_cuda_arena_take(a, slice * sizeof(*s->d_values[m]));
    }
    s->d_scalars = cuzk_cuda_arena_take(a, slice * sizeof(*s->d_scalars));
    s->d_xyzz = cuzk_cuda_arena_take(a, slice * sizeof(cuzk_g2_xyzz));
    s->d_points = cuzk_cuda_arena_take(a, slice * sizeof(cuzk_g2_affine));
    s->d_bases_g1 = cuzk_cuda_arena_take(a, CUZK_CUDA_FIXED_WINDOWS * sizeof(*s->d_bases_g1));
    s->d_bases_g2 = cuzk_cuda_arena_take(a, CUZK_CUDA_FIXED_WINDOWS * sizeof(*s->d_bases_g2));
    s->d_table_g1 = cuzk_cuda_arena_take(a, CUZK_CUDA_FIXED_ENTRIES * sizeof(*s->d_table_g1));
    s->d_table_g2 = cuzk_cuda_arena_take(a, CUZK_CUDA_FIXED_ENTRIES * sizeof(*s->d_table_g2));
}

uint64_t cuzk_cuda_setup_bytes(const cuzk_circuit *c, uint64_t slice)
{
    setup_run s = {.c = c};
    cuzk_cuda_arena a = {NULL, 0};
    take(&s, &a, slice);
    return a.used;
}

uint64_t cuzk_cuda_setup_count(const cuzk_circuit *c, cuzk_srs_section section)
{
    switch (section) {
    case CUZK_SRS_IC: return c->n_inputs;
    case CUZK_SRS_H: return ((uint64_t)1 << cuzk_circuit_lg_domain(c)) - 1;
    case CUZK_SRS_L: return c->n_aux;
    case CUZK_SRS_A: return c->n_inputs + c->a_aux_density;
    case CUZK_SRS_B_G1:
    case CUZK_SRS_B_G2:
    default: return c->b_input_density + c->b_aux_density;
    }
}

static void pow2k(cuzk_fr *out, const cuzk_fr *x, unsigned k)
{
    *out = *x;
    for (unsigned i = 0; i < k; i++) {
        cuzk_fr_sqr(out, out);
    }
}

static cuzk_status check_arguments(const setup_run *s, uint64_t slice, cuzk_err *err)
{
    const cuzk_circuit *c = s->c;
    if (slice < MIN_SLICE || slice > MAX_SLICE || (slice & (slice - 1)) != 0) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "slices of %llu points: not a power of two, 2^10 to 2^26",
                         (unsigned long long)slice);
    }
    if (c->preamble.n_rows >> 31 != 0 || c->block.n_rows >> 31 != 0 || s->lg > 32) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "a circuit of 2^31 rows in one part");
    }
    return cuzk_toxic_check(s->x, s->lg, err);
}

/* Powers of tau and the Lagrange values of all rows, the prover's too. */
static cuzk_status make_lagrange(setup_run *s, cuzk_err *err)
{
    const uint64_t n = cuzk_circuit_prover_rows(s->c);
    cuzk_fr powers[N_POWERS], root, step, step_inv, scale, z;
    powers[0] = s->x->tau;
    for (unsigned i = 1; i < N_POWERS; i++) {
        cuzk_fr_sqr(&powers[i], &powers[i - 1]);
    }
    CUZK_TRY(cuzk_cuda_upload(s->q, s->d_powers, powers, sizeof(powers), err));
    cuzk_fr_root_of_unity(&root, &CUZK_FR_ROOT_2_32, s->lg);
    cuzk_fr_pow_u64(&step, &root, cuzk_cuda_setup_lagrange_stride(n));
    cuzk_fr_inv(&step_inv, &step);
    pow2k(&z, &s->x->tau, s->lg);
    cuzk_fr_sub(&z, &z, &CUZK_FR_ONE);
    cuzk_fr_from_u64(&scale, (uint64_t)1 << s->lg);
    cuzk_fr_inv(&scale, &scale);
    cuzk_fr_mul(&scale, &scale, &z);
    CUZK_TRY(cuzk_cuda_setup_lagrange(s->q, (cuzk_fr *)(uintptr_t)s->col.lagrange, n, &root, &step,
                                      &step_inv, &s->x->tau, &scale, err));
    /* Factors, as integers: a product with a Montgomery value is then an integer. */
    cuzk_fr t;
    s->ic.alpha = s->ext.alpha = s->x->alpha;
    s->ic.beta = s->ext.beta = s->x->beta;
    cuzk_fr_inv(&t, &s->x->gamma);
    cuzk_fr_to_scalar(&s->ic.scale, &t);
    cuzk_fr_inv(&t, &s->x->delta);
    cuzk_fr_to_scalar(&s->ext.scale, &t);
    cuzk_fr_mul(&t, &t, &z);
    cuzk_fr_to_scalar(&s->z_over_delta, &t);
    return CUZK_OK;
}

static cuzk_status make_tables(const setup_run *s, cuzk_err *err)
{
    cuzk_g1_affine g1[CUZK_CUDA_FIXED_WINDOWS];
    cuzk_g2_affine g2[CUZK_CUDA_FIXED_WINDOWS];
    cuzk_g1 p;
    cuzk_g2 r;
    cuzk_g1_from_affine(&p, &s->x->g1);
    cuzk_g2_from_affine(&r, &s->x->g2);
    for (unsigned w = 0; w < CUZK_CUDA_FIXED_WINDOWS; w++) {
        cuzk_g1_to_affine(&g1[w], &p);
        cuzk_g2_to_affine(&g2[w], &r);
        for (unsigned i = 0; i < CUZK_CUDA_FIXED_C; i++) {
            cuzk_g1_dbl(&p, &p);
            cuzk_g2_dbl(&r, &r);
        }
    }
    CUZK_TRY(cuzk_cuda_upload(s->q, s->d_bases_g1, g1, sizeof(g1), err));
    CUZK_TRY(cuzk_cuda_upload(s->q, s->d_bases_g2, g2, sizeof(g2), err));
    CUZK_TRY(
        cuzk_cuda_fixed_table_g1(s->q, s->d_table_g1, s->d_bases_g1, s->d_xyzz, s->slice, err));
    return cuzk_cuda_fixed_table_g2(s->q, s->d_table_g2, s->d_bases_g2, s->d_xyzz, s->slice, err);
}

static uint32_t slice_at(const setup_run *s, uint64_t at, uint64_t end)
{
    return end - at < s->slice ? (uint32_t)(end - at) : s->slice;
}

static cuzk_status values(const setup_run *s, unsigned m, uint64_t first, uint32_t n, cuzk_err *err)
{
    return cuzk_cuda_columns_values(&s->col, s->q, m, first, n, s->d_values[m], err);
}

static cuzk_status all_values(const setup_run *s, uint64_t first, uint32_t n, cuzk_err *err)
{
    CUZK_TRY(values(s, 0, first, n, err));
    CUZK_TRY(values(s, 1, first, n, err));
    return values(s, 2, first, n, err);
}

/* Every wire's values once, before any point. */
static cuzk_status verify_wires(const setup_run *s, cuzk_err *err)
{
    const uint64_t n_inputs = s->c->n_inputs, end = n_inputs + s->c->n_aux;
    const cuzk_fr *const v[3] = {s->d_values[0], s->d_values[1], s->d_values[2]};
    uint64_t report[2];
    CUZK_TRY(CUZK_CUDA(cudaMemsetAsync(s->d_report, 0xff, sizeof(report), s->q->stream), err));
    for (uint64_t at = 0; at < end; at += s->slice) {
        const uint32_t n = slice_at(s, at, end);
        CUZK_TRY(all_values(s, at, n, err));
        CUZK_TRY(cuzk_cuda_setup_verify(&s->col, s->q, at, n, v, &s->ext, s->d_report, err));
    }
    CUZK_TRY(cuzk_cuda_download(s->q, report, s->d_report, sizeof(report), err));
    if (report[0] != UINT64_MAX) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "tau is a root of a wire's polynomial in A or B");
    }
    if (report[1] != UINT64_MAX) {
        const uint64_t wire = report[1] / 2;
        const bool aux = wire >= n_inputs;
        return CUZK_FAIL(err, CUZK_E_INVALID, "%s %llu %s", aux ? "aux wire" : "input",
                         (unsigned long long)(aux ? wire - n_inputs : wire),
                         (report[1] & 1) != 0 ? "is in no row"
                                              : "has a point at infinity for this toxic waste");
    }
    return CUZK_OK;
}

/* Points of the n exponents in d_scalars, to the sink. */
static cuzk_status emit(const setup_run *s, cuzk_srs_section section, uint64_t first, uint32_t n,
                        cuzk_err *err)
{
    if (n == 0) {
        return CUZK_OK;
    }
    if (section == CUZK_SRS_B_G2) {
        CUZK_TRY(cuzk_cuda_fixed_mul_g2(s->q, s->d_points, s->d_table_g2, s->d_scalars, n,
                                        s->d_xyzz, err));
    } else {
        CUZK_TRY(cuzk_cuda_fixed_mul_g1(s->q, s->d_points, s->d_table_g1, s->d_scalars, n,
                                        s->d_xyzz, err));
    }
    return s->sink(s->arg, s->q, section, first, n, s->d_points, err);
}

static cuzk_status emit_powers(const setup_run *s, cuzk_err *err)
{
    const uint64_t end = cuzk_cuda_setup_count(s->c, CUZK_SRS_H);
    for (uint64_t at = 0; at < end; at += s->slice) {
        const uint32_t n = slice_at(s, at, end);
        CUZK_TRY(
            cuzk_cuda_setup_powers(s->q, s->d_powers, at, n, &s->z_over_delta, s->d_scalars, err));
        CUZK_TRY(emit(s, CUZK_SRS_H, at, n, err));
    }
    return CUZK_OK;
}

/* ic: inputs over gamma; l: aux wires over delta. */
static cuzk_status emit_ext(const setup_run *s, cuzk_srs_section section, cuzk_err *err)
{
    const bool ic = section == CUZK_SRS_IC;
    const uint64_t wires = ic ? 0 : s->c->n_inputs, end = ic ? s->c->n_inputs : s->c->n_aux;
    const cuzk_fr *const v[3] = {s->d_values[0], s->d_values[1], s->d_values[2]};
    for (uint64_t at = 0; at < end; at += s->slice) {
        const uint32_t n = slice_at(s, at, end);
        CUZK_TRY(all_values(s, wires + at, n, err));
        CUZK_TRY(cuzk_cuda_setup_ext(s->q, v, n, ic ? &s->ic : &s->ext, s->d_scalars, err));
        CUZK_TRY(emit(s, section, at, n, err));
    }
    return CUZK_OK;
}

/* How many of the first `end` wires a matrix has. */
static uint64_t dense_among(const uint64_t *map, uint64_t end)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < end / 64; i++) {
        n += (uint64_t)__builtin_popcountll(map[i]);
    }
    return end % 64 == 0 ? n
                         : n + (uint64_t)__builtin_popcountll(map[end / 64] &
                                                              (((uint64_t)1 << (end % 64)) - 1));
}

/* Points of a section before that of wire `at` (inputs, then aux). */
static uint64_t rank_of(const cuzk_circuit *c, unsigned m, uint64_t at)
{
    const uint64_t inputs = at < c->n_inputs ? at : c->n_inputs;
    uint64_t n = m == CUZK_MATRIX_A ? inputs : dense_among(c->b_input_dense, inputs);
    uint64_t aux = at - inputs;
    for (uint64_t k = 0; aux > 0; k++) {
        const cuzk_circuit_part *p = k == 0 ? &c->preamble : &c->block;
        const uint64_t here = aux < p->n_aux ? aux : p->n_aux;
        n += dense_among(m == CUZK_MATRIX_A ? p->a_dense : p->b_dense, here);
        aux -= here;
    }
    return n;
}

static cuzk_status emit_matrix(const setup_run *s, cuzk_srs_section section, cuzk_err *err)
{
    const unsigned m = section == CUZK_SRS_A ? CUZK_MATRIX_A : CUZK_MATRIX_B;
    const uint64_t end = s->c->n_inputs + s->c->n_aux;
    uint64_t rank = 0;
    for (uint64_t at = 0; at < end; at += s->slice) {
        const uint32_t n = slice_at(s, at, end);
        const uint64_t next = rank_of(s->c, m, at + n);
        CUZK_TRY(values(s, m, at, n, err));
        CUZK_TRY(cuzk_cuda_setup_dense(&s->col, s->q, m, at, n, rank, s->d_values[m], s->d_scalars,
                                       err));
        CUZK_TRY(emit(s, section, rank, (uint32_t)(next - rank), err));
        rank = next;
    }
    return CUZK_OK;
}

static cuzk_status emit_section(const setup_run *s, cuzk_srs_section section, cuzk_err *err)
{
    switch (section) {
    case CUZK_SRS_H: return emit_powers(s, err);
    case CUZK_SRS_IC:
    case CUZK_SRS_L: return emit_ext(s, section, err);
    case CUZK_SRS_A:
    case CUZK_SRS_B_G1:
    case CUZK_SRS_B_G2:
    default: return emit_matrix(s, section, err);
    }
}

cuzk_status cuzk_cuda_setup_run(cuzk_cuda_queue *q, const cuzk_circuit *c, const cuzk_toxic *toxic,
                                uint32_t sections, uint64_t slice, void *d_mem,
                                cuzk_cuda_setup_sink sink, void *arg, cuzk_err *err)
{
    /* A file has the verifying key before its sections. */
    static const cuzk_srs_section order[N_SECTIONS] = {CUZK_SRS_IC, CUZK_SRS_H,    CUZK_SRS_L,
                                                       CUZK_SRS_A,  CUZK_SRS_B_G1, CUZK_SRS_B_G2};
    setup_run s = {.q = q, .c = c, .x = toxic, .slice = (uint32_t)slice, .sink = sink, .arg = arg};
    cuzk_cuda_arena a = {d_mem, 0};
    s.lg = cuzk_circuit_lg_domain(c);
    CUZK_TRY(check_arguments(&s, slice, err));
    take(&s, &a, slice);
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    CUZK_TRY(make_lagrange(&s, err));
    CUZK_TRY(make_tables(&s, err));
    CUZK_TRY(cuzk_cuda_columns_put(&s.col, q, c, err));
    CUZK_TRY(cuzk_cuda_columns_preamble(&s.col, q, err));
    CUZK_TRY(verify_wires(&s, err));
    for (unsigned i = 0; i < N_SECTIONS; i++) {
        if ((sections >> order[i] & 1) != 0) {
            CUZK_TRY(emit_section(&s, order[i], err));
        }
    }
    return cuzk_cuda_queue_sync(q, err);
}
