/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Circom keys of <cuzk/prove.h>: proofs, texts, refusals, lifetimes, and an allocation that fails. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "golden_jobs.h"

static cuzk_prover *open_prover(void)
{
    const cuzk_prover_options o = {
        .struct_size = sizeof(o), .threads = 2, .workers = 2, .devices = "cpu"};
    cuzk_prover *p = NULL;
    LIB_OK(cuzk_prover_create(&p, &o, &golden_error));
    return p;
}

static void request_of(cuzk_prove_request *rq, cuzk_input *in, const cuzk_circom_key *key,
                       const char *name)
{
    char path[96];
    (void)snprintf(path, sizeof(path), "test/vectors/circom/%s.wtns", name);
    *in = golden_file(path);
    *rq = (cuzk_prove_request){.struct_size = sizeof(*rq),
                               .kind = CUZK_KIND_CIRCOM,
                               .inputs = in,
                               .n_inputs = 1,
                               .circom_key = key};
}

static void load(cuzk_circom_key **key, cuzk_prover *p, const char *name)
{
    char path[96];
    (void)snprintf(path, sizeof(path), "test/vectors/snarkjs/%s.zkey", name);
    LIB_OK(cuzk_circom_key_load(key, p, path, &golden_error));
}

static void prove_and_verify(const char *name)
{
    cuzk_prover *p = open_prover();
    cuzk_circom_key *key = NULL;
    cuzk_task *t = NULL;
    cuzk_prove_request rq;
    cuzk_input in;
    uint8_t proof[192], inputs[32 * 64];
    char text[8192], path[96];
    size_t n = 0, n_public = 0;
    load(&key, p, name);
    request_of(&rq, &in, key, name);
    LIB_OK(cuzk_prover_submit(&t, p, &rq, &golden_error));
    CHECK_U64(cuzk_task_wait(t, -1), 1);
    LIB_OK(cuzk_task_result(t, proof, sizeof(proof), &n, &golden_error));
    CHECK_U64(n, 192);
    LIB_OK(cuzk_task_public(t, inputs, 64, &n_public, &golden_error));
    const cuzk_vk *vk = cuzk_circom_key_vk(key);
    CHECK_U64(cuzk_vk_n_inputs(vk), n_public);
    CHECK_U64(cuzk_verify(vk, proof, 192, inputs, n_public), CUZK_VERIFY_OK);
    if (n_public != 0) {
        inputs[0] ^= 1;
        CHECK(cuzk_verify(vk, proof, 192, inputs, n_public) == CUZK_VERIFY_E_PROOF_FALSE);
        inputs[0] ^= 1;
    }
    LIB_STATUS(cuzk_circom_public_json(text, 1, &n, inputs, n_public, &golden_error),
               CUZK_E_INVALID);
    LIB_OK(cuzk_circom_public_json(text, sizeof(text), &n, inputs, n_public, &golden_error));
    CHECK_U64(strlen(text), n);
    /* snarkjs's own file, but for blanks */
    (void)snprintf(path, sizeof(path), "test/vectors/snarkjs/%s.public.json", name);
    const cuzk_input want = golden_file(path);
    size_t at = 0;
    for (size_t i = 0; i < want.size; i++) {
        if (strchr(" \n\r", want.data[i]) == NULL) {
            while (text[at] == ' ' || text[at] == '\n') {
                at++;
            }
            CHECK_MSG(text[at] == (char)want.data[i], "%s: character %zu", path, i);
            at++;
        }
    }
    LIB_OK(cuzk_circom_proof_json(text, sizeof(text), &n, proof, &golden_error));
    CHECK(strstr(text, "\"protocol\": \"groth16\"") != NULL && strlen(text) == n);
    cuzk_task_destroy(t);
    cuzk_circom_key_destroy(key);
    cuzk_prover_destroy(p);
}

static void circuits(void)
{
    prove_and_verify("multiplier2");
    prove_and_verify("mixed");
    prove_and_verify("nopublic");
}

