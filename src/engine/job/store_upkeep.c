/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The store's periodic work, on a thread of its own: a slow disk delays no deadline. */
#include <time.h>

#include "base/clock.h"
#include "engine/job/accept_internal.h"

#define PRUNE_NS (60 * 1000 * MS_NS)
#define RETRY_NS (10 * 1000 * MS_NS)
/* difference between wall clock and steady clock above which the wall clock was set */
#define STEP_MS  (60 * 1000)

typedef struct upkeep {
    uint64_t prune_ns, retry_ns; /* next times */
    int64_t clocks_ms;           /* wall clock less steady clock at the last pruning */
    uint64_t no_age_until_ns;    /* the wall clock was set: nothing is too old before this time */
} upkeep;

/* Drops results beyond the limits of age and number. */
LOCKED static void prune(cuzk_engine *e, upkeep *u, uint64_t now)
{
    cuzk_err err = {.msg = ""};
    const uint64_t keep_ms = e->cfg.result_keep_ms, keep_count = e->cfg.result_keep_count;
    const int64_t wall = cuzk_engine_unix_ms(), clocks = wall - (int64_t)(now / MS_NS);
    const int64_t step = clocks - u->clocks_ms;
    if (step > STEP_MS ||
        step < -STEP_MS) { /* ages are not known: each result is kept for the whole time again */
        u->no_age_until_ns = now + keep_ms * MS_NS;
    }
    u->clocks_ms = clocks;
    const int64_t before = now < u->no_age_until_ns ? 0 : wall - (int64_t)keep_ms;
    cuzk_engine_unlock(e);
    const cuzk_status st = e->store.prune(e->store.arg, before, keep_count, &err);
    cuzk_engine_lock(e);
    if (st != CUZK_OK) {
        const char *const kv[] = {"why", err.msg, NULL};
        cuzk_engine_log(e, 0, "store.not_pruned", kv);
    }
}

/* Records ends that could not be recorded before, oldest first, until one fails again. */
LOCKED static void save_ends(cuzk_engine *e)
{
    for (job *j = e->jobs.first; j != NULL && e->jobs.n_unsaved != 0;) {
        if (!j->is_end_unsaved) {
            j = j->next;
            continue;
        }
        cuzk_job_record record;
        cuzk_err err = {.msg = ""};
        cuzk_job_fill_record(j, false, &record);
        j->pins++;
        cuzk_engine_unlock(e);
        cuzk_status st = e->store.finish(e->store.arg, &record, &err);
        /* shared queue: another daemon has the job, and that daemon's end counts */
        if (st == CUZK_E_EXISTS) {
            st = CUZK_OK;
        }
        cuzk_engine_lock(e);
        if (st == CUZK_OK) {
            cuzk_job_end_saved(e, j, st, NULL);
            cuzk_engine_log_job(e, 2, "job.stored", j, NULL, NULL);
        }
        cuzk_job_unpin(j);
        if (st != CUZK_OK) {
            return;
        }
        cuzk_jobs_forget_old(e);
        j = e->jobs.first; /* the list may have changed */
    }
}

void cuzk_store_loop(worker *w)
{
    cuzk_engine *e = w->e;
    upkeep u = {.prune_ns = 0};
    u.clocks_ms = cuzk_engine_unix_ms() - (int64_t)(cuzk_clock_ns() / MS_NS);
    cuzk_engine_lock(e);
    while (!e->stop) {
        const uint64_t now = cuzk_clock_ns();
        if (now >= u.prune_ns) {
            u.prune_ns = now + PRUNE_NS;
            prune(e, &u, now);
        } else if (e->jobs.n_unsaved != 0 && now >= u.retry_ns) {
            u.retry_ns = now + RETRY_NS;
            save_ends(e);
        } else {
            const uint64_t at =
                e->jobs.n_unsaved != 0 && u.retry_ns < u.prune_ns ? u.retry_ns : u.prune_ns;
            cuzk_engine_wait_until(e, &e->locks.store, at);
        }
    }
    /* the last try: jobs whose end is not recorded are proved again after the next start */
    save_ends(e);
    cuzk_engine_unlock(e);
}
