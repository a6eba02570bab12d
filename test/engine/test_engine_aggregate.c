/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Aggregates as jobs of the engine: the original's bytes, refusals, priorities, cancel, and a restart. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/engine_config.h"
#include "engine/engine_status.h"
#include "engine/sector_record.h"
#include "prover/keys/params_dir.h"
#include "sys/file.h"

#include "test.h"

#include "../aggregate/agg_sets.h"

#define SRS        AGG_DIR "fake-16.srs"
#define SRS_DIGEST "460f14cf950898f7471c1934aae30244"
enum { V1_1 = 5, NI = 15 }; /* registered types of 2 KiB sectors */

/* ---- a folder with the verifying key, which is all that aggregation needs ---- */

static const char *make_folder(void)
{
    const char *folder = test_tmpdir();
    cuzk_params_dir dir = {.origin = "test"};
    cuzk_circuit_spec spec;
    cuzk_content vk;
    char path[CUZK_PATH_BYTES];
    cuzk_err err;
    (void)snprintf(dir.path, sizeof(dir.path), "%s", folder);
    CHECK_OK(cuzk_circuit_spec_of(&spec, CUZK_CIRCUIT_POREP, 2048, &err), &err);
    CHECK_OK(cuzk_params_path(path, &dir, &spec, CUZK_PARAM_FILE_VK, &err), &err);
    CHECK_OK(cuzk_content_read(&vk, "test/vectors/groth16/porep-v1_1.vk", CUZK_CONTENT_ANY, &err),
             &err);
    CHECK_OK(cuzk_file_write_all(path, vk.data, vk.size, true, &err), &err);
    cuzk_content_free(&vk);
    return folder;
}

static cuzk_engine *start(const char *folder, const char *digest, cuzk_job_store *store)
{
    cuzk_err err;
    cuzk_engine *e = NULL;
    const cuzk_engine_config cfg = {.param_cache = folder,
                                    .aggregate_srs = SRS,
                                    .aggregate_srs_digest = digest,
                                    .budget_bytes = (uint64_t)2 << 30,
                                    .threads = 2,
                                    .cpu_only = true,
                                    .store = store};
    CHECK_OK(cuzk_engine_create(&e, &cfg, &err), &err);
    return e;
}

/* ---- requests: sectors of the vectors, all of miner 1000, sector 1 ---- */

typedef struct request {
    cuzk_job_request rq;
    uint8_t *block;
    cuzk_bytes records[16];
    char id[32];
} request;

/* Numbers of a JSON array of bytes. */
static void bytes_of(uint8_t out[32], jwalk c1, const char *key)
{
    for (size_t i = 0; i < 32; i++) {
        out[i] = (uint8_t)jwalk_u64(jwalk_at(jwalk_key(c1, key), i));
    }
}

/* The proofs of a set, per_sector of them each. */
static void request_make(request *r, const char *set, const char *c1_file, size_t per_sector,
                         uint64_t type, const char *id)
{
    agg_set s;
    cuzk_content c1;
    cuzk_err err;
    uint8_t comm_r[32], comm_d[32], ticket[32], seed[32];
    static const uint8_t any_count[] = {CUZK_AGGREGATE_ANY_COUNT};
    agg_set_find(&s, set);
    CHECK_OK(cuzk_content_read(&c1, c1_file, CUZK_CONTENT_ANY, &err), &err);
    const jwalk j = {c1.data, c1.data + c1.size};
    bytes_of(comm_r, j, "comm_r");
    bytes_of(comm_d, j, "comm_d");
    bytes_of(ticket, j, "ticket");
    bytes_of(seed, j, "seed");
    cuzk_content_free(&c1);
    const size_t n = s.n_given / per_sector, each = per_sector * 192;
    memset(r, 0, sizeof(*r));
    r->block = cuzk_alloc(n, CUZK_SECTOR_RECORD_HEAD + each);
    CHECK(r->block != NULL && n <= 16);
    for (size_t i = 0; i < n; i++) {
        uint8_t *at = r->block + i * (CUZK_SECTOR_RECORD_HEAD + each);
        const cuzk_sector_record rec = {
            1000, 1, comm_r, comm_d, ticket, seed, {s.proofs + i * each, each}};
        cuzk_sector_record_write(at, &rec);
        r->records[i] = (cuzk_bytes){at, CUZK_SECTOR_RECORD_HEAD + each};
    }
    (void)snprintf(r->id, sizeof(r->id), "%s", id);
    r->rq = (cuzk_job_request){.kind = CUZK_JOB_AGGREGATE,
                               .request_id = {(const uint8_t *)r->id, strlen(r->id)},
                               .registered_proof = type,
                               .vanilla_proof = {any_count, 1},
                               .vanilla_proofs = r->records,
                               .n_vanilla_proofs = n};
    agg_set_free(&s);
}

