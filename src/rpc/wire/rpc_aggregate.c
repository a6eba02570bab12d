/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rpc/wire/rpc_aggregate.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/sector_record.h"

/* Field numbers of SubmitAggregateRequest and of VerifyAggregateRequest. */
enum {
    REQUEST_ID = 1,
    REGISTERED_PROOF = 2,
    AGGREGATION = 3,
    PRIORITY = 4,
    ANY_COUNT = 5,
    AGGREGATE = 6,      /* of VerifyAggregateRequest */
    ALLOW_TRAILING = 7, /* of VerifyAggregateRequest */
    SECTORS = 10
};
/* Of Sector. */
enum { MINER_ID = 1, SECTOR_NUMBER = 2, COMM_R = 3, COMM_D = 4, TICKET = 5, SEED = 6, PROOF = 7 };

/* Values of Aggregation. */
enum { UNSPECIFIED = 0, SNARKPACK_V2 = 2 };

typedef struct sector {
    uint64_t miner, number;
    cuzk_bytes field[4]; /* comm_r, comm_d, ticket, seed */
    cuzk_bytes proof;
} sector;

typedef struct decoder {
    cuzk_job_request *rq;
    cuzk_rpc_claim *claim; /* NULL: a job is read, and sectors must have proofs */
    uint64_t aggregation;
    bool any_count, submit_seen;
    size_t n_sectors, bytes; /* of records */
    /* second pass */
    uint8_t *at; /* where the next record goes; NULL: the first pass */
    cuzk_bytes *records;
} decoder;

static cuzk_status read_sector(sector *s, cuzk_bytes message, size_t index, cuzk_err *err)
{
    cuzk_reader r = cuzk_reader_init(message.data, message.size);
    cuzk_wire_field f;
    bool bad = false;
    memset(s, 0, sizeof(*s));
    while (cuzk_wire_next(&r, &f, &bad)) {
        if (f.type == CUZK_WIRE_VARINT && f.number == MINER_ID) {
            s->miner = f.value;
        } else if (f.type == CUZK_WIRE_VARINT && f.number == SECTOR_NUMBER) {
            s->number = f.value;
        } else if (f.type == CUZK_WIRE_LEN && f.number >= COMM_R && f.number <= SEED) {
            s->field[f.number - COMM_R] = f.bytes;
        } else if (f.type == CUZK_WIRE_LEN && f.number == PROOF) {
            s->proof = f.bytes;
        }
    }
    return bad ? CUZK_FAIL(err, CUZK_E_INVALID, "malformed sectors[%zu] at byte %zu", index,
                           cuzk_reader_pos(&r))
               : CUZK_OK;
}

static cuzk_status check_sector(const sector *s, size_t index, bool needs_proof, cuzk_err *err)
{
    static const char *const names[] = {"comm_r", "comm_d", "ticket", "seed"};
    for (int i = 0; i < 4; i++) {
        const bool may_miss = i == SEED - COMM_R && s->field[i].size == 0;
        if (s->field[i].size != 32 && !may_miss) {
            return CUZK_FAIL(err, CUZK_E_INVALID, "sectors[%zu].%s has %zu bytes, it must have 32",
                             index, names[i], s->field[i].size);
        }
    }
    return s->proof.size != 0 || !needs_proof
               ? CUZK_OK
               : CUZK_FAIL(err, CUZK_E_INVALID, "sectors[%zu].proof is empty", index);
}

/* A missing seed is one of zeros: non-interactive types have none. */
static void write_record(decoder *d, const sector *s)
{
    static const uint8_t zeros[32];
    const cuzk_sector_record r = {.miner = s->miner,
                                  .sector = s->number,
                                  .comm_r = s->field[0].data,
                                  .comm_d = s->field[1].data,
                                  .ticket = s->field[2].data,
                                  .seed = s->field[3].size != 0 ? s->field[3].data : zeros,
                                  .proof = s->proof};
    const size_t n = CUZK_SECTOR_RECORD_HEAD + s->proof.size;
    cuzk_sector_record_write(d->at, &r);
    d->records[d->n_sectors] = (cuzk_bytes){d->at, n};
    d->at += n;
}

static cuzk_status take_sector(decoder *d, cuzk_bytes message, cuzk_err *err)
{
    sector s;
    if (d->n_sectors == CUZK_RPC_MAX_PROOFS) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "more than %u sectors", CUZK_RPC_MAX_PROOFS);
    }
    CUZK_TRY(read_sector(&s, message, d->n_sectors, err));
    CUZK_TRY(check_sector(&s, d->n_sectors, d->claim == NULL, err));
    if (d->claim != NULL) {
        s.proof = (cuzk_bytes){NULL, 0};
    }
    if (d->at != NULL) {
        write_record(d, &s);
    }
    d->bytes += CUZK_SECTOR_RECORD_HEAD + s.proof.size;
    d->n_sectors++;
    return CUZK_OK;
}

