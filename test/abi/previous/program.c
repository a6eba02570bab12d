/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A program of the previous record of the ABI: compiled with the headers that are next to it, linked with a library
 * that has the functions of that record and nothing in them, and run with the library of today.
 *
 * program VK PROOF INPUTS ZKEY WTNS
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuzk/aggregate.h>
#include <cuzk/params.h>
#include <cuzk/prove.h>

#define NEED(what)                                          \
    do {                                                    \
        if (!(what)) {                                      \
            (void)printf("line %d: %s\n", __LINE__, #what); \
            exit(1);                                        \
        }                                                   \
    } while (0)

typedef struct bytes {
    unsigned char *data;
    size_t n;
} bytes;

static bytes read_file(const char *path)
{
    bytes b = {malloc(1 << 20), 0};
    FILE *f = fopen(path, "rb");
    NEED(f != NULL && b.data != NULL);
    b.n = fread(b.data, 1, 1 << 20, f);
    (void)fclose(f);
    return b;
}

static void verify(char **path)
{
    bytes vk = read_file(path[0]), proof = read_file(path[1]), inputs = read_file(path[2]);
    cuzk_vk *key = NULL;
    size_t bad = 7;
    NEED(cuzk_vk_read(&key, vk.data, vk.n) == CUZK_VERIFY_OK);
    NEED(cuzk_vk_n_inputs(key) == inputs.n / 32);
    NEED(cuzk_verify(key, proof.data, proof.n, inputs.data, inputs.n / 32) == CUZK_VERIFY_OK);
    inputs.data[0] ^= 1;
    NEED(cuzk_verify(key, proof.data, proof.n, inputs.data, inputs.n / 32) ==
         CUZK_VERIFY_E_PROOF_FALSE);
    NEED(cuzk_verify_batch(key, proof.data, proof.n, inputs.data, inputs.n / 32, 1, &bad) !=
         CUZK_VERIFY_OK);
    NEED(bad == 0);
    cuzk_vk_destroy(key);
    free(vk.data);
    free(proof.data);
    free(inputs.data);
}

static int32_t on_progress(void *arg, const char *step, uint64_t done, uint64_t total)
{
    (void)done;
    (void)total;
    *(int *)arg += step[0] != '\0';
    return 0;
}

static void prove(const char *zkey, const char *wtns)
{
    bytes witness = read_file(wtns);
    cuzk_prover_options options;
    cuzk_prove_request request;
    cuzk_input input = {witness.data, witness.n};
    cuzk_task_span spans[64];
    cuzk_prover *prover = NULL;
    cuzk_circom_key *key = NULL;
    cuzk_task *task = NULL;
    cuzk_error error;
    unsigned char proof[192], inputs[32 * 16];
    size_t n = 0;
    int steps = 0;
    memset(&options, 0, sizeof(options));
    options.struct_size = sizeof(options);
    options.threads = 1;
    options.devices = "cpu";
    options.memory_bytes = (uint64_t)1 << 30;
    NEED(cuzk_prover_create(&prover, &options, &error) == CUZK_OK);
    NEED(cuzk_circom_key_load(&key, prover, zkey, &error) == CUZK_OK);
    memset(&request, 0, sizeof(request));
    request.struct_size = sizeof(request);
    request.kind = CUZK_KIND_CIRCOM;
    request.flags = CUZK_PROVE_SPANS;
    request.inputs = &input;
    request.n_inputs = 1;
    request.circom_key = key;
    request.progress = on_progress;
    request.progress_arg = &steps;
    NEED(cuzk_prover_submit(&task, prover, &request, &error) == CUZK_OK);
    NEED(cuzk_task_wait(task, -1) == 1);
    NEED(cuzk_task_result(task, proof, sizeof(proof), &n, &error) == CUZK_OK && n == 192);
    NEED(cuzk_task_public(task, inputs, 16, &n, &error) == CUZK_OK);
    NEED(cuzk_verify(cuzk_circom_key_vk(key), proof, 192, inputs, n) == CUZK_VERIFY_OK);
    NEED(cuzk_task_spans(task, spans, 64) > 0 && strcmp(spans[0].name, "job") == 0);
    cuzk_task_destroy(task);
    request.priority = 3;
    request.n_inputs = 2;
    NEED(cuzk_prover_prove(prover, proof, 192, &n, &request, &error) == CUZK_E_INVALID);
    NEED(error.status == CUZK_E_INVALID && error.error_class == CUZK_CLASS_INPUT &&
         strstr(error.text, "n_inputs") != NULL);
    cuzk_circom_key_destroy(key);
    cuzk_prover_destroy(prover);
    free(witness.data);
}

int main(int argc, char **argv)
{
    cuzk_params_file file;
    cuzk_memory memory;
    NEED(argc == 6);
    NEED(cuzk_version_number() != 0 && cuzk_version()[0] != '\0');
    NEED(strcmp(cuzk_status_name(CUZK_E_VANILLA), "CUZK_E_VANILLA") == 0);
    memset(&file, 0, sizeof(file));
    file.struct_size = sizeof(file);
    NEED(cuzk_params_count() > 0 && cuzk_params_get(&file, 0) == CUZK_OK && file.name[0] != '\0');
    NEED(cuzk_aggregate_bytes(8) > 0);
    verify(argv + 1);
    prove(argv[4], argv[5]);
    cuzk_get_memory(&memory);
    NEED(memory.blocks == 0);
    (void)puts("a program of the previous record: ok");
    return 0;
}
