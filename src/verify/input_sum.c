/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "verify/input_sum.h"

#include <string.h>

#include "base/alloc.h"
#include "ec/endo.h"

/*
 * Every term is split by the endomorphism, s P = k0 P + k1 (-phi(P)), into two of 128 bits. A half
 * scalar is cut into signed digits of c bits, -2^(c-1) <= digit < 2^(c-1), by adding the constant
 * that has 2^(c-1) in every digit: then each digit can be read alone, without carries.
 *
 * Few terms: a table of 1..8 times each base (Straus). Many: buckets (Pippenger).
 */
enum {
    STRAUS_BITS = 4,
    STRAUS_TABLE = 1 << (STRAUS_BITS - 1),
    STRAUS_MAX_TERMS = 24,
    MAX_BITS = 11
};

typedef struct half {
    uint64_t k[3]; /* offset included; below 2^(bits * windows) < 2^192 */
} half;

/* Enough digits that the top one of any half scalar (< 0.68 * 2^128) plus offset does not overflow. */
static unsigned window_count(unsigned bits)
{
    return (129 + bits - 1) / bits;
}

static void offset_of(uint64_t out[3], unsigned bits)
{
    memset(out, 0, 3 * sizeof(out[0]));
    for (unsigned i = 0; i < window_count(bits); i++) {
        const unsigned at = i * bits + bits - 1;
        out[at / 64] |= 1ULL << (at % 64);
    }
}

static void add_offset(half *h, const uint64_t k[2], const uint64_t offset[3])
{
    uint64_t c = 0;
    h->k[0] = cuzk_adc(k[0], offset[0], 0, &c);
    h->k[1] = cuzk_adc(k[1], offset[1], c, &c);
    h->k[2] = offset[2] + c;
}

static int digit_of(const half *h, unsigned window, unsigned bits)
{
    const unsigned at = window * bits, limb = at / 64, shift = at % 64;
    uint64_t v = h->k[limb] >> shift;
    if (shift + bits > 64 && limb < 2) {
        v |= h->k[limb + 1] << (64 - shift);
    }
    return (int)(v & ((1ULL << bits) - 1)) - (1 << (bits - 1));
}

/* The 2n half terms: halves[2i] with P, halves[2i + 1] with -phi(P). */
static void split_terms(half *halves, const cuzk_scalar *scalars, size_t n, unsigned bits)
{
    uint64_t offset[3], k0[2], k1[2];
    offset_of(offset, bits);
    for (size_t i = 0; i < n; i++) {
        cuzk_endo_split_g1_hd(k0, k1, scalars[i].l);
        add_offset(&halves[2 * i], k0, offset);
        add_offset(&halves[2 * i + 1], k1, offset);
    }
}

static void minus_endo(cuzk_g1_affine *out, const cuzk_g1_affine *p)
{
    cuzk_g1_affine_endo(out, p);
    cuzk_g1_affine_neg(out, out);
}

static void shift_left(cuzk_g1 *acc, unsigned bits)
{
    for (unsigned k = 0; k < bits && !cuzk_g1_is_infinity(acc); k++) {
        cuzk_g1_dbl(acc, acc);
    }
}

/* table [2n * STRAUS_TABLE], affine; jac and scratch [n * STRAUS_TABLE]. */
static void straus(cuzk_g1 *out, const cuzk_g1_affine *bases, const half *halves, size_t n,
                   cuzk_g1_affine *table, cuzk_g1 *jac, cuzk_fp *scratch)
{
    for (size_t i = 0; i < n; i++) {
        cuzk_g1 *row = &jac[i * STRAUS_TABLE];
        cuzk_g1_from_affine(&row[0], &bases[i]);
        for (size_t j = 1; j < STRAUS_TABLE; j++) {
            cuzk_g1_add_affine(&row[j], &row[j - 1], &bases[i]);
        }
    }
    /* The rows of P first, then those of -phi(P). */
    const size_t rows = n * STRAUS_TABLE;
    cuzk_g1_batch_to_affine(table, jac, scratch, rows);
    for (size_t i = 0; i < rows; i++) {
        minus_endo(&table[rows + i], &table[i]);
    }
    cuzk_g1 acc;
    cuzk_g1_set_infinity(&acc);
    for (unsigned w = window_count(STRAUS_BITS); w-- > 0;) {
        shift_left(&acc, STRAUS_BITS);
        for (size_t i = 0; i < 2 * n; i++) {
            const int d = digit_of(&halves[i], w, STRAUS_BITS);
            const cuzk_g1_affine *row = &table[(i % 2) * rows + (i / 2) * STRAUS_TABLE];
            cuzk_g1_affine t;
            if (d > 0) {
                cuzk_g1_add_affine(&acc, &acc, &row[d - 1]);
            } else if (d < 0) {
                cuzk_g1_affine_neg(&t, &row[-d - 1]);
                cuzk_g1_add_affine(&acc, &acc, &t);
            }
        }
    }
    *out = acc;
}

