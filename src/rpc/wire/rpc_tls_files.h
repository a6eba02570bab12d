/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_RPC_RPC_TLS_FILES_H
#define CUZK_RPC_RPC_TLS_FILES_H

/*
 * Certificates and keys for OpenSSL, in PEM. The files are read by sys/file.h and handed over in
 * memory: OpenSSL's own readers cannot be interrupted, have no limit of size, and ask on the terminal
 * for the password of an encrypted key.
 *
 * Every function returns what cuzk_content_read does, E_INVALID for a file of more than 1 MiB (16 MiB
 * for authorities) or whose content is no good, and E_CANCELLED. The error names the file.
 */
#include <openssl/ssl.h>

#include "base/status.h"

/** The first certificate of the file cert, those behind it as its chain, and the private key of the file key. */
CUZK_NODISCARD cuzk_status cuzk_rpc_tls_use_cert(SSL_CTX *ctx, const char *cert, const char *key,
                                                 cuzk_err *err);
/**
 * Trusts the certificates of the file ca. names not NULL: *names is the list of their subjects, each
 * once, owned by the caller; NULL after an error.
 */
CUZK_NODISCARD cuzk_status cuzk_rpc_tls_trust(SSL_CTX *ctx, const char *ca,
                                              STACK_OF(X509_NAME) * *names, cuzk_err *err);
/**
 * Trusts the system's authorities: the file that SSL_CERT_FILE names (else OpenSSL's own, where there is
 * one) and the folder of SSL_CERT_DIR (else OpenSSL's own).
 */
CUZK_NODISCARD cuzk_status cuzk_rpc_tls_trust_system(SSL_CTX *ctx, cuzk_err *err);

#endif /* CUZK_RPC_RPC_TLS_FILES_H */
