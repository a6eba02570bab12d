/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What every back end of the store does (store_backend.h). */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#include "store_backend.h"
#include "store_jobs.h"
#include "test.h"

static cuzk_job_store open_store(cuzk_store_report *report)
{
    cuzk_job_store s;
    cuzk_err err = {0};
    CHECK_OK(backend_open(&s, 0, report, &err), &err);
    return s;
}

static void put(cuzk_job_store *s, uint64_t number, bool big)
{
    job j;
    cuzk_err err = {0};
    job_make(&j, number, big);
    CHECK_OK(s->put(s->arg, &j.record, &err), &err);
    job_free(&j);
}

static void complete(cuzk_job_store *s, uint64_t number)
{
    job j;
    cuzk_err err = {0};
    job_make(&j, number, false);
    job_complete(&j);
    CHECK_OK(s->finish(s->arg, &j.record, &err), &err);
    job_free(&j);
}

/* Numbers above this one have big inputs. */
#define BIG_FROM 100u

typedef struct seen {
    uint64_t numbers[256];
    size_t n;
    bool inputs;
} seen;

static void see(void *arg, const cuzk_job_record *r)
{
    seen *s = arg;
    CHECK(s->n < 256);
    s->numbers[s->n++] = r->number;
    if (s->inputs) {
        job_check(r, r->number >= BIG_FROM);
        CHECK(r->state == CUZK_JOB_QUEUED);
    } else {
        job_check_fields(r);
    }
}

static seen load(cuzk_job_store *s, uint64_t *next)
{
    seen got = {.n = 0, .inputs = true};
    uint64_t number = 0;
    cuzk_err err = {0};
    CHECK_OK(s->load(s->arg, see, &got, &number, &err), &err);
    if (next != NULL) {
        *next = number;
    }
    return got;
}

static uint64_t find(cuzk_job_store *s, const char *id)
{
    seen got = {.n = 0, .inputs = false};
    const cuzk_status st = s->find(s->arg, id, see, &got, NULL);
    CHECK(st == CUZK_OK || st == CUZK_E_NOT_FOUND);
    CHECK_U64(got.n, st == CUZK_OK ? 1 : 0);
    return got.n == 0 ? 0 : got.numbers[0];
}

static void keeps_everything(void)
{
    uint64_t next = 0;
    cuzk_store_report report;
    cuzk_job_store s = open_store(&report);
    CHECK_U64(report.unfinished, 0);
    CHECK_U64(load(&s, &next).n, 0);
    CHECK_U64(next, 1);
    for (uint64_t n = 1; n <= 12; n++) {
        put(&s, n, false);
        put(&s, BIG_FROM + n, true);
    }
    complete(&s, 3);
    complete(&s, BIG_FROM + 4);
    s.destroy(s.arg);

    s = open_store(&report);
    CHECK_STR(report.moved_to, "");
    CHECK_U64(report.unfinished, 22);
    CHECK_U64(report.ended, 2);
    CHECK_U64(report.orphans, 0);
    const seen got = load(&s, &next);
    CHECK_U64(next, BIG_FROM + 13);
    CHECK_U64(got.n, 22);
    for (size_t i = 1; i < got.n; i++) {
        CHECK(got.numbers[i] > got.numbers[i - 1]);
    }
    for (uint64_t n = 1; n <= 12; n++) {
        seen one = {.n = 0, .inputs = true};
        const bool over = n == 3;
        CHECK_STATUS(s.read(s.arg, n, see, &one, NULL), over ? CUZK_E_NOT_FOUND : CUZK_OK);
        CHECK_U64(one.n, over ? 0 : 1);
    }
    CHECK_U64(find(&s, "job-3"), 3);
    CHECK_U64(find(&s, "job-5"), 5);
    CHECK_U64(find(&s, "job-104"), 104);
    CHECK_U64(find(&s, "job-"), 0);
    CHECK_U64(find(&s, ""), 0);
    s.destroy(s.arg);
}

static void see_completed(void *arg, const cuzk_job_record *r)
{
    *(uint64_t *)arg = r->number;
    job_check_fields(r);
    job_check_completed(r);
}

