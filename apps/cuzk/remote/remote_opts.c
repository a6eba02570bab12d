/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "sys/file.h"

#include "remote.h"

/* Where a daemon listens by default, and where the packaged one does. */
#define MAX_TOKEN_FILE  ((size_t)64 << 10)
#define DEFAULT_SOCKET  "/run/curio/cuzk.sock"
#define PACKAGED_SOCKET "/run/cuzk/cuzk.sock"

enum {
    OPT_TLS = 0x400,
    OPT_TLS_CA,
    OPT_TLS_CERT,
    OPT_TLS_KEY,
    OPT_TLS_NAME,
    OPT_TOKEN_FILE,
    OPT_TIMEOUT,
    OPT_CONNECT
};

static const struct argp_option options[] = {
    {"addr", 'a', "ADDRESS", 0,
     "The daemon: http://HOST:PORT, https://HOST:PORT, HOST:PORT or unix:///PATH (default: $CUZK_ADDR, "
     "else unix://" DEFAULT_SOCKET " or unix://" PACKAGED_SOCKET
     " if one is there, else http://127.0.0.1:9820)",
     0},
    {"tls", OPT_TLS, NULL, 0, "Use TLS (as https:// does)", 0},
    {"tls-ca", OPT_TLS_CA, "FILE", 0, "CA certificates (PEM) to check the daemon's with", 0},
    {"tls-cert", OPT_TLS_CERT, "FILE", 0, "Certificate (PEM) to show to the daemon", 0},
    {"tls-key", OPT_TLS_KEY, "FILE", 0, "Its key (PEM)", 0},
    {"tls-name", OPT_TLS_NAME, "NAME", 0, "Name that the daemon's certificate must have", 0},
    {"token-file", OPT_TOKEN_FILE, "FILE", 0, "File with the bearer token (default: $CUZK_TOKEN)",
     0},
    {"timeout", OPT_TIMEOUT, "SECONDS", 0, "Give a call up after this time", 0},
    {"connect-timeout", OPT_CONNECT, "SECONDS", 0,
     "Give connecting up after this time (default: 10)", 0},
    {0}};

static void use_tls(remote_opts *r, const char **field, const char *arg)
{
    r->config.tls = true;
    *field = arg;
}

/* Seconds with up to three decimals, in milliseconds. */
static uint64_t want_seconds(struct argp_state *state, const char *arg, const char *name)
{
    char *end = NULL;
    const double v = strtod(arg, &end);
    if (end == arg || *end != '\0' || !(v > 0) || v > 1e9) {
        argp_error(state, "--%s wants a number of seconds, not '%s'", name, arg);
    }
    return (uint64_t)(v * 1000 + 0.5);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    remote_opts *r = state->input;
    switch (key) {
    case 'a': r->config.address = arg; return 0;
    case OPT_TLS: r->config.tls = true; return 0;
    case OPT_TLS_CA: use_tls(r, &r->config.tls_ca, arg); return 0;
    case OPT_TLS_CERT: use_tls(r, &r->config.tls_cert, arg); return 0;
    case OPT_TLS_KEY: use_tls(r, &r->config.tls_key, arg); return 0;
    case OPT_TLS_NAME: use_tls(r, &r->config.tls_name, arg); return 0;
    case OPT_TOKEN_FILE: r->config.token = arg; return 0; /* the path, until remote_prepare */
    case OPT_TIMEOUT: r->config.timeout_ms = want_seconds(state, arg, "timeout"); return 0;
    case OPT_CONNECT: {
        const uint64_t ms = want_seconds(state, arg, "connect-timeout");
        r->config.connect_ms = ms > UINT32_MAX ? UINT32_MAX : (uint32_t)ms;
        return 0;
    }
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp remote_argp = {options, parse, NULL, NULL, NULL, NULL, NULL};

static const char *environment(const char *name)
{
    const char *v = getenv(name); /* NOLINT(concurrency-mt-unsafe): nobody here calls setenv */
    return v != NULL && v[0] != '\0' ? v : NULL;
}

/* First line of the file, kept in r. */
static cuzk_status take_token(app *a, remote_opts *r, const char *path, const cuzk_content *m)
{
    size_t n = 0;
    while (n < m->size && m->data[n] != '\n' && m->data[n] != '\r') {
        n++;
    }
    if (n == 0) {
        return CUZK_FAIL(&a->err, CUZK_E_INVALID, "%s: no token in it", path);
    }
    for (size_t i = 0; i < n; i++) {
        if (m->data[i] <= ' ' || m->data[i] > '~') {
            return CUZK_FAIL(&a->err, CUZK_E_INVALID,
                             "%s: character %zu of the token is not printable ASCII", path, i + 1);
        }
    }
    r->token = cuzk_alloc(n + 1, 1);
    if (r->token == NULL) {
        return CUZK_FAIL(&a->err, CUZK_E_NOMEM, "out of memory for a token");
    }
    memcpy(r->token, m->data, n);
    r->token[n] = '\0';
    r->config.token = r->token;
    return CUZK_OK;
}

static cuzk_status read_token(app *a, remote_opts *r, const char *path)
{
    cuzk_content m;
    CUZK_TRY(cuzk_content_read(&m, path, MAX_TOKEN_FILE, &a->err));
    const cuzk_status st = take_token(a, r, path, &m);
    if (m.size > 0) {
        explicit_bzero(m.data, m.size);
    }
    cuzk_content_free(&m);
    return st;
}

cuzk_status remote_prepare(app *a, remote_opts *r)
{
    const char *token_file = r->config.token;
    r->config.cancel = a->cancel;
    if (r->config.address == NULL) {
        r->config.address = environment("CUZK_ADDR");
    }
    if (r->config.address == NULL) {
        r->config.address = access(DEFAULT_SOCKET, R_OK | W_OK) == 0    ? "unix://" DEFAULT_SOCKET
                            : access(PACKAGED_SOCKET, R_OK | W_OK) == 0 ? "unix://" PACKAGED_SOCKET
                                                                        : "http://127.0.0.1:9820";
    }
    if (token_file != NULL) {
        r->config.token = NULL;
        return read_token(a, r, token_file);
    }
    r->config.token = environment("CUZK_TOKEN");
    return CUZK_OK;
}

cuzk_status remote_connect(app *a, remote_opts *r, cuzk_rpc_client **out)
{
    CUZK_TRY(remote_prepare(a, r));
    return cuzk_rpc_client_create(out, &r->config, &a->err);
}

void remote_explain(app *a)
{
    const char *hint = "";
    if (a->err.os_code == EACCES) {
        hint = "; this user has to be in the group cuzk, which a new login takes over";
    } else if (a->err.os_code == ECONNREFUSED || a->err.os_code == ENOENT) {
        hint =
            "; is the daemon running? --addr names another address, 'cuzk doctor' looks at all of it";
    }
    const size_t n = strlen(a->err.msg);
    (void)snprintf(a->err.msg + n, sizeof(a->err.msg) - n, "%s", hint);
}

void remote_free(remote_opts *r)
{
    cuzk_free(r->token);
    r->token = NULL;
}
