/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Every golden input of 2 KiB sectors, proved by <cuzk/prove.h> and verified by <cuzk/filecoin.h>. */
#include <string.h>

#include "golden_jobs.h"

#define MOST 16

static cuzk_prover *prover;

static void prove_and_verify(const char *name, uint64_t partitions)
{
    golden_job j;
    uint8_t proof[MOST * 192];
    size_t n = 0;
    golden_job_make(&j, name);
    if (prover == NULL) {
        const cuzk_prover_options o = {.struct_size = sizeof(o),
                                       .params_folder = golden_params(j.rq.kind)};
        LIB_OK(cuzk_prover_create(&prover, &o, &golden_error));
    }
    (void)golden_params(j.rq.kind);
    LIB_OK(cuzk_prover_prove(prover, proof, sizeof(proof), &n, &j.rq, &golden_error));
    CHECK_U64(n, 192 * partitions);
    CHECK_U64(cuzk_kind_partitions(j.rq.kind, name[0] == 'p' ? j.claim.seal.registered_proof
                                                             : j.rq.registered_proof),
              partitions);
    LIB_OK(golden_verify(&j, proof, n));
    proof[20] ^= 1;
    CHECK(golden_verify(&j, proof, n) != CUZK_OK);
}

static void winning(void)
{
    prove_and_verify("winning", 1);
}

static void window(void)
{
    prove_and_verify("window", 1);
    prove_and_verify("windowv1", 1);
}

static void porep(void)
{
    prove_and_verify("porep-v1_1", 1);
    prove_and_verify("porep-synth", 1);
}

/* Another miner or sector than the one that is proved is refused, miner 0 with BIND_SECTOR too. */
static void porep_is_bound(void)
{
    golden_job j;
    uint8_t proof[192];
    size_t n = 0;
    golden_job_make(&j, "porep-v1_1");
    j.rq.sector_number++;
    LIB_STATUS(cuzk_prover_prove(prover, proof, 192, &n, &j.rq, &golden_error), CUZK_E_VANILLA);
    j.rq.sector_number--;
    j.rq.miner_id = 0;
    LIB_STATUS(cuzk_prover_prove(prover, proof, 192, &n, &j.rq, &golden_error), CUZK_E_VANILLA);
    j.rq.miner_id = GOLDEN_MINER;
    j.rq.registered_proof = 6;
    LIB_STATUS(cuzk_prover_prove(prover, proof, 192, &n, &j.rq, &golden_error), CUZK_E_INVALID);
    j.rq.registered_proof = 5;
    j.rq.flags |= CUZK_PROVE_ONE_PARTITION;
    j.rq.partition = 1;
    LIB_STATUS(cuzk_prover_prove(prover, proof, 192, &n, &j.rq, &golden_error), CUZK_E_INVALID);
}

/* Thirteen partitions in one task, and one of them made alone. */
static void porep_partitions(void)
{
    golden_job j;
    uint8_t whole[MOST * 192], alone[192];
    size_t n = 0;
    golden_job_make(&j, "porep-ni");
    LIB_OK(cuzk_prover_prove(prover, whole, sizeof(whole), &n, &j.rq, &golden_error));
    CHECK_U64(n, 13 * 192);
    CHECK_U64(cuzk_kind_partitions(CUZK_KIND_POREP, 15), 13);
    LIB_OK(golden_verify(&j, whole, n));
    j.rq.flags |= CUZK_PROVE_ONE_PARTITION;
    j.rq.partition = 7;
    LIB_OK(cuzk_prover_prove(prover, alone, 192, &n, &j.rq, &golden_error));
    CHECK_U64(n, 192);
    CHECK(memcmp(alone, whole + 7 * 192, 192) != 0);
    memcpy(whole + 7 * 192, alone, 192);
    LIB_OK(golden_verify(&j, whole, 13 * 192));
    memcpy(whole + 6 * 192, alone, 192); /* not of that partition */
    LIB_STATUS(golden_verify(&j, whole, 13 * 192), CUZK_E_PROOF_FALSE);
}

static void update(void)
{
    prove_and_verify("update", 1);
    cuzk_prover_destroy(prover);
}

static const cuzk_case cases[] = {CASE(winning),        CASE(window),           CASE(porep),
                                  CASE(porep_is_bound), CASE(porep_partitions), CASE(update)};
TEST_MAIN("lib/golden", cases)
