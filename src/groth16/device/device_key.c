/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The key of a device: which points are where, and destroying the key. device_load.c fills it. */
#include <string.h>

#include "base/alloc.h"
#include "groth16/cpu/prove_internal.h"
#include "groth16/params/srs_internal.h"
#include "groth16/params/wire_cursor.h"
#include "groth16/setup/setup_internal.h"

#include "device_load.h"
#include "device_stream.h"

/*
 * Number of witnesses that memory is planned for where points stream: partitions of a PoRep. Large witnesses come one
 * at a time.
 */
#define STREAM_BATCH  10u
#define LARGE_WITNESS ((uint64_t)1 << 30)
/* For domains of this size or larger, one call at a time. */
#define LARGE_LG      25u

void cuzk_device_key_destroy(cuzk_device_key *k)
{
    if (k == NULL) {
        return;
    }
    for (int a = 0; a < DEVICE_ARRAYS; a++) {
        cuzk_accel_free(k->dev, k->points[a].d);
        cuzk_accel_free(k->dev, k->points[a].d_images);
        cuzk_accel_host_free(k->dev, k->points[a].host);
    }
    device_stream_close(k);
    cuzk_accel_domain_destroy(k->domain, k->q);
    cuzk_accel_circuit_destroy(k->dc, k->q);
    for (int i = DEVICE_LANES - 1; i >= 0; i--) {
        cuzk_accel_queue_destroy(k->lanes[i].copy);
        cuzk_accel_queue_destroy(k->lanes[i].q);
        cuzk_accel_host_free(k->dev, k->lanes[i].vector);
    }
    for (int i = 0; i < DEVICE_STAGES; i++) {
        cuzk_accel_host_free(k->dev, k->stages[i]);
    }
    if (k->has_lock) {
        (void)pthread_mutex_destroy(&k->lock);
        (void)pthread_cond_destroy(&k->lane_free);
    }
    cuzk_free(k->ic);
    cuzk_free(k);
}

const cuzk_srs_vk *cuzk_device_key_vk(const cuzk_device_key *k)
{
    return &k->vk;
}

cuzk_accel *cuzk_device_key_device(const cuzk_device_key *k)
{
    return k->dev;
}

cuzk_device_key_stats cuzk_device_key_get_stats(const cuzk_device_key *k)
{
    return k->stats;
}

cuzk_status cuzk_device_prove_bytes(uint64_t *bytes, const cuzk_device_key *k, cuzk_err *err)
{
    return device_plan_bytes(bytes, k, UINT64_MAX, err);
}

static cuzk_status copy_vk(cuzk_device_key *k, const cuzk_srs_vk *vk, cuzk_err *err)
{
    k->vk = *vk;
    k->ic = cuzk_alloc(vk->n_ic, sizeof(*k->ic));
    if (k->ic == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for %u ic points", vk->n_ic);
    }
    if (vk->ic != NULL) {
        memcpy(k->ic, vk->ic, vk->n_ic * sizeof(*k->ic));
    }
    k->vk.ic = k->ic;
    return CUZK_OK;
}

static void set_array(cuzk_device_key *k, device_array a, uint64_t n, bool bits, size_t bytes)
{
    k->points[a].n = n;
    k->points[a].bits = bits;
    k->points[a].bytes = (uint32_t)bytes;
}

/* Lengths of the arrays, by k->joined and k->from_file. */
static void set_arrays(cuzk_device_key *k)
{
    const uint64_t m = (uint64_t)1 << k->lg;
    const size_t g1 = sizeof(cuzk_g1_affine), g2 = sizeof(cuzk_g2_affine);
    const cuzk_accel_split *l = device_section_split(k, CUZK_SRS_L);
    const cuzk_accel_split *a = device_section_split(k, CUZK_SRS_A);
    const cuzk_accel_split *b = device_section_split(k, CUZK_SRS_B_G1);
    set_array(k, DEVICE_HL,
              k->from_file ? device_section_count(k, CUZK_SRS_H)
              : k->joined  ? m + l->n_fulls
                           : m,
              false, g1);
    set_array(k, DEVICE_L_FULLS, k->joined ? 0 : l->n_fulls, false, g1);
    set_array(k, DEVICE_L_BITS, l->n_bits, true, g1);
    set_array(k, DEVICE_A_BITS, a->n_bits, true, g1);
    set_array(k, DEVICE_A_FULLS, a->n_fulls, false, g1);
    set_array(k, DEVICE_B1_BITS, b->n_bits, true, g1);
    set_array(k, DEVICE_B1_FULLS, b->n_fulls, false, g1);
    set_array(k, DEVICE_B2_BITS, b->n_bits, true, g2);
    set_array(k, DEVICE_B2_FULLS, b->n_fulls, false, g2);
}

