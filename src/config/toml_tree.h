/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_CONFIG_TOML_TREE_H
#define CUZK_CONFIG_TOML_TREE_H

/* The interface between C and the TOML parser (toml++, C++): a text in, its keys out, one at a time. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cuzk_toml_kind {
    CUZK_TOML_STRING,
    CUZK_TOML_INTEGER,
    CUZK_TOML_FLOAT,
    CUZK_TOML_BOOL,
    CUZK_TOML_TIME, /* dates and times: no value is given */
    CUZK_TOML_ARRAY,
    CUZK_TOML_TABLE
} cuzk_toml_kind;

typedef struct cuzk_toml_node {
    const char *path; /* "daemon.listen"; keys that are not bare are quoted */
    cuzk_toml_kind kind;
    bool is_item;       /* an item of the array with the same path, which came before */
    const char *string; /* NUL-terminated; may also contain NUL */
    size_t string_len;
    int64_t integer;
    bool boolean;
    size_t n_items; /* of an array */
    uint32_t line, column;
} cuzk_toml_node;

/** false: stop. The node is valid during the call. */
typedef bool (*cuzk_toml_fn)(void *arg, const cuzk_toml_node *node);

typedef struct cuzk_toml_error {
    uint32_t line, column;
    char text[200];
} cuzk_toml_error;

typedef enum cuzk_toml_result {
    CUZK_TOML_OK = 0,
    CUZK_TOML_SYNTAX = 1, /* see the error */
    CUZK_TOML_NOMEM = 2
} cuzk_toml_result;

/**
 * Calls fn with every table and value, tables before what is in them, arrays before their items.
 * Tables nested deeper than 8 and tables in arrays are given, but not what is in them. Every line of
 * the text must be at most 4096 bytes: that bounds the nesting, and so the parser's recursion.
 */
cuzk_toml_result cuzk_toml_walk(const char *text, size_t n, cuzk_toml_fn fn, void *arg,
                                cuzk_toml_error *error);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_CONFIG_TOML_TREE_H */
