/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "base/alloc.h"
#include "r1cs/build/recorder_internal.h"

/* Words per chunk: doubled from chunk to chunk, and at the end just short of the 4 MiB from which
 * on base/alloc rounds to huge pages. */
#define CHUNK_MIN  4096u
#define CHUNK_LG   8u
#define CHUNK_LESS 64u

static size_t chunk_words(size_t i)
{
    return ((size_t)CHUNK_MIN << (i < CHUNK_LG ? i : CHUNK_LG)) - CHUNK_LESS;
}

/*
 * Resizes the array that *array_ptr (a pointer to a pointer to any type, hence the memcpy) points
 * to from cap to n > cap elements, zeroing what is new.
 */
static bool resize(void *array_ptr, size_t cap, size_t n, size_t size)
{
    void *p;
    memcpy(&p, array_ptr, sizeof(p));
    p = cuzk_realloc(p, n, size);
    if (p == NULL) {
        return false;
    }
    memset((unsigned char *)p + cap * size, 0, (n - cap) * size);
    memcpy(array_ptr, &p, sizeof(p));
    return true;
}

static bool grow(void *array_ptr, size_t *cap, size_t need, size_t size)
{
    if (need <= *cap) {
        return true;
    }
    const size_t n = *cap + *cap / 2 + 64;
    if (!resize(array_ptr, *cap, n < need ? need : n, size)) {
        return false;
    }
    *cap = n < need ? need : n;
    return true;
}

#define GROW(array, cap, need) grow(&(array), &(cap), (need), sizeof(*(array)))

bool cuzk_word_list_more(cuzk_word_list *l)
{
    if (!GROW(l->chunk, l->cap_chunks, l->n_chunks + 1)) {
        return false;
    }
    const size_t words = chunk_words(l->n_chunks);
    uint32_t *c = cuzk_alloc(words, sizeof(*c));
    if (c == NULL) {
        return false;
    }
    l->n_full += l->n_chunks == 0 ? 0 : chunk_words(l->n_chunks - 1);
    l->chunk[l->n_chunks++] = c;
    l->p = c;
    l->end = c + words;
    return true;
}

uint64_t cuzk_word_list_count(const cuzk_word_list *l)
{
    return l->n_chunks == 0 ? 0 : l->n_full + (uint64_t)(l->p - l->chunk[l->n_chunks - 1]);
}

static void word_list_deinit(cuzk_word_list *l)
{
    for (size_t i = 0; i < l->n_chunks; i++) {
        cuzk_free(l->chunk[i]);
    }
    cuzk_free(l->chunk);
    memset(l, 0, sizeof(*l));
}

/* The words in one array; empties l. NULL when out of memory. */
static uint32_t *word_list_join(cuzk_word_list *l)
{
    const uint64_t n = cuzk_word_list_count(l);
    uint32_t *out = cuzk_alloc((size_t)n, sizeof(*out));
    if (out == NULL) {
        return NULL;
    }
    uint64_t at = 0;
    for (size_t i = 0; i < l->n_chunks; i++) {
        const uint64_t left = n - at;
        const uint64_t words = left < chunk_words(i) ? left : chunk_words(i);
        memcpy(out + at, l->chunk[i], (size_t)words * sizeof(*out));
        at += words;
        cuzk_free(l->chunk[i]);
        l->chunk[i] = NULL;
    }
    word_list_deinit(l);
    return out;
}

bool cuzk_recorder_init(cuzk_recorder *r, uint32_t n_slots)
{
    const size_t words = ((size_t)n_slots + 1 + 63) / 64;
    memset(r, 0, sizeof(*r));
    r->n_slots = n_slots;
    r->open_span = -1;
    r->a_slots = cuzk_alloc_zero(words, sizeof(*r->a_slots));
    r->b_slots = cuzk_alloc_zero(words, sizeof(*r->b_slots));
    return r->a_slots != NULL && r->b_slots != NULL;
}

void cuzk_recorder_deinit(cuzk_recorder *r)
{
    cuzk_free(r->is_full);
    cuzk_free(r->a_dense);
    cuzk_free(r->b_dense);
    cuzk_free(r->bit_aux);
    cuzk_free(r->full_aux);
    cuzk_free(r->b_inputs);
    cuzk_free(r->a_slots);
    cuzk_free(r->b_slots);
    cuzk_free(r->spans);
    for (int i = 0; i < 3; i++) {
        word_list_deinit(&r->m[i].words);
        cuzk_free(r->m[i].len);
        cuzk_free(r->m[i].long_rows);
    }
    memset(r, 0, sizeof(*r));
}

bool cuzk_recorder_more_rows(cuzk_recorder *r)
{
    const size_t cap = r->cap_rows + r->cap_rows / 2 + 1024;
    for (int i = 0; i < 3; i++) {
        if (!resize(&r->m[i].len, r->cap_rows, cap, 1)) {
            return false;
        }
    }
    r->cap_rows = cap;
    return true;
}

