/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_CUDA_QUEUE_INTERNAL_H
#define CUZK_ACCEL_CUDA_CUDA_QUEUE_INTERNAL_H

#include "accel/card/card.h"

#include "queue.h"
#include "status.h"

/** Small tables of one call; the next call in the queue may overwrite them. */
#define CUZK_CUDA_SCRATCH_BYTES ((uint64_t)1 << 20)

struct cuzk_cuda_queue {
    int device;
    cuzk_card card;              /* the device, or the card that it plays */
    const cuzk_card_class *host; /* of the device itself */
    cudaStream_t stream;
    cudaEvent_t begin, end;
    cudaEvent_t done;   /* of waits: the thread sleeps */
    void *d_scratch;    /* [CUZK_CUDA_SCRATCH_BYTES] */
    cuzk_cuda_mem *mem; /* borrowed; NULL: the runtime's allocator */
};

#ifdef __cplusplus
extern "C" {
#endif
int cuzk_cuda_mem_device(const cuzk_cuda_mem *m);
/** The card that queues with this memory work as: its memory is what was reserved. */
void cuzk_cuda_mem_set_card(cuzk_cuda_mem *m, const cuzk_card *card);
/** NULL: not set. */
const cuzk_card *cuzk_cuda_mem_card(const cuzk_cuda_mem *m);

/**
 * A device, or the card that it plays (accel/card/card.h); *host: the device's own class. E_DEV_UNFIT:
 * its compute capability, its limits, or no code for it in this build.
 */
cuzk_status cuzk_cuda_card_of(cuzk_card *out, const cuzk_card_class **host, int device,
                              cuzk_err *err);
/**
 * Before a launch: lets the kernel fn have its shared memory. On a device that plays another card:
 * E_DEV_UNFIT for a launch beyond that card's limits; else more shared memory where that makes a
 * multiprocessor hold no more blocks than the card's.
 */
cuzk_status cuzk_cuda_prepare(cuzk_launch *l, const cuzk_cuda_queue *q, cuzk_kernel id,
                              const void *fn, cuzk_err *err);
/** A kernel of no effect. For tests. */
const void *cuzk_cuda_some_kernel(void);
/** After a launch: whether it was refused. */
cuzk_status cuzk_cuda_launched(cuzk_kernel id, cuzk_err *err);
/** Waits for an event without using the processor; e was made with CUZK_CUDA_SLEEP. */
#define CUZK_CUDA_SLEEP (cudaEventDisableTiming | cudaEventBlockingSync)
#ifdef __cplusplus
}
#endif

#endif /* CUZK_ACCEL_CUDA_CUDA_QUEUE_INTERNAL_H */
