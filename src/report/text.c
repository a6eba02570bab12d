/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "report/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"

typedef struct prefix {
    double factor;
    const char *text;
} prefix;

static const prefix seconds[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
static const prefix nanoseconds[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
static const prefix bytes[] = {
    {1024.0 * 1024 * 1024, "GiB"}, {1024.0 * 1024, "MiB"}, {1024, "KiB"}, {1, "B"}};

static const char *quantity(char buf[CUZK_QUANTITY_BYTES], double v, const char *unit,
                            const char *sign)
{
    const prefix *p = NULL;
    const char *per = strchr(unit, '/');
    const size_t n = per != NULL ? (size_t)(per - unit) : strlen(unit);
    if (n == 1 && unit[0] == 's') {
        p = seconds;
    } else if (n == 2 && strncmp(unit, "ns", 2) == 0) {
        p = nanoseconds;
    } else if (strcmp(unit, "bytes") == 0) {
        p = bytes;
    }
    if (p == NULL) {
        (void)snprintf(buf, CUZK_QUANTITY_BYTES, "%s%.4g %s", sign, v, unit);
        return buf;
    }
    unsigned i = 0;
    while (i < 3 && v < p[i].factor * 0.9995) {
        i++;
    }
    const double x = v / p[i].factor;
    const int digits = x < 9.995 ? 2 : x < 99.95 ? 1 : 0;
    (void)snprintf(buf, CUZK_QUANTITY_BYTES, "%s%.*f %s%s", sign, digits, x, p[i].text,
                   per != NULL ? per : "");
    return buf;
}

const char *cuzk_quantity(char buf[CUZK_QUANTITY_BYTES], double v, const char *unit)
{
    return quantity(buf, fabs(v), unit, v < 0 ? "-" : "");
}

const char *cuzk_quantity_signed(char buf[CUZK_QUANTITY_BYTES], double v, const char *unit)
{
    return quantity(buf, fabs(v), unit, v < 0 ? "-" : "+");
}

static void print_head(FILE *f, const cuzk_result *r)
{
    (void)fprintf(f, "%s %s: %u runs after %u to warm up, commit %s\n", r->kind, r->name, r->runs,
                  r->warmup, r->commit[0] != '\0' ? r->commit : "unknown");
    for (uint32_t i = 0; i < r->n_facts; i++) {
        (void)fprintf(f, "%s%s %s", i == 0 ? "" : ", ", r->facts[i].key, r->facts[i].value);
    }
    (void)fprintf(f, "\n");
    for (uint32_t i = 0; i < r->n_notes; i++) {
        (void)fprintf(f, "note: %s\n", r->notes[i]);
    }
}

/* Copy, because medians sort. False: no memory, or no values. */
static bool interval_of(cuzk_interval *out, const cuzk_metric *m)
{
    double *v = m->n > 0 ? cuzk_alloc(m->n, sizeof(*v)) : NULL;
    if (v == NULL) {
        return false;
    }
    memcpy(v, m->values, m->n * sizeof(*v));
    *out = cuzk_stats_median_interval(v, m->n, 0.95, NULL);
    cuzk_free(v);
    return true;
}

static void print_metrics(FILE *f, const cuzk_result *r, bool layers, double total)
{
    bool first = true;
    for (uint32_t i = 0; i < r->n_metrics; i++) {
        const cuzk_metric *m = &r->metrics[i];
        const bool is_layer = m->role == CUZK_ROLE_LAYER || m->role == CUZK_ROLE_TOTAL;
        char a[CUZK_QUANTITY_BYTES], b[CUZK_QUANTITY_BYTES], c[CUZK_QUANTITY_BYTES];
        cuzk_interval v;
        if (is_layer != layers || !interval_of(&v, m) || (is_layer && v.hi <= 0)) {
            continue;
        }
        if (first) {
            (void)fprintf(f, "\n%-44s %12s   %s\n", layers ? "layer" : "metric", "median",
                          "interval (95 %, or least to greatest)");
            first = false;
        }
        (void)fprintf(f, "%-44s %12s   %s to %s", m->name, cuzk_quantity(a, v.value, m->unit),
                      cuzk_quantity(b, v.lo, m->unit), cuzk_quantity(c, v.hi, m->unit));
        if (layers && total > 0) {
            (void)fprintf(f, "   %.1f %%", 100 * v.value / total);
        }
        (void)fprintf(f, "\n");
    }
}

static void print_familiar_row(FILE *f, const char *name, double v, const char *what)
{
    char a[CUZK_QUANTITY_BYTES];
    (void)fprintf(f, "  %-14s %10s   %s\n", name, cuzk_quantity(a, v, "s"), what);
}

static void print_parts(FILE *f, const cuzk_result *r, cuzk_familiar which)
{
    for (uint32_t i = 0; i < r->n_metrics; i++) {
        const cuzk_metric *m = &r->metrics[i];
        char a[CUZK_QUANTITY_BYTES];
        cuzk_interval v;
        if (m->role == CUZK_ROLE_LAYER && cuzk_familiar_of(m->name) == which &&
            interval_of(&v, m) && v.value > 0) {
            (void)fprintf(f, "    %10s   %s\n", cuzk_quantity(a, v.value, "s"), m->name);
        }
    }
}

static void print_familiar(FILE *f, const cuzk_result *r)
{
    cuzk_familiar_sums s;
    const cuzk_metric *rss = cuzk_result_find(r, "peak_rss");
    cuzk_interval v;
    char a[CUZK_QUANTITY_BYTES];
    cuzk_familiar_sum(&s, r);
    if (s.wrapper == 0) {
        return;
    }
    (void)fprintf(
        f, "\nthe familiar table (sums of medians; on the CPU the steps that do the same)\n");
    print_familiar_row(f, "synthesis", s.row[CUZK_FAMILIAR_SYNTHESIS],
                       "parse, check, witness, rows evaluated on the host");
    print_familiar_row(f, "GPU", s.wrapper, "the proving wrapper");
    print_familiar_row(f, "around", s.row[CUZK_FAMILIAR_AROUND], "what is neither:");
    print_parts(f, r, CUZK_FAMILIAR_AROUND);
    print_familiar_row(f, "total", s.sum, "");
    if (rss != NULL && interval_of(&v, rss)) {
        (void)fprintf(f, "  %-14s %10s\n", "peak RAM", cuzk_quantity(a, v.value, "bytes"));
    }
    (void)fprintf(f, "\n");
    for (int i = CUZK_FAMILIAR_PREP_MSM; i <= CUZK_FAMILIAR_EVAL; i++) {
        print_familiar_row(f, cuzk_familiar_name((cuzk_familiar)i), s.row[i], "");
    }
    print_familiar_row(f, "gpu_total", s.gpu_total, "sum of these");
    print_familiar_row(f, "gap", s.row[CUZK_FAMILIAR_GAP], "of the wrapper, outside gpu_total:");
    print_parts(f, r, CUZK_FAMILIAR_GAP);
}

void cuzk_text_result(FILE *f, const cuzk_result *r)
{
    const cuzk_metric *total = cuzk_result_find(r, "total");
    cuzk_interval v = {.value = 0};
    if (total != NULL) {
        (void)interval_of(&v, total);
    }
    print_head(f, r);
    print_metrics(f, r, true, v.value);
    print_metrics(f, r, false, 0);
    print_familiar(f, r);
}

static double percent(double part, double whole)
{
    return whole != 0 ? 100 * part / fabs(whole) : 0;
}

/* "+3.1 %"; empty for what is too small for a percentage. */
static const char *percent_text(char out[24], double part, double whole, bool is_small)
{
    if (is_small) {
        out[0] = '\0';
    } else {
        (void)snprintf(out, 24, "%+.1f %%", percent(part, whole));
    }
    return out;
}

static void print_compared(FILE *f, const cuzk_compared *c, bool judged, bool is_small)
{
    const char *unit = c->base->unit;
    char share[24];
    char a[CUZK_QUANTITY_BYTES], b[CUZK_QUANTITY_BYTES], d[CUZK_QUANTITY_BYTES];
    char interval[2 * CUZK_QUANTITY_BYTES + 8] = "";
    if (isfinite(c->delta.lo) && isfinite(c->delta.hi) && is_small) {
        (void)snprintf(interval, sizeof(interval), "[%s, %s]",
                       cuzk_quantity_signed(a, c->delta.lo, unit),
                       cuzk_quantity_signed(b, c->delta.hi, unit));
    } else if (isfinite(c->delta.lo) && isfinite(c->delta.hi)) {
        (void)snprintf(interval, sizeof(interval), "[%+.1f, %+.1f] %%",
                       percent(c->delta.lo, c->base_median), percent(c->delta.hi, c->base_median));
    }
    (void)fprintf(f, "%-44s %12s %12s %12s %9s %-20s %s", c->base->name,
                  cuzk_quantity(a, c->base_median, unit), cuzk_quantity(b, c->new_median, unit),
                  cuzk_quantity_signed(d, c->delta.value, unit),
                  percent_text(share, c->delta.value, c->base_median, is_small), interval,
                  judged ? cuzk_verdict_name(c->verdict) : "(not judged)");
    if (judged && c->verdict == CUZK_VERDICT_UNCLEAR && c->runs_needed > 0) {
        if (c->runs_needed <= 200) {
            (void)fprintf(f, " (about %.0f each would tell)", c->runs_needed);
        } else {
            (void)fprintf(f, " (needs a quieter machine)");
        }
    }
    (void)fprintf(f, "\n");
}

/* total: of the base. */
static void print_familiar_delta(FILE *f, const char *name, double base, double new_, double total)
{
    char a[CUZK_QUANTITY_BYTES], b[CUZK_QUANTITY_BYTES], d[CUZK_QUANTITY_BYTES], share[24];
    (void)fprintf(f, "  %-14s %10s %10s %11s %9s\n", name, cuzk_quantity(a, base, "s"),
                  cuzk_quantity(b, new_, "s"), cuzk_quantity_signed(d, new_ - base, "s"),
                  percent_text(share, new_ - base, base, base < CUZK_SMALL_LAYER * total));
}

/* The table that users of the original know, of both results. */
static void print_familiar_deltas(FILE *f, const cuzk_result *base, const cuzk_result *new_)
{
    cuzk_familiar_sums x, y;
    cuzk_familiar_sum(&x, base);
    cuzk_familiar_sum(&y, new_);
    if (x.wrapper == 0 || y.wrapper == 0) {
        return;
    }
    (void)fprintf(f, "the familiar table (sums of medians)\n  %-14s %10s %10s %11s\n", "", "base",
                  "new", "delta");
    print_familiar_delta(f, "synthesis", x.row[CUZK_FAMILIAR_SYNTHESIS],
                         y.row[CUZK_FAMILIAR_SYNTHESIS], x.sum);
    print_familiar_delta(f, "GPU", x.wrapper, y.wrapper, x.sum);
    print_familiar_delta(f, "around", x.row[CUZK_FAMILIAR_AROUND], y.row[CUZK_FAMILIAR_AROUND],
                         x.sum);
    print_familiar_delta(f, "total", x.sum, y.sum, x.sum);
    for (int i = CUZK_FAMILIAR_PREP_MSM; i <= CUZK_FAMILIAR_EVAL; i++) {
        print_familiar_delta(f, cuzk_familiar_name((cuzk_familiar)i), x.row[i], y.row[i], x.sum);
    }
    print_familiar_delta(f, "gpu_total", x.gpu_total, y.gpu_total, x.sum);
    print_familiar_delta(f, "gap", x.row[CUZK_FAMILIAR_GAP], y.row[CUZK_FAMILIAR_GAP], x.sum);
    (void)fprintf(f, "\n");
}

/* Names and changes of a list, the largest first, at most eight. */
static void print_list(FILE *f, const cuzk_comparison *c, const uint32_t *list, uint32_t n)
{
    for (uint32_t i = 0; i < n && i < 8; i++) {
        const cuzk_compared *r = &c->rows[list[i]];
        char d[CUZK_QUANTITY_BYTES];
        (void)fprintf(f, "%s%s %s", i == 0 ? " " : ", ", r->base->name,
                      cuzk_quantity_signed(d, r->delta.value, r->base->unit));
        if (!cuzk_compared_is_small(c, r)) {
            (void)fprintf(f, " (%+.1f %%)", percent(r->delta.value, r->base_median));
        }
    }
    if (n > 8) {
        (void)fprintf(f, " and %u more", n - 8);
    }
}

void cuzk_text_verdict(FILE *f, const cuzk_comparison *c)
{
    (void)fprintf(f, "verdict: %s.",
                  c->verdict == CUZK_VERDICT_SAME ? "same (within noise)"
                                                  : cuzk_verdict_name(c->verdict));
    if (c->n_worse > 0) {
        (void)fprintf(f, " Worse:");
        print_list(f, c, c->worse, c->n_worse);
        (void)fprintf(f, ".");
    }
    if (c->n_better > 0) {
        (void)fprintf(f, " Better:");
        print_list(f, c, c->better, c->n_better);
        (void)fprintf(f, ".");
    }
    if (c->n_unclear > 0) {
        (void)fprintf(f, " Too few or too noisy runs to tell:");
        print_list(f, c, c->unclear, c->n_unclear);
        (void)fprintf(f, ".");
    }
    (void)fprintf(f, "\n");
}

void cuzk_text_moved(FILE *f, const cuzk_comparison *c)
{
    for (uint32_t i = 0; i < c->n_moved; i++) {
        const cuzk_moved *m = &c->moved[i];
        char a[CUZK_QUANTITY_BYTES], b[CUZK_QUANTITY_BYTES];
        (void)fprintf(f, "baseline moved: %s of commit %s is %s in %s and %s in %s\n", m->metric,
                      m->commit, cuzk_quantity(a, m->a, m->unit), m->file_a,
                      cuzk_quantity(b, m->b, m->unit), m->file_b);
    }
}

void cuzk_text_comparison(FILE *f, const cuzk_comparison *c, const cuzk_result *base,
                          const cuzk_result *new_)
{
    (void)fprintf(f, "base: ");
    print_head(f, base);
    (void)fprintf(f, "new:  ");
    print_head(f, new_);
    (void)fprintf(f, "\n%-44s %12s %12s %12s %9s %-20s %s\n", "", "base", "new", "delta", "",
                  "interval", "verdict");
    for (uint32_t i = 0; i < c->n; i++) {
        print_compared(f, &c->rows[i], i < c->n_judged, cuzk_compared_is_small(c, &c->rows[i]));
    }
    (void)fprintf(f, "\n");
    print_familiar_deltas(f, base, new_);
    if (c->only_base > 0 || c->only_new > 0) {
        (void)fprintf(f, "%u metrics only in base, %u only in new: not compared\n", c->only_base,
                      c->only_new);
    }
    if (!c->same_machine) {
        (void)fprintf(f, "the results are of different machines, compilers or options: the change "
                         "need not be the program's\n");
    }
    if (c->drift_known) {
        (void)fprintf(f, "the reference loop took %+.1f %%: the machine itself%s\n", 100 * c->drift,
                      fabs(c->drift) < 0.01 ? " was as fast as before"
                                            : " changed; smaller changes are not reported");
    }
    if (c->same_commit && (c->n_worse > 0 || c->n_better > 0)) {
        (void)fprintf(f, "both are of commit %s: what moved is the measurement, not the program\n",
                      base->commit);
    }
    cuzk_text_moved(f, c);
    cuzk_text_verdict(f, c);
}

void cuzk_text_layers(FILE *f, const cuzk_layers *l)
{
    (void)fprintf(f, "%-40s %7s %10s %10s %7s %10s %10s %10s\n", "layer", "spans", "inclusive",
                  "exclusive", "", "overlap", "cpu", "bytes");
    for (uint32_t i = 0; i < l->n; i++) {
        const cuzk_layer *r = &l->rows[i];
        char a[CUZK_QUANTITY_BYTES], b[CUZK_QUANTITY_BYTES], c[CUZK_QUANTITY_BYTES];
        char d[CUZK_QUANTITY_BYTES], e[CUZK_QUANTITY_BYTES];
        (void)fprintf(f, "%*s%-*s", 2 * (int)r->depth, "", 40 - 2 * (int)r->depth, r->name);
        if (r->unaccounted) {
            (void)fprintf(f, " %7s %10s", "", "");
        } else {
            (void)fprintf(f, " %7" PRIu64 " %10s", r->count,
                          cuzk_quantity(a, (double)r->inclusive_ns, "ns"));
        }
        if (r->has_parts) {
            (void)fprintf(f, " %10s %7s", "", "");
        } else {
            (void)fprintf(f, " %10s %5.1f %%", cuzk_quantity(b, r->exclusive_ns, "ns"),
                          percent(r->exclusive_ns, (double)l->wall_ns));
        }
        (void)fprintf(f, " %10s %10s %10s\n",
                      r->overlap_ns >= 1 ? cuzk_quantity(c, r->overlap_ns, "ns") : "",
                      r->cpu_ns > 0 ? cuzk_quantity(e, (double)r->cpu_ns, "ns") : "",
                      r->bytes != 0 ? cuzk_quantity(d, (double)r->bytes, "bytes") : "");
    }
    char a[CUZK_QUANTITY_BYTES], b[CUZK_QUANTITY_BYTES];
    (void)fprintf(f, "exclusive times add up to %s of %s\n",
                  cuzk_quantity(a, cuzk_layers_sum(l), "ns"),
                  cuzk_quantity(b, (double)l->wall_ns, "ns"));
}
