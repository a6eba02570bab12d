/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CARD_WORK_H
#define CUZK_ACCEL_CARD_WORK_H

/*
 * What the kernels that take the time of a proof do for one unit of their work: multiply-adds and bytes between the
 * multiprocessors and the card's memory, counted from the formulas, not measured. With the rates of a card they say
 * which of the two bounds a kernel there.
 */
#include <stddef.h>

#include "accel/card/kernels.h"
#include "accel/card/rates.h"

/* Montgomery products of 12 and 8 limbs of 32 bits: n^2 for the product, n^2 + n for the reduction. */
#define CUZK_FP_MULTIPLY_ADDS (2u * 12 * 12 + 12)
#define CUZK_FR_MULTIPLY_ADDS (2u * 8 * 8 + 8)

typedef struct cuzk_kernel_work {
    cuzk_kernel kernel;
    const char *unit; /* "affine addition in G1" */
    unsigned multiply_adds, bytes;
} cuzk_kernel_work;

const cuzk_kernel_work *cuzk_kernel_work_all(size_t *n);
/**
 * Seconds that the arithmetic of a kernel takes over seconds that its bytes take, on a card: above 1 the integer
 * units bound it, below 1 the memory.
 */
double cuzk_kernel_balance(const cuzk_kernel_work *w, const cuzk_card_rates *card);

/**
 * A way of adding up the sorted list of a sum in G1 with images of the bases: what one entry of the list costs. Bytes
 * are those that come from the card's memory, in fetches of 64.
 */
typedef struct cuzk_adding_way {
    const char *name;
    unsigned multiply_adds, bytes;
    /* Of the second-level cache, for an entry that is at work; 0: nothing is meant to stay there. */
    unsigned cached_bytes;
    unsigned launches; /* that an inversion is spread over; 0: no launch waits for one */
} cuzk_adding_way;

const cuzk_adding_way *cuzk_adding_ways_all(size_t *n);
/**
 * Computed 10^-9 seconds for an entry: the longer of arithmetic and bytes. A way through the cache takes the list in
 * parts that fit there, a launch for each, which is no shorter than its share of an inversion.
 * cache_bytes: of the card's second-level cache.
 */
double cuzk_adding_way_ns(const cuzk_adding_way *w, const cuzk_card_rates *card,
                          uint32_t cache_bytes);

#endif /* CUZK_ACCEL_CARD_WORK_H */
