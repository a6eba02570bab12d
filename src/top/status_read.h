/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_API_STATUS_READ_H
#define CUZK_API_STATUS_READ_H

/* The JSON of GET /status read back, as far as `cuzk top` shows it. Keys that are not known are passed over. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum {
    CUZK_VIEW_DEVICES = 64,
    CUZK_VIEW_ABILITIES = 8,
    CUZK_VIEW_SET_ASIDE = 8,
    CUZK_VIEW_CARDS = 16,
    CUZK_VIEW_CACHED = 64,
    CUZK_VIEW_JOBS = 256,
    CUZK_VIEW_PARTITIONS = 32,
    CUZK_VIEW_STAGES = 16,
    CUZK_VIEW_QUEUES = 8,
    CUZK_VIEW_MEMBERS = 64,
    CUZK_VIEW_PRIORITIES = 4,
    CUZK_VIEW_NAME = 96,
    CUZK_VIEW_ID = 320
};

/** "critical", "high", "normal", "low": columns of cuzk_view_queue.pending_by_priority. */
extern const char *const cuzk_view_priority[CUZK_VIEW_PRIORITIES];

/** What a device can do with a circuit. */
typedef struct cuzk_view_ability {
    char circuit_id[32], ability[16]; /* "resident", "streamed", "not possible" */
    double expected_secs;             /* 0: not known */
} cuzk_view_ability;

/** A circuit that gets no work on a device now: its proofs did not verify there. */
typedef struct cuzk_view_set_aside {
    char circuit_id[32];
    double for_secs; /* until it is tried again; 0: now */
} cuzk_view_set_aside;

typedef struct cuzk_view_device {
    uint64_t ordinal, memory_total, memory_free, slots, busy_slots, partitions_done, errors;
    bool is_cpu, is_fallback, quarantined;
    char name[CUZK_VIEW_NAME];
    cuzk_view_ability abilities[CUZK_VIEW_ABILITIES];
    uint32_t n_abilities;
    cuzk_view_set_aside set_aside[CUZK_VIEW_SET_ASIDE];
    uint32_t n_set_aside;
} cuzk_view_device;

typedef struct cuzk_view_queue {
    char kind[32];
    uint64_t pending, in_progress, pending_by_priority[CUZK_VIEW_PRIORITIES];
} cuzk_view_queue;

typedef struct cuzk_view_stage {
    char name[32];
    uint64_t waiting;
} cuzk_view_stage;

typedef struct cuzk_view_cached {
    char circuit_id[64];
    bool is_srs, on_device;
    uint64_t bytes, refs;
} cuzk_view_cached;

typedef struct cuzk_view_job {
    char id[CUZK_VIEW_ID], kind[32], priority[16], state[16];
    char error[256], error_class[16], peer[64]; /* "": none; may be cut */
    uint64_t accepted_us, started_us, ended_us; /* 0: not yet */
    uint64_t n_partitions, n_done;
    char stage[CUZK_VIEW_PARTITIONS]; /* one letter per partition, as cuzk_top_render shows it */
    uint32_t n_stage;
} cuzk_view_job;

typedef struct cuzk_view_member {
    char name[64], state[16], version[32];
    uint64_t heard_ms, places, devices, healthy, claimed, running, completed;
    uint64_t parts; /* partitions that it proves, of jobs that several daemons prove */
} cuzk_view_member;

/** Of a daemon that shares a queue with others. */
typedef struct cuzk_view_fleet {
    bool is_member, reachable; /* the daemon shares a queue, and could read its database */
    uint64_t queued, claimed, running, places, wait_ms;
    uint64_t parts_running, parts_waiting; /* partitions of jobs that several daemons prove */
    cuzk_view_member members[CUZK_VIEW_MEMBERS];
    uint32_t n_members;
} cuzk_view_fleet;

/** What the driver says of a card of the machine; what it does not say is 0. */
typedef struct cuzk_view_card {
    char name[CUZK_VIEW_NAME], pci[32];
    uint64_t celsius, milliwatts, clock_mhz, load_percent, memory_total, memory_used;
} cuzk_view_card;

/** Lists hold the first entries of those in the text; the counters are of all. */
typedef struct cuzk_status_view {
    char version[64];
    double uptime_secs;
    bool draining;
    bool on_cpu; /* because no GPU works */
    uint64_t now_us;
    uint64_t memory_total, memory_used, memory_reserved, pinned, resident, release_backlog;
    uint64_t completed, failed, cancelled, reproved, queue_depth, completed_last_minute,
        not_completed_last_minute;
    cuzk_view_device devices[CUZK_VIEW_DEVICES];
    cuzk_view_card cards[CUZK_VIEW_CARDS];
    cuzk_view_queue queues[CUZK_VIEW_QUEUES];
    cuzk_view_stage stages[CUZK_VIEW_STAGES];
    cuzk_view_cached cached[CUZK_VIEW_CACHED];
    cuzk_view_job jobs[CUZK_VIEW_JOBS];
    uint32_t n_devices, n_cards, n_queues, n_stages, n_cached, n_jobs;
    cuzk_view_fleet fleet;
} cuzk_status_view;

/**
 * Any bytes. name: of the source, for messages. E_FORMAT with place and reason. out is as big as
 * 200 KiB: on the heap.
 */
CUZK_NODISCARD cuzk_status cuzk_status_view_parse(cuzk_status_view *out, const void *text, size_t n,
                                                  const char *name, cuzk_err *err);

#endif /* CUZK_API_STATUS_READ_H */
