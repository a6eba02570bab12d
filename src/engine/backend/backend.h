/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ENGINE_BACKEND_H
#define CUZK_ENGINE_BACKEND_H

/*
 * The interface between the engine and a prover, one function for each stage. backend_filecoin.c implements it on
 * src/prover; the tests implement it with a mock that injects faults. The engine calls each function without its
 * lock. Calls run at once on several threads, but only one at a time for each input and stage, and for each witness.
 * Every call that may take long watches cancel and returns E_CANCELLED once it is set. Outputs are set on success
 * only. No call takes more memory than was announced.
 */
#include "engine/engine.h"
#include "prover/needs/filecoin_needs.h"
#include "sys/pool.h"

typedef struct cuzk_backend_circuit {
    char id[32]; /* "porep-32g" */
    cuzk_job_kind kind;
    uint64_t circuit_bytes, compile_bytes; /* host: loaded, and while it is being loaded */
    uint64_t params_bytes;                 /* host */
    uint64_t witness_bytes;                /* of a partition */
    /* host, in addition to the witness, while a partition is proved and verified */
    uint64_t prove_bytes;
    uint64_t verify_bytes; /* of these, what is still needed when the proof is made */
    /* host, in addition to all of the above, while the fallback device proves it */
    uint64_t cpu_extra_bytes;
    bool is_network; /* the main network has such sectors: shown for each device */
} cuzk_backend_circuit;

typedef struct cuzk_backend_device {
    uint32_t ordinal;
    char name[96];
    bool is_cpu;
    bool is_absent; /* missing at the start: quarantined until a probe finds it */
    /* the fallback: used when no other device works; the last device; has no keys */
    bool is_fallback;
    uint64_t memory_total, memory_free;
    uint64_t memory_held; /* of the total: kept for WinningPoSt, including its keys */
} cuzk_backend_device;

/** Whether and how fast a device can prove a circuit, computed from the device's memory. */
typedef struct cuzk_backend_ability {
    cuzk_device_ability ability;
    /* device memory: for the points and a proof when the points stay on the device, else for the smallest plan */
    uint64_t needed_bytes;
    uint64_t available_bytes; /* device memory for this circuit */
    uint32_t expected_ms;     /* for one statement; 0: not known */
    bool is_measured;         /* expected_ms was measured on such a card, not computed */
} cuzk_backend_ability;

/** Host memory that the parameters of a circuit may take, in bytes, while they are on a device. */
typedef struct cuzk_backend_host {
    uint64_t points;  /* copies of points that stream; 0: none, they stream from their file */
    uint64_t locked;  /* of that file, page-locked in the page cache; 0: none, it is read */
    bool small_pages; /* lock small pages too: slow, but no processor has to copy then */
} cuzk_backend_host;

/** The parameters of a circuit on a device. */
typedef struct cuzk_backend_key {
    void *object;
    uint64_t device_bytes;
    uint64_t pinned_bytes; /* host */
    uint64_t prove_bytes;  /* on the device, in addition to the key, while a partition is proved */
    /* what a call can do with, slower, when less than prove_bytes is free; 0: prove_bytes */
    uint64_t least_bytes;
    uint32_t batch; /* best number of partitions per device call; 0: the backend's */
    /* set by the engine: the key's file failed, so no new call uses the key, and it is loaded again */
    bool is_suspect;
} cuzk_backend_key;

#define CUZK_CIRCUIT_UNKNOWN UINT32_MAX

/** What is known of a request before it is parsed. */
typedef struct cuzk_backend_plan {
    uint32_t circuit;     /* index, or CUZK_CIRCUIT_UNKNOWN */
    uint64_t input_bytes; /* host: upper bound for the parsed input and its parser */
    /* number of partitions, if the request states it; 0: only the parsed input has it */
    uint32_t n_partitions;
} cuzk_backend_plan;

typedef struct cuzk_backend_input {
    void *object;
    uint32_t circuit;
    uint32_t n_partitions;
    uint64_t bytes; /* host */
} cuzk_backend_input;

/** One partition of a batch. */
typedef struct cuzk_backend_work {
    void *witness;
    uint8_t *proof; /* [192] out */
    const cuzk_cancel *cancel;
    cuzk_span_tags tags;
    cuzk_status status; /* out */
    cuzk_err err;       /* out */
} cuzk_backend_work;

typedef enum cuzk_load_what { CUZK_LOAD_CIRCUIT = 0, CUZK_LOAD_PARAMS = 1 } cuzk_load_what;

