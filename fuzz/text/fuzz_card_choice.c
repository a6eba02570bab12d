/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: base accel/card */
/*
 * What was measured on a card, as it is kept. Properties on any input: a text that is taken has plausible costs, and is
 * what is written of its choice.
 */
#include <string.h>

#include "accel/card/choice.h"
#include "accel/card/fit.h"
#include "base/assert.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cuzk_card_choice c;
    char text[CUZK_CARD_CHOICE_BYTES];
    if (cuzk_card_choice_read(&c, data, size)) {
        CUZK_ASSERT(cuzk_card_costs_are_plausible(&c.costs));
        CUZK_ASSERT(cuzk_card_choice_write(text, &c) == size && memcmp(text, data, size) == 0);
    }
    return 0;
}
