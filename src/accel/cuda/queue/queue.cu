/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdio.h>

#include "base/alloc.h"

#include "queue_internal.h"
#include "queue_urgent.h"

int cuzk_cuda_device_count(void)
{
    int n = 0;
    if (cudaGetDeviceCount(&n) != cudaSuccess) {
        (void)cudaGetLastError(); /* not sticky: no driver, no device */
        return 0;
    }
    return n;
}

cuzk_status cuzk_cuda_device_info(int device, char *pci, size_t pci_bytes, uint64_t *total,
                                  uint64_t *free_now, cuzk_err *err)
{
    size_t f = 0, t = 0;
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(device), err));
    CUZK_TRY(CUZK_CUDA(cudaDeviceGetPCIBusId(pci, (int)pci_bytes, device), err));
    CUZK_TRY(CUZK_CUDA(cudaMemGetInfo(&f, &t), err));
    *free_now = f;
    *total = t;
    return CUZK_OK;
}

cuzk_status cuzk_cuda_device_name(char *out, size_t bytes, int device, cuzk_err *err)
{
    cudaDeviceProp prop;
    CUZK_TRY(CUZK_CUDA(cudaGetDeviceProperties(&prop, device), err));
    (void)snprintf(out, bytes, "%s", prop.name);
    return CUZK_OK;
}

static cuzk_status create_queue(cuzk_cuda_queue **out, int device, cuzk_cuda_mem *mem, bool urgent,
                                cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    int least = 0, greatest = 0; /* priorities of streams: the greatest has the lowest number */
    if (device < 0 || device >= cuzk_cuda_device_count()) {
        return CUZK_FAIL(err, CUZK_E_DEV_UNFIT, "CUDA device %d: there are %d", device,
                         cuzk_cuda_device_count());
    }
    cuzk_cuda_queue *q = (cuzk_cuda_queue *)cuzk_alloc_zero(1, sizeof(*q));
    if (q == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a CUDA queue");
    }
    q->device = device;
    q->mem = mem;
    CUZK_TRY_GOTO(st, CUZK_CUDA(cudaSetDevice(device), err));
    CUZK_TRY_GOTO(st, cuzk_cuda_card_of(&q->card, &q->host, device, err));
    if (mem != NULL && cuzk_cuda_mem_card(mem) != NULL) {
        q->card = *cuzk_cuda_mem_card(mem);
    }
    CUZK_TRY_GOTO(st, CUZK_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest), err));
    CUZK_TRY_GOTO(st, CUZK_CUDA(cudaStreamCreateWithPriority(&q->stream, cudaStreamNonBlocking,
                                                             urgent ? greatest : least),
                                err));
    CUZK_TRY_GOTO(st, CUZK_CUDA(cudaEventCreate(&q->begin), err));
    CUZK_TRY_GOTO(st, CUZK_CUDA(cudaEventCreateWithFlags(&q->end, cudaEventBlockingSync), err));
    CUZK_TRY_GOTO(st, CUZK_CUDA(cudaEventCreateWithFlags(&q->done, CUZK_CUDA_SLEEP), err));
    CUZK_TRY_GOTO(st, cuzk_cuda_alloc(q, &q->d_scratch, CUZK_CUDA_SCRATCH_BYTES, err));
    *out = q;
    return CUZK_OK;
out:
    cuzk_cuda_queue_destroy(q);
    return st;
}

cuzk_status cuzk_cuda_queue_create(cuzk_cuda_queue **out, int device, cuzk_err *err)
{
    return create_queue(out, device, NULL, false, err);
}

cuzk_status cuzk_cuda_queue_create_in(cuzk_cuda_queue **out, cuzk_cuda_mem *mem, cuzk_err *err)
{
    return create_queue(out, cuzk_cuda_mem_device(mem), mem, false, err);
}

cuzk_status cuzk_cuda_queue_create_urgent(cuzk_cuda_queue **out, cuzk_cuda_mem *mem, cuzk_err *err)
{
    return create_queue(out, cuzk_cuda_mem_device(mem), mem, true, err);
}

void cuzk_cuda_queue_destroy(cuzk_cuda_queue *q)
{
    if (q == NULL) {
        return;
    }
    /* Failures here have no reader: the work's own failure was reported by the last sync. */
    if (q->stream != NULL) {
        (void)cudaStreamSynchronize(q->stream);
    }
    cuzk_cuda_free(q, q->d_scratch);
    if (q->stream != NULL) {
        (void)cudaStreamDestroy(q->stream);
    }
    if (q->done != NULL) {
        (void)cudaEventDestroy(q->done);
    }
    if (q->begin != NULL) {
        (void)cudaEventDestroy(q->begin);
    }
    if (q->end != NULL) {
        (void)cudaEventDestroy(q->end);
    }
    cuzk_free(q);
}

