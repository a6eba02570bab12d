/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * cuzk_bench_prove [--lg=20] [--bits=50] [--threads=0] [--repeat=3] [--params=FILE] [--keep]
 *
 * Setup into a file and proofs from it, for a made-up circuit of 2^lg - 2 rows of which `bits`
 * percent are bit wires and the others products of full wires. Wall and CPU time, and the peak of
 * this program's own heap (the mapped file is not heap) and of its resident set. Each proof is
 * verified. Numbers of a step are of the run with the least wall time.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cuzk/verify.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "groth16/prove.h"
#include "groth16/setup.h"
#include "r1cs/builder.h"

typedef struct options {
    unsigned lg, bits, threads, repeat;
    const char *params;
    bool keep;
} options;

typedef struct step {
    uint64_t wall, cpu;
} step;

static void fail(const char *what, const cuzk_err *err)
{
    (void)fprintf(stderr, "bench_prove: %s: %s\n", what, err->msg);
    exit(1);
}

static step step_begin(void)
{
    cuzk_alloc_reset_peak();
    const step s = {cuzk_clock_ns(), cuzk_clock_cpu_ns()};
    return s;
}

static step step_end(step s)
{
    const step d = {cuzk_clock_ns() - s.wall, cuzk_clock_cpu_ns() - s.cpu};
    return d;
}

static double seconds(uint64_t ns)
{
    return (double)ns * 1e-9;
}

static void print_step(const char *name, step d)
{
    printf("%-8s wall %8.3f s   cpu %8.3f s   heap peak %7.1f MiB   rss peak %7.1f MiB\n", name,
           seconds(d.wall), seconds(d.cpu), (double)cuzk_alloc_get_stats().bytes_peak / (1 << 20),
           (double)cuzk_clock_peak_rss() / (1 << 20));
}

static void term(cuzk_builder *b, cuzk_matrix_id m, cuzk_var v, bool minus)
{
    const cuzk_coef one = CUZK_COEF_ONE;
    cuzk_builder_term(b, m, v, minus ? cuzk_builder_coef_neg(b, one) : one);
}

/* Row k is the bit row (1 - w) w = 0, or w = u (v + last bit) with the last two full wires u, v. */
static bool is_bit_row(const options *o, uint64_t k)
{
    return k % 100 < o->bits;
}

static cuzk_circuit *build(const options *o)
{
    const uint64_t rows = ((uint64_t)1 << o->lg) - 2;
    cuzk_builder *b = NULL;
    cuzk_circuit *c = NULL;
    cuzk_err err;
    if (cuzk_builder_create(&b, &err) != CUZK_OK) {
        fail("circuit", &err);
    }
    cuzk_var u = cuzk_builder_input(b), v = u, bit = CUZK_VAR_ONE;
    for (uint64_t k = 0; k < rows; k++) {
        if (is_bit_row(o, k)) {
            bit = cuzk_builder_bit(b);
            term(b, CUZK_MATRIX_A, CUZK_VAR_ONE, false);
            term(b, CUZK_MATRIX_A, bit, true);
            term(b, CUZK_MATRIX_B, bit, false);
        } else {
            const cuzk_var w = cuzk_builder_full(b);
            term(b, CUZK_MATRIX_A, u, false);
            term(b, CUZK_MATRIX_B, v, false);
            term(b, CUZK_MATRIX_B, bit, false);
            term(b, CUZK_MATRIX_C, w, false);
            v = u;
            u = w;
        }
        cuzk_builder_row(b);
    }
    if (cuzk_builder_finish(b, &c, &err) != CUZK_OK) {
        fail("circuit", &err);
    }
    cuzk_builder_destroy(b);
    return c;
}

static cuzk_witness *fill(const options *o, const cuzk_circuit *c)
{
    cuzk_witness *w = NULL;
    cuzk_err err;
    cuzk_fr u, v, bit = CUZK_FR_ONE;
    uint64_t n_bits = 0, n_fulls = 0, x = 88172645463325252u;
    if (cuzk_witness_create(&w, c, &err) != CUZK_OK) {
        fail("witness", &err);
    }
    cuzk_fr_from_u64(&w->inputs[1], 0x123456789abcdefu);
    cuzk_fr_sqr(&w->inputs[1], &w->inputs[1]);
    u = v = w->inputs[1];
    for (uint64_t k = 0; k < c->n_rows; k++) {
        if (is_bit_row(o, k)) {
            x ^= x << 13; /* xorshift64 */
            x ^= x >> 7;
            x ^= x << 17;
            w->bits[n_bits / 64] |= (x & 1) << (n_bits % 64);
            n_bits++;
            cuzk_fr_from_u64(&bit, x & 1);
        } else {
            cuzk_fr t;
            cuzk_fr_add(&t, &v, &bit);
            cuzk_fr_mul(&t, &t, &u);
            v = u;
            u = t;
            w->fulls[n_fulls++] = t;
        }
    }
    return w;
}

