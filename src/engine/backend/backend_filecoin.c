/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engine/backend/backend_filecoin.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "engine/backend/backend_aggregate.h"
#include "engine/backend/backend_device.h"
#include "prover/keys/circuit_id.h"
#include "prover/needs/expected_time.h"
#include "prover/prove/pipeline.h"
#include "sys/file.h"
#include "unpack/unpack.h"

#define MAX_CIRCUITS         48
#define LEAST_NETWORK_SECTOR ((uint64_t)32 << 30)

typedef struct filecoin_backend {
    cuzk_params_dir dir;
    cuzk_pool *pool;
    cuzk_hashes *hashes;
    cuzk_circuit_spec specs[MAX_CIRCUITS];
    cuzk_backend_circuit circuits[MAX_CIRCUITS];
    uint32_t n_circuits;
    cuzk_backend_aggregates *aggregates;
    cuzk_backend_devices *devices;
    uint32_t n_devices; /* 0: the CPU */
    /* the CPU as an additional device, for the time when no other device works */
    bool has_fallback;
} filecoin_backend;

/* Host memory of a partition while a device proves it: results, and pieces that are being copied. */
#define DEVICE_CALL_BYTES ((uint64_t)64 << 20)

static cuzk_job_kind job_kind(cuzk_circuit_kind k)
{
    static const cuzk_job_kind kinds[CUZK_CIRCUIT_N_KINDS] = {CUZK_JOB_POREP, CUZK_JOB_WINNING,
                                                              CUZK_JOB_WINDOW, CUZK_JOB_UPDATE};
    return kinds[k];
}

static cuzk_circuit_kind circuit_kind(cuzk_job_kind k)
{
    switch (k) {
    case CUZK_JOB_UPDATE: return CUZK_CIRCUIT_UPDATE;
    case CUZK_JOB_WINDOW: return CUZK_CIRCUIT_WINDOW;
    case CUZK_JOB_WINNING: return CUZK_CIRCUIT_WINNING;
    case CUZK_JOB_POREP:
    case CUZK_JOB_AGGREGATE: break;
    }
    return CUZK_CIRCUIT_POREP;
}

static cuzk_status add_circuit(filecoin_backend *b, const cuzk_circuit_spec *spec, cuzk_err *err)
{
    cuzk_filecoin_needs needs;
    cuzk_backend_circuit *c = &b->circuits[b->n_circuits];
    CUZK_TRY(cuzk_filecoin_needs_of(&needs, spec, cuzk_pool_threads(b->pool), err));
    *c = (cuzk_backend_circuit){
        .kind = job_kind(spec->kind),
        .circuit_bytes = needs.circuit_bytes,
        .compile_bytes = needs.compile_bytes,
        .params_bytes = needs.params_heap_bytes,
        .witness_bytes = needs.witness_bytes,
        .prove_bytes =
            needs.verify_bytes + (b->n_devices != 0 ? DEVICE_CALL_BYTES : needs.prove_bytes),
        .verify_bytes = needs.verify_bytes,
        .cpu_extra_bytes = b->has_fallback && needs.prove_bytes > DEVICE_CALL_BYTES
                               ? needs.prove_bytes - DEVICE_CALL_BYTES
                               : 0,
        .is_network = spec->shape->bytes >= LEAST_NETWORK_SECTOR};
    (void)cuzk_circuit_id(c->id, spec);
    b->specs[b->n_circuits++] = *spec;
    return CUZK_OK;
}

static cuzk_status list_circuits(filecoin_backend *b, cuzk_err *err)
{
    unsigned n = 0;
    const cuzk_sector_shape *shapes = cuzk_sector_shapes(&n);
    for (int k = 0; k < CUZK_CIRCUIT_N_KINDS; k++) {
        for (unsigned i = 0; i < n && b->n_circuits < MAX_CIRCUITS; i++) {
            cuzk_circuit_spec spec;
            cuzk_err none;
            if (cuzk_circuit_spec_of(&spec, (cuzk_circuit_kind)k, shapes[i].bytes, &none) ==
                CUZK_OK) {
                CUZK_TRY(add_circuit(b, &spec, err));
            }
        }
    }
    return CUZK_OK;
}

