/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: vanilla */
/*
 * C1: JSON, bincode, envelopes. Whatever parses must come through the native check with a status (that a random input is
 * valid is out of reach), and challenges and public sizes must fit what was parsed.
 */
#include <stdint.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "vanilla/check/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static cuzk_hashes *h; /* made once: it takes longer than an input */
    cuzk_porep_input *in = NULL;
    cuzk_err err;
    if (h == NULL && cuzk_hashes_create(&h, &err) != CUZK_OK) {
        return 0;
    }
    const uint64_t before = cuzk_alloc_get_stats().bytes_now;
    const cuzk_status st = cuzk_porep_parse(&in, data, size, NULL, &err);
    CUZK_ASSERT(st == CUZK_OK || st == CUZK_E_FORMAT || st == CUZK_E_INVALID || st == CUZK_E_NOMEM);
    CUZK_ASSERT((st == CUZK_OK) == (in != NULL));
    if (in != NULL) {
        CUZK_ASSERT(in->shape != NULL && in->arena.bytes < 64 * (uint64_t)size + 4096);
        const cuzk_status checked = cuzk_porep_check(in, h, NULL, NULL, NULL, &err);
        CUZK_ASSERT(checked == CUZK_OK || checked == CUZK_E_VANILLA || checked == CUZK_E_INVALID);
        cuzk_porep_input_destroy(in);
    }
    CUZK_ASSERT(cuzk_alloc_get_stats().bytes_now == before);
    return 0;
}
