/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* verify KEY.vk PROOF INPUTS: one proof, its public inputs as 32-byte little-endian numbers. */
#include <stdio.h>
#include <stdlib.h>

#include <cuzk/verify.h>

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
    size_t vk_n, proof_n, inputs_n;
    cuzk_vk *vk = NULL;
    if (argc != 4) {
        (void)fprintf(stderr, "usage: verify KEY.vk PROOF INPUTS\n");
        return 2;
    }
    unsigned char *key = read_file(argv[1], &vk_n);
    unsigned char *proof = read_file(argv[2], &proof_n);
    unsigned char *inputs = read_file(argv[3], &inputs_n);
    cuzk_verify_result r = cuzk_vk_read(&vk, key, vk_n);
    if (r == CUZK_VERIFY_OK) {
        r = cuzk_verify(vk, proof, proof_n, inputs, inputs_n / CUZK_SCALAR_BYTES);
    }
    (void)printf("%s\n", r == CUZK_VERIFY_OK ? "verified" : cuzk_verify_text(r));
    cuzk_vk_destroy(vk);
    free(key);
    free(proof);
    free(inputs);
    return r == CUZK_VERIFY_OK ? 0 : 1;
}
