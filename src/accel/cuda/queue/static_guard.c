/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The guards of static variables of C++ functions, which libstdc++ has otherwise. nvcc's host code looks up the handle of a kernel at
 * its first launch into such a variable, from any thread, and libcuzk is linked without a C++ library. Names and meaning are those of
 * the C++ ABI for x86-64 and AArch64: byte 0 of the guard is 1 when the variable is ready, the other bytes are the implementation's.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define HIDDEN __attribute__((visibility("hidden")))

/* NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the ABI names them */
HIDDEN int __cxa_guard_acquire(uint8_t guard[8]);
HIDDEN void __cxa_guard_release(uint8_t guard[8]);
HIDDEN void __cxa_guard_abort(uint8_t guard[8]);
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

enum { READY, AT_WORK }; /* bytes of the guard */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* 1: the caller makes the variable, then calls release or abort; 0: it is ready. Waits for another thread that makes it. */
int __cxa_guard_acquire(uint8_t guard[8])
{
    (void)pthread_mutex_lock(&lock);
    while (guard[READY] == 0 && guard[AT_WORK] != 0) {
        (void)pthread_cond_wait(&changed, &lock);
    }
    const bool is_mine = guard[READY] == 0;
    guard[AT_WORK] = is_mine ? 1 : 0;
    (void)pthread_mutex_unlock(&lock);
    return is_mine ? 1 : 0;
}

static void end(uint8_t guard[8], uint8_t ready)
{
    (void)pthread_mutex_lock(&lock);
    __atomic_store_n(&guard[READY], ready,
                     __ATOMIC_RELEASE); /* compiled code reads it without the lock */
    guard[AT_WORK] = 0;
    (void)pthread_cond_broadcast(&changed);
    (void)pthread_mutex_unlock(&lock);
}

void __cxa_guard_release(uint8_t guard[8])
{
    end(guard, 1);
}

void __cxa_guard_abort(uint8_t guard[8])
{
    end(guard, 0);
}
