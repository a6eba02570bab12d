/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "mock_backend.h"

#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "hash/sha256.h"

#include "test.h"

static uint64_t next_random(_Atomic uint64_t *state)
{
    uint64_t z = atomic_fetch_add(state, 0x9e3779b97f4a7c15ull) + 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull; /* splitmix64 */
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static bool happens(mock_backend *b, uint32_t chance)
{
    return chance != 0 && next_random(&b->random) % 1000 < chance;
}

static void take(mock_backend *b, uint64_t bytes)
{
    const uint64_t now = atomic_fetch_add(&b->used, bytes) + bytes;
    uint64_t peak = atomic_load(&b->peak);
    while (now > peak && !atomic_compare_exchange_weak(&b->peak, &peak, now)) {
    }
}

static void give(mock_backend *b, uint64_t bytes)
{
    atomic_fetch_sub(&b->used, bytes);
}

static bool is_hanging(const mock_backend *b, mock_stage s, uint32_t device, uint32_t number)
{
    return b->closed[s] &&
           (s != MOCK_PROVE || ((b->hanging_device == 0 || b->hanging_device == device + 1) &&
                                (b->n_hanging == 0 || number < b->n_hanging)));
}

/* The gate, then the time that the stage takes. False when cancelled. */
static bool enter(mock_backend *b, mock_stage s, uint32_t device, const cuzk_cancel *cancel)
{
    atomic_fetch_add(&b->calls[s], 1);
    pthread_mutex_lock(&b->mu);
    b->inside[s]++;
    pthread_cond_broadcast(&b->cv);
    bool cancelled = false;
    const bool counts = s == MOCK_PROVE && b->hanging_device == device + 1;
    const uint32_t number = counts ? atomic_fetch_add(&b->hung, 1) : 0;
    while (is_hanging(b, s, device, number) && !cancelled) {
        struct timespec until;
        (void)clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 2000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void)pthread_cond_timedwait(&b->cv, &b->mu, &until);
        cancelled = !b->ignores_cancel && cuzk_cancel_requested(cancel);
    }
    b->inside[s]--;
    pthread_mutex_unlock(&b->mu);
    const uint32_t us = atomic_load(&b->sleep_us[s]);
    if (us != 0) {
        const struct timespec t = {us / 1000000, (long)(us % 1000000) * 1000};
        (void)nanosleep(&t, NULL);
    }
    return !cancelled && !cuzk_cancel_requested(cancel);
}

static cuzk_status stage(mock_backend *b, mock_stage s, const cuzk_cancel *cancel, cuzk_err *err)
{
    if (!enter(b, s, 0, cancel)) {
        return CUZK_FAIL(err, CUZK_E_CANCELLED, "cancelled");
    }
    if (happens(b, atomic_load(&b->fail[s]))) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "mock: out of memory");
    }
    return CUZK_OK;
}

void mock_proof(uint8_t out[192], const mock_job *job, uint32_t partition)
{
    for (uint32_t i = 0; i < 6; i++) {
        cuzk_sha256 s;
        cuzk_sha256_init(&s);
        cuzk_sha256_update(&s, job, sizeof(*job));
        cuzk_sha256_update(&s, &partition, sizeof(partition));
        cuzk_sha256_update(&s, &i, sizeof(i));
        cuzk_sha256_final(out + (size_t)i * 32, &s);
    }
}

typedef struct mock_input {
    mock_job job;
    uint64_t bytes;
} mock_input;

typedef struct mock_witness {
    mock_job job;
    uint32_t partition;
    uint64_t bytes;
} mock_witness;

static uint32_t circuit_of(cuzk_job_kind k)
{
    return k == CUZK_JOB_AGGREGATE ? (uint32_t)CUZK_CIRCUIT_UNKNOWN : (uint32_t)k - 1;
}

static cuzk_status plan(void *arg, const cuzk_job_request *rq, cuzk_backend_plan *out,
                        cuzk_err *err)
{
    const mock_backend *b = arg;
    mock_job job = {.n_partitions = 0};
    if (rq->vanilla_proof.size + rq->n_vanilla_proofs == 0) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "vanilla_proofs is empty");
    }
    if (b->plans_partitions && rq->vanilla_proof.size >= sizeof(job)) {
        memcpy(&job, rq->vanilla_proof.data, sizeof(job));
    }
    *out = (cuzk_backend_plan){circuit_of(rq->kind), 2 * MOCK_MIB, job.n_partitions};
    return CUZK_OK;
}

