/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "device_stream.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "groth16/params/srs_internal.h"

#include "device_load.h"
#include "device_lock.h"

/* A piece is some milliseconds of reading and one of transfer. */
#define PIECE_BYTES  ((uint64_t)64 << 20)
#define MOST_THREADS 16u /* more do not read faster */
#define WORD         64u
/* Locked at a time: what the resident set of the process grows by meanwhile. */
#define BLOCK_BYTES  ((uint64_t)256 << 20)
/* Of smaller uploads the driver may copy the bytes by a processor (sys/file.h). */
#define LEAST_DIRECT ((uint64_t)1 << 20)
/* Pages of 2 MiB were locked at 44 GB/s on an H200's host. Smaller ones are not worth it below this. */
#define LEAST_RATE   ((uint64_t)4000000000u)
#define READ_PS      75u /* a byte that is read from the page cache and copied */
#define LOCKED_PS \
    25u /* a byte that the device copies from the page cache, unless it has been timed */
#define TIMED_BYTES ((uint64_t)64 << 20)
#define ALIGN       255u

struct device_stream {
    cuzk_srs *file; /* its own; NULL: the caller's srs */
    const cuzk_srs *srs;
    cuzk_pool *pool; /* a pool of its own, so that making witnesses does not delay the device */
    uint64_t piece;  /* bytes of a buffer */
    uint8_t *staging[2];
    device_lock locks[CUZK_SRS_SECTIONS];
    uint64_t least_direct; /* bytes of an upload from a locked part */
    uint64_t block;        /* bytes locked at a time */
    uint32_t locked_ps;    /* of a byte of them */
    /*
     * Pieces so far, over all feeds: the last one of a feed may still be copied when the next feed
     * begins, and must not be overwritten. Calls share no lane, so only this call counts.
     */
    unsigned staged;
};

device_array device_bits_of(cuzk_srs_section s)
{
    static const device_array arrays[CUZK_SRS_SECTIONS] = {DEVICE_HL, DEVICE_L_BITS, DEVICE_A_BITS,
                                                           DEVICE_B1_BITS, DEVICE_B2_BITS};
    return arrays[s];
}

device_array device_fulls_of(cuzk_srs_section s)
{
    static const device_array arrays[CUZK_SRS_SECTIONS] = {
        DEVICE_ARRAYS, DEVICE_L_FULLS, DEVICE_A_FULLS, DEVICE_B1_FULLS, DEVICE_B2_FULLS};
    return arrays[s];
}

/* Slices. */

static bool has_to_stream(const cuzk_device_key *k, device_array a)
{
    return a != DEVICE_ARRAYS && !k->points[a].resident && k->points[a].n > 0;
}

static void slots_before(const cuzk_device_key *k, const device_slice *s, uint64_t i, uint64_t *bit,
                         uint64_t *full)
{
    cuzk_accel_section_slots(k->dc, (cuzk_srs_section)s->section, i, bit, full);
}

