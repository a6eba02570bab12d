/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_SETUP_CUDA_INTERNAL_H
#define CUZK_ACCEL_CUDA_SETUP_CUDA_INTERNAL_H

/*
 * Steps of a setup. Columns: each part's matrices turned on their side (accel/cuda/setup/csc.c), summed
 * against the Lagrange values of the rows, slice of wires by slice (accel/cuda/setup/columns.cu); points:
 * fixed-base tables and batch normalisation (accel/cuda/setup/fixed_base.cu).
 */
#include <stdbool.h>
#include <stdint.h>

#include "accel/cuda/queue/queue.h"
#include "accel/cuda/r1cs/circuit_internal.h"
#include "ec/g1.h"
#include "ec/g2.h"
#include "r1cs/circuit.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cuzk_cuda_column_term {
    uint32_t row, coef;
} cuzk_cuda_column_term;

/** Columns of a part: ONE and slots, then inputs, then aux wires in allocation order. */
typedef struct cuzk_cuda_columns_part {
    uint32_t n_rows, n_columns, first_input, first_aux, n_inputs, n_aux;
    const uint32_t *start[3];              /* [n_columns + 1] */
    const cuzk_cuda_column_term *terms[3]; /* [nnz] */
    const uint64_t *dense[2];              /* A, B: bitmap [n_aux] */
    const uint32_t *before[2];             /* [ceil(n_aux / 64)] dense wires before each word */
    uint32_t n_dense[2];
} cuzk_cuda_columns_part;

/** Passed to kernels by value; device pointers. */
typedef struct cuzk_cuda_columns {
    cuzk_cuda_columns_part part[2];
    uint32_t n_blocks, n_inputs; /* of the circuit */
    uint64_t n_rows;
    const cuzk_fr *coeffs;
    const cuzk_fr *lagrange; /* [n_rows + n_inputs] */
    /*
     * Sums of the preamble's columns, those of blocks' slots and ONE included; and of blocks' slots
     * and ONE alone, [n_blocks][first_input of a block].
     */
    cuzk_fr *preamble[3];
    cuzk_fr *hubs[3];
    /* Which hubs go to which column of the preamble: hub numbers by target. */
    const uint32_t *hub_target; /* [n_targets] columns */
    const uint32_t *hub_start;  /* [n_targets + 1] */
    const uint32_t *hub_source; /* [n_blocks * first_input of a block] */
    uint32_t n_targets;
    const uint64_t *input_dense; /* B's inputs: bitmap */
    uint32_t n_input_dense;
} cuzk_cuda_columns;

/** Device memory of all that, lagrange included; with base NULL only a->used counts. */
void cuzk_cuda_columns_take(cuzk_cuda_columns *out, cuzk_cuda_arena *a, const cuzk_circuit *c);
/** Uploads what comes from the circuit and sets n_targets; waits. E_NOMEM. */
CUZK_NODISCARD cuzk_status cuzk_cuda_columns_put(cuzk_cuda_columns *x, cuzk_cuda_queue *q,
                                                 const cuzk_circuit *c, cuzk_err *err);

/**
 * d_out[k] = scale w^k / (tau - w^k), k < n, w = root. step: w^stride, and its inverse, for the
 * stride that cuzk_cuda_setup_lagrange_stride gives.
 */
CUZK_NODISCARD cuzk_status cuzk_cuda_setup_lagrange(cuzk_cuda_queue *q, cuzk_fr *d_out, uint64_t n,
                                                    const cuzk_fr *root, const cuzk_fr *step,
                                                    const cuzk_fr *step_inv, const cuzk_fr *tau,
                                                    const cuzk_fr *scale, cuzk_err *err);
uint32_t cuzk_cuda_setup_lagrange_stride(uint64_t n);
/** Fills preamble and hubs. */
CUZK_NODISCARD cuzk_status cuzk_cuda_columns_preamble(const cuzk_cuda_columns *x,
                                                      cuzk_cuda_queue *q, cuzk_err *err);
/** d_out[i] = sum of matrix m's column of wire first + i (inputs, then aux), i < n. */
CUZK_NODISCARD cuzk_status cuzk_cuda_columns_values(const cuzk_cuda_columns *x, cuzk_cuda_queue *q,
                                                    unsigned m, uint64_t first, uint32_t n,
                                                    cuzk_fr *d_out, cuzk_err *err);

