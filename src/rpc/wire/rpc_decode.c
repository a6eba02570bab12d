/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Requests: bytes that anybody may have sent. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "rpc/wire/rpc_messages.h"

/* Field numbers of SubmitProofRequest. */
enum {
    REQUEST_ID = 1,
    PROOF_KIND = 2,
    SECTOR_SIZE = 3,
    REGISTERED_PROOF = 4,
    PRIORITY = 5,
    VANILLA_PROOF = 10,
    VANILLA_PROOFS = 11,
    SECTOR_NUMBER = 20,
    MINER_ID = 21,
    RANDOMNESS = 22,
    PARTITION_INDEX = 23,
    COMM_R_OLD = 30,
    COMM_R_NEW = 31,
    COMM_D_NEW = 32
};

typedef struct decoder {
    cuzk_rpc_job *job;
    uint32_t kind;
    bool submit_seen;
    bool collect; /* second pass: vanilla_proofs are stored */
    size_t n_proofs;
} decoder;

static void take_number(decoder *d, const cuzk_wire_field *f)
{
    cuzk_job_request *q = &d->job->request;
    switch (f->number) {
    case PROOF_KIND: d->kind = (uint32_t)f->value; break;
    case SECTOR_SIZE: q->sector_size = f->value; break;
    case REGISTERED_PROOF: q->registered_proof = f->value; break;
    case PRIORITY: q->priority = (uint32_t)f->value; break;
    case SECTOR_NUMBER: q->sector_number = f->value; break;
    case MINER_ID: q->miner_id = f->value; break;
    case PARTITION_INDEX: q->partition_index = (uint32_t)f->value; break;
    default: break; /* unknown fields are passed over */
    }
}

static void take_bytes(decoder *d, const cuzk_wire_field *f)
{
    cuzk_job_request *q = &d->job->request;
    switch (f->number) {
    case REQUEST_ID: q->request_id = f->bytes; break;
    case VANILLA_PROOF: q->vanilla_proof = f->bytes; break;
    case VANILLA_PROOFS:
        if (d->collect) {
            d->job->proofs[d->n_proofs] = f->bytes;
        }
        d->n_proofs++;
        break;
    case RANDOMNESS: q->randomness = f->bytes; break;
    case COMM_R_OLD: q->comm_r_old = f->bytes; break;
    case COMM_R_NEW: q->comm_r_new = f->bytes; break;
    case COMM_D_NEW: q->comm_d_new = f->bytes; break;
    default: break;
    }
}

static cuzk_status read_submit(decoder *d, cuzk_bytes message, cuzk_err *err)
{
    cuzk_reader r = cuzk_reader_init(message.data, message.size);
    cuzk_wire_field f;
    bool bad = false;
    while (cuzk_wire_next(&r, &f, &bad)) {
        if (f.type == CUZK_WIRE_VARINT) {
            take_number(d, &f);
        } else if (f.type == CUZK_WIRE_LEN) {
            take_bytes(d, &f);
        }
    }
    if (bad) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "malformed SubmitProofRequest at byte %zu",
                         cuzk_reader_pos(&r));
    }
    return CUZK_OK;
}

static cuzk_status read_prove(decoder *d, cuzk_bytes message, cuzk_err *err)
{
    cuzk_reader r = cuzk_reader_init(message.data, message.size);
    cuzk_wire_field f;
    bool bad = false;
    while (cuzk_wire_next(&r, &f, &bad)) {
        if (f.type == CUZK_WIRE_LEN && f.number == 1) {
            d->submit_seen = true;
            CUZK_TRY(read_submit(d, f.bytes, err));
        }
    }
    if (bad) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "malformed ProveRequest at byte %zu",
                         cuzk_reader_pos(&r));
    }
    return CUZK_OK;
}

static cuzk_status pass(decoder *d, bool wrapped, cuzk_err *err)
{
    const cuzk_bytes message = {d->job->message, d->job->message_len};
    d->n_proofs = 0;
    return wrapped ? read_prove(d, message, err) : read_submit(d, message, err);
}