void *cuzk_cuda_queue_stream(const cuzk_cuda_queue *q)
{
    return q->stream;
}

const cuzk_card *cuzk_cuda_queue_card(const cuzk_cuda_queue *q)
{
    return &q->card;
}

/* The runtime's wait for a stream keeps a processor busy; that for such an event does not. */
static cuzk_status wait(cuzk_cuda_queue *q, cuzk_err *err)
{
    CUZK_TRY(CUZK_CUDA(cudaEventRecord(q->done, q->stream), err));
    return CUZK_CUDA(cudaEventSynchronize(q->done), err);
}

/* Past the test hook: a failure here has no reader. */
void cuzk_cuda_queue_drain(cuzk_cuda_queue *q)
{
    (void)cudaSetDevice(q->device);
    if (q->done != NULL && cudaEventRecord(q->done, q->stream) == cudaSuccess) {
        (void)cudaEventSynchronize(q->done);
    }
}

cuzk_status cuzk_cuda_queue_sync(cuzk_cuda_queue *q, cuzk_err *err)
{
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    return wait(q, err);
}

cuzk_status cuzk_cuda_alloc(cuzk_cuda_queue *q, void **d_out, uint64_t bytes, cuzk_err *err)
{
    void *p = NULL;
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    if (q->mem != NULL) {
        return cuzk_cuda_mem_take(q->mem, d_out, bytes, err);
    }
    const cudaError_t e = cuzk_cuda_fault(cudaMalloc(&p, bytes != 0 ? bytes : 1));
    if (e != cudaSuccess) {
        (void)cudaFree(p); /* not NULL only when a test made the call fail */
    }
    if (e == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError(); /* not sticky */
        return CUZK_FAIL_OS(err, CUZK_E_DEV_NOMEM, (int)e, "no device memory for %llu bytes",
                            (unsigned long long)bytes);
    }
    CUZK_TRY(cuzk_cuda_status(e, "cudaMalloc", __FILE__, __LINE__, err));
    *d_out = p;
    return CUZK_OK;
}

void cuzk_cuda_free(cuzk_cuda_queue *q, void *d_p)
{
    if (d_p != NULL) {
        cuzk_cuda_queue_drain(q);
        if (q->mem != NULL) {
            cuzk_cuda_mem_give(q->mem, d_p);
            return;
        }
        (void)cudaFree(d_p);
    }
}

static cuzk_status copy_sync(cuzk_cuda_queue *q, void *dst, const void *src, uint64_t bytes,
                             cudaMemcpyKind kind, cuzk_err *err)
{
    if (bytes == 0) {
        return CUZK_OK;
    }
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    CUZK_TRY(CUZK_CUDA(cudaMemcpyAsync(dst, src, bytes, kind, q->stream), err));
    return wait(q, err);
}

cuzk_status cuzk_cuda_upload(cuzk_cuda_queue *q, void *d_dst, const void *src, uint64_t bytes,
                             cuzk_err *err)
{
    return copy_sync(q, d_dst, src, bytes, cudaMemcpyHostToDevice, err);
}

cuzk_status cuzk_cuda_download(cuzk_cuda_queue *q, void *dst, const void *d_src, uint64_t bytes,
                               cuzk_err *err)
{
    return copy_sync(q, dst, d_src, bytes, cudaMemcpyDeviceToHost, err);
}

cuzk_status cuzk_cuda_copy(cuzk_cuda_queue *q, void *d_dst, const void *d_src, uint64_t bytes,
                           cuzk_err *err)
{
    if (bytes == 0) {
        return CUZK_OK;
    }
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    return CUZK_CUDA(cudaMemcpyAsync(d_dst, d_src, bytes, cudaMemcpyDeviceToDevice, q->stream),
                     err);
}

cuzk_status cuzk_cuda_timer_start(cuzk_cuda_queue *q, cuzk_err *err)
{
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    return CUZK_CUDA(cudaEventRecord(q->begin, q->stream), err);
}

cuzk_status cuzk_cuda_timer_stop(cuzk_cuda_queue *q, double *ms, cuzk_err *err)
{
    float t = 0;
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    CUZK_TRY(CUZK_CUDA(cudaEventRecord(q->end, q->stream), err));
    CUZK_TRY(CUZK_CUDA(cudaEventSynchronize(q->end), err));
    CUZK_TRY(CUZK_CUDA(cudaEventElapsedTime(&t, q->begin, q->end), err));
    *ms = (double)t;
    return CUZK_OK;
}
