/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* SIGHUP to the real daemon: what changes at once, what needs a restart, what a bad file does. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

#include "daemon_fixture.h"
#include "test.h"

#include "../rpc/certs.h"

static daemon_box box;

/* The whole configuration but for what every daemon of a test needs. */
static void configure(const char *listen, const char *rest)
{
    FILE *f = fopen(box.config, "w");
    CHECK(f != NULL);
    CHECK(fprintf(f,
                  "daemon.listen = [\"%s\"%s]\ndaemon.http_listen = \"127.0.0.1:0\"\n"
                  "gpus.cpu_only = true\nsrs.param_cache = \"%s\"\nstore.path = \"%s\"\n%s",
                  box.address, listen, box.params, box.store, rest) > 0);
    CHECK(fclose(f) == 0);
}

static void hang_up(void)
{
    CHECK(kill(box.pid, SIGHUP) == 0);
}

static bool metrics_have(const char *text)
{
    cuzk_err err = {.code = CUZK_OK};
    char *all = NULL;
    cuzk_rpc_client *c = box_client(&box, 120000);
    CHECK_OK(cuzk_rpc_client_metrics(c, &all, &err), &err);
    const bool has = strstr(all, text) != NULL;
    cuzk_free(all);
    cuzk_rpc_client_destroy(c);
    return has;
}

static void settings(void)
{
    box_make(&box, "");
    configure("", "memory.total_budget = \"2GiB\"\n");
    box_start(&box);
    CHECK(metrics_have("cuzk_memory_budget_bytes 2147483648\n"));
    CHECK(metrics_have("cuzk_gpu_workers 2\n"));
    configure("", "memory.total_budget = \"1GiB\"\nmemory.winning_reserve = \"200MiB\"\n"
                  "gpus.gpu_workers_per_device = 3\nscheduler.max_queued_jobs = 7\n"
                  "daemon.drain_timeout = \"5s\"\nstore.max_size = \"1GiB\"\n"
                  "daemon.max_connections = 9\nlogging.level = \"debug\"\n");
    hang_up();
    CHECK(box_log_gets(&box, "config.reloaded level=debug changed=\"daemon.drain_timeout "
                             "memory.total_budget memory.winning_reserve "
                             "gpus.gpu_workers_per_device scheduler.max_queued_jobs "
                             "logging.level\" restart_for=\"daemon.max_connections "
                             "store.max_size\"\n"));
    CHECK(metrics_have("cuzk_memory_budget_bytes 1073741824\n"));
    CHECK(metrics_have("cuzk_memory_reserved_winning_bytes 209715200\n"));
    CHECK(metrics_have("cuzk_gpu_workers 4\n"));

    /* up again; what needs a restart is named until there is one */
    configure("", "memory.total_budget = \"3GiB\"\nmemory.winning_reserve = \"200MiB\"\n"
                  "gpus.gpu_workers_per_device = 1\nstore.max_size = \"1GiB\"\n");
    hang_up();
    CHECK(box_log_gets(&box, "config.reloaded level=info changed=\"daemon.drain_timeout "
                             "memory.total_budget gpus.gpu_workers_per_device "
                             "scheduler.max_queued_jobs logging.level\" "
                             "restart_for=store.max_size\n"));
    CHECK(metrics_have("cuzk_memory_budget_bytes 3221225472\n"));
    CHECK(metrics_have("cuzk_gpu_workers 2\n"));
    CHECK_U64(box_http(&box, "/readyz"), 200);
    CHECK_U64(box_end(&box, SIGTERM), 0);
}

static void bad_files_change_nothing(void)
{
    static const struct {
        const char *rest, *why;
    } bad[] = {
        {"memory.total_budget = \"lots\"\n", "memory.total_budget"},
        {"scheduler.max_queued_jobs = 9\nlogging.level = \"loud\"\n", "not one of off|error"},
        {"logging.level = \"debug\"\n\n\nnonsense\n", "c.toml:9:"},
        {"logging.level = \"debug\"\nmemory.total_budget = \"70MiB\"\n"
         "memory.winning_reserve = \"69MiB\"\n",
         "a budget of 70 MiB is too small"},
        {"logging.level = \"debug\"\ndaemon.token_file = \"/nowhere/token\"\n", "/nowhere/token"},
    };
    box_make(&box, "");
    configure("", "memory.total_budget = \"2GiB\"\n");
    box_start(&box);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        configure("", bad[i].rest);
        CHECK_MSG(!box_log_has(&box, bad[i].why), "%s", bad[i].why);
        hang_up();
        CHECK_MSG(box_log_gets(&box, bad[i].why), "no '%s' in the log", bad[i].why);
        CHECK(box_log_gets(&box, "ERROR config.not_reloaded why="));
        CHECK(metrics_have("cuzk_memory_budget_bytes 2147483648\n"));
    }
    CHECK(unlink(box.config) == 0);
    hang_up();
    CHECK(box_log_gets(&box, "c.toml: no such file"));
    CHECK(!box_log_has(&box, "config.reloaded"));
    configure("", "memory.total_budget = \"2GiB\"\n");
    hang_up();
    CHECK(box_log_gets(&box, "config.reloaded level=info\n"));
    CHECK_U64(box_end(&box, SIGTERM), 0);
}

