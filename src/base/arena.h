/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_BASE_ARENA_H
#define CUZK_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/*
 * Memory that is released all at once: everything that one parsed input consists of. Grows by
 * chunks; pieces never move. Zero-initialise; not thread-safe.
 */
typedef struct cuzk_arena {
    struct cuzk_arena_chunk *head;
    uint64_t bytes; /* handed out */
} cuzk_arena;

/** [count * size] bytes, zeroed, 16-byte aligned; NULL when out of memory or the product overflows. */
CUZK_NODISCARD void *cuzk_arena_alloc(cuzk_arena *a, size_t count, size_t size);
/** What from has handed out is a's from now on; from is empty. */
void cuzk_arena_join(cuzk_arena *a, cuzk_arena *from);
/** Releases everything; the arena may be used again. */
void cuzk_arena_free(cuzk_arena *a);

#endif /* CUZK_BASE_ARENA_H */
