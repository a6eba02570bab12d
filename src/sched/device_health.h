/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_SCHED_DEVICE_HEALTH_H
#define CUZK_SCHED_DEVICE_HEALTH_H

/*
 * Whether a device may be given work. A state machine driven by what happened on it; time is an
 * argument.
 *
 *   GOOD -> QUARANTINED: its context is lost, work takes longer than the limit, or the
 *           third failure or second wrong proof in a row
 *   QUARANTINED -> PROBING: after the back-off, when nothing runs on it any more
 *   PROBING -> GOOD, or back with twice the back-off
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

#define CUZK_HEALTH_SLOTS      4
#define CUZK_HEALTH_ERRORS     3 /* in a row */
#define CUZK_HEALTH_WRONG      2
#define CUZK_HEALTH_FIRST_NS   (1000000000ull)
#define CUZK_HEALTH_LONGEST_NS (300 * 1000000000ull)

typedef enum cuzk_health_state {
    CUZK_HEALTH_GOOD = 0,
    CUZK_HEALTH_QUARANTINED = 1,
    CUZK_HEALTH_PROBING = 2
} cuzk_health_state;

typedef struct cuzk_health {
    cuzk_health_state state;
    uint64_t limit_ns;                    /* 0: no watchdog */
    uint64_t began_ns[CUZK_HEALTH_SLOTS]; /* 0: idle */
    uint32_t errors_in_row, wrong_in_row;
    uint64_t errors, quarantines; /* since the start */
    uint64_t first_ns, back_off_ns, until_ns;
} cuzk_health;

/** first_ns: the first back-off; 0: CUZK_HEALTH_FIRST_NS. */
void cuzk_health_init(cuzk_health *h, uint64_t limit_ns, uint64_t first_ns);
/** A device that is not there yet: as if it had just been lost. */
void cuzk_health_lost(cuzk_health *h, uint64_t now_ns);
bool cuzk_health_is_good(const cuzk_health *h);
void cuzk_health_begin(cuzk_health *h, uint32_t slot, uint64_t now_ns);
/** The work of a slot is over. True when the device is quarantined by this. */
bool cuzk_health_end(cuzk_health *h, uint32_t slot, cuzk_status st, uint64_t now_ns);
/** A proof made here verified, or did not. True when the device is quarantined by this. */
bool cuzk_health_verified(cuzk_health *h, bool is_right, uint64_t now_ns);
/** The watchdog: true when the device is quarantined by this. */
bool cuzk_health_tick(cuzk_health *h, uint64_t now_ns);
/** True once per back-off, when it is time to probe: then PROBING until cuzk_health_probed. */
bool cuzk_health_wants_probe(cuzk_health *h, uint64_t now_ns);
void cuzk_health_probed(cuzk_health *h, bool is_good, uint64_t now_ns);
/** Time of the next thing to look at (watchdog or probe); 0: none. */
uint64_t cuzk_health_wake_ns(const cuzk_health *h);

#endif /* CUZK_SCHED_DEVICE_HEALTH_H */
