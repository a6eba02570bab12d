/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ENGINE_DEVICE_DEVICE_H
#define CUZK_ENGINE_DEVICE_DEVICE_H

/* Devices: their keys, their health, and the CPU as fallback for the time when no other device works. */
#include "engine/backend/backend.h"
#include "engine/job/job.h"
#include "engine/lock/engine_lock.h"
#include "sched/budget.h"
#include "sched/device_health.h"
#include "sched/load_cache.h"

/** Keys of a device, one for each circuit; used when the backend's devices have memory of their own. */
typedef struct device_keys {
    cuzk_budget memory; /* of the device, in bytes */
    cuzk_load_cache cache;
    cuzk_backend_key *key;   /* [n_circuits] of READY ones */
    cuzk_reservation *taken; /* [n_circuits] device memory of each */
    cuzk_reservation *host;  /* [n_circuits] pinned */
    uint32_t n_running;      /* calls that hold prove_bytes */
    uint32_t n_leaving;      /* keys that are being freed */
    bool is_loading;
    /* a key waits for host memory: no partition starts on this device until it has it */
    bool is_starved;
} device_keys;

typedef struct device {
    cuzk_backend_device info;
    device_keys keys;
    cuzk_health health;
    cuzk_circuit_health *circuits;   /* [n_circuits] */
    cuzk_backend_ability *abilities; /* [n_circuits] */
    bool has_abilities;              /* the backend knows which circuits the device can prove */
    uint32_t slots;                  /* and one more worker, for privileged work only */
    uint32_t n_regular;              /* workers */
    uint32_t n_places;               /* with the one for privileged work, */
    uint32_t express;                /* the slot of the worker that makes this call */
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
    uint32_t n,
        n_primary; /* n_primary: number of devices without the fallback, which is the last one */
    GUARDED uint32_t slots, batch; /* slots: of a primary device */
    /* how often the lock was released to unload or load a key */
    GUARDED uint64_t n_released;
    GUARDED uint64_t batch_wake_ns; /* time at which a partial batch starts; 0: no batch waits */
    GUARDED uint64_t no_device_ns;  /* time since which no device works; 0: a device works */
    GUARDED bool on_cpu;            /* because no GPU works */
    GUARDED uint64_t on_cpu_since_ns, n_fallbacks;
} device_table;

/* fallback.c */
LOCKED bool cuzk_engine_gpu_works(const device_table *devices);
/** The device may take work now: it is healthy, and if it is the fallback, no other device is healthy. */
LOCKED bool cuzk_device_is_open(const device_table *devices, uint32_t index);
/** True when the budget is large enough for the fallback to prove a partition of this circuit. */
LOCKED bool cuzk_fallback_fits(const cuzk_engine *e, uint32_t circuit, bool privileged);
/**
 * Called by the timer: begins and ends the use of the CPU as fallback. *next_ns is lowered to the time of the next
 * call, if that is earlier.
 */
LOCKED void cuzk_fallback_tick(cuzk_engine *e, bool works, uint64_t now_ns, uint64_t *next_ns);
/** At the start: logs that the CPU proves, unless the configuration asked for the CPU. */
LOCKED void cuzk_fallback_note_absent(cuzk_engine *e);

/* ability.c */
CUZK_NODISCARD cuzk_status cuzk_device_abilities_init(cuzk_engine *e, uint32_t index,
                                                      cuzk_err *err);
/** Asks the backend again after a probe: the device may be another one, or have other memory. */
LOCKED void cuzk_device_abilities_read(cuzk_engine *e, uint32_t index);
/** True unless it is known that the device has too little memory for the circuit. */
LOCKED bool cuzk_device_can(const device_table *devices, uint32_t index, uint32_t circuit);
/**
 * The device may take work of a circuit now: it can prove the circuit, and it is open. The fallback takes work also
 * while other devices work, when none of these can prove the circuit.
 */
LOCKED bool cuzk_device_serves(const device_table *devices, uint32_t index, uint32_t circuit);
/** Only the fallback can ever prove the circuit. */
LOCKED bool cuzk_fallback_is_for_good(const device_table *devices, uint32_t circuit);
/** E_DEV_UNFIT: no device can, nor the fallback; names circuit, device, needed and available memory. */
LOCKED CUZK_NODISCARD cuzk_status cuzk_engine_can_prove(const cuzk_engine *e, uint32_t circuit,
                                                        bool privileged, cuzk_err *err);

#endif /* CUZK_ENGINE_DEVICE_DEVICE_H */
