/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Circuit and witness on the CPU device, and sections split by the class of their wires. */
#include <string.h>

#include "base/alloc.h"

#include "cpu_internal.h"

/* Visits the wires of a section in the order of its points. */
typedef struct wire {
    bool is_full;
    bool bit;             /* value of a bit wire */
    const cuzk_fr *value; /* of a full wire; NULL without a witness */
} wire;
typedef void (*wire_fn)(void *arg, const wire *w);

static void visit_part(const cuzk_circuit_part *p, const uint64_t *dense,
                       const cuzk_witness_part *values, wire_fn fn, void *arg)
{
    uint64_t bit = 0, full = 0;
    for (uint64_t i = 0; i < p->n_aux; i++) {
        wire w = {.is_full = cpu_bit(p->is_full, i)};
        const uint64_t rank = w.is_full ? full++ : bit++;
        if (dense != NULL && !cpu_bit(dense, i)) {
            continue;
        }
        if (values != NULL) {
            w.value = w.is_full ? &values->fulls[rank] : NULL;
            w.bit = !w.is_full && cpu_bit(values->bits, rank);
        }
        fn(arg, &w);
    }
}

static void visit_section(const cuzk_circuit *c, bool all_wires, cuzk_srs_section s,
                          const cuzk_witness *w, wire_fn fn, void *arg)
{
    const bool all = all_wires || s == CUZK_SRS_L;
    for (uint64_t i = 0; s != CUZK_SRS_L && i < c->n_inputs; i++) {
        if (all_wires || s == CUZK_SRS_A || cpu_bit(c->b_input_dense, i)) {
            const wire input = {.is_full = true, .value = w != NULL ? &w->inputs[i] : NULL};
            fn(arg, &input);
        }
    }
    for (uint64_t k = 0; k <= c->n_blocks; k++) {
        const cuzk_circuit_part *p = k == 0 ? &c->preamble : &c->block;
        const uint64_t *dense = all ? NULL : s == CUZK_SRS_A ? p->a_dense : p->b_dense;
        if (w == NULL) {
            visit_part(p, dense, NULL, fn, arg);
            continue;
        }
        const cuzk_witness_part v =
            k == 0 ? cuzk_witness_preamble(w) : cuzk_witness_block(w, k - 1);
        visit_part(p, dense, &v, fn, arg);
    }
}

static void count_wire(void *arg, const wire *w)
{
    cpu_section *s = arg;
    s->n_points++;
    s->n_fulls += w->is_full;
}

static void class_wire(void *arg, const wire *w)
{
    cpu_section *s = arg;
    const uint64_t i = s->n_points++;
    if (i % 64 == 0) {
        s->is_full[i / 64] = 0;
        s->full_before[i / 64] = s->n_fulls;
    }
    s->is_full[i / 64] |= (uint64_t)w->is_full << (i % 64);
    s->n_fulls += w->is_full;
    s->full_before[i / 64 + 1] = s->n_fulls;
}

cuzk_status cpu_circuit_create(cuzk_accel_circuit **out, cuzk_accel_queue *q, const cuzk_circuit *c,
                               bool all_wires, cuzk_err *err)
{
    cpu_circuit *cc = cuzk_alloc_zero(1, sizeof(*cc));
    if (cc == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a circuit");
    }
    cc->base.dev = q->dev;
    cc->base.circuit = c;
    cc->base.all_wires = all_wires;
    for (unsigned i = 0; i < CUZK_SRS_WIRE_SETS; i++) {
        const cuzk_srs_section s = cuzk_srs_of_wire_set(i);
        cpu_section *sec = &cc->section[i];
        visit_section(c, all_wires, s, NULL, count_wire, sec);
        const uint64_t words = (sec->n_points + 63) / 64;
        sec->is_full = cuzk_alloc_zero(words + 1, sizeof(*sec->is_full));
        sec->full_before = cuzk_alloc_zero(words + 1, sizeof(*sec->full_before));
        if (sec->is_full == NULL || sec->full_before == NULL) {
            cpu_circuit_destroy(&cc->base, q);
            return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the wires of a section");
        }
        sec->n_points = sec->n_fulls = 0;
        visit_section(c, all_wires, s, NULL, class_wire, sec);
    }
    *out = &cc->base;
    return CUZK_OK;
}

void cpu_circuit_destroy(cuzk_accel_circuit *c, cuzk_accel_queue *q)
{
    cpu_circuit *cc = (cpu_circuit *)(void *)c;
    (void)q;
    for (int s = 0; s < CUZK_SRS_WIRE_SETS; s++) {
        cuzk_free(cc->section[s].is_full);
        cuzk_free(cc->section[s].full_before);
    }
    cuzk_free(cc);
}

