/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What a member writes about itself and about others. Each is one statement, or a row of statements of which
 * any may be the last one: what is left undone is done by the next member that tidies. */
#include <inttypes.h>
#include <string.h>

#include "store/pg/pg_folder.h"

#include "pg_fleet.h"

#define MAX_NAMED 8 /* dead members and jobs that one look names in the log */

cuzk_status pg_join(pg_store *s, pg_conn *c, void *joining, bool is_again, cuzk_err *err)
{
    /* The newest daemon of a name stays: it is the one that was started again. */
    static const char sql[] =
        "WITH i AS (UPDATE cuzk_meta SET value = value + 1 WHERE name = 'next_incarnation'"
        "  RETURNING value - 1 AS n),"
        " old AS (UPDATE cuzk_member SET is_alive = false, end_reason = 'replaced'"
        "  WHERE name = $1 AND is_alive)"
        " INSERT INTO cuzk_member (incarnation, name, address, version, lease_until, reads)"
        " SELECT n, $1, $2, $3, now() + $4 * interval '1 millisecond', $5 FROM i"
        " RETURNING incarnation";
    pg_joining *t = joining;
    pg_params p = {.n = 0};
    PGresult *r = NULL;
    (void)is_again;
    pg_add_text(&p, t->f->name);
    pg_add_text(&p, t->f->address);
    pg_add_text(&p, t->f->version);
    pg_add_u64(&p, t->f->lease_ms);
    pg_add_u64(&p, PG_SCHEMA_VERSION);
    CUZK_TRY(pg_exec(c, &r, "join", sql, &p, err));
    t->incarnation = PQntuples(r) == 1 ? pg_u64(r, 0, 0) : 0;
    PQclear(r);
    if (t->incarnation == 0) {
        c->fault = PG_FAULT_OTHER;
        return CUZK_FAIL(err, CUZK_E_IO, "job store %s: join: cuzk_meta has no next_incarnation",
                         s->name);
    }
    return CUZK_OK;
}

cuzk_status pg_renew(pg_store *s, pg_conn *c, void *renewal, bool is_again, cuzk_err *err)
{
    static const char sql[] =
        "WITH r AS (UPDATE cuzk_member SET heard_at = now(), is_draining = $3, completed = $4,"
        "  failed = $5, places = $6, devices = $7, healthy = $8, loaded = $9,"
        "  lease_until = now() + $2 * interval '1 millisecond'"
        "  WHERE incarnation = $1 AND is_alive RETURNING 1)"
        " SELECT j.number, j.fence, j.cancel_asked, (SELECT count(*) FROM r),"
        "  (SELECT end_reason = 'replaced' FROM cuzk_member WHERE incarnation = $1),"
        "  (extract(epoch FROM now()) * 1000)::bigint"
        " FROM (VALUES (1)) AS one LEFT JOIN cuzk_job j ON j.member = $1 AND j.state < 2";
    pg_renewal *t = renewal;
    pg_fleet *f = t->f;
    pg_params p = {.n = 0};
    (void)is_again;
    (void)pthread_mutex_lock(&f->mutex);
    pg_add_u64(&p, t->incarnation);
    pg_add_u64(&p, f->lease_ms);
    pg_add_bool(&p, f->is_draining);
    pg_add_u64(&p, f->completed);
    pg_add_u64(&p, f->failed);
    const cuzk_queue_report report = f->report;
    (void)pthread_mutex_unlock(&f->mutex);
    pg_add_u64(&p, report.places);
    pg_add_u64(&p, report.devices);
    pg_add_u64(&p, report.healthy);
    pg_add_text(&p, report.loaded);
    PQclear(t->jobs);
    PQclear(t->tasks);
    t->tasks = NULL;
    const int64_t asked = pg_clock_now_ms();
    CUZK_TRY(pg_exec(c, &t->jobs, "renew", sql, &p, err));
    if (PQntuples(t->jobs) > 0) {
        pg_clock_take(s, asked, pg_clock_now_ms(), (int64_t)pg_u64(t->jobs, 0, 5));
    }
    if (t->with_tasks) {
        CUZK_TRY(pg_part_held(c, t->incarnation, &t->tasks, err));
    }
    t->is_alive = PQntuples(t->jobs) > 0 && pg_u64(t->jobs, 0, 3) == 1;
    t->is_replaced = !t->is_alive && PQntuples(t->jobs) > 0 && pg_bool(t->jobs, 0, 4);
    return CUZK_OK;
}

static cuzk_status declare_dead(pg_conn *c, const pg_fleet *f, uint64_t incarnation, cuzk_err *err)
{
    /* only while this member's own lease holds */
    static const char sql[] =
        "UPDATE cuzk_member m SET is_alive = false, end_reason = 'lease lost'"
        " WHERE is_alive AND lease_until < now() AND incarnation <> $1 AND EXISTS"
        " (SELECT 1 FROM cuzk_member WHERE incarnation = $1 AND is_alive AND lease_until > now())"
        " RETURNING name";
    pg_params p = {.n = 0};
    PGresult *r = NULL;
    pg_add_u64(&p, incarnation);
    CUZK_TRY(pg_exec(c, &r, "tidy", sql, &p, err));
    for (int i = 0; i < PQntuples(r) && i < MAX_NAMED; i++) {
        char text[CUZK_PG_MEMBER_NAME_BYTES];
        const cuzk_bytes name = pg_bytes(r, i, 0);
        (void)snprintf(text, sizeof(text), "%.*s", (int)name.size, (const char *)name.data);
        pg_fleet_event(f, 1, "fleet.member_dead", text);
    }
    PQclear(r);
    return CUZK_OK;
}

