/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The functions of include/cuzk/aggregate.h. */
#include <stdlib.h>
#include <string.h>

#include <cuzk/aggregate.h>

#include "agg_sets.h"
#include "test.h"

static void there_and_back(void)
{
    agg_set s;
    cuzk_aggregate_srs *srs = NULL;
    char message[256];
    size_t n = 0;
    agg_set_find(&s, "tiny-10");
    CHECK_U64(
        cuzk_aggregate_srs_open(&srs, s.srs_path, CUZK_AGGREGATE_DEFAULT, message, sizeof(message)),
        CUZK_VERIFY_E_INVALID);
    CHECK(strstr(message, "test SRS") != NULL && srs == NULL);
    CHECK_U64(cuzk_aggregate_srs_open(&srs, "/nonexistent", CUZK_AGGREGATE_ANY_SRS, NULL, 0),
              CUZK_VERIFY_E_IO);
    CHECK_U64(cuzk_aggregate_srs_open(&srs, s.srs_path, CUZK_AGGREGATE_ANY_SRS, NULL, 0),
              CUZK_VERIFY_OK);
    const cuzk_aggregate_claim c = {s.inputs, s.n_given, s.n_inputs, s.include, s.n_include};
    uint8_t *want = test_read_file(AGG_DIR "tiny-10-v2.agg", &n), *got = malloc(n + 1);
    CHECK(got != NULL);
    CHECK_U64(cuzk_aggregate_bytes(s.n_given), n);
    CHECK_U64(cuzk_aggregate_bytes(0), 0);
    CHECK_U64(cuzk_aggregate_prove(got, srs, s.vk, &c, s.proofs, 1, message, sizeof(message)),
              CUZK_VERIFY_OK);
    CHECK_MEM(got, want, n);
    got[n] = 0;
    CHECK_U64(cuzk_aggregate_verify(srs, s.vk, &c, got, n, 0, NULL, 0), CUZK_VERIFY_OK);
    CHECK_U64(cuzk_aggregate_verify(srs, s.vk, &c, got, n + 1, 0, NULL, 0), CUZK_VERIFY_E_FORMAT);
    CHECK_U64(
        cuzk_aggregate_verify(srs, s.vk, &c, got, n + 1, CUZK_AGGREGATE_ALLOW_TRAILING, NULL, 0),
        CUZK_VERIFY_OK);
    CHECK_U64(
        cuzk_aggregate_verify(srs, s.vk, &c, got, n, CUZK_AGGREGATE_INSECURE_VERSION_1, NULL, 0),
        CUZK_VERIFY_E_PROOF_FALSE);
    s.proofs[3 * CUZK_PROOF_BYTES] ^= 0x20; /* -A */
    CHECK_U64(cuzk_aggregate_prove(got, srs, s.vk, &c, s.proofs, 1, message, sizeof(message)),
              CUZK_VERIFY_E_PROOF_FALSE);
    CHECK_STR(message, "proof 3 of 10 does not verify");
    free(want);
    free(got);
    cuzk_aggregate_srs_close(srs);
    agg_set_free(&s);
}

/* transcript_include of the Filecoin sets, from their seeds and commitments. */
static void include_of_seals(void)
{
    static uint8_t comm_r[16][32], seed[16][32];
    size_t done = 0;
    for (size_t i = 0; i < agg_set_count(); i++) {
        agg_set s;
        uint8_t include[32];
        agg_set_load(&s, i);
        const jwalk f = jwalk_key(s.json, "filecoin");
        if (!jwalk_is_null(f)) {
            const jwalk r = jwalk_key(f, "comm_rs"), x = jwalk_key(f, "seeds");
            const size_t n = jwalk_count(r);
            CHECK(n <= 16);
            for (size_t k = 0; k < n; k++) {
                jwalk_hex(jwalk_at(r, k), comm_r[k], 32);
                jwalk_hex(jwalk_at(x, k), seed[k], 32);
            }
            const bool ni = jwalk_bool(jwalk_key(f, "non_interactive"));
            cuzk_aggregate_include_seals(include, (const uint8_t(*)[32])comm_r,
                                         ni ? NULL : (const uint8_t(*)[32])seed, n);
            CHECK_U64(s.n_include, 32);
            CHECK_MEM(include, s.include, 32);
            done++;
        }
        agg_set_free(&s);
    }
    CHECK_U64(done, 5);
}

static const cuzk_case cases[] = {CASE(there_and_back), CASE(include_of_seals)};
TEST_MAIN("aggregate/public", cases)
