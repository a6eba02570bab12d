/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_GROTH16_PROVE_H
#define CUZK_GROTH16_PROVE_H

/*
 * One Groth16 proof on the CPU (docs/spec/groth16.md), exactly bellperson's for the
 * same r and s.
 */
#include "groth16/params/srs.h"
#include "r1cs/witness.h"
#include "trace/trace.h"

typedef struct cuzk_proof {
    cuzk_g1_affine a;
    cuzk_g2_affine b;
    cuzk_g1_affine c;
} cuzk_proof;

typedef struct cuzk_prove_opts {
    const cuzk_scalar *r, *s; /* both or neither; NULL: from the OS, wiped after use */
    bool check_witness;       /* multiply all rows out first: E_UNSATISFIED names the row */
    size_t chunk_points;      /* points of a section decoded at a time; 0: 2^20 */
    /** A span "prove" and in it "check_rows", "eval", "ntt", "msm_h", "msm_l", "msm_a", "msm_b_g1",
     * "msm_b_g2" and "assemble", which do not overlap; zero: none. */
    cuzk_trace_ctx trace;
} cuzk_prove_opts;

/**
 * Also for other keys than bellperson's: the srs says which quotient goes with its section h and
 * whether a and b have all wires (cuzk_srs_create).
 *
 * Memory in addition to witness and srs: 3 field elements per domain point, then at most 320 MiB of points.
 * Witness and srs must be of one circuit: E_INVALID names the first count that differs. An
 * unsatisfied witness without check_witness gives a proof that does not verify.
 */
CUZK_NODISCARD cuzk_status cuzk_prove(cuzk_proof *out, const cuzk_witness *w, const cuzk_srs *srs,
                                      const cuzk_prove_opts *opts, cuzk_pool *pool,
                                      const cuzk_cancel *cancel, cuzk_err *err);
/** 192 bytes: A | B | C compressed. */
void cuzk_proof_encode(uint8_t out[192], const cuzk_proof *p);
/**
 * The quotient of a witness, Montgomery form, h [m], m = 2^lg_domain; c is taken as a * b on the
 * domain. COEFFS: h_0 .. h_(m-2), and h_(m-1) = 0; root 7^t, coset 7. ODD_COSET: see
 * cuzk_quotient_kind. Allocates 2 m elements. Spans "eval" and "ntt".
 */
CUZK_NODISCARD cuzk_status cuzk_quotient(cuzk_fr *h, const cuzk_witness *w, cuzk_quotient_kind kind,
                                         cuzk_trace_ctx trace, cuzk_pool *pool,
                                         const cuzk_cancel *cancel, cuzk_err *err);
/** cuzk_proof_encode backwards, every point fully checked and not infinity. */
CUZK_NODISCARD cuzk_status cuzk_proof_decode(cuzk_proof *out, const uint8_t in[192], cuzk_err *err);

#endif /* CUZK_GROTH16_PROVE_H */
