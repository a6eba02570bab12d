/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The ring of a day: what a sample adds up, what is forgotten, what the JSON says. Times are made up. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/gpu_sensors.h"
#include "api/history/history.h"
#include "api/history/history_file.h"
#include "base/alloc.h"

#include "test.h"

#define STEP  CUZK_HISTORY_STEP_NS
#define START (UINT64_C(7) * 1000000000u)

static const cuzk_history_sample *sample(const cuzk_history *h, uint64_t step)
{
    return &h->ring[step % CUZK_HISTORY_SAMPLES];
}

static void a_sample_has_sums_and_maxima(void)
{
    cuzk_history h;
    cuzk_history_init(&h, START);
    cuzk_history_take(&h, &(cuzk_history_look){.now_ns = START + 1,
                                               .completed = 3,
                                               .queued = 5,
                                               .busy_slots = 1,
                                               .slots = 4,
                                               .celsius = 61,
                                               .memory_used = 900});
    cuzk_history_take(&h, &(cuzk_history_look){.now_ns = START + STEP - 1,
                                               .completed = 10,
                                               .failed = 2,
                                               .queued = 1,
                                               .running = 2,
                                               .busy_slots = 3,
                                               .slots = 4,
                                               .celsius = 55,
                                               .watts = 700,
                                               .memory_used = 100});
    cuzk_history_take(&h,
                      &(cuzk_history_look){.now_ns = START + STEP, .completed = 11, .failed = 2});
    const cuzk_history_sample *s = sample(&h, 0);
    CHECK(h.step == 1 && s->completed == 10 && s->failed == 2 && s->queued == 5 && s->running == 2);
    CHECK(s->looks == 2 && s->busy_sum == 250 + 750 && s->celsius == 61 && s->watts == 700);
    CHECK_U64(s->memory_used, 900);
    s = sample(&h, 1);
    CHECK(s->completed == 1 && s->failed == 0 && s->queued == 0 && s->looks == 1);
    /* a look from before the newest sample counts there; counters that fell are another process's */
    cuzk_history_take(&h,
                      &(cuzk_history_look){.now_ns = 0, .completed = 4, .failed = 1, .slots = 0});
    CHECK(h.step == 1 && s->completed == 5 && s->failed == 1 && s->looks == 2);
}

/* Random gaps against a plain array of everything that ever was. */
static void a_day_is_kept_and_no_more(void)
{
    enum { STEPS = 2000 };
    static uint32_t want[STEPS];
    static cuzk_history h;
    uint64_t step = 0, completed = 0;
    memset(want, 0, sizeof(want));
    cuzk_history_init(&h, START);
    for (;;) {
        const uint64_t r = test_u64();
        step += r % 50 == 0 ? r / 50 % 400 : r % 3; /* now and then more than a day of silence */
        if (step >= STEPS) {
            break;
        }
        const uint64_t more = r >> 32 & 7;
        completed += more;
        want[step] += (uint32_t)more;
        cuzk_history_take(&h, &(cuzk_history_look){.now_ns = START + step * STEP + r % STEP,
                                                   .completed = completed});
        CHECK_U64(h.step, step);
        for (uint64_t back = 0; back < CUZK_HISTORY_SAMPLES && back <= step; back++) {
            CHECK_MSG(sample(&h, step - back)->completed == want[step - back],
                      "step %" PRIu64 ", %" PRIu64 " back", step, back);
        }
    }
    CHECK(sizeof(h) < 16384);
}

