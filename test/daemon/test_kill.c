/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * kill -9 at random moments, with queued and running jobs, on one store: at the end every job whose
 * acceptance was told is COMPLETED with a proof of its own statement, and the store was never damaged.
 * Three rounds; --iters=17 makes them fifty-one.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#include "daemon_fixture.h"
#include "test.h"

enum { CONTENTS = 4, MAX_JOBS = 4000, CLIENTS = 2, JOBS_PER_ROUND = 4 };

typedef struct accepted {
    char id[CUZK_JOB_ID_BYTES];
    int content;
} accepted;

static daemon_box box;
static engine_request requests[CONTENTS];
static accepted jobs[MAX_JOBS];
static size_t n_jobs;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint next_name;

static void remember(const char *id, int content)
{
    (void)pthread_mutex_lock(&mutex);
    CHECK(n_jobs < MAX_JOBS);
    (void)snprintf(jobs[n_jobs].id, sizeof(jobs[n_jobs].id), "%s", id);
    jobs[n_jobs++].content = content;
    (void)pthread_mutex_unlock(&mutex);
}

/* Submits until its share is done or the daemon is gone; every other client also waits in Prove. */
static void *submit_until_killed(void *arg)
{
    const cuzk_rpc_client_config cfg = {.address = box.address, .connect_ms = 1000};
    cuzk_rpc_client *c = NULL;
    const bool prove = *(const bool *)arg;
    if (cuzk_rpc_client_create(&c, &cfg, NULL) != CUZK_OK) {
        return NULL;
    }
    for (int i = 0; i < JOBS_PER_ROUND / CLIENTS; i++) {
        char name[64], id[CUZK_JOB_ID_BYTES];
        uint32_t position = 0;
        const unsigned k = atomic_fetch_add(&next_name, 1);
        const int content = (int)(k % CONTENTS);
        cuzk_job_request rq = requests[content].rq;
        (void)snprintf(name, sizeof(name), "round job %u", k);
        rq.request_id.data = (const uint8_t *)name;
        rq.request_id.size = strlen(name);
        if (cuzk_rpc_client_submit(c, &rq, id, &position, NULL) != CUZK_OK) {
            break;
        }
        remember(id, content);
        if (prove && i == 1) { /* joins the job that was just submitted */
            cuzk_rpc_result r;
            memset(&r, 0, sizeof(r));
            const cuzk_status st = cuzk_rpc_client_prove(c, &rq, &r, NULL);
            cuzk_rpc_result_free(&r);
            if (st != CUZK_OK) {
                break;
            }
        }
    }
    cuzk_rpc_client_destroy(c);
    return NULL;
}

static size_t count_jobs(void)
{
    (void)pthread_mutex_lock(&mutex);
    const size_t n = n_jobs;
    (void)pthread_mutex_unlock(&mutex);
    return n;
}

/* With waits, the kill comes after a job was accepted; else it may come before. */
static void kill_round(bool waits)
{
    const uint64_t limit = cuzk_clock_ns() + UINT64_C(180000000000);
    const size_t before = count_jobs();
    static bool prove[CLIENTS] = {false, true};
    pthread_t t[CLIENTS];
    box_start(&box);
    for (int i = 0; i < CLIENTS; i++) {
        CHECK(pthread_create(&t[i], NULL, submit_until_killed, &prove[i]) == 0);
    }
    while (waits && count_jobs() == before) {
        const struct timespec nap = {.tv_nsec = 1000000};
        CHECK_MSG(cuzk_clock_ns() < limit, "no job is accepted");
        (void)nanosleep(&nap, NULL);
    }
    const struct timespec pause = {.tv_sec = 0, .tv_nsec = (long)test_below(700) * 1000000};
    (void)nanosleep(&pause, NULL);
    CHECK_U64(box_end(&box, SIGKILL), 128 + SIGKILL);
    for (int i = 0; i < CLIENTS; i++) {
        CHECK(pthread_join(t[i], NULL) == 0);
    }
}

static void check_job(cuzk_rpc_client *c, const accepted *job)
{
    cuzk_rpc_result r;
    cuzk_err err = {.code = CUZK_OK};
    memset(&r, 0, sizeof(r));
    const cuzk_status st = cuzk_rpc_client_await(c, job->id, 590000, &r, &err);
    CHECK_MSG(st == CUZK_OK, "%s: %s", job->id, err.msg);
    CHECK_MSG(r.outcome == CUZK_RPC_COMPLETED, "%s: %s: %s", job->id,
              cuzk_rpc_outcome_name(r.outcome), r.error);
    CHECK(engine_request_verifies(&requests[job->content], r.proof, r.proof_size, box.params));
    cuzk_rpc_result_free(&r);
}

static void killed_at_random_moments(void)
{
    const size_t rounds = test_iters(3);
    box_make(&box, "");
    box_make_params(&box);
    for (int i = 0; i < CONTENTS; i++) {
        engine_request_make(&requests[i], CUZK_JOB_WINNING, (uint64_t)i + 1, "");
    }
    for (size_t i = 0; i < rounds; i++) {
        kill_round(i % 2 == 0);
    }
    CHECK_MSG(n_jobs >= (rounds + 1) / 2, "only %zu jobs were accepted in %zu rounds", n_jobs,
              rounds);
    const uint64_t begin = cuzk_clock_ns();
    box_start(&box);
    cuzk_rpc_client *c = box_client(&box, 600000);
    for (size_t i = 0; i < n_jobs; i++) {
        check_job(c, &jobs[i]);
    }
    cuzk_rpc_client_destroy(c);
    (void)printf(
        "%zu kills, %zu accepted jobs, all COMPLETED; the last start took up what was left and was "
        "done after %.1f s\n",
        rounds, n_jobs, (double)(cuzk_clock_ns() - begin) * 1e-9);
    CHECK_U64(box_end(&box, SIGTERM), 0);
    CHECK(!box_log_has(&box, "store.damaged"));
    CHECK(!box_log_has(&box, "proof.wrong"));
    for (int i = 0; i < CONTENTS; i++) {
        engine_request_free(&requests[i]);
    }
}

static const cuzk_case cases[] = {CASE(killed_at_random_moments)};
TEST_MAIN("daemon/kill", cases)
