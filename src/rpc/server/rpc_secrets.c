/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Certificates and token: read on the caller's thread, taken by the I/O thread under a lock. */
#include <string.h>

#include "base/alloc.h"
#include "rpc/server/rpc_internal.h"
#include "rpc/wire/rpc_tls.h"

#define MIN_TOKEN 8u

static cuzk_status copy_token(char **out, const char *token, cuzk_err *err)
{
    const size_t n = strlen(token);
    if (n < MIN_TOKEN) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "token of %zu characters: at least %u are needed", n,
                         MIN_TOKEN);
    }
    char *copy = cuzk_alloc(n + 1, 1);
    if (copy == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for a token");
    }
    memcpy(copy, token, n + 1);
    *out = copy;
    return CUZK_OK;
}

cuzk_status cuzk_rpc_secrets_read(cuzk_rpc_secrets **out, const char *tls_cert, const char *tls_key,
                                  const char *tls_client_ca, const char *token, cuzk_err *err)
{
    cuzk_rpc_secrets *x = cuzk_alloc_zero(1, sizeof(*x));
    cuzk_status st = CUZK_OK;
    if (x == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for certificates");
    }
    if (tls_cert != NULL || tls_key != NULL || tls_client_ca != NULL) {
        CUZK_TRY_GOTO(st, cuzk_rpc_tls_server(&x->tls, tls_cert, tls_key, tls_client_ca, err));
    }
    if (token != NULL) {
        CUZK_TRY_GOTO(st, copy_token(&x->token, token, err));
    }
    *out = x;
    return CUZK_OK;
out:
    cuzk_rpc_secrets_free(x);
    return st;
}

void cuzk_rpc_secrets_free(cuzk_rpc_secrets *x)
{
    if (x != NULL) {
        SSL_CTX_free(x->tls);
        cuzk_free(x->token);
        cuzk_free(x);
    }
}

cuzk_status cuzk_rpc_server_renew(cuzk_rpc_server *s, cuzk_rpc_secrets *fresh, cuzk_err *err)
{
    if ((fresh->tls != NULL && s->secrets->tls == NULL) ||
        (fresh->token != NULL && s->secrets->token == NULL)) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "whether there is TLS and a token is decided when the server is created");
    }
    const cuzk_rpc_secrets old = *s->secrets;
    (void)pthread_mutex_lock(&s->secrets_mu);
    s->secrets->tls = fresh->tls != NULL ? fresh->tls : old.tls;
    s->secrets->token = fresh->token != NULL ? fresh->token : old.token;
    (void)pthread_mutex_unlock(&s->secrets_mu);
    /* connections hold the context that they were made with */
    fresh->tls = fresh->tls != NULL ? old.tls : NULL;
    fresh->token = fresh->token != NULL ? old.token : NULL;
    cuzk_rpc_secrets_free(fresh);
    return CUZK_OK;
}

SSL *rpc_secrets_tls(cuzk_rpc_server *s)
{
    (void)pthread_mutex_lock(&s->secrets_mu);
    SSL *ssl = SSL_new(s->secrets->tls);
    (void)pthread_mutex_unlock(&s->secrets_mu);
    return ssl;
}

bool rpc_secrets_token_matches(cuzk_rpc_server *s, const char *value, size_t n)
{
    (void)pthread_mutex_lock(&s->secrets_mu);
    const bool matches = cuzk_rpc_token_matches(s->secrets->token, value, n);
    (void)pthread_mutex_unlock(&s->secrets_mu);
    return matches;
}
