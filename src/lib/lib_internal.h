/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_LIB_LIB_INTERNAL_H
#define CUZK_LIB_LIB_INTERNAL_H

/* What the files of the library's surface share. */
#include <string.h>

#include <cuzk/cuzk.h>
#include <cuzk/filecoin.h>

#include "base/status.h"
#include "circuit/filecoin.h"
#include "groth16/params/srs.h"

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
/** The verifying key of parameters. E_NOMEM; E_FORMAT and others when it is no key. */
CUZK_NODISCARD cuzk_status lib_vk_of(cuzk_vk **out, const cuzk_srs *srs, cuzk_error *error);
/** CUZK_KIND_... of a caller. E_INVALID. */
CUZK_NODISCARD cuzk_status lib_kind(cuzk_circuit_kind *out, int32_t kind, cuzk_error *error);

#endif /* CUZK_LIB_LIB_INTERNAL_H */
