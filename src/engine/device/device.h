/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ENGINE_DEVICE_DEVICE_H
#define CUZK_ENGINE_DEVICE_DEVICE_H

/* Devices: their keys, their health, and the CPU for when no other one works. */
#include "engine/backend/backend.h"
#include "engine/engine_lock.h"
#include "engine/job/job.h"
#include "sched/budget.h"
#include "sched/device_health.h"
#include "sched/load_cache.h"

/** Keys of a device, by circuit; used when the backend's devices have memory of their own. */
typedef struct device_keys {
    cuzk_budget memory; /* of the device */
    cuzk_load_cache cache;
    cuzk_backend_key *key;   /* [n_circuits] of READY ones */
    cuzk_reservation *taken; /* [n_circuits] device memory of each */
    cuzk_reservation *host;  /* [n_circuits] pinned */
    uint32_t n_running;      /* calls that hold prove_bytes */
    uint32_t n_leaving;      /* keys that are being freed */
    bool is_loading;
    bool is_starved; /* a key waits for host memory: no partition starts meanwhile */
} device_keys;

typedef struct device {
    cuzk_backend_device info;
    device_keys keys;
    cuzk_health health;
    cuzk_circuit_health *circuits;   /* [n_circuits] */
    cuzk_backend_ability *abilities; /* [n_circuits] */
    bool has_abilities;              /* the backend says what the device can do */
    uint32_t slots;                  /* and one more, for privileged work */
    uint32_t n_regular;              /* workers */
    uint32_t n_places;               /* with the one for privileged work, */
    uint32_t express;                /* whose place this is */
    uint64_t jobs_done;
    struct {
        bool busy;
        char id[CUZK_JOB_ID_BYTES];
        cuzk_job_kind kind;
        uint32_t partition;
        uint64_t since_ns;
    } slot[CUZK_HEALTH_SLOTS]; /* first of the batch */
} device;

typedef struct device_table {
    GUARDED device all[MAX_DEVICES];
    uint32_t n, n_primary;          /* n_primary: without the fallback, which is the last one */
    GUARDED uint32_t slots, batch;  /* slots: of a primary device */
    GUARDED uint64_t batch_wake_ns; /* a partial batch starts then; 0: none waits */
    GUARDED uint64_t no_device_ns;  /* since when no device works; 0: one does */
    GUARDED bool on_cpu;            /* because no GPU works */
    GUARDED uint64_t on_cpu_since_ns, n_fallbacks;
} device_table;

/* device_keys.c */
bool cuzk_engine_has_keys(const cuzk_engine *e);
LOCKED bool cuzk_device_has_keys(const cuzk_engine *e, uint32_t index);
/** Most host memory that one key may pin. */
LOCKED uint64_t cuzk_device_keys_pin_limit(const cuzk_engine *e, bool privileged);
LOCKED CUZK_NODISCARD cuzk_status cuzk_device_keys_init(cuzk_engine *e, device *d, cuzk_err *err);
void cuzk_device_keys_free(device *d);
/** The key is there and so is memory for a proof. */
bool cuzk_device_key_is_usable(const device *d, uint32_t circuit, bool privileged);
/**
 * Loads the key of a circuit on the calling thread, letting go of the lock; idle keys make room.
 * E_BUDGET: nothing was tried, for lack of host memory or until the calls on the device are over.
 */
LOCKED CUZK_NODISCARD cuzk_status cuzk_device_key_load(cuzk_engine *e, uint32_t index,
                                                       uint32_t circuit, bool privileged,
                                                       bool *waits_for_calls, cuzk_err *err);
/** Idle keys have what a call needs: one goes, letting go of the lock. True: look again. */
LOCKED bool cuzk_device_key_clear_way(cuzk_engine *e, uint32_t index, uint32_t circuit,
                                      bool privileged);
/**
 * Unloads an idle key whose file gave trouble, or that pins host memory while more is used than the budget
 * allows. Releases the lock meanwhile. True: look again.
 */
LOCKED bool cuzk_device_keys_tidy(cuzk_engine *e, uint32_t index);
/** Partitions of a circuit that go to a device together, at most. */
LOCKED uint32_t cuzk_device_keys_batch(const cuzk_engine *e, uint32_t circuit);
LOCKED bool cuzk_device_keys_starved(const cuzk_engine *e);
/** On every good device; *was_there becomes false when one had to be loaded. */
LOCKED CUZK_NODISCARD cuzk_status cuzk_device_keys_preload(cuzk_engine *e, uint32_t circuit,
                                                           bool *was_there, cuzk_err *err);
