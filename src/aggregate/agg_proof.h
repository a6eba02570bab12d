/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_AGGREGATE_AGG_PROOF_H
#define CUZK_AGGREGATE_AGG_PROOF_H

/*
 * An aggregate as elements, its bytes, and the challenges that follow from it
 * (docs/spec/snarkpack.md, sections 3 and 6).
 */
#include "aggregate/transcript.h"

/** 2^19 proofs: twice as many powers fit the network's SRS of 2^20 + 1. */
#define CUZK_AGG_MAX_ROUNDS 19
#define CUZK_AGG_MAX_PROOFS ((size_t)1 << CUZK_AGG_MAX_ROUNDS)

typedef enum cuzk_agg_version { CUZK_AGG_V1 = 1, CUZK_AGG_V2 = 2 } cuzk_agg_version;

/** Elements of GT of one round, in the order of the transcript; T and U are the keys of a and of b. */
enum {
    AGG_T_AB_L,
    AGG_U_AB_L,
    AGG_T_AB_R,
    AGG_U_AB_R,
    AGG_T_C_L,
    AGG_U_C_L,
    AGG_T_C_R,
    AGG_U_C_R,
    AGG_Z_AB_L,
    AGG_Z_AB_R,
    AGG_ROUND_GT
};

typedef struct cuzk_agg_round {
    cuzk_fp12 gt[AGG_ROUND_GT];
    cuzk_g1_affine z_c_l, z_c_r;
} cuzk_agg_round;

enum { AGG_T_AB, AGG_U_AB, AGG_T_C, AGG_U_C, AGG_COMMITMENTS };

/** About 120 KiB: not for the stack. Arrays of two: for the secret a, then for b. */
typedef struct cuzk_agg_proof {
    size_t n;        /* proofs, padding counted: a power of two from 2 on */
    unsigned rounds; /* log2 n */
    cuzk_fp12 com[AGG_COMMITMENTS];
    cuzk_fp12 z_ab;
    cuzk_g1_affine z_c;
    cuzk_agg_round round[CUZK_AGG_MAX_ROUNDS];
    cuzk_g1_affine final_a, final_c;
    cuzk_g2_affine final_b;
    cuzk_g2_affine final_v[2];
    cuzk_g1_affine final_w[2];
    cuzk_g2_affine v_opening[2];
    cuzk_g1_affine w_opening[2];
} cuzk_agg_proof;

/** Bytes of an aggregate of 2^rounds proofs. */
size_t cuzk_agg_proof_bytes(unsigned rounds);
/** out [cuzk_agg_proof_bytes]. E_INVALID when an element of GT is 1, which has no encoding. */
CUZK_NODISCARD cuzk_status cuzk_agg_proof_encode(uint8_t *out, const cuzk_agg_proof *p,
                                                 cuzk_err *err);
/**
 * Every element is checked: encoding, curve, subgroup, order. *used: bytes that the aggregate takes;
 * NULL refuses bytes after it. E_FORMAT, E_ENCODING, E_NOT_ON_CURVE or E_NOT_IN_GROUP, with the name
 * of the field; then *out is unspecified.
 */
CUZK_NODISCARD cuzk_status cuzk_agg_proof_decode(cuzk_agg_proof *out, size_t *used,
                                                 const uint8_t *data, size_t n_bytes,
                                                 cuzk_err *err);

/** x is the inverse of x_inv, which is what the transcript gives. */
typedef struct cuzk_agg_challenges {
    cuzk_fr hcom, r, first, link, z;
    cuzk_fr x[CUZK_AGG_MAX_ROUNDS], x_inv[CUZK_AGG_MAX_ROUNDS];
} cuzk_agg_challenges;

/* The steps in their order. Each reads what of p and of the earlier challenges enters its hash. */
/** hcom and r. include [n_include] is transcript_include. */
void cuzk_agg_challenge_r(cuzk_agg_challenges *c, const cuzk_agg_proof *p, const uint8_t *include,
                          size_t n_include, const cuzk_agg_watch *watch);
/** first, from Z_AB and Z_C. */
void cuzk_agg_challenge_first(cuzk_agg_challenges *c, const cuzk_agg_proof *p,
                              const cuzk_agg_watch *watch);
/** x and x_inv of round i. */
void cuzk_agg_challenge_round(cuzk_agg_challenges *c, const cuzk_agg_proof *p, unsigned i,
                              cuzk_agg_version version, const cuzk_agg_watch *watch);
/** link and z, from the last round and the final elements. */
void cuzk_agg_challenge_z(cuzk_agg_challenges *c, const cuzk_agg_proof *p, cuzk_agg_version version,
                          const cuzk_agg_watch *watch);

/** out = product over j of (1 + x[rounds - 1 - j] (s z)^(2^j)): the folded polynomials and powers. */
void cuzk_agg_fold_eval(cuzk_fr *out, const cuzk_fr *x, unsigned rounds, const cuzk_fr *z,
                        const cuzk_fr *s);

#endif /* CUZK_AGGREGATE_AGG_PROOF_H */
