/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Whether the contributions of a transcript follow from one another, by the rules of bellman's phase 2
 * (docs/params-format.md#transcript). Contribution k names delta_k (G1), s and s * x (G1), and r * x (G2), where
 * x = delta_k / delta_(k-1), and r is a point that its hash is mapped to:
 *
 *     hash_k = BLAKE2b-512(circuit hash, contributions 0 .. k-1, s, s * x)
 *     e(s, r * x) = e(s * x, r)                   who made it knew x
 *     e(delta_(k-1), r * x) = e(delta_k, r)       and delta was multiplied by x; delta_(-1) is the generator
 *
 * The last delta of G1 is the key's (checked where the transcript is found), and is that of G2.
 */
#include <string.h>

#include "base/bytes.h"
#include "groth16/params/srs.h"
#include "hash/blake2b.h"
#include "hash/chacha.h"
#include "pairing/pairing.h"

#include "srs_internal.h"

#define HASH_BYTES  64u
#define DELTA       0u
#define S           96u
#define S_X         192u
#define R_X         288u
#define HASH        480u
#define BYTES       544u
#define TOP_LIMB    UINT64_C(0x1fffffffffffffff) /* 381 bits */
#define ATTEMPTS    1000u                        /* at a point: each succeeds half of the time */
#define COMPRESSED  0x80u
#define LARGER_ROOT 0x20u

/* The order of the curve over Fp2, divided by r. Big-endian. */
static const uint8_t cofactor[] = {
    0x05, 0xd5, 0x43, 0xa9, 0x54, 0x14, 0xe7, 0xf1, 0x09, 0x1d, 0x50, 0x79, 0x28, 0x76, 0xa2, 0x02,
    0xcd, 0x91, 0xde, 0x45, 0x47, 0x08, 0x5a, 0xba, 0xa6, 0x8a, 0x20, 0x5b, 0x2e, 0x5a, 0x7d, 0xdf,
    0xa6, 0x28, 0xf1, 0xcb, 0x4d, 0x9e, 0x82, 0xef, 0x21, 0x53, 0x7e, 0x29, 0x3a, 0x66, 0x91, 0xae,
    0x16, 0x16, 0xec, 0x6e, 0x78, 0x6f, 0x0c, 0x70, 0xcf, 0x1c, 0x38, 0xe3, 0x1c, 0x72, 0x38, 0xe5};

/* The generator's next 64-bit number: the high half is drawn first. */
static uint64_t draw_u64(cuzk_chacha *c)
{
    const uint64_t high = cuzk_chacha_next_u32(c);
    return high << 32 | cuzk_chacha_next_u32(c);
}

/* A field element, 48 bytes big-endian: the drawn limbs are its Montgomery form. */
static void draw_fp(uint8_t out[48], cuzk_chacha *c)
{
    cuzk_fp x;
    uint8_t raw[48];
    cuzk_fp ignored;
    do {
        for (unsigned i = 0; i < 6; i++) {
            x.l[i] = draw_u64(c);
        }
        x.l[5] &= TOP_LIMB;
        for (unsigned i = 0; i < 6; i++) {
            cuzk_store_u64_be(raw + 8 * (5 - i), x.l[i]);
        }
    } while (!cuzk_fp_from_bytes_be(&ignored, raw)); /* not below the prime: again */
    cuzk_fp_to_bytes_be(out, &x);
}

static void mul_cofactor(cuzk_g2_affine *p)
{
    cuzk_g2 sum;
    cuzk_g2_set_infinity(&sum);
    for (size_t i = 0; i < 8 * sizeof(cofactor); i++) {
        cuzk_g2_dbl(&sum, &sum);
        if ((cofactor[i / 8] >> (7 - i % 8) & 1) != 0) {
            cuzk_g2_add_affine(&sum, &sum, p);
        }
    }
    cuzk_g2_to_affine(p, &sum);
}

bool cuzk_srs_hash_to_g2(cuzk_g2_affine *out, const uint8_t hash[HASH_BYTES])
{
    static const uint8_t nonce[12] = {0};
    uint8_t key[32], x[CUZK_G2_COMPRESSED_BYTES];
    cuzk_chacha c;
    for (unsigned i = 0; i < 8;
         i++) { /* words are big-endian in the hash, little-endian in the key */
        cuzk_store_u32_le(key + 4 * i, cuzk_load_u32_be(hash + 4 * i));
    }
    cuzk_chacha_init(&c, key, nonce, 20);
    for (unsigned k = 0; k < ATTEMPTS; k++) {
        draw_fp(x + 48, &c); /* c0 comes first, and is last in the encoding */
        draw_fp(x, &c);
        const bool larger = (cuzk_chacha_next_u32(&c) & 1) != 0;
        x[0] |= (uint8_t)(COMPRESSED | (larger ? LARGER_ROOT : 0));
        if (cuzk_g2_decode_compressed(out, x, CUZK_POINT_UNCHECKED) != CUZK_OK) {
            continue; /* no point has this x */
        }
        mul_cofactor(out);
        if (!cuzk_g2_affine_is_infinity(out)) {
            return true;
        }
    }
    return false;
}

/* e(a, q) = e(b, p): b is to a what q is to p. */
static bool same_ratio(const cuzk_g1_affine *a, const cuzk_g1_affine *b, const cuzk_g2_affine *p,
                       const cuzk_g2_affine *q)
{
    cuzk_fp12 f;
    cuzk_g1_affine minus_b;
    cuzk_g1_affine_neg(&minus_b, b);
    const cuzk_pairing_term terms[] = {{.p = a, .q = q}, {.p = &minus_b, .q = p}};
    cuzk_pairing_miller(&f, terms, 2);
    cuzk_pairing_final_exp(&f, &f);
    return cuzk_fp12_is_one(&f);
}

typedef struct step {
    cuzk_g1_affine delta, s, s_x;
    cuzk_g2_affine r_x;
} step;

/* b: the contribution, whose points were checked. */
static bool read_step(step *out, const uint8_t *b)
{
    return cuzk_g1_decode_uncompressed(&out->delta, b + DELTA, CUZK_POINT_UNCHECKED) == CUZK_OK &&
           cuzk_g1_decode_uncompressed(&out->s, b + S, CUZK_POINT_UNCHECKED) == CUZK_OK &&
           cuzk_g1_decode_uncompressed(&out->s_x, b + S_X, CUZK_POINT_UNCHECKED) == CUZK_OK &&
           cuzk_g2_decode_uncompressed(&out->r_x, b + R_X, CUZK_POINT_UNCHECKED) == CUZK_OK;
}

/* before: the hash's state behind the contributions before this one. */
static cuzk_srs_chain check_step(const cuzk_blake2b *before, const cuzk_g1_affine *delta,
                                 const step *x, const uint8_t *b)
{
    cuzk_blake2b h = *before;
    uint8_t hash[HASH_BYTES];
    cuzk_g2_affine r;
    cuzk_blake2b_update(&h, b + S, R_X - S);
    cuzk_blake2b_final(&h, hash);
    if (memcmp(hash, b + HASH, sizeof(hash)) != 0) {
        return CUZK_SRS_CHAIN_HASH;
    }
    return cuzk_srs_hash_to_g2(&r, hash) && same_ratio(&x->s, &x->s_x, &r, &x->r_x) &&
                   same_ratio(delta, &x->delta, &r, &x->r_x)
               ? CUZK_SRS_CHAIN_HOLDS
               : CUZK_SRS_CHAIN_STEP;
}

cuzk_status cuzk_srs_check_chain(cuzk_srs *srs, const cuzk_cancel *cancel, cuzk_err *err)
{
    cuzk_srs_transcript *t = &srs->transcript;
    cuzk_g1_affine delta = CUZK_G1_GENERATOR;
    cuzk_blake2b h;
    step x;
    cuzk_blake2b_init(&h, HASH_BYTES, NULL, 0);
    cuzk_blake2b_update(&h, t->circuit_hash, sizeof(t->circuit_hash));
    t->chain = CUZK_SRS_CHAIN_HOLDS;
    for (uint32_t i = 0; i < t->n_contributions && t->chain == CUZK_SRS_CHAIN_HOLDS; i++) {
        uint8_t b[BYTES];
        if (cuzk_cancel_requested(cancel)) {
            return CUZK_FAIL(err, CUZK_E_CANCELLED, "cancelled while checking a transcript");
        }
        CUZK_TRY(cuzk_srs_read_bytes(srs, b, t->offset + HASH_BYTES + 4 + (uint64_t)i * BYTES,
                                     sizeof(b), err));
        t->chain = read_step(&x, b) ? check_step(&h, &delta, &x, b) : CUZK_SRS_CHAIN_STEP;
        t->chain_at = i;
        delta = x.delta;
        cuzk_blake2b_update(&h, b, sizeof(b));
    }
    if (t->chain == CUZK_SRS_CHAIN_HOLDS &&
        !same_ratio(&CUZK_G1_GENERATOR, &delta, &CUZK_G2_GENERATOR, &srs->vk.delta_g2)) {
        t->chain = CUZK_SRS_CHAIN_DELTA;
    }
    return CUZK_OK;
}
