/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "bench_machine.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cpu/cpu.h"

void bench_json_string(FILE *f, const char *s)
{
    (void)fputc('"', f);
    for (; *s != '\0'; s++) {
        const unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\') {
            (void)fprintf(f, "\\%c", c);
        } else if (c < 0x20) {
            (void)fprintf(f, "\\u%04x", c);
        } else {
            (void)fputc(c, f);
        }
    }
    (void)fputc('"', f);
}

/* Value of the first line "key ... : value" of /proc/cpuinfo into buf; "unknown" without. */
static void cpu_model(char *buf, size_t n)
{
    char line[512];
    (void)snprintf(buf, n, "unknown");
    FILE *f = fopen("/proc/cpuinfo", "r");
    if (f == NULL) {
        return;
    }
    while (fgets(line, sizeof(line), f) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL && colon[1] == ' ') {
            line[strcspn(line, "\n")] = '\0';
            (void)snprintf(buf, n, "%s", colon + 2);
            break;
        }
    }
    (void)fclose(f);
}

static double tsc_ghz(void)
{
    const uint64_t t0 = cuzk_clock_ns(), c0 = bench_tsc();
    while (cuzk_clock_ns() - t0 < 20u * 1000 * 1000) {
    }
    return (double)(bench_tsc() - c0) / (double)(cuzk_clock_ns() - t0);
}

void bench_machine_line(FILE *f, const char *commit)
{
    char model[256], flags[64];
    cpu_model(model, sizeof(model));
    (void)cuzk_cpu_describe(cuzk_cpu_active, flags, sizeof(flags));
    (void)fprintf(f, "{\"type\":\"machine\",\"cpu\":");
    bench_json_string(f, model);
    (void)fprintf(f, ",\"cores\":%ld,\"cpu_flags\":", sysconf(_SC_NPROCESSORS_ONLN));
    bench_json_string(f, flags);
    (void)fprintf(f, ",\"tsc_ghz\":%.4f,\"compiler\":", tsc_ghz());
    bench_json_string(f, BENCH_COMPILER);
    (void)fprintf(f, ",\"flags\":");
    bench_json_string(f, BENCH_CFLAGS);
    (void)fprintf(f, ",\"commit\":");
    bench_json_string(f, commit);
    (void)fprintf(f, ",\"unix_time\":%" PRId64 "}\n", (int64_t)time(NULL));
}
