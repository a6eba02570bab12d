/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/assert.h"
#include "r1cs/build/builder_internal.h"

static cuzk_coef intern(cuzk_builder *b, const cuzk_fr *v)
{
    if (cuzk_builder_is_dead(b)) {
        return CUZK_COEF_NONE;
    }
    if (cuzk_fr_is_zero(v)) {
        return CUZK_COEF_ZERO;
    }
    const uint32_t i = cuzk_coef_table_intern(&b->coefs, v);
    if (i == CUZK_COEF_NONE) {
        b->status = CUZK_FAIL(&b->err, CUZK_E_NOMEM, "no memory for %u coefficients", b->coefs.n);
    }
    return i;
}

cuzk_coef cuzk_builder_coef(cuzk_builder *b, const cuzk_fr *value)
{
    return intern(b, value);
}

const cuzk_fr *cuzk_builder_coef_value(const cuzk_builder *b, cuzk_coef c)
{
    return c < b->coefs.n ? &b->coefs.value[c] : &CUZK_FR_ZERO;
}

cuzk_coef cuzk_builder_coef_pow2(cuzk_builder *b, unsigned k)
{
    CUZK_ASSERT(k <= 254);
    if (k < CUZK_COEF_MINUS_ONE) {
        return k;
    }
    cuzk_fr v = *cuzk_builder_coef_value(b, CUZK_COEF_MINUS_ONE - 1);
    for (unsigned i = CUZK_COEF_MINUS_ONE - 1; i < k; i++) {
        cuzk_fr_dbl(&v, &v);
    }
    return intern(b, &v);
}

cuzk_coef cuzk_builder_coef_neg(cuzk_builder *b, cuzk_coef c)
{
    if (c == CUZK_COEF_ONE) {
        return CUZK_COEF_MINUS_ONE;
    }
    cuzk_fr v;
    cuzk_fr_neg(&v, cuzk_builder_coef_value(b, c));
    return intern(b, &v);
}

cuzk_coef cuzk_builder_coef_mul(cuzk_builder *b, cuzk_coef x, cuzk_coef y)
{
    if (x < CUZK_COEF_MINUS_ONE && y < CUZK_COEF_MINUS_ONE && x + y < CUZK_COEF_MINUS_ONE) {
        return x + y; /* 2^x 2^y */
    }
    cuzk_fr v;
    cuzk_fr_mul(&v, cuzk_builder_coef_value(b, x), cuzk_builder_coef_value(b, y));
    return intern(b, &v);
}

cuzk_coef cuzk_builder_coef_add(cuzk_builder *b, cuzk_coef x, cuzk_coef y)
{
    if (x == y && x < CUZK_COEF_MINUS_ONE - 1) {
        return x + 1;
    }
    cuzk_fr v;
    cuzk_fr_add(&v, cuzk_builder_coef_value(b, x), cuzk_builder_coef_value(b, y));
    return intern(b, &v);
}