static uint32_t index_of(const filecoin_backend *b, const cuzk_circuit_spec *spec)
{
    for (uint32_t i = 0; i < b->n_circuits; i++) {
        if (b->specs[i].kind == spec->kind && b->specs[i].shape == spec->shape) {
            return i;
        }
    }
    return CUZK_CIRCUIT_UNKNOWN;
}

static cuzk_filecoin_blob blob(cuzk_bytes b)
{
    return (cuzk_filecoin_blob){b.data, b.size};
}

/* Translates the request for the prover. blobs [n_vanilla_proofs or 1] gets the proofs. */
static void convert(cuzk_filecoin_request *out, cuzk_filecoin_blob *blobs,
                    const cuzk_job_request *rq)
{
    *out = (cuzk_filecoin_request){.kind = circuit_kind(rq->kind),
                                   .sector_bytes = rq->sector_size,
                                   .registered_proof = rq->registered_proof,
                                   .miner_id = rq->miner_id,
                                   .sector_number = rq->sector_number,
                                   .partition_index = rq->partition_index,
                                   .randomness = blob(rq->randomness),
                                   .comm_r_old = blob(rq->comm_r_old),
                                   .comm_r_new = blob(rq->comm_r_new),
                                   .comm_d_new = blob(rq->comm_d_new),
                                   .proofs = blobs};
    if (blobs == NULL) {
        return;
    }
    if (rq->kind == CUZK_JOB_POREP) {
        blobs[0] = blob(rq->vanilla_proof);
        out->n_proofs = 1;
        return;
    }
    for (size_t i = 0; i < rq->n_vanilla_proofs; i++) {
        blobs[i] = blob(rq->vanilla_proofs[i]);
    }
    out->n_proofs = rq->n_vanilla_proofs;
}

static uint64_t request_bytes(const cuzk_job_request *rq)
{
    uint64_t n = rq->vanilla_proof.size;
    for (size_t i = 0; i < rq->n_vanilla_proofs; i++) {
        n += rq->vanilla_proofs[i].size;
    }
    return n;
}

static cuzk_status check_size(const char *field, cuzk_bytes b, cuzk_err *err)
{
    return b.size == CUZK_NODE_BYTES
               ? CUZK_OK
               : CUZK_FAIL(err, CUZK_E_INVALID, "%s has %zu bytes, it must have 32", field, b.size);
}

static cuzk_status check_fields(const cuzk_job_request *rq, cuzk_err *err)
{
    switch (rq->kind) {
    case CUZK_JOB_POREP:
        return rq->vanilla_proof.size != 0
                   ? CUZK_OK
                   : CUZK_FAIL(err, CUZK_E_INVALID, "vanilla_proof is empty");
    case CUZK_JOB_UPDATE:
        CUZK_TRY(check_size("comm_r_old", rq->comm_r_old, err));
        CUZK_TRY(check_size("comm_r_new", rq->comm_r_new, err));
        CUZK_TRY(check_size("comm_d_new", rq->comm_d_new, err));
        break;
    case CUZK_JOB_WINDOW:
    case CUZK_JOB_WINNING: CUZK_TRY(check_size("randomness", rq->randomness, err)); break;
    case CUZK_JOB_AGGREGATE: break;
    }
    return rq->n_vanilla_proofs != 0 ? CUZK_OK
                                     : CUZK_FAIL(err, CUZK_E_INVALID, "vanilla_proofs is empty");
}

/* A compressed C1 is charged with the size that its header claims. */
static cuzk_status plan_c1(const cuzk_job_request *rq, cuzk_backend_plan *out, cuzk_err *err)
{
    cuzk_packing p;
    cuzk_packing_of(&p, rq->vanilla_proof.data, rq->vanilla_proof.size);
    if (p.result_bytes > CUZK_CONTENT_INPUT) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "vanilla_proof: holds %llu bytes when unpacked, at most %llu are read",
                         (unsigned long long)p.result_bytes,
                         (unsigned long long)CUZK_CONTENT_INPUT);
    }
    out->input_bytes = cuzk_filecoin_input_bytes(CUZK_CIRCUIT_POREP, p.result_bytes) + p.heap_bytes;
    return CUZK_OK;
}

