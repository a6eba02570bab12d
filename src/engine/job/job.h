/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ENGINE_JOB_JOB_H
#define CUZK_ENGINE_JOB_JOB_H

/*
 * Jobs, their partitions, and the callers that wait for them. All functions are called with the lock, unless they say
 * otherwise.
 */
#include <pthread.h>

#include "engine/backend/backend.h"
#include "engine/engine_status.h"
#include "engine/job/flight.h"
#include "engine/job_store.h"
#include "sched/job_clock.h"
#include "sched/scheduler.h"

/* job_table.h */
typedef struct job_table job_table;
typedef struct job_queues job_queues;

typedef enum job_phase {
    PHASE_ACCEPTING,
    PHASE_PREP,
    PHASE_PREPPING,
    PHASE_READY,
    PHASE_ENDING,
    PHASE_ENDED,
    PHASE_ELSEWHERE /* in a shared queue, and this engine does not have it (shared_queue.c) */
} job_phase;

typedef struct job_partition {
    cuzk_partition_state state;
    cuzk_stage stage;
    int32_t device;
    uint32_t wrong, errors;
    uint64_t avoid; /* devices */
    flight *flight;
    uint64_t begin_ns[CUZK_STAGES], end_ns[CUZK_STAGES];
    uint8_t proof[PROOF_BYTES];
    bool is_unsent; /* task: proved, and not sent to the queue yet */
    /* CUZK_PART_ELSEWHERE: another daemon made the proof, which is to be verified here */
    bool has_arrived;
} job_partition;

typedef enum waiter_state { WAITER_WAITING, WAITER_CALLING } waiter_state;
typedef struct waiter {
    cuzk_wait id;
    job *job;
    cuzk_job_done_fn done;
    void *arg;
    uint64_t until_ns; /* 0: no limit */
    waiter_state state;
    pthread_t caller;
    struct waiter *next; /* of the job */
    struct waiter *next_hash;
} waiter;

struct job {
    uint64_t number;
    char id[CUZK_JOB_ID_BYTES];
    cuzk_job_request rq; /* views into small and block */
    uint8_t *views;      /* of a request read back from the store */
    uint8_t *small;      /* all of the request except the proofs */
    cuzk_owned_block block;
    bool has_block;
    bool is_parked;       /* only the store has the proofs */
    uint64_t block_bytes; /* of the proofs */
    cuzk_reservation block_memory, input_memory;
    uint8_t content[32];
    job_phase phase;
    cuzk_job_state state; /* as told */
    cuzk_job_state outcome;
    uint32_t class_base;
    uint64_t deadline_ns;
    bool is_watched_only, is_stored, is_privileged;
    /* a witness of any partition has been made; one that failed counts */
    bool has_begun_witness, has_witness;
    /* partitions have been started; none is verified before the check has passed */
    bool is_checking;
    bool has_id;         /* the table of ids has it; its id does not change any more */
    bool is_end_unsaved; /* ended, and the store could not record that yet */
    /* returns to the shared queue, or another daemon has it already: the job does not end */
    bool is_given_up;
    /* PHASE_ELSEWHERE: cancelled here, and the queue has not recorded that yet */
    bool wants_cancel;
    bool is_left_in_store; /* cancelled because the engine stops: the next engine proves it */
    cuzk_cancel cancel;
    cuzk_status code;
    char error[ERROR_BYTES]; /* class and text */
    char peer[CUZK_PEER_BYTES];
    cuzk_backend_plan plan;
    void *input;
    uint32_t circuit, n_partitions, n_done, input_users;
    bool is_spread;    /* other daemons may prove partitions of it, too (shared_part.c) */
    uint32_t n_opened; /* partitions that were opened before this job was parsed; 0: none */
    uint64_t part_of;  /* task: number of the other daemon's job; 0: this is a job */
    uint64_t mine;     /* task: the partitions that were claimed with it (bits) */
    job_partition *partitions;
    uint8_t *proof; /* [proof_bytes] of a completed job */
    size_t proof_bytes;
    uint32_t pins; /* number of users of the pointer: the job is freed when it is 0 */
    waiter *waiters;
    uint64_t accepted_ns, started_ns, ready_ns, launched_ns, ended_ns;
    int64_t accepted_unix_ms, deadline_unix_ms, ended_unix_ms;
    uint64_t prep_ns, witness_ns, device_ns;
    cuzk_job_clock clock;
    uint64_t stage_begin_ns[CUZK_STAGES], stage_end_ns[CUZK_STAGES]; /* of the whole job */
    uint64_t kept_ms[5];         /* queue, load, synthesis, gpu, total, once it is over */
    job *next_id, *next_content; /* hash chains */
    job *next, *prev;            /* all, in order of number */
    job *next_finish, *next_dead;
    bool in_dead;
};