static uint64_t array_bytes(const device_points *p)
{
    const uint64_t points = (device_room_of(p) * p->bytes + 255) & ~(uint64_t)255;
    return points + ((p->n * p->image_bytes + 255) & ~(uint64_t)255);
}

static uint64_t free_memory(const cuzk_device_key *k)
{
    cuzk_accel_props props;
    cuzk_accel_get_props(k->dev, &props);
    return props.memory_free;
}

static uint64_t all_bytes(const cuzk_device_key *k)
{
    uint64_t points = 0;
    for (int a = 0; a < DEVICE_ARRAYS; a++) {
        points += array_bytes(&k->points[a]);
    }
    return points;
}

/*
 * Calls at once. Large kernels fill the device, and two calls then only push each other's data out of the
 * cache: ten PoRep partitions of 32 GiB take 6 % longer than one after the other.
 */
static uint32_t most_lanes(const cuzk_device_key *k, const cuzk_device_key_opts *opts)
{
    if (opts->lanes != 0) {
        return opts->lanes < DEVICE_LANES ? opts->lanes : DEVICE_LANES;
    }
    return k->lg < LARGE_LG ? DEVICE_LANES : 1;
}

/* All arrays are resident: combs for them, the best for which there is memory. */
static cuzk_status choose_comb(cuzk_device_key *k, const cuzk_device_key_opts *opts,
                               uint64_t free_bytes, uint64_t load_bytes, cuzk_err *err)
{
    const uint64_t lanes = most_lanes(k, opts);
    const bool forced = opts->comb >= CUZK_DEVICE_COMB_3;
    const unsigned most = opts->comb == CUZK_DEVICE_COMB_3 ? 3 : CUZK_ACCEL_MAX_TEETH;
    uint64_t work = 0, making = 0;
    for (unsigned teeth = most;
         opts->comb != CUZK_DEVICE_COMB_NONE && teeth >= CUZK_ACCEL_MIN_TEETH; teeth--) {
        device_comb_choose(k, teeth, forced);
        CUZK_TRY(cuzk_device_prove_bytes(&work, k, err));
        CUZK_TRY(device_comb_bytes(&making, k, err));
        const uint64_t points = all_bytes(k);
        uint64_t beside = (forced ? 1 : lanes) * work;
        beside = beside > load_bytes ? beside : load_bytes;
        beside = beside > making ? beside : making;
        if (points <= free_bytes && beside <= free_bytes - points) {
            k->stats.teeth = making != 0 ? teeth : 0;
            return CUZK_OK;
        }
    }
    device_comb_choose(k, 0, true);
    return CUZK_OK;
}

/* All arrays on the device, when a proof fits next to them with sums in at most 8 parts. */
static cuzk_status choose_all(cuzk_device_key *k, uint64_t free_bytes, bool *fits, cuzk_err *err)
{
    uint64_t work = 0;
    k->joined = true;
    k->from_file = false;
    set_arrays(k);
    for (int a = 0; a < DEVICE_ARRAYS; a++) {
        k->points[a].resident = true;
    }
    const uint64_t points = all_bytes(k);
    CUZK_TRY(device_plan_bytes(&work, k, (device_plan_longest(k, true) + 7) / 8, err));
    *fits = points <= free_bytes && work <= free_bytes - points;
    return CUZK_OK;
}

static void keep_first(cuzk_device_key *k, int n)
{
    static const device_array order[DEVICE_ARRAYS] = {
        DEVICE_A_FULLS, DEVICE_B1_FULLS, DEVICE_L_FULLS, DEVICE_B2_FULLS, DEVICE_B2_BITS,
        DEVICE_B1_BITS, DEVICE_A_BITS,   DEVICE_L_BITS,  DEVICE_HL};
    for (int i = 0; i < DEVICE_ARRAYS; i++) {
        k->points[order[i]].resident = i < n;
    }
}

/*
 * Some arrays stay on the device, the shortest first; the others stream. Of all numbers of arrays, takes the one with
 * the fastest plan for a batch. E_DEV_NOMEM with the numbers where no proof fits even if all arrays stream.
 * load_bytes < free_bytes are needed in addition to the points until they are loaded.
 */
