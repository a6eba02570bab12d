/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "report/html.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "report/text.h"

#include "html_internal.h"

static const char style[] =
    ":root{color-scheme:light dark;--bg:#f7f7f5;--card:#fff;--fg:#1d1f23;--dim:#646a73;--line:#e1e3e7;"
    "--good:#157347;--bad:#b42318;--same:#646a73;--unclear:#8a6100;--goodbg:#e4f4ea;--badbg:#fde8e6;"
    "--mixbg:#fdf0dc;--samebg:#eceef1;--c0:#8db8e8;--c1:#f3b27a;--c2:#8fcfa5;--c3:#e99a97;--c4:#bcaae6;"
    "--c5:#d9c26f;--c6:#7fcbc9;--c7:#eba8cf;--c8:#c3b09a;--c9:#c9cdd3;--seg:#16181b;--outer:#eef0f3}"
    "@media(prefers-color-scheme:dark){:root{--bg:#15171a;--card:#1e2125;--fg:#e7e9ec;--dim:#9aa1ab;"
    "--line:#33383f;--good:#5fd08f;--bad:#ff8d80;--same:#9aa1ab;--unclear:#e3b54a;--goodbg:#17352500;"
    "--goodbg:#173525;--badbg:#43211e;--mixbg:#42331a;--samebg:#2a2e34;--c0:#2f5f96;--c1:#96581c;"
    "--c2:#2b7346;--c3:#96423f;--c4:#5f4c9a;--c5:#7d691b;--c6:#23706e;--c7:#8f4674;--c8:#6c5a45;"
    "--c9:#4b515a;--seg:#f2f4f6;--outer:#2a2e34}}"
    "*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--fg);"
    "font:15px/1.45 system-ui,sans-serif}main{max-width:1120px;margin:0 auto;padding:24px}"
    "h1{font-size:22px;margin:0 0 14px}h2{font-size:16px;margin:0 0 10px}"
    "section{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:16px 18px;"
    "margin:0 0 16px;overflow-x:auto}svg{width:100%;height:auto;display:block}"
    "svg.ci{width:200px;display:inline-block;vertical-align:middle}"
    "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}"
    "th{font-weight:600;color:var(--dim);font-size:13px}th,td{padding:4px 8px;text-align:right;"
    "border-bottom:1px solid var(--line);white-space:nowrap}th.l,td.l{text-align:left}"
    "tr.total td{font-weight:650}tr:last-child td{border-bottom:0}.dim{color:var(--dim)}"
    ".verdict{border-radius:10px;padding:16px 18px;margin:0 0 16px}.verdict b{font-size:26px;"
    "margin-right:12px}.verdict p{margin:6px 0 0}.v-better{background:var(--goodbg)}"
    ".v-worse{background:var(--badbg)}.v-mixed{background:var(--mixbg)}.v-same,.v-unclear"
    "{background:var(--samebg)}.better{color:var(--good)}.worse{color:var(--bad)}"
    ".same{color:var(--same)}.unclear{color:var(--unclear)}.tag{display:inline-block;"
    "border:1px solid currentColor;border-radius:6px;padding:1px 8px;margin:2px 6px 2px 0}"
    "i.sw{display:inline-block;width:11px;height:11px;border-radius:3px;margin-right:8px}"
    "text{fill:var(--fg);font:12px system-ui,sans-serif}.seg{fill:var(--seg)}.seg.dim{opacity:.75}"
    ".small{font-size:11px}.tick{fill:var(--dim);text-anchor:middle;font-size:11px}"
    ".tick.first{text-anchor:start}details{margin-top:8px}summary{cursor:pointer;color:var(--dim)}"
    ".track{fill:var(--dim);font-size:11px}.name{font-weight:600}.grid{stroke:var(--line)}"
    ".outer{fill:var(--outer);stroke:var(--line)}rect{stroke:var(--card);stroke-width:.6}"
    ".band{fill:var(--samebg);stroke:none}.zero{stroke:var(--dim)}"
    "g.better{stroke:var(--good);fill:var(--good)}g.worse{stroke:var(--bad);fill:var(--bad)}"
    "g.same{stroke:var(--same);fill:var(--same)}g.unclear{stroke:var(--unclear);fill:var(--unclear)}"
    "g line{stroke-width:2}.facts td{white-space:normal;vertical-align:top}";

