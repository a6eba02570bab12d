/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "api/answer/status_json.h"
#include "base/alloc.h"
#include "base/text/json.h"

#include "fake_load.h"
#include "test.h"

/* Moves j to the value of a key in the object that comes next; fails the case when it is not there. */
static void enter(cuzk_json *j, const char *want)
{
    cuzk_json_str key;
    CHECK(cuzk_json_begin_object(j));
    while (cuzk_json_next_key(j, &key)) {
        if (cuzk_json_str_eq(&key, want)) {
            return;
        }
        CHECK(cuzk_json_skip(j));
    }
    CHECK_MSG(false, "no key %s", want);
}

/* Value at "a.b.0.c": keys, and indices of arrays. */
static cuzk_json at(const char *text, size_t n, const char *path)
{
    cuzk_json j;
    cuzk_json_init(&j, text, n, 16);
    while (*path != '\0') {
        char part[64];
        const size_t k = strcspn(path, ".");
        (void)snprintf(part, sizeof(part), "%.*s", (int)k, path);
        path += k + (path[k] == '.' ? 1 : 0);
        if (part[0] >= '0' && part[0] <= '9') {
            CHECK(cuzk_json_begin_array(&j));
            for (int i = part[0] - '0'; i >= 0; i--) {
                CHECK_MSG(cuzk_json_next(&j), "array too short at %s", part);
                CHECK(i == 0 || cuzk_json_skip(&j));
            }
        } else {
            enter(&j, part);
        }
    }
    return j;
}

static uint64_t u64_at(const char *text, size_t n, const char *path)
{
    cuzk_json j = at(text, n, path);
    uint64_t v = 0;
    CHECK_MSG(cuzk_json_u64(&j, &v), "%s: %s", path, j.msg);
    return v;
}

static size_t length_at(const char *text, size_t n, const char *path)
{
    cuzk_json j = at(text, n, path);
    size_t k = 0;
    CHECK(cuzk_json_begin_array(&j));
    while (cuzk_json_next(&j)) {
        CHECK(cuzk_json_skip(&j));
        k++;
    }
    CHECK(!j.failed);
    return k;
}

/* Not inlined: a status is 8 KiB. */
__attribute__((noinline)) static char *status_at(const fake_load *f, double second, uint64_t since,
                                                 size_t *n)
{
    cuzk_engine_status s;
    cuzk_err err = {0};
    char *text = NULL;
    CHECK_OK(fake_load_status(f, second, 1000, &s, &err), &err);
    CHECK_OK(cuzk_status_json(&text, n, &s, "1.2.3", since, &err), &err);
    CHECK_U64(strlen(text), *n);
    cuzk_json j;
    cuzk_json_init(&j, text, *n, 16);
    CHECK(cuzk_json_skip(&j) && cuzk_json_end(&j));
    cuzk_engine_status_free(&s);
    return text;
}

