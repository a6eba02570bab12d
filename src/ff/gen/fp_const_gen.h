/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Made by tools/gen/gen_consts.py; do not edit. */
#ifndef CUZK_FF_GEN_FP_CONST_GEN_H
#define CUZK_FF_GEN_FP_CONST_GEN_H

/* clang-format off */
/* the modulus */
#define CUZK_FP_MOD_LIMBS \
    {0xb9feffffffffaaabULL, 0x1eabfffeb153ffffULL, 0x6730d2a0f6b0f624ULL, 0x64774b84f38512bfULL, 0x4b1ba7b6434bacd7ULL, 0x1a0111ea397fe69aULL}
/* 2 * modulus */
#define CUZK_FP_MOD2_LIMBS \
    {0x73fdffffffff5556ULL, 0x3d57fffd62a7ffffULL, 0xce61a541ed61ec48ULL, 0xc8ee9709e70a257eULL, 0x96374f6c869759aeULL, 0x340223d472ffcd34ULL}
/* -mod^-1 mod 2^64 */
#define CUZK_FP_INV 0x89f3fffcfffcfffdULL
/* 1; Montgomery form */
#define CUZK_FP_ONE_LIMBS \
    {0x760900000002fffdULL, 0xebf4000bc40c0002ULL, 0x5f48985753c758baULL, 0x77ce585370525745ULL, 0x5c071a97a256ec6dULL, 0x15f65ec3fa80e493ULL}
/* 2^(2*64*limbs) mod modulus: canonical to Montgomery */
#define CUZK_FP_R2_LIMBS \
    {0xf4df1f341c341746ULL, 0x0a76e6a609d104f1ULL, 0x8de5476c4c95b6d5ULL, 0x67eb88a9939d83c0ULL, 0x9a793e85b519952dULL, 0x11988fe592cae3aaULL}
/* 2^(3*64*limbs) mod modulus: Montgomery inverse of a plain inverse */
#define CUZK_FP_R3_LIMBS \
    {0xed48ac6bd94ca1e0ULL, 0x315f831e03a7adf8ULL, 0x9a53352a615e29ddULL, 0x34c04e5e921e1761ULL, 0x2512d43565724728ULL, 0x0aa6346091755d4dULL}
/* modulus, limbs of 62 bits */
#define CUZK_FP_MOD62_LIMBS \
    {0x39feffffffffaaabLL, 0x3aaffffac54ffffeLL, 0x330d2a0f6b0f6241LL, 0x1dd2e13ce144afd9LL, 0x1ba7b6434bacd764LL, 0x0447a8e5ff9a692cLL, 0x00000000000001a0LL}
/* 2^(2*64*limbs) mod modulus, limbs of 62 bits */
#define CUZK_FP_R2_62_LIMBS \
    {0x34df1f341c341746LL, 0x29db9a98274413c7LL, 0x1e5476c4c95b6d50LL, 0x3ae22a64e760f023LL, 0x393e85b519952d67LL, 0x223f964b2b8eaa69LL, 0x0000000000000119LL}
/* mod^-1 mod 2^62 */
#define CUZK_FP_MOD_INV62 0x360c000300030003ULL
/* (modulus - 1) / 2 */
#define CUZK_FP_HALF_LIMBS \
    {0xdcff7fffffffd555ULL, 0x0f55ffff58a9ffffULL, 0xb39869507b587b12ULL, 0xb23ba5c279c2895fULL, 0x258dd3db21a5d66bULL, 0x0d0088f51cbff34dULL}
/* q * 2^382 */
#define CUZK_FP_MOD_SHL382_LIMBS \
    {0x0000000000000000ULL, 0x0000000000000000ULL, 0x0000000000000000ULL, 0x0000000000000000ULL, 0x0000000000000000ULL, 0xc000000000000000ULL, 0xee7fbfffffffeaaaULL, 0x07aaffffac54ffffULL, 0xd9cc34a83dac3d89ULL, 0xd91dd2e13ce144afULL, 0x92c6e9ed90d2eb35ULL, 0x0680447a8e5ff9a6ULL}
/* q * 2^382, limbs 5 to 11 (0 to 4 are zero): correction of wide values */
#define CUZK_FP_MOD_SHL382_HIGH_LIMBS \
    {0xc000000000000000ULL, 0xee7fbfffffffeaaaULL, 0x07aaffffac54ffffULL, 0xd9cc34a83dac3d89ULL, 0xd91dd2e13ce144afULL, 0x92c6e9ed90d2eb35ULL, 0x0680447a8e5ff9a6ULL}
/* 1/2; Montgomery form */
#define CUZK_FP_TWO_INV_LIMBS \
    {0x1804000000015554ULL, 0x855000053ab00001ULL, 0x633cb57c253c276fULL, 0x6e22d1ec31ebb502ULL, 0xd3916126f2d14ca2ULL, 0x17fbb8571a006596ULL}
/* 4, the constant of y^2 = x^3 + 4; Montgomery form */
#define CUZK_FP_B_LIMBS \
    {0xaa270000000cfff3ULL, 0x53cc0032fc34000aULL, 0x478fe97a6b0a807fULL, 0xb1d37ebee6ba24d7ULL, 0x8ec9733bbf78ab2fULL, 0x09d645513d83de7eULL}
/* clang-format on */

#endif /* CUZK_FF_GEN_FP_CONST_GEN_H */
