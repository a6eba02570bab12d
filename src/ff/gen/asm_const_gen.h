/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Made by tools/gen/gen_consts.py; do not edit. */
#ifndef CUZK_FF_GEN_ASM_CONST_GEN_H
#define CUZK_FF_GEN_ASM_CONST_GEN_H

/* clang-format off */
/* the modulus */
#define CUZK_FR_MOD_QUADS 0xffffffff00000001, 0x53bda402fffe5bfe, 0x3339d80809a1d805, 0x73eda753299d7d48
/* 2^-64 mod modulus */
#define CUZK_FR_R64_QUADS 0xac43fffd0001a403, 0x16e1f3f5a29edff6, 0x95aeb36cacca82b5, 0x73eda752b5afd5f4
/* -mod^-1 mod 2^64 */
#define CUZK_FR_INV_QUAD 0xfffffffeffffffff
/* the modulus */
#define CUZK_FP_MOD_QUADS 0xb9feffffffffaaab, 0x1eabfffeb153ffff, 0x6730d2a0f6b0f624, 0x64774b84f38512bf, 0x4b1ba7b6434bacd7, 0x1a0111ea397fe69a
/* 2^-64 mod modulus */
#define CUZK_FP_R64_QUADS 0x6a4aaa14be07a408, 0x5d4f098d2923b9a3, 0x622385e49d0feeb0, 0x5fb6d192233b3b63, 0x2cffcd0f221a175b, 0x0e035b9b1e00bc8e
/* -mod^-1 mod 2^64 */
#define CUZK_FP_INV_QUAD 0x89f3fffcfffcfffd
/* q * 2^382, limbs 5 to 11 */
#define CUZK_FP_MOD_SHL382_HIGH_QUADS 0xc000000000000000, 0xee7fbfffffffeaaa, 0x07aaffffac54ffff, 0xd9cc34a83dac3d89, 0xd91dd2e13ce144af, 0x92c6e9ed90d2eb35, 0x0680447a8e5ff9a6
/* clang-format on */

#endif /* CUZK_FF_GEN_ASM_CONST_GEN_H */
