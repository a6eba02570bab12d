/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Inputs in the database, in a shared folder, and kept by the daemon that accepted the job: what each survives. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "store/pg/pg_folder.h"
#include "store/pg/pg_internal.h"

#include "pg_server.h"
#include "test.h"

/* An input with lists of numbers and with bytes that do not shrink. */
typedef struct made {
    uint8_t *data;
    size_t n;
    cuzk_job_record record;
    char id[32];
} made;

static made make(uint64_t number, size_t n_numbers, size_t n_random)
{
    made m = {.data = malloc(4 * n_numbers + n_random + 8)};
    uint64_t x = number + 88172645463325252u;
    CHECK(m.data != NULL);
    m.data[m.n++] = '[';
    for (size_t i = 0; i < n_numbers + n_random; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        if (i < n_numbers) {
            m.n += (size_t)snprintf((char *)m.data + m.n, 5, "%s%u", i == 0 ? "" : ",",
                                    (unsigned)(x % 256));
        } else {
            m.data[m.n++] = (uint8_t)(x >> 20);
        }
    }
    (void)snprintf(m.id, sizeof(m.id), "job-%llx", (unsigned long long)number);
    m.record = (cuzk_job_record){.number = number,
                                 .job_id = m.id,
                                 .request = {.kind = CUZK_JOB_POREP,
                                             .vanilla_proof = {m.data, m.n},
                                             .sector_number = number},
                                 .accepted_unix_ms = (int64_t)time(NULL) * 1000,
                                 .state = CUZK_JOB_QUEUED,
                                 .circuit = "porep-2k",
                                 .error = ""};
    memcpy(m.record.content, &number, sizeof(number));
    m.record.job_id = m.id;
    return m;
}

static cuzk_status put(cuzk_job_store *s, uint64_t number, cuzk_err *err)
{
    made m = make(number, 200000, 100000);
    m.record.job_id = m.id;
    const cuzk_status st = s->put(s->arg, &m.record, err);
    free(m.data);
    return st;
}

typedef struct seen {
    size_t n;
    uint64_t number;
    cuzk_job_state state;
    char error[200];
} seen;

/* With the input that was put. */
static void see(void *arg, const cuzk_job_record *r)
{
    seen *s = arg;
    made m = make(r->number, 200000, 100000);
    CHECK_U64(r->request.vanilla_proof.size, m.n);
    CHECK(memcmp(r->request.vanilla_proof.data, m.data, m.n) == 0);
    CHECK_STR(r->circuit, "porep-2k");
    free(m.data);
    s->n++;
    s->number = r->number;
}

static void see_end(void *arg, const cuzk_job_record *r)
{
    seen *s = arg;
    s->state = r->state;
    (void)snprintf(s->error, sizeof(s->error), "%s", r->error);
}

static cuzk_status claim(cuzk_job_store *s, size_t *n, cuzk_err *err)
{
    seen got = {.n = 0};
    const cuzk_status st = s->shared->claim(s->arg, 8, NULL, 0, see, &got, err);
    *n = got.n;
    return st;
}

static seen end_of(cuzk_job_store *s, uint64_t number)
{
    seen got = {.n = 0};
    cuzk_err err = {0};
    CHECK_OK(s->shared->get(s->arg, number, see_end, &got, &err), &err);
    return got;
}

static cuzk_status complete(cuzk_job_store *s, uint64_t number)
{
    made m = make(number, 1, 1);
    static const uint8_t proof[192] = {1};
    m.record.state = CUZK_JOB_COMPLETED;
    m.record.proof = (cuzk_bytes){proof, sizeof(proof)};
    m.record.gpu_compute_ms = 7;
    const cuzk_status st = s->finish(s->arg, &m.record, NULL);
    free(m.data);
    return st;
}

static uint64_t first(cuzk_job_store *s)
{
    uint64_t n = 0;
    CHECK_STATUS(s->load(s->arg, NULL, NULL, &n, NULL), CUZK_OK);
    return n;
}

