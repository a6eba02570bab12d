/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_BASE_READER_H
#define CUZK_BASE_READER_H

/*
 * The bounded reader that every parser of untrusted bytes uses. A read either succeeds whole or
 * returns false and moves nothing; lengths are compared with what remains, never added to a
 * pointer first.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/compiler.h"

typedef struct cuzk_reader {
    const uint8_t *start;
    const uint8_t *p;
    const uint8_t *end;
} cuzk_reader;

static inline cuzk_reader cuzk_reader_init(const void *data, size_t n)
{
    const uint8_t *d = (const uint8_t *)data;
    const cuzk_reader r = {d, d, n == 0 ? d : d + n};
    return r;
}

static inline size_t cuzk_reader_left(const cuzk_reader *r)
{
    return (size_t)(r->end - r->p);
}

/** Bytes consumed so far; for messages. */
static inline size_t cuzk_reader_pos(const cuzk_reader *r)
{
    return (size_t)(r->p - r->start);
}

/** Borrows the next n bytes from the underlying buffer. */
CUZK_NODISCARD static inline bool cuzk_read_bytes(cuzk_reader *r, const uint8_t **out, size_t n)
{
    if (n > cuzk_reader_left(r)) {
        return false;
    }
    *out = r->p;
    r->p += n;
    return true;
}

/** True when count items of item_bytes (> 0) each are left; overflow-safe. Ask before allocating. */
CUZK_NODISCARD static inline bool cuzk_reader_has(const cuzk_reader *r, uint64_t count,
                                                  size_t item_bytes)
{
    return count <= cuzk_reader_left(r) / item_bytes;
}

#define CUZK_READ_INT_(name, type, bytes, load)                                   \
    CUZK_NODISCARD static inline bool cuzk_read_##name(cuzk_reader *r, type *out) \
    {                                                                             \
        const uint8_t *b;                                                         \
        if (!cuzk_read_bytes(r, &b, (bytes))) {                                   \
            return false;                                                         \
        }                                                                         \
        *out = load(b);                                                           \
        return true;                                                              \
    }
#define CUZK_LOAD_U8_(b) ((b)[0])
CUZK_READ_INT_(u8, uint8_t, 1, CUZK_LOAD_U8_)
CUZK_READ_INT_(u32_le, uint32_t, 4, cuzk_load_u32_le)
CUZK_READ_INT_(u32_be, uint32_t, 4, cuzk_load_u32_be)
CUZK_READ_INT_(u64_le, uint64_t, 8, cuzk_load_u64_le)
CUZK_READ_INT_(u64_be, uint64_t, 8, cuzk_load_u64_be)

/** A reader over the next n bytes, which are consumed from r. */
CUZK_NODISCARD static inline bool cuzk_read_sub(cuzk_reader *r, cuzk_reader *out, uint64_t n)
{
    const uint8_t *b;
    if (n > cuzk_reader_left(r) || !cuzk_read_bytes(r, &b, (size_t)n)) {
        return false;
    }
    *out = cuzk_reader_init(b, (size_t)n);
    return true;
}

#endif /* CUZK_BASE_READER_H */