static uint64_t size_of(const mock_backend *b, uint32_t circuit, cuzk_load_what what)
{
    return what == CUZK_LOAD_CIRCUIT ? b->circuits[circuit].circuit_bytes
                                     : b->circuits[circuit].params_bytes;
}

static cuzk_status load(void *arg, uint32_t circuit, cuzk_load_what what, void **object,
                        uint64_t *bytes, cuzk_err *err)
{
    mock_backend *b = arg;
    const uint64_t most = what == CUZK_LOAD_CIRCUIT ? b->circuits[circuit].compile_bytes
                                                    : b->circuits[circuit].params_bytes;
    take(b, most);
    const cuzk_status st = stage(b, MOCK_LOAD, NULL, err);
    if (st != CUZK_OK) {
        give(b, most);
        return st;
    }
    uint32_t *o = cuzk_alloc(1, sizeof(*o));
    if (o == NULL) {
        give(b, most);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "mock: out of memory");
    }
    *o = circuit;
    *object = o;
    *bytes = size_of(b, circuit, what);
    give(b, most - *bytes);
    return CUZK_OK;
}

static void unload(void *arg, cuzk_load_what what, void *object)
{
    mock_backend *b = arg;
    uint32_t *o = object;
    give(b, size_of(b, *o, what));
    cuzk_free(o);
}

static cuzk_status parse(void *arg, const cuzk_job_request *rq, cuzk_backend_input *out,
                         const cuzk_cancel *cancel, cuzk_err *err)
{
    mock_backend *b = arg;
    mock_job job = {.tag = 0};
    const cuzk_bytes v = rq->kind == CUZK_JOB_POREP ? rq->vanilla_proof : rq->vanilla_proofs[0];
    take(b, 2 * MOCK_MIB);
    cuzk_status st = stage(b, MOCK_PARSE, cancel, err);
    if (st == CUZK_OK) {
        if (v.size < sizeof(job)) {
            st = CUZK_FAIL(err, CUZK_E_FORMAT, "mock: short");
        } else {
            memcpy(&job, v.data, sizeof(job));
            st = job.bad_input == 1 ? CUZK_FAIL(err, CUZK_E_FORMAT, "mock: bad input") : CUZK_OK;
        }
    }
    mock_input *in = st == CUZK_OK ? cuzk_alloc(1, sizeof(*in)) : NULL;
    if (st == CUZK_OK && in == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "mock: out of memory");
    }
    if (st != CUZK_OK) {
        give(b, 2 * MOCK_MIB);
        return st;
    }
    in->job = job;
    in->bytes = MOCK_MIB;
    give(b, MOCK_MIB);
    *out = (cuzk_backend_input){in, circuit_of(rq->kind), job.n_partitions, in->bytes};
    return CUZK_OK;
}

/* The proof of partition 0. */
static cuzk_status aggregate(void *arg, void *input, uint8_t **out, size_t *n_out,
                             const cuzk_cancel *cancel, cuzk_trace_ctx trace, cuzk_err *err)
{
    enum { BYTES = 192 };
    mock_backend *b = arg;
    const mock_input *in = input;
    (void)trace;
    CUZK_TRY(stage(b, MOCK_AGGREGATE, cancel, err));
    const uint32_t left = atomic_load(&b->aggregates_to_fail);
    if (left != 0) { /* one call at a time */
        atomic_store(&b->aggregates_to_fail, left - 1);
        return CUZK_FAIL(err, CUZK_E_IO, "mock: the file cannot be read");
    }
    uint8_t *proof = cuzk_alloc(BYTES, 1);
    if (proof == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "mock: out of memory");
    }
    mock_proof(proof, &in->job, 0);
    *out = proof;
    *n_out = BYTES;
    return CUZK_OK;
}