static const char *const classes[] = {"same", "better", "worse", "mixed", "unclear"};

static double percent(double part, double whole)
{
    return whole != 0 ? 100 * part / fabs(whole) : 0;
}

static void head(FILE *f, const cuzk_result *r)
{
    (void)fprintf(f, "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
                     "<meta name='viewport' content='width=device-width'><title>");
    html_escape(f, r->kind);
    (void)fputc(' ', f);
    html_escape(f, r->name);
    (void)fprintf(f, "</title><style>%s", style);
    for (int i = 0; i < HTML_COLOURS; i++) {
        (void)fprintf(f, ".c%d{fill:var(--c%d)}i.c%d{background:var(--c%d)}", i, i, i, i);
    }
    (void)fprintf(f, "</style></head><body><main><h1>");
    html_escape(f, r->kind);
    (void)fputc(' ', f);
    html_escape(f, r->name);
    (void)fprintf(f, "</h1>\n");
}

static void tags(FILE *f, const cuzk_comparison *c, const uint32_t *list, uint32_t n,
                 const char *css_class, const char *title)
{
    if (n == 0) {
        return;
    }
    (void)fprintf(f, "<p class='%s'>%s ", css_class, title);
    for (uint32_t i = 0; i < n && i < 10; i++) {
        const cuzk_compared *r = &c->rows[list[i]];
        char q[CUZK_QUANTITY_BYTES];
        (void)fprintf(f, "<span class='tag'>");
        html_escape(f, html_label(r->base->name));
        if (!cuzk_compared_is_small(c, r)) {
            (void)fprintf(f, " <b style='font-size:inherit;margin:0'>%+.1f&thinsp;%%</b>",
                          percent(r->delta.value, r->base_median));
        }
        (void)fprintf(f, " %s</span>", cuzk_quantity_signed(q, r->delta.value, r->base->unit));
    }
    if (n > 10) {
        (void)fprintf(f, "and %u more", n - 10);
    }
    (void)fprintf(f, "</p>");
}

static void verdict(FILE *f, const cuzk_comparison *c)
{
    static const char *const words[] = {"Same, within noise", "Better", "Worse", "Mixed",
                                        "Too few runs to tell"};
    char a[CUZK_QUANTITY_BYTES], b[CUZK_QUANTITY_BYTES];
    (void)fprintf(f, "<div class='verdict v-%s'><b class='%s'>%s</b>", classes[c->verdict],
                  c->verdict == CUZK_VERDICT_MIXED ? "unclear" : classes[c->verdict],
                  words[c->verdict]);
    if (c->total != NULL) {
        (void)fprintf(f, "total %s &rarr; %s (%+.1f&thinsp;%%)",
                      cuzk_quantity(a, c->total->base_median, c->total->base->unit),
                      cuzk_quantity(b, c->total->new_median, c->total->base->unit),
                      percent(c->total->delta.value, c->total->base_median));
    }
    tags(f, c, c->worse, c->n_worse, "worse", "worse:");
    tags(f, c, c->better, c->n_better, "better", "better:");
    tags(f, c, c->unclear, c->n_unclear, "unclear", "too few or too noisy runs:");
    if (c->same_commit && (c->n_worse > 0 || c->n_better > 0)) {
        (void)fprintf(f,
                      "<p class='unclear'>Both are of one commit: the measurement moved, not the "
                      "program.</p>");
    }
    if (!c->same_machine) {
        (void)fprintf(f, "<p class='unclear'>Different machines, compilers or options: the change "
                         "need not be the program's.</p>");
    }
    if (c->drift_known && fabs(c->drift) >= 0.01) {
        (void)fprintf(f,
                      "<p class='unclear'>The machine itself changed: its reference loop took "
                      "%+.1f&thinsp;%%. Smaller changes are not reported.</p>",
                      100 * c->drift);
    }
    (void)fprintf(f, "</div>\n");
}

