/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_CIRCUIT_PARAM_NAME_H
#define CUZK_CIRCUIT_PARAM_NAME_H

/*
 * Names of parameter files (docs/params-format.md#names): v28-PREFIX-SHA256(identifier).EXT, where the
 * identifier is the text that rust-fil-proofs prints for the circuit's public parameters.
 */
#include "circuit/filecoin.h"

#define CUZK_PARAM_NAME_BYTES 192 /* enough for every name, NUL included */
#define CUZK_PARAM_ID_BYTES   384

typedef enum cuzk_param_file {
    CUZK_PARAM_FILE_PARAMS = 0,
    CUZK_PARAM_FILE_VK = 1,
    CUZK_PARAM_FILE_META = 2
} cuzk_param_file;

/** The hashed text, NUL-terminated; returns out. */
const char *cuzk_param_identifier(char out[CUZK_PARAM_ID_BYTES], const cuzk_circuit_spec *spec);
/** "v28-...-8-8-0-....params" and so on, without a folder; returns out. */
const char *cuzk_param_file_name(char out[CUZK_PARAM_NAME_BYTES], const cuzk_circuit_spec *spec,
                                 cuzk_param_file file);

#endif /* CUZK_CIRCUIT_PARAM_NAME_H */
