/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "config/config_value.h"
#include "cpu/cpu.h"

#include "serve.h"
#include "serve_engine.h"

#define TRACE_SPANS 16384u /* 3 MiB */
#define GRACE_MS    2000u  /* for answers on their way when everything is over */

static void say_failure(serve *s, const char *event)
{
    CUZK_LOG(s->log, CUZK_LOG_ERROR, event, "code", cuzk_status_name(s->err.code), "why",
             s->err.msg);
}

static const char *environment(const char *name)
{
    const char *v = getenv(name); /* NOLINT(concurrency-mt-unsafe): nobody here calls setenv */
    return v != NULL && v[0] != '\0' ? v : NULL;
}

/* --- log --- */

static void choose_format(const serve *s, cuzk_log_config *c)
{
    const char *format = s->config->log_format;
    if (strcmp(format, "json") == 0) {
        c->format = CUZK_LOG_JSON;
    } else if (strcmp(format, "journal") == 0 ||
               (strcmp(format, "auto") == 0 &&
                cuzk_log_is_journal(c->fd, environment("JOURNAL_STREAM")))) {
        c->format = CUZK_LOG_JOURNAL;
    } else {
        c->format = CUZK_LOG_TEXT;
        c->colour = isatty(c->fd) == 1 && environment("NO_COLOR") == NULL;
    }
}

void serve_say_issues(const serve *s)
{
    static const cuzk_log_level levels[] = {CUZK_LOG_INFO, CUZK_LOG_WARN, CUZK_LOG_ERROR};
    for (size_t i = 0; i < s->issues->n; i++) {
        CUZK_LOG(s->log, levels[s->issues->item[i].severity], "config.key", "what",
                 s->issues->item[i].text);
    }
}

/* A token file that every user can read protects nothing. The daemon warns and starts. */
static void say_token(const serve *s)
{
    struct stat st;
    if (s->tokens != NULL && stat(s->config->token_file, &st) == 0 && (st.st_mode & S_IROTH) != 0) {
        CUZK_LOG(s->log, CUZK_LOG_WARN, "token.readable", "path", s->config->token_file, "what",
                 "everybody on this machine can read the secret");
    }
}

static const char *or_null(const char *text)
{
    return text[0] == '\0' ? NULL : text;
}

/* A missing folder is no error: it may be mounted later, and each job looks again. */
static void say_params(serve *s)
{
    const char *given = s->config->param_cache;
    const char *path = given[0] == '\0' ? "/var/tmp/filecoin-proof-parameters" : given;
    const bool is_there = access(path, R_OK | X_OK) == 0;
    CUZK_LOG(s->log, is_there ? CUZK_LOG_INFO : CUZK_LOG_WARN, "params.folder", "path", path,
             "from",
             cuzk_config_is_given(s->config, "srs.param_cache") ? "configuration or environment"
                                                                : "default",
             "what",
             is_there ? NULL : "cannot be read: jobs fail until their .params and .vk are there");
}

cuzk_status serve_open_log(serve *s)
{
    cuzk_log_config c = {.fd = STDERR_FILENO, .level = serve_log_level(s)};
    char cpu[128], pid[24];
    choose_format(s, &c);
    CUZK_TRY(cuzk_log_create(&s->log, &c, &s->err));
    (void)snprintf(pid, sizeof(pid), "%ld", (long)getpid());
    CUZK_LOG(s->log, CUZK_LOG_INFO, "daemon.start", "version", CUZK_VERSION_STR, "pid", pid, "cpu",
             cuzk_cpu_describe(cuzk_cpu_detect(), cpu, sizeof(cpu)), "config",
             s->config_path != NULL ? s->config_path : "none, defaults");
    serve_say_issues(s);
    say_token(s);
    CUZK_LOG(s->log, s->env.unknown[0] != '\0' ? CUZK_LOG_WARN : CUZK_LOG_INFO,
             "daemon.environment", "recognised", s->env.recognised, "mapped", s->env.mapped,
             "ignored", s->env.ignored, "unknown", or_null(s->env.unknown));
    if (!serve_rust_log_is_clear(s)) {
        CUZK_LOG(s->log, CUZK_LOG_WARN, "daemon.rust_log", "value", s->env.rust_log, "what",
                 "names no level for cuzk: logging.level holds");
    }
    say_params(s);
    return CUZK_OK;
}

/* --- store --- */

