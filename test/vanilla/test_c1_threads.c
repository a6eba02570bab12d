/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A C1 parsed by several threads: the same input or the same message as by one, whatever the text. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "vanilla/generate/generate.h"

#include "test.h"

typedef struct text {
    uint8_t *p;
    size_t n;
} text;

static text written(const cuzk_porep_input *in)
{
    char path[256];
    cuzk_file_writer *w;
    cuzk_err err;
    text t;
    (void)snprintf(path, sizeof(path), "%s/c1.json", test_tmpdir());
    (void)remove(path);
    CHECK_OK(cuzk_file_writer_open(&w, path, false, &err), &err);
    CHECK_OK(cuzk_porep_write_json(in, w, &err), &err);
    CHECK_OK(cuzk_file_writer_commit(w, &err), &err);
    t.p = test_read_file(path, &t.n);
    return t;
}

/* Two partitions of four challenges of 32 GiB. */
static text small_c1(void)
{
    cuzk_hashes *h;
    cuzk_err err;
    cuzk_porep_input *in;
    CHECK_OK(cuzk_hashes_create(&h, &err), &err);
    CHECK_OK(cuzk_generate_porep(&in, (uint64_t)32 << 30, 5, h, &err), &err);
    in->n_partitions = 2;
    in->n_challenges = 4;
    const text t = written(in);
    CHECK(t.n > (size_t)1 << 20); /* else it is read by one thread */
    cuzk_porep_input_destroy(in);
    cuzk_hashes_destroy(h);
    return t;
}

/* Both ways; *same as written back, when it is an input. */
static cuzk_status both(const uint8_t *p, size_t n, cuzk_pool *pool, bool compare)
{
    cuzk_err e[2] = {{.msg = ""}, {.msg = ""}};
    cuzk_porep_input *in[2] = {NULL, NULL};
    const cuzk_status st = cuzk_porep_parse(&in[0], p, n, NULL, &e[0]);
    CHECK_STATUS(cuzk_porep_parse(&in[1], p, n, pool, &e[1]), st);
    CHECK_STR(e[1].msg, e[0].msg);
    if (st == CUZK_OK) {
        CHECK_U64(in[1]->n_partitions, in[0]->n_partitions);
        CHECK_U64(in[1]->n_challenges, in[0]->n_challenges);
        CHECK_U64(in[1]->arena.bytes, in[0]->arena.bytes);
    }
    if (st == CUZK_OK && compare) {
        const text a = written(in[0]), b = written(in[1]);
        CHECK_U64(b.n, a.n);
        CHECK_MEM(b.p, a.p, a.n);
        free(a.p);
        free(b.p);
    }
    cuzk_porep_input_destroy(in[0]);
    cuzk_porep_input_destroy(in[1]);
    return st;
}

static cuzk_pool *four_threads(void)
{
    const cuzk_pool_cfg cfg = {.n_threads = 4};
    cuzk_pool *pool;
    cuzk_err err;
    CHECK_OK(cuzk_pool_create(&pool, &cfg, &err), &err);
    return pool;
}

static void damaged_texts(void)
{
    static const char chars[] = "{}[],:\"0 x\\\n";
    const text t = small_c1();
    cuzk_pool *pool = four_threads();
    CHECK_STATUS(both(t.p, t.n, pool, true), CUZK_OK);
    uint64_t refused = 0;
    for (size_t i = 0; i < test_iters(TEST_IS_SPARSE ? 20 : 60); i++) {
        const size_t at = test_below(t.n);
        const uint8_t was = t.p[at];
        t.p[at] = (uint8_t)chars[test_below(sizeof(chars) - 1)];
        refused += both(t.p, t.n, pool, false) != CUZK_OK ? 1 : 0;
        t.p[at] = was;
        refused += both(t.p, at, pool, false) != CUZK_OK ? 1 : 0; /* cut off */
    }
    CHECK(refused > 0);
    CHECK_STATUS(both(t.p, t.n, pool, true), CUZK_OK);
    cuzk_pool_destroy(pool);
    free(t.p);
}

/* text with each `from` replaced. */
static text replaced(const text *t, const char *from, const char *to)
{
    const size_t n_from = strlen(from), n_to = strlen(to);
    text r = {.p = malloc(t->n * 2)};
    CHECK(r.p != NULL);
    for (size_t i = 0; i < t->n;) {
        if (t->n - i >= n_from && memcmp(t->p + i, from, n_from) == 0) {
            memcpy(r.p + r.n, to, n_to);
            r.n += n_to;
            i += n_from;
        } else {
            r.p[r.n++] = t->p[i++];
        }
        CHECK(r.n + n_to < t->n * 2);
    }
    return r;
}

/* Starts that are none, or that look like one where none is. */
static void other_layouts(void)
{
    static const char *const key = "{\"comm_d_proofs\":";
    static const char *const to[] = {
        "{ \n\t \"comm_d_proofs\" :",
        "{\"more\":{\"comm_d_proofs\":[{}]},\"comm_d_proofs\":",
        "{\"comm_d_proofs\\u0020\":1,\"comm_d_proofs\":",
        "{\"comm_d_proofs\":1,\"comm_d_proofs\":",
        "{\"note\":\"{\\\"comm_d_proofs\\\"\",\"comm_d_proofs\":",
        "[\"comm_d_proofs\":",
        "{\"comm_d_prooff\":",
    };
    static const bool good[] = {true, true, true, false, true, false, false};
    const text t = small_c1();
    cuzk_pool *pool = four_threads();
    for (size_t i = 0; i < sizeof(to) / sizeof(to[0]); i++) {
        const text r = replaced(&t, key, to[i]);
        CHECK((both(r.p, r.n, pool, true) == CUZK_OK) == good[i]);
        free(r.p);
    }
    cuzk_pool_destroy(pool);
    free(t.p);
}

static void allocation_failures(void)
{
    const text t = small_c1();
    cuzk_pool *pool = four_threads();
    const uint64_t before = cuzk_alloc_get_stats().blocks_now;
    cuzk_status st = CUZK_E_NOMEM;
    for (uint64_t k = 1; st != CUZK_OK || k < 12; k++) {
        cuzk_porep_input *in = NULL;
        CHECK(k < 1000);
        cuzk_alloc_fail_nth(k, false);
        st = cuzk_porep_parse(&in, t.p, t.n, pool, NULL);
        cuzk_alloc_fail_nth(0, false);
        CHECK(st == CUZK_OK || st == CUZK_E_NOMEM); /* mostly the parser just reads it itself */
        cuzk_porep_input_destroy(in);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, before);
    }
    cuzk_pool_destroy(pool);
    free(t.p);
}

static const cuzk_case cases[] = {CASE(damaged_texts), CASE(other_layouts),
                                  CASE(allocation_failures)};
TEST_MAIN("vanilla/c1_threads", cases)