static uint64_t sql_u64(const char *sql)
{
    char *text = pg_server_sql(sql);
    const uint64_t v = text == NULL ? 0 : strtoull(text, NULL, 10);
    free(text);
    return v;
}

static cuzk_status open_with(cuzk_job_store *s, const char *name, cuzk_pg_inputs inputs,
                             const char *folder, cuzk_job_store *keeper, cuzk_err *err);

static cuzk_job_store open_ok(const char *name, cuzk_pg_inputs inputs, const char *folder,
                              cuzk_job_store *keeper)
{
    cuzk_job_store s;
    cuzk_err err = {0};
    CHECK_OK(open_with(&s, name, inputs, folder, keeper, &err), &err);
    return s;
}

/* The fetch of a test: the keeper is in this process; NULL: it cannot be reached. */
static cuzk_status fetch(void *arg, const char *address, const char *name, uint8_t *out, size_t n,
                         cuzk_err *err)
{
    cuzk_job_store *const *keeper = arg;
    CHECK_STR(address, "here");
    if (*keeper == NULL) {
        return CUZK_FAIL(err, CUZK_E_IO, "no route");
    }
    for (size_t at = 0; at < n;) {
        uint8_t *part = NULL;
        size_t got = 0;
        CUZK_TRY(cuzk_pg_input_part(*keeper, name, at, 65536, &part, &got, err));
        CHECK(got > 0 && got <= 65536 && got <= n - at);
        memcpy(out + at, part, got);
        cuzk_free(part);
        at += got;
    }
    return CUZK_OK;
}

static cuzk_job_store *the_keeper;

static cuzk_status open_with(cuzk_job_store *s, const char *name, cuzk_pg_inputs inputs,
                             const char *folder, cuzk_job_store *keeper, cuzk_err *err)
{
    const cuzk_pg_member m = {.name = name, .address = "here", .version = "0", .lease_ms = 60000};
    const cuzk_pg_config c = {.url = pg_server_url(),
                              .member = &m,
                              .retry_ms = 20000,
                              .inputs = inputs,
                              .inputs_folder = folder,
                              .fetch = fetch,
                              .fetch_arg = &the_keeper};
    the_keeper = keeper;
    return cuzk_pg_store_open(s, &c, NULL, err);
}

static const char *folder_of(const char *name)
{
    static char path[2][300];
    static int which;
    which = 1 - which;
    (void)snprintf(path[which], sizeof(path[which]), "%s/%s", test_tmpdir(), name);
    return path[which];
}

/* Files but for the queue's own. */
static size_t files_in(const char *folder, char last[400])
{
    size_t n = 0;
    DIR *d = opendir(folder);
    const struct dirent *e;
    CHECK(d != NULL);
    while ((e = readdir(d)) != NULL) {
        if (e->d_name[0] != '.' && strcmp(e->d_name, "cuzk-queue.id") != 0) {
            (void)snprintf(last, 400, "%s/%s", folder, e->d_name);
            n++;
        }
    }
    (void)closedir(d);
    return n;
}

/* --- in the database --- */

static void in_the_database(void)
{
    cuzk_job_store a = open_ok("a", CUZK_PG_INPUTS_DATABASE, NULL, NULL);
    cuzk_job_store b = open_ok("b", CUZK_PG_INPUTS_DATABASE, NULL, NULL);
    const uint64_t n = first(&a);
    size_t got = 0;
    cuzk_err err = {0};
    CHECK_OK(put(&a, n, &err), &err);
    /* one byte of a list and one that does not shrink, of 4.6 and 1 */
    CHECK(sql_u64("SELECT kept_bytes FROM cuzk_job") < 310000);
    CHECK(sql_u64("SELECT input_bytes FROM cuzk_job") > 800000);
    CHECK_U64(sql_u64("SELECT sum(length(data)) FROM cuzk_input"),
              sql_u64("SELECT kept_bytes FROM cuzk_job"));
    a.destroy(a.arg); /* who accepted it is not needed */
    CHECK_OK(claim(&b, &got, &err), &err);
    CHECK_U64(got, 1);
    CHECK_STATUS(complete(&b, n), CUZK_OK);
    CHECK_U64(sql_u64("SELECT count(*) FROM cuzk_input"), 0);
    b.destroy(b.arg);
}

