/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/text.h"

#include "html_internal.h"

enum { WIDTH = 1000, BAR = 46, GLYPH = 7 };

void html_escape(FILE *f, const char *s)
{
    for (; *s != '\0'; s++) {
        switch (*s) {
        case '&': (void)fputs("&amp;", f); break;
        case '<': (void)fputs("&lt;", f); break;
        case '>': (void)fputs("&gt;", f); break;
        case '"': (void)fputs("&quot;", f); break;
        case '\'': (void)fputs("&#39;", f); break;
        default: (void)fputc(*s, f); break;
        }
    }
}

const char *html_label(const char *path)
{
    static const char *const outer[] = {"proof/", "partition/", "prove/", "gpu_total/"};
    for (size_t i = 0; i < sizeof(outer) / sizeof(outer[0]); i++) {
        const size_t n = strlen(outer[i]);
        if (strncmp(path, outer[i], n) == 0 && strcmp(path + n, "unaccounted") != 0) {
            path += n;
        }
    }
    return path;
}

double html_median(const cuzk_metric *m)
{
    double v = 0, *copy = m->n > 0 ? cuzk_alloc(m->n, sizeof(*copy)) : NULL;
    if (copy != NULL) {
        memcpy(copy, m->values, m->n * sizeof(*copy));
        v = cuzk_stats_median(copy, m->n);
    }
    cuzk_free(copy);
    return v;
}

static bool is_unaccounted(const html_layer *l)
{
    const size_t n = strlen(l->path), k = strlen("unaccounted");
    return n >= k && strcmp(l->path + n - k, "unaccounted") == 0;
}

static int by_size(const void *a, const void *b)
{
    const html_layer *x = a, *y = b;
    const bool ux = is_unaccounted(x), uy = is_unaccounted(y);
    if (ux != uy) {
        return ux ? 1 : -1;
    }
    return (x->base < y->base) - (x->base > y->base);
}

void html_collect(html_layers *out, const cuzk_result *base, const cuzk_result *new_)
{
    out->n = 0;
    out->base_total = out->new_total = 0;
    for (uint32_t i = 0; i < base->n_metrics && out->n < HTML_MOST_LAYERS; i++) {
        const cuzk_metric *m = &base->metrics[i];
        if (m->role != CUZK_ROLE_LAYER || strcmp(m->unit, "s") != 0) {
            continue;
        }
        html_layer *l = &out->rows[out->n++];
        const cuzk_metric *other = new_ != NULL ? cuzk_result_find(new_, m->name) : NULL;
        (void)snprintf(l->path, sizeof(l->path), "%s", m->name);
        l->base = html_median(m);
        l->new_ = other != NULL ? html_median(other) : 0;
        out->base_total += l->base;
        out->new_total += l->new_;
    }
    qsort(out->rows, (size_t)out->n, sizeof(out->rows[0]), by_size);
    for (int i = 0; i < out->n; i++) {
        const bool own = i < HTML_COLOURS - 1 && !is_unaccounted(&out->rows[i]);
        out->rows[i].colour = own ? i : HTML_COLOURS - 1;
    }
}

static void text(FILE *f, double x, double y, const char *css_class, const char *s, double room)
{
    if (!(room >= 2 * GLYPH)) {
        return;
    }
    const int most = room < WIDTH ? (int)(room / GLYPH) : WIDTH / GLYPH;
    char cut[80];
    (void)snprintf(cut, sizeof(cut), "%s", s);
    if ((int)strlen(cut) > most) {
        if (most < 4) {
            return;
        }
        (void)snprintf(cut + (most < 70 ? most - 2 : 70), 3, "..");
    }
    (void)fprintf(f, "<text x='%.1f' y='%.1f' class='%s'>", x, y, css_class);
    html_escape(f, cut);
    (void)fprintf(f, "</text>");
}

static double nice_step(double span)
{
    const double raw = span / 8, p = pow(10, floor(log10(raw)));
    return raw / p < 1.5 ? p : raw / p < 3.5 ? 2 * p : raw / p < 7.5 ? 5 * p : 10 * p;
}

