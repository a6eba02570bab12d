/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "c1_parallel.h"

#include <string.h>

#include "base/alloc.h"

#define LEAST_TEXT ((size_t)1 << 20)
#define STRETCH    ((size_t)128 << 10) /* searched at a time; a challenge of 32 GiB has some 280 KB */
#define MOST       2u                  /* found in a stretch; more are left to the parser */

static const char first_key[] = "\"comm_d_proofs\"";
#define KEY_BYTES (sizeof(first_key) - 1)

typedef struct search {
    const uint8_t *text;
    size_t n;
    const uint8_t *(*found)[MOST]; /* [stretches], NULL behind the last */
} search;

/* The brace before a key, over blanks; NULL: something else is there. */
static const uint8_t *brace_before(const uint8_t *text, const uint8_t *key)
{
    const uint8_t *p = key;
    while (p > text && (p[-1] == ' ' || p[-1] == '\n' || p[-1] == '\t' || p[-1] == '\r')) {
        p--;
    }
    return p > text && p[-1] == '{' ? p - 1 : NULL;
}

static cuzk_status search_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    const search *s = arg;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const size_t from = i * STRETCH;
        const size_t left = s->n - from;
        const uint8_t *p = s->text + from;
        /* Keys that begin in the stretch. */
        const uint8_t *stop = p + (left < STRETCH + KEY_BYTES - 1 ? left : STRETCH + KEY_BYTES - 1);
        for (unsigned k = 0; k < MOST;) {
            p = memmem(p, (size_t)(stop - p), first_key, KEY_BYTES);
            if (p == NULL) {
                break;
            }
            const uint8_t *brace = brace_before(s->text, p);
            if (brace != NULL) {
                s->found[i][k++] = brace;
            }
            p += KEY_BYTES;
        }
    }
    return CUZK_OK;
}

typedef struct range_read {
    c1_challenge *list;
    c1_read_fn read;
} range_read;

static cuzk_status read_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    const range_read *r = arg;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        r->read(&r->list[i]);
    }
    return CUZK_OK;
}

/* The starts that were found, each challenge up to the next one: no byte is read twice. */
static bool list_found(c1_parallel *out, const search *s, size_t stretches)
{
    size_t n = 0;
    for (size_t i = 0; i < stretches; i++) {
        for (unsigned k = 0; k < MOST && s->found[i][k] != NULL; k++) {
            n++;
        }
    }
    out->list = n == 0 ? NULL : cuzk_alloc_zero(n, sizeof(*out->list));
    if (out->list == NULL) {
        return false;
    }
    for (size_t i = 0; i < stretches; i++) {
        for (unsigned k = 0; k < MOST && s->found[i][k] != NULL; k++) {
            c1_challenge *c = &out->list[out->n++];
            c->start = s->found[i][k];
            c->end = s->text + s->n;
            if (out->n > 1) {
                c[-1].end = c->start;
            }
        }
    }
    return true;
}

void c1_parallel_read(c1_parallel *out, const uint8_t *text, size_t n, c1_read_fn read,
                      cuzk_pool *pool)
{
    const size_t stretches = (n + STRETCH - 1) / STRETCH;
    search s = {.text = text, .n = n};
    *out = (c1_parallel){.n = 0};
    if (n < LEAST_TEXT || cuzk_pool_threads(pool) < 2) {
        return;
    }
    s.found = cuzk_alloc_zero(stretches, sizeof(*s.found));
    if (s.found == NULL) {
        return;
    }
    if (cuzk_parallel_for(pool, NULL, stretches, 0, search_range, &s) == CUZK_OK &&
        list_found(out, &s, stretches)) {
        range_read r = {out->list, read};
        cuzk_ignore(cuzk_parallel_for(pool, NULL, out->n, 1, read_range, &r));
    }
    cuzk_free(s.found);
}

c1_challenge *c1_parallel_at(c1_parallel *a, const uint8_t *start)
{
    while (a->next < a->n && a->list[a->next].start < start) {
        a->next++;
    }
    return a->next < a->n && a->list[a->next].start == start && a->list[a->next].ok
               ? &a->list[a->next]
               : NULL;
}

void c1_parallel_free(c1_parallel *a)
{
    for (size_t i = 0; i < a->n; i++) {
        cuzk_arena_free(&a->list[i].arena);
    }
    cuzk_free(a->list);
}
