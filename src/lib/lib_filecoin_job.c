/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Filecoin's proofs for a task: the one file of the library that drives src/prover. */
#include "base/alloc.h"
#include "prover/prove/prove_all.h"

#include "prover_internal.h"

static cuzk_filecoin_blob blob32(const uint8_t bytes[32])
{
    return (cuzk_filecoin_blob){bytes, 32};
}

/* One partition of an update by its vanilla proof alone: the input then has this partition and no other. */
static bool is_lone_update(const cuzk_prove_request *rq)
{
    return rq->kind == CUZK_KIND_UPDATE && (rq->flags & CUZK_PROVE_ONE_PARTITION) != 0 &&
           rq->n_inputs == 1;
}

/* What the request says besides the inputs' own bytes must agree with them. */
static cuzk_status check_porep(const cuzk_filecoin_input *in, const cuzk_prove_request *rq,
                               cuzk_err *err)
{
    const cuzk_seal_type *t = &in->porep->type;
    if (rq->registered_proof != 0 && rq->registered_proof != t->number) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "registered_proof is %llu, the C1 output is of type %llu",
                         (unsigned long long)rq->registered_proof, (unsigned long long)t->number);
    }
    if (rq->sector_bytes != 0 && rq->sector_bytes != t->sector_bytes) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "sector_bytes is %llu, the C1 output is of a sector of %llu",
                         (unsigned long long)rq->sector_bytes, (unsigned long long)t->sector_bytes);
    }
    return CUZK_OK;
}

static cuzk_status parse(cuzk_filecoin_input **out, const cuzk_task *t, uint64_t *bytes,
                         cuzk_err *err)
{
    const cuzk_prove_request *rq = &t->rq;
    cuzk_filecoin_blob *blobs = cuzk_alloc(rq->n_inputs, sizeof(*blobs));
    cuzk_filecoin_input *in = NULL;
    uint64_t sum = 0;
    if (blobs == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for %zu inputs", rq->n_inputs);
    }
    for (size_t i = 0; i < rq->n_inputs; i++) {
        blobs[i] = (cuzk_filecoin_blob){rq->inputs[i].data, rq->inputs[i].size};
        sum += rq->inputs[i].size;
    }
    const cuzk_filecoin_request request = {.kind = (cuzk_circuit_kind)rq->kind,
                                           .sector_bytes = rq->sector_bytes,
                                           .registered_proof = rq->registered_proof,
                                           .miner_id = rq->miner_id,
                                           .sector_number = rq->sector_number,
                                           .partition_index = rq->partition,
                                           .is_one_partition = is_lone_update(rq),
                                           .randomness = blob32(rq->randomness),
                                           .comm_r_old = blob32(rq->comm_r_old),
                                           .comm_r_new = blob32(rq->comm_r_new),
                                           .comm_d_new = blob32(rq->comm_d_new),
                                           .proofs = blobs,
                                           .n_proofs = rq->n_inputs,
                                           .pool = t->p->pool};
    *bytes = cuzk_filecoin_input_bytes(request.kind, sum);
    cuzk_status st = cuzk_filecoin_input_parse(&in, &request, err);
    cuzk_free(blobs);
    if (st == CUZK_OK && in->porep != NULL) {
        st = check_porep(in, rq, err);
        if ((rq->flags & CUZK_PROVE_BIND_SECTOR) != 0) {
            cuzk_prover_id_of_miner(&in->prover_id, rq->miner_id);
            in->porep_check.prover_id = &in->prover_id;
            in->porep_check.sector_id = rq->sector_number;
        }
    }
    if (st != CUZK_OK) {
        cuzk_filecoin_input_destroy(in);
        return st;
    }
    *out = in;
    return CUZK_OK;
}

/* Host memory of a job beside its key. */
static cuzk_status job_bytes(uint64_t *out, const cuzk_task *t, const cuzk_filecoin_input *in,
                             uint64_t input_bytes, cuzk_err *err)
{
    cuzk_filecoin_needs n;
    CUZK_TRY(cuzk_filecoin_needs_of(&n, &in->spec, cuzk_pool_threads(t->p->pool), err));
    const uint64_t prove =
        t->p->n_devices == 0 ? n.witness_bytes + n.prove_bytes : 4 * n.witness_bytes;
    *out = input_bytes + prove + n.verify_bytes;
    return CUZK_OK;
}

static cuzk_status prove_on(cuzk_task *t, const cuzk_pipeline *pipe, const lib_key *k,
                            cuzk_placed_witness *w, int32_t partition, uint8_t proof[192],
                            cuzk_trace_ctx trace, cuzk_err *err)
{
    if (t->p->n_devices == 0) {
        return cuzk_pipeline_prove(proof, w, cuzk_filecoin_params_srs(k->params), t->p->pool,
                                   &t->cancel, trace, err);
    }
    const cuzk_device_call call = {
        .key = k->keys[0], .device = 0, .partitions = &partition, .pool = t->p->pool};
    (void)pipe;
    return cuzk_pipeline_prove_on_device((uint8_t(*)[192])proof, &w, 1, &call, &t->cancel, trace,
                                         err);
}

