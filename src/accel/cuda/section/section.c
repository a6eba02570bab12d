/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Classification of the sections' points, on the host and from there to the device. */
#include "section.h"

#include <string.h>

#include "accel/cuda/r1cs/circuit_internal.h"
#include "base/alloc.h"

#include "section_internal.h"

struct cuzk_cuda_sections {
    cuzk_cuda_class dev[CUZK_SRS_WIRE_SETS];
    cuzk_cuda_class host[CUZK_SRS_WIRE_SETS]; /* pointers to be freed */
    cuzk_cuda_places places;
};

static bool get_bit(const uint64_t *bits, uint64_t i)
{
    return (bits[i / 64] >> (i % 64) & 1) != 0;
}

/* Which aux wires of a part a section has; NULL: all. */
static const uint64_t *density(const cuzk_circuit_part *p, cuzk_srs_section wires, bool all_wires)
{
    return all_wires || wires == CUZK_SRS_L ? NULL : wires == CUZK_SRS_A ? p->a_dense : p->b_dense;
}

static void count_part(cuzk_cuda_class_part *out, const cuzk_circuit_part *p, const uint64_t *dense)
{
    memset(out, 0, sizeof(*out));
    if (dense == NULL) {
        out->n_points = (uint32_t)p->n_aux;
        out->n_fulls = (uint32_t)p->n_fulls;
    } else {
        for (uint64_t i = 0; i < (p->n_aux + 63) / 64; i++) {
            out->n_points += (uint32_t)__builtin_popcountll(dense[i]);
            out->n_fulls += (uint32_t)__builtin_popcountll(dense[i] & p->is_full[i]);
        }
    }
    out->n_bits = out->n_points - out->n_fulls;
}

/* Counts, and whether lists are needed; all pointers NULL. */
static void count_class(cuzk_cuda_class *out, const cuzk_circuit *c, cuzk_srs_section wires,
                        bool all_wires)
{
    memset(out, 0, sizeof(*out));
    count_part(&out->part[0], &c->preamble, density(&c->preamble, wires, all_wires));
    count_part(&out->part[1], &c->block, density(&c->block, wires, all_wires));
    if (wires != CUZK_SRS_L) {
        const bool every = all_wires || wires == CUZK_SRS_A;
        out->n_inputs = (uint32_t)(every ? c->n_inputs : c->b_input_density);
    }
}

static bool has_ranks(const cuzk_circuit_part *p, cuzk_srs_section wires, bool all_wires)
{
    return density(p, wires, all_wires) != NULL;
}

static bool has_inputs(cuzk_srs_section wires, bool all_wires)
{
    return wires == CUZK_SRS_B_G1 && !all_wires;
}

/* Device memory, in one order for size and use. */
static void take_class(cuzk_cuda_class *x, cuzk_cuda_arena *a, const cuzk_circuit *c,
                       cuzk_srs_section wires, bool all_wires)
{
    for (unsigned i = 0; i < 2; i++) {
        cuzk_cuda_class_part *p = &x->part[i];
        const uint64_t words = ((uint64_t)p->n_points + 63) / 64;
        p->is_full = cuzk_cuda_arena_take(a, words * sizeof(*p->is_full));
        p->full_before = cuzk_cuda_arena_take(a, words * sizeof(*p->full_before));
        if (has_ranks(i == 0 ? &c->preamble : &c->block, wires, all_wires)) {
            p->bit_rank = cuzk_cuda_arena_take(a, p->n_bits * sizeof(*p->bit_rank));
            p->full_rank = cuzk_cuda_arena_take(a, p->n_fulls * sizeof(*p->full_rank));
        }
    }
    if (has_inputs(wires, all_wires)) {
        x->input = cuzk_cuda_arena_take(a, x->n_inputs * sizeof(*x->input));
    }
}

