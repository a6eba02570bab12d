/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What happens to a device while something else happens to it: probes, late proofs, calls that hang. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/engine_internal.h"

#include "mock_engine.h"
#include "test.h"

#define MOST 64u

typedef struct jobs {
    test_job *o[MOST];
    uint32_t n;
} jobs;

static test_job *add(mock_engine *w, jobs *j, cuzk_job_kind kind)
{
    CHECK_MSG(j->n < MOST, "too many jobs");
    test_job *o = test_job_make(kind, 1000 + j->n, 1, "");
    j->o[j->n++] = o;
    test_job_prove(w, o);
    return o;
}

static void end_all(jobs *j)
{
    for (uint32_t i = 0; i < j->n; i++) {
        engine_answer_wait(&j->o[i]->r);
        CHECK_MSG(is_right(j->o[i]), "job %u: %s", i, j->o[i]->r.error);
        test_job_free(j->o[i]);
    }
}

/* Proofs that are found to be wrong while their device is probed decide nothing: neither an abort, nor another
 * quarantine. */
static void wrong_proofs_while_probed(void)
{
    mock_engine w = {.cfg = {.slots_per_device = 3}};
    jobs j = {.n = 0};
    mock_engine_open(&w, 2);
    atomic_store(&w.b.wrong_device, 1);
    mock_close(&w.b, MOCK_VERIFY);
    mock_close(&w.b, MOCK_PROBE);
    while (atomic_load(&w.b.proofs_of_device[0]) < 3) {
        (void)add(&w, &j, CUZK_JOB_WINDOW);
        nap();
        wait_for(&w.b.calls[MOCK_PROVE], j.n);
    }
    atomic_store(&w.b.lost_device, 1);
    while (atomic_load(&w.b.calls[MOCK_PROBE]) == 0) {
        (void)add(&w, &j, CUZK_JOB_WINDOW);
        for (int i = 0; i < 20; i++) {
            nap();
        }
    }
    atomic_store(&w.b.lost_device, 0);
    atomic_store(&w.b.wrong_device, 0);
    mock_open(&w.b, MOCK_VERIFY);
    wait_for(&w.b.calls[MOCK_VERIFY], 3);
    mock_open(&w.b, MOCK_PROBE);
    end_all(&j);
    wait_rest(&w);
    mock_engine_close(&w);
}

/* Both slots of a device hang, the second one after the device was quarantined for the first. */
static void second_slot_hangs(void)
{
    mock_engine w = {.cfg = {.slots_per_device = 2, .device_timeout_ms = 3000}};
    jobs j = {.n = 0};
    mock_engine_open(&w, 2);
    w.b.hanging_device = 1;
    w.b.ignores_cancel = true;
    mock_close(&w.b, MOCK_PROVE);
    while (atomic_load(&w.b.on_device[0]) < 2 && j.n < MOST) {
        (void)add(&w, &j, CUZK_JOB_WINDOW);
        for (int i = 0; i < 60; i++) {
            nap();
        }
    }
    for (uint32_t i = 0; i < j.n; i++) {
        CHECK_MSG(gets_answer(j.o[i]), "job %u hangs with the device", i);
    }
    mock_open(&w.b, MOCK_PROVE);
    end_all(&j);
    wait_rest(&w);
    mock_engine_close(&w);
}

/* One call of a device hangs, another one loses its context at once. */
static void one_hangs_one_loses(void)
{
    mock_engine w = {.cfg = {.slots_per_device = 2, .device_timeout_ms = 3000}};
    jobs j = {.n = 0};
    mock_engine_open(&w, 2);
    w.b.hanging_device = 1;
    w.b.n_hanging = 1;
    w.b.ignores_cancel = true;
    atomic_store(&w.b.lost_device, 1);
    atomic_store(&w.b.sleep_us[MOCK_PROVE], 5000);
    mock_close(&w.b, MOCK_PROVE);
    while (atomic_load(&w.b.hung) < 2 && j.n < MOST) {
        (void)add(&w, &j, CUZK_JOB_WINDOW);
        nap();
    }
    for (uint32_t i = 0; i < j.n; i++) {
        CHECK_MSG(gets_answer(j.o[i]), "job %u hangs with the device", i);
    }
    atomic_store(&w.b.lost_device, 0);
    mock_open(&w.b, MOCK_PROVE);
    end_all(&j);
    wait_rest(&w);
    mock_engine_close(&w);
}

