/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "accel/comb_hd.h"
#include "accel/cuda/queue/queue_internal.h"
#include "base/alloc.h"

#include "msm_internal.h"

struct cuzk_cuda_msm {
    int device;
    cuzk_cuda_msm_group group;
    uint64_t n_max;
    cuzk_cuda_msm_terms terms;
    void *d_own; /* the arena, when it is not the caller's */
    cuzk_cuda_msm_tuning tuning;
    cuzk_cuda_msm_memory mem;
    /* The result that is pending: the windows' sums arrive in pinned memory, then the event. */
    bool pending;
    unsigned windows, c; /* 0 windows: infinity */
    uint32_t base;       /* of hexagonal digits, or 0 */
    union {
        void *any;
        cuzk_g1_xyzz *g1;
        cuzk_g2_xyzz *g2;
    } sums;
    cudaEvent_t done;
};

static uint64_t xyzz_bytes(cuzk_cuda_msm_group group)
{
    return group == CUZK_CUDA_MSM_G1 ? sizeof(cuzk_g1_xyzz) : sizeof(cuzk_g2_xyzz);
}

static cuzk_cuda_msm_tuning batch_tuning(const cuzk_card *card, unsigned lg_batch,
                                         cuzk_cuda_msm_group group)
{
    cuzk_cuda_msm_tuning t = cuzk_cuda_msm_tuning_of(card, group);
    if (lg_batch != 0 && lg_batch < t.lg_batch_entries) {
        t.lg_batch_entries = lg_batch;
    }
    return t;
}

uint64_t cuzk_cuda_msm_batch_bytes(const cuzk_card *card, uint64_t n_max, cuzk_cuda_msm_terms terms,
                                   unsigned lg_batch, cuzk_cuda_msm_group group)
{
    const cuzk_cuda_msm_tuning t = batch_tuning(card, lg_batch, group);
    cuzk_cuda_msm_memory m;
    cuzk_cuda_msm_place(&m, NULL, n_max, terms, group, &t, card);
    return m.bytes;
}

uint64_t cuzk_cuda_msm_bytes(const cuzk_card *card, uint64_t n_max, cuzk_cuda_msm_terms terms,
                             cuzk_cuda_msm_group group)
{
    return cuzk_cuda_msm_batch_bytes(card, n_max, terms, 0, group);
}

static void destroy(cuzk_cuda_msm *m, cuzk_cuda_queue *q)
{
    if (m->done != NULL) {
        (void)cudaEventDestroy(m->done);
    }
    if (m->sums.any != NULL) {
        (void)cudaFreeHost(m->sums.any);
    }
    cuzk_cuda_free(q, m->d_own);
    cuzk_free(m);
}

