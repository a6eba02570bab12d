/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "unpack_internal.h"

#if CUZK_HAVE_ZLIB
#    define ZLIB_CONST 1 /* input is const */
#    include <limits.h>
#    include <zlib.h>

/* zlib counts in unsigned int: hands it at most so much at a time. */
static uInt part(size_t left)
{
    return left < UINT_MAX / 2 ? (uInt)left : UINT_MAX / 2;
}

/* Z_STREAM_END: one whole member. */
static int inflate_all(z_stream *z, uint8_t *out, size_t cap, size_t *n, const uint8_t *data,
                       size_t n_data, size_t *used)
{
    size_t in = 0, at = 0;
    int r = Z_OK;
    while (r == Z_OK) {
        const uInt give = part(n_data - in), room = part(cap - at);
        z->next_in = data + in;
        z->avail_in = give;
        z->next_out = out + at;
        z->avail_out = room;
        r = inflate(z, Z_NO_FLUSH);
        in += give - z->avail_in;
        at += room - z->avail_out;
        if (r == Z_OK && give == z->avail_in && room == z->avail_out) {
            r = Z_BUF_ERROR; /* neither moved */
        }
    }
    *n = at;
    *used = in;
    return r;
}

cuzk_status unpack_gzip(uint8_t *out, size_t cap, size_t *n, const uint8_t *data, size_t n_data,
                        cuzk_err *err)
{
    z_stream z = {.zalloc = Z_NULL};
    size_t used = 0;
    if (inflateInit2(&z, 15 + 16) != Z_OK) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "gzip: out of memory");
    }
    const int r = inflate_all(&z, out, cap, n, data, n_data, &used);
    (void)inflateEnd(&z);
    if (r == Z_STREAM_END && used == n_data) {
        return CUZK_OK;
    }
    if (r == Z_MEM_ERROR) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "gzip: out of memory");
    }
    if (r == Z_STREAM_END) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "gzip: %zu bytes behind the first member",
                         n_data - used);
    }
    if (r == Z_BUF_ERROR && *n == cap && used < n_data) {
        return CUZK_FAIL(err, CUZK_E_FORMAT,
                         "gzip: holds more than the %zu bytes that its end claims", cap);
    }
    return CUZK_FAIL(err, CUZK_E_FORMAT, "gzip: damaged or cut at byte %zu", used);
}

#else

cuzk_status unpack_gzip(uint8_t *out, size_t cap, size_t *n, const uint8_t *data, size_t n_data,
                        cuzk_err *err)
{
    (void)out;
    (void)cap;
    (void)n;
    (void)data;
    (void)n_data;
    return CUZK_FAIL(err, CUZK_E_UNSUPPORTED,
                     "gzip: this program was built without zlib; unpack it first");
}

#endif