/* Partition rq.partition alone, into t->proof [192]. */
static cuzk_status prove_one(cuzk_task *t, const cuzk_filecoin_input *in, const lib_key *k,
                             cuzk_trace_ctx trace, cuzk_err *err)
{
    const uint32_t partition = t->rq.partition;
    const cuzk_vk *vk = cuzk_filecoin_params_vk(k->params);
    const cuzk_witness_opts opts = {.memory = k->memories[0],
                                    .check_rows = (t->rq.flags & CUZK_PROVE_CHECK_ROWS) != 0};
    cuzk_pipeline *pipe = NULL;
    cuzk_placed_witness *w = NULL;
    uint8_t proof[CUZK_PROOF_BYTES];
    CUZK_TRY(cuzk_pipeline_create(&pipe, in, t->p->hashes, t->p->pool, err));
    lib_task_progress(t, "check", 0, 1);
    cuzk_status st = cuzk_pipeline_check(pipe, &t->cancel, trace, err);
    if (st == CUZK_OK) {
        lib_task_progress(t, "prove", 0, 1);
        st = cuzk_pipeline_witness(&w, pipe, cuzk_filecoin_circuit_get(k->circuit), partition,
                                   &opts, &t->cancel, trace, err);
    }
    if (st == CUZK_OK) {
        st = prove_on(t, pipe, k, w, (int32_t)partition, proof, trace, err);
    }
    if (st == CUZK_OK) {
        const cuzk_span span = cuzk_span_begin(trace, "verify", NULL);
        st = cuzk_pipeline_verify(pipe, vk, partition, proof, err);
        cuzk_span_end(trace, span, 0);
    }
    cuzk_placed_give(w);
    cuzk_pipeline_destroy(pipe);
    if (st == CUZK_OK) {
        memcpy(t->proof, proof, sizeof(proof));
        lib_task_progress(t, "prove", 1, 1);
    }
    return st;
}

static cuzk_status prove_whole(cuzk_task *t, const cuzk_filecoin_input *in, const lib_key *k,
                               cuzk_trace_ctx trace, cuzk_err *err)
{
    const bool is_cpu = t->p->n_devices == 0;
    const cuzk_prove_all_job job = {.in = in,
                                    .circuit = cuzk_filecoin_circuit_get(k->circuit),
                                    .hashes = t->p->hashes,
                                    .vk = cuzk_filecoin_params_vk(k->params),
                                    .srs = is_cpu ? cuzk_filecoin_params_srs(k->params) : NULL,
                                    .keys = k->keys,
                                    .memories = k->memories,
                                    .n_keys = t->p->n_devices,
                                    .pool = t->p->pool,
                                    .cancel = &t->cancel,
                                    .trace = trace,
                                    .check_rows = (t->rq.flags & CUZK_PROVE_CHECK_ROWS) != 0,
                                    .progress = lib_task_progress,
                                    .progress_arg = t};
    return cuzk_prove_all(&job, t->proof, err);
}

static cuzk_status prove_input(cuzk_task *t, const cuzk_filecoin_input *in, uint64_t input_bytes,
                               cuzk_trace_ctx trace, cuzk_err *err)
{
    const bool is_one = (t->rq.flags & CUZK_PROVE_ONE_PARTITION) != 0 && !is_lone_update(&t->rq);
    lib_key *k = NULL;
    uint64_t bytes = 0;
    if (is_one && t->rq.partition >= in->n_partitions) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "partition is %u: there are %u", t->rq.partition,
                         in->n_partitions);
    }
    const size_t n = (is_one ? 1 : (size_t)in->n_partitions) * CUZK_PROOF_BYTES;
    CUZK_TRY(job_bytes(&bytes, t, in, input_bytes, err));
    CUZK_TRY(lib_task_make_room(t, n, err));
    CUZK_TRY(lib_key_take(&k, t->p, &in->spec, bytes, &t->cancel, trace, err));
    t->sector_bytes = in->spec.shape->bytes;
    t->constraints = cuzk_filecoin_circuit_get(k->circuit)->n_rows;
    const cuzk_status st =
        is_one ? prove_one(t, in, k, trace, err) : prove_whole(t, in, k, trace, err);
    lib_key_give(t->p, k, bytes);
    return st;
}

cuzk_status lib_filecoin_run(cuzk_task *t, cuzk_trace_ctx trace, cuzk_err *err)
{
    cuzk_filecoin_input *in = NULL;
    uint64_t bytes = 0;
    if (t->parsed != NULL) {
        return prove_input(t, t->parsed, cuzk_filecoin_input_heap(t->parsed), trace, err);
    }
    lib_task_progress(t, "parse", 0, 1);
    const cuzk_span span = cuzk_span_begin(trace, "parse", NULL);
    cuzk_status st = parse(&in, t, &bytes, err);
    cuzk_span_end(trace, span, 0);
    CUZK_TRY(st);
    st = prove_input(t, in, bytes, trace, err);
    cuzk_filecoin_input_destroy(in);
    return st;
}
