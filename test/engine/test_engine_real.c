/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The engine with the real prover on the CPU: 2 KiB sectors, parameters from a seed. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "accel/mock/mock_accel.h"
#include "base/clock.h"
#include "engine/backend/backend_filecoin.h"

#include "engine_requests.h"
#include "test.h"

static void make_params(const char *folder, const cuzk_circuit_kind *kinds, size_t n)
{
    cuzk_err err;
    cuzk_pool *pool = NULL;
    cuzk_params_dir dir = {.origin = "test"};
    (void)snprintf(dir.path, sizeof(dir.path), "%s", folder);
    CHECK_OK(cuzk_pool_create(&pool, NULL, &err), &err);
    for (size_t i = 0; i < n; i++) {
        fil_params_make(&dir, kinds[i], 2048, pool);
    }
    cuzk_pool_destroy(pool);
}

static const cuzk_circuit_kind post_kinds[] = {CUZK_CIRCUIT_WINNING, CUZK_CIRCUIT_WINDOW};

static cuzk_engine *start(const char *folder)
{
    cuzk_err err;
    cuzk_engine *e = NULL;
    const cuzk_engine_config cfg = {.param_cache = folder, .budget_bytes = (uint64_t)2 << 30};
    CHECK_OK(cuzk_engine_create(&e, &cfg, &err), &err);
    return e;
}

/* A partition lets go of its parameters a moment after its job's waiters are told. */
static void evict(cuzk_engine *e, const char *circuit)
{
    cuzk_err err;
    bool was_loaded = false;
    uint64_t freed = 0;
    const uint64_t limit = cuzk_clock_ns() + 300ull * 1000000000;
    cuzk_status st;
    while ((st = cuzk_engine_evict(e, circuit, &was_loaded, &freed, &err)) == CUZK_E_BUDGET &&
           cuzk_clock_ns() < limit) {
        (void)usleep(1000);
    }
    CHECK_OK(st, &err);
    CHECK(was_loaded && freed > 0);
}

static void prove_await_join(void)
{
    const char *folder = test_tmpdir();
    cuzk_err err;
    engine_request winning, window;
    static engine_answer a, b, c; /* static: frames are small */
    cuzk_wait wait = 0;
    char id[CUZK_JOB_ID_BYTES];
    uint32_t position = 99;
    make_params(folder, post_kinds, 2);
    cuzk_engine *e = start(folder);
    engine_request_make(&winning, CUZK_JOB_WINNING, 1, "winpost-1000-abc");
    engine_request_make(&window, CUZK_JOB_WINDOW, 1, "wdpost-1000-0-[1 2]");
    engine_answer_init(&a);
    engine_answer_init(&b);
    engine_answer_init(&c);
    CHECK_OK(cuzk_engine_prove(e, &winning.rq, NULL, engine_answer_set, &a, &wait, &err), &err);
    CHECK_OK(cuzk_engine_submit(e, &window.rq, NULL, id, &position, &err), &err);
    CHECK_STR(id, "wdpost-1000-0-[1 2]");
    CHECK_OK(cuzk_engine_await(e, id, 0, engine_answer_set, &b, &wait, &err), &err);
    engine_answer_wait(&a);
    engine_answer_wait(&b);
    CHECK_MSG(a.state == CUZK_JOB_COMPLETED, "%s", a.error);
    CHECK_MSG(b.state == CUZK_JOB_COMPLETED, "%s", b.error);
    CHECK_STR(a.request_id, "winpost-1000-abc");
    CHECK(engine_request_verifies(&winning, a.proof, a.proof_bytes, folder));
    CHECK(engine_request_verifies(&window, b.proof, b.proof_bytes, folder));
    /* the same again: the same proof, at once */
    CHECK_OK(cuzk_engine_prove(e, &winning.rq, NULL, engine_answer_set, &c, &wait, &err), &err);
    engine_answer_wait(&c);
    CHECK_MEM(c.proof, a.proof, 192);
    CHECK_STATUS(cuzk_engine_await(e, "nobody", 0, engine_answer_set, &c, &wait, &err),
                 CUZK_E_NOT_FOUND);
    bool already = true;
    uint64_t ms = 0;
    CHECK_OK(cuzk_engine_preload(e, "winning-2k", &already, &ms, &err), &err);
    CHECK(already);
    evict(e, "winning-2k");
    CHECK_OK(cuzk_engine_preload(e, "winning-2k", &already, &ms, &err), &err);
    CHECK(!already);
    CHECK_STATUS(cuzk_engine_preload(e, "porep-32g", &already, &ms, &err), CUZK_E_NOT_FOUND);
    CHECK_STATUS(cuzk_engine_preload(e, "nothing", &already, &ms, &err), CUZK_E_NOT_FOUND);
    cuzk_engine_destroy(e);
    engine_request_free(&winning);
    engine_request_free(&window);
    engine_answer_destroy(&a);
    engine_answer_destroy(&b);
    engine_answer_destroy(&c);
}

