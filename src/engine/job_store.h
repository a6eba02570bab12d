/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ENGINE_JOB_STORE_H
#define CUZK_ENGINE_JOB_STORE_H

/*
 * Where accepted jobs and results survive the process. The engine knows this interface only:
 * store/ implements it on SQLite (one machine); a memory store serves tests and one-shot use.
 * Accepting returns when the record is durable; a result is durable before any client gets it.
 *
 * @thread calls may come from several threads at once.
 */
#include "engine/engine.h"

/** A job as the store keeps it. Views are the caller's (put) or valid during the callback (load, find). */
typedef struct cuzk_job_record {
    uint64_t number; /* internal key, never used again */
    const char *job_id;
    cuzk_job_request request; /* deadline_ns, cancel_when_unwatched, peer are not kept: see below */
    uint8_t content[32];      /* SHA-256 of what is to be proved, by which equal jobs are joined */
    int64_t accepted_unix_ms, deadline_unix_ms; /* wall clock; deadline 0: none */
    bool cancel_when_unwatched;
    bool is_privileged;  /* WinningPoSt at CRITICAL: may use space that is kept for it */
    bool claims;         /* put into a shared queue, and claimed at once */
    uint32_t class_base; /* order in a shared queue: CUZK_PRIORITY_LOW to _CRITICAL; 0: NORMAL */
    const char *circuit; /* the circuit, "porep-32g"; read by put and finish; NULL: not known */
    cuzk_job_state state;
    /* when it is over: */
    int64_t ended_unix_ms;
    cuzk_status code;
    const char *error;
    cuzk_bytes proof;
    uint64_t queue_wait_ms, srs_load_ms, synthesis_ms, gpu_compute_ms, total_ms;
} cuzk_job_record;

/** What a shared queue reports to the daemon that holds a job. */
typedef enum cuzk_job_order {
    /* the lease is lost: another daemon may prove the job, and a result of this daemon is refused */
    CUZK_JOB_ORDER_DROP,
    CUZK_JOB_ORDER_CANCEL /* a caller of another daemon has cancelled the job */
} cuzk_job_order;

#define CUZK_CLAIM_EXCEPT 64
#define CUZK_PARTS_MOST   64 /* partitions of a job that several daemons prove */

/** What a daemon learns of a partition of a job that several daemons prove. */
typedef enum cuzk_part_change {
    CUZK_PART_TAKEN,    /* this daemon has to prove it */
    CUZK_PART_PROVED,   /* another daemon has proved it: proof and device_ms are set */
    CUZK_PART_SET_ASIDE /* too many daemons have died while they proved it: error is set */
} cuzk_part_change;

typedef struct cuzk_part_news {
    uint32_t partition;
    cuzk_part_change what;
    cuzk_bytes proof; /* [192] of PROVED; valid during the callback, like error */
    const char *error;
    uint64_t device_ms;
} cuzk_part_news;

/**
 * Partitions of one job that several daemons prove. The daemon that has the job (its holder) opens the partitions.
 * From then on every daemon, the holder too, takes a partition before it proves it. Daemons other than the holder
 * take partitions under a task, which has a number of its own that is never used again. start, release and orders of
 * cuzk_shared_queue work for tasks as they do for jobs. Only the holder ends the job; it verifies every proof that
 * another daemon has made.
 */
typedef struct cuzk_shared_parts {
    /**
     * Opens n partitions, at most CUZK_PARTS_MOST, of a job that this daemon has. Proofs that an earlier holder
     * received are kept. E_EXISTS: the lease is lost; E_UNSUPPORTED: older daemons share the queue.
     */
    cuzk_status (*open)(void *arg, uint64_t number, uint32_t n, cuzk_err *err);
    /**
     * Takes at most n more partitions of an open job, or of the job of a task, those next to this daemon's partitions
     * first. Calls each for every partition that this daemon has and has not proved; for the holder also for those
     * that others have proved and those that are set aside, again with each call. E_EXISTS: the lease is lost.
     */
    cuzk_status (*take)(void *arg, uint64_t number, uint32_t n,
                        void (*each)(void *each_arg, const cuzk_part_news *news), void *each_arg,
                        cuzk_err *err);
    /**
     * Makes a task of at most n partitions of one job that another daemon has, and calls each with the job and its
     * input. Jobs in except are left out.
     */
    cuzk_status (*claim)(void *arg, uint64_t task, uint32_t n, const uint64_t *except,
                         size_t n_except,
                         void (*each)(void *each_arg, const cuzk_job_record *job,
                                      const uint32_t *parts, size_t n_parts),
                         void *each_arg, cuzk_err *err);
    /** Durable on return. E_EXISTS: the lease is lost, or the job is over; nothing is recorded. */
    cuzk_status (*write)(void *arg, uint64_t task, uint32_t partition, const uint8_t proof[192],
                         uint64_t device_ms, cuzk_err *err);
} cuzk_shared_parts;

/** What a daemon reports about itself. */
typedef struct cuzk_queue_report {
    uint32_t places;           /* number of jobs that the daemon works on at once */
    uint32_t devices, healthy; /* number of its cards, and of those that work */
    char loaded
        [512]; /* circuits whose parameters are in memory, each between blanks: " porep-32g " */
} cuzk_queue_report;

/**
 * Additional functions of a store whose queue is shared by several daemons. A job that is put has no daemon; a daemon
 * claims it, and has it until the job has ended, the daemon releases it, or the daemon's lease ends. arg is the
 * store's.
 */
