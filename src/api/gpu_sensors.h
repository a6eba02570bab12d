/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_API_GPU_SENSORS_H
#define CUZK_API_GPU_SENSORS_H

/*
 * Temperature, power, clocks, memory and load of the machine's NVIDIA cards, from the driver's own library (NVML), which
 * is loaded when it is there. Nothing else depends on it: without it there are simply no cards in the list.
 */
#include <stdbool.h>
#include <stdint.h>

#define CUZK_SENSORS_MOST 16

/** What the driver does not tell is 0, and its bit is missing in has. */
typedef enum cuzk_sensor_bit {
    CUZK_SENSOR_TEMPERATURE = 1,
    CUZK_SENSOR_POWER = 2,
    CUZK_SENSOR_CLOCK = 4,
    CUZK_SENSOR_MEMORY_CLOCK = 8,
    CUZK_SENSOR_MEMORY = 16,
    CUZK_SENSOR_LOAD = 32
} cuzk_sensor_bit;

typedef struct cuzk_gpu_sensors {
    char name[96], pci[32]; /* "00000000:17:00.0" */
    unsigned has;           /* cuzk_sensor_bit */
    unsigned celsius, milliwatts, clock_mhz, memory_clock_mhz;
    uint64_t memory_total, memory_used; /* bytes, of all programs */
    unsigned load_percent;              /* of the last moments: some kernel ran */
} cuzk_gpu_sensors;

/**
 * The cards, at most CUZK_SENSORS_MOST; read at most once a second, else what was read last. Loads the library at
 * the first call. @thread safe; may wait some milliseconds for the driver.
 */
uint32_t cuzk_gpu_sensors_read(cuzk_gpu_sensors out[CUZK_SENSORS_MOST]);
/** For tests: take this library from now on, and read at every call. NULL: none. */
void cuzk_gpu_sensors_use(const char *library);

#endif /* CUZK_API_GPU_SENSORS_H */
