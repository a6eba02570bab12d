/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CARD_CHOICE_H
#define CUZK_ACCEL_CARD_CHOICE_H

/*
 * What was measured on a card, as the text of a small file: a line with the version, the kind of additions, the costs.
 * A file of another version, a damaged one and one with costs that no card has are not taken: the card is measured again.
 */
#include <stddef.h>

#include "accel/card/card.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cuzk_card_choice {
    bool xyzz;             /* additions of G1 in XYZZ; else affine, in a tree */
    bool cached_tree;      /* without xyzz: two levels of the tree through the second-level cache */
    cuzk_card_costs costs; /* plausible (accel/card/fit.h) */
} cuzk_card_choice;

#define CUZK_CARD_CHOICE_BYTES 256u /* of a text, at most */
#define CUZK_CARD_CHOICE_NAME  96u  /* of a file's name, with the NUL */

/** Whether text [n] is a whole choice; *out is written only then. */
bool cuzk_card_choice_read(cuzk_card_choice *out, const void *text, size_t n);
/** The text of a choice, with a NUL at out[return value]. */
size_t cuzk_card_choice_write(char out[CUZK_CARD_CHOICE_BYTES], const cuzk_card_choice *c);
/**
 * Name of the file of a device: its UUID and the driver's version; with another card that it plays (NULL: itself) also that
 * card's class, memory and multiprocessors, so that no measurement takes the place of another.
 */
void cuzk_card_choice_name(char out[CUZK_CARD_CHOICE_NAME], const uint8_t uuid[16], int driver,
                           const cuzk_card *played);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_ACCEL_CARD_CHOICE_H */
