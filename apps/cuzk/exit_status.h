/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_EXIT_STATUS_H
#define CUZK_APPS_EXIT_STATUS_H

#include "base/status.h"

/*
 * The process's exit status (docs/errors.md). It answers three questions of a script: did the command succeed, is the
 * proof false, and may another try succeed.
 */
typedef enum exit_status {
    EXIT_STATUS_OK = 0,
    EXIT_STATUS_PROOF_FALSE = 1, /* well-formed, and does not verify */
    EXIT_STATUS_BAD_INPUT = 2,   /* usage, files, contents: the same again will fail again */
    EXIT_STATUS_MACHINE = 3      /* memory, I/O, device, interrupted: may work another time */
} exit_status;

exit_status exit_status_of(cuzk_status s);

#endif /* CUZK_APPS_EXIT_STATUS_H */
