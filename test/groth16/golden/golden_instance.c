/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "groth16/golden/golden_instance.h"

#include <stdlib.h>
#include <string.h>

#include <cuzk/verify.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "circuit/filecoin.h"
#include "circuit/fill.h"
#include "hash/sha256.h"
#include "vanilla/golden.h"

#include "test.h"

#define VECTORS "test/vectors/filecoin/"

static void start(golden_instance *t, cuzk_circuit_kind kind)
{
    cuzk_err err;
    CHECK_OK(cuzk_filecoin_circuit_build(kind, 2048, &t->c, &err), &err);
    CHECK_OK(cuzk_witness_create(&t->w, t->c, &err), &err);
}

static void fill_porep(golden_instance *t, const cuzk_hashes *h, const char *file)
{
    cuzk_err err;
    cuzk_porep_input *in;
    size_t n;
    uint8_t *text = test_read_file(file, &n);
    CHECK_OK(cuzk_porep_parse(&in, text, n, NULL, &err), &err);
    free(text);
    start(t, CUZK_CIRCUIT_POREP);
    CHECK_OK(cuzk_porep_fill(t->w, in, 0, h, t->pool, NULL, &err), &err);
    cuzk_porep_input_destroy(in);
}

static void fill_post(golden_instance *t, const cuzk_hashes *h, cuzk_circuit_kind kind,
                      const char *file1, const char *file2)
{
    const char *files[2] = {file1, file2};
    cuzk_err err;
    cuzk_post_input *in;
    CHECK_OK(cuzk_post_input_create(&in, &err), &err);
    for (size_t i = 0; i < 2 && files[i] != NULL; i++) {
        size_t n;
        uint8_t *b = test_read_file(files[i], &n);
        CHECK_OK(cuzk_post_input_add(in, b, n, &err), &err);
        free(b);
    }
    start(t, kind);
    CHECK_OK(cuzk_post_fill(t->w, in, kind == CUZK_CIRCUIT_WINDOW, h, t->pool, NULL, &err), &err);
    cuzk_post_input_destroy(in);
}

static void fill_update(golden_instance *t, const cuzk_hashes *h)
{
    cuzk_err err;
    cuzk_update_input *in;
    cuzk_update_statement st = {.shape = cuzk_sector_shape_of(2048), .partition = 0};
    size_t n;
    st.h = cuzk_update_default_h(st.shape);
    GOLDEN_NODE(&st.comm_r_old, "update", "comm_r_old");
    GOLDEN_NODE(&st.comm_r_new, "update", "comm_r_new");
    GOLDEN_NODE(&st.comm_d_new, "update", "comm_d_new");
    uint8_t *b = test_read_file(VECTORS "update.p0.vanilla.bin", &n);
    CHECK_OK(cuzk_update_parse(&in, b, n, &err), &err);
    free(b);
    start(t, CUZK_CIRCUIT_UPDATE);
    CHECK_OK(cuzk_update_fill(t->w, in, &st, h, t->pool, NULL, &err), &err);
    cuzk_update_input_destroy(in);
}

void golden_instance_open(golden_instance *t, const char *vector)
{
    cuzk_err err;
    cuzk_hashes *h = NULL;
    memset(t, 0, sizeof(*t));
    t->vector = vector;
    CHECK_OK(cuzk_pool_create(&t->pool, NULL, &err), &err);
    CHECK_OK(cuzk_hashes_create(&h, &err), &err);
    if (strcmp(vector, "porep-v1_1[0]") == 0) {
        fill_porep(t, h, VECTORS "porep-v1_1.c1.json");
    } else if (strcmp(vector, "window[0]") == 0) {
        fill_post(t, h, CUZK_CIRCUIT_WINDOW, VECTORS "window.sector1.vanilla.bin",
                  VECTORS "window.sector2.vanilla.bin");
    } else if (strcmp(vector, "windowv1[0]") == 0) {
        fill_post(t, h, CUZK_CIRCUIT_WINDOW, VECTORS "windowv1.sector1.vanilla.bin",
                  VECTORS "windowv1.sector2.vanilla.bin");
    } else if (strcmp(vector, "winning[0]") == 0) {
        fill_post(t, h, CUZK_CIRCUIT_WINNING, VECTORS "winning.sector1.vanilla.bin", NULL);
    } else {
        CHECK_STR(vector, "update[0]");
        fill_update(t, h);
    }
    cuzk_hashes_destroy(h);
}

