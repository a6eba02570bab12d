/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Partitions through two devices at once; whatever fails on the way, nothing unverified comes out. */
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "accel/mock/mock_accel.h"
#include "base/alloc.h"
#include "prover/prove/prove_all.h"
#include "trace/trace_read.h"

#include "fil_jobs.h"
#include "test.h"

#define PARTITIONS 3
#define MEMORY     ((uint64_t)1 << 30)

typedef struct fixture {
    cuzk_params_dir dir;
    cuzk_pool *pool;
    cuzk_hashes *hashes;
    cuzk_circuit_spec spec;
    cuzk_filecoin_circuit *circuit;
    cuzk_filecoin_params *params;
    cuzk_filecoin_input *in;
    cuzk_accel *dev[2];
    cuzk_device_key *keys[2];
    cuzk_witness_memory *memories[2];
    cuzk_prove_all_job pipe;
} fixture;

/* A WindowPoSt as if it had several partitions, all equal: the smallest circuit there is. */
static void fixture_open(fixture *r)
{
    cuzk_err err;
    fil_job job;
    memset(r, 0, sizeof(*r));
    (void)snprintf(r->dir.path, sizeof(r->dir.path), "%s", test_tmpdir());
    r->dir.origin = "test";
    CHECK_OK(cuzk_pool_create(&r->pool, NULL, &err), &err);
    CHECK_OK(cuzk_hashes_create(&r->hashes, &err), &err);
    fil_params_make(&r->dir, CUZK_CIRCUIT_WINDOW, 2048, r->pool);
    CHECK_OK(cuzk_circuit_spec_of(&r->spec, CUZK_CIRCUIT_WINDOW, 2048, &err), &err);
    CHECK_OK(cuzk_filecoin_circuit_create(&r->circuit, &r->spec, &err), &err);
    CHECK_OK(cuzk_filecoin_params_open(&r->params, &r->spec, &r->dir, r->pool, &err), &err);
    fil_job_make(&job, CUZK_CIRCUIT_WINDOW, 2048, 5);
    CHECK_OK(cuzk_filecoin_input_parse(&r->in, &job.rq, &err), &err);
    fil_job_free(&job);
    r->in->n_partitions = PARTITIONS;
    for (size_t i = 0; i < 2; i++) {
        const cuzk_device_key_opts opts = {.stream = i == 1, .points = CUZK_DEVICE_POINTS_FILE};
        CHECK_OK(cuzk_accel_mock_open(&r->dev[i], (uint32_t)i, MEMORY, r->pool, &err), &err);
        CHECK_OK(
            cuzk_device_key_create(&r->keys[i], r->dev[i], cuzk_filecoin_circuit_get(r->circuit),
                                   cuzk_filecoin_params_srs(r->params), &opts, r->pool, NULL, &err),
            &err);
        CHECK_OK(cuzk_witness_memory_create(&r->memories[i], &err), &err);
        cuzk_witness_memory_attach(r->memories[i], r->dev[i]);
    }
    const cuzk_prove_all_job p = {.in = r->in,
                                  .circuit = cuzk_filecoin_circuit_get(r->circuit),
                                  .hashes = r->hashes,
                                  .vk = cuzk_filecoin_params_vk(r->params),
                                  .keys = r->keys,
                                  .memories = r->memories,
                                  .n_keys = 2,
                                  .pool = r->pool};
    r->pipe = p;
}

static void fixture_close(fixture *r)
{
    for (size_t i = 0; i < 2; i++) {
        cuzk_witness_memory_destroy(r->memories[i]);
        cuzk_device_key_destroy(r->keys[i]);
        CHECK_U64(cuzk_accel_mock_stats(r->dev[i]).blocks, 0);
        cuzk_accel_close(r->dev[i]);
    }
    cuzk_filecoin_input_destroy(r->in);
    cuzk_filecoin_circuit_destroy(r->circuit);
    cuzk_filecoin_params_close(r->params);
    cuzk_hashes_destroy(r->hashes);
    cuzk_pool_destroy(r->pool);
}

