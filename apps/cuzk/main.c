/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cuzk/device/as_card.h"
#include "cpu/cpu.h"

#include "commands.h"
#include "exit_status.h"

#ifndef CUZK_DAEMON
static int no_daemon(int argc, char **argv)
{
    (void)argc;
    (void)fprintf(stderr,
                  "%s: built without the daemon, for want of its libraries: "
                  "tools/deps.sh build installs them\n",
                  argv[0]);
    return EXIT_STATUS_BAD_INPUT;
}
#endif

static const command commands[] = {
    {"Proofs", NULL, NULL},
    {"prove", "Filecoin proofs: porep, winning, window, update", cmd_prove},
    {"verify", "the same, against their statements", cmd_verify},
    {"aggregate", "many proofs to one aggregate (SnarkPack)", cmd_aggregate},
    {"gen", "inputs of synthetic sectors, for tests and benchmarks", cmd_gen},
    {"circuit", "Filecoin circuits: info", cmd_circuit},
    {"groth16", "circom and snarkjs circuits: setup, prove, verify", cmd_groth16},
    {"params", "proving parameter files: list, check, fetch, info, setup", cmd_params},
    {"The daemon", NULL, NULL},
#ifdef CUZK_DAEMON
    {"serve", "the daemon: proofs over gRPC, for Curio and others", cmd_serve},
    {"submit", "hand a job to a daemon, and perhaps wait for it", cmd_submit},
    {"await", "wait for a job of a daemon", cmd_await},
    {"cancel", "cancel a job of a daemon", cmd_cancel},
    {"status", "what a daemon is doing", cmd_status},
    {"preload", "load parameters in a daemon", cmd_preload},
    {"evict", "drop parameters in a daemon", cmd_evict},
    {"health", "whether a daemon takes jobs", cmd_health},
#else
    {"serve", "the daemon (not in this build)", no_daemon},
#endif
#ifdef CUZK_TOP
    {"top", "a daemon's jobs, devices and queues, on a terminal", cmd_top},
#endif
#ifdef CUZK_FLEET
    {"fleet", "daemons that share a queue: status, client", cmd_fleet},
#endif
    {"Tools", NULL, NULL},
#ifdef CUZK_DAEMON
    {"doctor", "whether this machine can prove, and what to do next", cmd_doctor},
#endif
    {"bench", "measuring: micro, synth, prove, compare", cmd_bench},
    {"completion", "completion of this command line: bash, zsh, fish", cmd_completion},
    {NULL, NULL, NULL}};

const command *top_commands(void)
{
    return commands;
}

#ifdef CUZK_DAEMON
/* The original daemon is started as `cuzk --config FILE --listen ADDRESS`. */
static bool is_plain_daemon(const char *arg)
{
    static const char *const own[] = {"--help", "-?",      "-h", "--version",
                                      "-V",     "--usage", "-",  "--"};
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        if (strcmp(arg, own[i]) == 0) {
            return false;
        }
    }
    return arg[0] == '-';
}
#endif

int main(int argc, char **argv)
{
    argp_err_exit_status = EXIT_STATUS_BAD_INPUT;
    (void)unsetenv("ARGP_HELP_FMT"); /* glibc prints a help without end for some of its values */
    clean_stderr_for(argc, argv);
    argp_program_version_hook = print_version;
    if (!as_card_take(&argc, argv)) {
        return EXIT_STATUS_BAD_INPUT;
    }
#ifdef CUZK_DAEMON
    if (argc > 1 && is_plain_daemon(argv[1])) {
        return cmd_serve(argc, argv);
    }
#endif
    return dispatch(argc, argv, "cuzk", "Groth16 proofs over BLS12-381, for Filecoin and circom.",
                    commands);
}