static cuzk_status check(void *arg, void *input, const cuzk_cancel *cancel, cuzk_trace_ctx trace,
                         cuzk_err *err)
{
    mock_backend *b = arg;
    const mock_input *in = input;
    (void)trace;
    CUZK_TRY(stage(b, MOCK_CHECK, cancel, err));
    return in->job.bad_input == 2
               ? CUZK_FAIL(err, CUZK_E_VANILLA, "partition 0, challenge 3: mock: wrong path")
               : CUZK_OK;
}

static cuzk_status witness(void *arg, void *input, void *circuit, uint32_t partition, void **out,
                           const cuzk_cancel *cancel, cuzk_trace_ctx trace, cuzk_err *err)
{
    mock_backend *b = arg;
    const mock_input *in = input;
    const uint64_t bytes = b->circuits[*(uint32_t *)circuit].witness_bytes;
    (void)trace;
    take(b, bytes);
    const cuzk_status st = stage(b, MOCK_WITNESS, cancel, err);
    mock_witness *w = st == CUZK_OK ? cuzk_alloc(1, sizeof(*w)) : NULL;
    if (w == NULL) {
        give(b, bytes);
        return st != CUZK_OK ? st : CUZK_FAIL(err, CUZK_E_NOMEM, "mock: out of memory");
    }
    *w = (mock_witness){in->job, partition, bytes};
    *out = w;
    return CUZK_OK;
}

static void note_order(mock_backend *b, uint64_t tag)
{
    pthread_mutex_lock(&b->mu);
    if (b->n_order < sizeof(b->order) / sizeof(b->order[0])) {
        b->order[b->n_order++] = tag;
    }
    pthread_mutex_unlock(&b->mu);
}

static bool is_cpu(const mock_backend *b, uint32_t device)
{
    return b->has_fallback && device == b->n_devices;
}

static void prove_one(mock_backend *b, uint32_t device, uint32_t circuit, cuzk_backend_work *work)
{
    const mock_witness *w = work->witness;
    if (!is_cpu(b, device) && (b->cannot[device] >> circuit & 1) != 0) {
        atomic_fetch_add(&b->unfit, 1);
    }
    cuzk_err *err = &work->err;
    err->msg[0] = '\0';
    if (!enter(b, MOCK_PROVE, device, work->cancel)) {
        work->status = CUZK_FAIL(err, CUZK_E_CANCELLED, "cancelled");
        return;
    }
    if (!is_cpu(b, device) && (atomic_load(&b->no_gpu) || happens(b, atomic_load(&b->lost)) ||
                               atomic_load(&b->lost_device) == device + 1)) {
        work->status = CUZK_FAIL(err, CUZK_E_DEV_LOST, "mock: context lost");
        return;
    }
    if (happens(b, atomic_load(&b->fail[MOCK_PROVE]))) {
        work->status = CUZK_FAIL(err, CUZK_E_DEV_NOMEM, "mock: no device memory");
        return;
    }
    if (happens(b, atomic_load(&b->bad_file))) {
        work->status = CUZK_FAIL(err, CUZK_E_IO, "mock.params: ends before its end");
        return;
    }
    mock_proof(work->proof, &w->job, w->partition);
    if (happens(b, atomic_load(&b->wrong)) || atomic_load(&b->wrong_device) == device + 1 ||
        atomic_load(&b->wrong_circuit) == circuit + 1) {
        work->proof[next_random(&b->random) % 192] ^= 0x10;
    }
    atomic_fetch_add(&b->proofs_of_device[is_cpu(b, device) ? MOCK_CPU : device], 1);
    work->status = CUZK_OK;
}

static void prove(void *arg, uint32_t device, void *circuit, void *params, void *key,
                  cuzk_backend_work *work, uint32_t n, cuzk_trace_ctx trace)
{
    mock_backend *b = arg;
    const cuzk_backend_circuit *c = &b->circuits[*(uint32_t *)circuit];
    const uint32_t at = is_cpu(b, device) ? MOCK_CPU : device;
    const uint64_t bytes = c->prove_bytes + (at == MOCK_CPU ? c->cpu_extra_bytes : 0);
    (void)params;
    (void)key;
    (void)trace;
    atomic_fetch_add(&b->device_calls, 1);
    const uint32_t now = atomic_fetch_add(&b->on_device[at], 1) + 1;
    uint32_t most = atomic_load(&b->most_on_device);
    while (now > most && !atomic_compare_exchange_weak(&b->most_on_device, &most, now)) {
    }
    for (uint32_t i = 0; i < n; i++) {
        note_order(b, ((const mock_witness *)work[i].witness)->job.tag);
        take(b, bytes);
        prove_one(b, device, *(uint32_t *)circuit, &work[i]);
        give(b, bytes);
    }
    atomic_fetch_sub(&b->on_device[at], 1);
}

