/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_R1CS_ROWS_H
#define CUZK_R1CS_ROWS_H

/*
 * Walks the rows of one matrix of one part, as compiled words or as terms with wires of the whole
 * circuit.
 */
#include "r1cs/circuit.h"

/** A position at the start of a row. */
typedef struct cuzk_row_cursor {
    const cuzk_matrix *m;
    const uint32_t *words; /* of the row */
    uint64_t row;
    uint64_t next_long; /* first entry of long_rows at or after row */
} cuzk_row_cursor;

/** At row, which may be the number of rows. Cheapest at multiples of CUZK_ROW_GROUP. */
cuzk_row_cursor cuzk_row_cursor_at(const cuzk_matrix *m, uint64_t row);

/** Words of the row at c; moves on to the next row. Pre: c is not at the end. */
static inline uint32_t cuzk_row_cursor_next(cuzk_row_cursor *c, const uint32_t **words)
{
    uint32_t len = c->m->len[c->row++];
    if (__builtin_expect(len == CUZK_ROW_LONG, false)) {
        len = c->m->long_rows[c->next_long++].len;
    }
    *words = c->words;
    c->words += len;
    return len;
}

/** A term of a row of the whole circuit. */
typedef struct cuzk_row_term {
    cuzk_wire wire;
    uint32_t coef; /* index into cuzk_circuit.coeffs */
} cuzk_row_term;

/** Where the numbers of a part start: part 0 is the preamble, 1 + k block k. */
typedef struct cuzk_part_base {
    const cuzk_circuit_part *part;
    const cuzk_wire *slots; /* [n_slots] */
    uint64_t row, input, aux;
    bool is_block;
} cuzk_part_base;

/** Base of the preamble (index 0) or of block index - 1. */
cuzk_part_base cuzk_circuit_part_base(const cuzk_circuit *c, uint64_t index);
/** Part index of a row < n_rows. */
uint64_t cuzk_circuit_part_of_row(const cuzk_circuit *c, uint64_t row);

/**
 * Aux index within the part by class and rank, for both parts; 4 bytes per aux wire of preamble and
 * one block. The opposite direction needs no table: cuzk_aux_locate.
 */
typedef struct cuzk_wire_map {
    uint32_t *bit_aux[2];  /* [part.n_bits]; 0: preamble, 1: block */
    uint32_t *full_aux[2]; /* [part.n_fulls] */
} cuzk_wire_map;

CUZK_NODISCARD cuzk_status cuzk_wire_map_init(cuzk_wire_map *out, const cuzk_circuit *c,
                                              cuzk_err *err);
void cuzk_wire_map_deinit(cuzk_wire_map *m);

/** Class and rank of aux wire i of a part. */
static inline cuzk_var cuzk_aux_locate(const cuzk_circuit_part *p, uint64_t i)
{
    const uint64_t w = p->is_full[i / 64];
    const uint64_t below = w & ((1ULL << (i % 64)) - 1);
    const uint32_t fulls = p->full_before[i / 64] + (uint32_t)__builtin_popcountll(below);
    return (w >> (i % 64) & 1) != 0 ? cuzk_var_make(CUZK_VAR_KIND_FULL, fulls)
                                    : cuzk_var_make(CUZK_VAR_KIND_BIT, (uint32_t)i - fulls);
}

/** Wire of variable v of the part at base. */
static inline cuzk_wire cuzk_var_wire(const cuzk_part_base *base, const cuzk_wire_map *map,
                                      cuzk_var v)
{
    const uint32_t i = cuzk_var_index(v);
    switch (cuzk_var_get_kind(v)) {
    case CUZK_VAR_KIND_BIT:
        return CUZK_WIRE_AUX | ((uint32_t)base->aux + map->bit_aux[base->is_block][i]);
    case CUZK_VAR_KIND_FULL:
        return CUZK_WIRE_AUX | ((uint32_t)base->aux + map->full_aux[base->is_block][i]);
    case CUZK_VAR_KIND_INPUT: return (cuzk_wire)(base->input + i);
    case CUZK_VAR_KIND_SLOT:
    default: return i == 0 ? 0 : base->slots[i - 1];
    }
}

/** Terms of the row of len words into t [>= len], in wire order; returns how many. */
size_t cuzk_row_read(cuzk_row_term *t, const cuzk_part_base *base, const cuzk_wire_map *map,
                     const uint32_t *words, uint32_t len);

/**
 * Called for each row with its terms in wire order (inputs by index, then aux by index), no wire
 * twice. terms is only good during the call. A failure stops the walk and is returned.
 */
typedef cuzk_status (*cuzk_row_fn)(void *arg, uint64_t row, const cuzk_row_term *terms, size_t n);

/** Rows [row_begin, row_end) of matrix m of the whole circuit, in order, on the calling thread. */
CUZK_NODISCARD cuzk_status cuzk_circuit_visit(const cuzk_circuit *c, const cuzk_wire_map *map,
                                              cuzk_matrix_id m, uint64_t row_begin,
                                              uint64_t row_end, cuzk_row_fn fn, void *arg,
                                              cuzk_err *err);

#endif /* CUZK_R1CS_ROWS_H */
