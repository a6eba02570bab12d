/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_FF_FR_HD_H
#define CUZK_FF_FR_HD_H

#include <stdint.h>

#include "base/compiler.h"
#include "ff/gen/fr_const_gen.h"

/** Element of Fr, Montgomery form (a * 2^256 mod r), limbs little-endian, always < r unless stated. */
typedef struct cuzk_fr {
    uint64_t l[4];
} cuzk_fr;

CUZK_STATIC_ASSERT(sizeof(cuzk_fr) == 32, "fr is 32 bytes on host and device");

#define CUZK_MT_T        cuzk_fr
#define CUZK_MT_N        4
#define CUZK_MT_MOD      CUZK_FR_MOD_LIMBS
#define CUZK_MT_INV      CUZK_FR_INV
#define CUZK_MT_FN(verb) cuzk_fr_##verb
#include "ff/mont_hd_tmpl.h"

#endif /* CUZK_FF_FR_HD_H */