typedef struct cuzk_shared_queue {
    /**
     * Claims at most n jobs for this daemon, and calls each with the job and its input. Claims none while the
     * daemon's lease may have ended, and none of except [n_except, at most CUZK_CLAIM_EXCEPT], which this daemon
     * cannot prove. Of jobs that have waited for a short time only, those whose circuits are loaded go first.
     */
    cuzk_status (*claim)(void *arg, uint32_t n, const uint64_t *except, size_t n_except,
                         void (*each)(void *each_arg, const cuzk_job_record *job), void *each_arg,
                         cuzk_err *err);
    /**
     * Called before the work on a claimed job begins: from here on, the death of this daemon is counted against the
     * job. E_EXISTS: the lease is lost; E_CANCELLED: a caller has cancelled the job.
     */
    cuzk_status (*start)(void *arg, uint64_t number, cuzk_err *err);
    /** Returns a job to the queue, as if it had not been claimed. Does nothing when the lease is lost already. */
    cuzk_status (*release)(void *arg, uint64_t number, cuzk_err *err);
    /**
     * Ends a job that no daemon has; otherwise asks the daemon that has it to end it. A job that has ended stays as
     * it is.
     */
    cuzk_status (*cancel)(void *arg, uint64_t number, cuzk_err *err);
    /** True when this daemon has the job, as far as it knows. Does not wait. */
    bool (*is_held)(void *arg, uint64_t number);
    /** Orders that have come since the last call. Does not wait. */
    void (*take_orders)(void *arg,
                        void (*each)(void *each_arg, uint64_t number, cuzk_job_order order),
                        void *each_arg);
    /** Finds which jobs of numbers [n] have ended, or are not known any more. */
    cuzk_status (*ended)(void *arg, const uint64_t *numbers, size_t n,
                         void (*each)(void *each_arg, uint64_t number), void *each_arg,
                         cuzk_err *err);
    /** A job by number, ended or not, without its input. E_NOT_FOUND. */
    cuzk_status (*get)(void *arg, uint64_t number,
                       void (*each)(void *each_arg, const cuzk_job_record *job), void *each_arg,
                       cuzk_err *err);
    /** Waits until the queue may have changed, wake is called, or ms have passed. */
    void (*wait)(void *arg, uint64_t ms);
    void (*wake)(void *arg);
    /** From now on claims nothing; the other daemons see that. */
    void (*drain)(void *arg);
    /** Stores what the daemon can do now, for its own claims and for the other daemons. Does not wait. */
    void (*report)(void *arg, const cuzk_queue_report *report);
    const cuzk_shared_parts *parts; /* NULL: each job is proved by one daemon */
} cuzk_shared_queue;

/** Messages of failures name the store: clients of the engine see them as they are. */
typedef struct cuzk_job_store {
    void *arg;
    const cuzk_shared_queue *shared; /* NULL: the store belongs to one daemon */
    /**
     * Durable on return. E_IO (disk full, corrupt), E_BUDGET (over its size limit). Shared queue: with claims, this
     * daemon has the job at once, if its lease allows that (see is_held); E_EXISTS: an equal job is in the queue.
     */
    cuzk_status (*put)(void *arg, const cuzk_job_record *job, cuzk_err *err);
    /**
     * Records the end of a job and drops its input. Durable on return. E_NOT_FOUND: unknown number. Shared queue:
     * E_EXISTS when this daemon does not have the job any more; then nothing is recorded.
     */
    cuzk_status (*finish)(void *arg, const cuzk_job_record *job, cuzk_err *err);
    /** Calls each with every job that is not over, in order of number, inputs included. */
    cuzk_status (*load)(void *arg, void (*each)(void *each_arg, const cuzk_job_record *job),
                        void *each_arg, uint64_t *next_number, cuzk_err *err);
    /**
     * One job that is not over, by number, its input included: the engine keeps only as many inputs
     * in memory as its budget allows and reads the others back when their turn comes. E_NOT_FOUND.
     * load and read may give vanilla_proofs in memory of their own.
     */
    cuzk_status (*read)(void *arg, uint64_t number,
                        void (*each)(void *each_arg, const cuzk_job_record *job), void *each_arg,
                        cuzk_err *err);
    /** A job by id, over or not, without its input: for an await after a restart. E_NOT_FOUND. */
    cuzk_status (*find)(void *arg, const char *job_id,
                        void (*each)(void *each_arg, const cuzk_job_record *job), void *each_arg,
                        cuzk_err *err);
    /**
     * The same by content and request_id: the newest such job that COMPLETED; with a shared queue also one that has
     * not ended. E_NOT_FOUND.
     */
    cuzk_status (*find_content)(void *arg, const uint8_t content[32], cuzk_bytes request_id,
                                void (*each)(void *each_arg, const cuzk_job_record *job),
                                void *each_arg, cuzk_err *err);
    /** Drops ended jobs older than ended_before and beyond the newest keep_count. */
    cuzk_status (*prune)(void *arg, int64_t ended_before_unix_ms, uint64_t keep_count,
                         cuzk_err *err);
    void (*destroy)(void *arg);
} cuzk_job_store;

/** A store in memory, which is lost when the process ends. E_NOMEM. */
CUZK_NODISCARD cuzk_status cuzk_job_store_memory(cuzk_job_store *out, cuzk_err *err);

#endif /* CUZK_ENGINE_JOB_STORE_H */
