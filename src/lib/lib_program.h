/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_LIB_LIB_PROGRAM_H
#define CUZK_LIB_LIB_PROGRAM_H

/* What the program `cuzk` tells its prover beyond <cuzk/prove.h>. No library exports this function. */
#include <cuzk/prove.h>

#include "trace/trace.h"

typedef struct lib_program {
    /** Spans of all jobs go here, with bytes and counters, in place of rings of their own. Must outlive the prover. */
    cuzk_trace_ctx trace;
    const char
        *params_origin; /* who named params_folder, for messages; static. NULL: "params_folder" */
} lib_program;

/** Before the first job. */
void lib_prover_for_program(cuzk_prover *p, const lib_program *program);

#endif /* CUZK_LIB_LIB_PROGRAM_H */
