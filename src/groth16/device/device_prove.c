/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Proofs on a device. One queue does everything in order: for each witness of a group upload,
 * evaluation and quotient, and their sums with section h; then, for all groups of a batch, sum after
 * sum over the other points. Each part of the points serves the whole group or batch. Parts that are in host memory or in the file come through two buffers in a second queue, one
 * part ahead.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "groth16/cpu/prove_internal.h"

#include "device_stream.h"

/* What ends at a mark. */
typedef enum phase {
    PHASE_START = 0,
    PHASE_UPLOAD,
    PHASE_SECTION,
    PHASE_EVAL_A,
    PHASE_EVAL_B,
    PHASE_MUL_C,
    PHASE_INTT_C,
    PHASE_COSET_A,
    PHASE_COSET_B,
    PHASE_QUOTIENT,
    PHASE_MSM /* + device_array */
} phase;
#define PHASES    ((int)PHASE_MSM + (int)DEVICE_ARRAYS)

#define NO_SLICE  UINT32_MAX
#define SUM_MARKS 48u /* kept for the sums of up to 16 groups and of the other arrays */

/* A part of a sum: points [at, at + n) of an array, which may come in a slice of the file. */
typedef struct step {
    uint8_t array;
    uint32_t slice;
    uint64_t at, n;
} step;

typedef struct run {
    cuzk_device_key *k;
    device_lane *lane;
    const cuzk_device_prove_opts *opts;
    const cuzk_cancel *cancel;
    const cuzk_witness *const *witnesses; /* of the batch */
    device_plan plan;
    uint8_t *d_slots, *d_scratch;
    step *steps;
    uint32_t n_steps, n_wide; /* the first n_wide are of section h */
    device_slice *slices;     /* [n_slices] */
    uint32_t n_slices, n_h_slices;
    cuzk_accel_sum *sums; /* [n_steps * plan.batch] */
    uint32_t n_marks;
    struct {
        uint8_t phase, witness;
        uint32_t mark;
        uint64_t ns;
    } marks[CUZK_ACCEL_MARKS];
    uint32_t first; /* index of the batch's first witness in the call */
    bool pinned;    /* the witnesses are in page-locked memory */
} run;

static cuzk_status mark(run *r, int ph, uint32_t witness, cuzk_err *err)
{
    /* Times are then less fine, but their sum is right: the last sums have marks in any case. */
    if (r->n_marks == CUZK_ACCEL_MARKS ||
        (ph < (int)PHASE_MSM && r->n_marks >= CUZK_ACCEL_MARKS - SUM_MARKS)) {
        return CUZK_OK;
    }
    CUZK_TRY(cuzk_accel_mark(r->lane->q, &r->marks[r->n_marks].mark, err));
    r->marks[r->n_marks].phase = (uint8_t)ph;
    r->marks[r->n_marks].witness = (uint8_t)witness;
    r->n_marks++;
    return CUZK_OK;
}

static cuzk_status check_cancel(const run *r, cuzk_err *err)
{
    if (cuzk_cancel_requested(r->cancel)) {
        return CUZK_FAIL(err, CUZK_E_CANCELLED, "proof cancelled");
    }
    return CUZK_OK;
}

/* Witness i of the batch; wide slots are those of its group. */
static uint8_t *wide(const run *r, uint32_t i, uint64_t offset)
{
    return r->d_slots + (i % r->plan.group) * r->plan.slot.wide + offset;
}

static uint8_t *narrow(const run *r, uint32_t i, uint64_t offset)
{
    return r->d_slots + r->plan.group * r->plan.slot.wide + i * r->plan.slot.narrow + offset;
}

static cuzk_status enqueue(const run *r, const cuzk_accel_op *op, cuzk_err *err)
{
    return cuzk_accel_enqueue(r->lane->q, op, r->d_scratch + r->plan.vectors, r->plan.quotient_work,
                              err);
}

