/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Requests as bytes through the stages: parse, check, witness, prove, verify; and what each stage
 * says it needs, against what it takes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "prover/needs/filecoin_needs.h"

#include "fil_jobs.h"
#include "test.h"

static const uint64_t sizes[] = {2048, 4096, 16384, 32768};

static void counts_are_the_circuits(void)
{
    cuzk_err err;
    for (int kind = 0; kind < CUZK_CIRCUIT_N_KINDS; kind++) {
        for (size_t i = 0; i < (TEST_IS_SPARSE ? 1 : 2); i++) {
            cuzk_circuit_spec spec;
            cuzk_circuit_counts n;
            cuzk_filecoin_circuit *c = NULL;
            CHECK_OK(cuzk_circuit_spec_of(&spec, (cuzk_circuit_kind)kind, sizes[i], &err), &err);
            CHECK_OK(cuzk_circuit_counts_of(&n, &spec, &err), &err);
            const uint64_t before = cuzk_alloc_get_stats().bytes_now;
            cuzk_alloc_reset_peak();
            CHECK_OK(cuzk_filecoin_circuit_create(&c, &spec, &err), &err);
            CHECK(cuzk_alloc_get_stats().bytes_peak - before <= n.compile_bytes);
            const cuzk_circuit *k = cuzk_filecoin_circuit_get(c);
            CHECK_U64(n.n_inputs, k->n_inputs);
            CHECK_U64(n.n_aux, k->n_aux);
            CHECK_U64(n.n_fulls, k->n_fulls);
            CHECK_U64(n.bit_words, (k->preamble.n_bits + 63) / 64 + k->n_blocks * k->bit_stride);
            CHECK_U64(n.a_aux_density, k->a_aux_density);
            CHECK_U64(n.b_aux_density, k->b_aux_density);
            CHECK_U64(n.lg_domain, cuzk_circuit_lg_domain(k));
            CHECK_U64(n.circuit_bytes, cuzk_circuit_bytes(k));
            cuzk_filecoin_circuit_destroy(c);
        }
    }
}

typedef struct fixture {
    cuzk_params_dir dir;
    cuzk_pool *pool;
    cuzk_hashes *hashes;
    cuzk_circuit_spec spec;
    cuzk_filecoin_circuit *circuit;
    cuzk_filecoin_params *params;
} fixture;

static void fixture_open(fixture *r, cuzk_circuit_kind kind)
{
    cuzk_err err;
    memset(r, 0, sizeof(*r));
    (void)snprintf(r->dir.path, sizeof(r->dir.path), "%s", test_tmpdir());
    r->dir.origin = "test";
    CHECK_OK(cuzk_pool_create(&r->pool, NULL, &err), &err);
    CHECK_OK(cuzk_hashes_create(&r->hashes, &err), &err);
    fil_params_make(&r->dir, kind, 2048, r->pool);
    CHECK_OK(cuzk_circuit_spec_of(&r->spec, kind, 2048, &err), &err);
    CHECK_OK(cuzk_filecoin_circuit_create(&r->circuit, &r->spec, &err), &err);
    CHECK_OK(cuzk_filecoin_params_open(&r->params, &r->spec, &r->dir, r->pool, &err), &err);
}

static void fixture_close(fixture *r)
{
    cuzk_filecoin_circuit_destroy(r->circuit);
    cuzk_filecoin_params_close(r->params);
    cuzk_hashes_destroy(r->hashes);
    cuzk_pool_destroy(r->pool);
}

static uint64_t heap_of(uint64_t before)
{
    return cuzk_alloc_get_stats().bytes_peak - before;
}

static uint64_t mark_heap(void)
{
    cuzk_alloc_reset_peak();
    return cuzk_alloc_get_stats().bytes_now;
}