/* Inputs whose kept form has one part and a byte more or less, and some parts. */
static void parts(void)
{
    static const size_t sizes[] = {CUZK_PG_PART_BYTES - 90, CUZK_PG_PART_BYTES - 70,
                                   CUZK_PG_PART_BYTES - 50, 3 * CUZK_PG_PART_BYTES + 5};
    cuzk_job_store a = open_ok("a", CUZK_PG_INPUTS_DATABASE, NULL, NULL);
    const uint64_t n = first(&a);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        made m = make(n + i, 0, sizes[i]);
        cuzk_err err = {0};
        m.record.job_id = m.id;
        CHECK_OK(a.put(a.arg, &m.record, &err), &err);
        free(m.data);
    }
    CHECK_U64(sql_u64("SELECT count(*) FROM cuzk_job j WHERE (kept_bytes + 1048575) / 1048576 <>"
                      " (SELECT count(*) FROM cuzk_input i WHERE i.number = j.number)"),
              0);
    CHECK(sql_u64("SELECT count(*) FROM cuzk_input") > 7);
    a.destroy(a.arg);
}

/* --- in a shared folder --- */

static void in_a_folder(void)
{
    char path[400];
    size_t got = 0;
    cuzk_err err = {0};
    cuzk_job_store a, b;
    const char *folder = folder_of("shared");
    CHECK_STATUS(open_with(&a, "a", CUZK_PG_INPUTS_FOLDER, folder, NULL, &err), CUZK_E_IO);
    CHECK_MSG(strstr(err.msg, "store.inputs_folder") != NULL, "%s", err.msg);
    CHECK(mkdir(folder, 0700) == 0);
    a = open_ok("a", CUZK_PG_INPUTS_FOLDER, folder, NULL);
    b = open_ok("b", CUZK_PG_INPUTS_FOLDER, folder, NULL);
    const uint64_t n = first(&a);
    CHECK_OK(put(&a, n, &err), &err);
    CHECK_U64(files_in(folder, path), 1);
    CHECK_U64(sql_u64("SELECT count(*) FROM cuzk_input"), 0);
    a.destroy(a.arg); /* who accepted it is not needed */
    CHECK_OK(claim(&b, &got, &err), &err);
    CHECK_U64(got, 1);
    CHECK_STATUS(complete(&b, n), CUZK_OK);
    CHECK_U64(files_in(folder, path), 0);
    b.destroy(b.arg);
}

static void flip(const char *path);

static uint64_t links_of(const char *path)
{
    struct stat st;
    CHECK(stat(path, &st) == 0);
    return st.st_nlink;
}

/* The input of job n under another number and request id. */
static cuzk_status put_equal(cuzk_job_store *s, uint64_t n, uint64_t number, cuzk_err *err)
{
    made m = make(n, 200000, 100000);
    static char id[32];
    (void)snprintf(id, sizeof(id), "equal-%llx", (unsigned long long)number);
    m.record.number = number;
    m.record.job_id = id;
    m.record.request.request_id = (cuzk_bytes){(const uint8_t *)id, strlen(id)};
    const cuzk_status st = s->put(s->arg, &m.record, err);
    free(m.data);
    return st;
}

static void see_any(void *arg, const cuzk_job_record *r)
{
    seen *s = arg;
    CHECK(r->request.vanilla_proof.size > 300000);
    s->n++;
}

