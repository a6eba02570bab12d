/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_SECTION_CUDA_H
#define CUZK_ACCEL_CUDA_SECTION_CUDA_H

/*
 * The points of the sections l, a and b by class of their wires. Which points belong to bit wires
 * and which to full ones (inputs count as full) depends on the circuit alone, so a section is kept
 * as two arrays: the points of bits and those of fulls, each in the order of the section. Its sum
 * is then a sum of selected points and a multi-scalar multiplication over few.
 *
 * Device memory is the caller's, as in accel/cuda/r1cs/r1cs.h; d_witness is a witness of the same circuit.
 */
#include "accel/accel.h"
#include "accel/cuda/queue/queue.h"
#include "accel/cuda/r1cs/r1cs.h"
#include "ec/g1.h"
#include "ec/g2.h"

/** The classification of all three, on one device and for the host. Immutable. */
typedef struct cuzk_cuda_sections cuzk_cuda_sections;

/** Device bytes. all_wires: a and b have one point per wire, as in parameters from a zkey. */
uint64_t cuzk_cuda_sections_bytes(const cuzk_circuit *c, bool all_wires);
/** c is not referred to afterwards; waits. E_NOMEM, device errors. */
CUZK_NODISCARD cuzk_status cuzk_cuda_sections_create(cuzk_cuda_sections **out, cuzk_cuda_queue *q,
                                                     const cuzk_circuit *c, bool all_wires,
                                                     void *d_mem, cuzk_err *err);
/** NULL is fine. */
void cuzk_cuda_sections_destroy(cuzk_cuda_sections *s);

/** Points of a section, and how many of them belong to bits; the others are full. */
uint64_t cuzk_cuda_sections_count(const cuzk_cuda_sections *s, cuzk_srs_section wires);
uint64_t cuzk_cuda_sections_bits(const cuzk_cuda_sections *s, cuzk_srs_section wires);
/** How many of the points [0, at) belong to bits, at <= count. */
uint64_t cuzk_cuda_sections_bits_before(const cuzk_cuda_sections *s, cuzk_srs_section wires,
                                        uint64_t at);

/**
 * Enqueues: bit k of d_bits [(bits + 63) / 64] is the value of the wire of bit point k. Unused bits
 * of the last word are 0.
 */
CUZK_NODISCARD cuzk_status cuzk_cuda_sections_gather_bits(const cuzk_cuda_sections *s,
                                                          cuzk_cuda_queue *q, const void *d_witness,
                                                          cuzk_srs_section wires, uint64_t *d_bits,
                                                          cuzk_err *err);
/** Enqueues: d_scalars[k] [count - bits] = value of the wire of full point k, as an integer < r. */
CUZK_NODISCARD cuzk_status cuzk_cuda_sections_gather_fulls(const cuzk_cuda_sections *s,
                                                           cuzk_cuda_queue *q,
                                                           const void *d_witness,
                                                           cuzk_srs_section wires,
                                                           cuzk_scalar *d_scalars, cuzk_err *err);
/**
 * Enqueues the distribution of points [first, first + n) of a section, d_points [n]: those of bits
 * go to d_bit_points, those of fulls to d_full_points, both from the slice's first of that class on
 * (add bits_before(first), or first less that, for the place in the whole array). No overlap.
 */
CUZK_NODISCARD cuzk_status cuzk_cuda_sections_split_g1(
    const cuzk_cuda_sections *s, cuzk_cuda_queue *q, cuzk_srs_section wires, uint64_t first,
    uint64_t n, cuzk_g1_affine *d_bit_points, cuzk_g1_affine *d_full_points,
    const cuzk_g1_affine *d_points, cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_cuda_sections_split_g2(
    const cuzk_cuda_sections *s, cuzk_cuda_queue *q, cuzk_srs_section wires, uint64_t first,
    uint64_t n, cuzk_g2_affine *d_bit_points, cuzk_g2_affine *d_full_points,
    const cuzk_g2_affine *d_points, cuzk_err *err);

#endif /* CUZK_ACCEL_CUDA_SECTION_CUDA_H */
