/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_AS_CARD_H
#define CUZK_APPS_AS_CARD_H

#include <stdbool.h>

/**
 * --as-card CLASS[:MEMORY[:SMS]], hidden, of every command: GPUs are held to the shapes, limits and
 * memory of another class of card ("8.9:24GiB"; accel/card/card.h). Taken out of the arguments; false,
 * with a message on standard error, when it is not understood.
 */
bool as_card_take(int *argc, char **argv);

#endif /* CUZK_APPS_AS_CARD_H */
