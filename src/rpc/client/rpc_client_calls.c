/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Requests and answers of each method, for rpc_client.h. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "rpc/client/rpc_client.h"
#include "rpc/client/rpc_client_internal.h"
#include "rpc/wire/rpc_aggregate.h"
#include "rpc/wire/rpc_wire.h"

#define ENGINE     "/cuzk.v1.ProvingEngine/"
#define AGGREGATOR "/cuzk.aggregate.v1.Aggregator/"

const char *cuzk_rpc_outcome_name(cuzk_rpc_outcome o)
{
    static const char *const names[] = {"UNKNOWN", "COMPLETED", "FAILED", "CANCELLED", "TIMEOUT"};
    return (unsigned)o < sizeof(names) / sizeof(names[0]) ? names[o] : "UNKNOWN";
}

/* Copies text, cut at cap - 1 bytes. */
static void copy_text(char *out, size_t cap, cuzk_bytes b)
{
    const size_t n = b.size < cap - 1 ? b.size : cap - 1;
    if (n > 0) {
        memcpy(out, b.data, n);
    }
    out[n] = '\0';
}

static cuzk_status malformed(const char *what, cuzk_err *err)
{
    return CUZK_FAIL(err, CUZK_E_FORMAT, "malformed %s from the server", what);
}

static cuzk_status call_small(cuzk_rpc_client *c, const char *method, cuzk_wire_writer *w,
                              uint8_t **reply, size_t *n, cuzk_err *err)
{
    const cuzk_bytes part = {w->data, w->len};
    const cuzk_status st = w->nomem ? CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for a request")
                                    : cuzk_rpc_client_call(c, method, &part, 1, reply, n, err);
    cuzk_wire_writer_free(w);
    return st;
}

/* ---- jobs ---- */

void cuzk_rpc_result_free(cuzk_rpc_result *r)
{
    cuzk_free(r->proof);
    memset(r, 0, sizeof(*r));
}

static bool take_proof(cuzk_rpc_result *out, cuzk_bytes b)
{
    cuzk_free(out->proof);
    out->proof = cuzk_alloc(b.size, 1);
    if (out->proof == NULL) {
        return false;
    }
    if (b.size > 0) {
        memcpy(out->proof, b.data, b.size);
    }
    out->proof_size = b.size;
    return true;
}

static cuzk_status read_result(cuzk_rpc_result *out, cuzk_bytes message, cuzk_err *err)
{
    cuzk_reader r = cuzk_reader_init(message.data, message.size);
    cuzk_wire_field f;
    bool bad = false;
    while (cuzk_wire_next(&r, &f, &bad)) {
        const uint32_t key = f.number * 8 + (uint32_t)f.type;
        switch (key) {
        case 1 * 8 + CUZK_WIRE_LEN: copy_text(out->job_id, sizeof(out->job_id), f.bytes); break;
        case 2 * 8 + CUZK_WIRE_VARINT:
            out->outcome =
                f.value > CUZK_RPC_TIMEOUT ? CUZK_RPC_UNKNOWN : (cuzk_rpc_outcome)f.value;
            break;
        case 3 * 8 + CUZK_WIRE_LEN:
            if (!take_proof(out, f.bytes)) {
                return CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for a proof");
            }
            break;
        case 4 * 8 + CUZK_WIRE_LEN: copy_text(out->error, sizeof(out->error), f.bytes); break;
        case 10 * 8 + CUZK_WIRE_VARINT: out->queue_wait_ms = f.value; break;
        case 11 * 8 + CUZK_WIRE_VARINT: out->srs_load_ms = f.value; break;
        case 12 * 8 + CUZK_WIRE_VARINT: out->synthesis_ms = f.value; break;
        case 13 * 8 + CUZK_WIRE_VARINT: out->gpu_compute_ms = f.value; break;
        case 14 * 8 + CUZK_WIRE_VARINT: out->total_ms = f.value; break;
        default: break;
        }
    }
    return bad ? malformed("AwaitProofResponse", err) : CUZK_OK;
}