static cuzk_status choose_some(cuzk_device_key *k, uint64_t free_bytes, uint64_t load_bytes,
                               bool none, cuzk_err *err)
{
    static const cuzk_device_prove_opts opts;
    const uint32_t n = cuzk_accel_witness_bytes(k->dc) < LARGE_WITNESS ? STREAM_BATCH : 1;
    uint64_t least = UINT64_MAX;
    int best = 0;
    device_plan plan;
    k->joined = false;
    set_arrays(k);
    keep_first(k, 0);
    CUZK_TRY(device_plan_make(&plan, k, n, free_bytes, &opts, err));
    for (int i = 0; i < DEVICE_ARRAYS; i++) {
        uint64_t points = 0, ns;
        keep_first(k, i);
        for (int a = 0; a < DEVICE_ARRAYS; a++) {
            points += k->points[a].resident ? array_bytes(&k->points[a]) : 0;
        }
        if (points > free_bytes - load_bytes || (none && i > 0)) {
            break;
        }
        CUZK_TRY(device_plan_choose(&plan, &ns, k, n, free_bytes - points, &opts, err));
        if (plan.total != 0 && ns < least) {
            least = ns;
            best = i;
        }
    }
    keep_first(k, best);
    return CUZK_OK;
}

static cuzk_status alloc_array(cuzk_device_key *k, device_points *p, cuzk_err *err)
{
    void *m = NULL;
    if (p->resident) {
        const uint64_t bytes = device_room_of(p) * p->bytes;
        CUZK_TRY(cuzk_accel_alloc(k->dev, &m, bytes, err));
        p->d = m;
        if (p->image_bytes != 0) {
            CUZK_TRY(cuzk_accel_alloc(k->dev, &m, p->n * p->image_bytes, err));
            p->d_images = m;
        }
        const cuzk_accel_op op = {.kind = CUZK_ACCEL_OP_ZERO,
                                  .u.copy = {.d_dst = p->d, .bytes = bytes}};
        k->stats.device_bytes += array_bytes(p);
        return cuzk_accel_enqueue(k->q, &op, NULL, 0, err);
    }
    if (k->from_file) {
        return CUZK_OK;
    }
    CUZK_TRY(cuzk_accel_host_alloc(k->dev, &m, p->n * p->bytes, err));
    p->host = m;
    k->stats.host_bytes += p->n * p->bytes;
    return CUZK_OK;
}

/* Some arrays on the device; the file instead of a copy of the others on the host, if need be. */
static cuzk_status choose_and_open(cuzk_device_key *k, const cuzk_srs *srs,
                                   const cuzk_device_key_opts *opts, uint64_t free_bytes,
                                   uint64_t load_bytes, cuzk_err *err)
{
    uint64_t beside = 0;
    k->stream_images = opts->images;
    CUZK_TRY(choose_some(k, free_bytes, load_bytes, opts->stream, err));
    for (int a = 0; a < DEVICE_ARRAYS; a++) {
        beside += k->points[a].resident ? 0 : array_bytes(&k->points[a]);
    }
    const bool wanted = opts->points == CUZK_DEVICE_POINTS_FILE ||
                        (opts->points == CUZK_DEVICE_POINTS_AUTO && opts->host_bytes != 0 &&
                         beside > opts->host_bytes && srs != NULL && device_stream_possible(srs));
    if (!wanted || srs == NULL) {
        return CUZK_OK;
    }
    CUZK_TRY(device_stream_open(k, srs, opts->chunk_points, err));
    k->from_file = k->stats.from_file = true;
    k->stats.host_bytes = device_stream_host_bytes(k);
    return choose_some(k, free_bytes, load_bytes, opts->stream, err);
}

/*
 * load_bytes: device memory that loading needs for a while, in addition to the points. srs is
 * NULL when points are made.
 */
