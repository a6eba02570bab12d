/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "pg_input.h"

#include <inttypes.h>
#include <string.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/reader.h"
#include "store/input_encoding.h"
#include "store/input_pack.h"

#define CHUNK_BYTES ((size_t)1 << 20)
#define HEAD_BYTES  8u /* before each chunk */
#define LEVEL       1  /* of zstd: hashes do not shrink, names of fields do at any level */

/* --- making --- */

static cuzk_status encode(pg_input *in, uint8_t **encoding, const cuzk_job_request *r,
                          cuzk_err *err)
{
    in->bytes = store_input_bytes(r);
    *encoding = cuzk_alloc((size_t)in->bytes, 1);
    if (*encoding == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a job's input");
    }
    uint8_t *at = *encoding;
    return store_input_encode(r, in->digest, store_input_to_memory, &at, err);
}

/* packed [n] as chunks. */
static cuzk_status compress(uint8_t **kept, size_t *n_kept, const uint8_t *packed, size_t n,
                            cuzk_err *err)
{
    const size_t n_chunks = (n + CHUNK_BYTES - 1) / CHUNK_BYTES;
    const size_t room = n + n_chunks * HEAD_BYTES;
    ZSTD_CCtx *z = ZSTD_createCCtx();
    uint8_t *out = cuzk_alloc(room, 1);
    size_t at = 0;
    if (z == NULL || out == NULL) {
        (void)ZSTD_freeCCtx(z);
        cuzk_free(out);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to compress an input of %zu bytes", n);
    }
    for (size_t from = 0; from < n; from += CHUNK_BYTES) {
        const size_t chunk = n - from < CHUNK_BYTES ? n - from : CHUNK_BYTES;
        uint8_t *to = out + at + HEAD_BYTES;
        size_t m = ZSTD_compressCCtx(z, to, chunk - 1, packed + from, chunk, LEVEL);
        if (ZSTD_isError(m) != 0) { /* it does not get shorter */
            memcpy(to, packed + from, chunk);
            m = chunk;
        }
        cuzk_store_u32_le(out + at, (uint32_t)chunk);
        cuzk_store_u32_le(out + at + 4, (uint32_t)m);
        at += HEAD_BYTES + m;
    }
    (void)ZSTD_freeCCtx(z);
    *kept = out;
    *n_kept = at;
    return CUZK_OK;
}

/* What can be made again from the packed form is the encoding: an input must not be lost by a fault of the packing. */
static cuzk_status check_packed(const uint8_t *encoding, size_t n, const uint8_t *packed,
                                size_t n_packed, cuzk_err *err)
{
    uint8_t *again = cuzk_alloc(n, 1);
    if (again == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a job's input");
    }
    cuzk_status st = store_input_unpack(again, n, packed, n_packed, err);
    if (st == CUZK_OK && memcmp(again, encoding, n) != 0) {
        st = CUZK_FAIL(err, CUZK_E_IO, "a packed input does not give the same bytes again");
    }
    cuzk_free(again);
    return st;
}

static cuzk_status pack(pg_input *in, uint8_t **kept, const uint8_t *encoding, cuzk_err *err)
{
    uint8_t *packed = NULL;
    size_t n = 0, n_kept = 0;
    CUZK_TRY(store_input_pack(&packed, &n, encoding, (size_t)in->bytes, err));
    cuzk_status st = check_packed(encoding, (size_t)in->bytes, packed, n, err);
    if (st == CUZK_OK) {
        st = compress(kept, &n_kept, packed, n, err);
    }
    cuzk_free(packed);
    in->kept_bytes = n_kept;
    return st;
}

cuzk_status pg_input_make(pg_input *in, uint8_t **kept, const cuzk_job_request *r, cuzk_err *err)
{
    uint8_t *encoding = NULL;
    *kept = NULL;
    cuzk_status st = encode(in, &encoding, r, err);
    if (st == CUZK_OK && in->form == PG_FORM_PACKED) {
        st = pack(in, kept, encoding, err);
        if (st == CUZK_OK) {
            cuzk_sha256_digest(in->kept_digest, *kept, (size_t)in->kept_bytes);
        }
    } else if (st == CUZK_OK) {
        in->kept_bytes = in->bytes;
        memcpy(in->kept_digest, in->digest, sizeof(in->digest));
        *kept = encoding;
        encoding = NULL;
    }
    cuzk_free(encoding);
    return st;
}

