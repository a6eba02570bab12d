/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "report/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static const char *const verdict_names[] = {"same", "better", "worse", "mixed", "too few runs"};

const char *cuzk_verdict_name(cuzk_verdict v)
{
    return verdict_names[v];
}

static cuzk_compare_opts with_defaults(const cuzk_compare_opts *o)
{
    cuzk_compare_opts d = {
        .confidence = 0.95, .min_effect = 0.03, .must_see = 0.05, .floor = 0.001};
    if (o != NULL) {
        d.confidence = o->confidence > 0 ? o->confidence : d.confidence;
        d.min_effect = o->min_effect > 0 ? o->min_effect : d.min_effect;
        d.must_see = o->must_see > 0 ? o->must_see : d.must_see;
        d.floor = o->floor > 0 ? o->floor : d.floor;
    }
    return d;
}

static cuzk_status median_of(double *out, const cuzk_metric *m, cuzk_err *err)
{
    double *v = cuzk_alloc(m->n, sizeof(*v));
    if (v == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for %u values", m->n);
    }
    if (m->n > 0) {
        memcpy(v, m->values, m->n * sizeof(*v));
        *out = cuzk_stats_median(v, m->n);
    } else {
        *out = 0;
    }
    cuzk_free(v);
    return CUZK_OK;
}

static bool is_judged(const cuzk_metric *m)
{
    return m->role != CUZK_ROLE_INFO && m->role != CUZK_ROLE_REFERENCE;
}

static bool is_comparable(const cuzk_metric *a, const cuzk_metric *b)
{
    return b != NULL && a->role == b->role && a->more_is_better == b->more_is_better &&
           strcmp(a->unit, b->unit) == 0;
}

/* Shift and medians of one metric. confidence: of this interval alone. */
static cuzk_status measure(cuzk_compared *c, const cuzk_metric *a, const cuzk_metric *b,
                           double confidence, cuzk_err *err)
{
    *c = (cuzk_compared){.base = a, .new_ = b};
    CUZK_TRY(median_of(&c->base_median, a, err));
    CUZK_TRY(median_of(&c->new_median, b, err));
    return cuzk_stats_shift(&c->delta, &c->method, a->values, a->n, b->values, b->n, confidence,
                            err);
}

static void judge(cuzk_compared *c, const cuzk_compare_opts *o, double total, double drift)
{
    const double base = fabs(c->base_median);
    const double floor =
        c->base->role == CUZK_ROLE_LAYER ? o->floor * total : 1e-9 * base; /* rounding */
    const double sign = c->base->more_is_better ? -1 : 1;
    const double lo = sign > 0 ? c->delta.lo : -c->delta.hi;
    const double hi = sign > 0 ? c->delta.hi : -c->delta.lo;
    const double d = sign * c->delta.value;
    c->effect = fmax((o->min_effect + drift) * base, floor);
    c->seen = fmax((o->must_see + drift) * base, floor);
    c->verdict = CUZK_VERDICT_UNCLEAR;
    if (c->method == CUZK_SHIFT_NONE) {
        return;
    }
    if (lo > 0 && d >= c->effect) {
        c->verdict = CUZK_VERDICT_WORSE;
    } else if (hi < 0 && -d >= c->effect) {
        c->verdict = CUZK_VERDICT_BETTER;
    } else if (lo >= -c->seen && hi <= c->seen) {
        c->verdict = CUZK_VERDICT_SAME;
    } else {
        const double half = (hi - lo) / 2, n = (double)(c->base->n + c->new_->n) / 2;
        const double room = c->seen - c->effect > 0 ? c->seen - c->effect : c->seen;
        c->runs_needed = ceil(n * (half / room) * (half / room));
    }
}

bool cuzk_compared_is_small(const cuzk_comparison *c, const cuzk_compared *r)
{
    return r->base->role == CUZK_ROLE_LAYER && c->total != NULL &&
           r->base_median < CUZK_SMALL_LAYER * c->total->base_median;
}

/* In the unit of the total, so that sizes compare. */
static bool is_in_time(const cuzk_comparison *c, const cuzk_compared *r)
{
    return c->total != NULL && strcmp(r->base->unit, c->total->base->unit) == 0;
}

/* What has no unit in common with the rest goes by its part of the base. */
static double size_of(const cuzk_compared *r, bool in_time)
{
    return in_time ? fabs(r->delta.value) : fabs(r->delta.value) / (fabs(r->base_median) + 1e-300);
}

