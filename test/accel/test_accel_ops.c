/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The CPU device's operations against the definitions, and the rules of the interface on the mock. */
#include <string.h>

#include "accel/cpu/cpu_accel.h"
#include "accel/mock/mock_accel.h"
#include "base/alloc.h"
#include "ec/endo.h"
#include "groth16/circuits.h"

#include "test.h"

static cuzk_accel *open_cpu(void)
{
    cuzk_accel *dev = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_accel_cpu_open(&dev, NULL, &err), &err);
    return dev;
}

static cuzk_accel_queue *open_queue(cuzk_accel *dev)
{
    cuzk_accel_queue *q = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_accel_queue_create(&q, dev, &err), &err);
    return q;
}

static void run(cuzk_accel_queue *q, const cuzk_accel_op *op)
{
    cuzk_err err;
    CHECK_OK(cuzk_accel_enqueue(q, op, NULL, 0, &err), &err);
    CHECK_OK(cuzk_accel_sync(q, &err), &err);
}

/* Wires of a section in the order of its points, straight from the definition. */
static size_t section_wires(cuzk_wire *out, bool *is_full, const cuzk_circuit *c,
                            cuzk_srs_section s, bool all)
{
    size_t n = 0;
    uint64_t aux = 0;
    for (uint32_t i = 0; s != CUZK_SRS_L && i < c->n_inputs; i++) {
        const bool dense = (c->b_input_dense[i / 64] >> (i % 64) & 1) != 0;
        if (all || s == CUZK_SRS_A || dense) {
            is_full[n] = true;
            out[n++] = i;
        }
    }
    for (uint64_t k = 0; k <= c->n_blocks; k++) {
        const cuzk_circuit_part *p = k == 0 ? &c->preamble : &c->block;
        for (uint64_t i = 0; i < p->n_aux; i++, aux++) {
            const uint64_t *d = s == CUZK_SRS_A ? p->a_dense : p->b_dense;
            if (all || s == CUZK_SRS_L || (d[i / 64] >> (i % 64) & 1) != 0) {
                is_full[n] = (p->is_full[i / 64] >> (i % 64) & 1) != 0;
                out[n++] = (cuzk_wire)aux | CUZK_WIRE_AUX;
            }
        }
    }
    return n;
}

typedef struct section_check {
    cuzk_accel_queue *q;
    const test_instance *t;
    cuzk_accel_circuit *c;
    const void *d_witness;
    cuzk_wire *wires;
    bool *is_full;
} section_check;

static void check_values(const section_check *k, cuzk_srs_section s, size_t n)
{
    cuzk_accel_split split;
    cuzk_accel_section_split(k->c, s, &split);
    CHECK_U64(split.n_points, n);
    uint64_t *bits = cuzk_alloc_zero(split.n_bits / 64 + 1, 8);
    cuzk_scalar *scalars = cuzk_alloc_zero(split.n_fulls + 1, sizeof(*scalars));
    const cuzk_accel_op op = {.kind = CUZK_ACCEL_OP_SECTION,
                              .u.section = {.circuit = k->c,
                                            .d_witness = k->d_witness,
                                            .section = s,
                                            .d_bits = bits,
                                            .d_scalars = scalars}};
    run(k->q, &op);
    size_t bit = 0, full = 0;
    for (size_t i = 0; i < n; i++) {
        cuzk_fr v, got;
        uint64_t b, f;
        cuzk_accel_section_slots(k->c, s, i, &b, &f);
        CHECK_U64(b, bit);
        CHECK_U64(f, full);
        cuzk_witness_get(&v, k->t->w, k->wires[i]);
        if (k->is_full[i]) {
            cuzk_fr_from_scalar(&got, &scalars[full++]);
            CHECK(cuzk_fr_eq(&got, &v));
        } else {
            const bool one = (bits[bit / 64] >> (bit % 64) & 1) != 0;
            CHECK(one ? cuzk_fr_is_one(&v) : cuzk_fr_is_zero(&v));
            bit++;
        }
    }
    CHECK_U64(bit, split.n_bits);
    CHECK_U64(full, split.n_fulls);
    cuzk_free(bits);
    cuzk_free(scalars);
}

