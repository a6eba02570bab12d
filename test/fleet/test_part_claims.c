/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Leases on partitions in the database: who takes which, whose proof is kept, what happens when members die. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "fleet/model/part_history.h"
#include "store/pg/pg_store.h"

#include "pg_server.h"
#include "store_jobs.h"
#include "test.h"

#define PARTS 10u

static cuzk_job_store join(const char *name)
{
    cuzk_job_store s;
    cuzk_err err = {0};
    const cuzk_pg_member m = {.name = name, .address = "test", .version = "0", .lease_ms = 60000};
    const cuzk_pg_config c = {.url = pg_server_url(), .member = &m, .retry_ms = 20000};
    CHECK_OK(cuzk_pg_store_open(&s, &c, NULL, &err), &err);
    CHECK(s.shared->parts != NULL);
    return s;
}

static uint64_t first_number(cuzk_job_store *s)
{
    uint64_t n = 0;
    CHECK_STATUS(s->load(s->arg, NULL, NULL, &n, NULL), CUZK_OK);
    return n;
}

/* A job that s holds, its partitions open. */
static uint64_t open_job(cuzk_job_store *s)
{
    job j;
    cuzk_err err = {0};
    const uint64_t n = first_number(s);
    job_make(&j, n, false);
    j.record.claims = true;
    CHECK_OK(s->put(s->arg, &j.record, &err), &err);
    job_free(&j);
    CHECK_OK(s->shared->start(s->arg, n, &err), &err);
    CHECK_OK(s->shared->parts->open(s->arg, n, PARTS, &err), &err);
    return n;
}

/* Partitions as bits. */
typedef struct seen {
    uint64_t taken, proved, set_aside;
    uint8_t last; /* first byte of the last proof */
    char error[256];
} seen;

static void see(void *arg, const cuzk_part_news *news)
{
    seen *s = arg;
    const uint64_t bit = (uint64_t)1 << news->partition;
    switch (news->what) {
    case CUZK_PART_TAKEN: s->taken |= bit; break;
    case CUZK_PART_PROVED:
        s->proved |= bit;
        s->last = news->proof.data[0];
        break;
    case CUZK_PART_SET_ASIDE:
        s->set_aside |= bit;
        (void)snprintf(s->error, sizeof(s->error), "%s", news->error);
        break;
    }
}

static seen take(cuzk_job_store *s, uint64_t number, uint32_t n)
{
    seen out = {.taken = 0};
    cuzk_err err = {0};
    CHECK_OK(s->shared->parts->take(s->arg, number, n, see, &out, &err), &err);
    return out;
}

typedef struct task {
    uint64_t job, parts;
} task;

static void see_task(void *arg, const cuzk_job_record *r, const uint32_t *parts, size_t n)
{
    task *t = arg;
    job_check(r, false); /* with its input */
    t->job = r->number;
    for (size_t i = 0; i < n; i++) {
        t->parts |= (uint64_t)1 << parts[i];
    }
}

static void see_job(void *arg, const cuzk_job_record *r)
{
    ((task *)arg)->job = r->number;
}

static task claim(cuzk_job_store *s, uint64_t number, uint32_t n, uint64_t except)
{
    task t = {.job = 0};
    cuzk_err err = {0};
    CHECK_OK(s->shared->parts->claim(s->arg, number, n, &except, except != 0 ? 1 : 0, see_task, &t,
                                     &err),
             &err);
    return t;
}

static cuzk_status write_proof(cuzk_job_store *s, uint64_t number, uint32_t part, uint8_t byte)
{
    uint8_t proof[192];
    memset(proof, byte, sizeof(proof));
    return s->shared->parts->write(s->arg, number, part, proof, 7, NULL);
}

static cuzk_status complete(cuzk_job_store *s, uint64_t number)
{
    job j;
    job_make(&j, number, false);
    job_complete(&j);
    const cuzk_status st = s->finish(s->arg, &j.record, NULL);
    job_free(&j);
    return st;
}

static uint64_t sql_u64(const char *sql)
{
    char *text = pg_server_sql(sql);
    CHECK(text != NULL);
    const uint64_t v = strtoull(text, NULL, 10);
    free(text);
    return v;
}

