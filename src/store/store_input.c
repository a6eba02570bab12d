/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Where inputs are kept: small ones in the row of the job, others in a file of their own. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

#include "store_internal.h"

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

static cuzk_status write_memory(store_input *out, const cuzk_job_request *r, cuzk_err *err)
{
    out->inline_data = cuzk_alloc(out->bytes, 1);
    if (out->inline_data == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a job's input");
    }
    uint8_t *at = out->inline_data;
    return store_input_encode(r, out->digest, store_input_to_memory, &at, err);
}

static cuzk_status to_file(void *arg, const void *data, size_t n, cuzk_err *err)
{
    return cuzk_file_writer_write(arg, data, n, err);
}

static cuzk_status write_file(store_input *out, const store *s, uint64_t number,
                              const cuzk_job_request *r, cuzk_err *err)
{
    char path[CUZK_STORE_PATH_BYTES + 64];
    cuzk_file_writer *file = NULL;
    store_input_path(path, s, number);
    CUZK_TRY(cuzk_file_writer_open(&file, path, false, err));
    const cuzk_status st = store_input_encode(r, out->digest, to_file, file, err);
    if (st != CUZK_OK) {
        cuzk_file_writer_abort(file);
        return st;
    }
    return cuzk_file_writer_commit(file, err);
}

cuzk_status store_input_write(store_input *out, const store *s, uint64_t number,
                              const cuzk_job_request *r, cuzk_err *err)
{
    memset(out, 0, sizeof(*out));
    out->bytes = store_input_bytes(r);
    return out->bytes <= CUZK_STORE_INLINE_BYTES ? write_memory(out, r, err)
                                                 : write_file(out, s, number, r, err);
}
