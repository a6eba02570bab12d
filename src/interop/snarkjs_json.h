/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_INTEROP_SNARKJS_JSON_H
#define CUZK_INTEROP_SNARKJS_JSON_H

/*
 * snarkjs's proof.json, public.json and verification_key.json for Groth16 over BLS12-381.
 *
 * Field elements are decimal strings: digits only, no sign, blank, hexadecimal, exponent or leading
 * zero, and below the modulus (x + r is not another name for x). JSON numbers are refused. Points
 * are projective with Z = 1; they must be on the curve, in the subgroup and not infinity. Unknown
 * fields are passed over, double ones refused. curve "bls12381" or "bls12-381" is required in a
 * key; a proof may leave protocol and curve out (old snarkjs does).
 */
#include "base/status.h"
#include "base/text/json_writer.h"
#include "groth16/cpu/prove.h"

/** E_FORMAT (with line and column), E_UNSUPPORTED (another curve or protocol), E_NOT_ON_CURVE, .... */
CUZK_NODISCARD cuzk_status cuzk_proof_json_read(cuzk_proof *out, const void *text, size_t n,
                                                const char *name, cuzk_err *err);
void cuzk_proof_json_write(cuzk_jsonw *w, const cuzk_proof *proof);

/** *out: [*count * 32] little-endian, a block of base/alloc.h; NULL for an empty array. */
CUZK_NODISCARD cuzk_status cuzk_public_json_read(uint8_t **out, size_t *count, const void *text,
                                                 size_t n, const char *name, cuzk_err *err);
/** values [n], ONE not among them. */
void cuzk_public_json_write(cuzk_jsonw *w, const cuzk_fr *values, size_t n);

/**
 * The key in the bytes of a .vk file (868 + 96 * (nPublic + 1)), a block of base/alloc.h. The JSON
 * has neither beta nor delta in G1, which verification does not use: the generator stands there.
 */
CUZK_NODISCARD cuzk_status cuzk_vk_json_read(uint8_t **out, size_t *out_bytes, const void *text,
                                             size_t n, const char *name, cuzk_err *err);
void cuzk_vk_json_write(cuzk_jsonw *w, const cuzk_srs_vk *vk);

/**
 * Identity of a verifying key whatever file it came from: SHA-256 over those parts of its .vk bytes
 * that verification uses (alpha in G1, beta, gamma, delta in G2, the count, the ic points). false
 * when n does not fit the count.
 */
CUZK_NODISCARD bool cuzk_vk_identity(uint8_t out[32], const uint8_t *vk, size_t n);

#endif /* CUZK_INTEROP_SNARKJS_JSON_H */
