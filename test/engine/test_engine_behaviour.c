/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What callers can rely on, with a mock prover whose stages stop at gates. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

#include "mock_engine.h"
#include "test.h"

static void same_id_other_content(void)
{
    mock_engine w = {.e = NULL};
    mock_engine_open(&w, 2);
    for (uint64_t round = 0; round < 20; round++) {
        test_job *a = test_job_make(CUZK_JOB_WINDOW, 2 * round, 1, "wdpost-1000-0-[1 2 3]");
        test_job *b = test_job_make(CUZK_JOB_WINDOW, 2 * round + 1, 1, "wdpost-1000-0-[1 2 3]");
        test_job_prove(&w, a);
        test_job_prove(&w, b);
        engine_answer_wait(&a->r);
        engine_answer_wait(&b->r);
        CHECK(is_right(a) && is_right(b));
        CHECK(strcmp(a->r.job_id, b->r.job_id) != 0);
        CHECK_STR(a->r.request_id, "wdpost-1000-0-[1 2 3]");
        test_job_free(a);
        test_job_free(b);
    }
    mock_engine_close(&w);
}

/* Equal content and id: one job, while it waits, runs, and is kept. */
static void joins(void)
{
    mock_engine w = {.e = NULL};
    cuzk_err err;
    mock_engine_open(&w, 1);
    test_job *o[4];
    for (int i = 0; i < 4; i++) {
        o[i] = test_job_make(CUZK_JOB_POREP, 7, 3, "porep-1000-1");
    }
    mock_close(&w.b, MOCK_PROVE);
    test_job_prove(&w, o[0]);
    mock_wait_inside(&w.b, MOCK_PROVE, 1);
    test_job_prove(&w, o[1]);
    test_job_submit(&w, o[2]);
    CHECK_STR(o[2]->id, "porep-1000-1");
    CHECK_OK(cuzk_engine_await(w.e, o[2]->id, 0, engine_answer_set, &o[2]->r, &o[2]->wait, &err),
             &err);
    mock_open(&w.b, MOCK_PROVE);
    for (int i = 0; i < 3; i++) {
        engine_answer_wait(&o[i]->r);
        CHECK(is_right(o[i]));
    }
    test_job_prove(&w, o[3]);
    engine_answer_wait(&o[3]->r);
    CHECK(is_right(o[3]));
    CHECK_U64(atomic_load(&w.b.calls[MOCK_PROVE]), 3);
    CHECK_U64(atomic_load(&w.b.calls[MOCK_PARSE]), 1);
    for (int i = 0; i < 4; i++) {
        test_job_free(o[i]);
    }
    wait_rest(&w);
    mock_engine_close(&w);
}

typedef struct caller {
    mock_engine *w;
    test_job *o;
    pthread_t thread;
    cuzk_status st;
} caller;

static void *call(void *arg)
{
    caller *c = arg;
    cuzk_err err;
    c->st =
        cuzk_engine_prove(c->w->e, &c->o->rq, NULL, engine_answer_set, &c->o->r, &c->o->wait, &err);
    return NULL;
}

/* Equal jobs from many threads at once, while the first is being recorded: one job. When it cannot
 * be recorded, another one is tried. */
static void joins_at_once(void)
{
    for (uint32_t round = 0; round < 6; round++) {
        mock_store store;
        mock_store_init(&store);
        mock_engine w = {.cfg = {.store = &store.vtable}};
        caller c[8];
        atomic_store(&store.put_us, 3000);
        atomic_store(&store.fail_put, round % 2 == 0 ? 0 : 400);
        mock_engine_open(&w, 1);
        for (int i = 0; i < 8; i++) {
            c[i] = (caller){.w = &w, .o = test_job_make(CUZK_JOB_POREP, 7, 2, "porep")};
            CHECK(pthread_create(&c[i].thread, NULL, call, &c[i]) == 0);
        }
        uint32_t accepted = 0;
        for (int i = 0; i < 8; i++) {
            (void)pthread_join(c[i].thread, NULL);
            CHECK(c[i].st == CUZK_OK || (round % 2 == 1 && c[i].st == CUZK_E_IO));
            if (c[i].st == CUZK_OK) {
                accepted++;
                engine_answer_wait(&c[i].o->r);
                CHECK(is_right(c[i].o));
                CHECK_STR(c[i].o->r.job_id, "porep");
            }
        }
        CHECK_U64(atomic_load(&w.b.calls[MOCK_PARSE]), accepted != 0 ? 1 : 0);
        for (int i = 0; i < 8; i++) {
            test_job_free(c[i].o);
        }
        cuzk_engine_destroy(w.e);
        CHECK_U64(atomic_load(&w.b.used), 0);
        mock_destroy(&w.b);
        mock_store_destroy(&store);
    }
}

