/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Partitions of one job for several daemons (cuzk_shared_parts), in table cuzk_part. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"

#include "pg_fleet.h"

#define PROOF_BYTES 192u
/* Fencing numbers below are of holders of jobs, the others of tasks. */
#define TASKS       "4294967296"

bool pg_has_parts(const pg_store *s)
{
    return s->fleet != NULL && atomic_load(&s->schema_version) >= PG_SCHEMA_PARTS;
}

typedef struct part_call {
    uint64_t job, fence, incarnation, n, partition, device_ms;
    const uint8_t *proof;
    bool is_holder, is_mine;
    PGresult *r; /* owned */
} part_call;

static cuzk_status fail_lease(const pg_store *s, const part_call *t, cuzk_err *err)
{
    return CUZK_FAIL(err, CUZK_E_EXISTS,
                     "job store %s: the lease on partitions of job %" PRIu64 " is lost", s->name,
                     t->job);
}

/* The job that a lease is for: of a task, another member's. */
static bool find_lease(pg_store *s, uint64_t number, part_call *t)
{
    pg_fleet *f = s->fleet;
    (void)pthread_mutex_lock(&f->mutex);
    const pg_lease *l = pg_lease_find(f, number);
    const bool is_held = l != NULL && !l->is_lost;
    if (is_held) {
        t->is_holder = l->job == 0;
        t->job = t->is_holder ? number : l->job;
        t->incarnation = l->incarnation;
        t->fence = l->fence;
    }
    (void)pthread_mutex_unlock(&f->mutex);
    return is_held;
}

static void use_parts(pg_fleet *f, uint64_t number)
{
    (void)pthread_mutex_lock(&f->mutex);
    pg_lease *l = pg_lease_find(f, number);
    f->uses_parts = true;
    if (l != NULL) {
        l->has_parts = true;
    }
    (void)pthread_mutex_unlock(&f->mutex);
}

/* --- the holder of the job --- */

static cuzk_status open_work(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err)
{
    /* what an earlier holder of the job has made stays: proofs, and what other members are proving */
    static const char sql[] =
        "WITH own AS (SELECT 1 FROM cuzk_job WHERE number = $1 AND member = $2 AND fence = $3"
        "  AND state < 2 FOR SHARE)"
        " INSERT INTO cuzk_part (number, part) SELECT $1, i"
        "  FROM generate_series(0::bigint, $4 - 1) AS i WHERE EXISTS (SELECT 1 FROM own)"
        " ON CONFLICT DO NOTHING";
    const part_call *t = arg;
    pg_params p = {.n = 0};
    (void)s;
    (void)is_again;
    pg_add_u64(&p, t->job);
    pg_add_u64(&p, t->incarnation);
    pg_add_u64(&p, t->fence);
    pg_add_u64(&p, t->n);
    return pg_exec(c, NULL, "open parts", sql, &p, err);
}

static cuzk_status open_parts(void *arg, uint64_t number, uint32_t n, cuzk_err *err)
{
    pg_store *s = arg;
    part_call t = {.n = n};
    if (!pg_has_parts(s)) {
        return CUZK_FAIL(err, CUZK_E_UNSUPPORTED,
                         "job store %s: its tables are those of older programs", s->name);
    }
    if (!find_lease(s, number, &t) || !t.is_holder) {
        t.job = number;
        return fail_lease(s, &t, err);
    }
    CUZK_TRY(pg_run(s, open_work, &t, err));
    use_parts(s->fleet, number);
    pg_fleet_notify(s);
    return CUZK_OK;
}

/* --- more of a job, and news of its partitions --- */

