/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "base/alloc.h"
#include "base/text/json.h"
#include "report/result.h"

enum { MAX_METRICS = 20000, MAX_VALUES = 1000000, MAX_TIMELINE = 4000 };

static const char *const role_names[CUZK_ROLES] = {"layer", "total", "other", "reference", "info"};

static void write_metric(cuzk_jsonw *w, const cuzk_metric *m)
{
    cuzk_jsonw_begin_object(w);
    cuzk_jsonw_put_str(w, "name", m->name);
    cuzk_jsonw_put_str(w, "unit", m->unit);
    cuzk_jsonw_put_str(w, "role", role_names[m->role]);
    if (m->more_is_better) {
        cuzk_jsonw_key(w, "more_is_better");
        cuzk_jsonw_bool(w, true);
    }
    cuzk_jsonw_key(w, "values");
    cuzk_jsonw_begin_array(w);
    for (uint32_t i = 0; i < m->n; i++) {
        cuzk_jsonw_f64(w, m->values[i]);
    }
    cuzk_jsonw_end_array(w);
    cuzk_jsonw_end_object(w);
}

static void write_span(cuzk_jsonw *w, const cuzk_timeline_span *t)
{
    cuzk_jsonw_begin_object(w);
    cuzk_jsonw_put_str(w, "name", t->name);
    cuzk_jsonw_put_str(w, "track", t->track);
    cuzk_jsonw_put_u64(w, "depth", t->depth);
    if (t->partition >= 0) {
        cuzk_jsonw_put_u64(w, "partition", (uint64_t)t->partition);
    }
    cuzk_jsonw_put_f64(w, "begin_s", t->begin_s);
    cuzk_jsonw_put_f64(w, "end_s", t->end_s);
    cuzk_jsonw_end_object(w);
}

cuzk_status cuzk_result_write(cuzk_jsonw *w, const cuzk_result *r, cuzk_err *err)
{
    if (r->nomem) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory while measuring");
    }
    cuzk_jsonw_begin_object(w);
    cuzk_jsonw_put_str(w, "type", "cuzk-bench");
    cuzk_jsonw_put_u64(w, "version", 1);
    cuzk_jsonw_put_str(w, "kind", r->kind);
    cuzk_jsonw_put_str(w, "name", r->name);
    cuzk_jsonw_put_str(w, "command", r->command);
    cuzk_jsonw_put_str(w, "commit", r->commit);
    cuzk_jsonw_put_u64(w, "unix_time", r->unix_time);
    cuzk_jsonw_put_u64(w, "runs", r->runs);
    cuzk_jsonw_put_u64(w, "warmup", r->warmup);
    cuzk_jsonw_key(w, "facts");
    cuzk_jsonw_begin_array(w);
    for (uint32_t i = 0; i < r->n_facts; i++) {
        cuzk_jsonw_begin_object(w);
        cuzk_jsonw_put_str(w, "key", r->facts[i].key);
        cuzk_jsonw_put_str(w, "value", r->facts[i].value);
        cuzk_jsonw_end_object(w);
    }
    cuzk_jsonw_end_array(w);
    cuzk_jsonw_key(w, "notes");
    cuzk_jsonw_begin_array(w);
    for (uint32_t i = 0; i < r->n_notes; i++) {
        cuzk_jsonw_str(w, r->notes[i]);
    }
    cuzk_jsonw_end_array(w);
    cuzk_jsonw_key(w, "metrics");
    cuzk_jsonw_begin_array(w);
    for (uint32_t i = 0; i < r->n_metrics; i++) {
        write_metric(w, &r->metrics[i]);
    }
    cuzk_jsonw_end_array(w);
    cuzk_jsonw_key(w, "timeline");
    cuzk_jsonw_begin_array(w);
    for (uint32_t i = 0; i < r->n_timeline; i++) {
        write_span(w, &r->timeline[i]);
    }
    cuzk_jsonw_end_array(w);
    cuzk_jsonw_end_object(w);
    return CUZK_OK;
}

