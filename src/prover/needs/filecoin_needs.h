/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_PROVER_NEEDS_FILECOIN_NEEDS_H
#define CUZK_PROVER_NEEDS_FILECOIN_NEEDS_H

/*
 * The memory that proving takes, computed from kind and sector size alone, before anything is compiled, opened or
 * allocated. All in bytes; upper bounds, except for the counts, which are exact.
 */
#include "circuit/filecoin.h"

/** Counts of a compiled circuit, as in cuzk_circuit. */
typedef struct cuzk_circuit_counts {
    uint64_t n_aux, n_fulls, bit_words, a_aux_density, b_aux_density;
    uint32_t n_inputs; /* ONE included */
    unsigned lg_domain;
    uint64_t circuit_bytes; /* heap of the compiled circuit */
    uint64_t compile_bytes; /* heap while it is recorded and compiled, the result included */
} cuzk_circuit_counts;

typedef struct cuzk_filecoin_needs {
    uint64_t circuit_bytes, compile_bytes;
    uint64_t params_file_bytes; /* exact size of the .params file; read in slices, not held */
    uint64_t params_heap_bytes; /* verifying key and index */
    uint64_t witness_bytes;     /* of one partition */
    /* while one partition is proved on the CPU, in addition to the witness */
    uint64_t prove_bytes;
    uint64_t verify_bytes;
} cuzk_filecoin_needs;

/** E_INVALID when there is no such circuit. */
CUZK_NODISCARD cuzk_status cuzk_circuit_counts_of(cuzk_circuit_counts *out,
                                                  const cuzk_circuit_spec *spec, cuzk_err *err);
/** threads: of the pool that proves. */
CUZK_NODISCARD cuzk_status cuzk_filecoin_needs_of(cuzk_filecoin_needs *out,
                                                  const cuzk_circuit_spec *spec, unsigned threads,
                                                  cuzk_err *err);
/** Heap of a parsed input of that many request bytes, the parser's own included. */
uint64_t cuzk_filecoin_input_bytes(cuzk_circuit_kind kind, uint64_t request_bytes);

/** How a card can prove a kind of proof, by its device memory alone. */
typedef enum cuzk_device_ability {
    CUZK_DEVICE_CANNOT = 0, /* not one proof fits: the card must not be given the kind */
    CUZK_DEVICE_STREAMS,    /* points come through the device for each group of witnesses */
    CUZK_DEVICE_RESIDENT    /* points stay on the device */
} cuzk_device_ability;

/** Device memory for a kind: estimates that are a few percent high; the plan of a key has the exact numbers. */
typedef struct cuzk_device_needs {
    uint64_t resident_bytes; /* all points, full tables, and a proof next to them */
    uint64_t streamed_bytes; /* the smallest shape: one vector of the domain, short slices */
    uint64_t host_bytes; /* page-locked, of that shape: a vector, and two buffers of the stream */
} cuzk_device_needs;

/** E_INVALID when there is no such circuit. Pure: no device is looked at. */
CUZK_NODISCARD cuzk_status cuzk_device_needs_of(cuzk_device_needs *out,
                                                const cuzk_circuit_spec *spec, cuzk_err *err);
/** memory_bytes: what the card's driver leaves to programs, or the limit of --vram. */
cuzk_device_ability cuzk_device_ability_of(const cuzk_device_needs *needs, uint64_t memory_bytes);
/**
 * Of a card's memory, what the daemon keeps for the keys of WinningPoSt and a proof with them: other kinds have the
 * rest. 0 for cards with less than 6 GiB.
 */
uint64_t cuzk_device_kept_bytes(uint64_t memory_bytes);
/** Memory of a card that the daemon can give to a kind: all of it to a WinningPoSt, all but cuzk_device_kept_bytes to others. */
uint64_t cuzk_device_bytes_for(cuzk_circuit_kind kind, uint64_t memory_bytes);
/**
 * Page-locked host memory that calls of a kind keep on a card with so much memory for the kind: a vector of the domain
 * where the points stream and there is no room for two vectors, else 0. A few percent of the memory above the bound,
 * the plan of a call needs none although this says so.
 */
uint64_t cuzk_device_host_vector(const cuzk_circuit_spec *spec, uint64_t memory_bytes);
/** "resident", "streamed", "not possible"; a literal. */
const char *cuzk_device_ability_name(cuzk_device_ability a);

#endif /* CUZK_PROVER_NEEDS_FILECOIN_NEEDS_H */