static void json_has_a_value_for_each_sample(void)
{
    cuzk_history h;
    cuzk_err err = {0};
    char *text = NULL;
    size_t n = 0;
    cuzk_history_init(&h, START);
    CHECK_OK(cuzk_history_json(&text, &n, &h, START, &err), &err);
    CHECK_STR(
        text,
        "{\"step_secs\":300,\"newest_began_secs_ago\":0.0,\"completed\":[0],\"failed\":[0],"
        "\"queued_most\":[0],\"running_most\":[0],\"busy_percent\":[0],\"memory_most_bytes\":[0],"
        "\"celsius_most\":[0],\"watts_most\":[0]}");
    CHECK_U64(n, strlen(text));
    cuzk_free(text);
    cuzk_history_take(
        &h, &(cuzk_history_look){.now_ns = START, .completed = 7, .busy_slots = 1, .slots = 3});
    cuzk_history_take(&h, &(cuzk_history_look){.now_ns = START + 2 * STEP,
                                               .completed = 9,
                                               .failed = 1,
                                               .queued = 4,
                                               .running = 2,
                                               .memory_used = UINT64_MAX,
                                               .celsius = 80,
                                               .watts = 1400});
    CHECK_OK(cuzk_history_json(&text, &n, &h, START + 2 * STEP + STEP / 2, &err), &err);
    CHECK_STR(
        text,
        "{\"step_secs\":300,\"newest_began_secs_ago\":150.0,\"completed\":[7,0,2],\"failed\":[0,0,1],"
        "\"queued_most\":[0,0,4],\"running_most\":[0,0,2],\"busy_percent\":[33,0,0],"
        "\"memory_most_bytes\":[0,0,18446744073709551615],\"celsius_most\":[0,0,80],\"watts_most\":[0,0,1400]}");
    cuzk_free(text);
    cuzk_history_take(&h, &(cuzk_history_look){.now_ns = START + 5000 * STEP, .completed = 9});
    CHECK_OK(cuzk_history_json(&text, &n, &h, START + 5000 * STEP, &err), &err);
    size_t commas = 0;
    for (size_t i = 0; i < n; i++) {
        commas += text[i] == ',';
    }
    CHECK_U64(commas, 9 + 8 * (CUZK_HISTORY_SAMPLES - 1));
    cuzk_free(text);
}

static void a_look_adds_up_devices_and_cards(void)
{
    cuzk_status_device devices[3] = {{.n_slots = 2, .slot = {{.busy = true}, {.busy = true}}},
                                     {.n_slots = 2, .slot = {{.busy = true}}},
                                     {.n_slots = 4, .is_cpu = true, .is_fallback = true}};
    cuzk_engine_status s = {.now_ns = 5, .devices = devices, .n_devices = 3, .budget_used = 77};
    cuzk_history_look l;
    s.completed[1] = 4;
    s.completed[CUZK_JOB_KINDS] = 1;
    s.failed[2] = 3;
    s.pending[3] = 6;
    s.in_progress[4] = 2;
    cuzk_gpu_sensors_use(FAKE_NVML);
    cuzk_history_look_at(&l, &s);
    CHECK(l.now_ns == 5 && l.completed == 5 && l.failed == 3 && l.queued == 6 && l.running == 2);
    CHECK(l.busy_slots == 3 && l.slots == 4 && l.memory_used == 77 && l.celsius == 62 &&
          l.watts == 413);
    s.on_cpu = true; /* the CPU gets work then */
    cuzk_gpu_sensors_use(NULL);
    cuzk_history_look_at(&l, &s);
    CHECK(l.slots == 8 && l.celsius == 0 && l.watts == 0);
}

/* A machine that was just started has a clock of some minutes; the sample of that moment may have begun before 0. */
static void a_start_before_the_clock(void)
{
    cuzk_history h;
    cuzk_err err = {0};
    char *text = NULL;
    size_t n = 0;
    cuzk_history_init(&h, START - 3 * STEP);
    cuzk_history_take(&h, &(cuzk_history_look){.now_ns = START - 2 * STEP, .completed = 1});
    cuzk_history_take(&h, &(cuzk_history_look){.now_ns = START, .completed = 5});
    CHECK_OK(cuzk_history_json(&text, &n, &h, START + STEP / 4, &err), &err);
    CHECK_MSG(strstr(text, "_ago\":75.0,\"completed\":[0,1,0,4],") != NULL, "%s", text);
    cuzk_free(text);
}

