/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/alloc.h"

#include "cuda_queue_internal.h"
#include "msm_cuda_internal.h"

static unsigned floor_lg(uint64_t n)
{
    unsigned lg = 0;
    while (n >> 1 >> lg != 0) {
        lg++;
    }
    return lg;
}

/* Windows of about lg n - 4 bits: 16 terms a bucket and window, so that the two additions per
 * bucket stay an eighth of the work; more when there are few terms. */
static cuzk_cuda_msm_shape shape_of(uint64_t n, unsigned nbits)
{
    cuzk_cuda_msm_shape s = {};
    const unsigned lg = floor_lg(n);
    s.n = n;
    s.nbits = nbits;
    s.c = lg < 10 ? 6 : lg - 4;
    if (s.c > CUZK_CUDA_MSM_MAX_C) {
        s.c = CUZK_CUDA_MSM_MAX_C;
    }
    s.windows = nbits / s.c + 1;
    s.top_bits = nbits - s.c * (s.windows - 1);
    s.buckets = (uint32_t)(((uint64_t)(s.windows - 1) << (s.c - 1)) + ((uint64_t)1 << s.top_bits));
    /* Few chunks, since each costs a short multiplication, but no fewer than fill the device. */
    s.lg_chunk = s.buckets > 1u << 22 ? 7 : s.buckets > 1u << 20 ? 5 : s.buckets > 1u << 19 ? 4 : 3;
    /* By lg n alone, so that no smaller n of the same lg has more segments. */
    const uint64_t work = (uint64_t)s.windows << lg;
    s.segment = work > (uint64_t)1 << 27 ? 128 : work > (uint64_t)1 << 24 ? 64 : 32;
    return s;
}

/* Chunks of the reduction: whole windows, so at most one more per window. */
static uint64_t chunk_count(const cuzk_cuda_msm_shape *s)
{
    return ((uint64_t)s->buckets >> s->lg_chunk) + s->windows;
}

static uint64_t segment_count(const cuzk_cuda_msm_shape *s)
{
    return (s->n * s->windows + s->segment - 1) / s->segment;
}

/* Room of one array at *at, which moves on; base NULL only counts. */
static void *place(char *base, uint64_t *at, uint64_t count, uint64_t size)
{
    void *p = base == NULL ? NULL : base + *at;
    *at = (*at + count * size + 255) & ~(uint64_t)255;
    return p;
}

static uint64_t max64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/*
 * Smaller n use the same workspace with other windows: every array takes the largest need over
 * all sizes, which are the sizes just below a change of window, powers of two less one, and n_max.
 */
static uint64_t place_all(cuzk_cuda_msm *m, char *base, uint64_t n_max, unsigned nbits)
{
    uint64_t terms = 1, buckets = 2, segments = 1, chunks = 1, windows = 1, at = 0;
    for (unsigned lg = 1; lg <= 28; lg++) {
        const uint64_t top = ((uint64_t)1 << lg) - 1;
        const uint64_t n = top < n_max ? top : n_max;
        const cuzk_cuda_msm_shape s = shape_of(n, nbits);
        terms = max64(terms, s.n * s.windows);
        buckets = max64(buckets, s.buckets);
        segments = max64(segments, segment_count(&s));
        segments = max64(segments, n / 32 + 1); /* sums of bits */
        chunks = max64(chunks, chunk_count(&s));
        windows = max64(windows, s.windows);
        if (n == n_max) {
            break;
        }
    }
    terms = max64(terms, n_max);
    /* Digits are dead once sorted, entries once in the list. */
    m->d_digits = (uint32_t *)place(base, &at, terms + 4 * windows, 4); /* rows in fours */
    m->d_entries = (uint64_t *)place(base, &at, terms, 8);
    m->d_list = (uint32_t *)place(base, &at, terms, 4);
    m->d_bin_start = (uint32_t *)place(base, &at, (windows << CUZK_CUDA_MSM_LG_BINS) + 1, 4);
    m->d_bin_next = (uint32_t *)place(base, &at, (windows << CUZK_CUDA_MSM_LG_BINS) + 1, 4);
    m->d_offset = (uint32_t *)place(base, &at, buckets + 1, 4);
    m->d_heavy = (uint32_t *)place(base, &at, buckets + 1, 4);
    m->d_buckets = (cuzk_g1_xyzz *)place(base, &at, buckets, sizeof(cuzk_g1_xyzz));
    m->d_heads = (cuzk_g1_xyzz *)place(base, &at, segments, sizeof(cuzk_g1_xyzz));
    m->d_chunks = (cuzk_g1_xyzz *)place(base, &at, chunks, sizeof(cuzk_g1_xyzz));
    m->d_partials =
        (cuzk_g1_xyzz *)place(base, &at, windows * CUZK_CUDA_MSM_PARTIALS, sizeof(cuzk_g1_xyzz));
    m->d_sums = (cuzk_g1_xyzz *)place(base, &at, windows, sizeof(cuzk_g1_xyzz));
    return at;
}

