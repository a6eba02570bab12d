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
#include <stdbool.h>

#include "store/pack/input_encoding.h"

/** Packs an input that comes piece by piece. It takes less than STORE_PACKER_BYTES of memory, however long the input is. */
typedef struct store_packer store_packer;
#define STORE_PACKER_BYTES ((size_t)1 << 20)
/** A packed input is at most this many bytes longer than the input. */
#define STORE_PACK_MORE    64u

/**
 * n: the bytes of the whole input. as_it_is: all of it becomes one item of kind 1. sink gets the items.
 * E_NOMEM, and as sink fails.
 */
CUZK_NODISCARD cuzk_status store_packer_create(store_packer **out, uint64_t n, bool as_it_is,
                                               store_input_sink sink, void *arg, cuzk_err *err);
/**
 * The next n bytes, a store_input_sink; arg is the packer. Base64 is found within one piece only. Every piece is unpacked again
 * and compared. E_BUDGET: the input gets longer by more than STORE_PACK_MORE: it must be packed as it is.
 */
CUZK_NODISCARD cuzk_status store_packer_add(void *packer, const void *data, size_t n,
                                            cuzk_err *err);
/** After the last piece. Fails as store_packer_add. */
CUZK_NODISCARD cuzk_status store_packer_end(store_packer *p, cuzk_err *err);
/** NULL is fine. */
void store_packer_destroy(store_packer *p);

/**
 * Writes the n bytes that packed [n_packed] gives. The two do not overlap. E_FORMAT: damaged, or not n bytes.
 */
CUZK_NODISCARD cuzk_status store_input_unpack(uint8_t *out, size_t n, const uint8_t *packed,
                                              size_t n_packed, cuzk_err *err);

#endif /* CUZK_STORE_INPUT_PACK_H */
