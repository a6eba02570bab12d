/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "pg_input.h"

#include <inttypes.h>
#include <string.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/reader.h"
#include "store/pack/input_encoding.h"
#include "store/pack/input_pack.h"
#include "store/pg/pg_store.h"

#define CHUNK_BYTES ((size_t)1 << 20)
#define HEAD_BYTES  8u /* before each chunk */
#define LEVEL       1  /* of zstd: hashes do not shrink, names of fields do at any level */

/* --- what is kept --- */

cuzk_bytes pg_kept_part(const pg_kept *k, uint64_t i)
{
    const uint64_t at = i * CUZK_PG_PART_BYTES;
    if (at >= k->bytes) {
        return (cuzk_bytes){NULL, 0};
    }
    const uint64_t left = k->bytes - at;
    return (cuzk_bytes){k->part[i], left < CUZK_PG_PART_BYTES ? (size_t)left : CUZK_PG_PART_BYTES};
}

void pg_kept_free(pg_kept *k)
{
    for (size_t i = 0; i < k->n_parts; i++) {
        cuzk_free(k->part[i]);
    }
    cuzk_free(k->part);
    *k = (pg_kept){.part = NULL};
}

static cuzk_status add_part(pg_kept *k, cuzk_err *err)
{
    if (k->n_parts == k->room) {
        const size_t room = k->room == 0 ? 16 : 2 * k->room;
        uint8_t **more = cuzk_realloc(k->part, room, sizeof(*more));
        if (more == NULL) {
            return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a job's input");
        }
        k->part = more;
        k->room = room;
    }
    uint8_t *part = cuzk_alloc(CUZK_PG_PART_BYTES, 1);
    if (part == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a job's input");
    }
    k->part[k->n_parts++] = part;
    return CUZK_OK;
}

/* --- making --- */

typedef struct maker {
    pg_kept *kept;
    cuzk_sha256 sha; /* of what is kept */
    ZSTD_CCtx *z;
    size_t n;                   /* of chunk */
    uint8_t chunk[CHUNK_BYTES]; /* of the packed input */
    uint8_t frame[CHUNK_BYTES]; /* the chunk, compressed */
} maker;
CUZK_STATIC_ASSERT(sizeof(maker) + STORE_PACKER_BYTES + 2 * CHUNK_BYTES < PG_MAKE_BYTES,
                   "with a packer, a context of zstd and a part");

/* A store_input_sink. */
static cuzk_status keep(void *arg, const void *data, size_t n, cuzk_err *err)
{
    maker *m = arg;
    pg_kept *k = m->kept;
    const uint8_t *from = data;
    cuzk_sha256_update(&m->sha, data, n);
    while (n > 0) {
        const size_t used = (size_t)(k->bytes % CUZK_PG_PART_BYTES);
        if (used == 0) {
            CUZK_TRY(add_part(k, err));
        }
        const size_t room = CUZK_PG_PART_BYTES - used, step = n < room ? n : room;
        memcpy(k->part[k->n_parts - 1] + used, from, step);
        k->bytes += step;
        from += step;
        n -= step;
    }
    return CUZK_OK;
}

static cuzk_status keep_chunk(maker *m, cuzk_err *err)
{
    uint8_t head[HEAD_BYTES];
    if (m->n == 0) {
        return CUZK_OK;
    }
    size_t n = ZSTD_compressCCtx(m->z, m->frame, m->n - 1, m->chunk, m->n, LEVEL);
    const bool is_shorter = ZSTD_isError(n) == 0;
    n = is_shorter ? n : m->n;
    cuzk_store_u32_le(head, (uint32_t)m->n);
    cuzk_store_u32_le(head + 4, (uint32_t)n);
    m->n = 0;
    CUZK_TRY(keep(m, head, sizeof(head), err));
    return keep(m, is_shorter ? m->frame : m->chunk, n, err);
}

/* A store_input_sink. */
static cuzk_status compress(void *arg, const void *data, size_t n, cuzk_err *err)
{
    maker *m = arg;
    const uint8_t *from = data;
    while (n > 0) {
        const size_t room = CHUNK_BYTES - m->n, step = n < room ? n : room;
        memcpy(m->chunk + m->n, from, step);
        m->n += step;
        from += step;
        n -= step;
        if (m->n == CHUNK_BYTES) {
            CUZK_TRY(keep_chunk(m, err));
        }
    }
    return CUZK_OK;
}

static cuzk_status pack(maker *m, pg_input *in, const cuzk_job_request *r, bool as_it_is,
                        cuzk_err *err)
{
    store_packer *p = NULL;
    pg_kept_free(m->kept);
    cuzk_sha256_init(&m->sha);
    m->n = 0;
    CUZK_TRY(store_packer_create(&p, in->bytes, as_it_is, compress, m, err));
    cuzk_status st = store_input_encode(r, in->digest, store_packer_add, p, err);
    if (st == CUZK_OK) {
        st = store_packer_end(p, err);
    }
    store_packer_destroy(p);
    return st == CUZK_OK ? keep_chunk(m, err) : st;
}

static cuzk_status make(maker *m, pg_input *in, const cuzk_job_request *r, cuzk_err *err)
{
    if (in->form != PG_FORM_PACKED) {
        return store_input_encode(r, in->digest, keep, m, err);
    }
    m->z = ZSTD_createCCtx();
    if (m->z == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to compress an input");
    }
    cuzk_status st = pack(m, in, r, false, err);
    if (st == CUZK_E_BUDGET) { /* there is nothing to pack in it */
        st = pack(m, in, r, true, err);
    }
    (void)ZSTD_freeCCtx(m->z);
    return st;
}

cuzk_status pg_input_make(pg_input *in, pg_kept *kept, const cuzk_job_request *r, cuzk_err *err)
{
    maker *m = cuzk_alloc(1, sizeof(*m));
    *kept = (pg_kept){.part = NULL};
    if (m == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a job's input");
    }
    m->kept = kept;
    m->n = 0;
    cuzk_sha256_init(&m->sha);
    in->bytes = store_input_bytes(r);
    const cuzk_status st = make(m, in, r, err);
    cuzk_sha256_final(in->kept_digest, &m->sha);
    cuzk_free(m);
    in->kept_bytes = kept->bytes;
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
