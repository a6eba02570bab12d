/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Accepting a job: its input first, then its row, in one transaction where both are in the database. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "sched/priority.h"

#include "pg_folder.h"

#define COUNT_NS 1000000000u /* how long a count of the inputs is good */

typedef struct putting {
    const cuzk_job_record *j;
    pg_input in;
    pg_kept kept;     /* owned */
    uint64_t claimer; /* the member that has the job at once; 0: none */
    uint64_t equal;   /* a job of the same input; 0: none */
    bool is_claimed, is_over_quota;
    int64_t need_ms; /* until the job could have ended; 0: not known */
} putting;

/* $1 to $28, then the first part of the input. */
static void add_job(pg_params *p, const putting *t, char text[PG_ERROR_BYTES])
{
    const cuzk_job_record *j = t->j;
    const cuzk_job_request *r = &j->request;
    pg_add_u64(p, j->number);
    pg_add_text(p, j->job_id);
    pg_add_bytes(p, r->request_id.data, r->request_id.size);
    pg_add_bytes(p, r->owner.data, r->owner.size);
    pg_add_u64(p, (uint64_t)r->kind);
    pg_add_u64(p, r->priority);
    pg_add_u64(p, r->sector_size);
    pg_add_u64(p, r->registered_proof);
    pg_add_u64(p, r->sector_number);
    pg_add_u64(p, r->miner_id);
    pg_add_u64(p, r->partition_index);
    pg_add_bytes(p, j->content, sizeof(j->content));
    pg_add_u64(p, (uint64_t)j->accepted_unix_ms);
    pg_add_u64(p, (uint64_t)j->deadline_unix_ms);
    pg_add_bool(p, j->cancel_when_unwatched);
    pg_add_u64(p, j->class_base == 0 ? CUZK_PRIORITY_NORMAL : j->class_base);
    pg_add_u64(p, j->deadline_unix_ms == 0 ? INT64_MAX : (uint64_t)j->deadline_unix_ms);
    pg_add_outcome(p, j, text);
    pg_add_u64(p, t->in.bytes);
    pg_add_bytes(p, t->in.digest, sizeof(t->in.digest));
}

/* $33 to $40 */
static void add_kept(pg_params *p, const putting *t)
{
    pg_add_u64(p, t->in.form);
    pg_add_u64(p, t->in.place);
    pg_add_text(p, t->in.keeper);
    pg_add_u64(p, t->in.kept_bytes);
    pg_add_bytes(p, t->in.kept_digest, sizeof(t->in.kept_digest));
    pg_add_text(p, t->j->circuit);
    pg_add_bool(p, t->j->is_privileged);
}

/* Before the row: its statement locks what other jobs of the client wait for. */
static cuzk_status put_other_parts(pg_conn *c, const putting *t, cuzk_err *err)
{
    for (uint64_t part = 1; part < t->kept.n_parts; part++) {
        const cuzk_bytes b = pg_kept_part(&t->kept, part);
        pg_params p = {.n = 0};
        pg_add_u64(&p, t->j->number);
        pg_add_u64(&p, part);
        pg_add_bytes(&p, b.data, b.size);
        CUZK_TRY(pg_exec(c, NULL, "put", "INSERT INTO cuzk_input VALUES ($1, $2, $3)", &p, err));
    }
    return CUZK_OK;
}

/* A commit whose answer was lost: is the row there, and is it this job's? */
static bool is_put(pg_conn *c, putting *t)
{
    PGresult *r = NULL;
    pg_params p = {.n = 0};
    pg_add_u64(&p, t->j->number);
    pg_add_bytes(&p, t->j->content, sizeof(t->j->content));
    pg_add_bytes(&p, t->in.digest, sizeof(t->in.digest));
    pg_add_text(&p, t->j->job_id);
    const cuzk_status st = pg_exec(c, &r, "put",
                                   "SELECT member FROM cuzk_job WHERE number = $1 AND content = $2"
                                   " AND input_digest = $3 AND job_id = $4",
                                   &p, NULL);
    const bool is_there = st == CUZK_OK && PQntuples(r) == 1;
    t->is_claimed = is_there && t->claimer != 0 && pg_u64(r, 0, 0) == t->claimer;
    PQclear(r);
    return is_there;
}