cuzk_status cuzk_cuda_msm_create_tuned(cuzk_cuda_msm **out, cuzk_cuda_queue *q, void *d_arena,
                                       uint64_t bytes, uint64_t n_max, cuzk_cuda_msm_terms terms,
                                       cuzk_cuda_msm_group group, const cuzk_cuda_msm_tuning *t,
                                       cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    cuzk_cuda_msm_memory mem;
    if (n_max > CUZK_CUDA_MSM_MAX_N) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "MSM of %llu terms on the GPU: at most 2^28",
                         (unsigned long long)n_max);
    }
    if (group != CUZK_CUDA_MSM_G1 && group != CUZK_CUDA_MSM_G2) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "MSM in group number %d", (int)group);
    }
    if (terms.form == CUZK_CUDA_MSM_OF_SCALARS && (terms.bits == 0 || terms.bits > 255)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "MSM scalars of %u bits: 1 to 255", terms.bits);
    }
    if (terms.form == CUZK_CUDA_MSM_OF_IMAGES && group != CUZK_CUDA_MSM_G1) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "MSM with images of points of G2");
    }
    if (t->width != 0 && (t->width < 6 || t->width > CUZK_CUDA_MSM_MAX_C)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "MSM in windows of %u bits: 6 to %u", t->width,
                         CUZK_CUDA_MSM_MAX_C);
    }
    cuzk_cuda_msm_place(&mem, NULL, n_max, terms, group, t, &q->card);
    if (d_arena != NULL && ((uintptr_t)d_arena % 256 != 0 || bytes < mem.bytes)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "MSM workspace in %llu bytes at %p: needs %llu",
                         (unsigned long long)bytes, d_arena, (unsigned long long)mem.bytes);
    }
    cuzk_cuda_msm *m = (cuzk_cuda_msm *)cuzk_alloc_zero(1, sizeof(*m));
    if (m == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for an MSM workspace");
    }
    m->device = q->device;
    m->group = group;
    m->n_max = n_max;
    m->terms = terms;
    m->tuning = *t;
    if (d_arena == NULL) {
        CUZK_TRY_GOTO(st, cuzk_cuda_alloc(q, &m->d_own, mem.bytes, err));
        d_arena = m->d_own;
    }
    cuzk_cuda_msm_place(&m->mem, d_arena, n_max, terms, group, t, &q->card);
    CUZK_TRY_GOTO(st, CUZK_CUDA(cudaSetDevice(q->device), err));
    CUZK_TRY_GOTO(st, CUZK_CUDA(cudaEventCreateWithFlags(&m->done, CUZK_CUDA_SLEEP), err));
    CUZK_TRY_GOTO(st,
                  CUZK_CUDA(cudaHostAlloc(&m->sums.any, CUZK_CUDA_MSM_MAX_WIN * xyzz_bytes(group),
                                          cudaHostAllocDefault),
                            err));
    *out = m;
    return CUZK_OK;
out:
    destroy(m, q);
    return st;
}

cuzk_status cuzk_cuda_msm_create_batch(cuzk_cuda_msm **out, cuzk_cuda_queue *q, void *d_arena,
                                       uint64_t bytes, uint64_t n_max, cuzk_cuda_msm_terms terms,
                                       unsigned lg_batch, cuzk_cuda_msm_group group, cuzk_err *err)
{
    const cuzk_cuda_msm_tuning t = batch_tuning(&q->card, lg_batch, group);
    if (d_arena == NULL) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "MSM workspace in no memory");
    }
    return cuzk_cuda_msm_create_tuned(out, q, d_arena, bytes, n_max, terms, group, &t, err);
}

cuzk_status cuzk_cuda_msm_create_in(cuzk_cuda_msm **out, cuzk_cuda_queue *q, void *d_arena,
                                    uint64_t bytes, uint64_t n_max, cuzk_cuda_msm_terms terms,
                                    cuzk_cuda_msm_group group, cuzk_err *err)
{
    return cuzk_cuda_msm_create_batch(out, q, d_arena, bytes, n_max, terms, 0, group, err);
}

cuzk_status cuzk_cuda_msm_create(cuzk_cuda_msm **out, cuzk_cuda_queue *q, uint64_t n_max,
                                 cuzk_cuda_msm_terms terms, cuzk_cuda_msm_group group,
                                 cuzk_err *err)
{
    const cuzk_cuda_msm_tuning t = cuzk_cuda_msm_tuning_of(&q->card, group);
    return cuzk_cuda_msm_create_tuned(out, q, NULL, 0, n_max, terms, group, &t, err);
}

void cuzk_cuda_msm_destroy(cuzk_cuda_msm *m, cuzk_cuda_queue *q)
{
    if (m != NULL) {
        cuzk_cuda_queue_drain(q); /* the result may be on its way to m->sums */
        destroy(m, q);
    }
}

