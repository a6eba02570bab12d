/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ENGINE_BACKEND_DEVICE_H
#define CUZK_ENGINE_BACKEND_DEVICE_H

/*
 * The devices of the real backend: opened, opened again after they were lost, and with a part of their memory
 * reserved for WinningPoSt.
 */
#include "engine/backend/backend.h"
#include "engine/engine_config.h"
#include "groth16/device/device_key.h"
#include "prover/keys/filecoin_key.h"
#include "prover/prove/witness_memory.h"

typedef struct cuzk_backend_devices cuzk_backend_devices;

/**
 * Opens the devices that the configuration names. n: number of devices; 0: no devices, the CPU proves. E_UNSUPPORTED:
 * a device that was asked for by number cannot be used.
 */
CUZK_NODISCARD cuzk_status cuzk_backend_devices_open(cuzk_backend_devices **out, uint32_t *n,
                                                     const cuzk_engine_config *config,
                                                     cuzk_err *err);
/** Every key must have been freed before. NULL is fine. */
void cuzk_backend_devices_close(cuzk_backend_devices *d);
void cuzk_backend_device_info_of(cuzk_backend_devices *d, uint32_t index, cuzk_backend_device *out);
/**
 * Bytes of the endomorphism images of n points, for a key of that many bytes without images. 0: key and images would
 * leave less than half of the device for calls and other keys, so the key is to be loaded without images.
 */
uint64_t cuzk_backend_device_image_bytes(cuzk_backend_devices *d, uint32_t index,
                                         uint64_t key_bytes, uint64_t n);
/**
 * comb_bytes, where combs are configured and a key of key_bytes with them leaves a quarter of the device; otherwise
 * 0, and the key is to be loaded without combs.
 */
uint64_t cuzk_backend_device_comb_bytes(cuzk_backend_devices *d, uint32_t index, uint64_t key_bytes,
                                        uint64_t comb_bytes);
CUZK_NODISCARD cuzk_status cuzk_backend_device_load(
    cuzk_backend_devices *d, uint32_t index, const cuzk_filecoin_circuit *circuit,
    const cuzk_filecoin_params *params, bool is_winning, const cuzk_backend_host *host, bool images,
    bool combs, cuzk_backend_key *out, cuzk_pool *pool, cuzk_trace_ctx trace, cuzk_err *err);
void cuzk_backend_device_unload(cuzk_backend_devices *d, uint32_t index, void *key,
                                bool is_winning);
/**
 * Memory for the witness of a partition: page-locked memory of a device, of a different device from partition to
 * partition. Every device may copy from it. NULL: there are no devices.
 */
cuzk_witness_memory *cuzk_backend_device_witness_memory(cuzk_backend_devices *d,
                                                        uint32_t partition);
/** The witnesses are cuzk_placed_witness. Those on the heap are copied with the pool's threads. */
void cuzk_backend_device_prove(cuzk_backend_devices *d, uint32_t index, void *key, bool is_winning,
                               cuzk_pool *pool, cuzk_backend_work *work, uint32_t n,
                               cuzk_trace_ctx trace);
/** Opens a lost device again. Witnesses in its memory move to the heap. */
CUZK_NODISCARD cuzk_status cuzk_backend_device_probe(cuzk_backend_devices *d, uint32_t index,
                                                     cuzk_err *err);

#endif /* CUZK_ENGINE_BACKEND_DEVICE_H */
