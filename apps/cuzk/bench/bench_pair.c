/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * cuzk bench pair BASE-PROGRAM NEW-PROGRAM -- prove porep ...: runs two programs in turns, so that disturbances by
 * other programs affect both, and compares what they measured.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apps/cuzk/commands.h"
#include "apps/cuzk/exit_status.h"
#include "base/alloc.h"
#include "report/text.h"

#include "bench_common.h"

enum { MAX_ARGS = 64 };

typedef struct bench_pair {
    app a;
    const char *program[2];
    char *args[MAX_ARGS]; /* of `cuzk bench` */
    int n_args;
    char *extra[2]; /* of one program */
    uint64_t rounds;
    const char *result[2], *html;
    char dir[64];
    cuzk_result r[2];
    bool has[2];
} bench_pair;

enum { OPT_ROUNDS = 0x480, OPT_RESULT_BASE, OPT_RESULT_NEW, OPT_REPORT, OPT_BASE_ARG, OPT_NEW_ARG };

static const struct argp_option options[] = {
    {"rounds", OPT_ROUNDS, "N", 0, "Times that each program runs (default 10)", 0},
    {"result-base", OPT_RESULT_BASE, "FILE", 0, "Write the result of the first here", 0},
    {"result-new", OPT_RESULT_NEW, "FILE", 0, "Write the result of the second here", 0},
    {"base-arg", OPT_BASE_ARG, "ARG", 0, "One more argument for the first program only", 0},
    {"new-arg", OPT_NEW_ARG, "ARG", 0, "One more argument for the second program only", 0},
    {"report", OPT_REPORT, "FILE", 0, "Write an HTML page", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    bench_pair *p = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &p->a; return 0;
    case OPT_RESULT_BASE: p->result[0] = arg; return 0;
    case OPT_RESULT_NEW: p->result[1] = arg; return 0;
    case OPT_REPORT: p->html = arg; return 0;
    case OPT_BASE_ARG: p->extra[0] = arg; return 0;
    case OPT_NEW_ARG: p->extra[1] = arg; return 0;
    case OPT_ROUNDS:
        if (!app_parse_u64(&p->rounds, arg, 1000) || p->rounds == 0) {
            argp_error(state, "--rounds wants a number from 1 to 1000, not '%s'", arg);
        }
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num < 2) {
            p->program[state->arg_num] = arg;
        } else if (p->n_args < MAX_ARGS - 12) {
            p->args[p->n_args++] = arg;
        } else {
            argp_error(state, "too many arguments");
        }
        return 0;
    case ARGP_KEY_END:
        if (p->n_args == 0) {
            argp_error(state, "needs BASE-PROGRAM NEW-PROGRAM -- VERB ARGUMENTS");
        }
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static cuzk_status wait_for(bench_pair *p, pid_t pid, const char *program)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            return CUZK_FAIL_OS(&p->a.err, CUZK_E_IO, errno, "%s: cannot wait for it", program);
        }
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return CUZK_FAIL(&p->a.err, CUZK_E_INVALID, "%s bench %s ...: failed with status %d",
                         program, p->args[0], WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    }
    return CUZK_OK;
}

/* One run after one to warm up, in a process of its own. */
static cuzk_status run_program(bench_pair *p, int which, const char *out)
{
    char program[4096], result[128];
    char *argv[MAX_ARGS];
    char bench[] = "bench", warmup[] = "--warmup=1", runs[] = "--runs=1", force[] = "--force",
         quiet[] = "--quiet";
    posix_spawn_file_actions_t files;
    pid_t pid;
    int n = 0;
    (void)snprintf(program, sizeof(program), "%s", p->program[which]);
    (void)snprintf(result, sizeof(result), "--result=%s", out);
    argv[n++] = program;
    argv[n++] = bench;
    argv[n++] = p->args[0];
    argv[n++] = runs; /* before the caller's, which win */
    argv[n++] = warmup;
    for (int i = 1; i < p->n_args; i++) {
        argv[n++] = p->args[i];
    }
    if (p->extra[which] != NULL) {
        argv[n++] = p->extra[which];
    }
    argv[n++] = result;
    argv[n++] = force;
    argv[n++] = quiet;
    argv[n] = NULL;
    if (posix_spawn_file_actions_init(&files) != 0) {
        return CUZK_FAIL(&p->a.err, CUZK_E_NOMEM, "no memory to start %s", program);
    }
    (void)posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    const int rc = posix_spawn(&pid, program, &files, NULL, argv, environ);
    (void)posix_spawn_file_actions_destroy(&files);
    if (rc != 0) {
        return CUZK_FAIL_OS(&p->a.err, CUZK_E_NOT_FOUND, rc, "%s: cannot be started", program);
    }
    return wait_for(p, pid, program);
}

