/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "test.h"

#include <ftw.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "cpu/cpu.h"

#include "afresh.h"

#define MOST_AT_EXIT 8

static struct {
    const char *suite;
    const cuzk_case *cases;
    size_t n_cases, at; /* at: index of the running case */
    size_t passed, failed, skipped;
    pid_t pid;
    pthread_t thread; /* that runs the cases */
    void (*at_exit[MOST_AT_EXIT])(void);
    size_t n_at_exit;
    jmp_buf jump;
    uint64_t seed, state;
    size_t iters;
    char tmpdir[64];
    char message[1024];
} g;

static _Noreturn void end_failed(const char *message);

void cuzk_test_fail(const char *file, int line, const char *fmt, ...)
{
    char message[sizeof(g.message)];
    va_list ap;
    const int n = snprintf(message, sizeof(message), "%s:%d: ", file, line);
    va_start(ap, fmt);
    (void)vsnprintf(message + n, sizeof(message) - (size_t)n, fmt, ap);
    va_end(ap);
    if (getpid() != g.pid) { /* a child ends here; its parent sees the status */
        (void)dprintf(STDERR_FILENO, "in a child process of %s: %s\n", g.suite, message);
        _exit(1);
    }
    /* No jump first: threads of the case may use what is on its stack until the program starts again. */
    end_failed(message);
}

void cuzk_test_skip(const char *why)
{
    (void)snprintf(g.message, sizeof(g.message), "%s", why);
    longjmp(g.jump, 1);
}

void cuzk_test_u64(const char *file, int line, const char *what, uint64_t got, uint64_t want)
{
    if (got != want) {
        cuzk_test_fail(file, line,
                       "%s: %" PRIu64 " (0x%" PRIx64 "), expected %" PRIu64 " (0x%" PRIx64 ")",
                       what, got, got, want, want);
    }
}

void cuzk_test_mem(const char *file, int line, const char *what, const void *got, const void *want,
                   size_t n)
{
    const uint8_t *a = got, *b = want;
    for (size_t i = 0; i < n; i++) {
        if (a[i] != b[i]) {
            cuzk_test_fail(file, line, "%s: byte %zu of %zu is %02x, expected %02x", what, i, n,
                           a[i], b[i]);
        }
    }
}

void cuzk_test_str(const char *file, int line, const char *what, const char *got, const char *want)
{
    if (strcmp(got, want) != 0) {
        cuzk_test_fail(file, line, "%s: \"%s\", expected \"%s\"", what, got, want);
    }
}

void cuzk_test_status(const char *file, int line, const char *what, cuzk_status got,
                      cuzk_status want, const cuzk_err *err)
{
    if (got != want) {
        cuzk_test_fail(file, line, "%s: %s, expected %s%s%s", what, cuzk_status_name(got),
                       cuzk_status_name(want), err != NULL ? ": " : "",
                       err != NULL ? err->msg : "");
    }
}

uint64_t test_u64(void)
{
    uint64_t z = (g.state += 0x9e3779b97f4a7c15ULL); /* splitmix64 */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

uint64_t test_below(uint64_t n)
{
    return test_u64() % n; /* the bias does not matter for tests */
}

void test_bytes(void *out, size_t n)
{
    uint8_t *p = out;
    switch (test_below(8)) {
    case 0: memset(p, 0, n); return;
    case 1: memset(p, 0xff, n); return;
    case 2:
    case 3: { /* runs of equal bits */
        size_t bit = 0;
        memset(p, 0, n);
        while (bit < 8 * n) {
            const size_t run = 1 + test_below(test_below(2) != 0 ? 8 : 128);
            const uint8_t v = (uint8_t)(test_u64() & 1);
            for (size_t i = 0; i < run && bit < 8 * n; i++, bit++) {
                p[bit / 8] = (uint8_t)(p[bit / 8] | v << (bit % 8));
            }
        }
        return;
    }
    default:
        for (size_t i = 0; i < n; i++) {
            p[i] = (uint8_t)test_u64();
        }
    }
}

size_t test_iters(size_t base)
{
    return base * g.iters;
}

uint8_t *test_read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    CHECK_MSG(f != NULL, "cannot open %s", path);
    CHECK(fseek(f, 0, SEEK_END) == 0);
    const long size = ftell(f);
    CHECK(size >= 0 && fseek(f, 0, SEEK_SET) == 0);
    uint8_t *p = malloc((size_t)size + 1);
    CHECK(p != NULL);
    CHECK_U64(fread(p, 1, (size_t)size, f), (uint64_t)size);
    (void)fclose(f);
    p[size] = 0;
    *n = (size_t)size;
    return p;
}

