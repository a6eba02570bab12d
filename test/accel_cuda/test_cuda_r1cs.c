/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Evaluation, check and sections on the device against the host. */
#include <string.h>

#include "accel/cuda/r1cs/r1cs.h"
#include "accel/cuda/section/section.h"
#include "base/alloc.h"
#include "r1cs/random_circuit.h"

#include "cuda_instance.h"
#include "cuda_test.h"

#define MIB ((uint64_t)1 << 20)

/* A, B and C of w, with and without padding. */
static void compare_eval(const cuda_instance *t)
{
    cuzk_err err;
    const uint64_t rows = cuzk_circuit_prover_rows(t->c);
    const uint64_t n = rows + 1 + test_below(100);
    cuzk_fr *want = cuda_host(n * sizeof(*want)), *got = cuda_host(n * sizeof(*got));
    memset(got, 0x5a, n * sizeof(*got));
    void *d = cuda_upload(t->q, got, n * sizeof(*got));
    for (unsigned m = 0; m < 3; m++) {
        for (unsigned pad = 0; pad < 2; pad++) {
            const uint64_t k = pad != 0 ? n : rows;
            CHECK_OK(cuzk_r1cs_eval(want, k, t->w, (cuzk_matrix_id)m, NULL, NULL, &err), &err);
            CHECK_OK(cuzk_cuda_eval(t->dc, t->q, t->d_witness, (cuzk_matrix_id)m, d, k, &err),
                     &err);
            CHECK_OK(cuzk_cuda_download(t->q, got, d, k * sizeof(*got), &err), &err);
            for (uint64_t i = 0; i < k; i++) {
                CHECK_MSG(memcmp(&got[i], &want[i], sizeof(*got)) == 0,
                          "matrix %u, row %llu of %llu + %llu", m, (unsigned long long)i,
                          (unsigned long long)t->c->n_rows, (unsigned long long)t->c->n_inputs);
            }
        }
    }
    CHECK_STATUS(cuzk_cuda_eval(t->dc, t->q, t->d_witness, CUZK_MATRIX_A, d, rows - 1, &err),
                 CUZK_E_INVALID);
    cuzk_cuda_free(t->q, d);
    cuzk_free(want);
    cuzk_free(got);
}

/* The lowest bad row, the host's if there is one. */
static uint64_t compare_check(const cuda_instance *t)
{
    cuzk_err err;
    uint64_t want = UINT64_MAX, got = 0;
    void *d = cuda_upload(t->q, &got, sizeof(got));
    const cuzk_status st = cuzk_r1cs_check(t->w, &want, NULL, NULL, &err);
    CHECK(st == CUZK_OK || st == CUZK_E_UNSATISFIED);
    CHECK_OK(cuzk_cuda_eval_check(t->dc, t->q, t->d_witness, d, &err), &err);
    CHECK_OK(cuzk_cuda_download(t->q, &got, d, sizeof(got), &err), &err);
    CHECK_U64(got, want);
    cuzk_cuda_free(t->q, d);
    return got;
}

/* Wire of each point of a section, and whether its class is bit. */
typedef struct section_want {
    uint64_t n, n_bits;
    cuzk_wire *wire;
    bool *is_bit;
} section_want;

static bool bit_of(const uint64_t *map, uint64_t i)
{
    return (map[i / 64] >> (i % 64) & 1) != 0;
}

