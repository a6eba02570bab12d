/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "trace/trace_internal.h"

#include "test.h"

static cuzk_trace *make(uint32_t capacity)
{
    cuzk_trace *t = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_trace_create(&t, capacity, &err), &err);
    return t;
}

static void off_costs_nothing_and_does_nothing(void)
{
    const cuzk_trace_ctx off = CUZK_TRACE_OFF;
    CHECK_U64(cuzk_span_begin(off, "x", NULL), 0);
    cuzk_span_end(off, 0, 1);
    cuzk_span_end(off, 7, 1);
    CHECK_U64(cuzk_trace_add(off, "x", NULL, 0, 1, 2), 0);
}

static void spans_nest_and_inherit_tags(void)
{
    cuzk_trace *t = make(8);
    const cuzk_trace_ctx ctx = {t, 0};
    cuzk_span_tags tags = CUZK_SPAN_TAGS_INIT;
    cuzk_span_record r[8];
    tags.job = 3;
    tags.bytes = 100;
    const uint64_t before = cuzk_clock_ns();
    const cuzk_span a = cuzk_span_begin(ctx, "job", &tags);
    void *block = cuzk_alloc(1000, 1);
    cuzk_span_tags part = CUZK_SPAN_TAGS_INIT;
    part.partition = 9;
    const cuzk_span b = cuzk_span_begin(cuzk_trace_in(ctx, a), "ntt", &part);
    cuzk_span_end(ctx, b, 5);
    const cuzk_span c =
        cuzk_trace_add(cuzk_trace_in(ctx, b), "kernel", NULL, 2, before, before - 1);
    cuzk_span_end(ctx, a, 11);
    cuzk_span_end(ctx, a, 11); /* once is enough */
    cuzk_free(block);
    CHECK_U64(cuzk_trace_read(t, 0, r, 8), 3);
    CHECK(r[0].id == a && r[1].id == b && r[2].id == c);
    CHECK(r[0].parent == 0 && r[1].parent == a && r[2].parent == b);
    CHECK_STR(r[1].name, "ntt");
    CHECK(r[0].tags.job == 3 && r[0].tags.bytes == 111 && r[0].tags.partition == CUZK_TRACE_NONE);
    CHECK(r[1].tags.job == 3 && r[1].tags.bytes == 5 && r[1].tags.partition == 9);
    CHECK(r[2].tags.job == 3 && r[2].tags.bytes == 0 && r[2].tags.partition == 9);
    CHECK(r[0].begin_ns >= before && r[0].begin_ns <= r[1].begin_ns);
    CHECK(r[1].end_ns >= r[1].begin_ns && r[1].end_ns <= r[0].end_ns);
    CHECK(r[0].thread != 0 && r[0].thread == r[1].thread && r[2].thread == 0 && r[2].lane == 2);
    CHECK_U64(r[2].end_ns, before);
    CHECK_U64(r[1].mem_begin, r[0].mem_begin + 1000);
    CHECK_U64(r[0].mem_end, r[0].mem_begin + 1000);
    CHECK_U64(cuzk_trace_read(t, a, r, 8), 2);
    CHECK_U64(r[0].id, b);
    cuzk_trace_destroy(t);
}

static void a_span_that_is_over_is_the_thread_s(void)
{
    cuzk_trace *t = make(4);
    const cuzk_trace_ctx ctx = {t, 0}, off = CUZK_TRACE_OFF;
    cuzk_span_tags tags = CUZK_SPAN_TAGS_INIT;
    cuzk_span_record r[4];
    tags.job = 3;
    const cuzk_span a = cuzk_span_begin(ctx, "job", &tags);
    const cuzk_span b = cuzk_trace_add_here(cuzk_trace_in(ctx, a), "accept", NULL, 70, 90);
    cuzk_span_end(ctx, a, 0);
    CHECK_U64(cuzk_trace_add_here(off, "accept", NULL, 70, 90), 0);
    CHECK_U64(cuzk_trace_read(t, 0, r, 4), 2);
    CHECK(r[1].id == b && r[1].parent == a && r[1].tags.job == 3);
    CHECK(r[1].thread == r[0].thread && r[1].begin_ns == 70 && r[1].end_ns == 90);
    cuzk_trace_destroy(t);
}