/* Points carry their number in x; whatever the parts, each ends in its slot. */
static void check_split(const section_check *k, cuzk_srs_section s, size_t n)
{
    cuzk_g1_affine *points = cuzk_alloc_zero(n + 1, sizeof(*points));
    cuzk_g1_affine *bits = cuzk_alloc_zero(n + 1, sizeof(*points));
    cuzk_g1_affine *fulls = cuzk_alloc_zero(n + 1, sizeof(*points));
    for (size_t i = 0; i < n; i++) {
        memcpy(&points[i].x, &i, sizeof(i));
    }
    for (size_t at = 0; at < n;) {
        const size_t left = n - at;
        const size_t m = 1 + test_below(left);
        cuzk_accel_op op = {
            .kind = CUZK_ACCEL_OP_SPLIT_G1,
            .u.split = {
                .circuit = k->c, .section = s, .d_points = points + at, .first = at, .n = m}};
        uint64_t b, f;
        cuzk_accel_section_slots(k->c, s, at, &b, &f);
        op.u.split.bit_slot = b;
        op.u.split.full_slot = f;
        op.u.split.d_bits = bits + b;
        op.u.split.d_fulls = fulls + f;
        run(k->q, &op);
        at += m;
    }
    size_t bit = 0, full = 0;
    for (size_t i = 0; i < n; i++) {
        const cuzk_g1_affine *p = k->is_full[i] ? &fulls[full++] : &bits[bit++];
        CHECK_MEM(p, &points[i], sizeof(*p));
    }
    cuzk_free(points);
    cuzk_free(bits);
    cuzk_free(fulls);
}

static void check_sections(const test_instance *t, bool all_wires)
{
    cuzk_accel *dev = open_cpu();
    cuzk_accel_queue *q = open_queue(dev);
    section_check k = {.q = q, .t = t};
    cuzk_err err;
    const size_t wires = t->c->n_inputs + t->c->n_aux;
    CHECK_OK(cuzk_accel_circuit_create(&k.c, q, t->c, all_wires, &err), &err);
    void *w = cuzk_alloc(cuzk_accel_witness_bytes(k.c), 1);
    const cuzk_accel_op up = {.kind = CUZK_ACCEL_OP_WITNESS,
                              .u.witness = {.circuit = k.c, .d_out = w, .w = t->w}};
    run(q, &up);
    k.d_witness = w;
    k.wires = cuzk_alloc(wires, sizeof(*k.wires));
    k.is_full = cuzk_alloc(wires, sizeof(*k.is_full));
    for (int i = CUZK_SRS_L; i <= CUZK_SRS_B_G2; i++) {
        const cuzk_srs_section s = (cuzk_srs_section)i;
        const size_t n = section_wires(k.wires, k.is_full, t->c, s, all_wires);
        check_values(&k, s, n);
        check_split(&k, s, n);
    }
    cuzk_free(w);
    cuzk_free(k.wires);
    cuzk_free(k.is_full);
    cuzk_accel_circuit_destroy(k.c, q);
    cuzk_accel_queue_destroy(q);
    cuzk_accel_close(dev);
}

static void sections(void)
{
    for (size_t i = 0; i < test_iters(10); i++) {
        test_instance t = i % 2 == 0 ? test_circuit_random(1 + test_below(300), 1 + test_below(5))
                                     : test_circuit_blocks(test_below(40));
        check_sections(&t, i % 3 == 0);
        test_instance_destroy(&t);
    }
}

