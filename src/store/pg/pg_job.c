/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the engine asks of a store (engine/job_store.h), as statements. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/text/utf8.h"
#include "store/pg/fleet/pg_fleet.h"

#include "pg_folder.h"

void pg_add_outcome(pg_params *p, const cuzk_job_record *j, char text[PG_ERROR_BYTES])
{
    const char *error = j->error == NULL ? "" : j->error;
    pg_add_u64(p, (uint64_t)j->state);
    pg_add_u64(p, (uint64_t)j->ended_unix_ms);
    pg_add_u64(p, (uint64_t)(int64_t)j->code);
    pg_add_text(p, cuzk_utf8_clean(text, PG_ERROR_BYTES, error, strlen(error)));
    pg_add_bytes(p, j->proof.data, j->proof.size);
    pg_add_u64(p, j->queue_wait_ms);
    pg_add_u64(p, j->srs_load_ms);
    pg_add_u64(p, j->synthesis_ms);
    pg_add_u64(p, j->gpu_compute_ms);
    pg_add_u64(p, j->total_ms);
}

/* --- finish --- */

typedef struct finishing {
    const cuzk_job_record *j;
    uint64_t member, fence; /* the lease; 0: of a store without members */
    uint64_t kept_bytes, place;
    uint8_t kept_digest[CUZK_SHA256_BYTES];
    bool has_file;
} finishing;

static cuzk_status fail_lease(const pg_store *s, uint64_t number, cuzk_err *err)
{
    return CUZK_FAIL(err, CUZK_E_EXISTS,
                     "job store %s: the lease on job %" PRIu64 " is lost: its result is not kept",
                     s->name, number);
}

/* Why no row was changed. A commit whose answer was lost is found as it was written. */
static cuzk_status not_finished(pg_store *s, pg_conn *c, const finishing *t, bool is_again,
                                cuzk_err *err)
{
    const cuzk_job_record *j = t->j;
    PGresult *r = NULL;
    pg_params p = {.n = 0};
    pg_add_u64(&p, j->number);
    CUZK_TRY(pg_exec(c, &r, "finish",
                     "SELECT state, ended_ms, proof, fence FROM cuzk_job WHERE number = $1", &p,
                     err));
    c->fault = PG_FAULT_OTHER;
    cuzk_status st = CUZK_OK;
    if (PQntuples(r) == 0) {
        st = CUZK_FAIL(err, CUZK_E_NOT_FOUND, "job store %s: no job %" PRIu64, s->name, j->number);
    } else {
        const cuzk_bytes proof = pg_bytes(r, 0, 2);
        const bool is_same =
            pg_u64(r, 0, 0) == (uint64_t)j->state &&
            pg_u64(r, 0, 1) == (uint64_t)j->ended_unix_ms && proof.size == j->proof.size &&
            (proof.size == 0 || memcmp(proof.data, j->proof.data, proof.size) == 0);
        const bool is_mine = t->member == 0 || pg_u64(r, 0, 3) == t->fence;
        if (is_again && is_same && is_mine) {
            st = CUZK_OK;
        } else if (t->member != 0) {
            st = fail_lease(s, j->number, err);
        } else {
            st = CUZK_FAIL(err, CUZK_E_INVALID, "job store %s: job %" PRIu64 " is over already",
                           s->name, j->number);
        }
    }
    PQclear(r);
    return st;
}