uint64_t cuzk_cuda_msm_bytes(uint64_t n_max, unsigned nbits)
{
    cuzk_cuda_msm m;
    return place_all(&m, NULL, n_max, nbits);
}

cuzk_status cuzk_cuda_msm_create(cuzk_cuda_msm **out, cuzk_cuda_queue *q, uint64_t n_max,
                                 unsigned nbits, cuzk_err *err)
{
    if (n_max > CUZK_CUDA_MSM_MAX_N) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "MSM of %llu terms on the GPU: at most 2^27",
                         (unsigned long long)n_max);
    }
    if (nbits < 1 || nbits > 255) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "MSM scalars of %u bits: 1 to 255", nbits);
    }
    cuzk_cuda_msm *m = (cuzk_cuda_msm *)cuzk_alloc_zero(1, sizeof(*m));
    if (m == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for an MSM workspace");
    }
    m->device = q->device;
    m->n_max = n_max;
    m->nbits = nbits;
    m->arena_bytes = cuzk_cuda_msm_bytes(n_max, nbits);
    const cuzk_status st = cuzk_cuda_alloc(q, &m->d_arena, m->arena_bytes, err);
    if (st != CUZK_OK) {
        cuzk_free(m);
        return st;
    }
    (void)place_all(m, (char *)m->d_arena, n_max, nbits);
    *out = m;
    return CUZK_OK;
}

void cuzk_cuda_msm_destroy(cuzk_cuda_msm *m, cuzk_cuda_queue *q)
{
    if (m != NULL) {
        cuzk_cuda_free(q, m->d_arena);
        cuzk_free(m);
    }
}

static cuzk_status check_call(const cuzk_cuda_msm *m, const cuzk_cuda_queue *q, uint64_t n,
                              cuzk_err *err)
{
    if (m->device != q->device) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "MSM workspace of device %d used on device %d",
                         m->device, q->device);
    }
    if (n > m->n_max) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "MSM of %llu terms in a workspace for %llu",
                         (unsigned long long)n, (unsigned long long)m->n_max);
    }
    return CUZK_CUDA(cudaSetDevice(q->device), err);
}

/* Wait for d_sums [windows] and join them. */
static cuzk_status collect(const cuzk_cuda_msm *m, cuzk_cuda_queue *q, cuzk_g1 *out,
                           unsigned windows, unsigned c, cuzk_err *err)
{
    cuzk_g1_xyzz sums[CUZK_CUDA_MSM_MAX_WIN];
    CUZK_TRY(cuzk_cuda_download(q, sums, m->d_sums, windows * sizeof(sums[0]), err));
    cuzk_cuda_msm_fold(out, sums, windows, c);
    return CUZK_OK;
}

cuzk_status cuzk_cuda_msm_g1(cuzk_cuda_msm *m, cuzk_cuda_queue *q, cuzk_g1 *out,
                             const cuzk_g1_affine *d_bases, const cuzk_scalar *d_scalars,
                             uint64_t n, cuzk_err *err)
{
    CUZK_TRY(check_call(m, q, n, err));
    if (n == 0) {
        cuzk_cuda_msm_fold(out, NULL, 0, 0);
        return CUZK_OK;
    }
    const cuzk_cuda_msm_shape s = shape_of(n, m->nbits);
    CUZK_TRY(cuzk_cuda_msm_sort(m, &s, q, d_scalars, err));
    CUZK_TRY(cuzk_cuda_msm_sum(m, &s, q, d_bases, err));
    return collect(m, q, out, s.windows, s.c, err);
}

cuzk_status cuzk_cuda_msm_bits_g1(cuzk_cuda_msm *m, cuzk_cuda_queue *q, cuzk_g1 *out,
                                  const cuzk_g1_affine *d_bases, const uint64_t *d_bits, uint64_t n,
                                  cuzk_err *err)
{
    CUZK_TRY(check_call(m, q, n, err));
    if (n == 0) {
        cuzk_cuda_msm_fold(out, NULL, 0, 0);
        return CUZK_OK;
    }
    CUZK_TRY(cuzk_cuda_msm_list_bits(m, q, d_bits, n, err));
    CUZK_TRY(cuzk_cuda_msm_sum_list(m, q, d_bases, n, err));
    return collect(m, q, out, 1, 0, err);
}