static void refusals(void)
{
    cuzk_prover *p = open_prover(), *other = open_prover();
    cuzk_circom_key *key = NULL;
    cuzk_prove_request rq;
    cuzk_input in;
    uint8_t proof[192];
    size_t n = 0;
    LIB_STATUS(cuzk_circom_key_load(&key, p, "/nowhere.zkey", &golden_error), CUZK_E_NOT_FOUND);
    LIB_STATUS(cuzk_circom_key_load(&key, p, "test/vectors/circom/mixed.wtns", &golden_error),
               CUZK_E_FORMAT);
    LIB_STATUS(cuzk_circom_key_load(&key, p, "test/vectors/unfinished/key.zkey", &golden_error),
               CUZK_E_UNSAFE_KEY);
    load(&key, p, "multiplier2");
    request_of(&rq, &in, key, "mixed");
    LIB_STATUS(cuzk_prover_prove(p, proof, 192, &n, &rq, &golden_error), CUZK_E_INVALID);
    request_of(&rq, &in, key, "multiplier2");
    LIB_STATUS(cuzk_prover_prove(other, proof, 192, &n, &rq, &golden_error), CUZK_E_INVALID);
    rq.flags = CUZK_PROVE_CHECK_ROWS;
    LIB_STATUS(cuzk_prover_prove(p, proof, 192, &n, &rq, &golden_error), CUZK_E_INVALID);
    rq.flags = 0;
    /* the last wire is another number: the circuit is not satisfied */
    uint8_t *bytes = malloc(in.size);
    CHECK(bytes != NULL);
    memcpy(bytes, in.data, in.size);
    bytes[in.size - 32] ^= 1;
    in.data = bytes;
    LIB_STATUS(cuzk_prover_prove(p, proof, 192, &n, &rq, &golden_error), CUZK_E_UNSATISFIED);
    in.size -= 7;
    LIB_STATUS(cuzk_prover_prove(p, proof, 192, &n, &rq, &golden_error), CUZK_E_FORMAT);
    free(bytes);
    memset(proof, 0, sizeof(proof));
    char text[64];
    CHECK(cuzk_circom_proof_json(text, sizeof(text), &n, proof, &golden_error) != CUZK_OK);
    memset(proof, 0xff, 32);
    LIB_STATUS(cuzk_circom_public_json(text, sizeof(text), &n, proof, 1, &golden_error),
               CUZK_E_ENCODING);
    cuzk_circom_key_destroy(key);
    cuzk_prover_destroy(p);
    cuzk_prover_destroy(other);
}

/* Owners may let go in any order. */
static void order_of_destruction(void)
{
    cuzk_prover *p = open_prover();
    cuzk_circom_key *key = NULL;
    cuzk_task *t = NULL;
    cuzk_prove_request rq;
    cuzk_input in;
    uint8_t proof[192];
    size_t n = 0;
    cuzk_memory memory;
    load(&key, p, "mixed");
    request_of(&rq, &in, key, "mixed");
    LIB_OK(cuzk_prover_submit(&t, p, &rq, &golden_error));
    cuzk_circom_key_destroy(key); /* the task keeps it */
    CHECK_U64(cuzk_task_wait(t, -1), 1);
    cuzk_prover_destroy(p);
    LIB_OK(cuzk_task_result(t, proof, 192, &n, &golden_error));
    cuzk_task_destroy(t);
    p = open_prover();
    load(&key, p, "mixed");
    cuzk_prover_destroy(p);
    CHECK(cuzk_vk_n_inputs(cuzk_circom_key_vk(key)) > 0);
    cuzk_circom_key_destroy(key);
    cuzk_circom_key_destroy(NULL);
    cuzk_get_memory(&memory);
    CHECK_U64(memory.blocks, 0);
}

/* Higher priorities run first; equal ones in their order. */
static _Atomic uint32_t n_begun;
static uint32_t begun[8];

static int32_t note_begin(void *arg, const char *step, uint64_t done, uint64_t total)
{
    (void)total;
    if (strcmp(step, "prove") == 0 && done == 0) {
        begun[atomic_fetch_add(&n_begun, 1)] = (uint32_t)(uintptr_t)arg;
    }
    return 0;
}

static void priorities(void)
{
    const cuzk_prover_options o = {
        .struct_size = sizeof(o), .threads = 1, .workers = 1, .devices = "cpu"};
    static const int32_t priority[5] = {100, 0, 5, 0, 5};
    cuzk_prover *p = NULL;
    cuzk_circom_key *key = NULL;
    cuzk_task *t[5];
    cuzk_prove_request rq;
    cuzk_input in;
    LIB_OK(cuzk_prover_create(&p, &o, &golden_error));
    load(&key, p, "mixed");
    request_of(&rq, &in, key, "mixed");
    rq.progress = note_begin;
    for (size_t i = 0; i < 5; i++) {
        rq.priority = priority[i];
        rq.progress_arg = (void *)(uintptr_t)i;
        LIB_OK(cuzk_prover_submit(&t[i], p, &rq, &golden_error));
    }
    for (size_t i = 0; i < 5; i++) {
        CHECK_U64(cuzk_task_wait(t[i], -1), 1);
        cuzk_task_destroy(t[i]);
    }
    CHECK_U64(atomic_load(&n_begun), 5);
    /* those that waited together: 2 and 4 before 1 and 3; the first may have run alone before */
    uint32_t place[5];
    for (uint32_t i = 0; i < 5; i++) {
        place[begun[i]] = i;
    }
    CHECK(place[2] < place[4] && place[1] < place[3] && place[4] < place[3]);
    cuzk_circom_key_destroy(key);
    cuzk_prover_destroy(p);
}

