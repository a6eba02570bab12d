/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* cuzk.aggregate.v1.Aggregator. Waiting and cancelling are those of cuzk.v1: the messages are alike. */
#include "base/clock.h"
#include "rpc/server/rpc_internal.h"
#include "rpc/wire/rpc_aggregate.h"

void rpc_aggregate_submit(rpc_call *call)
{
    rpc_engine_submit_with(call, cuzk_rpc_aggregate_decode);
}

void rpc_aggregate_make(rpc_call *call)
{
    rpc_engine_prove_with(call, cuzk_rpc_aggregate_decode);
}

void rpc_aggregate_status(rpc_call *call)
{
    cuzk_engine_status s;
    cuzk_err err = {.code = CUZK_OK};
    cuzk_wire_writer w = {.data = NULL};
    cuzk_status st = cuzk_rpc_empty_decode((cuzk_bytes){call->message, call->message_len}, &err);
    if (st == CUZK_OK) {
        rpc_call_wait_tickets(call); /* jobs that came before this question are in its answer */
        st = cuzk_engine_get_status(call->server->engine, &s, &err);
    }
    if (st != CUZK_OK) {
        rpc_call_answer_status(call, st, &err);
        return;
    }
    cuzk_rpc_put_aggregate_status(&w, &s);
    cuzk_engine_status_free(&s);
    rpc_call_answer_message(call, &w);
}

void rpc_aggregate_verify(rpc_call *call)
{
    cuzk_rpc_claim claim;
    cuzk_aggregate_verdict verdict;
    cuzk_err err = {.code = CUZK_OK};
    cuzk_wire_writer w = {.data = NULL};
    const uint64_t t0 = cuzk_clock_ns();
    cuzk_status st =
        cuzk_rpc_claim_decode(&claim, (cuzk_bytes){call->message, call->message_len}, &err);
    if (st != CUZK_OK) {
        rpc_call_answer_status(call, st, &err);
        return;
    }
    st = cuzk_engine_verify_aggregate(call->server->engine, &claim.job.request, claim.aggregate,
                                      claim.allow_trailing, &verdict, &err);
    cuzk_rpc_claim_free(&claim);
    if (st != CUZK_OK) {
        rpc_call_answer_status(call, st, &err);
        return;
    }
    cuzk_rpc_put_verdict(&w, &verdict, (cuzk_clock_ns() - t0) / 1000000);
    rpc_call_answer_message(call, &w);
}
