/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The daemon's promises about order, cancelling and memory, acted out and seen through gRPC and HTTP. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "top/http_get.h"

#include "stack.h"
#include "test.h"

#include "../api/prom_check.h"

enum { PATIENCE_MS = 600000 }; /* of calls that must end, however busy the machine is */

static stack *st;
static cuzk_status_view view;

static void sleep_ms(long ms)
{
    const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    (void)nanosleep(&t, NULL);
}

static const cuzk_engine_config roomy = {.budget_bytes = 1000 * MOCK_MIB,
                                         .winning_reserve_bytes = 16 * MOCK_MIB,
                                         .max_batch_size = 1,
                                         .slots_per_device = 1};

/* Place of a tag in the order in which jobs came to a device. */
static uint32_t place_of(uint64_t tag)
{
    uint32_t place = 0;
    while (place < st->mock.n_order && st->mock.order[place] != tag) {
        place++;
    }
    return place;
}

static void await_accepted(const char *id)
{
    do {
        stack_status(st, &view);
    } while (strcmp(stack_job_state(&view, id), "") == 0);
}

/* Waits until the witness of a job's only partition is made: from then on nothing but a free device is missing. */
static void await_witness(const char *id)
{
    for (bool is_made = false; !is_made; sleep_ms(1)) {
        cuzk_engine_status s;
        cuzk_err err;
        CHECK_OK(cuzk_engine_get_status(st->engine, &s, &err), &err);
        for (uint32_t i = 0; i < s.n_jobs; i++) {
            is_made =
                is_made || (strcmp(s.jobs[i].job_id, id) == 0 && s.jobs[i].partitions != NULL &&
                            s.jobs[i].partitions[0].state >= CUZK_PART_WITNESS_DONE);
        }
        cuzk_engine_status_free(&s);
    }
}

/*
 * The queue is full of NORMAL work and the device busy with it when an urgent job comes, and a LOW
 * one waits the longest. How many others get to the device before it?
 */
static uint32_t overtaken(cuzk_job_kind kind)
{
    enum { NORMAL = 12, ALL = NORMAL + 2, FIRST_TAG = 100, LOW = NORMAL, URGENT = NORMAL + 1 };
    static stack_call calls[ALL];
    char id[64];
    memset(calls, 0, sizeof(calls));
    st = stack_start(1, false, &roomy);
    atomic_store(&st->mock.sleep_us[MOCK_PROVE], 5000);
    mock_close(&st->mock, MOCK_PROVE); /* the first stays on the device until all are accepted */
    for (int i = 0; i < NORMAL; i++) {
        (void)snprintf(id, sizeof(id), "normal-%d", i);
        stack_call_start(&calls[i], st, CUZK_JOB_POREP, CUZK_PRIORITY_NORMAL,
                         FIRST_TAG + (uint64_t)i, id);
        while (i == 0 && stack_n_order(st) < 1) { /* the device is taken before others come */
            sleep_ms(1);
        }
    }
    for (int i = 0; i < NORMAL; i++) { /* or the LOW job may be parsed before the others come */
        await_accepted(calls[i].id);
    }
    stack_call_start(&calls[LOW], st, CUZK_JOB_POREP, CUZK_PRIORITY_LOW, FIRST_TAG + LOW, "low");
    await_accepted("low");
    stack_call_start(&calls[URGENT], st, kind, CUZK_PRIORITY_CRITICAL, FIRST_TAG + URGENT,
                     "urgent");
    await_witness("urgent");
    const uint32_t before = stack_n_order(st);
    mock_open(&st->mock, MOCK_PROVE);
    for (int i = 0; i < ALL; i++) {
        stack_call_join(&calls[i]);
        CHECK_MSG(calls[i].status == CUZK_OK && calls[i].result.outcome == CUZK_RPC_COMPLETED,
                  "%s: %s", calls[i].id, calls[i].err.msg);
        stack_call_free(&calls[i]);
    }
    stack_settle(st, UINT64_MAX, &view);
    CHECK_U64(view.completed, ALL);
    CHECK_U64(stack_n_order(st), ALL);
    CHECK_U64(place_of(FIRST_TAG + LOW), ALL - 1); /* last, but done */
    const uint32_t place = place_of(FIRST_TAG + URGENT);
    CHECK(before <= 2 &&
          place < ALL); /* the first, and the urgent job where a place is held for it */
    stack_stop(st);
    return place > before ? place - before : 0;
}