static cuzk_status upload_witness(run *r, uint32_t i, cuzk_err *err)
{
    cuzk_device_key *k = r->k;
    const device_slot_layout *s = &r->plan.slot;
    const cuzk_accel_op up = {.kind = CUZK_ACCEL_OP_WITNESS,
                              .u.witness = {.circuit = k->dc,
                                            .d_out = wide(r, i, s->witness),
                                            .w = r->witnesses[i],
                                            .pinned = r->pinned}};
    CUZK_TRY(enqueue(r, &up, err));
    CUZK_TRY(mark(r, PHASE_UPLOAD, i, err));
    for (int sec = 0; sec < CUZK_ACCEL_N_SECTIONS; sec++) {
        uint8_t *scalars = sec == CUZK_ACCEL_L && k->stream == NULL
                               ? wide(r, i, s->values + (sizeof(cuzk_scalar) << k->lg))
                               : narrow(r, i, s->scalars[sec]);
        const cuzk_accel_op op = {
            .kind = CUZK_ACCEL_OP_SECTION,
            .u.section = {.circuit = k->dc,
                          .d_witness = wide(r, i, s->witness),
                          .section = (cuzk_accel_section)sec,
                          .d_bits = (uint64_t *)(void *)narrow(r, i, s->bits[sec]),
                          .d_scalars = (cuzk_scalar *)(void *)scalars}};
        CUZK_TRY(enqueue(r, &op, err));
    }
    return mark(r, PHASE_SECTION, i, err);
}

static cuzk_status eval(run *r, uint32_t i, cuzk_fr *d_out, cuzk_matrix_id m, cuzk_err *err)
{
    const cuzk_accel_op op = {.kind = CUZK_ACCEL_OP_EVAL,
                              .u.eval = {.circuit = r->k->dc,
                                         .d_witness = wide(r, i, r->plan.slot.witness),
                                         .d_out = d_out,
                                         .n_out = (uint64_t)1 << r->k->lg,
                                         .matrix = m}};
    CUZK_TRY(enqueue(r, &op, err));
    return mark(r, m == CUZK_MATRIX_A ? PHASE_EVAL_A : PHASE_EVAL_B, i, err);
}

static cuzk_status ntt(run *r, cuzk_accel_op_kind kind, cuzk_fr *d_a, const cuzk_fr *shift, int ph,
                       uint32_t i, cuzk_err *err)
{
    const cuzk_accel_op op = {.kind = kind,
                              .u.ntt = {.domain = r->k->domain, .d_a = d_a, .shift = *shift}};
    CUZK_TRY(enqueue(r, &op, err));
    return mark(r, ph, i, err);
}

typedef struct vectors {
    cuzk_fr *a, *b, *c;
} vectors;

static cuzk_status vec(run *r, cuzk_accel_op_kind kind, cuzk_fr *out, const vectors *v, int ph,
                       uint32_t i, cuzk_err *err)
{
    const cuzk_accel_op op = {
        .kind = kind,
        .u.vec = {
            .d_out = out, .d_a = v->a, .d_b = v->b, .d_c = v->c, .n = (uint64_t)1 << r->k->lg}};
    CUZK_TRY(enqueue(r, &op, err));
    return mark(r, ph, i, err);
}

/* PRODUCT to c, or QUOTIENT to b. */
static cuzk_status poly(run *r, cuzk_accel_op_kind kind, const vectors *v, const cuzk_fr *shift,
                        const cuzk_fr *factor, int ph, uint32_t i, cuzk_err *err)
{
    cuzk_scalar *const c = (cuzk_scalar *)(void *)v->c, *const b = (cuzk_scalar *)(void *)v->b;
    const cuzk_accel_op op = {.kind = kind,
                              .u.poly = {.domain = r->k->domain,
                                         .d_out = kind == CUZK_ACCEL_OP_PRODUCT ? c : b,
                                         .d_a = v->a,
                                         .d_b = v->b,
                                         .d_c = c,
                                         .shift = *shift,
                                         .k = *factor}};
    CUZK_TRY(enqueue(r, &op, err));
    return mark(r, ph, i, err);
}

