/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_PROVER_PROVE_PROVE_ALL_H
#define CUZK_PROVER_PROVE_PROVE_ALL_H

/*
 * All partitions of one input, by the steps of prover/prove/pipeline.h.
 *
 * On devices: the calling thread makes witnesses in order, a few ahead; threads of each device prove and verify.
 * Three threads share a device: two have their witnesses on it when memory allows, while the third has
 * its proof assembled and verified. Where points stream, a thread takes partitions of its device for one call as soon
 * as the witness of the first one is made, and the call waits for the others. On the CPU: one partition after the other, on the calling thread.
 */
#include "prover/prove/pipeline.h"

typedef struct cuzk_prove_all_job {
    const cuzk_filecoin_input *in;
    const cuzk_circuit *circuit;
    const cuzk_hashes *hashes;
    const cuzk_vk *vk;
    const cuzk_srs *srs;                  /* the CPU proves, and n_keys is 0; else NULL */
    cuzk_device_key *const *keys;         /* [n_keys], one per device */
    cuzk_witness_memory *const *memories; /* [n_keys] of these devices */
    size_t n_keys;
    cuzk_pool *pool;
    const cuzk_cancel *cancel;
    /** Spans "check", "witness", "public_inputs", "release", "verify", and those of the proofs; on the CPU
     * "partition" around all but the first. */
    cuzk_trace_ctx trace;
    bool check_rows; /* multiply the rows of each witness out on the CPU: E_UNSATISFIED names one */
    /** Optional; called from threads of the job, one at a time. */
    void (*progress)(void *arg, const char *what, uint64_t done, uint64_t total);
    void *progress_arg;
    uint64_t *
        release_backlog_peak; /* optional: set to the most bytes of witnesses that waited to be freed */
} cuzk_prove_all_job;

/**
 * On devices the native check runs during the first proofs where cuzk_pipeline_may_start, else before
 * them. Its failure comes before any other one. proofs [n_partitions * 192], every one verified; as a
 * whole and on success only. The first failure of any step ends it: E_SELFTEST for a proof that does not
 * verify, device and memory failures.
 */
CUZK_NODISCARD cuzk_status cuzk_prove_all(const cuzk_prove_all_job *p, uint8_t *proofs,
                                          cuzk_err *err);

#endif /* CUZK_PROVER_PROVE_PROVE_ALL_H */
