/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_STORE_JOBS_H
#define CUZK_TEST_STORE_JOBS_H

/* Jobs whose every field and byte follow from their number, to be put and compared. */
#include "store/store.h"

#define JOB_MAX_PROOFS 3

typedef struct job {
    cuzk_job_record record;
    cuzk_bytes proofs[JOB_MAX_PROOFS];
    char id[64];
    uint8_t *bytes; /* malloc'd: what the views point into */
} job;

/** big: the input is kept in a file. */
void job_make(job *out, uint64_t number, bool big);
void job_free(job *j);
/** Fails the case unless r, its input included, is what job_make makes for r->number. */
void job_check(const cuzk_job_record *r, bool big);
/** The same without the input. */
void job_check_fields(const cuzk_job_record *r);
/** Fills in a COMPLETED outcome that follows from the number. */
void job_complete(job *j);
void job_check_completed(const cuzk_job_record *r);

#endif /* CUZK_TEST_STORE_JOBS_H */