static void put_small_fields(cuzk_wire_writer *w, const cuzk_job_request *q)
{
    cuzk_wire_put_bytes(w, 1, q->request_id.data, q->request_id.size);
    cuzk_wire_put_u64(w, 2, (uint64_t)q->kind);
    cuzk_wire_put_u64(w, 3, q->sector_size);
    cuzk_wire_put_u64(w, 4, q->registered_proof);
    cuzk_wire_put_u64(w, 5, q->priority);
    cuzk_wire_put_u64(w, 20, q->sector_number);
    cuzk_wire_put_u64(w, 21, q->miner_id);
    cuzk_wire_put_bytes(w, 22, q->randomness.data, q->randomness.size);
    cuzk_wire_put_u64(w, 23, q->partition_index);
    cuzk_wire_put_bytes(w, 30, q->comm_r_old.data, q->comm_r_old.size);
    cuzk_wire_put_bytes(w, 31, q->comm_r_new.data, q->comm_r_new.size);
    cuzk_wire_put_bytes(w, 32, q->comm_d_new.data, q->comm_d_new.size);
}

static cuzk_bytes big_field(const cuzk_job_request *q, size_t i)
{
    return i == 0 ? q->vanilla_proof : q->vanilla_proofs[i - 1];
}

/* Fills w; cuts [n_proofs + 1] get where the big fields go. */
static void fill(cuzk_wire_writer *w, size_t *cuts, const cuzk_job_request *q)
{
    put_small_fields(w, q);
    for (size_t i = 0; i <= q->n_vanilla_proofs; i++) {
        const size_t n = big_field(q, i).size;
        if (i > 0 || n > 0) {
            cuzk_wire_put_header(w, i == 0 ? 10 : 11, n);
        }
        cuts[i] = w->len;
    }
}

static cuzk_status call_job(cuzk_rpc_client *c, const char *method, bool wrapped,
                            const cuzk_job_request *q, uint8_t **reply, size_t *n, cuzk_err *err)
{
    const size_t big = q->n_vanilla_proofs + 1;
    cuzk_wire_writer w = {.data = NULL}, head = {.data = NULL};
    cuzk_bytes *parts = cuzk_alloc(2 * big + 1, sizeof(*parts));
    size_t *cuts = cuzk_alloc(big, sizeof(*cuts));
    cuzk_status st = CUZK_E_NOMEM;
    if (parts != NULL && cuts != NULL) {
        size_t k = 1, at = 0, total = 0;
        fill(&w, cuts, q);
        for (size_t i = 0; i < big && !w.nomem; i++) {
            parts[k++] = (cuzk_bytes){w.data + at, cuts[i] - at};
            parts[k++] = big_field(q, i);
            total += cuts[i] - at + big_field(q, i).size;
            at = cuts[i];
        }
        if (wrapped) {
            cuzk_wire_put_header(&head, 1, total);
        }
        parts[0] = (cuzk_bytes){head.data, head.len};
        if (!w.nomem && !head.nomem) {
            st = cuzk_rpc_client_call(c, method, parts, k, reply, n, err);
        }
    }
    if (st == CUZK_E_NOMEM) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for a request");
    }
    cuzk_wire_writer_free(&w);
    cuzk_wire_writer_free(&head);
    cuzk_free(parts);
    cuzk_free(cuts);
    return st;
}

cuzk_status cuzk_rpc_result_read(cuzk_rpc_result *out, cuzk_bytes reply, bool wrapped,
                                 cuzk_err *err)
{
    cuzk_bytes message = reply;
    cuzk_status st = CUZK_OK;
    memset(out, 0, sizeof(*out));
    if (wrapped) {
        cuzk_reader r = cuzk_reader_init(reply.data, reply.size);
        cuzk_wire_field f;
        bool bad = false;
        message.size = 0;
        while (cuzk_wire_next(&r, &f, &bad)) {
            if (f.number == 1 && f.type == CUZK_WIRE_LEN) {
                message = f.bytes;
            }
        }
        st = bad ? malformed("ProveResponse", err) : CUZK_OK;
    }
    if (st == CUZK_OK) {
        st = read_result(out, message, err);
    }
    if (st != CUZK_OK) {
        cuzk_rpc_result_free(out);
    }
    return st;
}

