/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Loads points. A chunk of a section is copied to the device. Its points of bit wires and of full wires go to their
 * arrays: at once where the array is on the device, else through a buffer to the host.
 */
#include "device_load.h"

#include <string.h>

#include "base/alloc.h"
#include "groth16/params/srs_internal.h"

#include "device_stream.h"

#define CHUNK       ((uint64_t)1 << 20)
#define LEAST_CHUNK ((uint64_t)1 << 14)

uint64_t device_section_count(const cuzk_device_key *k, cuzk_srs_section s)
{
    if (s == CUZK_SRS_H) {
        return ((uint64_t)1 << k->lg) - (k->quotient == CUZK_QUOTIENT_COEFFS ? 1 : 0);
    }
    return device_section_split(k, s)->n_points;
}

/* Small devices load in small steps: four of them lie on the device, of points of G2. */
static uint64_t fitting_chunk(const cuzk_device_key *k)
{
    cuzk_accel_props props;
    uint64_t chunk = CHUNK;
    cuzk_accel_get_props(k->dev, &props);
    while (chunk > LEAST_CHUNK && 4 * chunk * sizeof(cuzk_g2_affine) > props.memory_free / 16) {
        chunk /= 2;
    }
    return chunk;
}

void device_loader_size(device_loader *l, uint64_t chunk)
{
    uint64_t longest = 1024;
    l->total = 0;
    for (int s = 0; s < CUZK_SRS_SECTIONS; s++) {
        const uint64_t n = device_section_count(l->k, (cuzk_srs_section)s);
        longest = n > longest ? n : longest;
        l->total += n;
    }
    l->chunk = 1024; /* a power of two, for setup */
    chunk = chunk != 0 ? chunk : fitting_chunk(l->k);
    while (l->chunk < chunk && l->chunk < longest) {
        l->chunk *= 2;
    }
    l->part_bytes = l->chunk * sizeof(cuzk_g2_affine);
    l->input_bytes = 2 * l->part_bytes;
}

uint64_t device_loader_bytes(const device_loader *l)
{
    return 2 * l->part_bytes;
}

cuzk_status device_loader_begin(device_loader *l, cuzk_err *err)
{
    void *d = NULL;
    if (l->k->stats.resident) {
        return CUZK_OK;
    }
    CUZK_TRY(cuzk_accel_alloc(l->k->dev, &d, 2 * l->part_bytes, err));
    l->d_bits = d;
    l->d_fulls = l->d_bits + l->part_bytes;
    return CUZK_OK;
}

void device_loader_end(device_loader *l)
{
    cuzk_accel *dev = l->k->dev;
    if (l->k->q != NULL) {
        /* after a failure: no enqueued work may use the buffers */
        cuzk_ignore(cuzk_accel_sync(l->k->q, NULL));
    }
    cuzk_accel_free(dev, l->d_bits);
    cuzk_accel_free(dev, l->d_input[0]);
    cuzk_accel_host_free(dev, l->staging[0]);
    l->d_bits = l->d_fulls = l->d_input[0] = l->d_input[1] = l->staging[0] = l->staging[1] = NULL;
}

static cuzk_status copy(const device_loader *l, cuzk_accel_op_kind kind, void *dst, const void *src,
                        uint64_t bytes, cuzk_err *err)
{
    const cuzk_accel_op op = {.kind = kind, .u.copy = {.d_dst = dst, .src = src, .bytes = bytes}};
    return cuzk_accel_enqueue(l->k->q, &op, NULL, 0, err);
}

/* Where the points of a section's bit or full wires go, and the slot of the first one. */
typedef struct place {
    device_points *p;
    uint64_t shift; /* slots of the array before the section's */
} place;

static void places(cuzk_device_key *k, cuzk_srs_section s, place *bits, place *fulls)
{
    bits->p = &k->points[device_bits_of(s)];
    fulls->p = &k->points[device_fulls_of(s)];
    bits->shift = device_first_of(bits->p);
    fulls->shift = 0;
    if (s == CUZK_SRS_L && k->joined) {
        fulls->p = &k->points[DEVICE_HL];
        fulls->shift = (uint64_t)1 << k->lg;
    }
}

static cuzk_status put_h(device_loader *l, uint64_t first, uint64_t n, const void *d_points,
                         cuzk_err *err)
{
    const device_points *p = &l->k->points[DEVICE_HL];
    const uint64_t at = first * p->bytes;
    if (!p->resident && p->host == NULL) {
        return CUZK_OK; /* the points stay in the file */
    }
    return p->resident ? copy(l, CUZK_ACCEL_OP_COPY, p->d + at, d_points, n * p->bytes, err)
                       : copy(l, CUZK_ACCEL_OP_DOWNLOAD, p->host + at, d_points, n * p->bytes, err);
}

