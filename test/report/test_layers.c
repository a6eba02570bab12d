/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "report/layers.h"

#include "test.h"

/* Spans with made-up times. */
typedef struct fixture {
    cuzk_span_record r[60];
    size_t n;
} fixture;

static cuzk_span put(fixture *f, cuzk_span parent, const char *name, uint64_t begin, uint64_t end)
{
    cuzk_span_record *r = &f->r[f->n++];
    *r = (cuzk_span_record){.id = f->n,
                            .parent = parent,
                            .name = name,
                            .tags = CUZK_SPAN_TAGS_INIT,
                            .thread = 1,
                            .begin_ns = begin,
                            .end_ns = end};
    return r->id;
}

static cuzk_layers compute(const fixture *f, cuzk_span root)
{
    cuzk_layers l;
    cuzk_err err;
    CHECK_OK(cuzk_layers_compute(&l, f->r, f->n, root, &err), &err);
    CHECK(fabs(cuzk_layers_sum(&l) - (double)l.wall_ns) < 1e-3);
    return l;
}

static double exclusive(const cuzk_layers *l, const char *path)
{
    const cuzk_layer *r = cuzk_layers_find(l, path);
    CHECK_MSG(r != NULL, "no row %s", path);
    return r->exclusive_ns;
}

static void sequence_with_gaps(void)
{
    fixture f = {.n = 0};
    const cuzk_span job = put(&f, 0, "job", 100, 1100);
    const cuzk_span a = put(&f, job, "prove", 200, 700);
    put(&f, a, "ntt", 200, 300);
    put(&f, a, "ntt", 350, 400);
    put(&f, a, "msm", 400, 690);
    put(&f, job, "verify", 800, 1100);
    cuzk_layers l = compute(&f, job);
    CHECK_U64(l.wall_ns, 1000);
    CHECK(exclusive(&l, "prove/ntt") == 150 && exclusive(&l, "prove/msm") == 290);
    CHECK(exclusive(&l, "prove/unaccounted") == 60 && exclusive(&l, "verify") == 300);
    CHECK(exclusive(&l, "unaccounted") == 200 && exclusive(&l, "prove") == 0);
    const cuzk_layer *ntt = cuzk_layers_find(&l, "prove/ntt");
    CHECK(ntt->count == 2 && ntt->inclusive_ns == 150 && ntt->overlap_ns == 0 && ntt->depth == 2);
    CHECK_U64(cuzk_layers_find(&l, "prove")->inclusive_ns, 500);
    CHECK_STR(l.rows[0].name, "job");
    CHECK_STR(l.rows[l.n - 1].path, "unaccounted"); /* last of the root's */
    cuzk_layers_free(&l);
}

static void parallel_spans_share(void)
{
    fixture f = {.n = 0};
    const cuzk_span job = put(&f, 0, "job", 0, 100);
    put(&f, job, "a", 0, 60);
    put(&f, job, "b", 40, 100);
    put(&f, job, "b", 50, 60);
    cuzk_layers l = compute(&f, job);
    /* 0-40 a; 40-50 a b; 50-60 a b b; 60-100 b */
    CHECK(fabs(exclusive(&l, "a") - (40 + 5 + 10.0 / 3)) < 1e-9);
    CHECK(fabs(exclusive(&l, "b") - (5 + 20.0 / 3 + 40)) < 1e-9);
    CHECK(exclusive(&l, "unaccounted") == 0);
    const cuzk_layer *b = cuzk_layers_find(&l, "b");
    CHECK(b->inclusive_ns == 60 && b->busy_ns == 70);
    CHECK(fabs(b->overlap_ns - (70 - b->exclusive_ns)) < 1e-9);
    cuzk_layers_free(&l);
}

/* Device spans may begin before their host span, and last longer than it. */
static void children_outside_their_parent(void)
{
    fixture f = {.n = 0};
    put(&f, 0, "other job", 0, 1000);
    const cuzk_span job = put(&f, 0, "job", 100, 200);
    const cuzk_span host = put(&f, job, "submit", 120, 130);
    put(&f, host, "kernel", 110, 160);
    put(&f, host, "kernel", 190, 250);
    put(&f, host, "late", 300, 400);
    cuzk_layers l = compute(&f, job);
    CHECK(exclusive(&l, "submit/kernel") == 60);
    CHECK(exclusive(&l, "submit/unaccounted") == 0);
    CHECK(exclusive(&l, "unaccounted") == 40);
    CHECK(exclusive(&l, "submit/late") == 0);
    CHECK(cuzk_layers_find(&l, "other job") == NULL);
    cuzk_layers_free(&l);
}

static void spans_of_no_length(void)
{
    fixture f = {.n = 0};
    const cuzk_span job = put(&f, 0, "job", 10, 20);
    const cuzk_span a = put(&f, job, "a", 10, 10);
    put(&f, a, "b", 10, 10);
    put(&f, job, "c", 20, 20);
    cuzk_layers l = compute(&f, job);
    CHECK(exclusive(&l, "unaccounted") == 10);
    cuzk_layers_free(&l);
}

