/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ENGINE_ENGINE_INTERNAL_H
#define CUZK_ENGINE_ENGINE_INTERNAL_H

/*
 * The runtime: one mutex over all state, worker threads that take work from the queues under it and
 * work without it. Everything that decides is a state machine of its own (scheduler, batcher, budget,
 * load_cache, device_health); this is the part that has threads.
 *
 * A job goes ACCEPTING -> PREP (queue) -> PREPPING (parse, check) -> READY (its partitions fly) ->
 * ENDING (outcome decided, record and waiters to come) -> ENDED. A partition that has been started is
 * a flight: it owns its memory reservation, its references to circuit and parameters, its witness and
 * its own cancel flag, so that a call that hangs on a device can be abandoned without its job.
 */
#include <pthread.h>

#include "base/thread_safety.h"
#include "engine/backend/backend.h"
#include "engine/engine_config.h"
#include "engine/engine_status.h"
#include "sched/batcher.h"
#include "sched/budget.h"
#include "sched/device_health.h"
#include "sched/job_clock.h"
#include "sched/load_cache.h"

/*
 * The engine's one lock, as clang's analysis knows it; declared and never defined. LOCKED is a function that is
 * called with the lock and returns with it; it may release it meanwhile where its comment says so. No function
 * returns with another state of the lock than it was called with, but for cuzk_engine_lock and _unlock.
 */
struct CUZK_CAPABILITY("mutex") cuzk_engine_capability {
    char unused;
};
extern const struct cuzk_engine_capability cuzk_engine_mutex;
#define LOCKED         CUZK_REQUIRES(cuzk_engine_mutex)
#define GUARDED        CUZK_GUARDED_BY(cuzk_engine_mutex)
/* A function that runs before the first worker or after the last one: nobody else is there. */
#define ALONE          CUZK_NO_THREAD_SAFETY

#define MAX_DEVICES    17 /* the CPU for when none works included */
#define PROOF_BYTES    192
#define ERROR_BYTES    600
#define BUCKETS        8192u /* of the hash tables, a power of two */
#define MAX_WRONG      2     /* proofs of a partition that may fail to verify */
#define MAX_ERRORS     3     /* of a partition on devices, or for lack of memory */
#define WINNING_PLACES 16u   /* of the queue, which only privileged jobs take */
#define RAM_KEEP       1024u /* ended jobs in memory; the store has the others */
#define SHOWN_NS       (60 * 1000000000ull)
#define MS_NS          1000000ull

typedef enum job_phase {
    PHASE_ACCEPTING,
    PHASE_PREP,
    PHASE_PREPPING,
    PHASE_READY,
    PHASE_ENDING,
    PHASE_ENDED
} job_phase;

typedef struct job job;

/** A started partition. */
typedef struct flight {
    job *job; /* NULL: abandoned */
    uint32_t partition, circuit;
    cuzk_cancel cancel;
    cuzk_reservation memory;
    cuzk_reservation cpu_memory; /* beyond memory, while the fallback proves it */
    void *witness;
    bool is_busy; /* a worker has it; else a queue */
    int32_t device;
    uint32_t slot;
    uint64_t period; /* of the device's health, in which the proof was made */
    uint8_t proof[PROOF_BYTES];
    struct flight *next, *prev; /* all flights */
    struct flight *next_dead;
} flight;

typedef struct part {
    cuzk_partition_state state;
    cuzk_stage stage;
    int32_t device;
    uint32_t wrong, errors;
    uint64_t avoid; /* devices */
    flight *flight;
    uint64_t begin_ns[CUZK_STAGES], end_ns[CUZK_STAGES];
    uint8_t proof[PROOF_BYTES];
} part;

typedef enum waiter_state { WAITER_WAITING, WAITER_CALLING } waiter_state;

typedef struct waiter {
    cuzk_wait id;
    job *job;
    cuzk_job_done_fn done;
    void *arg;
    uint64_t until_ns; /* 0: no limit */
    waiter_state state;
    pthread_t caller;
    struct waiter *next; /* of the job */
    struct waiter *next_hash;
} waiter;

