/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "test.h"

static void add_file(cuzk_post_input *in, const char *file)
{
    size_t n;
    cuzk_err err;
    uint8_t *b = test_read_file(file, &n);
    CHECK_OK(cuzk_post_input_add(in, b, n, &err), &err);
    free(b);
}

static void check_inputs(const cuzk_fr *got, uint32_t n_got, const char *vector)
{
    static cuzk_node want[256];
    const uint32_t n = golden_public_inputs(want, 256, vector);
    CHECK_U64(n_got, n);
    for (uint32_t i = 0; i < n; i++) {
        cuzk_node b;
        cuzk_fr_to_bytes_le(b.b, &got[i]);
        CHECK_MSG(memcmp(&b, &want[i], 32) == 0, "public input %u of %s", i, vector);
    }
}

static void check_post(uint64_t number, const char *const *files, uint32_t n_files,
                       const char *vector)
{
    cuzk_err err;
    cuzk_hashes *h;
    cuzk_post_input *in;
    cuzk_post_statement st = {.partition = 0};
    cuzk_post_public_sector pub[2];
    static cuzk_fr got[256];
    CHECK_OK(cuzk_hashes_create(&h, &err), &err);
    CHECK_OK(cuzk_post_input_create(&in, &err), &err);
    for (uint32_t i = 0; i < n_files; i++) {
        add_file(in, files[i]);
        pub[i].sector_id = in->sectors[i].sector_id;
        pub[i].comm_r = in->sectors[i].comm_r;
    }
    CHECK_OK(cuzk_post_type_of(&st.type, number, &err), &err);
    GOLDEN_NODE(&st.randomness, "common", "post_randomness");
    CHECK_OK(cuzk_post_check(in, &st, h, NULL, NULL, &err), &err);
    CHECK(cuzk_post_n_public_inputs(&st.type) <= 256);
    CHECK_OK(cuzk_post_public_inputs(got, &st, pub, n_files, &err), &err);
    check_inputs(got, cuzk_post_n_public_inputs(&st.type), vector);

    /* every byte class of the last sector: refused, and the sector is named */
    cuzk_post_sector *s = &in->sectors[n_files - 1];
    uint8_t *bytes[] = {s->comm_r.b,
                        s->comm_c.b,
                        s->comm_r_last.b,
                        (uint8_t *)(uintptr_t)s->proofs[0].leaf.b,
                        (uint8_t *)(uintptr_t)s->proofs[s->n_proofs - 1].root.b,
                        (uint8_t *)(uintptr_t)s->proofs[3].levels[1].siblings[6].b};
    for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
        char name[32];
        bytes[i][5] ^= 0x10;
        CHECK_STATUS(cuzk_post_check(in, &st, h, NULL, NULL, &err), CUZK_E_VANILLA);
        (void)snprintf(name, sizeof(name), "sector %u:", (unsigned)s->sector_id);
        CHECK_MSG(strstr(err.msg, name) != NULL, "%zu: %s", i, err.msg);
        bytes[i][5] ^= 0x10;
    }
    st.partition =
        1; /* a WinningPoSt has none of that number; neither prover nor verifier passes it over */
    CHECK(cuzk_post_check(in, &st, h, NULL, NULL, &err) == (st.type.is_window && st.type.is_v1_2
                                                                ? CUZK_OK
                                                            : st.type.is_window ? CUZK_E_VANILLA
                                                                                : CUZK_E_INVALID));
    CHECK(cuzk_post_public_inputs(got, &st, pub, n_files, &err) ==
          (st.type.is_window ? CUZK_OK : CUZK_E_INVALID));
    st.partition = 0;
    st.randomness.b[3] ^= 1;
    CHECK_STATUS(cuzk_post_check(in, &st, h, NULL, NULL, &err), CUZK_E_VANILLA);
    st.randomness.b[31] = 0xff;
    CHECK_STATUS(cuzk_post_check(in, &st, h, NULL, NULL, &err), CUZK_E_INVALID);
    cuzk_post_input_destroy(in);
    cuzk_hashes_destroy(h);
}

static void window_golden(void)
{
    static const char *const files[] = {"test/vectors/filecoin/window.sector1.vanilla.bin",
                                        "test/vectors/filecoin/window.sector2.vanilla.bin"};
    check_post(10, files, 2, "window[0]");
}

static void window_v1_golden(void)
{
    static const char *const files[] = {"test/vectors/filecoin/windowv1.sector1.vanilla.bin",
                                        "test/vectors/filecoin/windowv1.sector2.vanilla.bin"};
    check_post(5, files, 2, "windowv1[0]");
}

static void winning_golden(void)
{
    static const char *const files[] = {"test/vectors/filecoin/winning.sector1.vanilla.bin"};
    check_post(0, files, 1, "winning[0]");
}