/* A block is released exactly once: when its job has been parsed, or at once when it was joined. */
typedef struct releases {
    _Atomic uint32_t n;
} releases;

static void count_release(void *arg)
{
    releases *r = arg;
    atomic_fetch_add(&r->n, 1);
}

static void blocks(void)
{
    mock_engine w = {.e = NULL};
    cuzk_err err;
    releases released[3] = {{0}, {0}, {0}};
    mock_engine_open(&w, 1);
    test_job *a = test_job_make(CUZK_JOB_POREP, 1, 1, "x");
    test_job *b = test_job_make(CUZK_JOB_POREP, 1, 1, "x");
    test_job *bad = test_job_make(CUZK_JOB_POREP, 1, 1, "y");
    const cuzk_owned_block ba = {&released[0], 100, count_release};
    const cuzk_owned_block bb = {&released[1], 100, count_release};
    const cuzk_owned_block bc = {&released[2], 100, count_release};
    mock_close(&w.b, MOCK_PARSE);
    CHECK_OK(cuzk_engine_prove(w.e, &a->rq, &ba, engine_answer_set, &a->r, &a->wait, &err), &err);
    mock_wait_inside(&w.b, MOCK_PARSE, 1);
    CHECK_U64(atomic_load(&released[0].n), 0);
    CHECK_OK(cuzk_engine_prove(w.e, &b->rq, &bb, engine_answer_set, &b->r, &b->wait, &err), &err);
    CHECK_U64(atomic_load(&released[1].n), 1);
    bad->rq.kind = (cuzk_job_kind)9;
    CHECK_STATUS(
        cuzk_engine_prove(w.e, &bad->rq, &bc, engine_answer_set, &bad->r, &bad->wait, &err),
        CUZK_E_INVALID);
    mock_open(&w.b, MOCK_PARSE);
    engine_answer_wait(&a->r);
    engine_answer_wait(&b->r);
    CHECK(is_right(a) && is_right(b));
    CHECK_U64(atomic_load(&released[0].n), 1);
    CHECK_U64(atomic_load(&released[1].n), 1);
    CHECK_U64(atomic_load(&released[2].n), 0);
    test_job_free(a);
    test_job_free(b);
    test_job_free(bad);
    mock_engine_close(&w);
}

static void odd_ids(void)
{
    mock_engine w = {.e = NULL};
    mock_engine_open(&w, 1);
    char longest[700];
    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    const char *ids[] = {"", "", "job-1", longest, "#", "a b\tc", "\xc3\xa9\xe2\x82\xac"};
    test_job *o[7];
    for (uint64_t i = 0; i < 7; i++) {
        o[i] = test_job_make(CUZK_JOB_WINNING, i, 1, ids[i]);
        test_job_submit(&w, o[i]);
        for (uint64_t k = 0; k < i; k++) {
            CHECK(strcmp(o[i]->id, o[k]->id) != 0);
        }
        CHECK(o[i]->id[0] != '\0');
    }
    for (int i = 0; i < 7; i++) {
        cuzk_err err;
        CHECK_OK(
            cuzk_engine_await(w.e, o[i]->id, 0, engine_answer_set, &o[i]->r, &o[i]->wait, &err),
            &err);
        engine_answer_wait(&o[i]->r);
        CHECK(is_right(o[i]));
        test_job_free(o[i]);
    }
    mock_engine_close(&w);
}

static const mock_stage gated[] = {MOCK_PARSE, MOCK_CHECK, MOCK_WITNESS, MOCK_PROVE, MOCK_VERIFY};