static cuzk_status check_call(const cuzk_cuda_msm *m, const cuzk_cuda_queue *q,
                              cuzk_cuda_msm_group group, bool bits, uint64_t n, cuzk_err *err)
{
    if (m->device != q->device) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "MSM workspace of device %d used on device %d",
                         m->device, q->device);
    }
    if (m->group != group) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "MSM workspace of the other group");
    }
    if (!bits && m->terms.form == CUZK_CUDA_MSM_OF_BITS) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "MSM workspace for bits used for scalars");
    }
    if (n > m->n_max) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "MSM of %llu terms in a workspace for %llu",
                         (unsigned long long)n, (unsigned long long)m->n_max);
    }
    if (m->pending) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "MSM workspace holds a result not yet fetched");
    }
    return CUZK_CUDA(cudaSetDevice(q->device), err);
}

static cuzk_status send(cuzk_cuda_msm *m, cuzk_cuda_queue *q, unsigned windows, unsigned c,
                        uint32_t base, cuzk_err *err)
{
    m->windows = windows;
    m->c = c;
    m->base = base;
    if (windows != 0) {
        const unsigned sums = base != 0 ? 2 * windows : windows;
        CUZK_TRY(CUZK_CUDA(cudaMemcpyAsync(m->sums.any, m->mem.d_sums, sums * xyzz_bytes(m->group),
                                           cudaMemcpyDeviceToHost, q->stream),
                           err));
        CUZK_TRY(CUZK_CUDA(cudaEventRecord(m->done, q->stream), err));
    }
    m->pending = true;
    return CUZK_OK;
}

/* The last of an enqueue: d_sums on their way to the host. */
static cuzk_status send_sums(cuzk_cuda_msm *m, cuzk_cuda_queue *q, unsigned windows, unsigned c,
                             cuzk_err *err)
{
    return send(m, q, windows, c, 0, err);
}

static cuzk_status enqueue_scalars(cuzk_cuda_msm *m, cuzk_cuda_queue *q, cuzk_cuda_msm_group group,
                                   const void *d_bases, const void *d_images,
                                   const cuzk_scalar *d_scalars, uint64_t n, cuzk_err *err)
{
    CUZK_TRY(check_call(m, q, group, false, n, err));
    if ((m->terms.form == CUZK_CUDA_MSM_OF_IMAGES) != (d_images != NULL)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "MSM %s images of the bases in a workspace for %s",
                         d_images != NULL ? "with" : "without", d_images != NULL ? "none" : "some");
    }
    if (n == 0) {
        return send_sums(m, q, 0, 0, err);
    }
    const bool g1 = group == CUZK_CUDA_MSM_G1;
    cuzk_cuda_msm_shape s;
    cuzk_cuda_msm_batch b;
    cuzk_cuda_msm_shape_of(&s, n, m->terms, &m->tuning, &q->card);
    for (unsigned i = 0; cuzk_cuda_msm_batch_of(&b, &s, &m->mem, i); i++) {
        CUZK_TRY(cuzk_cuda_msm_sort(&m->mem, &s, &b, q, d_scalars, err));
        CUZK_TRY((g1 ? cuzk_cuda_msm_accumulate_g1
                     : cuzk_cuda_msm_accumulate_g2)(&m->mem, &s, &b, q, d_bases, d_images, err));
    }
    if (s.hex) {
        CUZK_TRY(cuzk_cuda_msm_reduce_hex_g1(&m->mem, &s, q, err));
        return send(m, q, s.windows, 0, s.base.m, err);
    }
    CUZK_TRY((g1 ? cuzk_cuda_msm_reduce_g1 : cuzk_cuda_msm_reduce_g2)(&m->mem, &s, q, err));
    return send_sums(m, q, s.windows, s.c, err);
}

