/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * void cuzk_fp_wide_add_x64(uint64_t out[12], const uint64_t a[12], const uint64_t b[12]);
 *
 * out = a + b - (0 or k) in [0, k), k = q * 2^382. Pre: a, b < k. out may be a or b. Constant time.
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

FUNC cuzk_fp_wide_add_x64
    SAVE    %rbx, %rbp, %r12, %r13, %r14, %r15
    mov     (%rsi), %rax
    add     (%rdx), %rax
    mov     %rax, (%rdi)
    mov     8(%rsi), %rax
    adc     8(%rdx), %rax
    mov     %rax, 8(%rdi)
    mov     16(%rsi), %rax
    adc     16(%rdx), %rax
    mov     %rax, 16(%rdi)
    mov     24(%rsi), %rax
    adc     24(%rdx), %rax
    mov     %rax, 24(%rdi)
    mov     32(%rsi), %rax
    adc     32(%rdx), %rax
    mov     %rax, 32(%rdi)
    mov     40(%rsi), %rax
    adc     40(%rdx), %rax
    mov     48(%rsi), %rcx
    adc     48(%rdx), %rcx
    mov     56(%rsi), %r8
    adc     56(%rdx), %r8
    mov     64(%rsi), %r9
    adc     64(%rdx), %r9
    mov     72(%rsi), %r10
    adc     72(%rdx), %r10
    mov     80(%rsi), %r11
    adc     80(%rdx), %r11
    mov     88(%rsi), %rbx
    adc     88(%rdx), %rbx
    mov     %rax, %rbp
    mov     %rcx, %r12
    mov     %r8, %r13
    mov     %r9, %r14
    mov     %r10, %r15
    mov     %r11, %rdx
    mov     %rbx, %rsi
    sub     .Lk(%rip), %rax
    sbb     .Lk+8(%rip), %rcx
    sbb     .Lk+16(%rip), %r8
    sbb     .Lk+24(%rip), %r9
    sbb     .Lk+32(%rip), %r10
    sbb     .Lk+40(%rip), %r11
    sbb     .Lk+48(%rip), %rbx
    cmovc   %rbp, %rax
    cmovc   %r12, %rcx
    cmovc   %r13, %r8
    cmovc   %r14, %r9
    cmovc   %r15, %r10
    cmovc   %rdx, %r11
    cmovc   %rsi, %rbx
    mov     %rax, 40(%rdi)
    mov     %rcx, 48(%rdi)
    mov     %r8, 56(%rdi)
    mov     %r9, 64(%rdi)
    mov     %r10, 72(%rdi)
    mov     %r11, 80(%rdi)
    mov     %rbx, 88(%rdi)
    RESTORE %r15, %r14, %r13, %r12, %rbp, %rbx
    ret
END cuzk_fp_wide_add_x64

/* out = a + b mod 2^768 */
FUNC cuzk_fp_wide_add_nr_x64
    mov     (%rsi), %rax
    add     (%rdx), %rax
    mov     %rax, (%rdi)
    mov     8(%rsi), %rax
    adc     8(%rdx), %rax
    mov     %rax, 8(%rdi)
    mov     16(%rsi), %rax
    adc     16(%rdx), %rax
    mov     %rax, 16(%rdi)
    mov     24(%rsi), %rax
    adc     24(%rdx), %rax
    mov     %rax, 24(%rdi)
    mov     32(%rsi), %rax
    adc     32(%rdx), %rax
    mov     %rax, 32(%rdi)
    mov     40(%rsi), %rax
    adc     40(%rdx), %rax
    mov     %rax, 40(%rdi)
    mov     48(%rsi), %rax
    adc     48(%rdx), %rax
    mov     %rax, 48(%rdi)
    mov     56(%rsi), %rax
    adc     56(%rdx), %rax
    mov     %rax, 56(%rdi)
    mov     64(%rsi), %rax
    adc     64(%rdx), %rax
    mov     %rax, 64(%rdi)
    mov     72(%rsi), %rax
    adc     72(%rdx), %rax
    mov     %rax, 72(%rdi)
    mov     80(%rsi), %rax
    adc     80(%rdx), %rax
    mov     %rax, 80(%rdi)
    mov     88(%rsi), %rax
    adc     88(%rdx), %rax
    mov     %rax, 88(%rdi)
    ret
END cuzk_fp_wide_add_nr_x64

/* void cuzk_fp_add_nr_x64(uint64_t out[6], const uint64_t a[6], const uint64_t b[6]): a + b mod 2^384 */
FUNC cuzk_fp_add_nr_x64
    mov     (%rsi), %rax
    add     (%rdx), %rax
    mov     %rax, (%rdi)
    mov     8(%rsi), %rax
    adc     8(%rdx), %rax
    mov     %rax, 8(%rdi)
    mov     16(%rsi), %rax
    adc     16(%rdx), %rax
    mov     %rax, 16(%rdi)
    mov     24(%rsi), %rax
    adc     24(%rdx), %rax
    mov     %rax, 24(%rdi)
    mov     32(%rsi), %rax
    adc     32(%rdx), %rax
    mov     %rax, 32(%rdi)
    mov     40(%rsi), %rax
    adc     40(%rdx), %rax
    mov     %rax, 40(%rdi)
    ret
END cuzk_fp_add_nr_x64
#endif
#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", @progbits
#endif
