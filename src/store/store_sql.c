/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <errno.h>

#include "store_internal.h"

bool store_is_damaged(store *s)
{
    const int primary = sqlite3_extended_errcode(s->db) & 0xff;
    return primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB;
}

/* SQLite's words for a file that may not be written say neither which file nor why. */
static bool may_be_unwritable(int primary)
{
    return primary == SQLITE_READONLY || primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN ||
           primary == SQLITE_PERM;
}

cuzk_status store_sql_fail(store *s, const char *what, cuzk_err *err)
{
    char file[STORE_FILE_BYTES];
    const int rc = sqlite3_extended_errcode(s->db);
    const int why = may_be_unwritable(rc & 0xff) ? store_find_unwritable(s, file) : 0;
    if (why != 0) {
        return store_fail_unwritable(file, why, err);
    }
    const char *hint = "";
    switch (rc & 0xff) {
    case SQLITE_READONLY: hint = " (is it marked append-only? lsattr shows it)"; break;
    case SQLITE_NOMEM:
        return CUZK_FAIL(err, CUZK_E_NOMEM, "job store %s: %s: out of memory", s->path, what);
    case SQLITE_BUSY:
    case SQLITE_LOCKED: hint = " (in use by another process?)"; break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: hint = " (it will be moved aside at the next start)"; break;
    default: break;
    }
    const int os = (rc & 0xff) == SQLITE_FULL ? ENOSPC : sqlite3_system_errno(s->db);
    return CUZK_FAIL_OS(err, CUZK_E_IO, os, "job store %s: %s: %s%s", s->path, what,
                        sqlite3_errmsg(s->db), hint);
}

cuzk_status store_exec(store *s, const char *sql, cuzk_err *err)
{
    if (sqlite3_exec(s->db, sql, NULL, NULL, NULL) != SQLITE_OK) {
        return store_sql_fail(s, sql, err);
    }
    return CUZK_OK;
}

cuzk_status store_prepare(store *s, sqlite3_stmt **out, const char *sql, cuzk_err *err)
{
    *out = NULL;
    if (sqlite3_prepare_v2(s->db, sql, -1, out, NULL) != SQLITE_OK) {
        return store_sql_fail(s, "prepare", err);
    }
    return CUZK_OK;
}

cuzk_status store_query_u64(store *s, uint64_t *out, const char *sql, cuzk_err *err)
{
    sqlite3_stmt *q = NULL;
    cuzk_status st = CUZK_OK;
    *out = 0;
    CUZK_TRY(store_prepare(s, &q, sql, err));
    const int rc = sqlite3_step(q);
    if (rc == SQLITE_ROW) {
        *out = (uint64_t)sqlite3_column_int64(q, 0);
    } else if (rc != SQLITE_DONE) {
        st = store_sql_fail(s, sql, err);
    }
    (void)sqlite3_finalize(q);
    return st;
}
