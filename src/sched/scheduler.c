/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "sched/scheduler.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "sched/priority.h"

cuzk_status cuzk_sched_init(cuzk_sched *q, uint32_t capacity, uint64_t age_ns, uint64_t patience_ns,
                            cuzk_err *err)
{
    *q = (cuzk_sched){.capacity = capacity, .age_ns = age_ns, .patience_ns = patience_ns};
    q->items = cuzk_alloc(capacity, sizeof(*q->items));
    if (q->items == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a queue of %u", capacity);
    }
    return CUZK_OK;
}

cuzk_status cuzk_sched_reserve(cuzk_sched *q, uint32_t capacity, cuzk_err *err)
{
    if (capacity <= q->capacity) {
        return CUZK_OK;
    }
    capacity = capacity < 2 * q->capacity ? 2 * q->capacity : capacity;
    cuzk_sched_item *items = cuzk_realloc(q->items, capacity, sizeof(*items));
    if (items == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a queue of %u", capacity);
    }
    q->items = items;
    q->capacity = capacity;
    return CUZK_OK;
}

void cuzk_sched_free(cuzk_sched *q)
{
    cuzk_free(q->items);
    q->items = NULL;
    q->n = q->capacity = 0;
}

bool cuzk_sched_push(cuzk_sched *q, const cuzk_sched_item *item)
{
    if (q->n == q->capacity) {
        return false;
    }
    q->items[q->n++] = *item;
    return true;
}

uint32_t cuzk_sched_class(const cuzk_sched *q, const cuzk_sched_item *item, uint64_t now_ns)
{
    if (item->class_base >= CUZK_PRIORITY_HIGH || q->age_ns == 0 || now_ns <= item->accepted_ns) {
        return item->class_base;
    }
    const uint64_t risen = (now_ns - item->accepted_ns) / q->age_ns;
    const uint32_t room = CUZK_PRIORITY_HIGH - item->class_base;
    return item->class_base + (risen < room ? (uint32_t)risen : room);
}

static uint64_t due(const cuzk_sched *q, const cuzk_sched_item *item)
{
    uint64_t at = UINT64_MAX;
    if (q->patience_ns != 0 && item->accepted_ns <= UINT64_MAX - q->patience_ns) {
        at = item->accepted_ns + q->patience_ns;
    }
    return item->deadline_ns != 0 && item->deadline_ns < at ? item->deadline_ns : at;
}

bool cuzk_sched_before(const cuzk_sched *q, const cuzk_sched_item *a, const cuzk_sched_item *b,
                       uint64_t now_ns)
{
    const uint32_t class_a = cuzk_sched_class(q, a, now_ns);
    const uint32_t class_b = cuzk_sched_class(q, b, now_ns);
    if (class_a != class_b) {
        return class_a > class_b;
    }
    const uint64_t due_a = due(q, a), due_b = due(q, b);
    if (due_a != due_b) { /* without deadlines: in the order of acceptance, all of a job equal */
        return due_a < due_b;
    }
    return a->job != b->job ? a->job < b->job : a->partition < b->partition;
}

uint32_t cuzk_sched_best(const cuzk_sched *q, uint64_t now_ns, cuzk_sched_filter filter, void *arg)
{
    uint32_t best = CUZK_SCHED_NONE;
    for (uint32_t i = 0; i < q->n; i++) {
        if ((filter == NULL || filter(arg, &q->items[i])) &&
            (best == CUZK_SCHED_NONE ||
             cuzk_sched_before(q, &q->items[i], &q->items[best], now_ns))) {
            best = i;
        }
    }
    return best;
}

cuzk_sched_item cuzk_sched_take(cuzk_sched *q, uint32_t index)
{
    CUZK_ASSERT(index < q->n);
    const cuzk_sched_item item = q->items[index];
    q->items[index] = q->items[--q->n];
    return item;
}

uint32_t cuzk_sched_find(const cuzk_sched *q, uint64_t job, uint32_t partition)
{
    for (uint32_t i = 0; i < q->n; i++) {
        if (q->items[i].job == job && q->items[i].partition == partition) {
            return i;
        }
    }
    return CUZK_SCHED_NONE;
}
