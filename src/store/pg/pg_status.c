/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "store/pg/pg_status.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text/utf8.h"

#include "pg_internal.h"

static void copy_text(char *out, size_t cap, const PGresult *r, int row, int column)
{
    const cuzk_bytes b = pg_bytes(r, row, column);
    (void)cuzk_utf8_clean(out, cap, (const char *)b.data, b.size);
}

static cuzk_status read_members(cuzk_pg_fleet_status *out, pg_conn *c, cuzk_err *err)
{
    static const char sql[] =
        "SELECT name, address, version, end_reason, is_alive, is_draining,"
        " is_alive AND lease_until < now(),"
        " (greatest(extract(epoch FROM now() - heard_at), 0) * 1000)::bigint,"
        " count(j.number) FILTER (WHERE j.state = 0), count(j.number) FILTER (WHERE j.state = 1),"
        " completed, failed, places, devices, healthy, loaded"
        " FROM cuzk_member m LEFT JOIN cuzk_job j ON j.member = m.incarnation AND j.state < 2"
        " WHERE is_alive OR heard_at > now() - interval '1 hour'"
        " GROUP BY m.incarnation ORDER BY is_alive DESC, name, m.incarnation DESC";
    PGresult *r = NULL;
    CUZK_TRY(pg_exec(c, &r, "status", sql, NULL, err));
    const size_t n = (size_t)PQntuples(r);
    out->members = cuzk_alloc_zero(n, sizeof(*out->members));
    if (out->members == NULL) {
        PQclear(r);
        c->fault = PG_FAULT_OTHER;
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for %zu members", n);
    }
    out->n_members = n;
    for (size_t i = 0; i < n; i++) {
        cuzk_pg_member_status *m = &out->members[i];
        const int row = (int)i;
        copy_text(m->name, sizeof(m->name), r, row, 0);
        copy_text(m->address, sizeof(m->address), r, row, 1);
        copy_text(m->version, sizeof(m->version), r, row, 2);
        copy_text(m->end_reason, sizeof(m->end_reason), r, row, 3);
        m->is_alive = pg_bool(r, row, 4);
        m->is_draining = pg_bool(r, row, 5);
        m->is_late = pg_bool(r, row, 6);
        m->heard_ms = pg_u64(r, row, 7);
        m->n_claimed = pg_u64(r, row, 8);
        m->n_running = pg_u64(r, row, 9);
        m->completed = pg_u64(r, row, 10);
        m->failed = pg_u64(r, row, 11);
        m->places = pg_u64(r, row, 12);
        m->devices = pg_u64(r, row, 13);
        m->healthy = pg_u64(r, row, 14);
        copy_text(m->loaded, sizeof(m->loaded), r, row, 15);
    }
    PQclear(r);
    return CUZK_OK;
}

static cuzk_status read_queue(cuzk_pg_fleet_status *out, pg_conn *c, cuzk_err *err)
{
    static const char sql[] =
        "SELECT count(*) FILTER (WHERE state = 0 AND member IS NULL),"
        " count(*) FILTER (WHERE state = 0 AND member IS NOT NULL),"
        " count(*) FILTER (WHERE state = 1), count(*) FILTER (WHERE state = 2),"
        " count(*) FILTER (WHERE state = 3), count(*) FILTER (WHERE state = 4),"
        " count(*) FILTER (WHERE state = 3 AND deaths >= 3),"
        " coalesce(max((extract(epoch FROM now() - accepted_at) * 1000)::bigint)"
        "  FILTER (WHERE state = 0 AND member IS NULL), 0),"
        " coalesce(sum(" PG_KEPT_BYTES ") FILTER (WHERE state < 2), 0)::bigint,"
        " (SELECT version FROM cuzk_schema WHERE id = 1),"
        " (SELECT coalesce(sum(places), 0)::bigint FROM cuzk_member WHERE is_alive AND NOT is_draining"
        "  AND lease_until > now()),"
        " (SELECT coalesce(sum(p.ms), 0)::bigint FROM cuzk_job q JOIN"
        "  (SELECT circuit, avg(ms) AS ms FROM cuzk_pace GROUP BY circuit) p USING (circuit)"
        "  WHERE q.state = 0) FROM cuzk_job";
    PGresult *r = NULL;
    uint64_t *const fields[] = {&out->queued,         &out->claimed,          &out->running,
                                &out->completed,      &out->failed,           &out->cancelled,
                                &out->set_aside,      &out->oldest_queued_ms, &out->input_bytes,
                                &out->schema_version, &out->places,           &out->wait_ms};
    CUZK_TRY(pg_exec(c, &r, "status", sql, NULL, err));
    for (int i = 0; i < (int)(sizeof(fields) / sizeof(fields[0])); i++) {
        *fields[i] = pg_u64(r, 0, i);
    }
    out->wait_ms /= out->places > 0 ? out->places : 1;
    PQclear(r);
    return CUZK_OK;
}

