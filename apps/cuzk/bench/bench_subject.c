/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "bench_subject.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cuzk/verify.h>

#include "apps/cuzk/filecoin/gen_files.h"
#include "apps/cuzk/inputs.h"
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "groth16/setup/setup.h"
#include "prover/keys/circuit_id.h"
#include "sys/file.h"

static cuzk_status make_dir(bench_subject *s)
{
    const char *tmp = getenv("TMPDIR");
    if (s->dir[0] != '\0') {
        return CUZK_OK;
    }
    const int n = snprintf(s->dir, sizeof(s->dir), "%s/cuzk-bench-XXXXXX",
                           tmp != NULL && strlen(tmp) < 32 ? tmp : "/var/tmp");
    if (n < 0 || (size_t)n >= sizeof(s->dir) || mkdtemp(s->dir) == NULL) {
        s->dir[0] = '\0';
        return CUZK_FAIL_OS(&s->a->err, CUZK_E_IO, errno, "cannot make a scratch folder");
    }
    return CUZK_OK;
}

/* Every file of the folder was made by this command. */
static void remove_dir(bench_subject *s)
{
    static const char *const files[] = {"params", "vk", "input"};
    char path[CUZK_PATH_BYTES];
    if (s->dir[0] == '\0') {
        return;
    }
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", s->dir, files[i]);
        (void)unlink(path);
    }
    for (int f = 0; s->spec.shape != NULL && f <= CUZK_PARAM_FILE_VK; f++) {
        cuzk_params_dir dir = {.origin = "bench"};
        (void)snprintf(dir.path, sizeof(dir.path), "%s", s->dir);
        if (cuzk_params_path(path, &dir, &s->spec, (cuzk_param_file)f, NULL) == CUZK_OK) {
            (void)unlink(path);
        }
    }
    (void)rmdir(s->dir);
    s->dir[0] = '\0';
}

static cuzk_status find_kind(bench_subject *s)
{
    uint64_t bytes = 0;
    const char *size = s->in.sector_size != NULL ? s->in.sector_size : "2KiB";
    if (strcmp(s->kind, "rows") == 0) {
        s->is_rows = true;
        (void)snprintf(s->name, sizeof(s->name), "rows 2^%u, %u %% bits", s->rows.lg, s->rows.bits);
        return CUZK_OK;
    }
    cuzk_circuit_kind kind;
    if (!cuzk_circuit_kind_parse(&kind, s->kind)) {
        return CUZK_FAIL(&s->a->err, CUZK_E_INVALID,
                         "no kind '%s': porep, winning, window, update, rows", s->kind);
    }
    if (!cuzk_sector_size_parse(&bytes, size)) {
        return CUZK_FAIL(&s->a->err, CUZK_E_INVALID, "no sector size '%s'", size);
    }
    s->kind = cuzk_circuit_kind_name(kind);
    (void)snprintf(s->name, sizeof(s->name), "%s %s", s->kind, size);
    return cuzk_circuit_spec_of(&s->spec, kind, bytes, &s->a->err);
}

static cuzk_status add_blob(bench_subject *s, const uint8_t *data, size_t size)
{
    if ((s->n_blobs & (s->n_blobs - 1)) == 0) { /* room is a power of two */
        void *more =
            cuzk_realloc(s->blobs, s->n_blobs == 0 ? 1 : 2 * s->n_blobs, sizeof(*s->blobs));
        if (more == NULL) {
            return CUZK_FAIL(&s->a->err, CUZK_E_NOMEM, "out of memory for %zu inputs", s->n_blobs);
        }
        s->blobs = more;
    }
    s->blobs[s->n_blobs++] = (cuzk_filecoin_blob){data, size};
    return CUZK_OK;
}

static cuzk_status map_blob(bench_subject *s, const char *path, bool is_c1)
{
    cuzk_content *m = &s->maps[s->n_maps];
    if (s->n_maps == BENCH_MAX_BLOBS) {
        return CUZK_FAIL(&s->a->err, CUZK_E_INVALID, "more than %d input files", BENCH_MAX_BLOBS);
    }
    CUZK_TRY(is_c1 ? read_c1(s->a, path, m)
                   : cuzk_content_read(m, path, CUZK_CONTENT_INPUT, &s->a->err));
    s->n_maps++;
    return add_blob(s, m->data, m->size);
}

