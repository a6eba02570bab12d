/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "sys/progress.h"
#include "sys/progress_internal.h"

#include "test.h"

#define SECOND 1000000000u

static const char *render(const cuzk_progress_view *v)
{
    static char buf[1024];
    const size_t n = cuzk_progress_render(buf, sizeof(buf), v);
    CHECK_U64(n, strlen(buf));
    return buf;
}

/* Columns on the screen: characters that are not control sequences. */
static unsigned columns(const char *s)
{
    unsigned n = 0;
    for (; *s != '\0'; s++) {
        if (*s == '\x1b') {
            while (*s != 'm' && *s != 'K') {
                s++;
            }
        } else if (*s != '\r' && *s != '\n' && ((unsigned char)*s & 0xc0) != 0x80) {
            n++;
        }
    }
    return n;
}

static void plain_lines(void)
{
    cuzk_progress_view v = {.label = "load", .done = 45, .total = 100, .elapsed_ns = 9ULL * SECOND};
    CHECK_STR(render(&v), "load 45% elapsed 9s, 11s left\n");
    v.done = 100;
    CHECK_STR(render(&v), "load 100% elapsed 9s\n");
    v.done = 0;
    CHECK_STR(render(&v), "load 0% elapsed 9s\n");
    v.total = 0;
    v.done = 7;
    CHECK_STR(render(&v), "load 7 done, elapsed 9s\n");
}

static void ascii_bar(void)
{
    cuzk_progress_view v = {.label = "msm h",
                            .done = 1,
                            .total = 2,
                            .elapsed_ns = 75ULL * SECOND,
                            .columns = 40,
                            .style = CUZK_PROGRESS_ASCII};
    CHECK_STR(render(&v), "\r\x1b[Kmsm h [######      ]  50% 1:15 ETA 1:15");
    v.done = 2;
    CHECK_STR(render(&v), "\r\x1b[Kmsm h [############] 100% 1:15 ETA 0:00");
    v.done = 5; /* more than announced */
    CHECK_STR(render(&v), "\r\x1b[Kmsm h [############] 100% 1:15 ETA 0:00");
    v.done = 0;
    CHECK_STR(render(&v), "\r\x1b[Kmsm h [            ]   0% 1:15 ETA -:--");
    v.total = 0;
    v.done = 12;
    v.elapsed_ns = 3723ULL * SECOND;
    CHECK_STR(render(&v), "\r\x1b[Kmsm h 12 1:02:03");
}

static void utf8_bar_uses_eighths(void)
{
    cuzk_progress_view v = {
        .label = "x", .done = 17, .total = 64, .columns = 32, .style = CUZK_PROGRESS_UTF8};
    CHECK_STR(render(&v), "\r\x1b[Kx [██▏     ]  26% 0:00 ETA 0:00");
    v.colour = true;
    CHECK_STR(render(&v), "\r\x1b[Kx [\x1b[36m██▏     \x1b[0m]  26% 0:00 ETA 0:00");
}

static void never_wider_than_the_terminal(void)
{
    static const char *const labels[] = {"", "a", "ünïcödé läbel", "a rather long label indeed"};
    for (unsigned c = 0; c < 300; c++) {
        for (size_t i = 0; i < 4; i++) {
            for (uint64_t done = 0; done <= 1000; done += 37) {
                cuzk_progress_view v = {.label = labels[i],
                                        .done = done,
                                        .total = 999,
                                        .elapsed_ns = done * SECOND,
                                        .columns = c,
                                        .style = CUZK_PROGRESS_UTF8,
                                        .colour = done % 2 == 0};
                CHECK_MSG(columns(render(&v)) <= (c > 0 ? c - 1 : 0), "%u columns: %s", c,
                          render(&v));
            }
        }
    }
}

static void small_buffer_cuts_whole_characters(void)
{
    cuzk_progress_view v = {
        .label = "é", .done = 1, .total = 1, .columns = 80, .style = CUZK_PROGRESS_UTF8};
    for (size_t cap = 1; cap < 300; cap++) {
        char buf[300];
        memset(buf, 'Z', sizeof(buf));
        const size_t n = cuzk_progress_render(buf, cap, &v);
        CHECK(n < cap && buf[n] == '\0' && buf[cap] == 'Z');
        /* the last character is complete: its lead byte announces what follows it */
        size_t i = n;
        while (i > 0 && ((unsigned char)buf[i - 1] & 0xc0) == 0x80) {
            i--;
        }
        if (i > 0 && (unsigned char)buf[i - 1] >= 0xc0) {
            CHECK_U64(n - i, (unsigned char)buf[i - 1] >= 0xe0 ? 2 : 1);
        }
    }
}

static void style_follows_the_environment(void)
{
    CHECK_U64(cuzk_progress_choose(false, "xterm", "C.UTF-8"), CUZK_PROGRESS_LINES);
    CHECK_U64(cuzk_progress_choose(true, "dumb", "C.UTF-8"), CUZK_PROGRESS_LINES);
    CHECK_U64(cuzk_progress_choose(true, NULL, "C.UTF-8"), CUZK_PROGRESS_LINES);
    CHECK_U64(cuzk_progress_choose(true, "", NULL), CUZK_PROGRESS_LINES);
    CHECK_U64(cuzk_progress_choose(true, "xterm", "de_DE.utf8"), CUZK_PROGRESS_UTF8);
    CHECK_U64(cuzk_progress_choose(true, "xterm", "en_US.UTF-8"), CUZK_PROGRESS_UTF8);
    CHECK_U64(cuzk_progress_choose(true, "xterm", "C"), CUZK_PROGRESS_ASCII);
    CHECK_U64(cuzk_progress_choose(true, "xterm", NULL), CUZK_PROGRESS_ASCII);
}

