/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_LIB_LIB_INTERNAL_H
#define CUZK_LIB_LIB_INTERNAL_H

/* What the files of the library's surface share. */
#include <string.h>

#include <cuzk/filecoin.h>

#include "base/status.h"
#include "circuit/filecoin.h"
#include "groth16/params/srs.h"

#include "lib_error.h"

/** The verifying key of parameters. E_NOMEM; E_FORMAT and others when it is no key. */
CUZK_NODISCARD cuzk_status lib_vk_of(cuzk_vk **out, const cuzk_srs *srs, cuzk_error *error);
/** CUZK_KIND_... of a caller. E_INVALID. */
CUZK_NODISCARD cuzk_status lib_kind(cuzk_circuit_kind *out, int32_t kind, cuzk_error *error);

#endif /* CUZK_LIB_LIB_INTERNAL_H */