static void critical_goes_next(void)
{
    const uint32_t winning = overtaken(CUZK_JOB_WINNING), other = overtaken(CUZK_JOB_POREP);
    (void)printf("after its witness was made, others that got to the device first: WinningPoSt %u, "
                 "CRITICAL PoRep %u\n",
                 winning, other);
    CHECK_U64(winning, 0); /* a place is held for it */
    CHECK(other <= 1);     /* one slice */
}

/* What is held when the circuit is loaded and no job is there. */
static uint64_t warm_up(void)
{
    static stack_call c;
    memset(&c, 0, sizeof(c));
    stack_call_start(&c, st, CUZK_JOB_POREP, 0, 1, "warm-up");
    stack_call_join(&c);
    CHECK_OK(c.status, &c.err);
    stack_call_free(&c);
    stack_settle(st, UINT64_MAX, &view);
    return atomic_load(&st->mock.used);
}

typedef enum how { BY_RPC, BY_DEADLINE, BY_HANGING_UP } how;

static bool comes_inside(mock_stage s, uint64_t limit_ns)
{
    for (;; sleep_ms(1)) {
        pthread_mutex_lock(&st->mock.mu);
        const bool is_inside = st->mock.inside[s] != 0;
        pthread_mutex_unlock(&st->mock.mu);
        if (is_inside || cuzk_clock_ns() >= limit_ns) {
            return is_inside;
        }
    }
}

/* Starts a job with a deadline that is in the closed stage when the deadline comes. On a busy machine a job with a short deadline may not
 * come so far; then one with a longer deadline does. */
static void start_with_deadline(stack_call *c, mock_stage s, uint64_t tag, uint64_t held,
                                char id[64])
{
    for (uint64_t ms = 200;; ms *= 3) {
        memset(c, 0, sizeof(*c));
        c->timeout_ms = ms;
        (void)snprintf(id, 64, "stage %d, deadline of %u ms", (int)s, (unsigned)ms);
        const uint64_t limit_ns = cuzk_clock_ns() + ms * UINT64_C(1000000);
        stack_call_start(c, st, CUZK_JOB_POREP, 0, tag, id);
        if (comes_inside(s, limit_ns)) {
            return;
        }
        CHECK(ms < 100000);
        stack_call_join(c);
        CHECK_MSG(c->status == CUZK_E_CANCELLED, "%s: %s", id, c->err.msg);
        stack_call_free(c);
        mock_open(&st->mock, s);
        stack_settle(st, held, &view);
        mock_close(&st->mock, s);
    }
}

