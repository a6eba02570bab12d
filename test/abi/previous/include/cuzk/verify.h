/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_VERIFY_H
#define CUZK_VERIFY_H

/*
 * Verification of Groth16 proofs over BLS12-381: bytes in, status out. No files, no threads, no
 * global state; every function may run in any thread, and any number of threads may use one key.
 * Formats are those of bellperson and the Filecoin network.
 *
 *   cuzk_vk *vk;
 *   if (cuzk_vk_read(&vk, vk_bytes, n) == CUZK_VERIFY_OK &&
 *       cuzk_verify(vk, proof, 192, inputs, n_inputs) == CUZK_VERIFY_OK) { ... proven ... }
 *   cuzk_vk_destroy(vk);
 */
#include <cuzk/cuzk.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUZK_PROOF_BYTES  192 /* A (G1, 48) | B (G2, 96) | C (G1, 48), compressed */
#define CUZK_SCALAR_BYTES 32  /* public input: little-endian integer < r */

/** Results; the values equal those of cuzk_status of the same name. */
typedef int32_t cuzk_verify_result;
enum {
    CUZK_VERIFY_OK = 0,
    CUZK_VERIFY_E_INVALID = -1, /* lengths or counts do not fit */
    CUZK_VERIFY_E_NOMEM = -2,
    CUZK_VERIFY_E_IO = -4,          /* no randomness from the operating system (batch) */
    CUZK_VERIFY_E_FORMAT = -10,     /* malformed verifying key */
    CUZK_VERIFY_E_UNSAFE_KEY = -12, /* well-formed key that proves nothing: unfinished ceremony */
    CUZK_VERIFY_E_ENCODING = -64,   /* malformed point, or public input >= r */
    CUZK_VERIFY_E_NOT_ON_CURVE = -65,
    CUZK_VERIFY_E_NOT_IN_GROUP = -66,
    CUZK_VERIFY_E_INFINITY = -67,    /* identity where none may be */
    CUZK_VERIFY_E_PROOF_FALSE = -193 /* well-formed, and does not verify */
};

typedef struct cuzk_vk cuzk_vk;

/**
 * Parses a verifying key file (.vk) of exactly vk_bytes bytes. Every point is checked: encoding,
 * curve, subgroup, not the identity. The bytes are not kept. Free with cuzk_vk_destroy. E_FORMAT,
 * E_ENCODING, E_NOT_ON_CURVE, E_NOT_IN_GROUP, E_INFINITY, E_NOMEM. CUZK_VERIFY_E_UNSAFE_KEY: anybody can
 * make valid proofs under this key, since its ceremony was not finished (delta equals gamma, or alpha,
 * beta or delta is a generator, and so on; small multiples count).
 */
CUZK_API cuzk_verify_result cuzk_vk_read(cuzk_vk **out, const uint8_t *vk, size_t vk_bytes);
/** The same without the last check. For tests: a proof under such a key says nothing. */
CUZK_API cuzk_verify_result cuzk_vk_read_unsafe(cuzk_vk **out, const uint8_t *vk, size_t vk_bytes);
/** Why cuzk_vk_read refuses the key, a static text; NULL for a key that it takes. */
CUZK_API const char *cuzk_vk_defect(const cuzk_vk *vk);
/** No call may be using it. NULL is fine. */
CUZK_API void cuzk_vk_destroy(cuzk_vk *vk);
/** Number of public inputs, ONE not counted. */
CUZK_API size_t cuzk_vk_n_inputs(const cuzk_vk *vk);
/** Bytes of the .vk form, 868 + 96 * (n_inputs + 1); cuzk_vk_write fills exactly that many. */
CUZK_API size_t cuzk_vk_bytes(const cuzk_vk *vk);
CUZK_API void cuzk_vk_write(const cuzk_vk *vk, uint8_t *out);

/**
 * One proof. inputs: [n_inputs * 32] little-endian, n_inputs must equal cuzk_vk_n_inputs.
 * Anything but CUZK_VERIFY_OK means: not proven.
 */
CUZK_API cuzk_verify_result cuzk_verify(const cuzk_vk *vk, const uint8_t *proof, size_t proof_bytes,
                                        const uint8_t *inputs, size_t n_inputs);
/**
 * n proofs under one key, with random 128-bit coefficients (one final exponentiation for all).
 * proofs: [n * 192]; inputs: [n * n_inputs * 32]. When it fails and first_bad is not NULL, the
 * proofs are checked singly and *first_bad is the index of the first bad one.
 */
CUZK_API cuzk_verify_result cuzk_verify_batch(const cuzk_vk *vk, const uint8_t *proofs,
                                              size_t proofs_bytes, const uint8_t *inputs,
                                              size_t n_inputs, size_t n, size_t *first_bad);
/**
 * Public inputs added up ahead of their proof, which is most of the work when there are thousands. For
 * the key that they are made with, and any number of proofs.
 */
typedef struct cuzk_verify_inputs cuzk_verify_inputs;
/** inputs as for cuzk_verify. CUZK_VERIFY_OK, E_INVALID, E_ENCODING or E_NOMEM. */
CUZK_API cuzk_verify_result cuzk_verify_inputs_create(cuzk_verify_inputs **out, const cuzk_vk *vk,
                                                      const uint8_t *inputs, size_t n_inputs);
/** NULL is fine. */
CUZK_API void cuzk_verify_inputs_destroy(cuzk_verify_inputs *x);
/** As cuzk_verify with the inputs of x. */
CUZK_API cuzk_verify_result cuzk_verify_with(const cuzk_vk *vk, const cuzk_verify_inputs *x,
                                             const uint8_t *proof, size_t proof_bytes);
/** English text of a result; never NULL. */
CUZK_API const char *cuzk_verify_text(cuzk_verify_result r);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_VERIFY_H */
