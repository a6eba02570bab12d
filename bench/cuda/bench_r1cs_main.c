/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Device times of circuits, sections, SRS points and setup, one JSON object per line:
 *     cuzk_bench_cuda_r1cs [--runs=N] [--setup=0|1] [--device=N]
 * for the 32 GiB circuits with random witnesses. Setup is the whole of PoRep's parameters, one run,
 * wall time, the points left on the device.
 */
#include <cuda_runtime.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accel/cuda/r1cs/r1cs.h"
#include "accel/cuda/section/section.h"
#include "accel/cuda/section/srs.h"
#include "accel/cuda/setup/setup.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "circuit/filecoin.h"
#include "groth16/setup/setup.h"

#define MAX_RUNS    64u
#define N_POINTS    ((uint64_t)1 << 22)
#define SETUP_SLICE ((uint64_t)1 << 21)
#define SECTOR      ((uint64_t)32 << 30)

typedef struct bench {
    cuzk_cuda_queue *q;
    unsigned runs;
    cuzk_circuit *c;
    cuzk_witness *w;
    cuzk_cuda_circuit *dc;
    cuzk_cuda_sections *sections;
    void *d_circuit, *d_witness, *d_sections, *d_out, *d_points, *d_report;
    void *staging; /* page-locked */
    uint64_t n;    /* domain */
    cuzk_matrix_id m;
    cuzk_srs_section wires;
    cuzk_point_check check;
    bool g2;
} bench;

typedef cuzk_status (*bench_fn)(bench *b, cuzk_err *err);

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static cuzk_status measure(bench *b, const char *circuit, const char *name, uint64_t size,
                           bench_fn fn, cuzk_err *err)
{
    double ms[MAX_RUNS];
    CUZK_TRY(fn(b, err));
    CUZK_TRY(cuzk_cuda_queue_sync(b->q, err));
    for (unsigned i = 0; i < b->runs; i++) {
        CUZK_TRY(cuzk_cuda_timer_start(b->q, err));
        CUZK_TRY(fn(b, err));
        CUZK_TRY(cuzk_cuda_timer_stop(b->q, &ms[i], err));
    }
    qsort(ms, b->runs, sizeof(ms[0]), by_value);
    printf("{\"circuit\": \"%s\", \"kernel\": \"%s\", \"size\": %" PRIu64
           ", \"runs\": %u, \"min_ms\": %.4f, \"median_ms\": %.4f, \"max_ms\": %.4f}\n",
           circuit, name, size, b->runs, ms[0], ms[b->runs / 2], ms[b->runs - 1]);
    (void)fflush(stdout);
    return CUZK_OK;
}

static cuzk_status run_upload(bench *b, cuzk_err *err)
{
    return cuzk_cuda_witness_upload(b->dc, b->q, b->d_witness, b->w, b->staging, err);
}

static cuzk_status run_upload_direct(bench *b, cuzk_err *err)
{
    return cuzk_cuda_witness_upload(b->dc, b->q, b->d_witness, b->w, NULL, err);
}

/* Straight from the witness, pageable and then page-locked; what the locking takes. */
static cuzk_status bench_direct(bench *b, const char *name, cuzk_err *err)
{
    const uint64_t size = cuzk_cuda_witness_staging_bytes(b->c);
    void *part[3] = {b->w->bits, b->w->inputs, b->w->fulls};
    const uint64_t bytes[3] = {b->w->n_bit_words * sizeof(*b->w->bits),
                               b->c->n_inputs * sizeof(cuzk_fr), b->c->n_fulls * sizeof(cuzk_fr)};
    CUZK_TRY(measure(b, name, "witness_upload_pageable", size, run_upload_direct, err));
    const uint64_t t0 = cuzk_clock_ns();
    unsigned n = 0;
    while (n < 3 && cudaHostRegister(part[n], bytes[n], cudaHostRegisterDefault) == cudaSuccess) {
        n++;
    }
    printf("{\"circuit\": \"%s\", \"page_lock_ms\": %.2f}\n", name,
           (double)(cuzk_clock_ns() - t0) * 1e-6);
    const cuzk_status st =
        n < 3 ? CUZK_OK : measure(b, name, "witness_upload_locked", size, run_upload_direct, err);
    while (n > 0) {
        (void)cudaHostUnregister(part[--n]);
    }
    (void)cudaGetLastError();
    return st;
}

static cuzk_status run_eval(bench *b, cuzk_err *err)
{
    return cuzk_cuda_eval(b->dc, b->q, b->d_witness, b->m, b->d_out, b->n, err);
}

static cuzk_status run_check(bench *b, cuzk_err *err)
{
    return cuzk_cuda_eval_check(b->dc, b->q, b->d_witness, b->d_report, err);
}

