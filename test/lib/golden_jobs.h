/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_LIB_GOLDEN_JOBS_H
#define CUZK_TEST_LIB_GOLDEN_JOBS_H

/* Golden inputs of 2 KiB sectors and their claims, for tests of <cuzk/prove.h>. Public headers only. */
#include <cuzk/params.h>
#include <cuzk/prove.h>

#include "test.h"

#define GOLDEN_MINER 1000u

/** A file's bytes, read once per process and kept. */
cuzk_input golden_file(const char *path);
/** Parameters of a circuit of 2 KiB sectors, from a seed, in a folder that they are made in once per process; in
 * $CUZK_TEST_PARAMS they are kept for the next one. */
const char *golden_params(int32_t kind);

/** A request of a golden input, and what its proof claims. */
typedef struct golden_job {
    cuzk_input inputs[2];
    cuzk_prove_request rq; /* points into the job */
    cuzk_sector sectors[2];
    union {
        cuzk_seal_claim seal;
        cuzk_post_claim post;
        cuzk_update_claim update;
    } claim; /* points into the job */
} golden_job;

/** "porep-v1_1", "porep-synth", "porep-ni", "winning", "window", "windowv1", "update". */
void golden_job_make(golden_job *out, const char *name);
/** The status of the public verifier for the proof, under the key of golden_params. */
cuzk_status golden_verify(const golden_job *job, const uint8_t *proof, size_t proof_bytes);

/** Fails the case with the error's text unless st is CUZK_OK. */
#define LIB_OK(call)                                                                 \
    do {                                                                             \
        const cuzk_status lib_st_ = (call);                                          \
        CHECK_MSG(lib_st_ == CUZK_OK, "%s: %s %s", #call, cuzk_status_name(lib_st_), \
                  golden_error.text);                                                \
    } while (0)
#define LIB_STATUS(call, want)                                                               \
    do {                                                                                     \
        const cuzk_status lib_st_ = (call);                                                  \
        CHECK_MSG(lib_st_ == (want), "%s: %s, not %s: %s", #call, cuzk_status_name(lib_st_), \
                  cuzk_status_name(want), golden_error.text);                                \
        CHECK(golden_error.text[0] != '\0' && golden_error.status == (int32_t)(want));       \
    } while (0)
/** Of the last failing call of the case. */
extern _Thread_local cuzk_error golden_error;

#endif /* CUZK_TEST_LIB_GOLDEN_JOBS_H */
