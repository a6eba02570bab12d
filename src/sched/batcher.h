/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_SCHED_BATCHER_H
#define CUZK_SCHED_BATCHER_H

/*
 * What a free device slot does next: partitions of one circuit, of whichever jobs, that share one
 * pass over its parameters. A pure decision over the queue of partitions whose witnesses are ready.
 *
 * The best item decides the circuit, and its batch is filled in scheduler order. A batch that is not
 * full waits for partitions of its circuit that are on their way, at most max_wait_ns from when the
 * best item entered the queue, and never for a CRITICAL item.
 */
#include "sched/scheduler.h"

#define CUZK_BATCH_MAX 16

typedef struct cuzk_batch_rules {
    uint32_t max_size; /* 1 .. CUZK_BATCH_MAX */
    uint64_t max_wait_ns;
    uint32_t device;
    /* Devices (bits) that may take items of a circuit now. An item that avoids this device is left to one
       of them that it does not avoid. */
    uint64_t (*open)(void *arg, uint32_t circuit);
    bool privileged_only; /* the slot is held for CRITICAL items of is_privileged */
    cuzk_sched_filter is_privileged;
    cuzk_sched_filter usable; /* what the device can do now; NULL: everything */
    void *arg;
    /* Partitions of a circuit that will enter the queue without more being started. */
    uint32_t (*coming)(void *arg, uint32_t circuit);
} cuzk_batch_rules;

typedef struct cuzk_batch {
    uint32_t n;
    cuzk_sched_item item[CUZK_BATCH_MAX];
    uint64_t wake_ns; /* n == 0: look again at this time; 0: when the queue changes */
} cuzk_batch;

/** True when the device may take the item at all, whatever usable says. */
bool cuzk_batch_may_take(const cuzk_batch_rules *rules, const cuzk_sched_item *item);
/** Takes the batch out of the queue; n == 0: nothing to do now. */
void cuzk_batch_pick(cuzk_batch *out, cuzk_sched *q, const cuzk_batch_rules *rules,
                     uint64_t now_ns);

#endif /* CUZK_SCHED_BATCHER_H */
