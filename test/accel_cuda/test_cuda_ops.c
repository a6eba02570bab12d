/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Every operation of the interface on the GPU and on the CPU device: the same bytes, over empty, odd
 * and full sizes, and values of every shape; workspaces are not overrun.
 */
#include <stdlib.h>
#include <string.h>

#include "accel/cpu/cpu_accel.h"
#include "accel/cuda/cuda_accel.h"
#include "accel/device_pair.h"
#include "groth16/circuits.h"
#include "msm/msm.h"

#include "test.h"

#define MAX_N 5000

typedef struct pair {
    test_device d[2]; /* CPU, GPU */
} pair;

static void pair_begin(pair *p)
{
    cuzk_accel *cpu = NULL, *gpu = NULL;
    cuzk_err err;
    if (cuzk_accel_cuda_count() == 0) {
        cuzk_test_skip("no CUDA device");
    }
    CHECK_OK(cuzk_accel_cpu_open(&cpu, NULL, &err), &err);
    CHECK_OK(cuzk_accel_cuda_open(&gpu, 0, (uint64_t)2 << 30, &err), &err);
    test_device_begin(&p->d[0], cpu);
    test_device_begin(&p->d[1], gpu);
}

static void pair_end(pair *p)
{
    test_device_end(&p->d[0]);
    test_device_end(&p->d[1]);
}

static void random_fr(cuzk_fr *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        test_fr(&v[i]);
    }
}

static void must_run(test_device *d, const cuzk_accel_op *op)
{
    cuzk_err err;
    CHECK_OK(test_device_run(d, op, &err), &err);
}

/* a, b, c random; the output goes to a buffer of its own, or over b where that is allowed. */
static void check_vec(pair *p, cuzk_accel_op_kind kind, size_t n, bool in_place)
{
    cuzk_fr *v[3], *got[2], factor;
    test_fr(&factor);
    for (int i = 0; i < 3; i++) {
        v[i] = malloc((n + 1) * sizeof(cuzk_fr));
        CHECK(v[i] != NULL);
        random_fr(v[i], n);
    }
    for (int i = 0; i < 2; i++) {
        test_device *d = &p->d[i];
        got[i] = malloc((n + 1) * sizeof(cuzk_fr));
        CHECK(got[i] != NULL);
        cuzk_fr *in[3];
        for (int j = 0; j < 3; j++) {
            in[j] = test_device_put(d, v[j], n * sizeof(cuzk_fr));
        }
        cuzk_fr *out = in_place ? in[1] : test_device_put(d, NULL, n * sizeof(cuzk_fr));
        const cuzk_accel_op op = {
            .kind = kind,
            .u.vec = {.d_out = out, .d_a = in[0], .d_b = in[1], .d_c = in[2], .n = n, .k = factor}};
        must_run(d, &op);
        test_device_get(d, got[i], out, n * sizeof(cuzk_fr));
        test_device_clear(d);
    }
    CHECK_MEM(got[1], got[0], n * sizeof(cuzk_fr));
    for (int i = 0; i < 3; i++) {
        free(v[i]);
    }
    free(got[0]);
    free(got[1]);
}

/* To natural order on both sides, and by the definition. */
static void check_reverse(pair *p, unsigned lg)
{
    const size_t n = (size_t)1 << lg;
    cuzk_fr *v = malloc(n * sizeof(*v)), *got = malloc(n * sizeof(*v));
    CHECK(v != NULL && got != NULL);
    random_fr(v, n);
    for (int i = 0; i < 2; i++) {
        test_device *d = &p->d[i];
        cuzk_fr *a = test_device_put(d, v, n * sizeof(*v));
        const cuzk_accel_op op = {.kind = CUZK_ACCEL_OP_REVERSE, .u.vec = {.d_out = a, .n = n}};
        must_run(d, &op);
        test_device_get(d, got, a, n * sizeof(*v));
        test_device_clear(d);
        for (size_t j = 0; j < n; j++) {
            size_t r = 0;
            for (unsigned b = 0; b < lg; b++) {
                r |= (j >> b & 1) << (lg - 1 - b);
            }
            CHECK_MEM(&got[r], &v[j], sizeof(*v));
        }
    }
    free(v);
    free(got);
}