static cuzk_status run_bits(bench *b, cuzk_err *err)
{
    return cuzk_cuda_sections_gather_bits(b->sections, b->q, b->d_witness, b->wires, b->d_out, err);
}

static cuzk_status run_fulls(bench *b, cuzk_err *err)
{
    return cuzk_cuda_sections_gather_fulls(b->sections, b->q, b->d_witness, b->wires, b->d_out,
                                           err);
}

/* As many points as there are in d_points and in the section. */
static uint64_t split_points(const bench *b)
{
    const uint64_t n = cuzk_cuda_sections_count(b->sections, b->wires);
    return n < N_POINTS ? n : N_POINTS;
}

static cuzk_status run_split(bench *b, cuzk_err *err)
{
    cuzk_g1_affine *out = b->d_out;
    return cuzk_cuda_sections_split_g1(b->sections, b->q, b->wires, 0, split_points(b), out,
                                       out + N_POINTS, b->d_points, err);
}

static cuzk_status run_decode(bench *b, cuzk_err *err)
{
    return b->g2 ? cuzk_cuda_srs_decode_g2(b->q, b->d_out, b->d_points, N_POINTS / 2, 0, b->check,
                                           false, b->d_report, err)
                 : cuzk_cuda_srs_decode_g1(b->q, b->d_out, b->d_points, N_POINTS, 0, b->check,
                                           false, b->d_report, err);
}

static uint64_t next_random(uint64_t *s)
{
    *s = *s * 6364136223846793005ULL + 1442695040888963407ULL;
    return *s ^ *s >> 29;
}

static void random_witness(cuzk_witness *w)
{
    const cuzk_circuit *c = w->circuit;
    uint64_t s = 1;
    for (uint64_t i = 1; i < c->n_inputs + c->n_fulls; i++) {
        cuzk_fr *v = i < c->n_inputs ? &w->inputs[i] : &w->fulls[i - c->n_inputs];
        for (unsigned k = 0; k < 4; k++) {
            v->l[k] = next_random(&s);
        }
        v->l[3] &= 0x3fffffffffffffffULL; /* below r */
    }
    for (uint64_t k = 0; k <= c->n_blocks; k++) {
        const cuzk_circuit_part *p = k == 0 ? &c->preamble : &c->block;
        const cuzk_witness_part v =
            k == 0 ? cuzk_witness_preamble(w) : cuzk_witness_block(w, k - 1);
        for (uint64_t i = 0; i < p->n_bits / 64; i++) {
            v.bits[i] = next_random(&s);
        }
    }
}

static cuzk_status open_circuit(bench *b, cuzk_circuit_kind kind, cuzk_err *err)
{
    CUZK_TRY(cuzk_filecoin_circuit_build(kind, SECTOR, &b->c, err));
    CUZK_TRY(cuzk_witness_create(&b->w, b->c, err));
    random_witness(b->w);
    b->n = (uint64_t)1 << cuzk_circuit_lg_domain(b->c);
    const uint64_t t0 = cuzk_clock_ns();
    CUZK_TRY(cuzk_cuda_alloc(b->q, &b->d_circuit, cuzk_cuda_circuit_bytes(b->c, true), err));
    CUZK_TRY(cuzk_cuda_circuit_create(&b->dc, b->q, b->c, true, b->d_circuit, err));
    const uint64_t t1 = cuzk_clock_ns();
    CUZK_TRY(cuzk_cuda_alloc(b->q, &b->d_sections, cuzk_cuda_sections_bytes(b->c, false), err));
    CUZK_TRY(cuzk_cuda_sections_create(&b->sections, b->q, b->c, false, b->d_sections, err));
    const uint64_t t2 = cuzk_clock_ns();
    printf("{\"circuit\": \"%s\", \"device_bytes\": %" PRIu64 ", \"section_bytes\": %" PRIu64
           ", \"witness_bytes\": %" PRIu64
           ", \"circuit_upload_ms\": %.1f, \"sections_ms\": %.1f}\n",
           cuzk_circuit_kind_name(kind), cuzk_cuda_circuit_bytes(b->c, true),
           cuzk_cuda_sections_bytes(b->c, false), cuzk_cuda_witness_bytes(b->c),
           (double)(t1 - t0) * 1e-6, (double)(t2 - t1) * 1e-6);
    CUZK_TRY(cuzk_cuda_alloc(b->q, &b->d_witness, cuzk_cuda_witness_bytes(b->c), err));
    if (cudaMallocHost(&b->staging, cuzk_cuda_witness_staging_bytes(b->c)) != cudaSuccess) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no page-locked memory");
    }
    return CUZK_OK;
}

