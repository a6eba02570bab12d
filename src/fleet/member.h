/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_FLEET_MEMBER_H
#define CUZK_FLEET_MEMBER_H

/*
 * What one daemon of a fleet does about its lease, as a state machine: no clock, no threads, no database.
 * The owner asks for the next action, does it, and says how it went. Times are cuzk_clock_ns
 * times, those of sending: the database counts a lease from a later moment, so this side never believes
 * in a lease that the others believe to be over.
 *
 *   - A member renews its lease often, and is told by the renewal when it has been declared dead. Then
 *     everything that it held is lost, and it joins again as a new member.
 *   - While the lease may be over (no renewal has succeeded for as long as it lasts), it starts no job. What
 *     it proves goes on: the fencing number decides whether the result is kept.
 *   - It declares others dead only after it has itself been in touch with the database for a whole
 *     lease: after an outage of the database everybody has that long to renew, and nobody loses work
 *     by it.
 */
#include <stdbool.h>
#include <stdint.h>

typedef struct cuzk_member_times {
    uint64_t lease_ns;
    uint64_t renew_ns; /* from one renewal to the next; at most a third of the lease */
    uint64_t retry_ns; /* after one that failed */
    uint64_t tidy_ns;  /* from one look for dead members and old jobs to the next */
} cuzk_member_times;

/** The usual ones for a lease: renewals at a sixth of it, tries at a thirtieth, tidying at a third. */
cuzk_member_times cuzk_member_times_of(uint64_t lease_ns);

typedef enum cuzk_member_act {
    CUZK_MEMBER_WAIT = 0, /* nothing until wake_ns */
    CUZK_MEMBER_JOIN,
    CUZK_MEMBER_RENEW,
    CUZK_MEMBER_TIDY /* declare dead whose lease is over, give their jobs back to the queue */
} cuzk_member_act;

typedef struct cuzk_member {
    cuzk_member_times times;
    bool is_joined;
    bool is_in_touch; /* the last call succeeded */
    uint64_t
        touch_ns; /* since when: the sending of the first call that succeeded after one that failed */
    uint64_t renewed_ns; /* the sending of the last renewal (or joining) that succeeded */
    uint64_t next_ns;    /* of joining or renewing */
    uint64_t next_tidy_ns;
} cuzk_member;

/** A daemon that joins at once. */
void cuzk_member_init(cuzk_member *m, const cuzk_member_times *times, uint64_t now_ns);
/** What to do now. *wake_ns: when to ask again at the latest, for WAIT. */
cuzk_member_act cuzk_member_next(const cuzk_member *m, uint64_t now_ns, uint64_t *wake_ns);
/** act, sent at sent_ns, succeeded. */
void cuzk_member_done(cuzk_member *m, cuzk_member_act act, uint64_t sent_ns);
/** It failed: the database could not be reached, or refused. */
void cuzk_member_failed(cuzk_member *m, cuzk_member_act act, uint64_t now_ns);
/** A renewal was answered: others have declared this member dead. All its jobs are lost. */
void cuzk_member_lost(cuzk_member *m, uint64_t now_ns);
/** Renews at once: what the others see of the member has changed. */
void cuzk_member_hurry(cuzk_member *m, uint64_t now_ns);
/** True while jobs may be claimed and started. */
bool cuzk_member_may_start(const cuzk_member *m, uint64_t now_ns);

/**
 * How many jobs to claim: so many that the daemon always has one waiting for each place where a job is
 * worked on, and no more, for what waits here could be started elsewhere. n_waiting: claimed and not
 * started. n_places: jobs that are worked on at once.
 */
uint32_t cuzk_member_room(uint32_t n_places, uint32_t n_running, uint32_t n_waiting);

/** Members that died while they proved a job before that job is set aside. */
#define CUZK_FLEET_MAX_DEATHS 3

#endif /* CUZK_FLEET_MEMBER_H */
