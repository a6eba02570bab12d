/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The original implementation's parameters and proofs for 2 KiB sectors (test/vectors),
 * from vanilla proofs on.
 */
#include <stdlib.h>
#include <string.h>

#include "groth16/golden_instance.h"
#include "groth16/setup.h"
#include "groth16/trapdoor.h"

#include "test.h"

#define WINDOW_PARAMS                                                                              \
    "golden/2kib/"                                                                                 \
    "v28-proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-0-0-0170db1f394b35d995252228ee3" \
    "59194b13199d259380541dc529fb0099096b0.params"

static void quotients(void)
{
    static const char *const vectors[] = {"window[0]", "windowv1[0]", "winning[0]"};
    for (size_t i = 0; i < 3; i++) {
        golden_instance t;
        golden_instance_open(&t, vectors[i]);
        golden_check_quotient(&t);
        golden_instance_close(&t);
    }
}

/* Every golden proof from the waste, field arithmetic, and three multiplications: PoRep and update
 * too, whose parameters are too large to keep. */
static void predicted(void)
{
    golden_instance t = {0};
    cuzk_toxic x;
    test_toxic_golden(&x);
    for (size_t i = 0; i < GOLDEN_PROOFS; i++) {
        uint8_t got[192], want[192];
        cuzk_scalar r, s;
        if (t.vector == NULL || strcmp(golden_proofs[i].vector, t.vector) != 0) {
            golden_instance_close(&t);
            golden_instance_open(&t, golden_proofs[i].vector);
        }
        golden_proof_bytes(want, &r, &s, i);
        test_trapdoor_proof(got, t.w, &x, CUZK_QUOTIENT_COEFFS, &r, &s);
        CHECK_MEM(got, want, 192);
    }
    golden_instance_close(&t);
}

static void window_proofs(void)
{
    static const char *const vectors[] = {"window[0]", "windowv1[0]"};
    char vk[4096];
    cuzk_srs *srs = NULL;
    cuzk_err err;
    (void)snprintf(vk, sizeof(vk), "%s", test_shared("golden/2kib/window.vk"));
    CHECK_OK(
        cuzk_srs_open(&srs, test_shared(WINDOW_PARAMS), CUZK_POINT_UNCHECKED, NULL, NULL, &err),
        &err);
    for (size_t i = 0; i < 2; i++) {
        golden_instance t;
        golden_instance_open(&t, vectors[i]);
        golden_check_proofs(&t, srs, vk);
        golden_instance_close(&t);
    }
    cuzk_srs_close(srs);
}

/* With the original's waste and generators we write its files; ours prove like its own. */
static void setup_vector(const char *vector, const char *params_sha256, const char *vk_golden)
{
    golden_instance t;
    cuzk_toxic x;
    cuzk_srs *srs = NULL;
    cuzk_err err;
    char params[512], vk[512];
    size_t n, m;
    golden_instance_open(&t, vector);
    test_toxic_golden(&x);
    (void)snprintf(params, sizeof(params), "%s/g.params", test_tmpdir());
    (void)snprintf(vk, sizeof(vk), "%s/g.vk", test_tmpdir());
    CHECK_OK(cuzk_setup_write(t.c, &x, params, vk, NULL, t.pool, NULL, &err), &err);
    golden_check_sha256(params, params_sha256);
    uint8_t *got = test_read_file(vk, &n), *want = test_read_file(test_shared(vk_golden), &m);
    CHECK_U64(n, m);
    CHECK_MEM(got, want, n);
    free(got);
    free(want);
    CHECK_OK(cuzk_srs_open(&srs, params, CUZK_POINT_UNCHECKED, NULL, NULL, &err), &err);
    golden_check_proofs(&t, srs, vk);
    cuzk_srs_close(srs);
    golden_instance_close(&t);
}

static void window_setup(void)
{
    setup_vector("window[0]", "5a4be35a58bd937f8aed3b904758e19145f9f5b4c061427eb007113f36a462d7",
                 "golden/2kib/window.vk");
}

static void winning_setup(void)
{
    setup_vector("winning[0]", "64182a387a7604b6e34253f7c2cb3f9d31f1dd962f136043d14ab2e9f5e731e8",
                 "golden/2kib/winning.vk");
}

static const cuzk_case cases[] = {CASE(quotients), CASE(predicted), CASE(window_proofs),
                                  CASE(window_setup), CASE(winning_setup)};
TEST_MAIN("groth16/golden", cases)
