/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Responses, and the engine's status as GetStatus tells it. */
#include <string.h>

#include <cuzk/v1/proving.pb-c.h>

#include "base/alloc.h"
#include "rpc/wire/rpc_messages.h"

/* The wire's AwaitProofResponse.Status. */
static uint64_t wire_status(cuzk_job_state s)
{
    switch (s) {
    case CUZK_JOB_COMPLETED: return CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__COMPLETED;
    case CUZK_JOB_FAILED: return CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__FAILED;
    case CUZK_JOB_CANCELLED: return CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__CANCELLED;
    case CUZK_JOB_QUEUED:
    case CUZK_JOB_RUNNING: return CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__TIMEOUT;
    }
    return CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__UNKNOWN;
}

void cuzk_rpc_put_result(cuzk_wire_writer *w, cuzk_bytes job_id, const cuzk_job_result *result)
{
    cuzk_wire_put_bytes(w, 1, job_id.data, job_id.size);
    cuzk_wire_put_u64(w, 2, wire_status(result->state));
    if (result->state == CUZK_JOB_COMPLETED) {
        cuzk_wire_put_bytes(w, 3, result->proof.data, result->proof.size);
    }
    cuzk_wire_put_str(w, 4, result->error == NULL ? "" : result->error);
    cuzk_wire_put_u64(w, 10, result->queue_wait_ms);
    cuzk_wire_put_u64(w, 11, result->srs_load_ms);
    cuzk_wire_put_u64(w, 12, result->synthesis_ms);
    cuzk_wire_put_u64(w, 13, result->gpu_compute_ms);
    cuzk_wire_put_u64(w, 14, result->total_ms);
}

static void pack(cuzk_wire_writer *w, const ProtobufCMessage *m)
{
    const size_t n = protobuf_c_message_get_packed_size(m);
    uint8_t *buf = cuzk_alloc(n, 1);
    if (buf == NULL) {
        w->nomem = true;
        return;
    }
    (void)protobuf_c_message_pack(m, buf);
    cuzk_wire_put_raw(w, buf, n);
    cuzk_free(buf);
}

/* protobuf-c's messages hold char *, which packing only reads. */
static char *text_of(const char *s)
{
    union {
        const char *in;
        char *out;
    } u = {.in = s};
    return u.out;
}

void cuzk_rpc_put_submit_response(cuzk_wire_writer *w, const char *job_id, uint32_t position)
{
    Cuzk__V1__SubmitProofResponse m;
    cuzk__v1__submit_proof_response__init(&m);
    m.job_id = text_of(job_id);
    m.queue_position = position;
    pack(w, &m.base);
}

void cuzk_rpc_put_cancel_response(cuzk_wire_writer *w, bool was_running)
{
    Cuzk__V1__CancelProofResponse m;
    cuzk__v1__cancel_proof_response__init(&m);
    m.was_running = was_running;
    pack(w, &m.base);
}

void cuzk_rpc_put_preload_response(cuzk_wire_writer *w, bool already_loaded, uint64_t load_ms)
{
    Cuzk__V1__PreloadSrsResponse m;
    cuzk__v1__preload_srs_response__init(&m);
    m.already_loaded = already_loaded;
    m.load_time_ms = load_ms;
    pack(w, &m.base);
}

void cuzk_rpc_put_evict_response(cuzk_wire_writer *w, bool was_loaded, uint64_t freed_bytes)
{
    Cuzk__V1__EvictSrsResponse m;
    cuzk__v1__evict_srs_response__init(&m);
    m.was_loaded = was_loaded;
    m.freed_bytes = freed_bytes;
    pack(w, &m.base);
}

void cuzk_rpc_put_metrics_response(cuzk_wire_writer *w, const char *text, size_t n)
{
    cuzk_wire_put_bytes(w, 1, text, n);
}

