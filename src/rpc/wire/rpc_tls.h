/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_RPC_RPC_TLS_H
#define CUZK_RPC_RPC_TLS_H

/* TLS 1.2 and 1.3 by OpenSSL, ALPN "h2" on both sides, and the check of bearer tokens. */
#include <openssl/ssl.h>
#include <stdbool.h>

#include "base/status.h"

/**
 * client_ca not NULL: clients must show a certificate that it has signed. Errors are those of
 * rpc_tls_files.h; E_INVALID too where one of cert and key is NULL.
 */
CUZK_NODISCARD cuzk_status cuzk_rpc_tls_server(SSL_CTX **out, const char *cert, const char *key,
                                               const char *client_ca, cuzk_err *err);
/** ca NULL: the system's; cert and key NULL: none shown. */
CUZK_NODISCARD cuzk_status cuzk_rpc_tls_client(SSL_CTX **out, const char *ca, const char *cert,
                                               const char *key, cuzk_err *err);
/** The peer agreed on "h2". */
bool cuzk_rpc_tls_is_h2(const SSL *ssl);
/** Reason of the last OpenSSL error of this thread; clears the queue. out [cap]. */
void cuzk_rpc_tls_reason(char *out, size_t cap);

/**
 * value [n], a header "authorization", is "Bearer TOKEN". Takes the same time for every value of
 * one length.
 */
bool cuzk_rpc_token_matches(const char *token, const char *value, size_t n);

#endif /* CUZK_RPC_RPC_TLS_H */
