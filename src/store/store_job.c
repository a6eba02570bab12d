/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/assert.h"

#include "store_internal.h"

static void lock(store *s)
{
    (void)pthread_mutex_lock(&s->mutex);
}

static void unlock(store *s)
{
    (void)pthread_mutex_unlock(&s->mutex);
}

static void bind_u64(sqlite3_stmt *q, const char *name, uint64_t v)
{
    (void)sqlite3_bind_int64(q, sqlite3_bind_parameter_index(q, name), (sqlite3_int64)v);
}

/* Never NULL: an empty blob is a value. */
static void bind_blob(sqlite3_stmt *q, const char *name, const void *data, size_t n)
{
    (void)sqlite3_bind_blob64(q, sqlite3_bind_parameter_index(q, name), n == 0 ? "" : data, n,
                              SQLITE_STATIC);
}

static void bind_text(sqlite3_stmt *q, const char *name, const char *text)
{
    (void)sqlite3_bind_text(q, sqlite3_bind_parameter_index(q, name), text == NULL ? "" : text, -1,
                            SQLITE_STATIC);
}

/* Runs q, which gives no rows, to its end. */
static cuzk_status run(store *s, sqlite3_stmt *q, const char *what, cuzk_err *err)
{
    return sqlite3_step(q) == SQLITE_DONE ? CUZK_OK : store_sql_fail(s, what, err);
}

static void roll_back(store *s)
{
    if (sqlite3_get_autocommit(s->db) == 0) {
        cuzk_ignore(store_exec(s, "ROLLBACK", NULL));
    }
}

static void bind_outcome(sqlite3_stmt *q, const cuzk_job_record *j)
{
    bind_u64(q, ":state", (uint64_t)j->state);
    bind_u64(q, ":ended_ms", (uint64_t)j->ended_unix_ms);
    bind_u64(q, ":code", (uint64_t)(int64_t)j->code);
    bind_text(q, ":error", j->error);
    bind_blob(q, ":proof", j->proof.data, j->proof.size);
    bind_u64(q, ":queue_wait_ms", j->queue_wait_ms);
    bind_u64(q, ":srs_load_ms", j->srs_load_ms);
    bind_u64(q, ":synthesis_ms", j->synthesis_ms);
    bind_u64(q, ":gpu_compute_ms", j->gpu_compute_ms);
    bind_u64(q, ":total_ms", j->total_ms);
}

static void bind_job(sqlite3_stmt *q, const cuzk_job_record *j, const store_input *in)
{
    const cuzk_job_request *r = &j->request;
    bind_u64(q, ":number", j->number);
    bind_text(q, ":job_id", j->job_id);
    bind_blob(q, ":request_id", r->request_id.data, r->request_id.size);
    bind_blob(q, ":owner", r->owner.data, r->owner.size);
    bind_u64(q, ":kind", (uint64_t)r->kind);
    bind_u64(q, ":priority", r->priority);
    bind_u64(q, ":sector_size", r->sector_size);
    bind_u64(q, ":registered_proof", r->registered_proof);
    bind_u64(q, ":sector_number", r->sector_number);
    bind_u64(q, ":miner_id", r->miner_id);
    bind_u64(q, ":partition_index", r->partition_index);
    bind_blob(q, ":content", j->content, sizeof(j->content));
    bind_u64(q, ":accepted_ms", (uint64_t)j->accepted_unix_ms);
    bind_u64(q, ":deadline_ms", (uint64_t)j->deadline_unix_ms);
    bind_u64(q, ":cancel", j->cancel_when_unwatched ? 1 : 0);
    bind_outcome(q, j);
    if (in->inline_data != NULL) {
        bind_blob(q, ":input", in->inline_data, (size_t)in->bytes);
    }
    bind_u64(q, ":input_bytes", in->bytes);
    bind_blob(q, ":input_digest", in->digest, sizeof(in->digest));
}