/* Equal inputs are one file, which is there for as long as one of their jobs is. A damaged file is not shared. */
static void equal_inputs_are_one_file(void)
{
    char path[400];
    cuzk_err err = {0};
    seen got = {.n = 0};
    const char *folder = folder_of("shared");
    CHECK(mkdir(folder, 0700) == 0);
    cuzk_job_store a = open_ok("a", CUZK_PG_INPUTS_FOLDER, folder, NULL);
    const uint64_t n = first(&a);
    CHECK_OK(put(&a, n, &err), &err);
    CHECK_OK(put_equal(&a, n, n + 1, &err), &err);
    CHECK_OK(put_equal(&a, n, n + 2, &err), &err);
    CHECK_U64(files_in(folder, path), 3);
    CHECK_U64(links_of(path), 3);
    CHECK_OK(a.shared->claim(a.arg, 8, NULL, 0, see_any, &got, &err), &err);
    CHECK_U64(got.n, 3);
    CHECK_STATUS(complete(&a, n), CUZK_OK);
    CHECK_STATUS(a.shared->release(a.arg, n + 1, NULL), CUZK_OK);
    CHECK_U64(files_in(folder, path), 2);
    CHECK_U64(links_of(path), 2);
    got.n = 0;
    CHECK_OK(a.shared->claim(a.arg, 8, NULL, 0, see_any, &got, &err), &err);
    CHECK_U64(got.n, 1);
    CHECK_STATUS(complete(&a, n + 1), CUZK_OK);
    CHECK_U64(files_in(folder, path), 1);
    flip(path);
    CHECK_OK(put_equal(&a, n, n + 3, &err), &err);
    CHECK_U64(files_in(folder, path), 2);
    CHECK_U64(links_of(path), 1);
    CHECK_STATUS(complete(&a, n + 2), CUZK_OK);
    got.n = 0;
    CHECK_OK(a.shared->claim(a.arg, 8, NULL, 0, see_any, &got, &err), &err);
    CHECK_U64(got.n, 1); /* with a file of its own */
    CHECK_STATUS(complete(&a, n + 3), CUZK_OK);
    CHECK_U64(files_in(folder, path), 0);
    a.destroy(a.arg);
}

static void flip(const char *path)
{
    uint8_t x = 0;
    const int fd = open(path, O_RDWR);
    CHECK(fd >= 0 && pread(fd, &x, 1, 1000) == 1);
    x ^= 1;
    CHECK(pwrite(fd, &x, 1, 1000) == 1 && close(fd) == 0);
}

static void damage_in_a_folder(void)
{
    char path[400];
    size_t got = 0;
    cuzk_err err = {0};
    const char *folder = folder_of("shared");
    CHECK(mkdir(folder, 0700) == 0);
    cuzk_job_store a = open_ok("a", CUZK_PG_INPUTS_FOLDER, folder, NULL);
    const uint64_t n = first(&a);
    CHECK_OK(put(&a, n, &err), &err);
    CHECK_U64(files_in(folder, path), 1);
    flip(path); /* found by its digest: the job fails, and says why */
    CHECK_OK(claim(&a, &got, &err), &err);
    CHECK_U64(got, 0);
    seen end = end_of(&a, n);
    CHECK(end.state == CUZK_JOB_FAILED);
    CHECK_MSG(strstr(end.error, "environment: ") == end.error &&
                  strstr(end.error, "damaged") != NULL,
              "%s", end.error);
    /* a file that is not there may only not be seen yet: the job waits; after some minutes it is lost */
    CHECK_OK(put(&a, n + 1, &err), &err);
    CHECK_U64(files_in(folder, path), 1);
    CHECK(unlink(path) == 0);
    CHECK_STATUS(claim(&a, &got, &err), CUZK_E_IO);
    CHECK(end_of(&a, n + 1).state == CUZK_JOB_QUEUED);
    free(pg_server_sql("UPDATE cuzk_job SET accepted_ms = accepted_ms - 400000 WHERE state = 0"));
    cuzk_job_store b = open_ok("b", CUZK_PG_INPUTS_FOLDER, folder, NULL); /* a looks again later */
    CHECK_OK(claim(&b, &got, &err), &err);
    CHECK(got == 0 && end_of(&b, n + 1).state == CUZK_JOB_FAILED);
    a.destroy(a.arg);
    b.destroy(b.arg);
}

