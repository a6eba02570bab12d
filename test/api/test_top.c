/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What `cuzk top` is made of: asking a daemon, reading its status, lines for a terminal. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "api/answer/status_json.h"
#include "api/api_server.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "top/http_get.h"
#include "top/status_read.h"
#include "top/top_jobs.h"
#include "top/top_keys.h"
#include "top/top_render.h"

#include "fake_load.h"
#include "test.h"

static cuzk_status_view *new_view(void)
{
    cuzk_status_view *v = cuzk_alloc_zero(1, sizeof(*v));
    CHECK(v != NULL);
    return v;
}

static void read_back(void)
{
    fake_load *f = fake_load_new();
    cuzk_engine_status s;
    cuzk_err err = {0};
    char *text = NULL;
    size_t n = 0, listed = 0;
    cuzk_status_view *v = new_view();
    CHECK_OK(fake_load_status(f, 130, 1000, &s, &err), &err);
    CHECK_OK(cuzk_status_json(&text, &n, &s, "1.2.3", 0, &err), &err);
    CHECK_OK(cuzk_status_view_parse(v, text, n, "status", &err), &err);
    CHECK_STR(v->version, "1.2.3");
    CHECK(v->uptime_secs == 130 && !v->draining && !v->on_cpu);
    CHECK_U64(v->now_us, 130000000);
    CHECK_U64(v->memory_total, s.budget_total);
    CHECK_U64(v->memory_used, s.budget_used);
    CHECK_U64(v->memory_reserved, s.budget_reserved_winning);
    CHECK_U64(v->resident, s.resident_bytes);
    CHECK_U64(v->release_backlog, s.release_backlog_bytes);
    CHECK_U64(v->n_devices, s.n_devices);
    for (uint32_t i = 0; i < v->n_devices; i++) {
        CHECK_STR(v->devices[i].name, s.devices[i].name);
        CHECK(v->devices[i].quarantined == s.devices[i].quarantined);
        CHECK_U64(v->devices[i].partitions_done, s.devices[i].jobs_done);
        CHECK_U64(v->devices[i].memory_free, s.devices[i].memory_free);
        CHECK_U64(v->devices[i].errors, s.devices[i].errors);
        CHECK_U64(v->devices[i].n_abilities, 2);
        CHECK_STR(v->devices[i].abilities[1].circuit_id, "wpost-32g");
        CHECK_STR(v->devices[i].abilities[1].ability, i == 2 ? "not possible" : "resident");
        CHECK(v->devices[i].abilities[0].expected_secs == 7.89);
        CHECK_U64(v->devices[i].n_set_aside, i == 1 ? 1 : 0);
    }
    CHECK_STR(v->devices[1].set_aside[0].circuit_id, "snap-32g");
    CHECK(v->devices[1].set_aside[0].for_secs == 90);
    CHECK_U64(v->n_queues, CUZK_JOB_KINDS);
    CHECK_U64(v->n_stages, CUZK_STAGES);
    CHECK_U64(v->stages[CUZK_STAGE_DEVICE].waiting, s.queue_len[CUZK_STAGE_DEVICE]);
    CHECK_STR(v->queues[3].kind, "winning-post");
    CHECK_U64(v->queues[0].pending_by_priority[2], s.pending[CUZK_JOB_POREP]);
    CHECK_U64(v->n_cached, s.n_cached);
    CHECK_U64(v->n_jobs, s.n_jobs);
    for (uint32_t i = 0; i < v->n_jobs; i++) {
        for (uint32_t k = 0; k < s.n_jobs; k++) {
            if (strcmp(v->jobs[i].id, s.jobs[k].job_id) == 0) {
                CHECK_U64(v->jobs[i].n_done, s.jobs[k].n_done);
                CHECK_U64(v->jobs[i].n_partitions, s.jobs[k].n_partitions);
                CHECK_U64(v->jobs[i].accepted_us, (s.jobs[k].accepted_ns - s.started_ns) / 1000);
                CHECK_U64(v->jobs[i].n_stage,
                          s.jobs[k].partitions != NULL ? s.jobs[k].n_partitions : 0);
                listed++;
            }
        }
    }
    CHECK_U64(listed, v->n_jobs);
    cuzk_free(text);
    cuzk_free(v);
    cuzk_engine_status_free(&s);
    fake_load_free(f);
}

