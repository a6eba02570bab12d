/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "msm/msm.h"

#include "msm/msm_run.h"

const cuzk_msm_engine *cuzk_msm_engine_g1(void)
{
#ifdef CUZK_MSM_IFMA
    if (cuzk_cpu_has(CUZK_CPU_AVX512IFMA)) {
        return &CUZK_MSM_ENGINE_G1_IFMA;
    }
#endif
    return &CUZK_MSM_ENGINE_G1;
}

const cuzk_msm_engine *cuzk_msm_engine_g2(void)
{
#ifdef CUZK_MSM_IFMA
    if (cuzk_cpu_has(CUZK_CPU_AVX512IFMA)) {
        return &CUZK_MSM_ENGINE_G2_IFMA;
    }
#endif
    return &CUZK_MSM_ENGINE_G2;
}

cuzk_status cuzk_msm_g1(cuzk_g1 *out, const cuzk_g1_affine *bases, const cuzk_scalar *scalars,
                        size_t n, unsigned nbits, cuzk_pool *pool, const cuzk_cancel *cancel,
                        cuzk_err *err)
{
    const cuzk_msm_run_cfg cfg = {cuzk_msm_engine_g1(), pool, cancel};
    cuzk_msm_acc acc;
    CUZK_TRY(cuzk_msm_run(&acc, &cfg, bases, scalars, n, nbits, err));
    *out = acc.g1;
    return CUZK_OK;
}

cuzk_status cuzk_msm_g2(cuzk_g2 *out, const cuzk_g2_affine *bases, const cuzk_scalar *scalars,
                        size_t n, unsigned nbits, cuzk_pool *pool, const cuzk_cancel *cancel,
                        cuzk_err *err)
{
    const cuzk_msm_run_cfg cfg = {cuzk_msm_engine_g2(), pool, cancel};
    cuzk_msm_acc acc;
    CUZK_TRY(cuzk_msm_run(&acc, &cfg, bases, scalars, n, nbits, err));
    *out = acc.g2;
    return CUZK_OK;
}

cuzk_status cuzk_msm_bits_g1(cuzk_g1 *out, const cuzk_g1_affine *bases, const uint64_t *bits,
                             size_t n, cuzk_pool *pool, const cuzk_cancel *cancel, cuzk_err *err)
{
    const cuzk_msm_run_cfg cfg = {cuzk_msm_engine_g1(), pool, cancel};
    cuzk_msm_acc acc;
    CUZK_TRY(cuzk_msm_run_bits(&acc, &cfg, bases, bits, n, err));
    *out = acc.g1;
    return CUZK_OK;
}

cuzk_status cuzk_msm_bits_g2(cuzk_g2 *out, const cuzk_g2_affine *bases, const uint64_t *bits,
                             size_t n, cuzk_pool *pool, const cuzk_cancel *cancel, cuzk_err *err)
{
    const cuzk_msm_run_cfg cfg = {cuzk_msm_engine_g2(), pool, cancel};
    cuzk_msm_acc acc;
    CUZK_TRY(cuzk_msm_run_bits(&acc, &cfg, bases, bits, n, err));
    *out = acc.g2;
    return CUZK_OK;
}

cuzk_status cuzk_fixed_base_g1(cuzk_g1_affine *out, const cuzk_g1_affine *base,
                               const cuzk_scalar *scalars, size_t n, cuzk_pool *pool,
                               const cuzk_cancel *cancel, cuzk_err *err)
{
    const cuzk_msm_run_cfg cfg = {cuzk_msm_engine_g1(), pool, cancel};
    return cuzk_msm_run_fixed(out, &cfg, base, scalars, n, err);
}

cuzk_status cuzk_fixed_base_g2(cuzk_g2_affine *out, const cuzk_g2_affine *base,
                               const cuzk_scalar *scalars, size_t n, cuzk_pool *pool,
                               const cuzk_cancel *cancel, cuzk_err *err)
{
    const cuzk_msm_run_cfg cfg = {cuzk_msm_engine_g2(), pool, cancel};
    return cuzk_msm_run_fixed(out, &cfg, base, scalars, n, err);
}
