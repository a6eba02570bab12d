/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_GROTH16_SECTION_SUM_H
#define CUZK_GROTH16_SECTION_SUM_H

/*
 * Sum over a section of wire value times point. Sections go by in chunks; bit wires are summed
 * without scalars, the few others are collected over chunks into large multi-scalar
 * multiplications. Spans for each chunk: "decode_points", "select_wires", "sum_bits", "sum_full".
 */
#include "groth16/params/srs.h"
#include "r1cs/witness.h"
#include "trace/trace.h"

/** G1 points decoded at a time, and half as many of G2: 96 MiB in either group. */
#define CUZK_SECTION_CHUNK ((size_t)1 << 20)

/** L, A or B_G1; chunk: points at a time, > 0. The section's count must be cuzk_wire_count. */
CUZK_NODISCARD cuzk_status cuzk_section_sum_g1(cuzk_g1 *out, const cuzk_witness *w,
                                               const cuzk_srs *srs, cuzk_srs_section s,
                                               size_t chunk, cuzk_trace_ctx trace, cuzk_pool *pool,
                                               const cuzk_cancel *cancel, cuzk_err *err);
/** B_G2; half of chunk at a time. */
CUZK_NODISCARD cuzk_status cuzk_section_sum_g2(cuzk_g2 *out, const cuzk_witness *w,
                                               const cuzk_srs *srs, cuzk_srs_section s,
                                               size_t chunk, cuzk_trace_ctx trace, cuzk_pool *pool,
                                               const cuzk_cancel *cancel, cuzk_err *err);
/** Sum of scalars[i] * (point i of section h) over the whole section. */
CUZK_NODISCARD cuzk_status cuzk_section_sum_h(cuzk_g1 *out, const cuzk_scalar *scalars,
                                              const cuzk_srs *srs, size_t chunk,
                                              cuzk_trace_ctx trace, cuzk_pool *pool,
                                              const cuzk_cancel *cancel, cuzk_err *err);
/** v[i] (Montgomery) becomes its canonical integer, in place. */
CUZK_NODISCARD cuzk_status cuzk_fr_array_to_scalars(cuzk_fr *v, size_t n, cuzk_pool *pool,
                                                    const cuzk_cancel *cancel, cuzk_err *err);

#endif /* CUZK_GROTH16_SECTION_SUM_H */