static cuzk_status node_option(bench_subject *s, cuzk_filecoin_blob *out, cuzk_node *node,
                               const char *hex, const char *name)
{
    if (hex == NULL || !cuzk_hex_decode(node->b, sizeof(node->b), hex, strlen(hex))) {
        return CUZK_FAIL(&s->a->err, CUZK_E_INVALID, "--%s wants 64 hex digits", name);
    }
    *out = (cuzk_filecoin_blob){node->b, sizeof(node->b)};
    return CUZK_OK;
}

static cuzk_status add_vanilla(void *s, const cuzk_proof_bytes *p, const char *name)
{
    (void)name;
    return add_blob(s, p->data, p->size);
}

static cuzk_status given_input(bench_subject *s)
{
    cuzk_filecoin_request *q = &s->request;
    if (s->in.c1 != NULL) {
        return map_blob(s, s->in.c1, true);
    }
    for (size_t i = 0; i < s->in.n_vanilla; i++) {
        CUZK_TRY(vanilla_files_add(&s->vanilla, s->a, s->in.vanilla[i]));
    }
    CUZK_TRY(vanilla_files_each(&s->vanilla, add_vanilla, s));
    if (s->spec.kind == CUZK_CIRCUIT_UPDATE) {
        CUZK_TRY(node_option(s, &q->comm_r_old, &s->nodes[0], s->in.comm_r_old, "comm-r-old"));
        CUZK_TRY(node_option(s, &q->comm_d_new, &s->nodes[1], s->in.comm_d_new, "comm-d-new"));
        return node_option(s, &q->comm_r_new, &s->nodes[2], s->in.comm_r_new, "comm-r-new");
    }
    return node_option(s, &q->randomness, &s->nodes[0], s->in.randomness, "randomness");
}

/* A generated input is written to a file, which is unlinked before it is read. */
static cuzk_status map_generated(bench_subject *s, const char *path)
{
    const cuzk_status st = map_blob(s, path, false);
    (void)unlink(path);
    return st;
}

static cuzk_status generate_porep(bench_subject *s, const char *path)
{
    cuzk_porep_input *in = NULL;
    CUZK_TRY(cuzk_generate_porep(&in, s->spec.shape->bytes, s->seed, s->hashes, &s->a->err));
    const cuzk_status st = gen_write_porep(in, path, true, &s->a->err);
    s->request.miner_id = CUZK_GEN_MINER;
    s->request.sector_number = CUZK_GEN_SECTOR;
    cuzk_porep_input_destroy(in);
    return st == CUZK_OK ? map_generated(s, path) : st;
}

static cuzk_status generate_post(bench_subject *s, const char *path)
{
    cuzk_post_input *in = NULL;
    cuzk_post_statement stmt;
    cuzk_status st =
        cuzk_generate_post(&in, &stmt, s->spec.kind == CUZK_CIRCUIT_WINDOW, s->spec.shape->bytes,
                           (uint32_t)s->sectors, s->seed, s->hashes, &s->a->err);
    for (uint32_t i = 0; st == CUZK_OK && i < in->n_sectors; i++) {
        st = gen_write_sector(&in->sectors[i], s->spec.shape->bytes, path, true, &s->a->err);
        st = st == CUZK_OK ? map_generated(s, path) : st;
    }
    if (st == CUZK_OK) {
        s->nodes[0] = stmt.randomness;
        s->request.randomness = (cuzk_filecoin_blob){s->nodes[0].b, sizeof(s->nodes[0])};
        s->request.registered_proof = stmt.type.number != UINT64_MAX ? stmt.type.number : 0;
    }
    cuzk_post_input_destroy(in);
    return st;
}

static cuzk_status generate_update(bench_subject *s, const char *path)
{
    cuzk_update_input *in = NULL;
    cuzk_update_statement stmt;
    const uint32_t n = s->spec.shape->bytes <= ((uint64_t)1 << 24) ? 1 : 16;
    for (uint32_t i = 0; i < n; i++) {
        CUZK_TRY(cuzk_generate_update(&in, &stmt, s->spec.shape->bytes, i, s->seed, s->hashes,
                                      &s->a->err));
        cuzk_status st = gen_write_update(in, stmt.shape, path, true, &s->a->err);
        cuzk_update_input_destroy(in);
        in = NULL;
        st = st == CUZK_OK ? map_generated(s, path) : st;
        CUZK_TRY(st);
    }
    s->nodes[0] = stmt.comm_r_old;
    s->nodes[1] = stmt.comm_d_new;
    s->nodes[2] = stmt.comm_r_new;
    s->request.comm_r_old = (cuzk_filecoin_blob){s->nodes[0].b, sizeof(s->nodes[0])};
    s->request.comm_d_new = (cuzk_filecoin_blob){s->nodes[1].b, sizeof(s->nodes[1])};
    s->request.comm_r_new = (cuzk_filecoin_blob){s->nodes[2].b, sizeof(s->nodes[2])};
    return CUZK_OK;
}

