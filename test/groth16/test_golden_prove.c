/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * bellperson's own parameters and proofs for the WindowPoSt circuit of 2 KiB sectors
 * (filecoin-circuits.md 7.5).
 */
#include <stdlib.h>
#include <string.h>

#include <cuzk/verify.h>

#include "base/bytes.h"
#include "circuit/filecoin.h"
#include "groth16/prove.h"
#include "groth16/setup.h"
#include "groth16/trapdoor.h"
#include "hash/sha256.h"

#include "test.h"

#define GOLDEN                                                                                     \
    "golden/2kib/"                                                                                 \
    "v28-proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-0-0-0170db1f394b35d995252228ee3" \
    "59194b13199d259380541dc529fb0099096b0.params"

typedef struct window {
    cuzk_circuit *c;
    cuzk_witness *w;
    cuzk_srs *srs;
    cuzk_pool *pool;
    uint8_t *witness; /* 32-byte little-endian values, inputs then aux */
    uint8_t *vk;
    size_t vk_bytes;
} window;

static void open_window(window *t)
{
    cuzk_err err;
    size_t n;
    t->witness = test_read_file(test_shared("golden/2kib/window.0.witness.bin"), &n);
    t->vk = test_read_file(test_shared("golden/2kib/window.vk"), &t->vk_bytes);
    CHECK_OK(cuzk_pool_create(&t->pool, NULL, &err), &err);
    CHECK_OK(cuzk_filecoin_circuit_build(CUZK_CIRCUIT_WINDOW, 2048, &t->c, &err), &err);
    CHECK_U64(n, 32 * (t->c->n_inputs + t->c->n_aux));
    CHECK_OK(cuzk_srs_open(&t->srs, test_shared(GOLDEN), CUZK_POINT_UNCHECKED, NULL, NULL, &err),
             &err);
    cuzk_fr *v = malloc((size_t)(t->c->n_inputs + t->c->n_aux) * sizeof(*v));
    CHECK(v != NULL);
    for (size_t i = 0; i < n / 32; i++) {
        CHECK(cuzk_fr_from_bytes_le(&v[i], t->witness + 32 * i));
    }
    CHECK_OK(cuzk_witness_create(&t->w, t->c, &err), &err);
    CHECK_OK(cuzk_witness_set_all(t->w, v, v + t->c->n_inputs, &err), &err);
    CHECK_OK(cuzk_r1cs_check(t->w, NULL, t->pool, NULL, &err), &err);
    free(v);
}

static void close_window(window *t)
{
    cuzk_witness_destroy(t->w);
    cuzk_circuit_destroy(t->c);
    cuzk_srs_close(t->srs);
    cuzk_pool_destroy(t->pool);
    free(t->witness);
    free(t->vk);
}

static void quotient_hash(void)
{
    window t;
    cuzk_err err;
    open_window(&t);
    const size_t m = (size_t)1 << cuzk_circuit_lg_domain(t.c);
    uint8_t digest[32], bytes[32];
    char hex[65];
    cuzk_sha256 sha;
    cuzk_fr *h = malloc(m * sizeof(*h));
    CHECK(h != NULL);
    CHECK_OK(cuzk_quotient(h, t.w, CUZK_QUOTIENT_COEFFS, NULL, t.pool, NULL, &err), &err);
    cuzk_sha256_init(&sha);
    for (size_t i = 0; i + 1 < m; i++) {
        cuzk_fr_to_bytes_le(bytes, &h[i]);
        cuzk_sha256_update(&sha, bytes, 32);
    }
    cuzk_sha256_final(digest, &sha);
    cuzk_hex_encode(hex, digest, 32);
    CHECK_STR(hex, "2ee232a464f3e8c3f44746ca06269b4e52016aac6edec07b0ca8efa607bc7269");
    CHECK(cuzk_fr_is_zero(&h[m - 1]));
    free(h);
    close_window(&t);
}

/* Four (r, s) of vectors.json: bellperson's bytes, accepted by the verifier and by nobody else's
 * inputs; and the waste predicts them. */