static void *evict(void *arg)
{
    mock_engine *w = arg;
    bool was_loaded;
    uint64_t freed;
    cuzk_err err;
    cuzk_ignore(cuzk_engine_evict(w->e, "wpost-32g", &was_loaded, &freed, &err));
    return NULL;
}

/* A key is being freed when its device is lost: the probe waits for that. */
static void probe_waits_for_keys(void)
{
    mock_engine w = {.e = NULL};
    jobs j = {.n = 0};
    pthread_t t;
    mock_engine_open_with_keys(&w, 1, 200);
    engine_answer_wait(&add(&w, &j, CUZK_JOB_WINDOW)->r);
    wait_rest(&w);
    mock_close(&w.b, MOCK_UNLOAD_KEY);
    CHECK(pthread_create(&t, NULL, evict, &w) == 0);
    mock_wait_inside(&w.b, MOCK_UNLOAD_KEY, 1);
    atomic_store(&w.b.lost_device, 1);
    (void)add(&w, &j, CUZK_JOB_WINNING);
    wait_for(&w.b.calls[MOCK_PROVE], 2);
    for (int i = 0; i < 100; i++) {
        nap(); /* far beyond the back-off */
    }
    CHECK_U64(atomic_load(&w.b.calls[MOCK_PROBE]), 0);
    atomic_store(&w.b.lost_device, 0);
    mock_open(&w.b, MOCK_UNLOAD_KEY);
    CHECK(pthread_join(t, NULL) == 0);
    end_all(&j);
    CHECK(atomic_load(&w.b.calls[MOCK_PROBE]) > 0);
    wait_rest(&w);
    mock_engine_close(&w);
}

static void *destroy(void *arg)
{
    mock_engine *w = arg;
    cuzk_engine_destroy(w->e);
    return NULL;
}

static bool is_stopping(cuzk_engine *e)
{
    cuzk_engine_lock(e);
    const bool yes = e->stop;
    cuzk_engine_unlock(e);
    return yes;
}

/*
 * A device's worker unloads a key to make room and finds then that it cannot load its own. What happens during the
 * unloading (here the engine's stop) is not missed.
 */
static void stop_while_a_key_makes_room(void)
{
    mock_engine w = {.e = NULL};
    jobs j = {.n = 0};
    pthread_t t;
    bool was_running = false, was_loaded = false;
    uint64_t freed = 0;
    cuzk_err err;
    mock_engine_open_with_keys(&w, 1, 50);
    engine_answer_wait(&add(&w, &j, CUZK_JOB_WINDOW)->r);
    wait_rest(&w);
    mock_close(&w.b, MOCK_UNLOAD_KEY);
    test_job *other = test_job_make(CUZK_JOB_UPDATE, 1, 1, "other");
    test_job_submit(&w, other);
    mock_wait_inside(&w.b, MOCK_UNLOAD_KEY, 1);
    CHECK_OK(cuzk_engine_cancel(w.e, other->id, &was_running, &err), &err);
    do { /* its parameters go as soon as the cancelled job holds them no longer */
        nap();
        cuzk_ignore(cuzk_engine_evict(w.e, "snap-32g", &was_loaded, &freed, &err));
    } while (!was_loaded);
    CHECK(pthread_create(&t, NULL, destroy, &w) == 0);
    while (
        !is_stopping(w.e)) { /* its join waits for the worker in the gate, so the engine is there */
        nap();
    }
    mock_open(&w.b, MOCK_UNLOAD_KEY);
    CHECK(pthread_join(t, NULL) == 0);
    w.e = NULL;
    test_job_free(other);
    end_all(&j);
    mock_engine_close(&w);
}