static void finds_by_content(void)
{
    cuzk_job_store s = open_store(NULL);
    job j;
    uint64_t got = 0;
    job_make(&j, 2, false); /* shares its content with 3, not its request_id */
    put(&s, 2, false);
    put(&s, 3, false);
    CHECK_STATUS(s.find_content(s.arg, j.record.content, j.record.request.request_id, see_completed,
                                &got, NULL),
                 CUZK_E_NOT_FOUND);
    complete(&s, 3);
    CHECK_STATUS(s.find_content(s.arg, j.record.content, j.record.request.request_id, see_completed,
                                &got, NULL),
                 CUZK_E_NOT_FOUND);
    complete(&s, 2);
    CHECK_STATUS(s.find_content(s.arg, j.record.content, j.record.request.request_id, see_completed,
                                &got, NULL),
                 CUZK_OK);
    CHECK_U64(got, 2);
    j.record.content[31] ^= 1;
    CHECK_STATUS(s.find_content(s.arg, j.record.content, j.record.request.request_id, see_completed,
                                &got, NULL),
                 CUZK_E_NOT_FOUND);
    job_free(&j);
    s.destroy(s.arg);
}

static void see_failed(void *arg, const cuzk_job_record *r)
{
    *(bool *)arg = r->state == CUZK_JOB_FAILED && r->code == CUZK_E_VANILLA &&
                   strcmp(r->error, "input: sector 7: \"path\" \xc3\xa9") == 0 &&
                   r->proof.size == 0;
}

static void refuses_what_makes_no_sense(void)
{
    cuzk_job_store s = open_store(NULL);
    job j;
    bool ok = false;
    job_make(&j, 8, false);
    job_complete(&j);
    CHECK_STATUS(s.finish(s.arg, &j.record, NULL), CUZK_E_NOT_FOUND);
    put(&s, 8, false);
    put(&s, BIG_FROM + 8, true);
    j.record.state = CUZK_JOB_QUEUED;
    CHECK_STATUS(s.put(s.arg, &j.record, NULL), CUZK_E_EXISTS);
    job_free(&j);
    job_make(&j, BIG_FROM + 8, true);
    CHECK_STATUS(s.put(s.arg, &j.record, NULL), CUZK_E_EXISTS);
    job_free(&j);
    CHECK_U64(load(&s, NULL).n, 2); /* both inputs are still right */
    job_make(&j, 8, false);
    job_complete(&j);
    j.record.state = CUZK_JOB_FAILED;
    j.record.code = CUZK_E_VANILLA;
    j.record.error = "input: sector 7: \"path\" \xc3\xa9";
    j.record.proof.size = 0;
    CHECK_STATUS(s.finish(s.arg, &j.record, NULL), CUZK_OK);
    CHECK_STATUS(s.finish(s.arg, &j.record, NULL), CUZK_E_INVALID);
    CHECK_STATUS(s.find(s.arg, "job-8", see_failed, &ok, NULL), CUZK_OK);
    CHECK(ok);
    job_free(&j);
    s.destroy(s.arg);
}

static void prunes(void)
{
    uint64_t next = 0;
    cuzk_job_store s = open_store(NULL);
    for (uint64_t n = 1; n <= 20; n++) {
        put(&s, n, false);
        if (n != 2) {
            complete(&s, n); /* ended at 1764000000005 + n */
        }
    }
    CHECK_STATUS(s.prune(s.arg, 1764000000005 + 5, 100, NULL), CUZK_OK);
    CHECK_U64(find(&s, "job-4"), 0);
    CHECK_U64(find(&s, "job-5"), 5);
    CHECK_U64(find(&s, "job-2"), 2); /* not over */
    CHECK_STATUS(s.prune(s.arg, 0, 3, NULL), CUZK_OK);
    CHECK_U64(find(&s, "job-17"), 0);
    CHECK_U64(find(&s, "job-18"), 18);
    CHECK_STATUS(s.prune(s.arg, 0, UINT64_MAX, NULL), CUZK_OK);
    CHECK_U64(find(&s, "job-18"), 18);
    CHECK_STATUS(s.prune(s.arg, 0, 0, NULL), CUZK_OK);
    CHECK_U64(find(&s, "job-20"), 0);
    CHECK_U64(load(&s, &next).n, 1);
    CHECK_U64(next, 21); /* numbers are not used again */
    s.destroy(s.arg);
    s = open_store(NULL);
    CHECK_U64(load(&s, &next).n, 1);
    CHECK_U64(next, 21);
    s.destroy(s.arg);
}