static cuzk_status take_more(pg_conn *c, const part_call *t, cuzk_err *err)
{
    /*
     * Partitions that nobody has; for the holder of the job also those of its earlier holders. The ones next to what
     * this member has go first.
     */
    static const char sql[] =
        "WITH me AS (SELECT incarnation FROM cuzk_member WHERE incarnation = $2 AND is_alive"
        "  AND lease_until > now() FOR SHARE),"
        " job AS (SELECT number FROM cuzk_job WHERE number = $1 AND state < 2 AND NOT cancel_asked"
        "  AND (NOT $5 OR (member = $2 AND fence = $3))),"
        " best AS (SELECT part FROM cuzk_part p WHERE number = $1 AND state < 2"
        "  AND ((state = 0 AND member IS NULL) OR ($5 AND fence < " TASKS " AND fence <> $3))"
        "  AND EXISTS (SELECT 1 FROM me) AND EXISTS (SELECT 1 FROM job)"
        "  ORDER BY (SELECT min(abs(q.part - p.part)) FROM cuzk_part q"
        "   WHERE q.number = $1 AND q.member = $2), part LIMIT $4 FOR UPDATE SKIP LOCKED)"
        " UPDATE cuzk_part SET member = $2, fence = $3, state = 1"
        " WHERE number = $1 AND part IN (SELECT part FROM best)";
    pg_params p = {.n = 0};
    pg_add_u64(&p, t->job);
    pg_add_u64(&p, t->incarnation);
    pg_add_u64(&p, t->fence);
    pg_add_u64(&p, t->n);
    pg_add_bool(&p, t->is_holder);
    return pg_exec(c, NULL, "take parts", sql, &p, err);
}

/* An answer that was lost is read again: what this member has is part of the news. */
static cuzk_status take_work(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err)
{
    static const char sql[] =
        "SELECT part, state, proof, error, device_ms FROM cuzk_part WHERE number = $1"
        " AND ((state = 1 AND member = $2 AND fence = $3) OR (state >= 2 AND $4)) ORDER BY part";
    part_call *t = arg;
    pg_params p = {.n = 0};
    (void)s;
    PQclear(t->r);
    t->r = NULL;
    if (t->n > 0 && !is_again) {
        CUZK_TRY(take_more(c, t, err));
    }
    pg_add_u64(&p, t->job);
    pg_add_u64(&p, t->incarnation);
    pg_add_u64(&p, t->fence);
    pg_add_bool(&p, t->is_holder);
    return pg_exec(c, &t->r, "take parts", sql, &p, err);
}

static void tell_news(const PGresult *r, void (*each)(void *each_arg, const cuzk_part_news *news),
                      void *each_arg)
{
    for (int i = 0; i < PQntuples(r); i++) {
        char error[256];
        const cuzk_bytes text = pg_bytes(r, i, 3);
        cuzk_part_news news = {.partition = (uint32_t)pg_u64(r, i, 0),
                               .what = CUZK_PART_TAKEN,
                               .proof = pg_bytes(r, i, 2),
                               .error = error,
                               .device_ms = pg_u64(r, i, 4)};
        (void)snprintf(error, sizeof(error), "%.*s", (int)text.size, (const char *)text.data);
        if (pg_u64(r, i, 1) == 2) {
            news.what = CUZK_PART_PROVED;
        } else if (pg_u64(r, i, 1) == 3) {
            news.what = CUZK_PART_SET_ASIDE;
        }
        if (news.what != CUZK_PART_PROVED || news.proof.size == PROOF_BYTES) {
            each(each_arg, &news);
        }
    }
}

static cuzk_status take(void *arg, uint64_t number, uint32_t n,
                        void (*each)(void *each_arg, const cuzk_part_news *news), void *each_arg,
                        cuzk_err *err)
{
    pg_store *s = arg;
    part_call t = {.n = n};
    if (!find_lease(s, number, &t)) {
        t.job = number;
        return fail_lease(s, &t, err);
    }
    CUZK_TRY(pg_run(s, take_work, &t, err));
    tell_news(t.r, each, each_arg);
    PQclear(t.r);
    return CUZK_OK;
}

/* --- other members --- */

typedef struct part_claim {
    uint64_t task, incarnation, n;
    const uint64_t *except;
    size_t n_except;
    char loaded[sizeof(((cuzk_queue_report *)0)->loaded)];
    PGresult *r; /* owned: number, part */
} part_claim;

static cuzk_status read_task(pg_conn *c, part_claim *t, cuzk_err *err)
{
    pg_params p = {.n = 0};
    PQclear(t->r);
    t->r = NULL;
    pg_add_u64(&p, t->incarnation);
    pg_add_u64(&p, t->task);
    return pg_exec(c, &t->r, "claim parts",
                   "SELECT number, part FROM cuzk_part WHERE member = $1 AND fence = $2"
                   " ORDER BY part",
                   &p, err);
}