static _Atomic long allocations, fail_at;

static void *counted_alloc(void *arg, size_t align, size_t bytes)
{
    (void)arg;
    const long k = atomic_fetch_add(&allocations, 1) + 1;
    return k == atomic_load(&fail_at) ? NULL : aligned_alloc(align, bytes);
}

static void counted_free(void *arg, void *p, size_t bytes)
{
    (void)arg;
    (void)bytes;
    free(p);
}

static cuzk_status texts(const uint8_t proof[192], const uint8_t *inputs, size_t n)
{
    char text[8192];
    size_t bytes = 0;
    const cuzk_status st = cuzk_circom_proof_json(text, sizeof(text), &bytes, proof, &golden_error);
    return st != CUZK_OK
               ? st
               : cuzk_circom_public_json(text, sizeof(text), &bytes, inputs, n, &golden_error);
}

static cuzk_status prove_with(cuzk_prover *p, cuzk_circom_key *key)
{
    cuzk_prove_request rq;
    cuzk_input in;
    cuzk_task *t = NULL;
    uint8_t proof[192], inputs[32 * 64];
    size_t n = 0;
    request_of(&rq, &in, key, "multiplier2");
    rq.flags = CUZK_PROVE_SPANS;
    cuzk_status st = cuzk_prover_submit(&t, p, &rq, &golden_error);
    if (st == CUZK_OK) {
        cuzk_task_span spans[4];
        (void)cuzk_task_wait(t, -1);
        (void)cuzk_task_spans(t, spans, 4); /* 0 without memory */
        st = cuzk_task_result(t, proof, sizeof(proof), &n, &golden_error);
    }
    if (st == CUZK_OK) {
        st = cuzk_task_public(t, inputs, 64, &n, &golden_error);
    }
    if (st == CUZK_OK) {
        st = texts(proof, inputs, n);
    }
    cuzk_task_destroy(t);
    return st;
}

static cuzk_status whole_life(void)
{
    const cuzk_prover_options o = {
        .struct_size = sizeof(o), .threads = 1, .workers = 1, .devices = "cpu"};
    cuzk_prover *p = NULL;
    cuzk_circom_key *key = NULL;
    cuzk_status st = cuzk_prover_create(&p, &o, &golden_error);
    if (st == CUZK_OK) {
        st = cuzk_circom_key_load(&key, p, "test/vectors/snarkjs/multiplier2.zkey", &golden_error);
    }
    if (st == CUZK_OK) {
        st = prove_with(p, key);
    }
    cuzk_circom_key_destroy(key);
    cuzk_prover_destroy(p);
    return st;
}

/* Every allocation fails once: E_NOMEM (or success, where it could be done without), and nothing is left. */
static void memory_runs_out(void)
{
    const cuzk_allocator mine = {
        .struct_size = sizeof(mine), .alloc = counted_alloc, .free = counted_free};
    cuzk_memory memory;
    (void)golden_file("test/vectors/circom/multiplier2.wtns");
    CHECK_U64(cuzk_set_allocator(&mine), CUZK_OK);
    atomic_store(&allocations, 0);
    LIB_OK(whole_life());
    const long all = atomic_load(&allocations);
    long failed = 0;
    for (long at = 1; at <= all; at++) {
        atomic_store(&allocations, 0);
        atomic_store(&fail_at, at);
        const cuzk_status st = whole_life();
        CHECK_MSG(st == CUZK_E_NOMEM || st == CUZK_OK, "allocation %ld of %ld: %s: %s", at, all,
                  cuzk_status_name(st), golden_error.text);
        failed += st != CUZK_OK;
        cuzk_get_memory(&memory);
        CHECK_MSG(memory.blocks == 0, "allocation %ld of %ld: %llu blocks are left", at, all,
                  (unsigned long long)memory.blocks);
    }
    CHECK_MSG(failed >= all * 9 / 10, "%ld of %ld failed", failed, all);
    atomic_store(&fail_at, 0);
    CHECK_U64(cuzk_set_allocator(NULL), CUZK_OK);
}

static const cuzk_case cases[] = {CASE(circuits), CASE(refusals), CASE(order_of_destruction),
                                  CASE(priorities), CASE(memory_runs_out)};
TEST_MAIN("lib/circom", cases)
