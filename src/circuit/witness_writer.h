/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_CIRCUIT_WITNESS_WRITER_H
#define CUZK_CIRCUIT_WITNESS_WRITER_H

/*
 * Writes the values of one part (preamble or block) of a witness in allocation order: bits into the
 * bitmap, full elements and inputs into their arrays.
 */
#include "r1cs/witness.h"
#include "vanilla/sector/sector.h"

typedef struct cuzk_witness_writer {
    uint64_t *bits; /* next word */
    uint64_t acc;   /* bits not yet stored, least significant first */
    unsigned n_acc; /* < 64 */
    cuzk_fr *fulls; /* next */
    cuzk_fr *inputs;
    bool bad; /* a node was not a field element */
} cuzk_witness_writer;

static inline void cuzk_writer_init(cuzk_witness_writer *w, cuzk_witness_part part)
{
    w->bits = part.bits;
    w->acc = 0;
    w->n_acc = 0;
    w->fulls = part.fulls;
    w->inputs = part.inputs;
    w->bad = false;
}

/** The low n bits of v, least significant first; n <= 64, bits above n are zero. */
static inline void cuzk_write_bits(cuzk_witness_writer *w, uint64_t v, unsigned n)
{
    w->acc |= v << w->n_acc;
    if (w->n_acc + n >= 64) {
        *w->bits++ = w->acc;
        w->acc = w->n_acc == 0 ? 0 : v >> (64 - w->n_acc);
        w->n_acc = w->n_acc + n - 64;
    } else {
        w->n_acc += n;
    }
}

static inline void cuzk_write_full(cuzk_witness_writer *w, const cuzk_fr *v)
{
    *w->fulls++ = *v;
}

static inline void cuzk_write_input(cuzk_witness_writer *w, const cuzk_fr *v)
{
    *w->inputs++ = *v;
}

/** A node as a full wire; *out (optional) gets its value. Sets w->bad when it is not a field element. */
static inline void cuzk_write_node(cuzk_witness_writer *w, const cuzk_node *n, cuzk_fr *out)
{
    cuzk_fr v = CUZK_FR_ZERO;
    if (!cuzk_fr_from_bytes_le(&v, n->b)) {
        w->bad = true;
    }
    cuzk_write_full(w, &v);
    if (out != NULL) {
        *out = v;
    }
}

/** The 255-bit decomposition (to_bits_le) of a canonical integer. */
static inline void cuzk_write_decomposition(cuzk_witness_writer *w, const cuzk_scalar *s)
{
    cuzk_write_bits(w, s->l[0], 64);
    cuzk_write_bits(w, s->l[1], 64);
    cuzk_write_bits(w, s->l[2], 64);
    cuzk_write_bits(w, s->l[3], 63);
}

/**
 * Stores the bits that are left. E_VANILLA when a node was not a field element, E_SELFTEST when the part
 * (which began at start) was not filled to exactly its last wire.
 */
CUZK_NODISCARD static inline cuzk_status
cuzk_writer_end(cuzk_witness_writer *w, const cuzk_circuit_part *part, cuzk_witness_part start)
{
    const uint64_t n_bits = (uint64_t)(w->bits - start.bits) * 64 + w->n_acc;
    if (w->n_acc > 0) {
        *w->bits = w->acc;
    }
    if (w->bad) {
        return CUZK_E_VANILLA;
    }
    return n_bits == part->n_bits && (uint64_t)(w->fulls - start.fulls) == part->n_fulls &&
                   (uint64_t)(w->inputs - start.inputs) == part->n_inputs
               ? CUZK_OK
               : CUZK_E_SELFTEST;
}

#endif /* CUZK_CIRCUIT_WITNESS_WRITER_H */
