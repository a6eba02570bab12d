/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A thousand daemons in virtual time: the state machine of the product against the rules of the queue, while daemons
 * are killed, stopped and cut off, answers are lost, and the database goes away. */
#include <stdlib.h>
#include <string.h>

#include "fleet/member.h"
#include "fleet/model/queue_model.h"

#include "test.h"

#define MS         1000000u
#define STEP       ((uint64_t)100 * MS)
#define LEASE      ((uint64_t)6000 * MS)
#define MAX_HELD   8
#define N_PLACES   2
#define BAD_JOB(i) ((i) % 997 == 0) /* kills every daemon that proves it */

typedef struct held {
    uint32_t job;
    uint64_t incarnation, fence, ends_at; /* ends_at 0: not started */
} held;

typedef struct daemon_model {
    cuzk_member m;
    uint64_t incarnation;
    uint64_t dead_until, stopped_until, cut_until;
    held held[MAX_HELD];
    uint32_t n_held;
} daemon_model;

typedef struct fleet_model {
    queue_model q;
    daemon_model *d;
    uint32_t n;
    uint64_t down_from, down_to; /* of the database */
    uint32_t trouble;            /* chances in a million, of a daemon in a step */
} fleet_model;

/* A call reaches the database; *answered: the caller learns it. */
static bool reaches(const fleet_model *f, const daemon_model *d, bool *answered)
{
    const bool ok =
        f->q.now >= d->cut_until && !(f->q.now >= f->down_from && f->q.now < f->down_to);
    *answered = ok && test_below(100) != 0;
    return ok;
}

static void start_daemon(fleet_model *f, daemon_model *d)
{
    const cuzk_member_times t = cuzk_member_times_of(LEASE);
    memset(d, 0, sizeof(*d));
    cuzk_member_init(&d->m, &t, f->q.now);
}

static void make_trouble(fleet_model *f, daemon_model *d)
{
    if (test_below(1000000) >= f->trouble) {
        return;
    }
    const uint64_t until = f->q.now + LEASE / 4 + test_below(3 * LEASE);
    switch (test_below(3)) {
    case 0: d->dead_until = until; break;
    case 1: d->stopped_until = until; break;
    default: d->cut_until = until; break;
    }
}

static void drop_lost(fleet_model *f, daemon_model *d)
{
    for (uint32_t i = 0; i < d->n_held;) {
        const held *h = &d->held[i];
        if (h->incarnation != d->incarnation ||
            !model_holds(&f->q, h->job, h->incarnation, h->fence)) {
            d->held[i] = d->held[--d->n_held];
        } else {
            i++;
        }
    }
}

static void act(fleet_model *f, daemon_model *d, uint32_t index)
{
    uint64_t wake = 0;
    bool answered = false;
    const cuzk_member_act a = cuzk_member_next(&d->m, f->q.now, &wake);
    if (a == CUZK_MEMBER_WAIT) {
        CHECK(wake > f->q.now);
        return;
    }
    const bool reached = reaches(f, d, &answered);
    bool is_alive = true;
    if (reached) {
        uint64_t joined = 0;
        switch (a) {
        case CUZK_MEMBER_JOIN: joined = model_join(&f->q, index); break;
        case CUZK_MEMBER_RENEW: is_alive = model_renew(&f->q, d->incarnation); break;
        case CUZK_MEMBER_TIDY: model_tidy(&f->q, d->incarnation); break;
        case CUZK_MEMBER_WAIT: break;
        }
        d->incarnation = joined != 0 && answered ? joined : d->incarnation;
    }
    if (!answered) {
        cuzk_member_failed(&d->m, a, f->q.now);
    } else if (!is_alive) {
        cuzk_member_lost(&d->m, f->q.now);
        d->n_held = 0;
    } else {
        cuzk_member_done(&d->m, a, f->q.now);
        if (a == CUZK_MEMBER_RENEW) {
            drop_lost(f, d);
        }
    }
}

