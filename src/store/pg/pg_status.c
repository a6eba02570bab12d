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
        " completed, failed"
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
        " coalesce(sum(input_bytes) FILTER (WHERE state < 2), 0)::bigint,"
        " (SELECT version FROM cuzk_schema WHERE id = 1) FROM cuzk_job";
    PGresult *r = NULL;
    uint64_t *const fields[] = {&out->queued,        &out->claimed,          &out->running,
                                &out->completed,     &out->failed,           &out->cancelled,
                                &out->set_aside,     &out->oldest_queued_ms, &out->input_bytes,
                                &out->schema_version};
    CUZK_TRY(pg_exec(c, &r, "status", sql, NULL, err));
    for (int i = 0; i < (int)(sizeof(fields) / sizeof(fields[0])); i++) {
        *fields[i] = pg_u64(r, 0, i);
    }
    PQclear(r);
    return CUZK_OK;
}

static cuzk_status read_all(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err)
{
    cuzk_pg_fleet_status *out = arg;
    PGresult *r = NULL;
    (void)is_again;
    cuzk_pg_fleet_status_free(out);
    CUZK_TRY(pg_exec(c, &r, "status", "SELECT to_regclass('cuzk_schema') IS NOT NULL", NULL, err));
    const bool is_there = pg_bool(r, 0, 0);
    PQclear(r);
    if (!is_there) {
        c->fault = PG_FAULT_OTHER;
        return CUZK_FAIL(err, CUZK_E_NOT_FOUND,
                         "%s has no tables of a shared queue: no daemon has used it", s->name);
    }
    CUZK_TRY(read_members(out, c, err));
    return read_queue(out, c, err);
}

cuzk_status cuzk_pg_fleet_status_read(cuzk_pg_fleet_status *out, const cuzk_pg_config *config,
                                      cuzk_err *err)
{
    pg_store *s = NULL;
    memset(out, 0, sizeof(*out));
    CUZK_TRY(pg_store_new(&s, config, err));
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
    memset(s, 0, sizeof(*s));
}
