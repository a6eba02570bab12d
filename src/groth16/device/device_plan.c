/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * How a call divides the free memory of its device. The two phases are planned separately, since they use the same
 * memory one after the other. Of all plans that fit, each phase takes the fastest by the time model. Before a call is
 * refused, plans shrink down to one witness, one vector and short sums.
 */
#include <string.h>

#include "device_stream.h"

#define ALIGN       256u
#define SLICE_UNIT  128u /* half a slice must be whole words of bits */
#define LEAST_SLICE 128u
#define MOST_HALVES 8u /* a slice is at least a 2^8th of the longest possible */
#define MOST_STREAM \
    ((uint64_t)1 << 25) /* longer slices gain little, and the first slice takes longer to arrive */
#define LEAST_CHUNK    1024u
#define CHUNKS         64u /* of a vector that is copied from the host */
#define LEAST_LG_BATCH 23u
#define MOST_LG_BATCH  26u

static uint64_t round_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static uint64_t max64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t min64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

cuzk_accel_op device_sum_op(const cuzk_device_key *k, const device_points *p, uint64_t n,
                            unsigned lg_batch)
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
    op.u.msm.lg_batch = lg_batch;
    op.u.msm.images = p->resident ? p->image_bytes != 0
                                  : op.kind == CUZK_ACCEL_OP_MSM_G1 && k->stream_images &&
                                        cuzk_accel_image_bytes(k->dev, n) != 0;
    op.u.msm.d_images = NULL;
    return op;
}

static cuzk_status need_of(const cuzk_device_key *k, const cuzk_accel_op *op, uint64_t *most,
                           cuzk_err *err)
{
    cuzk_accel_need need;
    CUZK_TRY(cuzk_accel_plan(k->dev, op, &need, err));
    *most = max64(*most, need.device_bytes);
    return CUZK_OK;
}

/*
 * The sums of a phase with slices of some length: for each array and use of images the most terms. Needs grow
 * with the terms, so that these sums are all that has to be planned.
 */
typedef struct lengths {
    uint64_t n[DEVICE_ARRAYS][2];
    uint64_t slice, buffer, split, images;
} lengths;

static void add_sum(lengths *l, const cuzk_device_key *k, int array, uint64_t n)
{
    const device_points *p = &k->points[array];
    const cuzk_accel_op op = device_sum_op(k, p, n, 0);
    uint64_t *most = &l->n[array][op.u.msm.images];
    if (n > *most) {
        *most = n;
        if (op.u.msm.images && !p->resident) {
            l->images = max64(l->images, n * cuzk_accel_image_bytes(k->dev, n));
        }
    }
}

/* Adds the sums of a slice of the file, and the slice itself. */
static void add_slice(lengths *l, const cuzk_device_key *k, const device_slice *s)
{
    const cuzk_srs_section section = (cuzk_srs_section)s->section;
    const bool is_h = section == CUZK_SRS_H;
    if (s->sum_bits) {
        add_sum(l, k, (int)device_bits_of(section), is_h ? s->n : s->n_bits);
    }
    if (s->sum_fulls) {
        add_sum(l, k, (int)device_fulls_of(section), s->n_fulls);
    }
    l->buffer = max64(l->buffer, device_slice_input(s));
    l->split = max64(l->split, is_h ? 0 : device_slice_split(s));
}

/* Adds all slices of a phase. The first one may come in parts. */
static void add_slices(lengths *l, const cuzk_device_key *k, bool is_h)
{
    device_slice s = {.section = is_h ? CUZK_SRS_H : CUZK_SRS_L};
    bool is_first = true;
    while (device_slice_next(&s, k, l->slice) && (s.section == CUZK_SRS_H) == is_h) {
        add_slice(l, k, &s);
        for (unsigned lg = 1; lg < DEVICE_MOST_PARTS && is_first; lg++) {
            device_slice parts[DEVICE_MOST_PARTS];
            const uint32_t n = device_slice_parts(parts, &s, k, lg);
            for (uint32_t i = 0; i < n; i++) {
                add_slice(l, k, &parts[i]);
            }
        }
        is_first = is_first && !s.sum_bits && !s.sum_fulls;
    }
}

static lengths find_lengths(const cuzk_device_key *k, bool is_h, uint64_t slice)
{
    lengths l = {.slice = slice};
    for (int a = 0; a < DEVICE_ARRAYS; a++) {
        const device_points *p = &k->points[a];
        const uint64_t step = device_slice_of(p, slice);
        if ((a == DEVICE_HL) != is_h || p->n == 0 || (k->from_file && !p->resident)) {
            continue;
        }
        add_sum(&l, k, a, min64(p->n, step));
        add_sum(&l, k, a, p->n % step);
        if (!p->resident) {
            l.buffer = max64(l.buffer, min64(p->n, step) * p->bytes);
        }
    }
    if (k->from_file) {
        add_slices(&l, k, is_h);
    }
    return l;
}