static cuzk_status plan(void *arg, const cuzk_job_request *rq, cuzk_backend_plan *out,
                        cuzk_err *err)
{
    const filecoin_backend *b = arg;
    cuzk_filecoin_request frq;
    cuzk_circuit_spec spec;
    bool is_known = false;
    out->circuit = CUZK_CIRCUIT_UNKNOWN;
    if (rq->kind == CUZK_JOB_AGGREGATE) {
        return cuzk_aggregate_plan(&out->input_bytes, rq, err);
    }
    CUZK_TRY(check_fields(rq, err));
    convert(&frq, NULL, rq);
    if (rq->kind == CUZK_JOB_POREP) {
        CUZK_TRY(plan_c1(rq, out, err));
        /* The C1 itself names sector and miner; they are compared with the request when the C1 is parsed. */
        if (cuzk_filecoin_request_spec(&spec, &is_known, &frq, NULL) == CUZK_OK && is_known) {
            out->circuit = index_of(b, &spec);
        }
        out->n_partitions = cuzk_filecoin_request_partitions(&frq);
        return CUZK_OK;
    }
    out->input_bytes = cuzk_filecoin_input_bytes(frq.kind, request_bytes(rq));
    CUZK_TRY(cuzk_filecoin_request_spec(&spec, &is_known, &frq, err));
    if (is_known) {
        out->circuit = index_of(b, &spec);
    }
    return CUZK_OK;
}

static cuzk_status load(void *arg, uint32_t circuit, cuzk_load_what what, void **object,
                        uint64_t *bytes, cuzk_err *err)
{
    filecoin_backend *b = arg;
    const cuzk_circuit_spec *spec = &b->specs[circuit];
    if (what == CUZK_LOAD_CIRCUIT) {
        cuzk_filecoin_circuit *c = NULL;
        CUZK_TRY(cuzk_filecoin_circuit_create(&c, spec, err));
        *object = c;
        *bytes = cuzk_circuit_bytes(cuzk_filecoin_circuit_get(c));
        return CUZK_OK;
    }
    cuzk_filecoin_params *p = NULL;
    CUZK_TRY(cuzk_filecoin_params_open(&p, spec, &b->dir, b->pool, err));
    *object = p;
    *bytes = b->circuits[circuit].params_bytes;
    return CUZK_OK;
}

static void unload(void *arg, cuzk_load_what what, void *object)
{
    (void)arg;
    if (what == CUZK_LOAD_CIRCUIT) {
        cuzk_filecoin_circuit_destroy(object);
    } else {
        cuzk_filecoin_params_close(object);
    }
}

/* A missing file is reported before anything is compiled. */
static cuzk_status preflight(const filecoin_backend *b, const cuzk_circuit_spec *spec,
                             cuzk_err *err)
{
    char path[CUZK_PATH_BYTES];
    CUZK_TRY(cuzk_params_path(path, &b->dir, spec, CUZK_PARAM_FILE_PARAMS, err));
    if (access(path, R_OK) != 0) {
        return CUZK_FAIL_OS(
            err, CUZK_E_NOT_FOUND, errno, "%s: %s (folder from: %s)%s", path, strerror(errno),
            b->dir.origin,
            spec->shape->is_published ? "" : "; no parameters are published for this sector size");
    }
    return CUZK_OK;
}

static bool is_available(void *arg, uint32_t circuit)
{
    const filecoin_backend *b = arg;
    cuzk_err none;
    return preflight(b, &b->specs[circuit], &none) == CUZK_OK;
}

/* What the engine calls an input. */
typedef struct job_input {
    cuzk_filecoin_input *in;
    cuzk_pipeline *steps;
    cuzk_aggregate_input *aggregate; /* in place of both */
} job_input;

static void free_input(void *arg, void *input)
{
    job_input *j = input;
    (void)arg;
    cuzk_aggregate_input_destroy(j->aggregate);
    cuzk_pipeline_destroy(j->steps);
    cuzk_filecoin_input_destroy(j->in);
    cuzk_free(j);
}