static void reversals(void)
{
    pair p;
    pair_begin(&p);
    for (unsigned lg = 0; lg <= 17; lg++) {
        check_reverse(&p, lg);
    }
    pair_end(&p);
}

static void vectors(void)
{
    static const size_t sizes[] = {0, 1, 2, 3, 255, 256, 257, 1000, 4095, 4096, 4097};
    pair p;
    pair_begin(&p);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (int in_place = 0; in_place < 2; in_place++) {
            check_vec(&p, CUZK_ACCEL_OP_MUL, sizes[i], in_place == 1);
            check_vec(&p, CUZK_ACCEL_OP_RESIDUE, sizes[i], in_place == 1);
            check_vec(&p, CUZK_ACCEL_OP_DIFF, sizes[i], in_place == 1);
        }
    }
    pair_end(&p);
}

static void check_ntt(pair *p, cuzk_accel_op_kind kind, unsigned lg, const cuzk_fr *root,
                      const cuzk_fr *shift)
{
    const size_t n = (size_t)1 << lg;
    cuzk_fr *v = malloc(n * sizeof(*v)), *got[2];
    CHECK(v != NULL);
    random_fr(v, n);
    for (int i = 0; i < 2; i++) {
        test_device *d = &p->d[i];
        cuzk_accel_domain *dom = NULL;
        cuzk_err err;
        got[i] = malloc(n * sizeof(*v));
        CHECK(got[i] != NULL);
        CHECK_OK(cuzk_accel_domain_create(&dom, d->q, lg, root, CUZK_ACCEL_TWIDDLES_FULL, &err),
                 &err);
        cuzk_fr *a = test_device_put(d, v, n * sizeof(*v));
        const cuzk_accel_op op = {.kind = kind,
                                  .u.ntt = {.domain = dom, .d_a = a, .shift = *shift}};
        must_run(d, &op);
        test_device_get(d, got[i], a, n * sizeof(*v));
        test_device_clear(d);
        cuzk_accel_domain_destroy(dom, d->q);
    }
    CHECK_MEM(got[1], got[0], n * sizeof(*v));
    free(v);
    free(got[0]);
    free(got[1]);
}

/* PRODUCT and QUOTIENT, over b as the prover has it or to a buffer of its own. */
static void check_poly(pair *p, unsigned lg, const cuzk_fr *root, bool in_place)
{
    const size_t n = (size_t)1 << lg, bytes = n * sizeof(cuzk_fr);
    cuzk_fr *v[2], k, shift = CUZK_FR_GENERATOR;
    cuzk_scalar *got[2][2], *c = malloc(bytes);
    test_fr(&k);
    random_fr(v[0] = malloc(bytes), n);
    random_fr(v[1] = malloc(bytes), n);
    for (int i = 0; i < 2; i++) {
        test_device *d = &p->d[i];
        cuzk_accel_domain *dom = NULL;
        cuzk_err err;
        CHECK_OK(cuzk_accel_domain_create(&dom, d->q, lg, root, CUZK_ACCEL_TWIDDLES_FULL, &err),
                 &err);
        for (int quotient = 0; quotient < 2; quotient++) {
            cuzk_fr *a = test_device_put(d, v[0], bytes), *b = test_device_put(d, v[1], bytes);
            cuzk_scalar *out = in_place ? (cuzk_scalar *)b : test_device_put(d, NULL, bytes);
            const cuzk_accel_op op = {
                .kind = quotient ? CUZK_ACCEL_OP_QUOTIENT : CUZK_ACCEL_OP_PRODUCT,
                .u.poly = {.domain = dom,
                           .d_out = out,
                           .d_a = a,
                           .d_b = b,
                           .d_c = quotient ? test_device_put(d, c, bytes) : NULL,
                           .shift = shift,
                           .k = k}};
            must_run(d, &op);
            got[i][quotient] = malloc(bytes);
            test_device_get(d, got[i][quotient], out, bytes);
            if (!quotient && i == 0) {
                memcpy(c, got[0][0], bytes);
                for (size_t j = 0; j < n; j += 3) { /* not only differences of close values */
                    memset(&c[j], 0, sizeof(c[j]));
                }
            }
        }
        test_device_clear(d);
        cuzk_accel_domain_destroy(dom, d->q);
    }
    for (int quotient = 0; quotient < 2; quotient++) {
        CHECK_MEM(got[1][quotient], got[0][quotient], bytes);
        free(got[0][quotient]);
        free(got[1][quotient]);
    }
    free(v[0]);
    free(v[1]);
    free(c);
}

