/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ENGINE_ENGINE_STATUS_H
#define CUZK_ENGINE_ENGINE_STATUS_H

/*
 * A consistent snapshot of the engine for GetStatus, /status, /metrics, the page and `cuzk top`. It is taken under
 * one lock, for some microseconds, and never waits for a device or a file.
 */
#include "engine/engine.h"
#include "prover/needs/filecoin_needs.h"

#define CUZK_STAGES 9
/** Stages of a partition, in order; an aggregate goes from CHECK to AGGREGATE to RETURN. Names: cuzk_stage_name. */
typedef enum cuzk_stage {
    CUZK_STAGE_ACCEPT = 0,
    CUZK_STAGE_PARSE = 1,
    CUZK_STAGE_CHECK = 2,
    CUZK_STAGE_WITNESS = 3,
    CUZK_STAGE_DEVICE = 4,
    CUZK_STAGE_ASSEMBLE = 5,
    CUZK_STAGE_VERIFY = 6,
    CUZK_STAGE_RETURN = 7,
    CUZK_STAGE_AGGREGATE = 8
} cuzk_stage;
const char *cuzk_stage_name(cuzk_stage s);
/** "porep-c2", "snap-update", "window-post", "winning-post", "aggregate". */
const char *cuzk_job_kind_queue_name(cuzk_job_kind k);
/** "porep_c2", "snap_update", "window_post", "winning_post", "aggregate": the metrics' label. */
const char *cuzk_job_kind_label(cuzk_job_kind k);

/** Upper bounds in seconds of the duration histograms' buckets; the last bucket is +Inf. */
#define CUZK_HISTOGRAM_BUCKETS 20
extern const double cuzk_histogram_bound[CUZK_HISTOGRAM_BUCKETS - 1];
typedef struct cuzk_histogram {
    uint64_t count[CUZK_HISTOGRAM_BUCKETS]; /* not cumulative */
    double sum_seconds;
} cuzk_histogram;

typedef enum cuzk_partition_state {
    CUZK_PART_PENDING = 0,
    CUZK_PART_WITNESS = 1,      /* "synthesizing" */
    CUZK_PART_WITNESS_DONE = 2, /* "synth_done" */
    CUZK_PART_DEVICE = 3,       /* "gpu" */
    CUZK_PART_DONE = 4,
    CUZK_PART_FAILED = 5,
    CUZK_PART_AGGREGATE = 6, /* "aggregating": the one partition of an aggregate */
    CUZK_PART_ELSEWHERE = 7  /* another daemon has it, or no daemon yet */
} cuzk_partition_state;

typedef struct cuzk_status_partition {
    uint32_t index;
    cuzk_partition_state state;
    cuzk_stage stage;
    int32_t device;                       /* -1: none */
    uint64_t stage_begin_ns[CUZK_STAGES]; /* clock time, 0: not reached */
    uint64_t stage_end_ns[CUZK_STAGES];   /* 0: not over */
} cuzk_status_partition;

typedef struct cuzk_status_job {
    char job_id[CUZK_JOB_ID_BYTES];
    cuzk_job_kind kind;
    cuzk_job_priority priority;
    cuzk_job_state state;
    uint64_t number; /* internal */
    uint64_t accepted_ns, started_ns, ended_ns;
    uint64_t deadline_ns;
    uint32_t n_partitions, n_done;
    uint32_t n_elsewhere;       /* partitions that other daemons have, or no daemon yet */
    bool is_task;               /* partitions of a job that another daemon has */
    uint32_t n_on_cpu;          /* proofs made on the CPU */
    bool is_privileged;         /* may use the slots and the memory that are kept for WinningPoSt */
    char peer[CUZK_PEER_BYTES]; /* who sent it first; "" when that is not known */
    cuzk_job_times times;       /* up to now while it is not over */
    cuzk_status code;           /* of a job that is over */
    const char *error_class;    /* a literal: cuzk_job_error_class(code) */
    char error_text[256];       /* of a failed or cancelled job, without its class; may be cut */
    cuzk_status_partition *partitions; /* [n_partitions]; NULL while queued */
} cuzk_status_job;

