/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A member's thread: renewals, dead members, news of the queue. */
#include "pg_fleet.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"

#define NS_PER_MS        1000000u
#define DEFAULT_LEASE_MS 60000u
#define DEFAULT_AGE_MS   600000u
#define DEFAULT_END_MS   60000u
#define LEAVE_MS         3000u
#define CLOCK_MS         5000  /* a difference of the clocks that is said */
#define QUIET_MS         1000u /* between looks of a member that has been replaced */

void pg_fleet_event(const pg_fleet *f, int level, const char *event, const char *text)
{
    if (f->on_event != NULL) {
        f->on_event(f->on_event_arg, level, event, text);
    }
}

const char *cuzk_pg_member_name_fault(const char *name)
{
    const size_t n = strlen(name);
    if (n == 0 || n >= CUZK_PG_MEMBER_NAME_BYTES) {
        return "a member's name has 1 to 63 characters";
    }
    for (size_t i = 0; i < n; i++) {
        const char ch = name[i];
        if (!((ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') ||
              ch == '.' || ch == '-' || ch == '_')) {
            return "a member's name has letters, digits, '.', '-' and '_'";
        }
    }
    return NULL;
}

static void poke(const pg_fleet *f)
{
    const uint64_t one = 1;
    const ssize_t n = write(f->wake_fd, &one, sizeof(one));
    (void)n; /* full: it is awake */
}

/* --- the thread's own connection --- */

static void say_reachable(pg_fleet *f, cuzk_status st, const cuzk_err *err)
{
    if (st != CUZK_OK && !f->is_unreachable) {
        f->is_unreachable = true;
        pg_fleet_event(f, 1, "fleet.unreachable", err->msg);
    } else if (st == CUZK_OK && f->is_unreachable) {
        f->is_unreachable = false;
        pg_fleet_event(f, 2, "fleet.reachable", f->store->name);
    }
}

/* Once; the state machine says when again. */
static cuzk_status attempt(pg_fleet *f, pg_work work, void *arg)
{
    cuzk_err err = {.code = CUZK_OK};
    cuzk_status st = CUZK_OK;
    if (f->conn.pg == NULL) {
        st = pg_connect(f->store, &f->conn, &err);
        if (st == CUZK_OK) {
            const uint64_t third = f->lease_ms / 3;
            f->conn.answer_ms = third < f->conn.answer_ms ? third : f->conn.answer_ms;
            /* a database without LISTEN is polled */
            f->can_notify =
                pg_exec(&f->conn, NULL, "listen", "LISTEN cuzk_queue", NULL, NULL) == CUZK_OK;
        }
    }
    if (st == CUZK_OK) {
        st = work(f->store, &f->conn, arg, false, &err);
        if (st != CUZK_OK) {
            pg_disconnect(&f->conn);
        }
    }
    say_reachable(f, st, &err);
    return st;
}

static void set_changed(pg_fleet *f)
{
    (void)pthread_mutex_lock(&f->mutex);
    f->changed = true;
    (void)pthread_cond_broadcast(&f->changed_cv);
    (void)pthread_mutex_unlock(&f->mutex);
}

static void take_notices(pg_fleet *f)
{
    if (f->conn.pg == NULL) {
        return;
    }
    if (PQconsumeInput(f->conn.pg) == 0) {
        pg_disconnect(&f->conn);
        return;
    }
    bool any = false;
    for (PGnotify *n = PQnotifies(f->conn.pg); n != NULL; n = PQnotifies(f->conn.pg)) {
        PQfreemem(n);
        any = true;
    }
    if (any) {
        set_changed(f);
    }
}

/* --- what the state machine asks for --- */

static void join(pg_fleet *f)
{
    pg_joining t = {.f = f};
    char text[96];
    const uint64_t sent = cuzk_clock_ns();
    cuzk_status st = attempt(f, pg_join, &t);
    (void)pthread_mutex_lock(&f->mutex);
    if (st == CUZK_OK) {
        f->incarnation = t.incarnation;
        cuzk_member_done(&f->state, CUZK_MEMBER_JOIN, sent);
    } else {
        cuzk_member_failed(&f->state, CUZK_MEMBER_JOIN, cuzk_clock_ns());
    }
    (void)pthread_mutex_unlock(&f->mutex);
    if (st == CUZK_OK) {
        (void)snprintf(text, sizeof(text), "%s, incarnation %" PRIu64, f->name, t.incarnation);
        pg_fleet_event(f, 2, "fleet.joined", text);
        cuzk_ignore(attempt(f, pg_free_dead, f)); /* else the next look does it */
    }
}

/* Jobs that the database gives to this member, and that it does not know: the answer of a claim was lost. */
static void release_unknown(pg_fleet *f, uint64_t incarnation, const uint64_t *numbers,
                            const uint64_t *fences, size_t n)
{
    static const char sql[] = "UPDATE cuzk_job SET member = NULL, state = 0"
                              " WHERE number = $1 AND member = $2 AND fence = $3 AND state < 2";
    for (size_t i = 0; i < n && f->conn.pg != NULL; i++) {
        pg_params p = {.n = 0};
        pg_add_u64(&p, numbers[i]);
        pg_add_u64(&p, incarnation);
        pg_add_u64(&p, fences[i]);
        if (pg_exec(&f->conn, NULL, "release", sql, &p, NULL) != CUZK_OK) {
            pg_disconnect(&f->conn);
        }
    }
}

/* Compares what the database says with what this member knows. epoch: of claims, before the renewal was sent. */
static void take_renewal(pg_fleet *f, const pg_renewal *t, uint64_t sent, uint64_t epoch)
{
    const size_t n = (size_t)PQntuples(t->jobs);
    const size_t n_tasks = t->tasks != NULL ? (size_t)PQntuples(t->tasks) : 0;
    uint64_t *held = cuzk_alloc(3 * n + 2 * n_tasks, sizeof(*held));
    if (held == NULL) {
        return; /* the next renewal says the same */
    }
    uint64_t *unknown = held + n + n_tasks, *fences = unknown + n, *unknown_tasks = fences + n;
    size_t n_held = 0, n_unknown = 0, n_unknown_tasks = 0;
    (void)pthread_mutex_lock(&f->mutex);
    const bool no_claim = epoch == f->claim_epoch && epoch % 2 == 0;
    for (size_t i = 0; i < n; i++) {
        if (PQgetisnull(t->jobs, (int)i, 0) != 0) {
            continue; /* it has none */
        }
        const uint64_t number = pg_u64(t->jobs, (int)i, 0), fence = pg_u64(t->jobs, (int)i, 1);
        pg_lease *l = pg_lease_find(f, number);
        if (l != NULL && l->fence == fence) {
            held[n_held++] = number;
            l->wants_cancel = l->wants_cancel || pg_bool(t->jobs, (int)i, 2);
            f->changed = f->changed || l->wants_cancel;
        } else if (no_claim) {
            unknown[n_unknown] = number;
            fences[n_unknown++] = fence;
        }
    }
    for (size_t i = 0; i < n_tasks; i++) {
        const uint64_t task = pg_u64(t->tasks, (int)i, 0);
        if (pg_lease_find(f, task) != NULL) {
            held[n_held++] = task;
        } else if (no_claim && pg_bool(t->tasks, (int)i, 1)) {
            unknown_tasks[n_unknown_tasks++] = task;
        }
    }
    pg_lease_compare(f, held, n_held, sent);
    if (f->changed) {
        (void)pthread_cond_broadcast(&f->changed_cv);
    }
    (void)pthread_mutex_unlock(&f->mutex);
    release_unknown(f, t->incarnation, unknown, fences, n_unknown);
    for (size_t i = 0; i < n_unknown_tasks && f->conn.pg != NULL; i++) {
        if (pg_part_release_unknown(&f->conn, t->incarnation, unknown_tasks[i], NULL) != CUZK_OK) {
            pg_disconnect(&f->conn);
        }
    }
    cuzk_free(held);
}

static void lose(pg_fleet *f, bool is_replaced)
{
    (void)pthread_mutex_lock(&f->mutex);
    f->incarnation = 0;
    f->is_replaced = is_replaced;
    cuzk_member_lost(&f->state, cuzk_clock_ns());
    pg_lease_lose_all(f);
    (void)pthread_mutex_unlock(&f->mutex);
    if (is_replaced) {
        pg_fleet_event(f, 0, "fleet.replaced",
                       "another daemon has joined by the same name: this one takes no more jobs "
                       "from the queue; give it another store.member");
    } else {
        pg_fleet_event(
            f, 1, "fleet.lease_lost",
            "the lease was not renewed in time: the jobs of this daemon are others' now");
    }
}

/* Rows do not depend on it, but log and page of this host do. */
static void say_clock(pg_fleet *f)
{
    char text[160];
    const int64_t ahead = atomic_load(&f->store->clock_ahead_ms);
    const bool differs = ahead > CLOCK_MS || ahead < -CLOCK_MS;
    if (differs && !f->has_other_clock) {
        (void)snprintf(text, sizeof(text),
                       "this host's clock is %" PRId64 " s %s the database's: set it (NTP)",
                       (ahead < 0 ? -ahead : ahead) / 1000, ahead < 0 ? "behind" : "ahead of");
        pg_fleet_event(f, 1, "fleet.clock", text);
    }
    f->has_other_clock = differs;
}

static void renew(pg_fleet *f)
{
    pg_renewal t = {.f = f};
    (void)pthread_mutex_lock(&f->mutex);
    t.incarnation = f->incarnation;
    t.with_tasks = f->uses_parts && pg_has_parts(f->store);
    const uint64_t epoch = f->claim_epoch;
    (void)pthread_mutex_unlock(&f->mutex);
    const uint64_t sent = cuzk_clock_ns();
    const cuzk_status st = attempt(f, pg_renew, &t);
    if (st == CUZK_OK && !t.is_alive) {
        lose(f, t.is_replaced);
    } else {
        (void)pthread_mutex_lock(&f->mutex);
        if (st == CUZK_OK) {
            cuzk_member_done(&f->state, CUZK_MEMBER_RENEW, sent);
        } else {
            cuzk_member_failed(&f->state, CUZK_MEMBER_RENEW, cuzk_clock_ns());
        }
        (void)pthread_mutex_unlock(&f->mutex);
    }
    if (st == CUZK_OK && t.is_alive) {
        take_renewal(f, &t, sent, epoch);
        say_clock(f);
    }
    PQclear(t.jobs);
    PQclear(t.tasks);
}

static void tidy(pg_fleet *f)
{
    const uint64_t sent = cuzk_clock_ns();
    const cuzk_status st = attempt(f, pg_tidy, f);
    (void)pthread_mutex_lock(&f->mutex);
    if (st == CUZK_OK) {
        cuzk_member_done(&f->state, CUZK_MEMBER_TIDY, sent);
    } else {
        cuzk_member_failed(&f->state, CUZK_MEMBER_TIDY, cuzk_clock_ns());
    }
    (void)pthread_mutex_unlock(&f->mutex);
}

/* After some changes at one moment the others are told once. */
static void send_notice(pg_fleet *f)
{
    (void)pthread_mutex_lock(&f->mutex);
    const bool wanted = f->notify_wanted;
    f->notify_wanted = false;
    (void)pthread_mutex_unlock(&f->mutex);
    if (!wanted || !f->can_notify || f->conn.pg == NULL ||
        pg_exec(&f->conn, NULL, "notify", "NOTIFY cuzk_queue", NULL, NULL) == CUZK_OK) {
        return;
    }
    if (f->conn.fault == PG_FAULT_OTHER) {
        f->can_notify = false; /* the database has LISTEN in name only: it is polled */
    } else {
        pg_disconnect(&f->conn);
    }
}

static void idle(pg_fleet *f, uint64_t wake_ns)
{
    struct pollfd p[2] = {{.fd = f->wake_fd, .events = POLLIN}, {.fd = -1, .events = POLLIN}};
    const uint64_t now = cuzk_clock_ns();
    uint64_t count = 0;
    if (f->conn.pg != NULL) {
        p[1].fd = PQsocket(f->conn.pg);
    }
    const uint64_t ms = wake_ns > now ? (wake_ns - now) / NS_PER_MS + 1 : 0;
    const int rc = poll(p, 2, ms > 60000 ? 60000 : (int)ms);
    if (rc > 0 && p[0].revents != 0) {
        const ssize_t n = read(f->wake_fd, &count, sizeof(count));
        (void)n;
    }
    if (rc > 0 && p[1].revents != 0) {
        take_notices(f);
    }
}

static void *run(void *arg)
{
    pg_fleet *f = arg;
    cuzk_ignore(attempt(f, pg_free_dead, f)); /* connected from the beginning: news come */
    for (;;) {
        uint64_t wake = 0;
        (void)pthread_mutex_lock(&f->mutex);
        const uint64_t now = cuzk_clock_ns();
        const bool stop = f->stop;
        cuzk_member_act act = cuzk_member_next(&f->state, now, &wake);
        if (f->is_replaced) {
            act = CUZK_MEMBER_WAIT;
            wake = now + QUIET_MS * NS_PER_MS;
        }
        (void)pthread_mutex_unlock(&f->mutex);
        if (stop) {
            return NULL;
        }
        switch (act) {
        case CUZK_MEMBER_JOIN: join(f); break;
        case CUZK_MEMBER_RENEW: renew(f); break;
        case CUZK_MEMBER_TIDY: tidy(f); break;
        case CUZK_MEMBER_WAIT: idle(f, wake); break;
        }
        send_notice(f);
        take_notices(f); /* that came with answers */
    }
}

/* --- for the others --- */

uint64_t pg_fleet_may_start(pg_store *s)
{
    pg_fleet *f = s->fleet;
    (void)pthread_mutex_lock(&f->mutex);
    const bool may = f->incarnation != 0 && !f->is_draining && !f->stop &&
                     cuzk_member_may_start(&f->state, cuzk_clock_ns());
    const uint64_t incarnation = may ? f->incarnation : 0;
    (void)pthread_mutex_unlock(&f->mutex);
    return incarnation;
}

uint64_t pg_fleet_first_number(pg_store *s)
{
    return s->fleet->first_number;
}

uint64_t pg_fleet_end_ms(const pg_store *s)
{
    return s->fleet == NULL ? s->retry_ms : s->fleet->end_ms;
}

const char *pg_fleet_name(const pg_store *s)
{
    return s->fleet == NULL ? "" : s->fleet->name;
}

void pg_fleet_notify(pg_store *s)
{
    pg_fleet *f = s->fleet;
    (void)pthread_mutex_lock(&f->mutex);
    f->notify_wanted = true;
    f->changed = true;
    (void)pthread_cond_broadcast(&f->changed_cv);
    (void)pthread_mutex_unlock(&f->mutex);
    poke(f);
}

void pg_fleet_count_end(pg_store *s, bool is_completed)
{
    pg_fleet *f = s->fleet;
    (void)pthread_mutex_lock(&f->mutex);
    f->completed += is_completed ? 1 : 0;
    f->failed += is_completed ? 0 : 1;
    (void)pthread_mutex_unlock(&f->mutex);
}

void pg_fleet_report(pg_store *s, const cuzk_queue_report *what)
{
    pg_fleet *f = s->fleet;
    (void)pthread_mutex_lock(&f->mutex);
    const bool is_new = f->report.places != what->places || f->report.devices != what->devices ||
                        f->report.healthy != what->healthy ||
                        strcmp(f->report.loaded, what->loaded) != 0;
    if (is_new) {
        f->report = *what;
        cuzk_member_hurry(&f->state, cuzk_clock_ns());
    }
    (void)pthread_mutex_unlock(&f->mutex);
    if (is_new) {
        poke(f);
    }
}

/* --- birth and death --- */

static cuzk_status init(pg_fleet *f, pg_store *s, const cuzk_pg_member *config, cuzk_err *err)
{
    const char *why = cuzk_pg_member_name_fault(config->name);
    if (why != NULL) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "store.member \"%.100s\": %s", config->name, why);
    }
    f->store = s;
    f->lease_ms = config->lease_ms == 0 ? DEFAULT_LEASE_MS : config->lease_ms;
    f->age_ms = config->age_ms == 0 ? DEFAULT_AGE_MS : config->age_ms;
    f->end_ms = config->end_ms == 0 ? DEFAULT_END_MS : config->end_ms;
    f->on_event = config->on_event;
    f->on_event_arg = config->on_event_arg;
    (void)snprintf(f->name, sizeof(f->name), "%s", config->name);
    (void)snprintf(f->address, sizeof(f->address), "%s",
                   config->address == NULL ? "" : config->address);
    (void)snprintf(f->version, sizeof(f->version), "%s",
                   config->version == NULL ? "" : config->version);
    const cuzk_member_times times = cuzk_member_times_of(f->lease_ms * NS_PER_MS);
    cuzk_member_init(&f->state, &times, cuzk_clock_ns());
    f->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (f->wake_fd < 0) {
        const int os = errno;
        return CUZK_FAIL_OS(err, CUZK_E_IO, os, "no descriptor for the member's thread");
    }
    return CUZK_OK;
}