/* The first point behind s->first with at least that many slots of bits before it, at most end. */
static uint64_t find_bit(const cuzk_device_key *k, const device_slice *s, uint64_t bits,
                         uint64_t end)
{
    uint64_t low = s->first + 1, high = end, bit, full;
    while (low < high) {
        const uint64_t mid = low + (high - low) / 2;
        slots_before(k, s, mid, &bit, &full);
        if (bit < bits) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return high;
}

/* Fills in which slots the points of a slice have: s->section, first and n are set. */
static void find_slots(device_slice *s, const cuzk_device_key *k)
{
    uint64_t bit[2], full[2];
    slots_before(k, s, s->first, &bit[0], &full[0]);
    slots_before(k, s, s->first + s->n, &bit[1], &full[1]);
    s->full = full[0];
    s->n_fulls = full[1] - full[0];
    s->bit = bit[0] - bit[0] % WORD;
    s->n_bits = bit[1] - s->bit;
    if (s->n_bits % WORD != 0) { /* the last word may have bits of the next slice */
        const uint64_t whole = s->n_bits + WORD - s->n_bits % WORD;
        const uint64_t all = device_section_split(k, (cuzk_srs_section)s->section)->n_bits;
        s->n_bits = whole < all - s->bit ? whole : all - s->bit;
    }
    if (bit[1] == bit[0]) {
        s->n_bits = 0;
    }
}

/* Fills in everything that follows from s->section, first and n. */
static void finish(device_slice *s, const cuzk_device_key *k)
{
    const cuzk_srs_section section = (cuzk_srs_section)s->section;
    const bool is_h = section == CUZK_SRS_H;
    if (!is_h) {
        find_slots(s, k);
    }
    s->sum_bits = has_to_stream(k, device_bits_of(section)) && (is_h || s->n_bits > 0);
    s->sum_fulls = has_to_stream(k, device_fulls_of(section)) && s->n_fulls > 0;
}

/*
 * Length of a slice that begins at s->first. Slices end where a multiple of `step` bits is full, so that
 * all sums but the last have the same length, unless too many others are in between.
 */
static uint64_t length_of(const device_slice *s, const cuzk_device_key *k, uint64_t step,
                          uint64_t total)
{
    const uint64_t left = total - s->first;
    if (s->section == CUZK_SRS_H) {
        return left < step ? left : step;
    }
    uint64_t bit, full;
    const uint64_t most = step + step / 8 + 1;
    slots_before(k, s, s->first, &bit, &full);
    return find_bit(k, s, (bit / step + 1) * step, s->first + (left < most ? left : most)) -
           s->first;
}

bool device_slice_next(device_slice *s, const cuzk_device_key *k, uint64_t slice)
{
    const uint64_t at = s->first + s->n;
    for (unsigned i = s->section; i < CUZK_SRS_SECTIONS; i++) {
        const cuzk_srs_section section = (cuzk_srs_section)i;
        const device_array bits = device_bits_of(section), fulls = device_fulls_of(section);
        const uint64_t first = i == s->section ? at : 0;
        const uint64_t total = device_section_count(k, section);
        if (first >= total || (!has_to_stream(k, bits) && !has_to_stream(k, fulls))) {
            continue;
        }
        *s = (device_slice){.section = (uint8_t)i, .first = first};
        s->n = length_of(s, k, device_slice_of(&k->points[bits], slice), total);
        finish(s, k);
        return true;
    }
    return false;
}

uint32_t device_slice_parts(device_slice out[DEVICE_MOST_PARTS], const device_slice *s,
                            const cuzk_device_key *k, unsigned lg)
{
    const uint64_t least = s->n >> lg;
    uint64_t at = 0;
    uint32_t n = 0;
    if (least == 0) {
        out[0] = *s;
        return 1;
    }
    while (at < s->n) { /* as many points as came before, at least the first part's */
        const uint64_t next = n == lg ? s->n : at == 0 ? least : 2 * at;
        out[n] = (device_slice){.section = s->section, .first = s->first + at, .n = next - at};
        finish(&out[n++], k);
        at = next;
    }
    return n;
}

static uint64_t point_bytes(const device_slice *s)
{
    return cuzk_srs_point_bytes((cuzk_srs_section)s->section); /* decoded ones have as many */
}

uint64_t device_slice_input(const device_slice *s)
{
    return s->n * point_bytes(s);
}

static uint64_t bits_bytes(const device_slice *s)
{
    return (s->n_bits * point_bytes(s) + ALIGN) & ~(uint64_t)ALIGN;
}

uint64_t device_slice_split(const device_slice *s)
{
    return bits_bytes(s) + s->n_fulls * point_bytes(s);
}

/* The file. */

bool device_stream_possible(const cuzk_srs *srs)
{
    return srs->file != NULL && !cuzk_file_is_in_memory(srs->file);
}

cuzk_status device_stream_open(cuzk_device_key *k, const cuzk_srs *srs, uint64_t piece,
                               cuzk_err *err)
{
    device_stream *t = cuzk_alloc_zero(1, sizeof(*t));
    const unsigned cpus = cuzk_cpu_count();
    const cuzk_pool_cfg cfg = {.n_threads = cpus < MOST_THREADS ? cpus : MOST_THREADS,
                               .name = "stream"};
    void *m = NULL;
    if (t == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to stream points");
    }
    k->stream = t;
    t->srs = srs;
    if (device_stream_possible(srs)) {
        CUZK_TRY(cuzk_srs_dup_file(&t->file, srs, err));
        t->srs = t->file;
    }
    CUZK_TRY(cuzk_pool_create(&t->pool, &cfg, err));
    t->piece = piece != 0 ? piece * sizeof(cuzk_g2_affine) : PIECE_BYTES;
    t->piece -= t->piece % sizeof(cuzk_g2_affine);
    t->least_direct = piece != 0 ? 1 : LEAST_DIRECT;
    t->block = piece != 0 ? 4096 : BLOCK_BYTES;
    t->locked_ps = LOCKED_PS;
    for (int i = 0; i < 2; i++) {
        CUZK_TRY(cuzk_accel_host_alloc(k->dev, &m, t->piece, err));
        t->staging[i] = m;
    }
    return CUZK_OK;
}

void device_stream_close(cuzk_device_key *k)
{
    device_stream *t = k->stream;
    if (t == NULL) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        cuzk_accel_host_free(k->dev, t->staging[i]);
    }
    for (int s = 0; s < CUZK_SRS_SECTIONS; s++) {
        device_lock_release(&t->locks[s], k->dev);
    }
    cuzk_pool_destroy(t->pool);
    cuzk_srs_close(t->file);
    cuzk_free(t);
    k->stream = NULL;
}

