/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ENGINE_ENGINE_COUNTS_H
#define CUZK_ENGINE_ENGINE_COUNTS_H

/* What the engine counts for its status: jobs by their end, and how long stages and jobs took. */
#include "engine/engine_status.h"
#include "engine/lock/engine_lock.h"

typedef struct engine_counts {
    GUARDED uint64_t completed[CUZK_JOB_KINDS + 1], failed[CUZK_JOB_KINDS + 1],
        cancelled[CUZK_JOB_KINDS + 1]; /* jobs */
    GUARDED uint64_t
        verified[CUZK_AGGREGATE_MALFORMED +
                 1]; /* aggregates that callers had verified, by cuzk_aggregate_answer */
    GUARDED uint64_t reproved[CUZK_JOB_KINDS + 1]; /* partitions whose proof did not verify */
    GUARDED cuzk_histogram stage[CUZK_STAGES][CUZK_JOB_KINDS + 1];
    GUARDED cuzk_histogram job_time[CUZK_JOB_KINDS + 1]; /* from accepted to ended */
} engine_counts;

void cuzk_histogram_add(cuzk_histogram *h, uint64_t ns);

#endif /* CUZK_ENGINE_ENGINE_COUNTS_H */
