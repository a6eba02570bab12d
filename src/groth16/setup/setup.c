/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Parameter generation (docs/spec/groth16.md#parameter-generation): exponents by field arithmetic, points by
 * fixed-base multiplication, section by section into a file or into memory.
 */
#include "groth16/setup/setup.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "groth16/cpu/section_sum.h"
#include "groth16/params/section_writer.h"
#include "groth16/params/srs_internal.h"
#include "msm/msm.h"

#include "columns.h"
#include "lagrange.h"
#include "setup_internal.h"

/* Points per step: 50 MiB of G2, 8 MiB of exponents. */
#define MAX_CHUNK ((size_t)1 << 18)
#define GRAIN     1024

typedef struct setup_run {
    const cuzk_circuit *c;
    const cuzk_toxic *x;
    const cuzk_setup_opts *opts;
    cuzk_pool *pool;
    const cuzk_cancel *cancel;
    unsigned lg;                                /* domain */
    size_t chunk;                               /* points per step */
    cuzk_fr z_over_delta, gamma_inv, delta_inv; /* z = tau^m - 1 */
    cuzk_columns col;
    cuzk_srs_source form; /* key, counts, form */
    cuzk_g1_affine *ic;
    uint64_t done, total; /* points, for progress */

    /* Where points go: one of the two. */
    cuzk_section_writer *writer;
    cuzk_srs_arrays *arrays;

    cuzk_fr *values[3];        /* [chunk] of wires, by matrix */
    cuzk_fr *exponents;        /* [chunk] */
    void *points;              /* [chunk] of either group */
    _Atomic uint64_t infinite; /* lowest wire seen whose ext exponent is 0 */
} setup_run;

/* No more than the largest section has. */
static size_t chunk_for(const cuzk_circuit *c, const cuzk_setup_opts *opts)
{
    const size_t asked = opts != NULL && opts->chunk_points != 0 ? opts->chunk_points : MAX_CHUNK;
    const uint64_t m = (uint64_t)1 << cuzk_circuit_lg_domain(c);
    const uint64_t wires = c->n_inputs + c->n_aux;
    const uint64_t most = m > wires ? m : wires;
    return most < asked ? (size_t)most : asked;
}

static const cuzk_fr *root_of(const setup_run *s)
{
    return s->form.quotient == CUZK_QUOTIENT_ODD_COSET ? &CUZK_FR_ROOT_2_32_SNARKJS
                                                       : &CUZK_FR_ROOT_2_32;
}

static cuzk_status check_toxic(const setup_run *s, cuzk_err *err)
{
    /* snarkjs's h has points of the doubled domain too. */
    return cuzk_toxic_check(s->x, s->lg + (s->form.quotient == CUZK_QUOTIENT_ODD_COSET ? 1 : 0),
                            err);
}

static void set_counts(setup_run *s)
{
    const cuzk_circuit *c = s->c;
    uint64_t *n = s->form.count;
    const uint64_t wires = c->n_inputs + c->n_aux;
    const uint64_t m = (uint64_t)1 << s->lg;
    const bool all = s->form.all_wires;
    n[CUZK_SRS_H] = s->form.quotient == CUZK_QUOTIENT_ODD_COSET ? m : m - 1;
    n[CUZK_SRS_L] = c->n_aux;
    n[CUZK_SRS_A] = all ? wires : c->n_inputs + c->a_aux_density;
    n[CUZK_SRS_B_G1] = all ? wires : c->b_input_density + c->b_aux_density;
    n[CUZK_SRS_B_G2] = n[CUZK_SRS_B_G1];
    s->total = c->n_inputs;
    for (unsigned i = 0; i < CUZK_SRS_SECTIONS; i++) {
        s->total += n[i];
    }
}

/* Numbers that depend on the waste alone. */
static void set_constants(setup_run *s)
{
    cuzk_fr z = s->x->tau;
    for (unsigned i = 0; i < s->lg; i++) {
        cuzk_fr_sqr(&z, &z);
    }
    cuzk_fr_sub(&z, &z, &CUZK_FR_ONE);
    cuzk_fr_inv(&s->gamma_inv, &s->x->gamma);
    cuzk_fr_inv(&s->delta_inv, &s->x->delta);
    cuzk_fr_mul(&s->z_over_delta, &z, &s->delta_inv);
}

static cuzk_status sum_columns(setup_run *s, cuzk_err *err)
{
    const cuzk_lagrange_points p = cuzk_lagrange_points_init(root_of(s), s->lg, 0, 1);
    return cuzk_columns_create(&s->col, s->c, &p, &s->x->tau, s->pool, s->cancel, err);
}

/* Values of wires [first, first + n <= chunk) in matrix m, to s->values[m]. */
static cuzk_status get_values(setup_run *s, cuzk_matrix_id m, uint64_t first, size_t n,
                              cuzk_err *err)
{
    return cuzk_columns_get(s->values[m], &s->col, m, first, n, s->pool, s->cancel, err);
}

static cuzk_status get_all_values(setup_run *s, uint64_t first, size_t n, cuzk_err *err)
{
    CUZK_TRY(get_values(s, CUZK_MATRIX_A, first, n, err));
    CUZK_TRY(get_values(s, CUZK_MATRIX_B, first, n, err));
    return get_values(s, CUZK_MATRIX_C, first, n, err);
}

/* Exponents of the next n points from s->exponents to points of section; ic when section is NULL. */
typedef struct exponent_job {
    setup_run *s;
    uint64_t first; /* wire (ext) or power (h) of exponents[0] */
    const cuzk_fr *scale;
} exponent_job;

/* (beta A + alpha B + C)(tau) * scale of the wires in s->values. */
static cuzk_status ext_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    const exponent_job *j = arg;
    setup_run *s = j->s;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const uint64_t wire = j->first + i;
        cuzk_fr t, u;
        cuzk_fr_mul(&t, &s->x->beta, &s->values[CUZK_MATRIX_A][i]);
        cuzk_fr_mul(&u, &s->x->alpha, &s->values[CUZK_MATRIX_B][i]);
        cuzk_fr_add(&t, &t, &u);
        cuzk_fr_add(&t, &t, &s->values[CUZK_MATRIX_C][i]);
        cuzk_fr_mul(&s->exponents[i], &t, j->scale);
        if (cuzk_fr_is_zero(&t)) {
            uint64_t seen = atomic_load(&s->infinite);
            while (wire < seen && !atomic_compare_exchange_weak(&s->infinite, &seen, wire)) {
            }
        }
    }
    return CUZK_OK;
}