static void all_partitions(fixture *r)
{
    cuzk_err err;
    uint8_t proofs[PARTITIONS][CUZK_PROOF_BYTES];
    cuzk_trace *trace = NULL;
    uint64_t backlog = 1;
    CHECK_OK(cuzk_trace_create(&trace, 1024, &err), &err);
    r->pipe.trace = (cuzk_trace_ctx){trace, 0};
    r->pipe.release_backlog_peak = &backlog;
    CHECK_OK(cuzk_prove_all(&r->pipe, proofs[0], &err), &err);
    for (uint32_t i = 0; i < PARTITIONS; i++) {
        CHECK_OK(cuzk_filecoin_input_verify(r->in, r->pipe.vk, i, proofs[i], &err), &err);
    }
    CHECK(memcmp(proofs[0], proofs[1], CUZK_PROOF_BYTES) != 0); /* each has its own r and s */
    CHECK_U64(backlog, 0); /* all witnesses were in page-locked memory */
    CHECK(cuzk_trace_sum(trace, 0, NULL, "witness") > 0);
    CHECK(cuzk_trace_sum(trace, 0, "witness", "witness_fill") > 0);
    CHECK(cuzk_trace_sum(trace, 0, NULL, "verify") > 0);
    CHECK(cuzk_trace_sum(trace, 0, NULL, "release") > 0);
    uint64_t parts = 0;
    static const char *const phases[] = {"prep_msm",  "eval",     "ntt_msm_h",
                                         "batch_add", "tail_msm", "b_g2_msm"};
    for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++) {
        parts += cuzk_trace_sum(trace, 0, "gpu_total", phases[i]);
    }
    CHECK(parts > 0);
    CHECK_U64(parts, cuzk_trace_sum(trace, 0, "prove", "gpu_total"));
    r->pipe.trace = CUZK_TRACE_OFF;
    r->pipe.release_backlog_peak = NULL;
    cuzk_trace_destroy(trace);
}

/* Witnesses that wait for devices, as seen by the devices. */
typedef struct early early;
typedef struct early_device {
    early *e;
    uint32_t n_uploads; /* by a call */
    uint32_t n_made;    /* witnesses whose memory was taken */
} early_device;
struct early {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    early_device device[2];
    uint32_t n_devices; /* that must have work before a second witness is made for one of them */
    uint32_t cancel_at; /* number of the witness of a device; 0: never */
    cuzk_cancel cancel;
};

/* True when each device has a call that has uploaded a witness. With the lock. */
static bool all_at_work(const early *e)
{
    for (uint32_t i = 0; i < e->n_devices; i++) {
        if (e->device[i].n_uploads == 0) {
            return false;
        }
    }
    return true;
}

/*
 * The memory of the second witness of a device is not there before all calls have begun: a call that waited for all of
 * its witnesses would never begin.
 */
static void see_call(void *arg, const char *what)
{
    early_device *d = arg;
    early *e = d->e;
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 600; /* for a failure of this test only */
    (void)pthread_mutex_lock(&e->lock);
    if (strcmp(what, cuzk_accel_op_name(CUZK_ACCEL_OP_WITNESS)) == 0) {
        d->n_uploads++;
        (void)pthread_cond_broadcast(&e->changed);
    } else if (strcmp(what, "host alloc") == 0 && ++d->n_made > 1) {
        while (!all_at_work(e)) {
            CHECK(pthread_cond_timedwait(&e->changed, &e->lock, &until) == 0);
        }
        if (d->n_made == e->cancel_at) {
            atomic_store(&e->cancel.requested, true);
        }
    }
    (void)pthread_mutex_unlock(&e->lock);
}

/* The devices see their calls from here on, until `unwatch`. They have no memory for witnesses. */
static void watch(early *e, const fixture *r, size_t first, uint32_t n)
{
    memset(e, 0, sizeof(*e));
    e->n_devices = n;
    (void)pthread_mutex_init(&e->lock, NULL);
    (void)pthread_cond_init(&e->changed, NULL);
    for (uint32_t i = 0; i < n; i++) {
        e->device[i].e = e;
        const cuzk_mock_script script = {.on_call = see_call, .on_call_arg = &e->device[i]};
        cuzk_witness_memory_trim(r->memories[first + i]);
        cuzk_accel_mock_set(r->dev[first + i], &script);
    }
}

