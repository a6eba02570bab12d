/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_CONFIG_CONFIG_H
#define CUZK_CONFIG_CONFIG_H

/*
 * The daemon's configuration: a TOML file, docs/daemon.md. Every key of the original daemon is accepted; a key
 * without effect here gives a note. A value of the wrong type or out of range is an error that names file, line and
 * key. An unknown key is a warning, so that an older program starts with the file of a newer one; --check-config
 * treats it as an error.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define CUZK_CONFIG_ORIGINAL_PATH "/data/zk/cuzk.toml"  /* the original daemon's */
#define CUZK_CONFIG_PACKAGED_PATH "/etc/cuzk/cuzk.toml" /* the package's */
#define CUZK_CONFIG_MAX_ITEMS     64u
#define CUZK_CONFIG_MAX_BYTES     ((size_t)256 << 10)
#define CUZK_CONFIG_MAX_LINE      4096u

typedef struct cuzk_config_strings {
    const char *item[CUZK_CONFIG_MAX_ITEMS];
    uint32_t n;
} cuzk_config_strings;

typedef struct cuzk_config_numbers {
    uint32_t item[CUZK_CONFIG_MAX_ITEMS];
    uint32_t n;
} cuzk_config_numbers;

/** The value of a key that may be "auto", where the file says 0: explicitly none. */
#define CUZK_CONFIG_NONE UINT64_MAX

/**
 * Strings are never NULL; "" is "not set". Sizes in bytes, times in milliseconds. Keys: config_keys.c.
 * Where a key may be "auto", 0 is that: the default is the engine's (engine/engine_config.h).
 */
typedef struct cuzk_config {
    cuzk_config_strings listen;
    const char *http_listen;
    const char *tls_cert, *tls_key, *tls_client_ca, *token_file;
    const char *allow_origin;
    const char *client_roles, *open_role, *socket_role;
    bool http_token;
    uint64_t socket_mode, drain_ms, max_message, receive_budget, max_connections;

    uint64_t total_budget; /* 0: auto */
    uint64_t safety_margin, eviction_min_idle, winning_reserve;

    cuzk_config_numbers devices;
    uint64_t workers_per_device, vram_limit, device_timeout;
    const char *stream; /* auto, memory, file, locked, read */
    bool cpu_only, combs;
    const char *when_lost; /* "wait" or "cpu" */

    uint64_t max_batch_size, max_batch_wait_ms, max_queued_jobs, ageing_ms;
    bool spread_partitions;
    uint64_t threads;

    const char *param_cache;
    const char *aggregate_srs, *aggregate_srs_digest;
    cuzk_config_strings preload;

    const char *store_path, *store_url, *store_password_file, *store_member;
    const char *store_address, *store_inputs, *store_inputs_folder;
    const char *store_peer_token_file, *store_peer_ca;
    uint64_t store_lease_ms;
    uint64_t store_max_size, result_retention_ms, result_count;

    const char *log_level, *log_format;
    bool timeline;
} cuzk_config;

typedef enum cuzk_config_severity {
    CUZK_CONFIG_NOTE,    /* accepted, has no effect here */
    CUZK_CONFIG_WARNING, /* deprecated, unknown, or odd */
    CUZK_CONFIG_ERROR
} cuzk_config_severity;

typedef struct cuzk_config_issue {
    cuzk_config_severity severity;
    char text[448]; /* "FILE:LINE:COLUMN: KEY: what" */
} cuzk_config_issue;

#define CUZK_CONFIG_MAX_ISSUES 64u
typedef struct cuzk_config_issues {
    cuzk_config_issue item[CUZK_CONFIG_MAX_ISSUES];
    size_t n;                       /* in item */
    size_t notes, warnings, errors; /* all of them */
    size_t unknown;                 /* keys and sections, counted in warnings */
} cuzk_config_issues;

/**
 * The file that is read when none is named: the first of the two paths above that exists; NULL: neither exists.
 * Static text.
 */
const char *cuzk_config_default_path(void);
/** The defaults. E_NOMEM. */
CUZK_NODISCARD cuzk_status cuzk_config_create(cuzk_config **out, cuzk_err *err);
void cuzk_config_destroy(cuzk_config *c);

/**
 * Defaults, and over them the text [n]; name is shown in messages. E_FORMAT: not TOML (the message
 * has file, line and column); E_INVALID: issues has errors (the message is the first); E_NOMEM. On
 * failure *out is not set; issues is complete but for E_FORMAT and E_NOMEM.
 */
CUZK_NODISCARD cuzk_status cuzk_config_parse(cuzk_config **out, const char *name, const char *text,
                                             size_t n, cuzk_config_issues *issues, cuzk_err *err);
/** The same from a file. E_NOT_FOUND: no such file; E_IO; E_INVALID: longer than CUZK_CONFIG_MAX_BYTES. */
CUZK_NODISCARD cuzk_status cuzk_config_load(cuzk_config **out, const char *path,
                                            cuzk_config_issues *issues, cuzk_err *err);
/** Copies a string into memory of the configuration. E_NOMEM. */
CUZK_NODISCARD cuzk_status cuzk_config_keep(cuzk_config *c, const char **out, const char *text,
                                            cuzk_err *err);

/**
 * Called with the rows of the reference table: key, type, default, meaning; text for docs/daemon.md.
 */
typedef void (*cuzk_config_row_fn)(void *arg, const char *key, const char *type,
                                   const char *default_text, const char *meaning);
void cuzk_config_reference(cuzk_config_row_fn fn, void *arg);

/** The effect of environment variables; see cuzk_config_environment. */
typedef struct cuzk_config_env {
    char recognised[512]; /* names, blank-separated: they have the effect that users know */
    char mapped[512];     /* "NAME=VALUE:key": a key of the configuration took the value */
    char ignored[512];    /* names that mean nothing here */
    char unknown[512];    /* names that look like this program's variables and are not */
    const char *rust_log; /* NULL: not set; borrowed from the environment */
} cuzk_config_env;
/**
 * Applies the variables that the original and the proofs libraries had, where the file (in c) says
 * nothing itself. environment: NULL-terminated "NAME=value". E_INVALID: a value makes no sense (the
 * message names the variable); E_NOMEM.
 */
CUZK_NODISCARD cuzk_status cuzk_config_environment(cuzk_config *c, cuzk_config_env *out,
                                                   const char *const *environment, cuzk_err *err);
/** Calls fn with every key whose value differs, under its own name. */
typedef void (*cuzk_config_key_fn)(void *arg, const char *key);
void cuzk_config_diff(const cuzk_config *a, const cuzk_config *b, cuzk_config_key_fn fn, void *arg);
/** Gives the value of a key that is no array to `to`; strings are copied. E_NOMEM. */
CUZK_NODISCARD cuzk_status cuzk_config_copy(cuzk_config *to, const cuzk_config *from,
                                            const char *key, cuzk_err *err);
/** True when the text or the environment gave the key; for messages ("from the file", "default"). */
bool cuzk_config_is_given(const cuzk_config *c, const char *key);

#endif /* CUZK_CONFIG_CONFIG_H */
