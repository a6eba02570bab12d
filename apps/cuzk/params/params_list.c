/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "apps/cuzk/commands.h"

#include "network.h"

static const struct argp_option options[] = {NETWORK_OPTION_PARAMS, NETWORK_OPTIONS, {0}};

static cuzk_status work(network_opts *o)
{
    int32_t states[NETWORK_FILES_MAX];
    CUZK_TRY(network_choose(o));
    for (size_t i = 0; i < o->n; i++) {
        states[i] = network_state(o, i);
    }
    network_report(o, states);
    return CUZK_OK;
}

int cmd_params_list(int argc, char **argv)
{
    static const struct argp_child children[] = {APP_CHILD_FEW, {0}};
    static const struct argp argp = {
        options,
        network_parse,
        "[SIZE]",
        "The network's parameter files, and which of them a folder has. Nothing is read but sizes.\v"
        "Examples:\n  cuzk params list 32GiB\n  cuzk params list 32GiB --params /data/params --json",
        children,
        NULL,
        NULL};
    return network_run(argc, argv, &argp, work);
}
