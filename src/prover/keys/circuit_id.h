/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_PROVER_KEYS_CIRCUIT_ID_H
#define CUZK_PROVER_KEYS_CIRCUIT_ID_H

/*
 * Names of kinds and circuits in commands, configuration and protocol. One kind has one name here ("porep",
 * "winning", "window", "update"); the names that other programs have for it are accepted. The ids of circuits
 * ("porep-32g", "wpost-32g") are those of the original daemon, and are what is shown.
 */
#include "circuit/filecoin.h"

#define CUZK_CIRCUIT_ID_BYTES 32

/** "porep", and "porep-c2", "seal-commit"; "window", "window-post", "wpost"; and so on. False: no such kind. */
bool cuzk_circuit_kind_parse(cuzk_circuit_kind *out, const char *name);
/** "porep-32g", "wpost-2k"; returns out. */
const char *cuzk_circuit_id(char out[CUZK_CIRCUIT_ID_BYTES], const cuzk_circuit_spec *spec);
/** KIND-SIZE in any of their names: "wpost-32g", "window-32GiB". False: there is no such circuit. */
bool cuzk_circuit_id_parse(cuzk_circuit_spec *out, const char *text);

#endif /* CUZK_PROVER_KEYS_CIRCUIT_ID_H */
