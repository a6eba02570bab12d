/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Rows of cuzk_job and inputs, as records. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"

#include "pg_folder.h"
#include "pg_internal.h"

/* What follows STORE_JOB_COLUMNS in PG_COLUMNS. */
enum {
    C_CLASS = STORE_N_JOB_COLUMNS,
    C_INPUT_FORM,
    C_INPUT_PLACE,
    C_INPUT_KEEPER,
    C_KEPT_BYTES,
    C_KEPT_DIGEST,
    C_CIRCUIT
};

static uint64_t column_u64(const store_row_reader *r, int column)
{
    return pg_u64(r->result, r->row, column);
}

static bool column_flag(const store_row_reader *r, int column)
{
    return pg_bool(r->result, r->row, column);
}

static cuzk_bytes column_bytes(const store_row_reader *r, int column)
{
    return pg_bytes(r->result, r->row, column);
}

/* Rows of old programs have no kept_...: what is kept is the encoding itself. */
static bool copy_kept(pg_input *in, const store_job_row *job, const store_row_reader *r)
{
    const cuzk_bytes keeper = r->bytes(r, C_INPUT_KEEPER), digest = r->bytes(r, C_KEPT_DIGEST);
    in->form = r->u64(r, C_INPUT_FORM);
    in->place = r->u64(r, C_INPUT_PLACE);
    in->bytes = job->input_bytes;
    in->kept_bytes = r->u64(r, C_KEPT_BYTES);
    memcpy(in->digest, job->input_digest, sizeof(in->digest));
    if (keeper.size >= sizeof(in->keeper)) {
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
    if (digest.size != sizeof(in->kept_digest)) {
        return false;
    }
    memcpy(in->kept_digest, digest.data, sizeof(in->kept_digest));
    return true;
}

cuzk_status pg_row_copy(pg_row *out, const pg_store *s, PGresult *result, int at, cuzk_err *err)
{
    static const int circuit_column = C_CIRCUIT;
    const store_row_reader r = {
        .result = result, .row = at, .u64 = column_u64, .flag = column_flag, .bytes = column_bytes};
    cuzk_bytes circuit = {(const uint8_t *)"", 0};
    memset(out, 0, sizeof(*out));
    const cuzk_status st =
        store_job_copy(&out->job, &r, &circuit_column, &circuit, 1, s->name, err);
    out->job.record.circuit = (const char *)circuit.data;
    out->job.record.class_base = (uint32_t)r.u64(&r, C_CLASS);
    int64_t *const times[] = {&out->job.record.accepted_unix_ms, &out->job.record.deadline_unix_ms,
                              &out->job.record.ended_unix_ms};
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        *times[i] = pg_clock_from_database(s, *times[i]);
    }
    CUZK_TRY(st);
    if (!copy_kept(&out->kept, &out->job, &r)) {
        return CUZK_FAIL(err, CUZK_E_FORMAT,
                         "job store %s: the record of job %" PRIu64 " makes no sense", s->name,
                         out->job.record.number);
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
        pg_add_u64(&p, row->job.record.number);
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
                             row->job.record.number, part);
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
        return pg_folder_read(kept, s, row->job.record.number, in, row->job.record.accepted_unix_ms,
                              err);
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
                         row->job.record.number, in->keeper,
                         s->fetch == NULL ? "this one cannot ask" : "is not there");
    }
    *kept = cuzk_alloc((size_t)in->kept_bytes, 1);
    if (*kept == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the input of a stored job");
    }
    pg_file_name(name, row->job.record.number, in->kept_digest);
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
                         row->job.record.number);
    }
    switch (in->place) {
    case PG_PLACE_DATABASE: st = read_database(&kept, row, c, err); break;
    case PG_PLACE_FOLDER:
        st = s->place != PG_PLACE_FOLDER
                 ? CUZK_FAIL(err, CUZK_E_IO,
                             "the input of job %" PRIu64
                             " is in a shared folder: this daemon's store.inputs is not \"folder\"",
                             row->job.record.number)
                 : pg_folder_read(&kept, s, row->job.record.number, in,
                                  row->job.record.accepted_unix_ms, err);
        break;
    case PG_PLACE_KEEPER: st = read_keeper(&kept, row, s, c, err); break;
    default:
        st = CUZK_FAIL(err, CUZK_E_IO,
                       "the input of job %" PRIu64 " is where this program cannot look",
                       row->job.record.number);
    }
    if (st == CUZK_OK) {
        c->fault = PG_FAULT_OTHER;
        st = pg_input_open(&row->input, in, kept, err);
    }
    cuzk_free(kept);
    CUZK_TRY(st);
    return store_input_parse(&row->job.record.request, &row->proofs, row->input, (size_t)in->bytes,
                             err);
}

void pg_row_free(pg_row *row)
{
    cuzk_free(row->proofs);
    cuzk_free(row->input);
    cuzk_free(row->job.text);
    memset(row, 0, sizeof(*row));
}
