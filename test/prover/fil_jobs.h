/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_PROVER_FIL_JOBS_H
#define CUZK_TEST_PROVER_FIL_JOBS_H

/*
 * Requests as they come from the wire, made by the generator of synthetic sectors, and parameters
 * made from a seed. Everything fails the running case when it does not work.
 */
#include "prover/prove/filecoin_input.h"

typedef struct fil_job {
    cuzk_filecoin_request rq; /* points into the job */
    cuzk_filecoin_blob *blobs;
    cuzk_node randomness, comm_r_old, comm_r_new, comm_d_new;
} fil_job;

/** A job of a kind and size (window: 2 sectors); equal seeds give equal jobs. Free with fil_job_free. */
void fil_job_make(fil_job *out, cuzk_circuit_kind kind, uint64_t sector_bytes, uint64_t seed);
void fil_job_free(fil_job *job);

/** Makes .params and .vk of a circuit from the seed 7, in a folder that exists. Files that are there are replaced. */
void fil_params_setup(const char *folder, cuzk_circuit_kind kind, uint64_t sector_bytes,
                      cuzk_pool *pool);

/** Writes the same files into dir->path, which exists. They are copies of the files in the folder $CUZK_TEST_PARAMS, which CTest
 * has made once for all tests (test/params). Where that folder does not have them, they are made. A test may damage its copies. */
void fil_params_make(const cuzk_params_dir *dir, cuzk_circuit_kind kind, uint64_t sector_bytes,
                     cuzk_pool *pool);

#endif /* CUZK_TEST_PROVER_FIL_JOBS_H */
