/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The health of devices and circuits: each event in each state, and random sequences against a model. */
#include <string.h>

#include "sched/device_health.h"

#include "test.h"

#define SECOND     (1000000000ull)
#define N_CIRCUITS 3u

typedef struct bench {
    cuzk_health h;
    cuzk_circuit_health c[N_CIRCUITS];
    uint64_t now;
} bench;

static void open_bench(bench *b, uint64_t limit)
{
    memset(b, 0, sizeof(*b));
    b->now = SECOND;
    cuzk_health_init(&b->h, limit, SECOND);
}

static cuzk_health_verdict verified(bench *b, uint32_t circuit, uint64_t period, bool is_right)
{
    return cuzk_health_verified(&b->h, b->c, N_CIRCUITS, circuit, period, is_right, b->now);
}

/* A call that takes no time. */
static bool call(bench *b, uint32_t slot, cuzk_status st)
{
    cuzk_health_begin(&b->h, slot, b->now);
    return cuzk_health_end(&b->h, slot, st, b->now);
}

static uint32_t tick(bench *b, bool *quarantined)
{
    return cuzk_health_tick(&b->h, quarantined, b->now);
}

static uint32_t probe(bench *b, bool is_good)
{
    b->now = b->h.until_ns > b->now ? b->h.until_ns : b->now;
    CHECK(cuzk_health_wants_probe(&b->h, b->now));
    return cuzk_health_probed(&b->h, b->c, is_good, b->now);
}

/* Brings a machine into a state; a call that began before hangs in slot 3 while it is QUARANTINED. */
static void reach(bench *b, cuzk_health_state s)
{
    open_bench(b, 5 * SECOND);
    if (s == CUZK_HEALTH_QUARANTINED) {
        cuzk_health_begin(&b->h, 3, b->now);
    }
    if (s != CUZK_HEALTH_GOOD) {
        CHECK(call(b, 0, CUZK_E_DEV_LOST));
    }
    if (s == CUZK_HEALTH_PROBING) {
        b->now = b->h.until_ns;
        CHECK(cuzk_health_wants_probe(&b->h, b->now));
    }
    CHECK(b->h.state == s);
}

typedef enum event {
    LOST,
    BEGIN_END_OK,
    BEGIN_END_LOST,
    BEGIN_END_CANCELLED,
    THREE_ERRORS,
    WRONG_TWICE,      /* of this period */
    WRONG_TWICE_LATE, /* of an earlier period */
    WRONG_TWO_KINDS,  /* of this period, two circuits */
    RIGHT,
    LATE_TICK, /* every limit is over */
    WANTS_PROBE,
    N_EVENTS
} event;

static void happen(bench *b, event ev)
{
    bool quarantined = false;
    const uint64_t period = b->h.quarantines;
    switch (ev) {
    case LOST: cuzk_health_lost(&b->h, b->now); break;
    case BEGIN_END_OK: (void)call(b, 1, CUZK_OK); break;
    case BEGIN_END_LOST: (void)call(b, 1, CUZK_E_DEV_LOST); break;
    case BEGIN_END_CANCELLED: (void)call(b, 1, CUZK_E_CANCELLED); break;
    case THREE_ERRORS:
        for (int i = 0; i < 3; i++) {
            (void)call(b, 1, CUZK_E_DEV_NOMEM);
        }
        break;
    case WRONG_TWICE:
        (void)verified(b, 0, period, false);
        (void)verified(b, 0, period, false);
        break;
    case WRONG_TWICE_LATE:
        (void)verified(b, 0, period - 1, false);
        (void)verified(b, 0, period - 1, false);
        break;
    case WRONG_TWO_KINDS:
        (void)verified(b, 0, period, false);
        (void)verified(b, 1, period, false);
        break;
    case RIGHT: (void)verified(b, 0, period, true); break;
    case LATE_TICK:
        b->now += 100 * SECOND;
        (void)tick(b, &quarantined);
        break;
    case WANTS_PROBE: (void)cuzk_health_wants_probe(&b->h, b->now); break;
    case N_EVENTS: break;
    }
}