static void read_u32(cuzk_json *j, uint32_t *out)
{
    uint64_t v = 0;
    if (cuzk_json_u64_max(j, &v, UINT32_MAX)) {
        *out = (uint32_t)v;
    }
}

static void read_facts(cuzk_json *j, cuzk_result *r)
{
    static const char *const fields[] = {"key", "value"};
    cuzk_json_str key;
    cuzk_json_begin_array(j);
    while (cuzk_json_next(j)) {
        cuzk_fact f = {.key = "", .value = ""};
        uint64_t seen = 0;
        cuzk_json_begin_object(j);
        while (cuzk_json_next_key(j, &key)) {
            switch (cuzk_json_field(j, &key, fields, 2, &seen)) {
            case 0: cuzk_json_string_copy(j, f.key, sizeof(f.key)); break;
            case 1: cuzk_json_string_copy(j, f.value, sizeof(f.value)); break;
            default: cuzk_json_skip(j); break;
            }
        }
        cuzk_json_require(j, fields, 2, seen);
        cuzk_result_fact(r, f.key, "%s", f.value);
    }
}

static void read_notes(cuzk_json *j, cuzk_result *r)
{
    cuzk_json_begin_array(j);
    while (cuzk_json_next(j)) {
        char note[sizeof(r->notes[0])] = "";
        cuzk_json_string_copy(j, note, sizeof(note));
        cuzk_result_note(r, "%s", note);
    }
}

/* Values come last in what we write, but may come first in what we read: kept aside. */
static void read_values(cuzk_json *j, cuzk_result *r, cuzk_metric *m)
{
    cuzk_json_begin_array(j);
    while (cuzk_json_next(j)) {
        double v = 0;
        if (m->n >= MAX_VALUES) {
            cuzk_json_fail(j, "more than %d values", (int)MAX_VALUES);
        }
        if (cuzk_json_f64(j, &v)) {
            cuzk_result_add(r, m, v);
        }
    }
}

static void read_metric(cuzk_json *j, cuzk_result *r)
{
    static const char *const fields[] = {"name", "unit", "role", "values", "more_is_better"};
    cuzk_json_str key;
    cuzk_metric m;
    char role[16] = "other";
    uint64_t seen = 0;
    memset(&m, 0, sizeof(m));
    cuzk_json_begin_object(j);
    while (cuzk_json_next_key(j, &key)) {
        switch (cuzk_json_field(j, &key, fields, 5, &seen)) {
        case 0: cuzk_json_string_copy(j, m.name, sizeof(m.name)); break;
        case 1: cuzk_json_string_copy(j, m.unit, sizeof(m.unit)); break;
        case 2: cuzk_json_string_copy(j, role, sizeof(role)); break;
        case 3: read_values(j, r, &m); break;
        case 4: cuzk_json_bool(j, &m.more_is_better); break;
        default: cuzk_json_skip(j); break;
        }
    }
    cuzk_json_require(j, fields, 4, seen);
    unsigned k = 0;
    while (k < CUZK_ROLES && strcmp(role, role_names[k]) != 0) {
        k++;
    }
    if (k == CUZK_ROLES) {
        cuzk_json_fail(j, "no role '%s'", role);
    } else if (cuzk_result_find(r, m.name) != NULL) {
        cuzk_json_fail(j, "metric '%.60s' twice", m.name);
    } else if (r->n_metrics >= MAX_METRICS) {
        cuzk_json_fail(j, "more than %d metrics", (int)MAX_METRICS);
    }
    cuzk_metric *to = j->failed ? NULL : cuzk_result_metric(r, m.name, m.unit, (cuzk_metric_role)k);
    if (to == NULL) {
        cuzk_free(m.values);
        return;
    }
    to->more_is_better = m.more_is_better;
    to->values = m.values;
    to->n = m.n;
    to->cap = m.cap;
}