static section_want want_of(const cuzk_circuit *c, cuzk_srs_section wires, bool all_wires)
{
    section_want s = {0, 0, NULL, NULL};
    s.wire = cuda_host((c->n_inputs + c->n_aux) * sizeof(*s.wire));
    s.is_bit = cuda_host((c->n_inputs + c->n_aux) * sizeof(*s.is_bit));
    for (uint32_t i = 0; i < c->n_inputs && wires != CUZK_SRS_L; i++) {
        if (all_wires || wires == CUZK_SRS_A || bit_of(c->b_input_dense, i)) {
            s.wire[s.n] = i;
            s.is_bit[s.n++] = false;
        }
    }
    for (uint32_t i = 0; i < c->n_aux; i++) {
        const bool block = i >= c->preamble.n_aux;
        const cuzk_circuit_part *p = block ? &c->block : &c->preamble;
        const uint64_t k = block ? (i - c->preamble.n_aux) % p->n_aux : i;
        if (all_wires || wires == CUZK_SRS_L ||
            bit_of(wires == CUZK_SRS_A ? p->a_dense : p->b_dense, k)) {
            s.wire[s.n] = CUZK_WIRE_AUX | i;
            s.is_bit[s.n] = !bit_of(p->is_full, k);
            s.n_bits += s.is_bit[s.n];
            s.n++;
        }
    }
    return s;
}

static void compare_gather(const cuda_instance *t, const cuzk_cuda_sections *s,
                           cuzk_srs_section wires, const section_want *want)
{
    cuzk_err err;
    const uint64_t words = (want->n_bits + 63) / 64, n_full = want->n - want->n_bits;
    uint64_t *bits = cuda_host(words * 8), bit = 0, full = 0;
    cuzk_scalar *scalars = cuda_host(n_full * sizeof(*scalars));
    memset(bits, 0xa5, words * 8);
    void *d_bits = cuda_upload(t->q, bits, words * 8);
    void *d_scalars = cuda_upload(t->q, scalars, n_full * sizeof(*scalars));
    CHECK_OK(cuzk_cuda_sections_gather_bits(s, t->q, t->d_witness, wires, d_bits, &err), &err);
    CHECK_OK(cuzk_cuda_sections_gather_fulls(s, t->q, t->d_witness, wires, d_scalars, &err), &err);
    CHECK_OK(cuzk_cuda_download(t->q, bits, d_bits, words * 8, &err), &err);
    CHECK_OK(cuzk_cuda_download(t->q, scalars, d_scalars, n_full * sizeof(*scalars), &err), &err);
    for (uint64_t i = 0; i < want->n; i++) {
        cuzk_fr v;
        cuzk_scalar k;
        cuzk_witness_get(&v, t->w, want->wire[i]);
        cuzk_fr_to_scalar(&k, &v);
        if (want->is_bit[i]) {
            CHECK_U64(bit_of(bits, bit), k.l[0]);
            bit++;
        } else {
            CHECK_MEM(&scalars[full], &k, sizeof(k));
            full++;
        }
    }
    for (; bit < words * 64; bit++) {
        CHECK(!bit_of(bits, bit));
    }
    cuzk_cuda_free(t->q, d_bits);
    cuzk_cuda_free(t->q, d_scalars);
    cuzk_free(bits);
    cuzk_free(scalars);
}