/* No event is refused, and each leads to the state of this table. */
static void every_event_in_every_state(void)
{
    enum { G = CUZK_HEALTH_GOOD, Q = CUZK_HEALTH_QUARANTINED, P = CUZK_HEALTH_PROBING };
    static const int next[N_EVENTS][3] = {
        [LOST] = {Q, Q, P},
        [BEGIN_END_OK] = {G, Q, P},
        [BEGIN_END_LOST] = {Q, Q, P},
        [BEGIN_END_CANCELLED] = {G, Q, P},
        [THREE_ERRORS] = {Q, Q, P},
        [WRONG_TWICE] = {Q, Q, P},
        [WRONG_TWICE_LATE] = {G, Q, P},
        [WRONG_TWO_KINDS] = {Q, Q, P},
        [RIGHT] = {G, Q, P},
        [LATE_TICK] = {G, Q, P},
        [WANTS_PROBE] = {G, Q, P}, /* a call hangs in QUARANTINED: not yet */
    };
    for (int s = 0; s < 3; s++) {
        for (int ev = 0; ev < N_EVENTS; ev++) {
            bench b;
            reach(&b, (cuzk_health_state)s);
            happen(&b, (event)ev);
            CHECK_MSG((int)b.h.state == next[ev][s], "state %d, event %d: state %d", s, ev,
                      (int)b.h.state);
            CHECK(b.h.quarantines == (s == CUZK_HEALTH_GOOD && next[ev][s] == Q ? 1u
                                      : s == CUZK_HEALTH_GOOD                   ? 0u
                                                                                : 1u));
            /* and the device still comes back */
            if (s == CUZK_HEALTH_QUARANTINED) {
                (void)cuzk_health_end(&b.h, 3, CUZK_E_CANCELLED, b.now);
            }
            if (b.h.state == CUZK_HEALTH_PROBING) {
                (void)cuzk_health_probed(&b.h, b.c, true, b.now);
            } else if (b.h.state == CUZK_HEALTH_QUARANTINED) {
                (void)probe(&b, true);
            }
            CHECK(cuzk_health_is_good(&b.h));
        }
    }
}

/* Every slot of a device is watched, also after another one has taken the device out. */
static void every_slot_is_watched(void)
{
    bench b;
    bool quarantined = false;
    open_bench(&b, 5 * SECOND);
    for (uint32_t slot = 0; slot < 3; slot++) {
        cuzk_health_begin(&b.h, slot, b.now);
        b.now += SECOND;
    }
    cuzk_health_begin(&b.h, CUZK_HEALTH_LOAD_SLOT, b.now);
    CHECK_U64(cuzk_health_wake_ns(&b.h), 6 * SECOND);
    b.now = 6 * SECOND;
    CHECK_U64(tick(&b, &quarantined), 1);
    CHECK(quarantined);
    CHECK_U64(tick(&b, &quarantined), 0); /* once */
    CHECK(!quarantined);
    CHECK_U64(cuzk_health_wake_ns(&b.h), 7 * SECOND);
    CHECK(!cuzk_health_end(&b.h, 2, CUZK_E_DEV_LOST, b.now));
    b.now = 20 * SECOND;
    CHECK_U64(tick(&b, &quarantined), 2);
    CHECK(!quarantined);
    CHECK(!cuzk_health_wants_probe(&b.h, b.now)); /* calls hang */
    b.now = 4 * SECOND + CUZK_HEALTH_LOAD_LIMITS * 5 * SECOND;
    CHECK_U64(cuzk_health_wake_ns(&b.h), b.now);
    CHECK_U64(tick(&b, &quarantined), 1u << CUZK_HEALTH_LOAD_SLOT);
    CHECK_U64(cuzk_health_wake_ns(&b.h), 0);
    (void)cuzk_health_end(&b.h, 0, CUZK_OK, b.now);
    (void)cuzk_health_end(&b.h, 1, CUZK_OK, b.now);
    (void)cuzk_health_end(&b.h, CUZK_HEALTH_LOAD_SLOT, CUZK_E_IO, b.now);
    CHECK_U64(probe(&b, true), CUZK_HEALTH_NO_CIRCUIT);
    cuzk_health_begin(&b.h, 0, b.now); /* the slot is watched again */
    b.now += 5 * SECOND;
    CHECK_U64(tick(&b, &quarantined), 1);
    CHECK(quarantined);
}

