/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engine/backend/backend_device.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "prover/prove/pipeline.h"
#include "sched/batcher.h"
#if CUZK_HAVE_CUDA
#    include "accel/cuda/cuda_accel.h"
#endif

#define MAX_DEVICES  16
#define STREAM_BATCH 10u /* partitions of one PoRep: one pass over the points serves all */

typedef struct one_device {
    pthread_mutex_t mu;
    bool has_lock;
    cuzk_engine_accel opener;
    uint32_t cuda_ordinal;
    uint64_t cuda_limit;
    cuzk_accel *dev; /* NULL: lost, and not open yet */
    cuzk_witness_memory *witnesses;
    cuzk_backend_device info;
    /* Device memory that only WinningPoSt may use: freed while a WinningPoSt is loaded or proved. */
    void *ballast;
    uint64_t ballast_bytes; /* including what keys of WinningPoSt take already */
    uint64_t winning_bytes; /* of such keys */
    uint64_t other_bytes;   /* of the other keys */
    uint32_t n_winning;     /* calls */
} one_device;

struct cuzk_backend_devices {
    one_device list[MAX_DEVICES];
    uint32_t n;
    bool combs;
};

#if CUZK_HAVE_CUDA
static cuzk_status open_cuda(void *arg, cuzk_accel **out, cuzk_err *err)
{
    const one_device *d = arg;
    return cuzk_accel_cuda_open_tested(out, d->cuda_ordinal, d->cuda_limit, err);
}
#endif

static void take_ballast(one_device *d)
{
    cuzk_err none;
    if (d->dev != NULL && d->ballast == NULL && d->ballast_bytes > d->winning_bytes &&
        cuzk_accel_alloc(d->dev, &d->ballast, d->ballast_bytes - d->winning_bytes, &none) !=
            CUZK_OK) {
        d->ballast = NULL; /* another time */
    }
}

static void drop_ballast(one_device *d)
{
    if (d->ballast != NULL) {
        cuzk_accel_free(d->dev, d->ballast);
        d->ballast = NULL;
    }
}

static void begin(one_device *d, bool is_winning)
{
    (void)pthread_mutex_lock(&d->mu);
    if (is_winning && d->n_winning++ == 0) {
        drop_ballast(d);
    }
    (void)pthread_mutex_unlock(&d->mu);
}

static void end(one_device *d, bool is_winning)
{
    (void)pthread_mutex_lock(&d->mu);
    if (is_winning && --d->n_winning == 0) {
        take_ballast(d);
    }
    (void)pthread_mutex_unlock(&d->mu);
}

/* Stores an opened device in d. The caller has the lock, or no other thread knows d yet. */
static void adopt(one_device *d, cuzk_accel *dev)
{
    cuzk_accel_props props;
    d->dev = dev;
    cuzk_accel_get_props(d->dev, &props);
    const uint64_t ballast =
        props.kind != CUZK_ACCEL_CPU ? cuzk_device_kept_bytes(props.memory_total) : 0;
    d->info = (cuzk_backend_device){.ordinal = props.ordinal,
                                    .memory_total = props.memory_total,
                                    .memory_free = props.memory_free,
                                    .memory_held = ballast};
    memcpy(d->info.name, props.name, sizeof(d->info.name));
    d->ballast_bytes = ballast;
    take_ballast(d);
    cuzk_witness_memory_attach(d->witnesses, dev);
}

/* Without the CPU as fallback, a device that is missing is an error of the configuration. */
static cuzk_status open_one(one_device *d, uint32_t index, const cuzk_engine_config *c,
                            cuzk_err *err)
{
    cuzk_accel *dev = NULL;
    const cuzk_status st = d->opener.open(d->opener.arg, &dev, err);
    if (st == CUZK_OK) {
        adopt(d, dev);
        return CUZK_OK;
    }
    if (!c->cpu_when_lost) {
        return st;
    }
    d->info = (cuzk_backend_device){.ordinal = c->accels != NULL ? index : d->cuda_ordinal,
                                    .name = "not there",
                                    .is_absent = true};
    if (c->log != NULL) {
        char ordinal[16];
        (void)snprintf(ordinal, sizeof(ordinal), "%u", d->info.ordinal);
        const char *const kv[] = {"device", ordinal, "why", err->msg, NULL};
        c->log(c->log_arg, 1, "device.absent", kv);
    }
    return CUZK_OK;
}