static void an_open_span_is_read_as_open(void)
{
    cuzk_trace *t = make(2);
    const cuzk_trace_ctx ctx = {t, 0};
    cuzk_span_record r[2];
    const cuzk_span a = cuzk_span_begin(ctx, "a", NULL);
    CHECK_U64(cuzk_trace_read(t, 0, r, 2), 1);
    CHECK(r[0].end_ns == 0 && r[0].cpu_ns == 0);
    cuzk_span_end(ctx, a, 0);
    CHECK_U64(cuzk_trace_read(t, 0, r, 2), 1);
    CHECK(r[0].end_ns >= r[0].begin_ns);
    cuzk_trace_destroy(t);
}

static void the_newest_are_kept(void)
{
    cuzk_trace *t = make(4);
    const cuzk_trace_ctx ctx = {t, 0};
    cuzk_span_record r[8];
    const cuzk_span first = cuzk_span_begin(ctx, "first", NULL);
    for (int i = 0; i < 9; i++) {
        cuzk_span_end(ctx, cuzk_span_begin(cuzk_trace_in(ctx, first), "later", NULL), 0);
    }
    cuzk_span_end(ctx, first, 0); /* its slot belongs to another by now */
    const cuzk_trace_info i = cuzk_trace_get_info(t);
    CHECK(i.begun == 10 && i.dropped == 6 && i.capacity == 4);
    CHECK_U64(cuzk_trace_read(t, 0, r, 8), 4);
    for (size_t k = 0; k < 4; k++) {
        CHECK_U64(r[k].id, 7 + k);
        CHECK_STR(r[k].name, "later");
    }
    CHECK_U64(cuzk_trace_read(t, 9, r, 8), 1);
    CHECK_U64(cuzk_trace_read(t, 10, r, 8), 0);
    cuzk_trace_destroy(t);
}

enum { THREADS = 4, ROUNDS = 2000 };

typedef struct crowd {
    cuzk_trace *t;
    _Atomic bool stop;
} crowd;

static void *recorder(void *arg)
{
    crowd *c = arg;
    const cuzk_trace_ctx ctx = {c->t, 0};
    for (int i = 0; i < ROUNDS; i++) {
        const cuzk_span a = cuzk_span_begin(ctx, "outer", NULL);
        const cuzk_span b = cuzk_span_begin(cuzk_trace_in(ctx, a), "inner", NULL);
        cuzk_span_end(ctx, b, 1);
        cuzk_span_end(ctx, a, 2);
    }
    return NULL;
}

static void *reader(void *arg)
{
    crowd *c = arg;
    cuzk_span_record r[64];
    while (!atomic_load(&c->stop)) {
        const size_t n = cuzk_trace_read(c->t, 0, r, 64);
        for (size_t i = 0; i < n; i++) {
            const bool outer = strcmp(r[i].name, "outer") == 0;
            const bool whole = r[i].end_ns == 0 ? r[i].tags.bytes == 0
                                                : r[i].tags.bytes == (outer ? 2u : 1u) &&
                                                      r[i].end_ns >= r[i].begin_ns;
            if (!whole || (i > 0 && r[i].id <= r[i - 1].id)) {
                return arg;
            }
        }
    }
    return NULL;
}