static uint64_t bit_words(const cuzk_circuit *c)
{
    return (c->preamble.n_bits + 63) / 64 + c->n_blocks * c->bit_stride;
}

uint64_t cpu_witness_bytes(const cuzk_accel_circuit *c)
{
    const cuzk_circuit *ci = c->circuit;
    return (ci->n_inputs + ci->n_fulls) * sizeof(cuzk_fr) + bit_words(ci) * sizeof(uint64_t);
}

cuzk_witness cpu_witness_view(const cuzk_circuit *c, const void *d_witness)
{
    cuzk_fr *inputs = (cuzk_fr *)(uintptr_t)d_witness;
    cuzk_fr *fulls = inputs + c->n_inputs;
    const cuzk_witness w = {.circuit = c,
                            .inputs = inputs,
                            .fulls = fulls,
                            .bits = (uint64_t *)(void *)(fulls + c->n_fulls),
                            .n_bit_words = bit_words(c)};
    return w;
}

void cpu_witness_store(const cuzk_circuit *c, void *d_out, const cuzk_witness *w)
{
    const cuzk_witness v = cpu_witness_view(c, d_out);
    memcpy(v.inputs, w->inputs, c->n_inputs * sizeof(cuzk_fr));
    if (c->n_fulls > 0) {
        memcpy(v.fulls, w->fulls, c->n_fulls * sizeof(cuzk_fr));
    }
    if (v.n_bit_words > 0) {
        memcpy(v.bits, w->bits, v.n_bit_words * sizeof(uint64_t));
    }
}

void cpu_section_split(const cuzk_accel_circuit *c, cuzk_srs_section s, cuzk_accel_split *out)
{
    const cpu_section *sec = &((const cpu_circuit *)(const void *)c)->section[cuzk_srs_wire_set(s)];
    out->n_points = sec->n_points;
    out->n_fulls = sec->n_fulls;
    out->n_bits = sec->n_points - sec->n_fulls;
}

void cpu_section_slots(const cuzk_accel_circuit *c, cuzk_srs_section s, uint64_t i,
                       uint64_t *bit_slots, uint64_t *full_slots)
{
    const cpu_section *sec = &((const cpu_circuit *)(const void *)c)->section[cuzk_srs_wire_set(s)];
    uint64_t full = sec->full_before[i / 64];
    if (i % 64 != 0) {
        const uint64_t below = sec->is_full[i / 64] & (((uint64_t)1 << (i % 64)) - 1);
        full += (uint64_t)__builtin_popcountll(below);
    }
    *full_slots = full;
    *bit_slots = i - full;
}

typedef struct value_sink {
    uint64_t *bits;
    cuzk_scalar *scalars;
    uint64_t n_bits, n_fulls;
} value_sink;

static void take_value(void *arg, const wire *w)
{
    value_sink *v = arg;
    if (w->is_full) {
        if (v->scalars != NULL) {
            cuzk_fr_to_scalar(&v->scalars[v->n_fulls++], w->value);
        }
        return;
    }
    if (v->bits == NULL) {
        return;
    }
    const uint64_t i = v->n_bits++;
    if (i % 64 == 0) {
        v->bits[i / 64] = 0;
    }
    v->bits[i / 64] |= (uint64_t)w->bit << (i % 64);
}

void cpu_section_values(const cpu_circuit *c, cuzk_srs_section s, const cuzk_witness *w,
                        uint64_t *bits, cuzk_scalar *scalars)
{
    value_sink v = {.bits = bits, .scalars = scalars};
    visit_section(c->base.circuit, c->base.all_wires, s, w, take_value, &v);
}

void cpu_split_points(const cuzk_accel_op *op, size_t point_bytes)
{
    const cpu_circuit *c = (const cpu_circuit *)(const void *)op->u.split.circuit;
    const cpu_section *sec = &c->section[cuzk_srs_wire_set(op->u.split.section)];
    const uint8_t *in = op->u.split.d_points;
    uint64_t bit, full;
    cpu_section_slots(op->u.split.circuit, op->u.split.section, op->u.split.first, &bit, &full);
    bit -= op->u.split.bit_slot;
    full -= op->u.split.full_slot;
    for (uint64_t i = 0; i < op->u.split.n; i++) {
        uint8_t *to = cpu_bit(sec->is_full, op->u.split.first + i)
                          ? (uint8_t *)op->u.split.d_fulls + full++ * point_bytes
                          : (uint8_t *)op->u.split.d_bits + bit++ * point_bytes;
        memcpy(to, in + i * point_bytes, point_bytes);
    }
}
