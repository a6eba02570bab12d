/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_INPUTS_H
#define CUZK_APPS_INPUTS_H

/* Files in the several forms that users have them in. All buffers are blocks of base/alloc.h. */
#include <cuzk/verify.h>

#include "sys/file.h"

#include "app.h"

/** What a file starts with. */
typedef enum file_kind {
    FILE_JSON_OBJECT,
    FILE_JSON_ARRAY,
    FILE_R1CS,
    FILE_WTNS,
    FILE_ZKEY,
    FILE_OTHER
} file_kind;
file_kind file_kind_of(const uint8_t *data, size_t n);

/** The beginning of a file, enough to tell its kind and the length of a key. */
typedef struct file_head {
    file_kind kind;
    size_t n;
    uint8_t bytes[1024]; /* [n] */
} file_head;
CUZK_NODISCARD cuzk_status read_head(app *a, const cuzk_file *f, file_head *out);

/** Bytes of a .vk, from a .vk, verification_key.json, .zkey or .params file. */
CUZK_NODISCARD cuzk_status read_vk(app *a, const char *path, uint8_t **out, size_t *n);
/** The checked key of those bytes; messages name path. */
CUZK_NODISCARD cuzk_status parse_vk(app *a, const char *path, const uint8_t *vk, size_t n,
                                    cuzk_vk **out);
/** A C1 as a file has it: unpacked when it is gzip, zstd or base64. Messages name path. */
CUZK_NODISCARD cuzk_status read_c1(app *a, const char *path, cuzk_content *out);
/** proof.json, 192 bytes, or 384 hex digits. */
CUZK_NODISCARD cuzk_status read_proof(app *a, const char *path, uint8_t out[CUZK_PROOF_BYTES]);
/** public.json, or text with one 0x... integer a line; little-endian values, 32 bytes each. */
CUZK_NODISCARD cuzk_status read_public(app *a, const char *path, uint8_t **out, size_t *count);
/** vk_hash, in the report. */
void report_vk_hash(app *a, const uint8_t *vk, size_t n);

#endif /* CUZK_APPS_INPUTS_H */
