/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "pg_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/entropy.h"
#include "sys/file.h"

#define PATH_BYTES  (CUZK_PG_FOLDER_BYTES + PG_FILE_CHARS + 2)
#define ID_FILE     "cuzk-queue.id"
#define UNSEEN_S    300  /* a file of another host may not be seen for as long: caches of NFS */
#define ORPHAN_S    3600 /* a file without a row may be of a job that is being put */
#define SWEEP_BATCH 256u

static const char digits[] = "0123456789abcdef";

void pg_file_name(char out[PG_FILE_CHARS + 1], uint64_t number,
                  const uint8_t digest[CUZK_SHA256_BYTES])
{
    (void)snprintf(out, PG_FILE_CHARS + 1, "%016" PRIx64 "-", number);
    for (size_t i = 0; i < CUZK_SHA256_BYTES; i++) {
        out[17 + 2 * i] = digits[digest[i] >> 4];
        out[18 + 2 * i] = digits[digest[i] & 15];
    }
    out[PG_FILE_CHARS] = '\0';
}

static bool is_name(const char *name, uint64_t *number)
{
    char head[17];
    if (strlen(name) != PG_FILE_CHARS || name[16] != '-' || strspn(name, digits) != 16 ||
        strspn(name + 17, digits) != 2 * CUZK_SHA256_BYTES) {
        return false;
    }
    memcpy(head, name, 16);
    head[16] = '\0';
    *number = strtoull(head, NULL, 16);
    return true;
}

static bool is_temporary(const char *name)
{
    return strncmp(name, ".cuzk-", 6) == 0 && strlen(name) == 26 && strcmp(name + 22, ".tmp") == 0;
}

static void path_of(char out[PATH_BYTES], const pg_store *s, const char *name)
{
    (void)snprintf(out, PATH_BYTES, "%s/%s", s->folder, name);
}

/* --- the folder --- */

static cuzk_status fail_folder(const pg_store *s, int os, cuzk_err *err)
{
    return CUZK_FAIL_OS(err, CUZK_E_IO, os, "store.inputs_folder %s: %s", s->folder,
                        strerror(os)); /* NOLINT(concurrency-mt-unsafe) */
}

/* The number in the folder's file; 0: there is no such file. */
static cuzk_status read_id(const pg_store *s, uint64_t *id, cuzk_err *err)
{
    char path[PATH_BYTES];
    cuzk_content c = {.data = NULL};
    path_of(path, s, ID_FILE);
    *id = 0;
    const cuzk_status st = cuzk_content_read(&c, path, 32, err);
    if (st == CUZK_E_NOT_FOUND) {
        return CUZK_OK;
    }
    CUZK_TRY(st);
    for (size_t i = 0; i < c.size && c.data[i] >= '0' && c.data[i] <= '9' && *id < INT64_MAX / 100;
         i++) {
        *id = 10 * *id + (uint64_t)(c.data[i] - '0');
    }
    cuzk_content_free(&c);
    return *id != 0 ? CUZK_OK
                    : CUZK_FAIL(err, CUZK_E_INVALID,
                                "store.inputs_folder: %s is not a file of this program", path);
}

static cuzk_status write_id(const pg_store *s, uint64_t *id, cuzk_err *err)
{
    char path[PATH_BYTES], text[32];
    CUZK_TRY(cuzk_entropy(id, sizeof(*id), err));
    *id = *id >> 12 | 1;
    (void)snprintf(text, sizeof(text), "%" PRIu64 "\n", *id);
    path_of(path, s, ID_FILE);
    return cuzk_file_write_all(path, text, strlen(text), false, err);
}

/* The number in the database, after id (0: none) was offered. */
static cuzk_status agree(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err)
{
    uint64_t *id = arg;
    pg_params p = {.n = 0};
    PGresult *r = NULL;
    (void)s;
    (void)is_again;
    pg_add_u64(&p, *id);
    CUZK_TRY(pg_exec(
        c, NULL, "folder",
        "INSERT INTO cuzk_meta SELECT 'folder', $1 WHERE $1 <> 0 ON CONFLICT DO NOTHING", &p, err));
    CUZK_TRY(
        pg_exec(c, &r, "folder", "SELECT value FROM cuzk_meta WHERE name = 'folder'", NULL, err));
    *id = PQntuples(r) == 1 ? pg_u64(r, 0, 0) : 0;
    PQclear(r);
    return CUZK_OK;
}

