/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_REMOTE_SENSORS_H
#define CUZK_APPS_REMOTE_SENSORS_H

#include "remote.h"

/**
 * Reports the sensor values of the cards of the daemon's machine: a line "card" for each card, with --json the array
 * "sensors". Also reports circuits that get no work on a device because their proofs do not verify there: a line "set
 * aside" for each, with --json the array "set_aside". The values come from GetMetrics, since GetStatus does not have
 * them; nothing is reported to a caller without access to it. E_NOMEM.
 */
CUZK_NODISCARD cuzk_status remote_sensors(app *a, cuzk_rpc_client *client);

#endif /* CUZK_APPS_REMOTE_SENSORS_H */