static void transforms(void)
{
    pair p;
    pair_begin(&p);
    for (unsigned lg = 0; lg <= 13; lg++) {
        const cuzk_fr *root = lg % 2 == 0 ? NULL : &CUZK_FR_ROOT_2_32_SNARKJS;
        check_ntt(&p, CUZK_ACCEL_OP_INTT, lg, root, &CUZK_FR_ONE);
        check_ntt(&p, CUZK_ACCEL_OP_INTT, lg, root, &CUZK_FR_GENERATOR);
        check_ntt(&p, CUZK_ACCEL_OP_TO_COSET, lg, root, &CUZK_FR_GENERATOR);
        check_ntt(&p, CUZK_ACCEL_OP_TO_COSET, lg, root, &CUZK_FR_ONE);
        check_poly(&p, lg, root, false);
        check_poly(&p, lg, root, true);
    }
    pair_end(&p);
}

static void three_passes(void)
{
    pair p;
    pair_begin(&p);
    for (unsigned lg = 19; lg <= 20; lg++) {
        check_ntt(&p, CUZK_ACCEL_OP_TO_COSET, lg, NULL, &CUZK_FR_GENERATOR);
        check_poly(&p, lg, NULL, true);
    }
    pair_end(&p);
}

typedef enum shape {
    RANDOM, /* edge-biased scalars; bits at random */
    NONE,   /* zero */
    ALL,    /* one; all bits */
    EQUAL,  /* one big scalar; equal bases */
    SPARSE, /* one in 50 */
    CANCEL, /* pairs that cancel: the sum is infinity */
    SHAPES
} shape;

typedef struct terms {
    cuzk_g1_affine g1[MAX_N];
    cuzk_g2_affine g2[MAX_N];
    cuzk_scalar k[MAX_N];
    uint64_t bits[MAX_N / 64 + 1];
} terms;

static void bases(terms *t)
{
    cuzk_err err;
    for (size_t i = 0; i < MAX_N; i++) {
        cuzk_fr v;
        test_fr(&v); /* some are 0: infinity among the bases */
        cuzk_fr_to_scalar(&t->k[i], &v);
    }
    CHECK_OK(cuzk_fixed_base_g1(t->g1, &CUZK_G1_GENERATOR, t->k, MAX_N, NULL, NULL, &err), &err);
    CHECK_OK(cuzk_fixed_base_g2(t->g2, &CUZK_G2_GENERATOR, t->k, MAX_N, NULL, NULL, &err), &err);
}

