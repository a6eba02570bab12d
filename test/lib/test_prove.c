/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* <cuzk/prove.h> with the golden WindowPoSt: options, proofs, refusals, tasks, budget, failing memory. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "golden_jobs.h"

static cuzk_prover *open_prover(const cuzk_prover_options *more)
{
    cuzk_prover_options o = {.struct_size = sizeof(o)};
    cuzk_prover *p = NULL;
    if (more != NULL) {
        o = *more;
    }
    o.devices = "cpu";
    o.threads = 2;
    o.params_folder = o.params_folder != NULL ? o.params_folder : golden_params(CUZK_KIND_WINDOW);
    LIB_OK(cuzk_prover_create(&p, &o, &golden_error));
    return p;
}

static void options_are_judged(void)
{
    cuzk_prover_options o = {.struct_size = sizeof(o), .devices = "gpu"};
    cuzk_prover *p = NULL;
    LIB_STATUS(cuzk_prover_create(&p, &o, &golden_error), CUZK_E_INVALID);
    CHECK(strstr(golden_error.text, "gpu") != NULL);
    o.devices = "cpu";
    o.workers = 65;
    LIB_STATUS(cuzk_prover_create(&p, &o, &golden_error), CUZK_E_INVALID);
    if (cuzk_has_cuda() == 0) {
        o.workers = 1;
        o.devices = "cuda:0";
        LIB_STATUS(cuzk_prover_create(&p, &o, &golden_error), CUZK_E_UNSUPPORTED);
    }
    o.struct_size = 4;
    LIB_STATUS(cuzk_prover_create(&p, &o, &golden_error), CUZK_E_INVALID);
    CHECK(p == NULL);
    LIB_OK(cuzk_prover_create(&p, NULL, &golden_error));
    cuzk_prover_destroy(p);
    cuzk_prover_destroy(NULL);
}

typedef struct watch {
    _Atomic int calls;
    int stop_at; /* call that asks to stop; 0: none */
} watch;

static int32_t on_progress(void *arg, const char *step, uint64_t done, uint64_t total)
{
    watch *w = arg;
    CHECK(step != NULL && (total == 0 || done <= total));
    return atomic_fetch_add(&w->calls, 1) + 1 == w->stop_at ? 1 : 0;
}

/* What a task tells of itself after its end. */
static void tells_the_circuit(cuzk_prover *p, const cuzk_prove_request *rq)
{
    cuzk_task *t = NULL;
    cuzk_task_info info = {.struct_size = sizeof(info)};
    uint8_t proof[192];
    LIB_OK(cuzk_prover_submit(&t, p, rq, &golden_error));
    (void)cuzk_task_wait(t, -1);
    LIB_OK(cuzk_task_result(t, proof, sizeof(proof), NULL, &golden_error));
    CHECK(cuzk_task_get_info(&info, t) == CUZK_OK);
    CHECK_U64(info.partitions, 1);
    CHECK_U64(info.sector_bytes, 2048);
    CHECK_U64(info.constraints, 21866);
    info.struct_size = 4;
    CHECK(cuzk_task_get_info(&info, t) == CUZK_E_INVALID);
    cuzk_task_destroy(t);
}

static void window_is_proved(void)
{
    golden_job j;
    watch w = {.stop_at = 0};
    uint8_t proof[384];
    size_t n = 0;
    cuzk_prover *p = open_prover(NULL);
    golden_job_make(&j, "window");
    j.rq.progress = on_progress;
    j.rq.progress_arg = &w;
    LIB_OK(cuzk_prover_prove(p, proof, sizeof(proof), &n, &j.rq, &golden_error));
    CHECK_U64(n, 192);
    CHECK(atomic_load(&w.calls) >= 3);
    tells_the_circuit(p, &j.rq);
    LIB_OK(golden_verify(&j, proof, n));
    j.claim.post.randomness[0] ^= 1;
    LIB_STATUS(golden_verify(&j, proof, n), CUZK_E_PROOF_FALSE);
    /* the second proof is another one, of a key that is there */
    uint8_t second[192];
    j.claim.post.randomness[0] ^= 1;
    j.rq.flags = CUZK_PROVE_CHECK_ROWS;
    LIB_OK(cuzk_prover_prove(p, second, sizeof(second), &n, &j.rq, &golden_error));
    LIB_OK(golden_verify(&j, second, n));
    CHECK(memcmp(second, proof, 192) != 0);
    cuzk_prover_destroy(p);
}

