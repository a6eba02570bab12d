/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_VANILLA_READ_C1_PARALLEL_H
#define CUZK_VANILLA_READ_C1_PARALLEL_H

/*
 * Challenges of a large C1 read by all threads before its parser comes to them. Where one might
 * begin is guessed from its first key; the parser decides whether it does, uses what was read
 * there without an error, and reads everything else itself. So the result and every message are
 * those of one parser, whatever the text.
 */
#include "sys/pool.h"
#include "vanilla/read/vanilla.h"

typedef struct c1_challenge {
    const uint8_t *start, *end; /* from the brace to behind its partner */
    const char *field;          /* where its parser was at last, for messages */
    cuzk_porep_challenge c;
    cuzk_arena arena; /* what c points to */
    bool ok;
} c1_challenge;

typedef struct c1_parallel {
    c1_challenge *list; /* by start */
    size_t n, next;     /* before next: passed */
} c1_parallel;

/** Reads [start, end at most): sets end, field, c, arena and ok. */
typedef void (*c1_read_fn)(c1_challenge *out);

/** Nothing is found in a short text, without threads, or without memory. */
void c1_parallel_read(c1_parallel *out, const uint8_t *text, size_t n, c1_read_fn read,
                      cuzk_pool *pool);
/** What begins exactly there and was read without an error, or NULL. Positions do not go back. */
c1_challenge *c1_parallel_at(c1_parallel *a, const uint8_t *start);
void c1_parallel_free(c1_parallel *a);

#endif /* CUZK_VANILLA_READ_C1_PARALLEL_H */
