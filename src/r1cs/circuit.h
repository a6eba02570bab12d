/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_R1CS_CIRCUIT_H
#define CUZK_R1CS_CIRCUIT_H

/*
 * The compiled circuit: a preamble and one block that is repeated n_blocks times (0 for a circuit
 * without repetition). Row k says <A_k, w> * <B_k, w> = <C_k, w>.
 *
 * Wires are inputs I_0 = ONE, I_1, ... and aux W_0, W_1, ..., numbered in allocation order:
 * preamble first, then block 0, 1, ... . Each aux wire has a static class: bit (0 or 1 in every
 * satisfying witness) or full (any field element). Inside a part, bits and fulls are numbered
 * separately ("rank"), so that a witness keeps bits in a bitmap and only full wires as elements.
 *
 * A block refers to its own wires, to ONE, and to preamble wires through slots; bindings say which
 * preamble wire slot s of block k is.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "ff/fr.h"

/*
 * A wire as a part sees it: kind in the top 3 bits, index below.
 */
typedef uint32_t cuzk_var;
#define CUZK_VAR_KIND_SHIFT 29
#define CUZK_VAR_INDEX_MASK 0x1fffffffu
typedef enum cuzk_var_kind {
    CUZK_VAR_KIND_SLOT = 0,  /* index 0: ONE; index s + 1: slot s */
    CUZK_VAR_KIND_INPUT = 1, /* index: input of this part, ONE not counted */
    CUZK_VAR_KIND_BIT = 2,   /* index: rank among the part's bit wires */
    CUZK_VAR_KIND_FULL = 3   /* index: rank among the part's full wires */
} cuzk_var_kind;
#define CUZK_VAR_ONE 0u

static inline cuzk_var cuzk_var_make(cuzk_var_kind kind, uint32_t index)
{
    return (uint32_t)kind << CUZK_VAR_KIND_SHIFT | index;
}

static inline cuzk_var_kind cuzk_var_get_kind(cuzk_var v)
{
    return (cuzk_var_kind)(v >> CUZK_VAR_KIND_SHIFT);
}

static inline uint32_t cuzk_var_index(cuzk_var v)
{
    return v & CUZK_VAR_INDEX_MASK;
}

/** A wire of the whole circuit, as in the transcript: inputs by index, aux by index | 2^31. */
typedef uint32_t cuzk_wire;
#define CUZK_WIRE_AUX       0x80000000u

/*
 * Terms are 32-bit words: column code in the upper 24 bits, coefficient id in the lower 8.
 * Ids 0..252 are the coefficients 2^id, 253 is -1; with 254 the next word is an index into the
 * circuit's coefficient table; with 255 the next two words are that index and the whole cuzk_var
 * (for columns that have no code). Nearly every term of a SHA-256 circuit is one word.
 */
#define CUZK_COEF_MINUS_ONE 253u
#define CUZK_COEF_TABLE     254u /* first index that is not fixed; also the escape id */
#define CUZK_COEF_ESCAPE    254u
#define CUZK_TERM_ESCAPE    255u
#define CUZK_COL_BITS       0xC00000u /* codes [0, this): bit wires by rank */
#define CUZK_COL_FULLS      0xF00000u /* codes [CUZK_COL_BITS, this): full wires */
#define CUZK_COL_INPUTS \
    0xF80000u /* codes [CUZK_COL_FULLS, this): inputs; the rest: ONE and slots */

/** The 24-bit code of v, or false when it needs the escape. */
static inline bool cuzk_col_encode(uint32_t *code, cuzk_var v)
{
    static const uint32_t base[4] = {CUZK_COL_INPUTS, CUZK_COL_FULLS, 0, CUZK_COL_BITS};
    static const uint32_t end[4] = {0x1000000u, CUZK_COL_INPUTS, CUZK_COL_BITS, CUZK_COL_FULLS};
    const uint32_t k = v >> CUZK_VAR_KIND_SHIFT;
    const uint32_t i = cuzk_var_index(v);
    *code = base[k] + i;
    return i < end[k] - base[k];
}

static inline cuzk_var cuzk_col_decode(uint32_t code)
{
    if (code < CUZK_COL_BITS) {
        return cuzk_var_make(CUZK_VAR_KIND_BIT, code);
    }
    if (code < CUZK_COL_FULLS) {
        return cuzk_var_make(CUZK_VAR_KIND_FULL, code - CUZK_COL_BITS);
    }
    if (code < CUZK_COL_INPUTS) {
        return cuzk_var_make(CUZK_VAR_KIND_INPUT, code - CUZK_COL_FULLS);
    }
    return cuzk_var_make(CUZK_VAR_KIND_SLOT, code - CUZK_COL_INPUTS);
}

/** Reads one term at *p and moves p past it. Coefficient as an index into cuzk_circuit.coeffs. */
static inline cuzk_var cuzk_term_next(const uint32_t **p, uint32_t *coef)
{
    const uint32_t w = *(*p)++;
    const uint32_t id = w & 0xffu;
    if (id < CUZK_COEF_ESCAPE) {
        *coef = id;
        return cuzk_col_decode(w >> 8);
    }
    *coef = *(*p)++;
    return id == CUZK_COEF_ESCAPE ? cuzk_col_decode(w >> 8) : *(*p)++;
}