/* sum coefficients[j] x^j, coefficient j at the place with its lg bits reversed if rev. */
static void evaluate(cuzk_fr *out, const cuzk_scalar *s, unsigned lg, const cuzk_fr *x, bool rev)
{
    const size_t n = (size_t)1 << lg;
    *out = CUZK_FR_ZERO;
    for (size_t j = n; j-- > 0;) {
        size_t at = 0;
        cuzk_fr c;
        cuzk_scalar back;
        for (unsigned b = 0; b < lg; b++) {
            at |= (j >> b & 1) << (lg - 1 - b);
        }
        cuzk_fr_from_scalar(&c, &s[rev ? at : j]);
        cuzk_fr_to_scalar(&back, &c);
        CHECK_MEM(&back, &s[rev ? at : j], sizeof(back)); /* an integer < r */
        cuzk_fr_mul(out, out, x);
        cuzk_fr_add(out, out, &c);
    }
}

/* PRODUCT and QUOTIENT by their definition: the polynomials have the values that they must have. */
static void products_of_polynomials(void)
{
    enum { LG = 5, N = 1 << LG };
    cuzk_accel *dev = open_cpu();
    cuzk_accel_queue *q = open_queue(dev);
    cuzk_err err;
    for (unsigned lg = 0; lg <= LG; lg++) {
        const size_t n = (size_t)1 << lg;
        cuzk_accel_domain *dom = NULL;
        cuzk_fr a[N], b[N], k, w, x = CUZK_FR_ONE, gx = CUZK_FR_GENERATOR;
        cuzk_scalar c[N], h[N];
        CHECK_OK(cuzk_accel_domain_create(&dom, q, lg, NULL, CUZK_ACCEL_TWIDDLES_FULL, &err), &err);
        cuzk_fr_root_of_unity(&w, &CUZK_FR_ROOT_2_32, lg);
        test_fr(&k);
        for (size_t i = 0; i < n; i++) {
            test_fr(&a[i]);
            test_fr(&b[i]);
        }
        cuzk_accel_op op = {.kind = CUZK_ACCEL_OP_PRODUCT,
                            .u.poly = {.domain = dom,
                                       .d_out = c,
                                       .d_a = a,
                                       .d_b = b,
                                       .d_c = c,
                                       .shift = CUZK_FR_GENERATOR,
                                       .k = k}};
        run(q, &op);
        op.kind = CUZK_ACCEL_OP_QUOTIENT;
        op.u.poly.d_out = h;
        cuzk_fr a_copy[N];
        memcpy(a_copy, a, sizeof(a_copy));
        run(q, &op);
        for (size_t i = 0; i < n; i++) {
            cuzk_fr want, got, minus;
            cuzk_fr_mul(&want, &a_copy[i], &b[i]);
            cuzk_fr_mul(&want, &want, &k);
            evaluate(&got, c, lg, &x, true);
            CHECK(cuzk_fr_eq(&got, &want)); /* c on the domain: k a b */
            evaluate(&got, h, lg, &gx, false);
            evaluate(&minus, c, lg, &gx, true);
            cuzk_fr_add(&got, &got, &minus);
            CHECK(cuzk_fr_eq(&got, &want)); /* h + c on the coset: k a b */
            cuzk_fr_mul(&x, &x, &w);
            cuzk_fr_mul(&gx, &gx, &w);
        }
        cuzk_accel_domain_destroy(dom, q);
    }
    cuzk_accel_queue_destroy(q);
    cuzk_accel_close(dev);
}

static void decode_names_the_point(void)
{
    cuzk_accel *dev = open_cpu();
    cuzk_accel_queue *q = open_queue(dev);
    cuzk_err err;
    uint8_t in[3][96];
    cuzk_g1_affine out[3], zero = CUZK_G1_GENERATOR;
    memset(&zero, 0, sizeof(zero));
    for (size_t i = 0; i < 3; i++) {
        cuzk_g1_encode_uncompressed(in[i], &CUZK_G1_GENERATOR);
    }
    cuzk_accel_op op = {.kind = CUZK_ACCEL_OP_DECODE_G1,
                        .u.decode = {.d_out = out,
                                     .d_in = in[0],
                                     .n = 3,
                                     .check = CUZK_POINT_ON_CURVE,
                                     .what = "l",
                                     .first = 100}};
    run(q, &op);
    CHECK_MEM(&out[2], &CUZK_G1_GENERATOR, sizeof(out[2]));
    in[1][95] ^= 1;
    CHECK_OK(cuzk_accel_enqueue(q, &op, NULL, 0, &err), &err);
    CHECK_STATUS(cuzk_accel_sync(q, &err), CUZK_E_NOT_ON_CURVE);
    CHECK(strstr(err.msg, "section l, point 101") != NULL);
    cuzk_g1_encode_uncompressed(in[1], &zero);
    CHECK_OK(cuzk_accel_enqueue(q, &op, NULL, 0, &err), &err);
    CHECK_STATUS(cuzk_accel_sync(q, &err), CUZK_E_INFINITY);
    CHECK_OK(cuzk_accel_sync(q, &err), &err); /* told once */
    cuzk_accel_queue_destroy(q);
    cuzk_accel_close(dev);
}

