/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The daemons that share a queue and their clients, as their database has them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/cuzk/app.h"
#include "apps/cuzk/commands.h"
#include "apps/cuzk/fleet/fleet_json.h"
#include "config/config.h"

enum { OPT_URL = 0x700, OPT_PASSWORD_FILE, OPT_WEIGHT, OPT_MAX_JOBS };

typedef struct fleet_command {
    app a;
    const char *url, *password_file, *config_path;
    const char *client;
    uint64_t weight, max_jobs; /* as cuzk_pg_client_set takes them */
    cuzk_config *config;
} fleet_command;

static const struct argp_option options[] = {
    {"config", 'c', "FILE", 0,
     "The configuration of a member, for store.url and store.password_file (default: " CUZK_CONFIG_ORIGINAL_PATH
     ", or " CUZK_CONFIG_PACKAGED_PATH ")",
     0},
    {"url", OPT_URL, "URL", 0, "The database: postgresql://USER@HOST:PORT/DATABASE", 0},
    {"password-file", OPT_PASSWORD_FILE, "FILE", 0, "File whose first line is its password", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    fleet_command *f = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &f->a;
        f->a.threads = 1;
        return 0;
    case 'c': f->config_path = arg; return 0;
    case OPT_URL: f->url = arg; return 0;
    case OPT_PASSWORD_FILE: f->password_file = arg; return 0;
    case ARGP_KEY_ARG: argp_error(state, "too many arguments"); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* Options that are not given come from the configuration. */
static cuzk_status find_database(fleet_command *f)
{
    static cuzk_config_issues issues; /* too large for the stack */
    if (f->url != NULL) {
        return CUZK_OK;
    }
    const char *path = f->config_path != NULL ? f->config_path : cuzk_config_default_path();
    if (path == NULL) {
        return CUZK_FAIL(
            &f->a.err, CUZK_E_INVALID,
            "needs --config FILE, with store.url in it, or --url: there is no file at " CUZK_CONFIG_ORIGINAL_PATH
            " or " CUZK_CONFIG_PACKAGED_PATH);
    }
    CUZK_TRY(cuzk_config_load(&f->config, path, &issues, &f->a.err));
    if (f->config->store_url[0] == '\0') {
        return CUZK_FAIL(&f->a.err, CUZK_E_INVALID,
                         "%s has no store.url: its daemon shares no queue (or give --url)", path);
    }
    f->url = f->config->store_url;
    if (f->password_file == NULL && f->config->store_password_file[0] != '\0') {
        f->password_file = f->config->store_password_file;
    }
    return CUZK_OK;
}

static void print_members(const cuzk_pg_fleet_status *s)
{
    (void)printf("%-20s %-10s %6s %7s %8s %8s %10s %10s %7s  %-8s %-28s %s\n", "member", "state",
                 "heard", "cards", "claimed", "running", "partitions", "completed", "failed",
                 "version", "address", "loaded");
    for (size_t i = 0; i < s->n_members; i++) {
        const cuzk_pg_member_status *m = &s->members[i];
        char heard[32], cards[48];
        (void)snprintf(heard, sizeof(heard), "%" PRIu64 "s", m->heard_ms / 1000);
        (void)snprintf(cards, sizeof(cards), "%" PRIu64 "/%" PRIu64, m->healthy, m->devices);
        (void)printf("%-20s %-10s %6s %7s %8" PRIu64 " %8" PRIu64 " %10" PRIu64 " %10" PRIu64
                     " %7" PRIu64 "  %-8s %-28s %s\n",
                     m->name, fleet_state_of(m), heard, cards, m->n_claimed, m->n_running,
                     m->n_parts, m->completed, m->failed, m->version, m->address,
                     m->loaded + strspn(m->loaded, " "));
    }
    (void)putchar('\n');
}

static void print_clients(const cuzk_pg_fleet_status *s)
{
    if (s->n_clients == 0) {
        return;
    }
    (void)printf("%-32s %7s %8s %8s %8s %10s %7s %9s %8s %12s\n", "client", "weight", "max jobs",
                 "waiting", "running", "completed", "failed", "cancelled", "proofs", "device time");
    for (size_t i = 0; i < s->n_clients; i++) {
        const cuzk_pg_client_status *c = &s->clients[i];
        char most[24] = "any";
        if (c->max_jobs != 0) {
            (void)snprintf(most, sizeof(most), "%" PRIu64, c->max_jobs);
        }
        (void)printf("%-32s %7.2f %8s %8" PRIu64 " %8" PRIu64 " %10" PRIu64 " %7" PRIu64
                     " %9" PRIu64 " %8" PRIu64 " %10.1f s\n",
                     c->name[0] == '\0' ? "(without a name)" : c->name, (double)c->weight / 100,
                     most, c->queued, c->running, c->completed, c->failed, c->cancelled, c->proofs,
                     (double)c->device_ms / 1e3);
    }
    (void)putchar('\n');
}

static void report(app *a, const cuzk_pg_fleet_status *s)
{
    if (a->json) {
        fleet_json(&a->w, s);
        return;
    }
    print_members(s);
    print_clients(s);
    app_u64(a, "queued", s->queued);
    app_u64(a, "claimed", s->claimed);
    app_u64(a, "running", s->running);
    app_u64(a, "completed", s->completed);
    app_u64(a, "failed", s->failed);
    app_u64(a, "cancelled", s->cancelled);
    app_u64(a, "set_aside", s->set_aside);
    app_u64(a, "partitions_waiting", s->parts_waiting);
    app_u64(a, "partitions_running", s->parts_running);
    app_u64(a, "partitions_proved", s->parts_proved);
    app_u64(a, "places", s->places);
    app_u64(a, "wait_ms", s->wait_ms);
    app_u64(a, "oldest_queued_ms", s->oldest_queued_ms);
    app_u64(a, "input_bytes", s->input_bytes);
    app_u64(a, "schema_version", s->schema_version);
}

static int run_status(int argc, char **argv)
{
    static const struct argp_child children[] = {APP_CHILD_FEW, {0}};
    static const struct argp argp = {
        options,
        parse,
        NULL,
        "The members of a fleet, its clients and its queue, read from the database: who lives, what each has and has done, "
        "for whom, how many jobs wait.\v"
        "Examples:\n  cuzk fleet status\n  cuzk fleet status --url=postgresql://cuzk@db.example/cuzk --json",
        children,
        NULL,
        NULL};
    fleet_command f = {.url = NULL};
    cuzk_pg_fleet_status s;
    app_init(&f.a, argv[0]);
    (void)argp_parse(&argp, argc, argv, 0, NULL, &f);
    cuzk_status st = app_begin(&f.a);
    if (st == CUZK_OK) {
        st = find_database(&f);
    }
    if (st == CUZK_OK) {
        const cuzk_pg_config c = {.url = f.url, .password_file = f.password_file};
        st = cuzk_pg_fleet_status_read(&s, &c, &f.a.err);
    }
    if (st == CUZK_OK) {
        report(&f.a, &s);
        cuzk_pg_fleet_status_free(&s);
    }
    cuzk_config_destroy(f.config);
    return app_finish(&f.a, st);
}

/* "2", "0.5": hundredths; 0: no weight. */
static uint64_t read_weight(const char *text)
{
    char *end = NULL;
    const double v = strtod(text, &end);
    return *text != '\0' && *end == '\0' && v >= 0.01 && v <= 10000 ? (uint64_t)(v * 100 + 0.5) : 0;
}

static error_t parse_client(int key, char *arg, struct argp_state *state)
{
    fleet_command *f = state->input;
    char *end = NULL;
    switch (key) {
    case OPT_WEIGHT:
        f->weight = read_weight(arg);
        if (f->weight == 0) {
            argp_error(state, "--weight=%s: a number from 0.01 to 10000", arg);
        }
        return 0;
    case OPT_MAX_JOBS:
        f->max_jobs = strtoull(arg, &end, 10);
        if (*arg < '0' || *arg > '9' || *end != '\0' || f->max_jobs > INT32_MAX) {
            argp_error(state, "--max-jobs=%s: a number up to 2147483647; 0: any number", arg);
        }
        return 0;
    case ARGP_KEY_ARG:
        if (f->client != NULL) {
            argp_error(state, "too many arguments");
        }
        f->client = arg;
        return 0;
    case ARGP_KEY_END:
        if (f->client == NULL || (f->weight == 0 && f->max_jobs == UINT64_MAX)) {
            argp_error(state, "a client, and --weight or --max-jobs");
        }
        return 0;
    default: return parse(key, arg, state);
    }
}

static int run_client(int argc, char **argv)
{
    static const struct argp_option client_options[] = {
        {"config", 'c', "FILE", 0, "As of \"cuzk fleet status\"", 0},
        {"url", OPT_URL, "URL", 0, "The database: postgresql://USER@HOST:PORT/DATABASE", 0},
        {"password-file", OPT_PASSWORD_FILE, "FILE", 0, "File whose first line is its password", 0},
        {"weight", OPT_WEIGHT, "NUMBER", 0, "Its share, 1 is the usual one; 2: twice as much", 0},
        {"max-jobs", OPT_MAX_JOBS, "N", 0, "The most jobs that wait or run; 0: any number", 0},
        {0}};
    static const struct argp_child children[] = {APP_CHILD_FEW, {0}};
    static const struct argp argp = {
        client_options,
        parse_client,
        "CLIENT",
        "What a client of a fleet gets: its share of the work while others wait, too, and how many jobs it may have at "
        "a time. CLIENT is the name by which \"cuzk fleet status\" knows it, \"token:NAME\" of a token.\v"
        "Examples:\n  cuzk fleet client token:curio-1 --weight=2\n  cuzk fleet client token:test --max-jobs=10",
        children,
        NULL,
        NULL};
    fleet_command f = {.url = NULL, .max_jobs = UINT64_MAX};
    app_init(&f.a, argv[0]);
    (void)argp_parse(&argp, argc, argv, 0, NULL, &f);
    cuzk_status st = app_begin(&f.a);
    if (st == CUZK_OK) {
        st = find_database(&f);
    }
    if (st == CUZK_OK) {
        const cuzk_pg_config c = {.url = f.url, .password_file = f.password_file};
        st = cuzk_pg_client_set(&c, f.client, f.weight, f.max_jobs, &f.a.err);
    }
    cuzk_config_destroy(f.config);
    return app_finish(&f.a, st);
}

int cmd_fleet(int argc, char **argv)
{
    static const command commands[] = {{"status", "its members, clients and queue", run_status},
                                       {"client", "a client's share and quota", run_client},
                                       {NULL, NULL, NULL}};
    return dispatch(argc, argv, "cuzk fleet",
                    "Daemons that share a queue in a PostgreSQL database (docs/fleet.md).",
                    commands);
}
