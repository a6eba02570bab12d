/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stddef.h>

#include "apps/cuzk/commands.h"

static const command commands[] = {
    {"setup", "make a key for a circuit (.r1cs -> .zkey, .params)", cmd_groth16_setup},
    {"prove", "prove with a key and a witness (.zkey + .wtns -> proof.json)", cmd_groth16_prove},
    {"verify", "check a proof against a verifying key", cmd_groth16_verify},
    {"check", "check a witness against its circuit, naming the row that fails", cmd_groth16_check},
    {"info", "say what a file contains", cmd_groth16_info},
    {NULL, NULL, NULL}};

int cmd_groth16(int argc, char **argv)
{
    return dispatch(argc, argv, "cuzk groth16",
                    "Groth16 over BLS12-381 with the files of circom and snarkjs.", commands);
}