/* Memory of a phase's sums with such slices. */
static cuzk_status lay_out_sums(device_sums *out, const cuzk_device_key *k, const lengths *l,
                                unsigned lg_batch, cuzk_err *err)
{
    device_sums s = {.slice = l->slice,
                     .lg_batch = lg_batch,
                     .lg_digits = lg_batch,
                     .buffer = round_up(l->buffer, ALIGN),
                     .split = round_up(l->split, ALIGN),
                     .images = round_up(l->images, ALIGN)};
    for (int a = 0; a < DEVICE_ARRAYS; a++) {
        for (int images = 0; images < 2; images++) {
            const uint64_t n = l->n[a][images];
            const cuzk_accel_op op = device_sum_op(k, &k->points[a], n, lg_batch);
            if (n > 0) {
                CUZK_TRY(need_of(k, &op, &s.work, err));
            }
        }
    }
    s.work = round_up(s.work, ALIGN);
    s.bytes = s.work + 2 * s.buffer + s.split + s.images;
    *out = s;
    return CUZK_OK;
}

static cuzk_status lay_out_slices(device_sums *out, const cuzk_device_key *k, bool is_h,
                                  uint64_t slice, cuzk_err *err)
{
    const lengths l = find_lengths(k, is_h, slice);
    return lay_out_sums(out, k, &l, 0, err);
}