static cuzk_status finish_work(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err)
{
    /* What a client gets, and how fast this member is, are written with the end: once for each job. */
    static const char sql[] =
        "WITH u AS (UPDATE cuzk_job SET state=$1, ended_ms=$2, code=$3, error=$4, proof=$5,"
        " queue_wait_ms=$6, srs_load_ms=$7, synthesis_ms=$8, gpu_compute_ms=$9, total_ms=$10,"
        " member=NULL, proved_by=$14 WHERE number=$11 AND state < 2"
        " AND ($12 = 0 OR (member = $12 AND fence = $13))"
        " RETURNING number, " PG_KEPT_BYTES " AS kept, input_place, kept_digest, owner,"
        "  CASE WHEN circuit = '' THEN $15 ELSE circuit END AS circuit, started_at),"
        " d AS (DELETE FROM cuzk_input WHERE number IN (SELECT number FROM u)),"
        " a AS (INSERT INTO cuzk_usage AS a (client, member, completed, failed, cancelled, proofs,"
        "   device_ms)"
        "  SELECT owner, $14, CASE WHEN $1 = 2 THEN 1 ELSE 0 END, CASE WHEN $1 = 3 THEN 1 ELSE 0 END,"
        "   CASE WHEN $1 = 4 THEN 1 ELSE 0 END, octet_length($5) / 192, $9 FROM u WHERE $12 <> 0"
        "  ON CONFLICT (client, member) DO UPDATE SET completed = a.completed + excluded.completed,"
        "   failed = a.failed + excluded.failed, cancelled = a.cancelled + excluded.cancelled,"
        "   proofs = a.proofs + excluded.proofs, device_ms = a.device_ms + excluded.device_ms),"
        " p AS (INSERT INTO cuzk_pace AS p (circuit, member, ms)"
        "  SELECT circuit, $14, (extract(epoch FROM now() - started_at) * 1000)::bigint FROM u"
        "  WHERE $12 <> 0 AND $1 = 2 AND circuit <> '' AND started_at IS NOT NULL"
        "  ON CONFLICT (circuit, member) DO UPDATE SET ms = (3 * p.ms + excluded.ms) / 4)"
        " SELECT kept, input_place, kept_digest FROM u";
    finishing *t = arg;
    char text[PG_ERROR_BYTES];
    pg_params p = {.n = 0};
    PGresult *r = NULL;
    pg_add_outcome(&p, t->j, text);
    pg_add_u64(&p, t->j->number);
    pg_add_u64(&p, t->member);
    pg_add_u64(&p, t->fence);
    pg_add_text(&p, pg_fleet_name(s));
    pg_add_text(&p, t->j->circuit); /* a C1 may have said what it is for only when it was parsed */
    CUZK_TRY(pg_exec(c, &r, "finish", sql, &p, err));
    const bool is_done = PQntuples(r) == 1;
    if (is_done) {
        const cuzk_bytes digest = pg_bytes(r, 0, 2);
        t->kept_bytes = pg_u64(r, 0, 0);
        t->place = pg_u64(r, 0, 1);
        t->has_file = t->place != PG_PLACE_DATABASE && t->place == s->place &&
                      digest.size == sizeof(t->kept_digest);
        if (t->has_file) {
            memcpy(t->kept_digest, digest.data, digest.size);
        }
    }
    PQclear(r);
    return is_done ? CUZK_OK : not_finished(s, c, t, is_again, err);
}

static cuzk_status finish(void *arg, const cuzk_job_record *j, cuzk_err *err)
{
    pg_store *s = arg;
    cuzk_job_record row = *j;
    row.ended_unix_ms = pg_clock_to_database(s, j->ended_unix_ms);
    finishing t = {.j = &row};
    CUZK_ASSERT(j->state >= CUZK_JOB_COMPLETED);
    if (s->fleet != NULL && !pg_fleet_lease(s, j->number, &t.member, &t.fence)) {
        return fail_lease(s, j->number, err);
    }
    const cuzk_status st = pg_run_for(s, pg_fleet_end_ms(s), finish_work, &t, err);
    const bool has_parts = s->fleet != NULL && pg_fleet_has_parts(s, j->number);
    if (s->fleet != NULL && (st == CUZK_OK || st == CUZK_E_EXISTS || st == CUZK_E_NOT_FOUND)) {
        pg_fleet_drop_lease(s, j->number);
    }
    CUZK_TRY(st);
    if (has_parts) {
        pg_part_drop(s, j->number);
    }
    if (s->fleet != NULL) {
        pg_fleet_count_end(s, j->state == CUZK_JOB_COMPLETED);
        pg_fleet_notify(s);
    }
    if (t.has_file) { /* another keeper's file goes with its next sweep */
        pg_folder_remove(s, j->number, t.kept_digest);
    }
    pg_book_back(s, t.kept_bytes);
    return CUZK_OK;
}

