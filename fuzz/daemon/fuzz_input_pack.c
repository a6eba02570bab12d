/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: store */
/*
 * Properties on any bytes: packed, they are given again; taken for a packed input, they are refused, or they give
 * bytes that can be packed and given again.
 */
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "store/input_pack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const uint8_t *data, size_t n)
{
    uint8_t *packed = NULL, *again = cuzk_alloc(n, 1);
    size_t n_packed = 0;
    CUZK_ASSERT(again != NULL);
    CUZK_ASSERT(store_input_pack(&packed, &n_packed, data, n, NULL) == CUZK_OK);
    CUZK_ASSERT(n_packed <= n + STORE_PACK_MORE);
    CUZK_ASSERT(store_input_unpack(again, n, packed, n_packed, NULL) == CUZK_OK);
    CUZK_ASSERT(n == 0 || memcmp(again, data, n) == 0);
    cuzk_free(packed);
    cuzk_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check(data, size);
    if (size >= 2) { /* the first two bytes: how long the result is */
        const size_t n = (size_t)data[0] | (size_t)data[1] << 8;
        uint8_t *out = cuzk_alloc(n, 1);
        CUZK_ASSERT(out != NULL);
        if (store_input_unpack(out, n, data + 2, size - 2, NULL) == CUZK_OK) {
            check(out, n);
        }
        cuzk_free(out);
    }
    return 0;
}