/* A ring much smaller than what goes through it, written by four threads and read by a fifth. */
static void threads_record_and_read_at_once(void)
{
    crowd c = {.t = make(64)};
    pthread_t w[THREADS], r;
    void *bad = NULL;
    CHECK(pthread_create(&r, NULL, reader, &c) == 0);
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&w[i], NULL, recorder, &c) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(w[i], NULL) == 0);
    }
    atomic_store(&c.stop, true);
    CHECK(pthread_join(r, &bad) == 0);
    CHECK(bad == NULL);
    CHECK_U64(cuzk_trace_get_info(c.t).begun, 2 * THREADS * ROUNDS);
    cuzk_span_record last[64];
    const size_t n = cuzk_trace_read(c.t, 0, last, 64);
    CHECK(n > 0 && n <= 64);
    for (size_t i = 0; i < n; i++) {
        CHECK(last[i].id > 2 * THREADS * ROUNDS - 64);
    }
    cuzk_trace_destroy(c.t);
}

static volatile uint64_t sink;

/* Counters work or the recorder says why not; never silently zero. */
static void counters_count_or_say_why_not(void)
{
    cuzk_trace *t = make(4);
    const cuzk_trace_ctx ctx = {t, 0};
    cuzk_span_record r[1];
    const bool any = cuzk_trace_count(t);
    const cuzk_span a = cuzk_span_begin(ctx, "work", NULL);
    for (uint64_t i = 0; i < 1000000; i++) {
        sink += i;
    }
    cuzk_span_end(ctx, a, 0);
    CHECK_U64(cuzk_trace_read(t, 0, r, 1), 1);
    const cuzk_trace_info info = cuzk_trace_get_info(t);
    bool counted = false;
    for (unsigned c = 0; c < CUZK_COUNTERS; c++) {
        counted = counted || info.counted[c];
        CHECK(info.counted[c] || r[0].counts[c] == 0);
    }
    CHECK(counted == any);
    if (info.counted[CUZK_COUNTER_INSTRUCTIONS]) {
        CHECK(r[0].counts[CUZK_COUNTER_INSTRUCTIONS] > 1000000);
        CHECK(r[0].counts[CUZK_COUNTER_INSTRUCTIONS] < 1000000000);
    }
    if (!any) {
        CHECK(strstr(cuzk_trace_counters_note(t), "none: ") != NULL);
    }
    cuzk_trace_destroy(t);
}

static void *burn(void *arg)
{
    const uint64_t until = cuzk_clock_cpu_ns() + *(uint64_t *)arg;
    while (cuzk_clock_cpu_ns() < until) {
        sink++;
    }
    return NULL;
}

/* The way of counting, with events that every kernel has: what a thread started later does is in. */
static void threads_started_later_are_counted(void)
{
    static const uint64_t config[CUZK_COUNTERS] = {
        PERF_COUNT_SW_TASK_CLOCK, PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_CONTEXT_SWITCHES,
        PERF_COUNT_SW_CPU_MIGRATIONS};
    cuzk_perf p;
    pthread_t t;
    uint64_t a[CUZK_COUNTERS], b[CUZK_COUNTERS], ns = 20000000;
    cuzk_perf_init(&p);
    if (!cuzk_perf_open_events(&p, PERF_TYPE_SOFTWARE, config)) {
        cuzk_test_skip("no perf_event here");
    }
    cuzk_perf_read(&p, a);
    CHECK(pthread_create(&t, NULL, burn, &ns) == 0);
    CHECK(pthread_join(t, NULL) == 0);
    cuzk_perf_read(&p, b);
    CHECK_MSG(b[0] - a[0] >= ns / 2, "%" PRIu64 " ns counted of %" PRIu64, b[0] - a[0], ns);
    CHECK(b[0] - a[0] < 100 * ns && b[1] >= a[1]);
    cuzk_perf_close(&p);
    cuzk_perf_read(&p, b);
    CHECK_U64(b[0], 0);
}

