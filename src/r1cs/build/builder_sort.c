/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Puts one side of a row into canonical order. Rows that gadgets write in order never come here;
 * short ones are sorted by insertion, long ones (packed sums of SHA-256 words: ascending stretches
 * of some 32 terms) by merging the ascending runs that they already consist of.
 */
#include <string.h>

#include "base/alloc.h"
#include "r1cs/build/builder_internal.h"

#define INSERTION_MAX 16u

static void insertion_sort(cuzk_stage_term *t, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const cuzk_stage_term x = t[i];
        size_t j = i;
        for (; j > 0 && t[j - 1].order > x.order; j--) {
            t[j] = t[j - 1];
        }
        t[j] = x;
    }
}

static void merge(cuzk_stage_term *out, const cuzk_stage_term *a, size_t na,
                  const cuzk_stage_term *b, size_t nb)
{
    size_t i = 0, j = 0;
    while (i < na && j < nb) {
        *out++ = b[j].order < a[i].order ? b[j++] : a[i++];
    }
    memcpy(out, a + i, (na - i) * sizeof(*out));
    memcpy(out + (na - i), b + j, (nb - j) * sizeof(*out));
}

/* runs[n_runs + 1]: where the ascending runs start, and the end. */
static void merge_runs(cuzk_stage_term *t, cuzk_stage_term *space, uint32_t *runs, size_t n_runs)
{
    cuzk_stage_term *from = t, *to = space;
    while (n_runs > 1) {
        size_t k = 0;
        for (size_t i = 0; i < n_runs; i += 2) {
            const uint32_t lo = runs[i], mid = runs[i + 1];
            const uint32_t hi = i + 2 <= n_runs ? runs[i + 2] : mid;
            merge(to + lo, from + lo, mid - lo, from + mid, hi - mid);
            runs[k++] = lo;
        }
        runs[k] = runs[n_runs];
        n_runs = k;
        cuzk_stage_term *x = from;
        from = to;
        to = x;
    }
    if (from != t) {
        memcpy(t, from, runs[1] * sizeof(*t));
    }
}

static bool reserve(cuzk_builder *b, size_t n)
{
    if (n <= b->sort_cap) {
        return true;
    }
    cuzk_free(b->sort_space);
    cuzk_free(b->sort_runs);
    b->sort_space = cuzk_alloc(2 * n, sizeof(*b->sort_space));
    b->sort_runs = cuzk_alloc(2 * n + 1, sizeof(*b->sort_runs));
    b->sort_cap = 2 * n;
    if (b->sort_space == NULL || b->sort_runs == NULL) {
        b->status = CUZK_FAIL(&b->err, CUZK_E_NOMEM, "no memory to sort a row of %zu terms", n);
        return false;
    }
    return true;
}

bool cuzk_builder_tidy(cuzk_builder *b, cuzk_stage *s)
{
    cuzk_stage_term *t = s->terms;
    if (s->n <= INSERTION_MAX) {
        insertion_sort(t, s->n);
    } else {
        if (!reserve(b, s->n)) {
            return false;
        }
        size_t n_runs = 0;
        b->sort_runs[0] = 0;
        for (size_t i = 1; i <= s->n; i++) {
            if (i == s->n || t[i].order < t[i - 1].order) {
                b->sort_runs[++n_runs] = (uint32_t)i;
            }
        }
        merge_runs(t, b->sort_space, b->sort_runs, n_runs);
    }
    size_t k = 0;
    for (size_t i = 0; i < s->n;) {
        cuzk_stage_term x = t[i++];
        while (i < s->n && t[i].order == x.order) {
            x.coef = cuzk_builder_coef_add(b, x.coef, t[i++].coef);
            if (x.coef == CUZK_COEF_NONE) {
                return false;
            }
        }
        if (x.coef != CUZK_COEF_ZERO) {
            t[k++] = x;
        }
    }
    s->n = k;
    return true;
}
