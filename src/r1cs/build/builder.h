/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_R1CS_BUILD_BUILDER_H
#define CUZK_R1CS_BUILD_BUILDER_H

/*
 * Records a circuit into its compiled form. Terms go straight into the rows: no linear-combination
 * objects, no allocation per constraint. A term for a variable that the row already has adds to its
 * coefficient; zero coefficients are dropped at the end of the row. The order of terms within a row
 * does not matter.
 *
 * Errors (memory, limits) are sticky and reported by cuzk_builder_finish, so that gadget code has
 * none to check: after an error every call does nothing and returned variables are not to be used
 * outside this builder.
 */
#include "base/status.h"
#include "r1cs/circuit.h"

typedef struct cuzk_builder cuzk_builder;

/** Coefficient index: CUZK_COEF_* or from cuzk_builder_coef. 0 is one, k <= 252 is 2^k. */
typedef uint32_t cuzk_coef;
#define CUZK_COEF_ONE  0u
#define CUZK_COEF_TWO  1u
/** Index of zero: terms with it vanish. Not an index into a table. */
#define CUZK_COEF_ZERO 0xfffffffeu

CUZK_NODISCARD cuzk_status cuzk_builder_create(cuzk_builder **out, cuzk_err *err);
void cuzk_builder_destroy(cuzk_builder *b);

/** Wires, in allocation order. */
cuzk_var cuzk_builder_input(cuzk_builder *b);
cuzk_var cuzk_builder_bit(cuzk_builder *b);
cuzk_var cuzk_builder_full(cuzk_builder *b);

/** Index of a coefficient value; equal values give equal indices. Zero is allowed (the term vanishes). */
cuzk_coef cuzk_builder_coef(cuzk_builder *b, const cuzk_fr *value);
/** Value of a coefficient. The pointer is good until the next call on b. */
const cuzk_fr *cuzk_builder_coef_value(const cuzk_builder *b, cuzk_coef c);
/** Index of 2^k, k <= 254. */
cuzk_coef cuzk_builder_coef_pow2(cuzk_builder *b, unsigned k);
/** Index of -c. */
cuzk_coef cuzk_builder_coef_neg(cuzk_builder *b, cuzk_coef c);
/** Index of the product. */
cuzk_coef cuzk_builder_coef_mul(cuzk_builder *b, cuzk_coef x, cuzk_coef y);

/** Adds coef * var to matrix m of the row being built. */
void cuzk_builder_term(cuzk_builder *b, cuzk_matrix_id m, cuzk_var var, cuzk_coef coef);
/** Ends the row (which may have empty sides) and starts the next. */
void cuzk_builder_row(cuzk_builder *b);
/** Rows ended so far in the part being recorded. */
uint64_t cuzk_builder_n_rows(const cuzk_builder *b);

/**
 * Row names: nested, each span left in the part (preamble or block) where it was entered. name must
 * be a literal; index < 0: none.
 */
void cuzk_builder_enter(cuzk_builder *b, const char *name, int32_t index);
void cuzk_builder_leave(cuzk_builder *b);

/**
 * Ends the preamble and starts recording the block that will be repeated n_blocks times. Inside,
 * only ONE, slots (cuzk_builder_slot) and the block's own wires may be used.
 */
void cuzk_builder_begin_block(cuzk_builder *b, uint64_t n_blocks, uint32_t n_slots);
/** What row paths call a block, a literal; "block" without this call. */
void cuzk_builder_name_block(cuzk_builder *b, const char *name);
static inline cuzk_var cuzk_builder_slot(uint32_t s)
{
    return cuzk_var_make(CUZK_VAR_KIND_SLOT, s + 1);
}
/**
 * outs[n_slots]: preamble variables (or ONE) that the slots of block k stand for. Call for every
 * k < n_blocks, unless n_slots is 0. Two slots of a block may stand for one wire as long as no row
 * has both in one matrix (finish checks that).
 */
void cuzk_builder_bind(cuzk_builder *b, uint64_t k, const cuzk_var *outs);
/**
 * For tests: ends the block being recorded and records a second one; finish compares the
 * two and fails with E_SELFTEST when rows, classes or counts differ.
 */
void cuzk_builder_record_again(cuzk_builder *b);

/**
 * Hands over the circuit and frees b's content, on failure too; b must still be destroyed and is
 * of no other use. Reports the first error of any earlier call. E_INVALID: misuse (the message says
 * which), or a limit exceeded: 2^29 wires of a kind in a part, 2^31 wires in all. E_NOMEM,
 * E_SELFTEST (cuzk_builder_record_again). out is untouched on failure.
 */
CUZK_NODISCARD cuzk_status cuzk_builder_finish(cuzk_builder *b, cuzk_circuit **out, cuzk_err *err);

#endif /* CUZK_R1CS_BUILD_BUILDER_H */
