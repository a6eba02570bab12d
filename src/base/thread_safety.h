/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_BASE_THREAD_SAFETY_H
#define CUZK_BASE_THREAD_SAFETY_H

/*
 * Which lock guards what, checked by clang's thread-safety analysis (an error in the clang preset); nothing
 * for other compilers. A capability is a type (CUZK_CAPABILITY); where a struct's own lock cannot be named in
 * C, a global that is declared and never defined stands for it.
 */
#if defined(__clang__)
#    define CUZK_TSA(x) __attribute__((x))
#else
#    define CUZK_TSA(x)
#endif

#define CUZK_CAPABILITY(name) CUZK_TSA(capability(name))
/** Of a variable or member: read and written with the lock held only. */
#define CUZK_GUARDED_BY(lock) CUZK_TSA(guarded_by(lock))
/** Of a function: called with the lock held, and returns with it. */
#define CUZK_REQUIRES(lock)   CUZK_TSA(requires_capability(lock))
/** Of a function: takes the lock. */
#define CUZK_ACQUIRES(lock)   CUZK_TSA(acquire_capability(lock))
/** Of a function: releases the lock. */
#define CUZK_RELEASES(lock)   CUZK_TSA(release_capability(lock))
/** Of a function: called without the lock. */
#define CUZK_EXCLUDES(lock)   CUZK_TSA(locks_excluded(lock))
/** Of a function that the analysis cannot follow; the reason stands beside it. */
#define CUZK_NO_THREAD_SAFETY CUZK_TSA(no_thread_safety_analysis)

#endif /* CUZK_BASE_THREAD_SAFETY_H */
