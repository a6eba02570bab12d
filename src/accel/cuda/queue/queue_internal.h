/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_CUDA_QUEUE_INTERNAL_H
#define CUZK_ACCEL_CUDA_CUDA_QUEUE_INTERNAL_H

#include "queue.h"
#include "status.h"

/** Small tables of one call; the next call in the queue may overwrite them. */
#define CUZK_CUDA_SCRATCH_BYTES ((uint64_t)1 << 20)

struct cuzk_cuda_queue {
    int device;
    int sm_count;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    void *d_scratch;    /* [CUZK_CUDA_SCRATCH_BYTES] */
    cuzk_cuda_mem *mem; /* borrowed; NULL: the runtime's allocator */
};

#ifdef __cplusplus
extern "C" {
#endif
int cuzk_cuda_mem_device(const cuzk_cuda_mem *m);
#ifdef __cplusplus
}
#endif

#endif /* CUZK_ACCEL_CUDA_CUDA_QUEUE_INTERNAL_H */
