/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_DEVICES_H
#define CUZK_APPS_DEVICES_H

/*
 * --device, --vram and --stream of the commands that prove: which devices, how much of their memory, and where the
 * points are kept that do not fit there.
 */
#include "accel/accel.h"
#include "apps/cuzk/app.h"
#include "groth16/device/device_key.h"

#define DEVICES_MAX 16

typedef struct devices {
    const char *spec;   /* auto, cpu, cuda, cuda:N,M,...; NULL: auto */
    const char *stream; /* auto, memory, file; NULL: auto */
    const char *vram;   /* "24GiB"; NULL: what is free */
    cuzk_accel *list[DEVICES_MAX];
    size_t n;       /* 0: the CPU */
    uint64_t lanes; /* partitions at once on a GPU; 0: chosen */
    bool no_comb;   /* no combs of the points of bit wires */
    bool no_images; /* no images of the points that are multiplied */
    bool untuned;   /* opened without the choice that is measured on first use */
} devices;

enum { OPT_DEVICE = 0x500, OPT_VRAM, OPT_LANES, OPT_STREAM, OPT_NO_COMB, OPT_NO_IMAGES };
#define DEVICES_OPTION_LANES                                                               \
    {                                                                                      \
        "lanes", OPT_LANES, "N", 0,                                                        \
            "Partitions on a GPU at once: 1 or 2 (default: 1, and 2 of small circuits)", 0 \
    }
#define DEVICES_OPTION_NO_COMB                                                                     \
    {                                                                                              \
        "no-comb", OPT_NO_COMB, NULL, 0, "Points as they are, even if their combs fit on the GPU", \
            0                                                                                      \
    }
#define DEVICES_OPTION_NO_IMAGES                                          \
    {                                                                     \
        "no-images", OPT_NO_IMAGES, NULL, 0,                              \
            "Signed digits, even if the points' images fit on the GPU", 0 \
    }
#define DEVICES_OPTION_DEVICE                                                                \
    {                                                                                        \
        "device", OPT_DEVICE, "WHICH", 0,                                                    \
            "auto (default: the first GPU, else the CPU), cpu, cuda (all GPUs), cuda:N,M", 0 \
    }
#define DEVICES_OPTION_VRAM                                                                 \
    {                                                                                       \
        "vram", OPT_VRAM, "SIZE", 0,                                                        \
            "Use at most so much memory of each GPU, e.g. 24GiB (default: what is free)", 0 \
    }
#define DEVICES_OPTION_STREAM                                                              \
    {                                                                                      \
        "stream", OPT_STREAM, "WHERE", 0,                                                  \
            "Parameters beyond the GPU's memory come from: memory (a copy), file (the "    \
            "parameter file in the page cache), locked (the same, page-locked even if "    \
            "that is slow), read (never locked), auto (default: memory if it holds them)", \
            0                                                                              \
    }

/** "512MiB", "24GiB", "1.5GiB" or bytes; false otherwise, and for 0. */
bool devices_parse_size(uint64_t *out, const char *text);
/** Opens the devices of spec. With auto and no usable GPU: none, and a note. */
CUZK_NODISCARD cuzk_status devices_open(app *a, devices *d);
/** Fills in how a key is loaded on one of them: points, host_bytes, lanes and images. */
void devices_key_opts(const devices *d, cuzk_device_key_opts *out);
/** Closes the devices. All that was on them must have been freed. */
void devices_close(devices *d);
/** Most memory in use so far, all devices together; 0 without one. */
uint64_t devices_peak(const devices *d);
/** Reports name, memory limit and peak of each device. */
void devices_report(app *a, const devices *d);

#endif /* CUZK_APPS_DEVICES_H */