/* One circuit is wrong, the probe passes: the circuit goes, the device stays. */
static void circuit_is_set_aside(void)
{
    bench b;
    open_bench(&b, 0);
    CHECK(verified(&b, 2, 0, false) == CUZK_HEALTH_UNCHANGED);
    CHECK(verified(&b, 2, 0, false) == CUZK_HEALTH_QUARANTINES);
    CHECK(cuzk_health_wants_probe(&b.h, b.now)); /* at once */
    CHECK_U64(cuzk_health_probed(&b.h, b.c, true, b.now), 2);
    CHECK(cuzk_health_is_good(&b.h) && cuzk_circuit_is_set_aside(&b.c[2], b.now));
    CHECK(!cuzk_circuit_is_set_aside(&b.c[0], b.now));
    CHECK_U64(b.h.back_off_ns, SECOND);
    uint64_t back_off = CUZK_CIRCUIT_BACK_OFFS * SECOND;
    for (int i = 0; i < 8; i++) { /* tried again: one wrong proof is enough */
        CHECK_U64(b.c[2].until_ns, b.now + back_off);
        CHECK(verified(&b, 2, 1, false) == CUZK_HEALTH_UNCHANGED); /* of before */
        b.now += back_off;
        CHECK(!cuzk_circuit_is_set_aside(&b.c[2], b.now));
        CHECK(verified(&b, 2, 1, false) == CUZK_HEALTH_SETS_ASIDE);
        back_off = back_off < CUZK_HEALTH_LONGEST_NS ? 2 * back_off : back_off;
        CHECK(cuzk_health_is_good(&b.h));
    }
    /* a second circuit at once: it is the device */
    CHECK(verified(&b, 0, 1, false) == CUZK_HEALTH_UNCHANGED);
    CHECK(verified(&b, 0, 1, false) == CUZK_HEALTH_QUARANTINES);
    CHECK(!cuzk_health_wants_probe(&b.h, b.now));
    CHECK_U64(probe(&b, true), CUZK_HEALTH_NO_CIRCUIT);
    CHECK(!cuzk_circuit_is_set_aside(&b.c[0], b.now));
    /* right again */
    CHECK(verified(&b, 2, 2, true) == CUZK_HEALTH_UNCHANGED);
    CHECK(!b.c[2].is_set_aside && b.c[2].back_off_ns == 0);
}

/* While others are right no probe is needed; a probe that fails accuses the device. */
static void circuit_or_device(void)
{
    bench b;
    open_bench(&b, 0);
    (void)verified(&b, 1, 0, false);
    (void)verified(&b, 0, 0, true);
    CHECK(verified(&b, 1, 0, false) == CUZK_HEALTH_SETS_ASIDE);
    CHECK(cuzk_health_is_good(&b.h) && cuzk_circuit_is_set_aside(&b.c[1], b.now));
    open_bench(&b, 0);
    (void)verified(&b, 1, 0, false);
    (void)verified(&b, 1, 0, false);
    CHECK_U64(probe(&b, false), CUZK_HEALTH_NO_CIRCUIT);
    CHECK(b.h.state == CUZK_HEALTH_QUARANTINED && b.h.until_ns == b.now + SECOND);
    CHECK_U64(probe(&b, true), CUZK_HEALTH_NO_CIRCUIT);
    CHECK(!b.c[1].is_set_aside);
    /* its context is lost by a call that was running: the device */
    open_bench(&b, 0);
    cuzk_health_begin(&b.h, 0, b.now);
    (void)verified(&b, 1, 0, false);
    CHECK(verified(&b, 1, 0, false) == CUZK_HEALTH_QUARANTINES);
    CHECK(!cuzk_health_end(&b.h, 0, CUZK_E_DEV_LOST, b.now));
    CHECK(b.h.until_ns == b.now + SECOND);
    CHECK_U64(probe(&b, true), CUZK_HEALTH_NO_CIRCUIT);
    /* rows do not go over a quarantine */
    (void)verified(&b, 1, 1, false);
    CHECK(call(&b, 0, CUZK_E_DEV_LOST));
    (void)probe(&b, true);
    CHECK(verified(&b, 1, 2, false) == CUZK_HEALTH_UNCHANGED);
    CHECK(!b.c[1].is_set_aside);
}

typedef struct model {
    uint64_t began[CUZK_HEALTH_SLOTS + 1];
    bool reported[CUZK_HEALTH_SLOTS + 1];
    uint64_t period_of[CUZK_HEALTH_SLOTS + 1];
    uint64_t limit;
} model;

