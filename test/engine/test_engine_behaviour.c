/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What callers can rely on, with a mock prover whose stages stop at gates. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "engine/host_memory.h"

#include "engine_rig.h"
#include "mock_backend.h"
#include "test.h"

#define SECOND_NS 1000000000ull

typedef struct world {
    mock_backend b;
    cuzk_engine *e;
    cuzk_engine_config cfg;
    cuzk_alloc_stats before;
} world;

static void world_open(world *w, uint32_t n_devices)
{
    cuzk_err err;
    w->before = cuzk_alloc_get_stats();
    mock_init(&w->b, n_devices);
    w->cfg.backend = &w->b.vtable;
    if (w->cfg.budget_bytes == 0) {
        w->cfg.budget_bytes = 1024 * MOCK_MIB;
    }
    w->cfg.winning_reserve_bytes = 16 * MOCK_MIB;
    w->cfg.device_back_off_ms = 2;
    w->cfg.slots_per_device = 1;
    CHECK_OK(cuzk_engine_create(&w->e, &w->cfg, &err), &err);
}

static void world_close(world *w)
{
    cuzk_engine_destroy(w->e);
    CHECK_U64(atomic_load(&w->b.used), 0);
    CHECK(atomic_load(&w->b.peak) <= w->cfg.budget_bytes);
    mock_destroy(&w->b);
    CHECK_U64(cuzk_alloc_get_stats().blocks_now, w->before.blocks_now);
}

/* A job and what its waiter was told. */
typedef struct one {
    mock_job job;
    cuzk_bytes view;
    cuzk_job_request rq;
    rig_result r;
    cuzk_wait wait;
    char id[CUZK_JOB_ID_BYTES];
} one;

static one *one_make(cuzk_job_kind kind, uint64_t tag, uint32_t n_partitions, const char *id)
{
    one *o = calloc(1, sizeof(*o));
    o->job = (mock_job){.tag = tag, .n_partitions = n_partitions};
    mock_request(&o->rq, kind, &o->job, &o->view, id);
    rig_result_init(&o->r);
    return o;
}

static void one_prove(world *w, one *o)
{
    cuzk_err err;
    CHECK_OK(cuzk_engine_prove(w->e, &o->rq, NULL, rig_done, &o->r, &o->wait, &err), &err);
}

static void one_submit(world *w, one *o)
{
    cuzk_err err;
    uint32_t position;
    CHECK_OK(cuzk_engine_submit(w->e, &o->rq, NULL, o->id, &position, &err), &err);
}

static void one_free(one *o)
{
    rig_result_destroy(&o->r);
    free(o);
}

static bool is_right(const one *o)
{
    uint8_t want[192];
    bool right =
        o->r.state == CUZK_JOB_COMPLETED && o->r.proof_bytes == (size_t)192 * o->job.n_partitions;
    for (uint32_t i = 0; right && i < o->job.n_partitions && i < 4; i++) {
        mock_proof(want, &o->job, i);
        right = memcmp(want, o->r.proof + (size_t)192 * i, 192) == 0;
    }
    return right;
}

static void status_of(world *w, cuzk_engine_status *out)
{
    cuzk_err err;
    const uint64_t begin = cuzk_clock_ns();
    CHECK_OK(cuzk_engine_get_status(w->e, out, &err), &err);
    CHECK(cuzk_clock_ns() - begin < SECOND_NS);
}

static bool is_at_rest(world *w)
{
    cuzk_engine_status s;
    uint64_t cached = 0;
    status_of(w, &s);
    for (uint32_t i = 0; i < s.n_cached; i++) {
        cached += s.cached[i].bytes;
    }
    bool rest = s.release_backlog_bytes == 0 && atomic_load(&w->b.used) == cached;
    for (int k = 0; k <= CUZK_JOB_KINDS; k++) {
        rest = rest && s.pending[k] + s.in_progress[k] == 0;
    }
    for (int q = 0; q < CUZK_STAGES; q++) {
        rest = rest && s.queue_len[q] == 0;
    }
    cuzk_engine_status_free(&s);
    return rest;
}

static void nap(void)
{
    const struct timespec t = {0, 1000000};
    (void)nanosleep(&t, NULL);
}

/* Memory and queues are back to what they were without jobs. */
static void wait_rest(world *w)
{
    const uint64_t limit = cuzk_clock_ns() + 60 * SECOND_NS;
    while (!is_at_rest(w)) {
        CHECK_MSG(cuzk_clock_ns() < limit, "memory or queues do not come back");
        nap();
    }
}

static void same_id_other_content(void)
{
    world w = {.e = NULL};
    world_open(&w, 2);
    for (uint64_t round = 0; round < 20; round++) {
        one *a = one_make(CUZK_JOB_WINDOW, 2 * round, 1, "wdpost-1000-0-[1 2 3]");
        one *b = one_make(CUZK_JOB_WINDOW, 2 * round + 1, 1, "wdpost-1000-0-[1 2 3]");
        one_prove(&w, a);
        one_prove(&w, b);
        rig_wait(&a->r);
        rig_wait(&b->r);
        CHECK(is_right(a) && is_right(b));
        CHECK(strcmp(a->r.job_id, b->r.job_id) != 0);
        CHECK_STR(a->r.request_id, "wdpost-1000-0-[1 2 3]");
        one_free(a);
        one_free(b);
    }
    world_close(&w);
}

