/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "r1cs/witness.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "hash/sha256.h"
#include "r1cs/rows.h"

static uint64_t preamble_words(const cuzk_circuit *c)
{
    return (c->preamble.n_bits + 63) / 64;
}

cuzk_status cuzk_witness_create(cuzk_witness **out, const cuzk_circuit *c, cuzk_err *err)
{
    cuzk_witness *w = cuzk_alloc_zero(1, sizeof(*w));
    if (w == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a witness");
    }
    w->circuit = c;
    w->n_bit_words = preamble_words(c) + c->n_blocks * c->bit_stride;
    w->inputs = cuzk_alloc((size_t)c->n_inputs, sizeof(*w->inputs));
    w->bits = cuzk_alloc_zero((size_t)w->n_bit_words, sizeof(*w->bits));
    w->fulls = cuzk_alloc((size_t)c->n_fulls, sizeof(*w->fulls));
    if (w->inputs == NULL || w->bits == NULL || w->fulls == NULL) {
        cuzk_witness_destroy(w);
        return CUZK_FAIL(err, CUZK_E_NOMEM,
                         "no memory for a witness of %" PRIu64 " bits and %" PRIu64 " elements",
                         c->n_bits, c->n_fulls);
    }
    w->inputs[0] = CUZK_FR_ONE;
    *out = w;
    return CUZK_OK;
}

void cuzk_witness_destroy(cuzk_witness *w)
{
    if (w != NULL) {
        cuzk_free(w->inputs);
        cuzk_free(w->bits);
        cuzk_free(w->fulls);
        cuzk_free(w);
    }
}

cuzk_witness_part cuzk_witness_preamble(const cuzk_witness *w)
{
    const cuzk_witness_part p = {w->inputs + 1, w->bits, w->fulls};
    return p;
}

cuzk_witness_part cuzk_witness_block(const cuzk_witness *w, uint64_t k)
{
    const cuzk_circuit *c = w->circuit;
    CUZK_DASSERT(k < c->n_blocks);
    const cuzk_witness_part p = {
        w->inputs + 1 + c->preamble.n_inputs + k * c->block.n_inputs,
        w->bits + preamble_words(c) + k * c->bit_stride,
        w->fulls + c->preamble.n_fulls + k * c->block.n_fulls,
    };
    return p;
}

/* Part index (0: preamble) of aux wire i, which becomes its number in that part. */
static uint64_t part_of_aux(const cuzk_circuit *c, uint64_t *i)
{
    if (*i < c->preamble.n_aux) {
        return 0;
    }
    const uint64_t k = (*i - c->preamble.n_aux) / c->block.n_aux;
    *i -= c->preamble.n_aux + k * c->block.n_aux;
    return 1 + k;
}

static cuzk_witness_part part_at(const cuzk_witness *w, uint64_t index)
{
    return index == 0 ? cuzk_witness_preamble(w) : cuzk_witness_block(w, index - 1);
}

void cuzk_witness_get(cuzk_fr *out, const cuzk_witness *w, cuzk_wire wire)
{
    const cuzk_circuit *c = w->circuit;
    uint64_t i = wire & ~CUZK_WIRE_AUX;
    if ((wire & CUZK_WIRE_AUX) == 0) {
        CUZK_ASSERT(i < c->n_inputs);
        *out = w->inputs[i];
        return;
    }
    CUZK_ASSERT(i < c->n_aux);
    const uint64_t index = part_of_aux(c, &i);
    const cuzk_witness_part p = part_at(w, index);
    const cuzk_var v = cuzk_aux_locate(index == 0 ? &c->preamble : &c->block, i);
    const uint32_t rank = cuzk_var_index(v);
    if (cuzk_var_get_kind(v) == CUZK_VAR_KIND_FULL) {
        *out = p.fulls[rank];
    } else {
        *out = (p.bits[rank / 64] >> (rank % 64) & 1) != 0 ? CUZK_FR_ONE : CUZK_FR_ZERO;
    }
}

/* Walks the aux wires of one part in order. */
typedef struct aux_walk {
    const cuzk_circuit_part *part;
    cuzk_witness_part values;
    uint64_t bit, full; /* ranks of the next of each class */
} aux_walk;