uint64_t device_stream_host_bytes(const cuzk_device_key *k)
{
    return 2 * k->stream->piece;
}

cuzk_status device_stream_read(const cuzk_device_key *k, cuzk_srs_section s, uint64_t first,
                               uint64_t n, void *dst, const cuzk_cancel *cancel, cuzk_err *err)
{
    const device_stream *t = k->stream;
    if (cuzk_srs_is_encoded(t->srs)) {
        return cuzk_srs_read_encoded(t->srs, s, first, n, dst, t->pool, cancel, err);
    }
    if (cuzk_cancel_requested(cancel)) {
        return CUZK_FAIL(err, CUZK_E_CANCELLED, "cancelled while reading parameters");
    }
    return s == CUZK_SRS_B_G2 ? cuzk_srs_read_g2(t->srs, s, first, n, dst, t->pool, err)
                              : cuzk_srs_read_g1(t->srs, s, first, n, dst, t->pool, err);
}

cuzk_status device_stream_check(const cuzk_device_key *k, cuzk_err *err)
{
    return k->stream == NULL || k->stream->file == NULL
               ? CUZK_OK
               : cuzk_file_check(k->stream->file->file, err);
}

cuzk_status device_stream_failure(const cuzk_device_key *k, cuzk_status st, cuzk_err *err)
{
    const bool is_point = st == CUZK_E_ENCODING || st == CUZK_E_INFINITY ||
                          st == CUZK_E_NOT_ON_CURVE || st == CUZK_E_NOT_IN_GROUP;
    if (!is_point || k->stream == NULL || k->stream->file == NULL) {
        return st;
    }
    return CUZK_FAIL(err, CUZK_E_IO, "%s: has other points than when it was loaded: %s",
                     k->stream->file->name, cuzk_status_text(st));
}

/* Sections that are locked in the page cache. */

static uint64_t section_bytes(const cuzk_device_key *k, cuzk_srs_section s)
{
    return device_section_count(k, s) * cuzk_srs_point_bytes(s);
}

/* Times the copy of a block to the device, the second time, if there is device memory for it. */
static void time_copy(cuzk_device_key *k, const device_lock *l)
{
    uint64_t n = TIMED_BYTES, begun = 0;
    void *d = NULL;
    const uint8_t *src = device_lock_find(l, l->view.at, &n);
    if (src == NULL || n < TIMED_BYTES || cuzk_accel_alloc(k->dev, &d, n, NULL) != CUZK_OK) {
        return;
    }
    const cuzk_accel_op op = {.kind = CUZK_ACCEL_OP_UPLOAD,
                              .u.copy = {.d_dst = d, .src = src, .bytes = n}};
    cuzk_status st = CUZK_OK;
    for (int i = 0; i < 2 && st == CUZK_OK; i++) {
        begun = cuzk_clock_ns();
        st = cuzk_accel_enqueue(k->q, &op, NULL, 0, NULL);
        if (cuzk_accel_sync(k->q, NULL) != CUZK_OK) {
            st = CUZK_E_DEV_LOST; /* the first call notices */
        }
    }
    if (st == CUZK_OK) {
        const uint64_t ps = (cuzk_clock_ns() - begun) * 1000 / n;
        k->stream->locked_ps = (uint32_t)(ps < 1 ? 1 : ps < READ_PS ? ps : READ_PS);
    }
    cuzk_accel_free(k->dev, d);
}