/* What a member of a fleet says of all of them: read, and shown. */
static const char fleet_status[] =
    "{\"now_us\":5000000,\"fleet\":{\"reachable\":true,\"members\":["
    "{\"name\":\"host-1\",\"state\":\"alive\",\"version\":\"1.2\",\"heard_ms_ago\":2000,\"places\":4,"
    "\"devices\":2,\"healthy_devices\":2,\"claimed\":1,\"running\":3,\"completed\":41,"
    "\"partitions\":7,\"loaded\":\" porep-32g \"},"
    "{\"name\":\"host-2\",\"state\":\"late\",\"version\":\"1.2\",\"heard_ms_ago\":70000,"
    "\"devices\":2,\"healthy_devices\":1}],"
    "\"queued\":12,\"claimed\":1,\"running\":3,\"places\":8,\"wait_ms\":90000,"
    "\"partitions_running\":7,\"partitions_waiting\":2}}";

static char *render(const cuzk_status_view *v, unsigned width, unsigned height, bool colour);

static void fleet_is_shown(void)
{
    static const char *const wanted[] = {"3 running, 13 waiting",
                                         "8 places",
                                         "partitions of shared jobs: 7 running, 2 waiting",
                                         "host-1",
                                         "alive",
                                         "2/2 cards",
                                         "7 partitions, heard",
                                         "41 done",
                                         "host-2",
                                         "late",
                                         "1/2 cards"};
    static const char away[] = "{\"fleet\":{\"reachable\":false}}";
    cuzk_status_view *v = new_view();
    cuzk_err err = {0};
    CHECK_OK(cuzk_status_view_parse(v, fleet_status, strlen(fleet_status), "x", &err), &err);
    CHECK(v->fleet.is_member && v->fleet.reachable);
    CHECK_U64(v->fleet.n_members, 2);
    CHECK_U64(v->fleet.members[0].parts, 7);
    CHECK_U64(v->fleet.parts_waiting, 2);
    char *text = render(v, 160, 0, false);
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        CHECK_MSG(strstr(text, wanted[i]) != NULL, "no \"%s\" in:\n%s", wanted[i], text);
    }
    cuzk_free(text);
    CHECK_OK(cuzk_status_view_parse(v, away, strlen(away), "x", &err), &err);
    text = render(v, 160, 0, false);
    CHECK(strstr(text, "its database cannot be reached") != NULL);
    cuzk_free(text);
    CHECK_OK(cuzk_status_view_parse(v, "{}", 2, "x", &err), &err);
    text = render(v, 160, 0, false);
    CHECK(strstr(text, "fleet") == NULL); /* a daemon that is alone */
    cuzk_free(text);
    cuzk_free(v);
}

/* Whatever a program that is not a daemon may send. */
static void other_texts(void)
{
    static const char *const good[] = {"{}", "{\"x\":[1,{\"y\":null}]}",
                                       "{\"devices\":[],\"jobs\":7}",
                                       "{\"now_us\":18446744073709551615}"};
    static const char overflow[] =
        "{\"counters\":{\"completed_last_minute\":{\"a\":18446744073709551615,\"b\":1}}}";
    static const char *const bad[] = {"",
                                      "[]",
                                      "<html>",
                                      "{\"now_us\":-1}",
                                      "{\"now_us\":1,\"now_us\":1}",
                                      "{\"devices\":[{\"name\":7}]}",
                                      "{\"memory\":[]}",
                                      overflow,
                                      "{} x"};
    cuzk_status_view *v = new_view();
    cuzk_err err = {0};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        CHECK_OK(cuzk_status_view_parse(v, good[i], strlen(good[i]), "x", &err), &err);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK_MSG(cuzk_status_view_parse(v, bad[i], strlen(bad[i]), "x", &err) == CUZK_E_FORMAT,
                  "accepted: %s", bad[i]);
    }
    cuzk_free(v);
}

static char *render(const cuzk_status_view *v, unsigned width, unsigned height, bool colour)
{
    cuzk_text_buf b = {0};
    cuzk_err err = {0};
    char *text = NULL;
    size_t n = 0;
    const cuzk_top_style style = {width, height, colour, NULL};
    cuzk_top_render(&b, v, &style);
    CHECK_OK(cuzk_text_finish(&b, &text, &n, &err), &err);
    return text;
}

static char *render_with(const cuzk_status_view *v, cuzk_top_keys *keys, const char *typed)
{
    cuzk_text_buf b = {0};
    cuzk_err err = {0};
    char *text = NULL;
    size_t n = 0;
    const cuzk_top_style style = {100, 0, false, keys};
    (void)cuzk_top_keys_feed(keys, typed, strlen(typed));
    cuzk_top_render(&b, v, &style);
    CHECK_OK(cuzk_text_finish(&b, &text, &n, &err), &err);
    return text;
}

