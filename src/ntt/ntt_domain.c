/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/alloc.h"
#include "base/assert.h"

#include "ntt_internal.h"

const cuzk_ntt_kernel *cuzk_ntt_pick_kernel(void)
{
#ifdef CUZK_NTT_IFMA
    if (cuzk_cpu_has(CUZK_CPU_AVX512IFMA)) {
        return &cuzk_ntt_kernel_ifma;
    }
#endif
#ifdef CUZK_NTT_ADX
    if (cuzk_cpu_has(CUZK_CPU_ADX)) {
        return &cuzk_ntt_kernel_adx;
    }
#endif
    return &cuzk_ntt_kernel_c;
}

/* out[i] = base^i, i < n. */
static void fill_powers(cuzk_fr *out, const cuzk_fr *base, size_t n)
{
    out[0] = CUZK_FR_ONE;
    for (size_t i = 1; i < n; i++) {
        cuzk_fr_mul(&out[i], &out[i - 1], base);
    }
}

static void fill_reversed(cuzk_fr *out, const cuzk_fr *z)
{
    const unsigned bits = CUZK_NTT_LG_ROWS - 1;
    cuzk_fr p = CUZK_FR_ONE;
    for (size_t e = 0; e < CUZK_NTT_TABLE_LEN; e++) {
        out[cuzk_ntt_bitrev(e, bits)] = p;
        cuzk_fr_mul(&p, &p, z);
    }
}

static void fill_domain(cuzk_ntt_domain *d, const cuzk_fr *root_2_32)
{
    cuzk_fr z, hi_base;
    cuzk_fr_root_of_unity(&d->root, root_2_32, d->lg);
    cuzk_fr_from_u64(&d->n_inv, (uint64_t)1 << d->lg);
    cuzk_fr_inv(&d->n_inv, &d->n_inv);
    fill_powers(d->lo, &d->root, (size_t)1 << d->lg_lo);
    cuzk_fr_pow_u64(&hi_base, &d->root, (uint64_t)1 << d->lg_lo);
    fill_powers(d->hi, &hi_base, (size_t)1 << (d->lg - d->lg_lo));
    cuzk_fr_root_of_unity(&z, root_2_32, CUZK_NTT_LG_ROWS);
    fill_reversed(d->roots[0], &z);
    cuzk_fr_inv(&z, &z);
    fill_reversed(d->roots[1], &z);
    for (int i = 0; i < 2; i++) {
        d->kernel->make_table(d->table[i], d->roots[i], CUZK_NTT_TABLE_LEN);
    }
}

cuzk_status cuzk_ntt_domain_create(cuzk_ntt_domain **out, unsigned lg_n, const cuzk_fr *root_2_32,
                                   cuzk_pool *pool, cuzk_err *err)
{
    (void)pool; /* the tables are small: 2^16 + 2^16 roots for the largest domain */
    if (lg_n > CUZK_NTT_MAX_LG) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "NTT domain of 2^%u points: at most 2^%d", lg_n,
                         CUZK_NTT_MAX_LG);
    }
    cuzk_ntt_domain *d = cuzk_alloc_zero(1, sizeof(*d));
    if (d == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for an NTT domain");
    }
    d->lg = lg_n;
    d->lg_lo = (lg_n + 1) / 2;
    d->kernel = cuzk_ntt_pick_kernel();
    d->lo = cuzk_alloc((size_t)1 << d->lg_lo, sizeof(cuzk_fr));
    d->hi = cuzk_alloc((size_t)1 << (lg_n - d->lg_lo), sizeof(cuzk_fr));
    bool ok = d->lo != NULL && d->hi != NULL;
    for (int i = 0; i < 2; i++) {
        d->roots[i] = cuzk_alloc(CUZK_NTT_TABLE_LEN, sizeof(cuzk_fr));
        d->table[i] = cuzk_alloc(d->kernel->table_bytes, 1);
        ok = ok && d->roots[i] != NULL && d->table[i] != NULL;
    }
    if (!ok) {
        cuzk_ntt_domain_destroy(d);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the tables of a 2^%u NTT", lg_n);
    }
    fill_domain(d, root_2_32 != NULL ? root_2_32 : &CUZK_FR_ROOT_2_32);
    *out = d;
    return CUZK_OK;
}

void cuzk_ntt_domain_destroy(cuzk_ntt_domain *d)
{
    if (d == NULL) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        cuzk_free(d->roots[i]);
        cuzk_free(d->table[i]);
    }
    cuzk_free(d->hi);
    cuzk_free(d->lo);
    cuzk_free(d);
}

unsigned cuzk_ntt_domain_lg(const cuzk_ntt_domain *d)
{
    return d->lg;
}

const cuzk_fr *cuzk_ntt_domain_root(const cuzk_ntt_domain *d)
{
    return &d->root;
}

void cuzk_ntt_root_pow(cuzk_fr *out, const cuzk_ntt_domain *d, uint64_t e)
{
    CUZK_DASSERT(e >> d->lg == 0);
    const size_t mask = ((size_t)1 << d->lg_lo) - 1;
    cuzk_fr_mul(out, &d->lo[e & mask], &d->hi[e >> d->lg_lo]);
}