static int colour_of(const html_layers *l, const char *path)
{
    for (int i = 0; i < l->n; i++) {
        if (strcmp(l->rows[i].path, path) == 0) {
            return l->rows[i].colour;
        }
    }
    return -1;
}

static void name_cell(FILE *f, const html_layers *l, const char *name)
{
    const int colour = colour_of(l, name);
    (void)fprintf(f, "<td class='l'>");
    if (colour >= 0) {
        (void)fprintf(f, "<i class='sw c%d'></i>", colour);
    }
    (void)fprintf(f, "<span title='");
    html_escape(f, name);
    (void)fprintf(f, "'>");
    html_escape(f, html_label(name));
    (void)fprintf(f, "</span></td>");
}

static void compared_row(FILE *f, const cuzk_comparison *c, const cuzk_compared *r,
                         const html_layers *l, double scale)
{
    const char *unit = r->base->unit;
    const char *css_class = classes[r->verdict];
    static const char *const marks[] = {"same", "&#9660; better", "&#9650; worse", "", "? unclear"};
    char q[CUZK_QUANTITY_BYTES];
    (void)fprintf(f, "<tr%s>", r->base->role == CUZK_ROLE_TOTAL ? " class='total'" : "");
    name_cell(f, l, r->base->name);
    (void)fprintf(f, "<td>%s</td>", cuzk_quantity(q, r->base_median, unit));
    (void)fprintf(f, "<td>%s</td>", cuzk_quantity(q, r->new_median, unit));
    (void)fprintf(f, "<td>%s</td>", cuzk_quantity_signed(q, r->delta.value, unit));
    if (cuzk_compared_is_small(c, r)) { /* no percentage, and no interval in percent */
        (void)fprintf(f, "<td></td><td></td><td class='l %s'>%s</td></tr>\n", css_class,
                      marks[r->verdict]);
        return;
    }
    (void)fprintf(f, "<td class='%s'>%+.1f&thinsp;%%</td><td>", css_class,
                  percent(r->delta.value, r->base_median));
    html_interval(f, percent(r->delta.lo, r->base_median), percent(r->delta.value, r->base_median),
                  percent(r->delta.hi, r->base_median), percent(r->effect, r->base_median), scale,
                  css_class);
    (void)fprintf(f, "</td><td class='l %s'>%s</td></tr>\n", css_class, marks[r->verdict]);
}

static void compared_list(FILE *f, const cuzk_comparison *c, const html_layers *l,
                          const uint32_t *list, uint32_t n, double scale)
{
    for (uint32_t i = 0; i < n; i++) {
        if (c->total != &c->rows[list[i]]) {
            compared_row(f, c, &c->rows[list[i]], l, scale);
        }
    }
}

static double interval_scale(const cuzk_comparison *c)
{
    double most = 6;
    for (uint32_t i = 0; i < c->n_judged; i++) {
        const cuzk_compared *r = &c->rows[i];
        if (r->verdict != CUZK_VERDICT_UNCLEAR && r->verdict != CUZK_VERDICT_SAME) {
            most = fmax(most, 1.15 * fmax(fabs(percent(r->delta.lo, r->base_median)),
                                          fabs(percent(r->delta.hi, r->base_median))));
        }
    }
    return fmin(most, 60);
}

static void table_head(FILE *f, double scale)
{
    (void)fprintf(f,
                  "<table><tr><th class='l'>layer<th>base<th>new<th>change<th><th class='l'>"
                  "interval, &plusmn;%.0f&thinsp;%%<th class='l'>verdict</tr>\n",
                  scale);
}

/* Layers that stayed the same, the largest first: those of at least `least` of the total, or those
 * below. */
