/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_AGGREGATE_SRS_AGG_SRS_H
#define CUZK_AGGREGATE_SRS_AGG_SRS_H

/*
 * The inner-product SRS (docs/spec/snarkpack.md, section 2): powers of two secrets a and b in G1 and
 * G2. Who knows the secrets can forge aggregates.
 */
#include "ec/g1.h"
#include "ec/g2.h"
#include "pairing/pairing.h"
#include "sys/pool.h"

/** Most powers of a file: 2^20 + 1, which the network's has. */
#define CUZK_AGG_SRS_MAX_POWERS   (((size_t)1 << 20) + 1)
#define CUZK_AGG_SRS_DIGEST_BYTES 16
/** Name of the network's file in the folder of parameters. */
#define CUZK_AGG_SRS_FILE         "v28-fil-inner-product-v1.srs"
/** First 16 bytes of the BLAKE2b-512 of the network's file. */
extern const uint8_t cuzk_agg_srs_network_digest[CUZK_AGG_SRS_DIGEST_BYTES];

/** What a verifier keeps: elements 1 of the four lists, and lines of the points of G2. About 42 KiB. */
typedef struct cuzk_agg_vk {
    cuzk_g1_affine g_a, g_b;
    cuzk_g2_affine h_a, h_b;
    cuzk_g2_prepared h_lines, h_a_lines, h_b_lines;
} cuzk_agg_vk;

/** The powers that aggregating n proofs uses. All arrays owned. */
typedef struct cuzk_agg_key {
    size_t n;
    cuzk_g1_affine *g_a, *g_b; /* [2n] a^i g, b^i g */
    cuzk_g2_affine *h_a, *h_b; /* [n] a^i h, b^i h */
} cuzk_agg_key;

typedef struct cuzk_agg_srs cuzk_agg_srs;

/**
 * Opens a file: size, lengths of the lists, elements 0 and 1, and that those fit each other by
 * pairings. The rest is not read. E_FORMAT, E_ENCODING, E_NOT_ON_CURVE, E_NOT_IN_GROUP or E_INVALID
 * for a file that is no SRS; E_NOT_FOUND, E_IO, E_NOMEM.
 */
CUZK_NODISCARD cuzk_status cuzk_agg_srs_open(cuzk_agg_srs **out, const char *path, cuzk_err *err);
/** NULL is fine. */
void cuzk_agg_srs_close(cuzk_agg_srs *srs);
size_t cuzk_agg_srs_powers(const cuzk_agg_srs *srs);
/** Borrowed; valid until close. */
const cuzk_agg_vk *cuzk_agg_srs_vk(const cuzk_agg_srs *srs);
/** Reads the whole file. */
CUZK_NODISCARD cuzk_status cuzk_agg_srs_digest(const cuzk_agg_srs *srs,
                                               uint8_t out[CUZK_AGG_SRS_DIGEST_BYTES],
                                               const cuzk_cancel *cancel, cuzk_err *err);
/**
 * E_DIGEST unless the file has this digest. Afterwards its points are known to be good: keys are read
 * without checks of the subgroup. Before other threads use srs.
 */
CUZK_NODISCARD cuzk_status
cuzk_agg_srs_require_digest(cuzk_agg_srs *srs, const uint8_t want[CUZK_AGG_SRS_DIGEST_BYTES],
                            const cuzk_cancel *cancel, cuzk_err *err);
/** The same with the digest of the network's file. */
CUZK_NODISCARD cuzk_status cuzk_agg_srs_require_network(cuzk_agg_srs *srs,
                                                        const cuzk_cancel *cancel, cuzk_err *err);
/**
 * Every point (curve, subgroup), and that each list holds the powers of its secret, by a random
 * combination of all of its elements. On a file of 300 MB this takes minutes.
 */
CUZK_NODISCARD cuzk_status cuzk_agg_srs_check(const cuzk_agg_srs *srs, cuzk_pool *pool,
                                              const cuzk_cancel *cancel, cuzk_err *err);

/**
 * Reads and checks (curve, and subgroup unless the digest was required) the powers for n proofs, a power
 * of two from 2 on. E_INVALID
 * when the file has fewer than 2 n powers. *out must be zero or freed before.
 */
CUZK_NODISCARD cuzk_status cuzk_agg_key_load(cuzk_agg_key *out, const cuzk_agg_srs *srs, size_t n,
                                             cuzk_pool *pool, const cuzk_cancel *cancel,
                                             cuzk_err *err);
/** A zeroed key is fine. */
void cuzk_agg_key_free(cuzk_agg_key *key);

/** Writes an SRS of n powers of a and b, for tests. 2 <= n <= CUZK_AGG_SRS_MAX_POWERS. */
CUZK_NODISCARD cuzk_status cuzk_agg_srs_write(const char *path, size_t n, const cuzk_fr *a,
                                              const cuzk_fr *b, bool replace, cuzk_pool *pool,
                                              const cuzk_cancel *cancel, cuzk_err *err);
/** Two secrets from a number: reproducible, and known to anybody. */
void cuzk_agg_srs_secrets_from_seed(cuzk_fr *a, cuzk_fr *b, uint64_t seed);

#endif /* CUZK_AGGREGATE_SRS_AGG_SRS_H */
