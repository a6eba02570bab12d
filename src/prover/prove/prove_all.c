/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "prover/prove/prove_all.h"

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "sys/releaser.h"

#define PER_DEVICE  3u
#define MAX_BACKLOG ((uint64_t)1 << 30)
#define MAX_BATCH   CUZK_PIPELINE_MAX_BATCH

typedef struct pipe_state {
    const cuzk_prove_all_job *p;
    cuzk_pipeline *steps;
    uint32_t n;     /* partitions */
    uint32_t batch; /* witnesses that a device proves in one call */
    /*
     * Queues of partitions: partition p is in queue p % n_queues. One, or one for each device, so that each gets its
     * first witness early.
     */
    uint32_t n_queues;
    uint8_t *proofs;
    cuzk_releaser *releaser;
    uint64_t witness_bytes;
    /* Used by the calling thread only: the native check has not been started; it runs on `checker`. */
    bool check_waits, check_runs;
    pthread_t checker;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Guarded by lock. */
    cuzk_placed_witness **made; /* [n] NULL: not made yet, or given back */
    uint32_t *next;             /* [n_queues] first partition that no call has */
    uint32_t n_ready;           /* witnesses that are made and that no call has */
    uint32_t n_done;
    cuzk_status st; /* first failure */
    cuzk_err err;
    uint64_t backlog_peak;
} pipe_state;

typedef struct pipe_worker {
    pipe_state *s;
    cuzk_device_key *key;
    uint32_t queue;
    int32_t device;
    pthread_t thread;
} pipe_worker;

static void fail_locked(pipe_state *s, cuzk_status st, const cuzk_err *err)
{
    if (s->st == CUZK_OK) {
        s->st = st;
        s->err = *err;
    }
    (void)pthread_cond_broadcast(&s->changed);
}

static void release_witness(void *w)
{
    cuzk_placed_give(w);
}

/*
 * Gives the witness of a partition back if it is made. Freeing a large heap block takes time, so the releaser's thread
 * does it; page-locked blocks are kept.
 */
static void drop_witness(pipe_state *s, uint32_t partition)
{
    (void)pthread_mutex_lock(&s->lock);
    cuzk_placed_witness *w = s->made[partition];
    s->made[partition] = NULL;
    (void)pthread_mutex_unlock(&s->lock);
    if (w == NULL) {
        return;
    }
    if (cuzk_placed_is_locked(w)) {
        cuzk_placed_give(w);
    } else {
        cuzk_releaser_push(s->releaser, release_witness, w, s->witness_bytes);
    }
}

/*
 * Takes the next partitions of a queue, at most a batch, as soon as the witness of the first one is made. Returns their
 * number; 0: all are taken, or a step has failed.
 */
