/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Each block is preceded by a header of one alignment unit that records its size; the header
 * keeps the payload aligned and lets cuzk_free count without a table.
 */
#include "base/alloc.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc_hooks.h"
#include "base/assert.h"

#define SMALL_ALIGN 64u
#define HUGE_ALIGN  (2u << 20)
#define HUGE_FROM   ((size_t)4 << 20)
#define MAGIC       0x63757a6b616c6c6fULL /* "cuzkallo" */

typedef struct block {
    uint64_t magic;
    size_t bytes; /* payload */
    size_t raw;   /* all of the block, this header included */
} block;

static cuzk_alloc_hooks g_hooks; /* alloc NULL: libc; written only while there are no blocks */
static _Atomic uint64_t g_now, g_peak,
    g_blocks;                      /* counters, not state: no code path depends on them */
static _Atomic uint64_t g_fail_in; /* test hook; 0 = off */
static _Atomic bool g_fail_after;

static bool must_fail(void)
{
    uint64_t n = atomic_load_explicit(&g_fail_in, memory_order_relaxed);
    if (n == 0) {
        return false;
    }
    n = atomic_fetch_sub(&g_fail_in, 1);
    if (n != 1) {
        return false;
    }
    if (atomic_load(&g_fail_after)) {
        atomic_store(&g_fail_in, 1);
    }
    return true;
}

static block *header_of(void *p)
{
    block *b = (block *)(void *)((unsigned char *)p - SMALL_ALIGN);
    CUZK_ASSERT(b->magic == MAGIC);
    return b;
}

void *cuzk_alloc(size_t count, size_t size)
{
    size_t bytes, raw;
    if (!cuzk_mul_size(&bytes, count, size) || must_fail()) {
        return NULL;
    }
    const size_t align = bytes >= HUGE_FROM ? HUGE_ALIGN : SMALL_ALIGN;
    if (__builtin_add_overflow(bytes, 2 * align, &raw)) {
        return NULL;
    }
    raw &= ~(align - 1); /* aligned_alloc wants a multiple; header unit + payload still fit */
    unsigned char *start =
        g_hooks.alloc != NULL ? g_hooks.alloc(g_hooks.arg, align, raw) : aligned_alloc(align, raw);
    if (start == NULL) {
        return NULL;
    }
    if (align == HUGE_ALIGN) {
        (void)madvise(start, raw, MADV_HUGEPAGE);
    }
    /* A huge block gives its first 64 bytes to the header and starts the payload right after:
     * aligning the payload itself to 2 MiB would waste a whole page. */
    unsigned char *p = start + SMALL_ALIGN;
    block *b = (block *)(void *)start;
    b->magic = MAGIC;
    b->bytes = bytes;
    b->raw = raw;
    const uint64_t now = atomic_fetch_add(&g_now, bytes) + bytes;
    uint64_t peak = atomic_load(&g_peak);
    while (now > peak && !atomic_compare_exchange_weak(&g_peak, &peak, now)) {
    }
    atomic_fetch_add(&g_blocks, 1);
    return p;
}

void *cuzk_alloc_zero(size_t count, size_t size)
{
    void *p = cuzk_alloc(count, size);
    if (p != NULL) {
        memset(p, 0, count * size);
    }
    return p;
}

void *cuzk_realloc(void *p, size_t count, size_t size)
{
    void *q = cuzk_alloc(count, size);
    if (q == NULL || p == NULL) {
        return q;
    }
    const size_t old = header_of(p)->bytes;
    memcpy(q, p, old < count * size ? old : count * size);
    cuzk_free(p);
    return q;
}

void cuzk_free(void *p)
{
    if (p == NULL) {
        return;
    }
    block *b = header_of(p);
    b->magic = 0;
    atomic_fetch_sub(&g_now, b->bytes);
    atomic_fetch_sub(&g_blocks, 1);
    if (g_hooks.free != NULL) {
        g_hooks.free(g_hooks.arg, b, b->raw);
    } else {
        free(b);
    }
}

bool cuzk_alloc_set_hooks(const cuzk_alloc_hooks *hooks)
{
    static const cuzk_alloc_hooks none;
    if (atomic_load(&g_blocks) != 0) {
        return false;
    }
    g_hooks = hooks != NULL ? *hooks : none;
    return true;
}

cuzk_alloc_stats cuzk_alloc_get_stats(void)
{
    const cuzk_alloc_stats s = {atomic_load(&g_now), atomic_load(&g_peak), atomic_load(&g_blocks)};
    return s;
}

void cuzk_alloc_reset_peak(void)
{
    atomic_store(&g_peak, atomic_load(&g_now));
}

void cuzk_alloc_fail_nth(uint64_t n, bool and_after)
{
    atomic_store(&g_fail_after, and_after);
    atomic_store(&g_fail_in, n);
}
