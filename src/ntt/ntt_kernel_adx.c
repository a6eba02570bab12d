/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Kernel on mulx, adcx and adox: whole levels in assembly (x86/ntt_butterfly_adx.S). */
#include "ntt_internal.h"

#ifdef CUZK_NTT_ADX
void cuzk_ntt_forward_adx(uint64_t *x, uint64_t *y, const uint64_t *w, size_t step, size_t n);
void cuzk_ntt_inverse_adx(uint64_t *x, uint64_t *y, const uint64_t *w, size_t step, size_t n);

static void forward_adx(cuzk_fr *x, cuzk_fr *y, const cuzk_fr *w, size_t step, size_t n)
{
    cuzk_ntt_forward_adx(x->l, y->l, w->l, step * sizeof(*w), n);
}

static void inverse_adx(cuzk_fr *x, cuzk_fr *y, const cuzk_fr *w, size_t step, size_t n)
{
    cuzk_ntt_inverse_adx(x->l, y->l, w->l, step * sizeof(*w), n);
}

#    define CUZK_NS_NAME    cuzk_ntt_kernel_adx
#    define CUZK_NS_TEXT    "adx"
#    define CUZK_NS_MUL     cuzk_fr_mul_adx
#    define CUZK_NS_FORWARD forward_adx
#    define CUZK_NS_INVERSE inverse_adx
#    include "ntt_scalar_tmpl.h"
#endif
