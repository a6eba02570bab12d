/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_ABILITY_TEXT_H
#define CUZK_APPS_ABILITY_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Whether and how fast a card can prove a circuit, for people: "resident, 7.9 s", "streamed, about 9 s", or what is
 * lacking.
 */
typedef struct ability_words {
    const char *circuit_id;
    const char *ability; /* "resident", "streamed", "not possible" */
    uint64_t needed_bytes, available_bytes;
    uint32_t expected_ms; /* 0: not known */
    bool is_measured;
} ability_words;

/** Into out [n]; returns out. */
const char *ability_text(char *out, size_t n, const ability_words *a);

#endif /* CUZK_APPS_ABILITY_TEXT_H */