uint64_t cuzk_cuda_sections_bytes(const cuzk_circuit *c, bool all_wires)
{
    cuzk_cuda_arena a = {NULL, 0};
    for (unsigned i = 0; i < CUZK_SRS_WIRE_SETS; i++) {
        cuzk_cuda_class x;
        count_class(&x, c, cuzk_srs_of_wire_set(i), all_wires);
        take_class(&x, &a, c, cuzk_srs_of_wire_set(i), all_wires);
    }
    return a.used;
}

static bool fill_part(cuzk_cuda_class_part *out, const cuzk_circuit_part *p, const uint64_t *dense)
{
    const size_t words = ((size_t)out->n_points + 63) / 64;
    uint64_t *is_full = cuzk_alloc_zero(words, sizeof(*is_full));
    uint32_t *before = cuzk_alloc(words, sizeof(*before));
    uint32_t *bit_rank = NULL, *full_rank = NULL;
    uint32_t at = 0, bit = 0, full = 0, n_bits = 0, n_fulls = 0;
    out->is_full = is_full;
    out->full_before = before;
    if (dense != NULL) {
        out->bit_rank = bit_rank = cuzk_alloc(out->n_bits, sizeof(*bit_rank));
        out->full_rank = full_rank = cuzk_alloc(out->n_fulls, sizeof(*full_rank));
    }
    if (is_full == NULL || before == NULL ||
        (dense != NULL && (bit_rank == NULL || full_rank == NULL))) {
        return false;
    }
    for (uint64_t i = 0; i < p->n_aux; i++) {
        const bool f = get_bit(p->is_full, i);
        if (dense == NULL || get_bit(dense, i)) {
            if (at % 64 == 0) {
                before[at / 64] = n_fulls;
            }
            if (f) {
                is_full[at / 64] |= (uint64_t)1 << (at % 64);
                if (full_rank != NULL) {
                    full_rank[n_fulls] = full;
                }
                n_fulls++;
            } else {
                if (bit_rank != NULL) {
                    bit_rank[n_bits] = bit;
                }
                n_bits++;
            }
            at++;
        }
        if (f) {
            full++;
        } else {
            bit++;
        }
    }
    return true;
}

static bool fill_class(cuzk_cuda_class *x, const cuzk_circuit *c, cuzk_srs_section wires,
                       bool all_wires)
{
    if (!fill_part(&x->part[0], &c->preamble, density(&c->preamble, wires, all_wires)) ||
        !fill_part(&x->part[1], &c->block, density(&c->block, wires, all_wires))) {
        return false;
    }
    if (has_inputs(wires, all_wires)) {
        uint32_t *input = cuzk_alloc(x->n_inputs, sizeof(*input));
        uint32_t n = 0;
        x->input = input;
        if (input == NULL) {
            return false;
        }
        for (uint32_t i = 0; i < c->n_inputs; i++) {
            if (get_bit(c->b_input_dense, i)) {
                input[n++] = i;
            }
        }
    }
    return true;
}

static cuzk_status put(cuzk_cuda_queue *q, const void *d_dst, const void *src, uint64_t bytes,
                       cuzk_err *err)
{
    return src == NULL ? CUZK_OK : cuzk_cuda_upload(q, (void *)(uintptr_t)d_dst, src, bytes, err);
}

static cuzk_status put_class(const cuzk_cuda_class *d, const cuzk_cuda_class *h, cuzk_cuda_queue *q,
                             cuzk_err *err)
{
    for (unsigned i = 0; i < 2; i++) {
        const cuzk_cuda_class_part *x = &d->part[i], *y = &h->part[i];
        const uint64_t words = ((uint64_t)x->n_points + 63) / 64;
        CUZK_TRY(put(q, x->is_full, y->is_full, words * sizeof(*x->is_full), err));
        CUZK_TRY(put(q, x->full_before, y->full_before, words * sizeof(*x->full_before), err));
        CUZK_TRY(put(q, x->bit_rank, y->bit_rank, x->n_bits * sizeof(*x->bit_rank), err));
        CUZK_TRY(put(q, x->full_rank, y->full_rank, x->n_fulls * sizeof(*x->full_rank), err));
    }
    return put(q, d->input, h->input, d->n_inputs * sizeof(*d->input), err);
}

