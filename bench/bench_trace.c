/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "trace/trace.h"

#include "bench.h"

/* What a layer pays for being traced: one span begun and ended. */
static void *setup(const bench_case *c)
{
    static cuzk_trace_ctx ctx;
    ctx = CUZK_TRACE_OFF;
    if (c->arg != 0 && cuzk_trace_create(&ctx.trace, (uint32_t)c->arg, NULL) != CUZK_OK) {
        return NULL;
    }
    return &ctx;
}

static void run(void *state, uint64_t iters)
{
    const cuzk_trace_ctx *ctx = state;
    for (uint64_t i = 0; i < iters; i++) {
        const cuzk_span s = cuzk_span_begin(*ctx, "span", NULL);
        bench_use(&s);
        cuzk_span_end(*ctx, s, 1);
    }
}

static void teardown(void *state)
{
    const cuzk_trace_ctx *ctx = state;
    cuzk_trace_destroy(ctx->trace);
}

/* "off" and "on" are measured one after the other, so that setup's one context is enough. */
static const bench_case cases[] = {
    {.name = "trace/span_off/cuzk",
     .setup = setup,
     .run = run,
     .teardown = teardown,
     .unit = "span"},
    {.name = "trace/span_on/cuzk",
     .setup = setup,
     .run = run,
     .teardown = teardown,
     .unit = "span",
     .arg = 1 << 16},
};
BENCH_MODULE(trace, cases)
