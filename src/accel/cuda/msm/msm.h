/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_MSM_CUDA_H
#define CUZK_ACCEL_CUDA_MSM_CUDA_H

/*
 * Multi-scalar multiplication in G1 and G2 on a GPU. Conventions of msm/msm.h (bases affine on the
 * curve, infinity (0,0) allowed; scalars canonical, not secret); bases and scalars are in device
 * memory.
 *
 * A workspace serves one group. A call is an enqueue, which only adds work to the queue, and a
 * finish, which waits for that work alone and joins the result on the host; the joined calls do
 * both. A workspace holds one result at a time: finish it before the next enqueue. Its device
 * memory is used only between the enqueued work's start and end in the queue, so workspaces whose
 * work is in the same queue may lie in the same memory, results pending or not.
 */
#include "accel/cuda/queue/queue.h"
#include "ec/g1.h"
#include "ec/g2.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Workspace for sums of up to n_max terms on one device. @thread one call at a time. */
typedef struct cuzk_cuda_msm cuzk_cuda_msm;

typedef enum cuzk_cuda_msm_group { CUZK_CUDA_MSM_G1 = 0, CUZK_CUDA_MSM_G2 = 1 } cuzk_cuda_msm_group;

#define CUZK_CUDA_MSM_MAX_N ((uint64_t)1 << 28)

/** What the sums of a workspace multiply points by. Every workspace also sums bits. */
typedef enum cuzk_cuda_msm_form {
    CUZK_CUDA_MSM_OF_BITS,    /* bits alone; smaller for it */
    CUZK_CUDA_MSM_OF_SCALARS, /* scalars < 2^bits */
    CUZK_CUDA_MSM_OF_IMAGES   /* scalars, with images of the bases; G1 alone */
} cuzk_cuda_msm_form;
typedef struct cuzk_cuda_msm_terms {
    cuzk_cuda_msm_form form;
    unsigned bits; /* of scalars without images: 1 to 255; else 0 */
} cuzk_cuda_msm_terms;
static inline cuzk_cuda_msm_terms cuzk_cuda_msm_of_bits(void)
{
    const cuzk_cuda_msm_terms t = {CUZK_CUDA_MSM_OF_BITS, 0};
    return t;
}
static inline cuzk_cuda_msm_terms cuzk_cuda_msm_of_scalars(unsigned bits)
{
    const cuzk_cuda_msm_terms t = {CUZK_CUDA_MSM_OF_SCALARS, bits};
    return t;
}
static inline cuzk_cuda_msm_terms cuzk_cuda_msm_of_images(void)
{
    const cuzk_cuda_msm_terms t = {CUZK_CUDA_MSM_OF_IMAGES, 0};
    return t;
}

/**
 * Bits of a window for a sum of at least 2^lg scalars < 2^bits, and fewer than twice as many: what costs least. Both
 * groups take the same width.
 */
unsigned cuzk_cuda_msm_width(const cuzk_card_costs *costs, unsigned lg, unsigned bits);
/** As cuzk_cuda_msm_width: the windows of hexagonal digits, with images of the bases. */
unsigned cuzk_cuda_msm_hex_digits(const cuzk_card_costs *costs, unsigned lg);

/** Device bytes of the images of a base. */
#define CUZK_CUDA_MSM_IMAGE_BYTES 96u

/** Device bytes of a workspace on a card; the other arguments as for create. */
uint64_t cuzk_cuda_msm_bytes(const cuzk_card *card, uint64_t n_max, cuzk_cuda_msm_terms terms,
                             cuzk_cuda_msm_group group);
/**
 * @param n_max most terms, at most CUZK_CUDA_MSM_MAX_N
 * @param terms what the sums multiply by
 * @return E_INVALID, E_NOMEM, E_DEV_NOMEM
 */
CUZK_NODISCARD cuzk_status cuzk_cuda_msm_create(cuzk_cuda_msm **out, cuzk_cuda_queue *q,
                                                uint64_t n_max, cuzk_cuda_msm_terms terms,
                                                cuzk_cuda_msm_group group, cuzk_err *err);
/**
 * As create, in device memory of the caller, which stays the caller's: d_arena is 256-byte
 * aligned and has bytes >= cuzk_cuda_msm_bytes(card of the queue, n_max, terms, group), else E_INVALID.
 */
CUZK_NODISCARD cuzk_status cuzk_cuda_msm_create_in(cuzk_cuda_msm **out, cuzk_cuda_queue *q,
                                                   void *d_arena, uint64_t bytes, uint64_t n_max,
                                                   cuzk_cuda_msm_terms terms,
                                                   cuzk_cuda_msm_group group, cuzk_err *err);
/**
 * As cuzk_cuda_msm_bytes and _create_in for a workspace whose sums with scalars sort at most about 2^lg_batch
 * digits at a time: less memory, more launches. 0: what is fastest.
 */
uint64_t cuzk_cuda_msm_batch_bytes(const cuzk_card *card, uint64_t n_max, cuzk_cuda_msm_terms terms,
                                   unsigned lg_batch, cuzk_cuda_msm_group group);
CUZK_NODISCARD cuzk_status cuzk_cuda_msm_create_batch(cuzk_cuda_msm **out, cuzk_cuda_queue *q,
                                                      void *d_arena, uint64_t bytes, uint64_t n_max,
                                                      cuzk_cuda_msm_terms terms, unsigned lg_batch,
                                                      cuzk_cuda_msm_group group, cuzk_err *err);
/** Waits for the queue. NULL is fine. */
void cuzk_cuda_msm_destroy(cuzk_cuda_msm *m, cuzk_cuda_queue *q);

