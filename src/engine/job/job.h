/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ENGINE_JOB_JOB_H
#define CUZK_ENGINE_JOB_JOB_H

/* Jobs, their partitions, and the callers that wait for them. All functions want the lock, unless they say otherwise. */
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
    PHASE_ELSEWHERE /* in a queue that daemons share, not this one's to prove (shared_queue.c) */
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
    bool is_unsent;   /* of a task: proved, and not written to the queue yet */
    bool has_arrived; /* ELSEWHERE: proof is another daemon's, to be verified here */
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
    uint8_t *small;      /* everything of the request but the proofs */
    cuzk_owned_block block;
    bool has_block;
    bool is_parked;       /* the proofs are in the store only */
    uint64_t block_bytes; /* of the proofs */
    cuzk_reservation block_memory, input_memory;
    uint8_t content[32];
    job_phase phase;
    cuzk_job_state state; /* as told */
    cuzk_job_state outcome;
    uint32_t class_base;
    uint64_t deadline_ns;
    bool is_watched_only, is_stored, is_privileged;
    bool has_begun_witness, has_witness; /* of any partition; a witness that failed counts */
    bool is_checking;    /* partitions fly already: none is verified before the check has passed */
    bool has_id;         /* the table of ids names it; its id stays its own after that */
    bool is_end_unsaved; /* over, and the store could not record that yet */
    bool
        is_given_up; /* goes back to the shared queue, or is another daemon's already: no end of the job */
    bool wants_cancel;     /* PHASE_ELSEWHERE: cancelled here, the queue does not know it yet */
    bool is_left_in_store; /* cancelled by the end of the engine: taken up by the next one */
    cuzk_cancel cancel;
    cuzk_status code;
    char error[ERROR_BYTES]; /* class and text */
    char peer[CUZK_PEER_BYTES];
    cuzk_backend_plan plan;
    void *input;
    uint32_t circuit, n_partitions, n_done, input_users;
    bool is_spread; /* other daemons prove partitions of it, too (shared_part.c) */
    uint32_t
        n_opened; /* partitions that other daemons could take before this job was parsed; 0: none */
    uint64_t
        part_of;   /* a task: the job, of another daemon, whose partitions are proved; 0: a job */
    uint64_t mine; /* of a task: the partitions that were claimed with it (bits) */
    job_partition *partitions;
    uint8_t *proof; /* [proof_bytes] of a completed job */
    size_t proof_bytes;
    uint32_t pins; /* who still has the pointer: it is not freed */
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
/** Takes it out of all tables and frees it, or leaves that to the last unpin. */
LOCKED void cuzk_job_forget(job_table *jobs, job *j);
LOCKED void cuzk_job_unpin(job *j);
bool cuzk_job_is_privileged(void *arg, const cuzk_sched_item *item);
void cuzk_job_item(const job *j, uint32_t partition, uint64_t now_ns, cuzk_sched_item *out);
/** After deadline or class has changed. */
LOCKED void cuzk_job_refresh_items(job_queues *queues, job *j);

/** Of a job that is in no table and that no other thread knows. No lock needed. */
void cuzk_job_destroy(job *j);

/* job_request.c; no lock needed */
/** SHA-256 of what is to be proved: everything but request_id, priority, deadline and who watches. */
void cuzk_job_content(uint8_t out[32], const cuzk_job_request *rq);
/** Copies the small fields; proofs go into the given block, or are copied when that is NULL. */
CUZK_NODISCARD cuzk_status cuzk_job_take_request(job *j, const cuzk_job_request *rq,
                                                 const cuzk_owned_block *block, cuzk_err *err);
uint64_t cuzk_job_proof_bytes(const cuzk_job_request *rq);
void cuzk_job_drop_block(job *j);

/* job_end.c */
/** Decides the outcome once; later calls change nothing. text may be NULL. */
LOCKED void cuzk_job_set_outcome(cuzk_engine *e, job *j, cuzk_job_state outcome, cuzk_status code,
                                 const char *text);
/** What follows from a decided outcome, once the store has the job. */
LOCKED void cuzk_job_end(cuzk_engine *e, job *j);
/** The store has recorded the end of a job, or has not (text: why). */
LOCKED void cuzk_job_end_saved(cuzk_engine *e, job *j, cuzk_status st, const char *text);
/** Ended jobs beyond what is kept in memory go; the store has them. */
LOCKED void cuzk_jobs_forget_old(cuzk_engine *e);
/** Frees input and block when their last user has finished. */
LOCKED void cuzk_job_release_input(cuzk_engine *e, job *j);
/** without proofs unless with_input: they may be gone. */
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
/** Cancels a job that is only wanted by its waiters, when the last of them has left. */
LOCKED void cuzk_waiters_check(cuzk_engine *e, job *j);
/** Calls every waiter of a job that is over. */
LOCKED void cuzk_waiters_call_all(cuzk_engine *e, job *j);
/** Calls those whose time is over; the earliest other time, 0: none. */
LOCKED uint64_t cuzk_waiters_expire(cuzk_engine *e, uint64_t now_ns);

#endif /* CUZK_ENGINE_JOB_JOB_H */
