/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_PROVE_H
#define CUZK_PROVE_H

/*
 * Proving. A prover owns threads, devices and loaded keys; any thread gives it jobs. Every proof is
 * verified before it is returned. Any number of provers may be in one process. After fork() only the
 * parent may use them: threads are not copied.
 *
 *   cuzk_prover *prover;
 *   cuzk_prover_create(&prover, NULL, &error);
 *   cuzk_input c1 = {bytes, n};
 *   cuzk_prove_request request = {.struct_size = sizeof(request), .kind = CUZK_KIND_POREP,
 *                                 .inputs = &c1, .n_inputs = 1, .miner_id = 1000,
 *                                 .sector_number = 7};
 *   cuzk_prover_prove(prover, proof, sizeof(proof), &proof_bytes, &request, &error);
 *   cuzk_prover_destroy(prover);
 */
#include <cuzk/cuzk.h>
#include <cuzk/filecoin.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cuzk_prover cuzk_prover;

typedef struct cuzk_prover_options {
    uint32_t struct_size;
    uint32_t threads;  /* of computation, shared by all jobs; 0: all CPUs of the process */
    uint32_t workers;  /* jobs that run at once, others wait; 1 to 64; 0: 2 */
    uint32_t reserved; /* 0 */
    /** "auto": the first usable GPU, else the CPU; "cpu"; "cuda": all GPUs; "cuda:0,2". NULL: auto. */
    const char *devices;
    const char *params_folder; /* NULL: as cuzk_vk_load */
    /** Host memory in bytes for loaded keys, circom keys and running jobs together, by estimates that are made before the
     * memory is taken; 0: no limit. A job waits until others have given back what it needs; what can never fit is E_BUDGET.
     * Inputs and results are the caller's and are not counted. */
    uint64_t memory_bytes;
    uint64_t device_memory_bytes; /* of each GPU; 0: what is free */
    cuzk_log_fn log;              /* optional; called until the prover has been destroyed */
    void *log_arg;
} cuzk_prover_options;

/**
 * Starts the threads and opens the devices; options NULL: all defaults. Strings are copied. Keys are
 * loaded by the first job that needs them. E_NOMEM, E_IO (threads), E_INVALID (options), E_UNSUPPORTED
 * (a GPU was asked for and is not there).
 */
CUZK_API cuzk_status cuzk_prover_create(cuzk_prover **out, const cuzk_prover_options *options,
                                        cuzk_error *error);
/**
 * Cancels the jobs, waits for them, ends the threads, and gives back everything that no task or circom
 * key of this prover still needs. Those may be destroyed before or afterwards. NULL is fine. @thread no
 * other call on this prover.
 */
CUZK_API void cuzk_prover_destroy(cuzk_prover *p);

/**
 * Loads circuit and parameters now, and keeps them until they are unloaded. A job loads what it needs
 * by itself, and what no job uses makes room for others when memory_bytes is reached. Blocks for seconds, and cannot be
 * stopped. Errors as cuzk_vk_load, and E_BUDGET, E_NOMEM; of a GPU: E_DEV_NOMEM,
 * E_DEV_LOST, E_DEV_UNFIT.
 */
CUZK_API cuzk_status cuzk_prover_load(cuzk_prover *p, int32_t kind, uint64_t sector_bytes,
                                      cuzk_error *error);
/** Gives them back, also those that a job loaded. E_NOT_FOUND: not loaded; E_INVALID: a job is using them. */
CUZK_API cuzk_status cuzk_prover_unload(cuzk_prover *p, int32_t kind, uint64_t sector_bytes,
                                        cuzk_error *error);

/** Bytes of the caller: data [size], not NULL, size > 0. Read only; inputs of jobs may overlap. */
typedef struct cuzk_input {
    const uint8_t *data;
    size_t size;
} cuzk_input;

/** A circom circuit's key, loaded: points in memory, rows compiled. */
typedef struct cuzk_circom_key cuzk_circom_key;

/**
 * Loads a snarkjs .zkey over BLS12-381: points are checked to be on the curve, the verifying key in full.
 * The file is not needed afterwards. Blocks, and cannot be stopped. E_UNSUPPORTED: another field or protocol;
 * E_UNSAFE_KEY; E_FORMAT and others name file and section; E_NOT_FOUND, E_IO; E_BUDGET, E_NOMEM. Any number of threads
 * may use one key.
 */
