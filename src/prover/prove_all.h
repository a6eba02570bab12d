/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_PROVER_PROVE_ALL_H
#define CUZK_PROVER_PROVE_ALL_H

/*
 * All partitions of one input, by the steps of prover/pipeline.h.
 *
 * On devices: the calling thread makes witnesses, a few ahead; threads of each device prove and verify.
 * Three threads share a device: two have their witnesses on it when memory allows, while the third has
 * its proof assembled and verified. On the CPU: one partition after the other, on the calling thread.
 */
#include "prover/pipeline.h"

/** Wall times in nanoseconds, summed over partitions. */
typedef struct cuzk_prove_all_times {
    uint64_t check_ns, witness_ns, prove_ns, verify_ns;
    cuzk_prove_times prove;        /* on the CPU */
    cuzk_device_times device;      /* on devices */
    uint64_t release_backlog_peak; /* bytes of witnesses that waited to be given back */
} cuzk_prove_all_times;

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
    cuzk_trace_ctx trace; /* spans "check", "witness", "verify", and those of the proofs */
    bool check_rows; /* multiply the rows of each witness out on the CPU: E_UNSATISFIED names one */
    /** Optional; called from threads of the job, one at a time. */
    void (*progress)(void *arg, const char *what, uint64_t done, uint64_t total);
    void *progress_arg;
} cuzk_prove_all_job;

/**
 * On devices the native check runs beside the first proofs where cuzk_pipeline_may_start, else before
 * them. Its failure comes before any other one. proofs [n_partitions * 192], every one verified; as a
 * whole and on success only. The first failure of any step ends it: E_SELFTEST for a proof that does not
 * verify, device and memory failures. *times is added to.
 */
CUZK_NODISCARD cuzk_status cuzk_prove_all(const cuzk_prove_all_job *p, uint8_t *proofs,
                                          cuzk_prove_all_times *times, cuzk_err *err);

#endif /* CUZK_PROVER_PROVE_ALL_H */
