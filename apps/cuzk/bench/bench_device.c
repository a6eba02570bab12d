/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "bench_device.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "report/stats.h"

enum { LG_POINTS = 16, MAX_SAMPLES = 64 };

typedef struct device_bench {
    bench_opts *b;
    const bench_device_opts *o;
    cuzk_accel *dev;
    cuzk_accel_queue *q;
    cuzk_accel_domain *domain;
    const char *kind;
    unsigned lg;
    void *d_scalars; /* [2^lg] below 2^254; as bits, half of them set */
    void *d_vec;     /* [2^lg] */
    void *d_g1;      /* [2^lg], or NULL */
    void *d_g2;      /* [2^(lg - 1)], or NULL */
    void *d_ws;
    uint64_t ws_bytes;
} device_bench;

static bool is_wanted(const device_bench *d, const char *name)
{
    bool wanted = d->o->n_match == 0;
    for (size_t i = 0; i < d->o->n_match; i++) {
        wanted = wanted || strstr(name, d->o->match[i]) != NULL;
    }
    return wanted;
}

static cuzk_status workspace(device_bench *d, const cuzk_accel_op *op, cuzk_err *err)
{
    cuzk_accel_need need;
    CUZK_TRY(cuzk_accel_plan(d->dev, op, &need, err));
    if (need.device_bytes > d->ws_bytes) {
        cuzk_accel_free(d->dev, d->d_ws);
        d->d_ws = NULL;
        d->ws_bytes = 0;
        CUZK_TRY(cuzk_accel_alloc(d->dev, &d->d_ws, need.device_bytes, err));
        d->ws_bytes = need.device_bytes;
    }
    return CUZK_OK;
}

static cuzk_status run_op(device_bench *d, const cuzk_accel_op *op, double *ns, cuzk_err *err)
{
    uint32_t m[2];
    uint64_t t[2];
    CUZK_TRY(cuzk_accel_marks_reset(d->q, err));
    CUZK_TRY(cuzk_accel_mark(d->q, &m[0], err));
    CUZK_TRY(cuzk_accel_enqueue(d->q, op, d->d_ws, d->ws_bytes, err));
    CUZK_TRY(cuzk_accel_mark(d->q, &m[1], err));
    CUZK_TRY(cuzk_accel_sync(d->q, err));
    for (int i = 0; i < 2; i++) {
        CUZK_TRY(cuzk_accel_mark_ns(d->q, m[i], &t[i], err));
    }
    *ns = (double)(t[1] - t[0]);
    return CUZK_OK;
}

/* One to warm up, then the samples. */
static cuzk_status measure(device_bench *d, const cuzk_accel_op *op, const char *unit, double units,
                           unsigned lg)
{
    char name[CUZK_METRIC_NAME_BYTES], per[16];
    double v[MAX_SAMPLES], ns = 0;
    cuzk_err *err = &d->b->a.err;
    (void)snprintf(name, sizeof(name), "accel/%s/%s/lg_n=%u", cuzk_accel_op_name(op->kind), d->kind,
                   lg);
    if (!is_wanted(d, name)) {
        return CUZK_OK;
    }
    cuzk_status st = workspace(d, op, err);
    if (st == CUZK_E_DEV_NOMEM || st == CUZK_E_UNSUPPORTED) {
        app_note(&d->b->a, "%s: left out: %s", name, err->msg);
        return CUZK_OK;
    }
    CUZK_TRY(st);
    CUZK_TRY(run_op(d, op, &ns, err));
    (void)snprintf(per, sizeof(per), "ns/%s", unit);
    const unsigned n = d->o->samples < MAX_SAMPLES ? d->o->samples : MAX_SAMPLES;
    for (unsigned i = 0; i < n; i++) {
        CUZK_TRY(run_op(d, op, &ns, err));
        v[i] = ns / units;
        cuzk_result_add(&d->b->r, cuzk_result_metric(&d->b->r, name, per, CUZK_ROLE_OTHER), v[i]);
    }
    if (!d->b->a.json) {
        const double median = cuzk_stats_median(v, n);
        (void)printf("%-44s %12.4f %12.4f %12.4f ns/%-10s %.4g ms\n", name, v[0], median, v[n - 1],
                     unit, median * units * 1e-6);
        (void)fflush(stdout);
    }
    return CUZK_OK;
}

static cuzk_status upload(device_bench *d, void *d_dst, const void *src, uint64_t bytes,
                          cuzk_err *err)
{
    const cuzk_accel_op op = {.kind = CUZK_ACCEL_OP_UPLOAD,
                              .u.copy = {.d_dst = d_dst, .src = src, .bytes = bytes}};
    CUZK_TRY(cuzk_accel_enqueue(d->q, &op, NULL, 0, err));
    return cuzk_accel_sync(d->q, err);
}