/* Proves one job stage by stage; every stage stays within what it was said to need. */
static void prove_one(fixture *r, cuzk_filecoin_request *rq, uint8_t proof[192], bool keep_size)
{
    cuzk_err err;
    cuzk_filecoin_input *in = NULL;
    cuzk_filecoin_needs needs;
    cuzk_witness *w = NULL;
    cuzk_proof p;
    size_t request_bytes = 0;
    for (size_t i = 0; i < rq->n_proofs; i++) {
        request_bytes += rq->proofs[i].size;
    }
    if (!keep_size) {
        rq->sector_bytes = 0;
    }
    CHECK_OK(cuzk_filecoin_needs_of(&needs, &r->spec, cuzk_pool_threads(r->pool), &err), &err);
    uint64_t before = mark_heap();
    CHECK_OK(cuzk_filecoin_input_parse(&in, rq, &err), &err);
    CHECK_MSG(heap_of(before) <= cuzk_filecoin_input_bytes(rq->kind, request_bytes),
              "input: %llu bytes", (unsigned long long)heap_of(before));
    CHECK_U64(in->spec.shape->bytes, 2048);
    CHECK_OK(cuzk_filecoin_input_check(in, r->hashes, r->pool, NULL, &err), &err);
    for (uint32_t k = 0; k < in->n_partitions; k++) {
        before = mark_heap();
        CHECK_OK(cuzk_filecoin_input_witness(&w, in, cuzk_filecoin_circuit_get(r->circuit), k,
                                             r->hashes, r->pool, NULL, &err),
                 &err);
        CHECK_MSG(heap_of(before) <= needs.witness_bytes, "witness: %llu of %llu",
                  (unsigned long long)heap_of(before), (unsigned long long)needs.witness_bytes);
        before = mark_heap();
        CHECK_OK(cuzk_prove(&p, w, cuzk_filecoin_params_srs(r->params), NULL, r->pool, NULL, &err),
                 &err);
        CHECK_MSG(heap_of(before) <= needs.prove_bytes, "proof: %llu of %llu",
                  (unsigned long long)heap_of(before), (unsigned long long)needs.prove_bytes);
        cuzk_witness_destroy(w);
        cuzk_proof_encode(proof, &p);
        before = mark_heap();
        CHECK_OK(cuzk_filecoin_input_verify(in, cuzk_filecoin_params_vk(r->params), k, proof, &err),
                 &err);
        CHECK(heap_of(before) <= needs.verify_bytes);
        proof[60] ^= 1;
        CHECK_STATUS(
            cuzk_filecoin_input_verify(in, cuzk_filecoin_params_vk(r->params), k, proof, &err),
            CUZK_E_SELFTEST);
        proof[60] ^= 1;
    }
    CHECK_STATUS(cuzk_filecoin_input_witness(&w, in, cuzk_filecoin_circuit_get(r->circuit),
                                             in->n_partitions, r->hashes, r->pool, NULL, &err),
                 CUZK_E_INVALID);
    cuzk_filecoin_input_destroy(in);
}

static void check_file_size(fixture *r)
{
    cuzk_err err;
    cuzk_filecoin_needs needs;
    char path[CUZK_PATH_BYTES];
    cuzk_content m;
    CHECK_OK(cuzk_filecoin_needs_of(&needs, &r->spec, 1, &err), &err);
    CHECK_OK(cuzk_params_path(path, &r->dir, &r->spec, CUZK_PARAM_FILE_PARAMS, &err), &err);
    CHECK_OK(cuzk_content_read(&m, path, CUZK_CONTENT_ANY, &err), &err);
    CHECK_U64(m.size, needs.params_file_bytes);
    cuzk_content_free(&m);
}

