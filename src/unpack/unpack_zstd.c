/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "unpack_internal.h"

#if CUZK_HAVE_ZSTD
#    include <zstd.h>

/* A frame written to a pipe does not say its size; C1 outputs shrink to a third or less. */
#    define ASSUMED_RATIO 32u

bool unpack_zstd_frame_size(uint64_t *out, const uint8_t *head, size_t n_head, uint64_t n)
{
    const unsigned long long size = ZSTD_getFrameContentSize(head, n_head); /* 0: to be skipped */
    if (size == ZSTD_CONTENTSIZE_ERROR) {
        return false;
    }
    *out = size != ZSTD_CONTENTSIZE_UNKNOWN ? size
           : n < UINT64_MAX / ASSUMED_RATIO ? n * ASSUMED_RATIO
                                            : UINT64_MAX;
    return true;
}

bool unpack_zstd_size(uint64_t *out, const uint8_t *data, size_t n)
{
    uint64_t sum = 0;
    do {
        uint64_t claim = 0;
        const size_t taken = ZSTD_findFrameCompressedSize(data, n);
        if (ZSTD_isError(taken) || !unpack_zstd_frame_size(&claim, data, n, taken)) {
            return false;
        }
        sum = claim > UINT64_MAX - sum ? UINT64_MAX : sum + claim;
        data += taken;
        n -= taken;
    } while (n > 0);
    *out = sum;
    return true;
}

cuzk_status unpack_zstd(uint8_t *out, size_t cap, size_t *n, const uint8_t *data, size_t n_data,
                        cuzk_err *err)
{
    const size_t r = ZSTD_decompress(out, cap, data, n_data);
    if (ZSTD_isError(r)) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "zstd: %s (at most %zu bytes are expected)",
                         ZSTD_getErrorName(r), cap);
    }
    *n = r;
    return CUZK_OK;
}

#else

bool unpack_zstd_frame_size(uint64_t *out, const uint8_t *head, size_t n_head, uint64_t n)
{
    (void)head;
    (void)n_head;
    *out = n;
    return true;
}

bool unpack_zstd_size(uint64_t *out, const uint8_t *data, size_t n)
{
    (void)data;
    *out = n;
    return true;
}

cuzk_status unpack_zstd(uint8_t *out, size_t cap, size_t *n, const uint8_t *data, size_t n_data,
                        cuzk_err *err)
{
    (void)out;
    (void)cap;
    (void)n;
    (void)data;
    (void)n_data;
    return CUZK_FAIL(err, CUZK_E_UNSUPPORTED,
                     "zstd: this program was built without libzstd; unpack it first");
}

#endif
