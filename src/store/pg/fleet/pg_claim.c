/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What a shared queue does in addition (cuzk_shared_queue). */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"

#include "pg_fleet.h"

#define MAX_CLAIM  64u
#define MAX_ASKED  512u
#define LATER_NS   (2 * UINT64_C(1000000000))
#define MAX_EXCEPT (CUZK_CLAIM_EXCEPT + PG_LATER)

/* --- claim --- */

typedef struct claiming {
    uint64_t incarnation, n;
    uint64_t except[MAX_EXCEPT];
    size_t n_except;
    char loaded[sizeof(((cuzk_queue_report *)0)->loaded)];
    pg_row rows[MAX_CLAIM];
    uint64_t fences[MAX_CLAIM];
    size_t n_rows; /* of them: broken ones too, which have a number alone */
} claiming;

static void free_rows(claiming *t)
{
    for (size_t i = 0; i < t->n_rows; i++) {
        pg_row_free(&t->rows[i]);
    }
    t->n_rows = 0;
}

static cuzk_status claim_work(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err)
{
    /*
     * A member that has been declared dead claims nothing: FOR SHARE waits for who is declaring it so. Of the first
     * jobs by class, deadline, share and age those of loaded circuits go before others, for which the minute until
     * their turn comes is theirs. A WinningPoSt waits a moment for a member that is faster than this one by half.
     * An input that another daemon keeps needs that daemon.
     */
    static const char sql[] =
        "WITH me AS (SELECT incarnation, name FROM cuzk_member WHERE incarnation = $1 AND is_alive"
        "  AND lease_until > now() FOR SHARE),"
        " first AS (SELECT number, class, due_ms, share_tag, accepted_at,"
        "   circuit <> '' AND position(' ' || circuit || ' ' IN $4) = 0"
        "    AND accepted_at > now() - interval '1 minute' AS is_strange"
        "  FROM cuzk_job j WHERE state = 0 AND member IS NULL AND NOT number = ANY ($3)"
        "  AND (input_place <> 2 OR EXISTS (SELECT 1 FROM cuzk_member k"
        "   WHERE k.name = j.input_keeper AND k.is_alive AND k.lease_until > now()))"
        "  AND (kind <> 4 OR accepted_at < now() - interval '300 milliseconds' OR NOT EXISTS"
        "   (SELECT 1 FROM cuzk_pace p JOIN cuzk_pace o ON o.circuit = p.circuit"
        "    AND o.member = (SELECT name FROM me) WHERE p.circuit = j.circuit AND 3 * p.ms < 2 * o.ms"
        "    AND EXISTS (SELECT 1 FROM cuzk_member f WHERE f.name = p.member AND f.is_alive"
        "     AND NOT f.is_draining AND f.lease_until > now())))"
        "  ORDER BY class DESC, due_ms, share_tag, accepted_at, number LIMIT $2 + 64),"
        " best AS (SELECT j.number FROM cuzk_job j JOIN first USING (number)"
        "  WHERE j.state = 0 AND j.member IS NULL AND EXISTS (SELECT 1 FROM me)"
        "  ORDER BY first.class DESC, first.due_ms, is_strange, first.share_tag, first.accepted_at,"
        "   number LIMIT $2 FOR UPDATE OF j SKIP LOCKED)"
        " UPDATE cuzk_job SET member = $1, fence = fence + 1, claimed_at = now()"
        " WHERE number IN (SELECT number FROM best)"
        " RETURNING " PG_COLUMNS ", fence";
    claiming *t = arg;
    char except[22 * MAX_EXCEPT + 3];
    pg_params p = {.n = 0};
    PGresult *r = NULL;
    (void)is_again; /* what an answer that was lost has claimed is released by the next renewal */
    free_rows(t);
    pg_add_u64(&p, t->incarnation);
    pg_add_u64(&p, t->n);
    pg_add_array(&p, t->except, t->n_except, except, sizeof(except));
    pg_add_text(&p, t->loaded);
    CUZK_TRY(pg_exec(c, &r, "claim", sql, &p, err));
    cuzk_status st = CUZK_OK;
    c->fault = PG_FAULT_OTHER;
    for (int i = 0; i < PQntuples(r) && st == CUZK_OK && t->n_rows < MAX_CLAIM; i++) {
        pg_row *row = &t->rows[t->n_rows];
        t->fences[t->n_rows] = pg_u64(r, i, PQnfields(r) - 1);
        st = pg_row_copy(row, s, r, i, err);
        t->n_rows++;
        st = st == CUZK_E_FORMAT ? CUZK_OK : st; /* found again when its input is read */
    }
    PQclear(r);
    return st;
}

