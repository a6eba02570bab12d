/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "api/answer/metrics_text.h"
#include "api/gpu_sensors.h"
#include "base/alloc.h"

#include "fake_load.h"
#include "prom_check.h"
#include "test.h"

/* Not inlined: a status is 8 KiB. */
__attribute__((noinline)) static char *metrics_at(const fake_load *f, double second,
                                                  cuzk_engine_status *keep)
{
    cuzk_engine_status s;
    cuzk_err err = {0};
    char *text = NULL;
    size_t n = 0;
    CHECK_OK(fake_load_status(f, second, 1000, &s, &err), &err);
    CHECK_OK(cuzk_metrics_text(&text, &n, &s, "1.2.3", &err), &err);
    CHECK_U64(strlen(text), n);
    if (keep != NULL) {
        *keep = s;
    } else {
        cuzk_engine_status_free(&s);
    }
    return text;
}

static void format_and_meaning(void)
{
    fake_load *f = fake_load_new();
    cuzk_engine_status s;
    char *text = metrics_at(f, 120, &s);
    prom_text t = prom_parse(text);
    CHECK(prom_value(&t, "cuzk_build_info", "version=\"1.2.3\"") == 1);
    CHECK(prom_value(&t, "cuzk_uptime_seconds", "") == 120);
    uint64_t completed = 0, running = 0;
    for (int k = 1; k <= CUZK_JOB_KINDS; k++) {
        char label[64];
        (void)snprintf(label, sizeof(label), "proof_kind=\"%s\"",
                       cuzk_job_kind_label((cuzk_job_kind)k));
        CHECK_U64(prom_value(&t, "cuzk_proofs_completed", label), s.completed[k]);
        CHECK_U64(prom_value(&t, "cuzk_proofs_failed", label), s.failed[k]);
        CHECK_U64(prom_value(&t, "cuzk_jobs_cancelled_total", label), s.cancelled[k]);
        CHECK_U64(prom_value(&t, "cuzk_partitions_reproved_total", label), s.reproved[k]);
        CHECK_U64(prom_value(&t, "cuzk_proof_duration_seconds_count", label),
                  s.completed[k] + s.failed[k] + s.cancelled[k]);
        completed += s.completed[k];
        running += s.in_progress[k];
    }
    CHECK(completed > 10 && running > 0);
    CHECK_U64(prom_value(&t, "cuzk_proofs_completed_total", ""), completed);
    CHECK_U64(prom_value(&t, "cuzk_running_jobs", ""), running);
    CHECK_U64(prom_value(&t, "cuzk_memory_used_bytes", ""), s.budget_used);
    CHECK_U64(prom_value(&t, "cuzk_memory_budget_bytes", ""), s.budget_total);
    CHECK_U64(prom_value(&t, "cuzk_memory_release_backlog_bytes", ""), s.release_backlog_bytes);
    CHECK_U64(prom_value(&t, "cuzk_stage_queue_partitions", "stage=\"check\""),
              s.queue_len[CUZK_STAGE_CHECK]);
    CHECK_U64(
        prom_value(&t, "cuzk_device_quarantined", "device=\"2\"type=\"gpu\"name=\"NVIDIA H200\""),
        1);
    CHECK_U64(
        prom_value(&t, "cuzk_device_busy_slots", "device=\"2\"type=\"gpu\"name=\"NVIDIA H200\""),
        0);
    CHECK_U64(
        prom_value(&t, "cuzk_circuit_set_aside", "device=\"1\"type=\"gpu\"circuit=\"snap-32g\""),
        1);
    CHECK_U64(prom_value(&t, "cuzk_gpu_workers", ""), 6);
    CHECK_U64(prom_value(&t, "cuzk_on_cpu", ""), 0);
    CHECK_U64(prom_value(&t, "cuzk_fallbacks_total", ""), 3);
    CHECK_U64(prom_value(&t, "cuzk_cache_bytes", "circuit=\"porep-32g\"what=\"srs\"where=\"host\""),
              (uint64_t)45200 << 20);
    prom_free(&t);
    cuzk_free(text);
    cuzk_engine_status_free(&s);
    fake_load_free(f);
}