/* Under the mutex. */
static cuzk_status insert(store *s, const cuzk_job_record *j, const store_input *in, cuzk_err *err)
{
    static const char sql[] =
        "INSERT INTO job(" STORE_COLUMNS ") VALUES(:number,:job_id,:request_id,:owner,:kind,"
        ":priority,:sector_size,:registered_proof,:sector_number,:miner_id,:partition_index,"
        ":content,:accepted_ms,:deadline_ms,:cancel,:state,:ended_ms,:code,:error,:proof,"
        ":queue_wait_ms,:srs_load_ms,:synthesis_ms,:gpu_compute_ms,:total_ms,:input_bytes,"
        ":input_digest,:input)";
    sqlite3_stmt *q = NULL;
    cuzk_status st;
    CUZK_TRY(store_exec(s, "BEGIN IMMEDIATE", err));
    CUZK_TRY_GOTO(st, store_prepare(s, &q, sql, err));
    bind_job(q, j, in);
    st = run(s, q, "put", err);
    if (st != CUZK_OK && sqlite3_extended_errcode(s->db) == SQLITE_CONSTRAINT_PRIMARYKEY) {
        st = CUZK_FAIL(err, CUZK_E_EXISTS, "job store %s: has a job %" PRIu64 " already", s->path,
                       j->number);
    }
    if (st != CUZK_OK) {
        goto out;
    }
    (void)sqlite3_finalize(q);
    CUZK_TRY_GOTO(st, store_prepare(s, &q,
                                    "UPDATE meta SET value = max(value, :number + 1)"
                                    " WHERE name = 'next_number'",
                                    err));
    bind_u64(q, ":number", j->number);
    CUZK_TRY_GOTO(st, run(s, q, "put", err));
    CUZK_TRY_GOTO(st, store_exec(s, "COMMIT", err));
out:
    (void)sqlite3_finalize(q);
    roll_back(s);
    return st;
}

/* Books the bytes of an input before it is written; under the mutex. */
static cuzk_status reserve(store *s, uint64_t input_bytes, bool privileged, cuzk_err *err)
{
    uint64_t pages = 0, unused = 0, page_bytes = 0;
    if (!store_is_in_place(s)) {
        cuzk_err why = {.code = CUZK_OK};
        const cuzk_status st = store_fail_moved(s, &why);
        store_set_unwritable(s, &why);
        if (err != NULL) {
            *err = why;
        }
        return st;
    }
    if (!store_reserves_take(s)) {
        if (!privileged) {
            store_set_full(s, true);
            return CUZK_FAIL(
                err, CUZK_E_IO,
                "job store %s: the disk is full: no room for %zu bytes that are kept for "
                "results and WinningPoSt",
                s->path, STORE_RESERVE_BYTES + STORE_RESERVE_WINNING_BYTES);
        }
    }
    CUZK_TRY(store_query_u64(s, &pages, "PRAGMA page_count", err));
    CUZK_TRY(store_query_u64(s, &unused, "PRAGMA freelist_count", err));
    CUZK_TRY(store_query_u64(s, &page_bytes, "PRAGMA page_size", err));
    const uint64_t used = (pages - unused) * page_bytes + s->file_bytes;
    const uint64_t limit = privileged ? s->max_bytes : s->max_bytes - s->max_bytes / 32;
    if (used > limit || input_bytes > limit - used) {
        return CUZK_FAIL(err, CUZK_E_BUDGET,
                         "job store %s: full: %" PRIu64 " of %" PRIu64
                         " bytes are used, the job needs %" PRIu64,
                         s->path, used, limit, input_bytes);
    }
    s->file_bytes += input_bytes;
    return CUZK_OK;
}

/* Writes the input and the row. *in_file: the input lies in a file. */
static cuzk_status put_once(store *s, const cuzk_job_record *j, bool *in_file, cuzk_err *err)
{
    store_input in;
    cuzk_status st = store_input_write(&in, s, j->number, &j->request, err); /* long: no mutex */
    *in_file = st == CUZK_OK && in.inline_data == NULL;
    lock(s);
    if (st == CUZK_OK) {
        st = insert(s, j, &in, err);
    }
    if (st == CUZK_OK) {
        store_mark_write(s, j->number);
    }
    unlock(s);
    cuzk_free(in.inline_data);
    if (st != CUZK_OK && *in_file) {
        store_input_remove(s, j->number);
        *in_file = false;
    }
    return st;
}