static void axis(FILE *f, double most, double scale, double x0, double y0, double y1)
{
    if (!(most > 0) || !isfinite(most)) {
        return;
    }
    const double step = nice_step(most);
    for (int i = 0; i <= 12 && i * step <= most * 1.0001; i++) { /* steps of about an eighth */
        const double v = i * step;
        char q[CUZK_QUANTITY_BYTES];
        const double x = x0 + v * scale;
        (void)fprintf(f, "<line class='grid' x1='%.1f' x2='%.1f' y1='%.1f' y2='%.1f'/>", x, x, y0,
                      y1);
        (void)fprintf(f, "<text class='tick%s' x='%.1f' y='%.1f'>%s</text>", v == 0 ? " first" : "",
                      x, y1 + 14, v == 0 ? "0" : cuzk_quantity(q, v, "s"));
    }
}

static void bar(FILE *f, const html_layers *l, bool is_new, double y, double x0, double scale)
{
    double x = x0;
    for (int i = 0; i < l->n; i++) {
        const html_layer *r = &l->rows[i];
        const double v = is_new ? r->new_ : r->base, w = v * scale;
        char q[CUZK_QUANTITY_BYTES];
        if (w < 0.05) {
            continue;
        }
        (void)fprintf(f, "<rect class='c%d' x='%.2f' y='%.1f' width='%.2f' height='%d'><title>",
                      r->colour, x, y, w, BAR);
        html_escape(f, r->path);
        (void)fprintf(f, ": %s</title></rect>", cuzk_quantity(q, v, "s"));
        text(f, x + 5, y + 19, "seg", html_label(r->path), w - 8);
        if (w > 9 * GLYPH) {
            text(f, x + 5, y + 36, "seg dim", q, w - 8);
        }
        x += w;
    }
}

void html_stacked(FILE *f, const html_layers *l, bool two)
{
    const double x0 = two ? 54 : 0, right = 84;
    const double most = l->base_total > l->new_total ? l->base_total : l->new_total;
    const double scale = most > 0 && isfinite(most) ? (WIDTH - x0 - right) / most : 0;
    const int bars = two ? 2 : 1, height = bars * (BAR + 10);
    char q[CUZK_QUANTITY_BYTES];
    (void)fprintf(f, "<svg viewBox='0 0 %d %d' role='img' aria-label='time by layer'>", WIDTH,
                  height + 22);
    axis(f, most, scale, x0, 0, height);
    for (int k = 0; k < bars; k++) {
        const double y = 4 + k * (BAR + 10), total = k == 0 ? l->base_total : l->new_total;
        if (two) {
            (void)fprintf(f, "<text class='name' x='0' y='%.1f'>%s</text>", y + BAR / 2.0 + 4,
                          k == 0 ? "base" : "new");
        }
        bar(f, l, k == 1, y, x0, scale);
        (void)fprintf(f, "<text class='name' x='%.1f' y='%.1f'>%s</text>", x0 + total * scale + 6,
                      y + BAR / 2.0 + 4, cuzk_quantity(q, total, "s"));
    }
    (void)fprintf(f, "</svg>\n");
}

/* Colour of the largest layer of which the span is the innermost part. */
static int colour_of(const html_layers *l, const char *name)
{
    const size_t n = strlen(name);
    for (int i = 0; i < l->n; i++) {
        const size_t k = strlen(l->rows[i].path);
        const char *end = l->rows[i].path + k - (k >= n ? n : k);
        if (k >= n && strcmp(end, name) == 0 && (k == n || end[-1] == '/')) {
            return l->rows[i].colour;
        }
    }
    return -1;
}

/* The colour of a span: of its own layer when it has no parts, else none. Parts of msm_h and the
 * like share names, so the nearest span around it that begins a layer's path decides. */
static int span_colour(const cuzk_result *r, const html_layers *l, uint32_t at)
{
    const cuzk_timeline_span *t = &r->timeline[at];
    char path[2 * sizeof(t->name) + 2];
    for (uint32_t i = at; i-- > 0;) {
        const cuzk_timeline_span *p = &r->timeline[i];
        if (p->depth + 1 == t->depth && p->begin_s <= t->begin_s && t->end_s <= p->end_s + 1e-9) {
            (void)snprintf(path, sizeof(path), "%s/%s", p->name, t->name);
            const int c = colour_of(l, path);
            if (c >= 0) {
                return c;
            }
            break;
        }
    }
    return colour_of(l, t->name);
}

enum { MOST_TRACKS = 24, ROW = 19 };

typedef struct track {
    const char *name;
    uint32_t least, most; /* depth */
    double y;
} track;

