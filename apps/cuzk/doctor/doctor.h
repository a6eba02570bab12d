/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_DOCTOR_H
#define CUZK_APPS_DOCTOR_H

/*
 * `cuzk doctor`: whether this machine can prove, and what to do next. Each part looks at one thing
 * and reports findings; nothing is changed.
 */
#include "apps/cuzk/app.h"
#include "apps/cuzk/remote/remote.h"
#include "config/config.h"

typedef enum finding {
    FINDING_GOOD,
    FINDING_NOTE,    /* works, and could be better */
    FINDING_PROBLEM, /* has to be mended */
} finding;

typedef struct doctor {
    app a;
    remote_opts remote;
    const char *config_path; /* NULL: the default, if it is there */
    bool no_proof;
    cuzk_config *config;
    char params[4096];         /* folder of the parameters */
    uint64_t smallest_winning; /* sector size whose WinningPoSt files are there; 0: none */
    bool daemon_runs;
    uint32_t notes, problems;
    char next[2][512]; /* the first action for a note, for a problem; "": none */
} doctor;

/** Reports one line: what was checked, its state, and a message. */
void doctor_say(doctor *d, finding f, const char *what, const char *fmt, ...) CUZK_PRINTF(4, 5);
/** The command to type next. The first one about a problem wins, else the first one about a note. */
void doctor_next(doctor *d, finding f, const char *fmt, ...) CUZK_PRINTF(3, 4);

void doctor_host(doctor *d);
void doctor_cards(doctor *d);
void doctor_config(doctor *d);
void doctor_params(doctor *d);
void doctor_store(doctor *d);
void doctor_clock(doctor *d);
/** Reaches the daemon, and has it make one WinningPoSt proof. */
void doctor_daemon(doctor *d);

#endif /* CUZK_APPS_DOCTOR_H */
