/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_RPC_RPC_ADDRESS_H
#define CUZK_RPC_RPC_ADDRESS_H

/* Addresses as users write them, and the sockets behind them. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sys/pool.h"

typedef struct cuzk_rpc_address {
    bool is_unix;
    bool tls;       /* https:// */
    char host[256]; /* without brackets; "" for every interface */
    char port[6];   /* decimal */
    char path[108]; /* of a unix socket */
} cuzk_rpc_address;

/**
 * "HOST:PORT", "[IPV6]:PORT", ":PORT", the same after "http://", "https://" or "dns:///",
 * "unix:///PATH" or "unix:PATH". E_INVALID with the reason.
 */
CUZK_NODISCARD cuzk_status cuzk_rpc_address_parse(cuzk_rpc_address *out, const char *text,
                                                  cuzk_err *err);
/**
 * A listening, non-blocking socket. For a unix path: creates its folder, removes a socket that
 * nobody listens on, sets mode when it is not 0. E_IO: in use, not permitted; E_INVALID: no such
 * address here.
 */
CUZK_NODISCARD cuzk_status cuzk_rpc_address_listen(int *fd, const cuzk_rpc_address *a,
                                                   int unix_mode, cuzk_err *err);
/** A connected, non-blocking socket; at most timeout_ms over all addresses of the host. E_IO, E_CANCELLED. */
CUZK_NODISCARD cuzk_status cuzk_rpc_address_connect(int *fd, const cuzk_rpc_address *a,
                                                    uint32_t timeout_ms, const cuzk_cancel *cancel,
                                                    cuzk_err *err);
/** Port of a bound TCP socket; 0 otherwise. */
uint16_t cuzk_rpc_socket_port(int fd);

#endif /* CUZK_RPC_RPC_ADDRESS_H */