static void by_cpu_time(void)
{
    fixture f = {.n = 0};
    const cuzk_span job = put(&f, 0, "job", 0, 1000);
    const cuzk_span a = put(&f, job, "prove", 0, 900);
    put(&f, a, "ntt", 0, 100);
    put(&f, a, "msm", 100, 800);
    f.r[0].cpu_ns = 500;
    f.r[1].cpu_ns = 450;
    f.r[2].cpu_ns = 90;
    f.r[3].cpu_ns = 350;
    cuzk_layers l = compute(&f, job);
    cuzk_layers_by_cpu(&l);
    CHECK(exclusive(&l, "prove/ntt") == 90 && exclusive(&l, "prove/msm") == 350);
    CHECK(exclusive(&l, "prove/unaccounted") == 10 && exclusive(&l, "unaccounted") == 50);
    CHECK(l.wall_ns == 500 && fabs(cuzk_layers_sum(&l) - 500) < 1e-9);
    cuzk_layers_free(&l);
}

static void bad_roots(void)
{
    fixture f = {.n = 0};
    cuzk_layers l;
    cuzk_err err;
    const cuzk_span open = put(&f, 0, "job", 10, 0);
    CHECK_STATUS(cuzk_layers_compute(&l, f.r, f.n, open, &err), CUZK_E_INVALID);
    CHECK_STATUS(cuzk_layers_compute(&l, f.r, f.n, 77, &err), CUZK_E_INVALID);
    CHECK_STATUS(cuzk_layers_compute(&l, f.r, 0, 1, &err), CUZK_E_INVALID);
}

/* The time line cut into unit steps: another way to the same numbers. */
static void random_trees_by_brute_force(void)
{
    static const char *const names[4] = {"p", "q", "r", "s"};
    for (size_t round = 0; round < test_iters(200); round++) {
        fixture f = {.n = 0};
        enum { SPAN = 60 };
        const cuzk_span job = put(&f, 0, "job", 1000, 1000 + SPAN);
        while (f.n < 40) {
            const uint64_t b = 990 + test_below(SPAN + 20);
            put(&f, job + test_below(f.n < 8 ? f.n : 8), names[test_below(4)], b,
                b + test_below(30));
        }
        double own[200] = {0}, share[200] = {0};
        for (uint64_t t = 1000; t < 1000 + SPAN; t++) {
            size_t inner[200], n = 0;
            for (size_t i = 0; i < f.n; i++) {
                bool leaf = f.r[i].begin_ns <= t && t < f.r[i].end_ns;
                for (size_t k = 0; k < f.n; k++) {
                    bool below = false;
                    for (cuzk_span s = f.r[k].parent; s != 0; s = f.r[s - 1].parent) {
                        below = below || s == f.r[i].id;
                    }
                    leaf = leaf && !(below && f.r[k].begin_ns <= t && t < f.r[k].end_ns);
                }
                if (leaf) {
                    inner[n++] = i;
                }
            }
            for (size_t i = 0; i < n; i++) {
                own[inner[i]] += 1;
                share[inner[i]] += 1.0 / (double)n;
            }
        }
        cuzk_layers l = compute(&f, job);
        /* sums per path; a path is found by walking up */
        for (uint32_t row = 0; row < l.n; row++) {
            double want = 0, want_own = 0;
            for (size_t i = 0; i < f.n; i++) {
                char path[96] = "", tail[96];
                for (cuzk_span s = f.r[i].id; s != job; s = f.r[s - 1].parent) {
                    (void)snprintf(tail, sizeof(tail), "%s%s%.60s", f.r[s - 1].name,
                                   path[0] != '\0' ? "/" : "", path);
                    (void)snprintf(path, sizeof(path), "%s", tail);
                }
                const uint32_t of = l.rows[row].unaccounted ? l.rows[row].parent : row;
                const bool root_row = of == 0;
                if (root_row ? i == 0 : i != 0 && strcmp(path, l.rows[of].path) == 0) {
                    want += share[i];
                    want_own += own[i];
                }
            }
            if (!l.rows[row].has_parts) {
                CHECK(fabs(l.rows[row].exclusive_ns - want) < 1e-6);
                CHECK(fabs(l.rows[row].overlap_ns - (want_own - want)) < 1e-6);
            } else {
                CHECK(l.rows[row].exclusive_ns == 0);
            }
        }
        cuzk_layers_free(&l);
    }
}

static void no_memory(void)
{
    fixture f = {.n = 0};
    cuzk_layers l;
    const cuzk_span job = put(&f, 0, "job", 0, 100);
    put(&f, job, "a", 0, 60);
    for (uint64_t n = 1;; n++) {
        cuzk_alloc_fail_nth(n, false);
        const cuzk_status st = cuzk_layers_compute(&l, f.r, f.n, job, NULL);
        cuzk_alloc_fail_nth(0, false);
        if (st == CUZK_OK) {
            CHECK(n > 5);
            cuzk_layers_free(&l);
            break;
        }
        CHECK(st == CUZK_E_NOMEM);
    }
}

static const cuzk_case cases[] = {CASE(sequence_with_gaps),
                                  CASE(parallel_spans_share),
                                  CASE(children_outside_their_parent),
                                  CASE(spans_of_no_length),
                                  CASE(by_cpu_time),
                                  CASE(bad_roots),
                                  CASE(random_trees_by_brute_force),
                                  CASE(no_memory)};
TEST_MAIN("report/layers", cases)
