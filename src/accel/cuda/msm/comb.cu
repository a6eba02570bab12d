/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Combs (accel/accel.h): the table, by two levels of affine additions of pairs, and the list of
 * entries that a bitmap selects from it.
 */
#include "accel/comb_hd.h"
#include "accel/cuda/queue/launch.cuh"

#include "msm_internal.h"

#define SIGN       0x80000000u
#define THREADS    ((unsigned)CUZK_THREADS_LIST_SIGNS)
/* Pairs added at a time, at most: some hundred for each thread of the tree of additions. */
#define MOST_PAIRS ((uint64_t)1 << 22)

/* What a comb of some teeth takes for one group: sums of the first step, entries. */
static uint32_t first_pairs(unsigned teeth)
{
    return teeth == 3 ? 3 : 4;
}

static uint64_t groups_at_a_time(uint64_t n, unsigned teeth)
{
    const uint64_t groups = cuzk_accel_comb_groups(n, teeth);
    const uint64_t most = MOST_PAIRS >> (teeth - 1);
    return groups < most ? groups : most;
}

/* The parts of a workspace that the tree of additions uses, and room for the first step's sums. */
static uint64_t place(cuzk_cuda_msm_memory *m, void **d_sums, uint8_t *base, uint64_t n,
                      unsigned teeth, cuzk_cuda_msm_group group)
{
    const bool g1 = group == CUZK_CUDA_MSM_G1;
    const uint64_t affine = g1 ? sizeof(cuzk_g1_affine) : sizeof(cuzk_g2_affine);
    const uint64_t groups = groups_at_a_time(n, teeth);
    const uint64_t pairs = ((groups << (teeth - 1)) + 511) & ~(uint64_t)511;
    const uint64_t sizes[] = {256, 2 * pairs * sizeof(uint32_t),
                              groups * first_pairs(teeth) * affine, pairs * affine,
                              pairs * affine / 2};
    uint8_t *at[5];
    uint64_t bytes = 0;
    for (int i = 0; i < 5; i++) {
        at[i] = base == NULL ? NULL : base + bytes;
        bytes += (sizes[i] + 255) & ~(uint64_t)255;
    }
    *m = {};
    m->d_offset = (uint32_t *)(void *)at[0]; /* one word: the list's length */
    m->d_list = (uint32_t *)(void *)at[1];
    *d_sums = at[2];
    m->d_tree_a = at[3];
    m->d_products = at[4];
    m->products = pairs;
    return bytes;
}

uint64_t cuzk_cuda_msm_comb_bytes(uint64_t n, unsigned teeth, cuzk_cuda_msm_group group)
{
    cuzk_cuda_msm_memory m;
    void *d_sums;
    return place(&m, &d_sums, NULL, n, teeth, group);
}

/*
 * Pairs of the first step, of the points p of a group. Four teeth: p3 + p2, p3 - p2, p1 + p0, p1 - p0.
 * Three: p2 + p1, p2 - p1, and p0 alone.
 */
static __global__ void __launch_bounds__(THREADS)
    first_pairs_k(uint32_t *list, uint32_t *length, uint32_t groups, unsigned teeth)
{
    const uint32_t k = blockIdx.x * THREADS + threadIdx.x;
    const uint32_t p = k * teeth;
    if (k == 0) {
        *length = groups * (teeth == 3 ? 6 : 8);
    }
    if (k >= groups) {
        return;
    }
    if (teeth == 3) {
        uint32_t *l = list + 6 * k;
        l[0] = l[2] = p + 2;
        l[1] = p + 1;
        l[3] = SIGN | (p + 1);
        l[4] = p;
        l[5] = CUZK_CUDA_MSM_NONE;
    } else {
        uint32_t *l = list + 8 * k;
        l[0] = l[2] = p + 3;
        l[1] = p + 2;
        l[3] = SIGN | (p + 2);
        l[4] = l[6] = p + 1;
        l[5] = p;
        l[7] = SIGN | p;
    }
}

/* Pairs of the second step, of the sums s of the first: an entry each. */
static __global__ void __launch_bounds__(THREADS)
    second_pairs_k(uint32_t *list, uint32_t *length, uint32_t groups, unsigned teeth)
{
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    const uint32_t k = i >> (teeth - 1), m = i & ((1u << (teeth - 1)) - 1);
    if (i == 0) {
        *length = groups << teeth;
    }
    if (k >= groups) {
        return;
    }
    uint32_t first, second;
    if (teeth == 3) {
        const uint32_t s = 3 * k;
        first = (m & 2) != 0 ? s : s + 1;
        second = (m & 1) != 0 ? s + 2 : SIGN | (s + 2);
    } else {
        const uint32_t s = 4 * k;
        const bool p1 = (m & 2) != 0, p0 = (m & 1) != 0;
        first = (m & 4) != 0 ? s : s + 1;
        second = (p1 ? 0 : SIGN) | (p1 == p0 ? s + 2 : s + 3);
    }
    list[2 * i] = first;
    list[2 * i + 1] = second;
}

