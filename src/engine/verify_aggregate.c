/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Verifying aggregates for callers: not a job, but it takes memory of the budget. */
#include <string.h>

#include "base/clock.h"
#include "engine/engine_internal.h"

#define PATIENCE_NS (2000 * MS_NS) /* how long a verification waits for memory */

/* Reserves the memory, waiting for it if need be. Releases the lock meanwhile. */
LOCKED static cuzk_status take(cuzk_engine *e, cuzk_reservation *r, uint64_t bytes, cuzk_err *err)
{
    const uint64_t until = cuzk_clock_ns() + PATIENCE_NS;
    CUZK_TRY(cuzk_engine_can_fit(e, CUZK_CIRCUIT_UNKNOWN, bytes, false, err));
    for (;;) {
        const uint64_t now = cuzk_clock_ns();
        if (cuzk_engine_take_host(e, r, bytes, false, true, now)) {
            return CUZK_OK;
        }
        if (e->stop || now >= until) {
            return CUZK_FAIL(
                err, CUZK_E_BUDGET,
                "no memory now to verify an aggregate, which takes %llu MiB: try again",
                (unsigned long long)(bytes >> 20));
        }
        cuzk_engine_wait_until(e, &e->locks.change, until);
    }
}

cuzk_status cuzk_engine_verify_aggregate(cuzk_engine *e, const cuzk_job_request *request,
                                         cuzk_bytes aggregate, bool allow_trailing,
                                         cuzk_aggregate_verdict *out, cuzk_err *err)
{
    const cuzk_engine_backend *b = e->backend;
    cuzk_reservation memory = {.bytes = 0};
    uint64_t bytes = 0;
    memset(out, 0, sizeof(*out));
    if (b->verify_aggregate == NULL) {
        return CUZK_FAIL(err, CUZK_E_UNSUPPORTED, "this engine verifies no aggregates");
    }
    CUZK_TRY(b->plan_verify(b->arg, request, &bytes, err));
    cuzk_engine_lock(e);
    cuzk_status st = take(e, &memory, bytes, err);
    e->memory.n_busy += st == CUZK_OK ? 1 : 0;
    cuzk_engine_unlock(e);
    if (st != CUZK_OK) {
        return st;
    }
    st = b->verify_aggregate(b->arg, request, aggregate, allow_trailing, out, err);
    cuzk_engine_lock(e);
    e->memory.n_busy--;
    e->counts.verified[out->answer] += st == CUZK_OK ? 1 : 0;
    cuzk_engine_give_host(e, &memory, 0);
    cuzk_engine_unlock(e);
    return st;
}
