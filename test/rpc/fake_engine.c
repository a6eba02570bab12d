/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "fake_engine.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/clock.h"
#include "hash/sha256.h"

#define MAX_JOBS  4096
#define MAX_WAITS 4096

typedef struct fake_job {
    char id[CUZK_JOB_ID_BYTES];
    char owner[CUZK_OWNER_BYTES];
    uint8_t *request_id;
    size_t request_id_size;
    cuzk_job_request request;
    cuzk_owned_block block;
    uint8_t proof[192];
    cuzk_job_state state;
    unsigned waits;
} fake_job;

typedef struct fake_wait {
    cuzk_wait id; /* 0: free */
    fake_job *job;
    cuzk_job_done_fn done;
    void *arg;
    uint64_t until_ns; /* 0: none */
    bool calling;
} fake_wait;

struct cuzk_engine {
    pthread_mutex_t mu;
    pthread_cond_t cv;
    pthread_t timer;
    bool stop, automatic, draining;
    unsigned slow_ms;
    bool hold;
    size_t n_submitting;
    cuzk_status refuse;
    fake_job jobs[MAX_JOBS];
    size_t n_jobs, n_cancelled;
    fake_wait waits[MAX_WAITS];
    cuzk_wait last_wait;
    bool loaded;
};

static void lock(cuzk_engine *e)
{
    (void)pthread_mutex_lock(&e->mu);
}

static void unlock(cuzk_engine *e)
{
    (void)pthread_mutex_unlock(&e->mu);
}

/* With the lock held; released during the callback. */
static void call_wait(cuzk_engine *e, fake_wait *w, bool timed_out)
{
    fake_job *j = w->job;
    const cuzk_job_result r = {.job_id = j->id,
                               .request_id = {j->request_id, j->request_id_size},
                               .state = timed_out ? CUZK_JOB_QUEUED : j->state,
                               .proof = {j->proof, j->state == CUZK_JOB_COMPLETED ? 192 : 0},
                               .code = j->state == CUZK_JOB_FAILED ? CUZK_E_VANILLA : CUZK_OK,
                               .error = j->state == CUZK_JOB_FAILED      ? "input: made up"
                                        : j->state == CUZK_JOB_CANCELLED ? "cancelled"
                                                                         : "",
                               .total_ms = 7};
    w->calling = true;
    unlock(e);
    w->done(w->arg, &r);
    lock(e);
    w->calling = false;
    w->id = 0;
    j->waits--;
    (void)pthread_cond_broadcast(&e->cv);
}

static void end_job(cuzk_engine *e, fake_job *j, cuzk_job_state state)
{
    if (j->state != CUZK_JOB_QUEUED) {
        return;
    }
    j->state = state;
    e->n_cancelled += state == CUZK_JOB_CANCELLED ? 1 : 0;
    for (size_t i = 0; i < MAX_WAITS; i++) {
        if (e->waits[i].id != 0 && e->waits[i].job == j && !e->waits[i].calling) {
            call_wait(e, &e->waits[i], false);
        }
    }
}

static void *timer_main(void *arg)
{
    cuzk_engine *e = arg;
    lock(e);
    while (!e->stop) {
        unlock(e);
        (void)usleep(3000);
        lock(e);
        const uint64_t now = cuzk_clock_ns();
        for (size_t i = 0; i < MAX_WAITS; i++) {
            fake_wait *w = &e->waits[i];
            if (w->id != 0 && !w->calling && w->until_ns != 0 && w->until_ns <= now) {
                call_wait(e, w, true);
            }
        }
        for (size_t i = 0; i < e->n_jobs; i++) {
            const uint64_t d = e->jobs[i].request.deadline_ns;
            if (d != 0 && d <= now) {
                end_job(e, &e->jobs[i], CUZK_JOB_CANCELLED);
            }
        }
    }
    unlock(e);
    return NULL;
}