const char *test_tmpdir(void)
{
    if (g.tmpdir[0] == '\0') {
        (void)snprintf(g.tmpdir, sizeof(g.tmpdir), "/tmp/cuzk-test-XXXXXX");
        CHECK(mkdtemp(g.tmpdir) != NULL);
    }
    return g.tmpdir;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static void seed_case(const char *name)
{
    g.state = g.seed;
    for (const char *c = name; *c != '\0'; c++) {
        g.state = (g.state ^ (uint8_t)*c) * 0x100000001b3ULL;
    }
}

/* False when the case was skipped. A failed case does not return. */
static bool run_case(const cuzk_case *c)
{
    if (setjmp(g.jump) != 0) {
        return false;
    }
    c->fn();
    return true;
}

void test_at_exit(void (*fn)(void))
{
    CHECK(g.n_at_exit < MOST_AT_EXIT);
    CHECK(atexit(fn) == 0);
    g.at_exit[g.n_at_exit++] = fn;
}

static void remove_tmpdir(void)
{
    if (g.tmpdir[0] != '\0') {
        (void)nftw(g.tmpdir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
        g.tmpdir[0] = '\0';
    }
}

/* Prints the last line. Returns the exit status. */
static int summary(void)
{
    (void)printf("%zu passed, %zu failed, %zu skipped\n", g.passed, g.failed, g.skipped);
    if (g.failed > 0 || g.passed + g.skipped == 0) {
        return 1;
    }
    return g.passed == 0 ? 77 : 0;
}

/* Reports the running case as failed, and runs the cases after it in the program started again. Called on the stack of
 * the case, from any thread. */
static void end_failed(const char *message)
{
    char rest[128];
    g.failed++;
    (void)printf("FAIL %s/%s (--seed=%" PRIu64 "): %s\n", g.suite, g.cases[g.at].name, g.seed,
                 message);
    (void)fflush(stdout);
    while (g.n_at_exit > 0) {
        g.at_exit[--g.n_at_exit]();
    }
    afresh_kill_children();
    remove_tmpdir();
    if (g.at + 1 < g.n_cases) {
        (void)snprintf(rest, sizeof(rest), "--after=%zu,%zu,%zu,%zu", g.at, g.passed, g.failed,
                       g.skipped);
        afresh_start(rest);
        (void)printf("cannot start again: the next cases are not run\n");
    }
    (void)summary();
    (void)fflush(stdout);
    _exit(1);
}

/* False: an option that there is not. */
static bool take_option(const char *a, const char **match, size_t *first)
{
    if (strncmp(a, "--match=", 8) == 0) {
        *match = a + 8;
    } else if (strncmp(a, "--seed=", 7) == 0) {
        g.seed = strtoull(a + 7, NULL, 0);
    } else if (strncmp(a, "--iters=", 8) == 0) {
        g.iters = (size_t)strtoull(a + 8, NULL, 0);
    } else if (strncmp(a, "--cpu-mask=", 11) == 0) {
        cuzk_cpu_set_mask((uint32_t)strtoul(a + 11, NULL, 0));
    } else if (sscanf(a, "--after=%zu,%zu,%zu,%zu", first, &g.passed, &g.failed, &g.skipped) == 4) {
        *first += 1;
    } else {
        return false;
    }
    return true;
}

static void run_from(size_t first, const char *match)
{
    for (g.at = first; g.at < g.n_cases; g.at++) {
        const char *name = g.cases[g.at].name;
        if (strstr(name, match) == NULL) {
            continue;
        }
        g.message[0] = '\0';
        seed_case(name);
        const bool ran = run_case(&g.cases[g.at]);
        if (ran) {
            g.passed++;
        } else {
            g.skipped++;
            (void)printf("SKIP %s/%s: %s\n", g.suite, name, g.message);
        }
        remove_tmpdir();
    }
}

int cuzk_test_main(int argc, char **argv, const char *suite, const cuzk_case *cases, size_t n)
{
    const char *match = "";
    size_t first = 0;
    g.suite = suite;
    g.cases = cases;
    g.n_cases = n;
    g.pid = getpid();
    g.thread = pthread_self();
    g.seed = 1;
    g.iters = 1;
    afresh_note();
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--list") == 0) {
            for (size_t k = 0; k < n; k++) {
                (void)printf("%s/%s\n", suite, cases[k].name);
            }
            return 0;
        }
        if (!take_option(argv[i], &match, &first)) {
            (void)fprintf(stderr, "%s: unknown option %s\n", suite, argv[i]);
            return 2;
        }
    }
    run_from(first, match);
    return summary();
}
