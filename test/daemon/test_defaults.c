/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Numbers that are defaults are the engine's only: an empty file is an engine configuration of zeros. */
#include <string.h>

#include "apps/cuzk/serve/serve_engine.h"

#include "test.h"

static cuzk_config *parse(const char *text)
{
    static cuzk_config_issues issues;
    cuzk_err err;
    cuzk_config *c = NULL;
    CHECK_OK(cuzk_config_parse(&c, "f", text, strlen(text), &issues, &err), &err);
    return c;
}

static void an_empty_file_is_zeros(void)
{
    cuzk_config *c = parse("");
    cuzk_engine_config e, zero;
    memset(&zero, 0, sizeof(zero));
    memset(&e, 0xa5, sizeof(e));
    serve_engine_config(&e, c);
    CHECK_MEM(&e, &zero, sizeof(zero)); /* every field, also those to come */
    cuzk_config_destroy(c);
}

/* "auto" may be written out. */
static void auto_is_the_default(void)
{
    cuzk_config *c = parse("[memory]\ntotal_budget = \"auto\"\nsafety_margin = \"auto\"\n"
                           "eviction_min_idle = \"auto\"\nwinning_reserve = \"auto\"\n"
                           "[gpus]\ngpu_workers_per_device = \"auto\"\ndevice_timeout = \"auto\"\n"
                           "vram_limit = \"auto\"\n"
                           "[scheduler]\nmax_batch_size = \"auto\"\nmax_batch_wait_ms = \"auto\"\n"
                           "max_queued_jobs = \"auto\"\nageing = \"auto\"\n"
                           "[store]\nresult_retention = \"auto\"\nresult_count = \"auto\"\n");
    cuzk_engine_config e, zero;
    memset(&zero, 0, sizeof(zero));
    serve_engine_config(&e, c);
    CHECK_MEM(&e, &zero, sizeof(zero));
    cuzk_config_destroy(c);
}

/* 0 in the file is none, where that makes sense, and not the default. */
static void zero_is_none(void)
{
    cuzk_config *c = parse("[memory]\nsafety_margin = 0\neviction_min_idle = \"0s\"\n"
                           "winning_reserve = \"0GiB\"\n[scheduler]\nmax_batch_wait_ms = 0\n");
    cuzk_engine_config e;
    serve_engine_config(&e, c);
    CHECK_U64(e.safety_margin_bytes, CUZK_ENGINE_NONE);
    CHECK_U64(e.eviction_min_idle_ms, CUZK_ENGINE_NONE);
    CHECK_U64(e.winning_reserve_bytes, CUZK_ENGINE_NONE);
    CHECK_U64(e.max_batch_wait_ms, CUZK_ENGINE_NONE);
    cuzk_engine_config_complete(&e);
    CHECK_U64(cuzk_engine_or_none(e.safety_margin_bytes), 0);
    CHECK_U64(cuzk_engine_or_none(e.eviction_min_idle_ms), 0);
    cuzk_config_destroy(c);
}

/* What a file says comes to the engine, and the engine's own defaults leave it alone. */
static void values_arrive(void)
{
    cuzk_config *c =
        parse("[memory]\nsafety_margin = \"2GiB\"\neviction_min_idle = \"7m\"\n"
              "[gpus]\ngpu_workers_per_device = 3\ndevice_timeout = \"90s\"\n"
              "[scheduler]\nmax_batch_size = 4\nmax_batch_wait_ms = 250\nmax_queued_jobs = 9\n"
              "ageing = \"3m\"\n[store]\nresult_retention = \"2h\"\nresult_count = 11\n");
    cuzk_engine_config e;
    serve_engine_config(&e, c);
    cuzk_engine_config_complete(&e);
    CHECK_U64(e.safety_margin_bytes, (uint64_t)2 << 30);
    CHECK_U64(e.eviction_min_idle_ms, 420000);
    CHECK_U64(e.slots_per_device, 3);
    CHECK_U64(e.device_timeout_ms, 90000);
    CHECK_U64(e.max_batch_size, 4);
    CHECK_U64(e.max_batch_wait_ms, 250);
    CHECK_U64(e.max_queued_jobs, 9);
    CHECK_U64(e.age_ms, 180000);
    CHECK_U64(e.result_keep_ms, 7200000);
    CHECK_U64(e.result_keep_count, 11);
    cuzk_config_destroy(c);
}

/* The table of keys has the engine's numbers, and only for keys whose default is "auto". */
static void see(void *arg, const char *key, const char *type, const char *default_text,
                const char *meaning)
{
    char text[32];
    (void)type;
    (void)meaning;
    if (serve_engine_default(text, sizeof(text), key)) {
        CHECK_MSG(strcmp(default_text, "auto") == 0, "%s", key);
        CHECK_MSG(text[0] >= '1' && text[0] <= '9', "%s: %s", key, text);
        ++*(size_t *)arg;
    }
}

static void numbers_of_the_reference(void)
{
    char text[32];
    size_t n = 0;
    cuzk_config_reference(see, &n);
    CHECK_U64(n, 7);
    CHECK(serve_engine_default(text, sizeof(text), "scheduler.max_queued_jobs"));
    CHECK_STR(text, "4096");
    CHECK(serve_engine_default(text, sizeof(text), "store.result_retention"));
    CHECK_STR(text, "1h");
    CHECK(!serve_engine_default(text, sizeof(text), "scheduler.max_batch_size"));
}

static const cuzk_case cases[] = {CASE(an_empty_file_is_zeros), CASE(auto_is_the_default),
                                  CASE(zero_is_none), CASE(values_arrive),
                                  CASE(numbers_of_the_reference)};
TEST_MAIN("daemon/defaults", cases)
