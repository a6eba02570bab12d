/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "groth16/srs_util.h"

#include <string.h>

#include "base/alloc.h"

#include "test.h"

static void random_g1(cuzk_g1_affine *out)
{
    const cuzk_scalar k = {{test_u64() | 1, test_u64(), 0, 0}};
    cuzk_g1 p;
    cuzk_g1_from_affine(&p, &CUZK_G1_GENERATOR);
    cuzk_g1_mul(&p, &p, &k);
    cuzk_g1_to_affine(out, &p);
}

static void random_g2(cuzk_g2_affine *out)
{
    const cuzk_scalar k = {{test_u64() | 1, test_u64(), 0, 0}};
    cuzk_g2 p;
    cuzk_g2_from_affine(&p, &CUZK_G2_GENERATOR);
    cuzk_g2_mul(&p, &p, &k);
    cuzk_g2_to_affine(out, &p);
}

cuzk_srs *test_srs_random(uint32_t n_ic, uint64_t h, uint64_t l, uint64_t a, uint64_t b)
{
    cuzk_srs_source source = {.count = {h, l, a, b, b}};
    cuzk_srs_arrays arrays;
    cuzk_srs *srs = NULL;
    cuzk_err err;
    cuzk_g1_affine *ic = cuzk_alloc(n_ic, sizeof(*ic));
    CHECK(ic != NULL);
    random_g1(&source.vk.alpha_g1);
    random_g1(&source.vk.beta_g1);
    random_g1(&source.vk.delta_g1);
    random_g2(&source.vk.beta_g2);
    random_g2(&source.vk.gamma_g2);
    random_g2(&source.vk.delta_g2);
    for (uint32_t i = 0; i < n_ic; i++) {
        random_g1(&ic[i]);
    }
    source.vk.n_ic = n_ic;
    source.vk.ic = ic;
    for (size_t s = 0; s < 4; s++) {
        arrays.g1[s] = cuzk_alloc(source.count[s], sizeof(cuzk_g1_affine));
        CHECK(arrays.g1[s] != NULL);
        for (uint64_t i = 0; i < source.count[s]; i++) {
            random_g1(&arrays.g1[s][i]);
        }
    }
    arrays.b_g2 = cuzk_alloc(b, sizeof(cuzk_g2_affine));
    CHECK(arrays.b_g2 != NULL);
    for (uint64_t i = 0; i < b; i++) {
        random_g2(&arrays.b_g2[i]);
    }
    CHECK_OK(cuzk_srs_create_from_arrays(&srs, &source, &arrays, &err), &err);
    cuzk_free(ic);
    return srs;
}

void test_g1_outside_subgroup(cuzk_g1_affine *out)
{
    /* The cofactor is large: the first x with a y will do, nearly surely. */
    for (uint8_t x = 1;; x++) {
        uint8_t in[48] = {0x80};
        in[47] = x;
        if (cuzk_g1_decode_compressed(out, in, CUZK_POINT_ON_CURVE) == CUZK_OK &&
            !cuzk_g1_affine_is_in_subgroup(out)) {
            return;
        }
    }
}

void test_g2_outside_subgroup(cuzk_g2_affine *out)
{
    for (uint8_t x = 1;; x++) {
        uint8_t in[96] = {0x80};
        in[95] = x;
        if (cuzk_g2_decode_compressed(out, in, CUZK_POINT_ON_CURVE) == CUZK_OK &&
            !cuzk_g2_affine_is_in_subgroup(out)) {
            return;
        }
    }
}

uint8_t *test_srs_bytes(const cuzk_srs *srs, size_t *n)
{
    char path[512];
    cuzk_err err;
    (void)snprintf(path, sizeof(path), "%s/bytes.params", test_tmpdir());
    CHECK_OK(cuzk_srs_write(srs, path, true, NULL, NULL, &err), &err);
    return test_read_file(path, n);
}

size_t test_srs_offset(const cuzk_srs *srs, cuzk_srs_section s, uint64_t i)
{
    size_t at = cuzk_srs_vk_bytes(srs) + 4;
    for (unsigned k = 0; k < (unsigned)s; k++) {
        at += cuzk_srs_count(srs, (cuzk_srs_section)k) * 96 + 4;
    }
    return at + i * (s == CUZK_SRS_B_G2 ? 192u : 96u);
}
