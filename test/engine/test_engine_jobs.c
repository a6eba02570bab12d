/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Jobs, while something else happens to them: retries, joins, cancels, settings, a slow store or logger. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sys/host_memory.h"
#include "trace/trace_read.h"

#include "mock_engine.h"
#include "test.h"

static void open_with_store(mock_engine *w, mock_store *store)
{
    mock_store_init(store);
    w->cfg.store = &store->vtable;
    mock_engine_open(w, 1);
}

static void close_with_store(mock_engine *w, mock_store *store)
{
    cuzk_engine_destroy(w->e);
    CHECK_U64(atomic_load(&w->b.used), 0);
    mock_destroy(&w->b);
    mock_store_destroy(store);
    CHECK_U64(cuzk_alloc_get_stats().blocks_now, w->before.blocks_now - 1); /* without the store */
}

typedef struct reader {
    _Atomic bool is_inside, may_go, is_done;
    char first[CUZK_JOB_ID_BYTES], then[CUZK_JOB_ID_BYTES];
} reader;

static void read_slowly(void *arg, const cuzk_job_result *r)
{
    reader *s = arg;
    (void)snprintf(s->first, sizeof(s->first), "%s", r->job_id);
    atomic_store(&s->is_inside, true);
    while (!atomic_load(&s->may_go)) {
        nap();
    }
    (void)snprintf(s->then, sizeof(s->then), "%s", r->job_id);
    atomic_store(&s->is_done, true);
}

static void wait_true(const _Atomic bool *flag)
{
    const uint64_t limit = cuzk_clock_ns() + PATIENCE_NS;
    while (!atomic_load(flag)) {
        CHECK_MSG(cuzk_clock_ns() < limit, "it does not happen");
        nap();
    }
}

/* A retry takes the id of a failed job while that job's callback still reads it. */
static void id_stays_in_callback(void)
{
    mock_engine w = {.e = NULL};
    reader s = {.is_inside = false};
    cuzk_err err;
    mock_engine_open(&w, 1);
    test_job *o = test_job_make(CUZK_JOB_WINDOW, 400, 1, "retry-me");
    o->job.bad_input = 1;
    CHECK_OK(cuzk_engine_prove(w.e, &o->rq, NULL, read_slowly, &s, &o->wait, &err), &err);
    wait_true(&s.is_inside);
    test_job_submit(&w, o); /* the same content again */
    CHECK_STR(o->id, "retry-me");
    atomic_store(&s.may_go, true);
    wait_true(&s.is_done);
    CHECK_STR(s.first, "retry-me");
    CHECK_STR(s.then, "retry-me");
    wait_rest(&w);
    test_job_free(o);
    mock_engine_close(&w);
}

/* Nanoseconds from an urgent caller's join of a job that waits for a device until that job is on the device. */
static uint64_t time_to_wake(void)
{
    mock_engine w = {.e = NULL};
    mock_engine_open(&w, 1);
    mock_close(&w.b, MOCK_PROVE);
    test_job *big = test_job_make(CUZK_JOB_POREP, 1, 1, "big");
    test_job *low = test_job_make(CUZK_JOB_WINNING, 2, 1, "win");
    test_job *urgent = test_job_make(CUZK_JOB_WINNING, 2, 1, "win");
    low->rq.priority = CUZK_PRIORITY_LOW;
    urgent->rq.priority = CUZK_PRIORITY_CRITICAL;
    test_job_prove(&w, big);
    mock_wait_inside(&w.b, MOCK_PROVE, 1);
    test_job_prove(&w, low);
    wait_for(&w.b.calls[MOCK_WITNESS], 2);
    for (int i = 0; i < 50; i++) {
        nap();
    }
    const uint64_t begin = cuzk_clock_ns();
    test_job_prove(&w, urgent);
    mock_wait_inside(&w.b, MOCK_PROVE, 2);
    const uint64_t took = cuzk_clock_ns() - begin;
    mock_open(&w.b, MOCK_PROVE);
    test_job *const all[] = {big, low, urgent};
    for (int i = 0; i < 3; i++) {
        engine_answer_wait(&all[i]->r);
        CHECK_MSG(is_right(all[i]), "%s", all[i]->r.error);
        test_job_free(all[i]);
    }
    wait_rest(&w);
    mock_engine_close(&w);
    return took;
}