static cuzk_status place_arrays(cuzk_device_key *k, const cuzk_srs *srs,
                                const cuzk_device_key_opts *opts, uint64_t load_bytes,
                                cuzk_err *err)
{
    bool all = false;
    uint64_t free_bytes = free_memory(k);
    if (load_bytes >= free_bytes) {
        cuzk_accel_props props;
        cuzk_accel_get_props(k->dev, &props);
        return CUZK_FAIL(err, CUZK_E_DEV_NOMEM,
                         "%s (device %u): loading the parameters of %s needs %llu MiB of device "
                         "memory; %llu MiB are free",
                         props.name, props.ordinal, k->what != NULL ? k->what : "this circuit",
                         (unsigned long long)((load_bytes + (1u << 20) - 1) >> 20),
                         (unsigned long long)(free_bytes >> 20));
    }
    if (!opts->stream) {
        CUZK_TRY(choose_all(k, free_bytes, &all, err));
        all = all && all_bytes(k) <= free_bytes - load_bytes;
    }
    if (all) {
        if (opts->images) {
            CUZK_TRY(device_images_choose(k, most_lanes(k, opts), free_bytes, load_bytes, err));
        }
        CUZK_TRY(choose_comb(k, opts, free_bytes, load_bytes, err));
    } else {
        CUZK_TRY(choose_and_open(k, srs, opts, free_bytes, load_bytes, err));
    }
    k->stats.resident = true;
    for (int a = 0; a < DEVICE_ARRAYS; a++) {
        CUZK_TRY(alloc_array(k, &k->points[a], err));
        k->stats.resident = k->stats.resident && (k->points[a].resident || k->points[a].n == 0);
    }
    return CUZK_OK;
}

static cuzk_status add_lane(cuzk_device_key *k, cuzk_err *err)
{
    device_lane *lane = &k->lanes[k->n_lanes];
    CUZK_TRY(k->urgent ? cuzk_accel_queue_create_urgent(&lane->q, k->dev, err)
                       : cuzk_accel_queue_create(&lane->q, k->dev, err));
    CUZK_TRY(cuzk_accel_queue_create(&lane->copy, k->dev, err));
    k->n_lanes++;
    return CUZK_OK;
}

/*
 * A second call at once fills what one leaves idle: ends of kernels, small sums, the host's turns.
 * Only when all points are on the device and whole sums of both calls fit in the rest.
 */
static cuzk_status add_lanes(cuzk_device_key *k, const cuzk_device_key_opts *opts, cuzk_err *err)
{
    uint64_t one = 0;
    const uint32_t most = most_lanes(k, opts);
    CUZK_TRY(cuzk_device_prove_bytes(&one, k, err));
    while (k->stats.resident && k->n_lanes < most && (k->n_lanes + 1) * one <= free_memory(k)) {
        CUZK_TRY(add_lane(k, err));
    }
    k->stats.lanes = k->n_lanes;
    return CUZK_OK;
}

/*
 * The full table of twiddles only where all points stay on the device too: elsewhere other data needs the memory
 * more.
 */
static cuzk_status make_domain(cuzk_device_key *k, const cuzk_device_key_opts *opts, cuzk_err *err)
{
    const cuzk_fr *root =
        k->quotient == CUZK_QUOTIENT_ODD_COSET ? &CUZK_FR_ROOT_2_32_SNARKJS : NULL;
    const uint64_t free_bytes = free_memory(k);
    const uint64_t full = cuzk_accel_domain_bytes(k->dev, k->lg, CUZK_ACCEL_TWIDDLES_FULL);
    bool all = false;
    if (!opts->stream && full < free_bytes) {
        CUZK_TRY(choose_all(k, free_bytes - full, &all, err));
    }
    const cuzk_accel_twiddles twiddles = all ? CUZK_ACCEL_TWIDDLES_FULL : CUZK_ACCEL_TWIDDLES_SMALL;
    k->stats.device_bytes += cuzk_accel_domain_bytes(k->dev, k->lg, twiddles);
    return cuzk_accel_domain_create(&k->domain, k->q, k->lg, root, twiddles, err);
}

/*
 * Queues, circuit, twiddles. Their bytes are not the difference of the free memory before and after, since other calls
 * take and free memory meanwhile.
 */
static cuzk_status begin(cuzk_device_key *k, const cuzk_device_key_opts *opts, cuzk_err *err)
{
    (void)pthread_mutex_init(&k->lock, NULL); /* default attributes: cannot fail */
    (void)pthread_cond_init(&k->lane_free, NULL);
    k->has_lock = true;
    CUZK_TRY(add_lane(k, err));
    k->q = k->lanes[0].q;
    CUZK_TRY(cuzk_accel_circuit_create(&k->dc, k->q, k->circuit, k->all_wires, err));
    for (unsigned i = 0; i < CUZK_SRS_WIRE_SETS; i++) {
        cuzk_accel_section_split(k->dc, cuzk_srs_of_wire_set(i), &k->split[i]);
    }
    k->stats.device_bytes = cuzk_accel_circuit_bytes(k->dev, k->circuit, k->all_wires);
    return make_domain(k, opts, err);
}