/* --- reading --- */

static bool take_chunk(cuzk_reader *in, ZSTD_DCtx *z, uint8_t *out, size_t room, size_t *n)
{
    uint32_t chunk = 0, m = 0;
    const uint8_t *data = NULL;
    if (!cuzk_read_u32_le(in, &chunk) || !cuzk_read_u32_le(in, &m) || chunk == 0 ||
        chunk > CHUNK_BYTES || chunk > room || m > chunk || !cuzk_read_bytes(in, &data, m)) {
        return false;
    }
    *n = chunk;
    if (m == chunk) {
        memcpy(out, data, chunk);
        return true;
    }
    return ZSTD_decompressDCtx(z, out, chunk, data, m) == chunk;
}

static cuzk_status decompress(uint8_t *packed, size_t room, size_t *n, const pg_input *in,
                              const uint8_t *kept, cuzk_err *err)
{
    ZSTD_DCtx *z = ZSTD_createDCtx();
    cuzk_reader r = cuzk_reader_init(kept, (size_t)in->kept_bytes);
    bool ok = z != NULL;
    *n = 0;
    while (ok && cuzk_reader_left(&r) > 0) {
        size_t chunk = 0;
        ok = take_chunk(&r, z, packed + *n, room - *n, &chunk);
        *n += ok ? chunk : 0;
    }
    const bool no_memory = z == NULL;
    (void)ZSTD_freeDCtx(z);
    if (no_memory) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to decompress an input");
    }
    return ok ? CUZK_OK
              : CUZK_FAIL(err, CUZK_E_FORMAT, "a compressed input is damaged at byte %zu",
                          cuzk_reader_pos(&r));
}

static cuzk_status unpack(uint8_t *encoding, const pg_input *in, const uint8_t *kept, cuzk_err *err)
{
    const size_t room = (size_t)in->bytes + STORE_PACK_MORE;
    uint8_t *packed = cuzk_alloc(room, 1);
    size_t n = 0;
    if (packed == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the input of a stored job");
    }
    cuzk_status st = decompress(packed, room, &n, in, kept, err);
    if (st == CUZK_OK) {
        st = store_input_unpack(encoding, (size_t)in->bytes, packed, n, err);
    }
    cuzk_free(packed);
    return st;
}

cuzk_status pg_input_open(uint8_t **encoding, const pg_input *in, const uint8_t *kept,
                          cuzk_err *err)
{
    uint8_t digest[CUZK_SHA256_BYTES];
    *encoding = NULL;
    if (in->bytes > SIZE_MAX / 2 || in->kept_bytes > SIZE_MAX / 2 || in->form > PG_FORM_PACKED ||
        (in->form == PG_FORM_PLAIN && in->kept_bytes != in->bytes)) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "a stored input has no known form or length");
    }
    cuzk_sha256_digest(digest, kept, (size_t)in->kept_bytes);
    if (memcmp(digest, in->kept_digest, sizeof(digest)) != 0) {
        return CUZK_FAIL(err, CUZK_E_DIGEST, "a stored input is damaged");
    }
    uint8_t *out = cuzk_alloc((size_t)in->bytes, 1);
    cuzk_status st = CUZK_OK;
    if (out == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the input of a stored job");
    } else if (in->form == PG_FORM_PACKED) {
        st = unpack(out, in, kept, err);
    } else if (in->bytes > 0) {
        memcpy(out, kept, (size_t)in->bytes);
    }
    if (st == CUZK_OK) {
        cuzk_sha256_digest(digest, out, (size_t)in->bytes);
        if (memcmp(digest, in->digest, sizeof(digest)) != 0) {
            st = CUZK_FAIL(err, CUZK_E_DIGEST, "a stored input is damaged");
        }
    }
    if (st != CUZK_OK) {
        cuzk_free(out);
        return st;
    }
    *encoding = out;
    return CUZK_OK;
}
