/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Scheduler and batcher as state machines: random sequences in virtual time against simple models
 * and the promises of their headers.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "sched/batcher.h"

#include "test.h"

#define SECOND 1000000000ull

static cuzk_sched_item random_item(uint64_t job, uint64_t now)
{
    return (cuzk_sched_item){.job = job,
                             .partition = (uint32_t)test_below(4),
                             .circuit = (uint32_t)test_below(3),
                             .class_base = 1 + (uint32_t)test_below(4),
                             .accepted_ns = now - test_below(now + 1),
                             .deadline_ns = test_below(2) == 0 ? 0 : now + test_below(100 * SECOND),
                             .queued_ns = now};
}

/* The class after waiting, written down from the promise: one step per age, at most HIGH. */
static uint32_t model_class(const cuzk_sched_item *i, uint64_t age, uint64_t now)
{
    uint32_t c = i->class_base;
    for (uint64_t t = i->accepted_ns + age; age != 0 && t <= now && c < CUZK_PRIORITY_HIGH;
         t += age) {
        c++;
    }
    return c;
}

static int model_compare(const cuzk_sched_item *a, const cuzk_sched_item *b, uint64_t age,
                         uint64_t patience, uint64_t now)
{
    const uint32_t ca = model_class(a, age, now), cb = model_class(b, age, now);
    const uint64_t none = UINT64_MAX;
    uint64_t da = patience != 0 ? a->accepted_ns + patience : none;
    uint64_t db = patience != 0 ? b->accepted_ns + patience : none;
    da = a->deadline_ns != 0 && a->deadline_ns < da ? a->deadline_ns : da;
    db = b->deadline_ns != 0 && b->deadline_ns < db ? b->deadline_ns : db;
    if (ca != cb) {
        return ca > cb ? -1 : 1;
    }
    if (da != db) {
        return da < db ? -1 : 1;
    }
    if (a->job != b->job) {
        return a->job < b->job ? -1 : 1;
    }
    return a->partition < b->partition ? -1 : a->partition > b->partition;
}

/* Thousands of pushes, takes and ticks: what comes out is the model's minimum, nothing is lost. */
static void order_is_the_models(void)
{
    for (int round = 0; round < 60; round++) {
        cuzk_err err;
        cuzk_sched q;
        const uint64_t age = test_below(3) == 0 ? 0 : 1 + test_below(20 * SECOND);
        const uint64_t patience = test_below(3) == 0 ? 0 : 3 * age;
        cuzk_sched_item model[40];
        uint32_t n = 0;
        uint64_t now = 1000 * SECOND, job = 0;
        CHECK_OK(cuzk_sched_init(&q, 40, age, patience, &err), &err);
        for (int step = 0; step < 200; step++) {
            now += test_below(5 * SECOND);
            if (test_below(2) == 0) {
                const cuzk_sched_item item = random_item(++job, now);
                CHECK(cuzk_sched_push(&q, &item) == (n < 40));
                if (n < 40) {
                    model[n++] = item;
                }
                continue;
            }
            const uint32_t best = cuzk_sched_best(&q, now, NULL, NULL);
            CHECK((best == CUZK_SCHED_NONE) == (n == 0));
            if (n == 0) {
                continue;
            }
            uint32_t want = 0;
            for (uint32_t i = 1; i < n; i++) {
                want = model_compare(&model[i], &model[want], age, patience, now) < 0 ? i : want;
            }
            const cuzk_sched_item got = cuzk_sched_take(&q, best);
            CHECK_U64(got.job, model[want].job);
            CHECK_U64(got.partition, model[want].partition);
            CHECK(cuzk_sched_find(&q, got.job, got.partition) == CUZK_SCHED_NONE);
            model[want] = model[--n];
        }
        CHECK_U64(q.n, n);
        cuzk_sched_free(&q);
    }
}

