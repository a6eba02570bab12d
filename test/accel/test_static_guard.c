/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The guards of static variables by which nvcc's host code finds a kernel once, from any thread. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "test.h"

int __cxa_guard_acquire(uint8_t guard[8]);
void __cxa_guard_release(uint8_t guard[8]);
void __cxa_guard_abort(uint8_t guard[8]);

enum { THREADS = 8, ROUNDS = 50 };

typedef struct once {
    uint8_t guard[8];
    atomic_int makers, wrong;
    int value; /* made under the guard */
    int fails; /* how many makers give up */
} once;

/* As a compiler writes it for "static int value = make();". */
static void *use(void *arg)
{
    once *o = arg;
    while (__atomic_load_n(&o->guard[0], __ATOMIC_ACQUIRE) == 0 &&
           __cxa_guard_acquire(o->guard) != 0) {
        if (atomic_fetch_add(&o->makers, 1) < o->fails) {
            __cxa_guard_abort(o->guard);
            continue;
        }
        o->value = 7;
        __cxa_guard_release(o->guard);
    }
    if (o->value != 7) {
        (void)atomic_fetch_add(&o->wrong, 1);
    }
    return NULL;
}

static void run(int fails)
{
    for (int r = 0; r < ROUNDS; r++) {
        once o = {.fails = fails};
        pthread_t t[THREADS];
        for (int i = 0; i < THREADS; i++) {
            CHECK(pthread_create(&t[i], NULL, use, &o) == 0);
        }
        for (int i = 0; i < THREADS; i++) {
            CHECK(pthread_join(t[i], NULL) == 0);
        }
        CHECK(atomic_load(&o.makers) == fails + 1);
        CHECK(atomic_load(&o.wrong) == 0);
        CHECK(o.guard[0] == 1);
    }
}

static void one_thread_makes_it(void)
{
    run(0);
}

static void another_goes_on_when_the_maker_gave_up(void)
{
    run(3);
}

static const cuzk_case cases[] = {CASE(one_thread_makes_it),
                                  CASE(another_goes_on_when_the_maker_gave_up)};
TEST_MAIN("accel/static_guard", cases)