/* Cancel in each stage: the waiter is told at once, memory and queues come back. */
static void cancel_everywhere(void)
{
    for (size_t i = 0; i < sizeof(gated) / sizeof(gated[0]); i++) {
        for (int how = 0; how < 3; how++) { /* CancelProof, deadline, client gone */
            mock_engine w = {.e = NULL};
            cuzk_err err;
            bool was_running = false;
            mock_engine_open(&w, 1);
            test_job *o = test_job_make(CUZK_JOB_POREP, i, 3, "porep");
            test_job *behind = test_job_make(CUZK_JOB_POREP, 100 + i, 1, "behind");
            mock_close(&w.b, gated[i]);
            if (how == 1) {
                o->rq.deadline_ns = cuzk_clock_ns() + 150 * 1000000;
            }
            o->rq.cancel_when_unwatched = how == 2;
            test_job_prove(&w, o);
            test_job_prove(&w, behind);
            mock_wait_inside(&w.b, gated[i], 1);
            if (how == 0) {
                CHECK_OK(cuzk_engine_cancel(w.e, "porep", &was_running, &err), &err);
                CHECK(was_running);
            } else if (how == 2) {
                CHECK(cuzk_engine_unwait(w.e, o->wait));
            }
            if (how != 2) {
                engine_answer_wait(&o->r);
                CHECK_MSG(o->r.state == CUZK_JOB_CANCELLED, "%d", (int)o->r.state);
                CHECK_MSG(strstr(o->r.error, how == 0 ? "cancelled" : "deadline") != NULL, "%s",
                          o->r.error);
            }
            mock_open(&w.b, gated[i]);
            engine_answer_wait(&behind->r);
            CHECK(is_right(behind));
            wait_rest(&w);
            if (how == 2) {
                CHECK_U64(o->r.calls, 0);
            }
            test_job_free(o);
            test_job_free(behind);
            mock_engine_close(&w);
        }
    }
}

static void cancel_queued_and_over(void)
{
    mock_engine w = {.e = NULL};
    cuzk_err err;
    bool was_running = true;
    mock_engine_open(&w, 1);
    mock_close(&w.b, MOCK_PARSE);
    test_job *first = test_job_make(CUZK_JOB_POREP, 1, 1, "first");
    test_job *second = test_job_make(CUZK_JOB_POREP, 2, 1, "second");
    test_job_prove(&w, first);
    mock_wait_inside(&w.b, MOCK_PARSE, 1);
    test_job_prove(&w, second);
    CHECK_OK(cuzk_engine_cancel(w.e, "second", &was_running, &err), &err);
    CHECK(!was_running);
    engine_answer_wait(&second->r);
    CHECK(second->r.state == CUZK_JOB_CANCELLED);
    mock_open(&w.b, MOCK_PARSE);
    engine_answer_wait(&first->r);
    CHECK(is_right(first));
    CHECK_OK(cuzk_engine_cancel(w.e, "first", &was_running, &err), &err); /* stays as it is */
    CHECK(!was_running);
    CHECK_STATUS(cuzk_engine_cancel(w.e, "third", &was_running, &err), CUZK_E_NOT_FOUND);
    test_job *again =
        test_job_make(CUZK_JOB_POREP, 2, 1, "second"); /* after a cancel it is proved anew */
    test_job_prove(&w, again);
    engine_answer_wait(&again->r);
    CHECK(is_right(again));
    CHECK_STR(again->r.job_id, "second");
    test_job_free(first);
    test_job_free(second);
    test_job_free(again);
    wait_rest(&w);
    mock_engine_close(&w);
}

static void expired_job_never_starts(void)
{
    mock_engine w = {.e = NULL};
    mock_engine_open(&w, 1);
    mock_close(&w.b, MOCK_PROVE);
    test_job *first = test_job_make(CUZK_JOB_POREP, 1, 1, "first");
    test_job *late = test_job_make(CUZK_JOB_POREP, 2, 1, "late");
    test_job_prove(&w, first);
    mock_wait_inside(&w.b, MOCK_PROVE, 1);
    late->rq.deadline_ns = cuzk_clock_ns() + 50 * 1000000;
    test_job_prove(&w, late);
    engine_answer_wait(&late->r);
    CHECK(late->r.state == CUZK_JOB_CANCELLED && late->r.code == CUZK_E_CANCELLED);
    mock_open(&w.b, MOCK_PROVE);
    engine_answer_wait(&first->r);
    wait_rest(&w);
    CHECK_U64(atomic_load(&w.b.calls[MOCK_PROVE]), 1);
    test_job_free(first);
    test_job_free(late);
    mock_engine_close(&w);
}

