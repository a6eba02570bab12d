/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_RPC_RPC_AGGREGATE_H
#define CUZK_RPC_RPC_AGGREGATE_H

/*
 * Between the messages of proto/cuzk/aggregate/v1/aggregate.proto and the engine's structs. Answers have
 * the field numbers of cuzk.v1's AwaitProofResponse, ProveResponse, SubmitProofResponse and
 * CancelProofResponse, and are written and read by the same functions.
 */
#include "rpc/wire/rpc_messages.h"

/**
 * Reads a SubmitAggregateRequest, or an AggregateRequest when wrapped, into a request of kind
 * CUZK_JOB_AGGREGATE with records (engine/sector_record.h) in a block of its own. Takes message (a block of
 * base/alloc.h) in any case. E_INVALID names the field (malformed; request_id; aggregation; no submit; sizes;
 * more than CUZK_RPC_MAX_PROOFS sectors), E_NOMEM.
 */
CUZK_NODISCARD cuzk_status cuzk_rpc_aggregate_decode(cuzk_rpc_job **out, uint8_t *message,
                                                     size_t len, bool wrapped, cuzk_err *err);
/** A VerifyAggregateRequest: sectors as records without proofs (engine/sector_record.h), and the aggregate. */
typedef struct cuzk_rpc_claim {
    cuzk_rpc_job job;     /* its message and proofs are owned */
    cuzk_bytes aggregate; /* in the message that was read */
    bool allow_trailing;
} cuzk_rpc_claim;

/**
 * Reads a VerifyAggregateRequest; message is borrowed and must outlive out. E_INVALID names the field, as
 * cuzk_rpc_aggregate_decode does, E_NOMEM: out is empty then.
 */
CUZK_NODISCARD cuzk_status cuzk_rpc_claim_decode(cuzk_rpc_claim *out, cuzk_bytes message,
                                                 cuzk_err *err);
/** An empty one is fine. */
void cuzk_rpc_claim_free(cuzk_rpc_claim *c);
/** VerifyAggregateResponse. ms: how long the call took. */
void cuzk_rpc_put_verdict(cuzk_wire_writer *w, const cuzk_aggregate_verdict *v, uint64_t ms);

/** SubmitAggregateRequest of a request of kind CUZK_JOB_AGGREGATE. E_FORMAT: a record that is none. */
CUZK_NODISCARD cuzk_status cuzk_rpc_put_aggregate(cuzk_wire_writer *w, const cuzk_job_request *rq,
                                                  cuzk_err *err);
/** GetStatusResponse of the service. */
void cuzk_rpc_put_aggregate_status(cuzk_wire_writer *w, const cuzk_engine_status *s);

#endif /* CUZK_RPC_RPC_AGGREGATE_H */
