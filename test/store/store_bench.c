/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The job store of one daemon (SQLite): durable submits, by one thread and by sixteen, and a start with waiting jobs.
 * Not a test:
 *
 *     store_bench FOLDER [JOBS [WAITING]]          files in FOLDER, which should be on the disk that counts
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

#include "store_jobs.h"

#define THREADS 16

typedef struct work {
    cuzk_job_store *store;
    uint64_t first, n;
} work;

static void die(const char *what, const char *why)
{
    (void)fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static cuzk_job_store open_store(const char *path)
{
    cuzk_job_store s;
    cuzk_err err = {.msg = ""};
    const cuzk_store_config c = {.path = path};
    if (cuzk_store_open(&s, &c, NULL, &err) != CUZK_OK) {
        die(path, err.msg);
    }
    return s;
}

static void *put_some(void *arg)
{
    const work *w = arg;
    for (uint64_t i = 0; i < w->n; i++) {
        job j;
        cuzk_err err = {.msg = ""};
        job_make(&j, w->first + i, false);
        if (w->store->put(w->store->arg, &j.record, &err) != CUZK_OK) {
            die("put", err.msg);
        }
        job_free(&j);
    }
    return NULL;
}

static double seconds_since(uint64_t from)
{
    return (double)(cuzk_clock_ns() - from) / 1e9;
}

static void submits(const char *path, uint64_t n, int n_threads)
{
    pthread_t threads[THREADS];
    work w[THREADS];
    (void)unlink(path);
    cuzk_job_store s = open_store(path);
    const uint64_t from = cuzk_clock_ns();
    for (int i = 0; i < n_threads; i++) {
        w[i] = (work){&s, 1 + (uint64_t)i * (n / (uint64_t)n_threads), n / (uint64_t)n_threads};
        if (pthread_create(&threads[i], NULL, put_some, &w[i]) != 0) {
            die("thread", "cannot start");
        }
    }
    for (int i = 0; i < n_threads; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    (void)printf("%2d threads: %llu durable submits in %.2f s\n", n_threads, (unsigned long long)n,
                 seconds_since(from));
    s.destroy(s.arg);
}

static void count_one(void *arg, const cuzk_job_record *r)
{
    (void)r;
    ++*(uint64_t *)arg;
}

static void restart(const char *path, uint64_t n)
{
    cuzk_err err = {.msg = ""};
    uint64_t got = 0, next = 0;
    (void)unlink(path);
    cuzk_job_store s = open_store(path);
    work w = {&s, 1, n};
    (void)put_some(&w);
    s.destroy(s.arg);
    const uint64_t from = cuzk_clock_ns();
    s = open_store(path);
    if (s.load(s.arg, count_one, &got, &next, &err) != CUZK_OK || got != n) {
        die("load", err.msg);
    }
    (void)printf("start with %llu waiting jobs: %.3f s\n", (unsigned long long)n,
                 seconds_since(from));
    s.destroy(s.arg);
}

int main(int argc, char **argv)
{
    char path[512];
    if (argc < 2) {
        die("usage", "store_bench FOLDER [JOBS [WAITING]]");
    }
    const uint64_t n = argc > 2 ? strtoull(argv[2], NULL, 10) : 6000;
    (void)snprintf(path, sizeof(path), "%s/bench.db", argv[1]);
    submits(path, n, 1);
    submits(path, n, THREADS);
    restart(path, argc > 3 ? strtoull(argv[3], NULL, 10) : 930);
    return 0;
}
