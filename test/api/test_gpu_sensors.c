/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the driver's library says of cards, through a library that stands in for it. */
#include <string.h>

#include "api/answer/metrics_text.h"
#include "api/answer/status_json.h"
#include "api/gpu_sensors.h"
#include "base/alloc.h"

#include "test.h"

static void reads_cards(void)
{
    cuzk_gpu_sensors s[CUZK_SENSORS_MOST];
    cuzk_gpu_sensors_use(FAKE_NVML);
    CHECK_U64(cuzk_gpu_sensors_read(s), 2);
    CHECK_STR(s[0].pci, "00000000:01:00.0");
    CHECK(s[0].celsius == 61 && s[0].milliwatts == 412500 && s[0].clock_mhz == 1980);
    CHECK(s[0].memory_clock_mhz == 2619 && s[0].memory_total == 1000 && s[0].memory_used == 400);
    CHECK(s[0].load_percent == 97 && s[0].has == 63);
    CHECK(s[1].celsius == 62 && (s[1].has & CUZK_SENSOR_POWER) == 0);
}

static void nothing_without_library(void)
{
    static const char *const none[] = {NULL, "libno-such-library.so.1", "libc.so.6"};
    cuzk_gpu_sensors s[CUZK_SENSORS_MOST];
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        cuzk_gpu_sensors_use(none[i]);
        CHECK_U64(cuzk_gpu_sensors_read(s), 0);
        CHECK_U64(cuzk_gpu_sensors_read(s), 0);
    }
}

static bool has(const char *text, const char *what)
{
    const bool found = strstr(text, what) != NULL;
    CHECK_MSG(found, "no '%s' in\n%s", what, text);
    return found;
}

static void in_status_and_metrics(void)
{
    cuzk_engine_status es = {.now_ns = 2, .started_ns = 1};
    cuzk_err err = {0};
    char *text = NULL;
    size_t n = 0;
    cuzk_gpu_sensors_use(FAKE_NVML);
    CHECK_OK(cuzk_metrics_text(&text, &n, &es, "1", &err), &err);
    CHECK(
        has(text,
            "cuzk_gpu_temperature_celsius{pci=\"00000000:01:00.0\",name=\"fake \\\"0\\\"\"} 61\n"));
    CHECK(has(text,
              "cuzk_gpu_power_watts{pci=\"00000000:01:00.0\",name=\"fake \\\"0\\\"\"} 412.5\n"));
    CHECK(strstr(text, "cuzk_gpu_power_watts{pci=\"00000000:02") == NULL);
    CHECK(
        has(text,
            "cuzk_gpu_clock_hertz{pci=\"00000000:02:00.0\",name=\"fake \\\"1\\\"\"} 1980000000\n"));
    cuzk_free(text);
    CHECK_OK(cuzk_status_json(&text, &n, &es, "1", 0, &err), &err);
    CHECK(has(text, "\"pci\":\"00000000:02:00.0\",\"celsius\":62,\"clock_mhz\":1980"));
    cuzk_free(text);
    cuzk_gpu_sensors_use(NULL);
    CHECK_OK(cuzk_status_json(&text, &n, &es, "1", 0, &err), &err);
    CHECK(has(text, "\"sensors\":[]"));
    cuzk_free(text);
    CHECK_OK(cuzk_metrics_text(&text, &n, &es, "1", &err), &err);
    CHECK(strstr(text, "cuzk_gpu_power") == NULL);
    cuzk_free(text);
}

static const cuzk_case cases[] = {CASE(reads_cards), CASE(nothing_without_library),
                                  CASE(in_status_and_metrics)};
TEST_MAIN("api/gpu_sensors", cases)