/* Stops a job in a stage, cancels it, and looks for what is left. */
static void cancel_in(mock_stage s, how way, uint64_t held, uint64_t used)
{
    static stack_call c;
    static const char *const way_name[] = {"CancelProof", "deadline", "client gone"};
    cuzk_err err = {.code = CUZK_OK};
    char id[64];
    static cuzk_cancel token;
    bool was_running = false;
    const uint64_t tag = (uint64_t)s * 10 + (uint64_t)way + 50;
    memset(&c, 0, sizeof(c));
    atomic_store(&token.requested, false);
    (void)snprintf(id, sizeof(id), "stage %d, %s", (int)s, way_name[way]);
    c.cancel = way == BY_HANGING_UP ? &token : NULL;
    mock_close(&st->mock, s);
    if (way == BY_DEADLINE) {
        start_with_deadline(&c, s, tag, held, id);
    } else {
        stack_call_start(&c, st, CUZK_JOB_POREP, 0, tag, id);
        mock_wait_inside(&st->mock, s, 1);
    }
    const uint64_t cancelled = view.cancelled;
    stack_status(st, &view);
    CHECK_MSG(strcmp(stack_job_state(&view, id), "running") == 0 || way == BY_DEADLINE, "%s: '%s'",
              id, stack_job_state(&view, id));
    if (way == BY_RPC) {
        cuzk_rpc_client *client = stack_client(st, PATIENCE_MS, NULL);
        CHECK_OK(cuzk_rpc_client_cancel(client, id, &was_running, &err), &err);
        CHECK(was_running);
        cuzk_rpc_client_destroy(client);
    } else if (way == BY_HANGING_UP) {
        atomic_store(&token.requested, true);
    }
    stack_call_join(&c);
    if (way == BY_RPC) {
        CHECK_MSG(c.status == CUZK_OK && c.result.outcome == CUZK_RPC_CANCELLED, "%s: %s", id,
                  c.err.msg);
    } else {
        CHECK_MSG(c.status == CUZK_E_CANCELLED, "%s: %s", id, c.err.msg);
    }
    stack_call_free(&c);
    /* while the stage is still stopped; the end of a call is known here before it is there */
    for (int i = 0; i < 2000 && strcmp(stack_job_state(&view, id), "cancelled") != 0; i++) {
        stack_status(st, &view);
    }
    CHECK_STR(stack_job_state(&view, id), "cancelled");
    mock_open(&st->mock, s);
    stack_settle(st, held, &view);
    CHECK_MSG(view.memory_used <= used, "%s: %llu bytes are reserved, %llu were before", id,
              (unsigned long long)view.memory_used, (unsigned long long)used);
    CHECK_U64(view.cancelled, cancelled + 1);
}

static void cancel_in_each_stage(void)
{
    static const mock_stage stages[] = {MOCK_PARSE, MOCK_CHECK, MOCK_WITNESS, MOCK_PROVE,
                                        MOCK_VERIFY};
    st = stack_start(1, false, &roomy);
    const uint64_t held = warm_up(), used = view.memory_used;
    CHECK(held > 0);
    for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
        for (int way = BY_RPC; way <= BY_HANGING_UP; way++) {
            cancel_in(stages[i], (how)way, held, used);
        }
    }
    stack_stop(st);
}

/* The only user of a circuit goes while it is being loaded; the circuit stays until it is evicted. */
static void cancel_while_loading(void)
{
    static stack_call c;
    cuzk_err err = {.code = CUZK_OK};
    bool was_running = false, was_loaded = false;
    uint64_t freed = 0;
    memset(&c, 0, sizeof(c));
    st = stack_start(1, false, &roomy);
    const uint64_t held = atomic_load(&st->mock.used);
    stack_status(st, &view);
    const uint64_t used = view.memory_used;
    mock_close(&st->mock, MOCK_LOAD);
    stack_call_start(&c, st, CUZK_JOB_POREP, 0, 1, "loads");
    mock_wait_inside(&st->mock, MOCK_LOAD, 1);
    cuzk_rpc_client *client = stack_client(st, PATIENCE_MS, NULL);
    CHECK_OK(cuzk_rpc_client_cancel(client, "loads", &was_running, &err), &err);
    stack_call_join(&c);
    CHECK_MSG(c.status == CUZK_OK && c.result.outcome == CUZK_RPC_CANCELLED, "%s", c.err.msg);
    stack_call_free(&c);
    mock_open(&st->mock, MOCK_LOAD);
    stack_settle(st, UINT64_MAX, &view);
    for (int i = 0; i < 2000 && (atomic_load(&st->mock.used) != held || view.memory_used > used);
         i++) {
        /* in use while it is still being loaded; not there before */
        cuzk_ignore(cuzk_rpc_client_evict(client, "porep-32g", &was_loaded, &freed, &err));
        stack_status(st, &view);
    }
    CHECK_U64(atomic_load(&st->mock.used), held);
    CHECK_MSG(view.memory_used <= used, "%llu bytes are reserved, %llu were before",
              (unsigned long long)view.memory_used, (unsigned long long)used);
    CHECK_U64(view.cancelled, 1);
    cuzk_rpc_client_destroy(client);
    stack_stop(st);
}

