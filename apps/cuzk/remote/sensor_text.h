/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_SENSOR_TEXT_H
#define CUZK_APPS_SENSOR_TEXT_H

/*
 * The part of a daemon's metrics that `cuzk status` shows: values of its cards, and circuits that get no work on a
 * device.
 */
#include <stdbool.h>
#include <stddef.h>

enum { SENSOR_VALUES = 4, SENSOR_CARDS = 16, SENSOR_SET_ASIDE = 64 };

/** Key of --json and unit of each value: degrees, watts, MHz, percent busy. */
extern const struct sensor_family {
    const char *metric, *key, *unit;
    double factor; /* from the metric's unit */
} sensor_family[SENSOR_VALUES];

/** A card by its PCI address; values in the order of sensor_family. */
typedef struct sensor_card {
    char pci[32], name[96];
    double value[SENSOR_VALUES];
    bool has[SENSOR_VALUES];
} sensor_card;

/** A circuit that gets no work on a device. */
typedef struct sensor_set_aside {
    char device[16], type[16], circuit[64];
} sensor_set_aside;

typedef struct sensors {
    sensor_card card[SENSOR_CARDS];
    size_t n_cards;
    sensor_set_aside set_aside[SENSOR_SET_ASIDE];
    size_t n_set_aside;
} sensors;

/** Any text, which is cut into lines in place; rows beyond the lists' lengths are left out. *out is zero before. */
void sensors_read(sensors *out, char *metrics);

#endif /* CUZK_APPS_SENSOR_TEXT_H */
