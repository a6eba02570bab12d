/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "base/alloc.h"
#include "report/result.h"

#include "test.h"

static void make(cuzk_result *r)
{
    cuzk_result_init(r, "prove", "porep 2KiB");
    (void)snprintf(r->commit, sizeof(r->commit), "abc");
    (void)snprintf(r->command, sizeof(r->command), "cuzk bench prove \"x\"");
    cuzk_result_machine(r);
    cuzk_result_fact(r, "threads", "%d", 2);
    cuzk_result_fact(r, "threads", "%d", 3);
    cuzk_result_note(r, "a note");
    r->runs = 2;
    r->warmup = 1;
    cuzk_metric *m = cuzk_result_metric(r, "prove/ntt", "s", CUZK_ROLE_LAYER);
    cuzk_result_add(r, m, 0.25);
    cuzk_result_add(r, m, 1.0 / 3);
    m = cuzk_result_metric(r, "rate", "1/min", CUZK_ROLE_OTHER);
    m->more_is_better = true;
    cuzk_result_add(r, m, 7);
}

static char *text_of(const cuzk_result *r, size_t *n)
{
    static char buf[16384];
    cuzk_jsonw w;
    const char *text;
    cuzk_err err;
    cuzk_jsonw_init(&w, true);
    CHECK_OK(cuzk_result_write(&w, r, &err), &err);
    CHECK_OK(cuzk_jsonw_finish(&w, &text, n, &err), &err);
    CHECK(*n < sizeof(buf));
    memcpy(buf, text, *n + 1);
    cuzk_jsonw_free(&w);
    return buf;
}

static void what_is_written_is_read(void)
{
    cuzk_result r, s;
    cuzk_err err;
    size_t n;
    make(&r);
    const cuzk_span_record spans[2] = {{.id = 1,
                                        .name = "job",
                                        .tags = CUZK_SPAN_TAGS_INIT,
                                        .thread = 5,
                                        .begin_ns = 1000,
                                        .end_ns = 3000},
                                       {.id = 2,
                                        .parent = 1,
                                        .name = "ntt",
                                        .tags = {.job = -1, .partition = 4, .device = 0},
                                        .lane = 1,
                                        .begin_ns = 1500,
                                        .end_ns = 2000}};
    cuzk_result_set_timeline(&r, spans, 2, 1);
    const char *text = text_of(&r, &n);
    CHECK_OK(cuzk_result_parse(&s, text, n, "r.json", &err), &err);
    CHECK_STR(s.name, r.name);
    CHECK_STR(s.command, r.command);
    CHECK(s.runs == 2 && s.warmup == 1 && s.unix_time == r.unix_time && s.n_notes == 1);
    CHECK_STR(cuzk_result_get_fact(&s, "threads"), "3");
    CHECK_STR(cuzk_result_get_fact(&s, "cpu"), cuzk_result_get_fact(&r, "cpu"));
    const cuzk_metric *m = cuzk_result_find(&s, "prove/ntt");
    CHECK(m != NULL && m->n == 2 && m->values[1] == 1.0 / 3 && m->role == CUZK_ROLE_LAYER);
    m = cuzk_result_find(&s, "rate");
    CHECK(m != NULL && m->more_is_better && m->n == 1);
    CHECK(s.n_timeline == 2 && s.timeline[1].depth == 1 && s.timeline[1].partition == 4);
    CHECK_STR(s.timeline[1].track, "device 0 queue 1");
    CHECK(s.timeline[1].begin_s > 0.49e-6 && s.timeline[1].begin_s < 0.51e-6);
    cuzk_result_free(&r);
    cuzk_result_free(&s);
}

