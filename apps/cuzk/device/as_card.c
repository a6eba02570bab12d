/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "apps/cuzk/device/as_card.h"

#include <stdio.h>
#include <string.h>

#include "accel/card/card.h"

#define OPTION "--as-card"

bool as_card_take(int *argc, char **argv)
{
    const size_t length = strlen(OPTION);
    for (int i = 1; i < *argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], OPTION, length) != 0) {
            continue;
        }
        const bool joined = argv[i][length] == '=';
        if (!joined && argv[i][length] != '\0') {
            continue;
        }
        const char *text = joined ? argv[i] + length + 1 : i + 1 < *argc ? argv[i + 1] : "";
        cuzk_card card;
        cuzk_err err;
        if (cuzk_card_parse(&card, text, &err) != CUZK_OK) {
            (void)fprintf(stderr, "%s: %s: %s\n", argv[0], OPTION, err.msg);
            return false;
        }
        cuzk_card_play(&card);
        const int taken = joined ? 1 : 2;
        for (int k = i; k + taken <= *argc; k++) {
            argv[k] = argv[k + taken]; /* argv[argc] is NULL */
        }
        *argc -= taken;
        i--;
    }
    return true;
}