static void read_span(cuzk_json *j, cuzk_result *r)
{
    static const char *const fields[] = {"name", "track", "begin_s", "end_s", "depth", "partition"};
    cuzk_json_str key;
    cuzk_timeline_span t = {.partition = CUZK_TRACE_NONE};
    uint64_t seen = 0, v = 0;
    cuzk_json_begin_object(j);
    while (cuzk_json_next_key(j, &key)) {
        switch (cuzk_json_field(j, &key, fields, 6, &seen)) {
        case 0: cuzk_json_string_copy(j, t.name, sizeof(t.name)); break;
        case 1: cuzk_json_string_copy(j, t.track, sizeof(t.track)); break;
        case 2: cuzk_json_f64(j, &t.begin_s); break;
        case 3: cuzk_json_f64(j, &t.end_s); break;
        case 4:
            cuzk_json_u64_max(j, &v, 64);
            t.depth = (uint32_t)v;
            break;
        case 5:
            cuzk_json_u64_max(j, &v, INT32_MAX);
            t.partition = (int32_t)v;
            break;
        default: cuzk_json_skip(j); break;
        }
    }
    cuzk_json_require(j, fields, 4, seen);
    if (r->n_timeline >= MAX_TIMELINE) {
        cuzk_json_fail(j, "a timeline of more than %d spans", (int)MAX_TIMELINE);
    }
    if (j->failed) {
        return;
    }
    if (r->n_timeline == r->cap_timeline) {
        const uint32_t cap = r->cap_timeline < 64 ? 64 : 2 * r->cap_timeline;
        cuzk_timeline_span *more = cuzk_realloc(r->timeline, cap, sizeof(*more));
        if (more == NULL) {
            r->nomem = true;
            return;
        }
        r->timeline = more;
        r->cap_timeline = cap;
    }
    r->timeline[r->n_timeline++] = t;
}

static void read_top(cuzk_json *j, cuzk_result *r)
{
    static const char *const fields[] = {"type",   "version",   "kind",    "name",   "command",
                                         "commit", "unix_time", "runs",    "warmup", "facts",
                                         "notes",  "metrics",   "timeline"};
    enum { N = sizeof(fields) / sizeof(fields[0]) };
    char type[32] = "";
    uint64_t seen = 0, version = 0;
    cuzk_json_str key;
    cuzk_json_begin_object(j);
    while (cuzk_json_next_key(j, &key)) {
        switch (cuzk_json_field(j, &key, fields, N, &seen)) {
        case 0: cuzk_json_string_copy(j, type, sizeof(type)); break;
        case 1: cuzk_json_u64(j, &version); break;
        case 2: cuzk_json_string_copy(j, r->kind, sizeof(r->kind)); break;
        case 3: cuzk_json_string_copy(j, r->name, sizeof(r->name)); break;
        case 4: cuzk_json_string_copy(j, r->command, sizeof(r->command)); break;
        case 5: cuzk_json_string_copy(j, r->commit, sizeof(r->commit)); break;
        case 6: cuzk_json_u64(j, &r->unix_time); break;
        case 7: read_u32(j, &r->runs); break;
        case 8: read_u32(j, &r->warmup); break;
        case 9: read_facts(j, r); break;
        case 10: read_notes(j, r); break;
        case 11:
            cuzk_json_begin_array(j);
            while (cuzk_json_next(j)) {
                read_metric(j, r);
            }
            break;
        case 12:
            cuzk_json_begin_array(j);
            while (cuzk_json_next(j)) {
                read_span(j, r);
            }
            break;
        default: cuzk_json_skip(j); break;
        }
    }
    cuzk_json_require(j, fields, 4, seen);
    cuzk_json_end(j);
    if (!j->failed && (strcmp(type, "cuzk-bench") != 0 || version != 1)) {
        cuzk_json_fail(j, "not a benchmark result (type cuzk-bench, version 1)");
    }
}

cuzk_status cuzk_result_parse(cuzk_result *r, const void *data, size_t n, const char *what,
                              cuzk_err *err)
{
    cuzk_json j;
    cuzk_result_init(r, "", "");
    cuzk_json_init(&j, data, n, 8);
    read_top(&j, r);
    cuzk_status st = cuzk_json_status(&j, what, err);
    if (st == CUZK_OK && r->nomem) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "%s: out of memory", what);
    }
    if (st != CUZK_OK) {
        cuzk_result_free(r);
    }
    return st;
}
