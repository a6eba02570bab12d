/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_R1CS_CUDA_H
#define CUZK_ACCEL_CUDA_R1CS_CUDA_H

/*
 * Compiled circuits and their witnesses on a GPU, and evaluation of A.w, B.w, C.w: the results of
 * cuzk_r1cs_eval and cuzk_r1cs_check, byte for byte.
 *
 * Device memory is the caller's: a function _bytes says how much, _create is given that much at a
 * 256-byte aligned address d_mem, and _destroy frees host memory only. The memory must outlive the
 * object and the work that uses it.
 */
#include "accel/cuda/queue/queue.h"
#include "r1cs/witness.h"

/** A circuit on one device. Immutable once created: any queue of that device may use it. */
typedef struct cuzk_cuda_circuit cuzk_cuda_circuit;

/** Device bytes; with_c: matrix C too, which only cuzk_cuda_eval_check and C.w need. */
uint64_t cuzk_cuda_circuit_bytes(const cuzk_circuit *c, bool with_c);
/**
 * Uploads c, which is not referred to afterwards; waits. E_INVALID (a part of 2^32 words of terms
 * or more), E_NOMEM, device errors.
 */
CUZK_NODISCARD cuzk_status cuzk_cuda_circuit_create(cuzk_cuda_circuit **out, cuzk_cuda_queue *q,
                                                    const cuzk_circuit *c, bool with_c, void *d_mem,
                                                    cuzk_err *err);
/** NULL is fine. */
void cuzk_cuda_circuit_destroy(cuzk_cuda_circuit *c);

/*
 * A witness in device memory, 256-byte aligned: the bitmap of cuzk_witness as it is, padded to 256
 * bytes; the elements, all inputs (ONE first), then the full wires; the values of the slots.
 */
/** Device bytes of a witness. */
uint64_t cuzk_cuda_witness_bytes(const cuzk_circuit *c);
/** Host bytes of the staging buffer of cuzk_cuda_witness_upload. */
uint64_t cuzk_cuda_witness_staging_bytes(const cuzk_circuit *c);
/**
 * Copies w to staging [cuzk_cuda_witness_staging_bytes] (page-locked for speed, 64-byte aligned)
 * and enqueues its way from there to d_witness. w may change after the return; staging may not
 * until the work in q is done. staging NULL: straight from w's own memory, which must not change
 * until then. E_INVALID: w is of another circuit.
 */
CUZK_NODISCARD cuzk_status cuzk_cuda_witness_upload(const cuzk_cuda_circuit *c, cuzk_cuda_queue *q,
                                                    void *d_witness, const cuzk_witness *w,
                                                    void *staging, cuzk_err *err);

/**
 * Enqueues d_out[k] = <M_k, w>, reduced Montgomery, for every prover row: circuit rows, then for A
 * the inputs, for B and C zeros; the rest of d_out [n_out] is zeroed. d_out is 32-byte aligned.
 * E_INVALID: n_out below cuzk_circuit_prover_rows, or C of a circuit created without it.
 */
CUZK_NODISCARD cuzk_status cuzk_cuda_eval(const cuzk_cuda_circuit *c, cuzk_cuda_queue *q,
                                          const void *d_witness, cuzk_matrix_id m, cuzk_fr *d_out,
                                          uint64_t n_out, cuzk_err *err);
/** As cuzk_cuda_eval, each value times what is in its place in d_out, which is reduced. */
CUZK_NODISCARD cuzk_status cuzk_cuda_eval_times(const cuzk_cuda_circuit *c, cuzk_cuda_queue *q,
                                                const void *d_witness, cuzk_matrix_id m,
                                                cuzk_fr *d_out, uint64_t n_out, cuzk_err *err);
/**
 * Enqueues *d_bad_row = the lowest circuit row that does not hold, UINT64_MAX when all do. Needs a
 * circuit created with_c (E_INVALID) and no further memory.
 */
CUZK_NODISCARD cuzk_status cuzk_cuda_eval_check(const cuzk_cuda_circuit *c, cuzk_cuda_queue *q,
                                                const void *d_witness, uint64_t *d_bad_row,
                                                cuzk_err *err);

#endif /* CUZK_ACCEL_CUDA_R1CS_CUDA_H */
