/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ENGINE_KEY_KEYS_H
#define CUZK_ENGINE_KEY_KEYS_H

/* Keys on devices, and circuits that a device may not prove for a while (set aside). */
#include "engine/backend/backend.h"
#include "engine/device/device.h"
#include "engine/job/job.h"
#include "engine/lock/engine_lock.h"
#include "engine/memory/host_memory.h"
#include "sched/budget.h"

/* device_keys.c */
LOCKED bool cuzk_device_has_keys(const cuzk_engine *e, uint32_t index);
/** Most host memory that one key may pin. */
LOCKED uint64_t cuzk_device_keys_pin_limit(const engine_memory *memory, bool privileged);
LOCKED CUZK_NODISCARD cuzk_status cuzk_device_keys_init(const cuzk_engine_backend *backend,
                                                        device *d, cuzk_err *err);
void cuzk_device_keys_free(device *d);
/** The key is on the device, and there is memory for a proof with it. */
bool cuzk_device_key_is_usable(const device *d, uint32_t circuit, bool privileged);
/**
 * Loads the key of a circuit on the calling thread; idle keys are unloaded to make room. Releases the lock meanwhile.
 * E_BUDGET: nothing was loaded, because host memory is short or calls on the device must end first.
 */
LOCKED CUZK_NODISCARD cuzk_status cuzk_device_key_load(cuzk_engine *e, uint32_t index,
                                                       uint32_t circuit, bool privileged,
                                                       bool *waits_for_calls, cuzk_err *err);
/**
 * When idle keys take the memory that a call with a loaded key needs: unloads one; for a privileged call also while
 * other calls run. Releases the lock meanwhile. True: the state has changed, look again.
 */
LOCKED bool cuzk_device_key_evict_for_call(cuzk_engine *e, uint32_t index, uint32_t circuit,
                                           bool privileged);
/**
 * Unloads an idle key whose file failed, or that pins host memory while more is used than the budget allows. Releases
 * the lock meanwhile. True: the state has changed, look again.
 */
LOCKED bool cuzk_device_keys_tidy(cuzk_engine *e, uint32_t index);
/** The most partitions of a circuit that go to a device in one call. */
LOCKED uint32_t cuzk_device_keys_batch(const cuzk_engine *e, uint32_t circuit);
LOCKED bool cuzk_device_keys_starved(const device_table *devices);
/** Loads the key on every healthy device; *was_there becomes false when one had to be loaded. */
LOCKED CUZK_NODISCARD cuzk_status cuzk_device_keys_preload(cuzk_engine *e, uint32_t circuit,
                                                           bool *was_there, cuzk_err *err);
/** A call begins and ends. NULL when devices have no keys. */
LOCKED void *cuzk_device_key_take(cuzk_engine *e, uint32_t index, uint32_t circuit, bool privileged,
                                  cuzk_reservation *memory);
LOCKED void cuzk_device_key_give(cuzk_engine *e, uint32_t index, uint32_t circuit,
                                 cuzk_reservation *memory);
/** Marks a key whose file failed: no call begins with the key any more; cuzk_device_keys_tidy unloads it. */
LOCKED void cuzk_device_key_suspect(cuzk_engine *e, uint32_t index, uint32_t circuit);
/** Unloads the idle keys of a circuit (UINT32_MAX: of all circuits); false when a key is in use. */
LOCKED bool cuzk_device_keys_unload(cuzk_engine *e, uint32_t index, uint32_t circuit);

/* set_aside.c */
/** Logs that a device was quarantined, and wakes the threads that this concerns. */
LOCKED void cuzk_device_quarantined(cuzk_engine *e, uint32_t index, const char *why);
/**
 * The status to charge to a device's health after a failure: E_CANCELLED, which is not charged, when a file or host
 * memory caused it.
 */
cuzk_status cuzk_device_status(cuzk_status st);
/** A circuit was set aside on a device: its parameters are read again before the circuit is tried again. */
LOCKED void cuzk_circuit_set_aside(cuzk_engine *e, uint32_t index, uint32_t circuit);
/** The circuit is set aside on every device that could prove it now. */
LOCKED bool cuzk_circuit_is_out(const device_table *devices, uint32_t circuit, uint64_t now_ns);
/** Fails a job whose circuit is set aside on all devices. */
LOCKED void cuzk_circuit_fail_job(cuzk_engine *e, job *j, uint32_t circuit);
/** All devices may prove the circuit again, since its parameters have been loaded anew. */
LOCKED void cuzk_circuit_trust_all(device_table *devices, uint32_t circuit);

#endif /* CUZK_ENGINE_KEY_KEYS_H */