void device_stream_lock(cuzk_device_key *k, uint64_t most, bool small_pages)
{
    device_stream *t = k->stream;
    if (t == NULL || t->file == NULL) {
        return;
    }
    const uint64_t least_rate = small_pages || t->block < BLOCK_BYTES ? 0 : LEAST_RATE;
    for (unsigned i = 0; i < CUZK_SRS_SECTIONS; i++) {
        const cuzk_srs_section s = (cuzk_srs_section)i;
        const uint64_t bytes = section_bytes(k, s);
        if ((!has_to_stream(k, device_bits_of(s)) && !has_to_stream(k, device_fulls_of(s))) ||
            bytes > most ||
            device_lock_take(&t->locks[s], k->dev, t->file->file, t->file->offset[s], bytes,
                             t->block, least_rate, NULL) != CUZK_OK) {
            continue;
        }
        most -= bytes;
        if (k->stats.locked_bytes == 0) {
            time_copy(k, &t->locks[s]);
        }
        k->stats.locked_bytes += bytes;
    }
}

uint32_t device_stream_ps(const cuzk_device_key *k, cuzk_srs_section s)
{
    const device_stream *t = k->stream;
    return t != NULL && t->locks[s].locked != 0 ? t->locked_ps : READ_PS;
}

/* The way to the device. */

static uint8_t *input_of(const device_feed *f, uint32_t i)
{
    return i == 0 ? f->d_first : f->d_input[i % 2];
}

/* Bytes [at, at + n) of the file to d, from where they are locked. */
static cuzk_status copy_locked(device_feed *f, const uint8_t *src, uint64_t n, uint8_t *d,
                               cuzk_err *err)
{
    const cuzk_accel_op op = {.kind = CUZK_ACCEL_OP_UPLOAD,
                              .u.copy = {.d_dst = d, .src = src, .bytes = n}};
    return cuzk_accel_enqueue(f->lane->copy, &op, NULL, 0, err);
}

/* The same through a buffer: at most t->piece bytes, which one thread reads. */
static cuzk_status copy_read(device_feed *f, uint64_t at, uint64_t n, uint8_t *d, cuzk_err *err)
{
    device_stream *t = f->k->stream;
    uint8_t *staging = t->staging[t->staged++ % 2];
    CUZK_TRY(cuzk_srs_read_bytes(t->srs, staging, at, n, err));
    const cuzk_accel_op op = {.kind = CUZK_ACCEL_OP_UPLOAD,
                              .u.copy = {.d_dst = d, .src = staging, .bytes = n}};
    CUZK_TRY(cuzk_accel_sync(f->lane->copy, err));
    return cuzk_accel_enqueue(f->lane->copy, &op, NULL, 0, err);
}

/*
 * A slice of a locked section. The host waits for the slice before, so that it is never more than two slices ahead
 * of the device, and a cancelled call ends soon.
 */
static cuzk_status send_locked(device_feed *f, uint32_t i, cuzk_err *err)
{
    const device_stream *t = f->k->stream;
    const device_slice *s = &f->slices[i];
    const uint64_t from = t->srs->offset[s->section] + s->first * point_bytes(s);
    const uint64_t bytes = device_slice_input(s);
    CUZK_TRY(cuzk_accel_sync(f->lane->copy, err));
    for (uint64_t done = 0, n; done < bytes; done += n) {
        n = bytes - done;
        const uint8_t *src = device_lock_find(&t->locks[s->section], from + done, &n);
        uint8_t *d = input_of(f, i) + done;
        if (cuzk_cancel_requested(f->cancel)) {
            return CUZK_FAIL(err, CUZK_E_CANCELLED, "cancelled while parameters were copied");
        }
        if (src != NULL && n >= t->least_direct) {
            CUZK_TRY(copy_locked(f, src, n, d, err));
        } else {
            n = n < t->piece ? n : t->piece;
            CUZK_TRY(copy_read(f, from + done, n, d, err));
        }
    }
    return CUZK_OK;
}

