/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ENGINE_BACKEND_H
#define CUZK_ENGINE_BACKEND_H

/*
 * What the engine's runtime asks of a prover, stage by stage: the real one (backend_filecoin.c) runs
 * src/prover, the one of the tests injects faults. The runtime calls each function without locks;
 * calls run at once on several threads, but only one at a time per input and stage, and per witness.
 *
 * Every call that may take long watches cancel and then gives E_CANCELLED. Outputs are set on
 * success only. Memory: never more than was announced.
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
    uint64_t prove_bytes;  /* host, besides the witness, while a partition is proved and verified */
    uint64_t verify_bytes; /* of these, what is still needed when the proof is made */
    uint64_t cpu_extra_bytes; /* host, besides all of these, while the fallback device proves it */
    bool is_network;          /* of sectors that the main network has: shown for each device */
} cuzk_backend_circuit;

typedef struct cuzk_backend_device {
    uint32_t ordinal;
    char name[96];
    bool is_cpu;
    bool is_absent;   /* not there at the start: quarantined until a probe finds it */
    bool is_fallback; /* for when no other works; the last one, without keys */
    uint64_t memory_total, memory_free;
    uint64_t memory_held; /* of the total: kept for WinningPoSt, keys of it included */
} cuzk_backend_device;

/** What a device can do with a circuit, from the device's memory. */
typedef struct cuzk_backend_ability {
    cuzk_device_ability ability;
    uint64_t needed_bytes;    /* device memory: of the points and a proof where they stay, else of
                                 the smallest shape */
    uint64_t available_bytes; /* device memory for this circuit */
    uint32_t expected_ms;     /* of one statement; 0: not known */
    bool is_measured;         /* expected_ms was measured on such a card, not computed */
} cuzk_backend_ability;

/** The parameters of a circuit on a device. */
typedef struct cuzk_backend_key {
    void *object;
    uint64_t device_bytes;
    uint64_t pinned_bytes; /* host */
    uint64_t prove_bytes;  /* on the device, besides the key, while a partition is proved */
    uint32_t batch;        /* best number of partitions per device call; 0: the backend's */
    bool is_suspect;       /* the engine's: its file failed: no new users; it is loaded again */
} cuzk_backend_key;

#define CUZK_CIRCUIT_UNKNOWN UINT32_MAX

/** What a request says before it is parsed. */
typedef struct cuzk_backend_plan {
    uint32_t circuit;      /* index, or CUZK_CIRCUIT_UNKNOWN */
    uint64_t input_bytes;  /* host: the parsed input and its parser, at most */
    uint32_t n_partitions; /* of a request that says the number; 0: only the parsed input has it */
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

    /** The parameters of a circuit are there (a look at the file system); NULL: not known. */
    bool (*is_available)(void *arg, uint32_t circuit);
    /** From cached data: never waits for the device. */
    void (*device_info)(void *arg, uint32_t device, cuzk_backend_device *out);
    /** From cached data, like device_info. NULL: every device can prove every circuit. Of devices that are
     * there and have memory of their own. */
    void (*device_ability)(void *arg, uint32_t device, uint32_t circuit, cuzk_backend_ability *out);
    /** E_INVALID: a request that need not be accepted; names the field. */
    cuzk_status (*plan)(void *arg, const cuzk_job_request *rq, cuzk_backend_plan *out,
                        cuzk_err *err);
    /** *bytes: what it holds, at most what was announced. */
    cuzk_status (*load)(void *arg, uint32_t circuit, cuzk_load_what what, void **object,
                        uint64_t *bytes, cuzk_err *err);
    void (*unload)(void *arg, cuzk_load_what what, void *object);
    /** Also fails, naming the file, when the parameters of the circuit are not there. */
    cuzk_status (*parse)(void *arg, const cuzk_job_request *rq, cuzk_backend_input *out,
                         const cuzk_cancel *cancel, cuzk_err *err);
    /**
     * Witnesses of this input may be made before its check has ended. The runtime then runs the check
     * beside them, reports its failure first, and verifies nothing before it has passed. NULL: never.
     */
    bool (*may_start)(void *arg, const void *input);
    cuzk_status (*check)(void *arg, void *input, const cuzk_cancel *cancel, cuzk_trace_ctx trace,
                         cuzk_err *err);
    cuzk_status (*witness)(void *arg, void *input, void *circuit, uint32_t partition,
                           void **witness, const cuzk_cancel *cancel, cuzk_trace_ctx trace,
                           cuzk_err *err);
    /**
     * Devices with memory of their own; NULL: devices need no keys (the fallback never does). key_bytes: a
     * key with everything on the device. load_key takes at most device_bytes there and pinned_bytes of the host: points
     * that do not fit on the device go to host memory when host_bytes hold them, else they stream
     * from their file. The circuit outlives the key, the parameters need not.
     */
    uint64_t (*key_bytes)(void *arg, uint32_t device, uint32_t circuit);
    cuzk_status (*load_key)(void *arg, uint32_t device, uint32_t circuit, void *compiled,
                            void *params, uint64_t host_bytes, cuzk_backend_key *out,
                            cuzk_trace_ctx trace, cuzk_err *err);
    void (*unload_key)(void *arg, uint32_t device, uint32_t circuit, void *key);
    /** n witnesses of one circuit on a device, each with its own status. */
    void (*prove)(void *arg, uint32_t device, void *circuit, void *params, void *key,
                  cuzk_backend_work *work, uint32_t n, cuzk_trace_ctx trace);
    /** Work for verify that needs no proof, while a device has the witness. NULL: no such work. */
    void (*before_verify)(void *arg, void *input, void *params, uint32_t partition,
                          cuzk_trace_ctx trace);
    /** E_SELFTEST: the proof is wrong. Anything but CUZK_OK: it is not returned. */
    cuzk_status (*verify)(void *arg, void *input, void *params, uint32_t partition,
                          const uint8_t proof[192], cuzk_err *err);
    /**
     * CUZK_JOB_AGGREGATE, in place of witness, prove and verify: the input's proofs are verified, and so
     * is the aggregate. An input of this kind has one partition and no circuit (CUZK_CIRCUIT_UNKNOWN); its
     * bytes, and the plan's, hold what this call takes. *out [*n_out] is a block of base/alloc.h, the
     * caller's. NULL: no aggregates.
     */
    cuzk_status (*aggregate)(void *arg, void *input, uint8_t **out, size_t *n_out,
                             const cuzk_cancel *cancel, cuzk_trace_ctx trace, cuzk_err *err);
    /** What cuzk_engine_verify_aggregate needs: *bytes of host memory. E_INVALID. NULL: no aggregates. */
    cuzk_status (*plan_verify)(void *arg, const cuzk_job_request *rq, uint64_t *bytes,
                               cuzk_err *err);
    cuzk_status (*verify_aggregate)(void *arg, const cuzk_job_request *rq, cuzk_bytes aggregate,
                                    bool allow_trailing, cuzk_aggregate_verdict *out,
                                    cuzk_err *err);
    void (*free_input)(void *arg, void *input);
    void (*free_witness)(void *arg, void *witness);
    /** Whether a quarantined device works again. It has no keys then. */
    cuzk_status (*probe)(void *arg, uint32_t device, cuzk_err *err);
    void (*destroy)(void *arg);
} cuzk_engine_backend;

#endif /* CUZK_ENGINE_BACKEND_H */