static uint32_t same_layers(FILE *f, const cuzk_comparison *c, const html_layers *l, double scale,
                            bool large)
{
    const double least = 0.01 * l->base_total;
    uint32_t n = 0;
    for (int i = 0; i < l->n; i++) {
        for (uint32_t k = 0; k < c->n_judged; k++) {
            const cuzk_compared *r = &c->rows[k];
            if (r->verdict == CUZK_VERDICT_SAME && (r->base_median >= least) == large &&
                strcmp(r->base->name, l->rows[i].path) == 0) {
                if (f != NULL) {
                    compared_row(f, c, r, l, scale);
                }
                n++;
            }
        }
    }
    return n;
}

static void comparison_table(FILE *f, const cuzk_comparison *c, const html_layers *l)
{
    const double scale = interval_scale(c);
    (void)fprintf(f, "<section><h2>Every layer</h2>");
    table_head(f, scale);
    if (c->total != NULL) {
        compared_row(f, c, c->total, l, scale);
    }
    compared_list(f, c, l, c->worse, c->n_worse, scale);
    compared_list(f, c, l, c->better, c->n_better, scale);
    compared_list(f, c, l, c->unclear, c->n_unclear, scale);
    (void)same_layers(f, c, l, scale, true);
    for (uint32_t k = 0; k < c->n_judged; k++) {
        if (c->rows[k].verdict == CUZK_VERDICT_SAME && &c->rows[k] != c->total &&
            colour_of(l, c->rows[k].base->name) < 0) {
            compared_row(f, c, &c->rows[k], l, scale);
        }
    }
    (void)fprintf(f, "</table>");
    const uint32_t small = same_layers(NULL, c, l, scale, false);
    if (small > 0) {
        (void)fprintf(f,
                      "<details><summary>%u layers below 1&thinsp;%% of the total, all the "
                      "same</summary>",
                      small);
        table_head(f, scale);
        (void)same_layers(f, c, l, scale, false);
        (void)fprintf(f, "</table></details>");
    }
    (void)fprintf(f, "<p class='dim'>Dot: estimate; line: interval, all together at the "
                     "confidence asked for; grey band: too small to count.</p></section>\n");
}

static void result_row(FILE *f, const cuzk_metric *m, const html_layers *l, double total)
{
    char q[CUZK_QUANTITY_BYTES];
    double *v = m->n > 0 ? cuzk_alloc(m->n, sizeof(*v)) : NULL;
    if (v == NULL) {
        return;
    }
    memcpy(v, m->values, m->n * sizeof(*v));
    const cuzk_interval i = cuzk_stats_median_interval(v, m->n, 0.95, NULL);
    cuzk_free(v);
    if (m->role == CUZK_ROLE_LAYER && i.hi <= 0) {
        return; /* a device's phases have nothing between their parts */
    }
    (void)fprintf(f, "<tr%s>", m->role == CUZK_ROLE_TOTAL ? " class='total'" : "");
    name_cell(f, l, m->name);
    (void)fprintf(f, "<td>%s</td>", cuzk_quantity(q, i.value, m->unit));
    (void)fprintf(f, "<td class='dim'>%s to ", cuzk_quantity(q, i.lo, m->unit));
    (void)fprintf(f, "%s</td>", cuzk_quantity(q, i.hi, m->unit));
    if (total > 0 && m->role == CUZK_ROLE_LAYER) {
        (void)fprintf(f, "<td>%.1f&thinsp;%%</td>", percent(i.value, total));
    } else {
        (void)fprintf(f, "<td></td>");
    }
    (void)fprintf(f, "</tr>\n");
}

static void result_table(FILE *f, const cuzk_result *r, const html_layers *l)
{
    (void)fprintf(f, "<section><h2>Every layer</h2><table><tr><th class='l'>layer<th>median"
                     "<th>interval<th>of the total</tr>\n");
    const cuzk_metric *total = cuzk_result_find(r, "total");
    if (total != NULL) {
        result_row(f, total, l, 0);
    }
    for (int i = 0; i < l->n; i++) {
        const cuzk_metric *m = cuzk_result_find(r, l->rows[i].path);
        if (m != NULL) {
            result_row(f, m, l, l->base_total);
        }
    }
    for (uint32_t i = 0; i < r->n_metrics; i++) {
        if (&r->metrics[i] != total && colour_of(l, r->metrics[i].name) < 0) {
            result_row(f, &r->metrics[i], l, 0);
        }
    }
    (void)fprintf(f, "</table></section>\n");
}