cuzk_engine *fake_engine_create(void)
{
    cuzk_engine *e = calloc(1, sizeof(*e));
    CUZK_ASSERT(e != NULL);
    (void)pthread_mutex_init(&e->mu, NULL);
    (void)pthread_cond_init(&e->cv, NULL);
    e->automatic = true;
    CUZK_ASSERT(pthread_create(&e->timer, NULL, timer_main, e) == 0);
    return e;
}

void fake_engine_destroy(cuzk_engine *e)
{
    lock(e);
    e->stop = true;
    unlock(e);
    (void)pthread_join(e->timer, NULL);
    for (size_t i = 0; i < MAX_WAITS; i++) {
        CUZK_ASSERT(e->waits[i].id == 0);
    }
    for (size_t i = 0; i < e->n_jobs; i++) {
        if (e->jobs[i].block.release != NULL) {
            e->jobs[i].block.release(e->jobs[i].block.arg);
        }
        free(e->jobs[i].request_id);
    }
    (void)pthread_mutex_destroy(&e->mu);
    (void)pthread_cond_destroy(&e->cv);
    free(e);
}

void fake_engine_auto(cuzk_engine *e, bool on)
{
    lock(e);
    e->automatic = on;
    unlock(e);
}

void fake_engine_slow_submit(cuzk_engine *e, unsigned ms)
{
    lock(e);
    e->slow_ms = ms;
    unlock(e);
}

void fake_engine_hold_submit(cuzk_engine *e, bool on)
{
    lock(e);
    e->hold = on;
    (void)pthread_cond_broadcast(&e->cv);
    unlock(e);
}

size_t fake_engine_submitting(cuzk_engine *e)
{
    lock(e);
    const size_t n = e->n_submitting;
    unlock(e);
    return n;
}

void fake_engine_refuse(cuzk_engine *e, cuzk_status st)
{
    lock(e);
    e->refuse = st;
    unlock(e);
}

static fake_job *find(cuzk_engine *e, const char *id)
{
    for (size_t i = 0; i < e->n_jobs; i++) {
        if (strcmp(e->jobs[i].id, id) == 0) {
            return &e->jobs[i];
        }
    }
    return NULL;
}

bool fake_engine_finish(cuzk_engine *e, const char *job_id, cuzk_job_state state)
{
    lock(e);
    fake_job *j = find(e, job_id);
    const bool ok = j != NULL && j->state == CUZK_JOB_QUEUED;
    if (ok) {
        end_job(e, j, state);
    }
    unlock(e);
    return ok;
}

size_t fake_engine_accepted(cuzk_engine *e)
{
    lock(e);
    const size_t n = e->n_jobs;
    unlock(e);
    return n;
}

size_t fake_engine_cancelled(cuzk_engine *e)
{
    lock(e);
    const size_t n = e->n_cancelled;
    unlock(e);
    return n;
}

size_t fake_engine_waiting(cuzk_engine *e)
{
    size_t n = 0;
    lock(e);
    for (size_t i = 0; i < MAX_WAITS; i++) {
        n += e->waits[i].id != 0 ? 1 : 0;
    }
    unlock(e);
    return n;
}

cuzk_job_request fake_engine_last(cuzk_engine *e)
{
    lock(e);
    CUZK_ASSERT(e->n_jobs > 0);
    const cuzk_job_request r = e->jobs[e->n_jobs - 1].request;
    unlock(e);
    return r;
}

void fake_engine_proof(uint8_t *out, const cuzk_job_request *q)
{
    cuzk_sha256 s;
    cuzk_sha256_init(&s);
    cuzk_sha256_update(&s, q->vanilla_proof.data, q->vanilla_proof.size);
    for (size_t i = 0; i < q->n_vanilla_proofs; i++) {
        cuzk_sha256_update(&s, q->vanilla_proofs[i].data, q->vanilla_proofs[i].size);
    }
    cuzk_sha256_update(&s, q->randomness.data, q->randomness.size);
    cuzk_sha256_final(out, &s);
    for (int i = 1; i < 6; i++) {
        memcpy(out + 32 * i, out, 32);
    }
}