/* A job that waits for a device is joined by an urgent caller: the place that is kept for it is used, at once and not at the tick of a
 * second. On a busy machine, one of some tries shows it. */
static void join_wakes(void)
{
    int tries = 1;
    while (time_to_wake() >= SECOND_NS / 2) {
        CHECK_MSG(tries < 20, "the job waits for the tick");
        tries++;
    }
}

/* A client sees what the store says, with nothing before it: the store names itself. */
static void store_speaks_for_itself(void)
{
    mock_engine w = {.e = NULL};
    mock_store store;
    cuzk_err err = {.msg = ""};
    open_with_store(&w, &store);
    atomic_store(&store.fail_put, 1000);
    test_job *o = test_job_make(CUZK_JOB_WINDOW, 790, 1, "refused");
    CHECK_STATUS(cuzk_engine_prove(w.e, &o->rq, NULL, engine_answer_set, &o->r, &o->wait, &err),
                 CUZK_E_IO);
    CHECK_STR(err.msg, "mock: no space left on device");
    test_job_free(o);
    close_with_store(&w, &store);
}

/* The store cannot record ends: they stay in memory, can be awaited, and are recorded when it can. */
static void ends_are_kept(void)
{
    mock_engine w = {.cfg = {.result_keep_count = 1}};
    mock_store store;
    cuzk_err err;
    static cuzk_engine_status s;
    open_with_store(&w, &store);
    atomic_store(&store.fail_finish, 1000);
    test_job *o[3];
    for (int i = 0; i < 3; i++) {
        char id[8];
        (void)snprintf(id, sizeof(id), "s%d", i);
        o[i] = test_job_make(CUZK_JOB_WINDOW, 800 + (uint64_t)i, 1, id);
        test_job_prove(&w, o[i]);
        engine_answer_wait(&o[i]->r);
        CHECK(is_right(o[i]));
        o[i]->r.calls = 0;
    }
    CHECK_OK(cuzk_engine_await(w.e, "s0", 0, engine_answer_set, &o[0]->r, &o[0]->wait, &err), &err);
    engine_answer_wait(&o[0]->r);
    CHECK(is_right(o[0]));
    status_of(&w, &s);
    CHECK_U64(s.unsaved_ends, 3);
    cuzk_engine_status_free(&s);
    atomic_store(&store.fail_finish, 0);
    cuzk_engine_destroy(w.e); /* the last try of all */
    uint64_t puts = atomic_load(&w.b.calls[MOCK_PROVE]);
    w.cfg.result_keep_count = 0; /* the store keeps them all */
    CHECK_OK(cuzk_engine_create(&w.e, &w.cfg, &err), &err);
    for (int i = 0; i < 3; i++) {
        char id[8];
        (void)snprintf(id, sizeof(id), "s%d", i);
        o[i]->r.calls = 0;
        CHECK_OK(cuzk_engine_await(w.e, id, 0, engine_answer_set, &o[i]->r, &o[i]->wait, &err),
                 &err);
        engine_answer_wait(&o[i]->r);
        CHECK(is_right(o[i]));
        test_job_free(o[i]);
    }
    CHECK_U64(atomic_load(&w.b.calls[MOCK_PROVE]), puts); /* nothing was proved again */
    close_with_store(&w, &store);
}

typedef struct proving {
    mock_engine *w;
    test_job *o;
} proving;

static void *prove_thread(void *arg)
{
    proving *p = arg;
    test_job_prove(p->w, p->o);
    return NULL;
}

