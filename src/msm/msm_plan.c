/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/assert.h"
#include "msm/msm_core.h"

/* Entries (8 bytes) of the windows in memory at once; one window is always allowed. */
#define GROUP_ENTRIES ((size_t)1 << 21)

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* One window of n digits on `used` buckets, in units of one batched addition. p has the blocks. */
static double window_cost(const cuzk_msm_plan *p, const cuzk_msm_engine *eng, double n, double used)
{
    const double blocks = p->blocks, slots = (double)(p->blocks << p->block_bits);
    /* A tree saves one addition per bucket that is not empty; roughly n N / (n + N) are not. */
    const double sums = n - n * used / (n + used);
    /* Weighing: 2 additions per bucket; unused ones are looked at. */
    const double weigh = 2.2 * used + 0.2 * (slots - used);
    /* window_sum: two or three per block, and the bits of each task; shift_window. */
    const double acc = 2.5 * blocks + (1 + slots / MSM_SEGMENTS) * p->block_bits + 8;
    /* Sorting is about 6 ns per digit, whatever the group. */
    return sums + weigh + (acc * eng->group->acc_ns + n * 6.0) / eng->add_ns;
}

/* Of n a window, the expected number of used buckets: blocks may be full of used ones, or be all
 * of their window. */
static size_t most_digits(size_t n, size_t used, size_t slots, size_t buckets)
{
    return min_size(n * buckets / used, (buckets + slots - 1) / slots * n);
}

/* The rest of a plan, which has windows, blocks and block_bits. used: buckets with digits. */
static void partition(cuzk_msm_plan *p, size_t n, size_t used)
{
    CUZK_ASSERT(p->windows <= MSM_MAX_WINDOWS);
    p->slots = p->blocks << p->block_bits;
    const size_t group = GROUP_ENTRIES / n;
    p->group = (unsigned)min_size(group > 0 ? group : 1, p->windows);
    /* Partitions of about 3/4 of a piece, within the group. */
    const size_t want = MSM_PIECE / 4 * 3, total = (size_t)p->group * p->slots;
    unsigned low = 0;
    while ((2u << low) <= MSM_SEGMENTS && ((size_t)1 << low) < total &&
           most_digits(n, used, p->slots, (size_t)2 << low) <= want) {
        low++;
    }
    p->low = low;
    p->group_parts = (total + ((size_t)1 << low) - 1) >> low;
    p->parts = (p->windows + p->group - 1) / p->group * p->group_parts;
    for (unsigned w = 0; w < p->windows; w++) {
        p->first_part[w] = w / p->group * p->group_parts;
        p->first_slot[w] = (size_t)(w % p->group) * p->slots;
    }
}

static unsigned windows_for(unsigned bits, unsigned c)
{
    return (bits + c) / c; /* ceil((bits + 1) / c): the sign needs a bit */
}

static void signed_blocks(cuzk_msm_plan *p, unsigned bits, unsigned c)
{
    p->hex = false;
    p->bits = bits;
    p->c = c;
    p->windows = windows_for(bits, c);
    p->q_bits = 0;
    p->block_bits = c - 1 < MSM_BLOCK_BITS ? c - 1 : MSM_BLOCK_BITS;
    p->blocks = p->rows = 1u << (c - 1 - p->block_bits);
}

void cuzk_msm_plan_signed_c(cuzk_msm_plan *p, size_t n, unsigned bits, unsigned c)
{
    CUZK_ASSERT(n > 0 && bits >= 1 && bits <= MSM_SIGNED_BITS && c >= MSM_C_MIN && c <= MSM_C_MAX);
    signed_blocks(p, bits, c);
    p->bias = 0;
    for (unsigned w = 0; w + 1 < p->windows; w++) {
        p->bias += (cuzk_u128)1 << (c * w + c - 1);
    }
    partition(p, n, (size_t)1 << (c - 1));
}

void cuzk_msm_plan_signed(cuzk_msm_plan *p, const cuzk_msm_engine *eng, size_t n, unsigned bits)
{
    unsigned best = MSM_C_MIN;
    double least = 0;
    for (unsigned c = MSM_C_MIN; c <= MSM_C_MAX; c++) {
        signed_blocks(p, bits, c);
        const double cost =
            p->windows * window_cost(p, eng, (double)n, (double)((uint64_t)1 << (c - 1)));
        if (c == MSM_C_MIN || cost < least) {
            least = cost;
            best = c;
        }
    }
    cuzk_msm_plan_signed_c(p, n, bits, best);
}

/* Blocks of a hexagon: squares. Small ones waste few buckets at its edge, large ones leave few points
 * for window_sum. */
