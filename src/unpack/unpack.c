/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "unpack/unpack.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/text/base64.h"

#include "unpack_internal.h"

typedef enum form { PLAIN, GZIP, ZSTD, BASE64 } form;

#define HEAD_BYTES  24u /* enough for the header of a zstd frame (18) */
#define ISIZE_BYTES 4u  /* gzip's claim, at its end */
#define GZIP_BYTES  18u /* header and trailer */

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static bool is_base64_char(uint8_t c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '/' || c == '=';
}

/* Some characters of base64 in a row: neither JSON nor bincode begins so. */
static bool looks_like_base64(const uint8_t *data, size_t n)
{
    size_t k = 0, seen = 0;
    for (; k < n && seen < 16; k++) {
        if (!is_blank(data[k]) && !is_base64_char(data[k])) {
            return false;
        }
        seen += !is_blank(data[k]);
    }
    return seen >= 8;
}

/* The magic of a frame, or that of a frame to be skipped, with which parallel compressors begin. */
static bool is_zstd(const uint8_t *p, size_t n)
{
    return n >= 4 && (memcmp(p, "\x28\xb5\x2f\xfd", 4) == 0 ||
                      ((p[0] & 0xf0) == 0x50 && memcmp(p + 1, "\x2a\x4d\x18", 3) == 0));
}

static form compression_of(const uint8_t *p, size_t n)
{
    return n >= 2 && p[0] == 0x1f && p[1] == 0x8b ? GZIP : is_zstd(p, n) ? ZSTD : PLAIN;
}

static form form_of(const uint8_t *p, size_t n)
{
    const form f = compression_of(p, n);
    return f == PLAIN && looks_like_base64(p, n) ? BASE64 : f;
}

static uint64_t gzip_size(const uint8_t tail[ISIZE_BYTES])
{
    return cuzk_load_u32_le(tail);
}

/* The size that compressed data [n] claims; false: damaged or cut. */
static bool claimed_size(uint64_t *out, form f, const uint8_t *data, size_t n)
{
    if (f == ZSTD) {
        return unpack_zstd_size(out, data, n);
    }
    *out = n >= GZIP_BYTES ? gzip_size(data + n - ISIZE_BYTES) : 0;
    return n >= GZIP_BYTES;
}

/*
 * The same for data inside base64, of which only the first and the last bytes are known: of several frames of zstd
 * the first one counts.
 */
static bool claimed_inside(uint64_t *out, form f, const uint8_t *head, size_t n_head,
                           const uint8_t tail[ISIZE_BYTES], uint64_t n)
{
    if (f == ZSTD) {
        return unpack_zstd_frame_size(out, head, n_head, n);
    }
    *out = gzip_size(tail);
    return n >= GZIP_BYTES;
}

/* The first and the last decoded bytes of base64; *n_head is 0 for what is not base64 of packed data. */
static void base64_ends(uint8_t head[HEAD_BYTES], size_t *n_head, uint8_t tail[ISIZE_BYTES],
                        const uint8_t *data, size_t n)
{
    char text[HEAD_BYTES / 3 * 4];
    uint8_t last[6];
    size_t k = 0, written = 0;
    *n_head = 0;
    for (size_t i = 0; i < n && k < sizeof(text); i++) {
        if (!is_blank(data[i])) {
            text[k++] = (char)data[i];
        }
    }
    if (k < 8 || !cuzk_base64_decode(head, &written, text, k)) {
        return;
    }
    const size_t got = written;
    k = 8;
    for (size_t i = n; i > 0 && k > 0; i--) {
        if (!is_blank(data[i - 1])) {
            text[--k] = (char)data[i - 1];
        }
    }
    if (k == 0 && cuzk_base64_decode(last, &written, text, 8) && written >= ISIZE_BYTES) {
        memcpy(tail, last + written - ISIZE_BYTES, ISIZE_BYTES);
        *n_head = got;
    }
}

