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

/** A job as it is kept. Views are the caller's (put) or valid during the callback (load, find). */
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
    const char
        *circuit; /* what proves it, "porep-32g"; put and finish look at it; NULL: not known */
    cuzk_job_state state;
    /* when it is over: */
    int64_t ended_unix_ms;
    cuzk_status code;
    const char *error;
    cuzk_bytes proof;
    uint64_t queue_wait_ms, srs_load_ms, synthesis_ms, gpu_compute_ms, total_ms;
} cuzk_job_record;

/** What the holder of a job is told about it by a shared queue. */
typedef enum cuzk_job_order {
    CUZK_JOB_ORDER_DROP, /* its lease is lost: another daemon may prove it, its result is not kept here */
    CUZK_JOB_ORDER_CANCEL /* a caller of another daemon has cancelled it */
} cuzk_job_order;

#define CUZK_CLAIM_EXCEPT 64
#define CUZK_PARTS_MOST   64 /* partitions of a job that several daemons prove */

/** What a daemon learns of a partition of a job that several daemons prove. */
typedef enum cuzk_part_change {
    CUZK_PART_TAKEN,    /* it is this daemon's to prove */
    CUZK_PART_PROVED,   /* by another daemon: proof and device_ms */
    CUZK_PART_SET_ASIDE /* it has killed too many daemons: error */
} cuzk_part_change;

typedef struct cuzk_part_news {
    uint32_t partition;
    cuzk_part_change what;
    cuzk_bytes proof; /* [192] of PROVED; valid during the callback, like error */
    const char *error;
    uint64_t device_ms;
} cuzk_part_news;

/**
 * Partitions of one job for several daemons. The daemon that has the job (its holder) opens them; from then on any daemon,
 * the holder too, takes partitions before it proves them. Others do so under a task: a number of their own that is
 * never used again. start, release and orders of cuzk_shared_queue serve tasks as they serve jobs. The holder alone
 * ends the job; it verifies every proof that it is told of.
 */
typedef struct cuzk_shared_parts {
    /** n partitions, at most CUZK_PARTS_MOST, of a job of this daemon. Proofs that an earlier holder was given are kept. E_EXISTS: the
        lease is lost; E_UNSUPPORTED: older daemons share the queue. */
    cuzk_status (*open)(void *arg, uint64_t number, uint32_t n, cuzk_err *err);
    /**
     * Takes at most n more partitions of a job that is open, or of the job of a task: those next to what this daemon has go
     * first. Tells all that this daemon has and has not proved, and the holder what others have proved and what is set
     * aside, again with each call. E_EXISTS: the lease is lost.
     */
    cuzk_status (*take)(void *arg, uint64_t number, uint32_t n,
                        void (*each)(void *each_arg, const cuzk_part_news *news), void *each_arg,
                        cuzk_err *err);
    /** Makes a task of at most n partitions of one job that another daemon has: each gets the job with its input. None of except. */
    cuzk_status (*claim)(void *arg, uint64_t task, uint32_t n, const uint64_t *except,
                         size_t n_except,
                         void (*each)(void *each_arg, const cuzk_job_record *job,
                                      const uint32_t *parts, size_t n_parts),
                         void *each_arg, cuzk_err *err);
    /** Durable on return. E_EXISTS: the lease is lost, or the job is over; nothing is recorded. */
    cuzk_status (*write)(void *arg, uint64_t task, uint32_t partition, const uint8_t proof[192],
                         uint64_t device_ms, cuzk_err *err);
} cuzk_shared_parts;

/** What a daemon says about itself. */
typedef struct cuzk_queue_report {
    uint32_t places;           /* jobs that it works on at once */
    uint32_t devices, healthy; /* its cards, and those that can be used */
    char loaded
        [512]; /* circuits whose parameters are in memory, each between blanks: " porep-32g " */
} cuzk_queue_report;

/**
 * What the store of a queue that several daemons share does in addition. A job that is put belongs to nobody; a daemon
 * claims it, and has it until it has ended, is released, or the daemon's lease is over. arg is the store's.
 */
