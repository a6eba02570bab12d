/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "store/pack/input_encoding.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/reader.h"

enum { FIELDS = 5 };

static cuzk_bytes *field(cuzk_job_request *r, int i)
{
    cuzk_bytes *const fields[FIELDS] = {&r->randomness, &r->comm_r_old, &r->comm_r_new,
                                        &r->comm_d_new, &r->vanilla_proof};
    return fields[i];
}

uint64_t store_input_bytes(const cuzk_job_request *r)
{
    uint64_t n = 8 * (uint64_t)(FIELDS + 1);
    n += r->randomness.size + r->comm_r_old.size + r->comm_r_new.size + r->comm_d_new.size +
         r->vanilla_proof.size;
    for (size_t i = 0; i < r->n_vanilla_proofs; i++) {
        n += 8 + r->vanilla_proofs[i].size;
    }
    return n;
}

typedef struct encoder {
    cuzk_sha256 sha;
    store_input_sink sink;
    void *arg;
} encoder;

static cuzk_status put(encoder *k, const void *data, size_t n, cuzk_err *err)
{
    cuzk_sha256_update(&k->sha, data, n);
    return k->sink(k->arg, data, n, err);
}

static cuzk_status put_u64(encoder *k, uint64_t v, cuzk_err *err)
{
    uint8_t b[8];
    cuzk_store_u64_le(b, v);
    return put(k, b, sizeof(b), err);
}

static cuzk_status put_bytes(encoder *k, cuzk_bytes b, cuzk_err *err)
{
    CUZK_TRY(put_u64(k, b.size, err));
    return put(k, b.data, b.size, err);
}

cuzk_status store_input_encode(const cuzk_job_request *r, uint8_t digest[CUZK_SHA256_BYTES],
                               store_input_sink sink, void *arg, cuzk_err *err)
{
    encoder k = {.sink = sink, .arg = arg};
    cuzk_job_request copy = *r; /* field() gives both access and places */
    cuzk_sha256_init(&k.sha);
    for (int i = 0; i < FIELDS; i++) {
        CUZK_TRY(put_bytes(&k, *field(&copy, i), err));
    }
    CUZK_TRY(put_u64(&k, r->n_vanilla_proofs, err));
    for (size_t i = 0; i < r->n_vanilla_proofs; i++) {
        CUZK_TRY(put_bytes(&k, r->vanilla_proofs[i], err));
    }
    cuzk_sha256_final(digest, &k.sha);
    return CUZK_OK;
}

cuzk_status store_input_to_memory(void *arg, const void *data, size_t n, cuzk_err *err)
{
    uint8_t **at = arg;
    (void)err;
    if (n > 0) {
        memcpy(*at, data, n);
        *at += n;
    }
    return CUZK_OK;
}

static bool take_bytes(cuzk_reader *in, cuzk_bytes *out)
{
    uint64_t n = 0;
    const uint8_t *p = NULL;
    if (!cuzk_read_u64_le(in, &n) || n > cuzk_reader_left(in) ||
        !cuzk_read_bytes(in, &p, (size_t)n)) {
        return false;
    }
    out->data = p;
    out->size = (size_t)n;
    return true;
}

cuzk_status store_input_parse(cuzk_job_request *r, cuzk_bytes **proofs, const uint8_t *data,
                              size_t n, cuzk_err *err)
{
    cuzk_reader in = cuzk_reader_init(data, n);
    uint64_t count = 0;
    bool ok = true;
    *proofs = NULL;
    for (int i = 0; i < FIELDS && ok; i++) {
        ok = take_bytes(&in, field(r, i));
    }
    if (!ok || !cuzk_read_u64_le(&in, &count) || !cuzk_reader_has(&in, count, 8)) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "a stored input is cut short");
    }
    cuzk_bytes *list = cuzk_alloc(count, sizeof(*list));
    if (list == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a stored job's %" PRIu64 " proofs",
                         count);
    }
    for (uint64_t i = 0; i < count && ok; i++) {
        ok = take_bytes(&in, &list[i]);
    }
    if (!ok || cuzk_reader_left(&in) != 0) {
        cuzk_free(list);
        return CUZK_FAIL(err, CUZK_E_FORMAT, "a stored input is not as long as it says");
    }
    *proofs = list;
    r->vanilla_proofs = list;
    r->n_vanilla_proofs = (size_t)count;
    return CUZK_OK;
}