static void add_job(cuzk_status_view *v, const char *id, const char *kind, const char *state,
                    uint64_t accepted_us, uint64_t took_us)
{
    cuzk_view_job *j = &v->jobs[v->n_jobs++];
    (void)snprintf(j->id, sizeof(j->id), "%s", id);
    (void)snprintf(j->kind, sizeof(j->kind), "%s", kind);
    (void)snprintf(j->state, sizeof(j->state), "%s", state);
    j->accepted_us = accepted_us;
    j->started_us = took_us != 0 ? accepted_us : 0;
    j->ended_us = strcmp(state, "failed") == 0 ? accepted_us + took_us : 0;
}

/* The jobs of a page, in their order, as one text. */
static const char *order_of(char out[64], const cuzk_status_view *v, cuzk_top_keys *keys)
{
    uint32_t list[CUZK_VIEW_JOBS];
    const uint32_t n = cuzk_top_jobs(list, v, keys);
    out[0] = '\0';
    for (uint32_t i = 0; i < n; i++) {
        (void)snprintf(out + strlen(out), 64 - strlen(out), "%s ", v->jobs[list[i]].id);
    }
    return out;
}

static void keys_choose(void)
{
    cuzk_status_view *v = new_view();
    cuzk_top_keys k = {.order = CUZK_TOP_BY_STATE};
    char out[64];
    v->now_us = 100000000;
    add_job(v, "a", "winning-post", "failed", 50000000, 30000000);
    add_job(v, "b", "porep-c2", "queued", 10000000, 0);
    add_job(v, "c", "porep-c2", "running", 90000000, 10000000);
    (void)snprintf(v->jobs[0].error_class, sizeof(v->jobs[0].error_class), "environment");
    (void)snprintf(v->jobs[0].error, sizeof(v->jobs[0].error), "no device works %0120d end", 0);
    CHECK_STR(order_of(out, v, NULL), "c b a ");
    CHECK_STR(order_of(out, v, &k), "c b a ");
    CHECK(cuzk_top_keys_feed(&k, "s", 1));
    CHECK_STR(order_of(out, v, &k), "b a c ");
    CHECK(cuzk_top_keys_feed(&k, "s", 1));
    CHECK_STR(order_of(out, v, &k), "a c b ");
    CHECK(cuzk_top_keys_feed(&k, "s", 1));
    CHECK_STR(order_of(out, v, &k), "b c a ");
    CHECK(cuzk_top_keys_feed(&k, "s", 1) && k.order == CUZK_TOP_BY_STATE);
    /* a filter, with a letter taken back; q belongs to it */
    CHECK(cuzk_top_keys_feed(&k, "/qx\177\177device", 11) && k.typing && !k.quit);
    CHECK_STR(order_of(out, v, &k), "a ");
    CHECK(cuzk_top_keys_feed(&k, "\r", 1) && !k.typing);
    CHECK_STR(k.filter, "device");
    /* down twice, up, in two forms and in pieces; the selection stays within the list */
    (void)cuzk_top_keys_feed(&k, "\033", 1);
    CHECK(cuzk_top_keys_idle(&k) && k.filter[0] == '\0');
    (void)cuzk_top_keys_feed(&k, "\033[B", 3);
    (void)order_of(out, v, &k);
    CHECK_STR(k.job, "c");
    (void)cuzk_top_keys_feed(&k, "\033[", 2);
    (void)cuzk_top_keys_feed(&k, "B\033OBjjj", 7);
    (void)order_of(out, v, &k);
    CHECK_STR(k.job, "a");
    /* details show the whole error; other sequences do nothing */
    char *page = render_with(v, &k, "\033[1;5C\r");
    CHECK_MSG(strstr(page, " end\n") != NULL && strstr(page, "job a\n") != NULL, "%s", page);
    CHECK(strstr(page, "WAITING") == NULL && strstr(page, ">a") != NULL);
    cuzk_free(page);
    page = render_with(v, &k, "\r");
    CHECK(strstr(page, "WAITING") != NULL && strstr(page, "order: state") != NULL);
    cuzk_free(page);
    /* the selected job is gone */
    v->n_jobs = 0;
    page = render_with(v, &k, "");
    CHECK(k.job[0] == '\0' && !k.details);
    cuzk_free(page);
    CHECK(cuzk_top_keys_feed(&k, "q", 1) && k.quit);
    k = (cuzk_top_keys){.typing = true};
    CHECK(cuzk_top_keys_feed(&k, "\003", 1) && k.quit);
    for (int i = 0; i < 300; i++) { /* longer than there is room for */
        (void)cuzk_top_keys_feed(&k, "x", 1);
    }
    CHECK_U64(strlen(k.filter), sizeof(k.filter) - 1);
    cuzk_free(v);
}