/* A new job tries an id that an ended job in the store has: a cancel by this id does not hit the new one. */
static void cancel_hits_the_named(void)
{
    mock_engine w = {.cfg = {.result_keep_count = 2}};
    mock_store store;
    cuzk_err err;
    pthread_t t, t2;
    bool was_running = true;
    open_with_store(&w, &store);
    test_job *o[5];
    for (int i = 0; i < 4; i++) { /* the others push "same" out of memory */
        char id[8];
        (void)snprintf(id, sizeof(id), i == 0 ? "same" : "f%d", i);
        o[i] = test_job_make(CUZK_JOB_WINDOW, 850 + (uint64_t)i, 1, id);
        test_job_prove(&w, o[i]);
        engine_answer_wait(&o[i]->r);
    }
    wait_rest(&w);
    atomic_store(&store.holds_find, true);
    o[4] = test_job_make(CUZK_JOB_WINDOW, 899, 1, "same");
    proving p = {&w, o[4]};
    CHECK(pthread_create(&t, NULL, prove_thread, &p) == 0);
    wait_for(&store.in_find, 1);
    atomic_store(&store.holds_find, false);
    CHECK_OK(cuzk_engine_cancel(w.e, "same", &was_running, &err), &err);
    CHECK(!was_running);
    CHECK(pthread_join(t, NULL) == 0);
    engine_answer_wait(&o[4]->r);
    CHECK_MSG(is_right(o[4]), "%s", o[4]->r.error);
    CHECK(strcmp(o[4]->r.job_id, "same") != 0);
    /* a cancel that names a job which is being accepted waits for that */
    atomic_store(&store.holds_find, true);
    mock_close(&w.b, MOCK_PROVE);
    const uint64_t before = atomic_load(&store.in_find);
    test_job *fresh = test_job_make(CUZK_JOB_WINDOW, 950, 1, "fresh");
    p.o = fresh;
    CHECK(pthread_create(&t2, NULL, prove_thread, &p) == 0);
    wait_for(&store.in_find, before + 1);
    atomic_store(&store.holds_find, false);
    CHECK_OK(cuzk_engine_cancel(w.e, "fresh", &was_running, &err), &err);
    CHECK(pthread_join(t2, NULL) == 0);
    engine_answer_wait(&fresh->r);
    CHECK(fresh->r.state == CUZK_JOB_CANCELLED);
    mock_open(&w.b, MOCK_PROVE);
    for (int i = 0; i < 5; i++) {
        test_job_free(o[i]);
    }
    test_job_free(fresh);
    wait_rest(&w);
    close_with_store(&w, &store);
}

/* The store prunes for long: deadlines are kept. */
static void pruning_holds_up_nobody(void)
{
    mock_engine w = {.e = NULL};
    mock_store store;
    mock_store_init(&store);
    atomic_store(&store.holds_prune, true);
    w.cfg.store = &store.vtable;
    mock_engine_open(&w, 1);
    wait_for(&store.in_prune, 1);
    mock_close(&w.b, MOCK_PROVE);
    test_job *o = test_job_make(CUZK_JOB_WINDOW, 1100, 1, "d");
    o->rq.deadline_ns = cuzk_clock_ns() + SECOND_NS / 5;
    test_job_prove(&w, o);
    CHECK(gets_answer(o));
    CHECK(o->r.state == CUZK_JOB_CANCELLED);
    mock_open(&w.b, MOCK_PROVE);
    atomic_store(&store.holds_prune, false);
    test_job_free(o);
    wait_rest(&w);
    close_with_store(&w, &store);
}

static _Atomic bool log_is_held;
static _Atomic uint64_t in_log, lines_lost;

static void stalling_log(void *arg, int level, const char *event, const char *const *kv)
{
    (void)arg;
    (void)level;
    atomic_fetch_add(&in_log, 1);
    while (atomic_load(&log_is_held)) {
        nap();
    }
    if (strcmp(event, "log.lost") == 0) {
        atomic_fetch_add(&lines_lost, strtoull(kv[1], NULL, 10));
    }
}

/* A logger that stalls: jobs, status and cancels go on; what does not fit is counted. */
static void logger_stalls(void)
{
    cuzk_err err;
    static cuzk_engine_status s;
    const cuzk_alloc_stats before = cuzk_alloc_get_stats();
    mock_engine w = {.e = NULL};
    mock_init(&w.b, 1);
    const cuzk_engine_config cfg = {.budget_bytes = 1024 * MOCK_MIB,
                                    .winning_reserve_bytes = 16 * MOCK_MIB,
                                    .backend = &w.b.vtable,
                                    .log = stalling_log};
    atomic_store(&log_is_held, true);
    CHECK_OK(cuzk_engine_create(&w.e, &cfg, &err), &err);
    for (uint64_t i = 0; i < 300; i++) {
        test_job *o = test_job_make(CUZK_JOB_WINDOW, i, 1, "");
        test_job_prove(&w, o);
        engine_answer_wait(&o->r);
        CHECK(is_right(o));
        test_job_free(o);
    }
    wait_for(&in_log, 1); /* the thread that logs may come late to its first line */
    status_of(&w, &s);
    const uint64_t lost = s.log_lines_lost;
    cuzk_engine_status_free(&s);
    CHECK(atomic_load(&in_log) == 1 && lost > 0);
    atomic_store(&log_is_held, false);
    for (const uint64_t limit = cuzk_clock_ns() + PATIENCE_NS; atomic_load(&lines_lost) < lost;) {
        CHECK_MSG(cuzk_clock_ns() < limit, "lost lines are not counted");
        nap();
    }
    cuzk_engine_destroy(w.e);
    mock_destroy(&w.b);
    CHECK_U64(cuzk_alloc_get_stats().blocks_now, before.blocks_now);
}

