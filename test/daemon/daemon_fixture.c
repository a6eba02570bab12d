/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "daemon_fixture.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#include "test.h"

#define NS_PER_MS   1000000u
#define PATIENCE_MS UINT64_C(180000) /* what has not come by then does not come */

static void sleep_ms(long ms)
{
    const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    (void)nanosleep(&t, NULL);
}

void box_configure(const daemon_box *b, const char *extra)
{
    FILE *f = fopen(b->config, "w");
    CHECK(f != NULL);
    CHECK(fprintf(f,
                  "daemon.listen = \"%s\"\ndaemon.http_listen = \"127.0.0.1:0\"\n"
                  "gpus.cpu_only = true\nmemory.total_budget = \"2GiB\"\n"
                  "srs.param_cache = \"%s\"\nstore.path = \"%s\"\n%s",
                  b->address, b->params, b->store, extra) > 0);
    CHECK(fclose(f) == 0);
}

void box_make(daemon_box *b, const char *extra)
{
    memset(b, 0, sizeof(*b));
    b->notify_fd = -1;
    (void)snprintf(b->folder, sizeof(b->folder), "%s", test_tmpdir());
    (void)snprintf(b->params, sizeof(b->params), "%s/params", b->folder);
    (void)snprintf(b->address, sizeof(b->address), "unix://%s/s.sock", b->folder);
    (void)snprintf(b->config, sizeof(b->config), "%s/c.toml", b->folder);
    (void)snprintf(b->store, sizeof(b->store), "%s/store/jobs.db", b->folder);
    (void)snprintf(b->log, sizeof(b->log), "%s/log", b->folder);
    CHECK(mkdir(b->params, 0700) == 0);
    box_configure(b, extra);
    const int log = open(b->log, O_CREAT | O_WRONLY | O_APPEND, 0600);
    CHECK(log >= 0 && close(log) == 0);
}

void box_make_params(const daemon_box *b)
{
    cuzk_err err = {.code = CUZK_OK};
    cuzk_pool *pool = NULL;
    cuzk_params_dir dir = {.origin = "test"};
    (void)snprintf(dir.path, sizeof(dir.path), "%s", b->params);
    CHECK_OK(cuzk_pool_create(&pool, NULL, &err), &err);
    fil_params_make(&dir, CUZK_CIRCUIT_WINNING, 2048, pool);
    cuzk_pool_destroy(pool);
}

void box_listen_notify(daemon_box *b)
{
    struct sockaddr_un u = {.sun_family = AF_UNIX};
    const int n = snprintf(u.sun_path, sizeof(u.sun_path), "%s/notify", b->folder);
    CHECK(n > 0 && (size_t)n < sizeof(u.sun_path));
    (void)snprintf(b->notify, sizeof(b->notify), "%s", u.sun_path);
    b->notify_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    CHECK(b->notify_fd >= 0);
    CHECK(bind(b->notify_fd, (const struct sockaddr *)&u, sizeof(u)) == 0);
}

bool box_notified(const daemon_box *b, const char *text)
{
    const uint64_t end = cuzk_clock_ns() + PATIENCE_MS * NS_PER_MS;
    while (cuzk_clock_ns() < end) {
        struct pollfd p = {.fd = b->notify_fd, .events = POLLIN};
        char buf[1024];
        if (poll(&p, 1, 50) <= 0) {
            continue;
        }
        const ssize_t n = recv(b->notify_fd, buf, sizeof(buf) - 1, 0);
        CHECK(n >= 0);
        buf[n] = '\0';
        if (strstr(buf, text) != NULL) {
            return true;
        }
    }
    return false;
}

static _Noreturn void run(const daemon_box *b, uint64_t watchdog_us)
{
    char number[24];
    const int log = open(b->log, O_CREAT | O_WRONLY | O_APPEND, 0600);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (log < 0 || dup2(log, STDERR_FILENO) < 0) {
        _exit(99);
    }
    (void)unsetenv("RUST_LOG");
    (void)unsetenv("JOURNAL_STREAM");
    if (b->notify_fd >= 0) {
        (void)setenv("NOTIFY_SOCKET", b->notify, 1);
    }
    if (watchdog_us != 0) {
        (void)snprintf(number, sizeof(number), "%" PRIu64, watchdog_us);
        (void)setenv("WATCHDOG_USEC", number, 1);
    }
    (void)execl(CUZK_PROGRAM, CUZK_PROGRAM, "--config", b->config, (char *)NULL);
    _exit(98);
}

void box_spawn(daemon_box *b, uint64_t watchdog_us)
{
    CHECK(b->pid == 0);
    b->pid = fork();
    CHECK(b->pid >= 0);
    if (b->pid == 0) {
        run(b, watchdog_us);
    }
}