/* A full disk: the log's space may be enough; a WinningPoSt takes the space that is kept for it. */
static bool make_room(store *s, bool privileged, const cuzk_err *err)
{
    lock(s);
    const bool full = store_is_full_error(err);
    bool again = false;
    if (full) {
        again = privileged && store_reserve_give(s, STORE_FOR_WINNING);
        if (!again) {
            store_set_full(s, true);
        }
    } else if (err->code == CUZK_E_IO) {
        store_set_unwritable(s, err);
    }
    unlock(s);
    return again;
}

static cuzk_status put(void *arg, const cuzk_job_record *j, cuzk_err *err)
{
    store *s = arg;
    cuzk_err inner = {.code = CUZK_OK};
    bool in_file = false;
    const uint64_t bytes = store_input_bytes(&j->request);
    const bool privileged = j->is_privileged;
    lock(s);
    cuzk_status st = reserve(s, bytes, privileged, err);
    unlock(s);
    if (st != CUZK_OK) {
        return st;
    }
    st = put_once(s, j, &in_file, &inner);
    if (st == CUZK_E_IO && make_room(s, privileged, &inner)) {
        st = put_once(s, j, &in_file, &inner);
    }
    lock(s);
    if (st != CUZK_OK || !in_file) { /* rows are counted as pages */
        s->file_bytes -= bytes;
    }
    unlock(s);
    if (st != CUZK_OK && err != NULL) {
        *err = inner;
    }
    return st;
}

/* What the unfinished job number keeps in a file; E_NOT_FOUND, or E_INVALID when it is over. Under the mutex. */
static cuzk_status unfinished_file_bytes(store *s, uint64_t number, uint64_t *bytes, cuzk_err *err)
{
    sqlite3_stmt *q = NULL;
    cuzk_status st = CUZK_OK;
    CUZK_TRY(store_prepare(s, &q,
                           "SELECT state, CASE WHEN input IS NULL THEN input_bytes ELSE 0 END"
                           " FROM job WHERE number = :number",
                           err));
    bind_u64(q, ":number", number);
    const int rc = sqlite3_step(q);
    if (rc == SQLITE_DONE) {
        st = CUZK_FAIL(err, CUZK_E_NOT_FOUND, "job store %s: no job %" PRIu64, s->path, number);
    } else if (rc != SQLITE_ROW) {
        st = store_sql_fail(s, "finish", err);
    } else if (sqlite3_column_int(q, 0) >= CUZK_JOB_COMPLETED) {
        st = CUZK_FAIL(err, CUZK_E_INVALID, "job store %s: job %" PRIu64 " is over already",
                       s->path, number);
    } else {
        *bytes = (uint64_t)sqlite3_column_int64(q, 1);
    }
    (void)sqlite3_finalize(q);
    return st;
}

/* Under the mutex. */
static cuzk_status end_job(store *s, const cuzk_job_record *j, cuzk_err *err)
{
    static const char sql[] =
        "UPDATE job SET state=:state, ended_ms=:ended_ms, code=:code, error=:error, proof=:proof,"
        "queue_wait_ms=:queue_wait_ms, srs_load_ms=:srs_load_ms, synthesis_ms=:synthesis_ms,"
        "gpu_compute_ms=:gpu_compute_ms, total_ms=:total_ms, input=NULL, input_bytes=0"
        " WHERE number=:number";
    sqlite3_stmt *q = NULL;
    uint64_t bytes = 0;
    CUZK_TRY(unfinished_file_bytes(s, j->number, &bytes, err));
    CUZK_TRY(store_prepare(s, &q, sql, err));
    bind_outcome(q, j);
    bind_u64(q, ":number", j->number);
    const cuzk_status st = run(s, q, "finish", err);
    (void)sqlite3_finalize(q);
    if (st == CUZK_OK) {
        s->file_bytes -= bytes;
    }
    return st;
}

