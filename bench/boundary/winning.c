/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * winning FOLDER N THREADS VANILLA: N times the WinningPoSt of test/vectors/filecoin by <cuzk/prove.h>, with one prover.
 * The counterpart of `cuzk prove winning --repeat N`, for run.py.
 */
#include <stdio.h>
#include <stdlib.h>

#include <cuzk/prove.h>

int main(int argc, char **argv)
{
    static uint8_t vanilla[1 << 20];
    uint8_t proof[192];
    size_t n = 0;
    cuzk_error error;
    cuzk_prover *prover = NULL;
    if (argc != 5) {
        return 2;
    }
    FILE *f = fopen(argv[4], "rb");
    if (f == NULL) {
        return 2;
    }
    const cuzk_input input = {vanilla, fread(vanilla, 1, sizeof(vanilla), f)};
    (void)fclose(f);
    const cuzk_prover_options options = {.struct_size = sizeof(options),
                                         .threads = (uint32_t)atoi(argv[3]),
                                         .devices = "cpu",
                                         .params_folder = argv[1]};
    cuzk_prove_request request = {.struct_size = sizeof(request),
                                  .kind = CUZK_KIND_WINNING,
                                  .registered_proof = 0,
                                  .sector_bytes = 2048,
                                  .inputs = &input,
                                  .n_inputs = 1};
    for (uint8_t i = 0; i < 31; i++) {
        request.randomness[i] = (uint8_t)(64 + i);
    }
    if (cuzk_prover_create(&prover, &options, &error) != CUZK_OK) {
        return puts(error.text), 1;
    }
    for (int i = 0; i < atoi(argv[2]); i++) {
        if (cuzk_prover_prove(prover, proof, sizeof(proof), &n, &request, &error) != CUZK_OK) {
            return puts(error.text), 1;
        }
    }
    cuzk_prover_destroy(prover);
    return 0;
}
