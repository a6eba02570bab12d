/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "sensor_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct sensor_family sensor_family[SENSOR_VALUES] = {
    {"cuzk_gpu_temperature_celsius{", "celsius", "C", 1},
    {"cuzk_gpu_power_watts{", "watts", "W", 1},
    {"cuzk_gpu_clock_hertz{", "clock_mhz", "MHz", 1e-6},
    {"cuzk_gpu_load_ratio{", "busy_percent", "% busy", 100}};

/* The text of a label up to its quote; an escaped quote ends it, too. */
static void label(char *out, size_t cap, const char *line, const char *start)
{
    const char *at = strstr(line, start);
    const size_t n = at != NULL ? strcspn(at + strlen(start), "\"\\") : 0;
    (void)snprintf(out, cap, "%.*s", (int)(n < cap ? n : cap - 1),
                   at != NULL ? at + strlen(start) : "");
}

/* NULL: no place for one more. */
static sensor_card *card_of(sensors *s, const char *line)
{
    char pci[sizeof(s->card[0].pci)];
    label(pci, sizeof(pci), line, "pci=\"");
    for (size_t i = 0; i < s->n_cards; i++) {
        if (strcmp(s->card[i].pci, pci) == 0) {
            return &s->card[i];
        }
    }
    if (s->n_cards == SENSOR_CARDS) {
        return NULL;
    }
    sensor_card *fresh = &s->card[s->n_cards++];
    memcpy(fresh->pci, pci, sizeof(pci));
    label(fresh->name, sizeof(fresh->name), line, "name=\"");
    return fresh;
}

static void read_set_aside(sensors *s, const char *line)
{
    static const char metric[] = "cuzk_circuit_set_aside{";
    if (s->n_set_aside < SENSOR_SET_ASIDE && strncmp(line, metric, sizeof(metric) - 1) == 0) {
        sensor_set_aside *c = &s->set_aside[s->n_set_aside++];
        label(c->device, sizeof(c->device), line, "device=\"");
        label(c->type, sizeof(c->type), line, "type=\"");
        label(c->circuit, sizeof(c->circuit), line, "circuit=\"");
    }
}

static void read_line(sensors *s, const char *line)
{
    read_set_aside(s, line);
    for (size_t f = 0; f < SENSOR_VALUES; f++) {
        const char *value = strrchr(line, ' ');
        if (value == NULL ||
            strncmp(line, sensor_family[f].metric, strlen(sensor_family[f].metric)) != 0) {
            continue;
        }
        sensor_card *k = card_of(s, line);
        if (k != NULL) {
            k->value[f] = strtod(value, NULL) * sensor_family[f].factor;
            k->has[f] = true;
        }
    }
}

void sensors_read(sensors *out, char *metrics)
{
    char *save = NULL;
    for (const char *line = strtok_r(metrics, "\n", &save); line != NULL;
         line = strtok_r(NULL, "\n", &save)) {
        read_line(out, line);
    }
}
