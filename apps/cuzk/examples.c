/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Examples, shown at the end of `COMMAND --help` and of the manual pages. test/cli/test_help.py checks that their
 * options exist.
 */
#include "examples.h"

#include <stddef.h>
#include <string.h>

/* clang-format off */
static const struct {
    const char *command, *lines;
} table[] = {
    {"cuzk prove porep",
     "cuzk prove porep --c1 c1.json -o proof.bin\n"
     "cuzk prove porep --c1 c1.json --params /data/params --miner 1000 --sector 7 -o proof.bin"},
    {"cuzk prove winning", "cuzk prove winning --vanilla sector.bin --type 3 --randomness HEX -o proof.bin"},
    {"cuzk prove window",
     "cuzk prove window --vanilla FOLDER --type 13 --partition 0 --randomness HEX -o proof.bin"},
    {"cuzk prove update",
     "cuzk prove update --vanilla partition.bin --sector-size 32GiB --partition 0 --comm-r-old HEX "
     "--comm-d-new HEX --comm-r-new HEX -o proof.bin"},
    {"cuzk verify porep", "cuzk verify porep --c1 c1.json --proof proof.bin"},
    {"cuzk verify winning",
     "cuzk verify winning --vanilla sector.bin --type 3 --randomness HEX --proof proof.bin"},
    {"cuzk verify window",
     "cuzk verify window --vanilla FOLDER --type 13 --partition 0 --randomness HEX --proof proof.bin"},
    {"cuzk verify update",
     "cuzk verify update --sector-size 32GiB --partition 0 --comm-r-old HEX --comm-d-new HEX --comm-r-new HEX "
     "--proof proof.bin"},
    {"cuzk verify aggregate", "cuzk verify aggregate --sectors sectors.json --aggregate aggregate.bin"},
    {"cuzk aggregate", "cuzk aggregate --sectors sectors.json -o aggregate.bin"},
    {"cuzk gen porep", "cuzk gen porep --sector-size 2KiB -o c1.json"},
    {"cuzk gen winning", "cuzk gen winning --sector-size 2KiB --seed 1 -o sector.bin"},
    {"cuzk gen window", "cuzk gen window --sector-size 2KiB --sectors 2 -o FOLDER"},
    {"cuzk gen update", "cuzk gen update --sector-size 2KiB -o partition.bin"},
    {"cuzk circuit info", "cuzk circuit info porep 32GiB --no-transcript"},
    {"cuzk groth16 setup", "cuzk groth16 setup circuit.r1cs circuit.zkey"},
    {"cuzk groth16 prove", "cuzk groth16 prove circuit.zkey witness.wtns proof.json public.json"},
    {"cuzk groth16 verify", "cuzk groth16 verify verification_key.json public.json proof.json"},
    {"cuzk groth16 check", "cuzk groth16 check circuit.r1cs witness.wtns"},
    {"cuzk groth16 info", "cuzk groth16 info circuit.zkey"},
    {"cuzk params info", "cuzk params info FILE.params"},
    {"cuzk params setup", "cuzk params setup winning 2KiB -o FOLDER"},
    {"cuzk submit",
     "cuzk submit --kind porep --c1 c1.json --miner 1000 --sector 7 --request-id porep-1000-7\n"
     "cuzk submit --kind winning --vanilla sector.bin --type 3 --randomness HEX --wait -o proof.bin\n"
     "cuzk submit --kind window --vanilla FOLDER --type 13 --randomness HEX --wait -o proof.bin"},
    {"cuzk await", "cuzk await porep-1000-7 -o proof.bin"},
    {"cuzk cancel", "cuzk cancel porep-1000-7"},
    {"cuzk status", "cuzk status\ncuzk status --addr unix:///run/cuzk/cuzk.sock --json"},
    {"cuzk preload", "cuzk preload porep-32g"},
    {"cuzk evict", "cuzk evict porep-32g"},
    {"cuzk health", "cuzk health && echo the daemon takes jobs"},
    {"cuzk bench daemon single", "cuzk bench daemon single --kind porep --c1 c1.json"},
    {"cuzk bench daemon batch", "cuzk bench daemon batch --kind porep --c1 c1.json --count 10 --concurrency 3"},
    {"cuzk bench daemon stress",
     "cuzk bench daemon stress --duration 60 --job kind=winning,vanilla=sector.bin,randomness=HEX,weight=3"},
    {"cuzk bench daemon status", "cuzk bench daemon status"},
    {"cuzk bench daemon preload", "cuzk bench daemon preload --circuit-id porep-32g"},
    {"cuzk bench daemon metrics", "cuzk bench daemon metrics"},
    {"cuzk bench micro", "cuzk bench micro --match ntt"},
    {"cuzk bench synth", "cuzk bench synth --sector-size 2KiB porep"},
    {"cuzk bench sweep", "cuzk bench sweep --sector-size 2KiB --count 4 -j 1,2 winning"},
    {"cuzk bench prove", "cuzk bench prove --sector-size 2KiB --runs 5 winning"},
    {"cuzk bench aggregate", "cuzk bench aggregate --proofs 128 --repeat 5"},
    {"cuzk bench pair", "cuzk bench pair old/cuzk new/cuzk -- prove winning"},
    {"cuzk bench tune", "cuzk bench tune"},
    {"cuzk bench compare", "cuzk bench compare base.json new.json"},
    {"cuzk bench moved", "cuzk bench moved results/*.json"},
    {"cuzk bench show", "cuzk bench show result.json"},
};
/* clang-format on */

const char *examples_of(const char *command)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (strcmp(table[i].command, command) == 0) {
            return table[i].lines;
        }
    }
    return NULL;
}