static void free_const(const void *p)
{
    cuzk_free((void *)(uintptr_t)p);
}

void cuzk_cuda_sections_destroy(cuzk_cuda_sections *s)
{
    if (s == NULL) {
        return;
    }
    for (unsigned i = 0; i < CUZK_SRS_WIRE_SETS; i++) {
        for (unsigned k = 0; k < 2; k++) {
            const cuzk_cuda_class_part *p = &s->host[i].part[k];
            free_const(p->is_full);
            free_const(p->full_before);
            free_const(p->bit_rank);
            free_const(p->full_rank);
        }
        free_const(s->host[i].input);
    }
    cuzk_free(s);
}

/* The device alone needs the lists of ranks. */
static void drop_ranks(cuzk_cuda_class *h)
{
    for (unsigned k = 0; k < 2; k++) {
        free_const(h->part[k].bit_rank);
        free_const(h->part[k].full_rank);
        h->part[k].bit_rank = h->part[k].full_rank = NULL;
    }
}

cuzk_status cuzk_cuda_sections_create(cuzk_cuda_sections **out, cuzk_cuda_queue *q,
                                      const cuzk_circuit *c, bool all_wires, void *d_mem,
                                      cuzk_err *err)
{
    cuzk_cuda_arena a = {d_mem, 0};
    cuzk_status st = CUZK_OK;
    cuzk_cuda_sections *s = cuzk_alloc_zero(1, sizeof(*s));
    if (s == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the classes of wires");
    }
    const uint64_t n_words = (c->preamble.n_bits + 63) / 64 + c->n_blocks * c->bit_stride;
    s->places.preamble_words = (c->preamble.n_bits + 63) / 64;
    s->places.bit_stride = c->bit_stride;
    s->places.elements = cuzk_cuda_bitmap_bytes(n_words);
    s->places.n_inputs = (uint32_t)c->n_inputs;
    s->places.n_fulls = (uint32_t)c->preamble.n_fulls;
    s->places.block_fulls = (uint32_t)c->block.n_fulls;
    s->places.n_blocks = (uint32_t)c->n_blocks;
    for (unsigned i = 0; i < CUZK_SRS_WIRE_SETS; i++) {
        const cuzk_srs_section wires = cuzk_srs_of_wire_set(i);
        count_class(&s->dev[i], c, wires, all_wires);
        s->host[i] = s->dev[i];
        take_class(&s->dev[i], &a, c, wires, all_wires);
        if (!fill_class(&s->host[i], c, wires, all_wires)) {
            st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the classes of wires");
            goto out;
        }
        CUZK_TRY_GOTO(st, put_class(&s->dev[i], &s->host[i], q, err));
        drop_ranks(&s->host[i]);
    }
    *out = s;
    return CUZK_OK;
out:
    cuzk_cuda_sections_destroy(s);
    return st;
}

uint64_t cuzk_cuda_sections_count(const cuzk_cuda_sections *s, cuzk_srs_section wires)
{
    const cuzk_cuda_class *x = &s->host[cuzk_srs_wire_set(wires)];
    return x->n_inputs + x->part[0].n_points + (uint64_t)s->places.n_blocks * x->part[1].n_points;
}

uint64_t cuzk_cuda_sections_bits(const cuzk_cuda_sections *s, cuzk_srs_section wires)
{
    const cuzk_cuda_class *x = &s->host[cuzk_srs_wire_set(wires)];
    return x->part[0].n_bits + (uint64_t)s->places.n_blocks * x->part[1].n_bits;
}

/* Bits among the first i points of a part. */
static uint64_t bits_within(const cuzk_cuda_class_part *p, uint64_t i)
{
    if (i == p->n_points) {
        return p->n_bits;
    }
    const uint64_t below = p->is_full[i / 64] & (((uint64_t)1 << (i % 64)) - 1);
    return i - p->full_before[i / 64] - (uint64_t)__builtin_popcountll(below);
}

