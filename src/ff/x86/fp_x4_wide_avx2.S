/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Products of four lanes at a time, not reduced, and their reduction (ff/x4/fp_x4_wide.h).
 *
 * void cuzk_fp_x4_wide1_avx2(cuzk_fp_x4_wide *out, const cuzk_fp_x4_factors term[1]);
 * void cuzk_fp_x4_wide2_avx2(cuzk_fp_x4_wide *out, const cuzk_fp_x4_factors term[2]);
 * void cuzk_fp_x4_redc_avx2(cuzk_fp_x4 *out, const cuzk_fp_x4_wide *t, const cuzk_fp_x4 *addend);
 * void cuzk_fp_x4_redc_real_avx2(cuzk_fp_x4 *out, const cuzk_fp_x4_wide *p, const cuzk_fp_x4_wide *m,
 *                                const cuzk_fp_x4_wide *k, const cuzk_fp_x4 *addend);
 * void cuzk_fp_x4_redc_cross_avx2(cuzk_fp_x4 *out, const cuzk_fp_x4_wide *s, const cuzk_fp_x4_wide *p,
 *                                 const cuzk_fp_x4_wide *m, const cuzk_fp_x4 *addend);
 *
 * A product is split in halves of seven limbs (Karatsuba): low, high and middle blocks of 13 columns each. All
 * arithmetic is modulo 2^64, so that only the columns of the result have to fit. A block is in %ymm0 to %ymm12,
 * %ymm14 is the limb of a factor, %ymm15 a product. Constant time.
 */
#if defined(__x86_64__) && !defined(CUZK_PORTABLE)
#    include "ff/gen/fp28_const_gen.h"
#    include "ff/x86/mont_adx.inc"

    .macro FOUR_OF rest:vararg
    .irp v, \rest
    .quad   \v, \v, \v, \v
    .endr
    .endm

    .section .rodata
    .balign 32
.Lmod28:
    FOUR_OF CUZK_FP28_MOD
.Leasy28:
    FOUR_OF CUZK_FP28_EASY
.Linv28:
    FOUR_OF CUZK_FP28_INV
.Lmask28:
    FOUR_OF 0xfffffff

    .macro MUL_TO j, b, at
    vpmuludq \at(\b), %ymm14, %ymm\j
    .endm
    .macro MUL_ADD j, b, at
    vpmuludq \at(\b), %ymm14, %ymm15
    vpaddq  %ymm15, %ymm\j, %ymm\j
    .endm

/* Limb i of one factor times those of the other, at byte `half` of both factors; c0 to c6 are its columns. set: how many, from the last, are new. */
    .macro LIMBS a, b, half, i, set, c0, c1, c2, c3, c4, c5, c6
    vmovdqa \half+32*\i(\a), %ymm14
    .if \set == 7
    MUL_TO  \c0, \b, \half
    MUL_TO  \c1, \b, \half+32
    MUL_TO  \c2, \b, \half+64
    MUL_TO  \c3, \b, \half+96
    MUL_TO  \c4, \b, \half+128
    MUL_TO  \c5, \b, \half+160
    .else
    MUL_ADD \c0, \b, \half
    MUL_ADD \c1, \b, \half+32
    MUL_ADD \c2, \b, \half+64
    MUL_ADD \c3, \b, \half+96
    MUL_ADD \c4, \b, \half+128
    MUL_ADD \c5, \b, \half+160
    .endif
    .if \set != 0
    MUL_TO  \c6, \b, \half+192
    .else
    MUL_ADD \c6, \b, \half+192
    .endif
    .endm

    .macro BLOCK a, b, half
    LIMBS   \a, \b, \half, 0, 7, 0, 1, 2, 3, 4, 5, 6
    LIMBS   \a, \b, \half, 1, 1, 1, 2, 3, 4, 5, 6, 7
    LIMBS   \a, \b, \half, 2, 1, 2, 3, 4, 5, 6, 7, 8
    LIMBS   \a, \b, \half, 3, 1, 3, 4, 5, 6, 7, 8, 9
    LIMBS   \a, \b, \half, 4, 1, 4, 5, 6, 7, 8, 9, 10
    LIMBS   \a, \b, \half, 5, 1, 5, 6, 7, 8, 9, 10, 11
    LIMBS   \a, \b, \half, 6, 1, 6, 7, 8, 9, 10, 11, 12
    .endm