static void ni_request(request *r, const char *id)
{
    request_make(r, "ni-13", "test/vectors/filecoin/porep-ni.c1.json", 13, NI, id);
}

static void two_request(request *r, const char *id)
{
    request_make(r, "porep-2", "test/vectors/filecoin/porep-v1_1.c1.json", 1, V1_1, id);
}

static void request_free(request *r)
{
    cuzk_free(r->block);
}

/* ---- results ---- */

typedef struct result {
    pthread_mutex_t mu;
    pthread_cond_t cv;
    bool called;
    cuzk_job_state state;
    char error[1024];
    uint8_t *bytes;
    size_t n;
    cuzk_job_times times;
} result;

static void done(void *arg, const cuzk_job_result *r)
{
    result *out = arg;
    (void)pthread_mutex_lock(&out->mu);
    out->called = true;
    out->state = r->state;
    out->times = r->times;
    (void)snprintf(out->error, sizeof(out->error), "%s", r->error);
    out->n = r->proof.size;
    out->bytes = cuzk_alloc(r->proof.size, 1);
    if (r->proof.size != 0) {
        memcpy(out->bytes, r->proof.data, r->proof.size);
    }
    (void)pthread_cond_signal(&out->cv);
    (void)pthread_mutex_unlock(&out->mu);
}

/* Waits for the end of a job. */
static void await(result *out, cuzk_engine *e, const char *id)
{
    cuzk_wait wait = 0;
    cuzk_err err;
    memset(out, 0, sizeof(*out));
    (void)pthread_mutex_init(&out->mu, NULL);
    (void)pthread_cond_init(&out->cv, NULL);
    CHECK_OK(cuzk_engine_await(e, id, 0, done, out, &wait, &err), &err);
    (void)pthread_mutex_lock(&out->mu);
    while (!out->called) {
        (void)pthread_cond_wait(&out->cv, &out->mu);
    }
    (void)pthread_mutex_unlock(&out->mu);
    (void)pthread_mutex_destroy(&out->mu);
    (void)pthread_cond_destroy(&out->cv);
}

static void submit(cuzk_engine *e, const request *r)
{
    char id[CUZK_JOB_ID_BYTES];
    cuzk_err err;
    CHECK_OK(cuzk_engine_submit(e, &r->rq, NULL, id, NULL, &err), &err);
    CHECK_STR(id, r->id);
}

static void check_bytes(const result *r, const char *file)
{
    cuzk_content want;
    cuzk_err err;
    char path[128];
    CHECK_U64(r->state, CUZK_JOB_COMPLETED);
    (void)snprintf(path, sizeof(path), AGG_DIR "%s", file);
    CHECK_OK(cuzk_content_read(&want, path, CUZK_CONTENT_ANY, &err), &err);
    CHECK_U64(r->n, want.size);
    CHECK_MEM(r->bytes, want.data, want.size);
    cuzk_content_free(&want);
}