static cuzk_status enqueue_bits(cuzk_cuda_msm *m, cuzk_cuda_queue *q, cuzk_cuda_msm_group group,
                                const void *d_bases, const uint64_t *d_bits, uint64_t n,
                                cuzk_err *err)
{
    CUZK_TRY(check_call(m, q, group, true, n, err));
    if (n == 0) {
        return send_sums(m, q, 0, 0, err);
    }
    const bool g1 = group == CUZK_CUDA_MSM_G1;
    const unsigned levels = cuzk_cuda_msm_bits_levels(n, &m->tuning, &q->card);
    CUZK_TRY(cuzk_cuda_msm_list_bits(&m->mem, q, d_bits, n, levels, err));
    CUZK_TRY((g1 ? cuzk_cuda_msm_sum_list_g1 : cuzk_cuda_msm_sum_list_g2)(&m->mem, q, d_bases, n,
                                                                          levels, err));
    return send_sums(m, q, 1, 0, err);
}

cuzk_status cuzk_cuda_msm_signs_enqueue(cuzk_cuda_msm *m, cuzk_cuda_queue *q,
                                        cuzk_cuda_msm_group group, const void *d_comb,
                                        const uint64_t *d_bits, uint64_t n, unsigned teeth,
                                        cuzk_err *err)
{
    const uint64_t terms = teeth == 0 ? n : cuzk_accel_comb_groups(n, teeth);
    CUZK_TRY(check_call(m, q, group, true, terms, err));
    if (n == 0) {
        return send_sums(m, q, 0, 0, err);
    }
    const bool g1 = group == CUZK_CUDA_MSM_G1;
    const unsigned levels = cuzk_cuda_msm_bits_levels(terms, &m->tuning, &q->card);
    CUZK_TRY(cuzk_cuda_msm_list_signs(&m->mem, q, d_bits, n, teeth, levels, err));
    CUZK_TRY((g1 ? cuzk_cuda_msm_sum_list_g1 : cuzk_cuda_msm_sum_list_g2)(&m->mem, q, d_comb, terms,
                                                                          levels, err));
    return send_sums(m, q, 1, 0, err);
}

/* Waits for the sums. */
static cuzk_status wait_sums(cuzk_cuda_msm *m, cuzk_cuda_msm_group group, cuzk_err *err)
{
    if (m->group != group || !m->pending) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "MSM workspace holds no result of this group");
    }
    m->pending = false;
    if (m->windows == 0) {
        return CUZK_OK;
    }
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(m->device), err));
    return CUZK_CUDA(cudaEventSynchronize(m->done), err);
}

cuzk_status cuzk_cuda_msm_g1_finish(cuzk_cuda_msm *m, cuzk_g1 *out, cuzk_err *err)
{
    CUZK_TRY(wait_sums(m, CUZK_CUDA_MSM_G1, err));
    if (m->base != 0) {
        cuzk_cuda_msm_fold_hex_g1(out, m->sums.g1, m->windows, m->base);
    } else {
        cuzk_cuda_msm_fold_g1(out, m->sums.g1, m->windows, m->c);
    }
    return CUZK_OK;
}

cuzk_status cuzk_cuda_msm_g2_finish(cuzk_cuda_msm *m, cuzk_g2 *out, cuzk_err *err)
{
    CUZK_TRY(wait_sums(m, CUZK_CUDA_MSM_G2, err));
    cuzk_cuda_msm_fold_g2(out, m->sums.g2, m->windows, m->c);
    return CUZK_OK;
}

cuzk_status cuzk_cuda_msm_g1_enqueue(cuzk_cuda_msm *m, cuzk_cuda_queue *q,
                                     const cuzk_g1_affine *d_bases, const cuzk_scalar *d_scalars,
                                     uint64_t n, cuzk_err *err)
{
    return enqueue_scalars(m, q, CUZK_CUDA_MSM_G1, d_bases, NULL, d_scalars, n, err);
}

cuzk_status cuzk_cuda_msm_images_g1_enqueue(cuzk_cuda_msm *m, cuzk_cuda_queue *q,
                                            const cuzk_g1_affine *d_bases, const void *d_images,
                                            const cuzk_scalar *d_scalars, uint64_t n, cuzk_err *err)
{
    if (d_images == NULL) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "MSM with images at no address");
    }
    return enqueue_scalars(m, q, CUZK_CUDA_MSM_G1, d_bases, d_images, d_scalars, n, err);
}