/* `before` is a strict total order on items of different jobs, at any time. */
static void order_is_total(void)
{
    cuzk_err err;
    cuzk_sched q;
    CHECK_OK(cuzk_sched_init(&q, 1, 7 * SECOND, 21 * SECOND, &err), &err);
    for (size_t k = 0; k < test_iters(20000); k++) {
        cuzk_sched_item i[3];
        const uint64_t now = 100 * SECOND;
        for (uint64_t j = 0; j < 3; j++) {
            i[j] = random_item(j, now);
        }
        const bool ab = cuzk_sched_before(&q, &i[0], &i[1], now);
        const bool bc = cuzk_sched_before(&q, &i[1], &i[2], now);
        CHECK(ab != cuzk_sched_before(&q, &i[1], &i[0], now));
        CHECK(!(ab && bc) || cuzk_sched_before(&q, &i[0], &i[2], now));
        CHECK(!cuzk_sched_before(&q, &i[0], &i[0], now));
    }
    cuzk_sched_free(&q);
}

static uint32_t coming_n;

static uint32_t coming(void *arg, uint32_t circuit)
{
    (void)arg;
    (void)circuit;
    return coming_n;
}

static bool is_privileged(void *arg, const cuzk_sched_item *item)
{
    (void)arg;
    return item->owner != NULL;
}

static uint64_t open_mask[3]; /* by circuit */

static uint64_t open_devices(void *arg, uint32_t circuit)
{
    (void)arg;
    return open_mask[circuit];
}

/* Whatever is in the queue: a batch is of one circuit, holds the best item, keeps the rules, and
 * takes exactly its items out. */
static void batches(void)
{
    for (size_t round = 0; round < test_iters(3000); round++) {
        cuzk_err err;
        cuzk_sched q;
        cuzk_batch batch;
        const uint64_t now = 100 * SECOND;
        const uint32_t n = (uint32_t)test_below(20);
        coming_n = (uint32_t)test_below(2);
        const cuzk_batch_rules rules = {.max_size = 1 + (uint32_t)test_below(6),
                                        .max_wait_ns = test_below(2) * SECOND,
                                        .device = (uint32_t)test_below(2),
                                        .open = open_devices,
                                        .privileged_only = test_below(4) == 0,
                                        .is_privileged = is_privileged,
                                        .coming = coming};
        CHECK_OK(cuzk_sched_init(&q, 20, 0, 0, &err), &err);
        uint32_t allowed = 0, of_circuit[3] = {0};
        for (uint32_t c = 0; c < 3; c++) {
            open_mask[c] = test_below(4);
        }
        cuzk_sched_item best = {.job = 0};
        for (uint64_t k = 1; k <= n; k++) {
            cuzk_sched_item item = random_item(k, now);
            item.avoid = test_below(4);
            item.owner = test_below(3) == 0 ? &q : NULL;
            item.queued_ns = now - test_below(2 * SECOND);
            CHECK(cuzk_sched_push(&q, &item));
            const uint64_t open = open_mask[item.circuit];
            const bool avoids = (item.avoid >> rules.device & 1) != 0 && (open & ~item.avoid) != 0;
            if ((open >> rules.device & 1) != 0 && !avoids &&
                (!rules.privileged_only || item.owner != NULL)) {
                of_circuit[item.circuit]++;
                best = allowed++ == 0 || cuzk_sched_before(&q, &item, &best, now) ? item : best;
            }
        }
        cuzk_batch_pick(&batch, &q, &rules, now);
        CHECK_U64(batch.n + q.n, n);
        CHECK(batch.n <= rules.max_size);
        if (allowed == 0) {
            CHECK(batch.n == 0 && batch.wake_ns == 0);
        } else if (batch.n == 0) { /* waits for more, not for ever */
            CHECK(coming_n != 0 && rules.max_size > 1 && of_circuit[best.circuit] < rules.max_size);
            CHECK(best.class_base != CUZK_PRIORITY_CRITICAL);
            CHECK(batch.wake_ns > now && batch.wake_ns <= now + rules.max_wait_ns);
            coming_n = 0; /* nothing more comes: it goes */
            cuzk_batch_pick(&batch, &q, &rules, now);
            CHECK(batch.n == of_circuit[best.circuit]);
        } else {
            const uint32_t most = of_circuit[best.circuit];
            CHECK_U64(batch.n, most < rules.max_size ? most : rules.max_size);
            CHECK_U64(batch.item[0].job, best.job);
            for (uint32_t k = 0; k < batch.n; k++) {
                CHECK_U64(batch.item[k].circuit, best.circuit);
                CHECK(cuzk_sched_find(&q, batch.item[k].job, batch.item[k].partition) ==
                      CUZK_SCHED_NONE);
                CHECK(k == 0 || cuzk_sched_before(&q, &batch.item[k - 1], &batch.item[k], now));
            }
        }
        cuzk_sched_free(&q);
    }
}