static cuzk_status claim_work(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err)
{
    /* Of the first job by the order of claims. The holder takes the first partitions, others begin at the last one. */
    static const char sql[] =
        "WITH me AS (SELECT incarnation FROM cuzk_member WHERE incarnation = $1 AND is_alive"
        "  AND lease_until > now() FOR SHARE),"
        " first AS (SELECT j.number FROM cuzk_job j WHERE state = 1 AND member <> $1"
        "  AND NOT cancel_asked AND NOT number = ANY ($4) AND number IN"
        "   (SELECT number FROM cuzk_part WHERE state = 0 AND member IS NULL)"
        "  AND (input_place <> 2 OR EXISTS (SELECT 1 FROM cuzk_member k"
        "   WHERE k.name = j.input_keeper AND k.is_alive AND k.lease_until > now()))"
        "  ORDER BY class DESC, due_ms,"
        "   circuit <> '' AND position(' ' || circuit || ' ' IN $5) = 0, share_tag, accepted_at,"
        "   number LIMIT 1),"
        " best AS (SELECT p.number, p.part FROM cuzk_part p JOIN first USING (number)"
        "  WHERE p.state = 0 AND p.member IS NULL AND EXISTS (SELECT 1 FROM me)"
        "  ORDER BY p.part DESC LIMIT $3 FOR UPDATE OF p SKIP LOCKED)"
        " UPDATE cuzk_part p SET member = $1, fence = $2 FROM best"
        " WHERE p.number = best.number AND p.part = best.part RETURNING 1";
    part_claim *t = arg;
    char except[22 * (CUZK_CLAIM_EXCEPT + PG_LATER) + 3];
    pg_params p = {.n = 0};
    (void)s;
    if (is_again) { /* the answer of a claim may have been lost */
        CUZK_TRY(read_task(c, t, err));
        if (PQntuples(t->r) > 0) {
            return CUZK_OK;
        }
    }
    PQclear(t->r);
    t->r = NULL;
    pg_add_u64(&p, t->incarnation);
    pg_add_u64(&p, t->task);
    pg_add_u64(&p, t->n);
    pg_add_array(&p, t->except, t->n_except, except, sizeof(except));
    pg_add_text(&p, t->loaded);
    CUZK_TRY(pg_exec(c, &t->r, "claim parts", sql, &p, err));
    return PQntuples(t->r) > 0 ? read_task(c, t, err) : CUZK_OK;
}

typedef struct given {
    void (*each)(void *each_arg, const cuzk_job_record *job, const uint32_t *parts, size_t n);
    void *each_arg;
    uint32_t parts[CUZK_PARTS_MOST];
    size_t n;
} given;

static void give(void *arg, const cuzk_job_record *job)
{
    const given *g = arg;
    g->each(g->each_arg, job, g->parts, g->n);
}

/* Reads the job with its input and gives it away. */
static cuzk_status give_task(pg_store *s, const part_claim *t,
                             void (*each)(void *each_arg, const cuzk_job_record *job,
                                          const uint32_t *parts, size_t n),
                             void *each_arg, cuzk_err *err)
{
    given g = {.each = each, .each_arg = each_arg};
    const uint64_t job = pg_u64(t->r, 0, 0);
    for (int i = 0; i < PQntuples(t->r) && g.n < CUZK_PARTS_MOST; i++) {
        g.parts[g.n++] = (uint32_t)pg_u64(t->r, i, 1);
    }
    if (!pg_fleet_add_task(s, t->task, job, t->incarnation)) {
        return CUZK_FAIL(err, CUZK_E_NOMEM,
                         "no memory for a lease"); /* the next renewal releases it */
    }
    const cuzk_status st = pg_read_with_input(s, job, give, &g, err);
    if (st != CUZK_OK) {
        pg_fleet_put_off(s->fleet, job);
        cuzk_ignore(pg_part_release(s, t->task, NULL));
    }
    return st == CUZK_E_NOT_FOUND ? CUZK_OK : st; /* the job has ended */
}