/* A larger reserve under the same budget would shut an accepted job out: it is refused, and names the job. */
static void reserve_grows(void)
{
    mock_engine w = {.cfg = {.budget_bytes = cuzk_host_memory_resident() + 300 * MOCK_MIB}};
    cuzk_err err = {.msg = ""};
    mock_engine_open(&w, 1);
    mock_close(&w.b, MOCK_CHECK);
    test_job *o = test_job_make(CUZK_JOB_WINDOW, 500, 1, "shut-out");
    test_job_prove(&w, o);
    mock_wait_inside(&w.b, MOCK_CHECK, 1);
    cuzk_engine_config c = w.cfg;
    c.winning_reserve_bytes = 250 * MOCK_MIB;
    CHECK_STATUS(cuzk_engine_reconfigure(w.e, &c, &err), CUZK_E_BUDGET);
    CHECK_MSG(strstr(err.msg, "shut-out") != NULL, "%s", err.msg);
    mock_open(&w.b, MOCK_CHECK);
    engine_answer_wait(&o->r);
    CHECK_MSG(is_right(o), "%s", o->r.error);
    test_job_free(o);
    wait_rest(&w);
    CHECK_OK(cuzk_engine_reconfigure(w.e, &c, &err), &err); /* nobody is shut out now */
    mock_engine_close(&w);
}

/* A load that had waited for memory has it: others run while it goes on. */
static void load_holds_up_nobody(void)
{
    mock_engine w = {.cfg = {.eviction_min_idle_ms = 3600 * 1000, .slots_per_device = 2}};
    cuzk_err err = {.msg = ""};
    static cuzk_engine_status s;
    w.cfg.budget_bytes = cuzk_host_memory_resident() + 400 * MOCK_MIB;
    mock_engine_open(&w, 1);
    test_job *a[4];
    mock_close(&w.b, MOCK_PROVE);
    for (uint64_t i = 0; i < 3; i++) {
        a[i] = test_job_make(CUZK_JOB_WINDOW, 600 + i, 1, "");
        test_job_prove(&w, a[i]);
    }
    mock_wait_inside(&w.b, MOCK_PROVE, 2);
    wait_for(&w.b.calls[MOCK_WITNESS], 3);
    const uint64_t loads = atomic_load(&w.b.calls[MOCK_LOAD]);
    mock_close(&w.b, MOCK_LOAD);
    status_of(&w, &s);
    cuzk_engine_config c = w.cfg;
    c.budget_bytes =
        s.budget_used + 34 * MOCK_MIB; /* 18 free beyond the reserve, a load takes 20 */
    cuzk_engine_status_free(&s);
    CHECK_OK(cuzk_engine_reconfigure(w.e, &c, &err), &err);
    test_job *b = test_job_make(CUZK_JOB_POREP, 700, 1, "b");
    test_job_prove(&w, b);
    for (int i = 0; i < 100; i++) {
        nap();
    }
    CHECK_U64(atomic_load(&w.b.calls[MOCK_LOAD]), loads); /* it waits for memory */
    mock_open(&w.b, MOCK_PROVE);
    wait_for(&w.b.calls[MOCK_LOAD], loads + 1); /* now it has some, and hangs */
    a[3] = test_job_make(CUZK_JOB_WINDOW, 690, 1, "");
    test_job_prove(&w, a[3]);
    CHECK_MSG(gets_answer(a[3]), "another circuit's load holds up the job");
    mock_open(&w.b, MOCK_LOAD);
    for (int i = 0; i < 4; i++) {
        engine_answer_wait(&a[i]->r);
        CHECK_MSG(is_right(a[i]), "%s", a[i]->r.error);
        test_job_free(a[i]);
    }
    engine_answer_wait(&b->r);
    CHECK_MSG(is_right(b), "%s", b->r.error);
    test_job_free(b);
    wait_rest(&w);
    mock_engine_close(&w);
}