static cuzk_status one(bench_pair *p, int which)
{
    char out[96];
    static cuzk_result r; /* too large for the stack */
    (void)snprintf(out, sizeof(out), "%s/result.json", p->dir);
    CUZK_TRY(run_program(p, which, out));
    CUZK_TRY(bench_load(&r, out, &p->a.err));
    if (!p->has[which]) {
        p->r[which] = r; /* moved */
        p->has[which] = true;
        return CUZK_OK;
    }
    const cuzk_status st = cuzk_result_merge(&p->r[which], &r, &p->a.err);
    cuzk_result_free(&r);
    return st;
}

static cuzk_status write_result(bench_pair *p, int which)
{
    cuzk_jsonw w;
    if (p->result[which] == NULL) {
        return CUZK_OK;
    }
    cuzk_jsonw_init(&w, false);
    cuzk_status st = cuzk_result_write(&w, &p->r[which], &p->a.err);
    if (st == CUZK_OK) {
        st = app_write_json(&p->a, p->result[which], &w);
    }
    cuzk_jsonw_free(&w);
    return st;
}

static cuzk_status judge(bench_pair *p, int *worse)
{
    cuzk_comparison c;
    cuzk_status st = CUZK_OK;
    CUZK_TRY(cuzk_compare(&c, &p->r[0], &p->r[1], NULL, &p->a.err));
    if (p->html != NULL) {
        st = bench_write_page(p->html, &p->r[0], &p->r[1], &c, p->a.force, &p->a.err);
    }
    if (st == CUZK_OK && p->a.json) {
        app_text(&p->a, "verdict", cuzk_verdict_name(c.verdict));
    } else if (st == CUZK_OK) {
        cuzk_text_comparison(stdout, &c, &p->r[0], &p->r[1]);
    }
    *worse = cuzk_comparison_exit_status(&c);
    cuzk_comparison_free(&c);
    return st;
}

static cuzk_status work(bench_pair *p, int *worse)
{
    app *a = &p->a;
    const char *tmp = getenv("TMPDIR");
    for (int i = 0; i < 2; i++) {
        CUZK_TRY(app_check_output(a, p->result[i]));
    }
    CUZK_TRY(app_check_output(a, p->html));
    (void)snprintf(p->dir, sizeof(p->dir), "%s/cuzk-pair-XXXXXX",
                   tmp != NULL && strlen(tmp) < 32 ? tmp : "/var/tmp");
    if (mkdtemp(p->dir) == NULL) {
        p->dir[0] = '\0';
        return CUZK_FAIL_OS(&a->err, CUZK_E_IO, errno, "cannot make a scratch folder");
    }
    for (uint64_t i = 0; i < p->rounds; i++) {
        app_progress(a, "rounds", i, p->rounds);
        CUZK_TRY(one(p, (int)(i % 2))); /* base new, new base, ... */
        CUZK_TRY(one(p, (int)(1 - i % 2)));
        if (cuzk_cancel_requested(a->cancel)) {
            return CUZK_FAIL(&a->err, CUZK_E_CANCELLED, "interrupted");
        }
    }
    app_progress(a, "rounds", p->rounds, p->rounds);
    CUZK_TRY(write_result(p, 0));
    CUZK_TRY(write_result(p, 1));
    return judge(p, worse);
}

static void remove_dir(const bench_pair *p)
{
    char out[96];
    if (p->dir[0] != '\0') {
        (void)snprintf(out, sizeof(out), "%s/result.json", p->dir);
        (void)unlink(out);
        (void)rmdir(p->dir);
    }
}

int cmd_bench_pair(int argc, char **argv)
{
    static const struct argp_child children[] = {APP_CHILD, {0}};
    static const struct argp argp = {
        options,
        parse,
        "BASE-PROGRAM NEW-PROGRAM -- VERB ARGUMENTS",
        "Run 'PROGRAM bench VERB ARGUMENTS' (prove or synth) of two programs in turns, each in a process of its own, "
        "and compare: on a machine that is not quiet the only fair way. Exit status as of 'bench compare'.",
        children,
        NULL,
        NULL};
    static bench_pair p; /* too large for the stack */
    int worse = EXIT_STATUS_OK;
    app_init(&p.a, argv[0]);
    p.a.threads = 1;
    p.rounds = 10;
    (void)argp_parse(&argp, argc, argv, 0, NULL, &p);
    cuzk_status st = app_begin(&p.a);
    if (st == CUZK_OK) {
        st = work(&p, &worse);
    }
    remove_dir(&p);
    for (int i = 0; i < 2; i++) {
        cuzk_result_free(&p.r[i]);
    }
    const int status = app_finish(&p.a, st);
    return status != EXIT_STATUS_OK ? status : worse;
}