/* Clients of the original read these; names and types must not change. */
static void keys_of_the_original(void)
{
    static const struct {
        const char *path;
        cuzk_json_kind kind;
    } keys[] = {
        {"uptime_secs", CUZK_JSON_NUMBER},
        {"memory.total_bytes", CUZK_JSON_NUMBER},
        {"memory.used_bytes", CUZK_JSON_NUMBER},
        {"memory.available_bytes", CUZK_JSON_NUMBER},
        {"synthesis.max_concurrent", CUZK_JSON_NUMBER},
        {"synthesis.active", CUZK_JSON_NUMBER},
        {"pipelines.0.job_id", CUZK_JSON_STRING},
        {"pipelines.0.proof_kind", CUZK_JSON_STRING},
        {"pipelines.0.started_secs_ago", CUZK_JSON_NUMBER},
        {"pipelines.0.total_partitions", CUZK_JSON_NUMBER},
        {"pipelines.0.partitions_done", CUZK_JSON_NUMBER},
        {"pipelines.0.partitions.0.index", CUZK_JSON_NUMBER},
        {"pipelines.0.partitions.0.state", CUZK_JSON_STRING},
        {"pipelines.0.partitions.0.synth_ms", CUZK_JSON_NUMBER},
        {"pipelines.0.partitions.0.gpu_ms", CUZK_JSON_NUMBER},
        {"gpu_workers.0.worker_id", CUZK_JSON_NUMBER},
        {"gpu_workers.0.gpu_ordinal", CUZK_JSON_NUMBER},
        {"gpu_workers.0.state", CUZK_JSON_STRING},
        {"gpu_workers.0.current_job", CUZK_JSON_STRING},
        {"gpu_workers.0.current_partition", CUZK_JSON_NUMBER},
        {"gpu_workers.0.busy_secs", CUZK_JSON_NUMBER},
        {"gpu_workers.4.current_job", CUZK_JSON_NULL}, /* on the quarantined device */
        {"gpu_workers.4.current_partition", CUZK_JSON_NULL},
        {"gpu_workers.4.busy_secs", CUZK_JSON_NULL},
        {"allocations.srs.0.circuit_id", CUZK_JSON_STRING},
        {"allocations.srs.0.bytes", CUZK_JSON_NUMBER},
        {"allocations.srs.0.last_used_secs_ago", CUZK_JSON_NUMBER},
        {"allocations.srs.0.evictable", CUZK_JSON_BOOL},
        {"allocations.pce.0.circuit_id", CUZK_JSON_STRING},
        {"allocations.pce.0.evictable", CUZK_JSON_BOOL},
        {"counters.total_completed", CUZK_JSON_NUMBER},
        {"counters.total_failed", CUZK_JSON_NUMBER},
        {"counters.completed_by_kind.porep-c2", CUZK_JSON_NUMBER},
        {"counters.failed_by_kind.winning-post", CUZK_JSON_NUMBER},
        {"counters.queue_depth", CUZK_JSON_NUMBER},
        {"pipelines.0.partitions_on_cpu", CUZK_JSON_NUMBER},
        {"pipelines.0.partitions_elsewhere", CUZK_JSON_NUMBER},
        {"devices.0.is_fallback", CUZK_JSON_BOOL},
        {"devices.0.abilities.0.circuit_id", CUZK_JSON_STRING},
        {"devices.1.set_aside.0.circuit_id", CUZK_JSON_STRING},
        {"devices.1.set_aside.0.for_secs", CUZK_JSON_NUMBER},
        {"devices.0.abilities.0.ability", CUZK_JSON_STRING},
        {"devices.0.abilities.0.needed_bytes", CUZK_JSON_NUMBER},
        {"devices.2.abilities.1.available_bytes", CUZK_JSON_NUMBER},
        {"devices.2.abilities.0.expected_secs", CUZK_JSON_NUMBER},
        {"devices.2.abilities.0.expected_is_measured", CUZK_JSON_BOOL},
        {"fallback.when_lost", CUZK_JSON_STRING},
        {"fallback.on_cpu", CUZK_JSON_BOOL},
        {"fallback.on_cpu_secs", CUZK_JSON_NULL},
        {"fallback.times", CUZK_JSON_NUMBER},
        {"buffers.synth_in_flight", CUZK_JSON_NUMBER},
        {"buffers.provers_in_flight", CUZK_JSON_NUMBER},
        {"buffers.aux_in_flight", CUZK_JSON_NUMBER},
        {"buffers.shells_in_flight", CUZK_JSON_NUMBER},
        {"buffers.pending_handles", CUZK_JSON_NUMBER},
    };
    fake_load *f = fake_load_new();
    size_t n = 0;
    char *text = status_at(f, 120, 0, &n);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        cuzk_json j = at(text, n, keys[i].path);
        CHECK_MSG(cuzk_json_peek(&j) == keys[i].kind, "%s has another type", keys[i].path);
    }
    CHECK_U64(length_at(text, n, "gpu_workers"), 6);
    CHECK_U64(length_at(text, n, "devices.0.set_aside"), 0);
    double secs = 0;
    cuzk_json aside = at(text, n, "devices.1.set_aside.0.for_secs");
    CHECK(cuzk_json_f64(&aside, &secs) && secs == 90);
    cuzk_free(text);
    fake_load_free(f);
}

