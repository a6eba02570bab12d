/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "seed_params.h"

#include "vanilla/golden.h"

#include "test.h"

static void toxic_value(cuzk_fr *out, const char *key)
{
    cuzk_node n;
    GOLDEN_NODE(&n, "test_seed_params", key);
    CHECK(cuzk_fr_from_bytes_le(out, n.b));
}

void seed_toxic(cuzk_toxic *out)
{
    uint8_t g1[48], g2[96];
    toxic_value(&out->alpha, "alpha_le");
    toxic_value(&out->beta, "beta_le");
    toxic_value(&out->gamma, "gamma_le");
    toxic_value(&out->delta, "delta_le");
    toxic_value(&out->tau, "tau_le");
    golden_bytes(g1, sizeof(g1), (const char *const[]){"test_seed_params", "g1_compressed"}, 2);
    golden_bytes(g2, sizeof(g2), (const char *const[]){"test_seed_params", "g2_compressed"}, 2);
    CHECK_STATUS(cuzk_g1_decode_compressed(&out->g1, g1, CUZK_POINT_IN_SUBGROUP), CUZK_OK);
    CHECK_STATUS(cuzk_g2_decode_compressed(&out->g2, g2, CUZK_POINT_IN_SUBGROUP), CUZK_OK);
}
