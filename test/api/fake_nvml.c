/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A library in the place of NVML: two cards, of which the second one has no power sensor. Built as a shared object. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))

typedef struct pci_info {
    char bus_id_legacy[16];
    unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
    char bus_id[32];
} pci_info;

PUBLIC int nvmlInit_v2(void);
PUBLIC int nvmlDeviceGetCount_v2(unsigned *n);
PUBLIC int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **d);
PUBLIC int nvmlDeviceGetName(void *d, char *out, unsigned n);
PUBLIC int nvmlDeviceGetPciInfo_v3(void *d, pci_info *out);
PUBLIC int nvmlDeviceGetTemperature(void *d, int sensor, unsigned *out);
PUBLIC int nvmlDeviceGetPowerUsage(void *d, unsigned *out);
PUBLIC int nvmlDeviceGetClockInfo(void *d, int clock, unsigned *out);
PUBLIC int nvmlDeviceGetMemoryInfo(void *d, unsigned long long out[3]);
PUBLIC int nvmlDeviceGetUtilizationRates(void *d, unsigned out[2]);

static char cards[2];

static unsigned index_of(const void *d)
{
    return (unsigned)((const char *)d - cards);
}

int nvmlInit_v2(void)
{
    return 0;
}
int nvmlDeviceGetCount_v2(unsigned *n)
{
    *n = 2;
    return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **d)
{
    *d = &cards[i];
    return i < 2 ? 0 : 2;
}
int nvmlDeviceGetName(void *d, char *out, unsigned n)
{
    (void)snprintf(out, n, "fake \"%u\"", index_of(d));
    return 0;
}
int nvmlDeviceGetPciInfo_v3(void *d, pci_info *out)
{
    (void)snprintf(out->bus_id, sizeof(out->bus_id), "00000000:0%u:00.0", index_of(d) + 1);
    return 0;
}
int nvmlDeviceGetTemperature(void *d, int sensor, unsigned *out)
{
    *out = 61 + index_of(d);
    return sensor == 0 ? 0 : 2;
}
int nvmlDeviceGetPowerUsage(void *d, unsigned *out)
{
    *out = 412500;
    return index_of(d) == 0 ? 0 : 3; /* not supported */
}
int nvmlDeviceGetClockInfo(void *d, int clock, unsigned *out)
{
    (void)d;
    *out = clock == 1 ? 1980 : 2619;
    return clock == 1 || clock == 2 ? 0 : 2;
}
int nvmlDeviceGetMemoryInfo(void *d, unsigned long long out[3])
{
    (void)d;
    out[0] = 1000;
    out[1] = 600;
    out[2] = 400;
    return 0;
}
int nvmlDeviceGetUtilizationRates(void *d, unsigned out[2])
{
    (void)d;
    out[0] = 97;
    out[1] = 12;
    return 0;
}