/* The clock of the shares: the newest tag that is being proved, else the oldest one that waits. */
#define SHARE_CLOCK                                                                          \
    "coalesce((SELECT max(share_tag) FROM cuzk_job WHERE member IS NOT NULL AND state < 2)," \
    " (SELECT min(share_tag) FROM cuzk_job WHERE state = 0 AND member IS NULL),"             \
    " (SELECT max(next_tag) FROM cuzk_client), 0)"

static cuzk_status insert_job(pg_store *s, pg_conn *c, putting *t, cuzk_err *err)
{
    /*
     * One statement is one transaction; a job of one part needs no other. A client whose quota is used up gives cl
     * no row, so that j inserts nothing. A job costs the mean time of its circuit, or a second.
     */
    static const char sql[] =
        "WITH me AS (SELECT incarnation FROM cuzk_member WHERE incarnation = $32 AND is_alive"
        "  AND lease_until > now() FOR SHARE),"
        " cost AS (SELECT coalesce((SELECT avg(ms)::bigint FROM cuzk_pace WHERE circuit = $38), 1000)"
        "  AS ms),"
        " cl AS (INSERT INTO cuzk_client AS c (name, next_tag)"
        "  SELECT $4, " SHARE_CLOCK " + ms FROM cost WHERE $31 = 1"
        "  ON CONFLICT (name) DO UPDATE SET next_tag = greatest(c.next_tag, " SHARE_CLOCK ")"
        "   + (SELECT ms FROM cost) * 100 / greatest(c.weight, 1)"
        "  WHERE $39 OR c.max_jobs = 0 OR c.max_jobs >"
        "   (SELECT count(*) FROM cuzk_job q WHERE q.owner = $4 AND q.state < 2)"
        "  RETURNING next_tag - (SELECT ms FROM cost) * 100 / greatest(weight, 1) AS tag),"
        " j AS (INSERT INTO cuzk_job (number, job_id, request_id, owner, kind, priority,"
        "  sector_size, registered_proof, sector_number, miner_id, partition_index, content,"
        "  accepted_ms, deadline_ms, cancel_when_unwatched, class, due_ms, state, ended_ms, code,"
        "  error, proof, queue_wait_ms, srs_load_ms, synthesis_ms, gpu_compute_ms, total_ms,"
        "  input_bytes, input_digest, member, fence, claimed_at, input_form, input_place,"
        "  input_keeper, kept_bytes, kept_digest, circuit, share_tag)"
        "  SELECT $1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19,$20,$21,"
        "  $22,$23,$24,$25,$26,$27,$28,$29, (SELECT incarnation FROM me),"
        "  (SELECT count(*) FROM me), (SELECT now() FROM me), $33,$34,$35,$36,$37,$38,"
        "  coalesce((SELECT tag FROM cl), 0)"
        "  WHERE $31 = 0 OR EXISTS (SELECT 1 FROM cl) RETURNING number, member),"
        " n AS (UPDATE cuzk_meta SET value = greatest(value, $1 + 1)"
        "  WHERE name = 'next_number' AND $31 = 0)," /* a fleet's numbers are the members' */
        " i AS (INSERT INTO cuzk_input SELECT number, 0, $30 FROM j WHERE $34 = 0)"
        " SELECT member FROM j";
    char text[PG_ERROR_BYTES];
    pg_params p = {.n = 0};
    PGresult *r = NULL;
    const bool is_here = t->in.place == PG_PLACE_DATABASE;
    const cuzk_bytes first = is_here ? pg_kept_part(&t->kept, 0) : (cuzk_bytes){NULL, 0};
    add_job(&p, t, text);
    pg_add_bytes(&p, first.data, first.size);
    pg_add_u64(&p, s->fleet != NULL ? 1 : 0);
    pg_add_u64(&p, t->claimer);
    add_kept(&p, t);
    cuzk_status st = pg_exec(c, &r, "put", sql, &p, err);
    t->is_claimed = st == CUZK_OK && t->claimer != 0 && pg_u64(r, 0, 0) == t->claimer;
    t->is_over_quota = st == CUZK_OK && PQntuples(r) == 0;
    PQclear(r);
    if (st == CUZK_E_EXISTS) {
        st = CUZK_FAIL(err, CUZK_E_EXISTS,
                       "job store %s: has a job %" PRIu64 " already, or one that is equal", s->name,
                       t->j->number);
    }
    return st;
}

