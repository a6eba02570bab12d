/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Many small proofs from many threads, some of them cancelled: every proof is verified, memory stays flat. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "golden_jobs.h"

#define THREADS 16u

typedef struct many_tasks {
    cuzk_prover *p;
    cuzk_circom_key *key;
    cuzk_prove_request rq;
    _Atomic uint32_t n_proved, n_cancelled, n_wrong;
    uint32_t rounds; /* of each thread */
} many_tasks;

typedef struct user {
    many_tasks *m;
    uint32_t number;
    pthread_t thread;
} user;

/* Tasks of a thread: one proved while it waits, one that is cancelled at some point, one that is dropped. */
static void one_round(many_tasks *m, uint32_t k)
{
    cuzk_task *t[3];
    uint8_t proof[192], inputs[32 * 8];
    size_t n = 0;
    for (size_t i = 0; i < 3; i++) {
        if (cuzk_prover_submit(&t[i], m->p, &m->rq, NULL) != CUZK_OK) {
            atomic_fetch_add(&m->n_wrong, 1);
            return;
        }
    }
    if (k % 3 != 0) {
        (void)cuzk_task_wait(t[1], (int64_t)(k % 5));
    }
    cuzk_task_cancel(t[1]);
    cuzk_task_destroy(t[2]);
    for (size_t i = 0; i < 2; i++) {
        (void)cuzk_task_wait(t[i], -1);
        const cuzk_status st = cuzk_task_result(t[i], proof, sizeof(proof), &n, NULL);
        if (st == CUZK_OK && cuzk_task_public(t[i], inputs, 8, &n, NULL) == CUZK_OK &&
            cuzk_verify(cuzk_circom_key_vk(m->key), proof, 192, inputs, n) == CUZK_VERIFY_OK) {
            atomic_fetch_add(&m->n_proved, 1);
        } else if (st == CUZK_E_CANCELLED && i == 1) {
            atomic_fetch_add(&m->n_cancelled, 1);
        } else {
            atomic_fetch_add(&m->n_wrong, 1);
        }
        cuzk_task_destroy(t[i]);
    }
}

static void *run_user(void *arg)
{
    user *u = arg;
    for (uint32_t i = 0; i < u->m->rounds; i++) {
        one_round(u->m, u->number + i);
    }
    return NULL;
}

static void run_users(many_tasks *m)
{
    user u[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        u[i] = (user){.m = m, .number = i};
        CHECK(pthread_create(&u[i].thread, NULL, run_user, &u[i]) == 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        CHECK(pthread_join(u[i].thread, NULL) == 0);
    }
    CHECK_U64(atomic_load(&m->n_wrong), 0);
}

/* Resident pages of the process. */
static long resident(void)
{
    long all = 0, now = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    CHECK(f != NULL && fscanf(f, "%ld %ld", &all, &now) == 2);
    (void)fclose(f);
    return now * (sysconf(_SC_PAGESIZE) / 1024);
}

static void many_threads(void)
{
    const cuzk_prover_options o = {
        .struct_size = sizeof(o), .threads = 2, .workers = 4, .devices = "cpu"};
    many_tasks m = {.rounds = 1};
    cuzk_memory before, after, end;
    const cuzk_input in = golden_file("test/vectors/circom/multiplier2.wtns");
    LIB_OK(cuzk_prover_create(&m.p, &o, &golden_error));
    LIB_OK(
        cuzk_circom_key_load(&m.key, m.p, "test/vectors/snarkjs/multiplier2.zkey", &golden_error));
    m.rq = (cuzk_prove_request){.struct_size = sizeof(m.rq),
                                .kind = CUZK_KIND_CIRCOM,
                                .inputs = &in,
                                .n_inputs = 1,
                                .circom_key = m.key};
    run_users(&m); /* threads and arenas are there from here on */
    cuzk_get_memory(&before);
    const long rss_before = resident();
    m.rounds = (uint32_t)test_iters(4);
    run_users(&m);
    cuzk_get_memory(&after);
    const long rss_after = resident();
    CHECK_U64(after.blocks, before.blocks);
    CHECK_U64(after.bytes, before.bytes);
    CHECK_MSG(rss_after < rss_before + 16384, "resident %ld KiB, then %ld KiB", rss_before,
              rss_after);
    CHECK_MSG(atomic_load(&m.n_proved) >= THREADS * (m.rounds + 1), "%u proved",
              atomic_load(&m.n_proved));
    (void)printf(
        "%u proved, %u cancelled while waited for, %u dropped; resident %ld KiB, then %ld KiB\n",
        atomic_load(&m.n_proved), atomic_load(&m.n_cancelled), THREADS * (m.rounds + 1), rss_before,
        rss_after);
    cuzk_circom_key_destroy(m.key);
    cuzk_prover_destroy(m.p);
    cuzk_get_memory(&end);
    CHECK_U64(end.blocks, 0);
}

static const cuzk_case cases[] = {CASE(many_threads)};
TEST_MAIN("lib/many", cases)
