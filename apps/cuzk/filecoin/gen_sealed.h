/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_GEN_SEALED_H
#define CUZK_APPS_GEN_SEALED_H

/* cuzk gen with --sealed: vanilla proofs of a sector that exists. */
#include <argp.h>

#include "apps/cuzk/app.h"
#include "vanilla/check/check.h"

enum {
    OPT_SEALED = 0x900,
    OPT_CACHE,
    OPT_NEW_SEALED,
    OPT_NEW_CACHE,
    OPT_SECTOR_NUMBER,
    OPT_GEN_RANDOMNESS,
    OPT_GEN_TYPE,
    OPT_SECTOR_INDEX
};

#define GEN_SEALED_OPTIONS                                                                        \
    {NULL, 0, NULL, 0, "Of a sealed sector, in place of a synthetic one:", 1},                    \
        {"sealed", OPT_SEALED, "FILE", 0, "Its replica; the sector size is that of the file", 1}, \
        {"cache", OPT_CACHE, "DIR", 0, "Its cache: p_aux and sc-02-data-tree-r-last*.dat", 1},    \
        {"sector", OPT_SECTOR_NUMBER, "N", 0, "Its number (winning, window)", 1},                 \
        {"randomness", OPT_GEN_RANDOMNESS, "HEX", 0, "32 bytes (winning, window)", 1},            \
        {"type", OPT_GEN_TYPE, "N", 0, "window: RegisteredPoStProof, 5-9 for V1 (default: V1_1)", \
         1},                                                                                      \
        {"index",                                                                                 \
         OPT_SECTOR_INDEX,                                                                        \
         "N",                                                                                     \
         0,                                                                                       \
         "window V1: the sector's place among all of the proof (default 0)",                      \
         1},                                                                                      \
        {"new-sealed", OPT_NEW_SEALED, "FILE", 0, "update: the replica after it", 1},             \
    {                                                                                             \
        "new-cache", OPT_NEW_CACHE, "DIR", 0,                                                     \
            "update: the cache after it, with sc-02-data-tree-d.dat", 1                           \
    }

typedef struct gen_sealed {
    const char *replica, *cache, *new_replica, *new_cache, *randomness;
    uint64_t sector, type, index;
    bool has_sector, has_type;
} gen_sealed;

/** argp's parser for these options; ARGP_ERR_UNKNOWN for others. Exits on a mistake. */
error_t gen_sealed_parse(gen_sealed *s, int key, char *arg, struct argp_state *state);

/* Each writes the proof to out, and reports statement and bytes read. */
CUZK_NODISCARD cuzk_status gen_sealed_post(app *a, const gen_sealed *s, const char *out,
                                           bool is_window, const cuzk_hashes *h);
CUZK_NODISCARD cuzk_status gen_sealed_update(app *a, const gen_sealed *s, const char *out,
                                             uint32_t partition, const cuzk_hashes *h);

#endif /* CUZK_APPS_GEN_SEALED_H */
