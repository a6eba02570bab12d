/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_CIRCUIT_CUDA_INTERNAL_H
#define CUZK_ACCEL_CUDA_CIRCUIT_CUDA_INTERNAL_H

/*
 * A circuit and a witness in device memory. Rows of at most CUZK_CUDA_SHORT_WORDS words are walked
 * by one thread each, as compiled; the few longer ones (packed sums, linear layers; they have a
 * third of all words) are kept a second time with terms of one size, for a warp each.
 */
#include <stdbool.h>
#include <stdint.h>

#include "accel/cuda/queue/queue.h"
#include "r1cs/circuit.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CUZK_CUDA_SHORT_WORDS 16u
#define CUZK_CUDA_NO_LONG     0xffffffffu

typedef struct cuzk_cuda_term {
    cuzk_var var;
    uint32_t coef; /* index into coeffs */
} cuzk_cuda_term;

/** One matrix of one part. Device pointers. */
typedef struct cuzk_cuda_matrix {
    const uint32_t *words;            /* [n_words] */
    const uint32_t *start;            /* [n_rows + 1] first word of each row */
    const uint32_t *long_row;         /* [n_long] ascending */
    const uint32_t *long_start;       /* [n_long + 1] first term of each long row */
    const cuzk_cuda_term *long_terms; /* terms of the long rows */
    uint32_t n_long;
} cuzk_cuda_matrix;

typedef struct cuzk_cuda_part {
    uint64_t n_rows, n_inputs, n_slots, n_fulls;
    cuzk_cuda_matrix m[3];
    /* For the check: rows that are long in some matrix, and which of its long rows each is. */
    const uint32_t *check_row;     /* [n_check] */
    const uint32_t *check_long[3]; /* [n_check] or CUZK_CUDA_NO_LONG */
    uint32_t n_check;
} cuzk_cuda_part;

/** What kernels need of a circuit; passed by value. Device pointers. */
typedef struct cuzk_cuda_circuit_view {
    cuzk_cuda_part preamble, block;
    uint64_t n_blocks, n_inputs, n_rows;
    uint64_t preamble_words, bit_stride; /* of the bitmap, 64 bits each */
    const cuzk_fr *coeffs;               /* [n_coeffs] */
    const cuzk_fr *small;                /* [2 * CUZK_CUDA_SMALL + 1] -CUZK_CUDA_SMALL, ... */
    const cuzk_var *bindings;            /* [n_blocks * n_slots] variables of the preamble */
} cuzk_cuda_circuit_view;

#define CUZK_CUDA_SMALL 64

struct cuzk_cuda_circuit {
    cuzk_cuda_circuit_view v;
    bool with_c;
    uint64_t n_bit_words, n_elements; /* of a witness */
    uint8_t identity[32];
};

/** Device pointers. */
typedef struct cuzk_cuda_witness_view {
    const uint64_t *bits;    /* [n_bit_words] as in cuzk_witness */
    const cuzk_fr *elements; /* [n_elements] inputs, then fulls */
    const cuzk_fr *slots;    /* [n_blocks * n_slots] */
} cuzk_cuda_witness_view;

/** Bytes of the bitmap of a witness, such that the elements after it are aligned. */
static inline uint64_t cuzk_cuda_bitmap_bytes(uint64_t n_bit_words)
{
    return (n_bit_words * sizeof(uint64_t) + 255) & ~(uint64_t)255;
}

/** Enqueues d_out[row] of every circuit row of matrix m; times: its product with what is there. */
CUZK_NODISCARD cuzk_status cuzk_cuda_eval_rows(const cuzk_cuda_circuit_view *c,
                                               const cuzk_cuda_witness_view *w, cuzk_cuda_queue *q,
                                               uint32_t m, bool times, cuzk_fr *d_out,
                                               cuzk_err *err);
/** Enqueues *d_bad_row = min of itself and all rows that do not hold. */
CUZK_NODISCARD cuzk_status cuzk_cuda_check_rows(const cuzk_cuda_circuit_view *c,
                                                const cuzk_cuda_witness_view *w, cuzk_cuda_queue *q,
                                                uint64_t *d_bad_row, cuzk_err *err);
/** Enqueues the values of the slots, from bits and elements. */
CUZK_NODISCARD cuzk_status cuzk_cuda_bind_slots(const cuzk_cuda_circuit_view *c,
                                                const cuzk_cuda_witness_view *w, cuzk_cuda_queue *q,
                                                cuzk_fr *d_slots, cuzk_err *err);

/** Bump allocation of device memory: offsets of 256-byte aligned blocks. */
typedef struct cuzk_cuda_arena {
    uint8_t *base; /* NULL: only sizes are asked for */
    uint64_t used;
} cuzk_cuda_arena;

static inline void *cuzk_cuda_arena_take(cuzk_cuda_arena *a, uint64_t bytes)
{
    const uint64_t at = a->used;
    a->used += (bytes + 255) & ~(uint64_t)255;
    return a->base == NULL ? NULL : a->base + at;
}

#ifdef __cplusplus
}
#endif

#endif /* CUZK_ACCEL_CUDA_CIRCUIT_CUDA_INTERNAL_H */
