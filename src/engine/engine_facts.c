/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engine/engine_internal.h"

bool cuzk_engine_has_keys(const cuzk_engine_backend *backend)
{
    return backend != NULL && backend->load_key != NULL;
}

bool cuzk_engine_has_fallback(const device_table *devices)
{
    return devices->n != devices->n_primary;
}
