/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The engine with the real prover on the CPU: 2 KiB sectors, parameters from a seed. */
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

#include "engine_rig.h"
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

static void prove_await_join(void)
{
    const char *folder = test_tmpdir();
    cuzk_err err;
    rig_request winning, window;
    rig_result a, b, c;
    cuzk_wait wait = 0;
    char id[CUZK_JOB_ID_BYTES];
    uint32_t position = 99;
    make_params(folder, post_kinds, 2);
    cuzk_engine *e = start(folder);
    rig_request_make(&winning, CUZK_JOB_WINNING, 1, "winpost-1000-abc");
    rig_request_make(&window, CUZK_JOB_WINDOW, 1, "wdpost-1000-0-[1 2]");
    rig_result_init(&a);
    rig_result_init(&b);
    rig_result_init(&c);
    CHECK_OK(cuzk_engine_prove(e, &winning.rq, NULL, rig_done, &a, &wait, &err), &err);
    CHECK_OK(cuzk_engine_submit(e, &window.rq, NULL, id, &position, &err), &err);
    CHECK_STR(id, "wdpost-1000-0-[1 2]");
    CHECK_OK(cuzk_engine_await(e, id, 0, rig_done, &b, &wait, &err), &err);
    rig_wait(&a);
    rig_wait(&b);
    CHECK_MSG(a.state == CUZK_JOB_COMPLETED, "%s", a.error);
    CHECK_MSG(b.state == CUZK_JOB_COMPLETED, "%s", b.error);
    CHECK_STR(a.request_id, "winpost-1000-abc");
    CHECK(rig_verifies(&winning, a.proof, a.proof_bytes, folder));
    CHECK(rig_verifies(&window, b.proof, b.proof_bytes, folder));
    /* the same again: the same proof, at once */
    CHECK_OK(cuzk_engine_prove(e, &winning.rq, NULL, rig_done, &c, &wait, &err), &err);
    rig_wait(&c);
    CHECK_MEM(c.proof, a.proof, 192);
    CHECK_STATUS(cuzk_engine_await(e, "nobody", 0, rig_done, &c, &wait, &err), CUZK_E_NOT_FOUND);
    bool already = true;
    uint64_t ms = 0, freed = 0;
    CHECK_OK(cuzk_engine_preload(e, "winning-2k", &already, &ms, &err), &err);
    CHECK(already);
    CHECK_OK(cuzk_engine_evict(e, "winning-2k", &already, &freed, &err), &err);
    CHECK(already && freed > 0);
    CHECK_OK(cuzk_engine_preload(e, "winning-2k", &already, &ms, &err), &err);
    CHECK(!already);
    CHECK_STATUS(cuzk_engine_preload(e, "porep-32g", &already, &ms, &err), CUZK_E_NOT_FOUND);
    CHECK_STATUS(cuzk_engine_preload(e, "nothing", &already, &ms, &err), CUZK_E_NOT_FOUND);
    cuzk_engine_destroy(e);
    rig_request_free(&winning);
    rig_request_free(&window);
    rig_result_destroy(&a);
    rig_result_destroy(&b);
    rig_result_destroy(&c);
}

static const cuzk_case cases[] = {CASE(prove_await_join)};
TEST_MAIN("engine/real", cases)
