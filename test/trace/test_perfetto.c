/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "trace/trace_read.h"

#include "perfetto_check.h"
#include "test.h"

static perfetto_counts export_and_check(const cuzk_trace *t, const char **text, cuzk_jsonw *w)
{
    size_t n = 0;
    cuzk_err err;
    cuzk_jsonw_init(w, false);
    CHECK_OK(cuzk_trace_write_perfetto(w, t, &err), &err);
    CHECK_OK(cuzk_jsonw_finish(w, text, &n, &err), &err);
    return perfetto_check(*text, n);
}

static cuzk_trace *make(void)
{
    cuzk_trace *t = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_trace_create(&t, 1024, &err), &err);
    return t;
}

static void nothing_recorded(void)
{
    cuzk_trace *t = make();
    cuzk_jsonw w;
    const char *text;
    const perfetto_counts n = export_and_check(t, &text, &w);
    CHECK(n.spans == 0 && n.tracks == 0);
    cuzk_jsonw_free(&w);
    cuzk_trace_destroy(t);
}

static void *other_thread(void *arg)
{
    const cuzk_trace_ctx *ctx = arg;
    cuzk_span_end(*ctx, cuzk_span_begin(*ctx, "elsewhere", NULL), 0);
    return NULL;
}

static void threads_devices_and_open_spans(void)
{
    cuzk_trace *t = make();
    cuzk_jsonw w;
    const char *text;
    cuzk_trace_ctx ctx = {t, 0};
    pthread_t th;
    const cuzk_span job = cuzk_span_begin(ctx, "job", NULL);
    ctx.parent = job;
    CHECK(pthread_create(&th, NULL, other_thread, &ctx) == 0);
    CHECK(pthread_join(th, NULL) == 0);
    cuzk_span_tags tags = CUZK_SPAN_TAGS_INIT;
    tags.device = 0;
    const uint64_t t0 = cuzk_clock_ns();
    (void)cuzk_trace_add(ctx, "ntt_msm_h", &tags, 0, t0, t0 + 1000);
    (void)cuzk_trace_add(ctx, "batch_add", &tags, 1, t0 + 500, t0 + 1500);
    (void)cuzk_span_begin(ctx, "still \"open\"", NULL);
    const perfetto_counts n = export_and_check(t, &text, &w);
    CHECK_U64(n.spans, 5);
    CHECK_U64(n.tracks, 4); /* two threads, two queues */
    CHECK(n.counters > 0);
    CHECK(strstr(text, "\"name\":\"device 0\"") != NULL);
    CHECK(strstr(text, "\"open\":true") != NULL);
    cuzk_jsonw_free(&w);
    cuzk_trace_destroy(t);
}

/* Overlaps that do not nest, as asynchronous stages make them, end up on tracks side by side. */
static void random_overlaps(void)
{
    for (size_t round = 0; round < test_iters(20); round++) {
        cuzk_trace *t = make();
        cuzk_jsonw w;
        const char *text;
        const cuzk_trace_ctx ctx = {t, 0};
        for (int i = 0; i < 60; i++) {
            cuzk_span_tags tags = CUZK_SPAN_TAGS_INIT;
            tags.device = (int32_t)test_below(2);
            const uint64_t at = 1000 + test_below(100);
            (void)cuzk_trace_add(ctx, "k", &tags, (uint32_t)test_below(2), at, at + test_below(50));
        }
        CHECK_U64(export_and_check(t, &text, &w).spans, 60);
        cuzk_jsonw_free(&w);
        cuzk_trace_destroy(t);
    }
}

static const cuzk_case cases[] = {CASE(nothing_recorded), CASE(threads_devices_and_open_spans),
                                  CASE(random_overlaps)};
TEST_MAIN("trace/perfetto", cases)
