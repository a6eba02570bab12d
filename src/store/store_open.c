/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"

#include "store_internal.h"

#define DEFAULT_MAX_BYTES ((uint64_t)64 << 30)
#define BUSY_MS           2000

/* Of version 2. Some stores of version 1 have it already. */
#define OWNER_COLUMN      "ALTER TABLE job ADD COLUMN owner BLOB NOT NULL DEFAULT x''"

static const char schema[] =
    "CREATE TABLE job("
    "number INTEGER PRIMARY KEY, job_id TEXT NOT NULL, request_id BLOB NOT NULL,"
    "kind INTEGER NOT NULL, priority INTEGER NOT NULL, sector_size INTEGER NOT NULL,"
    "registered_proof INTEGER NOT NULL, sector_number INTEGER NOT NULL, miner_id INTEGER NOT NULL,"
    "partition_index INTEGER NOT NULL, content BLOB NOT NULL, accepted_ms INTEGER NOT NULL,"
    "deadline_ms INTEGER NOT NULL, cancel_when_unwatched INTEGER NOT NULL, state INTEGER NOT NULL,"
    "ended_ms INTEGER NOT NULL, code INTEGER NOT NULL, error TEXT NOT NULL, proof BLOB NOT NULL,"
    "queue_wait_ms INTEGER NOT NULL, srs_load_ms INTEGER NOT NULL, synthesis_ms INTEGER NOT NULL,"
    "gpu_compute_ms INTEGER NOT NULL, total_ms INTEGER NOT NULL,"
    "input BLOB, input_bytes INTEGER NOT NULL, input_digest BLOB NOT NULL) STRICT;" OWNER_COLUMN ";"
    "CREATE INDEX job_by_id ON job(job_id, number);"
    "CREATE INDEX job_by_content ON job(content, number);"
    "CREATE INDEX job_unfinished ON job(number) WHERE state < 2;"
    "CREATE INDEX job_ended ON job(ended_ms, number) WHERE state >= 2;"
    /* next_number: a number is never given twice, also after the job is pruned */
    "CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;"
    "INSERT INTO meta VALUES('next_number', 1);";

void store_free(store *s)
{
    if (s == NULL) {
        return;
    }
    if (s->mark_fd >= 0) {
        (void)close(s->mark_fd);
    }
    (void)sqlite3_close(s->db); /* every statement is finalised where it is made */
    (void)pthread_mutex_destroy(&s->mutex);
    cuzk_free(s);
}

void store_folder_of(char out[CUZK_STORE_PATH_BYTES], const char *path)
{
    (void)snprintf(out, CUZK_STORE_PATH_BYTES, "%s", path);
    char *slash = strrchr(out, '/');
    if (slash == NULL) {
        (void)snprintf(out, CUZK_STORE_PATH_BYTES, ".");
    } else {
        slash[slash == out ? 1 : 0] = '\0';
    }
}

/* One level; permission errors show when the file is made. */
static void make_folder_of(const char *path)
{
    char folder[CUZK_STORE_PATH_BYTES];
    store_folder_of(folder, path);
    (void)mkdir(folder, 0750);
}

/* So that the folder of inputs outlives a power cut; where folders cannot be synced, nothing is lost. */
static void sync_folder_of(const char *path)
{
    char folder[CUZK_STORE_PATH_BYTES];
    store_folder_of(folder, path);
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        (void)close(fd);
    }
}

/* SQLite would make it readable for all. Only when it is new: closing a descriptor of a file that
 * this process has locked elsewhere would drop the lock. */
static cuzk_status make_file(const store *s, cuzk_err *err)
{
    const int fd = open(s->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) {
        (void)close(fd);
        return CUZK_OK;
    }
    if (errno == EEXIST) {
        return CUZK_OK;
    }
    const int os = errno;
    return CUZK_FAIL_OS(err, CUZK_E_IO, os, "job store %s: cannot create: %s", s->path,
                        strerror(os)); /* NOLINT(concurrency-mt-unsafe): safe in glibc >= 2.32 */
}

static cuzk_status create_schema(store *s, cuzk_err *err)
{
    char sql[128];
    CUZK_TRY(store_exec(s, "PRAGMA auto_vacuum=INCREMENTAL; BEGIN EXCLUSIVE", err));
    CUZK_TRY(store_exec(s, schema, err));
    (void)snprintf(sql, sizeof(sql),
                   "INSERT INTO meta VALUES('compatible', %d);"
                   "PRAGMA application_id=%d; PRAGMA user_version=%d; COMMIT",
                   STORE_COMPATIBLE, STORE_APPLICATION_ID, STORE_VERSION);
    return store_exec(s, sql, err);
}

