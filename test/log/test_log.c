/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text/json.h"
#include "log/log.h"
#include "log/log_internal.h"

#include "test.h"

#define AT_MS 1764436589123ULL /* 2025-11-29T17:16:29.123Z */

static char line[CUZK_LOG_LINE_BYTES + 1];

static const char *render(cuzk_log_format f, cuzk_log_level level, const char *event,
                          const char *const *kv, uint64_t suppressed)
{
    memset(line, 0x55, sizeof(line));
    const size_t n = cuzk_log_render(line, f, false, AT_MS, level, event, kv, suppressed);
    CHECK(n <= CUZK_LOG_LINE_BYTES);
    CHECK(n > 0 && line[n - 1] == '\n');
    CHECK(memchr(line, '\n', n) == line + n - 1);
    line[n] = '\0';
    return line;
}

static void forms(void)
{
    const char *kv[] = {"job", "porep-1000-1", "wait", "a b", "none", NULL, "empty", "", NULL};
    CHECK_STR(
        render(CUZK_LOG_TEXT, CUZK_LOG_INFO, "job.accepted", kv, 0),
        "2025-11-29T17:16:29.123Z INFO  job.accepted job=porep-1000-1 wait=\"a b\" empty=\"\"\n");
    CHECK_STR(
        render(CUZK_LOG_JSON, CUZK_LOG_ERROR, "job.accepted", kv, 3),
        "{\"time\":\"2025-11-29T17:16:29.123Z\",\"level\":\"error\",\"event\":\"job.accepted\","
        "\"job\":\"porep-1000-1\",\"wait\":\"a b\",\"empty\":\"\",\"suppressed\":3}\n");
    CHECK_STR(render(CUZK_LOG_JOURNAL, CUZK_LOG_WARN, "job.accepted", kv, 3),
              "<4>job.accepted job=porep-1000-1 wait=\"a b\" empty=\"\" suppressed=3\n");
    CHECK_STR(render(CUZK_LOG_JOURNAL, CUZK_LOG_TRACE, "x", NULL, 0), "<7>x\n");
}

/* A client's request_id can hold anything. */
static void hostile_values(void)
{
    const char *kv[] = {"v",
                        "a\"\\\n\t\x1b[2J\x7f\xff\xc3\xa9\xc2\x9b"
                        "b",
                        NULL};
    CHECK_STR(render(CUZK_LOG_JOURNAL, CUZK_LOG_INFO, "e", kv, 0),
              "<6>e v=\"a\\\"\\\\\\n\\t\\u001b[2J\\u007f\xef\xbf\xbd\xc3\xa9\\u009bb\"\n");
    /* right-to-left override, line separator, zero-width space, a tag */
    const char *bidi[] = {"v", "a\xe2\x80\xae\xe2\x80\xa8\xe2\x80\x8b\xf3\xa0\x81\x81z", NULL};
    CHECK_STR(render(CUZK_LOG_JOURNAL, CUZK_LOG_INFO, "e", bidi, 0),
              "<6>e v=\"a\\u202e\\u2028\\u200b\\udb40\\udc41z\"\n");
    const char *fake[] = {"v", "x=1", NULL};
    CHECK_STR(render(CUZK_LOG_JOURNAL, CUZK_LOG_INFO, "e", fake, 0), "<6>e v=\"x=1\"\n");
}

static void json_is_json_whatever_the_values(void)
{
    enum { N = 5 };
    for (size_t round = 0; round < test_iters(400); round++) {
        char *value[N];
        const char *kv[2 * N + 1];
        for (size_t i = 0; i < N; i++) {
            const size_t n = (size_t)test_below(test_below(3) == 0 ? 6000 : 60);
            value[i] = malloc(n + 1);
            CHECK(value[i] != NULL);
            test_bytes(value[i], n);
            value[i][n] = '\0';
            kv[2 * i] = "name";
            kv[2 * i + 1] = value[i];
        }
        kv[2 * N] = NULL;
        const char *s = render(CUZK_LOG_JSON, CUZK_LOG_INFO, "event", kv, test_below(2));
        cuzk_json j;
        cuzk_err err = {0};
        cuzk_json_init(&j, s, strlen(s), 4);
        CHECK(cuzk_json_skip(&j) && cuzk_json_end(&j));
        CHECK_OK(cuzk_json_status(&j, "line", &err), &err);
        for (size_t i = 0; i < N; i++) {
            free(value[i]);
        }
    }
}

