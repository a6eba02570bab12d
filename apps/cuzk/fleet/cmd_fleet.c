/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The daemons that share a queue, as their database has them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "apps/cuzk/app.h"
#include "apps/cuzk/commands.h"
#include "config/config.h"
#include "store/pg/pg_status.h"

enum { OPT_URL = 0x700, OPT_PASSWORD_FILE };

typedef struct fleet_command {
    app a;
    const char *url, *password_file, *config_path;
    cuzk_config *config;
} fleet_command;

static const struct argp_option options[] = {
    {"config", 'c', "FILE", 0,
     "The configuration of a member, for store.url and store.password_file (default: "
     "/etc/cuzk/cuzk.toml)",
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

/* What the options do not say is the configuration's. */
static cuzk_status find_database(fleet_command *f)
{
    static cuzk_config_issues issues; /* too large for the stack */
    if (f->url != NULL) {
        return CUZK_OK;
    }
    const char *path = f->config_path != NULL ? f->config_path : "/etc/cuzk/cuzk.toml";
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

static const char *state_of(const cuzk_pg_member_status *m)
{
    return !m->is_alive     ? m->end_reason
           : m->is_late     ? "late"
           : m->is_draining ? "draining"
                            : "alive";
}

static void member_json(cuzk_jsonw *w, const cuzk_pg_member_status *m)
{
    cuzk_jsonw_begin_object(w);
    cuzk_jsonw_put_str(w, "name", m->name);
    cuzk_jsonw_put_str(w, "state", state_of(m));
    cuzk_jsonw_put_str(w, "address", m->address);
    cuzk_jsonw_put_str(w, "version", m->version);
    cuzk_jsonw_put_u64(w, "heard_ms_ago", m->heard_ms);
    cuzk_jsonw_put_u64(w, "claimed", m->n_claimed);
    cuzk_jsonw_put_u64(w, "running", m->n_running);
    cuzk_jsonw_put_u64(w, "completed", m->completed);
    cuzk_jsonw_put_u64(w, "failed", m->failed);
    cuzk_jsonw_end_object(w);
}

static void report_members(app *a, const cuzk_pg_fleet_status *s)
{
    if (a->json) {
        cuzk_jsonw_key(&a->w, "members");
        cuzk_jsonw_begin_array(&a->w);
        for (size_t i = 0; i < s->n_members; i++) {
            member_json(&a->w, &s->members[i]);
        }
        cuzk_jsonw_end_array(&a->w);
        return;
    }
    (void)printf("%-20s %-10s %7s %8s %8s %10s %7s  %-8s %s\n", "member", "state", "heard",
                 "claimed", "running", "completed", "failed", "version", "address");
    for (size_t i = 0; i < s->n_members; i++) {
        const cuzk_pg_member_status *m = &s->members[i];
        char heard[32];
        (void)snprintf(heard, sizeof(heard), "%" PRIu64 "s", m->heard_ms / 1000);
        (void)printf("%-20s %-10s %7s %8" PRIu64 " %8" PRIu64 " %10" PRIu64 " %7" PRIu64
                     "  %-8s %s\n",
                     m->name, state_of(m), heard, m->n_claimed, m->n_running, m->completed,
                     m->failed, m->version, m->address);
    }
    (void)putchar('\n');
}

static void report(app *a, const cuzk_pg_fleet_status *s)
{
    report_members(a, s);
    app_u64(a, "queued", s->queued);
    app_u64(a, "claimed", s->claimed);
    app_u64(a, "running", s->running);
    app_u64(a, "completed", s->completed);
    app_u64(a, "failed", s->failed);
    app_u64(a, "cancelled", s->cancelled);
    app_u64(a, "set_aside", s->set_aside);
    app_u64(a, "oldest_queued_ms", s->oldest_queued_ms);
    app_u64(a, "input_bytes", s->input_bytes);
    app_u64(a, "schema_version", s->schema_version);
}

static int run_status(int argc, char **argv)
{
    static const struct argp_child children[] = {APP_CHILD, {0}};
    static const struct argp argp = {
        options,
        parse,
        NULL,
        "The members of a fleet and its queue, read from the database: who lives, what each has and has done, how many "
        "jobs wait.\v"
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

int cmd_fleet(int argc, char **argv)
{
    static const command commands[] = {{"status", "its members and its queue", run_status},
                                       {NULL, NULL, NULL}};
    return dispatch(argc, argv, "cuzk fleet",
                    "Daemons that share a queue in a PostgreSQL database (docs/fleet.md).",
                    commands);
}