/* tau^k z / delta. */
static cuzk_status power_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    const exponent_job *j = arg;
    cuzk_fr t;
    (void)worker;
    cuzk_fr_pow_u64(&t, &j->s->x->tau, j->first + begin);
    cuzk_fr_mul(&t, &t, &j->s->z_over_delta);
    for (size_t i = begin; i < end; i++) {
        j->s->exponents[i] = t;
        cuzk_fr_mul(&t, &t, &j->s->x->tau);
    }
    return CUZK_OK;
}

static cuzk_status exponents(setup_run *s, cuzk_range_fn fn, uint64_t first, const cuzk_fr *scale,
                             size_t n, cuzk_err *err)
{
    exponent_job j = {s, first, scale};
    const cuzk_status st = cuzk_parallel_for(s->pool, s->cancel, n, GRAIN, fn, &j);
    if (st != CUZK_OK) {
        return CUZK_FAIL(err, st, "setup: %s", cuzk_status_text(st));
    }
    return CUZK_OK;
}

/* first: wire of s->values[..][0]. */
static cuzk_status check_infinite(setup_run *s, uint64_t first, cuzk_err *err)
{
    const uint64_t wire = atomic_load(&s->infinite);
    if (wire == UINT64_MAX) {
        return CUZK_OK;
    }
    const bool unused = cuzk_fr_is_zero(&s->values[CUZK_MATRIX_A][wire - first]) &&
                        cuzk_fr_is_zero(&s->values[CUZK_MATRIX_B][wire - first]) &&
                        cuzk_fr_is_zero(&s->values[CUZK_MATRIX_C][wire - first]);
    const bool aux = wire >= s->c->n_inputs;
    return CUZK_FAIL(err, CUZK_E_INVALID, "%s %llu %s", aux ? "aux wire" : "input",
                     (unsigned long long)(aux ? wire - s->c->n_inputs : wire),
                     unused ? "is in no row" : "has a point at infinity for this toxic waste");
}

static void report(const setup_run *s, const char *section)
{
    if (s->opts->progress != NULL) {
        s->opts->progress(s->opts->progress_arg, section, s->done, s->total);
    }
}

