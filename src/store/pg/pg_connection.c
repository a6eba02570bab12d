/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Connections: how they are made, a small pool of them, and what is tried again. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "sys/file.h"

#include "pg_internal.h"

#define NS_PER_MS     1000000u
#define PAUSE_MIN_MS  10u
#define PAUSE_MAX_MS  1000u
#define OLDEST_SERVER 110000 /* what YugabyteDB says; of PostgreSQL 15 or later is supported */
#define PASSWORD_MAX  4096u

/* --- what the URL says --- */

static const char *option(const PQconninfoOption *o, const char *keyword)
{
    for (; o->keyword != NULL; o++) {
        if (strcmp(o->keyword, keyword) == 0) {
            return o->val != NULL && o->val[0] != '\0' ? o->val : NULL;
        }
    }
    return NULL;
}

static cuzk_status parse_url(PQconninfoOption **out, const char *url, cuzk_err *err)
{
    char *why = NULL;
    if (strncmp(url, "postgresql://", 13) != 0 && strncmp(url, "postgres://", 11) != 0) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "store.url does not begin with postgresql://");
    }
    *out = PQconninfoParse(url, &why);
    if (*out == NULL) {
        const cuzk_status st =
            CUZK_FAIL(err, CUZK_E_INVALID, "store.url: %s", why == NULL ? "out of memory" : why);
        PQfreemem(why);
        return st;
    }
    if (option(*out, "password") != NULL) { /* the URL is shown and logged */
        PQconninfoFree(*out);
        *out = NULL;
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "store.url has a password: it belongs into the file store.password_file");
    }
    return CUZK_OK;
}

cuzk_status cuzk_pg_describe(char out[CUZK_PG_NAME_BYTES], const char *url, cuzk_err *err)
{
    PQconninfoOption *o = NULL;
    CUZK_TRY(parse_url(&o, url, err));
    const char *host = option(o, "host"), *port = option(o, "port"), *db = option(o, "dbname");
    if (host == NULL) {
        host = option(o, "hostaddr");
    }
    if (port != NULL &&
        strspn(port, ",") == strlen(port)) { /* several hosts, each with the default */
        port = NULL;
    }
    (void)snprintf(out, CUZK_PG_NAME_BYTES, "postgresql://%s%s%s/%s", host == NULL ? "" : host,
                   port == NULL ? "" : ":", port == NULL ? "" : port, db == NULL ? "" : db);
    PQconninfoFree(o);
    return CUZK_OK;
}

/* The first line of the file. Owned; wiped and freed by drop_password. */
static cuzk_status read_password(char **out, const char *path, cuzk_err *err)
{
    cuzk_content c = {NULL, 0, NULL};
    struct stat st;
    *out = NULL;
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & S_IROTH) != 0) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "store.password_file %s: everybody can read it; chmod 600", path);
    }
    cuzk_err inner = {.msg = ""};
    const cuzk_status read = cuzk_content_read(&c, path, PASSWORD_MAX, &inner);
    if (read != CUZK_OK) {
        return CUZK_FAIL(err, read, "store.password_file %s", inner.msg);
    }
    size_t n = 0;
    while (n < c.size && c.data[n] != '\n' && c.data[n] != '\r' && c.data[n] != 0) {
        n++;
    }
    *out = cuzk_alloc(n + 1, 1);
    if (*out != NULL) {
        if (n > 0) {
            memcpy(*out, c.data, n);
        }
        (*out)[n] = '\0';
    }
    if (c.size > 0) {
        explicit_bzero(c.data, c.size);
    }
    cuzk_content_free(&c);
    return *out == NULL ? CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a password") : CUZK_OK;
}

static void drop_password(char *p)
{
    if (p != NULL) {
        explicit_bzero(p, strlen(p));
        cuzk_free(p);
    }
}

/* --- one connection --- */

void pg_disconnect(pg_conn *c)
{
    PQfinish(c->pg);
    c->pg = NULL;
}

/* Remarks of the server go nowhere: libpq would write them to standard error. */
static void drop_notice(void *arg, const PGresult *r)
{
    (void)arg;
    (void)r;
}

