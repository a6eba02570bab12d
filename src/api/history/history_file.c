/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "api/history/history_file.h"

#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/reader.h"
#include "sys/file.h"

/* Bytes 0..7: magic and version. Then, little endian: u32 seconds a sample, u32 samples, u64 unix seconds at which the newest sample
 * began, u64 zero; each sample, oldest first: completed, failed, queued, running, looks, busy_sum, celsius, watts (u32), memory (u64). */
static const uint8_t magic[8] = {'c', 'u', 'z', 'k', 'h', 'i', 's', 1};

#define STEP_SECS (CUZK_HISTORY_STEP_NS / 1000000000u)

static uint8_t *put_u64(uint8_t *p, uint64_t v)
{
    cuzk_store_u32_le(p, (uint32_t)v);
    cuzk_store_u32_le(p + 4, (uint32_t)(v >> 32));
    return p + 8;
}

static uint8_t *put_sample(uint8_t *p, const cuzk_history_sample *s)
{
    const uint32_t v[8] = {s->completed, s->failed,   s->queued,  s->running,
                           s->looks,     s->busy_sum, s->celsius, s->watts};
    for (size_t i = 0; i < 8; i++) {
        cuzk_store_u32_le(p + 4 * i, v[i]);
    }
    return put_u64(p + 32, s->memory_used);
}

size_t cuzk_history_encode(uint8_t out[CUZK_HISTORY_FILE_BYTES], const cuzk_history *h,
                           uint64_t now_ns, uint64_t unix_secs)
{
    const uint64_t count = h->step + 1 < CUZK_HISTORY_SAMPLES ? h->step + 1 : CUZK_HISTORY_SAMPLES;
    const int64_t age_ns = (int64_t)(now_ns - (h->start_ns + h->step * CUZK_HISTORY_STEP_NS));
    uint8_t *p = out + sizeof(magic);
    memcpy(out, magic, sizeof(magic));
    cuzk_store_u32_le(p, (uint32_t)STEP_SECS);
    cuzk_store_u32_le(p + 4, (uint32_t)count);
    p = put_u64(p + 8, unix_secs - (age_ns > 0 ? (uint64_t)age_ns / 1000000000u : 0));
    p = put_u64(p, 0);
    for (uint64_t i = 0; i < count; i++) {
        p = put_sample(p, &h->ring[(h->step + 1 - count + i) % CUZK_HISTORY_SAMPLES]);
    }
    return (size_t)(p - out);
}

static bool read_sample(cuzk_reader *r, cuzk_history_sample *s)
{
    uint32_t *const v[8] = {&s->completed, &s->failed,   &s->queued,  &s->running,
                            &s->looks,     &s->busy_sum, &s->celsius, &s->watts};
    for (size_t i = 0; i < 8; i++) {
        if (!cuzk_read_u32_le(r, v[i])) {
            return false;
        }
    }
    return cuzk_read_u64_le(r, &s->memory_used);
}

static bool read_all(cuzk_history *h, const void *data, size_t n, uint32_t *count, uint64_t *began)
{
    cuzk_reader r = cuzk_reader_init(data, n);
    const uint8_t *start;
    uint32_t step_secs;
    uint64_t zero;
    if (!cuzk_read_bytes(&r, &start, sizeof(magic)) || memcmp(start, magic, sizeof(magic)) != 0 ||
        !cuzk_read_u32_le(&r, &step_secs) || step_secs != STEP_SECS ||
        !cuzk_read_u32_le(&r, count) || *count == 0 || *count > CUZK_HISTORY_SAMPLES ||
        !cuzk_read_u64_le(&r, began) || !cuzk_read_u64_le(&r, &zero) || zero != 0) {
        return false;
    }
    for (uint32_t i = 0; i < *count; i++) {
        if (!read_sample(&r, &h->ring[i])) {
            return false;
        }
    }
    return cuzk_reader_left(&r) == 0;
}

cuzk_status cuzk_history_decode(cuzk_history *h, const void *data, size_t n, const char *name,
                                uint64_t now_ns, uint64_t unix_secs, cuzk_err *err)
{
    uint32_t count = 0;
    uint64_t began = 0;
    cuzk_history_init(h, now_ns);
    if (!read_all(h, data, n, &count, &began)) {
        cuzk_history_init(h, now_ns);
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: not a history of cuzk, or damaged", name);
    }
    if (began > unix_secs || unix_secs - began >= CUZK_HISTORY_SAMPLES * STEP_SECS) {
        cuzk_history_init(h, now_ns);
        return CUZK_OK;
    }
    /* the next look makes empty samples for the time between */
    h->step = count - 1;
    h->start_ns =
        now_ns - (unix_secs - began) * UINT64_C(1000000000) - h->step * CUZK_HISTORY_STEP_NS;
    return CUZK_OK;
}

cuzk_status cuzk_history_save(const cuzk_history *h, const char *path, uint64_t now_ns,
                              uint64_t unix_secs, cuzk_err *err)
{
    uint8_t bytes[CUZK_HISTORY_FILE_BYTES];
    cuzk_file_writer *w = NULL;
    const size_t n = cuzk_history_encode(bytes, h, now_ns, unix_secs);
    CUZK_TRY(cuzk_file_writer_open(&w, path, true, err));
    const cuzk_status st = cuzk_file_writer_write(w, bytes, n, err);
    if (st != CUZK_OK) {
        cuzk_file_writer_abort(w);
        return st;
    }
    return cuzk_file_writer_commit(w, err);
}

cuzk_status cuzk_history_load(cuzk_history *h, const char *path, uint64_t now_ns,
                              uint64_t unix_secs, cuzk_err *err)
{
    struct stat s;
    cuzk_content c;
    cuzk_history_init(h, now_ns);
    if (stat(path, &s) != 0) {
        return CUZK_OK;
    }
    CUZK_TRY(cuzk_content_read(&c, path, CUZK_HISTORY_FILE_BYTES, err));
    const cuzk_status st = cuzk_history_decode(h, c.data, c.size, path, now_ns, unix_secs, err);
    cuzk_content_free(&c);
    return st;
}
