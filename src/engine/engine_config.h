/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ENGINE_ENGINE_CONFIG_H
#define CUZK_ENGINE_ENGINE_CONFIG_H

/* What an engine is made of. All sizes in bytes, all times in milliseconds. */
#include "engine/job_store.h"

/**
 * One line per state change of a job, device or cache: the daemon's logger. level: 0 error, 1 warning, 2 info,
 * 3 debug, 4 trace (log/log.h). event: a literal, "job.accepted". kv: name, value pairs, NULL-terminated.
 */
typedef void (*cuzk_engine_log_fn)(void *arg, int level, const char *event, const char *const *kv);

/** Opens a device (accel/accel.h); called again after the device was lost. The engine closes the device. */
struct cuzk_accel;
typedef struct cuzk_engine_accel {
    cuzk_status (*open)(void *arg, struct cuzk_accel **out, cuzk_err *err);
    void *arg;
} cuzk_engine_accel;

/** Where the points are kept that do not fit on their device. */
typedef enum cuzk_engine_stream {
    CUZK_ENGINE_STREAM_AUTO =
        0, /* in memory where the budget has room for them, else in the file */
    CUZK_ENGINE_STREAM_MEMORY,
    CUZK_ENGINE_STREAM_FILE,   /* from the page cache: page-locked where that is quick, else read */
    CUZK_ENGINE_STREAM_LOCKED, /* from the page cache, page-locked */
    CUZK_ENGINE_STREAM_READ    /* the file is read, and nothing of it is locked */
} cuzk_engine_stream;

/** The value for "none" in fields whose 0 means the default. */
#define CUZK_ENGINE_NONE UINT64_MAX

/** 0 (false, NULL) in any field: the engine's default, which is written here and in reconfigure.c only. */
typedef struct cuzk_engine_config {
    const char
        *param_cache; /* folder of .params and .vk; NULL: as prover/keys/params_dir.h finds it */
    const char *aggregate_srs;        /* file; NULL: the network's name in that folder */
    const char *aggregate_srs_digest; /* 32 hex digits, for tests; NULL: the network's */
    uint64_t budget_bytes;        /* 0: from the machine and its cgroup, less safety_margin_bytes */
    uint64_t safety_margin_bytes; /* 0: 5 GiB, half the machine at most; or CUZK_ENGINE_NONE */
    /* part of the budget: upper bound of what requests that arrive, answers and connections take outside of the
     * engine; fixed while the engine runs */
    uint64_t front_bytes;
    uint64_t eviction_min_idle_ms; /* 0: five minutes; or CUZK_ENGINE_NONE */
    unsigned threads;              /* of the host's proving pool; 0: all */
    /* [n_devices] ordinals; NULL: all; when there is no device, the CPU proves */
    const uint32_t *devices;
    uint32_t n_devices;
    bool cpu_only;
    const cuzk_engine_accel *accels; /* [n_accels] other devices instead of those; NULL: none */
    uint32_t n_accels;
    uint64_t vram_limit_bytes; /* per device; 0: what is free */
    cuzk_engine_stream stream;
    bool combs; /* of the points of bit wires, where they leave a quarter of a device */
    unsigned slots_per_device; /* partitions on one device at once; 0: 2 on a GPU, 1 on the CPU */
    uint32_t
        max_batch_size; /* partitions of one circuit that share a pass over the parameters; 0: what
                                the key asks for (ten where points stream), else the backend's */
    uint64_t
        max_batch_wait_ms; /* 0: one second where points stream, else none; or CUZK_ENGINE_NONE */
    /* above this number of jobs: E_BUDGET, retryable; 0: 4096. 20 more places are for WinningPoSt, 4 of them for
     * callers that have no job in the queue */
    uint32_t max_queued_jobs;
    uint64_t result_keep_ms;    /* how long ended jobs can be awaited; 0: one hour */
    uint32_t result_keep_count; /* at most this many; 0: 10000 */
    uint64_t
        winning_reserve_bytes; /* host memory held for WinningPoSt; 0: what one of the largest size needs, a quarter of the budget at most; or CUZK_ENGINE_NONE */
    uint64_t
        age_ms; /* a waiting job rises one class (at most to HIGH) per age_ms; 0: ten minutes */
    /* a partition that runs longer on a device puts the device in quarantine; 0: ten minutes */
    uint64_t device_timeout_ms;
    /* length of the first quarantine, doubled each time; 0: one second */
    uint64_t device_back_off_ms;
    uint64_t no_device_ms; /* jobs fail once no device has worked for this long; 0: five minutes */
    bool cpu_when_lost;    /* the CPU proves once no GPU has worked for cpu_after_ms */
    uint64_t cpu_after_ms; /* 0: ten seconds */
    /* the partitions of one job are spread over the daemons of a shared queue; fixed while the engine runs */
    bool spread_partitions;
    cuzk_job_store *store; /* borrowed; NULL: memory */
    cuzk_engine_log_fn log;
    void *log_arg;
    cuzk_trace *trace; /* optional */
    void *
        backend; /* tests: a cuzk_engine_backend (engine/backend/backend.h) instead of the real one; NULL */
} cuzk_engine_config;

/** Replaces 0 by the default in every field, except in those whose default depends on a key or a device. */
void cuzk_engine_config_complete(cuzk_engine_config *c);
/** The value of a field, with 0 for CUZK_ENGINE_NONE. */
static inline uint64_t cuzk_engine_or_none(uint64_t v)
{
    return v == CUZK_ENGINE_NONE ? 0 : v;
}
/** Starts the engine's threads, opens the devices, and queues the unfinished jobs of the store. */
CUZK_NODISCARD cuzk_status cuzk_engine_create(cuzk_engine **out, const cuzk_engine_config *config,
                                              cuzk_err *err);
/**
 * Applies the fields that may change while the engine runs: budget_bytes, safety_margin_bytes, winning_reserve_bytes,
 * eviction_min_idle_ms, slots_per_device, max_batch_size, max_batch_wait_ms, max_queued_jobs, result_keep_ms,
 * result_keep_count, age_ms, device_timeout_ms. The other fields are ignored. A smaller budget holds from the next
 * reservation on; existing reservations stay. E_BUDGET (names a job that could no longer run, or the process itself
 * does not fit) and E_NOMEM change nothing.
 */
CUZK_NODISCARD cuzk_status cuzk_engine_reconfigure(cuzk_engine *e, const cuzk_engine_config *config,
                                                   cuzk_err *err);
/** Cancels the jobs that are left (the store keeps them for the next start), and joins all threads. NULL is fine. */
void cuzk_engine_destroy(cuzk_engine *e);

#endif /* CUZK_ENGINE_ENGINE_CONFIG_H */
