/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_STORE_INPUT_PACK_H
#define CUZK_STORE_INPUT_PACK_H

/*
 * A shorter form of inputs, from which the same bytes are made again. A C1 is JSON with hashes as lists of
 * decimal numbers, and Curio wraps it in base64: 52 MB for 11 MB of hashes. Here base64 is decoded, and a list
 * of numbers up to 255 takes one byte for each. All other bytes stay as they are.
 *
 * A packed input is a row of items, lengths as LEB128:
 *   1 LENGTH bytes            the bytes
 *   2 COUNT bytes             the bytes as decimal numbers, with commas between them
 *   3 LENGTH items 0          base64, with padding, of the LENGTH bytes that the items give
 * Items inside base64 are of the kinds 1 and 2.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/** *out [*n_out], a block of base/alloc.h, gets data [n] packed; at most n + STORE_PACK_MORE bytes. E_NOMEM. */
CUZK_NODISCARD cuzk_status store_input_pack(uint8_t **out, size_t *n_out, const uint8_t *data,
                                            size_t n, cuzk_err *err);
#define STORE_PACK_MORE 64u

/**
 * Writes the n bytes that packed [n_packed] gives. The two do not overlap. E_FORMAT: damaged, or not n bytes;
 * E_NOMEM.
 */
CUZK_NODISCARD cuzk_status store_input_unpack(uint8_t *out, size_t n, const uint8_t *packed,
                                              size_t n_packed, cuzk_err *err);

#endif /* CUZK_STORE_INPUT_PACK_H */