static uint32_t take_batch(pipe_state *s, uint32_t queue, uint32_t *partitions)
{
    uint32_t k = 0;
    uint32_t *next = &s->next[queue];
    (void)pthread_mutex_lock(&s->lock);
    while (s->st == CUZK_OK && *next < s->n && s->made[*next] == NULL) {
        (void)pthread_cond_wait(&s->changed, &s->lock);
    }
    while (s->st == CUZK_OK && *next < s->n && k < s->batch) {
        s->n_ready -= s->made[*next] != NULL;
        partitions[k++] = *next;
        *next += s->n_queues;
    }
    (void)pthread_cond_broadcast(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
    return k;
}

/* The partitions of a call. */
typedef struct pipe_batch {
    pipe_state *s;
    uint32_t partitions[MAX_BATCH];
    uint8_t proofs[MAX_BATCH][CUZK_PROOF_BYTES];
    uint32_t n;
} pipe_batch;

/* Waits for the witness of partition i of a call. The first failure of any step ends the wait. */
static cuzk_status await_witness(void *arg, uint32_t i, cuzk_placed_witness **out, cuzk_err *err)
{
    const pipe_batch *b = arg;
    pipe_state *s = b->s;
    (void)pthread_mutex_lock(&s->lock);
    while (s->st == CUZK_OK && s->made[b->partitions[i]] == NULL) {
        (void)pthread_cond_wait(&s->changed, &s->lock);
    }
    const cuzk_status st = s->st;
    *out = s->made[b->partitions[i]];
    if (st != CUZK_OK && err != NULL) {
        *err = s->err;
    }
    (void)pthread_mutex_unlock(&s->lock);
    return st;
}

static void report(const cuzk_prove_all_job *p, const char *what, uint64_t done, uint64_t total)
{
    if (p->progress != NULL) {
        p->progress(p->progress_arg, what, done, total);
    }
}

/* Waits for the native check to pass, then verifies a proof and stores it. */
static cuzk_status take_proof(pipe_state *s, const uint8_t proof[CUZK_PROOF_BYTES],
                              uint32_t partition, cuzk_trace_ctx trace, cuzk_err *err)
{
    cuzk_span_tags tags = CUZK_SPAN_TAGS_INIT;
    tags.partition = (int32_t)partition;
    CUZK_TRY(cuzk_pipeline_await_check(s->steps, err));
    const cuzk_span span = cuzk_span_begin(trace, "verify", &tags);
    const cuzk_status st = cuzk_pipeline_verify(s->steps, s->p->vk, partition, proof, err);
    cuzk_span_end(trace, span, 0);
    (void)pthread_mutex_lock(&s->lock);
    if (st == CUZK_OK) {
        memcpy(s->proofs + (size_t)partition * CUZK_PROOF_BYTES, proof, CUZK_PROOF_BYTES);
        s->n_done++;
        report(s->p, "prove", s->n_done, s->n);
    }
    (void)pthread_mutex_unlock(&s->lock);
    return st;
}

static cuzk_status take_some(void *arg, size_t begin, size_t end, unsigned worker)
{
    const pipe_batch *b = arg;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        cuzk_err err = {.msg = ""};
        const cuzk_status st =
            take_proof(b->s, b->proofs[i], b->partitions[i], b->s->p->trace, &err);
        if (st != CUZK_OK) {
            (void)pthread_mutex_lock(&b->s->lock);
            fail_locked(b->s, st, &err);
            (void)pthread_mutex_unlock(&b->s->lock);
            return st;
        }
    }
    return CUZK_OK;
}

/* The proofs of a call, shared by the threads of the pool, but only after the check, which needs them too. */
static cuzk_status take_proofs(pipe_batch *b, cuzk_err *err)
{
    CUZK_TRY(cuzk_pipeline_await_check(b->s->steps, err));
    return cuzk_parallel_for(b->s->p->pool, NULL, b->n, 1, take_some, b);
}

static cuzk_status prove_batch(const pipe_worker *w, pipe_batch *b, cuzk_err *err)
{
    pipe_state *s = w->s;
    int32_t tags[MAX_BATCH];
    for (uint32_t i = 0; i < b->n; i++) {
        tags[i] = (int32_t)b->partitions[i];
    }
    const cuzk_device_call call = {.key = w->key,
                                   .device = w->device,
                                   .partitions = tags,
                                   .pool = s->p->pool,
                                   .await = await_witness,
                                   .await_arg = b};
    const cuzk_status st =
        cuzk_pipeline_prove_on_device(b->proofs, NULL, b->n, &call, s->p->cancel, s->p->trace, err);
    const cuzk_span release = cuzk_span_begin(s->p->trace, "release", NULL);
    for (uint32_t i = 0; i < b->n; i++) {
        drop_witness(s, b->partitions[i]);
    }
    cuzk_span_end(s->p->trace, release, 0);
    return st == CUZK_OK ? take_proofs(b, err) : st;
}

