/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The CPU as fallback, for the time when no GPU works (gpus.when_lost = "cpu"). It is one more device, which gets
 * partitions only after no other device has worked for a while. Proving on it needs more host memory than a partition
 * has reserved for a GPU; the difference is reserved when proving begins.
 */
#include <stdio.h>

#include "engine/engine_internal.h"

bool cuzk_engine_gpu_works(const device_table *devices)
{
    for (uint32_t i = 0; i < devices->n; i++) {
        if (!devices->all[i].info.is_fallback && cuzk_health_is_good(&devices->all[i].health)) {
            return true;
        }
    }
    return false;
}

bool cuzk_device_is_open(const device_table *devices, uint32_t index)
{
    const device *d = &devices->all[index];
    return cuzk_health_is_good(&d->health) &&
           (!d->info.is_fallback || (devices->on_cpu && !cuzk_engine_gpu_works(devices)));
}

bool cuzk_fallback_fits(const cuzk_engine *e, uint32_t circuit, bool privileged)
{
    const cuzk_backend_circuit *c = &e->backend->circuits[circuit];
    const uint64_t need = c->circuit_bytes + c->params_bytes + c->witness_bytes + c->prove_bytes +
                          c->cpu_extra_bytes + e->memory.input_limit + e->memory.block_limit +
                          e->memory.base_bytes;
    return need <= cuzk_budget_limit(&e->memory.host, privileged);
}

void cuzk_fallback_tick(cuzk_engine *e, bool works, uint64_t now_ns, uint64_t *next_ns)
{
    const uint64_t at = e->devices.no_device_ns + e->cfg.cpu_after_ms * MS_NS;
    if (!cuzk_engine_has_fallback(&e->devices) || works != e->devices.on_cpu) {
        return; /* counts for GPUs that work, or for the CPU while no GPU works */
    }
    const uint32_t cpu = e->devices.n_primary;
    if (works) {
        char text[96];
        (void)snprintf(text, sizeof(text), "a GPU works again, after %llu s on the CPU",
                       (unsigned long long)((now_ns - e->devices.on_cpu_since_ns) / 1000000000u));
        e->devices.on_cpu = false;
        cuzk_engine_log_device(e, 1, "device.fallback_over", cpu, text);
        return;
    }
    if (now_ns < at) {
        *next_ns = at < *next_ns ? at : *next_ns;
        return;
    }
    e->devices.on_cpu = true;
    e->devices.on_cpu_since_ns = now_ns;
    e->devices.n_fallbacks++;
    cuzk_engine_log_device(e, 1, "device.fallback", cpu,
                           "no GPU works: proofs are made on the CPU, and take much longer");
    pthread_cond_broadcast(&e->locks.device);
}

void cuzk_fallback_note_absent(cuzk_engine *e)
{
    bool has_gpu = false;
    for (uint32_t i = 0; i < e->devices.n; i++) {
        has_gpu = has_gpu || !e->devices.all[i].info.is_cpu;
    }
    if (!e->owns_backend || e->cfg.cpu_only || has_gpu) {
        return; /* as it was asked for */
    }
    e->devices.on_cpu = true;
    e->devices.on_cpu_since_ns = e->started_ns;
    e->devices.n_fallbacks++;
    cuzk_engine_log_device(e, 1, "device.fallback", 0,
                           "there is no GPU, or this build cannot use it: proofs are made on the "
                           "CPU, and take much longer; gpus.cpu_only says that this is meant");
}
