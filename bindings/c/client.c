/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * client ADDRESS RANDOMNESS OUT VANILLA: a WinningPoSt by a daemon, from a vanilla proof of a sector of the first
 * type (2 KiB), miner 1000. Prints what the daemon is doing first.
 */
#include <stdio.h>
#include <string.h>

#include <cuzk/client.h>

static uint8_t vanilla[1 << 20];

static int hex32(uint8_t out[32], const char *text)
{
    int i;
    for (i = 0; i < 32; i++) {
        unsigned byte;
        if (sscanf(text + 2 * i, "%2x", &byte) != 1) {
            return 0;
        }
        out[i] = (uint8_t)byte;
    }
    return strlen(text) == 64;
}

static void print_status(cuzk_client *client)
{
    cuzk_client_status *status;
    cuzk_client_totals totals = {sizeof(totals)};
    size_t i;
    if (cuzk_client_get_status(&status, client, NULL, NULL) != CUZK_OK) {
        return;
    }
    (void)cuzk_client_status_totals(&totals, status);
    for (i = 0; i < totals.n_queues; i++) {
        cuzk_client_queue queue = {sizeof(queue)};
        (void)cuzk_client_status_queue(&queue, status, i);
        (void)printf("%s: %u wait\n", queue.proof_kind, (unsigned)queue.pending);
    }
    cuzk_client_status_destroy(status);
}

static int write_proof(const char *path, const uint8_t *proof, size_t n)
{
    FILE *f = fopen(path, "wb");
    if (f == NULL) {
        return 0;
    }
    const size_t written = fwrite(proof, 1, n, f);
    return fclose(f) == 0 && written == n;
}

static int prove(cuzk_client *client, const cuzk_prove_request *request, const char *path)
{
    const cuzk_client_call call = {sizeof(call), 0, 600000, NULL}; /* ten minutes */
    cuzk_client_result *result;
    cuzk_error error;
    size_t n;
    if (cuzk_client_prove(&result, client, request, NULL, &call, &error) != CUZK_OK) {
        return (void)printf("%s\n", error.text), 0;
    }
    const uint8_t *proof = cuzk_client_result_proof(result, &n);
    const int is_good = proof != NULL && write_proof(path, proof, n);
    (void)printf("%u bytes %s\n", (unsigned)n, cuzk_client_result_error(result));
    cuzk_client_result_destroy(result);
    return is_good;
}

int main(int argc, char **argv)
{
    cuzk_client *client;
    cuzk_client_options options = {sizeof(options)};
    cuzk_prove_request request = {sizeof(request), CUZK_KIND_WINNING};
    cuzk_input input = {vanilla, 0};
    cuzk_error error;
    FILE *f = argc == 5 ? fopen(argv[4], "rb") : NULL;
    if (f == NULL || !hex32(request.randomness, argv[2])) {
        return (void)printf("usage: client ADDRESS RANDOMNESS OUT VANILLA\n"), 2;
    }
    input.size = fread(vanilla, 1, sizeof(vanilla), f);
    (void)fclose(f);
    request.inputs = &input;
    request.n_inputs = 1;
    request.sector_bytes = 2048;
    request.miner_id = 1000;
    options.address = argv[1];
    if (cuzk_client_create(&client, &options, &error) != CUZK_OK) {
        return (void)printf("%s\n", error.text), 1;
    }
    print_status(client);
    const int is_good = prove(client, &request, argv[3]);
    cuzk_client_destroy(client);
    return is_good ? 0 : 1;
}