static void *worker_loop(void *arg)
{
    pipe_worker *w = arg;
    pipe_batch b = {.s = w->s};
    for (;;) {
        cuzk_err err = {.msg = ""};
        b.n = take_batch(w->s, w->queue, b.partitions);
        if (b.n == 0) {
            return NULL;
        }
        const cuzk_status st = prove_batch(w, &b, &err);
        if (st != CUZK_OK) {
            (void)pthread_mutex_lock(&w->s->lock);
            fail_locked(w->s, st, &err);
            (void)pthread_mutex_unlock(&w->s->lock);
            return NULL;
        }
    }
}

/* True when a call has the partition; it may wait for the witness. With the lock. */
static bool is_taken(const pipe_state *s, uint32_t partition)
{
    return partition < s->next[partition % s->n_queues];
}

/*
 * Waits until a call has the partition, or fewer witnesses than one batch (at least 2) are ready for others. False: a
 * step has failed.
 */
static bool wait_for_room(pipe_state *s, uint32_t partition)
{
    const uint32_t ahead = s->batch > 2 ? s->batch : 2;
    (void)pthread_mutex_lock(&s->lock);
    while (s->st == CUZK_OK && !is_taken(s, partition) && s->n_ready >= ahead) {
        (void)pthread_cond_wait(&s->changed, &s->lock);
    }
    const bool go = s->st == CUZK_OK;
    (void)pthread_mutex_unlock(&s->lock);
    return go;
}

