/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_PROVER_KEYS_NETWORK_FILES_H
#define CUZK_PROVER_KEYS_NETWORK_FILES_H

/*
 * The network's parameter files, as published with rust-fil-proofs 19.1 (tools/gen/parameters.json), and
 * what is known about the copies in a folder.
 *
 * A digest is the first 16 bytes of the unkeyed BLAKE2b-512 of a file (docs/params-format.md). Hashing
 * 47 GB takes a minute, so a folder can hold a record of the digests that were right, the file
 * CUZK_CHECKED_RECORD: a line "NAME SIZE MTIME_NS DIGEST" a file. A line counts while the file's size
 * and time of change are those of the line.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sys/pool.h"

#define CUZK_FILE_DIGEST_BYTES 16
#define CUZK_CHECKED_RECORD    ".cuzk-checked"

/** All strings are literals. */
typedef struct cuzk_network_file {
    const char *name;   /* with extension, without a folder */
    const char *cid;    /* on IPFS */
    const char *digest; /* 32 hex digits */
    const char
        *kind; /* "porep", "winning", "window", "update", "aggregate", or "other": not used here */
    uint64_t sector_bytes; /* 0: for every size */
    uint64_t bytes;        /* size of the file, computed from the circuit; 0: not known */
} cuzk_network_file;

/** The whole list, ordered by sector size, kind and extension; *n is its length. Never NULL. */
const cuzk_network_file *cuzk_network_files(size_t *n);
/** The entry of this name, or NULL. */
const cuzk_network_file *cuzk_network_file_named(const char *name);
/** The entry with this digest, or NULL. */
const cuzk_network_file *cuzk_network_file_with(const uint8_t digest[CUZK_FILE_DIGEST_BYTES]);

/** Called now and then from any thread with the number of bytes read since the last call. */
typedef void (*cuzk_file_progress)(void *arg, uint64_t bytes);
/**
 * Digest of the file at path, read in pieces of some MiB. progress may be NULL. E_NOT_FOUND, E_IO,
 * E_NOMEM, E_CANCELLED.
 */
CUZK_NODISCARD cuzk_status cuzk_file_digest(uint8_t out[CUZK_FILE_DIGEST_BYTES], const char *path,
                                            cuzk_file_progress progress, void *arg,
                                            const cuzk_cancel *cancel, cuzk_err *err);

typedef enum cuzk_file_state {
    CUZK_FILE_ABSENT = 0,
    CUZK_FILE_WRONG_SIZE = 1, /* the network's file has another size */
    CUZK_FILE_PRESENT = 2,    /* the size is right, or not known; the digest was not compared */
    CUZK_FILE_CHECKED = 3,    /* the digest was right, and the file has not changed since */
    CUZK_FILE_UNREADABLE = 4,
    CUZK_FILE_WRONG_DIGEST = 5 /* only after it was computed */
} cuzk_file_state;

/** "absent", "wrong size", "not checked", "checked", "unreadable", "wrong digest". */
const char *cuzk_file_state_text(cuzk_file_state state);
/** What is known of the copy of f in folder dir, without reading the copy. */
cuzk_file_state cuzk_network_file_state(const cuzk_network_file *f, const char *dir);
/**
 * Notes in the folder's record that the digest of f's copy was right just now (the size and time of
 * change are looked up here). E_IO when the folder cannot be written: the check still counts for the caller.
 */
CUZK_NODISCARD cuzk_status cuzk_network_file_note(const cuzk_network_file *f, const char *dir,
                                                  cuzk_err *err);

#endif /* CUZK_PROVER_KEYS_NETWORK_FILES_H */
