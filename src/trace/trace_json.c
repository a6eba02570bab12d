/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/alloc.h"
#include "base/clock.h"

#include "trace_internal.h"

static void tag(cuzk_jsonw *w, const char *key, int64_t v)
{
    if (v != CUZK_TRACE_NONE) {
        cuzk_jsonw_key(w, key);
        cuzk_jsonw_i64(w, v);
    }
}

void cuzk_trace_put_usage(cuzk_jsonw *w, const cuzk_span_record *r, const cuzk_trace_info *info)
{
    cuzk_jsonw_put_u64(w, "mem_begin", r->mem_begin);
    cuzk_jsonw_put_u64(w, "mem_end", r->mem_end);
    cuzk_jsonw_put_u64(w, "cpu_ns", r->cpu_ns);
    for (unsigned c = 0; c < CUZK_COUNTERS; c++) {
        if (info->counted[c]) {
            cuzk_jsonw_put_u64(w, cuzk_trace_counter_name((cuzk_trace_counter)c), r->counts[c]);
        }
    }
}

static void write_span(cuzk_jsonw *w, const cuzk_span_record *r, const cuzk_trace_info *info)
{
    cuzk_jsonw_begin_object(w);
    cuzk_jsonw_put_u64(w, "id", r->id);
    cuzk_jsonw_put_u64(w, "parent", r->parent);
    cuzk_jsonw_key(w, "name");
    cuzk_jsonw_str(w, r->name);
    tag(w, "job", r->tags.job);
    tag(w, "partition", r->tags.partition);
    tag(w, "device", r->tags.device);
    if (r->tags.bytes != 0) {
        cuzk_jsonw_put_u64(w, "bytes", r->tags.bytes);
    }
    cuzk_jsonw_put_u64(w, r->thread != 0 ? "thread" : "lane", r->thread != 0 ? r->thread : r->lane);
    cuzk_jsonw_put_u64(w, "begin_ns", r->begin_ns);
    cuzk_jsonw_key(w, "end_ns");
    if (r->end_ns != 0) {
        cuzk_jsonw_u64(w, r->end_ns);
    } else {
        cuzk_jsonw_null(w);
    }
    if (r->thread != 0) {
        cuzk_trace_put_usage(w, r, info);
    }
    cuzk_jsonw_end_object(w);
}

cuzk_status cuzk_trace_write_json(cuzk_jsonw *w, const cuzk_trace *t, cuzk_err *err)
{
    const cuzk_trace_info info = cuzk_trace_get_info(t);
    cuzk_span_record *r = NULL;
    size_t n = 0;
    CUZK_TRY(cuzk_trace_snapshot(&r, &n, t, err));
    cuzk_jsonw_begin_object(w);
    cuzk_jsonw_key(w, "type");
    cuzk_jsonw_str(w, "cuzk-trace");
    cuzk_jsonw_put_u64(w, "version", 1);
    cuzk_jsonw_put_u64(w, "now_ns", cuzk_clock_ns());
    cuzk_jsonw_key(w, "counters");
    cuzk_jsonw_str(w, cuzk_trace_counters_note(t));
    cuzk_jsonw_put_u64(w, "dropped", info.dropped);
    cuzk_jsonw_key(w, "spans");
    cuzk_jsonw_begin_array(w);
    for (size_t i = 0; i < n; i++) {
        write_span(w, &r[i], &info);
    }
    cuzk_jsonw_end_array(w);
    cuzk_jsonw_end_object(w);
    cuzk_free(r);
    return CUZK_OK;
}