/* Over the whole script, no counter ever goes back: the original's summaries did. */
static void counters_are_monotonic(void)
{
    fake_load *f = fake_load_new();
    char *text = metrics_at(f, 0, NULL);
    prom_text before = prom_parse(text);
    cuzk_free(text);
    for (double second = 3.37; second < FAKE_LOAD_SECONDS; second += 23.37) {
        text = metrics_at(f, second, NULL);
        prom_text now = prom_parse(text);
        prom_check_monotonic(&before, &now);
        prom_free(&before);
        before = now;
        cuzk_free(text);
    }
    prom_free(&before);
    fake_load_free(f);
}

/* Names come from drivers and file names: any bytes. */
static void label_values_are_escaped(void)
{
    cuzk_status_device dev = {.ordinal = 7, .n_slots = 200};
    cuzk_status_cached cached = {.is_srs = true};
    cuzk_engine_status s = {.now_ns = 5, .started_ns = 5};
    char *text = NULL;
    size_t n = 0;
    cuzk_err err = {0};
    (void)snprintf(dev.name, sizeof(dev.name), "%s",
                   "a\"b\\c\nd\x01"
                   "e");
    (void)snprintf(cached.circuit_id, sizeof(cached.circuit_id), "%s", "x\"} 1");
    s.devices = &dev;
    s.n_devices = 1;
    s.cached = &cached;
    s.n_cached = 1;
    CHECK_OK(cuzk_metrics_text(&text, &n, &s, NULL, &err), &err);
    prom_text t = prom_parse(text);
    CHECK_U64(
        prom_value(&t, "cuzk_device_slots", "device=\"7\"type=\"gpu\"name=\"a\\\"b\\\\c\\nde\""),
        200);
    prom_free(&t);
    cuzk_free(text);
}

/* Whoever looks a metric up finds it. */
static void documented(void)
{
    cuzk_gpu_sensors_use(FAKE_NVML); /* so that the families of cards are there */
    fake_load *f = fake_load_new();
    char *text = metrics_at(f, 60, NULL);
    cuzk_gpu_sensors_use(NULL);
    size_t n = 0, families = 0;
    uint8_t *doc = test_read_file("docs/monitoring.md", &n);
    for (const char *p = text; (p = strstr(p, "# TYPE ")) != NULL; families++) {
        char quoted[PROM_NAME + 2];
        p += strlen("# TYPE ");
        (void)snprintf(quoted, sizeof(quoted), "`%.*s`", (int)strcspn(p, " "), p);
        CHECK_MSG(memmem(doc, n, quoted, strlen(quoted)) != NULL, "%s is not in the documentation",
                  quoted);
    }
    CHECK(families > 25);
    free(doc);
    cuzk_free(text);
    fake_load_free(f);
}

static void allocation_failures(void)
{
    fake_load *f = fake_load_new();
    cuzk_engine_status s;
    cuzk_err err = {0};
    char *text = NULL;
    size_t n = 0, failed = 0;
    CHECK_OK(fake_load_status(f, 60, 1, &s, &err), &err);
    const uint64_t blocks = cuzk_alloc_get_stats().blocks_now;
    for (uint64_t nth = 1;; nth++) {
        cuzk_alloc_fail_nth(nth, false);
        const cuzk_status st = cuzk_metrics_text(&text, &n, &s, "v", &err);
        cuzk_alloc_fail_nth(0, false);
        if (st == CUZK_OK) {
            break;
        }
        CHECK_U64(st, CUZK_E_NOMEM);
        CHECK(text == NULL && n == 0);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, blocks);
        failed++;
    }
    CHECK(failed > 2);
    cuzk_free(text);
    cuzk_engine_status_free(&s);
    fake_load_free(f);
}

static const cuzk_case cases[] = {CASE(format_and_meaning), CASE(counters_are_monotonic),
                                  CASE(label_values_are_escaped), CASE(documented),
                                  CASE(allocation_failures)};
TEST_MAIN("api/metrics", cases)
