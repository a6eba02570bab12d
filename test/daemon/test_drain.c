/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What SIGTERM does to a daemon that has jobs. */
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "daemon_fixture.h"
#include "test.h"

static daemon_box box;

enum { JOBS = 4 };

static void submit_many(engine_request *rq, char ids[JOBS][CUZK_JOB_ID_BYTES])
{
    for (int i = 0; i < JOBS; i++) {
        char name[64];
        (void)snprintf(name, sizeof(name), "job %d", i);
        engine_request_make(&rq[i], CUZK_JOB_WINNING, (uint64_t)i % 3, name);
        box_submit(&box, &rq[i].rq, ids[i]);
    }
}

typedef struct waiter {
    const char *id;
    const engine_request *rq;
    bool ok;
} waiter;

static void *wait_for(void *arg)
{
    waiter *w = arg;
    cuzk_rpc_result r;
    cuzk_rpc_client *c = NULL;
    const cuzk_rpc_client_config cfg = {.address = box.address, .timeout_ms = 600000};
    memset(&r, 0, sizeof(r));
    w->ok = cuzk_rpc_client_create(&c, &cfg, NULL) == CUZK_OK &&
            cuzk_rpc_client_await(c, w->id, 0, &r, NULL) == CUZK_OK &&
            r.outcome == CUZK_RPC_COMPLETED && r.proof_size == 192;
    cuzk_rpc_result_free(&r);
    cuzk_rpc_client_destroy(c);
    return NULL;
}

static void drains(void)
{
    engine_request rq[JOBS];
    char ids[JOBS][CUZK_JOB_ID_BYTES], late[CUZK_JOB_ID_BYTES];
    pthread_t t;
    box_make(&box, "");
    box_make_params(&box);
    box_start(&box);
    submit_many(rq, ids);
    waiter w = {.id = ids[JOBS - 1], .rq = &rq[JOBS - 1]};
    cuzk_rpc_client *c = box_client(&box, 30000); /* connected before the end is near */
    CHECK(pthread_create(&t, NULL, wait_for, &w) == 0);
    CHECK(kill(box.pid, SIGTERM) == 0);
    CHECK(box_log_gets(&box, "daemon.drain why=SIGTERM"));
    uint32_t position = 0;
    const cuzk_status st = cuzk_rpc_client_submit(c, &rq[0].rq, late, &position, NULL);
    CHECK(st != CUZK_OK || strcmp(late, ids[0]) == 0); /* no new job; an old one may be joined */
    cuzk_rpc_client_destroy(c);
    CHECK(pthread_join(t, NULL) == 0);
    CHECK(w.ok); /* whoever waits gets the proof */
    CHECK_U64(box_wait(&box), 0);
    CHECK(box_log_gets(&box, "drain.done"));
    box_start(&box);
    for (int i = 0; i < JOBS; i++) {
        box_await_proof(&box, ids[i], &rq[i]);
        engine_request_free(&rq[i]);
    }
    CHECK_U64(box_end(&box, SIGTERM), 0);
}

static void second_signal_stops_at_once(void)
{
    engine_request rq[JOBS];
    char ids[JOBS][CUZK_JOB_ID_BYTES];
    box_make(&box, "");
    box_make_params(&box);
    box_start(&box);
    submit_many(rq, ids);
    CHECK(kill(box.pid, SIGTERM) == 0);
    CHECK(box_log_gets(&box, "daemon.drain why=SIGTERM"));
    CHECK_U64(box_end(&box, SIGTERM), 0);
    CHECK(box_log_gets(&box, "drain.cut why=SIGTERM"));
    box_start(&box);
    for (int i = 0; i < JOBS; i++) { /* what was left went on */
        box_await_proof(&box, ids[i], &rq[i]);
        engine_request_free(&rq[i]);
    }
    CHECK_U64(box_end(&box, SIGTERM), 0);
}

static void drain_is_bounded(void)
{
    engine_request rq[JOBS];
    char ids[JOBS][CUZK_JOB_ID_BYTES];
    box_make(&box, "daemon.drain_timeout = \"1ms\"\n");
    box_make_params(&box);
    box_start(&box);
    submit_many(rq, ids);
    CHECK_U64(box_end(&box, SIGTERM), 0);
    CHECK(box_log_gets(&box, "drain.cut why=\"daemon.drain_timeout is over"));
    for (int i = 0; i < JOBS; i++) {
        engine_request_free(&rq[i]);
    }
}

static const cuzk_case cases[] = {CASE(drains), CASE(second_signal_stops_at_once),
                                  CASE(drain_is_bounded)};
TEST_MAIN("daemon/drain", cases)
