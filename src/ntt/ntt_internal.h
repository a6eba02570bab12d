/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_NTT_NTT_INTERNAL_H
#define CUZK_NTT_NTT_INTERNAL_H

/*
 * A transform is a few passes over memory; a pass cuts the array into independent groups of
 * 2^lg_rows rows x 8 lanes, and a kernel transforms the 8 columns of a group in worker-local
 * memory. docs/ntt.md derives the index formulas.
 */
#include "ntt/ntt.h"

#define CUZK_NTT_LANES     8u
#define CUZK_NTT_LG_LANES  3u
#define CUZK_NTT_LG_ROWS   10u /* largest group: 2^10 rows */
#define CUZK_NTT_MAX_PASS  11u /* 32 levels in passes of at least 3 */
#define CUZK_NTT_TABLE_LEN ((size_t)1 << (CUZK_NTT_LG_ROWS - 1))

/** What a kernel reads and writes: element (row i, lane l) is a[i * row_stride + l * lane_stride]. */
typedef struct cuzk_ntt_group {
    cuzk_fr *a;
    size_t row_stride;
    size_t lane_stride;   /* 1, or the number of rows with row_stride 1 */
    unsigned lg_rows;     /* 1..CUZK_NTT_LG_ROWS */
    bool reversed;        /* row i of the network is row bitrev(i) of memory */
    bool per_lane;        /* twiddles differ between lanes */
    bool plain;           /* twiddles are the kernel's own table (root 1), tw is not read */
    const void *tw;       /* made by the kernel's make_twiddles for lg_rows; kernel's layout */
    const cuzk_fr *scale; /* factor of every output of the inverse network; NULL: 1 */
    bool last;            /* outputs must be reduced; else the kernel may leave them < 2r */
    bool keep;            /* inverse: leave the result in worker memory ... */
    bool resident;        /* ... where forward then finds it instead of in a */
} cuzk_ntt_group;

/*
 * Network of a group of B = 2^b rows. Level t = 0..b-1 has 2^t blocks of B/2^t rows; block k joins
 * its upper half x and lower half y with the twiddle w(t,k):
 *     forward, t ascending:   x, y = x + w y, x - w y
 *     inverse, t descending:  x, y = x + y, (x - y) w
 * w(t,k) = T[k] * root^(2^(b-1-t)), T[k] the bit-reversed table of the domain (for inverse: the
 * inverse table).
 */
typedef struct cuzk_ntt_kernel {
    const char *name;
    size_t row_bytes;     /* of worker memory per row of a group */
    size_t table_bytes;   /* converted table of CUZK_NTT_TABLE_LEN roots */
    size_t lane_tw_bytes; /* twiddles per row, per_lane; shared ones need less */
    void (*make_table)(void *table, const cuzk_fr *roots, size_t n);
    /** roots [8] when per_lane, else [1]. */
    void (*make_twiddles)(void *tw, const void *table, const cuzk_fr *roots, bool per_lane,
                          unsigned lg_rows);
    void (*forward)(const cuzk_ntt_group *g, const void *table, void *rows);
    void (*inverse)(const cuzk_ntt_group *g, const void *table, void *rows);
} cuzk_ntt_kernel;

extern const cuzk_ntt_kernel cuzk_ntt_kernel_c;
#if defined(__x86_64__) && !defined(CUZK_PORTABLE)
#    define CUZK_NTT_ADX  1
#    define CUZK_NTT_IFMA 1
/** Needs CUZK_CPU_ADX. */
extern const cuzk_ntt_kernel cuzk_ntt_kernel_adx;
/** Needs CUZK_CPU_AVX512IFMA. */
extern const cuzk_ntt_kernel cuzk_ntt_kernel_ifma;
#endif
/** The best kernel that this build and cuzk_cpu_active allow. */
const cuzk_ntt_kernel *cuzk_ntt_pick_kernel(void);

struct cuzk_ntt_domain {
    unsigned lg;
    cuzk_fr root;   /* w */
    cuzk_fr n_inv;  /* 1/n */
    unsigned lg_lo; /* w^e = lo[e mod 2^lg_lo] * hi[e >> lg_lo] */
    cuzk_fr *lo, *hi;
    const cuzk_ntt_kernel *kernel; /* chosen at creation; the tables are in its layout */
    /* roots[0][k] = z^bitrev(k) over CUZK_NTT_LG_ROWS - 1 bits, z of order 2^CUZK_NTT_LG_ROWS:
     * a prefix of 2^t entries is the table of level t for any t. roots[1]: inverses. */
    cuzk_fr *roots[2];
    void *table[2]; /* roots in the kernel's layout */
};

/** out = w^e, e < 2^lg. */
void cuzk_ntt_root_pow(cuzk_fr *out, const cuzk_ntt_domain *d, uint64_t e);

/** Low `bits` bits of v reversed. bits 0..32. */
static inline uint64_t cuzk_ntt_bitrev(uint64_t v, unsigned bits)
{
    uint64_t r = __builtin_bswap64(v);
    r = (r >> 4 & 0x0f0f0f0f0f0f0f0fULL) | (r & 0x0f0f0f0f0f0f0f0fULL) << 4;
    r = (r >> 2 & 0x3333333333333333ULL) | (r & 0x3333333333333333ULL) << 2;
    r = (r >> 1 & 0x5555555555555555ULL) | (r & 0x5555555555555555ULL) << 1;
    return bits == 0 ? 0 : r >> (64 - bits);
}

#endif /* CUZK_NTT_NTT_INTERNAL_H */
