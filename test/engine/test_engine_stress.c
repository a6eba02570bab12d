/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The whole engine under random load: clients that submit, join, await, cancel and go away; settings that
 * change, evictions and preloads; devices that fail, lose their context, hang and lie; files and a store that
 * fail; an engine that is stopped in between, and another one that takes its jobs up. Every wait is told once,
 * every proof is right, every byte comes back, and the store has no job left that is not over.
 *
 * Rounds follow --iters; CUZK_STRESS_SECONDS=N goes on for N seconds instead. With stress_pauses.so as
 * LD_PRELOAD every lock is a place where threads change.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "sys/host_memory.h"

#include "mock_engine.h"
#include "test.h"

#define CLIENTS        4
#define JOBS_OF_CLIENT 24
#define N_IDS          12

typedef struct round {
    mock_engine w;
    mock_store store;
    uint64_t seed;
    _Atomic uint32_t n_clients; /* still at work */
    _Atomic uint64_t n_accepted, n_completed, n_failed, n_cancelled, n_withdrawn;
} round;

typedef struct client {
    round *r;
    uint64_t state; /* random numbers of its own */
    test_job *o[JOBS_OF_CLIENT];
    uint32_t n;
} client;

static uint64_t below(uint64_t *state, uint64_t n)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (*state >> 11) % n;
}

static void nap_us(uint64_t us)
{
    const struct timespec t = {(time_t)(us / 1000000), (long)(us % 1000000) * 1000};
    (void)nanosleep(&t, NULL);
}

/* One job; withdrawn: its wait is taken back. */
static void submit_one(client *c)
{
    static const char *const ids[N_IDS] = {"", "", "", "", "a", "b", "c", "d", "e", "f", "g", "h"};
    cuzk_engine *e = c->r->w.e;
    cuzk_err err;
    const cuzk_job_kind kind = (cuzk_job_kind)(1 + below(&c->state, 4));
    test_job *o =
        test_job_make(kind, below(&c->state, 6) == 0 ? below(&c->state, 4) : c->state >> 8,
                      1 + (uint32_t)below(&c->state, 3), ids[below(&c->state, N_IDS)]);
    o->job.bad_input = below(&c->state, 20) == 0 ? 1 + (uint32_t)below(&c->state, 2) : 0;
    o->rq.priority = (uint32_t)below(&c->state, 6);
    o->rq.cancel_when_unwatched = below(&c->state, 2) == 0;
    o->rq.peer = below(&c->state, 2) == 0 ? "10.0.0.1:2" : NULL;
    if (below(&c->state, 12) == 0) {
        o->rq.deadline_ns = cuzk_clock_ns() + below(&c->state, SECOND_NS / 4);
    }
    cuzk_status st;
    if (below(&c->state, 3) == 0) {
        st = cuzk_engine_submit(e, &o->rq, NULL, o->id, NULL, &err);
        if (st == CUZK_OK) {
            st =
                cuzk_engine_await(e, o->id, below(&c->state, 3) == 0 ? 1 + below(&c->state, 50) : 0,
                                  engine_answer_set, &o->r, &o->wait, &err);
        }
    } else {
        st = cuzk_engine_prove(e, &o->rq, NULL, engine_answer_set, &o->r, &o->wait, &err);
    }
    if (st != CUZK_OK) { /* refused: full, draining, the store, or gone before it was awaited */
        CHECK_MSG(st == CUZK_E_BUDGET || st == CUZK_E_CANCELLED || st == CUZK_E_IO ||
                      st == CUZK_E_NOT_FOUND,
                  "%s: %s", cuzk_status_name(st), err.msg);
        CHECK_U64(o->r.calls, 0);
        test_job_free(o);
        return;
    }
    atomic_fetch_add(&c->r->n_accepted, 1);
    c->o[c->n++] = o;
    if (below(&c->state, 10) == 0) {
        nap_us(below(&c->state, 5000));
        if (cuzk_engine_unwait(e, o->wait)) {
            CHECK_U64(o->r.calls, 0);
            o->wait = UINT64_MAX; /* withdrawn */
            atomic_fetch_add(&c->r->n_withdrawn, 1);
        }
    } else if (below(&c->state, 12) == 0) {
        bool was_running;
        cuzk_ignore(cuzk_engine_cancel(e, o->id[0] != '\0' ? o->id : "a", &was_running, &err));
    }
}

