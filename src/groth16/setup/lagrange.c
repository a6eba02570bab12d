/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "lagrange.h"

#include "base/alloc.h"
#include "base/bytes.h"

/* One inversion per GRAIN values. */
#define GRAIN 2048u

cuzk_lagrange_points cuzk_lagrange_points_init(const cuzk_fr *root_2_32, unsigned lg,
                                               uint64_t first, uint64_t stride)
{
    cuzk_lagrange_points p = {.lg = lg, .first = first, .stride = stride};
    cuzk_fr_root_of_unity(&p.root, root_2_32, lg);
    return p;
}

static void pow2k(cuzk_fr *out, const cuzk_fr *x, unsigned lg)
{
    *out = *x;
    for (unsigned i = 0; i < lg; i++) {
        cuzk_fr_sqr(out, out);
    }
}

typedef struct lagrange_job {
    cuzk_fr *out;
    cuzk_fr *scratch; /* [workers * 2 * GRAIN] */
    uint64_t begin;
    const cuzk_lagrange_points *p;
    cuzk_fr x, step, scale; /* step: w^stride; scale: everything that does not depend on k */
} lagrange_job;

static cuzk_status lagrange_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    const lagrange_job *j = arg;
    cuzk_fr *inverses = j->scratch + (size_t)worker * 2 * GRAIN;
    cuzk_fr *points = inverses + GRAIN;
    const uint64_t e = j->p->first + j->p->stride * (j->begin + begin);
    const size_t n = end - begin;
    cuzk_fr point;
    cuzk_fr_pow_u64(&point, &j->p->root, e);
    for (size_t i = 0; i < n; i++) {
        cuzk_fr_sub(&inverses[i], &j->x, &point);
        points[i] = point;
        cuzk_fr_mul(&point, &point, &j->step);
    }
    cuzk_fr_batch_inv(inverses, j->out + begin, n); /* out serves as scratch first */
    for (size_t i = 0; i < n; i++) {
        cuzk_fr_mul(&points[i], &points[i], &j->scale);
        cuzk_fr_mul(&j->out[begin + i], &points[i], &inverses[i]);
    }
    return CUZK_OK;
}

cuzk_status cuzk_lagrange_at(cuzk_fr *out, uint64_t begin, size_t n, const cuzk_lagrange_points *p,
                             const cuzk_fr *x, const cuzk_fr *scale, cuzk_pool *pool,
                             const cuzk_cancel *cancel, cuzk_err *err)
{
    lagrange_job j = {.out = out, .begin = begin, .p = p, .x = *x};
    cuzk_fr t;
    cuzk_fr_pow_u64(&j.step, &p->root, p->stride);
    cuzk_fr_from_u64(&t, (uint64_t)1 << p->lg);
    cuzk_fr_inv(&t, &t);
    cuzk_fr_mul(&j.scale, &t, scale);
    pow2k(&t, x, p->lg);
    cuzk_fr_sub(&t, &t, &CUZK_FR_ONE);
    cuzk_fr_mul(&j.scale, &j.scale, &t);
    const size_t scratch_n = (size_t)cuzk_pool_threads(pool) * 2 * GRAIN;
    j.scratch = cuzk_alloc(scratch_n, sizeof(*j.scratch));
    cuzk_wipe(&t, sizeof(t)); /* follows from x, which is tau in a setup */
    if (j.scratch == NULL) {
        cuzk_wipe(&j, sizeof(j));
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for Lagrange values");
    }
    const cuzk_status st = cuzk_parallel_for(pool, cancel, n, GRAIN, lagrange_range, &j);
    cuzk_wipe(j.scratch, scratch_n * sizeof(*j.scratch));
    cuzk_free(j.scratch);
    cuzk_wipe(&j, sizeof(j));
    if (st != CUZK_OK) {
        return CUZK_FAIL(err, st, "Lagrange values: %s", cuzk_status_text(st));
    }
    return CUZK_OK;
}
