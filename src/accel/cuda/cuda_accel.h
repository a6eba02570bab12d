/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_CUDA_ACCEL_H
#define CUZK_ACCEL_CUDA_CUDA_ACCEL_H

/*
 * A GPU behind the interface of accel/accel.h.
 */
#include "accel/accel.h"
#include "accel/card/choice.h"
#include "accel/card/fit.h"

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
    cuzk_card_choice chosen;
    bool is_measured; /* just now; else it was read from the file, and the rest is 0 */
    double seconds;   /* of the whole measurement */
    double affine_ms, xyzz_ms, cached_ms;
    cuzk_card_timing widths[CUZK_CARD_TIMED];
    cuzk_card_timing small; /* small buckets; 0 with additions in XYZZ */
    cuzk_card_timing digits[CUZK_CARD_TIMED];
    cuzk_card_fit by_width, by_digits;
    bool had_before; /* a choice was in the file: before */
    cuzk_card_choice before;
    bool is_kept; /* the file has the choice now */
    cuzk_card_costs
        row; /* of the table: of the card's class, or of the one that stands in for it */
} cuzk_cuda_choice;
/**
 * Chooses how a device adds up (affine additions or in XYZZ; the costs that widths of windows follow from), before it has
 * queues: by what was kept for its UUID and driver, and the card that it plays, or (again, or nothing is kept) by measuring,
 * two seconds on an H200, and keeps that. Of two processes that do so at once one has its choice kept.
 * E_DEV_NOMEM: less than 3 GB of its reservation are free; E_DEV_UNFIT: two ways gave two sums; device errors. The
 * device's choice is unchanged then.
 */
CUZK_NODISCARD cuzk_status cuzk_accel_cuda_tune(cuzk_accel *dev, cuzk_cuda_choice *out, bool again,
                                                cuzk_err *err);
/**
 * As cuzk_accel_cuda_open, then cuzk_accel_self_test, then the choice that was kept for the device. Where none was kept: on a
 * class of card that the table of measured constants has no row for (accel/card/tuning.h) cuzk_accel_cuda_tune, on
 * others the row.
 */
CUZK_NODISCARD cuzk_status cuzk_accel_cuda_open_tested(cuzk_accel **out, uint32_t ordinal,
                                                       uint64_t memory_limit, cuzk_err *err);
/** Usable devices; 0 without a GPU or a driver. */
uint32_t cuzk_accel_cuda_count(void);
/** Most device memory that was handed out at once, in bytes. */
uint64_t cuzk_accel_cuda_peak(cuzk_accel *dev);

#endif /* CUZK_ACCEL_CUDA_CUDA_ACCEL_H */
