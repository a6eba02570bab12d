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
#define FIRST_LG 16u
#define N_LG     (sizeof(plain_ps) / sizeof(plain_ps[0]))

/* Percent that a sum takes longer when 2^20, 2^21 and so on digits are sorted at a time: measured from 2^24 on. */
static const uint8_t digits_percent[] = {60, 42, 28, 18, 10, 4};
#define LEAST_DIGITS 20u
#define N_DIGITS     (sizeof(digits_percent) / sizeof(digits_percent[0]))

#define G2_FACTOR    3u         /* terms of G2 */
#define BITS_PS      75u        /* a point with a bit, G1; half of them are set */
#define BITS_SUM_PS  400000000u /* a sum of bits, however short */
#define MEMORY_PS    75u        /* a byte from host memory to the device */
#define EVAL_PS      200u       /* a row: A and B a second time, vectors read and written */
#define HOST_PS      40u        /* a byte of a vector to or from the host */
#define HOST_PASSES  4u
#define VALUE_PS     1600u /* an element of a quotient, of 2^27: its transforms */
#define PASS_PART    4u

static unsigned floor_lg(uint64_t n)
{
    unsigned lg = 0;
    while (n >> lg > 1) {
        lg++;
    }
    return lg;
}

/* How far n is from 2^lg to 2^(lg + 1), in sixteenths. */
static uint64_t sixteenths(uint64_t n, unsigned lg)
{
    return (n - ((uint64_t)1 << lg)) * 16 >> lg;
}

/* Between two powers of two the width of the digits is that of the lower one: about a straight line. */
static uint64_t whole_ps(uint64_t n, bool images)
{
    const uint32_t *ps = images ? images_ps : plain_ps;
    const unsigned lg = floor_lg(n);
    if (lg < FIRST_LG) { /* a sum takes no less time than one of 2^16 terms */
        return n == 0 ? 0 : ((uint64_t)ps[0] << FIRST_LG) / n;
    }
    const unsigned i = lg - FIRST_LG;
    if (i + 1 >= N_LG) {
        return ps[N_LG - 1];
    }
    const uint64_t over = sixteenths(n, lg);
    return (ps[i] * (16 - over) + ps[i + 1] * over) / 16;
}

/* Percent that fewer digits at a time cost: more launches, each over less. At least one digit of every term is sorted. */
static uint64_t digits_cost(uint64_t n, unsigned lg_digits)
{
    const unsigned lg_n = floor_lg(n);
    const uint64_t digits = lg_digits > lg_n + 1 ? n << (lg_digits - 1 - lg_n) : n;
    const unsigned lg = floor_lg(digits);
    if (lg_digits == 0 || lg >= LEAST_DIGITS + N_DIGITS) {
        return 0;
    }
    if (lg < LEAST_DIGITS) {
        return digits_percent[0];
    }
    const unsigned i = lg - LEAST_DIGITS;
    const uint64_t next = i + 1 < N_DIGITS ? digits_percent[i + 1] : 0,
                   over = sixteenths(digits, lg);
    return (digits_percent[i] * (16 - over) + next * over) / 16;
}

static uint64_t term_ps(uint64_t n, bool images, unsigned lg_digits)
{
    return whole_ps(n, images) * (100 + digits_cost(n, lg_digits)) / 100;
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
        const uint64_t sums = (p->n + n - 1) / n;
        ps += p->n * factor * (p->bits ? BITS_PS : term_ps(n, op.u.msm.images, s->lg_digits));
        ps += p->bits ? sums * BITS_SUM_PS : 0;
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

uint64_t device_cost_bytes(const cuzk_device_key *k, cuzk_srs_section s, uint64_t bytes)
{
    return bytes * device_stream_ps(k, s) / 1000;
}

/* The longer of both, and some of the shorter: neither waits for the other for ever, but now and then. */
uint64_t device_cost_pass(uint64_t sums_ns, uint64_t stream_ns)
{
    return sums_ns > stream_ns ? sums_ns + stream_ns / PASS_PART : stream_ns + sums_ns / PASS_PART;
}

uint64_t device_cost_sum_h(const cuzk_device_key *k, const device_sums *s, uint64_t n)
{
    const cuzk_accel_op op = device_sum_op(k, &k->points[DEVICE_HL], n, s->lg_batch);
    return n * term_ps(n, op.u.msm.images, s->lg_digits) / 1000;
}

uint64_t device_cost_quotient(const cuzk_device_key *k, uint32_t vectors)
{
    return ((uint64_t)VALUE_PS << k->lg) / 1000 + device_cost_vectors(k, vectors);
}

uint64_t device_cost_vectors(const cuzk_device_key *k, uint32_t vectors)
{
    const uint64_t m = (uint64_t)1 << k->lg;
    const uint64_t once_more = vectors < 3 ? m * EVAL_PS : 0;
    const uint64_t to_host = vectors < 2 ? HOST_PASSES * m * sizeof(cuzk_fr) * HOST_PS : 0;
    return (once_more + to_host) / 1000;
}