static cuzk_device_key *new_key(cuzk_accel *dev, const cuzk_circuit *c,
                                const cuzk_device_key_opts *opts)
{
    cuzk_device_key *k = cuzk_alloc_zero(1, sizeof(*k));
    if (k != NULL) {
        k->dev = dev;
        k->circuit = c;
        k->lg = cuzk_circuit_lg_domain(c);
        k->what = opts->what;
        k->urgent = opts->urgent;
    }
    return k;
}

static const cuzk_device_key_opts no_opts;

/* The last steps after the points have been loaded; or destroys the key when st is a failure of the load. */
static cuzk_status finish(cuzk_device_key **out, device_loader *l, cuzk_span span, cuzk_status st,
                          cuzk_err *err)
{
    cuzk_device_key *k = l->k;
    device_loader_end(l);
    if (st == CUZK_OK) {
        st = device_images_make(k, err);
    }
    if (st == CUZK_OK) {
        st = device_comb_make(k, err);
    }
    if (st == CUZK_OK) {
        st = add_lanes(k, l->opts, err);
    }
    if (st == CUZK_OK) {
        device_stream_lock(k, l->opts->lock_bytes, l->opts->lock_small_pages);
    }
    cuzk_span_end(l->opts->trace, span, k->stats.device_bytes + k->stats.host_bytes);
    if (st != CUZK_OK) {
        cuzk_device_key_destroy(k);
        return st;
    }
    *out = k;
    return CUZK_OK;
}

cuzk_status cuzk_device_key_create(cuzk_device_key **out, cuzk_accel *dev, const cuzk_circuit *c,
                                   const cuzk_srs *srs, const cuzk_device_key_opts *opts,
                                   cuzk_pool *pool, const cuzk_cancel *cancel, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    opts = opts != NULL ? opts : &no_opts;
    CUZK_TRY(cuzk_prove_check_match(c, srs, err));
    cuzk_device_key *k = new_key(dev, c, opts);
    if (k == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a key");
    }
    const cuzk_span span = cuzk_span_begin(opts->trace, "srs_load", NULL);
    device_loader l = {.k = k, .opts = opts, .pool = pool, .cancel = cancel};
    k->quotient = cuzk_srs_quotient(srs);
    k->all_wires = cuzk_srs_all_wires(srs);
    CUZK_TRY_GOTO(st, copy_vk(k, cuzk_srs_get_vk(srs), err));
    CUZK_TRY_GOTO(st, begin(k, opts, err));
    device_loader_size(&l, opts->chunk_points);
    CUZK_TRY_GOTO(st, place_arrays(k, srs, opts, device_loader_bytes(&l) + l.input_bytes, err));
    CUZK_TRY_GOTO(st, device_loader_begin(&l, err));
    st = device_load_srs(&l, srs, err);
out:
    return finish(out, &l, span, st, err);
}

cuzk_status cuzk_device_key_setup(cuzk_device_key **out, cuzk_accel *dev, const cuzk_circuit *c,
                                  const cuzk_toxic *toxic, const cuzk_device_key_opts *opts,
                                  const cuzk_cancel *cancel, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    cuzk_srs_vk vk = {.n_ic = (uint32_t)c->n_inputs};
    opts = opts != NULL ? opts : &no_opts;
    cuzk_device_key *k = new_key(dev, c, opts);
    if (k == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a key");
    }
    const cuzk_span span = cuzk_span_begin(opts->trace, "srs_make", NULL);
    device_loader l = {.k = k, .opts = opts, .cancel = cancel};
    uint64_t setup_bytes;
    cuzk_setup_vk_points(&vk, toxic);
    CUZK_TRY_GOTO(st, copy_vk(k, &vk, err));
    CUZK_TRY_GOTO(st, begin(k, opts, err));
    device_loader_size(&l, opts->chunk_points);
    setup_bytes = cuzk_accel_setup_bytes(dev, c, l.chunk);
    if (setup_bytes == 0) {
        st = CUZK_FAIL(err, CUZK_E_UNSUPPORTED, "this device makes no parameters");
        goto out;
    }
    CUZK_TRY_GOTO(st, place_arrays(k, NULL, opts, device_loader_bytes(&l) + setup_bytes, err));
    CUZK_TRY_GOTO(st, device_loader_begin(&l, err));
    st = device_load_setup(&l, toxic, setup_bytes, err);
out:
    return finish(out, &l, span, st, err);
}