#define KILLS "j.state = 1 AND j.deaths + 1 >= $1"

cuzk_status pg_free_dead(pg_store *s, pg_conn *c, void *fleet, bool is_again, cuzk_err *err)
{
    static const char sql[] =
        "WITH freed AS (UPDATE cuzk_job j SET member = NULL,"
        "  deaths = j.deaths + CASE WHEN j.state = 1 THEN 1 ELSE 0 END,"
        "  died_on = CASE WHEN j.state <> 1 THEN j.died_on"
        "   WHEN j.died_on = '' THEN m.name ELSE left(j.died_on || ', ' || m.name, 400) END,"
        "  state = CASE WHEN " KILLS " THEN 3 ELSE 0 END,"
        "  code = CASE WHEN " KILLS " THEN $2 ELSE j.code END,"
        "  ended_ms = CASE WHEN " KILLS " THEN (extract(epoch FROM now()) * 1000)::bigint"
        "   ELSE j.ended_ms END,"
        "  error = CASE WHEN " KILLS " THEN 'environment: set aside: ' || $1 || ' daemons died or'"
        "   || ' lost their lease while they proved it: ' || left(j.died_on || ', ' || m.name, 400)"
        "   ELSE j.error END"
        "  FROM cuzk_member m WHERE j.member = m.incarnation AND NOT m.is_alive AND j.state < 2"
        "  RETURNING j.number, j.state, j.job_id, j.error),"
        " d AS (DELETE FROM cuzk_input WHERE number IN (SELECT number FROM freed WHERE state = 3))"
        " SELECT job_id, error FROM freed WHERE state = 3";
    const pg_fleet *f = fleet;
    pg_params p = {.n = 0};
    PGresult *r = NULL;
    (void)is_again;
    pg_add_u64(&p, CUZK_FLEET_MAX_DEATHS);
    pg_add_u64(&p, (uint64_t)(int64_t)CUZK_E_IO);
    CUZK_TRY(pg_exec(c, &r, "tidy", sql, &p, err));
    for (int i = 0; i < PQntuples(r) && i < MAX_NAMED; i++) {
        char text[CUZK_JOB_ID_BYTES + 600];
        const cuzk_bytes id = pg_bytes(r, i, 0), why = pg_bytes(r, i, 1);
        (void)snprintf(text, sizeof(text), "%.*s: %.*s", (int)id.size, (const char *)id.data,
                       (int)why.size, (const char *)why.data);
        pg_fleet_event(f, 0, "fleet.set_aside", text);
    }
    PQclear(r);
    return pg_part_tidy(s, c, err);
}

cuzk_status pg_tidy(pg_store *s, pg_conn *c, void *fleet, bool is_again, cuzk_err *err)
{
    static const char age[] =
        "UPDATE cuzk_job SET class = class + 1, class_at = now() WHERE state = 0 AND member IS NULL"
        " AND class < 3 AND class_at < now() - $1 * interval '1 millisecond'";
    static const char forget[] =
        "DELETE FROM cuzk_member m WHERE NOT is_alive AND heard_at < now() - interval '1 day'"
        " AND NOT EXISTS (SELECT 1 FROM cuzk_job j WHERE j.member = m.incarnation AND j.state < 2)";
    pg_fleet *f = fleet;
    pg_params p = {.n = 0};
    (void)pthread_mutex_lock(&f->mutex);
    const uint64_t incarnation = f->incarnation;
    (void)pthread_mutex_unlock(&f->mutex);
    CUZK_TRY(declare_dead(c, f, incarnation, err));
    CUZK_TRY(pg_free_dead(s, c, fleet, is_again, err));
    pg_add_u64(&p, f->age_ms);
    CUZK_TRY(pg_exec(c, NULL, "tidy", age, &p, err));
    CUZK_TRY(pg_exec(c, NULL, "tidy", forget, NULL, err));
    if (atomic_load(&s->schema_version) <
        PG_SCHEMA_VERSION) { /* the last old program may have gone */
        CUZK_TRY(pg_migrate(s, c, NULL, is_again, err));
    }
    return pg_folder_sweep(s, c, NULL, is_again, err);
}

cuzk_status pg_leave(pg_store *s, pg_conn *c, void *fleet, bool is_again, cuzk_err *err)
{
    static const char sql[] =
        "WITH f AS (UPDATE cuzk_job SET member = NULL, state = 0 WHERE member = $1 AND state < 2)"
        " UPDATE cuzk_member SET is_alive = false, end_reason = 'left', heard_at = now(),"
        " completed = $2, failed = $3 WHERE incarnation = $1 AND is_alive";
    pg_fleet *f = fleet;
    pg_params p = {.n = 0};
    (void)is_again;
    (void)pthread_mutex_lock(&f->mutex);
    const uint64_t incarnation = f->incarnation;
    pg_add_u64(&p, incarnation);
    pg_add_u64(&p, f->completed);
    pg_add_u64(&p, f->failed);
    (void)pthread_mutex_unlock(&f->mutex);
    CUZK_TRY(pg_part_leave(s, c, incarnation, err));
    return pg_exec(c, NULL, "leave", sql, &p, err);
}
