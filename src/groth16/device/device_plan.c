/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* How a call divides the free memory of its device: witnesses at once, points at a time. */
#include "device_stream.h"

#define ALIGN       256u
#define SLICE_UNIT  128u /* half a slice must be whole words of bits */
#define LEAST_SLICE 1024u
#define GOOD_SLICE  ((uint64_t)1 << 22) /* below it sums lose speed: rather fewer witnesses */
#define MOST_BATCH  16u                 /* marks of a queue */

static uint64_t round_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static uint64_t max64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t take(uint64_t *at, uint64_t bytes)
{
    const uint64_t p = *at;
    *at += round_up(bytes, ALIGN);
    return p;
}

static device_slot_layout slot_layout(const cuzk_device_key *k)
{
    device_slot_layout s = {0};
    const uint64_t m = (uint64_t)1 << k->lg;
    uint64_t values = k->points[DEVICE_HL].n;
    values = max64(values, m); /* the quotient writes all of m */
    s.values = take(&s.wide, values * sizeof(cuzk_scalar));
    s.witness = take(&s.wide, cuzk_accel_witness_bytes(k->dc));
    for (int i = 0; i < CUZK_ACCEL_N_SECTIONS; i++) {
        const uint64_t fulls =
            i == CUZK_ACCEL_L ? k->points[DEVICE_L_FULLS].n : k->split[i].n_fulls;
        s.bits[i] = take(&s.narrow, (k->split[i].n_bits + 63) / 64 * sizeof(uint64_t));
        s.scalars[i] = take(&s.narrow, fulls * sizeof(cuzk_scalar));
    }
    return s;
}

static cuzk_status need_of(const cuzk_device_key *k, const cuzk_accel_op *op, uint64_t *most,
                           cuzk_err *err)
{
    cuzk_accel_need need;
    CUZK_TRY(cuzk_accel_plan(k->dev, op, &need, err));
    *most = max64(*most, need.device_bytes);
    return CUZK_OK;
}

cuzk_accel_op device_sum_op(const device_points *p, uint64_t n)
{
    const bool g2 = p->bytes == sizeof(cuzk_g2_affine);
    cuzk_accel_op op = {.kind = g2 ? CUZK_ACCEL_OP_MSM_G2 : CUZK_ACCEL_OP_MSM_G1};
    if (p->teeth != 0) {
        op.kind = g2 ? CUZK_ACCEL_OP_SIGNS_G2 : CUZK_ACCEL_OP_SIGNS_G1;
    } else if (p->bits) {
        op.kind = g2 ? CUZK_ACCEL_OP_BITS_G2 : CUZK_ACCEL_OP_BITS_G1;
    }
    op.u.msm.n = n;
    op.u.msm.teeth = p->teeth;
    op.u.msm.images = p->image_bytes != 0;
    op.u.msm.d_images = NULL;
    return op;
}

/* Workspace of the sums with slices of that many points: whole ones and what is left. */
static cuzk_status sums_work(const cuzk_device_key *k, uint64_t slice, uint64_t *work,
                             cuzk_err *err)
{
    *work = 0;
    for (int a = 0; a < DEVICE_ARRAYS; a++) {
        const device_points *p = &k->points[a];
        const uint64_t step = device_slice_of(p, slice);
        if (k->stream != NULL && !p->resident) {
            continue;
        }
        const cuzk_accel_op whole = device_sum_op(p, p->n < step ? p->n : step);
        const cuzk_accel_op rest = device_sum_op(p, p->n % step);
        CUZK_TRY(need_of(k, &whole, work, err));
        CUZK_TRY(need_of(k, &rest, work, err));
    }
    return CUZK_OK;
}

/* The same for slices of the file, and what they take themselves. */
static cuzk_status slices_need(device_plan *p, const cuzk_device_key *k, cuzk_err *err)
{
    device_slice s = {.section = CUZK_SRS_H};
    p->buffer = p->split = 0;
    while (device_slice_next(&s, k, p->slice)) {
        const cuzk_srs_section section = (cuzk_srs_section)s.section;
        cuzk_accel_op op = device_sum_op(&k->points[device_bits_of(section)],
                                         section == CUZK_SRS_H ? s.n : s.n_bits);
        if (s.sum_bits) {
            CUZK_TRY(need_of(k, &op, &p->work, err));
        }
        if (s.sum_fulls) {
            op = device_sum_op(&k->points[device_fulls_of(section)], s.n_fulls);
            CUZK_TRY(need_of(k, &op, &p->work, err));
        }
        p->buffer = max64(p->buffer, device_slice_input(&s));
        p->split = max64(p->split, device_slice_split(&s));
    }
    p->buffer = round_up(p->buffer, ALIGN);
    p->split = round_up(p->split, ALIGN);
    return CUZK_OK;
}

