/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the engine asks of a store (engine/job_store.h), as statements. */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/clock.h"
#include "base/text/utf8.h"
#include "sched/priority.h"

#include "pg_internal.h"

#define ERROR_MAX 1024
#define COUNT_NS  1000000000u /* how long a count of the inputs is good */

/* --- put --- */

typedef struct putting {
    const cuzk_job_record *j;
    const uint8_t *input;
    size_t n;
    uint8_t digest[CUZK_SHA256_BYTES];
    uint64_t claimer; /* the member that has the job at once; 0: none */
    bool is_claimed;
} putting;

static void add_outcome(pg_params *p, const cuzk_job_record *j, char text[ERROR_MAX])
{
    const char *error = j->error == NULL ? "" : j->error;
    pg_add_u64(p, (uint64_t)j->state);
    pg_add_u64(p, (uint64_t)j->ended_unix_ms);
    pg_add_u64(p, (uint64_t)(int64_t)j->code);
    pg_add_text(p, cuzk_utf8_clean(text, ERROR_MAX, error, strlen(error)));
    pg_add_bytes(p, j->proof.data, j->proof.size);
    pg_add_u64(p, j->queue_wait_ms);
    pg_add_u64(p, j->srs_load_ms);
    pg_add_u64(p, j->synthesis_ms);
    pg_add_u64(p, j->gpu_compute_ms);
    pg_add_u64(p, j->total_ms);
}

/* $1 to $28, then the first part of the input. */
static void add_job(pg_params *p, const putting *t, char text[ERROR_MAX])
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
    add_outcome(p, j, text);
    pg_add_u64(p, t->n);
    pg_add_bytes(p, t->digest, sizeof(t->digest));
}

static size_t part_size(size_t n, size_t at)
{
    return n - at < CUZK_PG_PART_BYTES ? n - at : CUZK_PG_PART_BYTES;
}