static void values(terms *t, shape s)
{
    const cuzk_scalar zero = {{0}}, one = {{1}};
    cuzk_fr v;
    test_fr(&v);
    memset(t->bits, 0, sizeof(t->bits));
    for (size_t i = 0; i < MAX_N; i++) {
        const bool keep = s == ALL || s == EQUAL || s == CANCEL ||
                          (s == RANDOM && test_below(2) == 0) ||
                          (s == SPARSE && test_below(50) == 0);
        if (s != EQUAL && !(s == CANCEL && i % 2 == 1)) {
            test_fr(&v);
        }
        cuzk_fr_to_scalar(&t->k[i], &v);
        if (s == NONE || (s == SPARSE && !keep)) {
            t->k[i] = zero;
        } else if (s == ALL) {
            t->k[i] = one;
        }
        t->bits[i / 64] |= (uint64_t)keep << (i % 64);
        if (i > 0 && s == EQUAL) {
            t->g1[i] = t->g1[0];
            t->g2[i] = t->g2[0];
        } else if (i % 2 == 1 && s == CANCEL) {
            t->g1[i] = t->g1[i - 1];
            t->g2[i] = t->g2[i - 1];
            cuzk_fp_neg(&t->g1[i].y, &t->g1[i].y);
            cuzk_fp2_neg(&t->g2[i].y, &t->g2[i].y);
        }
    }
}

/* Images of the first n bases of G1, and what they are. */
static const void *put_images(test_device *d, const void *d_bases, uint8_t *out, size_t n)
{
    enum { SIZE = 96 };
    const cuzk_accel_op op = {
        .kind = CUZK_ACCEL_OP_IMAGES_G1,
        .u.images = {.d_points = d_bases, .d_images = test_device_put(d, NULL, n * SIZE), .n = n}};
    must_run(d, &op);
    test_device_get(d, out, op.u.images.d_images, n * SIZE);
    return op.u.images.d_images;
}

static void check_sum(pair *p, const terms *t, cuzk_accel_op_kind kind, size_t n, bool with_images)
{
    const bool g2 = kind == CUZK_ACCEL_OP_MSM_G2 || kind == CUZK_ACCEL_OP_BITS_G2;
    const bool bits = kind == CUZK_ACCEL_OP_BITS_G1 || kind == CUZK_ACCEL_OP_BITS_G2;
    cuzk_accel_sum sum[2];
    uint8_t *images[2] = {NULL, NULL};
    uint64_t last[MAX_N / 64 + 1];
    memcpy(last, t->bits, sizeof(last));
    if (n % 64 != 0) { /* unused bits of the last word are 0 */
        last[n / 64] &= ((uint64_t)1 << (n % 64)) - 1;
    }
    for (int i = 0; i < 2; i++) {
        test_device *d = &p->d[i];
        const void *b = g2 ? (const void *)t->g2 : (const void *)t->g1;
        cuzk_accel_op op = {.kind = kind};
        op.u.msm.d_bases =
            test_device_put(d, b, n * (g2 ? sizeof(cuzk_g2_affine) : sizeof(cuzk_g1_affine)));
        if (with_images) {
            images[i] = malloc(n * 96 + 1);
            CHECK(images[i] != NULL);
            op.u.msm.images = true;
            op.u.msm.d_images = put_images(d, op.u.msm.d_bases, images[i], n);
        }
        if (bits) {
            op.u.msm.d_bits = test_device_put(d, last, (n + 63) / 64 * 8);
        } else {
            op.u.msm.d_scalars = test_device_put(d, t->k, n * sizeof(cuzk_scalar));
        }
        op.u.msm.n = n;
        op.u.msm.sum = &sum[i];
        must_run(d, &op);
        test_device_clear(d);
        CHECK(sum[i].is_g2 == g2);
    }
    if (with_images) {
        CHECK_MEM(images[1], images[0], n * 96);
        free(images[0]);
        free(images[1]);
    }
    if (g2) {
        cuzk_g2_affine a, b;
        cuzk_g2_to_affine(&a, &sum[0].v.g2);
        cuzk_g2_to_affine(&b, &sum[1].v.g2);
        CHECK_MEM(&b, &a, sizeof(a));
    } else {
        cuzk_g1_affine a, b;
        cuzk_g1_to_affine(&a, &sum[0].v.g1);
        cuzk_g1_to_affine(&b, &sum[1].v.g1);
        CHECK_MEM(&b, &a, sizeof(a));
    }
}

