/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Synthetic inputs of every size pass the native checks, survive their file formats, and are reproducible. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "vanilla/generate/generate.h"

#include "test.h"

static cuzk_hashes *hashes(void)
{
    cuzk_err err;
    cuzk_hashes *h;
    CHECK_OK(cuzk_hashes_create(&h, &err), &err);
    return h;
}

static void porep_of(uint64_t bytes)
{
    cuzk_err err;
    cuzk_porep_input *in, *back;
    cuzk_file_writer *w;
    char path[256];
    size_t n;
    cuzk_hashes *h = hashes();
    const cuzk_node prover_id = {{0xe8, 0x07}};
    const cuzk_porep_check_opts opts = {.prover_id = &prover_id, .sector_id = CUZK_GEN_SECTOR};
    CHECK_OK(cuzk_generate_porep(&in, bytes, 5, h, &err), &err);
    CHECK_OK(cuzk_porep_check(in, h, &opts, NULL, NULL, &err), &err);
    (void)snprintf(path, sizeof(path), "%s/c1.json", test_tmpdir());
    CHECK_OK(cuzk_file_writer_open(&w, path, false, &err), &err);
    CHECK_OK(cuzk_porep_write_json(in, w, &err), &err);
    CHECK_OK(cuzk_file_writer_commit(w, &err), &err);
    uint8_t *text = test_read_file(path, &n);
    CHECK_OK(cuzk_porep_parse(&back, text, n, NULL, &err), &err);
    CHECK_OK(cuzk_porep_check(back, h, &opts, NULL, NULL, &err), &err);
    CHECK_MEM(&back->comm_r, &in->comm_r, 32);
    free(text);
    cuzk_porep_input_destroy(back);
    cuzk_porep_input_destroy(in);
    cuzk_hashes_destroy(h);
}

static void porep_2kib(void)
{
    porep_of(2048);
}

static void porep_8mib(void)
{
    porep_of((uint64_t)8 << 20);
}

static void porep_512mib(void)
{
    if (TEST_IS_SPARSE) {
        cuzk_test_skip("32 GiB have the same challenges and more layers");
    }
    porep_of((uint64_t)512 << 20);
}

static void porep_32gib(void)
{
    porep_of((uint64_t)32 << 30);
}

static void porep_64gib(void)
{
    if (TEST_IS_SPARSE) {
        cuzk_test_skip("32 GiB differ by one level of the trees");
    }
    porep_of((uint64_t)64 << 30);
}

static void porep_needs_a_registered_size(void)
{
    cuzk_err err;
    cuzk_porep_input *in = NULL;
    cuzk_hashes *h = hashes();
    CHECK_STATUS(cuzk_generate_porep(&in, 4096, 1, h, &err), CUZK_E_INVALID);
    CHECK(in == NULL);
    cuzk_hashes_destroy(h);
}

static void post_of_every_size(void)
{
    cuzk_hashes *h = hashes();
    unsigned n_shapes;
    const cuzk_sector_shape *s = cuzk_sector_shapes(&n_shapes);
    for (unsigned i = 0; i < 2 * n_shapes; i++) {
        cuzk_err err;
        cuzk_post_input *in, *back;
        cuzk_post_statement st;
        cuzk_file_writer *w;
        char path[256];
        size_t n = 0;
        const bool window = i % 2 != 0;
        CHECK_OK(cuzk_generate_post(&in, &st, window, s[i / 2].bytes, window ? 2 : 0, i, h, &err),
                 &err);
        CHECK_OK(cuzk_post_check(in, &st, h, NULL, NULL, &err), &err);
        (void)snprintf(path, sizeof(path), "%s/post-%u", test_tmpdir(), i);
        CHECK_OK(cuzk_post_input_create(&back, &err), &err);
        for (uint32_t k = 0; k < in->n_sectors; k++) {
            CHECK_OK(cuzk_file_writer_open(&w, path, true, &err), &err);
            CHECK_OK(cuzk_post_write_bincode(&in->sectors[k], &s[i / 2], w, &err), &err);
            CHECK_OK(cuzk_file_writer_commit(w, &err), &err);
            uint8_t *b = test_read_file(path, &n);
            CHECK_OK(cuzk_post_input_add(back, b, n, &err), &err);
            free(b);
        }
        CHECK_OK(cuzk_post_check(back, &st, h, NULL, NULL, &err), &err);
        if (s[i / 2].lg_nodes == 30) { /* the sizes that the network's 32 GiB blobs have */
            CHECK_U64(n, window ? 24960 : 164064);
        }
        cuzk_post_input_destroy(back);
        cuzk_post_input_destroy(in);
    }
    cuzk_hashes_destroy(h);
}

