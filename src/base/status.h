/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_BASE_STATUS_H
#define CUZK_BASE_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/*
 * One line per code: XX(name, value, retryable, text).
 * Values are pinned for ever; one block of 64 per module; 0 is success.
 */
/* clang-format off */
#define CUZK_STATUS_MAP(XX)                                                      \
    XX(OK,                 0, 0, "success")                                      \
    XX(E_INVALID,         -1, 0, "invalid argument or input")                    \
    XX(E_NOMEM,           -2, 1, "host allocation failed")                       \
    XX(E_BUDGET,          -3, 1, "memory budget exhausted")                      \
    XX(E_IO,              -4, 1, "I/O error")                                    \
    XX(E_CANCELLED,       -5, 0, "operation cancelled")                          \
    XX(E_UNSUPPORTED,     -6, 0, "not supported by this build or device")        \
    XX(E_SELFTEST,        -7, 1, "self test failed")                             \
    XX(E_NOT_FOUND,       -8, 0, "file or entry not found")                      \
    XX(E_EXISTS,          -9, 0, "file exists; refusing to overwrite")           \
    XX(E_FORMAT,         -10, 0, "malformed file or message")                    \
    XX(E_DIGEST,         -11, 0, "digest does not match")                        \
    XX(E_UNSAFE_KEY,     -12, 0, "key is well-formed and proves nothing")         \
    XX(E_ENCODING,       -64, 0, "malformed field or point encoding")            \
    XX(E_NOT_ON_CURVE,   -65, 0, "point is not on the curve")                    \
    XX(E_NOT_IN_GROUP,   -66, 0, "point is not in the prime-order subgroup")     \
    XX(E_INFINITY,       -67, 0, "point at infinity where none may be")          \
    XX(E_DEV_NOMEM,     -128, 1, "device allocation failed")                     \
    XX(E_DEV_LOST,      -129, 1, "device error is sticky; context is dead")      \
    XX(E_DEV_UNFIT,     -130, 1, "the device is not fit for this work")          \
    XX(E_UNSATISFIED,   -192, 0, "constraint system is not satisfied")           \
    XX(E_PROOF_FALSE,   -193, 0, "proof does not verify")                        \
    XX(E_VANILLA,       -256, 0, "vanilla proof is not valid")
/* clang-format on */

typedef enum CUZK_NODISCARD_TYPE cuzk_status {
#define XX(name, value, retry, text) CUZK_##name = (value),
    CUZK_STATUS_MAP(XX)
#undef XX
} cuzk_status;

CUZK_STATIC_ASSERT(sizeof(cuzk_status) == sizeof(int32_t), "status crosses the C ABI as int32");

/** Where and why a call failed. Caller-owned, fixed size, never allocates. */
typedef struct cuzk_err {
    cuzk_status code;
    int32_t os_code;  /* errno or cudaError_t; 0 when there is none */
    const char *file; /* string literal, not owned */
    int32_t line;
    char msg[484]; /* NUL-terminated, truncated if need be */
} cuzk_err;

#ifdef __cplusplus
extern "C" {
#endif
const char *cuzk_status_name(cuzk_status s);
const char *cuzk_status_text(cuzk_status s);
/** True when the same call may succeed later or elsewhere (memory, device, I/O), false when the input is at fault. */
bool cuzk_status_is_retryable(cuzk_status s);
CUZK_COLD CUZK_PRINTF(6, 7) cuzk_status
    cuzk_err_set(cuzk_err *err, cuzk_status code, int os_code, const char *file, int line,
                 const char *fmt, ...);
#ifdef __cplusplus
}
#endif

/* Record the site in err (which may be NULL) and return code. */
/* The value is the constant code itself, so that the compiler sees that a failure is not CUZK_OK. */
#define CUZK_FAIL(err, code, ...) CUZK_FAIL_OS(err, code, 0, __VA_ARGS__)

/* The same with the errno of the call that failed. */
#define CUZK_FAIL_OS(err, code, os, ...) \
    ((void)cuzk_err_set((err), (code), (os), __FILE__, __LINE__, __VA_ARGS__), (code))

/* Drop a status on purpose; greppable. */
#define cuzk_ignore(expr)                     \
    do {                                      \
        const cuzk_status cuzk_ign_ = (expr); \
        (void)cuzk_ign_;                      \
    } while (0)

/* Propagate a failure unchanged. Only in functions with nothing to release. */
#define CUZK_TRY(expr)                       \
    do {                                     \
        const cuzk_status cuzk_st_ = (expr); \
        if (cuzk_st_ != CUZK_OK) {           \
            return cuzk_st_;                 \
        }                                    \
    } while (0)

/* Propagate a failure through the function's single `out:` label. */
#define CUZK_TRY_GOTO(st, expr) \
    do {                        \
        (st) = (expr);          \
        if ((st) != CUZK_OK) {  \
            goto out;           \
        }                       \
    } while (0)

#endif /* CUZK_BASE_STATUS_H */