static void insert_by_size(const cuzk_comparison *c, uint32_t *list, uint32_t *n, uint32_t row)
{
    const cuzk_compared *r = &c->rows[row];
    const bool in_time = is_in_time(c, r);
    const double x = size_of(r, in_time);
    uint32_t at = (*n)++;
    for (; at > 0; at--) {
        const cuzk_compared *q = &c->rows[list[at - 1]];
        const bool q_in_time = is_in_time(c, q);
        if (q_in_time != in_time ? q_in_time : x <= size_of(q, in_time)) {
            break;
        }
        list[at] = list[at - 1];
    }
    list[at] = row;
}

static void sum_up(cuzk_comparison *c)
{
    for (uint32_t i = 0; i < c->n_judged; i++) {
        switch (c->rows[i].verdict) {
        case CUZK_VERDICT_WORSE: insert_by_size(c, c->worse, &c->n_worse, i); break;
        case CUZK_VERDICT_BETTER: insert_by_size(c, c->better, &c->n_better, i); break;
        case CUZK_VERDICT_UNCLEAR: insert_by_size(c, c->unclear, &c->n_unclear, i); break;
        case CUZK_VERDICT_SAME:
        case CUZK_VERDICT_MIXED: break;
        }
    }
    /* A gain is no win while a loss elsewhere cannot be ruled out. */
    c->verdict = c->n_worse > 0 && c->n_better > 0 ? CUZK_VERDICT_MIXED
                 : c->n_worse > 0                  ? CUZK_VERDICT_WORSE
                 : c->n_unclear > 0                ? CUZK_VERDICT_UNCLEAR
                 : c->n_better > 0                 ? CUZK_VERDICT_BETTER
                                                   : CUZK_VERDICT_SAME;
}

/* Without the blanks at its end: results before 2026-12 have one after the last CPU flag. */
static size_t trimmed(const char *s)
{
    size_t n = strlen(s);
    while (n > 0 && s[n - 1] == ' ') {
        n--;
    }
    return n;
}

static bool same_fact(const cuzk_result *a, const cuzk_result *b, const char *key)
{
    const char *x = cuzk_result_get_fact(a, key), *y = cuzk_result_get_fact(b, key);
    if (x == NULL || y == NULL) {
        return true; /* not said: no reason to doubt */
    }
    const size_t n = trimmed(x);
    return n == trimmed(y) && memcmp(x, y, n) == 0;
}

static bool same_machine(const cuzk_result *a, const cuzk_result *b)
{
    static const char *const keys[] = {"cpu",     "build",  "cores",    "cpu_flags",
                                       "threads", "device", "compiler", "flags"};
    bool same = true;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        same = same && same_fact(a, b, keys[i]);
    }
    return same;
}

static bool same_commit(const cuzk_result *a, const cuzk_result *b)
{
    return a->commit[0] != '\0' && strcmp(a->commit, b->commit) == 0 &&
           strstr(a->commit, "dirty") == NULL;
}

static cuzk_status drift_of(double *out, bool *known, const cuzk_result *base,
                            const cuzk_result *new_, cuzk_err *err)
{
    *out = 0;
    *known = false;
    for (uint32_t i = 0; i < base->n_metrics; i++) {
        const cuzk_metric *a = &base->metrics[i];
        const cuzk_metric *b = cuzk_result_find(new_, a->name);
        cuzk_compared c;
        if (a->role != CUZK_ROLE_REFERENCE || !is_comparable(a, b) || a->n == 0 || b->n == 0) {
            continue;
        }
        CUZK_TRY(measure(&c, a, b, 0.95, err));
        if (c.base_median > 0) {
            *out = (c.new_median - c.base_median) / c.base_median;
            *known = true;
        }
    }
    return CUZK_OK;
}

static uint32_t count_pairs(const cuzk_result *base, const cuzk_result *new_, bool judged)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < base->n_metrics; i++) {
        const cuzk_metric *a = &base->metrics[i];
        n += is_judged(a) == judged && is_comparable(a, cuzk_result_find(new_, a->name));
    }
    return n;
}

static cuzk_status fill_rows(cuzk_comparison *c, const cuzk_result *base, const cuzk_result *new_,
                             bool judged, double confidence, cuzk_err *err)
{
    for (uint32_t i = 0; i < base->n_metrics; i++) {
        const cuzk_metric *a = &base->metrics[i];
        const cuzk_metric *b = cuzk_result_find(new_, a->name);
        if (is_judged(a) != judged || !is_comparable(a, b)) {
            c->only_base += judged == is_judged(a);
            continue;
        }
        CUZK_TRY(measure(&c->rows[c->n], a, b, confidence, err));
        c->n++;
    }
    return CUZK_OK;
}

