/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_GADGET_NUM_H
#define CUZK_GADGET_NUM_H

/*
 * Field elements and their bits (docs/spec/gadgets.md#numbers). "New wire" means a
 * full aux wire. Wires passed in may be slots. A bit list is least significant first.
 */
#include <stddef.h>

#include "gadget/boolean.h"

#define CUZK_FR_BITS     255 /* of a decomposition */
#define CUZK_FR_CAPACITY 254 /* bits that any pattern of which is a field element */
#define CUZK_NODE_BITS   256

/** New public input x with row x * 1 = v. */
void cuzk_num_inputize(cuzk_builder *b, cuzk_var v);
/** Row x * 1 = y. */
void cuzk_num_equal(cuzk_builder *b, cuzk_var x, cuzk_var y);
/** New wire p with row x * y = p. */
cuzk_var cuzk_num_mul(cuzk_builder *b, cuzk_var x, cuzk_var y);
/** New wire s with row (x + y) * 1 = s. */
cuzk_var cuzk_num_add(cuzk_builder *b, cuzk_var x, cuzk_var y);

/** 255 bit wires, each with its row, and the row 0 * 0 = sum 2^i b_i - v. Not unique for v < 2^255 - r. */
void cuzk_num_to_bits(cuzk_builder *b, cuzk_bool out[CUZK_FR_BITS], cuzk_var v);
/** Row (sum 2^i bits_i) * 1 = v, n <= 254 or, for a digest, 255. */
void cuzk_num_equal_packed(cuzk_builder *b, const cuzk_bool *bits, size_t n, cuzk_var v);
/** New wire v and cuzk_num_equal_packed; n <= 254, and n = 0 gives a wire that is 0. */
cuzk_var cuzk_num_pack(cuzk_builder *b, const cuzk_bool *bits, size_t n);
/** New public input and cuzk_num_equal_packed; n <= 254; nothing for n = 0. */
void cuzk_num_pack_into_input(cuzk_builder *b, const cuzk_bool *bits, size_t n);

/**
 * The bits of a node in SHA-256's order (bytes ascending, most significant bit first) from the 255
 * of its decomposition; the missing top bit is the constant 0.
 */
void cuzk_num_bits_to_sha(cuzk_bool out[CUZK_NODE_BITS], const cuzk_bool bits[CUZK_FR_BITS]);

/** New wire c = cond ? x : y with row (y - x) * cond = y - c. */
cuzk_var cuzk_num_pick(cuzk_builder *b, cuzk_bool cond, cuzk_var x, cuzk_var y);
/** table[bits] by n layers of picks from the top bit down; overwrites table [2^n]. */
cuzk_var cuzk_num_select(cuzk_builder *b, cuzk_var *table, const cuzk_bool *bits, unsigned n);

#endif /* CUZK_GADGET_NUM_H */