static cuzk_status finish(void *arg, const cuzk_job_record *j, cuzk_err *err)
{
    store *s = arg;
    cuzk_err inner = {.code = CUZK_OK};
    CUZK_ASSERT(j->state >= CUZK_JOB_COMPLETED);
    lock(s);
    cuzk_status st = end_job(s, j, &inner);
    for (int r = 0; r < STORE_RESERVES && st == CUZK_E_IO; r++) { /* the disk is full, perhaps */
        if (store_is_full_error(&inner)) {
            store_set_full(s, true);
        } else {
            store_set_unwritable(s, &inner);
        }
        if (s->has_reserve[r] && store_reserve_give(s, (store_reserve)r)) {
            st = end_job(s, j, &inner);
        }
    }
    unlock(s);
    if (st != CUZK_OK && err != NULL) {
        *err = inner;
    }
    if (st == CUZK_OK) {
        store_input_remove(s, j->number);
    }
    return st;
}

typedef void (*each_fn)(void *each_arg, const cuzk_job_record *job);

/* Copies the first row of q, which it finalises. Not under the mutex. */
static cuzk_status first_row(store_row *row, store *s, sqlite3_stmt *q, bool with_input,
                             const char *what, cuzk_err *err)
{
    cuzk_status st;
    const int rc = sqlite3_step(q);
    if (rc == SQLITE_ROW) {
        st = store_row_copy(row, s, q, with_input, err);
    } else if (rc == SQLITE_DONE) {
        st = CUZK_FAIL(err, CUZK_E_NOT_FOUND, "job store %s: no such job", s->path);
    } else {
        st = store_sql_fail(s, what, err);
    }
    return st;
}

static cuzk_status find(void *arg, const char *job_id, each_fn each, void *each_arg, cuzk_err *err)
{
    store *s = arg;
    sqlite3_stmt *q = NULL;
    store_row row;
    lock(s);
    cuzk_status st = store_prepare(
        s, &q, "SELECT " STORE_COLUMNS " FROM job WHERE job_id = :id ORDER BY number DESC LIMIT 1",
        err);
    if (st == CUZK_OK) {
        bind_text(q, ":id", job_id);
        st = first_row(&row, s, q, false, "find", err);
    }
    (void)sqlite3_finalize(q);
    unlock(s);
    if (st == CUZK_OK) {
        each(each_arg, &row.job.record);
        store_row_free(&row);
    }
    return st;
}

static cuzk_status find_content(void *arg, const uint8_t content[32], cuzk_bytes request_id,
                                each_fn each, void *each_arg, cuzk_err *err)
{
    store *s = arg;
    sqlite3_stmt *q = NULL;
    store_row row;
    lock(s);
    cuzk_status st = store_prepare(s, &q,
                                   "SELECT " STORE_COLUMNS
                                   " FROM job WHERE content = :content AND request_id = :id"
                                   " AND state = 2 ORDER BY number DESC LIMIT 1",
                                   err);
    if (st == CUZK_OK) {
        bind_blob(q, ":content", content, 32);
        bind_blob(q, ":id", request_id.data, request_id.size);
        st = first_row(&row, s, q, false, "find", err);
    }
    (void)sqlite3_finalize(q);
    unlock(s);
    if (st == CUZK_OK) {
        each(each_arg, &row.job.record);
        store_row_free(&row);
    }
    return st;
}

/*
 * The first unfinished job with a number >= from, its input not yet read. *number (may be NULL) is
 * known also when its row is E_FORMAT.
 */
static cuzk_status next_unfinished(store_row *row, store *s, uint64_t from, uint64_t *number,
                                   cuzk_err *err)
{
    sqlite3_stmt *q = NULL;
    lock(s);
    cuzk_status st = store_prepare(s, &q,
                                   "SELECT " STORE_COLUMNS " FROM job WHERE state < 2"
                                   " AND number >= :from ORDER BY number LIMIT 1",
                                   err);
    if (st == CUZK_OK) {
        bind_u64(q, ":from", from);
        st = first_row(row, s, q, true, "load", err);
        if (number != NULL && (st == CUZK_OK || st == CUZK_E_FORMAT)) {
            *number = (uint64_t)sqlite3_column_int64(q, 0);
        }
    }
    (void)sqlite3_finalize(q);
    unlock(s);
    return st;
}

