/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_SCHED_JOB_CLOCK_H
#define CUZK_SCHED_JOB_CLOCK_H

/*
 * Where the wall time of a job goes. Its partitions are in several stages at once, so each moment counts for
 * the latest stage that one of them is in; when none is in a stage, it counts for what the job waits for.
 * So the times add up to the whole. A state machine; time is an argument.
 */
#include <stdbool.h>
#include <stdint.h>

typedef enum cuzk_job_activity {
    /* waiting */
    CUZK_JOB_ACCEPTING = 0, /* for the job store, which records the job */
    CUZK_JOB_WAITS_FIRST,   /* to be parsed */
    CUZK_JOB_WAITS_LOAD,    /* for its circuit or parameters, which are being loaded */
    CUZK_JOB_WAITS_NEXT,    /* between stages: for memory, a worker, a device */
    CUZK_JOB_RETURNING,     /* for the job store, which records the result */
    /* stages, in order */
    CUZK_JOB_PREPARES, /* parse and check */
    CUZK_JOB_WITNESSES,
    CUZK_JOB_ON_DEVICE,
    CUZK_JOB_VERIFIES,
    CUZK_JOB_AGGREGATES, /* the one stage of an aggregate after it has been prepared */
    CUZK_JOB_ACTIVITIES
} cuzk_job_activity;

typedef struct cuzk_job_clock {
    uint64_t since_ns;
    bool is_stopped;
    cuzk_job_activity waits_for;          /* when no partition is in a stage */
    uint32_t inside[CUZK_JOB_ACTIVITIES]; /* partitions in a stage now */
    uint64_t spent_ns[CUZK_JOB_ACTIVITIES];
} cuzk_job_clock;

/** ACCEPTING from this time on. */
void cuzk_job_clock_start(cuzk_job_clock *c, uint64_t now_ns);
/** What the job waits for while none of its partitions is in a stage. */
void cuzk_job_clock_wait(cuzk_job_clock *c, cuzk_job_activity what, uint64_t now_ns);
void cuzk_job_clock_enter(cuzk_job_clock *c, cuzk_job_activity stage, uint64_t now_ns);
void cuzk_job_clock_leave(cuzk_job_clock *c, cuzk_job_activity stage, uint64_t now_ns);
/** The outcome is decided: RETURNING, whatever partitions still do; then only stop counts. */
void cuzk_job_clock_end(cuzk_job_clock *c, uint64_t now_ns);
void cuzk_job_clock_stop(cuzk_job_clock *c, uint64_t now_ns);
/** The sum of all times up to now. */
uint64_t cuzk_job_clock_total(const cuzk_job_clock *c, uint64_t now_ns);
/** The time of one activity up to now. */
uint64_t cuzk_job_clock_spent(const cuzk_job_clock *c, cuzk_job_activity what, uint64_t now_ns);

#endif /* CUZK_SCHED_JOB_CLOCK_H */
