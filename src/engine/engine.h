/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ENGINE_ENGINE_H
#define CUZK_ENGINE_ENGINE_H

/*
 * The proving engine: jobs in, verified proofs out. Everything that a front end (gRPC, HTTP, CLI)
 * needs is here; front ends hold no job state of their own.
 *
 * Jobs are keyed internally. The caller's request_id is a name, not a key: an equal request_id with
 * equal content joins the job that is queued, running or kept; with other content it is another
 * job.
 *
 * @thread every function may be called from any thread, unless it says otherwise.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sched/priority.h"
#include "trace/trace.h"

typedef struct cuzk_engine cuzk_engine;

/** The first four are values of the wire's ProofKind. */
typedef enum cuzk_job_kind {
    CUZK_JOB_POREP = 1,
    CUZK_JOB_UPDATE = 2,
    CUZK_JOB_WINDOW = 3,
    CUZK_JOB_WINNING = 4,
    CUZK_JOB_AGGREGATE = 5 /* proofs of sealed sectors to one aggregate (docs/snarkpack.md) */
} cuzk_job_kind;
#define CUZK_JOB_KINDS 5

typedef struct cuzk_bytes {
    const uint8_t *data;
    size_t size;
} cuzk_bytes;

/**
 * A block that several views point into, e.g. a received message. release is called once, from any
 * thread, when nothing points into it any more. bytes counts against the engine's budget.
 */
typedef struct cuzk_owned_block {
    void *arg;
    size_t bytes;
    void (*release)(void *arg);
} cuzk_owned_block;

/** What is to be proved. All views point into the block. Only the fields of the kind are read. */
typedef struct cuzk_job_request {
    cuzk_bytes request_id; /* echoed, any bytes that are UTF-8; may be empty */
    cuzk_bytes owner; /* name of the caller whose job it is: jobs of two owners are never joined */
    cuzk_job_kind kind;
    uint32_t priority;    /* wire value; 0: the kind's default; unknown: NORMAL */
    uint64_t sector_size; /* 0: not said (then taken from the input or registered_proof) */
    uint64_t registered_proof;
    uint64_t sector_number, miner_id;
    uint32_t partition_index;
    cuzk_bytes randomness;                         /* PoSt: 32 bytes */
    cuzk_bytes comm_r_old, comm_r_new, comm_d_new; /* update: 32 bytes each */
    cuzk_bytes
        vanilla_proof; /* PoRep: the C1 envelope; aggregate: options (engine/sector_record.h) */
    /* The others; [n_vanilla_proofs], in the block or copied. Aggregate: a record per sector, in order. */
    const cuzk_bytes *vanilla_proofs;
    size_t n_vanilla_proofs;
    uint64_t deadline_ns;       /* cuzk_clock_ns time after which the job is dropped; 0: none */
    bool cancel_when_unwatched; /* cancel when its last waiter goes (Prove), not for Submit */
    const char
        *peer; /* who sent it, for status and log: "10.0.0.3:4711"; copied; NULL: not known */
} cuzk_job_request;

typedef enum cuzk_job_state {
    CUZK_JOB_QUEUED = 0,
    CUZK_JOB_RUNNING = 1,
    CUZK_JOB_COMPLETED = 2,
    CUZK_JOB_FAILED = 3,
    CUZK_JOB_CANCELLED = 4
} cuzk_job_state;

#define CUZK_JOB_ID_BYTES \
    320 /* longest job id and its NUL: request_id (up to 256 bytes) and a suffix */

#define CUZK_PEER_BYTES 64 /* longest peer and its NUL; a longer one is cut */

/**
 * Where the wall time of a job went, in nanoseconds. Partitions are in several stages at once: each moment
 * counts once, for the latest stage that one of them is in, else for what the job waits for. So the fields
 * add up to total_ns. Of a job that only the store still has: zeros, and total_ns.
 */