/* Equal content and id: one job, while it waits, runs, and is kept. */
static void joins(void)
{
    world w = {.e = NULL};
    cuzk_err err;
    world_open(&w, 1);
    one *o[4];
    for (int i = 0; i < 4; i++) {
        o[i] = one_make(CUZK_JOB_POREP, 7, 3, "porep-1000-1");
    }
    mock_close(&w.b, MOCK_PROVE);
    one_prove(&w, o[0]);
    mock_wait_inside(&w.b, MOCK_PROVE, 1);
    one_prove(&w, o[1]);
    one_submit(&w, o[2]);
    CHECK_STR(o[2]->id, "porep-1000-1");
    CHECK_OK(cuzk_engine_await(w.e, o[2]->id, 0, rig_done, &o[2]->r, &o[2]->wait, &err), &err);
    mock_open(&w.b, MOCK_PROVE);
    for (int i = 0; i < 3; i++) {
        rig_wait(&o[i]->r);
        CHECK(is_right(o[i]));
    }
    one_prove(&w, o[3]);
    rig_wait(&o[3]->r);
    CHECK(is_right(o[3]));
    CHECK_U64(atomic_load(&w.b.calls[MOCK_PROVE]), 3);
    CHECK_U64(atomic_load(&w.b.calls[MOCK_PARSE]), 1);
    for (int i = 0; i < 4; i++) {
        one_free(o[i]);
    }
    wait_rest(&w);
    world_close(&w);
}

typedef struct caller {
    world *w;
    one *o;
    pthread_t thread;
    cuzk_status st;
} caller;

static void *call(void *arg)
{
    caller *c = arg;
    cuzk_err err;
    c->st = cuzk_engine_prove(c->w->e, &c->o->rq, NULL, rig_done, &c->o->r, &c->o->wait, &err);
    return NULL;
}

/* Equal jobs from many threads at once, while the first is being recorded: one job. When it cannot
 * be recorded, another one is tried. */
static void joins_at_once(void)
{
    for (uint32_t round = 0; round < 6; round++) {
        mock_store store;
        mock_store_init(&store);
        world w = {.cfg = {.store = &store.vtable}};
        caller c[8];
        atomic_store(&store.put_us, 3000);
        atomic_store(&store.fail_put, round % 2 == 0 ? 0 : 400);
        world_open(&w, 1);
        for (int i = 0; i < 8; i++) {
            c[i] = (caller){.w = &w, .o = one_make(CUZK_JOB_POREP, 7, 2, "porep")};
            CHECK(pthread_create(&c[i].thread, NULL, call, &c[i]) == 0);
        }
        uint32_t accepted = 0;
        for (int i = 0; i < 8; i++) {
            (void)pthread_join(c[i].thread, NULL);
            CHECK(c[i].st == CUZK_OK || (round % 2 == 1 && c[i].st == CUZK_E_IO));
            if (c[i].st == CUZK_OK) {
                accepted++;
                rig_wait(&c[i].o->r);
                CHECK(is_right(c[i].o));
                CHECK_STR(c[i].o->r.job_id, "porep");
            }
        }
        CHECK_U64(atomic_load(&w.b.calls[MOCK_PARSE]), accepted != 0 ? 1 : 0);
        for (int i = 0; i < 8; i++) {
            one_free(c[i].o);
        }
        cuzk_engine_destroy(w.e);
        CHECK_U64(atomic_load(&w.b.used), 0);
        mock_destroy(&w.b);
        mock_store_destroy(&store);
    }
}

/* No device comes back: what waits for one fails in the end. */
static void no_device_at_all(void)
{
    world w = {.cfg = {.no_device_ms = 60}};
    world_open(&w, 2);
    atomic_store(&w.b.lost, 1000);
    atomic_store(&w.b.probes_to_fail, 1000000);
    for (uint64_t i = 0; i < 3; i++) {
        one *o = one_make(CUZK_JOB_POREP, i, 2, "");
        one_prove(&w, o);
        rig_wait(&o->r);
        CHECK(o->r.state == CUZK_JOB_FAILED && o->r.code == CUZK_E_DEV_LOST);
        CHECK_MSG(strncmp(o->r.error, "environment: ", 13) == 0, "%s", o->r.error);
        one_free(o);
    }
    wait_rest(&w);
    world_close(&w);
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
    world w = {.e = NULL};
    cuzk_err err;
    releases released[3] = {{0}, {0}, {0}};
    world_open(&w, 1);
    one *a = one_make(CUZK_JOB_POREP, 1, 1, "x");
    one *b = one_make(CUZK_JOB_POREP, 1, 1, "x");
    one *bad = one_make(CUZK_JOB_POREP, 1, 1, "y");
    const cuzk_owned_block ba = {&released[0], 100, count_release};
    const cuzk_owned_block bb = {&released[1], 100, count_release};
    const cuzk_owned_block bc = {&released[2], 100, count_release};
    mock_close(&w.b, MOCK_PARSE);
    CHECK_OK(cuzk_engine_prove(w.e, &a->rq, &ba, rig_done, &a->r, &a->wait, &err), &err);
    mock_wait_inside(&w.b, MOCK_PARSE, 1);
    CHECK_U64(atomic_load(&released[0].n), 0);
    CHECK_OK(cuzk_engine_prove(w.e, &b->rq, &bb, rig_done, &b->r, &b->wait, &err), &err);
    CHECK_U64(atomic_load(&released[1].n), 1);
    bad->rq.kind = (cuzk_job_kind)9;
    CHECK_STATUS(cuzk_engine_prove(w.e, &bad->rq, &bc, rig_done, &bad->r, &bad->wait, &err),
                 CUZK_E_INVALID);
    mock_open(&w.b, MOCK_PARSE);
    rig_wait(&a->r);
    rig_wait(&b->r);
    CHECK(is_right(a) && is_right(b));
    CHECK_U64(atomic_load(&released[0].n), 1);
    CHECK_U64(atomic_load(&released[1].n), 1);
    CHECK_U64(atomic_load(&released[2].n), 0);
    one_free(a);
    one_free(b);
    one_free(bad);
    world_close(&w);
}