static void long_lines_are_cut(void)
{
    char big[9000];
    memset(big, 'x', sizeof(big) - 1);
    big[sizeof(big) - 1] = '\0';
    const char *kv[] = {"a", "1", "big", big, "c", "never", NULL};
    const char *s = render(CUZK_LOG_JSON, CUZK_LOG_INFO, "e", kv, 7);
    CHECK(strstr(s, "xxx\",\"truncated\":true,\"suppressed\":7}\n") != NULL);
    CHECK(strstr(s, "never") == NULL);
    s = render(CUZK_LOG_TEXT, CUZK_LOG_INFO, big, NULL, 0);
    CHECK(strstr(s, " truncated=true\n") != NULL);
}

static void cut_at_every_place(void)
{
    char big[4200];
    for (size_t n = 3800; n < 4100; n++) {
        memset(big, 'x', n);
        big[n] = '\0';
        const char *kv[] = {"big", big, "b", "\n\x01", "c", "3", NULL};
        const char *s = render(CUZK_LOG_JSON, CUZK_LOG_INFO, "e", kv, UINT64_MAX);
        cuzk_json j;
        cuzk_json_init(&j, s, strlen(s), 4);
        CHECK_MSG(cuzk_json_skip(&j) && cuzk_json_end(&j), "%zu", n);
    }
}

static uint64_t fake_ns = 1;
static uint64_t fake_clock(void)
{
    return fake_ns;
}

static char *slurp(const char *path)
{
    size_t n = 0;
    uint8_t *p = test_read_file(path, &n);
    char *s = realloc(p, n + 1);
    CHECK(s != NULL);
    s[n] = '\0';
    return s;
}

static size_t count(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *p = text; (p = strstr(p, what)) != NULL; p++) {
        n++;
    }
    return n;
}

static const char *open_log(cuzk_log **log, cuzk_log_config *c, int *fd)
{
    static char path[512];
    cuzk_err err = {0};
    (void)snprintf(path, sizeof(path), "%s/log", test_tmpdir());
    *fd = open(path, O_CREAT | O_WRONLY | O_APPEND | O_TRUNC, 0600);
    CHECK(*fd >= 0);
    c->fd = *fd;
    CHECK_OK(cuzk_log_create(log, c, &err), &err);
    return path;
}

static void levels_and_limit(void)
{
    cuzk_log *log = NULL;
    int fd = -1;
    cuzk_log_config c = {.level = CUZK_LOG_INFO,
                         .format = CUZK_LOG_JOURNAL,
                         .burst = 3,
                         .per_second = 2,
                         .now_ns = fake_clock};
    fake_ns = 1;
    const char *path = open_log(&log, &c, &fd);
    CHECK(cuzk_log_enabled(log, CUZK_LOG_WARN));
    CHECK(!cuzk_log_enabled(log, CUZK_LOG_DEBUG));
    CUZK_LOG(log, CUZK_LOG_DEBUG, "hidden", "a", "1");
    cuzk_log_set_level(log, CUZK_LOG_DEBUG);
    CUZK_LOG(log, CUZK_LOG_DEBUG, "shown", "a", "1");
    cuzk_log_engine(log, 2, "engine", NULL);
    cuzk_log_engine(log, 99, "out of range", NULL);
    cuzk_log_write(NULL, CUZK_LOG_ERROR, "nobody", NULL);
    for (int i = 0; i < 10; i++) {
        CUZK_LOG(log, CUZK_LOG_INFO, "poll", "a", "1");
    }
    CUZK_LOG(log, CUZK_LOG_INFO, "other", "a", "1"); /* has its own limit */
    fake_ns += 500000000u;                           /* one token */
    CUZK_LOG(log, CUZK_LOG_INFO, "poll", "a", "1");
    CUZK_LOG(log, CUZK_LOG_INFO, "poll", "a", "1");
    cuzk_log_timeline(log, 12, "GPU_START", "job\n1,x", "partition 3");
    cuzk_log_destroy(log);
    (void)close(fd);
    char *s = slurp(path);
    CHECK_U64(count(s, "hidden"), 0);
    CHECK_U64(count(s, "<7>shown a=1\n"), 1);
    CHECK_U64(count(s, "<6>engine\n"), 1);
    CHECK_U64(count(s, "range"), 0);
    CHECK_U64(count(s, "<6>poll a=1"), 4);
    CHECK_U64(count(s, "<6>poll a=1 suppressed=7\n"), 1);
    CHECK_U64(count(s, "<6>other a=1\n"), 1);
    CHECK_U64(count(s, "TIMELINE,12,GPU_START,job?1,x,partition 3\n"), 1);
    CHECK_U64(count(s, "<4>log.incomplete suppressed=1\n"), 1);
    free(s);
}

