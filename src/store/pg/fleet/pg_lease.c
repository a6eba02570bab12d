/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The jobs that this member has. */
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"

#include "pg_fleet.h"

pg_lease *pg_lease_find(pg_fleet *f, uint64_t number)
{
    for (size_t i = 0; i < f->n_leases; i++) { /* some dozens at most */
        if (f->leases[i].number == number) {
            return &f->leases[i];
        }
    }
    return NULL;
}

bool pg_fleet_lease(pg_store *s, uint64_t number, uint64_t *incarnation, uint64_t *fence)
{
    pg_fleet *f = s->fleet;
    (void)pthread_mutex_lock(&f->mutex);
    const pg_lease *l = pg_lease_find(f, number);
    const bool is_held = l != NULL && !l->is_lost;
    *incarnation = is_held ? l->incarnation : 0;
    *fence = is_held ? l->fence : 0;
    (void)pthread_mutex_unlock(&f->mutex);
    return is_held;
}

bool pg_fleet_add_lease(pg_store *s, uint64_t number, uint64_t incarnation, uint64_t fence)
{
    pg_fleet *f = s->fleet;
    bool ok = true;
    (void)pthread_mutex_lock(&f->mutex);
    pg_lease *l = pg_lease_find(f, number); /* one that was lost, and came again */
    if (l == NULL && f->n_leases == f->leases_room) {
        const size_t room = f->leases_room == 0 ? 16 : 2 * f->leases_room;
        pg_lease *more = cuzk_realloc(f->leases, room, sizeof(*more));
        ok = more != NULL;
        f->leases = ok ? more : f->leases;
        f->leases_room = ok ? room : f->leases_room;
    }
    if (ok && l == NULL) {
        l = &f->leases[f->n_leases++];
    }
    if (ok) {
        *l = (pg_lease){.number = number,
                        .incarnation = incarnation,
                        .fence = fence,
                        .since_ns = cuzk_clock_ns(),
                        .is_lost = incarnation != f->incarnation};
    }
    (void)pthread_mutex_unlock(&f->mutex);
    return ok;
}

bool pg_fleet_add_task(pg_store *s, uint64_t task, uint64_t job, uint64_t incarnation)
{
    pg_fleet *f = s->fleet;
    const bool ok = pg_fleet_add_lease(s, task, incarnation, task);
    (void)pthread_mutex_lock(&f->mutex);
    pg_lease *l = ok ? pg_lease_find(f, task) : NULL;
    if (l != NULL) {
        l->job = job;
    }
    (void)pthread_mutex_unlock(&f->mutex);
    return ok;
}

void pg_fleet_drop_lease(pg_store *s, uint64_t number)
{
    pg_fleet *f = s->fleet;
    (void)pthread_mutex_lock(&f->mutex);
    pg_lease *l = pg_lease_find(f, number);
    if (l != NULL) {
        *l = f->leases[--f->n_leases];
    }
    (void)pthread_mutex_unlock(&f->mutex);
}

bool pg_fleet_has_parts(pg_store *s, uint64_t number)
{
    pg_fleet *f = s->fleet;
    (void)pthread_mutex_lock(&f->mutex);
    const pg_lease *l = pg_lease_find(f, number);
    const bool has = l != NULL && l->has_parts;
    (void)pthread_mutex_unlock(&f->mutex);
    return has;
}

void pg_lease_lose_all(pg_fleet *f)
{
    for (size_t i = 0; i < f->n_leases; i++) {
        f->leases[i].is_lost = true;
    }
    f->changed = true;
    (void)pthread_cond_broadcast(&f->changed_cv);
}

void pg_lease_compare(pg_fleet *f, const uint64_t *held, size_t n, uint64_t sent_ns)
{
    for (size_t i = 0; i < f->n_leases; i++) {
        pg_lease *l = &f->leases[i];
        bool is_held = l->since_ns >= sent_ns;
        for (size_t k = 0; k < n && !is_held; k++) {
            is_held = held[k] == l->number;
        }
        if (!is_held) {
            l->is_lost = true;
            f->changed = true;
        }
    }
}
