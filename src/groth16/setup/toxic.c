/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/bytes.h"
#include "base/entropy.h"
#include "groth16/setup/setup.h"
#include "hash/sha256.h"

static void set_generators(cuzk_toxic *out)
{
    out->g1 = CUZK_G1_GENERATOR;
    out->g2 = CUZK_G2_GENERATOR;
}

cuzk_status cuzk_toxic_random(cuzk_toxic *out, cuzk_err *err)
{
    uint8_t wide[5][64];
    cuzk_fr *v[5] = {&out->alpha, &out->beta, &out->gamma, &out->delta, &out->tau};
    CUZK_TRY(cuzk_entropy(wide, sizeof(wide), err));
    for (size_t i = 0; i < 5; i++) {
        cuzk_fr_from_wide_le_ct(v[i], wide[i]);
        /* Zero comes with probability 2^-255: a broken generator, not bad luck. */
        if (cuzk_fr_is_zero(v[i])) {
            cuzk_wipe(wide, sizeof(wide));
            cuzk_wipe(out, sizeof(*out));
            return CUZK_FAIL(err, CUZK_E_SELFTEST, "the system's random numbers are zero");
        }
    }
    cuzk_wipe(wide, sizeof(wide));
    set_generators(out);
    return CUZK_OK;
}

/* SHA-256(seed || counter) and the same with the counter's top bit set give 64 bytes. */
static void expand(cuzk_fr *out, uint64_t seed, uint64_t counter)
{
    uint8_t in[16], wide[64];
    cuzk_store_u64_le(in, seed);
    cuzk_store_u64_le(in + 8, counter);
    cuzk_sha256_digest(wide, in, sizeof(in));
    in[15] |= 0x80;
    cuzk_sha256_digest(wide + 32, in, sizeof(in));
    cuzk_fr_from_wide_le_ct(out, wide);
}

void cuzk_toxic_from_seed(cuzk_toxic *out, uint64_t seed)
{
    cuzk_fr *v[5] = {&out->alpha, &out->beta, &out->gamma, &out->delta, &out->tau};
    uint64_t counter = 0;
    for (size_t i = 0; i < 5; i++) {
        do {
            expand(v[i], seed, counter++);
        } while (cuzk_fr_is_zero(v[i]));
    }
    set_generators(out);
}
