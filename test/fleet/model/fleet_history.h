/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_FLEET_MODEL_FLEET_HISTORY_H
#define CUZK_TEST_FLEET_MODEL_FLEET_HISTORY_H

/*
 * Every change of cuzk_job in the schema of the running case, written down by a trigger of the test, and checked
 * afterwards by the rules alone:
 *   - a job ends at most once, and after its end nothing changes;
 *   - a job is claimed from nobody, and each claim has a fencing number one higher than the last;
 *   - a result is written by the holder of the last fencing number; a job that nobody holds ends only
 *     by being cancelled; a job that a dead member holds ends only by being set aside, after three deaths;
 *   - the input is there as long as the job is not over, and not longer.
 */
#include <stdint.h>

/** After the store has made its tables. */
void history_begin(void);

typedef struct history_sums {
    uint64_t jobs, ended, claims, set_aside, cancelled;
} history_sums;
/** Fails the case when a rule was broken. */
history_sums history_check(void);

#endif /* CUZK_TEST_FLEET_MODEL_FLEET_HISTORY_H */
