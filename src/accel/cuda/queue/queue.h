/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_CUDA_QUEUE_H
#define CUZK_ACCEL_CUDA_CUDA_QUEUE_H

/*
 * One in-order queue of work on one GPU, and device memory. Pointers called d_... are device
 * addresses. Device errors are E_DEV_NOMEM (try again with less) and E_DEV_LOST (the process must
 * give up the device); the state of device memory after a failure is unspecified.
 * @thread one queue is used by one thread at a time; different queues are independent.
 */
#include <stdint.h>

#include "accel/card/card.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cuzk_cuda_queue cuzk_cuda_queue;
/** One reservation of device memory, divided by the host. @thread any. */
typedef struct cuzk_cuda_mem cuzk_cuda_mem;

/** Number of usable GPUs; 0, not an error, when there is no driver or no GPU. */
int cuzk_cuda_device_count(void);
/** Name of the device as the driver gives it, NUL-terminated in out [bytes]. */
CUZK_NODISCARD cuzk_status cuzk_cuda_device_name(char *out, size_t bytes, int device,
                                                 cuzk_err *err);
/** PCI address of the device, and its memory: all of it, and what is free now. */
CUZK_NODISCARD cuzk_status cuzk_cuda_device_info(int device, char *pci, size_t pci_bytes,
                                                 uint64_t *total, uint64_t *free_now,
                                                 cuzk_err *err);
/**
 * Reserves memory of a device: all that is free but for CUZK_CUDA_MEM_MARGIN, at most limit (0: no
 * limit). From then on queues made with it take device memory from nowhere else.
 */
#define CUZK_CUDA_MEM_MARGIN ((uint64_t)768 << 20) /* kernels, local memory, other programs */
CUZK_NODISCARD cuzk_status cuzk_cuda_mem_create(cuzk_cuda_mem **out, int device, uint64_t limit,
                                                cuzk_err *err);
/** Queues and blocks must be gone. NULL is fine. */
void cuzk_cuda_mem_destroy(cuzk_cuda_mem *m);
uint64_t cuzk_cuda_mem_total(cuzk_cuda_mem *m);
/** Not handed out; the largest piece may be smaller. */
uint64_t cuzk_cuda_mem_free(cuzk_cuda_mem *m);
uint64_t cuzk_cuda_mem_peak(cuzk_cuda_mem *m);
CUZK_NODISCARD cuzk_status cuzk_cuda_mem_take(cuzk_cuda_mem *m, void **d_out, uint64_t bytes,
                                              cuzk_err *err);
/** No queue may still use it. NULL is fine. */
void cuzk_cuda_mem_give(cuzk_cuda_mem *m, void *d_p);

/** As cuzk_cuda_queue_create, with memory from mem (borrowed), of its device. */
CUZK_NODISCARD cuzk_status cuzk_cuda_queue_create_in(cuzk_cuda_queue **out, cuzk_cuda_mem *mem,
                                                     cuzk_err *err);
/** E_DEV_UNFIT when the device does not exist, or cannot run this build's code. */
CUZK_NODISCARD cuzk_status cuzk_cuda_queue_create(cuzk_cuda_queue **out, int device, cuzk_err *err);
/** Waits for the work in the queue. NULL is fine. */
void cuzk_cuda_queue_destroy(cuzk_cuda_queue *q);
/** The queue's cudaStream_t, for kernels of the caller's own. */
void *cuzk_cuda_queue_stream(const cuzk_cuda_queue *q);
/** Waits, asleep; what failed is for the next sync to report. */
void cuzk_cuda_queue_drain(cuzk_cuda_queue *q);
/** Waits, asleep; returns the first failure of the work in the queue. */
CUZK_NODISCARD cuzk_status cuzk_cuda_queue_sync(cuzk_cuda_queue *q, cuzk_err *err);

/** The card that the queue works as. */
const cuzk_card *cuzk_cuda_queue_card(const cuzk_cuda_queue *q);

/** Device memory, 256-byte aligned; bytes 0 gives a block that may be freed. */
CUZK_NODISCARD cuzk_status cuzk_cuda_alloc(cuzk_cuda_queue *q, void **d_out, uint64_t bytes,
                                           cuzk_err *err);
/** Waits for the queue, then frees. NULL is fine. */
void cuzk_cuda_free(cuzk_cuda_queue *q, void *d_p);
/** Copies; on return the host memory may be reused (upload) or read (download). */
CUZK_NODISCARD cuzk_status cuzk_cuda_upload(cuzk_cuda_queue *q, void *d_dst, const void *src,
                                            uint64_t bytes, cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_cuda_download(cuzk_cuda_queue *q, void *dst, const void *d_src,
                                              uint64_t bytes, cuzk_err *err);
/** Enqueues a copy on the device; no overlap. */
CUZK_NODISCARD cuzk_status cuzk_cuda_copy(cuzk_cuda_queue *q, void *d_dst, const void *d_src,
                                          uint64_t bytes, cuzk_err *err);

/** Device time of the work enqueued between start and stop; stop waits for it. */
CUZK_NODISCARD cuzk_status cuzk_cuda_timer_start(cuzk_cuda_queue *q, cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_cuda_timer_stop(cuzk_cuda_queue *q, double *ms, cuzk_err *err);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_ACCEL_CUDA_CUDA_QUEUE_H */