/** What the values of wires are made into. */
typedef struct cuzk_cuda_setup_factors {
    cuzk_fr alpha, beta;
    cuzk_scalar scale; /* as an integer: the product leaves Montgomery form */
} cuzk_cuda_setup_factors;

/** d_out[i] = (beta A_i + alpha B_i + C_i) scale as an integer. d_v: three arrays of values. */
CUZK_NODISCARD cuzk_status cuzk_cuda_setup_ext(cuzk_cuda_queue *q, const cuzk_fr *const d_v[3],
                                               uint32_t n, const cuzk_cuda_setup_factors *f,
                                               cuzk_scalar *d_out, cuzk_err *err);
/** The values of those of wires [first, first + n) that matrix m (A or B) has, as integers. */
CUZK_NODISCARD cuzk_status cuzk_cuda_setup_dense(const cuzk_cuda_columns *x, cuzk_cuda_queue *q,
                                                 unsigned m, uint64_t first, uint32_t n,
                                                 uint64_t rank_first, const cuzk_fr *d_v,
                                                 cuzk_scalar *d_out, cuzk_err *err);
/** d_out[i] = base^(first + i) scale as an integer, i < n; d_powers [64]: base^(2^k). */
CUZK_NODISCARD cuzk_status cuzk_cuda_setup_powers(cuzk_cuda_queue *q, const cuzk_fr *d_powers,
                                                  uint64_t first, uint32_t n,
                                                  const cuzk_scalar *scale, cuzk_scalar *d_out,
                                                  cuzk_err *err);
/**
 * Lowers d_report[0] to first + i when A or B has wire first + i and its value is 0, and
 * d_report[1] to 2 (first + i) + (1 when A, B and C are all 0) when its ext exponent is 0.
 */
CUZK_NODISCARD cuzk_status cuzk_cuda_setup_verify(const cuzk_cuda_columns *x, cuzk_cuda_queue *q,
                                                  uint64_t first, uint32_t n,
                                                  const cuzk_fr *const d_v[3],
                                                  const cuzk_cuda_setup_factors *f,
                                                  uint64_t *d_report, cuzk_err *err);

#define CUZK_CUDA_FIXED_C       16u /* bits of a window */
#define CUZK_CUDA_FIXED_WINDOWS 16u
#define CUZK_CUDA_FIXED_ENTRIES (CUZK_CUDA_FIXED_WINDOWS << (CUZK_CUDA_FIXED_C - 1))

/**
 * d_table [CUZK_CUDA_FIXED_ENTRIES] = (d + 1) bases[w] at w 2^15 + d; bases on the host: the
 * generator times 2^(16 w). d_xyzz [slice] of the group: scratch. Waits for nothing.
 */
CUZK_NODISCARD cuzk_status cuzk_cuda_fixed_table_g1(cuzk_cuda_queue *q, cuzk_g1_affine *d_table,
                                                    const cuzk_g1_affine *d_bases, void *d_xyzz,
                                                    uint32_t slice, cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_cuda_fixed_table_g2(cuzk_cuda_queue *q, cuzk_g2_affine *d_table,
                                                    const cuzk_g2_affine *d_bases, void *d_xyzz,
                                                    uint32_t slice, cuzk_err *err);
/** d_out[i] = d_scalars[i] times the generator, reduced affine. d_xyzz [n]: scratch. */
CUZK_NODISCARD cuzk_status cuzk_cuda_fixed_mul_g1(cuzk_cuda_queue *q, cuzk_g1_affine *d_out,
                                                  const cuzk_g1_affine *d_table,
                                                  const cuzk_scalar *d_scalars, uint32_t n,
                                                  void *d_xyzz, cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_cuda_fixed_mul_g2(cuzk_cuda_queue *q, cuzk_g2_affine *d_out,
                                                  const cuzk_g2_affine *d_table,
                                                  const cuzk_scalar *d_scalars, uint32_t n,
                                                  void *d_xyzz, cuzk_err *err);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_ACCEL_CUDA_SETUP_CUDA_INTERNAL_H */