static void odd_ids(void)
{
    world w = {.e = NULL};
    world_open(&w, 1);
    char longest[700];
    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    const char *ids[] = {"", "", "job-1", longest, "#", "a b\tc", "\xc3\xa9\xe2\x82\xac"};
    one *o[7];
    for (uint64_t i = 0; i < 7; i++) {
        o[i] = one_make(CUZK_JOB_WINNING, i, 1, ids[i]);
        one_submit(&w, o[i]);
        for (uint64_t k = 0; k < i; k++) {
            CHECK(strcmp(o[i]->id, o[k]->id) != 0);
        }
        CHECK(o[i]->id[0] != '\0');
    }
    for (int i = 0; i < 7; i++) {
        cuzk_err err;
        CHECK_OK(cuzk_engine_await(w.e, o[i]->id, 0, rig_done, &o[i]->r, &o[i]->wait, &err), &err);
        rig_wait(&o[i]->r);
        CHECK(is_right(o[i]));
        one_free(o[i]);
    }
    world_close(&w);
}

static const mock_stage gated[] = {MOCK_PARSE, MOCK_CHECK, MOCK_WITNESS, MOCK_PROVE, MOCK_VERIFY};

/* Cancel in each stage: the waiter is told at once, memory and queues come back. */
static void cancel_everywhere(void)
{
    for (size_t i = 0; i < sizeof(gated) / sizeof(gated[0]); i++) {
        for (int how = 0; how < 3; how++) { /* CancelProof, deadline, client gone */
            world w = {.e = NULL};
            cuzk_err err;
            bool was_running = false;
            world_open(&w, 1);
            one *o = one_make(CUZK_JOB_POREP, i, 3, "porep");
            one *behind = one_make(CUZK_JOB_POREP, 100 + i, 1, "behind");
            mock_close(&w.b, gated[i]);
            if (how == 1) {
                o->rq.deadline_ns = cuzk_clock_ns() + 150 * 1000000;
            }
            o->rq.cancel_when_unwatched = how == 2;
            one_prove(&w, o);
            one_prove(&w, behind);
            mock_wait_inside(&w.b, gated[i], 1);
            if (how == 0) {
                CHECK_OK(cuzk_engine_cancel(w.e, "porep", &was_running, &err), &err);
                CHECK(was_running);
            } else if (how == 2) {
                CHECK(cuzk_engine_unwait(w.e, o->wait));
            }
            if (how != 2) {
                rig_wait(&o->r);
                CHECK_MSG(o->r.state == CUZK_JOB_CANCELLED, "%d", (int)o->r.state);
                CHECK_MSG(strstr(o->r.error, how == 0 ? "cancelled" : "deadline") != NULL, "%s",
                          o->r.error);
            }
            mock_open(&w.b, gated[i]);
            rig_wait(&behind->r);
            CHECK(is_right(behind));
            wait_rest(&w);
            if (how == 2) {
                CHECK_U64(o->r.calls, 0);
            }
            one_free(o);
            one_free(behind);
            world_close(&w);
        }
    }
}

static void cancel_queued_and_over(void)
{
    world w = {.e = NULL};
    cuzk_err err;
    bool was_running = true;
    world_open(&w, 1);
    mock_close(&w.b, MOCK_PARSE);
    one *first = one_make(CUZK_JOB_POREP, 1, 1, "first");
    one *second = one_make(CUZK_JOB_POREP, 2, 1, "second");
    one_prove(&w, first);
    mock_wait_inside(&w.b, MOCK_PARSE, 1);
    one_prove(&w, second);
    CHECK_OK(cuzk_engine_cancel(w.e, "second", &was_running, &err), &err);
    CHECK(!was_running);
    rig_wait(&second->r);
    CHECK(second->r.state == CUZK_JOB_CANCELLED);
    mock_open(&w.b, MOCK_PARSE);
    rig_wait(&first->r);
    CHECK(is_right(first));
    CHECK_OK(cuzk_engine_cancel(w.e, "first", &was_running, &err), &err); /* stays as it is */
    CHECK(!was_running);
    CHECK_STATUS(cuzk_engine_cancel(w.e, "third", &was_running, &err), CUZK_E_NOT_FOUND);
    one *again = one_make(CUZK_JOB_POREP, 2, 1, "second"); /* after a cancel it is proved anew */
    one_prove(&w, again);
    rig_wait(&again->r);
    CHECK(is_right(again));
    CHECK_STR(again->r.job_id, "second");
    one_free(first);
    one_free(second);
    one_free(again);
    wait_rest(&w);
    world_close(&w);
}