/* Takes ownership of in, also on failure. */
static cuzk_status wrap_input(job_input **out, filecoin_backend *b, cuzk_filecoin_input *in,
                              cuzk_err *err)
{
    job_input *j = cuzk_alloc_zero(1, sizeof(*j));
    if (j == NULL) {
        cuzk_filecoin_input_destroy(in);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for an input");
    }
    j->in = in;
    cuzk_status st = preflight(b, &in->spec, err);
    if (st == CUZK_OK) {
        st = cuzk_pipeline_create(&j->steps, in, b->hashes, b->pool, err);
    }
    if (st != CUZK_OK) {
        free_input(b, j);
        return st;
    }
    *out = j;
    return CUZK_OK;
}

static cuzk_status parse_aggregate(filecoin_backend *b, const cuzk_job_request *rq,
                                   cuzk_backend_input *out, cuzk_err *err)
{
    uint64_t bytes = 0;
    CUZK_TRY(cuzk_aggregate_plan(&bytes, rq, err));
    job_input *j = cuzk_alloc_zero(1, sizeof(*j));
    if (j == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for an input");
    }
    const cuzk_status st = cuzk_aggregate_parse(&j->aggregate, b->aggregates, rq, err);
    if (st != CUZK_OK) {
        free_input(b, j);
        return st;
    }
    *out = (cuzk_backend_input){
        .object = j, .circuit = CUZK_CIRCUIT_UNKNOWN, .n_partitions = 1, .bytes = bytes};
    return CUZK_OK;
}

static cuzk_status unpack_c1(uint8_t **unpacked, cuzk_filecoin_blob *c1, cuzk_err *err)
{
    cuzk_err inner = {.msg = ""};
    size_t n = 0;
    const cuzk_status st =
        cuzk_unpack(unpacked, &n, c1->data, c1->size, CUZK_CONTENT_INPUT, &inner);
    if (st != CUZK_OK) {
        return CUZK_FAIL(err, st, "vanilla_proof: %s", inner.msg);
    }
    if (*unpacked != NULL) {
        *c1 = (cuzk_filecoin_blob){*unpacked, n};
    }
    return CUZK_OK;
}

static cuzk_status parse(void *arg, const cuzk_job_request *rq, cuzk_backend_input *out,
                         const cuzk_cancel *cancel, cuzk_err *err)
{
    filecoin_backend *b = arg;
    cuzk_filecoin_request frq;
    cuzk_filecoin_input *in = NULL;
    const size_t n = rq->n_vanilla_proofs != 0 ? rq->n_vanilla_proofs : 1;
    if (cuzk_cancel_requested(cancel)) {
        return CUZK_FAIL(err, CUZK_E_CANCELLED, "cancelled");
    }
    if (rq->kind == CUZK_JOB_AGGREGATE) {
        return parse_aggregate(b, rq, out, err);
    }
    cuzk_filecoin_blob *blobs = cuzk_alloc(n, sizeof(*blobs));
    if (blobs == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for %zu proofs", n);
    }
    convert(&frq, blobs, rq);
    frq.pool = b->pool;
    uint8_t *unpacked = NULL;
    cuzk_status st = rq->kind == CUZK_JOB_POREP ? unpack_c1(&unpacked, &blobs[0], err) : CUZK_OK;
    if (st == CUZK_OK) {
        st = cuzk_filecoin_input_parse(&in, &frq, err);
    }
    cuzk_free(unpacked);
    cuzk_free(blobs);
    CUZK_TRY(st);
    job_input *j = NULL;
    CUZK_TRY(wrap_input(&j, b, in, err));
    *out = (cuzk_backend_input){.object = j,
                                .circuit = index_of(b, &in->spec),
                                .n_partitions = in->n_partitions,
                                .bytes = cuzk_filecoin_input_heap(in)};
    return CUZK_OK;
}

static bool may_start(void *arg, const void *input)
{
    const job_input *j = input;
    (void)arg;
    return j->aggregate == NULL && cuzk_pipeline_may_start(j->steps);
}

static cuzk_status check(void *arg, void *input, const cuzk_cancel *cancel, cuzk_trace_ctx trace,
                         cuzk_err *err)
{
    const job_input *j = input;
    (void)arg;
    if (j->aggregate != NULL) { /* the proofs are checked by cuzk_agg_prove */
        return CUZK_OK;
    }
    return cuzk_pipeline_check(j->steps, cancel, trace, err);
}

