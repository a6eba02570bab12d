/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: interop */
/* Any bytes give a key whose counts fit each other, or a status; no block is left behind. */
#include <stdint.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "interop/zkey.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cuzk_zkey *z = NULL;
    cuzk_err err;
    const uint64_t blocks = cuzk_alloc_get_stats().blocks_now;
    const cuzk_status st = cuzk_zkey_open_bytes(&z, data, size, "f", CUZK_POINT_ON_CURVE, &err);
    if (st == CUZK_OK) {
        const cuzk_zkey_info *i = cuzk_zkey_get_info(z);
        const cuzk_circuit *c = cuzk_zkey_circuit(z);
        const cuzk_srs *srs = cuzk_zkey_srs(z);
        CUZK_ASSERT(c->n_inputs + c->n_aux == i->n_vars && c->n_rows == i->n_constraints);
        CUZK_ASSERT(cuzk_srs_count(srs, CUZK_SRS_H) == i->domain_size);
        CUZK_ASSERT(cuzk_srs_count(srs, CUZK_SRS_L) == c->n_aux);
        cuzk_ignore(cuzk_zkey_check_points(z, CUZK_POINT_ON_CURVE, NULL, NULL, &err));
        cuzk_zkey_close(z);
    } else {
        CUZK_ASSERT(z == NULL && err.code == st && err.msg[0] != '\0');
    }
    CUZK_ASSERT(cuzk_alloc_get_stats().blocks_now == blocks);
    return 0;
}
