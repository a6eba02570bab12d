/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Made by tools/gen/gen_consts.py; do not edit. */
#ifndef CUZK_MSM_GEN_MSM_CONST_GEN_H
#define CUZK_MSM_GEN_MSM_CONST_GEN_H

/* clang-format off */
/* cube root of unity with (beta*x, y) = [z^2 - 1](x, y) in G1; Montgomery form */
#define CUZK_MSM_G1_BETA_LIMBS \
    {0xcd03c9e48671f071ULL, 0x5dab22461fcda5d2ULL, 0x587042afd3851b95ULL, 0x8eb60ebe01bacb9eULL, 0x03f97d6e83d050d2ULL, 0x18f0206554638741ULL}
/* the same in G2; Montgomery form */
#define CUZK_MSM_G2_BETA_LIMBS \
    {0x30f1361b798a64e8ULL, 0xf3b8ddab7ece5a2aULL, 0x16a8ca3ac61577f7ULL, 0xc26a2ff874fd029bULL, 0x3636b76660701c6eULL, 0x051ba4ab241b6160ULL}
/* q, radix 2^52 */
#define CUZK_MSM_P52 \
    {0xeffffffffaaabULL, 0xfeb153ffffb9fULL, 0x6b0f6241eabffULL, 0x12bf6730d2a0fULL, 0x764774b84f385ULL, 0x1ba7b6434bacdULL, 0x1ea397fe69a4bULL, 0x000000001a011ULL}
/* 2^1 q, radix 2^52 */
#define CUZK_MSM_P52_SHL1 \
    {0xdffffffff5556ULL, 0xfd62a7ffff73fULL, 0xd61ec483d57ffULL, 0x257ece61a541eULL, 0xec8ee9709e70aULL, 0x374f6c869759aULL, 0x3d472ffcd3496ULL, 0x0000000034022ULL}
/* 2^3 q, radix 2^52 */
#define CUZK_MSM_P52_SHL3 \
    {0x7fffffffd5558ULL, 0xf58a9ffffdcffULL, 0x587b120f55fffULL, 0x95fb39869507bULL, 0xb23ba5c279c28ULL, 0xdd3db21a5d66bULL, 0xf51cbff34d258ULL, 0x00000000d0088ULL}
/* 2^12 q, radix 2^52 */
#define CUZK_MSM_P52_SHL12 \
    {0xffffffaaab000ULL, 0x153ffffb9feffULL, 0xf6241eabfffebULL, 0xf6730d2a0f6b0ULL, 0x774b84f38512bULL, 0x7b6434bacd764ULL, 0x397fe69a4b1baULL, 0x000001a0111eaULL}
/* 2^14 q, radix 2^52 */
#define CUZK_MSM_P52_SHL14 \
    {0xfffffeaaac000ULL, 0x54ffffee7fbffULL, 0xd8907aaffffacULL, 0xd9cc34a83dac3ULL, 0xdd2e13ce144afULL, 0xed90d2eb35d91ULL, 0xe5ff9a692c6e9ULL, 0x00000680447a8ULL}
/* 2^416 - q, radix 2^52 */
#define CUZK_MSM_NEGP52 \
    {0x1000000005555ULL, 0x014eac0000460ULL, 0x94f09dbe15400ULL, 0xed4098cf2d5f0ULL, 0x89b88b47b0c7aULL, 0xe45849bcb4532ULL, 0xe15c6801965b4ULL, 0xffffffffe5feeULL}
/* -q^-1 mod 2^52 */
#define CUZK_MSM_PINV52 0x3fffcfffcfffdULL
/* floor(2^416 / q) */
#define CUZK_MSM_QEST52 0x00009d835d2f3ULL
/* 2^416 mod q: one */
#define CUZK_MSM_ONE52 \
    {0x6480ea8e9b9afULL, 0x65766c8fe444fULL, 0x8b540fea96f7dULL, 0x3b2ee82efd422ULL, 0xa6723e5f0ade5ULL, 0xff6eb6fdd4230ULL, 0xe06ef23c24a25ULL, 0x0000000014c8eULL}
/* 2^404 mod q: stored x (x * 2^396) to x * 2^384 */
#define CUZK_MSM_EXPORT_X52 \
    {0xd003480ea7ee1ULL, 0x3798a71288f15ULL, 0xf9b49b2d851ebULL, 0xf5b85ac3d2c2dULL, 0xe247b2f79f0adULL, 0x5a88f0d3f7602ULL, 0xf0c3ce8358db5ULL, 0x0000000004cc5ULL}
/* 2^414 mod q: stored y (y * 2^386) to y * 2^384 */
#define CUZK_MSM_EXPORT_Y52 \
    {0xcd203aa3a2e6cULL, 0x58629a23f8dcbULL, 0x33208dac15cdfULL, 0x1cdb47705d494ULL, 0x42522721fe21dULL, 0xd4997671edca6ULL, 0x8f166e8dd8641ULL, 0x0000000018b30ULL}
/* beta of G1 times 2^416 */
#define CUZK_MSM_G1_BETA52 \
    {0xa424657e25648ULL, 0xc75706049e739ULL, 0xb59085299e0e2ULL, 0xd9cf17286a964ULL, 0x069ec7cb33aa8ULL, 0x35e995b239c7eULL, 0x82faa0ff3c329ULL, 0x0000000017601ULL}
/* beta of G2 times 2^416 */
#define CUZK_MSM_G2_BETA52 \
    {0xd75aaff33455fULL, 0xd095356b7cbb6ULL, 0x953a2f6fa079fULL, 0x1080cf0a3d697ULL, 0x3f7de3465fe7cULL, 0x01f71fd6896ecULL, 0xd9dd9cc172747ULL, 0x0000000007d91ULL}
/* 2^448 mod q: takes the 2^384 inverse of a 2^416 form to its 2^416 inverse */
#define CUZK_MSM_INV_FIX_LIMBS \
    {0x42b7fde37dba9366ULL, 0x7784894e27525bc3ULL, 0xb2b91b9dc1f5b1e9ULL, 0x206f497dfcafb872ULL, 0x594137cc89a9b0bbULL, 0x0411cd9d20d7e399ULL}
/* clang-format on */

#endif /* CUZK_MSM_GEN_MSM_CONST_GEN_H */
