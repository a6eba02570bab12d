/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Portable kernel. */

#include "ntt_internal.h"

static void forward_c(cuzk_fr *x, cuzk_fr *y, const cuzk_fr *w, size_t step, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        cuzk_fr m;
        cuzk_fr_mul_hd(&m, &w[i * step], &y[i]);
        cuzk_fr_sub_hd(&y[i], &x[i], &m);
        cuzk_fr_add_hd(&x[i], &x[i], &m);
    }
}

static void inverse_c(cuzk_fr *x, cuzk_fr *y, const cuzk_fr *w, size_t step, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        cuzk_fr d;
        cuzk_fr_sub_hd(&d, &x[i], &y[i]);
        cuzk_fr_add_hd(&x[i], &x[i], &y[i]);
        cuzk_fr_mul_c(&y[i], &d, &w[i * step]);
    }
}

#define CUZK_NS_NAME    cuzk_ntt_kernel_c
#define CUZK_NS_TEXT    "c"
#define CUZK_NS_MUL     cuzk_fr_mul_c
#define CUZK_NS_FORWARD forward_c
#define CUZK_NS_INVERSE inverse_c
#include "ntt_scalar_tmpl.h"
