/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: base ff ec pairing verify */
/*
 * The first byte chooses: point encodings (0-3), a verifying key (4), a key with proof and inputs
 * (5: key length as two bytes little-endian, key, proof of 192 bytes, inputs). Properties: what
 * decodes encodes to the same bytes (so there is one encoding of each point); stricter checks
 * accept less and give the same point; a proof verifies singly exactly when it does in a batch.
 */
#include <stdlib.h>
#include <string.h>

#include <cuzk/verify.h>

#include "base/assert.h"
#include "ec/g1.h"
#include "ec/g2.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const cuzk_point_check levels[3] = {CUZK_POINT_UNCHECKED, CUZK_POINT_ON_CURVE,
                                           CUZK_POINT_IN_SUBGROUP};

static void g1_point(const uint8_t *in, size_t n)
{
    cuzk_g1_affine p[3];
    cuzk_status st[3];
    uint8_t out[96];
    for (size_t i = 0; i < 3; i++) {
        st[i] = n == 48 ? cuzk_g1_decode_compressed(&p[i], in, levels[i])
                        : cuzk_g1_decode_uncompressed(&p[i], in, levels[i]);
        if (st[i] != CUZK_OK) {
            continue;
        }
        if (n == 48) {
            cuzk_g1_encode_compressed(out, &p[i]);
        } else {
            cuzk_g1_encode_uncompressed(out, &p[i]);
        }
        CUZK_ASSERT(memcmp(in, out, n) == 0);
        CUZK_ASSERT(i == 0 || (st[i - 1] == CUZK_OK && cuzk_g1_affine_eq(&p[i], &p[i - 1])));
        CUZK_ASSERT(i == 0 || cuzk_g1_affine_is_on_curve(&p[i]));
    }
}

static void g2_point(const uint8_t *in, size_t n)
{
    cuzk_g2_affine p[3];
    cuzk_status st[3];
    uint8_t out[192];
    for (size_t i = 0; i < 3; i++) {
        st[i] = n == 96 ? cuzk_g2_decode_compressed(&p[i], in, levels[i])
                        : cuzk_g2_decode_uncompressed(&p[i], in, levels[i]);
        if (st[i] != CUZK_OK) {
            continue;
        }
        if (n == 96) {
            cuzk_g2_encode_compressed(out, &p[i]);
        } else {
            cuzk_g2_encode_uncompressed(out, &p[i]);
        }
        CUZK_ASSERT(memcmp(in, out, n) == 0);
        CUZK_ASSERT(i == 0 || (st[i - 1] == CUZK_OK && cuzk_g2_affine_eq(&p[i], &p[i - 1])));
        CUZK_ASSERT(i == 0 || cuzk_g2_affine_is_on_curve(&p[i]));
    }
}

static cuzk_vk *key(const uint8_t *in, size_t n)
{
    cuzk_vk *vk = NULL;
    if (cuzk_vk_read(&vk, in, n) != CUZK_VERIFY_OK) {
        CUZK_ASSERT(vk == NULL);
        return NULL;
    }
    CUZK_ASSERT(cuzk_vk_bytes(vk) == n);
    uint8_t *out = malloc(n);
    if (out == NULL) {
        abort();
    }
    cuzk_vk_write(vk, out);
    CUZK_ASSERT(memcmp(in, out, n) == 0);
    free(out);
    return vk;
}

static void key_and_proof(const uint8_t *in, size_t n)
{
    const size_t vk_bytes = n < 2 ? 0 : (size_t)in[0] | (size_t)in[1] << 8;
    if (n < 2 || n - 2 < vk_bytes) {
        return;
    }
    cuzk_vk *vk = key(in + 2, vk_bytes);
    if (vk == NULL) {
        return;
    }
    const uint8_t *proof = in + 2 + vk_bytes;
    const size_t left = n - 2 - vk_bytes, proof_bytes = left < 192 ? left : 192;
    const uint8_t *x = proof + proof_bytes;
    const size_t n_inputs = (left - proof_bytes) / 32;
    const cuzk_verify_result one = cuzk_verify(vk, proof, proof_bytes, x, n_inputs);
    const cuzk_verify_result many = cuzk_verify_batch(vk, proof, proof_bytes, x, n_inputs, 1, NULL);
    CUZK_ASSERT(one == many);
    cuzk_vk_destroy(vk);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t bytes[4] = {48, 96, 96, 192};
    if (size == 0 || (data[0] < 4 && size - 1 != bytes[data[0]])) {
        return 0;
    }
    switch (data[0]) {
    case 0:
    case 1: g1_point(data + 1, size - 1); break;
    case 2:
    case 3: g2_point(data + 1, size - 1); break;
    case 4: cuzk_vk_destroy(key(data + 1, size - 1)); break;
    case 5: key_and_proof(data + 1, size - 1); break;
    default: break;
    }
    return 0;
}
