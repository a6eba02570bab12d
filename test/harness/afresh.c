/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "afresh.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_VARIABLES 1024
#define MOST_ARGUMENTS 64
#define MOST_LIMITS    32

static struct {
    char *environment[MOST_VARIABLES + 1]; /* the strings are those of the program's start */
    int folder;
    mode_t mask;
    struct rlimit limits[MOST_LIMITS];
    bool has_limit[MOST_LIMITS], ignored[NSIG];
    sigset_t blocked;
} start;

void afresh_note(void)
{
    for (size_t i = 0; i < MOST_VARIABLES && environ[i] != NULL; i++) {
        start.environment[i] = environ[i];
    }
    start.folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    start.mask = umask(0);
    (void)umask(start.mask);
    for (unsigned i = 0; i < MOST_LIMITS; i++) {
        start.has_limit[i] = getrlimit(i, &start.limits[i]) == 0;
    }
    for (int i = 1; i < NSIG; i++) {
        struct sigaction a;
        start.ignored[i] = sigaction(i, NULL, &a) == 0 && a.sa_handler == SIG_IGN;
    }
    (void)sigprocmask(SIG_SETMASK, NULL, &start.blocked);
}

/* The parent of a process; 0 when there is no such process. */
static pid_t parent_of(const char *pid)
{
    char path[300], line[512];
    int parent = 0;
    (void)snprintf(path, sizeof(path), "/proc/%s/stat", pid);
    FILE *f = fopen(path, "r");
    if (f == NULL) {
        return 0;
    }
    /* "pid (name) state parent": the name may hold anything, also parentheses */
    if (fgets(line, sizeof(line), f) != NULL) {
        const char *end = strrchr(line, ')');
        if (end == NULL || sscanf(end, ") %*c %d", &parent) != 1) {
            parent = 0;
        }
    }
    (void)fclose(f);
    return parent;
}

void afresh_kill_children(void)
{
    DIR *d = opendir("/proc");
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        const long pid = strtol(e->d_name, NULL, 10);
        if (pid > 0 && parent_of(e->d_name) == getpid()) {
            (void)kill((pid_t)pid, SIGKILL);
            (void)waitpid((pid_t)pid, NULL, 0);
        }
    }
    if (d != NULL) {
        (void)closedir(d);
    }
}

/* Files above standard error are not handed to the new program. */
static void close_files(void)
{
    DIR *d = opendir("/proc/self/fd");
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        const long fd = strtol(e->d_name, NULL, 10);
        if (fd > STDERR_FILENO) {
            (void)fcntl((int)fd, F_SETFD, FD_CLOEXEC);
        }
    }
    if (d != NULL) {
        (void)closedir(d);
    }
}

static void restore(void)
{
    (void)alarm(0);
    for (unsigned i = 0; i < MOST_LIMITS; i++) {
        if (start.has_limit[i]) {
            (void)setrlimit(i, &start.limits[i]);
        }
    }
    if (start.folder >= 0) {
        (void)fchdir(start.folder);
    }
    (void)umask(start.mask);
    for (int i = 1; i < NSIG; i++) {
        struct sigaction a; /* handlers end with the program, ignored signals do not */
        if (sigaction(i, NULL, &a) == 0 && (a.sa_handler == SIG_IGN) != start.ignored[i]) {
            (void)signal(i, start.ignored[i] ? SIG_IGN : SIG_DFL);
        }
    }
    (void)sigprocmask(SIG_SETMASK, &start.blocked, NULL);
}

/* The arguments of this process from the kernel: cuzk_test_main may have been given some of them only. */
static size_t read_arguments(char *buffer, size_t size, char *argv[MOST_ARGUMENTS])
{
    size_t n = 0, at = 0;
    FILE *f = fopen("/proc/self/cmdline", "r");
    const size_t got = f == NULL ? 0 : fread(buffer, 1, size - 1, f);
    buffer[got] = '\0';
    while (at < got && n < MOST_ARGUMENTS - 2) {
        argv[n++] = buffer + at;
        at += strlen(buffer + at) + 1;
    }
    if (f != NULL) {
        (void)fclose(f);
    }
    return n;
}

void afresh_start(const char *argument)
{
    static char buffer[16384], added[256];
    static char *given[MOST_ARGUMENTS], *argv[MOST_ARGUMENTS];
    const size_t option = strcspn(argument, "=");
    size_t n = 0;
    const size_t n_given = read_arguments(buffer, sizeof(buffer), given);
    (void)snprintf(added, sizeof(added), "%s", argument);
    for (size_t i = 0; i < n_given; i++) {
        if (strncmp(given[i], argument, option) != 0) {
            argv[n++] = given[i];
        }
    }
    argv[n++] = added;
    argv[n] = NULL;
    close_files();
    restore();
    (void)execve("/proc/self/exe", argv, start.environment);
}
