/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rpc/wire/rpc_tls.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "hash/sha256.h"
#include "rpc/wire/rpc_tls_files.h"

static const uint8_t alpn_h2[] = {2, 'h', '2'};

void cuzk_rpc_tls_reason(char *out, size_t cap)
{
    const unsigned long e = ERR_peek_last_error();
    const char *reason = e == 0 ? NULL : ERR_reason_error_string(e);
    (void)snprintf(out, cap, "%s", reason == NULL ? "unknown reason" : reason);
    ERR_clear_error();
}

static int select_h2(SSL *ssl, const unsigned char **out, unsigned char *out_len,
                     const unsigned char *in, unsigned in_len, void *arg)
{
    (void)ssl;
    (void)arg;
    for (unsigned i = 0; i < in_len && in[i] < in_len - i; i += in[i] + 1u) {
        if (in[i] == 2 && memcmp(in + i + 1, "h2", 2) == 0) {
            *out = in + i + 1;
            *out_len = 2;
            return SSL_TLSEXT_ERR_OK;
        }
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL;
}

static cuzk_status common(SSL_CTX **out, const SSL_METHOD *method, cuzk_err *err)
{
    ERR_clear_error();
    SSL_CTX *ctx = SSL_CTX_new(method);
    /* TLS 1.2 suites that HTTP/2 allows (RFC 9113, 9.2.2); those of TLS 1.3 all are. */
    if (ctx == NULL || SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION) != 1 ||
        SSL_CTX_set_cipher_list(ctx, "ECDHE+AESGCM:ECDHE+CHACHA20") != 1) {
        SSL_CTX_free(ctx);
        char reason[160];
        cuzk_rpc_tls_reason(reason, sizeof(reason));
        return CUZK_FAIL(err, CUZK_E_UNSUPPORTED, "TLS cannot be set up: %s", reason);
    }
    (void)SSL_CTX_set_options(ctx, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION |
                                       SSL_OP_NO_TICKET | SSL_OP_CIPHER_SERVER_PREFERENCE);
    (void)SSL_CTX_set_mode(ctx, SSL_MODE_ENABLE_PARTIAL_WRITE |
                                    SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    (void)SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
    *out = ctx;
    return CUZK_OK;
}

cuzk_status cuzk_rpc_tls_server(SSL_CTX **out, const char *cert, const char *key,
                                const char *client_ca, cuzk_err *err)
{
    SSL_CTX *ctx = NULL;
    cuzk_status st;
    if (cert == NULL || key == NULL) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "TLS needs a certificate and a key");
    }
    CUZK_TRY(common(&ctx, TLS_server_method(), err));
    CUZK_TRY_GOTO(st, cuzk_rpc_tls_use_cert(ctx, cert, key, err));
    if (client_ca != NULL) {
        STACK_OF(X509_NAME) *names = NULL;
        CUZK_TRY_GOTO(st, cuzk_rpc_tls_trust(ctx, client_ca, &names, err));
        SSL_CTX_set_client_CA_list(ctx, names);
        SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    }
    SSL_CTX_set_alpn_select_cb(ctx, select_h2, NULL);
    *out = ctx;
    return CUZK_OK;
out:
    SSL_CTX_free(ctx);
    return st;
}

cuzk_status cuzk_rpc_tls_client(SSL_CTX **out, const char *ca, const char *cert, const char *key,
                                cuzk_err *err)
{
    SSL_CTX *ctx = NULL;
    cuzk_status st = CUZK_OK;
    CUZK_TRY(common(&ctx, TLS_client_method(), err));
    CUZK_TRY_GOTO(st, ca != NULL ? cuzk_rpc_tls_trust(ctx, ca, NULL, err)
                                 : cuzk_rpc_tls_trust_system(ctx, err));
    if (cert != NULL || key != NULL) {
        if (cert == NULL || key == NULL) {
            st = CUZK_FAIL(err, CUZK_E_INVALID, "TLS: a client certificate needs its key");
            goto out;
        }
        CUZK_TRY_GOTO(st, cuzk_rpc_tls_use_cert(ctx, cert, key, err));
    }
    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, NULL);
    (void)SSL_CTX_set_alpn_protos(ctx, alpn_h2, sizeof(alpn_h2));
    *out = ctx;
    return CUZK_OK;
out:
    SSL_CTX_free(ctx);
    return st;
}

bool cuzk_rpc_tls_is_h2(const SSL *ssl)
{
    const unsigned char *p = NULL;
    unsigned n = 0;
    SSL_get0_alpn_selected(ssl, &p, &n);
    return n == 2 && memcmp(p, "h2", 2) == 0;
}

bool cuzk_rpc_token_matches(const char *token, const char *value, size_t n)
{
    static const char scheme[] = "Bearer ";
    uint8_t want[32], got[32];
    if (n < sizeof(scheme) - 1 || strncasecmp(value, scheme, sizeof(scheme) - 1) != 0) {
        return false;
    }
    cuzk_sha256_digest(want, token, strlen(token));
    cuzk_sha256_digest(got, value + sizeof(scheme) - 1, n - (sizeof(scheme) - 1));
    return CRYPTO_memcmp(want, got, sizeof(want)) == 0; /* digests: the length does not show */
}
