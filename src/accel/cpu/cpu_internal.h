/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CPU_CPU_INTERNAL_H
#define CUZK_ACCEL_CPU_CPU_INTERNAL_H

#include "accel/accel_impl.h"
#include "ntt/ntt.h"

typedef struct cpu_device {
    cuzk_accel base;
    cuzk_pool *pool;
} cpu_device;

typedef struct cpu_queue {
    cuzk_accel_queue base;
    cuzk_status failed; /* first failure since the last sync */
    cuzk_err err;       /* of it */
    uint64_t marks[CUZK_ACCEL_MARKS];
    uint32_t n_marks;
} cpu_queue;

/* The class of every point of a section, with counts to jump into it. */
typedef struct cpu_section {
    uint64_t n_points, n_fulls;
    uint64_t *is_full;     /* bitmap [n_points] */
    uint64_t *full_before; /* [ceil(n_points / 64) + 1] */
} cpu_section;

typedef struct cpu_circuit {
    cuzk_accel_circuit base;
    cpu_section section[CUZK_SRS_WIRE_SETS];
} cpu_circuit;

typedef struct cpu_domain {
    cuzk_accel_domain base;
    cuzk_ntt_domain *ntt;
} cpu_domain;

static inline bool cpu_bit(const uint64_t *bits, uint64_t i)
{
    return (bits[i / 64] >> (i % 64) & 1) != 0;
}

/* cpu_section.c */
cuzk_status cpu_circuit_create(cuzk_accel_circuit **out, cuzk_accel_queue *q, const cuzk_circuit *c,
                               bool all_wires, cuzk_err *err);
void cpu_circuit_destroy(cuzk_accel_circuit *c, cuzk_accel_queue *q);
uint64_t cpu_witness_bytes(const cuzk_accel_circuit *c);
void cpu_section_split(const cuzk_accel_circuit *c, cuzk_srs_section s, cuzk_accel_split *out);
void cpu_section_slots(const cuzk_accel_circuit *c, cuzk_srs_section s, uint64_t i,
                       uint64_t *bit_slots, uint64_t *full_slots);
/** The witness that WITNESS has put at d_witness; points into it. */
cuzk_witness cpu_witness_view(const cuzk_circuit *c, const void *d_witness);
void cpu_witness_store(const cuzk_circuit *c, void *d_out, const cuzk_witness *w);
void cpu_section_values(const cpu_circuit *c, cuzk_srs_section s, const cuzk_witness *w,
                        uint64_t *bits, cuzk_scalar *scalars);
void cpu_split_points(const cuzk_accel_op *op, size_t point_bytes);

/* cpu_comb.c */
cuzk_status cpu_make_comb(const cuzk_accel_op *op, cuzk_err *err);
void cpu_sum_signs(const cuzk_accel_op *op);

/* cpu_ops.c: one operation, now. */
cuzk_status cpu_run(cpu_device *d, const cuzk_accel_op *op, cuzk_err *err);

#endif /* CUZK_ACCEL_CPU_CPU_INTERNAL_H */