/* --- reading --- */

typedef struct reading {
    const char *sql;
    pg_params params;
    bool with_input;
    bool is_copied; /* row has the record, whatever came after that */
    pg_row row;     /* free it when is_copied */
} reading;

static cuzk_status read_work(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err)
{
    reading *t = arg;
    PGresult *r = NULL;
    (void)is_again;
    if (t->is_copied) {
        pg_row_free(&t->row);
        t->is_copied = false;
    }
    CUZK_TRY(pg_exec(c, &r, "read", t->sql, &t->params, err));
    c->fault = PG_FAULT_OTHER;
    cuzk_status st = CUZK_OK;
    if (PQntuples(r) == 0) {
        st = CUZK_FAIL(err, CUZK_E_NOT_FOUND, "job store %s: no such job", s->name);
    } else {
        st = pg_row_copy(&t->row, s, r, 0, err);
        t->is_copied = true;
    }
    PQclear(r);
    if (st == CUZK_OK && t->with_input) {
        st = pg_row_read_input(&t->row, s, c, err);
    }
    return st;
}

/* Reads a row and gives it to each. */
static cuzk_status read_each(pg_store *s, reading *t, pg_each each, void *each_arg, cuzk_err *err)
{
    const cuzk_status st = pg_run(s, read_work, t, err);
    if (st == CUZK_OK) {
        each(each_arg, &t->row.job.record);
    }
    if (t->is_copied) {
        pg_row_free(&t->row);
    }
    return st;
}

cuzk_status pg_find_number(pg_store *s, uint64_t number, pg_each each, void *each_arg,
                           cuzk_err *err)
{
    reading t = {.sql = "SELECT " PG_COLUMNS " FROM cuzk_job WHERE number = $1"};
    pg_add_u64(&t.params, number);
    return read_each(s, &t, each, each_arg, err);
}

static cuzk_status find(void *arg, const char *job_id, pg_each each, void *each_arg, cuzk_err *err)
{
    reading t = {.sql = "SELECT " PG_COLUMNS " FROM cuzk_job WHERE job_id = $1"
                        " ORDER BY accepted_ms DESC, number DESC LIMIT 1"};
    pg_add_text(&t.params, job_id);
    return read_each(arg, &t, each, each_arg, err);
}

static cuzk_status find_content(void *arg, const uint8_t content[32], cuzk_bytes request_id,
                                pg_each each, void *each_arg, cuzk_err *err)
{
    reading t = {.sql = "SELECT " PG_COLUMNS " FROM cuzk_job WHERE content = $1"
                        " AND request_id = $2 AND (state = 2 OR (state < 2 AND $3))"
                        " ORDER BY accepted_ms DESC, number DESC LIMIT 1"};
    pg_add_bytes(&t.params, content, 32);
    pg_add_bytes(&t.params, request_id.data, request_id.size);
    pg_add_bool(&t.params, ((pg_store *)arg)->fleet != NULL);
    return read_each(arg, &t, each, each_arg, err);
}

cuzk_status pg_read_with_input(pg_store *s, uint64_t number, pg_each each, void *each_arg,
                               cuzk_err *err)
{
    reading t = {.sql = "SELECT " PG_COLUMNS " FROM cuzk_job WHERE number = $1 AND state < 2",
                 .with_input = true};
    pg_add_u64(&t.params, number);
    return read_each(s, &t, each, each_arg, err);
}

static cuzk_status read_one(void *arg, uint64_t number, pg_each each, void *each_arg, cuzk_err *err)
{
    return pg_read_with_input(arg, number, each, each_arg, err);
}

bool pg_is_lost(cuzk_status st)
{
    return st == CUZK_E_FORMAT || st == CUZK_E_DIGEST || st == CUZK_E_NOT_FOUND;
}

/* A job that can never be proved is reported to every client that asks for it. */
cuzk_status pg_end_lost(pg_store *s, cuzk_job_record *j, const char *why, cuzk_err *err)
{
    char text[512];
    (void)snprintf(text, sizeof(text), "environment: %s", why);
    j->state = CUZK_JOB_FAILED;
    j->code = CUZK_E_IO;
    j->error = text;
    j->ended_unix_ms = pg_clock_now_ms();
    return finish(s, j, err);
}