static int32_t note_prove(void *arg, const char *step, uint64_t done, uint64_t total)
{
    (void)done;
    (void)total;
    *(bool *)arg = *(bool *)arg || strcmp(step, "prove") == 0;
    return 0;
}

/* A buffer that is too small is refused before any proving, and the size that is needed is told. */
static void a_small_buffer(void)
{
    golden_job j;
    bool has_proved = false;
    uint8_t proof[192];
    size_t n = 0;
    cuzk_prover *p = open_prover(NULL);
    golden_job_make(&j, "window");
    j.rq.progress = note_prove;
    j.rq.progress_arg = &has_proved;
    LIB_STATUS(cuzk_prover_prove(p, proof, 191, &n, &j.rq, &golden_error), CUZK_E_INVALID);
    CHECK(n == 192 && !has_proved && strstr(golden_error.text, "192") != NULL);
    LIB_STATUS(cuzk_prover_prove(p, NULL, 0, NULL, &j.rq, &golden_error), CUZK_E_INVALID);
    LIB_STATUS(cuzk_prover_unload(p, CUZK_KIND_WINDOW, 2048, &golden_error), CUZK_E_NOT_FOUND);
    CHECK(!has_proved);
    cuzk_prover_destroy(p);
}

static void false_inputs_are_refused(void)
{
    golden_job j;
    uint8_t proof[192];
    size_t n = 0;
    cuzk_prover *p = open_prover(NULL);
    golden_job_make(&j, "window");
    const cuzk_prove_request good = j.rq;
    const cuzk_input golden = j.inputs[0];
    j.rq.randomness[3] ^= 1;
    LIB_STATUS(cuzk_prover_prove(p, proof, 192, &n, &j.rq, &golden_error), CUZK_E_VANILLA);
    CHECK(golden_error.error_class == CUZK_CLASS_INPUT);
    uint8_t *bytes = malloc(golden.size);
    CHECK(bytes != NULL);
    memcpy(bytes, golden.data, golden.size);
    bytes[golden.size / 2] ^= 1;
    j.rq = good;
    j.inputs[0].data = bytes;
    LIB_STATUS(cuzk_prover_prove(p, proof, 192, &n, &j.rq, &golden_error), CUZK_E_VANILLA);
    j.inputs[0].size = golden.size / 2;
    LIB_STATUS(cuzk_prover_prove(p, proof, 192, &n, &j.rq, &golden_error), CUZK_E_FORMAT);
    free(bytes);
    j.inputs[0] = (cuzk_input){NULL, 0};
    LIB_STATUS(cuzk_prover_prove(p, proof, 192, &n, &j.rq, &golden_error), CUZK_E_INVALID);
    j.inputs[0] = golden;
    j.rq.n_inputs = 0;
    LIB_STATUS(cuzk_prover_prove(p, proof, 192, &n, &j.rq, &golden_error), CUZK_E_INVALID);
    j.rq = good;
    j.rq.kind = 7;
    LIB_STATUS(cuzk_prover_prove(p, proof, 192, &n, &j.rq, &golden_error), CUZK_E_INVALID);
    j.rq = good;
    j.rq.flags = 64;
    LIB_STATUS(cuzk_prover_prove(p, proof, 192, &n, &j.rq, &golden_error), CUZK_E_INVALID);
    j.rq.flags = CUZK_PROVE_ONE_PARTITION;
    LIB_STATUS(cuzk_prover_prove(p, proof, 192, &n, &j.rq, &golden_error), CUZK_E_INVALID);
    j.rq = good;
    j.rq.registered_proof = 1; /* a WinningPoSt */
    LIB_STATUS(cuzk_prover_prove(p, proof, 192, &n, &j.rq, &golden_error), CUZK_E_INVALID);
    j.rq = good;
    j.rq.kind = CUZK_KIND_CIRCOM;
    LIB_STATUS(cuzk_prover_prove(p, proof, 192, &n, &j.rq, &golden_error), CUZK_E_INVALID);
    cuzk_prover_destroy(p);
}

