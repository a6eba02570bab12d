/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "prover/device_pipeline.h"

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "sys/releaser.h"

#define MAX_BATCH   16u
#define PER_DEVICE  3u
#define MAX_BACKLOG ((uint64_t)1 << 30)
#define MAX_CLAIMS  16u
#define MANY_INPUTS 64u /* whose sum takes as long as the pairings */

typedef struct pipe_witness {
    cuzk_witness *w;
    cuzk_device_key *key; /* whose page-locked memory it is in; NULL: on the heap */
    uint32_t partition;
} pipe_witness;

typedef struct pipe_state {
    const cuzk_pipeline *p;
    uint32_t n, batch; /* batch: witnesses that a device likes to have together */
    uint8_t *proofs;
    cuzk_releaser *releaser;
    uint64_t witness_bytes;
    bool check_waits, check_runs; /* of the calling thread: to be begun; begun on `checker` */
    pthread_t checker;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Under the lock. */
    pipe_witness ready[2 * MAX_BATCH];
    uint32_t n_ready, n_made, n_done;
    cuzk_status st; /* first failure */
    cuzk_err err;
    cuzk_verify_inputs *claims[MAX_CLAIMS]; /* of the first partitions, when they are ready */
    cuzk_status check_st;                   /* of the native check, when it is over */
    cuzk_err check_err;
    cuzk_pipeline_times times;
} pipe_state;

typedef struct pipe_worker {
    pipe_state *s;
    cuzk_device_key *key;
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
    cuzk_witness_destroy(w);
}

/* Giving back a large block of the heap takes time, page-locked ones are kept. */
static void drop_witness(pipe_state *s, const pipe_witness *w)
{
    if (w->key != NULL) {
        cuzk_device_witness_give(w->key, w->w);
    } else {
        cuzk_releaser_push(s->releaser, release_witness, w->w, s->witness_bytes);
    }
}

