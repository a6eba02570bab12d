/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_RPC_RPC_CALLER_H
#define CUZK_RPC_RPC_CALLER_H

/*
 * Who calls, and what a caller may do. A caller has a name, which its jobs bear, and a role:
 *
 *   observe     status, metrics, reflection
 *   submit      the same; jobs, and the results and cancelling of its own jobs
 *   administer  everything, on all jobs and parameters
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/** Rights, as bits. */
enum { CUZK_RPC_MAY_OBSERVE = 1, CUZK_RPC_MAY_SUBMIT = 2, CUZK_RPC_MAY_ADMINISTER = 4 };

/** A role is the sum of its rights; 0: may nothing but ask for health. */
typedef enum cuzk_rpc_role {
    CUZK_RPC_NOBODY = 0,
    CUZK_RPC_OBSERVE = CUZK_RPC_MAY_OBSERVE,
    CUZK_RPC_SUBMIT = CUZK_RPC_MAY_OBSERVE | CUZK_RPC_MAY_SUBMIT,
    CUZK_RPC_ADMINISTER = CUZK_RPC_MAY_OBSERVE | CUZK_RPC_MAY_SUBMIT | CUZK_RPC_MAY_ADMINISTER
} cuzk_rpc_role;

#define CUZK_RPC_NAME_BYTES   48  /* longest name of a caller and its NUL */
#define CUZK_RPC_SECRET_BYTES 256 /* longest token and its NUL */
#define CUZK_RPC_MAX_CALLERS  64

/** "observe", "submit", "administer", "none". */
const char *cuzk_rpc_role_name(cuzk_rpc_role role);
/** False: none of these. */
bool cuzk_rpc_role_parse(cuzk_rpc_role *out, const char *text, size_t n);

typedef struct cuzk_rpc_caller {
    char name[CUZK_RPC_NAME_BYTES]; /* of a certificate: its common name */
    cuzk_rpc_role role;
    char secret[CUZK_RPC_SECRET_BYTES]; /* the token; "": a certificate */
} cuzk_rpc_caller;

/** Tokens, or certificates. */
typedef struct cuzk_rpc_callers {
    size_t n;
    cuzk_rpc_caller item[CUZK_RPC_MAX_CALLERS];
} cuzk_rpc_callers;

/**
 * Adds what the text [n] of a file says, a caller a line: "NAME ROLE SECRET" for tokens, "NAME ROLE" for
 * certificates; "#" begins a comment. A file of tokens may also be one secret alone: its caller is
 * "token" and administers. Names: letters, digits, '.', '_', '-', '@', each once; certificates' names
 * may have blanks in double quotes. Secrets: 16 to 255 printable characters without blanks, each once. E_INVALID names
 * file and line, never a secret.
 */
CUZK_NODISCARD cuzk_status cuzk_rpc_callers_parse(cuzk_rpc_callers *out, const char *file,
                                                  const char *text, size_t n, bool tokens,
                                                  cuzk_err *err);
/** The caller whose token an Authorization header [n] carries ("Bearer TOKEN"); NULL: none. Takes the same time for each token. */
const cuzk_rpc_caller *cuzk_rpc_callers_by_token(const cuzk_rpc_callers *c, const char *value,
                                                 size_t n);
/** By name; NULL: none. */
const cuzk_rpc_caller *cuzk_rpc_callers_by_name(const cuzk_rpc_callers *c, const char *name);

#endif /* CUZK_RPC_RPC_CALLER_H */
