/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "apps/cuzk/commands.h"

#include "doctor.h"

enum { OPT_NO_PROOF = 0x700 };

static const struct argp_option options[] = {
    {"config", 'c', "FILE", 0,
     "The daemon's configuration (default: " CUZK_CONFIG_ORIGINAL_PATH
     ", or " CUZK_CONFIG_PACKAGED_PATH ")",
     0},
    {"no-proof", OPT_NO_PROOF, NULL, 0, "Do not have the daemon make a test proof", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    doctor *d = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &d->a;
        state->child_inputs[1] = &d->remote;
        d->a.threads = 1;
        return 0;
    case 'c': d->config_path = arg; return 0;
    case OPT_NO_PROOF: d->no_proof = true; return 0;
    case ARGP_KEY_ARG: argp_error(state, "too many arguments"); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

void doctor_say(doctor *d, finding f, const char *what, const char *fmt, ...)
{
    static const char *const words[] = {"good", "note", "problem"};
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    d->notes += f == FINDING_NOTE;
    d->problems += f == FINDING_PROBLEM;
    if (d->a.json) {
        cuzk_jsonw_begin_object(&d->a.w);
        cuzk_jsonw_put_str(&d->a.w, "what", what);
        cuzk_jsonw_put_str(&d->a.w, "finding", words[f]);
        cuzk_jsonw_put_str(&d->a.w, "text", text);
        cuzk_jsonw_end_object(&d->a.w);
    } else {
        (void)printf("%-8s %-14s %s\n", words[f], what, text);
        (void)fflush(stdout);
    }
}

void doctor_next(doctor *d, finding f, const char *fmt, ...)
{
    va_list ap;
    char *next = d->next[f == FINDING_PROBLEM];
    if (next[0] != '\0') {
        return;
    }
    va_start(ap, fmt);
    (void)vsnprintf(next, sizeof(d->next[0]), fmt, ap);
    va_end(ap);
}

static cuzk_status verdict(doctor *d)
{
    app *a = &d->a;
    const char *text = d->problems > 0 ? "this machine is not ready"
                       : d->notes > 0  ? "ready, with notes"
                                       : "ready";
    if (a->json) {
        cuzk_jsonw_end_array(&a->w);
    } else {
        (void)putchar('\n');
    }
    app_text(a, "verdict", text);
    app_u64(a, "problems", d->problems);
    app_u64(a, "notes", d->notes);
    const char *next = d->next[d->problems > 0];
    if (next[0] != '\0') {
        app_text(a, "next", next);
    }
    return d->problems == 0 ? CUZK_OK
                            : CUZK_FAIL(&a->err, CUZK_E_INVALID, "%u to mend", d->problems);
}

int cmd_doctor(int argc, char **argv)
{
    static const struct argp_child children[] = {APP_CHILD_FEW, REMOTE_CHILD, {0}};
    static const struct argp argp = {
        options,
        parse,
        NULL,
        "Whether this machine can prove: host, cards, configuration, parameters, store, clock, daemon, and a test proof "
        "through the daemon. Nothing is changed. Status 0: ready; 2: something has to be mended.\v"
        "Examples:\n  cuzk doctor\n  cuzk doctor --config /etc/cuzk/cuzk.toml --json",
        children,
        NULL,
        NULL};
    static doctor d; /* too large for the stack */
    memset(&d, 0, sizeof(d));
    app_init(&d.a, argv[0]);
    (void)argp_parse(&argp, argc, argv, 0, NULL, &d);
    cuzk_status st = app_begin(&d.a);
    if (st == CUZK_OK) {
        if (d.a.json) {
            cuzk_jsonw_key(&d.a.w, "findings");
            cuzk_jsonw_begin_array(&d.a.w);
        }
        doctor_host(&d);
        doctor_cards(&d);
        doctor_config(&d);
        doctor_params(&d);
        doctor_store(&d);
        doctor_clock(&d);
        doctor_daemon(&d);
        st = verdict(&d);
    }
    cuzk_config_destroy(d.config);
    remote_free(&d.remote);
    return app_finish(&d.a, st);
}
