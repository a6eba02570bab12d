/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The time model that compares plans. The figures are an H200's (docs/cuda.md); other cards are slower or faster,
 * mostly by one factor. The model only orders plans; it does not decide whether a plan fits.
 */
#include "device_stream.h"

/* Picoseconds for a term of a sum in G1 with scalars, by lg of the terms from 2^16 on. */
static const uint32_t plain_ps[] = {30000, 18000, 13000, 9500, 6900, 5900,
                                    5250,  5180,  5130,  4760, 4400, 4260};
static const uint32_t images_ps[] = {30000, 18000, 13000, 9500, 6900, 5900,
                                     4980,  4650,  4410,  4180, 3960, 3730};
#define FIRST_LG    16u
#define N_LG        (sizeof(plain_ps) / sizeof(plain_ps[0]))

#define G2_FACTOR   3u   /* terms of G2 */
#define BITS_PS     75u  /* a point with a bit, G1; half of them are set */
#define MEMORY_PS   75u  /* a byte from host memory to the device */
#define EVAL_PS     200u /* a row: A and B a second time, vectors read and written */
#define HOST_PS     40u  /* a byte of a vector to or from the host */
#define HOST_PASSES 4u

static unsigned floor_lg(uint64_t n)
{
    unsigned lg = 0;
    while (n >> lg > 1) {
        lg++;
    }
    return lg;
}

static uint64_t term_ps(uint64_t n, bool images, unsigned lg_batch)
{
    const unsigned lg = floor_lg(n);
    size_t i = lg < FIRST_LG ? 0 : lg - FIRST_LG;
    i = i < N_LG ? i : N_LG - 1;
    const uint64_t ps = images ? images_ps[i] : plain_ps[i];
    /* Fewer digits at a time: more launches, each over less. */
    return lg_batch == 0 ? ps : ps * (103 + (lg_batch < 26 ? (26 - lg_batch) * 4 : 0)) / 100;
}

uint64_t device_cost_sums(const cuzk_device_key *k, const device_sums *s, bool is_h)
{
    uint64_t ps = 0;
    for (int a = 0; a < DEVICE_ARRAYS; a++) {
        const device_points *p = &k->points[a];
        if ((a == DEVICE_HL) != is_h || p->n == 0) {
            continue;
        }
        const uint64_t factor = p->bytes == sizeof(cuzk_g2_affine) ? G2_FACTOR : 1;
        const uint64_t step = device_slice_of(p, s->slice);
        const uint64_t n = p->n < step ? p->n : step;
        const cuzk_accel_op op = device_sum_op(k, p, n, s->lg_batch);
        ps += p->n * factor * (p->bits ? BITS_PS : term_ps(n, op.u.msm.images, s->lg_batch));
    }
    return ps / 1000;
}

/* Picoseconds for a byte of an array that streams. */
static uint64_t stream_ps(const cuzk_device_key *k, int array)
{
    for (unsigned i = 0; k->stream != NULL && i < CUZK_SRS_SECTIONS; i++) {
        const cuzk_srs_section s = (cuzk_srs_section)i;
        if (array == (int)device_bits_of(s) || array == (int)device_fulls_of(s)) {
            return device_stream_ps(k, s);
        }
    }
    return MEMORY_PS;
}

uint64_t device_cost_stream(const cuzk_device_key *k, bool is_h)
{
    uint64_t ps = 0;
    for (int a = 0; a < DEVICE_ARRAYS; a++) {
        const device_points *p = &k->points[a];
        if ((a == DEVICE_HL) == is_h && !p->resident) {
            ps += p->n * p->bytes * stream_ps(k, a);
        }
    }
    return ps / 1000;
}

uint64_t device_cost_vectors(const cuzk_device_key *k, uint32_t vectors)
{
    const uint64_t m = (uint64_t)1 << k->lg;
    const uint64_t once_more = vectors < 3 ? m * EVAL_PS : 0;
    const uint64_t to_host = vectors < 2 ? HOST_PASSES * m * sizeof(cuzk_fr) * HOST_PS : 0;
    return (once_more + to_host) / 1000;
}
