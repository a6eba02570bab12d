/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_VANILLA_READ_PROOF_LIST_H
#define CUZK_VANILLA_READ_PROOF_LIST_H

/*
 * Vanilla proofs of PoSts and updates in the forms that files have them in (docs/spec/inputs.md): the bytes of one proof, or
 * a JSON array of texts in base64, one per proof. What the bytes of a proof mean is for other readers.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/status.h"

#define CUZK_PROOF_LIST_MAX 4096 /* proofs of one array; as the daemon takes at most */

typedef struct cuzk_proof_bytes {
    const uint8_t *data; /* [size] */
    size_t size;
} cuzk_proof_bytes;

/** Owned by the caller; zero-initialised it is empty. */
typedef struct cuzk_proof_list {
    cuzk_proof_bytes *items; /* [n], borrowed from `decoded` or from the input */
    size_t n;
    bool is_array;    /* the input is a JSON array */
    uint8_t *decoded; /* what base64 stood for; NULL unless is_array */
} cuzk_proof_list;

/**
 * The proofs of data [size], which must outlive the list. name: how messages call the input. E_FORMAT: JSON that is no array
 * of base64 texts, an array without a proof or with more than CUZK_PROOF_LIST_MAX; the text has line and column. E_NOMEM.
 * After a failure *out is empty.
 */
CUZK_NODISCARD cuzk_status cuzk_proof_list_read(cuzk_proof_list *out, const uint8_t *data,
                                                size_t size, const char *name, cuzk_err *err);
/** Leaves an empty list. */
void cuzk_proof_list_free(cuzk_proof_list *l);

#endif /* CUZK_VANILLA_READ_PROOF_LIST_H */
