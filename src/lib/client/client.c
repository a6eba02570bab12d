/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A client of <cuzk/client.h> and its connections. */
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"

#include "client_internal.h"

#define IDLE_MAX 16u /* connections that are kept */

struct cuzk_client {
    pthread_mutex_t lock;
    cuzk_rpc_client *idle[IDLE_MAX]; /* under the lock */
    size_t n_idle;
    cuzk_rpc_client_config config; /* strings point into texts */
    char *texts;
};

const char *cuzk_client_version(void)
{
    return cuzk_version();
}

/* ---- SIGPIPE ---- */

/* OpenSSL writes to sockets with write(), which raises SIGPIPE when the daemon has closed the connection. */
static void block_pipe(client_call *x)
{
    sigset_t pipe_only, pending;
    (void)sigemptyset(&pipe_only);
    (void)sigaddset(&pipe_only, SIGPIPE);
    (void)sigpending(&pending);
    /* One that waits already is not ours to take away. */
    x->is_pipe_blocked = sigismember(&pending, SIGPIPE) == 0 &&
                         pthread_sigmask(SIG_BLOCK, &pipe_only, &x->mask) == 0;
}

static void unblock_pipe(const client_call *x)
{
    if (x->is_pipe_blocked) {
        const struct timespec now = {0, 0};
        sigset_t pipe_only;
        (void)sigemptyset(&pipe_only);
        (void)sigaddset(&pipe_only, SIGPIPE);
        (void)sigtimedwait(&pipe_only, NULL, &now);
        (void)pthread_sigmask(SIG_SETMASK, &x->mask, NULL);
    }
}

/* ---- calls ---- */

static cuzk_rpc_client *take_idle(cuzk_client *c)
{
    (void)pthread_mutex_lock(&c->lock);
    cuzk_rpc_client *r = c->n_idle != 0 ? c->idle[--c->n_idle] : NULL;
    (void)pthread_mutex_unlock(&c->lock);
    return r;
}

static void give_idle(cuzk_client *c, cuzk_rpc_client *r)
{
    (void)pthread_mutex_lock(&c->lock);
    const bool is_kept = c->n_idle < IDLE_MAX;
    if (is_kept) {
        c->idle[c->n_idle++] = r;
    }
    (void)pthread_mutex_unlock(&c->lock);
    if (!is_kept) {
        cuzk_rpc_client_destroy(r);
    }
}

cuzk_status client_call_begin(client_call *out, cuzk_client *c, const cuzk_client_call *options,
                              cuzk_error *error)
{
    cuzk_client_call o = {.struct_size = sizeof(o)};
    cuzk_err err = {.msg = ""};
    if (options != NULL) {
        CUZK_TRY(lib_take(&o, sizeof(o), options, "cuzk_client_call", error));
    }
    const cuzk_cancel *stop = o.stop != NULL ? &o.stop->cancel : NULL;
    if (cuzk_cancel_requested(stop)) {
        return lib_fail(error, CUZK_E_CANCELLED, "stopped before the call");
    }
    out->client = c;
    block_pipe(out);
    out->connection = take_idle(c);
    if (out->connection == NULL) {
        cuzk_rpc_client_config config = c->config;
        config.cancel = stop;
        const cuzk_status st = cuzk_rpc_client_create(&out->connection, &config, &err);
        if (st != CUZK_OK) {
            unblock_pipe(out);
            return cuzk_cancel_requested(stop) ? lib_fail(error, CUZK_E_CANCELLED, "stopped")
                                               : lib_error(error, st, &err);
        }
    }
    cuzk_rpc_client_set_timeout(out->connection, o.timeout_ms);
    cuzk_rpc_client_set_cancel(out->connection, stop);
    return CUZK_OK;
}

cuzk_status client_call_end(client_call *x, cuzk_status st, const cuzk_err *err, cuzk_error *error)
{
    cuzk_rpc_client_set_cancel(x->connection, NULL);
    give_idle(x->client, x->connection);
    unblock_pipe(x);
    return lib_error(error, st, err);
}

/* ---- the client ---- */

/* Copies the strings of the options into one block, and the options into config. */
static bool copy_config(cuzk_client *c, const cuzk_client_options *o)
{
    const char *const from[] = {o->address, o->tls_ca,   o->tls_cert,
                                o->tls_key, o->tls_name, o->token};
    cuzk_rpc_client_config *k = &c->config;
    const char **const to[] = {&k->address, &k->tls_ca,   &k->tls_cert,
                               &k->tls_key, &k->tls_name, &k->token};
    const size_t n = sizeof(from) / sizeof(from[0]);
    size_t total = 0;
    for (size_t i = 0; i < n; i++) {
        total += from[i] != NULL ? strlen(from[i]) + 1 : 0;
    }
    char *at = c->texts = cuzk_alloc(total, 1);
    if (at == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (from[i] != NULL) {
            const size_t size = strlen(from[i]) + 1;
            memcpy(at, from[i], size);
            *to[i] = at;
            at += size;
        }
    }
    k->connect_ms = o->connect_ms;
    k->tls = o->tls_ca != NULL || o->tls_cert != NULL || o->tls_key != NULL || o->tls_name != NULL;
    return true;
}

cuzk_status cuzk_client_create(cuzk_client **out, const cuzk_client_options *options,
                               cuzk_error *error)
{
    cuzk_client_options o;
    const cuzk_err none = {.msg = ""};
    client_call x;
    CUZK_TRY(lib_take(&o, sizeof(o), options, "cuzk_client_options", error));
    if (o.address == NULL || o.address[0] == '\0') {
        return lib_fail(error, CUZK_E_INVALID, "address: required");
    }
    cuzk_client *c = cuzk_alloc_zero(1, sizeof(*c));
    if (c == NULL) {
        return lib_fail(error, CUZK_E_NOMEM, "client: out of memory");
    }
    (void)pthread_mutex_init(&c->lock, NULL);
    cuzk_status st =
        copy_config(c, &o) ? CUZK_OK : lib_fail(error, CUZK_E_NOMEM, "client: out of memory");
    if (st == CUZK_OK) {
        st = client_call_begin(&x, c, NULL, error);
    }
    if (st == CUZK_OK) {
        st = client_call_end(&x, CUZK_OK, &none, error);
    }
    if (st != CUZK_OK) {
        cuzk_client_destroy(c);
        return st;
    }
    *out = c;
    return CUZK_OK;
}

void cuzk_client_destroy(cuzk_client *c)
{
    if (c == NULL) {
        return;
    }
    client_call x;
    block_pipe(&x); /* TLS says goodbye */
    for (size_t i = 0; i < c->n_idle; i++) {
        cuzk_rpc_client_destroy(c->idle[i]);
    }
    unblock_pipe(&x);
    (void)pthread_mutex_destroy(&c->lock);
    cuzk_free(c->texts);
    cuzk_free(c);
}

/* ---- stop ---- */

cuzk_status cuzk_client_stop_create(cuzk_client_stop **out, cuzk_error *error)
{
    cuzk_client_stop *s = cuzk_alloc_zero(1, sizeof(*s));
    if (s == NULL) {
        return lib_fail(error, CUZK_E_NOMEM, "stop: out of memory");
    }
    *out = s;
    return CUZK_OK;
}

void cuzk_client_stop_request(cuzk_client_stop *s)
{
    atomic_store(&s->cancel.requested, true);
}

void cuzk_client_stop_destroy(cuzk_client_stop *s)
{
    cuzk_free(s);
}
