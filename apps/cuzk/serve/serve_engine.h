/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_SERVE_ENGINE_H
#define CUZK_APPS_SERVE_ENGINE_H

/*
 * Translates the configuration for the engine. Default numbers are the engine's only (cuzk_engine_config_complete):
 * what the file does not set is 0 here.
 */
#include "config/config.h"
#include "engine/engine_config.h"

/** Views into c. Store, log and trace are left to the caller, and zero. */
void serve_engine_config(cuzk_engine_config *out, const cuzk_config *c);
/** The engine's default of a key that may be "auto", as text for a file. False: the default is no number. */
bool serve_engine_default(char *out, size_t n, const char *key);

#endif /* CUZK_APPS_SERVE_ENGINE_H */