/* Frees reply. */
static cuzk_status unpack_result(cuzk_rpc_result *out, uint8_t *reply, size_t n, bool wrapped,
                                 cuzk_err *err)
{
    const cuzk_status st = cuzk_rpc_result_read(out, (cuzk_bytes){reply, n}, wrapped, err);
    cuzk_free(reply);
    return st;
}

/* The same for a request of kind CUZK_JOB_AGGREGATE, which is small. */
static cuzk_status call_aggregate(cuzk_rpc_client *c, const char *method, bool wrapped,
                                  const cuzk_job_request *q, uint8_t **reply, size_t *n,
                                  cuzk_err *err)
{
    cuzk_wire_writer w = {.data = NULL}, head = {.data = NULL};
    cuzk_status st = cuzk_rpc_put_aggregate(&w, q, err);
    if (wrapped) {
        cuzk_wire_put_header(&head, 1, w.len);
    }
    if (st == CUZK_OK && (w.nomem || head.nomem)) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for a request");
    }
    if (st == CUZK_OK) {
        const cuzk_bytes parts[] = {{head.data, head.len}, {w.data, w.len}};
        st = cuzk_rpc_client_call(c, method, parts, 2, reply, n, err);
    }
    cuzk_wire_writer_free(&w);
    cuzk_wire_writer_free(&head);
    return st;
}

cuzk_status cuzk_rpc_client_prove(cuzk_rpc_client *c, const cuzk_job_request *request,
                                  cuzk_rpc_result *out, cuzk_err *err)
{
    uint8_t *reply = NULL;
    size_t n = 0;
    CUZK_TRY(request->kind == CUZK_JOB_AGGREGATE
                 ? call_aggregate(c, AGGREGATOR "Aggregate", true, request, &reply, &n, err)
                 : call_job(c, ENGINE "Prove", true, request, &reply, &n, err));
    return unpack_result(out, reply, n, true, err);
}

/* One string and one number: what most answers consist of. number [2] by field 1 and 2. Frees reply. */
static cuzk_status unpack_small(uint8_t *reply, size_t n, char *text, size_t cap,
                                uint64_t number[2], cuzk_err *err)
{
    cuzk_reader r = cuzk_reader_init(reply, n);
    cuzk_wire_field f;
    bool bad = false;
    number[0] = number[1] = 0;
    if (text != NULL) {
        text[0] = '\0';
    }
    while (cuzk_wire_next(&r, &f, &bad)) {
        if (f.type == CUZK_WIRE_VARINT && (f.number == 1 || f.number == 2)) {
            number[f.number - 1] = f.value;
        } else if (f.type == CUZK_WIRE_LEN && f.number == 1 && text != NULL) {
            copy_text(text, cap, f.bytes);
        }
    }
    cuzk_free(reply);
    return bad ? malformed("answer", err) : CUZK_OK;
}

cuzk_status cuzk_rpc_client_submit(cuzk_rpc_client *c, const cuzk_job_request *request,
                                   char *job_id, uint32_t *position, cuzk_err *err)
{
    uint8_t *reply = NULL;
    size_t n = 0;
    uint64_t v[2];
    CUZK_TRY(request->kind == CUZK_JOB_AGGREGATE
                 ? call_aggregate(c, AGGREGATOR "SubmitAggregate", false, request, &reply, &n, err)
                 : call_job(c, ENGINE "SubmitProof", false, request, &reply, &n, err));
    CUZK_TRY(unpack_small(reply, n, job_id, CUZK_JOB_ID_BYTES, v, err));
    *position = (uint32_t)v[1];
    return CUZK_OK;
}

cuzk_status cuzk_rpc_client_await(cuzk_rpc_client *c, const char *job_id, uint64_t timeout_ms,
                                  cuzk_rpc_result *out, cuzk_err *err)
{
    uint8_t *reply = NULL;
    size_t n = 0;
    cuzk_wire_writer w = {.data = NULL};
    cuzk_wire_put_str(&w, 1, job_id);
    cuzk_wire_put_u64(&w, 2, timeout_ms);
    CUZK_TRY(call_small(c, ENGINE "AwaitProof", &w, &reply, &n, err));
    return unpack_result(out, reply, n, false, err);
}

