/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ENGINE_BACKEND_FILECOIN_H
#define CUZK_ENGINE_BACKEND_FILECOIN_H

/* The real backend: Filecoin proofs by src/prover. */
#include "engine/backend/backend.h"
#include "engine/engine_config.h"

/** Reads param_cache, threads, devices, cpu_only, vram_limit_bytes and combs. */
CUZK_NODISCARD cuzk_status cuzk_backend_filecoin_create(cuzk_engine_backend *out,
                                                        const cuzk_engine_config *config,
                                                        cuzk_err *err);

#endif /* CUZK_ENGINE_BACKEND_FILECOIN_H */
