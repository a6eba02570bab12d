/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_LIB_CLIENT_CLIENT_INTERNAL_H
#define CUZK_LIB_CLIENT_CLIENT_INTERNAL_H

/* What the files of libcuzk-client share. */
#include <signal.h>

#include <cuzk/client.h>

#include "lib/lib_error.h"
#include "rpc/client/rpc_client.h"

struct cuzk_client_stop {
    cuzk_cancel cancel;
};

/** A call that runs: a connection of its own, and SIGPIPE held back in this thread. */
typedef struct client_call {
    cuzk_client *client;
    cuzk_rpc_client *connection;
    bool is_pipe_blocked; /* SIGPIPE is blocked by client_call_begin */
    sigset_t mask;        /* of the thread, before it */
} client_call;

/**
 * Takes an idle connection or makes one. End with client_call_end, whose status is the call's. E_INVALID:
 * options; E_IO; E_NOMEM.
 */
CUZK_NODISCARD cuzk_status client_call_begin(client_call *out, cuzk_client *c,
                                             const cuzk_client_call *options, cuzk_error *error);
/** Keeps the connection for the next call; reports st and err as a failure of the library. */
cuzk_status client_call_end(client_call *x, cuzk_status st, const cuzk_err *err, cuzk_error *error);

#endif /* CUZK_LIB_CLIENT_CLIENT_INTERNAL_H */