static void cpu_time_is_of_the_span(void)
{
    cuzk_trace *t = make(4);
    const cuzk_trace_ctx ctx = {t, 0};
    cuzk_span_record r[1];
    const uint64_t c0 = cuzk_clock_cpu_ns();
    const cuzk_span a = cuzk_span_begin(ctx, "work", NULL);
    for (uint64_t i = 0; i < 3000000; i++) {
        sink += i;
    }
    cuzk_span_end(ctx, a, 0);
    const uint64_t c1 = cuzk_clock_cpu_ns();
    CHECK_U64(cuzk_trace_read(t, 0, r, 1), 1);
    CHECK(r[0].cpu_ns > 0 && r[0].cpu_ns <= c1 - c0);
    cuzk_trace_destroy(t);
}

/* Works for ns of the clock that spans are measured by. A thread's own time may run ahead of that clock. */
static void work_for(uint64_t ns)
{
    const uint64_t until = cuzk_clock_ns() + ns;
    while (cuzk_clock_ns() < until) {
        sink++;
    }
}

static uint64_t duration(const cuzk_trace *t, cuzk_span s)
{
    cuzk_span_record r;
    CHECK_U64(cuzk_trace_read(t, s - 1, &r, 1), 1);
    return r.end_ns - r.begin_ns;
}

static void a_layer_is_slowed_down(void)
{
    cuzk_trace *t = make(16);
    const cuzk_trace_ctx ctx = {t, 0};
    const uint64_t ns = 2000000;
    cuzk_span s[3];
    cuzk_trace_slow_down(t, "msm_h", "sum", 3.0);
    static const char *const outer[3] = {"msm_h", "msm_l", "msm_h"}, *const inner[3] = {
                                                                         "sum", "sum", "ntt"};
    for (int i = 0; i < 3; i++) {
        const cuzk_span o = cuzk_span_begin(ctx, outer[i], NULL);
        s[i] = cuzk_span_begin(cuzk_trace_in(ctx, o), inner[i], NULL);
        work_for(ns);
        cuzk_span_end(ctx, s[i], 0);
        cuzk_span_end(ctx, o, 0);
    }
    CHECK(duration(t, s[0]) >= 4 * ns);
    CHECK(duration(t, s[1]) >= ns && duration(t, s[2]) >= ns);
    const uint64_t slow = duration(t, s[0]);
    cuzk_trace_slow_down(t, NULL, NULL, 0);
    uint64_t fastest = UINT64_MAX; /* of several, since any one of them may be interrupted */
    for (int i = 0; i < 50; i++) {
        const cuzk_span o = cuzk_span_begin(ctx, "msm_h", NULL);
        const cuzk_span fast = cuzk_span_begin(cuzk_trace_in(ctx, o), "sum", NULL);
        cuzk_span_end(ctx, fast, 0);
        fastest = duration(t, fast) < fastest ? duration(t, fast) : fastest;
        cuzk_span_end(ctx, o, 0);
    }
    CHECK(fastest < slow);
    cuzk_trace_destroy(t);
}

static void no_memory(void)
{
    cuzk_trace *t = NULL;
    cuzk_err err;
    CHECK_STATUS(cuzk_trace_create(&t, 0, &err), CUZK_E_INVALID);
    cuzk_alloc_fail_nth(1, false);
    CHECK_STATUS(cuzk_trace_create(&t, 4, &err), CUZK_E_NOMEM);
    t = make(4);
    cuzk_span_end((cuzk_trace_ctx){t, 0}, cuzk_span_begin((cuzk_trace_ctx){t, 0}, "x", NULL), 0);
    for (uint64_t n = 1; n < 100; n++) {
        cuzk_jsonw w;
        const char *text;
        size_t len;
        cuzk_jsonw_init(&w, false);
        cuzk_alloc_fail_nth(n, false);
        cuzk_status st = n % 2 == 0 ? cuzk_trace_write_json(&w, t, &err)
                                    : cuzk_trace_write_perfetto(&w, t, &err);
        st = st == CUZK_OK ? cuzk_jsonw_finish(&w, &text, &len, &err) : st;
        cuzk_alloc_fail_nth(0, false);
        cuzk_jsonw_free(&w);
        if (st == CUZK_OK && n > 20) {
            break;
        }
        CHECK(st == CUZK_OK || st == CUZK_E_NOMEM);
    }
    cuzk_trace_destroy(t);
}

