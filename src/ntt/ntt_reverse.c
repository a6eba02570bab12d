/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Position = (high q bits, middle, low q bits). Exchanging position and its reversal tile by tile:
 * the 2^q x 2^q tile of one middle value is read along rows of 2^q adjacent elements, and written
 * along such rows to the tile of the reversed middle, so every cache line is used whole.
 */
#include "ntt_internal.h"

#define LG_TILE 3u
#define TILE    (1u << LG_TILE)

typedef struct reverse_job {
    cuzk_fr *a;
    unsigned lg;
} reverse_job;

/* tile[rev(low)][rev(high)] = a at (high, mid, low): already in the order of its new place. */
static void take(cuzk_fr tile[TILE][TILE], const cuzk_fr *a, size_t mid, unsigned shift)
{
    for (size_t h = 0; h < TILE; h++) {
        const cuzk_fr *row = a + (h << shift) + (mid << LG_TILE);
        const size_t col = cuzk_ntt_bitrev(h, LG_TILE);
        for (size_t l = 0; l < TILE; l++) {
            tile[cuzk_ntt_bitrev(l, LG_TILE)][col] = row[l];
        }
    }
}

static void give(cuzk_fr *a, cuzk_fr tile[TILE][TILE], size_t mid, unsigned shift)
{
    for (size_t h = 0; h < TILE; h++) {
        cuzk_fr *row = a + (h << shift) + (mid << LG_TILE);
        for (size_t l = 0; l < TILE; l++) {
            row[l] = tile[h][l];
        }
    }
}

static cuzk_status reverse_tiles(void *arg, size_t begin, size_t end, unsigned worker)
{
    const reverse_job *j = arg;
    const unsigned mid_bits = j->lg - 2 * LG_TILE, shift = j->lg - LG_TILE;
    cuzk_fr x[TILE][TILE], y[TILE][TILE];
    (void)worker;
    for (size_t mid = begin; mid < end; mid++) {
        const size_t to = cuzk_ntt_bitrev(mid, mid_bits);
        if (mid > to) {
            continue; /* done from the other side */
        }
        take(x, j->a, mid, shift);
        if (mid != to) {
            take(y, j->a, to, shift);
            give(j->a, y, mid, shift);
        }
        give(j->a, x, to, shift);
    }
    return CUZK_OK;
}

cuzk_status cuzk_ntt_reverse(cuzk_fr *a, unsigned lg_n, cuzk_pool *pool, const cuzk_cancel *cancel,
                             cuzk_err *err)
{
    if (lg_n >= 2 * LG_TILE) {
        reverse_job j = {a, lg_n};
        const size_t mids = (size_t)1 << (lg_n - 2 * LG_TILE);
        const cuzk_status st = cuzk_parallel_for(pool, cancel, mids, 0, reverse_tiles, &j);
        return st == CUZK_OK ? st
                             : CUZK_FAIL(err, st, "bit reversal of 2^%u elements cancelled", lg_n);
    }
    for (size_t i = 0; i < (size_t)1 << lg_n; i++) {
        const size_t k = cuzk_ntt_bitrev(i, lg_n);
        if (i < k) {
            const cuzk_fr t = a[i];
            a[i] = a[k];
            a[k] = t;
        }
    }
    return CUZK_OK;
}
