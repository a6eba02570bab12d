/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_UNPACK_INTERNAL_H
#define CUZK_UNPACK_INTERNAL_H

#include "unpack/unpack.h"

/* Claimed size of a frame of zstd from its first bytes, of n in all, or an assumed one; false: no header. */
bool unpack_zstd_frame_size(uint64_t *out, const uint8_t *head, size_t n_head, uint64_t n);
/* The same of all frames in data [n], n > 0; false: damaged or cut. */
bool unpack_zstd_size(uint64_t *out, const uint8_t *data, size_t n);
/* Into out [cap]; *n is the size written. E_FORMAT, E_NOMEM, E_UNSUPPORTED. */
CUZK_NODISCARD cuzk_status unpack_zstd(uint8_t *out, size_t cap, size_t *n, const uint8_t *data,
                                       size_t n_data, cuzk_err *err);
CUZK_NODISCARD cuzk_status unpack_gzip(uint8_t *out, size_t cap, size_t *n, const uint8_t *data,
                                       size_t n_data, cuzk_err *err);

#endif /* CUZK_UNPACK_INTERNAL_H */