/* Waiting jobs are cancelled without ever having been started. */
static void cancel_while_waiting(void)
{
    enum { N = 40 };
    static stack_call calls[N];
    cuzk_err err = {.code = CUZK_OK};
    char id[64];
    size_t never_started = 0;
    memset(calls, 0, sizeof(calls));
    st = stack_start(1, false, &roomy);
    const uint64_t held = warm_up(), used = view.memory_used;
    mock_close(&st->mock, MOCK_PROVE);
    for (int i = 0; i < N; i++) {
        (void)snprintf(id, sizeof(id), "w-%d", i);
        stack_call_start(&calls[i], st, CUZK_JOB_POREP, 0, (uint64_t)i + 500, id);
    }
    do {
        stack_status(st, &view);
    } while (view.n_jobs < N + 1); /* and the one that warmed up */
    cuzk_rpc_client *client = stack_client(st, PATIENCE_MS, NULL);
    for (int i = 0; i < N; i++) {
        bool was_running = false;
        CHECK_OK(cuzk_rpc_client_cancel(client, calls[i].id, &was_running, &err), &err);
        never_started += was_running ? 0 : 1;
    }
    cuzk_rpc_client_destroy(client);
    for (int i = 0; i < N; i++) {
        stack_call_join(&calls[i]);
        CHECK_MSG(calls[i].status == CUZK_OK && calls[i].result.outcome == CUZK_RPC_CANCELLED,
                  "%s: %s", calls[i].id, calls[i].err.msg);
        stack_call_free(&calls[i]);
    }
    mock_open(&st->mock, MOCK_PROVE);
    stack_settle(st, held, &view);
    CHECK(view.memory_used <= used);
    CHECK_U64(view.cancelled, N);
    CHECK_U64(view.completed, 1);
    (void)printf("%zu of %d were cancelled before their start\n", never_started, N);
    stack_stop(st);
}

/* ---- many small jobs ---- */

typedef struct worker {
    pthread_t thread;
    uint64_t first, n;
    uint64_t completed;
} worker;

static void *prove_many(void *arg)
{
    worker *w = arg;
    cuzk_err err = {.code = CUZK_OK};
    cuzk_rpc_client *c = NULL;
    const cuzk_rpc_client_config cfg = {.address = st->address, .timeout_ms = PATIENCE_MS};
    if (cuzk_rpc_client_create(&c, &cfg, &err) != CUZK_OK) {
        return NULL;
    }
    for (uint64_t i = w->first; i < w->first + w->n; i++) {
        const mock_job job = {.tag = i, .n_partitions = 1 + (uint32_t)(i % 3)};
        uint8_t want[192];
        cuzk_bytes one;
        cuzk_job_request rq;
        cuzk_rpc_result r;
        char id[64];
        memset(&r, 0, sizeof(r));
        (void)snprintf(id, sizeof(id), "small-%llu", (unsigned long long)i);
        mock_request(&rq, (cuzk_job_kind)(1 + i % CUZK_JOB_WINNING), &job, &one, id);
        mock_proof(want, &job, 0);
        if (cuzk_rpc_client_prove(c, &rq, &r, &err) == CUZK_OK && r.outcome == CUZK_RPC_COMPLETED &&
            r.proof_size == 192 * (size_t)job.n_partitions && memcmp(r.proof, want, 192) == 0) {
            w->completed++;
        }
        cuzk_rpc_result_free(&r);
    }
    cuzk_rpc_client_destroy(c);
    return NULL;
}