static cuzk_status call_named(cuzk_rpc_client *c, const char *method, const char *name,
                              uint64_t v[2], cuzk_err *err)
{
    uint8_t *reply = NULL;
    size_t n = 0;
    cuzk_wire_writer w = {.data = NULL};
    cuzk_wire_put_str(&w, 1, name);
    CUZK_TRY(call_small(c, method, &w, &reply, &n, err));
    return unpack_small(reply, n, NULL, 0, v, err);
}

cuzk_status cuzk_rpc_client_cancel(cuzk_rpc_client *c, const char *job_id, bool *was_running,
                                   cuzk_err *err)
{
    uint64_t v[2];
    CUZK_TRY(call_named(c, ENGINE "CancelProof", job_id, v, err));
    *was_running = v[0] != 0;
    return CUZK_OK;
}

cuzk_status cuzk_rpc_client_preload(cuzk_rpc_client *c, const char *circuit_id,
                                    bool *already_loaded, uint64_t *load_ms, cuzk_err *err)
{
    uint64_t v[2];
    CUZK_TRY(call_named(c, ENGINE "PreloadSRS", circuit_id, v, err));
    *already_loaded = v[0] != 0;
    *load_ms = v[1];
    return CUZK_OK;
}

cuzk_status cuzk_rpc_client_evict(cuzk_rpc_client *c, const char *circuit_id, bool *was_loaded,
                                  uint64_t *freed_bytes, cuzk_err *err)
{
    uint64_t v[2];
    CUZK_TRY(call_named(c, ENGINE "EvictSRS", circuit_id, v, err));
    *was_loaded = v[0] != 0;
    *freed_bytes = v[1];
    return CUZK_OK;
}

cuzk_status cuzk_rpc_client_health(cuzk_rpc_client *c, const char *service,
                                   uint64_t *serving_status, cuzk_err *err)
{
    uint64_t v[2];
    CUZK_TRY(call_named(c, "/grpc.health.v1.Health/Check", service, v, err));
    *serving_status = v[0];
    return CUZK_OK;
}

cuzk_status cuzk_rpc_client_metrics(cuzk_rpc_client *c, char **text, cuzk_err *err)
{
    uint8_t *reply = NULL;
    size_t n = 0;
    cuzk_wire_field f;
    cuzk_bytes found = {NULL, 0};
    bool bad = false;
    cuzk_wire_writer w = {.data = NULL};
    CUZK_TRY(call_small(c, ENGINE "GetMetrics", &w, &reply, &n, err));
    cuzk_reader r = cuzk_reader_init(reply, n);
    while (cuzk_wire_next(&r, &f, &bad)) {
        if (f.number == 1 && f.type == CUZK_WIRE_LEN) {
            found = f.bytes;
        }
    }
    cuzk_status st = bad ? malformed("GetMetricsResponse", err) : CUZK_OK;
    char *out = st == CUZK_OK ? cuzk_alloc(found.size + 1, 1) : NULL;
    if (out != NULL) {
        copy_text(out, found.size + 1, found);
        *text = out;
    } else if (st == CUZK_OK) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for metrics");
    }
    cuzk_free(reply);
    return st;
}

/* ---- status ---- */

void cuzk_rpc_status_free(cuzk_rpc_status *s)
{
    cuzk_free(s->gpus);
    cuzk_free(s->srs);
    cuzk_free(s->queues);
    cuzk_free(s->abilities);
    memset(s, 0, sizeof(*s));
}

static bool read_gpu(struct cuzk_rpc_status_gpu *g, cuzk_bytes b)
{
    cuzk_reader r = cuzk_reader_init(b.data, b.size);
    cuzk_wire_field f;
    bool bad = false;
    while (cuzk_wire_next(&r, &f, &bad)) {
        switch (f.number) {
        case 1: g->ordinal = (uint32_t)f.value; break;
        case 2: copy_text(g->name, sizeof(g->name), f.bytes); break;
        case 3: g->memory_total = f.value; break;
        case 4: g->memory_free = f.value; break;
        case 5: copy_text(g->job_id, sizeof(g->job_id), f.bytes); break;
        case 6: copy_text(g->proof_kind, sizeof(g->proof_kind), f.bytes); break;
        default: break;
        }
    }
    return !bad;
}

