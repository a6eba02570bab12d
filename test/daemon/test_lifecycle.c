/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Start, drain, stop, reload and restart of the real daemon. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon_fixture.h"
#include "test.h"

static daemon_box box;

static void await_proof(const char *id, const rig_request *rq)
{
    cuzk_rpc_result r;
    cuzk_err err = {.code = CUZK_OK};
    cuzk_rpc_client *c = box_client(&box, 120000);
    memset(&r, 0, sizeof(r));
    CHECK_OK(cuzk_rpc_client_await(c, id, 100000, &r, &err), &err);
    CHECK_MSG(r.outcome == CUZK_RPC_COMPLETED, "%s: %s: %s", id, cuzk_rpc_outcome_name(r.outcome),
              r.error);
    CHECK(rig_verifies(rq, r.proof, r.proof_size, box.params));
    cuzk_rpc_result_free(&r);
    cuzk_rpc_client_destroy(c);
}

static void starts_proves_and_stops(void)
{
    rig_request rq;
    struct stat st;
    char id[CUZK_JOB_ID_BYTES];
    box_make(&box, "logging.timeline = true\n");
    box_make_params(&box);
    box_listen_notify(&box);
    box_start(&box);
    CHECK(box_notified(&box, "READY=1", 10000));
    CHECK(box_notified(&box, "STATUS=serving: ", 10000));
    const char *path = box.address + strlen("unix://");
    CHECK(stat(path, &st) == 0 && S_ISSOCK(st.st_mode));
    CHECK_U64(st.st_mode & 07777, 0660);
    CHECK_U64(box_http(&box, "/healthz"), 200);
    CHECK_U64(box_http(&box, "/readyz"), 200);
    CHECK_U64(box_http(&box, "/metrics"), 200);
    rig_request_make(&rq, CUZK_JOB_WINNING, 1, "winpost-1000-00");
    box_submit(&box, &rq.rq, id);
    await_proof(id, &rq);
    CHECK(box_log_has(&box, "job.accepted"));
    CHECK_U64(box_end(&box, SIGTERM), 0);
    CHECK(box_notified(&box, "STOPPING=1", 1000));
    CHECK(stat(path, &st) != 0); /* the socket is gone */
    CHECK(box_log_has(&box, "daemon.drain why=SIGTERM"));
    CHECK(box_log_has(&box, "daemon.stopped"));
    CHECK(box_log_has(&box, ",SYNTH_START,winpost-1000-00,partition=0\n"));
    CHECK(box_log_has(&box, ",GPU_END,winpost-1000-00,partition=0\n"));

    box_start(&box); /* the result is still known */
    await_proof(id, &rq);
    CHECK_U64(box_end(&box, SIGINT), 0);
    rig_request_free(&rq);
}

enum { JOBS = 6 };

static void submit_many(rig_request *rq, char ids[JOBS][CUZK_JOB_ID_BYTES])
{
    for (int i = 0; i < JOBS; i++) {
        char name[64];
        (void)snprintf(name, sizeof(name), "job %d", i);
        rig_request_make(&rq[i], CUZK_JOB_WINNING, (uint64_t)i % 3, name);
        box_submit(&box, &rq[i].rq, ids[i]);
    }
}

typedef struct waiter {
    const char *id;
    const rig_request *rq;
    bool ok;
} waiter;

static void *wait_for(void *arg)
{
    waiter *w = arg;
    cuzk_rpc_result r;
    cuzk_rpc_client *c = NULL;
    const cuzk_rpc_client_config cfg = {.address = box.address, .timeout_ms = 120000};
    memset(&r, 0, sizeof(r));
    w->ok = cuzk_rpc_client_create(&c, &cfg, NULL) == CUZK_OK &&
            cuzk_rpc_client_await(c, w->id, 0, &r, NULL) == CUZK_OK &&
            r.outcome == CUZK_RPC_COMPLETED && r.proof_size == 192;
    cuzk_rpc_result_free(&r);
    cuzk_rpc_client_destroy(c);
    return NULL;
}

static void drains(void)
{
    rig_request rq[JOBS];
    char ids[JOBS][CUZK_JOB_ID_BYTES], late[CUZK_JOB_ID_BYTES];
    pthread_t t;
    box_make(&box, "");
    box_make_params(&box);
    box_start(&box);
    submit_many(rq, ids);
    waiter w = {.id = ids[JOBS - 1], .rq = &rq[JOBS - 1]};
    cuzk_rpc_client *c = box_client(&box, 30000); /* connected before the end is near */
    CHECK(pthread_create(&t, NULL, wait_for, &w) == 0);
    CHECK(kill(box.pid, SIGTERM) == 0);
    CHECK(box_log_gets(&box, "daemon.drain why=SIGTERM"));
    uint32_t position = 0;
    const cuzk_status st = cuzk_rpc_client_submit(c, &rq[0].rq, late, &position, NULL);
    CHECK(st != CUZK_OK || strcmp(late, ids[0]) == 0); /* no new job; an old one may be joined */
    cuzk_rpc_client_destroy(c);
    CHECK(pthread_join(t, NULL) == 0);
    CHECK(w.ok); /* whoever waits gets the proof */
    CHECK_U64(box_wait(&box), 0);
    CHECK(box_log_has(&box, "drain.done"));
    box_start(&box);
    for (int i = 0; i < JOBS; i++) {
        await_proof(ids[i], &rq[i]);
        rig_request_free(&rq[i]);
    }
    CHECK_U64(box_end(&box, SIGTERM), 0);
}