/* A folder that is not mounted, or another queue's, is noticed before a job is lost in it. */
static void the_right_folder(void)
{
    char path[400], id[400];
    size_t got = 0;
    cuzk_err err = {0};
    cuzk_job_store a, b;
    const char *folder = folder_of("shared"), *other = folder_of("other");
    CHECK(mkdir(folder, 0700) == 0 && mkdir(other, 0700) == 0);
    a = open_ok("a", CUZK_PG_INPUTS_FOLDER, folder, NULL);
    CHECK_STATUS(open_with(&b, "b", CUZK_PG_INPUTS_FOLDER, other, NULL, &err), CUZK_E_INVALID);
    CHECK_MSG(strstr(err.msg, "is it mounted?") != NULL, "%s", err.msg);
    (void)snprintf(path, sizeof(path), "%s/cuzk-queue.id", other);
    FILE *f = fopen(path, "w");
    CHECK(f != NULL && fputs("12345\n", f) >= 0 && fclose(f) == 0);
    CHECK_STATUS(open_with(&b, "b", CUZK_PG_INPUTS_FOLDER, other, NULL, &err), CUZK_E_INVALID);
    CHECK_MSG(strstr(err.msg, "another queue") != NULL, "%s", err.msg);
    /* the mount goes while the daemon runs: nothing is written below it, nothing is lost */
    CHECK_OK(put(&a, first(&a), &err), &err);
    (void)snprintf(path, sizeof(path), "%s/cuzk-queue.id", folder);
    (void)snprintf(id, sizeof(id), "%s/away", folder);
    CHECK(rename(path, id) == 0);
    CHECK_STATUS(put(&a, first(&a) + 1, &err), CUZK_E_IO);
    CHECK_STATUS(claim(&a, &got, &err), CUZK_OK); /* the file itself is there */
    CHECK_U64(got, 1);
    a.destroy(a.arg);
}

static void sweeps(void)
{
    char path[400], stray[400];
    cuzk_err err = {0};
    const char *folder = folder_of("shared");
    CHECK(mkdir(folder, 0700) == 0);
    cuzk_job_store a = open_ok("a", CUZK_PG_INPUTS_FOLDER, folder, NULL);
    const uint64_t n = first(&a);
    for (uint64_t i = 0; i < 3; i++) {
        CHECK_OK(put(&a, n + i, &err), &err);
    }
    CHECK_STATUS(a.shared->cancel(a.arg, n, NULL),
                 CUZK_OK); /* by a daemon that does not know the file */
    (void)snprintf(stray, sizeof(stray), "%s/notes.txt", folder);
    FILE *f = fopen(stray, "w");
    CHECK(f != NULL && fclose(f) == 0);
    free(pg_server_sql(
        "DELETE FROM cuzk_job WHERE number % 2 = 1 AND state = 0")); /* one never committed */
    const uint64_t deleted = n % 2 == 1 ? n + 2 : n + 1;
    CHECK_OK(pg_run(a.arg, pg_folder_sweep, NULL, &err), &err);
    CHECK_U64(files_in(folder, path),
              3); /* the cancelled one has gone, the young orphan and the notes have not */
    DIR *d = opendir(folder);
    const struct dirent *e;
    CHECK(d != NULL);
    while ((e = readdir(d)) != NULL) { /* an hour later */
        const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
        CHECK(e->d_name[0] == '.' || utimensat(dirfd(d), e->d_name, old, 0) == 0);
    }
    (void)closedir(d);
    CHECK_OK(pg_run(a.arg, pg_folder_sweep, NULL, &err), &err);
    CHECK_U64(files_in(folder, path), 2);
    CHECK(access(stray, F_OK) == 0);
    CHECK_STATUS(a.shared->get(a.arg, deleted, see_end, &(seen){.n = 0}, NULL), CUZK_E_NOT_FOUND);
    a.destroy(a.arg);
}

/* --- kept by the daemon that accepted the job --- */

