/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_RPC_RPC_MESSAGES_H
#define CUZK_RPC_RPC_MESSAGES_H

/* Between the messages of proto/cuzk/v1/proving.proto and the engine's structs. */
#include "engine/engine_status.h"
#include "rpc/wire/rpc_wire.h"

#define CUZK_RPC_MAX_PROOFS \
    4096u /* vanilla proofs of one job; a full WindowPoSt partition has 2349 */
#define CUZK_RPC_MAX_REQUEST_ID 256u

/**
 * A received job: the message and what it says. One heap block owns the message, so that it can
 * be given to the engine as a cuzk_owned_block.
 */
typedef struct cuzk_rpc_job {
    cuzk_job_request request; /* views into message; vanilla_proofs is proofs */
    uint8_t *message;         /* owned */
    size_t message_len;
    cuzk_bytes *proofs; /* owned */
} cuzk_rpc_job;

/**
 * Reads a SubmitProofRequest, or a ProveRequest when wrapped. Takes message (a block of
 * base/alloc.h) in any case. Fields given twice: the last one counts, repeated ones add up.
 * E_INVALID (malformed; request_id not UTF-8 or longer than CUZK_RPC_MAX_REQUEST_ID; no submit; unknown
 * proof_kind; too many proofs), E_NOMEM.
 */
CUZK_NODISCARD cuzk_status cuzk_rpc_job_decode(cuzk_rpc_job **out, uint8_t *message, size_t len,
                                               bool wrapped, cuzk_err *err);
/** Of either decoder: cuzk_rpc_job_decode, cuzk_rpc_aggregate_decode (rpc_aggregate.h). */
typedef cuzk_status (*cuzk_rpc_decode_fn)(cuzk_rpc_job **out, uint8_t *message, size_t len,
                                          bool wrapped, cuzk_err *err);
/** E_INVALID: not UTF-8, a NUL, or longer than CUZK_RPC_MAX_REQUEST_ID. */
CUZK_NODISCARD cuzk_status cuzk_rpc_check_request_id(cuzk_bytes id, cuzk_err *err);
/** For cuzk_owned_block.release. NULL is fine. */
void cuzk_rpc_job_free(void *job);

/**
 * A request of one string (field 1) and perhaps one number (field 2): AwaitProof, CancelProof,
 * PreloadSRS, EvictSRS, HealthCheck. text [cap] gets the string, NUL-terminated. E_INVALID:
 * malformed or not UTF-8; E_NOT_FOUND: longer than cap - 1 or with a NUL, so that nothing can have
 * this name. number may be NULL.
 */
CUZK_NODISCARD cuzk_status cuzk_rpc_name_decode(char *text, size_t cap, uint64_t *number,
                                                cuzk_bytes message, cuzk_err *err);
/** Well-formed; fields are skipped. E_INVALID. */
CUZK_NODISCARD cuzk_status cuzk_rpc_empty_decode(cuzk_bytes message, cuzk_err *err);

/** AwaitProofResponse. job_id is written as given (it may hold NULs). */
void cuzk_rpc_put_result(cuzk_wire_writer *w, cuzk_bytes job_id, const cuzk_job_result *result);

/** Packs messages of the generated code. E_NOMEM is w->nomem. */
void cuzk_rpc_put_submit_response(cuzk_wire_writer *w, const char *job_id, uint32_t position);
void cuzk_rpc_put_cancel_response(cuzk_wire_writer *w, bool was_running);
void cuzk_rpc_put_preload_response(cuzk_wire_writer *w, bool already_loaded, uint64_t load_ms);
void cuzk_rpc_put_evict_response(cuzk_wire_writer *w, bool was_loaded, uint64_t freed_bytes);
void cuzk_rpc_put_metrics_response(cuzk_wire_writer *w, const char *text, size_t n);
void cuzk_rpc_put_status_response(cuzk_wire_writer *w, const cuzk_engine_status *s);

#endif /* CUZK_RPC_RPC_MESSAGES_H */