static cuzk_status next_number_work(pg_store *s, pg_conn *c, void *arg, bool is_again,
                                    cuzk_err *err)
{
    PGresult *r = NULL;
    (void)s;
    (void)is_again;
    CUZK_TRY(pg_exec(c, &r, "load", "SELECT value FROM cuzk_meta WHERE name = 'next_number'", NULL,
                     err));
    *(uint64_t *)arg = PQntuples(r) == 1 ? pg_u64(r, 0, 0) : 1;
    PQclear(r);
    return CUZK_OK;
}

/* The first unfinished job from *from on; *is_end: there is none. */
static cuzk_status load_next(pg_store *s, uint64_t *from, bool *is_end, pg_each each,
                             void *each_arg, cuzk_err *err)
{
    reading t = {.sql = "SELECT " PG_COLUMNS " FROM cuzk_job WHERE state < 2 AND number >= $1"
                        " ORDER BY number LIMIT 1",
                 .with_input = true};
    cuzk_err why = {.code = CUZK_OK};
    pg_add_u64(&t.params, *from);
    cuzk_status st = pg_run(s, read_work, &t, &why);
    *is_end = st == CUZK_E_NOT_FOUND && !t.is_copied;
    if (*is_end) {
        return CUZK_OK;
    }
    if (t.is_copied) {
        *from = t.row.job.record.number + 1;
    }
    if (st == CUZK_OK) {
        each(each_arg, &t.row.job.record);
    } else if (t.is_copied && pg_is_lost(st)) {
        st = pg_end_lost(s, &t.row.job.record, why.msg, err);
    } else if (err != NULL) {
        *err = why;
    }
    if (t.is_copied) {
        pg_row_free(&t.row);
    }
    return st;
}

static cuzk_status load(void *arg, pg_each each, void *each_arg, uint64_t *next_number,
                        cuzk_err *err)
{
    pg_store *s = arg;
    uint64_t from = 0;
    if (s->fleet != NULL) { /* what is unfinished is claimed, by this member or by another one */
        *next_number = pg_fleet_first_number(s);
        return CUZK_OK;
    }
    CUZK_TRY(pg_run(s, next_number_work, next_number, err));
    for (bool is_end = false; !is_end;) {
        CUZK_TRY(load_next(s, &from, &is_end, each, each_arg, err));
    }
    return CUZK_OK;
}

/* --- prune --- */

typedef struct pruning {
    int64_t before_ms;
    uint64_t keep;
} pruning;

static cuzk_status prune_work(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err)
{
    const pruning *t = arg;
    pg_params p = {.n = 0};
    (void)s;
    (void)is_again;
    pg_add_u64(&p, (uint64_t)t->before_ms);
    pg_add_u64(&p, t->keep);
    return pg_exec(c, NULL, "prune",
                   "DELETE FROM cuzk_job WHERE state >= 2 AND (ended_ms < $1 OR number IN"
                   " (SELECT number FROM cuzk_job WHERE state >= 2"
                   "  ORDER BY ended_ms DESC, number DESC OFFSET $2))",
                   &p, err);
}

static cuzk_status prune(void *arg, int64_t ended_before_unix_ms, uint64_t keep_count,
                         cuzk_err *err)
{
    pruning t = {.before_ms = pg_clock_to_database(arg, ended_before_unix_ms),
                 .keep = keep_count > INT64_MAX ? INT64_MAX : keep_count};
    return pg_run(arg, prune_work, &t, err);
}

static void destroy(void *arg)
{
    pg_store_free(arg);
}

void pg_functions(cuzk_job_store *out, pg_store *s)
{
    const cuzk_job_store f = {.arg = s,
                              .shared = s->fleet != NULL ? &pg_shared_queue : NULL,
                              .put = pg_put,
                              .finish = finish,
                              .load = load,
                              .read = read_one,
                              .find = find,
                              .find_content = find_content,
                              .prune = prune,
                              .destroy = destroy};
    *out = f;
}
