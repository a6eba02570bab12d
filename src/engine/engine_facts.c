/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engine/engine_internal.h"

bool cuzk_engine_has_keys(const cuzk_engine *e)
{
    return e->backend != NULL && e->backend->load_key != NULL;
}

bool cuzk_engine_has_fallback(const cuzk_engine *e)
{
    return e->devices.n != e->devices.n_primary;
}