static cuzk_status put_work(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err)
{
    putting *t = arg;
    const bool is_long = t->in.place == PG_PLACE_DATABASE && t->kept.n_parts > 1;
    if (is_again && is_put(c, t)) {
        return CUZK_OK;
    }
    if (is_long) {
        CUZK_TRY(pg_exec(c, NULL, "put", "BEGIN", NULL, err));
        CUZK_TRY(put_other_parts(c, t, err));
    }
    CUZK_TRY(insert_job(s, c, t, err));
    if (is_long) {
        CUZK_TRY(pg_exec(c, NULL, "put", t->is_over_quota ? "ROLLBACK" : "COMMIT", NULL, err));
    }
    return CUZK_OK;
}

/*
 * Can the fleet make the job before its deadline? What goes before it, over the places of all members, and then the
 * job itself at the fastest one. Unknown, and so yes, before the first such job has been proved. No row: yes.
 */
static cuzk_status admit_work(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err)
{
    static const char sql[] =
        "WITH m AS (SELECT name, places FROM cuzk_member WHERE is_alive AND NOT is_draining"
        "  AND lease_until > now()),"
        " pace AS (SELECT circuit, avg(ms) AS ms FROM cuzk_pace WHERE member IN (SELECT name FROM m)"
        "  GROUP BY circuit),"
        " own AS (SELECT min(ms) AS ms FROM cuzk_pace WHERE circuit = $1"
        "  AND member IN (SELECT name FROM m)),"
        " ahead AS (SELECT coalesce(sum(p.ms * CASE WHEN j.state = 1 THEN 0.5 ELSE 1 END), 0) AS ms"
        "  FROM cuzk_job j JOIN pace p USING (circuit) WHERE j.state < 2 AND (j.member IS NOT NULL"
        "  OR j.class > $2 OR (j.class = $2 AND j.due_ms <= $3)))"
        " SELECT (own.ms + ahead.ms / (SELECT sum(places) FROM m))::bigint FROM own, ahead"
        " WHERE own.ms IS NOT NULL AND (SELECT sum(places) FROM m) > 0";
    putting *t = arg;
    pg_params p = {.n = 0};
    PGresult *r = NULL;
    (void)is_again;
    pg_add_text(&p, t->j->circuit);
    pg_add_u64(&p, t->j->class_base == 0 ? CUZK_PRIORITY_NORMAL : t->j->class_base);
    pg_add_u64(&p, (uint64_t)pg_clock_to_database(s, t->j->deadline_unix_ms));
    CUZK_TRY(pg_exec(c, &r, "admit", sql, &p, err));
    t->need_ms = PQntuples(r) == 1 ? (int64_t)pg_u64(r, 0, 0) : 0;
    PQclear(r);
    return CUZK_OK;
}

/* WinningPoSt is always tried. */
static cuzk_status admit(pg_store *s, putting *t, cuzk_err *err)
{
    if (s->fleet == NULL || t->j->deadline_unix_ms == 0 || t->j->is_privileged ||
        t->j->circuit == NULL || t->j->circuit[0] == '\0') {
        return CUZK_OK;
    }
    CUZK_TRY(pg_run(s, admit_work, t, err));
    const int64_t left = t->j->deadline_unix_ms - pg_clock_now_ms();
    if (t->need_ms <= left) {
        return CUZK_OK;
    }
    return CUZK_FAIL(err, CUZK_E_BUDGET,
                     "deadline: the fleet needs about %" PRId64
                     " ms for the jobs before this one and for it, %" PRId64 " ms are left",
                     t->need_ms, left > 0 ? left : 0);
}

