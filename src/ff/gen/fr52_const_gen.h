/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Made by tools/gen/gen_consts.py; do not edit. */
#ifndef CUZK_FF_GEN_FR52_CONST_GEN_H
#define CUZK_FF_GEN_FR52_CONST_GEN_H

/* clang-format off */
/* r */
#define CUZK_FR52_MOD \
    {0xfffff00000001ULL, 0x02fffe5bfefffULL, 0x9a1d80553bda4ULL, 0x7d483339d8080ULL, 0x073eda753299dULL}
/* 2^260 - r */
#define CUZK_FR52_MOD_NEG \
    {0x00000ffffffffULL, 0xfd0001a401000ULL, 0x65e27faac425bULL, 0x82b7ccc627f7fULL, 0xf8c1258acd662ULL}
/* 2r */
#define CUZK_FR52_MOD_X2 \
    {0xffffe00000002ULL, 0x05fffcb7fdfffULL, 0x343b00aa77b48ULL, 0xfa906673b0101ULL, 0x0e7db4ea6533aULL}
/* 4r */
#define CUZK_FR52_MOD_X4 \
    {0xffffc00000004ULL, 0x0bfff96ffbfffULL, 0x68760154ef690ULL, 0xf520cce760202ULL, 0x1cfb69d4ca675ULL}
/* 8r */
#define CUZK_FR52_MOD_X8 \
    {0xffff800000008ULL, 0x17fff2dff7fffULL, 0xd0ec02a9ded20ULL, 0xea4199cec0404ULL, 0x39f6d3a994cebULL}
/* 2^264 mod r: the 2^260-Montgomery product with it takes a*2^256 to a*2^260 */
#define CUZK_FR52_TWIST \
    {0x00234fffffdcbULL, 0x61039ef635000ULL, 0xdce3c3e2e7505ULL, 0x7fa6f1563642bULL, 0x0247db575276aULL}
/* -r^-1 mod 2^52 */
#define CUZK_FR52_INV 0xffffeffffffffULL
/* floor(2^98 / (floor(r / 2^208) + 1)): quotient by r from the top limb */
#define CUZK_FR52_QUOT 0x8d54253b7fb6eULL
/* clang-format on */

#endif /* CUZK_FF_GEN_FR52_CONST_GEN_H */
