/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ENGINE_JOB_STORE_H
#define CUZK_ENGINE_JOB_STORE_H

/*
 * Where accepted jobs and results survive the process. The engine knows this interface only:
 * store/ implements it on SQLite (one machine); a memory store serves tests and one-shot use.
 * Accepting returns when the record is durable; a result is durable before anybody is told.
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
    bool is_privileged; /* WinningPoSt at CRITICAL: may use space that is kept for it */
    uint32_t
        class_base; /* by which a shared queue orders: CUZK_PRIORITY_LOW to _CRITICAL; 0: NORMAL */
    cuzk_job_state state;
    /* when it is over: */
    int64_t ended_unix_ms;
    cuzk_status code;
    const char *error;
    cuzk_bytes proof;
    uint64_t queue_wait_ms, srs_load_ms, synthesis_ms, gpu_compute_ms, total_ms;
} cuzk_job_record;

typedef struct cuzk_job_store {
    void *arg;
    /** Durable on return. E_IO (disk full, corrupt), E_BUDGET (over its size limit). */
    cuzk_status (*put)(void *arg, const cuzk_job_record *job, cuzk_err *err);
    /** Records the end of a job and drops its input. Durable on return. Unknown number: E_NOT_FOUND. */
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
    /** The same by content and request_id: the newest such job that COMPLETED. E_NOT_FOUND. */
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