static void expired_job_never_starts(void)
{
    world w = {.e = NULL};
    world_open(&w, 1);
    mock_close(&w.b, MOCK_PROVE);
    one *first = one_make(CUZK_JOB_POREP, 1, 1, "first");
    one *late = one_make(CUZK_JOB_POREP, 2, 1, "late");
    one_prove(&w, first);
    mock_wait_inside(&w.b, MOCK_PROVE, 1);
    late->rq.deadline_ns = cuzk_clock_ns() + 50 * 1000000;
    one_prove(&w, late);
    rig_wait(&late->r);
    CHECK(late->r.state == CUZK_JOB_CANCELLED && late->r.code == CUZK_E_CANCELLED);
    mock_open(&w.b, MOCK_PROVE);
    rig_wait(&first->r);
    wait_rest(&w);
    CHECK_U64(atomic_load(&w.b.calls[MOCK_PROVE]), 1);
    one_free(first);
    one_free(late);
    world_close(&w);
}

/* The client's wait times out; the job goes on, and a later wait gets the proof. */
static void waits(void)
{
    world w = {.e = NULL};
    cuzk_err err;
    world_open(&w, 1);
    one *o = one_make(CUZK_JOB_POREP, 1, 2, "porep");
    rig_result again[3];
    cuzk_wait wait[3];
    mock_close(&w.b, MOCK_WITNESS);
    one_submit(&w, o);
    CHECK_OK(cuzk_engine_await(w.e, "porep", 30, rig_done, &o->r, &o->wait, &err), &err);
    rig_wait(&o->r);
    CHECK(o->r.state == CUZK_JOB_RUNNING);
    for (int i = 0; i < 3; i++) {
        rig_result_init(&again[i]);
    }
    CHECK_OK(cuzk_engine_await(w.e, "porep", 0, rig_done, &again[0], &wait[0], &err), &err);
    CHECK_OK(cuzk_engine_await(w.e, "porep", 0, rig_done, &again[1], &wait[1], &err), &err);
    CHECK(cuzk_engine_unwait(w.e, wait[1]));
    CHECK(!cuzk_engine_unwait(w.e, wait[1]));
    CHECK(!cuzk_engine_unwait(w.e, 0));
    mock_open(&w.b, MOCK_WITNESS);
    rig_wait(&again[0]);
    CHECK(again[0].state == CUZK_JOB_COMPLETED);
    CHECK_OK(cuzk_engine_await(w.e, "porep", 1, rig_done, &again[2], &wait[2], &err), &err);
    rig_wait(&again[2]);
    CHECK_MEM(again[2].proof, again[0].proof, 384);
    CHECK_U64(again[1].calls, 0);
    for (int i = 0; i < 3; i++) {
        rig_result_destroy(&again[i]);
    }
    one_free(o);
    world_close(&w);
}

/* 50 calls are counted at once; beyond the limit they are refused, and may be tried later. */
static void counted_at_once(void)
{
    world w = {.cfg = {.max_queued_jobs = 50}};
    cuzk_err err = {.msg = ""};
    cuzk_engine_status s;
    world_open(&w, 1);
    mock_close(&w.b, MOCK_PARSE);
    one *o[51];
    for (uint64_t i = 0; i < 51; i++) {
        o[i] = one_make(CUZK_JOB_POREP, i, 1, "");
        if (i < 50) {
            one_prove(&w, o[i]);
        }
    }
    status_of(&w, &s);
    CHECK_U64(s.pending[CUZK_JOB_POREP] + s.in_progress[CUZK_JOB_POREP], 50);
    cuzk_engine_status_free(&s);
    CHECK_STATUS(cuzk_engine_prove(w.e, &o[50]->rq, NULL, rig_done, &o[50]->r, &o[50]->wait, &err),
                 CUZK_E_BUDGET);
    CHECK(strstr(err.msg, "50 jobs") != NULL);
    mock_open(&w.b, MOCK_PARSE);
    for (int i = 0; i < 50; i++) {
        rig_wait(&o[i]->r);
        CHECK(is_right(o[i]));
    }
    wait_rest(&w);
    cuzk_engine_drain(w.e);
    CHECK_STATUS(cuzk_engine_prove(w.e, &o[50]->rq, NULL, rig_done, &o[50]->r, &o[50]->wait, &err),
                 CUZK_E_CANCELLED);
    for (int i = 0; i < 51; i++) {
        one_free(o[i]);
    }
    world_close(&w);
}

