/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: store */
/*
 * Properties on any bytes that lie where a stored input should: they are refused, or they are a
 * request's byte strings which, written again, give the same bytes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "store/store_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cuzk_job_request r;
    cuzk_bytes *proofs = NULL;
    store_input again;
    memset(&r, 0, sizeof(r));
    if (store_input_parse(&r, &proofs, data, size, NULL) != CUZK_OK) {
        CUZK_ASSERT(proofs == NULL);
        return 0;
    }
    CUZK_ASSERT(store_input_bytes(&r) == size);
    if (size <= CUZK_STORE_INLINE_BYTES) {
        CUZK_ASSERT(store_input_write(&again, NULL, 0, &r, NULL) == CUZK_OK);
        CUZK_ASSERT(again.bytes == size && memcmp(again.inline_data, data, size) == 0);
        cuzk_free(again.inline_data);
    }
    cuzk_free(proofs);
    return 0;
}
