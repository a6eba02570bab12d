/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_RPC_RPC_BUDGET_H
#define CUZK_RPC_RPC_BUDGET_H

/*
 * Memory for requests that are being received, over all connections. A message's length is known
 * after its first five bytes; it is received only when that many bytes could be reserved, else it
 * waits, its sender held back by HTTP/2 flow control. An eighth is kept for messages of at most
 * CUZK_RPC_SMALL bytes, so that a WinningPoSt or a status call never waits behind C1 outputs, and
 * another eighth for callers that are known, as far as a largest message still fits.
 *
 * @thread take and wait: one thread; give: any.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CUZK_RPC_SMALL ((size_t)1 << 20)

typedef struct cuzk_rpc_budget {
    uint64_t total, max_message;
    _Atomic uint64_t used;
} cuzk_rpc_budget;

/** The largest message that fits when nothing else is being received. */
static inline uint64_t cuzk_rpc_budget_largest(uint64_t total)
{
    return total - total / 8;
}

/** Reserves n bytes, or returns false and changes nothing. */
static inline bool cuzk_rpc_budget_take(cuzk_rpc_budget *b, size_t n, bool known)
{
    uint64_t limit = n <= CUZK_RPC_SMALL ? b->total : cuzk_rpc_budget_largest(b->total);
    if (!known && limit - b->total / 8 >= b->max_message) {
        limit -= b->total / 8;
    }
    const uint64_t used = atomic_load_explicit(&b->used, memory_order_relaxed);
    if (n > limit || used > limit - n) {
        return false;
    }
    (void)atomic_fetch_add_explicit(&b->used, n, memory_order_relaxed);
    return true;
}

static inline void cuzk_rpc_budget_give(cuzk_rpc_budget *b, size_t n)
{
    (void)atomic_fetch_sub_explicit(&b->used, n, memory_order_relaxed);
}

#endif /* CUZK_RPC_RPC_BUDGET_H */
