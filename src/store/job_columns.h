/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_STORE_JOB_COLUMNS_H
#define CUZK_STORE_JOB_COLUMNS_H

/* The columns of a job that the tables of every back end have, and what is read from them. */
#include "engine/job_store.h"

/** Names, in the order in which store_job_copy expects them; a back end's own columns follow. */
#define STORE_JOB_COLUMNS                                                                      \
    "number,job_id,request_id,owner,kind,priority,sector_size,registered_proof,sector_number," \
    "miner_id,partition_index,content,accepted_ms,deadline_ms,cancel_when_unwatched,state,"    \
    "ended_ms,code,error,proof,queue_wait_ms,srs_load_ms,synthesis_ms,gpu_compute_ms,"         \
    "total_ms,input_bytes,input_digest"
#define STORE_N_JOB_COLUMNS 27

/** Reads columns of one row of a result, by their places from 0. */
typedef struct store_row_reader {
    void *result;
    int row;
    uint64_t (*u64)(const struct store_row_reader *r, int column); /* NULL in the table: 0 */
    bool (*flag)(const struct store_row_reader *r, int column);
    /** A view, valid until the next call for the column; NULL in the table: empty. */
    cuzk_bytes (*bytes)(const struct store_row_reader *r, int column);
} store_row_reader;

#define STORE_MORE_STRINGS 2u
typedef struct store_job_row {
    cuzk_job_record record; /* without the byte strings of the input */
    uint8_t *text;          /* owned: a block of base/alloc.h that the strings point into */
    uint64_t input_bytes;
    uint8_t input_digest[32];
} store_job_row;

/**
 * Copies a row that begins with STORE_JOB_COLUMNS. more [n_more, at most STORE_MORE_STRINGS]: further columns whose
 * bytes, each with a NUL after it, go into text too; out_more [n_more] are views of them.
 * E_FORMAT: a value that no program writes; the number and the strings are set all the same. E_NOMEM. out->text is the
 * caller's to free in each case.
 */
CUZK_NODISCARD cuzk_status store_job_copy(store_job_row *out, const store_row_reader *r,
                                          const int *more, cuzk_bytes *out_more, size_t n_more,
                                          const char *store_name, cuzk_err *err);

#endif /* CUZK_STORE_JOB_COLUMNS_H */