/* The line of stages has every step that something waits before, however narrow the screen, and no other. */
static void stages_fit(void)
{
    cuzk_status_view *v = new_view();
    char *page = render(v, 80, 0, false);
    CHECK_MSG(strstr(page, "\nstages  nothing waits before a step\n") != NULL, "%s", page);
    cuzk_free(page);
    v->n_stages = CUZK_STAGES;
    for (uint32_t i = 0; i < CUZK_STAGES; i++) {
        (void)snprintf(v->stages[i].name, sizeof(v->stages[i].name), "%s",
                       cuzk_stage_name((cuzk_stage)i));
        v->stages[i].waiting = i == 2 ? 0 : 12345;
    }
    for (unsigned width = 40; width <= 160; width += 40) {
        page = render(v, width, 0, false);
        for (uint32_t i = 0; i < CUZK_STAGES; i++) {
            char text[64];
            (void)snprintf(text, sizeof(text), " 12345 %s", v->stages[i].name);
            CHECK_MSG((strstr(page, text) != NULL) == (i != 2), "%u columns: %s: %s", width, text,
                      page);
        }
        cuzk_free(page);
    }
    cuzk_free(v);
}

/* Lines of a text without escape sequences, and the longest of them. */
static void measure(const char *text, size_t *lines, size_t *widest)
{
    *lines = *widest = 0;
    for (size_t k = 0; *text != '\0'; text++) {
        if (*text == '\n') {
            ++*lines;
            k = 0;
        } else if (*text == '\033') {
            text += strcspn(text, "m");
        } else if (((unsigned char)*text & 0xc0) != 0x80) {
            k++;
            *widest = k > *widest ? k : *widest;
        }
    }
}

static void fits_the_terminal(void)
{
    fake_load *f = fake_load_new();
    cuzk_engine_status s;
    cuzk_err err = {0};
    char *text = NULL;
    size_t n = 0, lines, widest;
    cuzk_status_view *v = new_view();
    CHECK_OK(fake_load_status(f, 130, 1000, &s, &err), &err);
    CHECK_OK(cuzk_status_json(&text, &n, &s, "1.2.3", 0, &err), &err);
    CHECK_OK(cuzk_status_view_parse(v, text, n, "status", &err), &err);
    for (unsigned width = 1; width <= 200; width += width < 20 ? 1 : 13) {
        for (unsigned height = 0; height <= 60; height += 12) {
            char *page = render(v, width, height, width % 2 == 1);
            measure(page, &lines, &widest);
            CHECK_MSG(widest <= width, "%zu columns of %u", widest, width);
            CHECK_MSG(height == 0 || lines < height, "%zu lines of %u", lines, height);
            cuzk_free(page);
        }
    }
    char *page = render(v, 120, 0, false);
    static const char *const words[] = {"cuzk 1.2.3  serving",
                                        "GPU 2",
                                        "quarantined",
                                        "porep-32g",
                                        "winning-post critical completed # 1/1",
                                        "queued",
                                        "WAITED"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        CHECK_MSG(strstr(page, words[i]) != NULL, "no '%s' in\n%s", words[i], page);
    }
    CHECK(strchr(page, '\033') == NULL);
    cuzk_free(page);
    page = render(v, 80, 0, false);
    CHECK(strstr(page, "TOOK\n") != NULL); /* nothing that matters is cut off */
    cuzk_free(page);
    cuzk_free(text);
    cuzk_free(v);
    cuzk_engine_status_free(&s);
    fake_load_free(f);
}

