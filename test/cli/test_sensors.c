/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What cuzk status finds in a daemon's metrics: of cards and of circuits that are set aside; any other text gives nothing and harms nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "remote/sensor_text.h"

#include "test.h"

static sensors *read_text(const char *text)
{
    sensors *s = calloc(1, sizeof(*s));
    char *copy = strdup(text);
    CHECK(s != NULL && copy != NULL);
    sensors_read(s, copy);
    free(copy);
    return s;
}

static void cards_and_circuits(void)
{
    sensors *s =
        read_text("# HELP cuzk_gpu_power_watts Power.\n"
                  "cuzk_gpu_power_watts{pci=\"0:1\",name=\"H200\"} 413.4\n"
                  "cuzk_gpu_temperature_celsius{pci=\"0:2\",name=\"a \\\"b\"} 62\n"
                  "cuzk_gpu_temperature_celsius{pci=\"0:1\",name=\"H200\"} 61\n"
                  "cuzk_gpu_clock_hertz{pci=\"0:1\",name=\"H200\"} 1.98e9\n"
                  "cuzk_gpu_load_ratio{pci=\"0:1\",name=\"H200\"} 0.97\n"
                  "cuzk_circuit_set_aside{device=\"1\",type=\"gpu\",circuit=\"snap-32g\"} 1\n"
                  "cuzk_circuit_set_aside{device=\"0\",type=\"cpu\",circuit=\"porep-2k\"} 1\n"
                  "cuzk_circuit_set_aside_more{device=\"9\"} 1\n");
    CHECK_U64(s->n_cards, 2);
    CHECK_STR(s->card[0].pci, "0:1");
    CHECK_STR(s->card[0].name, "H200");
    CHECK(s->card[0].value[0] == 61 && s->card[0].value[1] == 413.4);
    CHECK(s->card[0].value[2] > 1979.9 && s->card[0].value[2] < 1980.1 &&
          s->card[0].value[3] == 97);
    CHECK_STR(s->card[1].name, "a ");
    CHECK(s->card[1].has[0] && !s->card[1].has[1] && !s->card[1].has[2] && !s->card[1].has[3]);
    CHECK_U64(s->n_set_aside, 2);
    CHECK_STR(s->set_aside[0].circuit, "snap-32g");
    CHECK_STR(s->set_aside[0].device, "1");
    CHECK_STR(s->set_aside[1].type, "cpu");
    free(s);
}

static void other_texts(void)
{
    static const char *const texts[] = {"",
                                        "\n\n",
                                        "cuzk_gpu_power_watts{",
                                        "cuzk_circuit_set_aside{",
                                        "cuzk_gpu_power_watts{pci=\"",
                                        "cuzk_gpu_load_ratio{} x y"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        free(read_text(texts[i]));
    }
    /* more rows than there is room for, and labels that are too long */
    char *text = calloc(1, 400 * 200);
    CHECK(text != NULL);
    for (int i = 0; i < 100; i++) {
        (void)sprintf(text + strlen(text),
                      "cuzk_circuit_set_aside{device=\"%d\",circuit=\"%0150d\"} 1\n"
                      "cuzk_gpu_power_watts{pci=\"%d\",name=\"%0150d\"} 1\n",
                      i, i, i, i);
    }
    sensors *s = read_text(text);
    CHECK(s->n_set_aside == SENSOR_SET_ASIDE && s->n_cards == SENSOR_CARDS);
    CHECK_U64(strlen(s->set_aside[0].circuit), sizeof(s->set_aside[0].circuit) - 1);
    CHECK_U64(strlen(s->card[15].name), sizeof(s->card[0].name) - 1);
    free(s);
    free(text);
}

static const cuzk_case cases[] = {CASE(cards_and_circuits), CASE(other_texts)};
TEST_MAIN("cli/sensors", cases)
