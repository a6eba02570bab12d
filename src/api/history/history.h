/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_API_HISTORY_HISTORY_H
#define CUZK_API_HISTORY_HISTORY_H

/*
 * The last day of a daemon in coarse samples, for GET /history and the page: a ring of 288 samples of five minutes,
 * some 14 KiB. history_file.h keeps it over restarts. Not thread safe.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/engine_status.h"

#define CUZK_HISTORY_SAMPLES 288u
#define CUZK_HISTORY_STEP_NS (UINT64_C(300) * 1000000000u)

/** What one look at the engine and the cards gives. */
typedef struct cuzk_history_look {
    uint64_t now_ns;
    uint64_t completed, failed; /* jobs since the daemon's start */
    uint64_t queued, running;   /* jobs */
    uint32_t busy_slots, slots; /* of all devices that get work */
    uint64_t memory_used;       /* of the host's budget, bytes */
    uint32_t celsius, watts;    /* of the hottest card; of all cards; 0: not known */
} cuzk_history_look;

typedef struct cuzk_history_sample {
    uint32_t completed, failed; /* jobs that ended in these five minutes */
    uint32_t queued, running;   /* jobs, the most of all looks */
    uint32_t looks, busy_sum;   /* busy_sum: of each look's busy share in parts of 1000 */
    uint32_t celsius, watts;    /* the most of all looks */
    uint64_t memory_used;       /* the most of all looks */
} cuzk_history_sample;

typedef struct cuzk_history {
    uint64_t start_ns, step; /* step: number of the newest sample since start_ns */
    uint64_t completed, failed;
    cuzk_history_sample ring[CUZK_HISTORY_SAMPLES]; /* sample s is at s % CUZK_HISTORY_SAMPLES */
} cuzk_history;

/** Empty, with its first sample beginning at start_ns, which may be before the clock's 0 (modulo 2^64). Jobs that ended before the first look count in its sample. */
void cuzk_history_init(cuzk_history *h, uint64_t start_ns);
/** look->now_ns must not be before start_ns; a look older than the newest sample counts in that. */
void cuzk_history_take(cuzk_history *h, const cuzk_history_look *look);
/** Fills in *out from a status and from the driver's sensors. */
void cuzk_history_look_at(cuzk_history_look *out, const cuzk_engine_status *s);
/**
 * The JSON of GET /history (docs/monitoring.md): one array per value, oldest first. *text: NUL-terminated, *n bytes,
 * the caller's, released with cuzk_free. E_NOMEM.
 */
CUZK_NODISCARD cuzk_status cuzk_history_json(char **text, size_t *n, const cuzk_history *h,
                                             uint64_t now_ns, cuzk_err *err);

#endif /* CUZK_API_HISTORY_HISTORY_H */
