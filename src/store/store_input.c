/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The byte strings of a request, one after the other: each a little-endian 64-bit length and its
 * bytes, in the order of input_field; then the number of vanilla_proofs, and those.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/reader.h"
#include "hash/sha256.h"

#include "store_internal.h"

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

typedef struct sink {
    cuzk_sha256 sha;
    uint8_t *p;             /* the next byte in memory; NULL: */
    cuzk_file_writer *file; /* into a file */
} sink;

static cuzk_status put(sink *k, const void *data, size_t n, cuzk_err *err)
{
    cuzk_sha256_update(&k->sha, data, n);
    if (k->file != NULL) {
        return cuzk_file_writer_write(k->file, data, n, err);
    }
    if (n > 0) {
        memcpy(k->p, data, n);
        k->p += n;
    }
    return CUZK_OK;
}

static cuzk_status put_u64(sink *k, uint64_t v, cuzk_err *err)
{
    uint8_t b[8];
    cuzk_store_u64_le(b, v);
    return put(k, b, sizeof(b), err);
}

static cuzk_status put_bytes(sink *k, cuzk_bytes b, cuzk_err *err)
{
    CUZK_TRY(put_u64(k, b.size, err));
    return put(k, b.data, b.size, err);
}

static cuzk_status put_all(sink *k, const cuzk_job_request *r, cuzk_err *err)
{
    cuzk_job_request copy = *r; /* field() gives both access and places */
    for (int i = 0; i < FIELDS; i++) {
        CUZK_TRY(put_bytes(k, *field(&copy, i), err));
    }
    CUZK_TRY(put_u64(k, r->n_vanilla_proofs, err));
    for (size_t i = 0; i < r->n_vanilla_proofs; i++) {
        CUZK_TRY(put_bytes(k, r->vanilla_proofs[i], err));
    }
    return CUZK_OK;
}

void store_input_path(char out[CUZK_STORE_PATH_BYTES + 64], const store *s, uint64_t number)
{
    (void)snprintf(out, CUZK_STORE_PATH_BYTES + 64, "%s.inputs/%" PRIu64, s->path, number);
}

void store_input_remove(const store *s, uint64_t number)
{
    char path[CUZK_STORE_PATH_BYTES + 64];
    store_input_path(path, s, number);
    (void)unlink(path); /* what stays is an orphan, removed at the next start */
}

static cuzk_status write_memory(store_input *out, sink *k, const cuzk_job_request *r, cuzk_err *err)
{
    out->inline_data = cuzk_alloc(out->bytes, 1);
    if (out->inline_data == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a job's input");
    }
    k->p = out->inline_data;
    return put_all(k, r, err); /* cannot fail in memory */
}

static cuzk_status write_file(sink *k, const store *s, uint64_t number, const cuzk_job_request *r,
                              cuzk_err *err)
{
    char path[CUZK_STORE_PATH_BYTES + 64];
    store_input_path(path, s, number);
    CUZK_TRY(cuzk_file_writer_open(&k->file, path, false, err));
    const cuzk_status st = put_all(k, r, err);
    if (st != CUZK_OK) {
        cuzk_file_writer_abort(k->file);
        return st;
    }
    return cuzk_file_writer_commit(k->file, err);
}

cuzk_status store_input_write(store_input *out, const store *s, uint64_t number,
                              const cuzk_job_request *r, cuzk_err *err)
{
    sink k = {.p = NULL, .file = NULL};
    memset(out, 0, sizeof(*out));
    out->bytes = store_input_bytes(r);
    cuzk_sha256_init(&k.sha);
    if (out->bytes <= CUZK_STORE_INLINE_BYTES) {
        CUZK_TRY(write_memory(out, &k, r, err));
    } else {
        CUZK_TRY(write_file(&k, s, number, r, err));
    }
    cuzk_sha256_final(out->digest, &k.sha);
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