/* A job becomes privileged between its witness and the CPU: its bytes come back as what they were taken. */
static void raised_before_cpu(void)
{
    mock_engine w = {.with_fallback = true, .cfg = {.cpu_when_lost = true, .cpu_after_ms = 10}};
    mock_engine_open(&w, 1);
    atomic_store(&w.b.no_gpu, true);
    for (uint64_t k = 0; k < 16; k++) { /* as many rounds as would use up the reserve */
        mock_close(&w.b, MOCK_PROVE);
        w.b.hanging_device = 1 + w.b.n_devices;
        test_job *busy = test_job_make(CUZK_JOB_WINDOW, 1310 + k, 1, "");
        test_job *low = test_job_make(CUZK_JOB_WINNING, 2320 + k, 1, "win");
        test_job *urgent = test_job_make(CUZK_JOB_WINNING, 2320 + k, 1, "win");
        low->rq.priority = CUZK_PRIORITY_LOW;
        urgent->rq.priority = CUZK_PRIORITY_CRITICAL;
        test_job_prove(&w, busy);
        while (atomic_load(&w.b.on_device[MOCK_CPU]) == 0) {
            nap();
        }
        const uint64_t witnesses = atomic_load(&w.b.calls[MOCK_WITNESS]);
        test_job_prove(&w, low);
        wait_for(&w.b.calls[MOCK_WITNESS], witnesses + 1);
        for (int i = 0; i < 20; i++) {
            nap();
        }
        test_job_prove(&w, urgent);
        mock_open(&w.b, MOCK_PROVE);
        test_job *const all[] = {busy, low, urgent};
        for (int i = 0; i < 3; i++) {
            engine_answer_wait(&all[i]->r);
            CHECK_MSG(is_right(all[i]), "%s", all[i]->r.error);
            test_job_free(all[i]);
        }
        wait_rest(&w);
    }
    mock_engine_close(&w);
}

typedef struct refused {
    mock_engine *w;
    test_job *o;
    cuzk_status st;
    cuzk_err err;
} refused;

static void *try_thread(void *arg)
{
    refused *r = arg;
    r->st = cuzk_engine_prove(r->w->e, &r->o->rq, NULL, engine_answer_set, &r->o->r, &r->o->wait,
                              &r->err);
    return NULL;
}

/* The budget shrinks between the look at a request and its acceptance: the new budget decides. */
static void settings_change_while_accepting(void)
{
    mock_engine w = {.cfg = {.budget_bytes = cuzk_host_memory_resident() + 900 * MOCK_MIB}};
    mock_store store;
    cuzk_err err = {.msg = ""};
    static cuzk_engine_status s;
    pthread_t t;
    open_with_store(&w, &store);
    cuzk_engine_config c = w.cfg;
    status_of(&w, &s);
    c.budget_bytes = s.budget_used + 60 * MOCK_MIB;
    cuzk_engine_status_free(&s);
    atomic_store(&store.holds_content, true);
    refused r = {.w = &w, .o = test_job_make(CUZK_JOB_POREP, 1400, 1, "shrinks")};
    CHECK(pthread_create(&t, NULL, try_thread, &r) == 0);
    wait_for(&store.in_find, 1);
    CHECK_OK(cuzk_engine_reconfigure(w.e, &c, &err), &err);
    atomic_store(&store.holds_content, false);
    CHECK(pthread_join(t, NULL) == 0);
    CHECK_STATUS(r.st, CUZK_E_BUDGET);
    CHECK_MSG(strstr(r.err.msg, "can never fit") != NULL, "%s", r.err.msg);
    CHECK_OK(cuzk_engine_reconfigure(w.e, &w.cfg, &err), &err);
    test_job_prove(&w, r.o);
    engine_answer_wait(&r.o->r);
    CHECK(is_right(r.o));
    test_job_free(r.o);
    wait_rest(&w);
    close_with_store(&w, &store);
}

