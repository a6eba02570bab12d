/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * void cuzk_fp_x4_dotK_avx2(cuzk_fp_x4 *out, const cuzk_fp_x4_term term[K], const cuzk_fp_x4 *addend);
 *
 * out = (sum of term[i].a term[i].b) / 2^392 + addend mod q in each of four lanes; addend may be
 * NULL. Limbs of 28 bits, form and bounds in ff/x4/fp_x4.h. out may be any of the operands. Constant time.
 *
 * One row per limb of the a: the window %ymm0 to %ymm13 takes a limb of each a times all limbs of its
 * b, then m q, which makes its lowest 28 bits zero, and moves up by one limb. Column 0 comes first
 * in each row, since m waits for it; m then stays in %ymm0 until the other columns are done.
 *
 * The first twelve rows take m times a multiple of q that is -1 modulo 2^28, and 28 bits longer: m is then the lowest
 * 28 bits themselves. The last two take m q, so that what those left above is divided by 2^56.
 *
 * %r8-%r11 the a, %rax, %rcx, %rdx, %rbx the b, %r12 q, %r13 addend, %rbp the row, %ymm14 the multiplier.
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

/* Columns from..13 of one product. */
    .macro COLUMN b, j
    vpmuludq 32*\j(\b), %ymm14, %ymm15
    vpaddq  %ymm15, %ymm\j, %ymm\j
    .endm
    .macro COLUMN_0 a, b
    vmovdqa (\a,%rbp), %ymm14
    COLUMN  \b, 0
    .endm
    .macro OTHER_COLUMNS a, b
    vmovdqa (\a,%rbp), %ymm14
    .irp j, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
    COLUMN  \b, \j
    .endr
    .endm

/* Limb `from` of the window, with m q added, becomes limb `to`. */
    .macro MOVE_UP from, to
    vpmuludq 32*\from(%r12), %ymm14, %ymm15
    vpaddq  %ymm15, %ymm\from, %ymm\to
    .endm

/* The same for a digit m of q (-1/q mod 2^28), which is -1 modulo 2^28: m is the digit itself, and is gone. */
    .macro EASY_UP from, to
    vpmuludq .Leasy28+32*\to(%rip), %ymm14, %ymm15
    vpaddq  %ymm15, %ymm\from, %ymm\to
    .endm

    .macro ADD_LIMB j
    vpaddq  32*\j(%r13), %ymm\j, %ymm\j
    .endm

/* The carry of limb j goes to limb n; limb j is stored. */
    .macro CARRY j, n
    vpsrlq  $28, %ymm\j, %ymm14
    vpaddq  %ymm14, %ymm\n, %ymm\n
    vpand   %ymm15, %ymm\j, %ymm\j
    vmovdqa %ymm\j, 32*\j(%rdi)
    .endm

    .macro DOT k
    SAVE    %rbx, %rbp, %r12, %r13
    mov     %rdx, %r13
    mov     (%rsi), %r8
    mov     8(%rsi), %rax
    .if \k > 1
    mov     16(%rsi), %r9
    mov     24(%rsi), %rcx
    .endif
    .if \k > 2
    mov     32(%rsi), %r10
    mov     40(%rsi), %rdx
    .endif
    .if \k > 3
    mov     48(%rsi), %r11
    mov     56(%rsi), %rbx
    .endif
    lea     .Lmod28(%rip), %r12
    xor     %ebp, %ebp
    .irp j, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
    vpxor   %xmm\j, %xmm\j, %xmm\j
    .endr
    .balign 32
1:
    COLUMN_0 %r8, %rax
    .if \k > 1
    COLUMN_0 %r9, %rcx
    .endif
    .if \k > 2
    COLUMN_0 %r10, %rdx
    .endif
    .if \k > 3
    COLUMN_0 %r11, %rbx
    .endif
    vpsrlq  $28, %ymm0, %ymm15
    vpand   .Lmask28(%rip), %ymm0, %ymm0
    vpaddq  %ymm15, %ymm1, %ymm1
    OTHER_COLUMNS %r8, %rax
    .if \k > 1
    OTHER_COLUMNS %r9, %rcx
    .endif
    .if \k > 2
    OTHER_COLUMNS %r10, %rdx
    .endif
    .if \k > 3
    OTHER_COLUMNS %r11, %rbx
    .endif
    vmovdqa %ymm0, %ymm14
    EASY_UP 1, 0
    EASY_UP 2, 1
    EASY_UP 3, 2
    EASY_UP 4, 3
    EASY_UP 5, 4
    EASY_UP 6, 5
    EASY_UP 7, 6
    EASY_UP 8, 7
    EASY_UP 9, 8
    EASY_UP 10, 9
    EASY_UP 11, 10
    EASY_UP 12, 11
    EASY_UP 13, 12
    vpmuludq .Leasy28+32*13(%rip), %ymm14, %ymm13
    add     $32, %ebp
    cmp     $384, %ebp
    jne     1b
    .balign 32
3:
    COLUMN_0 %r8, %rax
    .if \k > 1
    COLUMN_0 %r9, %rcx
    .endif
    .if \k > 2
    COLUMN_0 %r10, %rdx
    .endif
    .if \k > 3
    COLUMN_0 %r11, %rbx
    .endif
    vpmuludq .Linv28(%rip), %ymm0, %ymm14
    vpand   .Lmask28(%rip), %ymm14, %ymm14
    vpmuludq (%r12), %ymm14, %ymm15
    vpaddq  %ymm15, %ymm0, %ymm15
    vmovdqa %ymm14, %ymm0
    vpsrlq  $28, %ymm15, %ymm15
    vpaddq  %ymm15, %ymm1, %ymm1
    OTHER_COLUMNS %r8, %rax
    .if \k > 1
    OTHER_COLUMNS %r9, %rcx
    .endif
    .if \k > 2
    OTHER_COLUMNS %r10, %rdx
    .endif
    .if \k > 3
    OTHER_COLUMNS %r11, %rbx
    .endif
    vmovdqa %ymm0, %ymm14
    MOVE_UP 1, 0
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
    vpxor   %xmm13, %xmm13, %xmm13
    add     $32, %ebp
    cmp     $448, %ebp
    jne     3b
    test    %r13, %r13
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
    RESTORE %r13, %r12, %rbp, %rbx
    ret
    .endm

FUNC cuzk_fp_x4_dot1_avx2
    DOT     1
END cuzk_fp_x4_dot1_avx2

FUNC cuzk_fp_x4_dot2_avx2
    DOT     2
END cuzk_fp_x4_dot2_avx2

FUNC cuzk_fp_x4_dot3_avx2
    DOT     3
END cuzk_fp_x4_dot3_avx2

FUNC cuzk_fp_x4_dot4_avx2
    DOT     4
END cuzk_fp_x4_dot4_avx2
#endif
#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", @progbits
#endif
