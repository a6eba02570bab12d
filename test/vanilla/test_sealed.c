/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Vanilla proofs of sealed sectors against those that the network's software made of the same sectors. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "vanilla/generate/generate.h"
#include "vanilla/sealed/sealed.h"

#include "golden.h"
#include "sealed_cache.h"
#include "test.h"

#define VECTORS "test/vectors/sealed/"

static cuzk_hashes *hashes(void)
{
    cuzk_hashes *h;
    cuzk_err err;
    CHECK_OK(cuzk_hashes_create(&h, &err), &err);
    return h;
}

static const char *folder(char out[256], const char *name)
{
    (void)snprintf(out, 256, "%s/%s", test_tmpdir(), name);
    (void)mkdir(out, 0777);
    return out;
}

static void golden_comm_c(cuzk_node *out)
{
    size_t n;
    uint8_t *b = test_read_file("test/vectors/filecoin/update.p0.vanilla.bin", &n);
    memcpy(out->b, b, 32);
    free(b);
}

static void golden_cache(const char *dir, const char *replica, const cuzk_hashes *h,
                         bool with_t_aux)
{
    size_t n;
    cuzk_node comm_c;
    uint8_t *b = test_read_file(replica, &n);
    golden_comm_c(&comm_c);
    const cache_spec spec = {cuzk_sector_shape_of(n), 1, &comm_c, with_t_aux};
    cache_write(dir, &spec, b, h);
    free(b);
}

static void compare(const char *path, const char *golden)
{
    size_t n, m;
    uint8_t *a = test_read_file(path, &n), *b = test_read_file(golden, &m);
    CHECK_U64(n, m);
    CHECK_MEM(a, b, n);
    free(a);
    free(b);
}

static void prove_post(const char *golden, cuzk_post_type type, cuzk_sealed *s)
{
    char path[256];
    cuzk_err err;
    cuzk_file_writer *w;
    cuzk_post_input *in;
    cuzk_post_statement st = {.type = type};
    GOLDEN_NODE(&st.randomness, "common", "post_randomness");
    CHECK_OK(cuzk_post_input_create(&in, &err), &err);
    CHECK_OK(cuzk_sealed_post(in, s, 1, &st, 0, &err), &err);
    (void)snprintf(path, sizeof(path), "%s/proof", test_tmpdir());
    CHECK_OK(cuzk_file_writer_open(&w, path, true, &err), &err);
    CHECK_OK(cuzk_post_write_bincode(&in->sectors[0], cuzk_sealed_shape(s), w, &err), &err);
    CHECK_OK(cuzk_file_writer_commit(w, &err), &err);
    compare(path, golden);
    cuzk_post_input_destroy(in);
}

static void golden_posts(void)
{
    char dir[256];
    cuzk_err err;
    cuzk_sealed *s = NULL;
    cuzk_post_type t;
    cuzk_hashes *h = hashes();
    golden_cache(folder(dir, "cache"), VECTORS "replica.bin", h, true);
    CHECK_OK(cuzk_sealed_open(&s, VECTORS "replica.bin", dir, h, &err), &err);
    CHECK_OK(cuzk_post_type_of(&t, 0, &err), &err);
    prove_post("test/vectors/filecoin/winning.sector1.vanilla.bin", t, s);
    CHECK_OK(cuzk_post_type_of(&t, 10, &err), &err);
    prove_post("test/vectors/filecoin/window.sector1.vanilla.bin", t, s);
    CHECK_OK(cuzk_post_type_of(&t, 5, &err), &err);
    prove_post("test/vectors/filecoin/windowv1.sector1.vanilla.bin", t, s);
    cuzk_sealed_close(s);
    cuzk_hashes_destroy(h);
}