static void pause_ms(long ms)
{
    const struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    (void)nanosleep(&t, NULL);
}

static size_t drain(int fd, char *buf, size_t cap)
{
    size_t n = 0;
    for (;;) {
        const ssize_t got = read(fd, buf + n, cap - 1 - n);
        if (got <= 0) {
            break;
        }
        n += (size_t)got;
    }
    buf[n] = '\0';
    return n;
}

static void pipe_is_quiet_for_short_jobs(void)
{
    int fd[2];
    char buf[4096];
    cuzk_progress *p = NULL;
    CHECK(pipe(fd) == 0);
    CHECK_OK(cuzk_progress_start(&p, fd[1], "short", 100, NULL), NULL);
    for (int i = 0; i < 100; i++) {
        cuzk_progress_add(p, 1);
    }
    cuzk_progress_finish(p, true);
    (void)close(fd[1]);
    CHECK_U64(drain(fd[0], buf, sizeof(buf)), 0);
    (void)close(fd[0]);
}

static void pipe_gets_lines(void)
{
    int fd[2];
    char buf[4096];
    cuzk_progress *p = NULL;
    CHECK(pipe(fd) == 0);
    CHECK_OK(cuzk_progress_start(&p, fd[1], "job", 1, NULL), NULL);
    cuzk_progress_add(p, 1);    /* the first step, of one unit */
    cuzk_progress_set(p, 1, 4); /* the second */
    pause_ms(2050);
    cuzk_progress_add(p, 1);
    cuzk_progress_add(p, 1);
    cuzk_progress_finish(p, true);
    (void)close(fd[1]);
    (void)drain(fd[0], buf, sizeof(buf));
    (void)close(fd[0]);
    /* two seconds, or more on a busy machine */
    char *end = NULL;
    CHECK(strncmp(buf, "job 50% elapsed ", 16) == 0 && strtoul(buf + 16, &end, 10) >= 2);
    CHECK(*end == 's');
    const char *second = strchr(buf, '\n');
    CHECK(second != NULL && strncmp(second + 1, "job 100% elapsed ", 17) == 0);
    CHECK(strtoul(second + 18, &end, 10) >= 2 && strcmp(end, "s\n") == 0);
    CHECK(strchr(buf, '\x1b') == NULL && strchr(buf, '\r') == NULL);
}

static void *add_many(void *arg)
{
    for (int i = 0; i < 20000; i++) {
        cuzk_progress_add(arg, 1);
    }
    return NULL;
}

static void terminal_is_redrawn_at_most_ten_times_a_second(void)
{
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    static char buf[65536];
    cuzk_progress *p = NULL;
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) {
        cuzk_test_skip("no pseudo terminal");
    }
    const int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    if (slave < 0) {
        (void)close(master);
        cuzk_test_skip("no pseudo terminal");
    }
    const struct winsize w = {.ws_col = 40, .ws_row = 10};
    CHECK(ioctl(master, TIOCSWINSZ, &w) == 0);
    CHECK(setenv("TERM", "xterm", 1) == 0 && setenv("LC_ALL", "C", 1) == 0 &&
          setenv("NO_COLOR", "1", 1) == 0);
    CHECK_OK(cuzk_progress_start(&p, slave, "tty", 60030, NULL), NULL);
    pthread_t t[3];
    for (size_t i = 0; i < 3; i++) {
        CHECK(pthread_create(&t[i], NULL, add_many, p) == 0);
    }
    for (size_t i = 0; i < 3; i++) {
        CHECK(pthread_join(t[i], NULL) == 0);
    }
    for (int i = 0; i < 30; i++) {
        pause_ms(10);
        cuzk_progress_add(p, 1);
    }
    cuzk_progress_finish(p, true);
    CHECK(fcntl(master, F_SETFL, O_NONBLOCK) == 0);
    (void)drain(master, buf, sizeof(buf));
    (void)close(slave);
    (void)close(master);
    size_t redraws = 0;
    for (const char *c = buf; (c = strchr(c, '\r')) != NULL; c++) {
        redraws += c[1] == '\x1b' ? 1 : 0;
    }
    CHECK(redraws >= 2 && redraws < 60); /* a loaded machine may take seconds for 0.3 s of work */
    CHECK(strstr(buf, "tty [") != NULL && strstr(buf, "] 100% ") != NULL);
    CHECK(strstr(buf, "\x1b[36m") == NULL);
}

static void null_and_no_memory(void)
{
    const uint64_t blocks = cuzk_alloc_get_stats().blocks_now;
    cuzk_progress_add(NULL, 1);
    cuzk_progress_set(NULL, 1, 2);
    cuzk_progress_finish(NULL, true);
    for (uint64_t nth = 1; nth <= 2; nth++) {
        cuzk_progress *p = NULL;
        cuzk_alloc_fail_nth(nth, false);
        const cuzk_status st = cuzk_progress_start(&p, 2, "x", 1, NULL);
        cuzk_alloc_fail_nth(0, false);
        CHECK_U64(st, CUZK_E_NOMEM);
        CHECK(p == NULL);
    }
    CHECK_U64(cuzk_alloc_get_stats().blocks_now, blocks);
}

static const cuzk_case cases[] = {
    CASE(plain_lines),
    CASE(ascii_bar),
    CASE(utf8_bar_uses_eighths),
    CASE(never_wider_than_the_terminal),
    CASE(small_buffer_cuts_whole_characters),
    CASE(style_follows_the_environment),
    CASE(pipe_is_quiet_for_short_jobs),
    CASE(pipe_gets_lines),
    CASE(terminal_is_redrawn_at_most_ten_times_a_second),
    CASE(null_and_no_memory),
};
TEST_MAIN("sys/progress", cases)