static cuzk_status add(cuzk_backend_devices *all, const one_device *from,
                       const cuzk_engine_config *c, cuzk_err *err)
{
    if (all->n == MAX_DEVICES) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "more than %d devices", MAX_DEVICES);
    }
    one_device *d = &all->list[all->n];
    d->opener = from->opener;
    d->cuda_ordinal = from->cuda_ordinal;
    d->cuda_limit = from->cuda_limit;
#if CUZK_HAVE_CUDA
    if (d->opener.open == open_cuda) {
        d->opener.arg = d;
    }
#endif
    if (pthread_mutex_init(&d->mu, NULL) != 0) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "devices: no locks");
    }
    d->has_lock = true;
    all->n++;
    CUZK_TRY(cuzk_witness_memory_create(&d->witnesses, err));
    return open_one(d, all->n - 1, c, err);
}

#if CUZK_HAVE_CUDA
static cuzk_status add_gpus(cuzk_backend_devices *all, const cuzk_engine_config *c, cuzk_err *err)
{
    const bool is_list = c->devices != NULL && c->n_devices != 0;
    const uint32_t n = is_list ? c->n_devices : cuzk_accel_cuda_count();
    for (uint32_t i = 0; i < n; i++) {
        const one_device d = {.opener = {open_cuda, NULL},
                              .cuda_ordinal = is_list ? c->devices[i] : i,
                              .cuda_limit = c->vram_limit_bytes};
        CUZK_TRY(add(all, &d, c, err));
    }
    return CUZK_OK;
}
#else
static cuzk_status add_gpus(cuzk_backend_devices *all, const cuzk_engine_config *c, cuzk_err *err)
{
    (void)all;
    if (c->devices != NULL && c->n_devices != 0) {
        return CUZK_FAIL(err, CUZK_E_UNSUPPORTED,
                         "device %u was asked for, but this build has no CUDA", c->devices[0]);
    }
    return CUZK_OK;
}
#endif

cuzk_status cuzk_backend_devices_open(cuzk_backend_devices **out, uint32_t *n,
                                      const cuzk_engine_config *c, cuzk_err *err)
{
    cuzk_backend_devices *all = cuzk_alloc_zero(1, sizeof(*all));
    cuzk_status st = CUZK_OK;
    if (all == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "devices: out of memory");
    }
    all->combs = c->combs;
    if (c->accels != NULL) {
        for (uint32_t i = 0; i < c->n_accels && st == CUZK_OK; i++) {
            const one_device d = {.opener = c->accels[i]};
            st = add(all, &d, c, err);
        }
    } else if (!c->cpu_only) {
        st = add_gpus(all, c, err);
    }
    if (st != CUZK_OK) {
        cuzk_backend_devices_close(all);
        return st;
    }
    *out = all;
    *n = all->n;
    return CUZK_OK;
}

void cuzk_backend_devices_close(cuzk_backend_devices *all)
{
    for (uint32_t i = 0; all != NULL && i < all->n; i++) {
        one_device *d = &all->list[i];
        drop_ballast(d);
        cuzk_witness_memory_destroy(d->witnesses);
        cuzk_accel_close(d->dev);
        if (d->has_lock) {
            (void)pthread_mutex_destroy(&d->mu);
        }
    }
    cuzk_free(all);
}

void cuzk_backend_device_info_of(cuzk_backend_devices *all, uint32_t index,
                                 cuzk_backend_device *out)
{
    one_device *d = &all->list[index];
    cuzk_accel_props props = {.memory_free = 0};
    (void)pthread_mutex_lock(&d->mu);
    if (d->dev != NULL) {
        cuzk_accel_get_props(d->dev, &props);
    }
    *out = d->info;
    out->memory_free =
        props.memory_free + (d->ballast != NULL ? d->ballast_bytes - d->winning_bytes : 0);
    (void)pthread_mutex_unlock(&d->mu);
}

uint64_t cuzk_backend_device_image_bytes(cuzk_backend_devices *all, uint32_t index,
                                         uint64_t key_bytes, uint64_t n)
{
    const one_device *d = &all->list[index];
    const uint64_t bytes = d->dev != NULL ? n * cuzk_accel_image_bytes(d->dev, n) : 0;
    return key_bytes + bytes <= d->info.memory_total / 2 ? bytes : 0;
}

