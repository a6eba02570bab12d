/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_TUNE_INTERNAL_H
#define CUZK_ACCEL_CUDA_TUNE_INTERNAL_H

#include "cuda_accel.h"
#include "cuda_accel_internal.h"

/** Both ways of a sum timed on the device: half a second, 3 GB of its reservation. */
cuzk_status gpu_time_sums(cuzk_cuda_choice *out, gpu_device *d, cuzk_err *err);
/** What was kept for a device and driver; false: nothing. */
bool gpu_choice_read(cuzk_cuda_choice *out, const char *key);
/** Keeps it; where that is not possible, nothing happens: the next start measures again. */
void gpu_choice_keep(const cuzk_cuda_choice *c, const char *key);

#endif /* CUZK_ACCEL_CUDA_TUNE_INTERNAL_H */