/* An update's vanilla proof alone: the partition must be one that the sector has. */
static void a_partition_of_an_update(void)
{
    golden_job j;
    uint8_t proof[192];
    size_t n = 0;
    const cuzk_prover_options o = {.struct_size = sizeof(o), .params_folder = "/nowhere/at/all"};
    cuzk_prover *p = open_prover(&o);
    golden_job_make(&j, "update");
    j.rq.flags = CUZK_PROVE_ONE_PARTITION;
    j.rq.partition = 1;
    LIB_STATUS(cuzk_prover_prove(p, proof, 192, &n, &j.rq, &golden_error), CUZK_E_INVALID);
    CHECK(strstr(golden_error.text, "partition is 1") != NULL);
    j.rq.partition = 0; /* taken: the parameters are missed next */
    LIB_STATUS(cuzk_prover_prove(p, proof, 192, &n, &j.rq, &golden_error), CUZK_E_NOT_FOUND);
    cuzk_prover_destroy(p);
}

static void parameters_that_are_not_there(void)
{
    golden_job j;
    uint8_t proof[192];
    size_t n = 0;
    const cuzk_prover_options o = {.struct_size = sizeof(o), .params_folder = "/nowhere/at/all"};
    cuzk_prover *p = open_prover(&o);
    golden_job_make(&j, "window");
    LIB_STATUS(cuzk_prover_prove(p, proof, 192, &n, &j.rq, &golden_error), CUZK_E_NOT_FOUND);
    CHECK(strstr(golden_error.text, "/nowhere/at/all") != NULL);
    LIB_STATUS(cuzk_prover_load(p, CUZK_KIND_WINDOW, 2048, &golden_error), CUZK_E_NOT_FOUND);
    LIB_STATUS(cuzk_prover_unload(p, CUZK_KIND_WINDOW, 2048, &golden_error), CUZK_E_NOT_FOUND);
    LIB_STATUS(cuzk_prover_load(p, CUZK_KIND_WINDOW, 2047, &golden_error), CUZK_E_INVALID);
    LIB_STATUS(cuzk_prover_load(p, -1, 2048, &golden_error), CUZK_E_INVALID);
    for (int32_t kind = CUZK_KIND_POREP; kind <= CUZK_KIND_UPDATE; kind++) {
        for (uint64_t lg = 11; lg <= 36; lg++) { /* every published size gets as far as its file */
            const bool is_published = lg == 11 || lg == 23 || lg == 29 || lg >= 35;
            if (is_published) {
                LIB_STATUS(cuzk_prover_load(p, kind, (uint64_t)1 << lg, &golden_error),
                           CUZK_E_NOT_FOUND);
                CHECK(strstr(golden_error.text, "/nowhere/at/all/v28-") != NULL);
            }
        }
    }
    cuzk_prover_destroy(p);
}