/* The CPU stands in for lost GPUs: nobody can overlook it. */
static void on_the_cpu_is_shown(void)
{
    fake_load *f = fake_load_new();
    cuzk_engine_status s;
    cuzk_err err = {0};
    cuzk_status_view *v = new_view();
    CHECK_OK(fake_load_status(f, 130, 1000, &s, &err), &err);
    s.devices[2].is_cpu = s.devices[2].is_fallback = true;
    s.devices[2].quarantined = false;
    for (int k = 0; k < 2; k++) {
        char *text = NULL;
        size_t n = 0;
        s.on_cpu = k == 1;
        CHECK_OK(cuzk_status_json(&text, &n, &s, "1.2.3", 0, &err), &err);
        CHECK_OK(cuzk_status_view_parse(v, text, n, "status", &err), &err);
        CHECK(v->on_cpu == s.on_cpu && v->devices[2].is_fallback && !v->devices[0].is_fallback);
        char *page = render(v, 120, 0, false);
        CHECK((strstr(page, "no GPU works: proving on the CPU") != NULL) == s.on_cpu);
        CHECK(strstr(page, s.on_cpu ? "stands in" : "if none works") != NULL);
        cuzk_free(page);
        cuzk_free(text);
    }
    cuzk_free(v);
    cuzk_engine_status_free(&s);
    fake_load_free(f);
}

/* A client's request_id must not move the cursor, set a title or break a line. */
static void names_cannot_command_the_terminal(void)
{
    cuzk_status_view *v = new_view();
    v->n_jobs = 1;
    (void)snprintf(v->jobs[0].id, sizeof(v->jobs[0].id), "%s",
                   "a\033]0;x\007\n\x9b"
                   "2J\xc2\x9b"
                   "H\xff\x7f\xc3\xa9z");
    (void)snprintf(v->jobs[0].state, sizeof(v->jobs[0].state), "running");
    v->n_devices = 1;
    (void)snprintf(v->devices[0].name, sizeof(v->devices[0].name), "b\033[31mred\r\n");
    char *page = render(v, 120, 0, false);
    for (const char *p = page; *p != '\0'; p++) {
        CHECK((unsigned char)*p >= 0x20 || *p == '\n');
        CHECK(*p != 0x7f);
    }
    CHECK(strstr(page, "a?]0;x???2J?H??\xc3\xa9z") != NULL);
    CHECK(strstr(page, "b?[31mred??") != NULL);
    cuzk_free(page);
    cuzk_free(v);
}

static void allocation_failures(void)
{
    cuzk_status_view *v = new_view();
    const cuzk_top_style style = {80, 0, false, NULL};
    v->n_jobs = CUZK_VIEW_JOBS;
    size_t failed = 0;
    for (uint64_t nth = 1;; nth++) {
        cuzk_text_buf b = {0};
        char *text = NULL;
        size_t n = 0;
        cuzk_alloc_fail_nth(nth, false);
        cuzk_top_render(&b, v, &style);
        const cuzk_status st = cuzk_text_finish(&b, &text, &n, NULL);
        cuzk_alloc_fail_nth(0, false);
        cuzk_free(text);
        if (st == CUZK_OK) {
            break;
        }
        CHECK_U64(st, CUZK_E_NOMEM);
        failed++;
    }
    CHECK(failed > 1);
    cuzk_free(v);
}

/* Answers one connection with fixed bytes; a NULL text never answers. */
typedef struct stub {
    int fd;
    uint16_t port;
    const char *text;
    pthread_t thread;
} stub;

static void *stub_main(void *arg)
{
    stub *s = arg;
    char request[1024];
    const int c = accept(s->fd, NULL, NULL);
    if (c >= 0) {
        (void)recv(c, request, sizeof(request), 0);
        if (s->text != NULL) {
            (void)send(c, s->text, strlen(s->text), MSG_NOSIGNAL);
        } else {
            (void)recv(c, request, sizeof(request), 0); /* until the client gives up */
        }
        (void)close(c);
    }
    return NULL;
}

static void start_stub(stub *s, const char *text)
{
    struct sockaddr_in a = {.sin_family = AF_INET};
    socklen_t n = sizeof(a);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    s->text = text;
    s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(s->fd >= 0 && bind(s->fd, (const struct sockaddr *)&a, sizeof(a)) == 0);
    CHECK(listen(s->fd, 1) == 0 && getsockname(s->fd, (struct sockaddr *)&a, &n) == 0);
    s->port = ntohs(a.sin_port);
    CHECK(pthread_create(&s->thread, NULL, stub_main, s) == 0);
}

