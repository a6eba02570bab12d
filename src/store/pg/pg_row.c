/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Rows of cuzk_job and inputs, as records. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"

#include "pg_folder.h"
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
    C_INPUT_DIGEST,
    C_INPUT_FORM,
    C_INPUT_PLACE,
    C_INPUT_KEEPER,
    C_KEPT_BYTES,
    C_KEPT_DIGEST,
    C_CIRCUIT
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

/* Rows of old programs have no kept_...: what is kept is the encoding itself. */
static bool copy_kept(pg_input *in, const PGresult *r, int row)
{
    const cuzk_bytes keeper = pg_bytes(r, row, C_INPUT_KEEPER);
    in->form = pg_u64(r, row, C_INPUT_FORM);
    in->place = pg_u64(r, row, C_INPUT_PLACE);
    in->bytes = pg_u64(r, row, C_INPUT_BYTES);
    in->kept_bytes = pg_u64(r, row, C_KEPT_BYTES);
    if (keeper.size >= sizeof(in->keeper) || !copy_32(in->digest, r, row, C_INPUT_DIGEST)) {
        return false;
    }
    if (keeper.size > 0) {
        memcpy(in->keeper, keeper.data, keeper.size);
    }
    in->keeper[keeper.size] = '\0';
    if (in->kept_bytes == 0) {
        in->kept_bytes = in->bytes;
        memcpy(in->kept_digest, in->digest, sizeof(in->digest));
        return in->form == PG_FORM_PLAIN;
    }
    return copy_32(in->kept_digest, r, row, C_KEPT_DIGEST);
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
    static const int strings[] = {C_JOB_ID, C_REQUEST_ID, C_OWNER, C_ERROR, C_PROOF, C_CIRCUIT};
    cuzk_job_record *j = &out->record;
    size_t bytes = 0;
    memset(out, 0, sizeof(*out));
    j->number = pg_u64(r, at, C_NUMBER);
    j->error = j->job_id = j->circuit = "";
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
    j->circuit = (const char *)copy(&to, r, at, C_CIRCUIT).data;
    copy_numbers(j, r, at);
    if (!copy_enums(j, r, at) || !copy_32(j->content, r, at, C_CONTENT) ||
        !copy_kept(&out->kept, r, at)) {
        return CUZK_FAIL(err, CUZK_E_FORMAT,
                         "job store %s: the record of job %" PRIu64 " makes no sense", s->name,
                         j->number);
    }
    return CUZK_OK;
}

/* One part after the other, so that what is kept is in memory once. */
static cuzk_status read_parts(uint8_t *kept, const pg_row *row, pg_conn *c, cuzk_err *err)
{
    const uint64_t size = row->kept.kept_bytes;
    uint64_t got = 0;
    for (uint64_t part = 0; got < size; part++) {
        PGresult *r = NULL;
        pg_params p = {.n = 0};
        pg_add_u64(&p, row->record.number);
        pg_add_u64(&p, part);
        CUZK_TRY(pg_exec(c, &r, "read input",
                         "SELECT data FROM cuzk_input WHERE number = $1 AND part = $2", &p, err));
        const cuzk_bytes b = PQntuples(r) == 1 ? pg_bytes(r, 0, 0) : (cuzk_bytes){NULL, 0};
        const bool fits = b.size > 0 && b.size <= size - got;
        if (fits) {
            memcpy(kept + got, b.data, b.size);
            got += b.size;
        }
        const bool is_lost = PQntuples(r) == 0;
        PQclear(r);
        if (!fits) {
            c->fault = PG_FAULT_OTHER;
            return CUZK_FAIL(err, is_lost ? CUZK_E_NOT_FOUND : CUZK_E_FORMAT,
                             "the stored input of job %" PRIu64 " has no part %" PRIu64
                             " of the right size",
                             row->record.number, part);
        }
    }
    return CUZK_OK;
}

