/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* <cuzk/params.h>: lists, states, digests, points and chains, what making tells, and the ways to stop. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"

#include "golden_jobs.h"

#define CEREMONY   "fuzz/corpus/params/ceremony.params"
#define TRANSCRIPT "fuzz/corpus/params/transcript.params"

/* Digest of "hello\n" by another program (b2sum). */
#define HELLO_HEX  "f60ce482e5cc1229f39d71313171a8d9"

static char folder[] = "/tmp/cuzk-params-XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[256];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    CHECK(f != NULL && fputs(text, f) != EOF && fclose(f) == 0);
}

static void remove_folder(void)
{
    char command[300];
    (void)snprintf(command, sizeof(command), "rm -rf %s", folder);
    CHECK(system(command) == 0);
}

static cuzk_status read_list(cuzk_params_list **out, const char *json)
{
    return cuzk_params_list_read(out, (const uint8_t *)json, strlen(json), "own.json",
                                 &golden_error);
}

static void a_list_of_another_network(void)
{
    static const char json[] =
        "{\"x.vk\": {\"cid\": \"bafyabc\", \"digest\": \"1234567890ABCDEF1234567890abcdef\", "
        "\"sector_size\": 2048}}";
    cuzk_params_list *list = NULL;
    cuzk_params_file f = {.struct_size = sizeof(f)};
    LIB_OK(read_list(&list, json));
    CHECK_U64(cuzk_params_list_count(list), 1);
    CHECK(cuzk_params_list_get(&f, list, 0) == CUZK_OK);
    CHECK(strcmp(f.name, "x.vk") == 0 && strcmp(f.cid, "bafyabc") == 0 && f.kind == -1);
    CHECK(strcmp(f.digest, "1234567890abcdef1234567890abcdef") == 0);
    CHECK(strcmp(f.kind_name, "other") == 0 && f.sector_bytes == 2048 && f.bytes == 0);
    CHECK(cuzk_params_list_get(&f, list, 1) == CUZK_E_NOT_FOUND);
    /* absent, there, noted, changed */
    CHECK(mkdtemp(folder) != NULL);
    CHECK(cuzk_params_list_state(list, 0, folder) == CUZK_PARAMS_ABSENT);
    CHECK(cuzk_params_list_state(list, 7, folder) == CUZK_PARAMS_ABSENT);
    write_file("x.vk", "some bytes");
    CHECK(cuzk_params_list_state(list, 0, folder) == CUZK_PARAMS_PRESENT);
    LIB_OK(cuzk_params_list_note(list, 0, folder, &golden_error));
    CHECK(cuzk_params_list_state(list, 0, folder) == CUZK_PARAMS_CHECKED);
    LIB_STATUS(cuzk_params_list_note(list, 1, folder, &golden_error), CUZK_E_NOT_FOUND);
    write_file("x.vk", "other bytes");
    CHECK(cuzk_params_list_state(list, 0, folder) == CUZK_PARAMS_PRESENT);
    remove_folder();
    LIB_STATUS(cuzk_params_list_note(list, 0, folder, &golden_error), CUZK_E_NOT_FOUND);
    cuzk_params_list_destroy(list);
    cuzk_params_list_destroy(NULL);
}

static void lists_that_are_refused(void)
{
    static const char *const bad[] = {
        "", "[]", "{\"../x\": {\"cid\": \"a\", \"digest\": \"00\", \"sector_size\": 1}}",
        "{\"x\": {\"cid\": \"a\", \"digest\": \"00\", \"sector_size\": 1}}",
        "{\"x\": {\"digest\": \"00000000000000000000000000000000\", \"sector_size\": 1}}"};
    cuzk_params_list *list = NULL;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        LIB_STATUS(read_list(&list, bad[i]), CUZK_E_FORMAT);
        CHECK(strncmp(golden_error.text, "own.json:", 9) == 0 && list == NULL);
    }
    LIB_STATUS(cuzk_params_list_read(&list, NULL, 0, "x", &golden_error), CUZK_E_INVALID);
}

