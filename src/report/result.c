/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "report/result.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"

void cuzk_result_init(cuzk_result *r, const char *kind, const char *name)
{
    memset(r, 0, sizeof(*r));
    (void)snprintf(r->kind, sizeof(r->kind), "%s", kind);
    (void)snprintf(r->name, sizeof(r->name), "%s", name);
    r->unix_time = (uint64_t)time(NULL);
}

void cuzk_result_free(cuzk_result *r)
{
    for (uint32_t i = 0; i < r->n_metrics; i++) {
        cuzk_free(r->metrics[i].values);
    }
    cuzk_free(r->metrics);
    cuzk_free(r->timeline);
    memset(r, 0, sizeof(*r));
}

void cuzk_result_fact(cuzk_result *r, const char *key, const char *fmt, ...)
{
    va_list ap;
    uint32_t i = 0;
    while (i < r->n_facts && strcmp(r->facts[i].key, key) != 0) {
        i++;
    }
    if (i == CUZK_RESULT_MAX_FACTS) {
        return;
    }
    r->n_facts += i == r->n_facts;
    (void)snprintf(r->facts[i].key, sizeof(r->facts[i].key), "%s", key);
    va_start(ap, fmt);
    (void)vsnprintf(r->facts[i].value, sizeof(r->facts[i].value), fmt, ap);
    va_end(ap);
}

void cuzk_result_note(cuzk_result *r, const char *fmt, ...)
{
    va_list ap;
    if (r->n_notes == CUZK_RESULT_MAX_NOTES) {
        return;
    }
    va_start(ap, fmt);
    (void)vsnprintf(r->notes[r->n_notes++], sizeof(r->notes[0]), fmt, ap);
    va_end(ap);
}

const char *cuzk_result_get_fact(const cuzk_result *r, const char *key)
{
    for (uint32_t i = 0; i < r->n_facts; i++) {
        if (strcmp(r->facts[i].key, key) == 0) {
            return r->facts[i].value;
        }
    }
    return NULL;
}

/* Value of the first line "key ... : value" of /proc/cpuinfo. */
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

void cuzk_result_machine(cuzk_result *r)
{
    char model[256];
    struct utsname u;
    cpu_model(model, sizeof(model));
    cuzk_result_fact(r, "cpu", "%s", model);
    cuzk_result_fact(r, "cores", "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    cuzk_result_fact(r, "memory_bytes", "%llu",
                     (unsigned long long)sysconf(_SC_PHYS_PAGES) *
                         (unsigned long long)sysconf(_SC_PAGESIZE));
    if (uname(&u) == 0) {
        cuzk_result_fact(r, "kernel", "%s %s", u.sysname, u.release);
    }
}

/* Room for one more element; false and sticky: no memory. */
static bool grow(cuzk_result *r, void **array, uint32_t n, uint32_t *cap, size_t size)
{
    if (n < *cap) {
        return true;
    }
    const uint32_t more = *cap < 8 ? 8 : *cap * 2;
    void *bigger = more > *cap ? cuzk_realloc(*array, more, size) : NULL;
    if (bigger == NULL) {
        r->nomem = true;
        return false;
    }
    *array = bigger;
    *cap = more;
    return true;
}

cuzk_metric *cuzk_result_metric(cuzk_result *r, const char *name, const char *unit,
                                cuzk_metric_role role)
{
    for (uint32_t i = 0; i < r->n_metrics; i++) {
        if (strcmp(r->metrics[i].name, name) == 0) {
            return &r->metrics[i];
        }
    }
    void *array = r->metrics;
    if (!grow(r, &array, r->n_metrics, &r->cap_metrics, sizeof(*r->metrics))) {
        return NULL;
    }
    r->metrics = array;
    cuzk_metric *m = &r->metrics[r->n_metrics++];
    memset(m, 0, sizeof(*m));
    (void)snprintf(m->name, sizeof(m->name), "%s", name);
    (void)snprintf(m->unit, sizeof(m->unit), "%s", unit);
    m->role = role;
    return m;
}

const cuzk_metric *cuzk_result_find(const cuzk_result *r, const char *name)
{
    for (uint32_t i = 0; i < r->n_metrics; i++) {
        if (strcmp(r->metrics[i].name, name) == 0) {
            return &r->metrics[i];
        }
    }
    return NULL;
}

void cuzk_result_add(cuzk_result *r, cuzk_metric *m, double value)
{
    if (m == NULL) {
        return;
    }
    void *array = m->values;
    if (grow(r, &array, m->n, &m->cap, sizeof(*m->values))) {
        m->values = array;
        m->values[m->n++] = value;
    }
}