struct job {
    uint64_t number;
    char id[CUZK_JOB_ID_BYTES];
    cuzk_job_request rq; /* views into small and block */
    uint8_t *views;      /* of a request read back from the store */
    uint8_t *small;      /* everything of the request but the proofs */
    cuzk_owned_block block;
    bool has_block;
    bool is_parked;       /* the proofs are in the store only */
    uint64_t block_bytes; /* of the proofs */
    cuzk_reservation block_memory, input_memory;
    uint8_t content[32];
    job_phase phase;
    cuzk_job_state state; /* as told */
    cuzk_job_state outcome;
    uint32_t class_base;
    uint64_t deadline_ns;
    bool is_watched_only, is_stored, is_privileged;
    bool is_checking;    /* partitions fly already: none is verified before the check has passed */
    bool has_id;         /* the table of ids names it; its id stays its own after that */
    bool is_end_unsaved; /* over, and the store could not record that yet */
    bool is_left_in_store; /* cancelled by the end of the engine: taken up by the next one */
    cuzk_cancel cancel;
    cuzk_status code;
    char error[ERROR_BYTES]; /* class and text */
    char peer[CUZK_PEER_BYTES];
    cuzk_backend_plan plan;
    void *input;
    uint32_t circuit, n_partitions, n_done, input_users;
    uint32_t n_partitions_told; /* partitions in proof */
    part *parts;
    uint8_t *proof; /* of a completed job */
    uint32_t pins;  /* who still has the pointer: it is not freed */
    waiter *waiters;
    uint64_t accepted_ns, started_ns, ready_ns, launched_ns, ended_ns;
    int64_t accepted_unix_ms, deadline_unix_ms, ended_unix_ms;
    uint64_t prep_ns, witness_ns, device_ns;
    cuzk_job_clock clock;
    uint64_t stage_begin_ns[CUZK_STAGES], stage_end_ns[CUZK_STAGES]; /* of the whole job */
    uint64_t kept_ms[5];         /* queue, load, synthesis, gpu, total, once it is over */
    job *next_id, *next_content; /* hash chains */
    job *next, *prev;            /* all, in order of number */
    job *next_finish, *next_dead;
    bool in_dead;
};

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
    bool is_starved; /* a key waits for host memory: nobody starts partitions meanwhile */
} device_keys;

typedef struct device {
    cuzk_backend_device info;
    device_keys keys;
    cuzk_health health;
    cuzk_circuit_health *circuits; /* [n_circuits] */
    uint32_t slots;                /* and one more, for privileged work */
    uint32_t n_regular;            /* workers */
    uint32_t n_places;             /* with the one for privileged work, */
    uint32_t express;              /* whose place this is */
    uint64_t jobs_done;
    struct {
        bool busy;
        char id[CUZK_JOB_ID_BYTES];
        cuzk_job_kind kind;
        uint32_t partition;
        uint64_t since_ns;
    } slot[CUZK_HEALTH_SLOTS]; /* first of the batch */
} device;

/** What the loader is to do about an entry of the cache. */
typedef struct load_want {
    bool wanted, is_for_job;
    bool is_starved;    /* it was looked at, and there was no memory for it */
    cuzk_status status; /* of the last failure */
    char failure[ERROR_BYTES];
    uint64_t n_failures; /* tries that have failed, for those who wait */
    uint32_t tries;      /* in a row */
    uint64_t load_ns;    /* of the last load */
    bool is_suspect; /* READY, but its file gave trouble: to be loaded again, used by nobody new */
} load_want;

typedef enum worker_role {
    ROLE_PREP,
    ROLE_WITNESS,
    ROLE_DEVICE,
    ROLE_VERIFY,
    ROLE_LOADER,
    ROLE_FINISH,
    ROLE_TIMER,
    ROLE_RELEASE,
    ROLE_STORE,
    ROLE_LOG
} worker_role;

