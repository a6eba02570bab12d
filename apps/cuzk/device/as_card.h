/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_AS_CARD_H
#define CUZK_APPS_AS_CARD_H

#include <stdbool.h>

/**
 * --as-card CLASS[:MEMORY[:SMS]], a hidden option of every command: limits GPUs to the launch shapes, limits and
 * memory of another class of card ("8.9:24GiB"; accel/card/card.h). Removes the option from the arguments; false,
 * with a message on standard error, when it is not valid.
 */
bool as_card_take(int *argc, char **argv);

#endif /* CUZK_APPS_AS_CARD_H */