static void take_number(decoder *d, const cuzk_wire_field *f)
{
    switch (f->number) {
    case REGISTERED_PROOF: d->rq->registered_proof = f->value; break;
    case AGGREGATION: d->aggregation = f->value; break;
    case PRIORITY: d->rq->priority = (uint32_t)f->value; break;
    case ANY_COUNT: d->any_count = f->value != 0; break;
    case ALLOW_TRAILING:
        if (d->claim != NULL) {
            d->claim->allow_trailing = f->value != 0;
        }
        break;
    default: break; /* unknown fields are passed over */
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
        } else if (f.type == CUZK_WIRE_LEN && f.number == REQUEST_ID) {
            d->rq->request_id = f.bytes;
        } else if (f.type == CUZK_WIRE_LEN && f.number == AGGREGATE && d->claim != NULL) {
            d->claim->aggregate = f.bytes;
        } else if (f.type == CUZK_WIRE_LEN && f.number == SECTORS) {
            CUZK_TRY(take_sector(d, f.bytes, err));
        }
    }
    return bad ? CUZK_FAIL(err, CUZK_E_INVALID, "malformed %s at byte %zu",
                           d->claim != NULL ? "VerifyAggregateRequest" : "SubmitAggregateRequest",
                           cuzk_reader_pos(&r))
               : CUZK_OK;
}

static cuzk_status pass(decoder *d, cuzk_bytes message, bool wrapped, cuzk_err *err)
{
    cuzk_reader r = cuzk_reader_init(message.data, message.size);
    cuzk_wire_field f;
    bool bad = false;
    d->n_sectors = d->bytes = 0;
    if (!wrapped) {
        d->submit_seen = true;
        return read_submit(d, message, err);
    }
    while (cuzk_wire_next(&r, &f, &bad)) {
        if (f.type == CUZK_WIRE_LEN && f.number == 1) {
            d->submit_seen = true;
            CUZK_TRY(read_submit(d, f.bytes, err));
        }
    }
    return bad ? CUZK_FAIL(err, CUZK_E_INVALID, "malformed AggregateRequest at byte %zu",
                           cuzk_reader_pos(&r))
               : CUZK_OK;
}

static cuzk_status check(const decoder *d, cuzk_err *err)
{
    if (!d->submit_seen) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "missing submit field");
    }
    CUZK_TRY(cuzk_rpc_check_request_id(d->rq->request_id, err));
    if (d->aggregation != UNSPECIFIED && d->aggregation != SNARKPACK_V2) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "aggregation %" PRIu64 ": only SnarkPack version 2 is %s", d->aggregation,
                         d->claim != NULL ? "verified" : "made");
    }
    return d->n_sectors != 0 ? CUZK_OK : CUZK_FAIL(err, CUZK_E_INVALID, "sectors is empty");
}

/* request_id, a byte of options and the records, in one block that job owns; message is read. */
static cuzk_status convert(cuzk_rpc_job *job, decoder *d, cuzk_bytes message, bool wrapped,
                           cuzk_err *err)
{
    cuzk_job_request *q = &job->request;
    const size_t id = q->request_id.size, records = d->bytes;
    job->message_len = id + 1 + records;
    job->message = cuzk_alloc(job->message_len, 1);
    job->proofs = cuzk_alloc(d->n_sectors, sizeof(*job->proofs));
    if (job->message == NULL || job->proofs == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for %zu sectors", d->n_sectors);
    }
    if (id != 0) {
        memcpy(job->message, q->request_id.data, id);
    }
    job->message[id] = d->any_count ? CUZK_AGGREGATE_ANY_COUNT : 0;
    d->at = job->message + id + 1;
    d->records = job->proofs;
    CUZK_TRY(pass(d, message, wrapped, err));
    q->request_id = (cuzk_bytes){job->message, id};
    q->vanilla_proof = (cuzk_bytes){job->message + id, d->any_count ? 1 : 0};
    q->vanilla_proofs = job->proofs;
    q->n_vanilla_proofs = d->n_sectors;
    return CUZK_OK;
}

static cuzk_status decode(cuzk_rpc_job *job, cuzk_bytes message, bool wrapped, cuzk_err *err)
{
    decoder d = {.rq = &job->request};
    job->request.kind = CUZK_JOB_AGGREGATE;
    CUZK_TRY(pass(&d, message, wrapped, err));
    CUZK_TRY(check(&d, err));
    return convert(job, &d, message, wrapped, err);
}

