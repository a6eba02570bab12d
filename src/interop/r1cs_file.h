/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_INTEROP_R1CS_FILE_H
#define CUZK_INTEROP_R1CS_FILE_H

/*
 * circom's .r1cs (version 1) over BLS12-381. Any wire order is taken as it is: wire 0 is ONE, then
 * the public outputs and inputs, then everything else.
 */
#include "base/status.h"
#include "r1cs/circuit.h"

typedef struct cuzk_r1cs_info {
    uint32_t n_wires; /* ONE included */
    uint32_t n_pub_out, n_pub_in;
    uint32_t n_prv_in; /* of the source: wires of unused ones may have been removed */
    uint32_t n_constraints;
    uint64_t n_labels;
} cuzk_r1cs_info;

/** Header only. name is for messages. E_FORMAT, E_UNSUPPORTED (other field, custom gates). */
CUZK_NODISCARD cuzk_status cuzk_r1cs_file_info(cuzk_r1cs_info *out, const void *data, size_t n,
                                               const char *name, cuzk_err *err);
/**
 * Compiles the constraints: inputs are the public wires, aux wire i is wire 1 + public + i, all of
 * class full. Rows keep their order. Memory grows with the file's bytes only. info may be NULL.
 */
CUZK_NODISCARD cuzk_status cuzk_r1cs_file_compile(cuzk_circuit **out, cuzk_r1cs_info *info,
                                                  const void *data, size_t n, const char *name,
                                                  cuzk_err *err);

#endif /* CUZK_INTEROP_R1CS_FILE_H */