/* While the CPU stands in: its slots count, the time is told, and so is who it is. */
static void on_cpu(void)
{
    cuzk_engine_status s = {.started_ns = 1000000000u, .now_ns = 61000000000u};
    cuzk_status_device devices[2] = {
        {.ordinal = 0, .name = "NVIDIA H200", .quarantined = true, .n_slots = 3},
        {.ordinal = 1, .name = "CPU", .is_cpu = true, .is_fallback = true, .n_slots = 2}};
    cuzk_err err = {0};
    s.devices = devices;
    s.n_devices = 2;
    s.has_fallback = true;
    for (int k = 0; k < 2; k++) {
        char *text = NULL;
        size_t n = 0;
        uint64_t slots = 0;
        double secs = 0;
        bool is = false;
        s.on_cpu = k == 1;
        s.on_cpu_since_ns = 21000000000u;
        CHECK_OK(cuzk_status_json(&text, &n, &s, "1", 0, &err), &err);
        cuzk_json j = at(text, n, "synthesis.max_concurrent");
        CHECK(cuzk_json_u64(&j, &slots));
        CHECK_U64(slots, k == 1 ? 5 : 3);
        j = at(text, n, "fallback.on_cpu");
        CHECK(cuzk_json_bool(&j, &is) && is == s.on_cpu);
        j = at(text, n, "fallback.on_cpu_secs");
        if (k == 1) {
            CHECK(cuzk_json_f64(&j, &secs) && secs == 40);
        } else {
            CHECK(cuzk_json_peek(&j) == CUZK_JSON_NULL);
        }
        j = at(text, n, "devices.1.is_fallback");
        CHECK(cuzk_json_bool(&j, &is) && is);
        cuzk_free(text);
    }
}

static void values_agree(void)
{
    fake_load *f = fake_load_new();
    cuzk_engine_status s;
    cuzk_err err = {0};
    size_t n = 0;
    CHECK_OK(fake_load_status(f, 130, 1000, &s, &err), &err);
    char *text = status_at(f, 130, 0, &n);
    uint64_t pending = 0, completed = 0, witness = 0;
    for (int k = 1; k <= CUZK_JOB_KINDS; k++) {
        pending += s.pending[k];
        completed += s.completed[k];
    }
    for (uint32_t i = 0; i < s.n_jobs; i++) {
        for (uint32_t p = 0; s.jobs[i].partitions != NULL && p < s.jobs[i].n_partitions; p++) {
            witness += s.jobs[i].partitions[p].state == CUZK_PART_WITNESS ? 1 : 0;
        }
    }
    CHECK(pending > 0 && completed > 0 && witness > 0);
    CHECK_U64(u64_at(text, n, "counters.queue_depth"), pending);
    CHECK_U64(length_at(text, n, "queued"), pending);
    CHECK_U64(u64_at(text, n, "counters.total_completed"), completed);
    CHECK_U64(u64_at(text, n, "synthesis.active"), witness);
    CHECK_U64(u64_at(text, n, "memory.available_bytes"), s.budget_total - s.budget_used);
    CHECK_U64(u64_at(text, n, "queues.0.pending"), s.pending[CUZK_JOB_POREP]);
    CHECK_U64(u64_at(text, n, "queues.0.pending_by_priority.normal"), s.pending[CUZK_JOB_POREP]);
    CHECK_U64(u64_at(text, n, "stages.4.waiting"), s.queue_len[CUZK_STAGE_DEVICE]);
    CHECK_U64(u64_at(text, n, "now_us"), 130000000);
    /* the first span of the first running job, on the clock that starts with the daemon */
    const uint64_t number = u64_at(text, n, "pipelines.0.number");
    for (uint32_t i = 0; i < s.n_jobs; i++) {
        if (s.jobs[i].number == number) {
            const cuzk_status_partition *p = &s.jobs[i].partitions[0];
            CHECK_U64(u64_at(text, n, "pipelines.0.partitions.0.spans_us.0.0"), CUZK_STAGE_ACCEPT);
            CHECK_U64(u64_at(text, n, "pipelines.0.partitions.0.spans_us.0.1"),
                      (p->stage_begin_ns[0] - s.started_ns) / 1000);
            CHECK_U64(u64_at(text, n, "pipelines.0.partitions.0.spans_us.0.2"),
                      (p->stage_end_ns[0] - s.started_ns) / 1000);
        }
    }
    cuzk_free(text);
    cuzk_engine_status_free(&s);
    fake_load_free(f);
}