/* The size comes from the request or, when that does not say it, from the Merkle paths. */
static void post(void)
{
    const cuzk_circuit_kind kinds[] = {CUZK_CIRCUIT_WINNING, CUZK_CIRCUIT_WINDOW};
    for (int i = 0; i < 2; i++) {
        fixture r;
        fil_job job[2];
        uint8_t proof[2][192];
        cuzk_err err;
        fixture_open(&r, kinds[i]);
        check_file_size(&r);
        for (unsigned k = 0; k < 2; k++) {
            fil_job_make(&job[k], kinds[i], 2048, 10 + k);
            prove_one(&r, &job[k].rq, proof[k], k == 0);
        }
        /* each proof is of its own statement only */
        cuzk_filecoin_input *in = NULL;
        CHECK_OK(cuzk_filecoin_input_parse(&in, &job[0].rq, &err), &err);
        CHECK_STATUS(
            cuzk_filecoin_input_verify(in, cuzk_filecoin_params_vk(r.params), 0, proof[1], &err),
            CUZK_E_SELFTEST);
        cuzk_filecoin_input_destroy(in);
        fil_job_free(&job[0]);
        fil_job_free(&job[1]);
        fixture_close(&r);
    }
}

static void large(cuzk_circuit_kind kind)
{
    fixture r;
    fil_job job;
    uint8_t proof[192];
    fixture_open(&r, kind);
    check_file_size(&r);
    fil_job_make(&job, kind, 2048, 3);
    prove_one(&r, &job.rq, proof, false);
    fil_job_free(&job);
    fixture_close(&r);
}

static void porep(void)
{
    large(CUZK_CIRCUIT_POREP);
}

static void update(void)
{
    large(CUZK_CIRCUIT_UPDATE);
}

static void expect(const cuzk_filecoin_request *rq, cuzk_status want, const char *text)
{
    cuzk_err err = {.msg = ""};
    cuzk_filecoin_input *in = NULL;
    const cuzk_status st = cuzk_filecoin_input_parse(&in, rq, &err);
    CHECK_MSG(st == want, "%s: %s", cuzk_status_name(st), err.msg);
    CHECK_MSG(strstr(err.msg, text) != NULL, "'%s' is not in: %s", text, err.msg);
}

static void bad_requests(void)
{
    fil_job winning, update_job;
    fil_job_make(&winning, CUZK_CIRCUIT_WINNING, 2048, 1);
    fil_job_make(&update_job, CUZK_CIRCUIT_UPDATE, 2048, 1);
    cuzk_filecoin_request rq = winning.rq;
    rq.randomness.size = 31;
    expect(&rq, CUZK_E_INVALID, "randomness has 31 bytes");
    rq = winning.rq;
    rq.n_proofs = 0;
    expect(&rq, CUZK_E_INVALID, "vanilla_proofs is empty");
    rq = winning.rq;
    rq.registered_proof = 3;
    expect(&rq, CUZK_E_INVALID, "registered_proof 3 is for sectors of 34359738368 bytes");
    rq.registered_proof = 10;
    expect(&rq, CUZK_E_INVALID, "is a WindowPoSt proof");
    rq.registered_proof = 15;
    expect(&rq, CUZK_E_INVALID, "15");
    rq = winning.rq;
    rq.sector_bytes = 12345;
    expect(&rq, CUZK_E_INVALID, "12345");
    cuzk_filecoin_blob cut = {winning.blobs[0].data, winning.blobs[0].size - 1};
    rq = winning.rq;
    rq.proofs = &cut;
    expect(&rq, CUZK_E_FORMAT, "vanilla_proofs[0]");
    rq = update_job.rq;
    rq.comm_d_new.size = 0;
    expect(&rq, CUZK_E_INVALID, "comm_d_new has 0 bytes");
    cuzk_filecoin_blob two[2] = {update_job.blobs[0], update_job.blobs[0]};
    rq = update_job.rq;
    rq.proofs = two;
    rq.n_proofs = 2;
    expect(&rq, CUZK_E_INVALID, "has 1 partitions");
    rq = (cuzk_filecoin_request){.kind = CUZK_CIRCUIT_POREP};
    expect(&rq, CUZK_E_INVALID, "vanilla_proof is empty");
    fil_job_free(&winning);
    fil_job_free(&update_job);
}