static cuzk_status add(cuzk_engine *e, const cuzk_job_request *q, const cuzk_owned_block *block,
                       fake_job **out, cuzk_err *err)
{
    lock(e);
    const unsigned ms = e->slow_ms;
    const cuzk_status refuse = e->refuse;
    e->n_submitting++;
    while (e->hold) {
        (void)pthread_cond_wait(&e->cv, &e->mu);
    }
    unlock(e);
    (void)usleep(ms * 1000);
    lock(e);
    e->n_submitting--;
    if (refuse != CUZK_OK || e->draining) {
        unlock(e);
        const cuzk_status st = refuse != CUZK_OK ? refuse : CUZK_E_CANCELLED;
        (void)cuzk_err_set(err, st, 0, __FILE__, __LINE__, "made up refusal");
        return st;
    }
    CUZK_ASSERT(e->n_jobs < MAX_JOBS && block != NULL);
    fake_job *j = &e->jobs[e->n_jobs++];
    j->request = *q;
    j->block = *block;
    j->request_id_size = q->request_id.size;
    j->request_id = malloc(q->request_id.size + 1);
    CUZK_ASSERT(j->request_id != NULL);
    if (q->request_id.size > 0) {
        memcpy(j->request_id, q->request_id.data, q->request_id.size);
    }
    (void)snprintf(j->id, sizeof(j->id), "%.*s", (int)q->request_id.size,
                   q->request_id.size == 0 ? "" : (const char *)q->request_id.data);
    if (j->id[0] == '\0' || find(e, j->id) != j) {
        char suffix[24];
        (void)snprintf(suffix, sizeof(suffix), "#%zu", e->n_jobs);
        (void)strncat(j->id, suffix, sizeof(j->id) - strlen(j->id) - 1);
    }
    (void)snprintf(j->owner, sizeof(j->owner), "%.*s", (int)q->owner.size,
                   q->owner.size == 0 ? "" : (const char *)q->owner.data);
    fake_engine_proof(j->proof, q);
    *out = j;
    return CUZK_OK; /* locked */
}

cuzk_status cuzk_engine_submit(cuzk_engine *e, const cuzk_job_request *request,
                               const cuzk_owned_block *block, char *job_id, uint32_t *position,
                               cuzk_err *err)
{
    fake_job *j = NULL;
    CUZK_TRY(add(e, request, block, &j, err));
    (void)snprintf(job_id, CUZK_JOB_ID_BYTES, "%s", j->id);
    if (position != NULL) {
        *position = (uint32_t)e->n_jobs - 1;
    }
    if (e->automatic) {
        end_job(e, j, CUZK_JOB_COMPLETED);
    }
    unlock(e);
    return CUZK_OK;
}

/* With the lock held. */
static cuzk_wait add_wait(cuzk_engine *e, fake_job *j, uint64_t timeout_ms, cuzk_job_done_fn done,
                          void *arg)
{
    fake_wait *w = NULL;
    for (size_t i = 0; i < MAX_WAITS && w == NULL; i++) {
        w = e->waits[i].id == 0 && !e->waits[i].calling ? &e->waits[i] : NULL;
    }
    CUZK_ASSERT(w != NULL);
    const cuzk_wait id = ++e->last_wait;
    *w = (fake_wait){.id = id, .job = j, .done = done, .arg = arg};
    w->until_ns = timeout_ms == 0 ? 0 : cuzk_clock_ns() + timeout_ms * 1000000u;
    j->waits++;
    if (j->state != CUZK_JOB_QUEUED) {
        call_wait(e, w, false);
    }
    return id;
}

cuzk_status cuzk_engine_await(cuzk_engine *e, const char *job_id, uint64_t timeout_ms,
                              cuzk_job_done_fn done, void *arg, cuzk_wait *wait, cuzk_err *err)
{
    lock(e);
    fake_job *j = find(e, job_id);
    if (j == NULL) {
        unlock(e);
        return CUZK_FAIL(err, CUZK_E_NOT_FOUND, "no such job");
    }
    *wait = add_wait(e, j, timeout_ms, done, arg);
    unlock(e);
    return CUZK_OK;
}