static void is_bounded(void)
{
    cuzk_job_store s;
    cuzk_err err = {0};
    const uint64_t max_bytes = 4 * CUZK_STORE_INLINE_BYTES;
    uint64_t n = BIG_FROM;
    job j;
    CHECK_OK(backend_open(&s, max_bytes, NULL, &err), &err);
    cuzk_status st;
    for (;; n++) {
        job_make(&j, n, true);
        st = s.put(s.arg, &j.record, &err);
        job_free(&j);
        if (st != CUZK_OK) {
            break;
        }
    }
    CHECK(st == CUZK_E_BUDGET);
    CHECK(strstr(err.msg, "full: ") != NULL);
    CHECK_U64(n, BIG_FROM + 3); /* three, and the database's own pages */
    complete(&s, BIG_FROM);     /* what ends gives its place back */
    put(&s, n, true);
    s.destroy(s.arg);
    /* the count is right after a restart too */
    CHECK_OK(backend_open(&s, max_bytes, NULL, &err), &err);
    job_make(&j, n + 1, true);
    CHECK_STATUS(s.put(s.arg, &j.record, NULL), CUZK_E_BUDGET);
    job_free(&j);
    CHECK_U64(load(&s, NULL).n, 3);
    s.destroy(s.arg);
}

enum { THREADS = 4, EACH = 24 };
typedef struct worker {
    cuzk_job_store *s;
    uint64_t first;
} worker;

static void *work(void *arg)
{
    worker *w = arg;
    for (uint64_t i = 0; i < EACH; i++) {
        char id[32];
        const uint64_t n = w->first + i;
        put(w->s, n, n % 8 == 0);
        (void)snprintf(id, sizeof(id), "job-%" PRIu64, n);
        CHECK_U64(find(w->s, id), n);
        if (i % 2 == 0) {
            complete(w->s, n);
        }
        if (i % 8 == 0) {
            CHECK_STATUS(w->s->prune(w->s->arg, 0, 1000, NULL), CUZK_OK);
        }
    }
    return NULL;
}

static void count_only(void *arg, const cuzk_job_record *r)
{
    job_check(r, r->number % 8 == 0);
    ++*(size_t *)arg;
}

static void serves_threads(void)
{
    cuzk_job_store s = open_store(NULL);
    pthread_t t[THREADS];
    worker w[THREADS];
    size_t n = 0;
    uint64_t next = 0;
    for (size_t i = 0; i < THREADS; i++) {
        w[i].s = &s;
        w[i].first = 1000 * (i + 1);
        CHECK(pthread_create(&t[i], NULL, work, &w[i]) == 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        CHECK(pthread_join(t[i], NULL) == 0);
    }
    CHECK_STATUS(s.load(s.arg, count_only, &n, &next, NULL), CUZK_OK);
    CHECK_U64(n, THREADS * EACH / 2);
    CHECK_U64(next, 4000 + EACH);
    s.destroy(s.arg);
}

/* Every allocation of ours fails once, in every operation: a status, and the store goes on. */
static void survives_lack_of_memory(void)
{
    cuzk_job_store s;
    job j;
    uint64_t next = 0;
    for (uint64_t n = 1;; n++) {
        cuzk_alloc_fail_nth(n, false);
        const cuzk_status st = backend_open(&s, 0, NULL, NULL);
        cuzk_alloc_fail_nth(0, false);
        if (st == CUZK_OK) {
            break;
        }
        CHECK(st == CUZK_E_NOMEM);
    }
    for (uint64_t big = 0; big < 2; big++) {
        job_make(&j, 7 + BIG_FROM * big, big != 0);
        for (uint64_t n = 1;; n++) {
            cuzk_alloc_fail_nth(n, false);
            const cuzk_status st = s.put(s.arg, &j.record, NULL);
            cuzk_alloc_fail_nth(0, false);
            if (st == CUZK_OK) {
                break;
            }
            CHECK(st == CUZK_E_NOMEM);
        }
        job_free(&j);
    }
    for (uint64_t n = 1;; n++) {
        seen got = {.n = 0, .inputs = true};
        cuzk_alloc_fail_nth(n, false);
        const cuzk_status st = s.load(s.arg, see, &got, &next, NULL);
        cuzk_alloc_fail_nth(0, false);
        CHECK(st == CUZK_OK || st == CUZK_E_NOMEM);
        if (st == CUZK_OK) {
            CHECK_U64(got.n, 2);
            break;
        }
    }
    const uint64_t blocks = cuzk_alloc_get_stats().blocks_now;
    CHECK_U64(find(&s, "job-7"), 7);
    CHECK_U64(cuzk_alloc_get_stats().blocks_now, blocks);
    s.destroy(s.arg);
    CHECK_U64(cuzk_alloc_get_stats().blocks_now, 0);
}

static const cuzk_case cases[] = {
    CASE(keeps_everything), CASE(finds_by_content), CASE(refuses_what_makes_no_sense), CASE(prunes),
    CASE(is_bounded),       CASE(serves_threads),   CASE(survives_lack_of_memory)};
TEST_MAIN("store/store", cases)
