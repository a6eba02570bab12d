/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_R1CS_BUILD_RECORDER_INTERNAL_H
#define CUZK_R1CS_BUILD_RECORDER_INTERNAL_H

/*
 * What a builder has recorded of one part, in growable form. Term words go to a list of chunks
 * that is joined at the end chunk by chunk, so that the peak is the final size and not a multiple.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "r1cs/circuit.h"

typedef struct cuzk_word_list {
    uint32_t **chunk; /* [n_chunks]; all but the last are full */
    size_t n_chunks, cap_chunks;
    uint32_t *p, *end; /* room left in the last chunk */
    uint64_t n_full;   /* words in the chunks before the last */
} cuzk_word_list;

/** Starts another chunk. False when out of memory. */
bool cuzk_word_list_more(cuzk_word_list *l);

static inline bool cuzk_word_list_push(cuzk_word_list *l, uint32_t w)
{
    if (l->p == l->end && !cuzk_word_list_more(l)) {
        return false;
    }
    *l->p++ = w;
    return true;
}

uint64_t cuzk_word_list_count(const cuzk_word_list *l);

typedef struct cuzk_matrix_recorder {
    cuzk_word_list words;
    uint8_t *len; /* [cap_rows] */
    struct cuzk_long_row *long_rows;
    size_t n_long, cap_long;
    uint64_t nnz;
} cuzk_matrix_recorder;

typedef struct cuzk_recorder {
    uint64_t n_rows;
    size_t cap_rows;
    uint32_t n_inputs, n_slots, n_aux, n_bits, n_fulls;
    size_t cap_aux_words;                  /* of the three bitmaps */
    uint64_t *is_full, *a_dense, *b_dense; /* [cap_aux_words] */
    uint32_t *bit_aux, *full_aux;          /* aux index by rank */
    size_t cap_bits, cap_fulls;
    uint64_t *b_inputs; /* bitmap: input appears in B */
    size_t cap_input_words;
    uint64_t *a_slots, *b_slots; /* bitmaps [n_slots + 1], bit 0: ONE */
    cuzk_matrix_recorder m[3];
    cuzk_span_name *spans;
    size_t n_spans, cap_spans;
    int32_t open_span; /* -1: none */
} cuzk_recorder;

/** False when out of memory; r may then be deinitialised too. */
bool cuzk_recorder_init(cuzk_recorder *r, uint32_t n_slots);
void cuzk_recorder_deinit(cuzk_recorder *r);
/** Room for one more row, wire, ... False when out of memory; nothing changes then. */
bool cuzk_recorder_more_rows(cuzk_recorder *r);
bool cuzk_recorder_add_aux(cuzk_recorder *r, bool full);
bool cuzk_recorder_add_input(cuzk_recorder *r);
bool cuzk_recorder_add_long_row(cuzk_recorder *r, cuzk_matrix_id m, uint32_t len);
bool cuzk_recorder_enter(cuzk_recorder *r, const char *name, int32_t index);

/**
 * Moves the content into a part (zeroed), freeing as it goes. On false (out of memory) both may be
 * released as usual. Keeps b_inputs and the slots.
 */
bool cuzk_recorder_finish(cuzk_recorder *r, cuzk_circuit_part *part);

#endif /* CUZK_R1CS_BUILD_RECORDER_INTERNAL_H */
