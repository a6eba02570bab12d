/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_PROVER_NEEDS_EXPECTED_TIME_H
#define CUZK_PROVER_NEEDS_EXPECTED_TIME_H

/*
 * The time that a statement takes on a card: measured on one H200, and computed from that for every other card. An
 * estimate for people ("a 4090 needs some nine seconds"), not for scheduling.
 */
#include "prover/needs/filecoin_needs.h"

typedef struct cuzk_expected_time {
    double seconds; /* from the input's bytes to verified proofs, parameters loaded; 0: not known */
    bool is_measured; /* on such a card; false: computed from the rates in accel/card/rates.h */
} cuzk_expected_time;

/**
 * All partitions of one statement of 32 or 64 GiB sectors (a PoRep of ten, a SnapDeals of sixteen, a WindowPoSt
 * of one). memory_bytes: device memory for programs. Not known: other sectors, a card that is not in the table,
 * a kind that cannot fit, and a kind that streams of which no run has been made.
 */
cuzk_expected_time cuzk_expected_time_of(const cuzk_circuit_spec *spec, const char *device_name,
                                         uint64_t memory_bytes);

#endif /* CUZK_PROVER_NEEDS_EXPECTED_TIME_H */