static void put_device(cuzk_wire_writer *w, const cuzk_status_device *d)
{
    Cuzk__V1__GPUStatus m;
    cuzk__v1__gpustatus__init(&m);
    cuzk_wire_writer sub = {.data = NULL};
    m.ordinal = d->ordinal;
    m.name = text_of(d->name);
    m.vram_total_bytes = d->memory_total;
    m.vram_free_bytes = d->memory_free;
    for (size_t i = 0; i < sizeof(d->slot) / sizeof(d->slot[0]); i++) {
        if (d->slot[i].busy) {
            m.current_job_id = text_of(d->slot[i].job_id);
            m.current_proof_kind = text_of(cuzk_job_kind_queue_name(d->slot[i].kind));
            break;
        }
    }
    pack(&sub, &m.base);
    cuzk_wire_put_message(w, 1, sub.data, sub.len);
    w->nomem = w->nomem || sub.nomem;
    cuzk_wire_writer_free(&sub);
}

static void put_ability(cuzk_wire_writer *w, const cuzk_engine_status *s,
                        const cuzk_status_ability *a)
{
    Cuzk__V1__KindAbility m;
    cuzk__v1__kind_ability__init(&m);
    cuzk_wire_writer sub = {.data = NULL};
    m.gpu_ordinal = s->devices[a->device].ordinal;
    m.circuit_id = text_of(a->circuit_id);
    m.ability = text_of(cuzk_device_ability_name(a->ability));
    m.needed_bytes = a->needed_bytes;
    m.available_bytes = a->available_bytes;
    m.expected_ms = a->expected_ms;
    m.expected_is_measured = a->is_measured;
    pack(&sub, &m.base);
    cuzk_wire_put_message(w, 9, sub.data, sub.len);
    w->nomem = w->nomem || sub.nomem;
    cuzk_wire_writer_free(&sub);
}

static void put_cached(cuzk_wire_writer *w, const cuzk_status_cached *c)
{
    Cuzk__V1__SRSStatus m;
    cuzk__v1__srsstatus__init(&m);
    cuzk_wire_writer sub = {.data = NULL};
    m.circuit_id = text_of(c->circuit_id);
    m.tier = c->on_device ? CUZK__V1__SRSSTATUS__TIER__HOT : CUZK__V1__SRSSTATUS__TIER__WARM;
    m.size_bytes = c->bytes;
    m.ref_count = c->refs;
    pack(&sub, &m.base);
    cuzk_wire_put_message(w, 2, sub.data, sub.len);
    w->nomem = w->nomem || sub.nomem;
    cuzk_wire_writer_free(&sub);
}

static void put_queue(cuzk_wire_writer *w, cuzk_job_kind kind, const cuzk_engine_status *s)
{
    Cuzk__V1__QueueStatus m;
    cuzk__v1__queue_status__init(&m);
    cuzk_wire_writer sub = {.data = NULL};
    m.proof_kind = text_of(cuzk_job_kind_queue_name(kind));
    m.pending = s->pending[kind];
    m.in_progress = s->in_progress[kind];
    pack(&sub, &m.base);
    cuzk_wire_put_message(w, 3, sub.data, sub.len);
    w->nomem = w->nomem || sub.nomem;
    cuzk_wire_writer_free(&sub);
}

void cuzk_rpc_put_status_response(cuzk_wire_writer *w, const cuzk_engine_status *s)
{
    Cuzk__V1__GetStatusResponse m;
    cuzk__v1__get_status_response__init(&m);
    /* Repeated fields first, one message each; concatenated encodings merge. */
    for (uint32_t i = 0; i < s->n_devices; i++) {
        put_device(w, &s->devices[i]);
    }
    for (uint32_t i = 0; i < s->n_abilities; i++) {
        put_ability(w, s, &s->abilities[i]);
    }
    for (uint32_t i = 0; i < s->n_cached; i++) {
        if (s->cached[i].is_srs) {
            put_cached(w, &s->cached[i]);
        }
    }
    for (int k = CUZK_JOB_POREP; k <= CUZK_JOB_WINNING; k++) {
        put_queue(w, (cuzk_job_kind)k, s);
        m.total_proofs_completed += s->completed[k];
        m.total_proofs_failed += s->failed[k];
    }
    m.uptime_seconds = (s->now_ns - s->started_ns) / 1000000000u;
    m.pinned_memory_bytes = s->pinned_used;
    m.pinned_memory_limit_bytes = s->pinned_limit;
    pack(w, &m.base);
}
