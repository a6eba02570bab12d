/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/arena.h"

#include <string.h>

#include "base/alloc.h"

#define ARENA_ALIGN     16u
#define ARENA_CHUNK_MIN ((size_t)64 << 10)
#define ARENA_CHUNK_MAX ((size_t)4 << 20)

struct cuzk_arena_chunk {
    struct cuzk_arena_chunk *next;
    size_t used, size; /* of the payload behind this header */
};

#define HEADER ((sizeof(struct cuzk_arena_chunk) + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1))

/* Chunks double up to a maximum, so that small inputs stay small and large ones need few. */
static struct cuzk_arena_chunk *grow(cuzk_arena *a, size_t bytes)
{
    size_t size = a->head == NULL ? ARENA_CHUNK_MIN : a->head->size * 2;
    if (size > ARENA_CHUNK_MAX) {
        size = ARENA_CHUNK_MAX;
    }
    if (size < bytes) {
        size = bytes;
    }
    size_t total;
    if (__builtin_add_overflow(size, HEADER, &total)) {
        return NULL;
    }
    struct cuzk_arena_chunk *c = cuzk_alloc(1, total);
    if (c == NULL) {
        return NULL;
    }
    c->next = a->head;
    c->used = 0;
    c->size = size;
    a->head = c;
    return c;
}

void *cuzk_arena_alloc(cuzk_arena *a, size_t count, size_t size)
{
    size_t bytes;
    if (!cuzk_mul_size(&bytes, count, size) ||
        __builtin_add_overflow(bytes, ARENA_ALIGN - 1, &bytes)) {
        return NULL;
    }
    bytes &= ~(size_t)(ARENA_ALIGN - 1);
    struct cuzk_arena_chunk *c = a->head;
    if (c == NULL || c->size - c->used < bytes) {
        c = grow(a, bytes);
        if (c == NULL) {
            return NULL;
        }
    }
    unsigned char *p = (unsigned char *)c + HEADER + c->used;
    c->used += bytes;
    a->bytes += bytes;
    memset(p, 0, bytes);
    return p;
}

/* Behind the chunk that is being filled, which so stays the first. */
void cuzk_arena_join(cuzk_arena *a, cuzk_arena *from)
{
    struct cuzk_arena_chunk **last = &from->head;
    while (*last != NULL) {
        last = &(*last)->next;
    }
    if (a->head == NULL) {
        a->head = from->head;
    } else {
        *last = a->head->next;
        a->head->next = from->head;
    }
    a->bytes += from->bytes;
    from->head = NULL;
    from->bytes = 0;
}

void cuzk_arena_free(cuzk_arena *a)
{
    while (a->head != NULL) {
        struct cuzk_arena_chunk *c = a->head;
        a->head = c->next;
        cuzk_free(c);
    }
    a->bytes = 0;
}