/* What follows a failure in a queue is not done; lost is for good, until it is opened again. */
static void lost_is_sticky(void)
{
    cuzk_accel *dev = NULL;
    cuzk_err err;
    uint8_t a[256], b[256] = {1};
    void *d = NULL;
    cuzk_accel_props props;
    CHECK_OK(cuzk_accel_mock_open(&dev, 7, 4096, NULL, &err), &err);
    cuzk_accel_queue *q = open_queue(dev);
    CHECK_OK(cuzk_accel_alloc(dev, &d, 256, &err), &err);
    CHECK_STATUS(cuzk_accel_alloc(dev, &d, 4096, &err), CUZK_E_DEV_NOMEM);
    cuzk_accel_get_props(dev, &props);
    CHECK_U64(props.memory_total, 4096);
    CHECK_U64(props.memory_free, 4096 - 256);
    CHECK_U64(props.ordinal, 7);
    CHECK(!props.lost);
    const cuzk_accel_op up = {.kind = CUZK_ACCEL_OP_UPLOAD,
                              .u.copy = {.d_dst = d, .src = b, .bytes = 256}};
    const cuzk_accel_op down = {.kind = CUZK_ACCEL_OP_DOWNLOAD,
                                .u.copy = {.d_dst = a, .src = d, .bytes = 256}};
    run(q, &up);
    run(q, &down);
    CHECK_MEM(a, b, 256);
    const cuzk_mock_script refusal = {.fail_at = 1, .fail_with = CUZK_E_DEV_NOMEM};
    cuzk_accel_mock_set(dev, &refusal);
    CHECK_STATUS(cuzk_accel_enqueue(q, &up, NULL, 0, &err), CUZK_E_DEV_NOMEM);
    CHECK(!cuzk_accel_is_lost(dev));
    run(q, &up);
    const cuzk_mock_script loss = {.fail_at = 1, .fail_with = CUZK_E_DEV_LOST, .at_sync = true};
    cuzk_accel_mock_set(dev, &loss);
    CHECK_OK(cuzk_accel_enqueue(q, &up, NULL, 0, &err), &err);
    CHECK(!cuzk_accel_is_lost(dev));
    CHECK_STATUS(cuzk_accel_sync(q, &err), CUZK_E_DEV_LOST);
    CHECK(cuzk_accel_is_lost(dev));
    CHECK_STATUS(cuzk_accel_enqueue(q, &up, NULL, 0, &err), CUZK_E_DEV_LOST);
    CHECK_STATUS(cuzk_accel_sync(q, &err), CUZK_E_DEV_LOST);
    void *other = NULL;
    CHECK_STATUS(cuzk_accel_alloc(dev, &other, 1, &err), CUZK_E_DEV_LOST);
    cuzk_accel_get_props(dev, &props);
    CHECK(props.lost);
    cuzk_accel_free(dev, d);
    cuzk_accel_queue_destroy(q);
    CHECK_U64(cuzk_accel_mock_stats(dev).blocks, 0);
    cuzk_accel_close(dev);
}