static void kept_by_a_daemon(void)
{
    char path[400];
    size_t got = 0;
    cuzk_err err = {0};
    cuzk_job_store a = open_ok("a", CUZK_PG_INPUTS_KEEPER, folder_of("a"), NULL);
    cuzk_job_store b = open_ok("b", CUZK_PG_INPUTS_KEEPER, folder_of("b"), NULL);
    const uint64_t n = first(&a);
    CHECK_OK(put(&a, n, &err), &err);
    CHECK_OK(put(&a, n + 1, &err), &err);
    CHECK_U64(files_in(folder_of("a"), path), 2);
    CHECK_STATUS(claim(&b, &got, &err), CUZK_E_IO); /* it cannot be reached: the jobs wait */
    CHECK_MSG(strstr(err.msg, "no route") != NULL, "%s", err.msg);
    CHECK(got == 0 && end_of(&b, n).state == CUZK_JOB_QUEUED);
    CHECK_OK(claim(&a, &got, &err), &err); /* the keeper itself does not wait for b's second try */
    CHECK_U64(got, 2);
    CHECK_STATUS(a.shared->release(a.arg, n, NULL), CUZK_OK);
    CHECK_STATUS(complete(&a, n + 1), CUZK_OK);
    CHECK_U64(files_in(folder_of("a"), path), 1);
    b.destroy(b.arg);
    b = open_ok("b", CUZK_PG_INPUTS_KEEPER, folder_of("b"), &a);
    CHECK_OK(claim(&b, &got, &err), &err); /* fetched, and checked */
    CHECK_U64(got, 1);
    CHECK_STATUS(b.shared->release(b.arg, n, NULL), CUZK_OK);
    a.destroy(a.arg);
    CHECK_OK(claim(&b, &got, &err), &err); /* the keeper has gone: nobody takes its jobs in vain */
    CHECK_U64(got, 0);
    a = open_ok("a", CUZK_PG_INPUTS_KEEPER, folder_of("a"), NULL);
    the_keeper = &a;
    CHECK_U64(files_in(folder_of("a"), path), 1);
    CHECK_OK(claim(&b, &got, &err), &err); /* and is there again */
    CHECK_U64(got, 1);
    CHECK_STATUS(b.shared->release(b.arg, n, NULL), CUZK_OK);
    flip(path);
    CHECK_OK(claim(&b, &got, &err), &err);
    CHECK(got == 0 && end_of(&b, n).state == CUZK_JOB_FAILED);
    CHECK_OK(pg_run(a.arg, pg_folder_sweep, NULL, &err), &err);
    CHECK_U64(files_in(folder_of("a"), path), 0);
    uint8_t *part = NULL;
    CHECK_STATUS(cuzk_pg_input_part(&a, "../../../etc/passwd", 0, 9, &part, &got, &err),
                 CUZK_E_NOT_FOUND);
    a.destroy(a.arg);
    b.destroy(b.arg);
}

/* --- two versions of the program --- */

static char *read_sql(const char *path)
{
    static char text[16384];
    FILE *f = fopen(path, "r");
    CHECK(f != NULL);
    const size_t n = fread(text, 1, sizeof(text) - 1, f);
    (void)fclose(f);
    text[n] = '\0';
    return text;
}

