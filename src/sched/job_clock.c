/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "sched/job_clock.h"

#include <string.h>

#include "base/assert.h"

static cuzk_job_activity current(const cuzk_job_clock *c)
{
    if (c->waits_for == CUZK_JOB_RETURNING) {
        return CUZK_JOB_RETURNING;
    }
    for (int a = CUZK_JOB_ACTIVITIES - 1; a >= CUZK_JOB_PREPARES; a--) {
        if (c->inside[a] != 0) {
            return (cuzk_job_activity)a;
        }
    }
    return c->waits_for;
}

/* Time since the last change goes to what the job did. A clock that is read by another thread may be ahead. */
static void account(cuzk_job_clock *c, uint64_t now_ns)
{
    if (!c->is_stopped && now_ns > c->since_ns) {
        c->spent_ns[current(c)] += now_ns - c->since_ns;
        c->since_ns = now_ns;
    }
}

void cuzk_job_clock_start(cuzk_job_clock *c, uint64_t now_ns)
{
    memset(c, 0, sizeof(*c));
    c->since_ns = now_ns;
}

void cuzk_job_clock_wait(cuzk_job_clock *c, cuzk_job_activity what, uint64_t now_ns)
{
    CUZK_ASSERT(what < CUZK_JOB_RETURNING);
    account(c, now_ns);
    if (c->waits_for != CUZK_JOB_RETURNING) {
        c->waits_for = what;
    }
}

void cuzk_job_clock_enter(cuzk_job_clock *c, cuzk_job_activity stage, uint64_t now_ns)
{
    CUZK_ASSERT(stage >= CUZK_JOB_PREPARES && stage < CUZK_JOB_ACTIVITIES);
    account(c, now_ns);
    c->inside[stage]++;
}

void cuzk_job_clock_leave(cuzk_job_clock *c, cuzk_job_activity stage, uint64_t now_ns)
{
    CUZK_ASSERT(stage >= CUZK_JOB_PREPARES && stage < CUZK_JOB_ACTIVITIES && c->inside[stage] != 0);
    account(c, now_ns);
    c->inside[stage]--;
}

void cuzk_job_clock_end(cuzk_job_clock *c, uint64_t now_ns)
{
    account(c, now_ns);
    c->waits_for = CUZK_JOB_RETURNING;
}

void cuzk_job_clock_stop(cuzk_job_clock *c, uint64_t now_ns)
{
    account(c, now_ns);
    c->is_stopped = true;
}

uint64_t cuzk_job_clock_spent(const cuzk_job_clock *c, cuzk_job_activity what, uint64_t now_ns)
{
    cuzk_job_clock copy = *c;
    account(&copy, now_ns);
    return copy.spent_ns[what];
}

uint64_t cuzk_job_clock_total(const cuzk_job_clock *c, uint64_t now_ns)
{
    uint64_t sum = 0;
    cuzk_job_clock copy = *c;
    account(&copy, now_ns);
    for (int a = 0; a < CUZK_JOB_ACTIVITIES; a++) {
        sum += copy.spent_ns[a];
    }
    return sum;
}