static void check_fails(const cuzk_post_input *in, const cuzk_post_statement *st,
                        const cuzk_hashes *h, uint64_t sector, unsigned challenge, const char *what)
{
    cuzk_err err;
    char want[160];
    (void)snprintf(want, sizeof(want), "sector %llu: challenge %u: inclusion_proofs: %s",
                   (unsigned long long)sector, challenge, what);
    CHECK_STATUS(cuzk_post_check(in, st, h, NULL, NULL, &err), CUZK_E_VANILLA);
    CHECK_STR(err.msg, want);
}

/* Paths are hashed in batches: each fault is still reported where it is, and the first of several. */
static void faults_are_named(void)
{
    cuzk_err err;
    cuzk_hashes *h;
    cuzk_post_input *in;
    cuzk_post_statement st = {.partition = 0};
    CHECK_OK(cuzk_hashes_create(&h, &err), &err);
    CHECK_OK(cuzk_post_input_create(&in, &err), &err);
    add_file(in, "test/vectors/filecoin/window.sector1.vanilla.bin");
    add_file(in, "test/vectors/filecoin/window.sector2.vanilla.bin");
    CHECK_OK(cuzk_post_type_of(&st.type, 10, &err), &err);
    GOLDEN_NODE(&st.randomness, "common", "post_randomness");
    uint8_t *late = (uint8_t *)(uintptr_t)in->sectors[1].proofs[9].leaf.b;
    for (unsigned s = 0; s < 2; s++) {
        for (unsigned c = 0; c < 10; c++) {
            const cuzk_merkle_proof *p = &in->sectors[s].proofs[c];
            uint8_t *b = (uint8_t *)(uintptr_t)p->levels[c % 2].siblings[c % 7].b;
            const uint8_t keep[2] = {b[0], b[31]};
            b[0] ^= 1;
            check_fails(in, &st, h, in->sectors[s].sector_id, c, "path does not lead to the root");
            late[0] ^= 1;
            check_fails(in, &st, h, in->sectors[s].sector_id, c, "path does not lead to the root");
            late[0] ^= 1;
            b[31] = 0xff;
            check_fails(in, &st, h, in->sectors[s].sector_id, c,
                        "path has a node that is not a field element");
            b[0] = keep[0];
            b[31] = keep[1];
        }
    }
    CHECK_OK(cuzk_post_check(in, &st, h, NULL, NULL, &err), &err);
    cuzk_post_input_destroy(in);
    cuzk_hashes_destroy(h);
}

static void update_golden(void)
{
    size_t n;
    cuzk_err err;
    cuzk_hashes *h;
    cuzk_update_input *in;
    cuzk_fr got[CUZK_UPDATE_PUBLIC_INPUTS];
    cuzk_update_statement st = {.shape = cuzk_sector_shape_of(2048), .partition = 0};
    st.h = cuzk_update_default_h(st.shape);
    CHECK_OK(cuzk_hashes_create(&h, &err), &err);
    uint8_t *b = test_read_file("test/vectors/filecoin/update.p0.vanilla.bin", &n);
    CHECK_OK(cuzk_update_parse(&in, b, n, &err), &err);
    free(b);
    GOLDEN_NODE(&st.comm_r_old, "update", "comm_r_old");
    GOLDEN_NODE(&st.comm_r_new, "update", "comm_r_new");
    GOLDEN_NODE(&st.comm_d_new, "update", "comm_d_new");
    CHECK_OK(cuzk_update_check(in, &st, h, NULL, NULL, &err), &err);
    CHECK_OK(cuzk_update_public_inputs(got, &st, &err), &err);
    check_inputs(got, CUZK_UPDATE_PUBLIC_INPUTS, "update[0]");
    uint8_t *bytes[] = {in->comm_c.b,
                        (uint8_t *)(uintptr_t)in->apex[7].b,
                        (uint8_t *)(uintptr_t)in->challenges[9].r_old.leaf.b,
                        (uint8_t *)(uintptr_t)in->challenges[9].r_new.leaf.b,
                        (uint8_t *)(uintptr_t)in->challenges[2].d_new.leaf.b,
                        (uint8_t *)(uintptr_t)in->challenges[2].d_new.levels[5].siblings[0].b,
                        (uint8_t *)(uintptr_t)in->challenges[0].r_new.root.b,
                        st.comm_r_old.b,
                        st.comm_d_new.b};
    for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
        bytes[i][9] ^= 4;
        CHECK_STATUS(cuzk_update_check(in, &st, h, NULL, NULL, &err), CUZK_E_VANILLA);
        bytes[i][9] ^= 4;
    }
    CHECK_OK(cuzk_update_check(in, &st, h, NULL, NULL, &err), &err);
    cuzk_update_input_destroy(in);
    cuzk_hashes_destroy(h);
}

static const cuzk_case cases[] = {CASE(window_golden), CASE(window_v1_golden), CASE(winning_golden),
                                  CASE(faults_are_named), CASE(update_golden)};
TEST_MAIN("vanilla/post_check", cases)