static void check_told(client *c, test_job *o)
{
    if (o->wait == UINT64_MAX) {
        CHECK_U64(o->r.calls, 0);
        return;
    }
    engine_answer_wait(&o->r); /* exactly once */
    switch (o->r.state) {
    case CUZK_JOB_COMPLETED:
        CHECK_MSG(is_right(o), "a wrong proof was returned");
        atomic_fetch_add(&c->r->n_completed, 1);
        break;
    case CUZK_JOB_FAILED:
        CHECK_MSG(o->r.error[0] != '\0', "a failed job without a reason");
        atomic_fetch_add(&c->r->n_failed, 1);
        break;
    case CUZK_JOB_CANCELLED: atomic_fetch_add(&c->r->n_cancelled, 1); break;
    case CUZK_JOB_QUEUED:
    case CUZK_JOB_RUNNING: break; /* the wait ended before the job */
    }
}

static void *run_client(void *arg)
{
    client *c = arg;
    for (int i = 0; i < JOBS_OF_CLIENT; i++) {
        submit_one(c);
        nap_us(below(&c->state, 3000));
    }
    atomic_fetch_sub(&c->r->n_clients, 1);
    return NULL;
}

/* Trouble, a step at a time, while clients are at work. */
static void trouble(round *r, uint64_t *state)
{
    mock_backend *b = &r->w.b;
    static const char *const circuits[] = {"porep-32g", "snap-32g", "wpost-32g", "winning-32g"};
    cuzk_err err;
    bool flag;
    uint64_t n;
    const char *circuit = circuits[below(state, 4)];
    switch (below(state, 14)) {
    case 0: atomic_store(&b->lost, (uint32_t)below(state, 60)); break;
    case 1: atomic_store(&b->wrong, (uint32_t)below(state, 60)); break;
    case 2: atomic_store(&b->bad_file, (uint32_t)below(state, 60)); break;
    case 3: atomic_store(&b->fail[below(state, MOCK_LOAD + 1)], (uint32_t)below(state, 60)); break;
    case 4:
        atomic_store(&b->sleep_us[below(state, MOCK_STAGES)], (uint32_t)below(state, 3000));
        break;
    case 5: atomic_store(&b->wrong_circuit, (uint32_t)below(state, 6)); break;
    case 6: atomic_store(&b->lost_device, (uint32_t)below(state, 4)); break;
    case 7: atomic_store(&b->no_gpu, below(state, 3) == 0); break;
    case 8: atomic_store(&r->store.fail_put, (uint32_t)below(state, 100)); break;
    case 9: atomic_store(&r->store.fail_finish, (uint32_t)below(state, 200)); break;
    case 10: cuzk_ignore(cuzk_engine_evict(r->w.e, circuit, &flag, &n, &err)); break;
    case 11: { /* calls hang for longer than the watchdog allows */
        const mock_stage s = below(state, 2) == 0 ? MOCK_PROVE : MOCK_LOAD_KEY;
        mock_close(b, s);
        nap_us(below(state, 120000));
        mock_open(b, s);
        break;
    }
    default: {
        cuzk_engine_config c = r->w.cfg;
        c.budget_bytes = r->w.cfg.budget_bytes - below(state, 300) * MOCK_MIB;
        c.winning_reserve_bytes = (1 + below(state, 64)) * MOCK_MIB;
        c.slots_per_device = 1 + (unsigned)below(state, 3);
        c.max_batch_size = (uint32_t)below(state, 5);
        c.max_batch_wait_ms = below(state, 10);
        c.max_queued_jobs = 4 + (uint32_t)below(state, 60);
        c.eviction_min_idle_ms = below(state, 20);
        c.device_timeout_ms = 20 + below(state, 60);
        cuzk_ignore(cuzk_engine_reconfigure(r->w.e, &c, &err));
        break;
    }
    }
}

static void calm(round *r)
{
    mock_backend *b = &r->w.b;
    for (int i = 0; i < MOCK_STAGES; i++) {
        atomic_store(&b->fail[i], 0);
        atomic_store(&b->sleep_us[i], 0);
    }
    _Atomic uint32_t *const all[] = {
        &b->lost,        &b->wrong,          &b->bad_file,         &b->wrong_circuit,
        &b->lost_device, &r->store.fail_put, &r->store.fail_finish};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        atomic_store(all[i], 0);
    }
    atomic_store(&b->no_gpu, false);
}