typedef struct cuzk_engine_backend {
    void *arg;
    uint32_t n_circuits, n_devices;
    const cuzk_backend_circuit *circuits; /* [n_circuits] */
    uint32_t batch;                       /* best number of partitions per device call */

    /** True when the parameter file of a circuit exists (a look at the file system). NULL: not known. */
    bool (*is_available)(void *arg, uint32_t circuit);
    /** From cached data: never waits for the device. */
    void (*device_info)(void *arg, uint32_t device, cuzk_backend_device *out);
    /**
     * From cached data, like device_info. NULL: every device can prove every circuit. For devices that are present
     * and have memory of their own.
     */
    void (*device_ability)(void *arg, uint32_t device, uint32_t circuit, cuzk_backend_ability *out);
    /** E_INVALID, naming the field: a request that the engine refuses without parsing it. */
    cuzk_status (*plan)(void *arg, const cuzk_job_request *rq, cuzk_backend_plan *out,
                        cuzk_err *err);
    /** *bytes: memory that the object holds, at most what was announced. */
    cuzk_status (*load)(void *arg, uint32_t circuit, cuzk_load_what what, void **object,
                        uint64_t *bytes, cuzk_err *err);
    void (*unload)(void *arg, cuzk_load_what what, void *object);
    /** Also fails, naming the file, when the circuit's parameter file does not exist. */
    cuzk_status (*parse)(void *arg, const cuzk_job_request *rq, cuzk_backend_input *out,
                         const cuzk_cancel *cancel, cuzk_err *err);
    /**
     * True: the engine may make witnesses of this input before its check has ended. It then runs the check at the
     * same time, reports a failure of the check before any other, and verifies no proof before the check has passed.
     * NULL: always false.
     */
    bool (*may_start)(void *arg, const void *input);
    cuzk_status (*check)(void *arg, void *input, const cuzk_cancel *cancel, cuzk_trace_ctx trace,
                         cuzk_err *err);
    cuzk_status (*witness)(void *arg, void *input, void *circuit, uint32_t partition,
                           void **witness, const cuzk_cancel *cancel, cuzk_trace_ctx trace,
                           cuzk_err *err);
    /**
     * Keys, for devices with memory of their own. NULL: devices need no keys (the fallback never does). key_bytes:
     * device memory that must be free so that a key is loaded with all its points on the device; it keeps less.
     * load_key takes at most device_bytes on the device and pinned_bytes of the host. Points that do not fit on the
     * device go to host memory when host->points hold them; otherwise they stream from their file, of which
     * host->locked may be page-locked. The circuit must outlive the key; the parameters need not.
     */
    uint64_t (*key_bytes)(void *arg, uint32_t device, uint32_t circuit);
    /**
     * Page-locked host memory that calls with a key keep; part of the key's pinned_bytes, though the first call takes
     * it. NULL: none.
     */
    uint64_t (*call_host_bytes)(void *arg, uint32_t device, uint32_t circuit);
    cuzk_status (*load_key)(void *arg, uint32_t device, uint32_t circuit, void *compiled,
                            void *params, const cuzk_backend_host *host, cuzk_backend_key *out,
                            cuzk_trace_ctx trace, cuzk_err *err);
    void (*unload_key)(void *arg, uint32_t device, uint32_t circuit, void *key);
    /** Proves n witnesses of one circuit on a device. Each gets its own status. */
    void (*prove)(void *arg, uint32_t device, void *circuit, void *params, void *key,
                  cuzk_backend_work *work, uint32_t n, cuzk_trace_ctx trace);
    /** The part of verify that needs no proof, run while a device has the witness. NULL: there is no such part. */
    void (*before_verify)(void *arg, void *input, void *params, uint32_t partition,
                          cuzk_trace_ctx trace);
    /** E_SELFTEST: the proof is wrong. The engine returns a proof only after CUZK_OK. */
    cuzk_status (*verify)(void *arg, void *input, void *params, uint32_t partition,
                          const uint8_t proof[192], cuzk_err *err);
    /**
     * For CUZK_JOB_AGGREGATE, in place of witness, prove and verify: verifies the proofs of the input, aggregates
     * them, and verifies the aggregate. An input of this kind has one partition and no circuit
     * (CUZK_CIRCUIT_UNKNOWN); its announced bytes, and the plan's, include what this call takes. *out [*n_out] is a
     * block of base/alloc.h that the caller owns. NULL: no aggregates.
     */
    cuzk_status (*aggregate)(void *arg, void *input, uint8_t **out, size_t *n_out,
                             const cuzk_cancel *cancel, cuzk_trace_ctx trace, cuzk_err *err);
    /** Host memory that cuzk_engine_verify_aggregate needs: *bytes. E_INVALID. NULL: no aggregates. */
    cuzk_status (*plan_verify)(void *arg, const cuzk_job_request *rq, uint64_t *bytes,
                               cuzk_err *err);
    cuzk_status (*verify_aggregate)(void *arg, const cuzk_job_request *rq, cuzk_bytes aggregate,
                                    bool allow_trailing, cuzk_aggregate_verdict *out,
                                    cuzk_err *err);
    void (*free_input)(void *arg, void *input);
    void (*free_witness)(void *arg, void *witness);
    /** CUZK_OK when a quarantined device works again. The device has no keys at this time. */
    cuzk_status (*probe)(void *arg, uint32_t device, cuzk_err *err);
    void (*destroy)(void *arg);
} cuzk_engine_backend;

#endif /* CUZK_ENGINE_BACKEND_H */
