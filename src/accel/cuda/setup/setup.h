/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_SETUP_CUDA_H
#define CUZK_ACCEL_CUDA_SETUP_CUDA_H

/*
 * Parameters of a circuit from known toxic waste, made on a GPU: the points of cuzk_setup_write
 * (bellperson's form), byte for byte.
 */
#include "accel/accel.h"
#include "accel/cuda/queue/queue.h"
#include "accel/toxic_waste.h"
#include "r1cs/circuit.h"

/**
 * Takes points [first, first + n) of a section, slice after slice; d_points: cuzk_g1_affine, of
 * B_G2 cuzk_g2_affine. Called on the caller's thread with the points' making enqueued in q, not
 * done: work enqueued in q finds them ready. They stay until the next slice's work in q.
 */
typedef cuzk_status (*cuzk_cuda_setup_sink)(void *arg, cuzk_cuda_queue *q, cuzk_srs_section section,
                                            uint64_t first, uint64_t n, const void *d_points,
                                            cuzk_err *err);

/** Points of a section. */
uint64_t cuzk_cuda_setup_count(const cuzk_circuit *c, cuzk_srs_section section);
/** Device bytes of cuzk_cuda_setup_run with slices of that many points, a power of two >= 2^10. */
uint64_t cuzk_cuda_setup_bytes(const cuzk_circuit *c, uint64_t slice);
/**
 * Makes all sections whose bit (1 << section) is in `sections`, IC before the others. d_mem: 256-byte aligned,
 * cuzk_cuda_setup_bytes. E_INVALID as cuzk_setup_write says, naming the wire; E_NOMEM, device
 * errors, and what the sink returns. Waits. The waste is in device memory during the call.
 */
CUZK_NODISCARD cuzk_status cuzk_cuda_setup_run(cuzk_cuda_queue *q, const cuzk_circuit *c,
                                               const cuzk_toxic *toxic, uint32_t sections,
                                               uint64_t slice, void *d_mem,
                                               cuzk_cuda_setup_sink sink, void *arg, cuzk_err *err);

#endif /* CUZK_ACCEL_CUDA_SETUP_CUDA_H */
