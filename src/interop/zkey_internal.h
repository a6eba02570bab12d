/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_INTEROP_ZKEY_INTERNAL_H
#define CUZK_INTEROP_ZKEY_INTERNAL_H

#include "interop/zkey.h"

#include "iden3_internal.h"

enum {
    CUZK_ZKEY_PROTOCOL = 1,
    CUZK_ZKEY_HEADER = 2,
    CUZK_ZKEY_IC = 3,
    CUZK_ZKEY_COEFS = 4,
    CUZK_ZKEY_A = 5,
    CUZK_ZKEY_B1 = 6,
    CUZK_ZKEY_B2 = 7,
    CUZK_ZKEY_C = 8, /* our section l */
    CUZK_ZKEY_H = 9,
    CUZK_ZKEY_CONTRIBUTIONS = 10
};

/** {u32 matrix, u32 row, u32 wire, value * 2^512 mod r as 32 bytes little-endian} */
#define CUZK_ZKEY_COEF_BYTES 44

/** Compiles section 4; fills info's n_constraints and n_coefs, the other fields are given. */
CUZK_NODISCARD cuzk_status cuzk_zkey_compile(cuzk_circuit **out, cuzk_zkey_info *info,
                                             const cuzk_iden3 *f, cuzk_err *err);

#endif /* CUZK_INTEROP_ZKEY_INTERNAL_H */