cuzk_status cuzk_rpc_aggregate_decode(cuzk_rpc_job **out, uint8_t *message, size_t len,
                                      bool wrapped, cuzk_err *err)
{
    cuzk_rpc_job *job = cuzk_alloc_zero(1, sizeof(*job));
    const cuzk_status st = job != NULL ? decode(job, (cuzk_bytes){message, len}, wrapped, err)
                                       : CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for a job");
    cuzk_free(message);
    if (st != CUZK_OK) {
        cuzk_rpc_job_free(job);
        return st;
    }
    *out = job;
    return CUZK_OK;
}

cuzk_status cuzk_rpc_claim_decode(cuzk_rpc_claim *out, cuzk_bytes message, cuzk_err *err)
{
    memset(out, 0, sizeof(*out));
    decoder d = {.rq = &out->job.request, .claim = out};
    out->job.request.kind = CUZK_JOB_AGGREGATE;
    cuzk_status st = pass(&d, message, false, err);
    if (st == CUZK_OK) {
        st = check(&d, err);
    }
    if (st == CUZK_OK && out->aggregate.size == 0) {
        st = CUZK_FAIL(err, CUZK_E_INVALID, "aggregate is empty");
    }
    if (st == CUZK_OK) {
        st = convert(&out->job, &d, message, false, err);
    }
    if (st != CUZK_OK) {
        cuzk_rpc_claim_free(out);
    }
    return st;
}

void cuzk_rpc_claim_free(cuzk_rpc_claim *c)
{
    cuzk_free(c->job.message);
    cuzk_free(c->job.proofs);
    memset(c, 0, sizeof(*c));
}

void cuzk_rpc_put_verdict(cuzk_wire_writer *w, const cuzk_aggregate_verdict *v, uint64_t ms)
{
    cuzk_wire_put_u64(w, 1, (uint64_t)v->answer);
    cuzk_wire_put_str(w, 2, v->reason);
    cuzk_wire_put_u64(w, 3, v->n_proofs);
    cuzk_wire_put_u64(w, 4, ms);
}

static void put_sector(cuzk_wire_writer *w, const cuzk_sector_record *r)
{
    cuzk_wire_writer sub = {.data = NULL};
    cuzk_wire_put_u64(&sub, MINER_ID, r->miner);
    cuzk_wire_put_u64(&sub, SECTOR_NUMBER, r->sector);
    cuzk_wire_put_bytes(&sub, COMM_R, r->comm_r, 32);
    cuzk_wire_put_bytes(&sub, COMM_D, r->comm_d, 32);
    cuzk_wire_put_bytes(&sub, TICKET, r->ticket, 32);
    cuzk_wire_put_bytes(&sub, SEED, r->seed, 32);
    cuzk_wire_put_bytes(&sub, PROOF, r->proof.data, r->proof.size);
    cuzk_wire_put_message(w, SECTORS, sub.data, sub.len);
    w->nomem = w->nomem || sub.nomem;
    cuzk_wire_writer_free(&sub);
}

cuzk_status cuzk_rpc_put_aggregate(cuzk_wire_writer *w, const cuzk_job_request *rq, cuzk_err *err)
{
    uint8_t options = 0;
    CUZK_TRY(cuzk_aggregate_options(&options, rq, err));
    cuzk_wire_put_bytes(w, REQUEST_ID, rq->request_id.data, rq->request_id.size);
    cuzk_wire_put_u64(w, REGISTERED_PROOF, rq->registered_proof);
    cuzk_wire_put_u64(w, AGGREGATION, SNARKPACK_V2);
    cuzk_wire_put_u64(w, PRIORITY, rq->priority);
    cuzk_wire_put_u64(w, ANY_COUNT, (options & CUZK_AGGREGATE_ANY_COUNT) != 0 ? 1 : 0);
    for (size_t i = 0; i < rq->n_vanilla_proofs; i++) {
        cuzk_sector_record r;
        CUZK_TRY(cuzk_sector_record_read(&r, rq->vanilla_proofs[i], err));
        put_sector(w, &r);
    }
    return CUZK_OK;
}

void cuzk_rpc_put_aggregate_status(cuzk_wire_writer *w, const cuzk_engine_status *s)
{
    cuzk_wire_put_u64(w, 1, s->pending[CUZK_JOB_AGGREGATE]);
    cuzk_wire_put_u64(w, 2, s->in_progress[CUZK_JOB_AGGREGATE]);
    cuzk_wire_put_u64(w, 3, s->completed[CUZK_JOB_AGGREGATE]);
    cuzk_wire_put_u64(w, 4, s->failed[CUZK_JOB_AGGREGATE]);
    cuzk_wire_put_u64(w, 5, s->cancelled[CUZK_JOB_AGGREGATE]);
    for (uint32_t i = CUZK_AGGREGATE_VALID; i <= CUZK_AGGREGATE_MALFORMED; i++) {
        cuzk_wire_put_u64(w, 5 + i, s->verified[i]);
    }
}