/* A store of a newer program: may this one use it? Nothing is written. */
static cuzk_status check_newer(store *s, uint64_t version, cuzk_err *err)
{
    uint64_t compatible = 0;
    cuzk_ignore(store_query_u64(s, &compatible, "SELECT value FROM meta WHERE name = 'compatible'",
                                NULL)); /* not there: of this version only */
    compatible = compatible == 0 ? version : compatible;
    if (compatible <= STORE_VERSION) {
        return CUZK_OK;
    }
    return CUZK_FAIL(err, CUZK_E_UNSUPPORTED,
                     "job store %s: its format has version %" PRIu64
                     " and wants a program that knows version %" PRIu64
                     "; this program knows version %d. Nothing was changed. Install the newer "
                     "program again, or move the store away (docs/upgrade.md, Roll back)",
                     s->path, version, compatible, STORE_VERSION);
}

/* Whose database is it? Nothing is written before that is known. */
static cuzk_status check_owner(store *s, cuzk_err *err)
{
    uint64_t application = 0, version = 0, tables = 0;
    CUZK_TRY(store_query_u64(s, &tables, "SELECT count(*) FROM sqlite_schema", err));
    CUZK_TRY(store_query_u64(s, &application, "PRAGMA application_id", err));
    CUZK_TRY(store_query_u64(s, &version, "PRAGMA user_version", err));
    if (tables == 0) {
        return create_schema(s, err);
    }
    if (application != STORE_APPLICATION_ID) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "job store %s: another program's database", s->path);
    }
    return version <= STORE_VERSION ? CUZK_OK : check_newer(s, version, err);
}

/* *damage gets what is wrong, or stays "". */
static cuzk_status check_integrity(store *s, char *damage, size_t cap, cuzk_err *err)
{
    sqlite3_stmt *q = NULL;
    cuzk_status st = CUZK_OK;
    CUZK_TRY(store_prepare(s, &q, "PRAGMA integrity_check(1)", err));
    const int rc = sqlite3_step(q);
    const char *text = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(q, 0) : NULL;
    if (text == NULL) {
        st = store_sql_fail(s, "integrity check", err);
    } else if (strcmp(text, "ok") != 0) {
        (void)snprintf(damage, cap, "%s", text);
    }
    (void)sqlite3_finalize(q);
    return st;
}

static cuzk_status add_owner_column(store *s, cuzk_err *err)
{
    uint64_t jobs = 0, there = 0;
    CUZK_TRY(store_query_u64(s, &jobs, "SELECT count(*) FROM pragma_table_info('job')", err));
    CUZK_TRY(store_query_u64(
        s, &there, "SELECT count(*) FROM pragma_table_info('job') WHERE name = 'owner'", err));
    return jobs == 0 || there != 0 ? CUZK_OK : store_exec(s, OWNER_COLUMN, err);
}

/* steps[v - 1] makes version v + 1 of version v. A new version: one more step, STORE_VERSION one more, the schema
 * above as the steps leave it, and STORE_COMPATIBLE raised when older programs cannot use the result. */
static cuzk_status (*const steps[STORE_VERSION - 1])(store *s, cuzk_err *err) = {add_owner_column};

/* Forward to STORE_VERSION, all of it or nothing. A store of a newer program stays as it is. */
static cuzk_status migrate(store *s, cuzk_err *err)
{
    char sql[160];
    uint64_t version = 0;
    CUZK_TRY(store_query_u64(s, &version, "PRAGMA user_version", err));
    if (version == 0 || version >= STORE_VERSION) { /* 0: damaged, check_columns says how */
        return CUZK_OK;
    }
    CUZK_TRY(store_exec(s, "BEGIN EXCLUSIVE", err));
    cuzk_status st = CUZK_OK;
    for (uint64_t v = version; v < STORE_VERSION && st == CUZK_OK; v++) {
        st = steps[v - 1](s, err);
    }
    if (st == CUZK_OK) {
        (void)snprintf(sql, sizeof(sql),
                       "INSERT OR REPLACE INTO meta VALUES('compatible', %d);"
                       "PRAGMA user_version=%d; COMMIT",
                       STORE_COMPATIBLE, STORE_VERSION);
        st = store_exec(s, sql, err);
    }
    if (st != CUZK_OK) {
        cuzk_ignore(store_exec(s, "ROLLBACK", NULL));
    }
    return st;
}

