/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_HASH_POSEIDON_H
#define CUZK_HASH_POSEIDON_H

/*
 * Poseidon over Fr as Filecoin uses it (neptune's "standard" strength; docs/spec/poseidon.md):
 * x^5, 8 full rounds, width = arity + 1, state = [tag, preimage], result = state[1].
 *
 * The parameters are derived, not stored: Grain LFSR constants, Cauchy MDS matrix, then folded
 * into compressed round constants and sparse matrices for the partial rounds. Deriving all four
 * arities takes some milliseconds; do it once and share the (read-only) result between threads.
 */
#include "base/status.h"
#include "ff/fr.h"

#define CUZK_POSEIDON_MAX_ARITY    11
#define CUZK_POSEIDON_MAX_WIDTH    12
#define CUZK_POSEIDON_FULL_ROUNDS  8
#define CUZK_POSEIDON_MAX_PARTIALS 57

struct cuzk_poseidon_factors; /* the parameters in the form of the vector kernel */

typedef struct cuzk_poseidon_params {
    uint32_t arity, width, partial_rounds;
    cuzk_fr tag; /* of Merkle trees: 2^arity - 1 */
    /* Row-major [width * width]; the state is a row vector: new[j] = sum_i old[i] * m[i][j]. */
    cuzk_fr mds[CUZK_POSEIDON_MAX_WIDTH * CUZK_POSEIDON_MAX_WIDTH];
    cuzk_fr pre_sparse[CUZK_POSEIDON_MAX_WIDTH * CUZK_POSEIDON_MAX_WIDTH];
    /* [8 * width + partial_rounds] in order of use: width before the first S-boxes, then width
     * after each of the first four full rounds, one per partial round, width for three more. */
    cuzk_fr crc[CUZK_POSEIDON_FULL_ROUNDS * CUZK_POSEIDON_MAX_WIDTH + CUZK_POSEIDON_MAX_PARTIALS];
    /* Sparse matrix of partial round k: first column w_hat[k * width ..+ width] (corner first),
     * first row without the corner v_rest[k * arity ..+ arity], identity elsewhere. */
    cuzk_fr w_hat[CUZK_POSEIDON_MAX_PARTIALS * CUZK_POSEIDON_MAX_WIDTH];
    cuzk_fr v_rest[CUZK_POSEIDON_MAX_PARTIALS * CUZK_POSEIDON_MAX_ARITY];
    struct cuzk_poseidon_factors *factors; /* owned; NULL in builds without such a kernel */
} cuzk_poseidon_params;

/** arity 2, 4, 8 or 11; else E_INVALID. */
CUZK_NODISCARD cuzk_status cuzk_poseidon_params_create(cuzk_poseidon_params **out, unsigned arity,
                                                       cuzk_err *err);
/** NULL is fine. */
void cuzk_poseidon_params_destroy(cuzk_poseidon_params *p);

/** Entries of crc. */
static inline uint32_t cuzk_poseidon_n_crc(const cuzk_poseidon_params *p)
{
    return CUZK_POSEIDON_FULL_ROUNDS * p->width + p->partial_rounds;
}

/** Partial rounds of an arity; 0 when the arity is not supported. */
uint32_t cuzk_poseidon_partial_rounds(unsigned arity);
/** Raw Grain constants, out [(8 + partial rounds) * (arity + 1)] row-major by round. */
void cuzk_poseidon_round_constants(cuzk_fr *out, unsigned arity);

/** Domain tag of SnapDeals' randomness hash (arity 2): 2^40. */
void cuzk_poseidon_randomness_tag(cuzk_fr *out);

/** out = hash of in [arity] with the Merkle tag. Aliasing allowed. */
void cuzk_poseidon_hash(cuzk_fr *out, const cuzk_poseidon_params *p, const cuzk_fr *in);
/** The same with another tag. */
void cuzk_poseidon_hash_tagged(cuzk_fr *out, const cuzk_poseidon_params *p, const cuzk_fr *tag,
                               const cuzk_fr *in);

/** Aux wires of one circuit hash: 3 per S-box, one per S-box input after round 0, one result. */
static inline uint32_t cuzk_poseidon_trace_len(const cuzk_poseidon_params *p)
{
    return 4 * (CUZK_POSEIDON_FULL_ROUNDS * p->width + p->partial_rounds - 1) - p->arity + 1;
}

/**
 * Hash with the values of all aux wires that the circuit allocates, in allocation order:
 * trace [cuzk_poseidon_trace_len], the last of them is the result. trace and in are disjoint.
 */
void cuzk_poseidon_trace(cuzk_fr *trace, const cuzk_poseidon_params *p, const cuzk_fr *tag,
                         const cuzk_fr *in);

/**
 * n hashes, several at a time where the processor can (AVX-512 IFMA: eight). tag NULL: the Merkle tag.
 * in [n * arity], one preimage after the other; out [n], disjoint from in.
 */
void cuzk_poseidon_hash_many(cuzk_fr *out, const cuzk_poseidon_params *p, const cuzk_fr *tag,
                             const cuzk_fr *in, size_t n);
/**
 * n traces; that of preimage k goes to trace[k], its result is the last value there. All arrays are
 * disjoint.
 */
void cuzk_poseidon_trace_many(cuzk_fr *const *trace, const cuzk_poseidon_params *p,
                              const cuzk_fr *tag, const cuzk_fr *in, size_t n);

#endif /* CUZK_HASH_POSEIDON_H */