static cuzk_status witness(void *arg, void *input, void *circuit, uint32_t partition, void **out,
                           const cuzk_cancel *cancel, cuzk_trace_ctx trace, cuzk_err *err)
{
    filecoin_backend *b = arg;
    const job_input *j = input;
    cuzk_placed_witness *w = NULL;
    const cuzk_witness_opts opts = {.memory =
                                        cuzk_backend_device_witness_memory(b->devices, partition)};
    CUZK_TRY(cuzk_pipeline_witness(&w, j->steps, cuzk_filecoin_circuit_get(circuit), partition,
                                   &opts, cancel, trace, err));
    *out = w;
    return CUZK_OK;
}

static void before_verify(void *arg, void *input, void *params, uint32_t partition,
                          cuzk_trace_ctx trace)
{
    const job_input *j = input;
    (void)arg;
    cuzk_pipeline_sum_inputs(j->steps, cuzk_filecoin_params_vk(params), partition, trace);
}

static void prove(void *arg, uint32_t device, void *circuit, void *params, void *key,
                  cuzk_backend_work *work, uint32_t n, cuzk_trace_ctx trace)
{
    filecoin_backend *b = arg;
    (void)device;
    (void)circuit;
    (void)key;
    for (uint32_t i = 0; i < n; i++) {
        work[i].err.msg[0] = '\0';
        work[i].status =
            cuzk_pipeline_prove(work[i].proof, work[i].witness, cuzk_filecoin_params_srs(params),
                                b->pool, work[i].cancel, trace, &work[i].err);
    }
}

static bool is_winning(const cuzk_circuit_spec *spec)
{
    return spec->kind == CUZK_CIRCUIT_WINNING;
}

static void prove_on_device(void *arg, uint32_t device, void *circuit, void *params, void *key,
                            cuzk_backend_work *work, uint32_t n, cuzk_trace_ctx trace)
{
    filecoin_backend *b = arg;
    if (device == b->n_devices) { /* the fallback */
        prove(arg, device, circuit, params, key, work, n, trace);
        return;
    }
    cuzk_backend_device_prove(b->devices, device, key,
                              is_winning(cuzk_filecoin_circuit_spec(circuit)), b->pool, work, n,
                              trace);
}

/*
 * Device memory of a key: its points; images and combs, for faster sums; and room, which must be free while the key is
 * loaded, or else its points stream. plain UINT64_MAX: not known.
 */
typedef struct key_size {
    uint64_t plain, images, combs, room;
} key_size;

static key_size key_size_of(const filecoin_backend *b, uint32_t device, uint32_t circuit)
{
    cuzk_circuit_counts counts;
    cuzk_filecoin_needs needs;
    cuzk_err none;
    key_size s = {.plain = UINT64_MAX};
    if (cuzk_circuit_counts_of(&counts, &b->specs[circuit], &none) != CUZK_OK ||
        cuzk_filecoin_needs_of(&needs, &b->specs[circuit], 1, &none) != CUZK_OK) {
        return s;
    }
    /* Points in memory take as many bytes as in the file. Circuit and twiddles are added. */
    const uint64_t domain = (uint64_t)1 << counts.lg_domain;
    s.plain = needs.params_file_bytes + 2 * needs.circuit_bytes + 32 * domain;
    /*
     * A small proof, and the buffers of the load: 120 MiB for the network's sectors by the plans of groth16/device on
     * every class of card. Other kinds find it where the working memory of their calls is.
     */
    s.room = is_winning(&b->specs[circuit]) ? 256 * domain : 0;
    /* The images of section h, the longest section. Other sections get images only where there is room. */
    s.images = cuzk_backend_device_image_bytes(b->devices, device, s.plain, domain);
    /* With combs of four teeth, the points of bit wires a second time; for a and b_g1 at most as many as for l. */
    const uint64_t l = counts.n_aux - counts.n_fulls;
    if (l >= CUZK_DEVICE_LEAST_COMB) {
        const uint64_t of_a = counts.a_aux_density < l ? counts.a_aux_density : l;
        const uint64_t of_b = counts.b_aux_density < l ? counts.b_aux_density : l;
        s.combs = cuzk_backend_device_comb_bytes(b->devices, device, s.plain + s.images,
                                                 96 * (l + of_a + of_b) + 192 * of_b);
    }
    return s;
}

