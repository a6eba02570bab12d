/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ENGINE_ENGINE_FACTS_H
#define CUZK_ENGINE_ENGINE_FACTS_H

/* What is known once the devices have been opened, and never changes afterwards: no lock needed. */
#include <stdbool.h>

#include "engine/backend/backend.h"
#include "engine/device/device.h"

/** The devices have memory of their own, and keys are loaded into it. */
bool cuzk_engine_has_keys(const cuzk_engine_backend *backend);
/** The last device is the CPU as fallback, for the time when no other device works. */
bool cuzk_engine_has_fallback(const device_table *devices);

#endif /* CUZK_ENGINE_ENGINE_FACTS_H */
