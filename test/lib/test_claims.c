/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * <cuzk/filecoin.h> with proofs of the original implementation: whole claims, and the ways to say less or more.
 * What <cuzk/params.h> tells of a file.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

#include "golden_jobs.h"

#define GROTH16    "test/vectors/groth16/"

/* replica_id in test/vectors/filecoin/porep-v1_1.c1.json */
#define REPLICA_ID "bb1f395a755c3182dc81dbc5a4a16dcd812ce70b913560ad54a988a8930cd40c"

static cuzk_vk *golden_vk(const char *path)
{
    const cuzk_input file = golden_file(path);
    cuzk_vk *vk = NULL;
    CHECK(cuzk_vk_read(&vk, file.data, file.size) == CUZK_VERIFY_OK);
    return vk;
}

/* The first proof of a vector. */
static void golden_proof(uint8_t out[192], const char *vector)
{
    const cuzk_input file = golden_file(GROTH16 "vectors.json");
    char *text = calloc(file.size + 1, 1);
    char key[64];
    CHECK(text != NULL);
    memcpy(text, file.data, file.size);
    (void)snprintf(key, sizeof(key), "\"%s\": {", vector);
    char *at = strstr(text, key);
    CHECK(at != NULL);
    at = strstr(at, "\"proof\": \"");
    CHECK(at != NULL);
    CHECK(cuzk_hex_decode(out, 192, at + strlen("\"proof\": \""), 384));
    free(text);
}

static void a_seal(void)
{
    golden_job j;
    uint8_t proof[2 * 192] = {0}, inputs[40 * 32], one[40 * 32];
    size_t n = 0;
    cuzk_vk *vk = golden_vk(GROTH16 "porep-v1_1.vk");
    golden_job_make(&j, "porep-v1_1");
    cuzk_seal_claim *c = &j.claim.seal;
    golden_proof(proof, "porep-v1_1[0]");
    LIB_OK(cuzk_verify_seal(vk, proof, 192, c, &golden_error));
    LIB_OK(cuzk_seal_inputs(inputs, 40, &n, c, &golden_error));
    CHECK_U64(n, cuzk_vk_n_inputs(vk));
    c->partition = 1;
    LIB_STATUS(cuzk_verify_seal(vk, proof, 192, c, &golden_error), CUZK_E_INVALID);
    c->flags = CUZK_CLAIM_ONE_PARTITION;
    LIB_STATUS(cuzk_verify_seal(vk, proof, 192, c, &golden_error), CUZK_E_INVALID);
    CHECK(strstr(golden_error.text, "a PoRep of 2KiB has 1 partitions; there is no partition 1") !=
          NULL);
    c->partition = 0;
    LIB_OK(cuzk_verify_seal(vk, proof, 192, c, &golden_error));
    LIB_STATUS(cuzk_verify_seal(vk, proof, 2 * 192, c, &golden_error), CUZK_E_INVALID);
    /* replica_id in place of what it is made of */
    c->flags = CUZK_CLAIM_REPLICA_ID;
    c->miner_id = 7;
    memset(c->ticket, 9, sizeof(c->ticket));
    LIB_STATUS(cuzk_verify_seal(vk, proof, 192, c, &golden_error), CUZK_E_PROOF_FALSE);
    CHECK(cuzk_hex_decode(c->replica_id, 32, REPLICA_ID, 64));
    LIB_OK(cuzk_verify_seal(vk, proof, 192, c, &golden_error));
    LIB_OK(cuzk_seal_inputs(one, 40, &n, c, &golden_error));
    CHECK(memcmp(one, inputs, 32 * n) == 0);
    c->comm_d[0] ^= 1;
    LIB_STATUS(cuzk_verify_seal(vk, proof, 192, c, &golden_error), CUZK_E_PROOF_FALSE);
    c->flags = 4;
    LIB_STATUS(cuzk_verify_seal(vk, proof, 192, c, &golden_error), CUZK_E_INVALID);
    cuzk_vk_destroy(vk);
}

/* Inputs of one of thirteen partitions are those at its place among all. */
static void inputs_of_one_partition(void)
{
    enum { EACH = 39, ALL = 13 * EACH };
    static uint8_t all[ALL * 32], one[EACH * 32];
    golden_job j;
    size_t n = 0;
    golden_job_make(&j, "porep-ni");
    LIB_OK(cuzk_seal_inputs(all, ALL, &n, &j.claim.seal, &golden_error));
    CHECK_U64(n, ALL);
    j.claim.seal.flags = CUZK_CLAIM_ONE_PARTITION;
    for (uint32_t k = 0; k < 13; k++) {
        j.claim.seal.partition = k;
        LIB_OK(cuzk_seal_inputs(one, EACH, &n, &j.claim.seal, &golden_error));
        CHECK_U64(n, EACH);
        CHECK(memcmp(one, all + (size_t)k * sizeof(one), sizeof(one)) == 0);
    }
    j.claim.seal.partition = 13;
    LIB_STATUS(cuzk_seal_inputs(one, EACH, &n, &j.claim.seal, &golden_error), CUZK_E_INVALID);
}

