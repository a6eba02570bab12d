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
#include "store/pack/input_pack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct packed_bytes {
    uint8_t *data; /* has room for all */
    size_t n;
} packed_bytes;

static cuzk_status collect(void *arg, const void *data, size_t n, cuzk_err *err)
{
    packed_bytes *b = arg;
    (void)err;
    memcpy(b->data + b->n, data, n);
    b->n += n;
    return CUZK_OK;
}

/* In one piece, then in two. */
static void check(const uint8_t *data, size_t n)
{
    uint8_t *again = cuzk_alloc(n, 1);
    packed_bytes packed = {cuzk_alloc(n + STORE_PACK_MORE, 1), 0};
    CUZK_ASSERT(again != NULL && packed.data != NULL);
    for (size_t pieces = 1; pieces <= 2; pieces++) {
        const size_t first = n / pieces;
        store_packer *p = NULL;
        packed.n = 0;
        CUZK_ASSERT(store_packer_create(&p, n, false, collect, &packed, NULL) == CUZK_OK);
        CUZK_ASSERT(store_packer_add(p, data, first, NULL) == CUZK_OK);
        CUZK_ASSERT(store_packer_add(p, data + first, n - first, NULL) == CUZK_OK);
        CUZK_ASSERT(store_packer_end(p, NULL) == CUZK_OK);
        store_packer_destroy(p);
        CUZK_ASSERT(packed.n <= n + STORE_PACK_MORE);
        CUZK_ASSERT(store_input_unpack(again, n, packed.data, packed.n, NULL) == CUZK_OK);
        CUZK_ASSERT(n == 0 || memcmp(again, data, n) == 0);
    }
    cuzk_free(packed.data);
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
