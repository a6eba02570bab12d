/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_BASE_ENTROPY_H
#define CUZK_BASE_ENTROPY_H

#include <stddef.h>

#include "base/status.h"

/** [n] bytes from the operating system's generator (getrandom). E_IO when it fails; then out is wiped. */
CUZK_NODISCARD cuzk_status cuzk_entropy(void *out, size_t n, cuzk_err *err);

#endif /* CUZK_BASE_ENTROPY_H */