enum { WORKERS = 4 };

/* ---- a bad day ---- */

typedef struct day {
    pthread_t thread;
    uint64_t first, n;
    uint64_t completed, failed, other, wrong;
} day;

static void *prove_on_a_bad_day(void *arg)
{
    day *w = arg;
    cuzk_err err = {.code = CUZK_OK};
    cuzk_rpc_client *c = NULL;
    const cuzk_rpc_client_config cfg = {.address = st->address, .timeout_ms = PATIENCE_MS};
    if (cuzk_rpc_client_create(&c, &cfg, &err) != CUZK_OK) {
        return NULL;
    }
    for (uint64_t i = w->first; i < w->first + w->n; i++) {
        const mock_job job = {.tag = i, .n_partitions = 1 + (uint32_t)(i % 3)};
        cuzk_bytes one;
        cuzk_job_request rq;
        cuzk_rpc_result r;
        char id[64];
        memset(&r, 0, sizeof(r));
        (void)snprintf(id, sizeof(id), "bad-day-%llu", (unsigned long long)i);
        mock_request(&rq, (cuzk_job_kind)(1 + i % CUZK_JOB_WINNING), &job, &one, id);
        if (cuzk_rpc_client_prove(c, &rq, &r, &err) != CUZK_OK) {
            w->other++;
        } else if (r.outcome == CUZK_RPC_COMPLETED) {
            w->completed++;
            w->wrong += r.proof_size != 192 * (size_t)job.n_partitions ? 1 : 0;
            for (uint32_t p = 0; p < job.n_partitions && r.proof_size >= 192 * (size_t)(p + 1);
                 p++) {
                uint8_t want[192];
                mock_proof(want, &job, p);
                w->wrong += memcmp(r.proof + (size_t)192 * p, want, 192) != 0 ? 1 : 0;
            }
        } else {
            w->failed += r.outcome == CUZK_RPC_FAILED && r.error[0] != '\0' ? 1 : 0;
            w->other += r.outcome != CUZK_RPC_FAILED || r.error[0] == '\0' ? 1 : 0;
        }
        cuzk_rpc_result_free(&r);
    }
    cuzk_rpc_client_destroy(c);
    return NULL;
}

/*
 * Devices that compute wrongly, fail and are lost, and stages that run out of memory: every call ends,
 * with the right proof or with FAILED and a reason, and nothing is left behind.
 */
static void faults(void)
{
    day w[WORKERS];
    uint64_t completed = 0, failed = 0, other = 0, wrong = 0;
    const uint64_t n = test_iters(TEST_IS_SPARSE ? 100 : 300);
    cuzk_engine_config cfg = roomy;
    cfg.device_back_off_ms = 2;
    st = stack_start(MOCK_DEVICES, true, &cfg);
    atomic_store(&st->mock.wrong, 150);
    atomic_store(&st->mock.lost, 20);
    atomic_store(&st->mock.wrong_device, 2); /* the second never does anything right */
    for (int s = 0; s < MOCK_STAGES; s++) {
        atomic_store(&st->mock.fail[s], 15);
    }
    for (uint64_t i = 0; i < WORKERS; i++) {
        w[i] = (day){.first = 1 + i * n, .n = n};
        CHECK(pthread_create(&w[i].thread, NULL, prove_on_a_bad_day, &w[i]) == 0);
    }
    for (int i = 0; i < WORKERS; i++) {
        CHECK(pthread_join(w[i].thread, NULL) == 0);
        completed += w[i].completed;
        failed += w[i].failed;
        other += w[i].other;
        wrong += w[i].wrong;
    }
    stack_settle(st, UINT64_MAX, &view);
    (void)printf("%llu jobs: %llu completed, %llu failed; %llu partitions were proved again\n",
                 (unsigned long long)(WORKERS * n), (unsigned long long)completed,
                 (unsigned long long)failed, (unsigned long long)view.reproved);
    CHECK_U64(wrong, 0);
    CHECK_U64(other, 0);
    CHECK_U64(completed + failed, WORKERS * n);
    CHECK(completed > WORKERS * n / 2);
    CHECK_U64(view.completed, completed);
    CHECK_U64(view.failed, failed);
    CHECK(view.reproved > 0 && view.devices[1].errors > 0);
    CHECK(view.memory_used <= view.memory_total);
    stack_stop(st);
}

