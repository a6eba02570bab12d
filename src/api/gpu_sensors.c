/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "api/gpu_sensors.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

#define LIBRARY     "libnvidia-ml.so.1"
#define INTERVAL_NS 1000000000ull

/* The parts of NVML's interface that are used here; a return value of 0 is success. */
typedef void *nvml_device;
typedef struct nvml_pci {
    char bus_id_legacy[16];
    unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
    char bus_id[32];
} nvml_pci;
typedef struct nvml_memory {
    unsigned long long total, free, used;
} nvml_memory;
typedef struct nvml_utilization {
    unsigned gpu, memory;
} nvml_utilization;
enum { NVML_TEMPERATURE_GPU = 0, NVML_CLOCK_SM = 1, NVML_CLOCK_MEM = 2 };

typedef struct nvml {
    void *library;
    int (*init)(void);
    int (*count)(unsigned *);
    int (*handle)(unsigned, nvml_device *);
    int (*name)(nvml_device, char *, unsigned);
    int (*pci)(nvml_device, nvml_pci *);
    int (*temperature)(nvml_device, int, unsigned *);
    int (*power)(nvml_device, unsigned *);
    int (*clock)(nvml_device, int, unsigned *);
    int (*memory)(nvml_device, nvml_memory *);
    int (*utilization)(nvml_device, nvml_utilization *);
} nvml;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of everything below */
static nvml api;
static bool was_tried;
static const char *library_name = LIBRARY;
static uint64_t interval_ns = INTERVAL_NS;
static uint64_t read_ns; /* 0: never */
static cuzk_gpu_sensors last[CUZK_SENSORS_MOST];
static uint32_t n_last;

/* dlsym gives a pointer to an object; POSIX says that it holds a function's address. */
static bool find(void *function, const char *symbol)
{
    void *address = dlsym(api.library, symbol);
    memcpy(function, &address, sizeof(address));
    return address != NULL;
}

static void load(void)
{
    was_tried = true;
    memset(&api, 0, sizeof(api));
    if (library_name == NULL) {
        return;
    }
    api.library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    if (api.library == NULL) {
        return;
    }
    const bool good =
        find(&api.init, "nvmlInit_v2") && find(&api.count, "nvmlDeviceGetCount_v2") &&
        find(&api.handle, "nvmlDeviceGetHandleByIndex_v2") &&
        find(&api.name, "nvmlDeviceGetName") && find(&api.pci, "nvmlDeviceGetPciInfo_v3") &&
        find(&api.temperature, "nvmlDeviceGetTemperature") &&
        find(&api.power, "nvmlDeviceGetPowerUsage") && find(&api.clock, "nvmlDeviceGetClockInfo") &&
        find(&api.memory, "nvmlDeviceGetMemoryInfo") &&
        find(&api.utilization, "nvmlDeviceGetUtilizationRates");
    if (!good || api.init() != 0) {
        (void)dlclose(api.library);
        memset(&api, 0, sizeof(api));
    }
}

static void take(cuzk_gpu_sensors *s, int status, cuzk_sensor_bit bit, unsigned *field,
                 unsigned value)
{
    if (status == 0) {
        *field = value;
        s->has |= (unsigned)bit;
    }
}

static bool read_one(cuzk_gpu_sensors *s, unsigned index)
{
    nvml_device d = NULL;
    nvml_pci pci;
    nvml_memory memory;
    nvml_utilization load_now = {0, 0};
    unsigned v = 0;
    memset(s, 0, sizeof(*s));
    memset(&pci, 0, sizeof(pci));
    if (api.handle(index, &d) != 0 || api.name(d, s->name, sizeof(s->name)) != 0 ||
        api.pci(d, &pci) != 0) {
        return false;
    }
    s->name[sizeof(s->name) - 1] = '\0';
    (void)snprintf(s->pci, sizeof(s->pci), "%.31s", pci.bus_id);
    int st = api.temperature(d, NVML_TEMPERATURE_GPU, &v);
    take(s, st, CUZK_SENSOR_TEMPERATURE, &s->celsius, v);
    st = api.power(d, &v);
    take(s, st, CUZK_SENSOR_POWER, &s->milliwatts, v);
    st = api.clock(d, NVML_CLOCK_SM, &v);
    take(s, st, CUZK_SENSOR_CLOCK, &s->clock_mhz, v);
    st = api.clock(d, NVML_CLOCK_MEM, &v);
    take(s, st, CUZK_SENSOR_MEMORY_CLOCK, &s->memory_clock_mhz, v);
    st = api.utilization(d, &load_now);
    take(s, st, CUZK_SENSOR_LOAD, &s->load_percent, load_now.gpu);
    if (api.memory(d, &memory) == 0) {
        s->memory_total = memory.total;
        s->memory_used = memory.used;
        s->has |= CUZK_SENSOR_MEMORY;
    }
    return true;
}

static void read_all(void)
{
    unsigned n = 0;
    n_last = 0;
    if (!was_tried) {
        load();
    }
    if (api.library == NULL || api.count(&n) != 0) {
        return;
    }
    for (unsigned i = 0; i < n && n_last < CUZK_SENSORS_MOST; i++) {
        n_last += read_one(&last[n_last], i) ? 1 : 0;
    }
}

uint32_t cuzk_gpu_sensors_read(cuzk_gpu_sensors out[CUZK_SENSORS_MOST])
{
    (void)pthread_mutex_lock(&lock);
    const uint64_t now = cuzk_clock_ns();
    if (read_ns == 0 || now - read_ns >= interval_ns) {
        read_all();
        read_ns = now;
    }
    const uint32_t n = n_last;
    memcpy(out, last, n * sizeof(*out));
    (void)pthread_mutex_unlock(&lock);
    return n;
}

void cuzk_gpu_sensors_use(const char *library)
{
    (void)pthread_mutex_lock(&lock);
    if (api.library != NULL) {
        (void)dlclose(api.library);
    }
    memset(&api, 0, sizeof(api));
    was_tried = false;
    library_name = library;
    interval_ns = 0;
    read_ns = 0;
    (void)pthread_mutex_unlock(&lock);
}