static cuzk_status put_split(device_loader *l, cuzk_srs_section s, uint64_t first, uint64_t n,
                             const void *d_points, cuzk_err *err)
{
    cuzk_device_key *k = l->k;
    uint64_t bit[2], full[2];
    place b, f;
    places(k, s, &b, &f);
    cuzk_accel_section_slots(k->dc, s, first, &bit[0], &full[0]);
    cuzk_accel_section_slots(k->dc, s, first + n, &bit[1], &full[1]);
    const uint64_t size = b.p->bytes;
    cuzk_accel_op op = {
        .kind = s == CUZK_SRS_B_G2 ? CUZK_ACCEL_OP_SPLIT_G2 : CUZK_ACCEL_OP_SPLIT_G1,
        .u.split = {.circuit = k->dc,
                    .section = s,
                    .d_points = d_points,
                    .first = first,
                    .n = n,
                    .d_bits = b.p->resident ? b.p->d + (b.shift + bit[0]) * size : l->d_bits,
                    .d_fulls = f.p->resident ? f.p->d + (f.shift + full[0]) * size : l->d_fulls,
                    .bit_slot = bit[0],
                    .full_slot = full[0]}};
    if (!b.p->resident && b.p->host != NULL) {
        CUZK_TRY(copy(l, CUZK_ACCEL_OP_ZERO, l->d_bits, NULL, (bit[1] - bit[0]) * size, err));
    }
    CUZK_TRY(cuzk_accel_enqueue(k->q, &op, NULL, 0, err));
    if (!b.p->resident && b.p->host != NULL) {
        CUZK_TRY(copy(l, CUZK_ACCEL_OP_DOWNLOAD, b.p->host + (b.shift + bit[0]) * size, l->d_bits,
                      (bit[1] - bit[0]) * size, err));
    }
    if (!f.p->resident && f.p->host != NULL) {
        CUZK_TRY(copy(l, CUZK_ACCEL_OP_DOWNLOAD, f.p->host + (f.shift + full[0]) * size, l->d_fulls,
                      (full[1] - full[0]) * size, err));
    }
    return CUZK_OK;
}

/*
 * Stores points [first, first + n) of a section. They are at d_points, or will be there when the enqueued work is
 * done.
 */
static cuzk_status put(device_loader *l, cuzk_srs_section s, uint64_t first, uint64_t n,
                       const void *d_points, cuzk_err *err)
{
    if (cuzk_cancel_requested(l->cancel)) {
        return CUZK_FAIL(err, CUZK_E_CANCELLED, "loading of parameters cancelled");
    }
    if (s == CUZK_SRS_H) {
        CUZK_TRY(put_h(l, first, n, d_points, err));
    } else {
        CUZK_TRY(put_split(l, s, first, n, d_points, err));
    }
    l->done += n;
    if (l->opts->progress != NULL) {
        l->opts->progress(l->opts->progress_arg, cuzk_srs_section_name(s), l->done, l->total);
    }
    return CUZK_OK;
}

/* Arrays on the host have no zeroed slot for the coefficient that is left out. */
static void clear_host_gap(cuzk_device_key *k)
{
    const device_points *p = &k->points[DEVICE_HL];
    if (!p->resident && p->host != NULL && k->quotient == CUZK_QUOTIENT_COEFFS) {
        memset(p->host + (((uint64_t)1 << k->lg) - 1) * p->bytes, 0, p->bytes);
    }
}

typedef struct copy_job {
    uint8_t *dst;
    const uint8_t *src;
} copy_job;

static cuzk_status copy_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    const copy_job *j = arg;
    (void)worker;
    memcpy(j->dst + begin, j->src + begin, end - begin);
    return CUZK_OK;
}

cuzk_status device_copy(void *dst, const void *src, size_t bytes, cuzk_pool *pool,
                        const cuzk_cancel *cancel)
{
    copy_job j = {dst, src};
    return cuzk_parallel_for(pool, cancel, bytes, (size_t)1 << 20, copy_range, &j);
}