static uint64_t prove_range(uint64_t first, uint64_t n)
{
    worker w[WORKERS];
    uint64_t completed = 0;
    for (uint64_t i = 0; i < WORKERS; i++) {
        w[i] = (worker){.first = first + i * (n / WORKERS), .n = n / WORKERS};
        CHECK(pthread_create(&w[i].thread, NULL, prove_many, &w[i]) == 0);
    }
    for (int i = 0; i < WORKERS; i++) {
        CHECK(pthread_join(w[i].thread, NULL) == 0);
        completed += w[i].completed;
    }
    return completed;
}

static uint64_t resident(void)
{
    unsigned long pages = 0, total = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    CHECK(f != NULL && fscanf(f, "%lu %lu", &total, &pages) == 2);
    CHECK(fclose(f) == 0);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Asks for status and metrics ten times a second, as a page and a scraper would, and times the answers. */
typedef struct poller {
    pthread_t thread;
    atomic_bool stop;
    uint32_t n;
    uint64_t worst_ns, total_ns;
    bool failed;
} poller;

static void *poll_main(void *arg)
{
    poller *p = arg;
    while (!atomic_load(&p->stop)) {
        char *body = NULL;
        size_t n = 0;
        const uint64_t begin = cuzk_clock_ns();
        const bool ok = cuzk_http_get(&body, &n, st->http, p->n % 2 == 0 ? "/status" : "/metrics",
                                      PATIENCE_MS, (size_t)8 << 20, NULL) == CUZK_OK;
        const uint64_t took = cuzk_clock_ns() - begin;
        cuzk_free(body);
        p->failed = p->failed || !ok;
        p->n++;
        p->total_ns += took;
        p->worst_ns = took > p->worst_ns ? took : p->worst_ns;
        sleep_ms(100);
    }
    return NULL;
}

/*
 * test_iters(2000) jobs of all kinds (1100 under TSan); from the first fifth to the end, what is allocated stays where it is, and resident
 * memory does not grow in every fifth (the C library may add an arena in one of them). Results are kept for the newest 200
 * only, so that they do not count. Meanwhile somebody polls; how quick an answer is, long_queue checks.
 */
static void memory_is_flat(void)
{
    const uint64_t n = test_iters(TEST_IS_BRIEF ? 1100 : 2000) / 5 / WORKERS * WORKERS;
    cuzk_engine_config cfg = roomy;
    cfg.result_keep_count = 200;
    cfg.slots_per_device = 2;
    st = stack_start(MOCK_DEVICES, true, &cfg);
    static poller p;
    memset(&p, 0, sizeof(p));
    CHECK(pthread_create(&p.thread, NULL, poll_main, &p) == 0);
    const uint64_t begin = cuzk_clock_ns();
    uint64_t done = prove_range(1000, n);
    stack_settle(st, UINT64_MAX, &view);
    const uint64_t held = atomic_load(&st->mock.used), used = view.memory_used;
    const uint64_t rss = resident(), bytes = cuzk_alloc_get_stats().bytes_now;
    uint64_t rss_before = rss, least_growth = UINT64_MAX;
    for (uint64_t part = 1; part < 5; part++) {
        done += prove_range(1000 + part * n, n);
        const uint64_t now = resident(), grown = now > rss_before ? now - rss_before : 0;
        least_growth = grown < least_growth ? grown : least_growth;
        rss_before = now;
    }
    const double seconds = (double)(cuzk_clock_ns() - begin) * 1e-9;
    CHECK_U64(done, 5 * n);
    stack_settle(st, held, &view);
    atomic_store(&p.stop, true);
    CHECK(pthread_join(p.thread, NULL) == 0);
    const uint64_t rss_end = resident(), bytes_end = cuzk_alloc_get_stats().bytes_now;
    (void)printf("%llu jobs in %.1f s: allocated %llu -> %llu KiB, resident %llu -> %llu KiB; %u "
                 "answers, mean %.1f ms, worst %.1f ms\n",
                 (unsigned long long)(5 * n), seconds, (unsigned long long)bytes / 1024,
                 (unsigned long long)bytes_end / 1024, (unsigned long long)rss / 1024,
                 (unsigned long long)rss_end / 1024, p.n, (double)p.total_ns * 1e-6 / p.n,
                 (double)p.worst_ns * 1e-6);
    CHECK(!p.failed && p.n > 0);
    CHECK_U64(view.completed, 5 * n);
    CHECK_U64(view.memory_used, used);
    CHECK_MSG(bytes_end <= bytes + (256 << 10), "allocated %llu, then %llu",
              (unsigned long long)bytes, (unsigned long long)bytes_end);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    CHECK_MSG(least_growth <= (1 << 20),
              "resident memory grows by %llu bytes or more in each fifth",
              (unsigned long long)least_growth);
#endif
    stack_stop(st);
}

static uint64_t process_cpu_ns(void)
{
    struct timespec t;
    CHECK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) == 0);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

