/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: unpack */
/* Packed input: never more than it claims, no memory left behind. */
#include <stdint.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "unpack/unpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cuzk_packing p;
    cuzk_err err;
    uint8_t *out = NULL;
    size_t n = 0;
    const uint64_t before = cuzk_alloc_get_stats().bytes_now;
    cuzk_packing_of(&p, data, size);
    const cuzk_status st = cuzk_unpack(&out, &n, data, size, 1u << 20, &err);
    CUZK_ASSERT(st == CUZK_OK || st == CUZK_E_FORMAT || st == CUZK_E_INVALID ||
                st == CUZK_E_UNSUPPORTED || st == CUZK_E_NOMEM);
    CUZK_ASSERT(st == CUZK_OK ? n <= p.result_bytes : out == NULL);
    cuzk_free(out);
    CUZK_ASSERT(cuzk_alloc_get_stats().bytes_now == before);
    return 0;
}