#define CALL_BYTES (8 * MOCK_MIB)

typedef struct mock_key {
    uint32_t device, circuit;
    uint64_t device_bytes, pinned_bytes;
} mock_key;

/* Device memory as a real device has it: what is not there cannot be had. */
static bool device_take(mock_backend *b, uint32_t device, uint64_t bytes)
{
    uint64_t used = atomic_load(&b->device_used[device]);
    do {
        if (used + bytes > b->device_total) {
            return false;
        }
    } while (!atomic_compare_exchange_weak(&b->device_used[device], &used, used + bytes));
    return true;
}

static uint64_t key_bytes(void *arg, uint32_t device, uint32_t circuit)
{
    (void)arg;
    (void)device;
    return circuit == 3 ? 3 * MOCK_MIB : 30 * MOCK_MIB;
}

static cuzk_status load_key(void *arg, uint32_t device, uint32_t circuit, void *compiled,
                            void *params, const cuzk_backend_host *host, cuzk_backend_key *out,
                            cuzk_trace_ctx trace, cuzk_err *err)
{
    mock_backend *b = arg;
    const uint64_t whole = key_bytes(b, device, circuit);
    (void)trace;
    CHECK(*(uint32_t *)compiled == circuit && *(uint32_t *)params == circuit);
    (void)enter(b, MOCK_LOAD_KEY, device, NULL);
    CUZK_TRY(stage(b, MOCK_LOAD, NULL, err));
    if (atomic_load(&b->no_gpu)) {
        return CUZK_FAIL(err, CUZK_E_DEV_LOST, "mock: context lost");
    }
    if (happens(b, atomic_load(&b->bad_file))) {
        return CUZK_FAIL(err, CUZK_E_IO, "mock.params: ends before its end");
    }
    mock_key *k = cuzk_alloc(1, sizeof(*k));
    if (k == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "mock: out of memory");
    }
    *k = (mock_key){device, circuit, whole, 0};
    if (!device_take(b, device, k->device_bytes)) { /* half of the points stream */
        k->device_bytes = whole / 2;
        k->pinned_bytes = whole - whole / 2;
        if (k->pinned_bytes > host->points) { /* from their file */
            k->pinned_bytes = MOCK_MIB;
            atomic_fetch_add(&b->keys_from_file, 1);
        }
        if (!device_take(b, device, k->device_bytes)) {
            cuzk_free(k);
            return CUZK_FAIL(err, CUZK_E_DEV_NOMEM, "mock: no device memory for a key");
        }
    }
    take(b, k->pinned_bytes);
    atomic_fetch_add(&b->n_keys, 1);
    atomic_fetch_add(&b->keys_of[device], 1);
    atomic_fetch_add(&b->keys_loaded, 1);
    *out = (cuzk_backend_key){.object = k,
                              .device_bytes = k->device_bytes,
                              .pinned_bytes = k->pinned_bytes,
                              .prove_bytes = CALL_BYTES,
                              .batch = k->pinned_bytes != 0 ? 4 : 1};
    return CUZK_OK;
}

static void unload_key(void *arg, uint32_t device, uint32_t circuit, void *key)
{
    mock_backend *b = arg;
    mock_key *k = key;
    CHECK(k->device == device && k->circuit == circuit);
    (void)enter(b, MOCK_UNLOAD_KEY, device, NULL);
    atomic_fetch_sub(&b->keys_of[device], 1);
    atomic_fetch_sub(&b->device_used[device], k->device_bytes);
    atomic_fetch_sub(&b->n_keys, 1);
    give(b, k->pinned_bytes);
    cuzk_free(k);
}

