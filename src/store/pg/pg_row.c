/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Rows of cuzk_job and inputs, as records. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"

#include "pg_internal.h"

/* Order of PG_COLUMNS. */
enum {
    C_NUMBER,
    C_JOB_ID,
    C_REQUEST_ID,
    C_OWNER,
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
    C_CLASS,
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
    C_INPUT_BYTES,
    C_INPUT_DIGEST
};

/* Copies a column and a NUL to *at, moves it on. */
static cuzk_bytes copy(uint8_t **at, const PGresult *r, int row, int column)
{
    const cuzk_bytes from = pg_bytes(r, row, column);
    const cuzk_bytes b = {*at, from.size};
    if (from.size > 0) {
        memcpy(*at, from.data, from.size);
    }
    (*at)[from.size] = 0;
    *at += from.size + 1;
    return b;
}

static bool copy_32(uint8_t out[32], const PGresult *r, int row, int column)
{
    const cuzk_bytes b = pg_bytes(r, row, column);
    if (b.size != 32) {
        return false;
    }
    memcpy(out, b.data, 32);
    return true;
}

/* Values that are enums: anything else was not written by this program. */
static bool copy_enums(cuzk_job_record *j, const PGresult *r, int row)
{
    const uint64_t kind = pg_u64(r, row, C_KIND), state = pg_u64(r, row, C_STATE);
    const cuzk_status code = (cuzk_status)(int64_t)pg_u64(r, row, C_CODE);
    if (kind < 1 || kind > CUZK_JOB_KINDS || state > CUZK_JOB_CANCELLED) {
        return false;
    }
    j->request.kind = (cuzk_job_kind)kind;
    j->state = (cuzk_job_state)state;
    j->code = code;
    return strcmp(cuzk_status_text(code), "unknown status") != 0;
}

static void copy_numbers(cuzk_job_record *j, const PGresult *r, int row)
{
    cuzk_job_request *q = &j->request;
    q->priority = (uint32_t)pg_u64(r, row, C_PRIORITY);
    q->sector_size = pg_u64(r, row, C_SECTOR_SIZE);
    q->registered_proof = pg_u64(r, row, C_REGISTERED_PROOF);
    q->sector_number = pg_u64(r, row, C_SECTOR_NUMBER);
    q->miner_id = pg_u64(r, row, C_MINER_ID);
    q->partition_index = (uint32_t)pg_u64(r, row, C_PARTITION_INDEX);
    j->accepted_unix_ms = (int64_t)pg_u64(r, row, C_ACCEPTED_MS);
    j->deadline_unix_ms = (int64_t)pg_u64(r, row, C_DEADLINE_MS);
    j->cancel_when_unwatched = pg_bool(r, row, C_CANCEL);
    j->class_base = (uint32_t)pg_u64(r, row, C_CLASS);
    j->ended_unix_ms = (int64_t)pg_u64(r, row, C_ENDED_MS);
    j->queue_wait_ms = pg_u64(r, row, C_QUEUE_WAIT_MS);
    j->srs_load_ms = pg_u64(r, row, C_SRS_LOAD_MS);
    j->synthesis_ms = pg_u64(r, row, C_SYNTHESIS_MS);
    j->gpu_compute_ms = pg_u64(r, row, C_GPU_COMPUTE_MS);
    j->total_ms = pg_u64(r, row, C_TOTAL_MS);
}

cuzk_status pg_row_copy(pg_row *out, const pg_store *s, const PGresult *r, int at, cuzk_err *err)
{
    static const int strings[] = {C_JOB_ID, C_REQUEST_ID, C_OWNER, C_ERROR, C_PROOF};
    cuzk_job_record *j = &out->record;
    size_t bytes = 0;
    memset(out, 0, sizeof(*out));
    j->number = pg_u64(r, at, C_NUMBER);
    j->error = j->job_id = "";
    for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
        bytes += pg_bytes(r, at, strings[i]).size + 1;
    }
    out->text = cuzk_alloc(bytes, 1);
    if (out->text == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a stored job");
    }
    uint8_t *to = out->text;
    j->job_id = (const char *)copy(&to, r, at, C_JOB_ID).data;
    j->request.request_id = copy(&to, r, at, C_REQUEST_ID);
    j->request.owner = copy(&to, r, at, C_OWNER);
    j->error = (const char *)copy(&to, r, at, C_ERROR).data;
    j->proof = copy(&to, r, at, C_PROOF);
    copy_numbers(j, r, at);
    out->input_bytes = pg_u64(r, at, C_INPUT_BYTES);
    if (!copy_enums(j, r, at) || !copy_32(j->content, r, at, C_CONTENT) ||
        !copy_32(out->digest, r, at, C_INPUT_DIGEST)) {
        return CUZK_FAIL(err, CUZK_E_FORMAT,
                         "job store %s: the record of job %" PRIu64 " makes no sense", s->name,
                         j->number);
    }
    return CUZK_OK;
}

/* One part after the other, so that the input is in memory once. */
static cuzk_status read_parts(pg_row *row, pg_conn *c, cuzk_err *err)
{
    size_t got = 0;
    for (uint64_t part = 0; got < row->input_bytes; part++) {
        PGresult *r = NULL;
        pg_params p = {.n = 0};
        pg_add_u64(&p, row->record.number);
        pg_add_u64(&p, part);
        CUZK_TRY(pg_exec(c, &r, "read input",
                         "SELECT data FROM cuzk_input WHERE number = $1 AND part = $2", &p, err));
        const cuzk_bytes b = PQntuples(r) == 1 ? pg_bytes(r, 0, 0) : (cuzk_bytes){NULL, 0};
        const bool fits = b.size > 0 && b.size <= row->input_bytes - got;
        if (fits) {
            memcpy(row->input + got, b.data, b.size);
            got += b.size;
        }
        const bool is_lost = PQntuples(r) == 0;
        PQclear(r);
        if (!fits) {
            return CUZK_FAIL(err, is_lost ? CUZK_E_NOT_FOUND : CUZK_E_FORMAT,
                             "the stored input of job %" PRIu64 " has no part %" PRIu64
                             " of the right size",
                             row->record.number, part);
        }
    }
    return CUZK_OK;
}

cuzk_status pg_row_read_input(pg_row *row, pg_conn *c, cuzk_err *err)
{
    uint8_t digest[CUZK_SHA256_BYTES];
    c->fault = PG_FAULT_OTHER; /* of failures below that are no statement's */
    if (row->input_bytes > SIZE_MAX / 2) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "the stored input of job %" PRIu64 " is too long",
                         row->record.number);
    }
    row->input = cuzk_alloc((size_t)row->input_bytes, 1);
    if (row->input == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the input of a stored job");
    }
    CUZK_TRY(read_parts(row, c, err));
    c->fault = PG_FAULT_OTHER;
    cuzk_sha256_digest(digest, row->input, (size_t)row->input_bytes);
    if (memcmp(digest, row->digest, sizeof(digest)) != 0) {
        return CUZK_FAIL(err, CUZK_E_DIGEST, "the stored input of job %" PRIu64 " is damaged",
                         row->record.number);
    }
    return store_input_parse(&row->record.request, &row->proofs, row->input,
                             (size_t)row->input_bytes, err);
}

void pg_row_free(pg_row *row)
{
    cuzk_free(row->proofs);
    cuzk_free(row->input);
    cuzk_free(row->text);
    memset(row, 0, sizeof(*row));
}