static cuzk_status ask(const char *reply, char **body, cuzk_err *err)
{
    stub s;
    char address[32];
    size_t n = 0;
    start_stub(&s, reply);
    (void)snprintf(address, sizeof(address), "http://127.0.0.1:%u", (unsigned)s.port);
    const uint32_t patience_ms =
        reply == NULL ? 500 : 120000; /* without a reply it is waited for in vain */
    const cuzk_status st = cuzk_http_get(body, &n, address, "/status", patience_ms, 1000, err);
    CHECK(pthread_join(s.thread, NULL) == 0);
    (void)close(s.fd);
    return st;
}

static void replies(void)
{
    cuzk_err err = {0};
    char *body = NULL;
    CHECK_OK(ask("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", &body, &err), &err);
    CHECK_STR(body, "hi");
    cuzk_free(body);
    CHECK_OK(ask("HTTP/1.0 200\r\n\r\nuntil the end", &body, &err), &err);
    CHECK_STR(body, "until the end");
    cuzk_free(body);
    CHECK_OK(ask("HTTP/1.1 200 OK\r\ncontent-length:\t 0 \r\n\r\n", &body, &err), &err);
    CHECK_STR(body, "");
    cuzk_free(body);
    CHECK_STATUS(ask("HTTP/1.1 503 No\r\n\r\nx", &body, &err), CUZK_E_IO);
    CHECK(err.os_code == 503 && body == NULL);
    static const char *const bad[] = {
        "",
        "SSH-2.0-OpenSSH\r\n\r\n",
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nhi",
        "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nhi",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\nhi",
        "HTTP/2 200\r\n\r\nhi"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK_MSG(ask(bad[i], &body, &err) == CUZK_E_IO && body == NULL, "accepted: %s", bad[i]);
    }
    char *big = malloc(40001);
    CHECK(big != NULL);
    memset(big, 'x', 40000);
    big[40000] = '\0';
    memcpy(big, "HTTP/1.1 200 OK\r\n\r\n", 19);
    CHECK_STATUS(ask(big, &body, &err), CUZK_E_BUDGET);
    free(big);
}

static void no_answer(void)
{
    cuzk_err err = {0};
    char *body = NULL;
    size_t n = 0;
    const uint64_t begin = cuzk_clock_ns();
    CHECK_STATUS(ask(NULL, &body, &err), CUZK_E_IO);
    CHECK(cuzk_clock_ns() - begin < 60000000000u);
    CHECK_STATUS(cuzk_http_get(&body, &n, "127.0.0.1:1", "/", 500, 1000, &err), CUZK_E_IO);
    CHECK(strstr(err.msg, "127.0.0.1:1") != NULL);
    static const char *const bad[] = {"", "127.0.0.1", "ftp://a:1", "a b:1", "host:port"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK_MSG(cuzk_http_get(&body, &n, bad[i], "/", 500, 1000, &err) == CUZK_E_INVALID,
                  "accepted '%s'", bad[i]);
    }
}

static cuzk_status scripted(void *arg, cuzk_engine_status *out, cuzk_err *err)
{
    return fake_load_status(arg, 60, 1000, out, err);
}

static void from_the_server(void)
{
    fake_load *f = fake_load_new();
    cuzk_api_server *server = NULL;
    cuzk_err err = {0};
    char *body = NULL, address[32];
    size_t n = 0;
    cuzk_status_view *v = new_view();
    const cuzk_api_config cfg = {.listen = "[::1]:0", .get_status = scripted, .get_status_arg = f};
    cuzk_status st = cuzk_api_server_create(&server, &cfg, &err);
    if (st != CUZK_OK) {
        cuzk_test_skip("no IPv6 here");
    }
    (void)snprintf(address, sizeof(address), "[::1]:%u", (unsigned)cuzk_api_server_port(server));
    CHECK_OK(cuzk_http_get(&body, &n, address, "/status", 5000, 1 << 20, &err), &err);
    CHECK_OK(cuzk_status_view_parse(v, body, n, address, &err), &err);
    CHECK_STR(v->version, "unknown");
    CHECK(v->n_jobs > 5);
    cuzk_free(body);
    cuzk_free(v);
    cuzk_api_server_stop(server);
    fake_load_free(f);
}

static const cuzk_case cases[] = {CASE(read_back),
                                  CASE(other_texts),
                                  CASE(fleet_is_shown),
                                  CASE(fits_the_terminal),
                                  CASE(stages_fit),
                                  CASE(keys_choose),
                                  CASE(names_cannot_command_the_terminal),
                                  CASE(on_the_cpu_is_shown),
                                  CASE(allocation_failures),
                                  CASE(replies),
                                  CASE(no_answer),
                                  CASE(from_the_server)};
TEST_MAIN("api/top", cases)