/* Partitions of jobs that several members prove. Older tables have none. */
static cuzk_status read_parts(cuzk_pg_fleet_status *out, pg_conn *c, cuzk_err *err)
{
    static const char sums[] = "SELECT count(*) FILTER (WHERE state = 0 AND member IS NULL),"
                               " count(*) FILTER (WHERE state < 2 AND member IS NOT NULL),"
                               " count(*) FILTER (WHERE state = 2) FROM cuzk_part";
    static const char by_member[] =
        "SELECT m.name, count(*) FROM cuzk_part p JOIN cuzk_member m ON m.incarnation = p.member"
        " WHERE p.state < 2 AND m.is_alive GROUP BY m.name";
    PGresult *r = NULL;
    CUZK_TRY(pg_exec(c, &r, "status", "SELECT to_regclass('cuzk_part') IS NOT NULL", NULL, err));
    const bool is_there = pg_bool(r, 0, 0);
    PQclear(r);
    if (!is_there) {
        return CUZK_OK;
    }
    CUZK_TRY(pg_exec(c, &r, "status", sums, NULL, err));
    out->parts_waiting = pg_u64(r, 0, 0);
    out->parts_running = pg_u64(r, 0, 1);
    out->parts_proved = pg_u64(r, 0, 2);
    PQclear(r);
    CUZK_TRY(pg_exec(c, &r, "status", by_member, NULL, err));
    for (int i = 0; i < PQntuples(r); i++) {
        char name[CUZK_PG_MEMBER_NAME_BYTES];
        copy_text(name, sizeof(name), r, i, 0);
        for (size_t k = 0; k < out->n_members; k++) {
            if (out->members[k].is_alive && strcmp(out->members[k].name, name) == 0) {
                out->members[k].n_parts = pg_u64(r, i, 1);
            }
        }
    }
    PQclear(r);
    return CUZK_OK;
}

static cuzk_status read_clients(cuzk_pg_fleet_status *out, pg_conn *c, cuzk_err *err)
{
    static const char sql[] =
        "SELECT c.name, c.weight, c.max_jobs, coalesce(j.queued, 0), coalesce(j.running, 0),"
        " coalesce(u.completed, 0), coalesce(u.failed, 0), coalesce(u.cancelled, 0),"
        " coalesce(u.proofs, 0), coalesce(u.device_ms, 0) FROM cuzk_client c LEFT JOIN"
        " (SELECT owner, count(*) FILTER (WHERE state = 0) AS queued,"
        "   count(*) FILTER (WHERE state = 1) AS running FROM cuzk_job WHERE state < 2 GROUP BY owner) j"
        "  ON j.owner = c.name LEFT JOIN"
        " (SELECT client, sum(completed)::bigint AS completed, sum(failed)::bigint AS failed,"
        "   sum(cancelled)::bigint AS cancelled, sum(proofs)::bigint AS proofs,"
        "   sum(device_ms)::bigint AS device_ms FROM cuzk_usage GROUP BY client) u"
        "  ON u.client = c.name ORDER BY 10 DESC, c.name LIMIT $1";
    PGresult *r = NULL;
    pg_params p = {.n = 0};
    pg_add_u64(&p, CUZK_PG_STATUS_CLIENTS);
    CUZK_TRY(pg_exec(c, &r, "status", sql, &p, err));
    const size_t n = (size_t)PQntuples(r);
    out->clients = cuzk_alloc_zero(n, sizeof(*out->clients));
    if (out->clients == NULL) {
        PQclear(r);
        c->fault = PG_FAULT_OTHER;
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for %zu clients", n);
    }
    out->n_clients = n;
    for (size_t i = 0; i < n; i++) {
        cuzk_pg_client_status *k = &out->clients[i];
        uint64_t *const fields[] = {&k->weight,    &k->max_jobs,  &k->queued,
                                    &k->running,   &k->completed, &k->failed,
                                    &k->cancelled, &k->proofs,    &k->device_ms};
        copy_text(k->name, sizeof(k->name), r, (int)i, 0);
        for (int f = 0; f < (int)(sizeof(fields) / sizeof(fields[0])); f++) {
            *fields[f] = pg_u64(r, (int)i, f + 1);
        }
    }
    PQclear(r);
    return CUZK_OK;
}