/* As quotient.c: six transforms. The result lies where b was, in the witness's slot. */
static cuzk_status quotient(run *r, uint32_t i, cuzk_err *err)
{
    const cuzk_device_key *k = r->k;
    cuzk_fr *first = (cuzk_fr *)(void *)r->d_scratch;
    const vectors v = {.a = first,
                       .b = (cuzk_fr *)(void *)wide(r, i, r->plan.slot.values),
                       .c = (cuzk_fr *)(void *)(r->d_scratch + r->plan.vectors / 2)};
    cuzk_fr shift = CUZK_FR_GENERATOR, factor;
    CUZK_TRY(eval(r, i, v.a, CUZK_MATRIX_A, err));
    CUZK_TRY(eval(r, i, v.b, CUZK_MATRIX_B, err));
    if (k->quotient == CUZK_QUOTIENT_ODD_COSET) {
        cuzk_fr_root_of_unity(&shift, &CUZK_FR_ROOT_2_32_SNARKJS, k->lg + 1);
        CUZK_TRY(vec(r, CUZK_ACCEL_OP_MUL, v.c, &v, PHASE_MUL_C, i, err));
        CUZK_TRY(ntt(r, CUZK_ACCEL_OP_TO_COSET, v.c, &shift, PHASE_INTT_C, i, err));
        CUZK_TRY(ntt(r, CUZK_ACCEL_OP_TO_COSET, v.a, &shift, PHASE_COSET_A, i, err));
        CUZK_TRY(ntt(r, CUZK_ACCEL_OP_TO_COSET, v.b, &shift, PHASE_COSET_B, i, err));
        return vec(r, CUZK_ACCEL_OP_RESIDUE, v.b, &v, PHASE_QUOTIENT, i, err);
    }
    cuzk_fr_pow_u64(&factor, &shift, (uint64_t)1 << k->lg);
    cuzk_fr_sub(&factor, &factor, &CUZK_FR_ONE);
    cuzk_fr_inv(&factor, &factor);
    CUZK_TRY(poly(r, CUZK_ACCEL_OP_PRODUCT, &v, &shift, &factor, PHASE_INTT_C, i, err));
    CUZK_TRY(ntt(r, CUZK_ACCEL_OP_TO_COSET, v.a, &shift, PHASE_COSET_A, i, err));
    CUZK_TRY(ntt(r, CUZK_ACCEL_OP_TO_COSET, v.b, &shift, PHASE_COSET_B, i, err));
    return poly(r, CUZK_ACCEL_OP_QUOTIENT, &v, &shift, &factor, PHASE_QUOTIENT, i, err);
}

static bool comes_from_file(const cuzk_device_key *k, int array)
{
    return k->stream != NULL && !k->points[array].resident;
}

static void add_steps(run *r, int array)
{
    const device_points *p = &r->k->points[array];
    const uint64_t s = device_slice_of(p, r->plan.slice);
    for (uint64_t at = 0; at < p->n && !comes_from_file(r->k, array); at += s) {
        const step st = {(uint8_t)array, NO_SLICE, at, p->n - at < s ? p->n - at : s};
        r->steps[r->n_steps++] = st;
    }
}

/* One sum or two for each slice of the file, from `first` on: of section h, or of the others. */
static void add_slices(run *r, uint32_t first, bool is_h)
{
    for (uint32_t i = first; i < r->n_slices; i++) {
        const device_slice *s = &r->slices[i];
        if ((s->section == CUZK_SRS_H) != is_h) {
            return;
        }
        const cuzk_srs_section section = (cuzk_srs_section)s->section;
        const bool h = section == CUZK_SRS_H;
        const step bits = {(uint8_t)device_bits_of(section), i, h ? s->first : s->bit,
                           h ? s->n : s->n_bits};
        const step fulls = {(uint8_t)device_fulls_of(section), i, s->full, s->n_fulls};
        if (s->sum_bits) {
            r->steps[r->n_steps++] = bits;
        }
        if (s->sum_fulls) {
            r->steps[r->n_steps++] = fulls;
        }
    }
}

static cuzk_status make_slices(run *r, cuzk_err *err)
{
    device_slice s = {.section = CUZK_SRS_H};
    uint32_t n = 0;
    while (r->k->stream != NULL && device_slice_next(&s, r->k, r->plan.slice)) {
        n++;
    }
    r->slices = cuzk_alloc_zero(n, sizeof(*r->slices));
    if (r->slices == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for %u slices", n);
    }
    s = (device_slice){.section = CUZK_SRS_H};
    for (; r->n_slices < n; r->n_slices++) {
        (void)device_slice_next(&s, r->k, r->plan.slice);
        r->slices[r->n_slices] = s;
    }
    return CUZK_OK;
}

static cuzk_status make_steps(run *r, cuzk_err *err)
{
    CUZK_TRY(make_slices(r, err));
    uint64_t total = 2 * (uint64_t)r->n_slices;
    for (int a = 0; a < DEVICE_ARRAYS; a++) {
        const device_points *p = &r->k->points[a];
        const uint64_t s = device_slice_of(p, r->plan.slice);
        total += comes_from_file(r->k, a) ? 0 : (p->n + s - 1) / s;
    }
    r->steps = cuzk_alloc(total, sizeof(*r->steps));
    r->sums = cuzk_alloc_zero(total * r->plan.batch, sizeof(*r->sums));
    if (r->steps == NULL || r->sums == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for %llu sums", (unsigned long long)total);
    }
    add_steps(r, DEVICE_HL);
    add_slices(r, 0, true);
    r->n_wide = r->n_steps;
    while (r->n_h_slices < r->n_slices && r->slices[r->n_h_slices].section == CUZK_SRS_H) {
        r->n_h_slices++;
    }
    for (int a = DEVICE_HL + 1; a < DEVICE_ARRAYS; a++) {
        add_steps(r, a);
    }
    add_slices(r, r->n_h_slices, false); /* last: the others give time to fetch the first */
    return CUZK_OK;
}