/* Logs that the disk became full, or has room again. Called from the thread that noticed it; never waits. */
static void say_full(void *arg, bool full, const char *why)
{
    const serve *s = arg;
    if (full && why != NULL) {
        CUZK_LOG(s->log, CUZK_LOG_ERROR, "store.unwritable", "why", why, "what",
                 "not ready, and jobs are refused, until a write succeeds");
    } else if (full) {
        CUZK_LOG(
            s->log, CUZK_LOG_ERROR, "store.full", "what",
            "the disk is full: jobs are refused, WinningPoSt as long as the space that is kept "
            "for it lasts; results of accepted jobs are kept");
    } else {
        CUZK_LOG(s->log, CUZK_LOG_INFO, "store.room", "what",
                 "jobs are taken again: the job store can be written");
    }
}

/* Logs what opening the store found. */
static void say_report(const serve *s, const char *path, const cuzk_store_report *r)
{
    char number[24];
    if (r->moved_to[0] != '\0') {
        CUZK_LOG(s->log, CUZK_LOG_ERROR, "store.damaged", "path", path, "moved_to", r->moved_to,
                 "why", r->damage);
    }
    if (r->lost > 0) {
        (void)snprintf(number, sizeof(number), "%" PRIu64, r->lost);
        CUZK_LOG(
            s->log, CUZK_LOG_ERROR, "store.jobs_lost", "path", path, "jobs", number, "why",
            "accepted jobs are not in the database: its write-ahead log was removed or cut, or an older copy of the database was put back");
    }
    if (r->gave_reserve) {
        CUZK_LOG(s->log, CUZK_LOG_WARN, "store.reserve_given", "path", path, "why",
                 "the disk is full: the space that is kept for results is used for this start");
    }
    if (r->orphans > 0) {
        (void)snprintf(number, sizeof(number), "%" PRIu64, r->orphans);
        CUZK_LOG(s->log, CUZK_LOG_INFO, "store.swept", "path", path, "inputs_removed", number);
    }
    if (r->strangers > 0) {
        (void)snprintf(number, sizeof(number), "%" PRIu64, r->strangers);
        CUZK_LOG(s->log, CUZK_LOG_WARN, "store.other_files", "path", path, "files", number, "what",
                 "left alone: the folder of inputs is the store's");
    }
}

static cuzk_status open_store_at(serve *s, const char *path)
{
    const cuzk_store_config c = {.path = path,
                                 .max_bytes = s->config->store_max_size,
                                 .on_full = say_full,
                                 .on_full_arg = s};
    cuzk_store_report r;
    char unfinished[24], ended[24];
    CUZK_TRY(cuzk_store_open(&s->store, &c, &r, &s->err));
    s->has_store = true;
    (void)snprintf(unfinished, sizeof(unfinished), "%" PRIu64, r.unfinished);
    (void)snprintf(ended, sizeof(ended), "%" PRIu64, r.ended);
    say_report(s, path, &r);
    CUZK_LOG(s->log, CUZK_LOG_INFO, "store.open", "path", path, "unfinished", unfinished, "ended",
             ended);
    return serve_history_open(s, path);
}

/* Without an "auto" store the daemon proves all the same; a store that the configuration names must open. */
static cuzk_status open_store(serve *s)
{
    char path[CUZK_STORE_PATH_BYTES];
    const char *given = s->config->store_path, *state = environment("STATE_DIRECTORY");
    if (s->config->store_url[0] != '\0') {
        return serve_open_shared_store(s);
    }
    if (strcmp(given, "memory") == 0) {
        CUZK_LOG(s->log, CUZK_LOG_INFO, "store.memory", "why", "configured");
        return CUZK_OK;
    }
    if (strcmp(given, "auto") != 0) {
        return open_store_at(s, given);
    }
    (void)snprintf(path, sizeof(path), "%.*s/jobs.db",
                   state == NULL ? 13 : (int)strcspn(state, ":"),
                   state == NULL ? "/var/lib/cuzk" : state);
    const cuzk_status st = open_store_at(s, path);
    if (st == CUZK_E_IO && state == NULL) {
        CUZK_LOG(s->log, CUZK_LOG_WARN, "store.memory", "why", s->err.msg, "hint",
                 "jobs will not survive a restart; set store.path");
        return CUZK_OK;
    }
    return st;
}

/* --- engine --- */

static cuzk_status start_engine(serve *s)
{
    cuzk_engine_config e;
    const cuzk_rpc_limits l = serve_front_limits(s->config);
    serve_engine_config(&e, s->config);
    e.front_bytes = serve_front_bytes(&l) + serve_receive_bytes(s->config) - l.receive_budget;
    e.store = s->has_store ? &s->store : NULL;
    e.log = cuzk_log_engine;
    e.log_arg = s->log;
    e.trace = s->trace;
    return cuzk_engine_create(&s->engine, &e, &s->err);
}