/* Multiplies s->exponents[n] out and appends the points to a section that has `at` already. */
static cuzk_status emit(setup_run *s, cuzk_srs_section section, uint64_t at, size_t n,
                        cuzk_err *err)
{
    const cuzk_scalar *k = (const cuzk_scalar *)(const void *)s->exponents;
    CUZK_TRY(cuzk_fr_array_to_scalars(s->exponents, n, s->pool, s->cancel, err));
    if (section == CUZK_SRS_B_G2) {
        cuzk_g2_affine *p = s->arrays != NULL ? s->arrays->b_g2 + at : s->points;
        CUZK_TRY(cuzk_fixed_base_g2(p, &s->x->g2, k, n, s->pool, s->cancel, err));
        if (s->writer != NULL) {
            CUZK_TRY(cuzk_section_writer_g2(s->writer, p, n, s->pool, err));
        }
    } else {
        cuzk_g1_affine *p = s->arrays != NULL ? s->arrays->g1[section] + at : s->points;
        CUZK_TRY(cuzk_fixed_base_g1(p, &s->x->g1, k, n, s->pool, s->cancel, err));
        if (s->writer != NULL) {
            CUZK_TRY(cuzk_section_writer_g1(s->writer, p, n, s->pool, err));
        }
    }
    s->done += n;
    report(s, cuzk_srs_section_name(section));
    return CUZK_OK;
}

static size_t chunk_at(const setup_run *s, uint64_t at, uint64_t total)
{
    return total - at < s->chunk ? (size_t)(total - at) : s->chunk;
}

static cuzk_status emit_h(setup_run *s, cuzk_err *err)
{
    const uint64_t total = s->form.count[CUZK_SRS_H];
    const cuzk_lagrange_points odd =
        cuzk_lagrange_points_init(&CUZK_FR_ROOT_2_32_SNARKJS, s->lg + 1, 1, 2);
    for (uint64_t at = 0; at < total; at += s->chunk) {
        const size_t n = chunk_at(s, at, total);
        if (s->form.quotient == CUZK_QUOTIENT_ODD_COSET) {
            CUZK_TRY(cuzk_lagrange_at(s->exponents, at, n, &odd, &s->x->tau, &s->delta_inv, s->pool,
                                      s->cancel, err));
        } else {
            CUZK_TRY(exponents(s, power_range, at, NULL, n, err));
        }
        CUZK_TRY(emit(s, CUZK_SRS_H, at, n, err));
    }
    return CUZK_OK;
}

static cuzk_status emit_l(setup_run *s, cuzk_err *err)
{
    const uint64_t total = s->c->n_aux;
    for (uint64_t at = 0; at < total; at += s->chunk) {
        const size_t n = chunk_at(s, at, total);
        CUZK_TRY(get_all_values(s, s->c->n_inputs + at, n, err));
        CUZK_TRY(exponents(s, ext_range, s->c->n_inputs + at, &s->delta_inv, n, err));
        if (!s->form.all_wires) {
            CUZK_TRY(check_infinite(s, s->c->n_inputs + at, err));
        }
        CUZK_TRY(emit(s, CUZK_SRS_L, at, n, err));
    }
    return CUZK_OK;
}

/* a, b_g1, b_g2: the columns themselves, zeros left out unless all_wires. */
static cuzk_status emit_matrix(setup_run *s, cuzk_srs_section section, cuzk_matrix_id m,
                               cuzk_err *err)
{
    uint64_t at = 0;
    size_t n = 0; /* exponents that wait */
    for (uint64_t wire = 0; wire < s->col.n_wires; wire += s->chunk) {
        const size_t here = chunk_at(s, wire, s->col.n_wires);
        CUZK_TRY(get_values(s, m, wire, here, err));
        for (size_t i = 0; i < here; i++) {
            if (!s->form.all_wires && cuzk_fr_is_zero(&s->values[m][i])) {
                continue;
            }
            s->exponents[n++] = s->values[m][i];
            if (n == s->chunk) {
                CUZK_TRY(emit(s, section, at, n, err));
                at += n;
                n = 0;
            }
        }
    }
    if (n > 0) {
        CUZK_TRY(emit(s, section, at, n, err));
    }
    return CUZK_OK;
}