/* Copies points to a staging buffer: encoded as they are in the file, or decoded. */
static cuzk_status read_chunk(device_loader *l, const cuzk_srs *srs, cuzk_srs_section s,
                              uint64_t first, uint64_t n, uint8_t *to, cuzk_err *err)
{
    if (l->k->stream != NULL) {
        return device_stream_read(l->k, s, first, n, to, l->cancel, err);
    }
    if (cuzk_srs_is_encoded(srs)) {
        return cuzk_srs_read_encoded(srs, s, first, n, to, l->pool, l->cancel, err);
    }
    if (s == CUZK_SRS_B_G2) {
        return cuzk_srs_read_g2(srs, s, first, n, (cuzk_g2_affine *)(void *)to, l->pool, err);
    }
    return cuzk_srs_read_g1(srs, s, first, n, (cuzk_g1_affine *)(void *)to, l->pool, err);
}

static cuzk_status send_chunk(device_loader *l, const cuzk_srs *srs, cuzk_srs_section s,
                              uint64_t first, uint64_t n, int b, cuzk_err *err)
{
    const bool g2 = s == CUZK_SRS_B_G2;
    const bool encoded = cuzk_srs_is_encoded(srs);
    const size_t size = encoded ? cuzk_srs_point_bytes(s)
                        : g2    ? sizeof(cuzk_g2_affine)
                                : sizeof(cuzk_g1_affine);
    CUZK_TRY(copy(l, CUZK_ACCEL_OP_UPLOAD, l->d_input[b], l->staging[b], n * size, err));
    if (encoded) {
        const cuzk_accel_op op = {.kind = g2 ? CUZK_ACCEL_OP_DECODE_G2 : CUZK_ACCEL_OP_DECODE_G1,
                                  .u.decode = {.d_out = l->d_input[b],
                                               .d_in = l->d_input[b],
                                               .n = n,
                                               .check = l->opts->check,
                                               .what = cuzk_srs_section_name(s),
                                               .first = first}};
        CUZK_TRY(cuzk_accel_enqueue(l->k->q, &op, NULL, 0, err));
    }
    return put(l, s, first, n, l->d_input[b], err);
}

/* One buffer is filled while the device works on the other. */
cuzk_status device_load_srs(device_loader *l, const cuzk_srs *srs, cuzk_err *err)
{
    cuzk_accel *dev = l->k->dev;
    void *d = NULL, *h = NULL;
    int b = 0;
    CUZK_TRY(cuzk_accel_alloc(dev, &d, l->input_bytes, err));
    l->d_input[0] = d;
    l->d_input[1] = l->d_input[0] + l->part_bytes;
    CUZK_TRY(cuzk_accel_host_alloc(dev, &h, l->input_bytes, err));
    l->staging[0] = h;
    l->staging[1] = l->staging[0] + l->part_bytes;
    clear_host_gap(l->k);
    for (int i = 0; i < CUZK_SRS_SECTIONS; i++) {
        const cuzk_srs_section s = (cuzk_srs_section)i;
        const uint64_t total = cuzk_srs_count(srs, s);
        for (uint64_t at = 0; at < total; at += l->chunk, b = 1 - b) {
            const uint64_t n = total - at < l->chunk ? total - at : l->chunk;
            CUZK_TRY(read_chunk(l, srs, s, at, n, l->staging[b], err));
            CUZK_TRY(cuzk_accel_sync(l->k->q, err));
            CUZK_TRY(send_chunk(l, srs, s, at, n, b, err));
        }
    }
    CUZK_TRY(device_stream_check(l->k, err));
    return cuzk_accel_sync(l->k->q, err);
}

static cuzk_status take_made(void *arg, cuzk_srs_section section, uint64_t first, uint64_t n,
                             const void *d_points, cuzk_err *err)
{
    device_loader *l = arg;
    if (section == CUZK_SRS_IC) {
        return copy(l, CUZK_ACCEL_OP_DOWNLOAD, l->k->ic + first, d_points,
                    n * sizeof(cuzk_g1_affine), err);
    }
    return put(l, section, first, n, d_points, err);
}

cuzk_status device_load_setup(device_loader *l, const cuzk_toxic *toxic, uint64_t setup_bytes,
                              cuzk_err *err)
{
    void *d = NULL;
    CUZK_TRY(cuzk_accel_alloc(l->k->dev, &d, setup_bytes, err));
    clear_host_gap(l->k);
    cuzk_status st =
        cuzk_accel_setup(l->k->q, l->k->circuit, toxic, l->chunk, d, take_made, l, err);
    if (st == CUZK_OK) {
        st = cuzk_accel_sync(l->k->q, err);
    } else {
        cuzk_ignore(cuzk_accel_sync(l->k->q, NULL));
    }
    cuzk_accel_free(l->k->dev, d);
    return st;
}