typedef struct cuzk_job_times {
    uint64_t accept_ns;  /* the job store records the job */
    uint64_t queue_ns;   /* waits to be parsed */
    uint64_t load_ns;    /* waits for circuit or parameters, which are being loaded */
    uint64_t wait_ns;    /* waits between stages: for memory, a worker, a device */
    uint64_t return_ns;  /* the job store records the result */
    uint64_t prepare_ns; /* is parsed and checked */
    uint64_t witness_ns, device_ns, verify_ns;
    uint64_t aggregate_ns; /* proofs are checked and aggregated, and the aggregate is verified */
    uint64_t total_ns;     /* from the call that submitted it to its end, or to now */
} cuzk_job_times;

/** Whose fault a failure is: "input" (trying again is of no use), "environment", "internal"; "" for CUZK_OK. */
const char *cuzk_job_error_class(cuzk_status code);

/** The answer to a waiter. Pointers are valid during the callback only. */
typedef struct cuzk_job_result {
    const char *job_id;
    cuzk_bytes request_id;
    cuzk_job_state state; /* QUEUED or RUNNING: the wait timed out */
    cuzk_bytes
        proof; /* 192 bytes per partition, or an aggregate; verified; empty unless COMPLETED */
    cuzk_status code; /* of a failure */
    const char *
        error; /* "" unless FAILED or CANCELLED; class prefix "input: ", "environment: ", "internal: " */
    const char *error_class; /* of error: cuzk_job_error_class(code); "": no error */
    const char *error_text;  /* error without its class; "": no error */
    const char *peer;        /* who sent it first; "" when that is not known */
    cuzk_job_times times;    /* of a job that is over */
    uint64_t queue_wait_ms, srs_load_ms, synthesis_ms, gpu_compute_ms, total_ms; /* the wire's */
} cuzk_job_result;

/** Called once per wait, from an engine thread, without engine locks; must not block. */
typedef void (*cuzk_job_done_fn)(void *arg, const cuzk_job_result *result);

/**
 * Accepts a job: it is counted in the status, recorded in the job store and reported from here on,
 * whatever happens. Takes the block on success only (block NULL: the bytes are copied).
 * job_id [CUZK_JOB_ID_BYTES] gets the id for await and cancel: the request_id when that is not in
 * use for other content, else unique. *position (may be NULL): jobs that go before it.
 * E_INVALID (kind, sizes of fixed fields; the message names the field), E_BUDGET (can never fit:
 * the message has the numbers; or the engine's queue is full: retryable), E_CANCELLED (draining),
 * E_NOMEM, E_IO (the store).
 */
CUZK_NODISCARD cuzk_status cuzk_engine_submit(cuzk_engine *e, const cuzk_job_request *request,
                                              const cuzk_owned_block *block, char *job_id,
                                              uint32_t *position, cuzk_err *err);

/** Names a wait; 0: no wait. */
typedef uint64_t cuzk_wait;
/**
 * Calls done once: at once when the job is over, at its end, or after timeout_ms (0: never).
 * done may be called before this returns. E_NOT_FOUND: no such job (nothing is called).
 */
CUZK_NODISCARD cuzk_status cuzk_engine_await(cuzk_engine *e, const char *job_id,
                                             uint64_t timeout_ms, cuzk_job_done_fn done, void *arg,
                                             cuzk_wait *wait, cuzk_err *err);
/**
 * Submit and await in one step, so that no end is missed; wait as in cuzk_engine_await. result's
 * job_id is the engine's, request_id is the caller's.
 */
CUZK_NODISCARD cuzk_status cuzk_engine_prove(cuzk_engine *e, const cuzk_job_request *request,
                                             const cuzk_owned_block *block, cuzk_job_done_fn done,
                                             void *arg, cuzk_wait *wait, cuzk_err *err);
/**
 * Withdraws a wait: after return done will not be called (waits for a call that is being made,
 * unless called from it; a callback must not withdraw another wait). True when it had not been called. A job with cancel_when_unwatched
 * that loses its last waiter is cancelled.
 */
