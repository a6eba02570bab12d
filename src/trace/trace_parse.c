/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "base/alloc.h"
#include "base/text/json.h"

#include "trace_read.h"

#define MAX_SPANS ((size_t)1 << 20)
#define MAX_NAMES 512u
#define MAX_DEPTH 6u

enum { SPAN_ID, SPAN_PARENT, SPAN_NAME, SPAN_JOB, SPAN_PARTITION, SPAN_DEVICE, SPAN_BYTES };
enum { SPAN_THREAD = SPAN_BYTES + 1, SPAN_LANE, SPAN_BEGIN, SPAN_END, SPAN_CPU, SPAN_FIELDS };
static const char *const span_fields[SPAN_FIELDS] = {"id",        "parent",   "name",   "job",
                                                     "partition", "device",   "bytes",  "thread",
                                                     "lane",      "begin_ns", "end_ns", "cpu_ns"};

/* The one copy of a name that all spans of that name point to; NULL: an error. */
static const char *intern(cuzk_json *j, cuzk_trace_spans *out, const char *name)
{
    for (uint32_t i = 0; i < out->n_names; i++) {
        if (strcmp(out->names[i], name) == 0) {
            return out->names[i];
        }
    }
    if (name[0] == '\0' || name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] != '\0') {
        (void)cuzk_json_fail(j, "a span's name has other characters than a-z, 0-9 and _");
        return NULL;
    }
    if (out->n_names == MAX_NAMES) {
        (void)cuzk_json_fail(j, "more than %u names of spans", MAX_NAMES);
        return NULL;
    }
    memcpy(out->names[out->n_names], name, strlen(name) + 1);
    return out->names[out->n_names++];
}

static void read_tag(cuzk_json *j, int32_t *out)
{
    uint64_t v = 0;
    if (cuzk_json_u64_max(j, &v, INT32_MAX)) {
        *out = (int32_t)v;
    }
}

/* null: the span is still open. */
static void read_end(cuzk_json *j, uint64_t *out)
{
    if (cuzk_json_peek(j) == CUZK_JSON_NULL) {
        (void)cuzk_json_null(j);
    } else {
        (void)cuzk_json_u64(j, out);
    }
}

static void read_field(cuzk_json *j, int field, cuzk_span_record *r, cuzk_trace_spans *out)
{
    char name[CUZK_SPAN_NAME_BYTES];
    uint64_t v = 0;
    switch (field) {
    case SPAN_ID: (void)cuzk_json_u64(j, &r->id); break;
    case SPAN_PARENT: (void)cuzk_json_u64(j, &r->parent); break;
    case SPAN_NAME:
        if (cuzk_json_string_copy(j, name, sizeof(name))) {
            r->name = intern(j, out, name);
        }
        break;
    case SPAN_JOB:
        if (cuzk_json_u64_max(j, &v, INT64_MAX)) {
            r->tags.job = (int64_t)v;
        }
        break;
    case SPAN_PARTITION: read_tag(j, &r->tags.partition); break;
    case SPAN_DEVICE: read_tag(j, &r->tags.device); break;
    case SPAN_BYTES: (void)cuzk_json_u64(j, &r->tags.bytes); break;
    case SPAN_THREAD:
        if (cuzk_json_u64_max(j, &v, UINT32_MAX)) {
            r->thread = (uint32_t)v;
        }
        break;
    case SPAN_LANE:
        if (cuzk_json_u64_max(j, &v, UINT32_MAX)) {
            r->lane = (uint32_t)v;
        }
        break;
    case SPAN_BEGIN: (void)cuzk_json_u64(j, &r->begin_ns); break;
    case SPAN_END: read_end(j, &r->end_ns); break;
    case SPAN_CPU: (void)cuzk_json_u64(j, &r->cpu_ns); break;
    default: (void)cuzk_json_skip(j); break;
    }
}

