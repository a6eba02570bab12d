/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Proofs on a device. One queue does everything in order. Phase h: for each witness of a group upload, evaluation
 * and quotient, and their sums with section h. Phase rest: for all groups of a batch, sum after sum over the other
 * points. Each part of the points serves the whole group or batch. Parts that are in host memory or in the file come
 * through two buffers in a second queue, one part ahead.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "groth16/cpu/prove_internal.h"

#include "device_run.h"

#define SUM_MARKS 48u /* buffers for the sums of up to 16 groups and of the other arrays */

typedef device_run run;
typedef device_step step;

cuzk_status device_run_mark(device_run *r, int ph, uint32_t witness, cuzk_err *err)
{
    /* The times are less detailed then, but their sum is right: the last sums always have marks. */
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

static cuzk_status mark(run *r, int ph, uint32_t witness, cuzk_err *err)
{
    return device_run_mark(r, ph, witness, err);
}

static cuzk_status check_cancel(const run *r, cuzk_err *err)
{
    if (cuzk_cancel_requested(r->cancel)) {
        return CUZK_FAIL(err, CUZK_E_CANCELLED, "proof cancelled");
    }
    return CUZK_OK;
}

/* A witness in place i; in phase h there is one place where it is uploaded again. */
static uint8_t *witness_at(const run *r, uint32_t i)
{
    return r->d + i * r->plan.witness;
}

/* Multipliers of a section: bits, then scalars. Phase rest. */
static uint8_t *section_at(const run *r, uint32_t i)
{
    return r->d + r->plan.at_section + i * r->plan.section;
}

static uint8_t *scratch_of(const run *r, bool is_h)
{
    return r->d + (is_h ? r->plan.at_h : r->plan.at_rest);
}

static const device_sums *sums_of(const run *r, bool is_h)
{
    return is_h ? &r->plan.h : &r->plan.rest;
}

/* Steps without a workspace of their own use that of the quotient, at the beginning of the scratch. */
static cuzk_status enqueue(const run *r, const cuzk_accel_op *op, bool is_h, cuzk_err *err)
{
    return cuzk_accel_enqueue(r->lane->q, op, scratch_of(r, is_h), r->plan.quotient_work, err);
}

static cuzk_status upload_witness(run *r, uint32_t i, uint32_t place, bool is_h, cuzk_err *err)
{
    const cuzk_witness *w = NULL;
    bool pinned = false;
    CUZK_TRY(device_run_witness(r, i, &w, &pinned, err));
    const cuzk_accel_op up = {
        .kind = CUZK_ACCEL_OP_WITNESS,
        .u.witness = {
            .circuit = r->k->dc, .d_out = witness_at(r, place), .w = w, .pinned = pinned}};
    CUZK_TRY(enqueue(r, &up, is_h, err));
    return mark(r, PHASE_UPLOAD, i, err);
}

static cuzk_status gather(const run *r, uint32_t place, cuzk_srs_section section, uint64_t *bits,
                          cuzk_scalar *scalars, bool is_h, cuzk_err *err)
{
    const cuzk_accel_op op = {.kind = CUZK_ACCEL_OP_SECTION,
                              .u.section = {.circuit = r->k->dc,
                                            .d_witness = witness_at(r, place),
                                            .section = section,
                                            .d_bits = bits,
                                            .d_scalars = scalars}};
    return enqueue(r, &op, is_h, err);
}

/* Joined: copies the scalars of l behind the quotient's. */
static cuzk_status gather_joined(run *r, uint32_t i, uint32_t place, uint32_t in_group,
                                 cuzk_err *err)
{
    uint8_t *to = device_run_values(r, in_group) + (sizeof(cuzk_scalar) << r->k->lg);
    if (!r->k->joined) {
        return CUZK_OK;
    }
    CUZK_TRY(gather(r, place, CUZK_SRS_L, NULL, (cuzk_scalar *)(void *)to, true, err));
    return mark(r, PHASE_SECTION, i, err);
}

static int section_of(int array)
{
    return array == DEVICE_L_BITS || array == DEVICE_L_FULLS   ? CUZK_SRS_L
           : array == DEVICE_A_BITS || array == DEVICE_A_FULLS ? CUZK_SRS_A
                                                               : CUZK_SRS_B_G1;
}

/* Gathers the multipliers of an array's section for a batch, if that has not been done. */
static cuzk_status gather_section(run *r, int array, uint32_t n, cuzk_err *err)
{
    const int section = section_of(array);
    if (section == r->section) {
        return CUZK_OK;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint8_t *to = section_at(r, i);
        cuzk_scalar *scalars = (cuzk_scalar *)(void *)(to + r->plan.bits_bytes);
        CUZK_TRY(gather(r, i, (cuzk_srs_section)section, (uint64_t *)(void *)to,
                        section == CUZK_SRS_L && r->k->joined ? NULL : scalars, false, err));
    }
    r->section = section;
    return mark(r, PHASE_SECTION, 0, err);
}

static bool comes_from_file(const cuzk_device_key *k, int array)
{
    return k->from_file && !k->points[array].resident;
}

static void add_steps(run *r, int array)
{
    const device_points *p = &r->k->points[array];
    const uint64_t s = device_slice_of(p, sums_of(r, array == DEVICE_HL)->slice);
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

/*
 * Slices of section h, or of the others, without those that nothing is summed of: counted, and noted from *at on unless
 * at is NULL. The first one is in parts.
 */
static uint32_t list_slices(const run *r, bool is_h, device_slice *at)
{
    const unsigned lg = is_h ? r->plan.first_h.lg : r->plan.first_rest.lg;
    device_slice s = {.section = is_h ? CUZK_SRS_H : CUZK_SRS_L}, parts[DEVICE_MOST_PARTS];
    uint32_t n = 0;
    while (r->k->from_file && device_slice_next(&s, r->k, sums_of(r, is_h)->slice) &&
           (s.section == CUZK_SRS_H) == is_h) {
        if (!s.sum_bits && !s.sum_fulls) {
            continue;
        }
        const uint32_t more = device_slice_parts(parts, &s, r->k, n == 0 ? lg : 0);
        if (at != NULL) {
            memcpy(at + n, parts, more * sizeof(*at));
        }
        n += more;
    }
    return n;
}

static cuzk_status make_slices(run *r, cuzk_err *err)
{
    r->n_h_slices = list_slices(r, true, NULL);
    r->n_slices = r->n_h_slices + list_slices(r, false, NULL);
    r->slices = cuzk_alloc_zero(r->n_slices, sizeof(*r->slices));
    if (r->slices == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for %u slices", r->n_slices);
    }
    (void)list_slices(r, true, r->slices);
    (void)list_slices(r, false, r->slices + r->n_h_slices);
    return CUZK_OK;
}

static cuzk_status make_steps(run *r, cuzk_err *err)
{
    /* In order of sections, so that multipliers are gathered once. */
    static const device_array order[] = {DEVICE_L_FULLS, DEVICE_L_BITS,  DEVICE_A_BITS,
                                         DEVICE_A_FULLS, DEVICE_B1_BITS, DEVICE_B1_FULLS,
                                         DEVICE_B2_BITS, DEVICE_B2_FULLS};
    CUZK_TRY(make_slices(r, err));
    uint64_t total = 2 * (uint64_t)r->n_slices;
    for (int a = 0; a < DEVICE_ARRAYS; a++) {
        const device_points *p = &r->k->points[a];
        const uint64_t s = device_slice_of(p, sums_of(r, a == DEVICE_HL)->slice);
        total += comes_from_file(r->k, a) ? 0 : (p->n + s - 1) / s;
    }
    r->steps = cuzk_alloc(total, sizeof(*r->steps));
    r->sums = cuzk_alloc_zero(total * r->most, sizeof(*r->sums));
    if (r->steps == NULL || r->sums == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for %llu sums", (unsigned long long)total);
    }
    add_steps(r, DEVICE_HL);
    add_slices(r, 0, true);
    r->n_h = r->n_steps;
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        add_steps(r, (int)order[i]);
    }
    /* last: the first slice is fetched during the other sums */
    add_slices(r, r->n_h_slices, false);
    return CUZK_OK;
}

static bool is_streamed(const run *r, uint32_t i)
{
    return !r->k->points[r->steps[i].array].resident;
}

static uint8_t *buffer(const run *r, bool is_h, uint32_t ordinal)
{
    return scratch_of(r, is_h) + device_sums_buffer(sums_of(r, is_h), ordinal);
}

/* Copies the points of step i to the buffer of its ordinal, after the work that uses the buffer's content. */
static cuzk_status send(const run *r, uint32_t i, uint32_t ordinal, cuzk_err *err)
{
    const step *s = &r->steps[i];
    const device_points *p = &r->k->points[s->array];
    const cuzk_accel_op op = {.kind = CUZK_ACCEL_OP_UPLOAD,
                              .u.copy = {.d_dst = buffer(r, s->array == DEVICE_HL, ordinal),
                                         .src = p->host + s->at * p->bytes,
                                         .bytes = s->n * p->bytes}};
    CUZK_TRY(cuzk_accel_wait(r->lane->copy, r->lane->q, err));
    return cuzk_accel_enqueue(r->lane->copy, &op, NULL, 0, err);
}

/* Witnesses that a pass over points is for: [first, end); in place 0 and on. */
typedef struct witness_range {
    uint32_t first, end;
} witness_range;

/*
 * Images of streamed points are made anew each time: making them takes no longer than one more pass over the points.
 */
static cuzk_status make_images(const run *r, const step *s, const uint8_t *d_points,
                               const uint8_t **d_images, cuzk_err *err)
{
    const bool is_h = s->array == DEVICE_HL;
    uint8_t *to = scratch_of(r, is_h) + device_sums_images(sums_of(r, is_h));
    const cuzk_accel_op op = {.kind = CUZK_ACCEL_OP_IMAGES_G1,
                              .u.images = {.d_points = d_points, .d_images = to, .n = s->n}};
    *d_images = to;
    return cuzk_accel_enqueue(r->lane->q, &op, NULL, 0, err);
}

static cuzk_status sum_step(run *r, uint32_t i, const uint8_t *d_points, witness_range who,
                            cuzk_err *err)
{
    const step *s = &r->steps[i];
    const device_points *p = &r->k->points[s->array];
    const bool is_h = s->array == DEVICE_HL;
    cuzk_accel_op op = device_sum_op(r->k, p, s->n, sums_of(r, is_h)->lg_batch);
    const uint8_t *d_images = p->d_images == NULL ? NULL : p->d_images + s->at * p->image_bytes;
    if (!is_h) {
        CUZK_TRY(gather_section(r, s->array, who.end - who.first, err));
    }
    if (op.u.msm.images && !p->resident) {
        CUZK_TRY(make_images(r, s, d_points, &d_images, err));
    }
    for (uint32_t w = who.first; w < who.end; w++) {
        const uint32_t place = w - who.first;
        op.u.msm.d_bases = d_points;
        op.u.msm.d_images = op.u.msm.images ? d_images : NULL;
        op.u.msm.sum = &r->sums[(size_t)i * r->most + w];
        if (p->bits) {
            op.u.msm.d_bits = (const uint64_t *)(const void *)section_at(r, place) + s->at / 64;
        } else {
            const uint8_t *scalars =
                is_h ? device_run_values(r, place) : section_at(r, place) + r->plan.bits_bytes;
            op.u.msm.d_scalars = (const cuzk_scalar *)(const void *)scalars + s->at;
        }
        CUZK_TRY(
            cuzk_accel_enqueue(r->lane->q, &op, scratch_of(r, is_h), sums_of(r, is_h)->work, err));
    }
    return CUZK_OK;
}

static cuzk_status mark_end(run *r, uint32_t i, cuzk_err *err)
{
    return i + 1 == r->n_steps || r->steps[i + 1].array != r->steps[i].array
               ? mark(r, PHASE_MSM + r->steps[i].array, 0, err)
               : CUZK_OK;
}

/*
 * True when the copy of a phase's first slice needs no work that is not waited for yet. Phase h: enqueue_h waits for the
 * group before. Phase rest: the last slice of phase h has waited for the one before it; later batches wait for all.
 */
static bool can_come_early(const run *r, bool is_h, witness_range who)
{
    return is_h ? r->n_h_slices != 0 && r->plan.first_h.is_early
                : r->plan.first_rest.is_early && who.first == 0;
}

/* Steps [i, end), whose points come from the file. */
static cuzk_status sum_slices(run *r, uint32_t i, uint32_t end, witness_range who, cuzk_err *err)
{
    const bool is_h = r->steps[i].array == DEVICE_HL;
    const uint32_t skip = is_h ? 0 : r->n_h_slices; /* a part of the first slice may have no sum */
    const device_first *first = is_h ? &r->plan.first_h : &r->plan.first_rest;
    device_feed feed = {.k = r->k,
                        .lane = r->lane,
                        .cancel = r->cancel,
                        .slices = r->slices + skip,
                        .n = r->steps[end - 1].slice + 1 - skip,
                        .d_input = {buffer(r, is_h, 0), buffer(r, is_h, 1)},
                        .d_split = scratch_of(r, is_h) + device_sums_split(sums_of(r, is_h)),
                        .d_first = r->d + first->at};
    if (!can_come_early(r, is_h, who)) {
        CUZK_TRY(cuzk_accel_wait(r->lane->copy, r->lane->q, err));
    }
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
static cuzk_status sum_steps(run *r, uint32_t first, uint32_t end, witness_range who, cuzk_err *err)
{
    uint32_t ordinal = 0;  /* of the next streamed step */
    uint32_t sent = first; /* first step whose points may not have been copied yet */
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
            d = buffer(r, r->steps[i].array == DEVICE_HL, ordinal++);
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

/* Phase h for witnesses [0, n): a group's quotients, then their sums. */
static cuzk_status enqueue_h(run *r, uint32_t n, cuzk_err *err)
{
    for (witness_range who = {0, 0}; who.first < n; who.first = who.end) {
        const uint32_t left = n - who.first;
        who.end = who.first + (left < r->plan.group ? left : r->plan.group);
        if (can_come_early(r, true, who)) {
            CUZK_TRY(cuzk_accel_wait(r->lane->copy, r->lane->q,
                                     err)); /* wait for the sums of the group before */
        }
        for (uint32_t i = who.first; i < who.end; i++) {
            const uint32_t in_group = i - who.first, place = r->plan.again ? 0 : in_group;
            CUZK_TRY(check_cancel(r, err));
            CUZK_TRY(upload_witness(r, i, place, true, err));
            CUZK_TRY(gather_joined(r, i, place, in_group, err));
            CUZK_TRY(device_run_quotient(r, witness_at(r, place), in_group, i, err));
        }
        CUZK_TRY(sum_steps(r, 0, r->n_h, who, err));
    }
    return CUZK_OK;
}

/* Phase rest for the same, in batches. */
static cuzk_status enqueue_rest(run *r, uint32_t n, cuzk_err *err)
{
    for (witness_range who = {0, 0}; who.first < n; who.first = who.end) {
        const uint32_t left = n - who.first;
        who.end = who.first + (left < r->plan.batch ? left : r->plan.batch);
        r->section = -1;
        for (uint32_t i = who.first; r->plan.again && i < who.end; i++) {
            CUZK_TRY(check_cancel(r, err));
            CUZK_TRY(upload_witness(r, i, i - who.first, false, err));
        }
        CUZK_TRY(sum_steps(r, r->n_h, r->n_steps, who, err));
    }
    return CUZK_OK;
}

static cuzk_status enqueue_all(run *r, uint32_t n, cuzk_err *err)
{
    r->n_marks = 0;
    CUZK_TRY(cuzk_accel_marks_reset(r->lane->q, err));
    CUZK_TRY(mark(r, PHASE_START, 0, err));
    CUZK_TRY(enqueue_h(r, n, err));
    return enqueue_rest(r, n, err);
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
        cuzk_accel_sum s = r->sums[(size_t)i * r->most + w];
        cuzk_g1 *sum = to[r->steps[i].array];
        if (p->teeth != 0) { /* signs: of all parts together */
            while (i + 1 < r->n_steps && r->steps[i + 1].array == r->steps[i].array) {
                i++;
                device_add_sum(&s, &r->sums[(size_t)i * r->most + w]);
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

/* The names of the phases in reports, and the marks that they consist of. */
typedef struct phase_name {
    const char *group, *name;
} phase_name;
static const phase_name phase_names[PHASES] = {
    [PHASE_START] = {NULL, NULL},
    [PHASE_AWAIT] = {"prep_msm", "witness_wait"},
    [PHASE_UPLOAD] = {"prep_msm", "witness_upload"},
    [PHASE_SECTION] = {"prep_msm", "section_values"},
    [PHASE_EVAL_A] = {"eval", "eval_a"},
    [PHASE_EVAL_B] = {"eval", "eval_b"},
    [PHASE_MUL_C] = {"ntt_msm_h", "mul_c"},
    [PHASE_INTT_C] = {"ntt_msm_h", "intt_c"},
    [PHASE_COSET_A] = {"ntt_msm_h", "coset_a"},
    [PHASE_COSET_B] = {"ntt_msm_h", "coset_b"},
    [PHASE_QUOTIENT] = {"ntt_msm_h", "quotient"},
    [PHASE_MSM + DEVICE_HL] = {"ntt_msm_h", "msm_h"},
    [PHASE_MSM + DEVICE_L_FULLS] = {"tail_msm", "msm_l"},
    [PHASE_MSM + DEVICE_L_BITS] = {"batch_add", "bits_l"},
    [PHASE_MSM + DEVICE_A_BITS] = {"batch_add", "bits_a"},
    [PHASE_MSM + DEVICE_B1_BITS] = {"batch_add", "bits_b_g1"},
    [PHASE_MSM + DEVICE_A_FULLS] = {"tail_msm", "msm_a"},
    [PHASE_MSM + DEVICE_B1_FULLS] = {"tail_msm", "msm_b_g1"},
    [PHASE_MSM + DEVICE_B2_BITS] = {"b_g2_msm", "bits_b_g2"},
    [PHASE_MSM + DEVICE_B2_FULLS] = {"b_g2_msm", "msm_b_g2"},
};

static cuzk_span_tags tags_of(const run *r, const uint8_t *witness)
{
    cuzk_span_tags tags = CUZK_SPAN_TAGS_INIT;
    tags.device = r->opts->device;
    if (witness != NULL && r->opts->partitions != NULL) {
        tags.partition = r->opts->partitions[r->first + *witness];
    }
    return tags;
}

/* Spans from the marks. */
static cuzk_status record(run *r, cuzk_trace_ctx trace, bool alone, cuzk_err *err)
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
            (void)cuzk_trace_add(cuzk_trace_in(in, g), p->name, &wt, lane, r->marks[i - 1].ns,
                                 r->marks[i].ns);
        }
    }
    return CUZK_OK;
}

/* All enqueued work must have ended before memory is freed. */
static void drain(run *r)
{
    cuzk_ignore(cuzk_accel_sync(r->lane->copy, NULL));
    cuzk_ignore(cuzk_accel_sync(r->lane->q, NULL));
}

static cuzk_status prove_some(run *r, cuzk_prove_sums *sums, uint32_t n, cuzk_trace_ctx trace,
                              cuzk_err *err)
{
    CUZK_TRY(device_stream_check(r->k, err));
    cuzk_status st = enqueue_all(r, n, err);
    if (st == CUZK_OK) {
        st = cuzk_accel_sync(r->lane->copy, err);
    }
    if (st == CUZK_OK) {
        st = cuzk_accel_sync(r->lane->q, err);
    }
    if (st != CUZK_OK) {
        drain(r);
        return r->await_failed ? st : device_stream_failure(r->k, st, err);
    }
    CUZK_TRY(device_stream_check(r->k, err));
    CUZK_TRY(record(r, trace, n == 1, err));
    (void)pthread_mutex_lock(&r->k->lock);
    r->k->stats.passes += (n + r->plan.group - 1) / r->plan.group;
    (void)pthread_mutex_unlock(&r->k->lock);
    for (uint32_t i = 0; i < n; i++) {
        collect(&sums[i], r, i);
    }
    return CUZK_OK;
}

/* Takes a lane for the call, and waits for one if need be; no span is open meanwhile. */
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

/* The vector that a plan keeps in host memory. It stays with the lane. */
static cuzk_status take_vector(run *r, cuzk_err *err)
{
    void *m = NULL;
    if (r->plan.host == 0 || r->lane->vector != NULL) {
        return CUZK_OK;
    }
    CUZK_TRY(cuzk_accel_host_alloc(r->k->dev, &m, r->plan.host, err));
    r->lane->vector = m;
    (void)pthread_mutex_lock(&r->k->lock);
    r->k->stats.host_bytes += r->plan.host;
    (void)pthread_mutex_unlock(&r->k->lock);
    return CUZK_OK;
}

/* The memory of a call. Free memory may be in pieces: then a smaller plan is tried. */
static cuzk_status take_memory(run *r, size_t n, cuzk_err *err)
{
    cuzk_accel_props props;
    cuzk_accel_get_props(r->k->dev, &props);
    uint64_t free_bytes = props.memory_free;
    if (r->opts->most_bytes != 0 && r->opts->most_bytes < free_bytes) {
        free_bytes = r->opts->most_bytes;
    }
    for (int attempt = 0;; attempt++) {
        void *d = NULL;
        CUZK_TRY(device_plan_make(&r->plan, r->k, n, free_bytes, r->opts, err));
        const cuzk_status st = cuzk_accel_alloc(r->k->dev, &d, r->plan.total, err);
        if (st == CUZK_OK) {
            r->d = d;
            return take_vector(r, err);
        }
        if (st != CUZK_E_DEV_NOMEM || attempt == 4) {
            return st;
        }
        free_bytes = r->plan.total - r->plan.total / 8;
    }
}

static cuzk_status prove_locked(run *r, cuzk_prove_sums *sums, size_t n, cuzk_trace_ctx trace,
                                cuzk_err *err)
{
    const cuzk_witness *const *all = r->witnesses;
    cuzk_status st = CUZK_OK;
    r->most = n < DEVICE_MOST_BATCH ? (uint32_t)n : DEVICE_MOST_BATCH;
    CUZK_TRY_GOTO(st, take_memory(r, n, err));
    CUZK_TRY_GOTO(st, make_steps(r, err));
    for (size_t at = 0; at < n; at += r->most) {
        const uint32_t b = n - at < r->most ? (uint32_t)(n - at) : r->most;
        r->witnesses = all != NULL ? all + at : NULL;
        r->first = (uint32_t)at;
        CUZK_TRY_GOTO(st, prove_some(r, sums + at, b, trace, err));
    }
out:
    cuzk_accel_free(r->k->dev, r->d);
    cuzk_free(r->steps);
    cuzk_free(r->slices);
    cuzk_free(r->sums);
    return st;
}

typedef struct assembly {
    cuzk_proof *out;
    const cuzk_device_key *k;
    const cuzk_prove_sums *sums;
    const cuzk_device_prove_opts *opts;
    atomic_flag has_failed;
    cuzk_err *err; /* of the first failure */
} assembly;

static cuzk_status assemble_some(void *arg, size_t begin, size_t end, unsigned worker)
{
    assembly *a = arg;
    const cuzk_device_prove_opts *o = a->opts;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        cuzk_err err = {.msg = ""};
        const cuzk_status st =
            cuzk_prove_assemble(&a->out[i], &a->sums[i], &a->k->vk, o->r != NULL ? &o->r[i] : NULL,
                                o->s != NULL ? &o->s[i] : NULL, &err);
        if (st != CUZK_OK && !atomic_flag_test_and_set(&a->has_failed) && a->err != NULL) {
            *a->err = err;
        }
        CUZK_TRY(st);
    }
    return CUZK_OK;
}

/* A millisecond for each proof, so threads share them. */
static cuzk_status assemble_all(cuzk_proof *out, const cuzk_device_key *k, size_t n,
                                const cuzk_prove_sums *sums, const cuzk_device_prove_opts *opts,
                                cuzk_err *err)
{
    assembly a = {
        .out = out, .k = k, .sums = sums, .opts = opts, .has_failed = ATOMIC_FLAG_INIT, .err = err};
    return cuzk_parallel_for(opts->pool, NULL, n, 1, assemble_some, &a);
}

cuzk_status cuzk_device_prove(cuzk_device_key *k, cuzk_proof *out, size_t n,
                              const cuzk_witness *const *witnesses,
                              const cuzk_device_prove_opts *opts, const cuzk_cancel *cancel,
                              cuzk_err *err)
{
    static const cuzk_device_prove_opts defaults = {.device = CUZK_TRACE_NONE};
    cuzk_status st = CUZK_OK;
    cuzk_witness *stage = NULL;
    const cuzk_witness *one = NULL;
    opts = opts != NULL ? opts : &defaults;
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
    st = device_run_begin(r, n, witnesses, &one, &stage, err);
    if (st == CUZK_OK) {
        r->lane = take_lane(k);
        span = cuzk_span_begin(opts->trace, "prove", NULL);
        st = prove_locked(r, sums, n, cuzk_trace_in(opts->trace, span), err);
        cuzk_span_end(opts->trace, span, 0);
        give_lane(k, r->lane);
    }
    device_witness_give(k, stage);
    if (st == CUZK_OK) {
        span = cuzk_span_begin(opts->trace, "assemble", NULL);
        st = assemble_all(proofs, k, n, sums, opts, err);
        cuzk_span_end(opts->trace, span, 0);
    }
    if (st == CUZK_OK) {
        memcpy(out, proofs, n * sizeof(*proofs));
    }
out:
    cuzk_free(r);
    cuzk_free(sums);
    cuzk_free(proofs);
    return st;
}