/* Slices of made-up points whose first word is their number. */
static void compare_split(const cuda_instance *t, const cuzk_cuda_sections *s,
                          cuzk_srs_section wires, const section_want *want, bool g2)
{
    cuzk_err err;
    const uint64_t first = test_below(want->n + 1), n = test_below(want->n - first + 1);
    const size_t size = g2 ? sizeof(cuzk_g2_affine) : sizeof(cuzk_g1_affine);
    uint8_t *in = cuda_host(n * size), *bits = cuda_host(n * size), *fulls = cuda_host(n * size);
    uint64_t bit = 0, full = 0, before = 0;
    for (uint64_t i = 0; i < n; i++) {
        memset(in + i * size, (int)(i % 251), size);
        const uint64_t number = first + i;
        memcpy(in + i * size, &number, sizeof(number));
    }
    void *d_in = cuda_upload(t->q, in, n * size);
    void *d_bits = cuda_upload(t->q, in, n * size), *d_fulls = cuda_upload(t->q, in, n * size);
    if (g2) {
        CHECK_OK(cuzk_cuda_sections_split_g2(s, t->q, wires, first, n, d_bits, d_fulls, d_in, &err),
                 &err);
    } else {
        CHECK_OK(cuzk_cuda_sections_split_g1(s, t->q, wires, first, n, d_bits, d_fulls, d_in, &err),
                 &err);
    }
    CHECK_OK(cuzk_cuda_download(t->q, bits, d_bits, n * size, &err), &err);
    CHECK_OK(cuzk_cuda_download(t->q, fulls, d_fulls, n * size, &err), &err);
    for (uint64_t i = 0; i < first; i++) {
        before += want->is_bit[i];
    }
    CHECK_U64(cuzk_cuda_sections_bits_before(s, wires, first), before);
    for (uint64_t i = 0; i < n; i++) {
        const uint8_t *got = want->is_bit[first + i] ? bits + bit++ * size : fulls + full++ * size;
        CHECK_MEM(got, in + i * size, size);
    }
    CHECK_U64(cuzk_cuda_sections_bits_before(s, wires, first + n), before + bit);
    cuzk_cuda_free(t->q, d_in);
    cuzk_cuda_free(t->q, d_bits);
    cuzk_cuda_free(t->q, d_fulls);
    cuzk_free(in);
    cuzk_free(bits);
    cuzk_free(fulls);
}

static void compare_sections(const cuda_instance *t)
{
    cuzk_err err;
    for (unsigned all = 0; all < 2; all++) {
        cuzk_cuda_sections *s = NULL;
        void *d = NULL;
        CHECK_OK(cuzk_cuda_alloc(t->q, &d, cuzk_cuda_sections_bytes(t->c, all != 0), &err), &err);
        CHECK_OK(cuzk_cuda_sections_create(&s, t->q, t->c, all != 0, d, &err), &err);
        for (unsigned i = 0; i < CUZK_SRS_WIRE_SETS; i++) {
            const cuzk_srs_section wires = cuzk_srs_of_wire_set(i);
            section_want want = want_of(t->c, wires, all != 0);
            CHECK_U64(cuzk_cuda_sections_count(s, wires), want.n);
            CHECK_U64(cuzk_cuda_sections_bits(s, wires), want.n_bits);
            CHECK_U64(cuzk_cuda_sections_bits_before(s, wires, want.n), want.n_bits);
            compare_gather(t, s, wires, &want);
            compare_split(t, s, wires, &want, false);
            compare_split(t, s, wires, &want, true);
            CHECK_STATUS(
                cuzk_cuda_sections_split_g1(s, t->q, wires, want.n, 1, NULL, NULL, NULL, &err),
                CUZK_E_INVALID);
            cuzk_free(want.wire);
            cuzk_free(want.is_bit);
        }
        cuzk_cuda_sections_destroy(s);
        cuzk_cuda_free(t->q, d);
    }
}

static void compare_all(const cuda_instance *t)
{
    compare_eval(t);
    compare_sections(t);
}

static void random_shape(const random_cfg *cfg)
{
    random_circuit r;
    cuda_instance t;
    random_circuit_make(&r, cfg);
    cuda_instance_open(&t, r.c, random_circuit_witness(&r));
    compare_all(&t);
    CHECK_U64(compare_check(&t), UINT64_MAX);
    cuda_instance_randomise(&t);
    compare_eval(&t);
    (void)compare_check(&t);
    cuda_instance_close(&t);
    random_circuit_free(&r);
}

