/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The original implementation's PoRep proof verifies against the statement of its C1 file, and against no
 * other: one bit changed in any field makes it false.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "prover/keys/filecoin_verify.h"
#include "vanilla/golden.h"

#include "test.h"

static cuzk_vk *golden_vk(const char *path)
{
    size_t n;
    cuzk_vk *vk = NULL;
    uint8_t *b = test_read_file(path, &n);
    CHECK(cuzk_vk_read(&vk, b, n) == CUZK_VERIFY_OK);
    free(b);
    return vk;
}

/* The first proof of a vector. */
static void golden_proof(uint8_t out[192], const char *vector)
{
    size_t n;
    char *text = (char *)test_read_file("test/vectors/groth16/vectors.json", &n);
    char key[64];
    (void)snprintf(key, sizeof(key), "\"%s\": {", vector);
    char *at = strstr(text, key);
    CHECK(at != NULL);
    at = strstr(at, "\"proof\": \"");
    CHECK(at != NULL);
    CHECK(cuzk_hex_decode(out, 192, at + strlen("\"proof\": \""), 384));
    free(text);
}

static void porep(void)
{
    size_t n;
    cuzk_err err;
    cuzk_porep_input *in;
    cuzk_porep_statement st;
    uint8_t proof[192];
    cuzk_vk *vk = golden_vk("test/vectors/groth16/porep-v1_1.vk");
    uint8_t *text = test_read_file("test/vectors/filecoin/porep-v1_1.c1.json", &n);
    CHECK_OK(cuzk_porep_parse(&in, text, n, NULL, &err), &err);
    free(text);
    golden_proof(proof, "porep-v1_1[0]");
    cuzk_porep_statement_of(&st, in);
    CHECK_OK(cuzk_filecoin_verify_porep(vk, proof, sizeof(proof), &st, 0, 1, &err), &err);

    cuzk_node *fields[] = {&st.replica_id, &st.comm_r, &st.comm_d, &st.seed};
    for (size_t f = 0; f < sizeof(fields) / sizeof(fields[0]); f++) {
        for (unsigned bit = 0; bit < 256; bit += 5) {
            fields[f]->b[bit / 8] ^= (uint8_t)(1u << bit % 8);
            const cuzk_status s =
                cuzk_filecoin_verify_porep(vk, proof, sizeof(proof), &st, 0, 1, &err);
            CHECK_MSG(s == CUZK_E_PROOF_FALSE || s == CUZK_E_INVALID, "field %zu, bit %u: %s", f,
                      bit, cuzk_status_name(s));
            fields[f]->b[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
    }
    for (uint64_t type = 0; type < 20;
         type += 5) { /* other seal types of the size: other parents, other challenges */
        if (type != 5) {
            CHECK_OK(cuzk_seal_type_of(&st.type, type, &err), &err);
            CHECK(cuzk_filecoin_verify_porep(vk, proof, sizeof(proof), &st, 0, 1, &err) != CUZK_OK);
        }
    }
    CHECK_OK(cuzk_seal_type_of(&st.type, 5, &err), &err);
    uint8_t longer[2 * 192];
    memcpy(longer, proof, 192);
    memcpy(longer + 192, proof, 192);
    CHECK_STATUS(cuzk_filecoin_verify_porep(vk, longer, sizeof(longer), &st, 0, 1, &err),
                 CUZK_E_INVALID);
    CHECK_STATUS(cuzk_filecoin_verify_porep(vk, proof, 191, &st, 0, 1, &err), CUZK_E_INVALID);
    CHECK_STATUS(cuzk_filecoin_verify_porep(vk, proof, 0, &st, 0, 1, &err), CUZK_E_INVALID);
    CHECK_OK(cuzk_filecoin_verify_porep(vk, proof, sizeof(proof), &st, 0, 1, &err), &err);
    cuzk_vk_destroy(vk);
    cuzk_porep_input_destroy(in);
}

static void update(void)
{
    cuzk_err err;
    uint8_t proof[192];
    cuzk_vk *vk = golden_vk("test/vectors/groth16/update.vk");
    cuzk_update_statement st = {.shape = cuzk_sector_shape_of(2048), .partition = 0};
    st.h = cuzk_update_default_h(st.shape);
    GOLDEN_NODE(&st.comm_r_old, "update", "comm_r_old");
    GOLDEN_NODE(&st.comm_r_new, "update", "comm_r_new");
    GOLDEN_NODE(&st.comm_d_new, "update", "comm_d_new");
    golden_proof(proof, "update[0]");
    CHECK_OK(cuzk_filecoin_verify_update(vk, proof, sizeof(proof), &st, &err), &err);
    cuzk_node *fields[] = {&st.comm_r_old, &st.comm_d_new, &st.comm_r_new};
    for (size_t f = 0; f < 3; f++) {
        for (unsigned bit = 0; bit < 256; bit += 11) {
            fields[f]->b[bit / 8] ^= (uint8_t)(1u << bit % 8);
            CHECK(cuzk_filecoin_verify_update(vk, proof, sizeof(proof), &st, &err) != CUZK_OK);
            fields[f]->b[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
    }
    st.partition = 1;
    CHECK_STATUS(cuzk_filecoin_verify_update(vk, proof, sizeof(proof), &st, &err), CUZK_E_INVALID);
    cuzk_vk_destroy(vk);
}

static const cuzk_case cases[] = {CASE(porep), CASE(update)};
TEST_MAIN("prover/statement", cases)