void cuzk_result_add_layers(cuzk_result *r, const cuzk_layers *l, uint32_t run)
{
    for (uint32_t i = 0; i < l->n; i++) {
        const cuzk_layer *row = &l->rows[i];
        if (row->has_parts) {
            if (i > 0) {
                char name[CUZK_METRIC_NAME_BYTES];
                (void)snprintf(name, sizeof(name), "%s, inclusive", row->path);
                cuzk_result_add(r, cuzk_result_metric(r, name, "s", CUZK_ROLE_INFO),
                                (double)row->inclusive_ns * 1e-9);
            }
            continue;
        }
        cuzk_metric *m = cuzk_result_metric(r, row->path, "s", CUZK_ROLE_LAYER);
        while (m != NULL && m->n < run && !r->nomem) {
            cuzk_result_add(r, m, 0);
        }
        cuzk_result_add(r, m, row->exclusive_ns * 1e-9);
    }
    cuzk_result_add(r, cuzk_result_metric(r, "total", "s", CUZK_ROLE_TOTAL),
                    (double)l->wall_ns * 1e-9);
    for (uint32_t i = 0; i < r->n_metrics; i++) {
        if (r->metrics[i].role == CUZK_ROLE_LAYER && r->metrics[i].n == run) {
            cuzk_result_add(r, &r->metrics[i], 0);
        }
    }
}

static uint32_t depth_of(const cuzk_span_record *spans, size_t n, size_t i, cuzk_span root,
                         bool *inside)
{
    uint32_t depth = 0;
    cuzk_span s = spans[i].id;
    *inside = s == root;
    while (s != root && s != 0 && depth < 64) {
        size_t lo = 0, hi = n;
        while (lo < hi) { /* ids ascend */
            const size_t mid = (lo + hi) / 2;
            if (spans[mid].id < s) {
                lo = mid + 1;
            } else {
                hi = mid;
            }
        }
        s = lo < n && spans[lo].id == s ? spans[lo].parent : 0;
        depth++;
        *inside = s == root;
    }
    return depth;
}

void cuzk_result_set_timeline(cuzk_result *r, const cuzk_span_record *spans, size_t n,
                              cuzk_span root)
{
    enum { MOST = 2000 };
    uint64_t origin = 0, end = 0;
    r->n_timeline = 0;
    for (size_t i = 0; i < n; i++) {
        if (spans[i].id == root) {
            origin = spans[i].begin_ns;
            end = spans[i].end_ns;
        }
    }
    /* what is narrower than half a pixel of a wide page is not drawn */
    const uint64_t least = n > MOST ? (end - origin) / 4000 : 0;
    for (size_t i = 0; i < n && r->n_timeline < MOST; i++) {
        bool inside;
        const uint32_t depth = depth_of(spans, n, i, root, &inside);
        if (!inside || spans[i].end_ns == 0 || spans[i].end_ns - spans[i].begin_ns < least) {
            continue;
        }
        void *array = r->timeline;
        if (!grow(r, &array, r->n_timeline, &r->cap_timeline, sizeof(*r->timeline))) {
            return;
        }
        r->timeline = array;
        cuzk_timeline_span *t = &r->timeline[r->n_timeline++];
        memset(t, 0, sizeof(*t));
        (void)snprintf(t->name, sizeof(t->name), "%s", spans[i].name);
        if (spans[i].thread != 0) {
            (void)snprintf(t->track, sizeof(t->track), "thread %u", spans[i].thread);
        } else {
            (void)snprintf(t->track, sizeof(t->track), "device %d queue %u", spans[i].tags.device,
                           spans[i].lane);
        }
        t->depth = depth;
        t->partition = spans[i].tags.partition;
        t->begin_s = ((double)spans[i].begin_ns - (double)origin) * 1e-9;
        t->end_s = ((double)spans[i].end_ns - (double)origin) * 1e-9;
    }
}

cuzk_status cuzk_result_merge(cuzk_result *into, const cuzk_result *from, cuzk_err *err)
{
    if (strcmp(into->kind, from->kind) != 0 || strcmp(into->name, from->name) != 0) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "'%s %s' and '%s %s' are not the same benchmark",
                         into->kind, into->name, from->kind, from->name);
    }
    for (uint32_t i = 0; i < from->n_metrics; i++) {
        const cuzk_metric *f = &from->metrics[i];
        cuzk_metric *m = cuzk_result_metric(into, f->name, f->unit, f->role);
        while (m != NULL && m->n < into->runs && f->role == CUZK_ROLE_LAYER && !into->nomem) {
            cuzk_result_add(into, m, 0);
        }
        for (uint32_t k = 0; m != NULL && k < f->n; k++) {
            cuzk_result_add(into, m, f->values[k]);
        }
    }
    into->runs += from->runs;
    for (uint32_t i = 0; i < into->n_metrics; i++) {
        cuzk_metric *m = &into->metrics[i];
        while (m->role == CUZK_ROLE_LAYER && m->n < into->runs && !into->nomem) {
            cuzk_result_add(into, m, 0);
        }
    }
    if (into->nomem) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to merge results");
    }
    return CUZK_OK;
}
