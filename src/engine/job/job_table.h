/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ENGINE_JOB_JOB_TABLE_H
#define CUZK_ENGINE_JOB_JOB_TABLE_H

/* All jobs in memory, and the queues of jobs and partitions. */
#include "engine/engine_limits.h"
#include "engine/job/job.h"
#include "engine/lock/engine_lock.h"
#include "sched/scheduler.h"

/** Jobs that this engine cannot prove, for lack of a device or of memory, or after failures: other daemons may. */
typedef struct refusals {
    uint64_t numbers[CUZK_CLAIM_EXCEPT];
    uint32_t n, next;
} refusals;

typedef struct job_table {
    GUARDED job *by_id[BUCKETS], *by_content[BUCKETS]; /* hash tables: next_id, next_content */
    GUARDED job *first, *last;                         /* in order of number: next, prev */
    GUARDED uint32_t n_open;                           /* not ENDED */
    GUARDED uint32_t n_ended;
    GUARDED uint64_t next_number;
    /* jobs whose outcome is decided and not recorded yet: next_finish */
    GUARDED job *finish_first, *finish_last;
    /* jobs whose input and block are to be freed: next_dead */
    GUARDED job *to_free;
    GUARDED waiter *waits[BUCKETS]; /* by id of the wait */
    GUARDED cuzk_wait next_wait;
    GUARDED uint32_t n_unsaved; /* jobs with is_end_unsaved */
    /* jobs whose partitions this engine does not take as tasks any more */
    GUARDED refusals no_tasks;
} job_table;

/* A job is in one of prep, ready and to_aggregate; a started partition in on_device or to_verify. */
typedef struct job_queues {
    GUARDED cuzk_sched prep;         /* accepted, to be parsed */
    GUARDED cuzk_sched ready;        /* parsed, with partitions to start */
    GUARDED cuzk_sched on_device;    /* partitions with a witness */
    GUARDED cuzk_sched to_verify;    /* partitions with a proof */
    GUARDED cuzk_sched to_aggregate; /* parsed aggregates */
    GUARDED uint32_t ready_limit;    /* parsed jobs that wait */
} job_queues;

#endif /* CUZK_ENGINE_JOB_JOB_TABLE_H */
