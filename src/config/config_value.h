/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_CONFIG_CONFIG_VALUE_H
#define CUZK_CONFIG_CONFIG_VALUE_H

/*
 * Parsers for values in text form. Strict: the whole string must match. When one returns false, *why has the reason.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Bytes: "1073741824", "1.5GiB", "512 MiB", "1TB". Units B, kB, MB, GB, TB (powers of 1000), KiB,
 * MiB, GiB, TiB (of 1024), in any case; a fraction is rounded down to whole bytes.
 */
bool cuzk_config_parse_size(uint64_t *out, const char *text, const char **why);
/** Milliseconds: "250ms", "30s", "5m", "1h30m", "2d"; a bare number is seconds. */
bool cuzk_config_parse_duration(uint64_t *out_ms, const char *text, const char **why);
/** Permissions in octal: "660", "0660". */
bool cuzk_config_parse_mode(uint64_t *out, const char *text, const char **why);
/** "unix:///path", "unix:path", "HOST:PORT", "[IPV6]:PORT", ":PORT", with http:// or https:// before the last three. */
bool cuzk_config_check_listen(const char *text, const char **why);
/** True when it binds every interface of the machine: no host, 0.0.0.0, [::]. */
bool cuzk_config_listen_is_wildcard(const char *text);
bool cuzk_config_listen_is_unix(const char *text);
/** An interface that other machines cannot reach: a unix socket, 127.x.y.z, [::1], localhost. */
bool cuzk_config_listen_is_local(const char *text);

#endif /* CUZK_CONFIG_CONFIG_VALUE_H */