static cuzk_status input_work(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err)
{
    pg_row *row = arg;
    (void)s;
    (void)is_again;
    cuzk_free(row->proofs);
    cuzk_free(row->input);
    row->proofs = NULL;
    row->input = NULL;
    return pg_row_read_input(row, s, c, err);
}

static cuzk_status release(void *arg, uint64_t number, cuzk_err *err);

void pg_fleet_put_off(pg_fleet *f, uint64_t number)
{
    (void)pthread_mutex_lock(&f->mutex);
    f->later[f->next_later] = (pg_later){number, cuzk_clock_ns() + LATER_NS};
    f->next_later = (f->next_later + 1) % PG_LATER;
    (void)pthread_mutex_unlock(&f->mutex);
}

size_t pg_fleet_except(pg_fleet *f, uint64_t *out, const uint64_t *except, size_t n_except,
                       char loaded[sizeof(((cuzk_queue_report *)0)->loaded)])
{
    const uint64_t now = cuzk_clock_ns();
    size_t n = 0;
    for (; n < n_except && n < CUZK_CLAIM_EXCEPT; n++) {
        out[n] = except[n];
    }
    (void)pthread_mutex_lock(&f->mutex);
    for (size_t i = 0; i < PG_LATER; i++) {
        if (f->later[i].until_ns > now) {
            out[n++] = f->later[i].number;
        }
    }
    memcpy(loaded, f->report.loaded, sizeof(f->report.loaded));
    (void)pthread_mutex_unlock(&f->mutex);
    return n;
}

/* Reads the input of a claimed job and gives it away. */
static cuzk_status give_claimed(pg_store *s, pg_row *row, pg_each each, void *each_arg,
                                cuzk_err *err)
{
    cuzk_err why = {.code = CUZK_OK};
    const cuzk_status st = pg_run(s, input_work, row, &why);
    if (st == CUZK_OK) {
        each(each_arg, &row->job.record);
        return CUZK_OK;
    }
    if (pg_is_lost(st)) {
        const cuzk_status ended = pg_end_lost(s, &row->job.record, why.msg, err);
        return ended == CUZK_E_EXISTS ? CUZK_OK : ended; /* another member has the job by now */
    }
    pg_fleet_put_off(s->fleet, row->job.record.number); /* others may be able to read it */
    cuzk_ignore(release(s, row->job.record.number, NULL));
    if (err != NULL) {
        *err = why;
    }
    return st;
}

void pg_fleet_count_claim(pg_fleet *f)
{
    (void)pthread_mutex_lock(&f->mutex);
    f->claim_epoch++;
    (void)pthread_mutex_unlock(&f->mutex);
}

/* @thread one at a time */
static cuzk_status claim(void *arg, uint32_t n, const uint64_t *except, size_t n_except,
                         pg_each each, void *each_arg, cuzk_err *err)
{
    pg_store *s = arg;
    cuzk_status st = CUZK_OK, failed = CUZK_OK;
    const uint64_t incarnation = pg_fleet_may_start(s);
    if (incarnation == 0 || n == 0) {
        return CUZK_OK;
    }
    claiming *t = cuzk_alloc_zero(1, sizeof(*t));
    if (t == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a claim");
    }
    t->incarnation = incarnation;
    t->n = n < MAX_CLAIM ? n : MAX_CLAIM;
    t->n_except = pg_fleet_except(s->fleet, t->except, except, n_except, t->loaded);
    pg_fleet_count_claim(s->fleet);
    st = pg_run(s, claim_work, t, err);
    for (size_t i = 0; i < t->n_rows && st == CUZK_OK; i++) {
        (void)pg_fleet_add_lease(s, t->rows[i].job.record.number, incarnation, t->fences[i]);
    }
    pg_fleet_count_claim(s->fleet);
    for (size_t i = 0; i < t->n_rows && st == CUZK_OK; i++) {
        cuzk_err why = {.code = CUZK_OK};
        const cuzk_status given = give_claimed(s, &t->rows[i], each, each_arg, &why);
        if (given != CUZK_OK && failed == CUZK_OK && err != NULL) {
            *err = why;
        }
        failed = failed == CUZK_OK ? given : failed; /* the others are given all the same */
    }
    st = st == CUZK_OK ? failed : st;
    free_rows(t);
    cuzk_free(t);
    return st;
}

/* --- one job --- */