static void golden_update(void)
{
    char old_dir[256], new_dir[256], path[256];
    size_t n;
    cuzk_err err;
    cuzk_sealed *from = NULL, *to = NULL;
    cuzk_update_input *in = NULL;
    cuzk_update_statement st;
    cuzk_file_writer *w;
    cuzk_hashes *h = hashes();
    uint8_t *data = test_read_file(VECTORS "data-new.bin", &n);
    CHECK_U64(n, 2032);
    golden_cache(folder(old_dir, "old"), VECTORS "replica.bin", h, false);
    golden_cache(folder(new_dir, "new"), VECTORS "replica-new.bin", h, false);
    CHECK_OK(cuzk_sealed_open(&from, VECTORS "replica.bin", old_dir, h, &err), &err);
    CHECK_OK(cuzk_sealed_open(&to, VECTORS "replica-new.bin", new_dir, h, &err), &err);
    CHECK_STATUS(cuzk_sealed_update(&in, &st, from, to, 0, &err), CUZK_E_NOT_FOUND);
    CHECK(strstr(err.msg, "sc-02-data-tree-d.dat") != NULL);
    cache_write_data_tree(new_dir, cuzk_sealed_shape(to), data);
    CHECK_OK(cuzk_sealed_update(&in, &st, from, to, 0, &err), &err);
    CHECK_OK(cuzk_update_check(in, &st, h, NULL, NULL, &err), &err);
    (void)snprintf(path, sizeof(path), "%s/update", test_tmpdir());
    CHECK_OK(cuzk_file_writer_open(&w, path, true, &err), &err);
    CHECK_OK(cuzk_update_write_bincode(in, st.shape, w, &err), &err);
    CHECK_OK(cuzk_file_writer_commit(w, &err), &err);
    compare(path, "test/vectors/filecoin/update.p0.vanilla.bin");
    cuzk_update_input_destroy(in);
    in = NULL;
    CHECK_STATUS(cuzk_sealed_update(&in, &st, from, to, 1, &err), CUZK_E_INVALID);
    CHECK(in == NULL);
    cuzk_sealed_close(from);
    cuzk_sealed_close(to);
    cuzk_hashes_destroy(h);
    free(data);
}

/*
 * A made-up replica of any shape. In a large one, blocks of 512 leaves differ in their first leaf only,
 * so that most hashes of its tree are of equal inputs and are computed once (sealed_cache.c).
 */
static uint8_t *made_up(uint64_t bytes)
{
    uint8_t *b = malloc(bytes);
    CHECK(b != NULL);
    for (uint64_t leaf = 0; leaf < bytes / 32; leaf++) {
        uint64_t x = bytes > 65536 && leaf % 512 != 0 ? leaf % 512 : leaf + 1000;
        for (unsigned i = 0; i < 32; i++) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            b[32 * leaf + i] = i == 31 ? (uint8_t)(x >> 59) : (uint8_t)(x >> 56);
        }
    }
    return b;
}

/* Trees of one, two, eight and sixteen files; each number of rows that may be left out. */
static void check_shape(uint64_t bytes, unsigned discarded, bool is_window, cuzk_hashes *h)
{
    char dir[256], path[256];
    cuzk_err err;
    cuzk_sealed *s = NULL;
    cuzk_post_input *in;
    uint8_t *replica = made_up(bytes);
    cuzk_post_statement st = {.type = {.number = UINT64_MAX,
                                       .sector_bytes = bytes,
                                       .is_window = is_window,
                                       .is_v1_2 = is_window}};
    const cache_spec spec = {cuzk_sector_shape_of(bytes), discarded, NULL, true};
    st.randomness.b[3] = 7;
    cache_write(folder(dir, "shape"), &spec, replica, h);
    cache_put(test_tmpdir(), "replica", replica, bytes);
    (void)snprintf(path, sizeof(path), "%s/replica", test_tmpdir());
    CHECK_OK(cuzk_sealed_open(&s, path, dir, h, &err), &err);
    CHECK_OK(cuzk_post_input_create(&in, &err), &err);
    const uint64_t before = cuzk_sealed_bytes_read(s);
    CHECK_OK(cuzk_sealed_post(in, s, 77, &st, 0, &err), &err);
    CHECK_OK(cuzk_post_check(in, &st, h, NULL, NULL, &err), &err);
    const uint64_t block = (uint64_t)32 << (3 * (discarded + 1));
    CHECK(cuzk_sealed_bytes_read(s) - before <= (is_window ? 10 : 66) * (block + 20 * 256));
    cuzk_post_input_destroy(in);
    cuzk_sealed_close(s);
    free(replica);
}