static void open_round(round *r, uint64_t *state)
{
    memset(r, 0, sizeof(*r));
    mock_store_init(&r->store);
    r->w.with_fallback = below(state, 3) == 0;
    r->w.cfg = (cuzk_engine_config){.store = &r->store.vtable,
                                    .slots_per_device = 1 + (unsigned)below(state, 3),
                                    .device_timeout_ms = 50,
                                    .no_device_ms = 400,
                                    .cpu_after_ms = 10,
                                    .cpu_when_lost = r->w.with_fallback,
                                    .result_keep_count = 1 + (uint32_t)below(state, 100),
                                    .budget_bytes = 900 * MOCK_MIB + cuzk_host_memory_resident()};
    r->w.b.ignores_cancel = true;
    mock_engine_open_with_keys(&r->w, 1 + (uint32_t)below(state, MOCK_DEVICES),
                               below(state, 2) == 0 ? 0 : 40 + below(state, 120));
    r->w.b.ignores_cancel = below(state, 2) == 0;
}

static void count_unfinished(void *arg, const cuzk_job_record *record)
{
    (void)record;
    (*(uint32_t *)arg)++;
}

/* The engine is stopped; what it left is proved by another one, and then nothing is left. */
static void close_round(round *r)
{
    cuzk_err err;
    uint32_t left = 0;
    uint64_t next;
    cuzk_engine_destroy(r->w.e);
    CHECK_U64(atomic_load(&r->w.b.used), 0);
    CHECK_U64(atomic_load(&r->w.b.n_keys), 0);
    CHECK_U64(atomic_load(&r->w.b.probed_in_use), 0);
    CHECK_OK(cuzk_engine_create(&r->w.e, &r->w.cfg, &err), &err);
    wait_rest(&r->w);
    cuzk_engine_destroy(r->w.e);
    CHECK_U64(atomic_load(&r->w.b.used), 0);
    CHECK_OK(r->store.inner.load(r->store.inner.arg, count_unfinished, &left, &next, &err), &err);
    CHECK_U64(left, 0);
    mock_destroy(&r->w.b);
    (void)pthread_mutex_destroy(&r->w.log.mu);
    mock_store_destroy(&r->store);
}

static void run_round(uint64_t seed, uint64_t *n_accepted)
{
    static round r;
    static client clients[CLIENTS];
    pthread_t threads[CLIENTS];
    uint64_t state = seed | 1;
    for (int i = 0; i < 8; i++) {
        (void)below(&state, 2);
    }
    open_round(&r, &state);
    const bool is_cut = below(&state, 2) == 0; /* stopped while jobs are on their way */
    atomic_store(&r.n_clients, CLIENTS);
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = (client){.r = &r, .state = (state ^ ((uint64_t)i << 40)) | 1};
        CHECK(pthread_create(&threads[i], NULL, run_client, &clients[i]) == 0);
    }
    while (atomic_load(&r.n_clients) != 0) {
        static cuzk_engine_status s;
        trouble(&r, &state);
        status_of(&r.w, &s);
        cuzk_engine_status_free(&s);
        nap_us(below(&state, 4000));
    }
    for (int i = 0; i < CLIENTS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    calm(&r);
    if (!is_cut) {
        for (int i = 0; i < CLIENTS; i++) {
            for (uint32_t k = 0; k < clients[i].n; k++) {
                check_told(&clients[i], clients[i].o[k]);
            }
        }
        wait_rest(&r.w);
    }
    close_round(&r);
    for (int i = 0; i < CLIENTS; i++) {
        for (uint32_t k = 0; k < clients[i].n; k++) {
            if (is_cut) { /* told by the end of the engine at the latest */
                check_told(&clients[i], clients[i].o[k]);
            }
            CHECK(clients[i].o[k]->r.calls == (clients[i].o[k]->wait == UINT64_MAX ? 0 : 1));
            test_job_free(clients[i].o[k]);
        }
    }
    *n_accepted += atomic_load(&r.n_accepted);
}

static void everything_at_once(void)
{
    const char *seconds = getenv("CUZK_STRESS_SECONDS");
    const cuzk_alloc_stats before = cuzk_alloc_get_stats();
    const uint64_t begin = cuzk_clock_ns();
    uint64_t n_accepted = 0;
    size_t n = 0;
    for (; seconds != NULL ? cuzk_clock_ns() - begin < strtoull(seconds, NULL, 10) * SECOND_NS
                           : n < test_iters(6);
         n++) {
        run_round(test_u64(), &n_accepted);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, before.blocks_now);
    }
    CHECK(n_accepted > n);
    printf("%zu rounds, %llu accepted\n", n, (unsigned long long)n_accepted);
}

static const cuzk_case cases[] = {CASE(everything_at_once)};
TEST_MAIN("engine/stress", cases)
