/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "tuning.h"

#define SMALL_MEMORY  ((uint64_t)40 << 30)
#define ENTRY_BYTES   84u /* of a list of G1: entry, list, half and quarter of a point's 96 bytes */
#define BATCH_PART    6u
#define LEAST_BATCH   20u
/* 128 pairs of a thread in place of 500 are 3 % slower. */
#define PRODUCTS_PART 32u

/* One row so far: 500 pairs for each thread of the tree on an H200 are 1.5 GiB. */
static const cuzk_card_tuning table[] = {
    {.cc = 90,
     .measured_on = "H200, 2026-11-29-h200-msm.jsonl",
     .costs = {.term_ps = 330,
               .small_term_ps = 430,
               .bucket_ps = 1800, /* two additions, and the padding of its list */
               .hex_term_ps = 305,
               .hex_bucket_ps = 3500},
     .fitted = {.term_ps = 395,
                .small_term_ps = 416,
                .bucket_ps = 1716,
                .hex_term_ps = 433,
                .hex_bucket_ps = 1888}, /* 2026-12-01-h200-cards */
     .lg_level_entries = {21, 20},      /* G2's additions are longer, its inversions are not */
     .level_load = 16,
     .lg_batch_entries = 27, /* fills the device many times over */
     .lg_images = 22,
     .products_bytes = (uint32_t)(((uint64_t)3 << 29) / 132)}};

const cuzk_card_tuning *cuzk_card_tuning_of(const cuzk_card *card)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (table[i].cc == card->klass->cc) {
            return &table[i];
        }
    }
    return &table[0];
}

const cuzk_card_costs *cuzk_card_costs_of(const cuzk_card *card)
{
    return card->costs.term_ps != 0 ? &card->costs : &cuzk_card_tuning_of(card)->costs;
}

unsigned cuzk_card_lg_batch(const cuzk_card *card)
{
    unsigned lg = cuzk_card_tuning_of(card)->lg_batch_entries;
    while (card->memory != 0 && lg > LEAST_BATCH &&
           (uint64_t)ENTRY_BYTES << lg > card->memory / BATCH_PART) {
        lg--;
    }
    return lg;
}

uint64_t cuzk_card_products_bytes(const cuzk_card *card)
{
    const uint64_t bytes = (uint64_t)cuzk_card_tuning_of(card)->products_bytes * card->sms;
    const uint64_t most = card->memory / PRODUCTS_PART;
    return most != 0 && most < bytes ? most : bytes;
}

bool cuzk_card_is_small(const cuzk_card *card)
{
    return card->memory != 0 && card->memory < SMALL_MEMORY;
}
