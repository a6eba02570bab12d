/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "wire_cursor.h"

#include <string.h>

#include "base/assert.h"

cuzk_wire_cursor cuzk_wire_cursor_init(const cuzk_witness *w, cuzk_srs_section section,
                                       bool all_wires)
{
    const cuzk_wire_cursor cur = {
        .w = w,
        .section = section == CUZK_SRS_B_G2 ? CUZK_SRS_B_G1 : section,
        .all_wires = all_wires && section != CUZK_SRS_L,
        .input = section == CUZK_SRS_L ? w->circuit->n_inputs : 0,
    };
    return cur;
}

uint64_t cuzk_wire_count(const cuzk_circuit *c, cuzk_srs_section section, bool all_wires)
{
    if (section == CUZK_SRS_L) {
        return c->n_aux;
    }
    if (all_wires) {
        return c->n_inputs + c->n_aux;
    }
    return section == CUZK_SRS_A ? c->n_inputs + c->a_aux_density
                                 : c->b_input_density + c->b_aux_density;
}

uint64_t cuzk_wire_full_bound(const cuzk_circuit *c)
{
    return c->n_inputs + c->n_fulls;
}

static inline bool get_bit(const uint64_t *bits, uint64_t i)
{
    return (bits[i / 64] >> (i % 64) & 1) != 0;
}

static inline void put(cuzk_wire_values *out, size_t at, const cuzk_fr *v)
{
    if (cuzk_fr_is_zero(v)) {
        return;
    }
    if (cuzk_fr_is_one(v)) {
        out->ones[at / 64] |= (uint64_t)1 << (at % 64);
        return;
    }
    out->index[out->n_full] = (uint32_t)at;
    out->full[out->n_full++] = *v;
}

static size_t take_inputs(cuzk_wire_cursor *cur, size_t n, cuzk_wire_values *out)
{
    const cuzk_circuit *c = cur->w->circuit;
    const bool every = cur->all_wires || cur->section == CUZK_SRS_A;
    size_t at = 0;
    for (; cur->input < c->n_inputs && at < n; cur->input++) {
        if (every || get_bit(c->b_input_dense, cur->input)) {
            put(out, at++, &cur->w->inputs[cur->input]);
        }
    }
    return at;
}

/* 64 bits from bit i on. */
static inline uint64_t get_word(const uint64_t *bits, uint64_t i)
{
    const unsigned shift = i % 64;
    return shift == 0 ? bits[i / 64] : bits[i / 64] >> shift | bits[i / 64 + 1] << (64 - shift);
}

/*
 * 64 bit wires whose values are `values`; the points of those in `dense` go to the bitmap from
 * `at` on. Returns their number.
 */
static inline size_t put_word(cuzk_wire_values *out, size_t at, uint64_t dense, uint64_t values)
{
    const size_t start = at;
    if (dense == UINT64_MAX) {
        const unsigned shift = at % 64;
        out->ones[at / 64] |= values << shift;
        if (shift != 0) {
            out->ones[at / 64 + 1] |= values >> (64 - shift);
        }
        return 64;
    }
    for (; dense != 0; dense &= dense - 1, at++) {
        const uint64_t one = values >> __builtin_ctzll(dense) & 1;
        out->ones[at / 64] |= one << (at % 64);
    }
    return at - start;
}

/* Takes points [at, n) until the end of the cursor's part. Returns the new at. */
static size_t take_part(cuzk_wire_cursor *cur, size_t at, size_t n, cuzk_wire_values *out)
{
    const cuzk_circuit *c = cur->w->circuit;
    const cuzk_circuit_part *part = cur->part == 0 ? &c->preamble : &c->block;
    const cuzk_witness_part v =
        cur->part == 0 ? cuzk_witness_preamble(cur->w) : cuzk_witness_block(cur->w, cur->part - 1);
    const uint64_t *dense = cur->all_wires || cur->section == CUZK_SRS_L ? NULL
                            : cur->section == CUZK_SRS_A                 ? part->a_dense
                                                                         : part->b_dense;
    uint64_t aux = cur->aux, bit = cur->bit, full = cur->full;
    while (aux < part->n_aux && at < n) {
        /* Nearly every wire of a SHA-256 circuit is a bit: whole words of them at once. */
        if (aux % 64 == 0 && part->n_aux - aux >= 64 && n - at >= 64 &&
            part->is_full[aux / 64] == 0) {
            at += put_word(out, at, dense == NULL ? UINT64_MAX : dense[aux / 64],
                           get_word(v.bits, bit));
            aux += 64;
            bit += 64;
            continue;
        }
        const bool wanted = dense == NULL || get_bit(dense, aux);
        if (get_bit(part->is_full, aux)) {
            if (wanted) {
                put(out, at++, &v.fulls[full]);
            }
            full++;
        } else {
            if (wanted) {
                out->ones[at / 64] |= (uint64_t)get_bit(v.bits, bit) << (at % 64);
                at++;
            }
            bit++;
        }
        aux++;
    }
    cur->aux = aux;
    cur->bit = bit;
    cur->full = full;
    if (aux == part->n_aux) {
        cur->part++;
        cur->aux = cur->bit = cur->full = 0;
    }
    return at;
}

void cuzk_wire_cursor_next(cuzk_wire_cursor *cur, size_t n, cuzk_wire_values *out)
{
    memset(out->ones, 0, (n + 63) / 64 * sizeof(*out->ones));
    out->n_full = 0;
    size_t at = take_inputs(cur, n, out);
    while (at < n) {
        CUZK_ASSERT(cur->part <= cur->w->circuit->n_blocks);
        at = take_part(cur, at, n, out);
    }
}
