/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_VERIFY_TRAPDOOR_H
#define CUZK_TEST_VERIFY_TRAPDOOR_H

/*
 * Verifying keys and proofs made from known discrete logarithms, for any number of inputs: a proof
 * is any A, B, C whose logarithms satisfy a b = alpha beta + (sum of x_i ic_i) gamma + c delta.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "ec/g1.h"
#include "ec/g2.h"

#include "test.h"

typedef struct trapdoor {
    cuzk_fr alpha, beta, gamma, delta;
    size_t n_inputs;
    cuzk_fr *ic; /* [n_inputs + 1] */
    uint8_t *vk;
    size_t vk_bytes;
} trapdoor;

static inline void random_fr(cuzk_fr *out)
{
    cuzk_scalar s;
    do {
        test_bytes(&s, sizeof(s));
        cuzk_fr_from_scalar(out, &s);
    } while (cuzk_fr_is_zero(out));
}

/* For alpha, beta, gamma and delta: a secret of a ceremony, not one of the edge cases of test_bytes. */
static inline void secret_fr(cuzk_fr *out)
{
    cuzk_scalar s;
    do {
        for (int i = 0; i < 4; i++) {
            s.l[i] = test_u64();
        }
        cuzk_fr_from_scalar(out, &s);
        cuzk_fr_to_scalar(&s, out);
    } while (s.l[3] == 0 || s.l[2] == 0 || s.l[1] == 0);
}

static inline void g1_times(cuzk_g1_affine *out, const cuzk_fr *k)
{
    cuzk_scalar s;
    cuzk_g1 p;
    cuzk_fr_to_scalar(&s, k);
    cuzk_g1_from_affine(&p, &CUZK_G1_GENERATOR);
    cuzk_g1_mul(&p, &p, &s);
    cuzk_g1_to_affine(out, &p);
}

static inline void g2_times(cuzk_g2_affine *out, const cuzk_fr *k)
{
    cuzk_scalar s;
    cuzk_g2 p;
    cuzk_fr_to_scalar(&s, k);
    cuzk_g2_from_affine(&p, &CUZK_G2_GENERATOR);
    cuzk_g2_mul(&p, &p, &s);
    cuzk_g2_to_affine(out, &p);
}

static inline uint8_t *put_g1(uint8_t *out, const cuzk_fr *k)
{
    cuzk_g1_affine p;
    g1_times(&p, k);
    cuzk_g1_encode_uncompressed(out, &p);
    return out + 96;
}

static inline uint8_t *put_g2(uint8_t *out, const cuzk_fr *k)
{
    cuzk_g2_affine p;
    g2_times(&p, k);
    cuzk_g2_encode_uncompressed(out, &p);
    return out + 192;
}

/* The first six points of t->vk, from the secrets as they are now. Returns what follows them. */
static inline uint8_t *trapdoor_encode(const trapdoor *t)
{
    uint8_t *p = put_g1(t->vk, &t->alpha);
    p = put_g1(p, &t->beta);
    p = put_g2(p, &t->beta);
    p = put_g2(p, &t->gamma);
    p = put_g1(p, &t->delta);
    return put_g2(p, &t->delta);
}

static inline void trapdoor_init(trapdoor *t, size_t n_inputs)
{
    secret_fr(&t->alpha);
    secret_fr(&t->beta);
    secret_fr(&t->gamma);
    secret_fr(&t->delta);
    t->n_inputs = n_inputs;
    t->ic = malloc((n_inputs + 1) * sizeof(*t->ic));
    t->vk_bytes = 868 + 96 * (n_inputs + 1);
    t->vk = malloc(t->vk_bytes);
    CHECK(t->ic != NULL && t->vk != NULL);
    uint8_t *p = trapdoor_encode(t);
    cuzk_store_u32_be(p, (uint32_t)(n_inputs + 1));
    p += 4;
    for (size_t i = 0; i <= n_inputs; i++) {
        if (i < 64) {
            random_fr(&t->ic[i]);
            p = put_g1(p, &t->ic[i]);
        } else { /* repeats make big keys cheap */
            t->ic[i] = t->ic[i % 64];
            memcpy(p, t->vk + 868 + 96 * (i % 64), 96);
            p += 96;
        }
    }
}

static inline void trapdoor_clear(trapdoor *t)
{
    free(t->ic);
    free(t->vk);
}

/* Random inputs and a proof that they verify with. */
static inline void trapdoor_prove(const trapdoor *t, uint8_t proof[192], uint8_t *inputs)
{
    cuzk_fr a, b, c, x, sum = t->ic[0];
    cuzk_g1_affine p;
    cuzk_g2_affine q;
    for (size_t i = 0; i < t->n_inputs; i++) {
        random_fr(&x);
        cuzk_fr_to_bytes_le(inputs + 32 * i, &x);
        cuzk_fr_mul(&x, &x, &t->ic[i + 1]);
        cuzk_fr_add(&sum, &sum, &x);
    }
    do {
        random_fr(&a);
        random_fr(&b);
        cuzk_fr_mul(&c, &a, &b);
        cuzk_fr_mul(&x, &t->alpha, &t->beta);
        cuzk_fr_sub(&c, &c, &x);
        cuzk_fr_mul(&x, &sum, &t->gamma);
        cuzk_fr_sub(&c, &c, &x);
    } while (cuzk_fr_is_zero(&c));
    cuzk_fr_inv(&x, &t->delta);
    cuzk_fr_mul(&c, &c, &x);
    g1_times(&p, &a);
    cuzk_g1_encode_compressed(proof, &p);
    g2_times(&q, &b);
    cuzk_g2_encode_compressed(proof + 48, &q);
    g1_times(&p, &c);
    cuzk_g1_encode_compressed(proof + 144, &p);
}

#endif /* CUZK_TEST_VERIFY_TRAPDOOR_H */
