/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_SCHED_BUDGET_H
#define CUZK_SCHED_BUDGET_H

/*
 * Bytes of one kind of memory (host, pinned, one device) that may be in use. A state machine without
 * clock, threads or allocation: a caller takes before it allocates, and gives back after freeing.
 *
 * A part is held for privileged takers (WinningPoSt): others never get into it, so a privileged
 * taker that needs no more than that part is never refused because of others.
 *
 * Invariant: used <= total, and what the unprivileged use <= total - held.
 */
#include <stdbool.h>
#include <stdint.h>

typedef struct cuzk_budget {
    uint64_t total;
    uint64_t held;            /* for privileged takers, <= total */
    uint64_t used;            /* by all; above total only after a resize */
    uint64_t used_privileged; /* of these, by privileged ones */
    uint64_t peak;            /* most that used has been */
} cuzk_budget;

void cuzk_budget_init(cuzk_budget *b, uint64_t total, uint64_t held);
/** Another size: what is used stays used, even where it is more than the new total. */
void cuzk_budget_resize(cuzk_budget *b, uint64_t total, uint64_t held);
/** Takes bytes; false, and nothing is taken, when they are not free. */
bool cuzk_budget_take(cuzk_budget *b, uint64_t bytes, bool privileged);
/** Gives back what was taken with the same privilege. */
void cuzk_budget_give(cuzk_budget *b, uint64_t bytes, bool privileged);
/** Could be taken now. */
bool cuzk_budget_fits(const cuzk_budget *b, uint64_t bytes, bool privileged);
/** Free for such a taker now. */
uint64_t cuzk_budget_free(const cuzk_budget *b, bool privileged);
/** The most that such a taker could ever get. */
uint64_t cuzk_budget_limit(const cuzk_budget *b, bool privileged);

/** What somebody has taken; handed from stage to stage, and smaller as buffers go. */
typedef struct cuzk_reservation {
    uint64_t bytes;
    bool privileged;
} cuzk_reservation;

/** *r must be empty. */
bool cuzk_reservation_take(cuzk_reservation *r, cuzk_budget *b, uint64_t bytes, bool privileged);
/** Gives back all but keep bytes; keep above what is there changes nothing. */
void cuzk_reservation_shrink(cuzk_reservation *r, cuzk_budget *b, uint64_t keep);

#endif /* CUZK_SCHED_BUDGET_H */
