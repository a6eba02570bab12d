/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_MSM_MSM_RUN_H
#define CUZK_MSM_MSM_RUN_H

/* The bodies of the functions of msm.h, for any engine. */
#include "msm/msm_core.h"

/* At most this many scalars are multiplied one by one. */
#define MSM_DIRECT 4u
/* Most scalars at once; bounds the working memory to about 2 GiB (docs/msm.md). */
#define MSM_SLICE  ((size_t)1 << 23)

typedef struct cuzk_msm_run_cfg {
    const cuzk_msm_engine *eng;
    cuzk_pool *pool;
    const cuzk_cancel *cancel;
} cuzk_msm_run_cfg;

CUZK_NODISCARD cuzk_status cuzk_msm_run(cuzk_msm_acc *acc, const cuzk_msm_run_cfg *cfg,
                                        const void *bases, const cuzk_scalar *scalars, size_t n,
                                        unsigned nbits, cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_msm_run_bits(cuzk_msm_acc *acc, const cuzk_msm_run_cfg *cfg,
                                             const void *bases, const uint64_t *bits, size_t n,
                                             cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_msm_run_fixed(void *out, const cuzk_msm_run_cfg *cfg,
                                              const void *base, const cuzk_scalar *scalars,
                                              size_t n, cuzk_err *err);

#endif /* CUZK_MSM_MSM_RUN_H */
