/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_REMOTE_SENSORS_H
#define CUZK_APPS_REMOTE_SENSORS_H

#include "remote.h"

/**
 * Reports what the driver of the daemon's machine says of its cards: a line "card" each, with --json the array
 * "sensors"; and the circuits that get no work on a device because their proofs do not verify there: a line "set aside" each,
 * with --json the array "set_aside". GetStatus does not have it, so it is taken from GetMetrics; nothing for a caller that may not see those.
 * E_NOMEM.
 */
CUZK_NODISCARD cuzk_status remote_sensors(app *a, cuzk_rpc_client *client);

#endif /* CUZK_APPS_REMOTE_SENSORS_H */
