/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_HARNESS_TEST_H
#define CUZK_TEST_HARNESS_TEST_H

/*
 * The test runner. A test program is a table of cases:
 *
 *     static void add_commutes(void) { CHECK(...); }
 *     static const cuzk_case cases[] = {CASE(add_commutes)};
 *     TEST_MAIN("unit/ff_fr", cases)
 *
 * Options: --list, --match=SUBSTRING, --seed=N, --iters=N (scales random loops), --cpu-mask=N.
 * A failed check ends its case; the seed is printed with it. The cases after a failed one run in the program started
 * again (harness/afresh.h), so that what the failed case left does not disturb them: no case cleans up for its failure.
 * A failed check in a child process (fork) ends the child with status 1; one in a thread ends the case.
 * The last line is "N passed, N failed, N skipped"; exit status 0, 1, or 77 when every case was skipped.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

typedef struct cuzk_case {
    const char *name;
    void (*fn)(void);
} cuzk_case;

/* Under TSan a proof takes ten times as long: a test that repeats itself does so less often there. */
#ifdef __SANITIZE_THREAD__
#    define TEST_IS_BRIEF true
#else
#    define TEST_IS_BRIEF false
#endif

/* At the start of a case in which one thread works: TSan has nothing to look at in it. */
#define TEST_HAS_ONE_THREAD()                         \
    do {                                              \
        if (TEST_IS_BRIEF) {                          \
            cuzk_test_skip("one thread works in it"); \
        }                                             \
    } while (0)

/* Under any sanitizer: a test that goes through many places of one kind takes fewer of them. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#    define TEST_IS_SPARSE true
#else
#    define TEST_IS_SPARSE false
#endif

#define CASE(f) \
    {           \
#        f, (f) \
    }

int cuzk_test_main(int argc, char **argv, const char *suite, const cuzk_case *cases, size_t n);

#define TEST_MAIN(suite, cases)                                                                  \
    int main(int argc, char **argv)                                                              \
    {                                                                                            \
        return cuzk_test_main(argc, argv, (suite), (cases), sizeof(cases) / sizeof((cases)[0])); \
    }

_Noreturn void cuzk_test_fail(const char *file, int line, const char *fmt, ...) CUZK_PRINTF(3, 4);
_Noreturn void cuzk_test_skip(const char *why);

#define CHECK(x)                                          \
    do {                                                  \
        if (!(x)) {                                       \
            cuzk_test_fail(__FILE__, __LINE__, "%s", #x); \
        }                                                 \
    } while (0)
/* As CHECK with a message that shows the values. */
#define CHECK_MSG(x, ...)                                    \
    do {                                                     \
        if (!(x)) {                                          \
            cuzk_test_fail(__FILE__, __LINE__, __VA_ARGS__); \
        }                                                    \
    } while (0)
#define CHECK_U64(got, want) \
    cuzk_test_u64(__FILE__, __LINE__, #got, (uint64_t)(got), (uint64_t)(want))
#define CHECK_MEM(got, want, n)  cuzk_test_mem(__FILE__, __LINE__, #got, (got), (want), (n))
#define CHECK_STR(got, want)     cuzk_test_str(__FILE__, __LINE__, #got, (got), (want))
/* The call returns CUZK_OK; otherwise its status and err's message are shown. err may be NULL. */
#define CHECK_OK(call, err)      cuzk_test_status(__FILE__, __LINE__, #call, (call), CUZK_OK, (err))
#define CHECK_STATUS(call, want) cuzk_test_status(__FILE__, __LINE__, #call, (call), (want), NULL)

void cuzk_test_u64(const char *file, int line, const char *what, uint64_t got, uint64_t want);
void cuzk_test_mem(const char *file, int line, const char *what, const void *got, const void *want,
                   size_t n);
void cuzk_test_str(const char *file, int line, const char *what, const char *got, const char *want);
void cuzk_test_status(const char *file, int line, const char *what, cuzk_status got,
                      cuzk_status want, const cuzk_err *err);

/* Deterministic random numbers of the running case (seed and case name decide). */
uint64_t test_u64(void);
/** Uniform below n; n > 0. */
uint64_t test_below(uint64_t n);
/** n bytes with edge-biased content: runs of equal bits, all zeros, all ones, or uniform. */
void test_bytes(void *out, size_t n);
/** base * the --iters factor (default 1). */
size_t test_iters(size_t base);

/** Whole file into a malloc'd buffer (caller frees with free()); fails the case when it cannot be read. */
uint8_t *test_read_file(const char *path, size_t *n);
/** As atexit; fn is also called before the program is started again after a failed case. At most 8. */
void test_at_exit(void (*fn)(void));
/** A fresh directory for the running case, removed by the runner at the end of the case. */
const char *test_tmpdir(void);

#endif /* CUZK_TEST_HARNESS_TEST_H */
