/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Finds the command that the first argument names. Answers requests for help and version, and reports mistakes. */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "cpu/cpu.h"
#include "prover/keys/circuit_id.h"

#include "commands.h"
#include "commit.h"
#include "exit_status.h"

#if CUZK_HAVE_CUDA
#    include "accel/cuda/cuda_accel.h"
#endif

enum { NAME_MOST = 32 };

void print_version(FILE *out, struct argp_state *state)
{
    char cpu[128];
    (void)state;
    (void)fprintf(out, "cuzk %s\ncommit: %s\n", CUZK_VERSION_STR, CUZK_COMMIT_STR);
    (void)fprintf(out, "processor: %s\n", cuzk_cpu_describe(cuzk_cpu_detect(), cpu, sizeof(cpu)));
#if CUZK_HAVE_CUDA
    const int driver = cuzk_accel_cuda_driver_version();
    (void)fprintf(out, "CUDA: %s, for compute capabilities %s; driver: ", CUZK_CUDA_VERSION_STR,
                  CUZK_CUDA_CLASSES_STR);
    if (driver > 0) {
        (void)fprintf(out, "for CUDA %d.%d\n", driver / 1000, driver % 1000 / 10);
    } else {
        (void)fprintf(out, "none\n");
    }
#else
    (void)fprintf(out, "CUDA: not built in (-DCUZK_CUDA=ON)\n");
#endif
#ifdef CUZK_DAEMON
    (void)fprintf(out, "daemon: yes\n");
#else
    (void)fprintf(out, "daemon: not built in\n");
#endif
}

static void print_commands(FILE *out, const char *prefix, const char *doc, const command *table)
{
    (void)fprintf(out, "Usage: %s COMMAND [OPTION...] [FILE...]\n%s\n", prefix, doc);
    for (const command *c = table; c->name != NULL; c++) {
        if (c->run == NULL || c == table) {
            (void)fprintf(out, "\n%s:\n", c->run == NULL ? c->name : "Commands");
        }
        if (c->run != NULL) {
            (void)fprintf(out, "  %-10s %s\n", c->name, c->summary);
        }
    }
    (void)fprintf(out, "\n'%s COMMAND --help' explains a command.\n", prefix);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Letters to insert, delete, replace or exchange with a neighbour; n_a and n_b at most NAME_MOST. */
static size_t distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
    size_t d[NAME_MOST + 1][NAME_MOST + 1];
    for (size_t i = 0; i <= n_a; i++) {
        for (size_t j = 0; j <= n_b; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            const size_t changed = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = least(changed, 1 + least(d[i - 1][j], d[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
            }
        }
    }
    return d[n_a][n_b];
}

const char *closest_command(const command *table, const char *name)
{
    const size_t n = strlen(name);
    const char *best = NULL;
    size_t best_distance = 3;
    if (n == 0 || n > NAME_MOST) {
        return NULL;
    }
    for (const command *c = table; c->name != NULL; c++) {
        const size_t m = strlen(c->name);
        /* the beginning of a name, of two letters or more, is close enough */
        const size_t d =
            n >= 2 && strncmp(c->name, name, n) == 0 ? 1 : distance(name, n, c->name, m);
        if (c->run != NULL && d < best_distance && d < m) {
            best = c->name;
            best_distance = d;
        }
    }
    return best;
}

/* A command that is named by a kind of proof is found by every name of the kind. */
static const command *find(const command *table, const char *name)
{
    cuzk_circuit_kind kind;
    if (cuzk_circuit_kind_parse(&kind, name)) {
        name = cuzk_circuit_kind_name(kind);
    }
    for (const command *c = table; c->name != NULL; c++) {
        if (c->run != NULL && strcmp(name, c->name) == 0) {
            return c;
        }
    }
    return NULL;
}

static int unknown(const char *prefix, const char *name, const command *table)
{
    const char *like = closest_command(table, name);
    (void)fprintf(stderr, "%s: no command '%s'; %s%s%s'%s --help' lists them\n", prefix, name,
                  like != NULL ? "did you mean '" : "", like != NULL ? like : "",
                  like != NULL ? "'? " : "", prefix);
    return EXIT_STATUS_BAD_INPUT;
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names != NULL; names++) {
        if (strcmp(name, *names) == 0) {
            return true;
        }
    }
    return false;
}

/* `cuzk help groth16 prove` is `cuzk groth16 prove --help`: moves "help" behind what it is about. */
static void help_last(int argc, char **argv)
{
    static char option[] = "--help";
    for (int i = 1; i + 1 < argc; i++) {
        argv[i] = argv[i + 1];
    }
    argv[argc - 1] = option;
}

int dispatch(int argc, char **argv, const char *prefix, const char *doc, const command *table)
{
    static const char *const help[] = {"--help", "-?", "-h", NULL};
    static const char *const version[] = {"--version", "-V", "version", NULL};
    if (argc < 2) {
        print_commands(stderr, prefix, doc, table);
        return EXIT_STATUS_BAD_INPUT;
    }
    if (strcmp(argv[1], "help") == 0 && argc > 2) {
        help_last(argc, argv);
    }
    const char *name = argv[1];
    if (is_one_of(name, help) || strcmp(name, "help") == 0) {
        print_commands(stdout, prefix, doc, table);
        return fflush(stdout) == 0 ? EXIT_STATUS_OK : EXIT_STATUS_MACHINE;
    }
    if (is_one_of(name, version)) {
        print_version(stdout, NULL);
        return fflush(stdout) == 0 ? EXIT_STATUS_OK : EXIT_STATUS_MACHINE;
    }
    const command *c = find(table, name);
    if (c == NULL) {
        return unknown(prefix, name, table);
    }
    char full[128];
    (void)snprintf(full, sizeof(full), "%s %s", prefix, name);
    argv[1] = full; /* argp shows argv[0] in messages */
    return c->run(argc - 1, argv + 1);
}
