/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_FLEET_MODEL_PART_HISTORY_H
#define CUZK_TEST_FLEET_MODEL_PART_HISTORY_H

/*
 * Every change of cuzk_part in the schema of the running case, written down by a trigger of the test, and checked
 * afterwards by the rules alone:
 *   - a partition is taken from nobody, or by the holder of the job from an earlier holder of it;
 *   - a proof is written once, under the member and the number by which the partition was taken last, and by a member
 *     that lives;
 *   - what a member has is given back by that member, or after it has been declared dead; a death counts once, and
 *     after three of them nobody takes the partition again.
 */
#include <stdint.h>

/** After the store has made its tables. */
void part_history_begin(void);

typedef struct part_sums {
    uint64_t parts;   /* partitions that were opened */
    uint64_t taken;   /* how often one was taken */
    uint64_t by_task; /* of those, by another member than the holder of the job */
    uint64_t proved;  /* proofs that were written: by tasks alone, the holder writes none */
    uint64_t deaths, set_aside;
} part_sums;
/** Fails the case when a rule was broken. */
part_sums part_history_check(void);

#endif /* CUZK_TEST_FLEET_MODEL_PART_HISTORY_H */