/* Over a restart: another monotonic clock, and empty samples for the time between. */
static void goes_on_after_a_restart(void)
{
    enum { DAY = 86400 };
    static cuzk_history h, again;
    static uint8_t bytes[CUZK_HISTORY_FILE_BYTES];
    const uint64_t unix_secs = 1800000000, other_clock = 17;
    cuzk_err err = {0};
    cuzk_history_init(&h, START);
    for (uint64_t i = 0; i < 300; i++) { /* more than a day */
        cuzk_history_take(&h, &(cuzk_history_look){.now_ns = START + i * STEP + 1000,
                                                   .completed = i * (i + 1) / 2,
                                                   .memory_used = i << 40,
                                                   .slots = 2,
                                                   .busy_slots = 1});
    }
    const uint64_t now = START + 299 * STEP + STEP / 2; /* in the middle of the newest sample */
    const size_t n = cuzk_history_encode(bytes, &h, now, unix_secs);
    CHECK_U64(n, sizeof(bytes));
    for (uint64_t gap = 0; gap <= 3; gap++) {
        const uint64_t later = unix_secs + gap * 300;
        CHECK_OK(cuzk_history_decode(&again, bytes, n, "x", other_clock, later, &err), &err);
        cuzk_history_take(&again, &(cuzk_history_look){.now_ns = other_clock, .completed = 4});
        CHECK_U64(again.step, CUZK_HISTORY_SAMPLES - 1 + gap);
        CHECK_U64(sample(&again, again.step)->completed, gap == 0 ? 299 + 4 : 4);
        CHECK_U64(sample(&again, again.step - gap)->memory_used, UINT64_C(299) << 40);
        CHECK_U64(sample(&again, again.step - gap - 1)->completed, 298);
        CHECK(gap < 2 || sample(&again, again.step - 1)->looks == 0);
    }
    /* a day later, or before: a new history */
    const uint64_t other[] = {unix_secs + DAY, unix_secs - 151, 0};
    for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
        CHECK_OK(cuzk_history_decode(&again, bytes, n, "x", 99, other[i], &err), &err);
        CHECK(again.step == 0 && again.start_ns == 99 && again.ring[0].looks == 0);
    }
    /* nothing that is cut, longer or changed in its head is taken */
    for (size_t cut = 0; cut < n; cut += cut < 64 ? 1 : 401) {
        CHECK_STATUS(cuzk_history_decode(&again, bytes, cut, "x", 1, unix_secs, &err),
                     CUZK_E_FORMAT);
        CHECK(again.step == 0 && again.ring[0].completed == 0);
    }
    bytes[12]--; /* fewer samples than there are */
    CHECK_STATUS(cuzk_history_decode(&again, bytes, n, "x", 1, unix_secs, &err), CUZK_E_FORMAT);
    CHECK(strstr(err.msg, "x: not a history") != NULL);
}

static void a_file_of_it(void)
{
    static cuzk_history h, again;
    char path[] = "/tmp/cuzk_history_XXXXXX";
    cuzk_err err = {0};
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && close(fd) == 0 && unlink(path) == 0);
    CHECK_OK(cuzk_history_load(&again, path, 5, 1800000000, &err), &err);
    CHECK(again.step == 0 && again.start_ns == 5);
    cuzk_history_init(&h, START);
    cuzk_history_take(&h, &(cuzk_history_look){.now_ns = START + STEP, .completed = 7});
    CHECK_OK(cuzk_history_save(&h, path, START + STEP, 1800000000, &err), &err);
    CHECK_OK(cuzk_history_save(&h, path, START + STEP, 1800000000, &err), &err); /* replaces it */
    CHECK_OK(cuzk_history_load(&again, path, 5, 1800000010, &err), &err);
    CHECK(again.step == 1 && sample(&again, 1)->completed == 7);
    CHECK(unlink(path) == 0);
    CHECK(cuzk_history_save(&h, "/nowhere/at/all", 1, 1, &err) != CUZK_OK);
    CHECK(strstr(err.msg, "/nowhere/at") != NULL);
}

static const cuzk_case cases[] = {CASE(a_sample_has_sums_and_maxima),
                                  CASE(a_day_is_kept_and_no_more),
                                  CASE(json_has_a_value_for_each_sample),
                                  CASE(a_look_adds_up_devices_and_cards),
                                  CASE(a_start_before_the_clock),
                                  CASE(goes_on_after_a_restart),
                                  CASE(a_file_of_it)};
TEST_MAIN("api/history", cases)