static void sums_of_spans(void)
{
    cuzk_trace *t = make(256);
    const cuzk_trace_ctx ctx = {t, 0};
    const cuzk_span a = cuzk_trace_add(ctx, "msm", NULL, 0, 100, 1000);
    (void)cuzk_trace_add(cuzk_trace_in(ctx, a), "decode", NULL, 0, 100, 130);
    (void)cuzk_trace_add(ctx, "decode", NULL, 0, 200, 205);
    for (int i = 0; i < 100; i++) {
        (void)cuzk_trace_add(ctx, "other", NULL, 0, 0, 1);
    }
    const cuzk_span b = cuzk_trace_add(ctx, "msm", NULL, 0, 0, 7);
    (void)cuzk_trace_add(cuzk_trace_in(ctx, b), "decode", NULL, 0, 0, 2);
    (void)cuzk_span_begin(ctx, "msm", NULL); /* still open: not counted */
    CHECK_U64(cuzk_trace_sum(t, 0, NULL, "msm"), 907);
    CHECK_U64(cuzk_trace_sum(t, 0, NULL, "decode"), 37);
    CHECK_U64(cuzk_trace_sum(t, 0, "msm", "decode"), 32);
    CHECK_U64(cuzk_trace_sum(t, a, "msm", "decode"), 32);
    CHECK_U64(cuzk_trace_sum(t, a + 1, "msm", "decode"), 2);
    CHECK_U64(cuzk_trace_sum(t, 0, NULL, "other"), 100);
    CHECK_U64(cuzk_trace_sum(t, 0, "decode", "msm"), 0);
    CHECK_U64(cuzk_trace_sum(t, 0, NULL, "nothing"), 0);
    cuzk_trace_destroy(t);
}

/* The text of spans; the caller frees it. */
static char *text_of(const cuzk_trace *t, size_t *n)
{
    cuzk_jsonw w;
    cuzk_err err;
    const char *text = NULL;
    cuzk_jsonw_init(&w, false);
    CHECK_OK(cuzk_trace_write_json(&w, t, &err), &err);
    CHECK_OK(cuzk_jsonw_finish(&w, &text, n, &err), &err);
    char *copy = cuzk_alloc(*n, 1);
    CHECK(copy != NULL);
    memcpy(copy, text, *n);
    cuzk_jsonw_free(&w);
    return copy;
}

static void written_spans_are_read_back(void)
{
    cuzk_trace *t = make(2048);
    const cuzk_trace_ctx ctx = {t, 0};
    static cuzk_span_record want[2048]; /* too large for the stack */
    cuzk_trace_spans got;
    cuzk_span_tags tags = CUZK_SPAN_TAGS_INIT;
    cuzk_err err;
    size_t size = 0;
    tags.job = INT64_MAX;
    tags.partition = 0;
    tags.device = 7;
    tags.bytes = UINT64_MAX;
    const cuzk_span a = cuzk_span_begin(ctx, "still_open", &tags);
    for (int i = 0; i < 1500; i++) {
        cuzk_span_end(ctx, cuzk_span_begin(cuzk_trace_in(ctx, a), i % 2 == 0 ? "x" : "y", NULL), 3);
    }
    (void)cuzk_trace_add(ctx, "on_a_device", &tags, 3, 10, 20);
    const uint64_t before = cuzk_clock_ns();
    char *text = text_of(t, &size);
    CHECK_OK(cuzk_trace_parse(&got, text, size, "text", &err), &err);
    CHECK(got.now_ns >= before && got.now_ns <= cuzk_clock_ns());
    CHECK_U64(got.dropped, 0);
    CHECK_U64(got.n, cuzk_trace_read(t, 0, want, 2048));
    CHECK_U64(got.n_names, 4);
    for (size_t i = 0; i < got.n; i++) {
        const cuzk_span_record *w = &want[i], *g = &got.spans[i];
        CHECK_STR(g->name, w->name);
        CHECK(g->id == w->id && g->parent == w->parent && g->thread == w->thread);
        CHECK(g->lane == w->lane && g->begin_ns == w->begin_ns && g->end_ns == w->end_ns);
        CHECK(g->cpu_ns == w->cpu_ns && memcmp(&g->tags, &w->tags, sizeof(w->tags)) == 0);
    }
    cuzk_trace_spans_free(&got);
    for (uint64_t n = 1; n < 8; n++) {
        cuzk_alloc_fail_nth(n, false);
        const cuzk_status st = cuzk_trace_parse(&got, text, size, "text", &err);
        cuzk_alloc_fail_nth(0, false);
        CHECK(st == CUZK_OK || (st == CUZK_E_NOMEM && got.n == 0));
        cuzk_trace_spans_free(&got);
    }
    cuzk_free(text);
    cuzk_trace_destroy(t);
}