/* Not enough for the points of the WinningPoSt of 2 KiB. */
#define STREAMING_MEMORY ((uint64_t)56 << 20)

/* Devices behind src/accel: the mock, which computes on the CPU and fails by script. */
typedef struct mock_device {
    cuzk_pool *pool;
    uint32_t ordinal;
    uint64_t limit;  /* of its memory; 0: plenty */
    cuzk_accel *dev; /* the newest */
    uint32_t opened;
} mock_device;

static cuzk_status open_mock(void *arg, struct cuzk_accel **out, cuzk_err *err)
{
    mock_device *m = arg;
    const uint64_t limit = m->limit != 0 ? m->limit : (uint64_t)512 << 20;
    const cuzk_status st = cuzk_accel_mock_open(out, m->ordinal, limit, m->pool, err);
    if (st == CUZK_OK) {
        m->dev = *out;
        m->opened++;
    }
    return st;
}

static cuzk_status open_large(void *arg, struct cuzk_accel **out, cuzk_err *err)
{
    return cuzk_accel_mock_open(out, 0, *(const uint64_t *)arg, NULL, err);
}

/* Bytes that the engine reserves for the key of a circuit on a device of that size. */
static uint64_t reserved(const char *circuit, uint64_t memory, bool combs)
{
    cuzk_err err;
    cuzk_engine_backend b;
    const cuzk_engine_accel accel = {open_large, &memory};
    const cuzk_engine_config cfg = {
        .param_cache = test_tmpdir(), .accels = &accel, .n_accels = 1, .combs = combs};
    uint64_t bytes = 0;
    CHECK_OK(cuzk_backend_filecoin_create(&b, &cfg, &err), &err);
    for (uint32_t i = 0; i < b.n_circuits; i++) {
        if (strcmp(b.circuits[i].id, circuit) == 0) {
            bytes = b.key_bytes(b.arg, 0, i);
        }
    }
    b.destroy(b.arg);
    CHECK(bytes != 0);
    return bytes;
}

/* Combs are for a device that has room for them beside calls, and only when they are wanted. */
static void combs_where_they_fit(void)
{
    const uint64_t gib = (uint64_t)1 << 30;
    const uint64_t plain = reserved("porep-32g", 139 * gib, false);
    const uint64_t with = reserved("porep-32g", 139 * gib, true);
    CHECK(plain > 45 * gib && plain < 65 * gib);
    CHECK(with > plain + 30 * gib && with < 100 * gib);
    CHECK_U64(reserved("porep-32g", 80 * gib, true), reserved("porep-32g", 80 * gib, false));
    CHECK_U64(reserved("winning-2k", 24 * gib, true), reserved("winning-2k", 24 * gib, false));
}

static void prove_on(cuzk_engine *e, const char *folder, cuzk_job_kind kind, uint64_t seed)
{
    cuzk_err err;
    engine_request rq;
    engine_answer r;
    cuzk_wait wait = 0;
    engine_request_make(&rq, kind, seed, "same");
    engine_answer_init(&r);
    CHECK_OK(cuzk_engine_prove(e, &rq.rq, NULL, engine_answer_set, &r, &wait, &err), &err);
    engine_answer_wait(&r);
    CHECK_MSG(r.state == CUZK_JOB_COMPLETED, "%s", r.error);
    CHECK(engine_request_verifies(&rq, r.proof, r.proof_bytes, folder));
    engine_request_free(&rq);
    engine_answer_destroy(&r);
}