static void close_circuit(bench *b)
{
    cuzk_cuda_circuit_destroy(b->dc);
    cuzk_cuda_sections_destroy(b->sections);
    cuzk_cuda_free(b->q, b->d_circuit);
    cuzk_cuda_free(b->q, b->d_sections);
    cuzk_cuda_free(b->q, b->d_witness);
    (void)cudaFreeHost(b->staging);
    cuzk_witness_destroy(b->w);
    cuzk_circuit_destroy(b->c);
    b->dc = NULL;
    b->sections = NULL;
    b->d_circuit = b->d_sections = b->d_witness = b->staging = NULL;
    b->w = NULL;
    b->c = NULL;
}

static cuzk_status bench_circuit(bench *b, cuzk_circuit_kind kind, cuzk_err *err)
{
    static const char *const eval[3] = {"eval_a", "eval_b", "eval_c"};
    static const char *const bits[3] = {"bits_l", "bits_a", "bits_b"};
    static const char *const fulls[3] = {"fulls_l", "fulls_a", "fulls_b"};
    const char *name = cuzk_circuit_kind_name(kind);
    CUZK_TRY(open_circuit(b, kind, err));
    CUZK_TRY(
        measure(b, name, "witness_upload", cuzk_cuda_witness_staging_bytes(b->c), run_upload, err));
    CUZK_TRY(bench_direct(b, name, err));
    for (unsigned i = 0; i < 3; i++) {
        b->m = (cuzk_matrix_id)i;
        CUZK_TRY(measure(b, name, eval[i], b->c->n_rows, run_eval, err));
    }
    CUZK_TRY(measure(b, name, "check", b->c->n_rows, run_check, err));
    for (unsigned i = 0; i < 3; i++) {
        b->wires = cuzk_srs_of_wire_set(i);
        const uint64_t n = cuzk_cuda_sections_bits(b->sections, b->wires);
        CUZK_TRY(measure(b, name, bits[i], n, run_bits, err));
        CUZK_TRY(measure(b, name, fulls[i], cuzk_cuda_sections_count(b->sections, b->wires) - n,
                         run_fulls, err));
    }
    return measure(b, name, "split_g1_b", split_points(b), run_split, err);
}

static cuzk_status bench_decode(bench *b, cuzk_err *err)
{
    static const char *const name[2][3] = {
        {"decode_g1", "decode_g1_on_curve", "decode_g1_in_subgroup"},
        {"decode_g2", "decode_g2_on_curve", "decode_g2_in_subgroup"}};
    uint8_t *points = cuzk_alloc(N_POINTS, CUZK_G1_UNCOMPRESSED_BYTES);
    cuzk_status st = CUZK_OK;
    if (points == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the points");
    }
    for (unsigned g2 = 0; g2 < 2 && st == CUZK_OK; g2++) {
        const size_t size = g2 != 0 ? CUZK_G2_UNCOMPRESSED_BYTES : CUZK_G1_UNCOMPRESSED_BYTES;
        const uint64_t n = g2 != 0 ? N_POINTS / 2 : N_POINTS;
        for (uint64_t i = 0; i < n; i++) {
            if (i > 0) {
                memcpy(points + i * size, points, size);
            } else if (g2 != 0) {
                cuzk_g2_encode_uncompressed(points, &CUZK_G2_GENERATOR);
            } else {
                cuzk_g1_encode_uncompressed(points, &CUZK_G1_GENERATOR);
            }
        }
        b->g2 = g2 != 0;
        CUZK_TRY_GOTO(st, cuzk_cuda_upload(b->q, b->d_points, points, n * size, err));
        for (unsigned i = 0; i < 3; i++) {
            static const cuzk_point_check checks[] = {CUZK_POINT_UNCHECKED, CUZK_POINT_ON_CURVE,
                                                      CUZK_POINT_IN_SUBGROUP};
            b->check = checks[i];
            CUZK_TRY_GOTO(st, measure(b, "", name[g2][i], n, run_decode, err));
        }
    }
out:
    cuzk_free(points);
    return st;
}

typedef struct setup_times {
    uint64_t t0;
    unsigned section;
} setup_times;

/* Times of whole sections: a sync where one ends. */
static cuzk_status note_section(void *arg, cuzk_cuda_queue *q, cuzk_srs_section section,
                                uint64_t first, uint64_t n, const void *d_points, cuzk_err *err)
{
    static const char *const name[] = {"h", "l", "a", "b_g1", "b_g2", "ic"};
    setup_times *t = arg;
    (void)d_points;
    (void)n;
    if (first == 0) {
        CUZK_TRY(cuzk_cuda_queue_sync(q, err));
        printf("{\"setup\": \"porep\", \"before\": \"%s\", \"wall_s\": %.3f}\n", name[section],
               (double)(cuzk_clock_ns() - t->t0) * 1e-9);
        (void)fflush(stdout);
    }
    return CUZK_OK;
}