static void wrong_spans_are_refused(void)
{
#define FILE_OF(spans) \
    "{\"type\":\"cuzk-trace\",\"version\":1,\"now_ns\":9,\"dropped\":0,\"spans\":[" spans "]}"
#define SPAN(id, parent, begin, end) \
    "{\"id\":" id ",\"parent\":" parent ",\"name\":\"a\",\"begin_ns\":" begin ",\"end_ns\":" end "}"
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"", "text"},
        {"{}", "type"},
        {FILE_OF("{}"), "id"},
        {FILE_OF("{\"id\":1,\"parent\":0,\"name\":\"a/b\"}"), "other characters"},
        {FILE_OF("{\"id\":1,\"parent\":0,\"name\":\"a\"}"), "begin_ns"},
        {FILE_OF(SPAN("1", "1", "1", "2")), "out of order"},
        {FILE_OF(SPAN("2", "0", "1", "2") "," SPAN("2", "0", "1", "2")), "out of order"},
        {FILE_OF(SPAN("1", "0", "3", "2")), "ends before it begins"},
        {FILE_OF(SPAN("1", "0", "-3", "2")), "text"},
        {"{\"type\":\"other\",\"version\":1,\"now_ns\":9,\"dropped\":0,\"spans\":[]}",
         "not a trace"},
    };
    cuzk_trace_spans got;
    cuzk_err err;
    CHECK_OK(cuzk_trace_parse(&got, FILE_OF(SPAN("1", "0", "1", "null")),
                              strlen(FILE_OF(SPAN("1", "0", "1", "null"))), "text", &err),
             &err);
    CHECK_U64(got.n, 1);
    cuzk_trace_spans_free(&got);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        CHECK_STATUS(cuzk_trace_parse(&got, wrong[i].text, strlen(wrong[i].text), "text", &err),
                     CUZK_E_FORMAT);
        CHECK(strstr(err.msg, wrong[i].message) != NULL);
        CHECK(got.spans == NULL && got.n == 0);
    }
}

static const cuzk_case cases[] = {CASE(off_costs_nothing_and_does_nothing),
                                  CASE(spans_nest_and_inherit_tags),
                                  CASE(a_span_that_is_over_is_the_thread_s),
                                  CASE(an_open_span_is_read_as_open),
                                  CASE(the_newest_are_kept),
                                  CASE(threads_record_and_read_at_once),
                                  CASE(counters_count_or_say_why_not),
                                  CASE(threads_started_later_are_counted),
                                  CASE(cpu_time_is_of_the_span),
                                  CASE(a_layer_is_slowed_down),
                                  CASE(no_memory),
                                  CASE(sums_of_spans),
                                  CASE(written_spans_are_read_back),
                                  CASE(wrong_spans_are_refused)};
TEST_MAIN("trace/trace", cases)
