/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * SIGHUP: reads file, environment and options again. Applies the settings that may change while the daemon runs, all
 * of them or none, and names the others. Certificates and tokens are read again even when their file names are the
 * same.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

#include "serve.h"
#include "serve_engine.h"

/* Keys that take effect at once. */
static const char *const live[] = {"daemon.drain_timeout",
                                   "memory.total_budget",
                                   "memory.safety_margin",
                                   "memory.eviction_min_idle",
                                   "memory.winning_reserve",
                                   "gpus.gpu_workers_per_device",
                                   "gpus.device_timeout",
                                   "scheduler.max_batch_size",
                                   "scheduler.max_batch_wait_ms",
                                   "scheduler.max_queued_jobs",
                                   "scheduler.ageing",
                                   "store.result_retention",
                                   "store.result_count",
                                   "logging.level",
                                   "logging.timeline"};
/* These too, when TLS or a token is configured before and after. */
static const char *const tls_keys[] = {"daemon.tls_cert", "daemon.tls_key", "daemon.tls_client_ca"};
static const char token_key[] = "daemon.token_file";

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

typedef struct changes {
    bool has_tls, has_token, has_certs; /* before and after */
    const char *key[64];                /* that take effect */
    size_t n;
    char changed[1024], restart[1024]; /* the same, and the others, with blanks between */
} changes;

static bool is_in(const char *const *list, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(list[i], key) == 0) {
            return true;
        }
    }
    return false;
}

static void append(char *out, size_t cap, const char *key)
{
    const size_t n = strlen(out);
    (void)snprintf(out + n, cap - n, "%s%s", n == 0 ? "" : " ", key);
}

static void note(void *arg, const char *key)
{
    changes *c = arg;
    const bool is_live = is_in(live, COUNT(live), key) ||
                         (c->has_tls && is_in(tls_keys, COUNT(tls_keys), key)) ||
                         (c->has_token && strcmp(key, token_key) == 0) ||
                         (c->has_certs && strcmp(key, "daemon.client_roles") == 0);
    if (is_live && c->n < COUNT(c->key)) {
        c->key[c->n++] = key;
        append(c->changed, sizeof(c->changed), key);
    } else {
        append(c->restart, sizeof(c->restart), key);
    }
}

static bool has_tls(const cuzk_config *c)
{
    return c->tls_cert[0] != '\0' && c->tls_key[0] != '\0';
}

static const char *or_null(bool is_wanted, const char *text)
{
    return is_wanted && text[0] != '\0' ? text : NULL;
}

/* All steps that can fail come first. */
static cuzk_status apply(serve *s, const serve *fresh, const changes *c, cuzk_err *err)
{
    const cuzk_config *f = fresh->config;
    cuzk_rpc_secrets *secrets = NULL;
    cuzk_engine_config engine;
    if (c->has_tls || c->has_token || c->has_certs) {
        CUZK_TRY(cuzk_rpc_secrets_read(
            &secrets, or_null(c->has_tls, f->tls_cert), or_null(c->has_tls, f->tls_key),
            or_null(c->has_tls, f->tls_client_ca), NULL, c->has_token ? fresh->tokens : NULL,
            c->has_certs ? fresh->certs : NULL, err));
    }
    serve_engine_config(&engine, f);
    const cuzk_status st = cuzk_engine_reconfigure(s->engine, &engine, err);
    if (st != CUZK_OK) {
        cuzk_rpc_secrets_free(secrets);
        return st;
    }
    if (secrets != NULL) {
        CUZK_TRY(cuzk_rpc_server_renew(s->rpc, secrets, err)); /* kinds that the server has */
    }
    return CUZK_OK;
}

static void take_over(serve *s, const serve *fresh, const changes *c)
{
    const bool had_timeline = s->config->timeline;
    for (size_t i = 0; i < c->n; i++) {
        /* without memory for a name it is named as changed once more the next time */
        cuzk_ignore(cuzk_config_copy(s->config, fresh->config, c->key[i], NULL));
    }
    if (s->config->timeline && !had_timeline) {
        s->timeline_ns = cuzk_clock_ns(); /* not for what is over */
    }
}

static cuzk_status reload(serve *s, serve *fresh, changes *c)
{
    CUZK_TRY(serve_configure(fresh));
    c->has_tls = has_tls(s->config) && has_tls(fresh->config);
    c->has_token = s->tokens != NULL && fresh->tokens != NULL;
    c->has_certs = s->certs != NULL && fresh->certs != NULL;
    cuzk_config_diff(s->config, fresh->config, note, c);
    CUZK_TRY(apply(s, fresh, c, &fresh->err));
    take_over(s, fresh, c);
    return CUZK_OK;
}

void serve_reload(serve *s)
{
    serve fresh = {.options = s->options, .issues = s->issues};
    if (s->config_path != NULL) {
        fresh.options.config_path = s->config_path; /* the same file, even when it is gone */
    }
    changes c = {.n = 0};
    (void)serve_notify_send(&s->notify, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
                            cuzk_clock_ns() / 1000);
    if (reload(s, &fresh, &c) == CUZK_OK) {
        const cuzk_log_level level = serve_log_level(&fresh);
        cuzk_log_set_level(s->log, level);
        serve_say_issues(s);
        CUZK_LOG(s->log, CUZK_LOG_INFO, "config.reloaded", "level", cuzk_log_level_name(level),
                 "changed", or_null(true, c.changed), "restart_for", or_null(true, c.restart),
                 "read_again",
                 c.has_tls && c.has_token ? "certificates, token"
                 : c.has_tls              ? "certificates"
                 : c.has_token            ? "token"
                                          : NULL);
    } else {
        CUZK_LOG(s->log, CUZK_LOG_ERROR, "config.not_reloaded", "why", fresh.err.msg);
    }
    cuzk_config_destroy(fresh.config);
    serve_free_callers(&fresh);
    (void)serve_notify_send(&s->notify, "READY=1");
}