static void take_jobs(fleet_model *f, daemon_model *d)
{
    uint32_t n_running = 0;
    for (uint32_t i = 0; i < d->n_held; i++) {
        n_running += d->held[i].ends_at != 0 ? 1 : 0;
    }
    uint32_t room = cuzk_member_room(N_PLACES, n_running, d->n_held - n_running);
    CHECK(d->n_held + room <= N_PLACES + 1);
    while (room-- > 0 && d->n_held < MAX_HELD) {
        held h = {.incarnation = d->incarnation};
        bool answered = false;
        if (!reaches(f, d, &answered) || !model_claim(&f->q, d->incarnation, &h.job, &h.fence)) {
            return;
        }
        if (!answered) { /* as the next renewal finds it */
            model_release(&f->q, h.job, h.incarnation, h.fence);
            return;
        }
        d->held[d->n_held++] = h;
    }
}

static void work(fleet_model *f, daemon_model *d)
{
    uint32_t n_running = 0;
    for (uint32_t i = 0; i < d->n_held; i++) {
        n_running += d->held[i].ends_at != 0 ? 1 : 0;
    }
    for (uint32_t i = 0; i < d->n_held;) {
        held *h = &d->held[i];
        bool answered = false;
        if (h->ends_at == 0 && n_running < N_PLACES && cuzk_member_may_start(&d->m, f->q.now) &&
            reaches(f, d, &answered)) {
            if (!model_start(&f->q, h->job, h->incarnation, h->fence)) {
                d->held[i] = d->held[--d->n_held];
                continue;
            }
            n_running++;
            h->ends_at = f->q.now + 500 * MS + test_below(4000) * MS;
        } else if (h->ends_at != 0 && f->q.now >= h->ends_at) {
            if (BAD_JOB(h->job)) {
                d->dead_until = f->q.now + 1000 * MS;
                return;
            }
            if (reaches(f, d, &answered)) {
                (void)model_finish(&f->q, h->job, h->incarnation, h->fence);
                if (answered) {
                    d->held[i] = d->held[--d->n_held];
                    continue;
                }
            }
        }
        i++;
    }
}

static void step_daemon(fleet_model *f, daemon_model *d, uint32_t index)
{
    if (d->dead_until != 0) {
        if (f->q.now < d->dead_until) {
            return;
        }
        start_daemon(f, d);
    }
    make_trouble(f, d);
    if (d->dead_until != 0 || f->q.now < d->stopped_until) {
        return;
    }
    /* What a daemon believes of its lease is never more than what the others see. A daemon that was replaced
       by a second join whose first answer was lost is the same daemon. */
    if (cuzk_member_may_start(&d->m, f->q.now)) {
        CHECK(f->q.members[d->incarnation].is_alive);
        CHECK(f->q.members[d->incarnation].lease_until >= f->q.now);
    }
    act(f, d, index);
    if (cuzk_member_may_start(&d->m, f->q.now)) {
        take_jobs(f, d);
    }
    work(f, d);
}

static void init_fleet(fleet_model *f, uint32_t n_daemons, uint32_t n_jobs, uint32_t trouble)
{
    memset(f, 0, sizeof(*f));
    model_init(&f->q, n_jobs, LEASE);
    f->n = n_daemons;
    f->trouble = trouble;
    f->q.now = STEP;
    f->d = calloc(n_daemons, sizeof(*f->d));
    CHECK(f->d != NULL);
    for (uint32_t i = 0; i < n_jobs; i++) {
        f->q.jobs[i].class_base = 1 + (uint32_t)test_below(4);
        f->q.jobs[i].due = test_below(3) == 0 ? test_below(1000000) : UINT64_MAX;
        f->q.jobs[i].accepted = (uint64_t)i * 8 * MS;
    }
    for (uint32_t i = 0; i < n_daemons; i++) {
        start_daemon(f, &f->d[i]);
    }
}

static void run(fleet_model *f, uint64_t limit)
{
    while (f->q.n_over < f->q.n_jobs) {
        CHECK_MSG(f->q.now < limit, "%u of %u jobs are over", f->q.n_over, f->q.n_jobs);
        for (uint32_t i = 0; i < f->n; i++) {
            step_daemon(f, &f->d[i], i);
        }
        f->q.now += STEP;
    }
}

static void free_fleet(fleet_model *f)
{
    free(f->d);
    model_free(&f->q);
}