enum { SIDE_MIN = 2, SIDE_MAX = 5 };
/* The bases that cuzk_hex_base_of finds (test/msm), from 12 digits on. */
static const uint16_t HEX_M[] = {1573, 893, 550, 361, 250, 181, 136, 105, 83, 68,
                                 56,   47,  40,  35,  30,  27,  24,  22,  19, 18,
                                 16,   15,  14,  13,  12,  11,  11,  10,  10};
CUZK_STATIC_ASSERT(2 * SIDE_MAX <= MSM_BLOCK_BITS, "a block fits");

static void hex_blocks(cuzk_msm_plan *p, unsigned side)
{
    const uint32_t span = p->base.span;
    p->block_bits = 2 * side;
    p->q_bits = side;
    p->rows = 0;
    p->blocks = 0;
    for (uint32_t first = 1; 2 * first <= span; first += 1u << side) {
        const uint32_t a = span - 2 * first, b = (span - first) / 2; /* most q of the longest row */
        CUZK_ASSERT(p->rows < MSM_MAX_BLOCK_ROWS);
        p->row[p->rows++] = p->blocks;
        p->blocks += ((a < b ? a : b) >> side) + 1;
    }
    p->row[p->rows] = p->blocks;
}

static void hex_tables(cuzk_msm_plan *p)
{
    const unsigned side = p->q_bits;
    const uint32_t in = (1u << side) - 1;
    CUZK_ASSERT(p->base.span / 2 <= MSM_MAX_ROWS && p->block_bits == 2 * side);
    p->row_code[0] = MSM_CODE_NONE;
    for (uint32_t i = 0; i <= p->base.span / 2; i++) { /* p = i + 1, q = i */
        const uint32_t block = i >> side;
        if (i < p->base.span / 2) {
            p->row_code[i + 1] = (p->row[block] << p->block_bits | (i & in) << side)
                                 << MSM_ENTRY_SHIFT;
        }
        p->q_code[i] = (block << p->block_bits | (i & in)) << MSM_ENTRY_SHIFT;
    }
}

void cuzk_msm_plan_hex_digits(cuzk_msm_plan *p, size_t n, unsigned digits, unsigned side)
{
    CUZK_ASSERT(n > 0 && digits >= MSM_HEX_MIN_DIGITS && digits <= CUZK_HEX_MAX_DIGITS);
    p->hex = true;
    p->windows = digits;
    cuzk_hex_base_of(&p->base, digits);
    CUZK_DASSERT(p->base.m == HEX_M[digits - MSM_HEX_MIN_DIGITS]);
    hex_blocks(p, side);
    hex_tables(p);
    const uint32_t *r = p->base.recip;
    p->recip[0] = (uint64_t)r[0] << 32;
    p->recip[1] = (uint64_t)r[2] << 32 | r[1];
    p->recip[2] = (uint64_t)r[4] << 32 | r[3];
    /* Cutting off what is below 2^-b when digits w, w - 1, ..., 0 are left is an error of m^(w+1) 2^-b
     * at the end, here at most 2^-24; what matters is that it is far from 1/3. */
    double left = 0x1p24;
    for (unsigned w = 0; w < digits; w++) {
        left *= p->base.m;
        unsigned limbs = 1;
        double got = 0x1p32;
        while (got < left && limbs < 2 * MSM_HEX_FRACTION) {
            got *= 0x1p32;
            limbs++;
        }
        p->from[w] = (uint8_t)(2 * MSM_HEX_FRACTION - limbs);
    }
    partition(p, n, p->base.keys);
}

void cuzk_msm_plan_hex(cuzk_msm_plan *p, const cuzk_msm_engine *eng, size_t n)
{
    unsigned best = MSM_HEX_MIN_DIGITS, best_side = SIDE_MAX;
    double least = 0;
    for (unsigned d = MSM_HEX_MIN_DIGITS; d <= CUZK_HEX_MAX_DIGITS; d++) {
        /* Near enough for comparing: the hexagon's area. */
        const double keys =
            HEX_M[d - MSM_HEX_MIN_DIGITS] * (HEX_M[d - MSM_HEX_MIN_DIGITS] + 4.0) / 6;
        p->base.span = (HEX_M[d - MSM_HEX_MIN_DIGITS] + 2u) & ~1u;
        for (unsigned side = SIDE_MIN; side <= SIDE_MAX; side++) {
            if (((p->base.span / 2 - 1) >> side) >= MSM_MAX_BLOCK_ROWS) {
                continue;
            }
            hex_blocks(p, side);
            const double cost = d * window_cost(p, eng, (double)n, keys);
            if (least == 0 || cost < least) {
                least = cost;
                best = d;
                best_side = side;
            }
        }
    }
    cuzk_msm_plan_hex_digits(p, n, best, best_side);
}
