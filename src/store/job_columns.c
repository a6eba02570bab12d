/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "store/job_columns.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"

/* Order of STORE_JOB_COLUMNS. */
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
    C_INPUT_DIGEST,
    N_COLUMNS
};
CUZK_STATIC_ASSERT(N_COLUMNS == STORE_N_JOB_COLUMNS, "each name has its place");

static bool copy_32(uint8_t out[32], const store_row_reader *r, int column)
{
    const cuzk_bytes b = r->bytes(r, column);
    if (b.size != 32) {
        return false;
    }
    memcpy(out, b.data, 32);
    return true;
}

/* Values that are enums: anything else was not written by this program. */
static bool copy_enums(cuzk_job_record *j, const store_row_reader *r)
{
    const uint64_t kind = r->u64(r, C_KIND), state = r->u64(r, C_STATE);
    const cuzk_status code = (cuzk_status)(int64_t)r->u64(r, C_CODE);
    if (kind < 1 || kind > CUZK_JOB_KINDS || state > CUZK_JOB_CANCELLED) {
        return false;
    }
    j->request.kind = (cuzk_job_kind)kind;
    j->state = (cuzk_job_state)state;
    j->code = code;
    return strcmp(cuzk_status_text(code), "unknown status") != 0;
}

static void copy_numbers(cuzk_job_record *j, const store_row_reader *r)
{
    cuzk_job_request *q = &j->request;
    q->priority = (uint32_t)r->u64(r, C_PRIORITY);
    q->sector_size = r->u64(r, C_SECTOR_SIZE);
    q->registered_proof = r->u64(r, C_REGISTERED_PROOF);
    q->sector_number = r->u64(r, C_SECTOR_NUMBER);
    q->miner_id = r->u64(r, C_MINER_ID);
    q->partition_index = (uint32_t)r->u64(r, C_PARTITION_INDEX);
    j->accepted_unix_ms = (int64_t)r->u64(r, C_ACCEPTED_MS);
    j->deadline_unix_ms = (int64_t)r->u64(r, C_DEADLINE_MS);
    j->cancel_when_unwatched = r->flag(r, C_CANCEL);
    j->ended_unix_ms = (int64_t)r->u64(r, C_ENDED_MS);
    j->queue_wait_ms = r->u64(r, C_QUEUE_WAIT_MS);
    j->srs_load_ms = r->u64(r, C_SRS_LOAD_MS);
    j->synthesis_ms = r->u64(r, C_SYNTHESIS_MS);
    j->gpu_compute_ms = r->u64(r, C_GPU_COMPUTE_MS);
    j->total_ms = r->u64(r, C_TOTAL_MS);
}

static size_t string_bytes(const store_row_reader *r, const int *columns, size_t n)
{
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++) {
        bytes += r->bytes(r, columns[i]).size + 1;
    }
    return bytes;
}

/* The bytes of each column, and a NUL, go to *at, which moves on. */
static void copy_strings(cuzk_bytes *out, uint8_t **at, const store_row_reader *r,
                         const int *columns, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const cuzk_bytes b = r->bytes(r, columns[i]);
        out[i] = (cuzk_bytes){*at, b.size};
        if (b.size > 0) {
            memcpy(*at, b.data, b.size);
        }
        (*at)[b.size] = 0;
        *at += b.size + 1;
    }
}

cuzk_status store_job_copy(store_job_row *out, const store_row_reader *r, const int *more,
                           cuzk_bytes *out_more, size_t n_more, const char *store_name,
                           cuzk_err *err)
{
    static const int columns[] = {C_JOB_ID, C_REQUEST_ID, C_OWNER, C_ERROR, C_PROOF};
    enum { N = sizeof(columns) / sizeof(columns[0]) };
    cuzk_bytes strings[N];
    cuzk_job_record *j = &out->record;
    memset(out, 0, sizeof(*out));
    CUZK_ASSERT(n_more <= STORE_MORE_STRINGS);
    j->number = r->u64(r, C_NUMBER);
    j->error = j->job_id = "";
    out->text = cuzk_alloc(string_bytes(r, columns, N) + string_bytes(r, more, n_more), 1);
    if (out->text == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a stored job");
    }
    uint8_t *at = out->text;
    copy_strings(strings, &at, r, columns, N);
    copy_strings(out_more, &at, r, more, n_more);
    j->job_id = (const char *)strings[0].data;
    j->request.request_id = strings[1];
    j->request.owner = strings[2];
    j->error = (const char *)strings[3].data;
    j->proof = strings[4];
    copy_numbers(j, r);
    out->input_bytes = r->u64(r, C_INPUT_BYTES);
    if (!copy_enums(j, r) || !copy_32(j->content, r, C_CONTENT) ||
        !copy_32(out->input_digest, r, C_INPUT_DIGEST)) {
        return CUZK_FAIL(err, CUZK_E_FORMAT,
                         "job store %s: the record of job %" PRIu64 " makes no sense", store_name,
                         j->number);
    }
    return CUZK_OK;
}