static cuzk_status read_database(uint8_t **kept, const pg_row *row, pg_conn *c, cuzk_err *err)
{
    *kept = cuzk_alloc((size_t)row->kept.kept_bytes, 1);
    if (*kept == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the input of a stored job");
    }
    return read_parts(*kept, row, c, err);
}

/* From the daemon that accepted the job, which may be this one. */
static cuzk_status read_keeper(uint8_t **kept, const pg_row *row, const pg_store *s, pg_conn *c,
                               cuzk_err *err)
{
    const pg_input *in = &row->kept;
    char address[256] = "", name[PG_FILE_CHARS + 1];
    pg_params p = {.n = 0};
    PGresult *r = NULL;
    if (s->place == PG_PLACE_KEEPER && strcmp(in->keeper, pg_fleet_name(s)) == 0) {
        return pg_folder_read(kept, s, row->record.number, in, row->record.accepted_unix_ms, err);
    }
    pg_add_text(&p, in->keeper);
    CUZK_TRY(pg_exec(c, &r, "read input",
                     "SELECT address FROM cuzk_member WHERE name = $1 AND is_alive"
                     " ORDER BY incarnation DESC LIMIT 1",
                     &p, err));
    c->fault = PG_FAULT_OTHER;
    if (PQntuples(r) == 1) {
        const cuzk_bytes b = pg_bytes(r, 0, 0);
        (void)snprintf(address, sizeof(address), "%.*s", (int)b.size, (const char *)b.data);
    }
    PQclear(r);
    if (address[0] == '\0' || s->fetch == NULL) {
        return CUZK_FAIL(err, CUZK_E_IO,
                         "the input of job %" PRIu64 " is kept by the daemon \"%s\", which %s",
                         row->record.number, in->keeper,
                         s->fetch == NULL ? "this one cannot ask" : "is not there");
    }
    *kept = cuzk_alloc((size_t)in->kept_bytes, 1);
    if (*kept == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the input of a stored job");
    }
    pg_file_name(name, row->record.number, in->kept_digest);
    return s->fetch(s->fetch_arg, address, name, *kept, (size_t)in->kept_bytes, err);
}

cuzk_status pg_row_read_input(pg_row *row, const pg_store *s, pg_conn *c, cuzk_err *err)
{
    const pg_input *in = &row->kept;
    uint8_t *kept = NULL;
    cuzk_status st = CUZK_OK;
    c->fault = PG_FAULT_OTHER; /* of failures below that are no statement's */
    if (in->kept_bytes > SIZE_MAX / 2) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "the stored input of job %" PRIu64 " is too long",
                         row->record.number);
    }
    switch (in->place) {
    case PG_PLACE_DATABASE: st = read_database(&kept, row, c, err); break;
    case PG_PLACE_FOLDER:
        st = s->place != PG_PLACE_FOLDER
                 ? CUZK_FAIL(err, CUZK_E_IO,
                             "the input of job %" PRIu64
                             " is in a shared folder: this daemon's store.inputs is not \"folder\"",
                             row->record.number)
                 : pg_folder_read(&kept, s, row->record.number, in, row->record.accepted_unix_ms,
                                  err);
        break;
    case PG_PLACE_KEEPER: st = read_keeper(&kept, row, s, c, err); break;
    default:
        st = CUZK_FAIL(err, CUZK_E_IO,
                       "the input of job %" PRIu64 " is where this program cannot look",
                       row->record.number);
    }
    if (st == CUZK_OK) {
        c->fault = PG_FAULT_OTHER;
        st = pg_input_open(&row->input, in, kept, err);
    }
    cuzk_free(kept);
    CUZK_TRY(st);
    return store_input_parse(&row->record.request, &row->proofs, row->input, (size_t)in->bytes,
                             err);
}

void pg_row_free(pg_row *row)
{
    cuzk_free(row->proofs);
    cuzk_free(row->input);
    cuzk_free(row->text);
    memset(row, 0, sizeof(*row));
}