static void verify(const cuzk_srs *srs, const cuzk_witness *w, const cuzk_proof *proof)
{
    const size_t n = cuzk_srs_vk_bytes(srs);
    uint8_t bytes[192], input[32], *key = cuzk_alloc(n, 1);
    cuzk_vk *vk = NULL;
    if (key == NULL) {
        exit(1);
    }
    cuzk_srs_write_vk(srs, key);
    cuzk_proof_encode(bytes, proof);
    cuzk_fr_to_bytes_le(input, &w->inputs[1]);
    if (cuzk_vk_read(&vk, key, n) != CUZK_VERIFY_OK ||
        cuzk_verify(vk, bytes, sizeof(bytes), input, 1) != CUZK_VERIFY_OK) {
        (void)fprintf(stderr, "bench_prove: the proof does not verify\n");
        exit(1);
    }
    cuzk_vk_destroy(vk);
    cuzk_free(key);
}

static void print_times(const cuzk_prove_times *t)
{
    printf("         eval %.3f  ntt %.3f  h %.3f  l %.3f  a %.3f  b_g1 %.3f  b_g2 %.3f  "
           "decode %.3f  select %.3f  assemble %.3f\n",
           seconds(t->eval_ns), seconds(t->ntt_ns), seconds(t->msm_h_ns), seconds(t->msm_l_ns),
           seconds(t->msm_a_ns), seconds(t->msm_b_g1_ns), seconds(t->msm_b_g2_ns),
           seconds(t->decode_ns), seconds(t->select_ns), seconds(t->assemble_ns));
}

static void bench(const options *o, cuzk_pool *pool)
{
    cuzk_err err;
    cuzk_toxic x;
    cuzk_srs *srs = NULL;
    const cuzk_setup_opts replace = {.replace = true};
    step s = step_begin();
    cuzk_circuit *c = build(o);
    print_step("circuit", step_end(s));
    s = step_begin();
    cuzk_witness *w = fill(o, c);
    print_step("witness", step_end(s));
    cuzk_toxic_from_seed(&x, 1);
    s = step_begin();
    if (cuzk_setup_write(c, &x, o->params, NULL, &replace, pool, NULL, &err) != CUZK_OK) {
        fail("setup", &err);
    }
    print_step("setup", step_end(s));
    s = step_begin();
    if (cuzk_srs_open(&srs, o->params, CUZK_POINT_UNCHECKED, pool, NULL, &err) != CUZK_OK) {
        fail("open", &err);
    }
    print_step("open", step_end(s));
    step best = {UINT64_MAX, UINT64_MAX};
    cuzk_prove_times best_times = {0};
    for (unsigned i = 0; i < o->repeat; i++) {
        cuzk_prove_times t;
        cuzk_proof proof;
        const cuzk_prove_opts opts = {.times = &t};
        s = step_begin();
        if (cuzk_prove(&proof, w, srs, &opts, pool, NULL, &err) != CUZK_OK) {
            fail("prove", &err);
        }
        s = step_end(s);
        if (s.wall < best.wall) {
            best = s;
            best_times = t;
        }
        verify(srs, w, &proof);
    }
    print_step("prove", best);
    print_times(&best_times);
    cuzk_srs_close(srs);
    cuzk_witness_destroy(w);
    cuzk_circuit_destroy(c);
    if (!o->keep) {
        (void)unlink(o->params);
    }
}

static bool number(const char *arg, const char *name, unsigned most, unsigned *out)
{
    const size_t n = strlen(name);
    char *end;
    if (strncmp(arg, name, n) != 0) {
        return false;
    }
    const unsigned long v = strtoul(arg + n, &end, 10);
    if (end == arg + n || *end != '\0' || v > most) {
        (void)fprintf(stderr, "bench_prove: bad number: %s\n", arg);
        exit(2);
    }
    *out = (unsigned)v;
    return true;
}

int main(int argc, char **argv)
{
    options o = {20, 50, 0, 3, "cuzk_bench_prove.params", false};
    cuzk_pool *pool = NULL;
    cuzk_err err;
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--params=", 9) == 0) {
            o.params = argv[i] + 9;
        } else if (strcmp(argv[i], "--keep") == 0) {
            o.keep = true;
        } else if (!number(argv[i], "--lg=", 26, &o.lg) &&
                   !number(argv[i], "--bits=", 100, &o.bits) &&
                   !number(argv[i], "--threads=", 1024, &o.threads) &&
                   !number(argv[i], "--repeat=", 1000, &o.repeat)) {
            (void)fprintf(stderr, "bench_prove: unknown argument: %s\n", argv[i]);
            return 2;
        }
    }
    if (o.lg < 3 || o.repeat == 0) {
        (void)fprintf(stderr, "bench_prove: lg is at least 3, repeat at least 1\n");
        return 2;
    }
    const cuzk_pool_cfg cfg = {.n_threads = o.threads};
    if (cuzk_pool_create(&pool, &cfg, &err) != CUZK_OK) {
        fail("threads", &err);
    }
    printf("2^%u rows, %u %% bits, %u threads\n", o.lg, o.bits, cuzk_pool_threads(pool));
    bench(&o, pool);
    cuzk_pool_destroy(pool);
    return 0;
}