typedef struct counted {
    uint64_t bytes, jobs;
} counted;

static cuzk_status count_work(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err)
{
    PGresult *r = NULL;
    (void)s;
    (void)is_again;
    CUZK_TRY(pg_exec(c, &r, "count",
                     "SELECT coalesce(sum(" PG_KEPT_BYTES "), 0)::bigint, count(*)"
                     " FROM cuzk_job WHERE state < 2",
                     NULL, err));
    counted *t = arg;
    t->bytes = pg_u64(r, 0, 0);
    t->jobs = pg_u64(r, 0, 1);
    PQclear(r);
    return CUZK_OK;
}

/* Books the bytes of an input before they are sent. */
static cuzk_status reserve(pg_store *s, uint64_t bytes, bool is_privileged, cuzk_err *err)
{
    const uint64_t now = cuzk_clock_ns();
    counted t = {0, 0};
    (void)pthread_mutex_lock(&s->mutex);
    const bool is_old = s->counted_ns == 0 || now - s->counted_ns > COUNT_NS;
    (void)pthread_mutex_unlock(&s->mutex);
    if (is_old) {
        CUZK_TRY(pg_run(s, count_work, &t, err));
    }
    (void)pthread_mutex_lock(&s->mutex);
    if (is_old) {
        s->input_bytes = t.bytes + s->putting_bytes;
        s->n_jobs = t.jobs;
        s->counted_ns = now;
    }
    const uint64_t limit = is_privileged ? s->max_bytes : s->max_bytes - s->max_bytes / 32;
    const uint64_t used = s->input_bytes;
    const bool is_full = s->max_jobs != 0 && s->n_jobs >= s->max_jobs && !is_privileged;
    const bool fits = used <= limit && bytes <= limit - used && !is_full;
    s->input_bytes += fits ? bytes : 0;
    s->putting_bytes += fits ? bytes : 0;
    s->n_jobs += fits ? 1 : 0;
    (void)pthread_mutex_unlock(&s->mutex);
    if (is_full) {
        return CUZK_FAIL(err, CUZK_E_BUDGET,
                         "job store %s: %" PRIu64 " jobs wait or run, the most allowed: try later",
                         s->name, s->max_jobs);
    }
    if (!fits) {
        return CUZK_FAIL(err, CUZK_E_BUDGET,
                         "job store %s: full: %" PRIu64 " of %" PRIu64
                         " bytes are used, the job needs %" PRIu64,
                         s->name, used, limit, bytes);
    }
    return CUZK_OK;
}

void pg_book_back(pg_store *s, uint64_t bytes)
{
    (void)pthread_mutex_lock(&s->mutex);
    s->input_bytes -= bytes < s->input_bytes ? bytes : s->input_bytes;
    s->n_jobs -= s->n_jobs > 0 ? 1 : 0;
    (void)pthread_mutex_unlock(&s->mutex);
}

/* Where and how the input is kept: as every program on the queue can read it. */
static void choose_place(const pg_store *s, pg_input *in)
{
    const bool packs = atomic_load(&s->schema_version) >= PG_SCHEMA_PACKED;
    in->form = packs ? PG_FORM_PACKED : PG_FORM_PLAIN;
    in->place = packs ? s->place : PG_PLACE_DATABASE;
    if (in->place == PG_PLACE_KEEPER) {
        (void)snprintf(in->keeper, sizeof(in->keeper), "%s", pg_fleet_name(s));
    }
}