static cuzk_status check(uint64_t n, unsigned teeth, cuzk_err *err)
{
    if (teeth < CUZK_ACCEL_MIN_TEETH || teeth > CUZK_ACCEL_MAX_TEETH || n > CUZK_CUDA_MSM_MAX_N) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "a comb of %u teeth for %llu points", teeth,
                         (unsigned long long)n);
    }
    return CUZK_OK;
}

cuzk_status cuzk_cuda_msm_comb_make(cuzk_cuda_queue *q, void *d_points, uint64_t n, unsigned teeth,
                                    cuzk_cuda_msm_group group, void *d_ws, uint64_t ws_bytes,
                                    cuzk_err *err)
{
    const bool g1 = group == CUZK_CUDA_MSM_G1;
    const uint64_t affine = g1 ? sizeof(cuzk_g1_affine) : sizeof(cuzk_g2_affine);
    cuzk_cuda_msm_memory m;
    void *d_sums;
    CUZK_TRY(check(n, teeth, err));
    if (place(&m, &d_sums, (uint8_t *)d_ws, n, teeth, group) > ws_bytes) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "workspace of a comb: %llu bytes are too few",
                         (unsigned long long)ws_bytes);
    }
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    cuzk_status (*const add)(const cuzk_cuda_msm_memory *, cuzk_cuda_queue *, const void *, void *,
                             uint32_t, cuzk_err *) =
        g1 ? cuzk_cuda_msm_add_pairs_g1 : cuzk_cuda_msm_add_pairs_g2;
    uint8_t *out = (uint8_t *)d_points;
    const uint8_t *from = out + cuzk_accel_comb_first(n, teeth) * affine;
    const uint64_t all = cuzk_accel_comb_groups(n, teeth), most = groups_at_a_time(n, teeth);
    for (uint64_t at = 0; at < all; at += most) {
        const uint32_t groups = (uint32_t)(all - at < most ? all - at : most);
        const uint32_t entries = groups << (teeth - 1);
        CUZK_TRY(cuzk_cuda_launch(q, CUZK_KERNEL_FIRST_PAIRS, first_pairs_k,
                                  (groups + THREADS - 1) / THREADS, err, m.d_list, m.d_offset,
                                  groups, teeth));
        CUZK_TRY(add(&m, q, from + at * teeth * affine, d_sums, groups * first_pairs(teeth), err));
        CUZK_TRY(cuzk_cuda_launch(q, CUZK_KERNEL_SECOND_PAIRS, second_pairs_k,
                                  (entries + THREADS - 1) / THREADS, err, m.d_list, m.d_offset,
                                  groups, teeth));
        /* These groups' points have been read; the next ones' lie behind. */
        CUZK_TRY(add(&m, q, d_sums, out + (at << (teeth - 1)) * affine, entries, err));
    }
    return CUZK_OK;
}

static __global__ void __launch_bounds__(THREADS)
    list_signs_k(uint32_t *list, uint32_t *offset, const uint64_t *bits, uint64_t n,
                 uint32_t groups, uint32_t length, unsigned teeth)
{
    const uint32_t k = blockIdx.x * THREADS + threadIdx.x;
    if (k == 0) {
        offset[0] = 0;
        offset[1] = length;
    }
    if (k >= length) {
        return;
    }
    uint32_t e = CUZK_CUDA_MSM_NONE;
    if (k < groups) {
        const uint64_t at = (uint64_t)k * teeth, word = at / 64;
        const unsigned shift = (unsigned)(at % 64);
        uint64_t v = bits[word] >> shift;
        if (shift + teeth > 64 && 64 * (word + 1) < n) {
            v |= bits[word + 1] << (64 - shift);
        }
        bool negate;
        e = k << (teeth - 1) | cuzk_accel_comb_entry((uint32_t)v, teeth, &negate);
        e |= negate ? SIGN : 0;
    }
    list[k] = e;
}

cuzk_status cuzk_cuda_msm_list_signs(const cuzk_cuda_msm_memory *m, cuzk_cuda_queue *q,
                                     const uint64_t *d_bits, uint64_t n, unsigned teeth,
                                     unsigned levels, cuzk_err *err)
{
    const uint32_t groups = (uint32_t)cuzk_accel_comb_groups(n, teeth);
    const uint32_t length = (groups + (1u << levels) - 1) >> levels << levels;
    CUZK_TRY(check(n, teeth, err));
    return cuzk_cuda_launch(q, CUZK_KERNEL_LIST_SIGNS, list_signs_k,
                            (length + THREADS - 1) / THREADS, err, m->d_list, m->d_offset, d_bits,
                            n, groups, length, teeth);
}