static void results_wait_for_their_owner(void)
{
    golden_job j;
    cuzk_task *t = NULL;
    uint8_t proof[192];
    size_t n = 0;
    cuzk_task_span spans[128];
    cuzk_prover *p = open_prover(NULL);
    golden_job_make(&j, "window");
    j.rq.flags = CUZK_PROVE_SPANS;
    LIB_OK(cuzk_prover_submit(&t, p, &j.rq, &golden_error));
    CHECK_U64(cuzk_task_wait(t, -1), 1);
    LIB_STATUS(cuzk_task_result(t, proof, 191, &n, &golden_error), CUZK_E_INVALID);
    CHECK_U64(n, 192);
    LIB_OK(cuzk_task_result(t, proof, 192, &n, &golden_error));
    LIB_OK(golden_verify(&j, proof, n));
    LIB_STATUS(cuzk_task_public(t, proof, 6, &n, &golden_error), CUZK_E_INVALID);
    const size_t count = cuzk_task_spans(t, spans, 128);
    bool has_prove = false, has_load = false;
    CHECK(count >= 8 && count <= 128);
    CHECK(spans[0].parent == -1);
    CHECK_STR(spans[0].name, "job");
    for (size_t i = 0; i < count; i++) {
        CHECK(spans[i].end_ns >= spans[i].begin_ns && spans[i].parent < (int32_t)i);
        has_prove = has_prove || strcmp(spans[i].name, "prove") == 0;
        has_load = has_load || strcmp(spans[i].name, "load_params") == 0;
    }
    CHECK(has_prove && has_load);
    CHECK_U64(cuzk_task_spans(t, NULL, 0), count);
    /* the prover may go first */
    cuzk_prover_destroy(p);
    LIB_OK(cuzk_task_result(t, proof, 192, &n, &golden_error));
    cuzk_task_destroy(t);
    cuzk_task_destroy(NULL);
}

static void cancelled_tasks_end(void)
{
    const cuzk_prover_options o = {.struct_size = sizeof(o), .workers = 1};
    golden_job j;
    cuzk_task *t[4];
    uint8_t proof[192];
    size_t n = 0;
    cuzk_prover *p = open_prover(&o);
    golden_job_make(&j, "window");
    for (size_t i = 0; i < 4; i++) {
        LIB_OK(cuzk_prover_submit(&t[i], p, &j.rq, &golden_error));
    }
    CHECK_U64(cuzk_task_wait(t[3], 0), 0);
    LIB_STATUS(cuzk_task_result(t[3], proof, 192, &n, &golden_error), CUZK_E_INVALID);
    cuzk_task_cancel(t[3]); /* waits in the queue: ends at once */
    CHECK_U64(cuzk_task_wait(t[3], 0), 1);
    LIB_STATUS(cuzk_task_result(t[3], proof, 192, &n, &golden_error), CUZK_E_CANCELLED);
    CHECK(golden_error.error_class == CUZK_CLASS_CANCELLED);
    cuzk_task_cancel(t[0]); /* runs, or is about to */
    CHECK_U64(cuzk_task_wait(t[0], 60000), 1);
    LIB_STATUS(cuzk_task_result(t[0], proof, 192, &n, &golden_error), CUZK_E_CANCELLED);
    CHECK_U64(cuzk_task_wait(t[1], -1), 1);
    LIB_OK(cuzk_task_result(t[1], proof, 192, &n, &golden_error));
    LIB_OK(golden_verify(&j, proof, n));
    cuzk_task_destroy(t[2]); /* cancels by itself */
    watch w = {.stop_at = 2};
    j.rq.progress = on_progress;
    j.rq.progress_arg = &w;
    LIB_STATUS(cuzk_prover_prove(p, proof, 192, &n, &j.rq, &golden_error), CUZK_E_CANCELLED);
    j.rq.progress = NULL;
    LIB_OK(cuzk_prover_submit(&t[2], p, &j.rq, &golden_error));
    cuzk_prover_destroy(p); /* cancels what runs */
    LIB_STATUS(cuzk_task_result(t[2], proof, 192, &n, &golden_error), CUZK_E_CANCELLED);
    for (size_t i = 0; i < 4; i++) {
        cuzk_task_destroy(t[i]);
    }
}