/* total: of the base; 0: there is one result only. */
static void familiar_row(FILE *f, const char *name, double a, double b, double total, bool bold)
{
    char q[CUZK_QUANTITY_BYTES];
    (void)fprintf(f, "<tr%s><td class='l'>%s</td><td>%s</td>", bold ? " class='total'" : "", name,
                  cuzk_quantity(q, a, "s"));
    if (total > 0) {
        (void)fprintf(f, "<td>%s</td><td>", cuzk_quantity(q, b, "s"));
        if (a < CUZK_SMALL_LAYER * total) {
            (void)fprintf(f, "%s</td>", cuzk_quantity_signed(q, b - a, "s"));
        } else {
            (void)fprintf(f, "%+.1f&thinsp;%%</td>", percent(b - a, a));
        }
    }
    (void)fprintf(f, "</tr>\n");
}

static void familiar(FILE *f, const cuzk_result *base, const cuzk_result *new_)
{
    cuzk_familiar_sums a, b;
    const bool two = new_ != NULL;
    cuzk_familiar_sum(&a, base);
    cuzk_familiar_sum(&b, two ? new_ : base);
    const double total = two ? a.sum : 0;
    if (a.wrapper == 0) {
        return;
    }
    (void)fprintf(f, "<section><h2>The familiar table</h2><table><tr><th class='l'><th>%s%s</tr>\n",
                  two ? "base" : "", two ? "<th>new<th>" : "");
    familiar_row(f, "synthesis", a.row[CUZK_FAMILIAR_SYNTHESIS], b.row[CUZK_FAMILIAR_SYNTHESIS],
                 total, false);
    familiar_row(f, "GPU (the proving wrapper)", a.wrapper, b.wrapper, total, false);
    familiar_row(f, "around", a.row[CUZK_FAMILIAR_AROUND], b.row[CUZK_FAMILIAR_AROUND], total,
                 false);
    familiar_row(f, "total", a.sum, b.sum, total, true);
    for (int i = CUZK_FAMILIAR_PREP_MSM; i <= CUZK_FAMILIAR_EVAL; i++) {
        familiar_row(f, cuzk_familiar_name((cuzk_familiar)i), a.row[i], b.row[i], total, false);
    }
    familiar_row(f, "gpu_total", a.gpu_total, b.gpu_total, total, true);
    familiar_row(f, "gap: of the wrapper, outside gpu_total", a.row[CUZK_FAMILIAR_GAP],
                 b.row[CUZK_FAMILIAR_GAP], total, false);
    (void)fprintf(f,
                  "</table><p class='dim'>Sums of medians. On the CPU the rows are the steps that "
                  "do the same work.</p></section>\n");
}

static void fact(FILE *f, const char *key, const char *a, const char *b)
{
    (void)fprintf(f, "<tr><td class='l dim'>");
    html_escape(f, key);
    (void)fprintf(f, "</td><td class='l'>");
    html_escape(f, a);
    (void)fprintf(f, "</td>");
    if (b != NULL) {
        (void)fprintf(f, "<td class='l%s'>", strcmp(a, b) != 0 ? " unclear" : "");
        html_escape(f, b);
        (void)fprintf(f, "</td>");
    }
    (void)fprintf(f, "</tr>\n");
}

static void date(char out[32], uint64_t unix_time)
{
    const time_t t = (time_t)unix_time;
    struct tm tm;
    if (gmtime_r(&t, &tm) == NULL || strftime(out, 32, "%Y-%m-%d %H:%M UTC", &tm) == 0) {
        out[0] = '\0';
    }
}