static bool read_srs(struct cuzk_rpc_status_srs *s, cuzk_bytes b)
{
    cuzk_reader r = cuzk_reader_init(b.data, b.size);
    cuzk_wire_field f;
    bool bad = false;
    while (cuzk_wire_next(&r, &f, &bad)) {
        switch (f.number) {
        case 1: copy_text(s->circuit_id, sizeof(s->circuit_id), f.bytes); break;
        case 2: s->tier = (uint32_t)f.value; break;
        case 3: s->size_bytes = f.value; break;
        case 4: s->ref_count = (uint32_t)f.value; break;
        default: break;
        }
    }
    return !bad;
}

static bool read_queue(struct cuzk_rpc_status_queue *q, cuzk_bytes b)
{
    cuzk_reader r = cuzk_reader_init(b.data, b.size);
    cuzk_wire_field f;
    bool bad = false;
    while (cuzk_wire_next(&r, &f, &bad)) {
        switch (f.number) {
        case 1: copy_text(q->proof_kind, sizeof(q->proof_kind), f.bytes); break;
        case 2: q->pending = (uint32_t)f.value; break;
        case 3: q->in_progress = (uint32_t)f.value; break;
        default: break;
        }
    }
    return !bad;
}

static bool read_ability(struct cuzk_rpc_status_ability *a, cuzk_bytes b)
{
    cuzk_reader r = cuzk_reader_init(b.data, b.size);
    cuzk_wire_field f;
    bool bad = false;
    while (cuzk_wire_next(&r, &f, &bad)) {
        switch (f.number) {
        case 1: a->gpu_ordinal = (uint32_t)f.value; break;
        case 2: copy_text(a->circuit_id, sizeof(a->circuit_id), f.bytes); break;
        case 3: copy_text(a->ability, sizeof(a->ability), f.bytes); break;
        case 4: a->needed_bytes = f.value; break;
        case 5: a->available_bytes = f.value; break;
        case 6: a->expected_ms = (uint32_t)f.value; break;
        case 7: a->is_measured = f.value != 0; break;
        default: break;
        }
    }
    return !bad;
}

static void read_total(cuzk_rpc_status *s, const cuzk_wire_field *f)
{
    switch (f->number) {
    case 4: s->completed = f->value; break;
    case 5: s->failed = f->value; break;
    case 6: s->uptime_seconds = f->value; break;
    case 7: s->pinned_bytes = f->value; break;
    case 8: s->pinned_limit_bytes = f->value; break;
    default: break;
    }
}

/* Entries of each table that are read; more is malformed. A GPU entry takes 460 bytes here and may take 2 in the message. */
#define STATUS_MAX 4096u

/* One pass: counts with store false, stores with it true. false: malformed. */
static bool read_status(cuzk_rpc_status *s, cuzk_bytes m, bool store)
{
    cuzk_reader r = cuzk_reader_init(m.data, m.size);
    cuzk_wire_field f;
    bool bad = false, ok = true;
    s->n_gpus = s->n_srs = s->n_queues = s->n_abilities = 0;
    while (ok && cuzk_wire_next(&r, &f, &bad)) {
        if (f.type == CUZK_WIRE_VARINT) {
            read_total(s, &f);
        } else if (f.type == CUZK_WIRE_LEN && f.number == 1) {
            ok = !store || read_gpu(&s->gpus[s->n_gpus], f.bytes);
            s->n_gpus++;
        } else if (f.type == CUZK_WIRE_LEN && f.number == 2) {
            ok = !store || read_srs(&s->srs[s->n_srs], f.bytes);
            s->n_srs++;
        } else if (f.type == CUZK_WIRE_LEN && f.number == 3) {
            ok = !store || read_queue(&s->queues[s->n_queues], f.bytes);
            s->n_queues++;
        } else if (f.type == CUZK_WIRE_LEN && f.number == 9) {
            ok = !store || read_ability(&s->abilities[s->n_abilities], f.bytes);
            s->n_abilities++;
        }
    }
    return ok && !bad && s->n_gpus <= STATUS_MAX && s->n_srs <= STATUS_MAX &&
           s->n_queues <= STATUS_MAX && s->n_abilities <= STATUS_MAX;
}

