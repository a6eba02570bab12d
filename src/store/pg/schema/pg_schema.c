/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Tables: made and migrated under a lock on one row, so that daemons that start together do it once. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "store/pg/pg_internal.h"

/* version: of the tables. compatible: programs of this version and later may use them, so that the daemons of a
 * rolling upgrade share one queue. */
static const char bootstrap[] =
    "CREATE TABLE IF NOT EXISTS cuzk_schema ("
    " id bigint PRIMARY KEY, version bigint NOT NULL, compatible bigint NOT NULL)";

static const struct {
    const unsigned char *sql;
    const size_t *size;
    uint64_t compatible; /* the oldest program that may use the tables after this migration */
    uint64_t
        needs_reader; /* not while a member lives that knows an older version only; 0: at any time */
} migrations[PG_SCHEMA_VERSION] = {{pg_schema_1_sql, &pg_schema_1_sql_size, 1, 0},
                                   {pg_schema_2_sql, &pg_schema_2_sql_size, 1, 0},
                                   {pg_schema_3_sql, &pg_schema_3_sql_size, 3, 3},
                                   {pg_schema_4_sql, &pg_schema_4_sql_size, 3, 0}};

/* Locks the row. */
static cuzk_status read_version(pg_conn *c, bool *is_there, uint64_t *version, uint64_t *compatible,
                                cuzk_err *err)
{
    PGresult *r = NULL;
    CUZK_TRY(pg_exec(c, &r, "schema",
                     "SELECT version, compatible FROM cuzk_schema WHERE id = 1 FOR UPDATE", NULL,
                     err));
    *is_there = PQntuples(r) == 1;
    *version = *is_there ? pg_u64(r, 0, 0) : 0;
    *compatible = *is_there ? pg_u64(r, 0, 1) : 0;
    PQclear(r);
    return CUZK_OK;
}

/* Members that would not understand what the migration allows. */
static cuzk_status has_old_member(pg_conn *c, uint64_t needs_reader, bool *has, cuzk_err *err)
{
    pg_params p = {.n = 0};
    PGresult *r = NULL;
    *has = false;
    if (needs_reader == 0) {
        return CUZK_OK;
    }
    pg_add_u64(&p, needs_reader);
    CUZK_TRY(pg_exec(c, &r, "schema",
                     "SELECT EXISTS (SELECT 1 FROM cuzk_member WHERE is_alive AND reads < $1)", &p,
                     err));
    *has = pg_bool(r, 0, 0);
    PQclear(r);
    return CUZK_OK;
}

/* *version: what was reached. */
static cuzk_status migrate_from(pg_store *s, pg_conn *c, uint64_t *version, cuzk_err *err)
{
    for (uint64_t v = *version; v < PG_SCHEMA_VERSION; v++) {
        pg_params p = {.n = 0};
        bool has_old = false;
        CUZK_TRY(has_old_member(c, migrations[v].needs_reader, &has_old, err));
        if (has_old) { /* tried again when a member tidies */
            return CUZK_OK;
        }
        char *sql = cuzk_alloc(*migrations[v].size + 1, 1);
        if (sql == NULL) {
            return CUZK_FAIL(err, CUZK_E_NOMEM, "job store %s: no memory for the schema", s->name);
        }
        memcpy(sql, migrations[v].sql, *migrations[v].size);
        sql[*migrations[v].size] = '\0';
        const cuzk_status st = pg_exec_all(c, "schema", sql, err);
        cuzk_free(sql);
        CUZK_TRY(st);
        CUZK_TRY(has_old_member(c, migrations[v].needs_reader, &has_old, err));
        if (has_old) { /* joined while the statements waited for their locks */
            return CUZK_FAIL(err, CUZK_E_IO, "job store %s: an older program has just joined",
                             s->name);
        }
        pg_add_u64(&p, v + 1);
        pg_add_u64(&p, migrations[v].compatible);
        CUZK_TRY(pg_exec(c, NULL, "schema",
                         "UPDATE cuzk_schema SET version = $1, compatible = $2 WHERE id = 1", &p,
                         err));
        *version = v + 1;
    }
    return CUZK_OK;
}

cuzk_status pg_migrate(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err)
{
    uint64_t version = 0, compatible = 0;
    PGresult *r = NULL;
    (void)arg;
    (void)is_again;
    /* a role that may not make tables can use those that are there */
    CUZK_TRY(pg_exec(c, &r, "schema", "SELECT to_regclass('cuzk_schema') IS NOT NULL", NULL, err));
    bool is_there = pg_bool(r, 0, 0);
    PQclear(r);
    if (!is_there) {
        cuzk_status st = pg_exec(c, NULL, "schema", bootstrap, NULL, err);
        if (st != CUZK_OK && c->fault == PG_FAULT_DUPLICATE) { /* another daemon did it just now */
            c->fault = PG_FAULT_CONFLICT;
        }
        CUZK_TRY(st);
    }
    CUZK_TRY(pg_exec(c, NULL, "schema", "BEGIN", NULL, err));
    CUZK_TRY(read_version(c, &is_there, &version, &compatible, err));
    if (!is_there) { /* the row comes after the table, and is waited for while another daemon makes it */
        CUZK_TRY(pg_exec(c, NULL, "schema",
                         "INSERT INTO cuzk_schema VALUES (1, 0, 0) ON CONFLICT DO NOTHING", NULL,
                         err));
        CUZK_TRY(read_version(c, &is_there, &version, &compatible, err));
    }
    if (version > PG_SCHEMA_VERSION && compatible > PG_SCHEMA_VERSION) {
        return CUZK_FAIL(err, CUZK_E_UNSUPPORTED,
                         "job store %s: its schema has version %" PRIu64
                         " and wants programs that know version %" PRIu64
                         "; this program knows version %d: install a newer one",
                         s->name, version, compatible, PG_SCHEMA_VERSION);
    }
    if (version < PG_SCHEMA_VERSION) {
        CUZK_TRY(migrate_from(s, c, &version, err));
    }
    CUZK_TRY(pg_exec(c, NULL, "schema", "COMMIT", NULL, err));
    atomic_store(&s->schema_version, version);
    return CUZK_OK;
}
