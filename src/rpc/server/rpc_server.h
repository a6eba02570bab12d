/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_RPC_RPC_SERVER_H
#define CUZK_RPC_RPC_SERVER_H

/*
 * The gRPC front end of an engine: cuzk.v1.ProvingEngine, grpc.health.v1.Health and server
 * reflection over HTTP/2, on TCP, unix sockets and TLS. What is on the wire: docs/grpc.md.
 *
 *     cuzk_rpc_server_create(&s, &config, err);   // sockets are bound: wrong addresses fail here
 *     cuzk_rpc_server_start(s, err);
 *     ...
 *     cuzk_engine_drain(e); cuzk_rpc_server_drain(s);   // SIGTERM
 *     while (!cuzk_engine_is_idle(e)) ...
 *     cuzk_rpc_server_destroy(s);                 // before the engine
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/engine_status.h"
#include "rpc/server/rpc_caller.h"

#define CUZK_RPC_MAX_MESSAGE ((size_t)256 << 20) /* bytes of a request message */

/** Where to listen. */
typedef struct cuzk_rpc_listen {
    /* "HOST:PORT", "[IPV6]:PORT", ":PORT", "http(s)://HOST:PORT", "unix:///path", "unix:path" */
    const char *address;
    bool tls;      /* with the server's certificate; also said by https:// */
    bool no_token; /* callers need no token here, e.g. a unix socket that its mode protects */
    /*
     * Of callers that show neither token nor certificate; NOBODY: ADMINISTER. On a unix socket: of
     * users other than root and this process's own, who administer.
     */
    cuzk_rpc_role role;
} cuzk_rpc_listen;

/** Limits and times. 0: the default in brackets. */
typedef struct cuzk_rpc_limits {
    size_t max_message;        /* bytes, [CUZK_RPC_MAX_MESSAGE], at most 2^30 */
    uint64_t receive_budget;   /* bytes of requests being received, all connections [1 GiB] */
    uint64_t stash_budget;     /* bytes of requests that wait for it, all connections [64 MiB] */
    uint64_t answer_budget;    /* bytes of answers that are not taken, all connections [64 MiB] */
    uint32_t max_calls;        /* at once, all connections [16384] */
    uint32_t max_connections;  /* [4096]; a quarter is for unix sockets and known callers */
    uint32_t max_streams;      /* per connection [256] */
    uint32_t max_header_bytes; /* per request [16 KiB] */
    uint32_t preface_ms;       /* until a connection has greeted, TLS included [10 s] */
    uint32_t idle_ms;          /* a connection without calls [30 min] */
    uint32_t ping_ms;          /* silence after which a connection is pinged [30 s] */
    uint32_t ping_timeout_ms;  /* no answer: closed, its calls cancelled [20 s] */
    uint32_t stall_ms;         /* a message half received, or output not taken [60 s] */
    uint32_t submit_threads;   /* hand jobs to the engine (which may write a file) [4] */
} cuzk_rpc_limits;

typedef struct cuzk_rpc_server_config {
    cuzk_engine *engine; /* borrowed; outlives the server */
    const cuzk_rpc_listen *listen;
    size_t n_listen;
    int unix_mode;             /* permissions of unix sockets, e.g. 0660; 0: as umask leaves them */
    const char *tls_cert;      /* PEM chain; needed when a listener has tls */
    const char *tls_key;       /* PEM */
    const char *tls_client_ca; /* PEM; not NULL: clients must show a certificate signed by it */
    const char *token;         /* not NULL: calls must carry "authorization: Bearer TOKEN" */
    const cuzk_rpc_callers *tokens; /* the same with a name and role each; NULL: none. Copied. */
    /* Roles of client certificates, by common name; others may nothing. NULL: all administer. Copied. */
    const cuzk_rpc_callers *certs;
    cuzk_rpc_limits limits;
    /**
     * Prometheus text for GetMetrics: *text is a block of base/alloc.h, which the server frees.
     * NULL: the RPC answers UNIMPLEMENTED.
     */
    cuzk_status (*metrics)(void *arg, char **text, size_t *n, cuzk_err *err);
    void *metrics_arg;
    /**
     * A part of an input for cuzk.fleet.v1, from offset at on: *out [*n], a block of base/alloc.h, which the server
     * frees. NULL: the RPC answers UNIMPLEMENTED.
     */
    cuzk_status (*input_part)(void *arg, const char *name, uint64_t at, uint8_t **out, size_t *n,
                              cuzk_err *err);
    void *input_part_arg;
    /** Why no jobs should come now; NULL: they may. Health says NOT_SERVING then. May be NULL. */
    const char *(*not_ready)(void *arg);
    void *not_ready_arg;
    /** One line per event; kv as in engine_config.h. May be NULL. level: cuzk_log_level. */
    void (*log)(void *arg, int level, const char *event, const char *const *kv);
    void *log_arg;
} cuzk_rpc_server_config;

