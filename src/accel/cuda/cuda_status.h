/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_CUDA_STATUS_H
#define CUZK_ACCEL_CUDA_CUDA_STATUS_H

#include <cuda_runtime.h>

#include "base/status.h"

/** Map a CUDA error to a status and record it in err (may be NULL). cudaSuccess gives CUZK_OK. */
static inline cuzk_status cuzk_cuda_status(cudaError_t e, const char *what, const char *file,
                                           int line, cuzk_err *err)
{
    cuzk_status code;

    if (e == cudaSuccess) {
        return CUZK_OK;
    }
    switch ((int)e) { /* the enumeration is long, and grows */
    case cudaErrorMemoryAllocation: code = CUZK_E_DEV_NOMEM; break;
    case cudaErrorInvalidValue:
    case cudaErrorInvalidConfiguration: code = CUZK_E_INVALID; break;
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorNoKernelImageForDevice: code = CUZK_E_UNSUPPORTED; break;
    default: code = CUZK_E_DEV_LOST; break; /* assume sticky: the context must be torn down */
    }
    const char *text = cudaGetErrorString(e);
    return cuzk_err_set(err, code, (int)e, file, line, "%s: %s", what, text);
}

/* Use at once on every CUDA runtime call: CUZK_TRY(CUZK_CUDA(cudaFoo(...), err)). */
#define CUZK_CUDA(call, err) cuzk_cuda_status((call), #call, __FILE__, __LINE__, (err))

/* Use right after every <<<...>>>: reports a launch that was refused. */
#define CUZK_CUDA_LAUNCHED(kernel, err) \
    cuzk_cuda_status(cudaGetLastError(), "launch of " #kernel, __FILE__, __LINE__, (err))

#endif /* CUZK_ACCEL_CUDA_CUDA_STATUS_H */
