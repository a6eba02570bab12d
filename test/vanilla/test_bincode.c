/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "vanilla/read/vanilla.h"

#include "test.h"

static void post_sector_of_golden(void)
{
    size_t n;
    cuzk_err err;
    cuzk_post_input *in;
    uint8_t *b = test_read_file("test/vectors/filecoin/window.sector1.vanilla.bin", &n);
    CHECK_OK(cuzk_post_input_create(&in, &err), &err);
    CHECK_OK(cuzk_post_input_add(in, b, n, &err), &err);
    CHECK_U64(in->n_sectors, 1);
    const cuzk_post_sector *s = &in->sectors[0];
    CHECK_U64(s->sector_id, 1);
    CHECK_U64(s->n_proofs, 10);
    for (unsigned i = 0; i < 10; i++) {
        CHECK_U64(s->proofs[i].n_levels, 2); /* 2^6 leaves, arity 8 */
        CHECK_MEM(s->proofs[i].root.b, s->comm_r_last.b, 32);
    }
    /* first challenge of sector 1 is 23 = 7 + 2 * 8 */
    CHECK_U64(s->proofs[0].levels[0].index, 7);
    CHECK_U64(s->proofs[0].levels[1].index, 2);
    cuzk_post_input_destroy(in);
    free(b);
}

static void every_truncation_is_refused(void)
{
    size_t n;
    uint8_t *b = test_read_file("test/vectors/filecoin/window.sector1.vanilla.bin", &n);
    for (size_t cut = 0; cut <= n + 1; cut++) {
        cuzk_err err;
        cuzk_post_input *in;
        CHECK_OK(cuzk_post_input_create(&in, &err), &err);
        const cuzk_status st =
            cuzk_post_input_add(in, b, cut, &err); /* n + 1: the NUL behind the file */
        CHECK_MSG(st == (cut >= n ? CUZK_OK : CUZK_E_FORMAT), "cut at %zu: %s", cut,
                  cuzk_status_name(st));
        CHECK_U64(in->n_sectors, cut >= n ? 1 : 0);
        cuzk_post_input_destroy(in);
    }
    free(b);
}

/* The original's reader stops at the end of the value, and clients rely on what it takes. */
static void bytes_behind_an_update_are_passed_over(void)
{
    size_t n;
    cuzk_err err;
    cuzk_update_input *in = NULL;
    uint8_t *b = test_read_file("test/vectors/filecoin/update.p0.vanilla.bin", &n);
    CHECK_STATUS(cuzk_update_parse(&in, b, n - 1, &err), CUZK_E_FORMAT);
    CHECK_OK(cuzk_update_parse(&in, b, n + 1, &err), &err); /* the NUL behind the file */
    CHECK_U64(in->n_challenges, 10);
    cuzk_update_input_destroy(in);
    free(b);
}

static void update_of_golden(void)
{
    size_t n;
    cuzk_err err;
    cuzk_update_input *in;
    uint8_t *b = test_read_file("test/vectors/filecoin/update.p0.vanilla.bin", &n);
    CHECK_OK(cuzk_update_parse(&in, b, n, &err), &err);
    CHECK_U64(in->n_apex, 8);
    CHECK_U64(in->n_challenges, 10);
    CHECK_U64(in->challenges[9].d_new.n_levels, 6);
    CHECK_U64(in->challenges[9].r_new.n_levels, 2);
    cuzk_update_input_destroy(in);
    free(b);
}

static void allocation_failures(void)
{
    size_t n;
    uint8_t *b = test_read_file("test/vectors/filecoin/update.p0.vanilla.bin", &n);
    const uint64_t before = cuzk_alloc_get_stats().bytes_now;
    cuzk_status st = CUZK_E_NOMEM;
    for (uint64_t k = 1; st != CUZK_OK; k++) {
        cuzk_update_input *in = NULL;
        CHECK(k < 100);
        cuzk_alloc_fail_nth(k, false);
        st = cuzk_update_parse(&in, b, n, NULL);
        cuzk_alloc_fail_nth(0, false);
        CHECK(st == CUZK_OK || st == CUZK_E_NOMEM);
        CHECK((st == CUZK_OK) == (in != NULL));
        cuzk_update_input_destroy(in);
        CHECK_U64(cuzk_alloc_get_stats().bytes_now, before);
    }
    free(b);
}

static void sizes_and_types(void)
{
    uint64_t v;
    cuzk_seal_type t;
    char name[64];
    CHECK(cuzk_sector_size_parse(&v, "32GiB") && v == (uint64_t)32 << 30);
    CHECK(cuzk_sector_size_parse(&v, "2048") && v == 2048);
    CHECK(cuzk_sector_size_parse(&v, "2 kib") && v == 2048);
    CHECK(!cuzk_sector_size_parse(&v, "32GB") && !cuzk_sector_size_parse(&v, "") &&
          !cuzk_sector_size_parse(&v, "-1"));
    CHECK(!cuzk_sector_size_parse(&v, "99999999999999999999"));
    for (uint64_t k = 0; k < 20; k++) {
        cuzk_seal_type u;
        CHECK_STATUS(cuzk_seal_type_of(&t, k, NULL), CUZK_OK);
        (void)cuzk_seal_type_name(&t, name, sizeof(name));
        CHECK_STATUS(cuzk_seal_type_parse(&u, name, strlen(name), NULL), CUZK_OK);
        CHECK_U64(u.number, k);
        CHECK(cuzk_sector_shape_of(t.sector_bytes) != NULL);
    }
    CHECK_STATUS(cuzk_seal_type_of(&t, 20, NULL), CUZK_E_INVALID);
    CHECK_STATUS(cuzk_seal_type_of(&t, 13, NULL), CUZK_OK);
    CHECK_STR(cuzk_seal_type_name(&t, name, sizeof(name)),
              "StackedDrg32GiBV1_1_Feat_SyntheticPoRep");
}

static void tree_levels_cover_the_leaves(void)
{
    unsigned n;
    const cuzk_sector_shape *s = cuzk_sector_shapes(&n);
    CHECK_U64(n, 10);
    for (unsigned i = 0; i < n; i++) {
        uint8_t arity[16];
        uint64_t leaves = 1;
        const unsigned levels = cuzk_tree_levels(&s[i], arity);
        for (unsigned k = 0; k < levels; k++) {
            leaves *= arity[k];
        }
        CHECK_U64(leaves, cuzk_sector_nodes(&s[i]));
        CHECK_U64(cuzk_sector_nodes(&s[i]) * CUZK_NODE_BYTES, s[i].bytes);
    }
}

static const cuzk_case cases[] = {
    CASE(post_sector_of_golden),
    CASE(every_truncation_is_refused),
    CASE(update_of_golden),
    CASE(bytes_behind_an_update_are_passed_over),
    CASE(allocation_failures),
    CASE(sizes_and_types),
    CASE(tree_levels_cover_the_leaves),
};
TEST_MAIN("vanilla/bincode", cases)
