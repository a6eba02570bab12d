/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_LIB_LIB_ERROR_H
#define CUZK_LIB_LIB_ERROR_H

/* Failures and sized structs as callers see them: for libcuzk, and for libcuzk-client, which has no prover. */
#include <cuzk/cuzk.h>

#include "base/status.h"

/** Copies a failure to the caller's struct, which may be NULL; returns st. On CUZK_OK nothing is written. */
cuzk_status lib_error(cuzk_error *out, cuzk_status st, const cuzk_err *err);
/** One failure of this layer itself. */
CUZK_PRINTF(3, 4)
cuzk_status lib_fail(cuzk_error *out, cuzk_status st, const char *fmt, ...);
/**
 * Copies a struct that begins with its uint32_t struct_size into one of size bytes, zeros behind what
 * the caller knows. Bytes that this version does not know must be zero: E_INVALID names what.
 */
CUZK_NODISCARD cuzk_status lib_take(void *out, size_t size, const void *in, const char *what,
                                    cuzk_error *error);
/**
 * Fills a caller's struct whose struct_size is set with the first bytes of mine [size], which has the
 * same struct_size; zeros behind them. E_INVALID: struct_size is too small to be one.
 */
CUZK_NODISCARD cuzk_status lib_give(void *out, const void *mine, size_t size);

#endif /* CUZK_LIB_LIB_ERROR_H */