/*
 * One device in virtual time, slices of one second, an endless stream of work of every class but as
 * much HIGH work with deadlines as the device can do: CRITICAL never waits longer than a slice, and
 * LOW work still gets done.
 */
static void nobody_starves(void)
{
    cuzk_err err;
    cuzk_sched q;
    const uint64_t age = 20 * SECOND;
    uint64_t now = 0, job = 0, low_done = 0, longest_low = 0, longest_critical = 0;
    CHECK_OK(cuzk_sched_init(&q, 4096, age, 3 * age, &err), &err);
    for (int slice = 0; slice < 3000; slice++) {
        cuzk_sched_item item = {.job = ++job,
                                .class_base = CUZK_PRIORITY_HIGH,
                                .accepted_ns = now,
                                .deadline_ns = now + 5 * SECOND};
        CHECK(cuzk_sched_push(&q, &item));
        if (slice % 10 == 0) {
            item = (cuzk_sched_item){
                .job = ++job, .class_base = CUZK_PRIORITY_LOW, .accepted_ns = now};
            CHECK(slice > 2000 || cuzk_sched_push(&q, &item));
        }
        if (slice % 7 == 0) { /* it comes while a slice runs */
            item = (cuzk_sched_item){.job = ++job,
                                     .class_base = CUZK_PRIORITY_CRITICAL,
                                     .accepted_ns = now + test_below(SECOND)};
        } else {
            item.job = 0;
        }
        now += SECOND;
        if (item.job != 0) {
            CHECK(cuzk_sched_push(&q, &item));
        }
        const cuzk_sched_item next = cuzk_sched_take(&q, cuzk_sched_best(&q, now, NULL, NULL));
        const uint64_t waited = now - next.accepted_ns;
        if (next.class_base == CUZK_PRIORITY_CRITICAL && waited > longest_critical) {
            longest_critical = waited;
        }
        if (next.class_base == CUZK_PRIORITY_LOW) {
            low_done++;
            longest_low = waited > longest_low ? waited : longest_low;
        }
    }
    CHECK(longest_critical <= SECOND);
    CHECK_MSG(low_done > 50, "%llu LOW jobs done", (unsigned long long)low_done);
    cuzk_sched_free(&q);
}

static void limits(void)
{
    cuzk_err err;
    cuzk_sched q;
    CHECK_OK(cuzk_sched_init(&q, 2, 0, 0, &err), &err);
    const cuzk_sched_item item = {.job = 1};
    CHECK(cuzk_sched_push(&q, &item) && cuzk_sched_push(&q, &item) && !cuzk_sched_push(&q, &item));
    CHECK_OK(cuzk_sched_reserve(&q, 3, &err), &err);
    CHECK(cuzk_sched_push(&q, &item));
    CHECK_U64(q.n, 3);
    cuzk_sched_free(&q);
}

static const cuzk_case cases[] = {CASE(order_is_the_models), CASE(order_is_total), CASE(batches),
                                  CASE(nobody_starves), CASE(limits)};
TEST_MAIN("sched/scheduler", cases)