typedef struct cuzk_rpc_server cuzk_rpc_server;

/**
 * Binds and listens, reads certificates. Strings of the config are copied. E_INVALID (names the
 * address or key), E_IO (address in use, file), E_NOMEM, E_UNSUPPORTED.
 */
CUZK_NODISCARD cuzk_status cuzk_rpc_server_create(cuzk_rpc_server **out,
                                                  const cuzk_rpc_server_config *config,
                                                  cuzk_err *err);
/** Starts serving on threads of its own. E_NOMEM, E_IO. Once. */
CUZK_NODISCARD cuzk_status cuzk_rpc_server_start(cuzk_rpc_server *s, cuzk_err *err);
/** Port of the i-th listener (for ":0"); 0 for a unix socket. */
uint16_t cuzk_rpc_server_port(const cuzk_rpc_server *s, size_t i);
/** Certificate, key, authority (PEM files) and token, read and checked. */
typedef struct cuzk_rpc_secrets cuzk_rpc_secrets;
/** NULL for what is not there. E_INVALID names the file; E_NOMEM. */
CUZK_NODISCARD cuzk_status cuzk_rpc_secrets_read(cuzk_rpc_secrets **out, const char *tls_cert,
                                                 const char *tls_key, const char *tls_client_ca,
                                                 const char *token, const cuzk_rpc_callers *tokens,
                                                 const cuzk_rpc_callers *certs, cuzk_err *err);
/** NULL is fine. */
void cuzk_rpc_secrets_free(cuzk_rpc_secrets *x);
/**
 * Takes them over, and x with them, for the connections and calls that come; connections that are
 * there stay, and so does what is not in x. Whether there is TLS at all, or a token, is as the server
 * was created: E_INVALID, and x is still the caller's. @thread one at a time
 */
CUZK_NODISCARD cuzk_status cuzk_rpc_server_renew(cuzk_rpc_server *s, cuzk_rpc_secrets *x,
                                                 cuzk_err *err);
/** The role of an Authorization header's token, for the HTTP server; false: no token of ours. @thread any */
bool cuzk_rpc_server_token_role(cuzk_rpc_server *s, const char *authorization, cuzk_rpc_role *role);
/**
 * From here on new jobs are answered UNAVAILABLE and health says NOT_SERVING; connections are told
 * to go away, calls under way and questions (status, await, cancel) are still served. @thread any
 */
void cuzk_rpc_server_drain(cuzk_rpc_server *s);
/** not_ready may say something else now: watchers of health are told. @thread any */
void cuzk_rpc_server_ready_changed(cuzk_rpc_server *s);
/** No call is under way, watchers of health aside. @thread any */
bool cuzk_rpc_server_is_idle(cuzk_rpc_server *s);
/**
 * Closes the listeners, waits up to grace_ms for calls under way, then ends them, and joins the
 * threads. Jobs that callers were waiting for are not cancelled: they stay with the engine and its
 * store. Afterwards no engine callback of this server is running or will.
 */
void cuzk_rpc_server_stop(cuzk_rpc_server *s, uint32_t grace_ms);
/** Stops at once if need be, removes unix sockets, frees. NULL is fine. */
void cuzk_rpc_server_destroy(cuzk_rpc_server *s);

/** What the server itself counts, for /metrics. A snapshot; any thread. */
typedef struct cuzk_rpc_stats {
    uint64_t connections_now, connections_total, connections_refused;
    uint64_t connections_evicted; /* made room for others, or did not take their answers */
    uint64_t uploads_ended;       /* too slow while others waited for the memory */
    uint64_t answer_bytes_now;    /* answers that are not taken yet */
    uint64_t calls_now, calls_total;
    uint64_t calls_by_code[17];   /* by gRPC status code, ended ones */
    uint64_t receive_bytes_now;   /* reserved of the receive budget */
    uint64_t receive_waiting_now; /* messages waiting for it */
    uint64_t bytes_received;
    uint64_t certificate_expires; /* Unix time at which the server's certificate ends; 0: no TLS */
} cuzk_rpc_stats;
void cuzk_rpc_server_get_stats(cuzk_rpc_server *s, cuzk_rpc_stats *out);

#endif /* CUZK_RPC_RPC_SERVER_H */
