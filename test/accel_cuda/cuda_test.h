/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_ACCEL_CUDA_CUDA_TEST_H
#define CUZK_TEST_ACCEL_CUDA_CUDA_TEST_H

#include "accel/cuda/queue/queue.h"

#include "test.h"

/* A queue on device 0; skips the case where there is no device. */
static inline cuzk_cuda_queue *cuda_queue(void)
{
    cuzk_err err;
    cuzk_cuda_queue *q = NULL;
    if (cuzk_cuda_device_count() == 0) {
        cuzk_test_skip("no CUDA device");
    }
    CHECK_OK(cuzk_cuda_queue_create(&q, 0, &err), &err);
    return q;
}

/* Device copy of host memory. */
static inline void *cuda_upload(cuzk_cuda_queue *q, const void *p, size_t bytes)
{
    cuzk_err err;
    void *d = NULL;
    CHECK_OK(cuzk_cuda_alloc(q, &d, bytes, &err), &err);
    CHECK_OK(cuzk_cuda_upload(q, d, p, bytes, &err), &err);
    return d;
}

#endif