static void marks(void)
{
    cuzk_accel *dev = open_cpu();
    cuzk_accel_queue *q = open_queue(dev);
    cuzk_err err;
    uint32_t m = 0;
    uint64_t before = 0, ns = 0;
    CHECK_OK(cuzk_accel_marks_reset(q, &err), &err);
    for (uint32_t i = 0; i < CUZK_ACCEL_MARKS; i++) {
        CHECK_OK(cuzk_accel_mark(q, &m, &err), &err);
        CHECK_U64(m, i);
        CHECK_OK(cuzk_accel_mark_ns(q, m, &ns, &err), &err);
        CHECK(ns >= before);
        before = ns;
    }
    CHECK_STATUS(cuzk_accel_mark(q, &m, &err), CUZK_E_INVALID);
    CHECK_OK(cuzk_accel_marks_reset(q, &err), &err);
    CHECK_STATUS(cuzk_accel_mark_ns(q, 0, &ns, &err), CUZK_E_INVALID);
    CHECK_OK(cuzk_accel_mark(q, &m, &err), &err);
    cuzk_accel_queue_destroy(q);
    cuzk_accel_close(dev);
}

/* Images are the endomorphism once and twice; the CPU asks for none and ignores them. */
static void images(void)
{
    enum { N = 5 };
    cuzk_accel *dev = open_cpu();
    cuzk_accel_queue *q = open_queue(dev);
    cuzk_g1_affine p[N] = {CUZK_G1_GENERATOR};
    cuzk_fp got[2 * N];
    cuzk_accel_sum sum;
    const cuzk_scalar k[N] = {{{3}}, {{1}}, {{1}}, {{1}}, {{1}}};
    for (size_t i = 1; i < N; i++) { /* and infinity last */
        cuzk_g1_affine_neg(&p[i], &p[i - 1]);
    }
    memset(&p[N - 1], 0, sizeof(p[N - 1]));
    CHECK_U64(cuzk_accel_image_bytes(dev, UINT32_MAX), 0);
    const cuzk_accel_op op = {.kind = CUZK_ACCEL_OP_IMAGES_G1,
                              .u.images = {.d_points = p, .d_images = got, .n = N}};
    run(q, &op);
    for (size_t i = 0; i < N; i++) {
        cuzk_g1_affine e, e2;
        cuzk_g1_affine_endo(&e, &p[i]);
        cuzk_g1_affine_endo(&e2, &e);
        CHECK_MEM(&got[2 * i], &e.x, sizeof(e.x));
        CHECK_MEM(&got[2 * i + 1], &e2.x, sizeof(e2.x));
    }
    const cuzk_accel_op msm = {
        .kind = CUZK_ACCEL_OP_MSM_G1,
        .u.msm = {
            .d_bases = p, .d_scalars = k, .n = N, .sum = &sum, .images = true, .d_images = got}};
    run(q, &msm);
    cuzk_g1 want;
    cuzk_g1_from_affine(&want, &p[0]);
    cuzk_g1_dbl(&want, &want); /* 3 - 1 + 1 - 1 */
    CHECK(cuzk_g1_eq(&sum.v.g1, &want));
    cuzk_accel_queue_destroy(q);
    cuzk_accel_close(dev);
}