/* Up to a batch of witnesses; 0: there will be none. */
static uint32_t take_batch(pipe_state *s, pipe_witness *w)
{
    (void)pthread_mutex_lock(&s->lock);
    while (s->st == CUZK_OK && s->n_ready < s->batch && s->n_made < s->n) {
        (void)pthread_cond_wait(&s->changed, &s->lock);
    }
    uint32_t k = s->n_ready < s->batch ? s->n_ready : s->batch;
    if (s->st != CUZK_OK) {
        k = 0; /* the rest is destroyed at the end */
    }
    for (uint32_t i = 0; i < k; i++) {
        w[i] = s->ready[i];
    }
    for (uint32_t i = k; i < s->n_ready; i++) {
        s->ready[i - k] = s->ready[i];
    }
    s->n_ready -= k;
    (void)pthread_cond_broadcast(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
    return k;
}

static cuzk_status check_proof(const pipe_worker *w, cuzk_trace_ctx trace, const cuzk_proof *proof,
                               uint32_t partition, cuzk_err *err)
{
    pipe_state *s = w->s;
    uint8_t bytes[CUZK_PROOF_BYTES];
    cuzk_span_tags tags = CUZK_SPAN_TAGS_INIT;
    tags.partition = (int32_t)partition;
    const uint64_t t0 = cuzk_clock_ns();
    const cuzk_span span = cuzk_span_begin(trace, "verify", &tags);
    cuzk_proof_encode(bytes, proof);
    const cuzk_verify_inputs *claim = NULL;
    if (partition < MAX_CLAIMS) {
        (void)pthread_mutex_lock(&s->lock);
        claim = s->claims[partition];
        (void)pthread_mutex_unlock(&s->lock);
    }
    const cuzk_status st =
        claim != NULL
            ? cuzk_filecoin_input_check_claim(s->p->in, s->p->vk, claim, partition, bytes, err)
            : cuzk_filecoin_input_verify(s->p->in, s->p->vk, partition, bytes, err);
    cuzk_span_end(trace, span, 0);
    (void)pthread_mutex_lock(&s->lock);
    s->times.verify_ns += cuzk_clock_ns() - t0;
    if (st == CUZK_OK) {
        memcpy(s->proofs + (size_t)partition * CUZK_PROOF_BYTES, bytes, CUZK_PROOF_BYTES);
        s->n_done++;
        if (s->p->progress != NULL) {
            s->p->progress(s->p->progress_arg, "prove", s->n_done, s->n);
        }
    }
    (void)pthread_mutex_unlock(&s->lock);
    return st;
}

static void add_device_times(cuzk_device_times *sum, const cuzk_device_times *t)
{
    sum->prep_msm_ns += t->prep_msm_ns;
    sum->eval_ns += t->eval_ns;
    sum->ntt_msm_h_ns += t->ntt_msm_h_ns;
    sum->ntt_ns += t->ntt_ns;
    sum->batch_add_ns += t->batch_add_ns;
    sum->tail_msm_ns += t->tail_msm_ns;
    sum->b_g2_msm_ns += t->b_g2_msm_ns;
    sum->gpu_total_ns += t->gpu_total_ns;
    sum->assemble_ns += t->assemble_ns;
    sum->total_ns += t->total_ns;
    sum->groups += t->groups;
}

static cuzk_status prove_batch(const pipe_worker *w, const pipe_witness *witnesses, uint32_t k,
                               cuzk_err *err)
{
    pipe_state *s = w->s;
    cuzk_proof proofs[MAX_BATCH];
    const cuzk_witness *in[MAX_BATCH];
    int32_t tags[MAX_BATCH];
    cuzk_device_times t = {.total_ns = 0};
    bool pinned = true;
    for (uint32_t i = 0; i < k; i++) {
        in[i] = witnesses[i].w;
        tags[i] = (int32_t)witnesses[i].partition;
        pinned = pinned && witnesses[i].key != NULL;
    }
    const cuzk_device_prove_opts opts = {.times = &t,
                                         .trace = s->p->trace,
                                         .partitions = tags,
                                         .device = w->device,
                                         .pool = s->p->pool,
                                         .pinned = pinned};
    cuzk_status st = cuzk_device_prove(w->key, proofs, k, in, &opts, s->p->cancel, err);
    for (uint32_t i = 0; i < k; i++) {
        drop_witness(s, &witnesses[i]);
    }
    for (uint32_t i = 0; i < k && st == CUZK_OK; i++) {
        st = check_proof(w, s->p->trace, &proofs[i], witnesses[i].partition, err);
    }
    (void)pthread_mutex_lock(&s->lock);
    add_device_times(&s->times.device, &t);
    (void)pthread_mutex_unlock(&s->lock);
    return st;
}

static void *worker_loop(void *arg)
{
    pipe_worker *w = arg;
    pipe_witness witnesses[MAX_BATCH];
    for (;;) {
        cuzk_err err = {.msg = ""};
        const uint32_t k = take_batch(w->s, witnesses);
        if (k == 0) {
            return NULL;
        }
        const cuzk_status st = prove_batch(w, witnesses, k, &err);
        if (st != CUZK_OK) {
            (void)pthread_mutex_lock(&w->s->lock);
            fail_locked(w->s, st, &err);
            (void)pthread_mutex_unlock(&w->s->lock);
            return NULL;
        }
    }
}

/* Waits until a witness may be made: no more than a batch (at least 2) are ahead of the devices. */
static bool wait_for_room(pipe_state *s)
{
    const uint32_t ahead = s->batch > 2 ? s->batch : 2;
    (void)pthread_mutex_lock(&s->lock);
    while (s->st == CUZK_OK && s->n_ready >= ahead) {
        (void)pthread_cond_wait(&s->changed, &s->lock);
    }
    const bool go = s->st == CUZK_OK;
    (void)pthread_mutex_unlock(&s->lock);
    return go;
}

static void *check_input(void *arg)
{
    pipe_state *s = arg;
    const cuzk_pipeline *p = s->p;
    cuzk_err err = {.msg = ""};
    const uint64_t t0 = cuzk_clock_ns();
    const cuzk_span span = cuzk_span_begin(p->trace, "check", NULL);
    const cuzk_status st = cuzk_filecoin_input_check(p->in, p->hashes, p->pool, p->cancel, &err);
    cuzk_span_end(p->trace, span, 0);
    (void)pthread_mutex_lock(&s->lock);
    s->times.check_ns += cuzk_clock_ns() - t0;
    s->check_st = st;
    s->check_err = err;
    if (st != CUZK_OK) {
        fail_locked(s, st, &err);
    }
    (void)pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* Once. On a thread of its own, beside the proofs; without one, here. */
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

/* In page-locked memory where there is some, else on the heap. */
static cuzk_status make_witness(const pipe_state *s, pipe_witness *out, cuzk_err *err)
{
    const cuzk_pipeline *p = s->p;
    cuzk_device_key *key = p->keys[out->partition % p->n_keys];
    out->key = NULL;
    out->w = NULL;
    if (cuzk_device_witness_take(&out->w, key, NULL) == CUZK_OK && out->w != NULL) {
        out->key = key;
    } else { /* a lost device says so when it is to prove */
        CUZK_TRY(cuzk_witness_create(&out->w, p->circuit, err));
    }
    cuzk_status st =
        cuzk_filecoin_input_fill(out->w, p->in, out->partition, p->hashes, p->pool, p->cancel, err);
    if (st == CUZK_OK && p->check_rows) {
        st = cuzk_r1cs_check(out->w, NULL, p->pool, p->cancel, err);
    }
    return st;
}

static void make_witnesses(pipe_state *s)
{
    const cuzk_pipeline *p = s->p;
    for (uint32_t i = 0; i < s->n && wait_for_room(s); i++) {
        cuzk_err err = {.msg = ""};
        pipe_witness w = {.partition = i};
        cuzk_span_tags tags = CUZK_SPAN_TAGS_INIT;
        tags.partition = (int32_t)i;
        const uint64_t t0 = cuzk_clock_ns();
        const cuzk_span span = cuzk_span_begin(p->trace, "witness", &tags);
        const cuzk_status st = make_witness(s, &w, &err);
        cuzk_span_end(p->trace, span, 0);
        if (st != CUZK_OK && w.w != NULL) {
            drop_witness(s, &w);
        }
        (void)pthread_mutex_lock(&s->lock);
        s->times.witness_ns += cuzk_clock_ns() - t0;
        if (st == CUZK_OK) {
            s->ready[s->n_ready++] = w;
            s->n_made++;
            (void)pthread_cond_broadcast(&s->changed);
        } else {
            fail_locked(s, st, &err);
        }
        (void)pthread_mutex_unlock(&s->lock);
        if (i + 1 == p->n_keys) {
            begin_check(s); /* every device has work now */
        }
    }
    begin_check(s);
}

/* What verification can do before there are proofs; what is missing it does then. */
static void make_claims(pipe_state *s)
{
    for (uint32_t i = 0; i < s->n && i < MAX_CLAIMS; i++) {
        cuzk_verify_inputs *claim = NULL;
        if (cuzk_filecoin_input_claim(&claim, s->p->in, s->p->vk, i, NULL) != CUZK_OK) {
            return;
        }
        (void)pthread_mutex_lock(&s->lock);
        s->claims[i] = claim;
        const bool go = s->st == CUZK_OK;
        (void)pthread_mutex_unlock(&s->lock);
        if (!go) {
            return;
        }
    }
}

static bool all_resident(const cuzk_pipeline *p)
{
    for (size_t i = 0; i < p->n_keys; i++) {
        if (!cuzk_device_key_get_stats(p->keys[i]).resident) {
            return false;
        }
    }
    return true;
}

/* Points that stream serve as many witnesses as there are; those that stay gain nothing by it. */
static uint32_t batch_of(const cuzk_pipeline *p)
{
    const uint32_t n = p->in->n_partitions;
    if (all_resident(p)) {
        return 1;
    }
    const uint32_t share = (uint32_t)((n + p->n_keys - 1) / p->n_keys);
    return share < MAX_BATCH ? share : MAX_BATCH;
}

static bool may_check_beside(const cuzk_pipeline *p)
{
    return p->circuit->n_inputs == p->in->spec.n_inputs && cuzk_filecoin_input_is_shaped(p->in);
}

static uint64_t witness_bytes(const cuzk_circuit *c)
{
    return (c->n_inputs + c->n_fulls) * sizeof(cuzk_fr) + c->n_bits / 8;
}

static int32_t ordinal_of(const cuzk_device_key *k)
{
    cuzk_accel_props props;
    cuzk_accel_get_props(cuzk_device_key_device(k), &props);
    return (int32_t)props.ordinal;
}

/* Starts the threads, feeds them, and waits for their end. */
static void run_workers(pipe_state *s, pipe_worker *workers, size_t n)
{
    size_t started = 0;
    for (; started < n; started++) {
        pipe_worker *w = &workers[started];
        w->s = s;
        w->key = s->p->keys[started / PER_DEVICE];
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
    if (cuzk_vk_n_inputs(s->p->vk) >= MANY_INPUTS) {
        make_claims(s);
    }
    for (size_t i = 0; i < started; i++) {
        (void)pthread_join(workers[i].thread, NULL);
    }
    if (s->check_runs) {
        (void)pthread_join(s->checker, NULL);
    }
}

cuzk_status cuzk_pipeline_run(const cuzk_pipeline *p, uint8_t *proofs, cuzk_pipeline_times *times,
                              cuzk_err *err)
{
    const size_t n_workers = PER_DEVICE * p->n_keys;
    const uint32_t n = p->in->n_partitions;
    cuzk_status st = CUZK_OK;
    pipe_state *s = cuzk_alloc_zero(1, sizeof(*s));
    pipe_worker *workers = cuzk_alloc_zero(n_workers, sizeof(*workers));
    uint8_t *out = cuzk_alloc(n, CUZK_PROOF_BYTES);
    if (s == NULL || workers == NULL || out == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to prove %u partitions", n);
        goto out;
    }
    CUZK_TRY_GOTO(st, cuzk_releaser_create(&s->releaser, MAX_BACKLOG, err));
    s->p = p;
    s->n = n;
    s->batch = batch_of(p);
    s->proofs = out;
    s->witness_bytes = witness_bytes(p->circuit);
    (void)pthread_mutex_init(&s->lock, NULL); /* default attributes: cannot fail */
    (void)pthread_cond_init(&s->changed, NULL);
    s->check_waits = p->check;
    if (p->check && p->progress != NULL) {
        p->progress(p->progress_arg, "check", 0, 1);
    }
    if (p->check && !may_check_beside(p)) {
        s->check_waits = false;
        (void)check_input(s);
    }
    if (s->st == CUZK_OK) {
        run_workers(s, workers, n_workers);
    }
    for (uint32_t i = 0; i < s->n_ready; i++) {
        drop_witness(s, &s->ready[i]);
    }
    for (uint32_t i = 0; i < MAX_CLAIMS; i++) {
        cuzk_verify_inputs_destroy(s->claims[i]);
    }
    if (s->check_st != CUZK_OK) { /* whatever else failed may come from a wrong input */
        s->st = s->check_st;
        s->err = s->check_err;
    }
    st = s->st;
    s->times.release_backlog_peak = cuzk_releaser_get_stats(s->releaser).backlog_peak;
    times->check_ns += s->times.check_ns;
    times->witness_ns += s->times.witness_ns;
    times->verify_ns += s->times.verify_ns;
    add_device_times(&times->device, &s->times.device);
    if (s->times.release_backlog_peak > times->release_backlog_peak) {
        times->release_backlog_peak = s->times.release_backlog_peak;
    }
    if (st == CUZK_OK) {
        memcpy(proofs, out, (size_t)n * CUZK_PROOF_BYTES);
    } else if (err != NULL) {
        *err = s->err;
    }
    (void)pthread_mutex_destroy(&s->lock);
    (void)pthread_cond_destroy(&s->changed);
out:
    if (s != NULL) {
        cuzk_releaser_destroy(s->releaser);
    }
    cuzk_free(s);
    cuzk_free(workers);
    cuzk_free(out);
    return st;
}
