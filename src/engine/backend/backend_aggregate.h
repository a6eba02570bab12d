/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ENGINE_BACKEND_AGGREGATE_H
#define CUZK_ENGINE_BACKEND_AGGREGATE_H

/*
 * Jobs of kind CUZK_JOB_AGGREGATE for the real backend: the proofs of many sectors become one aggregate, on the
 * pool's threads. The first such job opens the SRS and checks its digest; the SRS then stays open.
 */
#include "engine/backend/backend.h"
#include "engine/engine_config.h"
#include "prover/keys/params_dir.h"

typedef struct cuzk_backend_aggregates cuzk_backend_aggregates;
/** A parsed request. */
typedef struct cuzk_aggregate_input cuzk_aggregate_input;

/**
 * Reads aggregate_srs and aggregate_srs_digest. dir and pool are borrowed. Opens no file. E_INVALID:
 * aggregate_srs_digest is not a digest.
 */
CUZK_NODISCARD cuzk_status cuzk_backend_aggregates_create(cuzk_backend_aggregates **out,
                                                          const cuzk_engine_config *config,
                                                          const cuzk_params_dir *dir,
                                                          cuzk_pool *pool, cuzk_err *err);
/** NULL is fine. */
void cuzk_backend_aggregates_destroy(cuzk_backend_aggregates *b);

/**
 * Checks what can be checked without computing: type, number and lengths. *bytes: upper bound of the host memory for
 * input and aggregation. E_INVALID, naming the sector by its index.
 */
CUZK_NODISCARD cuzk_status cuzk_aggregate_plan(uint64_t *bytes, const cuzk_job_request *rq,
                                               cuzk_err *err);
/** E_INVALID: the request; E_NOT_FOUND, E_IO, E_DIGEST: verifying key or SRS. */
CUZK_NODISCARD cuzk_status cuzk_aggregate_parse(cuzk_aggregate_input **out,
                                                cuzk_backend_aggregates *b,
                                                const cuzk_job_request *rq, cuzk_err *err);
/** NULL is fine. */
void cuzk_aggregate_input_destroy(cuzk_aggregate_input *in);
/**
 * *out [*n_out] is a block of base/alloc.h. E_INVALID and the errors of points name the first bad proof;
 * E_SELFTEST: the aggregate does not verify. One call at a time.
 */
CUZK_NODISCARD cuzk_status cuzk_aggregate_make(uint8_t **out, size_t *n_out,
                                               cuzk_backend_aggregates *b,
                                               const cuzk_aggregate_input *in,
                                               const cuzk_cancel *cancel, cuzk_trace_ctx trace,
                                               cuzk_err *err);

/**
 * Upper bound of the host memory that cuzk_aggregate_verify_claim takes. E_INVALID: type, number of sectors, a
 * missing seed.
 */
CUZK_NODISCARD cuzk_status cuzk_aggregate_plan_verify(uint64_t *bytes, const cuzk_job_request *rq,
                                                      cuzk_err *err);
/**
 * Verifies an aggregate against claims (cuzk_engine_verify_aggregate). E_INVALID: the claims; E_IO: verifying key or
 * SRS. Several calls may run at once, also while cuzk_aggregate_make runs.
 */
CUZK_NODISCARD cuzk_status cuzk_aggregate_verify_claim(cuzk_aggregate_verdict *out,
                                                       cuzk_backend_aggregates *b,
                                                       const cuzk_job_request *rq,
                                                       cuzk_bytes aggregate, bool allow_trailing,
                                                       cuzk_err *err);

#endif /* CUZK_ENGINE_BACKEND_AGGREGATE_H */
