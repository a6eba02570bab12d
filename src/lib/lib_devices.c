/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The GPUs of a prover. */
#include <stdlib.h>

#include "prover_internal.h"

#if CUZK_HAVE_CUDA
#    include "accel/cuda/cuda_accel.h"

static cuzk_status open_one(cuzk_prover *p, uint32_t ordinal, cuzk_err *err)
{
    if (p->n_devices == LIB_MAX_DEVICES) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "devices: more than %u", LIB_MAX_DEVICES);
    }
    CUZK_TRY(cuzk_accel_cuda_open_tested(&p->devices[p->n_devices], ordinal, p->device_limit, err));
    p->n_devices++;
    return CUZK_OK;
}

/* "N,M,..." */
static cuzk_status open_list(cuzk_prover *p, const char *list, cuzk_err *err)
{
    for (const char *at = list;;) {
        char *end = NULL;
        const unsigned long k = strtoul(at, &end, 10);
        if (*at < '0' || *at > '9' || (*end != ',' && *end != '\0') || k > 1023) {
            return CUZK_FAIL(err, CUZK_E_INVALID, "devices cuda:%s: numbers of GPUs, with commas",
                             list);
        }
        CUZK_TRY(open_one(p, (uint32_t)k, err));
        if (*end == '\0') {
            return CUZK_OK;
        }
        at = end + 1;
    }
}

static cuzk_status open_auto(cuzk_prover *p)
{
    cuzk_err err = {.msg = ""};
    if (cuzk_accel_cuda_count() == 0) {
        return CUZK_OK;
    }
    if (open_one(p, 0, &err) != CUZK_OK && p->log != NULL) {
        p->log(p->log_arg, 1, err.msg);
        p->log(p->log_arg, 1, "GPU 0 cannot be used: proofs are made on the CPU");
    }
    return CUZK_OK;
}

static cuzk_status open_gpus(cuzk_prover *p, const char *spec, cuzk_err *err)
{
    if (strcmp(spec, "auto") == 0) {
        return open_auto(p);
    }
    if (spec[4] == ':') {
        return open_list(p, spec + 5, err);
    }
    const uint32_t n = cuzk_accel_cuda_count();
    if (n == 0) {
        return CUZK_FAIL(err, CUZK_E_UNSUPPORTED, "devices cuda: there is no usable GPU");
    }
    for (uint32_t i = 0; i < n; i++) {
        CUZK_TRY(open_one(p, i, err));
    }
    return CUZK_OK;
}
#else
static cuzk_status open_gpus(cuzk_prover *p, const char *spec, cuzk_err *err)
{
    (void)p;
    if (strcmp(spec, "auto") == 0) {
        return CUZK_OK;
    }
    return CUZK_FAIL(err, CUZK_E_UNSUPPORTED, "devices %s: this library was built without CUDA",
                     spec);
}
#endif

cuzk_status lib_devices_open(cuzk_prover *p, const char *spec, cuzk_err *err)
{
    if (spec == NULL) {
        spec = "auto";
    }
    if (strcmp(spec, "cpu") == 0) {
        return CUZK_OK;
    }
    if (strcmp(spec, "auto") != 0 && strcmp(spec, "cuda") != 0 && strncmp(spec, "cuda:", 5) != 0) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "devices is \"%.64s\": auto, cpu, cuda or cuda:N,M are possible", spec);
    }
    return open_gpus(p, spec, err);
}

void lib_devices_close(cuzk_prover *p)
{
    while (p->n_devices > 0) {
        cuzk_accel_close(p->devices[--p->n_devices]);
    }
}