/* Sizes around those of warps, groups of rows and blocks; rows of many words. */
static void small_shapes(void)
{
    static const random_cfg shapes[] = {
        {0, {0, 0}, 0, false},     {0, {1, 0}, 3, false},    {0, {31, 0}, 4, true},
        {0, {32, 0}, 4, false},    {0, {33, 0}, 4, false},   {0, {255, 0}, 3, false},
        {0, {256, 0}, 3, true},    {0, {257, 0}, 3, false},  {1, {0, 40}, 5, false},
        {3, {50, 33}, 6, false},   {7, {40, 64}, 12, false}, {5, {1, 1}, 4, false},
        {2, {20, 513}, 2, false},  {4, {30, 0}, 4, false},   {3, {60, 90}, 20, true},
        {40, {10, 17}, 30, false}, {300, {5, 3}, 3, false},  {63, {5, 12}, 20, false},
        {64, {5, 12}, 20, false},  {65, {0, 12}, 40, false}, {97, {3, 9}, 20, true},
    };
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        random_shape(&shapes[i]);
    }
}

/* One shape with rows of every kind: what compute-sanitizer looks at, access by access. */
static void one_shape(void)
{
    static const random_cfg cfg = {3, {20, 33}, 6, false};
    random_shape(&cfg);
}

static void random_shapes(void)
{
    for (size_t i = 0; i < test_iters(12); i++) {
        const random_cfg cfg = {
            test_below(3) == 0 ? 0 : test_below(12),
            {test_below(300), 1 + test_below(600)},
            1 + test_below(24),
            test_below(4) == 0,
        };
        random_shape(&cfg);
    }
}

static void filecoin_kinds(void)
{
    for (unsigned kind = 0; kind < CUZK_CIRCUIT_N_KINDS; kind++) {
        cuda_instance t;
        cuda_instance_filecoin(&t, (cuzk_circuit_kind)kind, 2048);
        compare_all(&t);
        CHECK_U64(compare_check(&t), UINT64_MAX);
        /* One wrong bit, one wrong element: the first row that notices. */
        t.w->bits[t.w->n_bit_words / 2] ^= 1;
        cuda_instance_upload(&t);
        CHECK(compare_check(&t) != UINT64_MAX);
        cuda_instance_randomise(&t);
        compare_eval(&t);
        CHECK(compare_check(&t) != UINT64_MAX);
        cuda_instance_close(&t);
    }
}

static void refusals(void)
{
    cuda_instance t;
    cuzk_err err;
    random_circuit r;
    const random_cfg cfg = {2, {10, 10}, 4, false}, other_cfg = {2, {11, 10}, 4, false};
    random_circuit other;
    random_circuit_make(&r, &cfg);
    random_circuit_make(&other, &other_cfg);
    cuda_instance_open(&t, r.c, random_circuit_witness(&r));
    cuzk_witness *w = random_circuit_witness(&other);
    CHECK_STATUS(cuzk_cuda_witness_upload(t.dc, t.q, t.d_witness, w, NULL, &err), CUZK_E_INVALID);
    cuzk_witness_destroy(w);
    /* Without C. */
    cuzk_cuda_circuit *c = NULL;
    void *d = NULL;
    CHECK(cuzk_cuda_circuit_bytes(r.c, false) < cuzk_cuda_circuit_bytes(r.c, true));
    CHECK_OK(cuzk_cuda_alloc(t.q, &d, cuzk_cuda_circuit_bytes(r.c, false), &err), &err);
    CHECK_OK(cuzk_cuda_circuit_create(&c, t.q, r.c, false, d, &err), &err);
    CHECK_STATUS(cuzk_cuda_eval(c, t.q, t.d_witness, CUZK_MATRIX_C, NULL, 1000, &err),
                 CUZK_E_INVALID);
    CHECK_STATUS(cuzk_cuda_eval_check(c, t.q, t.d_witness, NULL, &err), CUZK_E_INVALID);
    cuzk_cuda_circuit_destroy(c);
    cuzk_cuda_free(t.q, d);
    cuda_instance_close(&t);
    random_circuit_free(&r);
    random_circuit_free(&other);
}

static const cuzk_case cases[] = {CASE(small_shapes), CASE(one_shape), CASE(random_shapes),
                                  CASE(filecoin_kinds), CASE(refusals)};

TEST_MAIN("accel_cuda/r1cs", cases)
