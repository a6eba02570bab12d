/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_FLEET_PG_PROXY_H
#define CUZK_TEST_FLEET_PG_PROXY_H

/*
 * A proxy for PostgreSQL's protocol on a unix socket, with a thread of its own. It counts statements, over
 * all connections, and breaks the connection of one: before the server gets its end, which rolls it
 * back, or after the server has answered and before the client gets the answer.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** To the server whose socket is in the folder; gives the folder of the proxy's socket, in the case's temporary folder. */
const char *pg_proxy_start(const char *server_folder);
/** Breaks the k-th statement from now on, once. victim: killed at that moment, too; 0: nobody. */
void pg_proxy_arm(uint64_t k, bool after, pid_t victim);
/** True when it has happened since pg_proxy_arm. */
bool pg_proxy_was_hit(void);
void pg_proxy_stop(void);

#endif /* CUZK_TEST_FLEET_PG_PROXY_H */