static void random_call(bench *b, model *m)
{
    static const cuzk_status results[] = {CUZK_OK,          CUZK_OK,         CUZK_E_DEV_NOMEM,
                                          CUZK_E_CANCELLED, CUZK_E_DEV_LOST, CUZK_OK};
    const uint32_t slot = (uint32_t)test_below(CUZK_HEALTH_SLOTS + 1);
    const bool was_good = cuzk_health_is_good(&b->h);
    if (m->began[slot] == 0) {
        if (was_good) {
            cuzk_health_begin(&b->h, slot, b->now);
            m->began[slot] = b->now;
            m->reported[slot] = false;
            m->period_of[slot] = b->h.quarantines;
        }
        return;
    }
    const cuzk_status st = results[test_below(6)];
    const uint32_t row = b->h.errors_in_row;
    const bool counts = st != CUZK_OK && st != CUZK_E_CANCELLED;
    const bool out = cuzk_health_end(&b->h, slot, st, b->now);
    m->began[slot] = 0;
    CHECK(out == (was_good && counts && (st == CUZK_E_DEV_LOST || row + 1 >= CUZK_HEALTH_ERRORS)));
    CHECK(cuzk_health_is_good(&b->h) == (was_good && !out));
    if (st == CUZK_OK) { /* verified at any later time: here at once, or in a later period */
        const uint64_t period = m->period_of[slot] - (test_below(4) == 0 ? 1 : 0);
        const bool good = cuzk_health_is_good(&b->h);
        const bool counts_too = good && period == b->h.quarantines;
        const cuzk_health_verdict v =
            verified(b, (uint32_t)test_below(N_CIRCUITS), period, test_below(4) != 0);
        CHECK(counts_too || v == CUZK_HEALTH_UNCHANGED);
        CHECK(cuzk_health_is_good(&b->h) == (good && v != CUZK_HEALTH_QUARANTINES));
    }
}

static void random_tick(bench *b, model *m)
{
    uint32_t want = 0;
    bool quarantined = false;
    const bool was_good = cuzk_health_is_good(&b->h);
    for (uint32_t i = 0; i <= CUZK_HEALTH_SLOTS; i++) {
        const uint64_t limit =
            i == CUZK_HEALTH_LOAD_SLOT ? CUZK_HEALTH_LOAD_LIMITS * m->limit : m->limit;
        if (m->limit != 0 && m->began[i] != 0 && !m->reported[i] && b->now - m->began[i] >= limit) {
            want |= 1u << i;
            m->reported[i] = true;
        }
    }
    CHECK_U64(tick(b, &quarantined), want);
    CHECK(quarantined == (was_good && want != 0));
    const uint64_t wake = cuzk_health_wake_ns(&b->h);
    CHECK(wake == 0 || wake > b->now || b->h.state == CUZK_HEALTH_QUARANTINED);
}

/* A device is given up for the reasons of the header and no others, and comes back when it is idle. */
static void random_events(void)
{
    for (size_t round = 0; round < test_iters(300); round++) {
        bench b;
        model m = {.limit = test_below(2) == 0 ? 0 : 5 * SECOND};
        open_bench(&b, m.limit);
        for (int step = 0; step < 400; step++) {
            b.now += test_below(SECOND);
            random_call(&b, &m);
            random_tick(&b, &m);
            if (b.h.state != CUZK_HEALTH_QUARANTINED) {
                continue;
            }
            bool idle = true;
            for (uint32_t i = 0; i <= CUZK_HEALTH_SLOTS; i++) {
                idle = idle && m.began[i] == 0;
            }
            const uint64_t until = b.h.until_ns, back_off = b.h.back_off_ns;
            const bool wants = cuzk_health_wants_probe(&b.h, b.now);
            CHECK(wants == (idle && b.now >= until));
            if (wants) {
                const bool is_good = test_below(2) == 0;
                CHECK(!cuzk_health_wants_probe(&b.h, b.now));
                (void)cuzk_health_probed(&b.h, b.c, is_good, b.now);
                CHECK(cuzk_health_is_good(&b.h) == is_good);
                CHECK(is_good || (b.h.until_ns == b.now + back_off && b.h.back_off_ns >= back_off &&
                                  b.h.back_off_ns <= 2 * CUZK_HEALTH_LONGEST_NS));
            }
        }
    }
}

static const cuzk_case cases[] = {CASE(every_event_in_every_state), CASE(every_slot_is_watched),
                                  CASE(circuit_is_set_aside), CASE(circuit_or_device),
                                  CASE(random_events)};
TEST_MAIN("sched/device_health", cases)