static cuzk_status send(device_feed *f, uint32_t i, cuzk_err *err)
{
    device_stream *t = f->k->stream;
    const device_slice *s = &f->slices[i];
    const uint64_t size = point_bytes(s), piece = t->piece / size;
    if (t->locks[s->section].locked != 0) {
        return send_locked(f, i, err);
    }
    for (uint64_t at = 0; at < s->n; at += piece) {
        const uint64_t n = s->n - at < piece ? s->n - at : piece;
        uint8_t *staging = t->staging[t->staged++ % 2];
        CUZK_TRY(device_stream_read(f->k, (cuzk_srs_section)s->section, s->first + at, n, staging,
                                    f->cancel, err));
        const cuzk_accel_op op = {
            .kind = CUZK_ACCEL_OP_UPLOAD,
            .u.copy = {.d_dst = input_of(f, i) + at * size, .src = staging, .bytes = n * size}};
        /* The piece before must have been copied, since its buffer is filled next. */
        CUZK_TRY(cuzk_accel_sync(f->lane->copy, err));
        CUZK_TRY(cuzk_accel_enqueue(f->lane->copy, &op, NULL, 0, err));
    }
    return CUZK_OK;
}

cuzk_status device_feed_begin(device_feed *f, cuzk_err *err)
{
    return f->n == 0 ? CUZK_OK : send(f, 0, err);
}

static cuzk_status decode(const device_feed *f, const device_slice *s, uint8_t *d, cuzk_err *err)
{
    const cuzk_srs_section section = (cuzk_srs_section)s->section;
    if (!cuzk_srs_is_encoded(f->k->stream->srs)) {
        return CUZK_OK;
    }
    const cuzk_accel_op op = {
        .kind = section == CUZK_SRS_B_G2 ? CUZK_ACCEL_OP_DECODE_G2 : CUZK_ACCEL_OP_DECODE_G1,
        .u.decode = {.d_out = d,
                     .d_in = d,
                     .n = s->n,
                     .check = CUZK_POINT_UNCHECKED, /* they were checked when they were loaded */
                     .what = cuzk_srs_section_name(section),
                     .first = s->first}};
    return cuzk_accel_enqueue(f->lane->q, &op, NULL, 0, err);
}

static cuzk_status split(const device_feed *f, const device_slice *s, const uint8_t *d,
                         cuzk_err *err)
{
    const cuzk_srs_section section = (cuzk_srs_section)s->section;
    const cuzk_accel_op zero = {.kind = CUZK_ACCEL_OP_ZERO,
                                .u.copy = {.d_dst = f->d_split, .bytes = bits_bytes(s)}};
    const cuzk_accel_op op = {.kind = section == CUZK_SRS_B_G2 ? CUZK_ACCEL_OP_SPLIT_G2
                                                               : CUZK_ACCEL_OP_SPLIT_G1,
                              .u.split = {.circuit = f->k->dc,
                                          .section = section,
                                          .d_points = d,
                                          .first = s->first,
                                          .n = s->n,
                                          .d_bits = f->d_split,
                                          .d_fulls = f->d_split + bits_bytes(s),
                                          .bit_slot = s->bit,
                                          .full_slot = s->full}};
    if (s->sum_bits) {
        CUZK_TRY(cuzk_accel_enqueue(f->lane->q, &zero, NULL, 0, err));
    }
    return cuzk_accel_enqueue(f->lane->q, &op, NULL, 0, err);
}

cuzk_status device_feed_take(device_feed *f, uint32_t i, const uint8_t **d_bits,
                             const uint8_t **d_fulls, cuzk_err *err)
{
    const device_slice *s = &f->slices[i];
    uint8_t *d = input_of(f, i);
    /* The next slice overwrites the one before this one, after its sums and during those of this slice. */
    CUZK_TRY(cuzk_accel_wait(f->lane->copy, f->lane->q, err));
    CUZK_TRY(cuzk_accel_wait(f->lane->q, f->lane->copy, err));
    CUZK_TRY(decode(f, s, d, err));
    *d_bits = d;
    *d_fulls = NULL;
    if (s->section == CUZK_SRS_H) {
        return CUZK_OK;
    }
    *d_bits = f->d_split;
    *d_fulls = f->d_split + bits_bytes(s);
    return split(f, s, d, err);
}

cuzk_status device_feed_ahead(device_feed *f, uint32_t i, cuzk_err *err)
{
    return i + 1 < f->n ? send(f, i + 1, err) : CUZK_OK;
}