static void unwatch(early *e, const fixture *r)
{
    static const cuzk_mock_script none = {.fail_at = 0};
    cuzk_accel_mock_set(r->dev[0], &none);
    cuzk_accel_mock_set(r->dev[1], &none);
    (void)pthread_mutex_destroy(&e->lock);
    (void)pthread_cond_destroy(&e->changed);
}

/* Blocks of the heap, but for the page-locked ones that keys keep for the next witness. */
static uint64_t host_blocks(const fixture *r)
{
    return cuzk_alloc_get_stats().blocks_now - cuzk_accel_mock_stats(r->dev[0]).host_blocks -
           cuzk_accel_mock_stats(r->dev[1]).host_blocks;
}

static void expect_failure(fixture *r, size_t device, const cuzk_mock_script *script,
                           cuzk_status want)
{
    static const cuzk_mock_script none = {.fail_at = 0};
    cuzk_err err;
    uint8_t proofs[PARTITIONS][CUZK_PROOF_BYTES];
    uint8_t untouched[PARTITIONS][CUZK_PROOF_BYTES];
    memset(proofs, 0xa5, sizeof(proofs));
    memset(untouched, 0xa5, sizeof(untouched));
    cuzk_accel_mock_set(r->dev[device], script);
    r->pipe.keys = &r->keys[device];
    r->pipe.memories = &r->memories[device];
    r->pipe.n_keys = 1;
    r->in->n_partitions = 2;
    const uint64_t blocks = host_blocks(r);
    CHECK_STATUS(cuzk_prove_all(&r->pipe, proofs[0], &err), want);
    CHECK_U64(host_blocks(r), blocks);
    CHECK_MEM(proofs, untouched, sizeof(proofs));
    cuzk_accel_mock_set(r->dev[device], &none);
    r->pipe.keys = r->keys;
    r->pipe.memories = r->memories;
    r->pipe.n_keys = 2;
    r->in->n_partitions = PARTITIONS;
}

/* Cancelled while the calls of n devices from `first` on wait for a second witness. */
static void cancel_early(fixture *r, size_t first, uint32_t n)
{
    cuzk_err err;
    early e;
    uint8_t proofs[PARTITIONS][CUZK_PROOF_BYTES], untouched[PARTITIONS][CUZK_PROOF_BYTES];
    memset(proofs, 0xa5, sizeof(proofs));
    memset(untouched, 0xa5, sizeof(untouched));
    watch(&e, r, first, n);
    e.cancel_at = 2;
    r->pipe.keys = &r->keys[first];
    r->pipe.memories = &r->memories[first];
    r->pipe.n_keys = n;
    r->pipe.cancel = &e.cancel;
    const uint64_t blocks = host_blocks(r);
    CHECK_STATUS(cuzk_prove_all(&r->pipe, proofs[0], &err), CUZK_E_CANCELLED);
    CHECK_U64(host_blocks(r), blocks);
    CHECK_MEM(proofs, untouched, sizeof(proofs));
    unwatch(&e, r);
    r->pipe.keys = r->keys;
    r->pipe.memories = r->memories;
    r->pipe.n_keys = 2;
    r->pipe.cancel = NULL;
}

static void pipeline(void)
{
    fixture r;
    early e;
    fixture_open(&r);
    watch(&e, &r, 0, 2);
    all_partitions(&r);
    unwatch(&e, &r);
    cancel_early(&r, 1, 1);
    cancel_early(&r, 0, 2);
    const cuzk_mock_script wrong = {.wrong_sum_at = 3};
    expect_failure(&r, 0, &wrong, CUZK_E_SELFTEST);
    if (!TEST_IS_BRIEF) {
        expect_failure(&r, 1, &wrong, CUZK_E_SELFTEST);
    }
    const cuzk_mock_script no_memory = {
        .fail_at = 1, .and_after = true, .fail_with = CUZK_E_DEV_NOMEM};
    expect_failure(&r, 0, &no_memory, CUZK_E_DEV_NOMEM);
    cuzk_cancel cancel = {true};
    r.pipe.cancel = &cancel;
    const cuzk_mock_script none = {.fail_at = 0};
    expect_failure(&r, 0, &none, CUZK_E_CANCELLED);
    r.pipe.cancel = NULL;
    const cuzk_mock_script lost = {.fail_at = 20, .fail_with = CUZK_E_DEV_LOST, .at_sync = true};
    expect_failure(&r, 0, &lost, CUZK_E_DEV_LOST);
    CHECK(cuzk_accel_is_lost(r.dev[0]));
    expect_failure(&r, 0, &none, CUZK_E_DEV_LOST);
    fixture_close(&r);
}