static void sums(void)
{
    static const size_t sizes[] = {0,   1,   2,   3,   31,   32,   33,   63,   64,   65,   127,
                                   128, 129, 255, 257, 1000, 1023, 1024, 1025, 2048, MAX_N};
    static const cuzk_accel_op_kind kinds[] = {CUZK_ACCEL_OP_MSM_G1, CUZK_ACCEL_OP_MSM_G2,
                                               CUZK_ACCEL_OP_BITS_G1, CUZK_ACCEL_OP_BITS_G2};
    pair p;
    terms *t = malloc(sizeof(*t));
    CHECK(t != NULL);
    pair_begin(&p);
    for (int s = 0; s < SHAPES; s++) {
        bases(t);
        values(t, (shape)s);
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            for (size_t k = 0; k < 4; k++) {
                check_sum(&p, t, kinds[k], sizes[i], false);
            }
            check_sum(&p, t, CUZK_ACCEL_OP_MSM_G1, sizes[i], true);
        }
    }
    pair_end(&p);
    free(t);
}

/* A comb is the same on both devices, and so is what is summed from it. */
static void check_comb(pair *p, const terms *t, bool g2, size_t n, unsigned teeth)
{
    const size_t bytes = g2 ? sizeof(cuzk_g2_affine) : sizeof(cuzk_g1_affine);
    const size_t room = cuzk_accel_comb_points(n, teeth) * bytes;
    const size_t first = cuzk_accel_comb_first(n, teeth) * bytes;
    uint8_t *points = calloc(room + 1, 1), *got[2];
    cuzk_accel_sum sum[2];
    CHECK(points != NULL);
    memcpy(points + first, g2 ? (const void *)t->g2 : (const void *)t->g1, n * bytes);
    for (int i = 0; i < 2; i++) {
        test_device *d = &p->d[i];
        got[i] = malloc(room + 1);
        CHECK(got[i] != NULL);
        void *d_comb = test_device_put(d, points, room);
        const cuzk_accel_op make = {.kind = g2 ? CUZK_ACCEL_OP_COMB_G2 : CUZK_ACCEL_OP_COMB_G1,
                                    .u.comb = {.d_points = d_comb, .n = n, .teeth = teeth}};
        must_run(d, &make);
        test_device_get(d, got[i], d_comb, room);
        const cuzk_accel_op op = {
            .kind = g2 ? CUZK_ACCEL_OP_SIGNS_G2 : CUZK_ACCEL_OP_SIGNS_G1,
            .u.msm = {.d_bases = d_comb,
                      .d_bits = test_device_put(d, t->bits, (n + 63) / 64 * 8),
                      .n = n,
                      .teeth = teeth,
                      .sum = &sum[i]}};
        must_run(d, &op);
        test_device_clear(d);
    }
    CHECK_MEM(got[1], got[0], room);
    CHECK(sum[1].is_g2 == g2);
    CHECK(g2 ? cuzk_g2_eq(&sum[1].v.g2, &sum[0].v.g2) : cuzk_g1_eq(&sum[1].v.g1, &sum[0].v.g1));
    free(points);
    free(got[0]);
    free(got[1]);
}

static void combs(void)
{
    static const size_t sizes[] = {0, 1, 2, 3, 4, 5, 63, 64, 65, 191, 192, 193, 1000, MAX_N};
    pair p;
    terms *t = malloc(sizeof(*t));
    CHECK(t != NULL);
    pair_begin(&p);
    for (int s = 0; s < SHAPES; s++) {
        bases(t);
        values(t, (shape)s);
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            for (unsigned teeth = CUZK_ACCEL_MIN_TEETH; teeth <= CUZK_ACCEL_MAX_TEETH; teeth++) {
                check_comb(&p, t, false, sizes[i], teeth);
                check_comb(&p, t, true, sizes[i], teeth);
            }
        }
    }
    pair_end(&p);
    free(t);
}

