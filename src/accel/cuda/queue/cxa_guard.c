/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * nvcc 13 makes the host's stub of each kernel with a function-local static, and C++ guards the initialisation of such
 * a static by these three functions of the Itanium C++ ABI (section 3.3.3). They are in libstdc++, which libcuzk does not
 * need for anything else; so they are here. A guard has 8 bytes; its first byte is 1 once the static is initialised.
 *
 * One lock for all guards: an initialisation looks up one kernel, once per process. It is recursive, because an
 * initialisation may come to another one on the same thread.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

int __cxa_guard_acquire(uint64_t *guard);
void __cxa_guard_release(uint64_t *guard);
void __cxa_guard_abort(uint64_t *guard);

static pthread_mutex_t initialising = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static _Atomic uint8_t *first_byte(uint64_t *guard)
{
    return (_Atomic uint8_t *)guard;
}

/* 1: the caller initialises, then calls release or abort. 0: it is done. */
int __cxa_guard_acquire(uint64_t *guard)
{
    (void)pthread_mutex_lock(&initialising);
    if (atomic_load_explicit(first_byte(guard), memory_order_acquire) != 0) {
        (void)pthread_mutex_unlock(&initialising);
        return 0;
    }
    return 1;
}

void __cxa_guard_release(uint64_t *guard)
{
    atomic_store_explicit(first_byte(guard), 1, memory_order_release);
    (void)pthread_mutex_unlock(&initialising);
}

void __cxa_guard_abort(uint64_t *guard)
{
    (void)guard;
    (void)pthread_mutex_unlock(&initialising);
}
