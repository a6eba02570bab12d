/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ENGINE_ENGINE_LIMITS_H
#define CUZK_ENGINE_ENGINE_LIMITS_H

/* Numbers that several parts of the engine share. */

#define MAX_DEVICES      17 /* including the CPU as fallback */
#define PROOF_BYTES      192
#define ERROR_BYTES      600
#define BUCKETS          8192u /* of the hash tables, a power of two */
#define MAX_WRONG        2     /* tries of a partition whose proof does not verify */
#define MAX_ERRORS       3     /* tries of a partition on devices, or after lack of memory */
#define WINNING_PLACES   20u   /* places of the queue that only privileged jobs take */
#define WINNING_OTHERS   4u /* part of these, for callers that have no privileged job in the queue */
#define RAM_KEEP         1024u /* ended jobs in memory; the store has the others */
#define AGGREGATES_AHEAD 2u    /* parsed aggregates that wait for their worker */
#define SHOWN_NS         (60 * 1000000000ull)
#define MS_NS            1000000ull

#endif /* CUZK_ENGINE_ENGINE_LIMITS_H */