static bool is_task(pg_fleet *f, uint64_t number)
{
    (void)pthread_mutex_lock(&f->mutex);
    const pg_lease *l = pg_lease_find(f, number);
    const bool is = l != NULL && l->job != 0;
    (void)pthread_mutex_unlock(&f->mutex);
    return is;
}

typedef struct one_job {
    uint64_t number, incarnation, fence;
    bool is_mine, is_cancelled;
} one_job;

static cuzk_status start_work(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err)
{
    static const char sql[] =
        "UPDATE cuzk_job SET state = 1, started_at = now()"
        " WHERE number = $1 AND member = $2 AND fence = $3 AND state < 2 RETURNING cancel_asked";
    one_job *t = arg;
    pg_params p = {.n = 0};
    PGresult *r = NULL;
    (void)s;
    (void)is_again;
    pg_add_u64(&p, t->number);
    pg_add_u64(&p, t->incarnation);
    pg_add_u64(&p, t->fence);
    CUZK_TRY(pg_exec(c, &r, "start", sql, &p, err));
    t->is_mine = PQntuples(r) == 1;
    t->is_cancelled = t->is_mine && pg_bool(r, 0, 0);
    PQclear(r);
    return CUZK_OK;
}

static cuzk_status start(void *arg, uint64_t number, cuzk_err *err)
{
    pg_store *s = arg;
    one_job t = {.number = number};
    if (is_task(s->fleet, number)) {
        return pg_part_start(s, number, err);
    }
    if (pg_fleet_lease(s, number, &t.incarnation, &t.fence)) {
        CUZK_TRY(pg_run(s, start_work, &t, err));
    }
    if (t.is_cancelled) {
        return CUZK_FAIL(err, CUZK_E_CANCELLED, "cancelled");
    }
    return t.is_mine
               ? CUZK_OK
               : CUZK_FAIL(err, CUZK_E_EXISTS, "job store %s: the lease on job %" PRIu64 " is lost",
                           s->name, number);
}

static cuzk_status release_work(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err)
{
    static const char sql[] = "UPDATE cuzk_job SET member = NULL, state = 0"
                              " WHERE number = $1 AND member = $2 AND fence = $3 AND state < 2";
    const one_job *t = arg;
    pg_params p = {.n = 0};
    (void)s;
    (void)is_again;
    pg_add_u64(&p, t->number);
    pg_add_u64(&p, t->incarnation);
    pg_add_u64(&p, t->fence);
    return pg_exec(c, NULL, "release", sql, &p, err);
}

static cuzk_status release(void *arg, uint64_t number, cuzk_err *err)
{
    pg_store *s = arg;
    one_job t = {.number = number};
    if (is_task(s->fleet, number)) {
        return pg_part_release(s, number, err);
    }
    if (!pg_fleet_lease(s, number, &t.incarnation, &t.fence)) {
        pg_fleet_drop_lease(s, number);
        return CUZK_OK;
    }
    /* known no more from here on: when this fails, the next renewal releases it */
    pg_fleet_drop_lease(s, number);
    CUZK_TRY(pg_run(s, release_work, &t, err));
    pg_fleet_notify(s);
    return CUZK_OK;
}

static cuzk_status cancel_work(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err)
{
    static const char sql[] =
        "WITH u AS (UPDATE cuzk_job SET cancel_asked = true,"
        "  state = CASE WHEN member IS NULL THEN 4 ELSE state END,"
        "  ended_ms = CASE WHEN member IS NULL THEN $2 ELSE ended_ms END,"
        "  code = CASE WHEN member IS NULL THEN $3 ELSE code END,"
        "  error = CASE WHEN member IS NULL THEN $4 ELSE error END"
        "  WHERE number = $1 AND state < 2 RETURNING number, state)"
        " DELETE FROM cuzk_input WHERE number IN (SELECT number FROM u WHERE state = 4)";
    const one_job *t = arg;
    pg_params p = {.n = 0};
    (void)is_again;
    pg_add_u64(&p, t->number);
    pg_add_u64(&p, (uint64_t)pg_clock_to_database(s, pg_clock_now_ms()));
    pg_add_u64(&p, (uint64_t)(int64_t)CUZK_E_CANCELLED);
    pg_add_text(&p, "environment: cancelled");
    return pg_exec(c, NULL, "cancel", sql, &p, err);
}

static cuzk_status cancel(void *arg, uint64_t number, cuzk_err *err)
{
    pg_store *s = arg;
    one_job t = {.number = number};
    CUZK_TRY(pg_run(s, cancel_work, &t, err));
    pg_fleet_notify(s);
    return CUZK_OK;
}

