/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_STORE_PG_FLEET_PG_FLEET_H
#define CUZK_STORE_PG_FLEET_PG_FLEET_H

/* A member of a fleet: its lease, the jobs that it has, and the thread that looks after both. */
#include "fleet/member.h"
#include "store/pg/pg_internal.h"

/* A job that this member has, as far as it knows. */
typedef struct pg_lease {
    uint64_t number, incarnation, fence;
    uint64_t
        since_ns; /* when it was written down: a renewal that was sent before does not know it */
    bool is_lost, wants_cancel; /* orders that the engine has not taken yet */
    uint64_t
        job; /* of a task (number): the job whose partitions it has; 0: a lease on job number */
    bool has_parts; /* the job's partitions have rows of their own */
} pg_lease;

/* A claimed job whose input could not be read, and when it may be claimed again. */
typedef struct pg_later {
    uint64_t number, until_ns;
} pg_later;
#define PG_LATER 64

typedef struct pg_fleet {
    char name[CUZK_PG_MEMBER_NAME_BYTES], address[256], version[64];
    uint64_t lease_ms, age_ms, end_ms;
    void (*on_event)(void *arg, int level, const char *event, const char *text);
    void *on_event_arg;
    pg_store *store;
    uint64_t first_number;

    /* of the thread alone, but for the call that opens and the one that closes */
    pg_conn conn; /* its own: renewals do not wait for jobs that are being put */
    bool can_notify;
    bool is_unreachable;
    bool has_other_clock; /* said so */
    pthread_t thread;
    bool has_thread;
    int wake_fd;

    pthread_mutex_t mutex; /* what follows */
    pthread_cond_t changed_cv;
    cuzk_member state;
    uint64_t incarnation; /* 0: not joined */
    pg_lease *leases;     /* [n_leases] */
    size_t n_leases, leases_room;
    uint64_t claim_epoch; /* rises at the begin and at the end of a claim */
    bool changed, notify_wanted, stop, is_draining, is_replaced;
    uint64_t completed, failed;
    cuzk_queue_report report;
    bool uses_parts;          /* this member may have tasks */
    pg_later later[PG_LATER]; /* jobs that cannot be taken up just now */
    uint32_t next_later;
} pg_fleet;

/* --- pg_lease.c: under the mutex --- */

pg_lease *pg_lease_find(pg_fleet *f, uint64_t number);
/** What a renewal that was sent at sent_ns was told: jobs that are not in held [n] are lost. */
void pg_lease_compare(pg_fleet *f, const uint64_t *held, size_t n, uint64_t sent_ns);
void pg_lease_lose_all(pg_fleet *f);
/** Without the mutex. The partitions of a job of this member have rows. */
bool pg_fleet_has_parts(pg_store *s, uint64_t number);

/* --- pg_member.c: statements of a member --- */

typedef struct pg_joining {
    pg_fleet *f;
    uint64_t incarnation;
} pg_joining;
cuzk_status pg_join(pg_store *s, pg_conn *c, void *joining, bool is_again, cuzk_err *err);

typedef struct pg_renewal {
    pg_fleet *f;
    uint64_t incarnation;
    bool is_alive;
    bool is_replaced; /* not alive, because a daemon of the same name has joined */
    PGresult *jobs;   /* number, fence, cancel_asked; owned */
    bool with_tasks;
    PGresult *tasks; /* task, has partitions that are not proved; owned; NULL without with_tasks */
} pg_renewal;
cuzk_status pg_renew(pg_store *s, pg_conn *c, void *renewal, bool is_again, cuzk_err *err);

/** arg: the pg_fleet. Declares members dead (unless only_free), gives back what dead ones have, ages, removes old rows. */
cuzk_status pg_tidy(pg_store *s, pg_conn *c, void *fleet, bool is_again, cuzk_err *err);
cuzk_status pg_free_dead(pg_store *s, pg_conn *c, void *fleet, bool is_again, cuzk_err *err);
cuzk_status pg_leave(pg_store *s, pg_conn *c, void *fleet, bool is_again, cuzk_err *err);

void pg_fleet_event(const pg_fleet *f, int level, const char *event, const char *text);

/* --- pg_claim.c --- */

/** A job that cannot be taken up is not claimed for two seconds. The oldest entry is forgotten. */
void pg_fleet_put_off(pg_fleet *f, uint64_t number);
/** Jobs not to claim, of the caller and those that were put off: out [CUZK_CLAIM_EXCEPT + PG_LATER]. loaded: of the report. Returns the number. */
size_t pg_fleet_except(pg_fleet *f, uint64_t *out, const uint64_t *except, size_t n_except,
                       char loaded[sizeof(((cuzk_queue_report *)0)->loaded)]);
/** At the begin and at the end of a claim. */
void pg_fleet_count_claim(pg_fleet *f);

/* --- pg_part.c --- */

/** The tables have room for partitions. */
bool pg_has_parts(const pg_store *s);
/** cuzk_shared_queue's start and release, of a task. */
CUZK_NODISCARD cuzk_status pg_part_start(pg_store *s, uint64_t task, cuzk_err *err);
CUZK_NODISCARD cuzk_status pg_part_release(pg_store *s, uint64_t task, cuzk_err *err);
/** The job is over. */
void pg_part_drop(pg_store *s, uint64_t job);
/** Gives the partitions of dead members back, and removes those of jobs that are over. */
CUZK_NODISCARD cuzk_status pg_part_tidy(pg_store *s, pg_conn *c, cuzk_err *err);
/** Before the member leaves. */
CUZK_NODISCARD cuzk_status pg_part_leave(pg_store *s, pg_conn *c, uint64_t incarnation,
                                         cuzk_err *err);
/** The tasks of a member: number, and whether they have partitions that are not proved. */
CUZK_NODISCARD cuzk_status pg_part_held(pg_conn *c, uint64_t incarnation, PGresult **out,
                                        cuzk_err *err);
CUZK_NODISCARD cuzk_status pg_part_release_unknown(pg_conn *c, uint64_t incarnation, uint64_t task,
                                                   cuzk_err *err);

#endif /* CUZK_STORE_PG_FLEET_PG_FLEET_H */
