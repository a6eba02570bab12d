/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What is computed from the points once they are on the device, so that sums take fewer additions.
 *
 * Combs of the points of bit wires. Twice the memory (four teeth) halves the additions of those
 * sums, so they are for memory that nothing else needs.
 */
#include "base/alloc.h"

#include "device_internal.h"

void device_add_sum(cuzk_accel_sum *a, const cuzk_accel_sum *b)
{
    if (a->is_g2) {
        cuzk_g2_add(&a->v.g2, &a->v.g2, &b->v.g2);
    } else {
        cuzk_g1_add(&a->v.g1, &a->v.g1, &b->v.g1);
    }
}

void device_half_sum(cuzk_accel_sum *a, const cuzk_accel_sum *b)
{
    cuzk_fr half;
    cuzk_scalar k;
    cuzk_fr_from_u64(&half, 2);
    cuzk_fr_inv(&half, &half);
    cuzk_fr_to_scalar(&k, &half);
    device_add_sum(a, b);
    if (a->is_g2) {
        cuzk_g2_mul(&a->v.g2, &a->v.g2, &k);
    } else {
        cuzk_g1_mul(&a->v.g1, &a->v.g1, &k);
    }
}

void device_comb_choose(cuzk_device_key *k, unsigned teeth, bool all)
{
    for (int a = 0; a < DEVICE_ARRAYS; a++) {
        device_points *p = &k->points[a];
        p->teeth = p->bits && p->n >= (all ? 1 : CUZK_DEVICE_LEAST_COMB) ? teeth : 0;
    }
}

static cuzk_accel_op comb_op(const device_points *p)
{
    const cuzk_accel_op op = {.kind = p->bytes == sizeof(cuzk_g2_affine) ? CUZK_ACCEL_OP_COMB_G2
                                                                         : CUZK_ACCEL_OP_COMB_G1,
                              .u.comb = {.d_points = p->d, .n = p->n, .teeth = p->teeth}};
    return op;
}

static uint64_t bitmap_bytes(const device_points *p)
{
    return ((p->n + 63) / 64 * sizeof(uint64_t) + 255) & ~(uint64_t)255;
}

/* Workspace for making a comb, and for the sum of all its points. */
static cuzk_status work_of(const cuzk_device_key *k, const device_points *p, uint64_t *bytes,
                           cuzk_err *err)
{
    const cuzk_accel_op make = comb_op(p), sum = device_sum_op(k, p, p->n, 0);
    cuzk_accel_need a, b;
    CUZK_TRY(cuzk_accel_plan(k->dev, &make, &a, err));
    CUZK_TRY(cuzk_accel_plan(k->dev, &sum, &b, err));
    *bytes = a.device_bytes > b.device_bytes ? a.device_bytes : b.device_bytes;
    return CUZK_OK;
}

cuzk_status device_comb_bytes(uint64_t *bytes, const cuzk_device_key *k, cuzk_err *err)
{
    *bytes = 0;
    for (int a = 0; a < DEVICE_ARRAYS; a++) {
        const device_points *p = &k->points[a];
        uint64_t work = 0;
        if (p->teeth != 0) {
            CUZK_TRY(work_of(k, p, &work, err));
            work += bitmap_bytes(p);
            *bytes = work > *bytes ? work : *bytes;
        }
    }
    return CUZK_OK;
}

/* d_work: the bitmap, then the workspace. All signs are -, so the sum is that of all points, negated. */
static cuzk_status make(cuzk_device_key *k, device_points *p, uint8_t *d_work, uint64_t work,
                        cuzk_err *err)
{
    const uint64_t map = bitmap_bytes(p);
    const cuzk_accel_op comb = comb_op(p);
    const cuzk_accel_op zero = {.kind = CUZK_ACCEL_OP_ZERO,
                                .u.copy = {.d_dst = d_work, .bytes = map}};
    cuzk_accel_op sum = device_sum_op(k, p, p->n, 0);
    sum.u.msm.d_bases = p->d;
    sum.u.msm.d_bits = (const uint64_t *)(const void *)d_work;
    sum.u.msm.sum = &p->total;
    CUZK_TRY(cuzk_accel_enqueue(k->q, &comb, d_work + map, work, err));
    CUZK_TRY(cuzk_accel_enqueue(k->q, &zero, NULL, 0, err));
    CUZK_TRY(cuzk_accel_enqueue(k->q, &sum, d_work + map, work, err));
    CUZK_TRY(cuzk_accel_sync(k->q, err));
    if (p->total.is_g2) {
        cuzk_g2_neg(&p->total.v.g2, &p->total.v.g2);
    } else {
        cuzk_g1_neg(&p->total.v.g1, &p->total.v.g1);
    }
    return CUZK_OK;
}

cuzk_status device_comb_make(cuzk_device_key *k, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    for (int a = 0; a < DEVICE_ARRAYS && st == CUZK_OK; a++) {
        device_points *p = &k->points[a];
        uint64_t work = 0;
        void *d_work = NULL;
        if (p->teeth == 0) {
            continue;
        }
        CUZK_TRY(work_of(k, p, &work, err));
        CUZK_TRY(cuzk_accel_alloc(k->dev, &d_work, bitmap_bytes(p) + work, err));
        st = make(k, p, d_work, work, err);
        if (st != CUZK_OK) {
            cuzk_ignore(cuzk_accel_sync(k->q, NULL)); /* no enqueued work may still use d_work */
        }
        cuzk_accel_free(k->dev, d_work);
    }
    return st;
}

/*
 * Images of points under the curve's endomorphism, for the sums with scalars. They take as much memory as their
 * points and save a tenth of the time. Images get memory before combs, which take more memory and save less.
 */
static const device_array image_arrays[] = {DEVICE_HL, DEVICE_A_FULLS, DEVICE_B1_FULLS};
#define IMAGE_ARRAYS (sizeof(image_arrays) / sizeof(image_arrays[0]))

cuzk_status device_images_choose(cuzk_device_key *k, uint32_t lanes, uint64_t free_bytes,
                                 uint64_t load_bytes, cuzk_err *err)
{
    uint64_t points = 0;
    for (int a = 0; a < DEVICE_ARRAYS; a++) {
        points += k->points[a].n * k->points[a].bytes + 256;
    }
    for (size_t i = 0; i < IMAGE_ARRAYS; i++) {
        device_points *p = &k->points[image_arrays[i]];
        uint64_t one = 0;
        p->image_bytes = (uint32_t)cuzk_accel_image_bytes(k->dev, p->n);
        const uint64_t all = points + p->n * p->image_bytes + 256;
        CUZK_TRY(cuzk_device_prove_bytes(&one, k, err));
        const uint64_t beside = lanes * one > load_bytes ? lanes * one : load_bytes;
        if (all > free_bytes || beside > free_bytes - all) {
            p->image_bytes = 0;
            return CUZK_OK;
        }
        points = all;
    }
    return CUZK_OK;
}

cuzk_status device_images_make(cuzk_device_key *k, cuzk_err *err)
{
    for (size_t i = 0; i < IMAGE_ARRAYS; i++) {
        const device_points *p = &k->points[image_arrays[i]];
        const cuzk_accel_op op = {
            .kind = CUZK_ACCEL_OP_IMAGES_G1,
            .u.images = {.d_points = p->d, .d_images = p->d_images, .n = p->n}};
        if (p->image_bytes != 0) {
            CUZK_TRY(cuzk_accel_enqueue(k->q, &op, NULL, 0, err));
        }
    }
    return cuzk_accel_sync(k->q, err);
}