/* Doubles what is at the front until all of it is filled. */
static cuzk_status repeat(device_bench *d, void *d_p, uint64_t have, uint64_t all, cuzk_err *err)
{
    while (have < all) {
        const uint64_t n = have < all - have ? have : all - have;
        const cuzk_accel_op op = {
            .kind = CUZK_ACCEL_OP_COPY,
            .u.copy = {.d_dst = (uint8_t *)d_p + have, .src = d_p, .bytes = n}};
        CUZK_TRY(cuzk_accel_enqueue(d->q, &op, NULL, 0, err));
        have += n;
    }
    return cuzk_accel_sync(d->q, err);
}

static cuzk_status fill_scalars(device_bench *d, cuzk_err *err)
{
    const size_t all = (size_t)1 << d->lg, n = all < 1u << 20 ? all : 1u << 20;
    cuzk_scalar *s = cuzk_alloc(n, sizeof(*s));
    uint64_t x = 0x9e3779b97f4a7c15u;
    if (s == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for %zu scalars", n);
    }
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < 4; k++) { /* xorshift64 */
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            s[i].l[k] = k == 3 ? x >> 2 : x;
        }
    }
    cuzk_status st = upload(d, d->d_scalars, s, n * sizeof(*s), err);
    cuzk_free(s);
    CUZK_TRY(st);
    CUZK_TRY(repeat(d, d->d_scalars, n * sizeof(*s), all * sizeof(*s), err));
    const cuzk_accel_op op = {
        .kind = CUZK_ACCEL_OP_COPY,
        .u.copy = {.d_dst = d->d_vec, .src = d->d_scalars, .bytes = all * sizeof(*s)}};
    CUZK_TRY(cuzk_accel_enqueue(d->q, &op, NULL, 0, err));
    return cuzk_accel_sync(d->q, err);
}

