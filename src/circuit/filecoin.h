/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_CIRCUIT_FILECOIN_H
#define CUZK_CIRCUIT_FILECOIN_H

/*
 * The circuits of Filecoin's proofs, compiled (docs/spec/README.md). Each is a preamble and one
 * block repeated:
 *
 *   kind      block                    blocks                          public inputs, ONE included
 *   porep     challenge                18, or 2 up to 1 GiB            4 + 18 per challenge
 *   winning   challenge (a "sector")   66                              1 + 2 per challenge
 *   window    sector of 10 challenges  2349, 2300, or 2 up to 1 GiB    1 + 11 per sector
 *   update    challenge                86, or 10 up to 16 MiB          5
 *
 * The order of wires and rows is that of rust-fil-proofs 19.1, on which parameters and proofs
 * depend; each circuit's own file begins with the order of its wires.
 */
#include "base/status.h"
#include "r1cs/circuit.h"
#include "vanilla/sector/sector.h"

typedef enum cuzk_circuit_kind {
    CUZK_CIRCUIT_POREP = 0,
    CUZK_CIRCUIT_WINNING = 1,
    CUZK_CIRCUIT_WINDOW = 2,
    CUZK_CIRCUIT_UPDATE = 3
} cuzk_circuit_kind;
#define CUZK_CIRCUIT_N_KINDS 4

typedef struct cuzk_circuit_spec {
    cuzk_circuit_kind kind;
    const cuzk_sector_shape *shape;
    uint32_t n_blocks;     /* challenges, or sectors of a WindowPoSt partition */
    uint32_t block_proofs; /* challenges per block: 10 for WindowPoSt, else 1 */
    uint32_t n_inputs;     /* ONE included */
} cuzk_circuit_spec;

/** "porep", "winning", "window", "update". */
const char *cuzk_circuit_kind_name(cuzk_circuit_kind kind);
/** E_INVALID when there is no such sector size, or no such circuit for it. */
CUZK_NODISCARD cuzk_status cuzk_circuit_spec_of(cuzk_circuit_spec *out, cuzk_circuit_kind kind,
                                                uint64_t sector_bytes, cuzk_err *err);

/** Records and compiles a circuit; single-threaded, some seconds for the largest. */
CUZK_NODISCARD cuzk_status cuzk_filecoin_circuit_build(cuzk_circuit_kind kind,
                                                       uint64_t sector_bytes, cuzk_circuit **out,
                                                       cuzk_err *err);

#endif /* CUZK_CIRCUIT_FILECOIN_H */