static int find_tracks(track *tracks, const cuzk_result *r)
{
    int n = 0;
    for (uint32_t i = 0; i < r->n_timeline; i++) {
        const cuzk_timeline_span *t = &r->timeline[i];
        int k = 0;
        while (k < n && strcmp(tracks[k].name, t->track) != 0) {
            k++;
        }
        if (k == MOST_TRACKS) {
            continue;
        }
        if (k == n) {
            tracks[n++] = (track){t->track, t->depth, t->depth, 0};
        }
        tracks[k].least = t->depth < tracks[k].least ? t->depth : tracks[k].least;
        tracks[k].most = t->depth > tracks[k].most ? t->depth : tracks[k].most;
    }
    return n;
}

static void timeline_span(FILE *f, const cuzk_result *r, const html_layers *l, uint32_t i,
                          const track *tr, double scale)
{
    const cuzk_timeline_span *t = &r->timeline[i];
    const double x = t->begin_s * scale, w = (t->end_s - t->begin_s) * scale;
    const double y = tr->y + (t->depth - tr->least) * ROW;
    const int colour = span_colour(r, l, i);
    char q[CUZK_QUANTITY_BYTES], label[80];
    if (t->partition >= 0 && strcmp(t->name, "partition") == 0) {
        (void)snprintf(label, sizeof(label), "%s %d", t->name, t->partition);
    } else {
        (void)snprintf(label, sizeof(label), "%s", t->name);
    }
    (void)fprintf(f, "<rect class='%s%d' x='%.2f' y='%.1f' width='%.2f' height='%d'><title>",
                  colour < 0 ? "outer o" : "c", colour < 0 ? 0 : colour, x, y, w < 0.4 ? 0.4 : w,
                  ROW - 2);
    html_escape(f, label);
    (void)fprintf(f, ": %s", cuzk_quantity(q, t->end_s - t->begin_s, "s"));
    (void)fprintf(f, " from %s</title></rect>", cuzk_quantity(q, t->begin_s, "s"));
    text(f, x + 4, y + 12.5, "seg small", label, w - 6);
}

void html_timeline(FILE *f, const cuzk_result *r, const html_layers *l)
{
    track tracks[MOST_TRACKS];
    double end = 0, y = 0;
    const int n = find_tracks(tracks, r);
    for (uint32_t i = 0; i < r->n_timeline; i++) {
        end = r->timeline[i].end_s > end ? r->timeline[i].end_s : end;
    }
    if (n == 0 || !(end > 0) || !isfinite(end)) {
        return;
    }
    for (int k = 0; k < n; k++) {
        tracks[k].y = y + 16;
        y = tracks[k].y + (tracks[k].most - tracks[k].least + 1) * ROW + 4;
    }
    const double scale = WIDTH / (end * 1.02);
    (void)fprintf(f, "<svg viewBox='0 0 %d %.0f' role='img' aria-label='timeline'>", WIDTH, y + 22);
    axis(f, end, scale, 0.5, 0, y);
    for (int k = 0; k < n; k++) {
        (void)fprintf(f, "<text class='track' x='2' y='%.1f'>", tracks[k].y - 4);
        html_escape(f, tracks[k].name);
        (void)fprintf(f, "</text>");
    }
    for (uint32_t i = 0; i < r->n_timeline; i++) {
        for (int k = 0; k < n; k++) {
            if (strcmp(tracks[k].name, r->timeline[i].track) == 0) {
                timeline_span(f, r, l, i, &tracks[k], scale);
            }
        }
    }
    (void)fprintf(f, "</svg>\n");
}

void html_interval(FILE *f, double lo, double value, double hi, double effect, double scale,
                   const char *css_class)
{
    enum { W = 200, H = 18 };
    const double mid = W / 2.0, k = (mid - 8) / scale;
    const double a = fmax(-mid + 4, lo * k), b = fmin(mid - 4, hi * k);
    const double v = fmax(-mid + 4, fmin(mid - 4, value * k)), e = fmin(mid, effect * k);
    (void)fprintf(f, "<svg class='ci' viewBox='0 0 %d %d' width='%d' height='%d'>", W, H, W, H);
    (void)fprintf(f, "<rect class='band' x='%.1f' y='0' width='%.1f' height='%d'/>", mid - e, 2 * e,
                  H);
    (void)fprintf(f, "<line class='zero' x1='%.1f' x2='%.1f' y1='0' y2='%d'/>", mid, mid, H);
    (void)fprintf(f, "<g class='%s'><line x1='%.1f' x2='%.1f' y1='9' y2='9'/>", css_class, mid + a,
                  mid + b);
    (void)fprintf(f, "<circle cx='%.1f' cy='9' r='4'/></g></svg>", mid + v);
}