static cuzk_status open_input(bench_subject *s)
{
    char path[CUZK_PATH_BYTES];
    cuzk_filecoin_request *q = &s->request;
    cuzk_status st;
    q->kind = s->spec.kind;
    q->sector_bytes = s->spec.shape->bytes;
    q->partition_index = (uint32_t)s->in.partition;
    q->registered_proof = s->in.type;
    q->pool = s->a->pool;
    if (s->in.c1 != NULL || s->in.n_vanilla != 0) {
        st = given_input(s);
    } else {
        CUZK_TRY(make_dir(s));
        (void)snprintf(path, sizeof(path), "%s/input", s->dir);
        st = s->spec.kind == CUZK_CIRCUIT_POREP    ? generate_porep(s, path)
             : s->spec.kind == CUZK_CIRCUIT_UPDATE ? generate_update(s, path)
                                                   : generate_post(s, path);
    }
    q->proofs = s->blobs;
    q->n_proofs = s->n_blobs;
    return st;
}

/* Parameters from a known seed, in the scratch folder. */
static cuzk_status make_params(bench_subject *s, const cuzk_circuit *c, const char *params,
                               const char *vk)
{
    app *a = s->a;
    cuzk_toxic toxic;
    const cuzk_setup_opts opts = {.progress = app_progress, .progress_arg = a};
    const uint64_t t0 = cuzk_clock_ns();
    cuzk_toxic_from_seed(&toxic, s->seed);
    CUZK_TRY(cuzk_setup_write(c, &toxic, params, vk, &opts, a->pool, a->cancel, &a->err));
    s->setup_ns = cuzk_clock_ns() - t0;
    return CUZK_OK;
}

/* A prover with the parameters, on the devices if there are any. */
static cuzk_status open_prover(bench_subject *s, cuzk_trace_ctx trace, cuzk_err *err)
{
    app *a = s->a;
    cuzk_device_key_opts opts = {.trace = trace, .progress = app_progress, .progress_arg = a};
    const bool is_made = s->params == NULL && s->dev.n > 0; /* on the devices, from the seed */
    const uint64_t t0 = cuzk_clock_ns();
    CUZK_TRY(is_made ? cuzk_filecoin_prover_create_insecure(
                           &s->prover, s->spec.kind, s->spec.shape->bytes, s->seed, a->pool, err)
                     : cuzk_filecoin_prover_create(&s->prover, s->spec.kind, s->spec.shape->bytes,
                                                   &s->params_dir, a->pool, err));
    devices_key_opts(&s->dev, &opts);
    opts.comb = s->dev.no_comb ? CUZK_DEVICE_COMB_NONE : CUZK_DEVICE_COMB_AUTO;
    for (size_t i = 0; i < s->dev.n; i++) {
        CUZK_TRY(cuzk_filecoin_prover_add_device(s->prover, s->dev.list[i], &opts, a->cancel, err));
    }
    s->setup_ns = is_made ? cuzk_clock_ns() - t0 : s->setup_ns;
    return CUZK_OK;
}

static cuzk_status open_params(bench_subject *s)
{
    char params[CUZK_PATH_BYTES], vk[CUZK_PATH_BYTES];
    cuzk_err *err = &s->a->err;
    if (s->params != NULL) {
        return cuzk_params_dir_choose(&s->params_dir, s->params, err);
    }
    CUZK_TRY(make_dir(s));
    (void)snprintf(s->params_dir.path, sizeof(s->params_dir.path), "%s", s->dir);
    s->params_dir.origin = "made for this measurement";
    CUZK_TRY(cuzk_params_path(params, &s->params_dir, &s->spec, CUZK_PARAM_FILE_PARAMS, err));
    CUZK_TRY(cuzk_params_path(vk, &s->params_dir, &s->spec, CUZK_PARAM_FILE_VK, err));
    cuzk_circuit *c = NULL;
    CUZK_TRY(cuzk_filecoin_circuit_build(s->spec.kind, s->spec.shape->bytes, &c, err));
    const cuzk_status st = make_params(s, c, params, vk);
    cuzk_circuit_destroy(c);
    return st;
}

