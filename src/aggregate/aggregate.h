/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_AGGREGATE_AGGREGATE_H
#define CUZK_AGGREGATE_AGGREGATE_H

/*
 * Aggregation of Groth16 proofs of one key, and its verification. Knows nothing of Filecoin; see
 * docs/spec/snarkpack.md.
 */
#include <cuzk/verify.h>

#include "aggregate/agg_proof.h"
#include "aggregate/srs/agg_srs.h"
#include "sys/pool.h"

/** What is claimed, and what binds the claim. All borrowed. */
typedef struct cuzk_agg_claim {
    const uint8_t
        *inputs;     /* [n * n_inputs * 32] public inputs, little-endian, one proof after another */
    size_t n;        /* statements before padding, at least 1 */
    size_t n_inputs; /* of one proof */
    const uint8_t *include; /* [n_include] transcript_include */
    size_t n_include;
    cuzk_agg_version version;
} cuzk_agg_claim;

/** Statements padded: 2 for one, else the next power of two. 0 when that is above the limit. */
size_t cuzk_agg_padded(size_t n);

/**
 * The aggregate's verifier, on one thread. CUZK_OK: all claims proved. E_PROOF_FALSE: well-formed
 * and false. E_FORMAT, E_ENCODING, E_NOT_ON_CURVE, E_NOT_IN_GROUP: malformed, with the field's name.
 * E_INVALID: the counts do not fit. E_NOMEM, E_IO: nothing is said about the aggregate.
 * Bytes after the aggregate are refused unless allow_trailing.
 */
CUZK_NODISCARD cuzk_status cuzk_agg_verify(const cuzk_agg_vk *srs, const cuzk_vk *vk,
                                           const cuzk_agg_claim *claim, const uint8_t *data,
                                           size_t n_bytes, bool allow_trailing, cuzk_err *err);

struct cuzk_agg_watch_prover;

/**
 * Proofs to an aggregate. proofs [claim->n * 192] are verified before the rounds, all together;
 * E_PROOF_FALSE and the errors of decoding name the first bad one. The claim's version must be CUZK_AGG_V2 unless
 * watch is given (tests). The aggregate is verified before it is returned: E_SELFTEST otherwise.
 * key->n must be the padded count. *out is owned by the caller (cuzk_free).
 */
CUZK_NODISCARD cuzk_status cuzk_agg_prove(uint8_t **out, size_t *n_out, const cuzk_agg_key *key,
                                          const cuzk_agg_vk *srs, const cuzk_vk *vk,
                                          const cuzk_agg_claim *claim, const uint8_t *proofs,
                                          const struct cuzk_agg_watch_prover *watch,
                                          cuzk_pool *pool, const cuzk_cancel *cancel,
                                          cuzk_err *err);

/**
 * transcript_include for circuits that are not Filecoin's: SHA-256 over the verifying key, the number
 * of statements and all public inputs (docs/snarkpack.md#other-circuits).
 */
CUZK_NODISCARD cuzk_status cuzk_agg_include_all(uint8_t out[32], const cuzk_vk *vk,
                                                const uint8_t *inputs, size_t n, cuzk_err *err);

#endif /* CUZK_AGGREGATE_AGGREGATE_H */