void cuzk_setup_vk_points(cuzk_srs_vk *vk, const cuzk_toxic *x)
{
    const cuzk_fr *g1_exp[3] = {&x->alpha, &x->beta, &x->delta};
    const cuzk_fr *g2_exp[3] = {&x->beta, &x->gamma, &x->delta};
    cuzk_g1_affine *g1_out[3] = {&vk->alpha_g1, &vk->beta_g1, &vk->delta_g1};
    cuzk_g2_affine *g2_out[3] = {&vk->beta_g2, &vk->gamma_g2, &vk->delta_g2};
    for (size_t i = 0; i < 3; i++) {
        cuzk_scalar k;
        cuzk_g1 p;
        cuzk_g2 q;
        cuzk_fr_to_scalar(&k, g1_exp[i]);
        cuzk_g1_from_affine(&p, &x->g1);
        cuzk_g1_mul_ct(&p, &p, &k);
        cuzk_g1_to_affine_ct(g1_out[i], &p);
        cuzk_fr_to_scalar(&k, g2_exp[i]);
        cuzk_g2_from_affine(&q, &x->g2);
        cuzk_g2_mul_ct(&q, &q, &k);
        cuzk_g2_to_affine_ct(g2_out[i], &q);
        cuzk_wipe(&k, sizeof(k));
        cuzk_wipe(&p, sizeof(p));
        cuzk_wipe(&q, sizeof(q));
    }
}

static cuzk_status make_vk(setup_run *s, cuzk_err *err)
{
    const cuzk_toxic *x = s->x;
    cuzk_srs_vk *vk = &s->form.vk;
    cuzk_setup_vk_points(vk, x);
    s->ic = cuzk_alloc(s->c->n_inputs, sizeof(*s->ic));
    if (s->ic == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the ic points");
    }
    for (uint64_t at = 0; at < s->c->n_inputs; at += s->chunk) {
        const size_t n = chunk_at(s, at, s->c->n_inputs);
        CUZK_TRY(get_all_values(s, at, n, err));
        CUZK_TRY(exponents(s, ext_range, at, &s->gamma_inv, n, err));
        CUZK_TRY(check_infinite(s, at, err));
        CUZK_TRY(cuzk_fr_array_to_scalars(s->exponents, n, s->pool, s->cancel, err));
        CUZK_TRY(cuzk_fixed_base_g1(s->ic + at, &x->g1,
                                    (const cuzk_scalar *)(const void *)s->exponents, n, s->pool,
                                    s->cancel, err));
        s->done += n;
        report(s, "ic");
    }
    vk->n_ic = (uint32_t)s->c->n_inputs;
    vk->ic = s->ic;
    return CUZK_OK;
}

/* All steps up to and including the key. finish releases s, also on failure. */
static cuzk_status begin(setup_run *s, const cuzk_circuit *c, const cuzk_toxic *toxic,
                         const cuzk_setup_opts *opts, cuzk_pool *pool, const cuzk_cancel *cancel,
                         cuzk_err *err)
{
    static const cuzk_setup_opts defaults = {0};
    memset(s, 0, sizeof(*s));
    s->c = c;
    s->x = toxic;
    s->opts = opts != NULL ? opts : &defaults;
    s->pool = pool;
    s->cancel = cancel;
    s->lg = cuzk_circuit_lg_domain(c);
    s->chunk = chunk_for(c, opts);
    s->form.quotient = s->opts->kind;
    s->form.all_wires = s->opts->kind == CUZK_QUOTIENT_ODD_COSET;
    atomic_init(&s->infinite, UINT64_MAX);
    if (s->lg >= CUZK_FR_TWO_ADICITY || c->n_inputs > UINT32_MAX) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "circuit with %llu rows is too large for the field",
                         (unsigned long long)c->n_rows);
    }
    CUZK_TRY(check_toxic(s, err));
    set_counts(s);
    set_constants(s);
    bool ok = true;
    s->exponents = cuzk_alloc(s->chunk, sizeof(*s->exponents));
    for (unsigned m = 0; m < 3; m++) {
        s->values[m] = cuzk_alloc(s->chunk, sizeof(*s->values[m]));
        ok = ok && s->values[m] != NULL;
    }
    if (s->exponents == NULL || !ok) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for setup");
    }
    CUZK_TRY(sum_columns(s, err));
    return make_vk(s, err);
}

static cuzk_status emit_section(setup_run *s, cuzk_srs_section section, cuzk_err *err)
{
    if (s->writer != NULL) {
        CUZK_TRY(cuzk_section_writer_count(s->writer, s->form.count[section], err));
    }
    switch (section) {
    case CUZK_SRS_H: return emit_h(s, err);
    case CUZK_SRS_L: return emit_l(s, err);
    case CUZK_SRS_A: return emit_matrix(s, section, CUZK_MATRIX_A, err);
    case CUZK_SRS_B_G1:
    case CUZK_SRS_B_G2: return emit_matrix(s, section, CUZK_MATRIX_B, err);
    case CUZK_SRS_IC: break; /* make_vk makes it */
    }
    return CUZK_OK;
}