/* A job that is not over and has the same input in the same folder; 0: none. */
static cuzk_status equal_work(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err)
{
    putting *t = arg;
    pg_params p = {.n = 0};
    PGresult *r = NULL;
    (void)s;
    (void)is_again;
    pg_add_bytes(&p, t->j->content, sizeof(t->j->content));
    pg_add_bytes(&p, t->in.kept_digest, sizeof(t->in.kept_digest));
    pg_add_u64(&p, t->in.place);
    pg_add_text(&p, t->in.keeper);
    CUZK_TRY(pg_exec(c, &r, "put",
                     "SELECT number FROM cuzk_job WHERE content = $1 AND kept_digest = $2"
                     " AND input_place = $3 AND input_keeper = $4 AND state < 2 LIMIT 1",
                     &p, err));
    t->equal = PQntuples(r) == 1 ? pg_u64(r, 0, 0) : 0;
    PQclear(r);
    return CUZK_OK;
}

/* Equal inputs of several jobs are one file. */
static cuzk_status put_file(pg_store *s, putting *t, cuzk_err *err)
{
    CUZK_TRY(pg_run(s, equal_work, t, err));
    if (t->equal != 0 && pg_folder_share(s, t->j->number, &t->in, t->equal)) {
        return CUZK_OK;
    }
    return pg_folder_write(s, t->j->number, &t->in, &t->kept, err);
}

static cuzk_status put_input(pg_store *s, putting *t, cuzk_err *err)
{
    const cuzk_job_record *j = t->j;
    const bool has_file = t->in.place != PG_PLACE_DATABASE;
    if (has_file) {
        CUZK_TRY(put_file(s, t, err));
    }
    t->claimer = s->fleet != NULL && j->claims ? pg_fleet_may_start(s) : 0;
    cuzk_status st = pg_run(s, put_work, t, err);
    if (st == CUZK_OK && t->is_over_quota) {
        st = CUZK_FAIL(err, CUZK_E_BUDGET,
                       "client \"%.*s\": has as many jobs as its quota allows: try later",
                       (int)j->request.owner.size, (const char *)j->request.owner.data);
    }
    if (has_file && (st == CUZK_E_BUDGET || st == CUZK_E_EXISTS)) { /* else the row may be there */
        pg_folder_remove(s, j->number, t->in.kept_digest);
    }
    return st;
}

/* What is made takes memory that the daemon has set aside. */
static cuzk_status make_input(pg_store *s, putting *t, cuzk_err *err)
{
    const bool is_urgent = t->j->is_privileged;
    const uint64_t most = store_input_bytes(&t->j->request);
    pack_room_take(&s->pack_room, most, is_urgent);
    const cuzk_status st = pg_input_make(&t->in, &t->kept, &t->j->request, err);
    pack_room_shrink(&s->pack_room, most, t->kept.bytes, is_urgent);
    return st;
}

static void drop_input(pg_store *s, putting *t)
{
    pack_room_give(&s->pack_room, t->kept.bytes);
    pg_kept_free(&t->kept);
}

cuzk_status pg_put(void *arg, const cuzk_job_record *j, cuzk_err *err)
{
    pg_store *s = arg;
    putting t = {.j = j};
    cuzk_job_record row = *j;
    row.accepted_unix_ms = pg_clock_to_database(s, j->accepted_unix_ms);
    row.deadline_unix_ms = pg_clock_to_database(s, j->deadline_unix_ms);
    choose_place(s, &t.in);
    CUZK_TRY(admit(s, &t, err));
    t.j = &row;
    cuzk_status st = make_input(s, &t, err);
    const uint64_t bytes = t.in.kept_bytes;
    if (st == CUZK_OK) {
        st = reserve(s, bytes, j->is_privileged, err);
    }
    if (st != CUZK_OK) {
        drop_input(s, &t);
        return st;
    }
    st = put_input(s, &t, err);
    drop_input(s, &t);
    const bool is_held =
        st == CUZK_OK && t.is_claimed && pg_fleet_add_lease(s, j->number, t.claimer, 1);
    if (st == CUZK_OK && s->fleet != NULL && !is_held) {
        pg_fleet_notify(s);
    }
    (void)pthread_mutex_lock(&s->mutex);
    s->putting_bytes -= bytes;
    (void)pthread_mutex_unlock(&s->mutex);
    if (st != CUZK_OK) {
        pg_book_back(s, bytes);
    }
    return st;
}
