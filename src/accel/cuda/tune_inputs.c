/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the sums that are timed add up: points (i + 2^11 j) G, which the device adds up from 3072 of the host's, their images, and
 * scalars of 254 bits. */
#include <string.h>

#include "accel/cuda/msm/msm_internal.h"
#include "base/alloc.h"

#include "tune_internal.h"

#define LG_LOW 11u
#define LOW    (1u << LG_LOW)
#define HIGH   (GPU_TUNE_TERMS >> LG_LOW)

/* Device memory that only the making of the points needs. */
typedef struct making {
    cuzk_cuda_queue *q;
    void *d_few, *d_list, *d_tree, *d_products, *d_length;
} making;

static uint64_t random_word(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* i G, 1 <= i <= LOW, then j LOW G, 1 <= j <= HIGH. */
static cuzk_status few_points(making *t, cuzk_err *err)
{
    cuzk_g1 *p = cuzk_alloc(LOW + HIGH, sizeof(*p));
    cuzk_g1_affine *a = cuzk_alloc(LOW + HIGH, sizeof(*a));
    cuzk_fp *scratch = cuzk_alloc(LOW + HIGH, sizeof(*scratch));
    cuzk_status st = CUZK_OK;
    if (p == NULL || a == NULL || scratch == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to measure a device");
        goto out;
    }
    cuzk_g1_from_affine(&p[0], &CUZK_G1_GENERATOR);
    for (uint32_t i = 1; i < LOW; i++) {
        cuzk_g1_add_affine(&p[i], &p[i - 1], &CUZK_G1_GENERATOR);
    }
    p[LOW] = p[LOW - 1];
    for (uint32_t j = 1; j < HIGH; j++) {
        cuzk_g1_add(&p[LOW + j], &p[LOW + j - 1], &p[LOW - 1]);
    }
    cuzk_g1_batch_to_affine(a, p, scratch, LOW + HIGH);
    st = cuzk_cuda_upload(t->q, t->d_few, a, (LOW + HIGH) * sizeof(*a), err);
out:
    cuzk_free(p);
    cuzk_free(a);
    cuzk_free(scratch);
    return st;
}

static cuzk_status upload_inputs(const gpu_tune_inputs *in, making *t, cuzk_err *err)
{
    uint32_t *list = cuzk_alloc((size_t)2 * GPU_TUNE_TERMS, sizeof(*list));
    cuzk_scalar *scalars = cuzk_alloc(GPU_TUNE_TERMS, sizeof(*scalars));
    const uint32_t length = 2 * GPU_TUNE_TERMS;
    uint64_t state = 1;
    cuzk_status st = CUZK_OK;
    if (list == NULL || scalars == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to measure a device");
        goto out;
    }
    for (uint32_t i = 0; i < GPU_TUNE_TERMS; i++) {
        list[2 * i] = i % LOW;
        list[2 * i + 1] = LOW + (i >> LG_LOW);
        for (int j = 0; j < 4; j++) {
            scalars[i].l[j] = random_word(&state) >> (j == 3 ? 2 : 0);
        }
    }
    CUZK_TRY_GOTO(st, cuzk_cuda_upload(t->q, t->d_list, list, length * sizeof(*list), err));
    CUZK_TRY_GOTO(st, cuzk_cuda_upload(t->q, t->d_length, &length, sizeof(length), err));
    CUZK_TRY_GOTO(
        st, cuzk_cuda_upload(t->q, in->d_scalars, scalars, GPU_TUNE_TERMS * sizeof(*scalars), err));
out:
    cuzk_free(list);
    cuzk_free(scalars);
    return st;
}

static cuzk_status make_points(gpu_tune_inputs *in, making *t, cuzk_err *err)
{
    const uint64_t point = sizeof(cuzk_g1_affine);
    cuzk_cuda_msm_memory m;
    CUZK_TRY(cuzk_cuda_alloc(t->q, &in->d_bases, GPU_TUNE_TERMS * point, err));
    CUZK_TRY(cuzk_cuda_alloc(t->q, &in->d_scalars, GPU_TUNE_TERMS * sizeof(cuzk_scalar), err));
    CUZK_TRY(cuzk_cuda_alloc(t->q, &in->d_images, GPU_TUNE_TERMS * CUZK_CUDA_MSM_IMAGE_BYTES, err));
    CUZK_TRY(cuzk_cuda_alloc(t->q, &t->d_few, (LOW + HIGH) * point, err));
    CUZK_TRY(
        cuzk_cuda_alloc(t->q, &t->d_list, (uint64_t)2 * GPU_TUNE_TERMS * sizeof(uint32_t), err));
    CUZK_TRY(cuzk_cuda_alloc(t->q, &t->d_length, 256, err));
    CUZK_TRY(cuzk_cuda_alloc(t->q, &t->d_tree, GPU_TUNE_TERMS * point, err));
    CUZK_TRY(cuzk_cuda_alloc(t->q, &t->d_products, GPU_TUNE_TERMS * point / 2, err));
    CUZK_TRY(few_points(t, err));
    CUZK_TRY(upload_inputs(in, t, err));
    memset(&m, 0, sizeof(m));
    m.d_offset = t->d_length;
    m.d_list = t->d_list;
    m.d_tree_a = t->d_tree;
    m.d_products = t->d_products;
    m.products = GPU_TUNE_TERMS;
    CUZK_TRY(cuzk_cuda_msm_add_pairs_g1(&m, t->q, t->d_few, in->d_bases, GPU_TUNE_TERMS, err));
    CUZK_TRY(cuzk_cuda_msm_make_images_g1(t->q, in->d_images, in->d_bases, GPU_TUNE_TERMS, err));
    return cuzk_cuda_queue_sync(t->q, err);
}

cuzk_status gpu_tune_inputs_make(gpu_tune_inputs *in, cuzk_cuda_queue *q, cuzk_err *err)
{
    making t = {q, NULL, NULL, NULL, NULL, NULL};
    const cuzk_status st = make_points(in, &t, err);
    void *const blocks[] = {t.d_few, t.d_list, t.d_tree, t.d_products, t.d_length};
    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
        cuzk_cuda_free(q, blocks[i]);
    }
    return st;
}

void gpu_tune_inputs_free(gpu_tune_inputs *in, cuzk_cuda_queue *q)
{
    cuzk_cuda_free(q, in->d_bases);
    cuzk_cuda_free(q, in->d_images);
    cuzk_cuda_free(q, in->d_scalars);
}
