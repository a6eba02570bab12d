/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_CLIENT_H
#define CUZK_CLIENT_H

/*
 * Jobs for a daemon (cuzk serve) by gRPC: the eight calls of cuzk.v1.ProvingEngine, and the daemon's health.
 * These functions are in a library of their own, libcuzk-client, which needs libnghttp2 and OpenSSL and has no
 * prover in it: `pkg-config cuzk-client`, or cuzk::cuzk_client_shared of the CMake package. A program that also calls
 * functions of the other headers links libcuzk too.
 *
 *   cuzk_client *client;
 *   cuzk_client_result *result;
 *   cuzk_client_options options = {.struct_size = sizeof(options), .address = "unix:///run/cuzk/cuzk.sock"};
 *   cuzk_input vanilla = {bytes, n};
 *   cuzk_prove_request request = {.struct_size = sizeof(request), .kind = CUZK_KIND_WINNING,
 *                                 .inputs = &vanilla, .n_inputs = 1, .registered_proof = 3, .miner_id = 1000};
 *   memcpy(request.randomness, randomness, 32);
 *   if (cuzk_client_create(&client, &options, &error) == CUZK_OK &&
 *       cuzk_client_prove(&result, client, &request, "my job", NULL, &error) == CUZK_OK) {
 *       const uint8_t *proof = cuzk_client_result_proof(result, &proof_bytes); // NULL: see the outcome
 *       ...
 *       cuzk_client_result_destroy(result);
 *   }
 *   cuzk_client_destroy(client);
 *
 * CUZK_OK of a call means that the daemon answered. Whether a job has been proved is its outcome.
 *
 * Failures of every call: E_IO: the daemon cannot be reached, the connection broke, TLS failed, or the daemon
 * failed; E_INVALID: the daemon refused an argument, the token, or the certificate's role; E_NOT_FOUND; E_BUDGET:
 * the daemon has no room now, or never; E_UNSUPPORTED: the daemon does not know the call; E_CANCELLED: the call's
 * time is over, or cuzk_client_stop_request was called; E_FORMAT: what answers is no daemon; E_NOMEM. The text begins
 * with the gRPC code when the daemon sent one.
 *
 * A client may be used by any number of threads at once. Each call that runs has a connection of its own; idle ones
 * are kept and used again. SIGPIPE is never raised. Host memory comes from libc, not from cuzk_set_allocator. After
 * fork() only the parent may use a client.
 */
#include <cuzk/cuzk.h>
#include <cuzk/prove.h>

