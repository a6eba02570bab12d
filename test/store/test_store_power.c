/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A power cut, as it hits SQLite's files: a layer under SQLite keeps, of each file, a copy as of its
 * last sync. A child works with the store and is ended; then every file is put back to its copy, all
 * that was never synced is gone, and what was promised must still be there.
 */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store_jobs.h"
#include "test.h"

enum { JOBS = 40 };

static const char *path(void)
{
    static char p[400];
    (void)snprintf(p, sizeof(p), "%s/jobs.db", test_tmpdir());
    return p;
}

/* --- the layer: SQLite's own files, with one more field --- */

typedef struct layer_file {
    sqlite3_file base;
    sqlite3_file *real;
    char name[500];
} layer_file;

static sqlite3_vfs layer;
static sqlite3_vfs *below;

static layer_file *of(sqlite3_file *f)
{
    return (layer_file *)f;
}

static void durable_name(char out[540], const char *name)
{
    (void)snprintf(out, 540, "%s.durable", name);
}

static bool copy_file(const char *from, const char *to)
{
    static char buf[1 << 16];
    const int in = open(from, O_RDONLY), out = open(to, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    ssize_t n = -1;
    while (in >= 0 && out >= 0 && (n = read(in, buf, sizeof(buf))) > 0) {
        if (write(out, buf, (size_t)n) != n) {
            n = -1;
            break;
        }
    }
    if (in >= 0) {
        (void)close(in);
    }
    if (out >= 0) {
        (void)close(out);
    }
    return n == 0;
}

static int do_close(sqlite3_file *f)
{
    return of(f)->real->pMethods->xClose(of(f)->real);
}
static int do_read(sqlite3_file *f, void *p, int n, sqlite3_int64 at)
{
    return of(f)->real->pMethods->xRead(of(f)->real, p, n, at);
}
static int do_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
    return of(f)->real->pMethods->xWrite(of(f)->real, p, n, at);
}
static int do_truncate(sqlite3_file *f, sqlite3_int64 n)
{
    return of(f)->real->pMethods->xTruncate(of(f)->real, n);
}
static int do_sync(sqlite3_file *f, int flags)
{
    char durable[540];
    const int rc = of(f)->real->pMethods->xSync(of(f)->real, flags);
    durable_name(durable, of(f)->name);
    return rc == SQLITE_OK && !copy_file(of(f)->name, durable) ? SQLITE_IOERR_FSYNC : rc;
}
static int do_size(sqlite3_file *f, sqlite3_int64 *n)
{
    return of(f)->real->pMethods->xFileSize(of(f)->real, n);
}
static int do_lock(sqlite3_file *f, int level)
{
    return of(f)->real->pMethods->xLock(of(f)->real, level);
}
static int do_unlock(sqlite3_file *f, int level)
{
    return of(f)->real->pMethods->xUnlock(of(f)->real, level);
}
static int do_check_lock(sqlite3_file *f, int *out)
{
    return of(f)->real->pMethods->xCheckReservedLock(of(f)->real, out);
}
static int do_control(sqlite3_file *f, int op, void *arg)
{
    return of(f)->real->pMethods->xFileControl(of(f)->real, op, arg);
}
static int do_sector_size(sqlite3_file *f)
{
    return of(f)->real->pMethods->xSectorSize(of(f)->real);
}
static int do_traits(sqlite3_file *f)
{
    return of(f)->real->pMethods->xDeviceCharacteristics(of(f)->real);
}

/* Version 1: without shared memory, which a store with one owner does not use. */
static const sqlite3_io_methods methods = {.iVersion = 1,
                                           .xClose = do_close,
                                           .xRead = do_read,
                                           .xWrite = do_write,
                                           .xTruncate = do_truncate,
                                           .xSync = do_sync,
                                           .xFileSize = do_size,
                                           .xLock = do_lock,
                                           .xUnlock = do_unlock,
                                           .xCheckReservedLock = do_check_lock,
                                           .xFileControl = do_control,
                                           .xSectorSize = do_sector_size,
                                           .xDeviceCharacteristics = do_traits};

static int do_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out_flags)
{
    (void)v;
    layer_file *l = of(f);
    memset(l, 0, sizeof(*l));
    l->real = (sqlite3_file *)(l + 1);
    (void)snprintf(l->name, sizeof(l->name), "%s", name == NULL ? "" : name);
    const int rc = below->xOpen(below, name, l->real, flags, out_flags);
    l->base.pMethods = rc == SQLITE_OK ? &methods : NULL;
    return rc;
}

