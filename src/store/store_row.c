/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "hash/sha256.h"

#include "store_internal.h"

/* Order of STORE_COLUMNS. */
enum {
    C_NUMBER,
    C_JOB_ID,
    C_REQUEST_ID,
    C_KIND,
    C_PRIORITY,
    C_SECTOR_SIZE,
    C_REGISTERED_PROOF,
    C_SECTOR_NUMBER,
    C_MINER_ID,
    C_PARTITION_INDEX,
    C_CONTENT,
    C_ACCEPTED_MS,
    C_DEADLINE_MS,
    C_CANCEL,
    C_STATE,
    C_ENDED_MS,
    C_CODE,
    C_ERROR,
    C_PROOF,
    C_QUEUE_WAIT_MS,
    C_SRS_LOAD_MS,
    C_SYNTHESIS_MS,
    C_GPU_COMPUTE_MS,
    C_TOTAL_MS,
    C_INPUT,
    C_INPUT_BYTES,
    C_INPUT_DIGEST,
    C_OWNER
};

static uint64_t column_u64(sqlite3_stmt *q, int c)
{
    return (uint64_t)sqlite3_column_int64(q, c);
}

/* Copies column c and a NUL to *at, moves it on. */
static cuzk_bytes copy(uint8_t **at, sqlite3_stmt *q, int c)
{
    const void *p = sqlite3_column_blob(q, c);
    const size_t n = p == NULL ? 0 : (size_t)sqlite3_column_bytes(q, c);
    const cuzk_bytes b = {*at, n};
    if (n > 0) {
        memcpy(*at, p, n);
    }
    (*at)[n] = 0;
    *at += n + 1;
    return b;
}

static bool copy_32(uint8_t out[32], sqlite3_stmt *q, int c)
{
    const void *p = sqlite3_column_blob(q, c);
    if (p == NULL || sqlite3_column_bytes(q, c) != 32) {
        return false;
    }
    memcpy(out, p, 32);
    return true;
}

/* Values that are enums: anything else was not written by this program. */
static bool copy_enums(cuzk_job_record *r, sqlite3_stmt *q)
{
    const int kind = sqlite3_column_int(q, C_KIND), state = sqlite3_column_int(q, C_STATE);
    const cuzk_status code = (cuzk_status)sqlite3_column_int(q, C_CODE);
    if (kind < 1 || kind > CUZK_JOB_KINDS || state < CUZK_JOB_QUEUED ||
        state > CUZK_JOB_CANCELLED) {
        return false;
    }
    r->request.kind = (cuzk_job_kind)kind;
    r->state = (cuzk_job_state)state;
    r->code = code;
    return strcmp(cuzk_status_text(code), "unknown status") != 0;
}

cuzk_status store_row_copy(store_row *out, store *s, sqlite3_stmt *q, bool with_input,
                           cuzk_err *err)
{
    static const int strings[] = {C_JOB_ID, C_REQUEST_ID, C_ERROR, C_PROOF, C_OWNER};
    cuzk_job_record *r = &out->record;
    size_t bytes = sizeof(strings) / sizeof(strings[0]) + 1;
    memset(out, 0, sizeof(*out));
    for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
        (void)sqlite3_column_blob(q, strings[i]); /* converts first: bytes asks for that */
        bytes += (size_t)sqlite3_column_bytes(q, strings[i]);
    }
    bytes += with_input ? (size_t)sqlite3_column_bytes(q, C_INPUT) : 0;
    out->text = cuzk_alloc(bytes, 1);
    if (out->text == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a stored job");
    }
    uint8_t *at = out->text;
    r->number = column_u64(q, C_NUMBER);
    r->job_id = (const char *)copy(&at, q, C_JOB_ID).data;
    r->request.request_id = copy(&at, q, C_REQUEST_ID);
    r->error = (const char *)copy(&at, q, C_ERROR).data;
    r->proof = copy(&at, q, C_PROOF);
    r->request.owner = copy(&at, q, C_OWNER);
    if (with_input && sqlite3_column_type(q, C_INPUT) != SQLITE_NULL) {
        out->input = copy(&at, q, C_INPUT);
    }
    r->request.priority = (uint32_t)column_u64(q, C_PRIORITY);
    r->request.sector_size = column_u64(q, C_SECTOR_SIZE);
    r->request.registered_proof = column_u64(q, C_REGISTERED_PROOF);
    r->request.sector_number = column_u64(q, C_SECTOR_NUMBER);
    r->request.miner_id = column_u64(q, C_MINER_ID);
    r->request.partition_index = (uint32_t)column_u64(q, C_PARTITION_INDEX);
    r->accepted_unix_ms = sqlite3_column_int64(q, C_ACCEPTED_MS);
    r->deadline_unix_ms = sqlite3_column_int64(q, C_DEADLINE_MS);
    r->cancel_when_unwatched = sqlite3_column_int(q, C_CANCEL) != 0;
    r->ended_unix_ms = sqlite3_column_int64(q, C_ENDED_MS);
    r->queue_wait_ms = column_u64(q, C_QUEUE_WAIT_MS);
    r->srs_load_ms = column_u64(q, C_SRS_LOAD_MS);
    r->synthesis_ms = column_u64(q, C_SYNTHESIS_MS);
    r->gpu_compute_ms = column_u64(q, C_GPU_COMPUTE_MS);
    r->total_ms = column_u64(q, C_TOTAL_MS);
    out->input_bytes = column_u64(q, C_INPUT_BYTES);
    if (!copy_enums(r, q) || !copy_32(r->content, q, C_CONTENT) ||
        !copy_32(out->digest, q, C_INPUT_DIGEST)) {
        const cuzk_status st = CUZK_FAIL(
            err, CUZK_E_FORMAT, "job store %s: the record of job %" PRIu64 " makes no sense",
            s->path, r->number);
        store_row_free(out);
        return st;
    }
    return CUZK_OK;
}

cuzk_status store_row_take_input(store_row *row, const store *s, cuzk_err *err)
{
    char path[CUZK_STORE_PATH_BYTES + 64];
    uint8_t digest[CUZK_SHA256_BYTES];
    const uint8_t *data = row->input.data;
    size_t n = row->input.size;
    if (data == NULL) {
        store_input_path(path, s, row->record.number);
        CUZK_TRY(cuzk_content_read(&row->content, path, CUZK_CONTENT_ANY, err));
        data = row->content.data;
        n = row->content.size;
    }
    if (n != row->input_bytes) {
        return CUZK_FAIL(err, CUZK_E_FORMAT,
                         "the stored input of job %" PRIu64 " has %zu bytes, not %" PRIu64,
                         row->record.number, n, row->input_bytes);
    }
    cuzk_sha256_digest(digest, data, n);
    if (memcmp(digest, row->digest, sizeof(digest)) != 0) {
        return CUZK_FAIL(err, CUZK_E_DIGEST, "the stored input of job %" PRIu64 " is damaged",
                         row->record.number);
    }
    return store_input_parse(&row->record.request, &row->proofs, data, n, err);
}

void store_row_free(store_row *row)
{
    cuzk_content_free(&row->content);
    cuzk_free(row->proofs);
    cuzk_free(row->text);
    memset(row, 0, sizeof(*row));
}
