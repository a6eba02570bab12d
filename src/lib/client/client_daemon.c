/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The daemon itself, for <cuzk/client.h>: GetStatus, GetMetrics, PreloadSRS, EvictSRS, and its health. */
#include "base/alloc.h"

#include "client_internal.h"

struct cuzk_client_status {
    cuzk_rpc_status s;
};

/* ---- status ---- */

cuzk_status cuzk_client_get_status(cuzk_client_status **out, cuzk_client *c,
                                   const cuzk_client_call *call, cuzk_error *error)
{
    cuzk_err err = {.msg = ""};
    client_call x;
    cuzk_client_status *s = cuzk_alloc_zero(1, sizeof(*s));
    if (s == NULL) {
        return lib_fail(error, CUZK_E_NOMEM, "status: out of memory");
    }
    cuzk_status st = client_call_begin(&x, c, call, error);
    if (st == CUZK_OK) {
        st = cuzk_rpc_client_status(x.connection, &s->s, &err);
        st = client_call_end(&x, st, &err, error);
    }
    if (st != CUZK_OK) {
        cuzk_free(s);
        return st;
    }
    *out = s;
    return CUZK_OK;
}

void cuzk_client_status_destroy(cuzk_client_status *s)
{
    if (s != NULL) {
        cuzk_rpc_status_free(&s->s);
        cuzk_free(s);
    }
}

cuzk_status cuzk_client_status_totals(cuzk_client_totals *out, const cuzk_client_status *s)
{
    const cuzk_client_totals t = {.struct_size = out->struct_size,
                                  .n_gpus = (uint32_t)s->s.n_gpus,
                                  .n_circuits = (uint32_t)s->s.n_srs,
                                  .n_queues = (uint32_t)s->s.n_queues,
                                  .n_abilities = (uint32_t)s->s.n_abilities,
                                  .completed = s->s.completed,
                                  .failed = s->s.failed,
                                  .uptime_seconds = s->s.uptime_seconds,
                                  .pinned_bytes = s->s.pinned_bytes,
                                  .pinned_limit_bytes = s->s.pinned_limit_bytes};
    return lib_give(out, &t, sizeof(t));
}

cuzk_status cuzk_client_status_gpu(cuzk_client_gpu *out, const cuzk_client_status *s, size_t i)
{
    if (i >= s->s.n_gpus) {
        return CUZK_E_NOT_FOUND;
    }
    const struct cuzk_rpc_status_gpu *g = &s->s.gpus[i];
    const cuzk_client_gpu mine = {.struct_size = out->struct_size,
                                  .ordinal = g->ordinal,
                                  .name = g->name,
                                  .job_id = g->job_id,
                                  .proof_kind = g->proof_kind,
                                  .memory_bytes = g->memory_total,
                                  .memory_free_bytes = g->memory_free};
    return lib_give(out, &mine, sizeof(mine));
}

cuzk_status cuzk_client_status_circuit(cuzk_client_circuit *out, const cuzk_client_status *s,
                                       size_t i)
{
    if (i >= s->s.n_srs) {
        return CUZK_E_NOT_FOUND;
    }
    const struct cuzk_rpc_status_srs *r = &s->s.srs[i];
    const cuzk_client_circuit mine = {.struct_size = out->struct_size,
                                      .tier = r->tier,
                                      .circuit_id = r->circuit_id,
                                      .bytes = r->size_bytes,
                                      .users = r->ref_count};
    return lib_give(out, &mine, sizeof(mine));
}

cuzk_status cuzk_client_status_queue(cuzk_client_queue *out, const cuzk_client_status *s, size_t i)
{
    if (i >= s->s.n_queues) {
        return CUZK_E_NOT_FOUND;
    }
    const struct cuzk_rpc_status_queue *q = &s->s.queues[i];
    const cuzk_client_queue mine = {.struct_size = out->struct_size,
                                    .pending = q->pending,
                                    .in_progress = q->in_progress,
                                    .proof_kind = q->proof_kind};
    return lib_give(out, &mine, sizeof(mine));
}

cuzk_status cuzk_client_status_ability(cuzk_client_ability *out, const cuzk_client_status *s,
                                       size_t i)
{
    if (i >= s->s.n_abilities) {
        return CUZK_E_NOT_FOUND;
    }
    const struct cuzk_rpc_status_ability *a = &s->s.abilities[i];
    const cuzk_client_ability mine = {.struct_size = out->struct_size,
                                      .gpu_ordinal = a->gpu_ordinal,
                                      .circuit_id = a->circuit_id,
                                      .ability = a->ability,
                                      .needed_bytes = a->needed_bytes,
                                      .available_bytes = a->available_bytes,
                                      .expected_ms = a->expected_ms,
                                      .is_measured = a->is_measured};
    return lib_give(out, &mine, sizeof(mine));
}

/* ---- metrics and health ---- */

cuzk_status cuzk_client_get_metrics(char **text, cuzk_client *c, const cuzk_client_call *call,
                                    cuzk_error *error)
{
    cuzk_err err = {.msg = ""};
    client_call x;
    CUZK_TRY(client_call_begin(&x, c, call, error));
    return client_call_end(&x, cuzk_rpc_client_metrics(x.connection, text, &err), &err, error);
}

void cuzk_client_text_free(char *text)
{
    cuzk_free(text);
}

cuzk_status cuzk_client_health(int32_t *is_serving, cuzk_client *c, const cuzk_client_call *call,
                               cuzk_error *error)
{
    cuzk_err err = {.msg = ""};
    client_call x;
    uint64_t serving = 0;
    CUZK_TRY(client_call_begin(&x, c, call, error));
    const cuzk_status st = cuzk_rpc_client_health(x.connection, "", &serving, &err);
    if (st == CUZK_OK) {
        *is_serving = serving == 1;
    }
    return client_call_end(&x, st, &err, error);
}

/* ---- circuits ---- */

cuzk_status cuzk_client_preload(int32_t *was_loaded, uint64_t *load_ms, cuzk_client *c,
                                const char *circuit_id, const cuzk_client_call *call,
                                cuzk_error *error)
{
    cuzk_err err = {.msg = ""};
    client_call x;
    bool loaded = false;
    uint64_t ms = 0;
    CUZK_TRY(client_call_begin(&x, c, call, error));
    const cuzk_status st = cuzk_rpc_client_preload(x.connection, circuit_id, &loaded, &ms, &err);
    if (st == CUZK_OK && was_loaded != NULL) {
        *was_loaded = loaded;
    }
    if (st == CUZK_OK && load_ms != NULL) {
        *load_ms = ms;
    }
    return client_call_end(&x, st, &err, error);
}

cuzk_status cuzk_client_evict(int32_t *was_loaded, uint64_t *freed_bytes, cuzk_client *c,
                              const char *circuit_id, const cuzk_client_call *call,
                              cuzk_error *error)
{
    cuzk_err err = {.msg = ""};
    client_call x;
    bool loaded = false;
    uint64_t bytes = 0;
    CUZK_TRY(client_call_begin(&x, c, call, error));
    const cuzk_status st = cuzk_rpc_client_evict(x.connection, circuit_id, &loaded, &bytes, &err);
    if (st == CUZK_OK && was_loaded != NULL) {
        *was_loaded = loaded;
    }
    if (st == CUZK_OK && freed_bytes != NULL) {
        *freed_bytes = bytes;
    }
    return client_call_end(&x, st, &err, error);
}
