/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The trapdoor's verifying key is bellperson's for the golden WindowPoSt; and with CUZK_LARGE one PoRep
 * partition of a 32 GiB sector (130 million rows, no parameters): every row holds, and the proof that
 * the trapdoor predicts verifies against public inputs derived from the statement alone, and against no
 * other. Prints the proof for r = s = 0: a prover with parameters of the same waste must make it.
 */
#include <stdlib.h>
#include <string.h>

#include <cuzk/verify.h>

#include "base/bytes.h"
#include "circuit/filecoin.h"
#include "circuit/fill.h"
#include "groth16/golden/golden_instance.h"
#include "groth16/trapdoor.h"
#include "vanilla/check/public_inputs.h"
#include "vanilla/generate/generate.h"

#include "test.h"

#ifndef CUZK_LARGE
static void window_key_is_bellpersons(void)
{
    golden_instance t;
    cuzk_toxic x;
    uint8_t proof[192], want_proof[192];
    cuzk_scalar r, s;
    size_t n;
    golden_instance_open(&t, "window[0]");
    test_toxic_golden(&x);
    uint8_t *want = test_read_file("test/vectors/groth16/window.vk", &n);
    uint8_t *vk = malloc(n);
    CHECK(vk != NULL);
    CHECK_U64(n, 868 + 96 * t.c->n_inputs);
    for (size_t i = 0; i < GOLDEN_PROOFS; i++) {
        if (strcmp(golden_proofs[i].vector, "window[0]") == 0) {
            golden_proof_bytes(want_proof, &r, &s, i);
            test_trapdoor_proof_and_vk(proof, vk, t.w, &x, CUZK_QUOTIENT_COEFFS, &r, &s);
            CHECK_MEM(proof, want_proof, sizeof(proof));
            CHECK_MEM(vk, want, n);
        }
    }
    free(vk);
    free(want);
    golden_instance_close(&t);
}

static const cuzk_case cases[] = {CASE(window_key_is_bellpersons)};
#else
static void porep_32gib_partition(void)
{
    static const cuzk_scalar zero = {{0, 0, 0, 0}};
    const uint32_t partition = 3;
    cuzk_err err;
    cuzk_pool *pool;
    cuzk_hashes *h;
    cuzk_circuit *c;
    cuzk_witness *w;
    cuzk_porep_input *in;
    cuzk_toxic x;
    cuzk_vk *vk = NULL;
    uint8_t proof[192];
    char hex[385];
    CHECK_OK(cuzk_pool_create(&pool, NULL, &err), &err);
    CHECK_OK(cuzk_hashes_create(&h, &err), &err);
    CHECK_OK(cuzk_generate_porep(&in, (uint64_t)32 << 30, 1, h, &err), &err);
    CHECK_OK(cuzk_porep_check(in, h, NULL, pool, NULL, &err), &err);
    CHECK_OK(cuzk_filecoin_circuit_build(CUZK_CIRCUIT_POREP, (uint64_t)32 << 30, &c, &err), &err);
    CHECK_OK(cuzk_witness_create(&w, c, &err), &err);
    CHECK_OK(cuzk_porep_fill(w, in, partition, h, pool, NULL, &err), &err);
    CHECK_OK(cuzk_r1cs_check(w, NULL, pool, NULL, &err), &err);
    test_toxic_golden(&x);
    const size_t n_inputs = (size_t)c->n_inputs - 1, vk_bytes = 868 + 96 * (size_t)c->n_inputs;
    uint8_t *vk_file = malloc(vk_bytes), *inputs = malloc(32 * n_inputs);
    cuzk_fr *fr = malloc(n_inputs * sizeof(*fr));
    CHECK(vk_file != NULL && inputs != NULL && fr != NULL);
    test_trapdoor_proof_and_vk(proof, vk_file, w, &x, CUZK_QUOTIENT_COEFFS, &zero, &zero);
    cuzk_hex_encode(hex, proof, sizeof(proof));
    (void)printf("PoRep 32 GiB, seed 1, partition %u, r = s = 0: %s\n", partition, hex);
    CHECK(cuzk_vk_read(&vk, vk_file, vk_bytes) == CUZK_VERIFY_OK);
    const cuzk_porep_statement st = {in->type, in->replica_id, in->comm_r, in->comm_d, in->seed};
    for (uint32_t k = partition; k < partition + 2; k++) {
        CHECK_OK(cuzk_porep_public_inputs(fr, &st, k, &err), &err);
        for (size_t i = 0; i < n_inputs; i++) {
            cuzk_fr_to_bytes_le(inputs + 32 * i, &fr[i]);
        }
        CHECK(cuzk_verify(vk, proof, sizeof(proof), inputs, n_inputs) ==
              (k == partition ? CUZK_VERIFY_OK : CUZK_VERIFY_E_PROOF_FALSE));
    }
    cuzk_vk_destroy(vk);
    free(fr);
    free(inputs);
    free(vk_file);
    cuzk_witness_destroy(w);
    cuzk_circuit_destroy(c);
    cuzk_porep_input_destroy(in);
    cuzk_hashes_destroy(h);
    cuzk_pool_destroy(pool);
}

static const cuzk_case cases[] = {CASE(porep_32gib_partition)};
#endif
TEST_MAIN("groth16/trapdoor_vk", cases)