static void expect_failure(cuzk_engine *e, const engine_request *rq, const char *text);

/* The check runs beside the witness: its verdict is the job's, and no device is to blame. */
static void bad_input_on_devices(cuzk_engine *e)
{
    cuzk_err err;
    static cuzk_engine_status s; /* static: frames are small */
    engine_request rq;
    engine_request_make(&rq, CUZK_JOB_WINNING, 3, "bad");
    ((uint8_t *)(uintptr_t)rq.views[0].data)[200] ^= 1; /* somewhere in a Merkle path */
    expect_failure(e, &rq, "input: sector ");
    CHECK_OK(cuzk_engine_get_status(e, &s, &err), &err);
    CHECK_U64(s.reproved[CUZK_JOB_WINNING], 0);
    for (uint32_t d = 0; d < s.n_devices; d++) {
        CHECK(!s.devices[d].quarantined && s.devices[d].errors == 0);
    }
    cuzk_engine_status_free(&s);
    engine_request_free(&rq);
}

static void devices(void)
{
    const char *folder = test_tmpdir();
    cuzk_err err;
    cuzk_engine *e = NULL;
    static cuzk_engine_status s;
    mock_device m[2] = {{.ordinal = 0}, {.ordinal = 1}};
    cuzk_engine_accel accels[2];
    make_params(folder, post_kinds, 2);
    for (int i = 0; i < 2; i++) {
        CHECK_OK(cuzk_pool_create(&m[i].pool, NULL, &err), &err);
        accels[i] = (cuzk_engine_accel){open_mock, &m[i]};
    }
    const cuzk_engine_config cfg = {.param_cache = folder,
                                    .budget_bytes = (uint64_t)3 << 30,
                                    .accels = accels,
                                    .n_accels = 2,
                                    .slots_per_device = 1,
                                    .device_back_off_ms = 2};
    CHECK_OK(cuzk_engine_create(&e, &cfg, &err), &err);
    prove_on(e, folder, CUZK_JOB_WINNING, 1);
    prove_on(e, folder, CUZK_JOB_WINDOW, 2);
    CHECK_OK(cuzk_engine_get_status(e, &s, &err), &err);
    CHECK_U64(s.n_devices, 2);
    uint32_t on_device = 0;
    for (uint32_t i = 0; i < s.n_cached; i++) {
        on_device += s.cached[i].on_device && s.cached[i].bytes > 0 ? 1 : 0;
    }
    CHECK(on_device >= 2);
    cuzk_engine_status_free(&s);
    bad_input_on_devices(e);

    /* a wrong sum: the proof does not verify, and is made again on the other device */
    bool is_reproved = false;
    for (uint64_t i = 0; i < 40 && !is_reproved; i++) {
        const cuzk_mock_script wrong = {.wrong_sum_at = 3};
        cuzk_accel_mock_set(m[0].dev, &wrong);
        prove_on(e, folder, CUZK_JOB_WINNING, 10 + i);
        CHECK_OK(cuzk_engine_get_status(e, &s, &err), &err);
        is_reproved = s.reproved[CUZK_JOB_WINNING] != 0;
        cuzk_engine_status_free(&s);
    }
    CHECK(is_reproved);

    /* a lost context: the other device goes on, and this one is opened again */
    const cuzk_mock_script lost = {.fail_at = 5, .fail_with = CUZK_E_DEV_LOST};
    cuzk_accel_mock_set(m[0].dev, &lost);
    cuzk_accel_mock_set(m[1].dev, &lost);
    for (uint64_t i = 0; i < 4; i++) {
        prove_on(e, folder, CUZK_JOB_WINNING, 20 + i);
    }
    CHECK(m[0].opened + m[1].opened >= 3);
    evict(e, "winning-2k");
    cuzk_engine_destroy(e);
    cuzk_pool_destroy(m[0].pool);
    cuzk_pool_destroy(m[1].pool);
}