/**
 * Enqueues the sum of d_scalars[i] * d_bases[i], i < n <= n_max; scalars as the terms
 * of the workspace say. Does not wait. d_bases is 32-byte, d_scalars 16-byte aligned; they must stay until
 * the work is done. E_INVALID: too many terms, another device or group, a result not finished.
 */
CUZK_NODISCARD cuzk_status cuzk_cuda_msm_g1_enqueue(cuzk_cuda_msm *m, cuzk_cuda_queue *q,
                                                    const cuzk_g1_affine *d_bases,
                                                    const cuzk_scalar *d_scalars, uint64_t n,
                                                    cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_cuda_msm_g2_enqueue(cuzk_cuda_msm *m, cuzk_cuda_queue *q,
                                                    const cuzk_g2_affine *d_bases,
                                                    const cuzk_scalar *d_scalars, uint64_t n,
                                                    cuzk_err *err);
/** Makes the images of bases under the curve's endomorphism: d_images [n * CUZK_CUDA_MSM_IMAGE_BYTES],
 * 32-byte aligned. Does not wait. */
CUZK_NODISCARD cuzk_status cuzk_cuda_msm_make_images_g1(cuzk_cuda_queue *q, void *d_images,
                                                        const cuzk_g1_affine *d_bases, uint64_t n,
                                                        cuzk_err *err);
/**
 * cuzk_cuda_msm_g1_enqueue with the images of the bases, for a workspace of cuzk_cuda_msm_of_images:
 * scalars < 2^255, bases in the subgroup of order r (for others the result is another). A window
 * less for many terms.
 */
CUZK_NODISCARD cuzk_status cuzk_cuda_msm_images_g1_enqueue(cuzk_cuda_msm *m, cuzk_cuda_queue *q,
                                                           const cuzk_g1_affine *d_bases,
                                                           const void *d_images,
                                                           const cuzk_scalar *d_scalars, uint64_t n,
                                                           cuzk_err *err);
/** Enqueues the sum of the bases whose bit is set, as cuzk_msm_bits_g1; d_bits [(n + 63) / 64]. */
CUZK_NODISCARD cuzk_status cuzk_cuda_msm_bits_g1_enqueue(cuzk_cuda_msm *m, cuzk_cuda_queue *q,
                                                         const cuzk_g1_affine *d_bases,
                                                         const uint64_t *d_bits, uint64_t n,
                                                         cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_cuda_msm_bits_g2_enqueue(cuzk_cuda_msm *m, cuzk_cuda_queue *q,
                                                         const cuzk_g2_affine *d_bases,
                                                         const uint64_t *d_bits, uint64_t n,
                                                         cuzk_err *err);
/**
 * Enqueues the sum of n bases with signs, + where the bit is set, from their comb (accel/comb_hd.h). The
 * workspace is for sums of bits, of cuzk_accel_comb_groups(n, teeth) terms.
 */
CUZK_NODISCARD cuzk_status cuzk_cuda_msm_signs_enqueue(cuzk_cuda_msm *m, cuzk_cuda_queue *q,
                                                       cuzk_cuda_msm_group group,
                                                       const void *d_comb, const uint64_t *d_bits,
                                                       uint64_t n, unsigned teeth, cuzk_err *err);
/** Makes a comb in place; workspace: cuzk_cuda_msm_comb_bytes, 256-byte aligned. Does not wait. */
CUZK_NODISCARD cuzk_status cuzk_cuda_msm_comb_make(cuzk_cuda_queue *q, void *d_points, uint64_t n,
                                                   unsigned teeth, cuzk_cuda_msm_group group,
                                                   void *d_ws, uint64_t ws_bytes, cuzk_err *err);
uint64_t cuzk_cuda_msm_comb_bytes(uint64_t n, unsigned teeth, cuzk_cuda_msm_group group);
/**
 * Waits for the workspace's enqueued sum (of scalars or bits) and writes it to out, on the host; n
 * was 0: infinity. On failure out is not written; the result is gone either way. E_INVALID when
 * nothing is pending.
 */
CUZK_NODISCARD cuzk_status cuzk_cuda_msm_g1_finish(cuzk_cuda_msm *m, cuzk_g1 *out, cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_cuda_msm_g2_finish(cuzk_cuda_msm *m, cuzk_g2 *out, cuzk_err *err);

/** Enqueue and finish. On failure out is not written. */
CUZK_NODISCARD cuzk_status cuzk_cuda_msm_g1(cuzk_cuda_msm *m, cuzk_cuda_queue *q, cuzk_g1 *out,
                                            const cuzk_g1_affine *d_bases,
                                            const cuzk_scalar *d_scalars, uint64_t n,
                                            cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_cuda_msm_images_g1(cuzk_cuda_msm *m, cuzk_cuda_queue *q,
                                                   cuzk_g1 *out, const cuzk_g1_affine *d_bases,
                                                   const void *d_images,
                                                   const cuzk_scalar *d_scalars, uint64_t n,
                                                   cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_cuda_msm_g2(cuzk_cuda_msm *m, cuzk_cuda_queue *q, cuzk_g2 *out,
                                            const cuzk_g2_affine *d_bases,
                                            const cuzk_scalar *d_scalars, uint64_t n,
                                            cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_cuda_msm_bits_g1(cuzk_cuda_msm *m, cuzk_cuda_queue *q, cuzk_g1 *out,
                                                 const cuzk_g1_affine *d_bases,
                                                 const uint64_t *d_bits, uint64_t n, cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_cuda_msm_bits_g2(cuzk_cuda_msm *m, cuzk_cuda_queue *q, cuzk_g2 *out,
                                                 const cuzk_g2_affine *d_bases,
                                                 const uint64_t *d_bits, uint64_t n, cuzk_err *err);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_ACCEL_CUDA_MSM_CUDA_H */
