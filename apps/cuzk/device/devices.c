/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "apps/cuzk/device/devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/host_memory.h"

#if CUZK_HAVE_CUDA
#    include "accel/cuda/cuda_accel.h"
#endif

bool devices_parse_size(uint64_t *out, const char *text)
{
    static const struct {
        const char *unit;
        unsigned shift;
    } units[] = {{"", 0},     {"B", 0},  {"K", 10},   {"KiB", 10}, {"M", 20},
                 {"MiB", 20}, {"G", 30}, {"GiB", 30}, {"T", 40},   {"TiB", 40}};
    char *end = NULL;
    if (text[0] < '0' || text[0] > '9') {
        return false;
    }
    const double value = strtod(text, &end);
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(end, units[i].unit) == 0) {
            const double bytes = value * (double)((uint64_t)1 << units[i].shift);
            if (!(bytes >= 1) || bytes > 1e18) {
                return false;
            }
            *out = (uint64_t)bytes;
            return true;
        }
    }
    return false;
}

#if CUZK_HAVE_CUDA
static cuzk_status open_one(app *a, devices *d, uint32_t ordinal, uint64_t limit)
{
    if (d->n == DEVICES_MAX) {
        return CUZK_FAIL(&a->err, CUZK_E_INVALID, "more than %d devices", DEVICES_MAX);
    }
    CUZK_TRY((d->untuned ? cuzk_accel_cuda_open
                         : cuzk_accel_cuda_open_tested)(&d->list[d->n], ordinal, limit, &a->err));
    d->n++;
    return d->untuned ? cuzk_accel_self_test(d->list[d->n - 1], &a->err) : CUZK_OK;
}

/* "N,M,..." */
static cuzk_status open_list(app *a, devices *d, const char *list, uint64_t limit)
{
    for (const char *p = list;;) {
        char *end = NULL;
        const unsigned long k = strtoul(p, &end, 10);
        if (end == p || (*end != ',' && *end != '\0') || k > 1023) {
            return CUZK_FAIL(&a->err, CUZK_E_INVALID,
                             "--device cuda:%s: numbers of GPUs, with commas", list);
        }
        CUZK_TRY(open_one(a, d, (uint32_t)k, limit));
        if (*end == '\0') {
            return CUZK_OK;
        }
        p = end + 1;
    }
}

static cuzk_status open_gpus(app *a, devices *d, const char *spec, uint64_t limit)
{
    const uint32_t n = cuzk_accel_cuda_count();
    if (strcmp(spec, "auto") == 0) {
        cuzk_err err;
        if (n == 0) {
            app_note(a, "no usable GPU: working on the CPU");
            return CUZK_OK;
        }
        if (cuzk_accel_cuda_open_tested(&d->list[0], 0, limit, &err) != CUZK_OK) {
            app_note(a, "GPU 0 cannot be used (%s): working on the CPU", err.msg);
            return CUZK_OK;
        }
        d->n = 1;
        return CUZK_OK;
    }
    if (spec[4] == ':') {
        return open_list(a, d, spec + 5, limit);
    }
    if (n == 0) {
        return CUZK_FAIL(&a->err, CUZK_E_DEV_UNFIT, "--device cuda: no usable GPU");
    }
    for (uint32_t i = 0; i < n; i++) {
        CUZK_TRY(open_one(a, d, i, limit));
    }
    return CUZK_OK;
}
#else
static cuzk_status open_gpus(app *a, devices *d, const char *spec, uint64_t limit)
{
    (void)d;
    (void)limit;
    if (strcmp(spec, "auto") == 0) {
        app_note(a, "built without GPU support: working on the CPU");
        return CUZK_OK;
    }
    return CUZK_FAIL(&a->err, CUZK_E_UNSUPPORTED, "--device %s: built without GPU support", spec);
}
#endif

cuzk_status devices_open(app *a, devices *d)
{
    const char *spec = d->spec != NULL ? d->spec : "auto";
    uint64_t limit = 0;
    d->n = 0;
    if (d->vram != NULL && !devices_parse_size(&limit, d->vram)) {
        return CUZK_FAIL(&a->err, CUZK_E_INVALID, "--vram wants a size such as 24GiB, not '%s'",
                         d->vram);
    }
    if (d->stream != NULL && strcmp(d->stream, "auto") != 0 && strcmp(d->stream, "memory") != 0 &&
        strcmp(d->stream, "file") != 0 && strcmp(d->stream, "locked") != 0 &&
        strcmp(d->stream, "read") != 0) {
        return CUZK_FAIL(&a->err, CUZK_E_INVALID,
                         "--stream wants auto, memory, file, locked or read, not '%s'", d->stream);
    }
    if (strcmp(spec, "cpu") == 0) {
        return CUZK_OK;
    }
    if (strcmp(spec, "auto") != 0 && strcmp(spec, "cuda") != 0 && strncmp(spec, "cuda:", 5) != 0) {
        return CUZK_FAIL(&a->err, CUZK_E_INVALID,
                         "--device wants auto, cpu, cuda or cuda:N, not '%s'", spec);
    }
    const cuzk_status st = open_gpus(a, d, spec, limit);
    if (st != CUZK_OK) {
        devices_close(d);
    }
    return st;
}

void devices_key_opts(const devices *d, cuzk_device_key_opts *out)
{
    const char *stream = d->stream != NULL ? d->stream : "auto";
    out->lanes = (uint32_t)d->lanes;
    out->images = !d->no_images;
    const bool read = strcmp(stream, "read") == 0;
    out->lock_small_pages = strcmp(stream, "locked") == 0;
    out->points = strcmp(stream, "file") == 0 || read || out->lock_small_pages
                      ? CUZK_DEVICE_POINTS_FILE
                  : strcmp(stream, "memory") == 0 ? CUZK_DEVICE_POINTS_MEMORY
                                                  : CUZK_DEVICE_POINTS_AUTO;
    /* Each device has its own copy; a quarter of the memory is for witnesses and other programs. 0 means no limit. */
    const uint64_t available = cuzk_host_memory_available();
    out->host_bytes = available / 4 * 3 / (d->n != 0 ? d->n : 1);
    out->lock_bytes = read ? 0 : available / 2; /* devices share the pages of one file */
}

void devices_close(devices *d)
{
    while (d->n > 0) {
        cuzk_accel_close(d->list[--d->n]);
    }
}

uint64_t devices_peak(const devices *d)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < d->n; i++) {
#if CUZK_HAVE_CUDA
        sum += cuzk_accel_cuda_peak(d->list[i]);
#endif
    }
    return sum;
}

void devices_report(app *a, const devices *d)
{
    for (size_t i = 0; i < d->n; i++) {
        cuzk_accel_props p;
        cuzk_accel_get_props(d->list[i], &p);
        app_text(a, i == 0 ? "device" : "device_more", p.name);
        if (i == 0) {
            app_u64(a, "device_memory_limit_bytes", p.memory_total);
#if CUZK_HAVE_CUDA
            app_u64(a, "device_memory_peak_bytes", cuzk_accel_cuda_peak(d->list[0]));
#endif
        }
    }
    if (d->n == 0) {
        app_text(a, "device", "CPU");
    }
}