cuzk_status cuzk_rpc_check_request_id(cuzk_bytes id, cuzk_err *err)
{
    if (id.size > CUZK_RPC_MAX_REQUEST_ID) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "request_id has %zu bytes; at most %u are taken",
                         id.size, CUZK_RPC_MAX_REQUEST_ID);
    }
    if (!cuzk_wire_is_utf8(id)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "request_id is not UTF-8");
    }
    if (id.size > 0 && memchr(id.data, 0, id.size) != NULL) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "request_id has a NUL character: it could not be asked for again");
    }
    return CUZK_OK;
}

static cuzk_status check(const decoder *d, bool wrapped, cuzk_err *err)
{
    if (wrapped && !d->submit_seen) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "missing submit field");
    }
    CUZK_TRY(cuzk_rpc_check_request_id(d->job->request.request_id, err));
    if (d->kind < CUZK_JOB_POREP || d->kind > CUZK_JOB_WINNING) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "invalid proof_kind: %" PRId32, (int32_t)d->kind);
    }
    if (d->n_proofs > CUZK_RPC_MAX_PROOFS) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%zu vanilla_proofs; at most %u are taken",
                         d->n_proofs, CUZK_RPC_MAX_PROOFS);
    }
    return CUZK_OK;
}

static cuzk_status decode(decoder *d, bool wrapped, cuzk_err *err)
{
    cuzk_rpc_job *job = d->job;
    CUZK_TRY(pass(d, wrapped, err));
    CUZK_TRY(check(d, wrapped, err));
    job->request.kind = (cuzk_job_kind)d->kind;
    if (d->n_proofs > 0) {
        job->proofs = cuzk_alloc(d->n_proofs, sizeof(*job->proofs));
        if (job->proofs == NULL) {
            return CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for %zu proofs", d->n_proofs);
        }
        d->collect = true;
        CUZK_TRY(pass(d, wrapped, err));
        job->request.vanilla_proofs = job->proofs;
        job->request.n_vanilla_proofs = d->n_proofs;
    }
    return CUZK_OK;
}

cuzk_status cuzk_rpc_job_decode(cuzk_rpc_job **out, uint8_t *message, size_t len, bool wrapped,
                                cuzk_err *err)
{
    decoder d = {.job = cuzk_alloc_zero(1, sizeof(*d.job))};
    if (d.job == NULL) {
        cuzk_free(message);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for a job");
    }
    d.job->message = message;
    d.job->message_len = len;
    const cuzk_status st = decode(&d, wrapped, err);
    if (st != CUZK_OK) {
        cuzk_rpc_job_free(d.job);
        return st;
    }
    *out = d.job;
    return CUZK_OK;
}

void cuzk_rpc_job_free(void *job)
{
    cuzk_rpc_job *j = job;
    if (j != NULL) {
        cuzk_free(j->message);
        cuzk_free(j->proofs);
        cuzk_free(j);
    }
}

cuzk_status cuzk_rpc_name_decode(char *text, size_t cap, uint64_t *number, cuzk_bytes message,
                                 cuzk_err *err)
{
    cuzk_reader r = cuzk_reader_init(message.data, message.size);
    cuzk_wire_field f;
    cuzk_bytes name = {NULL, 0};
    uint64_t value = 0;
    bool bad = false;
    while (cuzk_wire_next(&r, &f, &bad)) {
        if (f.number == 1 && f.type == CUZK_WIRE_LEN) {
            name = f.bytes;
        } else if (f.number == 2 && f.type == CUZK_WIRE_VARINT) {
            value = f.value;
        }
    }
    if (bad || !cuzk_wire_is_utf8(name)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "malformed request");
    }
    if (name.size >= cap || (name.size > 0 && memchr(name.data, 0, name.size) != NULL)) {
        return CUZK_FAIL(err, CUZK_E_NOT_FOUND, "not found: no name has %zu bytes%s", name.size,
                         name.size >= cap ? "" : " and a NUL");
    }
    if (name.size > 0) {
        memcpy(text, name.data, name.size);
    }
    text[name.size] = '\0';
    if (number != NULL) {
        *number = value;
    }
    return CUZK_OK;
}

cuzk_status cuzk_rpc_empty_decode(cuzk_bytes message, cuzk_err *err)
{
    cuzk_reader r = cuzk_reader_init(message.data, message.size);
    cuzk_wire_field f;
    bool bad = false;
    while (cuzk_wire_next(&r, &f, &bad)) {
    }
    return bad ? CUZK_FAIL(err, CUZK_E_INVALID, "malformed request") : CUZK_OK;
}