CUZK_API cuzk_status cuzk_circom_key_load(cuzk_circom_key **out, cuzk_prover *p, const char *path,
                                          cuzk_error *error);
/** Jobs that use it keep it until they are destroyed. NULL is fine. @thread no other call on k. */
CUZK_API void cuzk_circom_key_destroy(cuzk_circom_key *k);
/** Its verifying key, valid as long as k. */
CUZK_API const cuzk_vk *cuzk_circom_key_vk(const cuzk_circom_key *k);

enum {
    CUZK_KIND_CIRCOM = 16 /* besides those of <cuzk/filecoin.h> */
};
enum {
    CUZK_PROVE_CHECK_ROWS =
        1, /* multiply all rows out first: E_UNSATISFIED names the row. Not CIRCOM */
    CUZK_PROVE_ONE_PARTITION = 2, /* only partition `partition` of a PoRep or update: 192 bytes */
    CUZK_PROVE_SPANS = 4,         /* keep times for cuzk_task_spans */
    CUZK_PROVE_BIND_SECTOR = 8 /* PoRep: miner_id and sector_number count even if miner_id is 0 */
};

/**
 * What to prove. Inputs, by kind:
 * - POREP: one: the C1 output, JSON or bincode as the network's libraries give it, bare or in an envelope
 *   (docs/spec/inputs.md); gzip, zstd and base64 are for the caller to unpack. miner_id other than 0: replica_id must be
 *   that of miner and sector.
 * - WINNING, WINDOW: one per sector: the vanilla proof, bincode. Sectors are sorted by number, as the chain verifies them; one
 *   that is there twice is E_INVALID. randomness.
 * - UPDATE: one per partition, in order: the vanilla proof, bincode. comm_r_old, comm_r_new, comm_d_new. With
 *   ONE_PARTITION the vanilla proof of `partition` alone will do.
 * - CIRCOM: one: the .wtns file's bytes. circom_key.
 * registered_proof (the chain's number: RegisteredSealProof, RegisteredPoStProof, RegisteredUpdateProof) or sector_bytes may
 * be 0 where the inputs or the other one say them. The 32-byte values are in the byte order of the chain.
 */
typedef struct cuzk_prove_request {
    uint32_t struct_size;
    int32_t kind;
    uint32_t flags;     /* CUZK_PROVE_... added up */
    uint32_t partition; /* WINDOW: index of the partition; with ONE_PARTITION: which */
    uint64_t sector_bytes;
    uint64_t registered_proof;
    uint64_t miner_id;
    uint64_t sector_number;
    const cuzk_input *inputs; /* [n_inputs] */
    size_t n_inputs;
    const cuzk_circom_key *circom_key;
    cuzk_progress_fn progress; /* optional; from threads of the library, one at a time */
    void *progress_arg;        /* the caller's until the job has ended */
    int32_t priority;          /* higher goes first; equal ones in order of submission */
    uint32_t reserved;         /* 0 */
    uint8_t randomness[32];
    uint8_t comm_r_old[32];
    uint8_t comm_r_new[32];
    uint8_t comm_d_new[32];
} cuzk_prove_request;

/**
 * Proves and waits: cuzk_prover_submit, wait, result and destroy in one; proof_bytes may be NULL. proof [capacity] gets *proof_bytes = 192 per
 * partition, in order; when capacity is less, E_INVALID, *proof_bytes is what is needed, and nothing was proved. The progress
 * function can stop it; another thread can not (use cuzk_prover_submit).
 * E_VANILLA: the input is false, found before proving; E_FORMAT, E_INVALID: malformed; E_NOT_FOUND:
 * parameters; E_BUDGET: needs more than memory_bytes; E_UNSATISFIED: a witness; E_CANCELLED;
 * E_SELFTEST: a computed proof did not verify (memory or device trouble), it was not returned; E_NOMEM, E_IO. On a GPU
 * also E_DEV_NOMEM and E_DEV_LOST: the device is of no use to this prover any more; destroy it and make another.
 */
