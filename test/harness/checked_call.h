/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_HARNESS_CHECKED_CALL_H
#define CUZK_TEST_HARNESS_CHECKED_CALL_H

/*
 * Calls of assembly functions that check the calling convention as well: callee-saved registers,
 * stack pointer, direction flag, and the caller's stack. x86-64 only. tools/check/check_asm.py fails when
 * a function of a .S file is called by no CHECKED_CALL.
 */
#include <stdint.h>

enum {
    CUZK_BROKE_REGISTER = 1,
    CUZK_BROKE_STACK_POINTER = 2,
    CUZK_BROKE_DIRECTION_FLAG = 4,
    CUZK_BROKE_CALLERS_STACK = 8
};

/** Returns the union of CUZK_BROKE_*; 0: the call kept the convention. One thread at a time. */
uint32_t test_checked_call_x64(void (*fn)(void), const uint64_t args[6]);

/* The address or number of an argument as the register that carries it. */
#define CHECKED_ARG(x)                         ((uint64_t)(uintptr_t)(x))
#define CHECKED_ARGS_2(a, b)                   CHECKED_ARG(a), CHECKED_ARG(b)
#define CHECKED_ARGS_3(a, b, c)                CHECKED_ARG(a), CHECKED_ARG(b), CHECKED_ARG(c)
#define CHECKED_ARGS_5(a, b, c, d, e)          CHECKED_ARGS_3(a, b, c), CHECKED_ARGS_2(d, e)
#define CHECKED_PICK(a, b, c, d, e, name, ...) name
#define CHECKED_ARGS(...)                                                                     \
    CHECKED_PICK(__VA_ARGS__, CHECKED_ARGS_5, unused, CHECKED_ARGS_3, CHECKED_ARGS_2, unused) \
    (__VA_ARGS__)

/* fn(...) through the checked call: two, three or five arguments, pointers or sizes. */
#define CHECKED_CALL(fn, ...)                                                        \
    CHECK_U64(test_checked_call_x64((void (*)(void))(fn),                            \
                                    (const uint64_t[6]){CHECKED_ARGS(__VA_ARGS__)}), \
              0)

#endif /* CUZK_TEST_HARNESS_CHECKED_CALL_H */
