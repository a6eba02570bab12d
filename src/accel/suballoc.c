/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "accel/suballoc.h"

#include <pthread.h>

#include "base/alloc.h"

/* The blocks of the range in order of address, free ones among them, so that joining neighbours
 * and finding room are walks. There are tens of blocks, not thousands. */
typedef struct block {
    struct block *prev, *next;
    uint64_t addr, bytes;
    bool used;
} block;

struct cuzk_suballoc {
    pthread_mutex_t lock;
    block *first, *last;
    uint64_t total, used, peak, blocks;
};

cuzk_status cuzk_suballoc_create(cuzk_suballoc **out, uint64_t base, uint64_t bytes, cuzk_err *err)
{
    cuzk_suballoc *a = cuzk_alloc_zero(1, sizeof(*a));
    block *b = cuzk_alloc_zero(1, sizeof(*b));
    if (a == NULL || b == NULL || pthread_mutex_init(&a->lock, NULL) != 0) {
        cuzk_free(a);
        cuzk_free(b);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a sub-allocator");
    }
    b->addr = base;
    b->bytes = bytes - bytes % CUZK_SUBALLOC_ALIGN;
    a->first = a->last = b;
    a->total = b->bytes;
    *out = a;
    return CUZK_OK;
}

void cuzk_suballoc_destroy(cuzk_suballoc *a)
{
    if (a == NULL) {
        return;
    }
    for (block *b = a->first; b != NULL;) {
        block *next = b->next;
        cuzk_free(b);
        b = next;
    }
    (void)pthread_mutex_destroy(&a->lock);
    cuzk_free(a);
}

static block *find_room(const cuzk_suballoc *a, uint64_t bytes, bool from_top)
{
    block *b = from_top ? a->last : a->first;
    while (b != NULL && (b->used || b->bytes < bytes)) {
        b = from_top ? b->prev : b->next;
    }
    return b;
}

static void link_after(cuzk_suballoc *a, block *b, block *fresh)
{
    fresh->prev = b;
    fresh->next = b->next;
    if (b->next != NULL) {
        b->next->prev = fresh;
    } else {
        a->last = fresh;
    }
    b->next = fresh;
}

static uint64_t largest_free(const cuzk_suballoc *a)
{
    uint64_t most = 0;
    for (const block *b = a->first; b != NULL; b = b->next) {
        if (!b->used && b->bytes > most) {
            most = b->bytes;
        }
    }
    return most;
}

static cuzk_status take_locked(cuzk_suballoc *a, uint64_t *addr, uint64_t bytes, bool from_top,
                               cuzk_err *err)
{
    block *b = find_room(a, bytes, from_top);
    if (b == NULL) {
        return CUZK_FAIL(
            err, CUZK_E_DEV_NOMEM,
            "no device memory for %llu bytes: %llu of %llu are free, %llu in one piece",
            (unsigned long long)bytes, (unsigned long long)(a->total - a->used),
            (unsigned long long)a->total, (unsigned long long)largest_free(a));
    }
    if (b->bytes > bytes) {
        block *rest = cuzk_alloc_zero(1, sizeof(*rest));
        if (rest == NULL) {
            return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to note a block of device memory");
        }
        link_after(a, b, rest);
        if (from_top) { /* b stays the free one */
            rest->addr = b->addr + b->bytes - bytes;
            rest->bytes = bytes;
            b->bytes -= bytes;
            b = rest;
        } else {
            rest->addr = b->addr + bytes;
            rest->bytes = b->bytes - bytes;
            b->bytes = bytes;
        }
    }
    b->used = true;
    a->used += bytes;
    a->peak = a->used > a->peak ? a->used : a->peak;
    a->blocks++;
    *addr = b->addr;
    return CUZK_OK;
}

cuzk_status cuzk_suballoc_take(cuzk_suballoc *a, uint64_t *addr, uint64_t bytes, bool from_top,
                               cuzk_err *err)
{
    if (bytes > UINT64_MAX - CUZK_SUBALLOC_ALIGN) {
        return CUZK_FAIL(err, CUZK_E_DEV_NOMEM, "no device memory for %llu bytes",
                         (unsigned long long)bytes);
    }
    bytes = bytes == 0 ? CUZK_SUBALLOC_ALIGN
                       : (bytes + CUZK_SUBALLOC_ALIGN - 1) & ~(uint64_t)(CUZK_SUBALLOC_ALIGN - 1);
    (void)pthread_mutex_lock(&a->lock);
    const cuzk_status st = take_locked(a, addr, bytes, from_top, err);
    (void)pthread_mutex_unlock(&a->lock);
    return st;
}

/* Joins b with the block after it. */
static void join_next(cuzk_suballoc *a, block *b)
{
    block *n = b->next;
    b->bytes += n->bytes;
    b->next = n->next;
    if (n->next != NULL) {
        n->next->prev = b;
    } else {
        a->last = b;
    }
    cuzk_free(n);
}

bool cuzk_suballoc_give(cuzk_suballoc *a, uint64_t addr)
{
    (void)pthread_mutex_lock(&a->lock);
    block *b = a->first;
    while (b != NULL && !(b->used && b->addr == addr)) {
        b = b->next;
    }
    const bool found = b != NULL;
    if (found) {
        b->used = false;
        a->used -= b->bytes;
        a->blocks--;
        if (b->next != NULL && !b->next->used) {
            join_next(a, b);
        }
        if (b->prev != NULL && !b->prev->used) {
            join_next(a, b->prev);
        }
    }
    (void)pthread_mutex_unlock(&a->lock);
    return found;
}

cuzk_suballoc_stats cuzk_suballoc_get_stats(cuzk_suballoc *a)
{
    (void)pthread_mutex_lock(&a->lock);
    const cuzk_suballoc_stats s = {.total = a->total,
                                   .used = a->used,
                                   .peak = a->peak,
                                   .largest_free = largest_free(a),
                                   .blocks = a->blocks};
    (void)pthread_mutex_unlock(&a->lock);
    return s;
}