typedef struct cuzk_status_device {
    uint32_t ordinal;
    char name[96];
    bool is_cpu, quarantined;
    bool is_fallback;                   /* the CPU as fallback: gets work only when no GPU works */
    uint64_t memory_total, memory_free; /* bytes; the CPU's: the budget */
    uint64_t jobs_done, errors;
    uint32_t n_slots;
    struct {
        bool busy;
        char job_id[CUZK_JOB_ID_BYTES];
        cuzk_job_kind kind;
        uint32_t partition;
        uint64_t since_ns;
    } slot[4];
} cuzk_status_device;

typedef struct cuzk_status_cached {
    char circuit_id[32];
    bool is_srs; /* else a compiled circuit */
    bool on_device;
    uint64_t bytes, last_used_ns;
    uint32_t refs;
} cuzk_status_cached;

/** Its proofs do not verify on this device, and the device's self-test passes. */
typedef struct cuzk_status_set_aside {
    char circuit_id[32];
    uint32_t device; /* index into devices */
    uint64_t until_ns;
} cuzk_status_set_aside;

/**
 * Whether and how fast a device with memory of its own can prove a circuit: for each sector size of the main network,
 * and for every circuit that the device cannot prove.
 */
typedef struct cuzk_status_ability {
    char circuit_id[32];
    uint32_t device; /* index into devices */
    cuzk_device_ability ability;
    uint64_t needed_bytes, available_bytes; /* device memory */
    uint32_t expected_ms;                   /* of one statement; 0: not known */
    bool is_measured; /* expected_ms was measured on such a card; else it was computed */
} cuzk_status_ability;

typedef struct cuzk_engine_status {
    uint64_t now_ns, started_ns;
    bool draining;
    uint64_t completed[CUZK_JOB_KINDS + 1], failed[CUZK_JOB_KINDS + 1],
        cancelled[CUZK_JOB_KINDS + 1]; /* by kind */
    uint64_t
        reproved[CUZK_JOB_KINDS + 1]; /* partitions proved again after a proof did not verify */
    uint64_t verified[CUZK_AGGREGATE_MALFORMED + 1]; /* aggregates, by cuzk_aggregate_answer */
    uint32_t pending[CUZK_JOB_KINDS + 1], in_progress[CUZK_JOB_KINDS + 1]; /* jobs */
    cuzk_histogram stage[CUZK_STAGES][CUZK_JOB_KINDS + 1];
    cuzk_histogram job[CUZK_JOB_KINDS + 1]; /* accepted to ended */
    uint32_t queue_len[CUZK_STAGES];        /* partitions waiting before each stage */
    uint64_t budget_total, budget_used, budget_reserved_winning; /* host bytes */
    uint64_t pinned_used, pinned_limit; /* limit: what keys may pin; 0: devices have none */
    bool on_cpu;                        /* proofs are made on the CPU because no GPU works */
    uint64_t on_cpu_since_ns;           /* of the last time */
    uint64_t n_fallbacks;               /* number of times that this began */
    bool has_fallback;                  /* the configuration lets the CPU prove when no GPU works */
    uint64_t release_backlog_bytes;     /* buffers waiting to be freed */
    uint64_t resident_bytes;            /* of this process */
    cuzk_status_device *devices;
    uint32_t n_devices;
    cuzk_status_cached *cached;
    uint32_t n_cached;
    cuzk_status_job *jobs;
    cuzk_status_set_aside *set_aside; /* circuits that get no work on a device now */
    uint32_t n_set_aside;
    cuzk_status_ability *abilities; /* in the order of devices */
    uint32_t n_abilities;
    uint64_t log_lines_lost; /* the logger was too slow */
    uint32_t unsaved_ends;   /* ended jobs whose end the store could not record yet */
    uint32_t n_jobs;         /* queued, running, and over within the last minute; newest last */
} cuzk_engine_status;

/** E_NOMEM. Free with cuzk_engine_status_free. */
CUZK_NODISCARD cuzk_status cuzk_engine_get_status(cuzk_engine *e, cuzk_engine_status *out,
                                                  cuzk_err *err);
void cuzk_engine_status_free(cuzk_engine_status *s);

#endif /* CUZK_ENGINE_ENGINE_STATUS_H */