/* A full queue of NORMAL work: a WinningPoSt goes at once, through what is held for it; a CRITICAL
 * job of another kind waits for one device slice. */
static void critical_first(void)
{
    world w = {.e = NULL};
    world_open(&w, 1);
    one *normal[20];
    for (uint64_t i = 0; i < 20; i++) {
        normal[i] = one_make(CUZK_JOB_POREP, i, 4, "");
    }
    mock_close(&w.b, MOCK_PROVE);
    w.b.hanging_device = 0;
    for (int i = 0; i < 20; i++) {
        one_prove(&w, normal[i]);
    }
    mock_wait_inside(&w.b, MOCK_PROVE, 1);
    one *winning = one_make(CUZK_JOB_WINNING, 1000, 1, "winpost");
    one_prove(&w, winning);
    mock_wait_inside(&w.b, MOCK_PROVE, 2); /* beside the slice that runs */
    one *critical = one_make(CUZK_JOB_WINDOW, 1001, 1, "critical");
    critical->rq.priority = CUZK_PRIORITY_CRITICAL;
    one_prove(&w, critical);
    cuzk_engine_status s;
    do { /* until its witness is ready */
        nap();
        status_of(&w, &s);
        const bool is_there = atomic_load(&w.b.calls[MOCK_WITNESS]) >= 3 && s.queue_len[4] >= 2;
        cuzk_engine_status_free(&s);
        if (is_there) {
            break;
        }
        CHECK(cuzk_clock_ns() < UINT64_MAX);
    } while (true);
    mock_open(&w.b, MOCK_PROVE);
    rig_wait(&winning->r);
    rig_wait(&critical->r);
    CHECK(is_right(winning) && is_right(critical));
    for (int i = 0; i < 20; i++) {
        rig_wait(&normal[i]->r);
        CHECK(is_right(normal[i]));
        one_free(normal[i]);
    }
    /* order on the device: the slice that ran, the winning one beside it, then the critical one */
    CHECK_U64(w.b.order[1], 1000);
    CHECK_MSG(w.b.order[2] == 1001 || w.b.order[3] == 1001, "critical came after %llu, %llu",
              (unsigned long long)w.b.order[2], (unsigned long long)w.b.order[3]);
    one_free(winning);
    one_free(critical);
    world_close(&w);
}

/* Jobs first come, first served, lowest partition first; window jobs by deadline. */
static void order(void)
{
    world w = {.e = NULL};
    world_open(&w, 1);
    mock_close(&w.b, MOCK_PROVE);
    one *blocker = one_make(CUZK_JOB_POREP, 500, 1, "blocker");
    one_prove(&w, blocker);
    mock_wait_inside(&w.b, MOCK_PROVE, 1);
    one *o[6];
    for (uint64_t i = 0; i < 6; i++) {
        o[i] = one_make(CUZK_JOB_WINDOW, i, 1, "");
        o[i]->rq.deadline_ns = cuzk_clock_ns() + (60 - i) * SECOND_NS;
        one_prove(&w, o[i]);
    }
    while (atomic_load(&w.b.calls[MOCK_CHECK]) < 7) { /* all are ready to be started */
        nap();
    }
    const struct timespec settle = {0, 20000000};
    (void)nanosleep(&settle, NULL);
    mock_open(&w.b, MOCK_PROVE);
    for (int i = 0; i < 6; i++) {
        rig_wait(&o[i]->r);
        CHECK(is_right(o[i]));
        one_free(o[i]);
    }
    rig_wait(&blocker->r);
    one_free(blocker);
    /* one was ahead of the device already; the rest come latest number, earliest deadline, first */
    CHECK_U64(w.b.order[0], 500);
    for (int i = 2; i < 6; i++) {
        CHECK_MSG(w.b.order[i] > w.b.order[i + 1], "place %d: %llu before %llu", i,
                  (unsigned long long)w.b.order[i], (unsigned long long)w.b.order[i + 1]);
    }
    world_close(&w);
}

typedef struct stream {
    world *w;
    _Atomic bool stop;
    uint64_t n;
} stream;

static void *critical_stream(void *arg)
{
    stream *s = arg;
    while (!atomic_load(&s->stop)) {
        one *o = one_make(CUZK_JOB_WINDOW, 1000 + s->n++, 1, "");
        o->rq.priority = CUZK_PRIORITY_CRITICAL;
        one_prove(s->w, o);
        rig_wait(&o->r);
        one_free(o);
    }
    return NULL;
}

/* CRITICAL jobs one after the other: a LOW job still finishes. */
static void low_finishes(void)
{
    world w = {.e = NULL};
    world_open(&w, 1);
    atomic_store(&w.b.sleep_us[MOCK_PROVE], 2000);
    stream s = {.w = &w};
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, critical_stream, &s) == 0);
    one *low = one_make(CUZK_JOB_POREP, 1, 10, "low");
    low->rq.priority = CUZK_PRIORITY_LOW;
    one_prove(&w, low);
    rig_wait(&low->r);
    CHECK(low->r.state == CUZK_JOB_COMPLETED);
    atomic_store(&s.stop, true);
    (void)pthread_join(thread, NULL);
    CHECK(s.n > 3);
    one_free(low);
    world_close(&w);
}