cuzk_status cuzk_compare(cuzk_comparison *out, const cuzk_result *base, const cuzk_result *new_,
                         const cuzk_compare_opts *opts, cuzk_err *err)
{
    const cuzk_compare_opts o = with_defaults(opts);
    cuzk_comparison c = {.rows = NULL};
    cuzk_status st = CUZK_OK;
    if (strcmp(base->kind, new_->kind) != 0 || strcmp(base->name, new_->name) != 0) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "results of different benchmarks: '%s %s', '%s %s'",
                         base->kind, base->name, new_->kind, new_->name);
    }
    const uint32_t judged = count_pairs(base, new_, true);
    const uint32_t rest = count_pairs(base, new_, false);
    if (judged == 0) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "the results have no metric in common");
    }
    c.rows = cuzk_alloc((size_t)judged + rest, sizeof(*c.rows));
    c.worse = cuzk_alloc(3 * (size_t)judged, sizeof(*c.worse));
    if (c.rows == NULL || c.worse == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to compare %u metrics", judged);
        goto out;
    }
    c.better = c.worse + judged;
    c.unclear = c.better + judged;
    CUZK_TRY_GOTO(st, drift_of(&c.drift, &c.drift_known, base, new_, err));
    CUZK_TRY_GOTO(st, fill_rows(&c, base, new_, true, 1 - (1 - o.confidence) / judged, err));
    c.n_judged = c.n;
    CUZK_TRY_GOTO(st, fill_rows(&c, base, new_, false, o.confidence, err));
    c.only_new = new_->n_metrics - c.n;
    for (uint32_t i = 0; i < c.n_judged; i++) {
        c.total = c.rows[i].base->role == CUZK_ROLE_TOTAL ? &c.rows[i] : c.total;
    }
    for (uint32_t i = 0; i < c.n_judged; i++) {
        judge(&c.rows[i], &o, c.total != NULL ? c.total->base_median : 0, fabs(c.drift));
    }
    sum_up(&c);
    c.same_commit = same_commit(base, new_);
    c.same_machine = same_machine(base, new_);
    *out = c;
    return CUZK_OK;
out:
    cuzk_comparison_free(&c);
    return st;
}

static cuzk_status add_moved(cuzk_comparison *out, const cuzk_compared *row, const char *commit,
                             const char *file_a, const char *file_b, cuzk_err *err)
{
    cuzk_moved *more = cuzk_realloc(out->moved, (size_t)out->n_moved + 1, sizeof(*more));
    if (more == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for %u moved baselines", out->n_moved);
    }
    out->moved = more;
    cuzk_moved *m = &out->moved[out->n_moved++];
    memset(m, 0, sizeof(*m));
    (void)snprintf(m->metric, sizeof(m->metric), "%s", row->base->name);
    (void)snprintf(m->commit, sizeof(m->commit), "%s", commit);
    (void)snprintf(m->unit, sizeof(m->unit), "%s", row->base->unit);
    m->file_a = file_a;
    m->file_b = file_b;
    m->a = row->base_median;
    m->b = row->new_median;
    return CUZK_OK;
}

cuzk_status cuzk_compare_moved(cuzk_comparison *out, const cuzk_result *const *results,
                               const char *const *files, uint32_t n, const cuzk_compare_opts *opts,
                               cuzk_err *err)
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = i + 1; k < n; k++) {
            const cuzk_result *a = results[i], *b = results[k];
            cuzk_comparison c;
            cuzk_status st = CUZK_OK;
            if (!same_commit(a, b) || !same_machine(a, b) || strcmp(a->name, b->name) != 0 ||
                strcmp(a->kind, b->kind) != 0 || count_pairs(a, b, true) == 0) {
                continue;
            }
            CUZK_TRY(cuzk_compare(&c, a, b, opts, err));
            for (uint32_t r = 0; st == CUZK_OK && r < c.n_judged; r++) {
                const cuzk_verdict v = c.rows[r].verdict;
                /* one value each, as in a table: nothing but the values themselves to go by */
                const bool tables = c.rows[r].base->n < 3 && c.rows[r].new_->n < 3 &&
                                    fabs(c.rows[r].delta.value) > c.rows[r].effect;
                if (v == CUZK_VERDICT_BETTER || v == CUZK_VERDICT_WORSE || tables) {
                    st = add_moved(out, &c.rows[r], a->commit, files[i], files[k], err);
                }
            }
            cuzk_comparison_free(&c);
            CUZK_TRY(st);
        }
    }
    return CUZK_OK;
}

void cuzk_comparison_free(cuzk_comparison *c)
{
    cuzk_free(c->rows);
    cuzk_free(c->worse);
    cuzk_free(c->moved);
    memset(c, 0, sizeof(*c));
}

int cuzk_comparison_exit_status(const cuzk_comparison *c)
{
    if (c->n_worse > 0 || c->n_moved > 0) {
        return 1;
    }
    return c->verdict == CUZK_VERDICT_UNCLEAR ? 3 : 0;
}