static cuzk_status
claim(void *arg, uint64_t task, uint32_t n, const uint64_t *except, size_t n_except,
      void (*each)(void *each_arg, const cuzk_job_record *job, const uint32_t *parts, size_t n),
      void *each_arg, cuzk_err *err)
{
    pg_store *s = arg;
    uint64_t all[CUZK_CLAIM_EXCEPT + PG_LATER];
    part_claim t = {.task = task, .n = n, .except = all};
    t.incarnation = pg_fleet_may_start(s);
    if (t.incarnation == 0 || n == 0 || !pg_has_parts(s)) {
        return CUZK_OK;
    }
    t.n_except = pg_fleet_except(s->fleet, all, except, n_except, t.loaded);
    use_parts(s->fleet, task);
    pg_fleet_count_claim(s->fleet);
    cuzk_status st = pg_run(s, claim_work, &t, err);
    if (st == CUZK_OK && PQntuples(t.r) > 0) {
        st = give_task(s, &t, each, each_arg, err);
    }
    pg_fleet_count_claim(s->fleet);
    PQclear(t.r);
    return st;
}

static cuzk_status start_work(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err)
{
    part_call *t = arg;
    pg_params p = {.n = 0};
    (void)s;
    (void)is_again;
    pg_add_u64(&p, t->job);
    pg_add_u64(&p, t->incarnation);
    pg_add_u64(&p, t->fence);
    PQclear(t->r);
    t->r = NULL;
    return pg_exec(c, &t->r, "start parts",
                   "UPDATE cuzk_part SET state = 1 WHERE number = $1 AND member = $2"
                   " AND fence = $3 AND state < 2 RETURNING 1",
                   &p, err);
}

cuzk_status pg_part_start(pg_store *s, uint64_t task, cuzk_err *err)
{
    part_call t = {.job = task};
    if (!find_lease(s, task, &t)) {
        return fail_lease(s, &t, err);
    }
    CUZK_TRY(pg_run(s, start_work, &t, err));
    const bool is_mine = PQntuples(t.r) > 0;
    PQclear(t.r);
    return is_mine ? CUZK_OK : fail_lease(s, &t, err);
}

static cuzk_status release_work(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err)
{
    const part_call *t = arg;
    pg_params p = {.n = 0};
    (void)s;
    (void)is_again;
    pg_add_u64(&p, t->job);
    pg_add_u64(&p, t->incarnation);
    pg_add_u64(&p, t->fence);
    return pg_exec(c, NULL, "release parts",
                   "UPDATE cuzk_part SET member = NULL, state = 0 WHERE number = $1 AND member = $2"
                   " AND fence = $3 AND state < 2",
                   &p, err);
}

cuzk_status pg_part_release(pg_store *s, uint64_t task, cuzk_err *err)
{
    part_call t = {.job = task};
    const bool is_held = find_lease(s, task, &t);
    pg_fleet_drop_lease(s, task); /* when the statement fails, the next renewal releases it */
    if (is_held) {
        CUZK_TRY(pg_run(s, release_work, &t, err));
        pg_fleet_notify(s);
    }
    return CUZK_OK;
}

static cuzk_status write_work(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err)
{
    /* a commit whose answer was lost has written this same proof */
    static const char sql[] =
        "UPDATE cuzk_part SET state = 2, proof = $5, device_ms = $6 WHERE number = $1 AND part = $2"
        " AND member = $3 AND fence = $4 AND (state < 2 OR ($7 AND proof = $5)) RETURNING 1";
    part_call *t = arg;
    pg_params p = {.n = 0};
    PGresult *r = NULL;
    (void)s;
    pg_add_u64(&p, t->job);
    pg_add_u64(&p, t->partition);
    pg_add_u64(&p, t->incarnation);
    pg_add_u64(&p, t->fence);
    pg_add_bytes(&p, t->proof, PROOF_BYTES);
    pg_add_u64(&p, t->device_ms);
    pg_add_bool(&p, is_again);
    CUZK_TRY(pg_exec(c, &r, "write part", sql, &p, err));
    t->is_mine = PQntuples(r) == 1;
    PQclear(r);
    return CUZK_OK;
}