static cuzk_status bench_setup(bench *b, cuzk_err *err)
{
    cuzk_toxic x;
    void *d = NULL;
    cuzk_toxic_from_seed(&x, 1);
    CUZK_TRY(cuzk_filecoin_circuit_build(CUZK_CIRCUIT_POREP, SECTOR, &b->c, err));
    const uint64_t bytes = cuzk_cuda_setup_bytes(b->c, SETUP_SLICE);
    CUZK_TRY(cuzk_cuda_alloc(b->q, &d, bytes, err));
    cuzk_alloc_reset_peak();
    setup_times t = {.t0 = cuzk_clock_ns()};
    const cuzk_status st =
        cuzk_cuda_setup_run(b->q, b->c, &x, 0x3f, SETUP_SLICE, d, note_section, &t, err);
    if (st == CUZK_OK) {
        uint64_t points = 0;
        for (unsigned i = 0; i < 6; i++) {
            points += cuzk_cuda_setup_count(b->c, (cuzk_srs_section)i);
        }
        printf("{\"setup\": \"porep\", \"points\": %" PRIu64 ", \"wall_s\": %.3f"
               ", \"device_bytes\": %" PRIu64 ", \"host_peak_bytes\": %" PRIu64 "}\n",
               points, (double)(cuzk_clock_ns() - t.t0) * 1e-9, bytes,
               cuzk_alloc_get_stats().bytes_peak);
    }
    cuzk_cuda_free(b->q, d);
    cuzk_circuit_destroy(b->c);
    b->c = NULL;
    return st;
}

static cuzk_status run_all(bench *b, bool setup, cuzk_err *err)
{
    static const cuzk_circuit_kind kinds[] = {CUZK_CIRCUIT_POREP, CUZK_CIRCUIT_WINDOW,
                                              CUZK_CIRCUIT_UPDATE, CUZK_CIRCUIT_WINNING};
    const uint64_t out_bytes = ((uint64_t)1 << 27) * sizeof(cuzk_fr);
    CUZK_TRY(cuzk_cuda_alloc(b->q, &b->d_out, out_bytes, err));
    CUZK_TRY(cuzk_cuda_alloc(b->q, &b->d_points, N_POINTS * CUZK_G1_UNCOMPRESSED_BYTES, err));
    CUZK_TRY(cuzk_cuda_alloc(b->q, &b->d_report, sizeof(uint64_t), err));
    CUZK_TRY(cuzk_cuda_srs_report_reset(b->q, b->d_report, err));
    CUZK_TRY(bench_decode(b, err));
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        const cuzk_status st = bench_circuit(b, kinds[i], err);
        close_circuit(b);
        CUZK_TRY(st);
    }
    return setup ? bench_setup(b, err) : CUZK_OK;
}

/* Value of --name=N, or -1. */
static long option(const char *arg, const char *name)
{
    const size_t n = strlen(name);
    char *end = NULL;
    if (strncmp(arg, name, n) != 0) {
        return -1;
    }
    const long v = strtol(arg + n, &end, 10);
    return end == arg + n || *end != '\0' || v < 0 ? -1 : v;
}

int main(int argc, char **argv)
{
    bench b = {.runs = 7};
    cuzk_err err;
    long device = 0;
    bool setup = true;
    for (int i = 1; i < argc; i++) {
        const long runs = option(argv[i], "--runs="), on = option(argv[i], "--setup=");
        const long dev = option(argv[i], "--device=");
        if (runs >= 1 && runs <= (long)MAX_RUNS) {
            b.runs = (unsigned)runs;
        } else if (on == 0 || on == 1) {
            setup = on == 1;
        } else if (dev >= 0 && dev < 1024) {
            device = dev;
        } else {
            fprintf(stderr, "usage: %s [--runs=1..64] [--setup=0|1] [--device=N]\n", argv[0]);
            return 2;
        }
    }
    cuzk_status st = cuzk_cuda_queue_create(&b.q, (int)device, &err);
    if (st == CUZK_OK) {
        st = run_all(&b, setup, &err);
    }
    if (st != CUZK_OK) {
        fprintf(stderr, "cuzk_bench_cuda_r1cs: %s\n", err.msg);
    }
    if (b.q != NULL) {
        cuzk_cuda_free(b.q, b.d_out);
        cuzk_cuda_free(b.q, b.d_points);
        cuzk_cuda_free(b.q, b.d_report);
        cuzk_cuda_queue_destroy(b.q);
    }
    return st == CUZK_OK ? 0 : 1;
}