static void the_budget_is_kept(void)
{
    cuzk_prover_options o = {.struct_size = sizeof(o), .memory_bytes = (uint64_t)32 << 20};
    golden_job j;
    uint8_t proof[192];
    size_t n = 0;
    golden_job_make(&j, "window");
    cuzk_prover *p = open_prover(&o);
    LIB_STATUS(cuzk_prover_prove(p, proof, 192, &n, &j.rq, &golden_error), CUZK_E_BUDGET);
    CHECK(golden_error.error_class == CUZK_CLASS_ENVIRONMENT);
    CHECK(strstr(golden_error.text, "window of 2KiB") != NULL);
    cuzk_prover_destroy(p);
    o.memory_bytes = (uint64_t)256 << 20;
    p = open_prover(&o);
    LIB_OK(cuzk_prover_load(p, CUZK_KIND_WINDOW, 2048, &golden_error));
    LIB_OK(cuzk_prover_prove(p, proof, 192, &n, &j.rq, &golden_error));
    LIB_OK(cuzk_prover_unload(p, CUZK_KIND_WINDOW, 2048, &golden_error));
    LIB_STATUS(cuzk_prover_unload(p, CUZK_KIND_WINDOW, 2048, &golden_error), CUZK_E_NOT_FOUND);
    cuzk_prover_destroy(p);
}

/* Memory of the library that fails when fail_at allocations have been made. */
static _Atomic long allocations, fail_at;

static void *counted_alloc(void *arg, size_t align, size_t bytes)
{
    (void)arg;
    const long k = atomic_fetch_add(&allocations, 1) + 1;
    const long at = atomic_load(&fail_at);
    return at != 0 && k == at ? NULL : aligned_alloc(align, bytes);
}

static void counted_free(void *arg, void *p, size_t bytes)
{
    (void)arg;
    (void)bytes;
    free(p);
}

static cuzk_status whole_life(golden_job *j)
{
    const cuzk_prover_options o = {.struct_size = sizeof(o),
                                   .devices = "cpu",
                                   .threads = 1,
                                   .params_folder = golden_params(CUZK_KIND_WINDOW)};
    cuzk_prover *p = NULL;
    uint8_t proof[192];
    size_t n = 0;
    cuzk_status st = cuzk_prover_create(&p, &o, &golden_error);
    if (st == CUZK_OK) {
        st = cuzk_prover_prove(p, proof, sizeof(proof), &n, &j->rq, &golden_error);
    }
    cuzk_prover_destroy(p);
    return st;
}

/* A failing allocation anywhere gives E_NOMEM, and everything back. Places are spread over the life; --iters for more. */
static void memory_runs_out(void)
{
    const cuzk_allocator mine = {
        .struct_size = sizeof(mine), .alloc = counted_alloc, .free = counted_free};
    golden_job j;
    cuzk_memory memory;
    golden_job_make(&j, "window");
    (void)golden_params(CUZK_KIND_WINDOW);
    j.rq.flags = CUZK_PROVE_SPANS;
    CHECK_U64(cuzk_set_allocator(&mine), CUZK_OK);
    atomic_store(&allocations, 0);
    LIB_OK(whole_life(&j));
    const long all = atomic_load(&allocations);
    CHECK(all > 100);
    for (long at = 1; at <= all;
         at += at < 8 ? 1 : all / (long)test_iters(TEST_IS_BRIEF ? 2 : 5) + 1) {
        atomic_store(&allocations, 0);
        atomic_store(&fail_at, at);
        const cuzk_status st = whole_life(&j);
        CHECK_MSG(st == CUZK_E_NOMEM || st == CUZK_OK, "allocation %ld of %ld: %s", at, all,
                  cuzk_status_name(st));
        cuzk_get_memory(&memory);
        CHECK_MSG(memory.blocks == 0, "allocation %ld of %ld: %llu blocks are left", at, all,
                  (unsigned long long)memory.blocks);
    }
    atomic_store(&fail_at, 0);
    CHECK_U64(cuzk_set_allocator(NULL), CUZK_OK);
}

static const cuzk_case cases[] = {CASE(options_are_judged),
                                  CASE(window_is_proved),
                                  CASE(a_small_buffer),
                                  CASE(false_inputs_are_refused),
                                  CASE(parameters_that_are_not_there),
                                  CASE(a_partition_of_an_update),
                                  CASE(results_wait_for_their_owner),
                                  CASE(cancelled_tasks_end),
                                  CASE(the_budget_is_kept),
                                  CASE(memory_runs_out)};
TEST_MAIN("lib/prove", cases)