static void prove_with_key(void *arg, uint32_t device, void *circuit, void *params, void *key,
                           cuzk_backend_work *work, uint32_t n, cuzk_trace_ctx trace)
{
    mock_backend *b = arg;
    const mock_key *k = key;
    if (is_cpu(b, device)) {
        CHECK(key == NULL);
        prove(arg, device, circuit, params, key, work, n, trace);
        return;
    }
    CHECK(k->device == device && k->circuit == *(uint32_t *)circuit);
    if (!device_take(b, device, CALL_BYTES)) {
        atomic_fetch_add(&b->device_over, 1);
        atomic_fetch_add(&b->device_used[device], CALL_BYTES);
    }
    prove(arg, device, circuit, params, key, work, n, trace);
    atomic_fetch_sub(&b->device_used[device], CALL_BYTES);
}

void mock_use_keys(mock_backend *b, uint64_t device_total)
{
    b->device_total = device_total;
    b->vtable.key_bytes = key_bytes;
    b->vtable.load_key = load_key;
    b->vtable.unload_key = unload_key;
    b->vtable.prove = prove_with_key;
}

static void device_ability(void *arg, uint32_t device, uint32_t circuit, cuzk_backend_ability *out)
{
    const mock_backend *b = arg;
    const bool can = (b->cannot[device] >> circuit & 1) == 0;
    *out =
        (cuzk_backend_ability){.ability = can ? CUZK_DEVICE_STREAMS : CUZK_DEVICE_CANNOT,
                               .needed_bytes = 100 * MOCK_MIB,
                               .available_bytes = can ? 200 * MOCK_MIB : (50 + device) * MOCK_MIB,
                               .expected_ms = can ? 1500 : 0};
}

void mock_use_abilities(mock_backend *b, const uint32_t cannot[MOCK_DEVICES])
{
    memcpy(b->cannot, cannot, sizeof(b->cannot));
    b->vtable.device_ability = device_ability;
    for (uint32_t i = 0; i < 4; i++) {
        b->circuits[i].is_network = true;
    }
}

void mock_use_fallback(mock_backend *b)
{
    b->has_fallback = true;
    b->vtable.n_devices = b->n_devices + 1;
    for (uint32_t i = 0; i < 4; i++) {
        b->circuits[i].cpu_extra_bytes = 2 * b->circuits[i].prove_bytes;
    }
}

static cuzk_status verify(void *arg, void *input, void *params, uint32_t partition,
                          const uint8_t proof[192], cuzk_err *err)
{
    mock_backend *b = arg;
    const mock_input *in = input;
    uint8_t want[192];
    (void)params;
    CUZK_TRY(stage(b, MOCK_VERIFY, NULL, err));
    mock_proof(want, &in->job, partition);
    return memcmp(want, proof, sizeof(want)) == 0
               ? CUZK_OK
               : CUZK_FAIL(err, CUZK_E_SELFTEST, "partition %u: mock: wrong", partition);
}

static void free_input(void *arg, void *input)
{
    mock_backend *b = arg;
    mock_input *in = input;
    give(b, in->bytes);
    cuzk_free(in);
}

static void free_witness(void *arg, void *object)
{
    mock_backend *b = arg;
    mock_witness *w = object;
    give(b, w->bytes);
    cuzk_free(w);
}

static bool may_start(void *arg, const void *input)
{
    (void)arg;
    return input != NULL;
}

/* Takes its time, in which the device could begin with the witness that is there. */
static void before_verify(void *arg, void *input, void *params, uint32_t partition,
                          cuzk_trace_ctx trace)
{
    const struct timespec t = {.tv_nsec = 5000000};
    (void)arg;
    (void)input;
    (void)params;
    (void)partition;
    (void)trace;
    (void)nanosleep(&t, NULL);
}

void mock_starts_early(mock_backend *b)
{
    b->vtable.may_start = may_start;
    b->vtable.before_verify = before_verify;
}

static void device_info(void *arg, uint32_t device, cuzk_backend_device *out)
{
    const mock_backend *b = arg;
    *out = (cuzk_backend_device){.ordinal = device, .memory_total = b->device_total};
    (void)snprintf(out->name, sizeof(out->name), "mock %u", device);
    if (is_cpu(b, device)) {
        *out = (cuzk_backend_device){
            .ordinal = device, .name = "CPU", .is_cpu = true, .is_fallback = true};
    }
}

