/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_PROVER_DEVICE_PIPELINE_H
#define CUZK_PROVER_DEVICE_PIPELINE_H

/*
 * Partitions of one input through devices: the calling thread makes witnesses, a few ahead; threads
 * of each device prove and verify. Three threads share a device: two have their witnesses on it when
 * memory allows, while the third has its proof assembled and verified.
 */
#include "groth16/device/device_key.h"
#include "prover/filecoin_input.h"

typedef struct cuzk_pipeline_times {
    uint64_t check_ns;
    uint64_t witness_ns, verify_ns; /* of all partitions */
    uint64_t release_backlog_peak;  /* bytes of witnesses that waited to be given back */
    cuzk_device_times device;
} cuzk_pipeline_times;

typedef struct cuzk_pipeline {
    const cuzk_filecoin_input *in;
    const cuzk_circuit *circuit;
    const cuzk_hashes *hashes;
    const cuzk_vk *vk;
    cuzk_device_key *const *keys; /* [n_keys], one per device */
    size_t n_keys;
    cuzk_pool *pool;
    const cuzk_cancel *cancel;
    cuzk_trace_ctx trace;
    bool check;      /* the input has not passed its native check: it does so here */
    bool check_rows; /* multiply the rows of each witness out on the CPU: E_UNSATISFIED names one */
    /** Optional; called from the pipeline's threads, one at a time. */
    void (*progress)(void *arg, const char *what, uint64_t done, uint64_t total);
    void *progress_arg;
} cuzk_pipeline;

/**
 * With `check`, the native check runs beside the first proofs where the input's shape allows it
 * (cuzk_filecoin_input_is_shaped), else before them. Its failure comes before any other one.
 * proofs [n_partitions * 192], every one verified; as a whole and on success only. The first failure of
 * any stage ends it: E_SELFTEST for a proof that does not verify, device and memory failures.
 * *times is added to.
 */
CUZK_NODISCARD cuzk_status cuzk_pipeline_run(const cuzk_pipeline *p, uint8_t *proofs,
                                             cuzk_pipeline_times *times, cuzk_err *err);

#endif /* CUZK_PROVER_DEVICE_PIPELINE_H */
