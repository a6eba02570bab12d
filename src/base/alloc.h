/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_BASE_ALLOC_H
#define CUZK_BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/*
 * The one place of heap memory. Blocks are 64-byte aligned; from 4 MiB on they are 2 MiB aligned
 * and advised to huge pages (MSM and NTT touch them at random). Sizes are counted, so that peaks
 * can be reported and budgets checked.
 */

#ifdef __cplusplus
extern "C" {
#endif

/** [count * size] bytes, uninitialised; NULL when out of memory or the product overflows. count 0 gives a block that may be freed. */
CUZK_NODISCARD void *cuzk_alloc(size_t count, size_t size);
/** As cuzk_alloc, zeroed. */
CUZK_NODISCARD void *cuzk_alloc_zero(size_t count, size_t size);
/** Resizes p (NULL allowed), keeping min(old, new) bytes; on NULL return p is untouched and still the caller's. */
CUZK_NODISCARD void *cuzk_realloc(void *p, size_t count, size_t size);
/** Releases a block from this module; NULL is fine. */
void cuzk_free(void *p);

typedef struct cuzk_alloc_stats {
    uint64_t bytes_now;
    uint64_t bytes_peak;
    uint64_t blocks_now;
} cuzk_alloc_stats;

/** Snapshot of the counters. @thread safe. */
cuzk_alloc_stats cuzk_alloc_get_stats(void);
/** Sets bytes_peak to bytes_now. @thread safe. */
void cuzk_alloc_reset_peak(void);

/**
 * Test hook: the n-th allocation from now fails (1 = the next), and all later ones too when
 * `and_after`; 0 switches it off.
 */
void cuzk_alloc_fail_nth(uint64_t n, bool and_after);

#ifdef __cplusplus
}
#endif

/** *out = a * b; false on overflow. */
CUZK_HD_INLINE bool cuzk_mul_size(size_t *out, size_t a, size_t b)
{
    return !__builtin_mul_overflow(a, b, out);
}

#endif /* CUZK_BASE_ALLOC_H */
