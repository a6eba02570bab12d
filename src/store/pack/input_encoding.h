/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_STORE_INPUT_ENCODING_H
#define CUZK_STORE_INPUT_ENCODING_H

/*
 * The byte strings of a request as one string of bytes, in which every back end keeps them: each a
 * little-endian 64-bit length and its bytes, in the order randomness, comm_r_old, comm_r_new,
 * comm_d_new, vanilla_proof; then the number of vanilla_proofs, and those.
 */
#include "engine/engine.h"
#include "hash/sha256.h"

/** Length of the encoding in bytes. */
uint64_t store_input_bytes(const cuzk_job_request *r);

/** Takes the next n bytes of an encoding. A failure ends the encoding. */
typedef cuzk_status (*store_input_sink)(void *arg, const void *data, size_t n, cuzk_err *err);
/** Gives the encoding of r to sink, piece by piece. digest: its SHA-256. Fails as the sink fails. */
CUZK_NODISCARD cuzk_status store_input_encode(const cuzk_job_request *r,
                                              uint8_t digest[CUZK_SHA256_BYTES],
                                              store_input_sink sink, void *arg, cuzk_err *err);
/** A sink into memory: arg points to a uint8_t *, the next byte, which moves on. Never fails. */
cuzk_status store_input_to_memory(void *arg, const void *data, size_t n, cuzk_err *err);
/**
 * Points the byte strings of r into data [n]; *proofs is the array behind r->vanilla_proofs, to be
 * freed with cuzk_free. E_FORMAT, E_NOMEM.
 */
CUZK_NODISCARD cuzk_status store_input_parse(cuzk_job_request *r, cuzk_bytes **proofs,
                                             const uint8_t *data, size_t n, cuzk_err *err);

#endif /* CUZK_STORE_INPUT_ENCODING_H */
