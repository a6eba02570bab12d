/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Made by tools/gen/gen_consts.py; do not edit. */
#ifndef CUZK_FF_GEN_FP28_CONST_GEN_H
#define CUZK_FF_GEN_FP28_CONST_GEN_H

/* clang-format off */
/* q */
#define CUZK_FP28_MOD \
    0xfffaaab, 0xfefffff, 0x3ffffb9, 0xfffeb15, 0x6241eab, 0xa0f6b0f, 0xf6730d2, 0xf38512b, 0x4774b84, 0x4bacd76, 0xba7b643, 0xe69a4b1, 0x1ea397f, 0x001a011
/* (q (-1/q mod 2^28) + 1) / 2^28 */
#define CUZK_FP28_EASY \
    0x02faabb, 0x4c203d2, 0x2c07e7a, 0x18f8f15, 0x6c7b6b8, 0x961f5b3, 0xe3a59f5, 0xf43940d, 0xde40cc3, 0xef9c7a5, 0x25598bb, 0xc2b4463, 0x1b1fd61, 0x0019fc3
/* 2 q, from whose limbs those of any number below 1.9 q can be subtracted */
#define CUZK_FP28_MOD2_LENT \
    0x1fff5556, 0x1fdffffe, 0x17ffff72, 0x1fffd629, 0x1c483d56, 0x141ed61d, 0x1ece61a4, 0x1e70a256, 0x18ee9708, 0x19759aeb, 0x174f6c85, 0x1cd34962, 0x13d472fe, 0x0034021
/* 16 q, likewise for numbers below 15 q */
#define CUZK_FP28_MOD16_LENT \
    0x1ffaaab0, 0x1efffffe, 0x1ffffb9e, 0x1ffeb152, 0x1241eabe, 0x10f6b0f5, 0x16730d29, 0x138512be, 0x1774b84e, 0x1bacd763, 0x1a7b6433, 0x169a4b1a, 0x1ea397fd, 0x01a0110
/* 16 q, from whose limbs those of a number below 15 q, each below 2^30, and 17 q can be subtracted */
#define CUZK_FP28_MOD16_FAR \
    0x40ffaaab0, 0x40effffbf, 0x40ffffb5f, 0x40ffeb113, 0x40241ea7f, 0x400f6b0b6, 0x406730cea, 0x40385127f, 0x40774b80f, 0x40bacd724, 0x40a7b63f4, 0x4069a4adb, 0x40ea397be, 0x01a00d1
/* q, from whose limbs those of 1250 q can be subtracted */
#define CUZK_FP28_MOD_FAR \
    0x1000fffaaab, 0x1000fefefff, 0x10003ffefb9, 0x1000fffdb15, 0x10006240eab, 0x1000a0f5b0f, 0x1000f6720d2, 0x1000f38412b, 0x10004773b84, 0x10004babd76, 0x1000ba7a643, 0x1000e6994b1, 0x10001ea297f, 0x0019011
/* 1; Montgomery form */
#define CUZK_FP28_ONE \
    0x347fcb8, 0xd800000, 0x002b119, 0x0cde6d2, 0xc7212e0, 0x83a2090, 0x037669f, 0xda0f73e, 0x9b09b42, 0x1297bb0, 0x515d98f, 0x012ca7c, 0x659fcfa, 0x000577a
/* -1; Montgomery form */
#define CUZK_FP28_MINUS_ONE \
    0xcb7adf3, 0x26fffff, 0x3fd4ea0, 0xf320443, 0x9b20bcb, 0x1d54a7e, 0xf2fca33, 0x19759ed, 0xac6b042, 0x39151c5, 0x691dcb4, 0xe56da35, 0xb903c85, 0x0014896
/* times this: from x 2^384 to x 2^392 */
#define CUZK_FP28_FROM_LIMBS64 \
    0x80e6299, 0x3500034, 0xeb12856, 0xdeb2699, 0xc988670, 0x4ef6697, 0x70983e8, 0xa4e6fe9, 0x3e8a053, 0xecf271e, 0xc20d323, 0x6eb6385, 0x47f1286, 0x00156da
/* times this: from x 2^392 to x 2^384 */
#define CUZK_FP28_TO_LIMBS64 \
    0x002fffd, 0x0900000, 0xc000276, 0x000bc40, 0x8baebf4, 0x5753c75, 0x55f4898, 0x7052574, 0x7ce5853, 0x56ec6d7, 0x71a97a2, 0xe4935c0, 0xec3fa80, 0x0015f65
/* a multiple of q, at least 600 q^2, from whose columns those of a product below that can be subtracted: columns 0 to 13, 14 to 27 */
#define CUZK_FP28_WIDE600_LOW \
    0x800000000a250043, 0x7ffffff806f0042a, 0x7ffffff801612258, 0x7ffffff800d0bc50, 0x7ffffff80840eb1f, 0x7ffffff808ecf17e, 0x7ffffff80b5ec98e, 0x7ffffff804e0a97f, 0x7ffffff805754f8f, 0x7ffffff809b58e03, 0x7ffffff804ea7e18, 0x7ffffff80a742d02, 0x7ffffff808c48298, 0x7ffffff809d06a5d
#define CUZK_FP28_WIDE600_HIGH \
    0x7ffffff80e33702a, 0x7ffffff80ab838f9, 0x7ffffff807d2740e, 0x7ffffff8079712d9, 0x7ffffff807b03d05, 0x7ffffff80fb93539, 0x7ffffff806d12a2a, 0x7ffffff80d9d725b, 0x7ffffff80bb4f398, 0x7ffffff801e80dc2, 0x7ffffff8054b65ec, 0x7ffffff80e87b19b, 0x00000628e26a1109, 0x0000000000000000
/* a multiple of q, at least 900 q^2, from whose columns those of a product below that can be subtracted: columns 0 to 13, 14 to 27 */
#define CUZK_FP28_WIDE900_LOW \
    0x800000000f37ab0f, 0x7ffffff80a70063f, 0x7ffffff80811b3a7, 0x7ffffff8093924ed, 0x7ffffff8014f5158, 0x7ffffff8085bb4b6, 0x7ffffff8095a95ec, 0x7ffffff807b4d5a9, 0x7ffffff80df45194, 0x7ffffff80432ee49, 0x7ffffff8098be203, 0x7ffffff80079712a, 0x7ffffff80c31a725, 0x7ffffff80eb7cf83
#define CUZK_FP28_WIDE900_HIGH \
    0x7ffffff80d4d283f, 0x7ffffff800145576, 0x7ffffff803bbae16, 0x7ffffff803629c46, 0x7ffffff803885b88, 0x7ffffff80795cfd6, 0x7ffffff80239bf40, 0x7ffffff8046c2b89, 0x7ffffff8018f6d65, 0x7ffffff802dc14a4, 0x7ffffff80ff118e2, 0x7ffffff80dcb8a68, 0x00000941539f198e, 0x0000000000000000
/* floor(2^40 / (floor(q / 2^364) + 1)): quotient by q from the top limb */
#define CUZK_FP28_QUOT 0x9d8307
/* -q^-1 mod 2^28 */
#define CUZK_FP28_INV 0xffcfffd
/* clang-format on */

#endif /* CUZK_FF_GEN_FP28_CONST_GEN_H */
