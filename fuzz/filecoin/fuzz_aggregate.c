/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: aggregate */
/* Aggregates of any bytes: decoded, and encoded again to the same bytes. */
#include <stdlib.h>
#include <string.h>

#include "aggregate/agg_proof.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static cuzk_agg_proof p;
    cuzk_err err;
    size_t used = 0;
    if (cuzk_agg_proof_decode(&p, &used, data, size, &err) != CUZK_OK) {
        return 0;
    }
    uint8_t *again = malloc(used);
    if (again == NULL || used > size || used != cuzk_agg_proof_bytes(p.rounds) ||
        cuzk_agg_proof_encode(again, &p, &err) != CUZK_OK || memcmp(again, data, used) != 0) {
        abort();
    }
    free(again);
    return 0;
}