static void ended_since_leaves_out(void)
{
    fake_load *f = fake_load_new();
    size_t n_all = 0, n_few = 0, n_none = 0;
    char *all = status_at(f, 130, 0, &n_all);
    char *few = status_at(f, 130, 115000000, &n_few);
    char *none = status_at(f, 130, UINT64_MAX, &n_none);
    const size_t a = length_at(all, n_all, "pipelines"), b = length_at(few, n_few, "pipelines"),
                 c = length_at(none, n_none, "pipelines");
    CHECK_MSG(a > b && b > c && c > 0, "%zu %zu %zu", a, b, c);
    CHECK_U64(u64_at(none, n_none, "counters.total_completed"),
              u64_at(all, n_all, "counters.total_completed"));
    cuzk_free(all);
    cuzk_free(few);
    cuzk_free(none);
    fake_load_free(f);
}

/* However many jobs there are, the answer is bounded, and says what it left out. */
static void many_jobs(void)
{
    enum { N = 3000 };
    cuzk_status_job *jobs = cuzk_alloc_zero(N, sizeof(*jobs));
    cuzk_engine_status s = {.now_ns = 100, .started_ns = 1, .jobs = jobs, .n_jobs = N};
    cuzk_err err = {0};
    char *text = NULL;
    size_t n = 0;
    CHECK(jobs != NULL);
    for (uint32_t i = 0; i < N; i++) {
        (void)snprintf(jobs[i].job_id, sizeof(jobs[i].job_id), "job-%u \"<&>\n\xff", i);
        jobs[i].kind = (cuzk_job_kind)(i % 6); /* two of them are no kind */
        jobs[i].priority = (cuzk_job_priority)(i % 7);
        jobs[i].state = (cuzk_job_state)(i % 3);
        jobs[i].number = i;
        jobs[i].accepted_ns = 2;
        jobs[i].ended_ns = i % 3 == 2 ? 50 : 0;
        jobs[i].deadline_ns = 1;
    }
    CHECK_OK(cuzk_status_json(&text, &n, &s, NULL, 0, &err), &err);
    CHECK_U64(length_at(text, n, "pipelines"), 2 * CUZK_STATUS_JSON_MAX_JOBS);
    CHECK_U64(length_at(text, n, "queued"), CUZK_STATUS_JSON_MAX_JOBS);
    CHECK_U64(u64_at(text, n, "jobs_left_out"), N - 3 * CUZK_STATUS_JSON_MAX_JOBS);
    CHECK(n < 512 * 1024);
    cuzk_free(text);
    cuzk_free(jobs);
}

static void empty_status(void)
{
    const cuzk_engine_status s = {.now_ns = 7, .started_ns = 9}; /* a clock that went back, even */
    cuzk_err err = {0};
    char *text = NULL;
    size_t n = 0;
    CHECK_OK(cuzk_status_json(&text, &n, &s, NULL, 0, &err), &err);
    CHECK_U64(u64_at(text, n, "now_us"), 0);
    CHECK_U64(length_at(text, n, "pipelines"), 0);
    cuzk_free(text);
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
        const cuzk_status st = cuzk_status_json(&text, &n, &s, "v", 0, &err);
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

static const cuzk_case cases[] = {CASE(keys_of_the_original),   CASE(on_cpu),    CASE(values_agree),
                                  CASE(ended_since_leaves_out), CASE(many_jobs), CASE(empty_status),
                                  CASE(allocation_failures)};
TEST_MAIN("api/status_json", cases)
