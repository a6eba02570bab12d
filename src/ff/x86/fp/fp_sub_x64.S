/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * void cuzk_fp_sub_x64(uint64_t out[6], const uint64_t a[6], const uint64_t b[6]);
 *
 * out = a - b mod q, out < q. Pre: a, b < q. out may alias a and b. Constant time.
 */
#if defined(__x86_64__) && !defined(CUZK_PORTABLE)
#    include "ff/gen/asm_const_gen.h"
#    include "ff/x86/mont_adx.inc"
#    include "ff/x86/fp/fp_adx.inc"

    FP_CONSTS

FUNC cuzk_fp_sub_x64
    SAVE    %rbx, %rbp, %r12, %r13
    mov     (%rsi), %rax
    mov     8(%rsi), %rcx
    mov     16(%rsi), %r8
    mov     24(%rsi), %r9
    mov     32(%rsi), %r10
    mov     40(%rsi), %r11
    xor     %ebx, %ebx
    xor     %ebp, %ebp
    xor     %r12d, %r12d
    xor     %r13d, %r13d
    sub     (%rdx), %rax
    sbb     8(%rdx), %rcx
    sbb     16(%rdx), %r8
    sbb     24(%rdx), %r9
    sbb     32(%rdx), %r10
    sbb     40(%rdx), %r11
    mov     $0, %edx
    mov     $0, %esi
    cmovc   .Lq(%rip), %rbx
    cmovc   .Lq+8(%rip), %rbp
    cmovc   .Lq+16(%rip), %r12
    cmovc   .Lq+24(%rip), %r13
    cmovc   .Lq+32(%rip), %rdx
    cmovc   .Lq+40(%rip), %rsi
    add     %rbx, %rax
    adc     %rbp, %rcx
    adc     %r12, %r8
    adc     %r13, %r9
    adc     %rdx, %r10
    adc     %rsi, %r11
    mov     %rax, (%rdi)
    mov     %rcx, 8(%rdi)
    mov     %r8, 16(%rdi)
    mov     %r9, 24(%rdi)
    mov     %r10, 32(%rdi)
    mov     %r11, 40(%rdi)
    RESTORE %r13, %r12, %rbp, %rbx
    ret
END cuzk_fp_sub_x64
#endif
#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", @progbits
#endif