/* The holder begins at the first partition, others at the last; each goes on next to what it has. */
static void neighbours(void)
{
    cuzk_job_store a = join("a"), b = join("b"), c = join("c");
    part_history_begin();
    const uint64_t n = open_job(&a), tb = first_number(&b) + 100, tc = first_number(&c) + 100;
    CHECK_U64(take(&a, n, 2).taken, 0x003);
    CHECK_U64(claim(&a, n + 100, 2, 0).job, 0); /* its own job: by take alone */
    CHECK_U64(claim(&b, tb, 2, n).job, 0);      /* not wanted */
    task t = claim(&b, tb, 2, 0);
    CHECK(t.job == n && t.parts == 0x300);
    t = claim(&c, tc, 1, 0);
    CHECK(t.job == n && t.parts == 0x080);
    CHECK_U64(take(&a, n, 1).taken, 0x007);
    CHECK_STATUS(b.shared->start(b.arg, tb, NULL), CUZK_OK);
    CHECK_STATUS(c.shared->start(c.arg, tc, NULL), CUZK_OK);
    CHECK_U64(take(&c, tc, 1).taken, 0x0c0);
    CHECK_U64(take(&a, n, 1).taken, 0x00f);
    CHECK_U64(take(&b, tb, 1).taken, 0x320); /* 7 and 6 are c's: the next one that is free */
    CHECK_STATUS(write_proof(&b, tb, 9, 0x99), CUZK_OK);
    CHECK_STATUS(write_proof(&b, tb, 9, 0x11), CUZK_E_EXISTS); /* once */
    CHECK_STATUS(write_proof(&b, tb, 0, 0x11), CUZK_E_EXISTS); /* a's */
    CHECK_STATUS(write_proof(&c, tc, 8, 0x11), CUZK_E_EXISTS); /* b's */
    const seen s = take(&a, n, 0);
    CHECK(s.taken == 0x00f && s.proved == 0x200 && s.last == 0x99);
    CHECK_STATUS(c.shared->release(c.arg, tc, NULL), CUZK_OK);
    CHECK_U64(take(&a, n, 9).taken, 0x0df); /* all that is left, but for b's */
    CHECK_STATUS(complete(&a, n), CUZK_OK);
    CHECK_U64(sql_u64("SELECT count(*) FROM cuzk_part"), 0);
    CHECK_STATUS(write_proof(&b, tb, 8, 0x88), CUZK_E_EXISTS); /* the job is over */
    CHECK_U64(claim(&b, tb + 1, 2, 0).job, 0);
    a.destroy(a.arg);
    b.destroy(b.arg);
    c.destroy(c.arg);
    const part_sums sums = part_history_check();
    CHECK(sums.proved == 1 && sums.deaths == 0);
}

/* A member that is declared dead can write nothing any more; what it wrote before stays. */
static void the_dead_write_nothing(void)
{
    cuzk_job_store a = join("a"), b = join("b");
    part_history_begin();
    const uint64_t n = open_job(&a), tb = first_number(&b) + 100;
    CHECK_U64(claim(&b, tb, 3, 0).parts, 0x380);
    CHECK_STATUS(b.shared->start(b.arg, tb, NULL), CUZK_OK);
    CHECK_STATUS(write_proof(&b, tb, 8, 0x88), CUZK_OK);
    cuzk_job_store again = join("b"); /* b has crashed, and is there again */
    CHECK_STATUS(write_proof(&b, tb, 9, 0x99), CUZK_E_EXISTS);
    CHECK_U64(sql_u64("SELECT sum(deaths) FROM cuzk_part"), 2);
    const uint64_t second = first_number(&again) + 100;
    CHECK_U64(claim(&again, second, 1, 0).parts, 0x200);
    CHECK_STATUS(write_proof(&again, second, 9, 0x98), CUZK_OK);
    const seen s = take(&a, n, 0);
    CHECK(s.proved == 0x300 && s.last == 0x98);
    again.destroy(again.arg);
    b.destroy(b.arg);
    CHECK_U64(sql_u64("SELECT count(*) FROM cuzk_part WHERE state = 2"), 2);
    a.destroy(a.arg);
    const part_sums sums = part_history_check();
    CHECK(sums.proved == 2 && sums.deaths == 2 && sums.set_aside == 0);
}