/* Each class runs its own kernels, and refuses those of a class with larger blocks. */
static void cards_have_limits(void)
{
    static const struct {
        const char *card;
        unsigned shapes; /* whose kernels */
        bool fits;
    } list[] = {{"8.0:40GiB", 80, true},   {"8.0:40GiB", 86, true},  {"8.0:40GiB", 90, false},
                {"8.6:24GiB", 86, true},   {"8.6:24GiB", 80, false}, {"8.9:24GiB", 89, true},
                {"8.9:24GiB", 90, false},  {"9.0:141GiB", 90, true}, {"9.0:141GiB", 89, true},
                {"10.0:180GiB", 90, true}, {"12.0:8GiB", 120, true}, {"12.0:8GiB", 100, false}};
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        cuzk_card card;
        cuzk_err err = {.msg = ""};
        cuzk_accel *dev = NULL;
        cuzk_accel_props props;
        cuzk_accel_sum sum;
        const cuzk_scalar k = {{1}};
        uint8_t ws[8192];
        CHECK_OK(cuzk_card_parse(&card, list[i].card, &err), &err);
        CHECK_OK(cuzk_accel_mock_open_card(
                     &dev, 0, &card, cuzk_card_class_of(list[i].shapes, UINT32_MAX), NULL, &err),
                 &err);
        cuzk_accel_get_props(dev, &props);
        CHECK_STR(props.name, card.klass->example);
        CHECK_U64(props.memory_total, cuzk_card_usable(&card));
        cuzk_accel_queue *q = open_queue(dev);
        const cuzk_accel_op op = {
            .kind = CUZK_ACCEL_OP_MSM_G1,
            .u.msm = {.d_bases = &CUZK_G1_GENERATOR, .d_scalars = &k, .n = 1, .sum = &sum}};
        const cuzk_status st = cuzk_accel_enqueue(q, &op, ws, sizeof(ws), &err);
        CHECK_MSG((st == CUZK_OK) == list[i].fits && (st == CUZK_OK || st == CUZK_E_DEV_UNFIT),
                  "%s, kernels of %u: %s", list[i].card, list[i].shapes, err.msg);
        if (st == CUZK_OK) {
            CHECK_OK(cuzk_accel_sync(q, &err), &err);
            cuzk_g1 want;
            cuzk_g1_from_affine(&want, &CUZK_G1_GENERATOR);
            CHECK(cuzk_g1_eq(&sum.v.g1, &want));
        } else {
            CHECK_MSG(strstr(err.msg, "shared memory") != NULL, "%s", err.msg);
        }
        cuzk_accel_queue_destroy(q);
        cuzk_accel_close(dev);
    }
}

static void no_setup_and_unknown_operations(void)
{
    cuzk_accel *dev = open_cpu();
    cuzk_accel_queue *q = open_queue(dev);
    cuzk_err err;
    cuzk_accel_need need;
    const cuzk_accel_op op = {.kind = CUZK_ACCEL_OPS};
    CHECK_STATUS(cuzk_accel_plan(dev, &op, &need, &err), CUZK_E_UNSUPPORTED);
    CHECK_STATUS(cuzk_accel_enqueue(q, &op, NULL, 0, &err), CUZK_E_UNSUPPORTED);
    CHECK_STATUS(cuzk_accel_setup(q, NULL, NULL, 1024, NULL, NULL, NULL, &err), CUZK_E_UNSUPPORTED);
    CHECK_STR(cuzk_accel_op_name(CUZK_ACCEL_OP_TO_COSET), "to_coset");
    CHECK_STR(cuzk_accel_op_name(CUZK_ACCEL_OP_SPLIT_G2), "split_g2");
    CHECK_STR(cuzk_accel_op_name(CUZK_ACCEL_OP_IMAGES_G1), "images_g1");
    cuzk_accel_queue_destroy(q);
    cuzk_accel_close(dev);
}

/* Points of a comb, some infinity and some alike, at the end of its room. */
static void *comb_room(const void *points, size_t n, size_t bytes, unsigned teeth)
{
    uint8_t *room = cuzk_alloc_zero(cuzk_accel_comb_points(n, teeth) + 1, bytes);
    CHECK(room != NULL);
    memcpy(room + cuzk_accel_comb_first(n, teeth) * bytes, points, n * bytes);
    return room;
}