static void shapes(void)
{
    cuzk_hashes *h = hashes();
    for (unsigned d = 0; d < 2; d++) {
        check_shape(2048, d, true, h);
        check_shape(16384, d, true, h);
        check_shape(32768, d, false, h);
    }
    check_shape(4096, 0, false, h);
    cuzk_hashes_destroy(h);
}

/* The tree of a real size leaves out two rows. */
static void eight_mebibytes(void)
{
    cuzk_hashes *h = hashes();
    check_shape((uint64_t)8 << 20, 2, true, h);
    cuzk_hashes_destroy(h);
}

static void refused(const char *dir, const char *replica, const cuzk_hashes *h, cuzk_status want,
                    const char *text)
{
    cuzk_sealed *s = NULL;
    cuzk_err err = {.msg = ""};
    const cuzk_status st = cuzk_sealed_open(&s, replica, dir, h, &err);
    CHECK_MSG(st == want && strstr(err.msg, text) != NULL, "%s: '%s' not in '%s'",
              cuzk_status_name(st), text, err.msg);
    CHECK(s == NULL);
}

static void put_and_refuse(const char *dir, const char *name, const void *data, size_t n,
                           const cuzk_hashes *h, cuzk_status want, const char *text)
{
    char path[300];
    size_t kept_n = 0;
    (void)snprintf(path, sizeof(path), "%s/%s", dir, name);
    uint8_t *kept = access(path, R_OK) == 0 ? test_read_file(path, &kept_n) : NULL;
    if (data != NULL) {
        cache_put(dir, name, data, n);
    } else {
        CHECK(unlink(path) == 0);
    }
    refused(dir, VECTORS "replica.bin", h, want, text);
    if (kept != NULL) {
        cache_put(dir, name, kept, kept_n);
    } else {
        CHECK(unlink(path) == 0);
    }
    free(kept);
}

/* One thing wrong at a time; each message names the file. */
static void what_does_not_fit(void)
{
    char dir[256];
    cuzk_hashes *h = hashes();
    uint8_t bytes[2400] = {1}, ones[64];
    memset(ones, 0xff, sizeof(ones));
    golden_cache(folder(dir, "bad"), VECTORS "replica.bin", h, true);
    refused(dir, VECTORS "data-new.bin", h, CUZK_E_FORMAT, "2032 bytes are no sector size");
    refused(dir, VECTORS "absent", h, CUZK_E_NOT_FOUND, "absent");
    put_and_refuse(dir, "p_aux", NULL, 0, h, CUZK_E_NOT_FOUND, "p_aux");
    put_and_refuse(dir, "p_aux", bytes, 63, h, CUZK_E_FORMAT, "p_aux: comm_r_last");
    put_and_refuse(dir, "p_aux", bytes, 65, h, CUZK_E_FORMAT, "65 bytes, not 64");
    put_and_refuse(dir, "p_aux", ones, 64, h, CUZK_E_FORMAT, "not a field element");
    put_and_refuse(dir, "p_aux", bytes, 64, h, CUZK_E_VANILLA, "the root that p_aux says");
    put_and_refuse(dir, "sc-02-data-tree-r-last.dat", NULL, 0, h, CUZK_E_NOT_FOUND,
                   "tree-r-last.dat");
    put_and_refuse(dir, "sc-02-data-tree-r-last.dat", bytes, 64, h, CUZK_E_FORMAT,
                   "64 bytes are no tree-r-last");
    put_and_refuse(dir, "sc-02-data-tree-r-last.dat", bytes, 0, h, CUZK_E_FORMAT,
                   "0 bytes are no tree-r-last");
    put_and_refuse(dir, "sc-02-data-tree-r-last.dat", bytes, 32, h, CUZK_E_VANILLA,
                   "the root that p_aux says");
    put_and_refuse(dir, "sc-02-data-tree-r-last.dat", ones, 32, h, CUZK_E_VANILLA,
                   "the root that p_aux says");
    put_and_refuse(dir, "t_aux", bytes, 30, h, CUZK_E_FORMAT, "t_aux: labels");
    put_and_refuse(dir, "sc-02-data-tree-c.dat", bytes, 32, h, CUZK_E_FORMAT, "tree-c has 2336");
    put_and_refuse(dir, "sc-02-data-tree-c.dat", bytes, 2336, h, CUZK_E_VANILLA,
                   "tree-c does not have the root");
    cuzk_hashes_destroy(h);
}

