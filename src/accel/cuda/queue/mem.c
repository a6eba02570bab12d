/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The reservation of device memory, and the test hook that makes the runtime fail. */
#include <stdatomic.h>

#include "accel/suballoc.h"
#include "base/alloc.h"

#include "queue_internal.h"

struct cuzk_cuda_mem {
    int device;
    void *d_base;
    cuzk_suballoc *sub;
    cuzk_card card; /* no class: not set */
};

static uint64_t reservation(uint64_t free_now, uint64_t limit)
{
    const uint64_t most =
        free_now > 2 * CUZK_CUDA_MEM_MARGIN ? free_now - CUZK_CUDA_MEM_MARGIN : free_now / 2;
    return limit != 0 && limit < most ? limit : most;
}

cuzk_status cuzk_cuda_mem_create(cuzk_cuda_mem **out, int device, uint64_t limit, cuzk_err *err)
{
    size_t free_now = 0, total = 0;
    cuzk_status st = CUZK_OK;
    cuzk_cuda_mem *m = cuzk_alloc_zero(1, sizeof(*m));
    if (m == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to manage device memory");
    }
    m->device = device;
    uint64_t bytes;
    CUZK_TRY_GOTO(st, CUZK_CUDA(cudaSetDevice(device), err));
    CUZK_TRY_GOTO(st, CUZK_CUDA(cudaMemGetInfo(&free_now, &total), err));
    bytes = reservation(free_now, limit);
    st = CUZK_CUDA(cudaMalloc(&m->d_base, bytes), err);
    if (st != CUZK_OK) {
        (void)cudaGetLastError(); /* a refusal is not sticky */
        goto out;
    }
    CUZK_TRY_GOTO(st, cuzk_suballoc_create(&m->sub, (uint64_t)(uintptr_t)m->d_base, bytes, err));
    *out = m;
    return CUZK_OK;
out:
    cuzk_cuda_mem_destroy(m);
    return st;
}

void cuzk_cuda_mem_destroy(cuzk_cuda_mem *m)
{
    if (m != NULL) {
        cuzk_suballoc_destroy(m->sub);
        (void)cudaSetDevice(m->device);
        (void)cudaFree(m->d_base);
        cuzk_free(m);
    }
}

void cuzk_cuda_mem_set_card(cuzk_cuda_mem *m, const cuzk_card *card)
{
    m->card = *card;
}

const cuzk_card *cuzk_cuda_mem_card(const cuzk_cuda_mem *m)
{
    return m->card.klass != NULL ? &m->card : NULL;
}

int cuzk_cuda_mem_device(const cuzk_cuda_mem *m)
{
    return m->device;
}

uint64_t cuzk_cuda_mem_total(cuzk_cuda_mem *m)
{
    return cuzk_suballoc_get_stats(m->sub).total;
}

uint64_t cuzk_cuda_mem_free(cuzk_cuda_mem *m)
{
    const cuzk_suballoc_stats s = cuzk_suballoc_get_stats(m->sub);
    return s.total - s.used;
}

uint64_t cuzk_cuda_mem_peak(cuzk_cuda_mem *m)
{
    return cuzk_suballoc_get_stats(m->sub).peak;
}

cuzk_status cuzk_cuda_mem_take(cuzk_cuda_mem *m, void **d_out, uint64_t bytes, cuzk_err *err)
{
    uint64_t at = 0;
    if (cuzk_cuda_fault(cudaSuccess) != cudaSuccess) {
        return CUZK_FAIL(err, CUZK_E_DEV_NOMEM, "no device memory for %llu bytes (injected)",
                         (unsigned long long)bytes);
    }
    CUZK_TRY(cuzk_suballoc_take(m->sub, &at, bytes, false, err));
    *d_out = (void *)(uintptr_t)at;
    return CUZK_OK;
}

void cuzk_cuda_mem_give(cuzk_cuda_mem *m, void *d_p)
{
    if (d_p != NULL) {
        (void)cuzk_suballoc_give(m->sub, (uint64_t)(uintptr_t)d_p);
    }
}

static struct {
    _Atomic uint64_t calls, fail_at;
    _Atomic int error;
    _Atomic bool and_after;
} fault; /* a test hook, like that of base/alloc.h */

uint64_t cuzk_cuda_fail_nth(uint64_t n, cudaError_t e, bool and_after)
{
    atomic_store(&fault.fail_at, 0);
    atomic_store(&fault.error, (int)e);
    atomic_store(&fault.and_after, and_after);
    const uint64_t calls = atomic_exchange(&fault.calls, 0);
    atomic_store(&fault.fail_at, n);
    return calls;
}

cudaError_t cuzk_cuda_fault(cudaError_t e)
{
    const uint64_t n = atomic_fetch_add_explicit(&fault.calls, 1, memory_order_relaxed) + 1;
    const uint64_t at = atomic_load_explicit(&fault.fail_at, memory_order_relaxed);
    if (at == 0 || e != cudaSuccess || n < at || (n > at && !atomic_load(&fault.and_after))) {
        return e;
    }
    return (cudaError_t)atomic_load(&fault.error);
}
