/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The chain of a transcript's contributions: the map from a hash to G2 against snarkjs (ffjavascript's G2.fromRng,
 * which was made to agree with the ceremonies' program), and ceremonies made here, whole and damaged.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "groth16/params/srs.h"
#include "groth16/params/srs_internal.h"
#include "groth16/srs_util.h"
#include "hash/blake2b.h"

#include "test.h"

enum { N = 3, HEAD = 68, ONE = 544, DELTA_G1 = 576, DELTA_G2 = 672 };

static void hash_to_g2(void)
{
    static const struct {
        unsigned factor; /* byte i of the hash: factor * (i + 1) */
        const char *point;
    } v[] = {
        {1,
         "1370dd84a187cadba2e29ef80c0de079e16e7bcd75d94ba2ef79ca62c11a77631322e2cd2e6c6cf2e9d988552badc0d5"
         "199e3108c93065d76361175f9fc60df57b7e8310235feddc0c11364bd44a6c60904ba977fb792b0b8165bffead22d0fc"
         "06f5896ec5771fa12de449315c7b0f731fe2f7dc33881b38a02577dc3d62c6e921f6ae2ed13b2d8c601fd9bdb9c0c7bd"
         "14ebf9ccd98d04ddd8866308697b9b3bcfeefdb7af0269dba6d2636a53e2f727c19d29e3a51f3d836771268408c44da6"},
        {7,
         "0cf9380da1cd9b84f7ca99c68f617a5c8b0466576ce9e8ed1578d39af1779db6e5a44995e73a99b2d98162654c6ebdc3"
         "17b0f631b9e5dc50c3b695e36892c13a8544ab3136d6eb40f9e68afa13d2f333df9016974f627cc0212f9d5ba007b8e0"
         "07b18cfe2385e957aecbba83ddea4a1bb57f635a8479541af7b77e2f03aa275af07b558ec74929da5b0f60f884dca16e"
         "12d163e1507f270d7583b37acb2ebe0e03eef6295c80760411ccce1a339a701c618522aa93f1249b9d69cdf23aefad44"},
        {255,
         "0ace6bdf7f84cb3be3fef54a3f6f3bb20612bac57e739921f2a0e4ca2b51ba512481d56f6c2e698ecc762f99e556d297"
         "04dcd9dc7fc27eac81c527ed97c2e0b9ab1f9af96b0a420a5eb008d65f8e21a9ebd3b08e305406efbb9317b2f2c39149"
         "0ab7c4121fc8ba5b676d4c4ec8f96428f2ff3105b1e6aec794c4a2aa0d78619259c307036e0c5bd5f67174cf250ca894"
         "0ca8b6cacc624a7c88155d1c50011447b04dc44d8a1caa16be8339561810ac28c5d27229d7d7a2a2659a62ec790c1cab"}};
    for (size_t k = 0; k < sizeof(v) / sizeof(v[0]); k++) {
        uint8_t hash[64], got[192], want[192];
        cuzk_g2_affine p;
        for (unsigned i = 0; i < 64; i++) {
            hash[i] = (uint8_t)(v[k].factor * (i + 1));
        }
        CHECK(cuzk_hex_decode(want, sizeof(want), v[k].point, strlen(v[k].point)));
        CHECK(cuzk_srs_hash_to_g2(&p, hash));
        CHECK(cuzk_g2_affine_is_on_curve(&p) && cuzk_g2_affine_is_in_subgroup(&p));
        cuzk_g2_encode_uncompressed(got, &p);
        CHECK_MEM(got, want, sizeof(want));
    }
}

static void mul_g1(cuzk_g1_affine *p, const cuzk_scalar *s)
{
    cuzk_g1 j;
    cuzk_g1_from_affine(&j, p);
    cuzk_g1_mul(&j, &j, s);
    cuzk_g1_to_affine(p, &j);
}

static void mul_g2(cuzk_g2_affine *p, const cuzk_scalar *s)
{
    cuzk_g2 j;
    cuzk_g2_from_affine(&j, p);
    cuzk_g2_mul(&j, &j, s);
    cuzk_g2_to_affine(p, &j);
}

/* A contribution behind those before it (before [n]); delta is that before it, then that after it. */
static void contribute(uint8_t out[ONE], cuzk_g1_affine *delta, cuzk_g2_affine *delta_g2,
                       const uint8_t *before, size_t n)
{
    const cuzk_scalar x = {{test_below(UINT64_MAX - 2) + 2}}, k = {{test_below(1000) + 2}};
    cuzk_g1_affine s = CUZK_G1_GENERATOR;
    cuzk_g2_affine r;
    cuzk_blake2b h;
    mul_g1(delta, &x);
    mul_g2(delta_g2, &x);
    cuzk_g1_encode_uncompressed(out, delta);
    mul_g1(&s, &k);
    cuzk_g1_encode_uncompressed(out + 96, &s);
    mul_g1(&s, &x);
    cuzk_g1_encode_uncompressed(out + 192, &s);
    cuzk_blake2b_init(&h, 64, NULL, 0);
    cuzk_blake2b_update(&h, before, 64); /* the circuit's hash; the count is in no hash */
    cuzk_blake2b_update(&h, before + HEAD, n - HEAD);
    cuzk_blake2b_update(&h, out + 96, 192);
    cuzk_blake2b_final(&h, out + 480);
    CHECK(cuzk_srs_hash_to_g2(&r, out + 480));
    mul_g2(&r, &x);
    cuzk_g2_encode_uncompressed(out + 288, &r);
}