static void makes_the_bytes_of_the_original(void)
{
    cuzk_engine *e = start(make_folder(), SRS_DIGEST, NULL);
    request first, two;
    result r;
    cuzk_engine_status s;
    cuzk_err err;
    if (TEST_IS_BRIEF) { /* the 13 proofs are half a minute there, and the threads are the same for two */
        two_request(&first, "first");
    } else {
        ni_request(&first, "first");
    }
    two_request(&two, "two");
    submit(e, &first);
    submit(e, &two);
    await(&r, e, "first");
    check_bytes(&r, TEST_IS_BRIEF ? "porep-2-v2.agg" : "ni-13-v2.agg");
    const cuzk_job_times *t = &r.times;
    CHECK(t->aggregate_ns != 0 && t->witness_ns == 0 && t->device_ns == 0);
    CHECK_U64(t->accept_ns + t->queue_ns + t->load_ns + t->wait_ns + t->return_ns + t->prepare_ns +
                  t->aggregate_ns,
              t->total_ns);
    cuzk_free(r.bytes);
    await(&r, e, "two");
    check_bytes(&r, "porep-2-v2.agg");
    cuzk_free(r.bytes);
    submit(e, &two); /* joins the one that is kept */
    CHECK_OK(cuzk_engine_get_status(e, &s, &err), &err);
    CHECK_U64(s.completed[CUZK_JOB_AGGREGATE], 2);
    CHECK_U64(s.pending[CUZK_JOB_AGGREGATE] + s.in_progress[CUZK_JOB_AGGREGATE], 0);
    CHECK_U64(s.n_jobs, 2);
    CHECK_U64(s.jobs[0].n_partitions, 1);
    CHECK_U64(s.jobs[0].partitions[0].state, CUZK_PART_DONE);
    cuzk_engine_status_free(&s);
    request_free(&first);
    request_free(&two);
    cuzk_engine_destroy(e);
}

static void refuse(cuzk_engine *e, const cuzk_job_request *rq, const char *why)
{
    char id[CUZK_JOB_ID_BYTES];
    cuzk_err err;
    CHECK_U64(cuzk_engine_submit(e, rq, NULL, id, NULL, &err), CUZK_E_INVALID);
    CHECK(strstr(err.msg, why) != NULL);
}

static void refuses_what_is_known_before(void)
{
    cuzk_engine *e = start(make_folder(), SRS_DIGEST, NULL);
    request two;
    static const uint8_t odd[] = {0x81};
    two_request(&two, "two");
    cuzk_job_request rq = two.rq;
    rq.vanilla_proof.size = 0;
    refuse(e, &rq, "2 sectors: the chain takes aggregates of 4 to 819");
    rq = two.rq;
    rq.registered_proof = 20;
    refuse(e, &rq, "registered seal proof 20 is not known");
    rq = two.rq;
    rq.n_vanilla_proofs = 0;
    refuse(e, &rq, "sectors is empty");
    rq = two.rq;
    rq.vanilla_proof = (cuzk_bytes){odd, 1};
    refuse(e, &rq, "unknown options");
    two.records[1].size--;
    refuse(e, &two.rq, "sectors[1]: proof has 191 bytes");
    request_free(&two);
    cuzk_engine_destroy(e);
}

static void names_a_bad_proof(void)
{
    cuzk_engine *e = start(make_folder(), SRS_DIGEST, NULL);
    request two;
    result r;
    two_request(&two, "bad");
    uint8_t *sector = two.block + (CUZK_SECTOR_RECORD_HEAD + 192) + 8;
    *sector = 2; /* the second proof is of sector 1 */
    submit(e, &two);
    await(&r, e, "bad");
    CHECK_U64(r.state, CUZK_JOB_FAILED);
    CHECK(strncmp(r.error, "input: ", 7) == 0);
    CHECK(strstr(r.error, "proof 1 of 2 does not verify") != NULL);
    cuzk_free(r.bytes);
    request_free(&two);
    cuzk_engine_destroy(e);
}

/* Whoever has the wrong SRS is told so; that is no fault of the request. */
static void takes_only_the_srs_that_is_named(void)
{
    static const char *const digests[] = {NULL, "00000000000000000000000000000000"};
    static const char *const why[] = {"test SRS", "digest"};
    for (size_t i = 0; i < 2; i++) {
        cuzk_engine *e = start(make_folder(), digests[i], NULL);
        request two;
        result r;
        two_request(&two, "two");
        submit(e, &two);
        await(&r, e, "two");
        CHECK_U64(r.state, CUZK_JOB_FAILED);
        CHECK(strncmp(r.error, "environment: SRS for aggregation: ", 34) == 0);
        CHECK(strstr(r.error, why[i]) != NULL);
        cuzk_free(r.bytes);
        request_free(&two);
        cuzk_engine_destroy(e);
    }
}

