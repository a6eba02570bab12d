/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "stack.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/answer/metrics_text.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "store/store.h"
#include "top/http_get.h"

#include "test.h"

static void sleep_ms(long ms)
{
    const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    (void)nanosleep(&t, NULL);
}

static cuzk_status metrics(void *arg, char **text, size_t *n, cuzk_err *err)
{
    const stack *s = arg;
    cuzk_engine_status es;
    CUZK_TRY(cuzk_engine_get_status(s->engine, &es, err));
    const cuzk_status st = cuzk_metrics_text(text, n, &es, "test", err);
    cuzk_engine_status_free(&es);
    return st;
}

stack *stack_start(uint32_t n_devices, bool with_store, const cuzk_engine_config *cfg)
{
    cuzk_err err = {.code = CUZK_OK};
    stack *s = calloc(1, sizeof(*s));
    CHECK(s != NULL);
    mock_init(&s->mock, n_devices);
    cuzk_engine_config c = *cfg;
    c.backend = &s->mock.vtable;
    s->with_store = with_store;
    if (with_store) {
        char path[300];
        cuzk_store_report report;
        (void)snprintf(path, sizeof(path), "%s/jobs.db", test_tmpdir());
        const cuzk_store_config sc = {.path = path};
        CHECK_OK(cuzk_store_open(&s->store, &sc, &report, &err), &err);
        c.store = &s->store;
    }
    CHECK_OK(cuzk_engine_create(&s->engine, &c, &err), &err);
    const cuzk_api_config a = {.listen = "127.0.0.1:0", .engine = s->engine, .version = "test"};
    CHECK_OK(cuzk_api_server_create(&s->api, &a, &err), &err);
    (void)snprintf(s->http, sizeof(s->http), "127.0.0.1:%u",
                   (unsigned)cuzk_api_server_port(s->api));
    (void)snprintf(s->address, sizeof(s->address), "unix://%s/s.sock", test_tmpdir());
    const cuzk_rpc_listen listen = {.address = s->address};
    const cuzk_rpc_server_config r = {.engine = s->engine,
                                      .listen = &listen,
                                      .n_listen = 1,
                                      .metrics = metrics,
                                      .metrics_arg = s};
    CHECK_OK(cuzk_rpc_server_create(&s->rpc, &r, &err), &err);
    CHECK_OK(cuzk_rpc_server_start(s->rpc, &err), &err);
    return s;
}

void stack_stop(stack *s)
{
    cuzk_rpc_server_stop(s->rpc, 1000);
    cuzk_api_server_stop(s->api);
    cuzk_rpc_server_destroy(s->rpc);
    cuzk_engine_destroy(s->engine);
    if (s->with_store) {
        s->store.destroy(s->store.arg);
    }
    CHECK_U64(atomic_load(&s->mock.used), 0);
    mock_destroy(&s->mock);
    free(s);
}

uint32_t stack_n_order(stack *s)
{
    pthread_mutex_lock(&s->mock.mu);
    const uint32_t n = s->mock.n_order;
    pthread_mutex_unlock(&s->mock.mu);
    return n;
}

cuzk_rpc_client *stack_client(const stack *s, uint64_t timeout_ms, const cuzk_cancel *cancel)
{
    cuzk_err err = {.code = CUZK_OK};
    cuzk_rpc_client *c = NULL;
    const cuzk_rpc_client_config cfg = {
        .address = s->address, .timeout_ms = timeout_ms, .cancel = cancel};
    CHECK_OK(cuzk_rpc_client_create(&c, &cfg, &err), &err);
    return c;
}

/*
 * The server keeps an answer for 50 ms from the end of its making, and a making may last as long as it likes. The
 * first answer may therefore be of a time before the call. It has expired when the second is asked for, and an answer
 * that somebody else got in between was begun after the first.
 */
void stack_status(const stack *s, cuzk_status_view *out)
{
    cuzk_err err = {.code = CUZK_OK};
    char *body = NULL;
    size_t n = 0;
    CHECK_OK(cuzk_http_get(&body, &n, s->http, "/status", 600000, (size_t)8 << 20, &err), &err);
    cuzk_free(body);
    sleep_ms(55);
    CHECK_OK(cuzk_http_get(&body, &n, s->http, "/status", 600000, (size_t)8 << 20, &err), &err);
    CHECK_OK(cuzk_status_view_parse(out, body, n, "/status", &err), &err);
    cuzk_free(body);
}

uint64_t stack_left(const cuzk_status_view *v)
{
    uint64_t left = v->queue_depth;
    for (uint32_t i = 0; i < v->n_queues; i++) {
        left += v->queues[i].in_progress;
    }
    for (uint32_t i = 0; i < v->n_stages; i++) {
        left += v->stages[i].waiting;
    }
    for (uint32_t i = 0; i < v->n_devices; i++) {
        left += v->devices[i].busy_slots;
    }
    return left;
}

void stack_settle(const stack *s, uint64_t held, cuzk_status_view *out)
{
    const uint64_t begin = cuzk_clock_ns();
    for (;;) {
        stack_status(s, out);
        if (stack_left(out) == 0 && out->release_backlog == 0 &&
            atomic_load(&s->mock.used) <= held) {
            return;
        }
        CHECK_MSG(cuzk_clock_ns() - begin < 540000000000u,
                  "left %llu, backlog %llu, the mock holds %llu of %llu",
                  (unsigned long long)stack_left(out), (unsigned long long)out->release_backlog,
                  (unsigned long long)atomic_load(&s->mock.used), (unsigned long long)held);
    }
}

const char *stack_job_state(const cuzk_status_view *v, const char *id)
{
    for (uint32_t i = 0; i < v->n_jobs; i++) {
        if (strcmp(v->jobs[i].id, id) == 0) {
            return v->jobs[i].state;
        }
    }
    return "";
}

static void *call_main(void *arg)
{
    stack_call *c = arg;
    cuzk_rpc_client *client = NULL;
    const cuzk_rpc_client_config cfg = {
        .address = c->stack->address, .timeout_ms = c->timeout_ms, .cancel = c->cancel};
    c->status = cuzk_rpc_client_create(&client, &cfg, &c->err);
    if (c->status == CUZK_OK) {
        c->status = cuzk_rpc_client_prove(client, &c->rq, &c->result, &c->err);
    }
    cuzk_rpc_client_destroy(client);
    return NULL;
}

void stack_call_start(stack_call *c, const stack *s, cuzk_job_kind kind, uint32_t priority,
                      uint64_t tag, const char *id)
{
    c->stack = s;
    c->job = (mock_job){.tag = tag, .n_partitions = 1};
    (void)snprintf(c->id, sizeof(c->id), "%s", id);
    mock_request(&c->rq, kind, &c->job, &c->view, c->id);
    c->rq.priority = priority;
    CHECK(pthread_create(&c->thread, NULL, call_main, c) == 0);
}

void stack_call_join(stack_call *c)
{
    CHECK(pthread_join(c->thread, NULL) == 0);
}

void stack_call_free(stack_call *c)
{
    cuzk_rpc_result_free(&c->result);
}