/* After libpq has connected: is it a server of the right kind, and does it keep what it commits? */
static cuzk_status set_up(pg_store *s, pg_conn *c, cuzk_err *err)
{
    const int version = PQserverVersion(c->pg);
    if (version < OLDEST_SERVER) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "job store %s: the server is PostgreSQL %d; 15 or later is needed",
                         s->name, version / 10000);
    }
    (void)PQsetNoticeReceiver(c->pg, drop_notice, NULL);
    if (PQsetnonblocking(c->pg, 1) != 0 || PQsetClientEncoding(c->pg, "UTF8") != 0) {
        c->fault = PG_FAULT_LOST;
        return CUZK_FAIL(err, CUZK_E_IO, "job store %s: connect: client encoding", s->name);
    }
    PGresult *r = NULL;
    const int64_t asked = pg_clock_now_ms();
    CUZK_TRY(pg_exec(c, &r, "connect",
                     "SELECT (extract(epoch FROM now()) * 1000)::bigint,"
                     " CASE WHEN current_setting('synchronous_commit') = 'off'"
                     "  THEN set_config('synchronous_commit', 'on', false) END",
                     NULL, err));
    pg_clock_take(s, asked, pg_clock_now_ms(), (int64_t)pg_u64(r, 0, 0));
    PQclear(r);
    return CUZK_OK;
}

/* A failure to connect: a wrong password or database does not become right by another try. */
static cuzk_status fail_connect(pg_store *s, pg_conn *c, cuzk_err *err)
{
    char text[400];
    const char *why = c->pg == NULL ? "out of memory" : PQerrorMessage(c->pg);
    (void)snprintf(text, sizeof(text), "%s", why);
    for (char *p = text; *p != '\0'; p++) {
        if (*p == '\n' || *p == '\t') {
            *p = ' ';
        }
    }
    for (size_t n = strlen(text); n > 0 && text[n - 1] == ' '; n--) {
        text[n - 1] = '\0';
    }
    const bool is_final =
        strstr(text, "authentication failed") != NULL || strstr(text, "does not exist") != NULL ||
        strstr(text, "pg_hba.conf") != NULL || strstr(text, "no password supplied") != NULL ||
        strstr(text, "certificate verify failed") != NULL;
    c->fault = is_final ? PG_FAULT_OTHER : PG_FAULT_LOST;
    return CUZK_FAIL(err, CUZK_E_IO, "job store %s: connect: %s", s->name, text);
}

static cuzk_status connect_now(pg_store *s, pg_conn *c, cuzk_err *err)
{
    char *password = NULL;
    c->fault = PG_FAULT_OTHER;
    c->answer_ms = s->answer_ms;
    c->name = s->name;
    if (s->password_file != NULL) {
        CUZK_TRY(read_password(&password, s->password_file, err));
    }
    /* later ones win: the URL over the defaults, the file over the URL */
    const char *const keys[] = {"connect_timeout",
                                "tcp_user_timeout",
                                "keepalives_idle",
                                "keepalives_interval",
                                "keepalives_count",
                                "application_name",
                                "target_session_attrs",
                                "dbname",
                                password != NULL ? "password" : NULL,
                                NULL};
    const char *const values[] = {
        "5",    "15000",  "10", "5", "3", "cuzk", s->only_reads ? "any" : "read-write",
        s->url, password, NULL};
    c->pg = PQconnectdbParams(keys, values, 1);
    drop_password(password);
    if (c->pg == NULL || PQstatus(c->pg) != CONNECTION_OK) {
        const cuzk_status st = fail_connect(s, c, err);
        pg_disconnect(c);
        return st;
    }
    const cuzk_status st = set_up(s, c, err);
    if (st != CUZK_OK) {
        pg_disconnect(c);
    }
    return st;
}

cuzk_status pg_connect(pg_store *s, pg_conn *c, cuzk_err *err)
{
    cuzk_err inner = {.msg = ""};
    const cuzk_status st = connect_now(s, c, &inner);
    if (st == CUZK_OK) {
        return CUZK_OK;
    }
    if (!s->is_open || st == CUZK_E_NOMEM || st == CUZK_E_IO) {
        if (err != NULL) {
            *err = inner;
        }
        return st;
    }
    /* A password file that is missing, or that everybody can read now, says nothing about the jobs: E_NOT_FOUND
     * would mean that a job is not there, and E_INVALID that its input is wrong. */
    return CUZK_FAIL(err, CUZK_E_IO, "job store %s: connect: %s", s->name, inner.msg);
}

/* --- the pool --- */

/* Waits for a place; NULL: the time is over. */
static pg_conn *take(pg_store *s, uint64_t end_ns)
{
    pg_conn *found = NULL;
    (void)pthread_mutex_lock(&s->mutex);
    while (found == NULL) {
        for (size_t i = 0; i < PG_CONNECTIONS; i++) { /* one that is connected, if there is one */
            pg_conn *c = &s->conns[i];
            if (!c->is_used && (found == NULL || (found->pg == NULL && c->pg != NULL))) {
                found = c;
            }
        }
        const uint64_t now = cuzk_clock_ns();
        if (found == NULL && now >= end_ns) {
            break;
        }
        if (found == NULL) {
            struct timespec t = {.tv_sec = (time_t)(end_ns / 1000000000u),
                                 .tv_nsec = (long)(end_ns % 1000000000u)};
            (void)pthread_cond_timedwait(&s->freed, &s->mutex, &t);
        }
    }
    if (found != NULL) {
        found->is_used = true;
    }
    (void)pthread_mutex_unlock(&s->mutex);
    return found;
}

