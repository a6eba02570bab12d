/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_LIB_LIB_PROGRAM_H
#define CUZK_LIB_LIB_PROGRAM_H

/* What the program `cuzk` tells its prover beyond <cuzk/prove.h>. No library exports these functions. */
#include <cuzk/prove.h>

#include "prover/prove/filecoin_input.h"
#include "trace/trace.h"

typedef struct lib_program {
    /** Spans of all jobs go here, with bytes and counters, in place of rings of their own. Must outlive the prover. */
    cuzk_trace_ctx trace;
    const char
        *params_origin; /* who named params_folder, for messages; static. NULL: "params_folder" */
} lib_program;

/** Before the first job. */
void lib_prover_for_program(cuzk_prover *p, const lib_program *program);

/**
 * As cuzk_prover_submit, of an input that the program has parsed, so that its messages name files and nothing is parsed
 * twice. in, with its spec set, is borrowed until the task has been destroyed. flags: CUZK_PROVE_CHECK_ROWS or 0. All
 * partitions of in are proved. progress may be NULL.
 */
CUZK_NODISCARD cuzk_status lib_prover_submit_parsed(cuzk_task **out, cuzk_prover *p,
                                                    const cuzk_filecoin_input *in, uint32_t flags,
                                                    cuzk_progress_fn progress, void *progress_arg,
                                                    cuzk_error *error);

#endif /* CUZK_LIB_LIB_PROGRAM_H */