/* Workspace of everything before the sums. */
static cuzk_status quotient_work(const cuzk_device_key *k, uint64_t *work, cuzk_err *err)
{
    static const cuzk_accel_op_kind kinds[] = {CUZK_ACCEL_OP_WITNESS,  CUZK_ACCEL_OP_EVAL,
                                               CUZK_ACCEL_OP_PRODUCT,  CUZK_ACCEL_OP_TO_COSET,
                                               CUZK_ACCEL_OP_MUL,      CUZK_ACCEL_OP_RESIDUE,
                                               CUZK_ACCEL_OP_QUOTIENT, CUZK_ACCEL_OP_SECTION};
    *work = 0;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        cuzk_accel_op op = {.kind = kinds[i]};
        if (op.kind == CUZK_ACCEL_OP_WITNESS) {
            op.u.witness.circuit = k->dc;
        } else if (op.kind == CUZK_ACCEL_OP_EVAL) {
            op.u.eval.circuit = k->dc;
        } else if (op.kind == CUZK_ACCEL_OP_TO_COSET) {
            op.u.ntt.domain = k->domain;
        } else if (op.kind == CUZK_ACCEL_OP_PRODUCT || op.kind == CUZK_ACCEL_OP_QUOTIENT) {
            op.u.poly.domain = k->domain;
        } else if (op.kind == CUZK_ACCEL_OP_SECTION) {
            op.u.section.circuit = k->dc;
        } else {
            op.u.vec.n = (uint64_t)1 << k->lg;
        }
        CUZK_TRY(need_of(k, &op, work, err));
    }
    return CUZK_OK;
}

static uint64_t buffer_bytes(const cuzk_device_key *k, uint64_t slice)
{
    uint64_t most = 0;
    for (int a = 0; a < DEVICE_ARRAYS; a++) {
        const device_points *p = &k->points[a];
        const uint64_t step = device_slice_of(p, slice);
        if (!p->resident && p->n > 0) {
            most = max64(most, (p->n < step ? p->n : step) * p->bytes);
        }
    }
    return round_up(most, ALIGN);
}

/* Fills in everything but the choice of group and slice. */
static cuzk_status lay_out(device_plan *p, const cuzk_device_key *k, cuzk_err *err)
{
    const uint64_t vectors = 2 * round_up(sizeof(cuzk_fr) << k->lg, ALIGN);
    uint64_t quotient = 0;
    CUZK_TRY(quotient_work(k, &quotient, err));
    CUZK_TRY(sums_work(k, p->slice, &p->work, err));
    p->buffer = buffer_bytes(k, p->slice);
    if (k->stream != NULL) {
        CUZK_TRY(slices_need(p, k, err));
    }
    p->work = round_up(p->work, ALIGN);
    p->vectors = vectors;
    p->quotient_work = round_up(quotient, ALIGN);
    p->scratch = max64(vectors + p->quotient_work, p->work + 2 * p->buffer + p->split);
    p->total = p->group * p->slot.wide + p->batch * p->slot.narrow + p->scratch;
    return CUZK_OK;
}

uint64_t device_plan_longest(const cuzk_device_key *k)
{
    uint64_t most = LEAST_SLICE;
    for (int a = 0; a < DEVICE_ARRAYS; a++) {
        const device_points *p = &k->points[a];
        const uint64_t as_g1 = p->bytes == sizeof(cuzk_g2_affine) ? 2 * p->n : p->n;
        most = max64(most, as_g1);
    }
    return round_up(most, SLICE_UNIT);
}

