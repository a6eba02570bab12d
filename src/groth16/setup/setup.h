/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_GROTH16_SETUP_H
#define CUZK_GROTH16_SETUP_H

/*
 * Parameter generation from a compiled circuit and known or random toxic waste. For tests, circom
 * users and private networks: who knows the toxic waste can forge proofs.
 */
#include "accel/toxic_waste.h"
#include "groth16/params/srs.h"
#include "r1cs/circuit.h"
#include "sys/pool.h"

/** All five from the OS, standard generators. Wipe with cuzk_wipe when done. */
CUZK_NODISCARD cuzk_status cuzk_toxic_random(cuzk_toxic *out, cuzk_err *err);
/** From a seed, by SHA-256 in counter mode: reproducible, insecure. Standard generators. */
void cuzk_toxic_from_seed(cuzk_toxic *out, uint64_t seed);

typedef struct cuzk_setup_opts {
    bool replace;
    /**
     * CUZK_QUOTIENT_ODD_COSET: the key as snarkjs wants it (root 5^t, section h in odd Lagrange
     * form, all_wires, unused wires allowed); only cuzk_setup_create. Zero: bellperson's.
     */
    cuzk_quotient_kind kind;
    size_t chunk_points; /* points made at a time; 0: 2^18 */
    /** Optional; called from the calling thread with points done of total, all sections together. */
    void (*progress)(void *arg, const char *section, uint64_t done, uint64_t total);
    void *progress_arg;
} cuzk_setup_opts;

/**
 * Writes the .params and .vk files that bellperson would for these generators and this waste.
 * Refuses to overwrite (E_EXISTS) unless replace. E_INVALID, naming the wire, when an l point would
 * be infinity (a wire that no row uses); and when tau is in the domain, a value is zero, or a
 * generator is infinity or not in the subgroup. Memory: 8 bytes per term and
 * 12 per wire of the circuit's preamble and one block, one element per row of the larger of them
 * (PoRep of 32 GiB: 0.7 GB), and 130 MiB of points; the sections are streamed. Both files appear at the
 * end, .params first; an old .vk is removed before that, so no reader finds files of two setups. opts may be NULL; vk_path may be NULL (no .vk file).
 */
CUZK_NODISCARD cuzk_status cuzk_setup_write(const cuzk_circuit *c, const cuzk_toxic *toxic,
                                            const char *params_path, const char *vk_path,
                                            const cuzk_setup_opts *opts, cuzk_pool *pool,
                                            const cuzk_cancel *cancel, cuzk_err *err);

/** The same, kept in memory. */
CUZK_NODISCARD cuzk_status cuzk_setup_create(cuzk_srs **out, const cuzk_circuit *c,
                                             const cuzk_toxic *toxic, const cuzk_setup_opts *opts,
                                             cuzk_pool *pool, const cuzk_cancel *cancel,
                                             cuzk_err *err);

#endif /* CUZK_GROTH16_SETUP_H */
