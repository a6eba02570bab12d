/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "report/layers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { MAX_LAYERS = 512 };
#define NO_SPAN SIZE_MAX

/* A span of the job while the sweep goes over it. */
typedef struct member {
    const cuzk_span_record *r;
    size_t parent; /* index of a member; NO_SPAN for the root */
    uint32_t layer;
    uint32_t open_inside; /* open members inside, at any depth */
    uint64_t begin, end;
    size_t front; /* place in the list of innermost open spans; NO_SPAN: not there */
} member;

typedef struct edge {
    uint64_t at;
    size_t member;
    bool is_end;
} edge;

typedef struct work {
    member *m;
    size_t n;
    edge *edges;
    size_t *front; /* innermost open members */
    size_t n_front;
    cuzk_layer *rows; /* without unaccounted rows, in order of first begin */
    uint32_t n_rows;
    double *own_ns;   /* [n_rows] time as innermost, not shared */
    double *share_ns; /* the same, shared */
    uint64_t *open_since;
    uint32_t *open_now;
} work;

static int by_id(const void *key, const void *element)
{
    const cuzk_span id = *(const cuzk_span *)key;
    const member *m = element;
    return (id > m->r->id) - (id < m->r->id);
}

static size_t find_member(const work *w, cuzk_span id)
{
    const member *m = bsearch(&id, w->m, w->n, sizeof(*w->m), by_id);
    return m == NULL ? NO_SPAN : (size_t)(m - w->m);
}