/* Rounds of two contents under one id, at once: each proof is of its own statement. */
static void same_id_two_contents(void)
{
    const char *folder = test_tmpdir();
    cuzk_err err;
    make_params(folder, post_kinds, 1);
    cuzk_engine *e = start(folder);
    for (uint64_t round = 0; round < test_iters(2); round++) {
        engine_request rq[2];
        engine_answer r[2];
        cuzk_wait wait[2];
        for (uint64_t k = 0; k < 2; k++) {
            engine_request_make(&rq[k], CUZK_JOB_WINNING, 100 + 2 * round + k, "winpost-1000-0");
            engine_answer_init(&r[k]);
            CHECK_OK(
                cuzk_engine_prove(e, &rq[k].rq, NULL, engine_answer_set, &r[k], &wait[k], &err),
                &err);
        }
        for (int k = 0; k < 2; k++) {
            engine_answer_wait(&r[k]);
            CHECK_MSG(r[k].state == CUZK_JOB_COMPLETED, "%s", r[k].error);
            CHECK_STR(r[k].request_id, "winpost-1000-0");
            CHECK(engine_request_verifies(&rq[k], r[k].proof, r[k].proof_bytes, folder));
        }
        CHECK(!engine_request_verifies(&rq[0], r[1].proof, r[1].proof_bytes, folder));
        for (int k = 0; k < 2; k++) {
            engine_request_free(&rq[k]);
            engine_answer_destroy(&r[k]);
        }
    }
    cuzk_engine_destroy(e);
}

/* What is wrong with an input or an installation is told, with whose fault it is. */
static void expect_failure(cuzk_engine *e, const engine_request *rq, const char *text)
{
    cuzk_err err;
    engine_answer r;
    cuzk_wait wait;
    engine_answer_init(&r);
    CHECK_OK(cuzk_engine_prove(e, &rq->rq, NULL, engine_answer_set, &r, &wait, &err), &err);
    engine_answer_wait(&r);
    CHECK(r.state == CUZK_JOB_FAILED && r.proof_bytes == 0);
    CHECK_MSG(strstr(r.error, text) == r.error, "%s", r.error);
    engine_answer_destroy(&r);
}

static void failures(void)
{
    const char *folder = test_tmpdir();
    cuzk_err err = {.msg = ""};
    engine_request winning, window;
    engine_answer r;
    cuzk_wait wait;
    char missing[1024];
    make_params(folder, post_kinds, 1);
    cuzk_engine *e = start(folder);
    engine_request_make(&winning, CUZK_JOB_WINNING, 1, "w");
    engine_request_make(&window, CUZK_JOB_WINDOW, 1, "d");
    (void)snprintf(missing, sizeof(missing), "environment: %s/v28-proof-of-spacetime", folder);
    expect_failure(e, &window, missing);
    uint8_t *blob = (uint8_t *)(uintptr_t)winning.views[0].data;
    blob[200] ^= 1; /* somewhere in a Merkle path */
    expect_failure(e, &winning, "input: sector ");
    blob[200] ^= 1;
    winning.views[0].size -= 5;
    expect_failure(e, &winning, "input: vanilla_proofs[0]: ");
    winning.views[0].size += 5;
    engine_answer_init(&r);
    winning.rq.randomness.size = 31;
    CHECK_STATUS(cuzk_engine_prove(e, &winning.rq, NULL, engine_answer_set, &r, &wait, &err),
                 CUZK_E_INVALID);
    CHECK_MSG(strstr(err.msg, "randomness has 31 bytes") != NULL, "%s", err.msg);
    winning.rq.randomness.size = 32;
    winning.rq.sector_size = 0; /* then the Merkle paths say it */
    CHECK_OK(cuzk_engine_prove(e, &winning.rq, NULL, engine_answer_set, &r, &wait, &err), &err);
    engine_answer_wait(&r);
    CHECK_MSG(r.state == CUZK_JOB_COMPLETED, "%s", r.error);
    engine_answer_destroy(&r);
    cuzk_engine_destroy(e);
    engine_request_free(&winning);
    engine_request_free(&window);
}

