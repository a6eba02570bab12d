/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* grpc.health.v1.Health, for the server and its service: SERVING while jobs are taken. */
#include <string.h>

#include "rpc/server/rpc_internal.h"
#include "rpc/wire/rpc_messages.h"

enum { SERVING = 1, NOT_SERVING = 2, SERVICE_UNKNOWN = 3 };

static bool is_served(const char *service)
{
    return service[0] == '\0' || strcmp(service, "cuzk.v1.ProvingEngine") == 0 ||
           strcmp(service, "cuzk.aggregate.v1.Aggregator") == 0 ||
           strcmp(service, "grpc.health.v1.Health") == 0;
}

static int state_of(cuzk_rpc_server *s)
{
    const bool ready = s->not_ready == NULL || s->not_ready(s->not_ready_arg) == NULL;
    return atomic_load(&s->draining) || !ready ? NOT_SERVING : SERVING;
}

static void send_state(rpc_call *call, int state)
{
    cuzk_wire_writer w = {.data = NULL};
    cuzk_wire_put_u64(&w, 1, (uint64_t)state);
    rpc_call_send(call, w.nomem ? NULL : rpc_frame_create(w.data, w.len));
    cuzk_wire_writer_free(&w);
}

/* false: the call is answered. *known: a service of ours. */
static bool read_service(rpc_call *call, bool *known)
{
    char service[128];
    cuzk_err err = {.code = CUZK_OK};
    const cuzk_bytes m = {call->message, call->message_len};
    const cuzk_status st = cuzk_rpc_name_decode(service, sizeof(service), NULL, m, &err);
    if (st != CUZK_OK && st != CUZK_E_NOT_FOUND) {
        rpc_call_finish(call, cuzk_grpc_code_of(st), err.msg);
        return false;
    }
    *known = st == CUZK_OK && is_served(service);
    return true;
}

void rpc_health_check(rpc_call *call)
{
    bool known = false;
    if (!read_service(call, &known)) {
        return;
    }
    if (!known) {
        rpc_call_finish(call, CUZK_GRPC_NOT_FOUND, "unknown service");
        return;
    }
    send_state(call, state_of(call->server));
    rpc_call_finish(call, CUZK_GRPC_OK, NULL);
}

void rpc_health_watch(rpc_call *call)
{
    bool known = false;
    if (call->message == NULL) { /* end of the request: the watch goes on */
        if (call->watch_state < 0) {
            rpc_call_finish(call, CUZK_GRPC_INVALID_ARGUMENT, "no request message");
        }
        return;
    }
    if (call->watch_state >= 0) {
        rpc_call_finish(call, CUZK_GRPC_INVALID_ARGUMENT, "more than one request message");
        return;
    }
    if (read_service(call, &known)) {
        call->watch_state = known ? state_of(call->server) : SERVICE_UNKNOWN;
        send_state(call, call->watch_state);
    }
}

void rpc_health_changed(cuzk_rpc_server *s)
{
    const int state = state_of(s);
    for (rpc_conn *c = s->conns, *next; c != NULL; c = next) {
        next = c->next;
        for (rpc_call *call = c->calls; call != NULL; call = call->next) {
            if (call->watch_state >= 0 && call->watch_state != SERVICE_UNKNOWN &&
                call->watch_state != state) {
                call->watch_state = state;
                send_state(call, state);
            }
        }
        rpc_conn_flush(c);
    }
}