bool cuzk_recorder_add_aux(cuzk_recorder *r, bool full)
{
    const uint32_t i = r->n_aux;
    if (i / 64 >= r->cap_aux_words) {
        const size_t cap = r->cap_aux_words + r->cap_aux_words / 2 + 64;
        if (!resize(&r->is_full, r->cap_aux_words, cap, sizeof(uint64_t)) ||
            !resize(&r->a_dense, r->cap_aux_words, cap, sizeof(uint64_t)) ||
            !resize(&r->b_dense, r->cap_aux_words, cap, sizeof(uint64_t))) {
            return false;
        }
        r->cap_aux_words = cap;
    }
    if (full) {
        if (!GROW(r->full_aux, r->cap_fulls, (size_t)r->n_fulls + 1)) {
            return false;
        }
        r->full_aux[r->n_fulls++] = i;
        r->is_full[i / 64] |= 1ULL << (i % 64);
    } else {
        if (!GROW(r->bit_aux, r->cap_bits, (size_t)r->n_bits + 1)) {
            return false;
        }
        r->bit_aux[r->n_bits++] = i;
    }
    r->n_aux++;
    return true;
}

bool cuzk_recorder_add_input(cuzk_recorder *r)
{
    if (!GROW(r->b_inputs, r->cap_input_words, (size_t)r->n_inputs / 64 + 1)) {
        return false;
    }
    r->n_inputs++;
    return true;
}

bool cuzk_recorder_add_long_row(cuzk_recorder *r, cuzk_matrix_id m, uint32_t len)
{
    cuzk_matrix_recorder *t = &r->m[m];
    if (!GROW(t->long_rows, t->cap_long, t->n_long + 1)) {
        return false;
    }
    t->long_rows[t->n_long].row = r->n_rows;
    t->long_rows[t->n_long].len = len;
    t->n_long++;
    return true;
}

bool cuzk_recorder_enter(cuzk_recorder *r, const char *name, int32_t index)
{
    if (!GROW(r->spans, r->cap_spans, r->n_spans + 1)) {
        return false;
    }
    const cuzk_span_name s = {r->n_rows, r->n_rows, name, index, r->open_span};
    r->open_span = (int32_t)r->n_spans;
    r->spans[r->n_spans++] = s;
    return true;
}

/* *out = array shrunk to n elements; the caller owns the array from here on. */
static bool take(void *out_ptr, void *array_ptr, uint64_t n, size_t size)
{
    void *p;
    memcpy(&p, array_ptr, sizeof(p));
    p = cuzk_realloc(p, (size_t)n, size);
    if (p == NULL) {
        return false;
    }
    memset(array_ptr, 0, sizeof(p));
    memcpy(out_ptr, &p, sizeof(p));
    return true;
}

#define TAKE(out, array, n) take(&(out), &(array), (n), sizeof(*(array)))

static bool finish_matrix(cuzk_matrix_recorder *r, cuzk_matrix *m, uint64_t n_rows)
{
    const uint64_t groups = (n_rows + CUZK_ROW_GROUP - 1) / CUZK_ROW_GROUP;
    m->n_words = cuzk_word_list_count(&r->words);
    m->nnz = r->nnz;
    m->n_long = r->n_long;
    m->words = word_list_join(&r->words);
    m->group_offset = cuzk_alloc((size_t)groups + 1, sizeof(*m->group_offset));
    if (m->words == NULL || m->group_offset == NULL ||
        !TAKE(m->long_rows, r->long_rows, r->n_long)) {
        return false;
    }
    uint64_t at = 0;
    uint64_t next_long = 0;
    for (uint64_t i = 0; i < n_rows; i++) {
        if (i % CUZK_ROW_GROUP == 0) {
            m->group_offset[i / CUZK_ROW_GROUP] = at;
        }
        at += m->len[i] == CUZK_ROW_LONG ? m->long_rows[next_long++].len : m->len[i];
    }
    m->group_offset[groups] = at;
    return true;
}

bool cuzk_recorder_finish(cuzk_recorder *r, cuzk_circuit_part *part)
{
    const size_t words = ((size_t)r->n_aux + 63) / 64;
    part->n_rows = r->n_rows;
    part->n_inputs = r->n_inputs;
    part->n_slots = r->n_slots;
    part->n_aux = r->n_aux;
    part->n_bits = r->n_bits;
    part->n_fulls = r->n_fulls;
    part->n_spans = r->n_spans;
    cuzk_free(r->bit_aux); /* large, and of no use any more */
    cuzk_free(r->full_aux);
    r->bit_aux = r->full_aux = NULL;
    for (int i = 0; i < 3; i++) {
        if (!TAKE(part->m[i].len, r->m[i].len, r->n_rows)) {
            return false;
        }
    }
    for (int i = 0; i < 3; i++) {
        if (!finish_matrix(&r->m[i], &part->m[i], r->n_rows)) {
            return false;
        }
    }
    part->full_before = cuzk_alloc(words + 1, sizeof(*part->full_before));
    if (part->full_before == NULL || !TAKE(part->is_full, r->is_full, words) ||
        !TAKE(part->a_dense, r->a_dense, words) || !TAKE(part->b_dense, r->b_dense, words) ||
        !TAKE(part->spans, r->spans, r->n_spans)) {
        return false;
    }
    uint32_t before = 0;
    for (size_t i = 0; i < words; i++) {
        part->full_before[i] = before;
        before += (uint32_t)__builtin_popcountll(part->is_full[i]);
    }
    part->full_before[words] = before;
    return true;
}