cuzk_status cuzk_cuda_msm_g2_enqueue(cuzk_cuda_msm *m, cuzk_cuda_queue *q,
                                     const cuzk_g2_affine *d_bases, const cuzk_scalar *d_scalars,
                                     uint64_t n, cuzk_err *err)
{
    return enqueue_scalars(m, q, CUZK_CUDA_MSM_G2, d_bases, NULL, d_scalars, n, err);
}

cuzk_status cuzk_cuda_msm_bits_g1_enqueue(cuzk_cuda_msm *m, cuzk_cuda_queue *q,
                                          const cuzk_g1_affine *d_bases, const uint64_t *d_bits,
                                          uint64_t n, cuzk_err *err)
{
    return enqueue_bits(m, q, CUZK_CUDA_MSM_G1, d_bases, d_bits, n, err);
}

cuzk_status cuzk_cuda_msm_bits_g2_enqueue(cuzk_cuda_msm *m, cuzk_cuda_queue *q,
                                          const cuzk_g2_affine *d_bases, const uint64_t *d_bits,
                                          uint64_t n, cuzk_err *err)
{
    return enqueue_bits(m, q, CUZK_CUDA_MSM_G2, d_bases, d_bits, n, err);
}

cuzk_status cuzk_cuda_msm_g1(cuzk_cuda_msm *m, cuzk_cuda_queue *q, cuzk_g1 *out,
                             const cuzk_g1_affine *d_bases, const cuzk_scalar *d_scalars,
                             uint64_t n, cuzk_err *err)
{
    CUZK_TRY(cuzk_cuda_msm_g1_enqueue(m, q, d_bases, d_scalars, n, err));
    return cuzk_cuda_msm_g1_finish(m, out, err);
}

cuzk_status cuzk_cuda_msm_images_g1(cuzk_cuda_msm *m, cuzk_cuda_queue *q, cuzk_g1 *out,
                                    const cuzk_g1_affine *d_bases, const void *d_images,
                                    const cuzk_scalar *d_scalars, uint64_t n, cuzk_err *err)
{
    CUZK_TRY(cuzk_cuda_msm_images_g1_enqueue(m, q, d_bases, d_images, d_scalars, n, err));
    return cuzk_cuda_msm_g1_finish(m, out, err);
}

cuzk_status cuzk_cuda_msm_g2(cuzk_cuda_msm *m, cuzk_cuda_queue *q, cuzk_g2 *out,
                             const cuzk_g2_affine *d_bases, const cuzk_scalar *d_scalars,
                             uint64_t n, cuzk_err *err)
{
    CUZK_TRY(cuzk_cuda_msm_g2_enqueue(m, q, d_bases, d_scalars, n, err));
    return cuzk_cuda_msm_g2_finish(m, out, err);
}

cuzk_status cuzk_cuda_msm_bits_g1(cuzk_cuda_msm *m, cuzk_cuda_queue *q, cuzk_g1 *out,
                                  const cuzk_g1_affine *d_bases, const uint64_t *d_bits, uint64_t n,
                                  cuzk_err *err)
{
    CUZK_TRY(cuzk_cuda_msm_bits_g1_enqueue(m, q, d_bases, d_bits, n, err));
    return cuzk_cuda_msm_g1_finish(m, out, err);
}

cuzk_status cuzk_cuda_msm_bits_g2(cuzk_cuda_msm *m, cuzk_cuda_queue *q, cuzk_g2 *out,
                                  const cuzk_g2_affine *d_bases, const uint64_t *d_bits, uint64_t n,
                                  cuzk_err *err)
{
    CUZK_TRY(cuzk_cuda_msm_bits_g2_enqueue(m, q, d_bases, d_bits, n, err));
    return cuzk_cuda_msm_g2_finish(m, out, err);
}
