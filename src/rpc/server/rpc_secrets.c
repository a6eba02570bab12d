/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Certificates and tokens: read on the caller's thread, taken by the I/O thread under a lock. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text/utf8.h"
#include "rpc/server/rpc_internal.h"
#include "rpc/wire/rpc_tls.h"

#define MIN_TOKEN 8u

static cuzk_status copy(cuzk_rpc_callers **out, const cuzk_rpc_callers *in, cuzk_err *err)
{
    *out = cuzk_alloc_zero(1, sizeof(**out));
    if (*out == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for callers");
    }
    if (in != NULL) {
        **out = *in;
    }
    return CUZK_OK;
}

/* One token without a name or role of its own. */
static cuzk_status add_token(cuzk_rpc_callers *c, const char *token, cuzk_err *err)
{
    const size_t n = strlen(token);
    if (n < MIN_TOKEN || n >= CUZK_RPC_SECRET_BYTES || c->n == CUZK_RPC_MAX_CALLERS) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "token of %zu characters: at least %u are needed, and less than %u", n,
                         MIN_TOKEN, CUZK_RPC_SECRET_BYTES);
    }
    cuzk_rpc_caller *x = &c->item[c->n++];
    memset(x, 0, sizeof(*x));
    (void)snprintf(x->name, sizeof(x->name), "token");
    x->role = CUZK_RPC_ADMINISTER;
    memcpy(x->secret, token, n);
    return CUZK_OK;
}

cuzk_status cuzk_rpc_secrets_read(cuzk_rpc_secrets **out, const char *tls_cert, const char *tls_key,
                                  const char *tls_client_ca, const char *token,
                                  const cuzk_rpc_callers *tokens, const cuzk_rpc_callers *certs,
                                  cuzk_err *err)
{
    cuzk_rpc_secrets *x = cuzk_alloc_zero(1, sizeof(*x));
    cuzk_status st = CUZK_OK;
    if (x == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for certificates");
    }
    if (tls_cert != NULL || tls_key != NULL || tls_client_ca != NULL) {
        CUZK_TRY_GOTO(st, cuzk_rpc_tls_server(&x->tls, tls_cert, tls_key, tls_client_ca, err));
    }
    if (token != NULL || tokens != NULL) {
        CUZK_TRY_GOTO(st, copy(&x->tokens, tokens, err));
    }
    if (token != NULL) {
        CUZK_TRY_GOTO(st, add_token(x->tokens, token, err));
    }
    if (certs != NULL) {
        CUZK_TRY_GOTO(st, copy(&x->certs, certs, err));
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
        if (x->tokens != NULL) {
            explicit_bzero(x->tokens, sizeof(*x->tokens));
        }
        cuzk_free(x->tokens);
        cuzk_free(x->certs);
        cuzk_free(x);
    }
}

/* Exchanges what is in fresh. */
#define TAKE(field)                           \
    do {                                      \
        if (fresh->field != NULL) {           \
            void *old_ = s->secrets->field;   \
            s->secrets->field = fresh->field; \
            fresh->field = old_;              \
        }                                     \
    } while (0)

cuzk_status cuzk_rpc_server_renew(cuzk_rpc_server *s, cuzk_rpc_secrets *fresh, cuzk_err *err)
{
    if ((fresh->tls != NULL && s->secrets->tls == NULL) ||
        (fresh->tokens != NULL && s->secrets->tokens == NULL) ||
        (fresh->certs != NULL && s->secrets->certs == NULL)) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "whether there is TLS, a token and roles of certificates is decided when "
                         "the server is created");
    }
    (void)pthread_mutex_lock(&s->secrets_mu);
    TAKE(tls); /* connections hold the context that they were made with */
    TAKE(tokens);
    TAKE(certs);
    (void)pthread_mutex_unlock(&s->secrets_mu);
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

uint64_t rpc_secrets_expire(cuzk_rpc_server *s)
{
    struct tm t;
    memset(&t, 0, sizeof(t));
    (void)pthread_mutex_lock(&s->secrets_mu);
    const X509 *cert = s->secrets->tls != NULL ? SSL_CTX_get0_certificate(s->secrets->tls) : NULL;
    const bool known = cert != NULL && ASN1_TIME_to_tm(X509_get0_notAfter(cert), &t) == 1;
    (void)pthread_mutex_unlock(&s->secrets_mu);
    const time_t at = known ? timegm(&t) : 0;
    return at > 0 ? (uint64_t)at : 0;
}

