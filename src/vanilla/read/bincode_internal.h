/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_VANILLA_READ_BINCODE_INTERNAL_H
#define CUZK_VANILLA_READ_BINCODE_INTERNAL_H

/*
 * Readers of the parts that all bincode inputs have (docs/spec/inputs.md#bincode). Each returns
 * E_FORMAT with the subject, the field and the offset, or E_NOMEM. Results are in the arena.
 */
#include <string.h>

#include "base/reader.h"
#include "vanilla/read/vanilla.h"

typedef struct bin_parser {
    cuzk_reader r;
    cuzk_arena *arena;
    const char *subject; /* how messages begin */
    cuzk_err *err;
} bin_parser;

/** The error of an input that ends inside the field `what`. */
CUZK_NODISCARD cuzk_status bin_short(bin_parser *p, const char *what);
CUZK_NODISCARD cuzk_status bin_no_memory(bin_parser *p);
/** As cuzk_arena_alloc. */
CUZK_NODISCARD void *bin_take(bin_parser *p, uint64_t count, size_t size);
CUZK_NODISCARD cuzk_status bin_node(bin_parser *p, cuzk_node *out, const char *what);
/** A u64 count of items of at least item_bytes each, at most max; as many bytes are left. */
CUZK_NODISCARD cuzk_status bin_count(bin_parser *p, uint64_t *out, size_t item_bytes, uint64_t max,
                                     const char *what);
/** n nodes without a count. */
CUZK_NODISCARD cuzk_status bin_nodes(bin_parser *p, cuzk_node **out, uint64_t n, const char *what);
CUZK_NODISCARD cuzk_status bin_merkle(bin_parser *p, cuzk_merkle_proof *out, const char *what);

#endif /* CUZK_VANILLA_READ_BINCODE_INTERNAL_H */