/* Thousands of waiting jobs: answers stay small and quick, say how much they left out, and the queue drains. */
static void long_queue(void)
{
    enum { N = TEST_IS_SPARSE ? 600 : 3000 }; /* more than /status lists */
    cuzk_err err = {.code = CUZK_OK};
    char job_id[CUZK_JOB_ID_BYTES], *body = NULL;
    size_t n = 0;
    uint64_t best_ns = UINT64_MAX;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    const uint64_t enough_ns = UINT64_MAX;
#else
    const uint64_t enough_ns = 50000000;
#endif
    st = stack_start(1, false, &roomy);
    mock_close(&st->mock, MOCK_PROVE);
    cuzk_rpc_client *client = stack_client(st, PATIENCE_MS, NULL);
    for (uint64_t i = 0; i < N; i++) {
        const mock_job job = {.tag = i + 1, .n_partitions = 1};
        cuzk_bytes one;
        cuzk_job_request rq;
        uint32_t position = 0;
        char id[64];
        (void)snprintf(id, sizeof(id), "q-%llu", (unsigned long long)i);
        mock_request(&rq, CUZK_JOB_POREP, &job, &one, id);
        CHECK_OK(cuzk_rpc_client_submit(client, &rq, job_id, &position, &err), &err);
    }
    cuzk_rpc_client_destroy(client);
    for (int i = 0; i < (TEST_IS_SPARSE ? 3 : 20); i++) {
        sleep_ms(60);
        const uint64_t begin = process_cpu_ns();
        CHECK_OK(cuzk_http_get(&body, &n, st->http, "/status", PATIENCE_MS, (size_t)8 << 20, &err),
                 &err);
        const uint64_t took = process_cpu_ns() - begin;
        best_ns = took < best_ns ? took : best_ns;
        CHECK(n < 1024 * 1024);
        CHECK_OK(cuzk_status_view_parse(&view, body, n, "/status", &err), &err);
        cuzk_free(body);
    }
    uint64_t running = 0;
    for (uint32_t i = 0; i < view.n_queues; i++) {
        running += view.queues[i].in_progress;
    }
    CHECK_U64(view.queue_depth + running, N);
    CHECK_U64(view.n_jobs, CUZK_VIEW_JOBS);
    (void)printf("%d jobs wait: /status has %zu KiB and takes %.1f ms of a processor at best\n", N,
                 n / 1024, (double)best_ns * 1e-6);
    CHECK(best_ns < enough_ns); /* of all threads of this process: a busy machine does not matter */
    mock_open(&st->mock, MOCK_PROVE);
    stack_settle(st, UINT64_MAX, &view);
    CHECK_U64(view.completed, N);
    stack_stop(st);
}