/* What a request says next to its C1 must agree with it; zeros say nothing. */
static void contradictions(void)
{
    static const char prefix[] = "{\"SectorNum\":1,\"miner_id\":1000,\"c1out\":";
    fil_job job;
    fil_job_make(&job, CUZK_CIRCUIT_POREP, 2048, 1);
    cuzk_filecoin_request rq = job.rq;
    rq.sector_bytes = (uint64_t)32 << 30;
    expect(&rq, CUZK_E_INVALID, "sector_size is 34359738368, the C1 is for 2048 bytes");
    rq = job.rq;
    rq.registered_proof = 8;
    expect(&rq, CUZK_E_INVALID, "registered_proof is 8, that of the C1 is 5");
    const size_t n = sizeof(prefix) - 1 + job.blobs[0].size + 1;
    char *text = malloc(n);
    CHECK(text != NULL);
    memcpy(text, prefix, sizeof(prefix) - 1);
    memcpy(text + sizeof(prefix) - 1, job.blobs[0].data, job.blobs[0].size);
    text[n - 1] = '}';
    const cuzk_filecoin_blob enveloped = {(const uint8_t *)text, n};
    rq = job.rq;
    rq.proofs = &enveloped;
    rq.miner_id = 1001;
    rq.sector_number = 1;
    expect(&rq, CUZK_E_INVALID, "miner_id is 1001");
    rq.miner_id = 1000;
    rq.sector_number = 2;
    expect(&rq, CUZK_E_INVALID, "sector_number is 2, the C1's envelope says 1");
    /* Without a miner in the request, the envelope's is what replica_id is recomputed from. */
    rq.miner_id = 0;
    rq.sector_number = 0;
    cuzk_filecoin_input *in = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_filecoin_input_parse(&in, &rq, &err), &err);
    CHECK(in->porep_check.prover_id != NULL && in->porep_check.sector_id == 1);
    cuzk_filecoin_input_destroy(in);
    free(text);
    fil_job_free(&job);
}

/* Parses with four threads and with one: the same input or the same message. */
static void both_ways(cuzk_filecoin_request *rq, cuzk_pool *pool, cuzk_status want)
{
    cuzk_filecoin_input *in[2] = {NULL, NULL};
    cuzk_err err[2] = {{.msg = ""}, {.msg = ""}};
    for (int i = 0; i < 2; i++) {
        rq->pool = i == 0 ? NULL : pool;
        CHECK_STATUS(cuzk_filecoin_input_parse(&in[i], rq, &err[i]), want);
    }
    CHECK_STR(err[1].msg, err[0].msg);
    if (want == CUZK_OK) {
        const cuzk_post_input *a = in[0]->post, *b = in[1]->post;
        CHECK_U64(b->n_sectors, a->n_sectors);
        CHECK_U64(b->arena.bytes, a->arena.bytes);
        for (uint32_t s = 0; s < a->n_sectors; s++) {
            const cuzk_post_sector *x = &a->sectors[s], *y = &b->sectors[s];
            CHECK_U64(y->sector_id, x->sector_id);
            CHECK_U64(y->n_proofs, x->n_proofs);
            CHECK_MEM(&y->comm_r, &x->comm_r, 32);
            for (uint32_t k = 0; k < x->n_proofs; k++) {
                CHECK_U64(y->proofs[k].n_levels, x->proofs[k].n_levels);
                CHECK_MEM(&y->proofs[k].leaf, &x->proofs[k].leaf, 32);
                CHECK_MEM(y->proofs[k].levels[0].siblings, x->proofs[k].levels[0].siblings, 32);
            }
        }
    }
    cuzk_filecoin_input_destroy(in[0]);
    cuzk_filecoin_input_destroy(in[1]);
}