/* A wrong proof is made again on another device; wrong everywhere, the job fails and says where. */
static void wrong_proofs(void)
{
    world w = {.e = NULL};
    cuzk_engine_status s;
    world_open(&w, 2);
    atomic_store(&w.b.wrong_device, 1);
    one *o[8];
    for (uint64_t i = 0; i < 8; i++) {
        o[i] = one_make(CUZK_JOB_POREP, i, 2, "");
        one_prove(&w, o[i]);
    }
    for (int i = 0; i < 8; i++) {
        rig_wait(&o[i]->r);
        CHECK_MSG(is_right(o[i]), "%s", o[i]->r.error);
        one_free(o[i]);
    }
    status_of(&w, &s);
    CHECK(s.reproved[CUZK_JOB_POREP] > 0 && s.devices[0].errors > 0);
    CHECK_U64(s.devices[1].errors, 0);
    cuzk_engine_status_free(&s);
    atomic_store(&w.b.wrong_device, 0);
    atomic_store(&w.b.wrong, 1000);
    const cuzk_job_kind kinds[] = {CUZK_JOB_POREP, CUZK_JOB_UPDATE, CUZK_JOB_WINDOW,
                                   CUZK_JOB_WINNING};
    for (uint64_t k = 0; k < 4; k++) {
        one *bad = one_make(kinds[k], 100 + k, 1, "");
        one_prove(&w, bad);
        rig_wait(&bad->r);
        CHECK(bad->r.state == CUZK_JOB_FAILED && bad->r.proof_bytes == 0);
        CHECK_MSG(strncmp(bad->r.error, "internal: partition 0", 21) == 0, "%s", bad->r.error);
        one_free(bad);
    }
    wait_rest(&w);
    world_close(&w);
}

/* A device that hangs: quarantined, its partition goes on elsewhere, and it comes back. */
static void hanging_device(void)
{
    world w = {.cfg = {.device_timeout_ms = 1000}};
    cuzk_engine_status s;
    world_open(&w, 2);
    w.b.ignores_cancel = true;
    w.b.hanging_device = 1;
    mock_close(&w.b, MOCK_PROVE);
    one *o[6];
    for (uint64_t i = 0; i < 6; i++) {
        o[i] = one_make(CUZK_JOB_POREP, i, 2, "");
        one_prove(&w, o[i]);
    }
    for (int i = 0; i < 6; i++) {
        rig_wait(&o[i]->r);
        CHECK_MSG(is_right(o[i]), "%s", o[i]->r.error);
        one_free(o[i]);
    }
    status_of(&w, &s);
    CHECK(s.devices[0].quarantined && !s.devices[1].quarantined);
    CHECK_U64(atomic_load(&w.b.proofs_of_device[0]), 0);
    cuzk_engine_status_free(&s);
    mock_open(&w.b, MOCK_PROVE);
    const uint64_t limit = cuzk_clock_ns() + 60 * SECOND_NS;
    bool is_back = false;
    while (!is_back) {
        CHECK_MSG(cuzk_clock_ns() < limit, "the device does not come back");
        nap();
        status_of(&w, &s);
        is_back = !s.devices[0].quarantined;
        cuzk_engine_status_free(&s);
    }
    wait_rest(&w);
    world_close(&w);
}

/* The only device hangs: the job fails instead of waiting for ever. */
static void only_device_hangs(void)
{
    world w = {.cfg = {.device_timeout_ms = 50}};
    world_open(&w, 1);
    w.b.ignores_cancel = true;
    mock_close(&w.b, MOCK_PROVE);
    one *o = one_make(CUZK_JOB_WINNING, 1, 1, "win");
    one_prove(&w, o);
    rig_wait(&o->r);
    CHECK(o->r.state == CUZK_JOB_FAILED);
    CHECK_MSG(strncmp(o->r.error, "environment: partition 0: device 0", 34) == 0, "%s", o->r.error);
    mock_open(&w.b, MOCK_PROVE);
    one *next = one_make(CUZK_JOB_WINNING, 2, 1, "win");
    one_prove(&w, next); /* taken up when the device is back */
    rig_wait(&next->r);
    CHECK_MSG(is_right(next), "%s", next->r.error);
    one_free(o);
    one_free(next);
    world_close(&w);
}

static void lost_device(void)
{
    world w = {.e = NULL};
    world_open(&w, 2);
    atomic_store(&w.b.lost, 200);
    atomic_store(&w.b.probes_to_fail, 3);
    size_t completed = 0;
    for (uint64_t i = 0; i < 30; i++) {
        one *o = one_make(CUZK_JOB_POREP, i, 2, "");
        one_prove(&w, o);
        rig_wait(&o->r);
        CHECK(o->r.state == CUZK_JOB_COMPLETED ? is_right(o) : o->r.proof_bytes == 0);
        completed += o->r.state == CUZK_JOB_COMPLETED ? 1 : 0;
        one_free(o);
    }
    CHECK(completed > 20);
    wait_rest(&w);
    world_close(&w);
}

