/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "remote_sensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { MOST_CARDS = 16, N_VALUES = 4, MOST_SET_ASIDE = 64 };

/* A card by its PCI address; values in the order of families. */
typedef struct card {
    char pci[32], name[96];
    double value[N_VALUES];
    bool has[N_VALUES];
} card;

/* A circuit that gets no work on a device. */
typedef struct set_aside {
    char device[16], type[16], circuit[64];
} set_aside;

typedef struct cards {
    card list[MOST_CARDS];
    size_t n;
    set_aside aside[MOST_SET_ASIDE];
    size_t n_aside;
} cards;

static const struct {
    const char *metric, *key, *unit;
    double factor;
} families[N_VALUES] = {{"cuzk_gpu_temperature_celsius{", "celsius", "C", 1},
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
static card *card_of(cards *c, const char *line)
{
    char pci[sizeof(c->list[0].pci)];
    label(pci, sizeof(pci), line, "pci=\"");
    for (size_t i = 0; i < c->n; i++) {
        if (strcmp(c->list[i].pci, pci) == 0) {
            return &c->list[i];
        }
    }
    if (c->n == MOST_CARDS) {
        return NULL;
    }
    card *fresh = &c->list[c->n++];
    memcpy(fresh->pci, pci, sizeof(pci));
    label(fresh->name, sizeof(fresh->name), line, "name=\"");
    return fresh;
}

static void read_set_aside(cards *c, const char *line)
{
    static const char metric[] = "cuzk_circuit_set_aside{";
    if (c->n_aside < MOST_SET_ASIDE && strncmp(line, metric, sizeof(metric) - 1) == 0) {
        set_aside *s = &c->aside[c->n_aside++];
        label(s->device, sizeof(s->device), line, "device=\"");
        label(s->type, sizeof(s->type), line, "type=\"");
        label(s->circuit, sizeof(s->circuit), line, "circuit=\"");
    }
}

static void read_line(cards *c, const char *line)
{
    read_set_aside(c, line);
    for (size_t f = 0; f < N_VALUES; f++) {
        const char *value = strrchr(line, ' ');
        if (value == NULL || strncmp(line, families[f].metric, strlen(families[f].metric)) != 0) {
            continue;
        }
        card *k = card_of(c, line);
        if (k != NULL) {
            k->value[f] = strtod(value, NULL) * families[f].factor;
            k->has[f] = true;
        }
    }
}

static void report_text(app *a, const card *k)
{
    char line[256];
    int n = snprintf(line, sizeof(line), "%s %s", k->pci, k->name);
    for (size_t f = 0; f < N_VALUES; f++) {
        if (k->has[f] && n > 0 && (size_t)n < sizeof(line)) {
            n += snprintf(line + n, sizeof(line) - (size_t)n, ", %.0f %s", k->value[f],
                          families[f].unit);
        }
    }
    app_text(a, "card", line);
}

static void report_json(app *a, const card *k)
{
    cuzk_jsonw_begin_object(&a->w);
    app_text(a, "pci", k->pci);
    app_text(a, "name", k->name);
    for (size_t f = 0; f < N_VALUES; f++) {
        if (k->has[f]) {
            app_u64(a, families[f].key, (uint64_t)(k->value[f] + 0.5));
        }
    }
    cuzk_jsonw_end_object(&a->w);
}

static void report_set_aside(app *a, const cards *c)
{
    if (a->json) {
        cuzk_jsonw_key(&a->w, "set_aside");
        cuzk_jsonw_begin_array(&a->w);
    }
    for (size_t i = 0; i < c->n_aside; i++) {
        const set_aside *s = &c->aside[i];
        if (a->json) {
            cuzk_jsonw_begin_object(&a->w);
            app_text(a, "circuit_id", s->circuit);
            app_text(a, "type", s->type);
            app_text(a, "device", s->device);
            cuzk_jsonw_end_object(&a->w);
        } else {
            char line[256];
            const bool is_cpu = strcmp(s->type, "cpu") == 0;
            (void)snprintf(line, sizeof(line), "%s on %s%s: its proofs do not verify there",
                           s->circuit, is_cpu ? "the CPU" : "GPU ", is_cpu ? "" : s->device);
            app_text(a, "set aside", line);
        }
    }
    if (a->json) {
        cuzk_jsonw_end_array(&a->w);
    }
}

cuzk_status remote_sensors(app *a, cuzk_rpc_client *client)
{
    char *text = NULL, *save = NULL;
    cuzk_err unwanted = {.code = CUZK_OK};
    cards *c = cuzk_alloc_zero(1, sizeof(*c));
    if (c == NULL) {
        return CUZK_FAIL(&a->err, CUZK_E_NOMEM, "out of memory for a status");
    }
    if (cuzk_rpc_client_metrics(client, &text, &unwanted) == CUZK_OK) {
        for (const char *line = strtok_r(text, "\n", &save); line != NULL;
             line = strtok_r(NULL, "\n", &save)) {
            read_line(c, line);
        }
    }
    if (a->json) {
        cuzk_jsonw_key(&a->w, "sensors");
        cuzk_jsonw_begin_array(&a->w);
    }
    for (size_t i = 0; i < c->n; i++) {
        (a->json ? report_json : report_text)(a, &c->list[i]);
    }
    if (a->json) {
        cuzk_jsonw_end_array(&a->w);
    }
    report_set_aside(a, c);
    cuzk_free(text);
    cuzk_free(c);
    return CUZK_OK;
}