/* --- servers --- */

static bool is_tls(const cuzk_config *c, const char *address)
{
    return !cuzk_config_listen_is_unix(address) && c->tls_cert[0] != '\0' &&
           strncmp(address, "http://", 7) != 0;
}

static void say_listening(const serve *s, const char *address, bool tls, uint16_t port)
{
    char number[8];
    const bool token = s->tokens != NULL && !cuzk_config_listen_is_unix(address);
    const bool client = tls && s->config->tls_client_ca[0] != '\0';
    if (!cuzk_config_listen_is_local(address) && !token && !client) {
        CUZK_LOG(s->log, CUZK_LOG_WARN, "listen.open", "address", address, "what",
                 tls ? "anybody who reaches this address can use the daemon: there is no "
                       "daemon.tls_client_ca and no daemon.token_file"
                     : "anybody who reaches this address can use the daemon, and read along: there "
                       "is no TLS and no daemon.token_file");
    }
    (void)snprintf(number, sizeof(number), "%u", port);
    CUZK_LOG(s->log, CUZK_LOG_INFO, "listen.grpc", "address", address, "port",
             port == 0 ? NULL : number, "tls",
             client ? "mutual"
             : tls  ? "yes"
                    : "no",
             "token", token ? "yes" : "no", "role",
             token                                 ? "of the token"
             : client && s->certs != NULL          ? "of the certificate"
             : client                              ? "administer"
             : cuzk_config_listen_is_unix(address) ? s->config->socket_role
                                                   : s->config->open_role);
}

const char *serve_not_ready(void *arg)
{
    const serve *s = arg;
    return s->has_store && !s->is_shared && cuzk_store_is_full(&s->store)
               ? "not ready: the job store's disk is full or cannot be written\n"
               : NULL;
}

static cuzk_rpc_role role_of(const char *text)
{
    cuzk_rpc_role role = CUZK_RPC_OBSERVE;
    (void)cuzk_rpc_role_parse(&role, text, strlen(text)); /* the configuration was checked */
    return role;
}

static bool may_observe(void *arg, const char *authorization)
{
    const serve *s = arg;
    cuzk_rpc_role role = CUZK_RPC_NOBODY;
    return cuzk_rpc_server_token_role(s->rpc, authorization, &role) &&
           (role & CUZK_RPC_MAY_OBSERVE) != 0;
}

/* Bound and listening; answering begins with cuzk_rpc_server_start. */
static cuzk_status bind_rpc(serve *s)
{
    const cuzk_config *c = s->config;
    cuzk_rpc_listen listen[CUZK_CONFIG_MAX_ITEMS];
    const cuzk_rpc_limits limits = serve_front_limits(c);
    if (serve_receive_bytes(c) < c->receive_budget) {
        char bytes[24], message[24];
        (void)snprintf(bytes, sizeof(bytes), "%" PRIu64, limits.receive_budget);
        (void)snprintf(message, sizeof(message), "%zu", limits.max_message);
        CUZK_LOG(s->log, CUZK_LOG_WARN, "receive.reduced", "receive_budget", bytes, "max_message",
                 message, "why", "daemon.receive_budget is at most a quarter of the memory budget");
    }
    if (limits.max_connections < c->max_connections) {
        char number[12];
        (void)snprintf(number, sizeof(number), "%u", limits.max_connections);
        CUZK_LOG(s->log, CUZK_LOG_INFO, "connections.reduced", "max_connections", number, "why",
                 "the memory budget or the limit of open files allows no more");
    }
    for (uint32_t i = 0; i < c->listen.n; i++) {
        const char *address = c->listen.item[i];
        listen[i].address = address;
        listen[i].tls = is_tls(c, address);
        listen[i].no_token = cuzk_config_listen_is_unix(address);
        listen[i].role = role_of(listen[i].no_token ? c->socket_role : c->open_role);
    }
    const cuzk_rpc_server_config r = {.engine = s->engine,
                                      .listen = listen,
                                      .n_listen = c->listen.n,
                                      .unix_mode = (int)c->socket_mode,
                                      .tls_cert = or_null(c->tls_cert),
                                      .tls_key = or_null(c->tls_key),
                                      .tls_client_ca = or_null(c->tls_client_ca),
                                      .tokens = s->tokens,
                                      .certs = s->certs,
                                      .limits = limits,
                                      .not_ready = serve_not_ready,
                                      .not_ready_arg = s,
                                      .metrics = serve_metrics,
                                      .metrics_arg = s,
                                      .input_part = s->is_shared ? serve_input_part : NULL,
                                      .input_part_arg = s,
                                      .log = cuzk_log_engine,
                                      .log_arg = s->log};
    CUZK_TRY(cuzk_rpc_server_create(&s->rpc, &r, &s->err));
    for (uint32_t i = 0; i < c->listen.n; i++) {
        say_listening(s, c->listen.item[i], listen[i].tls, cuzk_rpc_server_port(s->rpc, i));
    }
    return CUZK_OK;
}