static void *check_input(void *arg)
{
    pipe_state *s = arg;
    cuzk_err err = {.msg = ""};
    const cuzk_status st = cuzk_pipeline_check(s->steps, s->p->cancel, s->p->trace, &err);
    (void)pthread_mutex_lock(&s->lock);
    if (st != CUZK_OK) {
        fail_locked(s, st, &err);
    }
    (void)pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* Starts the native check if it has not been started: on a new thread, or on this one if no thread can be made. */
static void begin_check(pipe_state *s)
{
    if (!s->check_waits) {
        return;
    }
    s->check_waits = false;
    s->check_runs = pthread_create(&s->checker, NULL, check_input, s) == 0;
    if (!s->check_runs) {
        (void)check_input(s);
    }
}

/* Makes the witness of a partition, in a span. */
static cuzk_status make_witness(pipe_state *s, cuzk_placed_witness **out, uint32_t partition,
                                cuzk_trace_ctx trace, cuzk_err *err)
{
    const cuzk_prove_all_job *p = s->p;
    const cuzk_witness_opts opts = {.memory =
                                        p->n_keys > 0 ? p->memories[partition % p->n_keys] : NULL,
                                    .check_rows = p->check_rows};
    cuzk_span_tags tags = CUZK_SPAN_TAGS_INIT;
    tags.partition = (int32_t)partition;
    const cuzk_span span = cuzk_span_begin(trace, "witness", &tags);
    const cuzk_status st = cuzk_pipeline_witness(out, s->steps, p->circuit, partition, &opts,
                                                 p->cancel, cuzk_trace_in(trace, span), err);
    cuzk_span_end(trace, span, 0);
    return st;
}

static void make_witnesses(pipe_state *s)
{
    for (uint32_t i = 0; i < s->n && wait_for_room(s, i); i++) {
        cuzk_err err = {.msg = ""};
        cuzk_placed_witness *w = NULL;
        const cuzk_status st = make_witness(s, &w, i, s->p->trace, &err);
        (void)pthread_mutex_lock(&s->lock);
        if (st == CUZK_OK) {
            s->made[i] = w;
            s->n_ready += !is_taken(s, i);
            (void)pthread_cond_broadcast(&s->changed);
        } else {
            fail_locked(s, st, &err);
        }
        (void)pthread_mutex_unlock(&s->lock);
        if (i + 1 == s->p->n_keys) {
            begin_check(s); /* every device has work from here on */
        }
    }
    begin_check(s);
}

/* The part of verification that needs no proof: sums of the public inputs. */
static void sum_inputs(pipe_state *s)
{
    bool go = true;
    for (uint32_t i = 0; i < s->n && go; i++) {
        cuzk_pipeline_sum_inputs(s->steps, s->p->vk, i, s->p->trace);
        (void)pthread_mutex_lock(&s->lock);
        go = s->st == CUZK_OK;
        (void)pthread_mutex_unlock(&s->lock);
    }
}

static bool all_resident(const cuzk_prove_all_job *p)
{
    for (size_t i = 0; i < p->n_keys; i++) {
        if (!cuzk_device_key_get_stats(p->keys[i]).resident) {
            return false;
        }
    }
    return true;
}

/* One pass over streamed points serves a whole batch. Resident points gain nothing from a batch. */
static uint32_t batch_of(const cuzk_prove_all_job *p)
{
    const uint32_t n = p->in->n_partitions;
    if (all_resident(p)) {
        return 1;
    }
    const uint32_t share = (uint32_t)((n + p->n_keys - 1) / p->n_keys);
    return share < MAX_BATCH ? share : MAX_BATCH;
}

static int32_t ordinal_of(const cuzk_device_key *k)
{
    cuzk_accel_props props;
    cuzk_accel_get_props(cuzk_device_key_device(k), &props);
    return (int32_t)props.ordinal;
}

/* Starts the threads of the devices, makes witnesses for them, and joins them. */
static void run_workers(pipe_state *s, pipe_worker *workers, size_t n)
{
    size_t started = 0;
    for (; started < n; started++) {
        pipe_worker *w = &workers[started];
        w->s = s;
        w->key = s->p->keys[started / PER_DEVICE];
        w->queue = (uint32_t)(started / PER_DEVICE) % s->n_queues;
        w->device = ordinal_of(w->key);
        const int e = pthread_create(&w->thread, NULL, worker_loop, w);
        if (e != 0) {
            cuzk_err err;
            (void)pthread_mutex_lock(&s->lock);
            fail_locked(s, CUZK_FAIL_OS(&err, CUZK_E_IO, e, "no thread for a device"), &err);
            (void)pthread_mutex_unlock(&s->lock);
            break;
        }
    }
    make_witnesses(s);
    sum_inputs(s);
    for (size_t i = 0; i < started; i++) {
        (void)pthread_join(workers[i].thread, NULL);
    }
    if (s->check_runs) {
        (void)pthread_join(s->checker, NULL);
    }
}

static cuzk_status make_queues(pipe_state *s, cuzk_err *err)
{
    s->batch = batch_of(s->p);
    s->n_queues = s->batch == 1 ? 1 : (uint32_t)s->p->n_keys;
    s->made = cuzk_alloc_zero(s->n, sizeof(*s->made));
    s->next = cuzk_alloc(s->n_queues, sizeof(*s->next));
    if (s->made == NULL || s->next == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to prove %u partitions", s->n);
    }
    for (uint32_t i = 0; i < s->n_queues; i++) {
        s->next[i] = i;
    }
    return cuzk_releaser_create(&s->releaser, MAX_BACKLOG, err);
}

static cuzk_status run_on_devices(pipe_state *s, cuzk_err *err)
{
    const size_t n_workers = PER_DEVICE * s->p->n_keys;
    pipe_worker *workers = cuzk_alloc_zero(n_workers, sizeof(*workers));
    if (workers == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for threads of devices");
    }
    const cuzk_status st = make_queues(s, err);
    if (st != CUZK_OK) {
        cuzk_free(workers);
        return st;
    }
    s->check_waits = true;
    if (!cuzk_pipeline_may_start(s->steps)) {
        s->check_waits = false;
        (void)check_input(s);
    }
    if (s->st == CUZK_OK) {
        run_workers(s, workers, n_workers);
    }
    for (uint32_t i = 0; i < s->n; i++) {
        drop_witness(s, i);
    }
    s->backlog_peak = cuzk_releaser_get_stats(s->releaser).backlog_peak;
    cuzk_releaser_destroy(s->releaser);
    cuzk_free(workers);
    cuzk_err why = {.msg = ""};
    const cuzk_status verdict = cuzk_pipeline_await_check(s->steps, &why);
    if (verdict != CUZK_OK) { /* a wrong input may have caused any other failure */
        s->st = verdict;
        s->err = why;
    }
    if (s->st != CUZK_OK && err != NULL) {
        *err = s->err;
    }
    return s->st;
}

/* One partition on the CPU. */
static cuzk_status prove_in_turn(pipe_state *s, uint32_t partition, cuzk_err *err)
{
    const cuzk_prove_all_job *p = s->p;
    uint8_t proof[CUZK_PROOF_BYTES];
    cuzk_placed_witness *w = NULL;
    cuzk_span_tags tags = CUZK_SPAN_TAGS_INIT;
    tags.partition = (int32_t)partition;
    const cuzk_span span = cuzk_span_begin(p->trace, "partition", &tags);
    const cuzk_trace_ctx trace = cuzk_trace_in(p->trace, span);
    cuzk_status st = make_witness(s, &w, partition, trace, err);
    if (st == CUZK_OK) {
        st = cuzk_pipeline_prove(proof, w, p->srs, p->pool, p->cancel, trace, err);
        const cuzk_span release = cuzk_span_begin(trace, "release", NULL);
        cuzk_placed_give(w);
        cuzk_span_end(trace, release, 0);
    }
    if (st == CUZK_OK) {
        st = take_proof(s, proof, partition, trace, err);
    }
    cuzk_span_end(p->trace, span, 0);
    return st;
}

static cuzk_status run_on_cpu(pipe_state *s, cuzk_err *err)
{
    if (s->p->srs == NULL) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "a prover without parameters needs a device");
    }
    (void)check_input(s);
    if (s->st != CUZK_OK) {
        if (err != NULL) {
            *err = s->err;
        }
        return s->st;
    }
    for (uint32_t i = 0; i < s->n; i++) {
        report(s->p, "prove", i, s->n);
        CUZK_TRY(prove_in_turn(s, i, err));
    }
    return CUZK_OK;
}

