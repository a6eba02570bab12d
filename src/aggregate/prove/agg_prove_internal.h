/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_AGGREGATE_PROVE_AGG_PROVE_INTERNAL_H
#define CUZK_AGGREGATE_PROVE_AGG_PROVE_INTERNAL_H

#include "aggregate/aggregate.h"

/**
 * The vectors between two rounds. The specification's scaled vectors are B'_i = s^i b[i] and
 * w'_i = s^-i w[i]: the factors are never applied to long vectors, but kept in s (docs/snarkpack.md).
 */
typedef struct cuzk_agg_state {
    size_t m; /* length now */
    cuzk_fr s, s_inv;
    bool is_scaled;           /* s = 1 and ra = a from here on */
    cuzk_g1_affine *a, *c;    /* [m] */
    cuzk_g1_affine *ra;       /* [m] s^i a[i] */
    cuzk_g1_affine *w[2];     /* [m] */
    cuzk_g2_affine *b, *v[2]; /* [m] */
    cuzk_fr *rho;             /* [m] */
} cuzk_agg_state;

/** Watches the prover; for tests. Each member may be NULL, except that watch needs its function. */
typedef struct cuzk_agg_watch_prover {
    cuzk_agg_watch watch;
    /* round < 0: before the first, with all powers of r. */
    void (*vectors)(void *arg, int round, const cuzk_agg_state *s);
    /* which: 'v' or 'w'. f [n], q [n] with the last 0: quotient of f - value by X - z. */
    void (*opening)(void *arg, char which, const cuzk_fr *f, const cuzk_fr *q, size_t n,
                    const cuzk_fr *value);
    void *arg;
    bool allow_bad_proofs; /* do not verify proofs or aggregate */
} cuzk_agg_watch_prover;

/** The decoded proofs, padded. Arrays [n], owned. */
typedef struct cuzk_agg_points {
    cuzk_g1_affine *a, *c;
    cuzk_g2_affine *b;
} cuzk_agg_points;

/** Decodes and checks each proof; the last is repeated up to n. Errors name the proof. */
CUZK_NODISCARD cuzk_status cuzk_agg_decode_proofs(cuzk_agg_points *out, const uint8_t *proofs,
                                                  size_t n_proofs, size_t n, cuzk_pool *pool,
                                                  const cuzk_cancel *cancel, cuzk_err *err);
/**
 * All proofs together, by p->z_ab and p->z_c: their sums with the powers of the challenge r, which is
 * drawn after the commitments to all proofs. When that fails, one after another, to name the first bad
 * one: E_PROOF_FALSE.
 */
CUZK_NODISCARD cuzk_status cuzk_agg_check_inputs(const cuzk_agg_proof *p, const cuzk_fr *r,
                                                 const uint8_t *proofs, const cuzk_vk *vk,
                                                 const cuzk_agg_claim *claim, cuzk_pool *pool,
                                                 const cuzk_cancel *cancel, cuzk_err *err);
/** The two openings of each list of powers. */
CUZK_NODISCARD cuzk_status cuzk_agg_open_keys(cuzk_agg_proof *p, const cuzk_agg_challenges *c,
                                              const cuzk_agg_key *key,
                                              const cuzk_agg_watch_prover *watch, cuzk_pool *pool,
                                              const cuzk_cancel *cancel, cuzk_err *err);

#endif /* CUZK_AGGREGATE_PROVE_AGG_PROVE_INTERNAL_H */
