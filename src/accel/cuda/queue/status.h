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
    /* Not sticky, and never the input's fault: no device, no driver for this build, or a launch or call that
     * this device does not take. */
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorInvalidValue:
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorLaunchOutOfResources:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorNoKernelImageForDevice: code = CUZK_E_DEV_UNFIT; break;
    default: code = CUZK_E_DEV_LOST; break; /* assume sticky: the context must be torn down */
    }
    const char *text = cudaGetErrorString(e);
    return cuzk_err_set(err, code, (int)e, file, line, "%s: %s", what, text);
}

/* Use at once on every CUDA runtime call: CUZK_TRY(CUZK_CUDA(cudaFoo(...), err)). */
#define CUZK_CUDA(call, err) \
    cuzk_cuda_status(cuzk_cuda_fault(call), #call, __FILE__, __LINE__, (err))

/* Use right after every <<<...>>>: reports a launch that was refused. */
#define CUZK_CUDA_LAUNCHED(kernel, err)                                                   \
    cuzk_cuda_status(cuzk_cuda_fault(cudaGetLastError()), "launch of " #kernel, __FILE__, \
                     __LINE__, (err))

#ifdef __cplusplus
extern "C" {
#endif
/**
 * Test hook, as cuzk_alloc_fail_nth: the n-th call of the CUDA runtime from now fails with e (1 = the
 * next), and all later ones too when `and_after`; n = 0 switches it off. Returns the calls made
 * since the last such call.
 */
uint64_t cuzk_cuda_fail_nth(uint64_t n, cudaError_t e, bool and_after);
/** e, or the failure that is due. */
cudaError_t cuzk_cuda_fault(cudaError_t e);
#ifdef __cplusplus
}
#endif

#endif /* CUZK_ACCEL_CUDA_CUDA_STATUS_H */