typedef struct worker {
    cuzk_engine *e;
    worker_role role;
    uint32_t index; /* ROLE_DEVICE: device */
    uint32_t slot;
    uint32_t rank;   /* ROLE_DEVICE, not express: idle from the device's slots on */
    bool is_express; /* privileged work only */
    uint64_t warmed; /* ROLE_DEVICE: circuits (bits) that were loaded ahead of need */
    pthread_t thread;
    bool is_started;
} worker;

#define MAX_WORKERS (14 + MAX_DEVICES * CUZK_HEALTH_SLOTS)

/** Lines for the logger. A logger that stalls loses lines, and holds up nobody. */
typedef struct log_line log_line;
typedef struct log_queue {
    log_line *lines; /* ring */
    uint32_t first, n;
    uint64_t n_lost;
} log_queue;
CUZK_NODISCARD cuzk_status cuzk_log_init(log_queue *q, cuzk_err *err);
/** Gives what is left to the logger; no other thread runs. */
void cuzk_log_free(cuzk_engine *e);

struct cuzk_engine {
    cuzk_engine_config cfg;
    cuzk_engine_backend *backend;
    cuzk_engine_backend own_backend;
    bool owns_backend;
    cuzk_job_store store;
    bool owns_store;
    cuzk_trace_ctx trace;

    pthread_mutex_t mu;
    /* One per kind of worker; cv_change for callers that wait (accept, preload, unwait). */
    pthread_cond_t cv_prep, cv_witness, cv_device, cv_verify, cv_loader, cv_finish, cv_timer,
        cv_release, cv_store, cv_log, cv_change;
    bool is_locks_ready;
    GUARDED bool stop, draining;
    uint64_t started_ns;

    GUARDED cuzk_budget host;
    GUARDED uint64_t block_limit, block_used; /* proofs of waiting jobs */
    GUARDED uint64_t input_limit, input_used; /* parsed inputs */
    uint64_t base_bytes;                      /* of the process itself */
    GUARDED cuzk_load_cache cache;            /* 2 per circuit: cuzk_load_what */
    GUARDED load_want *wants;                 /* [2 n_circuits] */

    GUARDED cuzk_sched prep, ready, on_device, to_verify;
    GUARDED uint32_t ready_limit; /* parsed jobs that wait */
    GUARDED device devices[MAX_DEVICES];
    uint32_t n_devices, n_primary; /* n_primary: without the fallback, which is the last one */
    GUARDED uint32_t slots, batch; /* slots: of a primary device */
    GUARDED uint64_t batch_wake_ns;
    GUARDED uint64_t no_device_ns; /* since when no device works; 0: one does */
    GUARDED bool on_cpu;           /* for want of a GPU that works */
    GUARDED uint64_t on_cpu_since_ns, n_fallbacks;

    GUARDED job *by_id[BUCKETS], *by_content[BUCKETS];
    GUARDED job *first, *last;
    GUARDED uint32_t n_open; /* not ENDED */
    GUARDED uint32_t n_ended;
    GUARDED uint64_t next_number;
    GUARDED job *finish_first, *finish_last;
    GUARDED flight *flights;
    GUARDED flight *dead_flights;
    GUARDED job *dead_jobs;
    GUARDED uint64_t dead_bytes;
    GUARDED uint32_t busy; /* flights and prep that hold memory which will come back */
    GUARDED waiter *waits[BUCKETS];
    GUARDED cuzk_wait next_wait;
    GUARDED uint32_t n_unsaved; /* jobs with is_end_unsaved */
    GUARDED log_queue log;

    GUARDED uint64_t completed[CUZK_JOB_KINDS + 1], failed[CUZK_JOB_KINDS + 1],
        cancelled[CUZK_JOB_KINDS + 1], reproved[CUZK_JOB_KINDS + 1];
    GUARDED cuzk_histogram stage[CUZK_STAGES][CUZK_JOB_KINDS + 1];
    GUARDED cuzk_histogram job_time[CUZK_JOB_KINDS + 1];