static void proofs(void)
{
    static const struct {
        uint64_t r, s;
        const char *hex;
    } golden[] = {
        {0, 0,
         "af0c384690cdd1076dc95d8e4dcf90404eb4e2f6bcb883b304b2e89159ebeb7ea63adba39b174ba9fc85acaae2"
         "d6ac39851cee1b26a1644df637a4a06e13cb39d1ac2f64c735f6877934b9b179df341d14291eedf57cf5f8cde3"
         "24664e718e2200cae6aec346475027b111e8e200fe9cce221e03ef85e5f7aca3114fd72c8d4c1875d7b8c8f423"
         "9043720148f08b928fa9743c6c01aed97f0f143b96a927538dfe29ad8ca4624c9eae6b396e087ba0957a94658d"
         "ae2925b4e2ee2c188def515e"},
        {1, 0,
         "abf4c3e4986cbe16aadf6172c9bd7759aaa49e4ce20ba8e0f3e14d7498e1716bb8c552eab0a8f564216f81e226"
         "a29918851cee1b26a1644df637a4a06e13cb39d1ac2f64c735f6877934b9b179df341d14291eedf57cf5f8cde3"
         "24664e718e2200cae6aec346475027b111e8e200fe9cce221e03ef85e5f7aca3114fd72c8d4c1875d7b8c8f423"
         "9043720148f08b928fafe9cb4b84c4668959d2a6ca92061ad287f6ba0a0a77533d881d1daf0fe7e0799456adcf"
         "18f50c4aa65026b78d209fc7"},
        {0, 1,
         "af0c384690cdd1076dc95d8e4dcf90404eb4e2f6bcb883b304b2e89159ebeb7ea63adba39b174ba9fc85acaae2"
         "d6ac39ac658abe07aae439b7261216d271db6dc8d308cd8e21d8c133354477d75f6f789bdbfddc6d28dbb0f3a2"
         "ebb60abf386d0f3a8ae547ba3c1cc052e3034b256ce42df0a68392d4b929637af546476bd141c23aa2ddb9cda2"
         "c3e89e708a62deca58aeb666750c0d85546fb9f091254e652eef6e6f889d0eb868b3c9f87266233570e0b21d23"
         "538a31991210b1e15926667a"},
        {0x1122334455667788, 0x99aabbccddeeff00,
         "99936d7716fe7f0ea0eebfc3d02e594d92a99a27e7dc853315d601407e0195d668889263218b3870ec7dfdb13c"
         "3f5e1bb87efe62417f8f406998b66e2fe263f26d69a51f63e47331ca8068dd0f829161991273d542c53542052f"
         "190383d7265b063fade3f65693ce2477b8c1a50013f318a39f4bebd158e3de40c83c7ba3c54293c848359b4e2e"
         "721ff32d6647de49f5b730169246de5850680f8f18e9bafe42f2141cfbe6ab2bde9374fddfcd681a51cc994e43"
         "6d176e072ff2c1dba0cd5573"},
    };
    window t;
    cuzk_toxic x;
    cuzk_err err;
    cuzk_vk *vk = NULL;
    open_window(&t);
    test_toxic_golden(&x);
    CHECK_U64(cuzk_vk_read(&vk, t.vk, t.vk_bytes), CUZK_VERIFY_OK);
    for (size_t i = 0; i < sizeof(golden) / sizeof(golden[0]); i++) {
        const cuzk_scalar r = {{golden[i].r, 0, 0, 0}}, s = {{golden[i].s, 0, 0, 0}};
        const cuzk_prove_opts opts = {.r = &r, .s = &s};
        const size_t n_inputs = (size_t)t.c->n_inputs - 1;
        cuzk_proof proof;
        uint8_t got[192], want[192];
        CHECK_OK(cuzk_prove(&proof, t.w, t.srs, &opts, t.pool, NULL, &err), &err);
        cuzk_proof_encode(got, &proof);
        CHECK(cuzk_hex_decode(want, 192, golden[i].hex, strlen(golden[i].hex)));
        CHECK_MEM(got, want, 192);
        test_trapdoor_proof(want, t.w, &x, CUZK_QUOTIENT_COEFFS, &r, &s);
        CHECK_MEM(got, want, 192);
        uint8_t *inputs = t.witness + 32; /* ONE is not given */
        CHECK_U64(cuzk_verify(vk, got, 192, inputs, n_inputs), CUZK_VERIFY_OK);
        inputs[32 * (i + 1)] ^= 1;
        CHECK_U64((uint32_t)cuzk_verify(vk, got, 192, inputs, n_inputs),
                  (uint32_t)CUZK_VERIFY_E_PROOF_FALSE);
        inputs[32 * (i + 1)] ^= 1;
    }
    cuzk_vk_destroy(vk);
    close_window(&t);
}

/* With bellperson's waste and generators we write bellperson's files. */
static void setup(void)
{
    window t;
    cuzk_toxic x;
    cuzk_err err;
    char params[512], vk[512];
    size_t n, m;
    open_window(&t);
    test_toxic_golden(&x);
    (void)snprintf(params, sizeof(params), "%s/w.params", test_tmpdir());
    (void)snprintf(vk, sizeof(vk), "%s/w.vk", test_tmpdir());
    CHECK_OK(cuzk_setup_write(t.c, &x, params, vk, NULL, t.pool, NULL, &err), &err);
    uint8_t *got = test_read_file(params, &n), *want = test_read_file(test_shared(GOLDEN), &m);
    CHECK_U64(n, m);
    CHECK_MEM(got, want, n);
    free(got);
    free(want);
    got = test_read_file(vk, &n);
    CHECK_U64(n, t.vk_bytes);
    CHECK_MEM(got, t.vk, n);
    free(got);
    close_window(&t);
}

static const cuzk_case cases[] = {CASE(quotient_hash), CASE(proofs), CASE(setup)};
TEST_MAIN("groth16/golden", cases)
