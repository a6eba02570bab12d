/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CARD_TUNING_H
#define CUZK_ACCEL_CARD_TUNING_H

/*
 * Constants of the sums that were measured on a card: they choose among ways that all give the same result.
 * A class that nobody has measured takes the row of one that was.
 */
#include "accel/card/card.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cuzk_card_tuning {
    unsigned cc;             /* class that was measured */
    const char *measured_on; /* card, and the file of bench/results */
    cuzk_card_costs costs;   /* of large sums, of 2^22 to 2^27 terms */
    cuzk_card_costs fitted;  /* what the measurement of a first start gives on the same card */
    /* Least entries of a level of affine additions, as a power of two, in G1 and G2; below them the
     * inversions of a level cost more than its additions save. */
    unsigned lg_level_entries[2];
    unsigned level_load;       /* least entries of a bucket on a level */
    unsigned lg_batch_entries; /* most entries of a batch of windows */
    unsigned lg_images;        /* from 2^this many terms on images make a sum faster */
    uint32_t products_bytes;   /* room for products of denominators, of a multiprocessor */
} cuzk_card_tuning;

/** Never NULL. */
const cuzk_card_tuning *cuzk_card_tuning_of(const cuzk_card *card);
/** What was measured on the card itself, else the costs of its row. Never NULL; valid as long as the card. */
const cuzk_card_costs *cuzk_card_costs_of(const cuzk_card *card);
/**
 * Most entries of a batch of windows on the card, as a power of two: the tuning's, and less where the
 * batch's arrays would take more than a sixth of the card's memory.
 */
unsigned cuzk_card_lg_batch(const cuzk_card *card);
/** Bytes for products of denominators: the tuning's, and at most a part of the card's memory. */
uint64_t cuzk_card_products_bytes(const cuzk_card *card);
/** The card has too little memory for the digits of all windows at once. */
bool cuzk_card_is_small(const cuzk_card *card);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_ACCEL_CARD_TUNING_H */
