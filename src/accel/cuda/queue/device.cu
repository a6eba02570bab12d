/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What a device is and whether this build can use it; the check of every launch. */
#include <stdio.h>

#include "queue_internal.h"

#ifndef __CUDA_ARCH_LIST__
#    error "nvcc 11.5 or later is needed"
#endif

#define DEFAULT_SHARED (48u << 10) /* dynamic shared memory that needs no permission */

/* Compiled for whatever the other kernels are compiled for. */
static __global__ void image_k(void)
{
}

const void *cuzk_cuda_some_kernel(void)
{
    return (const void *)image_k;
}

/* "9.0" or "8.0, 9.0": the architectures that this build has code for. */
static const char *built_for(char *out, size_t bytes)
{
    static const int list[] = {__CUDA_ARCH_LIST__};
    size_t at = 0;
    out[0] = '\0';
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]) && at < bytes; i++) {
        at += (size_t)snprintf(out + at, bytes - at, "%s%d.%d", i == 0 ? "" : ", ", list[i] / 100,
                               list[i] / 10 % 10);
    }
    return out;
}

static cuzk_status check_image(const cudaDeviceProp *p, cuzk_err *err)
{
    cudaFuncAttributes a;
    char list[96];
    const cudaError_t e = cuzk_cuda_fault(cudaFuncGetAttributes(&a, (const void *)image_k));
    if (e == cudaErrorNoKernelImageForDevice || e == cudaErrorInvalidDeviceFunction ||
        e == cudaErrorUnsupportedPtxVersion) {
        (void)cudaGetLastError(); /* not sticky */
        return CUZK_FAIL_OS(err, CUZK_E_DEV_UNFIT, (int)e,
                            "%s: compute capability %d.%d, this build has code for %s", p->name,
                            p->major, p->minor, built_for(list, sizeof(list)));
    }
    return cuzk_cuda_status(e, "cudaFuncGetAttributes", __FILE__, __LINE__, err);
}

static cuzk_status check_limits(const cuzk_card_class *c, const cudaDeviceProp *p, cuzk_err *err)
{
    const cuzk_card_limits *l = &c->limits;
    if (p->sharedMemPerMultiprocessor < l->shared_sm) {
        return CUZK_FAIL(err, CUZK_E_DEV_UNFIT,
                         "%s: %zu bytes of shared memory in a multiprocessor, needs %u", p->name,
                         p->sharedMemPerMultiprocessor, l->shared_sm);
    }
    if (p->regsPerMultiprocessor < (int)CUZK_CARD_REGISTERS ||
        p->maxThreadsPerBlock < (int)CUZK_CARD_THREADS) {
        return CUZK_FAIL(err, CUZK_E_DEV_UNFIT,
                         "%s: %d registers and blocks of %d threads, needs %u and %u", p->name,
                         p->regsPerMultiprocessor, p->maxThreadsPerBlock, CUZK_CARD_REGISTERS,
                         CUZK_CARD_THREADS);
    }
    return CUZK_OK;
}

cuzk_status cuzk_cuda_card_of(cuzk_card *out, const cuzk_card_class **host, int device,
                              cuzk_err *err)
{
    cudaDeviceProp p;
    CUZK_TRY(CUZK_CUDA(cudaGetDeviceProperties(&p, device), err));
    const cuzk_card_facts f = {p.name, (unsigned)(10 * p.major + p.minor),
                               (uint32_t)p.sharedMemPerBlockOptin, (uint32_t)p.multiProcessorCount,
                               p.totalGlobalMem};
    CUZK_TRY(cuzk_card_of(out, &f, err));
    CUZK_TRY(check_limits(out->klass, &p, err));
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(device), err));
    CUZK_TRY(check_image(&p, err));
    *host = out->klass;
    const cuzk_card *played = cuzk_card_played();
    if (played != NULL) {
        const uint32_t sms = out->sms;
        *out = *played;
        out->sms = played->sms < sms ? played->sms : sms;
        /* Another card's kernels run by this device's code, which may not have them. */
        if (out->klass->limits.shared_block > (*host)->limits.shared_block) {
            return CUZK_FAIL(err, CUZK_E_DEV_UNFIT,
                             "%s cannot play a card of class %s: less memory "
                             "is shared in its blocks",
                             p.name, out->klass->text);
        }
    }
    return CUZK_OK;
}

cuzk_status cuzk_cuda_prepare(cuzk_launch *l, const cuzk_cuda_queue *q, cuzk_kernel id,
                              const void *fn, cuzk_err *err)
{
    uint32_t most = cuzk_card_launch(q->card.klass, id).dynamic_bytes;
    if (q->card.is_enforced) {
        cudaFuncAttributes a;
        CUZK_TRY(CUZK_CUDA(cudaFuncGetAttributes(&a, fn), err));
        const uint32_t own = (uint32_t)a.sharedSizeBytes, registers = (uint32_t)a.numRegs;
        CUZK_TRY(cuzk_card_check(q->card.klass, cuzk_kernel_name(id), *l, own, registers, err));
        l->dynamic_bytes =
            cuzk_card_padded(&q->host->limits, &q->card.klass->limits, *l, own, registers);
        most = q->host->limits.shared_block - own;
    }
    /* The most, not this launch's: the attribute is the kernel's, and other threads launch it too. */
    if (most > DEFAULT_SHARED) {
        const cudaFuncAttribute shared = cudaFuncAttributeMaxDynamicSharedMemorySize;
        CUZK_TRY(CUZK_CUDA(cudaFuncSetAttribute(fn, shared, (int)most), err));
    }
    return CUZK_OK;
}

cuzk_status cuzk_cuda_launched(cuzk_kernel id, cuzk_err *err)
{
    char what[96];
    const cudaError_t e = cuzk_cuda_fault(cudaGetLastError());
    if (e == cudaSuccess) {
        return CUZK_OK;
    }
    (void)snprintf(what, sizeof(what), "launch of %s", cuzk_kernel_name(id));
    return cuzk_cuda_status(e, what, __FILE__, __LINE__, err);
}
