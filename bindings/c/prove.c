/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * prove FOLDER RANDOMNESS OUT VANILLA...: a partition of a WindowPoSt of 2 KiB sectors, parameters in FOLDER,
 * one vanilla proof per sector. Prints how far it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuzk/prove.h>

static int hex32(uint8_t out[32], const char *text)
{
    for (int i = 0; i < 32; i++) {
        unsigned byte;
        if (sscanf(text + 2 * i, "%2x", &byte) != 1) {
            return 0;
        }
        out[i] = (uint8_t)byte;
    }
    return strlen(text) == 64;
}

static int read_file(cuzk_input *out, const char *path)
{
    const size_t most = 1 << 20;
    unsigned char *data = malloc(most);
    FILE *f = fopen(path, "rb");
    out->data = data;
    out->size = f != NULL && data != NULL ? fread(data, 1, most, f) : 0;
    if (f != NULL) {
        (void)fclose(f);
    }
    return out->size != 0;
}

static int32_t on_progress(void *arg, const char *step, uint64_t done, uint64_t total)
{
    (void)arg;
    (void)printf("%s %llu of %llu\n", step, (unsigned long long)done, (unsigned long long)total);
    return 0; /* another value would cancel */
}

static int write_file(const char *path, const uint8_t *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    const int good = f != NULL && fwrite(data, 1, n, f) == n;
    return f != NULL && fclose(f) == 0 && good;
}

int main(int argc, char **argv)
{
    enum { MOST = 2 };
    cuzk_input inputs[MOST];
    uint8_t proof[192];
    size_t n = 0;
    cuzk_error error;
    cuzk_prover *prover = NULL;
    cuzk_prover_options options = {.struct_size = sizeof(options)};
    cuzk_prove_request request = {.struct_size = sizeof(request),
                                  .kind = CUZK_KIND_WINDOW,
                                  .registered_proof = 10,
                                  .inputs = inputs,
                                  .progress = on_progress};
    if (argc < 5 || argc > 4 + MOST || !hex32(request.randomness, argv[2])) {
        (void)fprintf(stderr, "usage: prove FOLDER RANDOMNESS OUT VANILLA...\n");
        return 2;
    }
    options.params_folder = argv[1];
    for (int i = 4; i < argc; i++) {
        if (!read_file(&inputs[request.n_inputs++], argv[i])) {
            (void)fprintf(stderr, "cannot read %s\n", argv[i]);
            return 2;
        }
    }
    cuzk_status st = cuzk_prover_create(&prover, &options, &error);
    if (st == CUZK_OK) {
        st = cuzk_prover_prove(prover, proof, sizeof(proof), &n, &request, &error);
    }
    if (st != CUZK_OK) {
        (void)fprintf(stderr, "%s: %s\n", cuzk_status_name(st), error.text);
    }
    cuzk_prover_destroy(prover);
    for (size_t i = 0; i < request.n_inputs; i++) {
        free((void *)inputs[i].data);
    }
    return st == CUZK_OK && write_file(argv[3], proof, n) ? 0 : 1;
}
