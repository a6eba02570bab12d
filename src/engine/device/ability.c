/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Which circuits a device has the memory for. A circuit is never given to a device that cannot prove it. */
#include "base/alloc.h"
#include "engine/engine_internal.h"

ALONE cuzk_status cuzk_device_abilities_init(cuzk_engine *e, uint32_t index, cuzk_err *err)
{
    device *d = &e->devices.all[index];
    d->abilities = cuzk_alloc_zero(e->backend->n_circuits, sizeof(*d->abilities));
    if (d->abilities == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "engine: out of memory");
    }
    cuzk_device_abilities_read(e, index);
    return CUZK_OK;
}

void cuzk_device_abilities_read(cuzk_engine *e, uint32_t index)
{
    const cuzk_engine_backend *b = e->backend;
    device *d = &e->devices.all[index];
    d->has_abilities = b->device_ability != NULL && !d->info.is_cpu && !d->info.is_absent;
    for (uint32_t i = 0; i < b->n_circuits; i++) {
        d->abilities[i] = (cuzk_backend_ability){.ability = CUZK_DEVICE_RESIDENT};
        if (d->has_abilities) {
            b->device_ability(b->arg, index, i, &d->abilities[i]);
        }
    }
}

bool cuzk_device_can(const device_table *devices, uint32_t index, uint32_t circuit)
{
    return devices->all[index].abilities[circuit].ability != CUZK_DEVICE_CANNOT;
}

LOCKED static bool any_primary_can(const device_table *devices, uint32_t circuit)
{
    bool can = devices->n_primary == 0;
    for (uint32_t i = 0; i < devices->n_primary; i++) {
        can = can || cuzk_device_can(devices, i, circuit);
    }
    return can;
}

bool cuzk_device_serves(const device_table *devices, uint32_t index, uint32_t circuit)
{
    const device *d = &devices->all[index];
    if (d->info.is_fallback && !any_primary_can(devices, circuit)) {
        return cuzk_health_is_good(&d->health);
    }
    return cuzk_device_is_open(devices, index) && cuzk_device_can(devices, index, circuit);
}

bool cuzk_fallback_is_for_good(const device_table *devices, uint32_t circuit)
{
    return cuzk_engine_has_fallback(devices) && !any_primary_can(devices, circuit);
}

/* The message is about the device with the most memory. */
cuzk_status cuzk_engine_can_prove(const cuzk_engine *e, uint32_t circuit, bool privileged,
                                  cuzk_err *err)
{
    const device *best = &e->devices.all[0];
    if (circuit == CUZK_CIRCUIT_UNKNOWN || any_primary_can(&e->devices, circuit) ||
        (cuzk_engine_has_fallback(&e->devices) && cuzk_fallback_fits(e, circuit, privileged))) {
        return CUZK_OK;
    }
    for (uint32_t i = 1; i < e->devices.n_primary; i++) {
        const device *d = &e->devices.all[i];
        best = d->abilities[circuit].available_bytes > best->abilities[circuit].available_bytes
                   ? d
                   : best;
    }
    const cuzk_backend_ability *a = &best->abilities[circuit];
    return CUZK_FAIL(
        err, CUZK_E_DEV_UNFIT,
        "no device of this machine can prove %s: it needs %llu MiB of device memory, and "
        "%s (device %u) has %llu MiB",
        e->backend->circuits[circuit].id,
        (unsigned long long)((a->needed_bytes + (1u << 20) - 1) >> 20), best->info.name,
        best->info.ordinal, (unsigned long long)(a->available_bytes >> 20));
}
