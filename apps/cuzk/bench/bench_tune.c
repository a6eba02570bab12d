/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * cuzk bench tune: measures again how each GPU adds up points faster (affine additions or in XYZZ, and the costs that widths of
 * windows follow from), and stores the result for later starts.
 */
#include <stdio.h>
#include <string.h>

#include "apps/cuzk/app.h"
#include "apps/cuzk/commands.h"
#include "apps/cuzk/device/devices.h"

#if CUZK_HAVE_CUDA
#    include "accel/cuda/cuda_accel.h"
#    include "accel/cuda/msm/msm.h"
#endif

typedef struct bench_tune {
    app a;
    devices dev;
} bench_tune;

static const struct argp_option options[] = {DEVICES_OPTION_DEVICE, DEVICES_OPTION_VRAM, {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    bench_tune *p = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &p->a; return 0;
    case OPT_DEVICE: p->dev.spec = arg; return 0;
    case OPT_VRAM: p->dev.vram = arg; return 0;
    case ARGP_KEY_ARG: argp_error(state, "too many arguments"); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

#if CUZK_HAVE_CUDA
#    define LEAST_LG 16u
#    define MOST_LG  27u
#    define BITS     255u

static const char *additions_of(const cuzk_card_choice *c)
{
    return c->xyzz ? "XYZZ" : c->cached_tree ? "affine, through the cache" : "affine";
}

/* Whether two choices make every sum in the same way. */
static bool is_same(const cuzk_card_choice *a, const cuzk_card_choice *b)
{
    bool same = a->xyzz == b->xyzz && a->cached_tree == b->cached_tree;
    for (unsigned lg = LEAST_LG; lg <= MOST_LG; lg++) {
        same =
            same &&
            cuzk_cuda_msm_width(&a->costs, lg, BITS) == cuzk_cuda_msm_width(&b->costs, lg, BITS) &&
            cuzk_cuda_msm_hex_digits(&a->costs, lg) == cuzk_cuda_msm_hex_digits(&b->costs, lg);
    }
    return same;
}

static const char *kept_as(const cuzk_cuda_choice *c)
{
    if (!c->is_kept) {
        return "not kept: no file can be written";
    }
    return !c->had_before                    ? "kept, for the first time"
           : is_same(&c->before, &c->chosen) ? "kept; sums are made as before"
           : c->before.xyzz != c->chosen.xyzz || c->before.cached_tree != c->chosen.cached_tree
               ? "kept; changed: other additions than before"
               : "kept; changed: other widths than before";
}

static void text_times(app *a, const char *key, const cuzk_card_timing *t, size_t n,
                       const char *unit)
{
    for (size_t i = 0; i < n; i++) {
        char text[96];
        (void)snprintf(text, sizeof(text), "%.2f ms with %u %s, %llu buckets", t[i].ms, t[i].shape,
                       unit, (unsigned long long)t[i].buckets);
        app_text(a, key, text);
    }
}

static void text_cost(app *a, const char *key, uint32_t ps, uint32_t row_ps)
{
    char text[64];
    (void)snprintf(text, sizeof(text), "%u ps (table: %u ps)", ps, row_ps);
    app_text(a, key, text);
}

static void text_fit(app *a, const char *key, const cuzk_card_fit *f)
{
    char text[128];
    if (f->refused == NULL) {
        (void)snprintf(text, sizeof(text), "fitted, at most %.1f %% off", 100 * f->residual);
    } else {
        (void)snprintf(text, sizeof(text), "from the table: %s", f->refused);
    }
    app_text(a, key, text);
}

static void report_text(app *a, const char *device, const cuzk_cuda_choice *c)
{
    const cuzk_card_costs *k = &c->chosen.costs, *row = &c->row;
    char text[128];
    app_text(a, "device", device);
    (void)snprintf(text, sizeof(text),
                   "affine %.2f ms, through the cache %.2f ms, XYZZ %.2f ms: %s", c->affine_ms,
                   c->cached_ms, c->xyzz_ms, additions_of(&c->chosen));
    app_text(a, "additions", text);
    text_times(a, "windows", c->widths, CUZK_CARD_TIMED, "bits");
    text_times(a, "windows", &c->small, c->small.ms > 0 ? 1 : 0, "bits");
    text_times(a, "digits", c->digits, CUZK_CARD_TIMED, "digits");
    text_fit(a, "costs", &c->by_width);
    text_cost(a, "term", k->term_ps, row->term_ps);
    text_cost(a, "term, few to a bucket", k->small_term_ps, row->small_term_ps);
    text_cost(a, "bucket", k->bucket_ps, row->bucket_ps);
    text_fit(a, "costs with digits", &c->by_digits);
    text_cost(a, "term with digits", k->hex_term_ps, row->hex_term_ps);
    text_cost(a, "bucket with digits", k->hex_bucket_ps, row->hex_bucket_ps);
    for (unsigned lg = LEAST_LG; lg <= MOST_LG; lg++) {
        char key[16];
        (void)snprintf(key, sizeof(key), "2^%u terms", lg);
        (void)snprintf(text, sizeof(text), "%u bits (table: %u), %u digits (table: %u)",
                       cuzk_cuda_msm_width(k, lg, BITS), cuzk_cuda_msm_width(row, lg, BITS),
                       cuzk_cuda_msm_hex_digits(k, lg), cuzk_cuda_msm_hex_digits(row, lg));
        app_text(a, key, text);
    }
    (void)snprintf(text, sizeof(text), "%.2f s", c->seconds);
    app_text(a, "measured in", text);
    app_text(a, "choice", kept_as(c));
}

static void json_times(cuzk_jsonw *w, const char *key, const cuzk_card_timing *t, size_t n,
                       const char *shape)
{
    cuzk_jsonw_key(w, key);
    cuzk_jsonw_begin_array(w);
    for (size_t i = 0; i < n; i++) {
        cuzk_jsonw_begin_object(w);
        cuzk_jsonw_put_u64(w, shape, t[i].shape);
        cuzk_jsonw_put_u64(w, "terms", t[i].terms);
        cuzk_jsonw_put_u64(w, "buckets", t[i].buckets);
        cuzk_jsonw_put_f64(w, "ms", t[i].ms);
        cuzk_jsonw_end_object(w);
    }
    cuzk_jsonw_end_array(w);
}

static void json_costs(cuzk_jsonw *w, const char *key, const cuzk_card_costs *k)
{
    cuzk_jsonw_key(w, key);
    cuzk_jsonw_begin_object(w);
    cuzk_jsonw_put_u64(w, "term", k->term_ps);
    cuzk_jsonw_put_u64(w, "small_term", k->small_term_ps);
    cuzk_jsonw_put_u64(w, "bucket", k->bucket_ps);
    cuzk_jsonw_put_u64(w, "hex_term", k->hex_term_ps);
    cuzk_jsonw_put_u64(w, "hex_bucket", k->hex_bucket_ps);
    cuzk_jsonw_end_object(w);
}

static void json_fit(cuzk_jsonw *w, const char *key, const cuzk_card_fit *f)
{
    cuzk_jsonw_key(w, key);
    cuzk_jsonw_begin_object(w);
    cuzk_jsonw_put_bool(w, "fitted", f->refused == NULL);
    cuzk_jsonw_put_f64(w, "residual", f->residual);
    if (f->refused != NULL) {
        cuzk_jsonw_put_str(w, "refused", f->refused);
    }
    cuzk_jsonw_end_object(w);
}

static void report_json(cuzk_jsonw *w, const char *device, const cuzk_cuda_choice *c)
{
    const cuzk_card_costs *k = &c->chosen.costs, *row = &c->row;
    cuzk_jsonw_begin_object(w);
    cuzk_jsonw_put_str(w, "device", device);
    cuzk_jsonw_put_str(w, "additions", additions_of(&c->chosen));
    cuzk_jsonw_put_f64(w, "affine_ms", c->affine_ms);
    cuzk_jsonw_put_f64(w, "xyzz_ms", c->xyzz_ms);
    cuzk_jsonw_put_f64(w, "cached_ms", c->cached_ms);
    json_times(w, "windows", c->widths, CUZK_CARD_TIMED, "bits");
    json_times(w, "small_buckets", &c->small, c->small.ms > 0 ? 1 : 0, "bits");
    json_times(w, "digits", c->digits, CUZK_CARD_TIMED, "digits");
    json_fit(w, "fit", &c->by_width);
    json_fit(w, "hex_fit", &c->by_digits);
    json_costs(w, "costs_ps", k);
    json_costs(w, "table_costs_ps", row);
    cuzk_jsonw_key(w, "sums");
    cuzk_jsonw_begin_array(w);
    for (unsigned lg = LEAST_LG; lg <= MOST_LG; lg++) {
        cuzk_jsonw_begin_object(w);
        cuzk_jsonw_put_u64(w, "lg_terms", lg);
        cuzk_jsonw_put_u64(w, "bits", cuzk_cuda_msm_width(k, lg, BITS));
        cuzk_jsonw_put_u64(w, "table_bits", cuzk_cuda_msm_width(row, lg, BITS));
        cuzk_jsonw_put_u64(w, "digits", cuzk_cuda_msm_hex_digits(k, lg));
        cuzk_jsonw_put_u64(w, "table_digits", cuzk_cuda_msm_hex_digits(row, lg));
        cuzk_jsonw_end_object(w);
    }
    cuzk_jsonw_end_array(w);
    cuzk_jsonw_put_f64(w, "seconds", c->seconds);
    cuzk_jsonw_put_bool(w, "kept", c->is_kept);
    cuzk_jsonw_put_bool(w, "had_choice", c->had_before);
    cuzk_jsonw_put_bool(w, "changed", !c->had_before || !is_same(&c->before, &c->chosen));
    cuzk_jsonw_end_object(w);
}

static cuzk_status measure(app *a, cuzk_accel *dev)
{
    cuzk_cuda_choice c;
    cuzk_accel_props props;
    cuzk_accel_get_props(dev, &props);
    CUZK_TRY(cuzk_accel_cuda_tune(dev, &c, true, &a->err));
    if (a->json) {
        report_json(&a->w, props.name, &c);
    } else {
        report_text(a, props.name, &c);
    }
    return CUZK_OK;
}
#else
static cuzk_status measure(app *a, cuzk_accel *dev)
{
    (void)dev;
    return CUZK_FAIL(&a->err, CUZK_E_UNSUPPORTED, "built without GPU support");
}
#endif

static cuzk_status work(bench_tune *p)
{
    app *a = &p->a;
    cuzk_status st = CUZK_OK;
    CUZK_TRY(devices_open(a, &p->dev));
    if (p->dev.n == 0) {
        return CUZK_FAIL(&a->err, CUZK_E_UNSUPPORTED, "there is no GPU to measure");
    }
    if (a->json) {
        cuzk_jsonw_key(&a->w, "devices");
        cuzk_jsonw_begin_array(&a->w);
    }
    for (size_t i = 0; st == CUZK_OK && i < p->dev.n; i++) {
        st = measure(a, p->dev.list[i]);
    }
    if (a->json) {
        cuzk_jsonw_end_array(&a->w);
    }
    return st;
}

int cmd_bench_tune(int argc, char **argv)
{
    static const struct argp_child children[] = {APP_CHILD, {0}};
    static const struct argp argp = {
        options,
        parse,
        NULL,
        "Measure how sums on each GPU are faster, in two seconds: by affine additions or in XYZZ, and in windows of "
        "which width (a sum of 2^21 terms, in every way). The answer is kept for the GPU and its driver below "
        "~/.cache/cuzk, and later starts take it. On cards that nobody has measured the first start does so by itself.",
        children,
        NULL,
        NULL};
    static bench_tune p;
    app_init(&p.a, argv[0]);
    p.dev.spec = "cuda";
    p.dev.untuned = true;
    (void)argp_parse(&argp, argc, argv, 0, NULL, &p);
    cuzk_status st = app_begin(&p.a);
    if (st == CUZK_OK) {
        st = work(&p);
        devices_close(&p.dev);
    }
    return app_finish(&p.a, st);
}
