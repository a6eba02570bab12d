/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_SCHED_SCHEDULER_H
#define CUZK_SCHED_SCHEDULER_H

/*
 * Who is next: a bounded queue of work items. No clock, no threads; memory at init only.
 *
 * Order: class (CRITICAL first), then deadline, then job number, then partition. Waiting raises an
 * item by one class per age_ns, at most to HIGH, so that CRITICAL work is never held up by old
 * other work; an item without a deadline counts as due at accepted + patience_ns, so that a stream
 * of items with deadlines cannot pass it for ever.
 *
 * Choosing looks at every item: queues hold jobs (partitions enter later queues in bounded
 * numbers), and a comparison takes nanoseconds, the work milliseconds.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

typedef struct cuzk_sched_item {
    uint64_t job;         /* number */
    uint32_t partition;   /* 0 for whole jobs */
    uint32_t circuit;     /* what is loaded for it */
    uint32_t class_base;  /* cuzk_job_priority */
    uint64_t accepted_ns; /* of the job: ageing counts from here */
    uint64_t deadline_ns; /* 0: none */
    uint64_t queued_ns;   /* when it entered this queue */
    uint64_t avoid;       /* devices (bits) on which it has failed */
    void *owner;
} cuzk_sched_item;

typedef struct cuzk_sched {
    cuzk_sched_item *items; /* [capacity], the first n in use, in no order */
    uint32_t n, capacity;
    uint64_t age_ns;      /* 0: no ageing */
    uint64_t patience_ns; /* 0: never due */
} cuzk_sched;

#define CUZK_SCHED_NONE UINT32_MAX

CUZK_NODISCARD cuzk_status cuzk_sched_init(cuzk_sched *q, uint32_t capacity, uint64_t age_ns,
                                           uint64_t patience_ns, cuzk_err *err);
/** Makes room for at least that many items. */
CUZK_NODISCARD cuzk_status cuzk_sched_reserve(cuzk_sched *q, uint32_t capacity, cuzk_err *err);
void cuzk_sched_free(cuzk_sched *q);
/** False when full. A pair (job, partition) is at most once in a queue. */
bool cuzk_sched_push(cuzk_sched *q, const cuzk_sched_item *item);
/** True when a goes before b at this time. */
bool cuzk_sched_before(const cuzk_sched *q, const cuzk_sched_item *a, const cuzk_sched_item *b,
                       uint64_t now_ns);
/** The class that an item has risen to. */
uint32_t cuzk_sched_class(const cuzk_sched *q, const cuzk_sched_item *item, uint64_t now_ns);
typedef bool (*cuzk_sched_filter)(void *arg, const cuzk_sched_item *item);
/** Index of the first item that passes (filter NULL: all), or CUZK_SCHED_NONE. */
uint32_t cuzk_sched_best(const cuzk_sched *q, uint64_t now_ns, cuzk_sched_filter filter, void *arg);
/** Removes the item at an index; the others' indices change. */
cuzk_sched_item cuzk_sched_take(cuzk_sched *q, uint32_t index);
uint32_t cuzk_sched_find(const cuzk_sched *q, uint64_t job, uint32_t partition);

#endif /* CUZK_SCHED_SCHEDULER_H */