static void bad_files_are_named(void)
{
    static const char *const bad[] = {
        "",
        "[]",
        "{}",
        "{\"type\":\"cuzk-bench\",\"version\":2,\"kind\":\"a\",\"name\":\"b\"}",
        "{\"type\":\"x\",\"version\":1,\"kind\":\"a\",\"name\":\"b\"}",
        "{\"type\":\"cuzk-bench\",\"version\":1,\"kind\":\"a\",\"name\":\"b\",\"metrics\":[{}]}",
        "{\"type\":\"cuzk-bench\",\"version\":1,\"kind\":\"a\",\"name\":\"b\",\"metrics\":[{\"name\":\"m\","
        "\"unit\":\"s\",\"role\":\"no\",\"values\":[1]}]}",
        "{\"type\":\"cuzk-bench\",\"version\":1,\"kind\":\"a\",\"name\":\"b\",\"metrics\":[{\"name\":\"m\","
        "\"unit\":\"s\",\"role\":\"layer\",\"values\":[1]},{\"name\":\"m\",\"unit\":\"s\",\"role\":\"layer\","
        "\"values\":[1]}]}",
        "{\"type\":\"cuzk-bench\",\"version\":1,\"kind\":\"a\",\"name\":\"b\",\"metrics\":[{\"name\":\"m\","
        "\"unit\":\"s\",\"role\":\"layer\",\"values\":[\"1\"]}]}",
        "{\"type\":\"cuzk-bench\",\"version\":1,\"kind\":\"a\",\"name\":\"b\"} x"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        cuzk_result r;
        cuzk_err err = {.msg = ""};
        const cuzk_status st = cuzk_result_parse(&r, bad[i], strlen(bad[i]), "f.json", &err);
        CHECK_MSG(st == CUZK_E_FORMAT, "%s", bad[i]);
        CHECK(strncmp(err.msg, "f.json:", 7) == 0 && r.metrics == NULL);
    }
}

/* A layer that a run does not have counts as nothing there, not as missing. */
static void layers_of_unequal_runs(void)
{
    cuzk_result r;
    cuzk_layer rows[3] = {{.path = "job", .has_parts = true},
                          {.path = "a", .exclusive_ns = 2e9},
                          {.path = "unaccounted", .exclusive_ns = 1e9}};
    cuzk_layers l = {.rows = rows, .n = 3, .wall_ns = 3000000000u};
    cuzk_result_init(&r, "prove", "x");
    cuzk_result_add_layers(&r, &l, 0);
    (void)snprintf(rows[1].path, sizeof(rows[1].path), "b");
    cuzk_result_add_layers(&r, &l, 1);
    CHECK(!r.nomem && r.n_metrics == 4);
    const cuzk_metric *a = cuzk_result_find(&r, "a"), *b = cuzk_result_find(&r, "b");
    CHECK(a->n == 2 && a->values[0] == 2 && a->values[1] == 0);
    CHECK(b->n == 2 && b->values[0] == 0 && b->values[1] == 2);
    CHECK(cuzk_result_find(&r, "total")->values[1] == 3);
    CHECK(cuzk_result_find(&r, "job") == NULL);
    cuzk_result s;
    make(&s);
    CHECK_STATUS(cuzk_result_merge(&r, &s, NULL), CUZK_E_INVALID);
    cuzk_result_free(&s);
    cuzk_result_init(&s, "prove", "x");
    r.runs = 2;
    cuzk_result_add_layers(&s, &l, 0);
    s.runs = 1;
    CHECK_STATUS(cuzk_result_merge(&r, &s, NULL), CUZK_OK);
    CHECK(r.runs == 3 && cuzk_result_find(&r, "a")->n == 3 && cuzk_result_find(&r, "b")->n == 3);
    cuzk_result_free(&r);
    cuzk_result_free(&s);
}

static void no_memory(void)
{
    for (uint64_t n = 1;; n++) {
        cuzk_result r, s;
        cuzk_jsonw w;
        const char *text;
        size_t len = 0;
        cuzk_alloc_fail_nth(n, false);
        make(&r);
        cuzk_jsonw_init(&w, false);
        cuzk_status st = cuzk_result_write(&w, &r, NULL);
        st = st == CUZK_OK ? cuzk_jsonw_finish(&w, &text, &len, NULL) : st;
        if (st == CUZK_OK) {
            st = cuzk_result_parse(&s, text, len, "x", NULL);
            if (st == CUZK_OK) {
                cuzk_result_free(&s);
            }
        }
        cuzk_alloc_fail_nth(0, false);
        cuzk_jsonw_free(&w);
        cuzk_result_free(&r);
        CHECK(st == CUZK_OK || st == CUZK_E_NOMEM);
        if (st == CUZK_OK && n > 8) {
            break;
        }
    }
}

static const cuzk_case cases[] = {CASE(what_is_written_is_read), CASE(bad_files_are_named),
                                  CASE(layers_of_unequal_runs), CASE(no_memory)};
TEST_MAIN("report/result", cases)