/* What both devices make of a circuit and a witness. */
typedef struct outputs {
    cuzk_fr *eval[3]; /* A, B, their product */
    uint64_t *bits[3];
    cuzk_scalar *scalars[3];
    cuzk_accel_split split[3];
    uint64_t slots[3][2]; /* in the middle of a section */
} outputs;

static void run_circuit(test_device *d, const test_instance *t, bool all_wires, size_t n_out,
                        outputs *o)
{
    cuzk_accel_circuit *c = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_accel_circuit_create(&c, d->q, t->c, all_wires, &err), &err);
    void *w = test_device_put(d, NULL, cuzk_accel_witness_bytes(c));
    const cuzk_accel_op up = {.kind = CUZK_ACCEL_OP_WITNESS,
                              .u.witness = {.circuit = c, .d_out = w, .w = t->w}};
    must_run(d, &up);
    for (int m = 0; m < 3; m++) {
        cuzk_fr *out = test_device_put(d, NULL, n_out * sizeof(cuzk_fr));
        cuzk_accel_op op = {.kind = CUZK_ACCEL_OP_EVAL,
                            .u.eval = {.circuit = c,
                                       .d_witness = w,
                                       .d_out = out,
                                       .n_out = n_out,
                                       .matrix = m == 1 ? CUZK_MATRIX_B : CUZK_MATRIX_A}};
        must_run(d, &op);
        if (m == 2) {
            op.kind = CUZK_ACCEL_OP_EVAL_TIMES;
            op.u.eval.matrix = CUZK_MATRIX_B;
            must_run(d, &op);
        }
        o->eval[m] = malloc(n_out * sizeof(cuzk_fr));
        CHECK(o->eval[m] != NULL);
        test_device_get(d, o->eval[m], out, n_out * sizeof(cuzk_fr));
    }
    for (unsigned s = 0; s < CUZK_SRS_WIRE_SETS; s++) {
        cuzk_accel_section_split(c, cuzk_srs_of_wire_set(s), &o->split[s]);
        cuzk_accel_section_slots(c, cuzk_srs_of_wire_set(s), o->split[s].n_points / 2,
                                 &o->slots[s][0], &o->slots[s][1]);
        const size_t nb = (o->split[s].n_bits + 63) / 64 * 8;
        const size_t nf = o->split[s].n_fulls * sizeof(cuzk_scalar);
        cuzk_accel_op op = {.kind = CUZK_ACCEL_OP_SECTION,
                            .u.section = {.circuit = c,
                                          .d_witness = w,
                                          .section = cuzk_srs_of_wire_set(s),
                                          .d_bits = test_device_put(d, NULL, nb),
                                          .d_scalars = test_device_put(d, NULL, nf)}};
        must_run(d, &op);
        o->bits[s] = malloc(nb + 1);
        o->scalars[s] = malloc(nf + 1);
        CHECK(o->bits[s] != NULL && o->scalars[s] != NULL);
        test_device_get(d, o->bits[s], op.u.section.d_bits, nb);
        test_device_get(d, o->scalars[s], op.u.section.d_scalars, nf);
    }
    test_device_clear(d);
    cuzk_accel_circuit_destroy(c, d->q);
}

static void compare_outputs(outputs *a, outputs *b, size_t n_out)
{
    for (int m = 0; m < 3; m++) {
        CHECK_MEM(b->eval[m], a->eval[m], n_out * sizeof(cuzk_fr));
        free(a->eval[m]);
        free(b->eval[m]);
    }
    for (int s = 0; s < 3; s++) {
        CHECK_MEM(&b->split[s], &a->split[s], sizeof(a->split[s]));
        CHECK_MEM(b->slots[s], a->slots[s], sizeof(a->slots[s]));
        CHECK_MEM(b->bits[s], a->bits[s], (a->split[s].n_bits + 63) / 64 * 8);
        CHECK_MEM(b->scalars[s], a->scalars[s], a->split[s].n_fulls * sizeof(cuzk_scalar));
        free(a->bits[s]);
        free(b->bits[s]);
        free(a->scalars[s]);
        free(b->scalars[s]);
    }
}

