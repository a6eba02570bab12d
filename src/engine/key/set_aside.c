/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What follows from a device's health: for the device, and for circuits whose proofs are wrong on it. */
#include <stdio.h>

#include "engine/engine_internal.h"

void cuzk_device_quarantined(cuzk_engine *e, uint32_t index, const char *why)
{
    cuzk_engine_log_device(e, 0, "device.quarantined", index, why);
    pthread_cond_signal(&e->locks.timer);
    pthread_cond_broadcast(&e->locks.device); /* other devices prove its partitions */
    pthread_cond_broadcast(&e->locks.change);
}

cuzk_status cuzk_device_status(cuzk_status st)
{
    return cuzk_engine_is_file_trouble(st) || st == CUZK_E_NOMEM ? CUZK_E_CANCELLED : st;
}

void cuzk_circuit_set_aside(cuzk_engine *e, uint32_t index, uint32_t circuit)
{
    char text[200];
    const uint64_t left = e->devices.all[index].circuits[circuit].back_off_ns;
    (void)snprintf(
        text, sizeof(text),
        "proofs of %s do not verify, and the device's self-test passes: the circuit is set "
        "aside for %llu ms, its parameters are read again",
        e->backend->circuits[circuit].id, (unsigned long long)(left / 2 / MS_NS));
    cuzk_engine_log_device(e, 0, "circuit.set_aside", index, text);
    cuzk_engine_suspect_params(e, circuit);
    cuzk_device_key_suspect(e, index, circuit);
    pthread_cond_signal(&e->locks.timer);
    pthread_cond_broadcast(&e->locks.device);
}

bool cuzk_circuit_is_out(const device_table *devices, uint32_t circuit, uint64_t now_ns)
{
    for (uint32_t i = 0; i < devices->n; i++) {
        const device *d = &devices->all[i];
        if ((!d->info.is_fallback || devices->on_cpu ||
             cuzk_fallback_is_for_good(devices, circuit)) &&
            cuzk_device_can(devices, i, circuit) &&
            !cuzk_circuit_is_set_aside(&d->circuits[circuit], now_ns)) {
            return false;
        }
    }
    return devices->n != 0;
}

void cuzk_circuit_fail_job(cuzk_engine *e, job *j, uint32_t circuit)
{
    char text[200];
    cuzk_err err = {.msg = ""};
    const cuzk_status st = cuzk_engine_can_prove(e, circuit, j->is_privileged, &err);
    if (st != CUZK_OK) { /* a device that came back has less memory than before */
        cuzk_job_set_outcome(e, j, CUZK_JOB_FAILED, st, err.msg);
        return;
    }
    (void)snprintf(
        text, sizeof(text),
        "proofs of %s do not verify on any device, and the devices' self-tests pass: are its "
        "parameters good? No job of it is tried for some time",
        e->backend->circuits[circuit].id);
    cuzk_job_set_outcome(e, j, CUZK_JOB_FAILED, CUZK_E_IO, text);
}

void cuzk_circuit_trust_all(device_table *devices, uint32_t circuit)
{
    for (uint32_t i = 0; i < devices->n; i++) {
        cuzk_circuit_trust(&devices->all[i].circuits[circuit]);
    }
}