/* The same, added. */
    .macro ADD_BLOCK a, b, half
    LIMBS   \a, \b, \half, 0, 0, 0, 1, 2, 3, 4, 5, 6
    LIMBS   \a, \b, \half, 1, 0, 1, 2, 3, 4, 5, 6, 7
    LIMBS   \a, \b, \half, 2, 0, 2, 3, 4, 5, 6, 7, 8
    LIMBS   \a, \b, \half, 3, 0, 3, 4, 5, 6, 7, 8, 9
    LIMBS   \a, \b, \half, 4, 0, 4, 5, 6, 7, 8, 9, 10
    LIMBS   \a, \b, \half, 5, 0, 5, 6, 7, 8, 9, 10, 11
    LIMBS   \a, \b, \half, 6, 0, 6, 7, 8, 9, 10, 11, 12
    .endm

    .macro STORE from
    .irp j, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
    vmovdqa %ymm\j, 32*(\from+\j)(%rdi)
    .endr
    .endm

/* The middle block: less low and high, added from column 7 on; column 13 is new. */
    .macro FINISH
    .irp j, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
    vpsubq  32*\j(%rdi), %ymm\j, %ymm\j
    vpsubq  32*(14+\j)(%rdi), %ymm\j, %ymm\j
    .endr
    .irp j, 0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12
    vpaddq  32*(7+\j)(%rdi), %ymm\j, %ymm\j
    .endr
    STORE   7
    vpxor   %xmm15, %xmm15, %xmm15
    vmovdqa %ymm15, 32*27(%rdi)
    .endm

FUNC cuzk_fp_x4_wide1_avx2
    mov     (%rsi), %r8
    mov     8(%rsi), %rax
    mov     16(%rsi), %r10
    mov     24(%rsi), %r11
    BLOCK   %r8, %r10, 0
    STORE   0
    BLOCK   %r8, %r10, 224
    STORE   14
    BLOCK   %rax, %r11, 0
    FINISH
    vzeroupper
    ret
END cuzk_fp_x4_wide1_avx2

FUNC cuzk_fp_x4_wide2_avx2
    mov     (%rsi), %r8
    mov     16(%rsi), %r10
    mov     32(%rsi), %r9
    mov     48(%rsi), %r11
    BLOCK   %r8, %r10, 0
    ADD_BLOCK %r9, %r11, 0
    STORE   0
    BLOCK   %r8, %r10, 224
    ADD_BLOCK %r9, %r11, 224
    STORE   14
    mov     8(%rsi), %r8
    mov     24(%rsi), %r10
    mov     40(%rsi), %r9
    mov     56(%rsi), %r11
    BLOCK   %r8, %r10, 0
    ADD_BLOCK %r9, %r11, 0
    FINISH
    vzeroupper
    ret
END cuzk_fp_x4_wide2_avx2

/* Column j of what is reduced, from byte `at` beyond %rax. */
    .macro PLAIN j, at
    vmovdqa \at(%rsi,%rax), %ymm\j
    .endm
    .macro REAL j, at
    vmovdqa \at(%rsi,%rax), %ymm\j
    vpaddq  \at(%rcx,%rax), %ymm\j, %ymm\j
    vpsubq  \at(%rdx,%rax), %ymm\j, %ymm\j
    .endm
    .macro CROSS j, at
    vmovdqa \at(%rsi,%rax), %ymm\j
    vpsubq  \at(%rdx,%rax), %ymm\j, %ymm\j
    vpsubq  \at(%rcx,%rax), %ymm\j, %ymm\j
    .endm