cuzk_status cuzk_engine_prove(cuzk_engine *e, const cuzk_job_request *request,
                              const cuzk_owned_block *block, cuzk_job_done_fn done, void *arg,
                              cuzk_wait *wait, cuzk_err *err)
{
    fake_job *j = NULL;
    CUZK_TRY(add(e, request, block, &j, err));
    *wait = add_wait(e, j, 0, done, arg);
    if (e->automatic) {
        end_job(e, j, CUZK_JOB_COMPLETED);
    }
    unlock(e);
    return CUZK_OK;
}

static bool withdraw(cuzk_engine *e, cuzk_wait wait, bool may_cancel)
{
    bool withdrawn = false;
    lock(e);
    for (size_t i = 0; i < MAX_WAITS; i++) {
        fake_wait *w = &e->waits[i];
        if (w->id == wait) {
            if (w->calling) {
                while (w->id == wait) {
                    (void)pthread_cond_wait(&e->cv, &e->mu);
                }
                break;
            }
            fake_job *j = w->job;
            w->id = 0;
            withdrawn = true;
            if (--j->waits == 0 && j->request.cancel_when_unwatched && may_cancel) {
                end_job(e, j, CUZK_JOB_CANCELLED);
            }
            break;
        }
    }
    unlock(e);
    return withdrawn;
}

bool cuzk_engine_unwait(cuzk_engine *e, cuzk_wait wait)
{
    return withdraw(e, wait, true);
}

bool cuzk_engine_leave(cuzk_engine *e, cuzk_wait wait)
{
    return withdraw(e, wait, false);
}

cuzk_status cuzk_engine_owner(cuzk_engine *e, const char *job_id, char out[CUZK_OWNER_BYTES],
                              cuzk_err *err)
{
    lock(e);
    const fake_job *j = find(e, job_id);
    if (j != NULL) {
        memcpy(out, j->owner, CUZK_OWNER_BYTES);
    }
    unlock(e);
    return j != NULL ? CUZK_OK : CUZK_FAIL(err, CUZK_E_NOT_FOUND, "no such job");
}

cuzk_status cuzk_engine_cancel(cuzk_engine *e, const char *job_id, bool *was_running, cuzk_err *err)
{
    lock(e);
    fake_job *j = find(e, job_id);
    *was_running = false;
    if (j != NULL) {
        end_job(e, j, CUZK_JOB_CANCELLED);
    }
    unlock(e);
    return j != NULL ? CUZK_OK : CUZK_FAIL(err, CUZK_E_NOT_FOUND, "no such job");
}

/* VALID unless the aggregate begins with 'F' (FALSE) or 'M' (MALFORMED); 'E': trouble. */
cuzk_status cuzk_engine_verify_aggregate(cuzk_engine *e, const cuzk_job_request *request,
                                         cuzk_bytes aggregate, bool allow_trailing,
                                         cuzk_aggregate_verdict *out, cuzk_err *err)
{
    (void)e;
    (void)allow_trailing;
    const uint8_t first = aggregate.data[0];
    if (first == 'E') {
        return CUZK_FAIL(err, CUZK_E_IO, "%s", "environment: no SRS");
    }
    memset(out, 0, sizeof(*out));
    out->answer = first == 'F'   ? CUZK_AGGREGATE_FALSE
                  : first == 'M' ? CUZK_AGGREGATE_MALFORMED
                                 : CUZK_AGGREGATE_VALID;
    (void)snprintf(out->reason, sizeof(out->reason), "%s", first == 'F' ? "why" : "");
    out->n_proofs = request->n_vanilla_proofs;
    return CUZK_OK;
}