/* Refused at once, with the numbers, when it can never fit. */
static void never_fits(void)
{
    world w = {.e = NULL};
    cuzk_err err = {.msg = ""};
    /* 3/16 are for inputs, and the process itself counts */
    w.cfg.budget_bytes = (cuzk_host_memory_resident() + 30 * MOCK_MIB) / 13 * 16;
    world_open(&w, 1);
    one *big = one_make(CUZK_JOB_POREP, 1, 1, "big");
    CHECK_STATUS(cuzk_engine_prove(w.e, &big->rq, NULL, rig_done, &big->r, &big->wait, &err),
                 CUZK_E_BUDGET);
    CHECK_MSG(strstr(err.msg, "porep-32g can never fit: it needs ") != NULL, "%s", err.msg);
    CHECK_MSG(strstr(err.msg, "(40 circuit and parameters, 30 a partition, ") != NULL, "%s",
              err.msg);
    one *small = one_make(CUZK_JOB_WINNING, 1, 1, "small");
    one_prove(&w, small);
    rig_wait(&small->r);
    CHECK(is_right(small));
    one_free(big);
    one_free(small);
    world_close(&w);
}

/* Room for one circuit: kinds that alternate evict each other, and all finish. */
static void one_circuit_fits(void)
{
    world w = {.cfg = {.eviction_min_idle_ms = 3600 * 1000}};
    w.cfg.budget_bytes = (cuzk_host_memory_resident() + 130 * MOCK_MIB) / 13 * 16;
    world_open(&w, 2);
    one *o[40];
    for (uint64_t i = 0; i < 40; i++) {
        o[i] = one_make((cuzk_job_kind)(1 + i % 3), i, 1, "");
        one_prove(&w, o[i]);
    }
    for (int i = 0; i < 40; i++) {
        rig_wait(&o[i]->r);
        CHECK_MSG(is_right(o[i]), "%s", o[i]->r.error);
        one_free(o[i]);
    }
    wait_rest(&w);
    world_close(&w);
}

static void preload_and_evict(void)
{
    world w = {.e = NULL};
    cuzk_err err;
    bool already = true, was_loaded = false;
    uint64_t ms = 99, freed = 0;
    cuzk_engine_status s;
    world_open(&w, 1);
    CHECK_OK(cuzk_engine_preload(w.e, "porep-32g", &already, &ms, &err), &err);
    CHECK(!already);
    CHECK_OK(cuzk_engine_preload(w.e, "porep-32g", &already, &ms, &err), &err);
    CHECK(already && ms == 0);
    status_of(&w, &s);
    CHECK_U64(s.n_cached, 2);
    CHECK_STR(s.cached[0].circuit_id, "porep-32g");
    CHECK_U64(s.cached[0].bytes + s.cached[1].bytes, 40 * MOCK_MIB);
    cuzk_engine_status_free(&s);
    mock_close(&w.b, MOCK_PROVE);
    one *o = one_make(CUZK_JOB_POREP, 1, 1, "porep");
    one_prove(&w, o);
    mock_wait_inside(&w.b, MOCK_PROVE, 1);
    CHECK_STATUS(cuzk_engine_evict(w.e, "porep-32g", &was_loaded, &freed, &err), CUZK_E_BUDGET);
    mock_open(&w.b, MOCK_PROVE);
    rig_wait(&o->r);
    wait_rest(&w);
    CHECK_OK(cuzk_engine_evict(w.e, "porep-32g", &was_loaded, &freed, &err), &err);
    CHECK(was_loaded && freed == 40 * MOCK_MIB);
    CHECK_OK(cuzk_engine_evict(w.e, "porep-32g", &was_loaded, &freed, &err), &err);
    CHECK(!was_loaded && freed == 0);
    CHECK_STATUS(cuzk_engine_evict(w.e, "porep-33g", &was_loaded, &freed, &err), CUZK_E_NOT_FOUND);
    CHECK_U64(atomic_load(&w.b.used), 0);
    atomic_store(&w.b.fail[MOCK_LOAD], 1000);
    CHECK_STATUS(cuzk_engine_preload(w.e, "porep-32g", &already, &ms, &err), CUZK_E_NOMEM);
    one_free(o);
    world_close(&w);
}

/* Inputs that do not fit in memory while they wait are read back from the store. */
static void parked_inputs(void)
{
    world w = {.cfg = {.budget_bytes = 200 * MOCK_MIB}};
    cuzk_err err;
    world_open(&w, 1);
    mock_close(&w.b, MOCK_CHECK);
    one *o[8];
    uint8_t *inputs[8];
    const size_t n = 5 << 20; /* the store keeps 40 MiB, the engine 12.5 */
    for (uint64_t i = 0; i < 8; i++) {
        o[i] = one_make(CUZK_JOB_POREP, i, 1, "");
        inputs[i] = calloc(1, n);
        memcpy(inputs[i], &o[i]->job, sizeof(o[i]->job));
        o[i]->rq.vanilla_proof = (cuzk_bytes){inputs[i], n};
        CHECK_OK(cuzk_engine_prove(w.e, &o[i]->rq, NULL, rig_done, &o[i]->r, &o[i]->wait, &err),
                 &err);
        free(inputs[i]);
    }
    mock_open(&w.b, MOCK_CHECK);
    for (int i = 0; i < 8; i++) {
        rig_wait(&o[i]->r);
        CHECK_MSG(is_right(o[i]), "%s", o[i]->r.error);
        one_free(o[i]);
    }
    wait_rest(&w);
    world_close(&w);
}

