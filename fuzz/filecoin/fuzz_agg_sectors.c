/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: prover */
/* Lists of sectors for aggregation, any text. */
#include <stdlib.h>

#include "prover/aggregate/aggregate_sectors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cuzk_agg_sector_list l;
    cuzk_err err;
    if (cuzk_agg_sector_list_parse(&l, data, size, &err) == CUZK_OK) {
        if (l.n == 0 || l.sectors == NULL || (l.n_proof_bytes != 0 && l.proofs == NULL)) {
            abort();
        }
        cuzk_agg_sector_list_free(&l);
    }
    return 0;
}
