/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_SCHED_DEVICE_HEALTH_H
#define CUZK_SCHED_DEVICE_HEALTH_H

/*
 * Whether a device may be given work, and which circuits it may be given. A state machine driven by what
 * happened on the device; time is an argument.
 *
 *   GOOD -> QUARANTINED: its context is lost, work takes longer than the limit, or the third failure or
 *           second wrong proof in a row
 *   QUARANTINED -> PROBING: after the back-off, when nothing runs on it any more
 *   PROBING -> GOOD, or back with twice the back-off
 *
 * Every event is legal in every state, except that a probe ends only once. A period is the time between two
 * quarantines. Proofs are verified later than they are made: a proof of an earlier period counts as an
 * error, and decides nothing.
 *
 * Wrong proofs of one circuit only say little of the device: its parameters or its kernels may be bad. The
 * device is probed at once; when the probe passes, the circuit is set aside on this device, and the device
 * goes on with other circuits. A circuit whose proofs are wrong while those of others are right is set aside
 * without a probe. A circuit that is set aside is tried again after its own back-off. Of two circuits at
 * once, the device is at fault.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

#define CUZK_HEALTH_SLOTS         4
#define CUZK_HEALTH_LOAD_SLOT     CUZK_HEALTH_SLOTS /* of the load of a key */
#define CUZK_HEALTH_ERRORS        3                 /* in a row */
#define CUZK_HEALTH_WRONG         2
#define CUZK_HEALTH_LOAD_LIMITS   6 /* a load may take this many limits */
#define CUZK_HEALTH_FIRST_NS      (1000000000ull)
#define CUZK_HEALTH_LONGEST_NS    (300 * 1000000000ull)
#define CUZK_CIRCUIT_BACK_OFFS    10 /* a circuit's first back-off, in first back-offs of the device */
#define CUZK_HEALTH_NO_CIRCUIT    UINT32_MAX
#define CUZK_HEALTH_MANY_CIRCUITS (UINT32_MAX - 1)

typedef enum cuzk_health_state {
    CUZK_HEALTH_GOOD = 0,
    CUZK_HEALTH_QUARANTINED = 1,
    CUZK_HEALTH_PROBING = 2
} cuzk_health_state;

/** A circuit on a device. Zeros: nothing is known against it. */
typedef struct cuzk_circuit_health {
    uint32_t wrong_in_row;
    uint64_t period;      /* of the device, in which these were made */
    bool is_set_aside;    /* until a proof of it is right again */
    uint64_t until_ns;    /* while it is set aside: no work before this time */
    uint64_t back_off_ns; /* of the next time; 0: the first */
} cuzk_circuit_health;

typedef struct cuzk_health {
    cuzk_health_state state;
    uint64_t limit_ns;                        /* of a call; 0: no watchdog */
    uint64_t began_ns[CUZK_HEALTH_SLOTS + 1]; /* 0: idle */
    bool is_overdue[CUZK_HEALTH_SLOTS + 1];   /* reported by cuzk_health_tick */
    uint32_t errors_in_row, wrong_in_row;
    uint32_t wrong_of;            /* circuit of the wrong proofs in a row, or MANY_CIRCUITS */
    uint32_t suspect;             /* circuit that is set aside if the next probe passes */
    uint64_t errors, quarantines; /* since the start; quarantines: the number of the period */
    uint64_t first_ns, back_off_ns, until_ns;
} cuzk_health;

/** What a verified proof has changed. */
typedef enum cuzk_health_verdict {
    CUZK_HEALTH_UNCHANGED = 0,
    CUZK_HEALTH_QUARANTINES = 1, /* the device is quarantined by this */
    CUZK_HEALTH_SETS_ASIDE = 2   /* the circuit is set aside by this */
} cuzk_health_verdict;

/** first_ns: the first back-off; 0: CUZK_HEALTH_FIRST_NS. */
void cuzk_health_init(cuzk_health *h, uint64_t limit_ns, uint64_t first_ns);
/** A device that is not there yet: as if it had just been lost. */
void cuzk_health_lost(cuzk_health *h, uint64_t now_ns);
bool cuzk_health_is_good(const cuzk_health *h);
/** Work begins in an idle slot (CUZK_HEALTH_LOAD_SLOT: the load of a key). */
void cuzk_health_begin(cuzk_health *h, uint32_t slot, uint64_t now_ns);
/** The work of a slot is over. True when the device is quarantined by this. */
bool cuzk_health_end(cuzk_health *h, uint32_t slot, cuzk_status st, uint64_t now_ns);
/**
 * A proof that was made here in a period verified, or did not. circuits [n_circuits]: those of this device;
 * circuit: the proof's, an index.
 */
cuzk_health_verdict cuzk_health_verified(cuzk_health *h, cuzk_circuit_health *circuits,
                                         uint32_t n_circuits, uint32_t circuit, uint64_t period,
                                         bool is_right, uint64_t now_ns);
/**
 * The watchdog, in every state. Returns the slots (bits) whose work is overdue, each once per work.
 * *quarantined: the device is quarantined by this.
 */
uint32_t cuzk_health_tick(cuzk_health *h, bool *quarantined, uint64_t now_ns);
/** True once per back-off, when it is time to probe: then PROBING until cuzk_health_probed. */
bool cuzk_health_wants_probe(cuzk_health *h, uint64_t now_ns);
/** The probe is over. Returns the circuit that is set aside by this, or CUZK_HEALTH_NO_CIRCUIT. */
uint32_t cuzk_health_probed(cuzk_health *h, cuzk_circuit_health *circuits, bool is_good,
                            uint64_t now_ns);
/** Time of the next thing to look at (watchdog or probe); 0: none. */
uint64_t cuzk_health_wake_ns(const cuzk_health *h);

/** The circuit gets no work now. */
bool cuzk_circuit_is_set_aside(const cuzk_circuit_health *c, uint64_t now_ns);
/** Its parameters are others now: nothing is known against them. */
void cuzk_circuit_trust(cuzk_circuit_health *c);

#endif /* CUZK_SCHED_DEVICE_HEALTH_H */