/* NULL is the network's own list, which cuzk_params_get gives, too. */
static void the_networks_list(void)
{
    cuzk_params_file a = {.struct_size = sizeof(a)}, b = {.struct_size = sizeof(b)};
    cuzk_params_file old = {.struct_size = offsetof(cuzk_params_file, kind_name),
                            .kind_name = "not touched"};
    size_t n_aggregate = 0, n_porep = 0;
    CHECK(cuzk_params_count() > 20 && cuzk_params_list_count(NULL) == cuzk_params_count());
    for (size_t i = 0; i < cuzk_params_count(); i++) {
        CHECK(cuzk_params_get(&a, i) == CUZK_OK && cuzk_params_list_get(&b, NULL, i) == CUZK_OK);
        CHECK(memcmp(&a, &b, sizeof(a)) == 0);
        n_aggregate += strcmp(a.kind_name, "aggregate") == 0;
        n_porep += strcmp(a.kind_name, "porep") == 0;
        CHECK((a.kind == CUZK_KIND_POREP) == (strcmp(a.kind_name, "porep") == 0));
    }
    CHECK(n_aggregate > 0 && n_porep > 0);
    CHECK(cuzk_params_get(&old, 0) == CUZK_OK && strcmp(old.kind_name, "not touched") == 0);
    CHECK(strcmp(cuzk_params_state_name(CUZK_PARAMS_PRESENT), "not checked") == 0);
    CHECK(strcmp(cuzk_params_state_name(CUZK_PARAMS_WRONG_DIGEST), "wrong digest") == 0);
    CHECK(strcmp(cuzk_params_state_name(6), "unknown") == 0);
    CHECK(strcmp(cuzk_params_state_name(-1), "unknown") == 0);
}

typedef struct watch {
    _Atomic int calls;
    char step[32]; /* of the first call */
    int32_t answer;
} watch;

static int32_t on_progress(void *arg, const char *step, uint64_t done, uint64_t total)
{
    watch *w = arg;
    CHECK(total == 0 || done <= total);
    if (atomic_fetch_add(&w->calls, 1) == 0) {
        (void)snprintf(w->step, sizeof(w->step), "%s", step);
    }
    return w->answer;
}

static void digests(void)
{
    uint8_t digest[16], want[16];
    watch w = {.answer = 0};
    char path[300];
    static char copy[] = "/tmp/cuzk-digest-XXXXXX";
    CHECK(mkdtemp(copy) != NULL);
    (void)snprintf(path, sizeof(path), "%s/hello", copy);
    FILE *f = fopen(path, "wb");
    CHECK(f != NULL && fputs("hello\n", f) != EOF && fclose(f) == 0);
    LIB_OK(cuzk_params_digest(digest, path, on_progress, &w, &golden_error));
    CHECK(cuzk_hex_decode(want, sizeof(want), HELLO_HEX, strlen(HELLO_HEX)));
    CHECK(memcmp(digest, want, sizeof(want)) == 0);
    CHECK(atomic_load(&w.calls) >= 1 && strcmp(w.step, "digest") == 0);
    CHECK(unlink(path) == 0 && rmdir(copy) == 0);
    LIB_STATUS(cuzk_params_digest(digest, path, NULL, NULL, &golden_error), CUZK_E_NOT_FOUND);
    LIB_STATUS(cuzk_params_digest(digest, NULL, NULL, NULL, &golden_error), CUZK_E_INVALID);
}

static int32_t chain_of(const char *path, int32_t points, uint32_t *at)
{
    const cuzk_params_open_options o = {.struct_size = sizeof(o), .points = points, .threads = 2};
    cuzk_params *p = NULL;
    cuzk_params_info info = {.struct_size = sizeof(info)};
    LIB_OK(cuzk_params_open_with(&p, path, &o, &golden_error));
    CHECK(cuzk_params_get_info(&info, p) == CUZK_OK);
    CHECK(info.has_transcript == 1);
    cuzk_params_close(p);
    *at = info.chain_at;
    return info.chain;
}

static void chains(void)
{
    uint32_t at = 0;
    CHECK(chain_of(CEREMONY, CUZK_POINTS_IN_GROUP, &at) == CUZK_CHAIN_HOLDS);
    CHECK(chain_of(CEREMONY, CUZK_POINTS_ON_CURVE, &at) == CUZK_CHAIN_UNCHECKED);
    CHECK(chain_of(CEREMONY, CUZK_POINTS_UNCHECKED, &at) == CUZK_CHAIN_UNCHECKED);
    CHECK(chain_of(TRANSCRIPT, CUZK_POINTS_IN_GROUP, &at) == CUZK_CHAIN_HASH);
    CHECK_U64(at, 0);
}

