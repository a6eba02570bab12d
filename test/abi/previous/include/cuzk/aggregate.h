/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_PUBLIC_AGGREGATE_H
#define CUZK_PUBLIC_AGGREGATE_H

/*
 * Aggregates of Groth16 proofs over BLS12-381 (SnarkPack), in the bytes of bellperson and the Filecoin
 * network: made, and verified. Results are those of cuzk/verify.h; E_IO also stands for a file that
 * cannot be read. No global state. Buffers are the caller's and are only read during a call.
 *
 *   cuzk_aggregate_srs *srs;
 *   cuzk_aggregate_claim claim = {inputs, n, cuzk_vk_n_inputs(vk), include, 32};
 *   cuzk_aggregate_include_seals(include, comm_rs, seeds, n_sectors);
 *   if (cuzk_aggregate_srs_open(&srs, path, CUZK_AGGREGATE_DEFAULT, NULL, 0) == CUZK_VERIFY_OK &&
 *       cuzk_aggregate_verify(srs, vk, &claim, aggregate, n_bytes, CUZK_AGGREGATE_DEFAULT, NULL, 0) ==
 *           CUZK_VERIFY_OK) { ... all n are proven ... }
 *   cuzk_aggregate_srs_close(srs);
 */
#include "verify.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The inner-product SRS: a file of powers of two secrets. Immutable once open; any thread may use it. */
typedef struct cuzk_aggregate_srs cuzk_aggregate_srs;

/** Options of cuzk_aggregate_srs_open and cuzk_aggregate_verify; may be joined by |. */
enum {
    CUZK_AGGREGATE_DEFAULT = 0,
    /** Open: take an SRS that is not the network's. Who knows its secrets can forge aggregates. */
    CUZK_AGGREGATE_ANY_SRS = 1,
    /** Verify: ignore bytes after the aggregate, as the network's verifier does. */
    CUZK_AGGREGATE_ALLOW_TRAILING = 2,
    /** Verify as version 1, which proves nothing: aggregates of false statements can pass. */
    CUZK_AGGREGATE_INSECURE_VERSION_1 = 4
};

/** What is claimed of n proofs under one key. */
typedef struct cuzk_aggregate_claim {
    const uint8_t *inputs; /* [n * n_inputs * 32] public inputs, little-endian, proof after proof */
    size_t n;              /* proofs, at least 1; padding is done inside */
    size_t n_inputs;       /* of each proof: cuzk_vk_n_inputs */
    const uint8_t *include; /* [include_bytes] what binds the claim: cuzk_aggregate_include_* */
    size_t include_bytes;
} cuzk_aggregate_claim;

/**
 * Opens an SRS file and checks its layout and first elements; with CUZK_AGGREGATE_DEFAULT also that its
 * digest is the network's (reads all of it). message [message_bytes] takes the reason of a failure; NULL
 * is fine here and below.
 */
CUZK_API cuzk_verify_result cuzk_aggregate_srs_open(cuzk_aggregate_srs **out, const char *path,
                                                    int options, char *message,
                                                    size_t message_bytes);
/** NULL is fine. */
CUZK_API void cuzk_aggregate_srs_close(cuzk_aggregate_srs *srs);

/** Bytes of the aggregate of n proofs; 0 when n is 0 or above 2^19. */
CUZK_API size_t cuzk_aggregate_bytes(size_t n);
/**
 * Aggregates, version 2. proofs [claim->n * 192] are verified, too: CUZK_VERIFY_E_PROOF_FALSE and the
 * errors of points then name the first bad one in the message. out [cuzk_aggregate_bytes(claim->n)].
 * threads: 0 takes all processors. Reads the powers that are needed from the file in each call.
 */
CUZK_API cuzk_verify_result cuzk_aggregate_prove(uint8_t *out, const cuzk_aggregate_srs *srs,
                                                 const cuzk_vk *vk,
                                                 const cuzk_aggregate_claim *claim,
                                                 const uint8_t *proofs, unsigned threads,
                                                 char *message, size_t message_bytes);
/** Anything but CUZK_VERIFY_OK means: not proven. One thread. */
CUZK_API cuzk_verify_result cuzk_aggregate_verify(const cuzk_aggregate_srs *srs, const cuzk_vk *vk,
                                                  const cuzk_aggregate_claim *claim,
                                                  const uint8_t *aggregate, size_t aggregate_bytes,
                                                  int options, char *message, size_t message_bytes);

/**
 * What Filecoin binds n sectors with: SHA-256 of seed and comm_r of each (32 bytes each, raw); seeds
 * NULL: non-interactive proofs, comm_r alone.
 */
CUZK_API void cuzk_aggregate_include_seals(uint8_t out[32], const uint8_t (*comm_rs)[32],
                                           const uint8_t (*seeds)[32], size_t n);
/** For circuits that are not Filecoin's: SHA-256 of key and claim, all statements in it. */
CUZK_API cuzk_verify_result cuzk_aggregate_include_all(uint8_t out[32], const cuzk_vk *vk,
                                                       const cuzk_aggregate_claim *claim);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_PUBLIC_AGGREGATE_H */