uint64_t cuzk_backend_device_comb_bytes(cuzk_backend_devices *all, uint32_t index,
                                        uint64_t key_bytes, uint64_t comb_bytes)
{
    const cuzk_backend_device *info = &all->list[index].info;
    const uint64_t most = (info->memory_total - info->memory_held) / 4 * 3;
    return all->combs && key_bytes <= most && comb_bytes <= most - key_bytes ? comb_bytes : 0;
}

/*
 * Device memory for a proof with a key. A WinningPoSt has to start while another call uses all memory but the
 * ballast. So its proof is planned within the ballast less its key, with shorter sums (some milliseconds more), if
 * that is enough; and *least says what will do while the ballast holds other keys of WinningPoSt, too. The call plans
 * within what it finds free.
 */
static cuzk_status prove_bytes_of(uint64_t *bytes, uint64_t *least, const one_device *d,
                                  const cuzk_device_key *key, bool is_winning, cuzk_err *err)
{
    cuzk_err none;
    const uint64_t taken = cuzk_device_key_get_stats(key).device_bytes;
    const uint64_t room = d->ballast_bytes > taken ? d->ballast_bytes - taken : 0;
    *least = 0;
    if (is_winning) {
        CUZK_TRY(cuzk_device_least_bytes(least, key, err));
        if (cuzk_device_prove_bytes_within(bytes, key, room, &none) == CUZK_OK) {
            return CUZK_OK;
        }
    }
    return cuzk_device_prove_bytes(bytes, key, err);
}

cuzk_status cuzk_backend_device_load(cuzk_backend_devices *all, uint32_t index,
                                     const cuzk_filecoin_circuit *circuit,
                                     const cuzk_filecoin_params *params, bool is_winning,
                                     const cuzk_backend_host *host, bool images, bool combs,
                                     cuzk_backend_key *out, cuzk_pool *pool, cuzk_trace_ctx trace,
                                     cuzk_err *err)
{
    one_device *d = &all->list[index];
    const cuzk_device_key_opts opts = {
        .points = host->points == 0 ? CUZK_DEVICE_POINTS_FILE : CUZK_DEVICE_POINTS_AUTO,
        .host_bytes = host->points,
        .lock_bytes = host->locked,
        .lock_small_pages = host->small_pages,
        .images = images,
        .what = cuzk_filecoin_circuit_label(circuit),
        .comb = combs ? CUZK_DEVICE_COMB_AUTO : CUZK_DEVICE_COMB_NONE,
        .urgent = is_winning,
        .trace = trace};
    cuzk_device_key *key = NULL;
    uint64_t prove_bytes = 0, least_bytes = 0;
    begin(d, is_winning);
    cuzk_status st =
        d->dev != NULL
            ? cuzk_device_key_create(&key, d->dev, cuzk_filecoin_circuit_get(circuit),
                                     cuzk_filecoin_params_srs(params), &opts, pool, NULL, err)
            : CUZK_FAIL(err, CUZK_E_DEV_LOST, "the device is not open");
    if (st == CUZK_OK) {
        st = prove_bytes_of(&prove_bytes, &least_bytes, d, key, is_winning, err);
        if (st != CUZK_OK) {
            cuzk_device_key_destroy(key);
        }
    }
    if (st == CUZK_OK) {
        (void)pthread_mutex_lock(&d->mu);
        *(is_winning ? &d->winning_bytes : &d->other_bytes) +=
            cuzk_device_key_get_stats(key).device_bytes;
        (void)pthread_mutex_unlock(&d->mu);
    }
    end(d, is_winning);
    if (st == CUZK_OK) {
        const cuzk_device_key_stats stats = cuzk_device_key_get_stats(key);
        *out = (cuzk_backend_key){.object = key,
                                  .device_bytes = stats.device_bytes,
                                  .pinned_bytes = stats.host_bytes + stats.locked_bytes,
                                  .prove_bytes = prove_bytes,
                                  .least_bytes = least_bytes,
                                  .batch = stats.resident ? 1 : STREAM_BATCH};
    }
    return st;
}