uint64_t cuzk_cuda_sections_bits_before(const cuzk_cuda_sections *s, cuzk_srs_section wires,
                                        uint64_t at)
{
    const cuzk_cuda_class *x = &s->host[cuzk_srs_wire_set(wires)];
    if (at <= x->n_inputs) {
        return 0;
    }
    at -= x->n_inputs;
    if (at <= x->part[0].n_points) {
        return bits_within(&x->part[0], at);
    }
    at -= x->part[0].n_points;
    const uint64_t k = at / x->part[1].n_points;
    return x->part[0].n_bits + k * x->part[1].n_bits +
           bits_within(&x->part[1], at - k * x->part[1].n_points);
}

cuzk_status cuzk_cuda_sections_gather_bits(const cuzk_cuda_sections *s, cuzk_cuda_queue *q,
                                           const void *d_witness, cuzk_srs_section wires,
                                           uint64_t *d_bits, cuzk_err *err)
{
    return cuzk_cuda_class_gather_bits(&s->dev[cuzk_srs_wire_set(wires)], &s->places, q, d_witness,
                                       (uint32_t)cuzk_cuda_sections_bits(s, wires), d_bits, err);
}

cuzk_status cuzk_cuda_sections_gather_fulls(const cuzk_cuda_sections *s, cuzk_cuda_queue *q,
                                            const void *d_witness, cuzk_srs_section wires,
                                            cuzk_scalar *d_scalars, cuzk_err *err)
{
    const uint64_t n = cuzk_cuda_sections_count(s, wires) - cuzk_cuda_sections_bits(s, wires);
    return cuzk_cuda_class_gather_fulls(&s->dev[cuzk_srs_wire_set(wires)], &s->places, q, d_witness,
                                        (uint32_t)n, d_scalars, err);
}

static cuzk_status split(const cuzk_cuda_sections *s, cuzk_cuda_queue *q, cuzk_srs_section wires,
                         uint32_t quads, uint64_t first, uint64_t n, void *d_bit_points,
                         void *d_full_points, const void *d_points, cuzk_err *err)
{
    const uint64_t count = cuzk_cuda_sections_count(s, wires);
    if (first > count || n > count - first) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "points %llu + %llu of a section of %llu",
                         (unsigned long long)first, (unsigned long long)n,
                         (unsigned long long)count);
    }
    const uint64_t bits = cuzk_cuda_sections_bits_before(s, wires, first);
    return cuzk_cuda_class_split(&s->dev[cuzk_srs_wire_set(wires)], q, quads, (uint32_t)first,
                                 (uint32_t)n, (uint32_t)bits, (uint32_t)(first - bits),
                                 d_bit_points, d_full_points, d_points, err);
}

cuzk_status cuzk_cuda_sections_split_g1(const cuzk_cuda_sections *s, cuzk_cuda_queue *q,
                                        cuzk_srs_section wires, uint64_t first, uint64_t n,
                                        cuzk_g1_affine *d_bit_points, cuzk_g1_affine *d_full_points,
                                        const cuzk_g1_affine *d_points, cuzk_err *err)
{
    return split(s, q, wires, sizeof(*d_points) / 16, first, n, d_bit_points, d_full_points,
                 d_points, err);
}

cuzk_status cuzk_cuda_sections_split_g2(const cuzk_cuda_sections *s, cuzk_cuda_queue *q,
                                        cuzk_srs_section wires, uint64_t first, uint64_t n,
                                        cuzk_g2_affine *d_bit_points, cuzk_g2_affine *d_full_points,
                                        const cuzk_g2_affine *d_points, cuzk_err *err)
{
    return split(s, q, wires, sizeof(*d_points) / 16, first, n, d_bit_points, d_full_points,
                 d_points, err);
}
