/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The srs object: creation from arrays and callbacks, getters, release. */
#include <string.h>

#include "base/alloc.h"
#include "groth16/params/srs.h"

#include "srs_internal.h"

cuzk_srs *cuzk_srs_new(const char *name)
{
    cuzk_srs *srs = cuzk_alloc_zero(1, sizeof(*srs));
    const size_t n = strlen(name) + 1;
    char *copy = cuzk_alloc(n, 1);
    if (srs == NULL || copy == NULL) {
        cuzk_free(srs);
        cuzk_free(copy);
        return NULL;
    }
    memcpy(copy, name, n);
    srs->name = copy;
    return srs;
}

cuzk_status cuzk_srs_dup_file(cuzk_srs **out, const cuzk_srs *srs, cuzk_err *err)
{
    if (srs->file == NULL) {
        return CUZK_FAIL(err, CUZK_E_UNSUPPORTED, "%s: not a file", srs->name);
    }
    cuzk_srs *d = cuzk_srs_new(srs->name);
    if (d == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to open %s", srs->name);
    }
    const cuzk_status st = cuzk_file_dup(&d->file, srs->file, err);
    if (st != CUZK_OK) {
        cuzk_srs_close(d);
        return st;
    }
    d->vk.n_ic = srs->vk.n_ic;
    memcpy(d->count, srs->count, sizeof(d->count));
    memcpy(d->offset, srs->offset, sizeof(d->offset));
    d->size = srs->size;
    d->quotient = srs->quotient;
    d->all_wires = srs->all_wires;
    *out = d;
    return CUZK_OK;
}

void cuzk_srs_close(cuzk_srs *srs)
{
    if (srs == NULL) {
        return;
    }
    if (srs->source.destroy != NULL) {
        srs->source.destroy(srs->source.arg);
    }
    for (size_t i = 0; i < 4; i++) {
        cuzk_free(srs->arrays.g1[i]);
    }
    cuzk_free(srs->arrays.b_g2);
    cuzk_free(srs->ic);
    cuzk_free(srs->name);
    cuzk_file_close(srs->file);
    cuzk_free(srs);
}

static cuzk_status check_counts(const cuzk_srs_source *s, cuzk_err *err)
{
    const uint64_t *n = s->count;
    const uint64_t wires = s->vk.n_ic + n[CUZK_SRS_L];
    const uint64_t m = n[CUZK_SRS_H] + (s->quotient == CUZK_QUOTIENT_COEFFS ? 1 : 0);
    if (s->vk.n_ic == 0) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "parameters without an ic point");
    }
    if (m == 0 || (m & (m - 1)) != 0) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "section h with %llu points fits no domain",
                         (unsigned long long)n[CUZK_SRS_H]);
    }
    if (n[CUZK_SRS_B_G1] != n[CUZK_SRS_B_G2]) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "b_g1 has %llu points and b_g2 %llu",
                         (unsigned long long)n[CUZK_SRS_B_G1],
                         (unsigned long long)n[CUZK_SRS_B_G2]);
    }
    for (unsigned i = CUZK_SRS_A; i <= CUZK_SRS_B_G1; i++) {
        if (n[i] > wires || (s->all_wires && n[i] != wires)) {
            return CUZK_FAIL(err, CUZK_E_INVALID, "section %s has %llu points, wires are %llu",
                             cuzk_srs_section_name((cuzk_srs_section)i), (unsigned long long)n[i],
                             (unsigned long long)wires);
        }
    }
    return CUZK_OK;
}

static cuzk_status create_common(cuzk_srs **out, const cuzk_srs_source *source, cuzk_err *err)
{
    CUZK_TRY(check_counts(source, err));
    cuzk_srs *srs = cuzk_srs_new("parameters in memory");
    cuzk_g1_affine *ic = cuzk_alloc(source->vk.n_ic, sizeof(*ic));
    if (srs == NULL || ic == NULL) {
        cuzk_srs_close(srs);
        cuzk_free(ic);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for %u ic points", source->vk.n_ic);
    }
    memcpy(ic, source->vk.ic, source->vk.n_ic * sizeof(*ic));
    srs->vk = source->vk;
    srs->vk.ic = srs->ic = ic;
    memcpy(srs->count, source->count, sizeof(srs->count));
    srs->quotient = source->quotient;
    srs->all_wires = source->all_wires;
    *out = srs;
    return CUZK_OK;
}

cuzk_status cuzk_srs_create(cuzk_srs **out, const cuzk_srs_source *source, cuzk_err *err)
{
    cuzk_srs *srs;
    CUZK_TRY(create_common(&srs, source, err));
    srs->source = *source;
    *out = srs;
    return CUZK_OK;
}

cuzk_status cuzk_srs_create_from_arrays(cuzk_srs **out, const cuzk_srs_source *source,
                                        const cuzk_srs_arrays *arrays, cuzk_err *err)
{
    cuzk_srs *srs;
    CUZK_TRY(create_common(&srs, source, err));
    srs->in_memory = true;
    srs->arrays = *arrays;
    *out = srs;
    return CUZK_OK;
}

const cuzk_srs_vk *cuzk_srs_get_vk(const cuzk_srs *srs)
{
    return &srs->vk;
}

uint64_t cuzk_srs_count(const cuzk_srs *srs, cuzk_srs_section s)
{
    return srs->count[s];
}

cuzk_quotient_kind cuzk_srs_quotient(const cuzk_srs *srs)
{
    return srs->quotient;
}

bool cuzk_srs_all_wires(const cuzk_srs *srs)
{
    return srs->all_wires;
}

const cuzk_g1_affine *cuzk_srs_g1_array(const cuzk_srs *srs, cuzk_srs_section s)
{
    return srs->in_memory && s != CUZK_SRS_B_G2 ? srs->arrays.g1[s] : NULL;
}

const cuzk_g2_affine *cuzk_srs_g2_array(const cuzk_srs *srs)
{
    return srs->in_memory ? srs->arrays.b_g2 : NULL;
}

const char *cuzk_srs_section_name(cuzk_srs_section s)
{
    static const char *const names[CUZK_SRS_SECTIONS] = {"h", "l", "a", "b_g1", "b_g2"};
    return names[s];
}
