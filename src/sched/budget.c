/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "sched/budget.h"

#include "base/assert.h"

void cuzk_budget_init(cuzk_budget *b, uint64_t total, uint64_t held)
{
    *b = (cuzk_budget){.total = total, .held = held < total ? held : total};
}

void cuzk_budget_resize(cuzk_budget *b, uint64_t total, uint64_t held)
{
    b->total = total;
    b->held = held < total ? held : total;
}

uint64_t cuzk_budget_free(const cuzk_budget *b, bool privileged)
{
    const uint64_t left = b->total > b->used ? b->total - b->used : 0;
    if (privileged) {
        return left;
    }
    const uint64_t held = b->held > b->used_privileged ? b->held - b->used_privileged : 0;
    return left > held ? left - held : 0;
}

bool cuzk_budget_fits(const cuzk_budget *b, uint64_t bytes, bool privileged)
{
    return bytes <= cuzk_budget_free(b, privileged);
}

bool cuzk_budget_take(cuzk_budget *b, uint64_t bytes, bool privileged)
{
    if (!cuzk_budget_fits(b, bytes, privileged)) {
        return false;
    }
    b->used += bytes;
    if (privileged) {
        b->used_privileged += bytes;
    }
    if (b->used > b->peak) {
        b->peak = b->used;
    }
    return true;
}

void cuzk_budget_give(cuzk_budget *b, uint64_t bytes, bool privileged)
{
    CUZK_ASSERT(bytes <= (privileged ? b->used_privileged : b->used - b->used_privileged));
    b->used -= bytes;
    if (privileged) {
        b->used_privileged -= bytes;
    }
}

uint64_t cuzk_budget_limit(const cuzk_budget *b, bool privileged)
{
    return privileged ? b->total : b->total - b->held;
}

bool cuzk_reservation_take(cuzk_reservation *r, cuzk_budget *b, uint64_t bytes, bool privileged)
{
    CUZK_ASSERT(r->bytes == 0);
    if (!cuzk_budget_take(b, bytes, privileged)) {
        return false;
    }
    *r = (cuzk_reservation){bytes, privileged};
    return true;
}

void cuzk_reservation_shrink(cuzk_reservation *r, cuzk_budget *b, uint64_t keep)
{
    if (keep < r->bytes) {
        cuzk_budget_give(b, r->bytes - keep, r->privileged);
        r->bytes = keep;
    }
}