/* The next holder of a job has what was proved before, and takes what the last one had. */
static void the_next_holder_goes_on(void)
{
    cuzk_job_store a = join("a"), b = join("b");
    part_history_begin();
    const uint64_t n = open_job(&a), tb = first_number(&b) + 100;
    task t = {.job = 0};
    CHECK_U64(take(&a, n, 3).taken, 0x007);
    CHECK_U64(claim(&b, tb, 2, 0).parts, 0x300);
    CHECK_STATUS(b.shared->start(b.arg, tb, NULL), CUZK_OK);
    CHECK_STATUS(write_proof(&b, tb, 9, 0x99), CUZK_OK);
    cuzk_job_store again = join("a");
    CHECK_U64(claim(&again, first_number(&again) + 50, 1, 0).job, 0); /* nobody holds it */
    seen late = {.taken = 0};
    CHECK_STATUS(a.shared->parts->take(a.arg, n, 1, see, &late, NULL), CUZK_OK);
    CHECK_U64(late.taken, 0); /* not told of its death yet, and gets nothing */
    CHECK_U64(sql_u64("SELECT count(*) FROM cuzk_job WHERE member IS NULL"), 1);
    CHECK_STATUS(again.shared->claim(again.arg, 1, NULL, 0, see_job, &t, NULL), CUZK_OK);
    CHECK_U64(t.job, n);
    CHECK_STATUS(again.shared->start(again.arg, n, NULL), CUZK_OK);
    CHECK_STATUS(again.shared->parts->open(again.arg, n, PARTS, NULL), CUZK_OK);
    const seen s = take(&again, n, 4);
    CHECK(s.taken == 0x00f && s.proved == 0x200 && s.last == 0x99);
    CHECK_STATUS(write_proof(&b, tb, 8, 0x88), CUZK_OK); /* it has not noticed anything */
    CHECK_U64(take(&again, n, 9).proved, 0x300);
    CHECK_STATUS(complete(&a, n), CUZK_E_EXISTS);
    CHECK_STATUS(complete(&again, n), CUZK_OK);
    b.destroy(b.arg);
    again.destroy(again.arg);
    a.destroy(a.arg);
    (void)part_history_check();
}

/* Three members die with a partition: nobody takes it again, and the holder is told why. */
static void three_deaths(void)
{
    cuzk_job_store a = join("a"), dead[4];
    part_history_begin();
    const uint64_t n = open_job(&a);
    for (int i = 0; i < 3; i++) {
        dead[i] = join("b");
        const uint64_t number = first_number(&dead[i]) + 100;
        CHECK_U64(claim(&dead[i], number, 1, 0).parts, 0x200);
        CHECK_STATUS(dead[i].shared->start(dead[i].arg, number, NULL), CUZK_OK);
    }
    dead[3] = join("b");
    const seen s = take(&a, n, 0);
    CHECK_U64(s.set_aside, 0x200);
    CHECK_STR(
        s.error,
        "set aside: 3 daemons died or lost their lease while they proved partition 9: b, b, b");
    CHECK_U64(claim(&dead[3], first_number(&dead[3]) + 100, 1, 0).parts, 0x100);
    for (int i = 3; i >= 0; i--) {
        dead[i].destroy(dead[i].arg);
    }
    a.destroy(a.arg);
    const part_sums sums = part_history_check();
    CHECK(sums.deaths == 3 && sums.set_aside == 1);
}

/* The tables of a queue that older programs share have no room for partitions. */
static void older_tables(void)
{
    cuzk_job_store a = join("a");
    a.destroy(a.arg);
    free(pg_server_sql("DROP TABLE cuzk_part; UPDATE cuzk_schema SET version = 2, compatible = 1;"
                       "INSERT INTO cuzk_member (incarnation, name, address, version, lease_until,"
                       " reads) VALUES (77, 'old', '', '0', now() + interval '1 hour', 1)"));
    cuzk_job_store b = join("b");
    job j;
    cuzk_err err = {0};
    const uint64_t n = first_number(&b);
    job_make(&j, n, false);
    j.record.claims = true;
    CHECK_OK(b.put(b.arg, &j.record, &err), &err);
    job_free(&j);
    CHECK_STATUS(b.shared->parts->open(b.arg, n, PARTS, NULL), CUZK_E_UNSUPPORTED);
    CHECK_U64(claim(&b, n + 100, 1, 0).job, 0);
    CHECK_STATUS(complete(&b, n), CUZK_OK);
    b.destroy(b.arg);
}

static const cuzk_case cases[] = {CASE(neighbours), CASE(the_dead_write_nothing),
                                  CASE(the_next_holder_goes_on), CASE(three_deaths),
                                  CASE(older_tables)};
TEST_MAIN("fleet/part_claims", cases)
