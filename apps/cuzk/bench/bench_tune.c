/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * cuzk bench tune: measures again which kind of point addition is faster on each GPU, and stores the result for later
 * starts.
 */
#include <stdio.h>

#include "apps/cuzk/app.h"
#include "apps/cuzk/commands.h"
#include "apps/cuzk/device/devices.h"

#if CUZK_HAVE_CUDA
#    include "accel/cuda/cuda_accel.h"
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

static cuzk_status work(bench_tune *p)
{
    app *a = &p->a;
    CUZK_TRY(devices_open(a, &p->dev));
    if (p->dev.n == 0) {
        return CUZK_FAIL(&a->err, CUZK_E_UNSUPPORTED, "there is no GPU to measure");
    }
#if CUZK_HAVE_CUDA
    for (size_t i = 0; i < p->dev.n; i++) {
        cuzk_cuda_choice c;
        cuzk_accel_props props;
        char text[128];
        cuzk_accel_get_props(p->dev.list[i], &props);
        CUZK_TRY(cuzk_accel_cuda_tune(p->dev.list[i], &c, true, &a->err));
        (void)snprintf(text, sizeof(text), "affine %.2f ms, XYZZ %.2f ms: %s", c.affine_ms,
                       c.xyzz_ms, c.xyzz ? "XYZZ" : "affine");
        app_text(a, i == 0 ? "device" : "device_more", props.name);
        app_text(a, i == 0 ? "additions" : "additions_more", text);
    }
#endif
    return CUZK_OK;
}

int cmd_bench_tune(int argc, char **argv)
{
    static const struct argp_child children[] = {APP_CHILD, {0}};
    static const struct argp argp = {
        options,
        parse,
        NULL,
        "Measure whether sums on each GPU are faster by affine additions or in XYZZ (a sum of 2^21 "
        "terms, both ways), and keep the answer for the GPU and its driver below ~/.cache/cuzk. On "
        "cards that nobody has measured the first start does so by itself.",
        children,
        NULL,
        NULL};
    static bench_tune p;
    app_init(&p.a, argv[0]);
    p.dev.spec = "cuda";
    (void)argp_parse(&argp, argc, argv, 0, NULL, &p);
    cuzk_status st = app_begin(&p.a);
    if (st == CUZK_OK) {
        st = work(&p);
        devices_close(&p.dev);
    }
    return app_finish(&p.a, st);
}