static bool is_streamed(const run *r, uint32_t i)
{
    return !r->k->points[r->steps[i].array].resident;
}

static uint8_t *buffer(const run *r, uint32_t ordinal)
{
    return r->d_scratch + r->plan.work + (ordinal % 2) * r->plan.buffer;
}

/* Sends the points of step i to the buffer of its ordinal, once what is enqueued has let go of it. */
static cuzk_status send(const run *r, uint32_t i, uint32_t ordinal, cuzk_err *err)
{
    const step *s = &r->steps[i];
    const device_points *p = &r->k->points[s->array];
    const cuzk_accel_op op = {.kind = CUZK_ACCEL_OP_UPLOAD,
                              .u.copy = {.d_dst = buffer(r, ordinal),
                                         .src = p->host + s->at * p->bytes,
                                         .bytes = s->n * p->bytes}};
    CUZK_TRY(cuzk_accel_wait(r->lane->copy, r->lane->q, err));
    return cuzk_accel_enqueue(r->lane->copy, &op, NULL, 0, err);
}

/* Witnesses of the batch that a pass over points is for. */
typedef struct some {
    uint32_t first, end;
} some;

static cuzk_status sum_step(run *r, uint32_t i, const uint8_t *d_points, some who, cuzk_err *err)
{
    const step *s = &r->steps[i];
    const device_points *p = &r->k->points[s->array];
    const device_slot_layout *l = &r->plan.slot;
    for (uint32_t w = who.first; w < who.end; w++) {
        cuzk_accel_op op = device_sum_op(p, s->n);
        op.u.msm.d_bases = d_points;
        if (op.u.msm.images) {
            op.u.msm.d_images = p->d_images + s->at * p->image_bytes;
        }
        op.u.msm.sum = &r->sums[(size_t)i * r->plan.batch + w];
        const int sec = s->array == DEVICE_L_BITS || s->array == DEVICE_L_FULLS   ? CUZK_ACCEL_L
                        : s->array == DEVICE_A_BITS || s->array == DEVICE_A_FULLS ? CUZK_ACCEL_A
                                                                                  : CUZK_ACCEL_B;
        if (p->bits) {
            op.u.msm.d_bits =
                (const uint64_t *)(const void *)narrow(r, w, l->bits[sec]) + s->at / 64;
        } else {
            const uint8_t *scalars =
                s->array == DEVICE_HL ? wide(r, w, l->values) : narrow(r, w, l->scalars[sec]);
            op.u.msm.d_scalars = (const cuzk_scalar *)(const void *)scalars + s->at;
        }
        CUZK_TRY(cuzk_accel_enqueue(r->lane->q, &op, r->d_scratch, r->plan.work, err));
    }
    return CUZK_OK;
}

static cuzk_status mark_end(run *r, uint32_t i, cuzk_err *err)
{
    return i + 1 == r->n_steps || r->steps[i + 1].array != r->steps[i].array
               ? mark(r, PHASE_MSM + r->steps[i].array, 0, err)
               : CUZK_OK;
}

/* Steps [i, end), whose points come from the file. */
static cuzk_status sum_slices(run *r, uint32_t i, uint32_t end, some who, cuzk_err *err)
{
    const uint32_t skip = r->steps[i].slice;
    device_feed feed = {.k = r->k,
                        .lane = r->lane,
                        .cancel = r->cancel,
                        .slices = r->slices + skip,
                        .n = r->steps[end - 1].slice + 1 - skip,
                        .d_input = {buffer(r, 0), buffer(r, 1)},
                        .d_split = r->d_scratch + r->plan.work + 2 * r->plan.buffer};
    CUZK_TRY(device_feed_begin(&feed, err));
    for (uint32_t s = 0; s < feed.n; s++) {
        const uint8_t *d_bits = NULL, *d_fulls = NULL;
        CUZK_TRY(device_feed_take(&feed, s, &d_bits, &d_fulls, err));
        for (; i < end && r->steps[i].slice == skip + s; i++) {
            const cuzk_srs_section section = (cuzk_srs_section)feed.slices[s].section;
            const bool fulls = r->steps[i].array == device_fulls_of(section);
            CUZK_TRY(check_cancel(r, err));
            CUZK_TRY(sum_step(r, i, fulls ? d_fulls : d_bits, who, err));
            CUZK_TRY(mark_end(r, i, err));
        }
        CUZK_TRY(device_feed_ahead(&feed, s, err));
    }
    return CUZK_OK;
}