static cuzk_status open_shared(pg_store *s, cuzk_err *err)
{
    uint64_t here = 0, theirs = 0;
    CUZK_TRY(read_id(s, &here, err));
    theirs = here;
    CUZK_TRY(pg_run(s, agree, &theirs, err));
    if (here == 0 && theirs == 0) { /* the first daemon, in a new folder */
        cuzk_status st = write_id(s, &here, err);
        if (st == CUZK_E_EXISTS) { /* another one, just now */
            st = read_id(s, &here, err);
        }
        CUZK_TRY(st);
        theirs = here;
        CUZK_TRY(pg_run(s, agree, &theirs, err));
    }
    if (here == 0) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "store.inputs_folder %s: has no file " ID_FILE
                         ", but other daemons have a shared "
                         "folder: is it mounted? (To move to a new folder, copy its files there.)",
                         s->folder);
    }
    if (here != theirs) {
        return CUZK_FAIL(
            err, CUZK_E_INVALID,
            "store.inputs_folder %s: is the folder of another queue, or not the one that the other "
            "daemons share",
            s->folder);
    }
    return CUZK_OK;
}

cuzk_status pg_folder_open(pg_store *s, cuzk_err *err)
{
    if (s->folder == NULL) {
        return CUZK_OK;
    }
    if (strlen(s->folder) >= CUZK_PG_FOLDER_BYTES) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "store.inputs_folder: longer than %d bytes",
                         CUZK_PG_FOLDER_BYTES - 1);
    }
    if (s->place == PG_PLACE_KEEPER && mkdir(s->folder, 0700) != 0 && errno != EEXIST) {
        return fail_folder(s, errno, err);
    }
    const int fd = open(s->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || faccessat(fd, ".", W_OK | X_OK, 0) != 0) {
        const int os = errno;
        if (fd >= 0) {
            (void)close(fd);
        }
        return fail_folder(s, os, err);
    }
    (void)close(fd);
    return s->place == PG_PLACE_FOLDER ? open_shared(s, err) : CUZK_OK;
}

/* --- one file --- */

static cuzk_status write_parts(const char *path, const pg_kept *kept, cuzk_err *err)
{
    cuzk_file_writer *w = NULL;
    CUZK_TRY(cuzk_file_writer_open(&w, path, true, err));
    for (size_t i = 0; i < kept->n_parts; i++) {
        const cuzk_bytes b = pg_kept_part(kept, i);
        const cuzk_status st = cuzk_file_writer_write(w, b.data, b.size, err);
        if (st != CUZK_OK) {
            cuzk_file_writer_abort(w);
            return st;
        }
    }
    return cuzk_file_writer_commit(w, err);
}

cuzk_status pg_folder_write(const pg_store *s, uint64_t number, const pg_input *in,
                            const pg_kept *kept, cuzk_err *err)
{
    char name[PG_FILE_CHARS + 1], path[PATH_BYTES];
    uint64_t id = 0;
    if (s->place == PG_PLACE_FOLDER) { /* nothing is written below a mount that has gone */
        CUZK_TRY(read_id(s, &id, err));
        if (id == 0) {
            return CUZK_FAIL(
                err, CUZK_E_IO,
                "store.inputs_folder %s: its file " ID_FILE " has gone: is it mounted?", s->folder);
        }
    }
    pg_file_name(name, number, in->kept_digest);
    path_of(path, s, name);
    const cuzk_status st = write_parts(path, kept, err);
    if (st == CUZK_E_NOT_FOUND && err != NULL) { /* of the folder: trouble of this machine */
        err->code = CUZK_E_IO;
    }
    return st == CUZK_E_NOT_FOUND ? CUZK_E_IO : st;
}

