/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Start, stop, reload and restart of the real daemon. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon_fixture.h"
#include "test.h"

static daemon_box box;

static void starts_proves_and_stops(void)
{
    engine_request rq;
    struct stat st;
    char id[CUZK_JOB_ID_BYTES];
    box_make(&box, "logging.timeline = true\n");
    box_make_params(&box);
    box_listen_notify(&box);
    box_start(&box);
    CHECK(box_notified(&box, "READY=1"));
    CHECK(box_notified(&box, "STATUS=serving: "));
    const char *path = box.address + strlen("unix://");
    CHECK(stat(path, &st) == 0 && S_ISSOCK(st.st_mode));
    CHECK_U64(st.st_mode & 07777, 0660);
    CHECK_U64(box_http(&box, "/healthz"), 200);
    CHECK_U64(box_http(&box, "/readyz"), 200);
    CHECK_U64(box_http(&box, "/metrics"), 200);
    engine_request_make(&rq, CUZK_JOB_WINNING, 1, "winpost-1000-00");
    box_submit(&box, &rq.rq, id);
    box_await_proof(&box, id, &rq);
    CHECK(box_log_gets(&box, "job.accepted"));
    CHECK_U64(box_end(&box, SIGTERM), 0);
    CHECK(box_notified(&box, "STOPPING=1"));
    CHECK(stat(path, &st) != 0); /* the socket is gone */
    CHECK(box_log_gets(&box, "daemon.drain why=SIGTERM"));
    CHECK(box_log_gets(&box, "daemon.stopped"));
    CHECK(box_log_gets(&box, ",SYNTH_START,winpost-1000-00,partition=0\n"));
    CHECK(box_log_gets(&box, ",GPU_END,winpost-1000-00,partition=0\n"));

    box_start(&box); /* the result is still known */
    box_await_proof(&box, id, &rq);
    CHECK_U64(box_end(&box, SIGINT), 0);
    engine_request_free(&rq);
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
    CHECK(box_log_gets(&box, "not one of off|error|warn|info|debug|trace"));
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
    CHECK(box_log_gets(&box, "in use by another process"));
    CHECK_U64(box_http(&box, "/readyz"), 200);
    (void)snprintf(other.store, sizeof(other.store), "%s/other.db", box.folder);
    (void)snprintf(other.config, sizeof(other.config), "%s/other.toml", box.folder);
    box_configure(&other, "");
    box_spawn(&other, 0); /* same socket: it is not taken from the one that listens */
    CHECK_U64(box_wait(&other), 3);
    cuzk_rpc_client *c = box_client(&box, 120000);
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
    CHECK(box_log_gets(&box, "memory.total_budget"));
    box_configure(&box, "daemon.tls_cert = \"/nowhere\"\ndaemon.tls_key = \"/nowhere\"\n");
    (void)snprintf(box.address, sizeof(box.address), "127.0.0.1:0");
    box_configure(&box, "daemon.tls_cert = \"/nowhere\"\ndaemon.tls_key = \"/nowhere\"\n");
    box_spawn(&box, 0);
    CHECK(box_wait(&box) != 0);
    CHECK(box_log_gets(&box, "/nowhere"));
    (void)snprintf(box.address, sizeof(box.address), "0.0.0.0:0");
    box_configure(&box, "daemon.unknown_key = 1\n");
    box_spawn(&box, 0);
    CHECK(box_log_gets(&box, "daemon.ready"));
    CHECK(box_log_gets(&box, "daemon.unknown_key: unknown key, ignored"));
    CHECK(box_log_gets(&box, "WARN  listen.open address=0.0.0.0:0"));
    CHECK_U64(box_end(&box, SIGTERM), 0);
}

/* Nobody reads what it says: it goes on all the same. */
static void a_deaf_manager_is_no_obstacle(void)
{
    box_make(&box, "");
    box_listen_notify(&box);
    box_spawn(&box, 2000); /* a sign of life every millisecond: the queue is full soon */
    CHECK(box_log_gets(&box, "daemon.ready"));
    usleep(500000);
    CHECK_U64(box_http(&box, "/readyz"), 200);
    CHECK_U64(box_end(&box, SIGTERM), 0);
}

static void feeds_the_watchdog(void)
{
    box_make(&box, "");
    box_listen_notify(&box);
    box_spawn(&box, 400000);
    CHECK(box_notified(&box, "READY=1"));
    for (int i = 0; i < 5; i++) {
        CHECK(box_notified(&box, "WATCHDOG=1"));
    }
    CHECK_U64(box_end(&box, SIGTERM), 0);
}

static const cuzk_case cases[] = {CASE(starts_proves_and_stops),
                                  CASE(reload_changes_the_level),
                                  CASE(one_daemon_per_store_and_socket),
                                  CASE(mistakes_are_named),
                                  CASE(feeds_the_watchdog),
                                  CASE(a_deaf_manager_is_no_obstacle)};
TEST_MAIN("daemon/lifecycle", cases)
