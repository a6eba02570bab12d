/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_CONFIG_CONFIG_INTERNAL_H
#define CUZK_CONFIG_CONFIG_INTERNAL_H

#include "base/arena.h"
#include "config/config.h"

typedef enum config_type {
    T_STRING,
    T_STRINGS, /* a string or an array of them */
    T_LISTEN,  /* T_STRINGS, each an address */
    T_ADDRESS, /* one "HOST:PORT" or "" */
    T_BOOL,
    T_NUMBER,
    T_NUMBER_AUTO, /* these three: or "auto", which is 0; and 0 is CUZK_CONFIG_NONE */
    T_NUMBERS,
    T_SIZE,
    T_SIZE_AUTO,
    T_DURATION,
    T_DURATION_AUTO,
    T_MODE,
    T_CHOICE /* a string, one of choices */
} config_type;

typedef enum config_use {
    USE_KEY,
    USE_ALIAS,      /* another name of the key alias_of */
    USE_DEPRECATED, /* deprecated; the original gave a warning, too */
    USE_NO_EFFECT   /* the original has this key; here it has no effect */
} config_use;

typedef struct config_key {
    const char *path;
    config_type type;
    config_use use;
    size_t offset;            /* of the field in cuzk_config */
    uint64_t min, max;        /* T_NUMBER, T_NUMBERS' items, T_SIZE, T_DURATION, T_MODE */
    const char *text_default; /* as it would be written in the file; parsed at creation */
    const char *choices;      /* "a|b|c" */
    const char *alias_of;
    const char *meaning; /* for USE_DEPRECATED and USE_NO_EFFECT: what to do instead */
} config_key;

extern const config_key config_keys[];
extern const size_t config_n_keys;
#define CONFIG_MAX_KEYS 96u

/** The block that contains a cuzk_config. */
typedef struct config_block {
    cuzk_config c; /* first: a cuzk_config * is a config_block * */
    cuzk_arena arena;
    bool given[CONFIG_MAX_KEYS]; /* by index of the key */
} config_block;

static inline config_block *config_block_of(cuzk_config *c)
{
    return (config_block *)c;
}

/** Index of the key, or config_n_keys. */
size_t config_find(const char *path);
/** The key that is nearest in spelling, or NULL. */
const char *config_suggest(const char *path);

/**
 * Sets a scalar key from text. False: *why says why not. Not for T_NUMBERS; T_STRINGS and T_LISTEN
 * are appended to. The text must live as long as the configuration.
 */
bool config_set_text(cuzk_config *c, const config_key *k, const char *text, const char **why);
/** The same from an integer of the file. */
bool config_set_integer(cuzk_config *c, const config_key *k, int64_t v, const char **why);
/** A pointer to the field. */
void *config_field(cuzk_config *c, const config_key *k);

#endif /* CUZK_CONFIG_CONFIG_INTERNAL_H */
