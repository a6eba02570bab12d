/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "remote_sensors.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

#include "sensor_text.h"

static void report_text(app *a, const sensor_card *k)
{
    char line[256];
    int n = snprintf(line, sizeof(line), "%s %s", k->pci, k->name);
    for (size_t f = 0; f < SENSOR_VALUES; f++) {
        if (k->has[f] && n > 0 && (size_t)n < sizeof(line)) {
            n += snprintf(line + n, sizeof(line) - (size_t)n, ", %.0f %s", k->value[f],
                          sensor_family[f].unit);
        }
    }
    app_text(a, "card", line);
}

static void report_json(app *a, const sensor_card *k)
{
    cuzk_jsonw_begin_object(&a->w);
    app_text(a, "pci", k->pci);
    app_text(a, "name", k->name);
    for (size_t f = 0; f < SENSOR_VALUES; f++) {
        if (k->has[f]) {
            app_u64(a, sensor_family[f].key, (uint64_t)(k->value[f] + 0.5));
        }
    }
    cuzk_jsonw_end_object(&a->w);
}

static void report_set_aside(app *a, const sensors *c)
{
    if (a->json) {
        cuzk_jsonw_key(&a->w, "set_aside");
        cuzk_jsonw_begin_array(&a->w);
    }
    for (size_t i = 0; i < c->n_set_aside; i++) {
        const sensor_set_aside *s = &c->set_aside[i];
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
    char *text = NULL;
    cuzk_err unwanted = {.code = CUZK_OK};
    sensors *c = cuzk_alloc_zero(1, sizeof(*c));
    if (c == NULL) {
        return CUZK_FAIL(&a->err, CUZK_E_NOMEM, "out of memory for a status");
    }
    if (cuzk_rpc_client_metrics(client, &text, &unwanted) == CUZK_OK) {
        sensors_read(c, text);
    }
    if (a->json) {
        cuzk_jsonw_key(&a->w, "sensors");
        cuzk_jsonw_begin_array(&a->w);
    }
    for (size_t i = 0; i < c->n_cards; i++) {
        (a->json ? report_json : report_text)(a, &c->card[i]);
    }
    if (a->json) {
        cuzk_jsonw_end_array(&a->w);
    }
    report_set_aside(a, c);
    cuzk_free(text);
    cuzk_free(c);
    return CUZK_OK;
}