/* Steps [first, end) for some witnesses. */
static cuzk_status sum_steps(run *r, uint32_t first, uint32_t end, some who, cuzk_err *err)
{
    uint32_t ordinal = 0;  /* of the next streamed step */
    uint32_t sent = first; /* first step that may still have to be sent */
    for (uint32_t i = first; i < end; i++) {
        const device_points *p = &r->k->points[r->steps[i].array];
        const uint8_t *d = p->d;
        if (r->steps[i].slice != NO_SLICE) {
            return sum_slices(r, i, end, who, err);
        }
        CUZK_TRY(check_cancel(r, err));
        if (is_streamed(r, i)) {
            if (sent <= i) { /* the first one */
                CUZK_TRY(send(r, i, ordinal, err));
                sent = i + 1;
            }
            d = buffer(r, ordinal++);
            CUZK_TRY(cuzk_accel_wait(r->lane->q, r->lane->copy, err));
            while (sent < end && !is_streamed(r, sent)) {
                sent++;
            }
            if (sent < end) {
                CUZK_TRY(send(r, sent++, ordinal, err));
            }
        } else {
            const uint64_t at = r->steps[i].at; /* a multiple of the teeth */
            d += (p->teeth == 0 ? at : cuzk_accel_comb_points(at, p->teeth)) * p->bytes;
        }
        CUZK_TRY(sum_step(r, i, d, who, err));
        CUZK_TRY(mark_end(r, i, err));
    }
    return CUZK_OK;
}

static cuzk_status enqueue_batch(run *r, uint32_t n, cuzk_err *err)
{
    r->n_marks = 0;
    CUZK_TRY(cuzk_accel_marks_reset(r->lane->q, err));
    CUZK_TRY(mark(r, PHASE_START, 0, err));
    for (some who = {0, 0}; who.first < n; who.first = who.end) {
        const uint32_t left = n - who.first;
        who.end = who.first + (left < r->plan.group ? left : r->plan.group);
        for (uint32_t i = who.first; i < who.end; i++) {
            CUZK_TRY(check_cancel(r, err));
            CUZK_TRY(upload_witness(r, i, err));
            CUZK_TRY(quotient(r, i, err));
        }
        CUZK_TRY(sum_steps(r, 0, r->n_wide, who, err));
    }
    const some all = {0, n};
    return sum_steps(r, r->n_wide, r->n_steps, all, err);
}

static void collect(cuzk_prove_sums *out, const run *r, uint32_t w)
{
    cuzk_g1_set_infinity(&out->h);
    cuzk_g1_set_infinity(&out->l);
    cuzk_g1_set_infinity(&out->a);
    cuzk_g1_set_infinity(&out->b1);
    cuzk_g2_set_infinity(&out->b2);
    cuzk_g1 *const to[DEVICE_ARRAYS] = {&out->h, &out->h,  &out->l, &out->a, &out->b1,
                                        &out->a, &out->b1, NULL,    NULL};
    for (uint32_t i = 0; i < r->n_steps; i++) {
        const device_points *p = &r->k->points[r->steps[i].array];
        cuzk_accel_sum s = r->sums[(size_t)i * r->plan.batch + w];
        cuzk_g1 *sum = to[r->steps[i].array];
        if (p->teeth != 0) { /* signs: of all parts together */
            while (i + 1 < r->n_steps && r->steps[i + 1].array == r->steps[i].array) {
                i++;
                device_add_sum(&s, &r->sums[(size_t)i * r->plan.batch + w]);
            }
            device_half_sum(&s, &p->total);
        }
        if (sum == NULL) {
            cuzk_g2_add(&out->b2, &out->b2, &s.v.g2);
        } else {
            cuzk_g1_add(sum, sum, &s.v.g1);
        }
    }
}

