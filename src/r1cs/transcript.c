/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The canonical transcript (docs/spec/groth16.md#transcript), streamed out of the compiled form. Nearly all
 * of the time is SHA-256's: 36 bytes per term.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "hash/sha256.h"
#include "r1cs/rows.h"

#define BUF_BYTES  (64u << 10)
#define TERM_BYTES 36u

typedef struct emitter {
    cuzk_sha256 sha;
    const uint8_t (*coef)[32]; /* canonical bytes of the circuit's coefficients */
    size_t n;                  /* bytes in buf */
    uint8_t buf[BUF_BYTES];
} emitter;

static inline uint8_t *room(emitter *e, size_t n)
{
    if (e->n + n > BUF_BYTES) { /* whole blocks only, so that SHA-256 need not buffer again */
        const size_t whole = e->n & ~(size_t)(CUZK_SHA256_BLOCK_BYTES - 1);
        cuzk_sha256_update(&e->sha, e->buf, whole);
        memcpy(e->buf, e->buf + whole, e->n - whole);
        e->n -= whole;
    }
    uint8_t *p = e->buf + e->n;
    e->n += n;
    return p;
}

static void emit_side(emitter *e, const cuzk_row_term *t, size_t n)
{
    cuzk_store_u32_le(room(e, 4), (uint32_t)n);
    for (size_t i = 0; i < n; i++) {
        uint8_t *p = room(e, TERM_BYTES);
        cuzk_store_u32_le(p, t[i].wire);
        memcpy(p + 4, e->coef[t[i].coef], 32);
    }
}

/* Of the rows so far, with an optional trailer. */
static void finish(uint8_t out[32], const emitter *e, const uint64_t *trailer, size_t n)
{
    cuzk_sha256 s = e->sha;
    cuzk_sha256_update(&s, e->buf, e->n);
    for (size_t i = 0; i < n; i++) {
        uint8_t b[8];
        cuzk_store_u64_le(b, trailer[i]);
        cuzk_sha256_update(&s, b, sizeof(b));
    }
    cuzk_sha256_final(out, &s);
}

/* Words of the longest row of the circuit. */
static uint32_t longest_row(const cuzk_circuit *c)
{
    uint32_t n = CUZK_ROW_LONG;
    for (int i = 0; i < 6; i++) {
        const cuzk_matrix *m = i < 3 ? &c->preamble.m[i] : &c->block.m[i - 3];
        for (uint64_t k = 0; k < m->n_long; k++) {
            n = m->long_rows[k].len > n ? m->long_rows[k].len : n;
        }
    }
    return n;
}

/* Rows [begin, end) of the part at base. */
static void emit_rows(emitter *e, const cuzk_part_base *base, const cuzk_wire_map *map,
                      uint64_t begin, uint64_t end, cuzk_row_term *terms)
{
    cuzk_row_cursor cur[3];
    for (int m = 0; m < 3; m++) {
        cur[m] = cuzk_row_cursor_at(&base->part->m[m], begin);
    }
    for (uint64_t row = begin; row < end; row++) {
        for (int m = 0; m < 3; m++) {
            const uint32_t *words;
            const uint32_t len = cuzk_row_cursor_next(&cur[m], &words);
            emit_side(e, terms, cuzk_row_read(terms, base, map, words, len));
        }
    }
}

static void emit_circuit(emitter *e, const cuzk_circuit *c, const cuzk_wire_map *map,
                         uint64_t prefix_rows, uint8_t *prefix, cuzk_row_term *terms)
{
    if (prefix_rows > c->n_rows) {
        prefix_rows = c->n_rows;
    }
    for (uint64_t index = 0; index <= c->n_blocks; index++) {
        const cuzk_part_base base = cuzk_circuit_part_base(c, index);
        const uint64_t n = base.part->n_rows;
        uint64_t mid = 0;
        if (prefix != NULL && prefix_rows >= base.row && prefix_rows - base.row <= n) {
            mid = prefix_rows - base.row;
            emit_rows(e, &base, map, 0, mid, terms);
            finish(prefix, e, NULL, 0);
            prefix = NULL;
        }
        emit_rows(e, &base, map, mid, n, terms);
    }
}

cuzk_status cuzk_circuit_transcript(const cuzk_circuit *c, uint8_t out[32], uint64_t prefix_rows,
                                    uint8_t *prefix, cuzk_err *err)
{
    cuzk_wire_map map;
    CUZK_TRY(cuzk_wire_map_init(&map, c, err));
    emitter *e = cuzk_alloc(1, sizeof(*e));
    uint8_t(*coef)[32] = cuzk_alloc(c->n_coeffs, sizeof(*coef));
    cuzk_row_term *terms = cuzk_alloc(longest_row(c), sizeof(*terms));
    const uint64_t trailer[3] = {c->n_inputs, c->n_aux, c->n_rows};
    cuzk_status st = CUZK_OK;
    if (e == NULL || coef == NULL || terms == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the transcript of a circuit");
        goto out;
    }
    for (uint32_t i = 0; i < c->n_coeffs; i++) {
        cuzk_fr_to_bytes_le(coef[i], &c->coeffs[i]);
    }
    cuzk_sha256_init(&e->sha);
    e->coef = (const uint8_t(*)[32])coef;
    e->n = 0;
    emit_circuit(e, c, &map, prefix_rows, prefix, terms);
    finish(out, e, trailer, 3);
out:
    cuzk_free(terms);
    cuzk_free(coef);
    cuzk_free(e);
    cuzk_wire_map_deinit(&map);
    return st;
}