/*
 * The window %ymm0 to %ymm13 takes m q, which makes its lowest 28 bits zero, and moves up by one column; the first
 * twelve times with the multiple of q of fp_x4_dot_avx2.S. %ymm14 is m, %rax the row, %r11 q, %r9 its multiple, %r10
 * addend or 0.
 */
    .macro MOVE_UP from, to
    vpmuludq 32*\from(%r11), %ymm14, %ymm15
    vpaddq  %ymm15, %ymm\from, %ymm\to
    .endm
    .macro MOVE_UP_EASY from, to
    vpmuludq 32*\to(%r9), %ymm14, %ymm15
    vpaddq  %ymm15, %ymm\from, %ymm\to
    .endm
    .macro ADD_LIMB j
    vpaddq  32*\j(%r10), %ymm\j, %ymm\j
    .endm
    .macro CARRY j, n
    vpsrlq  $28, %ymm\j, %ymm14
    vpaddq  %ymm14, %ymm\n, %ymm\n
    vpand   %ymm15, %ymm\j, %ymm\j
    vmovdqa %ymm\j, 32*\j(%rdi)
    .endm

    .macro REDC in
    lea     .Lmod28(%rip), %r11
    lea     .Leasy28(%rip), %r9
    xor     %eax, %eax
    .irp j, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
    \in     \j, 32*\j
    .endr
    .balign 32
1:
    vpand   .Lmask28(%rip), %ymm0, %ymm14
    vpsrlq  $28, %ymm0, %ymm0
    vpaddq  %ymm1, %ymm0, %ymm1
    MOVE_UP_EASY 1, 0
    MOVE_UP_EASY 2, 1
    MOVE_UP_EASY 3, 2
    MOVE_UP_EASY 4, 3
    MOVE_UP_EASY 5, 4
    MOVE_UP_EASY 6, 5
    MOVE_UP_EASY 7, 6
    MOVE_UP_EASY 8, 7
    MOVE_UP_EASY 9, 8
    MOVE_UP_EASY 10, 9
    MOVE_UP_EASY 11, 10
    MOVE_UP_EASY 12, 11
    MOVE_UP_EASY 13, 12
    \in     13, 448
    vpmuludq 32*13(%r9), %ymm14, %ymm15
    vpaddq  %ymm15, %ymm13, %ymm13
    add     $32, %eax
    cmp     $384, %eax
    jne     1b
    .balign 32
3:
    vpmuludq .Linv28(%rip), %ymm0, %ymm14
    vpand   .Lmask28(%rip), %ymm14, %ymm14
    vpmuludq (%r11), %ymm14, %ymm15
    vpaddq  %ymm15, %ymm0, %ymm0
    vpsrlq  $28, %ymm0, %ymm0
    vpmuludq 32(%r11), %ymm14, %ymm15
    vpaddq  %ymm1, %ymm15, %ymm15
    vpaddq  %ymm15, %ymm0, %ymm0
    MOVE_UP 2, 1
    MOVE_UP 3, 2
    MOVE_UP 4, 3
    MOVE_UP 5, 4
    MOVE_UP 6, 5
    MOVE_UP 7, 6
    MOVE_UP 8, 7
    MOVE_UP 9, 8
    MOVE_UP 10, 9
    MOVE_UP 11, 10
    MOVE_UP 12, 11
    MOVE_UP 13, 12
    \in     13, 448
    add     $32, %eax
    cmp     $448, %eax
    jne     3b
    test    %r10, %r10
    jz      2f
    .irp j, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
    ADD_LIMB \j
    .endr
2:
    vmovdqa .Lmask28(%rip), %ymm15
    CARRY   0, 1
    CARRY   1, 2
    CARRY   2, 3
    CARRY   3, 4
    CARRY   4, 5
    CARRY   5, 6
    CARRY   6, 7
    CARRY   7, 8
    CARRY   8, 9
    CARRY   9, 10
    CARRY   10, 11
    CARRY   11, 12
    CARRY   12, 13
    vmovdqa %ymm13, 32*13(%rdi)
    vzeroupper
    ret
    .endm

FUNC cuzk_fp_x4_redc_avx2
    mov     %rdx, %r10
    REDC    PLAIN
END cuzk_fp_x4_redc_avx2

FUNC cuzk_fp_x4_redc_real_avx2
    mov     %r8, %r10
    REDC    REAL
END cuzk_fp_x4_redc_real_avx2

FUNC cuzk_fp_x4_redc_cross_avx2
    mov     %r8, %r10
    REDC    CROSS
END cuzk_fp_x4_redc_cross_avx2
#endif
#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", @progbits
#endif
