/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_HARNESS_AFRESH_H
#define CUZK_TEST_HARNESS_AFRESH_H

/*
 * The test program, started again in the same process. A failed case leaves what it did not come to end: threads,
 * engines, servers, child processes, open files, injected faults, the environment. None of that is there after a
 * start afresh, so that the cases that follow fail for reasons of their own only.
 */

/** Notes what afresh_start restores: environment, working directory, limits, ignored and blocked signals. */
void afresh_note(void);

/** Kills the children of this process, and waits for them. */
void afresh_kill_children(void);

/**
 * Restores what was noted, and executes the program again with the arguments that it was called with and one more. An argument that begins like the new one, up to its '=', is
 * replaced. Returns only when the program cannot be executed.
 */
void afresh_start(const char *argument);

#endif /* CUZK_TEST_HARNESS_AFRESH_H */