static cuzk_status probe(void *arg, uint32_t device, cuzk_err *err)
{
    mock_backend *b = arg;
    const uint32_t at = is_cpu(b, device) ? MOCK_CPU : device;
    uint32_t left = atomic_load(&b->probes_to_fail);
    bool in_use = atomic_load(&b->keys_of[at]) + atomic_load(&b->on_device[at]) != 0;
    (void)enter(b, MOCK_PROBE, device, NULL);
    in_use = in_use || atomic_load(&b->keys_of[at]) + atomic_load(&b->on_device[at]) != 0;
    atomic_fetch_add(&b->probed_in_use, in_use ? 1 : 0);
    while (left != 0 && !atomic_compare_exchange_weak(&b->probes_to_fail, &left, left - 1)) {
    }
    return left == 0 && (is_cpu(b, device) || !atomic_load(&b->no_gpu))
               ? CUZK_OK
               : CUZK_FAIL(err, CUZK_E_DEV_LOST, "mock: still lost");
}

void mock_init(mock_backend *b, uint32_t n_devices)
{
    static const char *const ids[] = {"porep-32g", "snap-32g", "wpost-32g", "winning-32g"};
    memset(b, 0, sizeof(*b));
    CHECK(pthread_mutex_init(&b->mu, NULL) == 0 && pthread_cond_init(&b->cv, NULL) == 0);
    atomic_store(&b->random, test_u64());
    b->n_devices = n_devices;
    for (uint32_t i = 0; i < 4; i++) {
        const uint64_t scale = i == 3 ? MOCK_MIB : 10 * MOCK_MIB;
        cuzk_backend_circuit *c = &b->circuits[i];
        *c = (cuzk_backend_circuit){.kind = (cuzk_job_kind)(i + 1),
                                    .circuit_bytes = scale,
                                    .compile_bytes = 2 * scale,
                                    .params_bytes = 3 * scale,
                                    .witness_bytes = scale,
                                    .prove_bytes = 2 * scale,
                                    .verify_bytes = scale / 8};
        (void)snprintf(c->id, sizeof(c->id), "%s", ids[i]);
    }
    b->vtable = (cuzk_engine_backend){.arg = b,
                                      .n_circuits = 4,
                                      .n_devices = n_devices,
                                      .circuits = b->circuits,
                                      .batch = 1,
                                      .device_info = device_info,
                                      .plan = plan,
                                      .load = load,
                                      .unload = unload,
                                      .parse = parse,
                                      .check = check,
                                      .witness = witness,
                                      .prove = prove,
                                      .verify = verify,
                                      .aggregate = aggregate,
                                      .free_input = free_input,
                                      .free_witness = free_witness,
                                      .probe = probe};
}

void mock_destroy(mock_backend *b)
{
    (void)pthread_mutex_destroy(&b->mu);
    (void)pthread_cond_destroy(&b->cv);
}

void mock_close(mock_backend *b, mock_stage s)
{
    pthread_mutex_lock(&b->mu);
    b->closed[s] = true;
    pthread_mutex_unlock(&b->mu);
}

void mock_open(mock_backend *b, mock_stage s)
{
    pthread_mutex_lock(&b->mu);
    b->closed[s] = false;
    pthread_cond_broadcast(&b->cv);
    pthread_mutex_unlock(&b->mu);
}

void mock_wait_inside(mock_backend *b, mock_stage s, uint32_t n)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 180;
    int failed = 0;
    pthread_mutex_lock(&b->mu);
    while (b->inside[s] < n && failed == 0) {
        failed = pthread_cond_timedwait(&b->cv, &b->mu, &until);
    }
    pthread_mutex_unlock(&b->mu);
    CHECK_MSG(failed == 0, "nobody came to stage %d", (int)s);
}