/* The largest slice, not below least, with which the witnesses fit; 0: none. */
static cuzk_status fit_slice(device_plan *p, const cuzk_device_key *k, uint64_t most,
                             uint64_t least, uint64_t free_bytes, cuzk_err *err)
{
    for (uint64_t s = most;; s = round_up(s / 2, SLICE_UNIT)) {
        s = s < least ? least : s;
        p->slice = s;
        CUZK_TRY(lay_out(p, k, err));
        if (p->total <= free_bytes) {
            return CUZK_OK;
        }
        if (s <= least) {
            p->slice = 0;
            return CUZK_OK;
        }
    }
}

/* Bytes of points that stream: section h once for each group, the others once for each batch. */
static uint64_t traffic(const device_plan *p, const cuzk_device_key *k, uint32_t n)
{
    uint64_t wide = 0, narrow = 0;
    for (int a = 0; a < DEVICE_ARRAYS; a++) {
        const device_points *x = &k->points[a];
        *(a == DEVICE_HL ? &wide : &narrow) += x->resident ? 0 : x->n * x->bytes;
    }
    uint64_t groups = 0;
    for (uint32_t left = n; left > 0;) {
        const uint32_t b = left < p->batch ? left : p->batch;
        groups += (b + p->group - 1) / p->group;
        left -= b;
    }
    return groups * wide + (n + p->batch - 1) / p->batch * narrow;
}

/*
 * Group and batch with the least traffic among those that fit beside p->scratch; of equals those that
 * need the least memory, or with `large` the largest. group 0: not even one fits.
 */
static void choose_counts(device_plan *p, const cuzk_device_key *k, uint32_t n, uint32_t most_group,
                          bool large, uint64_t free_bytes)
{
    device_plan best = {.group = 0};
    uint64_t least = UINT64_MAX;
    for (uint32_t b = 1; b <= n; b++) {
        for (uint32_t g = 1; g <= b && g <= most_group; g++) {
            const uint64_t total = g * p->slot.wide + b * p->slot.narrow + p->scratch;
            device_plan t = *p;
            t.group = g;
            t.batch = b;
            const uint64_t bytes = traffic(&t, k, n);
            if (total <= free_bytes && (bytes < least || (large && bytes == least))) {
                best = t;
                least = bytes;
            }
        }
    }
    p->group = best.group;
    p->batch = best.batch;
}

cuzk_status device_plan_make(device_plan *out, const cuzk_device_key *k, size_t n,
                             uint64_t free_bytes, const cuzk_device_prove_opts *opts, cuzk_err *err)
{
    device_plan p = {.slot = slot_layout(k)};
    uint64_t most = device_plan_longest(k);
    if (k->stream != NULL && most > GOOD_SLICE) {
        most = GOOD_SLICE; /* longer ones gain 3 %, and the first of them takes longer to come */
    }
    if (opts->slice_points != 0 && opts->slice_points < most) {
        most = round_up(opts->slice_points, SLICE_UNIT);
    }
    const uint32_t batch = n < MOST_BATCH ? (uint32_t)n : MOST_BATCH;
    const bool limited = opts->max_group != 0;
    p.slice = most < GOOD_SLICE ? most : GOOD_SLICE;
    const uint64_t good = p.slice;
    CUZK_TRY(lay_out(&p, k, err));
    choose_counts(&p, k, batch, limited ? opts->max_group : batch, limited, free_bytes);
    if (p.group != 0) {
        CUZK_TRY(fit_slice(&p, k, most, good, free_bytes, err));
    } else {
        p.group = p.batch = 1;
        CUZK_TRY(fit_slice(&p, k, good, most < LEAST_SLICE ? most : LEAST_SLICE, free_bytes, err));
    }
    if (p.slice != 0) {
        *out = p;
        return CUZK_OK;
    }
    return CUZK_FAIL(err, CUZK_E_DEV_NOMEM,
                     "a proof needs at least %llu MiB of device memory beside its parameters; %llu "
                     "MiB are free",
                     (unsigned long long)(p.total >> 20), (unsigned long long)(free_bytes >> 20));
}

cuzk_status device_plan_bytes(uint64_t *bytes, const cuzk_device_key *k, uint32_t group,
                              uint32_t batch, uint64_t slice, cuzk_err *err)
{
    const uint64_t most = device_plan_longest(k);
    device_plan p = {.slot = slot_layout(k), .group = group, .batch = batch};
    p.slice = round_up(slice < most ? slice : most, SLICE_UNIT);
    CUZK_TRY(lay_out(&p, k, err));
    *bytes = p.total;
    return CUZK_OK;
}
