/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: base rpc */
/* What our client reads out of a server's answers: bounded, terminated, and nothing left behind. */
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "rpc/client/rpc_client_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void result(cuzk_bytes all, bool wrapped)
{
    cuzk_rpc_result r;
    cuzk_err err;
    if (cuzk_rpc_result_read(&r, all, wrapped, &err) == CUZK_OK) {
        CUZK_ASSERT(r.proof_size <= all.size && (r.proof_size == 0 || r.proof != NULL));
        CUZK_ASSERT(strlen(r.job_id) < sizeof(r.job_id) && strlen(r.error) < sizeof(r.error));
        CUZK_ASSERT(cuzk_rpc_outcome_name(r.outcome)[0] != '\0');
    }
    CUZK_ASSERT(r.proof != NULL || r.proof_size == 0);
    cuzk_rpc_result_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const cuzk_alloc_stats before = cuzk_alloc_get_stats();
    const cuzk_bytes all = {data, size};
    cuzk_rpc_status s;
    cuzk_err err;
    result(all, false);
    result(all, true);
    if (cuzk_rpc_status_read(&s, all, &err) == CUZK_OK) {
        for (size_t i = 0; i < s.n_gpus; i++) {
            CUZK_ASSERT(strlen(s.gpus[i].name) < sizeof(s.gpus[i].name));
        }
    }
    cuzk_rpc_status_free(&s);
    CUZK_ASSERT(cuzk_alloc_get_stats().blocks_now == before.blocks_now);
    return 0;
}
