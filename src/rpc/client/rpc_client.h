/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_RPC_RPC_CLIENT_H
#define CUZK_RPC_RPC_CLIENT_H

/*
 * A blocking client of cuzk.v1.ProvingEngine and, for jobs of kind CUZK_JOB_AGGREGATE, of
 * cuzk.aggregate.v1.Aggregator: one connection, one call at a time. Several calls at
 * once: several clients, one per thread.
 *
 * Statuses: those of the server by gRPC code (INVALID_ARGUMENT E_INVALID, NOT_FOUND E_NOT_FOUND,
 * RESOURCE_EXHAUSTED and FAILED_PRECONDITION E_BUDGET, UNIMPLEMENTED E_UNSUPPORTED, DEADLINE_EXCEEDED and
 * CANCELLED E_CANCELLED, UNAUTHENTICATED E_INVALID, all else E_IO), the message names the code;
 * E_IO when there is no connection; E_FORMAT for an answer that is not one; E_NOMEM.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/engine.h"
#include "rpc/wire/rpc_grpc.h"
#include "sys/pool.h"

typedef struct cuzk_rpc_client_config {
    const char *address; /* as rpc_server.h; "https://" or tls for TLS */
    bool tls;
    const char *tls_ca;   /* PEM; NULL: the system's */
    const char *tls_cert; /* PEM; NULL: no certificate is shown */
    const char *tls_key;
    const char *tls_name;      /* name the server's certificate must have; NULL: the host's */
    const char *token;         /* NULL: none */
    uint32_t connect_ms;       /* 0: 10 s */
    uint64_t timeout_ms;       /* of each call, sent as grpc-timeout; 0: none */
    const cuzk_cancel *cancel; /* ends a call under way: E_CANCELLED; NULL: none */
} cuzk_rpc_client_config;

typedef struct cuzk_rpc_client cuzk_rpc_client;

/** Connects. Strings of the config are borrowed until destroy. */
CUZK_NODISCARD cuzk_status cuzk_rpc_client_create(cuzk_rpc_client **out,
                                                  const cuzk_rpc_client_config *config,
                                                  cuzk_err *err);
/** NULL is fine. */
void cuzk_rpc_client_destroy(cuzk_rpc_client *c);
/** For the calls after this. */
void cuzk_rpc_client_set_timeout(cuzk_rpc_client *c, uint64_t timeout_ms);
/** For the calls after this; borrowed until the next change. NULL: none. */
void cuzk_rpc_client_set_cancel(cuzk_rpc_client *c, const cuzk_cancel *cancel);
/** gRPC code of the last call; CUZK_GRPC_UNAVAILABLE when the server was not reached. */
cuzk_grpc_code cuzk_rpc_client_code(const cuzk_rpc_client *c);

/**
 * Any unary method: "/cuzk.v1.ProvingEngine/GetStatus". The request is the concatenation of parts
 * [n_parts], sent from where they are. *reply is a block of base/alloc.h, freed by the caller.
 * Connects again when the connection has gone since the last call.
 */
CUZK_NODISCARD cuzk_status cuzk_rpc_client_call(cuzk_rpc_client *c, const char *method,
                                                const cuzk_bytes *parts, size_t n_parts,
                                                uint8_t **reply, size_t *reply_size, cuzk_err *err);

/** Values of AwaitProofResponse.Status. */
typedef enum cuzk_rpc_outcome {
    CUZK_RPC_UNKNOWN = 0,
    CUZK_RPC_COMPLETED = 1,
    CUZK_RPC_FAILED = 2,
    CUZK_RPC_CANCELLED = 3,
    CUZK_RPC_TIMEOUT = 4
} cuzk_rpc_outcome;
const char *cuzk_rpc_outcome_name(cuzk_rpc_outcome o);

typedef struct cuzk_rpc_result {
    char job_id[CUZK_JOB_ID_BYTES]; /* cut at a NUL or at its size */
    cuzk_rpc_outcome outcome;
    uint8_t *proof; /* owned */
    size_t proof_size;
    char error[512];
    uint64_t queue_wait_ms, srs_load_ms, synthesis_ms, gpu_compute_ms, total_ms;
} cuzk_rpc_result;
void cuzk_rpc_result_free(cuzk_rpc_result *r);