void cuzk_backend_device_unload(cuzk_backend_devices *all, uint32_t index, void *key,
                                bool is_winning)
{
    one_device *d = &all->list[index];
    const uint64_t bytes = cuzk_device_key_get_stats(key).device_bytes;
    begin(d, is_winning);
    cuzk_device_key_destroy(key);
    (void)pthread_mutex_lock(&d->mu);
    *(is_winning ? &d->winning_bytes : &d->other_bytes) -= bytes;
    (void)pthread_mutex_unlock(&d->mu);
    end(d, is_winning);
}

cuzk_witness_memory *cuzk_backend_device_witness_memory(cuzk_backend_devices *all,
                                                        uint32_t partition)
{
    return all->n != 0 ? all->list[partition % all->n].witnesses : NULL;
}

/*
 * Device memory for a call that is not a WinningPoSt's: what the keys leave, without the ballast. It cannot be taken
 * from the free memory, which includes the ballast while a WinningPoSt is loaded or proved. 0: no limit.
 */
static uint64_t most_bytes_of(one_device *d)
{
    (void)pthread_mutex_lock(&d->mu);
    const uint64_t ballast =
        d->ballast_bytes > d->winning_bytes ? d->ballast_bytes : d->winning_bytes;
    const uint64_t taken = d->other_bytes + ballast;
    const uint64_t most = d->info.memory_total > taken ? d->info.memory_total - taken : 1;
    (void)pthread_mutex_unlock(&d->mu);
    return d->ballast_bytes != 0 ? most : 0;
}

void cuzk_backend_device_prove(cuzk_backend_devices *all, uint32_t index, void *key,
                               bool is_winning, cuzk_pool *pool, cuzk_backend_work *work,
                               uint32_t n, cuzk_trace_ctx trace)
{
    CUZK_STATIC_ASSERT(CUZK_BATCH_MAX <= CUZK_PIPELINE_MAX_BATCH, "calls of the engine");
    one_device *d = &all->list[index];
    uint8_t proofs[CUZK_BATCH_MAX][CUZK_PROOF_BYTES];
    cuzk_placed_witness *witnesses[CUZK_BATCH_MAX];
    int32_t partitions[CUZK_BATCH_MAX];
    cuzk_err err = {.msg = ""};
    for (uint32_t i = 0; i < n; i++) {
        witnesses[i] = work[i].witness;
        partitions[i] = work[i].tags.partition;
    }
    const cuzk_device_call call = {.key = key,
                                   .device = work[0].tags.device,
                                   .partitions = partitions,
                                   .pool = pool,
                                   .most_bytes = is_winning ? 0 : most_bytes_of(d)};
    begin(d, is_winning);
    /* one cancelled partition of several does not stop the others */
    const cuzk_status st = cuzk_pipeline_prove_on_device(
        proofs, witnesses, n, &call, n == 1 ? work[0].cancel : NULL, trace, &err);
    end(d, is_winning);
    for (uint32_t i = 0; i < n; i++) {
        work[i].status = st;
        work[i].err = err;
        if (st == CUZK_OK) {
            memcpy(work[i].proof, proofs[i], CUZK_PROOF_BYTES);
        }
    }
}

cuzk_status cuzk_backend_device_probe(cuzk_backend_devices *all, uint32_t index, cuzk_err *err)
{
    one_device *d = &all->list[index];
    cuzk_accel *old = NULL;
    (void)pthread_mutex_lock(&d->mu);
    const bool is_lost = d->dev != NULL && cuzk_accel_is_lost(d->dev);
    (void)pthread_mutex_unlock(&d->mu);
    if (is_lost) { /* only this thread closes it */
        CUZK_TRY(cuzk_witness_memory_detach(d->witnesses, err));
    }
    (void)pthread_mutex_lock(&d->mu);
    if (is_lost) {
        drop_ballast(d);
        old = d->dev;
        d->dev = NULL;
    }
    cuzk_accel *const open = d->dev;
    (void)pthread_mutex_unlock(&d->mu);
    cuzk_accel_close(old);
    if (open != NULL) { /* nothing but a probe closes a device */
        return cuzk_accel_self_test(open, err);
    }
    /* without the lock: it takes seconds, and only this thread opens it */
    cuzk_accel *dev = NULL;
    CUZK_TRY(d->opener.open(d->opener.arg, &dev, err));
    (void)pthread_mutex_lock(&d->mu);
    adopt(d, dev);
    (void)pthread_mutex_unlock(&d->mu);
    return CUZK_OK;
}