static void write_params(const char *path, const uint8_t *bytes, size_t n)
{
    FILE *f = fopen(path, "r+b"); /* the same file: the engine has it open */
    CHECK(f != NULL && fwrite(bytes, 1, n, f) == n && fclose(f) == 0);
}

/* The parameters lose their end while the engine has them open: jobs fail with the file's name, no
 * device is to blame, and when the file is back, jobs are proved again. */
static void wait_idle(cuzk_engine *e)
{
    const struct timespec t = {0, 1000000};
    while (!cuzk_engine_is_idle(e)) {
        (void)nanosleep(&t, NULL);
    }
}

static void cut_params_on(cuzk_engine *e, const char *folder, const mock_device *m, uint64_t times)
{
    static const cuzk_mock_script lost = {.fail_at = 1, .fail_with = CUZK_E_DEV_LOST};
    cuzk_err err;
    cuzk_circuit_spec spec;
    static cuzk_params_dir in = {.origin = "test"}; /* static: frames are small */
    static char path[CUZK_PATH_BYTES];
    size_t n;
    bool was = false;
    uint64_t freed = 0;
    (void)snprintf(in.path, sizeof(in.path), "%s", folder);
    CHECK_OK(cuzk_circuit_spec_of(&spec, CUZK_CIRCUIT_WINNING, 2048, &err), &err);
    CHECK_OK(cuzk_params_path(path, &in, &spec, CUZK_PARAM_FILE_PARAMS, &err), &err);
    uint8_t *bytes = test_read_file(path, &n);
    prove_on(e, folder, CUZK_JOB_WINNING, 1);
    wait_idle(e);           /* a proof is told before its partition is given back */
    evict(e, "winning-2k"); /* keys, too */
    CHECK_OK(cuzk_engine_preload(e, "winning-2k", &was, &freed, &err), &err);
    for (uint64_t i = 0; i < times; i++) {
        engine_request rq;
        engine_answer r;
        cuzk_wait wait;
        static cuzk_engine_status s;
        engine_request_make(&rq, CUZK_JOB_WINNING, 50 + i, "");
        engine_answer_init(&r);
        CHECK(truncate(path, (off_t)(n / 2 + i)) == 0);
        if (m != NULL) { /* with its key a device needs no file: it loses it */
            cuzk_accel_mock_set(m->dev, &lost);
        }
        CHECK_OK(cuzk_engine_prove(e, &rq.rq, NULL, engine_answer_set, &r, &wait, &err), &err);
        engine_answer_wait(&r);
        CHECK(r.state == CUZK_JOB_FAILED && r.proof_bytes == 0);
        CHECK_STATUS(r.code, CUZK_E_IO);
        CHECK_MSG(strncmp(r.error, "environment: ", 13) == 0 && strstr(r.error, path) != NULL, "%s",
                  r.error);
        CHECK(cuzk_engine_preload(e, "winning-2k", &was, &freed, &err) != CUZK_OK);
        CHECK_MSG(strstr(err.msg, path) != NULL, "%s", err.msg);
        CHECK_OK(cuzk_engine_get_status(e, &s, &err), &err);
        for (uint32_t d = 0; d < s.n_devices; d++) {
            CHECK(!s.devices[d].quarantined && s.devices[d].errors == (m != NULL ? i + 1 : 0));
        }
        cuzk_engine_status_free(&s);
        write_params(path, bytes, n);
        prove_on(e, folder, CUZK_JOB_WINNING, 70 + i);
        engine_request_free(&rq);
        engine_answer_destroy(&r);
    }
    free(bytes);
}