static uint64_t plus(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void cuzk_packing_of(cuzk_packing *out, const uint8_t *data, size_t n)
{
    uint8_t head[HEAD_BYTES], tail[ISIZE_BYTES];
    const form f = form_of(data, n);
    uint64_t size = 0;
    size_t n_head = 0;
    *out = (cuzk_packing){.is_packed = f != PLAIN, .result_bytes = n};
    if (f == BASE64) {
        out->result_bytes = cuzk_base64_max(n);
        out->heap_bytes = out->result_bytes;
        base64_ends(head, &n_head, tail, data, n);
        const form inner = compression_of(head, n_head);
        if (inner != PLAIN &&
            claimed_inside(&size, inner, head, n_head, tail, cuzk_base64_max(n))) {
            out->heap_bytes = plus(out->heap_bytes, size);
            out->result_bytes = size;
        }
    } else if (f != PLAIN && claimed_size(&size, f, data, n)) {
        /* Compressed data may be base64, which is decoded where it is. */
        out->heap_bytes = size;
        out->result_bytes = size;
    }
}

/* is_inside: in base64, where the claim is that of claimed_inside. */
static cuzk_status decompress(uint8_t **out, size_t *out_n, form f, const uint8_t *data, size_t n,
                              bool is_inside, uint64_t max, cuzk_err *err)
{
    const char *name = f == GZIP ? "gzip" : "zstd";
    uint64_t size = 0;
    const bool is_claimed =
        is_inside && n >= ISIZE_BYTES
            ? claimed_inside(&size, f, data, n < HEAD_BYTES ? n : HEAD_BYTES, data + n - 4, n)
            : claimed_size(&size, f, data, n);
    if (!is_claimed) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: damaged or cut at byte %zu", name, n);
    }
    if (size > max) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%s: holds %llu bytes, at most %llu are read", name,
                         (unsigned long long)size, (unsigned long long)max);
    }
    uint8_t *b = cuzk_alloc(size + 1, 1);
    if (b == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "%s: out of memory for %llu bytes", name,
                         (unsigned long long)size);
    }
    const cuzk_status st = f == GZIP ? unpack_gzip(b, size, out_n, data, n, err)
                                     : unpack_zstd(b, size, out_n, data, n, err);
    if (st != CUZK_OK) {
        cuzk_free(b);
        return st;
    }
    *out = b;
    return CUZK_OK;
}

static cuzk_status decode(uint8_t *out, size_t *out_n, const uint8_t *data, size_t n, cuzk_err *err)
{
    return cuzk_base64_decode_text(out, out_n, (const char *)data, n)
               ? CUZK_OK
               : CUZK_FAIL(err, CUZK_E_FORMAT, "base64: damaged or cut");
}

/* base64 around: into a block of its own. */
static cuzk_status unwrap(uint8_t **out, size_t *out_n, const uint8_t *data, size_t n,
                          cuzk_err *err)
{
    uint8_t *b = cuzk_alloc(cuzk_base64_max(n) + 1, 1);
    if (b == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "base64: out of memory for %zu characters", n);
    }
    const cuzk_status st = decode(b, out_n, data, n, err);
    if (st != CUZK_OK) {
        cuzk_free(b);
        return st;
    }
    *out = b;
    return CUZK_OK;
}

cuzk_status cuzk_unpack(uint8_t **out, size_t *out_n, const uint8_t *data, size_t n, uint64_t max,
                        cuzk_err *err)
{
    uint8_t *outer = NULL, *inner = NULL;
    const bool is_text = form_of(data, n) == BASE64;
    cuzk_status st = CUZK_OK;
    *out = NULL;
    *out_n = n;
    if (is_text) {
        CUZK_TRY(unwrap(&outer, &n, data, n, err));
        data = outer;
    }
    const form f = compression_of(data, n);
    if (f == PLAIN) {
        *out = outer;
        *out_n = n;
        return CUZK_OK;
    }
    st = decompress(&inner, &n, f, data, n, is_text, max, err);
    cuzk_free(outer);
    if (st == CUZK_OK && !is_text && form_of(inner, n) == BASE64) {
        st = decode(inner, &n, inner, n, err);
    }
    if (st != CUZK_OK) {
        cuzk_free(inner);
        return st;
    }
    *out = inner;
    *out_n = n;
    return CUZK_OK;
}