static cuzk_status emit_sections(setup_run *s, cuzk_err *err)
{
    for (unsigned i = 0; i < CUZK_SRS_SECTIONS; i++) {
        CUZK_TRY(emit_section(s, (cuzk_srs_section)i, err));
    }
    return CUZK_OK;
}

static void finish(setup_run *s)
{
    cuzk_columns_destroy(&s->col);
    cuzk_fr *secret[4] = {s->exponents, s->values[0], s->values[1], s->values[2]};
    for (size_t i = 0; i < 4; i++) {
        if (secret[i] != NULL) {
            cuzk_wipe(secret[i], s->chunk * sizeof(*secret[i]));
        }
        cuzk_free(secret[i]);
    }
    cuzk_free(s->points);
    cuzk_free(s->ic);
    cuzk_wipe(s, sizeof(*s));
}

cuzk_status cuzk_setup_write(const cuzk_circuit *c, const cuzk_toxic *toxic,
                             const char *params_path, const char *vk_path,
                             const cuzk_setup_opts *opts, cuzk_pool *pool,
                             const cuzk_cancel *cancel, cuzk_err *err)
{
    setup_run s;
    cuzk_section_writer params = {0}, vk = {0};
    cuzk_status st = CUZK_OK;
    const bool replace = opts != NULL && opts->replace;
    if (opts != NULL && opts->kind != CUZK_QUOTIENT_COEFFS) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "a .params file has no snarkjs form");
    }
    /* Opened before the long work: targets that exist or cannot be written fail at once. */
    CUZK_TRY(cuzk_section_writer_open(&params, params_path, replace, chunk_for(c, opts), err));
    memset(&s, 0, sizeof(s));
    if (vk_path != NULL) {
        CUZK_TRY_GOTO(st, cuzk_section_writer_open(&vk, vk_path, replace, 1, err));
    }
    CUZK_TRY_GOTO(st, begin(&s, c, toxic, opts, pool, cancel, err));
    s.points = cuzk_alloc(s.chunk, sizeof(cuzk_g2_affine));
    if (s.points == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for setup");
        goto out;
    }
    s.writer = &params;
    CUZK_TRY_GOTO(st, cuzk_section_writer_vk(&params, &s.form.vk, err));
    CUZK_TRY_GOTO(st, emit_sections(&s, err));
    if (vk_path != NULL) {
        CUZK_TRY_GOTO(st, cuzk_section_writer_vk(&vk, &s.form.vk, err));
    }
    st = cuzk_section_writer_commit_pair(&params, &vk, err);
out:
    cuzk_section_writer_abort(&params);
    cuzk_section_writer_abort(&vk);
    finish(&s);
    return st;
}

static void free_arrays(cuzk_srs_arrays *a)
{
    for (size_t i = 0; i < 4; i++) {
        cuzk_free(a->g1[i]);
    }
    cuzk_free(a->b_g2);
}

static cuzk_status alloc_arrays(cuzk_srs_arrays *a, const uint64_t *count, cuzk_err *err)
{
    bool ok = true;
    for (size_t i = 0; i < 4; i++) {
        a->g1[i] = cuzk_alloc(count[i], sizeof(cuzk_g1_affine));
        ok = ok && a->g1[i] != NULL;
    }
    a->b_g2 = cuzk_alloc(count[CUZK_SRS_B_G2], sizeof(cuzk_g2_affine));
    if (!ok || a->b_g2 == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to keep parameters");
    }
    return CUZK_OK;
}

cuzk_status cuzk_setup_create(cuzk_srs **out, const cuzk_circuit *c, const cuzk_toxic *toxic,
                              const cuzk_setup_opts *opts, cuzk_pool *pool,
                              const cuzk_cancel *cancel, cuzk_err *err)
{
    setup_run s;
    cuzk_srs_arrays arrays = {0};
    cuzk_status st;
    CUZK_TRY_GOTO(st, begin(&s, c, toxic, opts, pool, cancel, err));
    CUZK_TRY_GOTO(st, alloc_arrays(&arrays, s.form.count, err));
    s.arrays = &arrays;
    CUZK_TRY_GOTO(st, emit_sections(&s, err));
    st = cuzk_srs_create_from_arrays(out, &s.form, &arrays, err);
out:
    if (st != CUZK_OK) {
        free_arrays(&arrays);
    }
    finish(&s);
    return st;
}
