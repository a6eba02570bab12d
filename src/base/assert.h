/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_BASE_ASSERT_H
#define CUZK_BASE_ASSERT_H

#include "base/compiler.h"

/*
 * For bugs in this program only; input from files, networks or callers' data is answered with a
 * status. Never compiled out into undefined behaviour; NDEBUG has no effect.
 */
#ifdef __cplusplus
extern "C" {
[[noreturn]] CUZK_COLD void cuzk_assert_fail(const char *expr, const char *file, int line);
}
#else
CUZK_COLD _Noreturn void cuzk_assert_fail(const char *expr, const char *file, int line);
#endif

/* Always on: cheap invariants whose violation means that memory or logic is already wrong. */
#define CUZK_ASSERT(x) ((x) ? (void)0 : cuzk_assert_fail(#x, __FILE__, __LINE__))

/* Only with CUZK_VERIFY: expensive ones (on curve, reduced, sorted). */
#ifdef CUZK_VERIFY
#    define CUZK_DASSERT(x) CUZK_ASSERT(x)
#else
#    define CUZK_DASSERT(x) ((void)sizeof(x))
#endif

#endif /* CUZK_BASE_ASSERT_H */