/* A damaged byte in the text of the schema: the database is sound, and a column has another name. */
static cuzk_status check_columns(store *s, char *damage, size_t cap, cuzk_err *err)
{
    static const char *const wanted[] = {"SELECT " STORE_COLUMNS " FROM job LIMIT 0",
                                         "SELECT name, value FROM meta LIMIT 0"};
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        sqlite3_stmt *q = NULL;
        if (sqlite3_prepare_v2(s->db, wanted[i], -1, &q, NULL) == SQLITE_ERROR) {
            (void)snprintf(damage, cap, "its schema is damaged: %s", sqlite3_errmsg(s->db));
            return CUZK_OK;
        }
        const bool ok = q != NULL;
        (void)sqlite3_finalize(q);
        if (!ok) {
            return store_sql_fail(s, "schema", err);
        }
    }
    return CUZK_OK;
}

cuzk_status store_check_writable(store *s, cuzk_err *err)
{
    return store_exec(s,
                      "BEGIN EXCLUSIVE;"
                      "INSERT INTO meta VALUES('opened', 1)"
                      " ON CONFLICT(name) DO UPDATE SET value = value + 1; COMMIT",
                      err);
}

static cuzk_status open_database(store *s, char *damage, size_t cap, cuzk_err *err)
{
    CUZK_TRY(make_file(s, err));
    if (sqlite3_open_v2(s->path, &s->db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                        NULL) != SQLITE_OK) {
        return s->db == NULL ? CUZK_FAIL(err, CUZK_E_NOMEM, "job store %s: out of memory", s->path)
                             : store_sql_fail(s, "open", err);
    }
    (void)sqlite3_busy_timeout(s->db, BUSY_MS);
    /* exclusive: one process, and no shared memory file that another could map */
    CUZK_TRY(store_exec(s,
                        "PRAGMA locking_mode=EXCLUSIVE; PRAGMA trusted_schema=OFF;"
                        "PRAGMA cell_size_check=ON",
                        err));
    CUZK_TRY(check_owner(s, err));
    CUZK_TRY(store_exec(s,
                        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                        "PRAGMA journal_size_limit=67108864",
                        err));
    CUZK_TRY(check_integrity(s, damage, cap, err));
    if (damage[0] == '\0') {
        CUZK_TRY(migrate(s, err));
        CUZK_TRY(check_columns(s, damage, cap, err));
    }
    return damage[0] != '\0' ? CUZK_OK : store_check_writable(s, err);
}

static void move(const char *from, const char *to, const char *suffix)
{
    char a[CUZK_STORE_PATH_BYTES + 16], b[CUZK_STORE_PATH_BYTES + 80];
    (void)snprintf(a, sizeof(a), "%s%s", from, suffix);
    (void)snprintf(b, sizeof(b), "%s%s", to, suffix);
    (void)rename(a, b);
}

static cuzk_status move_aside(store *s, cuzk_store_report *report, cuzk_err *err)
{
    char to[CUZK_STORE_PATH_BYTES + 64], stamp[32];
    const time_t now = time(NULL);
    struct tm tm;
    (void)sqlite3_close(s->db);
    s->db = NULL;
    (void)strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", gmtime_r(&now, &tm));
    for (unsigned i = 0;; i++) { /* two in one second are kept apart */
        (void)snprintf(to, sizeof(to), "%s.damaged-%s-%u", s->path, stamp, i);
        if (access(to, F_OK) != 0) {
            break;
        }
    }
    if (rename(s->path, to) != 0) {
        const int os = errno;
        return CUZK_FAIL_OS(
            err, CUZK_E_IO, os, "job store %s: damaged, and cannot be moved aside: %s", s->path,
            strerror(os)); /* NOLINT(concurrency-mt-unsafe): safe in glibc >= 2.32 */
    }
    move(s->path, to, "-wal");
    move(s->path, to, "-shm");
    move(s->path, to, "-journal");
    move(s->path, to, ".inputs");
    move(s->path, to, ".mark");
    (void)snprintf(report->moved_to, sizeof(report->moved_to), "%s", to);
    return CUZK_OK;
}