static void cut_params(void)
{
    const char *folder = test_tmpdir();
    cuzk_err err;
    mock_device m = {.ordinal = 0};
    const cuzk_engine_accel accel = {open_mock, &m};
    make_params(folder, post_kinds, 1);
    cuzk_engine *e = start(folder);
    cut_params_on(e, folder, NULL, 2);
    cuzk_engine_destroy(e);
    CHECK_OK(cuzk_pool_create(&m.pool, NULL, &err), &err);
    const cuzk_engine_config cfg = {
        .param_cache = folder, .budget_bytes = (uint64_t)3 << 30, .accels = &accel, .n_accels = 1};
    CHECK_OK(cuzk_engine_create(&e, &cfg, &err), &err);
    cut_params_on(e, folder, &m, 1);
    cuzk_engine_destroy(e);
    cuzk_pool_destroy(m.pool);
}

/* A device whose points stream from the file needs it for each proof. */
static void cut_params_that_stream(void)
{
    const char *folder = test_tmpdir();
    cuzk_err err;
    cuzk_engine *e = NULL;
    static cuzk_engine_status s;
    mock_device m = {.limit = STREAMING_MEMORY};
    const cuzk_engine_accel accel = {open_mock, &m};
    make_params(folder, post_kinds, 1);
    CHECK_OK(cuzk_pool_create(&m.pool, NULL, &err), &err);
    const cuzk_engine_config cfg = {.param_cache = folder,
                                    .budget_bytes = (uint64_t)3 << 30,
                                    .accels = &accel,
                                    .n_accels = 1,
                                    .stream = CUZK_ENGINE_STREAM_READ};
    CHECK_OK(cuzk_engine_create(&e, &cfg, &err), &err);
    cut_params_on(e, folder, NULL, 1);
    CHECK_OK(cuzk_engine_get_status(e, &s, &err), &err);
    /* two buffers of 64 MiB, of whole points; and a vector of 4 MiB, by the estimate for so little memory */
    CHECK_U64(s.pinned_used >> 20, 127 + 4);
    cuzk_engine_status_free(&s);
    cuzk_engine_destroy(e);
    cuzk_pool_destroy(m.pool);
}

/* A device that is not there for a while: the CPU proves meanwhile, then the device again. */
typedef struct absent_device {
    mock_device m;
    _Atomic bool is_absent;
} absent_device;

static cuzk_status open_absent(void *arg, struct cuzk_accel **out, cuzk_err *err)
{
    absent_device *d = arg;
    return atomic_load(&d->is_absent) ? CUZK_FAIL(err, CUZK_E_DEV_LOST, "mock: not there")
                                      : open_mock(&d->m, out, err);
}

static void check_place(cuzk_engine *e, bool on_cpu)
{
    static cuzk_engine_status s;
    cuzk_err err;
    CHECK_OK(cuzk_engine_get_status(e, &s, &err), &err);
    CHECK(s.has_fallback && s.on_cpu == on_cpu && s.n_devices == 2);
    CHECK(!s.devices[0].is_cpu && s.devices[1].is_cpu && s.devices[1].is_fallback);
    CHECK(s.devices[0].ordinal != s.devices[1].ordinal);
    CHECK(s.n_jobs > 0 && s.jobs[s.n_jobs - 1].n_on_cpu == (on_cpu ? 1 : 0));
    CHECK(s.budget_used <= s.budget_total);
    cuzk_engine_status_free(&s);
}

static void wait_gpu(cuzk_engine *e)
{
    static cuzk_engine_status s;
    cuzk_err err;
    for (bool is_back = false; !is_back; (void)usleep(1000)) {
        CHECK_OK(cuzk_engine_get_status(e, &s, &err), &err);
        is_back = !s.on_cpu;
        cuzk_engine_status_free(&s);
    }
}

