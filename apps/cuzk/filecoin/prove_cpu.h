/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_PROVE_CPU_H
#define CUZK_APPS_PROVE_CPU_H

/* The part of `cuzk prove` that runs on the CPU: a prover and a task of <cuzk/prove.h>. */
#include <cuzk/prove.h>

#include "fil_opts.h"

/** The figures that are reported for a proof. */
typedef struct proved {
    cuzk_span after;          /* the last span before it */
    uint64_t constraints;     /* rows of the circuit */
    uint64_t passes;          /* over the points, on all devices */
    uint64_t release_backlog; /* most bytes of witnesses that waited to be freed */
} proved;

/** o->repeat, at least 1. */
uint64_t prove_times(const fil_opts *o);
/** Reports the time from input to proof of the i-th time, from 0; ns: without reading and parsing. */
void prove_report_time(fil_opts *o, uint64_t i, uint64_t ns);

/**
 * Proves in, whose spec is set, as often as --repeat says, on the CPU, and reports load and times. proofs [n]; they and *out
 * are those of the last time.
 */
CUZK_NODISCARD cuzk_status prove_on_cpu(fil_opts *o, const cuzk_filecoin_input *in, uint8_t *proofs,
                                        size_t n, proved *out);

#endif /* CUZK_APPS_PROVE_CPU_H */