CUZK_API cuzk_status cuzk_prover_prove(cuzk_prover *p, uint8_t *proof, size_t capacity,
                                       size_t *proof_bytes, const cuzk_prove_request *request,
                                       cuzk_error *error);

/** A submitted job. Any number of threads may wait for one, ask for its result, and cancel it. */
typedef struct cuzk_task cuzk_task;

/**
 * Queues a job and returns. The request and its array of inputs are copied; the bytes that inputs
 * point to stay the caller's and unchanged until cuzk_task_wait has returned 1 or the task is
 * destroyed. E_INVALID, E_NOMEM; what the inputs hold is judged by the job. Jobs of one prover run `workers` at a time, by
 * priority, then in the order of submission.
 */
CUZK_API cuzk_status cuzk_prover_submit(cuzk_task **out, cuzk_prover *p,
                                        const cuzk_prove_request *request, cuzk_error *error);
/** Waits at most timeout_ms (negative: for ever): 1 when the job has ended, 0 when not yet. */
CUZK_API int32_t cuzk_task_wait(cuzk_task *t, int64_t timeout_ms);
/** What is known of an ended task. */
typedef struct cuzk_task_info {
    uint32_t struct_size;  /* set by the caller */
    uint32_t partitions;   /* proofs in the result; 0 unless it was proved */
    uint64_t sector_bytes; /* 0: of CIRCOM, or the job ended before it was known */
    uint64_t constraints;  /* rows of the circuit; 0: the job ended before they were known */
} cuzk_task_info;
/** E_INVALID: struct_size, or the task has not ended. */
CUZK_API cuzk_status cuzk_task_get_info(cuzk_task_info *out, cuzk_task *t);
/** Asks the job to stop, and returns at once. It then ends with E_CANCELLED unless it was done. */
CUZK_API void cuzk_task_cancel(cuzk_task *t);
/** The result of an ended job as cuzk_prover_prove gives it, any number of times; proof_bytes may be NULL. E_INVALID:
 * not ended. */
CUZK_API cuzk_status cuzk_task_result(cuzk_task *t, uint8_t *proof, size_t capacity,
                                      size_t *proof_bytes, cuzk_error *error);
/**
 * Public inputs of an ended CIRCOM job, without ONE: out [capacity * 32] little-endian gets *n. E_INVALID
 * with *n set when capacity is less, or the job is of another kind or not proved.
 */
CUZK_API cuzk_status cuzk_task_public(cuzk_task *t, uint8_t *out, size_t capacity, size_t *n,
                                      cuzk_error *error);

/** A step of a job; 64 bytes. Times are those of CLOCK_MONOTONIC in nanoseconds. */
typedef struct cuzk_task_span {
    uint64_t begin_ns, end_ns;
    int32_t parent;    /* index in the array; -1: none */
    int32_t partition; /* -1: not of one */
    int32_t device;    /* number of the GPU; -1: the CPU */
    int32_t reserved;
    char name[32]; /* "parse", "load_params", "check", "witness", "msm_h", "verify", ... */
} cuzk_task_span;
/**
 * Steps of an ended job with CUZK_PROVE_SPANS, by their beginning: out [capacity] gets as many as fit,
 * the result is how many there are. 0 without the flag.
 */
CUZK_API size_t cuzk_task_spans(cuzk_task *t, cuzk_task_span *out, size_t capacity);
/** Cancels the job if it has not ended, waits for it, frees. NULL is fine. @thread no other call on t. */
CUZK_API void cuzk_task_destroy(cuzk_task *t);

/**
 * snarkjs's proof.json of a proof, as text with a NUL: out [capacity] gets it, *bytes its length without
 * the NUL. E_INVALID with *bytes set when capacity is not above it; E_ENCODING and others: no proof.
 */
CUZK_API cuzk_status cuzk_circom_proof_json(char *out, size_t capacity, size_t *bytes,
                                            const uint8_t proof[192], cuzk_error *error);
/** snarkjs's public.json of n public inputs, [n * 32] little-endian; otherwise the same. */
CUZK_API cuzk_status cuzk_circom_public_json(char *out, size_t capacity, size_t *bytes,
                                             const uint8_t *inputs, size_t n, cuzk_error *error);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_PROVE_H */
