/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Made by tools/gen/gen_consts.py; do not edit. */
#ifndef CUZK_FF_GEN_FR_CONST_GEN_H
#define CUZK_FF_GEN_FR_CONST_GEN_H

/* clang-format off */
/* the modulus */
#define CUZK_FR_MOD_LIMBS \
    {0xffffffff00000001ULL, 0x53bda402fffe5bfeULL, 0x3339d80809a1d805ULL, 0x73eda753299d7d48ULL}
/* 2 * modulus */
#define CUZK_FR_MOD2_LIMBS \
    {0xfffffffe00000002ULL, 0xa77b4805fffcb7fdULL, 0x6673b0101343b00aULL, 0xe7db4ea6533afa90ULL}
/* -mod^-1 mod 2^64 */
#define CUZK_FR_INV 0xfffffffeffffffffULL
/* 1; Montgomery form */
#define CUZK_FR_ONE_LIMBS \
    {0x00000001fffffffeULL, 0x5884b7fa00034802ULL, 0x998c4fefecbc4ff5ULL, 0x1824b159acc5056fULL}
/* 2^(2*64*limbs) mod modulus: canonical to Montgomery */
#define CUZK_FR_R2_LIMBS \
    {0xc999e990f3f29c6dULL, 0x2b6cedcb87925c23ULL, 0x05d314967254398fULL, 0x0748d9d99f59ff11ULL}
/* 2^(3*64*limbs) mod modulus: Montgomery inverse of a plain inverse */
#define CUZK_FR_R3_LIMBS \
    {0xc62c1807439b73afULL, 0x1b3e0d188cf06990ULL, 0x73d13c71c7b5f418ULL, 0x6e2a5bb9c8db33e9ULL}
/* modulus, limbs of 62 bits */
#define CUZK_FR_MOD62_LIMBS \
    {0x3fffffff00000001LL, 0x0ef6900bfff96ffbLL, 0x339d80809a1d8055LL, 0x3b69d4ca675f520cLL, 0x0000000000000073LL}
/* 2^(2*64*limbs) mod modulus, limbs of 62 bits */
#define CUZK_FR_R2_62_LIMBS \
    {0x0999e990f3f29c6dLL, 0x2db3b72e1e49708fLL, 0x1d314967254398f2LL, 0x12367667d67fc441LL, 0x0000000000000007LL}
/* mod^-1 mod 2^62 */
#define CUZK_FR_MOD_INV62 0x0000000100000001ULL
/* (modulus - 1) / 2 */
#define CUZK_FR_HALF_LIMBS \
    {0x7fffffff80000000ULL, 0xa9ded2017fff2dffULL, 0x199cec0404d0ec02ULL, 0x39f6d3a994cebea4ULL}
/* 7, the multiplicative generator of bellperson and blstrs; Montgomery form */
#define CUZK_FR_GENERATOR_LIMBS \
    {0x0000000efffffff1ULL, 0x17e363d300189c0fULL, 0xff9c57876f8457b0ULL, 0x351332208fc5a8c4ULL}
/* 7^((r-1)/2^32); Montgomery form */
#define CUZK_FR_ROOT_2_32_LIMBS \
    {0xb9b58d8c5f0e466aULL, 0x5b1b4c801819d7ecULL, 0x0af53ae352a31e64ULL, 0x5bf3adda19e9b27bULL}
/* 5^((r-1)/2^32), snarkjs's choice; Montgomery form */
#define CUZK_FR_ROOT_2_32_SNARKJS_LIMBS \
    {0x9cab6d5c0c17f47cULL, 0x1ce1e93dfd4b71e5ULL, 0x0d6db230471dd505ULL, 0x3f0ee990743a3b6aULL}
/* 1/2; Montgomery form */
#define CUZK_FR_TWO_INV_LIMBS \
    {0x00000000ffffffffULL, 0xac425bfd0001a401ULL, 0xccc627f7f65e27faULL, 0x0c1258acd66282b7ULL}
/* clang-format on */

#endif /* CUZK_FF_GEN_FR_CONST_GEN_H */
