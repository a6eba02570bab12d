/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "cpu/cpu.h"

#include "as_card.h"
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
    {"prove", "Filecoin proofs: porep, winning, window, update", cmd_prove},
    {"verify", "the same, against their statements", cmd_verify},
    {"circuit", "Filecoin circuits: info", cmd_circuit},
    {"gen", "inputs of synthetic sectors, for tests and benchmarks", cmd_gen},
    {"groth16", "circom and snarkjs circuits: setup, prove, verify", cmd_groth16},
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
    {"bench", "measuring: micro, synth, prove, compare", cmd_bench},
    {"params", "proving parameter files: list, check, fetch, info, setup", cmd_params},
#ifdef CUZK_TOP
    {"top", "a daemon's jobs, devices and queues, on a terminal", cmd_top},
#endif
    {NULL, NULL, NULL}};

static void print_version(FILE *out, struct argp_state *state)
{
    char cpu[128];
    (void)state;
    (void)fprintf(out, "cuzk %s (%s)\n", CUZK_VERSION_STR,
                  cuzk_cpu_describe(cuzk_cpu_detect(), cpu, sizeof(cpu)));
}

static void print_commands(FILE *out, const char *prefix, const char *doc, const command *table)
{
    (void)fprintf(out, "Usage: %s COMMAND [OPTION...] [FILE...]\n%s\n\nCommands:\n", prefix, doc);
    for (const command *c = table; c->name != NULL; c++) {
        (void)fprintf(out, "  %-10s %s\n", c->name, c->summary);
    }
    (void)fprintf(out, "\n'%s COMMAND --help' explains a command.\n", prefix);
}

int dispatch(int argc, char **argv, const char *prefix, const char *doc, const command *table)
{
    if (argc < 2) {
        print_commands(stderr, prefix, doc, table);
        return EXIT_STATUS_BAD_INPUT;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-?") == 0 || strcmp(name, "-h") == 0 ||
        strcmp(name, "help") == 0) {
        print_commands(stdout, prefix, doc, table);
        return fflush(stdout) == 0 ? EXIT_STATUS_OK : EXIT_STATUS_MACHINE;
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        print_version(stdout, NULL);
        return fflush(stdout) == 0 ? EXIT_STATUS_OK : EXIT_STATUS_MACHINE;
    }
    for (const command *c = table; c->name != NULL; c++) {
        if (strcmp(name, c->name) == 0) {
            char full[128];
            (void)snprintf(full, sizeof(full), "%s %s", prefix, name);
            argv[1] = full; /* argp shows argv[0] in messages */
            return c->run(argc - 1, argv + 1);
        }
    }
    (void)fprintf(stderr, "%s: no command '%s'; '%s --help' lists them\n", prefix, name, prefix);
    return EXIT_STATUS_BAD_INPUT;
}

#ifdef CUZK_DAEMON
/* The original daemon is started as `cuzk --config FILE --listen ADDRESS`. */
static bool is_plain_daemon(const char *arg)
{
    static const char *const own[] = {"--help", "-?", "-h", "--version", "-V", "--usage"};
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
