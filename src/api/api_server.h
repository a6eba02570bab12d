/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_API_API_SERVER_H
#define CUZK_API_API_SERVER_H

/*
 * The daemon's HTTP side, read only: GET and HEAD of
 *
 *     /          the page          /status   JSON, docs/monitoring.md
 *     /metrics   Prometheus text   /trace    the recorder's spans, if there is a recorder
 *     /history   JSON, the last day in samples of five minutes
 *     /healthz   200 while it runs /readyz   200 while jobs are taken, else 503 and the reason
 *
 * One thread of its own answers everything from snapshots of the engine, so that a slow client
 * costs its connection only. Connections, request size and time are bounded.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/history/history.h"
#include "base/status.h"
#include "engine/engine_status.h"
#include "trace/trace.h"

typedef struct cuzk_api_server cuzk_api_server;

/** Fills *out, which is then freed with cuzk_engine_status_free. Called from the server's thread. */
typedef cuzk_status (*cuzk_api_status_fn)(void *arg, cuzk_engine_status *out, cuzk_err *err);

/** The text of /metrics, to which the server adds its own counters: *text [n], released with cuzk_free. */
typedef cuzk_status (*cuzk_api_metrics_fn)(void *arg, char **text, size_t *n, cuzk_err *err);

/** The fleet that the daemon is a member of, a JSON object: *text [n], released with cuzk_free. */
typedef cuzk_status (*cuzk_api_fleet_fn)(void *arg, char **text, size_t *n, cuzk_err *err);

/** NULL: ready; else why not, a literal that ends with a line feed. */
typedef const char *(*cuzk_api_ready_fn)(void *arg);

/** May who sends this Authorization header (NULL: none) see jobs and metrics? */
typedef bool (*cuzk_api_allow_fn)(void *arg, const char *authorization);

/** The server's thread: a sample of the history has ended, or the server stops. */
typedef void (*cuzk_api_history_fn)(void *arg, const cuzk_history *h, uint64_t now_ns);

/** Value-initialise; everything is borrowed until cuzk_api_server_stop returns, but the strings. */
typedef struct cuzk_api_config {
    /** "IP:port", "[IPv6]:port", "localhost:port", ":port" or "port" (both: loopback); port 0: any free one. */
    const char *listen;
    cuzk_engine *engine;
    cuzk_api_status_fn get_status; /* NULL: cuzk_engine_get_status of engine */
    void *get_status_arg;
    cuzk_api_metrics_fn get_metrics; /* NULL: cuzk_metrics_text of the status */
    void *get_metrics_arg;
    cuzk_api_fleet_fn get_fleet; /* "fleet" of /status; NULL: none */
    void *get_fleet_arg;
    cuzk_api_ready_fn get_ready; /* NULL: ready whenever the engine is */
    void *get_ready_arg;
    cuzk_api_allow_fn
        allow; /* asked for everything but /healthz and /readyz; NULL: everybody may */
    void *allow_arg;
    cuzk_trace *trace;     /* NULL: /trace is not there */
    cuzk_history *history; /* the server's thread writes it; NULL: one of the server's own, empty */
    cuzk_api_history_fn on_history; /* may be NULL; not called for a history of the server's own */
    void *on_history_arg;
    const char *version;       /* NULL: "unknown" */
    const char *allow_origin;  /* value of Access-Control-Allow-Origin; NULL: no such header */
    unsigned max_connections;  /* 0: 64 */
    unsigned idle_timeout_sec; /* of a connection; 0: 15 */
} cuzk_api_config;

/** Binds and starts answering. E_INVALID (listen), E_IO (cannot bind; the message has the address), E_NOMEM. */
CUZK_NODISCARD cuzk_status cuzk_api_server_create(cuzk_api_server **out, const cuzk_api_config *cfg,
                                                  cuzk_err *err);
/** The port that is listened on. */
uint16_t cuzk_api_server_port(const cuzk_api_server *s);
/** Closes all connections and joins the thread. NULL is fine. */
void cuzk_api_server_stop(cuzk_api_server *s);

#endif /* CUZK_API_API_SERVER_H */