void golden_instance_close(golden_instance *t)
{
    cuzk_witness_destroy(t->w);
    cuzk_circuit_destroy(t->c);
    cuzk_pool_destroy(t->pool);
}

void golden_proof_bytes(uint8_t out[192], cuzk_scalar *r, cuzk_scalar *s, size_t i)
{
    const golden_proof *p = &golden_proofs[i];
    const cuzk_scalar r0 = {{p->r, 0, 0, 0}}, s0 = {{p->s, 0, 0, 0}};
    CHECK(cuzk_hex_decode(out, 192, p->hex, strlen(p->hex)));
    *r = r0;
    *s = s0;
}

void golden_check_quotient(const golden_instance *t)
{
    const size_t m = (size_t)1 << cuzk_circuit_lg_domain(t->c);
    uint8_t digest[32], want[32], bytes[32];
    cuzk_err err;
    cuzk_sha256 sha;
    cuzk_fr *h = cuzk_alloc(m, sizeof(*h));
    CHECK(h != NULL);
    CHECK_OK(cuzk_quotient(h, t->w, CUZK_QUOTIENT_COEFFS, CUZK_TRACE_OFF, t->pool, NULL, &err),
             &err);
    cuzk_sha256_init(&sha);
    for (size_t i = 0; i + 1 < m; i++) {
        cuzk_fr_to_bytes_le(bytes, &h[i]);
        cuzk_sha256_update(&sha, bytes, 32);
    }
    cuzk_sha256_final(digest, &sha);
    golden_bytes(want, 32, (const char *const[]){"vectors", t->vector, "h_sha256"}, 3);
    CHECK_MEM(digest, want, 32);
    CHECK(cuzk_fr_is_zero(&h[m - 1]));
    cuzk_free(h);
}

void golden_check_proofs(const golden_instance *t, const cuzk_srs *srs, const char *vk_file)
{
    const size_t n_inputs = (size_t)t->c->n_inputs - 1;
    cuzk_vk *vk = NULL;
    cuzk_err err;
    size_t n, seen = 0;
    uint8_t *inputs = malloc(n_inputs * 32), *vk_bytes = test_read_file(vk_file, &n);
    CHECK(inputs != NULL);
    CHECK_U64(cuzk_vk_read(&vk, vk_bytes, n), CUZK_VERIFY_OK);
    for (size_t i = 0; i < n_inputs; i++) {
        cuzk_fr_to_bytes_le(inputs + 32 * i, &t->w->inputs[i + 1]);
    }
    for (size_t i = 0; i < GOLDEN_PROOFS; i++) {
        cuzk_scalar r, s;
        cuzk_proof proof;
        const cuzk_prove_opts opts = {.r = &r, .s = &s};
        uint8_t got[192], want[192];
        if (strcmp(golden_proofs[i].vector, t->vector) != 0) {
            continue;
        }
        golden_proof_bytes(want, &r, &s, i);
        CHECK_OK(cuzk_prove(&proof, t->w, srs, &opts, t->pool, NULL, &err), &err);
        cuzk_proof_encode(got, &proof);
        CHECK_MEM(got, want, 192);
        CHECK_U64(cuzk_verify(vk, got, 192, inputs, n_inputs), CUZK_VERIFY_OK);
        inputs[32 * (i % n_inputs)] ^= 1;
        CHECK(cuzk_verify(vk, got, 192, inputs, n_inputs) == CUZK_VERIFY_E_PROOF_FALSE);
        inputs[32 * (i % n_inputs)] ^= 1;
        seen++;
    }
    CHECK(seen >= 2);
    cuzk_vk_destroy(vk);
    free(inputs);
    free(vk_bytes);
}

void golden_check_sha256(const char *path, const char *hex)
{
    cuzk_content map;
    cuzk_err err;
    uint8_t digest[32];
    char got[65];
    CHECK_OK(cuzk_content_read(&map, path, CUZK_CONTENT_ANY, &err), &err);
    cuzk_sha256_digest(digest, map.data, map.size);
    cuzk_content_free(&map);
    cuzk_hex_encode(got, digest, 32);
    CHECK_STR(got, hex);
}
