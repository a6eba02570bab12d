/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_GROTH16_DEVICE_LOCK_H
#define CUZK_GROTH16_DEVICE_LOCK_H

/*
 * A part of the parameter file whose pages in the page cache are locked, so that the device copies from them by
 * itself: no processor reads the bytes, and nothing is copied on the host. It is locked in blocks.
 */
#include "accel/accel.h"
#include "sys/file.h"

typedef struct device_lock {
    cuzk_file_view view;
    uint64_t block;  /* bytes of a block; the last one may be shorter */
    uint64_t locked; /* bytes of the view that are locked: all of it; 0: nothing is */
} device_lock;

/**
 * Locks the pages of bytes [at, at + bytes) of f; block: a multiple of the size of a page. Reads what is not in the
 * page cache yet. least_rate: bytes a second; when the first block takes longer, because its pages are small (4 KiB),
 * the rest would too, and copies would be slow: E_UNSUPPORTED. On failure *l is zeroed: E_UNSUPPORTED, E_NOMEM, E_IO,
 * E_DEV_LOST.
 */
CUZK_NODISCARD cuzk_status device_lock_take(device_lock *l, cuzk_accel *dev, const cuzk_file *f,
                                            uint64_t at, uint64_t bytes, uint64_t block,
                                            uint64_t least_rate, cuzk_err *err);
/** No enqueued work may still use it. Fine for a zeroed one. */
void device_lock_release(device_lock *l, cuzk_accel *dev);
/**
 * Where the device finds byte `at` of the file, and in *n how many of the *n bytes from there on are in the same
 * block. NULL: it is not locked. The processor must not read them (sys/file.h).
 */
const uint8_t *device_lock_find(const device_lock *l, uint64_t at, uint64_t *n);

#endif /* CUZK_GROTH16_DEVICE_LOCK_H */