static uint64_t key_bytes(void *arg, uint32_t device, uint32_t circuit)
{
    const key_size s = key_size_of(arg, device, circuit);
    return s.plain == UINT64_MAX ? s.plain : s.plain + s.images + s.combs + s.room;
}

static uint64_t call_host_bytes(void *arg, uint32_t device, uint32_t circuit)
{
    const filecoin_backend *b = arg;
    const cuzk_circuit_spec *spec = &b->specs[circuit];
    cuzk_backend_device info;
    cuzk_backend_device_info_of(b->devices, device, &info);
    return cuzk_device_host_vector(spec, cuzk_device_bytes_for(spec->kind, info.memory_total));
}

static cuzk_status load_key(void *arg, uint32_t device, uint32_t circuit, void *compiled,
                            void *params, const cuzk_backend_host *host, cuzk_backend_key *out,
                            cuzk_trace_ctx trace, cuzk_err *err)
{
    filecoin_backend *b = arg;
    const key_size s = key_size_of(b, device, circuit);
    CUZK_TRY(cuzk_backend_device_load(b->devices, device, compiled, params,
                                      is_winning(&b->specs[circuit]), host, s.images != 0,
                                      s.combs != 0, out, b->pool, trace, err));
    out->pinned_bytes += call_host_bytes(arg, device, circuit);
    return CUZK_OK;
}

static void unload_key(void *arg, uint32_t device, uint32_t circuit, void *key)
{
    filecoin_backend *b = arg;
    cuzk_backend_device_unload(b->devices, device, key, is_winning(&b->specs[circuit]));
}

static cuzk_status verify(void *arg, void *input, void *params, uint32_t partition,
                          const uint8_t proof[192], cuzk_err *err)
{
    const job_input *j = input;
    (void)arg;
    return cuzk_pipeline_verify(j->steps, cuzk_filecoin_params_vk(params), partition, proof, err);
}

static cuzk_status aggregate(void *arg, void *input, uint8_t **out, size_t *n_out,
                             const cuzk_cancel *cancel, cuzk_trace_ctx trace, cuzk_err *err)
{
    const filecoin_backend *b = arg;
    const job_input *j = input;
    return cuzk_aggregate_make(out, n_out, b->aggregates, j->aggregate, cancel, trace, err);
}

static cuzk_status plan_verify(void *arg, const cuzk_job_request *rq, uint64_t *bytes,
                               cuzk_err *err)
{
    (void)arg;
    return cuzk_aggregate_plan_verify(bytes, rq, err);
}

static cuzk_status verify_aggregate(void *arg, const cuzk_job_request *rq, cuzk_bytes aggregate,
                                    bool allow_trailing, cuzk_aggregate_verdict *out, cuzk_err *err)
{
    const filecoin_backend *b = arg;
    return cuzk_aggregate_verify_claim(out, b->aggregates, rq, aggregate, allow_trailing, err);
}

static void free_witness(void *arg, void *w)
{
    (void)arg;
    cuzk_placed_give(w);
}

static void device_info(void *arg, uint32_t device, cuzk_backend_device *out)
{
    filecoin_backend *b = arg;
    uint32_t ordinal = 0; /* the CPU has none of a GPU's memory figures */
    for (uint32_t i = 0; i < b->n_devices; i++) {
        cuzk_backend_device gpu;
        if (device < b->n_devices && i != device) {
            continue;
        }
        cuzk_backend_device_info_of(b->devices, i, &gpu);
        if (i == device) {
            *out = gpu;
            return;
        }
        ordinal = gpu.ordinal >= ordinal ? gpu.ordinal + 1 : ordinal;
    }
    *out = (cuzk_backend_device){
        .ordinal = ordinal, .name = "CPU", .is_cpu = true, .is_fallback = b->n_devices != 0};
}