/* The queue is full of others: WinningPoSt still has places, and not without end. */
static void winning_has_places(void)
{
    mock_engine w = {.cfg = {.max_queued_jobs = 3}};
    cuzk_err err;
    test_job *o[40];
    uint32_t n = 0, n_winning = 0;
    mock_engine_open(&w, 1);
    mock_close(&w.b, MOCK_PARSE);
    for (cuzk_status st = CUZK_OK; st == CUZK_OK; n++) {
        o[n] = test_job_make(CUZK_JOB_WINDOW, n, 1, "");
        st =
            cuzk_engine_prove(w.e, &o[n]->rq, NULL, engine_answer_set, &o[n]->r, &o[n]->wait, &err);
    }
    CHECK_U64(--n, 3);
    test_job_free(o[n]);
    test_job *low = test_job_make(CUZK_JOB_WINNING, 90, 1, "");
    low->rq.priority = CUZK_PRIORITY_LOW;
    CHECK_STATUS(
        cuzk_engine_prove(w.e, &low->rq, NULL, engine_answer_set, &low->r, &low->wait, &err),
        CUZK_E_BUDGET);
    test_job_free(low);
    for (cuzk_status st = CUZK_OK; st == CUZK_OK; n_winning++) {
        test_job *win = o[n + n_winning] = test_job_make(CUZK_JOB_WINNING, 100 + n_winning, 1, "");
        st = cuzk_engine_prove(w.e, &win->rq, NULL, engine_answer_set, &win->r, &win->wait, &err);
    }
    CHECK_U64(--n_winning, 16);
    test_job_free(o[n + n_winning]);
    for (unsigned i = 0; i < 5; i++) { /* other callers have one place each, four in all */
        static const char *const names[] = {"b", "c", "b", "d", "e"};
        test_job *win = test_job_make(CUZK_JOB_WINNING, 200 + i, 1, "");
        win->rq.owner = (cuzk_bytes){(const uint8_t *)names[i], 1};
        const cuzk_status st =
            cuzk_engine_prove(w.e, &win->rq, NULL, engine_answer_set, &win->r, &win->wait, &err);
        CHECK_MSG(st == (i == 2 ? CUZK_E_BUDGET : CUZK_OK), "%s: %s", names[i], err.msg);
        if (st == CUZK_OK) {
            o[n + n_winning++] = win;
        } else {
            test_job_free(win);
        }
    }
    test_job *fifth = test_job_make(CUZK_JOB_WINNING, 300, 1, "");
    fifth->rq.owner = (cuzk_bytes){(const uint8_t *)"f", 1};
    CHECK_STATUS(
        cuzk_engine_prove(w.e, &fifth->rq, NULL, engine_answer_set, &fifth->r, &fifth->wait, &err),
        CUZK_E_BUDGET);
    test_job_free(fifth);
    mock_open(&w.b, MOCK_PARSE);
    for (uint32_t i = 0; i < n + n_winning; i++) {
        engine_answer_wait(&o[i]->r);
        CHECK_MSG(is_right(o[i]), "%s", o[i]->r.error);
        test_job_free(o[i]);
    }
    wait_rest(&w);
    mock_engine_close(&w);
}

typedef struct told {
    engine_answer r;
    char class[16], text[256], peer[CUZK_PEER_BYTES];
    cuzk_job_times times;
} told;

static void take_told(void *arg, const cuzk_job_result *result)
{
    told *t = arg;
    (void)snprintf(t->class, sizeof(t->class), "%s", result->error_class);
    (void)snprintf(t->text, sizeof(t->text), "%s", result->error_text);
    (void)snprintf(t->peer, sizeof(t->peer), "%s", result->peer);
    t->times = result->times;
    engine_answer_set(&t->r, result);
}

static uint64_t sum(const cuzk_job_times *t)
{
    return t->accept_ns + t->queue_ns + t->load_ns + t->wait_ns + t->return_ns + t->prepare_ns +
           t->witness_ns + t->device_ns + t->verify_ns;
}