static cuzk_status open_or_replace(store *s, cuzk_store_report *report, cuzk_err *err)
{
    cuzk_err first = {.code = CUZK_OK};
    cuzk_status st = open_database(s, report->damage, sizeof(report->damage), &first);
    if (st != CUZK_OK && s->db != NULL && store_is_damaged(s)) {
        (void)snprintf(report->damage, sizeof(report->damage), "%s", sqlite3_errmsg(s->db));
        st = CUZK_OK;
    }
    if (st != CUZK_OK) {
        if (err != NULL) {
            *err = first;
        }
        return st;
    }
    if (report->damage[0] == '\0') {
        return CUZK_OK;
    }
    char again[8] = "";
    CUZK_TRY(move_aside(s, report, err));
    return open_database(s, again, sizeof(again), err);
}

/* A start on a full disk: what was kept for results is given up, so that they can be written. */
static cuzk_status open_with_reserve(store *s, cuzk_store_report *report, cuzk_err *err)
{
    cuzk_err first = {.code = CUZK_OK};
    cuzk_status st = open_or_replace(s, report, &first);
    if (st == CUZK_E_IO && store_is_full_error(&first)) {
        (void)sqlite3_close(s->db);
        s->db = NULL;
        report->gave_reserve = store_reserve_give(s, STORE_FOR_RESULTS);
        if (report->gave_reserve) {
            memset(&first, 0, sizeof(first));
            st = open_or_replace(s, report, &first);
        }
    }
    if (st != CUZK_OK && err != NULL) {
        *err = first;
    }
    return st;
}

/* The mark is younger than the database: jobs that were accepted are not in it. */
static cuzk_status check_mark(store *s, cuzk_store_report *report, cuzk_err *err)
{
    char sql[128];
    uint64_t next = 0;
    CUZK_TRY(store_query_u64(s, &next, "SELECT value FROM meta WHERE name = 'next_number'", err));
    s->mark = store_mark_read(s);
    if (s->mark < next) {
        return CUZK_OK;
    }
    report->lost = s->mark - next + 1;
    (void)snprintf(sql, sizeof(sql),
                   "UPDATE meta SET value = %" PRIu64 " WHERE name = 'next_number'", s->mark + 1);
    return store_exec(s, sql, err); /* their numbers are not used again */
}

static cuzk_status take_stock(store *s, cuzk_store_report *report, cuzk_err *err)
{
    CUZK_TRY(
        store_query_u64(s, &report->unfinished, "SELECT count(*) FROM job WHERE state < 2", err));
    CUZK_TRY(store_query_u64(s, &report->ended, "SELECT count(*) FROM job WHERE state >= 2", err));
    return store_query_u64(
        s, &s->file_bytes,
        "SELECT coalesce(sum(input_bytes), 0) FROM job WHERE state < 2 AND input IS NULL", err);
}

cuzk_status cuzk_store_open(cuzk_job_store *out, const cuzk_store_config *config,
                            cuzk_store_report *report, cuzk_err *err)
{
    cuzk_store_report unwanted;
    cuzk_status st;
    report = report == NULL ? &unwanted : report;
    memset(report, 0, sizeof(*report));
    /* room for ".damaged-TIME" in the report's path */
    if (config->path[0] == '\0' || strlen(config->path) + 48 > CUZK_STORE_PATH_BYTES) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "job store: the path is empty or too long");
    }
    store *s = cuzk_alloc_zero(1, sizeof(*s));
    if (s == NULL || pthread_mutex_init(&s->mutex, NULL) != 0) {
        cuzk_free(s);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the job store");
    }
    (void)snprintf(s->path, sizeof(s->path), "%s", config->path);
    s->max_bytes = config->max_bytes == 0 ? DEFAULT_MAX_BYTES : config->max_bytes;
    s->mark_fd = -1;
    s->on_full = config->on_full;
    s->on_full_arg = config->on_full_arg;
    make_folder_of(s->path);
    CUZK_TRY_GOTO(st, store_check_files(s, err));
    CUZK_TRY_GOTO(st, store_check_access(s, err));
    CUZK_TRY_GOTO(st, store_reserves_check(s, err));
    CUZK_TRY_GOTO(st, open_with_reserve(s, report, err));
    CUZK_TRY_GOTO(st, check_mark(s, report, err));
    CUZK_TRY_GOTO(st, store_sweep_inputs(s, report, err));
    sync_folder_of(s->path);
    store_note_place(s);
    CUZK_TRY_GOTO(st, take_stock(s, report, err));
    if (!store_reserves_take(s)) { /* jobs are refused, results still found */
        store_set_full(s, true);
    }
    store_functions(out, s);
    return CUZK_OK;
out:
    store_free(s);
    return st;
}
