/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_BENCH_ROWS_H
#define CUZK_APPS_BENCH_ROWS_H

/* A made-up circuit of any size: 2^lg - 2 rows, of which `bits` percent are bit wires and the others
 * products of full wires; one public input. */
#include "r1cs/build/builder.h"
#include "r1cs/witness.h"

typedef struct bench_rows {
    unsigned lg, bits;
} bench_rows;

CUZK_NODISCARD cuzk_status bench_rows_circuit(cuzk_circuit **out, const bench_rows *o,
                                              cuzk_err *err);
CUZK_NODISCARD cuzk_status bench_rows_witness(cuzk_witness **out, const bench_rows *o,
                                              const cuzk_circuit *c, cuzk_err *err);

#endif /* CUZK_APPS_BENCH_ROWS_H */