static int do_delete(sqlite3_vfs *v, const char *name, int sync_folder)
{
    char durable[540];
    (void)v;
    durable_name(durable, name);
    const int rc = below->xDelete(below, name, sync_folder);
    if (rc == SQLITE_OK && sync_folder != 0) {
        (void)unlink(durable);
    }
    return rc;
}

static void install_layer(void)
{
    below = sqlite3_vfs_find(NULL);
    CHECK(below != NULL);
    layer = *below;
    layer.zName = "power-cut";
    layer.szOsFile = (int)sizeof(layer_file) + below->szOsFile;
    layer.xOpen = do_open;
    layer.xDelete = do_delete;
    CHECK(sqlite3_vfs_register(&layer, 1) == SQLITE_OK);
}

static void cut_power(void)
{
    static const char *const suffixes[] = {"", "-wal", "-journal"};
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        char name[500], durable[540];
        (void)snprintf(name, sizeof(name), "%s%s", path(), suffixes[i]);
        durable_name(durable, name);
        (void)unlink(name);
        if (access(durable, F_OK) == 0) {
            CHECK(copy_file(durable, name));
        }
    }
}

/* --- the store on it --- */

static void see(void *arg, const cuzk_job_record *r)
{
    job_check(r, r->number % 7 == 0);
    *(uint64_t *)arg |= (uint64_t)1 << r->number;
}

static void see_over(void *arg, const cuzk_job_record *r)
{
    job_check_completed(r);
    *(bool *)arg = true;
}

/* Accepts jobs 1 to n, ends every third, and is gone without closing anything. */
static int child(uint64_t n)
{
    cuzk_job_store s;
    const cuzk_store_config c = {.path = path()};
    if (cuzk_store_open(&s, &c, NULL, NULL) != CUZK_OK) {
        return 1;
    }
    for (uint64_t k = 1; k <= n; k++) {
        job j;
        job_make(&j, k, k % 7 == 0);
        cuzk_status st = s.put(s.arg, &j.record, NULL);
        if (st == CUZK_OK && k % 3 == 0) {
            job_complete(&j);
            st = s.finish(s.arg, &j.record, NULL);
        }
        job_free(&j);
        if (st != CUZK_OK) {
            return 2;
        }
    }
    return 0;
}

static void remove_store(void)
{
    static const char *const suffixes[] = {"", "-wal", "-journal"};
    for (size_t i = 0; i < 3; i++) {
        char name[500], durable[540];
        (void)snprintf(name, sizeof(name), "%s%s", path(), suffixes[i]);
        durable_name(durable, name);
        (void)unlink(name);
        (void)unlink(durable);
    }
}

static void promises_outlive_a_power_cut(void)
{
    install_layer();
    for (uint64_t n = 0; n <= JOBS; n += 4) {
        int status = 0;
        (void)path(); /* makes the folder, here and not in the child */
        const pid_t pid = fork();
        CHECK(pid >= 0);
        if (pid == 0) {
            _exit(child(n));
        }
        CHECK(waitpid(pid, &status, 0) == pid);
        CHECK_U64((uint64_t)status, 0);
        cut_power();

        cuzk_store_report report;
        cuzk_job_store s;
        cuzk_err err = {.code = CUZK_OK};
        uint64_t unfinished = 0, next = 0, want = 0;
        const cuzk_store_config c = {.path = path()};
        CHECK_OK(cuzk_store_open(&s, &c, &report, &err), &err);
        CHECK_STR(report.moved_to, "");
        CHECK_OK(s.load(s.arg, see, &unfinished, &next, &err), &err);
        CHECK_U64(next, n + 1);
        for (uint64_t k = 1; k <= n; k++) {
            char id[32];
            bool over = false;
            if (k % 3 != 0) {
                want |= (uint64_t)1 << k;
                continue;
            }
            (void)snprintf(id, sizeof(id), "job-%" PRIu64, k);
            CHECK_OK(s.find(s.arg, id, see_over, &over, &err), &err);
            CHECK(over);
        }
        CHECK_U64(unfinished, want);
        s.destroy(s.arg);
        remove_store();
    }
}

static const cuzk_case cases[] = {CASE(promises_outlive_a_power_cut)};
TEST_MAIN("store/power", cases)
