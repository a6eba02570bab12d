/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "sched/batcher.h"

#include "sched/priority.h"

typedef struct choice {
    const cuzk_batch_rules *rules;
    uint32_t circuit; /* UINT32_MAX: any */
} choice;

bool cuzk_batch_may_take(const cuzk_batch_rules *r, const cuzk_sched_item *item)
{
    const uint64_t open = r->open(r->arg, item->circuit);
    if ((open >> r->device & 1) == 0 ||
        ((item->avoid >> r->device & 1) != 0 && (open & ~item->avoid) != 0)) {
        return false;
    }
    return !r->privileged_only || r->is_privileged(r->arg, item);
}

static bool may_take(void *arg, const cuzk_sched_item *item)
{
    const choice *c = arg;
    const cuzk_batch_rules *r = c->rules;
    return (c->circuit == UINT32_MAX || item->circuit == c->circuit) &&
           cuzk_batch_may_take(r, item) && (r->usable == NULL || r->usable(r->arg, item));
}

static uint32_t count(const cuzk_sched *q, choice *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < q->n; i++) {
        n += may_take(c, &q->items[i]) ? 1 : 0;
    }
    return n;
}

void cuzk_batch_pick(cuzk_batch *out, cuzk_sched *q, const cuzk_batch_rules *rules, uint64_t now_ns)
{
    choice c = {rules, UINT32_MAX};
    out->n = 0;
    out->wake_ns = 0;
    uint32_t best = cuzk_sched_best(q, now_ns, may_take, &c);
    if (best == CUZK_SCHED_NONE) {
        return;
    }
    const cuzk_sched_item *first = &q->items[best];
    c.circuit = first->circuit;
    if (rules->max_size > 1 && first->class_base != CUZK_PRIORITY_CRITICAL &&
        now_ns - first->queued_ns < rules->max_wait_ns && count(q, &c) < rules->max_size &&
        rules->coming(rules->arg, c.circuit) > 0) {
        out->wake_ns = first->queued_ns + rules->max_wait_ns;
        return;
    }
    while (out->n < rules->max_size && best != CUZK_SCHED_NONE) {
        out->item[out->n++] = cuzk_sched_take(q, best);
        best = cuzk_sched_best(q, now_ns, may_take, &c);
    }
}