/* The client's wait times out; the job goes on, and a later wait gets the proof. */
static void waits(void)
{
    mock_engine w = {.e = NULL};
    cuzk_err err;
    mock_engine_open(&w, 1);
    test_job *o = test_job_make(CUZK_JOB_POREP, 1, 2, "porep");
    static engine_answer again[3]; /* static: frames are small */
    cuzk_wait wait[3];
    mock_close(&w.b, MOCK_WITNESS);
    test_job_submit(&w, o);
    mock_wait_inside(&w.b, MOCK_WITNESS, 1); /* it runs, however busy the machine is */
    CHECK_OK(cuzk_engine_await(w.e, "porep", 30, engine_answer_set, &o->r, &o->wait, &err), &err);
    engine_answer_wait(&o->r);
    CHECK(o->r.state == CUZK_JOB_RUNNING);
    for (int i = 0; i < 3; i++) {
        engine_answer_init(&again[i]);
    }
    CHECK_OK(cuzk_engine_await(w.e, "porep", 0, engine_answer_set, &again[0], &wait[0], &err),
             &err);
    CHECK_OK(cuzk_engine_await(w.e, "porep", 0, engine_answer_set, &again[1], &wait[1], &err),
             &err);
    CHECK(cuzk_engine_unwait(w.e, wait[1]));
    CHECK(!cuzk_engine_unwait(w.e, wait[1]));
    CHECK(!cuzk_engine_unwait(w.e, 0));
    mock_open(&w.b, MOCK_WITNESS);
    engine_answer_wait(&again[0]);
    CHECK(again[0].state == CUZK_JOB_COMPLETED);
    CHECK_OK(cuzk_engine_await(w.e, "porep", 1, engine_answer_set, &again[2], &wait[2], &err),
             &err);
    engine_answer_wait(&again[2]);
    CHECK_MEM(again[2].proof, again[0].proof, 384);
    CHECK_U64(again[1].calls, 0);
    for (int i = 0; i < 3; i++) {
        engine_answer_destroy(&again[i]);
    }
    test_job_free(o);
    mock_engine_close(&w);
}

/* 50 calls are counted at once; beyond the limit they are refused, and may be tried later. */
static void counted_at_once(void)
{
    mock_engine w = {.cfg = {.max_queued_jobs = 50}};
    cuzk_err err = {.msg = ""};
    static cuzk_engine_status s;
    mock_engine_open(&w, 1);
    mock_close(&w.b, MOCK_PARSE);
    test_job *o[51];
    for (uint64_t i = 0; i < 51; i++) {
        o[i] = test_job_make(CUZK_JOB_POREP, i, 1, "");
        if (i < 50) {
            test_job_prove(&w, o[i]);
        }
    }
    status_of(&w, &s);
    CHECK_U64(s.pending[CUZK_JOB_POREP] + s.in_progress[CUZK_JOB_POREP], 50);
    cuzk_engine_status_free(&s);
    CHECK_STATUS(
        cuzk_engine_prove(w.e, &o[50]->rq, NULL, engine_answer_set, &o[50]->r, &o[50]->wait, &err),
        CUZK_E_BUDGET);
    CHECK(strstr(err.msg, "50 jobs") != NULL);
    mock_open(&w.b, MOCK_PARSE);
    for (int i = 0; i < 50; i++) {
        engine_answer_wait(&o[i]->r);
        CHECK(is_right(o[i]));
    }
    wait_rest(&w);
    cuzk_engine_drain(w.e);
    CHECK_STATUS(
        cuzk_engine_prove(w.e, &o[50]->rq, NULL, engine_answer_set, &o[50]->r, &o[50]->wait, &err),
        CUZK_E_CANCELLED);
    for (int i = 0; i < 51; i++) {
        test_job_free(o[i]);
    }
    mock_engine_close(&w);
}

/* A full queue of NORMAL work: a WinningPoSt goes at once, through what is held for it; a CRITICAL
 * job of another kind waits for one device slice. */