static cuzk_status open_rows(bench_subject *s, bool need_params)
{
    char path[CUZK_PATH_BYTES];
    cuzk_err *err = &s->a->err;
    CUZK_TRY(bench_rows_circuit(&s->rows_circuit, &s->rows, err));
    if (!need_params) {
        return CUZK_OK;
    }
    CUZK_TRY(make_dir(s));
    (void)snprintf(path, sizeof(path), "%s/params", s->dir);
    CUZK_TRY(make_params(s, s->rows_circuit, path, NULL));
    return bench_subject_load(s, CUZK_TRACE_OFF, err);
}

cuzk_status bench_subject_open(bench_subject *s, app *a, bool need_params)
{
    s->a = a;
    CUZK_TRY(find_kind(s));
    if (s->is_rows) {
        if (s->dev.spec != NULL && strcmp(s->dev.spec, "cpu") != 0) {
            return CUZK_FAIL(&a->err, CUZK_E_UNSUPPORTED, "rows are measured on the CPU");
        }
        return open_rows(s, need_params);
    }
    if (need_params) {
        CUZK_TRY(devices_open(a, &s->dev));
    }
    if (need_params && s->params != NULL) { /* before inputs are made, which takes seconds */
        CUZK_TRY(open_params(s));
        CUZK_TRY(cuzk_filecoin_params_find(&s->spec, &s->params_dir, &a->err));
    }
    CUZK_TRY(cuzk_hashes_create(&s->hashes, &a->err));
    CUZK_TRY(open_input(s));
    if (!need_params) {
        CUZK_TRY(cuzk_filecoin_circuit_create(&s->circuit, &s->spec, &a->err));
        return cuzk_filecoin_input_parse(&s->parsed, &s->request, &a->err);
    }
    if (s->params == NULL && s->dev.n == 0) {
        CUZK_TRY(open_params(s));
    }
    return bench_subject_load(s, CUZK_TRACE_OFF, &a->err);
}

const cuzk_circuit *bench_subject_circuit(const bench_subject *s)
{
    return s->is_rows          ? s->rows_circuit
           : s->prover != NULL ? cuzk_filecoin_prover_circuit(s->prover)
                               : cuzk_filecoin_circuit_get(s->circuit);
}

static cuzk_status load_rows(bench_subject *s, cuzk_err *err)
{
    char path[CUZK_PATH_BYTES];
    (void)snprintf(path, sizeof(path), "%s/params", s->dir);
    CUZK_TRY(cuzk_srs_open(&s->rows_srs, path, CUZK_POINT_UNCHECKED, s->a->pool, NULL, err));
    const size_t n = cuzk_srs_vk_bytes(s->rows_srs);
    uint8_t *bytes = cuzk_alloc(n, 1);
    if (bytes == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a verifying key");
    }
    cuzk_srs_write_vk(s->rows_srs, bytes);
    const cuzk_verify_result r = cuzk_vk_read(&s->rows_vk, bytes, n);
    cuzk_free(bytes);
    return r == CUZK_VERIFY_OK ? CUZK_OK
                               : CUZK_FAIL(err, CUZK_E_SELFTEST, "key: %s", cuzk_verify_text(r));
}

cuzk_status bench_subject_load(bench_subject *s, cuzk_trace_ctx trace, cuzk_err *err)
{
    const cuzk_span span = cuzk_span_begin(trace, "load_params", NULL);
    cuzk_status st = CUZK_OK;
    if (s->is_rows) {
        st = s->rows_srs == NULL ? load_rows(s, err) : CUZK_OK;
    } else if (s->prover == NULL) {
        st = open_prover(s, cuzk_trace_in(trace, span), err);
        if (st != CUZK_OK) {
            cuzk_filecoin_prover_destroy(s->prover);
            s->prover = NULL;
        }
    }
    cuzk_span_end(trace, span, 0);
    return st;
}

static void forget_file(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fdatasync(fd);
        (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        (void)close(fd);
    }
}

static void give_back(bench_subject *s)
{
    cuzk_filecoin_prover_destroy(s->prover);
    cuzk_filecoin_circuit_destroy(s->circuit);
    s->prover = NULL;
    cuzk_srs_close(s->rows_srs);
    cuzk_vk_destroy(s->rows_vk);
    s->circuit = NULL;
    s->rows_srs = NULL;
    s->rows_vk = NULL;
}

