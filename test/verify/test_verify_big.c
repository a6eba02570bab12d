/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <cuzk/verify.h>

#include "trapdoor.h"

/* WindowPoSt of 32 GiB sectors: 2,349 sectors with 11 inputs each. */
static void window_post_of_32_gib(void)
{
    enum { N = 25839 };
    trapdoor t;
    cuzk_vk *vk = NULL;
    uint8_t *proofs = malloc(2 * 192), *x = malloc(2 * 32 * N);
    CHECK(proofs != NULL && x != NULL);
    trapdoor_init(&t, N);
    trapdoor_prove(&t, proofs, x);
    trapdoor_prove(&t, proofs + 192, x + 32 * N);
    CHECK_U64(cuzk_vk_read(&vk, t.vk, t.vk_bytes), CUZK_VERIFY_OK);
    CHECK_U64(cuzk_vk_n_inputs(vk), N);
    CHECK_U64(cuzk_verify(vk, proofs, 192, x, N), CUZK_VERIFY_OK);
    CHECK_U64(cuzk_verify_batch(vk, proofs, 384, x, N, 2, NULL), CUZK_VERIFY_OK);
    x[32 * N - 32] ^= 2; /* the last input of the first proof */
    size_t bad = 77;
    CHECK(cuzk_verify_batch(vk, proofs, 384, x, N, 2, &bad) != CUZK_VERIFY_OK);
    CHECK_U64(bad, 0);
    cuzk_vk_destroy(vk);
    trapdoor_clear(&t);
    free(proofs);
    free(x);
}

static const cuzk_case cases[] = {CASE(window_post_of_32_gib)};
TEST_MAIN("verify/big", cases)