static void read_span(cuzk_json *j, cuzk_trace_spans *out)
{
    cuzk_span_record r = {.tags = CUZK_SPAN_TAGS_INIT};
    cuzk_json_str key;
    uint64_t seen = 0;
    if (!cuzk_json_begin_object(j)) {
        return;
    }
    while (cuzk_json_next_key(j, &key)) {
        read_field(j, cuzk_json_field(j, &key, span_fields, SPAN_FIELDS, &seen), &r, out);
    }
    static const char *const needed[] = {"id", "parent", "name"};
    (void)cuzk_json_require(j, needed, 3, seen);
    if ((seen >> SPAN_BEGIN & 1) == 0 || (seen >> SPAN_END & 1) == 0) {
        (void)cuzk_json_fail(j, "a span without begin_ns or end_ns");
    } else if (r.parent >= r.id || (out->n > 0 && r.id <= out->spans[out->n - 1].id)) {
        (void)cuzk_json_fail(j, "span %llu is out of order", (unsigned long long)r.id);
    } else if (r.end_ns != 0 && r.end_ns < r.begin_ns) {
        (void)cuzk_json_fail(j, "span %llu ends before it begins", (unsigned long long)r.id);
    }
    if (!j->failed) {
        out->spans[out->n++] = r;
    }
}

/* False: there is no memory for more spans. */
static bool has_room(cuzk_trace_spans *out, size_t *cap)
{
    if (out->n < *cap) {
        return true;
    }
    const size_t more = *cap == 0 ? 1024 : 2 * *cap;
    cuzk_span_record *p = cuzk_realloc(out->spans, more, sizeof(*p));
    if (p != NULL) {
        out->spans = p;
        *cap = more;
    }
    return p != NULL;
}

/* False: no memory. Errors of the text are j's. */
static bool read_spans(cuzk_json *j, cuzk_trace_spans *out)
{
    size_t cap = 0;
    if (!cuzk_json_begin_array(j)) {
        return true;
    }
    while (cuzk_json_next(j)) {
        if (out->n == MAX_SPANS) {
            (void)cuzk_json_fail(j, "more than %zu spans", MAX_SPANS);
            return true;
        }
        if (!has_room(out, &cap)) {
            return false;
        }
        read_span(j, out);
    }
    return true;
}

cuzk_status cuzk_trace_parse(cuzk_trace_spans *out, const void *text, size_t n, const char *what,
                             cuzk_err *err)
{
    static const char *const fields[] = {"type", "version", "now_ns", "dropped", "spans"};
    cuzk_json j;
    cuzk_json_str key;
    char type[16] = "";
    uint64_t seen = 0, version = 0;
    bool has_memory = true;
    memset(out, 0, sizeof(*out));
    out->names = cuzk_alloc(MAX_NAMES, sizeof(*out->names));
    if (out->names == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "%s: no memory for its spans", what);
    }
    cuzk_json_init(&j, text, n, MAX_DEPTH);
    (void)cuzk_json_begin_object(&j);
    while (has_memory && cuzk_json_next_key(&j, &key)) {
        switch (cuzk_json_field(&j, &key, fields, 5, &seen)) {
        case 0: (void)cuzk_json_string_copy(&j, type, sizeof(type)); break;
        case 1: (void)cuzk_json_u64_max(&j, &version, 1); break;
        case 2: (void)cuzk_json_u64(&j, &out->now_ns); break;
        case 3: (void)cuzk_json_u64(&j, &out->dropped); break;
        case 4: has_memory = read_spans(&j, out); break;
        default: (void)cuzk_json_skip(&j); break;
        }
    }
    (void)cuzk_json_require(&j, fields, 5, seen);
    (void)cuzk_json_end(&j);
    if (!j.failed && (version != 1 || strcmp(type, "cuzk-trace") != 0)) {
        (void)cuzk_json_fail(&j, "not a trace of cuzk");
    }
    const cuzk_status st = has_memory
                               ? cuzk_json_status(&j, what, err)
                               : CUZK_FAIL(err, CUZK_E_NOMEM, "%s: no memory for its spans", what);
    if (st != CUZK_OK) {
        cuzk_trace_spans_free(out);
    }
    return st;
}

void cuzk_trace_spans_free(cuzk_trace_spans *s)
{
    cuzk_free(s->spans);
    cuzk_free(s->names);
    memset(s, 0, sizeof(*s));
}