/** deadline_ns and cancel_when_unwatched of the request are not sent. */
CUZK_NODISCARD cuzk_status cuzk_rpc_client_prove(cuzk_rpc_client *c,
                                                 const cuzk_job_request *request,
                                                 cuzk_rpc_result *out, cuzk_err *err);
/** job_id [CUZK_JOB_ID_BYTES] */
CUZK_NODISCARD cuzk_status cuzk_rpc_client_submit(cuzk_rpc_client *c,
                                                  const cuzk_job_request *request, char *job_id,
                                                  uint32_t *position, cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_rpc_client_await(cuzk_rpc_client *c, const char *job_id,
                                                 uint64_t timeout_ms, cuzk_rpc_result *out,
                                                 cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_rpc_client_cancel(cuzk_rpc_client *c, const char *job_id,
                                                  bool *was_running, cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_rpc_client_preload(cuzk_rpc_client *c, const char *circuit_id,
                                                   bool *already_loaded, uint64_t *load_ms,
                                                   cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_rpc_client_evict(cuzk_rpc_client *c, const char *circuit_id,
                                                 bool *was_loaded, uint64_t *freed_bytes,
                                                 cuzk_err *err);
/**
 * cuzk.fleet.v1: the input called name, [n] bytes, which the caller checks. E_NOT_FOUND: the daemon has it no more;
 * E_FORMAT: it has another length.
 */
CUZK_NODISCARD cuzk_status cuzk_rpc_client_read_input(cuzk_rpc_client *c, const char *name,
                                                      uint8_t *out, size_t n, cuzk_err *err);
/** *text: a block of base/alloc.h with a NUL, freed by the caller. */
CUZK_NODISCARD cuzk_status cuzk_rpc_client_metrics(cuzk_rpc_client *c, char **text, cuzk_err *err);
/** The server's health: grpc.health.v1 ServingStatus, 1 is SERVING. */
CUZK_NODISCARD cuzk_status cuzk_rpc_client_health(cuzk_rpc_client *c, const char *service,
                                                  uint64_t *serving_status, cuzk_err *err);

/** GetStatus, as a client sees it. Texts are cut at their size. */
typedef struct cuzk_rpc_status {
    struct cuzk_rpc_status_gpu {
        uint32_t ordinal;
        char name[96], job_id[CUZK_JOB_ID_BYTES], proof_kind[32];
        uint64_t memory_total, memory_free;
    } * gpus;
    size_t n_gpus;
    struct cuzk_rpc_status_srs {
        char circuit_id[64];
        uint32_t tier, ref_count;
        uint64_t size_bytes;
    } * srs;
    size_t n_srs;
    struct cuzk_rpc_status_queue {
        char proof_kind[32];
        uint32_t pending, in_progress;
    } * queues;
    size_t n_queues;
    /** What a GPU can do with a circuit. */
    struct cuzk_rpc_status_ability {
        char circuit_id[32], ability[16];  /* "resident", "streamed", "not possible" */
        uint32_t gpu_ordinal, expected_ms; /* of one statement; 0: not known */
        bool is_measured;                  /* expected_ms: on such a card; else computed */
        uint64_t needed_bytes, available_bytes;
    } * abilities;
    size_t n_abilities;
    uint64_t completed, failed, uptime_seconds, pinned_bytes, pinned_limit_bytes;
} cuzk_rpc_status;
CUZK_NODISCARD cuzk_status cuzk_rpc_client_status(cuzk_rpc_client *c, cuzk_rpc_status *out,
                                                  cuzk_err *err);
void cuzk_rpc_status_free(cuzk_rpc_status *s);

/** GetStatus of cuzk.aggregate.v1: jobs. E_UNSUPPORTED: an older daemon without that service. */
typedef struct cuzk_rpc_aggregate_status {
    uint64_t pending, in_progress, completed, failed, cancelled;
} cuzk_rpc_aggregate_status;
CUZK_NODISCARD cuzk_status cuzk_rpc_client_aggregate_status(cuzk_rpc_client *c,
                                                            cuzk_rpc_aggregate_status *out,
                                                            cuzk_err *err);

#endif /* CUZK_RPC_RPC_CLIENT_H */
