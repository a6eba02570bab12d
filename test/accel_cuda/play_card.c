/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* CUZK_TEST_CARD=8.9:24GiB: the tests of a program run with the GPU as a card of that class. */
#include <stdio.h>
#include <stdlib.h>

#include "accel/card/card.h"

__attribute__((constructor)) static void play(void)
{
    const char *text = getenv("CUZK_TEST_CARD");
    cuzk_card card;
    cuzk_err err;
    if (text == NULL || text[0] == '\0') {
        return;
    }
    if (cuzk_card_parse(&card, text, &err) != CUZK_OK) {
        (void)fprintf(stderr, "CUZK_TEST_CARD: %s\n", err.msg);
        exit(1);
    }
    cuzk_card_play(&card);
}