bool cuzk_engine_unwait(cuzk_engine *e, cuzk_wait wait);
/** The same without cancelling anything: the front end is going, not the caller, who may ask again after a restart. */
bool cuzk_engine_leave(cuzk_engine *e, cuzk_wait wait);
#define CUZK_OWNER_BYTES 64 /* longest owner, and its NUL */
/** The owner of a job, NUL-terminated; of a front end that has several callers. E_NOT_FOUND. */
CUZK_NODISCARD cuzk_status cuzk_engine_owner(cuzk_engine *e, const char *job_id,
                                             char out[CUZK_OWNER_BYTES], cuzk_err *err);
/** Cancels; the waiters get CANCELLED. *was_running: it had been started. E_NOT_FOUND. A job that is over stays as it is. */
CUZK_NODISCARD cuzk_status cuzk_engine_cancel(cuzk_engine *e, const char *job_id, bool *was_running,
                                              cuzk_err *err);

/** What a verifier says of an aggregate. Values of the wire. */
typedef enum cuzk_aggregate_answer {
    CUZK_AGGREGATE_VALID = 1,
    CUZK_AGGREGATE_FALSE = 2,    /* well-formed, and does not verify */
    CUZK_AGGREGATE_MALFORMED = 3 /* not an aggregate, or one of another number of proofs */
} cuzk_aggregate_answer;

typedef struct cuzk_aggregate_verdict {
    cuzk_aggregate_answer answer;
    char reason[512];  /* "" when valid */
    uint64_t n_proofs; /* statements: sectors times partitions */
} cuzk_aggregate_verdict;

/**
 * Verifies an aggregate against the claims of request, of kind CUZK_JOB_AGGREGATE: registered_proof, and
 * vanilla_proofs as records whose proofs are not looked at (engine/sector_record.h). No job, nothing is stored; host
 * memory is taken from the budget meanwhile. allow_trailing: bytes after the aggregate are ignored.
 * CUZK_OK: *out has the answer. E_INVALID: the claims; E_BUDGET: they can never fit (the message has the numbers), or
 * there is no memory now: retryable; E_IO: verifying key or SRS; E_UNSUPPORTED; E_NOMEM.
 * @thread any; waits for memory up to 2 s, and computes on the caller's thread and on the pool.
 */
CUZK_NODISCARD cuzk_status cuzk_engine_verify_aggregate(cuzk_engine *e,
                                                        const cuzk_job_request *request,
                                                        cuzk_bytes aggregate, bool allow_trailing,
                                                        cuzk_aggregate_verdict *out, cuzk_err *err);

/**
 * Loads a circuit and its parameters ahead of need; waits. circuit_id: porep-, wpost-, winning- or
 * snap- and a sector size: 2k, 8m, 512m, 32g, 64g (also 4k 16k 32k 16m 1g, for which no parameters
 * are published); the original's ids among them. E_NOT_FOUND: no such id, or no parameter file (the
 * message names it); E_BUDGET: does not fit now.
 */
CUZK_NODISCARD cuzk_status cuzk_engine_preload(cuzk_engine *e, const char *circuit_id,
                                               bool *already_loaded, uint64_t *load_ms,
                                               cuzk_err *err);
/** Drops it when no job uses it (E_BUDGET: in use, retryable). */
CUZK_NODISCARD cuzk_status cuzk_engine_evict(cuzk_engine *e, const char *circuit_id,
                                             bool *was_loaded, uint64_t *freed_bytes,
                                             cuzk_err *err);

/** No new jobs (E_CANCELLED); running and queued ones go on. Not a wait. */
void cuzk_engine_drain(cuzk_engine *e);
/** True when no job is queued or running. */
bool cuzk_engine_is_idle(cuzk_engine *e);

#endif /* CUZK_ENGINE_ENGINE_H */
