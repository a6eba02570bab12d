/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_COMMANDS_H
#define CUZK_APPS_COMMANDS_H

#include <argp.h>
#include <stdio.h>

/* Sub-commands: one line here and one in a table each. */
typedef struct command {
    const char *name;
    const char *summary; /* one line of the help */
    int (*run)(int argc,
               char **argv); /* NULL: the name is a heading of the help, for the rows below it */
} command;

/**
 * Runs the command that argv[1] names, with argv[0] "PREFIX NAME" for it; --help, help COMMAND, --version,
 * version and mistakes are answered here. table ends with a NULL name.
 */
int dispatch(int argc, char **argv, const char *prefix, const char *doc, const command *table);
/** The name of the table that is closest to a misspelt one, or NULL when none is close. */
const char *closest_command(const command *table, const char *name);
/** The commands of `cuzk`, ending with a NULL name. */
const command *top_commands(void);
/** Shows control characters on standard error as '?' from here on, when an argument has some. */
void clean_stderr_for(int argc, char **argv);
/** cuzk --version: release, commit, processor, CUDA and driver, daemon. */
void print_version(FILE *out, struct argp_state *state);

int cmd_groth16(int argc, char **argv);
int cmd_groth16_setup(int argc, char **argv);
int cmd_groth16_prove(int argc, char **argv);
int cmd_groth16_verify(int argc, char **argv);
int cmd_groth16_check(int argc, char **argv);
int cmd_groth16_info(int argc, char **argv);
int cmd_params(int argc, char **argv);
int cmd_params_setup(int argc, char **argv);
int cmd_prove(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_circuit(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_aggregate(int argc, char **argv);
int cmd_verify_aggregate(int argc, char **argv);
int cmd_params_setup_aggregate(int argc, char **argv);
int cmd_params_check_srs(int argc, char **argv);
int cmd_bench_aggregate(int argc, char **argv);
int cmd_bench_compare(int argc, char **argv);
int cmd_bench_micro(int argc, char **argv);
int cmd_bench_moved(int argc, char **argv);
int cmd_bench_tune(int argc, char **argv);
int cmd_bench_pair(int argc, char **argv);
int cmd_bench_prove(int argc, char **argv);
int cmd_bench_show(int argc, char **argv);
int cmd_bench_synth(int argc, char **argv);
int cmd_completion(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_fleet(int argc, char **argv);
int cmd_gen(int argc, char **argv);
int cmd_serve(int argc, char **argv);
int cmd_submit(int argc, char **argv);
int cmd_await(int argc, char **argv);
int cmd_cancel(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_preload(int argc, char **argv);
int cmd_evict(int argc, char **argv);
int cmd_health(int argc, char **argv);
int cmd_bench_daemon(int argc, char **argv);
int cmd_bench_sweep(int argc, char **argv);
int cmd_top(int argc, char **argv);

#endif /* CUZK_APPS_COMMANDS_H */