/* Phases in the terms that users know, and what they consist of. */
typedef struct phase_name {
    const char *group, *name;
    size_t group_at, at; /* in cuzk_device_times; at 0: only the group's */
} phase_name;
#define AT(f) offsetof(cuzk_device_times, f)
static const phase_name phase_names[PHASES] = {
    [PHASE_START] = {NULL, NULL, 0, 0},
    [PHASE_UPLOAD] = {"prep_msm", "witness_upload", AT(prep_msm_ns), 0},
    [PHASE_SECTION] = {"prep_msm", "section_values", AT(prep_msm_ns), 0},
    [PHASE_EVAL_A] = {"eval", "eval_a", AT(eval_ns), 0},
    [PHASE_EVAL_B] = {"eval", "eval_b", AT(eval_ns), 0},
    [PHASE_MUL_C] = {"ntt_msm_h", "mul_c", AT(ntt_msm_h_ns), AT(ntt_ns)},
    [PHASE_INTT_C] = {"ntt_msm_h", "intt_c", AT(ntt_msm_h_ns), AT(ntt_ns)},
    [PHASE_COSET_A] = {"ntt_msm_h", "coset_a", AT(ntt_msm_h_ns), AT(ntt_ns)},
    [PHASE_COSET_B] = {"ntt_msm_h", "coset_b", AT(ntt_msm_h_ns), AT(ntt_ns)},
    [PHASE_QUOTIENT] = {"ntt_msm_h", "quotient", AT(ntt_msm_h_ns), AT(ntt_ns)},
    [PHASE_MSM + DEVICE_HL] = {"ntt_msm_h", "msm_h", AT(ntt_msm_h_ns), 0},
    [PHASE_MSM + DEVICE_L_FULLS] = {"tail_msm", "msm_l", AT(tail_msm_ns), 0},
    [PHASE_MSM + DEVICE_L_BITS] = {"batch_add", "bits_l", AT(batch_add_ns), 0},
    [PHASE_MSM + DEVICE_A_BITS] = {"batch_add", "bits_a", AT(batch_add_ns), 0},
    [PHASE_MSM + DEVICE_B1_BITS] = {"batch_add", "bits_b_g1", AT(batch_add_ns), 0},
    [PHASE_MSM + DEVICE_A_FULLS] = {"tail_msm", "msm_a", AT(tail_msm_ns), 0},
    [PHASE_MSM + DEVICE_B1_FULLS] = {"tail_msm", "msm_b_g1", AT(tail_msm_ns), 0},
    [PHASE_MSM + DEVICE_B2_BITS] = {"b_g2_msm", "bits_b_g2", AT(b_g2_msm_ns), 0},
    [PHASE_MSM + DEVICE_B2_FULLS] = {"b_g2_msm", "msm_b_g2", AT(b_g2_msm_ns), 0},
};

static void add_time(cuzk_device_times *t, size_t at, uint64_t ns)
{
    *(uint64_t *)(void *)((uint8_t *)t + at) += ns;
}

static cuzk_span_tags tags_of(const run *r, const uint8_t *witness)
{
    cuzk_span_tags tags = CUZK_SPAN_TAGS_INIT;
    tags.device = r->opts->device;
    if (witness != NULL && r->opts->partitions != NULL) {
        tags.partition = r->opts->partitions[r->first + *witness];
    }
    return tags;
}

/* Spans and times of a batch from its marks. */
static cuzk_status record(run *r, cuzk_device_times *t, cuzk_trace_ctx trace, bool alone,
                          cuzk_err *err)
{
    for (uint32_t i = 0; i < r->n_marks; i++) {
        CUZK_TRY(cuzk_accel_mark_ns(r->lane->q, r->marks[i].mark, &r->marks[i].ns, err));
    }
    const uint64_t begin = r->marks[0].ns, end = r->marks[r->n_marks - 1].ns;
    const uint8_t zero = 0;
    const uint32_t lane = (uint32_t)(r->lane - r->k->lanes);
    const cuzk_span_tags tags = tags_of(r, alone ? &zero : NULL);
    const cuzk_span total = cuzk_trace_add(trace, "gpu_total", &tags, lane, begin, end);
    const cuzk_trace_ctx in = cuzk_trace_in(trace, total);
    t->gpu_total_ns += end - begin;
    for (uint32_t i = 1; i < r->n_marks;) {
        const char *group = phase_names[r->marks[i].phase].group;
        uint32_t j = i;
        while (j < r->n_marks && phase_names[r->marks[j].phase].group == group &&
               r->marks[j].witness == r->marks[i].witness) {
            j++;
        }
        const bool own = r->marks[i].phase < PHASE_MSM || alone;
        const cuzk_span_tags wt = tags_of(r, own ? &r->marks[i].witness : NULL);
        const cuzk_span g =
            cuzk_trace_add(in, group, &wt, lane, r->marks[i - 1].ns, r->marks[j - 1].ns);
        for (; i < j; i++) {
            const phase_name *p = &phase_names[r->marks[i].phase];
            const uint64_t ns = r->marks[i].ns - r->marks[i - 1].ns;
            (void)cuzk_trace_add(cuzk_trace_in(in, g), p->name, &wt, lane, r->marks[i - 1].ns,
                                 r->marks[i].ns);
            add_time(t, p->group_at, ns);
            if (p->at != 0) {
                add_time(t, p->at, ns);
            }
        }
    }
    return CUZK_OK;
}

