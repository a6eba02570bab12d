/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_HASH_POSEIDON_INTERNAL_H
#define CUZK_HASH_POSEIDON_INTERNAL_H

#include "hash/poseidon.h"

#if defined(__x86_64__) && !defined(CUZK_PORTABLE)
#    define CUZK_HASH_IFMA 1
#endif

#define CUZK_POSEIDON_LANES 8

/** Five 52-bit limbs. */
typedef struct cuzk_fr52 {
    uint64_t l[5];
} cuzk_fr52;

/**
 * The parameters as the IFMA kernel wants them: keys as they are, matrix entries times 2^4 (mod r),
 * that is with 2^260 instead of 2^256. Dense matrices by column: entry (i, j) at [j * width + i].
 */
struct cuzk_poseidon_factors {
    cuzk_fr52 key[CUZK_POSEIDON_FULL_ROUNDS * CUZK_POSEIDON_MAX_WIDTH + CUZK_POSEIDON_MAX_PARTIALS];
    cuzk_fr52 mds[CUZK_POSEIDON_MAX_WIDTH * CUZK_POSEIDON_MAX_WIDTH];
    cuzk_fr52 pre_sparse[CUZK_POSEIDON_MAX_WIDTH * CUZK_POSEIDON_MAX_WIDTH];
    cuzk_fr52 w_hat[CUZK_POSEIDON_MAX_PARTIALS * CUZK_POSEIDON_MAX_WIDTH];
    cuzk_fr52 v_rest[CUZK_POSEIDON_MAX_PARTIALS * CUZK_POSEIDON_MAX_ARITY];
};
typedef struct cuzk_poseidon_factors cuzk_poseidon_factors;

static inline void cuzk_fr52_split(cuzk_fr52 *out, const cuzk_fr *x)
{
    const uint64_t m = ((uint64_t)1 << 52) - 1;
    out->l[0] = x->l[0] & m;
    out->l[1] = (x->l[0] >> 52 | x->l[1] << 12) & m;
    out->l[2] = (x->l[1] >> 40 | x->l[2] << 24) & m;
    out->l[3] = (x->l[2] >> 28 | x->l[3] << 36) & m;
    out->l[4] = x->l[3] >> 16;
}

#ifdef CUZK_HASH_IFMA
/*
 * The first `lanes` <= 8 of eight hashes; need CUZK_CPU_AVX512IFMA. c0: element 0 after its S-box of
 * round 0, (tag + key_0)^5 + key. in [lanes * arity]; out and trace [lanes].
 */
void cuzk_poseidon_hash_ifma(cuzk_fr *out, const cuzk_poseidon_params *p, const cuzk_fr52 *c0,
                             const cuzk_fr *in, unsigned lanes);
void cuzk_poseidon_trace_ifma(cuzk_fr *const *trace, const cuzk_poseidon_params *p,
                              const cuzk_fr52 *c0, const cuzk_fr *in, unsigned lanes);
#endif

#endif /* CUZK_HASH_POSEIDON_INTERNAL_H */
