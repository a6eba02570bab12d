/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_CUZK_H
#define CUZK_CUZK_H

/*
 * libcuzk: Groth16 proofs over BLS12-381 made and verified, for Filecoin and others. This header holds what all
 * others share: version, statuses, errors, memory. docs/embedding.md begins with complete programs.
 *
 * Rules that hold for every function of the library:
 * - Bytes in, status out. Handles are opaque; the function that frees a handle takes NULL as well.
 * - Outputs come first and are written on success only, unless the function says more.
 * - A struct that the caller fills begins with struct_size = sizeof the struct as the caller knows
 *   it, and zero means "default" in every other field: begin with memset or `= {0}`. Later versions
 *   append fields; a smaller struct_size of an older program stays valid.
 * - `cuzk_error *error` is optional (NULL) and is always the last argument.
 * - The library installs no signal handlers, never exits, prints nothing, reads no locale. It aborts
 *   only for a bug of its own (a failed internal check). Allocation failures are statuses.
 * - fork: a child process may use the handles of its parent, but for provers, tasks and clients. Calls of
 *   <cuzk/params.h> and <cuzk/aggregate.h> start threads that end with the call; a prover has threads of its own.
 * - @thread in a comment says which threads may call at the same time. Without it: any, on handles
 *   that no other thread destroys meanwhile.
 *
 * The ABI is that of the C99 types below on x86-64 and AArch64: int32_t for statuses and choices,
 * no enumerations, no bit-fields. soname 0: the interface may still change between minor versions.
 */
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) && !defined(__wasm__)
#    define CUZK_API __attribute__((visibility("default")))
#else
#    define CUZK_API
#endif

#ifdef CUZK_INSIDE /* the library's own sources declare the same codes as an enumeration */
#    include "base/status.h"
#else
/** Result of a call: 0 or a negative code. Values never change their meaning. */
typedef int32_t cuzk_status;
enum {
    CUZK_OK = 0,
    CUZK_E_INVALID = -1,     /* an argument or the input is wrong */
    CUZK_E_NOMEM = -2,       /* host memory ran out */
    CUZK_E_BUDGET = -3,      /* the memory budget of the handle is too small */
    CUZK_E_IO = -4,          /* the operating system failed a read, write or thread start */
    CUZK_E_CANCELLED = -5,   /* the caller asked to stop */
    CUZK_E_UNSUPPORTED = -6, /* not in this build, or not on this machine */
    CUZK_E_SELFTEST = -7,    /* a computed proof did not verify and was not returned */
    CUZK_E_NOT_FOUND = -8,
    CUZK_E_EXISTS = -9,        /* a file exists and is not overwritten */
    CUZK_E_FORMAT = -10,       /* malformed file or message */
    CUZK_E_DIGEST = -11,       /* a file is not the one it should be */
    CUZK_E_UNSAFE_KEY = -12,   /* a well-formed key that proves nothing: unfinished ceremony */
    CUZK_E_ENCODING = -64,     /* malformed point, or a number >= r */
    CUZK_E_NOT_ON_CURVE = -65, /* point is not on the curve */
    CUZK_E_NOT_IN_GROUP = -66, /* point is not in the prime-order subgroup */
    CUZK_E_INFINITY = -67,     /* identity where none may be */
    CUZK_E_DEV_NOMEM = -128,   /* device memory ran out */
    CUZK_E_DEV_LOST = -129,    /* the device must be opened again */
    CUZK_E_DEV_UNFIT = -130,   /* the device cannot do this work */
    CUZK_E_UNSATISFIED = -192, /* the witness does not satisfy the circuit */
    CUZK_E_PROOF_FALSE = -193, /* well-formed, and does not verify */
    CUZK_E_VANILLA = -256      /* a vanilla proof is false; the text names sector and field */
};
#endif

/** What a caller does about a failure. */
enum {
    CUZK_CLASS_OK = 0,
    CUZK_CLASS_INPUT = 1, /* the same call fails again: mend the input */
    CUZK_CLASS_ENVIRONMENT =
        2, /* memory, disk, device: the same call may succeed later or elsewhere */
    CUZK_CLASS_CANCELLED = 3
};

#define CUZK_ERROR_TEXT_BYTES 496

/** Where and why a call failed. Filled on failure only; the caller owns it, it holds no pointers. */
typedef struct cuzk_error {
    int32_t status;      /* the returned status */
    int32_t error_class; /* CUZK_CLASS_... of the status */
    int32_t os_code;     /* errno or cudaError_t behind it; 0: none */
    int32_t reserved;    /* 0 */
    char text
        [CUZK_ERROR_TEXT_BYTES]; /* UTF-8, NUL-terminated, names file, field, sector, partition */
} cuzk_error;

#ifdef __cplusplus
extern "C" {
#endif

/** "0.1.0" of the library that runs; static. */
CUZK_API const char *cuzk_version(void);
/** major << 16 | minor << 8 | patch of the library that runs. */
CUZK_API uint32_t cuzk_version_number(void);
/** 1 when the CUDA backend is built in, else 0. Says nothing about the machine. */
CUZK_API int32_t cuzk_has_cuda(void);

#ifndef CUZK_INSIDE /* as in base/status.h */
/** "CUZK_E_NOMEM"; "CUZK_E_UNKNOWN" for a value that is no status. Static, never NULL. */
CUZK_API const char *cuzk_status_name(cuzk_status status);
/** One English line about a status. Static, never NULL. */
CUZK_API const char *cuzk_status_text(cuzk_status status);
#endif
/** CUZK_CLASS_... of a status; CUZK_CLASS_INPUT for a value that is no status. */
CUZK_API int32_t cuzk_status_class(cuzk_status status);

/**
 * How far a long call is: `step` ("check", "prove", a section's name; valid during the call only) has
 * done of total; total 0: not known. A result other than 0 asks the call to stop (E_CANCELLED); a call that is at its
 * end by then may still succeed. Called from any thread, one at a time per job; must not call into the handle that the
 * job belongs to.
 */
typedef int32_t (*cuzk_progress_fn)(void *arg, const char *step, uint64_t done, uint64_t total);
/** A line for people about something that is no failure: level 0 information, 1 warning. Any thread. */
typedef void (*cuzk_log_fn)(void *arg, int32_t level, const char *text);

/** Where host memory comes from. Both functions are called from many threads at once. */
typedef struct cuzk_allocator {
    uint32_t struct_size; /* sizeof(cuzk_allocator) */
    uint32_t reserved;    /* 0 */
    /** bytes > 0 at an address that is a multiple of align (a power of two, 64 to 2 MiB); NULL: none. */
    void *(*alloc)(void *arg, size_t align, size_t bytes);
    /** p as alloc returned it for bytes. */
    void (*free)(void *arg, void *p, size_t bytes);
    void *arg;
} cuzk_allocator;

/**
 * Makes the whole process's libcuzk take host memory from a, copied; NULL: from libc again.
 * The one setting that is not per handle. E_INVALID: a function is missing, or the library holds
 * memory already: call it before the first handle is made. Thread stacks and memory that a GPU
 * driver takes are not covered. @thread no other call into the library may run.
 */
CUZK_API cuzk_status cuzk_set_allocator(const cuzk_allocator *a);

/** Host memory that the library holds, all handles together. */
typedef struct cuzk_memory {
    uint64_t bytes;      /* now */
    uint64_t bytes_peak; /* most ever */
    uint64_t blocks;     /* now; 0 when everything has been destroyed */
} cuzk_memory;

/** A snapshot. */
CUZK_API void cuzk_get_memory(cuzk_memory *out);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_CUZK_H */