static void circuits(void)
{
    pair p;
    pair_begin(&p);
    for (size_t i = 0; i < test_iters(20); i++) {
        test_instance t = i % 2 == 0 ? test_circuit_random(test_below(2000), 1 + test_below(9))
                                     : test_circuit_blocks(test_below(100));
        const size_t n_out = (size_t)cuzk_circuit_prover_rows(t.c) + test_below(300);
        outputs o[2];
        run_circuit(&p.d[0], &t, i % 3 == 0, n_out, &o[0]);
        run_circuit(&p.d[1], &t, i % 3 == 0, n_out, &o[1]);
        compare_outputs(&o[0], &o[1], n_out);
        test_instance_destroy(&t);
    }
    pair_end(&p);
}

static void check_decode(pair *p, const uint8_t *in, size_t n, bool g2, cuzk_point_check check)
{
    const size_t size = g2 ? 192 : 96;
    cuzk_status st[2];
    uint8_t *got[2];
    cuzk_err err[2];
    for (int i = 0; i < 2; i++) {
        test_device *d = &p->d[i];
        const cuzk_accel_op op = {.kind = g2 ? CUZK_ACCEL_OP_DECODE_G2 : CUZK_ACCEL_OP_DECODE_G1,
                                  .u.decode = {.d_out = test_device_put(d, NULL, n * size),
                                               .d_in = test_device_put(d, in, n * size),
                                               .n = n,
                                               .check = check,
                                               .what = "a",
                                               .first = 1000}};
        st[i] = test_device_run(d, &op, &err[i]);
        got[i] = malloc(n * size + 1);
        CHECK(got[i] != NULL);
        test_device_get(d, got[i], op.u.decode.d_out, n * size);
        test_device_clear(d);
    }
    CHECK_STATUS(st[1], st[0]);
    if (st[0] == CUZK_OK) {
        CHECK_MEM(got[1], got[0], n * size);
    } else { /* both name the same point */
        const char *a = strstr(err[0].msg, "point "), *b = strstr(err[1].msg, "point ");
        CHECK(a != NULL && b != NULL);
        CHECK_U64(strtoull(b + 6, NULL, 10), strtoull(a + 6, NULL, 10));
    }
    free(got[0]);
    free(got[1]);
}

static void points(void)
{
    enum { N = 300 };
    pair p;
    terms *t = malloc(sizeof(*t));
    uint8_t *in = malloc((size_t)N * 192);
    CHECK(t != NULL && in != NULL);
    pair_begin(&p);
    bases(t);
    for (size_t i = 0; i < test_iters(40); i++) {
        const bool g2 = i % 2 == 1;
        const size_t size = g2 ? 192 : 96, n = test_below(N + 1);
        for (size_t k = 0; k < n; k++) {
            const size_t at = test_below(MAX_N);
            const bool infinity = g2 ? cuzk_g2_affine_is_infinity(&t->g2[at])
                                     : cuzk_g1_affine_is_infinity(&t->g1[at]);
            if (g2) {
                cuzk_g2_encode_uncompressed(in + k * size,
                                            infinity ? &CUZK_G2_GENERATOR : &t->g2[at]);
            } else {
                cuzk_g1_encode_uncompressed(in + k * size,
                                            infinity ? &CUZK_G1_GENERATOR : &t->g1[at]);
            }
        }
        if (n > 0 && i % 4 >= 2) { /* a flipped bit: another encoding, or off the curve */
            in[test_below(n * size)] ^= (uint8_t)(1u << test_below(8));
        }
        check_decode(&p, in, n, g2, (cuzk_point_check)(i % 3));
    }
    pair_end(&p);
    free(t);
    free(in);
}

static const cuzk_case cases[] = {CASE(vectors),      CASE(reversals), CASE(transforms),
                                  CASE(three_passes), CASE(sums),      CASE(combs),
                                  CASE(circuits),     CASE(points)};
TEST_MAIN("accel_cuda/ops", cases)
