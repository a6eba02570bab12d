/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Page-locked host memory. The runtime's allocator fills pages on one thread, which for the 47 GB of a
 * PoRep 32 GiB that streams takes half a minute: large blocks come from the heap (2 MiB pages where
 * the kernel has them), are touched by all threads, and locked afterwards.
 */
#include "base/alloc.h"
#include "sys/pool.h"

#include "cuda_accel.h"
#include "cuda_accel_internal.h"

#define LARGE ((uint64_t)256 << 20)
#define PAGE  4096u

static gpu_device *device_of(cuzk_accel *dev)
{
    return (gpu_device *)(void *)dev;
}

static cuzk_status touch_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    volatile uint8_t *p = arg;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        p[i * PAGE] = 0;
    }
    return CUZK_OK;
}

static void touch(void *p, uint64_t bytes)
{
    cuzk_pool *pool = NULL;
    cuzk_ignore(cuzk_pool_create(&pool, NULL, NULL)); /* without one, this thread does it */
    cuzk_ignore(
        cuzk_parallel_for(pool, NULL, bytes / PAGE, ((size_t)64 << 20) / PAGE, touch_range, p));
    cuzk_pool_destroy(pool);
}

/* NULL: it cannot be had this way, which is no failure unless the device is lost. */
static cuzk_status lock_heap(gpu_device *d, void **out, uint64_t bytes, cuzk_err *err)
{
    gpu_locked *l = cuzk_alloc(1, sizeof(*l));
    void *p = cuzk_alloc(bytes, 1);
    *out = NULL;
    if (l == NULL || p == NULL) {
        cuzk_free(l);
        cuzk_free(p);
        return CUZK_OK;
    }
    touch(p, bytes);
    const cudaError_t e = cuzk_cuda_fault(cudaHostRegister(p, bytes, cudaHostRegisterPortable));
    if (e != cudaSuccess) {
        (void)cudaGetLastError();
        cuzk_free(l);
        cuzk_free(p);
        const cuzk_status st = cuzk_cuda_status(e, "cudaHostRegister", __FILE__, __LINE__, err);
        return st == CUZK_E_DEV_LOST && e != cudaErrorHostMemoryAlreadyRegistered &&
                       e != cudaErrorNotSupported
                   ? st
                   : CUZK_OK;
    }
    l->p = p;
    (void)pthread_mutex_lock(&d->lock);
    l->next = d->locked;
    d->locked = l;
    (void)pthread_mutex_unlock(&d->lock);
    *out = p;
    return CUZK_OK;
}

cuzk_status gpu_host_alloc(cuzk_accel *dev, void **out, uint64_t bytes, cuzk_err *err)
{
    gpu_device *d = device_of(dev);
    CUZK_TRY(CUZK_CUDA(cudaSetDevice((int)d->ordinal), err));
    if (bytes >= LARGE) {
        CUZK_TRY(lock_heap(d, out, bytes, err));
        if (*out != NULL) {
            return CUZK_OK;
        }
    }
    const cudaError_t e =
        cuzk_cuda_fault(cudaHostAlloc(out, bytes != 0 ? bytes : 1, cudaHostAllocPortable));
    if (e == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError(); /* not sticky */
        return CUZK_FAIL_OS(err, CUZK_E_NOMEM, (int)e, "no page-locked memory for %llu bytes",
                            (unsigned long long)bytes);
    }
    return cuzk_cuda_status(e, "cudaHostAlloc", __FILE__, __LINE__, err);
}

/* The note of p, taken off the list; NULL: the runtime's own memory. */
static gpu_locked *unlist(gpu_device *d, const void *p)
{
    (void)pthread_mutex_lock(&d->lock);
    gpu_locked **at = &d->locked;
    while (*at != NULL && (*at)->p != p) {
        at = &(*at)->next;
    }
    gpu_locked *l = *at;
    if (l != NULL) {
        *at = l->next;
    }
    (void)pthread_mutex_unlock(&d->lock);
    return l;
}

void gpu_host_free(cuzk_accel *dev, void *p)
{
    gpu_device *d = device_of(dev);
    gpu_locked *l = unlist(d, p);
    (void)cudaSetDevice((int)d->ordinal);
    if (l == NULL) {
        (void)cudaFreeHost(p);
        return;
    }
    (void)cudaHostUnregister(p);
    cuzk_free(l);
    cuzk_free(p);
}

int cuzk_accel_cuda_driver_version(void)
{
    int version = 0;
    return cudaDriverGetVersion(&version) == cudaSuccess ? version : 0;
}

/* Of a file's mapping, which only a registration as read-only accepts; not every system can do that. */
cuzk_status gpu_host_lock(cuzk_accel *dev, void *p, uint64_t bytes, cuzk_err *err)
{
    const int device = (int)device_of(dev)->ordinal;
    int can = 0;
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(device), err));
    CUZK_TRY(CUZK_CUDA(
        cudaDeviceGetAttribute(&can, cudaDevAttrHostRegisterReadOnlySupported, device), err));
    if (can == 0) {
        return CUZK_FAIL(err, CUZK_E_UNSUPPORTED, "%s: its driver locks no read-only memory",
                         device_of(dev)->name);
    }
    const cudaError_t e = cuzk_cuda_fault(
        cudaHostRegister(p, bytes, cudaHostRegisterReadOnly | cudaHostRegisterPortable));
    if (e !=
        cudaSuccess) { /* the caller does without; a device that is lost fails at its next call */
        (void)cudaGetLastError();
        return CUZK_FAIL_OS(err, e == cudaErrorMemoryAllocation ? CUZK_E_NOMEM : CUZK_E_UNSUPPORTED,
                            (int)e, "%s: cannot page-lock %llu bytes: %s", device_of(dev)->name,
                            (unsigned long long)bytes, cudaGetErrorString(e));
    }
    return CUZK_OK;
}

void gpu_host_unlock(cuzk_accel *dev, void *p)
{
    (void)cudaSetDevice((int)device_of(dev)->ordinal);
    (void)cudaHostUnregister(p);
}