/* Everything that is enqueued must be over before memory is given back. */
static void drain(run *r)
{
    cuzk_ignore(cuzk_accel_sync(r->lane->copy, NULL));
    cuzk_ignore(cuzk_accel_sync(r->lane->q, NULL));
}

static cuzk_status prove_batch(run *r, cuzk_prove_sums *sums, uint32_t n, cuzk_device_times *t,
                               cuzk_trace_ctx trace, cuzk_err *err)
{
    CUZK_TRY(device_stream_check(r->k, err));
    cuzk_status st = enqueue_batch(r, n, err);
    if (st == CUZK_OK) {
        st = cuzk_accel_sync(r->lane->copy, err);
    }
    if (st == CUZK_OK) {
        st = cuzk_accel_sync(r->lane->q, err);
    }
    if (st != CUZK_OK) {
        drain(r);
        return device_stream_failure(r->k, st, err);
    }
    CUZK_TRY(device_stream_check(r->k, err));
    CUZK_TRY(record(r, t, trace, n == 1, err));
    t->groups += (n + r->plan.group - 1) / r->plan.group;
    for (uint32_t i = 0; i < n; i++) {
        collect(&sums[i], r, i);
    }
    return CUZK_OK;
}

/* A lane for the call, waiting for one; no span is open meanwhile. */
static device_lane *take_lane(cuzk_device_key *k)
{
    device_lane *lane = NULL;
    (void)pthread_mutex_lock(&k->lock);
    for (;;) {
        for (uint32_t i = 0; i < k->n_lanes && lane == NULL; i++) {
            lane = k->lanes[i].busy ? NULL : &k->lanes[i];
        }
        if (lane != NULL) {
            break;
        }
        (void)pthread_cond_wait(&k->lane_free, &k->lock);
    }
    lane->busy = true;
    (void)pthread_mutex_unlock(&k->lock);
    return lane;
}

static void give_lane(cuzk_device_key *k, device_lane *lane)
{
    (void)pthread_mutex_lock(&k->lock);
    lane->busy = false;
    (void)pthread_cond_signal(&k->lane_free);
    (void)pthread_mutex_unlock(&k->lock);
}

/* The memory of a call. Free memory may be in pieces: then a smaller plan is tried. */
static cuzk_status take_memory(run *r, size_t n, cuzk_err *err)
{
    cuzk_accel_props props;
    cuzk_accel_get_props(r->k->dev, &props);
    uint64_t free_bytes = props.memory_free;
    for (int attempt = 0;; attempt++) {
        void *d = NULL;
        CUZK_TRY(device_plan_make(&r->plan, r->k, n, free_bytes, r->opts, err));
        const cuzk_status st = cuzk_accel_alloc(r->k->dev, &d, r->plan.total, err);
        if (st == CUZK_OK) {
            r->d_slots = d;
            r->d_scratch = r->d_slots + (r->plan.total - r->plan.scratch);
            return CUZK_OK;
        }
        if (st != CUZK_E_DEV_NOMEM || attempt == 4) {
            return st;
        }
        free_bytes = r->plan.total - r->plan.total / 8;
    }
}

static cuzk_status prove_locked(run *r, cuzk_prove_sums *sums, size_t n, cuzk_device_times *t,
                                cuzk_trace_ctx trace, cuzk_err *err)
{
    const cuzk_witness *const *all = r->witnesses;
    cuzk_status st = CUZK_OK;
    CUZK_TRY(take_memory(r, n, err));
    CUZK_TRY_GOTO(st, make_steps(r, err));
    for (size_t at = 0; at < n; at += r->plan.batch) {
        const uint32_t b = n - at < r->plan.batch ? (uint32_t)(n - at) : r->plan.batch;
        r->witnesses = all + at;
        r->first = (uint32_t)at;
        CUZK_TRY_GOTO(st, prove_batch(r, sums + at, b, t, trace, err));
    }
out:
    cuzk_accel_free(r->k->dev, r->d_slots);
    cuzk_free(r->steps);
    cuzk_free(r->slices);
    cuzk_free(r->sums);
    return st;
}