static void cpu_when_lost(void)
{
    static const cuzk_mock_script lost = {.fail_at = 1, .fail_with = CUZK_E_DEV_LOST};
    const char *folder = test_tmpdir();
    cuzk_err err;
    cuzk_engine *e = NULL;
    absent_device d = {.m = {.ordinal = 0}};
    const cuzk_engine_accel accel = {open_absent, &d};
    make_params(folder, post_kinds, 1);
    CHECK_OK(cuzk_pool_create(&d.m.pool, NULL, &err), &err);
    const cuzk_engine_config cfg = {.param_cache = folder,
                                    .budget_bytes = (uint64_t)3 << 30,
                                    .accels = &accel,
                                    .n_accels = 1,
                                    .device_back_off_ms = 2,
                                    .cpu_when_lost = true,
                                    .cpu_after_ms = 10};
    /* not there at the start: an error by default, else as if lost */
    cuzk_engine_config wait_cfg = cfg;
    wait_cfg.cpu_when_lost = false;
    atomic_store(&d.is_absent, true);
    CHECK_STATUS(cuzk_engine_create(&e, &wait_cfg, &err), CUZK_E_DEV_LOST);
    CHECK_OK(cuzk_engine_create(&e, &cfg, &err), &err);
    prove_on(e, folder, CUZK_JOB_WINNING, 1);
    check_place(e, true);
    atomic_store(&d.is_absent, false);
    wait_gpu(e);
    prove_on(e, folder, CUZK_JOB_WINNING, 2);
    check_place(e, false);
    for (uint64_t round = 0; round < test_iters(1); round++) {
        atomic_store(&d.is_absent, true);
        cuzk_accel_mock_set(d.m.dev, &lost);
        prove_on(e, folder, CUZK_JOB_WINNING, 10 + round);
        check_place(e, true);
        atomic_store(&d.is_absent, false);
        wait_gpu(e);
        prove_on(e, folder, CUZK_JOB_WINNING, 20 + round);
        check_place(e, false);
    }
    cuzk_engine_destroy(e);
    cuzk_pool_destroy(d.m.pool);
}

/* A mixed load of real jobs: the resident set stays within the budget and 5 %. */
static void resident_within_budget(void)
{
    enum { JOBS = 18 };
    static const cuzk_circuit_kind kinds[] = {CUZK_CIRCUIT_WINNING, CUZK_CIRCUIT_WINDOW,
                                              CUZK_CIRCUIT_UPDATE};
    static const cuzk_job_kind mix[] = {CUZK_JOB_UPDATE, CUZK_JOB_WINNING, CUZK_JOB_WINDOW};
    const char *folder = test_tmpdir();
    cuzk_err err;
    cuzk_engine *e = NULL;
    engine_request *rq = calloc(JOBS, sizeof(*rq));
    engine_answer *r = calloc(JOBS, sizeof(*r));
    cuzk_wait wait;
    uint64_t peak = 0;
    make_params(folder, kinds, 3);
    const cuzk_engine_config cfg = {.param_cache = folder,
                                    .budget_bytes = (uint64_t)1400 << 20,
                                    .winning_reserve_bytes = (uint64_t)200 << 20};
    CHECK_OK(cuzk_engine_create(&e, &cfg, &err), &err);
    for (uint64_t i = 0; i < JOBS; i++) {
        engine_request_make(&rq[i], mix[i % 3], i, "");
        engine_answer_init(&r[i]);
        CHECK_OK(cuzk_engine_prove(e, &rq[i].rq, NULL, engine_answer_set, &r[i], &wait, &err),
                 &err);
    }
    while (!cuzk_engine_is_idle(e)) {
        static cuzk_engine_status s;
        CHECK_OK(cuzk_engine_get_status(e, &s, &err), &err);
        CHECK(s.budget_used <= s.budget_total);
        peak = s.resident_bytes > peak ? s.resident_bytes : peak;
        cuzk_engine_status_free(&s);
        (void)usleep(5000);
    }
    for (int i = 0; i < JOBS; i++) {
        engine_answer_wait(&r[i]);
        CHECK_MSG(r[i].state == CUZK_JOB_COMPLETED, "%s", r[i].error);
        CHECK(engine_request_verifies(&rq[i], r[i].proof, r[i].proof_bytes, folder));
        engine_request_free(&rq[i]);
        engine_answer_destroy(&r[i]);
    }
    CHECK_MSG(peak <= cfg.budget_bytes / 100 * 105, "%llu MiB resident of a budget of %llu",
              (unsigned long long)(peak >> 20), (unsigned long long)(cfg.budget_bytes >> 20));
    cuzk_engine_destroy(e);
    free(rq);
    free(r);
}

