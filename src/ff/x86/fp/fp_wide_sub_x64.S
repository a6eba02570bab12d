/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * void cuzk_fp_wide_sub_x64(uint64_t out[12], const uint64_t a[12], const uint64_t b[12]);
 *
 * out = a - b + (0 or k) in [0, k), k = q * 2^382. Pre: a, b < k. out may be a or b. Constant time.
 *
 * %rdi out, %rsi a, %rdx b. The five low limbs of k are zero.
 */
#if defined(__x86_64__) && !defined(CUZK_PORTABLE)
#    include "ff/gen/asm_const_gen.h"
#    include "ff/x86/mont_adx.inc"

    .section .rodata
    .balign 64
.Lk:
    .quad   CUZK_FP_MOD_SHL382_HIGH_QUADS

FUNC cuzk_fp_wide_sub_x64
    SAVE    %rbx, %rbp, %r12, %r13, %r14, %r15
    mov     (%rsi), %rax
    sub     (%rdx), %rax
    mov     %rax, (%rdi)
    mov     8(%rsi), %rax
    sbb     8(%rdx), %rax
    mov     %rax, 8(%rdi)
    mov     16(%rsi), %rax
    sbb     16(%rdx), %rax
    mov     %rax, 16(%rdi)
    mov     24(%rsi), %rax
    sbb     24(%rdx), %rax
    mov     %rax, 24(%rdi)
    mov     32(%rsi), %rax
    sbb     32(%rdx), %rax
    mov     %rax, 32(%rdi)
    mov     40(%rsi), %rax
    sbb     40(%rdx), %rax
    mov     48(%rsi), %rcx
    sbb     48(%rdx), %rcx
    mov     56(%rsi), %r8
    sbb     56(%rdx), %r8
    mov     64(%rsi), %r9
    sbb     64(%rdx), %r9
    mov     72(%rsi), %r10
    sbb     72(%rdx), %r10
    mov     80(%rsi), %r11
    sbb     80(%rdx), %r11
    mov     88(%rsi), %rbx
    sbb     88(%rdx), %rbx
    mov     $0, %ebp
    mov     $0, %r12d
    mov     $0, %r13d
    mov     $0, %r14d
    mov     $0, %r15d
    mov     $0, %edx
    mov     $0, %esi
    cmovc   .Lk(%rip), %rbp
    cmovc   .Lk+8(%rip), %r12
    cmovc   .Lk+16(%rip), %r13
    cmovc   .Lk+24(%rip), %r14
    cmovc   .Lk+32(%rip), %r15
    cmovc   .Lk+40(%rip), %rdx
    cmovc   .Lk+48(%rip), %rsi
    add     %rbp, %rax
    adc     %r12, %rcx
    adc     %r13, %r8
    adc     %r14, %r9
    adc     %r15, %r10
    adc     %rdx, %r11
    adc     %rsi, %rbx
    mov     %rax, 40(%rdi)
    mov     %rcx, 48(%rdi)
    mov     %r8, 56(%rdi)
    mov     %r9, 64(%rdi)
    mov     %r10, 72(%rdi)
    mov     %r11, 80(%rdi)
    mov     %rbx, 88(%rdi)
    RESTORE %r15, %r14, %r13, %r12, %rbp, %rbx
    ret
END cuzk_fp_wide_sub_x64

/* out = a - b mod 2^768 */
FUNC cuzk_fp_wide_sub_nr_x64
    mov     (%rsi), %rax
    sub     (%rdx), %rax
    mov     %rax, (%rdi)
    mov     8(%rsi), %rax
    sbb     8(%rdx), %rax
    mov     %rax, 8(%rdi)
    mov     16(%rsi), %rax
    sbb     16(%rdx), %rax
    mov     %rax, 16(%rdi)
    mov     24(%rsi), %rax
    sbb     24(%rdx), %rax
    mov     %rax, 24(%rdi)
    mov     32(%rsi), %rax
    sbb     32(%rdx), %rax
    mov     %rax, 32(%rdi)
    mov     40(%rsi), %rax
    sbb     40(%rdx), %rax
    mov     %rax, 40(%rdi)
    mov     48(%rsi), %rax
    sbb     48(%rdx), %rax
    mov     %rax, 48(%rdi)
    mov     56(%rsi), %rax
    sbb     56(%rdx), %rax
    mov     %rax, 56(%rdi)
    mov     64(%rsi), %rax
    sbb     64(%rdx), %rax
    mov     %rax, 64(%rdi)
    mov     72(%rsi), %rax
    sbb     72(%rdx), %rax
    mov     %rax, 72(%rdi)
    mov     80(%rsi), %rax
    sbb     80(%rdx), %rax
    mov     %rax, 80(%rdi)
    mov     88(%rsi), %rax
    sbb     88(%rdx), %rax
    mov     %rax, 88(%rdi)
    ret
END cuzk_fp_wide_sub_nr_x64
#endif
#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", @progbits
#endif
