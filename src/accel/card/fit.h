/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CARD_FIT_H
#define CUZK_ACCEL_CARD_FIT_H

/*
 * The costs of a card (cuzk_card_costs) from the times of some sums, each of another width. What a sum takes is modelled as
 *     terms x term_ps + buckets x bucket_ps.
 * Both costs are fitted, by least squares of the relative errors. Not fitted: what a sum takes besides (starts of
 * kernels, waits for the last blocks), which is thus a part of both costs; and a sum in G2, which is taken to have the same
 * proportion of the two. A fit that is not plausible is refused, so that a disturbed measurement chooses no absurd width.
 */
#include <stddef.h>

#include "accel/card/card.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What is timed for a fit, of 2^CUZK_CARD_TIMED_LG terms: widths of windows and numbers of hexagonal digits, [0] with affine additions,
 * [1] in XYZZ. Affine additions need 16 terms in a bucket: beyond it a sum says nothing of larger ones. In XYZZ buckets
 * are cheap against terms, and only many of them tell their cost.
 */
#define CUZK_CARD_TIMED_LG 21u
#define CUZK_CARD_TIMED    5u
extern const unsigned CUZK_CARD_TIMED_WIDTHS[2][CUZK_CARD_TIMED];
extern const unsigned CUZK_CARD_TIMED_DIGITS[2][CUZK_CARD_TIMED];
#define CUZK_CARD_SMALL_WIDTH 19u /* buckets of 8: the time of small_term_ps */

/** A sum that was timed. */
typedef struct cuzk_card_timing {
    unsigned shape;   /* bits of a window, or number of hexagonal digits */
    uint64_t terms;   /* of a window, times windows */
    uint64_t buckets; /* of all windows */
    double ms;
} cuzk_card_timing;

typedef struct cuzk_card_fit {
    uint32_t term_ps, bucket_ps;
    double
        residual; /* the largest relative difference of a time from the fitted one; 0: there is no fit */
    const char *refused; /* NULL: the costs are the fitted ones. Else a literal, why they are not */
} cuzk_card_fit;

/**
 * @param t [n] the times
 * @param row_term_ps, row_bucket_ps costs of the table, not 0: of a refused fit the result is these two, times one factor that
 *     makes the model right for the fastest sum (1, where no time is of use)
 */
void cuzk_card_fit_sums(cuzk_card_fit *out, const cuzk_card_timing *t, size_t n,
                        uint32_t row_term_ps, uint32_t row_bucket_ps);
/**
 * A term where buckets are too small for affine additions, from the time of such a sum and the fit of others: from
 * 1 to 3 term_ps.
 */
uint32_t cuzk_card_small_term(const cuzk_card_fit *fit, const cuzk_card_timing *t);
/** Whether costs are within the bounds of what a fit gives; those of the table are. */
bool cuzk_card_costs_are_plausible(const cuzk_card_costs *c);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_ACCEL_CARD_FIT_H */
