/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_QUEUE_QUEUE_URGENT_H
#define CUZK_ACCEL_CUDA_QUEUE_QUEUE_URGENT_H

#include "accel/cuda/queue/queue.h"

#ifdef __cplusplus
extern "C" {
#endif

/** As cuzk_cuda_queue_create_in; blocks of its kernels are started before those of other queues. */
CUZK_NODISCARD cuzk_status cuzk_cuda_queue_create_urgent(cuzk_cuda_queue **out, cuzk_cuda_mem *mem,
                                                         cuzk_err *err);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_ACCEL_CUDA_QUEUE_QUEUE_URGENT_H */
