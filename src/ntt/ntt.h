/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_NTT_NTT_H
#define CUZK_NTT_NTT_H

/*
 * Number-theoretic transforms over Fr on power-of-two domains. Elements in Montgomery form.
 */
#include "base/status.h"
#include "ff/fr.h"
#include "sys/pool.h"

/** Twiddle tables of one domain {w^0, ..., w^(n-1)}, n = 2^lg_n. Immutable after creation; shareable. */
typedef struct cuzk_ntt_domain cuzk_ntt_domain;

#define CUZK_NTT_MAX_LG 32

/**
 * @param lg_n      0..32.
 * @param root_2_32 primitive 2^32-th root that fixes w; NULL: CUZK_FR_ROOT_2_32.
 * @return E_INVALID (lg_n), E_NOMEM.
 */
CUZK_NODISCARD cuzk_status cuzk_ntt_domain_create(cuzk_ntt_domain **out, unsigned lg_n,
                                                  const cuzk_fr *root_2_32, cuzk_pool *pool,
                                                  cuzk_err *err);
void cuzk_ntt_domain_destroy(cuzk_ntt_domain *d);
unsigned cuzk_ntt_domain_lg(const cuzk_ntt_domain *d);
/** w, the generator of the domain. */
const cuzk_fr *cuzk_ntt_domain_root(const cuzk_ntt_domain *d);

/** N natural order, R bit-reversed; first letter the input's, second the output's. NN costs a reversal pass. */
typedef enum cuzk_ntt_order { CUZK_NTT_NN, CUZK_NTT_NR, CUZK_NTT_RN } cuzk_ntt_order;

/**
 * Evaluation, in place: a[i] = p(shift * w^i) for the polynomial with coefficients a.
 * shift NULL: 1; a zero shift is E_INVALID (a untouched). E_CANCELLED, E_NOMEM (NN, NR, RN all work in place; scratch is per worker).
 * Then the content of a is unspecified.
 */
CUZK_NODISCARD cuzk_status cuzk_ntt_forward(const cuzk_ntt_domain *d, cuzk_fr *a,
                                            cuzk_ntt_order order, const cuzk_fr *shift,
                                            cuzk_pool *pool, const cuzk_cancel *cancel,
                                            cuzk_err *err);
/**
 * Interpolation, in place: the inverse of cuzk_ntt_forward with the same shift (1/n included).
 */
CUZK_NODISCARD cuzk_status cuzk_ntt_inverse(const cuzk_ntt_domain *d, cuzk_fr *a,
                                            cuzk_ntt_order order, const cuzk_fr *shift,
                                            cuzk_pool *pool, const cuzk_cancel *cancel,
                                            cuzk_err *err);

/**
 * Values on the domain to values on the coset shift * domain, both in natural order, in place: the
 * same as inverse NR and forward RN with the shift, with one pass over memory less. Errors as there.
 */
CUZK_NODISCARD cuzk_status cuzk_ntt_to_coset(const cuzk_ntt_domain *d, cuzk_fr *a,
                                             const cuzk_fr *shift, cuzk_pool *pool,
                                             const cuzk_cancel *cancel, cuzk_err *err);
/** Exchanges a[i] and a[bitrev(i)] for all i < 2^lg_n, in place. E_CANCELLED (then some are exchanged). */
CUZK_NODISCARD cuzk_status cuzk_ntt_reverse(cuzk_fr *a, unsigned lg_n, cuzk_pool *pool,
                                            const cuzk_cancel *cancel, cuzk_err *err);

#endif /* CUZK_NTT_NTT_H */