/* Port of the TLS listener. */
static unsigned long tls_port(void)
{
    char *log = box_log(&box);
    const char *at = strstr(log, "listen.grpc address=127.0.0.1:0 port=");
    CHECK(at != NULL);
    const unsigned long port = strtoul(strstr(at, "port=") + 5, NULL, 10);
    free(log);
    return port;
}

static cuzk_status ask(const char *ca, const char *token)
{
    char address[64];
    cuzk_rpc_client *c = NULL;
    cuzk_rpc_status s;
    cuzk_err err = {.code = CUZK_OK};
    (void)snprintf(address, sizeof(address), "https://127.0.0.1:%lu", tls_port());
    const cuzk_rpc_client_config config = {
        .address = address, .tls_ca = ca, .token = token, .timeout_ms = 120000};
    CUZK_TRY(cuzk_rpc_client_create(&c, &config, &err));
    const cuzk_status st = cuzk_rpc_client_status(c, &s, &err);
    if (st == CUZK_OK) {
        cuzk_rpc_status_free(&s);
    }
    cuzk_rpc_client_destroy(c);
    return st;
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    CHECK(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0);
}

/* Certificates and token are files that other programs renew under the same names. */
static void certificates(void)
{
    char ca[300], new_ca[300], cert[300], key[300], new_cert[300], new_key[300], token[300];
    char rest[1500];
    box_make(&box, "");
    certs_make_ca(box.folder, "ca");
    certs_make_ca(box.folder, "newca");
    certs_make(box.folder, "ca", "server");
    certs_make(box.folder, "newca", "new");
    (void)snprintf(ca, sizeof(ca), "%s/ca.pem", box.folder);
    (void)snprintf(new_ca, sizeof(new_ca), "%s/newca.pem", box.folder);
    (void)snprintf(cert, sizeof(cert), "%s/server.pem", box.folder);
    (void)snprintf(key, sizeof(key), "%s/server.key", box.folder);
    (void)snprintf(new_cert, sizeof(new_cert), "%s/new.pem", box.folder);
    (void)snprintf(new_key, sizeof(new_key), "%s/new.key", box.folder);
    (void)snprintf(token, sizeof(token), "%s/token", box.folder);
    put(token, "0123456789abcdef\n");
    (void)snprintf(rest, sizeof(rest),
                   "memory.total_budget = \"1GiB\"\ndaemon.tls_cert = \"%s\"\n"
                   "daemon.tls_key = \"%s\"\ndaemon.token_file = \"%s\"\n",
                   cert, key, token);
    configure(", \"127.0.0.1:0\"", rest);
    box_start(&box);
    CHECK(ask(ca, "0123456789abcdef") == CUZK_OK);
    CHECK(ask(new_ca, "0123456789abcdef") != CUZK_OK);

    put(cert, "no certificate\n"); /* half renewed: nothing changes, and it says which file */
    hang_up();
    CHECK(box_log_gets(&box, "config.not_reloaded why="));
    CHECK(box_log_gets(&box, cert));
    CHECK(ask(ca, "0123456789abcdef") == CUZK_OK);

    CHECK(rename(new_cert, cert) == 0 && rename(new_key, key) == 0);
    put(token, "fedcba9876543210\n");
    hang_up();
    CHECK(box_log_gets(&box, "config.reloaded level=info read_again=\"certificates, token\"\n"));
    CHECK(ask(new_ca, "fedcba9876543210") == CUZK_OK);
    CHECK(ask(new_ca, "0123456789abcdef") != CUZK_OK);
    CHECK(ask(ca, "fedcba9876543210") != CUZK_OK);

    configure(", \"127.0.0.1:0\"", "memory.total_budget = \"1GiB\"\n");
    hang_up(); /* without TLS only after a restart: until then the old ones hold */
    CHECK(box_log_gets(&box, "restart_for=\"daemon.tls_cert daemon.tls_key daemon.token_file\"\n"));
    CHECK(ask(new_ca, "fedcba9876543210") == CUZK_OK);
    CHECK(ask(new_ca, "0123456789abcdef") != CUZK_OK);
    CHECK_U64(box_end(&box, SIGTERM), 0);
}

static const cuzk_case cases[] = {CASE(settings), CASE(bad_files_change_nothing),
                                  CASE(certificates)};
TEST_MAIN("daemon/reload", cases)