static void critical_first(void)
{
    mock_engine w = {.e = NULL};
    mock_engine_open(&w, 1);
    test_job *normal[20];
    for (uint64_t i = 0; i < 20; i++) {
        normal[i] = test_job_make(CUZK_JOB_POREP, i, 4, "");
    }
    mock_close(&w.b, MOCK_PROVE);
    w.b.hanging_device = 0;
    for (int i = 0; i < 20; i++) {
        test_job_prove(&w, normal[i]);
    }
    mock_wait_inside(&w.b, MOCK_PROVE, 1);
    test_job *winning = test_job_make(CUZK_JOB_WINNING, 1000, 1, "winpost");
    test_job_prove(&w, winning);
    mock_wait_inside(&w.b, MOCK_PROVE, 2); /* beside the slice that runs */
    test_job *critical = test_job_make(CUZK_JOB_WINDOW, 1001, 1, "critical");
    critical->rq.priority = CUZK_PRIORITY_CRITICAL;
    test_job_prove(&w, critical);
    static cuzk_engine_status s;
    do { /* until its witness is ready */
        nap();
        status_of(&w, &s);
        const bool is_there = atomic_load(&w.b.calls[MOCK_WITNESS]) >= 3 && s.queue_len[4] >= 2;
        cuzk_engine_status_free(&s);
        if (is_there) {
            break;
        }
    } while (true);
    mock_open(&w.b, MOCK_PROVE);
    engine_answer_wait(&winning->r);
    engine_answer_wait(&critical->r);
    CHECK(is_right(winning) && is_right(critical));
    for (int i = 0; i < 20; i++) {
        engine_answer_wait(&normal[i]->r);
        CHECK(is_right(normal[i]));
        test_job_free(normal[i]);
    }
    /* order on the device: the slice that ran, the winning one beside it, then the critical test_job */
    CHECK_U64(w.b.order[1], 1000);
    CHECK_MSG(w.b.order[2] == 1001 || w.b.order[3] == 1001, "critical came after %llu, %llu",
              (unsigned long long)w.b.order[2], (unsigned long long)w.b.order[3]);
    test_job_free(winning);
    test_job_free(critical);
    mock_engine_close(&w);
}

/*
 * A worker that has parsed a job and waits for its first witness parses jobs of a higher class meanwhile: here
 * while no witness is ever made, a HIGH one, a CRITICAL one, and one WinningPoSt more than there are workers.
 */
static void a_wait_holds_nobody_urgent(void)
{
    mock_engine w = {.starts_early = true};
    test_job *o[6];
    mock_engine_open(&w, 1);
    mock_close(&w.b, MOCK_WITNESS);
    o[0] = test_job_make(CUZK_JOB_POREP, 1, 4, "");
    test_job_prove(&w, o[0]);
    mock_wait_inside(&w.b, MOCK_WITNESS, 1); /* its check waits for this witness */
    o[1] = test_job_make(CUZK_JOB_WINDOW, 2, 1, "high");
    o[2] = test_job_make(CUZK_JOB_UPDATE, 3, 1, "critical");
    o[2]->rq.priority = CUZK_PRIORITY_CRITICAL;
    for (uint64_t i = 3; i < 6; i++) {
        o[i] = test_job_make(CUZK_JOB_WINNING, 1 + i, 1, "");
    }
    for (uint64_t i = 1; i < 6; i++) {
        test_job_prove(&w, o[i]);
        wait_for(&w.b.calls[MOCK_PARSE], i + 1);
    }
    mock_open(&w.b, MOCK_WITNESS);
    for (int i = 0; i < 6; i++) {
        engine_answer_wait(&o[i]->r);
        CHECK(is_right(o[i]));
        test_job_free(o[i]);
    }
    mock_engine_close(&w);
}

/*
 * The engine stops as soon as the last job is answered, while a witness worker still works for that job's
 * verification (5 ms): the stop waits for what the worker holds.
 */
static void stop_after_the_last_answer(void)
{
    for (uint64_t i = 0; i < 20; i++) {
        mock_engine w = {.starts_early = true};
        mock_engine_open(&w, 1);
        test_job *o = test_job_make(i % 2 == 0 ? CUZK_JOB_WINNING : CUZK_JOB_POREP, i, 1, "");
        test_job_prove(&w, o);
        engine_answer_wait(&o->r);
        CHECK(is_right(o));
        test_job_free(o);
        mock_engine_close(&w);
    }
}