/* both [2n]: P and -phi(P) alternating; bucket [2^(bits - 1)]. */
static void pippenger(cuzk_g1 *out, const cuzk_g1_affine *both, const half *halves, size_t n,
                      cuzk_g1_xyzz *bucket, unsigned bits)
{
    const size_t n_buckets = (size_t)1 << (bits - 1);
    cuzk_g1 acc, t;
    cuzk_g1_set_infinity(&acc);
    for (unsigned w = window_count(bits); w-- > 0;) {
        memset(bucket, 0, n_buckets * sizeof(*bucket)); /* all infinity */
        for (size_t i = 0; i < 2 * n; i++) {
            const int d = digit_of(&halves[i], w, bits);
            cuzk_g1_affine m;
            if (d > 0) {
                cuzk_g1_xyzz_add_affine(&bucket[d - 1], &bucket[d - 1], &both[i]);
            } else if (d < 0) {
                cuzk_g1_affine_neg(&m, &both[i]);
                cuzk_g1_xyzz_add_affine(&bucket[-d - 1], &bucket[-d - 1], &m);
            }
        }
        cuzk_g1_xyzz run, sum; /* sum of (b + 1) bucket[b] by suffix sums */
        cuzk_g1_xyzz_set_infinity(&run);
        cuzk_g1_xyzz_set_infinity(&sum);
        for (size_t b = n_buckets; b-- > 0;) {
            cuzk_g1_xyzz_add(&run, &run, &bucket[b]);
            cuzk_g1_xyzz_add(&sum, &sum, &run);
        }
        shift_left(&acc, bits);
        cuzk_g1_from_xyzz(&t, &sum);
        cuzk_g1_add(&acc, &acc, &t);
    }
    *out = acc;
}

/* Digits for n terms: fewest multiplications, a mixed addition counted as 10 and a full one as 14. */
static unsigned best_bits(size_t n)
{
    unsigned best = STRAUS_BITS;
    double least = 0;
    for (unsigned bits = STRAUS_BITS; bits <= MAX_BITS; bits++) {
        const double adds = 2.0 * (double)n * 10 + (double)(1U << bits) * 14;
        const double cost = window_count(bits) * adds;
        if (bits == STRAUS_BITS || cost < least) {
            best = bits;
            least = cost;
        }
    }
    return best;
}

cuzk_status cuzk_verify_input_sum(cuzk_g1 *out, const cuzk_g1_affine *bases,
                                  const cuzk_scalar *scalars, size_t n)
{
    const bool few = n <= STRAUS_MAX_TERMS;
    const unsigned bits = few ? STRAUS_BITS : best_bits(n);
    const size_t rows = few ? n * STRAUS_TABLE : n; /* points of table / 2 */
    cuzk_status st = CUZK_E_NOMEM;
    if (n > SIZE_MAX / 1024) {
        return CUZK_E_NOMEM;
    }
    half *halves = cuzk_alloc(2 * n, sizeof(*halves));
    cuzk_g1_affine *table = cuzk_alloc(2 * rows, sizeof(*table));
    cuzk_g1 *jac = few ? cuzk_alloc(rows, sizeof(*jac)) : NULL;
    cuzk_fp *scratch = few ? cuzk_alloc(rows, sizeof(*scratch)) : NULL;
    cuzk_g1_xyzz *bucket = few ? NULL : cuzk_alloc((size_t)1 << (bits - 1), sizeof(*bucket));
    if (halves == NULL || table == NULL ||
        (few ? jac == NULL || scratch == NULL : bucket == NULL)) {
        goto out;
    }
    split_terms(halves, scalars, n, bits);
    if (few) {
        straus(out, bases, halves, n, table, jac, scratch);
    } else {
        for (size_t i = 0; i < n; i++) {
            table[2 * i] = bases[i];
            minus_endo(&table[2 * i + 1], &bases[i]);
        }
        pippenger(out, table, halves, n, bucket, bits);
    }
    st = CUZK_OK;
out:
    cuzk_free(halves);
    cuzk_free(table);
    cuzk_free(jac);
    cuzk_free(scratch);
    cuzk_free(bucket);
    return st;
}
