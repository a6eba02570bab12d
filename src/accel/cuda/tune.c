/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Affine additions or additions in XYZZ: the first take half the multiplications and five times the bytes,
 * so which is faster depends on the card's memory against its multiplier. A sum of 2^21 terms is
 * timed both ways, with points (i + 2^11 j) G that the device adds up from 3072 of the host's.
 */
#include <string.h>

#include "accel/card/tuning.h"
#include "accel/cuda/msm/msm_internal.h"
#include "base/alloc.h"

#include "cuda_accel_internal.h"
#include "tune_internal.h"

#define LG_TERMS 21u
#define TERMS    ((uint32_t)1 << LG_TERMS)
#define LG_LOW   11u
#define LOW      (1u << LG_LOW)
#define HIGH     (TERMS >> LG_LOW)
#define RUNS     3
#define GAIN     0.97 /* what XYZZ has to take off the affine time */

typedef struct timing {
    cuzk_cuda_queue *q;
    void *d_few, *d_list, *d_tree, *d_products, *d_length, *d_bases, *d_scalars;
} timing;

static uint64_t random_word(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* i G, 1 <= i <= LOW, then j LOW G, 1 <= j <= HIGH. */
static cuzk_status few_points(timing *t, cuzk_err *err)
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

static cuzk_status upload_inputs(timing *t, cuzk_err *err)
{
    uint32_t *list = cuzk_alloc((size_t)2 * TERMS, sizeof(*list));
    cuzk_scalar *scalars = cuzk_alloc(TERMS, sizeof(*scalars));
    const uint32_t length = 2 * TERMS;
    uint64_t state = 1;
    cuzk_status st = CUZK_OK;
    if (list == NULL || scalars == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to measure a device");
        goto out;
    }
    for (uint32_t i = 0; i < TERMS; i++) {
        list[2 * i] = i % LOW;
        list[2 * i + 1] = LOW + (i >> LG_LOW);
        for (int j = 0; j < 4; j++) {
            scalars[i].l[j] = random_word(&state) >> (j == 3 ? 2 : 0);
        }
    }
    CUZK_TRY_GOTO(st, cuzk_cuda_upload(t->q, t->d_list, list, length * sizeof(*list), err));
    CUZK_TRY_GOTO(st, cuzk_cuda_upload(t->q, t->d_length, &length, sizeof(length), err));
    CUZK_TRY_GOTO(st, cuzk_cuda_upload(t->q, t->d_scalars, scalars, TERMS * sizeof(*scalars), err));
out:
    cuzk_free(list);
    cuzk_free(scalars);
    return st;
}

static cuzk_status make_inputs(timing *t, cuzk_err *err)
{
    const uint64_t point = sizeof(cuzk_g1_affine);
    cuzk_cuda_msm_memory m;
    CUZK_TRY(cuzk_cuda_alloc(t->q, &t->d_few, (LOW + HIGH) * point, err));
    CUZK_TRY(cuzk_cuda_alloc(t->q, &t->d_list, (uint64_t)2 * TERMS * sizeof(uint32_t), err));
    CUZK_TRY(cuzk_cuda_alloc(t->q, &t->d_length, 256, err));
    CUZK_TRY(cuzk_cuda_alloc(t->q, &t->d_tree, TERMS * point, err));
    CUZK_TRY(cuzk_cuda_alloc(t->q, &t->d_products, TERMS * point / 2, err));
    CUZK_TRY(cuzk_cuda_alloc(t->q, &t->d_bases, TERMS * point, err));
    CUZK_TRY(cuzk_cuda_alloc(t->q, &t->d_scalars, TERMS * sizeof(cuzk_scalar), err));
    CUZK_TRY(few_points(t, err));
    CUZK_TRY(upload_inputs(t, err));
    memset(&m, 0, sizeof(m));
    m.d_offset = t->d_length;
    m.d_list = t->d_list;
    m.d_tree_a = t->d_tree;
    m.d_products = t->d_products;
    m.products = TERMS;
    CUZK_TRY(cuzk_cuda_msm_add_pairs_g1(&m, t->q, t->d_few, t->d_bases, TERMS, err));
    return cuzk_cuda_queue_sync(t->q, err);
}

static void swap_if(double *a, double *b)
{
    if (*b < *a) {
        const double c = *a;
        *a = *b;
        *b = c;
    }
}

/* The median of RUNS after one, and the sum, which is to be the same both ways. */
static cuzk_status time_sum(timing *t, bool xyzz, double *ms, cuzk_g1 *sum, cuzk_err *err)
{
    cuzk_cuda_msm_tuning tuning = cuzk_cuda_msm_tuning_of(&t->q->card, CUZK_CUDA_MSM_G1);
    cuzk_cuda_msm *m = NULL;
    cuzk_status st = CUZK_OK;
    double took[RUNS];
    tuning.lg_batch_entries = tuning.lg_batch_entries < 24 ? tuning.lg_batch_entries : 24;
    t->q->card.xyzz = xyzz;
    CUZK_TRY(cuzk_cuda_msm_create_tuned(&m, t->q, NULL, 0, TERMS, cuzk_cuda_msm_of_scalars(255),
                                        CUZK_CUDA_MSM_G1, &tuning, err));
    for (int i = -1; i < RUNS; i++) {
        CUZK_TRY_GOTO(st, cuzk_cuda_timer_start(t->q, err));
        CUZK_TRY_GOTO(st, cuzk_cuda_msm_g1_enqueue(m, t->q, t->d_bases, t->d_scalars, TERMS, err));
        CUZK_TRY_GOTO(st, cuzk_cuda_timer_stop(t->q, i < 0 ? &took[0] : &took[i], err));
        CUZK_TRY_GOTO(st, cuzk_cuda_msm_g1_finish(m, sum, err));
    }
    swap_if(&took[0], &took[1]);
    swap_if(&took[1], &took[2]);
    swap_if(&took[0], &took[1]);
    *ms = took[1];
out:
    cuzk_cuda_msm_destroy(m, t->q);
    return st;
}

cuzk_status gpu_time_sums(cuzk_cuda_choice *out, gpu_device *d, cuzk_err *err)
{
    timing t = {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
    cuzk_g1 affine, xyzz;
    cuzk_status st = CUZK_OK;
    CUZK_TRY(cuzk_cuda_queue_create_in(&t.q, d->mem, err));
    t.q->card.xyzz = false;
    CUZK_TRY_GOTO(st, make_inputs(&t, err));
    CUZK_TRY_GOTO(st, time_sum(&t, false, &out->affine_ms, &affine, err));
    CUZK_TRY_GOTO(st, time_sum(&t, true, &out->xyzz_ms, &xyzz, err));
    if (!cuzk_g1_eq(&affine, &xyzz)) {
        st = CUZK_FAIL(err, CUZK_E_DEV_UNFIT, "%s: a sum of 2^%u terms differs by the additions",
                       d->name, LG_TERMS);
    }
    out->xyzz = out->xyzz_ms < GAIN * out->affine_ms;
out:;
    void *const blocks[] = {t.d_few,    t.d_list,  t.d_tree,   t.d_products,
                            t.d_length, t.d_bases, t.d_scalars};
    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
        cuzk_cuda_free(t.q, blocks[i]);
    }
    cuzk_cuda_queue_destroy(t.q);
    return st;
}