/* The native check beside the proofs: its verdict is that of the check alone, whatever else fails. */
static void expect_verdict(fixture *r, const cuzk_mock_script *script)
{
    static const cuzk_mock_script none = {.fail_at = 0};
    cuzk_err want = {.msg = ""}, got = {.msg = ""};
    uint8_t proofs[PARTITIONS][CUZK_PROOF_BYTES], untouched[PARTITIONS][CUZK_PROOF_BYTES];
    memset(proofs, 0xa5, sizeof(proofs));
    memset(untouched, 0xa5, sizeof(untouched));
    const cuzk_status st = cuzk_filecoin_input_check(r->in, r->hashes, NULL, NULL, &want);
    CHECK_STATUS(st, CUZK_E_VANILLA);
    cuzk_accel_mock_set(r->dev[0], script);
    cuzk_accel_mock_set(r->dev[1], script);
    const uint64_t blocks = host_blocks(r);
    CHECK_STATUS(cuzk_prove_all(&r->pipe, proofs[0], &got), st);
    CHECK_U64(host_blocks(r), blocks);
    CHECK_STR(got.msg, want.msg);
    CHECK_MEM(proofs, untouched, sizeof(proofs));
    cuzk_accel_mock_set(r->dev[0], &none);
    cuzk_accel_mock_set(r->dev[1], &none);
}

static void checks_beside(void)
{
    static const cuzk_mock_script none = {.fail_at = 0}, wrong = {.wrong_sum_at = 3},
                                  no_memory = {.fail_at = 1,
                                               .and_after = true,
                                               .fail_with = CUZK_E_DEV_NOMEM};
    fixture r;
    cuzk_err err;
    fixture_open(&r);
    if (!TEST_IS_BRIEF) {
        all_partitions(&r);
    }
    r.pipe.n_keys = 1;
    r.in->n_partitions = 1;
    cuzk_merkle_proof *p = (cuzk_merkle_proof *)(uintptr_t)&r.in->post->sectors[0].proofs[5];
    cuzk_node *sibling = (cuzk_node *)(uintptr_t)&p->levels[1].siblings[0];
    CHECK(cuzk_filecoin_input_is_shaped(r.in));
    sibling->b[0] ^= 1; /* a witness can be made, rows are not satisfied */
    CHECK(cuzk_filecoin_input_is_shaped(r.in));
    expect_verdict(&r, &no_memory);
    if (!TEST_IS_BRIEF) {
        expect_verdict(&r, &none);
        expect_verdict(&r, &wrong);
        r.pipe.check_rows = true;
        expect_verdict(&r, &none);
        r.pipe.check_rows = false;
    }
    memset(sibling->b, 0xff, sizeof(sibling->b)); /* no field element: no witness */
    expect_verdict(&r, &none);
    memset(sibling->b, 0, sizeof(sibling->b));
    p->n_levels--; /* checked first: its witness would have another length */
    CHECK(!cuzk_filecoin_input_is_shaped(r.in));
    expect_verdict(&r, &none);
    p->n_levels++;
    const uint32_t n = p->levels[0].arity;
    ((cuzk_path_level *)(uintptr_t)&p->levels[0])->arity = 2;
    CHECK(!cuzk_filecoin_input_is_shaped(r.in));
    expect_verdict(&r, &none);
    ((cuzk_path_level *)(uintptr_t)&p->levels[0])->arity = (uint8_t)n;
    cuzk_cancel cancel = {true};
    uint8_t proofs[PARTITIONS][CUZK_PROOF_BYTES];
    r.pipe.cancel = &cancel;
    CHECK_STATUS(cuzk_prove_all(&r.pipe, proofs[0], &err), CUZK_E_CANCELLED);
    fixture_close(&r);
}

static const cuzk_case cases[] = {CASE(pipeline), CASE(checks_beside)};
TEST_MAIN("prover/prove_all", cases)
