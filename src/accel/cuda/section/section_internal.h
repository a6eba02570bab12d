/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_SECTION_CUDA_INTERNAL_H
#define CUZK_ACCEL_CUDA_SECTION_CUDA_INTERNAL_H

/*
 * The points of a section in a part of the circuit, in the order of the section: which are full,
 * and the rank among the part's bits or fulls of each one's wire. Blocks share the lists.
 */
#include <stdbool.h>
#include <stdint.h>

#include "accel/cuda/queue/queue.h"
#include "r1cs/circuit.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cuzk_cuda_class_part {
    uint32_t n_points, n_bits, n_fulls;
    const uint64_t *is_full;     /* bitmap [n_points] */
    const uint32_t *full_before; /* [ceil(n_points / 64)] fulls before each word */
    const uint32_t *bit_rank;    /* [n_bits] of point k; NULL: k itself */
    const uint32_t *full_rank;   /* [n_fulls]; NULL: k itself */
} cuzk_cuda_class_part;

/** One section; passed to kernels by value. Device pointers there, host pointers in `host`. */
typedef struct cuzk_cuda_class {
    cuzk_cuda_class_part part[2]; /* preamble, block */
    uint32_t n_inputs;            /* points of inputs, first in the section */
    const uint32_t *input;        /* [n_inputs] which ones; NULL: all in order */
} cuzk_cuda_class;

/** Where a witness has its values. */
typedef struct cuzk_cuda_places {
    uint64_t preamble_words, bit_stride;     /* of the bitmap */
    uint64_t elements;                       /* bytes before the elements */
    uint32_t n_inputs, n_fulls, block_fulls; /* of the circuit, the preamble, a block */
    uint32_t n_blocks;
} cuzk_cuda_places;

CUZK_NODISCARD cuzk_status cuzk_cuda_class_gather_bits(const cuzk_cuda_class *c,
                                                       const cuzk_cuda_places *p,
                                                       cuzk_cuda_queue *q, const void *d_witness,
                                                       uint32_t n_bits, uint64_t *d_bits,
                                                       cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_cuda_class_gather_fulls(const cuzk_cuda_class *c,
                                                        const cuzk_cuda_places *p,
                                                        cuzk_cuda_queue *q, const void *d_witness,
                                                        uint32_t n_fulls, cuzk_scalar *d_scalars,
                                                        cuzk_err *err);
/** quads: 16-byte pieces of a point. bit0, full0: points of either class before `first`. */
CUZK_NODISCARD cuzk_status cuzk_cuda_class_split(const cuzk_cuda_class *c, cuzk_cuda_queue *q,
                                                 uint32_t quads, uint32_t first, uint32_t n,
                                                 uint32_t bit0, uint32_t full0, void *d_bit_points,
                                                 void *d_full_points, const void *d_points,
                                                 cuzk_err *err);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_ACCEL_CUDA_SECTION_CUDA_INTERNAL_H */
