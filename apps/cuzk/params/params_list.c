/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "apps/cuzk/commands.h"

#include "network.h"

enum { OPT_PARAMS = 0x300 };

static const struct argp_option options[] = {
    {"params", OPT_PARAMS, "FOLDER", 0,
     "The folder (default: " CUZK_PARAMS_ENV ", or " CUZK_PARAMS_DEFAULT_DIR ")", 0},
    NETWORK_OPTIONS,
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    network_opts *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &o->a; return 0;
    case OPT_PARAMS: o->given = arg; return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0) {
            argp_error(state, "too many arguments");
        }
        o->size = arg;
        return 0;
    default: return network_parse(o, key, arg);
    }
}

static cuzk_status work(network_opts *o)
{
    cuzk_file_state states[NETWORK_FILES_MAX];
    CUZK_TRY(network_choose(o));
    for (size_t i = 0; i < o->n; i++) {
        states[i] = cuzk_network_file_state(o->chosen[i], o->dir.path);
    }
    network_report(o, states);
    return CUZK_OK;
}

int cmd_params_list(int argc, char **argv)
{
    static const struct argp_child children[] = {APP_CHILD, {0}};
    static const struct argp argp = {
        options,
        parse,
        "[SIZE]",
        "The network's parameter files, and which of them a folder has. Nothing is read but sizes.\v"
        "Examples:\n  cuzk params list 32GiB\n  cuzk params list 32GiB --params /data/params --json",
        children,
        NULL,
        NULL};
    static network_opts o; /* too large for the stack */
    memset(&o, 0, sizeof(o));
    app_init(&o.a, argv[0]);
    (void)argp_parse(&argp, argc, argv, 0, NULL, &o);
    cuzk_status st = app_begin(&o.a);
    if (st == CUZK_OK) {
        st = work(&o);
    }
    return app_finish(&o.a, st);
}
