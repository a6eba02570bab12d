/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Statements: parameters, waiting with a limit, what failures mean. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/clock.h"

#include "pg_internal.h"

#define NS_PER_MS       1000000u
/* Numbers of types; they are part of the protocol. */
#define TYPE_BOOL       16
#define TYPE_BYTEA      17
#define TYPE_INT8       20
#define TYPE_TEXT       25
#define TYPE_INT8_ARRAY 1016

pg_fault pg_fault_of(const char *sqlstate)
{
    /* 25006: the server takes no writes any more, another one may */
    static const char *const lost[] = {"57P01", "57P02", "57P03", "57P05",
                                       "53300", "25P03", "25006"};
    if (sqlstate == NULL || sqlstate[0] == '\0' || strncmp(sqlstate, "08", 2) == 0) {
        return PG_FAULT_LOST;
    }
    for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++) {
        if (strcmp(sqlstate, lost[i]) == 0) {
            return PG_FAULT_LOST;
        }
    }
    if (strcmp(sqlstate, "40001") == 0 || strcmp(sqlstate, "40P01") == 0) {
        return PG_FAULT_CONFLICT;
    }
    /* CREATE TABLE IF NOT EXISTS of two daemons at once fails by any of these: key, type or table is there */
    if (strcmp(sqlstate, "23505") == 0 || strcmp(sqlstate, "42710") == 0 ||
        strcmp(sqlstate, "42P07") == 0) {
        return PG_FAULT_DUPLICATE;
    }
    return PG_FAULT_OTHER;
}

static void add(pg_params *p, Oid type, const void *value, size_t n)
{
    CUZK_ASSERT(p->n < PG_MAX_PARAMS && n <= INT32_MAX);
    p->types[p->n] = type;
    p->values[p->n] = n == 0 ? "" : value;
    p->lengths[p->n] = (int)n;
    p->formats[p->n] = 1; /* binary */
    p->n++;
}

void pg_add_u64(pg_params *p, uint64_t v)
{
    uint8_t *b = p->numbers[p->n];
    cuzk_store_u64_be(b, v);
    add(p, TYPE_INT8, b, 8);
}

void pg_add_bool(pg_params *p, bool v)
{
    uint8_t *b = p->numbers[p->n];
    b[0] = v ? 1 : 0;
    add(p, TYPE_BOOL, b, 1);
}

void pg_add_text(pg_params *p, const char *text)
{
    add(p, TYPE_TEXT, text, text == NULL ? 0 : strlen(text));
}

void pg_add_bytes(pg_params *p, const void *data, size_t n)
{
    add(p, TYPE_BYTEA, data, n);
}

void pg_add_array(pg_params *p, const uint64_t *numbers, size_t n, char *text, size_t cap)
{
    size_t used = 1;
    CUZK_ASSERT(cap >= 22 * n + 3);
    text[0] = '{';
    for (size_t i = 0; i < n; i++) {
        used += (size_t)snprintf(text + used, cap - used, "%s%" PRId64, i == 0 ? "" : ",",
                                 (int64_t)numbers[i]);
    }
    text[used] = '}';
    text[used + 1] = '\0';
    add(p, TYPE_INT8_ARRAY, text, used + 1);
    p->formats[p->n - 1] = 0; /* text */
}

/* The connection cannot be used any more. */
static cuzk_status lose(pg_conn *c, const char *what, const char *why, cuzk_err *err)
{
    c->fault = PG_FAULT_LOST;
    return CUZK_FAIL(err, CUZK_E_IO, "job store %s: %s: %s", c->name, what, why);
}

/* Waits until the socket can be read (or written, when want_write). False: the time is over. */
static bool wait_socket(pg_conn *c, bool want_write, uint64_t end_ns)
{
    struct pollfd p = {.fd = PQsocket(c->pg), .events = POLLIN};
    p.events = (short)(want_write ? POLLIN | POLLOUT : POLLIN);
    for (;;) {
        const uint64_t now = cuzk_clock_ns();
        if (now >= end_ns) {
            return false;
        }
        const int rc = poll(&p, 1, (int)((end_ns - now) / NS_PER_MS + 1));
        if (rc > 0 || (rc < 0 && errno != EINTR)) {
            return true; /* what is wrong shows in the next call */
        }
    }
}

/* Everything that was sent goes out. */
static bool flush(pg_conn *c, uint64_t end_ns)
{
    for (;;) {
        const int left = PQflush(c->pg);
        if (left <= 0) {
            return left == 0;
        }
        if (!wait_socket(c, true, end_ns) || PQconsumeInput(c->pg) == 0) {
            return false;
        }
    }
}

/* The next result; NULL: there is no other one, or *ok is false. */
static PGresult *next_result(pg_conn *c, uint64_t end_ns, bool *ok)
{
    *ok = true;
    while (PQisBusy(c->pg) != 0) {
        if (!wait_socket(c, false, end_ns) || PQconsumeInput(c->pg) == 0) {
            *ok = false;
            return NULL;
        }
    }
    return PQgetResult(c->pg);
}