/* job_table.c */
LOCKED job *cuzk_job_by_id(job_table *jobs, const char *id);
/** A job with this content and request_id that is under way or has completed. */
LOCKED job *cuzk_job_joinable(job_table *jobs, const uint8_t content[32], cuzk_bytes request_id);
LOCKED void cuzk_job_insert(job_table *jobs, job *j);
LOCKED void cuzk_job_insert_id(job_table *jobs, job *j);
LOCKED void cuzk_job_remove_id(job_table *jobs, job *j);
/** Removes the job from all tables. Frees it now, or on the last unpin. */
LOCKED void cuzk_job_forget(job_table *jobs, job *j);
LOCKED void cuzk_job_unpin(job *j);
bool cuzk_job_is_privileged(void *arg, const cuzk_sched_item *item);
void cuzk_job_item(const job *j, uint32_t partition, uint64_t now_ns, cuzk_sched_item *out);
/** Call it after deadline or class has changed. */
LOCKED void cuzk_job_refresh_items(job_queues *queues, job *j);

/** Frees a job that is in no table and that no other thread knows. No lock needed. */
void cuzk_job_destroy(job *j);

/* job_request.c; no lock needed */
/** SHA-256 of what is to be proved: of all fields except request_id, priority, deadline and those about waiters. */
void cuzk_job_content(uint8_t out[32], const cuzk_job_request *rq);
/** Copies the small fields. The proofs stay in the given block, or are copied when block is NULL. */
CUZK_NODISCARD cuzk_status cuzk_job_take_request(job *j, const cuzk_job_request *rq,
                                                 const cuzk_owned_block *block, cuzk_err *err);
uint64_t cuzk_job_proof_bytes(const cuzk_job_request *rq);
void cuzk_job_drop_block(job *j);

/* job_end.c */
/** Decides the outcome once; later calls change nothing. text may be NULL. */
LOCKED void cuzk_job_set_outcome(cuzk_engine *e, job *j, cuzk_job_state outcome, cuzk_status code,
                                 const char *text);
/** Acts on a decided outcome, once the store has the job. */
LOCKED void cuzk_job_end(cuzk_engine *e, job *j);
/** Called when the store has recorded the end of a job, or failed to (text: why). */
LOCKED void cuzk_job_end_saved(cuzk_engine *e, job *j, cuzk_status st, const char *text);
/** Drops ended jobs beyond the number that is kept in memory; the store has them. */
LOCKED void cuzk_jobs_forget_old(cuzk_engine *e);
/** Frees input and block when their last user has finished. */
LOCKED void cuzk_job_release_input(cuzk_engine *e, job *j);
/** The proofs are left out unless with_input: they may have been freed. */
void cuzk_job_fill_record(const job *j, bool with_input, cuzk_job_record *out);
void cuzk_job_fill_result(const job *j, cuzk_job_result *out);
void cuzk_job_fill_times(const job *j, uint64_t now_ns, cuzk_job_times *out);
/** The error without its class. */
const char *cuzk_job_error_text(const job *j);

/* waiters.c */
LOCKED waiter *cuzk_waiter_add(job_table *jobs, job *j, cuzk_job_done_fn done, void *arg,
                               uint64_t until_ns);
/** Calls it without the lock (which is held before and after), then frees it. */
LOCKED void cuzk_waiter_call(cuzk_engine *e, waiter *w);
/** Cancels a job that only its waiters keep, when the last of them has left. */
LOCKED void cuzk_waiters_check(cuzk_engine *e, job *j);
/** Calls every waiter of a job that is over. */
LOCKED void cuzk_waiters_call_all(cuzk_engine *e, job *j);
/** Calls the waiters whose deadline has passed. Returns the earliest deadline of the remaining waiters, or 0 without any. */
LOCKED uint64_t cuzk_waiters_expire(cuzk_engine *e, uint64_t now_ns);

#endif /* CUZK_ENGINE_JOB_JOB_H */