/* Twice the sum over bits is the sum over signs and that of all points. */
static void check_comb_g1(cuzk_accel_queue *q, const cuzk_g1_affine *points, const uint64_t *bits,
                          size_t n, unsigned teeth)
{
    cuzk_accel_sum sum;
    cuzk_g1 want, all;
    void *room = comb_room(points, n, sizeof(*points), teeth);
    const cuzk_accel_op make = {.kind = CUZK_ACCEL_OP_COMB_G1,
                                .u.comb = {.d_points = room, .n = n, .teeth = teeth}};
    const cuzk_accel_op op = {
        .kind = CUZK_ACCEL_OP_SIGNS_G1,
        .u.msm = {.d_bases = room, .d_bits = bits, .n = n, .teeth = teeth, .sum = &sum}};
    run(q, &make);
    run(q, &op);
    cuzk_g1_set_infinity(&want);
    cuzk_g1_set_infinity(&all);
    for (size_t i = 0; i < n; i++) {
        cuzk_g1_add_affine(&all, &all, &points[i]);
        if ((bits[i / 64] >> (i % 64) & 1) != 0) {
            cuzk_g1_add_affine(&want, &want, &points[i]);
        }
    }
    cuzk_g1_dbl(&want, &want);
    cuzk_g1_add(&all, &all, &sum.v.g1);
    CHECK(!sum.is_g2);
    CHECK(cuzk_g1_eq(&all, &want));
    cuzk_free(room);
}

static void check_comb_g2(cuzk_accel_queue *q, const cuzk_g2_affine *points, const uint64_t *bits,
                          size_t n, unsigned teeth)
{
    cuzk_accel_sum sum;
    cuzk_g2 want, all;
    void *room = comb_room(points, n, sizeof(*points), teeth);
    const cuzk_accel_op make = {.kind = CUZK_ACCEL_OP_COMB_G2,
                                .u.comb = {.d_points = room, .n = n, .teeth = teeth}};
    const cuzk_accel_op op = {
        .kind = CUZK_ACCEL_OP_SIGNS_G2,
        .u.msm = {.d_bases = room, .d_bits = bits, .n = n, .teeth = teeth, .sum = &sum}};
    run(q, &make);
    run(q, &op);
    cuzk_g2_set_infinity(&want);
    cuzk_g2_set_infinity(&all);
    for (size_t i = 0; i < n; i++) {
        cuzk_g2_add_affine(&all, &all, &points[i]);
        if ((bits[i / 64] >> (i % 64) & 1) != 0) {
            cuzk_g2_add_affine(&want, &want, &points[i]);
        }
    }
    cuzk_g2_dbl(&want, &want);
    cuzk_g2_add(&all, &all, &sum.v.g2);
    CHECK(sum.is_g2);
    CHECK(cuzk_g2_eq(&all, &want));
    cuzk_free(room);
}

static void combs(void)
{
    enum { MOST = 200 };
    static cuzk_g1_affine g1[MOST];
    static cuzk_g2_affine g2[MOST];
    cuzk_accel *dev = open_cpu();
    cuzk_accel_queue *q = open_queue(dev);
    cuzk_err err;
    cuzk_g1 p1;
    cuzk_g2 p2;
    cuzk_g1_from_affine(&p1, &CUZK_G1_GENERATOR);
    cuzk_g2_from_affine(&p2, &CUZK_G2_GENERATOR);
    for (size_t i = 0; i < MOST; i++) {
        if (i % 7 != 3) { /* else the same point again */
            cuzk_g1_dbl(&p1, &p1);
            cuzk_g2_dbl(&p2, &p2);
        }
        cuzk_g1_to_affine(&g1[i], &p1);
        cuzk_g2_to_affine(&g2[i], &p2);
        if (i % 11 == 5) {
            memset(&g1[i], 0, sizeof(g1[i]));
            memset(&g2[i], 0, sizeof(g2[i]));
        }
    }
    for (size_t i = 0; i < test_iters(40); i++) {
        const size_t n = i < 10 ? i : test_below(MOST + 1);
        const unsigned teeth = i % 2 == 0 ? 3 : 4;
        uint64_t bits[MOST / 64 + 1];
        for (size_t k = 0; k <= MOST / 64; k++) {
            bits[k] = i % 5 == 3 ? 0 : i % 5 == 4 ? ~(uint64_t)0 : test_u64();
        }
        check_comb_g1(q, g1, bits, n, teeth);
        check_comb_g2(q, g2, bits, n, teeth);
    }
    const cuzk_accel_op wrong = {.kind = CUZK_ACCEL_OP_COMB_G1,
                                 .u.comb = {.d_points = g1, .n = 1, .teeth = 5}};
    CHECK_OK(cuzk_accel_enqueue(q, &wrong, NULL, 0, &err), &err);
    CHECK_STATUS(cuzk_accel_sync(q, &err), CUZK_E_INVALID);
    CHECK_STR(cuzk_accel_op_name(CUZK_ACCEL_OP_COMB_G2), "comb_g2");
    cuzk_accel_queue_destroy(q);
    cuzk_accel_close(dev);
}