void bench_subject_unload(bench_subject *s)
{
    char path[CUZK_PATH_BYTES];
    give_back(s);
    if (s->is_rows) {
        (void)snprintf(path, sizeof(path), "%s/params", s->dir);
        forget_file(path);
    } else if (s->spec.shape != NULL && cuzk_params_path(path, &s->params_dir, &s->spec,
                                                         CUZK_PARAM_FILE_PARAMS, NULL) == CUZK_OK) {
        forget_file(path);
    }
}

void bench_subject_close(bench_subject *s)
{
    give_back(s); /* the page cache keeps the file */
    cuzk_filecoin_input_destroy(s->parsed);
    cuzk_circuit_destroy(s->rows_circuit);
    cuzk_hashes_destroy(s->hashes);
    for (uint32_t i = 0; i < s->n_maps; i++) {
        cuzk_content_free(&s->maps[i]);
    }
    vanilla_files_free(&s->vanilla);
    cuzk_free(s->blobs);
    remove_dir(s);
}

static cuzk_status prove_rows(const bench_subject *s, cuzk_trace_ctx trace, cuzk_err *err)
{
    const cuzk_prove_opts opts = {.trace = trace};
    cuzk_witness *w = NULL;
    cuzk_proof proof;
    cuzk_span span = cuzk_span_begin(trace, "witness", NULL);
    cuzk_status st = bench_rows_witness(&w, &s->rows, s->rows_circuit, err);
    cuzk_span_end(trace, span, 0);
    if (st == CUZK_OK) {
        st = cuzk_prove(&proof, w, s->rows_srs, &opts, s->a->pool, s->a->cancel, err);
    }
    if (st == CUZK_OK) {
        uint8_t bytes[192], input[32];
        span = cuzk_span_begin(trace, "verify", NULL);
        cuzk_proof_encode(bytes, &proof);
        cuzk_fr_to_bytes_le(input, &w->inputs[1]);
        const cuzk_verify_result r = cuzk_verify(s->rows_vk, bytes, sizeof(bytes), input, 1);
        cuzk_span_end(trace, span, 0);
        if (r != CUZK_VERIFY_OK) {
            st = CUZK_FAIL(err, CUZK_E_SELFTEST, "the proof does not verify: %s",
                           cuzk_verify_text(r));
        }
    }
    cuzk_witness_destroy(w);
    return st;
}

cuzk_status bench_subject_prove(const bench_subject *s, cuzk_trace_ctx trace, cuzk_err *err)
{
    cuzk_filecoin_input *in = NULL;
    if (s->is_rows) {
        return prove_rows(s, trace, err);
    }
    cuzk_span span = cuzk_span_begin(trace, "parse", NULL);
    cuzk_status st = cuzk_filecoin_input_parse(&in, &s->request, err);
    cuzk_span_end(trace, span, 0);
    CUZK_TRY(st);
    uint8_t *proofs = cuzk_alloc(in->n_partitions, CUZK_PROOF_BYTES);
    if (proofs == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for %u proofs", in->n_partitions);
    } else {
        const cuzk_filecoin_opts opts = {.trace = trace};
        st = cuzk_filecoin_prove(s->prover, proofs, in, &opts, s->a->cancel, err);
    }
    cuzk_free(proofs);
    cuzk_filecoin_input_destroy(in);
    return st;
}

cuzk_status bench_subject_witness(const bench_subject *s, cuzk_witness **w, cuzk_err *err)
{
    if (s->is_rows) {
        return bench_rows_witness(w, &s->rows, s->rows_circuit, err);
    }
    /* A PoSt's partition is part of its statement; the input holds that one alone. */
    const bool is_post =
        s->spec.kind == CUZK_CIRCUIT_WINDOW || s->spec.kind == CUZK_CIRCUIT_WINNING;
    return cuzk_filecoin_input_witness(w, s->parsed, cuzk_filecoin_circuit_get(s->circuit),
                                       is_post ? 0 : (uint32_t)s->in.partition, s->hashes,
                                       s->a->pool, s->a->cancel, err);
}

cuzk_status bench_subject_record(const bench_subject *s, cuzk_circuit **c, cuzk_err *err)
{
    return s->is_rows ? bench_rows_circuit(c, &s->rows, err)
                      : cuzk_filecoin_circuit_build(s->spec.kind, s->spec.shape->bytes, c, err);
}