/* The load of a key that hangs takes its device out; jobs go on elsewhere. */
static void key_load_hangs(void)
{
    mock_engine w = {.cfg = {.device_timeout_ms = 2000}};
    jobs j = {.n = 0};
    cuzk_engine_status s;
    mock_engine_open_with_keys(&w, 2, 200);
    mock_close(&w.b, MOCK_LOAD_KEY);
    (void)add(&w, &j, CUZK_JOB_WINDOW);
    mock_wait_inside(&w.b, MOCK_LOAD_KEY, 1);
    bool is_out = false;
    for (const uint64_t limit = cuzk_clock_ns() + PATIENCE_NS; !is_out; nap()) {
        CHECK_MSG(cuzk_clock_ns() < limit, "a device whose load hangs stays in use");
        status_of(&w, &s);
        is_out = s.devices[0].quarantined || s.devices[1].quarantined;
        cuzk_engine_status_free(&s);
    }
    mock_open(&w.b, MOCK_LOAD_KEY);
    end_all(&j);
    wait_rest(&w);
    mock_engine_close(&w);
}

/* The proofs of one circuit are wrong and the device's self-test passes: the circuit is set aside, the device
 * proves others, and the circuit comes back when its proofs are right. */
static void one_bad_circuit(void)
{
    mock_engine w = {.cfg = {.slots_per_device = 1}};
    mock_engine_open_with_keys(&w, 1, 200);
    atomic_store(&w.b.wrong_circuit, 1 + 2);
    for (uint64_t i = 0; i < 6; i++) {
        test_job *bad = test_job_make(CUZK_JOB_WINDOW, 10 + i, 1, "");
        test_job *good = test_job_make(CUZK_JOB_WINNING, 20 + i, 1, "");
        test_job_prove(&w, bad);
        engine_answer_wait(&bad->r);
        test_job_prove(&w, good);
        engine_answer_wait(&good->r);
        CHECK_MSG(bad->r.state == CUZK_JOB_FAILED && strstr(bad->r.error, "not verify") != NULL,
                  "%s", bad->r.error);
        CHECK_MSG(is_right(good), "%s", good->r.error);
        test_job_free(bad);
        test_job_free(good);
    }
    wait_log(&w, &w.log.n_set_aside, 1);
    atomic_store(&w.b.wrong_circuit, 0);
    bool is_back = false;
    for (const uint64_t limit = cuzk_clock_ns() + PATIENCE_NS; !is_back; nap()) {
        CHECK_MSG(cuzk_clock_ns() < limit, "the circuit does not come back");
        test_job *o = test_job_make(CUZK_JOB_WINDOW, 99, 1, "");
        test_job_prove(&w, o);
        engine_answer_wait(&o->r);
        is_back = is_right(o);
        test_job_free(o);
    }
    wait_rest(&w);
    mock_engine_close(&w);
}

/* A pass over points that stream serves all partitions of a job, though their witnesses are made one after the other. */
static void one_pass_for_all(void)
{
    mock_engine w = {.starts_early = true, .cfg = {.slots_per_device = 1}};
    mock_engine_open_with_keys(&w, 1, 24);
    test_job *first = test_job_make(CUZK_JOB_POREP, 1, 1, "");
    test_job *whole = test_job_make(CUZK_JOB_POREP, 2, 4, "");
    test_job_prove(&w, first); /* loads the key */
    engine_answer_wait(&first->r);
    CHECK_MSG(is_right(first), "%s", first->r.error);
    CHECK_U64(atomic_load(&w.b.device_calls), 1);
    atomic_store(&w.b.sleep_us[MOCK_WITNESS], 3000);
    test_job_prove(&w, whole);
    engine_answer_wait(&whole->r);
    CHECK_MSG(is_right(whole), "%s", whole->r.error);
    CHECK_U64(atomic_load(&w.b.device_calls), 2);
    test_job_free(first);
    test_job_free(whole);
    wait_rest(&w);
    mock_engine_close(&w);
}

static const cuzk_case cases[] = {CASE(one_pass_for_all),     CASE(wrong_proofs_while_probed),
                                  CASE(second_slot_hangs),    CASE(one_hangs_one_loses),
                                  CASE(probe_waits_for_keys), CASE(stop_while_a_key_makes_room),
                                  CASE(key_load_hangs),       CASE(one_bad_circuit)};
TEST_MAIN("engine/devices", cases)