static void a_thousand_daemons(void)
{
    fleet_model f;
    uint32_t set_aside = 0;
    init_fleet(&f, 1000, (uint32_t)test_iters(6000), 3000);
    f.down_from = 60 * 1000 * (uint64_t)MS;
    f.down_to = f.down_from + 2 * LEASE;
    run(&f, 3600 * 1000 * (uint64_t)MS);
    for (uint32_t i = 0; i < f.q.n_jobs; i++) {
        const model_job *j = &f.q.jobs[i];
        CHECK_U64(j->n_ends, 1);
        CHECK(!j->is_set_aside || j->deaths == CUZK_FLEET_MAX_DEATHS);
        CHECK(!BAD_JOB(i) || j->is_set_aside);
        set_aside += j->is_set_aside ? 1 : 0;
    }
    CHECK(set_aside >= (f.q.n_jobs + 996) / 997);
    CHECK(f.q.n_declared > 100 && f.q.n_refused > 10); /* the trouble was there */
    free_fleet(&f);
}

/* An outage of the database, longer than a lease, costs nobody a job. */
static void an_outage_declares_nobody_dead(void)
{
    fleet_model f;
    init_fleet(&f, 50, 4001, 0);
    for (uint32_t i = 0; i < f.q.n_jobs; i += 997) { /* no job kills its daemon here */
        f.q.jobs[i].is_over = true;
        f.q.n_over++;
    }
    f.down_from = 20 * 1000 * (uint64_t)MS;
    f.down_to = f.down_from + 3 * LEASE;
    run(&f, 3600 * 1000 * (uint64_t)MS);
    CHECK(f.q.now > f.down_to);
    CHECK_U64(f.q.n_declared, 0);
    CHECK_U64(f.q.n_refused <= f.q.n_claims, 1);
    free_fleet(&f);
}

static void rooms(void)
{
    CHECK_U64(cuzk_member_room(2, 0, 0), 3);
    CHECK_U64(cuzk_member_room(2, 1, 1), 1);
    CHECK_U64(cuzk_member_room(2, 2, 1), 0);
    CHECK_U64(cuzk_member_room(2, 5, 0), 1);
    CHECK_U64(cuzk_member_room(0, 0, 9), 0);
}

/* A daemon that was stopped for longer than a lease does not judge others by what it knew before. */
static void a_stopped_daemon_waits_before_it_judges(void)
{
    const cuzk_member_times t = cuzk_member_times_of(LEASE);
    cuzk_member m;
    uint64_t wake = 0, now = 1000;
    cuzk_member_init(&m, &t, now);
    CHECK(cuzk_member_next(&m, now, &wake) == CUZK_MEMBER_JOIN);
    cuzk_member_done(&m, CUZK_MEMBER_JOIN, now);
    bool tidied = false;
    while (now < 1000 + 2 * LEASE) {
        const cuzk_member_act a = cuzk_member_next(&m, now, &wake);
        CHECK(a != CUZK_MEMBER_TIDY || now >= 1000 + LEASE);
        tidied = tidied || a == CUZK_MEMBER_TIDY;
        if (a != CUZK_MEMBER_WAIT) {
            cuzk_member_done(&m, a, now);
        }
        now += STEP;
    }
    CHECK(tidied);
    now += 2 * LEASE; /* SIGSTOP */
    CHECK(!cuzk_member_may_start(&m, now));
    CHECK(cuzk_member_next(&m, now, &wake) == CUZK_MEMBER_RENEW);
    cuzk_member_done(&m, CUZK_MEMBER_RENEW, now); /* nobody had noticed */
    const uint64_t back = now;
    for (; now < back + LEASE; now += STEP) {
        const cuzk_member_act a = cuzk_member_next(&m, now, &wake);
        CHECK(a != CUZK_MEMBER_TIDY);
        if (a != CUZK_MEMBER_WAIT) {
            cuzk_member_done(&m, a, now);
        }
    }
}

static const cuzk_case cases[] = {CASE(rooms), CASE(a_stopped_daemon_waits_before_it_judges),
                                  CASE(an_outage_declares_nobody_dead), CASE(a_thousand_daemons)};
TEST_MAIN("fleet/member", cases)
