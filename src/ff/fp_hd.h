/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_FF_FP_HD_H
#define CUZK_FF_FP_HD_H

#include <stdint.h>

#include "base/compiler.h"
#include "ff/gen/fp_const_gen.h"

/** Element of Fp, Montgomery form (a * 2^384 mod q), limbs little-endian, always < q unless stated. */
typedef struct cuzk_fp {
    uint64_t l[6];
} cuzk_fp;

CUZK_STATIC_ASSERT(sizeof(cuzk_fp) == 48, "fp is 48 bytes on host and device");

#define CUZK_MT_T        cuzk_fp
#define CUZK_MT_N        6
#define CUZK_MT_MOD      CUZK_FP_MOD_LIMBS
#define CUZK_MT_INV      CUZK_FP_INV
#define CUZK_MT_FN(verb) cuzk_fp_##verb
#include "ff/mont_hd_tmpl.h"

#endif /* CUZK_FF_FP_HD_H */
