/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The runner of the tests: what a failed case leaves does not reach the cases after it. The program runs itself with
 * RUNNER_SUBJECT set, then its cases fail on purpose and its output is checked.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"

#include "test.h"

#define LEFT_FD 50

static _Atomic int threads_running;
static bool case_ran;

static void *run_for_ever(void *arg)
{
    threads_running++;
    while (threads_running > 0) {
        (void)pause();
    }
    return arg;
}

static void say_hook(void)
{
    (void)printf("hook of %ld\n", (long)getpid());
    (void)fflush(stdout);
}

static void leaves_everything(void)
{
    const struct rlimit small = {4096, RLIM_INFINITY};
    sigset_t set;
    pthread_t thread;
    case_ran = true;
    test_at_exit(say_hook);
    CHECK(pthread_create(&thread, NULL, run_for_ever, NULL) == 0);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        (void)run_for_ever(NULL);
    }
    (void)printf("child %ld\nfolder %s\n", (long)child, test_tmpdir());
    CHECK(setenv("LEFT", "1", 1) == 0 && unsetenv("RUNNER_KEPT") == 0);
    CHECK(chdir("/") == 0);
    (void)umask(0);
    CHECK(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
    CHECK(sigemptyset(&set) == 0 && sigaddset(&set, SIGUSR1) == 0 &&
          pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    CHECK(setrlimit(RLIMIT_CORE, &small) == 0);
    CHECK(dup2(STDOUT_FILENO, LEFT_FD) == LEFT_FD);
    cuzk_alloc_fail_nth(1, true);
    CHECK(getenv("LEFT") == NULL);
}

static void finds_nothing(void)
{
    char folder[4096];
    struct sigaction a;
    struct rlimit core;
    sigset_t set;
    CHECK(!case_ran && threads_running == 0);
    CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
    CHECK(getenv("LEFT") == NULL && getenv("RUNNER_KEPT") != NULL);
    CHECK(getcwd(folder, sizeof(folder)) != NULL && strcmp(folder, "/") != 0);
    CHECK(umask(022) != 0);
    CHECK(sigaction(SIGPIPE, NULL, &a) == 0 && a.sa_handler == SIG_DFL);
    CHECK(pthread_sigmask(SIG_BLOCK, NULL, &set) == 0 && sigismember(&set, SIGUSR1) == 0);
    CHECK(getrlimit(RLIMIT_CORE, &core) == 0 && core.rlim_cur != 4096);
    CHECK(fcntl(LEFT_FD, F_GETFD) == -1 && errno == EBADF);
    void *p = cuzk_alloc(1, 1);
    CHECK(p != NULL);
    cuzk_free(p);
}

static void *check_nothing(void *arg)
{
    CHECK(arg != NULL);
    return NULL;
}

static void fails_in_a_thread(void)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, check_nothing, NULL) == 0);
    for (;;) {
        (void)pause();
    }
}

static void fails_in_a_child(void)
{
    int status = 0;
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        CHECK(child != 0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

static void is_skipped(void)
{
    cuzk_test_skip("on purpose");
}

static void fails_as_the_last(void)
{
    CHECK_U64(1, 2);
}

static const cuzk_case subject_cases[] = {
    CASE(leaves_everything), CASE(finds_nothing), CASE(fails_in_a_thread),
    CASE(fails_in_a_child),  CASE(is_skipped),    CASE(fails_as_the_last),
};

/* The number behind the word, at the beginning of a line. */
static long number_behind(const char *text, const char *word)
{
    const char *at = strstr(text, word);
    CHECK_MSG(at != NULL, "no \"%s\" in:\n%s", word, text);
    return strtol(at + strlen(word), NULL, 10);
}

static void a_failed_case_leaves_nothing(void)
{
    char program[512], command[700], out[8192], folder[256];
    const ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);
    CHECK(len > 0);
    program[len] = '\0';
    (void)signal(SIGPIPE,
                 SIG_DFL); /* what the subject's cases look for must not come from our caller */
    CHECK((size_t)snprintf(command, sizeof(command), "RUNNER_SUBJECT=1 RUNNER_KEPT=1 '%s' --seed=3",
                           program) < sizeof(command));
    FILE *f = popen(command, "r");
    CHECK(f != NULL);
    const size_t n = fread(out, 1, sizeof(out) - 1, f);
    const int status = pclose(f);
    out[n] = '\0';
    CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 1, "status %x:\n%s", (unsigned)status,
              out);
    CHECK_MSG(strstr(out, "FAIL base/subject/leaves_everything (--seed=3): ") != NULL, "%s", out);
    CHECK_MSG(strstr(out, "FAIL base/subject/fails_in_a_thread (--seed=3): ") != NULL, "%s", out);
    CHECK_MSG(strstr(out, "FAIL base/subject/fails_as_the_last (--seed=3): ") != NULL, "%s", out);
    CHECK_MSG(strstr(out, "\n2 passed, 3 failed, 1 skipped\n") != NULL, "%s", out);
    CHECK(kill((pid_t)number_behind(out, "child "), 0) == -1 && errno == ESRCH);
    CHECK(number_behind(out, "hook of ") > 0);
    CHECK(sscanf(strstr(out, "folder "), "folder %255s", folder) == 1);
    CHECK(access(folder, F_OK) == -1 && errno == ENOENT);
}

static const cuzk_case cases[] = {CASE(a_failed_case_leaves_nothing)};

int main(int argc, char **argv)
{
    if (getenv("RUNNER_SUBJECT") != NULL) {
        return cuzk_test_main(argc, argv, "base/subject", subject_cases,
                              sizeof(subject_cases) / sizeof(subject_cases[0]));
    }
    return cuzk_test_main(argc, argv, "base/runner", cases, sizeof(cases) / sizeof(cases[0]));
}