/* What is said of a job: the reason in two fields, who sent it, and times that add up. */
static void fields(void)
{
    mock_engine w = {.e = NULL};
    cuzk_err err;
    static cuzk_engine_status s;
    mock_engine_open(&w, 1);
    static const uint32_t us[] = {[MOCK_PARSE] = 3000,  [MOCK_CHECK] = 4000,  [MOCK_WITNESS] = 9000,
                                  [MOCK_PROVE] = 15000, [MOCK_VERIFY] = 6000, [MOCK_LOAD] = 8000};
    for (int i = 0; i <= MOCK_LOAD; i++) {
        atomic_store(&w.b.sleep_us[i], us[i]);
    }
    for (uint32_t bad = 0; bad < 3; bad++) {
        test_job *o = test_job_make(CUZK_JOB_POREP, 70, bad == 0 ? 4 : 1, "");
        told t = {.class = ""};
        o->job.bad_input = bad;
        o->rq.peer = "10.1.2.3:4567";
        engine_answer_init(&t.r);
        CHECK_OK(cuzk_engine_prove(w.e, &o->rq, NULL, take_told, &t, &o->wait, &err), &err);
        engine_answer_wait(&t.r);
        CHECK_STR(t.peer, "10.1.2.3:4567");
        CHECK_STR(t.class, bad == 0 ? "" : "input");
        CHECK_STR(t.text, bad == 0   ? ""
                          : bad == 1 ? "mock: bad input"
                                     : "partition 0, challenge 3: mock: wrong path");
        CHECK_U64(sum(&t.times), t.times.total_ns);
        CHECK(t.times.total_ns >= SECOND_NS / 1000 * (bad == 1 ? 3 : 7) && t.times.prepare_ns > 0);
        if (bad == 0) {
            CHECK(t.times.load_ns >= SECOND_NS / 1000 * 8);
            /* four in a row; while one is verified and the next is on the device, verifying counts */
            CHECK(t.times.device_ns > 0);
            CHECK(t.times.device_ns + t.times.verify_ns >= SECOND_NS / 1000 * 60);
            CHECK(t.times.witness_ns >= SECOND_NS / 1000 * 9 && t.times.verify_ns > 0);
        }
        status_of(&w, &s);
        const cuzk_status_job *j = &s.jobs[s.n_jobs - 1];
        CHECK_STR(j->peer, "10.1.2.3:4567");
        CHECK_STR(j->error_class, t.class);
        CHECK_STR(j->error_text, t.text);
        CHECK_U64(sum(&j->times), j->times.total_ns);
        cuzk_engine_status_free(&s);
        engine_answer_destroy(&t.r);
        test_job_free(o);
    }
    wait_rest(&w);
    mock_engine_close(&w);
}

/* Devices wait for a witness, nothing waits for the check: it begins when the first witness is there. */
static void witness_before_check(void)
{
    cuzk_trace *trace = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_trace_create(&trace, 256, &err), &err);
    mock_engine w = {.starts_early = true, .cfg = {.trace = trace}};
    mock_engine_open(&w, 1);
    test_job *loads = test_job_make(CUZK_JOB_POREP, 1, 1, "");
    test_job *o = test_job_make(CUZK_JOB_POREP, 2, 3, "");
    test_job_prove(&w, loads);
    engine_answer_wait(&loads->r);
    CHECK(is_right(loads));
    const uint64_t checks = atomic_load(&w.b.calls[MOCK_CHECK]);
    mock_close(&w.b, MOCK_WITNESS);
    test_job_prove(&w, o);
    mock_wait_inside(&w.b, MOCK_WITNESS, 1);
    for (int i = 0; i < 10; i++) {
        nap();
    }
    CHECK_U64(atomic_load(&w.b.calls[MOCK_CHECK]), checks);
    mock_open(&w.b, MOCK_WITNESS);
    engine_answer_wait(&o->r);
    CHECK(is_right(o));
    CHECK_U64(atomic_load(&w.b.calls[MOCK_CHECK]), checks + 1);
    static const char *const stages[] = {"accept", "parse",  "check", "witness",
                                         "device", "verify", "return"};
    for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) { /* each stage has its span */
        CHECK_MSG(cuzk_trace_sum(trace, 0, NULL, stages[i]) > 0, "%s", stages[i]);
    }
    test_job_free(loads);
    test_job_free(o);
    wait_rest(&w);
    mock_engine_close(&w);
    cuzk_trace_destroy(trace);
}

static const cuzk_case cases[] = {CASE(witness_before_check),
                                  CASE(id_stays_in_callback),
                                  CASE(join_wakes),
                                  CASE(store_speaks_for_itself),
                                  CASE(ends_are_kept),
                                  CASE(cancel_hits_the_named),
                                  CASE(pruning_holds_up_nobody),
                                  CASE(logger_stalls),
                                  CASE(reserve_grows),
                                  CASE(load_holds_up_nobody),
                                  CASE(raised_before_cpu),
                                  CASE(settings_change_while_accepting),
                                  CASE(winning_has_places),
                                  CASE(fields)};
TEST_MAIN("engine/jobs", cases)