/* Another replica under a good cache: seen at the first challenge. */
static void another_replica(void)
{
    char dir[256];
    cuzk_err err;
    cuzk_sealed *s = NULL, *other = NULL;
    cuzk_post_input *in;
    cuzk_post_statement st = {.type = {.is_window = true, .is_v1_2 = true, .sector_bytes = 2048}};
    cuzk_update_input *update = NULL;
    cuzk_update_statement update_st;
    cuzk_hashes *h = hashes();
    golden_cache(folder(dir, "other"), VECTORS "replica.bin", h, false);
    CHECK_OK(cuzk_sealed_open(&s, VECTORS "replica-new.bin", dir, h, &err), &err);
    CHECK_OK(cuzk_post_input_create(&in, &err), &err);
    CHECK_STATUS(cuzk_sealed_post(in, s, 1, &st, 0, &err), CUZK_E_VANILLA);
    CHECK(strstr(err.msg, "does not lead to comm_r_last") != NULL && in->n_sectors == 0);
    /* An update of another sector has another comm_c. */
    uint8_t *replica = made_up(2048);
    const cache_spec spec = {cuzk_sector_shape_of(2048), 1, NULL, false};
    cache_write(folder(dir, "third"), &spec, replica, h);
    CHECK_OK(cuzk_sealed_open(&other, VECTORS "replica.bin", dir, h, &err), &err);
    CHECK_STATUS(cuzk_sealed_update(&update, &update_st, s, other, 0, &err), CUZK_E_VANILLA);
    CHECK(strstr(err.msg, "different comm_c") != NULL);
    free(replica);
    cuzk_post_input_destroy(in);
    cuzk_sealed_close(s);
    cuzk_sealed_close(other);
    cuzk_hashes_destroy(h);
}

/* Every cut of t_aux is refused; without memory nothing is left behind. */
static void cuts_and_memory(void)
{
    char dir[256], path[300];
    size_t n;
    cuzk_t_aux t;
    cuzk_hashes *h = hashes();
    golden_cache(folder(dir, "cuts"), VECTORS "replica.bin", h, true);
    (void)snprintf(path, sizeof(path), "%s/t_aux", dir);
    uint8_t *b = test_read_file(path, &n);
    for (size_t i = 0; i < n; i++) {
        CHECK_STATUS(cuzk_t_aux_parse(&t, b, i, NULL), CUZK_E_FORMAT);
    }
    CHECK_STATUS(cuzk_t_aux_parse(&t, b, n, NULL), CUZK_OK);
    CHECK(t.n_layers == 2 && t.tree_r_last.rows_to_discard == 1 && t.tree_d.has_size);
    CHECK_U64(t.tree_d.size, 127);
    free(b);
    const uint64_t before = cuzk_alloc_get_stats().bytes_now;
    cuzk_status st = CUZK_E_NOMEM;
    for (uint64_t k = 1; st != CUZK_OK; k++) {
        cuzk_sealed *s = NULL;
        CHECK(k < 100);
        cuzk_alloc_fail_nth(k, false);
        st = cuzk_sealed_open(&s, VECTORS "replica.bin", dir, h, NULL);
        cuzk_alloc_fail_nth(0, false);
        CHECK_MSG(st == CUZK_OK || st == CUZK_E_NOMEM, "%s", cuzk_status_name(st));
        cuzk_sealed_close(s);
        CHECK_U64(cuzk_alloc_get_stats().bytes_now, before);
    }
    cuzk_hashes_destroy(h);
}

static const cuzk_case cases[] = {
    CASE(golden_posts),      CASE(golden_update),   CASE(shapes),          CASE(eight_mebibytes),
    CASE(what_does_not_fit), CASE(another_replica), CASE(cuts_and_memory),
};
TEST_MAIN("vanilla/sealed", cases)
