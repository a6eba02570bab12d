/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_TUNE_INTERNAL_H
#define CUZK_ACCEL_CUDA_TUNE_INTERNAL_H

#include "cuda_accel.h"
#include "cuda_accel_internal.h"

#define GPU_TUNE_LG    CUZK_CARD_TIMED_LG
#define GPU_TUNE_TERMS ((uint32_t)1 << GPU_TUNE_LG)

/** Device memory of the sums that are timed, of GPU_TUNE_TERMS terms each. */
typedef struct gpu_tune_inputs {
    void *d_bases, *d_images, *d_scalars;
} gpu_tune_inputs;

/** Fills in a zeroed struct; what is not NULL is to be freed, after a failure too. */
cuzk_status gpu_tune_inputs_make(gpu_tune_inputs *in, cuzk_cuda_queue *q, cuzk_err *err);
void gpu_tune_inputs_free(gpu_tune_inputs *in, cuzk_cuda_queue *q);

/**
 * Times the sums of a device and chooses: 3 GB of its reservation, some 1.5 s on an H200. *out has the row; the rest is written but for what is
 * kept. E_DEV_UNFIT: two of the sums differ.
 */
cuzk_status gpu_time_sums(cuzk_cuda_choice *out, gpu_device *d, cuzk_err *err);
/** What was kept in the file of a name; false: nothing that can be taken. */
bool gpu_choice_read(cuzk_card_choice *out, const char *name);
/** Keeps it. False where that is not possible; the next start then measures again. */
bool gpu_choice_keep(const cuzk_card_choice *c, const char *name);

#endif /* CUZK_ACCEL_CUDA_TUNE_INTERNAL_H */
