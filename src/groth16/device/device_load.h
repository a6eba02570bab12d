/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_GROTH16_DEVICE_LOAD_H
#define CUZK_GROTH16_DEVICE_LOAD_H

/* Points of the sections, chunk by chunk, to the arrays of a key. */
#include "device_internal.h"

typedef struct device_loader {
    cuzk_device_key *k;
    const cuzk_device_key_opts *opts;
    cuzk_pool *pool;
    const cuzk_cancel *cancel;
    uint64_t chunk;            /* points at a time */
    uint64_t part_bytes;       /* of d_bits and of d_fulls */
    uint64_t input_bytes;      /* of the two device inputs together */
    uint8_t *d_bits, *d_fulls; /* split points on their way to the host; NULL: all is resident */
    uint8_t *d_input[2], *staging[2];
    uint64_t done, total; /* points */
} device_loader;

/** Points of a section. */
uint64_t device_section_count(const cuzk_device_key *k, cuzk_srs_section s);
/** How the circuit splits a section (not h) by the classes of its wires. */
static inline const cuzk_accel_split *device_section_split(const cuzk_device_key *k,
                                                           cuzk_srs_section s)
{
    return &k->split[cuzk_srs_wire_set(s)];
}
/** Chunk (0: chosen) and sizes. */
void device_loader_size(device_loader *l, uint64_t chunk);
/** Device bytes of d_bits and d_fulls. */
uint64_t device_loader_bytes(const device_loader *l);
CUZK_NODISCARD cuzk_status device_loader_begin(device_loader *l, cuzk_err *err);
/** Fine on a zeroed loader with k set. */
void device_loader_end(device_loader *l);
CUZK_NODISCARD cuzk_status device_load_srs(device_loader *l, const cuzk_srs *srs, cuzk_err *err);
CUZK_NODISCARD cuzk_status device_load_setup(device_loader *l, const cuzk_toxic *toxic,
                                             uint64_t setup_bytes, cuzk_err *err);

#endif /* CUZK_GROTH16_DEVICE_LOAD_H */