cuzk_status cuzk_prove_all(const cuzk_prove_all_job *p, uint8_t *proofs, cuzk_err *err)
{
    const uint32_t n = p->in->n_partitions;
    cuzk_status st = CUZK_OK;
    pipe_state *s = cuzk_alloc_zero(1, sizeof(*s));
    uint8_t *out = cuzk_alloc(n, CUZK_PROOF_BYTES);
    if (s == NULL || out == NULL) {
        cuzk_free(s);
        cuzk_free(out);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to prove %u partitions", n);
    }
    (void)pthread_mutex_init(&s->lock, NULL); /* default attributes: cannot fail */
    (void)pthread_cond_init(&s->changed, NULL);
    s->p = p;
    s->n = n;
    s->proofs = out;
    s->witness_bytes = cuzk_placed_bytes(p->circuit);
    report(p, "check", 0, 1);
    st = cuzk_pipeline_create(&s->steps, p->in, p->hashes, p->pool, err);
    if (st == CUZK_OK) {
        st = p->n_keys > 0 ? run_on_devices(s, err) : run_on_cpu(s, err);
    }
    if (p->release_backlog_peak != NULL) {
        *p->release_backlog_peak = s->backlog_peak;
    }
    if (st == CUZK_OK) {
        memcpy(proofs, out, (size_t)n * CUZK_PROOF_BYTES);
    }
    cuzk_pipeline_destroy(s->steps);
    (void)pthread_mutex_destroy(&s->lock);
    (void)pthread_cond_destroy(&s->changed);
    cuzk_free(s->made);
    cuzk_free(s->next);
    cuzk_free(s);
    cuzk_free(out);
    return st;
}
