/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_CUDA_ACCEL_INTERNAL_H
#define CUZK_ACCEL_CUDA_CUDA_ACCEL_INTERNAL_H

#include <pthread.h>

#include "accel/accel_impl.h"
#include "accel/cuda/msm/msm.h"
#include "accel/cuda/ntt/ntt.h"
#include "accel/cuda/queue/queue_internal.h"
#include "accel/cuda/r1cs/r1cs.h"
#include "accel/cuda/section/section.h"

/* A block of the heap that was page-locked afterwards. */
typedef struct gpu_locked {
    struct gpu_locked *next;
    void *p;
} gpu_locked;

typedef struct gpu_device {
    cuzk_accel base;
    pthread_mutex_t lock;
    gpu_locked *locked; /* under the lock */
    uint32_t ordinal;
    cuzk_cuda_mem *mem;
    uint64_t total;
    cuzk_card card;   /* the device, or the card that it plays */
    cuzk_card played; /* that card as it was given; no class: itself */
    char name[96], id[48];
} gpu_device;

/* A sum under way. Workspaces are kept, since making one takes page-locked memory. */
typedef struct gpu_sum {
    cuzk_cuda_msm *msm;
    void *d_ws;
    uint64_t n;
    cuzk_cuda_msm_terms terms;
    unsigned lg_batch;
    bool g2;
    cuzk_accel_sum *out; /* NULL: not under way */
    uint64_t number;     /* in order of being enqueued */
} gpu_sum;
#define GPU_SUMS 96u

typedef struct gpu_queue {
    cuzk_accel_queue base;
    cuzk_cuda_queue *q;
    cudaEvent_t fence;
    cudaEvent_t marks[CUZK_ACCEL_MARKS], tie;
    uint64_t tie_ns; /* host time of tie */
    uint32_t n_marks;
    gpu_sum sums[GPU_SUMS];
    uint64_t n_sums;
    void *staging; /* page-locked, of a witness */
    uint64_t staging_bytes;
    cudaEvent_t staged; /* the last upload from staging is done */
    uint64_t *d_report;
    const char *decoding; /* section; NULL: nothing decoded since the last sync */
} gpu_queue;

typedef struct gpu_circuit {
    cuzk_accel_circuit base;
    void *d_mem;
    cuzk_cuda_circuit *circuit;
    cuzk_cuda_sections *sections;
} gpu_circuit;

typedef struct gpu_domain {
    cuzk_accel_domain base;
    cuzk_cuda_ntt *ntt;
} gpu_domain;

/* cuda_accel_host.c */
cuzk_status gpu_host_alloc(cuzk_accel *dev, void **out, uint64_t bytes, cuzk_err *err);
void gpu_host_free(cuzk_accel *dev, void *p);
cuzk_status gpu_host_lock(cuzk_accel *dev, void *p, uint64_t bytes, cuzk_err *err);
void gpu_host_unlock(cuzk_accel *dev, void *p);

/* self_test.c */
cuzk_status gpu_self_test(cuzk_accel *dev, cuzk_err *err);

/* cuda_accel_ops.c */
uint64_t gpu_image_bytes(cuzk_accel *dev, uint64_t n);
cuzk_status gpu_plan(cuzk_accel *dev, const cuzk_accel_op *op, cuzk_accel_need *out, cuzk_err *err);
cuzk_status gpu_enqueue(cuzk_accel_queue *q, const cuzk_accel_op *op, void *d_ws, uint64_t ws_bytes,
                        cuzk_err *err);
/** After the queue's work is done: sums to their places, verdict of what was decoded. */
cuzk_status gpu_collect(gpu_queue *q, cuzk_err *err);
/** Forgets results after a failure. */
void gpu_drop(gpu_queue *q);
void gpu_release_sums(gpu_queue *q);

#endif /* CUZK_ACCEL_CUDA_CUDA_ACCEL_INTERNAL_H */