    worker workers[MAX_WORKERS];
    uint32_t n_workers;
};

/* engine_lock.c: the engine's one lock. */
CUZK_ACQUIRES(cuzk_engine_mutex) void cuzk_engine_lock(cuzk_engine *e);
CUZK_RELEASES(cuzk_engine_mutex) void cuzk_engine_unlock(cuzk_engine *e);
/** Waits on one of the engine's conditions; the lock is released meanwhile. */
LOCKED void cuzk_engine_wait(cuzk_engine *e, pthread_cond_t *cv);
/** The same until a time of cuzk_clock_ns, at most. */
LOCKED void cuzk_engine_wait_until(cuzk_engine *e, pthread_cond_t *cv, uint64_t until_ns);
CUZK_NODISCARD bool cuzk_engine_locks_init(cuzk_engine *e);
void cuzk_engine_locks_destroy(cuzk_engine *e);
/** Wakes every worker and every caller that waits. */
void cuzk_engine_wake_all(cuzk_engine *e);

/* All functions below want the lock held, unless they say otherwise. */

/* job_table.c */
LOCKED job *cuzk_job_by_id(cuzk_engine *e, const char *id);
/** A job with this content and request_id that is under way or has completed. */
LOCKED job *cuzk_job_joinable(cuzk_engine *e, const uint8_t content[32], cuzk_bytes request_id);
LOCKED void cuzk_job_insert(cuzk_engine *e, job *j);
void cuzk_job_insert_id(cuzk_engine *e, job *j);
void cuzk_job_remove_id(cuzk_engine *e, job *j);
/** Takes it out of all tables and frees it, or leaves that to the last unpin. */
LOCKED void cuzk_job_forget(cuzk_engine *e, job *j);
void cuzk_job_unpin(cuzk_engine *e, job *j);
bool cuzk_job_is_privileged(void *arg, const cuzk_sched_item *item);
void cuzk_job_item(const job *j, uint32_t partition, uint64_t now_ns, cuzk_sched_item *out);
/** After deadline or class has changed. */
void cuzk_job_refresh_items(cuzk_engine *e, job *j);

/* job_request.c; no lock needed */
/** SHA-256 of what is to be proved: everything but request_id, priority, deadline and who watches. */
void cuzk_job_content(uint8_t out[32], const cuzk_job_request *rq);
/** Copies the small fields; proofs go into the given block, or are copied when that is NULL. */
CUZK_NODISCARD cuzk_status cuzk_job_take_request(job *j, const cuzk_job_request *rq,
                                                 const cuzk_owned_block *block, cuzk_err *err);
uint64_t cuzk_job_proof_bytes(const cuzk_job_request *rq);
void cuzk_job_drop_block(job *j);

/* job_end.c */
/** Decides the outcome once; later calls change nothing. text may be NULL. */
LOCKED void cuzk_job_over(cuzk_engine *e, job *j, cuzk_job_state outcome, cuzk_status code,
                          const char *text);
/** What follows from a decided outcome, once the store has the job. */
LOCKED void cuzk_job_end(cuzk_engine *e, job *j);
/** The store has recorded the end of a job, or has not (text: why). */
LOCKED void cuzk_job_end_saved(cuzk_engine *e, job *j, cuzk_status st, const char *text);
/** Ended jobs beyond what is kept in memory go; the store has them. */
LOCKED void cuzk_jobs_forget_old(cuzk_engine *e);
/** Frees input and block when nobody uses them any more. */
LOCKED void cuzk_job_settle(cuzk_engine *e, job *j);
/** without proofs unless with_input: they may be gone. */
void cuzk_job_fill_record(const job *j, bool with_input, cuzk_job_record *out);
void cuzk_job_fill_result(const job *j, cuzk_job_result *out);
void cuzk_job_fill_times(const job *j, uint64_t now_ns, cuzk_job_times *out);
/** The error without its class. */
const char *cuzk_job_error_text(const job *j);

