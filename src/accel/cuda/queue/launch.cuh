/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_QUEUE_LAUNCH_CUH
#define CUZK_ACCEL_CUDA_QUEUE_LAUNCH_CUH

/*
 * Every launch of a kernel: threads and shared memory come from the table of accel/card, for the class
 * of the queue's device. A device that plays another card is held to that card's limits here.
 */
#include "accel/cuda/queue/queue_internal.h"

/* Code for devices of 100 KiB of shared memory holds no kernels of the wide shapes. */
#if defined(__CUDA_ARCH__) &&                                                 \
    ((__CUDA_ARCH__ >= 860 && __CUDA_ARCH__ < 900 && __CUDA_ARCH__ != 870) || \
     __CUDA_ARCH__ >= 1200)
#    define CUZK_LEAN_ONLY 1
#else
#    define CUZK_LEAN_ONLY 0
#endif

/* l: what the table says, or less dynamic shared memory. Does not wait. */
template <class... P, class... A>
static cuzk_status cuzk_cuda_launch_as(cuzk_cuda_queue *q, cuzk_kernel id, cuzk_launch l,
                                       void (*kernel)(P...), dim3 grid, cuzk_err *err,
                                       const A &...args)
{
    CUZK_TRY(cuzk_cuda_prepare(&l, q, id, (const void *)kernel, err));
    kernel<<<grid, l.threads, l.dynamic_bytes, q->stream>>>(args...);
    return cuzk_cuda_launched(id, err);
}

template <class... P, class... A>
static cuzk_status cuzk_cuda_launch(cuzk_cuda_queue *q, cuzk_kernel id, void (*kernel)(P...),
                                    dim3 grid, cuzk_err *err, const A &...args)
{
    return cuzk_cuda_launch_as(q, id, cuzk_card_launch(q->card.klass, id), kernel, grid, err,
                               args...);
}

#endif /* CUZK_ACCEL_CUDA_QUEUE_LAUNCH_CUH */