enum { THREADS = 4, LINES = 300 };

static void *chatter(void *arg)
{
    for (int i = 0; i < LINES; i++) {
        CUZK_LOG(arg, CUZK_LOG_INFO, "thread.says", "text", "the quick brown fox");
        cuzk_log_set_level(arg, (i & 1) != 0 ? CUZK_LOG_INFO : CUZK_LOG_DEBUG);
    }
    return NULL;
}

static void threads_do_not_mix_lines(void)
{
    cuzk_log *log = NULL;
    int fd = -1;
    pthread_t t[THREADS];
    cuzk_log_config c = {
        .level = CUZK_LOG_INFO, .format = CUZK_LOG_JOURNAL, .burst = THREADS * LINES};
    const char *path = open_log(&log, &c, &fd);
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&t[i], NULL, chatter, log) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(t[i], NULL) == 0);
    }
    cuzk_log_destroy(log);
    (void)close(fd);
    char *s = slurp(path);
    CHECK_U64(count(s, "<6>thread.says text=\"the quick brown fox\"\n"), THREADS * LINES);
    CHECK_U64(count(s, "\n"), THREADS * LINES);
    free(s);
}

static void broken_output_is_survived(void)
{
    cuzk_log *log = NULL;
    int p[2];
    cuzk_err err = {0};
    CHECK(pipe(p) == 0);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)close(p[0]);
    const cuzk_log_config c = {.fd = p[1], .level = CUZK_LOG_INFO};
    CHECK_OK(cuzk_log_create(&log, &c, &err), &err);
    CUZK_LOG(log, CUZK_LOG_INFO, "e", "a", "b");
    cuzk_log_destroy(log);
    (void)close(p[1]);
    (void)signal(SIGPIPE, SIG_DFL);
    cuzk_alloc_fail_nth(1, false);
    CHECK_STATUS(cuzk_log_create(&log, &c, &err), CUZK_E_NOMEM);
    cuzk_alloc_fail_nth(0, false);
}

/* Reads on behind in[n] until the text is there `times` times, or nothing comes for a minute; the new n. */
static size_t read_until(int fd, char *in, size_t n, size_t cap, const char *text, size_t times)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    const size_t overlap = strlen(text) - 1;
    in[n] = '\0';
    size_t seen = count(in, text);
    while (seen < times && n < cap - 1 && poll(&p, 1, 60000) == 1) {
        const size_t from = n > overlap ? n - overlap : 0;
        const ssize_t k = read(fd, in + n, cap - 1 - n);
        if (k <= 0) {
            break;
        }
        n += (size_t)k;
        in[n] = '\0';
        seen += count(in + from, text);
    }
    return n;
}

