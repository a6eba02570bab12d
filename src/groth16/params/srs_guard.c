/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdatomic.h>

#include "ec/key_guard.h"
#include "groth16/params/srs.h"

static atomic_bool allowed;

void cuzk_srs_allow_unsafe_keys(bool allow)
{
    atomic_store(&allowed, allow);
}

bool cuzk_srs_unsafe_keys_allowed(void)
{
    return atomic_load(&allowed);
}

cuzk_status cuzk_srs_vk_guard(const cuzk_srs_vk *vk, const char *name, cuzk_err *err)
{
    const cuzk_key_points k = {.alpha_g1 = &vk->alpha_g1,
                               .beta_g1 = &vk->beta_g1,
                               .delta_g1 = &vk->delta_g1,
                               .beta_g2 = &vk->beta_g2,
                               .gamma_g2 = &vk->gamma_g2,
                               .delta_g2 = &vk->delta_g2};
    const char *defect = cuzk_key_defect(&k);
    if (defect == NULL || cuzk_srs_unsafe_keys_allowed()) {
        return CUZK_OK;
    }
    return CUZK_FAIL(err, CUZK_E_UNSAFE_KEY, "%s: unsafe key: %s", name, defect);
}