static cuzk_status put_other_parts(pg_conn *c, const putting *t, cuzk_err *err)
{
    uint64_t part = 1;
    for (size_t at = CUZK_PG_PART_BYTES; at < t->n; at += CUZK_PG_PART_BYTES, part++) {
        pg_params p = {.n = 0};
        pg_add_u64(&p, t->j->number);
        pg_add_u64(&p, part);
        pg_add_bytes(&p, t->input + at, part_size(t->n, at));
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
    pg_add_bytes(&p, t->digest, sizeof(t->digest));
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

static cuzk_status put_work(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err)
{
    /* One statement is one transaction; a job of one part needs no other. */
    static const char insert[] =
        "WITH me AS (SELECT incarnation FROM cuzk_member WHERE incarnation = $32 AND is_alive"
        "  AND lease_until > now() FOR SHARE),"
        " j AS (INSERT INTO cuzk_job (number, job_id, request_id, owner, kind, priority,"
        "  sector_size, registered_proof, sector_number, miner_id, partition_index, content,"
        "  accepted_ms, deadline_ms, cancel_when_unwatched, class, due_ms, state, ended_ms, code,"
        "  error, proof, queue_wait_ms, srs_load_ms, synthesis_ms, gpu_compute_ms, total_ms,"
        "  input_bytes, input_digest, member, fence, claimed_at)"
        "  VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19,$20,$21,"
        "  $22,$23,$24,$25,$26,$27,$28,$29, (SELECT incarnation FROM me),"
        "  (SELECT count(*) FROM me), (SELECT now() FROM me)) RETURNING number, member),"
        " n AS (UPDATE cuzk_meta SET value = greatest(value, $1 + 1)"
        "  WHERE name = 'next_number' AND $31 = 0)," /* a fleet's numbers are the members' */
        " i AS (INSERT INTO cuzk_input SELECT number, 0, $30 FROM j)"
        " SELECT member FROM j";
    putting *t = arg;
    char text[ERROR_MAX];
    pg_params p = {.n = 0};
    PGresult *r = NULL;
    const bool is_long = t->n > CUZK_PG_PART_BYTES;
    add_job(&p, t, text);
    pg_add_bytes(&p, t->input, part_size(t->n, 0));
    pg_add_u64(&p, s->fleet != NULL ? 1 : 0);
    pg_add_u64(&p, t->claimer);
    if (is_again && is_put(c, t)) {
        return CUZK_OK;
    }
    if (is_long) {
        CUZK_TRY(pg_exec(c, NULL, "put", "BEGIN", NULL, err));
    }
    cuzk_status st = pg_exec(c, &r, "put", insert, &p, err);
    t->is_claimed = st == CUZK_OK && t->claimer != 0 && pg_u64(r, 0, 0) == t->claimer;
    PQclear(r);
    if (st == CUZK_E_EXISTS) {
        st = CUZK_FAIL(err, CUZK_E_EXISTS,
                       "job store %s: has a job %" PRIu64 " already, or one that is equal", s->name,
                       t->j->number);
    }
    CUZK_TRY(st);
    if (is_long) {
        CUZK_TRY(put_other_parts(c, t, err));
        CUZK_TRY(pg_exec(c, NULL, "put", "COMMIT", NULL, err));
    }
    return CUZK_OK;
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
                     "SELECT coalesce(sum(input_bytes), 0)::bigint, count(*)"
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

static void book_back(pg_store *s, uint64_t bytes)
{
    s->input_bytes -= bytes < s->input_bytes ? bytes : s->input_bytes;
    s->n_jobs -= s->n_jobs > 0 ? 1 : 0;
}

static cuzk_status put(void *arg, const cuzk_job_record *j, cuzk_err *err)
{
    pg_store *s = arg;
    putting t = {.j = j};
    const uint64_t bytes = store_input_bytes(&j->request);
    CUZK_TRY(reserve(s, bytes, j->is_privileged, err));
    uint8_t *input = cuzk_alloc((size_t)bytes, 1), *at = input;
    cuzk_status st = CUZK_OK;
    if (input == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a job's input");
    } else {
        st = store_input_encode(&j->request, t.digest, store_input_to_memory, &at, err);
    }
    if (st == CUZK_OK) {
        t.input = input;
        t.n = (size_t)bytes;
        t.claimer = s->fleet != NULL && j->claims ? pg_fleet_may_start(s) : 0;
        st = pg_run(s, put_work, &t, err);
    }
    cuzk_free(input);
    const bool is_held =
        st == CUZK_OK && t.is_claimed && pg_fleet_add_lease(s, j->number, t.claimer, 1);
    if (st == CUZK_OK && s->fleet != NULL && !is_held) {
        pg_fleet_notify(s);
    }
    (void)pthread_mutex_lock(&s->mutex);
    s->putting_bytes -= bytes;
    if (st != CUZK_OK) {
        book_back(s, bytes);
    }
    (void)pthread_mutex_unlock(&s->mutex);
    return st;
}

/* --- finish --- */

typedef struct finishing {
    const cuzk_job_record *j;
    uint64_t member, fence; /* the lease; 0: of a store without members */
    uint64_t input_bytes;
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
    static const char sql[] =
        "WITH u AS (UPDATE cuzk_job SET state=$1, ended_ms=$2, code=$3, error=$4, proof=$5,"
        " queue_wait_ms=$6, srs_load_ms=$7, synthesis_ms=$8, gpu_compute_ms=$9, total_ms=$10,"
        " member=NULL, proved_by=$14 WHERE number=$11 AND state < 2"
        " AND ($12 = 0 OR (member = $12 AND fence = $13)) RETURNING number, input_bytes),"
        " d AS (DELETE FROM cuzk_input WHERE number IN (SELECT number FROM u))"
        " SELECT input_bytes FROM u";
    finishing *t = arg;
    char text[ERROR_MAX];
    pg_params p = {.n = 0};
    PGresult *r = NULL;
    add_outcome(&p, t->j, text);
    pg_add_u64(&p, t->j->number);
    pg_add_u64(&p, t->member);
    pg_add_u64(&p, t->fence);
    pg_add_text(&p, pg_fleet_name(s));
    CUZK_TRY(pg_exec(c, &r, "finish", sql, &p, err));
    const bool is_done = PQntuples(r) == 1;
    t->input_bytes = is_done ? pg_u64(r, 0, 0) : 0;
    PQclear(r);
    return is_done ? CUZK_OK : not_finished(s, c, t, is_again, err);
}

static cuzk_status finish(void *arg, const cuzk_job_record *j, cuzk_err *err)
{
    pg_store *s = arg;
    finishing t = {.j = j};
    CUZK_ASSERT(j->state >= CUZK_JOB_COMPLETED);
    if (s->fleet != NULL && !pg_fleet_lease(s, j->number, &t.member, &t.fence)) {
        return fail_lease(s, j->number, err);
    }
    const cuzk_status st = pg_run_for(s, pg_fleet_end_ms(s), finish_work, &t, err);
    if (s->fleet != NULL && (st == CUZK_OK || st == CUZK_E_EXISTS || st == CUZK_E_NOT_FOUND)) {
        pg_fleet_drop_lease(s, j->number);
    }
    CUZK_TRY(st);
    if (s->fleet != NULL) {
        pg_fleet_count_end(s, j->state == CUZK_JOB_COMPLETED);
        pg_fleet_notify(s);
    }
    (void)pthread_mutex_lock(&s->mutex);
    book_back(s, t.input_bytes);
    (void)pthread_mutex_unlock(&s->mutex);
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
        st = pg_row_read_input(&t->row, c, err);
    }
    return st;
}

/* Reads a row and gives it to each. */
static cuzk_status read_each(pg_store *s, reading *t, pg_each each, void *each_arg, cuzk_err *err)
{
    const cuzk_status st = pg_run(s, read_work, t, err);
    if (st == CUZK_OK) {
        each(each_arg, &t->row.record);
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

static cuzk_status read_one(void *arg, uint64_t number, pg_each each, void *each_arg, cuzk_err *err)
{
    reading t = {.sql = "SELECT " PG_COLUMNS " FROM cuzk_job WHERE number = $1 AND state < 2",
                 .with_input = true};
    pg_add_u64(&t.params, number);
    return read_each(arg, &t, each, each_arg, err);
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
    j->ended_unix_ms = (int64_t)time(NULL) * 1000;
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
        *from = t.row.record.number + 1;
    }
    if (st == CUZK_OK) {
        each(each_arg, &t.row.record);
    } else if (t.is_copied && pg_is_lost(st)) {
        st = pg_end_lost(s, &t.row.record, why.msg, err);
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
    pruning t = {.before_ms = ended_before_unix_ms,
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
                              .put = put,
                              .finish = finish,
                              .load = load,
                              .read = read_one,
                              .find = find,
                              .find_content = find_content,
                              .prune = prune,
                              .destroy = destroy};
    *out = f;
}