static void update_of_every_size(void)
{
    cuzk_hashes *h = hashes();
    unsigned n_shapes;
    const cuzk_sector_shape *s = cuzk_sector_shapes(&n_shapes);
    for (unsigned i = 0; i < n_shapes; i++) {
        cuzk_err err;
        cuzk_update_input *in = NULL, *back;
        cuzk_update_statement st;
        cuzk_file_writer *w;
        char path[256];
        size_t n;
        if (s[i].update_partitions == 0) {
            CHECK_STATUS(cuzk_generate_update(&in, &st, s[i].bytes, 0, i, h, &err), CUZK_E_INVALID);
            continue;
        }
        CHECK_OK(
            cuzk_generate_update(&in, &st, s[i].bytes, s[i].update_partitions - 1u, i, h, &err),
            &err);
        CHECK_OK(cuzk_update_check(in, &st, h, NULL, NULL, &err), &err);
        (void)snprintf(path, sizeof(path), "%s/update-%u", test_tmpdir(), i);
        CHECK_OK(cuzk_file_writer_open(&w, path, false, &err), &err);
        CHECK_OK(cuzk_update_write_bincode(in, &s[i], w, &err), &err);
        CHECK_OK(cuzk_file_writer_commit(w, &err), &err);
        uint8_t *b = test_read_file(path, &n);
        CHECK_OK(cuzk_update_parse(&back, b, n, &err), &err);
        CHECK_OK(cuzk_update_check(back, &st, h, NULL, NULL, &err), &err);
        if (s[i].lg_nodes == 30) {
            CHECK_U64(n, 561768);
        }
        free(b);
        cuzk_update_input_destroy(back);
        cuzk_update_input_destroy(in);
    }
    cuzk_hashes_destroy(h);
}

/* A golden C1 file comes back byte for byte from parse and write, but for the extra member. */
static void json_format_is_the_networks(void)
{
    cuzk_err err;
    cuzk_porep_input *in;
    cuzk_file_writer *w;
    char path[256];
    size_t n, m;
    uint8_t *text = test_read_file("test/vectors/filecoin/porep-v1_1.c1.json", &n);
    CHECK_OK(cuzk_porep_parse(&in, text, n, NULL, &err), &err);
    (void)snprintf(path, sizeof(path), "%s/c1.json", test_tmpdir());
    CHECK_OK(cuzk_file_writer_open(&w, path, false, &err), &err);
    CHECK_OK(cuzk_porep_write_json(in, w, &err), &err);
    CHECK_OK(cuzk_file_writer_commit(w, &err), &err);
    uint8_t *again = test_read_file(path, &m);
    const size_t extra = strlen("\"synthetic\":true,");
    CHECK_U64(m, n + extra);
    CHECK_MEM(again + 1 + extra, text + 1, n - 1);
    free(again);
    free(text);
    cuzk_porep_input_destroy(in);
}

static void allocation_failures(void)
{
    cuzk_hashes *h = hashes();
    const uint64_t before = cuzk_alloc_get_stats().bytes_now;
    cuzk_status st = CUZK_E_NOMEM;
    for (uint64_t k = 1; st != CUZK_OK; k++) {
        cuzk_porep_input *in = NULL;
        CHECK(k < 200);
        cuzk_alloc_fail_nth(k, false);
        st = cuzk_generate_porep(&in, 2048, 1, h, NULL);
        cuzk_alloc_fail_nth(0, false);
        CHECK(st == CUZK_OK || st == CUZK_E_NOMEM);
        CHECK((st == CUZK_OK) == (in != NULL));
        cuzk_porep_input_destroy(in);
        CHECK_U64(cuzk_alloc_get_stats().bytes_now, before);
    }
    cuzk_hashes_destroy(h);
}

static const cuzk_case cases[] = {
    CASE(porep_2kib),          CASE(porep_8mib),           CASE(porep_512mib),
    CASE(porep_32gib),         CASE(porep_64gib),          CASE(porep_needs_a_registered_size),
    CASE(post_of_every_size),  CASE(update_of_every_size), CASE(json_format_is_the_networks),
    CASE(allocation_failures),
};
TEST_MAIN("vanilla/generate", cases)