static void device_ability(void *arg, uint32_t device, uint32_t circuit, cuzk_backend_ability *out)
{
    filecoin_backend *b = arg;
    const cuzk_circuit_spec *spec = &b->specs[circuit];
    cuzk_backend_device info;
    cuzk_device_needs needs;
    cuzk_err none;
    cuzk_backend_device_info_of(b->devices, device, &info);
    *out = (cuzk_backend_ability){.ability = CUZK_DEVICE_RESIDENT,
                                  .available_bytes =
                                      cuzk_device_bytes_for(spec->kind, info.memory_total)};
    if (cuzk_device_needs_of(&needs, spec, &none) == CUZK_OK) {
        const cuzk_expected_time t = cuzk_expected_time_of(spec, info.name, out->available_bytes);
        out->ability = cuzk_device_ability_of(&needs, out->available_bytes);
        if (out->ability == CUZK_DEVICE_CANNOT && !b->circuits[circuit].is_network) {
            out->ability = CUZK_DEVICE_STREAMS; /* of small circuits the estimate is far too high */
        }
        out->needed_bytes =
            out->ability == CUZK_DEVICE_RESIDENT ? needs.resident_bytes : needs.streamed_bytes;
        out->expected_ms = (uint32_t)(t.seconds * 1e3 + 0.5);
        out->is_measured = t.is_measured;
    }
}

static cuzk_status probe(void *arg, uint32_t device, cuzk_err *err)
{
    filecoin_backend *b = arg;
    if (device < b->n_devices) {
        return cuzk_backend_device_probe(b->devices, device, err);
    }
    return CUZK_OK; /* the processor that runs this call */
}

static void destroy(void *arg)
{
    filecoin_backend *b = arg;
    cuzk_backend_devices_close(b->devices);
    cuzk_backend_aggregates_destroy(b->aggregates);
    cuzk_hashes_destroy(b->hashes);
    cuzk_pool_destroy(b->pool);
    cuzk_free(b);
}

static cuzk_status init(filecoin_backend *b, const cuzk_engine_config *config, cuzk_err *err)
{
    const cuzk_pool_cfg pool = {.n_threads = config->threads, .name = "cuzk"};
    CUZK_TRY(cuzk_params_dir_choose(&b->dir, config->param_cache, err));
    if (config->param_cache != NULL) {
        b->dir.origin = "configuration";
    }
    CUZK_TRY(cuzk_pool_create(&b->pool, &pool, err));
    CUZK_TRY(cuzk_hashes_create(&b->hashes, err));
    CUZK_TRY(cuzk_backend_aggregates_create(&b->aggregates, config, &b->dir, b->pool, err));
    CUZK_TRY(cuzk_backend_devices_open(&b->devices, &b->n_devices, config, err));
    b->has_fallback = config->cpu_when_lost && b->n_devices != 0;
    return list_circuits(b, err);
}

cuzk_status cuzk_backend_filecoin_create(cuzk_engine_backend *out, const cuzk_engine_config *config,
                                         cuzk_err *err)
{
    filecoin_backend *b = cuzk_alloc_zero(1, sizeof(*b));
    if (b == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "engine: out of memory");
    }
    const cuzk_status st = init(b, config, err);
    if (st != CUZK_OK) {
        destroy(b);
        return st;
    }
    *out = (cuzk_engine_backend){.arg = b,
                                 .n_circuits = b->n_circuits,
                                 .n_devices = b->n_devices == 0 ? 1
                                              : b->has_fallback ? b->n_devices + 1
                                                                : b->n_devices,
                                 .circuits = b->circuits,
                                 .batch = 1,
                                 .is_available = is_available,
                                 .device_info = device_info,
                                 .plan = plan,
                                 .load = load,
                                 .unload = unload,
                                 .parse = parse,
                                 .may_start = may_start,
                                 .check = check,
                                 .witness = witness,
                                 .prove = prove,
                                 .before_verify = before_verify,
                                 .verify = verify,
                                 .aggregate = aggregate,
                                 .plan_verify = plan_verify,
                                 .verify_aggregate = verify_aggregate,
                                 .free_input = free_input,
                                 .free_witness = free_witness,
                                 .probe = probe,
                                 .destroy = destroy};
    if (b->n_devices != 0) {
        out->key_bytes = key_bytes;
        out->call_host_bytes = call_host_bytes;
        out->load_key = load_key;
        out->unload_key = unload_key;
        out->prove = prove_on_device;
        out->device_ability = device_ability;
    }
    return CUZK_OK;
}
