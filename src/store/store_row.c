/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "hash/sha256.h"

#include "store_internal.h"

static uint64_t column_u64(const store_row_reader *r, int column)
{
    return (uint64_t)sqlite3_column_int64(r->result, column);
}

static bool column_flag(const store_row_reader *r, int column)
{
    return sqlite3_column_int(r->result, column) != 0;
}

static cuzk_bytes column_bytes(const store_row_reader *r, int column)
{
    const void *p = sqlite3_column_blob(r->result, column); /* before the length: it converts */
    return (cuzk_bytes){p, p == NULL ? 0 : (size_t)sqlite3_column_bytes(r->result, column)};
}

cuzk_status store_row_copy(store_row *out, const store *s, sqlite3_stmt *q, bool with_input,
                           cuzk_err *err)
{
    static const int input_column = STORE_N_JOB_COLUMNS;
    const store_row_reader r = {
        .result = q, .u64 = column_u64, .flag = column_flag, .bytes = column_bytes};
    const bool is_inline = with_input && sqlite3_column_type(q, input_column) != SQLITE_NULL;
    cuzk_bytes input = {NULL, 0};
    memset(out, 0, sizeof(*out));
    const cuzk_status st =
        store_job_copy(&out->job, &r, &input_column, &input, is_inline ? 1 : 0, s->path, err);
    out->input = input;
    if (st != CUZK_OK) {
        store_row_free(out);
    }
    return st;
}

cuzk_status store_row_take_input(store_row *row, const store *s, cuzk_err *err)
{
    char path[CUZK_STORE_PATH_BYTES + 64];
    uint8_t digest[CUZK_SHA256_BYTES];
    const uint8_t *data = row->input.data;
    size_t n = row->input.size;
    if (data == NULL) {
        store_input_path(path, s, row->job.record.number);
        CUZK_TRY(cuzk_content_read(&row->content, path, CUZK_CONTENT_ANY, err));
        data = row->content.data;
        n = row->content.size;
    }
    if (n != row->job.input_bytes) {
        return CUZK_FAIL(err, CUZK_E_FORMAT,
                         "the stored input of job %" PRIu64 " has %zu bytes, not %" PRIu64,
                         row->job.record.number, n, row->job.input_bytes);
    }
    cuzk_sha256_digest(digest, data, n);
    if (memcmp(digest, row->job.input_digest, sizeof(digest)) != 0) {
        return CUZK_FAIL(err, CUZK_E_DIGEST, "the stored input of job %" PRIu64 " is damaged",
                         row->job.record.number);
    }
    return store_input_parse(&row->job.record.request, &row->proofs, data, n, err);
}

void store_row_free(store_row *row)
{
    cuzk_content_free(&row->content);
    cuzk_free(row->proofs);
    cuzk_free(row->job.text);
    memset(row, 0, sizeof(*row));
}