/* Tables of which this program can say something. */
static cuzk_status check_tables(const pg_store *s, pg_conn *c, cuzk_err *err)
{
    PGresult *r = NULL;
    CUZK_TRY(pg_exec(c, &r, "status",
                     "SELECT to_regclass('cuzk_schema') IS NOT NULL,"
                     " to_regclass('cuzk_client') IS NOT NULL",
                     NULL, err));
    const bool is_there = pg_bool(r, 0, 0), is_new = pg_bool(r, 0, 1);
    PQclear(r);
    c->fault = PG_FAULT_OTHER;
    if (!is_there) {
        return CUZK_FAIL(err, CUZK_E_NOT_FOUND,
                         "%s has no tables of a shared queue: no daemon has used it", s->name);
    }
    return is_new
               ? CUZK_OK
               : CUZK_FAIL(err, CUZK_E_UNSUPPORTED,
                           "%s: its tables are those of older daemons: ask with their program, or "
                           "start a daemon of this version, which brings them up to date",
                           s->name);
}

static cuzk_status read_all(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err)
{
    cuzk_pg_fleet_status *out = arg;
    (void)is_again;
    cuzk_pg_fleet_status_free(out);
    CUZK_TRY(check_tables(s, c, err));
    CUZK_TRY(read_members(out, c, err));
    CUZK_TRY(read_parts(out, c, err));
    CUZK_TRY(read_clients(out, c, err));
    return read_queue(out, c, err);
}

cuzk_status cuzk_pg_fleet_status_read(cuzk_pg_fleet_status *out, const cuzk_pg_config *config,
                                      cuzk_err *err)
{
    pg_store *s = NULL;
    memset(out, 0, sizeof(*out));
    CUZK_TRY(pg_store_new(&s, config, err));
    s->only_reads = true;
    const cuzk_status st = pg_run(s, read_all, out, err);
    if (st != CUZK_OK) {
        cuzk_pg_fleet_status_free(out);
    }
    pg_store_free(s);
    return st;
}

void cuzk_pg_fleet_status_free(cuzk_pg_fleet_status *s)
{
    cuzk_free(s->members);
    cuzk_free(s->clients);
    memset(s, 0, sizeof(*s));
}

typedef struct setting {
    const char *name;
    uint64_t weight, max_jobs;
} setting;

static cuzk_status set_client(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err)
{
    static const char sql[] =
        "INSERT INTO cuzk_client AS c (name, weight, max_jobs)"
        " VALUES ($1, CASE WHEN $2 = 0 THEN 100 ELSE $2 END, CASE WHEN $3 < 0 THEN 0 ELSE $3 END)"
        " ON CONFLICT (name) DO UPDATE SET weight = CASE WHEN $2 = 0 THEN c.weight ELSE $2 END,"
        "  max_jobs = CASE WHEN $3 < 0 THEN c.max_jobs ELSE $3 END";
    const setting *t = arg;
    pg_params p = {.n = 0};
    (void)is_again;
    CUZK_TRY(check_tables(s, c, err));
    pg_add_bytes(&p, t->name, strlen(t->name));
    pg_add_u64(&p, t->weight);
    pg_add_u64(&p, t->max_jobs);
    return pg_exec(c, NULL, "client", sql, &p, err);
}

cuzk_status cuzk_pg_client_set(const cuzk_pg_config *config, const char *name, uint64_t weight,
                               uint64_t max_jobs, cuzk_err *err)
{
    setting t = {name, weight, max_jobs};
    pg_store *s = NULL;
    if (weight > 1000000 || (max_jobs > INT32_MAX && max_jobs != UINT64_MAX)) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "a weight is at most 10000, a number of jobs at most 2147483647");
    }
    CUZK_TRY(pg_store_new(&s, config, err));
    const cuzk_status st = pg_run(s, set_client, &t, err);
    pg_store_free(s);
    return st;
}