/* One text, by either way; in the middle of work, and never back. */
static void metrics_by_http_and_grpc(void)
{
    enum { N = 6 };
    static stack_call calls[N];
    cuzk_err err = {.code = CUZK_OK};
    char *http = NULL, *grpc = NULL, id[64];
    size_t n = 0;
    memset(calls, 0, sizeof(calls));
    st = stack_start(2, false, &roomy);
    cuzk_rpc_client *client = stack_client(st, PATIENCE_MS, NULL);
    CHECK_OK(cuzk_rpc_client_metrics(client, &grpc, &err), &err);
    prom_text first = prom_parse(grpc);
    cuzk_free(grpc);
    mock_close(&st->mock, MOCK_PROVE);
    for (int i = 0; i < N; i++) {
        (void)snprintf(id, sizeof(id), "m-%d", i);
        stack_call_start(&calls[i], st, (cuzk_job_kind)(1 + i % CUZK_JOB_WINNING), 0, (uint64_t)i,
                         id);
    }
    mock_wait_inside(&st->mock, MOCK_PROVE, 2);
    do {
        stack_status(st, &view);
    } while (view.n_jobs < N);
    CHECK_OK(cuzk_http_get(&http, &n, st->http, "/metrics", PATIENCE_MS, (size_t)8 << 20, &err),
             &err);
    CHECK_OK(cuzk_rpc_client_metrics(client, &grpc, &err), &err);
    prom_text a = prom_parse(http), b = prom_parse(grpc);
    CHECK(prom_value(&a, "cuzk_running_jobs", "") + prom_value(&a, "cuzk_queue_depth", "") == N);
    CHECK(prom_value(&b, "cuzk_running_jobs", "") + prom_value(&b, "cuzk_queue_depth", "") == N);
    CHECK(prom_value(&a, "cuzk_memory_used_bytes", "") > 0);
    prom_check_monotonic(&first, &b);
    cuzk_free(http);
    cuzk_free(grpc);
    mock_open(&st->mock, MOCK_PROVE);
    for (int i = 0; i < N; i++) {
        stack_call_join(&calls[i]);
        CHECK_OK(calls[i].status, &calls[i].err);
        stack_call_free(&calls[i]);
    }
    CHECK_OK(cuzk_rpc_client_metrics(client, &grpc, &err), &err);
    prom_text last = prom_parse(grpc);
    prom_check_monotonic(&b, &last);
    CHECK_U64(prom_value(&last, "cuzk_proofs_completed_total", ""), N);
    CHECK_U64(prom_value(&last, "cuzk_proof_duration_seconds_count", "proof_kind=\"porep_c2\""), 2);
    CHECK_U64(prom_value(&last, "cuzk_stage_duration_seconds_count",
                         "stage=\"device\"proof_kind=\"winning_post\""),
              1);
    cuzk_free(grpc);
    prom_free(&first);
    prom_free(&a);
    prom_free(&b);
    prom_free(&last);
    cuzk_rpc_client_destroy(client);
    stack_stop(st);
}

static const cuzk_case cases[] = {CASE(critical_goes_next),
                                  CASE(cancel_in_each_stage),
                                  CASE(cancel_while_loading),
                                  CASE(cancel_while_waiting),
                                  CASE(metrics_by_http_and_grpc),
                                  CASE(long_queue),
                                  CASE(faults),
                                  CASE(memory_is_flat)};
TEST_MAIN("daemon/outside", cases)
