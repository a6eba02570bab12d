/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_INTEROP_WTNS_FILE_H
#define CUZK_INTEROP_WTNS_FILE_H

/*
 * circom's .wtns (version 2) over BLS12-381: the value of every wire, plain little-endian.
 */
#include "base/status.h"
#include "r1cs/witness.h"
#include "sys/pool.h"

typedef struct cuzk_wtns {
    const uint8_t *values; /* [n * 32], borrowed from the file's bytes */
    uint32_t n;
} cuzk_wtns;

/**
 * Checks container, prime, size, that every value is < r and wire 0 is 1. E_FORMAT, E_UNSUPPORTED.
 * name is for messages.
 */
CUZK_NODISCARD cuzk_status cuzk_wtns_read(cuzk_wtns *out, const void *data, size_t n,
                                          const char *name, cuzk_err *err);
/**
 * A witness of c, which comes from an .r1cs or .zkey file. E_INVALID with both counts when the
 * numbers of wires differ.
 */
CUZK_NODISCARD cuzk_status cuzk_wtns_to_witness(cuzk_witness **out, const cuzk_wtns *wtns,
                                                const cuzk_circuit *c, const char *name,
                                                cuzk_pool *pool, cuzk_err *err);
/** The file of a witness; E_EXISTS unless replace. */
CUZK_NODISCARD cuzk_status cuzk_wtns_write(const char *path, const cuzk_witness *w, bool replace,
                                           cuzk_err *err);

#endif /* CUZK_INTEROP_WTNS_FILE_H */