/* A damaged file must not become another job's. */
static bool has_digest(const char *path, const pg_input *in)
{
    uint8_t part[8192], digest[CUZK_SHA256_BYTES];
    uint64_t n = 0;
    cuzk_sha256 sha;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t got = fd < 0 ? -1 : read(fd, part, sizeof(part));
    cuzk_sha256_init(&sha);
    while (got > 0 && (uint64_t)got <= in->kept_bytes - n) {
        cuzk_sha256_update(&sha, part, (size_t)got);
        n += (uint64_t)got;
        got = read(fd, part, sizeof(part));
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    cuzk_sha256_final(digest, &sha);
    return got == 0 && n == in->kept_bytes && memcmp(digest, in->kept_digest, sizeof(digest)) == 0;
}

bool pg_folder_share(const pg_store *s, uint64_t number, const pg_input *in, uint64_t other)
{
    char name[PG_FILE_CHARS + 1], from[PATH_BYTES], to[PATH_BYTES];
    pg_file_name(name, other, in->kept_digest);
    path_of(from, s, name);
    pg_file_name(name, number, in->kept_digest);
    path_of(to, s, name);
    /* The file system counts the jobs of a file. The other job may have ended just now: then there is nothing to link. A
     * sweep must not take the new name for an old one without a row. */
    if (utimensat(AT_FDCWD, from, NULL, 0) != 0 || link(from, to) != 0) {
        return false;
    }
    const int fd = open(s->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool ok = fd >= 0 && fsync(fd) == 0 && has_digest(to, in);
    if (fd >= 0) {
        (void)close(fd);
    }
    if (!ok) {
        (void)unlink(to);
    }
    return ok;
}

static cuzk_status missing(const pg_store *s, uint64_t number, int64_t accepted_unix_ms,
                           cuzk_err *err)
{
    uint64_t id = 0;
    const cuzk_status st = s->place == PG_PLACE_FOLDER ? read_id(s, &id, NULL) : CUZK_OK;
    const bool is_there = st == CUZK_OK && (s->place != PG_PLACE_FOLDER || id != 0);
    const bool is_old = (int64_t)time(NULL) - accepted_unix_ms / 1000 > UNSEEN_S;
    if (is_there && (is_old || s->place == PG_PLACE_KEEPER)) {
        return CUZK_FAIL(err, CUZK_E_NOT_FOUND,
                         "the input of job %" PRIu64 " is not in %s any more", number, s->folder);
    }
    return CUZK_FAIL(err, CUZK_E_IO, "the input of job %" PRIu64 " is not in %s%s", number,
                     s->folder,
                     is_there ? " yet" : ": its file " ID_FILE " has gone: is it mounted?");
}

cuzk_status pg_folder_read(uint8_t **kept, const pg_store *s, uint64_t number, const pg_input *in,
                           int64_t accepted_unix_ms, cuzk_err *err)
{
    char name[PG_FILE_CHARS + 1], path[PATH_BYTES];
    cuzk_file *f = NULL;
    *kept = NULL;
    if (s->folder == NULL) {
        return CUZK_FAIL(err, CUZK_E_IO,
                         "the input of job %" PRIu64
                         " is in a shared folder: this daemon has no store.inputs_folder",
                         number);
    }
    pg_file_name(name, number, in->kept_digest);
    path_of(path, s, name);
    cuzk_status st = cuzk_file_open(&f, path, err);
    if (st == CUZK_E_NOT_FOUND) {
        return missing(s, number, accepted_unix_ms, err);
    }
    CUZK_TRY(st);
    if (cuzk_file_size(f) != in->kept_bytes) {
        st = CUZK_FAIL(err, CUZK_E_DIGEST,
                       "a stored input is damaged: %s has %" PRIu64 " bytes, not %" PRIu64, path,
                       cuzk_file_size(f), in->kept_bytes);
    } else if ((*kept = cuzk_alloc((size_t)in->kept_bytes, 1)) == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the input of a stored job");
    } else {
        st = cuzk_file_read(f, *kept, 0, (size_t)in->kept_bytes, err);
    }
    cuzk_file_close(f);
    if (st != CUZK_OK) {
        cuzk_free(*kept);
        *kept = NULL;
    }
    return st;
}

void pg_folder_remove(const pg_store *s, uint64_t number, const uint8_t digest[CUZK_SHA256_BYTES])
{
    char name[PG_FILE_CHARS + 1], path[PATH_BYTES];
    if (s->folder != NULL) {
        pg_file_name(name, number, digest);
        path_of(path, s, name);
        (void)unlink(path); /* what stays is removed by a sweep */
    }
}

cuzk_status cuzk_pg_input_part(const cuzk_job_store *store, const char *name, uint64_t at,
                               size_t max, uint8_t **out, size_t *n, cuzk_err *err)
{
    const pg_store *s = store->arg;
    char path[PATH_BYTES];
    uint64_t number = 0;
    cuzk_file *f = NULL;
    *out = NULL;
    *n = 0;
    if (s->place != PG_PLACE_KEEPER || !is_name(name, &number)) {
        return CUZK_FAIL(err, CUZK_E_NOT_FOUND, "this daemon keeps no such input");
    }
    path_of(path, s, name);
    CUZK_TRY(cuzk_file_open(&f, path, err));
    const uint64_t size = cuzk_file_size(f), left = at < size ? size - at : 0;
    *n = left < max ? (size_t)left : max;
    *out = cuzk_alloc(*n, 1);
    cuzk_status st = *out == NULL ? CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a part of an input")
                     : *n > 0     ? cuzk_file_read(f, *out, at, *n, err)
                                  : CUZK_OK;
    cuzk_file_close(f);
    if (st != CUZK_OK) {
        cuzk_free(*out);
        *out = NULL;
    }
    return st;
}

/* --- sweeping --- */

typedef struct batch {
    char names[SWEEP_BATCH][PG_FILE_CHARS + 1];
    uint64_t numbers[SWEEP_BATCH];
    bool is_old[SWEEP_BATCH];
    size_t n;
} batch;

/* An ended job's file goes; that of a job without a row, when it is old. */
static cuzk_status sweep_batch(const pg_store *s, pg_conn *c, int fd, batch *b, cuzk_err *err)
{
    char text[22 * SWEEP_BATCH + 3];
    pg_params p = {.n = 0};
    PGresult *r = NULL;
    (void)s;
    pg_add_array(&p, b->numbers, b->n, text, sizeof(text));
    CUZK_TRY(pg_exec(c, &r, "sweep",
                     "SELECT n, j.number IS NOT NULL FROM unnest($1) AS n"
                     " LEFT JOIN cuzk_job j ON j.number = n WHERE j.number IS NULL OR j.state >= 2",
                     &p, err));
    for (int i = 0; i < PQntuples(r); i++) {
        for (size_t k = 0; k < b->n; k++) {
            if (b->numbers[k] == pg_u64(r, i, 0) && (pg_bool(r, i, 1) || b->is_old[k])) {
                (void)unlinkat(fd, b->names[k], 0);
            }
        }
    }
    PQclear(r);
    b->n = 0;
    return CUZK_OK;
}

static cuzk_status sweep_folder(const pg_store *s, pg_conn *c, DIR *d, batch *b, cuzk_err *err)
{
    const struct dirent *e;
    while ((e = readdir(d)) != NULL) { /* NOLINT(concurrency-mt-unsafe): d is ours */
        uint64_t number = 0;
        struct stat st;
        const bool own = is_name(e->d_name, &number);
        if ((!own && !is_temporary(e->d_name)) ||
            fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode)) {
            continue;
        }
        const bool is_old = time(NULL) - st.st_mtime > ORPHAN_S;
        if (!own) {
            if (is_old) {
                (void)unlinkat(dirfd(d), e->d_name, 0);
            }
            continue;
        }
        memcpy(b->names[b->n], e->d_name, PG_FILE_CHARS + 1);
        b->numbers[b->n] = number;
        b->is_old[b->n++] = is_old;
        if (b->n == SWEEP_BATCH) {
            CUZK_TRY(sweep_batch(s, c, dirfd(d), b, err));
        }
    }
    return b->n > 0 ? sweep_batch(s, c, dirfd(d), b, err) : CUZK_OK;
}

/* A shared folder is swept by the member that has been there for longest. */
static cuzk_status is_mine_to_sweep(pg_store *s, pg_conn *c, bool *is_mine, cuzk_err *err)
{
    pg_params p = {.n = 0};
    PGresult *r = NULL;
    *is_mine = s->place == PG_PLACE_KEEPER;
    if (s->place == PG_PLACE_FOLDER && s->fleet != NULL) {
        pg_add_text(&p, pg_fleet_name(s));
        CUZK_TRY(
            pg_exec(c, &r, "sweep",
                    "SELECT name = $1 FROM cuzk_member WHERE is_alive ORDER BY incarnation LIMIT 1",
                    &p, err));
        *is_mine = PQntuples(r) == 1 && pg_bool(r, 0, 0);
        PQclear(r);
    }
    return CUZK_OK;
}

cuzk_status pg_folder_sweep(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err)
{
    bool is_mine = false;
    (void)arg;
    (void)is_again;
    if (s->folder == NULL) {
        return CUZK_OK;
    }
    CUZK_TRY(is_mine_to_sweep(s, c, &is_mine, err));
    if (!is_mine) {
        return CUZK_OK;
    }
    DIR *d = opendir(s->folder);
    batch *b = d == NULL ? NULL : cuzk_alloc_zero(1, sizeof(*b));
    cuzk_status st =
        CUZK_OK; /* a folder that is not there is said by jobs, not by the member's lease */
    if (b != NULL) {
        st = sweep_folder(s, c, d, b, err);
    }
    cuzk_free(b);
    if (d != NULL) {
        (void)closedir(d);
    }
    return st;
}