/* flight.c */
LOCKED flight *cuzk_flight_start(cuzk_engine *e, job *j, uint32_t partition, uint64_t now_ns);
/** To the release thread. */
LOCKED void cuzk_flight_drop(cuzk_engine *e, flight *f);
/** Again, when that may help and has not been tried too often; else the job fails. */
LOCKED void cuzk_flight_part_failed(cuzk_engine *e, flight *f, cuzk_status st, const char *text);
/** The partition will be started again. */
LOCKED void cuzk_flight_again(cuzk_engine *e, flight *f);
/** The device does not come back: the call keeps its flight, the job goes on without it. */
LOCKED void cuzk_flight_abandon(cuzk_engine *e, flight *f, bool is_hopeless, const char *text);
void cuzk_stage_begin(cuzk_engine *e, job *j, uint32_t partition, cuzk_stage s, uint64_t now_ns);
void cuzk_stage_end(cuzk_engine *e, job *j, uint32_t partition, cuzk_stage s, uint64_t now_ns);
void cuzk_histogram_add(cuzk_histogram *h, uint64_t ns);

/* host_memory.c */
/** Takes host memory, sending idle circuits away when there is too little (then false for now). */
LOCKED bool cuzk_engine_take_host(cuzk_engine *e, cuzk_reservation *r, uint64_t bytes,
                                  bool privileged, bool may_evict, uint64_t now_ns);
void cuzk_engine_give_host(cuzk_engine *e, cuzk_reservation *r, uint64_t keep);
/** Everybody who may be waiting for memory. */
void cuzk_engine_wake_memory(cuzk_engine *e);
/** E_BUDGET with the numbers when a job of this circuit and input can never run. */
LOCKED CUZK_NODISCARD cuzk_status cuzk_engine_can_fit(const cuzk_engine *e, uint32_t circuit,
                                                      uint64_t input_bytes, bool privileged,
                                                      cuzk_err *err);
/** Starts the freeing of an entry of the cache; false when it is not there or in use. */
LOCKED bool cuzk_engine_evict_entry(cuzk_engine *e, uint32_t id);
uint32_t cuzk_engine_load_id(uint32_t circuit, cuzk_load_what what);

/* waiters.c */
LOCKED waiter *cuzk_waiter_add(cuzk_engine *e, job *j, cuzk_job_done_fn done, void *arg,
                               uint64_t until_ns);
/** Calls it without the lock (which is held before and after), then frees it. */
LOCKED void cuzk_waiter_call(cuzk_engine *e, waiter *w);
/** Cancels a job that lives for its waiters only when there is none. */
LOCKED void cuzk_waiters_check(cuzk_engine *e, job *j);
/** Calls every waiter of a job that is over. */
LOCKED void cuzk_waiters_call_all(cuzk_engine *e, job *j);
/** Calls those whose time is over; the earliest other time, 0: none. */
LOCKED uint64_t cuzk_waiters_expire(cuzk_engine *e, uint64_t now_ns);

/* stages: one worker's loop each; called without the lock */
void cuzk_prep_loop(worker *w);
void cuzk_witness_loop(worker *w);
void cuzk_device_loop(worker *w);
void cuzk_verify_loop(worker *w);
void cuzk_loader_loop(worker *w);
void cuzk_timer_loop(worker *w);
void cuzk_release_loop(worker *w);
void cuzk_finish_loop(worker *w);
void cuzk_store_loop(worker *w);
void cuzk_log_loop(worker *w);