typedef struct cuzk_shared_queue {
    /**
     * Gives each at most n jobs, with their inputs, that are this daemon's from then on; none while its lease may
     * be over, and none of except [n_except, at most CUZK_CLAIM_EXCEPT], which it cannot prove. Among jobs that
     * wait for a short time, those of loaded circuits go first.
     */
    cuzk_status (*claim)(void *arg, uint32_t n, const uint64_t *except, size_t n_except,
                         void (*each)(void *each_arg, const cuzk_job_record *job), void *each_arg,
                         cuzk_err *err);
    /** Before the work on a claimed job begins: a daemon that dies from here on counts against the job. E_EXISTS: the
        lease is lost; E_CANCELLED: a caller has cancelled it. */
    cuzk_status (*start)(void *arg, uint64_t number, cuzk_err *err);
    /** Back to the queue, as if it had not been claimed. A lease that is lost already is fine. */
    cuzk_status (*release)(void *arg, uint64_t number, cuzk_err *err);
    /** Ends a job that nobody has; asks the daemon that has it to do so. One that is over stays as it is. */
    cuzk_status (*cancel)(void *arg, uint64_t number, cuzk_err *err);
    /** True when the daemon has the job, as far as it knows. Does not wait. */
    bool (*is_held)(void *arg, uint64_t number);
    /** Orders that have come since the last call. Does not wait. */
    void (*take_orders)(void *arg,
                        void (*each)(void *each_arg, uint64_t number, cuzk_job_order order),
                        void *each_arg);
    /** Which of numbers [n] are over, or not known any more. */
    cuzk_status (*ended)(void *arg, const uint64_t *numbers, size_t n,
                         void (*each)(void *each_arg, uint64_t number), void *each_arg,
                         cuzk_err *err);
    /** A job by number, over or not, without its input. E_NOT_FOUND. */
    cuzk_status (*get)(void *arg, uint64_t number,
                       void (*each)(void *each_arg, const cuzk_job_record *job), void *each_arg,
                       cuzk_err *err);
    /** Returns when something may have changed in the queue, after wake, or after ms. */
    void (*wait)(void *arg, uint64_t ms);
    void (*wake)(void *arg);
    /** Claims nothing more; the other members see it. */
    void (*drain)(void *arg);
    /** What the daemon can do now, for its claims and for the other members. Does not wait. */
    void (*report)(void *arg, const cuzk_queue_report *report);
    const cuzk_shared_parts *parts; /* NULL: a job is proved by one daemon */
} cuzk_shared_queue;

typedef struct cuzk_job_store {
    void *arg;
    const cuzk_shared_queue *shared; /* NULL: the store is one daemon's */
    /**
     * Durable on return. E_IO (disk full, corrupt), E_BUDGET (over its size limit). Of a shared queue: with claims, the job
     * is this daemon's at once while its lease allows that (is_held says so); E_EXISTS: an equal job is in the queue.
     */
    cuzk_status (*put)(void *arg, const cuzk_job_record *job, cuzk_err *err);
    /**
     * Records the end of a job and drops its input. Durable on return. Unknown number: E_NOT_FOUND. Of a shared
     * queue: E_EXISTS when the job is not this daemon's any more; then nothing is recorded.
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
    /** The same by content and request_id: the newest such job that COMPLETED; of a shared queue also one that is not over. E_NOT_FOUND. */
    cuzk_status (*find_content)(void *arg, const uint8_t content[32], cuzk_bytes request_id,
                                void (*each)(void *each_arg, const cuzk_job_record *job),
                                void *each_arg, cuzk_err *err);
    /** Drops ended jobs older than ended_before and beyond the newest keep_count. */
    cuzk_status (*prune)(void *arg, int64_t ended_before_unix_ms, uint64_t keep_count,
                         cuzk_err *err);
    void (*destroy)(void *arg);
} cuzk_job_store;

/** A store that forgets at exit. E_NOMEM. */
CUZK_NODISCARD cuzk_status cuzk_job_store_memory(cuzk_job_store *out, cuzk_err *err);

#endif /* CUZK_ENGINE_JOB_STORE_H */
