/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Made by tools/gen/gen_consts.py; do not edit. */
#ifndef CUZK_EC_GEN_EC_CONST_GEN_H
#define CUZK_EC_GEN_EC_CONST_GEN_H

/* clang-format off */
/* generator of G1, x; Montgomery form */
#define CUZK_EC_G1_GEN_X_LIMBS \
    {0x5cb38790fd530c16ULL, 0x7817fc679976fff5ULL, 0x154f95c7143ba1c1ULL, 0xf0ae6acdf3d0e747ULL, 0xedce6ecc21dbf440ULL, 0x120177419e0bfb75ULL}
/* generator of G1, y; Montgomery form */
#define CUZK_EC_G1_GEN_Y_LIMBS \
    {0xbaac93d50ce72271ULL, 0x8c22631a7918fd8eULL, 0xdd595f13570725ceULL, 0x51ac582950405194ULL, 0x0e1c8c3fad0059c0ULL, 0x0bbc3efc5008a26aULL}
/* generator of G2, x, real part; Montgomery form */
#define CUZK_EC_G2_GEN_X_C0_LIMBS \
    {0xf5f28fa202940a10ULL, 0xb3f5fb2687b4961aULL, 0xa1a893b53e2ae580ULL, 0x9894999d1a3caee9ULL, 0x6f67b7631863366bULL, 0x058191924350bcd7ULL}
/* generator of G2, x, part of i; Montgomery form */
#define CUZK_EC_G2_GEN_X_C1_LIMBS \
    {0xa5a9c0759e23f606ULL, 0xaaa0c59dbccd60c3ULL, 0x3bb17e18e2867806ULL, 0x1b1ab6cc8541b367ULL, 0xc2b6ed0ef2158547ULL, 0x11922a097360edf3ULL}
/* generator of G2, y, real part; Montgomery form */
#define CUZK_EC_G2_GEN_Y_C0_LIMBS \
    {0x4c730af860494c4aULL, 0x597cfa1f5e369c5aULL, 0xe7e6856caa0a635aULL, 0xbbefb5e96e0d495fULL, 0x07d3a975f0ef25a2ULL, 0x0083fd8e7e80dae5ULL}
/* generator of G2, y, part of i; Montgomery form */
#define CUZK_EC_G2_GEN_Y_C1_LIMBS \
    {0xadc0fc92df64b05dULL, 0x18aa270a2b1461dcULL, 0x86adac6a3be4eba0ULL, 0x79495c4ec93da33aULL, 0xe7175850a43ccaedULL, 0x0b2bc2a163de1bf2ULL}
/* 2^((q-1)/3), a cube root of 1: (beta x, y) is -z^2 (x, y) in G1; Montgomery form */
#define CUZK_EC_BETA_LIMBS \
    {0x30f1361b798a64e8ULL, 0xf3b8ddab7ece5a2aULL, 0x16a8ca3ac61577f7ULL, 0xc26a2ff874fd029bULL, 0x3636b76660701c6eULL, 0x051ba4ab241b6160ULL}
/* beta^2: (beta^2 x, y) is -z^2 (x, y) in G2; Montgomery form */
#define CUZK_EC_BETA2_LIMBS \
    {0xcd03c9e48671f071ULL, 0x5dab22461fcda5d2ULL, 0x587042afd3851b95ULL, 0x8eb60ebe01bacb9eULL, 0x03f97d6e83d050d2ULL, 0x18f0206554638741ULL}
/* (1+i)^(-(q-1)/3), real part; Montgomery form */
#define CUZK_EC_PSI_X_C0_LIMBS \
    {0x0000000000000000ULL, 0x0000000000000000ULL, 0x0000000000000000ULL, 0x0000000000000000ULL, 0x0000000000000000ULL, 0x0000000000000000ULL}
/* (1+i)^(-(q-1)/3), part of i; Montgomery form */
#define CUZK_EC_PSI_X_C1_LIMBS \
    {0x890dc9e4867545c3ULL, 0x2af322533285a5d5ULL, 0x50880866309b7e2cULL, 0xa20d1b8c7e881024ULL, 0x14e4f04fe2db9068ULL, 0x14e56d3f1564853aULL}
/* (1+i)^(-(q-1)/2), real part; Montgomery form */
#define CUZK_EC_PSI_Y_C0_LIMBS \
    {0x3e2f585da55c9ad1ULL, 0x4294213d86c18183ULL, 0x382844c88b623732ULL, 0x92ad2afd19103e18ULL, 0x1d794e4fac7cf0b9ULL, 0x0bd592fc7d825ec8ULL}
/* (1+i)^(-(q-1)/2), part of i; Montgomery form */
#define CUZK_EC_PSI_Y_C1_LIMBS \
    {0x7bcfa7a25aa30fdaULL, 0xdc17dec12a927e7cULL, 0x2f088dd86b4ebef1ULL, 0xd1ca2087da74d4a7ULL, 0x2da2596696cebc1dULL, 0x0e2b7eedbbfd87d2ULL}
/* |z|; z is negative */
#define CUZK_EC_Z_ABS 0xd201000000010000ULL
/* floor((2^128 - 1) / |z|) - 2^64 */
#define CUZK_EC_Z_RECIPROCAL 0x381204ca56cd56b5ULL
/* z^2 */
#define CUZK_EC_Z2_LIMBS \
    {0x0000000100000000ULL, 0xac45a4010001a402ULL}
/* floor(2^255 / z^2) */
#define CUZK_EC_Z2_RECIPROCAL_LIMBS \
    {0xb1fb72917b67f717ULL, 0xbe35f678f00fd56eULL}
/* -z^2 mod r, the eigenvalue of (beta x, y) */
#define CUZK_EC_LAMBDA_LIMBS \
    {0xfffffffe00000001ULL, 0xa7780001fffcb7fcULL, 0x3339d80809a1d804ULL, 0x73eda753299d7d48ULL}
/* z mod r, the eigenvalue of psi */
#define CUZK_EC_PSI_LAMBDA_LIMBS \
    {0x2dfefffeffff0001ULL, 0x53bda402fffe5bfeULL, 0x3339d80809a1d805ULL, 0x73eda753299d7d48ULL}
/* clang-format on */

#endif /* CUZK_EC_GEN_EC_CONST_GEN_H */