typedef enum cuzk_matrix_id {
    CUZK_MATRIX_A = 0,
    CUZK_MATRIX_B = 1,
    CUZK_MATRIX_C = 2
} cuzk_matrix_id;

#define CUZK_ROW_GROUP 32   /* rows per entry of cuzk_matrix.group_offset */
#define CUZK_ROW_LONG  255u /* in cuzk_matrix.len: the length is in long_rows */

/**
 * The rows of one matrix in one part. No zero coefficient, no variable twice in a row. Order within
 * a row: ONE, slots, inputs, then aux wires in allocation order whatever their class.
 */
typedef struct cuzk_matrix {
    uint32_t *words; /* [n_words] terms, row after row */
    uint64_t n_words;
    uint8_t *len;           /* [rows] words of each row, or CUZK_ROW_LONG */
    uint64_t *group_offset; /* [ceil(rows / 32) + 1] first word of each group of 32 rows */
    struct cuzk_long_row {
        uint64_t row;
        uint32_t len;
    } * long_rows; /* [n_long] ascending row */
    uint64_t n_long;
    uint64_t nnz; /* terms */
} cuzk_matrix;

/** A named range of rows: the path of a row is the chain of parents. */
typedef struct cuzk_span_name {
    uint64_t row_begin, row_end;
    const char *name; /* literal, or interned in the circuit */
    int32_t index;    /* appended when >= 0: "layer 2" */
    int32_t parent;   /* index of the enclosing span; -1: none */
} cuzk_span_name;

typedef struct cuzk_circuit_part {
    uint64_t n_rows;
    uint32_t n_inputs; /* ONE not counted */
    uint32_t n_slots;  /* 0 in the preamble */
    uint64_t n_aux, n_bits, n_fulls;
    uint64_t *is_full;     /* bitmap [n_aux]: class of each aux wire */
    uint32_t *full_before; /* [ceil(n_aux / 64) + 1] full wires before each word of is_full */
    uint64_t *a_dense; /* bitmap [n_aux]: the wire has a non-zero coefficient in some row of A */
    uint64_t *b_dense;
    cuzk_matrix m[3];
    cuzk_span_name *spans;
    uint64_t n_spans;
} cuzk_circuit_part;

typedef struct cuzk_circuit {
    cuzk_circuit_part preamble, block;
    uint64_t n_blocks;
    const char *block_name; /* literal; what a block is called in row paths: "challenge" */
    cuzk_wire *bindings;    /* [n_blocks * block.n_slots] */
    cuzk_fr *coeffs; /* [n_coeffs] Montgomery; the first CUZK_COEF_TABLE are the fixed ones */
    uint32_t n_coeffs;
    uint8_t b_input_dense_one; /* ONE appears in B */
    uint64_t *b_input_dense;   /* bitmap [n_inputs], ONE included */
    /* Totals over preamble and blocks. */
    uint64_t n_rows;        /* circuit rows, without the input rows of the prover */
    unsigned min_lg_domain; /* the proving domain has at least 2^this points; mostly 0 */
    uint64_t n_inputs;      /* ONE included */
    uint64_t n_aux;
    uint64_t n_bits, n_fulls;
    uint64_t nnz[3]; /* circuit rows only */
    uint64_t a_aux_density, b_aux_density, b_input_density;
    uint64_t bit_stride;  /* 64-bit words of bitmap per block: n_bits of a block rounded up */
    uint8_t identity[32]; /* SHA-256 over the compiled form: equal circuits, equal hash */
} cuzk_circuit;

/** Frees everything inside and the struct. NULL is fine. */
void cuzk_circuit_destroy(cuzk_circuit *c);
/** Bytes of heap that the circuit occupies. */
uint64_t cuzk_circuit_bytes(const cuzk_circuit *c);
/** Rows plus one row I_i * 0 = 0 per input, as prover and setup append them. */
static inline uint64_t cuzk_circuit_prover_rows(const cuzk_circuit *c)
{
    return c->n_rows + c->n_inputs;
}
/** log2 of the smallest power of two >= cuzk_circuit_prover_rows. */
unsigned cuzk_circuit_lg_domain(const cuzk_circuit *c);

/**
 * SHA-256 of the canonical transcript (docs/spec/groth16.md#transcript), streamed; memory does not grow
 * with n_blocks. prefix (optional) gets the hash of the first `prefix_rows` rows without trailer.
 */
CUZK_NODISCARD cuzk_status cuzk_circuit_transcript(const cuzk_circuit *c, uint8_t out[32],
                                                   uint64_t prefix_rows, uint8_t *prefix,
                                                   cuzk_err *err);
/** "block 3, layer 2, label sha256, round 17" of a row of the whole circuit, into buf; returns buf. */
const char *cuzk_circuit_row_path(const cuzk_circuit *c, uint64_t row, char *buf, size_t buf_bytes);

#endif /* CUZK_R1CS_CIRCUIT_H */