static bool init_locks(pg_fleet *f)
{
    pthread_condattr_t attr;
    bool ok = pthread_mutex_init(&f->mutex, NULL) == 0;
    ok = ok && pthread_condattr_init(&attr) == 0;
    ok = ok && pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0 &&
         pthread_cond_init(&f->changed_cv, &attr) == 0;
    (void)pthread_condattr_destroy(&attr);
    return ok;
}

cuzk_status pg_fleet_open(pg_store *s, const cuzk_pg_member *config, cuzk_err *err)
{
    pg_fleet *f = cuzk_alloc_zero(1, sizeof(*f));
    if (f == NULL || !init_locks(f)) {
        cuzk_free(f);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a member of a fleet");
    }
    f->wake_fd = -1;
    s->fleet = f; /* pg_store_free frees it */
    CUZK_TRY(init(f, s, config, err));
    pg_joining t = {.f = f};
    CUZK_TRY(pg_run(s, pg_join, &t, err));
    CUZK_TRY(pg_run(s, pg_free_dead, f, err)); /* of the daemon of this name that went before */
    f->incarnation = t.incarnation;
    f->first_number = t.incarnation << 32 | 1;
    cuzk_member_done(&f->state, CUZK_MEMBER_JOIN, cuzk_clock_ns());
    const int failed = pthread_create(&f->thread, NULL, run, f);
    if (failed != 0) {
        return CUZK_FAIL_OS(err, CUZK_E_NOMEM, failed, "cannot start a thread");
    }
    f->has_thread = true;
    char text[96];
    (void)snprintf(text, sizeof(text), "%s, incarnation %" PRIu64, f->name, t.incarnation);
    pg_fleet_event(f, 2, "fleet.joined", text);
    return CUZK_OK;
}

void pg_fleet_close(pg_store *s)
{
    pg_fleet *f = s->fleet;
    if (f == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&f->mutex);
    f->stop = true;
    (void)pthread_mutex_unlock(&f->mutex);
    if (f->has_thread) {
        poke(f);
        (void)pthread_join(f->thread, NULL);
    }
    if (f->incarnation != 0) { /* else, or when this fails, the lease ends by itself */
        cuzk_ignore(pg_run_for(s, LEAVE_MS, pg_leave, f, NULL));
    }
    pg_disconnect(&f->conn);
    if (f->wake_fd >= 0) {
        (void)close(f->wake_fd);
    }
    cuzk_free(f->leases);
    (void)pthread_cond_destroy(&f->changed_cv);
    (void)pthread_mutex_destroy(&f->mutex);
    cuzk_free(f);
    s->fleet = NULL;
}