/* A card of 8 GB: its abilities are in the status, and a WindowPoSt of 32 GiB sectors is refused at once. */
static void small_card(void)
{
    cuzk_err err;
    cuzk_engine *e = NULL;
    static cuzk_engine_status s;
    engine_request window;
    engine_answer r;
    cuzk_wait wait = 0;
    mock_device m = {.limit = (uint64_t)7475 << 20};
    const cuzk_engine_accel accel = {open_mock, &m};
    CHECK_OK(cuzk_pool_create(&m.pool, NULL, &err), &err);
    const cuzk_engine_config cfg = {.param_cache = test_tmpdir(),
                                    .budget_bytes = (uint64_t)16 << 30,
                                    .accels = &accel,
                                    .n_accels = 1};
    CHECK_OK(cuzk_engine_create(&e, &cfg, &err), &err);
    CHECK_OK(cuzk_engine_get_status(e, &s, &err), &err);
    CHECK_U64(s.n_abilities, 8); /* four kinds, 32 and 64 GiB */
    for (uint32_t i = 0; i < s.n_abilities; i++) {
        const cuzk_status_ability *a = &s.abilities[i];
        const bool is_window = strncmp(a->circuit_id, "wpost", 5) == 0;
        CHECK_MSG((a->ability == CUZK_DEVICE_CANNOT) == is_window, "%s: %s", a->circuit_id,
                  cuzk_device_ability_name(a->ability));
        const bool is_winning = strncmp(a->circuit_id, "winning", 7) == 0;
        CHECK(a->needed_bytes != 0);
        CHECK_U64(a->available_bytes, m.limit - (is_winning ? 0 : (uint64_t)640 << 20));
    }
    cuzk_engine_status_free(&s);
    engine_request_make(&window, CUZK_JOB_WINDOW, 1, "wdpost");
    engine_answer_init(&r);
    window.rq.sector_size = (uint64_t)32 << 30;
    CHECK_STATUS(cuzk_engine_prove(e, &window.rq, NULL, engine_answer_set, &r, &wait, &err),
                 CUZK_E_DEV_UNFIT);
    CHECK_MSG(strstr(err.msg, "wpost-32g") != NULL && strstr(err.msg, "mock device") != NULL &&
                  strstr(err.msg, "6835 MiB") != NULL,
              "%s", err.msg);
    cuzk_engine_destroy(e);
    engine_request_free(&window);
    engine_answer_destroy(&r);
    cuzk_pool_destroy(m.pool);
}

static const cuzk_case cases[] = {CASE(small_card), CASE(prove_await_join),
                                  CASE(combs_where_they_fit), CASE(same_id_two_contents),
                                  CASE(failures)};
static const cuzk_case trouble_cases[] = {CASE(devices), CASE(cut_params),
                                          CASE(cut_params_that_stream), CASE(cpu_when_lost)};
static const cuzk_case slow_cases[] = {CASE(resident_within_budget)};

int main(int argc, char **argv)
{
    static const struct {
        const char *word, *suite; /* the word is the first argument */
        const cuzk_case *cases;
        size_t n;
    } suites[] = {
        {"trouble", "engine/real_trouble", trouble_cases,
         sizeof(trouble_cases) / sizeof(trouble_cases[0])},
        {"slow", "engine/resident", slow_cases, sizeof(slow_cases) / sizeof(slow_cases[0])}};
    for (size_t i = 0; argc > 1 && i < sizeof(suites) / sizeof(suites[0]); i++) {
        if (strcmp(argv[1], suites[i].word) == 0) {
            argv[1] = argv[0];
            return cuzk_test_main(argc - 1, argv + 1, suites[i].suite, suites[i].cases,
                                  suites[i].n);
        }
    }
    return cuzk_test_main(argc, argv, "engine/real", cases, sizeof(cases) / sizeof(cases[0]));
}
