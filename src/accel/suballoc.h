/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_SUBALLOC_H
#define CUZK_ACCEL_SUBALLOC_H

/*
 * Divides one range of addresses into blocks: first fit over an ordered list, neighbours joined
 * when they are freed. It never looks at the memory, so the range may be a device's. The same calls
 * give the same addresses. @thread safe.
 */
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CUZK_SUBALLOC_ALIGN 256u

typedef struct cuzk_suballoc cuzk_suballoc;

/** Range [base, base + bytes); base a multiple of CUZK_SUBALLOC_ALIGN. E_NOMEM. */
CUZK_NODISCARD cuzk_status cuzk_suballoc_create(cuzk_suballoc **out, uint64_t base, uint64_t bytes,
                                                cuzk_err *err);
/** Blocks that are still out are forgotten. NULL is fine. */
void cuzk_suballoc_destroy(cuzk_suballoc *a);
/**
 * E_DEV_NOMEM says how much was asked, how much is free and the largest free block; E_NOMEM.
 * bytes 0 takes CUZK_SUBALLOC_ALIGN. from_top: from the end of the range, for blocks that stay.
 */
CUZK_NODISCARD cuzk_status cuzk_suballoc_take(cuzk_suballoc *a, uint64_t *addr, uint64_t bytes,
                                              bool from_top, cuzk_err *err);
/** False: addr is not a block. */
bool cuzk_suballoc_give(cuzk_suballoc *a, uint64_t addr);

typedef struct cuzk_suballoc_stats {
    uint64_t total, used, peak, largest_free, blocks;
} cuzk_suballoc_stats;
cuzk_suballoc_stats cuzk_suballoc_get_stats(cuzk_suballoc *a);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_ACCEL_SUBALLOC_H */