static void give(pg_store *s, pg_conn *c)
{
    (void)pthread_mutex_lock(&s->mutex);
    c->is_used = false;
    (void)pthread_cond_signal(&s->freed);
    (void)pthread_mutex_unlock(&s->mutex);
}

/* A connection that a failed try leaves in a transaction, or that is lost, must not be used again. */
static void clean_up(pg_conn *c)
{
    if (c->pg == NULL) {
        return;
    }
    if (c->fault != PG_FAULT_LOST && PQstatus(c->pg) == CONNECTION_OK &&
        PQtransactionStatus(c->pg) != PQTRANS_IDLE) {
        const pg_fault fault = c->fault;
        cuzk_ignore(pg_exec(c, NULL, "roll back", "ROLLBACK", NULL, NULL));
        c->fault = c->fault == PG_FAULT_NONE ? fault : PG_FAULT_LOST;
    }
    if (c->fault == PG_FAULT_LOST || PQstatus(c->pg) != CONNECTION_OK ||
        PQtransactionStatus(c->pg) != PQTRANS_IDLE) {
        pg_disconnect(c);
    }
}

/* One try. *fault is what another try depends on; *was_sent: the database may have got it. */
static cuzk_status try_once(pg_store *s, pg_conn *c, pg_work work, void *arg, bool is_again,
                            pg_fault *fault, bool *was_sent, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    *was_sent = false;
    c->fault = PG_FAULT_NONE;
    if (c->pg == NULL) {
        st = pg_connect(s, c, err);
    }
    if (st == CUZK_OK) {
        *was_sent = true;
        c->fault = PG_FAULT_NONE;
        st = work(s, c, arg, is_again, err);
    }
    *fault = st == CUZK_OK ? PG_FAULT_NONE : c->fault;
    if (st != CUZK_OK) {
        clean_up(c);
    }
    return st;
}

static void pause_ms(uint64_t ms)
{
    const struct timespec t = {.tv_sec = (time_t)(ms / 1000),
                               .tv_nsec = (long)(ms % 1000 * NS_PER_MS)};
    (void)nanosleep(&t, NULL);
}

cuzk_status pg_run_for(pg_store *s, uint64_t limit_ms, pg_work work, void *arg, cuzk_err *err)
{
    const uint64_t end_ns = cuzk_clock_ns() + limit_ms * NS_PER_MS;
    uint64_t pause = PAUSE_MIN_MS;
    bool is_again = false;
    for (;;) {
        cuzk_err inner = {.code = CUZK_OK};
        pg_fault fault = PG_FAULT_OTHER;
        bool was_sent = false;
        pg_conn *c = take(s, end_ns);
        if (c == NULL) {
            return CUZK_FAIL(err, CUZK_E_IO, "job store %s: all %d connections are busy", s->name,
                             PG_CONNECTIONS);
        }
        const cuzk_status st = try_once(s, c, work, arg, is_again, &fault, &was_sent, &inner);
        give(s, c);
        const bool may_retry = fault == PG_FAULT_LOST || fault == PG_FAULT_CONFLICT;
        if (st == CUZK_OK || !may_retry || cuzk_clock_ns() + pause * NS_PER_MS >= end_ns ||
            atomic_load(&s->is_stopping)) {
            if (st != CUZK_OK && err != NULL) {
                *err = inner;
            }
            return st;
        }
        is_again = is_again || (was_sent && fault == PG_FAULT_LOST);
        /* clients that lost the server at one moment do not come back at one moment */
        pause_ms(pause / 2 + cuzk_clock_ns() / 1000 % (pause / 2 + 1));
        pause = pause * 2 < PAUSE_MAX_MS ? pause * 2 : PAUSE_MAX_MS;
    }
}

cuzk_status pg_run(pg_store *s, pg_work work, void *arg, cuzk_err *err)
{
    return pg_run_for(s, s->retry_ms, work, arg, err);
}

void pg_store_free(pg_store *s)
{
    if (s == NULL) {
        return;
    }
    pg_fleet_close(s);
    for (size_t i = 0; i < PG_CONNECTIONS; i++) {
        pg_disconnect(&s->conns[i]);
    }
    pack_room_destroy(&s->pack_room);
    (void)pthread_cond_destroy(&s->freed);
    (void)pthread_mutex_destroy(&s->mutex);
    cuzk_free(s->url);
    cuzk_free(s->folder);
    cuzk_free(s->password_file);
    cuzk_free(s);
}