/* One line of libpq's message, which may have several. */
static void first_line(char *out, size_t cap, const char *text)
{
    const size_t n = text == NULL ? 0 : strcspn(text, "\n");
    (void)snprintf(out, cap, "%.*s", (int)n, text == NULL ? "" : text);
}

/* The state of a class 53: disk full, out of memory, and the like: all E_IO. */
static cuzk_status fail_result(pg_conn *c, const PGresult *r, const char *what, cuzk_err *err)
{
    char text[300];
    const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
    const char *primary = PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
    const char *detail = PQresultErrorField(r, PG_DIAG_CONSTRAINT_NAME);
    c->fault = PQstatus(c->pg) == CONNECTION_BAD ? PG_FAULT_LOST : pg_fault_of(state);
    first_line(text, sizeof(text), primary != NULL ? primary : PQresultErrorMessage(r));
    return CUZK_FAIL(err, c->fault == PG_FAULT_DUPLICATE ? CUZK_E_EXISTS : CUZK_E_IO,
                     "job store %s: %s: %s%s%s%s%s", c->name, what, text,
                     state == NULL ? "" : " (SQLSTATE ", state == NULL ? "" : state,
                     state == NULL ? "" : ")",
                     c->fault == PG_FAULT_DUPLICATE && detail != NULL ? detail : "");
}

/* After something was sent: takes every result, keeps the last one that is good. */
static cuzk_status take_results(pg_conn *c, PGresult **out, const char *what, cuzk_err *err)
{
    char text[300];
    cuzk_status st = CUZK_OK;
    const uint64_t end_ns = cuzk_clock_ns() + c->answer_ms * NS_PER_MS;
    bool ok = flush(c, end_ns);
    while (ok) {
        PGresult *r = next_result(c, end_ns, &ok);
        if (r == NULL) {
            break;
        }
        const ExecStatusType kind = PQresultStatus(r);
        const bool is_good = kind == PGRES_TUPLES_OK || kind == PGRES_COMMAND_OK;
        if (!is_good && st == CUZK_OK) {
            st = fail_result(c, r, what, err);
        }
        if (is_good && st == CUZK_OK && out != NULL) {
            PQclear(*out);
            *out = r;
        } else {
            PQclear(r);
        }
    }
    if (!ok && st == CUZK_OK) {
        first_line(text, sizeof(text), PQerrorMessage(c->pg));
        st = lose(c, what, text[0] != '\0' ? text : "the database does not answer", err);
    }
    if (!ok) {
        c->fault = PG_FAULT_LOST; /* a result may still come: the connection is of no use */
    }
    if (st != CUZK_OK && out != NULL) {
        PQclear(*out);
        *out = NULL;
    }
    return st;
}

cuzk_status pg_exec(pg_conn *c, PGresult **out, const char *what, const char *sql,
                    const pg_params *params, cuzk_err *err)
{
    static const pg_params none = {.n = 0};
    const pg_params *p = params == NULL ? &none : params;
    char text[300];
    if (out != NULL) {
        *out = NULL;
    }
    c->fault = PG_FAULT_NONE;
    if (PQsendQueryParams(c->pg, sql, p->n, p->types, p->values, p->lengths, p->formats, 1) == 0) {
        first_line(text, sizeof(text), PQerrorMessage(c->pg));
        return lose(c, what, text, err);
    }
    return take_results(c, out, what, err);
}

cuzk_status pg_exec_all(pg_conn *c, const char *what, const char *sql, cuzk_err *err)
{
    char text[300];
    c->fault = PG_FAULT_NONE;
    if (PQsendQuery(c->pg, sql) == 0) {
        first_line(text, sizeof(text), PQerrorMessage(c->pg));
        return lose(c, what, text, err);
    }
    return take_results(c, NULL, what, err);
}

uint64_t pg_u64(const PGresult *r, int row, int column)
{
    if (PQgetisnull(r, row, column) != 0 || PQgetlength(r, row, column) != 8) {
        return 0;
    }
    return cuzk_load_u64_be((const uint8_t *)PQgetvalue(r, row, column));
}

bool pg_bool(const PGresult *r, int row, int column)
{
    return PQgetisnull(r, row, column) == 0 && PQgetlength(r, row, column) == 1 &&
           PQgetvalue(r, row, column)[0] != 0;
}

cuzk_bytes pg_bytes(const PGresult *r, int row, int column)
{
    cuzk_bytes b = {NULL, 0};
    if (PQgetisnull(r, row, column) == 0) {
        b.data = (const uint8_t *)PQgetvalue(r, row, column);
        b.size = (size_t)PQgetlength(r, row, column);
    }
    return b;
}