static void second_signal_stops_at_once(void)
{
    rig_request rq[JOBS];
    char ids[JOBS][CUZK_JOB_ID_BYTES];
    box_make(&box, "");
    box_make_params(&box);
    box_start(&box);
    submit_many(rq, ids);
    CHECK(kill(box.pid, SIGTERM) == 0);
    CHECK(box_log_gets(&box, "daemon.drain why=SIGTERM"));
    CHECK_U64(box_end(&box, SIGTERM), 0);
    CHECK(box_log_has(&box, "drain.cut why=SIGTERM"));
    box_start(&box);
    for (int i = 0; i < JOBS; i++) { /* what was left went on */
        await_proof(ids[i], &rq[i]);
        rig_request_free(&rq[i]);
    }
    CHECK_U64(box_end(&box, SIGTERM), 0);
}

static void drain_is_bounded(void)
{
    rig_request rq[JOBS];
    char ids[JOBS][CUZK_JOB_ID_BYTES];
    box_make(&box, "daemon.drain_timeout = \"1ms\"\n");
    box_make_params(&box);
    box_start(&box);
    submit_many(rq, ids);
    CHECK_U64(box_end(&box, SIGTERM), 0);
    CHECK(box_log_has(&box, "drain.cut why=\"daemon.drain_timeout is over"));
    for (int i = 0; i < JOBS; i++) {
        rig_request_free(&rq[i]);
    }
}

static void reload_changes_the_level(void)
{
    box_make(&box, "");
    box_start(&box);
    box_configure(&box, "logging.level = \"debug\"\n");
    CHECK(kill(box.pid, SIGHUP) == 0);
    CHECK(box_log_gets(&box, "config.reloaded level=debug"));
    box_configure(&box, "logging.level = \"loud\"\n");
    CHECK(kill(box.pid, SIGHUP) == 0);
    CHECK(box_log_gets(&box, "config.not_reloaded why="));
    CHECK(box_log_has(&box, "not one of off|error|warn|info|debug|trace"));
    CHECK_U64(box_http(&box, "/readyz"), 200);
    CHECK_U64(box_end(&box, SIGTERM), 0);
}

static void one_daemon_per_store_and_socket(void)
{
    box_make(&box, "");
    box_start(&box);
    daemon_box other = box;
    other.pid = 0;
    box_spawn(&other, 0);
    CHECK_U64(box_wait(&other), 3);
    CHECK(box_log_has(&box, "in use by another process"));
    CHECK_U64(box_http(&box, "/readyz"), 200);
    (void)snprintf(other.store, sizeof(other.store), "%s/other.db", box.folder);
    (void)snprintf(other.config, sizeof(other.config), "%s/other.toml", box.folder);
    box_configure(&other, "");
    box_spawn(&other, 0); /* same socket: it is not taken from the one that listens */
    CHECK_U64(box_wait(&other), 3);
    cuzk_rpc_client *c = box_client(&box, 5000);
    uint64_t serving = 0;
    CHECK(cuzk_rpc_client_health(c, "", &serving, NULL) == CUZK_OK && serving == 1);
    cuzk_rpc_client_destroy(c);
    CHECK_U64(box_end(&box, SIGKILL), 128 + SIGKILL);
    box_start(&box); /* the stale socket is no obstacle */
    CHECK_U64(box_end(&box, SIGTERM), 0);
}

static void mistakes_are_named(void)
{
    box_make(&box, "memory.total_budget = \"lots\"\n");
    box_spawn(&box, 0);
    CHECK_U64(box_wait(&box), 2);
    CHECK(box_log_has(&box, "memory.total_budget"));
    box_configure(&box, "daemon.tls_cert = \"/nowhere\"\ndaemon.tls_key = \"/nowhere\"\n");
    (void)snprintf(box.address, sizeof(box.address), "127.0.0.1:0");
    box_configure(&box, "daemon.tls_cert = \"/nowhere\"\ndaemon.tls_key = \"/nowhere\"\n");
    box_spawn(&box, 0);
    CHECK(box_wait(&box) != 0);
    CHECK(box_log_has(&box, "/nowhere"));
    (void)snprintf(box.address, sizeof(box.address), "0.0.0.0:0");
    box_configure(&box, "daemon.unknown_key = 1\n");
    box_spawn(&box, 0);
    CHECK(box_log_gets(&box, "daemon.ready"));
    CHECK(box_log_has(&box, "daemon.unknown_key: unknown key, ignored"));
    CHECK(box_log_has(&box, "WARN  listen.open address=0.0.0.0:0"));
    CHECK_U64(box_end(&box, SIGTERM), 0);
}

static void feeds_the_watchdog(void)
{
    box_make(&box, "");
    box_listen_notify(&box);
    box_spawn(&box, 400000);
    CHECK(box_notified(&box, "READY=1", 20000));
    for (int i = 0; i < 5; i++) {
        CHECK(box_notified(&box, "WATCHDOG=1", 2000));
    }
    CHECK_U64(box_end(&box, SIGTERM), 0);
}

static const cuzk_case cases[] = {
    CASE(starts_proves_and_stops),     CASE(drains),
    CASE(second_signal_stops_at_once), CASE(drain_is_bounded),
    CASE(reload_changes_the_level),    CASE(one_daemon_per_store_and_socket),
    CASE(mistakes_are_named),          CASE(feeds_the_watchdog)};
TEST_MAIN("daemon/lifecycle", cases)