static cuzk_status assemble_all(cuzk_proof *out, const cuzk_device_key *k, size_t n,
                                const cuzk_prove_sums *sums, const cuzk_device_prove_opts *opts,
                                cuzk_err *err)
{
    for (size_t i = 0; i < n; i++) {
        CUZK_TRY(cuzk_prove_assemble(&out[i], &sums[i], &k->vk,
                                     opts->r != NULL ? &opts->r[i] : NULL,
                                     opts->s != NULL ? &opts->s[i] : NULL, err));
    }
    return CUZK_OK;
}

static void add_times(cuzk_device_times *sum, const cuzk_device_times *t)
{
    static const size_t fields[] = {
        AT(prep_msm_ns), AT(eval_ns),     AT(ntt_msm_h_ns), AT(ntt_ns),      AT(batch_add_ns),
        AT(tail_msm_ns), AT(b_g2_msm_ns), AT(gpu_total_ns), AT(assemble_ns), AT(total_ns)};
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        add_time(sum, fields[i], *(const uint64_t *)(const void *)((const uint8_t *)t + fields[i]));
    }
    sum->groups += t->groups;
}

cuzk_status cuzk_device_prove(cuzk_device_key *k, cuzk_proof *out, size_t n,
                              const cuzk_witness *const *witnesses,
                              const cuzk_device_prove_opts *opts, const cuzk_cancel *cancel,
                              cuzk_err *err)
{
    static const cuzk_device_prove_opts defaults = {.device = CUZK_TRACE_NONE};
    cuzk_device_times t = {0};
    cuzk_status st = CUZK_OK;
    cuzk_witness *stage = NULL;
    const cuzk_witness *staged;
    const uint64_t start = cuzk_clock_ns();
    opts = opts != NULL ? opts : &defaults;
    for (size_t i = 0; i < n; i++) {
        if (witnesses[i]->circuit != k->circuit) {
            return CUZK_FAIL(err, CUZK_E_INVALID, "witness %zu is of another circuit than the key",
                             i);
        }
    }
    if (n == 0) {
        return CUZK_OK;
    }
    run *r = cuzk_alloc_zero(1, sizeof(*r));
    cuzk_prove_sums *sums = cuzk_alloc(n, sizeof(*sums));
    cuzk_proof *proofs = cuzk_alloc(n, sizeof(*proofs));
    cuzk_span span = 0;
    if (r == NULL || sums == NULL || proofs == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for %zu proofs", n);
        goto out;
    }
    r->k = k;
    r->opts = opts;
    r->cancel = cancel;
    r->witnesses = witnesses;
    r->pinned = opts->pinned;
    st = CUZK_OK;
    if (n == 1 && !opts->pinned) {
        span = cuzk_span_begin(opts->trace, "stage_witness", NULL);
        st = device_stage_take(&stage, k, witnesses[0], opts->pool, err);
        cuzk_span_end(opts->trace, span, 0);
        staged = stage;
        r->pinned = stage != NULL;
        r->witnesses = r->pinned ? &staged : witnesses;
    }
    if (st == CUZK_OK) {
        r->lane = take_lane(k);
        span = cuzk_span_begin(opts->trace, "prove", NULL);
        st = prove_locked(r, sums, n, &t, cuzk_trace_in(opts->trace, span), err);
        cuzk_span_end(opts->trace, span, 0);
        give_lane(k, r->lane);
    }
    cuzk_device_witness_give(k, stage);
    if (st == CUZK_OK) {
        const uint64_t t0 = cuzk_clock_ns();
        span = cuzk_span_begin(opts->trace, "assemble", NULL);
        st = assemble_all(proofs, k, n, sums, opts, err);
        cuzk_span_end(opts->trace, span, 0);
        t.assemble_ns = cuzk_clock_ns() - t0;
    }
    if (st == CUZK_OK) {
        memcpy(out, proofs, n * sizeof(*proofs));
        t.total_ns = cuzk_clock_ns() - start;
        if (opts->times != NULL) {
            add_times(opts->times, &t);
        }
    }
out:
    cuzk_free(r);
    cuzk_free(sums);
    cuzk_free(proofs);
    return st;
}
