/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* cuzk.fleet.v1.Inputs: inputs that this daemon keeps, for the daemons that prove their jobs. */
#include "base/alloc.h"
#include "rpc/server/rpc_internal.h"
#include "rpc/wire/rpc_messages.h"

#define NAME_BYTES 128 /* longer than any name */

void rpc_fleet_read(rpc_call *call)
{
    const cuzk_rpc_server *s = call->server;
    char name[NAME_BYTES];
    uint64_t at = 0;
    uint8_t *data = NULL;
    size_t n = 0;
    cuzk_err err = {.code = CUZK_OK};
    cuzk_wire_writer w = {.data = NULL};
    cuzk_status st = CUZK_OK;
    if (s->input_part == NULL) {
        rpc_call_answer(call, CUZK_GRPC_UNIMPLEMENTED, "this server keeps no inputs", NULL);
        return;
    }
    st = cuzk_rpc_name_decode(name, sizeof(name), &at,
                              (cuzk_bytes){call->message, call->message_len}, &err);
    if (st == CUZK_OK) {
        st = s->input_part(s->input_part_arg, name, at, &data, &n, &err);
    }
    if (st == CUZK_E_NOT_FOUND) {
        rpc_call_answer(call, CUZK_GRPC_NOT_FOUND, "input not found", NULL);
    } else if (st != CUZK_OK) {
        rpc_call_answer_status(call, st, &err);
    } else {
        cuzk_wire_put_bytes(&w, 1, data, n);
        rpc_call_answer_message(call, &w);
    }
    cuzk_free(data);
}