static void facts(FILE *f, const cuzk_result *a, const cuzk_result *b)
{
    char x[32], y[32];
    (void)fprintf(f, "<section><h2>Measured with</h2><table class='facts'>\n");
    if (b != NULL) {
        (void)fprintf(f, "<tr><th class='l'><th class='l'>base<th class='l'>new</tr>\n");
    }
    fact(f, "commit", a->commit, b != NULL ? b->commit : NULL);
    (void)snprintf(x, sizeof(x), "%u, %u to warm up", a->runs, a->warmup);
    (void)snprintf(y, sizeof(y), "%u, %u to warm up", b != NULL ? b->runs : 0,
                   b != NULL ? b->warmup : 0);
    fact(f, "runs", x, b != NULL ? y : NULL);
    date(x, a->unix_time);
    date(y, b != NULL ? b->unix_time : 0);
    fact(f, "when", x, b != NULL ? y : NULL);
    fact(f, "command", a->command, b != NULL ? b->command : NULL);
    for (uint32_t i = 0; i < a->n_facts; i++) {
        const char *v = b != NULL ? cuzk_result_get_fact(b, a->facts[i].key) : NULL;
        fact(f, a->facts[i].key, a->facts[i].value, b == NULL ? NULL : v != NULL ? v : "");
    }
    for (int k = 0; k < (b != NULL ? 2 : 1); k++) {
        const cuzk_result *r = k == 0 ? a : b;
        for (uint32_t i = 0; i < r->n_notes; i++) {
            fact(f, b == NULL ? "note" : k == 0 ? "note, base" : "note, new", r->notes[i], NULL);
        }
    }
    (void)fprintf(f, "</table></section>\n");
}

static void moved(FILE *f, const cuzk_comparison *c)
{
    if (c->n_moved == 0) {
        return;
    }
    (void)fprintf(f, "<section><h2 class='worse'>Baselines that moved</h2><table><tr>"
                     "<th class='l'>metric<th class='l'>commit<th class='l'>file<th>value"
                     "<th class='l'>file<th>value</tr>\n");
    for (uint32_t i = 0; i < c->n_moved; i++) {
        const cuzk_moved *m = &c->moved[i];
        char q[CUZK_QUANTITY_BYTES];
        (void)fprintf(f, "<tr><td class='l'>");
        html_escape(f, m->metric);
        (void)fprintf(f, "</td><td class='l'>");
        html_escape(f, m->commit);
        (void)fprintf(f, "</td><td class='l'>");
        html_escape(f, m->file_a);
        (void)fprintf(f, "</td><td>%s</td><td class='l'>", cuzk_quantity(q, m->a, m->unit));
        html_escape(f, m->file_b);
        (void)fprintf(f, "</td><td>%s</td></tr>\n", cuzk_quantity(q, m->b, m->unit));
    }
    (void)fprintf(f, "</table></section>\n");
}

void cuzk_html_page(FILE *f, const cuzk_result *base, const cuzk_result *new_,
                    const cuzk_comparison *c)
{
    const cuzk_result *last = new_ != NULL ? new_ : base;
    html_layers *l = cuzk_alloc_zero(1, sizeof(*l));
    head(f, base);
    if (l == NULL) {
        (void)fprintf(f, "<p>Out of memory.</p></main></body></html>\n");
        return;
    }
    html_collect(l, base, new_);
    if (c != NULL) {
        verdict(f, c);
    }
    if (l->n > 0) {
        (void)fprintf(f, "<section><h2>Where the time goes</h2>");
        html_stacked(f, l, new_ != NULL);
        (void)fprintf(f, "</section>\n");
    }
    if (c != NULL) {
        moved(f, c);
        comparison_table(f, c, l);
    } else {
        result_table(f, base, l);
    }
    if (last->n_timeline > 0) {
        (void)fprintf(f, "<section><h2>Timeline of the last run%s</h2>",
                      new_ != NULL ? " of new" : "");
        html_timeline(f, last, l);
        (void)fprintf(f, "</section>\n");
    }
    familiar(f, base, new_);
    facts(f, base, new_);
    (void)fprintf(f, "</main></body></html>\n");
    cuzk_free(l);
}