static cuzk_status write_part(void *arg, uint64_t task, uint32_t partition,
                              const uint8_t proof[192], uint64_t device_ms, cuzk_err *err)
{
    pg_store *s = arg;
    part_call t = {.job = task, .partition = partition, .proof = proof, .device_ms = device_ms};
    if (!find_lease(s, task, &t)) {
        return fail_lease(s, &t, err);
    }
    CUZK_TRY(pg_run(s, write_work, &t, err));
    if (!t.is_mine) {
        return fail_lease(s, &t, err);
    }
    pg_fleet_notify(s);
    return CUZK_OK;
}

/* --- the end of jobs and members --- */

static cuzk_status drop_work(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err)
{
    pg_params p = {.n = 0};
    (void)s;
    (void)is_again;
    pg_add_u64(&p, *(const uint64_t *)arg);
    return pg_exec(c, NULL, "drop parts", "DELETE FROM cuzk_part WHERE number = $1", &p, err);
}

void pg_part_drop(pg_store *s, uint64_t job)
{
    cuzk_ignore(pg_run(s, drop_work, &job, NULL)); /* else the next look of a member does it */
}

#define KILLS "p.state = 1 AND p.deaths + 1 >= $1"

cuzk_status pg_part_tidy(pg_store *s, pg_conn *c, cuzk_err *err)
{
    static const char dead[] =
        "UPDATE cuzk_part p SET member = NULL,"
        "  deaths = p.deaths + CASE WHEN p.state = 1 THEN 1 ELSE 0 END,"
        "  died_on = CASE WHEN p.state <> 1 THEN p.died_on"
        "   WHEN p.died_on = '' THEN m.name ELSE left(p.died_on || ', ' || m.name, 200) END,"
        "  state = CASE WHEN " KILLS " THEN 3 ELSE 0 END,"
        "  error = CASE WHEN " KILLS " THEN 'set aside: ' || $1 || ' daemons died or lost their'"
        "   || ' lease while they proved partition ' || p.part || ': '"
        "   || left(p.died_on || ', ' || m.name, 200) ELSE '' END"
        "  FROM cuzk_member m WHERE p.member = m.incarnation AND NOT m.is_alive AND p.state < 2";
    static const char over[] =
        "DELETE FROM cuzk_part p WHERE NOT EXISTS"
        " (SELECT 1 FROM cuzk_job j WHERE j.number = p.number AND state < 2)";
    pg_params p = {.n = 0};
    if (!pg_has_parts(s)) {
        return CUZK_OK;
    }
    pg_add_u64(&p, CUZK_FLEET_MAX_DEATHS);
    CUZK_TRY(pg_exec(c, NULL, "tidy", dead, &p, err));
    return pg_exec(c, NULL, "tidy", over, NULL, err);
}

cuzk_status pg_part_leave(pg_store *s, pg_conn *c, uint64_t incarnation, cuzk_err *err)
{
    pg_params p = {.n = 0};
    if (!pg_has_parts(s)) {
        return CUZK_OK;
    }
    pg_add_u64(&p, incarnation);
    return pg_exec(c, NULL, "leave",
                   "UPDATE cuzk_part SET member = NULL, state = 0 WHERE member = $1 AND state < 2",
                   &p, err);
}

cuzk_status pg_part_held(pg_conn *c, uint64_t incarnation, PGresult **out, cuzk_err *err)
{
    /* a task is there as long as a row names it, a proved one too */
    pg_params p = {.n = 0};
    pg_add_u64(&p, incarnation);
    return pg_exec(c, out, "renew",
                   "SELECT fence, bool_or(state < 2) FROM cuzk_part WHERE member = $1"
                   " AND fence >= " TASKS " GROUP BY fence",
                   &p, err);
}

cuzk_status pg_part_release_unknown(pg_conn *c, uint64_t incarnation, uint64_t task, cuzk_err *err)
{
    pg_params p = {.n = 0};
    pg_add_u64(&p, incarnation);
    pg_add_u64(&p, task);
    return pg_exec(c, NULL, "release parts",
                   "UPDATE cuzk_part SET member = NULL, state = 0 WHERE member = $1 AND fence = $2"
                   " AND state < 2",
                   &p, err);
}

const cuzk_shared_parts pg_shared_parts = {
    .open = open_parts, .take = take, .claim = claim, .write = write_part};