bool rpc_secrets_token(rpc_call *call, const char *value, size_t n)
{
    cuzk_rpc_server *s = call->server;
    (void)pthread_mutex_lock(&s->secrets_mu);
    const cuzk_rpc_caller *x =
        s->secrets->tokens != NULL ? cuzk_rpc_callers_by_token(s->secrets->tokens, value, n) : NULL;
    if (x != NULL) {
        call->role = x->role;
        (void)snprintf(call->name, sizeof(call->name), "token:%s", x->name);
    }
    (void)pthread_mutex_unlock(&s->secrets_mu);
    return x != NULL;
}

bool cuzk_rpc_server_token_role(cuzk_rpc_server *s, const char *authorization, cuzk_rpc_role *role)
{
    (void)pthread_mutex_lock(&s->secrets_mu);
    const cuzk_rpc_caller *x =
        s->secrets->tokens != NULL && authorization != NULL
            ? cuzk_rpc_callers_by_token(s->secrets->tokens, authorization, strlen(authorization))
            : NULL;
    *role = x != NULL ? x->role : CUZK_RPC_NOBODY;
    (void)pthread_mutex_unlock(&s->secrets_mu);
    return x != NULL;
}

void rpc_secrets_cert(rpc_conn *c)
{
    cuzk_rpc_server *s = c->server;
    char cn[256] = "", shown[CUZK_RPC_NAME_BYTES];
    X509 *x = SSL_get1_peer_certificate(c->ssl);
    if (x == NULL) {
        return;
    }
    const int n =
        X509_NAME_get_text_by_NID(X509_get_subject_name(x), NID_commonName, cn, (int)sizeof(cn));
    X509_free(x);
    /* a name with a NUL or one that is too long is nobody's */
    const bool whole = n > 0 && strlen(cn) == (size_t)n && n < CUZK_RPC_NAME_BYTES;
    (void)pthread_mutex_lock(&s->secrets_mu);
    const cuzk_rpc_caller *known =
        s->secrets->certs != NULL && whole ? cuzk_rpc_callers_by_name(s->secrets->certs, cn) : NULL;
    c->role = s->secrets->certs == NULL ? CUZK_RPC_ADMINISTER
              : known != NULL           ? known->role
                                        : CUZK_RPC_NOBODY;
    (void)pthread_mutex_unlock(&s->secrets_mu);
    (void)snprintf(c->name, sizeof(c->name), "cert:%s",
                   whole ? cuzk_utf8_clean(shown, sizeof(shown), cn, (size_t)n) : "?");
}

static void unix_peer(rpc_conn *c, const rpc_listener *l)
{
    struct ucred u;
    socklen_t n = sizeof(u);
    if (getsockopt(c->fd, SOL_SOCKET, SO_PEERCRED, &u, &n) != 0) {
        c->role = l->role;
        (void)snprintf(c->peer, sizeof(c->peer), "unix");
        return;
    }
    const bool owner = u.uid == 0 || u.uid == geteuid();
    c->role = owner ? CUZK_RPC_ADMINISTER : l->role;
    (void)snprintf(c->name, sizeof(c->name), "uid:%lu", (unsigned long)u.uid);
    (void)snprintf(c->peer, sizeof(c->peer), "unix uid %lu pid %ld", (unsigned long)u.uid,
                   (long)u.pid);
}

void rpc_secrets_peer(rpc_conn *c, const rpc_listener *l)
{
    struct sockaddr_storage a;
    socklen_t n = sizeof(a);
    char host[INET6_ADDRSTRLEN] = "?";
    if (l->is_unix) {
        unix_peer(c, l);
        return;
    }
    c->role = l->role;
    memset(&a, 0, sizeof(a));
    if (getpeername(c->fd, (struct sockaddr *)&a, &n) != 0) {
        return;
    }
    if (a.ss_family == AF_INET6) {
        struct sockaddr_in6 v6;
        memcpy(&v6, &a, sizeof(v6));
        (void)inet_ntop(AF_INET6, &v6.sin6_addr, host, sizeof(host));
        (void)snprintf(c->peer, sizeof(c->peer), "[%s]:%u", host, ntohs(v6.sin6_port));
    } else {
        struct sockaddr_in v4;
        memcpy(&v4, &a, sizeof(v4));
        (void)inet_ntop(AF_INET, &v4.sin_addr, host, sizeof(host));
        (void)snprintf(c->peer, sizeof(c->peer), "%s:%u", host, ntohs(v4.sin_port));
    }
}
