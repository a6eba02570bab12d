/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Serves the scripted load on HTTP, for tests with a browser: fake_server LISTEN BEGIN_SECOND
 * [SPEED [LIFE_SECONDS]]. Prints the port. Ends when its standard input does, or after LIFE_SECONDS.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/api_server.h"
#include "api/gpu_sensors.h"
#include "base/clock.h"

#include "fake_load.h"

typedef struct source {
    const fake_load *load;
    double begin, speed;
    uint64_t start_ns;
} source;

static cuzk_status now_status(void *arg, cuzk_engine_status *out, cuzk_err *err)
{
    const source *s = arg;
    double t = s->begin + s->speed * (double)(cuzk_clock_ns() - s->start_ns) * 1e-9;
    t = t < FAKE_LOAD_SECONDS ? t : FAKE_LOAD_SECONDS;
    return fake_load_status(s->load, t, 1000000000u, out, err);
}

/* The day before: some 40 jobs in five minutes by day, fewer at night, two bad quarters of an hour. */
static void make_yesterday(cuzk_history *h, uint64_t now_ns)
{
    uint64_t completed = 0, failed = 0;
    const uint64_t begin = now_ns - (CUZK_HISTORY_SAMPLES - 1) * CUZK_HISTORY_STEP_NS;
    cuzk_history_init(h, begin);
    for (uint64_t i = 0; i + 1 < CUZK_HISTORY_SAMPLES; i++) {
        const uint64_t hour = i / 12, r = i * i * 2654435761u >> 7;
        const bool is_bad = i % 115 > 111;
        completed += is_bad ? 4 : (hour > 8 && hour < 20 ? 34 : 12) + r % 9;
        failed += is_bad ? 5 : 0;
        cuzk_history_take(h, &(cuzk_history_look){.now_ns = begin + i * CUZK_HISTORY_STEP_NS,
                                                  .completed = completed,
                                                  .failed = failed,
                                                  .queued = (is_bad ? 160 : 0) + r % 40 + hour,
                                                  .busy_slots = hour > 8 && hour < 20 ? 6 : 2,
                                                  .slots = 6,
                                                  .memory_used = (90 + r % 60) << 30,
                                                  .celsius = 48 + (uint32_t)(r % 20),
                                                  .watts = 1400});
    }
}

int main(int argc, char **argv)
{
    cuzk_err err = {0};
    cuzk_api_server *server = NULL;
    cuzk_gpu_sensors_use(FAKE_NVML);
    if (argc < 3) {
        (void)fprintf(stderr, "usage: %s LISTEN BEGIN_SECOND [SPEED [LIFE_SECONDS]]\n", argv[0]);
        return 2;
    }
    fake_load *load = fake_load_new();
    source src = {load, strtod(argv[2], NULL), argc > 3 ? strtod(argv[3], NULL) : 1.0,
                  cuzk_clock_ns()};
    static cuzk_history history;
    make_yesterday(&history, cuzk_clock_ns());
    const cuzk_api_config cfg = {.listen = argv[1],
                                 .get_status = now_status,
                                 .get_status_arg = &src,
                                 .history = &history,
                                 .version = "0.1.0 (scripted)"};
    if (cuzk_api_server_create(&server, &cfg, &err) != CUZK_OK) {
        (void)fprintf(stderr, "%s\n", err.msg);
        fake_load_free(load);
        return 1;
    }
    (void)printf("%u\n", (unsigned)cuzk_api_server_port(server));
    (void)fflush(stdout);
    struct pollfd in = {.fd = 0, .events = POLLIN};
    (void)poll(&in, 1, argc > 4 ? (int)(1000 * strtod(argv[4], NULL)) : -1);
    cuzk_api_server_stop(server);
    fake_load_free(load);
    return 0;
}