static void many_sectors(void)
{
    enum { N = 75 };
    const cuzk_pool_cfg cfg = {.n_threads = 4};
    cuzk_filecoin_blob blobs[N];
    uint8_t *copies[N];
    cuzk_pool *pool;
    cuzk_err err;
    fil_job job;
    fil_job_make(&job, CUZK_CIRCUIT_WINDOW, 2048, 3);
    CHECK_OK(cuzk_pool_create(&pool, &cfg, &err), &err);
    cuzk_filecoin_request rq = job.rq;
    for (size_t i = 0; i < N; i++) {
        /* each sector once: the number is the first field of a vanilla proof */
        const cuzk_filecoin_blob from = job.blobs[i % job.rq.n_proofs];
        copies[i] = malloc(from.size);
        CHECK(copies[i] != NULL);
        memcpy(copies[i], from.data, from.size);
        memcpy(copies[i], &(uint64_t){i + 1}, sizeof(uint64_t));
        blobs[i] = (cuzk_filecoin_blob){copies[i], from.size};
    }
    rq.proofs = blobs;
    for (rq.n_proofs = 1; rq.n_proofs <= N; rq.n_proofs++) {
        both_ways(&rq, pool, CUZK_OK);
    }
    rq.n_proofs = N;
    for (size_t i = 0; i < 40; i++) {
        cuzk_filecoin_blob *one = &blobs[test_below(N)], *other = &blobs[test_below(N)];
        const cuzk_filecoin_blob was[2] = {*one, *other};
        one->size = test_below(one->size);
        other->size = other == one ? other->size : test_below(other->size);
        both_ways(&rq, pool, CUZK_E_FORMAT);
        *other = was[1];
        *one = was[0];
    }
    const uint64_t before = cuzk_alloc_get_stats().blocks_now;
    cuzk_status st = CUZK_E_NOMEM;
    for (uint64_t n = 1; st != CUZK_OK; n++) {
        cuzk_filecoin_input *in = NULL;
        cuzk_alloc_fail_nth(n, false);
        st = cuzk_filecoin_input_parse(&in, &rq, &err);
        cuzk_alloc_fail_nth(0, false);
        CHECK(st == CUZK_OK || st == CUZK_E_NOMEM);
        cuzk_filecoin_input_destroy(st == CUZK_OK ? in : NULL);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, before);
    }
    cuzk_pool_destroy(pool);
    fil_job_free(&job);
    for (size_t i = 0; i < N; i++) {
        free(copies[i]);
    }
}

/* A failing allocation anywhere is E_NOMEM and leaves nothing behind. */
static void parse_without_memory(void)
{
    fil_job job;
    cuzk_err err;
    fil_job_make(&job, CUZK_CIRCUIT_UPDATE, 2048, 1);
    const uint64_t before = cuzk_alloc_get_stats().blocks_now;
    for (uint64_t n = 1;; n++) {
        cuzk_filecoin_input *in = NULL;
        cuzk_alloc_fail_nth(n, false);
        const cuzk_status st = cuzk_filecoin_input_parse(&in, &job.rq, &err);
        cuzk_alloc_fail_nth(0, false);
        if (st == CUZK_OK) {
            cuzk_filecoin_input_destroy(in);
            CHECK(n > 3);
            break;
        }
        CHECK_STATUS(st, CUZK_E_NOMEM);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, before);
    }
    fil_job_free(&job);
}

static const cuzk_case cases[] = {
    CASE(counts_are_the_circuits), CASE(post),         CASE(bad_requests),
    CASE(contradictions),          CASE(many_sectors), CASE(parse_without_memory)};
static const cuzk_case large_cases[] = {CASE(porep), CASE(update)};

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "large") == 0) {
        argv[1] = argv[0];
        return cuzk_test_main(argc - 1, argv + 1, "prover/stages_large", large_cases,
                              sizeof(large_cases) / sizeof(large_cases[0]));
    }
    return cuzk_test_main(argc, argv, "prover/stages", cases, sizeof(cases) / sizeof(cases[0]));
}
