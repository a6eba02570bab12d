/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_CUDA_ACCEL_H
#define CUZK_ACCEL_CUDA_CUDA_ACCEL_H

/*
 * A GPU behind the interface of accel/accel.h.
 */
#include "accel/accel.h"

/** The CUDA version that the installed driver supports, 1000 major + 10 minor; 0: no driver. */
int cuzk_accel_cuda_driver_version(void);

/**
 * Opens device `ordinal` and reserves its memory: what is free, at most memory_limit bytes (0: no
 * limit). E_DEV_UNFIT when there is no such device or no driver, its compute capability is below 8.0, its limits are too small or this build has no code for it; E_DEV_NOMEM,
 * E_DEV_LOST. With a card to play (accel/card/card.h) the device has that card's shapes, limits and
 * memory.
 */
CUZK_NODISCARD cuzk_status cuzk_accel_cuda_open(cuzk_accel **out, uint32_t ordinal,
                                                uint64_t memory_limit, cuzk_err *err);
/** How a device adds up points: what took less time on it. */
typedef struct cuzk_cuda_choice {
    bool xyzz;                 /* else affine, in a tree */
    double affine_ms, xyzz_ms; /* 0: read from what was kept */
} cuzk_cuda_choice;
/**
 * Chooses the additions of a device's sums, before it has queues: by what was kept for its UUID and
 * driver, or (again, or nothing is kept) by measuring, half a second, and keeps that. E_DEV_NOMEM: less
 * than 3 GB of its reservation are free; device errors. The choice is unchanged then.
 */
CUZK_NODISCARD cuzk_status cuzk_accel_cuda_tune(cuzk_accel *dev, cuzk_cuda_choice *out, bool again,
                                                cuzk_err *err);
/** As cuzk_accel_cuda_open, then cuzk_accel_self_test, then (on a class of card that the table of
 * measured constants has no row for, accel/card/tuning.h) cuzk_accel_cuda_tune. */
CUZK_NODISCARD cuzk_status cuzk_accel_cuda_open_tested(cuzk_accel **out, uint32_t ordinal,
                                                       uint64_t memory_limit, cuzk_err *err);
/** Usable devices; 0 without a GPU or a driver. */
uint32_t cuzk_accel_cuda_count(void);
/** Most device memory that was handed out at once, in bytes. */
uint64_t cuzk_accel_cuda_peak(cuzk_accel *dev);

#endif /* CUZK_ACCEL_CUDA_CUDA_ACCEL_H */