/** A call begins and ends. NULL when devices have no keys. */
LOCKED void *cuzk_device_key_take(cuzk_engine *e, uint32_t index, uint32_t circuit, bool privileged,
                                  cuzk_reservation *memory);
LOCKED void cuzk_device_key_give(cuzk_engine *e, uint32_t index, uint32_t circuit,
                                 cuzk_reservation *memory);
/** The file of a key gave trouble: no call begins with the key any more; cuzk_device_keys_tidy unloads it. */
LOCKED void cuzk_device_key_suspect(cuzk_engine *e, uint32_t index, uint32_t circuit);
/** Unloads the keys of a circuit (or of all: UINT32_MAX) that are idle; false when one is not. */
LOCKED bool cuzk_device_keys_unload(cuzk_engine *e, uint32_t index, uint32_t circuit);

/* fallback.c */
LOCKED bool cuzk_engine_gpu_works(const cuzk_engine *e);
bool cuzk_engine_has_fallback(const cuzk_engine *e);
/** May take work now: in health, and the fallback only when no other device is. */
LOCKED bool cuzk_device_is_open(const cuzk_engine *e, uint32_t index);
/** A partition of this circuit could ever be proved by the fallback within the budget. */
LOCKED bool cuzk_fallback_fits(const cuzk_engine *e, uint32_t circuit, bool privileged);
/** The timer's: begins and ends the time on the CPU; *next_ns becomes earlier when need be. */
LOCKED void cuzk_fallback_tick(cuzk_engine *e, bool works, uint64_t now_ns, uint64_t *next_ns);
/** At the start: logs that the CPU proves, where the configuration did not ask for that. */
LOCKED void cuzk_fallback_note_absent(cuzk_engine *e);

/* ability.c */
CUZK_NODISCARD cuzk_status cuzk_device_abilities_init(cuzk_engine *e, uint32_t index,
                                                      cuzk_err *err);
/** Again: the device may be another one, or have other memory. */
LOCKED void cuzk_device_abilities_read(cuzk_engine *e, uint32_t index);
/** The device has the memory for a circuit, as far as is known. */
LOCKED bool cuzk_device_can(const cuzk_engine *e, uint32_t index, uint32_t circuit);
/**
 * May take work of a circuit now: it can prove the circuit and is open; the fallback also while other devices
 * work, when none of these can prove the circuit.
 */
LOCKED bool cuzk_device_serves(const cuzk_engine *e, uint32_t index, uint32_t circuit);
/** Only the fallback can ever prove the circuit. */
LOCKED bool cuzk_fallback_is_for_good(const cuzk_engine *e, uint32_t circuit);
/** E_DEV_UNFIT: no device can, nor the fallback; names circuit, device, needed and available memory. */
LOCKED CUZK_NODISCARD cuzk_status cuzk_engine_can_prove(const cuzk_engine *e, uint32_t circuit,
                                                        bool privileged, cuzk_err *err);

/* set_aside.c */
/** A device was quarantined: logs it, wakes those who have to do with it. */
LOCKED void cuzk_device_quarantined(cuzk_engine *e, uint32_t index, const char *why);
/** What a failure says of a device: nothing (E_CANCELLED) when a file or host memory is at fault. */
cuzk_status cuzk_device_status(cuzk_status st);
/** A circuit was set aside on a device: its parameters are read again before they are tried again. */
LOCKED void cuzk_circuit_set_aside(cuzk_engine *e, uint32_t index, uint32_t circuit);
/** The circuit is set aside on every device that could prove it now. */
LOCKED bool cuzk_circuit_is_out(const cuzk_engine *e, uint32_t circuit, uint64_t now_ns);
/** A job of a circuit that is out fails. */
LOCKED void cuzk_circuit_fail_job(cuzk_engine *e, job *j, uint32_t circuit);
/** The parameters of a circuit are others now. */
LOCKED void cuzk_circuit_trust_all(cuzk_engine *e, uint32_t circuit);

#endif /* CUZK_ENGINE_DEVICE_DEVICE_H */
