/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_PROVER_PROVE_FILECOIN_INPUT_H
#define CUZK_PROVER_PROVE_FILECOIN_INPUT_H

/*
 * A proof in stages, each of which may run on its own thread: parse, check, witness of a partition,
 * proof (groth16/cpu/prove.h, or a device), verification. The input is immutable once it is made, so
 * partitions may be in different stages at once.
 */
#include "groth16/cpu/prove.h"
#include "prover/keys/filecoin_key.h"
#include "vanilla/check/public_inputs.h"
#include "vanilla/sector/miner.h"

typedef struct cuzk_filecoin_blob {
    const uint8_t *data;
    size_t size;
} cuzk_filecoin_blob;

/** What is to be proved as it arrives on the wire (docs/grpc.md). Views, read by parse only. */
typedef struct cuzk_filecoin_request {
    cuzk_circuit_kind kind;
    uint64_t sector_bytes;     /* 0: not said */
    uint64_t registered_proof; /* 0: not said, or the first of its kind */
    uint64_t miner_id;         /* PoRep: 0 leaves replica_id as the input gives it */
    uint64_t sector_number;
    uint32_t partition_index;      /* WindowPoSt; and of an update with is_one_partition */
    bool is_one_partition;         /* update: proofs has one blob, that of partition_index */
    cuzk_filecoin_blob randomness; /* PoSt: 32 bytes */
    cuzk_filecoin_blob comm_r_old, comm_r_new, comm_d_new; /* update: 32 bytes each */
    const cuzk_filecoin_blob *proofs; /* PoRep: one C1; PoSt: a blob per sector; update: per
                                         partition */
    size_t n_proofs;
    cuzk_pool *pool; /* optional: large inputs are parsed by its threads */
} cuzk_filecoin_request;

/**
 * The circuit of a request, as far as its numbers determine it: false when they do not give the sector size, which
 * the proofs then give. E_INVALID when the numbers contradict each other or name no circuit.
 */
CUZK_NODISCARD cuzk_status cuzk_filecoin_request_spec(cuzk_circuit_spec *out, bool *is_known,
                                                      const cuzk_filecoin_request *rq,
                                                      cuzk_err *err);
/** Partitions of a PoRep whose registered_proof the request says; 0: only the input has the number. */
uint32_t cuzk_filecoin_request_partitions(const cuzk_filecoin_request *rq);

/** A parsed input and its statement. */
typedef struct cuzk_filecoin_input {
    cuzk_circuit_spec spec;
    uint32_t n_partitions;
    const cuzk_porep_input *porep;
    cuzk_porep_statement porep_st;
    cuzk_porep_check_opts porep_check;
    cuzk_node prover_id;
    const cuzk_post_input *post;
    cuzk_post_statement post_st;
    const cuzk_update_input *const *updates; /* [n_partitions] */
    const cuzk_update_statement *update_sts;
    struct cuzk_filecoin_owned *owned; /* what was parsed; NULL: the above are the caller's */
} cuzk_filecoin_input;

/**
 * E_INVALID: a field of the request; E_FORMAT: the proofs. Nothing points into the request
 * afterwards.
 */
CUZK_NODISCARD cuzk_status cuzk_filecoin_input_parse(cuzk_filecoin_input **out,
                                                     const cuzk_filecoin_request *rq,
                                                     cuzk_err *err);
/** An input that borrows what was parsed elsewhere; spec is left to the caller. */
void cuzk_filecoin_input_of_porep(cuzk_filecoin_input *out, const cuzk_porep_input *in);
void cuzk_filecoin_input_of_post(cuzk_filecoin_input *out, const cuzk_post_input *in,
                                 const cuzk_post_statement *st);
/** Of a parsed one. NULL is fine. */
void cuzk_filecoin_input_destroy(cuzk_filecoin_input *in);
/** Heap that the input holds. */
uint64_t cuzk_filecoin_input_heap(const cuzk_filecoin_input *in);

/** The native check of the whole input: everything the circuit relies on. E_VANILLA, E_INVALID. */
CUZK_NODISCARD cuzk_status cuzk_filecoin_input_check(const cuzk_filecoin_input *in,
                                                     const cuzk_hashes *h, cuzk_pool *pool,
                                                     const cuzk_cancel *cancel, cuzk_err *err);
/**
 * True: witnesses may be made before or during the check, since all lengths are right. A caller that does so returns
 * no proof before the check has passed, and reports the check's failure before any other.
 */
bool cuzk_filecoin_input_is_shaped(const cuzk_filecoin_input *in);
/** Allocates and fills. The circuit must outlive the witness. */
CUZK_NODISCARD cuzk_status cuzk_filecoin_input_witness(cuzk_witness **out,
                                                       const cuzk_filecoin_input *in,
                                                       const cuzk_circuit *circuit,
                                                       uint32_t partition, const cuzk_hashes *h,
                                                       cuzk_pool *pool, const cuzk_cancel *cancel,
                                                       cuzk_err *err);
/** Fills a witness of that circuit that is as of cuzk_witness_create. */
CUZK_NODISCARD cuzk_status cuzk_filecoin_input_fill(cuzk_witness *w, const cuzk_filecoin_input *in,
                                                    uint32_t partition, const cuzk_hashes *h,
                                                    cuzk_pool *pool, const cuzk_cancel *cancel,
                                                    cuzk_err *err);
/**
 * Against inputs that come from the statement, not from the witness. E_SELFTEST names the
 * partition: the proof is wrong and must not be returned.
 */
CUZK_NODISCARD cuzk_status cuzk_filecoin_input_verify(const cuzk_filecoin_input *in,
                                                      const cuzk_vk *vk, uint32_t partition,
                                                      const uint8_t proof[CUZK_PROOF_BYTES],
                                                      cuzk_err *err);
/**
 * The same in two steps, the first of which needs no proof: a WindowPoSt has 26 thousand public inputs.
 * E_NOMEM, E_FORMAT. For the same vk and partition; destroyed with cuzk_verify_inputs_destroy.
 */
CUZK_NODISCARD cuzk_status cuzk_filecoin_input_claim(cuzk_verify_inputs **out,
                                                     const cuzk_filecoin_input *in,
                                                     const cuzk_vk *vk, uint32_t partition,
                                                     cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_filecoin_input_check_claim(
    const cuzk_filecoin_input *in, const cuzk_vk *vk, const cuzk_verify_inputs *claim,
    uint32_t partition, const uint8_t proof[CUZK_PROOF_BYTES], cuzk_err *err);

#endif /* CUZK_PROVER_PROVE_FILECOIN_INPUT_H */
