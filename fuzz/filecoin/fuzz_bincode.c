/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: vanilla */
/* PoSt and update vanilla proofs: the first byte chooses the format and the sector size of the check. */
#include <stdint.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "vanilla/check/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void post(const uint8_t *data, size_t size, const cuzk_hashes *h, unsigned type)
{
    cuzk_post_input *in = NULL;
    cuzk_post_statement st = {.partition = 0};
    cuzk_err err;
    if (cuzk_post_input_create(&in, &err) != CUZK_OK) {
        return;
    }
    const cuzk_status parsed = cuzk_post_input_add(in, data, size, &err);
    CUZK_ASSERT(parsed == CUZK_OK || parsed == CUZK_E_FORMAT || parsed == CUZK_E_NOMEM);
    CUZK_ASSERT(in->n_sectors == (parsed == CUZK_OK ? 1u : 0u));
    if (parsed == CUZK_OK) {
        CUZK_ASSERT(cuzk_post_type_of(&st.type, type % 15, &err) == CUZK_OK);
        const cuzk_status checked = cuzk_post_check(in, &st, h, NULL, NULL, &err);
        CUZK_ASSERT(checked == CUZK_OK || checked == CUZK_E_VANILLA);
    }
    cuzk_post_input_destroy(in);
}

static void update(const uint8_t *data, size_t size, const cuzk_hashes *h, unsigned which)
{
    cuzk_update_input *in = NULL;
    cuzk_err err;
    unsigned n;
    const cuzk_sector_shape *shapes = cuzk_sector_shapes(&n);
    const cuzk_status parsed = cuzk_update_parse(&in, data, size, &err);
    CUZK_ASSERT(parsed == CUZK_OK || parsed == CUZK_E_FORMAT || parsed == CUZK_E_NOMEM);
    if (parsed == CUZK_OK) {
        const cuzk_update_statement st = {.shape = &shapes[which % n],
                                          .comm_r_old = {{1}},
                                          .comm_d_new = {{2}},
                                          .comm_r_new = {{3}},
                                          .h = cuzk_update_default_h(&shapes[which % n])};
        const cuzk_status checked = cuzk_update_check(in, &st, h, NULL, NULL, &err);
        CUZK_ASSERT(checked == CUZK_E_VANILLA || checked == CUZK_E_INVALID);
        cuzk_update_input_destroy(in);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static cuzk_hashes *h; /* made once: it takes longer than an input */
    cuzk_err err;
    if (size == 0 || (h == NULL && cuzk_hashes_create(&h, &err) != CUZK_OK)) {
        return 0;
    }
    const uint64_t before = cuzk_alloc_get_stats().bytes_now;
    if (data[0] % 2 == 0) {
        post(data + 1, size - 1, h, data[0] / 2);
    } else {
        update(data + 1, size - 1, h, data[0] / 2);
    }
    CUZK_ASSERT(cuzk_alloc_get_stats().bytes_now == before);
    return 0;
}