cuzk_status cuzk_engine_preload(cuzk_engine *e, const char *circuit_id, bool *already_loaded,
                                uint64_t *load_ms, cuzk_err *err)
{
    if (strcmp(circuit_id, "porep-2k") != 0) {
        return CUZK_FAIL(err, CUZK_E_NOT_FOUND, "unknown circuit ID: %s", circuit_id);
    }
    lock(e);
    *already_loaded = e->loaded;
    *load_ms = 42;
    e->loaded = true;
    unlock(e);
    return CUZK_OK;
}

cuzk_status cuzk_engine_evict(cuzk_engine *e, const char *circuit_id, bool *was_loaded,
                              uint64_t *freed_bytes, cuzk_err *err)
{
    if (strcmp(circuit_id, "in-use") == 0) {
        return CUZK_FAIL(err, CUZK_E_BUDGET, "in-use is in use");
    }
    lock(e);
    *was_loaded = e->loaded;
    *freed_bytes = e->loaded ? 1234 : 0;
    e->loaded = false;
    unlock(e);
    return CUZK_OK;
}

void cuzk_engine_drain(cuzk_engine *e)
{
    lock(e);
    e->draining = true;
    unlock(e);
}

bool cuzk_engine_is_idle(cuzk_engine *e)
{
    bool idle = true;
    lock(e);
    for (size_t i = 0; i < e->n_jobs; i++) {
        idle = idle && e->jobs[i].state != CUZK_JOB_QUEUED;
    }
    unlock(e);
    return idle;
}

const char *cuzk_stage_name(cuzk_stage s)
{
    (void)s;
    return "stage";
}

const char *cuzk_job_kind_queue_name(cuzk_job_kind k)
{
    static const char *const names[] = {"porep-c2", "snap-update", "window-post", "winning-post"};
    return names[k - 1];
}

const char *cuzk_job_kind_label(cuzk_job_kind k)
{
    return cuzk_job_kind_queue_name(k);
}

const double cuzk_histogram_bound[CUZK_HISTOGRAM_BUCKETS - 1] = {0.001};

cuzk_status cuzk_engine_get_status(cuzk_engine *e, cuzk_engine_status *out, cuzk_err *err)
{
    (void)err;
    memset(out, 0, sizeof(*out));
    lock(e);
    out->now_ns = 10000000000u;
    for (size_t i = 0; i < e->n_jobs; i++) {
        const fake_job *j = &e->jobs[i];
        switch (j->state) {
        case CUZK_JOB_QUEUED:
        case CUZK_JOB_RUNNING: out->pending[j->request.kind]++; break;
        case CUZK_JOB_COMPLETED: out->completed[j->request.kind]++; break;
        case CUZK_JOB_FAILED: out->failed[j->request.kind]++; break;
        case CUZK_JOB_CANCELLED: out->cancelled[j->request.kind]++; break;
        }
    }
    out->devices = calloc(1, sizeof(*out->devices));
    out->cached = calloc(2, sizeof(*out->cached));
    CUZK_ASSERT(out->devices != NULL && out->cached != NULL);
    out->n_devices = 1;
    (void)snprintf(out->devices[0].name, sizeof(out->devices[0].name), "made up device");
    out->devices[0].memory_total = 80;
    out->devices[0].memory_free = 30;
    out->devices[0].slot[1].busy = true;
    out->devices[0].slot[1].kind = CUZK_JOB_WINDOW;
    (void)snprintf(out->devices[0].slot[1].job_id, CUZK_JOB_ID_BYTES, "busy-job");
    if (e->loaded) {
        out->n_cached = 2;
        (void)snprintf(out->cached[0].circuit_id, 32, "a circuit");
        (void)snprintf(out->cached[1].circuit_id, 32, "porep-2k");
        out->cached[1].is_srs = true;
        out->cached[1].bytes = 1234;
        out->cached[1].refs = 3;
    }
    unlock(e);
    return CUZK_OK;
}

void cuzk_engine_status_free(cuzk_engine_status *s)
{
    free(s->devices);
    free(s->cached);
    memset(s, 0, sizeof(*s));
}
