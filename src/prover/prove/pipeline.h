/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_PROVER_PROVE_PIPELINE_H
#define CUZK_PROVER_PROVE_PIPELINE_H

/*
 * The steps from a parsed input to verified proofs, and the state between them:
 *
 *     check (once)                      \
 *                                         verify (each partition)
 *     witness -> prove (each partition) /
 *        \-> sum the public inputs
 *
 * Each step is one function, which any thread may call. The engine's workers call them from their
 * queues (engine/backend), cuzk_prove_all (prover/prove/prove_all.h) for a command. The check runs during the
 * first witnesses where cuzk_pipeline_may_start says so; no proof is verified, and so none is returned,
 * before the check has passed.
 */
#include "groth16/device/device_key.h"
#include "prover/prove/filecoin_input.h"
#include "prover/prove/witness_memory.h"

/** One input and the state of its steps. */
typedef struct cuzk_pipeline cuzk_pipeline;

typedef enum cuzk_check_state {
    CUZK_CHECK_PENDING = 0, /* not begun, or under way */
    CUZK_CHECK_PASSED,
    CUZK_CHECK_FAILED
} cuzk_check_state;

/** Borrows all three; pool may be NULL. E_NOMEM. */
CUZK_NODISCARD cuzk_status cuzk_pipeline_create(cuzk_pipeline **out, const cuzk_filecoin_input *in,
                                                const cuzk_hashes *hashes, cuzk_pool *pool,
                                                cuzk_err *err);
/** No step may be running. NULL is fine. */
void cuzk_pipeline_destroy(cuzk_pipeline *p);
const cuzk_filecoin_input *cuzk_pipeline_input(const cuzk_pipeline *p);

/** Witnesses may be made before the check has ended: all lengths of the input are right. */
bool cuzk_pipeline_may_start(const cuzk_pipeline *p);
/**
 * The native check of the whole input; to be called once. E_VANILLA, E_INVALID, E_CANCELLED. This failure
 * is to be reported before any other one of the input.
 */
CUZK_NODISCARD cuzk_status cuzk_pipeline_check(cuzk_pipeline *p, const cuzk_cancel *cancel,
                                               cuzk_trace_ctx trace, cuzk_err *err);
/** Waits for the end of the check, which another thread runs or will run. Its status and message. */
CUZK_NODISCARD cuzk_status cuzk_pipeline_await_check(cuzk_pipeline *p, cuzk_err *err);

typedef struct cuzk_witness_opts {
    cuzk_witness_memory *memory; /* NULL: the heap */
    bool
        check_rows; /* multiply all rows out: E_UNSATISFIED names the first that is not satisfied */
} cuzk_witness_opts;
/** The witness of a partition, not in use. Spans "witness_memory", "witness_fill", "check_rows". */
CUZK_NODISCARD cuzk_status cuzk_pipeline_witness(cuzk_placed_witness **out, const cuzk_pipeline *p,
                                                 const cuzk_circuit *circuit, uint32_t partition,
                                                 const cuzk_witness_opts *opts,
                                                 const cuzk_cancel *cancel, cuzk_trace_ctx trace,
                                                 cuzk_err *err);
/**
 * What the verification of a partition can do before there is a proof: the sum over the public inputs,
 * where there are enough of them. Once per partition at most; a failure is left to verify.
 */
void cuzk_pipeline_sum_inputs(cuzk_pipeline *p, const cuzk_vk *vk, uint32_t partition,
                              cuzk_trace_ctx trace);

/** A proof on the CPU. As cuzk_prove. */
CUZK_NODISCARD cuzk_status cuzk_pipeline_prove(uint8_t proof[CUZK_PROOF_BYTES],
                                               cuzk_placed_witness *witness, const cuzk_srs *srs,
                                               cuzk_pool *pool, const cuzk_cancel *cancel,
                                               cuzk_trace_ctx trace, cuzk_err *err);
typedef struct cuzk_device_call {
    cuzk_device_key *key;
    int32_t device;            /* tag of the spans: ordinal, or CUZK_TRACE_NONE */
    const int32_t *partitions; /* [n] tags */
    cuzk_pool *pool;           /* for copies of witnesses that are on the heap; may be NULL */
    uint64_t most_bytes;       /* of device memory for the call; 0: all that is free */
    /**
     * Optional: witnesses that are still being made; the array of witnesses is not read then. Waits for witness i: *out,
     * which stays until the call returns. As `await` of cuzk_device_prove_opts, but for each witness once.
     */
    cuzk_status (*await)(void *arg, uint32_t i, cuzk_placed_witness **out, cuzk_err *err);
    void *await_arg;
} cuzk_device_call;
#define CUZK_PIPELINE_MAX_BATCH 16u
/**
 * n proofs of one circuit on a device, n <= CUZK_PIPELINE_MAX_BATCH; the inputs may differ.
 * proofs [n]. witnesses [n], or NULL where call->await gives them. As cuzk_device_prove.
 */
CUZK_NODISCARD cuzk_status cuzk_pipeline_prove_on_device(uint8_t (*proofs)[CUZK_PROOF_BYTES],
                                                         cuzk_placed_witness *const *witnesses,
                                                         uint32_t n, const cuzk_device_call *call,
                                                         const cuzk_cancel *cancel,
                                                         cuzk_trace_ctx trace, cuzk_err *err);
/**
 * Against the statement. E_SELFTEST names the partition: the proof is wrong and must not be
 * returned. E_INVALID: the check has not passed.
 */
CUZK_NODISCARD cuzk_status cuzk_pipeline_verify(cuzk_pipeline *p, const cuzk_vk *vk,
                                                uint32_t partition,
                                                const uint8_t proof[CUZK_PROOF_BYTES],
                                                cuzk_err *err);

#endif /* CUZK_PROVER_PROVE_PIPELINE_H */