cuzk_status cuzk_rpc_status_read(cuzk_rpc_status *out, cuzk_bytes m, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    memset(out, 0, sizeof(*out));
    if (!read_status(out, m, false)) {
        return malformed("GetStatusResponse", err);
    }
    out->gpus = cuzk_alloc_zero(out->n_gpus, sizeof(*out->gpus));
    out->srs = cuzk_alloc_zero(out->n_srs, sizeof(*out->srs));
    out->queues = cuzk_alloc_zero(out->n_queues, sizeof(*out->queues));
    out->abilities = cuzk_alloc_zero(out->n_abilities, sizeof(*out->abilities));
    if (out->gpus == NULL || out->srs == NULL || out->queues == NULL || out->abilities == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for a status");
    } else if (!read_status(out, m, true)) {
        st = malformed("GetStatusResponse", err);
    }
    if (st != CUZK_OK) {
        cuzk_rpc_status_free(out);
    }
    return st;
}

cuzk_status cuzk_rpc_client_status(cuzk_rpc_client *c, cuzk_rpc_status *out, cuzk_err *err)
{
    cuzk_wire_writer w = {.data = NULL};
    uint8_t *reply = NULL;
    size_t n = 0;
    memset(out, 0, sizeof(*out));
    CUZK_TRY(call_small(c, ENGINE "GetStatus", &w, &reply, &n, err));
    const cuzk_status st = cuzk_rpc_status_read(out, (cuzk_bytes){reply, n}, err);
    cuzk_free(reply);
    return st;
}

cuzk_status cuzk_rpc_client_aggregate_status(cuzk_rpc_client *c, cuzk_rpc_aggregate_status *out,
                                             cuzk_err *err)
{
    uint64_t *const fields[] = {&out->pending, &out->in_progress, &out->completed, &out->failed,
                                &out->cancelled};
    cuzk_wire_writer w = {.data = NULL};
    cuzk_wire_field f;
    uint8_t *reply = NULL;
    size_t n = 0;
    bool bad = false;
    memset(out, 0, sizeof(*out));
    CUZK_TRY(call_small(c, AGGREGATOR "GetStatus", &w, &reply, &n, err));
    cuzk_reader r = cuzk_reader_init(reply, n);
    while (cuzk_wire_next(&r, &f, &bad)) {
        if (f.type == CUZK_WIRE_VARINT && f.number >= 1 && f.number <= 5) {
            *fields[f.number - 1] = f.value;
        }
    }
    cuzk_free(reply);
    return bad ? malformed("GetStatusResponse", err) : CUZK_OK;
}

/* ---- inputs ---- */

static cuzk_status read_part(cuzk_rpc_client *c, const char *name, uint64_t at, uint8_t *out,
                             size_t room, size_t *got, cuzk_err *err)
{
    cuzk_wire_writer w = {.data = NULL};
    uint8_t *reply = NULL;
    size_t n = 0;
    cuzk_wire_put_str(&w, 1, name);
    cuzk_wire_put_u64(&w, 2, at);
    CUZK_TRY(call_small(c, "/cuzk.fleet.v1.Inputs/Read", &w, &reply, &n, err));
    cuzk_reader r = cuzk_reader_init(reply, n);
    cuzk_wire_field f;
    bool bad = false;
    cuzk_bytes data = {NULL, 0};
    while (cuzk_wire_next(&r, &f, &bad)) {
        if (f.number == 1 && f.type == CUZK_WIRE_LEN) {
            data = f.bytes;
        }
    }
    const bool fits = !bad && data.size > 0 && data.size <= room;
    if (fits) {
        memcpy(out, data.data, data.size);
        *got = data.size;
    }
    cuzk_free(reply);
    return fits ? CUZK_OK : malformed("ReadResponse", err);
}

cuzk_status cuzk_rpc_client_read_input(cuzk_rpc_client *c, const char *name, uint8_t *out, size_t n,
                                       cuzk_err *err)
{
    for (size_t at = 0; at < n;) {
        size_t got = 0;
        CUZK_TRY(read_part(c, name, at, out + at, n - at, &got, err));
        at += got;
    }
    return CUZK_OK;
}