static void a_post(const char *vector, const char *job, const char *key, int32_t kind)
{
    golden_job j;
    uint8_t proof[192];
    cuzk_vk *vk = golden_vk(key);
    golden_job_make(&j, job);
    cuzk_post_claim *c = &j.claim.post;
    golden_proof(proof, vector);
    LIB_OK(cuzk_verify_post(vk, proof, 192, c, &golden_error));
    c->registered_proof = 99;
    LIB_STATUS(cuzk_verify_post(vk, proof, 192, c, &golden_error), CUZK_E_INVALID);
    c->sector_bytes = 2048;
    LIB_STATUS(cuzk_verify_post(vk, proof, 192, c, &golden_error), CUZK_E_INVALID);
    CHECK(strstr(golden_error.text, "kind is 0") != NULL);
    c->kind = kind;
    LIB_OK(cuzk_verify_post(vk, proof, 192, c, &golden_error));
    c->randomness[0] ^= 1;
    LIB_STATUS(cuzk_verify_post(vk, proof, 192, c, &golden_error), CUZK_E_PROOF_FALSE);
    c->randomness[0] ^= 1;
    c->sector_bytes = 4096; /* no registered type: other challenges, so another proof */
    LIB_STATUS(cuzk_verify_post(vk, proof, 192, c, &golden_error), CUZK_E_PROOF_FALSE);
    c->sector_bytes = 4097;
    LIB_STATUS(cuzk_verify_post(vk, proof, 192, c, &golden_error), CUZK_E_INVALID);
    cuzk_vk_destroy(vk);
}

static void posts(void)
{
    a_post("winning[0]", "winning", GROTH16 "winning.vk", CUZK_KIND_WINNING);
    a_post("window[0]", "window", GROTH16 "window.vk", CUZK_KIND_WINDOW);
}

static void an_update(void)
{
    golden_job j;
    uint8_t proof[192];
    cuzk_vk *vk = golden_vk(GROTH16 "update.vk");
    golden_job_make(&j, "update");
    cuzk_update_claim *c = &j.claim.update;
    golden_proof(proof, "update[0]");
    LIB_OK(cuzk_verify_update(vk, proof, 192, c, &golden_error));
    c->registered_proof = 99;
    LIB_STATUS(cuzk_verify_update(vk, proof, 192, c, &golden_error), CUZK_E_INVALID);
    c->sector_bytes = 2048;
    LIB_OK(cuzk_verify_update(vk, proof, 192, c, &golden_error));
    c->flags = CUZK_CLAIM_ONE_PARTITION;
    LIB_OK(cuzk_verify_update(vk, proof, 192, c, &golden_error));
    c->partition = 1;
    LIB_STATUS(cuzk_verify_update(vk, proof, 192, c, &golden_error), CUZK_E_INVALID);
    c->sector_bytes = 16384; /* two partitions: the proof is of neither */
    LIB_STATUS(cuzk_verify_update(vk, proof, 192, c, &golden_error), CUZK_E_PROOF_FALSE);
    c->sector_bytes = (uint64_t)1 << 30; /* no update circuit */
    LIB_STATUS(cuzk_verify_update(vk, proof, 192, c, &golden_error), CUZK_E_INVALID);
    c->sector_bytes = 0;
    c->registered_proof = 0;
    c->flags = CUZK_CLAIM_REPLICA_ID; /* of a seal */
    c->partition = 0;
    LIB_STATUS(cuzk_verify_update(vk, proof, 192, c, &golden_error), CUZK_E_INVALID);
    cuzk_vk_destroy(vk);
}

/* Programs that were built before flags and sector_bytes pass smaller structs. */
static void older_structs(void)
{
    golden_job j;
    uint8_t proof[192];
    cuzk_vk *vk = golden_vk(GROTH16 "porep-v1_1.vk");
    golden_job_make(&j, "porep-v1_1");
    golden_proof(proof, "porep-v1_1[0]");
    j.claim.seal.struct_size = offsetof(cuzk_seal_claim, flags);
    memset((uint8_t *)&j.claim.seal + j.claim.seal.struct_size, 0xff,
           sizeof(j.claim.seal) - j.claim.seal.struct_size); /* not theirs */
    LIB_OK(cuzk_verify_seal(vk, proof, 192, &j.claim.seal, &golden_error));
    cuzk_vk_destroy(vk);
    vk = golden_vk(GROTH16 "update.vk");
    golden_job_make(&j, "update");
    golden_proof(proof, "update[0]");
    j.claim.update.struct_size = offsetof(cuzk_update_claim, sector_bytes);
    j.claim.update.sector_bytes = 3;
    LIB_OK(cuzk_verify_update(vk, proof, 192, &j.claim.update, &golden_error));
    cuzk_vk_destroy(vk);
}

/* A ceremony's transcript behind the sections, for programs that know of it and for others. */
static void a_transcript_is_told(void)
{
    static const uint8_t none[64];
    cuzk_params *p = NULL;
    cuzk_params_info info = {.struct_size = sizeof(info)};
    LIB_OK(cuzk_params_open(&p, "fuzz/corpus/params/transcript.params", &golden_error));
    CHECK(cuzk_params_get_info(&info, p) == CUZK_OK);
    CHECK_U64(info.has_transcript, 1);
    CHECK_U64(info.contributions, 2);
    info = (cuzk_params_info){.struct_size = offsetof(cuzk_params_info, has_transcript),
                              .contributions = 77};
    CHECK(cuzk_params_get_info(&info, p) == CUZK_OK);
    CHECK_U64(info.h, 1);
    CHECK_U64(info.contributions, 77);
    cuzk_params_close(p);
    info.struct_size = sizeof(info);
    LIB_OK(cuzk_params_open(&p, "fuzz/corpus/params/small.params", &golden_error));
    CHECK(cuzk_params_get_info(&info, p) == CUZK_OK);
    CHECK(info.has_transcript == 0 && info.contributions == 0 &&
          memcmp(info.circuit_hash, none, sizeof(none)) == 0);
    cuzk_params_close(p);
}

static const cuzk_case cases[] = {CASE(a_seal),        CASE(inputs_of_one_partition),
                                  CASE(posts),         CASE(an_update),
                                  CASE(older_structs), CASE(a_transcript_is_told)};
TEST_MAIN("lib/claims", cases)