void mock_request(cuzk_job_request *out, cuzk_job_kind kind, const mock_job *job, cuzk_bytes *view,
                  const char *id)
{
    static const uint8_t zeros[32];
    const cuzk_bytes z = {zeros, sizeof(zeros)};
    *view = (cuzk_bytes){(const uint8_t *)(const void *)job, sizeof(*job)};
    *out = (cuzk_job_request){.request_id = {(const uint8_t *)id, strlen(id)},
                              .kind = kind,
                              .randomness = z,
                              .comm_r_old = z,
                              .comm_r_new = z,
                              .comm_d_new = z};
    if (kind == CUZK_JOB_POREP) {
        out->vanilla_proof = *view;
    } else {
        out->vanilla_proofs = view;
        out->n_vanilla_proofs = 1;
    }
}

static bool store_happens(mock_store *s, uint32_t chance)
{
    return chance != 0 && next_random(&s->random) % 1000 < chance;
}

/* Waits while a call is held. */
static void hold(const _Atomic bool *holds, _Atomic uint64_t *inside)
{
    const struct timespec t = {0, 1000000};
    for (bool first = true; atomic_load(holds); first = false) {
        atomic_fetch_add(inside, first ? 1 : 0);
        (void)nanosleep(&t, NULL);
    }
}

static cuzk_status store_put(void *arg, const cuzk_job_record *job, cuzk_err *err)
{
    mock_store *s = arg;
    const struct timespec t = {0, (long)atomic_load(&s->put_us) * 1000};
    (void)nanosleep(&t, NULL);
    if (store_happens(s, atomic_load(&s->fail_put))) {
        return CUZK_FAIL(err, CUZK_E_IO, "mock: no space left on device");
    }
    return s->inner.put(s->inner.arg, job, err);
}

static cuzk_status store_finish(void *arg, const cuzk_job_record *job, cuzk_err *err)
{
    mock_store *s = arg;
    if (store_happens(s, atomic_load(&s->fail_finish))) {
        return CUZK_FAIL(err, CUZK_E_IO, "mock: no space left on device");
    }
    return s->inner.finish(s->inner.arg, job, err);
}

static cuzk_status store_load(void *arg, void (*each)(void *each_arg, const cuzk_job_record *job),
                              void *each_arg, uint64_t *next_number, cuzk_err *err)
{
    mock_store *s = arg;
    return s->inner.load(s->inner.arg, each, each_arg, next_number, err);
}

static cuzk_status store_read(void *arg, uint64_t number,
                              void (*each)(void *each_arg, const cuzk_job_record *job),
                              void *each_arg, cuzk_err *err)
{
    mock_store *s = arg;
    return s->inner.read(s->inner.arg, number, each, each_arg, err);
}

static cuzk_status store_find(void *arg, const char *job_id,
                              void (*each)(void *each_arg, const cuzk_job_record *job),
                              void *each_arg, cuzk_err *err)
{
    mock_store *s = arg;
    hold(&s->holds_find, &s->in_find);
    return s->inner.find(s->inner.arg, job_id, each, each_arg, err);
}

static cuzk_status store_find_content(void *arg, const uint8_t content[32], cuzk_bytes request_id,
                                      void (*each)(void *each_arg, const cuzk_job_record *job),
                                      void *each_arg, cuzk_err *err)
{
    mock_store *s = arg;
    hold(&s->holds_content, &s->in_find);
    return s->inner.find_content(s->inner.arg, content, request_id, each, each_arg, err);
}

static cuzk_status store_prune(void *arg, int64_t before, uint64_t keep, cuzk_err *err)
{
    mock_store *s = arg;
    hold(&s->holds_prune, &s->in_prune);
    return s->inner.prune(s->inner.arg, before, keep, err);
}

void mock_store_init(mock_store *s)
{
    cuzk_err err;
    memset(s, 0, sizeof(*s));
    atomic_store(&s->random, test_u64());
    CHECK_OK(cuzk_job_store_memory(&s->inner, &err), &err);
    s->vtable = (cuzk_job_store){.arg = s,
                                 .put = store_put,
                                 .finish = store_finish,
                                 .load = store_load,
                                 .read = store_read,
                                 .find = store_find,
                                 .find_content = store_find_content,
                                 .prune = store_prune};
}

void mock_store_destroy(mock_store *s)
{
    s->inner.destroy(s->inner.arg);
}
