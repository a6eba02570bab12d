/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * void cuzk_fp_sqr_n_adx(uint64_t out[6], const uint64_t a[6], size_t n);
 *
 * out = a^(2^n), Montgomery form, out < q. Pre: a < 2q, n >= 1. out may alias a. Time depends on n
 * only. In between the numbers stay below 2q: a^2/2^384 + c + q < 1.95 q for a < 2q.
 *
 * %rdi out, %rsi a, then out. Below the stack pointer: n, and words 0, 6, 7, 11 of the square.
 */
#if defined(__x86_64__) && !defined(CUZK_PORTABLE)
#    include "ff/gen/asm_const_gen.h"
#    include "ff/x86/mont_adx.inc"
#    include "ff/x86/fp/fp_adx.inc"

    FP_CONSTS

FUNC cuzk_fp_sqr_n_adx
    SAVE    %rbx, %rbp, %r12, %r13, %r14, %r15
    mov     %rdx, -32(%rsp)
    .balign 32
1:
    FP_SQR_WIDE -8(%rsp)
    mov     -8(%rsp), %rdx
    mov     %r13, -24(%rsp)
    mov     %r14, -16(%rsp)
    mov     %rbp, -8(%rsp)
    FP_REDC_LOW
    add     -24(%rsp), %r13
    adc     -16(%rsp), %r14
    adc     %r15, %r8
    adc     %rbx, %r9
    adc     %rcx, %r10
    adc     -8(%rsp), %r11
    decq    -32(%rsp)
    jz      2f
    FP_STORE 0, %rdi, %r13, %r14, %r8, %r9, %r10, %r11
    mov     %rdi, %rsi
    jmp     1b
2:
    FP_FINAL %r13, %r14, %r8, %r9, %r10, %r11, %rax, %rbp, %rcx, %rdx, %rsi, %r12
    RESTORE %r15, %r14, %r13, %r12, %rbp, %rbx
    ret
END cuzk_fp_sqr_n_adx
#endif
#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", @progbits
#endif
