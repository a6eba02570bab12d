/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_UNPACK_UNPACK_H
#define CUZK_UNPACK_UNPACK_H

/*
 * Input that is packed for its way: gzip (RFC 1952), zstd (RFC 8878), base64, and base64 around or
 * inside of one of the two. gzip needs zlib and zstd needs libzstd when the program is built; without
 * them such input is named and refused (E_UNSUPPORTED).
 *
 * The size of the result is known before anything is unpacked, and never exceeded, so that a budget
 * can be charged first.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/** What input claims about itself. */
typedef struct cuzk_packing {
    bool is_packed;
    uint64_t result_bytes; /* at most; the input's own size when it is not packed */
    uint64_t heap_bytes;   /* most memory at a time while it is unpacked, the result included */
} cuzk_packing;

/** Looks at the beginning and the end only. Input that is damaged may look unpacked. */
void cuzk_packing_of(cuzk_packing *out, const uint8_t *data, size_t n);

/**
 * *out [*out_n], a block of base/alloc.h, gets what is packed in data; NULL and data's own size when
 * data is not packed. E_FORMAT: damaged, or larger than it claims; E_INVALID: more than max bytes;
 * E_UNSUPPORTED: built without the library; E_NOMEM.
 */
CUZK_NODISCARD cuzk_status cuzk_unpack(uint8_t **out, size_t *out_n, const uint8_t *data, size_t n,
                                       uint64_t max, cuzk_err *err);

#endif /* CUZK_UNPACK_UNPACK_H */