static void cancels_and_continues_after_a_restart(void)
{
    enum { N = TEST_IS_BRIEF ? 3 : 5, CANCELLED = N - 2 };
    const char *folder = make_folder();
    cuzk_job_store store;
    cuzk_err err;
    request rq[N];
    result r;
    bool was_running = false;
    CHECK_OK(cuzk_job_store_memory(&store, &err), &err);
    cuzk_engine *e = start(folder, SRS_DIGEST, &store);
    for (int i = 0; i < N; i++) {
        char id[32];
        (void)snprintf(id, sizeof(id), "job-a%d", i);
        two_request(&rq[i], id);
        submit(e, &rq[i]);
    }
    CHECK_OK(cuzk_engine_cancel(e, rq[CANCELLED].id, &was_running, &err), &err);
    await(&r, e, rq[CANCELLED].id);
    CHECK(r.state == CUZK_JOB_CANCELLED || r.state == CUZK_JOB_COMPLETED);
    cuzk_free(r.bytes);
    cuzk_engine_destroy(e); /* with jobs under way */
    e = start(folder, SRS_DIGEST, &store);
    for (int i = 0; i < N; i++) {
        await(&r, e, rq[i].id);
        if (i != CANCELLED) {
            check_bytes(&r, "porep-2-v2.agg");
        }
        cuzk_free(r.bytes);
        request_free(&rq[i]);
    }
    cuzk_engine_destroy(e);
    store.destroy(store.arg);
}

/* ---- verification for callers ---- */

/* The answer about the bytes, whose reason must have why in it. */
static void expect(cuzk_engine *e, const cuzk_job_request *rq, cuzk_bytes agg, bool trailing,
                   cuzk_aggregate_answer want, const char *why)
{
    cuzk_aggregate_verdict v;
    cuzk_err err;
    CHECK_OK(cuzk_engine_verify_aggregate(e, rq, agg, trailing, &v, &err), &err);
    CHECK_U64(v.answer, want);
    CHECK_MSG(strstr(v.reason, why) != NULL && (why[0] != 0) == (v.reason[0] != 0), "%s", v.reason);
}

