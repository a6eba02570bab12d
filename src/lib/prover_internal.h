/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_LIB_PROVER_INTERNAL_H
#define CUZK_LIB_PROVER_INTERNAL_H

/* Prover, keys and tasks of <cuzk/prove.h>, as its files share them. */
#include <pthread.h>

#include <cuzk/prove.h>

#include "accel/accel.h"
#include "groth16/device/device_key.h"
#include "prover/keys/filecoin_key.h"
#include "prover/needs/filecoin_needs.h"
#include "prover/prove/witness_memory.h"
#include "trace/trace.h"
#include "vanilla/check/check.h"

#include "lib_internal.h"

#define LIB_MAX_DEVICES 16u
#define LIB_MAX_WORKERS 64u
#define LIB_MAX_INPUTS  65536u

typedef enum lib_key_state {
    LIB_KEY_EMPTY = 0,
    LIB_KEY_BUSY, /* a thread loads it or frees it */
    LIB_KEY_READY
} lib_key_state;

/** What proofs of one Filecoin circuit share. The fields up to used_at are under the prover's lock. */
typedef struct lib_key {
    lib_key_state state;
    bool is_kept; /* by cuzk_prover_load */
    uint32_t users;
    uint64_t bytes; /* counted in the prover's used */
    uint64_t used_at;
    cuzk_circuit_spec spec;
    cuzk_filecoin_circuit *circuit;
    cuzk_filecoin_params *params;
    cuzk_device_key *keys[LIB_MAX_DEVICES]; /* one per device of the prover */
    cuzk_witness_memory *memories[LIB_MAX_DEVICES];
} lib_key;

struct cuzk_prover {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* CLOCK_MONOTONIC */
    /* Immutable once created. */
    cuzk_params_dir dir;
    cuzk_pool *pool;
    cuzk_hashes *hashes;
    cuzk_accel *devices[LIB_MAX_DEVICES];
    size_t n_devices;
    uint64_t limit, device_limit; /* bytes of memory; limit UINT64_MAX: none */
    cuzk_log_fn log;
    void *log_arg;
    cuzk_trace_ctx program_trace; /* of lib_prover_for_program; else off */
    pthread_t workers[LIB_MAX_WORKERS];
    uint32_t n_workers;
    /* Under the lock. */
    uint32_t refs; /* the caller's, and one of each task and circom key */
    bool is_stopping;
    uint64_t used;      /* bytes that keys and running jobs count for */
    uint32_t n_holders; /* jobs that will give bytes back */
    uint64_t n_uses;
    cuzk_task *queue;   /* in the order in which tasks will run */
    cuzk_task *running; /* in no order */
    cuzk_circom_key *circom_keys;
    lib_key keys[CUZK_CIRCUIT_N_KINDS][CUZK_SECTOR_SHAPES];
};

typedef enum lib_task_state {
    LIB_TASK_QUEUED = 0,
    LIB_TASK_RUNNING,
    LIB_TASK_ENDED
} lib_task_state;

struct cuzk_task {
    cuzk_prover *p;
    cuzk_prove_request rq; /* inputs: the task's copy */
    const struct cuzk_filecoin_input
        *parsed;          /* of lib_prover_submit_parsed, in place of inputs; else NULL */
    cuzk_circom_key *key; /* counted; NULL: not of circom */
    size_t room;          /* for the proof, in bytes; SIZE_MAX: not known yet */
    cuzk_cancel cancel;
    cuzk_trace *trace; /* NULL: without spans */
    /* Under the prover's lock. */
    cuzk_task *next; /* in the queue, or among those that run */
    lib_task_state state;
    /* Of the worker until the task has ended; immutable afterwards. */
    cuzk_status st;
    cuzk_err err;
    uint8_t *proof; /* [proof_bytes] */
    size_t proof_bytes;
    uint64_t sector_bytes, constraints; /* 0: not known, or not of Filecoin */
    uint8_t *public_inputs;             /* [n_public * 32] of circom */
    size_t n_public;
};

/** "auto", "cpu", "cuda", "cuda:0,2" into p->devices. E_INVALID, E_UNSUPPORTED, device errors. */
CUZK_NODISCARD cuzk_status lib_devices_open(cuzk_prover *p, const char *spec, cuzk_err *err);
/** Everything on them must be gone. */
void lib_devices_close(cuzk_prover *p);

/**
 * The key of a circuit, loaded if need be, and job_bytes of the budget with it; waits until other jobs
 * have given back what is missing. E_BUDGET, E_CANCELLED, errors of loading. Give back with lib_key_give.
 */
CUZK_NODISCARD cuzk_status lib_key_take(lib_key **out, cuzk_prover *p,
                                        const cuzk_circuit_spec *spec, uint64_t job_bytes,
                                        const cuzk_cancel *cancel, cuzk_trace_ctx trace,
                                        cuzk_err *err);
void lib_key_give(cuzk_prover *p, lib_key *k, uint64_t job_bytes);
/** Frees what is loaded; nothing may be using it. */
void lib_keys_free(cuzk_prover *p);
/**
 * Bytes of the budget without a key; is_job: they will be given back soon, so that others may wait for
 * them. E_BUDGET, E_CANCELLED.
 */
CUZK_NODISCARD cuzk_status lib_bytes_take(cuzk_prover *p, uint64_t bytes, bool is_job,
                                          const char *what, const cuzk_cancel *cancel,
                                          cuzk_err *err);
void lib_bytes_give(cuzk_prover *p, uint64_t bytes, bool is_job);

/** One more reference. */
void lib_prover_ref(cuzk_prover *p);
/** Frees the prover when it was the last. */
void lib_prover_unref(cuzk_prover *p);

/** With the lock: asks a task to stop; one that waits in the queue ends at once. */
void lib_task_cancel_locked(cuzk_prover *p, cuzk_task *t);
/** Runs a task to its proof: fills proof, n_public and public_inputs. */
CUZK_NODISCARD cuzk_status lib_filecoin_run(cuzk_task *t, cuzk_trace_ctx trace, cuzk_err *err);
CUZK_NODISCARD cuzk_status lib_circom_run(cuzk_task *t, cuzk_trace_ctx trace, cuzk_err *err);
/** Memory for a proof of n bytes, before any proving. E_INVALID: its owner has no room for it, proof_bytes is set. E_NOMEM. */
CUZK_NODISCARD cuzk_status lib_task_make_room(cuzk_task *t, size_t n, cuzk_err *err);
/** Reports to the caller's function, and cancels the task when that asks for it. arg: cuzk_task. */
void lib_task_progress(void *arg, const char *step, uint64_t done, uint64_t total);

/** Frees what circom keys have on the devices; no task may be running. */
void lib_circom_close_devices(cuzk_prover *p);
/** Whose key it is. */
cuzk_prover *lib_circom_prover(const cuzk_circom_key *k);
cuzk_circom_key *lib_circom_ref(const cuzk_circom_key *k);

#endif /* CUZK_LIB_PROVER_INTERNAL_H */