static int status_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void box_start(daemon_box *b)
{
    const uint64_t end = cuzk_clock_ns() + PATIENCE_MS * NS_PER_MS;
    const cuzk_rpc_client_config c = {
        .address = b->address, .connect_ms = 30000, .timeout_ms = 30000};
    box_spawn(b, 0);
    for (;;) {
        int status = 0;
        uint64_t serving = 0;
        cuzk_rpc_client *client = NULL;
        if (waitpid(b->pid, &status, WNOHANG) == b->pid) {
            b->pid = 0;
            CHECK_MSG(false, "the daemon ended with %d:\n%s", status_of(status), box_log(b));
        }
        const bool ok = cuzk_rpc_client_create(&client, &c, NULL) == CUZK_OK &&
                        cuzk_rpc_client_health(client, "", &serving, NULL) == CUZK_OK;
        cuzk_rpc_client_destroy(client);
        if (ok && serving == 1) {
            return;
        }
        CHECK_MSG(cuzk_clock_ns() < end, "not serving after three minutes:\n%s", box_log(b));
        sleep_ms(5);
    }
}

int box_wait(daemon_box *b)
{
    const uint64_t end = cuzk_clock_ns() + PATIENCE_MS * NS_PER_MS;
    int status = 0;
    while (cuzk_clock_ns() < end) {
        if (waitpid(b->pid, &status, WNOHANG) == b->pid) {
            b->pid = 0;
            return status_of(status);
        }
        sleep_ms(10);
    }
    CHECK_MSG(false, "the daemon does not end:\n%s", box_log(b));
    return -1;
}

int box_end(daemon_box *b, int sig)
{
    CHECK(kill(b->pid, sig) == 0);
    return box_wait(b);
}

cuzk_rpc_client *box_client(const daemon_box *b, uint64_t timeout_ms)
{
    const cuzk_rpc_client_config c = {.address = b->address, .timeout_ms = timeout_ms};
    cuzk_rpc_client *client = NULL;
    cuzk_err err = {.code = CUZK_OK};
    CHECK_OK(cuzk_rpc_client_create(&client, &c, &err), &err);
    return client;
}

char *box_log(const daemon_box *b)
{
    size_t n = 0;
    uint8_t *p = test_read_file(b->log, &n);
    char *s = realloc(p, n + 1);
    CHECK(s != NULL);
    s[n] = '\0';
    return s;
}

bool box_log_has(const daemon_box *b, const char *text)
{
    char *log = box_log(b);
    const bool has = strstr(log, text) != NULL;
    free(log);
    return has;
}

bool box_log_gets(const daemon_box *b, const char *text)
{
    const uint64_t end = cuzk_clock_ns() + PATIENCE_MS * NS_PER_MS;
    while (!box_log_has(b, text)) {
        if (cuzk_clock_ns() >= end) {
            return false;
        }
        sleep_ms(10);
    }
    return true;
}

/* Port of the last "listen.http" line. */
static uint16_t http_port(const daemon_box *b)
{
    char *log = box_log(b), *last = NULL;
    for (char *p = log; (p = strstr(p, "listen.http ")) != NULL; p++) {
        last = p;
    }
    const char *port = last == NULL ? NULL : strstr(last, "port=");
    const unsigned long v = port == NULL ? 0 : strtoul(port + 5, NULL, 10);
    free(log);
    return (uint16_t)v;
}

int box_http(const daemon_box *b, const char *path)
{
    const struct sockaddr_in a = {.sin_family = AF_INET,
                                  .sin_port = htons(http_port(b)),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    char text[512];
    int status = 0;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(fd >= 0);
    if (connect(fd, (const struct sockaddr *)&a, sizeof(a)) == 0) {
        const int n =
            snprintf(text, sizeof(text),
                     "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", path);
        CHECK(write(fd, text, (size_t)n) == n);
        const ssize_t got = read(fd, text, sizeof(text) - 1);
        text[got < 0 ? 0 : got] = '\0';
        if (strncmp(text, "HTTP/1.1 ", 9) == 0) {
            status = (int)strtol(text + 9, NULL, 10);
        }
    }
    (void)close(fd);
    return status;
}

void box_submit(const daemon_box *b, const cuzk_job_request *rq, char id[CUZK_JOB_ID_BYTES])
{
    cuzk_err err = {.code = CUZK_OK};
    cuzk_rpc_client *c = box_client(b, 600000);
    uint32_t position = 0;
    CHECK_OK(cuzk_rpc_client_submit(c, rq, id, &position, &err), &err);
    cuzk_rpc_client_destroy(c);
}

void box_await_proof(const daemon_box *b, const char *id, const engine_request *rq)
{
    cuzk_rpc_result r;
    cuzk_err err = {.code = CUZK_OK};
    cuzk_rpc_client *c = box_client(b, 600000);
    memset(&r, 0, sizeof(r));
    CHECK_OK(cuzk_rpc_client_await(c, id, 590000, &r, &err), &err);
    CHECK_MSG(r.outcome == CUZK_RPC_COMPLETED, "%s: %s: %s", id, cuzk_rpc_outcome_name(r.outcome),
              r.error);
    CHECK(engine_request_verifies(rq, r.proof, r.proof_size, b->params));
    cuzk_rpc_result_free(&r);
    cuzk_rpc_client_destroy(c);
}