/* While a program of version 1 may read the queue, inputs are as it knows them; then they are packed. */
static void old_programs(void)
{
    cuzk_err err = {0};
    free(pg_server_sql("CREATE TABLE cuzk_schema (id bigint PRIMARY KEY, version bigint NOT NULL,"
                       " compatible bigint NOT NULL)"));
    free(pg_server_sql(read_sql("src/store/pg/schema/schema_1.sql")));
    free(pg_server_sql("INSERT INTO cuzk_schema VALUES (1, 1, 1)"));
    free(pg_server_sql("INSERT INTO cuzk_member (incarnation, name, address, version, lease_until)"
                       " VALUES (1000, 'old', '', '0.1', now() + interval '1 hour')"));
    const char *folder = folder_of("a");
    cuzk_job_store a = open_ok("a", CUZK_PG_INPUTS_KEEPER, folder, NULL);
    const uint64_t n = first(&a);
    CHECK_U64(sql_u64("SELECT version FROM cuzk_schema"), 2);
    CHECK_OK(put(&a, n, &err), &err);
    CHECK_U64(sql_u64("SELECT count(*) FROM cuzk_job WHERE input_form = 0 AND input_place = 0"), 1);
    CHECK_U64(sql_u64("SELECT sum(length(data)) FROM cuzk_input"),
              sql_u64("SELECT input_bytes FROM cuzk_job"));
    free(pg_server_sql("UPDATE cuzk_member SET is_alive = false WHERE name = 'old'"));
    CHECK_OK(pg_run(a.arg, pg_migrate, NULL, &err), &err); /* as the next look of a member does */
    CHECK_U64(sql_u64("SELECT version FROM cuzk_schema"), 4);
    CHECK_U64(sql_u64("SELECT compatible FROM cuzk_schema"), 3);
    CHECK_OK(put(&a, n + 1, &err), &err);
    CHECK_U64(sql_u64("SELECT count(*) FROM cuzk_job WHERE input_form = 1 AND input_place = 2"), 1);
    size_t got = 0;
    CHECK_OK(claim(&a, &got, &err), &err); /* of both kinds */
    CHECK_U64(got, 2);
    /* an old program that was stopped for long cannot come back: its statement names no version */
    char *column = pg_server_sql("SELECT column_default IS NULL FROM information_schema.columns"
                                 " WHERE table_name = 'cuzk_member' AND column_name = 'reads'"
                                 " AND table_schema = current_schema()");
    CHECK_STR(column, "t");
    free(column);
    a.destroy(a.arg);
}

enum { PUTTERS = 4, PUT_BYTES = 4 << 20 };

typedef struct putter {
    cuzk_job_store *store;
    uint64_t number;
} putter;

static void *put_long(void *arg)
{
    const putter *t = arg;
    made m = make(t->number, 1, PUT_BYTES);
    cuzk_err err = {0};
    m.record.job_id = m.id;
    CHECK_OK(t->store->put(t->store->arg, &m.record, &err), &err);
    free(m.data);
    return NULL;
}

/* Four submits at one moment, of inputs of which one has room: they are packed one after the other. */
static void puts_share_their_memory(void)
{
    cuzk_job_store s;
    cuzk_err err = {0};
    pthread_t threads[PUTTERS];
    putter t[PUTTERS];
    const cuzk_pg_config c = {.url = pg_server_url(), .pack_bytes = PUT_BYTES + 1000};
    CHECK_OK(cuzk_pg_store_open(&s, &c, NULL, &err), &err);
    const uint64_t n = first(&s), before = cuzk_alloc_get_stats().bytes_now;
    cuzk_alloc_reset_peak();
    for (uint64_t i = 0; i < PUTTERS; i++) {
        t[i] = (putter){&s, n + i};
        CHECK(pthread_create(&threads[i], NULL, put_long, &t[i]) == 0);
    }
    for (int i = 0; i < PUTTERS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    const uint64_t peak = cuzk_alloc_get_stats().bytes_peak - before;
    CHECK_MSG(peak <= c.pack_bytes + CUZK_PG_PART_BYTES + CUZK_PG_PACK_BYTES_MORE, "%llu bytes",
              (unsigned long long)peak);
    CHECK_U64(sql_u64("SELECT count(*) FROM cuzk_job"), PUTTERS);
    s.destroy(s.arg);
}

static const cuzk_case cases[] = {CASE(in_the_database),
                                  CASE(puts_share_their_memory),
                                  CASE(parts),
                                  CASE(in_a_folder),
                                  CASE(equal_inputs_are_one_file),
                                  CASE(damage_in_a_folder),
                                  CASE(the_right_folder),
                                  CASE(sweeps),
                                  CASE(kept_by_a_daemon),
                                  CASE(old_programs)};
TEST_MAIN("store/pg_inputs", cases)
