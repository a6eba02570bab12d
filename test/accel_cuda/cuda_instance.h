/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_ACCEL_CUDA_CUDA_INSTANCE_H
#define CUZK_TEST_ACCEL_CUDA_CUDA_INSTANCE_H

/* A circuit and a witness on the host and on device 0. */
#include "accel/cuda/r1cs/r1cs.h"
#include "circuit/filecoin.h"

typedef struct cuda_instance {
    const cuzk_circuit *c;
    cuzk_circuit *owned; /* or NULL */
    cuzk_witness *w;
    cuzk_cuda_queue *q;
    cuzk_cuda_circuit *dc;
    void *d_circuit, *d_witness;
} cuda_instance;

/** Takes w, not c. Skips the case when there is no device. */
void cuda_instance_open(cuda_instance *t, const cuzk_circuit *c, cuzk_witness *w);
/** A generated proof's circuit and satisfying witness. */
void cuda_instance_filecoin(cuda_instance *t, cuzk_circuit_kind kind, uint64_t sector_bytes);
void cuda_instance_close(cuda_instance *t);
/** The host's witness to the device, through a staging buffer every other time. */
void cuda_instance_upload(cuda_instance *t);
/** Other values in the witness, on both sides. */
void cuda_instance_randomise(cuda_instance *t);

/** Checked allocation of cuzk_alloc. */
void *cuda_host(uint64_t bytes);

#endif