/* Workspace of all work before the sums. */
static cuzk_status quotient_work(const cuzk_device_key *k, uint64_t *work, cuzk_err *err)
{
    static const cuzk_accel_op_kind kinds[] = {
        CUZK_ACCEL_OP_WITNESS,  CUZK_ACCEL_OP_EVAL,     CUZK_ACCEL_OP_EVAL_TIMES,
        CUZK_ACCEL_OP_PRODUCT,  CUZK_ACCEL_OP_TO_COSET, CUZK_ACCEL_OP_INTT,
        CUZK_ACCEL_OP_MUL,      CUZK_ACCEL_OP_RESIDUE,  CUZK_ACCEL_OP_DIFF,
        CUZK_ACCEL_OP_QUOTIENT, CUZK_ACCEL_OP_REVERSE,  CUZK_ACCEL_OP_SECTION};
    *work = 0;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        cuzk_accel_op op = {.kind = kinds[i]};
        if (op.kind == CUZK_ACCEL_OP_WITNESS) {
            op.u.witness.circuit = k->dc;
        } else if (op.kind == CUZK_ACCEL_OP_EVAL || op.kind == CUZK_ACCEL_OP_EVAL_TIMES) {
            op.u.eval.circuit = k->dc;
        } else if (op.kind == CUZK_ACCEL_OP_TO_COSET || op.kind == CUZK_ACCEL_OP_INTT) {
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
    *work = round_up(*work, ALIGN);
    return CUZK_OK;
}

/* The parts of a plan that do not depend on the choices. */
static cuzk_status begin_plan(device_plan *p, const cuzk_device_key *k, cuzk_err *err)
{
    const uint64_t m = (uint64_t)1 << k->lg;
    memset(p, 0, sizeof(*p));
    CUZK_TRY(quotient_work(k, &p->quotient_work, err));
    p->vector = round_up(m * sizeof(cuzk_fr), ALIGN);
    p->chunk = min64(max64(m / CHUNKS, LEAST_CHUNK), m) * sizeof(cuzk_fr);
    p->witness = round_up(cuzk_accel_witness_bytes(k->dc), ALIGN);
    /* The quotient writes all of m; behind it are the scalars of l, if its points are. */
    p->values = round_up(max64(k->points[DEVICE_HL].n, m) * sizeof(cuzk_scalar), ALIGN);
    uint64_t scalars = 0;
    for (unsigned i = 0; i < CUZK_SRS_WIRE_SETS; i++) {
        const cuzk_accel_split *x = &k->split[i];
        const bool elsewhere = i == cuzk_srs_wire_set(CUZK_SRS_L) && k->joined;
        p->bits_bytes = max64(p->bits_bytes, (x->n_bits + 63) / 64 * sizeof(uint64_t));
        scalars = max64(scalars, elsewhere ? 0 : x->n_fulls * sizeof(cuzk_scalar));
    }
    p->bits_bytes = round_up(p->bits_bytes, ALIGN);
    p->section = p->bits_bytes + round_up(scalars, ALIGN);
    return CUZK_OK;
}

uint64_t device_plan_quotient(const device_plan *p)
{
    return p->quotient_work +
           (p->vectors > 1 ? (p->vectors - 1) * p->vector : round_up(p->chunk, ALIGN));
}

/* Offsets and totals from the choices. */
static void lay_out(device_plan *p)
{
    const uint64_t quotient = device_plan_quotient(p);
    p->at_values = (p->again ? 1 : p->group) * p->witness;
    p->at_h = p->at_values + p->group * p->values;
    p->at_section = p->batch * p->witness;
    p->at_rest = p->at_section + p->batch * p->section;
    p->host = p->vectors == 1 ? p->vector : 0;
    p->total = max64(p->at_h + max64(quotient, p->h.bytes), p->at_rest + p->rest.bytes);
}

uint64_t device_plan_longest(const cuzk_device_key *k, bool is_h)
{
    uint64_t most = LEAST_SLICE;
    for (int a = 0; a < DEVICE_ARRAYS; a++) {
        const device_points *p = &k->points[a];
        const uint64_t as_g1 = p->bytes == sizeof(cuzk_g2_affine) ? 2 * p->n : p->n;
        most = (a == DEVICE_HL) == is_h ? max64(most, as_g1) : most;
    }
    return round_up(most, SLICE_UNIT);
}

static bool streams(const cuzk_device_key *k, bool is_h)
{
    for (int a = 0; a < DEVICE_ARRAYS; a++) {
        if ((a == DEVICE_HL) == is_h && !k->points[a].resident && k->points[a].n > 0) {
            return true;
        }
    }
    return false;
}

/* A phase's choices, from the longest slices to the shortest. */
#define MOST_SHAPES (2 * (MOST_HALVES + 1) * (MOST_LG_BATCH - LEAST_LG_BATCH + 2))
typedef struct shapes {
    device_sums s[MOST_SHAPES];
    uint64_t ns[MOST_SHAPES]; /* for one witness */
    unsigned n;
    uint64_t least; /* bytes of the smallest */
} shapes;

/*
 * With slices of one length: as the device sorts digits by itself, and fewer of them at a time where that saves
 * memory. What saves none is no choice: the sums are short, or the device sorts no more by itself.
 */
static cuzk_status add_shapes(shapes *out, const cuzk_device_key *k, bool is_h, uint64_t slice,
                              cuzk_err *err)
{
    const lengths l = find_lengths(k, is_h, slice);
    const unsigned begin = out->n;
    for (unsigned lg = MOST_LG_BATCH + 1; lg >= LEAST_LG_BATCH; lg--) {
        device_sums s;
        CUZK_TRY(lay_out_sums(&s, k, &l, lg > MOST_LG_BATCH ? 0 : lg, err));
        if (out->n > begin && s.bytes >= out->s[out->n - 1].bytes) {
            out->s[out->n - 1].lg_digits = lg;
        } else if (out->n < MOST_SHAPES) {
            out->s[out->n++] = s;
        }
    }
    for (unsigned i = begin; i < out->n; i++) {
        out->ns[i] = device_cost_sums(k, &out->s[i], is_h);
        out->least = min64(out->least, out->s[i].bytes);
    }
    return CUZK_OK;
}

static cuzk_status make_shapes(shapes *out, const cuzk_device_key *k, bool is_h, uint64_t most,
                               cuzk_err *err)
{
    uint64_t longest = device_plan_longest(k, is_h);
    if (streams(k, is_h)) {
        longest = min64(longest, MOST_STREAM);
    }
    if (most != 0) {
        longest = min64(longest, round_up(most, SLICE_UNIT));
    }
    const uint64_t shortest =
        min64(longest, max64(LEAST_SLICE, round_up(longest >> MOST_HALVES, SLICE_UNIT)));
    memset(out, 0, sizeof(*out));
    out->least = UINT64_MAX;
    for (uint64_t slice = longest;; slice = round_up(slice / 2, SLICE_UNIT)) {
        const uint64_t between = round_up(slice / 4 * 3, SLICE_UNIT);
        CUZK_TRY(add_shapes(out, k, is_h, max64(slice, shortest), err));
        if (slice <= shortest) {
            return CUZK_OK;
        }
        if (between < slice && between > shortest) {
            CUZK_TRY(add_shapes(out, k, is_h, between, err));
        }
    }
}

/* Time of all passes over the points for n witnesses, by `at_once`: the last one may be for fewer. */
static uint64_t passes_ns(uint32_t n, uint32_t at_once, uint64_t ns, uint64_t stream_ns)
{
    const uint32_t left = n % at_once;
    return n / at_once * device_cost_pass(at_once * ns, stream_ns) +
           (left == 0 ? 0 : device_cost_pass(left * ns, stream_ns));
}

typedef struct limits {
    uint32_t n, most_group;
    bool large; /* of equally fast plans the one with the largest group */
    uint64_t free_bytes;
} limits;

/* The fastest of phase h that fits. *ns UINT64_MAX: none. */
static void choose_h(device_plan *p, uint64_t *ns, const cuzk_device_key *k, const shapes *h,
                     const limits *l)
{
    const uint64_t stream = device_cost_stream(k, true);
    device_plan t = *p;
    *ns = UINT64_MAX;
    t.batch = 0;
    memset(&t.rest, 0, sizeof(t.rest));
    for (t.vectors = 3; t.vectors > 0; t.vectors--) {
        for (t.group = 1; t.group <= l->n && t.group <= l->most_group; t.group++) {
            t.again = t.group < l->n;
            for (unsigned i = 0; i < h->n; i++) {
                const uint64_t all = passes_ns(l->n, t.group, h->ns[i], stream) +
                                     l->n * device_cost_vectors(k, t.vectors);
                t.h = h->s[i];
                lay_out(&t);
                if (t.total <= l->free_bytes &&
                    (all < *ns || (all == *ns && (l->large || t.total < p->total)))) {
                    *ns = all;
                    *p = t;
                }
            }
        }
    }
}

/* The same for phase rest. */
static void choose_rest(device_plan *p, uint64_t *ns, const cuzk_device_key *k, const shapes *rest,
                        const limits *l)
{
    const uint64_t stream = device_cost_stream(k, false);
    device_plan best = *p;
    *ns = UINT64_MAX;
    for (uint32_t batch = 1; batch <= l->n; batch++) {
        for (unsigned i = 0; i < rest->n; i++) {
            const uint64_t bytes = batch * (p->witness + p->section) + rest->s[i].bytes;
            const uint64_t all = passes_ns(l->n, batch, rest->ns[i], stream);
            if (bytes <= l->free_bytes && (all < *ns || (all == *ns && l->large))) {
                *ns = all;
                best.batch = batch;
                best.rest = rest->s[i];
            }
        }
    }
    *p = best;
}

/* Memory that the smallest plan needs. */
static uint64_t least_bytes(const device_plan *p, const shapes *h, const shapes *rest)
{
    device_plan t = *p;
    t.group = t.batch = t.vectors = 1;
    t.again = false;
    t.h = (device_sums){.bytes = h->least};
    t.rest = (device_sums){.bytes = rest->least};
    lay_out(&t);
    return t.total;
}

/* When no points stream and all fits at once, this plan is the fastest. *fits false: it does not, try others. */
static cuzk_status choose_whole(device_plan *p, uint64_t *ns, const cuzk_device_key *k, uint32_t n,
                                uint64_t free_bytes, bool *fits, cuzk_err *err)
{
    *fits = false;
    if (streams(k, true) || streams(k, false)) {
        return CUZK_OK;
    }
    CUZK_TRY(lay_out_slices(&p->h, k, true, device_plan_longest(k, true), err));
    CUZK_TRY(lay_out_slices(&p->rest, k, false, device_plan_longest(k, false), err));
    p->group = p->batch = n;
    p->vectors = 3;
    lay_out(p);
    *fits = p->total <= free_bytes;
    *ns = n * (device_cost_sums(k, &p->h, true) + device_cost_sums(k, &p->rest, false));
    return CUZK_OK;
}

cuzk_status device_plan_choose(device_plan *out, uint64_t *ns, const cuzk_device_key *k, uint32_t n,
                               uint64_t free_bytes, const cuzk_device_prove_opts *opts,
                               cuzk_err *err)
{
    device_plan p;
    shapes h, rest;
    uint64_t h_ns, rest_ns;
    const bool limited = opts->max_group != 0;
    const limits l = {.n = n < DEVICE_MOST_BATCH ? n : DEVICE_MOST_BATCH,
                      .most_group = limited ? opts->max_group : DEVICE_MOST_BATCH,
                      .large = limited,
                      .free_bytes = free_bytes};
    CUZK_TRY(begin_plan(&p, k, err));
    if (!limited && opts->slice_points == 0) {
        bool fits = false;
        *out = p;
        CUZK_TRY(choose_whole(out, ns, k, l.n, free_bytes, &fits, err));
        if (fits) {
            return CUZK_OK;
        }
    }
    CUZK_TRY(make_shapes(&h, k, true, opts->slice_points, err));
    CUZK_TRY(make_shapes(&rest, k, false, opts->slice_points, err));
    const uint64_t least = least_bytes(&p, &h, &rest);
    choose_h(&p, &h_ns, k, &h, &l);
    choose_rest(&p, &rest_ns, k, &rest, &l);
    if (h_ns == UINT64_MAX || rest_ns == UINT64_MAX) {
        memset(out, 0, sizeof(*out));
        out->h.bytes = least;
        *ns = UINT64_MAX;
        return CUZK_OK;
    }
    /* A witness is uploaded once if all witnesses of a call are on the device in both phases. */
    p.again = p.group < l.n || p.batch < l.n;
    lay_out(&p);
    device_plan_first(&p, k, l.n, free_bytes);
    *out = p;
    *ns = h_ns + rest_ns;
    return CUZK_OK;
}

cuzk_status device_plan_make(device_plan *out, const cuzk_device_key *k, size_t n,
                             uint64_t free_bytes, const cuzk_device_prove_opts *opts, cuzk_err *err)
{
    uint64_t ns;
    cuzk_accel_props props;
    CUZK_TRY(device_plan_choose(out, &ns, k,
                                n < DEVICE_MOST_BATCH ? (uint32_t)n : DEVICE_MOST_BATCH, free_bytes,
                                opts, err));
    if (out->total != 0) {
        return CUZK_OK;
    }
    cuzk_accel_get_props(k->dev, &props);
    return CUZK_FAIL(err, CUZK_E_DEV_NOMEM,
                     "%s (device %u): one proof of %s needs at least %llu MiB of device memory "
                     "besides its parameters; %llu MiB are free",
                     props.name, props.ordinal, k->what != NULL ? k->what : "this circuit",
                     (unsigned long long)((out->h.bytes + (1u << 20) - 1) >> 20),
                     (unsigned long long)(free_bytes >> 20));
}

cuzk_status device_plan_bytes(uint64_t *bytes, const cuzk_device_key *k, uint64_t slice,
                              cuzk_err *err)
{
    device_plan p;
    const uint64_t h = min64(slice, device_plan_longest(k, true));
    const uint64_t rest = min64(slice, device_plan_longest(k, false));
    CUZK_TRY(begin_plan(&p, k, err));
    CUZK_TRY(lay_out_slices(&p.h, k, true, round_up(h, SLICE_UNIT), err));
    CUZK_TRY(lay_out_slices(&p.rest, k, false, round_up(rest, SLICE_UNIT), err));
    p.group = p.batch = 1;
    p.vectors = 3;
    lay_out(&p);
    *bytes = p.total;
    return CUZK_OK;
}

cuzk_status cuzk_device_prove_bytes_within(uint64_t *bytes, const cuzk_device_key *k, uint64_t most,
                                           cuzk_err *err)
{
    static const cuzk_device_prove_opts opts;
    device_plan p;
    CUZK_TRY(device_plan_make(&p, k, 1, most, &opts, err));
    *bytes = p.total;
    return CUZK_OK;
}

cuzk_status cuzk_device_least_bytes(uint64_t *bytes, const cuzk_device_key *k, cuzk_err *err)
{
    device_plan p;
    shapes h, rest;
    CUZK_TRY(begin_plan(&p, k, err));
    CUZK_TRY(make_shapes(&h, k, true, 0, err));
    CUZK_TRY(make_shapes(&rest, k, false, 0, err));
    *bytes = least_bytes(&p, &h, &rest);
    return CUZK_OK;
}

cuzk_status cuzk_device_key_plan(cuzk_device_plan_info *out, const cuzk_device_key *k, uint32_t n,
                                 uint64_t free_bytes, cuzk_err *err)
{
    static const cuzk_device_prove_opts opts;
    device_plan p;
    uint64_t ns;
    CUZK_TRY(device_plan_make(&p, k, n, free_bytes, &opts, err));
    CUZK_TRY(device_plan_choose(&p, &ns, k, n, free_bytes, &opts, err));
    *out = (cuzk_device_plan_info){.group = p.group,
                                   .batch = p.batch,
                                   .vectors = p.vectors,
                                   .slice_h = p.h.slice,
                                   .slice = p.rest.slice,
                                   .device_bytes = p.total,
                                   .host_bytes = p.host,
                                   .expected_ns = ns};
    return CUZK_OK;
}
