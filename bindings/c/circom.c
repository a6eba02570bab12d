/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* circom KEY.zkey WITNESS.wtns: a proof of a circom circuit over BLS12-381, as snarkjs's proof.json and public.json. */
#include <stdio.h>
#include <stdlib.h>

#include <cuzk/prove.h>

static cuzk_status print_texts(cuzk_task *task, cuzk_error *error)
{
    static char text[1 << 16];
    static uint8_t inputs[32 * 1024];
    uint8_t proof[192];
    size_t n = 0, bytes = 0;
    cuzk_status st = cuzk_task_result(task, proof, sizeof(proof), &n, error);
    if (st == CUZK_OK) {
        st = cuzk_task_public(task, inputs, 1024, &n, error);
    }
    if (st == CUZK_OK) {
        st = cuzk_circom_proof_json(text, sizeof(text), &bytes, proof, error);
    }
    if (st == CUZK_OK) {
        (void)printf("%s\n", text);
        st = cuzk_circom_public_json(text, sizeof(text), &bytes, inputs, n, error);
    }
    if (st == CUZK_OK) {
        (void)printf("%s\n", text);
    }
    return st;
}

int main(int argc, char **argv)
{
    static unsigned char witness[1 << 20];
    cuzk_error error;
    cuzk_prover *prover = NULL;
    cuzk_circom_key *key = NULL;
    cuzk_task *task = NULL;
    FILE *f = argc == 3 ? fopen(argv[2], "rb") : NULL;
    cuzk_input input = {witness, f != NULL ? fread(witness, 1, sizeof(witness), f) : 0};
    if (input.size == 0) {
        (void)fprintf(stderr, "usage: circom KEY.zkey WITNESS.wtns\n");
        return 2;
    }
    (void)fclose(f);
    cuzk_status st = cuzk_prover_create(&prover, NULL, &error);
    if (st == CUZK_OK) {
        st = cuzk_circom_key_load(&key, prover, argv[1], &error);
    }
    if (st == CUZK_OK) {
        cuzk_prove_request request = {.struct_size = sizeof(request),
                                      .kind = CUZK_KIND_CIRCOM,
                                      .inputs = &input,
                                      .n_inputs = 1,
                                      .circom_key = key};
        st = cuzk_prover_submit(&task, prover, &request, &error);
    }
    if (st == CUZK_OK) {
        while (cuzk_task_wait(task, 100) == 0) {
            (void)printf(".");
        }
        st = print_texts(task, &error);
    }
    if (st != CUZK_OK) {
        (void)fprintf(stderr, "%s: %s\n", cuzk_status_name(st), error.text);
    }
    cuzk_task_destroy(task);
    cuzk_circom_key_destroy(key);
    cuzk_prover_destroy(prover);
    return st == CUZK_OK ? 0 : 1;
}
