/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_STORE_PG_PG_INPUT_H
#define CUZK_STORE_PG_PG_INPUT_H

/*
 * Inputs of jobs, as they are kept. What is kept is one string of bytes: of form 0 the encoding itself
 * (store/pack/input_encoding.h); of form 1 the encoding packed (store/pack/input_pack.h) and cut into chunks of at most 1 MiB,
 * each with two little-endian 32-bit lengths before it, of the chunk and of what is kept of it: a zstd frame, or, when
 * the lengths are equal, the chunk. It is in parts in the database, or in one file.
 */
#include "store/pack/input_encoding.h"

enum { PG_FORM_PLAIN = 0, PG_FORM_PACKED = 1 };
enum { PG_PLACE_DATABASE = 0, PG_PLACE_FOLDER = 1, PG_PLACE_KEEPER = 2 };

#define PG_KEEPER_BYTES 64

typedef struct pg_input {
    uint64_t form, place;
    char
        keeper[PG_KEEPER_BYTES]; /* name of the daemon that has the file; "" but for PLACE_KEEPER */
    uint64_t bytes, kept_bytes;  /* of the encoding, of what is kept */
    uint8_t digest[CUZK_SHA256_BYTES];      /* SHA-256 of the encoding */
    uint8_t kept_digest[CUZK_SHA256_BYTES]; /* of what is kept */
} pg_input;

/** What is kept of one input, in parts of CUZK_PG_PART_BYTES; the last one may be shorter. A zeroed struct is empty. */
typedef struct pg_kept {
    uint8_t **part; /* [n_parts], blocks of base/alloc.h */
    size_t n_parts, room;
    uint64_t bytes;
} pg_kept;
/** Part i; empty beyond the last one. A view. */
cuzk_bytes pg_kept_part(const pg_kept *k, uint64_t i);
void pg_kept_free(pg_kept *k);

/**
 * *kept: r as it is kept in in->form. Fills sizes and digests. Beyond *kept it takes at most PG_MAKE_BYTES of memory. E_NOMEM.
 * *kept is the caller's to free, also on failure.
 */
CUZK_NODISCARD cuzk_status pg_input_make(pg_input *in, pg_kept *kept, const cuzk_job_request *r,
                                         cuzk_err *err);
#define PG_MAKE_BYTES ((size_t)6 << 20)
/**
 * *encoding [in->bytes], a block of base/alloc.h, from kept [in->kept_bytes]; both digests are checked.
 * E_DIGEST, E_FORMAT: damaged; E_NOMEM.
 */
CUZK_NODISCARD cuzk_status pg_input_open(uint8_t **encoding, const pg_input *in,
                                         const uint8_t *kept, cuzk_err *err);

#endif /* CUZK_STORE_PG_PG_INPUT_H */
