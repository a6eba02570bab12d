/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Sums and transforms with known answers on a device, in every shape that proofs use. The bases are
 * small multiples of the generator and the transformed vectors have two terms, so that the host has the
 * answers in milliseconds. In memory of its own, some 60 MB: the device's reservation may be all in use.
 */
#include <string.h>

#include "accel/cuda/msm/msm_internal.h"
#include "base/alloc.h"

#include "cuda_accel_internal.h"

#define TERMS     4096u
#define MULTIPLES 256u /* of the generator: term i has (i mod 256) + 1 times it */

typedef struct test_run {
    cuzk_cuda_queue *q;
    const char *name; /* of the device, for messages */
    uint64_t random;
    cuzk_scalar *scalars; /* [TERMS] */
    uint64_t *bits;       /* [TERMS / 64] */
    void *d_bases, *d_images, *d_scalars, *d_bits;
    cuzk_scalar of_scalars, of_bits; /* the sums, times the generator */
} test_run;

static uint64_t next_random(test_run *t)
{
    uint64_t z = t->random += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static cuzk_status wrong(const test_run *t, const char *what, cuzk_err *err)
{
    return CUZK_FAIL(err, CUZK_E_DEV_UNFIT, "%s: self-test: wrong %s", t->name, what);
}

static void make_terms(test_run *t)
{
    cuzk_fr sum = CUZK_FR_ZERO, bit_sum = CUZK_FR_ZERO, s, k;
    memset(t->bits, 0, TERMS / 8);
    for (uint32_t i = 0; i < TERMS; i++) {
        for (int j = 0; j < 4; j++) {
            t->scalars[i].l[j] = next_random(t);
        }
        cuzk_fr_from_scalar(&s, &t->scalars[i]);
        cuzk_fr_to_scalar(&t->scalars[i], &s);
        cuzk_fr_from_u64(&k, i % MULTIPLES + 1);
        if ((next_random(t) & 1) != 0) {
            t->bits[i / 64] |= (uint64_t)1 << i % 64;
            cuzk_fr_add(&bit_sum, &bit_sum, &k);
        }
        cuzk_fr_mul(&s, &s, &k);
        cuzk_fr_add(&sum, &sum, &s);
    }
    cuzk_fr_to_scalar(&t->of_scalars, &sum);
    cuzk_fr_to_scalar(&t->of_bits, &bit_sum);
}

static cuzk_status to_device(test_run *t, void **d_out, const void *p, uint64_t bytes,
                             cuzk_err *err)
{
    if (*d_out == NULL) {
        CUZK_TRY(cuzk_cuda_alloc(t->q, d_out, bytes, err));
    }
    return cuzk_cuda_upload(t->q, *d_out, p, bytes, err);
}

/* As for many terms: levels of affine additions, batches of some windows. And as for few. */
static const cuzk_cuda_msm_tuning as_large = {
    .lg_level_entries = 4, .lg_batch_entries = 14, .level_load = 4, .hex_at_once = 3};

#define SUMS(G, FIELD, GROUP)                                                                     \
    static cuzk_status make_bases_##G(test_run *t, cuzk_err *err)                                 \
    {                                                                                             \
        cuzk_##G##_affine *bases = cuzk_alloc(TERMS, sizeof(*bases));                             \
        cuzk_##G *p = cuzk_alloc(MULTIPLES, sizeof(*p));                                          \
        FIELD *scratch = cuzk_alloc(MULTIPLES, sizeof(*scratch));                                 \
        cuzk_status st = CUZK_OK;                                                                 \
        if (bases == NULL || p == NULL || scratch == NULL) {                                      \
            st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a self-test");                       \
        } else {                                                                                  \
            cuzk_##G##_from_affine(&p[0], &GROUP##_GENERATOR);                                    \
            for (uint32_t i = 1; i < MULTIPLES; i++) {                                            \
                cuzk_##G##_add_affine(&p[i], &p[i - 1], &GROUP##_GENERATOR);                      \
            }                                                                                     \
            cuzk_##G##_batch_to_affine(bases, p, scratch, MULTIPLES);                             \
            for (uint32_t i = MULTIPLES; i < TERMS; i++) {                                        \
                bases[i] = bases[i % MULTIPLES];                                                  \
            }                                                                                     \
            st = to_device(t, &t->d_bases, bases, TERMS * sizeof(*bases), err);                   \
        }                                                                                         \
        cuzk_free(bases);                                                                         \
        cuzk_free(p);                                                                             \
        cuzk_free(scratch);                                                                       \
        return st;                                                                                \
    }                                                                                             \
    static cuzk_status check_##G(const test_run *t, const cuzk_##G *got, const cuzk_scalar *want, \
                                 const char *what, cuzk_err *err)                                 \
    {                                                                                             \
        cuzk_##G g, w;                                                                            \
        cuzk_##G##_from_affine(&g, &GROUP##_GENERATOR);                                           \
        cuzk_##G##_mul(&w, &g, want);                                                             \
        return cuzk_##G##_eq(got, &w) ? CUZK_OK : wrong(t, what, err);                            \
    }

SUMS(g1, cuzk_fp, CUZK_G1)
SUMS(g2, cuzk_fp2, CUZK_G2)

static cuzk_status sums_g1(test_run *t, const cuzk_cuda_msm_tuning *how, cuzk_cuda_msm_terms terms,
                           cuzk_err *err)
{
    cuzk_cuda_msm *m = NULL;
    cuzk_status st = CUZK_OK;
    cuzk_g1 got;
    CUZK_TRY(
        cuzk_cuda_msm_create_tuned(&m, t->q, NULL, 0, TERMS, terms, CUZK_CUDA_MSM_G1, how, err));
    if (terms.form == CUZK_CUDA_MSM_OF_IMAGES) {
        CUZK_TRY_GOTO(st, cuzk_cuda_msm_images_g1(m, t->q, &got, t->d_bases, t->d_images,
                                                  t->d_scalars, TERMS, err));
    } else {
        CUZK_TRY_GOTO(st, cuzk_cuda_msm_g1(m, t->q, &got, t->d_bases, t->d_scalars, TERMS, err));
    }
    CUZK_TRY_GOTO(st, check_g1(t, &got, &t->of_scalars, "sum in G1", err));
    CUZK_TRY_GOTO(st, cuzk_cuda_msm_bits_g1(m, t->q, &got, t->d_bases, t->d_bits, TERMS, err));
    CUZK_TRY_GOTO(st, check_g1(t, &got, &t->of_bits, "sum of bits in G1", err));
out:
    cuzk_cuda_msm_destroy(m, t->q);
    return st;
}

static cuzk_status sums_g2(test_run *t, const cuzk_cuda_msm_tuning *how, cuzk_err *err)
{
    cuzk_cuda_msm *m = NULL;
    cuzk_status st = CUZK_OK;
    cuzk_g2 got;
    CUZK_TRY(cuzk_cuda_msm_create_tuned(&m, t->q, NULL, 0, TERMS, cuzk_cuda_msm_of_scalars(255),
                                        CUZK_CUDA_MSM_G2, how, err));
    CUZK_TRY_GOTO(st, cuzk_cuda_msm_g2(m, t->q, &got, t->d_bases, t->d_scalars, TERMS, err));
    CUZK_TRY_GOTO(st, check_g2(t, &got, &t->of_scalars, "sum in G2", err));
    CUZK_TRY_GOTO(st, cuzk_cuda_msm_bits_g2(m, t->q, &got, t->d_bases, t->d_bits, TERMS, err));
    CUZK_TRY_GOTO(st, check_g2(t, &got, &t->of_bits, "sum of bits in G2", err));
out:
    cuzk_cuda_msm_destroy(m, t->q);
    return st;
}

static cuzk_status test_sums(test_run *t, cuzk_err *err)
{
    make_terms(t);
    CUZK_TRY(to_device(t, &t->d_scalars, t->scalars, TERMS * sizeof(*t->scalars), err));
    CUZK_TRY(to_device(t, &t->d_bits, t->bits, TERMS / 8, err));
    CUZK_TRY(make_bases_g1(t, err));
    CUZK_TRY(cuzk_cuda_alloc(t->q, &t->d_images, TERMS * CUZK_CUDA_MSM_IMAGE_BYTES, err));
    CUZK_TRY(cuzk_cuda_msm_make_images_g1(t->q, t->d_images, t->d_bases, TERMS, err));
    const cuzk_card *card = cuzk_cuda_queue_card(t->q);
    const cuzk_cuda_msm_tuning in_g1 = cuzk_cuda_msm_tuning_of(card, CUZK_CUDA_MSM_G1);
    const cuzk_cuda_msm_tuning in_g2 = cuzk_cuda_msm_tuning_of(card, CUZK_CUDA_MSM_G2);
    CUZK_TRY(sums_g1(t, &as_large, cuzk_cuda_msm_of_scalars(255), err));
    CUZK_TRY(sums_g1(t, &as_large, cuzk_cuda_msm_of_images(), err));
    CUZK_TRY(sums_g1(t, &in_g1, cuzk_cuda_msm_of_scalars(255), err));
    CUZK_TRY(sums_g1(t, &in_g1, cuzk_cuda_msm_of_images(), err));
    cuzk_cuda_free(t->q, t->d_bases);
    t->d_bases = NULL;
    CUZK_TRY(make_bases_g2(t, err));
    CUZK_TRY(sums_g2(t, &as_large, err));
    return sums_g2(t, &in_g2, err);
}

/* v[i] = (s w^i)^5 + (s w^i)^1027. */
static void two_terms(cuzk_fr *v, unsigned lg, const cuzk_fr *s)
{
    static const uint64_t exponents[2] = {5, 1027};
    cuzk_fr w, at[2], step[2];
    cuzk_fr_root_of_unity(&w, &CUZK_FR_ROOT_2_32, lg);
    for (int j = 0; j < 2; j++) {
        cuzk_fr_pow_u64(&at[j], s, exponents[j]);
        cuzk_fr_pow_u64(&step[j], &w, exponents[j]);
    }
    for (size_t i = 0; i < (size_t)1 << lg; i++) {
        cuzk_fr_add(&v[i], &at[0], &at[1]);
        cuzk_fr_mul(&at[0], &at[0], &step[0]);
        cuzk_fr_mul(&at[1], &at[1], &step[1]);
    }
}

/* From the domain to a coset, whose values are known; there and back; at 2^lg points. */
static cuzk_status transforms(test_run *t, unsigned lg, cuzk_fr *want, cuzk_fr *got, cuzk_err *err)
{
    const uint64_t bytes = sizeof(cuzk_fr) << lg;
    cuzk_status st = CUZK_OK;
    cuzk_cuda_ntt *ntt = NULL;
    void *d = NULL;
    CUZK_TRY(cuzk_cuda_ntt_create(&ntt, t->q, lg, NULL, false, err));
    two_terms(got, lg, &CUZK_FR_ONE);
    CUZK_TRY_GOTO(st, to_device(t, &d, got, bytes, err));
    CUZK_TRY_GOTO(st, cuzk_cuda_ntt_to_coset(ntt, t->q, d, &CUZK_FR_GENERATOR, err));
    CUZK_TRY_GOTO(st, cuzk_cuda_download(t->q, got, d, bytes, err));
    two_terms(want, lg, &CUZK_FR_GENERATOR);
    if (memcmp(got, want, bytes) != 0) {
        st = wrong(t, "transform to a coset", err);
        goto out;
    }
    CUZK_TRY_GOTO(st, cuzk_cuda_ntt_inverse(ntt, t->q, d, CUZK_CUDA_NR, NULL, err));
    CUZK_TRY_GOTO(st, cuzk_cuda_ntt_forward(ntt, t->q, d, CUZK_CUDA_RN, NULL, err));
    CUZK_TRY_GOTO(st, cuzk_cuda_download(t->q, got, d, bytes, err));
    if (memcmp(got, want, bytes) != 0) {
        st = wrong(t, "transform there and back", err);
    }
out:
    cuzk_cuda_free(t->q, d);
    cuzk_cuda_ntt_destroy(ntt, t->q);
    return st;
}

static cuzk_status test_transforms(test_run *t, cuzk_err *err)
{
    static const unsigned sizes[] = {12, 19}; /* two passes, and three */
    const size_t n = (size_t)1 << sizes[1];
    cuzk_fr *want = cuzk_alloc(n, sizeof(*want)), *got = cuzk_alloc(n, sizeof(*got));
    cuzk_status st = CUZK_OK;
    if (want == NULL || got == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a self-test");
    }
    for (size_t i = 0; st == CUZK_OK && i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        st = transforms(t, sizes[i], want, got, err);
    }
    cuzk_free(want);
    cuzk_free(got);
    return st;
}

cuzk_status gpu_self_test(cuzk_accel *dev, cuzk_err *err)
{
    const gpu_device *d = (const gpu_device *)(const void *)dev;
    test_run t = {.name = d->name, .random = 1};
    cuzk_status st = CUZK_OK;
    t.scalars = cuzk_alloc(TERMS, sizeof(*t.scalars));
    t.bits = cuzk_alloc(TERMS / 64, sizeof(*t.bits));
    if (t.scalars == NULL || t.bits == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a self-test");
        goto out;
    }
    CUZK_TRY_GOTO(st, cuzk_cuda_queue_create(&t.q, (int)d->ordinal, err));
    CUZK_TRY_GOTO(st, test_transforms(&t, err));
    CUZK_TRY_GOTO(st, test_sums(&t, err));
out:
    if (t.q != NULL) {
        cuzk_cuda_free(t.q, t.d_bases);
        cuzk_cuda_free(t.q, t.d_images);
        cuzk_cuda_free(t.q, t.d_scalars);
        cuzk_cuda_free(t.q, t.d_bits);
    }
    cuzk_cuda_queue_destroy(t.q);
    cuzk_free(t.scalars);
    cuzk_free(t.bits);
    return st;
}
