/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "queue_model.h"

#include <stdlib.h>
#include <string.h>

#include "fleet/member.h"

#include "test.h"

void model_init(queue_model *q, uint32_t n_jobs, uint64_t lease)
{
    memset(q, 0, sizeof(*q));
    q->lease = lease;
    q->n_jobs = n_jobs;
    q->jobs = calloc(n_jobs, sizeof(*q->jobs));
    q->members_room = 4096;
    q->members = calloc(q->members_room, sizeof(*q->members));
    CHECK(q->jobs != NULL && q->members != NULL);
    q->n_members = 1; /* 0 is nobody */
}

void model_free(queue_model *q)
{
    free(q->jobs);
    free(q->members);
}

static void free_dead(queue_model *q)
{
    for (uint32_t i = 0; i < q->n_jobs; i++) {
        model_job *j = &q->jobs[i];
        if (j->is_over || j->member == 0 || q->members[j->member].is_alive) {
            continue;
        }
        j->member = 0;
        j->deaths += j->is_started ? 1 : 0;
        if (j->is_started && j->deaths >= CUZK_FLEET_MAX_DEATHS) {
            j->is_over = j->is_set_aside = true;
            j->n_ends++;
            q->n_over++;
        }
        j->is_started = false;
        q->first_open = i < q->first_open ? i : q->first_open;
    }
}

uint64_t model_join(queue_model *q, uint32_t daemon)
{
    for (uint64_t i = 1; i < q->n_members; i++) {
        if (q->members[i].is_alive && q->members[i].daemon == daemon) {
            q->members[i].is_alive = false;
        }
    }
    if (q->n_members == q->members_room) {
        q->members_room *= 2;
        q->members = realloc(q->members, q->members_room * sizeof(*q->members));
        CHECK(q->members != NULL);
    }
    q->members[q->n_members] = (model_member){
        .is_alive = true, .daemon = daemon, .renewed = q->now, .lease_until = q->now + q->lease};
    free_dead(q);
    return q->n_members++;
}

bool model_renew(queue_model *q, uint64_t incarnation)
{
    model_member *m = &q->members[incarnation];
    if (m->is_alive) {
        m->renewed = q->now;
        m->lease_until = q->now + q->lease;
    }
    return m->is_alive;
}

void model_tidy(queue_model *q, uint64_t incarnation)
{
    const model_member *me = &q->members[incarnation];
    if (!me->is_alive || me->lease_until <= q->now) {
        return;
    }
    for (uint64_t i = 1; i < q->n_members; i++) {
        model_member *m = &q->members[i];
        if (m->is_alive && m->lease_until < q->now && i != incarnation) {
            CHECK(q->now - m->renewed > q->lease);
            m->is_alive = false;
            q->n_declared++;
        }
    }
    free_dead(q);
}

static bool is_before(const model_job *a, const model_job *b)
{
    if (a->class_base != b->class_base) {
        return a->class_base > b->class_base;
    }
    return a->due != b->due ? a->due < b->due : a->accepted < b->accepted;
}

bool model_claim(queue_model *q, uint64_t incarnation, uint32_t *job, uint64_t *fence)
{
    const model_member *me = &q->members[incarnation];
    uint32_t best = UINT32_MAX, first = UINT32_MAX;
    if (!me->is_alive || me->lease_until <= q->now) {
        return false;
    }
    for (uint32_t i = q->first_open; i < q->n_jobs; i++) {
        const model_job *j = &q->jobs[i];
        if (j->is_over || j->member != 0 || j->accepted > q->now) {
            continue;
        }
        first = first == UINT32_MAX ? i : first;
        if (best == UINT32_MAX || is_before(j, &q->jobs[best])) {
            best = i;
        }
        if (i - first > 64) { /* jobs come in order of age: enough for a test of leases */
            break;
        }
    }
    q->first_open = first == UINT32_MAX ? q->first_open : first;
    if (best == UINT32_MAX) {
        return false;
    }
    model_job *j = &q->jobs[best];
    j->member = incarnation;
    j->fence++;
    CHECK(j->fence > j->highest_fence); /* never the same number twice */
    j->highest_fence = j->fence;
    q->n_claims++;
    *job = best;
    *fence = j->fence;
    return true;
}

bool model_holds(const queue_model *q, uint32_t job, uint64_t incarnation, uint64_t fence)
{
    const model_job *j = &q->jobs[job];
    return !j->is_over && j->member == incarnation && j->fence == fence;
}

bool model_start(queue_model *q, uint32_t job, uint64_t incarnation, uint64_t fence)
{
    if (!model_holds(q, job, incarnation, fence)) {
        return false;
    }
    q->jobs[job].is_started = true;
    return true;
}

bool model_finish(queue_model *q, uint32_t job, uint64_t incarnation, uint64_t fence)
{
    model_job *j = &q->jobs[job];
    if (!model_holds(q, job, incarnation, fence)) {
        q->n_refused++;
        return false;
    }
    CHECK(j->fence == j->highest_fence);
    j->is_over = true;
    j->n_ends++;
    CHECK_U64(j->n_ends, 1);
    q->n_over++;
    return true;
}

void model_release(queue_model *q, uint32_t job, uint64_t incarnation, uint64_t fence)
{
    if (model_holds(q, job, incarnation, fence)) {
        q->jobs[job].member = 0;
        q->jobs[job].is_started = false;
        q->first_open = job < q->first_open ? job : q->first_open;
    }
}