static bool is_held(void *arg, uint64_t number)
{
    uint64_t incarnation = 0, fence = 0;
    return pg_fleet_lease(arg, number, &incarnation, &fence);
}

static cuzk_status get(void *arg, uint64_t number, pg_each each, void *each_arg, cuzk_err *err)
{
    return pg_find_number(arg, number, each, each_arg, err);
}

/* --- several jobs --- */

static void take_orders(void *arg,
                        void (*each)(void *each_arg, uint64_t number, cuzk_job_order order),
                        void *each_arg)
{
    pg_fleet *f = ((pg_store *)arg)->fleet;
    for (;;) {
        pg_lease found = {.number = 0};
        (void)pthread_mutex_lock(&f->mutex);
        for (size_t i = 0; i < f->n_leases && found.number == 0; i++) {
            pg_lease *l = &f->leases[i];
            if (l->is_lost) {
                found = *l;
                *l = f->leases[--f->n_leases];
            } else if (l->wants_cancel) {
                found = *l;
                l->wants_cancel = false;
            }
        }
        (void)pthread_mutex_unlock(&f->mutex);
        if (found.number == 0) {
            return;
        }
        each(each_arg, found.number, found.is_lost ? CUZK_JOB_ORDER_DROP : CUZK_JOB_ORDER_CANCEL);
    }
}

typedef struct asking {
    const uint64_t *numbers;
    size_t n;
    PGresult *r; /* owned */
} asking;

static cuzk_status ended_work(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err)
{
    asking *t = arg;
    char text[22 * MAX_ASKED + 3];
    pg_params p = {.n = 0};
    (void)s;
    (void)is_again;
    pg_add_array(&p, t->numbers, t->n, text, sizeof(text));
    return pg_exec(c, &t->r, "look",
                   "SELECT n FROM unnest($1) AS n LEFT JOIN cuzk_job j ON j.number = n"
                   " WHERE j.number IS NULL OR j.state >= 2",
                   &p, err);
}

static cuzk_status ended(void *arg, const uint64_t *numbers, size_t n,
                         void (*each)(void *each_arg, uint64_t number), void *each_arg,
                         cuzk_err *err)
{
    for (size_t at = 0; at < n; at += MAX_ASKED) {
        asking t = {.numbers = numbers + at, .n = n - at < MAX_ASKED ? n - at : MAX_ASKED};
        CUZK_TRY(pg_run(arg, ended_work, &t, err));
        for (int i = 0; i < PQntuples(t.r); i++) {
            each(each_arg, pg_u64(t.r, i, 0));
        }
        PQclear(t.r);
    }
    return CUZK_OK;
}

/* --- news --- */

static void wait(void *arg, uint64_t ms)
{
    pg_fleet *f = ((pg_store *)arg)->fleet;
    const uint64_t end = cuzk_clock_ns() + ms * 1000000u;
    const struct timespec t = {.tv_sec = (time_t)(end / 1000000000u),
                               .tv_nsec = (long)(end % 1000000000u)};
    (void)pthread_mutex_lock(&f->mutex);
    while (!f->changed) {
        if (pthread_cond_timedwait(&f->changed_cv, &f->mutex, &t) != 0) {
            break;
        }
    }
    f->changed = false;
    (void)pthread_mutex_unlock(&f->mutex);
}

static void wake(void *arg)
{
    pg_fleet *f = ((pg_store *)arg)->fleet;
    (void)pthread_mutex_lock(&f->mutex);
    f->changed = true;
    (void)pthread_cond_broadcast(&f->changed_cv);
    (void)pthread_mutex_unlock(&f->mutex);
}

static void drain(void *arg)
{
    pg_fleet *f = ((pg_store *)arg)->fleet;
    (void)pthread_mutex_lock(&f->mutex);
    f->is_draining = true;
    (void)pthread_mutex_unlock(&f->mutex);
}

static void report(void *arg, const cuzk_queue_report *what)
{
    pg_fleet_report(arg, what);
}

const cuzk_shared_queue pg_shared_queue = {.claim = claim,
                                           .start = start,
                                           .release = release,
                                           .cancel = cancel,
                                           .is_held = is_held,
                                           .take_orders = take_orders,
                                           .ended = ended,
                                           .get = get,
                                           .wait = wait,
                                           .wake = wake,
                                           .drain = drain,
                                           .report = report,
                                           .parts = &pg_shared_parts};
