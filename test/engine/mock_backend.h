/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_ENGINE_MOCK_BACKEND_H
#define CUZK_TEST_ENGINE_MOCK_BACKEND_H

/*
 * A prover that proves nothing: jobs are a few bytes, proofs are hashes of them, and every stage can
 * be made slow, wrong, out of memory, or stopped at a gate. It counts what the engine should have
 * reserved for it.
 *
 * A job is a mock_job as vanilla_proof or as the only vanilla_proofs. The proof of a partition is
 * SHA-256 of job and partition, six times.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "engine/backend/backend.h"
#include "engine/engine_config.h"
#include "engine/engine_status.h"

#define MOCK_DEVICES 3
#define MOCK_CPU     MOCK_DEVICES /* index of the arrays, of the fallback */
#define MOCK_MIB     ((uint64_t)1 << 20)

typedef enum mock_stage {
    MOCK_PARSE,
    MOCK_CHECK,
    MOCK_WITNESS,
    MOCK_PROVE,
    MOCK_VERIFY,
    MOCK_LOAD,
    MOCK_LOAD_KEY, /* these three: gates and times only */
    MOCK_UNLOAD_KEY,
    MOCK_PROBE,
    MOCK_AGGREGATE,
    MOCK_STAGES
} mock_stage;

typedef struct mock_job {
    uint64_t tag;
    uint32_t n_partitions;
    uint32_t bad_input; /* 1: parse refuses, 2: check refuses */
} mock_job;

typedef struct mock_backend {
    cuzk_engine_backend vtable;
    cuzk_backend_circuit
        circuits[5]; /* porep, update, window, winning; one more for cards/mock_card.c */
    void *use_arg;   /* of cards/mock_card.c */
    uint32_t n_devices;
    /* chances in 1/1000, of a call */
    _Atomic uint32_t fail[MOCK_STAGES]; /* retryable trouble */
    _Atomic uint32_t lost, wrong;       /* of a device call */
    _Atomic uint32_t bad_file;      /* of a device call or a key's load: the parameter file fails */
    _Atomic uint32_t wrong_device;  /* 1 + a device whose proofs are all wrong */
    _Atomic uint32_t wrong_circuit; /* 1 + a circuit whose proofs are all wrong */
    _Atomic uint32_t lost_device;   /* 1 + a device that loses its context with every call */
    _Atomic uint32_t sleep_us[MOCK_STAGES];
    _Atomic uint64_t random;
    /* Gates: a call of the stage waits while it is closed, or until it is cancelled. */
    pthread_mutex_t mu;
    pthread_cond_t cv;
    bool closed[MOCK_STAGES];
    bool ignores_cancel; /* a device that hangs */
    uint32_t inside[MOCK_STAGES];
    bool has_fallback;
    bool plans_partitions;   /* a request says how many partitions it has */
    _Atomic bool no_gpu;     /* every GPU loses its context, and stays lost */
    uint32_t hanging_device; /* 1 + a device whose calls never end while PROVE is closed; 0: all */
    uint32_t n_hanging;      /* only so many of its calls hang; 0: all */
    /* Counted. */
    _Atomic uint64_t used, peak; /* bytes that the engine must have reserved */
    _Atomic uint64_t calls[MOCK_STAGES], proofs_of_device[MOCK_DEVICES + 1];
    _Atomic uint64_t device_calls;       /* each may prove several partitions */
    _Atomic uint32_t aggregates_to_fail; /* with E_IO, before one succeeds */
    _Atomic uint32_t on_device[MOCK_DEVICES + 1], most_on_device, probes_to_fail;
    _Atomic uint32_t hung,
        keys_of[MOCK_DEVICES + 1];  /* calls that hang; keys there or being freed */
    _Atomic uint32_t probed_in_use; /* probes of a device that has keys or calls: must stay 0 */
    uint32_t cannot[MOCK_DEVICES];  /* circuits (bits) that a device has no memory for */
    _Atomic uint32_t unfit;         /* proofs of such a circuit on such a device: must stay 0 */
    uint64_t device_total;          /* 0: devices need no keys */
    _Atomic uint64_t device_used[MOCK_DEVICES]; /* by keys and calls */
    _Atomic uint32_t device_over, n_keys, keys_loaded,
        keys_from_file; /* device_over: must stay 0 */
    uint64_t order[64]; /* tags in the order in which they came to a device */
    uint32_t n_order;
} mock_backend;

void mock_init(mock_backend *b, uint32_t n_devices);
/** Devices with memory of their own: keys of 30 MiB (winning: 3), calls of 8. */
void mock_use_keys(mock_backend *b, uint64_t device_total);
/** Devices say what they can do: all but the circuits (bits) of cannot[i]. */
void mock_use_abilities(mock_backend *b, const uint32_t cannot[MOCK_DEVICES]);
/** Partitions start before the check has ended, and there is work for verification beside the device's, 5 ms. */
void mock_starts_early(mock_backend *b);
/** The CPU as one more device, for when none of the others works; it takes three times the memory. */
void mock_use_fallback(mock_backend *b);
void mock_destroy(mock_backend *b);
void mock_close(mock_backend *b, mock_stage s);
void mock_open(mock_backend *b, mock_stage s);
/** Waits until n calls are inside a stage. */
void mock_wait_inside(mock_backend *b, mock_stage s, uint32_t n);
/** The right proof of a partition. */
void mock_proof(uint8_t out[192], const mock_job *job, uint32_t partition);

/** A request for a mock_job; view is the caller's, and needed for all kinds but PoRep. */
void mock_request(cuzk_job_request *out, cuzk_job_kind kind, const mock_job *job, cuzk_bytes *view,
                  const char *id);

/** A store in memory whose calls fail at times, for 1000 * chance of them. Destroy by destroy. */
typedef struct mock_store {
    cuzk_job_store vtable, inner;
    _Atomic uint32_t fail_put, fail_finish, put_us;
    _Atomic bool holds_find, holds_content,
        holds_prune; /* calls of find, find_content, prune wait until this is false */
    _Atomic uint64_t in_find, in_prune; /* calls that waited or wait */
    _Atomic uint64_t random;
} mock_store;
void mock_store_init(mock_store *s);
void mock_store_destroy(mock_store *s);

#endif /* CUZK_TEST_ENGINE_MOCK_BACKEND_H */