/* Parameters with a ceremony behind them; *at is where it begins. Freed by the caller. */
static uint8_t *ceremony(size_t *at, size_t *n)
{
    cuzk_srs *srs = test_srs_random(2, 3, 2, 3, 1);
    cuzk_g1_affine delta = CUZK_G1_GENERATOR;
    cuzk_g2_affine delta_g2 = CUZK_G2_GENERATOR;
    uint8_t *bytes = test_srs_bytes(srs, at);
    *n = *at + HEAD + N * ONE;
    uint8_t *all = malloc(*n);
    CHECK(all != NULL);
    memcpy(all, bytes, *at);
    memset(all + *at, 0x5c, 64);
    cuzk_store_u32_be(all + *at + 64, N);
    for (size_t i = 0; i < N; i++) {
        contribute(all + *at + HEAD + i * ONE, &delta, &delta_g2, all + *at, HEAD + i * ONE);
    }
    cuzk_g1_encode_uncompressed(all + DELTA_G1, &delta);
    cuzk_g2_encode_uncompressed(all + DELTA_G2, &delta_g2);
    free(bytes);
    cuzk_srs_close(srs);
    return all;
}

static void expect(const uint8_t *all, size_t n, cuzk_point_check check, cuzk_srs_chain chain,
                   uint32_t at)
{
    cuzk_srs *srs = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_srs_open_bytes(&srs, all, n, "test.params", check, NULL, NULL, &err), &err);
    const cuzk_srs_transcript *t = cuzk_srs_get_transcript(srs);
    CHECK(t != NULL && t->n_contributions == N);
    CHECK_MSG(t->chain == chain && (chain == CUZK_SRS_CHAIN_HOLDS || t->chain_at == at),
              "chain %d at %u", (int)t->chain, t->chain_at);
    cuzk_srs_close(srs);
}

/* p to a multiple of itself, in the subgroup as before. */
static void change_g1(uint8_t *p)
{
    const cuzk_scalar three = {{3}};
    cuzk_g1_affine a;
    CHECK(cuzk_g1_decode_uncompressed(&a, p, CUZK_POINT_IN_SUBGROUP) == CUZK_OK);
    mul_g1(&a, &three);
    cuzk_g1_encode_uncompressed(p, &a);
}

static void change_g2(uint8_t *p)
{
    const cuzk_scalar three = {{3}};
    cuzk_g2_affine a;
    CHECK(cuzk_g2_decode_uncompressed(&a, p, CUZK_POINT_IN_SUBGROUP) == CUZK_OK);
    mul_g2(&a, &three);
    cuzk_g2_encode_uncompressed(p, &a);
}

static void chain(void)
{
    size_t at, n;
    uint8_t *all = ceremony(&at, &n), *changed = malloc(n);
    CHECK(changed != NULL);
    expect(all, n, CUZK_POINT_IN_SUBGROUP, CUZK_SRS_CHAIN_HOLDS, 0);
    expect(all, n, CUZK_POINT_UNCHECKED, CUZK_SRS_CHAIN_UNCHECKED, 0);
    const struct {
        size_t offset; /* from the first contribution, or from the file's begin */
        cuzk_srs_chain chain;
        uint32_t at;
    } g1[] = {{0, CUZK_SRS_CHAIN_STEP, 0},              /* another delta after the first one */
              {ONE, CUZK_SRS_CHAIN_STEP, 1},            /* and after the second */
              {96, CUZK_SRS_CHAIN_HASH, 0},             /* s */
              {2 * ONE + 192, CUZK_SRS_CHAIN_HASH, 2}}; /* s * x */
    for (size_t i = 0; i < sizeof(g1) / sizeof(g1[0]); i++) {
        memcpy(changed, all, n);
        change_g1(changed + at + HEAD + g1[i].offset);
        expect(changed, n, CUZK_POINT_IN_SUBGROUP, g1[i].chain, g1[i].at);
    }
    memcpy(changed, all, n);
    change_g2(changed + at + HEAD + ONE + 288); /* r * x */
    expect(changed, n, CUZK_POINT_IN_SUBGROUP, CUZK_SRS_CHAIN_STEP, 1);
    memcpy(changed, all, n);
    changed[at] ^= 1; /* another circuit */
    expect(changed, n, CUZK_POINT_IN_SUBGROUP, CUZK_SRS_CHAIN_HASH, 0);
    memcpy(changed, all, n);
    memcpy(changed + at + HEAD, all + at + HEAD + ONE, ONE); /* another order */
    memcpy(changed + at + HEAD + ONE, all + at + HEAD, ONE);
    expect(changed, n, CUZK_POINT_IN_SUBGROUP, CUZK_SRS_CHAIN_HASH, 0);
    memcpy(changed, all, n);
    change_g2(changed + DELTA_G2);
    expect(changed, n, CUZK_POINT_IN_SUBGROUP, CUZK_SRS_CHAIN_DELTA, N - 1);
    memcpy(changed, all, n);
    change_g1(changed + DELTA_G1); /* the key's delta, and the last contribution's with it */
    memcpy(changed + n - ONE, changed + DELTA_G1, 96);
    expect(changed, n, CUZK_POINT_IN_SUBGROUP, CUZK_SRS_CHAIN_STEP, N - 1);
    free(changed);
    free(all);
}

static const cuzk_case cases[] = {CASE(hash_to_g2), CASE(chain)};
TEST_MAIN("groth16/srs_chain", cases)