static cuzk_status read_one(void *arg, uint64_t number, each_fn each, void *each_arg, cuzk_err *err)
{
    store *s = arg;
    store_row row;
    CUZK_TRY(next_unfinished(&row, s, number, NULL, err));
    cuzk_status st = CUZK_OK;
    if (row.job.record.number != number) {
        st = CUZK_FAIL(err, CUZK_E_NOT_FOUND, "job store %s: no unfinished job %" PRIu64, s->path,
                       number);
    } else {
        st = store_row_take_input(&row, s, err);
    }
    if (st == CUZK_OK) {
        each(each_arg, &row.job.record);
    }
    store_row_free(&row);
    return st;
}

static bool is_lost(cuzk_status st)
{
    return st == CUZK_E_FORMAT || st == CUZK_E_DIGEST || st == CUZK_E_NOT_FOUND;
}

/* A job that can never be proved is reported to every client that asks for it. */
static cuzk_status end_lost(store *s, cuzk_job_record *j, const char *why, cuzk_err *err)
{
    char text[512];
    (void)snprintf(text, sizeof(text), "environment: %s", why);
    j->state = CUZK_JOB_FAILED;
    j->code = CUZK_E_IO;
    j->error = text;
    j->ended_unix_ms = (int64_t)time(NULL) * 1000;
    return finish(s, j, err);
}

static cuzk_status load(void *arg, each_fn each, void *each_arg, uint64_t *next_number,
                        cuzk_err *err)
{
    store *s = arg;
    uint64_t from = 0;
    lock(s);
    cuzk_status st =
        store_query_u64(s, next_number, "SELECT value FROM meta WHERE name = 'next_number'", err);
    unlock(s);
    while (st == CUZK_OK) {
        store_row row;
        cuzk_err why = {.code = CUZK_OK};
        uint64_t number = 0;
        st = next_unfinished(&row, s, from, &number, &why);
        if (st == CUZK_E_NOT_FOUND) {
            return CUZK_OK;
        }
        from = number + 1;
        if (st == CUZK_OK) {
            st = store_row_take_input(&row, s, &why);
        } else if (st == CUZK_E_FORMAT) {
            memset(&row, 0, sizeof(row));
            row.job.record.number = number; /* its record says nothing else */
            row.job.record.error = "";
        } else {
            memset(&row, 0, sizeof(row));
        }
        if (st == CUZK_OK) {
            each(each_arg, &row.job.record);
        } else if (is_lost(st)) {
            st = end_lost(s, &row.job.record, why.msg, err);
        } else if (err != NULL) {
            *err = why;
        }
        store_row_free(&row);
    }
    return st;
}

static cuzk_status prune(void *arg, int64_t ended_before_unix_ms, uint64_t keep_count,
                         cuzk_err *err)
{
    store *s = arg;
    sqlite3_stmt *q = NULL;
    const uint64_t keep = keep_count > INT64_MAX ? INT64_MAX : keep_count;
    lock(s);
    cuzk_status st = store_prepare(
        s, &q,
        "DELETE FROM job WHERE state >= 2 AND (ended_ms < :before OR number IN"
        " (SELECT number FROM job WHERE state >= 2 ORDER BY ended_ms DESC, number DESC"
        "  LIMIT -1 OFFSET :keep))",
        err);
    if (st == CUZK_OK) {
        bind_u64(q, ":before", (uint64_t)ended_before_unix_ms);
        bind_u64(q, ":keep", keep);
        st = run(s, q, "prune", err);
    }
    (void)sqlite3_finalize(q);
    if (st == CUZK_OK) { /* gives the file system back what a burst of jobs took, in small steps */
        st = store_exec(s, "PRAGMA incremental_vacuum(256)", err);
    }
    unlock(s);
    return st;
}

static void destroy(void *arg)
{
    store_free(arg);
}

void store_functions(cuzk_job_store *out, store *s)
{
    const cuzk_job_store f = {.arg = s,
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
