/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_SERVE_H
#define CUZK_APPS_SERVE_H

/*
 * The daemon: the parts of `cuzk serve`, in the order in which they are made. They are destroyed in the opposite
 * order. All of this runs on the main thread; engine and servers have their own threads.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "api/api_server.h"
#include "config/config.h"
#include "engine/engine_status.h"
#include "log/log.h"
#include "rpc/server/rpc_server.h"
#include "store/store.h"
#include "trace/trace.h"

#include "serve_notify.h"

#define SERVE_MAX_LISTEN 16

typedef struct serve_options {
    const char *config_path;              /* NULL: cuzk_config_default_path */
    const char *listen[SERVE_MAX_LISTEN]; /* over the file's */
    uint32_t n_listen;
    const char *http_listen; /* NULL: the file's */
    const char *log_level;   /* NULL: RUST_LOG's, else the file's */
    bool check, reference;
} serve_options;

/** What is known of the fleet (serve_fleet.c). */
typedef struct serve_fleet serve_fleet;
/** The history of the page (serve_history.c). */
typedef struct serve_history serve_history;

typedef struct serve {
    serve_options options;
    cuzk_err err;
    cuzk_config *config;
    cuzk_config_issues *issues;
    cuzk_config_env env;
    const char *config_path; /* the file that was read; NULL: none, every key has its default */
    cuzk_log *log;
    cuzk_rpc_callers *tokens, *certs; /* owned; NULL: none */
    cuzk_job_store store;
    bool has_store;
    bool is_shared;     /* the store is a queue that several daemons share: no file of this one */
    serve_fleet *fleet; /* owned; NULL: no shared queue */
    serve_history *history; /* owned; NULL: not kept over restarts */
    cuzk_trace *trace;
    cuzk_engine *engine;
    cuzk_rpc_server *rpc;
    cuzk_api_server *api;
    serve_notify notify;
    uint64_t timeline_ns; /* jobs that ended until then have their TIMELINE lines */
    pthread_t preloader;
    bool has_preloader;
} serve;

/** File, environment, options: config and issues, without a log yet. The message is in err. */
CUZK_NODISCARD cuzk_status serve_configure(serve *s);
/** Reads the files of tokens and of certificates' roles; those that were read before are freed. */
CUZK_NODISCARD cuzk_status serve_read_callers(serve *s);
void serve_free_callers(serve *s);
/** The level of the log after all three; a level that is no level: the file's. */
cuzk_log_level serve_log_level(const serve *s);
/* False: RUST_LOG is set and has no level for this program. */
bool serve_rust_log_is_clear(const serve *s);
/** Opens the log and logs the configuration. */
CUZK_NODISCARD cuzk_status serve_open_log(serve *s);
/** Logs the notes and warnings of the configuration. */
void serve_say_issues(const serve *s);
/** SIGHUP: applies the settings that may change, and names those that need a restart. */
void serve_reload(serve *s);
/** Starts store, engine and servers; from then on jobs are accepted. Logs a failure. */
CUZK_NODISCARD cuzk_status serve_start(serve *s);
/** Runs until SIGTERM or SIGINT, then drains. @pre serve_block_signals before any thread was started. */
void serve_run(serve *s);
void serve_block_signals(void);
/** With logging.timeline: the lines of the jobs that ended since the last call. */
void serve_timeline(serve *s);
/** Prometheus text of engine and gRPC server, for /metrics and GetMetrics; arg is the serve. @thread any */
cuzk_status serve_metrics(void *arg, char **text, size_t *n, cuzk_err *err);
/** With store.url: the queue that this daemon shares with others. */
CUZK_NODISCARD cuzk_status serve_open_shared_store(serve *s);
/** With a shared queue: /status and /metrics say something about the whole fleet. */
CUZK_NODISCARD cuzk_status serve_fleet_create(serve *s);
void serve_fleet_destroy(serve *s);
/** The fleet as a JSON object, as cuzk_api_config wants it; arg is the serve. @thread any */
cuzk_status serve_fleet_json(void *arg, char **text, size_t *n, cuzk_err *err);
/**
 * Reads the history that the previous daemon left in the file store_path.history. Logs what is wrong with the file.
 * E_NOMEM.
 */
CUZK_NODISCARD cuzk_status serve_history_open(serve *s, const char *store_path);
/** NULL: none was opened. */
cuzk_history *serve_history_day(serve *s);
/** Writes it, as cuzk_api_config wants it; arg is the serve. @thread the HTTP server's */
void serve_history_keep(void *arg, const cuzk_history *day, uint64_t now_ns);
/** After the HTTP server has stopped. */
void serve_history_close(serve *s);
struct cuzk_text_buf;
/** Its metrics; nothing without a shared queue. @thread any */
void serve_fleet_metrics(struct cuzk_text_buf *b, const serve *s);
/** A part of an input that this daemon keeps for the others, as cuzk_rpc_server_config wants it; arg is the serve. @thread any */
cuzk_status serve_input_part(void *arg, const char *name, uint64_t at, uint8_t **out, size_t *n,
                             cuzk_err *err);
/** Why the daemon should get no jobs now, ended by a line feed; NULL: it is ready. arg is the serve. @thread any */
const char *serve_not_ready(void *arg);
/** The limits of the gRPC server: its share of the memory budget and of the open files that the process may have. */
cuzk_rpc_limits serve_front_limits(const cuzk_config *c);
/** Bytes that a server within these limits takes at most. */
uint64_t serve_front_bytes(const cuzk_rpc_limits *l);
/**
 * Bytes for the inputs of jobs that are being put into a shared queue (cuzk_pg_config.pack_bytes), of the same part of
 * the budget as requests; 0 without such a queue.
 */
uint64_t serve_pack_bytes(const cuzk_config *c);
/** Bytes for requests that are under way, and for jobs that are being put. */
uint64_t serve_receive_bytes(const cuzk_config *c);
/** Connections of the HTTP server. */
uint32_t serve_http_connections(void);
/** As many open files as the process may have. Before the limits are asked for. */
void serve_raise_file_limit(void);
/** Stops and destroys all parts. */
void serve_stop(serve *s);

#endif /* CUZK_APPS_SERVE_H */