/* Partitions that wait for a witness or for a device. */
static uint32_t ready(mock_engine *w)
{
    static cuzk_engine_status s; /* static: frames are small */
    status_of(w, &s);
    const uint32_t n = s.queue_len[CUZK_STAGE_WITNESS] + s.queue_len[CUZK_STAGE_DEVICE];
    cuzk_engine_status_free(&s);
    return n;
}

/* Jobs first come, first served, lowest partition first; window jobs by deadline. */
static void order(void)
{
    mock_engine w = {.e = NULL};
    mock_engine_open(&w, 1);
    mock_close(&w.b, MOCK_PROVE);
    test_job *blocker = test_job_make(CUZK_JOB_POREP, 500, 1, "blocker");
    test_job_prove(&w, blocker);
    mock_wait_inside(&w.b, MOCK_PROVE, 1);
    test_job *o[6];
    for (uint64_t i = 0; i < 6; i++) {
        o[i] = test_job_make(CUZK_JOB_WINDOW, i, 1, "");
        o[i]->rq.deadline_ns = cuzk_clock_ns() + (900 - i) * SECOND_NS;
        test_job_prove(&w, o[i]);
    }
    while (ready(&w) < 6) {
        nap();
    }
    mock_open(&w.b, MOCK_PROVE);
    for (int i = 0; i < 6; i++) {
        engine_answer_wait(&o[i]->r);
        CHECK(is_right(o[i]));
        test_job_free(o[i]);
    }
    engine_answer_wait(&blocker->r);
    test_job_free(blocker);
    /* one was ahead of the device already; the rest come latest number, earliest deadline, first */
    CHECK_U64(w.b.order[0], 500);
    for (int i = 2; i < 6; i++) {
        CHECK_MSG(w.b.order[i] > w.b.order[i + 1], "place %d: %llu before %llu", i,
                  (unsigned long long)w.b.order[i], (unsigned long long)w.b.order[i + 1]);
    }
    mock_engine_close(&w);
}

typedef struct stream {
    mock_engine *w;
    _Atomic bool stop;
    _Atomic uint64_t n;
} stream;

static void *critical_stream(void *arg)
{
    stream *s = arg;
    while (!atomic_load(&s->stop)) {
        test_job *o = test_job_make(CUZK_JOB_WINDOW, 1000 + atomic_fetch_add(&s->n, 1), 1, "");
        o->rq.priority = CUZK_PRIORITY_CRITICAL;
        test_job_prove(s->w, o);
        engine_answer_wait(&o->r);
        test_job_free(o);
    }
    return NULL;
}

/* CRITICAL jobs one after the other: a LOW job still finishes. */
static void low_finishes(void)
{
    mock_engine w = {.e = NULL};
    mock_engine_open(&w, 1);
    atomic_store(&w.b.sleep_us[MOCK_PROVE], 2000);
    stream s = {.w = &w};
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, critical_stream, &s) == 0);
    while (atomic_load(&s.n) < 4) { /* it flows */
        nap();
    }
    test_job *low = test_job_make(CUZK_JOB_POREP, 1, 10, "low");
    low->rq.priority = CUZK_PRIORITY_LOW;
    test_job_prove(&w, low);
    engine_answer_wait(&low->r);
    CHECK(low->r.state == CUZK_JOB_COMPLETED);
    atomic_store(&s.stop, true);
    (void)pthread_join(thread, NULL);
    test_job_free(low);
    mock_engine_close(&w);
}

static const cuzk_case cases[] = {
    CASE(same_id_other_content),
    CASE(joins),
    CASE(joins_at_once),
    CASE(blocks),
    CASE(odd_ids),
    CASE(cancel_everywhere),
    CASE(cancel_queued_and_over),
    CASE(expired_job_never_starts),
    CASE(waits),
    CASE(counted_at_once),
    CASE(critical_first),
    CASE(a_wait_holds_nobody_urgent),
    CASE(stop_after_the_last_answer),
    CASE(order),
    CASE(low_finishes),
};
TEST_MAIN("engine/behaviour", cases)