static cuzk_status start_api(serve *s)
{
    const cuzk_config *c = s->config;
    char port[8];
    if (c->http_listen[0] == '\0') {
        return CUZK_OK;
    }
    const cuzk_api_config a = {.listen = c->http_listen,
                               .engine = s->engine,
                               .get_metrics = serve_metrics,
                               .get_metrics_arg = s,
                               .allow = c->http_token ? may_observe : NULL,
                               .allow_arg = s,
                               .get_ready = serve_not_ready,
                               .get_ready_arg = s,
                               .get_fleet = s->fleet != NULL ? serve_fleet_json : NULL,
                               .get_fleet_arg = s,
                               .trace = s->trace,
                               .history = serve_history_day(s),
                               .on_history = serve_history_keep,
                               .on_history_arg = s,
                               .max_connections = serve_http_connections(),
                               .version = CUZK_VERSION_STR,
                               .allow_origin = or_null(c->allow_origin)};
    CUZK_TRY(cuzk_api_server_create(&s->api, &a, &s->err));
    if (!cuzk_config_listen_is_local(c->http_listen) && !c->http_token) {
        CUZK_LOG(s->log, CUZK_LOG_WARN, "listen.open", "address", c->http_listen, "what",
                 "anybody who reaches this address can see jobs and metrics");
    }
    (void)snprintf(port, sizeof(port), "%u", cuzk_api_server_port(s->api));
    CUZK_LOG(s->log, CUZK_LOG_INFO, "listen.http", "address", c->http_listen, "port", port);
    return CUZK_OK;
}

/* Preloads circuits one after the other, on a thread of its own: jobs are accepted meanwhile. */
static void *preload(void *arg)
{
    serve *s = arg;
    for (uint32_t i = 0; i < s->config->preload.n; i++) {
        const char *id = s->config->preload.item[i];
        cuzk_err err = {.code = CUZK_OK};
        bool already = false;
        uint64_t ms = 0;
        char text[24];
        if (cuzk_engine_preload(s->engine, id, &already, &ms, &err) == CUZK_OK) {
            (void)snprintf(text, sizeof(text), "%" PRIu64, ms);
            CUZK_LOG(s->log, CUZK_LOG_INFO, "preload.done", "circuit", id, "ms", text);
        } else {
            CUZK_LOG(s->log, CUZK_LOG_WARN, "preload.failed", "circuit", id, "why", err.msg);
        }
    }
    return NULL;
}

static cuzk_status start(serve *s)
{
    serve_raise_file_limit(); /* a usual soft limit of 1024 is less than daemon.max_connections */
    CUZK_TRY(open_store(s));
    CUZK_TRY(cuzk_trace_create(&s->trace, TRACE_SPANS, &s->err));
    CUZK_TRY(start_engine(s));
    CUZK_TRY(bind_rpc(s));
    CUZK_TRY(start_api(s)); /* its /metrics has those of the other */
    cuzk_log_flush(s->log); /* who is answered may read where the rest is */
    CUZK_TRY(cuzk_rpc_server_start(s->rpc, &s->err));
    if (s->config->preload.n > 0) {
        s->has_preloader = pthread_create(&s->preloader, NULL, preload, s) == 0;
    }
    return CUZK_OK;
}

cuzk_status serve_start(serve *s)
{
    const cuzk_status st = start(s);
    if (st != CUZK_OK) {
        say_failure(s, "daemon.failed");
    }
    return st;
}

void serve_stop(serve *s)
{
    if (s->rpc != NULL) {
        cuzk_rpc_server_stop(s->rpc, GRACE_MS);
    }
    cuzk_api_server_stop(s->api);
    serve_history_close(s);
    cuzk_rpc_server_destroy(s->rpc);
    if (s->has_preloader) {
        (void)pthread_join(s->preloader, NULL);
    }
    cuzk_engine_destroy(s->engine);
    cuzk_trace_destroy(s->trace);
    serve_fleet_destroy(s);
    if (s->has_store) {
        s->store.destroy(s->store.arg);
    }
    CUZK_LOG(s->log, CUZK_LOG_INFO, "daemon.stopped", NULL);
    cuzk_log_destroy(s->log);
    s->log = NULL;
    serve_free_callers(s);
}
