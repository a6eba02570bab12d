/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_RPC_RPC_FIXTURE_H
#define CUZK_TEST_RPC_RPC_FIXTURE_H

/* A server on the fake engine, on TCP (port chosen by the system) and a unix socket. */
#include "rpc/client/rpc_client.h"
#include "rpc/server/rpc_server.h"

#include "fake_engine.h"
#include "h2_peer.h"

typedef struct fixture {
    cuzk_engine *engine;
    cuzk_rpc_server *server;
    char tcp[64], unix_address[300], unix_path[256];
} fixture;

/** config's engine and listeners are filled in; NULL: all defaults. */
void fixture_start(fixture *f, const cuzk_rpc_server_config *config);
void fixture_stop(fixture *f);
/** A connected client; fails the case when it cannot be had. */
cuzk_rpc_client *fixture_client(const char *address);
h2_peer *fixture_peer(const fixture *f, uint32_t window);
int fixture_socket(const fixture *f);
/** Waits for cond(f); false after PEER_PATIENCE. */
bool fixture_wait(fixture *f, bool (*cond)(fixture *f));

/** No bytes are reserved for requests: a lane gives them back just after its answer. For fixture_wait. */
bool fixture_nothing_reserved(fixture *f);

#endif /* CUZK_TEST_RPC_RPC_FIXTURE_H */
