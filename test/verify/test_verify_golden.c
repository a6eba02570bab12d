/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <cuzk/verify.h>

#include "golden.h"
#include "test.h"

static cuzk_vk *load_key(const char *file, uint8_t **bytes, size_t *n)
{
    char path[128];
    cuzk_vk *vk = NULL;
    CHECK(snprintf(path, sizeof(path), "test/vectors/groth16/%s", file) < (int)sizeof(path));
    uint8_t *b = test_read_file(path, n);
    CHECK_U64(cuzk_vk_read(&vk, b, *n), CUZK_VERIFY_OK);
    if (bytes != NULL) {
        *bytes = b;
    } else {
        free(b);
    }
    return vk;
}

static void keys_round_trip(void)
{
    static const char *const files[] = {"porep-v1_1.vk", "update.vk", "window.vk", "winning.vk"};
    static const size_t inputs[] = {39, 4, 22, 132};
    for (size_t i = 0; i < 4; i++) {
        uint8_t *in, *out;
        size_t n;
        cuzk_vk *vk = load_key(files[i], &in, &n);
        CHECK_U64(cuzk_vk_bytes(vk), n);
        CHECK_U64(cuzk_vk_n_inputs(vk), inputs[i]);
        out = malloc(n);
        CHECK(out != NULL);
        cuzk_vk_write(vk, out);
        CHECK_MEM(out, in, n);
        cuzk_vk_destroy(vk);
        free(in);
        free(out);
    }
}

static void proofs_verify(void)
{
    golden_proof g[GOLDEN_MAX];
    const size_t n = golden_load(g);
    CHECK_U64(n, 16);
    for (size_t i = 0; i < n; i++) {
        size_t bytes;
        cuzk_vk *vk = load_key(g[i].vk_file, NULL, &bytes);
        const cuzk_verify_result r = cuzk_verify(vk, g[i].proof, 192, g[i].inputs, g[i].n_inputs);
        CHECK_MSG(r == CUZK_VERIFY_OK, "%s: %s", g[i].kind, cuzk_verify_text(r));
        CHECK_U64(cuzk_verify_batch(vk, g[i].proof, 192, g[i].inputs, g[i].n_inputs, 1, NULL),
                  CUZK_VERIFY_OK);
        cuzk_vk_destroy(vk);
    }
    golden_free(g, n);
}

/* Any one changed input makes the proof false; any changed byte of the proof is refused. */
static void changes_are_refused(void)
{
    golden_proof g[GOLDEN_MAX];
    const size_t n = golden_load(g);
    for (size_t i = 0; i < n; i++) {
        size_t bytes;
        cuzk_vk *vk = load_key(g[i].vk_file, NULL, &bytes);
        const bool all = i == 0;
        for (size_t k = 0; k < g[i].n_inputs; k += all ? 1 : 1 + (size_t)test_below(20)) {
            uint8_t *x = g[i].inputs + 32 * k;
            x[0] ^= 1; /* stays below r, whose low byte is 1, unless it was r - 1 */
            CHECK_U64(cuzk_verify(vk, g[i].proof, 192, g[i].inputs, g[i].n_inputs),
                      CUZK_VERIFY_E_PROOF_FALSE);
            x[0] ^= 1;
        }
        for (size_t k = 0; k < 192; k += all ? 1 : 1 + (size_t)test_below(60)) {
            const uint8_t bit = (uint8_t)(1U << test_below(8));
            g[i].proof[k] ^= bit;
            CHECK(cuzk_verify(vk, g[i].proof, 192, g[i].inputs, g[i].n_inputs) != CUZK_VERIFY_OK);
            g[i].proof[k] ^= bit;
        }
        uint8_t t[192]; /* A and C exchanged: both are good points */
        memcpy(t, g[i].proof + 144, 48);
        memcpy(t + 48, g[i].proof + 48, 96);
        memcpy(t + 144, g[i].proof, 48);
        CHECK_U64(cuzk_verify(vk, t, 192, g[i].inputs, g[i].n_inputs), CUZK_VERIFY_E_PROOF_FALSE);
        memcpy(t, g[i].proof, 192);
        t[0] ^= 0x20; /* -A */
        CHECK_U64(cuzk_verify(vk, t, 192, g[i].inputs, g[i].n_inputs), CUZK_VERIFY_E_PROOF_FALSE);
        cuzk_vk_destroy(vk);
    }
    golden_free(g, n);
}

/* Proofs of one vector differ by r and s; another key, or the inputs of another proof, do not fit. */
static void keys_are_not_exchangeable(void)
{
    golden_proof g[GOLDEN_MAX];
    uint8_t *in;
    size_t bytes;
    const size_t n = golden_load(g);
    for (size_t i = 0; i < n; i++) {
        cuzk_vk *vk = load_key(g[i].vk_file, &in, &bytes);
        for (size_t j = 0; j < n; j++) {
            if (strcmp(g[i].vk_file, g[j].vk_file) != 0) {
                CHECK_U64(cuzk_verify(vk, g[j].proof, 192, g[j].inputs, g[j].n_inputs),
                          CUZK_VERIFY_E_INVALID);
            }
        }
        cuzk_vk_destroy(vk);
        /* gamma and delta exchanged: a well-formed key of the same shape */
        uint8_t t[192];
        memcpy(t, in + 384, 192);
        memcpy(in + 384, in + 672, 192);
        memcpy(in + 672, t, 192);
        CHECK_U64(cuzk_vk_read(&vk, in, bytes), CUZK_VERIFY_OK);
        CHECK_U64(cuzk_verify(vk, g[i].proof, 192, g[i].inputs, g[i].n_inputs),
                  CUZK_VERIFY_E_PROOF_FALSE);
        cuzk_vk_destroy(vk);
        free(in);
    }
    golden_free(g, n);
}

static const cuzk_case cases[] = {CASE(keys_round_trip), CASE(proofs_verify),
                                  CASE(changes_are_refused), CASE(keys_are_not_exchangeable)};
TEST_MAIN("verify/golden", cases)
