/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CARD_RATES_H
#define CUZK_ACCEL_CARD_RATES_H

/*
 * What cards on the market can do at most, as their vendor publishes it: for estimates of time. No kernel and no
 * plan depends on this table.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cuzk_card_rates {
    const char *name;    /* as the driver has it, without "NVIDIA" and "GeForce" */
    unsigned cc;         /* compute capability: 10 major + minor */
    uint32_t sms;        /* multiprocessors */
    uint32_t clock_mhz;  /* boost */
    uint32_t memory_gbs; /* bandwidth, 10^9 bytes a second */
    uint32_t bus_gbs;    /* of its own PCIe connector, as far as a copy gets in practice */
    uint32_t memory_gib;
} cuzk_card_rates;

/** All of them, by class and memory. */
const cuzk_card_rates *cuzk_card_rates_all(size_t *n);
/** Of a device by the driver's name of it ("NVIDIA GeForce RTX 4090"). NULL: not in the table. */
const cuzk_card_rates *cuzk_card_rates_of(const char *device_name);
/** Products of 32 bits with a sum of 64 bits, of a second, 10^9: 32 a cycle on each multiprocessor. */
double cuzk_card_multiply_adds(const cuzk_card_rates *r);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_ACCEL_CARD_RATES_H */