static void verifies_for_callers(void)
{
    cuzk_engine *e = start(make_folder(), SRS_DIGEST, NULL);
    request ni, two;
    cuzk_content agg;
    cuzk_err err;
    cuzk_engine_status s;
    cuzk_aggregate_verdict v;
    ni_request(&ni, "ni");
    two_request(&two, "two");
    CHECK_OK(cuzk_content_read(&agg, AGG_DIR "ni-13-v2.agg", CUZK_CONTENT_ANY, &err), &err);
    uint8_t *copy = cuzk_alloc(agg.size + 1, 1);
    CHECK(copy != NULL);
    memcpy(copy, agg.data, agg.size);
    copy[agg.size] = 0;
    const cuzk_bytes whole = {copy, agg.size}, longer = {copy, agg.size + 1};
    const size_t last_g1 = agg.size - 48;
    ni.records[0].size = CUZK_SECTOR_RECORD_HEAD; /* claims have no proofs */
    expect(e, &ni.rq, whole, false, CUZK_AGGREGATE_VALID, "");
    if (!TEST_IS_BRIEF) { /* under TSan one true answer and one false one */
        expect(e, &ni.rq, longer, true, CUZK_AGGREGATE_VALID, "");
    }
    expect(e, &ni.rq, longer, false, CUZK_AGGREGATE_MALFORMED, "expected");
    expect(e, &ni.rq, (cuzk_bytes){copy, 100}, false, CUZK_AGGREGATE_MALFORMED, "fewer than");
    expect(e, &two.rq, whole, false, CUZK_AGGREGATE_MALFORMED, "2 statements do not fit");
    memcpy(copy + last_g1, agg.data + last_g1 - 48, 48); /* another point of the group */
    expect(e, &ni.rq, whole, false, CUZK_AGGREGATE_FALSE, "does not verify");
    memcpy(copy + last_g1, agg.data + last_g1, 48);
    if (!TEST_IS_BRIEF) {
        ni.block[8] ^= 1; /* another sector number */
        expect(e, &ni.rq, whole, false, CUZK_AGGREGATE_FALSE, "does not verify");
        ni.block[8] ^= 1;
    }
    ni.block[16 + 31] = 0xff; /* comm_r is no element of the field: the claim is wrong */
    CHECK_U64(cuzk_engine_verify_aggregate(e, &ni.rq, whole, false, &v, &err), CUZK_E_INVALID);
    CHECK(strstr(err.msg, "sector 0 of 1") != NULL);
    ni.rq.registered_proof = 77;
    CHECK_U64(cuzk_engine_verify_aggregate(e, &ni.rq, whole, false, &v, &err), CUZK_E_INVALID);
    ni.rq.registered_proof = V1_1;
    memset(ni.block + 112, 0, 32);
    CHECK_U64(cuzk_engine_verify_aggregate(e, &ni.rq, whole, false, &v, &err), CUZK_E_INVALID);
    CHECK(strstr(err.msg, "sectors[0]: seed is missing") != NULL);
    CHECK_OK(cuzk_engine_get_status(e, &s, &err), &err);
    CHECK_U64(s.verified[CUZK_AGGREGATE_VALID], TEST_IS_BRIEF ? 1 : 2);
    CHECK_U64(s.verified[CUZK_AGGREGATE_FALSE], TEST_IS_BRIEF ? 1 : 2);
    CHECK_U64(s.verified[CUZK_AGGREGATE_MALFORMED], 3);
    CHECK_U64(s.completed[CUZK_JOB_AGGREGATE], 0);
    cuzk_engine_status_free(&s);
    cuzk_free(copy);
    cuzk_content_free(&agg);
    request_free(&ni);
    request_free(&two);
    cuzk_engine_destroy(e);
}

/* Claims of more sectors than the budget holds, and an SRS that is not the one that is named. */
static void verification_is_bounded(void)
{
    enum { MANY = 4096, HUGE = 18 }; /* HUGE: non-interactive, 64 GiB, 126 partitions */
    static const uint8_t agg[1];
    cuzk_engine *e = start(make_folder(), NULL, NULL);
    request ni;
    cuzk_aggregate_verdict v;
    cuzk_err err;
    ni_request(&ni, "ni");
    CHECK_U64(cuzk_engine_verify_aggregate(e, &ni.rq, (cuzk_bytes){agg, 1}, false, &v, &err),
              CUZK_E_IO);
    CHECK(strncmp(err.msg, "environment: SRS for aggregation: ", 34) == 0);
    cuzk_bytes *many = cuzk_alloc(MANY, sizeof(*many));
    CHECK(many != NULL);
    for (size_t i = 0; i < MANY; i++) {
        many[i] = ni.records[0];
    }
    ni.rq.registered_proof = HUGE;
    ni.rq.vanilla_proofs = many;
    ni.rq.n_vanilla_proofs = MANY;
    CHECK_U64(cuzk_engine_verify_aggregate(e, &ni.rq, (cuzk_bytes){agg, 1}, false, &v, &err),
              CUZK_E_BUDGET);
    cuzk_free(many);
    request_free(&ni);
    cuzk_engine_destroy(e);
}

static const cuzk_case cases[] = {CASE(makes_the_bytes_of_the_original),
                                  CASE(refuses_what_is_known_before),
                                  CASE(names_a_bad_proof),
                                  CASE(takes_only_the_srs_that_is_named),
                                  CASE(cancels_and_continues_after_a_restart),
                                  CASE(verifies_for_callers),
                                  CASE(verification_is_bounded)};
TEST_MAIN("engine/aggregate", cases)