/* An engine that ends leaves its jobs in the store; the next one proves them. */
static void taken_up(void)
{
    cuzk_err err;
    mock_store store;
    mock_store_init(&store);
    one *o[5];
    char ids[5][CUZK_JOB_ID_BYTES];
    for (int run = 0; run < 2; run++) {
        world w = {.cfg = {.store = &store.vtable}};
        w.before = cuzk_alloc_get_stats();
        mock_init(&w.b, 1);
        w.cfg.backend = &w.b.vtable;
        w.cfg.budget_bytes = 1024 * MOCK_MIB;
        if (run == 0) {
            mock_close(&w.b, MOCK_PROVE);
        }
        CHECK_OK(cuzk_engine_create(&w.e, &w.cfg, &err), &err);
        for (uint64_t i = 0; i < 5; i++) {
            if (run == 0) {
                o[i] = one_make(i == 0 ? CUZK_JOB_WINDOW : CUZK_JOB_POREP, i, 2, "same");
                o[i]->job.n_partitions = i == 0 ? 1 : 2;
                one_submit(&w, o[i]);
                memcpy(ids[i], o[i]->id, sizeof(ids[i]));
                CHECK_OK(cuzk_engine_await(w.e, ids[i], 0, rig_done, &o[i]->r, &o[i]->wait, &err),
                         &err);
            } else {
                o[i]->r.calls = 0;
                CHECK_OK(cuzk_engine_await(w.e, ids[i], 0, rig_done, &o[i]->r, &o[i]->wait, &err),
                         &err);
                rig_wait(&o[i]->r);
                CHECK_MSG(is_right(o[i]), "%s", o[i]->r.error);
                CHECK_STR(o[i]->r.request_id, "same");
            }
        }
        cuzk_engine_destroy(w.e);
        for (int i = 0; run == 0 && i < 5; i++) {
            CHECK(o[i]->r.calls == 1 && o[i]->r.state == CUZK_JOB_CANCELLED);
        }
        CHECK_U64(atomic_load(&w.b.used), 0);
        mock_destroy(&w.b);
    }
    /* a third run knows the results */
    world w = {.cfg = {.store = &store.vtable}};
    world_open(&w, 1);
    for (int i = 0; i < 5; i++) {
        o[i]->r.calls = 0;
        CHECK_OK(cuzk_engine_await(w.e, ids[i], 0, rig_done, &o[i]->r, &o[i]->wait, &err), &err);
        rig_wait(&o[i]->r);
        CHECK(is_right(o[i]));
        o[i]->r.calls = 0;
        one_prove(&w, o[i]); /* the same request: the kept proof */
        rig_wait(&o[i]->r);
        CHECK(is_right(o[i]));
        one_free(o[i]);
    }
    CHECK_U64(atomic_load(&w.b.calls[MOCK_PROVE]), 0);
    cuzk_engine_destroy(w.e);
    mock_destroy(&w.b);
    mock_store_destroy(&store);
}

/* 10,000 small jobs: what is kept is bounded, memory stays flat. */
static void flat_memory(void)
{
    world w = {.cfg = {.result_keep_count = 100}};
    world_open(&w, 2);
    uint64_t blocks_early = 0;
    const size_t n = test_iters(10000);
    for (size_t i = 0; i < n; i++) {
        one *o = one_make(CUZK_JOB_WINNING, i, 1, "small");
        one_prove(&w, o);
        rig_wait(&o->r);
        CHECK(is_right(o));
        one_free(o);
        if (i == 500) {
            wait_rest(&w);
            blocks_early = cuzk_alloc_get_stats().blocks_now;
        }
    }
    wait_rest(&w);
    /* the store's records are its own: 2 blocks for each of the jobs since */
    const uint64_t grown = cuzk_alloc_get_stats().blocks_now - blocks_early;
    CHECK_MSG(grown <= 2 * (n - 501) + 16, "%llu blocks more", (unsigned long long)grown);
    world_close(&w);
}

static const cuzk_case cases[] = {
    CASE(same_id_other_content),
    CASE(joins),
    CASE(joins_at_once),
    CASE(no_device_at_all),
    CASE(blocks),
    CASE(odd_ids),
    CASE(cancel_everywhere),
    CASE(cancel_queued_and_over),
    CASE(expired_job_never_starts),
    CASE(waits),
    CASE(counted_at_once),
    CASE(critical_first),
    CASE(order),
    CASE(low_finishes),
    CASE(wrong_proofs),
    CASE(hanging_device),
    CASE(only_device_hangs),
    CASE(lost_device),
    CASE(never_fits),
    CASE(one_circuit_fits),
    CASE(preload_and_evict),
    CASE(parked_inputs),
    CASE(taken_up),
    CASE(flat_memory),
};
TEST_MAIN("engine/behaviour", cases)