/* What a copy finds in a block that another queue writes: waits: whether the writer waits for the copy before. */
static uint64_t copied_word(cuzk_mock_order order, bool waits)
{
    cuzk_accel *dev = NULL;
    cuzk_accel_queue *work = NULL, *copy = NULL;
    cuzk_err err;
    void *d_block = NULL, *d_to = NULL;
    const uint64_t old = 1, fresh = 2;
    uint64_t got = 0;
    const cuzk_mock_script script = {.order = order};
    CHECK_OK(cuzk_accel_mock_open(&dev, 0, 4096, NULL, &err), &err);
    cuzk_accel_mock_set(dev, &script);
    CHECK_OK(cuzk_accel_queue_create(&work, dev, &err), &err);
    CHECK_OK(cuzk_accel_queue_create(&copy, dev, &err), &err);
    CHECK_OK(cuzk_accel_alloc(dev, &d_block, 8, &err), &err);
    CHECK_OK(cuzk_accel_alloc(dev, &d_to, 8, &err), &err);
    cuzk_accel_op up = {.kind = CUZK_ACCEL_OP_UPLOAD,
                        .u.copy = {.d_dst = d_block, .src = &old, .bytes = 8}};
    CHECK_OK(cuzk_accel_enqueue(copy, &up, NULL, 0, &err), &err);
    CHECK_OK(cuzk_accel_sync(copy, &err), &err);
    const cuzk_accel_op take = {.kind = CUZK_ACCEL_OP_COPY,
                                .u.copy = {.d_dst = d_to, .src = d_block, .bytes = 8}};
    CHECK_OK(cuzk_accel_enqueue(work, &take, NULL, 0, &err), &err);
    if (waits) {
        CHECK_OK(cuzk_accel_wait(copy, work, &err), &err);
    }
    up.u.copy.src = &fresh;
    CHECK_OK(cuzk_accel_enqueue(copy, &up, NULL, 0, &err), &err);
    CHECK_OK(cuzk_accel_sync(copy, &err), &err);
    const cuzk_accel_op down = {.kind = CUZK_ACCEL_OP_DOWNLOAD,
                                .u.copy = {.d_dst = &got, .src = d_to, .bytes = 8}};
    CHECK_OK(cuzk_accel_enqueue(work, &down, NULL, 0, &err), &err);
    CHECK_OK(cuzk_accel_sync(work, &err), &err);
    cuzk_accel_free(dev, d_block);
    cuzk_accel_free(dev, d_to);
    cuzk_accel_queue_destroy(work);
    cuzk_accel_queue_destroy(copy);
    cuzk_accel_close(dev);
    return got;
}

/* Late work meets what came too early, unless that waited for it. */
static void late_work(void)
{
    CHECK_U64(copied_word(CUZK_MOCK_AT_ONCE, false), 1);
    CHECK_U64(copied_word(CUZK_MOCK_LATE_WORK, false), 2);
    CHECK_U64(copied_word(CUZK_MOCK_LATE_WORK, true), 1);
    CHECK_U64(copied_word(CUZK_MOCK_LATE_COPIES, false), 1);
}

static const cuzk_case cases[] = {CASE(combs),
                                  CASE(late_work),
                                  CASE(sections),
                                  CASE(products_of_polynomials),
                                  CASE(decode_names_the_point),
                                  CASE(lost_is_sticky),
                                  CASE(marks),
                                  CASE(images),
                                  CASE(cards_have_limits),
                                  CASE(no_setup_and_unknown_operations)};
TEST_MAIN("accel/ops", cases)