/* Nobody reads: no call waits, what does not fit is counted, and the number is told later. */
static void a_stalled_reader_costs_lines_only(void)
{
    enum { N = 6000 };
    static char text[1000], in[4 << 20];
    cuzk_log *log = NULL;
    int p[2];
    cuzk_err err = {0};
    CHECK(pipe(p) == 0);
    memset(text, 'x', sizeof(text) - 1);
    const cuzk_log_config c = {
        .fd = p[1], .level = CUZK_LOG_INFO, .format = CUZK_LOG_JOURNAL, .burst = 2 * N};
    CHECK_OK(cuzk_log_create(&log, &c, &err), &err);
    const uint64_t begin = cuzk_clock_ns();
    for (int i = 0; i < N; i++) {
        CUZK_LOG(log, CUZK_LOG_INFO, "stalled", "text", text);
    }
    CHECK(cuzk_clock_ns() - begin < 60000000000u);
    const uint64_t lost = cuzk_log_lost(log);
    CHECK(lost > N / 2 && lost < N);
    size_t n = read_until(p[0], in, 0, sizeof(in), "stalled", N - lost);
    CUZK_LOG(log, CUZK_LOG_INFO, "after", "a", "1");
    n = read_until(p[0], in, n, sizeof(in), " a=1\n", 1);
    (void)read_until(p[0], in, n, sizeof(in), "log.lost", 1);
    CHECK_U64(count(in, "stalled"), N - lost);
    CHECK_U64(count(in, "after"), 1);
    char say[64];
    (void)snprintf(say, sizeof(say), "<4>log.lost lines=%" PRIu64, lost);
    CHECK_U64(count(in, say), 1);
    /* and its end does not wait for the reader either */
    for (int i = 0; i < N / 2; i++) {
        CUZK_LOG(log, CUZK_LOG_INFO, "stalled", "text", text);
    }
    const uint64_t end = cuzk_clock_ns();
    cuzk_log_destroy(log);
    CHECK(cuzk_clock_ns() - end < 60000000000u);
    (void)close(p[0]);
    (void)close(p[1]);
}

static void level_names(void)
{
    static const struct {
        const char *text;
        int level; /* -2: refused */
    } plain[] = {{"off", -1},  {"error", 0}, {"warn", 1}, {"WARNING", 1}, {"Info", 2},
                 {"debug", 3}, {"trace", 4}, {"", -2},    {"inf", -2},    {"infos", -2}},
      rust[] = {{"info", 2},
                {"cuzk_core=debug,warn", 3},
                {"warn,cuzk=trace", 4},
                {"cuzk_a=error,cuzk_b=info,trace", 2},
                {"hyper=trace", -2},
                {"hyper=trace,info", 2},
                {"off", -1},
                {"", -2},
                {",,", -2},
                {"cuzk=loud", -2},
                {" debug ", 3}};
    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
        cuzk_log_level l = CUZK_LOG_TRACE;
        CHECK_MSG(cuzk_log_level_parse(&l, plain[i].text) == (plain[i].level != -2), "%s",
                  plain[i].text);
        CHECK(plain[i].level == -2 || (int)l == plain[i].level);
    }
    for (size_t i = 0; i < sizeof(rust) / sizeof(rust[0]); i++) {
        cuzk_log_level l = CUZK_LOG_TRACE;
        CHECK_MSG(cuzk_log_level_from_rust(&l, rust[i].text) == (rust[i].level != -2), "%s",
                  rust[i].text);
        CHECK_MSG(rust[i].level == -2 || (int)l == rust[i].level, "%s", rust[i].text);
    }
    for (int l = -1; l <= 4; l++) {
        cuzk_log_level back = CUZK_LOG_ERROR;
        CHECK(cuzk_log_level_parse(&back, cuzk_log_level_name((cuzk_log_level)l)));
        CHECK((int)back == l);
    }
}

static void journal_stream(void)
{
    struct stat st;
    char id[64];
    int p[2];
    CHECK(pipe(p) == 0 && fstat(p[1], &st) == 0);
    (void)snprintf(id, sizeof(id), "%" PRIuMAX ":%" PRIuMAX, (uintmax_t)st.st_dev,
                   (uintmax_t)st.st_ino);
    CHECK(cuzk_log_is_journal(p[1], id));
    CHECK(!cuzk_log_is_journal(p[1], "1:1"));
    CHECK(!cuzk_log_is_journal(p[1], NULL));
    CHECK(!cuzk_log_is_journal(-1, id));
    (void)close(p[0]);
    (void)close(p[1]);
}

static const cuzk_case cases[] = {CASE(forms),
                                  CASE(hostile_values),
                                  CASE(json_is_json_whatever_the_values),
                                  CASE(long_lines_are_cut),
                                  CASE(cut_at_every_place),
                                  CASE(levels_and_limit),
                                  CASE(threads_do_not_mix_lines),
                                  CASE(broken_output_is_survived),
                                  CASE(a_stalled_reader_costs_lines_only),
                                  CASE(level_names),
                                  CASE(journal_stream)};
TEST_MAIN("log/log", cases)