/* loader.c */
/** Bytes that loads need which had no memory: others take only what is free beyond them. */
LOCKED uint64_t cuzk_loads_starved_bytes(const cuzk_engine *e);
/** Trouble with a parameter file: its disk, or points that are none. Says nothing of a device. */
bool cuzk_engine_is_file_trouble(cuzk_status st);
/** What a job that fails by that is told: E_IO, for the request is not at fault. Others as they are. */
cuzk_status cuzk_engine_file_status(cuzk_status st);
/** The file may have been replaced or come back: opened again as soon as nobody uses it any more. */
LOCKED void cuzk_engine_suspect_params(cuzk_engine *e, uint32_t circuit);
/** After a user of the parameters has gone. */
LOCKED void cuzk_engine_drop_suspect(cuzk_engine *e, uint32_t circuit);

/* reconfigure.c */
/** Defaults for zeros. No lock needed. */
void cuzk_engine_config_complete(cuzk_engine_config *c);
/** Budget and the limits that follow from it; base_bytes is set. E_BUDGET changes nothing. */
LOCKED CUZK_NODISCARD cuzk_status cuzk_engine_size_memory(cuzk_engine *e, const cuzk_engine_config *c,
                                                   cuzk_err *err);
LOCKED void cuzk_engine_set_slots(cuzk_engine *e, unsigned slots);
LOCKED void cuzk_engine_set_batch(cuzk_engine *e, uint32_t max_batch_size);
void cuzk_engine_set_ages(cuzk_engine *e, uint64_t age_ms);
/** Partitions that may be on their way to a device, or from it. */
uint32_t cuzk_engine_flying_limit(uint32_t max_queued_jobs);
/** engine.c: threads for so many slots of each device, where there are fewer. */
LOCKED CUZK_NODISCARD cuzk_status cuzk_engine_add_workers(cuzk_engine *e, unsigned slots,
                                                          cuzk_err *err);

/* fallback.c */
LOCKED bool cuzk_engine_gpu_works(const cuzk_engine *e);
bool cuzk_engine_has_fallback(const cuzk_engine *e);
/** May take work now: in health, and the fallback only when no other device is. */
LOCKED bool cuzk_device_is_open(const cuzk_engine *e, uint32_t index);
/** A partition of this circuit could ever be proved by the fallback within the budget. */
LOCKED bool cuzk_fallback_fits(const cuzk_engine *e, uint32_t circuit, bool privileged);
/** The timer's: begins and ends the time on the CPU; *next_ns becomes earlier when need be. */
LOCKED void cuzk_fallback_tick(cuzk_engine *e, bool works, uint64_t now_ns, uint64_t *next_ns);
/** At the start: says it when the CPU proves although nobody asked for that. */
LOCKED void cuzk_fallback_note_absent(cuzk_engine *e);

/* device_keys.c */
bool cuzk_engine_has_keys(const cuzk_engine *e);
LOCKED bool cuzk_device_has_keys(const cuzk_engine *e, uint32_t index);
/** Most host memory that one key may pin. */
LOCKED uint64_t cuzk_device_keys_pin_limit(const cuzk_engine *e, bool privileged);
CUZK_NODISCARD cuzk_status cuzk_device_keys_init(cuzk_engine *e, device *d, cuzk_err *err);
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

/* restore.c */
CUZK_NODISCARD cuzk_status cuzk_engine_take_up(cuzk_engine *e, cuzk_err *err);

/** Where a job's proofs were made: ordinals and "cpu", with commas. */
LOCKED void cuzk_job_devices(const cuzk_engine *e, const job *j, char *out, size_t n);
/* engine_log.c: with the lock; a thread of its own gives the lines to the logger. */
#define LOG_PAIRS 20
/** Queues a line: kv [LOG_PAIRS] names and values, up to a NULL. A full queue counts it as lost. */
void cuzk_engine_log(cuzk_engine *e, int level, const char *event, const char *const *kv);
void cuzk_engine_log_job(cuzk_engine *e, int level, const char *event, const job *j,
                         const char *key, const char *value);
LOCKED void cuzk_engine_log_device(cuzk_engine *e, int level, const char *event, uint32_t index,
                                   const char *why);

#endif /* CUZK_ENGINE_ENGINE_INTERNAL_H */