static void opening_is_judged(void)
{
    cuzk_params_open_options o = {.struct_size = sizeof(o), .points = 3};
    cuzk_params *p = NULL;
    LIB_STATUS(cuzk_params_open_with(&p, CEREMONY, &o, &golden_error), CUZK_E_INVALID);
    o.points = CUZK_POINTS_IN_GROUP;
    LIB_STATUS(cuzk_params_open_with(&p, NULL, &o, &golden_error), CUZK_E_INVALID);
    o.struct_size = 4;
    LIB_STATUS(cuzk_params_open_with(&p, CEREMONY, &o, &golden_error), CUZK_E_INVALID);
    LIB_OK(cuzk_params_open_with(&p, CEREMONY, NULL, &golden_error));
    cuzk_params_close(p);
}

/* The progress function stops a check of points, and a making, before or during the work. */
static void calls_are_stopped(void)
{
    watch w = {.answer = 1};
    const char *params = golden_params(CUZK_KIND_WINDOW);
    char path[400];
    cuzk_vk *vk = NULL;
    LIB_OK(cuzk_vk_load(&vk, CUZK_KIND_WINDOW, 2048, params, &golden_error));
    cuzk_vk_destroy(vk);
    for (size_t i = 0; i < cuzk_params_count(); i++) {
        cuzk_params_file f = {.struct_size = sizeof(f)};
        CHECK(cuzk_params_get(&f, i) == CUZK_OK);
        (void)snprintf(path, sizeof(path), "%s/%s", params, f.name);
        if (f.kind == CUZK_KIND_WINDOW && f.sector_bytes == 2048 &&
            strstr(f.name, ".params") != NULL) {
            break;
        }
    }
    uint8_t digest[16];
    LIB_STATUS(cuzk_params_digest(digest, path, on_progress, &w, &golden_error), CUZK_E_CANCELLED);
    const cuzk_params_make_options make = {.struct_size = sizeof(make),
                                           .flags = CUZK_MAKE_REPLACE,
                                           .progress = on_progress,
                                           .progress_arg = &w};
    LIB_STATUS(cuzk_params_make(params, CUZK_KIND_WINDOW, 2048, &make, &golden_error),
               CUZK_E_CANCELLED);
    /* nothing was replaced */
    LIB_OK(cuzk_vk_load(&vk, CUZK_KIND_WINDOW, 2048, params, &golden_error));
    cuzk_vk_destroy(vk);
    /* a small file may be checked before the function was asked */
    watch points = {.answer = 1};
    cuzk_params *p = NULL;
    const cuzk_params_open_options o = {.struct_size = sizeof(o),
                                        .points = CUZK_POINTS_IN_GROUP,
                                        .threads = 1,
                                        .progress = on_progress,
                                        .progress_arg = &points};
    const cuzk_status st = cuzk_params_open_with(&p, path, &o, &golden_error);
    CHECK(st == CUZK_OK || st == CUZK_E_CANCELLED);
    CHECK(strcmp(points.step, "points") == 0);
    cuzk_params_close(st == CUZK_OK ? p : NULL);
}

static void making_tells_the_circuit(void)
{
    cuzk_params_made made = {.struct_size = sizeof(made)};
    watch w = {.answer = 1};
    cuzk_params_make_options o = {.struct_size = sizeof(o),
                                  .flags = CUZK_MAKE_INSECURE_SEED | CUZK_MAKE_REPLACE,
                                  .seed = 7,
                                  .progress = on_progress,
                                  .progress_arg = &w,
                                  .made = &made};
    const char *params = golden_params(CUZK_KIND_WINDOW);
    LIB_STATUS(cuzk_params_make(params, CUZK_KIND_WINDOW, 2048, &o, &golden_error),
               CUZK_E_CANCELLED);
    CHECK(strcmp(w.step, "compiled") == 0);
    /* of test/vectors/groth16/vectors.json, window[0] */
    CHECK_U64(made.constraints, 21866);
    CHECK_U64(made.public_inputs, 22);
    CHECK_U64(made.aux_wires, 22128);
    CHECK_U64(made.lg_domain, 15);
    CHECK(made.compile_ns > 0);
    made.struct_size = 4;
    LIB_STATUS(cuzk_params_make(params, CUZK_KIND_WINDOW, 2048, &o, &golden_error), CUZK_E_INVALID);
}

static const cuzk_case cases[] = {CASE(a_list_of_another_network),
                                  CASE(lists_that_are_refused),
                                  CASE(the_networks_list),
                                  CASE(digests),
                                  CASE(chains),
                                  CASE(opening_is_judged),
                                  CASE(calls_are_stopped),
                                  CASE(making_tells_the_circuit)};
TEST_MAIN("lib/params", cases)
