/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_PROVER_KEYS_PARAMS_DIR_H
#define CUZK_PROVER_KEYS_PARAMS_DIR_H

/* Where parameter files are, by the network's names (docs/params-format.md#names). */
#include "circuit/param_name.h"

#define CUZK_PATH_BYTES         4096
#define CUZK_PARAMS_ENV         "FIL_PROOFS_PARAMETER_CACHE"
#define CUZK_PARAMS_DEFAULT_DIR "/var/tmp/filecoin-proof-parameters"

/** Where a folder came from, for messages: "--params", the environment variable's name, "default"; "": not told. */
typedef struct cuzk_params_dir {
    char path[CUZK_PATH_BYTES];
    const char *origin;
} cuzk_params_dir;

/** given (optional) wins, then the environment, then the network's default. E_INVALID when too long. */
CUZK_NODISCARD cuzk_status cuzk_params_dir_choose(cuzk_params_dir *out, const char *given,
                                                  cuzk_err *err);
/** DIR/NAME of a file of a circuit, into out. */
CUZK_NODISCARD cuzk_status cuzk_params_path(char out[CUZK_PATH_BYTES], const cuzk_params_dir *dir,
                                            const cuzk_circuit_spec *spec, cuzk_param_file file,
                                            cuzk_err *err);

#endif /* CUZK_PROVER_KEYS_PARAMS_DIR_H */
