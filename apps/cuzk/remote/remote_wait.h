/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_REMOTE_WAIT_H
#define CUZK_APPS_REMOTE_WAIT_H

/* What a command shows while it waits for a proof of the daemon: seconds, and the queue of that kind. */
#include "apps/cuzk/ticker.h"

#include "remote.h"

typedef struct remote_wait {
    ticker tick;
    cuzk_rpc_client_config config;
    cuzk_rpc_client *client; /* of the ticker's thread: a connection of its own */
    uint32_t kind;           /* cuzk_job_kind, or 0: all */
    const char *job_id;
} remote_wait;

/** kind: a cuzk_job_kind, or 0: all kinds. job_id NULL: not known. Strings are borrowed until remote_wait_end. */
void remote_wait_begin(remote_wait *w, const app *a, const remote_opts *r, uint32_t kind,
                       const char *job_id);
void remote_wait_end(remote_wait *w);

#endif /* CUZK_APPS_REMOTE_WAIT_H */
