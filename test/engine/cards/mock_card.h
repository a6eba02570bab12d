/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_ENGINE_CARDS_MOCK_CARD_H
#define CUZK_TEST_ENGINE_CARDS_MOCK_CARD_H

/*
 * The mock backend with the device memory of a small card. Calls take what they find free, at most what they ask for,
 * and those that are not of a WinningPoSt leave alone what is held. A WinningPoSt of 64 GiB sectors has a circuit of
 * its own, the fifth.
 */
#include "../mock_backend.h"

typedef struct mock_card {
    /* in MiB; keys other than those of WinningPoSt stream from their file */
    uint64_t total, held;
    uint64_t winning_key, winning_room, winning_call, winning_least;
    uint64_t other_key, other_call, other_least, other_host; /* other_host: kept by calls */
    /* state */
    cuzk_engine_backend inner;
    _Atomic uint64_t used, winning_bytes, other_bytes; /* winning_bytes, other_bytes: of keys */
    _Atomic uint32_t too_little; /* calls that found less than their least: must stay 0 */
} mock_card;

/** For mock_engine.use; arg: a mock_card with its sizes. */
void mock_use_card(mock_backend *b, void *arg);

#endif /* CUZK_TEST_ENGINE_CARDS_MOCK_CARD_H */