static aux_walk walk_part(const cuzk_witness *w, uint64_t index)
{
    const cuzk_circuit *c = w->circuit;
    const aux_walk a = {index == 0 ? &c->preamble : &c->block, part_at(w, index), 0, 0};
    return a;
}

static bool is_full(const cuzk_circuit_part *p, uint64_t i)
{
    return (p->is_full[i / 64] >> (i % 64) & 1) != 0;
}

/* Sets the aux values of a part; false at the first bit wire that is not 0 or 1, *at its number. */
static bool set_part(aux_walk *a, const cuzk_fr *aux, uint64_t *at)
{
    for (uint64_t i = 0; i < a->part->n_aux; i++) {
        *at = i;
        if (is_full(a->part, i)) {
            a->values.fulls[a->full++] = aux[i];
            continue;
        }
        const bool one = cuzk_fr_is_one(&aux[i]);
        if (!one && !cuzk_fr_is_zero(&aux[i])) {
            return false;
        }
        uint64_t *word = &a->values.bits[a->bit / 64];
        const uint64_t mask = 1ULL << (a->bit % 64);
        *word = one ? *word | mask : *word & ~mask;
        a->bit++;
    }
    return true;
}

cuzk_status cuzk_witness_set_all(cuzk_witness *w, const cuzk_fr *inputs, const cuzk_fr *aux,
                                 cuzk_err *err)
{
    const cuzk_circuit *c = w->circuit;
    if (!cuzk_fr_is_one(&inputs[0])) {
        return CUZK_FAIL(err, CUZK_E_UNSATISFIED, "input 0 is not 1");
    }
    memcpy(w->inputs, inputs, (size_t)c->n_inputs * sizeof(*inputs));
    for (uint64_t index = 0; index <= c->n_blocks; index++) {
        const cuzk_part_base base = cuzk_circuit_part_base(c, index);
        aux_walk a = walk_part(w, index);
        uint64_t at = 0;
        if (!set_part(&a, aux + base.aux, &at)) {
            return CUZK_FAIL(err, CUZK_E_UNSATISFIED, "aux wire %" PRIu64 " is not 0 or 1",
                             base.aux + at);
        }
    }
    return CUZK_OK;
}

#define HASH_VALUES 512u /* values per update */

typedef struct hasher {
    cuzk_sha256 s;
    size_t n;
    uint8_t buf[HASH_VALUES * 32];
} hasher;

static uint8_t *next_value(hasher *h)
{
    if (h->n == HASH_VALUES) {
        cuzk_sha256_update(&h->s, h->buf, sizeof(h->buf));
        h->n = 0;
    }
    return h->buf + 32 * h->n++;
}

static void hash_part(hasher *h, aux_walk *a)
{
    for (uint64_t i = 0; i < a->part->n_aux; i++) {
        uint8_t *v = next_value(h);
        if (is_full(a->part, i)) {
            cuzk_fr_to_bytes_le(v, &a->values.fulls[a->full++]);
        } else {
            memset(v, 0, 32);
            v[0] = (uint8_t)(a->values.bits[a->bit / 64] >> (a->bit % 64) & 1);
            a->bit++;
        }
    }
}

cuzk_status cuzk_witness_hash(const cuzk_witness *w, uint8_t out[32], cuzk_err *err)
{
    const cuzk_circuit *c = w->circuit;
    hasher *h = cuzk_alloc(1, sizeof(*h));
    if (h == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to hash a witness");
    }
    cuzk_sha256_init(&h->s);
    h->n = 0;
    for (uint64_t i = 0; i < c->n_inputs; i++) {
        cuzk_fr_to_bytes_le(next_value(h), &w->inputs[i]);
    }
    for (uint64_t index = 0; index <= c->n_blocks; index++) {
        aux_walk a = walk_part(w, index);
        hash_part(h, &a);
    }
    cuzk_sha256_update(&h->s, h->buf, 32 * h->n);
    cuzk_sha256_final(out, &h->s);
    cuzk_free(h);
    return CUZK_OK;
}