#ifdef __cplusplus
extern "C" {
#endif

/** "0.1.0" of the client library that runs; static. */
CUZK_API const char *cuzk_client_version(void);

typedef struct cuzk_client cuzk_client;

typedef struct cuzk_client_options {
    uint32_t struct_size;
    uint32_t connect_ms; /* most time for a connection; 0: ten seconds */
    /** "HOST:PORT", "[IPV6]:PORT", "https://HOST:PORT" (TLS), "unix:///PATH". Required. */
    const char *address;
    const char *tls_ca;   /* PEM file of authorities; NULL: the system's */
    const char *tls_cert; /* PEM file of the client's certificate; NULL: none is shown */
    const char *tls_key;  /* PEM file of its key */
    const char *tls_name; /* name that the daemon's certificate must have; NULL: the host's */
    /** Printable ASCII without blanks, sent as "authorization: Bearer ..."; NULL: none. */
    const char *token;
} cuzk_client_options;

/** Connects. Strings are copied. */
CUZK_API cuzk_status cuzk_client_create(cuzk_client **out, const cuzk_client_options *options,
                                        cuzk_error *error);
/** Closes the connections. Results and statuses stay valid. NULL is fine. @thread no other call on this client. */
CUZK_API void cuzk_client_destroy(cuzk_client *c);

/** Ends calls from another thread. One may be used for several calls, at the same time and one after another. */
typedef struct cuzk_client_stop cuzk_client_stop;
/** E_NOMEM. */
CUZK_API cuzk_status cuzk_client_stop_create(cuzk_client_stop **out, cuzk_error *error);
/** Calls that were given s end within a tenth of a second with E_CANCELLED, and so do calls to come. Any thread,
 * also a signal handler. */
CUZK_API void cuzk_client_stop_request(cuzk_client_stop *s);
/** No call may be using it. NULL is fine. */
CUZK_API void cuzk_client_stop_destroy(cuzk_client_stop *s);

/** How a call is made; NULL in place of one: all defaults. */
typedef struct cuzk_client_call {
    uint32_t struct_size;
    uint32_t reserved;            /* 0 */
    uint64_t timeout_ms;          /* most time for the call, known to the daemon too; 0: no limit */
    const cuzk_client_stop *stop; /* NULL: none */
} cuzk_client_call;

/* ---- jobs ---- */

/**
 * Jobs are described as in <cuzk/prove.h>, with the same inputs, with these differences: kind CIRCOM, flags, progress
 * and circom_key are E_UNSUPPORTED; registered_proof and miner_id are required where docs/grpc.md says so; priority is
 * 0 (by kind), 1 (low), 2, 3 or 4 (critical). randomness is sent for WINNING and WINDOW, the comm_... fields for
 * UPDATE. request_id: the caller's name for the job, at most 256 bytes of UTF-8, NULL or "": none. A job of the same
 * name and content that is queued, running or kept is joined and not proved again.
 */
typedef struct cuzk_client_result cuzk_client_result;

/** What became of a job. */
enum {
    CUZK_OUTCOME_UNKNOWN = 0,
    CUZK_OUTCOME_COMPLETED = 1,
    CUZK_OUTCOME_FAILED = 2,
    CUZK_OUTCOME_CANCELLED = 3,
    CUZK_OUTCOME_TIMEOUT = 4 /* cuzk_client_await: the job has not ended yet */
};

#define CUZK_JOB_NAME_BYTES 320 /* longest job id, and its NUL */

/**
 * SubmitProof: queues a job and returns. job_id gets its name for await and cancel; *position, which may be NULL, the
 * number of jobs that go before it. The inputs are sent when the call returns.
 */
CUZK_API cuzk_status cuzk_client_submit(char job_id[CUZK_JOB_NAME_BYTES], uint32_t *position,
                                        cuzk_client *c, const cuzk_prove_request *request,
                                        const char *request_id, const cuzk_client_call *call,
                                        cuzk_error *error);
/**
 * AwaitProof: waits for the end of a job, at most wait_ms (0: no limit but the call's own): then the outcome is
 * TIMEOUT and the job goes on. Any number of times, by any client whose caller owns the job. E_NOT_FOUND: no such job.
 */
CUZK_API cuzk_status cuzk_client_await(cuzk_client_result **out, cuzk_client *c, const char *job_id,
                                       uint64_t wait_ms, const cuzk_client_call *call,
                                       cuzk_error *error);
/** Prove: submits and waits. When the call ends early the job is cancelled, unless somebody else waits for it. */
CUZK_API cuzk_status cuzk_client_prove(cuzk_client_result **out, cuzk_client *c,
                                       const cuzk_prove_request *request, const char *request_id,
                                       const cuzk_client_call *call, cuzk_error *error);
/** CancelProof. *was_running, which may be NULL: 1 when the job had been started. E_NOT_FOUND: no such job. */
CUZK_API cuzk_status cuzk_client_cancel(int32_t *was_running, cuzk_client *c, const char *job_id,
                                        const cuzk_client_call *call, cuzk_error *error);

/** CUZK_OUTCOME_... */
CUZK_API int32_t cuzk_client_result_outcome(const cuzk_client_result *r);
/** The proof, 192 bytes per partition, which the daemon has verified; *bytes is its size. NULL and 0 unless COMPLETED.
 * Valid until the result is destroyed, as all that a result gives. */
CUZK_API const uint8_t *cuzk_client_result_proof(const cuzk_client_result *r, size_t *bytes);
/** Why the job FAILED or was CANCELLED, without the class; "" otherwise. */
CUZK_API const char *cuzk_client_result_error(const cuzk_client_result *r);
/** CUZK_CLASS_...: what to do about it. OK when COMPLETED or TIMEOUT. */
CUZK_API int32_t cuzk_client_result_error_class(const cuzk_client_result *r);
/** The job id that the daemon answered with. */
CUZK_API const char *cuzk_client_result_job_id(const cuzk_client_result *r);
/** Times of a job that ended, in milliseconds; sums over partitions where the daemon adds them up. */
typedef struct cuzk_client_times {
    uint32_t struct_size; /* set by the caller */
    uint32_t reserved;
    uint64_t queue_wait_ms, srs_load_ms;
    uint64_t synthesis_ms, gpu_compute_ms; /* over partitions */
    uint64_t total_ms;                     /* from accepted to ended */
} cuzk_client_times;
/** E_INVALID: struct_size. */
CUZK_API cuzk_status cuzk_client_result_times(cuzk_client_times *out, const cuzk_client_result *r);
/** NULL is fine. */
CUZK_API void cuzk_client_result_destroy(cuzk_client_result *r);

/* ---- circuits ---- */

/** PreloadSRS: loads a circuit ("porep-32g") and its parameters ahead of need. The outputs may be NULL. */
CUZK_API cuzk_status cuzk_client_preload(int32_t *was_loaded, uint64_t *load_ms, cuzk_client *c,
                                         const char *circuit_id, const cuzk_client_call *call,
                                         cuzk_error *error);
/** EvictSRS: drops it; E_BUDGET while a job uses it. The outputs may be NULL. */
CUZK_API cuzk_status cuzk_client_evict(int32_t *was_loaded, uint64_t *freed_bytes, cuzk_client *c,
                                       const char *circuit_id, const cuzk_client_call *call,
                                       cuzk_error *error);

/* ---- the daemon ---- */

/** The answer to GetStatus. */
typedef struct cuzk_client_status cuzk_client_status;
/** GetStatus. */
CUZK_API cuzk_status cuzk_client_get_status(cuzk_client_status **out, cuzk_client *c,
                                            const cuzk_client_call *call, cuzk_error *error);
/** NULL is fine. Strings of the structs below are valid until then. */
CUZK_API void cuzk_client_status_destroy(cuzk_client_status *s);

typedef struct cuzk_client_totals {
    uint32_t struct_size; /* set by the caller, as in the structs below */
    uint32_t n_gpus, n_circuits, n_queues, n_abilities;
    uint32_t reserved;
    uint64_t completed, failed; /* proofs since the daemon was started */
    uint64_t uptime_seconds;
    uint64_t pinned_bytes, pinned_limit_bytes; /* page-locked memory */
} cuzk_client_totals;
/** E_INVALID: struct_size. */
CUZK_API cuzk_status cuzk_client_status_totals(cuzk_client_totals *out,
                                               const cuzk_client_status *s);

typedef struct cuzk_client_gpu {
    uint32_t struct_size;
    uint32_t ordinal;
    const char *name;
    const char *job_id, *proof_kind; /* of the job on it; "" when it is idle */
    uint64_t memory_bytes, memory_free_bytes;
} cuzk_client_gpu;
/** i below n_gpus; otherwise E_NOT_FOUND, as in the functions below. */
CUZK_API cuzk_status cuzk_client_status_gpu(cuzk_client_gpu *out, const cuzk_client_status *s,
                                            size_t i);

/** A loaded circuit. */
typedef struct cuzk_client_circuit {
    uint32_t struct_size;
    uint32_t tier; /* 0: on a device, 1: in host memory, 2: on disk */
    const char *circuit_id;
    uint64_t bytes;
    uint32_t users; /* jobs that use it */
    uint32_t reserved;
} cuzk_client_circuit;
CUZK_API cuzk_status cuzk_client_status_circuit(cuzk_client_circuit *out,
                                                const cuzk_client_status *s, size_t i);

typedef struct cuzk_client_queue {
    uint32_t struct_size;
    uint32_t pending, in_progress; /* jobs */
    uint32_t reserved;
    const char *proof_kind;
} cuzk_client_queue;
CUZK_API cuzk_status cuzk_client_status_queue(cuzk_client_queue *out, const cuzk_client_status *s,
                                              size_t i);

/** What a GPU can do with a circuit. */
typedef struct cuzk_client_ability {
    uint32_t struct_size;
    uint32_t gpu_ordinal;
    const char *circuit_id;
    const char *ability; /* "resident", "streamed", "not possible" */
    uint64_t needed_bytes, available_bytes;
    uint32_t expected_ms; /* of one statement; 0: not known */
    int32_t is_measured;  /* 1: expected_ms was measured on such a card; 0: it was computed */
} cuzk_client_ability;
CUZK_API cuzk_status cuzk_client_status_ability(cuzk_client_ability *out,
                                                const cuzk_client_status *s, size_t i);

/** GetMetrics: text in Prometheus' format with a NUL; free with cuzk_client_text_free. */
CUZK_API cuzk_status cuzk_client_get_metrics(char **text, cuzk_client *c,
                                             const cuzk_client_call *call, cuzk_error *error);
/** NULL is fine. */
CUZK_API void cuzk_client_text_free(char *text);

/** grpc.health.v1: *is_serving is 1 when the daemon takes jobs, 0 while it starts or drains. */
CUZK_API cuzk_status cuzk_client_health(int32_t *is_serving, cuzk_client *c,
                                        const cuzk_client_call *call, cuzk_error *error);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_CLIENT_H */