#define FILL_POINTS(g, BYTES)                                                                   \
    static cuzk_status fill_##g(device_bench *d, void *d_points, uint64_t all, cuzk_err *err)   \
    {                                                                                           \
        const size_t n = all < (uint64_t)1 << LG_POINTS ? (size_t)all : (size_t)1 << LG_POINTS; \
        cuzk_##g##_affine *p = cuzk_alloc(n, sizeof(*p));                                       \
        cuzk_##g at;                                                                            \
        if (p == NULL) {                                                                        \
            return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for %zu points", n);                 \
        }                                                                                       \
        cuzk_##g##_from_affine(&at, &BYTES);                                                    \
        for (size_t i = 0; i < n; i++) {                                                        \
            cuzk_##g##_to_affine(&p[i], &at);                                                   \
            cuzk_##g##_dbl(&at, &at);                                                           \
        }                                                                                       \
        cuzk_status st = upload(d, d_points, p, n * sizeof(*p), err);                           \
        cuzk_free(p);                                                                           \
        return st == CUZK_OK ? repeat(d, d_points, n * sizeof(*p), all * sizeof(*p), err) : st; \
    }
FILL_POINTS(g1, CUZK_G1_GENERATOR)
FILL_POINTS(g2, CUZK_G2_GENERATOR)

static cuzk_status vectors(device_bench *d)
{
    const uint64_t n = (uint64_t)1 << d->lg;
    const double butterflies = (double)d->lg * (double)n / 2;
    cuzk_accel_op op = {.kind = CUZK_ACCEL_OP_INTT,
                        .u.ntt = {.domain = d->domain, .d_a = d->d_vec, .shift = CUZK_FR_ONE}};
    CUZK_TRY(measure(d, &op, "butterfly", butterflies, d->lg));
    op.kind = CUZK_ACCEL_OP_TO_COSET;
    op.u.ntt.shift = CUZK_FR_GENERATOR;
    CUZK_TRY(measure(d, &op, "butterfly", 2 * butterflies, d->lg));
    const cuzk_accel_op mul = {
        .kind = CUZK_ACCEL_OP_MUL,
        .u.vec = {.d_out = d->d_vec, .d_a = d->d_vec, .d_b = d->d_scalars, .n = n}};
    CUZK_TRY(measure(d, &mul, "element", (double)n, d->lg));
    cuzk_accel_op poly = {.kind = CUZK_ACCEL_OP_PRODUCT,
                          .u.poly = {.domain = d->domain,
                                     .d_out = d->d_scalars,
                                     .d_a = d->d_vec,
                                     .d_b = (const cuzk_fr *)(const void *)d->d_scalars,
                                     .d_c = d->d_scalars,
                                     .shift = CUZK_FR_GENERATOR,
                                     .k = CUZK_FR_ONE}};
    return measure(d, &poly, "butterfly", butterflies, d->lg);
}

static cuzk_status sums(device_bench *d)
{
    cuzk_accel_sum sum;
    memset(&sum, 0, sizeof(sum));
    for (int g2 = 0; g2 < 2; g2++) {
        const unsigned lg = d->lg - (unsigned)g2; /* half as many of the larger points */
        const uint64_t n = (uint64_t)1 << lg;
        cuzk_accel_op op = {.kind = g2 ? CUZK_ACCEL_OP_MSM_G2 : CUZK_ACCEL_OP_MSM_G1,
                            .u.msm = {.d_bases = g2 ? d->d_g2 : d->d_g1,
                                      .d_scalars = d->d_scalars,
                                      .d_bits = d->d_scalars,
                                      .n = n,
                                      .sum = &sum}};
        if (op.u.msm.d_bases == NULL) {
            continue;
        }
        CUZK_TRY(measure(d, &op, "point", (double)n, lg));
        op.kind = g2 ? CUZK_ACCEL_OP_BITS_G2 : CUZK_ACCEL_OP_BITS_G1;
        CUZK_TRY(measure(d, &op, "point", (double)n, lg));
    }
    return CUZK_OK;
}

static void release(device_bench *d)
{
    cuzk_accel_domain_destroy(d->domain, d->q);
    cuzk_accel_free(d->dev, d->d_scalars);
    cuzk_accel_free(d->dev, d->d_vec);
    cuzk_accel_free(d->dev, d->d_g1);
    cuzk_accel_free(d->dev, d->d_g2);
    cuzk_accel_free(d->dev, d->d_ws);
    d->domain = NULL;
    d->d_scalars = d->d_vec = d->d_g1 = d->d_g2 = d->d_ws = NULL;
    d->ws_bytes = 0;
}

static cuzk_status prepare(device_bench *d, cuzk_err *err)
{
    const uint64_t n = (uint64_t)1 << d->lg;
    CUZK_TRY(cuzk_accel_alloc(d->dev, &d->d_scalars, n * sizeof(cuzk_scalar), err));
    CUZK_TRY(cuzk_accel_alloc(d->dev, &d->d_vec, n * sizeof(cuzk_fr), err));
    CUZK_TRY(
        cuzk_accel_domain_create(&d->domain, d->q, d->lg, NULL, CUZK_ACCEL_TWIDDLES_FULL, err));
    CUZK_TRY(fill_scalars(d, err));
    CUZK_TRY(cuzk_accel_alloc(d->dev, &d->d_g1, n * sizeof(cuzk_g1_affine), err));
    CUZK_TRY(fill_g1(d, d->d_g1, n, err));
    CUZK_TRY(cuzk_accel_alloc(d->dev, &d->d_g2, n / 2 * sizeof(cuzk_g2_affine), err));
    return fill_g2(d, d->d_g2, n / 2, err);
}

cuzk_status bench_device_run(bench_opts *b, cuzk_accel *dev, const bench_device_opts *o)
{
    static const char *const kinds[] = {"cpu", "cuda", "mock"};
    cuzk_accel_props props;
    device_bench d = {.b = b, .o = o, .dev = dev};
    cuzk_status st = CUZK_OK;
    cuzk_accel_get_props(dev, &props);
    d.kind = kinds[props.kind];
    cuzk_result_fact(&b->r, "device", "%s", props.name);
    CUZK_TRY(cuzk_accel_queue_create(&d.q, dev, &b->a.err));
    for (unsigned i = 0; st == CUZK_OK && i < o->n_lg; i++) {
        d.lg = o->lg[i];
        st = prepare(&d, &b->a.err);
        if (st == CUZK_E_DEV_NOMEM) {
            app_note(&b->a, "lg_n=%u: left out: %s", d.lg, b->a.err.msg);
            st = CUZK_OK;
        } else if (st == CUZK_OK) {
            st = vectors(&d);
            st = st == CUZK_OK ? sums(&d) : st;
        }
        release(&d);
        if (st == CUZK_OK && cuzk_cancel_requested(b->a.cancel)) {
            st = CUZK_FAIL(&b->a.err, CUZK_E_CANCELLED, "interrupted");
        }
    }
    cuzk_accel_queue_destroy(d.q);
    return st;
}
