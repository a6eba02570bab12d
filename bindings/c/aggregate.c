/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * aggregate SRS KEY.vk N PROOFS INPUTS: aggregates N proofs, and verifies the aggregate. The SRS may be one for
 * tests; a program for the network leaves CUZK_AGGREGATE_ANY_SRS out.
 */
#include <stdio.h>
#include <stdlib.h>

#include <cuzk/aggregate.h>

static unsigned char *read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    unsigned char *data = malloc(1 << 20);
    *n = f != NULL && data != NULL ? fread(data, 1, 1 << 20, f) : 0;
    if (f != NULL) {
        (void)fclose(f);
    }
    return data;
}

int main(int argc, char **argv)
{
    char message[256] = "";
    uint8_t include[32];
    size_t vk_n = 0, proofs_n = 0, inputs_n = 0;
    cuzk_aggregate_srs *srs = NULL;
    cuzk_vk *vk = NULL;
    if (argc != 6) {
        (void)fprintf(stderr, "usage: aggregate SRS KEY.vk N PROOFS INPUTS\n");
        return 2;
    }
    unsigned char *key = read_file(argv[2], &vk_n), *proofs = read_file(argv[4], &proofs_n);
    unsigned char *inputs = read_file(argv[5], &inputs_n);
    cuzk_aggregate_claim claim = {.inputs = inputs,
                                  .n = strtoul(argv[3], NULL, 10),
                                  .include = include,
                                  .include_bytes = sizeof(include)};
    const size_t bytes = cuzk_aggregate_bytes(claim.n);
    uint8_t *made = malloc(bytes + 1);
    cuzk_verify_result r = made == NULL || proofs_n != claim.n * 192
                               ? CUZK_VERIFY_E_INVALID
                               : cuzk_vk_read_unsafe(&vk, key, vk_n);
    if (r == CUZK_VERIFY_OK) {
        claim.n_inputs = cuzk_vk_n_inputs(vk);
        r = inputs_n == claim.n * claim.n_inputs * 32
                ? cuzk_aggregate_include_all(include, vk, &claim)
                : CUZK_VERIFY_E_INVALID;
    }
    if (r == CUZK_VERIFY_OK) {
        r = cuzk_aggregate_srs_open(&srs, argv[1], CUZK_AGGREGATE_ANY_SRS, message,
                                    sizeof(message));
    }
    if (r == CUZK_VERIFY_OK) {
        r = cuzk_aggregate_prove(made, srs, vk, &claim, proofs, 0, message, sizeof(message));
    }
    if (r == CUZK_VERIFY_OK) {
        r = cuzk_aggregate_verify(srs, vk, &claim, made, bytes, CUZK_AGGREGATE_DEFAULT, message,
                                  sizeof(message));
    }
    (void)printf("%s %s\n", r == CUZK_VERIFY_OK ? "verified" : cuzk_verify_text(r), message);
    cuzk_aggregate_srs_close(srs);
    cuzk_vk_destroy(vk);
    free(key);
    free(proofs);
    free(inputs);
    free(made);
    return r == CUZK_VERIFY_OK ? 0 : 1;
}