static uint64_t clamp(uint64_t v, uint64_t lo, uint64_t hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

/* Parents have smaller numbers than what is inside them: one pass in order of id finds all. */
static bool collect(work *w, const cuzk_span_record *spans, size_t n, cuzk_span root)
{
    for (size_t i = 0; i < n; i++) {
        const cuzk_span_record *r = &spans[i];
        size_t parent = NO_SPAN;
        if (r->id < root || (r->id == root && r->end_ns == 0)) {
            continue;
        }
        if (r->id != root) {
            if (w->n == 0) {
                return false;
            }
            const member *top = &w->m[0];
            parent = find_member(w, r->parent);
            const bool lost = parent == NO_SPAN && r->parent != 0 && i > 0 &&
                              r->parent < spans[0].id && r->tags.job != CUZK_TRACE_NONE &&
                              r->tags.job == top->r->tags.job;
            parent = lost ? 0 : parent;
            if (parent == NO_SPAN) {
                continue;
            }
        }
        member *m = &w->m[w->n];
        *m = (member){.r = r, .parent = parent, .front = NO_SPAN};
        const uint64_t lo = r->id == root ? r->begin_ns : w->m[0].begin;
        const uint64_t hi = r->id == root ? r->end_ns : w->m[0].end;
        m->begin = clamp(r->begin_ns, lo, hi);
        m->end = r->end_ns == 0 ? hi : clamp(r->end_ns, m->begin, hi);
        w->n++;
    }
    return w->n > 0;
}

static cuzk_status layer_of(work *w, member *m, cuzk_err *err)
{
    const uint32_t parent = m->parent == NO_SPAN ? CUZK_LAYER_ROOT : w->m[m->parent].layer;
    for (uint32_t i = 0; i < w->n_rows; i++) {
        if (w->rows[i].parent == parent && strcmp(w->rows[i].name, m->r->name) == 0) {
            m->layer = i;
            return CUZK_OK;
        }
    }
    if (w->n_rows == MAX_LAYERS) {
        return CUZK_FAIL(err, CUZK_E_UNSUPPORTED, "more than %d layers", (int)MAX_LAYERS);
    }
    cuzk_layer *row = &w->rows[w->n_rows];
    memset(row, 0, sizeof(*row));
    const bool top = parent == CUZK_LAYER_ROOT || parent == 0;
    const int len = snprintf(row->path, sizeof(row->path), "%s%s%s",
                             top ? "" : w->rows[parent].path, top ? "" : "/", m->r->name);
    if (len < 0 || (size_t)len + sizeof("/unaccounted") > sizeof(row->path)) {
        return CUZK_FAIL(err, CUZK_E_UNSUPPORTED, "spans nest too deep: %s", row->path);
    }
    row->name = m->r->name;
    row->parent = parent;
    row->depth = parent == CUZK_LAYER_ROOT ? 0 : w->rows[parent].depth + 1;
    row->device = true;
    if (parent != CUZK_LAYER_ROOT) {
        w->rows[parent].has_parts = true;
    }
    m->layer = w->n_rows++;
    return CUZK_OK;
}

static cuzk_status assign_layers(work *w, cuzk_err *err)
{
    for (size_t i = 0; i < w->n; i++) {
        member *m = &w->m[i];
        CUZK_TRY(layer_of(w, m, err));
        cuzk_layer *row = &w->rows[m->layer];
        row->count++;
        row->busy_ns += m->end - m->begin;
        row->bytes += m->r->tags.bytes;
        row->cpu_ns += m->r->cpu_ns;
        row->device = row->device && m->r->thread == 0 && m->r->tags.device != CUZK_TRACE_NONE;
        for (unsigned c = 0; c < CUZK_COUNTERS; c++) {
            row->counts[c] += m->r->counts[c];
        }
    }
    return CUZK_OK;
}

static int by_time(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    if (x->at != y->at) {
        return x->at < y->at ? -1 : 1;
    }
    if (x->is_end != y->is_end) { /* begins first: a span of no length opens before it closes */
        return x->is_end ? 1 : -1;
    }
    return x->member < y->member ? -1 : x->member > y->member;
}

static void front_add(work *w, size_t i)
{
    w->m[i].front = w->n_front;
    w->front[w->n_front++] = i;
}

static void front_remove(work *w, size_t i)
{
    const size_t at = w->m[i].front;
    w->front[at] = w->front[--w->n_front];
    w->m[w->front[at]].front = at;
    w->m[i].front = NO_SPAN;
}

static void open_member(work *w, size_t i)
{
    member *m = &w->m[i];
    for (size_t up = m->parent; up != NO_SPAN; up = w->m[up].parent) {
        if (w->m[up].open_inside++ == 0 && w->m[up].front != NO_SPAN) {
            front_remove(w, up);
        }
    }
    if (m->open_inside == 0) {
        front_add(w, i);
    }
    if (w->open_now[m->layer]++ == 0) {
        w->open_since[m->layer] = m->begin;
    }
}

static void close_member(work *w, size_t i, uint64_t now)
{
    member *m = &w->m[i];
    if (m->front != NO_SPAN) {
        front_remove(w, i);
    }
    if (--w->open_now[m->layer] == 0) {
        w->rows[m->layer].inclusive_ns += now - w->open_since[m->layer];
    }
    for (size_t up = m->parent; up != NO_SPAN; up = w->m[up].parent) {
        const member *p = &w->m[up];
        if (--w->m[up].open_inside == 0 && p->begin <= now && now < p->end) {
            front_add(w, up);
        }
    }
}

/* A parent that ended at the same instant is not put back: its own end comes later in the list. */
static void sweep(work *w)
{
    const size_t n_edges = 2 * w->n;
    uint64_t last = w->m[0].begin;
    for (size_t i = 0; i < w->n; i++) {
        w->edges[2 * i] = (edge){w->m[i].begin, i, false};
        w->edges[2 * i + 1] = (edge){w->m[i].end, i, true};
    }
    qsort(w->edges, n_edges, sizeof(*w->edges), by_time);
    for (size_t i = 0; i < n_edges; i++) {
        const edge *e = &w->edges[i];
        if (e->at > last) {
            const double dt = (double)(e->at - last);
            for (size_t k = 0; k < w->n_front; k++) {
                const uint32_t layer = w->m[w->front[k]].layer;
                w->own_ns[layer] += dt;
                w->share_ns[layer] += dt / (double)w->n_front;
            }
            last = e->at;
        }
        if (e->is_end) {
            close_member(w, e->member, e->at);
        } else {
            open_member(w, e->member);
        }
    }
}

static void put_own(cuzk_layer *row, const work *w, uint32_t layer)
{
    row->exclusive_ns = w->share_ns[layer];
    row->overlap_ns = w->own_ns[layer] - w->share_ns[layer];
}

/* Depth first; unaccounted rows after their siblings. */
static void order(cuzk_layers *out, const work *w, uint32_t layer, uint32_t parent)
{
    const uint32_t at = out->n++;
    cuzk_layer *row = &out->rows[at];
    *row = w->rows[layer];
    row->parent = parent;
    if (!row->has_parts) {
        put_own(row, w, layer);
        return;
    }
    for (uint32_t i = layer + 1; i < w->n_rows; i++) {
        if (w->rows[i].parent == layer) {
            order(out, w, i, at);
        }
    }
    cuzk_layer *rest = &out->rows[out->n++];
    memset(rest, 0, sizeof(*rest));
    const size_t len = layer == 0 ? 0 : strlen(w->rows[layer].path);
    memcpy(rest->path, w->rows[layer].path, len); /* assign_layers has left room */
    memcpy(rest->path + len, len == 0 ? "unaccounted" : "/unaccounted", len == 0 ? 12 : 13);
    rest->name = "unaccounted";
    rest->parent = at;
    rest->depth = out->rows[at].depth + 1;
    rest->unaccounted = true;
    put_own(rest, w, layer);
}

cuzk_status cuzk_layers_compute(cuzk_layers *out, const cuzk_span_record *spans, size_t n,
                                cuzk_span root, cuzk_err *err)
{
    work w = {.n = 0};
    cuzk_layers l = {.rows = NULL};
    cuzk_status st = CUZK_OK;
    w.m = cuzk_alloc(n, sizeof(*w.m));
    w.edges = cuzk_alloc(n, 2 * sizeof(*w.edges));
    w.front = cuzk_alloc(n + 1, sizeof(*w.front));
    w.rows = cuzk_alloc(MAX_LAYERS, sizeof(*w.rows));
    w.own_ns = cuzk_alloc_zero(MAX_LAYERS, sizeof(*w.own_ns));
    w.share_ns = cuzk_alloc_zero(MAX_LAYERS, sizeof(*w.share_ns));
    w.open_since = cuzk_alloc_zero(MAX_LAYERS, sizeof(*w.open_since));
    w.open_now = cuzk_alloc_zero(MAX_LAYERS, sizeof(*w.open_now));
    if (w.m == NULL || w.edges == NULL || w.front == NULL || w.rows == NULL || w.own_ns == NULL ||
        w.share_ns == NULL || w.open_since == NULL || w.open_now == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a report over %zu spans", n);
        goto out;
    }
    if (!collect(&w, spans, n, root)) {
        st = CUZK_FAIL(err, CUZK_E_INVALID, "span %llu is not held, or still open",
                       (unsigned long long)root);
        goto out;
    }
    CUZK_TRY_GOTO(st, assign_layers(&w, err));
    sweep(&w);
    l.rows = cuzk_alloc(2 * (size_t)w.n_rows, sizeof(*l.rows));
    if (l.rows == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a report of %u layers", w.n_rows);
        goto out;
    }
    l.wall_ns = w.m[0].end - w.m[0].begin;
    l.begin_ns = w.m[0].begin;
    order(&l, &w, 0, CUZK_LAYER_ROOT);
    *out = l;
out:
    cuzk_free(w.m);
    cuzk_free(w.edges);
    cuzk_free(w.front);
    cuzk_free(w.rows);
    cuzk_free(w.own_ns);
    cuzk_free(w.share_ns);
    cuzk_free(w.open_since);
    cuzk_free(w.open_now);
    return st;
}

void cuzk_layers_by_cpu(cuzk_layers *l)
{
    for (uint32_t i = 0; i < l->n; i++) {
        cuzk_layer *row = &l->rows[i];
        row->overlap_ns = 0;
        row->exclusive_ns = row->has_parts || row->unaccounted ? 0 : (double)row->cpu_ns;
    }
    for (uint32_t i = 0; i < l->n; i++) { /* unaccounted: the layer's less its parts' */
        cuzk_layer *rest = &l->rows[i];
        if (!rest->unaccounted) {
            continue;
        }
        double left = (double)l->rows[rest->parent].cpu_ns;
        for (uint32_t k = 0; k < l->n; k++) {
            left -= l->rows[k].parent == rest->parent ? (double)l->rows[k].cpu_ns : 0;
        }
        rest->exclusive_ns = left > 0 ? left : 0;
    }
    l->wall_ns = l->n > 0 ? l->rows[0].cpu_ns : 0;
}

void cuzk_layers_free(cuzk_layers *l)
{
    cuzk_free(l->rows);
    memset(l, 0, sizeof(*l));
}

const cuzk_layer *cuzk_layers_find(const cuzk_layers *l, const char *path)
{
    for (uint32_t i = 0; i < l->n; i++) {
        if (strcmp(l->rows[i].path, path) == 0) {
            return &l->rows[i];
        }
    }
    return NULL;
}

double cuzk_layers_sum(const cuzk_layers *l)
{
    double sum = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        sum += l->rows[i].exclusive_ns;
    }
    return sum;
}
