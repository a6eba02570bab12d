/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "mock_engine.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

#include "test.h"

static void take_log(void *arg, int level, const char *event, const char *const *kv)
{
    mock_engine_log *l = arg;
    const bool begun = strcmp(event, "device.fallback") == 0;
    const bool over = strcmp(event, "device.fallback_over") == 0;
    pthread_mutex_lock(&l->mu);
    l->n_fallback += begun ? 1 : 0;
    l->n_over += over ? 1 : 0;
    l->n_warnings += (begun || over) && level == 1 ? 1 : 0;
    l->n_jobs += strcmp(event, "job.over") == 0 ? 1 : 0;
    l->n_set_aside += strcmp(event, "circuit.set_aside") == 0 ? 1 : 0;
    for (; strcmp(event, "job.over") == 0 && kv[0] != NULL; kv += 2) {
        if (strcmp(kv[0], "devices") == 0) {
            (void)snprintf(l->devices, sizeof(l->devices), "%s", kv[1]);
        }
    }
    pthread_mutex_unlock(&l->mu);
}

void mock_engine_open(mock_engine *w, uint32_t n_devices)
{
    mock_engine_open_with_keys(w, n_devices, 0);
}

void mock_engine_open_with_keys(mock_engine *w, uint32_t n_devices, uint64_t device_mib)
{
    cuzk_err err;
    w->before = cuzk_alloc_get_stats();
    mock_init(&w->b, n_devices);
    if (device_mib != 0) {
        mock_use_keys(&w->b, device_mib * MOCK_MIB);
    }
    if (w->use != NULL) {
        w->use(&w->b, w->use_arg);
    }
    w->cfg.backend = &w->b.vtable;
    if (w->cannot != NULL) {
        mock_use_abilities(&w->b, w->cannot);
    }
    if (w->starts_early) {
        mock_starts_early(&w->b);
    }
    if (w->with_fallback) {
        mock_use_fallback(&w->b);
    }
    CHECK(pthread_mutex_init(&w->log.mu, NULL) == 0);
    w->cfg.log = take_log;
    w->cfg.log_arg = &w->log;
    if (w->cfg.budget_bytes == 0) {
        w->cfg.budget_bytes = 1024 * MOCK_MIB;
    }
    w->cfg.winning_reserve_bytes = 16 * MOCK_MIB;
    if (w->cfg.eviction_min_idle_ms == 0) {
        w->cfg.eviction_min_idle_ms = CUZK_ENGINE_NONE;
    }
    w->cfg.device_back_off_ms = 2;
    w->cfg.slots_per_device = w->cfg.slots_per_device != 0 ? w->cfg.slots_per_device : 1;
    CHECK_OK(cuzk_engine_create(&w->e, &w->cfg, &err), &err);
}

void mock_engine_close(mock_engine *w)
{
    cuzk_engine_destroy(w->e);
    CHECK_U64(atomic_load(&w->b.used), 0);
    CHECK(atomic_load(&w->b.peak) <= w->cfg.budget_bytes);
    CHECK_U64(atomic_load(&w->b.probed_in_use), 0);
    CHECK_U64(atomic_load(&w->b.unfit), 0);
    mock_destroy(&w->b);
    (void)pthread_mutex_destroy(&w->log.mu);
    CHECK_U64(cuzk_alloc_get_stats().blocks_now, w->before.blocks_now);
}

test_job *test_job_make(cuzk_job_kind kind, uint64_t tag, uint32_t n_partitions, const char *id)
{
    test_job *o = calloc(1, sizeof(*o));
    o->job = (mock_job){.tag = tag, .n_partitions = n_partitions};
    mock_request(&o->rq, kind, &o->job, &o->view, id);
    engine_answer_init(&o->r);
    return o;
}

void test_job_prove(mock_engine *w, test_job *o)
{
    cuzk_err err;
    CHECK_OK(cuzk_engine_prove(w->e, &o->rq, NULL, engine_answer_set, &o->r, &o->wait, &err), &err);
}

void test_job_submit(mock_engine *w, test_job *o)
{
    cuzk_err err;
    uint32_t position;
    CHECK_OK(cuzk_engine_submit(w->e, &o->rq, NULL, o->id, &position, &err), &err);
}

void test_job_free(test_job *o)
{
    engine_answer_destroy(&o->r);
    free(o);
}

bool is_right(const test_job *o)
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

void status_of(mock_engine *w, cuzk_engine_status *out)
{
    cuzk_err err;
    const uint64_t begin = cuzk_clock_ns();
    CHECK_OK(cuzk_engine_get_status(w->e, out, &err), &err);
    /* It does not wait for work: a closed gate would hold it for ever. The machine may be busy with other things. */
    CHECK(cuzk_clock_ns() - begin < PATIENCE_NS);
}

static bool is_at_rest(mock_engine *w)
{
    cuzk_engine_status s;
    uint64_t cached = 0;
    status_of(w, &s);
    for (uint32_t i = 0; i < s.n_cached; i++) {
        cached += s.cached[i].on_device ? 0 : s.cached[i].bytes;
    }
    bool rest = s.release_backlog_bytes == 0 && atomic_load(&w->b.used) == cached + s.pinned_used;
    for (int k = 0; k <= CUZK_JOB_KINDS; k++) {
        rest = rest && s.pending[k] + s.in_progress[k] == 0;
    }
    for (int q = 0; q < CUZK_STAGES; q++) {
        rest = rest && s.queue_len[q] == 0;
    }
    cuzk_engine_status_free(&s);
    return rest;
}

void nap(void)
{
    const struct timespec t = {0, 1000000};
    (void)nanosleep(&t, NULL);
}

/* Memory and queues are back to what they were without jobs. */
void wait_rest(mock_engine *w)
{
    const uint64_t limit = cuzk_clock_ns() + PATIENCE_NS;
    while (!is_at_rest(w)) {
        CHECK_MSG(cuzk_clock_ns() < limit, "memory or queues do not come back");
        nap();
    }
}

bool has_answer(test_job *o)
{
    pthread_mutex_lock(&o->r.mu);
    const bool has = o->r.calls != 0;
    pthread_mutex_unlock(&o->r.mu);
    return has;
}

bool gets_answer(test_job *o)
{
    const uint64_t limit = cuzk_clock_ns() + PATIENCE_NS;
    while (!has_answer(o) && cuzk_clock_ns() < limit) {
        nap();
    }
    return has_answer(o);
}

void wait_for(const _Atomic uint64_t *counter, uint64_t least)
{
    const uint64_t limit = cuzk_clock_ns() + PATIENCE_NS;
    while (atomic_load(counter) < least) {
        CHECK_MSG(cuzk_clock_ns() < limit, "the engine does not come so far");
        nap();
    }
}

void wait_log(mock_engine *w, const uint32_t *counter, uint32_t least)
{
    const uint64_t limit = cuzk_clock_ns() + PATIENCE_NS;
    for (uint32_t n = 0; n < least; nap()) {
        CHECK_MSG(cuzk_clock_ns() < limit, "the logger has had %u lines, not %u", n, least);
        pthread_mutex_lock(&w->log.mu);
        n = *counter;
        pthread_mutex_unlock(&w->log.mu);
    }
}
